/* instances.h - lists of instances (rb_plan_spec.instance) from one text: q=1..3 is q=1, q=2, q=3.
 */
#ifndef RB_COMMAND_OPTIONS_INSTANCES_H
#define RB_COMMAND_OPTIONS_INSTANCES_H

#include <stddef.h>

#include "support/error.h"

struct rb_texts {
    char **text; /* owned, as is each */
    size_t count;
};

/* Adds what text stands for: NAME=VALUES,..., each VALUES one value or a range as in rb_parse_list,
 * in all combinations, the first name's changing last. What the names mean is the collective's
 * business. RB_EINVAL, RB_ENOMEM; then texts are as they were, perhaps with some added. */
int rb_add_instances(const char *text, struct rb_texts *texts, struct rb_error *error);
void rb_texts_free(struct rb_texts *texts); /* safe on a zeroed struct */

#endif
