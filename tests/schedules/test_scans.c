/* test_scans.c - exclusive scans that double: in rank order, with the rounds and combinations that
 * Traeff's abstracts state, for p up to 300. Scans by halving: in rank order, with 2 q rounds and 2
 * (p - 1) shares per rank, for p up to 48; with the argument "long" up to 320. Over groups: in rank
 * order, with the rounds and what passes between groups that docs/groups.md states, for p up to 40,
 * or 130, with groups of every size, and for groups of random sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "schedules/plan/random.h"

static int32_t most_ranks = 48;

/* In lockstep, with a byte for each block. */
static void verify_cost(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    struct rb_verdict verdict;
    double cost_s;
    assert_int_equal(rb_plan_create(spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    const struct rb_layout layout = {.bytes = rb_plan_blocks(plan), .element = 1};
    assert_int_equal(rb_plan_cost(plan, &layout, 1, 1, &cost_s), RB_OK);
    assert_float_equal(cost_s, (double)(verdict.rounds + verdict.critical_volume), 1e-6);
    rb_plan_destroy(plan);
}

static void verify(const char *collective, int32_t p, int64_t n)
{
    const struct rb_plan_spec spec = {
        .collective = collective, .algorithm = "halving", .p = p, .n = n, .ordered = true};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm halving -p %d -n %d --ordered: %s",
                 collective, p, (int)n, verdict.what);
    assert_int_equal(verdict.rounds, 2 * rb_ceil_log2(p));
    assert_int_equal(verdict.critical_volume, 2 * n * (p - 1));
    /* Rank p - 1 sends nothing up, and nothing goes down to ranks that begin with rank 0. */
    assert_true(verdict.moves <= 2 * n * (p - 1) * p);
    rb_plan_destroy(plan);
    if (p > 1)
        verify_cost(&spec);
}

static void every_number_of_ranks(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= most_ranks; p++)
        for (int64_t n = 1; n <= (p <= 17 ? 3 : 1); n += 2) {
            verify("scan", p, n);
            verify("exscan", p, n);
        }
}

/* How often the rank combines that does so most often. */
static int64_t most_combinations(const struct rb_plan *plan)
{
    struct rb_op ops[4];
    int64_t most = 0;
    assert_true(rb_plan_max_ops(plan) <= 4);
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        int64_t combinations = 0;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
            for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--)
                combinations += ops[i].kind == RB_REDUCE || ops[i].kind == RB_RECV_REDUCE;
        most = combinations > most ? combinations : most;
    }
    return most;
}

/* A rank combines at most rounds - 1 + more times. */
static void verify_doubling(const char *algorithm, int32_t p, int64_t rounds, int64_t more)
{
    const struct rb_plan_spec spec = {
        .collective = "exscan", .algorithm = algorithm, .p = p, .n = 1, .ordered = true};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective exscan --algorithm %s -p %d -n 1 --ordered: %s",
                 algorithm, (int)p, verdict.what);
    assert_int_equal(verdict.rounds, rounds);
    const int64_t most = most_combinations(plan), stated = rounds > 0 ? rounds - 1 + more : 0;
    if (most > stated)
        fail_msg("%s, p = %d: a rank combines %d times, not %d", algorithm, (int)p, (int)most,
                 (int)stated);
    rb_plan_destroy(plan);
}

/* The formulas of arXiv 2507.04785 and of the abstract of arXiv 2604.25667: q' is at least q -
 * log2(2^q - p + 1); the additional combinations of the other depend on the bits set in p - 1. */
static void doubling_has_its_rounds_and_combinations(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 300; p++) {
        const int64_t q = p > 1 ? (int64_t)ceil(log2(p) - 1e-9) : 0;
        const int64_t inclusive =
            p > 1 ? (int64_t)ceil((double)q - log2(exp2((double)q) - p + 1) - 1e-9) : 1;
        const int64_t bits = p > 1 ? __builtin_popcount((uint32_t)p - 1) : 1;
        const int64_t of_123 = p > 2 ? (int64_t)ceil(log2(p - 1) + log2(4.0 / 3) - 1e-9) : p - 1;
        verify_doubling("doubling-123", p, of_123, p > 2);
        verify_doubling("two-phase", p, q, inclusive - 1);
        verify_doubling("census", p, q, bits - 1);
        assert_true(inclusive <= bits);
    }
}

/* What is kept for another share in a slot is not what is there by its own name. */
static void slots_have_places_of_their_own(void **state)
{
    const struct rb_plan_spec spec = {.collective = "scan", .algorithm = "halving", .p = 6, .n = 4};
    struct rb_plan *plan;
    (void)state;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_slot_blocks(plan), 4);
    const struct rb_range one = {RB_TMP, 2, 20, 4}, same = {RB_TMP, 2, 4, 1},
                          after = {RB_TMP, 3, 20, 4}, named = {RB_DST, 0, 20, 4};
    assert_true(rb_plan_overlap(plan, &one, &same));
    assert_false(rb_plan_overlap(plan, &one, &after));
    assert_false(rb_plan_overlap(plan, &one, &named));
    assert_int_equal(rb_plan_location(plan, &one).first, 8);
    assert_int_equal(rb_plan_location(plan, &after).first, 12);
    assert_int_equal(rb_plan_location(plan, &named).first, 20);
    rb_plan_destroy(plan);
}

static int32_t floor_log2(int32_t number)
{
    return number < 2 ? 0 : 1 + floor_log2(number / 2);
}

/* Blocks and messages that leave this group, and the most messages of a round. */
struct leaving {
    int64_t blocks, most;
};

static struct leaving count_leaving(const struct rb_plan *plan, int32_t group, struct rb_op ops[])
{
    const struct rb_groups *groups = rb_plan_groups(plan);
    struct leaving all = {0};
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        int64_t messages = 0;
        for (int32_t rank = rb_group_first(groups, group); rank < rb_group_first(groups, group + 1);
             rank++) {
            struct rb_rank state;
            rb_plan_rank(plan, rank, &state);
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            for (int32_t i = 0; i < count && ops[i].kind == RB_SEND; i++)
                if (rb_group_of(groups, ops[i].peer) != group) {
                    all.blocks += ops[i].at.count;
                    messages += i == 0;
                }
        }
        all.most = messages > all.most ? messages : all.most;
    }
    return all;
}

/* What leaves a group, in blocks and in messages of a round, is at most this. */
static void verify_groups(const struct rb_plan_spec *spec, struct leaving most, int64_t rounds)
{
    struct rb_plan *plan;
    struct rb_verdict verdict;
    char why[400];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK ||
        rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm %s -p %d -n %d --groups %s "
                 "--radix %d --ordered",
                 spec->collective, spec->algorithm, (int)spec->p, (int)spec->n, spec->groups,
                 (int)spec->radix);
    assert_int_equal(verdict.rounds, rounds);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int32_t g = 0; g < rb_plan_groups(plan)->count; g++) {
        const struct leaving leaving = count_leaving(plan, g, ops);
        assert_true(leaving.blocks <= most.blocks);
        assert_true(leaving.most <= most.most);
    }
    free(ops);
    rb_plan_destroy(plan);
}

struct sizes {
    int32_t count, smallest, largest;
    bool folded; /* some are no powers of two */
};

/* Of so many groups taken together; the last ones have those that are left. */
static struct sizes sizes_of(const int32_t sizes[], int32_t count, int32_t together)
{
    const int32_t clusters = count / together > 0 ? count / together : 1;
    struct sizes of = {clusters, INT32_MAX, 0, false};
    for (int32_t i = 0; i < clusters; i++) {
        int32_t size = 0;
        for (int32_t g = i * together; g < (i + 1 < clusters ? (i + 1) * together : count); g++)
            size += sizes[g];
        of.smallest = size < of.smallest ? size : of.smallest;
        of.largest = size > of.largest ? size : of.largest;
        of.folded = of.folded || (size & (size - 1)) != 0;
    }
    return of;
}

/* Between clusters all lanes travel whole in each round. */
static void verify_mixed(struct rb_plan_spec spec, const int32_t sizes[], int32_t count)
{
    const int32_t largest = sizes_of(sizes, count, 1).largest;
    spec.algorithm = "halving-dissemination";
    for (spec.radix = 2; spec.radix <= spec.p; spec.radix += 1 + spec.radix / 2) {
        const int32_t together = spec.radix > largest ? spec.radix / largest : 1;
        const struct sizes of = sizes_of(sizes, count, together);
        const int64_t lanes = (int64_t)1 << floor_log2(of.smallest);
        const int32_t q = rb_ceil_log2(of.count);
        struct leaving most = {INT64_MAX, INT64_MAX};
        if (together == 1)
            most = (struct leaving){q * spec.n * lanes, lanes};
        verify_groups(&spec, most, 2 * (of.folded + floor_log2(of.largest)) + q);
        if (largest == 1 && spec.p > 1)
            verify_cost(&spec);
    }
}

static void verify_all(int32_t p, const char *text, const int32_t sizes[], int32_t count,
                       bool exclusive)
{
    const struct sizes of = sizes_of(sizes, count, 1);
    const int64_t n = 1 + p % 2, lanes = (int64_t)1 << floor_log2(of.smallest);
    struct rb_plan_spec spec = {.collective = exclusive ? "exscan" : "scan",
                                .algorithm = "hosts",
                                .p = p,
                                .n = n,
                                .groups = text,
                                .ordered = true};
    verify_groups(&spec, (struct leaving){2 * (count - 1) * n * lanes, lanes},
                  2 * (of.folded + floor_log2(of.largest) + rb_ceil_log2(count)));
    verify_mixed(spec, sizes, count);
}

static void groups_of_every_size(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= (most_ranks > 48 ? 130 : 40); p++)
        for (int32_t size = 1; size <= p; size++) {
            char text[16];
            int32_t sizes[130], count = 0;
            for (int32_t left = p; left > 0; left -= size)
                sizes[count++] = left < size ? left : size;
            snprintf(text, sizeof text, "%d", (int)size);
            verify_all(p, text, sizes, count, false);
            verify_all(p, text, sizes, count, true);
        }
}

static void groups_of_random_sizes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (most_ranks > 48 ? 600 : 60); seed++) {
        char text[128];
        size_t length = 0;
        int32_t p = 0, sizes[10];
        uint64_t random = seed;
        const int32_t count = 2 + (int32_t)rb_random_below(&random, 8);
        const uint32_t most = 1 + rb_random_below(&random, 14);
        for (int32_t g = 0; g < count; g++) {
            sizes[g] = 1 + (int32_t)rb_random_below(&random, most);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
                                       g == 0 ? "" : ",", (int)sizes[g]);
            p += sizes[g];
        }
        verify_all(p, text, sizes, count, seed % 2 == 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubling_has_its_rounds_and_combinations),
        cmocka_unit_test(every_number_of_ranks),
        cmocka_unit_test(slots_have_places_of_their_own),
        cmocka_unit_test(groups_of_every_size),
        cmocka_unit_test(groups_of_random_sizes),
    };
    if (argc > 1 && strcmp(argv[1], "long") == 0)
        most_ranks = 320;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
