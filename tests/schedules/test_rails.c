/* Plans for nodes whose ranks each have a NIC: right for all kinds of nodes, roots and counts, on
 * the rails of their places, and balanced; known plans, made by hand; and the verifier's rule for
 * ports. With the argument `long`, all nodes of equal sizes up to 130 ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "schedules/circulant/rails.h"

static bool thorough;
static int64_t verified;

static struct rb_plan *planned(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p=%d groups %s: %s", spec->collective, spec->algorithm, (int)spec->p,
                 spec->groups, why);
    return plan;
}

/* ---- All plans ------------------------------------------------------------------------------- */

static const struct {
    const char *collective, *algorithm;
    bool counts; /* irregular */
} plans[] = {{"bcast", "rails", false},
             {"bcast", "spread", false},
             {"reduce", "rails", false},
             {"reduce", "spread", false},
             {"allgather", "rails", false},
             {"reduce-scatter", "rails", false},
             {"allreduce", "rails", false},
             {"reduce-scatter", "rails", true},
             {"allgather", "rails", true},
             {"bcast", "rails-direct", false},
             {"reduce", "rails-direct", false},
             {"allgather", "rails-direct", false},
             {"reduce-scatter", "rails-direct", true},
             {"allreduce", "rails-direct", false},
             {"alltoall", "rails", false}};

static bool is_direct(const char *algorithm)
{
    return strcmp(algorithm, "rails-direct") == 0;
}

/* The fewest ports that this plan needs if the largest node has `largest` ranks. */
static int32_t fewest_ports(const char *algorithm, int32_t p, const char *groups, int32_t largest)
{
    struct rb_groups nodes;
    assert_int_equal(rb_groups_read(&nodes, groups, p, NULL, 0), RB_OK);
    const int32_t others = nodes.count > 2 && is_direct(algorithm) ? nodes.count - 2 : 0;
    rb_groups_free(&nodes);
    return largest + others;
}

/* A rank sends, and receives, at most a block of its lane over its NIC, and as much inside as if it
 * sent one to each neighbour, and one more. */
static void check_balance(const struct rb_plan *plan, const struct rb_verdict *verdict)
{
    int32_t smallest, largest;
    rb_groups_extent(&plan->groups, &smallest, &largest);
    const int64_t lanes = plan->radix > 0 ? plan->radix : smallest;
    if (strcmp(plan->algorithm->info.name, "rails") == 0 && plan->owners == 1 &&
        plan->collective->info.rooted)
        assert_true(verdict->busiest <= (largest + 1) * (plan->blocks / (lanes * plan->n)));
}

/* The rank's network interface among those of its node: where there are fewer lanes than ranks, the
 * one that it shares with the ranks beside it. */
static int32_t rail(const struct rb_plan *plan, int32_t rank)
{
    const int32_t node = rb_group_of(&plan->groups, rank);
    const int32_t place = rank - rb_group_first(&plan->groups, node);
    return plan->radix == 0 ? place : place * plan->radix / rb_group_size(&plan->groups, node);
}

/* Nothing crosses rails; with fewer lanes than ranks one rank of each network interface has all its
 * messages; no round has more operations than the plan says; and each part of an all-to-all leaves
 * its node once. */
static void check_rails(const struct rb_plan *plan)
{
    const struct rb_groups *nodes = &plan->groups;
    struct rb_op *ops = malloc(((size_t)plan->max_ops + 1000) * sizeof *ops);
    int32_t *head = calloc((size_t)plan->p, sizeof *head);
    int64_t left = 0, must = 0;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < plan->rounds; t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            assert_true(count <= plan->max_ops);
            for (int32_t i = count - 1; i >= 0; i--) {
                const int32_t node = rb_group_of(nodes, rank);
                if (rb_group_of(nodes, ops[i].peer) == node)
                    continue;
                int32_t *nic = &head[rb_group_first(nodes, node) + rail(plan, rank)];
                assert_int_equal(rail(plan, ops[i].peer), rail(plan, rank));
                assert_true(*nic == 0 || *nic == rank + 1);
                *nic = rank + 1;
                left += ops[i].kind == RB_SEND ? ops[i].at.count : 0;
            }
        }
        must += plan->p - rb_group_size(nodes, rb_group_of(nodes, rank));
    }
    if (strcmp(plan->collective->info.name, "alltoall") == 0)
        assert_int_equal(left, must * plan->n);
    free(head);
    free(ops);
}

static void verify(const struct rb_plan_spec *spec, const struct rb_counts *counts)
{
    struct rb_plan *plan = planned(spec);
    struct rb_verdict verdict;
    struct rb_layout layout = {.bytes = 4 * 7 * (int64_t)spec->p, .element = 4};
    int64_t *first = NULL;
    if (counts != NULL) {
        first = malloc(((size_t)spec->p + 1) * sizeof *first);
        rb_counts_deal(counts, spec->p, 1, layout.bytes / layout.element, first);
        layout.first = first;
    }
    if (rb_verify_plan(plan, counts == NULL ? NULL : &layout, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm %s -p %d -n %d --root %d --groups "
                 "%s --ports %d --radix %d: %s",
                 spec->collective, spec->algorithm, (int)spec->p, (int)spec->n, (int)spec->root,
                 spec->groups, (int)spec->ports, (int)spec->radix, verdict.what);
    assert_int_equal(verdict.redundant, 0);
    if (counts == NULL && strcmp(spec->collective, "alltoall") != 0)
        assert_int_equal(verdict.moves, rb_bound_moves(plan));
    assert_true(verdict.rounds >= rb_bound_rounds(plan));
    check_balance(plan, &verdict);
    if (spec->p <= 24)
        check_rails(plan);
    free(first);
    rb_plan_destroy(plan);
    verified++;
}

/* All plans for these groups, with `roots` roots and `more` ports than needed. lanes: 0: all. */
static void verify_lanes(int32_t p, int32_t largest, int32_t lanes, int64_t n, const char *groups,
                         int32_t roots, int32_t more)
{
    static const struct rb_counts counts[] = {{.rule = RB_COUNTS_MOD3, .seed = 0},
                                              {.rule = RB_COUNTS_DEGENERATE, .seed = 0},
                                              {.rule = RB_COUNTS_RANDOM, .seed = 1}};
    const int32_t step = p <= roots ? 1 : (p + roots - 1) / roots;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        struct rb_plan_spec spec = {.collective = plans[i].collective,
                                    .algorithm = plans[i].algorithm,
                                    .p = p,
                                    .n = n,
                                    .groups = groups,
                                    .radix = lanes};
        const struct rb_collective_info *collective = rb_collective_find(spec.collective);
        if (rb_algorithm_named(spec.collective, spec.algorithm, NULL, 0)->pipeline == NULL &&
            (n > 2 || lanes > 0))
            continue; /* n is but the size of its messages */
        spec.ports = fewest_ports(spec.algorithm, p, groups, largest) + more;
        for (; spec.root < (collective->rooted ? p : 1); spec.root += step)
            verify(&spec, plans[i].counts ? &counts[n % 3] : NULL);
    }
}

static void verify_all(int32_t p, int32_t largest, int64_t n, const char *groups, int32_t roots,
                       int32_t more)
{
    verify_lanes(p, largest, 0, n, groups, roots, more);
}

static void nodes_of_equal_sizes(void **state)
{
    (void)state;
    const int32_t most = thorough ? 130 : 26;
    for (int32_t size = 1; size <= most; size++)
        for (int32_t nodes = 1; nodes * size <= most; nodes++) {
            const bool large = size > 20; /* the verifier's memory grows by size^3 */
            char text[16];
            snprintf(text, sizeof text, "%d", (int)size);
            for (int64_t n = 1; n <= (large ? 2 : 10); n += thorough || n < 3 ? 1 : 3)
                verify_all(nodes * size, size, n, text, large ? 2 : thorough ? 5 : 3, 0);
        }
}

static void nodes_of_unequal_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *groups;
        int32_t largest;
    } lists[] = {{"3,1,4", 4}, {"2,5,3", 5}, {"8,6", 8},     {"1,7", 7},
                 {"5", 5},     {"8", 8},     {"4,4,4,3", 4}, {"3,1,4,1,5,9,2,6", 9}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (int32_t p = 1; p <= (thorough ? 70 : 27); p += thorough ? 1 : 1 + p / 8)
            for (int64_t n = 1; n <= 10; n += thorough || n < 3 ? 1 : 4)
                verify_all(p, lists[i].largest, n, lists[i].groups, thorough ? 9 : 4,
                           (int32_t)(n % 2));
    assert_true(verified > 5000);
}

/* k ranks on L network interfaces, whether L divides k or not. */
static void fewer_lanes_than_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *groups;
        int32_t together, smallest, largest;
    } lists[] = {{"4", 4, 4, 4}, {"7", 7, 7, 7}, {"5,7", 12, 5, 7}, {"3,8,4", 15, 3, 8}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (int32_t lanes = 2; lanes <= lists[i].smallest; lanes++)
            for (int32_t p = lists[i].together; p <= (thorough ? 60 : 24); p += lists[i].together)
                for (int64_t n = 1; n <= 7; n += thorough ? 1 : 3)
                    verify_lanes(p, lists[i].largest, lanes, n, lists[i].groups, 3, 0);
}

/* Each rank alone: the circulant plans, operation by operation. */
static void alone_they_are_circulant(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 40; p++)
        for (int64_t n = 1; n <= 9; n += 4) {
            struct rb_plan_spec spec = {
                .collective = "bcast", .algorithm = "rails", .p = p, .root = p / 3, .n = n};
            struct rb_plan *rails = planned(&spec);
            spec.algorithm = "circulant";
            struct rb_plan *circulant = planned(&spec);
            assert_int_equal(rb_plan_rounds(rails), rb_plan_rounds(circulant));
            for (int32_t rank = 0; rank < p; rank++)
                for (int64_t t = 0; t < rb_plan_rounds(rails); t++) {
                    struct rb_rank a, b;
                    struct rb_op got[4], wanted[4];
                    rb_plan_rank(rails, rank, &a);
                    rb_plan_rank(circulant, rank, &b);
                    const int32_t count = rb_plan_round(circulant, &b, t, wanted);
                    assert_int_equal(rb_plan_round(rails, &a, t, got), count);
                    for (int32_t i = 0; i < count; i++) {
                        assert_int_equal(got[i].kind, wanted[i].kind);
                        assert_int_equal(got[i].peer, wanted[i].peer);
                        assert_int_equal(got[i].at.first, wanted[i].at.first);
                    }
                }
            rb_plan_destroy(rails);
            rb_plan_destroy(circulant);
        }
}

/* ---- Known plans ----------------------------------------------------------------------------- */

struct known {
    int64_t round;
    int32_t from, to, port, owner;
    int64_t first, count;
};

/* The plan's sends are these, by rounds and ranks, whatever their order in a rank's round. */
static void expect(const struct rb_plan_spec *spec, const struct known known[], size_t count)
{
    struct rb_plan *plan = planned(spec);
    struct rb_op *ops = malloc((size_t)plan->max_ops * sizeof *ops);
    size_t seen = 0;
    for (int64_t t = 0; t < plan->rounds; t++)
        for (int32_t rank = 0; rank < plan->p; rank++) {
            struct rb_rank state;
            rb_plan_rank(plan, rank, &state);
            for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--) {
                bool found = ops[i].kind != RB_SEND;
                for (size_t k = 0; k < count && !found; k++)
                    found = known[k].round == t && known[k].from == rank &&
                            known[k].to == ops[i].peer && known[k].port == ops[i].port &&
                            known[k].owner == ops[i].at.owner &&
                            known[k].first == ops[i].at.first && known[k].count == ops[i].at.count;
                seen += ops[i].kind == RB_SEND;
                if (!found)
                    fail_msg("round %d: %d sends %d of %d to %d", (int)t, (int)rank,
                             (int)ops[i].at.first, (int)ops[i].at.owner, (int)ops[i].peer);
            }
        }
    assert_int_equal(seen, count);
    free(ops);
    rb_plan_destroy(plan);
}

static void known_plans(void **state)
{
    (void)state;
    /* Two nodes of two; the root is place 1, and node 1. */
    const struct rb_plan_spec bcast = {.collective = "bcast",
                                       .algorithm = "rails",
                                       .p = 4,
                                       .root = 3,
                                       .n = 2,
                                       .ports = 2,
                                       .groups = "2"};
    static const struct known of_bcast[] = {
        {0, 3, 2, 1, 3, 0, 1}, {0, 3, 2, 1, 3, 2, 1}, /* lane 0: 0 1, lane 1: 2 3 */
        {1, 3, 2, 1, 3, 1, 1}, {1, 3, 2, 1, 3, 3, 1}, {1, 2, 0, 0, 3, 0, 1}, {1, 3, 1, 0, 3, 2, 1},
        {2, 2, 0, 0, 3, 1, 1}, {2, 3, 1, 0, 3, 3, 1}, {2, 0, 1, 1, 3, 0, 1}, {2, 1, 0, 1, 3, 2, 1},
        {3, 0, 1, 1, 3, 1, 1}, {3, 1, 0, 1, 3, 3, 1}};
    expect(&bcast, of_bcast, sizeof of_bcast / sizeof of_bcast[0]);
    /* Two nodes of two, all at once: step 1 to the destination's place, then over the rail. */
    const struct rb_plan_spec alltoall = {
        .collective = "alltoall", .algorithm = "rails", .p = 4, .n = 1, .ports = 2, .groups = "2"};
    static const struct known of_alltoall[] = {
        {0, 0, 1, 1, 0, 3, 1}, {0, 1, 0, 1, 1, 2, 1}, {0, 2, 3, 1, 2, 1, 1}, {0, 3, 2, 1, 3, 0, 1},
        {1, 0, 2, 0, 0, 2, 1}, {1, 0, 2, 0, 1, 2, 1}, {1, 1, 3, 0, 0, 3, 1}, {1, 1, 3, 0, 1, 3, 1},
        {1, 2, 0, 0, 2, 0, 1}, {1, 2, 0, 0, 3, 0, 1}, {1, 3, 1, 0, 2, 1, 1}, {1, 3, 1, 0, 3, 1, 1},
        {1, 0, 1, 1, 0, 1, 1}, {1, 1, 0, 1, 1, 0, 1}, {1, 2, 3, 1, 2, 3, 1}, {1, 3, 2, 1, 3, 2, 1}};
    expect(&alltoall, of_alltoall, sizeof of_alltoall / sizeof of_alltoall[0]);
    /* Three nodes of one: the block's parts 0 and 1, as in bcast_rails.c. */
    const struct rb_plan_spec direct = {
        .collective = "bcast", .algorithm = "rails-direct", .p = 3, .n = 1, .ports = 2};
    static const struct known of_direct[] = {
        {0, 0, 1, 0, 0, 0, 1}, {0, 0, 2, 1, 0, 1, 1}, {1, 1, 2, 0, 0, 0, 1}, {1, 2, 1, 1, 0, 1, 1}};
    expect(&direct, of_direct, sizeof of_direct / sizeof of_direct[0]);
    /* One node of three: lanes 0 (blocks 0 1), 1 (2 3), 2 (4 5); the root's, 1, is cut. */
    const struct rb_plan_spec cut = {.collective = "bcast",
                                     .algorithm = "rails",
                                     .p = 3,
                                     .root = 1,
                                     .n = 1,
                                     .ports = 3,
                                     .groups = "3"};
    static const struct known of_cut[] = {
        {0, 1, 2, 1, 1, 4, 2}, {0, 1, 2, 1, 1, 2, 1}, {0, 1, 0, 2, 1, 0, 2}, {0, 1, 0, 2, 1, 3, 1},
        {1, 2, 0, 1, 1, 4, 2}, {1, 2, 0, 1, 1, 2, 1}, {1, 0, 2, 2, 1, 0, 2}, {1, 0, 2, 2, 1, 3, 1}};
    expect(&cut, of_cut, sizeof of_cut / sizeof of_cut[0]);
    /* Nodes of two and one: one lane, whose head in node 0 is rank 0, so it begins a round later.
     */
    const struct rb_plan_spec allgather = {
        .collective = "allgather", .algorithm = "rails", .p = 3, .n = 1, .ports = 2, .groups = "2"};
    static const struct known of_allgather[] = {{0, 0, 1, 1, 0, 0, 1}, {0, 1, 0, 1, 1, 0, 1},
                                                {1, 0, 2, 0, 0, 0, 1}, {1, 0, 2, 0, 1, 0, 1},
                                                {1, 2, 0, 0, 2, 0, 1}, {2, 0, 1, 1, 2, 0, 1}};
    expect(&allgather, of_allgather, sizeof of_allgather / sizeof of_allgather[0]);
    const struct rb_plan_spec spread = {.collective = "bcast",
                                        .algorithm = "spread",
                                        .p = 6,
                                        .root = 3,
                                        .n = 1,
                                        .ports = 2,
                                        .groups = "2"};
    static const struct known of_spread[] = {{0, 3, 2, 1, 3, 0, 1},
                                             {1, 2, 4, 0, 3, 0, 1},
                                             {1, 3, 1, 0, 3, 0, 1},
                                             {2, 4, 5, 1, 3, 0, 1},
                                             {2, 1, 0, 1, 3, 0, 1}};
    expect(&spread, of_spread, sizeof of_spread / sizeof of_spread[0]);
}

/* Of the figures in docs/rails.md: 16 nodes of 8. */
static void rounds_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm, *groups;
        int32_t p;
        int64_t n, rounds;
    } known[] = {{"bcast", "rails", "8", 128, 10, 15},
                 {"bcast", "rails", "8", 8, 10, 11},
                 {"bcast", "rails", "2", 2, 10, 10},
                 {"reduce", "rails", "8", 128, 10, 15},
                 {"allgather", "rails", "8", 128, 10, 14},
                 {"allgather", "rails", "8,6", 112, 10, 15},
                 {"allreduce", "rails", "8", 128, 10, 28},
                 {"bcast", "spread", "8", 128, 1, 5},
                 {"bcast", "rails-direct", "8", 128, 10, 13},
                 {"allgather", "rails-direct", "8", 128, 10, 11},
                 {"alltoall", "rails", "8", 128, 1, 16},
                 {"alltoall", "rails", "8,6", 112, 1, 31},
                 {"bcast", "spread", "8", 72, 1, 3},
                 {"bcast", "spread", NULL, 16, 1, 4}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {.collective = known[i].collective,
                                          .algorithm = known[i].algorithm,
                                          .p = known[i].p,
                                          .n = known[i].n,
                                          .ports = 22,
                                          .groups = known[i].groups};
        struct rb_plan *plan = planned(&spec);
        assert_int_equal(rb_plan_rounds(plan), known[i].rounds);
        rb_plan_destroy(plan);
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void too_few_ports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        const struct rb_plan_spec spec = {.collective = plans[i].collective,
                                          .algorithm = plans[i].algorithm,
                                          .p = 16,
                                          .n = 3,
                                          .ports = 3,
                                          .groups = "3,5"};
        struct rb_plan *plan;
        char why[256], wanted[64];
        assert_false(rb_plan_is_supported(&spec));
        assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
        snprintf(wanted, sizeof wanted, "%d ports for groups of 3,5, not 3",
                 (int)fewest_ports(spec.algorithm, 16, "3,5", 5));
        assert_non_null(strstr(why, wanted));
    }
}

static void too_many_lanes(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {.collective = "bcast",
                                      .algorithm = "rails",
                                      .p = 16,
                                      .ports = 8,
                                      .n = 3,
                                      .radix = 4,
                                      .groups = "3,5"};
    struct rb_plan *plan;
    char why[256];
    assert_false(rb_plan_is_supported(&spec));
    assert_int_equal(rb_plan_create(&spec, &plan, why, sizeof why), RB_ENOTSUP);
    assert_string_equal(why, "bcast rails: groups of 3,5 have at most 3 lanes, one per rank of the "
                             "smallest, not 4");
}

/* A block's parts, counted one by one. */
static void blocks_of_direct_plans(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 40; n++) {
        int64_t rise = 0, fall = 0;
        for (int64_t u = 0; u <= n; u++) {
            assert_int_equal(rb_rails_before(n, u, true), rise);
            assert_int_equal(rb_rails_before(n, u, false), fall);
            rise += rb_smaller(rb_smaller(u + 1, n - u), (n + 2) / 3);
            fall += n - u;
        }
    }
}

/* The root of a direct broadcast begins to hand out its own lane when a third of the rounds is
 * over: before, a neighbour gets a block of its own lane alone. */
static void roots_begin_late(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 20; n++) {
        const struct rb_plan_spec spec = {.collective = "bcast",
                                          .algorithm = "rails-direct",
                                          .p = 12,
                                          .n = n,
                                          .ports = 8,
                                          .groups = "4"};
        struct rb_plan *plan = planned(&spec);
        struct rb_op *ops = malloc((size_t)plan->max_ops * sizeof *ops);
        struct rb_rank state_;
        const int64_t lane = plan->blocks / 4;
        int64_t first = plan->rounds;
        rb_plan_rank(plan, 0, &state_);
        for (int64_t t = 0; t < plan->rounds; t++)
            for (int32_t i = rb_plan_round(plan, &state_, t, ops) - 1; i >= 0; i--)
                if (ops[i].kind == RB_SEND && ops[i].peer < 4 && ops[i].at.first < lane)
                    first = t < first ? t : first;
        assert_int_equal(first, (plan->rounds - 1) / 3);
        free(ops);
        rb_plan_destroy(plan);
    }
}

/* Three ranks, 0 and 1 in a node: what is sent to another node over another port, or inside over
 * the NIC, is found out. */
static int32_t wrong_port_inside;

static int32_t on_one_port(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const int32_t count = rb_bcast_spread.round(plan, state, t, ops);
    for (int32_t i = 0; i < count; i++)
        ops[i].port = 1 - wrong_port_inside;
    return count;
}

static void the_verifier_knows_the_nic(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {.p = 3, .n = 1, .ports = 2, .groups = "2"};
    struct rb_algorithm liar = rb_bcast_spread;
    struct rb_plan *plan;
    struct rb_verdict verdict;
    liar.round = on_one_port;
    assert_int_equal(rb_plan_make(&rb_bcast, &liar, &spec, &plan, NULL, 0), RB_OK);
    wrong_port_inside = 0;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_string_equal(verdict.what, "round 1: the message of rank 0 to rank 2 leaves its group "
                                      "over port 1, and ports 1 to 1 are for messages inside");
    wrong_port_inside = 1;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_EWRONG);
    assert_string_equal(verdict.what, "round 0: the message of rank 0 to rank 1 stays in its group "
                                      "over port 0, and ports 1 to 1 are for messages inside");
    liar.info.own_nic = false;
    assert_int_equal(rb_verify_plan(plan, NULL, &verdict), RB_OK);
    rb_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_plans),
        cmocka_unit_test(rounds_are_known),
        cmocka_unit_test(blocks_of_direct_plans),
        cmocka_unit_test(roots_begin_late),
        cmocka_unit_test(too_few_ports),
        cmocka_unit_test(too_many_lanes),
        cmocka_unit_test(fewer_lanes_than_ranks),
        cmocka_unit_test(the_verifier_knows_the_nic),
        cmocka_unit_test(alone_they_are_circulant),
        cmocka_unit_test(nodes_of_equal_sizes),
        cmocka_unit_test(nodes_of_unequal_sizes),
    };
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
