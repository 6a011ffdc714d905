/* mpi_rooted.c - RB_Scatter and RB_Gather against the MPI library's own.
 *
 *   mpirun -n P mpi_rooted [--splits N] [--seed S]
 *
 * P ranks together first, then cut into random groups, N times in all. Each group takes each
 * function a few times: by rule or with an algorithm and a window; random roots and counts,
 * datatypes that differ from rank to rank, at the root in place or not. What is significant at the
 * root only is nonsense at the others. Exit status 1 if a case failed; the command that repeats it
 * is printed. */
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

/* One side of a call: this rank's part, or all parts. */
struct side {
    enum kind kind;
    struct data_type type;
    int elements; /* of the buffer */
    int count;    /* the call's: of a part */
    MPI_Datatype call_type;
    void *data, *before;
};

struct test_case {
    bool gathers;
    char setting[100]; /* "": by rule */
    int root, count;
    bool in_place;
    struct side own, all; /* all: at the root only */
    uint64_t seed;
};

static size_t room(const struct side *side)
{
    return data_room(&side->type, side->elements);
}

/* ---- Drawing a case -------------------------------------------------------------------------- */

/* Of the algorithms that take this many ranks. */
static void draw_setting(struct test_case *test, int32_t p, uint64_t *random)
{
    const char *collective = test->gathers ? "gather" : "scatter";
    const struct rb_algorithm_info *algorithm, *choice[32];
    int count = 0;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(algorithm->collective, collective) == 0 && fitting_ranks(algorithm, p) == p &&
            count < 32)
            choice[count++] = algorithm;
    const int which = draw_below(random, count + 1);
    if (which < count)
        snprintf(test->setting, sizeof test->setting, "%s:n=%d,window=%d", choice[which]->name,
                 1 + draw_below(random, 5), 1 + draw_below(random, 5));
}

static int draw_count(uint64_t *random)
{
    switch (draw_below(random, 6)) {
    case 0:
        return 0;
    case 1:
        return 5000 + draw_below(random, 20000);
    case 2:
        return 1 + draw_below(random, 9);
    default:
        return draw_below(random, 500);
    }
}

/* The datatype, or half as many elements of one twice as long. */
static void lay_out(struct side *side, int parts, int count, bool grouped, uint64_t seed)
{
    side->type = data_type_of(side->kind);
    side->elements = parts * count;
    side->count = count;
    side->call_type = side->type.type;
    if (grouped && count % 2 == 0) {
        MPI_Type_contiguous(2, side->type.type, &side->call_type);
        MPI_Type_commit(&side->call_type);
        side->count = count / 2;
    }
    side->data = data_random(room(side), seed);
    side->before = data_copy(side->data, room(side));
}

static void draw_case(struct test_case *test, bool gathers, const struct group *group,
                      uint64_t seed)
{
    uint64_t random = seed, mine = seed * 2 + (uint64_t)group->rank * 1000;
    *test = (struct test_case){.gathers = gathers, .seed = seed};
    draw_setting(test, group->p, &random);
    test->root = draw_below(&random, group->p);
    test->count = draw_count(&random);
    test->in_place = draw_below(&random, 3) == 0;
    const bool single = draw_below(&random, 3) == 0;
    test->own.kind = single ? INTS : (enum kind)(PAIRS + draw_below(&mine, KINDS - PAIRS));
    test->all.kind = single ? INTS : (enum kind)(PAIRS + draw_below(&mine, KINDS - PAIRS));
    lay_out(&test->own, 1, test->count, draw_below(&mine, 2) == 0, draw(&mine));
    if (group->rank == test->root)
        lay_out(&test->all, group->p, test->count, draw_below(&mine, 2) == 0, draw(&mine));
}

static void free_side(struct side *side)
{
    if (side->call_type != side->type.type)
        MPI_Type_free(&side->call_type);
    data_type_free(&side->type);
    free(side->data);
    free(side->before);
}

static void print_case(const struct test_case *test, const struct group *group)
{
    fprintf(stderr, "%s, %s: p = %d, root %d, %d elements%s\n",
            test->gathers ? "RB_Gather" : "RB_Scatter",
            test->setting[0] != '\0' ? test->setting : "by rule", group->p, test->root, test->count,
            test->in_place ? ", in place" : "");
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* What a call is given for a side that is not significant. */
static const struct side nonsense = {.count = -7, .call_type = MPI_DATATYPE_NULL};

static int run_ours(const struct test_case *test, const struct group *group)
{
    const bool is_root = group->rank == test->root, in_place = is_root && test->in_place;
    struct side own = in_place ? nonsense : test->own;
    const struct side all = is_root ? test->all : nonsense;
    if (in_place)
        own.data = MPI_IN_PLACE;
    RB_Choose(test->gathers ? "gather" : "scatter",
              test->setting[0] != '\0' ? test->setting : NULL);
    if (test->gathers)
        return RB_Gather(own.data, own.count, own.call_type, all.data, all.count, all.call_type,
                         test->root, group->comm);
    return RB_Scatter(all.data, all.count, all.call_type, own.data, own.count, own.call_type,
                      test->root, group->comm);
}

static uint32_t *words_of(const struct side *side)
{
    const int words = side->type.words;
    uint32_t *dense = calloc((size_t)(side->elements * words) + 1, sizeof *dense);
    for (int i = 0; i < side->elements * words; i++)
        dense[i] = *data_word(&side->type, side->data, i / words, i % words);
    return dense;
}

/* The MPI library's own on the words alone: what they must be afterwards. */
static void run_own(const struct test_case *test, const struct group *group, uint32_t *own,
                    uint32_t *all)
{
    const bool in_place = group->rank == test->root && test->in_place;
    const int words = test->count * test->own.type.words;
    if (test->gathers)
        MPI_Gather(in_place ? MPI_IN_PLACE : own, words, MPI_UINT32_T, all, words, MPI_UINT32_T,
                   test->root, group->comm);
    else
        MPI_Scatter(all, words, MPI_UINT32_T, in_place ? MPI_IN_PLACE : own, words, MPI_UINT32_T,
                    test->root, group->comm);
}

/* All words are as they should be, and bytes that belong to no word as they were. */
static bool agree(const struct side *side, const uint32_t *expected)
{
    bool same = true;
    for (int i = 0; i < side->elements; i++)
        for (int k = 0; k < side->type.words; k++) {
            uint32_t *word = data_word(&side->type, side->data, i, k);
            same = same && *word == expected[i * side->type.words + k];
            *word = *data_word(&side->type, side->before, i, k) = 0;
        }
    return same && memcmp(side->data, side->before, room(side)) == 0;
}

static bool run_case(const struct test_case *test, const struct group *group)
{
    const bool is_root = group->rank == test->root;
    uint32_t *own = words_of(&test->own), *all = is_root ? words_of(&test->all) : NULL;
    run_own(test, group, own, all);
    int good = run_ours(test, group) == MPI_SUCCESS && agree(&test->own, own) &&
               (!is_root || agree(&test->all, all));
    free(own);
    free(all);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group->comm);
    return good != 0;
}

enum { TIMES = 20 }; /* each function, in a group */

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
        free_side(&test.own);
        if (group.rank == test.root)
            free_side(&test.all);
    }
}

/* Parts of other sizes than the root says don't fit; two groups have no plan. */
static int check_what_is_wrong(void)
{
    int p, rank, value[2] = {0, 0}, *all;
    MPI_Comm half, inter, comm;
    bool good = true;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    all = calloc((size_t)p, sizeof *all);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    good &= RB_Gather(value, 2, MPI_INT, all, 1, MPI_INT, 0, comm) == MPI_ERR_TRUNCATE;
    good &= RB_Scatter(value, 2, MPI_INT, all, 1, MPI_INT, 0, comm) == MPI_ERR_TRUNCATE;
    good &= RB_Fallbacks(NULL) == 0;
    MPI_Comm_free(&comm);
    if (p > 1) {
        const bool lower = rank < p / 2;
        MPI_Comm_split(MPI_COMM_WORLD, lower, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? p / 2 : 0, 1, &inter);
        RB_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT,
                  !lower      ? 0
                  : rank == 0 ? MPI_ROOT
                              : MPI_PROC_NULL,
                  inter);
        for (int i = 0; i < p - p / 2 && rank == 0; i++)
            good &= all[i] == p / 2 + i;
        good &= RB_Fallbacks("gather") == 1 && RB_Fallbacks("scatter") == 0;
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    free(all);
    if (!good)
        fprintf(stderr, "rank %d: what is wrong is not treated as such\n", rank);
    return !good;
}

int main(int argc, char **argv)
{
    static const struct test_program program = {
        .name = "mpi_rooted", .splits = 10, .run = run_group, .after = check_what_is_wrong};
    return run_test_program(&program, argc, argv);
}
