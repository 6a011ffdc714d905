/* Alltoall over groups that share a port: right for groups of all sizes, radices, ports and counts;
 * with the rounds, and the blocks and messages between groups, that docs/groups.md states. With the
 * argument `long`, all p up to 130 with groups of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/plan/random.h"

static bool thorough;
static int64_t verified;

/* What passes between groups. */
struct crossing {
    int64_t blocks, messages;
    int64_t most; /* messages from one group to another one */
};

static struct crossing count_crossing(const struct rb_plan *plan)
{
    const struct rb_groups *groups = rb_plan_groups(plan);
    const size_t n = (size_t)groups->count;
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    int64_t *pairs = calloc(n * n, sizeof *pairs);
    struct crossing all = {0};
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            for (int32_t i = 0; i < count && ops[i].kind == RB_SEND; i++) {
                const int32_t from = rb_group_of(groups, rank),
                              to = rb_group_of(groups, ops[i].peer);
                if (from == to)
                    continue;
                all.blocks += ops[i].at.count;
                if (i > 0 && ops[i].peer == ops[i - 1].peer && ops[i].port == ops[i - 1].port)
                    continue;
                all.messages++;
                const int64_t of_pair = ++pairs[(size_t)from * n + (size_t)to];
                all.most = of_pair > all.most ? of_pair : all.most;
            }
        }
    }
    free(pairs);
    free(ops);
    return all;
}

/* What must pass between groups: what ranks have for ranks of other groups. */
static int64_t least_crossing(const struct rb_plan *plan)
{
    const struct rb_groups *groups = rb_plan_groups(plan);
    const int64_t p = rb_plan_ranks(plan);
    int64_t blocks = 0;
    for (int32_t group = 0; group < groups->count; group++) {
        const int64_t size = rb_group_size(groups, group);
        blocks += size * (p - size);
    }
    return blocks * rb_plan_n(plan);
}

static struct rb_plan *planned(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[400];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s hosts p=%d groups %s: %s", spec->collective, (int)spec->p, spec->groups, why);
    return plan;
}

static void verify(const struct rb_plan_spec *spec, enum rb_counts_rule rule)
{
    struct rb_plan *plan = planned(spec);
    const int32_t parts = rb_plan_parts(plan);
    const struct rb_counts counts = {.rule = rule, .seed = 5};
    struct rb_layout layout = {.bytes = 12 * (int64_t)spec->p * parts, .element = 4};
    struct rb_verdict verdict;
    int64_t *first = NULL;
    if (rule != RB_COUNTS_REGULAR) {
        first = malloc(((size_t)spec->p * (size_t)parts + 1) * sizeof *first);
        rb_counts_deal(&counts, spec->p, parts, layout.bytes / layout.element, first);
        layout.first = first;
    }
    if (rb_verify_plan(plan, &layout, &verdict) != RB_OK)
        fail_msg(
            "roundabout verify --collective alltoall --algorithm hosts -p %d -n %d --groups %s "
            "--radix %d --ports %d: %s",
            (int)spec->p, (int)spec->n, spec->groups, (int)spec->radix, (int)spec->ports,
            verdict.what);
    assert_int_equal(verdict.redundant, 0);
    if (rule == RB_COUNTS_REGULAR && rb_plan_radix(plan) >= rb_plan_groups(plan)->count)
        assert_int_equal(count_crossing(plan).blocks, least_crossing(plan));
    free(first);
    rb_plan_destroy(plan);
    verified++;
}

static const enum rb_counts_rule rules[] = {RB_COUNTS_REGULAR, RB_COUNTS_MOD3, RB_COUNTS_DEGENERATE,
                                            RB_COUNTS_RANDOM};

static void exchanges(const struct rb_plan_spec *of, bool all_radices)
{
    struct rb_plan_spec spec = *of;
    const int32_t most = spec.p > 2 ? spec.p : 2;
    spec.collective = "alltoall";
    for (spec.radix = 0; spec.radix <= most; spec.radix += spec.radix == 0 ? 2 : 1) {
        if (!all_radices && spec.radix > 3)
            break;
        char why[400];
        struct rb_plan *plan;
        const int status = rb_plan_create(&spec, &plan, why, sizeof why);
        if (status == RB_ENOTSUP) /* too much memory: never for these sizes without a radix */
            assert_true(spec.radix != 0 && spec.p > 40);
        else
            verify(&spec, rules[verified % 4]);
        rb_plan_destroy(status == RB_OK ? plan : NULL);
    }
}

static void groups_of_all_sizes(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= (thorough ? 130 : 20); p++)
        for (int32_t size = 1; size <= p; size++) {
            char text[16];
            snprintf(text, sizeof text, "%d", (int)size);
            for (int32_t ports = 1; ports <= (p <= 20 ? 3 : 1); ports++) {
                const struct rb_plan_spec spec = {
                    .algorithm = "hosts", .p = p, .n = 1 + p % 3, .ports = ports, .groups = text};
                exchanges(&spec, p <= (thorough ? 24 : 12));
            }
        }
}

static void groups_of_unequal_sizes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (thorough ? 600 : 60); seed++) {
        char text[128];
        size_t length = 0;
        uint64_t random = seed;
        const int32_t count = 2 + (int32_t)rb_random_below(&random, 8);
        const uint32_t most = 1 + rb_random_below(&random, thorough ? 14 : 7);
        struct rb_plan_spec spec = {
            .algorithm = "hosts", .n = 2, .ports = 1 + (int32_t)(seed % 3), .groups = text};
        for (int32_t g = 0; g < count; g++) {
            const int32_t size = 1 + (int32_t)rb_random_below(&random, most);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
                                       g == 0 ? "" : ",", (int)size);
            spec.p += size;
        }
        exchanges(&spec, seed % 8 == 0);
    }
}

/* Rounds and messages of equal groups, by hand: p, K, radix, ports; rounds; messages from a group
 * to another one. */
static void known_figures(void **state)
{
    (void)state;
    static const struct {
        int32_t p, size, radix, ports;
        int64_t rounds, most;
    } known[] = {
        {100, 4, 0, 1, 2 + 6 + 2, 1},         /* 24 messages by 4 ranks */
        {100, 4, 0, 6, 2 + 1 + 2, 1},         /* at once on 6 ports */
        {100, 4, 5, 1, 2 + 1 + 2 + 1 + 2, 1}, /* two digits of 4 values, a round each */
        {132, 4, 0, 1, 2 + 8 + 2, 1},         /* 32 messages by 4 ranks */
        {20, 10, 0, 1, 4 + 1 + 4, 10},        /* one other group: a piece for each rank */
        {24, 6, 0, 1, 3 + 1 + 3, 2},          /* 3 others, 6 ranks: 2 pieces each */
        {25, 5, 0, 1, 3 + 1 + 3, 1},          {7, 7, 0, 1, 3, 0}, {7, 1, 0, 1, 6, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", (int)known[i].size);
        const struct rb_plan_spec spec = {.collective = "alltoall",
                                          .algorithm = "hosts",
                                          .p = known[i].p,
                                          .n = 1,
                                          .ports = known[i].ports,
                                          .radix = known[i].radix,
                                          .groups = text};
        struct rb_plan *plan = planned(&spec);
        assert_int_equal(rb_plan_rounds(plan), known[i].rounds);
        assert_int_equal(count_crossing(plan).most, known[i].most);
        rb_plan_destroy(plan);
    }
}

/* Two ranks' data of equal distance at one rank have places of their own; TMP of equal groups of
 * K <= N - 1 ranks has a row for each of p, if K divides N - 1. */
static void rows_of_tmp(void **state)
{
    (void)state;
    static const struct {
        int32_t p, radix, rows;
        const char *groups;
    } known[] = {{100, 0, 100, "4"}, {100, 5, 100, "4"}, {132, 0, 132, "4"}, {20, 0, 20, "10"},
                 {32, 2, 32, "8"},   {6, 0, 6, "6"},     {6, 0, 6, "1"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {.collective = "alltoall",
                                          .algorithm = "hosts",
                                          .p = known[i].p,
                                          .n = 1,
                                          .radix = known[i].radix,
                                          .groups = known[i].groups};
        struct rb_plan *plan = planned(&spec);
        assert_int_equal(rb_plan_rows(plan, RB_TMP), known[i].rows);
        assert_int_equal(rb_plan_rows(plan, RB_DST), known[i].p);
        rb_plan_destroy(plan);
    }
}

/* Groups so unequal that forwarded data would need too much memory. */
static void too_unequal(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "alltoall", .algorithm = "hosts", .p = 1000, .n = 1, .groups = "900,1,1,1,1"};
    struct rb_plan *plan;
    char why[400];
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_string_equal(why,
                        "alltoall hosts has no plan of radix 6 for groups of 1 to 900 ranks: what "
                        "ranks forward would need over 64 times the memory of their data; larger "
                        "radices, or more equal groups, need less");
}

int main(int argc, char **argv)
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_all_sizes), cmocka_unit_test(groups_of_unequal_sizes),
        cmocka_unit_test(known_figures),       cmocka_unit_test(rows_of_tmp),
        cmocka_unit_test(too_unequal),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%lld plans\n", (long long)verified);
    return failed;
}
