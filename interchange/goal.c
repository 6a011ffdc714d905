/* goal.c - see goal.h. The format: Hoefler, Siebert, Lumsdaine, "Group Operation Assembly
 * Language", ICPP 2009; what is accepted is what LogGOPSim's txt2bin accepts:
 *
 *   num_ranks 2
 *   rank 0 {
 *   a: calc 500                          nanoseconds
 *   b: send 8b to 1 tag 3 cpu 0 nic 0
 *   b requires a                         b begins when a is done
 *   }
 *
 * A label stands before the lines that use it. */
#include "interchange/goal.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/interchange.h"
#include "interchange/programs/program.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- The reader ------------------------------------------------------------------------------ */

enum { MOST_RANKS = 1 << 22 };

/* Part of a line, which stays in memory. */
struct word {
    const char *text;
    int length;
};

struct label {
    struct word word;
    int32_t task;
};

struct reader {
    struct sup_lines *lines;
    struct sup_error *error;
    struct prg_program *program;
    int64_t *bytes; /* its */
    int64_t computation_ns, bytes_in_all;
    const char *at; /* in the line */
    bool in_comment;
    bool *seen;              /* per rank */
    struct inter_dag *graph; /* per rank, if no program is made; the caller's */
    bool wants_graph;
    int32_t rank; /* the present one, or PRG_NONE; its operations and labels: */
    struct inter_dag dag;
    struct label *label;
    int32_t labels;
    struct sup_map places; /* of labels */
};

static int fail(const struct reader *reader, const char *what, struct word word)
{
    return sup_fail(reader->error, RB_EINVAL, "%.180s:%d:%d: %s%.*s", reader->lines->path,
                    (int)reader->lines->at, (int)(reader->at - reader->lines->line) + 1, what,
                    word.length, word.text);
}

static int miss(const struct reader *reader, const char *what)
{
    return fail(reader, "missing: ", (struct word){what, (int)strlen(what)});
}

/* ---- A line ---- */

/* Makes blanks of the line's comments. */
static void blank_comments(struct reader *reader)
{
    for (char *c = reader->lines->line; *c != '\0'; c++) {
        const char *pair = reader->in_comment ? "*/" : "/*";
        if (!reader->in_comment && c[0] == '/' && c[1] == '/') {
            *c = '\0';
            return;
        }
        const bool border = c[0] == pair[0] && c[1] == pair[1];
        if (border || reader->in_comment)
            *c = ' ';
        if (border) {
            *++c = ' ';
            reader->in_comment = !reader->in_comment;
        }
    }
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
    return reader->at;
}

static bool take_sign(struct reader *reader, char c)
{
    const bool there = *skip_blanks(reader) == c;
    reader->at += there;
    return there;
}

/* The next word; empty if there is none. */
static struct word take_word(struct reader *reader)
{
    struct word word = {skip_blanks(reader), 0};
    while (is_of_word(*reader->at))
        reader->at++;
    word.length = (int)(reader->at - word.text);
    return word;
}

static bool is_word(struct word word, const char *text)
{
    return strncmp(word.text, text, (size_t)word.length) == 0 && text[word.length] == '\0';
}

/* Takes the word if it is this one. */
static bool take_keyword(struct reader *reader, const char *text)
{
    const struct word word = take_word(reader);
    if (is_word(word, text))
        return true;
    reader->at = word.text;
    return false;
}

static int take_number(struct reader *reader, const char *what, int64_t most, int64_t *value)
{
    char *end;
    if (*skip_blanks(reader) == '-')
        return fail(reader, "what matches anything can't be matched beforehand",
                    (struct word){"", 0});
    if (!isdigit((unsigned char)*reader->at))
        return miss(reader, what);
    errno = 0;
    *value = strtoll(reader->at, &end, 10);
    if (errno != 0 || *value > most)
        return fail(reader, "too large: ", (struct word){reader->at, (int)(end - reader->at)});
    reader->at = end;
    return RB_OK;
}

/* ---- Labels ---- */

/* The label of this word, or a new one, of the next operation. */
static const struct label *find_label(struct reader *reader, struct word word)
{
    for (uint64_t hash = sup_hash_bytes(SUP_HASH_START, word.text, (size_t)word.length);;
         hash += 2) {
        const int64_t i = *sup_map_at(&reader->places, hash, reader->labels);
        if (i == reader->labels) {
            sup_grow(&reader->label, (size_t)reader->labels, sizeof *reader->label);
            reader->label[reader->labels++] = (struct label){word, reader->dag.tasks};
        }
        const struct label *label = &reader->label[i];
        if (label->word.length == word.length &&
            memcmp(label->word.text, word.text, (size_t)word.length) == 0)
            return label;
    }
}

static int add_label(struct reader *reader, struct word word)
{
    const int32_t labels = reader->labels;
    find_label(reader, word);
    return labels < reader->labels ? RB_OK : fail(reader, "a label that stands twice: ", word);
}

static int find_task(struct reader *reader, struct word word, int32_t *task)
{
    const int32_t labels = reader->labels;
    *task = find_label(reader, word)->task;
    return labels == reader->labels ? RB_OK
                                    : fail(reader, "no operation before has the label ", word);
}

/* ---- Statements ---- */

static int add_operation(struct reader *reader, struct prg_step step, int64_t bytes)
{
    step.line = reader->lines->at;
    inter_dag_add(&reader->dag, &step, bytes);
    return RB_OK;
}

/* An optional word with a number behind it. */
static int take_option(struct reader *reader, const char *word, int64_t most, int64_t *value)
{
    return take_keyword(reader, word) ? take_number(reader, word, most, value) : RB_OK;
}

static int take_message(struct reader *reader, bool send)
{
    int64_t bytes, peer, tag = 0, unused;
    int status = take_number(reader, "BYTES", INT64_MAX, &bytes);
    if (status == RB_OK && (!take_sign(reader, 'b') || !take_keyword(reader, send ? "to" : "from")))
        return miss(reader, send ? "'b to RANK'" : "'b from RANK'");
    if (status == RB_OK)
        status = take_number(reader, "RANK", reader->program->ranks - 1, &peer);
    if (status == RB_OK)
        status = take_option(reader, "tag", UINT32_MAX, &tag);
    if (status == RB_OK)
        status = take_option(reader, "cpu", INT32_MAX, &unused);
    if (status == RB_OK)
        status = take_option(reader, "nic", INT32_MAX, &unused);
    if (status != RB_OK)
        return status;
    if (__builtin_add_overflow(reader->bytes_in_all, bytes, &reader->bytes_in_all))
        return fail(reader, "all messages have more than 2^63 bytes", (struct word){"", 0});
    struct prg_step step = prg_step_of(reader->rank);
    const int32_t from = send ? reader->rank : (int32_t)peer;
    const int32_t to = send ? (int32_t)peer : reader->rank;
    const int32_t fifo = prg_fifo_of(reader->program, from, to, (int32_t)(uint32_t)tag, false);
    sup_had_memory(fifo != PRG_NONE);
    *(send ? &step.out : &step.in) = fifo;
    return add_operation(reader, step, bytes);
}

static int take_calculation(struct reader *reader)
{
    int64_t ns, unused;
    int status = take_number(reader, "NANOSECONDS", INT64_MAX, &ns);
    if (status == RB_OK)
        status = take_option(reader, "cpu", INT32_MAX, &unused);
    if (status != RB_OK)
        return status;
    if (__builtin_add_overflow(reader->computation_ns, ns, &reader->computation_ns))
        reader->computation_ns = INT64_MAX;
    return add_operation(reader, prg_step_of(reader->rank), reader->wants_graph ? ns : 0);
}

static int take_dependence(struct reader *reader, struct word label, bool start)
{
    struct inter_edge edge = {.start = start};
    int status = find_task(reader, label, &edge.task);
    if (status == RB_OK)
        status = find_task(reader, take_word(reader), &edge.needs);
    if (status == RB_OK)
        inter_dag_wait(&reader->dag, edge);
    return status;
}

/* [LABEL:] OPERATION, or LABEL requires LABEL. */
static int take_statement(struct reader *reader)
{
    struct word word = take_word(reader);
    if (word.length > 0 && take_sign(reader, ':')) {
        const int status = add_label(reader, word);
        if (status != RB_OK)
            return status;
        word = take_word(reader);
    }
    if (is_word(word, "send") || is_word(word, "recv"))
        return take_message(reader, is_word(word, "send"));
    if (is_word(word, "calc"))
        return take_calculation(reader);
    if (take_keyword(reader, "requires"))
        return take_dependence(reader, word, false);
    if (take_keyword(reader, "irequires"))
        return take_dependence(reader, word, true);
    return miss(reader, "send, recv, calc, requires or irequires");
}

/* ---- The file ---- */

static int finish_rank(struct reader *reader)
{
    struct inter_dag *dag = &reader->dag;
    const int32_t circle = inter_dag_finish(dag);
    if (circle >= 0)
        return sup_fail(reader->error, RB_EINVAL,
                        "%.180s:%d: the operation requires itself by way of others",
                        reader->lines->path, (int)dag->step[circle].line);
    if (reader->wants_graph) {
        reader->graph[reader->rank] = *dag;
        *dag = (struct inter_dag){0};
    } else {
        inter_dag_threads(dag, reader->program, reader->rank, &reader->bytes);
        inter_dag_free(dag);
    }
    free(reader->label);
    free(reader->places.of);
    reader->label = NULL;
    reader->places = (struct sup_map){0};
    reader->labels = 0;
    reader->rank = PRG_NONE;
    return RB_OK;
}

static int begin_rank(struct reader *reader)
{
    int64_t rank;
    if (!take_keyword(reader, "rank"))
        return miss(reader, "'rank RANK {'");
    const int status = take_number(reader, "RANK", reader->program->ranks - 1, &rank);
    if (status != RB_OK)
        return status;
    if (!take_sign(reader, '{'))
        return miss(reader, "{");
    if (reader->seen[rank])
        return fail(reader, "the rank stands twice", (struct word){"", 0});
    reader->seen[rank] = true;
    reader->rank = (int32_t)rank;
    return RB_OK;
}

static int take_count(struct reader *reader)
{
    int64_t ranks;
    if (!take_keyword(reader, "num_ranks"))
        return miss(reader, "num_ranks");
    const int status = take_number(reader, "RANKS", MOST_RANKS, &ranks);
    if (status != RB_OK)
        return status;
    if (ranks == 0)
        return fail(reader, "there must be a rank", (struct word){"", 0});
    sup_had_memory(prg_init(reader->program, (int32_t)ranks) == RB_OK);
    reader->seen = sup_calloc((size_t)ranks, sizeof *reader->seen);
    if (reader->wants_graph)
        reader->graph = sup_calloc((size_t)ranks, sizeof *reader->graph);
    return RB_OK;
}

/* Up to the end of the line, except for braces. */
static int take_part(struct reader *reader)
{
    if (reader->program->ranks == 0)
        return take_count(reader);
    if (reader->rank == PRG_NONE)
        return begin_rank(reader);
    if (take_sign(reader, '}'))
        return finish_rank(reader);
    const int status = take_statement(reader);
    if (status == RB_OK && *skip_blanks(reader) != '\0' && *reader->at != '}')
        return miss(reader, "the end of the line");
    return status;
}

static int read_file(struct reader *reader)
{
    while (sup_lines_next(reader->lines)) {
        blank_comments(reader);
        reader->at = reader->lines->line;
        while (*skip_blanks(reader) != '\0') {
            const int status = take_part(reader);
            if (status != RB_OK)
                return status;
        }
    }
    if (reader->program->ranks == 0 || reader->rank != PRG_NONE)
        return sup_fail(reader->error, RB_EINVAL, "%.180s:%d: the file ends before %s",
                        reader->lines->path, (int)reader->lines->at,
                        reader->program->ranks == 0 ? "num_ranks" : "}");
    return reader->wants_graph
               ? RB_OK
               : inter_finish_program(reader->program, reader->lines->path, reader->error);
}

/* Whether a file that begins so, after blanks, can be GOAL. */
static bool goal_knows(const char *text)
{
    return strncmp(text, "num_ranks", 9) == 0 || strncmp(text, "//", 2) == 0 ||
           strncmp(text, "/*", 2) == 0;
}

static int read(struct reader *reader)
{
    reader->rank = PRG_NONE;
    *reader->program = (struct prg_program){0};
    const int status = read_file(reader);
    reader->program->bytes = reader->bytes;
    free(reader->seen);
    free(reader->label);
    free(reader->places.of);
    inter_dag_free(&reader->dag);
    return status;
}

int inter_read_goal(struct sup_lines *lines, struct prg_program *program, int64_t *computation_ns,
                    struct sup_error *error)
{
    struct reader reader = {.lines = lines, .error = error, .program = program};
    const int status = read(&reader);
    if (computation_ns != NULL)
        *computation_ns = reader.computation_ns;
    return status;
}

int inter_read_goal_graph(struct sup_lines *lines, struct prg_program *program,
                          struct inter_dag **dag, struct sup_error *error)
{
    struct reader reader = {
        .lines = lines, .error = error, .program = program, .wants_graph = true};
    const int status = read(&reader);
    *dag = reader.graph;
    return status;
}

static int read_plan(struct sup_lines *lines, struct inter_plan *plan)
{
    struct prg_program program;
    int64_t computation_ns;
    int status = inter_read_goal(lines, &program, &computation_ns, plan->error);
    if (status != RB_OK) {
        prg_free(&program);
        return status;
    }
    status = inter_take_program(plan, lines, &program, 0);
    plan->program->untimed_ns = computation_ns;
    return status;
}

const struct inter_reader inter_goal_reader = {"GOAL", goal_knows, read_plan};

/* ---- Graphs of operations -------------------------------------------------------------------- */

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
    sup_had_memory(prg_add(program, step) == RB_OK);
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

/* One step that waits, added if it is asked for. */
static int32_t add_wait(struct threads *threads, const struct prg_step *wait, bool adds)
{
    if (adds)
        add_step(threads, wait, 0);
    return 1;
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
            if (waits++ > 0)
                before += add_wait(threads, &wait, adds);
            wait = need;
        }
    if (by_itself && waits > 0)
        before += add_wait(threads, &wait, adds);
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
        sup_had_memory(prg_begin_thread(program, rank, begun++) == RB_OK);
        for (int32_t t = dag->order[i]; t != NONE; t = dag->next[t])
            add_task(&threads, t, true);
    }
    free(length);
    free(threads.first);
    free(threads.edge);
    free(threads.place);
}
