/* fitted_times.c - predicts everything that was measured from the fitted times (calibrate.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "sim/engine/engine.h"
#include "sim/path/path.h"
#include "studies/calibrate/calibrate.h"
#include "studies/measure/measure.h"
#include "support/memory.h"

const char *const calib_predictor_names[CALIB_PREDICTORS] = {"fit", "rounds", "simgrid"};

static void add(struct calib_result *c, const struct measure_result *row,
                enum calib_predictor predictor, bool held_out, double predicted_s)
{
    c->prediction[c->prediction_count++] =
        (struct calib_prediction){row, predictor, held_out, predicted_s};
}

static void predict_tests(struct calib_result *c)
{
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        for (int held_out = 0; held_out < 2; held_out++)
            for (size_t i = 0; i < c->test[t].count; i++) {
                const struct calib_size *size = &c->test[t].size[i];
                if (size->held_out == held_out)
                    add(c, size->row, CALIB_BY_FIT, held_out,
                        calib_pieces_time(&c->test[t].pieces, size->bytes));
            }
}

/* ---- Collectives ----------------------------------------------------------------------------- */

struct rounds {
    const struct calib_pieces *pieces;
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    double time_s;
};

static double seconds_of(const void *context, const struct dep_message *message)
{
    const struct rounds *rounds = context;
    return calib_pieces_time(rounds->pieces,
                             (double)dep_message_bytes(rounds->plan, rounds->layout, message));
}

static void add_round(void *context, double longest_s)
{
    ((struct rounds *)context)->time_s += longest_s;
}

static int simulate(const struct measure_result *row, const struct rb_plan *plan,
                    const struct rb_layout *layout, const char *platform, double *time_s,
                    struct sup_error *error)
{
    static const char *const options[] = {"network/model:SMPI"}; /* uses the factors by size */
    struct sim_spec spec = {.plan = plan,
                            .layout = layout,
                            .platform = platform,
                            .ppn = 1,
                            .options = options,
                            .option_count = 1};
    struct sim_result result = {0};
    int status = sim_overlap_parse(row->progress, &spec.overlap, error);
    if (status == RB_OK)
        status = sim_run(sim_engine_find("simgrid"), &spec, &result, error);
    *time_s = result.time_s;
    sim_result_free(&result);
    return status;
}

static int predict_collective(struct calib_result *c, const struct measure_result *row,
                              const char *platform, struct sup_error *error)
{
    const struct rb_plan_spec spec = measure_result_plan(row);
    const struct rb_layout layout = {.bytes = row->m_bytes,
                                     .element = row->element_bytes < 1 ? 1 : row->element_bytes};
    struct rb_plan *plan;
    double time_s;
    char why[300];
    int status = rb_layout_check(&layout, why, sizeof why);
    if (status == RB_OK)
        status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s %s, p = %" PRId64 ": %s", row->collective,
                        row->algorithm, row->p, status == RB_ENOMEM ? "out of memory" : why);
    struct rounds rounds = {&c->test[c->basis].pieces, plan, &layout, 0};
    status = path_longest_of_rounds(plan, &layout, seconds_of, add_round, &rounds, error);
    if (status == RB_OK)
        add(c, row, CALIB_BY_ROUNDS, false, rounds.time_s);
    if (status == RB_OK)
        status = simulate(row, plan, &layout, platform, &time_s, error);
    if (status == RB_OK)
        add(c, row, CALIB_BY_SIMGRID, false, time_s);
    rb_plan_destroy(plan);
    return status;
}

int calib_predict(struct calib_result *c, const char *platform, struct sup_error *error)
{
    struct cli_bar bar;
    int status = RB_OK;
    c->prediction = sup_calloc(2 * c->rows.count, sizeof *c->prediction);
    predict_tests(c);
    cli_bar_start(&bar, "predicting", (int64_t)c->rows.count);
    for (size_t i = 0; i < c->rows.count && status == RB_OK; i++) {
        const struct measure_result *row = &c->rows.row[i];
        cli_bar_update(&bar, (int64_t)i, row->collective);
        if (row->collective[0] == '\0' || row->p < 2 || !(calib_time_of(row).s > 0))
            continue;
        if (strcmp(row->algorithm, MEASURE_LIBRARY_OWN) == 0)
            c->natives++;
        else
            status = predict_collective(c, row, platform, error);
    }
    cli_bar_end(&bar);
    return status;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

double calib_prediction_error(const struct calib_prediction *prediction)
{
    return prediction->predicted_s / calib_time_of(prediction->row).s - 1;
}

const char *calib_prediction_subject(const struct calib_prediction *prediction, char *text,
                                     size_t size)
{
    const struct measure_result *row = prediction->row;
    if (row->collective[0] == '\0')
        snprintf(text, size, "%s", row->test);
    else if (row->radix > 0)
        snprintf(text, size, "%s %s:r=%" PRId64, row->collective, row->algorithm, row->radix);
    else
        snprintf(text, size, "%s %s", row->collective, row->algorithm);
    return text;
}

static bool same_group(const struct calib_prediction *a, const struct calib_prediction *b)
{
    return a->predictor == b->predictor && a->held_out == b->held_out &&
           (a->row->oversubscribed == 1) == (b->row->oversubscribed == 1) &&
           strcmp(a->row->test, b->row->test) == 0 &&
           strcmp(a->row->collective, b->row->collective) == 0 &&
           strcmp(a->row->algorithm, b->row->algorithm) == 0 && a->row->radix == b->row->radix;
}

static void summarize_group(const struct calib_result *c, struct calib_error_summary *group,
                            double error[])
{
    size_t count = 0;
    for (size_t i = 0; i < c->prediction_count; i++)
        if (same_group(group->first, &c->prediction[i]))
            error[count++] = calib_prediction_error(&c->prediction[i]);
    sup_sort_reals(error, count);
    group->count = count;
    group->bias = sup_quantile(error, count, 0.5);
    for (size_t i = 0; i < count; i++)
        error[i] = fabs(error[i]);
    sup_sort_reals(error, count);
    group->median = sup_quantile(error, count, 0.5);
    group->q1 = sup_quantile(error, count, 0.25);
    group->q3 = sup_quantile(error, count, 0.75);
    group->worst = error[count - 1];
}

void calib_summarize_errors(const struct calib_result *c, struct calib_error_summary **groups,
                            size_t *count)
{
    double *error = sup_malloc(c->prediction_count * sizeof *error);
    *groups = sup_calloc(c->prediction_count, sizeof **groups);
    *count = 0;
    for (size_t i = 0; i < c->prediction_count; i++) {
        size_t known = 0;
        while (known < *count && !same_group((*groups)[known].first, &c->prediction[i]))
            known++;
        if (known == *count)
            (*groups)[(*count)++].first = &c->prediction[i];
    }
    for (size_t i = 0; i < *count; i++)
        summarize_group(c, &(*groups)[i], error);
    free(error);
}
