/* Algorithms of two levels, over groups and inside them: their plans for all kinds of groups, their
 * closed forms, their messages, and the groups that lanes refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/patterns/levels.h"
#include "schedules/plan/plan.h"
#include "tests/fitting.h"

static int32_t verified, ordered;

static void verify(const struct rb_plan_spec *spec, const struct rb_counts *counts)
{
    struct rb_plan *plan;
    struct rb_verdict verdict;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p=%d groups %s: %s", spec->collective, spec->algorithm, (int)spec->p,
                 spec->groups, why);
    struct rb_layout layout = {.bytes = 4 * 7 * (int64_t)spec->p, .element = 4};
    int64_t *first = NULL;
    if (counts != NULL) {
        first = malloc(((size_t)spec->p + 1) * sizeof *first);
        rb_counts_deal(counts, spec->p, 1, layout.bytes / layout.element, first);
        layout.first = first;
    }
    if (rb_verify_plan(plan, counts == NULL ? NULL : &layout, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm %s -p %d -n %d --root %d --groups "
                 "%s: %s",
                 spec->collective, spec->algorithm, (int)spec->p, (int)spec->n, (int)spec->root,
                 spec->groups, verdict.what);
    if (rb_plan_algorithm(plan)->one_per_port)
        assert_true(verdict.group_messages <= 1);
    assert_true(verdict.rounds >= rb_bound_rounds(plan));
    int64_t stated;
    if (rb_plan_critical_volume(plan, &stated) == RB_OK && stated != verdict.critical_volume)
        fail_msg("%s %s p=%d n=%d groups %s: C2 is %d blocks, by its formula %d", spec->collective,
                 spec->algorithm, (int)spec->p, (int)spec->n, spec->groups,
                 (int)verdict.critical_volume, (int)stated);
    free(first);
    rb_plan_destroy(plan);
    verified++;
}

static void plans_are_right(void **state)
{
    (void)state;
    static const char *const groups[] = {"1",  "2", "3", "4", "6", "8", "40", "3,1,4,1,5,9,2,6",
                                         "1,2"};
    static const struct rb_counts random = {.rule = RB_COUNTS_RANDOM, .seed = 3};
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        const struct rb_algorithm *algorithm =
            rb_algorithm_named(info->collective, info->name, NULL, 0);
        const struct rb_collective_info *collective = rb_collective_find(info->collective);
        assert_int_equal(algorithm->stages != NULL, has_two_levels(info));
        if (algorithm->stages == NULL)
            continue;
        for (int32_t p = 1; p <= 24; p += 1 + p / 13)
            for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
                for (int64_t n = 1; n <= 4; n += 3) {
                    struct rb_plan_spec spec = {.collective = info->collective,
                                                .algorithm = info->name,
                                                .p = p,
                                                .n = n,
                                                .groups = groups[g]};
                    if (!rb_plan_is_supported(&spec))
                        continue;
                    for (; spec.root < (collective->rooted ? p : 1); spec.root += 1 + p / 5)
                        verify(&spec, NULL);
                    spec.root = 0;
                    if (collective->distributed)
                        verify(&spec, &random);
                    spec.ordered = algorithm->ordered_for_root_0;
                    if (spec.ordered) {
                        verify(&spec, NULL);
                        ordered++;
                    }
                }
    }
    assert_true(verified > 10000);
    assert_true(ordered > 1000);
}

/* For root 4, groups of 0 to 2, 3 to 5, and 6. */
static void messages_are_those_of_the_parts(void **state)
{
    (void)state;
    static const struct {
        int64_t round;
        int32_t from, to;
    } known[] = {{0, 4, 0}, {1, 4, 6}, {2, 0, 2}, {2, 4, 3}, {3, 0, 1}, {3, 4, 5}};
    const struct rb_plan_spec spec = {.collective = "bcast",
                                      .algorithm = "binomial-over-binomial",
                                      .p = 7,
                                      .root = 4,
                                      .n = 1,
                                      .groups = "3"};
    struct rb_plan *plan;
    size_t seen = 0;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_rounds(plan), 4);
    for (int64_t t = 0; t < 4; t++)
        for (int32_t rank = 0; rank < 7; rank++) {
            struct rb_rank of_rank;
            struct rb_op op;
            rb_plan_rank(plan, rank, &of_rank);
            if (rb_plan_round(plan, &of_rank, t, &op) == 0 || op.kind != RB_SEND)
                continue;
            assert_true(seen < sizeof known / sizeof known[0]);
            assert_int_equal(t, known[seen].round);
            assert_int_equal(rank, known[seen].from);
            assert_int_equal(op.peer, known[seen].to);
            seen++;
        }
    assert_int_equal(seen, sizeof known / sizeof known[0]);
    rb_plan_destroy(plan);
}

/* For every root, what lanes send to another group goes to the same place there. */
static void lanes_go_by_place(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"binomial-in-lanes", "circulant-in-lanes"};
    int32_t crossing = 0;
    for (int32_t i = 0; i < 2 * 20; i++) {
        const struct rb_plan_spec spec = {.collective = i < 20 ? "bcast" : "reduce",
                                          .algorithm = algorithms[i % 2],
                                          .p = 20,
                                          .root = i % 20,
                                          .n = 3,
                                          .groups = "4"};
        struct rb_plan *plan;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
        for (int32_t rank = 0; rank < 20; rank++) {
            struct rb_rank of_rank;
            rb_plan_rank(plan, rank, &of_rank);
            for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
                for (int32_t k = rb_plan_round(plan, &of_rank, t, ops) - 1; k >= 0; k--) {
                    if (ops[k].peer / 4 == rank / 4)
                        continue;
                    assert_int_equal(ops[k].peer % 4, rank % 4);
                    crossing++;
                }
        }
        free(ops);
        rb_plan_destroy(plan);
    }
    assert_true(crossing > 1000);
}

/* By the closed form; INFINITY where there is none, as with a block that has no byte. */
static double cost_of(struct rb_plan_spec spec, int64_t n, int64_t bytes)
{
    const struct rb_layout layout = {.bytes = bytes, .element = 1};
    struct rb_plan *plan;
    double time_s = INFINITY;
    spec.n = n;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    if (rb_plan_cost(plan, &layout, 1e-6, 1e-9, &time_s) != RB_OK)
        time_s = INFINITY;
    rb_plan_destroy(plan);
    return time_s;
}

static bool has_lanes(const struct rb_algorithm *algorithm)
{
    bool any = false;
    for (int32_t i = 0; i < RB_MOST_STAGES && algorithm->stages[i].algorithm != NULL; i++)
        any |= algorithm->stages[i].level == RB_LANES;
    return any;
}

/* A block more takes one round more in each stage that is pipelined. */
static void check_per_block(const struct rb_plan_spec *spec)
{
    int64_t rounds[2], per_block, fixed;
    for (int i = 0; i < 2; i++) {
        struct rb_plan_spec with = *spec;
        struct rb_plan *plan;
        with.n = 50 + i;
        assert_int_equal(rb_plan_create(&with, &plan, NULL, 0), RB_OK);
        rounds[i] = rb_plan_rounds(plan);
        plan->algorithm->pipeline(plan, &per_block, &fixed);
        rb_plan_destroy(plan);
    }
    if (rounds[1] - rounds[0] != per_block)
        fail_msg("%s %s groups %s: %d rounds per block, not %d", spec->collective, spec->algorithm,
                 spec->groups, (int)(rounds[1] - rounds[0]), (int)per_block);
}

/* The best n is the one with the least time of all n. The closed form gives each lane a port of its
 * own, and the best n lets the lanes of a group share one, so that m is K times as long. */
static void best_n_is_that_of_the_closed_form(void **state)
{
    (void)state;
    static const char *const groups[] = {"2", "5", "16"};
    int32_t compared = 0;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        const struct rb_algorithm *algorithm =
            rb_algorithm_named(info->collective, info->name, NULL, 0);
        if (algorithm->stages == NULL || algorithm->pipeline == NULL)
            continue;
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
            const struct rb_plan_spec spec = {.collective = info->collective,
                                              .algorithm = info->name,
                                              .p = 80,
                                              .groups = groups[g]};
            if (!has_lanes(algorithm))
                check_per_block(&spec);
            const int64_t m = 400000, bytes = has_lanes(algorithm) ? m * atoi(groups[g]) : m;
            int64_t best;
            assert_int_equal(rb_best_n(&spec, m, 1e-6, 1e-9, &best), RB_OK);
            const double found_s = cost_of(spec, best, bytes);
            for (int64_t n = 1; n <= 4 * best + 8; n++)
                if (cost_of(spec, n, bytes) < found_s * (1 - 1e-9))
                    fail_msg("%s %s groups %s: n = %d takes %g s, n = %d only %g s",
                             info->collective, info->name, groups[g], (int)best, found_s, (int)n,
                             cost_of(spec, n, bytes));
            compared++;
        }
    }
    assert_true(compared > 20);
}

static void lanes_need_equal_groups(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "chain-in-lanes", .p = 10, .n = 2, .groups = "4"};
    struct rb_plan *plan;
    char why[256];
    assert_false(rb_plan_is_supported(&spec));
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_null(plan);
    assert_string_equal(why, "bcast chain-in-lanes needs groups of equal sizes: 10 ranks can't be "
                             "in groups of 4");
    spec.groups = "3,1";
    spec.p = 8;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_ENOTSUP);
    spec.groups = "4";
    assert_true(rb_plan_is_supported(&spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_right),
        cmocka_unit_test(messages_are_those_of_the_parts),
        cmocka_unit_test(lanes_go_by_place),
        cmocka_unit_test(best_n_is_that_of_the_closed_form),
        cmocka_unit_test(lanes_need_equal_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
