/* dag.c - see dag.h. */
#include "interchange/dag.h"

#include <stdlib.h>

#include "support/memory.h"

enum { NONE = -1 };

void inter_dag_add(struct inter_dag *dag, const struct prg_step *step, int64_t bytes)
{
    sup_grow(&dag->step, (size_t)dag->tasks, sizeof *dag->step);
    sup_grow(&dag->bytes, (size_t)dag->tasks, sizeof *dag->bytes);
    dag->step[dag->tasks] = *step;
    dag->bytes[dag->tasks++] = bytes;
}

void inter_dag_wait(struct inter_dag *dag, struct inter_edge edge)
{
    sup_grow(&dag->edge, (size_t)dag->edges, sizeof *dag->edge);
    dag->edge[dag->edges++] = edge;
}

void inter_dag_free(struct inter_dag *dag)
{
    free(dag->step);
    free(dag->bytes);
    free(dag->edge);
    free(dag->first);
    free(dag->order);
    free(dag->stream);
    free(dag->next);
    *dag = (struct inter_dag){0};
}

void inter_free_dags(struct inter_dag dag[], int32_t ranks)
{
    for (int32_t r = 0; dag != NULL && r < ranks; r++)
        inter_dag_free(&dag[r]);
    free(dag);
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

/* A task has the stream of one that it needs, unless another has it. */
static void give_stream(struct inter_dag *dag, int32_t task)
{
    if (dag->stream[task] == NONE)
        dag->stream[task] = dag->streams++;
    dag->next[task] = NONE;
    for (int32_t e = dag->first[task]; e < dag->first[task + 1]; e++) {
        const struct inter_edge *edge = &dag->edge[e];
        if (edge->start || dag->stream[edge->task] != NONE)
            continue;
        dag->stream[edge->task] = dag->stream[task];
        dag->next[task] = edge->task;
        return;
    }
}

int32_t inter_dag_finish(struct inter_dag *dag)
{
    const size_t tasks = (size_t)dag->tasks;
    struct inter_edge *edge;
    int32_t *open = sup_calloc(tasks, sizeof *open), count = 0, circle = NONE;
    dag->first = sort_edges(dag, true, &edge);
    free(dag->edge);
    dag->edge = edge;
    dag->order = sup_calloc(tasks, sizeof *dag->order);
    dag->stream = sup_calloc(tasks, sizeof *dag->stream);
    dag->next = sup_calloc(tasks, sizeof *dag->next);
    for (int32_t i = 0; i < dag->edges; i++)
        open[edge[i].task]++;
    for (int32_t t = 0; t < dag->tasks; t++) {
        dag->stream[t] = NONE;
        if (open[t] == 0)
            dag->order[count++] = t;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t t = dag->order[i];
        give_stream(dag, t);
        for (int32_t e = dag->first[t]; e < dag->first[t + 1]; e++)
            if (--open[edge[e].task] == 0)
                dag->order[count++] = edge[e].task;
    }
    for (int32_t t = 0; count < dag->tasks && circle == NONE; t++)
        circle = open[t] > 0 ? t : NONE;
    free(open);
    return circle;
}

/* ---- As threads ------------------------------------------------------------------------------ */

struct threads {
    const struct inter_dag *dag;
    struct prg_program *program;
    int32_t rank;
    int64_t **bytes;
    int32_t *first; /* edges by their tasks */
    struct inter_edge *edge;
    int32_t *place; /* per task: its step's in the thread */
};

static void add_step(struct threads *threads, const struct prg_step *step, int64_t length)
{
    struct prg_program *program = threads->program;
    sup_grow(threads->bytes, (size_t)program->steps, sizeof **threads->bytes);
    (*threads->bytes)[program->steps] = length;
    if (prg_add(program, step) != 0)
        sup_no_memory();
}

/* The step in another thread that an edge waits for: to a start, the one before it. False: none. */
static bool find_need(const struct threads *threads, const struct inter_edge *edge,
                      struct prg_step *wait)
{
    const int32_t *stream = threads->dag->stream;
    wait->dep_thread = stream[edge->needs];
    wait->dep_step = threads->place[edge->needs] - edge->start;
    return wait->dep_step >= 0 && stream[edge->needs] != stream[edge->task];
}

/* The steps that wait before a task's own, which waits for the last of its needs unless somebody
 * waits for its start; adds them if they are asked for. */
static int32_t add_task(struct threads *threads, int32_t task, bool adds)
{
    const struct inter_dag *dag = threads->dag;
    struct prg_step step = dag->step[task], wait = prg_step_of(threads->rank), need = wait;
    int32_t waits = 0, before = 0;
    bool by_itself = false;
    for (int32_t e = dag->first[task]; e < dag->first[task + 1]; e++)
        by_itself |= dag->edge[e].start;
    for (int32_t e = threads->first[task]; e < threads->first[task + 1]; e++)
        if (find_need(threads, &threads->edge[e], &need)) {
            if (waits++ > 0 && ++before && adds)
                add_step(threads, &wait, 0);
            wait = need;
        }
    if (by_itself && waits > 0 && ++before && adds)
        add_step(threads, &wait, 0);
    if (!by_itself) {
        step.dep_thread = wait.dep_thread;
        step.dep_step = wait.dep_step;
    }
    if (adds)
        add_step(threads, &step, dag->bytes[task]);
    return before;
}

void inter_dag_threads(const struct inter_dag *dag, struct prg_program *program, int32_t rank,
                       int64_t **bytes)
{
    struct threads threads = {.dag = dag, .program = program, .rank = rank, .bytes = bytes};
    int32_t *length = sup_calloc((size_t)dag->streams, sizeof *length), begun = 0;
    threads.first = sort_edges(dag, false, &threads.edge);
    threads.place = sup_calloc((size_t)dag->tasks, sizeof *threads.place);
    for (int32_t i = 0; i < dag->tasks; i++) {
        const int32_t t = dag->order[i], stream = dag->stream[t];
        threads.place[t] = length[stream] + add_task(&threads, t, false);
        length[stream] = threads.place[t] + 1;
    }
    for (int32_t i = 0; i < dag->tasks; i++) {
        if (dag->stream[dag->order[i]] != begun)
            continue;
        if (prg_begin_thread(program, rank, begun++) != 0)
            sup_no_memory();
        for (int32_t t = dag->order[i]; t != NONE; t = dag->next[t])
            add_task(&threads, t, true);
    }
    free(length);
    free(threads.first);
    free(threads.edge);
    free(threads.place);
}
