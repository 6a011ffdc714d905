/* instances.h - lists of instances (rb_plan_spec.instance) from one text: q=1..3 is q=1, q=2, q=3.
 */
#ifndef SUPPORT_OPTIONS_INSTANCES_H
#define SUPPORT_OPTIONS_INSTANCES_H

#include <stddef.h>

#include "support/error.h"

struct cli_texts {
    char **text; /* owned, as is each */
    size_t count;
};

/* Adds the instances of a text NAME=VALUES,..., where VALUES is one value or a range as in
 * sup_parse_list: all combinations, with the first name's values changing last. The collective
 * interprets the names. RB_EINVAL; some instances may then have been added. */
int cli_add_instances(const char *text, struct cli_texts *texts, struct sup_error *error);
void cli_texts_free(struct cli_texts *texts); /* safe on a zeroed struct */

#endif
