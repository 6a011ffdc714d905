/* test_mpilib.c - the table of what MPI libraries call their algorithms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/vendors/names/mpilib.h"
#include "mpi/vendors/names/names_tables.h"
#include "sim/engine/engine.h"
#include "support/names.h"

#define MPILIB(name) &mpilib_##name,
static const struct mpilib_table *const tables[] = {MPILIB_ALL};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Every row is of a collective of ours, and no number or name stands for two algorithms in one
 * version. */
static void rows_are_consistent(void **state)
{
    (void)state;
    for (size_t at = 0; at < TABLES; at++) {
        const char *library = tables[at]->library;
        size_t count;
        const struct mpilib_algorithm *row = mpilib_rows(library, &count);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(row[i].library, library);
            assert_non_null(rb_collective_find(row[i].collective));
            for (size_t k = 0; k < i; k++) {
                const bool together = (row[k].until == 0 || row[i].since <= row[k].until) &&
                                      (row[i].until == 0 || row[k].since <= row[i].until);
                if (!together || strcmp(row[i].call, row[k].call) != 0)
                    continue;
                assert_true(strcmp(row[i].name, row[k].name) != 0 ||
                            (row[i].fixed != NULL && row[k].fixed != NULL &&
                             strcmp(row[i].fixed, row[k].fixed) != 0));
                assert_true(row[i].id == -1 || row[i].id != row[k].id);
            }
        }
    }
    assert_null(mpilib_rows("nobody's MPI", &(size_t){0}));
}

static void names_are_found(void **state)
{
    (void)state;
    const struct mpilib_algorithm *row = mpilib_named("ompi", "bcast", "pipeline");
    assert_non_null(row);
    assert_int_equal(row->id, 3);
    assert_string_equal(row->algorithm, "chain");
    assert_non_null(mpilib_info(row));
    assert_null(mpilib_named("ompi", "bcast", "rabenseifner"));
    assert_string_equal(mpilib_named("ompi", NULL, "rabenseifner")->collective, "reduce");
    assert_null(mpilib_info(mpilib_named("mpich", "bcast", "MPIR_Bcast_intra_smp")));
    assert_string_equal(mpilib_numbered("ompi", "allgather", 2, 401)->name, "bruck");
    assert_string_equal(mpilib_numbered("ompi", "allgather", 2, 600)->name, "bruck-k-fanout");
    assert_null(mpilib_numbered("ompi", "allgather", 8, 401));
    assert_null(mpilib_numbered("ompi", "allgather", 99, 0));
}

static void ours_are_found(void **state)
{
    (void)state;
    assert_int_equal(mpilib_ours("ompi", 401, "bcast", NULL, "chains", 4, 8, 1)->id, 2);
    assert_int_equal(mpilib_ours("ompi", 401, "bcast", NULL, "knomial", 4, 8, 1)->id, 7);
    assert_null(mpilib_ours("ompi", 401, "bcast", NULL, "knomial", 3, 8, 1));
    assert_null(mpilib_ours("ompi", 401, "bcast", NULL, "circulant", 0, 8, 1));
    assert_int_equal(
        mpilib_ours("ompi", 401, "allgather", "allgather", "recursive-doubling", 0, 8, 1)->id, 3);
    assert_null(mpilib_ours("ompi", 401, "allgather", "allgather", "recursive-doubling", 0, 6, 1));
    assert_int_equal(mpilib_ours("ompi", 401, "allgather", "allgather", "pairwise", 0, 2, 1)->id,
                     6);
    assert_null(mpilib_ours("ompi", 401, "allgather", "allgather", "pairwise", 0, 3, 1));
    assert_null(mpilib_ours("ompi", 401, "allgather", "allgather", "neighbour-exchange", 0, 5, 1));
    assert_null(mpilib_ours("mpich", 400, "bcast", NULL, "chain", 0, 8, 1));
    assert_string_equal(mpilib_ours("mpich", 501, "bcast", NULL, "chain", 0, 8, 1)->name,
                        "MPIR_Bcast_intra_pipelined_tree");
    /* Near partners come first in all of them. */
    static const char *const libraries[] = {"ompi", "mpich", "ucc", "impi", "smpi"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        assert_non_null(
            mpilib_ours(libraries[i], 0, "reduce", NULL, "rabenseifner-doubling", 0, 8, 1));
        assert_non_null(
            mpilib_ours(libraries[i], 0, "allreduce", NULL, "rabenseifner-doubling", 0, 8, 1));
        assert_null(mpilib_ours(libraries[i], 0, "allreduce", NULL, "rabenseifner", 0, 8, 1));
    }
    /* A tree of p ranks has no larger radix than p. */
    assert_int_equal(mpilib_ours("ucc", 0, "bcast", NULL, "knomial", 2, 2, 1)->id, 0);
    assert_int_equal(mpilib_ours("ucc", 0, "reduce", NULL, "knomial", 3, 3, 1)->id, 0);
    assert_null(mpilib_ours("ucc", 0, "bcast", NULL, "knomial", 2, 3, 1));
    assert_null(mpilib_ours("ucc", 0, "bcast", NULL, "knomial", 3, 4, 1));
}

/* Libraries take p itself for what exceeds it, but no radix below two. */
static void radices_end_at_p(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 12; p++)
        for (int32_t radix = 0; radix <= 16; radix++) {
            const int32_t most = p < 2 ? 2 : p;
            assert_int_equal(mpilib_radix(radix, p), radix < most ? radix
                                                     : radix <= 2 ? radix
                                                                  : most);
        }
}

/* SimGrid here has each algorithm of SMPI's rows. */
static void smpi_has_its_names(void **state)
{
    (void)state;
    const struct sim_engine *engine = sim_engine_find("smpi");
    size_t count;
    const struct mpilib_algorithm *row = mpilib_rows("smpi", &count);
    struct sup_error error;
    if (engine == NULL)
        skip();
    for (size_t i = 0; i < count; i++) {
        const struct rb_collective_info *collective = rb_collective_find(row[i].collective);
        if (row[i].algorithm != NULL &&
            engine->find_native(collective, row[i].name, &error) != RB_OK)
            fail_msg("%s %s: %s", row[i].collective, row[i].name, error.text);
    }
}

/* What people, files and programs call the libraries. */
static void libraries_have_many_names(void **state)
{
    static const char *const cases[][2] = {{"ompi", "ompi"},
                                           {"OMPI", "ompi"},
                                           {"openmpi", "ompi"},
                                           {"Open MPI", "ompi"},
                                           {"open-mpi", "ompi"},
                                           {"Open_MPI 4.1.4", "ompi"},
                                           {"openmpi/5.0.3", "ompi"},
                                           {"openmpi@v5", "ompi"},
                                           {"customOMPI", "ompi"},
                                           {"MPICH 4.1", "mpich"},
                                           {"mpich3", "mpich"},
                                           {"CRAY_MPICH", "mpich"},
                                           {"Intel MPI", "impi"},
                                           {"intelmpi", "impi"},
                                           {"Intel(R) MPI", "impi"},
                                           {"MVAPICH2", "mvapich2"},
                                           {"mvapich", "mvapich2"},
                                           {"FJMPI", "fujitsu"},
                                           {"RCCL", "nccl"},
                                           {"NCCL model", "nccl"},
                                           {"UCC", "ucc"},
                                           {"ompi-json", NULL},
                                           {"mpich-5.1", "mpich"},
                                           {"openmpix", NULL},
                                           {"", NULL},
                                           {"open", NULL},
                                           {"ompi_pipeline", NULL},
                                           {"mvapich2_knomial", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *library = sup_library_named(cases[i][0]);
        if (cases[i][1] == NULL ? library != NULL
                                : library == NULL || strcmp(library, cases[i][1]) != 0)
            fail_msg("%s is %s", cases[i][0], library == NULL ? "none" : library);
    }
    assert_true(sup_same_library("OMPI", "Open MPI 4.1"));
    assert_false(sup_same_library("CRAY_MPICH", "mpich"));
    assert_true(sup_same_library("CRAY_MPICH", "Cray MPICH"));
    assert_true(sup_same_library("foo", "foo"));
    assert_false(sup_same_library("foo", "ompi"));
    char *names = sup_algorithm_names("native:Open MPI,chain,native:ompi_pipeline,native:MPICH");
    assert_string_equal(names, "native:ompi,chain,native:ompi_pipeline,native:mpich");
    free(names);
    /* Each name that the table has stands for a library that rules, choices or names know. */
    for (size_t at = 0; at < TABLES; at++)
        if (strcmp(tables[at]->library, "pico") != 0)
            assert_string_equal(sup_library_named(tables[at]->library), tables[at]->library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_consistent), cmocka_unit_test(names_are_found),
        cmocka_unit_test(ours_are_found),      cmocka_unit_test(radices_end_at_p),
        cmocka_unit_test(smpi_has_its_names),  cmocka_unit_test(libraries_have_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
