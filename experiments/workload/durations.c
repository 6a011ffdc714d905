/* durations.c - how long a step computes: a time, a distribution, or a file. */
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/memory.h"
#include "support/units.h"

/* A duration while its keys are read. */
struct timing {
    struct workload_reading *reading;
    struct sim_duration *duration;
    const char *kind; /* the key that says which it is; NULL: not known yet */
};

static int take_kind(struct timing *timing, const struct sweep_field *field,
                     const struct sweep_node *node, enum sim_duration_kind kind)
{
    if (timing->kind != NULL)
        return workload_fault(timing->reading, node, NULL, "computing has one kind, not %s and %s",
                              timing->kind, field->key);
    timing->kind = field->key;
    timing->duration->kind = kind;
    return RB_OK;
}

/* The kinds that have one or two numbers. */
static const struct {
    const char *key;
    enum sim_duration_kind kind;
    size_t numbers;
} kinds[] = {{"constant", SIM_CONSTANT, 1}, {"uniform", SIM_UNIFORM, 2},
             {"normal", SIM_NORMAL, 2},     {"exponential", SIM_EXPONENTIAL, 1},
             {"pareto", SIM_PARETO, 2},     {"ramp", SIM_RAMP, 2}};

/* The exponent of a Pareto distribution, which has a mean. */
static int read_exponent(const struct timing *timing, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    struct sup_error why;
    if (sup_parse_real(node->word, &timing->duration->b, &why) != RB_OK)
        return workload_blame(timing->reading, node, field->key, &why);
    return timing->duration->b > 1 ? RB_OK
                                   : workload_fault(timing->reading, node, field->key,
                                                    "the exponent is a number above 1");
}

static int read_numbers(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct timing *timing = context;
    struct sim_duration *duration = timing->duration;
    size_t k = 0;
    while (strcmp(kinds[k].key, field->key) != 0)
        k++;
    int status = take_kind(timing, field, node, kinds[k].kind);
    if (status == RB_OK && (node->kind == SWEEP_LIST ? node->count : 1) != kinds[k].numbers)
        status =
            workload_fault(timing->reading, node, field->key,
                           kinds[k].numbers == 1 ? "takes one time" : "takes a list of two values");
    if (status == RB_OK)
        status = workload_read_time(timing->reading, field->key, sweep_item(node, 0), &duration->a);
    if (status != RB_OK || kinds[k].numbers == 1)
        return status;
    const struct sweep_node *second = sweep_item(node, 1);
    status = kinds[k].kind == SIM_PARETO
                 ? read_exponent(timing, field, second)
                 : workload_read_time(timing->reading, field->key, second, &duration->b);
    return status == RB_OK && kinds[k].kind == SIM_UNIFORM && duration->b < duration->a
               ? workload_fault(timing->reading, second, field->key,
                                "the second time is below the first")
               : status;
}

/* ---- Late ranks ------------------------------------------------------------------------------ */

static int read_late_ranks(void *context, const struct sweep_field *field,
                           const struct sweep_node *node)
{
    struct timing *timing = context;
    int64_t ranks = 0;
    const int status = workload_read_whole(timing->reading, field->key, node, 0,
                                           timing->reading->job->ranks, &ranks);
    timing->duration->ranks = (int32_t)ranks;
    return status;
}

static int read_by(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct timing *timing = context;
    return workload_read_time(timing->reading, field->key, node, &timing->duration->a);
}

static int read_late(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    static const struct sweep_field fields[] = {
        {"ranks", .form = SWEEP_ONE, .most = 40, .read = read_late_ranks},
        {"by", .form = SWEEP_ONE, .most = 40, .read = read_by},
    };
    struct timing *timing = context;
    int status = take_kind(timing, field, node, SIM_LATE);
    timing->duration->ranks = 1;
    if (status == RB_OK)
        status = sweep_read_mapping(timing->reading->document, node, fields, 2, timing,
                                    timing->reading->error);
    return status == RB_OK && sweep_member(node, "by") == NULL
               ? workload_fault(timing->reading, node, field->key,
                                "by is missing: how late they are")
               : status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static int take_time(void *context, const int32_t rank[2], const char *text,
                     struct sup_error *error)
{
    return sup_parse_seconds(text, &((double *)context)[rank[0]], error);
}

/* Ranks that the file doesn't have take no time. */
static int read_file(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct timing *timing = context;
    struct workload_reading *reading = timing->reading;
    const int status = take_kind(timing, field, node, SIM_LISTED);
    reading->places += reading->job->ranks;
    if (status != RB_OK)
        return status;
    if (reading->places > WORKLOAD_PLACES)
        return workload_fault(reading, node, field->key,
                              "too many ranks in all sets and steps together");
    timing->duration->value =
        sup_calloc((size_t)reading->job->ranks, sizeof *timing->duration->value);
    return workload_read_ranks(reading, node->word, take_time, timing->duration->value);
}

static const struct sweep_field duration_fields[] = {
    {"constant", SWEEP_ONE, 40, read_numbers, "a time, the same for all", ""},
    {"uniform", SWEEP_SOME, 2, read_numbers, "`[LEAST, MOST]`", ""},
    {"normal", SWEEP_SOME, 2, read_numbers, "`[MEAN, DEVIATION]`; a time below 0 is 0", ""},
    {"exponential", SWEEP_ONE, 40, read_numbers, "the mean", ""},
    {"pareto", SWEEP_SOME, 2, read_numbers, "`[LEAST, EXPONENT]`, an exponent above 1", ""},
    {"ramp", SWEEP_SOME, 2, read_numbers, "`[FIRST, LAST]`: from rank 0 to the last in proportion",
     ""},
    {"late", SWEEP_ANY, 0, read_late,
     "`{ranks: K, by: TIME}`: K ranks, chosen anew each time, take so long, the others nothing",
     ""},
    {"file", SWEEP_ONE, 1000, read_file, "a file of lines `RANK,TIME`; other ranks take nothing",
     ""},
};
const struct workload_keys workload_duration_keys = {
    "computing", duration_fields, sizeof duration_fields / sizeof *duration_fields};

int workload_read_duration(struct workload_reading *reading, const struct sweep_node *node,
                           const char *key, struct sim_duration *duration)
{
    struct timing timing = {.reading = reading, .duration = duration};
    duration->seed = reading->seed;
    if (node->kind == SWEEP_WORD)
        return workload_read_time(reading, key, node, &duration->a);
    const int status = sweep_read_mapping(reading->document, node, duration_fields,
                                          workload_duration_keys.count, &timing, reading->error);
    return status == RB_OK && timing.kind == NULL
               ? workload_fault(timing.reading, node, key,
                                "a time, or a distribution, is required here")
               : status;
}
