/* audit_points.c - the points of an audit and what they hold. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "roundabout.h"
#include "support/array.h"

static int no_memory(struct sup_error *error)
{
    return sup_fail(error, RB_ENOMEM, "out of memory");
}

int audit_word(struct audit *audit, const char *text, const char **word, struct sup_error *error)
{
    *word = NULL;
    if (text == NULL)
        return RB_OK;
    for (size_t i = audit->word_count; i-- > 0;)
        if (strcmp(audit->words[i], text) == 0) {
            *word = audit->words[i];
            return RB_OK;
        }
    char *copy = strdup(text);
    if (copy == NULL || !sup_array_grow(&audit->words, audit->word_count, sizeof *audit->words)) {
        free(copy);
        return no_memory(error);
    }
    *word = audit->words[audit->word_count++] = copy;
    return RB_OK;
}

/* Texts are words, so that equal ones have equal addresses. */
static bool same_setting(const struct audit_setting *a, const struct audit_setting *b)
{
    return a->source == b->source && a->library == b->library && a->collective == b->collective &&
           a->ppn == b->ppn;
}

int audit_add_setting(struct audit *audit, const struct audit_setting *setting, size_t *index,
                      struct sup_error *error)
{
    for (*index = 0; *index < audit->setting_count; ++*index)
        if (same_setting(&audit->settings[*index], setting))
            return RB_OK;
    if (!sup_array_grow(&audit->settings, audit->setting_count, sizeof *audit->settings))
        return no_memory(error);
    audit->settings[audit->setting_count++] = *setting;
    return RB_OK;
}

int audit_add_point(struct audit *audit, const struct audit_point *point, struct sup_error *error)
{
    if (!sup_array_grow(&audit->points, audit->point_count, sizeof *audit->points))
        return no_memory(error);
    struct audit_point *added = &audit->points[audit->point_count++];
    *added = *point;
    added->first = audit->choice_count;
    added->count = 0;
    return RB_OK;
}

int audit_add_choice(struct audit *audit, const struct audit_choice *choice,
                     struct sup_error *error)
{
    if (!sup_array_grow(&audit->choices, audit->choice_count, sizeof *audit->choices))
        return no_memory(error);
    audit->choices[audit->choice_count++] = *choice;
    audit->points[audit->point_count - 1].count++;
    return RB_OK;
}

void audit_free(struct audit *audit)
{
    for (size_t i = 0; i < audit->word_count; i++)
        free(audit->words[i]);
    free(audit->words);
    free(audit->settings);
    free(audit->points);
    free(audit->choices);
    free((void *)audit->losses);
    free(audit->rules);
    *audit = (struct audit){0};
}
