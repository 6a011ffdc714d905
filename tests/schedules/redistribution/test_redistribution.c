/* Block-cyclic redistribution: the messages of all pairs, against element-by-element counts and the
 * tables of Desprez et al. 1998; and the faults that the check of timetables finds. */
#include "redistributions.h"

#include <string.h>

/* ---- Traffic --------------------------------------------------------------------------------- */

/* The rank that has element x of one dimension. */
static int64_t owner(int64_t x, int64_t block, int64_t ranks)
{
    return x / block % ranks;
}

/* count[from * receivers + to], element by element. */
static void count_elements(const struct rb_redistribution *problem, int64_t receivers,
                           int64_t count[])
{
    int64_t elements = 1;
    for (int32_t i = 0; i < problem->dimensions; i++)
        elements *= problem->dimension[i].M;
    for (int64_t element = 0; element < elements; element++) {
        int64_t from = 0, to = 0, rest = element, above = elements;
        for (int32_t i = 0; i < problem->dimensions; i++) {
            const struct rb_cyclic *c = &problem->dimension[i];
            above /= c->M;
            from = from * c->P + owner(rest / above, c->r, c->P);
            to = to * c->Q + owner(rest / above, c->s, c->Q);
            rest %= above;
        }
        count[from * receivers + to]++;
    }
}

/* Takes messages off the counts; checks their order, and returns the gcd of their lengths. */
static int64_t take_off(const struct rb_message message[], size_t count, int64_t receivers,
                        int64_t unit, int64_t elements[], int64_t common)
{
    for (size_t i = 0; i < count; i++) {
        const struct rb_message m = message[i];
        assert_true(i == 0 || message[i - 1].from < m.from ||
                    (message[i - 1].from == m.from && message[i - 1].to < m.to));
        assert_true(m.length > 0);
        elements[m.from * receivers + m.to] -= m.length * unit;
        for (int64_t a = m.length; a != 0;) {
            const int64_t rest = common % a;
            common = a;
            a = rest;
        }
    }
    return common;
}

/* The same messages and copies. */
static void check_pairs(const struct rb_traffic *t, const int64_t elements[])
{
    struct rb_traffic pairs;
    assert_int_equal(rb_traffic_of_pairs(&pairs, t->senders, elements), RB_OK);
    assert_int_equal(pairs.unit, t->unit);
    assert_int_equal(pairs.longest_port, t->longest_port);
    assert_int_equal(pairs.count, t->count);
    assert_int_equal(pairs.copies, t->copies);
    for (size_t i = 0; i < t->count + t->copies; i++) {
        const struct rb_message *a = i < t->count ? &t->message[i] : &t->copy[i - t->count];
        const struct rb_message *b = i < t->count ? &pairs.message[i] : &pairs.copy[i - t->count];
        assert_true(a->from == b->from && a->to == b->to && a->length == b->length);
    }
    rb_traffic_deinit(&pairs);
}

static void compare(const struct rb_redistribution *problem)
{
    struct rb_traffic t = traffic_of(problem);
    const size_t pairs = (size_t)t.senders * (size_t)t.receivers;
    int64_t *elements = calloc(pairs, sizeof *elements);
    assert_non_null(elements);
    count_elements(problem, t.receivers, elements);
    if (problem->at == 0 && t.senders == t.receivers)
        check_pairs(&t, elements);
    int64_t longest = 0;
    for (int64_t i = 0; i < t.senders + t.receivers; i++) {
        int64_t load = 0;
        for (int64_t j = 0; j < (i < t.senders ? t.receivers : t.senders); j++) {
            const int64_t from = i < t.senders ? i : j, to = i < t.senders ? j : i - t.senders;
            load += from == problem->at + to ? 0 : elements[from * t.receivers + to];
        }
        longest = load > longest ? load : longest;
    }
    int64_t common = take_off(t.message, t.count, t.receivers, t.unit, elements, 0);
    common = take_off(t.copy, t.copies, t.receivers, t.unit, elements, common);
    for (size_t i = 0; i < t.copies; i++)
        assert_int_equal(t.copy[i].from, problem->at + t.copy[i].to);
    for (size_t i = 0; i < t.count; i++)
        assert_int_not_equal(t.message[i].from, problem->at + t.message[i].to);
    for (size_t i = 0; i < pairs; i++)
        if (elements[i] != 0)
            fail_msg("%s: %lld elements of %zu -> %zu are missing", text_of(problem),
                     (long long)elements[i], i / (size_t)t.receivers, i % (size_t)t.receivers);
    if (common != 1 || t.longest_port * t.unit != longest)
        fail_msg("%s: lengths have the divisor %lld, the bound is %lld, not %lld", text_of(problem),
                 (long long)common, (long long)longest, (long long)(t.longest_port * t.unit));
    free(elements);
    rb_traffic_deinit(&t);
}

static struct rb_cyclic random_dimension(uint64_t *seed, int64_t most)
{
    struct rb_cyclic c = {.P = (int32_t)random_in(seed, 1, most),
                          .r = random_in(seed, 1, most),
                          .Q = (int32_t)random_in(seed, 1, most),
                          .s = random_in(seed, 1, most)};
    const int64_t slice = slice_of(c.P, c.r, c.Q, c.s);
    switch (random_in(seed, 0, 3)) {
    case 0:
        c.M = slice;
        break;
    case 1:
        c.M = random_in(seed, 1, 3 * slice);
        break;
    case 2:
        c.M = random_in(seed, 1, most * most);
        break;
    default:
        c.r = random_in(seed, 1, 40 * most); /* one side in long blocks */
        c.M = random_in(seed, 1, 80 * most);
    }
    return c;
}

static void traffic_is_what_the_elements_say(void **state)
{
    (void)state;
    uint64_t seed = first_seed("traffic");
    for (int i = 0; i < 3000; i++) {
        struct rb_redistribution problem = {.dimensions = 1,
                                            .dimension = {random_dimension(&seed, 12)}};
        if (i % 2 == 0) { /* so that blocks are turned both ways */
            const struct rb_cyclic c = problem.dimension[0];
            problem.dimension[0] = (struct rb_cyclic){c.s, c.r, c.Q, c.P, c.M};
        }
        problem.at = (int32_t)random_in(&seed, 0, problem.dimension[0].P);
        if (problem.dimension[0].M <= 2000)
            compare(&problem);
    }
    for (int i = 0; i < 500; i++) {
        struct rb_redistribution problem = {.dimensions = (int32_t)random_in(&seed, 2, 3)};
        int64_t elements = 1, senders = 1;
        for (int32_t k = 0; k < problem.dimensions; k++) {
            problem.dimension[k] = random_dimension(&seed, 4);
            elements *= problem.dimension[k].M;
            senders *= problem.dimension[k].P;
        }
        problem.at = (int32_t)random_in(&seed, 0, senders);
        if (elements <= 2000)
            compare(&problem);
    }
}

/* BLOCK to CYCLIC(1) and the like: 2^62 elements, no table of elements. Sums are known. */
static void large_arrays_take_no_longer(void **state)
{
    (void)state;
    const struct rb_cyclic large[] = {
        {.P = 4, .r = (int64_t)1 << 60, .Q = 3, .s = 1, .M = RB_MAX_ELEMENTS},
        {.P = 3, .r = 1, .Q = 4, .s = (int64_t)1 << 60, .M = RB_MAX_ELEMENTS},
        {.P = 1, .r = RB_MAX_ELEMENTS, .Q = 1, .s = RB_MAX_ELEMENTS, .M = RB_MAX_ELEMENTS},
        {.P = 200, .r = 64, .Q = 199, .s = 63, .M = RB_MAX_ELEMENTS},
        {.P = 7, .r = 999999937, .Q = 5, .s = 1000000007, .M = (int64_t)12345678901},
        {.P = 5, .r = INT64_MAX, .Q = RB_MAX_RANKS / 1024, .s = INT64_MAX, .M = 17},
        {.P = 2, .r = 1000003, .Q = 2, .s = 1000033, .M = (int64_t)4000144000396 * 1000},
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const struct rb_redistribution problem = {
            .dimensions = 1, .dimension = {large[i]}, .at = large[i].P};
        struct rb_traffic t = traffic_of(&problem);
        int64_t elements = 0;
        for (size_t k = 0; k < t.count; k++)
            elements += t.message[k].length * t.unit;
        assert_int_equal(elements, large[i].M);
        rb_traffic_deinit(&t);
    }
}

/* ---- The paper's tables ---------------------------------------------------------------------- */

/* Compares a grid, a row per sender, '-' where there is no message. */
static void grid_is(const struct rb_redistribution *problem, const char *const rows[])
{
    struct rb_traffic t = traffic_of(problem);
    assert_int_equal(t.unit, 1);
    size_t next = 0;
    for (int32_t i = 0; i < t.senders; i++) {
        assert_int_equal(strlen(rows[i]), t.receivers);
        for (int32_t j = 0; j < t.receivers; j++) {
            const bool has = next < t.count && t.message[next].from == i && t.message[next].to == j;
            const char length = has ? (char)('0' + t.message[next++].length) : '-';
            if (length != rows[i][j])
                fail_msg("%s: %d -> %d is '%c', not '%c'", text_of(problem), i, j, length,
                         rows[i][j]);
        }
    }
    assert_null(rows[t.senders]);
    rb_traffic_deinit(&t);
}

static void the_grid_of_example_1_is_table_2(void **state)
{
    (void)state;
    const char *const rows[] = {"2-2-2-", "111111", "-2-2-2", "2-2-2-", "111111", "-2-2-2", NULL};
    const struct rb_redistribution problem = problem_of(6, 2, 6, 3, 36);
    grid_is(&problem, rows);
    struct rb_traffic t = traffic_of(&problem);
    assert_int_equal(t.longest_port, 6);
    rb_traffic_deinit(&t);
}

/* The paper prints Table 4 for P = 10 and L = 225. It is the grid of its 15 senders, P = 15, whose
 * L is 90 (225 is Figure 3's); with P = 10, L = 30, sender 0 would have one message. Its receivers'
 * counts of messages are right; the senders have 2 or 4 each, not 5 or 10. */
static void fifteen_senders_and_six_receivers_are_table_4(void **state)
{
    (void)state;
    const char *const rows[] = {"3--3--", "21-21-", "-3--3-", "-12-12", "--3--3", "3--3--",
                                "21-21-", "-3--3-", "-12-12", "--3--3", "3--3--", "21-21-",
                                "-3--3-", "-12-12", "--3--3", NULL};
    const struct rb_redistribution problem = problem_of(15, 3, 6, 5, 90);
    grid_is(&problem, rows);
    struct rb_traffic t = traffic_of(&problem);
    int received[6] = {0};
    for (size_t i = 0; i < t.count; i++)
        received[t.message[i].to]++;
    const int printed[] = {6, 9, 6, 6, 9, 6};
    assert_memory_equal(received, printed, sizeof printed);
    rb_traffic_deinit(&t);
}

/* Figure 3 is a picture; what the text says of it: 15 units for everyone, nine senders out of
 * fifteen have five messages of 3, the others five of 2 and five of 1. */
static void all_ranks_of_figure_3_have_15_units(void **state)
{
    (void)state;
    const struct rb_redistribution problem = problem_of(15, 3, 15, 5, 225);
    struct rb_traffic t = traffic_of(&problem);
    int of_length[15][4] = {0}, received[15] = {0};
    for (size_t i = 0; i < t.count; i++) {
        of_length[t.message[i].from][t.message[i].length]++;
        received[t.message[i].to] += (int)t.message[i].length;
    }
    int threes = 0;
    for (int i = 0; i < 15; i++) {
        assert_int_equal(received[i], 15);
        threes += of_length[i][3] == 5;
        if (of_length[i][3] == 0)
            assert_true(of_length[i][2] == 5 && of_length[i][1] == 5);
    }
    assert_int_equal(threes, 9);
    assert_int_equal(t.longest_port, 15);
    rb_traffic_deinit(&t);
}

/* ---- The check of timetables ----------------------------------------------------------------- */

/* Two senders, two receivers: 0 -> 0 has 2 units, 0 -> 1 has 1, 1 -> 1 has 2. */
static struct rb_message small_messages[] = {{0, 0, 2}, {0, 1, 1}, {1, 1, 2}};
static const struct rb_traffic small = {.senders = 2,
                                        .receivers = 2,
                                        .unit = 1,
                                        .count = 3,
                                        .message = small_messages,
                                        .longest_port = 3};

static void check_is(int status, const char *words, struct rb_piece piece[], size_t count,
                     int64_t length)
{
    const struct rb_timetable timetable = {.count = count, .piece = piece, .length = length};
    char why[256] = "";
    assert_int_equal(rb_timetable_check(&timetable, &small, why, sizeof why), status);
    assert_string_equal(why, words);
}

static void the_check_names_the_culprit(void **state)
{
    (void)state;
    struct rb_piece good[] = {{0, 0, 2, 0}, {2, 0, 2, 0}, {1, 0, 1, 2}};
    check_is(RB_OK, "", good, 3, 3);
    check_is(RB_EWRONG, "the last piece ends at 3, not at 4", good, 3, 4);
    check_is(RB_EWRONG, "unit 0 of message 0 -> 1 is never sent", good, 2, 2);
    struct rb_piece cut[] = {{2, 0, 1, 0}, {0, 0, 1, 1}, {2, 1, 1, 1}, {0, 1, 1, 2}, {1, 0, 1, 3}};
    check_is(RB_OK, "", cut, 5, 4);
    struct rb_piece twice[] = {{0, 0, 2, 0}, {2, 0, 2, 0}, {1, 0, 1, 2}, {2, 1, 1, 3}};
    check_is(RB_EWRONG, "unit 1 of message 1 -> 1 is sent twice", twice, 4, 4);
    struct rb_piece gap[] = {{0, 1, 1, 0}, {2, 0, 2, 0}, {1, 0, 1, 2}};
    check_is(RB_EWRONG, "unit 0 of message 0 -> 0 is never sent", gap, 3, 3);
    struct rb_piece end[] = {{0, 0, 1, 0}, {2, 0, 2, 0}, {1, 0, 1, 2}};
    check_is(RB_EWRONG, "unit 1 of message 0 -> 0 is never sent", end, 3, 3);
    struct rb_piece beyond[] = {{0, 0, 2, 0}, {2, 0, 2, 0}, {1, 0, 2, 2}};
    check_is(RB_EWRONG, "a piece has units 0 to 1 of message 0 -> 1, but the message has 1 in all",
             beyond, 3, 4);
    struct rb_piece sender[] = {{0, 0, 2, 0}, {1, 0, 1, 1}, {2, 0, 2, 2}};
    check_is(RB_EWRONG, "sender 0 has messages 0 -> 0 (time 0 to 2) and 0 -> 1 (from 1) at once",
             sender, 3, 4);
    struct rb_piece receiver[] = {{0, 0, 2, 0}, {2, 0, 2, 1}, {1, 0, 1, 2}};
    check_is(RB_EWRONG, "receiver 1 has messages 1 -> 1 (time 1 to 3) and 0 -> 1 (from 2) at once",
             receiver, 3, 3);
    struct rb_piece order[] = {{2, 0, 2, 0}, {0, 0, 2, 0}, {1, 0, 1, 2}};
    check_is(RB_EWRONG, "pieces 0 and 1 are out of order", order, 3, 3);
    struct rb_piece early[] = {{0, 0, 2, -1}};
    check_is(RB_EWRONG, "a piece of message 0 -> 0 starts at -1", early, 1, 1);
    struct rb_piece unknown[] = {{3, 0, 1, 0}};
    check_is(RB_EWRONG, "piece 0 is of message 3; there are 3", unknown, 1, 1);
}

static void facts_are_counted(void **state)
{
    (void)state;
    /* While 1 -> 1 is interrupted by 0 -> 1, receiver 1 holds both: 3 units. */
    struct rb_piece cut[] = {{2, 0, 1, 0}, {1, 0, 1, 1}, {0, 0, 2, 2}, {2, 1, 1, 2}};
    const struct rb_timetable timetable = {.count = 4, .piece = cut, .length = 4};
    struct rb_timetable_facts facts;
    assert_int_equal(rb_timetable_check(&timetable, &small, NULL, 0), RB_OK);
    assert_int_equal(rb_timetable_facts(&timetable, &small, &facts), RB_OK);
    assert_int_equal(facts.length, 4);
    assert_int_equal(facts.bound, 3);
    assert_int_equal(facts.cuts, 1);
    assert_int_equal(facts.send_startups, 2);
    assert_int_equal(facts.receive_startups, 3);
    assert_int_equal(facts.send_buffer, 2);
    assert_int_equal(facts.receive_buffer, 3);
    assert_int_equal(facts.longest_piece, 2);
}

static void problem_is_refused(struct rb_redistribution problem, const char *words)
{
    struct rb_traffic traffic;
    char why[256];
    assert_int_equal(rb_traffic_init(&traffic, &problem, why, sizeof why), RB_EINVAL);
    assert_string_equal(why, words);
}

static void problems_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const struct rb_redistribution good = problem_of(6, 2, 6, 3, 36);
    struct rb_redistribution p = good;
    p.dimension[0].P = 0;
    problem_is_refused(p, "a redistribution has P and Q in 1..1073741824, not 0, 6");
    p = good;
    p.dimension[0].s = 0;
    problem_is_refused(p, "a redistribution has blocks of at least 1 element: r and s, not 2, 0");
    p = good;
    p.dimension[0].M = 0;
    problem_is_refused(p, "a redistribution has M in 1..2^62, not 0");
    p = good;
    p.at = 7;
    problem_is_refused(p, "receiver 0 is a rank in 0..6 (that is disjoint), not 7");
    p = good;
    p.dimensions = 0;
    problem_is_refused(p, "an array has 1..8 dimensions, not 0");
    p = good;
    p.dimensions = 2;
    p.dimension[1] = (struct rb_cyclic){1, 1, 1, 1, RB_MAX_ELEMENTS};
    problem_is_refused(p, "the array has more than 2^62 elements");
    p.dimension[1] = (struct rb_cyclic){1, 1, RB_MAX_RANKS, 1, 1};
    problem_is_refused(p, "the dimensions' grids together have more than 2^30 ranks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_is_what_the_elements_say),
        cmocka_unit_test(large_arrays_take_no_longer),
        cmocka_unit_test(the_grid_of_example_1_is_table_2),
        cmocka_unit_test(fifteen_senders_and_six_receivers_are_table_4),
        cmocka_unit_test(all_ranks_of_figure_3_have_15_units),
        cmocka_unit_test(the_check_names_the_culprit),
        cmocka_unit_test(facts_are_counted),
        cmocka_unit_test(problems_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
