/* points.h - every algorithm of every collective at points of a few networks, run on all cores:
 * what the checks `gallery` and `gaps` compare. */
#ifndef STUDIES_CHECK_POINTS_H
#define STUDIES_CHECK_POINTS_H

#include "experiments/point/words.h"

/* Ranks lie in blocks; where a host has several, they share its port, and plans know their hosts.
 */
struct check_network {
    const char *title, *platform, *engine;
    int32_t ppn;
};

/* A point, and what came of it. */
struct check_entry {
    struct point point;
    struct point_outcome outcome; /* not done: the point was left out */
    int32_t network, collective;  /* numbers */
};

struct check_points {
    const char *what; /* "gallery" */
    const struct check_network *network;
    int32_t networks;
    double most_cost_s; /* a point whose estimated real time is longer is left out */
    bool wants_links;

    struct point_known_platform *platform; /* of each network */
    struct point_rule rule[POINT_PARAMETERS];
    char (*groups)[16];        /* of each network, for plans */
    struct check_entry *entry; /* in the order in which they were added */
    size_t count;
    struct check_entry **todo; /* those that were run last */
    size_t todo_count;
};

/* Makes the platforms; what, network, networks, most_cost_s and wants_links are set. The caller
 * closes points, also on failure. */
int check_points_open(struct check_points *points, struct sup_error *error);
void check_points_close(struct check_points *points);

/* Adds a point, if there is such a plan and, for plans by groups, if hosts have several ranks.
 * radix 0: the algorithm's own. n 0: the best by the closed form; without one, by the papers' rule.
 */
int check_points_add(struct check_points *points, const struct rb_algorithm_info *info,
                     int32_t network, const struct rb_plan_spec *plan, int64_t m_bytes,
                     struct sup_error *error);

/* Runs the entries from the given one on. */
int check_points_run(struct check_points *points, size_t first, struct sup_error *error);

/* The time over the bound, as it is printed. */
int64_t check_hundredths(double time_over_bound);

#endif
