/* What plans tell of their messages without blocks is what their operations add up to: for every
 * algorithm that tells it, all p up to 40, random groups, block counts, sizes and irregular counts.
 * The operations are what the verifier proves.
 * And what all plans cost an engine, in operations: none may need n p blocks per rank but those
 * named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/dependences/envelopes.h"
#include "schedules/dependences/messages.h"
#include "schedules/plan/random.h"

struct sum {
    int64_t told, asked; /* rounds */
};

static int compare(const void *a, const void *b)
{
    const struct rb_envelope *left = a, *right = b;
    return left->sends != right->sends ? right->sends - left->sends : left->port - right->port;
}

/* By its operations; *local: there are others than messages'. */
static int32_t walk(const struct rb_plan *plan, const struct rb_layout *layout,
                    const struct rb_rank *state, int64_t t, struct rb_op ops[],
                    struct rb_envelope envelope[], bool *local)
{
    struct dep_messages left = dep_messages_of(ops, rb_layout_round(plan, layout, state, t, ops));
    int32_t count = 0;
    for (struct dep_message message; dep_next_message(&left, &message); count++)
        envelope[count] = dep_envelope_of(plan, layout, &message);
    *local = left.count > 0;
    return count;
}

static void compare_round(struct dep_envelopes *envelopes, const struct rb_rank *state, int64_t t,
                          struct rb_op ops[], const char *what, struct sum *sum)
{
    const struct rb_plan *plan = envelopes->lengths.plan;
    struct rb_envelope expected[8];
    bool local;
    char why[240] = "";
    const int32_t told = dep_envelopes_round(envelopes, state, t, ops, why, sizeof why);
    const int32_t count = walk(plan, envelopes->lengths.layout, state, t, ops, expected, &local);
    sum->told += told >= 0;
    sum->asked++;
    if (told == DEP_UNTOLD)
        return;
    if (told != count || local)
        fail_msg("%s: rank %d has %d messages in round %d, not %d %s%s", what, state->rank, count,
                 (int)t, told, why, local ? ", and local operations" : "");
    qsort(envelopes->of_round, (size_t)count, sizeof expected[0], compare);
    qsort(expected, (size_t)count, sizeof expected[0], compare);
    for (int32_t i = 0; i < count; i++) {
        const struct rb_envelope *a = &envelopes->of_round[i], *b = &expected[i];
        if (a->sends != b->sends || a->peer != b->peer || a->port != b->port ||
            a->bytes != b->bytes || a->combined != b->combined)
            fail_msg("%s: rank %d round %d: %s %d port %d: %d bytes, %d combined; told %d: %d, %d",
                     what, state->rank, (int)t, b->sends ? "to" : "from", b->peer, b->port,
                     (int)b->bytes, (int)b->combined, a->peer, (int)a->bytes, (int)a->combined);
    }
}

static void compare_plan(const struct rb_plan_spec *spec, const struct rb_layout *layout,
                         struct sum *sum)
{
    struct rb_plan *plan;
    struct dep_envelopes envelopes;
    char what[160];
    if (!rb_plan_is_supported(spec) || rb_plan_create(spec, &plan, NULL, 0) != RB_OK)
        return;
    snprintf(what, sizeof what, "%s %s p %d n %d groups %s, %d bytes%s", spec->collective,
             spec->algorithm, spec->p, (int)spec->n, spec->groups, (int)layout->bytes,
             layout->first != NULL ? " by counts" : "");
    assert_int_equal(dep_envelopes_init(&envelopes, plan, layout), RB_OK);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int32_t r = 0; r < spec->p && envelopes.told; r++) {
        struct rb_rank state;
        rb_plan_rank(plan, r, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
            compare_round(&envelopes, &state, t, ops, what, sum);
    }
    free(ops);
    dep_envelopes_free(&envelopes);
    rb_plan_destroy(plan);
}

/* "1" to "17", or three sizes in turn. */
static void choose_groups(uint64_t *seed, char text[16])
{
    if (rb_random_below(seed, 3) > 0)
        snprintf(text, 16, "%d", 1 + (int)rb_random_below(seed, 17));
    else
        snprintf(text, 16, "%d,%d,%d", 1 + (int)rb_random_below(seed, 5),
                 1 + (int)rb_random_below(seed, 5), 1 + (int)rb_random_below(seed, 5));
}

/* True if it told anything. */
static bool compare_algorithm(const struct rb_algorithm *algorithm)
{
    const struct rb_algorithm_info *info = &algorithm->info;
    const bool by_counts = rb_collective_find(info->collective)->distributed;
    const bool personalized = rb_collective_find(info->collective)->personalized;
    static int64_t first[40 * 40 + 1];
    struct sum sum = {0};
    for (int32_t p = 1; p <= 40; p++)
        for (int turn = 0; turn < 3; turn++) {
            uint64_t seed = (uint64_t)(p * 3 + turn + 1);
            char groups[16];
            choose_groups(&seed, groups);
            const struct rb_plan_spec spec = {.collective = info->collective,
                                              .algorithm = info->name,
                                              .p = p,
                                              .n = 1 + rb_random_below(&seed, 12),
                                              .groups = info->groups ? groups : NULL};
            const int64_t element = turn == 1 ? 4 : 1;
            struct rb_layout layout = {.bytes = element * rb_random_below(&seed, 900),
                                       .element = element};
            const struct rb_counts counts = {.rule = RB_COUNTS_RANDOM, .seed = seed};
            if (turn == 2 && by_counts) {
                rb_counts_deal(&counts, p, personalized ? p : 1, layout.bytes, first);
                layout.first = first;
            }
            compare_plan(&spec, &layout, &sum);
        }
    return sum.told > 0;
}

static void messages_are_told_as_they_are(void **state)
{
    (void)state;
    int32_t told = 0;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        const struct rb_algorithm *algorithm =
            rb_algorithm_named(info->collective, info->name, NULL, 0);
        if (algorithm->envelopes == NULL)
            continue;
        told += compare_algorithm(algorithm);
    }
    assert_true(told >= 8);
}

/* ---- What must still be found --------------------------------------------------------------- */

/* allgather circulant, but a rank sends another block than it says in round 2. */
static int32_t wrong_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const int32_t count = rb_allgather_circulant.round(plan, state, t, ops);
    if (t == 2 && state->rank == 1)
        ops[0].at.first = plan->n - 1 - ops[0].at.first;
    return count;
}

/* The same, but it tells a byte too much. */
static int32_t wrong_lengths(const struct rb_plan *plan, const struct rb_lengths *lengths,
                             const struct rb_rank *state, int64_t t, struct rb_envelope envelope[])
{
    const int32_t count = rb_allgather_circulant.envelopes(plan, lengths, state, t, envelope);
    envelope[0].bytes++;
    return count;
}

static void wrong_plans_are_found(void **state)
{
    (void)state;
    const struct rb_collective *allgather = rb_collective_named("allgather");
    const struct rb_plan_spec spec = {.p = 9, .n = 4};
    const struct rb_layout layout = {.bytes = 360, .element = 1};
    struct rb_algorithm algorithm = rb_allgather_circulant;
    struct rb_plan *plan;
    struct rb_verdict verdict;
    struct rb_rank rank;
    struct dep_envelopes envelopes;
    struct rb_op ops[16];
    char why[240] = "";
    algorithm.round = wrong_round;
    algorithm.envelopes = wrong_lengths;
    assert_int_equal(rb_plan_make(allgather, &algorithm, &spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "rank 1"));
    assert_int_equal(dep_envelopes_init(&envelopes, plan, &layout), RB_OK);
    rb_plan_rank(plan, 3, &rank);
    const int32_t count = dep_envelopes_round(&envelopes, &rank, 3, ops, why, sizeof why);
#ifdef NDEBUG
    assert_int_equal(count, 2);
#else
    assert_int_equal(count, RB_EWRONG);
    assert_non_null(strstr(why, "round 3: rank 3 has messages of other lengths"));
#endif
    dep_envelopes_free(&envelopes);
    rb_plan_destroy(plan);
}

/* ---- What plans may cost -------------------------------------------------------------------- */

/* Operations per rank of all rounds, but for those that plans tell: from a few ranks and rounds. */
static double operations_per_rank(const struct rb_plan *plan)
{
    enum { RANKS = 3, SAMPLED = 24 };
    const int64_t rounds = rb_plan_rounds(plan), step = rounds / SAMPLED + 1;
    const struct rb_layout layout = {.bytes = 1 << 20, .element = 1};
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    struct dep_envelopes envelopes;
    double operations = 0;
    assert_int_equal(dep_envelopes_init(&envelopes, plan, &layout), RB_OK);
    for (int32_t i = 0; i < RANKS; i++) {
        struct rb_rank rank;
        rb_plan_rank(plan, (i * 2 + 1) * rb_plan_ranks(plan) / 7, &rank);
        for (int64_t t = step / 2; t < rounds; t += step)
            if (dep_envelopes_round(&envelopes, &rank, t, ops, NULL, 0) == DEP_UNTOLD)
                operations += rb_plan_round(plan, &rank, t, ops);
    }
    dep_envelopes_free(&envelopes);
    free(ops);
    return operations / RANKS * (double)step;
}

/* Of these an engine goes through all blocks that a rank has, or more. */
static bool may_cost_more(const struct rb_algorithm_info *info)
{
    static const char *const known[][2] = {{"allgather", "rails"},
                                           {"allgather", "pipelined-ring"},
                                           {"allgather", "circulant-in-lanes"},
                                           {"reduce-scatter", "rails"},
                                           {"reduce-scatter", "pipelined-ring"},
                                           {"reduce-scatter", "circulant-in-lanes"},
                                           {"allreduce", "rails"},
                                           {"allreduce", "circulant-in-lanes"},
                                           {"alltoall", "mesh"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(info->collective, known[i][0]) == 0 && strcmp(info->name, known[i][1]) == 0)
            return true;
    return false;
}

/* An engine must not go through n p blocks for each rank: 2 p log2 p operations, or 16 a round. */
static void engines_walk_over_few_blocks(void **state)
{
    (void)state;
    enum { P = 1024, N = 64 };
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        const struct rb_algorithm_info *info = rb_algorithm_at(i);
        const struct rb_plan_spec spec = {
            .collective = info->collective, .algorithm = info->name, .p = P, .n = N};
        struct rb_plan *plan;
        if (!rb_plan_is_supported(&spec) || rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
            continue;
        const double operations = operations_per_rank(plan);
        const double most = 2 * P * 10 + 16 * (double)rb_plan_rounds(plan);
        if ((operations > most) != may_cost_more(info))
            fail_msg("%s %s: %.0f operations per rank, the budget is %.0f", info->collective,
                     info->name, operations, most);
        rb_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_told_as_they_are),
                                       cmocka_unit_test(wrong_plans_are_found),
                                       cmocka_unit_test(engines_walk_over_few_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
