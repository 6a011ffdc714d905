/* graph.c - jobs that do what a file in GOAL says, in place of a program: a graph of messages and
 * computing. The k-th send from one rank to another with a tag meets the k-th receive, in the order
 * of the file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "experiments/workload/source.h"
#include "interchange/goal.h"
#include "support/csv.h"
#include "support/memory.h"

enum { NONE = -1 };

struct graphing {
    struct workload_reading *reading;
    const struct sweep_node *node;
    const char *path;
    struct prg_program program;
    struct inter_dag *dag; /* per rank */
    struct sim_graph *graph;
    int64_t *bytes; /* of messages: each size once, rising; owned */
    size_t sizes;
};

static int fail(const struct graphing *graphing, int32_t line, const char *what)
{
    return sup_fail(graphing->reading->error, RB_EINVAL, "%.180s:%" PRId32 ": %s", graphing->path,
                    line, what);
}

static int32_t fifo_of(const struct prg_step *step)
{
    return step->out != PRG_NONE ? step->out : step->in;
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Numbers the messages, of which the k-th of a FIFO is first[fifo] + k. Receives come first, whose
 * bytes sends must have. */
static int match_ends(struct graphing *graphing, bool sends, const int32_t first[], int32_t met[],
                      int64_t size[])
{
    const struct prg_program *program = &graphing->program;
    for (int32_t r = 0; r < program->ranks; r++) {
        const struct inter_dag *dag = &graphing->dag[r];
        struct sim_task *task = &graphing->graph->task[graphing->graph->first[r]];
        for (int32_t t = 0; t < dag->tasks; t++) {
            const int32_t fifo = sends ? dag->step[t].out : dag->step[t].in;
            if (fifo == PRG_NONE)
                continue;
            if (program->fifo[fifo].from == program->fifo[fifo].to)
                return fail(graphing, dag->step[t].line, "a rank sends to itself");
            if (met[fifo] == (sends ? met[fifo + program->fifos] : first[fifo + 1] - first[fifo]))
                return fail(graphing, dag->step[t].line, "no other end meets this one");
            task[t].message = first[fifo] + met[fifo]++;
            if (sends && size[task[t].message] != dag->bytes[t])
                return fail(graphing, dag->step[t].line, "other bytes than are received");
            size[task[t].message] = dag->bytes[t];
        }
    }
    return RB_OK;
}

static int match(struct graphing *graphing, const int32_t first[], int64_t size[])
{
    const size_t fifos = (size_t)graphing->program.fifos;
    int32_t *met = sup_calloc(2 * fifos + 1, sizeof *met); /* sends, receives */
    int status = match_ends(graphing, false, first, met + fifos, size);
    if (status == RB_OK)
        status = match_ends(graphing, true, first, met, size);
    free(met);
    return status;
}

/* The set of all messages, a communicator each. */
static int add_messages(struct graphing *graphing)
{
    struct sim_job *job = graphing->reading->job;
    const struct prg_program *program = &graphing->program;
    int32_t *first = sup_calloc((size_t)program->fifos + 2, sizeof *first);
    for (int32_t r = 0; r < program->ranks; r++)
        for (int32_t t = 0; t < graphing->dag[r].tasks; t++)
            if (graphing->dag[r].step[t].out != PRG_NONE)
                first[graphing->dag[r].step[t].out + 1]++;
    for (int32_t f = 0; f < program->fifos; f++)
        first[f + 1] += first[f];
    const int32_t count = first[program->fifos];
    struct sim_communicators set = {.name = sup_strdup("messages"), .count = count};
    set.first = sup_calloc((size_t)count + 1, sizeof *set.first);
    set.member = sup_calloc(2 * (size_t)count + 1, sizeof *set.member);
    set.shape = sup_calloc(1, sizeof *set.shape);
    set.shapes = count > 0;
    for (int32_t f = 0; f < program->fifos; f++)
        for (int32_t m = first[f]; m < first[f + 1]; m++) {
            set.member[2 * m] = program->fifo[f].from;
            set.member[2 * m + 1] = program->fifo[f].to;
            set.first[m + 1] = 2 * (m + 1);
        }
    sup_grow(&job->set, (size_t)job->sets, sizeof *job->set);
    job->set[job->sets++] = set;
    int64_t *size = sup_calloc((size_t)count + 1, sizeof *size);
    const int status = match(graphing, first, size);
    qsort(size, (size_t)count, sizeof *size, workload_by_number);
    for (int32_t m = 0; m < count; m++)
        if (graphing->sizes == 0 || size[m] != size[graphing->sizes - 1])
            size[graphing->sizes++] = size[m];
    graphing->bytes = size;
    free(first);
    return status;
}

/* ---- Steps and tasks ------------------------------------------------------------------------- */

/* Computing, and a message of each size. */
static void add_steps(struct graphing *graphing)
{
    struct workload_part *part = graphing->reading->part;
    struct sim_job *job = graphing->reading->job;
    char text[32];
    job->steps = part->steps = 1 + (int32_t)graphing->sizes;
    job->step = sup_calloc((size_t)job->steps, sizeof *job->step);
    part->step = sup_calloc((size_t)job->steps, sizeof *part->step);
    for (int32_t s = 0; s < job->steps; s++) {
        const bool moves = s > 0;
        const int64_t bytes = moves ? graphing->bytes[s - 1] : 0;
        job->step[s] = (struct sim_step){
            .kind = moves ? SIM_MOVE : SIM_COMPUTE,
            .name = moves ? sup_format("message of %s", sup_format_bytes(bytes, text, sizeof text))
                          : sup_strdup("compute"),
            .label = -1,
            .times = 1,
            .set = 1};
        part->step[s].move.node = graphing->node;
        if (!moves)
            continue;
        struct sim_pattern *pattern = sup_calloc(1, sizeof *pattern);
        *pattern = (struct sim_pattern){.kind = SIM_MATRIX, .count = 1};
        sup_grow(&pattern->sent, 0, sizeof *pattern->sent);
        pattern->sent[0] = (struct sim_sent){0, 1, bytes, 0};
        part->step[s].move.pattern = pattern;
        part->step[s].move.collective = rb_collective_find("none");
        part->step[s].move.element = 1;
    }
}

static void add_edges(struct sim_graph *graph, const struct inter_dag *dag, int32_t first)
{
    const int32_t edges = graph->leads[first];
    for (int32_t t = 0; t < dag->tasks; t++)
        graph->leads[first + t + 1] = edges + dag->first[t + 1];
    for (int32_t e = 0; e < dag->edges; e++) {
        const struct inter_edge *edge = &dag->edge[e];
        graph->edge[edges + e] = (struct sim_edge){first + edge->task, edge->start};
        graph->task[first + edge->task].needs++;
    }
}

static int32_t step_of(const struct graphing *graphing, const struct inter_dag *dag, int32_t t)
{
    const int64_t *found = fifo_of(&dag->step[t]) == PRG_NONE
                               ? NULL
                               : bsearch(&dag->bytes[t], graphing->bytes, graphing->sizes,
                                         sizeof *graphing->bytes, workload_by_number);
    return found == NULL ? 0 : 1 + (int32_t)(found - graphing->bytes);
}

/* Of the ranks' tasks what is known without the messages. */
static int begin_graph(struct graphing *graphing)
{
    struct sim_graph *graph = graphing->graph;
    const int32_t ranks = graphing->program.ranks;
    int64_t tasks = 0, edges = 0;
    graph->first = sup_calloc((size_t)ranks + 1, sizeof *graph->first);
    for (int32_t r = 0; r < ranks; r++) {
        tasks += graphing->dag[r].tasks;
        edges += graphing->dag[r].edges;
        if (tasks > INT32_MAX / 2 || edges > INT32_MAX / 2)
            return fail(graphing, 1, "too many operations");
        graph->first[r + 1] = (int32_t)tasks;
    }
    if (tasks == 0)
        return fail(graphing, 1, "no rank does anything");
    graph->task = sup_calloc((size_t)tasks + 1, sizeof *graph->task);
    graph->leads = sup_calloc((size_t)tasks + 2, sizeof *graph->leads);
    graph->edge = sup_calloc((size_t)edges + 1, sizeof *graph->edge);
    for (int32_t r = 0; r < ranks; r++) {
        const struct inter_dag *dag = &graphing->dag[r];
        for (int32_t t = 0; t < dag->tasks; t++)
            graph->task[graph->first[r] + t] =
                (struct sim_task){.compute_s = 1e-9 * (double)dag->bytes[t],
                                  .message = NONE,
                                  .sends = dag->step[t].out != PRG_NONE,
                                  .stream = dag->stream[t],
                                  .line = dag->step[t].line};
        add_edges(graph, dag, graph->first[r]);
    }
    return RB_OK;
}

static int make(struct graphing *graphing)
{
    struct sim_job *job = graphing->reading->job;
    struct sim_graph *graph = job->graph = graphing->graph = sup_calloc(1, sizeof *graph);
    if (graphing->program.ranks != job->ranks)
        return workload_fault(graphing->reading, graphing->node, "graph",
                              "%s is of %" PRId32 " ranks, the job has %" PRId32, graphing->path,
                              graphing->program.ranks, job->ranks);
    int status = begin_graph(graphing);
    if (status == RB_OK)
        status = add_messages(graphing);
    if (status != RB_OK)
        return status;
    add_steps(graphing);
    for (int32_t r = 0; r < job->ranks; r++) {
        const struct inter_dag *dag = &graphing->dag[r];
        job->streams = dag->streams > job->streams ? dag->streams : job->streams;
        for (int32_t t = 0; t < dag->tasks; t++)
            graph->task[graph->first[r] + t].step = step_of(graphing, dag, t);
    }
    return RB_OK;
}

int workload_read_graph(struct workload_reading *reading, const struct sweep_node *node)
{
    struct graphing graphing = {.reading = reading, .node = node, .path = node->word};
    struct sup_lines lines = {0};
    if (reading->job->until_others || reading->job->calls || reading->repetitions > 1)
        return workload_fault(reading, node, "graph",
                              "without until, repetitions and progress: calls");
    int status = sup_lines_read(&lines, node->word, reading->error);
    if (status == RB_OK)
        status = inter_read_goal_graph(&lines, &graphing.program, &graphing.dag, reading->error);
    if (status == RB_OK)
        status = make(&graphing);
    inter_free_dags(graphing.dag, graphing.program.ranks);
    prg_free(&graphing.program);
    free(graphing.bytes);
    free(lines.text);
    return status;
}

/* ---- A file in place of a workload ----------------------------------------------------------- */

static bool is_goal(const char *path, const char *head, size_t size)
{
    static const char *const begins[] = {"num_ranks", "//", "/*"};
    size_t at = 0;
    bool is = false;
    (void)path;
    while (at < size && isspace((unsigned char)head[at]))
        at++;
    for (int i = 0; i < 3; i++)
        is |=
            strlen(begins[i]) <= size - at && strncmp(head + at, begins[i], strlen(begins[i])) == 0;
    return is;
}

static int write_goal(const char *path, const struct workload_wishes *wishes, FILE *text,
                      struct workload_told *told, struct sup_error *error)
{
    struct sup_lines lines = {0};
    int ranks = 0;
    (void)told;
    if (wishes->ranks != 0)
        return sup_fail(error, RB_EINVAL, "%s: --ranks: a graph has the ranks that it has", path);
    const int status = sup_lines_read(&lines, path, error);
    const char *number = status == RB_OK ? strstr(lines.text, "num_ranks") : NULL;
    if (number != NULL && sscanf(number, "num_ranks %d", &ranks) == 1 && ranks > 0)
        fprintf(text, "jobs:\n  - {ranks: %d, graph: \"%s\"}\n", ranks, path);
    else if (status == RB_OK)
        sup_fail(error, RB_EINVAL, "%s: missing: num_ranks RANKS", path);
    free(lines.text);
    return status != RB_OK || ranks > 0 ? status : RB_EINVAL;
}

const struct workload_source workload_goal = {"GOAL", is_goal, write_goal};
