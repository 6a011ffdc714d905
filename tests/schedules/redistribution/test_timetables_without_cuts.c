/* Timetables without cuts for block-cyclic redistribution: the solver of formulas and the exact
 * decision against exhaustive search, the searches by the check of timetables, and the statements
 * of Desprez et al. 1998 on the counter-example and on Table 3. */
#include "redistributions.h"

#include <string.h>
#include <sys/resource.h>

#include "schedules/redistribution/redistribution.h"

/* ---- Formulas -------------------------------------------------------------------------------- */

enum { VARIABLES = 9, CLAUSES = 60 };

static bool holds(int32_t (*clause)[3], int32_t count, uint32_t assignment)
{
    for (int32_t i = 0; i < count; i++) {
        bool holds = false;
        for (int32_t k = 0; k < 3; k++) {
            const int32_t v = clause[i][k] > 0 ? clause[i][k] : -clause[i][k];
            holds = holds || (assignment >> v & 1) == (clause[i][k] > 0);
        }
        if (!holds)
            return false;
    }
    return true;
}

static bool any_holds(int32_t (*clause)[3], int32_t count)
{
    for (uint32_t assignment = 0; assignment < 2u << VARIABLES; assignment += 2)
        if (holds(clause, count, assignment))
            return true;
    return false;
}

static void random_clause(uint64_t *seed, int32_t clause[3])
{
    for (int32_t k = 0; k < 3; k++) {
        int32_t v;
        do
            v = (int32_t)random_in(seed, 1, VARIABLES);
        while ((k > 0 && v == abs(clause[0])) || (k > 1 && v == abs(clause[1])));
        clause[k] = random_in(seed, 0, 1) == 0 ? v : -v;
    }
}

static void formulas_against_all_assignments(void **state)
{
    (void)state;
    uint64_t seed = first_seed("formulas");
    int satisfiable = 0;
    for (int i = 0; i < 1000; i++) {
        int32_t clause[CLAUSES][3];
        const int32_t count = (int32_t)random_in(&seed, 20, CLAUSES);
        struct redist_formula *f = redist_formula_new();
        assert_non_null(f);
        for (int32_t v = 0; v < VARIABLES; v++)
            assert_int_equal(redist_formula_variable(f), v + 1);
        for (int32_t k = 0; k < count; k++) {
            random_clause(&seed, clause[k]);
            redist_formula_clause(f, clause[k], 3);
        }
        enum redist_answer answer;
        int64_t effort = 1 << 20;
        assert_int_equal(redist_formula_solve(f, &effort, &answer), RB_OK);
        assert_int_equal(answer, any_holds(clause, count) ? REDIST_YES : REDIST_NO);
        uint32_t assignment = 0;
        for (int32_t v = 1; answer == REDIST_YES && v <= VARIABLES; v++)
            assignment |= (uint32_t)redist_formula_true(f, v) << v;
        assert_true(answer == REDIST_NO || holds(clause, count, assignment));
        satisfiable += answer == REDIST_YES;
        redist_formula_free(f);
    }
    assert_in_range(satisfiable, 200, 800);
}

/* `pigeons` in one hole less: no, but only after many contradictions, so that the solver starts
 * afresh and forgets, too. */
static void pigeons_do_not_fit(void **state)
{
    (void)state;
    const int32_t pigeons = 8, holes = 7;
    struct redist_formula *f = redist_formula_new();
    assert_non_null(f);
    int32_t in[8][7];
    for (int32_t i = 0; i < pigeons; i++) {
        for (int32_t j = 0; j < holes; j++)
            in[i][j] = redist_formula_variable(f);
        redist_formula_clause(f, in[i], 7);
    }
    for (int32_t j = 0; j < holes; j++)
        for (int32_t a = 0; a < pigeons; a++)
            for (int32_t b = a + 1; b < pigeons; b++)
                redist_formula_clause(f, (int32_t[]){-in[a][j], -in[b][j]}, 2);
    enum redist_answer answer;
    int64_t effort = 1000;
    assert_int_equal(redist_formula_solve(f, &effort, &answer), RB_OK);
    assert_int_equal(answer, REDIST_UNDECIDED);
    effort = 1 << 24;
    assert_int_equal(redist_formula_solve(f, &effort, &answer), RB_OK);
    assert_int_equal(answer, REDIST_NO);
    redist_formula_free(f);
}

/* ---- The exact decision ---------------------------------------------------------------------- */

/* Tries all starts of operations i and on; busy: sets of instants. */
static bool fits(const struct redist_shop *shop, size_t i, uint32_t sends[], uint32_t receives[])
{
    if (i == shop->count)
        return true;
    const struct rb_message *m = &shop->op[i];
    for (int64_t t = 0; t + m->length <= shop->length; t++) {
        const uint32_t when = ((1u << m->length) - 1) << t;
        if ((sends[m->from] | receives[m->to]) & when)
            continue;
        sends[m->from] |= when;
        receives[m->to] |= when;
        if (fits(shop, i + 1, sends, receives))
            return true;
        sends[m->from] &= ~when;
        receives[m->to] &= ~when;
    }
    return false;
}

static void check_starts(const struct rb_traffic *traffic, const int64_t start[], int64_t length,
                         const char *what)
{
    struct rb_timetable timetable = {0};
    size_t room = 0;
    char why[256];
    for (size_t i = 0; i < traffic->count; i++)
        assert_int_equal(
            redist_timetable_add(&timetable, &room,
                                 (struct rb_piece){i, 0, traffic->message[i].length, start[i]}),
            RB_OK);
    redist_timetable_finish(&timetable);
    if (rb_timetable_check(&timetable, traffic, why, sizeof why) != RB_OK)
        fail_msg("%s: %s", what, why);
    assert_true(timetable.length <= length);
    rb_timetable_deinit(&timetable);
}

/* Up to four ports on each side, often with equal ones, lengths with or without a common factor;
 * just T_opt, where it is hardest. */
static void decisions_against_all_starts(void **state)
{
    (void)state;
    uint64_t seed = first_seed("decisions");
    int yes = 0, no = 0;
    for (int i = 0; i < 3000; i++) {
        struct rb_message op[16];
        int64_t sent[4] = {0}, received[4] = {0}, kind[2][4], start[16];
        const int64_t factor = random_in(&seed, 1, 2), senders = random_in(&seed, 1, 4);
        struct redist_shop shop = {
            .senders = (int32_t)senders, .receivers = (int32_t)random_in(&seed, 1, 4), .op = op};
        for (int k = 0; k < 4; k++)
            for (int side = 0; side < 2; side++)
                kind[side][k] = random_in(&seed, 0, 2);
        for (int32_t from = 0; from < shop.senders; from++)
            for (int32_t to = 0; to < shop.receivers; to++) {
                const int64_t length = (kind[0][from] * 2 + kind[1][to] * 5 + i) % 4 * factor;
                if (length == 0)
                    continue;
                op[shop.count++] = (struct rb_message){from, to, length};
                sent[from] += length;
                received[to] += length;
            }
        for (int k = 0; k < 4; k++) {
            shop.length = sent[k] > shop.length ? sent[k] : shop.length;
            shop.length = received[k] > shop.length ? received[k] : shop.length;
        }
        if (shop.count > 9 || shop.length > 10)
            continue;
        uint32_t sends[4] = {0}, receives[4] = {0};
        enum redist_answer answer;
        int64_t effort = 1 << 20;
        assert_int_equal(redist_shop_decide(&shop, &effort, start, &answer), RB_OK);
        assert_int_equal(answer, fits(&shop, 0, sends, receives) ? REDIST_YES : REDIST_NO);
        const struct rb_traffic traffic = {.senders = shop.senders,
                                           .receivers = shop.receivers,
                                           .count = shop.count,
                                           .message = op};
        if (answer == REDIST_YES)
            check_starts(&traffic, start, shop.length, "shop");
        yes += answer == REDIST_YES;
        no += answer == REDIST_NO;
    }
    printf("%d yes, %d no\n", yes, no);
    assert_true(yes > 100 && no > 0);
}

/* The answer for all messages of a problem within `more` than T_opt. */
static enum redist_answer decide(int32_t P, int64_t r, int32_t Q, int64_t s, int64_t more)
{
    const struct rb_redistribution problem = problem_of(P, r, Q, s, 0);
    struct rb_traffic traffic = traffic_of(&problem);
    const struct redist_shop shop = {P, Q, traffic.count, traffic.message,
                                     traffic.longest_port + more};
    int64_t *start = malloc(traffic.count * sizeof *start), effort = 1 << 24;
    enum redist_answer answer;
    assert_non_null(start);
    assert_int_equal(redist_shop_decide(&shop, &effort, start, &answer), RB_OK);
    if (answer == REDIST_YES)
        check_starts(&traffic, start, shop.length, text_of(&problem));
    free(start);
    rb_traffic_deinit(&traffic);
    return answer;
}

/* Section 4.2's counter-example, and smaller ones; Example 1 and those like it have a timetable. */
static void the_counter_example(void **state)
{
    (void)state;
    assert_int_equal(decide(15, 3, 15, 5, 0), REDIST_NO);
    assert_int_equal(decide(15, 3, 15, 5, 1), REDIST_YES);
    assert_int_equal(decide(12, 3, 12, 4, 0), REDIST_NO);
    assert_int_equal(decide(12, 3, 12, 4, 1), REDIST_YES);
    assert_int_equal(decide(4, 5, 5, 2, 0), REDIST_NO);
    assert_int_equal(decide(4, 5, 5, 2, 1), REDIST_YES);
    assert_int_equal(decide(6, 2, 6, 3, 0), REDIST_YES);
    assert_int_equal(decide(10, 2, 10, 5, 0), REDIST_YES);
    assert_int_equal(decide(15, 3, 15, 5, -1), REDIST_NO);
}

/* ---- The searches ---------------------------------------------------------------------------- */

static bool found_with(const struct rb_redistribution *problem, int64_t effort)
{
    struct rb_traffic traffic = traffic_of(problem);
    int64_t *start = malloc((traffic.count + 1) * sizeof *start);
    bool found;
    assert_non_null(start);
    assert_int_equal(redist_nocut_search(problem, &traffic, &effort, start, &found), RB_OK);
    if (found)
        check_starts(&traffic, start, traffic.longest_port, text_of(problem));
    free(start);
    rb_traffic_deinit(&traffic);
    return found;
}

static int64_t gcd(int64_t x, int64_t y)
{
    return y == 0 ? x : gcd(y, x % y);
}

/* All of P, Q <= 6, r, s <= 9: without any search if s' = 1 or r' = 1, and with one exactly where
 * the decision says so. */
static void all_small_grids(void **state)
{
    (void)state;
    int none = 0;
    for (int32_t P = 1; P <= 6; P++)
        for (int32_t Q = 1; Q <= 6; Q++)
            for (int64_t r = 1; r <= 9; r++)
                for (int64_t s = 1; s <= 9; s++) {
                    const struct rb_redistribution problem = problem_of(P, r, Q, s, 0);
                    const int64_t d = gcd(r, s);
                    if (gcd(r / d, Q) == 1 || gcd(s / d, P) == 1)
                        assert_true(found_with(&problem, 0));
                    else if (!found_with(&problem, 1 << 22)) {
                        if (decide(P, r, Q, s, 0) != REDIST_NO)
                            fail_msg("%s", text_of(&problem));
                        none++;
                    }
                }
    printf("%d without\n", none);
    assert_int_not_equal(none, 0);
}

/* Ranks by the hundred, by rotation alone. */
static void large_grids(void **state)
{
    (void)state;
    struct rb_redistribution problem = problem_of(512, 64, 512, 63, 0);
    assert_true(found_with(&problem, 0));
    problem = problem_of(310, 38, 247, 24, 0);
    assert_true(found_with(&problem, 0));
    problem.dimension[0].M *= 3;
    assert_true(found_with(&problem, 0));
    problem = problem_of(295, 44, 486, 59, 0);
    assert_true(found_with(&problem, 0));
}

/* Not whole slices, or not on disjoint grids: a search over all messages. */
static void grids_without_symmetry(void **state)
{
    (void)state;
    struct rb_redistribution problem = problem_of(6, 2, 6, 3, 50);
    assert_true(found_with(&problem, 1 << 20));
    problem = problem_of(6, 2, 6, 3, 36);
    problem.at = 3;
    assert_true(found_with(&problem, 1 << 20));
}

/* ---- Table 3 --------------------------------------------------------------------------------- */

static const struct {
    int32_t P;
    int64_t r;
    int32_t Q;
    int64_t s, bound, most_cuts; /* bound: as printed; units of one element per L */
} table_3[] = {
    {15, 4, 12, 3, 15, 0},    {15, 4, 16, 3, 16, 10},  {15, 2, 14, 3, 15, 7},
    {15, 2, 16, 3, 16, 0},    {16, 9, 18, 5, 45, 0},   {15, 9, 18, 5, 18, 10},
    {15, 16, 18, 32, 192, 0}, {15, 16, 9, 32, 160, 0}, {14, 17, 19, 33, 10659, 0},
};

static void best_in_table_3(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table_3 / sizeof *table_3; i++) {
        const struct rb_redistribution problem =
            problem_of(table_3[i].P, table_3[i].r, table_3[i].Q, table_3[i].s, 0);
        struct rb_traffic traffic = traffic_of(&problem);
        struct rb_timetable timetable;
        struct rb_timetable_facts facts;
        char why[256];
        const struct rb_redistribute_options options = {.most_effort = 300000};
        assert_int_equal(redist_best(&problem, &traffic, &options, &timetable, why, sizeof why),
                         RB_OK);
        if (rb_timetable_check(&timetable, &traffic, why, sizeof why) != RB_OK)
            fail_msg("%s: %s", text_of(&problem), why);
        assert_int_equal(rb_timetable_facts(&timetable, &traffic, &facts), RB_OK);
        assert_int_equal(facts.length * traffic.unit, table_3[i].bound);
        if (facts.cuts > table_3[i].most_cuts)
            fail_msg("%s: %lld cuts", text_of(&problem), (long long)facts.cuts);
        rb_timetable_deinit(&timetable);
        rb_traffic_deinit(&traffic);
    }
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_MEMORY 0 /* the sanitizer takes terabytes of addresses */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_MEMORY 0
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY 1
#endif

/* Few ranks, but thousands of units: a formula would have billions of literals. */
static void long_operations(void **state)
{
    static const struct rb_message op[] = {{0, 0, 3091}, {0, 1, 3089}, {1, 0, 3087}, {1, 1, 3078}};
    const struct redist_shop shop = {2, 2, 4, op, 12345};
    int64_t start[4], effort = RB_MOST_EFFORT;
    enum redist_answer answer = REDIST_YES;
    (void)state;
    assert_int_equal(redist_shop_decide(&shop, &effort, start, &answer), RB_OK);
    assert_int_equal(answer, REDIST_UNDECIDED);
    assert_int_equal(effort, RB_MOST_EFFORT);
}

/* best has a timetable of T_opt in 512 MB, and says where it gave up. */
static void best_is_bounded(void **state)
{
    static const struct {
        int32_t P, r, Q, s;
        int64_t M;
        bool gave_up;
    } shape[] = {
        {4, 11, 1, 9, 12345, false}, {15, 4, 16, 3, 54321, true}, {3, 5, 4, 3, 99991, false}};
    struct rlimit before, limited;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limited = before;
    limited.rlim_cur = (rlim_t)512 << 20;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        const struct rb_redistribution problem =
            problem_of(shape[i].P, shape[i].r, shape[i].Q, shape[i].s, shape[i].M);
        struct rb_traffic traffic = traffic_of(&problem);
        struct rb_timetable timetable;
        struct rb_timetable_facts facts;
        char why[256];
        if (LIMITS_MEMORY)
            assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
        const int status = redist_best(&problem, &traffic, NULL, &timetable, why, sizeof why);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        assert_int_equal(status, RB_OK);
        if (rb_timetable_check(&timetable, &traffic, why, sizeof why) != RB_OK)
            fail_msg("%s: %s", text_of(&problem), why);
        assert_int_equal(rb_timetable_facts(&timetable, &traffic, &facts), RB_OK);
        assert_int_equal(facts.length, facts.bound);
        if (timetable.gave_up != shape[i].gave_up)
            fail_msg("%s: %lld cuts, %s", text_of(&problem), (long long)facts.cuts,
                     timetable.gave_up ? "gave up" : "did not give up");
        rb_timetable_deinit(&timetable);
        rb_traffic_deinit(&traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_against_all_assignments),
        cmocka_unit_test(pigeons_do_not_fit),
        cmocka_unit_test(decisions_against_all_starts),
        cmocka_unit_test(the_counter_example),
        cmocka_unit_test(all_small_grids),
        cmocka_unit_test(large_grids),
        cmocka_unit_test(grids_without_symmetry),
        cmocka_unit_test(best_in_table_3),
        cmocka_unit_test(long_operations),
        cmocka_unit_test(best_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
