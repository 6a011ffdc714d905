/* calibrate_report.c - whether a calibration is certain and close enough to be used, and its
 * results: the fits, and the errors of predictions (calibrate.h). */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "studies/calibrate/calibrate.h"
#include "studies/measure/measure.h"
#include "support/memory.h"
#include "support/output/verdict.h"
#include "support/process.h"

static const char *which_of(const struct calib_prediction *prediction)
{
    if (prediction->row->collective[0] != '\0')
        return prediction->row->oversubscribed == 1 ? "p > cores" : "p <= cores";
    return prediction->held_out ? "held out" : "fitted";
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* The pieces of a test, and behind the first one what its fit is worth. */
static void print_pieces(const struct calib_test *test, const char *name, FILE *stream)
{
    for (int32_t k = 0; k < test->pieces.count; k++) {
        const struct calib_piece *piece = &test->pieces.piece[k];
        const double least = fmax(piece->above_bytes + 1, test->size[0].bytes);
        char from[32], alpha[32], bandwidth[32] = "-", worst[OUT_WORDS], at[32], error[OUT_WORDS];
        if (piece->beta_s_per_byte > 0)
            snprintf(bandwidth, sizeof bandwidth, "%.3g GB/s", 1e-9 / piece->beta_s_per_byte);
        fprintf(stream, "  %-9s %10s %10s %12s", k == 0 ? name : "",
                sup_format_shown((int64_t)least, from, sizeof from),
                sup_format_seconds(piece->alpha_s, alpha, sizeof alpha), bandwidth);
        if (k == 0)
            fprintf(stream, "  %-9s %6s  %s at %s", calib_verdict_names[test->verdict],
                    out_percent(test->error, error), out_ratio(test->worst_factor, worst),
                    sup_format_shown((int64_t)test->size[test->worst].bytes, at, sizeof at));
        if (k == 0 && test->uncertain > 0)
            fprintf(stream, ", %zu of %zu uncertain", test->uncertain, test->count);
        fputc('\n', stream);
    }
}

static void print_fits(const struct calib_result *c, FILE *stream)
{
    fprintf(stream, "\n  %-9s %10s %10s %12s  %-9s %6s  %s\n", "test", "from m", "alpha",
            "bandwidth", "fit", "error", "largest factor");
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count > 0)
            print_pieces(&c->test[t], measure_pair_test_names[t], stream);
}

static const struct out_column error_columns[] = {
    {"of", .kind = OUT_WORD},     {"predictor", .kind = OUT_WORD}, {"sizes", .kind = OUT_WORD},
    {"count", .kind = OUT_COUNT}, {"median", .kind = OUT_REAL},    {"q1", .kind = OUT_REAL},
    {"q3", .kind = OUT_REAL},     {"worst", .kind = OUT_REAL},     {"bias", .kind = OUT_REAL},
};
static const struct out_table errors = {error_columns, .width = OUT_COUNT_OF(error_columns)};

static json_t *json_of_errors(const struct calib_result *c)
{
    struct calib_error_summary *groups;
    json_t *array = json_array();
    size_t count;
    calib_summarize_errors(c, &groups, &count);
    for (size_t i = 0; i < count; i++) {
        const struct calib_error_summary *group = &groups[i];
        char subject[96];
        const union out_cell cells[] = {
            {.word = calib_prediction_subject(group->first, subject, sizeof subject)},
            {.word = calib_predictor_names[group->first->predictor]},
            {.word = which_of(group->first)},
            {.whole = (int64_t)group->count},
            {.real = group->median},
            {.real = group->q1},
            {.real = group->q3},
            {.real = group->worst},
            {.real = group->bias}};
        json_array_append_new(array, out_json_row(&errors, cells));
    }
    free(groups);
    return array;
}

static json_t *head_of(const struct calib_result *c)
{
    return json_pack("{s:o, s:o}", "model", calib_json(c), "errors", json_of_errors(c));
}

/* What a user does next, and what the platform is not. */
static void print_next(const struct calib_result *c, FILE *stream)
{
    char *name = sup_format("%s.xml", c->request->name), *word = sup_shell_word(name);
    if (c->first->same_host == 1)
        out_say(stream,
                "Both ranks were on one host: between hosts messages take longer, so measure pairs "
                "there.");
    if (c->request->hosts == 0)
        out_say(stream, "It has a host for each rank that was measured: --nodes 64 makes 64.");
    fprintf(stream, /* whole, so that it can be copied */
            "Next: roundabout simulate -p %" PRId32
            " -m 1MiB --platform %s --engine-option network/model:SMPI\n",
            c->hosts, word);
    free(word);
    free(name);
}

static void print_text(const struct calib_result *c, bool details, FILE *stream)
{
    char words[OUT_WORDS];
    const struct calib_test *basis = &c->test[c->basis];
    out_say(stream, "%s.xml: %" PRId32 " hosts whose messages take what was measured, to %s",
            c->request->name, c->hosts, out_percent(basis->error, words));
    print_fits(c, stream);
    fputc('\n', stream);
    if (details) {
        out_json_details(json_pack("{s:o}", "errors", json_of_errors(c)), stream);
        fputc('\n', stream);
    }
    print_next(c, stream);
    if (!details)
        out_more(stream, "--details (errors of each test and collective), --format csv|json");
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

void calib_report(const struct calib_result *c, enum out_format format, bool details, FILE *stream)
{
    struct out_rows rows;
    if (format == OUT_TEXT) {
        print_text(c, details, stream);
        return;
    }
    out_rows_begin(&rows, &predictions, format, stream, format == OUT_JSON ? head_of(c) : NULL,
                   "predictions");
    for (size_t i = 0; i < c->prediction_count; i++)
        add_prediction(&c->prediction[i], &rows);
    out_rows_end(&rows);
}

/* ---- The fitted times, and predicted over measured, as figures (calibrate.h) ----------------- */

static const struct plot_kind fit_kind = {
    .name = "calibrate-fit",
    .title = "times between two ranks against the message size, and the fitted pieces",
};
static const struct plot_kind predicted_kind = {
    .name = "calibrate-predicted",
    .title = "predicted over measured time against the message size",
    .lacks = PLOT_LACKS_Y,
};

/* Begins NAME-WORD. */
static int begin(const struct calib_result *c, struct plot_plotter *plotter,
                 const struct plot_kind *kind, const char *word, const char *columns,
                 struct plot_figure *figure)
{
    char name[200], files[300] = "from", library[64];
    snprintf(name, sizeof name, "%.160s-%s", sup_base_name(c->request->name), word);
    for (int32_t i = 0; i < c->request->file_count && strlen(files) < 200; i++)
        sup_append(files, sizeof files, " ", "%.80s", sup_base_name(c->request->files[i]));
    snprintf(library, sizeof library, "%.*s", (int)strcspn(c->first->mpi_library, ","),
             c->first->mpi_library);
    const struct plot_figure_text text = {
        .origin = {c->first->cpu, c->first->mpi_library, files},
        .labels = {c->first->cpu, library},
        .columns = columns,
    };
    return plot_figure_begin_named(figure, plotter, kind, name, &text);
}

/* ---- The fit --------------------------------------------------------------------------------- */

/* The tests that resemble messages of a collective: in one direction, and in both at once. */
static const enum measure_pair_test drawn[] = {MEASURE_LATENCY, MEASURE_EXCHANGE};
enum { DRAWN = 2, POINTS_PER_DOUBLING = 8 };

static void write_points(struct plot_figure *figure, const struct calib_test *test,
                         struct plot_span *m, struct plot_span *time_s)
{
    for (size_t i = 0; i < test->count; i++) {
        const struct calib_size *size = &test->size[i];
        const struct calib_time time = calib_time_of(size->row);
        if (size->bytes < 1) /* the axis is logarithmic */
            continue;
        const double low_s = time.low_s > 0 ? time.low_s : time.s;
        const double high_s = time.high_s > 0 ? time.high_s : time.s;
        fprintf(figure->data, "%.17g %.17g %.17g %.17g %d\n", size->bytes, time.s, low_s, high_s,
                size->held_out);
        plot_span_add(m, size->bytes);
        plot_span_add(time_s, low_s);
        plot_span_add(time_s, high_s);
    }
}

static void write_line(struct plot_figure *figure, const struct calib_test *test,
                       const struct plot_span *m)
{
    const struct calib_piece *last = NULL;
    const double steps = POINTS_PER_DOUBLING * log2(m->high / m->low);
    for (double i = 0; i <= steps; i++) {
        const double bytes = m->low * exp2(i / POINTS_PER_DOUBLING);
        const struct calib_piece *piece = calib_piece_of(&test->pieces, bytes);
        if (last != NULL && piece != last)
            fputc('\n', figure->data); /* a gap if the pieces do not meet */
        last = piece;
        fprintf(figure->data, "%.17g %.17g\n", bytes, calib_pieces_time(&test->pieces, bytes));
    }
}

static int draw_fit(const struct calib_result *c, struct plot_plotter *plotter)
{
    static const char *const titles[DRAWN] = {"one way", "exchange"};
    struct plot_span m = PLOT_EMPTY_SPAN, time_s = PLOT_EMPTY_SPAN;
    struct plot_figure figure;
    size_t series = 0;
    int status =
        begin(c, plotter, &fit_kind, "fit", "m_bytes, time_s, low_s, high_s, held_out", &figure);
    if (status != RB_OK)
        return status;
    for (int i = 0; i < DRAWN; i++) {
        const struct calib_test *test = &c->test[drawn[i]];
        if (test->count == 0)
            continue;
        plot_figure_title(&figure, titles[i]);
        plot_figure_series(&figure, series++, titles[i]);
        write_points(&figure, test, &m, &time_s);
        plot_figure_series(&figure, series++, "fitted");
        write_line(&figure, test, &m);
    }
    plot_axis_bytes(&figure, "x", "message size m", m, PLOT_BYTES_TICKS);
    plot_axis_time(&figure, time_s);
    return plot_figure_finish(&figure, plotter);
}

/* ---- Predicted over measured ----------------------------------------------------------------- */

/* The kinds of points that have one style. */
static const struct {
    const char *title;
    bool collective, held_out;
    enum calib_predictor predictor;
} looks[] = {
    {"pairs, fitted", false, false, CALIB_BY_FIT},
    {"pairs, held out", false, true, CALIB_BY_FIT},
    {"plans by rounds", true, false, CALIB_BY_ROUNDS},
    {"plans by simgrid", true, false, CALIB_BY_SIMGRID},
};
enum { LOOKS = sizeof looks / sizeof looks[0] };

static size_t write_look(const struct calib_result *c, int look, size_t series,
                         struct plot_figure *figure, struct plot_span *m, struct plot_span *ratio)
{
    size_t written = 0;
    for (size_t i = 0; i < c->prediction_count; i++) {
        const struct calib_prediction *p = &c->prediction[i];
        const struct measure_result *row = p->row;
        if ((row->collective[0] != '\0') != looks[look].collective || row->m_bytes < 1 ||
            p->held_out != looks[look].held_out || p->predictor != looks[look].predictor)
            continue;
        if (written++ == 0)
            plot_figure_series(figure, series, looks[look].title);
        const struct calib_time time = calib_time_of(row);
        const double here = p->predicted_s / time.s;
        const double low = time.high_s > 0 ? p->predicted_s / time.high_s : here;
        const double high = time.low_s > 0 ? p->predicted_s / time.low_s : here;
        fprintf(figure->data, "%" PRId64 " %.17g %.17g %.17g\n", row->m_bytes, here, low, high);
        plot_span_add(m, (double)row->m_bytes);
        plot_span_add(ratio, here);
    }
    return written;
}

static int draw_predicted(const struct calib_result *c, struct plot_plotter *plotter)
{
    struct plot_span m = PLOT_EMPTY_SPAN, ratio = {0.8, 1.25};
    struct plot_figure figure;
    size_t series = 0;
    int status = begin(c, plotter, &predicted_kind, "predicted",
                       "m_bytes, predicted_by_measured, low, high", &figure);
    if (status != RB_OK)
        return status;
    for (int look = 0; look < LOOKS; look++)
        if (write_look(c, look, series, &figure, &m, &ratio) > 0) {
            plot_figure_title(&figure, looks[look].title);
            series++;
        }
    plot_axis_bytes(&figure, "x", "message size m", m, PLOT_BYTES_TICKS);
    plot_axis_around_one(&figure, "speedup_axis", "speed-up", ratio);
    return plot_figure_finish(&figure, plotter);
}

unsigned calib_figures_lack(void)
{
    return fit_kind.lacks & predicted_kind.lacks;
}

int calib_draw(const struct calib_result *c, struct sup_error *error)
{
    struct plot_plotter plotter = {.request = c->request->place, .error = error};
    bool mine;
    int status = plot_figure_directory(c->request->place->directory, &mine, error);
    if (status == RB_OK)
        status = draw_fit(c, &plotter);
    if (status == RB_OK)
        status = draw_predicted(c, &plotter);
    return status;
}

/* ---- Certain and close enough ---------------------------------------------------------------- */

/* A time that is less certain than this share is named. */
#define UNCERTAIN 0.2
/* A row of which most runs were disturbed is not more certain than this. */
#define DISTURBED  0.5
#define MOST_NOISE 10.0
/* Median errors above which a fit is rough, and is of no use. */
#define ROUGH    0.15
#define UNUSABLE 0.3
/* A size is named if its time is so many times the predicted one, or the other way round. */
#define FAR_OFF 3.0
/* The share of disturbed runs above which they are what to do something about. */
#define BUSY 0.1
/* With fewer held-out sizes all sizes count. */
enum { LEAST_HELD_OUT = 3 };

const char *const calib_verdict_names[CALIB_VERDICTS] = {"good", "rough", "unusable"};

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool has_low(const struct measure_result *row)
{
    return row->low_s > 0 && isfinite(row->low_s);
}

static double noise_of(const struct measure_result *row)
{
    double noise = (row->ci_high_s - row->ci_low_s) / 2 / row->median_s;
    if (has_low(row))
        noise = row->low_error;
    noise = noise > 0 ? noise : 0; /* also where it is absent */
    if (row->oversubscribed != 1 && row->runs > 0 && row->disturbed > 0 && row->discarded >= 0 &&
        row->disturbed - row->discarded > row->runs / 2)
        noise = fmax(noise, DISTURBED);
    return fmin(noise, MOST_NOISE);
}

struct calib_time calib_time_of(const struct measure_result *row)
{
    const double noise = noise_of(row);
    if (!has_low(row))
        return (struct calib_time){row->median_s, row->ci_low_s, row->ci_high_s, noise};
    return (struct calib_time){row->low_s, row->low_s * fmax(1 - noise, 0),
                               row->low_s * (1 + noise), noise};
}

bool calib_is_uncertain(const struct measure_result *row)
{
    return calib_time_of(row).noise > UNCERTAIN;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static double error_of(const struct calib_test *test, const struct calib_size *size)
{
    return fabs(calib_pieces_time(&test->pieces, size->bytes) / calib_time_of(size->row).s - 1);
}

static double factor_of(const struct calib_test *test, const struct calib_size *size)
{
    const double ratio = calib_pieces_time(&test->pieces, size->bytes) / calib_time_of(size->row).s;
    return fmax(ratio, 1 / ratio);
}

void calib_judge(struct calib_test *test)
{
    double *error = sup_malloc(test->count * sizeof *error);
    size_t held_out = 0, count = 0;
    for (size_t i = 0; i < test->count; i++) {
        held_out += test->size[i].held_out;
        test->uncertain += calib_is_uncertain(test->size[i].row);
        const double factor = factor_of(test, &test->size[i]);
        if (factor > test->worst_factor) {
            test->worst_factor = factor;
            test->worst = i;
        }
    }
    for (size_t i = 0; i < test->count; i++)
        if (held_out < LEAST_HELD_OUT || test->size[i].held_out)
            error[count++] = error_of(test, &test->size[i]);
    sup_sort_reals(error, count);
    test->error = sup_quantile(error, count, 0.5);
    free(error);
    if (test->error > UNUSABLE || test->uncertain > test->count / 2)
        test->verdict = CALIB_UNUSABLE;
    else if (test->error > ROUGH || test->uncertain > 0 || test->worst_factor > FAR_OFF)
        test->verdict = CALIB_ROUGH;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* "16MiB, 64MiB and 3 more" */
static void name_uncertain(const struct calib_test *test, char *text, size_t size)
{
    enum { NAMED = 6 };
    size_t named = 0;
    for (size_t i = 0; i < test->count && named < NAMED; i++) {
        char bytes[32];
        if (!calib_is_uncertain(test->size[i].row))
            continue;
        sup_append(text, size, ", ", "%s",
                   sup_format_shown((int64_t)test->size[i].bytes, bytes, sizeof bytes));
        named++;
    }
    if (named < test->uncertain)
        sup_append(text, size, " ", "and %zu more", test->uncertain - named);
}

/* Of the rows with this test and collectives' rows apart: what would help. */
static void advise(const struct calib_result *c, const char *test, bool certain, char *text,
                   size_t size)
{
    double disturbed = 0, all = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct measure_result *row = &c->rows.row[i];
        if (strcmp(row->test, test) != 0 || row->oversubscribed == 1 || row->disturbed < 0 ||
            row->discarded < 0 || row->runs < 0)
            continue;
        disturbed += (double)row->disturbed;
        all += (double)row->runs + (double)row->discarded;
    }
    if (disturbed > BUSY * all)
        snprintf(text, size,
                 "other processes disturbed %.0f %% of the runs: measure on an idle machine, or "
                 "repeat the measurement into the same file, with a longer --most-time",
                 100 * fmin(disturbed / all, 1));
    else if (!certain)
        snprintf(text, size,
                 "repeat the measurement into the same file, with larger --least-runs and a "
                 "longer --most-time");
    else
        snprintf(text, size, "measure more sizes (-m), or fit more --pieces");
}

void calib_describe(const struct calib_result *c, enum measure_pair_test t, char *text, size_t size)
{
    const struct calib_test *test = &c->test[t];
    char uncertain[256] = "", advice[256], bytes[32];
    text[0] = '\0';
    if (test->uncertain > 0) {
        name_uncertain(test, uncertain, sizeof uncertain);
        snprintf(text, size, "not certain to %.0f %%: %zu of %zu sizes (%s)", 100 * UNCERTAIN,
                 test->uncertain, test->count, uncertain);
    }
    if (test->error > ROUGH)
        sup_append(text, size, "; ", "the median error is %.0f %%", 100 * test->error);
    if (test->worst_factor > FAR_OFF)
        sup_append(text, size, "; ", "the time at %s is off by a factor of %.3g",
                   sup_format_shown((int64_t)test->size[test->worst].bytes, bytes, sizeof bytes),
                   test->worst_factor);
    advise(c, measure_pair_test_names[t], test->uncertain == 0, advice, sizeof advice);
    sup_append(text, size, "; ", "%s", advice);
}

bool calib_describe_collectives(const struct calib_result *c, char *text, size_t size)
{
    char advice[256];
    size_t uncertain = 0, all = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        if (c->rows.row[i].collective[0] != '\0') {
            all++;
            uncertain += calib_is_uncertain(&c->rows.row[i]);
        }
    advise(c, "collective", false, advice, sizeof advice);
    snprintf(text, size, "not certain to %.0f %%: %zu of %zu rows; %s", 100 * UNCERTAIN, uncertain,
             all, advice);
    return uncertain > 0;
}
