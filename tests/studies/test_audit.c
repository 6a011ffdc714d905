/* audit on points with times made by hand: verdicts, causes, cliffs, and the rules that mend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "roundabout.h"
#include "studies/audit/audit.h"

enum { KI = 1024, MI = 1024 * 1024 };

/* Computed times have no spread; a measured one here is 1 % wide. */
static struct audit_choice computed(const char *name, int64_t segment_bytes, double time_s)
{
    return (struct audit_choice){.name = name,
                                 .algorithm = name,
                                 .segment_bytes = segment_bytes,
                                 .time_s = time_s,
                                 .low_s = NAN,
                                 .high_s = NAN,
                                 .offered = true};
}

static struct audit_choice measured(const char *name, double time_s)
{
    struct audit_choice choice = computed(name, 0, time_s);
    choice.low_s = 0.995 * time_s;
    choice.high_s = 1.005 * time_s;
    return choice;
}

static struct sup_error error;

static size_t setting_of(struct audit *audit, const char *source)
{
    const struct audit_setting setting = {.source = source, .collective = "bcast", .ppn = 1};
    return audit_add_setting(audit, &setting);
}

static struct audit_point *add(struct audit *audit, int32_t p, int64_t m_bytes,
                               struct audit_choice decision, bool known)
{
    const struct audit_point point = {.setting = setting_of(audit, "here"),
                                      .run = "",
                                      .p = p,
                                      .m_bytes = m_bytes,
                                      .decision = decision,
                                      .known = known};
    audit_add_point(audit, &point);
    return &audit->points[audit->point_count - 1];
}

static void choose(struct audit *audit, struct audit_choice choice)
{
    audit_add_choice(audit, &choice);
}

/* With a threshold of 10 %. */
static void judge(struct audit *audit)
{
    audit_judge(audit, 0.1);
    audit_mend(audit);
}

/* ---- Verdicts and causes --------------------------------------------------------------------- */

static void a_wrong_algorithm_is_the_cause(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, computed("chain", 64 * KI, 10e-3), true);
    choose(&audit, computed("chain", 64 * KI, 10e-3));
    choose(&audit, computed("chain", 128 * KI, 9.5e-3));
    choose(&audit, computed("ring", 0, 1e-3));
    judge(&audit);
    const struct audit_point *point = &audit.points[0];
    assert_int_equal(point->verdict, AUDIT_LOSES);
    assert_int_equal(point->cause, AUDIT_ALGORITHM);
    assert_string_equal(point->best->name, "ring");
    assert_true(fabs(point->ratio - 10) < 1e-9);
    assert_int_equal(point->cliff, 0);
    audit_free(&audit);
}

/* The ring is 5 % faster still, within the threshold: the smaller change is named. */
static void a_wrong_segment_size_is_the_cause(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, computed("chain", 64 * KI, 10e-3), true);
    choose(&audit, computed("chain", 64 * KI, 10e-3));
    choose(&audit, computed("chain", 512 * KI, 1.05e-3));
    choose(&audit, computed("ring", 0, 1e-3));
    judge(&audit);
    const struct audit_point *point = &audit.points[0];
    assert_int_equal(point->cause, AUDIT_SEGMENT);
    assert_string_equal(point->best->name, "chain");
    assert_int_equal(point->best->segment_bytes, 512 * KI);
    assert_true(fabs(point->ratio - 10 / 1.05) < 1e-9);
    audit_free(&audit);
}

static void a_wrong_radix_is_the_cause(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct audit_choice two = computed("knomial", 0, 3e-6), eight = computed("knomial", 0, 2e-6);
    two.radix = 2;
    eight.radix = 8;
    add(&audit, 32, 8, two, true);
    choose(&audit, two);
    choose(&audit, eight);
    judge(&audit);
    assert_int_equal(audit.points[0].cause, AUDIT_RADIX);
    assert_int_equal(audit.points[0].best->radix, 8);
    audit_free(&audit);
}

static void at_the_threshold_nothing_is_lost(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, computed("chain", 0, 1.1e-3), true);
    choose(&audit, computed("ring", 0, 1e-3));
    add(&audit, 32, 2 * MI, computed("chain", 0, 1.1001e-3), true);
    choose(&audit, computed("ring", 0, 1e-3));
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_GOOD);
    assert_int_equal(audit.points[1].verdict, AUDIT_LOSES);
    assert_int_equal(audit.loss_count, 1);
    audit_free(&audit);
}

/* Twice as long by the medians, but the spreads overlap. */
static void overlapping_spreads_are_a_tie(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct audit_choice decision = measured(NULL, 20e-6), ring = measured("ring", 10e-6);
    ring.high_s = 20e-6;
    decision.algorithm = NULL;
    add(&audit, 32, KI, decision, false);
    choose(&audit, ring);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_TIE);
    assert_int_equal(audit.points[0].cause, AUDIT_NO_CAUSE);
    assert_int_equal(audit.loss_count, 0);
    assert_int_equal(audit.rule_count, 0);
    audit_free(&audit);
}

/* The fastest by its median overlaps with the decision; the second one does not. */
static void a_loss_is_beyond_noise(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct audit_choice noisy = measured("noisy", 10e-6);
    noisy.high_s = 30e-6;
    add(&audit, 32, KI, measured(NULL, 20e-6), false);
    choose(&audit, noisy);
    choose(&audit, measured("steady", 12e-6));
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_LOSES);
    assert_string_equal(audit.points[0].best->name, "steady");
    audit_free(&audit);
}

static void an_unknown_decision_is_like_what_takes_as_long(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, measured(NULL, 10e-3), false);
    choose(&audit, measured("chain", 10.05e-3));
    choose(&audit, measured("tree", 10.9e-3));
    choose(&audit, measured("ring", 1e-3));
    add(&audit, 32, 2 * MI, measured(NULL, 30e-3), false);
    choose(&audit, measured("chain", 20e-3));
    choose(&audit, measured("ring", 2e-3));
    judge(&audit);
    assert_string_equal(audit.points[0].like->name, "chain");
    assert_int_equal(audit.points[0].cause, AUDIT_ALGORITHM);
    assert_null(audit.points[1].like);
    assert_int_equal(audit.points[1].cause, AUDIT_UNKNOWN);
    assert_ptr_equal(audit.losses[0], &audit.points[1]); /* 15 times, before 10 times */
    audit_free(&audit);
}

/* Spreads that don't overlap are not alike, though the medians are within 10 %. */
static void a_faster_choice_is_not_alike(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, measured(NULL, 10e-3), false);
    choose(&audit, measured("tree", 10.5e-3));
    choose(&audit, measured("chain", 9.5e-3));
    choose(&audit, measured("ring", 1e-3));
    judge(&audit);
    assert_null(audit.points[0].like);
    audit_free(&audit);
}

/* What the library lacks is no loss of its choice, but is named. */
static void what_the_library_lacks_is_named_apart(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct audit_choice circulant = measured("circulant", 1e-3);
    circulant.offered = false;
    add(&audit, 32, MI, measured(NULL, 2e-3), false);
    choose(&audit, measured("ring", 2e-3));
    choose(&audit, circulant);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_GOOD);
    assert_string_equal(audit.points[0].beyond->name, "circulant");
    audit_free(&audit);
}

static void what_the_library_has_as_fast_does_not_lack(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct audit_choice circulant = measured("circulant", 0.98e-3);
    circulant.offered = false;
    add(&audit, 32, MI, measured(NULL, 2e-3), false);
    choose(&audit, measured("ring", 1e-3));
    choose(&audit, circulant);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_LOSES);
    assert_null(audit.points[0].beyond);
    audit_free(&audit);
}

static void a_point_without_times_is_not_judged(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, MI, computed("chain", 0, 1e-3), true);
    choose(&audit, computed("chain", 0, 1e-3));
    add(&audit, 32, 2 * MI, computed("chain", 0, NAN), true);
    choose(&audit, computed("ring", 0, 1e-3));
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_ALONE);
    assert_int_equal(audit.points[1].verdict, AUDIT_NO_TIME);
    assert_true(isnan(audit.points[0].ratio));
    audit_free(&audit);
}

static void no_time_is_no_loss(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 1, MI, computed("chain", 0, 0), true);
    choose(&audit, computed("ring", 0, 0));
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_GOOD);
    assert_true(fabs(audit.points[0].ratio - 1) < 1e-9);
    audit_free(&audit);
}

/* ---- Cliffs ---------------------------------------------------------------------------------- */

static const char *cliff_of(const struct audit_point *point)
{
    static char text[AUDIT_CLIFF_SIZE];
    return audit_cliff_text(point, text);
}

/* At 128 ranks the tree is replaced by a chain, and the tree would have been right. */
static void a_cliff_at_a_power_of_two_is_seen(void **state)
{
    (void)state;
    static const int32_t p[] = {64, 127, 128, 256};
    struct audit audit = {0};
    for (size_t i = 0; i < 4; i++) {
        const struct audit_choice tree = computed("tree", 0, 7e-6),
                                  chain = computed("chain", 0, 1e-6 * p[i]);
        add(&audit, p[i], KI, p[i] < 128 ? tree : chain, true);
        choose(&audit, tree);
        choose(&audit, chain);
    }
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    assert_string_equal(cliff_of(&audit.points[2]), "from p = 128 = 2^7");
    assert_null(cliff_of(&audit.points[3])); /* its neighbour of 128 has a chain, too */
    audit_free(&audit);
}

static void a_cliff_between_sizes_is_seen(void **state)
{
    (void)state;
    struct audit audit = {0};
    for (int64_t m = KI; m <= 16 * KI; m *= 2) {
        const struct audit_choice tree = computed("tree", 0, 7e-6 * (double)m),
                                  ring = computed("ring", 0, 1e-6 * (double)m);
        add(&audit, 32, m, m < 4 * KI ? tree : ring, true);
        choose(&audit, tree);
        choose(&audit, ring);
    }
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    assert_null(cliff_of(&audit.points[0]));
    assert_string_equal(cliff_of(&audit.points[1]), "below 4KiB");
    assert_int_equal(audit.rule_count, 1); /* the ring, for all sizes */
    audit_free(&audit);
}

/* The default does as well as the ring up to 1 KiB, and then five times worse. */
static void a_cliff_of_an_unknown_decision_is_seen(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, KI, measured(NULL, 1.02e-6), false);
    choose(&audit, measured("ring", 1e-6));
    add(&audit, 32, 2 * KI, measured(NULL, 10e-6), false);
    choose(&audit, measured("ring", 2e-6));
    judge(&audit);
    assert_string_equal(cliff_of(&audit.points[1]), "from 2KiB");
    audit_free(&audit);
}

/* A neighbour that loses, too, shows no cliff. */
static void a_losing_neighbour_is_no_cliff(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, KI, measured(NULL, 3e-6), false);
    choose(&audit, measured("ring", 1e-6));
    add(&audit, 32, 2 * KI, measured(NULL, 10e-6), false);
    choose(&audit, measured("ring", 2e-6));
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    assert_null(cliff_of(&audit.points[1]));
    audit_free(&audit);
}

/* What another run did at a smaller size, or other ranks at a larger one, shows no cliff. */
static void a_neighbour_is_of_the_same_run_and_ranks(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, KI, measured(NULL, 3e-6), false)->run = "a";
    choose(&audit, measured("ring", 1e-6));
    add(&audit, 32, KI, measured(NULL, 1e-6), false)->run = "b";
    choose(&audit, measured("ring", 1e-6));
    add(&audit, 32, 2 * KI, measured(NULL, 10e-6), false)->run = "a";
    choose(&audit, measured("ring", 2e-6));
    add(&audit, 64, 4 * KI, measured(NULL, 4e-6), false)->run = "a";
    choose(&audit, measured("ring", 4e-6));
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    assert_null(cliff_of(&audit.points[2]));
    audit_free(&audit);
}

/* The tree of 64 ranks would do at 128 for the same size, for another it says nothing. */
static void a_neighbour_is_of_the_same_size(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct audit audit = {0};
        add(&audit, 64, same ? KI : 2 * KI, computed("tree", 0, 1e-6), true);
        choose(&audit, computed("tree", 0, 1e-6));
        choose(&audit, computed("chain", 0, 5e-6));
        add(&audit, 128, KI, computed("chain", 0, 9e-6), true);
        choose(&audit, computed("tree", 0, 1e-6));
        choose(&audit, computed("chain", 0, 9e-6));
        judge(&audit);
        assert_int_equal(audit.points[1].verdict, AUDIT_LOSES);
        assert_int_equal(cliff_of(&audit.points[1]) != NULL, same);
        audit_free(&audit);
    }
}

/* Two losses, 4 and 9 times as long, of which a rule mends one: log 4 of log 36 is mended. */
static void shares_are_of_logarithms(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct out_verdict verdict = {0};
    add(&audit, 32, KI, computed("tree", 0, 4e-6), true);
    choose(&audit, computed("tree", 0, 4e-6));
    choose(&audit, computed("ring", 0, 1e-6));
    add(&audit, 32, MI, computed("tree", 0, 9e-6), true);
    choose(&audit, computed("tree", 0, 9e-6));
    choose(&audit, computed("ring", 0, 1e-6));
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    audit.rule_count = 1; /* without what mends the second */
    audit.rules[0].m_high = KI;
    audit_verdict(&audit, "computed", &verdict);
    assert_true(verdict.count >= 2);
    assert_string_equal(verdict.sentence[1],
                        "The rules mend 1 of them, which is 39 % of what is lost.");
    out_verdict_free(&verdict);
    audit_free(&audit);
}

/* A choice that stays the same is no cliff, though its loss grows. */
static void the_same_choice_is_no_cliff(void **state)
{
    (void)state;
    struct audit audit = {0};
    add(&audit, 32, KI, computed("chain", 0, 1e-6), true);
    choose(&audit, computed("chain", 0, 1e-6));
    choose(&audit, computed("ring", 0, 1e-6));
    add(&audit, 32, 2 * KI, computed("chain", 0, 10e-6), true);
    choose(&audit, computed("chain", 0, 10e-6));
    choose(&audit, computed("ring", 0, 2e-6));
    judge(&audit);
    assert_int_equal(audit.points[1].verdict, AUDIT_LOSES);
    assert_null(cliff_of(&audit.points[1]));
    audit_free(&audit);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void check_rule(const struct audit *audit, size_t i, int32_t p_low, int32_t p_high,
                       int64_t m_low, int64_t m_high, const char *name)
{
    const struct audit_rule *rule = &audit->rules[i];
    assert_true(i < audit->rule_count);
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
    struct audit audit = {0};
    for (int64_t m = KI; m <= MI; m *= 8) {
        const double t = 1e-9 * (double)m;
        add(&audit, 32, m, measured(NULL, m < 8 * KI ? t : 3 * t), false);
        choose(&audit, measured("scatter", m == 8 * KI ? 0.96 * t : m < 8 * KI ? 2 * t : 1.3 * t));
        choose(&audit, measured("ring", m < 8 * KI ? 2 * t : t));
    }
    judge(&audit);
    assert_int_equal(audit.loss_count, 3);
    assert_int_equal(audit.rule_count, 2);
    check_rule(&audit, 0, 32, 32, KI, KI, NULL);
    check_rule(&audit, 1, 32, 32, 8 * KI, 512 * KI, "ring");
    assert_int_equal(audit.rules[1].mended, 3);
    assert_true(fabs(audit.rules[1].gain - 3) < 1e-6);
    audit_free(&audit);
}

/* 16 and 32 ranks need the same rules, 64 none. */
static void rules_of_several_ranks_are_joined(void **state)
{
    (void)state;
    struct audit audit = {0};
    for (int32_t p = 16; p <= 64; p *= 2) {
        add(&audit, p, KI, computed("chain", 0, p < 64 ? 5e-6 : 1e-6), true);
        choose(&audit, computed("chain", 0, p < 64 ? 5e-6 : 1e-6));
        choose(&audit, computed("ring", 0, 2e-6));
    }
    judge(&audit);
    assert_int_equal(audit.rule_count, 2);
    check_rule(&audit, 0, 16, 32, KI, KI, "ring");
    check_rule(&audit, 1, 64, 64, KI, KI, NULL);
    assert_int_equal(audit.rules[0].points, 2);
    assert_int_equal(audit.rules[0].mended, 2);
    audit_free(&audit);
}

/* Two runs of one point: a rule needs times of both, and mends if it helps on the whole. */
static void runs_of_a_point_share_a_rule(void **state)
{
    (void)state;
    struct audit audit = {0};
    for (int i = 0; i < 2; i++) {
        add(&audit, 32, KI, measured(NULL, 4e-6), false)->run = i == 0 ? "a" : "b";
        if (i == 0)
            choose(&audit, measured("once", 1e-6));
        choose(&audit, measured("ring", i == 0 ? 2e-6 : 1e-6));
    }
    judge(&audit);
    assert_int_equal(audit.loss_count, 2);
    assert_int_equal(audit.rule_count, 1);
    check_rule(&audit, 0, 32, 32, KI, KI, "ring");
    audit_free(&audit);
}

/* One of two runs loses, and the other is as good either way: that is mended. */
static void half_of_the_runs_are_mended(void **state)
{
    (void)state;
    struct audit audit = {0};
    for (int i = 0; i < 2; i++) {
        add(&audit, 32, KI, measured(NULL, i == 0 ? 4e-6 : 1e-6), false)->run = i == 0 ? "a" : "b";
        choose(&audit, measured("ring", 1e-6));
    }
    judge(&audit);
    assert_int_equal(audit.loss_count, 1);
    assert_int_equal(audit.rule_count, 1);
    check_rule(&audit, 0, 32, 32, KI, KI, "ring");
    audit_free(&audit);
}

/* ---- Measured rows --------------------------------------------------------------------------- */

static struct rows_row row_of(const char *name, double median_s)
{
    return (struct rows_row){.system = "here",
                             .test = "1",
                             .library = "OMPI",
                             .library_version = "4.1.5",
                             .collective = "bcast",
                             .name = name,
                             .shape = "",
                             .nodes = 32,
                             .ranks_per_node = 1,
                             .p = 32,
                             .own_choice = strncmp(name, "default", 7) == 0 &&
                                           strcmp(name, "default-ring") != 0,
                             .m_bytes = KI,
                             .element_bytes = 4,
                             .median_s = median_s,
                             .p10_s = median_s,
                             .p90_s = median_s};
}

static void add_rows(struct audit *audit, struct rows_row row[], size_t count,
                     const struct audit_decider *decider, int64_t undecided)
{
    const struct rows_row *rows[8];
    struct audit_left_out left_out = {0};
    struct audit_rows_left_out rows_left_out = {0};
    for (size_t i = 0; i < count; i++)
        rows[i] = &row[i];
    audit_add_measured(audit, rows, count, decider, &left_out, &rows_left_out);
    assert_int_equal(rows_left_out.undecided, undecided);
    judge(audit);
}

/* "_over" are not the library's; another size has no decision. */
static void rows_become_points(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct rows_row rows[] = {row_of("ring_over", 1e-6), row_of("default_ompi", 8e-6),
                              row_of("ring_ompi", 2e-6), row_of("chain_ompi", 8e-6),
                              row_of("ring_ompi", 3e-6)};
    rows[4].m_bytes = 2 * KI;
    add_rows(&audit, rows, 5, NULL, 1);
    assert_int_equal(audit.point_count, 1);
    assert_int_equal(audit.points[0].count, 3);
    assert_int_equal(audit.loss_count, 1);
    assert_string_equal(audit.losses[0]->best->name, "ring_ompi");
    assert_string_equal(audit.losses[0]->like->name, "chain_ompi");
    assert_string_equal(audit.losses[0]->beyond->name, "ring_over");
    assert_string_equal(audit.settings[0].source, "here OMPI 4.1.5");
    assert_string_equal(audit.settings[0].library, "ompi");
    audit_free(&audit);
}

static void marks_say_what_is_the_librarys(void **state)
{
    (void)state;
    struct audit audit = {0};
    struct rows_row rows[] = {row_of("default-default", 8e-6), row_of("default-ring", 2e-6),
                              row_of("BINE-UTOFU-0-6", 1e-6)};
    add_rows(&audit, rows, 3, NULL, 0);
    assert_string_equal(audit.losses[0]->best->name, "default-ring");
    assert_string_equal(audit.losses[0]->beyond->name, "BINE-UTOFU-0-6");
    audit_free(&audit);
}

/* Takes the chain for 1 KiB, and has no rule for other sizes. */
static bool decide_chain(void *context, const char *collective, int32_t p, int32_t ppn,
                         int64_t m_bytes, struct audit_decision *decision)
{
    (void)context;
    (void)collective;
    (void)p;
    (void)ppn;
    *decision = (struct audit_decision){.name = "pipeline", .algorithm = "chain"};
    return m_bytes == KI;
}

/* With rules the time of what they take counts, not that of the default; without one the default's.
 */
static void rules_decide_on_rows(void **state)
{
    (void)state;
    static const struct audit_decider decider = {.library = "ompi", .decide = decide_chain};
    struct audit audit = {0};
    struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6),
                              row_of("ring_ompi", 2e-6),    row_of("default_ompi", 5e-6),
                              row_of("ring_ompi", 4e-6),    row_of("default_mpich", 1e-6)};
    rows[1].algorithm = "chain";
    rows[3].m_bytes = rows[4].m_bytes = 2 * KI;
    rows[5].library = "MPICH";
    add_rows(&audit, rows, 6, &decider, 0);
    assert_int_equal(audit.point_count, 2);
    assert_true(audit.points[0].known);
    assert_true(fabs(audit.points[0].ratio - 4) < 1e-9);
    assert_string_equal(audit.points[0].decision.name, "chain_ompi");
    assert_false(audit.points[1].known);
    assert_true(fabs(audit.points[1].ratio - 1.25) < 1e-9);
    audit_free(&audit);
}

/* A rule with segments is not the measured algorithm without. */
static bool decide_segments(void *context, const char *collective, int32_t p, int32_t ppn,
                            int64_t m_bytes, struct audit_decision *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    decision->segment_bytes = m_bytes / 64;
    return true;
}

static void a_segment_size_must_have_been_measured(void **state)
{
    (void)state;
    static const struct audit_decider decider = {.library = "ompi", .decide = decide_segments};
    struct audit audit = {0};
    struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6)};
    rows[1].algorithm = "chain";
    add_rows(&audit, rows, 2, &decider, 0);
    assert_int_equal(audit.point_count, 0);
    audit_free(&audit);
}

/* Rows are of one point only if nothing but the algorithm differs. */
static void points_differ_in_anything(void **state)
{
    (void)state;
    for (int what = 0; what < 10; what++) {
        struct audit audit = {0};
        struct rows_row rows[] = {row_of("default_ompi", 4e-6), row_of("ring_ompi", 2e-6)};
        struct rows_row *other = &rows[1];
        other->system = what == 1 ? "there" : other->system;
        other->library_version = what == 2 ? "5.0" : other->library_version;
        other->collective = what == 3 ? "reduce" : other->collective;
        other->ranks_per_node += what == 4;
        other->p += what == 5;
        other->m_bytes += what == 6;
        other->root += what == 7;
        other->element_bytes += what == 8;
        other->test = what == 9 ? "2" : other->test;
        add_rows(&audit, rows, 2, NULL, what > 0); /* then the second row has no decision */
        assert_int_equal(audit.point_count, 1);
        assert_int_equal(audit.points[0].count, what == 0);
        audit_free(&audit);
    }
}

/* Segments as long as the message are no segments, and shorter ones are. */
static bool decide_by_context(void *context, const char *collective, int32_t p, int32_t ppn,
                              int64_t m_bytes, struct audit_decision *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    decision->segment_bytes = *(const int64_t *)context;
    return true;
}

static void whole_messages_are_not_segmented(void **state)
{
    (void)state;
    for (int64_t segment = KI - 1; segment <= KI + 1; segment++) {
        int64_t context = segment;
        const struct audit_decider decider = {
            .library = "ompi", .decide = decide_by_context, .context = &context};
        struct audit audit = {0};
        struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6)};
        rows[1].algorithm = "chain";
        rows[0].m_bytes = rows[1].m_bytes = KI;
        add_rows(&audit, rows, 2, &decider, 0);
        assert_int_equal(audit.point_count, segment >= KI);
        audit_free(&audit);
    }
}

/* A row for a prediction has the bytes of a rank's largest buffer. */
static void predicted_rows_have_their_bytes(void **state)
{
    (void)state;
    const struct rows_row like = row_of("ring_ompi", 1);
    const struct rb_plan_spec exchange = {.collective = "alltoall",
                                          .algorithm = "bruck",
                                          .p = 12,
                                          .n = 1},
                              gather = {
                                  .collective = "allgather", .algorithm = "ring", .p = 12, .n = 1};
    const struct rows_row pairs = audit_row(&like, &exchange, 5, 12 * KI),
                          shares = audit_row(&like, &gather, 5, 12 * KI);
    assert_int_equal(pairs.bytes, KI);
    assert_int_equal(shares.bytes, 12 * KI);
    assert_int_equal(pairs.m_bytes, 12 * KI);
    assert_int_equal(pairs.nodes, 3);
    assert_int_equal(pairs.p, 12);
}

/* ---- A sweep's results ----------------------------------------------------------------------- */

/* m / 64 bytes are 64 blocks, whose time lies between those of 16 and 256: sqrt(2 * 8) ms. The ring
 * with 2 blocks is faster, but the library can't cut it. */
static void results_are_interpolated(void **state)
{
    (void)state;
    static const struct audit_decider decider = {.library = "ompi", .decide = decide_segments};
    static const struct decide_sample chain[] = {{1, 20e-3}, {16, 2e-3}, {256, 8e-3}},
                                      ring[] = {{1, 5e-3}, {2, 1e-3}};
    struct point setting = {.plan = {.collective = "bcast", .ports = 1},
                            .ppn = 1,
                            .element_bytes = 1,
                            .counts = "regular",
                            .platform_text = "crossbar:8",
                            .platform_hash = "",
                            .placement = "block",
                            .overlap = "blocking",
                            .engine_text = "model",
                            .engine_options = ""};
    struct decide_curve curves[] = {{.p = 8,
                                     .m_bytes = MI,
                                     .algorithm = "chain",
                                     .plan_algorithm = "chain",
                                     .info = rb_algorithm_find("bcast", "chain"),
                                     .groups = "",
                                     .samples = chain,
                                     .count = 3,
                                     .low_s = NAN,
                                     .high_s = NAN,
                                     .best = &chain[1]},
                                    {.p = 8,
                                     .m_bytes = MI,
                                     .algorithm = "scatter-allgather",
                                     .plan_algorithm = "scatter-allgather",
                                     .info = rb_algorithm_find("bcast", "scatter-allgather"),
                                     .groups = "",
                                     .samples = ring,
                                     .count = 2,
                                     .low_s = NAN,
                                     .high_s = NAN,
                                     .best = &ring[1]}};
    const struct decide_curves data = {
        .settings = &setting, .setting_count = 1, .curves = curves, .curve_count = 2};
    struct audit_left_out left_out = {0};
    struct audit audit = {0};
    audit_add_results(&audit, &data, &decider, &left_out);
    judge(&audit);
    assert_int_equal(audit.point_count, 1);
    assert_true(fabs(audit.points[0].decision.time_s - 4e-3) < 1e-9);
    assert_int_equal(audit.points[0].cause, AUDIT_SEGMENT);
    assert_true(fabs(audit.points[0].ratio - 2) < 1e-9);
    assert_int_equal(audit.points[0].best->segment_bytes, 64 * KI);
    assert_string_equal(audit.points[0].beyond->name, "scatter-allgather");
    audit_free(&audit);
    /* Beyond the sweep's blocks there is no time: 64 are more than 16, and fewer than 256. */
    for (int above = 0; above < 2; above++) {
        curves[0].samples = above ? chain + 2 : chain;
        curves[0].count = above ? 1 : 2;
        curves[0].best = &curves[0].samples[above ? 0 : 1];
        audit_add_results(&audit, &data, &decider, &left_out);
        judge(&audit);
        assert_int_equal(audit.points[0].verdict, AUDIT_NO_TIME);
        audit_free(&audit);
    }
}

/* Blocks are as few as the segments allow; of an allgather they are cut of each rank's share. */
static void segments_make_blocks(void **state)
{
    (void)state;
    const struct rb_plan_spec chain = {.collective = "bcast", .algorithm = "chain", .p = 8, .n = 1},
                              tree = {.collective = "bcast", .algorithm = "flat", .p = 8, .n = 1},
                              circulant = {.collective = "allgather",
                                           .algorithm = "circulant",
                                           .p = 8,
                                           .n = 1};
    assert_int_equal(audit_blocks(&chain, 10000, 4096), 3);
    assert_int_equal(audit_blocks(&chain, 10000, 0), 1);
    assert_int_equal(audit_blocks(&chain, 10000, 20000), 1);
    assert_int_equal(audit_blocks(&tree, 10000, 4096), 1);
    assert_int_equal(audit_blocks(&circulant, 80000, 4096), 3);
    assert_int_equal(audit_segment(&chain, 10000, 3), 3334);
    assert_int_equal(audit_segment(&chain, 10000, 1), 0);
    assert_int_equal(audit_segment(&circulant, 80000, 3), 3334);
}

/* ---- Predictions ----------------------------------------------------------------------------- */

/* The chain takes (n + p - 2)(1 us + m / n / 1 GB/s); other algorithms are not known. */
static int time_of_chain(struct predict_model *model, const struct rows_row *row,
                         struct predict_estimate *estimate, struct sup_error *why)
{
    (void)model;
    if (strcmp(row->algorithm, "chain") != 0)
        return sup_fail(why, RB_ENOTSUP, "only the chain is known");
    const double n = (double)row->n;
    estimate->time_s = (n + row->p - 2) * (1e-6 + (double)row->m_bytes / n / 1e9);
    estimate->low_s = estimate->time_s * 0.99;
    estimate->high_s = estimate->time_s * 1.01;
    return RB_OK;
}

static void predictions_are_judged(void **state)
{
    (void)state;
    static const struct predict_kind kind = {.time = time_of_chain};
    static const struct audit_decider decider = {.library = "ompi", .decide = decide_chain};
    struct predict_model model = {&kind};
    int64_t p[] = {32}, m[] = {KI, MI};
    const struct sup_list ranks = {p, 1}, sizes = {m, 2};
    struct rows_row like = row_of("ring_ompi", 1);
    const struct audit_prediction prediction = {.model = &model,
                                                .like = &like,
                                                .collective = "bcast",
                                                .p = &ranks,
                                                .m_bytes = &sizes,
                                                .ppn = 1};
    struct audit audit = {0};
    struct audit_left_out left_out = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &left_out, &error),
                     RB_OK);
    assert_int_equal(audit.point_count, 1); /* no rule for 1 MiB */
    assert_int_equal(left_out.no_rule, 1);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_ALONE); /* 1 KiB is not cut */
    audit_free(&audit);
}

/* Segments of 4 KiB are 256 blocks: (256 + 30)(1 + 4.096) us instead of 31 * 1049.6 us. */
static bool decide_whole(void *context, const char *collective, int32_t p, int32_t ppn,
                         int64_t m_bytes, struct audit_decision *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    return true;
}

static void predicted_segments_are_tried(void **state)
{
    (void)state;
    static const struct predict_kind kind = {.time = time_of_chain};
    static const struct audit_decider decider = {.library = "ompi", .decide = decide_whole};
    struct predict_model model = {&kind};
    int64_t p[] = {32}, m[] = {MI};
    const struct sup_list ranks = {p, 1}, sizes = {m, 1};
    struct rows_row like = row_of("ring_ompi", 1);
    const struct audit_prediction prediction = {.model = &model,
                                                .like = &like,
                                                .collective = "bcast",
                                                .p = &ranks,
                                                .m_bytes = &sizes,
                                                .ppn = 1};
    struct audit audit = {0};
    struct audit_left_out left_out = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &left_out, &error),
                     RB_OK);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_LOSES);
    assert_int_equal(audit.points[0].cause, AUDIT_SEGMENT);
    assert_int_equal(audit.points[0].best->segment_bytes, 4 * KI);
    assert_true(fabs(audit.points[0].decision.time_s - 31 * (1e-6 + 1.048576e-3)) < 1e-12);
    assert_true(fabs(audit.points[0].best->time_s - 286 * (1e-6 + 4.096e-6)) < 1e-12);
    audit_free(&audit);
}

/* MPICH takes another algorithm than this one unless p is a power of two. */
static bool decide_doubling(void *context, const char *collective, int32_t p, int32_t ppn,
                            int64_t m_bytes, struct audit_decision *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    *decision =
        (struct audit_decision){.name = "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
                                .algorithm = "scatter-doubling"};
    return true;
}

static int time_of_any(struct predict_model *model, const struct rows_row *row,
                       struct predict_estimate *estimate, struct sup_error *why)
{
    (void)model;
    (void)row;
    (void)why;
    *estimate = (struct predict_estimate){1e-3, NAN, NAN};
    return RB_OK;
}

static void a_choice_must_serve_the_ranks(void **state)
{
    (void)state;
    static const struct predict_kind kind = {.time = time_of_any};
    static const struct audit_decider decider = {.library = "mpich", .decide = decide_doubling};
    struct predict_model model = {&kind};
    int64_t p[] = {15, 16}, m[] = {MI};
    const struct sup_list ranks = {p, 2}, sizes = {m, 1};
    struct rows_row like = row_of("ring_mpich", 1);
    const struct audit_prediction prediction = {.model = &model,
                                                .like = &like,
                                                .collective = "bcast",
                                                .p = &ranks,
                                                .m_bytes = &sizes,
                                                .ppn = 1};
    struct audit audit = {0};
    struct audit_left_out left_out = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &left_out, &error),
                     RB_OK);
    judge(&audit);
    assert_int_equal(audit.points[0].verdict, AUDIT_NO_TIME);
    assert_int_equal(audit.points[1].verdict, AUDIT_GOOD);
    assert_int_equal(left_out.no_plan, 1);
    audit_free(&audit);
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
        cmocka_unit_test(an_unknown_decision_is_like_what_takes_as_long),
        cmocka_unit_test(a_faster_choice_is_not_alike),
        cmocka_unit_test(what_the_library_lacks_is_named_apart),
        cmocka_unit_test(what_the_library_has_as_fast_does_not_lack),
        cmocka_unit_test(a_point_without_times_is_not_judged),
        cmocka_unit_test(no_time_is_no_loss),
        cmocka_unit_test(a_cliff_at_a_power_of_two_is_seen),
        cmocka_unit_test(a_cliff_between_sizes_is_seen),
        cmocka_unit_test(a_cliff_of_an_unknown_decision_is_seen),
        cmocka_unit_test(a_losing_neighbour_is_no_cliff),
        cmocka_unit_test(a_neighbour_is_of_the_same_run_and_ranks),
        cmocka_unit_test(the_same_choice_is_no_cliff),
        cmocka_unit_test(rules_are_merged),
        cmocka_unit_test(rules_of_several_ranks_are_joined),
        cmocka_unit_test(runs_of_a_point_share_a_rule),
        cmocka_unit_test(half_of_the_runs_are_mended),
        cmocka_unit_test(a_neighbour_is_of_the_same_size),
        cmocka_unit_test(shares_are_of_logarithms),
        cmocka_unit_test(points_differ_in_anything),
        cmocka_unit_test(whole_messages_are_not_segmented),
        cmocka_unit_test(predicted_rows_have_their_bytes),
        cmocka_unit_test(rows_become_points),
        cmocka_unit_test(marks_say_what_is_the_librarys),
        cmocka_unit_test(rules_decide_on_rows),
        cmocka_unit_test(a_segment_size_must_have_been_measured),
        cmocka_unit_test(results_are_interpolated),
        cmocka_unit_test(segments_make_blocks),
        cmocka_unit_test(predictions_are_judged),
        cmocka_unit_test(predicted_segments_are_tried),
        cmocka_unit_test(a_choice_must_serve_the_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
