/* verify.h - proves whole ranges of plans, circulant schedules and the paper's claims: a request,
 * the work of the worker processes, their results, and how these are shown. */
#pragma once

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "roundabout.h"
#include "schedules/plan/random.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/pool.h"
#include "support/units.h"

/* ---- The request ----------------------------------------------------------------------------- */

enum { VERIFY_MOST_ALGORITHMS = 512, VERIFY_MOST_COUNTS = 16, VERIFY_KEPT_FAILURES = 5 };

enum verify_what { VERIFY_WHAT_PLANS, VERIFY_WHAT_SCHEDULES, VERIFY_WHAT_CLAIMS };

/* A piece of the work of the level thorough (verify_cells_make): one set of one p. */
struct verify_cell {
    int32_t algorithm; /* -1: the circulant schedules of p */
    int32_t set;
    int32_t p;
    int64_t cost; /* approximately, in locations of the verifier */
};
struct verify_cells {
    struct verify_cell *cell; /* owned */
    size_t count;
};

/* A piece of the work on schedules or claims: some of job->ranks, one after the other. */
struct verify_piece {
    size_t first, count;
};

struct verify_job {
    enum verify_what what;
    const char *collectives; /* as requested: one, several separated by commas, or "all" */
    bool several;            /* not one */
    const struct rb_algorithm_info *algorithms[VERIFY_MOST_ALGORITHMS];
    int32_t algorithm_count;
    struct sup_counts
        counts[VERIFY_MOST_COUNTS]; /* of plans whose data are distributed among the ranks */
    int32_t counts_count;
    bool ordered;
    struct rb_plan_spec plan;       /* options that have one value for all plans */
    const struct sup_list *ranks;   /* the values of p */
    struct sup_list instance_ranks; /* those that the instances have, owned */
    const struct sup_list *ports;   /* of plans; of rails as many as they need unless given */
    bool ports_given;
    struct cli_terms blocks, roots; /* of plans */
    const char *blocks_text;        /* as requested, NULL: not at all */
    char file_n[24];                /* a file's, if none is requested */
    struct cli_terms radices;       /* for plans whose algorithm has a radix; none: its own
                                     * choice */
    bool all_radices;               /* 2 .. p instead */
    struct cli_texts instances;     /* for plans whose collective has instances; none: the
                                     * default */
    int64_t buffers;           /* messages for which FIFOs have room; 0: they are not looked at */
    const char *const *groups; /* of plans by groups; none: each rank alone */
    int32_t groups_count;
    char shared[16];             /* the size of a host's or node's groups, if known */
    const char *shared_groups;   /* this text */
    bool all_groups;             /* sizes 1 .. p instead */
    bool any_order;              /* some have an order, which every algorithm takes */
    const char *platform;        /* whose neighbours ranks have; NULL: none is known */
    struct verify_piece *pieces; /* of schedules and claims; owned */
    size_t piece_count;
    bool counterexample;       /* say what led to the first failures */
    bool thorough;             /* the plans are those of the level, not those of the lists */
    uint64_t seed;             /* of thorough */
    struct verify_cells cells; /* of thorough */
    int32_t sample; /* of schedules and claims: ranks of a p, besides special ones; 0: all */
};

/* ---- The paper's claims ---------------------------------------------------------------------- */

/* What the paper claims about its algorithms, checked rank by rank.
 *
 * Source: J. L. Traeff, Optimal Broadcast Schedules in Logarithmic Time, 2024: Lemma 5 (recursive
 * calls of Algorithm 4), Lemma 6 (iterations of its loop), Theorem 3 (violations in Algorithm 6).
 * The counts are made in the literal transcription (schedules/literal/). */
enum { VERIFY_CLAIMS = 4 };

struct verify_claim {
    const char *name;   /* in json: "calls" */
    const char *text;   /* "at most q - 1 recursive calls" */
    const char *source; /* "Lemma 5" */
    bool known_false;   /* it is known to fail, so a failure is reported but is not an error */
    int32_t least_q;    /* the claim concerns p with at least this q */
};
extern const struct verify_claim verify_claim_table[VERIFY_CLAIMS];

/* A rank at which a count was made. */
struct verify_claim_case {
    int32_t p, r;
    int32_t value, bound;
};

/* The results for one claim; zeroed: none. */
struct verify_claim_tally {
    int64_t checked, exceptions;              /* ranks */
    struct verify_claim_case first_exception; /* smallest p, then smallest r; if exceptions > 0 */
    struct verify_claim_case
        tightest; /* largest value - bound, of these the first; if checked > 0 */
};

/* Checks ranks of p, all or a sample of them. p = 1 has no schedule: nothing is checked. O(log p)
 * per rank. */
void verify_claims_check(int32_t p, int32_t sample, struct verify_claim_tally tally[VERIFY_CLAIMS]);
/* Adds another worker's results. */
void verify_claims_add(struct verify_claim_tally sum[VERIFY_CLAIMS],
                       const struct verify_claim_tally more[VERIFY_CLAIMS]);
/* True if a claim fails that is believed to be true. */
bool verify_claims_news(const struct verify_claim_tally tally[VERIFY_CLAIMS]);

/* ---- Results --------------------------------------------------------------------------------- */

/* What was covered: the number of verified plans of each uncommon kind, and the largest values. */
struct verify_cover {
    int64_t ordered;   /* in rank order */
    int64_t off_roots; /* with a root that is none of 0, p / 2 and p - 1 */
    int64_t irregular; /* with irregular counts */
    int64_t on_ports;  /* on several ports */
    int64_t by_radix;  /* with a given radix */
    int64_t instances; /* with an instance other than the default */
    int64_t too_large; /* left out by the level: plans of too many places or rounds */
    int64_t most_p, most_n, most_ports, most_radix;
};

/* The results of one algorithm's plans. */
struct verify_tally {
    struct verify_cover cover;
    int64_t plans, wrong;
    int64_t unfit;     /* left out: a p, with a radix and an instance, that has no such plans */
    int64_t at_bound;  /* right plans with as few rounds as any plan */
    int64_t unbounded; /* right plans that have no bounds */
    int64_t critical_volume_at_bound; /* right plans with as little in sequence as any of their
                                         rounds */
    int64_t most_extra_rounds;        /* above the bound */
    int64_t most_extra_moves;
    int64_t most_extra_critical_volume;
    int64_t most_room, most_block_room; /* with job->buffers: for which FIFOs must have room, in
                                         * messages, and in blocks */
};

void verify_cover_add(struct verify_cover *to, const struct verify_cover *from);
void verify_tally_add(struct verify_tally *to, const struct verify_tally *from);

struct verify_failure {
    int32_t p;
    char what[1024];
    char repeat[1024]; /* the command that repeats it */
    char story[4096];  /* of plans, if job->counterexample: verify_counterexample */
};

/* One worker's results: its memory in the pool. */
struct verify_record {
    _Atomic int64_t failed; /* how many failures; those of the least p are kept below */
    struct verify_failure failures[VERIFY_KEPT_FAILURES];
    char note[400]; /* on a right plan (rb_verdict.note), or empty */
    struct verify_tally tallies[VERIFY_MOST_ALGORITHMS];
    struct verify_claim_tally claims[VERIFY_CLAIMS];
    int64_t p_count, rank_count; /* of schedules and claims, also those of the level thorough */
    int64_t most_p;              /* of these */
    int status;                  /* not 0: the work could not continue, for the reason in
                                  * failures[0].what */
};

/* The place for a failure at p among those of the least p, which are kept in order, before it is
 * counted; NULL: as many come before it. */
struct verify_failure *verify_failure_place(struct verify_record *record, int32_t p);

/* The values for one algorithm and one p, all in range; all combinations are verified. A parameter
 * that the collective or the algorithm does not have (roots, counts, radices, instances) has one
 * value: 0, regular, NULL. */
struct verify_lists {
    struct sup_list ports, radices, blocks, roots; /* radix 0: the algorithm's choice */
    const struct sup_counts *counts;
    size_t counts_count;
    const char *const *instances; /* NULL: the usual one */
    size_t instances_count;
    const char *const *groups; /* of plans by groups; NULL: each rank alone */
    size_t groups_count;
    const bool *orders; /* of ordered */
    size_t orders_count;
};
/* Verifies all of them, or stops if this worker cannot continue. */
void verify_listed(const struct verify_job *job, int32_t algorithm, int32_t p,
                   const struct verify_lists *lists, struct verify_record *record);

/* The next failure's place, or NULL if enough are kept. It is counted when it is written, because
 * the parent may end all work when it sees the count. */
/* Writes what led to the first thing wrong with a plan, in at most 50 lines: `what` is wrong, the
 * last rounds of the rank and of its peer there, the way of the block through the ranks. Nothing if
 * the plan is right. Time of two rb_verify_plan. */
void verify_counterexample(const struct rb_plan *plan, const struct rb_layout *layout,
                           const char *what, char text[], size_t size);
/* Records that schedules of p are wrong. `options` of verify repeat the check, with -p. */
void verify_wrong_schedule(struct verify_record *record, int32_t p, const char *options,
                           const char *what);
/* Records that this worker cannot continue. */
void verify_give_up(struct verify_record *record, int status, const char *what);

/* Piece i of plans is this p: the last of --ranks, usually the largest, comes first, so that no
 * worker waits long for another at the end. */
static inline int32_t verify_piece_ranks(const struct verify_job *job, size_t i)
{
    return (int32_t)job->ranks->value[job->ranks->count - 1 - i];
}

/* struct sup_pool's work: context is a struct verify_job, record a struct verify_record.
 * Schedules stop at the first wrong one; the others go on. */
void verify_plans(void *context, struct sup_pool_worker *worker, void *record);
void verify_thorough(void *context, struct sup_pool_worker *worker, void *record);
void verify_schedules(void *context, struct sup_pool_worker *worker, void *record);
void verify_claims(void *context, struct sup_pool_worker *worker, void *record);

/* Cuts job->ranks into the pieces of work of schedules or claims, by job->what and job->sample;
 * enough pieces for so many workers. A free worker takes the next piece, so no worker waits long
 * for another. Refuses p whose tables do not fit into memory, with a message; an enum cli_exit. The
 * caller frees job->pieces. */
int verify_divide(struct verify_job *job, int32_t workers);

/* ---- The level thorough ---------------------------------------------------------------------- */

/* The plans that `verify --level thorough` verifies for each algorithm: sets of plans, each for a
 * range of p, so that expensive choices are made for small p only. Each set has all combinations of
 *
 *   small, p = 1..12: n = 1, 2, q + 1, 7; all roots, radices, ports 1..4, rules of counts
 *   blocks, 1..40: n up to 1000 (129 if p > 16), about powers of two; roots 0, p - 1
 *   roots, 13..48: all roots; n = 1, q + 1
 *   radices, 13..72: all radices; n = 2; ports 1, 3
 *   instances, 1..48: all shifts; redistributions among up to 8 ranks
 *   ranks, 13..130: roots 0, 1, p / 2, p - 1, two others; n = 1, 33 (3 of parts); ports 1, 2, 4
 *   large, some of 131..1025: two roots; n = 1, 3; ports 1, 3
 *   schedules, some of 2..2^30: all ranks of p up to 2^18, 500 ranks of others, each by itself
 *
 * All sets also have plans in rank order, if the algorithm has them, and plans by groups for six
 * ways to cut the ranks into groups. Pseudo-random values depend only on the seed, p and the set. A
 * plan may be in several sets.
 *
 * Makes job->cells: those p of job->ranks that a set has, or all p of the sets if any is true. */
void verify_cells_make(struct verify_job *job, bool any);
void verify_cells_free(struct verify_cells *cells); /* safe on a zeroed struct */

/* True if verifying this plan would take long, or much memory. */
bool verify_too_large(const struct rb_plan *plan);

/* The number of different p in the cells, and the largest p up to which, from 1, none is
 * missing. */
void verify_cells_ranks(const struct verify_cells *cells, int32_t *count, int32_t *gapless);

/* ---- Samples --------------------------------------------------------------------------------- */

/* Chooses ranks of a p when there are too many to check all.
 *
 * A sample of N consists of ranks 0, 1 and p - 1, which are special, and N pseudo-random ranks; or
 * of all ranks if p is small enough. The ranks depend only on p and N, and a larger sample contains
 * the smaller ones, so a repeated check covers the same ranks. */
enum { VERIFY_SAMPLE_SPECIAL = 3 };

/* The number of ranks of p that are checked; p if sample is 0, which means all. */
static inline int32_t verify_sample_size(int32_t p, int32_t sample)
{
    return sample == 0 || p - VERIFY_SAMPLE_SPECIAL <= sample ? p : sample + VERIFY_SAMPLE_SPECIAL;
}

/* The i-th of them, 0 <= i < verify_sample_size(). Pseudo-random ones may repeat. */
static inline int32_t verify_sample_rank(int32_t p, int32_t sample, int32_t i)
{
    if (verify_sample_size(p, sample) == p || i < 2)
        return i;
    if (i == 2)
        return p - 1;
    return (int32_t)(rb_random_at((uint64_t)p << 32, (uint64_t)i) % (uint64_t)p);
}

/* ---- Schedules of other programs ------------------------------------------------------------- */

struct verify_table {
    int64_t p_count, rank_count;
    json_t *wrong; /* owned: an object for each wrong p, with `p` and `what` */
};

/* Checks the schedules in a text file (docs/formats.md): for each p the skips, if the file has
 * them, and the four conditions. RB_OK if the file can be read, whatever is wrong with the
 * schedules; RB_EINVAL with file, line and column; RB_EIO. The caller decrefs table->wrong, also
 * after a failure. O(p log p) for each p, memory O(p log p) of one p. */
int verify_table_read(const char *path, struct verify_table *table, struct sup_error *error);
void verify_table_print(const struct verify_table *table, bool json, FILE *stream);

/* ---- The report ------------------------------------------------------------------------------ */

struct verify_run {
    struct verify_job job;    /* first: it is what the workers' context points at */
    struct verify_record sum; /* over all workers */
    double wall_s;
    bool details; /* of text: everything that is known */
};

/* How many plans were verified. */
int64_t verify_plan_count(const struct verify_run *verification);

/* What all algorithms' plans covered. */
struct verify_cover verify_cover(const struct verify_run *verification);

/* Names the first wrong plans or schedules on standard error, each with the command that repeats
 * it. Unless aloud they are put into order only:
 * text without details names the first of them itself. */
void verify_complain(struct verify_run *verification, bool aloud);

/* The summary, as a table for people or as json. */
void verify_print_table(const struct verify_run *verification, FILE *stream);
void verify_print_json(const struct verify_run *verification, FILE *stream);
