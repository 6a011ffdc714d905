/* mpi_exchange.c - RB_Alltoall and RB_Alltoallv against the MPI library's own.
 *
 *   mpirun -n P mpi_exchange [--splits N] [--seed S]
 *
 * P ranks together first, then cut into random groups, N times in all. Each group takes each
 * function a few times: by rule or with an algorithm and a window; random counts, datatypes that
 * differ in sending and receiving, rows in any order and with gaps, in place or not. Exit status 1
 * if a case failed; the command that repeats it is printed. */
#include <inttypes.h>
#include <roundabout-mpi.h>
#include <roundabout.h>
#include <stdio.h>

#include "mpi_data.h"
#include "mpi_groups.h"
#include "tests/fitting.h"

struct group {
    MPI_Comm comm;
    int p, rank;
};

/* One side of a call. */
struct side {
    enum kind kind;
    struct data_type type;
    int *counts, *displs; /* per rank, in elements */
    int elements;         /* of the buffer */
    bool grouped;         /* the call gets half as many elements of a datatype twice as long */
};

struct test_case {
    bool irregular;    /* RB_Alltoallv */
    char setting[100]; /* "": by rule */
    bool in_place;
    int count; /* regular: of every pair */
    struct side sent, received;
    uint64_t seed;
};

/* ---- Drawing a case -------------------------------------------------------------------------- */

/* Of the algorithms that take this many ranks. */
static void draw_setting(struct test_case *test, int32_t p, uint64_t *random)
{
    const struct rb_algorithm_info *algorithm, *choice[32];
    int count = 0;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(algorithm->collective, "alltoall") == 0 && fitting_ranks(algorithm, p) == p &&
            count < 32)
            choice[count++] = algorithm;
    const int which = draw_below(random, count + 1);
    if (which < count)
        snprintf(test->setting, sizeof test->setting, "%s:n=%d,window=%d", choice[which]->name,
                 1 + draw_below(random, 5), 1 + draw_below(random, 5));
}

/* What rank `from` has for `to`, as all ranks know; symmetric in place. Even, so that grouping is
 * possible. */
static int pair_count(const struct test_case *test, int from, int to)
{
    if (test->in_place && from > to)
        return pair_count(test, to, from);
    uint64_t random = test->seed + (uint64_t)from * 1009 + (uint64_t)to;
    const int weight = draw_below(&random, 4);
    return test->irregular ? test->count / 3 / 2 * 2 * weight : test->count;
}

/* Rows in the order of ranks; or backwards, with gaps. */
static void lay_out(const struct test_case *test, struct side *side, const struct group *group,
                    bool sends, int gap)
{
    const int p = group->p;
    side->type = data_type_of(side->kind);
    side->counts = calloc((size_t)p, sizeof *side->counts);
    side->displs = calloc((size_t)p, sizeof *side->displs);
    for (int k = 0; k < p; k++) {
        const int i = gap > 0 ? p - 1 - k : k;
        side->counts[i] =
            sends ? pair_count(test, group->rank, i) : pair_count(test, i, group->rank);
        side->displs[i] = side->elements;
        side->elements += side->counts[i] + gap;
    }
}

static int draw_count(uint64_t *random)
{
    switch (draw_below(random, 6)) {
    case 0:
        return 0;
    case 1:
        return 5000 + draw_below(random, 9000);
    case 2:
        return 1 + draw_below(random, 9);
    default:
        return draw_below(random, 500);
    }
}

static void draw_case(struct test_case *test, bool irregular, const struct group *group,
                      uint64_t seed)
{
    uint64_t random = seed;
    *test = (struct test_case){.irregular = irregular, .seed = seed};
    draw_setting(test, group->p, &random);
    test->received.kind = (enum kind)draw_below(&random, KINDS);
    test->sent.kind = draw_below(&random, 2) == 0 ? test->received.kind : PAIRS;
    if (test->received.kind == INTS)
        test->sent.kind = INTS;
    test->in_place = draw_below(&random, 3) == 0;
    test->count = draw_count(&random);
    const int gap = irregular ? draw_below(&random, 3) * 2 : 0;
    const int sent_gap = irregular ? draw_below(&random, 3) * 2 : 0;
    lay_out(test, &test->received, group, false, gap);
    lay_out(test, &test->sent, group, true, sent_gap);
    test->sent.grouped =
        group->rank % 2 == 1 && draw_below(&random, 2) == 0 && (irregular || test->count % 2 == 0);
}

static void free_case(struct test_case *test)
{
    struct side *sides[] = {&test->sent, &test->received};
    for (int i = 0; i < 2; i++) {
        data_type_free(&sides[i]->type);
        free(sides[i]->counts);
        free(sides[i]->displs);
    }
}

static void print_case(const struct test_case *test, const struct group *group)
{
    fprintf(stderr, "RB_Alltoall%s, %s: p = %d, %d elements of %s, sent as %s%s\n",
            test->irregular ? "v" : "", test->setting[0] != '\0' ? test->setting : "by rule",
            group->p, test->count, kind_name[test->received.kind], kind_name[test->sent.kind],
            test->in_place ? ", in place" : "");
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* Makes the side's type twice as long, its counts and places half. */
static MPI_Datatype group_in_pairs(struct side *side, int p)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, side->type.type, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < p; i++) {
        side->counts[i] /= 2;
        side->displs[i] /= 2;
    }
    return type;
}

static int run_ours(struct test_case *test, const struct group *group, const void *sent,
                    void *received)
{
    const MPI_Datatype type = test->received.type.type;
    MPI_Datatype sent_type = test->sent.type.type;
    RB_Choose("alltoall", test->setting[0] != '\0' ? test->setting : NULL);
    if (test->in_place)
        sent = MPI_IN_PLACE;
    if (test->sent.grouped)
        sent_type = group_in_pairs(&test->sent, group->p);
    const int error = test->irregular ? RB_Alltoallv(sent, test->sent.counts, test->sent.displs,
                                                     sent_type, received, test->received.counts,
                                                     test->received.displs, type, group->comm)
                                      : RB_Alltoall(sent, test->sent.counts[0], sent_type, received,
                                                    test->count, type, group->comm);
    if (test->sent.grouped)
        MPI_Type_free(&sent_type);
    return error;
}

static uint32_t *words_of(const struct side *side, void *data)
{
    const int words = side->type.words;
    uint32_t *dense = calloc((size_t)(side->elements * words) + 1, sizeof *dense);
    for (int i = 0; i < side->elements * words; i++)
        dense[i] = *data_word(&side->type, data, i / words, i % words);
    return dense;
}

/* The MPI library's own on the words alone: what must be in the receive buffer. */
static uint32_t *run_own(const struct test_case *test, const struct group *group, void *sent,
                         void *received)
{
    const struct side *from = test->in_place ? &test->received : &test->sent;
    struct data_type dense = data_type_of(test->received.type.words == 1 ? INTS : PAIRS);
    uint32_t *words = words_of(from, test->in_place ? received : sent);
    uint32_t *result = words_of(&test->received, received);
    MPI_Alltoallv(words, from->counts, from->displs, dense.type, result, test->received.counts,
                  test->received.displs, dense.type, group->comm);
    free(words);
    data_type_free(&dense);
    return result;
}

/* All words are as they should be, and bytes that belong to no word as they were. */
static bool agree(const struct side *side, void *received, const uint32_t *expected, void *before)
{
    const size_t bytes = data_room(&side->type, side->elements);
    bool same = true;
    for (int i = 0; i < side->elements; i++)
        for (int k = 0; k < side->type.words; k++) {
            uint32_t *word = data_word(&side->type, received, i, k);
            same = same && *word == expected[i * side->type.words + k];
            *word = *data_word(&side->type, before, i, k) = 0;
        }
    return same && memcmp(received, before, bytes) == 0;
}

static bool run_case(struct test_case *test, const struct group *group)
{
    const size_t sent_bytes = data_room(&test->sent.type, test->sent.elements);
    const size_t bytes = data_room(&test->received.type, test->received.elements);
    const uint64_t seed = test->seed * 2 + (uint64_t)group->rank * 1000;
    void *sent = data_random(sent_bytes, seed), *received = data_random(bytes, seed + 1);
    void *sent_before = data_copy(sent, sent_bytes), *before = data_copy(received, bytes);
    uint32_t *expected = run_own(test, group, sent, received);
    const int error = run_ours(test, group, sent, received);
    int good = error == MPI_SUCCESS && memcmp(sent, sent_before, sent_bytes) == 0 &&
               agree(&test->received, received, expected, before);
    free(expected);
    free(before);
    free(received);
    free(sent_before);
    free(sent);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group->comm);
    return good != 0;
}

/* By Bruck: rank 0 has 16 MiB for rank 1, and nobody else has anything. Then rank 1 has an element
 * for rank 0, which expects none. */
static int check_uneven(int p, int rank, long long before)
{
    enum { LONG = 4 << 20 };
    int *sent = calloc(LONG, sizeof *sent), *received = calloc(LONG, sizeof *received);
    int *counts = calloc((size_t)p, sizeof *counts), *places = calloc((size_t)p, sizeof *places);
    int *expected = calloc((size_t)p, sizeof *expected);
    counts[1] = rank == 0 ? LONG : 0;
    expected[0] = rank == 1 ? LONG : 0;
    sent[LONG - 1] = 7;
    RB_Alltoallv(sent, counts, places, MPI_INT, received, expected, places, MPI_INT,
                 MPI_COMM_WORLD);
    int good = RB_Fallbacks("alltoall") == before + 1 && (rank != 1 || received[LONG - 1] == 7);
    counts[1] = expected[0] = 0;
    counts[0] = rank == 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int error = RB_Alltoallv(sent, counts, places, MPI_INT, received, expected, places,
                                   MPI_INT, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    good = good && error == MPI_ERR_TRUNCATE;
    free(sent);
    free(received);
    free(counts);
    free(places);
    free(expected);
    return good;
}

/* Of plans that forward data the ranks tell each other the counts of all pairs; but where a few are
 * far longer than others, the MPI library serves. Ranks that expect less than is sent get an error,
 * all of them. */
static int check_fallback(void)
{
    int p, rank, good;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *ones = malloc((size_t)p * sizeof *ones), *places = malloc((size_t)p * sizeof *places);
    int *sent = malloc((size_t)p * sizeof *sent), *received = malloc((size_t)p * sizeof *received);
    for (int i = 0; i < p; i++) {
        ones[i] = 1;
        sent[i] = places[i] = i;
    }
    const long long before = RB_Fallbacks("alltoall");
    RB_Choose("alltoall", "pairwise");
    RB_Alltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, MPI_COMM_WORLD);
    good = RB_Fallbacks("alltoall") == before;
    RB_Choose("alltoall", "bruck");
    RB_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    good = good && RB_Fallbacks("alltoall") == before;
    RB_Alltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, MPI_COMM_WORLD);
    good = good && RB_Fallbacks("alltoall") == before;
    for (int i = 0; i < p; i++)
        good = good && received[i] == sent[rank];
    good = good && (p < 3 || check_uneven(p, rank, before));
    RB_Choose("alltoall", NULL);
    free(ones);
    free(places);
    free(sent);
    free(received);
    if (!good)
        fprintf(stderr, "what falls back is not what should\n");
    return !good;
}

enum { TIMES = 12 }; /* each function, in a group */

static void run_group(MPI_Comm comm, uint64_t *random, int counts[2])
{
    const uint64_t split_seed = draw(random);
    struct group group = {.comm = comm};
    MPI_Comm_size(comm, &group.p);
    MPI_Comm_rank(comm, &group.rank);
    for (int i = 0; i < 2 * TIMES; i++) {
        uint64_t seed = split_seed + (uint64_t)group.p * 1000 + (uint64_t)i;
        struct test_case test;
        draw_case(&test, i % 2 == 1, &group, draw(&seed) >> 8);
        counts[0]++;
        if (!run_case(&test, &group)) {
            counts[1]++;
            if (group.rank == 0)
                print_case(&test, &group);
        }
        free_case(&test);
    }
}

int main(int argc, char **argv)
{
    static const struct test_program program = {
        .name = "mpi_exchange", .splits = 10, .run = run_group, .after = check_fallback};
    return run_test_program(&program, argc, argv);
}
