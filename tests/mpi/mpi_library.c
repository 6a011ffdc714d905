/* mpi_library.c - RB_Bcast, RB_Reduce, ... against the MPI library's own.
 *
 *   mpirun -n P mpi_library [--splits N] [--seed S]
 *
 * P ranks together first, then cut into random groups, N times in all: so p = 1 .. P all occur.
 * Each group takes each function a few times: by rule or with a random algorithm, n and window;
 * random counts, roots, datatypes, operators; in place or not. Then what is not random:
 * inter-communicators, errors, settings. Exit status 1 if a case failed; the command that repeats
 * it is printed. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <inttypes.h>
#include <roundabout-mpi.h>
#include <roundabout.h>
#include <stdio.h>

#include "mpi_data.h"
#include "mpi_groups.h"
#include "tests/fitting.h"

enum function {
    BCAST,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    ALLGATHER,
    ALLGATHERV,
    SCATTER,
    BLOCK,
    FUNCTIONS
};
static const char *const function_name[FUNCTIONS] = {
    "RB_Bcast",      "RB_Reduce",         "RB_Allreduce",
    "RB_Scan",       "RB_Exscan",         "RB_Allgather",
    "RB_Allgatherv", "RB_Reduce_scatter", "RB_Reduce_scatter_block"};
static const char *const collective_name[FUNCTIONS] = {
    "bcast",     "reduce",    "allreduce",      "scan",          "exscan",
    "allgather", "allgather", "reduce-scatter", "reduce-scatter"};

struct group {
    MPI_Comm comm;
    int p, rank;
    struct operators operators;
};

struct test_case {
    enum function function;
    char setting[100]; /* "": by rule */
    enum kind kind, sent_kind;
    struct data_type type, sent_type;
    bool in_place;
    bool grouped; /* this rank gives half as many elements of a datatype twice as long */
    MPI_Op op;
    const char *op_name;
    int root;
    int count;   /* of one rank's part, or of the whole vector */
    int *counts; /* per rank; regular where the function has one count */
    int *displs;
    int elements; /* that a buffer for all ranks' data has */
    uint64_t seed;
};

static bool distributed(enum function function)
{
    return function >= ALLGATHER;
}

static bool combining(enum function function)
{
    return function != BCAST && function != ALLGATHER && function != ALLGATHERV;
}

/* ---- Drawing a case -------------------------------------------------------------------------- */

/* Of the algorithms that take this many ranks. */
static void draw_setting(struct test_case *test, int32_t p, uint64_t *random)
{
    const char *collective = collective_name[test->function];
    const struct rb_algorithm_info *algorithm, *choice[32];
    int count = 0;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(algorithm->collective, collective) == 0 && fitting_ranks(algorithm, p) == p &&
            count < 32)
            choice[count++] = algorithm;
    const int which = draw_below(random, count + 2);
    if (which < count)
        snprintf(test->setting, sizeof test->setting, "%s:n=%d,window=%d", choice[which]->name,
                 1 + draw_below(random, 12), 1 + draw_below(random, 5));
}

static void draw_operator(struct test_case *test, const struct group *group, uint64_t *random)
{
    const int which = draw_below(random, 3);
    test->op = MPI_OP_NULL;
    test->op_name = "none";
    if (!combining(test->function))
        return;
    if (test->kind == INTS) {
        test->op = which == 0 ? MPI_MAX : MPI_SUM;
        test->op_name = which == 0 ? "MPI_MAX" : "MPI_SUM";
    } else if (which == 0 || test->kind != PAIRS) {
        test->op = group->operators.summed;
        test->op_name = "summed";
    } else { /* may fall back, and then some MPI libraries trip over datatypes with gaps */
        test->op = group->operators.composed;
        test->op_name = "composed";
    }
}

static int draw_count(uint64_t *random)
{
    switch (draw_below(random, 8)) {
    case 0:
        return 0;
    case 1:
        return 20000 + draw_below(random, 30000);
    case 2:
    case 3:
        return draw_below(random, 9);
    default:
        return draw_below(random, 700);
    }
}

static void draw_counts(struct test_case *test, int p, uint64_t *random)
{
    const bool irregular = test->function == ALLGATHERV || test->function == SCATTER;
    const int gap = test->function == ALLGATHERV ? draw_below(random, 3) : 0;
    if (distributed(test->function) && test->count > 1000)
        test->count /= 4;
    test->counts = calloc((size_t)p, sizeof *test->counts);
    test->displs = calloc((size_t)p, sizeof *test->displs);
    for (int i = 0; i < p; i++) {
        const int weight = draw_below(random, 4);
        test->counts[i] = irregular ? test->count / 3 * weight : test->count;
    }
    for (int k = 0; k < p; k++) { /* in falling order if there are gaps */
        const int i = gap > 0 ? p - 1 - k : k;
        test->displs[i] = test->elements;
        test->elements += test->counts[i] + gap;
    }
}

static void draw_case(struct test_case *test, enum function function, const struct group *group,
                      uint64_t seed)
{
    uint64_t random = seed;
    *test = (struct test_case){.function = function, .seed = seed};
    draw_setting(test, group->p, &random);
    test->kind = (enum kind)draw_below(&random, KINDS);
    if (combining(function) && draw_below(&random, 4) == 0)
        test->kind = PAIRS; /* the only ones for all operators */
    test->sent_kind = draw_below(&random, 2) == 0 ? test->kind : INTS;
    if (test->kind != INTS && test->sent_kind == INTS)
        test->sent_kind = PAIRS;
    draw_operator(test, group, &random);
    test->type = data_type_of(test->kind);
    test->sent_type = data_type_of(combining(function) ? test->kind : test->sent_kind);
    test->in_place = draw_below(&random, 3) == 0;
    test->root = draw_below(&random, group->p);
    if (draw_below(&random, 2) == 0) /* where rank order is kept */
        test->root = 0;
    test->count = draw_count(&random);
    test->grouped = draw_below(&random, 2) == 0 && group->rank % 2 == 1;
    if (distributed(function))
        draw_counts(test, group->p, &random);
    else
        test->elements = test->count;
}

static void free_case(struct test_case *test)
{
    data_type_free(&test->type);
    data_type_free(&test->sent_type);
    free(test->counts);
    free(test->displs);
}

static void print_case(const struct test_case *test, const struct group *group)
{
    fprintf(stderr, "%s, %s: p = %d, root %d, %d of %d elements of %s%s, operator %s%s\n",
            function_name[test->function], test->setting[0] != '\0' ? test->setting : "by rule",
            group->p, test->root, test->count, test->elements, kind_name[test->kind],
            test->sent_kind != test->kind ? ", sent otherwise" : "", test->op_name,
            test->in_place ? ", in place" : "");
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* A call's buffers, and how much is sent. */
struct buffers {
    void *sent;
    int sent_count; /* elements */
    void *received;
    int received_elements;
};

static struct buffers make_buffers(const struct test_case *test, const struct group *group)
{
    const uint64_t seed = test->seed * 2 + (uint64_t)group->rank * 1000;
    struct buffers buffers = {.received_elements = test->elements};
    const bool gathering = test->function == ALLGATHER || test->function == ALLGATHERV;
    buffers.sent_count = gathering ? test->counts[group->rank] : test->elements;
    buffers.sent = data_random(data_room(&test->sent_type, buffers.sent_count), seed);
    buffers.received = data_random(data_room(&test->type, buffers.received_elements), seed + 1);
    return buffers;
}

/* `count` elements as count / 2 of a datatype of two, where the case says so. */
struct grouped {
    MPI_Datatype type;
    int count;
    bool made;
};

static struct grouped grouped_of(const struct test_case *test, MPI_Datatype type, int count)
{
    struct grouped grouped = {type, count, test->grouped && count % 2 == 0};
    if (grouped.made) {
        MPI_Type_contiguous(2, type, &grouped.type);
        MPI_Type_commit(&grouped.type);
        grouped.count = count / 2;
    }
    return grouped;
}

static int run_moving(const struct test_case *test, const struct group *group,
                      struct buffers *buffers)
{
    const MPI_Datatype type = test->type.type;
    const void *sent = test->in_place ? MPI_IN_PLACE : buffers->sent;
    const int count = test->function == BCAST ? test->elements : buffers->sent_count;
    struct grouped grouped =
        grouped_of(test, test->function == BCAST ? type : test->sent_type.type, count);
    int error;
    if (test->function == BCAST)
        error = RB_Bcast(buffers->received, grouped.count, grouped.type, test->root, group->comm);
    else if (test->function == ALLGATHER)
        error = RB_Allgather(sent, grouped.count, grouped.type, buffers->received, test->count,
                             type, group->comm);
    else
        error = RB_Allgatherv(sent, grouped.count, grouped.type, buffers->received, test->counts,
                              test->displs, type, group->comm);
    if (grouped.made)
        MPI_Type_free(&grouped.type);
    return error;
}

static int run_combining(const struct test_case *test, const struct group *group,
                         struct buffers *buffers)
{
    const MPI_Datatype type = test->type.type;
    const bool in_place = test->in_place && (test->function != REDUCE || group->rank == test->root);
    const void *sent = in_place ? MPI_IN_PLACE : buffers->sent;
    switch (test->function) {
    case REDUCE:
        return RB_Reduce(sent, buffers->received, test->elements, type, test->op, test->root,
                         group->comm);
    case ALLREDUCE:
        return RB_Allreduce(sent, buffers->received, test->elements, type, test->op, group->comm);
    case SCAN:
        return RB_Scan(sent, buffers->received, test->elements, type, test->op, group->comm);
    case EXSCAN:
        return RB_Exscan(sent, buffers->received, test->elements, type, test->op, group->comm);
    case SCATTER:
        return RB_Reduce_scatter(sent, buffers->received, test->counts, type, test->op,
                                 group->comm);
    default:
        return RB_Reduce_scatter_block(sent, buffers->received, test->count, type, test->op,
                                       group->comm);
    }
}

/* ---- What must come out ---------------------------------------------------------------------- */

static uint32_t *words_of(const struct data_type *type, void *data, int elements)
{
    uint32_t *dense = calloc((size_t)(elements * type->words) + 1, sizeof *dense);
    for (int i = 0; i < elements * type->words; i++)
        dense[i] = *data_word(type, data, i / type->words, i % type->words);
    return dense;
}

/* The MPI library's own on the words alone: what must be in the receive buffer from element 0 on.
 * Elements from `*defined` on are as they were, or nobody's business. */
static uint32_t *run_own(const struct test_case *test, const struct group *group,
                         struct buffers *buffers, int *defined)
{
    struct data_type dense = data_type_of(test->type.words == 1 ? INTS : PAIRS);
    const MPI_Datatype type = dense.type;
    const int elements = test->elements, words = dense.words;
    uint32_t *result = words_of(&test->type, buffers->received, elements);
    uint32_t *sent = test->in_place && (test->function != REDUCE || group->rank == test->root)
                         ? data_copy(result, (size_t)(elements * words) * 4 + 4)
                         : words_of(&test->sent_type, buffers->sent, buffers->sent_count);
    *defined = elements;
    switch (test->function) {
    case BCAST:
        MPI_Bcast(result, elements, type, test->root, group->comm);
        break;
    case REDUCE:
        MPI_Reduce(sent, result, elements, type, test->op, test->root, group->comm);
        break;
    case ALLREDUCE:
        MPI_Allreduce(sent, result, elements, type, test->op, group->comm);
        break;
    case SCAN:
        MPI_Scan(sent, result, elements, type, test->op, group->comm);
        break;
    case EXSCAN: /* rank 0's receive buffer stays as it is */
        MPI_Exscan(sent, result, elements, type, test->op, group->comm);
        break;
    case ALLGATHER:
    case ALLGATHERV:
        MPI_Allgatherv(test->in_place ? MPI_IN_PLACE : sent, test->counts[group->rank], type,
                       result, test->counts, test->displs, type, group->comm);
        break;
    default:
        MPI_Reduce_scatter(sent, result, test->counts, type, test->op, group->comm);
        *defined = test->counts[group->rank];
    }
    free(sent);
    data_type_free(&dense);
    return result;
}

static bool agree(const struct test_case *test, const struct buffers *buffers,
                  const uint32_t *expected, const void *before, int defined)
{
    const size_t bytes = data_room(&test->type, buffers->received_elements);
    char *gaps = data_copy(buffers->received, bytes), *gaps_before = data_copy(before, bytes);
    bool same = true;
    for (int i = 0; i < buffers->received_elements; i++)
        for (int k = 0; k < test->type.words; k++) {
            const uint32_t *word = data_word(&test->type, buffers->received, i, k);
            same = same && (i >= defined || *word == expected[i * test->type.words + k]);
            *data_word(&test->type, gaps, i, k) = *data_word(&test->type, gaps_before, i, k) = 0;
        }
    same = same && memcmp(gaps, gaps_before, bytes) == 0;
    free(gaps);
    free(gaps_before);
    return same;
}

static bool run_case(const struct test_case *test, const struct group *group)
{
    struct buffers buffers = make_buffers(test, group);
    const size_t sent_bytes = data_room(&test->sent_type, buffers.sent_count);
    void *before = data_copy(buffers.received, data_room(&test->type, buffers.received_elements));
    void *sent_before = data_copy(buffers.sent, sent_bytes);
    int defined;
    uint32_t *expected = run_own(test, group, &buffers, &defined);
    RB_Choose(collective_name[test->function], test->setting[0] != '\0' ? test->setting : NULL);
    const int error = combining(test->function) ? run_combining(test, group, &buffers)
                                                : run_moving(test, group, &buffers);
    int good = error == MPI_SUCCESS && agree(test, &buffers, expected, before, defined) &&
               memcmp(buffers.sent, sent_before, sent_bytes) == 0;
    free(expected);
    free(before);
    free(sent_before);
    free(buffers.sent);
    free(buffers.received);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group->comm);
    return good != 0;
}

enum { TIMES = 8 }; /* each function, in a group */

static void run_group(MPI_Comm comm, uint64_t *random, int counts[2])
{
    const uint64_t split_seed = draw(random);
    struct group group = {.comm = comm, .operators = operators_make()};
    MPI_Comm_size(comm, &group.p);
    MPI_Comm_rank(comm, &group.rank);
    for (int i = 0; i < FUNCTIONS * TIMES; i++) {
        uint64_t seed = split_seed + (uint64_t)group.p * 1000 + (uint64_t)i;
        struct test_case test;
        draw_case(&test, (enum function)(i % FUNCTIONS), &group, draw(&seed) >> 8);
        counts[0]++;
        if (!run_case(&test, &group)) {
            counts[1]++;
            if (group.rank == 0)
                print_case(&test, &group);
        }
        free_case(&test);
    }
    operators_free(&group.operators);
}

/* ---- Fixed cases ----------------------------------------------------------------------------- */

static bool expect(bool good, const char *what)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!good)
        fprintf(stderr, "rank %d: %s\n", rank, what);
    return good;
}

static int handled; /* calls of the handler below */
static int handled_error;
static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    handled++;
    handled_error = *error;
}

static bool error_says(int error, const char *part)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error, text, &length);
    return strstr(text, part) != NULL;
}

/* Settings are parsed strictly, and errors go to the communicator's handler. */
static bool check_errors(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    bool good = true;
    int value = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);

    int error = RB_Choose("bcast", "circulent:n=4");
    good &= expect(error_says(error, "no algorithm 'circulent' for bcast"), "unknown algorithm");
    error = RB_Choose("bcast", "circulant:n=0");
    good &= expect(error != MPI_SUCCESS && error_says(error, "circulant:n=0"), "n = 0");
    error = RB_Choose("bcast", "circulant:blocks=3");
    good &= expect(error_says(error, "'blocks=3'"), "unknown option");
    error = RB_Choose("shift", NULL);
    good &= expect(error_says(error, "'shift' is no collective"), "unknown collective");
    char name[32];
    for (int i = 0; i < 2000;
         i++) { /* MPI libraries have a hundred classes of errors, or a few thousand codes */
        snprintf(name, sizeof name, "nothing-%d", i);
        error = RB_Choose("bcast", name);
        good &= expect(error_says(error, name), "one of many refusals");
    }
    good &= expect(handled == 0, "RB_Choose calls no handler");
    good &= expect(RB_Fallbacks("shift") == -1, "no such collective");

    handled_error = MPI_SUCCESS;
    error = RB_Bcast(&value, 1, MPI_INT, -5, comm);
    good &= expect(error != MPI_SUCCESS && handled > 0, "a wrong root");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    return good;
}

/* A communicator of two groups has no plan: the MPI library does it, and that is counted. */
static bool check_inter(void)
{
    int world, rank, value = 7;
    bool good = true;
    MPI_Comm half, inter;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (world < 2)
        return true;
    const bool lower = rank < world / 2;
    MPI_Comm_split(MPI_COMM_WORLD, lower, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? world / 2 : 0, 1, &inter);
    const long long before = RB_Fallbacks("bcast"), all_before = RB_Fallbacks(NULL);
    const int root = !lower ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    value = rank == 0 ? 42 : 7;
    RB_Bcast(&value, 1, MPI_INT, root, inter);
    good &= expect(lower || value == 42, "bcast between two groups");
    good &= expect(RB_Fallbacks("bcast") == before + 1 && RB_Fallbacks(NULL) == all_before + 1,
                   "the fallback is counted");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return good;
}

/* Plans serve what they can; an operator that doesn't commute, in their order only. */
static bool check_fallbacks(void)
{
    struct operators operators = operators_make();
    struct data_type pairs = data_type_of(PAIRS);
    uint32_t pair[2] = {3, 5}, result[2];
    int p;
    bool good = true;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    RB_Choose("allreduce", NULL);
    RB_Choose("reduce", NULL);
    RB_Choose("scan", NULL);
    RB_Choose("exscan", NULL);
    const long long before = RB_Fallbacks(NULL);
    RB_Allreduce(pair, result, 1, pairs.type, operators.summed, MPI_COMM_WORLD);
    RB_Allreduce(pair, result, 1, pairs.type, operators.composed, MPI_COMM_WORLD);
    RB_Reduce(pair, result, 1, pairs.type, operators.composed, 0, MPI_COMM_WORLD);
    RB_Scan(pair, result, 1, pairs.type, operators.composed, MPI_COMM_WORLD);
    RB_Exscan(pair, result, 1, pairs.type, operators.composed, MPI_COMM_WORLD);
    good &= expect(RB_Fallbacks(NULL) == before, "no fallback where order is kept");
    RB_Reduce(pair, result, 1, pairs.type, operators.composed, p - 1, MPI_COMM_WORLD);
    good &= expect(RB_Fallbacks(NULL) == before + (p > 1), "a fallback for other roots");
    RB_Choose("allreduce", "circulant");
    RB_Allreduce(pair, result, 1, pairs.type, operators.composed, MPI_COMM_WORLD);
    good &= expect(RB_Fallbacks("allreduce") > 0, "a fallback where no order is kept");
    RB_Choose("allreduce", NULL);
    data_type_free(&pairs);
    operators_free(&operators);
    return good;
}

/* A wrong setting in the environment is an error of the first call, until another is chosen. Comes
 * before all other uses of the library. */
static bool check_environment(void)
{
    int value = 1, result, p;
    bool good = true;
    MPI_Comm comm;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    setenv("RB_ALLREDUCE", "ring:n=two", 1);
    setenv("RB_BCAST", "flat:window=2", 1);
    const int error = RB_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm);
    good &= expect(error != MPI_SUCCESS && error_says(error, "RB_ALLREDUCE: 'ring:n=two'"),
                   "a wrong setting in the environment");
    good &= expect(RB_Bcast(&value, 1, MPI_INT, 0, comm) == MPI_SUCCESS, "a right one");
    RB_Choose("allreduce", "ring:n=2");
    RB_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm);
    good &= expect(result == p, "a right one in its place");
    MPI_Comm_free(&comm);
    return good;
}

static int check_the_rest(void)
{
    return !check_fallbacks() + !check_inter() + !check_errors();
}

int main(int argc, char **argv)
{
    static const struct test_program program = {.name = "mpi_library",
                                                .splits = 10,
                                                .before = check_environment,
                                                .run = run_group,
                                                .after = check_the_rest};
    return run_test_program(&program, argc, argv);
}
