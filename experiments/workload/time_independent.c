/* time_independent.c - SimGrid's time-independent traces, as `smpirun -trace-ti` writes them and
 * SMPI's replay takes them (SimGrid 3.32, src/smpi/internals/smpi_replay.cpp): lines
 *
 *     RANK ACTION ARGUMENTS       0 bcast 1000 2 0
 *
 * of all ranks in one file, or in a file for each rank, which another file lists. A rank's actions
 * become tasks: each needs what its rank waited for last, and a wait needs messages. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/workload/reading.h"
#include "experiments/workload/source.h"
#include "support/data_files.h"
#include "support/memory.h"

enum { NONE = -1, MOST_SECONDS = 1000000, EAGER_BYTES = 65536 };
static const double most_bytes = 4e18;

/* Bytes of the datatypes by their numbers (src/smpi/mpi/smpi_datatype.cpp). */
static const uint8_t type_bytes[] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                     4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                     8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                     4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};

/* What an action does, in this order. */
enum {
    SENDS = 1,
    RECEIVES = 2,
    FINDS = 4,
    WAITS = 8,
    WAITS_FOR_ALL = 16,
    BEGINS = 32,
    ENDS = 64,
    SPLITS = 128,
    IS_LEFT_OUT = 256,
    SHARES = 512
};

/* Letters of arguments: c a count; C and X as many counts as there are ranks; x and X are not used;
 * n a receive's count, -1 if it is not known; f flops, s seconds; g a tag; a and b ranks that send
 * and receive. As far as they are there: r a root, t a datatype, u another one; * anything. */
static const struct action {
    const char *name, *form;
    int does;
    const char *collective; /* with SHARES counts are a rank's own: those of all ranks are added */
} actions[] = {
    {"init", "*", BEGINS, NULL},
    {"finalize", "", ENDS, NULL},
    {"comm_size", "*", IS_LEFT_OUT, NULL},
    {"location", "*", IS_LEFT_OUT, NULL},
    {"test", "*", IS_LEFT_OUT, NULL},
    {"comm_split", "*", SPLITS, NULL},
    {"comm_dup", "*", SPLITS, NULL},
    {"compute", "f", 0, NULL},
    {"sleep", "s", 0, NULL},
    {"send", "bgct", SENDS | WAITS, NULL},
    {"isend", "bgct", SENDS, NULL},
    {"recv", "agnt", RECEIVES | WAITS, NULL},
    {"irecv", "agnt", RECEIVES, NULL},
    {"sendRecv", "cbnatu", SENDS | RECEIVES | WAITS, NULL},
    {"wait", "abg", FINDS | WAITS, NULL},
    {"waitall", "*", WAITS_FOR_ALL, NULL},
    {"barrier", "", 0, "allreduce"},
    {"bcast", "crt", 0, "bcast"},
    {"reduce", "cfrt", 0, "reduce"},
    {"allreduce", "cft", 0, "allreduce"},
    {"scan", "cft", 0, "scan"},
    {"exscan", "cft", 0, "exscan"},
    {"reducescatter", "Cft", 0, "reduce-scatter"},
    {"alltoall", "cxtu", SHARES, "alltoall"},
    {"alltoallv", "xCxXtu", SHARES, "alltoall"},
    {"gather", "cxrtu", SHARES, "gather"},
    {"gatherv", "cXrtu", SHARES, "gather"},
    {"scatter", "xcrut", SHARES, "scatter"},
    {"scatterv", "Xcrut", SHARES, "scatter"},
    {"allgather", "cxtu", SHARES, "allgather"},
    {"allgatherv", "cXtu*", SHARES, "allgather"},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* A rank so far. */
struct rank {
    int32_t line;        /* the task that it waited for last; NONE */
    int32_t calls, type; /* bytes of the datatype where none is given */
    bool begun, ended;
    struct started {
        int32_t from, to, tag, task; /* task NONE: it need not wait for it */
    } * started;                     /* messages that it has not waited for; owned */
    size_t count;
};

struct reader {
    struct workload_trace *trace;
    struct sup_error *error;
    const struct sup_lines *lines;
    struct rank *rank; /* per rank; owned */
    int32_t r;         /* whose line is read */
    const struct action *action;
    char *at;          /* in the line */
    double given[128]; /* arguments by letter, added */
};

static int fail(const struct reader *reader, const char *what, const char *word)
{
    return sup_fail(reader->error, RB_EINVAL, "%.180s:%" PRId32 ": %s: %s%.60s",
                    reader->lines->path, reader->lines->at, reader->action->name, what, word);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* The next word, whose end is cut off; "": there is none. */
static char *take_word(struct reader *reader)
{
    char *word = reader->at + strspn(reader->at, " \t\r");
    reader->at = word + strcspn(word, " \t\r");
    reader->at += strspn(reader->at, " \t\r");
    word[strcspn(word, " \t\r")] = '\0';
    return word;
}

/* Counts may be written as real numbers, which SMPI rounds down. */
static int take_number(struct reader *reader, char letter)
{
    const bool is_rank = strchr("abr", letter) != NULL, is_type = strchr("tu", letter) != NULL,
               is_real = strchr("fs", letter) != NULL;
    const double most = is_rank         ? reader->trace->program.ranks - 1
                        : is_type       ? sizeof type_bytes - 1
                        : letter == 'g' ? INT32_MAX
                        : is_real       ? 1e300
                                        : 0x1p53;
    const char *word = take_word(reader);
    char *end, range[80];
    double value = strtod(word, &end);
    if (word[0] == '\0' || *end != '\0' || !(value >= (letter == 'n' ? -1 : 0) && value <= most)) {
        snprintf(range, sizeof range, "%s from 0 to %g is required, not ",
                 is_rank   ? "a rank"
                 : is_type ? "a datatype"
                           : "a number",
                 most);
        return fail(reader, range, word);
    }
    value = is_real ? value : trunc(value);
    reader->given[(int)letter] += is_type ? type_bytes[(int)value] : value;
    return RB_OK;
}

static int take_arguments(struct reader *reader)
{
    int status = RB_OK;
    memset(reader->given, 0, sizeof reader->given);
    for (const char *letter = reader->action->form; *letter != '\0' && status == RB_OK; letter++) {
        const bool is_end = *reader->at == '\0';
        const int32_t times = strchr("CX", *letter) ? reader->trace->program.ranks : 1;
        if (*letter == '*')
            reader->at += strlen(reader->at);
        else if (is_end && strchr("tu", *letter) != NULL)
            reader->given[(int)*letter] = reader->rank[reader->r].type;
        else if (!is_end || *letter != 'r')
            for (int32_t i = 0; i < times && status == RB_OK; i++)
                status = take_number(reader, *letter);
    }
    return status != RB_OK || *reader->at == '\0'
               ? status
               : fail(reader, "too many arguments: ", reader->at);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void add_need(struct reader *reader, int32_t needs)
{
    struct inter_dag *dag = &reader->trace->dag[reader->r];
    if (needs != NONE)
        inter_dag_wait(dag, (struct inter_edge){.task = dag->tasks - 1, .needs = needs});
}

/* A task behind what the rank waited for last. */
static int32_t add_task(struct reader *reader, struct prg_step step, int64_t amount)
{
    step.line = reader->lines->at;
    inter_dag_add(&reader->trace->dag[reader->r], &step, amount);
    add_need(reader, reader->rank[reader->r].line);
    return reader->trace->dag[reader->r].tasks - 1;
}

static int compute(struct reader *reader)
{
    const double flops = reader->given['f'], speed = reader->trace->speed,
                 seconds = reader->given['s'] + (flops > 0 ? flops / speed : 0);
    if (flops > 0 && !(speed > 0))
        return fail(reader, "a speed is required: FILE,speed=1e9, say, or --speed 1e9", "");
    if (!(seconds <= MOST_SECONDS))
        return fail(reader, "longer than 1e6 s", "");
    if (seconds > 0)
        reader->rank[reader->r].line =
            add_task(reader, prg_step_of(reader->r), llround(seconds * 1e12));
    return RB_OK;
}

/* SMPI's ranks don't wait for what they send if it is short. */
static int start(struct reader *reader, bool sends)
{
    struct rank *rank = &reader->rank[reader->r];
    struct prg_step step = prg_step_of(reader->r);
    const int32_t from = sends ? reader->r : (int32_t)reader->given['a'];
    const int32_t to = sends ? (int32_t)reader->given['b'] : reader->r;
    const int32_t tag = (int32_t)reader->given['g'];
    const double count = reader->given[sends ? 'c' : 'n'], bytes = count * reader->given['t'];
    if (from == to)
        return fail(reader, "from a rank to itself", "");
    const int32_t fifo = prg_fifo_of(&reader->trace->program, from, to, tag, false);
    if (fifo == PRG_NONE)
        sup_no_memory();
    *(sends ? &step.out : &step.in) = fifo;
    const int32_t task = add_task(reader, step, count < 0 ? INT64_MAX : (int64_t)bytes);
    sup_grow(&rank->started, rank->count, sizeof *rank->started);
    rank->started[rank->count++] =
        (struct started){from, to, tag, sends && bytes < EAGER_BYTES ? NONE : task};
    return RB_OK;
}

/* The rank waits for those of its messages that were started last. */
static void wait_for(struct reader *reader, size_t count)
{
    struct rank *rank = &reader->rank[reader->r];
    const int32_t join = count > 0 ? add_task(reader, prg_step_of(reader->r), 0) : rank->line;
    for (; count > 0; count--)
        add_need(reader, rank->started[--rank->count].task);
    rank->line = join;
}

/* The first message of these ranks and this tag is the last one from now on. */
static int find_started(struct reader *reader)
{
    struct rank *rank = &reader->rank[reader->r];
    for (size_t i = 0; i < rank->count; i++) {
        const struct started found = rank->started[i];
        if (found.from != reader->given['a'] || found.to != reader->given['b'] ||
            found.tag != reader->given['g'])
            continue;
        memmove(&rank->started[i], &rank->started[i + 1], (--rank->count - i) * sizeof found);
        rank->started[rank->count++] = found;
        return RB_OK;
    }
    return fail(reader, "no such message is in flight", "");
}

/* Adds what this rank says of its next collective to what the ranks before said. */
static int call(struct reader *reader)
{
    struct workload_trace *trace = reader->trace;
    struct rank *rank = &reader->rank[reader->r];
    const struct action *action = reader->action;
    const double *given = reader->given;
    const bool is_barrier = action->form[0] == '\0', shares = action->does & SHARES;
    const double times = strcmp(action->name, "alltoall") == 0 ? trace->program.ranks : 1,
                 bytes = is_barrier ? 1 : (given['c'] + given['C']) * given['t'] * times;
    const struct workload_call mine = {action->name,
                                       action->collective,
                                       (int32_t)given['r'],
                                       is_barrier || given['t'] < 1 ? 1 : (int32_t)given['t'],
                                       (int64_t)fmin(bytes, most_bytes),
                                       0};
    struct prg_step step = prg_step_of(reader->r);
    const bool is_first = rank->calls == trace->calls;
    if (is_first) {
        sup_grow(&trace->call, (size_t)trace->calls, sizeof *trace->call);
        trace->call[trace->calls++] = mine;
    }
    struct workload_call *its = &trace->call[rank->calls];
    if (!(bytes < most_bytes) || its->bytes > (int64_t)most_bytes - mine.bytes)
        return fail(reader, "more than 4e18 bytes", "");
    if (its->action != mine.action || its->root != mine.root ||
        (!shares && its->bytes != mine.bytes))
        return fail(reader, "other ranks call another collective, or with other bytes or root: ",
                    its->action);
    its->bytes += shares && !is_first ? mine.bytes : 0;
    its->element = its->element == mine.element ? mine.element : 1;
    step.count = ++rank->calls;
    rank->line = add_task(reader, step, 0);
    return RB_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int act(struct reader *reader)
{
    struct rank *rank = &reader->rank[reader->r];
    const int does = reader->action->does;
    int status = RB_OK;
    rank->begun |= does & BEGINS;
    rank->ended |= does & ENDS;
    if (does & SPLITS)
        return fail(reader,
                    "a trace does not say which ranks are in a communicator, and all its "
                    "collectives are of all ranks",
                    "");
    if (does & SENDS)
        status = start(reader, true);
    if (status == RB_OK && does & RECEIVES)
        status = start(reader, false);
    if (status == RB_OK && does & FINDS)
        status = find_started(reader);
    if (status == RB_OK && does & WAITS)
        wait_for(reader, does & SENDS && does & RECEIVES ? 2 : 1);
    if (does & WAITS_FOR_ALL)
        wait_for(reader, rank->count);
    if (reader->action->collective != NULL)
        status = call(reader);
    return status == RB_OK ? compute(reader) : status;
}

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < ACTIONS; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* owner: whose file it is; NONE: all ranks'. */
static int take_line(struct reader *reader, int32_t owner)
{
    static const struct action unknown = {.name = "an action"};
    struct rank *rank = reader->rank;
    reader->at = reader->lines->line;
    const char *number = take_word(reader), *name = take_word(reader);
    if (number[0] == '\0' || number[0] == '#')
        return RB_OK;
    char *end;
    const long r = strtol(number, &end, 10);
    reader->action = find_action(name);
    if (reader->action == NULL) {
        reader->action = &unknown;
        return fail(reader, "SMPI replays none of this name: ", name);
    }
    if (*end != '\0' || r < 0 || r >= reader->trace->program.ranks || (owner != NONE && r != owner))
        return fail(reader, "not of a rank of the trace, or of this file: ", number);
    reader->r = (int32_t)r;
    rank += r;
    if (rank->ended || rank->begun == (reader->action->does == BEGINS))
        return fail(reader, "actions stand between init and finalize", "");
    if (!rank->begun)
        rank->type = *reader->at == '\0' ? 1 : 8; /* MPI_BYTE; MPI_DOUBLE */
    reader->trace->left_out += (reader->action->does & IS_LEFT_OUT) != 0;
    const int status = take_arguments(reader);
    return status == RB_OK ? act(reader) : status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The text begins with a number and an action. */
static bool begins_with_action(const char *text)
{
    char name[24];
    return sscanf(text, " %*[0-9] %23s", name) == 1 && find_action(name) != NULL;
}

/* A file that a list names, as it is, or from the list's directory; NULL: there is none. Owned. */
static char *find_file(const char *list, const char *name)
{
    struct stat about;
    const char *slash = strrchr(list, '/');
    const bool is_here = stat(name, &about) == 0 || slash == NULL || name[0] == '/';
    char *found =
        is_here ? sup_strdup(name) : sup_format("%.*s/%s", (int)(slash - list), list, name);
    if (stat(found, &about) == 0 && S_ISREG(about.st_mode))
        return found;
    free(found);
    return NULL;
}

/* The file itself, or those that it lists. Of one file there are as many ranks as it has inits. */
static int find_files(struct workload_trace *trace, const char *path, int32_t *ranks,
                      struct sup_error *error)
{
    struct sup_lines lines = {0};
    char name[4096];
    int status = sup_lines_read(&lines, path, error);
    const bool is_list = status == RB_OK && !begins_with_action(lines.text);
    for (const char *at = lines.text; status == RB_OK && !is_list && (at = strstr(at, "init"));
         at++)
        *ranks += at > lines.text && strchr(" \t", at[-1]) && strchr(" \t\r\n", at[strlen("init")]);
    while (status == RB_OK && (is_list ? sup_lines_next(&lines) : trace->paths == 0)) {
        if (is_list && sscanf(lines.line, "%4095s", name) != 1)
            continue;
        sup_grow(&trace->path, (size_t)trace->paths, sizeof *trace->path);
        char *found = trace->path[trace->paths++] =
            is_list ? find_file(path, name) : sup_strdup(path);
        if (found == NULL)
            status = sup_fail(error, RB_EINVAL, "%.180s:%" PRId32 ": no such file: %.180s", path,
                              lines.at, name);
    }
    free(lines.text);
    return status;
}

static int read_files(struct reader *reader)
{
    struct workload_trace *trace = reader->trace;
    int status = RB_OK;
    for (int32_t i = 0; i < trace->paths && status == RB_OK; i++) {
        struct sup_lines lines = {0};
        reader->lines = &lines;
        status = sup_input("trace", trace->path[i], reader->error);
        if (status == RB_OK)
            status = sup_lines_read(&lines, trace->path[i], reader->error);
        while (status == RB_OK && sup_lines_next(&lines))
            status = take_line(reader, trace->paths > 1 ? i : NONE);
        free(lines.text);
    }
    for (int32_t r = 0; r < trace->program.ranks; r++) {
        if (status == RB_OK && !reader->rank[r].ended)
            status = sup_fail(reader->error, RB_EINVAL,
                              "%.180s: cut off: rank %" PRId32 " has no finalize",
                              workload_trace_path(trace, r), r);
        if (status == RB_OK)
            inter_dag_finish(&trace->dag[r]); /* tasks need those before them */
        free(reader->rank[r].started);
    }
    return status;
}

const char *workload_trace_path(const struct workload_trace *trace, int32_t rank)
{
    return trace->path[trace->paths > 1 ? rank : 0];
}

int workload_read_trace(const char *path, struct workload_trace *trace, struct sup_error *error)
{
    struct reader reader = {.trace = trace, .error = error};
    int32_t ranks = 0;
    int status = find_files(trace, path, &ranks, error);
    if (status == RB_OK && ranks == 0 && trace->paths == 1) {
        char *only = trace->path[--trace->paths];
        status = find_files(trace, only, &ranks, error);
        free(only);
    }
    ranks = trace->paths > 1 ? trace->paths : ranks;
    if (status == RB_OK && ranks == 0)
        status = sup_fail(error, RB_EINVAL, "%.180s: no rank has an init", path);
    if (status != RB_OK)
        return status;
    sup_had_memory(prg_init(&trace->program, ranks) == RB_OK);
    trace->dag = sup_calloc((size_t)ranks, sizeof *trace->dag);
    reader.rank = sup_calloc((size_t)ranks, sizeof *reader.rank);
    for (int32_t r = 0; r < ranks; r++)
        reader.rank[r].line = NONE;
    status = read_files(&reader);
    free(reader.rank);
    return status;
}

void workload_free_trace(struct workload_trace *trace)
{
    inter_free_dags(trace->dag, trace->program.ranks);
    prg_free(&trace->program);
    for (int32_t i = 0; i < trace->paths; i++)
        free(trace->path[i]);
    for (int32_t i = 0; i < trace->groups; i++) {
        free(trace->group[i].name);
        free(trace->group[i].is);
    }
    free(trace->group);
    free(trace->path);
    free(trace->call);
}

/* ---- A trace in place of a workload ---------------------------------------------------------- */

static bool is_trace(const char *path, const char *head, size_t size)
{
    char *text = sup_format("%.*s", (int)size, head != NULL ? head : ""), name[4096];
    char *file = sscanf(text, "%4095s", name) == 1 ? find_file(path, name) : NULL;
    const bool is = begins_with_action(text) || file != NULL;
    free(file);
    free(text);
    return is;
}

int workload_write_trace(workload_trace_reader *read, const char *path,
                         const struct workload_wishes *wishes, FILE *text, struct sup_error *error)
{
    struct workload_trace trace = {.speed = 1e9};
    if (wishes->ranks != 0)
        return sup_fail(error, RB_EINVAL, "%s: --ranks: a trace has the ranks that it has", path);
    const int status = read(path, &trace, error);
    if (status == RB_OK) {
        fprintf(text, "values: {speed: %.17g}\njobs:\n", wishes->speed);
        workload_write_graph(text, trace.program.ranks, path);
        fputs(", speed: $speed}\n", text);
    }
    workload_free_trace(&trace);
    return status;
}

static int write_trace(const char *path, const struct workload_wishes *wishes, FILE *text,
                       struct workload_told *told, struct sup_error *error)
{
    (void)told;
    return workload_write_trace(workload_read_trace, path, wishes, text, error);
}

const struct workload_source workload_time_independent = {"time-independent trace", is_trace,
                                                          write_trace};
