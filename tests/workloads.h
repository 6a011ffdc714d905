/* workloads.h - for tests: builds workloads in memory, and keeps what an engine shows of them.
 *
 *   struct built *built = built_create();
 *   const int32_t job = built_job(built, 4, 1);
 *   built_compute(built, job, (struct sim_duration){.a = 1e-5});
 *   built_move(built, job, built_every(built, job, 2), (struct built_move){.bytes = 1000});
 *   ... built->workload ...
 *   built_destroy(built);
 */
#ifndef TESTS_WORKLOADS_H
#define TESTS_WORKLOADS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/workload/workload.h"
#include "support/memory.h"

/* ---- Plans ----------------------------------------------------------------------------------- */

/* What a step of SIM_MOVE does; zero means the usual. */
struct built_move {
    const char *collective; /* NULL: bcast */
    const char *algorithm;
    int64_t n, bytes;
    int32_t root;
    bool turns; /* the root is root + counter, modulo the communicator's size */
    int32_t job, step;
};

struct built {
    struct sim_workload workload;
    struct built_move *move;
    struct built_plan {
        int32_t move, size, root;
        struct rb_plan *plan;
        struct rb_layout *layout;
    } * plan;
    int32_t moves, plans;
    char text[128]; /* what it is, for messages */
};

/* True if the collective has such a plan for so many ranks. */
static inline bool built_supports(const struct built_move *move, int32_t p)
{
    const struct rb_plan_spec spec = {.collective = move->collective,
                                      .algorithm = move->algorithm,
                                      .p = p,
                                      .n = move->n > 0 ? move->n : 1};
    return rb_plan_is_supported(&spec);
}

static inline int built_new_plan(struct built *built, int32_t number, int32_t size, int32_t root,
                                 struct sup_error *error)
{
    const struct built_move *move = &built->move[number];
    const struct rb_plan_spec spec = {.collective = move->collective,
                                      .algorithm = move->algorithm,
                                      .p = size,
                                      .root =
                                          rb_collective_find(move->collective)->rooted ? root : 0,
                                      .n = move->n > 0 ? move->n : 1};
    struct built_plan plan = {.move = number, .size = size, .root = root};
    const int status = rb_plan_create(&spec, &plan.plan, error->text, sizeof error->text);
    if (status != RB_OK)
        return status;
    plan.layout = sup_calloc(1, sizeof *plan.layout);
    *plan.layout = (struct rb_layout){.bytes = move->bytes, .element = 1};
    sup_grow(&built->plan, (size_t)built->plans, sizeof *built->plan);
    built->plan[built->plans++] = plan;
    return RB_OK;
}

static inline int built_plan_of(void *context, int32_t job, int32_t step, int32_t communicator,
                                int64_t counter, struct sim_step_plan *plan,
                                struct sup_error *error)
{
    struct built *built = context;
    const struct sim_job *of = &built->workload.job[job];
    const int32_t size = sim_communicator_size(&of->set[of->step[step].set], communicator);
    int32_t number = 0, i = 0;
    while (built->move[number].job != job || built->move[number].step != step)
        number++;
    const struct built_move *move = &built->move[number];
    const int32_t root = (int32_t)((move->root + (move->turns ? counter : 0)) % size);
    while (i < built->plans && (built->plan[i].move != number || built->plan[i].size != size ||
                                built->plan[i].root != root))
        i++;
    const int status = i < built->plans ? RB_OK : built_new_plan(built, number, size, root, error);
    if (status == RB_OK)
        *plan = (struct sim_step_plan){built->plan[i].plan, built->plan[i].layout};
    return status;
}

/* ---- Building -------------------------------------------------------------------------------- */

static inline struct built *built_create(void)
{
    struct built *built = sup_calloc(1, sizeof *built);
    built->workload.plan_of = built_plan_of;
    built->workload.context = built;
    return built;
}

static inline void built_destroy(struct built *built)
{
    sim_workload_free(&built->workload);
    for (int32_t i = 0; i < built->plans; i++) {
        rb_plan_destroy(built->plan[i].plan);
        free(built->plan[i].layout);
    }
    free(built->plan);
    free(built->move);
    free(built);
}

/* A set of `count` communicators: rank r is in of[r], -1: in none. In each the ranks are in order.
 * Returns its number. */
static inline int32_t built_set(struct built *built, int32_t job, const char *name, int32_t count,
                                const int32_t of[])
{
    struct sim_job *to = &built->workload.job[job];
    const size_t ranks = (size_t)to->ranks;
    sup_grow(&to->set, (size_t)to->sets, sizeof *to->set);
    struct sim_communicators *set = &to->set[to->sets];
    *set = (struct sim_communicators){.name = sup_strdup(name),
                                      .count = count,
                                      .first = sup_calloc((size_t)count + 1, sizeof(int32_t)),
                                      .member = sup_calloc(ranks, sizeof(int32_t)),
                                      .of = sup_calloc(ranks, sizeof(int32_t)),
                                      .rank_in = sup_calloc(ranks, sizeof(int32_t))};
    for (int32_t c = 0, members = 0; c < count; c++) {
        for (int32_t r = 0; r < to->ranks; r++)
            if (of[r] == c) {
                set->rank_in[r] = members - set->first[c];
                set->member[members++] = r;
            }
        set->first[c + 1] = members;
    }
    memcpy(set->of, of, ranks * sizeof *of);
    return to->sets++;
}

/* A job with the world as its first set. */
static inline int32_t built_job(struct built *built, int32_t ranks, int32_t ppn)
{
    struct sim_workload *workload = &built->workload;
    char name[16];
    snprintf(name, sizeof name, "job%d", workload->jobs);
    sup_grow(&workload->job, (size_t)workload->jobs, sizeof *workload->job);
    workload->job[workload->jobs] = (struct sim_job){.name = sup_strdup(name),
                                                     .ranks = ranks,
                                                     .ppn = ppn,
                                                     .hosts = (ranks + ppn - 1) / ppn,
                                                     .streams = 1};
    int32_t *of = sup_calloc((size_t)ranks, sizeof *of);
    built_set(built, workload->jobs, "world", 1, of);
    free(of);
    return workload->jobs++;
}

/* The ranks that have the same remainder by so many. */
static inline int32_t built_every(struct built *built, int32_t job, int32_t every)
{
    const int32_t ranks = built->workload.job[job].ranks;
    int32_t *of = sup_calloc((size_t)ranks, sizeof *of);
    for (int32_t r = 0; r < ranks; r++)
        of[r] = r % every;
    const int32_t set = built_set(built, job, "every", every, of);
    free(of);
    return set;
}

/* A new label's number. */
static inline int32_t built_label(struct built *built, int32_t job)
{
    struct sim_job *to = &built->workload.job[job];
    char name[16];
    snprintf(name, sizeof name, "label%d", to->labels);
    sup_grow(&to->label, (size_t)to->labels, sizeof *to->label);
    to->label[to->labels] = sup_strdup(name);
    to->streams = 1 + SIM_MOST_STARTED;
    return to->labels++;
}

/* A step that waits; the caller may change it until the next one is added. */
static inline struct sim_step *built_step(struct built *built, int32_t job, enum sim_step_kind kind,
                                          const char *name)
{
    struct sim_job *to = &built->workload.job[job];
    sup_grow(&to->step, (size_t)to->steps, sizeof *to->step);
    struct sim_step *step = &to->step[to->steps];
    *step =
        (struct sim_step){.kind = kind, .line = ++to->steps, .name = sup_strdup(name), .label = -1};
    return step;
}

static inline struct sim_step *built_compute(struct built *built, int32_t job,
                                             struct sim_duration duration)
{
    struct sim_step *step = built_step(built, job, SIM_COMPUTE, "compute");
    step->compute = duration;
    return step;
}

static inline struct sim_step *built_move(struct built *built, int32_t job, int32_t set,
                                          struct built_move move)
{
    if (move.collective == NULL)
        move.collective = "bcast";
    move.job = job;
    move.step = built->workload.job[job].steps;
    sup_grow(&built->move, (size_t)built->moves, sizeof *built->move);
    built->move[built->moves++] = move;
    struct sim_step *step = built_step(built, job, SIM_MOVE, move.collective);
    step->set = set;
    return step;
}

static inline struct sim_step *built_wait(struct built *built, int32_t job, uint64_t after)
{
    struct sim_step *step = built_step(built, job, SIM_NOTHING, "wait");
    step->after = after;
    return step;
}

/* The body follows; built_end ends it. Returns the step's number. */
static inline int32_t built_repeat(struct built *built, int32_t job, int64_t times)
{
    built_step(built, job, SIM_REPEAT, "repeat")->times = times;
    return built->workload.job[job].steps - 1;
}

static inline void built_end(struct built *built, int32_t job, int32_t repeat)
{
    built->workload.job[job].step[repeat].end = built->workload.job[job].steps;
}

/* started: a step under a label, after those of `after`. */
static inline void built_start(struct sim_step *step, int32_t label, uint64_t after)
{
    step->label = label;
    step->after = after;
}

/* ---- What an engine shows -------------------------------------------------------------------- */

struct shown {
    struct sim_step_end *end;
    int32_t ends;
    struct sim_message *message;
    int32_t messages;
};

static inline void shown_message(void *context, const struct sim_message *message)
{
    struct shown *shown = context;
    sup_grow(&shown->message, (size_t)shown->messages, sizeof *shown->message);
    shown->message[shown->messages++] = *message;
}

static inline void shown_step(void *context, const struct sim_step_end *end)
{
    struct shown *shown = context;
    sup_grow(&shown->end, (size_t)shown->ends, sizeof *shown->end);
    shown->end[shown->ends++] = *end;
}

static inline void shown_free(struct shown *shown)
{
    free(shown->end);
    free(shown->message);
    *shown = (struct shown){0};
}

static inline int shown_order(const void *a, const void *b)
{
    const struct sim_step_end *x = a, *y = b;
    const int64_t key[][2] = {
        {x->job, y->job}, {x->rank, y->rank}, {x->step, y->step}, {x->pass, y->pass}};
    for (int i = 0; i < 4; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

/* By job, rank, step and pass. */
static inline void shown_sort(struct shown *shown)
{
    if (shown->ends > 0)
        qsort(shown->end, (size_t)shown->ends, sizeof *shown->end, shown_order);
}

#endif
