/* core.h - measures the schedule core and a literal transcription, and prints and draws the
 * results.
 *
 * After Table 4 of J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024, which gives
 * for eight ranges of p the time of all schedules, receive and send, of all ranks of all p in the
 * range, and the average per rank. Here some p of each range are measured, all ranks of each. */
#ifndef COMMAND_BENCH_CORE_H
#define COMMAND_BENCH_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "command/bench/bench.h"

enum bench_core_way {
    BENCH_CORE_LITERAL,  /* the literal transcription, rank by rank */
    BENCH_CORE_ONE_RANK, /* rb_circulant_recv and _send, rank by rank */
    BENCH_CORE_TABLE,    /* rb_circulant_table: send rows, which rotated are the receive rows */
    BENCH_CORE_BOTH,     /* the same, the receive rows written out too */
    BENCH_CORE_WAYS
};

/* A row of the paper's Table 4, and its figures: a 3.3 GHz Xeon E3-1225. */
struct bench_core_range {
    int32_t first, last;
    double old_total_s, new_total_s; /* O(log^3 p) and O(log p) per rank */
    double old_per_rank_us, new_per_rank_us;
};
enum { BENCH_CORE_RANGES = 8, BENCH_CORE_GOALS = 4 };
extern const struct bench_core_range bench_core_ranges[BENCH_CORE_RANGES];

/* The project's goals at one p: one rank's time divided by the literal transcription's, and the
 * whole table's time per rank. */
struct bench_core_goal {
    int32_t p;
    bool random;     /* ranks in pseudo-random order, otherwise 0 to p - 1 */
    double ratio;    /* at most */
    double table_ns; /* per rank, at most; 0: no goal (also in the line before) */
};
extern const struct bench_core_goal bench_core_goals[BENCH_CORE_GOALS];

/* One p measured once, all ways in turn. */
struct bench_core_sample {
    int32_t range, goal; /* which one it is for; -1: none */
    int32_t p;
    double ns[BENCH_CORE_WAYS]; /* per rank: its receive and its send schedule */
};

struct bench_core_results {
    struct bench_core_sample *samples; /* owned */
    size_t count;
};

/* Measures `samples` p of each range and each goal so many times. The seed chooses p and ranks.
 * RB_EWRONG if the ways don't agree. */
int bench_core_measure(const struct bench_request *request, struct bench_core_results *results,
                       struct sup_error *error);

/* In the request's format: as in the paper, all times per rank; or as rows. */
void bench_core_print(const struct bench_request *request,
                      const struct bench_core_results *results);

/* The spread over a range's (or a goal's) samples: of a way's ns, or of one way's over another's.
 */
struct bench_spread bench_core_spread(const struct bench_core_results *results, int32_t range,
                                      int32_t goal, enum bench_core_way way, int over);

/* The figure bench-core in request->figures. RB_EIO, RB_EFAILED. */
int bench_core_draw(const struct bench_request *request, const struct bench_core_results *results,
                    struct sup_error *error);

#endif
