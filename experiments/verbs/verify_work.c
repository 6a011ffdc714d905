/* verify_work.c - what the work of all workers shares, and that on plans (verify_work.h). */
#include "experiments/verbs/verify_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/counts.h"

size_t rb_verify_next(struct rb_verify_record *record, int32_t worker)
{
    return atomic_fetch_add(&(record - worker)->handed_out, 1);
}

struct rb_verify_failure *rb_verify_failure_place(struct rb_verify_record *record)
{
    int64_t index = atomic_load(&record->failed);
    return index < RB_KEPT_FAILURES ? &record->failures[index] : NULL;
}

void rb_verify_count_failure(struct rb_verify_record *record)
{
    atomic_fetch_add(&record->failed, 1);
}

void rb_verify_give_up(struct rb_verify_record *record, int status, const char *what)
{
    record->status = status;
    snprintf(record->failures[0].what, sizeof record->failures[0].what, "%s", what);
}

static void describe_failure(struct rb_verify_failure *failure, const struct rb_plan_spec *spec,
                             const struct rb_counts *counts, const char *what)
{
    char text[32];
    rb_counts_format(counts, text, sizeof text);
    const bool regular = counts->rule == RB_COUNTS_REGULAR;
    failure->p = spec->p;
    snprintf(failure->what, sizeof failure->what,
             "%s %s, p = %" PRId32 ", n = %" PRId64 ", root %" PRId32 "%s%s: %s", spec->collective,
             spec->algorithm, spec->p, spec->n, spec->root, regular ? "" : ", counts ",
             regular ? "" : text, what);
    snprintf(failure->repeat, sizeof failure->repeat,
             "roundabout verify --collective %s --algorithm %s -p %" PRId32 " -n %" PRId64
             " --root %" PRId32 " --ports %" PRId32 "%s%s%s",
             spec->collective, spec->algorithm, spec->p, spec->n, spec->root, spec->ports,
             spec->ordered ? " --ordered" : "", regular ? "" : " --counts ", regular ? "" : text);
}

/* With irregular counts, of 8 elements per rank, so that some shares are empty by their weight. */
static int verify_with_counts(const struct rb_plan *plan, const struct rb_counts *counts,
                              struct rb_verdict *verdict)
{
    const int32_t p = rb_plan_ranks(plan);
    struct rb_layout layout = {.bytes = 8 * (int64_t)p, .element = 1};
    struct rb_error error;
    int64_t *first;
    int status = rb_counts_apply(counts, rb_plan_collective(plan), p, &layout, &first, &error);
    if (status == RB_OK)
        status = rb_verify_plan(plan, &layout, verdict);
    free(first);
    return status;
}

static void verify_plan(struct rb_verify_record *record, struct rb_verify_tally *tally,
                        const struct rb_plan_spec *spec, const struct rb_counts *counts)
{
    char why[256];
    struct rb_plan *plan;
    struct rb_verdict verdict;
    int status = rb_plan_create(spec, &plan, why, sizeof why);
    if (status != RB_OK) {
        rb_verify_give_up(record, status, why);
        return;
    }
    status = counts->rule == RB_COUNTS_REGULAR ? rb_verify_plan(plan, NULL, &verdict)
                                               : verify_with_counts(plan, counts, &verdict);
    tally->plans++;
    if (status == RB_EWRONG) {
        tally->wrong++;
        struct rb_verify_failure *failure = rb_verify_failure_place(record);
        if (failure != NULL)
            describe_failure(failure, spec, counts, verdict.what);
        rb_verify_count_failure(record);
    } else if (status != RB_OK) {
        rb_verify_give_up(record, status, "out of memory: try a smaller p or n");
    } else {
        int64_t extra_rounds = verdict.rounds - rb_bound_rounds(plan);
        int64_t extra_moves = verdict.moves - rb_bound_moves(plan);
        tally->at_bound += extra_rounds == 0;
        if (extra_rounds > tally->most_extra_rounds)
            tally->most_extra_rounds = extra_rounds;
        if (extra_moves > tally->most_extra_moves)
            tally->most_extra_moves = extra_moves;
    }
    rb_plan_destroy(plan);
}

/* All block counts and roots of one algorithm and p. */
static void verify_ranks(const struct rb_verify_job *job, int32_t algorithm, int32_t p,
                         int64_t blocks[], int64_t roots[], struct rb_verify_record *record)
{
    static const struct rb_counts regular = {.rule = RB_COUNTS_REGULAR};
    const struct rb_algorithm_info *info = job->algorithms[algorithm];
    const struct rb_collective_info *collective = rb_collective_find(info->collective);
    const struct rb_counts *counts = collective->parted ? job->counts : &regular;
    const int32_t counts_count = collective->parted ? job->counts_count : 1;
    size_t block_count = rb_terms_values(&job->blocks, p, 1, INT64_MAX, blocks);
    size_t root_count = 1;
    roots[0] = 0;
    if (collective->rooted)
        root_count = rb_terms_values(&job->roots, p, 0, p - 1, roots);
    for (size_t i = 0; i < block_count; i++)
        for (size_t j = 0; j < root_count; j++) {
            const struct rb_plan_spec spec = {
                .collective = info->collective,
                .algorithm = info->name,
                .p = p,
                .n = blocks[i],
                .root = (int32_t)roots[j],
                .ports = job->ports,
                .ordered = job->ordered,
            };
            for (int32_t k = 0; k < counts_count && record->status == RB_OK; k++)
                verify_plan(record, &record->tallies[algorithm], &spec, &counts[k]);
        }
}

void rb_verify_plans(void *context, int32_t worker, int32_t workers, void *record_)
{
    const struct rb_verify_job *job = context;
    struct rb_verify_record *record = record_;
    int64_t *blocks = malloc(job->blocks.count * sizeof *blocks);
    int64_t *roots = malloc(job->roots.count * sizeof *roots);
    if (blocks == NULL || roots == NULL)
        rb_verify_give_up(record, RB_ENOMEM, "out of memory");
    (void)workers;
    for (size_t i;
         record->status == RB_OK && (i = rb_verify_next(record, worker)) < job->ranks->count;)
        for (int32_t a = 0; a < job->algorithm_count && record->status == RB_OK; a++) {
            int32_t p = (int32_t)job->ranks->value[i];
            verify_ranks(job, a, p, blocks, roots, record);
            atomic_fetch_add(&record->done, p);
        }
    free(blocks);
    free(roots);
}
