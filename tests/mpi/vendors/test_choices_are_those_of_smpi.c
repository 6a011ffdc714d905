/* test_choices_are_those_of_smpi.c - the rules by which MPI libraries choose, against SMPI, which
 * has the libraries' code: the plan of a choice sends as many messages and bytes as the library's
 * selector does. With the argument `long`, for 64 ranks, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/vendors/choices/choices.h"
#include "sim/engine/engine.h"

static void run(const struct rb_plan *plan, const struct sim_native *native, int32_t ppn,
                const struct rb_layout *layout, struct sim_result *result)
{
    const struct sim_spec spec = {.plan = plan,
                                  .native = native,
                                  .layout = layout,
                                  .platform = "crossbar:64",
                                  .ppn = ppn,
                                  .overlap = {.rule = SIM_BLOCKING, .window = 1}};
    struct sup_error error;
    if (sim_run(sim_engine_find("smpi"), &spec, result, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* What docs/library-algorithms.md says that a plan does otherwise: with p that is no power of two;
 * a part of the result that stays where it is; and SMPI's scattered alltoall sends a rank its own
 * data.
 */
static bool is_other(const char *collective, const char *algorithm, int32_t p)
{
    if (strcmp(collective, "reduce-scatter") == 0 && strcmp(algorithm, "nonoverlapping") == 0)
        return true;
    return (p & (p - 1)) != 0 && (strcmp(algorithm, "scatter-doubling") == 0 ||
                                  strcmp(algorithm, "recursive-halving") == 0);
}

/* Shares are all of one length: SMPI rounds them up. */
static int64_t round_up(const char *collective, int32_t p, int64_t bytes)
{
    const bool undivided = strcmp(collective, "bcast") == 0 || strcmp(collective, "reduce") == 0 ||
                           strcmp(collective, "allreduce") == 0;
    const int64_t unit = undivided ? 1 : strcmp(collective, "alltoall") == 0 ? (int64_t)p * p : p;
    return (bytes + unit - 1) / unit * unit;
}

/* False if no plan follows the library's algorithm. The choice is made for `layout`; the plan runs
 * on shares of one length, if those of the layout are. */
static bool compare_layout(const char *library, const char *collective, int32_t p, int32_t ppn,
                           const struct rb_layout *layout)
{
    const struct mpilib_call call = {.collective = collective,
                                     .p = p,
                                     .ppn = ppn,
                                     .bytes = layout->bytes,
                                     .element = layout->element,
                                     .irregular = layout->first != NULL};
    const struct sim_native native = {rb_collective_find(collective), library, p, 0};
    struct rb_layout rounded = *layout;
    struct sim_result ours, theirs;
    struct mpilib_choice choice;
    struct sup_error error;
    struct rb_plan *plan;
    if (mpilib_choose(library, &call, &choice, &error) != RB_OK) {
        assert_non_null(strstr(error.text, "use --engine smpi"));
        return false;
    }
    if (layout->first == NULL)
        rounded.bytes = round_up(collective, p, layout->bytes);
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = choice.algorithm,
                                      .p = p,
                                      .n = choice.n,
                                      .radix = choice.radix,
                                      .groups = choice.by_hosts && ppn == 4 ? "4" : NULL};
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    run(plan, NULL, ppn, &rounded, &ours);
    run(NULL, &native, ppn, layout, &theirs);
    if (strcmp(choice.name, "mvapich2_scatter_dest") == 0) {
        theirs.messages -= p;
        theirs.bytes -= rounded.bytes / p;
    }
    if (!is_other(collective, choice.algorithm, p) &&
        (ours.messages != theirs.messages || ours.bytes != theirs.bytes))
        fail_msg("%s of %s, p = %d, %d per host, %d bytes: %s as %s, n = %d: %d messages, %d "
                 "bytes; by SMPI %d, %d",
                 collective, library, (int)p, (int)ppn, (int)layout->bytes, choice.name,
                 choice.algorithm, (int)choice.n, (int)ours.messages, (int)ours.bytes,
                 (int)theirs.messages, (int)theirs.bytes);
    sim_result_free(&ours);
    sim_result_free(&theirs);
    rb_plan_destroy(plan);
    return true;
}

static bool compare(const char *library, const char *collective, int32_t p, int32_t ppn,
                    int64_t bytes)
{
    const struct rb_layout layout = {.bytes = bytes, .element = 1};
    return compare_layout(library, collective, p, ppn, &layout);
}

static bool thorough; /* the argument `long` */

static void choices_are_those_of_smpi(void **state)
{
    static const char *const libraries[] = {"ompi", "mpich"};
    static const char *const collectives[] = {"bcast",    "reduce", "allreduce", "allgather",
                                              "alltoall", "gather", "scatter",   "reduce-scatter"};
    static const int32_t ranks[] = {16, 17, 64};
    static const int64_t sizes[] = {1, 64, 3072, 65536, 4 << 20};
    const size_t rank_count = sizeof ranks / sizeof *ranks - !thorough;
    int compared = 0;
    (void)state;
    for (size_t l = 0; l < 2; l++)
        for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++)
            for (size_t r = 0; r < rank_count; r++)
                for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++)
                    compared += compare(libraries[l], collectives[c], ranks[r], 1,
                                        round_up(collectives[c], ranks[r], sizes[m]));
    assert_int_equal(compared, thorough ? 229 : 149);
}

/* What a library runs by itself is not always what SMPI's algorithm of that name does. */
static void libraries_fall_back(void **state)
{
    static const struct {
        const char *collective;
        int32_t p;
        int64_t bytes;
        const char *algorithm; /* of SMPI's: NULL: none */
        const char *itself;
    } cases[] = {{"allgather", 44, 44, NULL, "dissemination"},
                 {"allgather", 64, 64, "recursive-doubling", "recursive-doubling"},
                 {"allgather", 44, 44 << 12, "neighbour-exchange", "neighbour-exchange"},
                 {"allgather", 45, 45 << 12, NULL, "ring"},
                 {"allgather", 2, 64, NULL, "ring"},
                 {"allreduce", 44, 16, NULL, "recursive-doubling"},
                 {"allreduce", 44, 64, "segmented-ring", "segmented-ring"}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool itself = i % 2 == 1;
        const struct mpilib_call call = {.collective = cases[i / 2].collective,
                                         .p = cases[i / 2].p,
                                         .ppn = 1,
                                         .bytes = cases[i / 2].bytes,
                                         .element = 1,
                                         .itself = itself};
        const char *want = itself ? cases[i / 2].itself : cases[i / 2].algorithm;
        struct mpilib_choice choice;
        struct sup_error error;
        const int status = mpilib_choose("ompi", &call, &choice, &error);
        assert_int_equal(status, want == NULL ? RB_EINVAL : RB_OK);
        if (want != NULL)
            assert_string_equal(choice.algorithm, want);
    }
}

/* An allreduce of two parts, each as the library chooses it, at sizes for which the reduction is
 * not cut; and the trees of all its sizes. */
static void two_parts_are_chosen(void **state)
{
    static const struct {
        int32_t p;
        int64_t bytes;
        const char *algorithm;
        int32_t radix;
        int64_t n;
    } cases[] = {{128, 1, "nonoverlapping", 2, 1},      {128, 1024, "binomial-binary", 0, 1},
                 {128, 20480, "binomial-chain", 0, 3},  {128, 40000, "binomial-binary", 0, 5},
                 {128, 100000, "nonoverlapping", 4, 1}, {256, 1024, "nonoverlapping", 4, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mpilib_call call = {.collective = "allreduce",
                                         .p = cases[i].p,
                                         .ppn = 1,
                                         .bytes = cases[i].bytes,
                                         .element = 1};
        struct mpilib_choice choice;
        assert_int_equal(mpilib_choose("ompi", &call, &choice, NULL), RB_OK);
        assert_string_equal(choice.algorithm, cases[i].algorithm);
        assert_int_equal(choice.radix, cases[i].radix);
        assert_int_equal(choice.n, cases[i].n);
    }
    assert_true(compare("ompi", "allreduce", 128, 2, 1) &&
                compare("ompi", "allreduce", 128, 2, 1024));
}

/* By hosts; MVAPICH2 and Intel MPI choose other algorithms between hosts than inside. */
static void choices_know_hosts(void **state)
{
    static const char *const libraries[] = {"mpich", "mvapich2", "impi"};
    static const int64_t sizes[] = {1, 3072, 65536, 300032, 4 << 20};
    int compared = 0;
    (void)state;
    for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++)
        for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
            compared += compare(libraries[l], "bcast", 64, 4, sizes[m]);
            compared += compare(libraries[l], "reduce", 64, 4, sizes[m]);
        }
    assert_int_equal(compared, 22);
}

/* Sizes that do not divide into shares, just below those from which rules hold: libraries see
 * shares that are rounded up. */
static void sizes_need_not_divide(void **state)
{
    static const struct {
        const char *library, *collective;
        int32_t p;
        int64_t bytes;
    } calls[] = {
        {"mpich", "allgather", 17, 81920},
        {"mpich", "allgather", 17, 81900},
        {"mpich", "allgather", 16, 524287},
        {"mpich", "allgather", 16, 524272},
        {"mpich", "alltoall", 17, 255 * 289 + 1},
        {"mpich", "alltoall", 17, 255 * 289},
        {"mpich", "alltoall", 16, 32767 * 256 + 1},
        {"mpich", "alltoall", 9, 255 * 81 + 80},
        {"ompi", "alltoall", 17, 7 * 289 + 5},
        {"ompi", "allgather", 16, 1000},
        {"ompi", "gather", 17, 6000 * 17 - 16},
        {"ompi", "scatter", 17, 2048 * 17 - 16},
        {"ompi", "alltoall", 5, 3},
        {"mpich", "gather", 17, 3},
        {"mpich", "scatter", 5, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct rb_layout layout = {.bytes = calls[i].bytes, .element = 1};
        assert_true(compare_layout(calls[i].library, calls[i].collective, calls[i].p, 1, &layout));
    }
}

/* Counts that differ: libraries see elements of 4 bytes, or the mean share. */
static void counts_may_differ(void **state)
{
    static const struct {
        const char *library, *collective;
        int32_t p;
        int64_t elements;
    } calls[] = {
        {"mpich", "allgather", 17, 81920},  {"mpich", "allgather", 17, 81921},
        {"mpich", "allgather", 16, 524287}, {"ompi", "alltoall", 17, 5000},
        {"ompi", "allgather", 16, 5000},    {"ompi", "allgather", 17, 5000},
        {"mpich", "alltoall", 9, 5000},     {"ompi", "alltoall", 16, 100000},
    };
    static int64_t first[17 * 17 + 1];
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const bool pairs = strcmp(calls[i].collective, "alltoall") == 0;
        const int64_t shares = pairs ? calls[i].p * calls[i].p : calls[i].p;
        const struct rb_layout layout = {
            .bytes = 4 * calls[i].elements, .element = 4, .first = first};
        for (int64_t s = 0; s < shares; s++) /* the later, the longer; none is empty */
            first[s + 1] = s + 1 == shares
                               ? calls[i].elements
                               : s + 1 + (calls[i].elements - shares) * s * s / shares / shares;
        assert_true(compare_layout(calls[i].library, calls[i].collective, calls[i].p, 1, &layout));
    }
    /* SMPI's ring cuts long messages where counts differ. */
    const struct mpilib_call ring = {.collective = "allgather",
                                     .p = 16,
                                     .ppn = 1,
                                     .bytes = 4 * 524288,
                                     .element = 4,
                                     .irregular = true};
    struct mpilib_choice choice;
    assert_int_equal(mpilib_choose("mpich", &ring, &choice, NULL), RB_OK);
    assert_string_equal(choice.name, "mpich_ring");
}

/* MPICH reduces fewer elements than the largest power of two up to p by a tree, others that are
 * long by a scatter (SMPI's smpi_mpich_selector.cpp). */
static void few_elements_are_no_long_data(void **state)
{
    (void)state;
    for (int32_t p = 3; p <= 40; p++)
        for (int64_t elements = 1; elements <= 40; elements++) {
            const struct mpilib_call call = {.collective = "reduce",
                                             .p = p,
                                             .ppn = 1,
                                             .bytes = 1024 * elements,
                                             .element = 1024};
            struct mpilib_choice choice;
            struct sup_error error;
            int64_t power = 1;
            while (2 * power <= p)
                power *= 2;
            assert_int_equal(mpilib_choose("mpich", &call, &choice, &error), RB_OK);
            assert_string_equal(choice.name,
                                elements < 2 || elements < power ? "binomial" : "scatter_gather");
        }
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_those_of_smpi),     cmocka_unit_test(libraries_fall_back),
        cmocka_unit_test(two_parts_are_chosen),          cmocka_unit_test(choices_know_hosts),
        cmocka_unit_test(sizes_need_not_divide),         cmocka_unit_test(counts_may_differ),
        cmocka_unit_test(few_elements_are_no_long_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
