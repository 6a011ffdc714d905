/* test_search.c - the search finds the same best n as trying every n, and the n that it left out
 * are not better. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/decide/tune.h"
#include "experiments/search/search.h"
#include "experiments/search/search_grid.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "tests/experiments/point_rules.h"

static struct point_known_platform platform;

/* alpha 1 us; beta is such that best n are neither 1 nor all. */
static void make_platform(const char *text)
{
    struct sup_error error;
    const struct sim_spec how = {0};
    point_known_platform_free(&platform);
    if (point_known_platform_make(text, &how, sim_engine_find("model"), &platform, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static struct point point_of(const struct rb_algorithm_info *algorithm, int32_t p, int64_t m_bytes)
{
    struct point point = {.plan = {.collective = algorithm->collective,
                                   .algorithm = algorithm->name,
                                   .p = p,
                                   .n = 1,
                                   .ports = 1},
                          .m_bytes = m_bytes,
                          .element_bytes = 1,
                          .platform = &platform,
                          .platform_text = platform.text,
                          .platform_hash = platform.hash,
                          .ppn = 1,
                          .engine = sim_engine_find("model"),
                          .engine_text = "model",
                          .engine_options = "",
                          .collective = rb_collective_find(algorithm->collective),
                          .algorithm = algorithm};
    set_rules(&point, "regular", "block", "blocking");
    return point;
}

static double time_of(const struct point *point)
{
    struct point_outcome outcome;
    point_run(point, NULL, &outcome);
    if (!outcome.done)
        fail_msg("%s %s, p = %d: %s", point->plan.collective, point->plan.algorithm,
                 (int)point->plan.p, outcome.error.text);
    return outcome.time_s;
}

/* Every n of 1 .. most_n; and no time is below the bound of any range it is in. */
static struct decide_sample try_all(struct point point, int64_t most_n)
{
    struct search_bound bound;
    struct decide_sample best = {0};
    assert_int_equal(search_bound_make(&point, &bound, NULL), RB_OK);
    for (int64_t n = 1; n <= most_n; n++) {
        point.plan.n = n;
        const struct decide_sample sample = {n, time_of(&point)};
        if (n == 1 || sample.time_s < best.time_s * (1 - SEARCH_TIE))
            best = sample; /* of equals the smallest */
        const double least_s = search_bound(&bound, n, n);
        if (sample.time_s < least_s * (1 - SEARCH_TIE) ||
            search_bound(&bound, n / 2 + 1, 2 * n) > least_s)
            fail_msg("%s %s, p = %d, m = %d, n = %d, %s: %.17g s is below the bound, %.17g s",
                     point.plan.collective, point.plan.algorithm, (int)point.plan.p,
                     (int)point.m_bytes, (int)n, point.overlap, sample.time_s, least_s);
    }
    return best;
}

static int64_t points, tried, all; /* in total */

static void assert_finds_the_best(const struct point *point)
{
    struct search_found found;
    struct sup_error error;
    if (search_n(point, 100, NULL, &found, &error) != RB_OK)
        fail_msg("%s", error.text);
    const struct decide_sample best = try_all(*point, found.most_n);
    if (found.n != best.n || found.time_s != best.time_s)
        fail_msg("%s %s, p = %d, m = %d, elements of %d, %s: n = %d, %.17g s, by %s; but n = %d "
                 "takes %.17g s",
                 point->plan.collective, point->plan.algorithm, (int)point->plan.p,
                 (int)point->m_bytes, (int)point->element_bytes, point->overlap, (int)found.n,
                 found.time_s, search_proof_names[found.proof], (int)best.n, best.time_s);
    assert_true(found.tried <= found.most_n);
    points++;
    tried += found.tried;
    all += found.most_n;
}

struct grid {
    const int32_t *p;            /* ends with 0 */
    const int64_t *elements;     /* ends with -1 */
    const int64_t *element_size; /* ends with 0 */
    const char *const *rule;     /* ends with NULL */
};

static void at_all_elements(struct point point, const struct grid *grid)
{
    for (int i = 0; grid->elements[i] >= 0; i++)
        for (int k = 0; grid->element_size[k] > 0; k++) {
            point.m_bytes = grid->elements[i] * grid->element_size[k];
            point.element_bytes = grid->element_size[k];
            assert_finds_the_best(&point);
        }
}

static void on_grid(const struct grid *grid)
{
    const struct rb_algorithm_info *algorithm;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        for (int i = 0; algorithm->pipelined && grid->p[i] > 0; i++)
            for (int r = 0; grid->rule[r] != NULL; r++) {
                struct point point = point_of(algorithm, grid->p[i], 0);
                point_set_rule(&point, POINT_OVERLAP, rule_of(POINT_OVERLAP, grid->rule[r]));
                if (rb_collective_find(algorithm->collective)->rooted)
                    point.plan.root = grid->p[i] / 2;
                if (rb_plan_is_supported(&point.plan)) /* with one port */
                    at_all_elements(point, grid);
            }
}

/* No algorithm takes less than its least time; what is pipelined, for no n. */
static void nothing_takes_less_than_its_least_time(void **state)
{
    static const int32_t ranks[] = {1, 2, 3, 8, 13, 24};
    static const int64_t elements[] = {0, 1, 7, 60, 2000};
    static const char *const rules[] = {"blocking", "lockstep", "window:2", "data"};
    static const char *const counts[] = {"regular", "random:1"};
    const struct rb_algorithm_info *algorithm;
    int64_t close = 0, tests = 0;
    (void)state;
    make_platform("crossbar:64,latency=1us,bandwidth=1MBps");
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        for (int32_t i = 0; i < 6 * 5 * 4 * 2; i++) {
            struct point point = point_of(algorithm, ranks[i % 6], 8 * elements[i / 6 % 5]);
            struct search_bound bound;
            struct search_found found;
            point.element_bytes = 8;
            point_set_rule(&point, POINT_OVERLAP, rule_of(POINT_OVERLAP, rules[i / 30 % 4]));
            point_set_rule(&point, POINT_COUNTS, rule_of(POINT_COUNTS, counts[i / 120]));
            if (!rb_plan_is_supported(&point.plan) ||
                (i >= 120 && !point.collective->distributed) ||
                search_least_time(&point, &bound, &found, NULL) != RB_OK)
                continue;
            const double time_s = time_of(&point);
            if (time_s < found.time_s * (1 - SEARCH_TIE))
                fail_msg("%s %s, p = %d, %d elements, %s, %s: %.17g s, but %.17g s is the least",
                         algorithm->collective, algorithm->name, (int)point.plan.p,
                         (int)elements[i / 6 % 5], point.overlap, point.counts, time_s,
                         found.time_s);
            close += time_s > 0 && found.time_s >= time_s / 2;
            tests++;
        }
    assert_true(2 * close > tests);
}

static const struct grid small = {
    .p = (const int32_t[]){1, 3, 8, 13, 0},
    .elements = (const int64_t[]){0, 7, 60, -1},
    .element_size = (const int64_t[]){1, 24, 0},
    .rule = (const char *const[]){"blocking", "window:2", NULL},
};
/* With the argument `long`, which also looks for each collective on each platform. */
static const struct grid large = {
    .p = (const int32_t[]){1, 2, 3, 5, 8, 12, 17, 0},
    .elements = (const int64_t[]){0, 1, 7, 60, 211, -1},
    .element_size = (const int64_t[]){1, 24, 0},
    .rule = (const char *const[]){"blocking", "lockstep", "window:2", "window:5", "data", NULL},
};
static const struct grid *chosen = &small;

static void the_best_of_all_n(void **state)
{
    (void)state;
    make_platform("crossbar:64,latency=1us,bandwidth=100MBps");
    on_grid(chosen);
    print_message("%d points, %d of %d n tried\n", (int)points, (int)tried, (int)all);
}

/* Shares that differ, hosts with several ranks, overheads: where there is no bound, all is by
 * analogy. */
static void by_analogy(void **state)
{
    static const struct {
        const char *collective, *counts, *options[2];
        int32_t ppn;
    } of[] = {
        {"allgather", "mod3", {NULL}, 1},   {"reduce-scatter", "random:3", {NULL}, 1},
        {"bcast", "regular", {NULL}, 4},    {"reduce", "regular", {"gamma:1ns"}, 1},
        {"bcast", "regular", {"o:3us"}, 1}, {"bcast", "regular", {"noise:0.05", "seed:3"}, 1}};
    (void)state;
    make_platform("crossbar:16,latency=1us,bandwidth=100MBps");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct point point = point_of(rb_algorithm_find(of[i].collective, "circulant"), 12, 600);
        struct search_found found;
        point_set_rule(&point, POINT_COUNTS, rule_of(POINT_COUNTS, of[i].counts));
        point.ppn = of[i].ppn;
        point.options = of[i].options;
        point.option_count = (of[i].options[0] != NULL) + (of[i].options[1] != NULL);
        assert_finds_the_best(&point);
        assert_int_equal(search_n(&point, 100, NULL, &found, NULL), RB_OK);
        assert_int_equal(found.proof, SEARCH_BY_ANALOGY);
    }
}

static void what_is_said(void **state)
{
    struct search_found found;
    _Atomic int64_t steps = 0;
    (void)state;
    make_platform("crossbar:64,latency=1us,bandwidth=100MBps");
    struct point point = point_of(rb_algorithm_find("bcast", "circulant"), 17, 1 << 20);
    assert_int_equal(search_n(&point, 100, &steps, &found, NULL), RB_OK);
    /* sqrt((q - 1) beta m / alpha) with q = 5. */
    assert_true(found.n == 204 || found.n == 205);
    assert_int_equal(found.closed_n, 205);
    assert_int_equal(found.proof, SEARCH_BY_BOUND);
    assert_int_equal(found.most_n, 1 << 20);
    assert_int_equal(found.tried, steps);
    assert_true(found.tried < 40 && found.closed_s >= found.time_s);
    assert_int_equal(found.count,
                     found.tried < SEARCH_FOUND_SAMPLES ? found.tried : SEARCH_FOUND_SAMPLES);
    for (size_t i = 1; i < found.count; i++)
        assert_true(found.samples[i - 1].n < found.samples[i].n);
    point = point_of(rb_algorithm_find("allreduce", "chain"), 5, 100);
    point_set_rule(&point, POINT_OVERLAP, rule_of(POINT_OVERLAP, "window:3"));
    assert_int_equal(search_n(&point, 100, NULL, &found, NULL), RB_OK);
    assert_int_equal(found.proof, SEARCH_BY_GROWTH);
    point = point_of(rb_algorithm_find("bcast", "binomial"), 5, 100);
    assert_int_equal(search_n(&point, 100, NULL, &found, NULL), RB_OK);
    assert_true(found.n == 1 && found.tried == 1 && found.proof == SEARCH_BY_ALL);
    assert_true(found.closed_n == 0);
    assert_true(
        search_is_better(&(struct decide_sample){3, 1}, &(struct decide_sample){5, 1 - 1e-14}));
    assert_false(
        search_is_better(&(struct decide_sample){5, 1 - 1e-14}, &(struct decide_sample){3, 1}));
    assert_true(
        search_is_better(&(struct decide_sample){5, 1 - 1e-9}, &(struct decide_sample){3, 1}));
    point.plan.algorithm = "no such thing";
    assert_int_equal(search_n(&point, 100, NULL, &found, NULL), RB_EINVAL);
}

/* Without latency nothing speaks for fewer blocks, and there is a block for each byte. */
static void without_latency_each_byte_is_a_block(void **state)
{
    static const struct {
        int64_t m_bytes;
        double limit_s;
    } size[] = {{1 << 20, 4e-3}, {INT64_C(1) << 40, 4e-3}, {INT64_C(1) << 59, 4e-3}};
    struct search_found found;
    _Atomic int64_t steps = 0;
    (void)state;
    make_platform("crossbar:16,latency=0s");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        struct point point = point_of(rb_algorithm_find("bcast", "circulant"), 16, size[i].m_bytes);
        assert_int_equal(search_n(&point, size[i].limit_s, &steps, &found, NULL), RB_OK);
        assert_int_equal(found.proof, SEARCH_BY_LIMIT);
        /* 15 messages a block, of 50 ns and more. */
        assert_true(found.most_n > 100 && found.most_n < 1400);
        assert_int_equal(found.n, found.most_n);
        assert_true(found.tried < 100);
    }
    /* What is beyond the limit doesn't matter where it is excluded. */
    make_platform("crossbar:16");
    struct point point = point_of(rb_algorithm_find("bcast", "circulant"), 16, 1 << 20);
    assert_int_equal(search_n(&point, 4e-3, NULL, &found, NULL), RB_OK);
    assert_int_equal(found.proof, SEARCH_BY_BOUND);
    assert_true(found.n == 16 && found.most_n < 1400);
}

/* ---- Platforms that the model doesn't know --------------------------------------------------- */

static void search_on(const struct point_known_platform *named, const char *collective, int32_t ppn,
                      bool confirm, bool exclude, double give_up, struct search_request *request,
                      struct search_grid *search)
{
    static const char *algorithm[64];
    static int64_t sixteen[] = {16}, mebibyte[] = {1 << 20};
    static const struct sup_list p = {.value = sixteen, .count = 1};
    static const struct sup_list m_bytes = {.value = mebibyte, .count = 1};
    const struct rb_algorithm_info *info;
    struct sup_error error;
    size_t count = 0;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0)
            algorithm[count++] = info->name;
    *request =
        (struct search_request){.common = point_of(rb_algorithm_find(collective, "ring"), 16, 0),
                                .algorithm = algorithm,
                                .algorithm_count = count,
                                .p = &p,
                                .m_bytes = &m_bytes,
                                .overlap = rule_of(POINT_OVERLAP, "blocking"),
                                .overlap_count = 1,
                                .confirm_engine = confirm ? sim_engine_find("simgrid") : NULL,
                                .named_engine = sim_engine_find("flow"),
                                .asked = named,
                                .groups = point_group_words,
                                .groups_count = POINT_GROUP_WORDS,
                                .confirm_most_s = 10,
                                .search_most_s = 10,
                                .give_up = give_up,
                                .jobs = 2};
    request->common.ppn = ppn;
    if (exclude)
        request->least_share = search_least_share(named, &platform, ppn);
    if (search_grid(request, search, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* A search for a broadcast with two ranks on each host of the platform that was made last. */
static struct search_request bcast_by_hosts(const char *const algorithm[], size_t algorithms,
                                            const char *const groups[], size_t group_count,
                                            const struct sup_list *p,
                                            const struct sup_list *m_bytes,
                                            const struct sup_list *radix)
{
    struct search_request request = {
        .common = point_of(rb_algorithm_find("bcast", algorithm[0]), (int32_t)p->value[0], 0),
        .algorithm = algorithm,
        .algorithm_count = algorithms,
        .p = p,
        .m_bytes = m_bytes,
        .overlap = rule_of(POINT_OVERLAP, "blocking"),
        .overlap_count = 1,
        .asked = &platform,
        .groups = groups,
        .groups_count = group_count,
        .radix = radix,
        .search_most_s = 10,
        .jobs = 1};
    request.common.ppn = 2;
    return request;
}

/* Curves by name: each way to group the ranks, and each radix where there is one. */
static void candidates(void **state)
{
    static const char *const algorithm[] = {"circulant", "chain-over-chain", "fan"};
    static const char *const groups[] = {"host", "16"};
    static const char *const names[] = {"circulant", "chain-over-chain:g=host", "fan:g=host",
                                        "fan:r=3:g=host"};
    static int64_t sixteen[] = {16}, kibibyte[] = {1024}, both[] = {0, 3};
    static const struct sup_list p = {.value = sixteen, .count = 1};
    static const struct sup_list m_bytes = {.value = kibibyte, .count = 1};
    static const struct sup_list radix = {.value = both, .count = 2};
    struct search_grid search;
    struct sup_error error;
    (void)state;
    make_platform("crossbar:8");
    struct search_request request = bcast_by_hosts(algorithm, 3, groups, 2, &p, &m_bytes, &radix);
    assert_int_equal(search_grid(&request, &search, &error), RB_OK);
    assert_int_equal(search.curve_count, 4);
    for (size_t i = 0; i < search.curve_count; i++) {
        assert_string_equal(search.curves[i].name, names[i]);
        assert_true(search.curves[i].found.time_s > 0);
    }
    assert_int_equal(search.curves[3].point.plan.radix, 3);
    assert_null(search.curves[0].point.plan.groups);
    assert_string_equal(search.curves[1].point.plan.groups, "2");
    search_grid_free(&search);
    /* One group of all ranks, if it is named; and an algorithm that is named has a curve anyway. */
    request.groups_named = true;
    request.radix = NULL;
    assert_int_equal(search_grid(&request, &search, &error), RB_OK);
    assert_int_equal(search.curve_count, 5);
    search_grid_free(&search);
    request.groups_count = 0;
    assert_int_equal(search_grid(&request, &search, &error), RB_OK);
    assert_int_equal(search.curve_count, 1);
    search_grid_free(&search);
    request.algorithms_named = true;
    assert_int_equal(search_grid(&request, &search, &error), RB_OK);
    assert_int_equal(search.curve_count, 3);
    assert_string_equal(search.curves[1].name, "chain-over-chain");
    search_grid_free(&search);
}

/* What the tables say to take is what the search chose, though these are chosen apart. */
static void tables_say_the_same(const struct search_request *request,
                                const struct search_grid *search)
{
    struct decide_tune_result tuning;
    const struct search whole = {*request, *search}, *const searches[] = {&whole};
    search_tables(searches, 1, &tuning);
    assert_int_equal(tuning.decision.call_count, search->case_count);
    const struct decide_call *call = &tuning.decision.calls[0];
    assert_string_equal(call->choice->name, search->cases[0].winner->name);
    assert_string_equal(call->next_best->name, search->cases[0].runner_up->name);
    assert_true(call->choice->time_s == search->cases[0].winner->found.time_s);
    assert_null(call->tie);
    decide_tune_result_free(&tuning);
}

/* Of times that differ by rounding alone the first is chosen; of the copies' times those of the
 * same algorithm count, too, although it is no rival of itself. The curves are a chain and three
 * fans. */
static void rounding_does_not_choose(const struct search_request *request,
                                     struct search_grid *search)
{
    static const double time_s[] = {1, 1 - 1e-13, 1 - 1e-8, 2};
    struct decide_tune_result tuning;
    for (size_t i = 0; i < search->curve_count; i++)
        search->curves[i].found.time_s = i < 4 ? time_s[i] : 3;
    const struct search whole = {*request, *search}, *const searches[] = {&whole};
    search_tables(searches, 1, &tuning);
    const struct decide_call *call = &tuning.decision.calls[0];
    assert_string_equal(call->choice->name, search->curves[2].name);
    assert_string_equal(call->next_best->name, search->curves[0].name);
    decide_tune_result_free(&tuning);
    search->curves[2].found.time_s = 2;
    search->curves[0].found.time_s = 1 + 1e-13;
    search->curves[1].spread = (struct sim_spread){.copies = 3, .low_s = 0.9, .high_s = 1.1};
    search->curves[3].spread = (struct sim_spread){.copies = 3, .low_s = 1, .high_s = 2};
    search->cases[0].winner = &search->curves[1];
    search_tables(searches, 1, &tuning);
    assert_string_equal(tuning.decision.calls[0].choice->name, search->curves[0].name);
    assert_string_equal(tuning.decision.calls[0].tie, "tie");
    decide_tune_result_free(&tuning);
}

/* The runner-up is the fastest of the other algorithms, though the winner's has faster curves. */
static void the_runner_up_is_of_another_algorithm(void **state)
{
    static const char *const algorithm[] = {"chain", "fan"};
    static const char *const groups[] = {"host"};
    static int64_t ranks[] = {32}, byte[] = {8}, radices[] = {2, 3, 4, 5};
    static const struct sup_list p = {.value = ranks, .count = 1};
    static const struct sup_list m_bytes = {.value = byte, .count = 1};
    static const struct sup_list radix = {.value = radices, .count = 4};
    struct search_grid search;
    struct sup_error error;
    (void)state;
    make_platform("crossbar:16");
    struct search_request request = bcast_by_hosts(algorithm, 2, groups, 1, &p, &m_bytes, &radix);
    assert_int_equal(search_grid(&request, &search, &error), RB_OK);
    assert_int_equal(search.case_count, 1);
    const struct search_case *a_case = &search.cases[0];
    assert_non_null(a_case->runner_up);
    assert_string_equal(a_case->winner->point.plan.algorithm, "fan");
    assert_string_equal(a_case->runner_up->point.plan.algorithm, "chain");
    size_t between = 0;
    for (size_t i = 0; i < search.curve_count; i++)
        between += &search.curves[i] != a_case->winner &&
                   search.curves[i].found.time_s < a_case->runner_up->found.time_s;
    assert_true(between > 0);
    tables_say_the_same(&request, &search);
    rounding_does_not_choose(&request, &search);
    search_grid_free(&search);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The groups that a word stands for hold the ranks whose terminals share it, no more and no less;
 * they can't be told only if ranks come back. Returns false then. */
static bool groups_hold_sharers(const struct point *point, const char *word, int32_t sharers)
{
    struct point grouped = *point;
    struct platform_hosts hosts;
    struct sup_error error;
    struct rb_plan *plan;
    char *sizes;
    grouped.plan.groups = word;
    assert_int_equal(platform_find_hosts(point->platform_text, &hosts, &error), RB_OK);
    const int status = point_find_groups(&grouped, &sizes, &error);
    bool comes_back = false;
    for (int32_t r = 0; r < point->plan.p; r++)
        for (int32_t s = 0; s + 1 < r; s++) {
            const int32_t part = platform_host_terminal(&hosts, r) / sharers;
            comes_back = comes_back || (platform_host_terminal(&hosts, s) / sharers == part &&
                                        platform_host_terminal(&hosts, r - 1) / sharers != part);
        }
    assert_int_equal(status, comes_back ? RB_ENOTSUP : RB_OK);
    if (comes_back)
        return false;
    assert_int_equal(rb_plan_create(&grouped.plan, &plan, NULL, 0), RB_OK);
    const struct rb_groups *groups = rb_plan_groups(plan);
    for (int32_t r = 1; r < point->plan.p; r++)
        assert_int_equal(rb_group_of(groups, r) == rb_group_of(groups, r - 1),
                         platform_host_terminal(&hosts, r) / sharers ==
                             platform_host_terminal(&hosts, r - 1) / sharers);
    rb_plan_destroy(plan);
    free(sizes);
    return true;
}

/* Every machine, with every word. A search has curves by these groups, or says why it has none. */
static void groups_of_machines(void **state)
{
    const struct platform_generator *face;
    static const char *const algorithm[] = {"circulant", "chain-over-chain"};
    static int64_t kibibyte[] = {1024};
    static const struct sup_list m_bytes = {.value = kibibyte, .count = 1};
    int32_t machines = 0, grouped = 0;
    (void)state;
    make_platform("crossbar:2");
    for (int32_t i = 0; (face = platform_generator_at(i)) != NULL; i++) {
        struct point point = point_of(rb_algorithm_find("bcast", "chain-over-chain"), 1, 0);
        struct platform_hosts hosts;
        struct sup_error error;
        bool expected = false, comes_back = false;
        if (face->base == NULL)
            continue;
        machines++;
        point.platform_text = face->name;
        assert_int_equal(platform_find_hosts(face->name, &hosts, &error), RB_OK);
        const int32_t most = hosts.count < 130 ? hosts.count : 130;
        for (size_t k = 0; k < POINT_GROUP_WORDS; k++) {
            int32_t sharers;
            if (platform_find_group(face->name, point_group_words[k], &sharers, &error) != RB_OK)
                continue;
            for (point.plan.p = 1; point.plan.p <= most; point.plan.p++)
                if (!groups_hold_sharers(&point, point_group_words[k], sharers))
                    comes_back = comes_back || point.plan.p == most;
                else
                    expected = expected || (point.plan.p == most && sharers > 1 && sharers < most);
        }
        int64_t ranks[] = {most};
        const struct sup_list p = {.value = ranks, .count = 1};
        struct search_grid search;
        struct search_request request =
            bcast_by_hosts(algorithm, 2, point_group_words, POINT_GROUP_WORDS - 7, &p, &m_bytes,
                           NULL); /* but for the last seven, of grids */
        char crossbar[32];
        snprintf(crossbar, sizeof crossbar, "crossbar:%d", (int)most);
        make_platform(crossbar);
        request.common = point_of(rb_algorithm_find("bcast", "chain-over-chain"), most, 0);
        struct point_known_platform named = platform;
        named.text = (char *)(uintptr_t)face->name;
        request.asked = &named;
        request.named_engine = sim_engine_find("model"); /* whose times here nobody looks at */
        request.search_most_s = 1e-9;                    /* none is run */
        assert_int_equal(search_grid(&request, &search, &error), RB_OK);
        bool found = false;
        for (size_t k = 0; k < search.curve_count; k++)
            found = found || search.curves[k].point.plan.groups != NULL;
        assert_int_equal(found, expected);
        assert_int_equal(search.groupings.ungrouped > 0, comes_back);
        grouped += found;
        search_grid_free(&search);
    }
    assert_true(machines >= 11 && grouped >= 8);
}

/* ---- Excluded -------------------------------------------------------------------------------- */

struct places {
    const char *platform;
    bool simgrid; /* confirms, in the time that the test has */
    int32_t ppn;
};

static const double give_up = 1.5;

/* What is given up would indeed not have won; it is longer than so many times the winner, but for
 * other n, and n is varied where the first one's time is within that. */
static void compare_given_up(const struct search_case *of_few, const struct search_grid *few,
                             const struct search_grid *every, int64_t *given_up)
{
    const struct search_curve *winner = every->cases[0].winner;
    double first_s = INFINITY;
    assert_string_equal(of_few->winner->name, winner->name);
    assert_true(of_few->winner->named.best.time_s == winner->named.best.time_s);
    for (size_t i = 0; i < few->run_count; i++) {
        const struct search_run *run = &few->runs[i];
        const struct search_named_runs *full = &every->curves[run->curve].named;
        const enum search_state state = few->curves[run->curve].named.state;
        const double most_s = winner->named.best.time_s * (state == SEARCH_EXCLUDED ? give_up : 1);
        assert_int_not_equal(state, SEARCH_NOT_DONE);
        *given_up += isinf(run->time_s);
        for (size_t k = 0; k < full->count; k++)
            if (full->runs[k].n == run->point.plan.n)
                assert_true(isinf(run->time_s) ? full->runs[k].time_s > most_s
                                               : full->runs[k].time_s == run->time_s);
    }
    for (size_t i = 0; i < few->curve_count; i++)
        if (few->curves[i].named.count > 0)
            first_s = fmin(first_s, few->curves[i].named.runs[0].time_s);
    for (size_t i = 0; i < few->curve_count; i++)
        if (few->curves[i].named.count > 1)
            assert_true(few->curves[i].named.runs[0].time_s <= give_up * first_s);
}

/* What is excluded would indeed not have won; nothing but what was simulated is recommended. */
static void compare_exclusion(const struct places *place, const char *collective, int64_t *excluded,
                              int64_t *given_up, int64_t *others)
{
    struct point_known_platform named;
    struct search_request request;
    struct search_grid every, some, few;
    struct sup_error error;
    const struct sim_spec how = {0};
    if (point_known_platform_make(place->platform, &how, sim_engine_find("flow"), &named, &error) !=
        RB_OK)
        fail_msg("%s", error.text);
    char crossbar[120];
    snprintf(crossbar, sizeof crossbar, "crossbar:18,latency=%.17gs,bandwidth=%.17gBps",
             named.alpha_s, 1 / named.beta_s_per_byte);
    make_platform(crossbar);
    const int32_t ppn = place->ppn;
    const double share = search_least_share(&named, &platform, ppn);
    assert_true(share > 0 && share <= 1);
    search_on(&named, collective, ppn, place->simgrid, false, 0, &request, &every);
    search_on(&named, collective, ppn, place->simgrid, true, 0, &request, &some);
    search_on(&named, collective, ppn, false, true, give_up, &request, &few);
    compare_given_up(&few.cases[0], &few, &every, given_up);
    assert_int_equal(every.curve_count, some.curve_count);
    const struct search_case *of_every = &every.cases[0], *of_some = &some.cases[0];
    if (place->simgrid) {
        assert_int_equal(of_every->verdict, SEARCH_CONFIRMED);
        assert_int_equal(of_some->verdict, SEARCH_CONFIRMED);
    }
    assert_string_equal(of_every->winner->name, of_some->winner->name);
    assert_true(of_some->winner->named.state == SEARCH_SIMULATED);
    *others += strcmp(of_some->winner->point.plan.algorithm, "circulant") != 0;
    for (size_t k = 0; k < every.curve_count; k++) {
        const struct search_curve *full = &every.curves[k], *part = &some.curves[k];
        assert_true(full->named.state == SEARCH_SIMULATED);
        assert_true(full->named.best.time_s >= of_some->winner->named.best.time_s);
        *excluded += part->named.state == SEARCH_EXCLUDED;
        if (part->named.state == SEARCH_EXCLUDED)
            assert_true(full->named.best.time_s > of_some->winner->named.best.time_s);
        /* The first run is the model's n, and contention never speeds it up. */
        assert_true(full->named.runs[0].n == full->found.n);
        const double least_s = ppn == 1 ? full->found.time_s : full->least_s;
        if (full->named.best.time_s < share * full->least_s * (1 - 1e-9) ||
            full->named.runs[0].time_s < share * least_s * (1 - 1e-9))
            fail_msg("%s on %s: %s takes less than its least time", collective, place->platform,
                     full->name);
    }
    search_grid_free(&every);
    search_grid_free(&some);
    search_grid_free(&few);
    point_known_platform_free(&named);
}

static void on_platforms_with_contention(void **state)
{
    static const struct places places[] = {
        {"fat-tree:16,taper=4", true, 1},
        {"torus:4x4", true, 1},
        {"dragonfly:18,groups=3,routers=3", true, 1},
        {"rails:4x4", false, 1},
        {"rails:2x8,inner-bandwidth=24GBps,inner-latency=9us", false, 1},
        {"rails:4x4,cross=spines,memory-bandwidth=100GBps,memory-traffic=all", false, 1},
        {"dgx-h100:2", false, 1},
        {"polaris:8", false, 1},
        {"lumi:16", false, 1},
        {"leonardo:16", false, 1},
        {"fugaku:2x4x2", false, 1},
        {"fat-tree:16,taper=4", false, 4},
        {"dragonfly:18,groups=3,routers=3", false, 2}};
    static const char *const collectives[] = {"bcast", "allreduce", "alltoall"};
    int64_t excluded = 0, given_up = 0, others = 0;
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t k = 0; k < 3; k++)
            if (chosen == &large || k == i % 3)
                compare_exclusion(&places[i], collectives[k], &excluded, &given_up, &others);
    assert_true(excluded > 0 && given_up > 0 && others > 0);
}

/* A torus has rows and planes as levels; others don't. */
static void levels_of_grids(void **state)
{
    static const struct {
        const char *platform, *groups, *sizes;
    } known[] = {{"torus:8x8x16", "row/plane", "8/64"},
                 {"torus:8x8x16", "host/row/plane", "8/64"},
                 {"torus:4x6", "row", "4"},
                 {"torus:4x6", "row/plane", NULL},
                 {"fat-tree:1024,taper=4", "host/row", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct sup_error error;
        char *owned;
        make_platform("crossbar:2");
        struct point point = point_of(rb_algorithm_find("allgather", "exchange"), 24, 0);
        point.plan.p = i < 2 ? 1024 : 24;
        point.platform_text = known[i].platform;
        point.plan.groups = known[i].groups;
        assert_int_equal(point_find_groups(&point, &owned, &error),
                         known[i].sizes == NULL ? RB_EINVAL : RB_OK);
        if (known[i].sizes != NULL)
            assert_string_equal(point.plan.groups, known[i].sizes);
        free(owned);
    }
}

/* Small groups are dealt out: ranks between those of leaves, routers behind those of groups, and a
 * plane to the one before. What has no small groups stays as it is. */
static void groups_without_small_ones(void **state)
{
    static const struct {
        const char *platform, *groups;
        int32_t p;
        const char *sizes;
    } known[] = {
        {"fat-tree:16", "leaf:even", 16, "4"},
        {"fat-tree:16", "leaf:even", 15, "4"},
        {"fat-tree:16", "leaf:even", 14, "5@12,0,1,2,3,4,13,5,6,7,8,9,10,11"},
        {"fat-tree:16", "host/leaf:even", 13, "5,4@12,0,1,2,3,4,5,6,7,8,9,10,11"},
        {"fat-tree:16", "leaf:fill", 16, "4"},
        {"fat-tree:16", "leaf:fill", 14, "4,4,3@0,1,2,3,4,5,6,7,8,9,11,12,13,10"},
        {"fat-tree:16", "host/leaf:fill", 13, "4,3,3@0,1,2,3,4,7,6,8,9,11,12,5,10"},
        {"fat-tree:16", "leaf:fill", 6, "3@0,1,3,4,5,2"},
        {"dragonfly:72", "router/group:even", 10, "4,3/10@9,0,1,2,3,4,5,6,7,8"},
        {"dragonfly:72", "router/group:even", 39,
         "3/21@0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
         "16,17,36,37,38,18,19,20,21,22,23,24,25,26,27,28,"
         "29,30,31,32,33,34,35"},
        {"dragonfly:72", "router/group:even", 54, "3/18"},
        {"dragonfly:72", "host/router/quad", 54, "3/12"},
        {"torus:4x4x4", "row/plane:even", 18, "4,4,4,6/18"},
        {"torus:4x4x4", "row/plane:even", 33, "4,4,4,4,4,4,4,5/16,17"},
        {"torus:4x4x4", "row/plane:even", 44, "4/16"},
        {"torus:2x2x8", "row/plane:even", 16, "2/4@0,1,2,3,8,9,10,11,12,13,14,15,4,5,6,7"},
        {"torus:2x2x8", "row/plane:even", 28, "2/4"},
        {"torus:4x4x4", "row/plane:even", 4, NULL},
        {"torus:2x2x8", "row/plane:fold", 16, "2/4@0,1,2,3,8,9,10,11,12,13,14,15,4,5,6,7"},
        {"torus:2x2x8", "row/plane:fold", 19, "2/4@0,1,2,3,8,9,10,11,12,13,14,15,4,5,6,7,16,17,18"},
        {"torus:2x8x2", "row/plane:fold", 27,
         "2/16@0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,20,21,24,25,22,23,18,19,26"},
        {"torus:2x2x4", "row/plane:across", 12, "2/6@0,1,4,5,8,9,2,3,6,7,10,11"},
        {"torus:2x2x4", "host/row/plane:across", 9, "2,3/5@0,1,4,5,8,2,3,6,7"},
        {"torus:4x4", "row:across", 6, "2,2,1@0,4,1,5,2,3"},
        {"torus:4x3", "host:across", 6, "1@1,2,3,0,4,5"},
        {"torus:2x2x2", "host:across", 2, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct sup_error error;
        char *owned;
        make_platform("crossbar:2");
        struct point point = point_of(rb_algorithm_find("allgather", "exchange"), 24, 0);
        point.plan.p = known[i].p;
        point.platform_text = known[i].platform;
        point.plan.groups = known[i].groups;
        assert_int_equal(point_find_groups(&point, &owned, &error), RB_OK);
        if (known[i].sizes != NULL)
            assert_string_equal(point.plan.groups, known[i].sizes);
        free(owned);
    }
}

/* Parts across are parts of a torus. */
static void nothing_across(void **state)
{
    static const char *const known[][2] = {{"dragonfly:72", "host:across"},
                                           {"fat-tree:16", "leaf:across"},
                                           {"torus:4x6", "row/plane:across"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct sup_error error;
        char *owned;
        make_platform("crossbar:2");
        struct point point = point_of(rb_algorithm_find("allgather", "exchange-rings"), 16, 0);
        point.platform_text = known[i][0];
        point.plan.groups = known[i][1];
        assert_int_equal(point_find_groups(&point, &owned, &error), RB_EINVAL);
        free(owned);
    }
}

/* Whatever of a torus is there, steps on the way round it are two hops at most, and its last part
 * comes last; round 100 of 8 x 8 x 16 all are one. */
static void ways_round_grids(void **state)
{
    static const struct {
        const char *platform;
        int32_t terminals, parts;
    } known[] = {{"torus:8x8x16", 1, 300}, {"torus:8x8x16", 8, 128}, {"torus:8x8x16", 64, 16},
                 {"torus:4x6", 1, 24},     {"torus:5x3x4", 1, 60},   {"torus:2x3x5", 1, 30},
                 {"torus:3x4x2x3", 1, 72}, {"torus:4x3x4", 4, 12},   {"torus:9", 1, 9}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct platform_cuts cuts;
        struct sup_error error;
        assert_int_equal(platform_find_cuts(known[i].platform, &cuts, &error), RB_OK);
        for (int32_t count = 1; count <= known[i].parts; count++) {
            enum { MOST = 300 };
            struct {
                int64_t key;
                int32_t part;
            } at[MOST];
            for (int32_t part = 0; part < count; part++) {
                const int64_t key = platform_cuts_cycle(&cuts, known[i].terminals, count, part);
                int32_t before = part;
                for (; before > 0 && at[before - 1].key > key; before--)
                    at[before] = at[before - 1];
                assert_true(before == 0 || at[before - 1].key < key);
                at[before].key = key;
                at[before].part = part;
            }
            assert_int_equal(at[count - 1].part, count - 1);
            const bool near = i == 0 && count == 100;
            for (int32_t j = 0; j < count; j++) {
                const int32_t hops =
                    platform_cuts_hops(&cuts, at[j].part * known[i].terminals,
                                       at[(j + 1) % count].part * known[i].terminals);
                if (hops > (near ? 1 : 2))
                    fail_msg("%s, %d of %d terminals: %d hops from %d to %d", known[i].platform,
                             (int)count, (int)known[i].terminals, (int)hops, (int)at[j].part,
                             (int)at[(j + 1) % count].part);
            }
        }
    }
}

/* Each rank has one place, whatever the placement, and plans are right. */
static void plans_without_small_groups(void **state)
{
    static const char *const words[][2] = {{"dragonfly:72", "host/router/group:even"},
                                           {"dragonfly:72", "router:even"},
                                           {"dragonfly:72", "host/router/quad:1"},
                                           {"dragonfly:72", "router:fill"},
                                           {"torus:4x3x6", "row/plane:across"},
                                           {"torus:4x3x6", "row:across"},
                                           {"torus:4x3x6", "host:across"}};
    enum { WORDS = sizeof words / sizeof words[0] };
    struct sim_placement random = {.rule = SIM_RANDOM};
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct sup_error error;
        struct rb_verdict verdict;
        struct rb_plan *plan;
        char *owned;
        make_platform("crossbar:2");
        struct point point = point_of(rb_algorithm_find("allreduce", "exchange"), 24, 0);
        point.plan.p = 2 + (int32_t)seed * 5 / 3;
        point.platform_text = words[seed % WORDS][0];
        point.plan.groups = words[seed % WORDS][1];
        random.seed = seed;
        point.placement_rule = &random;
        if (point_find_groups(&point, &owned, &error) != RB_OK)
            fail_msg("%s", error.text);
        assert_int_equal(rb_plan_create(&point.plan, &plan, NULL, 0), RB_OK);
        if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
            fail_msg("seed %d, %s: %s", (int)seed, point.plan.groups, verdict.what);
        rb_plan_destroy(plan);
        free(owned);
    }
}

/* Where each rank has a host for itself, hosts are no level, and what is dealt out comes in the
 * same order. */
static void hosts_of_one_rank_are_no_level(void **state)
{
    static const char *const words[] = {"row/plane:across", "host/row/plane:across"};
    struct sim_placement random = {.rule = SIM_RANDOM};
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct sup_error error;
        char *owned[2];
        for (int k = 0; k < 2; k++) {
            make_platform("crossbar:2");
            struct point point = point_of(rb_algorithm_find("allreduce", "exchange"), 24, 0);
            point.platform_text = "torus:4x3x6";
            point.plan.groups = words[k];
            random.seed = seed;
            point.placement_rule = &random;
            assert_int_equal(point_find_groups(&point, &owned[k], &error), RB_OK);
        }
        assert_string_equal(owned[0], owned[1]);
        free(owned[0]);
        free(owned[1]);
    }
}

int main(int argc, char *argv[])
{
    if (argc == 2 && strcmp(argv[1], "long") == 0)
        chosen = &large;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_grids),
        cmocka_unit_test(groups_without_small_ones),
        cmocka_unit_test(plans_without_small_groups),
        cmocka_unit_test(hosts_of_one_rank_are_no_level),
        cmocka_unit_test(nothing_across),
        cmocka_unit_test(ways_round_grids),
        cmocka_unit_test(the_best_of_all_n),
        cmocka_unit_test(nothing_takes_less_than_its_least_time),
        cmocka_unit_test(by_analogy),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(without_latency_each_byte_is_a_block),
        cmocka_unit_test(candidates),
        cmocka_unit_test(the_runner_up_is_of_another_algorithm),
        cmocka_unit_test(groups_of_machines),
        cmocka_unit_test(on_platforms_with_contention),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    point_known_platform_free(&platform);
    return failed;
}
