/* verify_work.h - what verb_verify's workers do and leave behind. */
#ifndef RB_EXPERIMENTS_VERIFY_WORK_H
#define RB_EXPERIMENTS_VERIFY_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "experiments/command/instances.h"
#include "experiments/command/terms.h"
#include "experiments/verbs/checked_ranges.h"
#include "experiments/verbs/verify_chunks.h"
#include "experiments/verbs/verify_claims.h"
#include "roundabout.h"
#include "support/units.h"

enum { RB_MOST_ALGORITHMS = 256, RB_MOST_COUNTS = 16, RB_KEPT_FAILURES = 5 };

enum rb_verify_what { RB_VERIFY_PLANS, RB_VERIFY_SCHEDULES, RB_VERIFY_CLAIMS };

struct rb_verify_job {
    enum rb_verify_what what;
    const char *collectives; /* as asked for: one, several by commas, or "all" */
    bool several;            /* not one */
    const struct rb_algorithm_info *algorithms[RB_MOST_ALGORITHMS];
    int32_t algorithm_count;
    struct rb_counts counts[RB_MOST_COUNTS]; /* of plans whose data are parted among the ranks */
    int32_t counts_count;
    bool ordered;
    const struct rb_list *ranks;   /* the values of p */
    struct rb_list instance_ranks; /* those that the instances have, owned */
    const struct rb_list *ports;   /* of plans */
    struct rb_terms blocks, roots; /* of plans */
    struct rb_terms radices;       /* of plans whose algorithm has one; none: its own choice */
    bool all_radices;              /* 2 .. p instead */
    struct rb_texts instances;     /* of plans whose collective has them; none: the usual one */
    struct rb_chunks chunks;       /* of schedules and claims: the pieces of work */
    int32_t sample; /* of schedules and claims: ranks of a p (verify_sample.h); 0: all */
    const struct rb_checked *checked; /* of schedules: where results are kept, or NULL */
};

/* What one algorithm's plans came to. */
struct rb_verify_tally {
    int64_t plans, wrong;
    int64_t unfit;    /* left out: a p, with a radix and an instance, that has no such plans */
    int64_t at_bound; /* right plans with as few rounds as any plan */
    int64_t
        in_sequence_at_bound;  /* right plans with as little in sequence as any of their rounds */
    int64_t most_extra_rounds; /* above the bound */
    int64_t most_extra_moves;
    int64_t most_extra_in_sequence;
};

void rb_verify_tally_add(struct rb_verify_tally *to, const struct rb_verify_tally *from);

struct rb_verify_failure {
    int32_t p;
    char what[512];
    char repeat[256]; /* the command that shows it again */
};

/* One worker's results. The records of all workers stand side by side. */
struct rb_verify_record {
    _Atomic size_t handed_out; /* the first worker's counts the pieces of work begun by any */
    _Atomic int64_t done;      /* for the progress line: cost of the work finished */
    _Atomic int64_t failed;    /* how many failures; the first ones are kept below */
    struct rb_verify_failure failures[RB_KEPT_FAILURES];
    struct rb_verify_tally tallies[RB_MOST_ALGORITHMS];
    struct rb_claim_tally claims[RB_CLAIMS];
    int64_t p_count, rank_count; /* of schedules and claims */
    int status;                  /* not 0: why the work could not go on, in failures[0].what */
};

/* For the work below: the next piece of work, 0, 1, 2...; each number goes to one worker. */
size_t rb_verify_next(struct rb_verify_record *record, int32_t worker);
/* The next failure's place, or NULL if enough are kept. It is counted when it is written, because
 * the parent may end all work when it sees the count. */
struct rb_verify_failure *rb_verify_failure_place(struct rb_verify_record *record);
void rb_verify_count_failure(struct rb_verify_record *record);
/* This worker can't go on. */
void rb_verify_give_up(struct rb_verify_record *record, int status, const char *what);

/* struct rb_crew's work: context is a struct rb_verify_job, record a struct rb_verify_record.
 * Schedules stop at the first wrong one unless results are kept; the others go on. */
void rb_verify_plans(void *context, int32_t worker, int32_t workers, void *record);
void rb_verify_schedules(void *context, int32_t worker, int32_t workers, void *record);
void rb_verify_claims(void *context, int32_t worker, int32_t workers, void *record);

/* Notes that schedules of p are wrong; sample is how they were looked at. */
void rb_verify_wrong_schedule(struct rb_verify_record *record, int32_t p, int32_t sample,
                              const char *what);

/* Cuts ranks into the pieces of work of schedules or claims, by job->what and job->sample; enough
 * pieces for so many workers. RB_ENOMEM. The caller frees job->chunks. */
int rb_verify_divide(struct rb_verify_job *job, const int32_t ranks[], size_t count,
                     int32_t workers);

#endif
