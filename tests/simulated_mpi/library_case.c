/* library_case.c - a case of the library: some calls of the functions of roundabout-mpi.h on the
 * world and on parts of it, by rule, by settings, by decision files or by the online choice, each
 * against the simulated MPI's own function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "subject.h"
#include "tests/fitting.h"

enum { MOST_CALLS = 120, DOUBLES = WORDS + 1, LIBRARY_KINDS };
enum shape {
    SHAPE_BCAST,
    SHAPE_REDUCE,
    SHAPE_COMBINED,
    SHAPE_COUNTS,
    SHAPE_ALL,
    SHAPE_GATHERV,
    SHAPE_EXCHANGE,
    SHAPE_ROOTED
};

typedef void any_fn(void);
static const struct {
    const char *collective;
    enum shape shape;
    any_fn *native;
} functions[SUBJECT_FUNCTIONS] = {
    [FUNCTION_Bcast] = {"bcast", SHAPE_BCAST, (any_fn *)PMPI_Bcast},
    [FUNCTION_Reduce] = {"reduce", SHAPE_REDUCE, (any_fn *)PMPI_Reduce},
    [FUNCTION_Allreduce] = {"allreduce", SHAPE_COMBINED, (any_fn *)PMPI_Allreduce},
    [FUNCTION_Scan] = {"scan", SHAPE_COMBINED, (any_fn *)PMPI_Scan},
    [FUNCTION_Exscan] = {"exscan", SHAPE_COMBINED, (any_fn *)PMPI_Exscan},
    [FUNCTION_Reduce_scatter_block] = {"reduce-scatter", SHAPE_COMBINED,
                                       (any_fn *)PMPI_Reduce_scatter_block},
    [FUNCTION_Reduce_scatter] = {"reduce-scatter", SHAPE_COUNTS, (any_fn *)PMPI_Reduce_scatter},
    [FUNCTION_Allgather] = {"allgather", SHAPE_ALL, (any_fn *)PMPI_Allgather},
    [FUNCTION_Alltoall] = {"alltoall", SHAPE_ALL, (any_fn *)PMPI_Alltoall},
    [FUNCTION_Allgatherv] = {"allgather", SHAPE_GATHERV, (any_fn *)PMPI_Allgatherv},
    [FUNCTION_Alltoallv] = {"alltoall", SHAPE_EXCHANGE, (any_fn *)PMPI_Alltoallv},
    [FUNCTION_Scatter] = {"scatter", SHAPE_ROOTED, (any_fn *)PMPI_Scatter},
    [FUNCTION_Gather] = {"gather", SHAPE_ROOTED, (any_fn *)PMPI_Gather},
};

struct call {
    int function, count, kind, op, root, gap;
    bool in_place, splits; /* on a part of the world, made for this call */
    int parts;
    uint64_t seed;
    char setting[100]; /* "": none is chosen here */
};

static struct {
    int p, calls;
    struct call call[MOST_CALLS];
    char environment[300];
    bool keeps_memory, gave_up[SM_MOST_RANKS];
} the;

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = a + b * UINT64_C(0x100000001b3) + c * UINT64_C(0x10001);
    return draw(&state);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void set(const char *name, const char *value)
{
    const size_t length = strlen(the.environment);
    setenv(name, value, 1);
    snprintf(the.environment + length, sizeof the.environment - length, " %s=%s", name, value);
}

/* A file with a rule for every collective. */
static void set_file(const char *name, const char *collective, const char *algorithm)
{
    static int file = -1;
    char path[40];
    if (file < 0)
        file = memfd_create("rules", 0);
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        sm_fault("no file for rules");
    dprintf(file, "roundabout-decisions 1\n%s * 64.. %s:n=3\nbcast 2..5 ..99 native\n", collective,
            algorithm);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    set(name, path);
}

static const struct rb_algorithm_info *draw_algorithm(uint64_t *random, const char *collective,
                                                      int p)
{
    const struct rb_algorithm_info *found = NULL, *at;
    uint64_t own = draw(random); /* so that the rest of the case does not depend on p */
    int count = 0;
    for (int32_t i = 0; (at = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(at->collective, collective) == 0 && fitting_ranks(at, p) == p &&
            draw_below(&own, ++count) == 0)
            found = at;
    return found;
}

static void draw_environment(uint64_t *random)
{
    static const char *const online[] = {"off", "off", "exact", "rounding"}, *const hosts[] = {
                                                                                 "2,1,3", "4",
                                                                                 "2/4", "1"};
    static const char *const names[] = {"RB_ONLINE", "RB_HOSTS", "RB_RAILS", "RB_DECISIONS",
                                        "RB_REMEMBER"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    set("RB_ONLINE", online[draw_below(random, 4)]);
    if (draw_below(random, 2) == 0)
        set("RB_HOSTS", hosts[draw_below(random, 4)]);
    if (draw_below(random, 4) == 0)
        set("RB_RAILS", "2");
    if (draw_below(random, 4) == 0) {
        const char *collective = functions[draw_below(random, SUBJECT_FUNCTIONS)].collective;
        const struct rb_algorithm_info *algorithm = draw_algorithm(random, collective, the.p);
        set_file(draw_below(random, 2) == 0 ? "RB_DECISIONS" : "RB_REMEMBER", collective,
                 algorithm != NULL ? algorithm->name : "native");
        the.keeps_memory = true; /* of the process */
    }
    the.keeps_memory = the.keeps_memory || strstr(the.environment, "ONLINE=off") == NULL;
}

static int draw_count(uint64_t *random)
{
    static const int most[] = {3, 10, 10, 30, 30, 30, 100, 600};
    return draw_below(random, most[draw_below(random, 8)]);
}

static void draw_call(uint64_t *random, struct call *call, const struct limits *limits)
{
    *call = (struct call){
        .function = draw_below(random, SUBJECT_FUNCTIONS),
        .count = (int)case_limited(limits, LIMIT_ELEMENTS, draw_count(random)),
        .kind = (int)case_limited(limits, LIMIT_KIND, draw_below(random, LIBRARY_KINDS)),
        .op = draw_below(random, 2),
        .root = draw_below(random, SM_MOST_RANKS),
        .gap = draw_below(random, 3),
        .in_place = draw_below(random, 3) == 0,
        .splits = draw_below(random, 3) == 0,
        .parts = 1 + draw_below(random, 3),
        .seed = draw(random)};
    const char *collective = functions[call->function].collective;
    const struct rb_algorithm_info *algorithm = draw_algorithm(random, collective, the.p);
    const int which = draw_below(random, 4), n = 1 + draw_below(random, 9),
              width = 1 + draw_below(random, 4);
    if (which == 0 && algorithm != NULL && !call->splits)
        snprintf(call->setting, sizeof call->setting, "%s:n=%d,window=%d", algorithm->name, n,
                 width);
    else if (which == 1)
        strcpy(call->setting, "native");
}

/* Half of the time the same call again and again, so that the online choice comes to an end. */
static void draw_all(uint64_t seed, const struct limits *limits)
{
    uint64_t random = seed;
    memset(&the, 0, sizeof the);
    the.p =
        (int)case_limited(limits, LIMIT_RANKS,
                          1 + draw_below(&random, draw_below(&random, 3) == 0 ? SM_MOST_RANKS : 7));
    draw_environment(&random);
    const bool repeats = draw_below(&random, 3) == 0;
    the.calls = (int)case_limited(limits, LIMIT_RUNS,
                                  repeats ? (the.p < 6 ? MOST_CALLS : MOST_CALLS / 4)
                                          : 1 + draw_below(&random, 6));
    for (int i = 0; i < the.calls; i++) {
        if (i == 0 || !repeats)
            draw_call(&random, &the.call[i], limits);
        else
            the.call[i] = the.call[0];
        if (repeats) {
            the.call[i].setting[0] = '\0';
            the.call[i].count %= 60;
        }
    }
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* What both functions get, and their result. */
struct given {
    const struct call *call;
    MPI_Comm comm;
    int p, rank, root;
    MPI_Datatype type;
    MPI_Op op;
    const void *in;
    char *out;
    const int *sent, *from, *counts, *places;
};

typedef int bcast_fn(void *, int, MPI_Datatype, int, MPI_Comm);
typedef int reduce_fn(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int combined_fn(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int counts_fn(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int all_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int gatherv_fn(const void *, int, MPI_Datatype, void *, const int *, const int *,
                       MPI_Datatype, MPI_Comm);
typedef int exchange_fn(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                        const int *, MPI_Datatype, MPI_Comm);
typedef int rooted_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);

static int do_call(const struct given *g, any_fn *f)
{
    const int count = g->call->count;
    const bool is_root = g->rank == g->root, in_place = g->call->in_place;
    const void *in = in_place ? MPI_IN_PLACE : g->in;
    const bool scatters = g->call->function == FUNCTION_Scatter;
    switch (functions[g->call->function].shape) {
    case SHAPE_BCAST:
        return ((bcast_fn *)f)(g->out, count, g->type, g->root, g->comm);
    case SHAPE_REDUCE:
        return ((reduce_fn *)f)(is_root ? in : g->in, g->out, count, g->type, g->op, g->root,
                                g->comm);
    case SHAPE_COMBINED:
        return ((combined_fn *)f)(in, g->out, count, g->type, g->op, g->comm);
    case SHAPE_COUNTS:
        return ((counts_fn *)f)(in, g->out, g->counts, g->type, g->op, g->comm);
    case SHAPE_ALL:
        return ((all_fn *)f)(in, count, g->type, g->out, count, g->type, g->comm);
    case SHAPE_GATHERV:
        return ((gatherv_fn *)f)(in, g->counts[g->rank], g->type, g->out, g->counts, g->places,
                                 g->type, g->comm);
    case SHAPE_EXCHANGE:
        return ((exchange_fn *)f)(g->in, g->sent, g->from, g->type, g->out, g->counts, g->places,
                                  g->type, g->comm);
    default:
        return ((rooted_fn *)f)(is_root && !scatters ? in : g->in, count, g->type,
                                is_root && scatters && in_place ? MPI_IN_PLACE : g->out, count,
                                g->type, g->root, g->comm);
    }
}

/* Counts and places of what this rank sends to each, and gets. */
static void deal(struct given *g, int lists[4][SM_MOST_RANKS])
{
    const struct call *call = g->call;
    const bool pairs = functions[call->function].shape == SHAPE_EXCHANGE;
    int out = 0, in = 0;
    for (int r = 0; r < g->p; r++) {
        const uint64_t to = pairs ? mix(call->seed, (uint64_t)g->rank, (uint64_t)r) : 0;
        const uint64_t from = mix(call->seed, (uint64_t)r, pairs ? (uint64_t)g->rank : 99);
        lists[0][r] = (int)(to % (uint64_t)(call->count + 1));
        lists[1][r] = out;
        lists[2][r] = (int)(from % (uint64_t)(call->count + 1));
        lists[3][r] = in;
        out += lists[0][r];
        in += lists[2][r] + call->gap;
    }
    g->sent = lists[0];
    g->from = lists[1];
    g->counts = lists[2];
    g->places = lists[3];
}

static void fill(char *data, size_t bytes, int kind, uint64_t seed)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t word = mix(seed, i, 7);
        const double number = (double)(word % 1000); /* sums of which are exact */
        memcpy(data + i, kind == DOUBLES ? (const void *)&number : &word, 8);
    }
}

static void check_call(const struct given *g, int number, int error, const char *expected,
                       const char *before, size_t bytes)
{
    const int rank = sm_current;
    if (error != MPI_SUCCESS && !sm_failed[rank])
        sm_fault("rank %d, call %d: the error %d, though nothing failed", rank, number, error);
    if (error == MPI_SUCCESS && sm_failed[rank] && sm_nature.message > 0)
        sm_fault("rank %d, call %d: an error is not returned", rank, number);
    if (error != MPI_SUCCESS && sm_nature.allocation > 0 && error != MPI_ERR_NO_MEM)
        sm_fault("rank %d, call %d: the error %d for want of memory", rank, number, error);
    for (size_t i = 0; i < bytes && error == MPI_SUCCESS; i++)
        if (g->out[i] != expected[i])
            sm_fault("rank %d, call %d: byte %zu is %02x, not %02x", rank, number, i,
                     (unsigned char)g->out[i], (unsigned char)expected[i]);
    if (memcmp(g->in, before, bytes) != 0)
        sm_fault("rank %d, call %d: the data sent have changed", rank, number);
}

static void compare(struct given *g, int number, const struct data_type *type)
{
    const int rank = sm_current;
    const size_t bytes = data_room(type, (int64_t)g->p * (g->call->count + g->call->gap));
    char *in = sm_memory(bytes), *before = sm_memory(bytes), *expected = sm_memory(bytes);
    struct given own = *g;
    g->in = in;
    g->out = sm_allocate(bytes);
    fill(in, bytes, g->call->kind, g->call->seed + (uint64_t)rank);
    fill(g->out, bytes, g->call->kind, g->call->seed + (uint64_t)rank + 1000);
    memset(g->out + bytes / 8 * 8, 0, bytes % 8);
    memcpy(before, in, bytes);
    memcpy(expected, g->out, bytes);
    own.in = in;
    own.out = expected;
    if (do_call(&own, functions[g->call->function].native) != MPI_SUCCESS)
        sm_fault("rank %d, call %d: the simulated MPI refuses it", rank, number);
    sm_inside[rank] = true;
    const int error = do_call(g, (any_fn *)(uintptr_t)subjects[rank].function[g->call->function]);
    sm_inside[rank] = false;
    check_call(g, number, error, expected, before, bytes);
    the.gave_up[rank] = error != MPI_SUCCESS;
    sm_free(g->out);
}

static void make_call(int number, const struct operators *own)
{
    const struct call *call = &the.call[number];
    struct given g = {.call = call, .comm = MPI_COMM_WORLD};
    int lists[4][SM_MOST_RANKS];
    struct data_type type = call->kind == DOUBLES ? (struct data_type){MPI_DOUBLE, 8, {0, 4}, 2}
                                                  : case_type(call->kind);
    if (call->splits) {
        const int color = (int)(mix(call->seed, (uint64_t)sm_current, 5) % (uint64_t)call->parts);
        PMPI_Comm_split(MPI_COMM_WORLD, color, call->gap == 0 ? -sm_current : sm_current, &g.comm);
        sm_comm_of(g.comm)->inter = call->seed % 8 == 0; /* then MPI's own function serves it */
    }
    PMPI_Comm_size(g.comm, &g.p);
    PMPI_Comm_rank(g.comm, &g.rank);
    g.root = call->root % g.p;
    g.type = type.type;
    g.op = call->kind == INTS || call->kind == DOUBLES ? (call->op == 0 ? MPI_SUM : MPI_MAX)
           : call->op == 0                             ? own->summed
                                                       : own->composed;
    deal(&g, lists);
    if (subjects[sm_current].choose(functions[call->function].collective,
                                    call->setting[0] == '\0' ? NULL : call->setting) != MPI_SUCCESS)
        sm_fault("the setting %s is refused", call->setting);
    compare(&g, number, &type);
    if (call->splits)
        PMPI_Comm_free(&g.comm);
    if (call->kind != DOUBLES)
        case_free_type(call->kind, &type);
}

/* ---- A rank, and the whole ------------------------------------------------------------------- */

static void be_rank(int rank)
{
    struct operators own = operators_make();
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < the.calls && !the.gave_up[rank]; i++)
        make_call(i, &own);
    operators_free(&own);
    sm_finalize();
    subject_end_thread();
}

static void describe(char *text, size_t size)
{
    int length = snprintf(text, size, "library,%s, p = %d", the.environment, the.p);
    for (int i = 0; i < the.calls && i < 6 && length < (int)size; i++) {
        const struct call *call = &the.call[i];
        length += snprintf(
            text + length, size - (size_t)length, "; %s%s %s, %d of kind %d, op %d, root %d%s%s",
            functions[call->function].collective, call->splits ? " on a part" : "", call->setting,
            call->count, call->kind, call->op, call->root, call->in_place ? ", in place" : "",
            functions[call->function].shape >= SHAPE_GATHERV ? "" : "");
    }
    if (length < (int)size && sm_nature.failing >= 0)
        snprintf(text + length, size - (size_t)length,
                 "; on rank %d fails allocation %lld, call %lld, message %lld", sm_nature.failing,
                 (long long)sm_nature.allocation, (long long)sm_nature.call,
                 (long long)sm_nature.message);
}

void library_run(uint64_t seed, const struct limits *limits, char *text, size_t size)
{
    uint64_t random = seed + 1;
    sm_begin();
    draw_all(seed, limits);
    const struct sm_nature nature = case_nature(&random, the.p, limits);
    sm_world_begin(&nature, the.p);
    subjects_reset(the.p);
    describe(text, size);
    case_check_end(the.p, sm_run(be_rank), the.gave_up, the.keeps_memory);
    case_had.most[LIMIT_SURPRISES] = sm_surprises();
}
