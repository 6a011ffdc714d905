/* test_nccl.c - the engine nccl: times against the formulas of NCCL's tuning.cc done by hand, and a
 * bandwidth of which NCCL itself told a user. The numbers in the rows are latency in us, bytes and
 * GB/s: they hold to 1e-9, as nothing but the order of operations can differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "roundabout.h"
#include "sim/engine/engine.h"

enum { KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30 };

struct request {
    const char *platform, *collective, *algorithm;
    int32_t p;
    int64_t m;
    const char *option; /* NULL: none */
};

static int run(const struct request *request, struct sim_result *result, struct sup_error *error)
{
    const bool rails = strstr(request->algorithm, "lanes") != NULL;
    const struct rb_plan_spec wanted = {.collective = request->collective,
                                        .algorithm = request->algorithm,
                                        .p = request->p,
                                        .n = 1,
                                        .groups = rails ? "8" : NULL};
    const struct rb_layout layout = {.bytes = request->m, .element = 1};
    struct sim_spec spec = {.layout = &layout,
                            .platform = request->platform,
                            .ppn = 1,
                            .placement = {.rule = SIM_BLOCK},
                            .overlap = {.rule = SIM_BLOCKING},
                            .options = &request->option,
                            .option_count = request->option != NULL};
    struct rb_plan *plan;
    char why[200];
    if (rb_plan_create(&wanted, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    spec.plan = plan;
    const int status = sim_run(sim_engine_find("nccl"), &spec, result, error);
    rb_plan_destroy(plan);
    return status;
}

static double time_of(const struct request *request, const char *variant)
{
    struct sim_result result;
    struct sup_error error;
    if (run(request, &result, &error) != RB_OK)
        fail_msg("%s %s on %s: %s", request->collective, request->algorithm, request->platform,
                 error.text);
    if (variant != NULL)
        assert_string_equal(result.variant, variant);
    return result.time_s;
}

#define H100  "rails:16x8"                                          /* 8 channels of 45 GB/s */
#define A100  "rails:16x8,bandwidth=24GBps,inner-bandwidth=240GBps" /* 8 of 24 */
#define B200  "rails:16x8,inner-bandwidth=722GBps"                  /* 8 of 48 */
#define ALONE "rails:16x1"                                          /* 2 of 24 */
#define TWO   "rails:2x8"                                           /* 8 of 45 */
#define NODE  "rails:1x8"                                           /* 12 of 30 */

static void test_times_by_hand(void **state)
{
    (void)state;
    static const struct {
        struct request request;
        const char *variant;
        double latency_us, share, bandwidth; /* share of the bytes that takes time */
    } rows[] = {
        /* All 128 hops are hops between nodes. LL has 20.4 GB/s at most, LL128 36.7 a channel. */
        {{H100, "bcast", "multi-ring", 128, MiB, NULL}, "Ring LL", 6.6 + 128 * 2.7, 1, 20.4},
        {{H100, "bcast", "multi-ring", 128, 64 * MiB, NULL},
         "Ring LL128",
         14 + 128 * 4,
         1,
         8 * 36.7},
        {{H100, "reduce", "multi-ring", 128, GiB, NULL}, "Ring LL128", 14 + 128 * 4, 1, 8 * 36.7},
        {{H100, "bcast", "multi-ring", 128, GiB, "protocol:simple"},
         "Ring Simple",
         8.4 + 128 * 14,
         1,
         360},
        /* 15 hops between nodes and 112 inside; twice as many for allreduce. */
        {{H100, "allgather", "multi-ring", 128, MiB, NULL},
         "Ring LL",
         6.6 + 112 + 15 * 2.7,
         127. / 128,
         20.4},
        {{H100, "allgather", "multi-ring", 128, 64 * MiB, NULL},
         "Ring LL128",
         14 + 112 * 1.9 + 15 * 4,
         127. / 128,
         8 * 36.7},
        {{H100, "reduce-scatter", "multi-ring", 128, GiB, NULL},
         "Ring Simple",
         8.4 + 112 * 3.4 + 15 * 14,
         127. / 128,
         360},
        {{H100, "allreduce", "multi-ring", 128, MiB, NULL},
         "Ring LL",
         6.6 + 224 + 30 * 2.7,
         254. / 128,
         20.4},
        {{H100, "allreduce", "multi-ring", 128, GiB, NULL},
         "Ring Simple",
         1.4 * (8.4 + 224 * 3.4 + 30 * 14),
         254. / 128,
         360},
        {{H100, "allreduce", "multi-ring", 128, 128 * KiB - 1, "protocol:simple"},
         "Ring Simple",
         8.4 + 224 * 3.4 + 30 * 14,
         254. / 128,
         360},
        {{H100, "allreduce", "multi-ring", 128, 128 * KiB, "protocol:simple"},
         "Ring Simple",
         1.4 * (8.4 + 224 * 3.4 + 30 * 14),
         254. / 128,
         360},
        /* 31 channels of 12 GB/s would fit, too, but the search ends at half of 45 GB/s. */
        {{"rails:16x8,inner-bandwidth=380GBps", "allgather", "multi-ring", 128, GiB, NULL},
         "Ring Simple",
         8.4 + 112 * 3.4 + 15 * 14,
         127. / 128,
         360},
        /* NCCL's search has no speed for so slow a network. */
        {{"rails:4x2,bandwidth=50MBps", "allgather", "multi-ring", 8, GiB, "protocol:simple"},
         "Ring Simple",
         8.4 + 4 * 3.4 + 3 * 14,
         7. / 8,
         .1},
        /* Trees: up and down 7 hops inside and 4 between nodes; a channel has 29 or 36 GB/s. */
        {{H100, "allreduce", "two-tree-in-lanes", 128, MiB, NULL},
         "Tree LL128",
         14 + 2 * (7 * 1.25 + 4 * 8.5),
         1,
         .85 * .6 * 8 * 29 / 2},
        {{H100, "allreduce", "two-tree", 128, GiB, NULL},
         "Tree Simple",
         8.4 + 2 * (7 * 4 + 4 * 14),
         1,
         .85 * 8 * 36 / 2},
        {{H100, "allreduce", "two-tree", 128, 63, NULL},
         "Tree LL",
         6.8 + 2 * (7 * .6 + 4 * 5),
         1,
         .85 * 20.4 / 2},
        /* The other generations, and AMD's processors. */
        {{A100, "allgather", "multi-ring", 128, GiB, "sm:80"},
         "Ring Simple",
         8.4 + 112 * 3.4 + 15 * 14,
         127. / 128,
         192},
        {{A100, "allgather", "multi-ring", 128, KiB, "cpu:amd"},
         "Ring LL",
         6.6 + 112 * 2 + 15 * 2.7,
         127. / 128,
         19},
        {{A100, "allreduce", "two-tree", 128, GiB, "sm:80"},
         "Tree Simple",
         8.4 + 2 * (7 * 4 + 4 * 14),
         1,
         8 * 17.8 / 2},
        {{B200, "bcast", "multi-ring", 128, 64 * MiB, "sm:100"},
         "Ring LL128",
         14 + 128 * 4,
         1,
         8 * 40},
        /* A machine says what its GPUs are. */
        {{"dgx-b200:16", "bcast", "multi-ring", 128, 64 * MiB, NULL},
         "Ring LL128",
         14 + 128 * 4,
         1,
         8 * 40},
        {{"leonardo-rails:16", "allreduce", "two-tree", 64, GiB, NULL},
         "Tree Simple",
         8.4 + 2 * (3 * 4 + 4 * 14),
         1,
         4 * .92 * 12 / 2},
        {{B200, "allreduce", "two-tree", 128, GiB, "sm:100"},
         "Tree Simple",
         8.4 + 2 * (7 * 4 + 4 * 14),
         1,
         .85 * 8 * 24 / 2},
        /* Nodes of one GPU: hops have the latency of trees, and a broadcast counts one. */
        {{ALONE, "allgather", "pat", 16, MiB, NULL},
         "PAT Simple",
         8 + 4 * 14 / 3.5 + 2.8 * 16,
         1,
         .75 * 48},
        {{ALONE, "allgather", "multi-ring", 16, KiB, NULL},
         "Ring LL",
         6.6 + 15 * 5,
         15. / 16,
         20.4},
        {{ALONE, "bcast", "multi-ring", 16, MiB, "protocol:simple"},
         "Ring Simple",
         8.4 + 14,
         1,
         48},
        /* 2 channels of 24 GB/s, not more and slower ones: from 64 * 2 * 2 * 16 bytes on it is
           slower. */
        {{ALONE, "allreduce", "multi-ring", 16, 4095, "protocol:simple"},
         "Ring Simple",
         8.4 + 30 * 14,
         30. / 16,
         48},
        {{ALONE, "allreduce", "multi-ring", 16, 4096, "protocol:simple"},
         "Ring Simple",
         1.4 * (8.4 + 30 * 14),
         30. / 16,
         48},
        /* Two nodes get more with LL, and less with AMD's processors. */
        {{TWO, "allgather", "multi-ring", 16, MiB, "protocol:ll"},
         "Ring LL",
         6.6 + 14 + 2.7,
         15. / 16,
         39},
        {{TWO, "allgather", "multi-ring", 16, KiB, "cpu:amd"},
         "Ring LL",
         6.6 + 28 + 2.7,
         15. / 16,
         22.5},
        {{TWO, "allreduce", "two-tree", 16, 63, NULL},
         "Tree LL",
         6.8 + 2 * (7 * .6 + 5),
         1,
         .85 * 39 / 2},
        /* One node: no network. */
        {{NODE, "bcast", "multi-ring", 8, KiB, NULL}, "Ring LL", 6.6 + .6, 1, 141},
        {{NODE, "allreduce", "multi-ring", 8, GiB, NULL},
         "Ring Simple",
         8.4 + 14 * 3.4,
         14. / 8,
         360},
        {{NODE, "allreduce", "two-tree", 8, GiB, NULL},
         "Tree Simple",
         8.4 + 14 * 4,
         1,
         .92 * 360 / 2},
        {{NODE, "allreduce", "two-tree", 8, GiB, "protocol:ll128"},
         "Tree LL128",
         14 + 14 * 1.25,
         1,
         .92 * 360 * 7 / 9 / 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double us = rows[i].latency_us +
                          rows[i].share * (double)rows[i].request.m / (1000 * rows[i].bandwidth);
        const double time_us = 1e6 * time_of(&rows[i].request, rows[i].variant);
        if (fabs(time_us - us) > 1e-9 * us)
            fail_msg("row %zu, %s: %.9g us, by hand %.9g", i, rows[i].variant, time_us, us);
    }
}

/* "H800 + Infiniband NDR 400G*8": NCCL's table says 68.8 GB/s for Tree, Simple
 * (github.com/NVIDIA/nccl/issues/1154). Trees have 8 channels of 22 GB/s, since GPUs have 8 NVLinks
 * of 20.6 GB/s. */
static void test_told_bandwidth(void **state)
{
    (void)state;
    struct request request = {.platform = "rails:2x8,inner-bandwidth=164.8GBps",
                              .collective = "allreduce",
                              .algorithm = "two-tree",
                              .p = 16,
                              .m = INT64_C(8) * GiB};
    const double longer_s = time_of(&request, "Tree Simple");
    request.m /= 2;
    const double gain_s = longer_s - time_of(&request, "Tree Simple");
    assert_true(fabs((double)request.m / gain_s / 1e9 - 68.8) < .05);
}

/* What is left of a tree's bandwidth by doublings from 64 B on, in tenths, A is all of it: NCCL's
 * treeCorrectionFactor (src/graph/tuning.cc). */
static void test_trees_by_size(void **state)
{
    (void)state;
    static const struct {
        const char *option, *tenths;
        double bandwidth;
    } rows[] = {{"protocol:ll", "AAAA987777654456789AAAA", 20.4},
                {"protocol:ll128", "AAAAA9888766666689999AA", 8 * 29},
                {"protocol:simple", "99999998766555567877899", 8 * 36}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 25; k++) {
            struct request request = {H100, "allreduce",      "two-tree",
                                      128,  INT64_C(64) << k, rows[i].option};
            const double first_s = time_of(&request, NULL);
            request.m += request.m / 2;
            const double bytes = (double)(INT64_C(32) << k);
            const double got =
                bytes / ((time_of(&request, NULL) - first_s) * 1e9) / (.85 * rows[i].bandwidth / 2);
            const char tenths = k < 23 ? rows[i].tenths[k] : 'A';
            const double share = tenths == 'A' ? 1 : (tenths - '0') / 10.;
            if (fabs(got / share - 1) > 1e-6)
                fail_msg("%s, 64 B << %d: %g instead of %g", rows[i].option, k, got, share);
        }
}

/* The protocol that is chosen is the fastest. */
static void the_chosen_protocol_is_the_fastest(void **state)
{
    (void)state;
    static const char *const options[] = {"protocol:ll", "protocol:ll128", "protocol:simple"};
    static const char *const algorithms[] = {"multi-ring", "two-tree"};
    for (int64_t m = 1; m <= GiB; m *= 8)
        for (int a = 0; a < 2; a++) {
            struct request request = {H100, "allreduce", algorithms[a], 128, m, NULL};
            const double best_s = time_of(&request, NULL);
            double least_s = INFINITY;
            for (int o = 0; o < 3; o++) {
                request.option = options[o];
                least_s = fmin(least_s, time_of(&request, NULL));
            }
            assert_true(best_s == least_s);
        }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        struct request request;
        const char *says;
    } rows[] = {
        {{H100, "bcast", "circulant", 128, MiB, NULL}, "NCCL has no bcast circulant: "},
        {{H100, "bcast", "two-tree", 128, MiB, NULL}, "NCCL has no bcast two-tree: "},
        {{H100, "alltoall", "linear", 128, MiB, NULL}, "NCCL has no alltoall linear: "},
        {{H100, "allgather", "pat", 128, MiB, NULL}, "PAT for nodes of one GPU alone"},
        {{ALONE, "allgather", "pat", 16, MiB, "protocol:ll"}, "and protocol:simple"},
        {{H100, "bcast", "multi-ring", 12, MiB, NULL}, "12 ranks don't fill nodes of 8"},
        {{H100, "bcast", "multi-ring", 136, MiB, NULL}, "136 ranks don't fill nodes of 8"},
        {{H100, "bcast", "multi-ring", 1, MiB, NULL}, "no time for one rank"},
        {{"crossbar:16", "bcast", "multi-ring", 16, MiB, NULL}, "crossbar:16 has no nodes of GPUs"},
        {{H100, "bcast", "multi-ring", 128, MiB, "sm:70"}, "no option 'sm:70'"},
        {{"polaris:4", "bcast", "multi-ring", 8, MiB, NULL}, "several of its GPUs have one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sim_result result;
        struct sup_error error;
        assert_int_equal(run(&rows[i].request, &result, &error), RB_EINVAL);
        if (strstr(error.text, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_by_hand), cmocka_unit_test(test_told_bandwidth),
        cmocka_unit_test(test_trees_by_size), cmocka_unit_test(the_chosen_protocol_is_the_fastest),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
