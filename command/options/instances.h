/* instances.h - lists of instances (rb_plan_spec.instance) from one text: q=1..3 is q=1, q=2, q=3.
 */
#ifndef COMMAND_OPTIONS_INSTANCES_H
#define COMMAND_OPTIONS_INSTANCES_H

#include <stddef.h>

#include "support/error.h"

struct cli_texts {
    char **text; /* owned, as is each */
    size_t count;
};

/* Adds what text stands for: NAME=VALUES,..., each VALUES one value or a range as in
 * sup_parse_list, in all combinations, the first name's changing last. What the names mean is the
 * collective's business. RB_EINVAL, RB_ENOMEM; then texts are as they were, perhaps with some
 * added. */
int cli_add_instances(const char *text, struct cli_texts *texts, struct sup_error *error);
void cli_texts_free(struct cli_texts *texts); /* safe on a zeroed struct */

#endif
