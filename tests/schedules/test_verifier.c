/* The verifier must find faults: correct plans with one kind of fault at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/plan/plan.h"
#include "schedules/verify/verify.h"
#include "tests/fitting.h"

/* A spoilt algorithm is the circulant one with its round function wrapped. What is spoilt, where,
 * is static because a plan has no room for a test's wishes. */
static struct {
    int32_t rank;
    int64_t t;
    int32_t (*fault)(const struct rb_plan *plan, struct rb_op ops[], int32_t count);
} spoil;

static int32_t spoilt_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    int32_t count = rb_bcast_circulant.round(plan, state, t, ops);
    if (state->rank == spoil.rank && t == spoil.t)
        count = spoil.fault(plan, ops, count);
    return count;
}

static int64_t honest_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[4];
    while (t < plan->rounds && spoilt_round(plan, state, t, ops) == 0)
        t++;
    return t;
}

static void expect(const char *says, int32_t rank, int64_t t,
                   int32_t (*fault)(const struct rb_plan *plan, struct rb_op ops[], int32_t count))
{
    struct rb_algorithm algorithm = rb_bcast_circulant;
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "circulant", .p = 17, .n = 4};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    algorithm.round = spoilt_round;
    algorithm.next = honest_next;
    plan->algorithm = &algorithm;
    plan->max_ops = 4;
    spoil.rank = rank;
    spoil.t = t;
    spoil.fault = fault;
    struct rb_verdict verdict;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    if (strstr(verdict.what, says) == NULL)
        fail_msg("'%s' does not say '%s'", verdict.what, says);
    rb_plan_destroy(plan);
}

static int32_t nothing(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan, (void)ops, (void)count;
    return 0;
}

static int32_t other_block(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    ops[0].at.first = (ops[0].at.first + 1) % plan->blocks;
    return count;
}

static int32_t other_peer(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    ops[0].peer = (ops[0].peer + 1) % plan->p;
    return count;
}

static int32_t two_on_a_port(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan;
    ops[2] = ops[1];
    ops[1] = ops[0];
    ops[1].peer = ops[0].peer + 1;
    return count + 1;
}

static int32_t port_beyond(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    ops[0].port = plan->ports;
    return count;
}

static int32_t to_itself(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan;
    ops[0].peer = spoil.rank;
    return count;
}

static int32_t block_beyond(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    ops[0].at.first = plan->blocks;
    return count;
}

static int32_t wrong_buffer(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan;
    ops[0].at.buffer = RB_TMP;
    return count;
}

static int32_t two_blocks(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan;
    ops[0].at.first = 0;
    ops[0].at.count = 2;
    return count;
}

static int32_t combines(const struct rb_plan *plan, struct rb_op ops[], int32_t count)
{
    (void)plan;
    ops[count - 1].kind = RB_RECV_REDUCE;
    return count;
}

static void faults_are_found(void **state)
{
    (void)state;
    /* p = 17, n = 4, q = 5, x = 2: round 0 is the paper's round 2, where the root sends block 0 to
     * rank 3; in round 7 everybody is busy. */
    expect("receives from rank 0 on port 0, which sends it nothing", 0, 0, nothing);
    expect("sends 1 blocks to rank 3 on port 0, which receives 0", 3, 0, nothing);
    expect("receives block 1 of rank 0 from rank 0 as block 0 of rank 0", 0, 0, other_block);
    expect("sends block", 3, 1, other_block);
    expect("sends it nothing", 0, 0, other_peer);
    expect("on port 0, which is busy in this round", 5, 7, two_on_a_port);
    expect("on port 1 of 1", 0, 0, port_beyond);
    expect("which is no peer of it", 0, 0, to_itself);
    expect("which the plan does not have", 0, 0, block_beyond);
    expect("which the plan does not have", 0, 0, wrong_buffer);
    expect("sends 2 blocks to rank 3 on port 0, which receives 1", 0, 0, two_blocks);
    expect("bcast has no operator", 3, 0, combines);
}

static void missing_block_at_the_end(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "circulant", .p = 9, .n = 3};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    plan->rounds--;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "at the end, after 5 rounds"));
    rb_plan_destroy(plan);
}

static int64_t skips_too_far(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return honest_next(plan, state, t + (state->rank == 4 ? 1 : 0));
}

static void next_that_skips_work(void **state)
{
    (void)state;
    struct rb_algorithm algorithm = rb_bcast_circulant;
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "circulant", .p = 9, .n = 30};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    algorithm.next = skips_too_far;
    plan->algorithm = &algorithm;
    spoil.rank = -1;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "rank 4 has"));
    rb_plan_destroy(plan);
}

/* Without a `next` of its own, an algorithm of any number of operations in a round is asked round
 * after round. */
static void next_for_many_operations(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "multi-ring", .p = 40, .n = 5, .ports = 39};
    struct rb_algorithm algorithm = rb_bcast_multi_ring;
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_plan_max_ops(plan), 78);
    algorithm.next = NULL;
    plan->algorithm = &algorithm;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    rb_plan_destroy(plan);
}

/* Broadcast by way of TMP and local copies: blocks may rest under other names there. */
static int32_t round_by_tmp(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[])
{
    (void)t;
    const struct rb_range swapped = {RB_TMP, plan->root, 0, 1}, second = {RB_DST, plan->root, 1, 1};
    if (state->relative == 0) {
        ops[0] = (struct rb_op){.kind = RB_SEND, .peer = 1 - state->rank, .at = second};
        ops[1] = rb_root_op(plan, RB_SEND, 1, 0, 1);
        return 2;
    }
    ops[0] = (struct rb_op){.kind = RB_RECV, .peer = plan->root, .at = swapped};
    ops[1] = rb_root_op(plan, RB_RECV, 0, 0, 1);
    ops[2] = (struct rb_op){.kind = RB_COPY, .peer = state->rank, .at = second, .from = swapped};
    return 3;
}

static void temporary_places_and_copies(void **state)
{
    (void)state;
    struct rb_algorithm algorithm = rb_bcast_circulant;
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "circulant", .p = 2, .n = 2};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    algorithm.round = round_by_tmp;
    algorithm.next = NULL;
    plan->algorithm = &algorithm;
    plan->buffers |= 1u << RB_TMP;
    plan->rounds = 1;
    plan->max_ops = 3;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    assert_int_equal(verdict.messages, 1);
    assert_int_equal(verdict.busiest, 2);
    plan->buffers = 1u << RB_DST;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    rb_plan_destroy(plan);
}

/* ---- Addressed data: whose blocks, for whom -------------------------------------------------- */

/* Rank 0 forwards what is at distance 3 in round 1, from TMP, and keeps to round 0's names. */
static int32_t another_name_in_tmp(const struct rb_plan *plan, const struct rb_rank *state,
                                   int64_t t, struct rb_op ops[])
{
    const int32_t count = rb_alltoall_bruck.round(plan, state, t, ops);
    for (int32_t i = 0; i < count && t == 1 && state->rank == 0; i++)
        if (ops[i].kind == RB_SEND && ops[i].at.buffer == RB_TMP)
            ops[i].at = rb_part_range(plan, RB_TMP, 0, 3);
    return count;
}

static int32_t for_another_rank(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                                struct rb_op ops[])
{
    const int32_t count = rb_alltoall_bruck.round(plan, state, t, ops);
    for (int32_t i = 0; i < count && t == 0 && state->rank == 2; i++)
        if (ops[i].kind == RB_RECV && ops[i].at.buffer == RB_TMP)
            ops[i].at.buffer = RB_DST;
    return count;
}

static int32_t beyond_its_part(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    const int32_t count = rb_alltoall_bruck.round(plan, state, t, ops);
    if (t == 0 && state->rank == 4)
        ops[0].at.first++;
    return count;
}

static int32_t nothing_for_itself(const struct rb_plan *plan, const struct rb_rank *state,
                                  int64_t t, struct rb_op ops[])
{
    const int32_t count = rb_alltoall_bruck.round(plan, state, t, ops);
    return t == 0 && state->rank == 3 ? count - 1 : count;
}

static void personalized_data(void **state)
{
    (void)state;
    static const struct {
        int32_t (*round)(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                         struct rb_op ops[]);
        const char *says;
    } faults[] = {
        {another_name_in_tmp, "rank 0 sends block 0 of rank 0 for rank 3 to rank 2, but does not "
                              "have it (tmp)"},
        {for_another_rank, "rank 2 names blocks 8..9 of rank 1 in buffer 1"},
        {beyond_its_part, "rank 4 names blocks 1..2 of rank 4 in buffer 0"},
        {nothing_for_itself, "rank 3 has nothing in dst where block 0 of rank 3 for rank 3"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct rb_plan_spec spec = {.collective = "alltoall", .algorithm = "bruck", .p = 5, .n = 2};
        struct rb_algorithm algorithm = rb_alltoall_bruck;
        struct rb_verdict verdict;
        struct rb_plan *plan;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
        algorithm.round = faults[i].round;
        plan->algorithm = &algorithm;
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
        if (strstr(verdict.what, faults[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", verdict.what, faults[i].says);
        rb_plan_destroy(plan);
    }
}

/* ---- Reductions: each contribution once, and in rank order where that is asked for ----------- */

static struct rb_plan *make_reducing(const char *collective, const char *algorithm, int32_t p,
                                     bool ordered)
{
    struct rb_plan_spec spec = {
        .collective = collective, .algorithm = algorithm, .p = p, .n = 3, .ordered = ordered};
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s", why);
    return plan;
}

static struct rb_plan *make_reduce(const char *algorithm, int32_t p, bool ordered)
{
    return make_reducing("reduce", algorithm, p, ordered);
}

static int32_t from_the_right(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    const int32_t count = rb_scan_chain.round(plan, state, t, ops);
    for (int32_t i = 0; i < count; i++)
        ops[i].incoming_is_left = false;
    return count;
}

static int32_t first_round_again(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                                 struct rb_op ops[])
{
    return rb_reduce_flat.round(plan, state, t == 1 ? 0 : t, ops);
}

static int64_t next_by_looking(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    struct rb_op ops[4];
    while (t < plan->rounds && plan->algorithm->round(plan, state, t, ops) == 0)
        t++;
    return t;
}

static void contributions_count_once(void **state)
{
    (void)state;
    struct rb_verdict verdict;
    struct rb_plan *plan = make_reduce("flat", 4, false);
    struct rb_algorithm spoilt = rb_reduce_flat;
    spoilt.round = first_round_again;
    spoilt.next = next_by_looking;
    plan->algorithm = &spoilt;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "counts the contribution of rank 3 twice"));
    rb_plan_destroy(plan);

    plan = make_reduce("circulant", 4, false);
    plan->rounds--;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    rb_plan_destroy(plan);
}

static const struct rb_algorithm *unspoilt;

/* A message of two blocks has the second one twice. */
static int32_t second_block_twice(const struct rb_plan *plan, const struct rb_rank *state,
                                  int64_t t, struct rb_op ops[])
{
    const int32_t count = unspoilt->round(plan, state, t, ops);
    if (count != 1 || ops[0].kind != RB_SEND)
        return count;
    ops[0].at.first = ops[0].at.count = 1;
    ops[1] = ops[0];
    return 2;
}

/* Of a range that arrives, the last block is right. */
static void one_wrong_block_of_a_range(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm, *says;
    } faults[] = {
        {"bcast", "binomial", "receives block 1 of rank 0 from rank 0 as block 0 of rank 0"},
        {"reduce", "flat", "combines block 0 of rank 0 with block 1 of rank 0"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct rb_plan_spec spec = {faults[i].collective, faults[i].algorithm, .p = 2, .n = 2};
        struct rb_plan *plan;
        struct rb_verdict verdict;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        struct rb_algorithm spoilt = *plan->algorithm;
        unspoilt = plan->algorithm;
        spoilt.round = second_block_twice;
        plan->algorithm = &spoilt;
        plan->max_ops = 4;
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
        if (strstr(verdict.what, faults[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", verdict.what, faults[i].says);
        rb_plan_destroy(plan);
    }
}

static void missing_contribution(void **state)
{
    (void)state;
    struct rb_verdict verdict;
    struct rb_plan *plan = make_reduce("chain", 4, false);
    plan->rounds = 1; /* of the broadcast's six, only its first: 1 -> 0 */
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "lacks the contribution of rank"));
    rb_plan_destroy(plan);

    plan = make_reduce("flat", 130, false);
    plan->rounds--;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "lacks the contribution of rank 129"));
    rb_plan_destroy(plan);
}

/* A scan whose ranks get too much, too little, or a contribution on the wrong side. */
static void prefixes_are_exact(void **state)
{
    (void)state;
    struct rb_verdict verdict;
    struct rb_plan *plan = make_reducing("allreduce", "recursive-doubling", 8, true);
    plan->collective = &rb_scan;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "at rank 0 has the contribution of rank 1, which is not"));
    rb_plan_destroy(plan);

    plan = make_reducing("scan", "dissemination", 130, true);
    plan->rounds--;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "at rank 128 lacks the contribution of rank 0"));
    rb_plan_destroy(plan);

    plan = make_reducing("scan", "chain", 3, true);
    struct rb_algorithm spoilt = rb_scan_chain;
    spoilt.round = from_the_right;
    plan->algorithm = &spoilt;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "at rank 1 is not combined in rank order"));
    plan->ordered = false;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    plan->collective = &rb_exscan; /* which wants it in another buffer, and less */
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    rb_plan_destroy(plan);
}

static void rank_order(void **state)
{
    (void)state;
    static const char *const keeping[][2] = {{"reduce", "chain"},
                                             {"reduce", "binomial"},
                                             {"allreduce", "chain"},
                                             {"allreduce", "binomial"},
                                             {"allreduce", "recursive-doubling"},
                                             {"scan", "dissemination"},
                                             {"scan", "chain"},
                                             {"exscan", "doubling-123"},
                                             {"exscan", "two-phase"},
                                             {"exscan", "census"},
                                             {"exscan", "dissemination"},
                                             {"exscan", "chain"}};
    static const char *const losing[][2] = {
        {"reduce", "circulant"},    {"reduce", "binary"},         {"reduce", "flat"},
        {"reduce", "rabenseifner"}, {"allreduce", "circulant"},   {"allreduce", "ring"},
        {"allreduce", "binary"},    {"allreduce", "rabenseifner"}};
    struct rb_verdict verdict;
    for (int32_t p = 1; p <= 40; p++) {
        for (size_t i = 0; i < sizeof keeping / sizeof keeping[0]; i++) {
            struct rb_plan *plan = make_reducing(keeping[i][0], keeping[i][1], p, true);
            assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
            rb_plan_destroy(plan);
        }
    }
    for (size_t i = 0; i < sizeof losing / sizeof losing[0]; i++) {
        struct rb_plan *plan = make_reducing(losing[i][0], losing[i][1], 7, false);
        plan->ordered = true; /* what rb_plan_create refuses */
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
        assert_non_null(strstr(verdict.what, "not combined in rank order"));
        rb_plan_destroy(plan);
    }
}

/* ---- Reductions of more than 64 ranks: their sets of contributions have several words
 * -------------------
 */

/* Reduces as it should, and after that takes the first sender's contribution again. */
static int32_t one_more_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    struct rb_plan honest = *plan;
    honest.rounds--;
    return rb_reduce_flat.round(&honest, state, t < honest.rounds ? t : 0, ops);
}

static void one_contribution_of_many_counts_twice(void **state)
{
    (void)state;
    static const int32_t p[] = {2, 64, 65, 66, 128, 129, 130, 200};
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++) {
        struct rb_algorithm spoilt = rb_reduce_flat;
        struct rb_plan *plan = make_reduce("flat", p[i], false);
        struct rb_verdict verdict;
        char says[100];
        spoilt.round = one_more_round;
        spoilt.next = next_by_looking;
        plan->algorithm = &spoilt;
        plan->rounds++;
        snprintf(says, sizeof says, "counts the contribution of rank %d twice", (int)p[i] - 1);
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
        if (strstr(verdict.what, says) == NULL)
            fail_msg("'%s' does not say '%s'", verdict.what, says);
        rb_plan_destroy(plan);
    }
}

/* What a rank of a scan is asked for: from rank 64 on one contribution less, or one more. */
static void one_less(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    (void)plan;
    *first = 0;
    *end = rank < 64 ? rank + 1 : rank;
}

static void one_more(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end)
{
    *first = 0;
    *end = rank < 64 || rank == plan->p - 1 ? rank + 1 : rank + 2;
}

static int32_t from_the_right_at_rank_100(const struct rb_plan *plan, const struct rb_rank *state,
                                          int64_t t, struct rb_op ops[])
{
    return (state->rank == 100 ? from_the_right : rb_scan_chain.round)(plan, state, t, ops);
}

static void prefixes_of_many_are_exact(void **state)
{
    (void)state;
    static const struct {
        void (*contributors)(const struct rb_plan *plan, int32_t rank, int32_t *first,
                             int32_t *end);
        const char *says;
    } wishes[] = {
        {one_less, "at rank 64 has the contribution of rank 64, which is not asked for"},
        {one_more, "at rank 64 lacks the contribution of rank 65"},
    };
    struct rb_verdict verdict;
    struct rb_plan *plan = make_reducing("scan", "chain", 130, true);
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        struct rb_collective collective = rb_scan;
        collective.contributors = wishes[i].contributors;
        plan->collective = &collective;
        assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
        if (strstr(verdict.what, wishes[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", verdict.what, wishes[i].says);
    }
    struct rb_algorithm spoilt = rb_scan_chain;
    plan->collective = &rb_scan;
    spoilt.round = from_the_right_at_rank_100;
    plan->algorithm = &spoilt;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_non_null(strstr(verdict.what, "at rank 100 is not combined in rank order"));
    rb_plan_destroy(plan);
}

/* Ranks first .. end - 1, combined one after the other. */
static void put_ranks(struct rb_store *store, size_t at, int32_t first, int32_t end)
{
    rb_store_set(store, at, 0, first);
    for (int32_t rank = first + 1; rank < end; rank++) {
        rb_store_set(store, 2, 0, rank);
        assert_int_equal(rb_store_combine(store, at, store, 2, false), -1);
    }
}

/* Every two spans with ends about the words' ends: what they share, and what one lacks of the
 * other. */
static void sets_of_contributions(void **state)
{
    (void)state;
    static const int32_t ends[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 130};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    struct rb_store store = {.in_order = true};
    assert_int_equal(rb_store_grow(&store, 3, 130), RB_OK);
    for (size_t i = 0; i < ENDS * ENDS * ENDS * ENDS; i++) {
        const int32_t a = ends[i % ENDS], b = ends[i / ENDS % ENDS];
        const int32_t c = ends[i / ENDS / ENDS % ENDS], d = ends[i / ENDS / ENDS / ENDS];
        if (a >= b || c >= d)
            continue;
        put_ranks(&store, 0, a, b);
        put_ranks(&store, 1, c, d);
        const struct rb_span other = {c, d};
        assert_int_equal(rb_store_surplus(&store, 0, other), a < c   ? a
                                                             : b > d ? (a > d ? a : d)
                                                                     : -1);
        assert_int_equal(rb_store_missing(&store, 0, other), c < a   ? c
                                                             : d > b ? (c > b ? c : b)
                                                                     : -1);
        const int32_t shared = a > c ? a : c;
        assert_int_equal(rb_store_combine(&store, 0, &store, 1, c < a),
                         shared < b && shared < d ? shared : -1);
        if (b <= c || d <= a) {
            const bool meet = b == c || d == a;
            assert_int_equal(store.span[0].first, !meet ? 0 : a < c ? a : c);
            assert_int_equal(store.span[0].end, !meet ? -1 : b < d ? d : b);
        }
    }
    rb_store_free(&store);
}

/* Small enough for valgrind; test_every_plan_is_right goes further. */
static void small_plans_of_every_algorithm(void **state)
{
    (void)state;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++) {
        for (int32_t p = 1; p <= 9; p++) {
            for (int64_t n = 1; n <= 5 && fitting_ranks(rb_algorithm_at(i), p) == p; n += 2) {
                struct rb_plan_spec spec = {.collective = rb_algorithm_at(i)->collective,
                                            .algorithm = rb_algorithm_at(i)->name,
                                            .p = p,
                                            .n = n};
                struct rb_plan *plan;
                struct rb_verdict verdict;
                assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
                assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
                rb_plan_destroy(plan);
            }
        }
    }
}

/* The last round has 36,000 receives: more than are kept from one pass of a round to the other, so
 * the last ranks are asked again. */
static void large_rounds(void **state)
{
    (void)state;
    struct rb_plan_spec spec = {
        .collective = "allgather", .algorithm = "circulant", .p = 270, .n = 1};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    assert_int_equal(verdict.moves, 270 * 269);
    rb_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_plans_of_every_algorithm),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(missing_block_at_the_end),
        cmocka_unit_test(next_that_skips_work),
        cmocka_unit_test(next_for_many_operations),
        cmocka_unit_test(contributions_count_once),
        cmocka_unit_test(one_wrong_block_of_a_range),
        cmocka_unit_test(missing_contribution),
        cmocka_unit_test(prefixes_are_exact),
        cmocka_unit_test(rank_order),
        cmocka_unit_test(one_contribution_of_many_counts_twice),
        cmocka_unit_test(prefixes_of_many_are_exact),
        cmocka_unit_test(sets_of_contributions),
        cmocka_unit_test(temporary_places_and_copies),
        cmocka_unit_test(personalized_data),
        cmocka_unit_test(large_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
