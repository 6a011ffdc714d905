/* Bine trees and butterflies against what their authors state and have counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "roundabout.h"

static struct rb_plan *make(const char *collective, const char *algorithm, int32_t p, int32_t root,
                            const char *groups)
{
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = algorithm,
                                      .p = p,
                                      .root = root,
                                      .n = 1,
                                      .groups = groups};
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p=%d: %s", collective, algorithm, (int)p, why);
    return plan;
}

typedef void with_message(int32_t from, int64_t t, const struct rb_op *op, void *context);

/* All sends; messages of several ranges once per range. */
static void for_sends(const struct rb_plan *plan, with_message *visit, void *context)
{
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    assert_non_null(ops);
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            for (int32_t i = 0; i < count; i++)
                if (ops[i].kind == RB_SEND)
                    visit(rank, t, &ops[i], context);
        }
    }
    free(ops);
}

/* ---- Bytes between groups --------------------------------------------------------------------
 *
 * The authors' count of what crosses the borders of groups: the file traced_alloc.csv in
 * results/leonardo/2025_03_28___18_19_43.tar.gz of https://github.com/HLC-Lab/pico, commit 413bc5d
 * (MIT licence). Units are messages: a rank's whole vector or buffer. The job's 512 nodes, in the
 * file alloc.csv beside it, were in 20 cells of Leonardo, of these sizes. */
static const char *const cells = "32,36,36,36,36,36,36,36,36,25,17,18,18,18,18,18,18,18,18,6";
enum { RANKS = 512 };

static const struct {
    const char *collective, *algorithm; /* ours */
    const char *traced;                 /* the file's */
    double external, total;
} counts[] = {
    {"bcast", "bine", "bine_halving", 46, 511},
    {"bcast", "bine-doubling", "bine_doubling", 490, 511},
    {"bcast", "bine-scatter-allgather", "bine_bdw_doubling_halving", 42.34375, 511},
    {"reduce", "bine", "bine_halving", 46, 511},
    {"reduce", "bine-rabenseifner", "bine_bdw_halving_doubling", 45.203125, 515.5},
    {"allgather", "bine", "bine_halving", 42.34375, 511},
    {"allgather", "bine-doubling", "bine_doubling", 480.63671875, 511},
    {"reduce-scatter", "bine", "bine_doubling", 42.34375, 511},
    {"allreduce", "bine", "bine_bandwidth", 84.6875, 1022},
    {"allreduce", "bine-blocks", "bine_bandwidth", 84.6875, 1022},
    {"allreduce", "bine-doubling", "bine_latency", 2320, 4608},
    {"alltoall", "bine", "bine", 1160, 2304},
    {"scatter", "bine", "bine_halving", 2.259765625, 4.5},
    {"gather", "bine", "bine_halving", 2.259765625, 4.5}, /* the scatter's, read backwards */
    {"allreduce", "rabenseifner-doubling", "rabenseifner", 96.375, 1022},
    {"reduce", "rabenseifner-doubling", "binomial_bdw_halving_doubling", 50.1875, 515.5},
    {"bcast", "binomial", "binomial_halving", 48, 511},
    {"reduce", "binomial", "binomial_halving", 48, 511},
    {"scatter", "binomial", "binomial_halving", 2.478515625, 4.5},
    {"allgather", "recursive-doubling", "distance_doubling", 489.85546875, 511},
    {"reduce-scatter", "recursive-halving", "distance_halving", 489.85546875, 511},
    {"allgather", "ring", "ring", 19.9609375, 511},
    {"allreduce", "ring", "ring", 39.921875, 1022},
    {"allreduce", "recursive-doubling", "recursive_doubling", 2546, 4608},
    {"alltoall", "bruck", "bruck", 1312, 2304},
};

struct traffic {
    const struct rb_groups *groups;
    int64_t blocks, external;
};

static void add(int32_t from, int64_t t, const struct rb_op *op, void *context)
{
    struct traffic *traffic = context;
    (void)t;
    traffic->blocks += op->at.count;
    if (rb_group_of(traffic->groups, from) != rb_group_of(traffic->groups, op->peer))
        traffic->external += op->at.count;
}

static void blocks_between_groups_are_those_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct rb_plan *plan = make(counts[i].collective, counts[i].algorithm, RANKS, 0, cells);
        struct traffic traffic = {.groups = rb_plan_groups(plan)};
        for_sends(plan, add, &traffic);
        const double of_message =
            (double)rb_plan_blocks(plan) * (rb_plan_parts(plan) > 1 ? 1 : rb_plan_owners(plan));
        const double external = (double)traffic.external / of_message,
                     total = (double)traffic.blocks / of_message;
        if (external != counts[i].external || total != counts[i].total)
            fail_msg("%s %s: %.10g messages between groups of %.10g; %s has %.10g of %.10g",
                     counts[i].collective, counts[i].algorithm, external, total, counts[i].traced,
                     counts[i].external, counts[i].total);
        rb_plan_destroy(plan);
    }
}

/* ---- Distances ------------------------------------------------------------------------------- */

struct distances {
    int32_t p;
    int64_t rounds;
    bool halving;
    int64_t messages;
};

/* The paper's: |sum of (-2)^i, i = 0 .. s|, modulo p, either way; up for even ranks, down for odd.
 */
static void check_distance(int32_t from, int64_t t, const struct rb_op *op, void *context)
{
    struct distances *all = context;
    const int64_t s = all->halving ? all->rounds - 1 - t : t;
    int64_t distance = 0, power = 1;
    for (int64_t i = 0; i <= s; i++, power *= -2)
        distance += power;
    const int64_t to = from % 2 == 0 ? from + distance : from - distance;
    assert_int_equal(((to - op->peer) % all->p + all->p) % all->p, 0);
    all->messages++;
}

static void partners_are_at_the_stated_distances(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *algorithm;
        bool halving, any_even;
    } known[] = {
        {"bcast", "bine", true, false},
        {"bcast", "bine-doubling", false, true},
        {"reduce", "bine", false, false},
        {"scatter", "bine", true, false},
        {"gather", "bine", false, false},
        {"allgather", "bine", true, true},
        {"allgather", "bine-doubling", false, true},
        {"reduce-scatter", "bine", false, true},
        {"allreduce", "bine-doubling", false, false},
        {"alltoall", "bine", false, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int32_t p = 2; p <= 128; p += 2) {
            if (!known[i].any_even && (p & (p - 1)) != 0)
                continue;
            struct rb_plan *plan = make(known[i].collective, known[i].algorithm, p, 0, NULL);
            struct distances all = {p, rb_plan_rounds(plan), known[i].halving, 0};
            for_sends(plan, check_distance, &all);
            assert_true(all.messages >= p - 1);
            rb_plan_destroy(plan);
        }
}

/* ---- Pieces of memory -------------------------------------------------------------------------
 *
 * What a rank sends at once is one or two intervals of ranks, modulo p one, where the authors say
 * so: "2 blocks", gather and scatter. */
struct pieces {
    int32_t p;
    int32_t from;
    int64_t t;
    int32_t last, pieces;
};

static void count_pieces(int32_t from, int64_t t, const struct rb_op *op, void *context)
{
    struct pieces *all = context;
    if (from != all->from || t != all->t) {
        all->from = from;
        all->t = t;
        all->pieces = 1;
    } else if (op->at.owner != (all->last + 1) % all->p &&
               all->last != (op->at.owner + 1) % all->p) {
        all->pieces++;
    }
    all->last = op->at.owner;
    assert_int_equal(all->pieces, 1);
}

static void subtrees_are_intervals(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 70; p++) {
        struct pieces all = {.p = p, .from = -1};
        struct rb_plan *scatter = make("scatter", "bine", p, p / 3, NULL);
        for_sends(scatter, count_pieces, &all);
        rb_plan_destroy(scatter);
        if (p % 2 == 1) /* the folded rank gets all but its own */
            continue;
        struct rb_plan *allgather = make("allgather", "bine-doubling", p, 0, NULL);
        all.from = -1;
        for_sends(allgather, count_pieces, &all);
        rb_plan_destroy(allgather);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_between_groups_are_those_counted),
        cmocka_unit_test(partners_are_at_the_stated_distances),
        cmocka_unit_test(subtrees_are_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
