/* calibrate_figures.c - the fitted times, and predicted over measured, as figures (calibrate.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "studies/calibrate/calibrate.h"

static const struct plot_kind fit_kind = {
    .name = "calibrate-fit",
    .title = "times between two ranks against the message size, and the fitted pieces",
};
static const struct plot_kind predicted_kind = {
    .name = "calibrate-predicted",
    .title = "predicted over measured time against the message size",
    .lacks = PLOT_LACKS_Y,
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Begins NAME-WORD. */
static int begin(const struct calib_result *c, struct plot_plotter *plotter,
                 const struct plot_kind *kind, const char *word, const char *columns,
                 struct plot_figure *figure)
{
    char name[200], files[300] = "from", library[64];
    snprintf(name, sizeof name, "%.160s-%s", base_name(c->request->name), word);
    for (int32_t i = 0; i < c->request->file_count && strlen(files) < 200; i++) {
        const size_t used = strlen(files);
        snprintf(files + used, sizeof files - used, " %.80s", base_name(c->request->files[i]));
    }
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
