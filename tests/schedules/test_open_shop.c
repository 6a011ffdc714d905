/* All-to-all by the sizes of parts: open-shop and two-levels are right for any sizes, and their
 * messages take little more than the longest line where each port carries one at a time. */
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
#include "schedules/plan/random.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

enum kind { EQUAL, RANDOM, ZIPF, HOT, BANDED, SPARSE, NOTHING, KINDS };

/* What rank s has for rank r; between 0 and 2^20. */
static int64_t size_of(enum kind kind, int32_t p, int32_t s, int32_t r, uint64_t seed)
{
    const uint64_t random =
        rb_random_at(seed ^ rb_random_at((uint64_t)s * (uint64_t)p + (uint64_t)r, 1), 1) >> 12;
    const double share = ldexp((double)random, -52);
    const int32_t apart = s < r ? r - s : s - r, near = apart < p - apart ? apart : p - apart;
    switch (kind) {
    case RANDOM:
        return (int64_t)(share * 100000);
    case ZIPF:
        return (int64_t)(1000000 / pow(1 + share * p * p, 0.8));
    case HOT:
        return r % 16 == 3 ? 80000 : 10000;
    case BANDED:
        return near <= 4 ? 100000 + (int64_t)(share * 100000) : 200;
    case SPARSE:
        return random % 16 == 0 ? (int64_t)(random % 5) : 0;
    default:
        return kind == EQUAL ? 1000 : 0;
    }
}

static struct rb_layout layout_of(enum kind kind, int32_t p, uint64_t seed, int64_t first[])
{
    first[0] = 0;
    for (int32_t i = 0; i < p * p; i++)
        first[i + 1] = first[i] + size_of(kind, p, i / p, i % p, seed);
    return (struct rb_layout){.bytes = first[p * p], .element = 1, .first = first};
}

static struct rb_plan *plan_of(const char *algorithm, int32_t p, const char *groups, int64_t n,
                               const int64_t *first)
{
    const struct rb_plan_spec spec = {.collective = "alltoall",
                                      .algorithm = algorithm,
                                      .p = p,
                                      .n = n,
                                      .ports = groups == NULL ? 1 : 9,
                                      .groups = groups,
                                      .first = first};
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s p=%d: %s", algorithm, (int)p, why);
    return plan;
}

/* ---- Right ----------------------------------------------------------------------------------- */

/* Also without the layout: a plan by some sizes is right for all others. */
static void verify(const char *algorithm, int32_t p, const char *groups, int64_t n, enum kind kind)
{
    int64_t *first = malloc(((size_t)p * (size_t)p + 1) * sizeof *first);
    const struct rb_layout layout = layout_of(kind, p, 7, first);
    struct rb_plan *plan = plan_of(algorithm, p, groups, n, first);
    struct rb_verdict verdict;
    for (int by_layout = 0; by_layout < 2; by_layout++)
        if (rb_verify_plan(plan, by_layout ? &layout : NULL, &verdict) != RB_OK)
            fail_msg("%s p=%d groups %s n=%d, sizes %d: %s", algorithm, (int)p, groups, (int)n,
                     (int)kind, verdict.what);
    rb_plan_destroy(plan);
    free(first);
}

static void plans_are_right(void **state)
{
    (void)state;
    static const char *const groups[] = {"1", "2", "3", "5,1,3", "8"};
    for (int kind = EQUAL; kind < KINDS; kind++) {
        for (int32_t p = 1; p <= 64; p += 1 + p / 20)
            verify("open-shop", p, NULL, 1, (enum kind)kind);
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            for (int32_t p = 1; p <= 40; p += 1 + p / 8)
                verify("two-levels", p, groups[g], 1 + p % 3, (enum kind)kind);
    }
}

/* ---- Short ----------------------------------------------------------------------------------- */

/* The end of the plan's messages by their rounds, without start-ups: each begins when the one
 * before it at its sender, and that at its receiver, has ended. */
static int64_t end_of(const struct rb_plan *plan, const struct rb_layout *layout)
{
    const int32_t p = rb_plan_ranks(plan);
    int64_t *sends = calloc((size_t)p, sizeof *sends),
            *receives = calloc((size_t)p, sizeof *receives);
    int64_t last = 0;
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
        for (int32_t rank = 0; rank < p; rank++) {
            struct rb_rank rank_state;
            struct rb_op ops[3];
            rb_plan_rank(plan, rank, &rank_state);
            const int32_t count = rb_layout_round(plan, layout, &rank_state, t, ops);
            if (count == 0 || ops[0].kind != RB_SEND)
                continue;
            int64_t *there = &receives[ops[0].peer];
            const int64_t from = sends[rank] > *there ? sends[rank] : *there;
            sends[rank] = *there = from + rb_layout_bytes(plan, layout, &ops[0].at);
            last = sends[rank] > last ? sends[rank] : last;
        }
    free(sends);
    free(receives);
    return last;
}

static int64_t longest_line(int32_t p, const int64_t first[])
{
    int64_t longest = 0;
    for (int32_t i = 0; i < p; i++) {
        int64_t row = 0, column = 0;
        for (int32_t j = 0; j < p; j++) {
            row += i == j ? 0 : first[i * p + j + 1] - first[i * p + j];
            column += i == j ? 0 : first[j * p + i + 1] - first[j * p + i];
        }
        longest = row > longest ? row : longest;
        longest = column > longest ? column : longest;
    }
    return longest;
}

/* What a prototype took: 1.01 for random, 1.00 for Zipf, 1.10 for banded sizes. */
static void ends_with_the_longest_line(void **state)
{
    (void)state;
    static const double most[] = {[EQUAL] = 1,    [RANDOM] = 1.02, [ZIPF] = 1.02, [HOT] = 1.02,
                                  [BANDED] = 1.2, [SPARSE] = 2,    [NOTHING] = 1};
    enum { P = 64 };
    static int64_t first[P * P + 1];
    for (int kind = EQUAL; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            const struct rb_layout layout = layout_of((enum kind)kind, P, seed, first);
            struct rb_plan *plan = plan_of("open-shop", P, NULL, 1, first);
            const double end = (double)end_of(plan, &layout);
            if (end > most[kind] * (double)longest_line(P, first))
                fail_msg("sizes %d, seed %d: %g of the longest line", kind, (int)seed,
                         end / (double)longest_line(P, first));
            rb_plan_destroy(plan);
        }
}

/* By hand: the header's example. Rank 0 has most left, and rank 1 is the line with most left on the
 * other side; 1 and 2 follow. */
static void three_ranks_by_hand(void **state)
{
    (void)state;
    static const int64_t first[] = {0, 0, 4, 5, 5, 5, 8, 10, 11, 11};
    static const int32_t to[2][3] = {{1, 2, 0}, {2, 0, 1}}; /* round, rank */
    struct rb_plan *plan = plan_of("open-shop", 3, NULL, 1, first);
    assert_int_equal(rb_plan_rounds(plan), 2);
    for (int32_t t = 0; t < 2; t++)
        for (int32_t rank = 0; rank < 3; rank++) {
            struct rb_rank rank_state;
            struct rb_op ops[3];
            rb_plan_rank(plan, rank, &rank_state);
            const bool sends =
                rb_plan_round(plan, &rank_state, t, ops) > 0 && ops[0].kind == RB_SEND;
            assert_int_equal(sends ? ops[0].peer : -1, to[t][rank]);
        }
    rb_plan_destroy(plan);
}

/* ---- Even ------------------------------------------------------------------------------------ */

/* Each rail carries the same share of what a node has for another one, but for half a block of the
 * parts at its two ends. */
static void rails_are_even(void **state)
{
    (void)state;
    enum { P = 32, K = 4, N = P / K };
    static int64_t first[P * P + 1];
    static struct rb_op ops[4096];
    for (int kind = RANDOM; kind <= HOT; kind++) {
        const struct rb_layout layout = layout_of((enum kind)kind, P, 1, first);
        struct rb_plan *plan = plan_of("two-levels", P, "4", 2, first);
        int64_t carried[P][N] = {{0}};
        assert_true(rb_plan_max_ops(plan) <= 4096);
        for (int32_t rank = 0; rank < P; rank++)
            for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
                struct rb_rank rank_state;
                rb_plan_rank(plan, rank, &rank_state);
                const int32_t count = rb_layout_round(plan, &layout, &rank_state, t, ops);
                for (int32_t i = 0; i < count; i++)
                    if (ops[i].kind == RB_SEND && ops[i].peer / K != rank / K)
                        carried[rank][ops[i].peer / K] +=
                            rb_layout_bytes(plan, &layout, &ops[i].at);
            }
        for (int32_t a = 0; a < N; a++)
            for (int32_t b = 0; b < N; b++) {
                int64_t all = 0, largest = 0;
                for (int32_t i = 0; a != b && i < K * K; i++) {
                    const int32_t pair = (a * K + i / K) * P + b * K + i % K;
                    const int64_t size = first[pair + 1] - first[pair];
                    all += size;
                    largest = size > largest ? size : largest;
                }
                for (int32_t j = 0; j < K; j++)
                    assert_true(llabs(carried[a * K + j][b] - all / K) <= largest / 32 + 2);
            }
        rb_plan_destroy(plan);
    }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void large_tables_are_refused(void **state)
{
    (void)state;
    enum { P = 4097 };
    int64_t *first = calloc((size_t)P * P + 1, sizeof *first);
    struct rb_plan_spec spec = {.collective = "alltoall", .algorithm = "open-shop", .p = P, .n = 1};
    struct rb_plan *plan;
    char why[256];
    for (int32_t i = 2; i <= P * P; i++)
        first[i] = 5;
    spec.first = first;
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_non_null(strstr(why, "at most 4096 senders"));
    spec.first = NULL;
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_OK);
    assert_int_equal(rb_plan_rounds(plan), P - 1);
    assert_null(rb_plan_spec_of(plan).first);
    rb_plan_destroy(plan);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_right), cmocka_unit_test(ends_with_the_longest_line),
        cmocka_unit_test(three_ranks_by_hand), cmocka_unit_test(rails_are_even),
        cmocka_unit_test(large_tables_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
