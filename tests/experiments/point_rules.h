/* point_rules.h - rules of points that tests make. */
#ifndef TESTS_EXPERIMENTS_POINT_RULES_H
#define TESTS_EXPERIMENTS_POINT_RULES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/point/words.h"

/* The rule with this text, which is kept; no text is that of two parameters. */
static inline const struct point_rule *rule_of(enum point_id id, const char *text)
{
    static struct point_rule rules[64];
    static size_t count;
    struct sup_error error;
    size_t i = 0;
    while (i < count && strcmp(rules[i].text, text) != 0)
        i++;
    assert_true(i < sizeof rules / sizeof *rules);
    if (i == count && point_rule_read(id, text, &rules[count++], &error) != RB_OK)
        fail_msg("%s", error.text);
    return &rules[i];
}

static inline void set_rules(struct point *point, const char *counts, const char *placement,
                             const char *overlap)
{
    point_set_rule(point, POINT_COUNTS, rule_of(POINT_COUNTS, counts));
    point_set_rule(point, POINT_PLACEMENT, rule_of(POINT_PLACEMENT, placement));
    point_set_rule(point, POINT_OVERLAP, rule_of(POINT_OVERLAP, overlap));
}

#endif
