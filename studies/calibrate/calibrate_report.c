/* calibrate_report.c - prints the results of a calibration: the fits, and the errors of predictions
 * (calibrate.h). */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/calibrate/calibrate.h"

static const char *which_of(const struct calib_prediction *prediction)
{
    if (prediction->row->collective[0] != '\0')
        return prediction->row->oversubscribed == 1 ? "p > cores" : "p <= cores";
    return prediction->held_out ? "held out" : "fitted";
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void print_pieces(const struct calib_test *test, const char *name, FILE *stream)
{
    for (int32_t k = 0; k < test->pieces.count; k++) {
        const struct calib_piece *piece = &test->pieces.piece[k];
        const double least = fmax(piece->above_bytes + 1, test->size[0].bytes);
        char from[32], alpha[32], bandwidth[32] = "-";
        if (piece->beta_s_per_byte > 0)
            snprintf(bandwidth, sizeof bandwidth, "%.4g GB/s", 1e-9 / piece->beta_s_per_byte);
        fprintf(stream, "%-9s %10s %12s %12s\n", k == 0 ? name : "",
                sup_format_shown((int64_t)least, from, sizeof from),
                sup_format_seconds(piece->alpha_s, alpha, sizeof alpha), bandwidth);
    }
}

static void print_fits(const struct calib_result *c, FILE *stream)
{
    fprintf(stream, "Time of m bytes: alpha + m / bandwidth, by size\n%-9s %10s %12s %12s\n",
            "test", "from m", "alpha", "bandwidth");
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count > 0)
            print_pieces(&c->test[t], measure_pair_test_names[t], stream);
}

/* Each test's verdict. */
static void print_verdicts(const struct calib_result *c, FILE *stream)
{
    fprintf(stream, "\n%-9s %-9s %9s %9s %10s %10s\n", "test", "fit", "error", "worst", "at m",
            "uncertain");
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++) {
        const struct calib_test *test = &c->test[t];
        char at[32];
        if (test->count > 0)
            fprintf(stream, "%-9s %-9s %7.1f %% %8.3gx %10s %7zu/%zu\n", measure_pair_test_names[t],
                    calib_verdict_names[test->verdict], 100 * test->error, test->worst_factor,
                    sup_format_shown((int64_t)test->size[test->worst].bytes, at, sizeof at),
                    test->uncertain, test->count);
    }
}

static const struct out_column error_columns[] = {
    {"of", "of", .kind = OUT_WORD, .width = -28},
    {"predictor", "by", .kind = OUT_WORD, .width = -9},
    {"sizes", "sizes", .kind = OUT_WORD, .width = -10},
    {"count", "count", .kind = OUT_COUNT, .width = 5},
    {"median", "median", .kind = OUT_PERCENT, .width = 8, .real = "%.1f"},
    {.heading = "quartiles", .kind = OUT_WORD, .width = 17},
    {"q1", .kind = OUT_REAL},
    {"q3", .kind = OUT_REAL},
    {"worst", "worst", .kind = OUT_PERCENT, .width = 8, .real = "%.1f"},
    {"bias", "bias", .kind = OUT_PERCENT, .width = 8, .real = "%+.1f"},
};
static const struct out_table errors = {error_columns, .width = OUT_COUNT_OF(error_columns)};

/* Into the stream as text, or into the array, whichever is not NULL. */
static void add_errors(const struct calib_result *c, FILE *stream, json_t *array)
{
    struct calib_error_summary *groups;
    size_t count;
    calib_summarize_errors(c, &groups, &count);
    for (size_t i = 0; i < count; i++) {
        const struct calib_error_summary *group = &groups[i];
        char subject[96], quartiles[48];
        snprintf(quartiles, sizeof quartiles, "%.1f-%.1f", 100 * group->q1, 100 * group->q3);
        const union out_cell cells[] = {
            {.word = calib_prediction_subject(group->first, subject, sizeof subject)},
            {.word = calib_predictor_names[group->first->predictor]},
            {.word = which_of(group->first)},
            {.whole = (int64_t)group->count},
            {.real = group->median},
            {.word = quartiles},
            {.real = group->q1},
            {.real = group->q3},
            {.real = group->worst},
            {.real = group->bias}};
        if (stream != NULL)
            out_text_row(&errors, cells, stream);
        else
            json_array_append_new(array, out_json_row(&errors, cells));
    }
    free(groups);
}

static void print_table(const struct calib_result *c, FILE *stream)
{
    print_fits(c, stream);
    print_verdicts(c, stream);
    fputs("\nError: |predicted / measured - 1| in percent; bias: its median with the sign\n",
          stream);
    out_text_heading(&errors, stream);
    add_errors(c, stream, NULL);
    fprintf(stream,
            "\nfit: by the pieces above; %.0f %% of the sizes were held out (seed %" PRIu64
            ")\nrounds: each round takes what the %s of its longest message does\n"
            "simgrid: the engine on %s.xml, with network/model:SMPI\n"
            "measured on %s, %s; roundabout %s\n",
            100 * c->request->held_out, c->request->seed, measure_pair_test_names[c->basis],
            c->request->name, c->first->cpu, c->first->mpi_library, cli_program_version);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What a prediction's row shows besides the measured one and the prediction. */
struct derived {
    const char *predictor;
    bool oversubscribed;
    struct calib_time time;
    double error;
};

#define ROW(member)        OUT_OF(struct measure_result, member), .optional = true
#define PREDICTION(member) OUT_OF_BASE(1, struct calib_prediction, member)
#define DERIVED(member)    OUT_OF_BASE(2, struct derived, member)
static const struct out_column prediction_columns[] = {
    {"test", .kind = OUT_WORD, ROW(test)},
    {"collective", .kind = OUT_WORD, ROW(collective)},
    {"algorithm", .kind = OUT_WORD, ROW(algorithm)},
    {"p", .kind = OUT_COUNT, ROW(p)},
    {"n", .kind = OUT_WHOLE, ROW(n)},
    {"m_bytes", .kind = OUT_COUNT, ROW(m_bytes)},
    {"progress", .kind = OUT_WORD, ROW(progress)},
    {"predictor", .kind = OUT_WORD, DERIVED(predictor)},
    {"held_out", .kind = OUT_TRUTH, PREDICTION(held_out)},
    {"oversubscribed", .kind = OUT_TRUTH, DERIVED(oversubscribed)},
    {"measured_s", .kind = OUT_REAL, DERIVED(time.s)},
    {"ci_low_s", .kind = OUT_REAL, DERIVED(time.low_s), .optional = true},
    {"ci_high_s", .kind = OUT_REAL, DERIVED(time.high_s), .optional = true},
    {"predicted_s", .kind = OUT_REAL, PREDICTION(predicted_s)},
    {"error", .kind = OUT_REAL, DERIVED(error)},
    {"radix", .kind = OUT_WHOLE, ROW(radix)},
};
enum { PREDICTION_COLUMNS = OUT_COUNT_OF(prediction_columns) };
static const struct out_table predictions = {prediction_columns, .width = PREDICTION_COLUMNS,
                                             .digits = 9};
static_assert(MEASURE_NOT_MEASURED == INT64_MIN, "a whole number that stands for none");

static void add_prediction(const struct calib_prediction *prediction, struct out_rows *rows)
{
    const struct measure_result *row = prediction->row;
    const struct derived derived = {calib_predictor_names[prediction->predictor],
                                    row->oversubscribed == 1, calib_time_of(row),
                                    calib_prediction_error(prediction)};
    union out_cell cells[PREDICTION_COLUMNS];
    out_cells(&predictions, (const void *const[]){row, prediction, &derived}, cells);
    out_rows_add(rows, cells);
}

void calib_report(const struct calib_result *c, enum out_format format, FILE *stream)
{
    struct out_rows rows;
    json_t *head = NULL;
    if (format == OUT_TEXT) {
        print_table(c, stream);
        return;
    }
    if (format == OUT_JSON) {
        json_t *array = json_array();
        add_errors(c, NULL, array);
        head = json_pack("{s:o, s:o}", "model", calib_json(c), "errors", array);
    }
    out_rows_begin(&rows, &predictions, format, stream, head, "predictions");
    for (size_t i = 0; i < c->prediction_count; i++)
        add_prediction(&c->prediction[i], &rows);
    out_rows_end(&rows);
}
