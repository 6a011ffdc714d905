#include "plots/run/pictures.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_ROWS = 240 }; /* of all levels, about; beyond them rows stand for several links */

static const struct plot_kind kind = {
    .name = "contention",
    .title = "load of the links over time, by levels, and the fullest link in each round",
    .lacks = DIAG_FIGURE_LACKS,
};

static int32_t rows_of(const struct sim_contention *contention, const struct sim_level *level)
{
    const int32_t most = MOST_ROWS / contention->levels;
    return contention->links <= MOST_ROWS || level->count < most ? level->count : most;
}

/* The links of a row, and its position on the axis, where level i is from i to i + 1. */
struct row {
    int32_t first, end;
    double low, high;
};

static struct row row_of(const struct sim_contention *contention, int32_t level, int32_t row)
{
    const struct sim_level *links = &contention->level[level];
    const int32_t rows = rows_of(contention, links);
    const double margin = 0.05, height = (1 - 2 * margin) / rows;
    return (struct row){
        .first = links->first + (int32_t)((int64_t)row * links->count / rows),
        .end = links->first + (int32_t)((int64_t)(row + 1) * links->count / rows),
        .low = level + margin + row * height,
        .high = level + margin + (row + 1) * height,
    };
}

/* ---- Over time ------------------------------------------------------------------------------- */

/* The length of a bin; the last one may be shorter. */
static double length_of(const struct sim_contention *contention, int32_t bin)
{
    return fmin(contention->bin_s, contention->time_s - bin * contention->bin_s);
}

static double share_of(const struct sim_contention *contention, int32_t link, int32_t bin)
{
    const struct sim_carrier *carrier = &contention->link[link];
    if (carrier->carried == NULL)
        return 0;
    return carrier->carried[bin] / (carrier->bandwidth * length_of(contention, bin));
}

static void write_cells(const struct sim_contention *contention, const struct row *row, FILE *data)
{
    for (int32_t bin = 0; bin < contention->bins; bin++) {
        const double from_s = bin * contention->bin_s;
        double fullest = 0, sum = 0;
        for (int32_t link = row->first; link < row->end; link++) {
            const double share = share_of(contention, link, bin);
            fullest = fmax(fullest, share);
            sum += share;
        }
        if (fullest >= 1e-6) /* the others are white */
            fprintf(data, "%.9g %.9g %.6g %.6g %.6g %.6g\n", from_s,
                    from_s + length_of(contention, bin), row->low, row->high, fullest,
                    sum / (row->end - row->first));
    }
}

static void write_time(const struct sim_contention *contention, struct plot_figure *figure)
{
    plot_figure_series(figure, 0,
                       "cells: from_s, to_s, row_low, row_high, fullest_load, mean_load");
    for (int32_t level = 0; level < contention->levels; level++)
        for (int32_t r = 0; r < rows_of(contention, &contention->level[level]); r++) {
            const struct row row = row_of(contention, level, r);
            write_cells(contention, &row, figure->data);
        }
}

/* Writes which links the rows stand for. These data are not drawn. */
static void write_rows(const struct sim_contention *contention, struct plot_figure *figure)
{
    plot_figure_series(figure, 2, "rows: row_low, row_high, level, links, first_link, last_link");
    for (int32_t level = 0; level < contention->levels; level++)
        for (int32_t r = 0; r < rows_of(contention, &contention->level[level]); r++) {
            const struct row row = row_of(contention, level, r);
            fprintf(figure->data, "%.6g %.6g ", row.low, row.high);
            plot_figure_word(figure, contention->level[level].name);
            fprintf(figure->data, " %" PRId32 " ", row.end - row.first);
            plot_figure_word(figure, contention->link[row.first].name);
            fputc(' ', figure->data);
            plot_figure_word(figure, contention->link[row.end - 1].name);
            fputc('\n', figure->data);
        }
}

/* ---- By rounds ------------------------------------------------------------------------------- */

static void write_rounds(const struct sim_contention *contention, struct plot_figure *figure)
{
    double most = 0;
    plot_figure_series(figure, 1,
                       "rounds: first_round, last_round, level_number, fullest_load, messages");
    for (int32_t column = 0; column < contention->columns; column++)
        for (int32_t level = 0; level < contention->levels; level++) {
            const struct sim_round_load *round =
                &contention->round[column * contention->levels + level];
            const int64_t first = column * contention->column_rounds;
            const int64_t end = first + contention->column_rounds;
            if (round->messages == 0)
                continue;
            most = fmax(most, round->load);
            fprintf(figure->data, "%" PRId64 " %" PRId64 " %" PRId32 " %.9g %" PRId64 "\n", first,
                    (end < contention->rounds ? end : contention->rounds) - 1, level, round->load,
                    round->messages);
        }
    fprintf(figure->script, "rounds = %" PRId64 "\nmost_load = %.9g\n", contention->rounds, most);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void write_levels(const struct sim_contention *contention, const struct plot_figure *figure)
{
    enum { WIDEST = 40 };
    FILE *script = figure->script;
    int32_t most = 0;
    fprintf(script, "levels = %" PRId32 "\narray level_names[levels]\narray level_links[levels]\n",
            contention->levels);
    for (int32_t i = 0; i < contention->levels; i++) {
        const struct sim_level *level = &contention->level[i];
        char name[32], shown[4 * WIDEST + 4];
        snprintf(name, sizeof name, "level_names[%" PRId32 "]", i + 1);
        plot_gnuplot_text(script, name,
                          plot_figure_label(figure, level->name, WIDEST, shown, sizeof shown));
        fprintf(script, "level_links[%" PRId32 "] = %" PRId32 "\n", i + 1, level->count);
        for (int32_t r = 0; r < rows_of(contention, level); r++) {
            const struct row row = row_of(contention, i, r);
            most = row.end - row.first > most ? row.end - row.first : most;
        }
    }
    fprintf(script, "row_links = %" PRId32 " # at most\n", most);
}

static bool is_idle(const struct sim_contention *contention)
{
    for (int32_t l = 0; l < contention->links; l++)
        if (contention->link[l].carried != NULL)
            return false;
    return true;
}

int diag_contention_draw(const struct diag_contention *picture, struct sup_error *error)
{
    const struct sim_contention *contention = picture->contention;
    struct diag_picture open;
    if (is_idle(contention))
        return sup_fail(error, RB_EINVAL,
                        "there is nothing to draw: no bytes crossed a link between hosts");
    const int status =
        diag_picture_begin(&open, picture->file, picture->look, &kind, &picture->text, error);
    if (status != RB_OK)
        return status;
    diag_picture_time(open.figure.script, contention->time_s);
    write_levels(contention, &open.figure);
    write_time(contention, &open.figure);
    write_rounds(contention, &open.figure);
    write_rows(contention, &open.figure);
    return plot_figure_finish(&open.figure, &open.plotter);
}
