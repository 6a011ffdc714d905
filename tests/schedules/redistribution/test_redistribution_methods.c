/* Timetables for block-cyclic redistribution: every method passes the check, on problems and on
 * arbitrary traffic, and agrees with the statements of Desprez et al. 1998. */
#include "redistributions.h"

#include <string.h>

#include "schedules/redistribution/redistribution.h"

static struct rb_timetable_facts checked(const char *method, const struct rb_timetable *timetable,
                                         const struct rb_traffic *traffic, const char *what)
{
    struct rb_timetable_facts facts;
    char why[256];
    if (rb_timetable_check(timetable, traffic, why, sizeof why) != RB_OK)
        fail_msg("%s of %s: %s", method, what, why);
    assert_int_equal(rb_timetable_facts(timetable, traffic, &facts), RB_OK);
    return facts;
}

/* Makes, checks and drops a timetable. */
static struct rb_timetable_facts facts_of(rb_redistribute *schedule, const char *method,
                                          const struct rb_redistribution *problem,
                                          const struct rb_traffic *traffic, const char *what)
{
    struct rb_timetable timetable;
    char why[256];
    if (schedule(problem, traffic, NULL, &timetable, why, sizeof why) != RB_OK)
        fail_msg("%s of %s: %s", method, what, why);
    const struct rb_timetable_facts facts = checked(method, &timetable, traffic, what);
    rb_timetable_deinit(&timetable);
    return facts;
}

static int64_t different_starts(const struct rb_timetable *timetable)
{
    int64_t starts = 0;
    for (size_t i = 0; i < timetable->count; i++)
        starts += i == 0 || timetable->piece[i].start != timetable->piece[i - 1].start;
    return starts;
}

/* Every step starts when all of the one before has ended. */
static void is_in_steps(const struct rb_timetable *timetable, int64_t most, const char *what)
{
    int64_t end = 0;
    for (size_t i = 0; i < timetable->count; i++) {
        const struct rb_piece *p = &timetable->piece[i];
        const bool first = i == 0 || p->start != p[-1].start;
        if (first && p->start != end)
            fail_msg("%s: a step starts at %lld, not %lld", what, (long long)p->start,
                     (long long)end);
        end = p->start + p->length > end ? p->start + p->length : end;
    }
    if (different_starts(timetable) > most)
        fail_msg("%s: %lld steps, not %lld", what, (long long)different_starts(timetable),
                 (long long)most);
}

static int64_t units_of(const struct rb_traffic *traffic)
{
    int64_t units = 0;
    for (size_t i = 0; i < traffic->count; i++)
        units += traffic->message[i].length;
    return units;
}

static int64_t least_total(const struct rb_traffic *traffic, int32_t fewest)
{
    int64_t *longest = calloc((size_t)fewest + 1, sizeof *longest), total = 0;
    assert_non_null(longest);
    assert_int_equal(redist_steps_bound(traffic, longest), RB_OK);
    for (int32_t k = 0; k < fewest; k++)
        total += longest[k];
    free(longest);
    return total;
}

/* What each method promises. */
static void keeps_its_promise(const char *method, const struct rb_timetable *timetable,
                              const struct rb_timetable_facts *facts,
                              const struct rb_traffic *traffic, const char *what)
{
    int32_t fewest;
    assert_int_equal(redist_steps_fewest(traffic, &fewest), RB_OK);
    const bool steps = strncmp(method, "stepwise", 8) == 0;
    if (strcmp(method, "best") == 0) {
        assert_int_equal(facts->length, facts->bound);
    } else if (strcmp(method, "matching") == 0) {
        assert_int_equal(facts->length, facts->bound);
        assert_true(different_starts(timetable) <= (int64_t)traffic->count);
    } else if (strcmp(method, "unit") == 0) {
        assert_int_equal(facts->length, facts->bound);
        assert_int_equal(timetable->count, units_of(traffic));
    } else {
        assert_int_equal(facts->cuts, 0);
        assert_true(facts->length >= facts->bound);
        if (strcmp(method, "modular") == 0)
            assert_int_equal(facts->length, facts->bound);
        if (strcmp(method, "caterpillar") == 0)
            is_in_steps(timetable,
                        traffic->senders > traffic->receivers ? traffic->senders
                                                              : traffic->receivers,
                        what);
        if (steps) {
            is_in_steps(timetable, strcmp(method, "stepwise") == 0 ? fewest : 2 * fewest, what);
            assert_true(facts->length >= least_total(traffic, fewest));
        }
    }
}

/* All methods; only modular may refuse. None has T_opt with fewer cuts than best. */
static void try_all(const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                    const char *what)
{
    const struct rb_redistribute_options options = {
        .most_exchanges = 50, .most_nodes = 500, .most_effort = 5000};
    int64_t cuts = 0; /* of the first method, which is best */
    for (const struct rb_redistribute_method *method = rb_redistribute_methods;
         method->name != NULL; method++) {
        struct rb_timetable timetable;
        char why[256];
        const int status =
            method->schedule(problem, traffic, &options, &timetable, why, sizeof why);
        if (status == RB_EINVAL && strcmp(method->name, "modular") == 0)
            continue;
        if (status != RB_OK)
            fail_msg("%s of %s: %s", method->name, what, why);
        const struct rb_timetable_facts facts = checked(method->name, &timetable, traffic, what);
        keeps_its_promise(method->name, &timetable, &facts, traffic, what);
        cuts = method == rb_redistribute_methods ? facts.cuts : cuts;
        if (facts.length == facts.bound && facts.cuts < cuts)
            fail_msg("%s has fewer cuts than best on %s", method->name, what);
        rb_timetable_deinit(&timetable);
    }
}

static void every_method_on_random_problems(void **state)
{
    (void)state;
    uint64_t seed = first_seed("random problems");
    for (int i = 0; i < 2000; i++) {
        struct rb_redistribution problem = {.dimensions = random_in(&seed, 0, 9) == 0 ? 2 : 1};
        const int64_t most = problem.dimensions == 1 ? 8 : 3;
        int64_t senders = 1;
        for (int32_t k = 0; k < problem.dimensions; k++) {
            struct rb_cyclic *c = &problem.dimension[k];
            *c = (struct rb_cyclic){.P = (int32_t)random_in(&seed, 1, most),
                                    .r = random_in(&seed, 1, most),
                                    .Q = (int32_t)random_in(&seed, 1, most),
                                    .s = random_in(&seed, 1, most)};
            const int64_t slice = slice_of(c->P, c->r, c->Q, c->s);
            c->M = random_in(&seed, 0, 1) == 0 ? slice : random_in(&seed, 1, 2 * slice);
            senders *= c->P;
        }
        problem.at =
            (int32_t)(random_in(&seed, 0, 1) == 0 ? senders : random_in(&seed, 0, senders));
        struct rb_traffic traffic = traffic_of(&problem);
        if (units_of(&traffic) <= 3000)
            try_all(&problem, &traffic, text_of(&problem));
        rb_traffic_deinit(&traffic);
    }
}

/* Traffic that no array has: any pairs, any lengths. */
static struct rb_traffic random_traffic(uint64_t *seed, int32_t ranks, int64_t longest,
                                        int64_t density)
{
    struct rb_traffic t = {.senders = (int32_t)random_in(seed, 1, ranks),
                           .receivers = (int32_t)random_in(seed, 1, ranks),
                           .unit = 1};
    int64_t received[64] = {0};
    t.message = malloc((size_t)(t.senders * t.receivers) * sizeof *t.message);
    assert_non_null(t.message);
    for (int32_t i = 0; i < t.senders; i++) {
        int64_t sent = 0;
        for (int32_t j = 0; j < t.receivers; j++) {
            if (random_in(seed, 1, 100) > density)
                continue;
            const int64_t length = random_in(seed, 1, longest);
            t.message[t.count++] = (struct rb_message){i, j, length};
            sent += length;
            received[j] += length;
            t.longest_port = received[j] > t.longest_port ? received[j] : t.longest_port;
        }
        t.longest_port = sent > t.longest_port ? sent : t.longest_port;
    }
    return t;
}

static void every_method_on_random_traffic(void **state)
{
    (void)state;
    uint64_t seed = first_seed("random traffic");
    for (int i = 0; i < 1000; i++) {
        struct rb_traffic traffic =
            random_traffic(&seed, 12, random_in(&seed, 1, 30), random_in(&seed, 5, 100));
        char what[64];
        snprintf(what, sizeof what, "traffic %d", i);
        try_all(NULL, &traffic, what);
        rb_traffic_deinit(&traffic);
    }
}

/* The same distribution on the same ranks. */
static void nothing_to_send_takes_no_time(void **state)
{
    (void)state;
    struct rb_redistribution problem = problem_of(5, 3, 5, 3, 100);
    problem.at = 0;
    struct rb_traffic t = traffic_of(&problem);
    assert_int_equal(t.count, 0);
    assert_int_equal(t.copies, 5);
    try_all(&problem, &t, "nothing");
    rb_traffic_deinit(&t);
}

/* Work goes by messages, not by units. */
static void long_messages_take_no_longer(void **state)
{
    (void)state;
    uint64_t seed = first_seed("long messages");
    for (int i = 0; i < 20; i++) {
        struct rb_traffic t = random_traffic(&seed, 12, (int64_t)1 << 50, 60);
        char what[64];
        snprintf(what, sizeof what, "traffic %d", i);
        const struct rb_timetable_facts facts =
            facts_of(redist_matching, "matching", NULL, &t, what);
        assert_int_equal(facts.length, t.longest_port);
        facts_of(redist_greedy, "greedy", NULL, &t, what);
        facts_of(redist_stepwise, "stepwise", NULL, &t, what);
        rb_traffic_deinit(&t);
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The least total of all ways to put messages from i on into the steps, or into new ones, if there
 * are at most `most`. */
static int64_t least_of_all(const struct rb_traffic *t, size_t i, int32_t step[], int32_t steps,
                            int32_t most)
{
    if (i == t->count) {
        int64_t total = 0;
        for (int32_t k = 0; k < steps; k++) {
            int64_t longest = 0;
            for (size_t x = 0; x < t->count; x++)
                if (step[x] == k && t->message[x].length > longest)
                    longest = t->message[x].length;
            total += longest;
        }
        return total;
    }
    int64_t least = INT64_MAX;
    for (step[i] = 0; step[i] <= steps && step[i] < most; step[i]++) {
        bool fits = true;
        for (size_t x = 0; x < i; x++)
            fits = fits && !(step[x] == step[i] && (t->message[x].from == t->message[i].from ||
                                                    t->message[x].to == t->message[i].to));
        if (!fits)
            continue;
        const int64_t total =
            least_of_all(t, i + 1, step, step[i] == steps ? steps + 1 : steps, most);
        least = total < least ? total : least;
    }
    return least;
}

/* Nothing is below the least; and few of both methods' totals, less than one of a hundred, above.
 */
static void small_steps_are_seldom_above_the_least(void **state)
{
    (void)state;
    uint64_t seed = first_seed("small steps");
    int tried = 0, above = 0;
    for (int i = 0; i < 1500; i++) {
        struct rb_traffic t = random_traffic(&seed, 3, 9, 80);
        int32_t step[9], fewest;
        char what[64];
        snprintf(what, sizeof what, "traffic %d", i);
        if (t.count > 0 && t.count <= 7) {
            assert_int_equal(redist_steps_fewest(&t, &fewest), RB_OK);
            const int64_t found[] = {
                facts_of(redist_stepwise, "stepwise", NULL, &t, what).length,
                facts_of(redist_stepwise_total, "stepwise-total", NULL, &t, what).length};
            const int64_t least[] = {least_of_all(&t, 0, step, 0, fewest),
                                     least_of_all(&t, 0, step, 0, INT32_MAX)};
            for (int k = 0; k < 2; k++) {
                assert_true(found[k] >= least[k]);
                above += found[k] > least[k];
                tried++;
            }
        }
        rb_traffic_deinit(&t);
    }
    printf("%d of %d above the least\n", above, tried);
    assert_true(100 * above < tried);
}

/* ---- The paper ------------------------------------------------------------------------------- */

static void steps_take_9_units_of_example_1_and_the_others_6(void **state)
{
    (void)state;
    const struct rb_redistribution problem = problem_of(6, 2, 6, 3, 36);
    struct rb_traffic t = traffic_of(&problem);
    int32_t fewest;
    assert_int_equal(redist_steps_fewest(&t, &fewest), RB_OK);
    assert_int_equal(fewest, 6);
    assert_int_equal(least_total(&t, 6), 9);
    const char *const what = "Example 1";
    assert_int_equal(facts_of(redist_stepwise, "stepwise", &problem, &t, what).length, 9);
    assert_int_equal(facts_of(redist_stepwise_total, "stepwise-total", &problem, &t, what).length,
                     9);
    const struct rb_timetable_facts greedy = facts_of(redist_greedy, "greedy", &problem, &t, what);
    assert_int_equal(greedy.length, 6);
    assert_int_equal(greedy.cuts, 0);
    assert_int_equal(facts_of(redist_matching, "matching", &problem, &t, what).length, 6);
    rb_traffic_deinit(&t);
    const struct rb_redistribution back = problem_of(6, 3, 6, 2, 36);
    t = traffic_of(&back);
    assert_int_equal(least_total(&t, 6), 9);
    rb_traffic_deinit(&t);
}

/* Table 3; its seventh row has L = 2800, and lcm(15 * 16, 18 * 32) is 2880. Its T_algo is what the
 * paper's heuristic takes without exchanges. The cuts are
 * matching's at present and the total that of stepwise-total: no more. */
static void lengths_reach_those_of_table_3(void **state)
{
    (void)state;
    const struct row {
        int32_t P;
        int64_t r;
        int32_t Q;
        int64_t s, L, optimum, algo, cuts, total;
    } rows[] = {{15, 4, 12, 3, 180, 15, 18, 1, 21},
                {15, 4, 16, 3, 240, 16, 23, 10, 24},
                {15, 2, 14, 3, 210, 15, 19, 7, 22},
                {15, 2, 16, 3, 240, 16, 22, 5, 24},
                {16, 9, 18, 5, 720, 45, 49, 18, 61},
                {15, 9, 18, 5, 270, 18, 20, 10, 26},
                {15, 16, 18, 32, 2880, 192, 208, 0, 192},
                {15, 16, 9, 32, 1440, 160, 174, 0, 160},
                {14, 17, 19, 33, 149226, 10659, 10659, 0, 10659}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rb_redistribution problem =
            problem_of(rows[i].P, rows[i].r, rows[i].Q, rows[i].s, 0);
        assert_int_equal(problem.dimension[0].M, rows[i].L);
        struct rb_traffic t = traffic_of(&problem);
        const char *const what = text_of(&problem);
        assert_int_equal(t.longest_port * t.unit, rows[i].optimum);
        const struct rb_timetable_facts matching =
            facts_of(redist_matching, "matching", &problem, &t, what);
        assert_int_equal(matching.length * t.unit, rows[i].optimum);
        assert_true(matching.cuts <= rows[i].cuts);
        const int64_t fewest = facts_of(redist_stepwise, "stepwise", &problem, &t, what).length;
        const int64_t total =
            facts_of(redist_stepwise_total, "stepwise-total", &problem, &t, what).length;
        assert_true(total * t.unit <= rows[i].total);
        assert_true(total <= fewest);
        const int64_t greedy =
            facts_of(redist_greedy, "greedy", &problem, &t, what).length * t.unit;
        if (greedy > rows[i].algo)
            fail_msg("%s: greedy takes %lld, the paper's heuristic %lld", what, (long long)greedy,
                     (long long)rows[i].algo);
        rb_traffic_deinit(&t);
    }
}

static int64_t gcd(int64_t x, int64_t y)
{
    return y == 0 ? x : gcd(y, x % y);
}

/* Proposition 1 with its inequality the right way round, and that gcd(r, Q) = 1 or gcd(s, P) = 1 is
 * enough (modular.c says why), for all small grids. What modular does make is T_opt without cuts.
 */
static void modular_has_no_cuts_where_proposition_1_holds(void **state)
{
    (void)state;
    int32_t problems = 0, covered = 0, left = 0;
    for (int32_t P = 1; P <= 9; P++)
        for (int32_t Q = 1; Q <= 9; Q++)
            for (int64_t r = 1; r <= 6; r++)
                for (int64_t s = 1; s <= 6; s++) {
                    if (gcd(r, s) > 1)
                        continue;
                    const int64_t r_ = gcd(r, Q), s_ = gcd(s, P);
                    const bool proposition =
                        r_ == s_ || (r_ < s_ ? P / s_ >= Q / r_ : P / s_ <= Q / r_);
                    const struct rb_redistribution problem = problem_of(P, r, Q, s, 0);
                    struct rb_traffic t = traffic_of(&problem);
                    struct rb_timetable timetable;
                    char why[256];
                    const int status =
                        redist_modular(&problem, &t, NULL, &timetable, why, sizeof why);
                    problems++;
                    covered += proposition;
                    left += status != RB_OK;
                    if (status != RB_OK && (proposition || r_ == 1 || s_ == 1))
                        fail_msg("%s: %s", text_of(&problem), why);
                    if (status == RB_OK) {
                        const struct rb_timetable_facts facts =
                            checked("modular", &timetable, &t, text_of(&problem));
                        assert_int_equal(facts.length, facts.bound);
                        assert_int_equal(facts.cuts, 0);
                    }
                    rb_timetable_deinit(&timetable);
                    rb_traffic_deinit(&t);
                }
    print_message("%d problems: Proposition 1 has %d, modular all but %d\n", problems, covered,
                  left);
    assert_true(left <= 12);
}

static void refused(rb_redistribute *schedule, struct rb_redistribution problem,
                    const struct rb_redistribute_options *options, const char *words)
{
    struct rb_traffic t = traffic_of(&problem);
    struct rb_timetable timetable;
    char why[256];
    assert_int_equal(schedule(&problem, &t, options, &timetable, why, sizeof why), RB_EINVAL);
    assert_string_equal(why, words);
    rb_traffic_deinit(&t);
}

static void refusals_say_why(void **state)
{
    (void)state;
    const struct rb_redistribute_options few = {.most_pieces = 35};
    refused(redist_unit, problem_of(6, 2, 6, 3, 36), &few,
            "unit cuts into 36 pieces here, more than 35: matching doesn't");
    /* These two can't be done (modular.c); Proposition 1 as printed says they can. */
    refused(redist_modular, problem_of(15, 3, 15, 5, 0), NULL,
            "modular's classes are too many at once for the ranks: r' = gcd(r, Q) = 3, s' = gcd(s, "
            "P) = 5, P / s' = 3, Q / r' = 5");
    refused(redist_modular, problem_of(4, 5, 5, 2, 0), NULL,
            "modular's classes are too many at once for the receivers: r' = gcd(r, Q) = 5, s' = "
            "gcd(s, P) = 2, P / s' = 2, Q / r' = 1");
    refused(redist_modular, problem_of(6, 2, 6, 3, 0), NULL,
            "modular's classes are too many at once for the ranks: r' = gcd(r, Q) = 2, s' = gcd(s, "
            "P) = 3, P / s' = 2, Q / r' = 3");
    refused(redist_modular, problem_of(15, 4, 12, 3, 0), NULL,
            "modular's classes are too many at once for the senders: r' = gcd(r, Q) = 4, s' = "
            "gcd(s, P) = 3, P / s' = 5, Q / r' = 3");
    refused(redist_modular, problem_of(15, 3, 6, 5, 91), NULL,
            "modular needs M, 91, to be a multiple of lcm(P r, Q s), 90");
    refused(redist_modular, problem_of(15, 3, 6, 5, 89), NULL,
            "modular needs M, 89, to be a multiple of lcm(P r, Q s), which is more");
    struct rb_redistribution same = problem_of(2, 1, 2, 2, 0);
    same.at = 0;
    refused(redist_modular, same, NULL,
            "modular takes 2 units here, not 1: on grids that overlap there is less to send");
    struct rb_redistribution plane = problem_of(2, 1, 3, 1, 0);
    plane.dimensions = 2;
    plane.dimension[1] = problem_of(3, 1, 2, 1, 0).dimension[0];
    plane.at = 6;
    refused(redist_modular, plane, NULL,
            "modular takes 9 units here, not 6: its dimensions differ in which side never rests");
}

/* (16, 9) -> (18, 5) has classes in phases, and 10,000 elements are 13 slices and a bit. */
static void greedy_takes_the_order_of_classes(void **state)
{
    (void)state;
    const struct rb_redistribution problem = problem_of(16, 9, 18, 5, 10000);
    struct rb_traffic t = traffic_of(&problem);
    assert_int_equal(facts_of(redist_greedy, "greedy", &problem, &t, "a bit").length, 630);
    assert_int_equal(t.longest_port, 630);
    rb_traffic_deinit(&t);
}

static void modular_in_several_dimensions(void **state)
{
    (void)state;
    struct rb_redistribution problem = problem_of(15, 3, 6, 5, 0);
    problem.dimensions = 3;
    problem.dimension[1] = problem_of(4, 5, 3, 2, 0).dimension[0];
    problem.dimension[2] = problem_of(2, 3, 2, 1, 12).dimension[0];
    problem.at = 15 * 4 * 2;
    struct rb_traffic t = traffic_of(&problem);
    const struct rb_timetable_facts facts =
        facts_of(redist_modular, "modular", &problem, &t, "three dimensions");
    assert_int_equal(facts.length, facts.bound);
    assert_int_equal(facts.cuts, 0);
    rb_traffic_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_on_random_problems),
        cmocka_unit_test(every_method_on_random_traffic),
        cmocka_unit_test(nothing_to_send_takes_no_time),
        cmocka_unit_test(long_messages_take_no_longer),
        cmocka_unit_test(small_steps_are_seldom_above_the_least),
        cmocka_unit_test(steps_take_9_units_of_example_1_and_the_others_6),
        cmocka_unit_test(lengths_reach_those_of_table_3),
        cmocka_unit_test(modular_has_no_cuts_where_proposition_1_holds),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(greedy_takes_the_order_of_classes),
        cmocka_unit_test(modular_in_several_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
