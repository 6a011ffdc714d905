/* test_exchange.c - the exchange by levels: proved for groups of equal and unequal sizes, groups of
 * groups and orders of ranks; its rounds; and how its columns spread. With the argument `long`,
 * more of the same. */
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

static const char *const collectives[] = {"allgather", "reduce-scatter", "allreduce", "alltoall"};
enum { ALLTOALL = 3, MOST_ALLTOALL = 26 };

static struct rb_plan *planned(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p=%d radix %d groups %s: %s", spec->collective, spec->algorithm,
                 (int)spec->p, (int)spec->radix, spec->groups, why);
    return plan;
}

/* Right, and each block moves once to each rank but its own; of an alltoall directly, at most once
 * in a stage. */
static void prove(struct rb_plan_spec *spec, const struct rb_layout *layout, int32_t stages)
{
    for (size_t c = 0; c < sizeof collectives / sizeof collectives[0]; c++) {
        struct rb_verdict verdict;
        spec->collective = collectives[c];
        if (c == ALLTOALL && (layout != NULL || spec->p > MOST_ALLTOALL ||
                              strcmp(spec->algorithm, "exchange-rings") == 0))
            continue;
        struct rb_plan *plan = planned(spec);
        if (rb_verify_plan(plan, c < 2 ? layout : NULL, &verdict) != RB_OK)
            fail_msg("%s %s p=%d n=%d radix %d groups %s: %s", spec->collective, spec->algorithm,
                     (int)spec->p, (int)spec->n, (int)spec->radix, spec->groups, verdict.what);
        assert_int_equal(verdict.redundant, 0);
        if (layout == NULL && c != ALLTOALL)
            assert_int_equal(verdict.moves, rb_bound_moves(plan));
        if (c == ALLTOALL && strcmp(spec->algorithm, "exchange-direct") == 0)
            assert_true(verdict.moves <= stages * rb_bound_moves(plan));
        rb_plan_destroy(plan);
    }
}

/* By all kinds of stages. */
static void prove_all(int32_t p, const char *groups, int32_t levels)
{
    struct rb_plan_spec spec = {.algorithm = "exchange", .p = p, .n = 1 + p % 2, .groups = groups};
    for (spec.radix = 2; spec.radix < 2 + (1 << levels) && spec.radix <= (p > 2 ? p : 2);
         spec.radix++)
        prove(&spec, NULL, levels);
    spec.radix = 0;
    spec.algorithm = "exchange-direct";
    prove(&spec, NULL, levels);
    spec.algorithm = "exchange-rings";
    prove(&spec, NULL, levels);
}

static void groups_of_all_sizes(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= (thorough ? 75 : 33); p += thorough ? (p < 40 ? 1 : 7)
                                                        : p < 20 ? 1
                                                                 : 3)
        for (int32_t size = 1; size <= p; size++) {
            char text[16];
            snprintf(text, sizeof text, "%d", (int)size);
            prove_all(p, text, 2);
        }
}

/* Sizes of some levels and, every other time, an order of the ranks. */
static void draw_groups(uint64_t seed, char *text, int32_t *p, int32_t *levels)
{
    uint64_t random = seed;
    int32_t most = 2 + (int32_t)rb_random_below(&random, 5), order[128];
    *levels = 1 + (int32_t)rb_random_below(&random, 3);
    for (int32_t level = 0; level < *levels; level++, most *= 3)
        for (int32_t i = 0, sizes = 1 + (int32_t)rb_random_below(&random, 4); i < sizes; i++)
            text += sprintf(text, "%s%d",
                            i > 0       ? ","
                            : level > 0 ? "/"
                                        : "",
                            (int)(2 + rb_random_below(&random, (uint32_t)most)));
    *p = 3 + (int32_t)rb_random_below(&random, thorough ? 120 : 60);
    for (int32_t i = 0; i < *p; i++)
        order[i] = i;
    for (int32_t i = *p - 1; i > 0 && seed % 2 == 0; i--) {
        const int32_t other = (int32_t)rb_random_below(&random, (uint32_t)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int32_t i = 0; i < *p && seed % 2 == 0; i++)
        text += sprintf(text, "%c%d", i == 0 ? '@' : ',', (int)order[i]);
}

static void groups_of_groups(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (thorough ? 500 : 60); seed++) {
        char text[1024];
        int32_t p, levels;
        draw_groups(seed, text, &p, &levels);
        prove_all(p, text, levels + 1);
    }
}

/* Children of few and of many ranks: what is given away and what is dealt. */
static void unequal_children(void **state)
{
    static const char *const groups[] = {"6,6,4",       "8,8,8,5",     "8,8,7,6,5,8",  "9,1",
                                         "7,7,7,7,6,1", "5,1,5,1,5,1", "3,6,9",        "16,9,16",
                                         "2,2,2,9",     "4,3,2,1",     "1,2,3,4,5,6,7"};
    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (int32_t p = 2; p <= 60; p += thorough ? 1 : 11)
            prove_all(p, groups[i], 2);
}

static void irregular_counts(void **state)
{
    static const struct rb_counts counts[] = {{.rule = RB_COUNTS_MOD3, .seed = 0},
                                              {.rule = RB_COUNTS_DEGENERATE, .seed = 0},
                                              {.rule = RB_COUNTS_RANDOM, .seed = 1}};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int32_t radix = 2; radix <= 5; radix++) {
            struct rb_plan_spec spec = {
                .algorithm = "exchange", .p = 22, .n = 2, .radix = radix, .groups = "4,3/8,7"};
            int64_t first[23];
            rb_counts_deal(&counts[c], 22, 1, 1000, first);
            const struct rb_layout layout = {.bytes = 1000, .element = 1, .first = first};
            prove(&spec, &layout, 3);
        }
}

static void irregular_alltoall(void **state)
{
    enum { P = 22 };
    struct rb_plan_spec spec = {.collective = "alltoall", .algorithm = "exchange", .p = P, .n = 2};
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        const struct rb_counts counts = {.rule = seed % 2 == 0 ? RB_COUNTS_MOD3 : RB_COUNTS_RANDOM,
                                         .seed = seed};
        int64_t first[P * P + 1];
        struct rb_verdict verdict;
        rb_counts_deal(&counts, P, P, 1000, first);
        const struct rb_layout layout = {.bytes = 1000, .element = 1, .first = first};
        spec.radix = 2 + (int32_t)seed / 2;
        spec.groups = seed % 4 < 2 ? "4,3/8,7" : "2,5/9";
        struct rb_plan *plan = planned(&spec);
        if (rb_verify_plan(plan, &layout, &verdict) != RB_OK)
            fail_msg("radix %d, seed %d: %s", (int)spec.radix, (int)seed, verdict.what);
        rb_plan_destroy(plan);
    }
}

/* What ranks would forward needs too much memory. */
static void alltoall_refused(void **state)
{
    const struct rb_plan_spec spec = {.collective = "alltoall",
                                      .algorithm = "exchange-direct",
                                      .p = 4002,
                                      .n = 1,
                                      .groups = "2000,1/2001,1"};
    struct rb_plan *plan;
    char why[256];
    (void)state;
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_non_null(strstr(why, "over 64 times the memory"));
}

/* ceil(log2 C), or C - 1, of each stage; a round more for ranks without a column. */
static void check_rounds(const char *collective)
{
    static const struct {
        int32_t p, radix;
        const char *groups;
        int64_t rounds;
    } known[] = {{1056, 2, "8/96", 4 + 4 + 3},
                 {1056, 3, "8/96", 4 + 4 + 7},
                 {1056, 4, "8/96", 4 + 11 + 3},
                 {1056, 9, "8/96", 10 + 11 + 7},
                 {1024, 2, "8/96", 5 + 4 + 3},     /* dealt to the last group, or given away */
                 {1024, 6, "8/96", 20 + 4 + 3},    /* in two slices */
                 {1021, 2, "8/96", 5 + 4 + 1 + 3}, /* and inside it to the last router */
                 {100, 2, "32", 2 + 7 + 5},        /* dealt to 4 ranks, 28 columns */
                 {33, 2, "16", 2 + 15 + 4},        /* to one */
                 {92, 2, "9,7,7", 1 + 4 + 4},      /* given away */
                 {24, 0, "4/12", 1 + 2 + 3},       /* rings */
                 {1, 0, "4", 0},
                 {17, 2, "1", 5}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].radix == 0 && strcmp(collective, "alltoall") == 0)
            continue;
        struct rb_plan_spec spec = {.collective = collective,
                                    .algorithm = known[i].radix > 0 ? "exchange" : "exchange-rings",
                                    .p = known[i].p,
                                    .n = 1,
                                    .radix = known[i].radix,
                                    .groups = known[i].groups};
        struct rb_plan *plan = planned(&spec);
        if (rb_plan_rounds(plan) != known[i].rounds)
            fail_msg("%s p = %d, groups %s: %d rounds, not %d", collective, (int)spec.p,
                     spec.groups, (int)rb_plan_rounds(plan), (int)known[i].rounds);
        rb_plan_destroy(plan);
    }
}

static void stated_rounds(void **state)
{
    (void)state;
    check_rounds("allgather");
    check_rounds("alltoall");
}

/* On 11 groups of 12 x 8, no two ranks of eight send to one other group in a round, and in each
 * stage a rank sends as many blocks as it should. */
static void columns_spread(void **state)
{
    enum { P = 1056, EIGHT = 8, GROUP = 96 };
    struct rb_plan_spec spec = {
        .collective = "allgather", .algorithm = "exchange", .p = P, .n = 1, .groups = "8/96"};
    (void)state;
    for (spec.radix = 2; spec.radix <= 6; spec.radix += 4) {
        struct rb_plan *plan = planned(&spec);
        struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
        const int64_t rounds = spec.radix == 2 ? 4 : 10;
        for (int64_t t = 0; t < rounds; t++) {
            uint8_t met[P / EIGHT][P / GROUP] = {{0}};
            for (int32_t r = 0; r < P; r++) {
                struct rb_rank rank;
                rb_plan_rank(plan, r, &rank);
                assert_true(rb_plan_round(plan, &rank, t, ops) >= 2);
                assert_int_equal(ops[0].kind, RB_SEND);
                assert_int_equal(ops[0].peer % GROUP, r % GROUP);
                assert_int_equal(met[r / EIGHT][ops[0].peer / GROUP]++, 0);
            }
        }
        free(ops);
        rb_plan_destroy(plan);
    }
}

/* Slabs of a torus, three of 16 rows of two and one of 15: what the six ranks of the 16th rows have
 * goes to different columns, so no rank has more than one block above its share. */
static void those_beyond_spread(void **state)
{
    enum { P = 126, SLABS = 4, FIRST = 4, END = FIRST + 15 };
    const struct rb_plan_spec spec = {.collective = "allgather",
                                      .algorithm = "exchange-rings",
                                      .p = P,
                                      .n = 1,
                                      .groups = "2/32,32,32,30"};
    (void)state;
    struct rb_plan *plan = planned(&spec);
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    int32_t most = 0;
    for (int64_t t = FIRST; t < END; t++)
        for (int32_t r = 0; r < P; r++) {
            struct rb_rank rank;
            rb_plan_rank(plan, r, &rank);
            const int32_t count = rb_plan_round(plan, &rank, t, ops);
            int32_t sent = 0;
            for (int32_t i = 0; i < count; i++)
                sent += ops[i].kind == RB_SEND;
            most = sent > most ? sent : most;
        }
    assert_int_equal(most, SLABS + 1);
    free(ops);
    rb_plan_destroy(plan);
}

/* How many ranks send in round 0. */
static int32_t first_senders(int32_t p, const char *groups)
{
    const struct rb_plan_spec spec = {
        .collective = "allgather", .algorithm = "exchange", .p = p, .n = 1, .groups = groups};
    struct rb_plan *plan = planned(&spec);
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    int32_t senders = 0;
    for (int32_t r = 0; r < p; r++) {
        struct rb_rank rank;
        bool sends = false;
        rb_plan_rank(plan, r, &rank);
        for (int32_t i = 0, count = rb_plan_round(plan, &rank, 0, ops); i < count; i++)
            sends |= ops[i].kind == RB_SEND;
        senders += sends;
    }
    free(ops);
    rb_plan_destroy(plan);
    return senders;
}

/* Of 24 ranks as many columns as the smallest child has, if that is at least 21: three ranks of
 * each other child give first. Else 24: all but the smallest child's ranks begin, and deal later.
 */
static void few_ranks_beyond_the_smallest_give(void **state)
{
    (void)state;
    assert_int_equal(first_senders(69, "24,24,21"), 2 * 3);
    assert_int_equal(first_senders(68, "24,24,20"), 68);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_of_all_sizes),
                                       cmocka_unit_test(groups_of_groups),
                                       cmocka_unit_test(unequal_children),
                                       cmocka_unit_test(irregular_counts),
                                       cmocka_unit_test(irregular_alltoall),
                                       cmocka_unit_test(alltoall_refused),
                                       cmocka_unit_test(stated_rounds),
                                       cmocka_unit_test(columns_spread),
                                       cmocka_unit_test(those_beyond_spread),
                                       cmocka_unit_test(few_ranks_beyond_the_smallest_give)};
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
