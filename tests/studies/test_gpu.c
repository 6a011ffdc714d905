/* test_gpu.c - NCCL's rows: names that are not what ran, its cost model, and what it is worth on
 * measured rows (data/pico/gpu.csv). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "studies/audit/audit.h"
#include "studies/machine/machine.h"
#include "studies/predict/predict.h"

static const struct rows_defaults no_defaults;

static void read_data(struct rows_set *set)
{
    struct sup_error error;
    *set = (struct rows_set){0};
    if (rows_read(set, SOURCE_DIRECTORY "/data/pico/gpu.csv", &no_defaults, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(set->count, 382);
    rows_find_fallbacks(set);
    predict_choose_nccl(set->row, set->count);
}

/* ---- Names that are not what ran
 * -------------------------------------------------------------------- */

enum { SIZES = 10, MOST = 80 };

/* Adds rows of a name at SIZES sizes, with the times of ring in `ring` of them and those of tree in
 * the others. */
static void add(struct rows_set *set, const char *name, int ring, double factor)
{
    for (int i = 0; i < SIZES; i++) {
        const bool is_ring = strcmp(name, "ring") == 0, is_tree = strcmp(name, "tree") == 0;
        const double ring_s = 1e-4 * (i + 1), tree_s = 4e-4;
        set->row[set->count++] =
            (struct rows_row){.system = "here",
                              .test = "t",
                              .library = "NCCL",
                              .collective = "allreduce",
                              .name = name,
                              .algorithm = is_ring   ? "multi-ring"
                                           : is_tree ? "two-tree-in-lanes"
                                                     : NULL,
                              .manner = {.engine = "nccl"},
                              .nodes = 4,
                              .p = 16,
                              .bytes = 1 << (10 + i),
                              .median_s = factor * (i < ring ? ring_s : tree_s),
                              .p10_s = NAN};
    }
}

static void names_are_held_against_times(void **state)
{
    (void)state;
    struct rows_row row[MOST];
    struct rows_set set = {.row = row};
    const char *unforced = "nvls";
    add(&set, "ring", SIZES, 1);
    add(&set, "tree", 0, 1);
    add(&set, "nvlstree", SIZES, 1.05);
    add(&set, "atypical", 2, 0.95);
    set.row[set.count - 1].median_s *= 3; /* at one point of ten */
    add(&set, unforced, 2, 0.95);
    add(&set, "pat", SIZES, 1.3); /* something else */
    add(&set, "collnet", 0, 1);
    rows_find_fallbacks(&set);
    assert_string_equal(set.found,
                        "here allreduce: nvlstree ran ring; here allreduce: atypical, nvls ran "
                        "the library's own choice; here allreduce: collnet ran tree; their rows "
                        "are samples, of which medians count: 1 of 70 times are far off, such as "
                        "atypical's 1.14 ms for 512 KiB on 16 ranks instead of 400 us");
    /* At each size ring, tree, pat, and the library's own choice. */
    assert_int_equal(set.count, 4 * SIZES);
    const struct rows_row *ring = &row[0], *tree = &row[SIZES], *own = &row[2 * SIZES],
                          *pat = &row[3 * SIZES];
    for (int i = 0; i < SIZES; i++) {
        const double ring_s = 1e-4 * (i + 1);
        assert_string_equal(ring[i].name, "ring");
        assert_true(fabs(ring[i].median_s / ring_s - (i < 2 ? 0.975 : 1.025)) < 1e-12);
        assert_true(fabs(tree[i].median_s / 4e-4 - (i < 2 ? 1 : 0.975)) < 1e-12 || i == SIZES - 1);
        assert_true(own[i].own_choice);
        assert_string_equal(own[i].ran, i < 2 ? "ring" : "tree");
        assert_null(own[i].algorithm);
        assert_true(own[i].median_s == (i < 2 ? ring : tree)[i].median_s);
        assert_string_equal(pat[i].name, "pat");
        assert_null(pat[i].algorithm);
    }
    /* Of 4, 4, 3.8 and 3.8 * 3. */
    assert_true(fabs(tree[SIZES - 1].median_s / 4e-4 - 1) < 1e-12);
    free(set.found);
}

/* Two points are too few, and names of other libraries are left as they are. */
static void little_says_nothing(void **state)
{
    (void)state;
    struct rows_row row[MOST];
    struct rows_set set = {.row = row};
    add(&set, "ring", SIZES, 1);
    add(&set, "nvlstree", SIZES, 1);
    set.count -= SIZES - 2;
    rows_find_fallbacks(&set);
    assert_string_equal(set.found, "");
    assert_int_equal(set.count, SIZES + 2);
    set.count = 0;
    add(&set, "ring", SIZES, 1);
    add(&set, "nvlstree", SIZES, 1);
    for (int i = 0; i < SIZES; i++)
        row[SIZES + i].manner.engine = NULL;
    rows_find_fallbacks(&set);
    assert_string_equal(set.found, "");
    assert_int_equal(set.count, 2 * SIZES);
    free(set.found);
}

/* ---- NCCL's cost model
 * ------------------------------------------------------------------------------ */

/* 64 MiB on 32 nodes of 4 H100 with LL128, as tuning.cc has it: 4 channels of 24 GB/s; hops of 1.9
 * us inside a node and 4 us between nodes. */
static void the_model_is_nccls(void **state)
{
    (void)state;
    struct rows_row row = {.system = "Mare-Nostrum",
                           .collective = "allreduce",
                           .name = "ring",
                           .algorithm = "multi-ring",
                           .manner = {.engine = "nccl"},
                           .nodes = 32,
                           .ranks_per_node = 4,
                           .p = 128,
                           .bytes = 1 << 26,
                           .m_bytes = 1 << 26};
    struct mach_engine_time time;
    struct sup_error error;
    const char *algorithm;
    const double by_hand_us =
        14 + (254 - 62) * 1.9 + 62 * 4 + 254.0 / 128 * (1 << 26) / (1000 * 4 * .92 * 24);
    assert_int_equal(mach_engine_time(&row, &time, &error), RB_OK);
    assert_string_equal(time.variant, "Ring LL128");
    assert_true(fabs(time.time_s / (1e-6 * by_hand_us) - 1) < 1e-9);
    /* A tree takes 2225 us. */
    assert_int_equal(mach_engine_choice(&row, &algorithm, &error), RB_OK);
    assert_string_equal(algorithm, "multi-ring");
    row.m_bytes = row.bytes = 1 << 20;
    assert_int_equal(mach_engine_choice(&row, &algorithm, &error), RB_OK);
    assert_string_equal(algorithm, "two-tree-in-lanes");
    /* A tree between A100, of 4 channels of 12 GB/s; from Hopper on it would get 0.85 of that. */
    struct rows_row tree = row;
    tree.system = "leonardo";
    tree.algorithm = "two-tree-in-lanes";
    tree.nodes = 4;
    tree.p = 16;
    tree.m_bytes = tree.bytes = 1 << 26;
    const double tree_us =
        14 + 2 * (3 * 1.25 + 2 * 8.5) + (1 << 26) / (1000 * .9 * 4 * .92 * 12 * 120 / 128 / 2);
    assert_int_equal(mach_engine_time(&tree, &time, &error), RB_OK);
    assert_string_equal(time.variant, "Tree LL128");
    assert_true(fabs(time.time_s / (1e-6 * tree_us) - 1) < 1e-9);
    row.ranks_per_node = 2;
    row.p = 64;
    assert_int_equal(mach_engine_time(&row, &time, &error), RB_ENOTSUP);
    assert_non_null(strstr(error.text, "marenostrum5-rails has 4 GPUs"));
    row.system = "elsewhere";
    assert_int_equal(mach_engine_choice(&row, &algorithm, &error), RB_ENOTSUP);
    assert_non_null(strstr(error.text, "elsewhere are not known"));
}

/* ---- The data
 * ---------------------------------------------------------------------------------------- */

static void the_data_are_understood(void **state)
{
    (void)state;
    struct rows_set set;
    int64_t own = 0, alike = 0;
    read_data(&set);
    assert_non_null(strstr(set.found, "collnet, collnetchain, collnetdirect, nvls, pat ran the "
                                      "library's own choice; mare_nostrum allreduce: nvlstree ran "
                                      "ring; their rows"));
    assert_non_null(strstr(set.found, "5 of 269 times are far off, such as nvls's 195 us for 16 "
                                      "KiB on 128 ranks instead of 55.5 us"));
    assert_int_equal(set.count, 382 - 27 * 5);
    for (size_t i = 0; i < set.count; i++) {
        struct rows_row model = set.row[i];
        if (!model.own_choice)
            continue;
        /* What the model says that NCCL chose is what took as long, forced. */
        own++;
        model.ran = NULL;
        predict_choose_nccl(&model, 1);
        alike +=
            (strcmp(set.row[i].ran, "ring") == 0) == (strcmp(model.algorithm, "multi-ring") == 0);
        assert_null(set.row[i].algorithm);
        /* 248 us by tree's row, 174 us by five others of what ran it. */
        if (model.nodes == 32 && model.bytes == 1 << 20)
            assert_true(fabs(model.median_s / 174.5e-6 - 1) < 0.01);
    }
    assert_int_equal(own, 27);
    /* But 128 KiB on 4 nodes, where it says 58.8 us for a ring and 60.6 us for the tree that ran.
     */
    assert_int_equal(alike, 26);
    rows_free(&set);
}

static void run(const struct predict_request *request, struct predict_result *result)
{
    struct sup_error error;
    if (predict_run(request, result, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* Each number of nodes from the others. NCCL's model alone is twice as far off. */
static void held_out_nodes_are_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *model;
        double mean, worst, least_short, most_short, most_long, coverage;
    } goals[] = {
        {"system=mare_nostrum", NULL, 1.03, 1.3, 0, 0.12, 0.085, 0.9},
        {"library=NCCL", NULL, 1.02, 1.15, 0, 0.1, 0.08, 0.9},
        {"library=NCCL", "nccl", 1.05, 1.33, 0.2, 0.3, 0.13, 0.8},
    };
    struct rows_set set;
    read_data(&set);
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        struct rows_filter *filter;
        struct sup_error error;
        struct predict_result result;
        assert_int_equal(rows_filter_parse(goals[i].rows, &filter, &error), RB_OK);
        const struct predict_request request = {
            .set = &set, .rows = filter, .options = {.model = goals[i].model, .confidence = 0.9}};
        run(&request, &result);
        assert_int_equal(result.collectives, 1);
        const struct predict_summary *summary = &result.collective[0];
        assert_int_equal(summary->groups, 27);
        assert_int_equal(summary->predicted, summary->rows - 27); /* all but its own choice */
        assert_true(summary->regret_all.mean < goals[i].mean);
        assert_true(summary->regret_all.worst < goals[i].worst);
        assert_true(summary->errors[PREDICT_SHORT].median > goals[i].least_short);
        assert_true(summary->errors[PREDICT_SHORT].median < goals[i].most_short);
        assert_true(summary->errors[PREDICT_LONG].median < goals[i].most_long);
        assert_true(summary->coverage > goals[i].coverage);
        predict_free(&result);
        rows_filter_free(filter);
    }
    rows_free(&set);
}

/* On 16 nodes there is a time for every algorithm, and NCCL's own choice is one of two. */
static void other_nodes_can_be_asked_for(void **state)
{
    (void)state;
    int64_t nodes_value = 16;
    const struct sup_list nodes = {.value = &nodes_value, .count = 1};
    const struct predict_points points = {.nodes = &nodes};
    struct predict_asked asked = {0};
    struct predict_result result;
    struct decide decision;
    struct rows_set set;
    struct sup_error error;
    const char *system;
    int64_t own = 0;
    read_data(&set);
    assert_int_equal(rows_system(&set, "mare", &system, &error), RB_OK);
    struct predict_request request = {.set = &set, .system = system, .asked = &asked};
    assert_int_equal(predict_ask(&request, &points, &asked, &error), RB_OK);
    predict_choose_nccl(asked.row, asked.count);
    run(&request, &result);
    assert_int_equal(result.groups, 9);
    assert_int_equal(result.count, 9 * 5); /* ring, tree, default, and the two hierarchical ones */
    for (size_t i = 0; i < result.count; i++) {
        own += result.tested[i].row->own_choice;
        assert_true(result.tested[i].predicted);
        /* One more job is another sample of what jobs are. */
        assert_true(result.tested[i].estimate.low_s < 0.8 * result.tested[i].estimate.time_s);
        assert_false(result.tested[i].choice && result.tested[i].row->own_choice);
    }
    assert_int_equal(own, 9);
    /* What it would choose is no rival of the same algorithm. */
    predict_decide(&result, &decision);
    for (size_t i = 0; i < decision.call_count; i++) {
        const struct decide_call *call = &decision.calls[i];
        assert_true(call->has_own && strcmp(call->own.name, "default") == 0);
        assert_string_not_equal(call->choice->name, "default");
        assert_string_not_equal(call->next_best->name, "default");
    }
    decide_free(&decision);
    predict_free(&result);
    free(asked.row);
    rows_free(&set);
}

/* At 64 MiB on 32 nodes flow simulates 1.448 ms for rails, and for rabenseifner-in-lanes 1.626 ms
 * where hier_bw took 2.017 ms. */
static void plans_between_gpus_are_forecast(void **state)
{
    (void)state;
    static const char *const forecast[] = {"rails"};
    struct rows_set set;
    struct predict_result result;
    struct sup_error error;
    const char *system;
    int64_t found = 0;
    read_data(&set);
    assert_int_equal(rows_system(&set, "mare", &system, &error), RB_OK);
    const struct predict_request request = {
        .set = &set, .system = system, .fit_all = true, .forecast = forecast, .forecasts = 1};
    run(&request, &result);
    assert_int_equal(result.forecasts, 27);
    for (size_t i = 0; i < result.forecasts; i++) {
        const struct predict_forecast *here = &result.forecast[i];
        assert_in_range(here->n, 1, 16);
        if (here->row->nodes != 32 || here->row->bytes != 1 << 26)
            continue;
        found++;
        assert_int_equal(here->n, 4);
        assert_true(fabs(here->estimate.time_s / (1.448e-3 * 2.017 / 1.626) - 1) < 0.05);
        assert_true(here->estimate.low_s < 1.5e-3 && here->estimate.high_s > 2.1e-3);
    }
    assert_int_equal(found, 1);
    predict_free(&result);
    rows_free(&set);
}

static void the_audit_says_where_and_why(void **state)
{
    (void)state;
    struct rows_set set;
    struct decide audit = {0};
    read_data(&set);
    const struct rows_row **rows = calloc(set.count, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < set.count; i++)
        rows[i] = &set.row[i];
    audit_add_measured(&audit, rows, set.count, NULL);
    decide_judge(&audit, 0.1);
    assert_int_equal(audit.call_count, 27);
    assert_int_equal(audit.loss_count, 2);
    for (size_t i = 0; i < audit.loss_count; i++) {
        const struct decide_call *loss = audit.losses[i];
        assert_int_equal(loss->p, 128);
        assert_string_equal(loss->like->name, "ring");
        assert_string_equal(loss->choice->name, "tree");
        assert_int_equal(loss->cause, DECIDE_LATENCY);
    }
    /* At 64 MiB on 32 nodes a hierarchical one of another library is faster still. */
    assert_int_equal(audit.losses[1]->m_bytes, 1 << 26);
    assert_null(audit.losses[1]->beyond);
    decide_free(&audit);
    free(rows);
    rows_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_held_against_times),
        cmocka_unit_test(little_says_nothing),
        cmocka_unit_test(the_model_is_nccls),
        cmocka_unit_test(the_data_are_understood),
        cmocka_unit_test(held_out_nodes_are_predicted),
        cmocka_unit_test(other_nodes_can_be_asked_for),
        cmocka_unit_test(plans_between_gpus_are_forecast),
        cmocka_unit_test(the_audit_says_where_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
