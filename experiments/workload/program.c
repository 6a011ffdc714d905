/* program.c - a job's program: steps, in what order they stand, what is in flight at once, and how
 * long a step computes: a time, a distribution, or a file. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

/* A step while its keys are read. */
struct step_reading {
    const struct sweep_node *node;
    const char *kind;               /* the key that says what it does; NULL: none does */
    const struct sweep_node *label; /* of start or queue; NULL: the line waits for the step */
};

static struct sim_step *step_of(const struct workload_reading *reading)
{
    return &reading->job->step[reading->step];
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static int find_label(struct workload_reading *reading, const struct sweep_node *name,
                      const char *key, int32_t *label)
{
    struct sim_job *job = reading->job;
    for (*label = 0; *label < job->labels; ++*label)
        if (strcmp(job->label[*label], name->word) == 0)
            return RB_OK;
    if (job->labels == WORKLOAD_LABELS)
        return workload_fault(reading, name, key, "more than 64 names in a program");
    reading->started[job->labels] = NULL;
    sup_grow(&job->label, (size_t)job->labels, sizeof *job->label);
    job->label[job->labels++] = sup_strdup(name->word);
    return RB_OK;
}

static int read_start(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct step_reading *step = reading->into;
    int32_t label;
    if (step->label != NULL)
        return workload_fault(reading, node, field->key, "a step has one of start and queue");
    const int status = find_label(reading, node, field->key, &label);
    if (status != RB_OK)
        return status;
    step->label = node;
    step_of(reading)->label = label;
    if (strcmp(field->key, "queue") == 0)
        step_of(reading)->after = UINT64_C(1) << label;
    if (reading->started[label] == NULL) {
        reading->started[label] = node;
        reading->started_at[label] = reading->step;
    }
    return RB_OK;
}

/* Each label that is waited for is started before, or in the same repeat: then before, from the
 * second time on. */
static int check_waits(const struct workload_reading *reading)
{
    const struct sim_job *job = reading->job;
    for (size_t i = 0; i < reading->waits; i++) {
        const struct workload_wait *wait = &reading->wait[i];
        const int32_t end = wait->outermost < 0 ? wait->step : job->step[wait->outermost].end;
        const char *known[WORKLOAD_LABELS];
        size_t count = 0;
        if (reading->started[wait->label] != NULL && reading->started_at[wait->label] < end)
            continue;
        for (int32_t l = 0; l < job->labels; l++)
            if (reading->started[l] != NULL && reading->started_at[l] < end)
                known[count++] = job->label[l];
        char hint[SUP_HINT_SIZE];
        sup_hint(wait->node->word, known, count, "", hint);
        return workload_fault(reading, wait->node, "wait",
                              "nothing is started under '%s' before%s%s", wait->node->word,
                              hint[0] != '\0' ? "; " : "", hint);
    }
    return RB_OK;
}

/* ---- In flight ------------------------------------------------------------------------------- */

/* How many steps of a label are in flight. */
struct flight {
    int64_t now, most;
    bool waits; /* none was at some time */
};

/* Walks the steps first .. end - 1. Of a repeat without a wait each pass starts as many; with one,
 * each pass but the first begins with what the one before leaves. */
static void fly(const struct sim_job *job, int32_t first, int32_t end, int32_t label,
                struct flight *flight)
{
    static const int64_t many = INT64_C(1) << 40;
    for (int32_t i = first; i < end; i++) {
        const struct sim_step *step = &job->step[i];
        const struct flight before = *flight;
        if (step->kind == SIM_REPEAT) {
            flight->waits = false;
            fly(job, i + 1, step->end, label, flight);
            const int64_t more = flight->now - before.now;
            if (!flight->waits)
                flight->now = more > many / step->times ? many : before.now + more * step->times;
            else if (step->times > 1)
                fly(job, i + 1, step->end, label, flight);
            flight->waits = flight->waits || before.waits;
            i = step->end - 1;
        } else if (step->kind == SIM_NOTHING && (step->after >> label & 1) != 0) {
            *flight = (struct flight){0, before.most, true};
        } else {
            flight->now += step->kind != SIM_NOTHING && step->label == label;
        }
        flight->now = flight->now > many ? many : flight->now;
        flight->most = flight->now > flight->most ? flight->now : flight->most;
    }
}

static int count_in_flight(const struct workload_reading *reading)
{
    struct sim_job *job = reading->job;
    int64_t all = 0;
    for (int32_t l = 0; l < job->labels; l++) {
        struct flight flight = {0};
        fly(job, 0, job->steps, l, &flight);
        if (flight.now > 0)
            return workload_fault(reading, reading->started[l], job->label[l],
                                  "no step waits for it");
        all += flight.most;
        if (all > SIM_MOST_STARTED)
            return workload_fault(reading, reading->started[l], job->label[l],
                                  "%" PRId64 " in flight at once%s, at most %d", all,
                                  all > flight.most ? " with those of other names" : "",
                                  SIM_MOST_STARTED);
    }
    job->streams = 1 + (int32_t)all;
    return RB_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static int read_only(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sup_list list;
    int status = workload_read_numbers(reading, field->key, node, reading->job->ranks - 1, &list);
    if (status == RB_OK)
        status = workload_take_places(reading, field->key, node);
    if (status == RB_OK) {
        bool *only = sup_calloc((size_t)reading->job->ranks, sizeof *only);
        for (size_t i = 0; i < list.count; i++)
            only[list.value[i]] = true;
        step_of(reading)->only = only;
    }
    sup_list_free(&list);
    return status;
}

static int read_compute(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct step_reading *step = reading->into;
    struct sim_step *made = step_of(reading);
    made->kind = SIM_COMPUTE;
    made->name = sup_strdup(field->key);
    made->arrival = strcmp(field->key, "arrival") == 0;
    if (made->arrival && (step->label != NULL || reading->step > 0))
        return workload_fault(reading, node, field->key,
                              "is the first step of a program, and not repeated");
    return workload_read_duration(reading, node, field->key, &made->compute);
}

static int read_wait(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    const struct sweep_node *item;
    char *name = sup_strdup("wait");
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && (item = sweep_item(node, i)) != NULL; i++) {
        char *longer = sup_format("%s%s %s", name, i == 0 ? "" : ",", item->word);
        int32_t label = 0;
        free(name);
        name = longer;
        status = find_label(reading, item, field->key, &label);
        if (status != RB_OK)
            break;
        step_of(reading)->after |= UINT64_C(1) << label;
        sup_grow(&reading->wait, reading->waits, sizeof *reading->wait);
        reading->wait[reading->waits++] =
            (struct workload_wait){item, label, reading->step, reading->outermost};
    }
    free(step_of(reading)->name);
    step_of(reading)->name = name;
    return status;
}

static int read_steps(struct workload_reading *reading, const struct sweep_node *list,
                      const char *key);

/* The steps that follow, up to the end of the list, are done so many times. */
static int read_repeated(struct workload_reading *reading, int32_t index, int64_t times,
                         const struct sweep_node *body, const char *key)
{
    const int32_t outermost = reading->outermost;
    const double outside = reading->times;
    if (reading->depth == SIM_MOST_REPEATS)
        return workload_fault(reading, body, key, "repeats are more than %d deep",
                              SIM_MOST_REPEATS);
    reading->job->step[index].kind = SIM_REPEAT;
    reading->job->step[index].times = times;
    if (outermost < 0)
        reading->outermost = index;
    reading->times *= (double)times;
    reading->depth++;
    const int status = read_steps(reading, body, key);
    reading->depth--;
    reading->times = outside;
    reading->outermost = outermost;
    reading->job->step[index].end = reading->job->steps;
    return status;
}

static int read_repeat(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct step_reading *step = reading->into;
    const struct sweep_node *body = sweep_member(step->node, "do");
    int64_t times = 1;
    const int status = workload_read_whole(reading, field->key, node, 1, INT64_MAX, &times);
    if (status != RB_OK)
        return status;
    if (body == NULL)
        return workload_fault(reading, step->node, field->key,
                              "what is repeated stands under the key do");
    step_of(reading)->name = sup_format("repeat %" PRId64, times);
    return read_repeated(reading, reading->step, times, body, "do");
}

static int read_do(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct step_reading *step = reading->into;
    return step->kind != NULL && strcmp(step->kind, "repeat") == 0
               ? RB_OK
               : workload_fault(reading, node, field->key, "repeat is missing: how often");
}

/* The last row stands for all collectives. */
static const struct sweep_field step_fields[] = {
    {"only", SWEEP_SOME, 100000, read_only, "the ranks of the job that do the step: `0..31`",
     .fallback = "all"},
    {"start", SWEEP_ONE, 64, read_start,
     "a name: the program goes on at once; what is started under a name goes on side by side",
     .fallback = "it waits"},
    {"queue", SWEEP_ONE, 64, read_start,
     "a name, as `start`; what is queued under a name is done one after another",
     .fallback = "it waits"},
    {"compute", SWEEP_ANY, 0, read_compute, "how long: a time such as `200us`, or see below",
     .fallback = ""},
    {"arrival", SWEEP_ANY, 0, read_compute,
     "as `compute`, as the first step: how late each rank comes", .fallback = ""},
    {"wait", SWEEP_SOME, WORKLOAD_LABELS, read_wait,
     "names: until all that was started or queued under them is complete", .fallback = ""},
    {"repeat", SWEEP_ONE, 40, read_repeat, "how often the steps of `do` are done", .fallback = ""},
    {"do", SWEEP_ANY, 0, read_do, "a list of steps", .fallback = "required for `repeat`"},
    {"halo", SWEEP_ANY, 0, workload_read_pattern,
     "messages between neighbours on a grid, see below", .fallback = ""},
    {"pairs", SWEEP_ANY, 0, workload_read_pattern, "messages between two ranks each",
     .fallback = ""},
    {"matrix", SWEEP_ANY, 0, workload_read_pattern, "messages of a file", .fallback = ""},
    {"bcast", SWEEP_ANY, 0, workload_read_move,
     "a collective, or another one that `roundabout list` names; see below", .fallback = ""},
};
const struct workload_keys workload_step_keys = {"step", step_fields,
                                                 sizeof step_fields / sizeof *step_fields};

enum {
    STEP_FIELDS = sizeof step_fields / sizeof *step_fields,
    OTHER_FIELDS = 3, /* only, start, queue */
    MOST_KINDS = STEP_FIELDS + 64,
};

/* The table, with a row for each collective. */
static size_t make_fields(struct sweep_field field[MOST_KINDS])
{
    const struct rb_collective_info *collective;
    size_t count = STEP_FIELDS - 1;
    memcpy(field, step_fields, sizeof step_fields);
    for (int32_t i = 0; count < MOST_KINDS && (collective = rb_collective_at(i)) != NULL; i++) {
        field[count] = step_fields[STEP_FIELDS - 1];
        field[count++].key = collective->name;
    }
    return count;
}

/* A key that is another name of a collective, such as MPI's, gets ours. */
static void name_collectives(const struct sweep_node *node, const struct sweep_field field[])
{
    for (size_t i = 0; node->kind == SWEEP_MAPPING && i < node->count; i += 2) {
        struct sweep_node *key = node->item[i];
        bool known = key->kind != SWEEP_WORD;
        for (size_t k = 0; k + 1 < STEP_FIELDS && !known; k++)
            known = strcmp(field[k].key, key->word) == 0;
        const struct rb_collective_info *collective =
            known ? NULL : sup_collective_named(key->word);
        if (collective == NULL)
            continue;
        free(key->word);
        key->word = sup_strdup(collective->name);
    }
}

/* The first rows say how a step is done, the others what it does, but for `do`. */
static int find_kind(const struct workload_reading *reading, struct step_reading *step,
                     const struct sweep_field field[], size_t count)
{
    const struct sweep_node *node = step->node;
    for (size_t i = 0; node->kind == SWEEP_MAPPING && i < node->count; i += 2)
        for (size_t k = OTHER_FIELDS; k < count && node->item[i]->kind == SWEEP_WORD; k++) {
            if (strcmp(node->item[i]->word, field[k].key) != 0 || field[k].read == read_do)
                continue;
            if (step->kind != NULL && strcmp(step->kind, field[k].key) != 0)
                return workload_fault(reading, node->item[i], NULL,
                                      "a step has one kind, not %s and %s", step->kind,
                                      field[k].key);
            step->kind = field[k].key;
        }
    return RB_OK;
}

/* A step of which nothing is known yet. */
static int add_step(struct workload_reading *reading, const struct sweep_node *node, int32_t *index)
{
    struct sim_job *job = reading->job;
    struct workload_part *part = reading->part;
    reading->passes += reading->times;
    if (reading->passes > WORKLOAD_PASSES)
        return workload_fault(reading, node, NULL,
                              "a rank would do more than %d steps up to this one", WORKLOAD_PASSES);
    if (reading->steps++ == WORKLOAD_STEPS)
        return workload_fault(reading, node, NULL, "more than %d steps in all programs",
                              WORKLOAD_STEPS);
    *index = job->steps;
    sup_grow(&job->step, (size_t)job->steps, sizeof *job->step);
    job->step[job->steps++] = (struct sim_step){
        .kind = SIM_NOTHING, .line = (int32_t)node->line, .label = -1, .times = 1};
    sup_grow(&part->step, (size_t)part->steps, sizeof *part->step);
    part->step[part->steps++] = (struct workload_step){.move = {.node = node}};
    return RB_OK;
}

static int read_step(struct workload_reading *reading, const struct sweep_node *node)
{
    struct step_reading step = {.node = node};
    struct sweep_field field[MOST_KINDS];
    const struct workload_keys keys = {"step", field, make_fields(field)};
    const int32_t outer = reading->step;
    name_collectives(node, field);
    int status = find_kind(reading, &step, field, keys.count);
    if (status == RB_OK)
        status = add_step(reading, node, &reading->step);
    if (status == RB_OK)
        status = workload_read_mapping(reading, node, &keys, &step);
    const enum sim_step_kind kind = status == RB_OK ? step_of(reading)->kind : SIM_NOTHING;
    reading->step = outer;
    if (status != RB_OK)
        return status;
    if (step.kind == NULL)
        return workload_fault(
            reading, node, NULL,
            "a step has one of compute, wait, repeat, and the collectives, such as bcast");
    if (step.label != NULL && kind != SIM_COMPUTE && kind != SIM_MOVE)
        return workload_fault(reading, step.label, step.kind,
                              "only computing and collectives can be started");
    return RB_OK;
}

static int read_steps(struct workload_reading *reading, const struct sweep_node *list,
                      const char *key)
{
    const struct sweep_node *item;
    int status = RB_OK;
    if (list->kind == SWEEP_WORD || (list->kind == SWEEP_LIST && list->count == 0))
        return workload_fault(reading, list, key, "a list of steps is required here");
    for (size_t i = 0; status == RB_OK && (item = sweep_item(list, i)) != NULL; i++)
        status = read_step(reading, item);
    return status;
}

int workload_read_program(struct workload_reading *reading)
{
    static const char key[] = "program";
    int32_t index = 0;
    int status = RB_OK;
    reading->outermost = -1;
    reading->times = 1;
    reading->passes = 0;
    reading->waits = 0;
    if (reading->repetitions > 1) {
        status = add_step(reading, reading->program, &index);
        if (status == RB_OK) {
            reading->job->step[index].name = sup_strdup("repetitions");
            status = read_repeated(reading, index, reading->repetitions, reading->program, key);
        }
    } else {
        status = read_steps(reading, reading->program, key);
    }
    if (status == RB_OK)
        status = check_waits(reading);
    if (status == RB_OK)
        status = count_in_flight(reading);
    free(reading->wait);
    reading->wait = NULL;
    return status;
}

/* ---- How long a step computes ---------------------------------------------------------------- */

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
