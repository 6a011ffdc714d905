/* report.c - what calibration came to: the fits, and how far predictions are off (calibrate.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/json_rows.h"
#include "experiments/calibrate/calibrate.h"

static const char *which_of(const struct rb_prediction *prediction)
{
    if (prediction->row->collective[0] != '\0')
        return prediction->row->oversubscribed == 1 ? "p > cores" : "p <= cores";
    return prediction->held_out ? "held out" : "fitted";
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void print_pieces(const struct rb_calibrated_test *test, const char *name, FILE *stream)
{
    for (int32_t k = 0; k < test->pieces.count; k++) {
        const struct fitted_piece *piece = &test->pieces.piece[k];
        const double least = fmax(piece->above_bytes + 1, test->size[0].bytes);
        char from[32], alpha[32], bandwidth[32] = "-";
        if (piece->beta_s_per_byte > 0)
            snprintf(bandwidth, sizeof bandwidth, "%.4g GB/s", 1e-9 / piece->beta_s_per_byte);
        fprintf(stream, "%-9s %10s %12s %12s\n", k == 0 ? name : "",
                rb_format_bytes((int64_t)least, from, sizeof from),
                rb_format_seconds(piece->alpha_s, alpha, sizeof alpha), bandwidth);
    }
}

static void print_fits(const struct rb_calibration *c, FILE *stream)
{
    fprintf(stream, "Time of m bytes: alpha + m / bandwidth, by size\n%-9s %10s %12s %12s\n",
            "test", "from m", "alpha", "bandwidth");
    for (int t = 0; t < RB_PAIR_TESTS; t++)
        if (c->test[t].count > 0)
            print_pieces(&c->test[t], rb_pair_test_names[t], stream);
}

static int print_errors(const struct rb_calibration *c, FILE *stream)
{
    struct rb_error_summary *groups;
    size_t count;
    if (rb_summarize_errors(c, &groups, &count) != RB_OK) {
        free(groups);
        return RB_ENOMEM;
    }
    fprintf(stream,
            "\nError: |predicted / measured - 1| in percent; bias: its median with the sign\n"
            "%-28s %-9s %-10s %5s %8s %17s %8s %8s\n",
            "of", "by", "sizes", "count", "median", "quartiles", "worst", "bias");
    for (size_t i = 0; i < count; i++) {
        const struct rb_error_summary *group = &groups[i];
        char subject[96], quartiles[48];
        snprintf(quartiles, sizeof quartiles, "%.1f-%.1f", 100 * group->q1, 100 * group->q3);
        fprintf(stream, "%-28s %-9s %-10s %5zu %8.1f %17s %8.1f %+8.1f\n",
                rb_prediction_subject(group->first, subject, sizeof subject),
                rb_predictor_names[group->first->predictor], which_of(group->first), group->count,
                100 * group->median, quartiles, 100 * group->worst, 100 * group->bias);
    }
    free(groups);
    return RB_OK;
}

static int print_table(const struct rb_calibration *c, FILE *stream)
{
    print_fits(c, stream);
    if (print_errors(c, stream) != RB_OK)
        return RB_ENOMEM;
    fprintf(stream,
            "\nfit: by the pieces above; %.0f %% of the sizes were held out (seed %" PRIu64
            ")\nrounds: each round takes what the %s of its longest message does\n"
            "simgrid: the engine on %s.xml, with network/model:SMPI\n"
            "measured on %s, %s; roundabout %s\n",
            100 * c->request->held_out, c->request->seed, rb_pair_test_names[c->basis],
            c->request->name, c->first->cpu, c->first->mpi_library, rb_program_version);
    return RB_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void print_csv(const struct rb_calibration *c, FILE *stream)
{
    fputs("test,collective,algorithm,p,n,m_bytes,progress,predictor,held_out,oversubscribed,"
          "measured_s,ci_low_s,ci_high_s,predicted_s,error,radix\n",
          stream);
    for (size_t i = 0; i < c->prediction_count; i++) {
        const struct rb_prediction *prediction = &c->prediction[i];
        const struct rb_measured *row = prediction->row;
        fprintf(stream, "%s,%s,%s,%" PRId64 ",", row->test, row->collective, row->algorithm,
                row->p);
        if (row->n != RB_NOT_MEASURED)
            fprintf(stream, "%" PRId64, row->n);
        fprintf(stream, ",%" PRId64 ",%s,%s,%d,%d,%.9g,", row->m_bytes, row->progress,
                rb_predictor_names[prediction->predictor], prediction->held_out,
                row->oversubscribed == 1, row->median_s);
        if (!isnan(row->ci_low_s))
            fprintf(stream, "%.9g", row->ci_low_s);
        fputc(',', stream);
        if (!isnan(row->ci_high_s))
            fprintf(stream, "%.9g", row->ci_high_s);
        fprintf(stream, ",%.9g,%.9g,", prediction->predicted_s, rb_prediction_error(prediction));
        if (row->radix != RB_NOT_MEASURED)
            fprintf(stream, "%" PRId64, row->radix);
        fputc('\n', stream);
    }
}

static json_t *json_of_group(const struct rb_error_summary *group)
{
    char subject[96];
    return json_pack("{s:o, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f}", "of",
                     rb_json_text(rb_prediction_subject(group->first, subject, sizeof subject)),
                     "predictor", rb_predictor_names[group->first->predictor], "sizes",
                     which_of(group->first), "count", (json_int_t)group->count, "median",
                     group->median, "q1", group->q1, "q3", group->q3, "worst", group->worst, "bias",
                     group->bias);
}

static json_t *json_of_prediction(const struct rb_prediction *prediction)
{
    const struct rb_measured *row = prediction->row;
    json_t *object =
        json_pack("{s:o, s:I, s:I, s:s, s:b, s:b, s:f, s:f, s:f}", "test", rb_json_text(row->test),
                  "p", (json_int_t)row->p, "m_bytes", (json_int_t)row->m_bytes, "predictor",
                  rb_predictor_names[prediction->predictor], "held_out", prediction->held_out,
                  "oversubscribed", row->oversubscribed == 1, "measured_s", row->median_s,
                  "predicted_s", prediction->predicted_s, "error", rb_prediction_error(prediction));
    if (row->collective[0] != '\0') {
        json_object_set_new(object, "collective", rb_json_text(row->collective));
        json_object_set_new(object, "algorithm", rb_json_text(row->algorithm));
        json_object_set_new(object, "n", json_integer(row->n));
        json_object_set_new(object, "progress", rb_json_text(row->progress));
        if (row->radix != RB_NOT_MEASURED)
            json_object_set_new(object, "radix", json_integer(row->radix));
    }
    if (!isnan(row->ci_low_s) && !isnan(row->ci_high_s)) {
        json_object_set_new(object, "ci_low_s", json_real(row->ci_low_s));
        json_object_set_new(object, "ci_high_s", json_real(row->ci_high_s));
    }
    return object;
}

static int print_json(const struct rb_calibration *c, FILE *stream)
{
    struct rb_json_rows rows;
    struct rb_error_summary *groups;
    size_t count;
    json_t *errors = json_array();
    const int status = rb_summarize_errors(c, &groups, &count);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        json_array_append_new(errors, json_of_group(&groups[i]));
    free(groups);
    rb_json_rows_begin(&rows, stream,
                       json_pack("{s:o, s:o}", "model", rb_calibration_json(c), "errors", errors),
                       "predictions");
    for (size_t i = 0; i < c->prediction_count; i++)
        rb_json_rows_add(&rows, json_of_prediction(&c->prediction[i]));
    const int ended = rb_json_rows_end(&rows);
    return status == RB_OK ? ended : status;
}

int rb_calibration_report(const struct rb_calibration *c, enum rb_format format, FILE *stream)
{
    if (format == RB_JSON)
        return print_json(c, stream);
    if (format == RB_TABLE)
        return print_table(c, stream);
    print_csv(c, stream);
    return RB_OK;
}
