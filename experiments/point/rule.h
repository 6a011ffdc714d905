/* rule.h - the rules of a point: its counts, placement and overlap. The text of a rule is read
 * once, where it was given, and a file that it names is read then. */
#ifndef EXPERIMENTS_POINT_RULE_H
#define EXPERIMENTS_POINT_RULE_H

#include "experiments/point/parameters.h"

struct point_rule {
    char *text; /* in its usual form; owned */
    union {     /* what it means */
        struct rb_counts counts;
        struct sim_placement placement;
        struct sim_overlap overlap;
    };
};

bool point_is_rule(enum point_id id);

/* RB_EINVAL, or what reading the file gives, with a message that says what would be right. The
 * caller frees the rule, also on failure. */
int point_rule_read(enum point_id id, const char *word, struct point_rule *rule,
                    struct sup_error *error);
void point_rule_free(struct point_rule *rule); /* safe on a zeroed struct */

/* Sets the text and its meaning; the rule must outlive the point. */
void point_set_rule(struct point *point, enum point_id id, const struct point_rule *rule);

#endif
