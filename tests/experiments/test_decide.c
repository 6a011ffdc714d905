/* decisions of calls with times made by hand: choices, verdicts, causes, cliffs, and the rules that
 * mend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/decide.h"
#include "roundabout.h"
#include "support/memory.h"

enum { KI = 1024, MI = 1024 * 1024 };

/* Computed times have no spread; a measured one here is 1 % wide. */
static struct decide_way computed(const char *name, int64_t segment_bytes, double time_s)
{
    return (struct decide_way){.name = name,
                               .algorithm = name,
                               .segment_bytes = segment_bytes,
                               .time_s = time_s,
                               .low_s = NAN,
                               .high_s = NAN,
                               .offered = true};
}

static struct decide_way measured(const char *name, double time_s)
{
    struct decide_way choice = computed(name, 0, time_s);
    choice.low_s = 0.995 * time_s;
    choice.high_s = 1.005 * time_s;
    return choice;
}

static size_t setting_of(struct decide *decision, const char *source)
{
    const struct decide_place setting = {.place = source, .collective = "bcast", .ppn = 1};
    return decide_add_place(decision, &setting);
}

static struct decide_call *add(struct decide *decision, int32_t p, int64_t m_bytes,
                               struct decide_way own, bool known)
{
    const struct decide_call point = {.place = setting_of(decision, "here"),
                                      .run = "",
                                      .p = p,
                                      .m_bytes = m_bytes,
                                      .own = own,
                                      .has_own = true,
                                      .own_known = known};
    decide_add_call(decision, &point);
    return &decision->calls[decision->call_count - 1];
}

static void choose(struct decide *decision, struct decide_way choice)
{
    decide_add_way(decision, &choice);
}

/* With a threshold of 10 %. */
static void judge(struct decide *decision)
{
    decide_judge(decision, 0.1);
    decide_mend(decision);
}

/* ---- Verdicts and causes --------------------------------------------------------------------- */

static void a_wrong_algorithm_is_the_cause(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, computed("chain", 64 * KI, 10e-3), true);
    choose(&decision, computed("chain", 64 * KI, 10e-3));
    choose(&decision, computed("chain", 128 * KI, 9.5e-3));
    choose(&decision, computed("ring", 0, 1e-3));
    judge(&decision);
    const struct decide_call *point = &decision.calls[0];
    assert_int_equal(point->verdict, DECIDE_LOSES);
    assert_int_equal(point->cause, DECIDE_ALGORITHM);
    assert_string_equal(point->choice->name, "ring");
    assert_true(fabs(point->gain - 10) < 1e-9);
    assert_int_equal(point->cliff, 0);
    decide_free(&decision);
}

/* The ring is 5 % faster still, within the threshold: the smaller change is named. */
static void a_wrong_segment_size_is_the_cause(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, computed("chain", 64 * KI, 10e-3), true);
    choose(&decision, computed("chain", 64 * KI, 10e-3));
    choose(&decision, computed("chain", 512 * KI, 1.05e-3));
    choose(&decision, computed("ring", 0, 1e-3));
    judge(&decision);
    const struct decide_call *point = &decision.calls[0];
    assert_int_equal(point->cause, DECIDE_SEGMENT);
    assert_string_equal(point->choice->name, "chain");
    assert_int_equal(point->choice->segment_bytes, 512 * KI);
    assert_true(fabs(point->gain - 10 / 1.05) < 1e-9);
    decide_free(&decision);
}

static void a_wrong_radix_is_the_cause(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way two = computed("knomial", 0, 3e-6), eight = computed("knomial", 0, 2e-6);
    two.radix = 2;
    eight.radix = 8;
    add(&decision, 32, 8, two, true);
    choose(&decision, two);
    choose(&decision, eight);
    judge(&decision);
    assert_int_equal(decision.calls[0].cause, DECIDE_RADIX);
    assert_int_equal(decision.calls[0].choice->radix, 8);
    decide_free(&decision);
}

static void at_the_threshold_nothing_is_lost(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, computed("chain", 0, 1.1e-3), true);
    choose(&decision, computed("ring", 0, 1e-3));
    add(&decision, 32, 2 * MI, computed("chain", 0, 1.1001e-3), true);
    choose(&decision, computed("ring", 0, 1e-3));
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_GOOD);
    assert_int_equal(decision.calls[1].verdict, DECIDE_LOSES);
    assert_int_equal(decision.loss_count, 1);
    decide_free(&decision);
}

/* Twice as long by the medians, but the spreads overlap. Not alike: that may be another algorithm.
 */
static void overlapping_spreads_are_a_tie(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way own = measured(NULL, 20e-6), ring = measured("ring", 10e-6);
    ring.high_s = 20e-6;
    own.algorithm = NULL;
    add(&decision, 32, KI, own, false);
    choose(&decision, ring);
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_TIE);
    assert_null(decision.calls[0].like);
    assert_int_equal(decision.calls[0].cause, DECIDE_NO_CAUSE);
    assert_int_equal(decision.loss_count, 0);
    assert_int_equal(decision.rule_count, 0);
    decide_free(&decision);
}

/* The fastest by its median overlaps with the decision; the second one does not. */
static void a_loss_is_beyond_noise(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way noisy = measured("noisy", 10e-6);
    noisy.high_s = 30e-6;
    add(&decision, 32, KI, measured(NULL, 20e-6), false);
    choose(&decision, noisy);
    choose(&decision, measured("steady", 12e-6));
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_LOSES);
    assert_string_equal(decision.calls[0].choice->name, "steady");
    decide_free(&decision);
}

static void an_unknown_own_way_is_like_what_takes_as_long(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, measured(NULL, 10e-3), false);
    choose(&decision, measured("chain", 10.05e-3));
    choose(&decision, measured("tree", 10.9e-3));
    choose(&decision, measured("ring", 1e-3));
    add(&decision, 32, 2 * MI, measured(NULL, 30e-3), false);
    choose(&decision, measured("chain", 20e-3));
    choose(&decision, measured("ring", 2e-3));
    judge(&decision);
    assert_string_equal(decision.calls[0].like->name, "chain");
    assert_int_equal(decision.calls[0].cause, DECIDE_ALGORITHM);
    assert_null(decision.calls[1].like);
    assert_int_equal(decision.calls[1].cause, DECIDE_UNKNOWN);
    assert_ptr_equal(decision.losses[0], &decision.calls[1]); /* 15 times, before 10 times */
    decide_free(&decision);
}

/* Spreads that don't overlap are not alike, though the medians are within 10 %. */
static void a_faster_choice_is_not_alike(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, measured(NULL, 10e-3), false);
    choose(&decision, measured("tree", 10.5e-3));
    choose(&decision, measured("chain", 9.5e-3));
    choose(&decision, measured("ring", 1e-3));
    judge(&decision);
    assert_null(decision.calls[0].like);
    decide_free(&decision);
}

/* What the library lacks is no loss of its choice, but is named. */
static void what_the_library_lacks_is_named_apart(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way circulant = measured("circulant", 1e-3);
    circulant.offered = false;
    add(&decision, 32, MI, measured(NULL, 2e-3), false);
    choose(&decision, measured("ring", 2e-3));
    choose(&decision, circulant);
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_GOOD);
    assert_string_equal(decision.calls[0].beyond->name, "circulant");
    decide_free(&decision);
}

static void what_the_library_has_as_fast_does_not_lack(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way circulant = measured("circulant", 0.98e-3);
    circulant.offered = false;
    add(&decision, 32, MI, measured(NULL, 2e-3), false);
    choose(&decision, measured("ring", 1e-3));
    choose(&decision, circulant);
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_LOSES);
    assert_null(decision.calls[0].beyond);
    decide_free(&decision);
}

static void a_point_without_times_is_not_judged(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, computed("chain", 0, 1e-3), true);
    choose(&decision, computed("chain", 0, 1e-3));
    add(&decision, 32, 2 * MI, computed("chain", 0, NAN), true);
    choose(&decision, computed("ring", 0, 1e-3));
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_ALONE);
    assert_int_equal(decision.calls[1].verdict, DECIDE_NO_TIME);
    assert_true(isnan(decision.calls[0].gain));
    decide_free(&decision);
}

static void no_time_is_no_loss(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 1, MI, computed("chain", 0, 0), true);
    choose(&decision, computed("ring", 0, 0));
    judge(&decision);
    assert_int_equal(decision.calls[0].verdict, DECIDE_GOOD);
    assert_true(fabs(decision.calls[0].gain - 1) < 1e-9);
    decide_free(&decision);
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* Nothing is asked of the library's own way: the fastest is the choice, of equals the first, and
 * the next best is another algorithm, not other segments of the choice. */
static void without_an_own_way_the_fastest_is_the_choice(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct decide_way lacking = computed("circulant", 0, 0.5e-3);
    lacking.offered = false;
    add(&decision, 32, MI, computed(NULL, 0, NAN), false)->has_own = false;
    decision.calls[0].bound.time_s = 0.8e-3;
    choose(&decision, computed("tree", 0, 3e-3));
    choose(&decision, computed("ring", 0, 1e-3));
    choose(&decision, computed("ring", 64 * KI, 1e-3));
    choose(&decision, computed("chain", 0, NAN));
    choose(&decision, lacking);
    judge(&decision);
    const struct decide_call *call = &decision.calls[0];
    assert_int_equal(call->verdict, DECIDE_NO_OWN);
    assert_ptr_equal(call->choice, &decision.ways[1]);
    assert_ptr_equal(call->next_best, &decision.ways[0]);
    assert_true(fabs(call->lead - 3) < 1e-9);
    assert_true(fabs(call->of_bound - 1.25) < 1e-9);
    assert_true(isnan(call->gain));
    assert_null(call->beyond);
    decide_free(&decision);
}

static void one_algorithm_has_no_next_best(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, MI, computed(NULL, 0, NAN), false)->has_own = false;
    choose(&decision, computed("ring", 0, 2e-3));
    choose(&decision, computed("ring", 64 * KI, 1e-3));
    judge(&decision);
    assert_int_equal(decision.calls[0].choice->segment_bytes, 64 * KI);
    assert_null(decision.calls[0].next_best);
    assert_true(isnan(decision.calls[0].lead) && isnan(decision.calls[0].of_bound));
    decide_free(&decision);
}

/* Of times that are equal but for rounding the first counts, and what is of one family is no rival.
 */
static void the_source_says_what_is_equal_and_who_are_rivals(void **state)
{
    (void)state;
    struct decide decision = {.equal = 1e-12};
    struct decide_way again = computed("ring again", 0, 1e-3 * (1 - 1e-13));
    again.rival = "ring";
    add(&decision, 32, MI, computed(NULL, 0, NAN), false)->has_own = false;
    choose(&decision, computed("ring", 0, 1e-3));
    choose(&decision, again);
    choose(&decision, computed("tree", 0, 2e-3));
    judge(&decision);
    assert_string_equal(decision.calls[0].choice->name, "ring");
    assert_string_equal(decision.calls[0].next_best->name, "tree");
    decide_free(&decision);
}

/* ---- What was left out ----------------------------------------------------------------------- */

static void check_left_out(const struct decide *decision, enum decide_reason reason,
                           const char *expected)
{
    char *said = decide_say_left_out(decision, reason);
    if (expected == NULL)
        assert_null(said);
    else
        assert_string_equal(said, expected);
    free(said);
}

/* Each name once, of errors the first, and nothing of what did not happen. */
static void what_is_left_out_is_counted_with_its_names(void **state)
{
    (void)state;
    struct decide decision = {0};
    decide_leave_out(&decision, DECIDE_NO_PLAN, 1, "sm");
    decide_leave_out(&decision, DECIDE_NO_PLAN, 1, "han");
    decide_leave_out(&decision, DECIDE_NO_PLAN, 1, "sm");
    decide_leave_out(&decision, DECIDE_NO_PLAN, 1, "an");
    decide_leave_out(&decision, DECIDE_FAILED, 1, "no memory");
    decide_leave_out(&decision, DECIDE_FAILED, 1, "no luck");
    decide_leave_out(&decision, DECIDE_OTHERS, 1, NULL);
    check_left_out(&decision, DECIDE_NO_PLAN,
                   "4 points are not judged, because the choice has no plan here (sm, han, an)");
    check_left_out(&decision, DECIDE_FAILED, "2 simulations failed, such as no memory");
    check_left_out(&decision, DECIDE_OTHERS,
                   "1 row is left out, because the library is another one");
    check_left_out(&decision, DECIDE_TOO_LONG, NULL);
}

/* ---- Candidates for rules -------------------------------------------------------------------- */

/* A call of the library's chain, of whose time the ring needs a ninth above 1 KiB, and twice as
 * much below. */
static void add_at(struct decide *decision, const char *place, int32_t ppn, int64_t m_bytes)
{
    const struct decide_place where = {
        .place = place, .library = "ompi", .collective = "bcast", .ppn = ppn};
    const struct decide_call call = {.place = decide_add_place(decision, &where),
                                     .run = "",
                                     .p = 8,
                                     .m_bytes = m_bytes,
                                     .has_own = true,
                                     .own = computed("chain", 0, 9e-6),
                                     .own_known = true};
    decide_add_call(decision, &call);
    choose(decision, computed("chain", 0, 9e-6));
    choose(decision, computed("scatter-allgather", 0, m_bytes > KI ? 1e-6 : 20e-6));
}

/* Where the rules mend, their choice; elsewhere the library's own. */
static void candidates_are_what_the_rules_take(void **state)
{
    (void)state;
    struct decide decision = {0};
    struct rules_candidate *candidates;
    size_t count;
    int64_t unwritable;
    struct sup_error error;
    add_at(&decision, "here", 2, KI);
    add_at(&decision, "here", 2, MI);
    judge(&decision);
    assert_int_equal(decide_candidates(&decision, rules_format_find("ompi"), &candidates, &count,
                                       &unwritable, &error),
                     RB_OK);
    assert_int_equal(count, 2);
    assert_int_equal(unwritable, 0);
    assert_string_equal(candidates[0].algorithm, "chain");
    assert_string_equal(candidates[1].algorithm, "scatter-allgather");
    assert_int_equal(candidates[1].m_bytes, MI);
    assert_int_equal(candidates[1].ppn, 2);
    free(candidates);
    decide_free(&decision);
}

static void a_file_has_rules_for_one_machine(void **state)
{
    (void)state;
    struct rules_candidate *candidates;
    size_t count;
    int64_t unwritable;
    for (int what = 0; what < 2; what++) {
        struct decide decision = {0};
        struct sup_error error;
        add_at(&decision, "here", 1, MI);
        add_at(&decision, what == 0 ? "there" : "here", what == 0 ? 1 : 2, MI);
        judge(&decision);
        assert_int_equal(decide_candidates(&decision, rules_format_find("ompi"), &candidates,
                                           &count, &unwritable, &error),
                         RB_EINVAL);
        assert_non_null(strstr(error.text, what == 0 ? "\"here\" and \"there\": choose one"
                                                     : "can't tell 1 and 2 ranks per node apart"));
        free(candidates);
        decide_free(&decision);
    }
}

/* ---- The road to rules ----------------------------------------------------------------------- */

/* A broadcast of 8 ranks on Open MPI: its own choice, two ways of the library and one of others. */
static void add_times(struct decide *decision, int64_t m_bytes, double own_s, double chain_s,
                      double ring_s)
{
    const struct decide_place where = {
        .place = "here", .library = "ompi", .collective = "bcast", .ppn = 1};
    const struct decide_call call = {
        .place = decide_add_place(decision, &where), .run = "", .p = 8, .m_bytes = m_bytes};
    struct decide_way own = computed("native:ompi", 0, own_s),
                      lacking = computed("circulant", 0, 1e-9);
    own.own = true;
    own.offered = lacking.offered = false;
    decide_add_call(decision, &call);
    choose(decision, own);
    choose(decision, computed("chain", 64 * KI, chain_s));
    choose(decision, computed("scatter-allgather", 0, ring_s));
    choose(decision, lacking);
    choose(decision, computed("binomial", 0, NAN));
    for (size_t i = decision->way_count - 5; i < decision->way_count; i++)
        decision->ways[i].n = decision->ways[i].segment_bytes > 0 ? m_bytes / (64 * KI) : 1;
}

/* Each way with a time is a candidate; the library's own only if it is faster than its ways by more
 * than the share that is asked for; what it lacks makes no rule. */
static void all_ways_are_candidates(void **state)
{
    (void)state;
    for (int stays = 0; stays < 2; stays++) {
        struct decide decision = {0};
        struct rules_candidate *candidates;
        add_times(&decision, MI, stays ? 0.97e-3 : 0.99e-3, 1e-3, 2e-3);
        assert_int_equal(decide_all_candidates(&decision, 0.02, &candidates), stays ? 4 : 3);
        assert_string_equal(candidates[0].algorithm, stays ? "native" : "chain");
        assert_int_equal(candidates[stays].n, 16);
        assert_int_equal(candidates[stays + 1].foreign, false);
        assert_string_equal(candidates[stays + 2].algorithm, "circulant");
        assert_int_equal(candidates[stays + 2].foreign, true);
        free(candidates);
        decide_free(&decision);
    }
}

/* What the file makes the library take, called as the library calls it: not the fastest, if one
 * rule serves several sizes; and its own where the file leaves that. */
static void the_choice_is_what_the_file_says(void **state)
{
    (void)state;
    static const char file[] = "1\n7\n1\n8\n2\n0 0 0 0\n1048576 3 0 65536\n";
    struct decide decision = {0};
    struct sup_error error;
    add_times(&decision, MI / 2, 3e-3, 4e-3, 1e-3);
    add_times(&decision, 4 * MI, 8e-3, 4e-3, 1e-3);
    if (decide_read_back(&decision, rules_format_find("ompi"), file, sizeof file - 1, &error) !=
        RB_OK)
        fail_msg("%s", error.text);
    const struct decide_call *left = &decision.calls[0], *ruled = &decision.calls[1];
    assert_string_equal(left->choice->name, DECIDE_OWN_NAME);
    assert_true(fabs(left->gain - 1) < 1e-12 && left->choice->time_s == 3e-3);
    assert_string_equal(ruled->choice->name, "pipeline");
    assert_int_equal(ruled->choice->segment_bytes, 64 * KI);
    assert_true(fabs(ruled->gain - 2) < 1e-12);
    assert_string_equal(ruled->next_best->name, "scatter-allgather");
    decide_free(&decision);
}

static void a_rule_without_a_time_has_none(void **state)
{
    (void)state;
    static const char file[] = "1\n7\n1\n8\n1\n0 6 0 0\n"; /* binomial */
    struct decide decision = {0};
    struct sup_error error;
    add_times(&decision, MI, 3e-3, 4e-3, 1e-3);
    assert_int_equal(
        decide_read_back(&decision, rules_format_find("ompi"), file, sizeof file - 1, &error),
        RB_OK);
    assert_string_equal(decision.calls[0].choice->name, "binomial");
    assert_true(isnan(decision.calls[0].choice->time_s) && isnan(decision.calls[0].gain));
    decide_free(&decision);
}

/* A call of Open MPI with its own way's time and those of `count` ways of the library. */
static void add_timed(struct decide *decision, const char *collective, int32_t p, int64_t m_bytes,
                      double own_s, const struct decide_way ways[], size_t count)
{
    const struct decide_place where = {
        .place = "here", .library = "ompi", .collective = collective, .ppn = 1};
    const struct decide_call call = {
        .place = decide_add_place(decision, &where), .run = "", .p = p, .m_bytes = m_bytes};
    struct decide_way own = computed("native:ompi", 0, own_s);
    own.own = true;
    own.offered = false;
    decide_add_call(decision, &call);
    choose(decision, own);
    for (size_t i = 0; i < count; i++) {
        choose(decision, ways[i]);
        decision->ways[decision->way_count - 1].n =
            ways[i].segment_bytes > 0 ? m_bytes / ways[i].segment_bytes : 1;
    }
}

static void a_call_of_no_bytes_is_looked_up(void **state)
{
    (void)state;
    static const char file[] = "1\n7\n1\n8\n1\n0 6 0 0\n"; /* binomial */
    const struct decide_way way = computed("binomial", 0, 1e-3);
    struct decide decision = {0};
    struct sup_error error;
    add_timed(&decision, "bcast", 8, 0, 3e-3, &way, 1);
    assert_int_equal(
        decide_read_back(&decision, rules_format_find("ompi"), file, sizeof file - 1, &error),
        RB_OK);
    assert_true(decision.calls[0].choice->time_s == 1e-3);
    decide_free(&decision);
}

static void make_rules(struct decide *decision, const char *format)
{
    const struct rules_request request = {.format = rules_format_find(format),
                                          .element_bytes = 1,
                                          .tolerance = 0.02,
                                          .everywhere = true};
    const struct rules_head head = {.source = "a test"};
    struct rules_notes notes;
    struct sup_error error;
    char *text;
    size_t size;
    if (decide_make_rules(decision, &request, 0.02, &head, &text, &size, &notes, &error) != RB_OK)
        fail_msg("%s: %s", format, error.text);
    free(text);
}

/* Open MPI's file has one rule for all sizes of a scatter. Flat is the only way with times at both
 * sizes if binomial was not run at the large one; its 127 us at the small one are no rule where the
 * library's own takes 7. Where both were run, flat has the least loss in the mean, 8/7, and
 * binomial is what is never slower. */
static void one_rule_for_all_sizes_is_never_slower_than_the_own(void **state)
{
    (void)state;
    for (int run = 0; run < 2; run++) {
        struct decide decision = {0};
        const struct decide_way small[] = {computed("flat", 0, run == 0 ? 127e-6 : 8e-6),
                                           computed("binomial", 0, 7e-6)},
                                large[] = {computed("flat", 0, 1e-3),
                                           computed("binomial", 0, run == 0 ? NAN : 2e-3)};
        add_timed(&decision, "scatter", 128, 128, 7e-6, small, 2);
        add_timed(&decision, "scatter", 128, 128 * MI, run == 0 ? NAN : 3e-3, large, 2);
        make_rules(&decision, "ompi");
        assert_string_equal(decision.calls[0].choice->name,
                            run == 0 ? DECIDE_OWN_NAME : "binomial");
        assert_true(fabs(decision.calls[0].gain - 1) < 1e-12);
        assert_false(decide_is_slower(&decision.calls[0]));
        assert_true(run == 0 || fabs(decision.calls[1].gain - 1.5) < 1e-12);
        decide_free(&decision);
    }
}

/* Random times, some of them unknown, of calls whose sizes have rules of their own or one. */
static void no_rule_is_slower_than_the_own(void **state)
{
    static const char *const formats[] = {"ompi", "ompi-2", "ompi-json"};
    enum { SIZES = 5, RANKS = 3 };
    (void)state;
    for (unsigned seed = 0; seed < 300; seed++) {
        struct decide decision = {0};
        double own_s[RANKS * SIZES];
        srand(seed);
        const bool blind = seed % 2 == 0;
        for (int i = 0; i < RANKS * SIZES; i++) {
            const int64_t m_bytes = (int64_t)MI << (3 * (i % SIZES));
            struct decide_way ways[] = {computed(blind ? "flat" : "chain", 0, 0),
                                        computed("binomial", 0, 0), computed("chain", 64 * KI, 0),
                                        computed("chain", 512 * KI, 0)};
            for (size_t k = 0; k < 4; k++)
                ways[k].time_s = rand() % 6 == 0 && i > 0 ? NAN : 1e-3 * (1 + 0.01 * (rand() % 9));
            own_s[i] = rand() % 4 == 0 ? NAN : i == 0 ? 2e-3 : 1e-3 * (1 + 0.01 * (rand() % 9));
            add_timed(&decision, blind ? "scatter" : "bcast", 4 << (i / SIZES), m_bytes, own_s[i],
                      ways, blind ? 2 : 4);
        }
        make_rules(&decision, formats[seed / 2 % 3]);
        for (int i = 0; i < RANKS * SIZES; i++)
            if (!isnan(own_s[i]) && !(decision.calls[i].choice->time_s <= own_s[i] * (1 + 1e-9)))
                fail_msg("seed %u, call %d: %g s by %s, its own %g s", seed, i,
                         decision.calls[i].choice->time_s, decision.calls[i].choice->name,
                         own_s[i]);
        decide_free(&decision);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static struct decide_row row_of(const void *context, size_t i)
{
    const struct decide *decision = context;
    return (struct decide_row){.place = &decision->places[decision->calls[i].place],
                               .call = &decision->calls[i],
                               .itself = &decision->ways[i]};
}

/* A call with everything, and one of which nothing is known. */
static void fill_two(struct decide *decision)
{
    struct decide_way own = computed("chain", 64 * KI, 4e-3);
    add(decision, 32, MI, own, true)->bound.time_s = 0.5e-3;
    choose(decision, own);
    choose(decision, computed("ring", 0, 1e-3));
    choose(decision, computed("tree", 0, 2e-3));
    add(decision, 64, MI, computed(NULL, 0, NAN), false);
    judge(decision);
}

static char *print(void (*printer)(const struct decide_table *, FILE *), const char *names,
                   const struct decide *decision)
{
    static const struct out_column own[] = {
        {"first", "first", OUT_WORD, OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, name)}};
    const struct decide_table table = {.text = names,
                                       .data = names,
                                       .own = own,
                                       .own_width = 1,
                                       .rows = decision->call_count,
                                       .row = row_of,
                                       .context = decision};
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    printer(&table, stream);
    sup_memory_close(stream, &text);
    return text;
}

/* Members of the call's structs, of ways that there are not, and of a table's own; 0 bytes of a
 * segment are no value. */
static void columns_are_members(void **state)
{
    (void)state;
    struct decide decision = {0};
    fill_two(&decision);
    char *text = print(decide_table_csv,
                       "place p first own own_segment choice segment time_s next_best lead gain "
                       "of_bound verdict cause",
                       &decision);
    assert_string_equal(text, "place,p,first,own,own_segment,choice,segment,time_s,next_best,lead,"
                              "gain,of_bound,verdict,cause\n"
                              "here,32,chain,chain,65536,ring,,0.001,tree,2,4,2,loses,algorithm\n"
                              "here,64,ring,,,,,,,,,,no time,\n");
    free(text);
    decide_free(&decision);
}

/* Columns are as wide as what they hold; nobody ties, and texts have no place for empty columns. */
static void texts_leave_empty_columns_out(void **state)
{
    (void)state;
    struct decide decision = {0};
    fill_two(&decision);
    char *text = print(decide_table_text, "p own_text tie choice_text/! time_s", &decision);
    assert_string_equal(text, "\n"
                              "   p  own                        choice  time\n"
                              "  32  chain, segments of 64 KiB  ring    1 ms\n"
                              "  64  -                          -          -\n");
    free(text);
    decide_free(&decision);
}

/* ---- Cliffs ---------------------------------------------------------------------------------- */

static const char *cliff_of(const struct decide_call *point)
{
    static char text[DECIDE_CLIFF_SIZE];
    return decide_cliff_text(point, text);
}

/* At 128 ranks the tree is replaced by a chain, and the tree would have been right. */
static void a_cliff_at_a_power_of_two_is_seen(void **state)
{
    (void)state;
    static const int32_t p[] = {64, 127, 128, 256};
    struct decide decision = {0};
    for (size_t i = 0; i < 4; i++) {
        const struct decide_way tree = computed("tree", 0, 7e-6),
                                chain = computed("chain", 0, 1e-6 * p[i]);
        add(&decision, p[i], KI, p[i] < 128 ? tree : chain, true);
        choose(&decision, tree);
        choose(&decision, chain);
    }
    judge(&decision);
    assert_int_equal(decision.loss_count, 2);
    assert_string_equal(cliff_of(&decision.calls[2]), "from p = 128 = 2^7");
    assert_null(cliff_of(&decision.calls[3])); /* its neighbour of 128 has a chain, too */
    decide_free(&decision);
}

static void a_cliff_between_sizes_is_seen(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int64_t m = KI; m <= 16 * KI; m *= 2) {
        const struct decide_way tree = computed("tree", 0, 7e-6 * (double)m),
                                ring = computed("ring", 0, 1e-6 * (double)m);
        add(&decision, 32, m, m < 4 * KI ? tree : ring, true);
        choose(&decision, tree);
        choose(&decision, ring);
    }
    judge(&decision);
    assert_int_equal(decision.loss_count, 2);
    assert_null(cliff_of(&decision.calls[0]));
    assert_string_equal(cliff_of(&decision.calls[1]), "below 4KiB");
    assert_int_equal(decision.rule_count, 1); /* the ring, for all sizes */
    decide_free(&decision);
}

/* The default does as well as the ring up to 1 KiB, and then five times worse. */
static void a_cliff_of_an_unknown_own_way_is_seen(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, KI, measured(NULL, 1.02e-6), false);
    choose(&decision, measured("ring", 1e-6));
    add(&decision, 32, 2 * KI, measured(NULL, 10e-6), false);
    choose(&decision, measured("ring", 2e-6));
    judge(&decision);
    assert_string_equal(cliff_of(&decision.calls[1]), "from 2KiB");
    decide_free(&decision);
}

/* A neighbour that loses, too, shows no cliff. */
static void a_losing_neighbour_is_no_cliff(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, KI, measured(NULL, 3e-6), false);
    choose(&decision, measured("ring", 1e-6));
    add(&decision, 32, 2 * KI, measured(NULL, 10e-6), false);
    choose(&decision, measured("ring", 2e-6));
    judge(&decision);
    assert_int_equal(decision.loss_count, 2);
    assert_null(cliff_of(&decision.calls[1]));
    decide_free(&decision);
}

/* What another run did at a smaller size, or other ranks at a larger one, shows no cliff. */
static void a_neighbour_is_of_the_same_run_and_ranks(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, KI, measured(NULL, 3e-6), false)->run = "a";
    choose(&decision, measured("ring", 1e-6));
    add(&decision, 32, KI, measured(NULL, 1e-6), false)->run = "b";
    choose(&decision, measured("ring", 1e-6));
    add(&decision, 32, 2 * KI, measured(NULL, 10e-6), false)->run = "a";
    choose(&decision, measured("ring", 2e-6));
    add(&decision, 64, 4 * KI, measured(NULL, 4e-6), false)->run = "a";
    choose(&decision, measured("ring", 4e-6));
    judge(&decision);
    assert_int_equal(decision.loss_count, 2);
    assert_null(cliff_of(&decision.calls[2]));
    decide_free(&decision);
}

/* The tree of 64 ranks would do at 128 for the same size, for another it says nothing. */
static void a_neighbour_is_of_the_same_size(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct decide decision = {0};
        add(&decision, 64, same ? KI : 2 * KI, computed("tree", 0, 1e-6), true);
        choose(&decision, computed("tree", 0, 1e-6));
        choose(&decision, computed("chain", 0, 5e-6));
        add(&decision, 128, KI, computed("chain", 0, 9e-6), true);
        choose(&decision, computed("tree", 0, 1e-6));
        choose(&decision, computed("chain", 0, 9e-6));
        judge(&decision);
        assert_int_equal(decision.calls[1].verdict, DECIDE_LOSES);
        assert_int_equal(cliff_of(&decision.calls[1]) != NULL, same);
        decide_free(&decision);
    }
}

/* A choice that stays the same is no cliff, though its loss grows. */
static void the_same_choice_is_no_cliff(void **state)
{
    (void)state;
    struct decide decision = {0};
    add(&decision, 32, KI, computed("chain", 0, 1e-6), true);
    choose(&decision, computed("chain", 0, 1e-6));
    choose(&decision, computed("ring", 0, 1e-6));
    add(&decision, 32, 2 * KI, computed("chain", 0, 10e-6), true);
    choose(&decision, computed("chain", 0, 10e-6));
    choose(&decision, computed("ring", 0, 2e-6));
    judge(&decision);
    assert_int_equal(decision.calls[1].verdict, DECIDE_LOSES);
    assert_null(cliff_of(&decision.calls[1]));
    decide_free(&decision);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void check_rule(const struct decide *decision, size_t i, int32_t p_low, int32_t p_high,
                       int64_t m_low, int64_t m_high, const char *name)
{
    const struct decide_rule *rule = &decision->rules[i];
    assert_true(i < decision->rule_count);
    assert_int_equal(rule->p_low, p_low);
    assert_int_equal(rule->p_high, p_high);
    assert_int_equal(rule->m_low, m_low);
    assert_int_equal(rule->m_high, m_high);
    if (name == NULL)
        assert_null(rule->choice);
    else
        assert_string_equal(rule->choice->name, name);
}

/* Small sizes are good and stay. At 8 KiB the scatter is 4 % faster than the ring, too little for a
 * rule of its own; at 1 MiB the ring is three times as fast as the default. */
static void rules_are_merged(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int64_t m = KI; m <= MI; m *= 8) {
        const double t = 1e-9 * (double)m;
        add(&decision, 32, m, measured(NULL, m < 8 * KI ? t : 3 * t), false);
        choose(&decision, measured("scatter", m == 8 * KI  ? 0.96 * t
                                              : m < 8 * KI ? 2 * t
                                                           : 1.3 * t));
        choose(&decision, measured("ring", m < 8 * KI ? 2 * t : t));
    }
    judge(&decision);
    assert_int_equal(decision.loss_count, 3);
    assert_int_equal(decision.rule_count, 2);
    check_rule(&decision, 0, 32, 32, KI, KI, NULL);
    check_rule(&decision, 1, 32, 32, 8 * KI, 512 * KI, "ring");
    assert_int_equal(decision.rules[1].mended, 3);
    assert_true(fabs(decision.rules[1].gain - 3) < 1e-6);
    decide_free(&decision);
}

/* 16 and 32 ranks need the same rules, 64 none. The worst case is that of 16. */
static void rules_of_several_ranks_are_joined(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int32_t p = 16; p <= 64; p *= 2) {
        const double own_s = p == 16 ? 8e-6 : p == 32 ? 5e-6 : 1e-6;
        add(&decision, p, KI, computed("chain", 0, own_s), true);
        choose(&decision, computed("chain", 0, own_s));
        choose(&decision, computed("ring", 0, 2e-6));
    }
    judge(&decision);
    assert_int_equal(decision.rule_count, 2);
    check_rule(&decision, 0, 16, 32, KI, KI, "ring");
    check_rule(&decision, 1, 64, 64, KI, KI, NULL);
    assert_int_equal(decision.rules[0].points, 2);
    assert_int_equal(decision.rules[0].mended, 2);
    assert_true(fabs(decision.rules[0].worst - 4) < 1e-6);
    decide_free(&decision);
}

/* The rule of 16 ranks ends at 2 KiB, that of 32 at 1 KiB. */
static void rules_of_other_sizes_are_not_joined(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int i = 0; i < 3; i++) {
        add(&decision, i < 2 ? 16 : 32, i == 1 ? 2 * KI : KI, computed("chain", 0, 5e-6), true);
        choose(&decision, computed("chain", 0, 5e-6));
        choose(&decision, computed("ring", 0, 2e-6));
    }
    judge(&decision);
    assert_int_equal(decision.rule_count, 2);
    check_rule(&decision, 0, 16, 16, KI, 2 * KI, "ring");
    check_rule(&decision, 1, 32, 32, KI, KI, "ring");
    decide_free(&decision);
}

/* Two runs of one point: a rule needs times of both, and mends if it helps on the whole. */
static void runs_of_a_point_share_a_rule(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int i = 0; i < 2; i++) {
        add(&decision, 32, KI, measured(NULL, 4e-6), false)->run = i == 0 ? "a" : "b";
        if (i == 0)
            choose(&decision, measured("once", 1e-6));
        choose(&decision, measured("ring", i == 0 ? 2e-6 : 1e-6));
    }
    judge(&decision);
    assert_int_equal(decision.loss_count, 2);
    assert_int_equal(decision.rule_count, 1);
    check_rule(&decision, 0, 32, 32, KI, KI, "ring");
    decide_free(&decision);
}

/* One of two runs loses, and the other is as good either way: that is mended. */
static void half_of_the_runs_are_mended(void **state)
{
    (void)state;
    struct decide decision = {0};
    for (int i = 0; i < 2; i++) {
        add(&decision, 32, KI, measured(NULL, i == 0 ? 4e-6 : 1e-6), false)->run =
            i == 0 ? "a" : "b";
        choose(&decision, measured("ring", 1e-6));
    }
    judge(&decision);
    assert_int_equal(decision.loss_count, 1);
    assert_int_equal(decision.rule_count, 1);
    check_rule(&decision, 0, 32, 32, KI, KI, "ring");
    decide_free(&decision);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_algorithm_is_the_cause),
        cmocka_unit_test(a_wrong_segment_size_is_the_cause),
        cmocka_unit_test(a_wrong_radix_is_the_cause),
        cmocka_unit_test(at_the_threshold_nothing_is_lost),
        cmocka_unit_test(overlapping_spreads_are_a_tie),
        cmocka_unit_test(a_loss_is_beyond_noise),
        cmocka_unit_test(an_unknown_own_way_is_like_what_takes_as_long),
        cmocka_unit_test(a_faster_choice_is_not_alike),
        cmocka_unit_test(what_the_library_lacks_is_named_apart),
        cmocka_unit_test(what_the_library_has_as_fast_does_not_lack),
        cmocka_unit_test(a_point_without_times_is_not_judged),
        cmocka_unit_test(no_time_is_no_loss),
        cmocka_unit_test(without_an_own_way_the_fastest_is_the_choice),
        cmocka_unit_test(one_algorithm_has_no_next_best),
        cmocka_unit_test(the_source_says_what_is_equal_and_who_are_rivals),
        cmocka_unit_test(what_is_left_out_is_counted_with_its_names),
        cmocka_unit_test(candidates_are_what_the_rules_take),
        cmocka_unit_test(a_file_has_rules_for_one_machine),
        cmocka_unit_test(all_ways_are_candidates),
        cmocka_unit_test(the_choice_is_what_the_file_says),
        cmocka_unit_test(a_rule_without_a_time_has_none),
        cmocka_unit_test(a_call_of_no_bytes_is_looked_up),
        cmocka_unit_test(one_rule_for_all_sizes_is_never_slower_than_the_own),
        cmocka_unit_test(no_rule_is_slower_than_the_own),
        cmocka_unit_test(columns_are_members),
        cmocka_unit_test(texts_leave_empty_columns_out),
        cmocka_unit_test(a_cliff_at_a_power_of_two_is_seen),
        cmocka_unit_test(a_cliff_between_sizes_is_seen),
        cmocka_unit_test(a_cliff_of_an_unknown_own_way_is_seen),
        cmocka_unit_test(a_losing_neighbour_is_no_cliff),
        cmocka_unit_test(a_neighbour_is_of_the_same_run_and_ranks),
        cmocka_unit_test(the_same_choice_is_no_cliff),
        cmocka_unit_test(rules_are_merged),
        cmocka_unit_test(rules_of_several_ranks_are_joined),
        cmocka_unit_test(rules_of_other_sizes_are_not_joined),
        cmocka_unit_test(runs_of_a_point_share_a_rule),
        cmocka_unit_test(half_of_the_runs_are_mended),
        cmocka_unit_test(a_neighbour_is_of_the_same_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
