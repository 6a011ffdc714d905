/* Broadcasts, reductions and allgathers through trees of ports (port_tree.h): all small shapes,
 * random trees with the ranks in any order, messages of groups counted here and not by the
 * verifier, the closed form of the rounds, and single ranks of a tree far too large to plan. With
 * `long`, more of the same.
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
#include "schedules/patterns/port_tree.h"
#include "schedules/plan/random.h"

static bool thorough;

static struct rb_plan *planned(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s hosts p=%d groups %s: %s", spec->collective, (int)spec->p, spec->groups, why);
    return plan;
}

/* ---- Rounds, and the messages of groups ------------------------------------------------------ */

/* n - 1 + the largest sum of ceil(log2 children) on a way, found place by place. */
static int64_t most_rounds(const struct rb_groups *groups, int64_t n)
{
    int32_t most = 0;
    for (int32_t place = 0; place < groups->ranks; place++) {
        int32_t sum = 0;
        const struct rb_groups *under = NULL;
        for (const struct rb_groups *at = groups;; under = at, at = at->above) {
            const int32_t group = at == NULL ? 0 : rb_group_of(at, place);
            const int32_t first = at == NULL ? 0 : rb_group_first(at, group);
            const int32_t end = at == NULL ? groups->ranks : rb_group_first(at, group + 1);
            int32_t children = 0;
            for (int32_t i = first; i < end;
                 i = under == NULL ? i + 1 : rb_group_first(under, rb_group_of(under, i) + 1))
                children++;
            sum += rb_ceil_log2(children);
            if (at == NULL)
                break;
        }
        most = sum > most ? sum : most;
    }
    return n - 1 + most;
}

/* True if groups of each level are alike, but for the last one. */
static bool is_even(const struct rb_groups *groups)
{
    for (; groups != NULL; groups = groups->above)
        if (groups->size == 0)
            return false;
    return true;
}

/* Counts the messages of each round into and out of every group of every level. */
static void count_messages(const struct rb_plan *plan, const char *text)
{
    const struct rb_groups *groups = rb_plan_groups(plan);
    const int32_t p = groups->ranks;
    struct rb_rank *rank = malloc((size_t)p * sizeof *rank);
    int32_t *count = malloc(2 * (size_t)p * sizeof *count);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int32_t r = 0; r < p; r++)
        rb_plan_rank(plan, r, &rank[r]);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
        for (const struct rb_groups *at = groups; at != NULL; at = at->above) {
            memset(count, 0, 2 * (size_t)p * sizeof *count);
            for (int32_t r = 0; r < p; r++) {
                for (int32_t i = rb_plan_round(plan, &rank[r], t, ops) - 1; i >= 0; i--) {
                    if (i > 0 && ops[i].kind == ops[i - 1].kind && ops[i].peer == ops[i - 1].peer)
                        continue; /* of the same message */
                    const int32_t own = rb_group_of(at, rb_groups_place(groups, r));
                    const int32_t other = rb_group_of(at, rb_groups_place(groups, ops[i].peer));
                    if (own != other && ++count[2 * own + (ops[i].kind == RB_SEND)] > 1)
                        fail_msg("groups %s, round %d: two messages into or out of group %d", text,
                                 (int)t, (int)own);
                }
            }
        }
    free(ops);
    free(count);
    free(rank);
}

static int64_t verified;

static void verify(const char *collective, int32_t p, int64_t n, int32_t root, const char *groups)
{
    const struct rb_plan_spec spec = {.collective = collective,
                                      .algorithm = *collective == 'r' ? "turns" : "hosts",
                                      .p = p,
                                      .root = root,
                                      .n = n,
                                      .groups = groups};
    struct rb_plan *plan = planned(&spec);
    struct rb_verdict verdict;
    int64_t stated;
    if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        fail_msg("roundabout verify --collective %s --algorithm %s -p %d -n %d --root %d --groups "
                 "%s: %s",
                 collective, spec.algorithm, (int)p, (int)n, (int)root, groups, verdict.what);
    assert_int_equal(verdict.redundant, 0);
    assert_int_equal(verdict.moves, rb_bound_moves(plan));
    assert_in_range(verdict.group_messages, 0, 1);
    if (p > 1) {
        const int64_t most = most_rounds(rb_plan_groups(plan), n);
        if (rb_plan_rounds(plan) > most ||
            (is_even(rb_plan_groups(plan)) && rb_plan_rounds(plan) < most))
            fail_msg("p=%d n=%d root %d groups %s: %d rounds, not %d", (int)p, (int)n, (int)root,
                     groups, (int)rb_plan_rounds(plan), (int)most);
        assert_int_equal(rb_plan_critical_volume(plan, &stated), RB_OK);
        assert_int_equal(stated, verdict.critical_volume);
        assert_int_equal(stated, rb_plan_rounds(plan));
    }
    if (verified++ % 7 == 0)
        count_messages(plan, groups);
    rb_plan_destroy(plan);
}

/* ---- Allgather ------------------------------------------------------------------------------- */

/* The rounds of N groups of K ranks at most, of messages of g bundles, or of n parts of one. */
static int64_t gathering_rounds(int32_t N, int32_t K, int32_t radix, int64_t n)
{
    int32_t a = 0;
    while (radix >> (a + 1) > 0 && a < rb_ceil_log2(N))
        a++;
    const int64_t J = radix > 0 ? rb_ceil_divide(N, (int64_t)1 << a) - 1 : n * (N - 1);
    return N == 1 ? rb_ceil_log2(K) : 2 * rb_ceil_log2(K) + a + J;
}

static struct rb_plan *gather(int32_t p, int64_t n, int32_t radix, const char *groups)
{
    static const char *const collectives[] = {"allreduce", "reduce-scatter", "allgather"};
    struct rb_plan *plan = NULL;
    for (int32_t c = 0; c < 3; c++) {
        const struct rb_plan_spec spec = {.collective = collectives[c],
                                          .algorithm = "turns",
                                          .p = p,
                                          .n = n,
                                          .radix = radix,
                                          .groups = groups};
        struct rb_verdict verdict;
        rb_plan_destroy(plan);
        plan = planned(&spec);
        if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
            fail_msg("%s turns p=%d n=%d radix %d groups %s: %s", spec.collective, (int)p, (int)n,
                     (int)radix, groups, verdict.what);
        assert_int_equal(verdict.redundant, 0);
        assert_int_equal(verdict.moves, rb_bound_moves(plan));
        assert_in_range(verdict.group_messages, 0, 1);
    }
    return plan;
}

static void allgathers(void **state)
{
    (void)state;
    for (int32_t N = 1; N <= (thorough ? 12 : 7); N++)
        for (int32_t K = 2; K <= (thorough ? 17 : 9); K++)
            for (int32_t radix = 0; radix <= 2 * N && radix <= N * K;
                 radix += radix > 0 ? radix : 2)
                for (int64_t n = 1; n <= 3; n += 2) {
                    char text[16];
                    snprintf(text, sizeof text, "%d", (int)K);
                    struct rb_plan *plan = gather(N * K, n, radix, text);
                    const int64_t rounds = gathering_rounds(N, K, radix, n);
                    if (rb_plan_rounds(plan) != rounds)
                        fail_msg("%d groups of %d, radix %d, n = %d: %d rounds, not %d", (int)N,
                                 (int)K, (int)radix, (int)n, (int)rb_plan_rounds(plan),
                                 (int)rounds);
                    count_messages(plan, text);
                    rb_plan_destroy(plan);
                }
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void groups_of_one_size(void **state)
{
    (void)state;
    static const int64_t blocks[] = {1, 2, 7, 20};
    for (int32_t groups = 1; groups <= 130; groups++)
        for (int32_t size = 1; groups * size <= 130; size++) {
            const int32_t p = groups * size;
            char text[16];
            snprintf(text, sizeof text, "%d", (int)size);
            for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
                for (int32_t root = 0; root < p; root += thorough ? 1 : 1 + 2 * p / 3)
                    verify((root + (int32_t)b) % 2 == 0 ? "bcast" : "reduce", p, blocks[b], root,
                           text);
        }
}

/* Every way to cut p ranks: bit i of the mask says that a group ends behind rank i. */
static void all_cuts(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 14; p++)
        for (int32_t mask = 0; mask < 1 << (p - 1); mask++) {
            char text[64];
            size_t length = 0;
            for (int32_t i = 0, first = 0; i < p; i++)
                if (i == p - 1 || (mask >> i & 1)) {
                    length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
                                               first == 0 ? "" : ",", (int)(i + 1 - first));
                    first = i + 1;
                }
            for (int32_t root = thorough ? 0 : mask % p; root < p; root += thorough ? 1 : p)
                for (int64_t n = 1 + mask % 3; n < (thorough ? 8 : 4); n += 3)
                    verify(mask % 2 == 0 ? "bcast" : "reduce", p, n, root, text);
        }
}

/* Sizes of one to four levels, and for every second tree an order of the ranks. */
static void random_tree(uint64_t *random, int32_t p, char *text, size_t room)
{
    const int32_t levels = 1 + (int32_t)rb_random_below(random, 4);
    int32_t most = 2 + (int32_t)rb_random_below(random, 5);
    size_t length = 0;
    for (int32_t level = 0; level < levels; level++, most *= 3) {
        const int32_t sizes = 1 + (int32_t)rb_random_below(random, 5);
        for (int32_t i = 0; i < sizes; i++)
            length += (size_t)snprintf(text + length, room - length, "%s%d",
                                       i > 0       ? ","
                                       : level > 0 ? "/"
                                                   : "",
                                       1 + (int)rb_random_below(random, (uint32_t)most));
    }
    if (rb_random_below(random, 2) == 0)
        return;
    int32_t *rank = malloc((size_t)p * sizeof *rank);
    for (int32_t i = 0; i < p; i++) {
        const int32_t j = (int32_t)rb_random_below(random, (uint32_t)i + 1);
        rank[i] = rank[j];
        rank[j] = i;
    }
    for (int32_t i = 0; i < p; i++)
        length += (size_t)snprintf(text + length, room - length, "%c%d", i == 0 ? '@' : ',',
                                   (int)rank[i]);
    free(rank);
}

static void random_trees(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (thorough ? 20000 : 2000); seed++) {
        char text[2048];
        uint64_t random = seed;
        const int32_t p = 1 + (int32_t)rb_random_below(&random, 90);
        random_tree(&random, p, text, sizeof text);
        verify(seed % 2 == 0 ? "bcast" : "reduce", p, 1 + (int64_t)rb_random_below(&random, 9),
               (int32_t)rb_random_below(&random, (uint32_t)p), text);
    }
}

static void allgathers_through_random_trees(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (thorough ? 3000 : 150); seed++) {
        char text[2048];
        uint64_t random = seed;
        const int32_t p = 4 + (int32_t)rb_random_below(&random, 40);
        random_tree(&random, p, text, sizeof text);
        struct rb_plan *plan = gather(p, 1 + (int64_t)rb_random_below(&random, 5),
                                      seed % 2 == 0 ? 0 : 2 + (int32_t)(seed % 3), text);
        count_messages(plan, text);
        rb_plan_destroy(plan);
    }
}

/* The closed form's n is where start-ups and what is in flight are in balance; backwards, and both
 * ways one after the other, that is the same. */
static void best_n_of_both_ways_is_that_of_one(void **state)
{
    static const char *const collectives[] = {"allgather", "reduce-scatter", "allreduce"};
    int64_t of_one = 0;
    (void)state;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        struct rb_plan_spec spec = {.collective = collectives[i],
                                    .algorithm = "turns",
                                    .groups = "4",
                                    .p = 24,
                                    .n = 1,
                                    .ports = 1};
        int64_t n = 0;
        assert_int_equal(rb_best_n(&spec, INT64_C(1) << 26, 1e-6, 8e-11, &n), RB_OK);
        of_one = i == 0 ? n : of_one;
        assert_int_equal(n, of_one);
        assert_in_range(n, 2, 100);
    }
}

/* Groups alone, and all in one: as many rounds as the circulant schedule has. */
static void without_shared_ports_they_are_optimal(void **state)
{
    (void)state;
    for (int32_t p = 1; p <= 70; p++)
        for (int all = 0; all < 2; all++) {
            char text[16];
            snprintf(text, sizeof text, "%d", all ? (int)p : 1);
            const struct rb_plan_spec spec = {
                .collective = "bcast", .algorithm = "hosts", .p = p, .n = 5, .groups = text};
            struct rb_plan *plan = planned(&spec);
            assert_int_equal(rb_plan_rounds(plan), p == 1 ? 0 : rb_bound_rounds(plan));
            rb_plan_destroy(plan);
        }
}

/* ---- Single ranks of a large tree ------------------------------------------------------------ */

enum { MANY = 1000000, PATH = 2 }; /* as many groups of as many ranks */

struct place {
    int32_t child[PATH];
};

/* Enters a child of MANY. */
static void enter(struct rb_way *way, int32_t child)
{
    const struct rb_split split = rb_split(MANY);
    const int32_t number = child & ((1 << split.d) - 1);
    rb_way_enter(way, split.d, number);
    if (number < split.pairs)
        rb_way_enter(way, 1, child >> split.d);
}

static struct rb_way way_to(const struct rb_shape *top, const struct place *place)
{
    struct rb_way way = {.shape = top};
    for (int i = 0; i < PATH; i++)
        enter(&way, place->child[i]);
    return way;
}

/* The rank at the other end: with a way of its own, along which the test goes down again. */
static struct place peer_of(const struct rb_shape *top, const struct place *own,
                            const struct rb_turn *turn, bool gate, int64_t u)
{
    const struct rb_split split = rb_split(MANY);
    struct rb_way way = {.shape = top};
    struct place peer = *own;
    for (int i = 0; i < PATH; i++) {
        const int32_t cube = way.shape->cube + 1, number = own->child[i] & ((1 << split.d) - 1);
        if (cube > turn->cube) {
            peer.child[i] = rb_way_choose(&way, MANY, gate, u);
        } else if (cube == turn->cube) {
            rb_way_enter(&way, split.d, peer.child[i] = turn->number);
            if (turn->number < split.pairs)
                peer.child[i] += rb_way_choose(&way, 2, gate, u) << split.d;
        } else {
            if (number < split.pairs && cube + 1 == turn->cube)
                peer.child[i] = number + (turn->number << split.d);
            enter(&way, peer.child[i]);
        }
    }
    return peer;
}

/* A rank gets each block once, sends what it has, and its messages are its peers' as well. */
static void check_rank(const struct rb_shape *top, const struct place *place, int64_t n)
{
    const struct rb_way way = way_to(top, place);
    const int64_t end = n - 1 + way.shape->before + way.shape->d;
    bool has[64] = {false};
    for (int64_t u = 0; u < end; u++) {
        const struct rb_turn out = rb_way_sends(&way, n, u), in = rb_way_receives(&way, n, u);
        if (out.block >= 0) {
            const struct place to = peer_of(top, place, &out, false, u);
            const struct rb_way there = way_to(top, &to);
            const struct rb_turn back = rb_way_receives(&there, n, u);
            const struct place from = peer_of(top, &to, &back, true, u);
            assert_true(has[out.block]);
            assert_int_equal(back.block, out.block);
            assert_memory_equal(&from, place, sizeof from);
        }
        if (in.block >= 0) {
            const struct place from = peer_of(top, place, &in, true, u);
            const struct rb_way there = way_to(top, &from);
            assert_int_equal(rb_way_sends(&there, n, u).block, in.block);
            assert_false(has[in.block]);
            has[in.block] = true;
        }
    }
    for (int64_t block = 0; block < n; block++)
        assert_true(has[block]);
}

static void a_million_groups_of_a_million(void **state)
{
    (void)state;
    struct rb_shape top = {.cube = -1};
    const struct rb_split split = rb_split(MANY);
    bool too_long;
    uint64_t random = 1;
    for (int i = 0; i < 4; i++) { /* cube or pair, in cube or pair */
        struct rb_shape *shape = rb_shape_below(&top, split.d, &too_long);
        if (i & 1)
            shape = rb_shape_below(shape, 1, &too_long);
        shape = rb_shape_below(shape, split.d, &too_long);
        assert_non_null(i & 2 ? rb_shape_below(shape, 1, &too_long) : shape);
    }
    for (int i = 0; i < (thorough ? 4000 : 400); i++) {
        struct place place = {{(int32_t)rb_random_below(&random, MANY),
                               1 + (int32_t)rb_random_below(&random, MANY - 1)}};
        if (i % 5 == 0)
            place.child[0] = 0; /* the root's group */
        check_rank(&top, &place, 1 + i % 60);
    }
    rb_shapes_free(&top);
}

int main(int argc, char **argv)
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_one_size),
        cmocka_unit_test(all_cuts),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(allgathers),
        cmocka_unit_test(allgathers_through_random_trees),
        cmocka_unit_test(best_n_of_both_ways_is_that_of_one),
        cmocka_unit_test(without_shared_ports_they_are_optimal),
        cmocka_unit_test(a_million_groups_of_a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
