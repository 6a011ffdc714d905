/* program.c - a job's program: steps, in what order they stand, and what is in flight at once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

/* A step while its keys are read. */
struct step_reading {
    struct workload_reading *reading;
    const struct sweep_node *node;
    int32_t index;
    const char *kind;               /* the key that says what it does; NULL: none does */
    const struct sweep_node *label; /* of start or queue; NULL: the line waits for the step */
};

static struct sim_step *step_of(const struct step_reading *step)
{
    return &step->reading->job->step[step->index];
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static int find_label(const struct step_reading *step, const struct sweep_node *name,
                      const char *key, int32_t *label)
{
    struct sim_job *job = step->reading->job;
    for (*label = 0; *label < job->labels; ++*label)
        if (strcmp(job->label[*label], name->word) == 0)
            return RB_OK;
    if (job->labels == WORKLOAD_LABELS)
        return workload_fault(step->reading, name, key, "more than 64 names in a program");
    step->reading->started[job->labels] = NULL;
    sup_grow(&job->label, (size_t)job->labels, sizeof *job->label);
    job->label[job->labels++] = sup_strdup(name->word);
    return RB_OK;
}

static int read_start(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct step_reading *step = context;
    struct workload_reading *reading = step->reading;
    int32_t label;
    if (step->label != NULL)
        return workload_fault(step->reading, node, field->key, "a step has one of start and queue");
    const int status = find_label(step, node, field->key, &label);
    if (status != RB_OK)
        return status;
    step->label = node;
    step_of(step)->label = label;
    if (strcmp(field->key, "queue") == 0)
        step_of(step)->after = UINT64_C(1) << label;
    if (reading->started[label] == NULL) {
        reading->started[label] = node;
        reading->started_at[label] = step->index;
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
        const char *nearest = sup_nearest_word(wait->node->word, known, count);
        return workload_fault(reading, wait->node, "wait",
                              "nothing is started under '%s' before%s%s%s", wait->node->word,
                              nearest != NULL ? "; did you mean " : "",
                              nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    }
    return RB_OK;
}

/* ---- In flight ------------------------------------------------------------------------------- */

/* What a sequence of steps does with a label: starts up to its first wait, the most between two
 * waits, starts behind its last wait. Without a wait all starts are the first. */
struct starts {
    bool waits;
    int64_t first, most, last;
};

static const int64_t many = INT64_C(1) << 40;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct starts join(struct starts a, struct starts b)
{
    if (!a.waits && !b.waits)
        return (struct starts){.first = a.first + b.first};
    if (!a.waits)
        return (struct starts){true, a.first + b.first, b.most, b.last};
    if (!b.waits)
        return (struct starts){true, a.first, a.most, a.last + b.first};
    return (struct starts){true, a.first, larger(larger(a.most, a.last + b.first), b.most), b.last};
}

/* Of the label, by the steps first .. end - 1. */
static struct starts count_starts(const struct sim_job *job, int32_t first, int32_t end,
                                  int32_t label)
{
    struct starts all = {0};
    for (int32_t i = first; i < end; i++) {
        const struct sim_step *step = &job->step[i];
        struct starts one = {0};
        if (step->kind == SIM_REPEAT) {
            one = count_starts(job, i + 1, step->end, label);
            if (!one.waits)
                one.first = one.first > many / step->times ? many : one.first * step->times;
            else if (step->times > 1)
                one.most = larger(one.most, one.last + one.first);
            i = step->end - 1;
        } else if (step->kind == SIM_NOTHING) {
            one.waits = (step->after >> label & 1) != 0;
        } else {
            one.first = step->label == label;
        }
        all = join(all, one);
        all.first = all.first > many ? many : all.first;
    }
    return all;
}

static int count_in_flight(const struct workload_reading *reading)
{
    struct sim_job *job = reading->job;
    int64_t all = 0;
    for (int32_t l = 0; l < job->labels; l++) {
        const struct starts starts = count_starts(job, 0, job->steps, l);
        const int64_t most = larger(larger(starts.first, starts.most), starts.last);
        if ((starts.waits ? starts.last : starts.first) > 0)
            return workload_fault(reading, reading->started[l], job->label[l],
                                  "no step waits for it");
        all += most;
        if (all > SIM_MOST_STARTED)
            return workload_fault(reading, reading->started[l], job->label[l],
                                  "%" PRId64 " in flight at once%s, at most %d", all,
                                  all > most ? " with those of other names" : "", SIM_MOST_STARTED);
    }
    job->streams = 1 + (int32_t)all;
    return RB_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static int read_only(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct step_reading *step = context;
    struct workload_reading *reading = step->reading;
    struct sup_list list;
    int status = workload_read_numbers(reading, field->key, node, reading->job->ranks - 1, &list);
    reading->places += reading->job->ranks;
    if (status == RB_OK && reading->places > WORKLOAD_PLACES)
        status = workload_fault(step->reading, node, field->key,
                                "too many ranks in all sets and steps together");
    if (status == RB_OK) {
        bool *only = sup_calloc((size_t)reading->job->ranks, sizeof *only);
        for (size_t i = 0; i < list.count; i++)
            only[list.value[i]] = true;
        step_of(step)->only = only;
    }
    sup_list_free(&list);
    return status;
}

static int read_compute(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct step_reading *step = context;
    struct sim_step *made = step_of(step);
    made->kind = SIM_COMPUTE;
    made->name = sup_strdup(field->key);
    made->arrival = strcmp(field->key, "arrival") == 0;
    if (made->arrival && (step->label != NULL || step->index > 0))
        return workload_fault(step->reading, node, field->key,
                              "is the first step of a program, and not repeated");
    return workload_read_duration(step->reading, node, field->key, &made->compute);
}

static int read_wait(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct step_reading *step = context;
    struct workload_reading *reading = step->reading;
    const struct sweep_node *item;
    char *name = sup_strdup("wait");
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && (item = sweep_item(node, i)) != NULL; i++) {
        char *longer = sup_format("%s%s %s", name, i == 0 ? "" : ",", item->word);
        int32_t label = 0;
        free(name);
        name = longer;
        status = find_label(step, item, field->key, &label);
        if (status != RB_OK)
            break;
        step_of(step)->after |= UINT64_C(1) << label;
        sup_grow(&reading->wait, reading->waits, sizeof *reading->wait);
        reading->wait[reading->waits++] =
            (struct workload_wait){item, label, step->index, reading->outermost};
    }
    free(step_of(step)->name);
    step_of(step)->name = name;
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
    struct step_reading *step = context;
    struct workload_reading *reading = step->reading;
    const struct sweep_node *body = sweep_member(step->node, "do");
    int64_t times = 1;
    const int status = workload_read_whole(reading, field->key, node, 1, INT64_MAX, &times);
    if (status != RB_OK)
        return status;
    if (body == NULL)
        return workload_fault(step->reading, step->node, field->key,
                              "what is repeated stands under the key do");
    step_of(step)->name = sup_format("repeat %" PRId64, times);
    return read_repeated(reading, step->index, times, body, "do");
}

static int read_do(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct step_reading *step = context;
    return step->kind != NULL && strcmp(step->kind, "repeat") == 0
               ? RB_OK
               : workload_fault(step->reading, node, field->key, "repeat is missing: how often");
}

static int read_collective(void *context, const struct sweep_field *field,
                           const struct sweep_node *node)
{
    struct step_reading *step = context;
    return workload_read_move(step->reading, step->index, field->key, node);
}

static int read_pattern(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct step_reading *step = context;
    return workload_read_pattern(step->reading, step->index, field->key, node);
}

/* The last row stands for all collectives. */
static const struct sweep_field step_fields[] = {
    {"only", SWEEP_SOME, 100000, read_only, "the ranks of the job that do the step: `0..31`",
     "all"},
    {"start", SWEEP_ONE, 64, read_start,
     "a name: the program goes on at once; what is started under a name goes on side by side",
     "it waits"},
    {"queue", SWEEP_ONE, 64, read_start,
     "a name, as `start`; what is queued under a name is done one after another", "it waits"},
    {"compute", SWEEP_ANY, 0, read_compute, "how long: a time such as `200us`, or see below", ""},
    {"arrival", SWEEP_ANY, 0, read_compute,
     "as `compute`, as the first step: how late each rank comes", ""},
    {"wait", SWEEP_SOME, WORKLOAD_LABELS, read_wait,
     "names: until all that was started or queued under them is complete", ""},
    {"repeat", SWEEP_ONE, 40, read_repeat, "how often the steps of `do` are done", ""},
    {"do", SWEEP_ANY, 0, read_do, "a list of steps", "required for `repeat`"},
    {"halo", SWEEP_ANY, 0, read_pattern, "messages between neighbours on a grid, see below", ""},
    {"pairs", SWEEP_ANY, 0, read_pattern, "messages between two ranks each", ""},
    {"matrix", SWEEP_ANY, 0, read_pattern, "messages of a file", ""},
    {"bcast", SWEEP_ANY, 0, read_collective,
     "a collective, or another one that `roundabout list` names; see below", ""},
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
static int find_kind(struct step_reading *step, const struct sweep_field field[], size_t count)
{
    const struct sweep_node *node = step->node;
    for (size_t i = 0; node->kind == SWEEP_MAPPING && i < node->count; i += 2)
        for (size_t k = OTHER_FIELDS; k < count && node->item[i]->kind == SWEEP_WORD; k++) {
            if (strcmp(node->item[i]->word, field[k].key) != 0 || field[k].read == read_do)
                continue;
            if (step->kind != NULL && strcmp(step->kind, field[k].key) != 0)
                return workload_fault(step->reading, node->item[i], NULL,
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
    struct step_reading step = {.reading = reading, .node = node};
    struct sweep_field field[MOST_KINDS];
    const size_t count = make_fields(field);
    name_collectives(node, field);
    int status = find_kind(&step, field, count);
    if (status == RB_OK)
        status = add_step(reading, node, &step.index);
    if (status == RB_OK)
        status = sweep_read_mapping(reading->document, node, field, count, &step, reading->error);
    if (status != RB_OK)
        return status;
    const enum sim_step_kind kind = step_of(&step)->kind;
    if (step.kind == NULL)
        return workload_fault(
            step.reading, node, NULL,
            "a step has one of compute, wait, repeat, and the collectives, such as bcast");
    if (step.label != NULL && kind != SIM_COMPUTE && kind != SIM_MOVE)
        return workload_fault(step.reading, step.label, step.kind,
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
