/* bound_problem.h - what a lower bound is asked for: a collective's data on the hosts of a
 * platform. Private to this folder; lower_bound.c bounds it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiments/point/lower_bound.h"
#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "support/error.h"

/* What a collective has to move. */
enum point_need {
    POINT_EVERYTHING, /* all m bytes to, or from, every set of ranks: bcast, reduce, scan, exscan */
    POINT_TWICE, /* the same, and of every division into G parts 2 (G - 1) m in all: allreduce */
    POINT_FROM_ROOT, /* each rank's share from, or to, the root: scatter, gather */
    POINT_OTHERS,  /* all other ranks' shares to, or from, every rank: allgather, reduce-scatter */
    POINT_PAIRS,   /* each pair's part: alltoall, and those of fixed counts */
    POINT_SHIFTED, /* each rank's share to one other: shift */
};

/* The ranks of a part of the machine. */
struct point_part {
    int64_t ranks;
    double share;    /* bytes of their shares */
    double to, from; /* of pairs: the bytes that all have for them, and that they have; where pairs
                      * differ, and of shift: those that enter and leave */
    bool has_root;
};

/* Memory for one problem after the other, and where the last one's ranks were placed by which rule.
 * Zeroed at first; point_room_free. */
struct point_room {
    void *part[4]; /* host, ranks_on, share, of_host or the parts of one cut */
    size_t bytes[4];
    struct {
        uint64_t seed;
        enum sim_placement_rule rule;
        int32_t p, ppn, hosts, per_host;
        int32_t first, hops; /* of all ranks the farthest from the first; hops 0: not known */
        bool rising;         /* each rank's terminal is at least that of the rank before it */
        int32_t parts[PLATFORM_MOST_CUTS]; /* of a cut, with ranks; 0: not known */
    } placed;                              /* p 0: not known */
    struct {
        struct point_spread of;
        int64_t hosts, ranks;
        struct point_spread_times times;
    } spread; /* the last one; ranks 0: none */
};
void point_room_free(struct point_room *room);
/* So many bytes for an array, as calloc, or as the last problem left them; NULL: out of memory. */
void *point_room_take(struct point_room *room, int part, size_t bytes, bool zeroed);

/* Zero it, or let point_problem_take fill it; its arrays are in a room. */
struct point_problem {
    enum point_need need;
    bool prefixes; /* a scan */
    bool in_step;  /* a round ends everywhere before the next one begins */
    int32_t p, root, shift;
    const struct rb_layout *layout;
    const struct rb_plan *fixed; /* whose instance says what each pair has; NULL: counts do */
    int32_t ports;               /* of a rank; 0: any number of messages at once */
    /* The machine. */
    const struct platform_cuts *cuts;
    struct point_room *room;
    int32_t *host;          /* by rank, its terminal */
    int32_t hosts;          /* that have ranks */
    int32_t per_host;       /* most ranks of one */
    double alpha_s, beta_s; /* of a message between hosts */
    double inner_s;         /* latency inside */
    double rank_rate;       /* bytes per second through a rank's ports */
    double host_rate;       /* and through a host's link */
    struct {
        int32_t terminals; /* 1: a node is a host */
        int32_t count;     /* that have ranks */
        int32_t ranks;     /* most of one */
        double alpha_s, inner_s, rate;
    } node;
    int32_t *ranks_on;          /* by host */
    struct point_part *of_host; /* by host; NULL: all parts have the same to carry */
    /* The data. */
    bool owned;                         /* each rank has a share of them */
    double *share;                      /* by rank, bytes; NULL: counts are regular */
    int64_t least_share, larger_shares; /* regular: so many elements, and so many ranks one more */
    double bytes;
    /* Of equal pairs: the elements of each; one more have the first larger_pairs of them, which are
     * larger_rows rows and larger_columns pairs of another. */
    int64_t pair_elements, larger_pairs, larger_rows, larger_columns;
};

/* What the bounds know of an engine; NULL: nothing, or it is not known what its options do. */
struct point_engine;
const struct point_engine *point_engine_known(const struct sim_spec *spec,
                                              const struct sim_engine *engine);

/* Fills in what the spec says. False if there is no bound for this. */
bool point_problem_take(const struct sim_spec *spec, const struct point_engine *known,
                        const struct platform_cuts *cuts, struct point_problem *problem);

/* Fills in the rest, but for of_host: where the ranks are, what ports, links and nodes carry, and
 * the shares. host: as in point_bound_find. The room must be of one platform. RB_ENOMEM; RB_EINVAL
 * if the ranks don't fit on the hosts. O(p). */
int point_problem_place(const struct sim_spec *spec, const struct point_engine *known,
                        const int32_t host[], struct point_room *room,
                        struct point_problem *problem, struct sup_error *error);

/* What ranks first .. end - 1 have to carry: of irregular counts, one rank. Of equal pairs, those
 * of row r are p in a row, and those of column r p apart; the first of all pairs have one element
 * more. */
struct point_part point_problem_ranks(const struct point_problem *problem, int64_t first,
                                      int64_t end);
/* And those on hosts host .. end - 1. first: where ranks are in the order of hosts, the first of
 * them there. */
struct point_part point_problem_part(const struct point_problem *problem, int32_t host, int32_t end,
                                     int64_t first);
void point_part_join(struct point_part *part, const struct point_part *other);

/* The bytes of all shares of ranks first .. end - 1, where counts are regular; O(1). */
static inline double point_problem_shares(const struct point_problem *problem, int64_t first,
                                          int64_t end)
{
    const int64_t larger = problem->larger_shares;
    return (double)((problem->least_share * (end - first) + (end < larger ? end : larger) -
                     (first < larger ? first : larger)) *
                    problem->layout->element);
}
/* The bytes of a rank's share. */
static inline double point_problem_share(const struct point_problem *problem, int32_t rank)
{
    return problem->share != NULL ? problem->share[rank]
                                  : point_problem_shares(problem, rank, (int64_t)rank + 1);
}

/* The bytes that have to enter the rank; of what is read backwards, to leave it. */
double point_problem_through(const struct point_problem *problem, int32_t rank);
/* True if all pairs have the same, or one element more. */
bool point_problem_has_equal_pairs(const struct point_problem *problem);
/* The bytes that `from` has for `to`, where pairs differ. */
int64_t point_problem_pair_bytes(const struct point_problem *problem, int32_t from, int32_t to);
int32_t point_problem_largest(const struct point_problem *problem);

/* The bound becomes this one, and part what binds, if it is larger. */
void point_bound_keep(struct point_bound *bound, double time_s, const char *part);

/* ---- Ports ----------------------------------------------------------------------------------- */

/* Bounds for ranks whose ports serve one message at a time, from start to end, so
 * that start-ups count beside bytes. docs/bounds.md proves them.
 *
 * All times are in start-ups: the least time in which a message can arrive is 1, and a byte takes
 * 1 / bytes per start-up. `bytes`: the data, as a time. */

/* All bytes of one rank, which has one port, to others that hear of it `last` start-ups after its
 * first message begins, at the earliest: ceil(log2 p) for p > 2 ranks, or the way to the farthest
 * ("The root's port"). */
double point_bound_root(double last, double bytes);

/* Shares of so many bytes in all, of which the largest has `largest`, to all ranks, which have one
 * port each ("Shares"). */
double point_bound_shares(double all, double largest);

/* The time that a node's link needs, at least, for bytes that each of `ranks` ranks of the node has
 * to get, where a message inside takes `inner` ("What is still inside"). All times in one unit. */
double point_bound_enter(double bytes, double inner, int64_t ranks, int32_t ports);

/* A scan, inclusive or exclusive, on p > 1 ranks of so many ports ("Scans"). */
double point_bound_scan(int32_t p, int32_t ports, double bytes);

/* Of alltoall in rounds that end everywhere before the next begin, `pair` bytes from each of p > 1
 * ranks to each other ("Alltoall in lockstep"). A port's bytes. O(log^2 p). */
double point_bound_rounds(int32_t p, int32_t ports, double pair);

/* Keeps those that hold for the problem; least_s: the least latency of a message. */
void point_bound_ports(const struct point_problem *problem, double least_s,
                       struct point_bound *bound);

/* ---- Networks -------------------------------------------------------------------------------- */

/* What the links and routes of one network say of the least time; docs/bounds.md has the proofs
 * ("The worst set", "Routes"). */

/* What is found once for all points on a platform: for pairs, which includes alltoall, the routes,
 * O(hosts^2 links of a route); for other needs the links, where they differ. */
struct point_network;
struct point_network *point_network_make(const char *platform, const struct platform_cuts *cuts,
                                         bool pairs);
void point_network_free(struct point_network *network); /* NULL is fine */

/* A bound, and in part what binds. The time is 0 if there is none. O(p) and some maximum flows; for
 * pairs O(hosts^2 + places^3), of irregular counts O(p^2). */
void point_network_bound(const struct point_network *network, const struct point_problem *problem,
                         struct point_bound *bound);
