/* audit_points.c - the points of an audit and what they hold. */
#include <stdlib.h>
#include <string.h>

#include "studies/audit/audit.h"
#include "support/memory.h"

const char *audit_word(struct audit *audit, const char *text)
{
    if (text == NULL)
        return NULL;
    for (size_t i = audit->word_count; i-- > 0;)
        if (strcmp(audit->words[i], text) == 0)
            return audit->words[i];
    sup_grow(&audit->words, audit->word_count, sizeof *audit->words);
    return audit->words[audit->word_count++] = sup_strdup(text);
}

size_t audit_add_setting(struct audit *audit, const struct audit_setting *given)
{
    const struct audit_setting setting = {.source = audit_word(audit, given->source),
                                          .library = audit_word(audit, given->library),
                                          .collective = audit_word(audit, given->collective),
                                          .ppn = given->ppn,
                                          .per_node =
                                              given->per_node > 0 ? given->per_node : given->ppn};
    for (size_t i = 0; i < audit->setting_count; i++) {
        const struct audit_setting *known = &audit->settings[i];
        if (known->source == setting.source && known->library == setting.library &&
            known->collective == setting.collective && known->ppn == setting.ppn)
            return i;
    }
    sup_grow(&audit->settings, audit->setting_count, sizeof *audit->settings);
    audit->settings[audit->setting_count] = setting;
    return audit->setting_count++;
}

static struct audit_choice own_words(struct audit *audit, struct audit_choice choice)
{
    choice.name = audit_word(audit, choice.name);
    choice.algorithm = audit_word(audit, choice.algorithm);
    return choice;
}

void audit_add_point(struct audit *audit, const struct audit_point *point)
{
    sup_grow(&audit->points, audit->point_count, sizeof *audit->points);
    struct audit_point *added = &audit->points[audit->point_count++];
    *added = *point;
    added->run = audit_word(audit, point->run);
    added->decision = own_words(audit, point->decision);
    added->first = audit->choice_count;
    added->count = 0;
}

void audit_add_choice(struct audit *audit, const struct audit_choice *choice)
{
    sup_grow(&audit->choices, audit->choice_count, sizeof *audit->choices);
    audit->choices[audit->choice_count++] = own_words(audit, *choice);
    audit->points[audit->point_count - 1].count++;
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
