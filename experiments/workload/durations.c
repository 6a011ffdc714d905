/* durations.c - how long a step computes: a time, a distribution, or a file. */
#include <stddef.h>

#include "experiments/workload/reading.h"
#include "support/memory.h"
#include "support/units.h"

/* A duration while its keys are read. */
struct timing {
    struct sim_duration duration;
    const char *kind; /* the key that says which it is; NULL: not known yet */
};

static int take_kind(const struct workload_reading *reading, const struct sweep_field *field,
                     const struct sweep_node *node)
{
    struct timing *timing = reading->into;
    if (timing->kind != NULL)
        return workload_fault(reading, node, NULL, "computing has one kind, not %s and %s",
                              timing->kind, field->key);
    timing->kind = field->key;
    timing->duration.kind = (enum sim_duration_kind)field->id;
    return RB_OK;
}

/* The exponent of a Pareto distribution, which has a mean. */
static int read_exponent(const struct workload_reading *reading, const struct sweep_field *field,
                         const struct sweep_node *node, double *exponent)
{
    struct sup_error why;
    const int status = sup_parse_real(node->word, exponent, &why);
    return status != RB_OK || *exponent > 1
               ? workload_blame(reading, node, field->key, status, &why)
               : workload_fault(reading, node, field->key, "the exponent is a number above 1");
}

/* One or two numbers. */
static int read_numbers(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sim_duration *duration = &((struct timing *)reading->into)->duration;
    const size_t numbers = field->form == SWEEP_ONE ? 1 : field->most;
    int status = take_kind(reading, field, node);
    if (status == RB_OK && (node->kind == SWEEP_LIST ? node->count : 1) != numbers)
        status = workload_fault(reading, node, field->key, "takes a list of two values");
    if (status == RB_OK)
        status = workload_read_time(reading, field->key, sweep_item(node, 0), &duration->a);
    if (status != RB_OK || numbers == 1)
        return status;
    const struct sweep_node *second = sweep_item(node, 1);
    if (duration->kind == SIM_PARETO)
        return read_exponent(reading, field, second, &duration->b);
    status = workload_read_time(reading, field->key, second, &duration->b);
    return status == RB_OK && duration->kind == SIM_UNIFORM && duration->b < duration->a
               ? workload_fault(reading, second, field->key, "the second time is below the first")
               : status;
}

static int read_late(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    static const struct sweep_field fields[] = {
        {"ranks", SWEEP_ONE, 40, workload_take_number, .at = offsetof(struct sim_duration, ranks)},
        {"by", SWEEP_ONE, 40, workload_take_time, .at = offsetof(struct sim_duration, a)},
    };
    static const struct workload_keys keys = {"late", fields, sizeof fields / sizeof *fields};
    struct workload_reading *reading = context;
    struct sim_duration *duration = &((struct timing *)reading->into)->duration;
    int status = take_kind(reading, field, node);
    duration->ranks = 1;
    if (status == RB_OK)
        status = workload_read_mapping(reading, node, &keys, duration);
    return status == RB_OK && sweep_member(node, "by") == NULL
               ? workload_fault(reading, node, field->key, "by is missing: how late they are")
               : status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static int take_line(void *context, const int32_t rank[2], const char *text,
                     struct sup_error *error)
{
    return sup_parse_seconds(text, &((double *)context)[rank[0]], error);
}

/* Ranks that the file doesn't have take no time. */
static int read_file(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    int status = take_kind(reading, field, node);
    if (status == RB_OK)
        status = workload_take_places(reading, field->key, node);
    if (status != RB_OK)
        return status;
    double *value = sup_calloc((size_t)reading->job->ranks, sizeof *value);
    ((struct timing *)reading->into)->duration.value = value;
    return workload_read_ranks(reading, node->word, take_line, value);
}

/* As many as the job has ranks, or a multiple. */
static int read_each(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sim_duration *duration = &((struct timing *)reading->into)->duration;
    const size_t ranks = (size_t)reading->job->ranks;
    const struct sweep_node *item;
    int status = take_kind(reading, field, node);
    if (status == RB_OK)
        status = workload_take_places(reading, field->key, node);
    size_t i = 0;
    for (; status == RB_OK && (item = sweep_item(node, i)) != NULL; i++) {
        sup_grow(&duration->value, i, sizeof *duration->value);
        status = workload_read_time(reading, field->key, item, &duration->value[i]);
    }
    duration->lists = (int32_t)(i / ranks);
    return status == RB_OK && (i == 0 || i % ranks != 0)
               ? workload_fault(reading, node, field->key, "%zu times for %zu ranks", i, ranks)
               : status;
}

static const struct sweep_field duration_fields[] = {
    {"constant", SWEEP_ONE, 40, read_numbers, "a time, the same for all", "", .id = SIM_CONSTANT},
    {"uniform", SWEEP_SOME, 2, read_numbers, "`[LEAST, MOST]`", "", .id = SIM_UNIFORM},
    {"normal", SWEEP_SOME, 2, read_numbers, "`[MEAN, DEVIATION]`; a time below 0 is 0", "",
     .id = SIM_NORMAL},
    {"exponential", SWEEP_ONE, 40, read_numbers, "the mean", "", .id = SIM_EXPONENTIAL},
    {"pareto", SWEEP_SOME, 2, read_numbers, "`[LEAST, EXPONENT]`, an exponent above 1", "",
     .id = SIM_PARETO},
    {"ramp", SWEEP_SOME, 2, read_numbers, "`[FIRST, LAST]`: from rank 0 to the last in proportion",
     "", .id = SIM_RAMP},
    {"late", SWEEP_ANY, 0, read_late,
     "`{ranks: K, by: TIME}`: K ranks, chosen anew each time, take so long, the others nothing", "",
     .id = SIM_LATE},
    {"file", SWEEP_ONE, 1000, read_file, "a file of lines `RANK,TIME`; other ranks take nothing",
     "", .id = SIM_LISTED},
    {"each", SWEEP_SOME, 100000, read_each,
     "a list of times, one for each rank; or several such lists in one, for the first pass, the "
     "second, and so on",
     "", .id = SIM_LISTED},
};
const struct workload_keys workload_duration_keys = {
    "computing", duration_fields, sizeof duration_fields / sizeof *duration_fields};

int workload_read_duration(struct workload_reading *reading, const struct sweep_node *node,
                           const char *key, struct sim_duration *duration)
{
    struct timing timing = {.duration = {.seed = (uint64_t)reading->seed}};
    const int status = node->kind == SWEEP_WORD
                           ? workload_read_time(reading, key, node, &timing.duration.a)
                           : workload_read_mapping(reading, node, &workload_duration_keys, &timing);
    *duration = timing.duration;
    return status == RB_OK && timing.kind == NULL && node->kind != SWEEP_WORD
               ? workload_fault(reading, node, key, "a time, or a distribution, is required here")
               : status;
}
