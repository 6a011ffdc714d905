/* mpi_executor.c - every plan of the registry on real MPI, against the library's own collectives.
 *
 *   mpirun -n P mpi_executor [--splits N] [--seed S]
 *
 * P ranks together first, then cut into random groups, N times in all: so p = 1 .. P all occur.
 * Each group takes each algorithm once, with random n, rounds in flight, root, counts, datatype and
 * operator. Exit status 1 if a case failed; the command that repeats it is printed. */
#include <inttypes.h>
#include <stdio.h>

#include "mpi/executor/executor.h"
#include "mpi_data.h"
#include "mpi_groups.h"
#include "mpi_plans.h"
#include "tests/fitting.h"

struct group {
    MPI_Comm own;  /* for the library's collectives */
    MPI_Comm plan; /* for the executor's */
    int p, rank;
    struct exec_context *executor;
    struct operators operators;
};

struct test_case {
    struct rb_plan_spec spec;
    struct rb_plan *plan;
    enum kind kind;
    struct data_type type;
    MPI_Op op;
    const char *op_name;
    int width;
    int64_t elements;
    struct rb_layout layout;
    int64_t *first;             /* irregular counts, or NULL */
    int *counts;                /* per owner, distributed collectives */
    int *displacement;          /* likewise, where they lie; of use where nothing is combined */
    int64_t *wide_displacement; /* the same */
    int64_t span;               /* elements of memory */
    uint64_t seed;              /* of the data */
};

static bool is(const struct test_case *test, const char *collective)
{
    return strcmp(test->spec.collective, collective) == 0;
}

/* ---- Drawing a case -------------------------------------------------------------------------- */

static int64_t draw_elements(uint64_t *random, int p)
{
    switch (draw_below(random, 8)) {
    case 0:
        return draw_below(random, 3);
    case 1:
        return 30000 + draw_below(random, 30000); /* beyond eager protocols */
    case 2:
    case 3:
        return draw_below(random, 4 * p + 1);
    default:
        return draw_below(random, 700);
    }
}

static void draw_operator(struct test_case *test, const struct group *group, uint64_t *random)
{
    test->op = MPI_OP_NULL;
    test->op_name = "none";
    if (!rb_collective_find(test->spec.collective)->reducing)
        return;
    if (test->spec.ordered || test->kind != INTS) {
        test->kind = test->kind == INTS ? PAIRS : test->kind;
        test->op = test->spec.ordered ? group->operators.composed : group->operators.summed;
        test->op_name = test->spec.ordered ? "composed" : "summed";
    } else {
        test->op = draw_below(random, 2) == 0 ? MPI_SUM : MPI_MAX;
        test->op_name = test->op == MPI_SUM ? "MPI_SUM" : "MPI_MAX";
    }
}

static void draw_plan(struct test_case *test, const struct rb_algorithm_info *algorithm,
                      const struct group *group, uint64_t *random)
{
    static const int blocks[] = {1, 2, 3, 4, 5, 8, 13, 40};
    const struct rb_collective_info *collective = rb_collective_find(algorithm->collective);
    const int root = draw_below(random, group->p), ordered = draw_below(random, 2);
    char why[200];
    test->spec = (struct rb_plan_spec){.collective = algorithm->collective,
                                       .algorithm = algorithm->name,
                                       .p = group->p,
                                       .n = blocks[draw_below(random, 8)],
                                       .ordered = collective->reducing && ordered == 1};
    if (test->spec.ordered && rb_plan_create(&test->spec, &test->plan, why, sizeof why) == RB_OK)
        return;
    test->spec.ordered = false;
    test->spec.root = collective->rooted ? root : 0;
    if (rb_plan_create(&test->spec, &test->plan, why, sizeof why) != RB_OK) {
        fprintf(stderr, "no plan: %s\n", why);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* Who owns how much; and where nothing is combined, in another order and with gaps. */
static void draw_counts(struct test_case *test, int p, uint64_t *random)
{
    const int rule = draw_below(random, 4), gap = draw_below(random, 3);
    const bool shuffled = test->op == MPI_OP_NULL && rule != RB_COUNTS_REGULAR && gap > 0;
    test->counts = calloc((size_t)p, sizeof *test->counts);
    test->displacement = calloc((size_t)p, sizeof *test->displacement);
    if (rule != RB_COUNTS_REGULAR) {
        const struct rb_counts counts = {.rule = (enum rb_counts_rule)rule, .seed = draw(random)};
        test->first = calloc((size_t)p + 1, sizeof *test->first);
        rb_counts_deal(&counts, p, 1, test->elements, test->first);
        test->layout.first = test->first;
    }
    for (int i = 0; i < p; i++) {
        const int64_t first = rb_layout_offset(test->plan, &test->layout, i, 0);
        const int64_t end =
            rb_layout_offset(test->plan, &test->layout, i, rb_plan_blocks(test->plan));
        test->counts[i] = (int)(end - first);
        test->displacement[i] = (int)first;
    }
    for (int i = p - 1; i >= 0 && shuffled; i--) { /* backwards, gap elements between */
        test->displacement[i] = (int)test->span;
        test->span += test->counts[i] + gap;
    }
    if (!shuffled)
        test->span = test->elements;
    test->wide_displacement = calloc((size_t)p, sizeof *test->wide_displacement);
    for (int i = 0; i < p; i++)
        test->wide_displacement[i] = test->displacement[i];
}

static void draw_case(struct test_case *test, const struct rb_algorithm_info *algorithm,
                      const struct group *group, uint64_t seed)
{
    static const int widths[] = {1, 1, 2, 3, 4, 9};
    uint64_t random = seed;
    *test = (struct test_case){.seed = seed, .width = widths[draw_below(&random, 6)]};
    draw_plan(test, algorithm, group, &random);
    test->kind = (enum kind)draw_below(&random, KINDS);
    draw_operator(test, group, &random);
    test->type = data_type_of(test->kind);
    test->elements = draw_elements(&random, group->p);
    test->layout = (struct rb_layout){.bytes = test->elements, .element = 1};
    test->span = 0;
    if (rb_collective_find(test->spec.collective)->distributed)
        draw_counts(test, group->p, &random);
    else
        test->span = test->elements;
}

static void free_case(struct test_case *test)
{
    rb_plan_destroy(test->plan);
    data_type_free(&test->type);
    free(test->first);
    free(test->counts);
    free(test->displacement);
    free(test->wide_displacement);
}

static void print_case(const struct test_case *test, const struct group *group)
{
    fprintf(stderr,
            "%s %s: p = %d, root %d, n = %" PRId64 ", window:%d, %" PRId64
            " elements of %s, %s counts, operator %s%s\n",
            test->spec.collective, test->spec.algorithm, group->p, test->spec.root, test->spec.n,
            test->width, test->elements, kind_name[test->kind],
            test->first != NULL ? "irregular" : "regular", test->op_name,
            test->spec.ordered ? " in rank order" : "");
}

/* ---- Running and comparing ------------------------------------------------------------------- */

/* What a plan's DST holds, word after word: no library trips over that. */
static uint32_t *words_of(const struct test_case *test, void *data)
{
    const int words = test->type.words;
    uint32_t *dense = calloc((size_t)(test->span * words) + 1, sizeof *dense);
    for (int64_t i = 0; i < test->span * words; i++)
        dense[i] = *data_word(&test->type, data, i / words, (int)(i % words));
    return dense;
}

/* The library's own, on the words alone. Gives where the elements that must agree begin, and how
 * many they are. */
static void run_own(const struct test_case *test, const struct group *group, uint32_t *result,
                    int64_t *first, int64_t *agreeing)
{
    const int elements = (int)test->elements, root = test->spec.root;
    const struct data_type dense = data_type_of(test->type.words == 1 ? INTS : PAIRS);
    uint32_t *sent = data_copy(result, (size_t)(test->span * dense.extent) + 1);
    *first = 0;
    *agreeing = test->span;
    if (is(test, "bcast")) {
        MPI_Bcast(result, elements, dense.type, root, group->own);
    } else if (is(test, "reduce")) {
        MPI_Reduce(sent, result, elements, dense.type, test->op, root, group->own);
        *agreeing = group->rank == root ? elements : 0;
    } else if (is(test, "allreduce")) {
        MPI_Allreduce(sent, result, elements, dense.type, test->op, group->own);
    } else if (is(test, "allgather")) {
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result, test->counts, test->displacement,
                       dense.type, group->own);
    } else if (is(test, "reduce-scatter")) {
        *first = test->displacement[group->rank];
        *agreeing = test->counts[group->rank];
        MPI_Reduce_scatter(sent, result + *first * dense.words, test->counts, dense.type, test->op,
                           group->own);
    } else if (is(test, "scatter")) {
        *first = test->displacement[group->rank];
        *agreeing = test->counts[group->rank];
        MPI_Scatterv(sent, test->counts, test->displacement, dense.type,
                     result + *first * dense.words, (int)*agreeing, dense.type, root, group->own);
    } else if (is(test, "gather")) {
        *agreeing = group->rank == root ? test->span : 0;
        MPI_Gatherv(sent + test->displacement[group->rank] * dense.words, test->counts[group->rank],
                    dense.type, result, test->counts, test->displacement, dense.type, root,
                    group->own);
    } else if (is(test, "scan")) {
        MPI_Scan(sent, result, elements, dense.type, test->op, group->own);
    } else if (is(test, "exscan")) {
        MPI_Exscan(sent, result, elements, dense.type, test->op, group->own);
        *agreeing = group->rank > 0 ? elements : 0;
    } else if (is(test, "shift")) { /* by 1, unless there is one rank */
        const int p = group->p, left = (group->rank + p - 1) % p;
        *first = test->displacement[left];
        *agreeing = test->counts[left];
        MPI_Sendrecv(sent + test->displacement[group->rank] * dense.words,
                     test->counts[group->rank], dense.type, (group->rank + 1) % p, 0,
                     result + *first * dense.words, (int)*agreeing, dense.type, left, 0, group->own,
                     MPI_STATUS_IGNORE);
    } else {
        fprintf(stderr, "mpi_executor.c knows no collective %s\n", test->spec.collective);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    free(sent);
    struct data_type done = dense;
    data_type_free(&done);
}

/* Of plans with two buffers, src holds at the start what dst does; tmp holds nothing. About half of
 * the ranks keep a script, which must make no difference to the others. */
static int run_plan(const struct test_case *test, const struct group *group, void *data)
{
    struct rb_rank state;
    struct exec_script script = {0};
    struct exec_elements elements;
    if (exec_elements_of(test->type.type, test->op, &elements) != MPI_SUCCESS)
        MPI_Abort(group->own, 3);
    const size_t room = data_room(&test->type, test->span);
    const int64_t tmp_elements = exec_tmp_room(test->plan, &test->layout);
    const size_t tmp_room =
        data_room(&test->type, tmp_elements > test->span ? tmp_elements : test->span);
    void *source = data_copy(data, room), *tmp = data_random(tmp_room, test->seed);
    rb_plan_rank(test->plan, group->rank, &state);
    struct exec_run run = {
        .plan = test->plan,
        .state = &state,
        .layout = &test->layout,
        .comm = group->plan,
        .buffer = {[RB_SRC] = source, [RB_DST] = data, [RB_TMP] = tmp},
        .elements = &elements,
        .width = test->width,
        .script = (test->seed + (uint64_t)group->rank) % 2 == 0 ? &script : NULL,
    };
    if (test->first != NULL)
        run.rows[RB_SRC].displacement = run.rows[RB_DST].displacement = test->wide_displacement;
    const int error = exec_run(group->executor, &run);
    exec_script_free(&script);
    free(source);
    free(tmp);
    return error;
}

/* Words first .. first + count - 1 agree, and bytes that belong to no word are as they were. */
static bool agree(const struct test_case *test, void *data, const uint32_t *expected,
                  const void *before, int64_t first, int64_t count)
{
    const size_t bytes = data_room(&test->type, test->span);
    char *gaps = data_copy(data, bytes), *gaps_before = data_copy(before, bytes);
    bool same = true;
    for (int64_t i = 0; i < test->span; i++)
        for (int k = 0; k < test->type.words; k++) {
            const uint32_t *word = data_word(&test->type, data, i, k);
            if (i >= first && i < first + count)
                same = same && *word == expected[i * test->type.words + k];
            *data_word(&test->type, gaps, i, k) = *data_word(&test->type, gaps_before, i, k) = 0;
        }
    same = same && memcmp(gaps, gaps_before, bytes) == 0;
    free(gaps);
    free(gaps_before);
    return same;
}

static bool run_case(const struct test_case *test, const struct group *group)
{
    const size_t bytes = data_room(&test->type, test->span);
    void *before = data_random(bytes, test->seed + (uint64_t)group->rank);
    void *data = data_copy(before, bytes);
    uint32_t *expected = words_of(test, data);
    int64_t first, agreeing;
    run_own(test, group, expected, &first, &agreeing);
    const int error = run_plan(test, group, data);
    int good = error == MPI_SUCCESS && agree(test, data, expected, before, first, agreeing);
    free(before);
    free(data);
    free(expected);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group->own);
    return good != 0;
}

/* ---- Plans made by hand ---------------------------------------------------------------------- */

enum { BY_HAND_N = 4, BY_HAND_LENGTH = 9 }; /* blocks, elements of one */

/* The words of all ranks' buffers are alike but for this: word `i` of rank r's. */
static uint32_t word_by_hand(int rank, int64_t i)
{
    uint64_t state = (uint64_t)rank << 32 | (uint64_t)i;
    return (uint32_t)draw(&state);
}

static void *fill_by_hand(const struct data_type *type, int64_t elements, int rank)
{
    void *data = data_random(data_room(type, elements), 0);
    for (int64_t i = 0; i < 2 * elements; i++)
        *data_word(type, data, i / 2, (int)(i % 2)) = word_by_hand(rank, i);
    return data;
}

/* Words 2 element and 2 element + 1 that the plan must leave in dst at this rank. */
static void expect_by_hand(const struct rb_plan *plan, int rank, int64_t element, uint32_t word[2])
{
    static MPI_Datatype unused = MPI_UINT64_T; /* eight bytes, as two words are */
    const int p = rb_plan_ranks(plan), left = (rank + p - 1) % p;
    const char *name = rb_plan_algorithm(plan)->name;
    const bool meets = strcmp(name, "meet") == 0;
    int from = meets || strcmp(name, "late") == 0 ? left : rank ^ 1, one = 1;
    const int length = BY_HAND_N * BY_HAND_LENGTH; /* elements of an owner */
    const int64_t place = element % length;
    if (from >= p)
        from = rank;
    const int64_t at = rb_plan_owners(plan) == 1 ? element : from * length + place;
    word[0] = word_by_hand(from, 2 * at);
    word[1] = word_by_hand(from, 2 * at + 1);
    for (int i = 0; i < 2 && meets; i++) {
        const int next = (rank + i) % p;
        const int64_t of_next = next * length + place;
        uint32_t right[2] = {word_by_hand(next, 2 * of_next), word_by_hand(next, 2 * of_next + 1)};
        compose(word, right, &one, &unused);
        memcpy(word, right, sizeof right);
    }
}

/* Takes the plan, and says whether it ran as it should. */
static bool run_by_hand(struct rb_plan *plan, const struct group *group, enum kind kind, int width)
{
    struct data_type type = data_type_of(kind);
    const int64_t per_owner = BY_HAND_N * BY_HAND_LENGTH;
    const int64_t elements = rb_plan_owners(plan) * per_owner;
    const struct rb_layout layout = {.bytes = elements, .element = 1};
    const char *name = rb_plan_algorithm(plan)->name;
    const int p = group->p, left = (group->rank + p - 1) % p;
    const int owner = strcmp(name, "late") == 0   ? left
                      : strcmp(name, "meet") == 0 ? group->rank
                                                  : 0;
    struct rb_rank state;
    struct exec_script script = {0};
    struct exec_elements type_elements;
    rb_plan_rank(plan, group->rank, &state);
    if (exec_elements_of(type.type, group->operators.composed, &type_elements) != MPI_SUCCESS)
        MPI_Abort(group->own, 3);
    struct exec_run run = {.plan = plan,
                           .state = &state,
                           .layout = &layout,
                           .comm = group->plan,
                           .elements = &type_elements,
                           .width = width,
                           .script = width % 2 == 1 ? &script : NULL};
    for (int b = 0; b < RB_BUFFERS; b++)
        run.buffer[b] = fill_by_hand(&type, elements, group->rank);
    int good = exec_run(group->executor, &run) == MPI_SUCCESS;
    for (int64_t i = owner * per_owner; i < (owner + 1) * per_owner; i++) {
        uint32_t word[2];
        expect_by_hand(plan, group->rank, i, word);
        good = good && *data_word(&type, run.buffer[RB_DST], i, 0) == word[0] &&
               *data_word(&type, run.buffer[RB_DST], i, 1) == word[1];
    }
    for (int b = 0; b < RB_BUFFERS; b++)
        free(run.buffer[b]);
    exec_script_free(&script);
    data_type_free(&type);
    rb_plan_destroy(plan);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, group->own);
    if (!good && group->rank == 0)
        fprintf(stderr, "plan by hand: %s, p = %d, window:%d, %s\n", name, p, width,
                kind_name[kind]);
    return good != 0;
}

/* Returns how many failed, of BY_HAND_CASES. */
enum { BY_HAND_CASES = 3 };
static int run_all_by_hand(const struct group *group, uint64_t seed)
{
    const int p = group->p, width = 1 + draw_below(&seed, 4);
    const enum kind kind = (enum kind)(PAIRS + draw_below(&seed, KINDS - PAIRS));
    int failed = !run_by_hand(swap_plan(p, BY_HAND_N), group, kind, width);
    failed += !run_by_hand(late_plan(p, BY_HAND_N), group, kind, width);
    if (p >= 3)
        failed += !run_by_hand(meet_plan(p, BY_HAND_N), group, kind, width);
    return failed;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static struct group make_group(MPI_Comm comm)
{
    struct group group = {
        .own = comm, .executor = exec_context_create(), .operators = operators_make()};
    MPI_Comm_dup(group.own, &group.plan);
    MPI_Comm_set_errhandler(group.plan, MPI_ERRORS_RETURN);
    MPI_Comm_size(group.own, &group.p);
    MPI_Comm_rank(group.own, &group.rank);
    return group;
}

static void free_group(struct group *group)
{
    exec_context_destroy(group->executor);
    operators_free(&group->operators);
    MPI_Comm_free(&group->plan);
}

/* Each algorithm once, but for personalized data, which are mpi_exchange.c's. */
static void run_registered(const struct group *group, uint64_t split_seed, int counts[2])
{
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        uint64_t seed = split_seed + (uint64_t)group->p * 1000 + (uint64_t)i;
        struct test_case test;
        if (rb_collective_find(rb_algorithm_at(i)->collective)->personalized ||
            fitting_ranks(rb_algorithm_at(i), group->p) != group->p)
            continue;
        draw_case(&test, rb_algorithm_at(i), group, draw(&seed));
        counts[0]++;
        if (!run_case(&test, group)) {
            counts[1]++;
            if (group->rank == 0)
                print_case(&test, group);
        }
        free_case(&test);
    }
}

static void run_group(MPI_Comm comm, uint64_t *random, int counts[2])
{
    struct group group = make_group(comm);
    run_registered(&group, draw(random), counts);
    counts[0] += BY_HAND_CASES;
    counts[1] += run_all_by_hand(&group, draw(random));
    free_group(&group);
}

int main(int argc, char **argv)
{
    static const struct test_program program = {
        .name = "mpi_executor", .splits = 20, .run = run_group};
    return run_test_program(&program, argc, argv);
}
