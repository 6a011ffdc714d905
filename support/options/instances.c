/* instances.c - see instances.h. */
#include "support/options/instances.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_INSTANCES = 100000, MOST_LENGTH = 256 };

/* Takes text over. */
static int add(struct cli_texts *texts, char *text, struct sup_error *error)
{
    sup_grow(&texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
    if (texts->count > MOST_INSTANCES)
        return sup_fail(error, RB_EINVAL, "more than %d instances", MOST_INSTANCES);
    return RB_OK;
}

/* Adds each of the texts of `front`, with a comma between, followed by a copy of the word. */
static int join(const struct cli_texts *front, const char *word, struct cli_texts *texts,
                struct sup_error *error)
{
    int status = RB_OK;
    if (front->count == 0)
        return add(texts, sup_strdup(word), error);
    for (size_t i = 0; status == RB_OK && i < front->count; i++) {
        char *both = sup_format("%s,%s", front->text[i], word);
        status = add(texts, both, error);
        if (status == RB_OK && strlen(both) >= MOST_LENGTH)
            status = sup_fail(error, RB_EINVAL, "\"%.40s...\" is too long", both);
    }
    return status;
}

/* The texts of front with NAME=VALUE added, for each value of a range; *ranged is false if the word
 * has none. */
static int join_range(const struct cli_texts *front, const char *word, struct cli_texts *texts,
                      bool *ranged, struct sup_error *error)
{
    const char *equals = strchr(word, '=');
    struct sup_list values;
    *ranged = equals != NULL && strstr(equals, "..") != NULL;
    if (!*ranged)
        return RB_OK;
    int status =
        sup_parse_list(equals + 1, false, INT64_MIN, INT64_MAX, MOST_INSTANCES, &values, error);
    if (status != RB_OK)
        return status;
    for (size_t i = 0; status == RB_OK && i < values.count; i++) {
        char one[MOST_LENGTH];
        snprintf(one, sizeof one, "%.*s=%" PRId64, (int)(equals - word), word, values.value[i]);
        status = join(front, one, texts, error);
    }
    sup_list_free(&values);
    return status;
}

int cli_add_instances(const char *text, struct cli_texts *texts, struct sup_error *error)
{
    struct cli_texts made = {0};
    int status = RB_OK;
    if (strlen(text) >= MOST_LENGTH)
        return sup_fail(error, RB_EINVAL, "\"%.40s...\" is too long", text);
    for (const char *at = text; status == RB_OK && at != NULL;) {
        const size_t length = strcspn(at, ",");
        struct cli_texts longer = {0};
        char word[MOST_LENGTH];
        bool ranged;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        status = join_range(&made, word, &longer, &ranged, error);
        if (status == RB_OK && !ranged)
            status = join(&made, word, &longer, error);
        cli_texts_free(&made);
        made = longer;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    for (size_t i = 0; status == RB_OK && i < made.count; i++)
        status = add(texts, sup_strdup(made.text[i]), error);
    cli_texts_free(&made);
    return status;
}

void cli_texts_free(struct cli_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    *texts = (struct cli_texts){0};
}
