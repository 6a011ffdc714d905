/* calibrate_report.c - prints the results of a calibration: the fits, and the errors of predictions
 * (calibrate.h). */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/calibrate/calibrate.h"

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
                sup_format_bytes((int64_t)least, from, sizeof from),
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
                    sup_format_bytes((int64_t)test->size[test->worst].bytes, at, sizeof at),
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
static int add_errors(const struct calib_result *c, FILE *stream, json_t *array)
{
    struct calib_error_summary *groups;
    size_t count;
    const int status = calib_summarize_errors(c, &groups, &count);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
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
    return status;
}

static int print_table(const struct calib_result *c, FILE *stream)
{
    print_fits(c, stream);
    print_verdicts(c, stream);
    fputs("\nError: |predicted / measured - 1| in percent; bias: its median with the sign\n",
          stream);
    out_text_heading(&errors, stream);
    if (add_errors(c, stream, NULL) != RB_OK)
        return RB_ENOMEM;
    fprintf(stream,
            "\nfit: by the pieces above; %.0f %% of the sizes were held out (seed %" PRIu64
            ")\nrounds: each round takes what the %s of its longest message does\n"
            "simgrid: the engine on %s.xml, with network/model:SMPI\n"
            "measured on %s, %s; roundabout %s\n",
            100 * c->request->held_out, c->request->seed, measure_pair_test_names[c->basis],
            c->request->name, c->first->cpu, c->first->mpi_library, cli_program_version);
    return RB_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct out_column prediction_columns[] = {
    {"test", .kind = OUT_WORD},
    {"collective", .kind = OUT_WORD, .optional = true},
    {"algorithm", .kind = OUT_WORD, .optional = true},
    {"p", .kind = OUT_COUNT},
    {"n", .kind = OUT_WHOLE, .optional = true},
    {"m_bytes", .kind = OUT_COUNT},
    {"progress", .kind = OUT_WORD, .optional = true},
    {"predictor", .kind = OUT_WORD},
    {"held_out", .kind = OUT_TRUTH},
    {"oversubscribed", .kind = OUT_TRUTH},
    {"measured_s", .kind = OUT_REAL},
    {"ci_low_s", .kind = OUT_REAL, .optional = true},
    {"ci_high_s", .kind = OUT_REAL, .optional = true},
    {"predicted_s", .kind = OUT_REAL},
    {"error", .kind = OUT_REAL},
    {"radix", .kind = OUT_WHOLE, .optional = true},
};
static const struct out_table predictions = {
    prediction_columns, .width = OUT_COUNT_OF(prediction_columns), .digits = 9};

static const char *word_or_none(const char *word)
{
    return word[0] != '\0' ? word : NULL;
}

static void add_prediction(const struct calib_prediction *prediction, struct out_rows *rows)
{
    const struct measure_result *row = prediction->row;
    const struct calib_time time = calib_time_of(row);
    const union out_cell cells[] = {{.word = row->test},
                                    {.word = word_or_none(row->collective)},
                                    {.word = word_or_none(row->algorithm)},
                                    {.whole = row->p},
                                    {.whole = row->n},
                                    {.whole = row->m_bytes},
                                    {.word = word_or_none(row->progress)},
                                    {.word = calib_predictor_names[prediction->predictor]},
                                    {.whole = prediction->held_out},
                                    {.whole = row->oversubscribed == 1},
                                    {.real = time.s},
                                    {.real = time.low_s},
                                    {.real = time.high_s},
                                    {.real = prediction->predicted_s},
                                    {.real = calib_prediction_error(prediction)},
                                    {.whole = row->radix}};
    static_assert(MEASURE_NOT_MEASURED == INT64_MIN, "a whole number that stands for none");
    out_rows_add(rows, cells);
}

int calib_report(const struct calib_result *c, enum out_format format, FILE *stream)
{
    struct out_rows rows;
    json_t *head = NULL;
    if (format == OUT_TEXT)
        return print_table(c, stream);
    if (format == OUT_JSON) {
        json_t *array = json_array();
        if (add_errors(c, NULL, array) != RB_OK) {
            json_decref(array);
            return RB_ENOMEM;
        }
        head = json_pack("{s:o, s:o}", "model", calib_json(c), "errors", array);
    }
    out_rows_begin(&rows, &predictions, format, stream, head, "predictions");
    for (size_t i = 0; i < c->prediction_count; i++)
        add_prediction(&c->prediction[i], &rows);
    return out_rows_end(&rows);
}
