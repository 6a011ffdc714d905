#include "plots/run/pictures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "plots/figure/plot_look.h"
#include "support/memory.h"

enum { MOST_ROWS = 40, MOST_BARS = 4000, DENSITY_ROWS = 128, DENSITY_COLUMNS = 160 };

/* A message that takes so many times as long as it would alone is drawn as slowed. */
#define SLOWED 1.01

static const struct plot_kind kind = {
    .name = "space-time",
    .title = "space-time diagram: when each rank sends and receives what",
    .lacks = DIAG_FIGURE_LACKS,
};

/* ---- Shared links ---------------------------------------------------------------------------- */

/* When the message would have ended if it had shared no link; its end if it was hardly slowed, or
 * if the engine doesn't know. */
static double end_alone(const struct sim_message *message)
{
    const double took_s = message->end_s - message->start_s;
    return message->alone_s > 0 && took_s > SLOWED * message->alone_s
               ? message->start_s + message->alone_s
               : message->end_s;
}

/* Writes the share of time that all messages lose because links are shared. */
static void write_loss(const struct obs_recording *recording, FILE *script)
{
    double took_s = 0, lost_s = 0;
    int32_t slowed = 0;
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const double waits_s = message->end_s - end_alone(message);
        took_s += message->end_s - message->start_s;
        lost_s += waits_s;
        slowed += waits_s > 0;
    }
    fprintf(script, "messages = %" PRId32 "\nslowed = %" PRId32 "\nlost = %.6g # share of time\n",
            recording->count, slowed, took_s > 0 ? lost_s / took_s : 0);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

static void write_bars(const struct diag_diagram *diagram, struct plot_figure *figure)
{
    struct plot_colours colours;
    plot_colours_init(&colours, diagram->spec);
    plot_figure_series(
        figure, 0, "messages: from, to, start_s, end_s, colour, round, bytes, port, end_alone_s");
    for (int32_t i = 0; i < diagram->recording->count; i++) {
        const struct sim_message *message = &diagram->recording->message[i];
        fprintf(figure->data,
                "%" PRId32 " %" PRId32 " %.17g %.17g %" PRId64 " %" PRId64 " %" PRId64 " %" PRId32
                " %.17g\n",
                message->from, message->to, message->start_s, message->end_s,
                plot_colour_of(&colours, message), message->round, message->bytes, message->port,
                end_alone(message));
    }
    plot_colours_free(&colours);
}

/* ---- Density --------------------------------------------------------------------------------- */

struct density {
    int32_t rows;
    int32_t p;
    double time_s;
    double *busy; /* rows x DENSITY_COLUMNS: rank-seconds, then shares */
};

static void add_time(struct density *density, int32_t rank, double from_s, double to_s)
{
    const int32_t row = (int32_t)((int64_t)rank * density->rows / density->p);
    const double column_s = density->time_s / DENSITY_COLUMNS;
    for (int column = (int)(from_s / column_s); column < DENSITY_COLUMNS; column++) {
        const double begin_s = fmax(column * column_s, from_s);
        const double end_s = fmin((column + 1) * column_s, to_s);
        if (end_s <= begin_s && column * column_s >= to_s)
            break;
        density->busy[row * DENSITY_COLUMNS + column] += fmax(end_s - begin_s, 0);
    }
}

/* Adds each interval in which a rank has at least one message once. It goes backwards, because
 * messages are sorted by their end. */
static void add_rank(struct density *density, const struct obs_recording *recording, int32_t rank)
{
    double from_s = INFINITY, to_s = INFINITY; /* the current interval; none yet */
    for (int32_t i = recording->first[rank + 1]; i-- > recording->first[rank];) {
        const struct sim_message *message = &recording->message[recording->of_rank[i]];
        if (message->end_s < from_s) {
            if (from_s < to_s)
                add_time(density, rank, from_s, to_s);
            to_s = message->end_s;
            from_s = message->start_s;
        } else {
            from_s = fmin(from_s, message->start_s);
        }
    }
    if (from_s < to_s)
        add_time(density, rank, from_s, to_s);
}

static void write_density(const struct diag_diagram *diagram, struct plot_figure *figure)
{
    const int32_t p = diagram->recording->p;
    struct density density = {
        .rows = p < DENSITY_ROWS ? p : DENSITY_ROWS, .p = p, .time_s = diagram->diagnosis->time_s};
    density.busy = sup_calloc((size_t)density.rows * DENSITY_COLUMNS, sizeof *density.busy);
    for (int32_t rank = 0; rank < p; rank++)
        add_rank(&density, diagram->recording, rank);
    plot_figure_series(figure, 0, "cells: rank, time_s, share_busy");
    const double column_s = density.time_s / DENSITY_COLUMNS;
    for (int32_t row = 0; row < density.rows; row++) {
        const int64_t first = ((int64_t)row * p + density.rows - 1) / density.rows;
        const int64_t end = ((int64_t)(row + 1) * p + density.rows - 1) / density.rows;
        for (int column = 0; column < DENSITY_COLUMNS; column++)
            fprintf(figure->data, "%.9g %.9g %.6g\n", ((double)row + 0.5) * p / density.rows - 0.5,
                    (column + 0.5) * column_s,
                    density.busy[row * DENSITY_COLUMNS + column] /
                        (column_s * (double)(end - first)));
    }
    fprintf(figure->script, "cell_ranks = %.9g\ncell_s = %.9g\n", (double)p / density.rows,
            column_s);
    free(density.busy);
}

/* ---- Bundles --------------------------------------------------------------------------------- */

/* What a rank receives for longest in each interval of time; NAN: nothing. */
static void bundle_rank(const struct obs_recording *recording, struct plot_colours *colours,
                        int32_t rank, double column_s, double colour[DENSITY_COLUMNS])
{
    double most_s[DENSITY_COLUMNS] = {0};
    for (int column = 0; column < DENSITY_COLUMNS; column++)
        colour[column] = NAN;
    for (int32_t i = recording->first[rank]; i < recording->first[rank + 1]; i++) {
        const struct sim_message *message = &recording->message[recording->of_rank[i]];
        if (message->to != rank)
            continue;
        for (int column = (int)(message->start_s / column_s);
             column < DENSITY_COLUMNS && column * column_s < message->end_s; column++) {
            const double s = fmin((column + 1) * column_s, message->end_s) -
                             fmax(column * column_s, message->start_s);
            if (s <= most_s[column])
                continue;
            most_s[column] = s;
            colour[column] = (double)plot_colour_of(colours, message);
        }
    }
}

/* Of too many messages for bars: a cell has the colour of the one that takes most of its time; of
 * too many ranks each second, third, ... */
static void write_bundles(const struct diag_diagram *diagram, struct plot_figure *figure)
{
    const int32_t p = diagram->recording->p, step = (p + DENSITY_ROWS - 1) / DENSITY_ROWS;
    const double column_s = diagram->diagnosis->time_s / DENSITY_COLUMNS;
    double colour[DENSITY_COLUMNS];
    char text[96];
    struct plot_colours colours;
    plot_colours_init(&colours, diagram->spec);
    plot_figure_series(figure, 0, "cells: rank, time_s, colour");
    for (int32_t rank = 0; rank < p; rank += step) {
        bundle_rank(diagram->recording, &colours, rank, column_s, colour);
        for (int column = 0; column < DENSITY_COLUMNS; column++)
            if (!isnan(colour[column]))
                fprintf(figure->data, "%.9g %.9g %g\n", rank + 0.5 * (step - 1),
                        (column + 0.5) * column_s, colour[column]);
    }
    plot_colours_free(&colours);
    snprintf(text, sizeof text,
             step > 1 ? "%s received, 1 rank of %" PRId32 : "cell: %s received longest",
             plot_colours_name(diagram->spec), step);
    plot_gnuplot_text(figure->script, "cell_text", text);
    fprintf(figure->script, "cell_ranks = %" PRId32 "\ncell_s = %.9g\n", step, column_s);
}

/* ---- All of them
 * ------------------------------------------------------------------------------------ */

/* The rank at which the path leaves step i: the rank of the next step, or the receiver. */
static int32_t left_at(const struct obs_critical_path *path, int32_t i)
{
    if (i + 1 == path->count || obs_path_jumps(&path->step[i + 1]))
        return path->step[i].message->to;
    return path->step[i + 1].at;
}

/* Writes the corners of a line through the times at which the path enters and leaves each message.
 * There is no corner where the path stays at a rank from one message to the next. */
static void write_path(const struct obs_critical_path *path, struct plot_figure *figure)
{
    plot_figure_series(figure, 1, "critical path: time_s, rank");
    for (int32_t i = 0; i < path->count; i++) {
        const struct obs_path_step *step = &path->step[i];
        const bool stays = i > 0 && !obs_path_jumps(step) && step->wait_s == 0;
        if (!stays)
            fprintf(figure->data, "%.17g %" PRId32 "\n", step->message->start_s, step->at);
        if (i + 1 < path->count && left_at(path, i) == step->at && step[1].at == step->at &&
            left_at(path, i + 1) == step->at)
            continue;
        fprintf(figure->data, "%.17g %" PRId32 "\n", step->message->end_s, left_at(path, i));
    }
}

static void write_time(const struct obs_diagnosis *diagnosis, FILE *script)
{
    diag_picture_time(script, diagnosis->time_s);
    fprintf(script, "filled_s = %.17g\ndraining_s = %.17g\n", diagnosis->phase[OBS_FILL].to_s,
            diagnosis->phase[OBS_DRAIN].from_s);
    plot_gnuplot_text(script, "middle", diagnosis->full ? "steady" : "never full");
}

static void write_figure(const struct diag_diagram *diagram, struct plot_figure *figure)
{
    const int32_t p = diagram->recording->p;
    const bool bars = p <= MOST_ROWS && diagram->recording->count <= MOST_BARS;
    const int64_t colours = plot_colours_count(diagram->spec);
    fprintf(figure->script, "bars = %d\nranks = %" PRId32 "\nports = %" PRId32 "\n", bars, p,
            rb_plan_ports(diagram->spec->plan));
    fprintf(figure->script, "colours = %" PRId64 "\n", colours);
    plot_gnuplot_text(figure->script, "colour_label", plot_colours_name(diagram->spec));
    write_time(diagram->diagnosis, figure->script);
    write_loss(diagram->recording, figure->script);
    fprintf(figure->script, "bundles = %d\n", !bars && colours > 1);
    if (bars)
        write_bars(diagram, figure);
    else if (colours > 1)
        write_bundles(diagram, figure);
    else
        write_density(diagram, figure);
    write_path(&diagram->diagnosis->path, figure);
}

int diag_diagram_draw(const struct diag_diagram *diagram, struct sup_error *error)
{
    struct diag_picture open;
    if (diagram->recording->count == 0 || !(diagram->diagnosis->time_s > 0))
        return sup_fail(error, RB_EINVAL, "there are no messages to draw, or they take no time");
    const int status =
        diag_picture_begin(&open, diagram->file, diagram->look, &kind, &diagram->text, error);
    if (status != RB_OK)
        return status;
    write_figure(diagram, &open.figure);
    return plot_figure_finish(&open.figure, &open.plotter);
}
