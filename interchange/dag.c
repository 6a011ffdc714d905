/* dag.c - see dag.h. */
#include "interchange/dag.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

enum { NONE = -1 };

/* Tasks that wait for the same: order[first .. first + count - 1]. */
struct batch {
    int32_t first, count;
    int32_t thread, next; /* the batch that follows on the thread, or NONE */
    int32_t needs, waits; /* of the needs only the first `waits` are of other threads */
    size_t need;          /* need[need .. need + needs - 1], sorted, each once */
};

struct thread {
    int32_t head, last; /* batches */
    int32_t length;     /* steps */
};

struct builder {
    const struct inter_dag *dag;
    int32_t *order;    /* the tasks, each behind those that it waits for */
    int32_t *batch_of; /* per task */
    int32_t *place;    /* per task: its step's in the thread */
    int32_t *seen;     /* per batch, 0: for find_thread */
    int32_t *need;
    size_t needs;
    struct batch *batch;
    int32_t batches;
    struct thread *thread;
    int32_t threads;
};

static int compare_numbers(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int32_t end_of(const struct inter_edge *edge, bool needs)
{
    return needs ? edge->needs : edge->task;
}

/* The edges by their tasks, or by what is needed: those of t are sorted[first[t] .. first[t + 1] -
 * 1]. */
static int32_t *sort_edges(const struct inter_dag *dag, bool needs, struct inter_edge **sorted)
{
    int32_t *first = sup_calloc((size_t)dag->tasks + 2, sizeof *first);
    *sorted = sup_reallocarray(NULL, (size_t)dag->edges, sizeof **sorted);
    for (int32_t i = 0; i < dag->edges; i++)
        first[end_of(&dag->edge[i], needs) + 2]++;
    for (int32_t t = 0; t < dag->tasks; t++)
        first[t + 2] += first[t + 1];
    for (int32_t i = 0; i < dag->edges; i++)
        (*sorted)[first[end_of(&dag->edge[i], needs) + 1]++] = dag->edge[i];
    return first;
}

/* Puts the tasks in order. Returns one that waits for itself, or NONE. */
static int32_t sort_tasks(const struct inter_dag *dag, int32_t order[])
{
    struct inter_edge *edge;
    int32_t *first = sort_edges(dag, true, &edge), count = 0, circle = NONE;
    int32_t *open = sup_calloc((size_t)dag->tasks, sizeof *open);
    for (int32_t i = 0; i < dag->edges; i++)
        open[dag->edge[i].task]++;
    for (int32_t t = 0; t < dag->tasks; t++)
        if (open[t] == 0)
            order[count++] = t;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = first[order[i]]; k < first[order[i] + 1]; k++)
            if (--open[edge[k].task] == 0)
                order[count++] = edge[k].task;
    for (int32_t t = 0; count < dag->tasks && circle == NONE; t++)
        circle = open[t] > 0 ? t : NONE;
    free(first);
    free(edge);
    free(open);
    return circle;
}

static void add_need(struct builder *builder, int32_t task)
{
    sup_grow(&builder->need, builder->needs, sizeof *builder->need);
    builder->need[builder->needs++] = task;
}

/* Appends to `need` what a task waits for. Who waits for a start waits for that task's needs. */
static int32_t find_needs(struct builder *builder, const struct inter_edge edge[], int32_t count)
{
    const size_t first = builder->needs;
    for (int32_t i = 0; i < count; i++) {
        const struct batch *other = &builder->batch[builder->batch_of[edge[i].needs]];
        for (int32_t k = 0; edge[i].start && k < other->needs; k++)
            add_need(builder, builder->need[other->need + (size_t)k]);
        if (!edge[i].start)
            add_need(builder, edge[i].needs);
    }
    int32_t *need = builder->need + first;
    const size_t all = builder->needs - first;
    size_t once = 0;
    if (all > 1)
        qsort(need, all, sizeof *need, compare_numbers);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || need[i] != need[once - 1])
            need[once++] = need[i];
    return (int32_t)once;
}

/* Divides the tasks into batches: those behind one another with the same needs. */
static void make_batches(struct builder *builder)
{
    const struct inter_dag *dag = builder->dag;
    struct inter_edge *edge;
    int32_t *first = sort_edges(dag, false, &edge);
    for (int32_t i = 0; i < dag->tasks; i++) {
        const int32_t t = builder->order[i];
        struct batch *batch = &builder->batch[builder->batches];
        *batch = (struct batch){.first = i, .next = NONE, .need = builder->needs};
        batch->needs = find_needs(builder, edge + first[t], first[t + 1] - first[t]);
        const struct batch *before = builder->batches == 0 ? NULL : batch - 1;
        if (before == NULL || before->needs != batch->needs ||
            (batch->needs > 0 && memcmp(builder->need + before->need, builder->need + batch->need,
                                        (size_t)batch->needs * sizeof *builder->need) != 0)) {
            builder->needs = batch->need + (size_t)batch->needs;
            builder->batches++;
        } else {
            builder->needs = batch->need;
        }
        builder->batch[builder->batches - 1].count++;
        builder->batch_of[t] = builder->batches - 1;
    }
    free(first);
    free(edge);
}

/* A thread whose last batch consists of tasks that this batch waits for, or a new one. */
static struct thread *find_thread(struct builder *builder, const struct batch *batch)
{
    struct thread *found = NULL;
    const int32_t *need = builder->need + batch->need;
    for (int32_t i = 0; i < batch->needs; i++)
        builder->seen[builder->batch_of[need[i]]]++;
    for (int32_t i = 0; i < batch->needs; i++) {
        const int32_t other = builder->batch_of[need[i]];
        struct thread *thread = &builder->thread[builder->batch[other].thread];
        if (builder->seen[other] == builder->batch[other].count && thread->last == other)
            found = thread;
        builder->seen[other] = 0;
    }
    if (found != NULL)
        return found;
    builder->thread[builder->threads] = (struct thread){NONE, NONE, 0};
    return &builder->thread[builder->threads++];
}

static void place_batch(struct builder *builder, int32_t number)
{
    struct batch *batch = &builder->batch[number];
    struct thread *thread = find_thread(builder, batch);
    batch->thread = (int32_t)(thread - builder->thread);
    *(thread->last == NONE ? &thread->head : &builder->batch[thread->last].next) = number;
    thread->last = number;
    int32_t *need = builder->need + batch->need;
    for (int32_t i = 0; i < batch->needs; i++)
        if (builder->batch[builder->batch_of[need[i]]].thread != batch->thread)
            need[batch->waits++] = need[i];
    thread->length += batch->waits > 1 ? batch->waits - 1 : 0;
    for (int32_t i = 0; i < batch->count; i++)
        builder->place[builder->order[batch->first + i]] = thread->length++;
}

static void add_step(struct prg_program *program, const struct prg_step *step, int64_t length,
                     int64_t **bytes)
{
    sup_grow(bytes, (size_t)program->steps, sizeof **bytes);
    (*bytes)[program->steps] = length;
    if (prg_add(program, step) != 0)
        sup_no_memory();
}

/* All but the last of the tasks of other threads have a step that waits for them. */
static void add_batch(const struct builder *builder, const struct batch *batch,
                      struct prg_program *program, int32_t rank, int64_t **bytes)
{
    struct prg_step wait = prg_step_of(rank);
    for (int32_t i = 0; i < batch->waits; i++) {
        const int32_t need = builder->need[batch->need + (size_t)i];
        wait.dep_thread = builder->batch[builder->batch_of[need]].thread;
        wait.dep_step = builder->place[need];
        wait.with_next = i < batch->waits - 2;
        if (i < batch->waits - 1)
            add_step(program, &wait, 0, bytes);
    }
    for (int32_t i = 0; i < batch->count; i++) {
        const int32_t task = builder->order[batch->first + i];
        struct prg_step step = builder->dag->step[task];
        step.dep_thread = wait.dep_thread;
        step.dep_step = wait.dep_step;
        step.with_next = i < batch->count - 1;
        add_step(program, &step, builder->dag->bytes[task], bytes);
    }
}

static void add_threads(struct builder *builder, struct prg_program *program, int32_t rank,
                        int64_t **bytes)
{
    make_batches(builder);
    for (int32_t i = 0; i < builder->batches; i++)
        place_batch(builder, i);
    for (int32_t i = 0; i < builder->threads; i++) {
        if (prg_begin_thread(program, rank, i) != 0)
            sup_no_memory();
        for (int32_t b = builder->thread[i].head; b != NONE; b = builder->batch[b].next)
            add_batch(builder, &builder->batch[b], program, rank, bytes);
    }
}

int32_t inter_dag_threads(const struct inter_dag *dag, struct prg_program *program, int32_t rank,
                          int64_t **bytes)
{
    const size_t tasks = (size_t)dag->tasks;
    struct builder builder = {.dag = dag};
    builder.order = sup_calloc(4 * tasks, sizeof *builder.order);
    builder.batch_of = builder.order + tasks;
    builder.place = builder.batch_of + tasks;
    builder.seen = builder.place + tasks;
    builder.batch = sup_calloc(tasks, sizeof *builder.batch);
    builder.thread = sup_calloc(tasks, sizeof *builder.thread);
    sup_grow(&builder.need, 0, sizeof *builder.need); /* it is added to, also if nobody needs it */
    const int32_t circle = sort_tasks(dag, builder.order);
    if (circle == NONE)
        add_threads(&builder, program, rank, bytes);
    free(builder.order);
    free(builder.need);
    free(builder.batch);
    free(builder.thread);
    return circle;
}
