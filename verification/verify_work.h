/* verify_work.h - the work of verb_verify's workers and their results. */
#ifndef VERIFICATION_VERIFY_WORK_H
#define VERIFICATION_VERIFY_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "cli/options/instances.h"
#include "cli/options/terms.h"
#include "roundabout.h"
#include "support/pool.h"
#include "support/units.h"
#include "verification/verify_checked.h"
#include "verification/verify_chunks.h"
#include "verification/verify_claims.h"

enum { VERIFY_MOST_ALGORITHMS = 256, VERIFY_MOST_COUNTS = 16, VERIFY_KEPT_FAILURES = 5 };

enum verify_what { VERIFY_WHAT_PLANS, VERIFY_WHAT_SCHEDULES, VERIFY_WHAT_CLAIMS };

/* A piece of the work of the level thorough (verify_thorough.h): one set of one p. */
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

struct verify_job {
    enum verify_what what;
    const char *collectives; /* as requested: one, several separated by commas, or "all" */
    bool several;            /* not one */
    const struct rb_algorithm_info *algorithms[VERIFY_MOST_ALGORITHMS];
    int32_t algorithm_count;
    struct rb_counts
        counts[VERIFY_MOST_COUNTS]; /* of plans whose data are distributed among the ranks */
    int32_t counts_count;
    bool ordered;
    struct rb_plan_spec plan;       /* options that have one value for all plans */
    const struct sup_list *ranks;   /* the values of p */
    struct sup_list instance_ranks; /* those that the instances have, owned */
    const struct sup_list *ports;   /* of plans */
    struct cli_terms blocks, roots; /* of plans */
    struct cli_terms radices;       /* for plans whose algorithm has a radix; none: its own
                                     * choice */
    bool all_radices;               /* 2 .. p instead */
    struct cli_texts instances;     /* for plans whose collective has instances; none: the
                                     * default */
    const char *const *groups;      /* of plans by groups; none: each rank alone */
    int32_t groups_count;
    bool all_groups;             /* sizes 1 .. p instead */
    struct verify_chunks chunks; /* of schedules and claims: the pieces of work */
    bool thorough;               /* the plans are those of the level, not those of the lists */
    uint64_t seed;               /* of thorough */
    struct verify_cells cells;   /* of thorough */
    int32_t sample; /* of schedules and claims: ranks of a p (verify_sample.h); 0: all */
    const struct verify_checked *checked; /* of schedules: where results are kept, or NULL */
};

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
    int64_t unfit;    /* left out: a p, with a radix and an instance, that has no such plans */
    int64_t at_bound; /* right plans with as few rounds as any plan */
    int64_t critical_volume_at_bound; /* right plans with as little in sequence as any of their
                                         rounds */
    int64_t most_extra_rounds;        /* above the bound */
    int64_t most_extra_moves;
    int64_t most_extra_critical_volume;
};

void verify_cover_add(struct verify_cover *to, const struct verify_cover *from);
void verify_tally_add(struct verify_tally *to, const struct verify_tally *from);

struct verify_failure {
    int32_t p;
    char what[512];
    char repeat[256]; /* the command that repeats it */
};

/* One worker's results: its memory in the pool. */
struct verify_record {
    _Atomic int64_t failed; /* how many failures; the first ones are kept below */
    struct verify_failure failures[VERIFY_KEPT_FAILURES];
    struct verify_tally tallies[VERIFY_MOST_ALGORITHMS];
    struct verify_claim_tally claims[VERIFY_CLAIMS];
    int64_t p_count, rank_count; /* of schedules and claims, also those of the level thorough */
    int64_t most_p;              /* of these */
    int status;                  /* not 0: the work could not continue, for the reason in
                                  * failures[0].what */
};

/* The values for one algorithm and one p, all in range; all combinations are verified. A parameter
 * that the collective or the algorithm does not have (roots, counts, radices, instances) has one
 * value: 0, regular, NULL. */
struct verify_lists {
    struct sup_list ports, radices, blocks, roots; /* radix 0: the algorithm's choice */
    const struct rb_counts *counts;
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
struct verify_failure *verify_failure_place(struct verify_record *record);
void verify_count_failure(struct verify_record *record);
/* Records that this worker cannot continue. */
void verify_give_up(struct verify_record *record, int status, const char *what);

/* struct sup_pool's work: context is a struct verify_job, record a struct verify_record.
 * Schedules stop at the first wrong one unless results are kept; the others go on. */
void verify_plans(void *context, struct sup_pool_worker *worker, void *record);
void verify_thorough(void *context, struct sup_pool_worker *worker, void *record);
void verify_schedules(void *context, struct sup_pool_worker *worker, void *record);
void verify_claims(void *context, struct sup_pool_worker *worker, void *record);

/* Records that schedules of p are wrong; sample is the sample of the check. */
void verify_wrong_schedule(struct verify_record *record, int32_t p, int32_t sample,
                           const char *what);

/* Cuts ranks into the pieces of work of schedules or claims, by job->what and job->sample; enough
 * pieces for so many workers. RB_ENOMEM. The caller frees job->chunks. */
int verify_divide(struct verify_job *job, const int32_t ranks[], size_t count, int32_t workers);

#endif
