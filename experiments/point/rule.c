/* rule.c - see rule.h. */
#include "experiments/point/rule.h"

#include <stdlib.h>

#include "support/memory.h"
#include "support/names.h"

static int read_counts(const char *word, struct point_rule *rule, char *text, size_t size,
                       struct sup_error *error)
{
    const int status = sup_counts_parse(word, &rule->counts, error);
    if (status == RB_OK)
        sup_counts_format(&rule->counts, text, size);
    return status;
}

static int read_placement(const char *word, struct point_rule *rule, char *text, size_t size,
                          struct sup_error *error)
{
    const int status = sim_placement_parse(word, &rule->placement, error);
    if (status == RB_OK)
        sim_placement_format(&rule->placement, text, size);
    return status;
}

static int read_overlap(const char *word, struct point_rule *rule, char *text, size_t size,
                        struct sup_error *error)
{
    const int status = sim_overlap_parse(word, &rule->overlap, error);
    if (status == RB_OK)
        sim_overlap_format(&rule->overlap, text, size);
    return status;
}

static void set_counts(struct point *point, const struct point_rule *rule)
{
    point->counts = rule->text;
    point->counts_rule = &rule->counts;
}

static void set_placement(struct point *point, const struct point_rule *rule)
{
    point->placement = rule->text;
    point->placement_rule = &rule->placement;
}

static void set_overlap(struct point *point, const struct point_rule *rule)
{
    point->overlap = rule->text;
    point->overlap_rule = &rule->overlap;
}

static const struct kind {
    /* Writes the usual text. */
    int (*read)(const char *word, struct point_rule *rule, char *text, size_t size,
                struct sup_error *error);
    void (*set)(struct point *point, const struct point_rule *rule);
} kinds[POINT_PARAMETERS] = {
    [POINT_COUNTS] = {read_counts, set_counts},
    [POINT_PLACEMENT] = {read_placement, set_placement},
    [POINT_OVERLAP] = {read_overlap, set_overlap},
};

bool point_is_rule(enum point_id id)
{
    return kinds[id].read != NULL;
}

int point_rule_read(enum point_id id, const char *word, struct point_rule *rule,
                    struct sup_error *error)
{
    char text[SIM_PLACEMENT_TEXT];
    *rule = (struct point_rule){0};
    const int status = kinds[id].read(word, rule, text, sizeof text, error);
    if (status == RB_OK)
        rule->text = sup_strdup(text);
    return status;
}

void point_rule_free(struct point_rule *rule)
{
    free(rule->text);
    *rule = (struct point_rule){0};
}

void point_set_rule(struct point *point, enum point_id id, const struct point_rule *rule)
{
    kinds[id].set(point, rule);
}
