/* The machine parameters of the engine `model`: combining, noise, shared ports, LogGOPS; and its
 * queue of events. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/engine/engine.h"
#include "sim/model/model.h"
#include "tests/mpi/mpi_plans.h"

enum { MOST_OPTIONS = 8 };

struct request {
    const char *collective, *algorithm, *instance, *platform, *overlap;
    int32_t p;
    int64_t n, bytes;
    int32_t ppn; /* 0 means 1 */
    const char *options[MOST_OPTIONS];
    const char *engine, *variant; /* NULL: model, its choice */
    bool want_finish;
    struct rb_plan *(*plan)(int32_t p, int64_t n); /* by hand; NULL: of this algorithm */
};

static int try(const struct request *request, struct sim_result *result, struct sup_error *error)
{
    const struct rb_plan_spec wanted = {.collective = request->collective,
                                        .algorithm = request->algorithm,
                                        .instance = request->instance,
                                        .p = request->p,
                                        .n = request->n};
    const struct rb_layout layout = {.bytes = request->bytes, .element = 1};
    struct rb_plan *plan;
    if (request->plan != NULL)
        plan = request->plan(request->p, request->n);
    else
        assert_int_equal(rb_plan_create(&wanted, &plan, NULL, 0), RB_OK);
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = request->platform,
                            .ppn = request->ppn == 0 ? 1 : request->ppn,
                            .options = request->options,
                            .variant = request->variant,
                            .want_finish = request->want_finish};
    while (spec.option_count < MOST_OPTIONS && request->options[spec.option_count] != NULL)
        spec.option_count++;
    assert_int_equal(sim_overlap_parse(request->overlap, &spec.overlap, error), RB_OK);
    const char *engine = request->engine == NULL ? "model" : request->engine;
    const int status = sim_run(sim_engine_find(engine), &spec, result, error);
    rb_plan_destroy(plan);
    return status;
}

static double time_of(const struct request *request)
{
    struct sim_result result;
    struct sup_error error;
    if (try(request, &result, &error) != RB_OK)
        fail_msg("%s %s: %s", request->collective, request->algorithm, error.text);
    const double time_s = result.time_s;
    sim_result_free(&result);
    return time_s;
}

static void expect_s(double got_s, double wanted_s, double relative)
{
    if (!(fabs(got_s - wanted_s) <= relative * wanted_s))
        fail_msg("%.17g s instead of %.17g s", got_s, wanted_s);
}

/* 1000 bytes take 3 us, and 2 us to combine. */
#define CROSSBAR "crossbar:64,latency=2us,bandwidth=1GBps"

static void combining_takes_its_time(void **state)
{
    (void)state;
    static const char *const rules[] = {"lockstep", "blocking", "window:2", "data"};
    for (int i = 0; i < 4; i++) {
        struct request request = {.collective = "reduce",
                                  .algorithm = "binomial",
                                  .platform = CROSSBAR,
                                  .overlap = rules[i],
                                  .p = 32,
                                  .n = 1,
                                  .bytes = 1000,
                                  .options = {"gamma:2ns"}};
        expect_s(time_of(&request), 5 * 5e-6, 1e-12);
        request.variant = "events";
        expect_s(time_of(&request), 5 * 5e-6, 1e-12);
    }
    const struct request pipelined = {.collective = "reduce",
                                      .algorithm = "circulant",
                                      .platform = CROSSBAR,
                                      .overlap = "lockstep",
                                      .p = 32,
                                      .n = 10,
                                      .bytes = 10000,
                                      .options = {"gamma:2ns"}};
    expect_s(time_of(&pipelined), (10 - 1 + 5) * 5e-6, 1e-12);
    const struct request nothing = {.collective = "bcast",
                                    .algorithm = "binomial",
                                    .platform = CROSSBAR,
                                    .overlap = "blocking",
                                    .p = 32,
                                    .n = 1,
                                    .bytes = 1000,
                                    .options = {"gamma:2ns"}};
    expect_s(time_of(&nothing), 5 * 3e-6, 1e-12);
}

/* Two messages that arrive at once, each through a port of its own, and two local reductions. */
static void a_rank_combines_one_after_another(void **state)
{
    (void)state;
    static const char *const rules[] = {"lockstep", "blocking", "window:2", "data"};
    for (int i = 0; i < 8; i++) {
        struct request request = {.collective = "join",
                                  .algorithm = "by hand",
                                  .plan = join_plan,
                                  .platform = CROSSBAR,
                                  .overlap = rules[i % 4],
                                  .p = 3,
                                  .n = 1,
                                  .bytes = 1000,
                                  .options = {"gamma:2ns"},
                                  .variant = i < 4 ? "windows" : "events"};
        expect_s(time_of(&request), 3e-6 + 2 * 2e-6, 1e-12);
        if (i >= 4)
            continue; /* events knows no time for local reductions */
        request.plan = meet_plan;
        request.bytes = 3000;
        expect_s(time_of(&request), 3e-6 + 2 * 2e-6, 1e-12);
    }
}

/* The mean of 2000 messages, one after another. */
static void noise_has_its_mean(void **state)
{
    (void)state;
    const struct request request = {.collective = "bcast",
                                    .algorithm = "chain",
                                    .platform = CROSSBAR,
                                    .overlap = "blocking",
                                    .p = 2,
                                    .n = 2000,
                                    .bytes = 2000000,
                                    .options = {"noise:0.2", "seed:5"}};
    expect_s(time_of(&request), 2000 * 3e-6 * 1.2, 0.01);
}

/* In lockstep a round is over when the last message is, and a port that carries equal messages one
 * after another is done with the last when one that carries all at once is: as SimGrid has it. */
static void hosts_share_a_port(void **state)
{
    (void)state;
    for (int32_t ppn = 2; ppn <= 8; ppn *= 2) {
        struct request request = {.collective = "allgather",
                                  .algorithm = "recursive-doubling",
                                  .platform = "crossbar:4",
                                  .overlap = "lockstep",
                                  .p = 4 * ppn,
                                  .n = 1,
                                  .bytes = 4000000,
                                  .ppn = ppn};
        const double model_s = time_of(&request);
        request.engine = "simgrid";
        expect_s(model_s, time_of(&request), 1e-9);
    }
    /* Two hosts of two: the first round stays inside; in the second two messages share a port. */
    const struct request small = {.collective = "allgather",
                                  .algorithm = "recursive-doubling",
                                  .platform = "crossbar:2,latency=2us,bandwidth=1GBps,"
                                              "loopback-latency=1us,loopback-bandwidth=10GBps",
                                  .overlap = "blocking",
                                  .p = 4,
                                  .n = 1,
                                  .bytes = 40000,
                                  .ppn = 2};
    expect_s(time_of(&small), 1e-6 + 1e-6 + 2e-6 + 2 * 20e-6, 1e-12);
}

/* Ranks 0 and 1, 2 and 3, and 4 have a host each. What 0 sends to 3 and what 4 sends to 2 arrive at
 * one host. The second message's first byte comes after the first message's last, 1 us later. */
static void a_host_receives_at_one_port(void **state)
{
    (void)state;
    static const double finish_s[] = {3e-6, 4e-6, 4e-6, 4e-6, 4e-6};
    static const char *const variants[] = {"blocking", "events"};
    for (int i = 0; i < 2; i++) {
        const struct request request = {.collective = "shift",
                                        .algorithm = "direct",
                                        .instance = "q=3",
                                        .platform = CROSSBAR,
                                        .overlap = "blocking",
                                        .p = 5,
                                        .n = 1,
                                        .bytes = 5000,
                                        .ppn = 2,
                                        .variant = variants[i],
                                        .want_finish = true};
        struct sim_result result;
        struct sup_error error;
        assert_int_equal(try(&request, &result, &error), RB_OK);
        for (int32_t rank = 0; rank < 5; rank++)
            expect_s(result.finish_s[rank], finish_s[rank], 1e-12);
        sim_result_free(&result);
    }
}

/* Hosts of 2, 2, 2 and 1 ranks: no port carries more than two messages of 1 us, and all are over
 * when two have passed. That 0 to 3 has the port into the second host must keep 6 to 2 waiting, but
 * not what is behind a message that waits. */
static void a_message_that_waits_lets_others_pass(void **state)
{
    (void)state;
    static const char *const variants[] = {"blocking", "events"};
    for (int i = 0; i < 2; i++) {
        const struct request request = {.collective = "shift",
                                        .algorithm = "direct",
                                        .instance = "q=3",
                                        .platform = CROSSBAR,
                                        .overlap = "blocking",
                                        .p = 7,
                                        .n = 1,
                                        .bytes = 7000,
                                        .ppn = 2,
                                        .variant = variants[i]};
        expect_s(time_of(&request), 4e-6, 1e-9);
    }
}

/* ---- LogGOPS --------------------------------------------------------------------------------- */

/* L o g G O in nanoseconds, S in bytes. */
static const char *const parameters[][MOST_OPTIONS] = {
    {"L:2500ns", "o:1500ns", "g:1000ns", "G:6ns", "O:0", "S:65535"},
    {"L:1000ns", "o:0", "g:0", "G:1ns", "O:0", "S:1000000000"},
    {"L:5000ns", "o:700ns", "g:3000ns", "G:2ns", "O:1ns", "S:1000000000"},
    {"L:2000ns", "o:100ns", "g:50ns", "G:3ns", "O:0", "S:0"},
};

/* What LogGOPSim (commit 76451de of its repository, backend LogGP) says of the plan that
 * `roundabout plan --format goal` exports: `tests/bench/loggopsim.sh` compares more. */
static const struct {
    const char *collective, *algorithm, *overlap;
    int32_t p;
    int64_t n, bytes;
    int parameters;
    double time_ns;
} loggopsim[] = {
    {"bcast", "circulant", "blocking", 7, 3, 10000, 0, 156456},
    {"bcast", "circulant", "window:3", 16, 5, 40001, 1, 94994},
    {"bcast", "circulant", "data", 33, 4, 100000, 2, 593778},
    {"bcast", "chain", "blocking", 7, 3, 10000, 0, 198966},
    {"bcast", "chain", "window:3", 16, 5, 40001, 1, 174981},
    {"bcast", "chain", "data", 33, 4, 100000, 2, 2033927},
    {"reduce", "circulant", "blocking", 7, 3, 10000, 0, 123484},
    {"reduce", "circulant", "window:3", 16, 5, 40001, 1, 70997},
    {"reduce", "circulant", "data", 33, 4, 100000, 2, 560779},
    {"allgather", "ring", "blocking", 7, 3, 10000, 0, 84408},
    {"allgather", "ring", "window:3", 16, 5, 40001, 1, 52500},
    {"allgather", "ring", "data", 33, 4, 100000, 2, 398720},
    {"allgather", "circulant", "blocking", 7, 3, 10000, 0, 78908},
    {"allgather", "circulant", "window:3", 16, 5, 40001, 1, 45496},
    {"allgather", "circulant", "data", 33, 4, 100000, 2, 313196},
    {"allreduce", "ring", "blocking", 7, 3, 10000, 0, 168960},
    {"allreduce", "ring", "window:3", 16, 5, 40001, 1, 105000},
    {"allreduce", "ring", "data", 33, 4, 100000, 2, 797568},
    {"reduce-scatter", "circulant", "blocking", 7, 3, 10000, 0, 78908},
    {"reduce-scatter", "circulant", "window:3", 16, 5, 40001, 1, 45496},
    {"reduce-scatter", "circulant", "data", 33, 4, 100000, 2, 313212},
    {"alltoall", "pairwise", "blocking", 7, 3, 10000, 0, 40314},
    {"alltoall", "pairwise", "window:3", 16, 5, 40001, 1, 7396},
    {"alltoall", "pairwise", "data", 33, 4, 100000, 2, 108494},
    {"alltoall", "bruck", "blocking", 7, 3, 10000, 0, 27516},
    {"alltoall", "bruck", "window:3", 16, 5, 40001, 1, 9016},
    {"alltoall", "bruck", "data", 33, 4, 100000, 2, 53292},
    {"scan", "chain", "blocking", 7, 3, 10000, 0, 198966},
    {"scan", "chain", "window:3", 16, 5, 40001, 1, 174981},
    {"scan", "chain", "data", 33, 4, 100000, 2, 2033927},
    {"scatter", "binomial", "blocking", 7, 3, 10000, 0, 63408},
    {"scatter", "binomial", "window:3", 16, 5, 40001, 1, 41496},
    {"scatter", "binomial", "data", 33, 4, 100000, 2, 228908},
};

static void equals_loggopsim(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loggopsim / sizeof loggopsim[0]; i++) {
        struct request request = {.collective = loggopsim[i].collective,
                                  .algorithm = loggopsim[i].algorithm,
                                  .platform = CROSSBAR,
                                  .overlap = loggopsim[i].overlap,
                                  .p = loggopsim[i].p,
                                  .n = loggopsim[i].n,
                                  .bytes = loggopsim[i].bytes};
        memcpy(request.options, parameters[loggopsim[i].parameters], sizeof request.options);
        const double time_ns = time_of(&request) * 1e9;
        if (fabs(time_ns - loggopsim[i].time_ns) > 1e-3)
            fail_msg("%s %s, %s, p = %d: %.12g ns instead of %.12g", request.collective,
                     request.algorithm, request.overlap, request.p, time_ns, loggopsim[i].time_ns);
    }
}

/* ---- Calibrations and bad requests ----------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char calibration[] =
    "{\"platform_basis\": \"exchange\", \"loggp\": {\"L_s\": 1e-6, \"o_send_s\": 2e-7,"
    " \"o_receive_s\": 4e-7, \"g_s\": 1e-7, \"G_s_per_byte\": 1e-9},"
    " \"tests\": {\"exchange\": {\"pieces\": ["
    "  {\"from_bytes\": 0, \"alpha_s\": 1e-6, \"beta_s_per_byte\": 1e-9},"
    "  {\"from_bytes\": 1000, \"alpha_s\": 5e-6, \"beta_s_per_byte\": 5e-10}]}}}";

static void reads_calibrations(void **state)
{
    (void)state;
    struct request request = {.collective = "bcast",
                              .algorithm = "binomial",
                              .platform = CROSSBAR,
                              .overlap = "blocking",
                              .p = 4,
                              .n = 1,
                              .options = {"calibration:calibration.json"}};
    write_file("calibration.json", calibration);
    request.bytes = 999;
    expect_s(time_of(&request), 2 * (1e-6 + 999e-9), 1e-12);
    request.bytes = 1000;
    expect_s(time_of(&request), 2 * (5e-6 + 500e-9), 1e-12);
    request.options[0] = "loggp:calibration.json"; /* o is the mean of the two */
    expect_s(time_of(&request), 2 * (1e-6 + 2 * 3e-7 + 999e-9), 1e-12);
    unlink("calibration.json");
}

static void refuses(const struct request *request, const char *words)
{
    struct sim_result result;
    struct sup_error error;
    assert_int_equal(try(request, &result, &error), RB_EINVAL);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", error.text, words);
}

/* Each with one word of a calibration spoiled. */
static void refuses_spoiled_calibrations(void **state)
{
    static const char grow[] = "wrong.json: pieces need growing from_bytes";
    static const char loggp[] = "wrong.json: there is no loggp with L_s";
    static const struct {
        const char *option, *word, *instead, *said;
    } spoiled[] = {
        {"calibration", "platform_basis", "basis", "wrong.json: tests have no pieces"},
        {"calibration", "\"pieces\": [", "\"pieces\": [], \"x\": [", "tests have no pieces"},
        {"calibration", "1000", "0", grow},
        {"calibration", "5e-6", "-5e-6", grow},
        {"calibration", "5e-10", "\"x\"", grow},
        {"calibration", "alpha_s", "alpha", grow},
        {"calibration", "{\"platform", "[\"platform", "wrong.json:1: "},
        {"calibration", "5e-6", "1e999", "wrong.json:1: real number overflow"},
        {"loggp", "L_s", "l_s", loggp},
        {"loggp", "o_send_s", "o_s", loggp},
        {"loggp", "4e-7", "-4e-7", loggp},
        {"loggp", "g_s", "gap", loggp},
        {"loggp", "G_s_per_byte", "G", loggp},
    };
    (void)state;
    struct request request = {.collective = "bcast",
                              .algorithm = "circulant",
                              .platform = CROSSBAR,
                              .overlap = "blocking",
                              .p = 8,
                              .n = 2,
                              .bytes = 100};
    for (size_t i = 0; i < sizeof spoiled / sizeof spoiled[0]; i++) {
        char text[sizeof calibration + 40], option[40];
        const char *at = strstr(calibration, spoiled[i].word);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - calibration), calibration,
                 spoiled[i].instead, at + strlen(spoiled[i].word));
        write_file("wrong.json", text);
        snprintf(option, sizeof option, "%s:wrong.json", spoiled[i].option);
        request.options[0] = option;
        refuses(&request, spoiled[i].said);
    }
    unlink("wrong.json");
    request.options[0] = "calibration:."; /* a directory is opened, but not read */
    refuses(&request, ".: Is a directory");
}

static void refuses_what_it_cant(void **state)
{
    (void)state;
    static const struct {
        const char *option, *words;
    } bad[] = {{"gama:1ns", "did you mean gamma?"},
               {"latency:1us", "there are gamma, L, o"},
               {"gamma", "no option 'gamma'"},
               {"gamma:fast", "gamma"},
               {"noise:-1", "0.05"},
               {"S:much", "S"},
               {"threads:0", "threads"},
               {"calibration:absent.json", "absent.json"},
               {"calibration:bad.json", "roundabout calibrate"},
               {"loggp:bad.json", "roundabout calibrate"}};
    struct request request = {.collective = "bcast",
                              .algorithm = "circulant",
                              .platform = CROSSBAR,
                              .overlap = "blocking",
                              .p = 8,
                              .n = 2,
                              .bytes = 100};
    write_file("bad.json", "{\"platform_basis\": \"exchange\", \"loggp\": null}");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        request.options[0] = bad[i].option;
        refuses(&request, bad[i].words);
    }
    unlink("bad.json");
    request.options[0] = "o:1us";
    request.overlap = "lockstep";
    refuses(&request, "lockstep");
    request.overlap = "blocking";
    request.ppn = 2;
    refuses(&request, "one rank per host");
    request.options[0] = NULL;
    request.variant = "waves";
    refuses(&request, "variant waves");
    request.variant = "tides";
    refuses(&request, "no variant 'tides'");
    request.variant = NULL;
    request.platform = "fat-tree:16";
    refuses(&request, "shared links");
    request.platform = "crossbar:3";
    refuses(&request, "8 ranks don't fit on the 3 hosts");
}

/* Queued events, and the same in an array that is searched for the first. */
enum { MOST_EVENTS = 3000 };
struct queued {
    struct model_event_queue queue;
    struct model_event event[MOST_EVENTS];
    int32_t count;
};

static void put_in(struct queued *queued, double time)
{
    queued->event[queued->count++] =
        (struct model_event){.time = time, .number = queued->queue.numbers};
    model_event_queue_add(&queued->queue, time, 0, 0);
}

static struct model_event take_out(struct queued *queued)
{
    int32_t first = 0;
    for (int32_t i = 1; i < queued->count; i++)
        if (queued->event[i].time < queued->event[first].time ||
            (queued->event[i].time == queued->event[first].time &&
             queued->event[i].number < queued->event[first].number))
            first = i;
    const struct model_event event = queued->event[first];
    queued->event[first] = queued->event[--queued->count];
    return event;
}

/* Of each event that is taken one or two follow, close by or far off, some at the same time, some
 * earlier than others that are sorted already; a few are put back with their number. */
static void events_come_in_order(void **state)
{
    static const double far_s[] = {0, 1e-9, 3e-7, 1e-5, 1e-5, 2.5e-4};
    struct queued queued = {.count = 0};
    uint64_t seed = 7;
    (void)state;
    for (int32_t i = 0; i < 10; i++)
        put_in(&queued, i < 5 ? 0 : 1e-4 * i);
    for (int32_t i = 0; i < 30000 && queued.count > 0; i++) {
        const struct model_event wanted = take_out(&queued);
        assert_true(model_event_queue_first(&queued.queue)->number == wanted.number);
        const struct model_event event = model_event_queue_take(&queued.queue);
        assert_true(event.time == wanted.time);
        assert_int_equal(event.number, wanted.number);
        assert_int_equal(queued.queue.count, queued.count);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int32_t follow =
            i < 20000 && queued.count < MOST_EVENTS - 2 ? 1 + (int32_t)(seed >> 62) / 2 : 0;
        for (int32_t k = 0; k < follow; k++)
            put_in(&queued, event.time + far_s[(seed >> (40 + 4 * k)) % 6] *
                                             (double)(1 + (seed >> (50 + k)) % 8));
        if ((seed >> 33) % 16 == 0 && follow > 0) {
            struct model_event again = event;
            again.time += far_s[(seed >> 36) % 6];
            model_event_queue_put_back(&queued.queue, again);
            queued.event[queued.count++] = again;
        }
    }
    assert_int_equal(queued.count, 0);
    assert_null(model_event_queue_first(&queued.queue));
    model_event_queue_free(&queued.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combining_takes_its_time),
        cmocka_unit_test(a_rank_combines_one_after_another),
        cmocka_unit_test(noise_has_its_mean),
        cmocka_unit_test(hosts_share_a_port),
        cmocka_unit_test(a_host_receives_at_one_port),
        cmocka_unit_test(a_message_that_waits_lets_others_pass),
        cmocka_unit_test(equals_loggopsim),
        cmocka_unit_test(reads_calibrations),
        cmocka_unit_test(refuses_spoiled_calibrations),
        cmocka_unit_test(refuses_what_it_cant),
        cmocka_unit_test(events_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
