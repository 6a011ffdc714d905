/* The algorithms on rings, meshes and hypercubes against Grama et al. 2003: the book's procedures,
 * executed literally, and its figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"

static struct rb_plan *make_as(const struct rb_plan_spec *spec)
{
    struct rb_plan *plan;
    char why[256];
    if (rb_plan_create(spec, &plan, why, sizeof why) != RB_OK)
        fail_msg("%s %s p %d root %d: %s", spec->collective, spec->algorithm, spec->p, spec->root,
                 why);
    return plan;
}

static struct rb_plan *make(const char *collective, const char *algorithm, int32_t p, int32_t root)
{
    return make_as(&(struct rb_plan_spec){
        .collective = collective, .algorithm = algorithm, .p = p, .root = root, .n = 1});
}

static struct rb_plan *make_shift(const char *algorithm, int32_t p, int32_t q)
{
    char instance[32];
    snprintf(instance, sizeof instance, "q=%d", q);
    return make_as(&(struct rb_plan_spec){
        .collective = "shift", .algorithm = algorithm, .p = p, .n = 1, .instance = instance});
}

/* ---- Messages and their lengths -------------------------------------------------------------- */

enum { MOST_RANKS = 64 };

/* Of one round: to[rank] < 0 if it sends nothing; so many blocks. */
struct sent {
    int32_t to[MOST_RANKS];
    int64_t blocks[MOST_RANKS];
};

static struct sent nothing_sent(void)
{
    struct sent sent = {{0}, {0}};
    for (int32_t rank = 0; rank < MOST_RANKS; rank++)
        sent.to[rank] = -1;
    return sent;
}

static struct sent sent_in(const struct rb_plan *plan, int64_t t)
{
    struct sent sent = nothing_sent();
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--)
            if (ops[i].kind == RB_SEND) {
                sent.to[rank] = ops[i].peer;
                sent.blocks[rank] += ops[i].at.count;
            }
    }
    free(ops);
    return sent;
}

/* Takes the plan. `procedure` says what my_id sends in step t of what the book prints. */
static void follows(struct rb_plan *plan, int64_t steps,
                    void (*procedure)(int32_t p, int32_t root, int64_t t, int32_t my_id,
                                      int32_t *to, int64_t *blocks))
{
    const int32_t p = rb_plan_ranks(plan), root = rb_plan_root(plan);
    assert_int_equal(rb_plan_rounds(plan), steps);
    for (int64_t t = 0; t < steps; t++) {
        struct sent expected = nothing_sent();
        const struct sent sent = sent_in(plan, t);
        for (int32_t my_id = 0; my_id < p; my_id++)
            procedure(p, root, t, my_id, &expected.to[my_id], &expected.blocks[my_id]);
        if (memcmp(&sent, &expected, sizeof sent) != 0)
            fail_msg("%s %s p %d root %d: round %d", rb_plan_collective(plan)->name,
                     rb_plan_algorithm(plan)->name, p, root, (int)t);
    }
    rb_plan_destroy(plan);
}

static int32_t root_of_square(int32_t p)
{
    int32_t side = 1;
    while (side * side < p)
        side++;
    return side;
}

/* GENERAL_ONE_TO_ALL_BC. */
static void one_to_all(int32_t p, int32_t source, int64_t t, int32_t my_id, int32_t *to,
                       int64_t *blocks)
{
    const int32_t my_virtual_id = my_id ^ source;
    int32_t mask = p - 1, i = 0;
    for (int64_t step = 0; step <= t; step++) {
        i = rb_ceil_log2(p) - 1 - (int32_t)step;
        mask ^= 1 << i;
    }
    if ((my_virtual_id & mask) == 0 && (my_virtual_id & 1 << i) == 0) {
        *to = my_virtual_id ^ 1 << i ^ source;
        *blocks = 1;
    }
}

/* The scatter goes the same ways, with what is for the half of the ranks left that is sent to. */
static void scattered(int32_t p, int32_t source, int64_t t, int32_t my_id, int32_t *to,
                      int64_t *blocks)
{
    one_to_all(p, source, t, my_id, to, blocks);
    *blocks *= p >> (t + 1);
}

/* ALL_TO_ONE_REDUCE, which is for node 0. */
static void all_to_one(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                       int64_t *blocks)
{
    (void)p, (void)root;
    const int32_t mask = (1 << t) - 1;
    if ((my_id & mask) == 0 && (my_id & 1 << t) != 0) {
        *to = my_id ^ 1 << t;
        *blocks = 1;
    }
}

/* ALL_TO_ALL_BC_RING. */
static void all_to_all_ring(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                            int64_t *blocks)
{
    (void)root, (void)t;
    *to = (my_id + 1) % p;
    *blocks = 1;
}

/* ALL_TO_ALL_BC_MESH. */
static void all_to_all_mesh(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                            int64_t *blocks)
{
    (void)root;
    const int32_t side = root_of_square(p);
    const bool along_rows = t < side - 1;
    *to = along_rows ? my_id - my_id % side + (my_id + 1) % side : (my_id + side) % p;
    *blocks = along_rows ? 1 : side;
}

/* ALL_TO_ALL_BC_HCUBE. */
static void all_to_all_hypercube(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                                 int64_t *blocks)
{
    (void)p, (void)root;
    *to = my_id ^ 1 << t;
    *blocks = 1 << t;
}

/* Its pattern, with whole vectors: all-reduce. */
static void all_reduce_hypercube(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                                 int64_t *blocks)
{
    all_to_all_hypercube(p, root, t, my_id, to, blocks);
    *blocks = 1;
}

/* ALL_TO_ALL_PERSONAL. */
static void all_to_all_personal(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                                int64_t *blocks)
{
    (void)p, (void)root;
    *to = my_id ^ (int32_t)(t + 1);
    *blocks = 1;
}

/* Formulas (4), (5), (6): what a message of each step has. */
static void personal_ring(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                          int64_t *blocks)
{
    (void)root;
    *to = (my_id + 1) % p;
    *blocks = p - (t + 1);
}

static void personal_mesh(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                          int64_t *blocks)
{
    const int32_t side = root_of_square(p);
    all_to_all_mesh(p, root, t, my_id, to, blocks);
    *blocks = (side - 1 - t % (side - 1)) * side;
}

static void personal_hypercube(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                               int64_t *blocks)
{
    (void)root;
    *to = my_id ^ 1 << t;
    *blocks = p / 2;
}

static void plans_follow_the_procedures(void **state)
{
    (void)state;
    for (int32_t d = 0, p = 1; p <= 64; d++, p *= 2) {
        for (int32_t source = 0; source < p; source++) {
            follows(make("bcast", "hypercube", p, source), d, one_to_all);
            follows(make("bcast", "ring", p, source), d, one_to_all);
            follows(make("bcast", "tree", p, source), d, one_to_all);
            follows(make("scatter", "hypercube", p, source), d, scattered);
            follows(make("scatter", "ring", p, source), d, scattered);
        }
        follows(make("reduce", "hypercube", p, 0), d, all_to_one);
        follows(make("reduce", "tree", p, 0), d, all_to_one);
        follows(make("allgather", "hypercube", p, 0), d, all_to_all_hypercube);
        follows(make("allreduce", "hypercube-exchange", p, 0), d, all_reduce_hypercube);
        if (p > 1) {
            follows(make("alltoall", "hypercube", p, 0), d, personal_hypercube);
            follows(make("alltoall", "xor", p, 0), p - 1, all_to_all_personal);
        }
    }
    for (int32_t p = 2; p <= 64; p++) {
        follows(make("allgather", "ring", p, 0), p - 1, all_to_all_ring);
        follows(make("allreduce", "ring-exchange", p, 0), p - 1, all_to_all_ring);
        follows(make("alltoall", "ring", p, 0), p - 1, personal_ring);
    }
    for (int32_t side = 2; side <= 8; side++) {
        const int32_t p = side * side;
        follows(make("allgather", "mesh", p, 0), 2 * (side - 1), all_to_all_mesh);
        follows(make("alltoall", "mesh", p, 0), 2 * (side - 1), personal_mesh);
    }
    /* "One-to-all broadcast on a 16-node mesh", node 0, whose rows are our columns */
    follows(make("bcast", "mesh", 16, 0), 4, one_to_all);
}

/* ---- Contents of buffers --------------------------------------------------------------------- */

/* The parts that a rank has before a round, as "owner,destination" each or "owner" each, in order:
 * what a plan that only moves data has in src and tmp or has sent nowhere. */
static void check_sent(const char *collective, const char *algorithm, int32_t p, int64_t t,
                       int32_t rank, const char *expected)
{
    struct rb_plan *plan = make(collective, algorithm, p, 0);
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    struct rb_rank state;
    bool seen[MOST_RANKS * MOST_RANKS] = {false};
    char text[1024] = "";
    rb_plan_rank(plan, rank, &state);
    for (int32_t i = rb_plan_round(plan, &state, t, ops) - 1; i >= 0; i--)
        if (ops[i].kind == RB_SEND)
            seen[ops[i].at.owner * rb_plan_parts(plan) + ops[i].at.first] = true;
    for (int32_t k = 0; k < p * rb_plan_parts(plan); k++)
        if (seen[k] && rb_plan_parts(plan) > 1)
            sprintf(text + strlen(text), "{%d,%d}", k / p, k % p);
        else if (seen[k])
            sprintf(text + strlen(text), "(%d)", k);
    assert_string_equal(text, expected);
    free(ops);
    rb_plan_destroy(plan);
}

/* "The scatter operation on an eight-node hypercube", "all-to-all personalized communication on a
 * six-node ring", and on a 3 x 3 mesh: after the rows node 0 has what nodes 0, 1, 2 have for 0, 3
 * and 6, and sends on what is not for itself. */
static void messages_are_those_of_the_figures(void **state)
{
    (void)state;
    check_sent("scatter", "hypercube", 8, 0, 0, "(4)(5)(6)(7)");
    check_sent("scatter", "hypercube", 8, 1, 0, "(2)(3)");
    check_sent("scatter", "hypercube", 8, 1, 4, "(6)(7)");
    check_sent("scatter", "hypercube", 8, 2, 6, "(7)");
    check_sent("allgather", "hypercube", 8, 2, 5, "(4)(5)(6)(7)");
    check_sent("alltoall", "ring", 6, 0, 0, "{0,1}{0,2}{0,3}{0,4}{0,5}");
    check_sent("alltoall", "ring", 6, 1, 0, "{5,1}{5,2}{5,3}{5,4}");
    check_sent("alltoall", "ring", 6, 4, 0, "{2,1}");
    check_sent("alltoall", "mesh", 9, 0, 0, "{0,1}{0,2}{0,4}{0,5}{0,7}{0,8}");
    check_sent("alltoall", "mesh", 9, 2, 0, "{0,3}{0,6}{1,3}{1,6}{2,3}{2,6}");
    check_sent("alltoall", "mesh", 9, 3, 0, "{6,3}{7,3}{8,3}");
    check_sent("alltoall", "hypercube", 8, 1, 0, "{0,2}{0,6}{1,2}{1,6}");
    check_sent("alltoall", "hypercube", 8, 2, 7, "{4,3}{5,3}{6,3}{7,3}");
}

/* ---- Combinations ---------------------------------------------------------------------------- */

/* A rank's buffers, with a contribution as a letter and combined ones as words. */
struct words {
    char buffer[RB_BUFFERS][MOST_RANKS + 1];
};

static void combine(char *at, const char *incoming, bool left)
{
    char both[2 * MOST_RANKS + 1];
    snprintf(both, sizeof both, "%s%s", left ? incoming : at, left ? at : incoming);
    assert_true(strlen(both) <= MOST_RANKS);
    strcpy(at, both);
}

/* Executes round t. */
static void combine_round(const struct rb_plan *plan, int64_t t, struct words words[])
{
    const int32_t p = rb_plan_ranks(plan);
    static struct words before[MOST_RANKS];
    memcpy(before, words, (size_t)p * sizeof *words);
    for (int32_t rank = 0; rank < p; rank++) {
        struct rb_op ops[8], theirs[8];
        struct rb_rank state, peer;
        rb_plan_rank(plan, rank, &state);
        const int32_t count = rb_plan_round(plan, &state, t, ops);
        for (int32_t i = 0; i < count; i++) {
            char *at = words[rank].buffer[ops[i].at.buffer];
            const char *from = words[rank].buffer[ops[i].from.buffer];
            if (ops[i].kind == RB_SEND)
                continue;
            if (ops[i].kind == RB_RECV || ops[i].kind == RB_RECV_REDUCE) {
                rb_plan_rank(plan, ops[i].peer, &peer);
                rb_plan_round(plan, &peer, t, theirs);
                assert_true(theirs[0].kind == RB_SEND && theirs[0].peer == rank);
                from = before[ops[i].peer].buffer[theirs[0].at.buffer];
            }
            if (ops[i].kind == RB_RECV || ops[i].kind == RB_COPY)
                strcpy(at, from);
            else
                combine(at, from, ops[i].incoming_is_left);
        }
    }
}

static void start_words(const struct rb_plan *plan, struct words words[])
{
    const bool apart = strcmp(rb_plan_collective(plan)->name, "exscan") == 0;
    memset(words, 0, MOST_RANKS * sizeof *words);
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++)
        words[rank].buffer[apart ? RB_SRC : RB_DST][0] = (char)('0' + rank);
}

/* "Computing prefix sums on an eight-node hypercube": in brackets the result, in parentheses the
 * outgoing message, which is kept here as long as anybody needs it. */
static void prefix_sums_are_those_of_the_figure(void **state)
{
    (void)state;
    static const struct {
        const char *result[8], *message[8];
    } before_step[] = {{{"0", "1", "2", "3", "4", "5", "6", "7"}, {"", "", "", "", "", "", "", ""}},
                       {{"0", "01", "2", "23", "4", "45", "6", "67"},
                        {"01", "01", "23", "23", "45", "45", "", ""}},
                       {{"0", "01", "012", "0123", "4", "45", "456", "4567"},
                        {"0123", "0123", "0123", "0123", "45", "45", "", ""}},
                       {{"0", "01", "012", "0123", "01234", "012345", "0123456", "01234567"},
                        {"0123", "0123", "0123", "0123", "45", "45", "", ""}}};
    static struct words words[MOST_RANKS];
    struct rb_plan *plan = make("scan", "hypercube", 8, 0);
    start_words(plan, words);
    for (int64_t t = 0; t <= 3; t++) {
        for (int32_t rank = 0; rank < 8; rank++) {
            assert_string_equal(words[rank].buffer[RB_DST], before_step[t].result[rank]);
            assert_string_equal(words[rank].buffer[RB_SRC], before_step[t].message[rank]);
        }
        if (t < 3)
            combine_round(plan, t, words);
    }
    rb_plan_destroy(plan);
}

/* Letters in rank order, at every rank: nothing that the algorithms have in common with the
 * verifier is relied on. */
static void results_are_in_rank_order(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"scan", "ring"},
                                           {"scan", "mesh"},
                                           {"scan", "hypercube"},
                                           {"exscan", "ring"},
                                           {"exscan", "mesh"},
                                           {"exscan", "hypercube"},
                                           {"allreduce", "ring-exchange"},
                                           {"allreduce", "mesh-exchange"},
                                           {"allreduce", "hypercube-exchange"}};
    static struct words words[MOST_RANKS];
    int32_t checked = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int32_t p = 1; p <= 50; p++) {
            const struct rb_plan_spec spec = {
                .collective = names[i][0], .algorithm = names[i][1], .p = p, .n = 1};
            struct rb_plan *plan;
            if (rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
                continue;
            start_words(plan, words);
            for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
                combine_round(plan, t, words);
            for (int32_t rank = 0; rank < p; rank++) {
                char expected[MOST_RANKS + 1] = "";
                const int32_t end = names[i][0][0] == 'a'   ? p
                                    : names[i][0][0] == 's' ? rank + 1
                                                            : rank;
                for (int32_t k = 0; k < end; k++)
                    expected[k] = (char)('0' + k);
                assert_string_equal(words[rank].buffer[RB_DST], expected);
            }
            checked++;
            rb_plan_destroy(plan);
        }
    assert_int_equal(checked, 4 * 50 + 6 + 3 * 37 + 50); /* p = 2^d; p = a b, 1, 2, 3 */
}

/* ---- Circular shifts ------------------------------------------------------------------------- */

/* "The communication steps in a circular 5-shift on a 4 x 4 mesh": along the rows; what went over
 * their ends, which is in the first column, along it; all along the columns. */
static void five_shift_on_mesh(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                               int64_t *blocks)
{
    (void)root;
    if (t == 1 && my_id % 4 != 0)
        return;
    *to = t == 0 ? my_id / 4 * 4 + (my_id + 1) % 4 : (my_id + 4) % p;
    *blocks = 1;
}

/* "The mapping of an eight-node linear array onto a three-dimensional hypercube to perform a
 * circular 5-shift as a combination of a 4-shift and a 1-shift". The book: each phase but the
 * 1-shift takes two steps, all between neighbours of the cube; formula (8) bounds their number. */
static void five_shift_on_hypercube(int32_t p, int32_t root, int64_t t, int32_t my_id, int32_t *to,
                                    int64_t *blocks)
{
    static const int32_t node[] = {0, 1, 3, 2, 6, 7, 5, 4}; /* of each place in the array */
    (void)p, (void)root;
    *blocks = 1;
    if (t == 2) {
        *to = (my_id + 1) % 8;
        return;
    }
    for (int32_t place = 0; place < 8; place++) /* bit 1 differs, then bit 2 */
        if (node[place] == (node[my_id] ^ (t == 0 ? 2 : 4)))
            *to = place;
}

static void shifts_are_those_of_the_figures(void **state)
{
    (void)state;
    follows(make_shift("mesh", 16, 5), 3, five_shift_on_mesh);
    follows(make_shift("hypercube", 8, 5), 3, five_shift_on_hypercube);
}

/* How many steps the slides allow: min(q, p - q) on a ring; sqrt(p) + 1 on a square mesh; 2 for
 * each power of two that q has, 1 for 2^0, so at most 2 log p - 1, on a hypercube. Data are right.
 */
static void shifts_take_as_long_as_they_may(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 36; p++)
        for (int32_t q = 1; q < p; q++) {
            const int32_t side = root_of_square(p), least = q < p - q ? q : p - q;
            const int32_t on_cube = 2 * __builtin_popcount((uint32_t)q) - q % 2;
            const struct {
                const char *algorithm;
                int64_t least, most;
            } known[] = {{"ring", least, least},
                         {"direct", 1, 1},
                         {"mesh", 1, side * side == p ? side + 1 : p},
                         {"hypercube", on_cube, 2 * rb_ceil_log2(p) - 1}};
            for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
                const struct rb_plan_spec spec = {
                    .collective = "shift", .algorithm = known[i].algorithm, .p = p, .n = 1};
                struct rb_verdict verdict;
                if (!rb_plan_is_supported(&spec))
                    continue;
                struct rb_plan *plan = make_shift(known[i].algorithm, p, q);
                if (rb_verify_plan(plan, NULL, &verdict) != RB_OK)
                    fail_msg("%s p %d q %d: %s", known[i].algorithm, p, q, verdict.what);
                assert_in_range(verdict.rounds, known[i].least, known[i].most);
                rb_plan_destroy(plan);
            }
        }
}

/* ---- What takes how long --------------------------------------------------------------------- */

/* Shapes of a mesh: the squarest, or the columns that are asked for; others are refused. */
static void meshes_have_the_columns_asked_for(void **state)
{
    (void)state;
    static const struct {
        int32_t p, radix, columns;
        const char *says;
    } known[] = {
        {2, 0, 2, NULL},
        {3, 0, 3, NULL},
        {12, 0, 4, NULL},
        {16, 0, 4, NULL},
        {24, 0, 6, NULL},
        {12, 2, 2, NULL},
        {12, 12, 12, NULL},
        {10, 0, 5, NULL},
        {49, 0, 7, NULL},
        {12, 5, 0, "the radix of allgather mesh for p = 12 can't be 5: the nearest: 4 and 6"},
        {49, 5, 0, "can't be 5: the nearest: 7"},
        {13, 0, 0,
         "allgather mesh needs p = a b (a, b > 1), or p < 4, not p = 13: the nearest: 12 and 14"},
        {12, 13, 0, "must be in 2..12 for p = 12, not 13"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {.collective = "allgather",
                                          .algorithm = "mesh",
                                          .p = known[i].p,
                                          .n = 1,
                                          .radix = known[i].radix};
        struct rb_plan *plan;
        char why[256];
        const int status = rb_plan_create(&spec, &plan, why, sizeof why);
        if (known[i].says != NULL) {
            assert_int_equal(status, RB_EINVAL);
            assert_non_null(strstr(why, known[i].says));
            continue;
        }
        assert_int_equal(status, RB_OK);
        assert_int_equal(rb_plan_radix(plan), known[i].columns);
        assert_int_equal(rb_plan_rounds(plan),
                         known[i].columns + known[i].p / known[i].columns - 2);
        rb_plan_destroy(plan);
    }
}

/* Of 6 x 6, 9 x 4 and other meshes the square one takes the fewest rounds; no power of two but
 * those that divide p is looked at, and for p = 9 there is none. */
static void the_best_mesh_is_one_that_fits(void **state)
{
    (void)state;
    static const struct {
        int32_t p;
        bool power_of_two;
        int32_t radix;
    } known[] = {{36, false, 6}, {36, true, 4}, {9, false, 3}, {9, true, 0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct rb_plan_spec spec = {
            .collective = "allgather", .algorithm = "mesh", .p = known[i].p, .n = 1};
        int32_t radix;
        assert_int_equal(rb_best_radix(&spec, 1000, 1e-6, 1e-9, known[i].power_of_two, &radix),
                         RB_OK);
        assert_int_equal(radix, known[i].radix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_the_procedures),
        cmocka_unit_test(messages_are_those_of_the_figures),
        cmocka_unit_test(prefix_sums_are_those_of_the_figure),
        cmocka_unit_test(results_are_in_rank_order),
        cmocka_unit_test(shifts_are_those_of_the_figures),
        cmocka_unit_test(shifts_take_as_long_as_they_may),
        cmocka_unit_test(meshes_have_the_columns_asked_for),
        cmocka_unit_test(the_best_mesh_is_one_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
