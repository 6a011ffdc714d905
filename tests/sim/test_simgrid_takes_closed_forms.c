/* The simgrid engine: its times equal the papers' exact formulas, shared links are divided fairly,
 * and a crash of SimGrid is reported. With the argument `long`, closed forms for more p and n. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/mailbox.h>

#include <cmocka.h>

#include "sim/engine/engine.h"
#include "sim/engine/isolate.h"
#include "sim/simgrid/simgrid_platform.h"
#include "tests/fitting.h"

static const struct sim_overlap lockstep = {SIM_LOCKSTEP, 1};
static const struct sim_overlap blocking = {SIM_BLOCKING, 1};

static bool thorough; /* the argument `long` */

struct request { /* a point to simulate; zero means the usual */
    const char *algorithm;
    int32_t p;
    int64_t n;
    int64_t bytes;
    const char *platform; /* NULL: a crossbar of p hosts */
    struct sim_overlap overlap;
    const char *variant;
    int32_t ppn;
    struct sim_placement placement;
    int32_t want_links;
    const char *option;
    const char *collective; /* NULL: bcast */
    int32_t ports, radix;
};

static struct rb_plan *make_plan(const struct request *request)
{
    struct rb_plan_spec spec = {.collective = request->collective ? request->collective : "bcast",
                                .algorithm = request->algorithm,
                                .p = request->p,
                                .n = request->n,
                                .ports = request->ports,
                                .radix = request->radix};
    struct rb_plan *plan;
    char why[200];
    if (rb_plan_create(&spec, &plan, why, sizeof why))
        fail_msg("%s", why);
    return plan;
}

/* Status and message; the caller frees the result. */
static int try_to_simulate(const struct request *request, struct sim_result *result,
                           struct sup_error *error)
{
    struct rb_plan *plan = make_plan(request);
    struct rb_layout layout = {.bytes = request->bytes, .element = 1};
    char crossbar[40];
    snprintf(crossbar, sizeof crossbar, "crossbar:%d", request->p);
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = request->platform ? request->platform : crossbar,
                            .ppn = request->ppn ? request->ppn : 1,
                            .placement = request->placement,
                            .overlap = request->overlap,
                            .variant = request->variant,
                            .options = &request->option,
                            .option_count = request->option ? 1 : 0,
                            .want_finish = true,
                            .want_links = request->want_links};
    int status = sim_run(sim_engine_find("simgrid"), &spec, result, error);
    rb_plan_destroy(plan);
    return status;
}

static struct sim_result simulate(const struct request *request)
{
    struct sim_result result;
    struct sup_error error = {0};
    if (try_to_simulate(request, &result, &error))
        fail_msg("%s p=%d n=%d: %s", request->algorithm, request->p, (int)request->n, error.text);
    return result;
}

static double time_of(struct request request)
{
    struct sim_result result = simulate(&request);
    double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static void assert_near(double got, double wanted, double relative, const char *what, int32_t p,
                        int64_t n)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%s, p=%d, n=%d: %.12g instead of %.12g", what, p, (int)n, got, wanted);
}

/* ---- Exact on the crossbar ------------------------------------------------------------------ */

static void circulant_equals_the_formula(void **state)
{
    (void)state;
    const int32_t ranks[] = {1, 2, 3, 5, 8, 9, 17, 33, 64, 100, 257, 1024};
    const int64_t blocks[] = {1, 4, 32};
    const struct sim_overlap rules[] = {lockstep, blocking};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
            for (size_t rule = 0; rule < 2; rule++) {
                int32_t p = ranks[i];
                int64_t n = blocks[k];
                struct request request = {"circulant", p, n, 3200000, .overlap = rules[rule]};
                struct sim_result result = simulate(&request);
                double round = 1e-6 + 3200000.0 / (double)n / 12.5e9;
                double wanted = p == 1 ? 0 : (double)(n - 1 + rb_ceil_log2(p)) * round;
                assert_near(result.time_s, wanted, 1e-9, "circulant", p, n);
                assert_int_equal(result.messages, n * (p - 1));
                assert_int_equal(result.bytes, 3200000 * (int64_t)(p - 1));
                assert_true(result.uncontended);
                assert_int_equal(result.hosts, p);
                if (p > 1) {
                    assert_near(result.alpha_s, 1e-6, 1e-15, "alpha", p, n);
                    assert_near(result.beta_s_per_byte, 8e-11, 1e-15, "beta", p, n);
                }
                sim_result_free(&result);
            }
}

/* True if different ranks have the longest messages of different rounds, so that blocking takes
 * less time than lockstep. */
static bool runs_ahead(const struct rb_algorithm_info *algorithm, int32_t p)
{
    return strcmp(algorithm->collective, "reduce-scatter") == 0 &&
           (strcmp(algorithm->name, "recursive-doubling") == 0 ||
            strcmp(algorithm->name, "butterfly") == 0) &&
           (p & (p - 1)) != 0;
}

/* In lockstep; and in blocking, which can only be earlier. */
static void every_algorithm_equals_its_closed_form(void **state)
{
    (void)state;
    const int32_t ranks[] = {2, 3, 7, 8, 17, 64, 100};
    for (int32_t a = 0; rb_algorithm_at(a); a++)
        for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
            for (int64_t n = 1; n <= (rb_algorithm_at(a)->pipelined ? 16 : 1); n *= 4) {
                if (!(thorough && rb_algorithm_at(a)->pipelined) &&
                    (a + (int32_t)i + (int32_t)(n / 3)) % 2 != 0)
                    continue; /* half of them */
                if (!thorough && ranks[i] > 17 && a % 3 != 0)
                    continue; /* of large ones, every third algorithm */
                const int32_t p = fitting_ranks(rb_algorithm_at(a), ranks[i]);
                /* Divides into equal blocks whatever p, by pairs too, and in as many shares as the
                 * largest power of two up to p. */
                const int64_t shares = INT64_C(1) << (31 - __builtin_clz((uint32_t)p));
                struct rb_layout layout = {.bytes = 16 * p * p * shares * 100, .element = 1};
                struct request request = {rb_algorithm_at(a)->name,
                                          p,
                                          n,
                                          layout.bytes,
                                          .overlap = lockstep,
                                          .collective = rb_algorithm_at(a)->collective};
                struct rb_plan *plan = make_plan(&request);
                double wanted;
                const int status = rb_plan_cost(plan, &layout, 1e-6, 8e-11, &wanted);
                rb_plan_destroy(plan);
                if (status == RB_ENOTSUP) /* it states none */
                    continue;
                assert_int_equal(status, 0);
                assert_near(time_of(request), wanted, 1e-9, request.algorithm, p, n);
                request.overlap = blocking;
                const double time_s = time_of(request);
                if (runs_ahead(rb_algorithm_at(a), p))
                    assert_true(time_s <= wanted * (1 + 1e-9));
                else
                    assert_near(time_s, wanted, 1e-9, request.algorithm, p, n);
            }
}

/* On hosts with as many ports k messages leave at once, each at full speed; on hosts with one port
 * they share it, and a round of direct messages takes k times as long for its bytes. */
static void several_ports_equal_the_closed_form(void **state)
{
    (void)state;
    static const int32_t ranks[] = {4, 9, 10, 15};
    static const char *const algorithms[][2] = {
        {"alltoall", "bruck"}, {"allgather", "bruck"}, {"allgather", "bruck-volume"}};
    static const char *const variants[] = {"signals", "actors"};
    const struct sim_overlap rules[] = {lockstep, blocking};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        for (int32_t k = 2; k <= 4; k++)
            for (size_t j = 0; j < 6; j++) {
                const int32_t p = ranks[i];
                const struct rb_layout layout = {.bytes = INT64_C(1000) * p * p * 3, .element = 1};
                char platform[40];
                snprintf(platform, sizeof platform, "crossbar:%d,ports=%d", p, k);
                struct request request = {algorithms[j % 3][1],
                                          p,
                                          3,
                                          layout.bytes,
                                          .platform = platform,
                                          .variant = variants[(i + j) % 2],
                                          .overlap = rules[j / 3],
                                          .collective = algorithms[j % 3][0],
                                          .ports = k};
                request.radix = j == 0 ? 3 : 0;
                struct rb_plan *plan = make_plan(&request);
                double wanted;
                const int status = rb_plan_cost(plan, &layout, 1e-6, 8e-11, &wanted);
                rb_plan_destroy(plan);
                if (status == RB_ENOTSUP) /* it states none */
                    continue;
                assert_int_equal(status, 0);
                assert_near(time_of(request), wanted, 1e-9, request.algorithm, p, k);
                request.variant = "signals";
                request.overlap = (struct sim_overlap){SIM_WINDOW, 3};
                assert_true(time_of(request) <= wanted * (1 + 1e-9));
            }
    struct request direct = {"bruck", 5, 1, 25000, .overlap = blocking, .collective = "alltoall"};
    direct.ports = 4;
    assert_near(time_of(direct), 1e-6 + 4 * 1000 * 8e-11, 1e-9, "direct", 5, 1);
    direct.platform = "crossbar:5,ports=4";
    assert_near(time_of(direct), 1e-6 + 1000 * 8e-11, 1e-9, "direct", 5, 1);
}

static void blocking_is_never_later_than_lockstep(void **state)
{
    (void)state;
    for (int32_t a = 1; rb_algorithm_at(a); a += thorough ? 1 : 3) {
        struct request request = {
            rb_algorithm_at(a)->name, fitting_ranks(rb_algorithm_at(a), 23),       5, 1234567,
            .overlap = lockstep,      .collective = rb_algorithm_at(a)->collective};
        double all_wait = time_of(request);
        request.overlap = blocking;
        double own_pace = time_of(request);
        if (own_pace > all_wait * (1 + 1e-12))
            fail_msg("%s: blocking %.12g, lockstep %.12g", request.algorithm, own_pace, all_wait);
    }
}

static void empty_messages_cost_their_latency(void **state)
{
    (void)state;
    struct request request = {"circulant", 9, 3, 0, .overlap = blocking};
    assert_near(time_of(request), (3 - 1 + 4) * 1e-6, 1e-9, "m = 0", 9, 3);
    request.variant = "actors";
    assert_near(time_of(request), (3 - 1 + 4) * 1e-6, 1e-9, "m = 0", 9, 3);
}

/* Started eagerly, receives would overlap and the whole take 0.6 of this time. */
static void a_port_carries_one_message_at_a_time(void **state)
{
    (void)state;
    struct request request = {"circulant", 256, 16, 8 << 20, .overlap = blocking};
    double wanted = (16 - 1 + 8) * (1e-6 + (8 << 20) / 16.0 / 12.5e9);
    assert_near(time_of(request), wanted, 1e-9, "one-port", 256, 16);
    request.overlap = (struct sim_overlap){SIM_WINDOW, 64};
    double windowed = time_of(request);
    /* The root alone has to send n blocks, one after the other, and the last of them takes
     * ceil(log2 p) hops. */
    assert_true(windowed >= (1 - 1e-9) * wanted);
}

/* ---- Rules and variants against each other -------------------------------------------------- */

static void assert_same_bits(const struct request *a, const struct request *b)
{
    struct sim_result x = simulate(a), y = simulate(b);
    assert_memory_equal(&x.time_s, &y.time_s, sizeof x.time_s);
    assert_memory_equal(x.finish_s, y.finish_s, (size_t)a->p * sizeof *x.finish_s);
    sim_result_free(&x);
    sim_result_free(&y);
}

static void same_request_gives_the_same_bits(void **state)
{
    (void)state;
    struct request request = {"circulant",
                              60,
                              7,
                              1234567,
                              "fat-tree:64,taper=2",
                              .overlap = blocking,
                              .placement = {.rule = SIM_RANDOM, .seed = 7}};
    assert_same_bits(&request, &request);
}

/* Nothing but start-ups: n = 1, m = 0 is a barrier. */
static void barriers_cost_their_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm;
        int32_t times; /* of ceil(log2 p) rounds */
    } barriers[] = {{"allgather", "circulant", 1},
                    {"allgather", "dissemination", 1},
                    {"reduce-scatter", "circulant", 1},
                    {"allreduce", "circulant", 2},
                    {"allreduce", "circulant-reduce-bcast", 2}};
    for (size_t i = 0; i < sizeof barriers / sizeof barriers[0]; i++)
        for (int32_t p = 2; p <= 70; p += 1 + p / 4) {
            struct request request = {barriers[i].algorithm,
                                      p,
                                      1,
                                      0,
                                      .overlap = blocking,
                                      .collective = barriers[i].collective};
            assert_near(time_of(request), barriers[i].times * rb_ceil_log2(p) * 1e-6, 1e-9,
                        barriers[i].algorithm, p, 1);
        }
}

static void window_1_is_blocking(void **state)
{
    (void)state;
    for (int32_t a = 0; rb_algorithm_at(a); a += thorough ? 1 : 3) {
        struct request one = {rb_algorithm_at(a)->name,
                              fitting_ranks(rb_algorithm_at(a), 30),
                              7,
                              1234567,
                              "fat-tree:64,taper=2",
                              .overlap = blocking,
                              .collective = rb_algorithm_at(a)->collective};
        struct request other = one;
        other.overlap = (struct sim_overlap){SIM_WINDOW, 1};
        assert_same_bits(&one, &other);
    }
}

/* With all shares worked out anew whenever one changes: SimGrid's usual lazy way depends on the
 * order in which messages of the same moment start, by up to 1e-4 here (docs/simgrid.md). */
static void actors_agree_with_signals(void **state)
{
    (void)state;
    const char *const platforms[] = {NULL, "fat-tree:64,taper=2", "torus:4x4x4"};
    for (int32_t a = 0; rb_algorithm_at(a); a++)
        for (size_t i = 0; i < 3; i++)
            for (int rule = 0; rule < 2; rule++) {
                if (!thorough && (a + (int32_t)i + 3 * rule) % 6 != 0)
                    continue; /* one of them for each algorithm */
                struct request request = {rb_algorithm_at(a)->name,
                                          fitting_ranks(rb_algorithm_at(a), 50),
                                          7,
                                          1234567,
                                          platforms[i],
                                          rule ? lockstep : blocking,
                                          "signals",
                                          .want_links = 3,
                                          .option = "network/optim:Full",
                                          .collective = rb_algorithm_at(a)->collective};
                struct sim_result signals = simulate(&request);
                request.variant = "actors";
                struct sim_result actors = simulate(&request);
                assert_string_equal(signals.variant, "signals");
                assert_string_equal(actors.variant, "actors");
                assert_near(actors.time_s, signals.time_s, 1e-9, request.algorithm, 50, 7);
                for (int32_t r = 0; r < request.p; r++)
                    assert_near(actors.finish_s[r], signals.finish_s[r], 1e-9, "finish", r, 7);
                assert_int_equal(actors.messages, signals.messages);
                assert_int_equal(actors.bytes, signals.bytes);
                assert_true(actors.link_count == 3 || request.p <= 2);
                assert_int_equal(actors.link_count, signals.link_count);
                for (int32_t k = 0; k < actors.link_count; k++) {
                    assert_string_equal(actors.links[k].name, signals.links[k].name);
                    assert_int_equal(actors.links[k].bytes, signals.links[k].bytes);
                }
                sim_result_free(&signals);
                sim_result_free(&actors);
            }
}

/* ---- Placement and links -------------------------------------------------------------------- */

static void ranks_on_one_host_use_its_loopback(void **state)
{
    (void)state;
    struct request request = {
        "chain", 2, 1, 1000000, "crossbar:4,loopback-bandwidth=1GBps", .overlap = blocking,
        .ppn = 2};
    struct sim_result result = simulate(&request);
    assert_near(result.time_s, 200e-9 + 1e-3, 1e-9, "loopback", 2, 1);
    assert_false(result.uncontended);
    sim_result_free(&result);
    request.ppn = 1;
    assert_near(time_of(request), 1e-6 + 1e6 / 12.5e9, 1e-9, "network", 2, 1);
    request.platform = "fat-tree:16,loopback-bandwidth=1GBps"; /* keeps the loopback's latency */
    request.ppn = 2;
    assert_near(time_of(request), 200e-9 + 1e-3, 1e-9, "loopback", 2, 1);
}

static void placement_maps_ranks_to_hosts(void **state)
{
    (void)state;
    int32_t host[10], seen[5] = {0};
    struct sup_error error = {0};
    struct sim_placement placement = {.rule = SIM_BLOCK};
    assert_int_equal(
        sim_placement_map(&placement, 10, 2, &(struct sim_hosts){.count = 5}, host, &error), 0);
    for (int32_t r = 0; r < 10; r++)
        assert_int_equal(host[r], r / 2);
    placement.rule = SIM_CYCLIC;
    assert_int_equal(
        sim_placement_map(&placement, 9, 2, &(struct sim_hosts){.count = 7}, host, &error), 0);
    for (int32_t r = 0; r < 9; r++)
        assert_int_equal(host[r], r % 5);
    /* Gardner 1972: 000 001 011 010 110 111 101 100 */
    static const int32_t gray[] = {0, 1, 3, 2, 6, 7, 5, 4};
    placement.rule = SIM_GRAY;
    assert_int_equal(
        sim_placement_map(&placement, 8, 1, &(struct sim_hosts){.count = 8}, host, &error), 0);
    assert_memory_equal(host, gray, sizeof gray);
    assert_int_equal(
        sim_placement_map(&placement, 5, 1, &(struct sim_hosts){.count = 6}, host, &error),
        RB_EINVAL);
    assert_non_null(strstr(error.text, "puts rank 4 on host number 6"));
    placement = (struct sim_placement){.rule = SIM_RANDOM, .seed = 1};
    assert_int_equal(
        sim_placement_map(&placement, 10, 2, &(struct sim_hosts){.count = 5}, host, &error), 0);
    for (int32_t r = 0; r < 10; r++) {
        assert_in_range(host[r], 0, 4);
        assert_int_equal(host[r], host[r - r % 2]);
        seen[host[r]]++;
    }
    for (int32_t h = 0; h < 5; h++)
        assert_int_equal(seen[h], 2);
    assert_int_equal(
        sim_placement_map(&placement, 11, 2, &(struct sim_hosts){.count = 5}, host, &error),
        RB_EINVAL);
    assert_non_null(strstr(error.text, "need 6 hosts, but the platform has 5"));
}

static void busiest_links_are_counted(void **state)
{
    (void)state;
    /* The root sends everything to everyone over its one link. */
    struct request request = {"flat",           5, 2, 1000, "crossbar:5", .overlap = blocking,
                              .want_links = 100};
    struct sim_result result = simulate(&request);
    assert_int_equal(result.links[0].bytes, 4000);
    assert_int_equal(result.links[0].messages, result.messages);
    assert_int_equal(result.link_count, 5);
    for (int32_t i = 1; i < result.link_count; i++)
        assert_int_equal(result.links[i].bytes, 1000);
    sim_result_free(&result);
    /* Two blocks, one after the other, out of four hosts and into four. */
    request.algorithm = "chain";
    result = simulate(&request);
    assert_int_equal(result.link_count, 8);
    for (int32_t i = 0; i < result.link_count; i++) {
        assert_int_equal(result.links[i].bytes, 1000);
        assert_int_equal(result.links[i].messages, 2);
    }
    sim_result_free(&result);
}

static void uncontended_is_for_crossbars_only(void **state)
{
    (void)state;
    struct request request = {"binomial", 4, 1, 1000, "crossbar:300", .overlap = blocking};
    const char *const contended[] = {"fat-tree:16", "dragonfly:72", "torus:4x4"};
    struct sim_result result = simulate(&request);
    assert_true(result.uncontended);
    sim_result_free(&result);
    for (size_t i = 0; i < 3; i++) {
        request.platform = contended[i];
        result = simulate(&request);
        assert_false(result.uncontended);
        sim_result_free(&result);
    }
}

/* Three hosts with links of their own to send over, of which the first one's is so fast, and
 * perhaps to receive over. */
static bool is_uncontended(const char *first_bandwidth, bool receives)
{
    char path[] = "/tmp/roundabout-test-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, "<?xml version='1.0'?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version='4.1'><zone id='all' routing='Full'>\n");
    for (int i = 0; i < 3; i++)
        fprintf(file, "<host id='host-%d' speed='1Gf'/>\n", i);
    for (int i = 0; i < 6; i++)
        fprintf(file, "<link id='link-%d' bandwidth='%s' latency='1us'/>\n", i,
                i == 0 ? first_bandwidth : "1GBps");
    for (int i = 0; i < 9; i++)
        if (i / 3 != i % 3) {
            fprintf(file, "<route src='host-%d' dst='host-%d' symmetrical='NO'>", i / 3, i % 3);
            fprintf(file, "<link_ctn id='link-%d'/>", i / 3);
            if (receives)
                fprintf(file, "<link_ctn id='link-%d'/>", 3 + i % 3);
            fprintf(file, "</route>\n");
        }
    fprintf(file, "</zone></platform>\n");
    assert_int_equal(fclose(file), 0);
    struct request request = {"chain", 3, 1, 1000, path, .overlap = blocking};
    struct sim_result result;
    struct sup_error error = {0};
    const int status = try_to_simulate(&request, &result, &error);
    unlink(path);
    if (status)
        fail_msg("%s", error.text);
    const bool uncontended = result.uncontended;
    sim_result_free(&result);
    return uncontended;
}

static void uncontended_needs_equal_hosts_with_links_of_their_own(void **state)
{
    (void)state;
    assert_true(is_uncontended("1GBps", true));
    assert_false(is_uncontended("500MBps", true));
    assert_false(is_uncontended("1GBps", false));
}

/* Same costs and two links for each pair as on a crossbar, but each link serves both directions. */
static void half_duplex_is_not_uncontended(void **state)
{
    (void)state;
    char path[] = "/tmp/roundabout-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, "<?xml version='1.0'?>\n"
                              "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                              "<platform version='4.1'><cluster id='half' prefix='host-' suffix='' "
                              "radical='0-7' speed='1Gf' bw='1GBps' lat='1us' "
                              "sharing_policy='SHARED'/></platform>\n") > 0);
    close(file);
    struct request request = {"chain", 2, 1, 1000, path, .overlap = blocking};
    struct sim_result result;
    struct sup_error error = {0};
    int status = try_to_simulate(&request, &result, &error);
    unlink(path);
    if (status)
        fail_msg("%s", error.text);
    assert_false(result.uncontended);
    assert_near(result.alpha_s, 2e-6, 1e-12, "alpha", 2, 1);
    assert_near(result.time_s, 2e-6 + 1e-6, 1e-9, "two hops", 2, 1);
    sim_result_free(&result);
}

/* ---- Links are shared fairly ---------------------------------------------------------------- */

enum { FLOW_BYTES = 1000000 };

struct flow {
    const char *mailbox;
    double done_s;
    void *received;
};

static void send_flow(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    struct flow *flow = sg_actor_self_get_data();
    sg_mailbox_put(sg_mailbox_by_name(flow->mailbox), flow, FLOW_BYTES);
}

static void receive_flow(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    struct flow *flow = sg_actor_self_get_data();
    flow->received = sg_mailbox_get(sg_mailbox_by_name(flow->mailbox));
    flow->done_s = simgrid_get_clock();
}

static void start_flow(struct s4u_platform *platform, struct flow *flow, int32_t from, int32_t to)
{
    sg_actor_t sender = sg_actor_init("sender", s4u_host_handle(platform, from));
    sg_actor_set_data(sender, flow);
    sg_actor_start(sender, send_flow, 0, NULL);
    sg_actor_t receiver = sg_actor_init("receiver", s4u_host_handle(platform, to));
    sg_actor_set_data(receiver, flow);
    sg_actor_start(receiver, receive_flow, 0, NULL);
}

struct scene {
    const char *platform;
    int32_t flows;
    int32_t to[4]; /* host i sends to to[i] */
    int32_t hops[4];
    double done_s[4];
    double latency[4];
};

static int send_all(void *context, FILE *reply, struct sup_error *error)
{
    struct scene *scene = context;
    struct s4u_platform *platform;
    int status = s4u_platform_load(scene->platform, NULL, &platform, error);
    if (status)
        return status;
    struct flow flow[4] = {{.mailbox = "0"}, {.mailbox = "1"}, {.mailbox = "2"}, {.mailbox = "3"}};
    for (int32_t i = 0; i < scene->flows; i++) {
        struct s4u_route route;
        status = s4u_find_route(platform, i, scene->to[i], &route, error);
        if (status)
            return status;
        scene->hops[i] = route.count;
        scene->latency[i] = route.latency;
        start_flow(platform, &flow[i], i, scene->to[i]);
    }
    simgrid_run();
    for (int32_t i = 0; i < scene->flows; i++)
        scene->done_s[i] = flow[i].done_s;
    fwrite(scene, sizeof *scene, 1, reply);
    return 0;
}

static void flows_share_a_link_fairly_whatever_their_hops(void **state)
{
    (void)state;
    struct scene scenes[] = {
        /* To another leaf switch and to the other end of the tree: all they share is the one uplink
         * of their leaf switch. */
        {.platform = "fat-tree:64,down=4x4x4,taper=4", .flows = 2, .to = {4, 63}},
        /* To the next router, and through it to another group: the local link to it. */
        {.platform = "dragonfly:1056", .flows = 4, .to = {8, 120, 9, 128}},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        char *reply;
        size_t size;
        struct sup_error error = {0};
        if (sim_isolate("SimGrid", send_all, &scenes[k], &reply, &size, &error))
            fail_msg("%s", error.text);
        struct scene scene;
        assert_int_equal(size, sizeof scene);
        memcpy(&scene, reply, sizeof scene);
        free(reply);
        assert_true(scene.hops[0] < scene.hops[1]);
        for (int32_t i = 0; i < scene.flows; i++) {
            assert_near(scene.latency[i], 1e-6, 1e-12, scene.platform, i, 0);
            assert_near(scene.done_s[i], 1e-6 + scene.flows * (FLOW_BYTES / 12.5e9), 1e-9,
                        scene.platform, i, 0);
        }
    }
}

/* ---- Error messages ------------------------------------------------------------------------- */

static void expect_failure(struct request request, int status, const char *words)
{
    struct sim_result result;
    struct sup_error error = {0};
    assert_int_equal(try_to_simulate(&request, &result, &error), status);
    if (!strstr(error.text, words))
        fail_msg("'%s' doesn't say '%s'", error.text, words);
    sim_result_free(&result);
}

static void bad_requests_get_a_message(void **state)
{
    (void)state;
    struct request request = {"circulant", 4, 1, 100, .overlap = blocking};
    struct request bad = request;
    bad.platform = "no/such/file.xml";
    expect_failure(bad, RB_EINVAL, "platform 'no/such/file.xml': No such file");
    bad.platform = "/";
    expect_failure(bad, RB_EINVAL, "platform '/': that is a directory");
    bad = request;
    bad.platform = "crossbar:3";
    expect_failure(bad, RB_EINVAL, "need 4 hosts, but the platform has 3");
    bad = request;
    bad.variant = "thread";
    expect_failure(bad, RB_EINVAL, "no variant 'thread'");
    bad = request;
    bad.variant = "actors";
    bad.overlap = (struct sim_overlap){SIM_WINDOW, 4};
    expect_failure(bad, RB_EINVAL, "can't do window:4");
    bad = request;
    bad.option = "network/modle:CM02";
    expect_failure(bad, RB_EINVAL, "network/modle");
}

static int crash(void *context, FILE *reply, struct sup_error *error)
{
    (void)reply;
    (void)error;
    fprintf(stderr, "CRITICAL: the %s is on fire\nbacktrace\n", (const char *)context);
    raise(SIGKILL);
    return 0;
}

static void a_crash_comes_back_as_a_message(void **state)
{
    (void)state;
    char *reply;
    size_t size;
    struct sup_error error = {0};
    assert_int_equal(sim_isolate("SimGrid", crash, "switch", &reply, &size, &error), RB_EFAILED);
    assert_null(reply);
    assert_non_null(strstr(error.text, "SimGrid died of signal 9"));
    assert_non_null(strstr(error.text, "the switch is on fire"));
}

static void rules_and_placements_are_read(void **state)
{
    (void)state;
    const char *const rules[] = {"lockstep", "blocking", "window:8", "data"};
    const char *const placements[] = {"block", "cyclic", "gray", "random:42"};
    const char *const wrong_rules[] = {"", "lock", "window", "window:", "window:0", "window:x"};
    const char *const wrong_placements[] = {"", "blocks", "random:", "random:-1"};
    struct sim_overlap overlap;
    struct sim_placement placement;
    struct sup_error error;
    char text[40];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sim_overlap_parse(rules[i], &overlap, &error), 0);
        assert_string_equal(sim_overlap_format(&overlap, text, sizeof text), rules[i]);
        assert_int_equal(sim_placement_parse(placements[i], &placement, &error), 0);
        assert_string_equal(sim_placement_format(&placement, text, sizeof text), placements[i]);
    }
    for (size_t i = 0; i < sizeof wrong_rules / sizeof wrong_rules[0]; i++) {
        assert_int_equal(sim_overlap_parse(wrong_rules[i], &overlap, &error), RB_EINVAL);
        snprintf(text, sizeof text, "overlap rule '%s'", wrong_rules[i]);
        assert_non_null(strstr(error.text, text));
    }
    for (size_t i = 0; i < sizeof wrong_placements / sizeof wrong_placements[0]; i++) {
        assert_int_equal(sim_placement_parse(wrong_placements[i], &placement, &error), RB_EINVAL);
        snprintf(text, sizeof text, "placement '%s'", wrong_placements[i]);
        assert_non_null(strstr(error.text, text));
    }
    assert_int_equal(sim_placement_parse("random", &placement, &error), 0);
    assert_string_equal(sim_placement_format(&placement, text, sizeof text), "random:1");
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circulant_equals_the_formula),
        cmocka_unit_test(every_algorithm_equals_its_closed_form),
        cmocka_unit_test(several_ports_equal_the_closed_form),
        cmocka_unit_test(blocking_is_never_later_than_lockstep),
        cmocka_unit_test(empty_messages_cost_their_latency),
        cmocka_unit_test(a_port_carries_one_message_at_a_time),
        cmocka_unit_test(same_request_gives_the_same_bits),
        cmocka_unit_test(barriers_cost_their_rounds),
        cmocka_unit_test(window_1_is_blocking),
        cmocka_unit_test(actors_agree_with_signals),
        cmocka_unit_test(ranks_on_one_host_use_its_loopback),
        cmocka_unit_test(placement_maps_ranks_to_hosts),
        cmocka_unit_test(busiest_links_are_counted),
        cmocka_unit_test(uncontended_is_for_crossbars_only),
        cmocka_unit_test(half_duplex_is_not_uncontended),
        cmocka_unit_test(uncontended_needs_equal_hosts_with_links_of_their_own),
        cmocka_unit_test(flows_share_a_link_fairly_whatever_their_hops),
        cmocka_unit_test(bad_requests_get_a_message),
        cmocka_unit_test(a_crash_comes_back_as_a_message),
        cmocka_unit_test(rules_and_placements_are_read),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
