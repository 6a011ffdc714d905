/* verify_work.h - what verb_verify's workers do and leave behind. */
#ifndef RB_EXPERIMENTS_VERIFY_WORK_H
#define RB_EXPERIMENTS_VERIFY_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "experiments/command/terms.h"
#include "roundabout.h"
#include "support/units.h"

enum { RB_MOST_ALGORITHMS = 64, RB_KEPT_FAILURES = 5 };

struct rb_verify_job {
    const char *collective;
    const struct rb_algorithm_info *algorithms[RB_MOST_ALGORITHMS];
    int32_t algorithm_count;
    int32_t ports;
    bool ordered;
    const struct rb_list *ranks; /* the values of p */
    struct rb_terms blocks, roots;
};

/* What one algorithm's plans came to. */
struct rb_verify_tally {
    int64_t plans, wrong;
    int64_t at_bound;          /* right plans with as few rounds as any plan */
    int64_t most_extra_rounds; /* above the bound */
    int64_t most_extra_moves;
};

struct rb_verify_failure {
    int32_t p;
    char what[512];
    char repeat[256]; /* the command that shows it again */
};

struct rb_verify_record {
    _Atomic int64_t done;   /* for the progress line: sum of the p's finished */
    _Atomic int64_t failed; /* how many failures; the first ones are kept below */
    struct rb_verify_failure failures[RB_KEPT_FAILURES];
    struct rb_verify_tally tallies[RB_MOST_ALGORITHMS];
    int64_t p_count, rank_count; /* of schedules */
    int status;                  /* not 0: why the work could not go on, in failures[0].what */
};

/* struct rb_crew's work: context is a struct rb_verify_job, record a struct rb_verify_record.
 * Schedules stop at the first wrong one, plans go on. */
void rb_verify_schedules(void *context, int32_t worker, int32_t workers, void *record);
void rb_verify_plans(void *context, int32_t worker, int32_t workers, void *record);

#endif
