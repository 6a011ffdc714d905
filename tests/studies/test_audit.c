/* audit's sources of calls (measured rows, results, predictions), and its sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "roundabout.h"
#include "studies/audit/audit.h"

enum { KI = 1024, MI = 1024 * 1024 };

/* Computed times have no spread. */
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

static struct sup_error error;

static size_t setting_of(struct decide *audit, const char *source)
{
    const struct decide_place setting = {.place = source, .collective = "bcast", .ppn = 1};
    return decide_add_place(audit, &setting);
}

static struct decide_call *add(struct decide *audit, int32_t p, int64_t m_bytes,
                               struct decide_way decision, bool known)
{
    const struct decide_call point = {.place = setting_of(audit, "here"),
                                      .run = "",
                                      .p = p,
                                      .m_bytes = m_bytes,
                                      .own = decision,
                                      .has_own = true,
                                      .own_known = known};
    decide_add_call(audit, &point);
    return &audit->calls[audit->call_count - 1];
}

static void choose(struct decide *audit, struct decide_way choice)
{
    decide_add_way(audit, &choice);
}

/* With a threshold of 10 %. */
static void judge(struct decide *audit)
{
    decide_judge(audit, 0.1);
    decide_mend(audit);
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

static void add_rows(struct decide *audit, struct rows_row row[], size_t count,
                     const struct decide_library *decider, int64_t undecided)
{
    const struct rows_row *rows[8];
    for (size_t i = 0; i < count; i++)
        rows[i] = &row[i];
    audit_add_measured(audit, rows, count, decider);
    assert_int_equal(audit->left_out[DECIDE_UNDECIDED].count, undecided);
    judge(audit);
}

/* "_over" are not the library's; another size has no decision. */
static void rows_become_points(void **state)
{
    (void)state;
    struct decide audit = {0};
    struct rows_row rows[] = {row_of("ring_over", 1e-6), row_of("default_ompi", 8e-6),
                              row_of("ring_ompi", 2e-6), row_of("chain_ompi", 8e-6),
                              row_of("ring_ompi", 3e-6)};
    rows[4].m_bytes = 2 * KI;
    add_rows(&audit, rows, 5, NULL, 1);
    assert_int_equal(audit.call_count, 1);
    assert_int_equal(audit.calls[0].count, 3);
    assert_int_equal(audit.loss_count, 1);
    assert_string_equal(audit.losses[0]->choice->name, "ring_ompi");
    assert_string_equal(audit.losses[0]->like->name, "chain_ompi");
    assert_string_equal(audit.losses[0]->beyond->name, "ring_over");
    assert_string_equal(audit.places[0].place, "here OMPI 4.1.5");
    assert_string_equal(audit.places[0].library, "ompi");
    decide_free(&audit);
}

static void marks_say_what_is_the_librarys(void **state)
{
    (void)state;
    struct decide audit = {0};
    struct rows_row rows[] = {row_of("default-default", 8e-6), row_of("default-ring", 2e-6),
                              row_of("BINE-UTOFU-0-6", 1e-6)};
    add_rows(&audit, rows, 3, NULL, 0);
    assert_string_equal(audit.losses[0]->choice->name, "default-ring");
    assert_string_equal(audit.losses[0]->beyond->name, "BINE-UTOFU-0-6");
    decide_free(&audit);
}

/* Takes the chain for 1 KiB, and has no rule for other sizes. */
static bool decide_chain(void *context, const char *collective, int32_t p, int32_t ppn,
                         int64_t m_bytes, struct decide_taken *decision)
{
    (void)context;
    (void)collective;
    (void)p;
    (void)ppn;
    *decision = (struct decide_taken){.name = "pipeline", .algorithm = "chain"};
    return m_bytes == KI;
}

/* With rules the time of what they take counts, not that of the default; without one the default's.
 */
static void rules_decide_on_rows(void **state)
{
    (void)state;
    static const struct decide_library decider = {.library = "ompi", .decide = decide_chain};
    struct decide audit = {0};
    struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6),
                              row_of("ring_ompi", 2e-6),    row_of("default_ompi", 5e-6),
                              row_of("ring_ompi", 4e-6),    row_of("default_mpich", 1e-6)};
    rows[1].algorithm = "chain";
    rows[3].m_bytes = rows[4].m_bytes = 2 * KI;
    rows[5].library = "MPICH";
    add_rows(&audit, rows, 6, &decider, 0);
    assert_int_equal(audit.call_count, 2);
    assert_true(audit.calls[0].own_known);
    assert_true(fabs(audit.calls[0].gain - 4) < 1e-9);
    assert_string_equal(audit.calls[0].own.name, "chain_ompi");
    assert_false(audit.calls[1].own_known);
    assert_true(fabs(audit.calls[1].gain - 1.25) < 1e-9);
    decide_free(&audit);
}

/* A rule with segments is not the measured algorithm without. */
static bool decide_segments(void *context, const char *collective, int32_t p, int32_t ppn,
                            int64_t m_bytes, struct decide_taken *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    decision->segment_bytes = m_bytes / 64;
    return true;
}

static void a_segment_size_must_have_been_measured(void **state)
{
    (void)state;
    static const struct decide_library decider = {.library = "ompi", .decide = decide_segments};
    struct decide audit = {0};
    struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6)};
    rows[1].algorithm = "chain";
    add_rows(&audit, rows, 2, &decider, 0);
    assert_int_equal(audit.call_count, 0);
    decide_free(&audit);
}

/* Rows are of one point only if nothing but the algorithm differs. */
static void points_differ_in_anything(void **state)
{
    (void)state;
    for (int what = 0; what < 10; what++) {
        struct decide audit = {0};
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
        assert_int_equal(audit.call_count, 1);
        assert_int_equal(audit.calls[0].count, what == 0);
        decide_free(&audit);
    }
}

/* Segments as long as the message are no segments, and shorter ones are. */
static bool decide_by_context(void *context, const char *collective, int32_t p, int32_t ppn,
                              int64_t m_bytes, struct decide_taken *decision)
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
        const struct decide_library decider = {
            .library = "ompi", .decide = decide_by_context, .context = &context};
        struct decide audit = {0};
        struct rows_row rows[] = {row_of("default_ompi", 2e-6), row_of("chain_ompi", 8e-6)};
        rows[1].algorithm = "chain";
        rows[0].m_bytes = rows[1].m_bytes = KI;
        add_rows(&audit, rows, 2, &decider, 0);
        assert_int_equal(audit.call_count, segment >= KI);
        decide_free(&audit);
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
    static const struct decide_library decider = {.library = "ompi", .decide = decide_segments};
    static const struct decide_sample chain[] = {{1, 20e-3}, {16, 2e-3}, {256, 8e-3}},
                                      ring[] = {{1, 5e-3}, {2, 1e-3}};
    struct point setting = {.plan = {.collective = "bcast", .ports = 1},
                            .ppn = 1,
                            .element_bytes = 1,
                            .counts = "regular",
                            .platform_text = "crossbar:8",
                            .platform_hash = "",
                            .placement = "block",
                            .arrival = "together",
                            .program = "alone",
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
    struct decide audit = {0};
    audit_add_results(&audit, &data, &decider);
    judge(&audit);
    assert_int_equal(audit.call_count, 1);
    assert_true(fabs(audit.calls[0].own.time_s - 4e-3) < 1e-9);
    assert_int_equal(audit.calls[0].cause, DECIDE_SEGMENT);
    assert_true(fabs(audit.calls[0].gain - 2) < 1e-9);
    assert_int_equal(audit.calls[0].choice->segment_bytes, 64 * KI);
    assert_string_equal(audit.calls[0].beyond->name, "scatter-allgather");
    decide_free(&audit);
    /* Beyond the sweep's blocks there is no time: 64 are more than 16, and fewer than 256. */
    for (int above = 0; above < 2; above++) {
        curves[0].samples = above ? chain + 2 : chain;
        curves[0].count = above ? 1 : 2;
        curves[0].best = &curves[0].samples[above ? 0 : 1];
        audit_add_results(&audit, &data, &decider);
        judge(&audit);
        assert_int_equal(audit.calls[0].verdict, DECIDE_NO_TIME);
        decide_free(&audit);
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
    assert_int_equal(decide_blocks(&chain, 10000, 4096), 3);
    assert_int_equal(decide_blocks(&chain, 10000, 0), 1);
    assert_int_equal(decide_blocks(&chain, 10000, 20000), 1);
    assert_int_equal(decide_blocks(&tree, 10000, 4096), 1);
    assert_int_equal(decide_blocks(&circulant, 80000, 4096), 3);
    assert_int_equal(decide_segment(&chain, 10000, 3), 3334);
    assert_int_equal(decide_segment(&chain, 10000, 1), 0);
    assert_int_equal(decide_segment(&circulant, 80000, 3), 3334);
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
    static const struct decide_library decider = {.library = "ompi", .decide = decide_chain};
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
    struct decide audit = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &error), RB_OK);
    assert_int_equal(audit.call_count, 1); /* no rule for 1 MiB */
    assert_int_equal(audit.left_out[DECIDE_NO_RULE].count, 1);
    judge(&audit);
    assert_int_equal(audit.calls[0].verdict, DECIDE_ALONE); /* 1 KiB is not cut */
    decide_free(&audit);
}

/* Segments of 4 KiB are 256 blocks: (256 + 30)(1 + 4.096) us instead of 31 * 1049.6 us. */
static bool decide_whole(void *context, const char *collective, int32_t p, int32_t ppn,
                         int64_t m_bytes, struct decide_taken *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    return true;
}

static void predicted_segments_are_tried(void **state)
{
    (void)state;
    static const struct predict_kind kind = {.time = time_of_chain};
    static const struct decide_library decider = {.library = "ompi", .decide = decide_whole};
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
    struct decide audit = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &error), RB_OK);
    judge(&audit);
    assert_int_equal(audit.calls[0].verdict, DECIDE_LOSES);
    assert_int_equal(audit.calls[0].cause, DECIDE_SEGMENT);
    assert_int_equal(audit.calls[0].choice->segment_bytes, 4 * KI);
    assert_true(fabs(audit.calls[0].own.time_s - 31 * (1e-6 + 1.048576e-3)) < 1e-12);
    assert_true(fabs(audit.calls[0].choice->time_s - 286 * (1e-6 + 4.096e-6)) < 1e-12);
    decide_free(&audit);
}

/* MPICH takes another algorithm than this one unless p is a power of two. */
static bool decide_doubling(void *context, const char *collective, int32_t p, int32_t ppn,
                            int64_t m_bytes, struct decide_taken *decision)
{
    decide_chain(context, collective, p, ppn, m_bytes, decision);
    *decision =
        (struct decide_taken){.name = "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
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
    static const struct decide_library decider = {.library = "mpich", .decide = decide_doubling};
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
    struct decide audit = {0};
    assert_int_equal(audit_predict(&audit, "here", &decider, &prediction, &error), RB_OK);
    judge(&audit);
    assert_int_equal(audit.calls[0].verdict, DECIDE_NO_TIME);
    assert_int_equal(audit.calls[1].verdict, DECIDE_GOOD);
    assert_int_equal(audit.left_out[DECIDE_NO_PLAN].count, 1);
    decide_free(&audit);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

/* Two losses, 4 and 9 times as long, of which a rule mends one: log 4 of log 36 is mended. */
static void shares_are_of_logarithms(void **state)
{
    (void)state;
    struct decide audit = {0};
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
    audit_verdict(&audit, NULL, "computed", &verdict);
    assert_true(verdict.count >= 3);
    assert_string_equal(verdict.sentence[2],
                        "The rules mend 1 of them, which is 39 % of what is lost.");
    out_verdict_free(&verdict);
    decide_free(&audit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(shares_are_of_logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
