/* graph.c - jobs that do what a file in GOAL or a time-independent trace says, in place of a
 * program: a graph of messages, computing and, in traces, collectives of all ranks. The k-th send
 * from one rank to another with a tag meets the k-th receive, in the order of the file. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "experiments/workload/source.h"
#include "interchange/goal.h"
#include "interchange/interchange.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"

enum { NONE = -1 };

struct graphing {
    struct workload_reading *reading;
    const struct sweep_node *node;
    bool is_trace;
    struct workload_trace trace; /* of GOAL only its program and dag */
    struct sim_graph *graph;
    int64_t *bytes; /* of messages: each size once, rising; owned */
    size_t sizes;
    struct workload_call *kind; /* of collectives: each once, sorted; owned */
    size_t kinds;
};

static int fail(const struct graphing *graphing, int32_t rank, int32_t line, const char *what)
{
    return sup_fail(graphing->reading->error, RB_EINVAL, "%.180s:%s%" PRId32 ": %s",
                    graphing->is_trace ? workload_trace_path(&graphing->trace, rank)
                                       : graphing->node->word,
                    graphing->trace.nodes ? " node " : "", line, what);
}

static int32_t fifo_of(const struct prg_step *step)
{
    return step->out != PRG_NONE ? step->out : step->in;
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Numbers the messages, of which the k-th of a FIFO is first[fifo] + k. Receives come first, whose
 * bytes sends must have; in traces no more than those. */
static int match_ends(struct graphing *graphing, bool sends, const int32_t first[], int32_t met[],
                      int64_t size[])
{
    const struct prg_program *program = &graphing->trace.program;
    for (int32_t r = 0; r < program->ranks; r++) {
        const struct inter_dag *dag = &graphing->trace.dag[r];
        struct sim_task *task = &graphing->graph->task[graphing->graph->first[r]];
        for (int32_t t = 0; t < dag->tasks; t++) {
            const int32_t fifo = sends ? dag->step[t].out : dag->step[t].in;
            if (fifo == PRG_NONE)
                continue;
            if (program->fifo[fifo].from == program->fifo[fifo].to)
                return fail(graphing, r, dag->step[t].line, "a rank sends to itself");
            if (met[fifo] == (sends ? met[fifo + program->fifos] : first[fifo + 1] - first[fifo]))
                return fail(graphing, r, dag->step[t].line, "no other end meets this one");
            task[t].message = first[fifo] + met[fifo]++;
            if (sends && (graphing->is_trace ? size[task[t].message] < dag->bytes[t]
                                             : size[task[t].message] != dag->bytes[t]))
                return fail(graphing, r, dag->step[t].line,
                            graphing->is_trace ? "more bytes than are received"
                                               : "other bytes than are received");
            size[task[t].message] = dag->bytes[t];
        }
    }
    return RB_OK;
}

static int match(struct graphing *graphing, const int32_t first[], int64_t size[])
{
    const size_t fifos = (size_t)graphing->trace.program.fifos;
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
    const struct prg_program *program = &graphing->trace.program;
    int32_t *first = sup_calloc((size_t)program->fifos + 2, sizeof *first);
    for (int32_t r = 0; r < program->ranks; r++)
        for (int32_t t = 0; t < graphing->trace.dag[r].tasks; t++)
            if (graphing->trace.dag[r].step[t].out != PRG_NONE)
                first[graphing->trace.dag[r].step[t].out + 1]++;
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
    for (int32_t r = 0; r < program->ranks && status == RB_OK; r++)
        for (int32_t t = 0; t < graphing->trace.dag[r].tasks; t++)
            if (graphing->trace.dag[r].step[t].in != PRG_NONE)
                graphing->trace.dag[r].bytes[t] =
                    size[graphing->graph->task[graphing->graph->first[r] + t].message];
    qsort(size, (size_t)count, sizeof *size, workload_by_number);
    for (int32_t m = 0; m < count; m++)
        if (graphing->sizes == 0 || size[m] != size[graphing->sizes - 1])
            size[graphing->sizes++] = size[m];
    graphing->bytes = size;
    free(first);
    return status;
}

/* ---- Collectives ----------------------------------------------------------------------------- */

static bool meets(const struct sim_communicators *set, const struct workload_group *group,
                  int32_t ranks)
{
    for (int32_t r = 0; r < ranks; r++)
        if (group->is[r] && set->of[r] >= 0)
            return true;
    return false;
}

/* Makes sets of groups without a common rank, and gives each call the set of its group in place of
 * that. */
static void add_groups(struct graphing *graphing)
{
    struct workload_trace *trace = &graphing->trace;
    struct sim_job *job = graphing->reading->job;
    const int32_t own = job->sets;
    for (int32_t g = 1; g < trace->groups; g++) {
        struct workload_group *group = &trace->group[g];
        int32_t s = own;
        while (s < job->sets && meets(&job->set[s], group, job->ranks))
            s++;
        if (s == job->sets) {
            sup_grow(&job->set, (size_t)job->sets, sizeof *job->set);
            job->set[job->sets++] =
                (struct sim_communicators){.name = sup_format("groups like %s", group->name),
                                           .of = sup_malloc((size_t)job->ranks * sizeof(int32_t))};
            memset(job->set[s].of, NONE, (size_t)job->ranks * sizeof(int32_t));
        }
        for (int32_t r = 0; r < job->ranks; r++)
            if (group->is[r])
                job->set[s].of[r] = job->set[s].count;
        job->set[s].count++;
        group->set = s;
    }
    for (int32_t s = own; s < job->sets; s++)
        sim_communicators_fill(&job->set[s], job->ranks, NULL);
    for (int32_t i = 0; i < trace->calls && trace->groups > 0; i++)
        trace->call[i].group = trace->group[trace->call[i].group].set;
}

/* ---- Steps and tasks ------------------------------------------------------------------------- */

SUP_COMPARE(by_kind, struct workload_call, strcmp(a->action, b->action),
            SUP_ORDER(a->group, b->group), SUP_ORDER(a->bytes, b->bytes),
            SUP_ORDER(a->root, b->root));

/* Each collective once that differs from others by more than its place. */
static void find_kinds(struct graphing *graphing)
{
    const struct workload_trace *trace = &graphing->trace;
    const size_t calls = (size_t)trace->calls, size = sizeof *graphing->kind;
    graphing->kind = sup_calloc(calls + 1, size);
    if (calls > 0)
        memcpy(graphing->kind, trace->call, calls * size);
    qsort(graphing->kind, calls, size, by_kind);
    for (size_t i = 0; i < calls; i++)
        if (i == 0 || by_kind(&graphing->kind[i], &graphing->kind[graphing->kinds - 1]) != 0)
            graphing->kind[graphing->kinds++] = graphing->kind[i];
}

/* That the trace has the actions of which the key `collectives` says something. */
static int check_collectives(const struct graphing *graphing)
{
    const struct sweep_node *said = graphing->reading->collectives;
    for (size_t i = 0; said != NULL && i < said->count; i += 2) {
        size_t k = 0;
        while (k < graphing->kinds && said->kind == SWEEP_MAPPING &&
               strcmp(graphing->kind[k].action, said->item[i]->word) != 0)
            k++;
        if (k == graphing->kinds)
            return workload_fault(graphing->reading, said->item[i], "collectives",
                                  "the graph has none of this name");
    }
    return RB_OK;
}

static void add_message(struct workload_move *move, int64_t bytes)
{
    struct sim_pattern *pattern = sup_calloc(1, sizeof *pattern);
    *pattern = (struct sim_pattern){.kind = SIM_MATRIX, .count = 1};
    sup_grow(&pattern->sent, 0, sizeof *pattern->sent);
    pattern->sent[0] = (struct sim_sent){0, 1, bytes, 0};
    move->pattern = pattern;
    move->collective = rb_collective_find("none");
    move->element = 1;
}

/* As the key `collectives` says. */
static int add_collective(struct graphing *graphing, const struct workload_call *kind, int32_t s)
{
    static const char *const fixed[] = {"in", "bytes", "element-bytes", "root", "counts"};
    struct workload_reading *reading = graphing->reading;
    struct workload_move *move = &reading->part->step[s].move;
    const struct sweep_node *said = sweep_member(reading->collectives, kind->action);
    reading->step = s;
    reading->job->step[s].set = kind->group;
    move->collective = rb_collective_find(kind->collective);
    move->bytes = kind->bytes;
    move->element = kind->element;
    move->root = kind->root;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (sweep_member(said, fixed[i]) != NULL)
            return workload_fault(reading, said, fixed[i], "the trace has it");
    const int status =
        said == NULL ? RB_OK : workload_read_mapping(reading, said, &workload_move_keys, move);
    return status == RB_OK ? workload_check_plans(reading, said) : status;
}

/* "all_reduce of 1 MiB in groups like 2" */
static char *name_of(const struct sim_job *job, const struct workload_call *kind)
{
    char text[32];
    return sup_format(
        "%s of %s%s%s", kind->action, sup_format_bytes(kind->bytes, text, sizeof text),
        kind->group > 0 ? " in " : "", kind->group > 0 ? job->set[kind->group].name : "");
}

/* Computing, a message of each size, and collectives. */
static int add_steps(struct graphing *graphing)
{
    struct workload_part *part = graphing->reading->part;
    struct sim_job *job = graphing->reading->job;
    const int32_t sizes = 1 + (int32_t)graphing->sizes;
    int status = RB_OK;
    char text[32];
    job->steps = part->steps = sizes + (int32_t)graphing->kinds;
    job->step = sup_calloc((size_t)job->steps, sizeof *job->step);
    part->step = sup_calloc((size_t)job->steps, sizeof *part->step);
    for (int32_t s = 0; s < job->steps && status == RB_OK; s++) {
        const int64_t bytes = s > 0 && s < sizes ? graphing->bytes[s - 1] : 0;
        job->step[s] = (struct sim_step){
            .kind = s > 0 ? SIM_MOVE : SIM_COMPUTE,
            .name = s == 0 ? sup_strdup("compute")
                    : s < sizes
                        ? sup_format("message of %s", sup_format_bytes(bytes, text, sizeof text))
                        : name_of(job, &graphing->kind[s - sizes]),
            .label = -1,
            .times = 1,
            .set = 1};
        part->step[s].move.node = graphing->node;
        if (s > 0 && s < sizes)
            add_message(&part->step[s].move, bytes);
        else if (s > 0)
            status = add_collective(graphing, &graphing->kind[s - sizes], s);
    }
    return status;
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
    const int32_t call = dag->step[t].count;
    if (call > 0)
        return 1 + (int32_t)graphing->sizes +
               (int32_t)((const struct workload_call *)bsearch(&graphing->trace.call[call - 1],
                                                               graphing->kind, graphing->kinds,
                                                               sizeof *graphing->kind, by_kind) -
                         graphing->kind);
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
    const int32_t ranks = graphing->trace.program.ranks;
    const double unit_s = graphing->is_trace ? 1e-12 : 1e-9;
    int64_t tasks = 0, edges = 0;
    graph->first = sup_calloc((size_t)ranks + 1, sizeof *graph->first);
    for (int32_t r = 0; r < ranks; r++) {
        tasks += graphing->trace.dag[r].tasks;
        edges += graphing->trace.dag[r].edges;
        if (tasks > INT32_MAX / 2 || edges > INT32_MAX / 2)
            return fail(graphing, 0, 1, "too many operations");
        graph->first[r + 1] = (int32_t)tasks;
    }
    if (tasks == 0)
        return fail(graphing, 0, 1, "no rank does anything");
    graph->task = sup_calloc((size_t)tasks + 1, sizeof *graph->task);
    graph->leads = sup_calloc((size_t)tasks + 2, sizeof *graph->leads);
    graph->edge = sup_calloc((size_t)edges + 1, sizeof *graph->edge);
    for (int32_t r = 0; r < ranks; r++) {
        const struct inter_dag *dag = &graphing->trace.dag[r];
        for (int32_t t = 0; t < dag->tasks; t++)
            graph->task[graph->first[r] + t] =
                (struct sim_task){.compute_s = unit_s * (double)dag->bytes[t],
                                  .message = NONE,
                                  .sends = dag->step[t].out != PRG_NONE,
                                  .stream = dag->stream[t],
                                  .line = dag->step[t].line};
        add_edges(graph, dag, graph->first[r]);
    }
    return RB_OK;
}

/* What the rank's tasks do; its k-th collective in a set is the k-th of its communicator there. */
static void finish_tasks(struct graphing *graphing, int32_t r)
{
    struct sim_job *job = graphing->reading->job;
    const struct inter_dag *dag = &graphing->trace.dag[r];
    int32_t *called = sup_calloc((size_t)job->sets, sizeof *called);
    job->streams = dag->streams > job->streams ? dag->streams : job->streams;
    for (int32_t t = 0; t < dag->tasks; t++) {
        struct sim_task *task = &graphing->graph->task[graphing->graph->first[r] + t];
        task->step = step_of(graphing, dag, t);
        if (dag->step[t].count > 0)
            task->message = called[job->step[task->step].set]++;
        task->line = graphing->trace.nodes ? 0 : task->line;
    }
    free(called);
}

static int make(struct graphing *graphing)
{
    struct sim_job *job = graphing->reading->job;
    struct sim_graph *graph = job->graph = graphing->graph = sup_calloc(1, sizeof *graph);
    if (graphing->trace.program.ranks != job->ranks)
        return workload_fault(graphing->reading, graphing->node, "graph",
                              "%s is of %" PRId32 " ranks, the job has %" PRId32,
                              graphing->node->word, graphing->trace.program.ranks, job->ranks);
    int status = begin_graph(graphing);
    if (status == RB_OK)
        status = add_messages(graphing);
    if (status != RB_OK)
        return status;
    add_groups(graphing);
    find_kinds(graphing);
    status = check_collectives(graphing);
    if (status == RB_OK)
        status = add_steps(graphing);
    for (int32_t r = 0; r < job->ranks && status == RB_OK; r++)
        finish_tasks(graphing, r);
    return status;
}

/* The file, in its format. */
static int read_file(struct graphing *graphing)
{
    struct workload_reading *reading = graphing->reading;
    struct workload_trace *trace = &graphing->trace;
    const char *path = graphing->node->word;
    const struct workload_source *source = workload_source_of(path);
    struct sup_lines lines = {0};
    int status = sup_input("graph", path, reading->error);
    if (status != RB_OK)
        return status;
    trace->speed = reading->speed;
    graphing->is_trace = source != &workload_goal;
    if (source == &workload_chakra)
        return workload_read_chakra(path, trace, reading->error);
    if (graphing->is_trace)
        return workload_read_trace(path, trace, reading->error);
    if (reading->speed > 0)
        return workload_fault(reading, graphing->node, "speed", "a file in GOAL has times");
    status = sup_lines_read(&lines, path, reading->error);
    if (status == RB_OK)
        status = inter_read_goal_graph(&lines, &trace->program, &trace->dag, reading->error);
    free(lines.text);
    return status;
}

/* What was read, and what has no place in the workload. */
static void say(const struct workload_trace *trace, struct out_verdict *said)
{
    out_verdict_say(said, "%" PRId32 " ranks, %" PRId32 " collectives.", trace->program.ranks,
                    trace->calls);
    if (trace->left_out > 0)
        out_verdict_say(said, "Left out: %" PRId64 " %s, which take no time.", trace->left_out,
                        trace->nodes ? "nodes for memory and other things"
                                     : "actions test, location and comm_size");
    if (trace->unknown > 0)
        out_verdict_say(
            said, "Of the nodes left out %" PRId64 " are of unknown types, such as %" PRId32 ".",
            trace->unknown, trace->unknown_type);
}

int workload_read_graph(struct workload_reading *reading, const struct sweep_node *node)
{
    struct graphing graphing = {.reading = reading, .node = node};
    if (reading->job->until_others || reading->job->calls || reading->repetitions > 1)
        return workload_fault(reading, node, "graph",
                              "without until, repetitions and progress: calls");
    int status = read_file(&graphing);
    if (status == RB_OK)
        status = make(&graphing);
    if (status == RB_OK && graphing.is_trace)
        say(&graphing.trace, &reading->file->said);
    workload_free_trace(&graphing.trace);
    free(graphing.bytes);
    free(graphing.kind);
    return status;
}

/* ---- A file in place of a workload ----------------------------------------------------------- */

static bool is_goal(const char *path, const char *head, size_t size)
{
    char *text = sup_strndup(head != NULL ? head : "", size);
    const bool is = inter_goal_reader.knows(text + strspn(text, " \t\r\n"));
    (void)path;
    free(text);
    return is;
}

void workload_write_graph(FILE *text, int32_t ranks, const char *path)
{
    fprintf(text, "  - {ranks: %" PRId32 ", graph: \"", ranks);
    for (; *path != '\0'; path++)
        if ((unsigned char)*path < ' ')
            fprintf(text, "\\x%02x", (unsigned)*path);
        else
            fprintf(text, strchr("\"\\", *path) != NULL ? "\\%c" : "%c", *path);
    fputc('"', text);
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
    if (number != NULL && sscanf(number, "num_ranks %d", &ranks) == 1 && ranks > 0) {
        fputs("jobs:\n", text);
        workload_write_graph(text, ranks, path);
        fputs("}\n", text);
    } else if (status == RB_OK)
        sup_fail(error, RB_EINVAL, "%s: missing: num_ranks RANKS", path);
    free(lines.text);
    return status != RB_OK || ranks > 0 ? status : RB_EINVAL;
}

const struct workload_source workload_goal = {"GOAL", is_goal, write_goal};
