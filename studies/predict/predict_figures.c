/* predict_figures.c - figures of predictions: times against the size, and regret over ranks and
 * sizes (predict.h). Names from the data reach gnuplot only by plot_gnuplot_text and as file names.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "studies/predict/predict.h"
#include "support/memory.h"
#include "support/units.h"

static const struct plot_kind time_kind = {
    .name = "predict-time",
    .title = "measured and predicted times against the message size",
    .lacks = PLOT_LACKS_SPREAD,
};
static const struct plot_kind regret_kind = {
    .name = "predict-regret",
    .title = "regret of the predicted choice, and of the library's, over ranks and sizes",
    .lacks = PLOT_LACKS_Y | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD | PLOT_LACKS_SERIES,
};

/* Algorithms in colours of their own: more cannot be told apart in a column. */
enum { MOST_ALGORITHMS = 4, MOST_FIGURES = 3, LEAST_SIZES = 2 };

struct drawing {
    const struct predict_request *request;
    const struct predict_result *result;
    struct plot_plotter plotter;
};

static const struct rows_row *row_of(const struct drawing *drawing, size_t group)
{
    return drawing->result->tested[drawing->result->group[group].first].row;
}

/* Adds a word to a file's name, with other characters replaced. */
static void add_word(char *name, size_t size, const char *word)
{
    size_t used = strlen(name);
    if (used > 0 && used + 1 < size)
        name[used++] = '-';
    for (; *word != '\0' && used + 1 < size; word++)
        name[used++] = isalnum((unsigned char)*word) ? *word : '_';
    name[used] = '\0';
}

/* "64x4": nodes and ranks on each. */
static const char *nodes_text(const struct rows_row *row, char *text, size_t size)
{
    const char *nodes = row->shape[0] == '\0' ? NULL : row->shape;
    char number[24];
    snprintf(number, sizeof number, "%" PRId32, row->nodes);
    snprintf(text, size, "%.40s", nodes == NULL ? number : nodes);
    if (row->ranks_per_node > 1)
        sup_append(text, size, " x ", "%" PRId32, row->ranks_per_node);
    return text;
}

static int begin(struct drawing *drawing, const struct plot_kind *kind, const char *name,
                 const char *label1, const char *label2, const char *columns,
                 struct plot_figure *figure)
{
    char model[80];
    snprintf(model, sizeof model, "model %.60s",
             drawing->request->options.model == NULL ? predict_kind_at(0)->name
                                                     : drawing->request->options.model);
    const struct plot_figure_text text = {
        .origin = {label1, label2, model}, .labels = {label1, label2}, .columns = columns};
    return plot_figure_begin_named(figure, &drawing->plotter, kind, name, &text);
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* An algorithm of a figure, at how many points it is the fastest, and its ratios to that. */
struct line {
    const char *name;
    double logs;
    int32_t points, fastest;
};

SUP_COMPARE(by_nearest, struct line, SUP_ORDER(b->fastest, a->fastest),
            SUP_ORDER(a->logs / a->points, b->logs / b->points), strcmp(a->name, b->name));

SUP_COMPARE(by_name, struct line, strcmp(a->name, b->name));

/* The predicted algorithms of groups first .. end - 1: first the MOST_ALGORITHMS that come nearest
 * to the fastest somewhere, by name, then the others. */
static void choose_lines(const struct drawing *drawing, size_t first, size_t end,
                         struct line **lines, size_t *count)
{
    const struct predict_result *result = drawing->result;
    *lines = NULL;
    *count = 0;
    for (size_t g = first; g < end; g++) {
        const struct predict_group *group = &result->group[g];
        for (size_t i = group->first; i < group->first + group->count; i++) {
            const struct predict_tested *tested = &result->tested[i];
            if (!tested->predicted)
                continue;
            const double ratio = tested->row->median_s / result->tested[group->best].row->median_s;
            size_t k = 0;
            while (k < *count && strcmp((*lines)[k].name, tested->row->name) != 0)
                k++;
            if (k == *count) {
                sup_grow(lines, *count, sizeof **lines);
                (*lines)[(*count)++] = (struct line){.name = tested->row->name};
            }
            (*lines)[k].fastest += ratio <= 1;
            (*lines)[k].logs += log(ratio);
            (*lines)[k].points++;
        }
    }
    if (*count > 0)
        qsort(*lines, *count, sizeof **lines, by_nearest);
    if (*count > 0)
        qsort(*lines, *count < MOST_ALGORITHMS ? *count : MOST_ALGORITHMS, sizeof **lines, by_name);
}

/* The rows of a name, or of the library's choice (name NULL). Returns how many. */
static size_t write_series(struct drawing *drawing, size_t first, size_t end, const char *name,
                           struct plot_figure *figure, struct plot_span *m,
                           struct plot_span *time_s)
{
    const struct predict_result *result = drawing->result;
    size_t count = 0;
    for (size_t g = first; g < end; g++) {
        const struct predict_group *group = &result->group[g];
        for (size_t i = group->first; i < group->first + group->count; i++) {
            const struct predict_tested *tested = &result->tested[i];
            const struct rows_row *row = tested->row;
            const struct predict_estimate *estimate = &tested->estimate;
            if (row->bytes < 1 ||
                (name == NULL ? !row->own_choice
                              : !tested->predicted || strcmp(row->name, name) != 0))
                continue;
            count++;
            fprintf(figure->data, "%" PRId64 " %.17g", row->bytes, row->median_s);
            plot_span_add(m, (double)row->bytes);
            plot_span_add(time_s, row->median_s);
            if (tested->predicted) {
                const bool known = estimate->low_s > 0 && estimate->high_s > 0;
                fprintf(figure->data, " %.17g %.17g %.17g\n", estimate->time_s,
                        known ? estimate->low_s : estimate->time_s,
                        known ? estimate->high_s : estimate->time_s);
                plot_span_add(time_s, estimate->time_s);
            } else {
                fputs(" NaN NaN NaN\n", figure->data);
            }
        }
    }
    return count;
}

/* All lines in one series, with a blank line between two. */
static void write_others(struct drawing *drawing, size_t first, size_t end, const struct line *line,
                         size_t count, struct plot_figure *figure, struct plot_span *m,
                         struct plot_span *time_s)
{
    for (size_t i = 0; i < count; i++)
        if (write_series(drawing, first, end, line[i].name, figure, m, time_s) > 0)
            fputc('\n', figure->data);
}

static bool has_own(const struct drawing *drawing, size_t first, size_t end)
{
    for (size_t g = first; g < end; g++)
        if (drawing->result->group[g].own >= 0 && row_of(drawing, g)->bytes > 0)
            return true;
    return false;
}

/* Groups first .. end - 1 differ only in their sizes. */
static int draw_times(struct drawing *drawing, size_t first, size_t end)
{
    const struct rows_row *row = row_of(drawing, first);
    char name[180] = "", label1[200], label2[200], nodes[80];
    struct plot_span m = PLOT_EMPTY_SPAN, time_s = PLOT_EMPTY_SPAN;
    struct plot_figure figure;
    struct line *lines;
    size_t count;
    choose_lines(drawing, first, end, &lines, &count);
    if (count == 0)
        return RB_OK;
    nodes_text(row, nodes, sizeof nodes);
    add_word(name, sizeof name, "predict");
    add_word(name, sizeof name, row->system);
    add_word(name, sizeof name, row->collective);
    add_word(name, sizeof name, nodes);
    snprintf(label1, sizeof label1, "%.60s, %s, %s nodes", row->system, row->collective, nodes);
    snprintf(label2, sizeof label2, "points: measured; lines: predicted; bars: intervals");
    int status =
        begin(drawing, &time_kind, name, label1, label2,
              "m_bytes, measured_s, predicted_s, predicted_low_s, predicted_high_s", &figure);
    const size_t colours = count < MOST_ALGORITHMS ? count : MOST_ALGORITHMS;
    const bool others = count > colours;
    for (size_t i = 0; i < colours && status == RB_OK; i++) {
        plot_figure_series(&figure, i, lines[i].name);
        plot_figure_title(&figure, lines[i].name);
        write_series(drawing, first, end, lines[i].name, &figure, &m, &time_s);
    }
    if (status == RB_OK && others) {
        plot_figure_series(&figure, colours, "other algorithms");
        plot_figure_title(&figure, "others, predicted");
        write_others(drawing, first, end, lines + colours, count - colours, &figure, &m, &time_s);
    }
    free(lines);
    if (status != RB_OK)
        return status;
    const bool own = has_own(drawing, first, end);
    if (own) {
        plot_figure_series(&figure, colours + others, "the library's choice");
        plot_figure_title(&figure, "library's choice");
        write_series(drawing, first, end, NULL, &figure, &m, &time_s);
    }
    if (m.low > m.high || !(m.high > m.low)) {
        plot_figure_discard(&figure);
        return RB_OK;
    }
    fprintf(
        figure.script,
        "own = %d # the last series is the library's choice\n"
        "others = %d # the last before it are the algorithms that are farther from the fastest\n",
        own, others);
    plot_axis_bytes(&figure, "x", "message size", m, PLOT_BYTES_TICKS);
    plot_axis_time(&figure, time_s);
    return plot_figure_finish(&figure, &drawing->plotter);
}

/* Everything but the size is the same. */
static bool same_line(const struct rows_row *a, const struct rows_row *b)
{
    return a->nodes == b->nodes && a->ranks_per_node == b->ranks_per_node && a->p == b->p &&
           strcmp(a->test, b->test) == 0;
}

struct run {
    size_t first, end;
};

/* Of the groups first .. end - 1 of one collective a figure for some numbers of nodes: of those of
 * one number the one with most sizes. */
static int draw_all_times(struct drawing *drawing, size_t first, size_t end)
{
    struct run *runs = NULL;
    size_t count = 0;
    int status = RB_OK;
    for (size_t from = first, to; from < end; from = to) {
        for (to = from + 1; to < end && same_line(row_of(drawing, from), row_of(drawing, to));)
            to++;
        if (to - from < LEAST_SIZES)
            continue;
        if (count > 0 &&
            row_of(drawing, runs[count - 1].first)->nodes == row_of(drawing, from)->nodes) {
            if (to - from > runs[count - 1].end - runs[count - 1].first)
                runs[count - 1] = (struct run){from, to};
            continue;
        }
        sup_grow(&runs, count, sizeof *runs);
        runs[count++] = (struct run){from, to};
    }
    const size_t shown = count < MOST_FIGURES ? count : MOST_FIGURES;
    for (size_t i = 0; i < shown && status == RB_OK; i++) {
        const size_t k = shown == 1 ? count - 1 : i * (count - 1) / (shown - 1);
        status = draw_times(drawing, runs[k].first, runs[k].end);
    }
    free(runs);
    return status;
}

/* ---- Regret ---------------------------------------------------------------------------------- */

static void list_sizes(const struct drawing *drawing, size_t first, size_t end,
                       struct sup_list *sizes)
{
    size_t count = 0;
    sizes->count = 0; /* sup_list_tidy counts anew */
    for (size_t g = first; g < end; g++)
        if (drawing->result->group[g].predictable >= 2 && row_of(drawing, g)->bytes > 0)
            sizes->value[count++] = row_of(drawing, g)->bytes;
    sup_list_tidy(sizes, count);
}

static double measured(const struct drawing *drawing, int64_t number)
{
    return drawing->result->tested[number].row->median_s;
}

/* The mean ratio of the choice, or of the library's choice, over the best, of groups with this size
 * among first .. end - 1; NAN: there are none. */
static double mean_ratio(const struct drawing *drawing, size_t first, size_t end, int64_t bytes,
                         bool own)
{
    double logs = 0;
    int count = 0;
    for (size_t g = first; g < end; g++) {
        const struct predict_group *group = &drawing->result->group[g];
        const int64_t here = own ? group->own : group->choice;
        if (group->predictable < 2 || row_of(drawing, g)->bytes != bytes || here < 0)
            continue;
        logs += log(measured(drawing, here) / measured(drawing, group->best));
        count++;
    }
    return count == 0 ? NAN : exp(logs / count);
}

/* Half way, on the logarithmic axis, to the neighbour; outwards as far as inwards. */
static double edge(const struct sup_list *sizes, size_t i, int side)
{
    const double here = (double)sizes->value[i];
    if (sizes->count == 1)
        return side < 0 ? here / 2 : here * 2;
    if (side < 0)
        return i > 0 ? sqrt(here * (double)sizes->value[i - 1])
                     : here * sqrt(here / (double)sizes->value[i + 1]);
    return i + 1 < sizes->count ? sqrt(here * (double)sizes->value[i + 1])
                                : here * sqrt(here / (double)sizes->value[i - 1]);
}

static bool same_ranks(const struct rows_row *a, const struct rows_row *b)
{
    return a->nodes == b->nodes && a->ranks_per_node == b->ranks_per_node && a->p == b->p;
}

/* The cells of one panel. Returns the number of cells, and of rows in *rows; `ticks` writes the
 * rows' names. */
static size_t write_cells(struct drawing *drawing, size_t first, size_t end,
                          const struct sup_list *sizes, bool own, bool ticks,
                          struct plot_figure *figure, size_t *rows, struct plot_span *m,
                          struct plot_span *regret)
{
    size_t cells = 0;
    *rows = 0;
    for (size_t from = first, to; from < end; from = to) {
        char nodes[80], name[32];
        for (to = from; to < end && same_ranks(row_of(drawing, from), row_of(drawing, to));)
            to++;
        bool any = false;
        for (size_t g = from; g < to; g++)
            any = any ||
                  (drawing->result->group[g].predictable >= 2 && row_of(drawing, g)->bytes > 0);
        for (size_t i = 0; i < sizes->count && any; i++) {
            const double ratio = mean_ratio(drawing, from, to, sizes->value[i], own);
            if (isnan(ratio))
                continue;
            const double low = edge(sizes, i, -1), high = edge(sizes, i, 1);
            fprintf(figure->data, "%zu %" PRId32 " %" PRId64 " %.6g %.6g %.17g\n", *rows,
                    row_of(drawing, from)->p, sizes->value[i], low, high, ratio);
            plot_span_add(m, low);
            plot_span_add(m, high);
            plot_span_add(regret, ratio);
            cells++;
        }
        if (any && ticks) {
            snprintf(name, sizeof name, "rows_named[%zu]", *rows + 1);
            plot_gnuplot_text(figure->script, name,
                              nodes_text(row_of(drawing, from), nodes, sizeof nodes));
        }
        *rows += any;
    }
    return cells;
}

static void write_panel(const struct plot_figure *figure, int panel, const char *title)
{
    enum { WIDEST = 40 };
    char name[24], shown[4 * WIDEST + 4];
    snprintf(name, sizeof name, "panel_names[%d]", panel);
    plot_gnuplot_text(figure->script, name,
                      plot_figure_label(figure, title, WIDEST, shown, sizeof shown));
}

static int draw_regret(struct drawing *drawing, size_t first, size_t end)
{
    enum { MOST_ROWS = 64 };
    const struct rows_row *row = row_of(drawing, first);
    char name[180] = "", label1[200];
    struct plot_span m = PLOT_EMPTY_SPAN, regret = PLOT_EMPTY_SPAN;
    struct plot_figure figure;
    struct sup_list sizes = {.value = sup_malloc((end - first) * sizeof *sizes.value)};
    size_t rows;
    list_sizes(drawing, first, end, &sizes);
    if (sizes.count == 0) {
        sup_list_free(&sizes);
        return RB_OK;
    }
    add_word(name, sizeof name, "predict");
    add_word(name, sizeof name, row->system);
    add_word(name, sizeof name, row->collective);
    add_word(name, sizeof name, "regret");
    snprintf(label1, sizeof label1, "%.60s, %s", row->system, row->collective);
    int status =
        begin(drawing, &regret_kind, name, label1, "measured time of the choice / that of the best",
              "row, p, size in bytes, cell from size, to size, time of the choice over that "
              "of the best predictable algorithm; then the same of the library's choice",
              &figure);
    if (status == RB_OK) {
        fprintf(figure.script, "array rows_named[%d]\n", 1 + (int)(end - first));
        plot_figure_series(&figure, 0, "the predicted choice");
        write_cells(drawing, first, end, &sizes, false, true, &figure, &rows, &m, &regret);
        plot_figure_series(&figure, 1, "the library's choice");
        const size_t own =
            write_cells(drawing, first, end, &sizes, true, false, &figure, &rows, &m, &regret);
        fprintf(figure.script, "rows = %zu\npanels = %d\narray panel_names[2]\n", rows,
                own > 0 ? 2 : 1);
        write_panel(&figure, 1, "predicted choice");
        if (own > 0)
            write_panel(&figure, 2, "library's choice");
        plot_axis_bytes(&figure, "x", "message size", m, PLOT_BYTES_TICKS);
        plot_axis_relative(&figure, "time / time at best n", regret.high);
        status = plot_figure_finish(&figure, &drawing->plotter);
    }
    sup_list_free(&sizes);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

unsigned predict_figures_lack(void)
{
    return time_kind.lacks & regret_kind.lacks;
}

int predict_draw(const struct predict_request *request, const struct predict_result *result,
                 const struct plot_request *place, struct sup_error *error)
{
    struct drawing drawing = {
        .request = request, .result = result, .plotter = {.request = place, .error = error}};
    bool mine;
    int status = plot_figure_directory(place->directory, &mine, error);
    for (size_t first = 0, end; first < result->groups && status == RB_OK; first = end) {
        const struct rows_row *row = row_of(&drawing, first);
        for (end = first + 1; end < result->groups; end++) {
            const struct rows_row *other = row_of(&drawing, end);
            if (strcmp(row->system, other->system) != 0 ||
                strcmp(row->collective, other->collective) != 0)
                break;
        }
        status = draw_all_times(&drawing, first, end);
        if (status == RB_OK)
            status = draw_regret(&drawing, first, end);
    }
    return status;
}
