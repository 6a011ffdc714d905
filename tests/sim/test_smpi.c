/* test_smpi.c - the engine smpi: plans by the executor of mpi/ against the replay engine and closed
 * forms, and SMPI's own collectives.
 *
 * Data of these sizes are checked by the engine itself: a wrong byte makes the run fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/names.h"

enum { ENVELOPE = 16 }; /* bytes that SMPI adds to each message */

struct request {
    const char *collective, *algorithm, *platform, *overlap, *counts;
    int32_t p, root;
    int64_t n, m, element;
};

/* With `ppn` ranks on a host, and a plan by groups. */
static int run_by_hosts(const struct request *request, int32_t ppn, const char *groups,
                        const char *engine, struct sim_result *result, struct sup_error *error)
{
    const char *native = sim_native_name(request->algorithm);
    const struct rb_collective_info *collective = rb_collective_find(request->collective);
    const struct sim_native call = {collective, native, request->p, request->root};
    const struct rb_plan_spec wanted = {.collective = request->collective,
                                        .algorithm = request->algorithm,
                                        .p = request->p,
                                        .root = request->root,
                                        .n = request->n,
                                        .groups = groups};
    struct rb_layout layout = {.bytes = request->m,
                               .element = request->element > 0 ? request->element : 1};
    struct sim_spec spec = {.layout = &layout, .platform = request->platform, .ppn = ppn};
    struct rb_plan *plan = NULL;
    struct sup_counts counts;
    int64_t *first;
    if (native == NULL)
        assert_int_equal(rb_plan_create(&wanted, &plan, NULL, 0), RB_OK);
    spec.plan = plan;
    spec.native = native != NULL ? &call : NULL;
    assert_int_equal(
        sim_overlap_parse(request->overlap ? request->overlap : "blocking", &spec.overlap, error),
        RB_OK);
    assert_int_equal(
        sup_counts_parse(request->counts ? request->counts : "regular", &counts, error), RB_OK);
    assert_int_equal(sup_counts_apply(&counts, collective, request->p, &layout, &first, error),
                     RB_OK);
    int status = sim_run(sim_engine_find(engine), &spec, result, error);
    free(first);
    rb_plan_destroy(plan);
    return status;
}

static int run(const struct request *request, const char *engine, struct sim_result *result,
               struct sup_error *error)
{
    return run_by_hosts(request, 1, NULL, engine, result, error);
}

static double time_by_hosts(const struct request *request, int32_t ppn, const char *groups)
{
    struct sim_result result;
    struct sup_error error;
    if (run_by_hosts(request, ppn, groups, "smpi", &result, &error) != RB_OK)
        fail_msg("%s %s, p = %d, ppn = %d, engine smpi: %s", request->collective,
                 request->algorithm, request->p, ppn, error.text);
    const double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static double time_of(const struct request *request, const char *engine)
{
    struct sim_result result;
    struct sup_error error;
    if (run(request, engine, &result, &error) != RB_OK)
        fail_msg("%s %s, p = %d, m = %lld, engine %s: %s", request->collective, request->algorithm,
                 request->p, (long long)request->m, engine, error.text);
    double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static void assert_close(const struct request *request, double time_s, double expected_s,
                         double tolerance)
{
    if (fabs(time_s - expected_s) > tolerance * expected_s)
        fail_msg("%s %s on %s, p = %d, n = %lld, m = %lld, root %d: %.9g s instead of %.9g s",
                 request->collective, request->algorithm, request->platform, request->p,
                 (long long)request->n, (long long)request->m, request->root, time_s, expected_s);
}

/* ---- Plans ---- */

/* (n - 1 + q) (alpha + beta (m/n + 16)): the papers' time, and SMPI's envelopes. */
static void test_circulant_takes_its_closed_form(void **state)
{
    static const struct request requests[] = {
        {.p = 2, .n = 1, .m = 1000},       {.p = 17, .n = 10, .m = 100000},
        {.p = 64, .n = 16, .m = 1 << 20},  {.p = 100, .n = 40, .m = 4000000, .root = 63},
        {.p = 127, .n = 3, .m = 30 << 20},
    };
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct request request = requests[i];
        request.collective = "bcast";
        request.algorithm = "circulant";
        request.platform = "crossbar:128,bandwidth=10GBps,latency=2us";
        const double block = (double)request.m / (double)request.n;
        const double rounds = (double)(request.n - 1 + rb_ceil_log2(request.p));
        assert_close(&request, time_of(&request, "smpi"),
                     rounds * (2e-6 + (block + ENVELOPE) / 10e9), 1e-9);
    }
}

static void test_agrees_with_the_replay(void **state)
{
    static const struct request requests[] = {
        {"bcast", "circulant", "crossbar:64", NULL, NULL, 33, 7, 5, 50000, 1},
        {"bcast", "circulant", "crossbar:64", NULL, NULL, 64, 0, 16, 1000000, 1},
        {"bcast", "circulant", "fat-tree:64,taper=4", NULL, NULL, 61, 0, 16, 1000000, 1},
        {"bcast", "scatter-allgather", "crossbar:64", NULL, NULL, 23, 0, 1, 1000000, 1},
        {"bcast", "chain", "crossbar:64", NULL, NULL, 20, 3, 20, 100000, 1},
        {"reduce", "circulant", "crossbar:64", NULL, NULL, 20, 3, 9, 96000, 8},
        {"allgather", "circulant", "crossbar:64", NULL, NULL, 20, 0, 3, 80000, 4},
        {"allgather", "circulant", "crossbar:64", NULL, "random:1", 20, 0, 3, 80000, 4},
        {"reduce-scatter", "circulant", "crossbar:64", NULL, NULL, 31, 0, 2, 80000, 2},
        {"allreduce", "circulant", "fat-tree:64", NULL, NULL, 40, 0, 2, 99000, 3},
        {"allgather", "ring", "crossbar:64", "window:4", NULL, 20, 0, 1, 80000, 1},
        {"scatter", "binomial", "crossbar:64", NULL, "mod3", 20, 3, 1, 80000, 1},
        {"gather", "binomial", "crossbar:64", NULL, NULL, 20, 3, 1, 80000, 4},
        {"exscan", "chain", "crossbar:64", NULL, NULL, 20, 0, 4, 80000, 1},
        {"alltoall", "bruck", "crossbar:64", NULL, "mod3", 21, 0, 1, 882000, 2},
        {"alltoall", "pairwise", "fat-tree:64", NULL, NULL, 21, 0, 1, 882001, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_close(&requests[i], time_of(&requests[i], "smpi"), time_of(&requests[i], "simgrid"),
                     0.01);
}

static void test_counts_messages_and_ranks(void **state)
{
    const struct request request = {"bcast", "circulant", "crossbar:32", NULL, NULL, 32,
                                    0,       4,           4096,          1};
    struct sim_result replayed, run_by_mpi;
    struct sup_error error;
    (void)state;
    assert_int_equal(run(&request, "simgrid", &replayed, &error), RB_OK);
    assert_int_equal(run(&request, "smpi", &run_by_mpi, &error), RB_OK);
    assert_int_equal(run_by_mpi.messages, replayed.messages);
    assert_int_equal(run_by_mpi.bytes, replayed.bytes);
    assert_int_equal(run_by_mpi.rounds, replayed.rounds);
    assert_int_equal(run_by_mpi.hosts, 32);
    assert_true(run_by_mpi.uncontended);
    sim_result_free(&replayed);
    sim_result_free(&run_by_mpi);
}

/* ---- Native collectives ---- */

/* Known times: a binomial tree sends whole messages in q rounds; a ring of shares p - 1 of them. */
static void test_natives_take_known_times(void **state)
{
    const double alpha = 1e-6, beta = 1 / 12.5e9;
    const struct request tree = {
        "bcast", "native:binomial_tree", "crossbar:64", NULL, NULL, 64, 5, 1, 100000, 1};
    const struct request ring = {
        "allgather", "native:ring", "crossbar:64", NULL, NULL, 20, 0, 1, 80000, 1};
    (void)state;
    assert_close(&tree, time_of(&tree, "smpi"), 6 * (alpha + beta * (100000 + ENVELOPE)), 1e-9);
    /* Its copy of the rank's own share travels over the loopback too. */
    assert_close(&ring, time_of(&ring, "smpi"), 19 * (alpha + beta * (4000 + ENVELOPE)), 0.05);
}

/* The plans that follow a library's algorithm send as many messages and bytes as SMPI's version of
 * the library's code, and on the crossbar most take the same time. */
static void test_plans_equal_natives(void **state)
{
    static const struct {
        const char *collective, *native, *plan;
        int32_t p;
        int64_t n, bytes;
        bool in_time;
    } pairs[] = {
        /* SMPI takes segments of 8 KiB here. */
        {"bcast", "native:ompi_split_bintree", "split-binary", 12, 64, 1 << 20, true},
        {"bcast", "native:ompi_split_bintree", "split-binary", 17, 64, 1 << 20, true},
        {"bcast", "native:mvapich2_knomial_intra_node", "knomial", 17, 1, 1 << 16, false},
        {"reduce", "native:mvapich2_knomial", "knomial", 17, 1, 1 << 20, false},
        {"reduce", "native:ompi_in_order_binary", "in-order-binary", 12, 1, 1 << 20, false},
        {"reduce", "native:ompi_chain", "chains", 17, 4, 1 << 18, false},
        {"allgather", "native:ompi_neighborexchange", "neighbour-exchange", 16, 1, 1 << 14, true},
        {"reduce-scatter", "native:ompi_butterfly", "butterfly", 12, 1, 1 << 14, true},
        {"reduce-scatter", "native:ompi_butterfly", "butterfly", 17, 1, 1 << 14, true},
        {"reduce-scatter", "native:mpich_rdb", "recursive-doubling", 16, 1, 1 << 14, true},
        {"allreduce", "native:ompi_ring_segmented", "segmented-ring", 16, 2, 1 << 25, true},
        {"scatter", "native:ompi_linear_nb", "linear-sync", 16, 1, 1 << 20, false},
        {"gather", "native:ompi_linear_sync", "linear-sync", 16, 2, 1 << 20, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct request request = {pairs[i].collective,
                                  pairs[i].plan,
                                  "crossbar:32",
                                  NULL,
                                  NULL,
                                  pairs[i].p,
                                  0,
                                  pairs[i].n,
                                  pairs[i].bytes,
                                  1};
        struct sim_result plan, native;
        struct sup_error error;
        assert_int_equal(run(&request, "smpi", &plan, &error), RB_OK);
        request.algorithm = pairs[i].native;
        assert_int_equal(run(&request, "smpi", &native, &error), RB_OK);
        if (plan.messages != native.messages || plan.bytes != native.bytes)
            fail_msg("%s %s, p = %d: %d messages, %d bytes; %s: %d, %d", request.collective,
                     pairs[i].plan, (int)request.p, (int)plan.messages, (int)plan.bytes,
                     pairs[i].native, (int)native.messages, (int)native.bytes);
        if (pairs[i].in_time)
            assert_close(&request, plan.time_s, native.time_s, 1e-9);
        sim_result_free(&plan);
        sim_result_free(&native);
    }
}

static void test_natives_give_right_data(void **state)
{
    static const struct request requests[] = {
        {"bcast", "native:ompi", NULL, NULL, NULL, 13, 4, 1, 20000, 1},
        {"bcast", "native:mpich", NULL, NULL, NULL, 16, 0, 1, 20000, 1},
        {"reduce", "native:ompi_binomial", NULL, NULL, NULL, 13, 4, 1, 20000, 4},
        {"reduce", "native:mvapich2", NULL, NULL, NULL, 13, 4, 1, 21000, 3},
        {"allgather", "native:impi", NULL, NULL, NULL, 13, 0, 1, 20000, 1},
        {"allgather", "native:ompi", NULL, NULL, "mod3", 13, 0, 1, 20000, 1},
        {"reduce-scatter", "native:mpich", NULL, NULL, NULL, 13, 0, 1, 20000, 8},
        {"reduce-scatter", "native:mpich", NULL, NULL, "random:3", 13, 0, 1, 20000, 1},
        {"allreduce", "native:default", NULL, NULL, NULL, 13, 0, 1, 20000, 2},
        {"scatter", "native:ompi", NULL, NULL, NULL, 13, 4, 1, 20000, 1},
        {"gather", "native:mpich", NULL, NULL, NULL, 13, 4, 1, 20000, 4},
        {"alltoall", "native:bruck", NULL, NULL, NULL, 13, 0, 1, 20000, 1},
        {"alltoall", "native:ompi", NULL, NULL, "random:1", 13, 0, 1, 20000, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct request request = requests[i];
        request.platform = "fat-tree:64";
        assert_true(time_of(&request, "smpi") > 0);
    }
}

/* SMPI finds out which ranks share a host: its SMP-aware tree is that of two levels, and all others
 * give right data. */
static void test_natives_know_hosts(void **state)
{
    static const char *const known[][2] = {{"bcast", "native:SMP_binary"},
                                           {"bcast", "native:SMP_linear"},
                                           {"bcast", "native:mvapich2"},
                                           {"bcast", "native:impi"},
                                           {"reduce", "native:mvapich2_two_level"},
                                           {"allreduce", "native:smp_rdb"},
                                           {"allreduce", "native:smp_rsag_lr"},
                                           {"allreduce", "native:mvapich2_two_level"},
                                           {"allgather", "native:SMP_NTS"},
                                           {"allgather", "native:smp_simple"},
                                           {"allgather", "native:loosely_lr"},
                                           {"allgather", "native:mvapich2_smp"}};
    const struct request plan = {
        "bcast", "binomial-over-binomial", "crossbar:5", NULL, NULL, 20, 0, 1, 20000, 1};
    struct request native = plan;
    (void)state;
    native.algorithm = "native:SMP_binomial";
    assert_close(&native, time_by_hosts(&native, 4, NULL), time_by_hosts(&plan, 4, "4"), 1e-9);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        native.collective = known[i][0];
        native.algorithm = known[i][1];
        assert_true(time_by_hosts(&native, 4, NULL) > 0);
    }
}

static void assert_refused(const struct request *request, const char *engine, int status,
                           const char *part)
{
    struct sim_result result;
    struct sup_error error = {.text = ""};
    assert_int_equal(run(request, engine, &result, &error), status);
    if (strstr(error.text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
}

static void test_refusals(void **state)
{
    struct request request = {"bcast", "native:ompi", "crossbar:8", NULL, NULL, 8, 0, 1, 1000, 1};
    (void)state;
    assert_refused(&request, "simgrid", RB_EINVAL, "runs only plans");
    request.overlap = "lockstep";
    assert_refused(&request, "smpi", RB_EINVAL, "no lockstep");
    request =
        (struct request){"allgather", "native:pair", "crossbar:8", NULL, NULL, 7, 0, 1, 7000, 1};
    assert_refused(&request, "smpi", RB_EFAILED, "non power of two");
    request =
        (struct request){"scatter", "native:ompi", "crossbar:8", NULL, "mod3", 7, 0, 1, 7000, 1};
    assert_refused(&request, "smpi", RB_EINVAL, "counts other than regular");
    request =
        (struct request){"bcast", "native:SMP_linear", "crossbar:8", NULL, NULL, 8, 0, 1, 1000, 1};
    assert_refused(&request, "smpi", RB_EFAILED, "a deadlock");
    /* SMPI's fault, found by comparing the data. */
    request = (struct request){
        "bcast", "native:flattree_pipeline", "crossbar:8", NULL, NULL, 8, 0, 1, 20000, 1};
    assert_refused(&request, "smpi", RB_EWRONG, "of the result is wrong");
}

static void natives_are_found_by_smpi_s_names(void **state)
{
    const struct sim_engine *engine = sim_engine_of_natives();
    const struct rb_collective_info *bcast = rb_collective_find("bcast");
    struct sup_error error;
    (void)state;
    assert_non_null(engine);
    assert_int_equal(engine->find_native(bcast, "scatter_LR_allgather", &error), RB_OK);
    assert_int_equal(engine->find_native(bcast, "ompi_pipelin", &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "did you mean native:ompi_pipeline?"));
    assert_int_equal(engine->find_native(bcast, "qqqqqqqq", &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "it has default, "));
    assert_int_equal(engine->find_native(bcast, "automatic", &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "deadlock"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circulant_takes_its_closed_form),
        cmocka_unit_test(test_agrees_with_the_replay),
        cmocka_unit_test(test_counts_messages_and_ranks),
        cmocka_unit_test(test_natives_take_known_times),
        cmocka_unit_test(test_plans_equal_natives),
        cmocka_unit_test(test_natives_give_right_data),
        cmocka_unit_test(test_natives_know_hosts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(natives_are_found_by_smpi_s_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
