/* plot_map.c - maps over p and m of how much each algorithm loses to the fastest one: `decisions`
 * shows the fastest in each cell and what it gains, `regret-map` the losses of each algorithm. One
 * figure per setting. */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_ROWS = 12, MOST_COLUMNS = 12, MOST_ASKED = 24, MOST_TICKS = 5 };

struct entrant {
    const char *algorithm;
    size_t wins;
};

struct map {
    const struct decide_curves *data;
    size_t setting;
    struct sup_list ranks, sizes;
    struct entrant *entrants; /* the algorithms that are drawn, by falling number of wins */
    size_t count;
    const char *reference; /* an algorithm; NULL: the second best */
    bool decides;          /* one algorithm wins a cell, also if others are as fast */
};

static const double after_one = 1 + DBL_EPSILON;

SUP_COMPARE(compare, struct entrant, SUP_ORDER(b->wins, a->wins),
            strcmp(a->algorithm, b->algorithm));

static size_t entrant_of(const struct map *map, const char *algorithm)
{
    size_t i = 0;
    while (i < map->count && map->entrants[i].algorithm != algorithm)
        i++;
    return i;
}

static void find_entrants(struct map *map)
{
    for (size_t i = 0; i < map->data->curve_count; i++) {
        const struct decide_curve *curve = &map->data->curves[i];
        if (curve->hidden || curve->setting != map->setting)
            continue;
        const size_t k = entrant_of(map, curve->algorithm);
        if (k == map->count) {
            sup_grow(&map->entrants, map->count, sizeof *map->entrants);
            map->entrants[map->count++] = (struct entrant){curve->algorithm, 0};
        }
        map->entrants[k].wins += plot_fastest(map->data, curve, NULL, NULL) == curve;
    }
    if (map->count > 0)
        qsort(map->entrants, map->count, sizeof *map->entrants, compare);
}

/* The algorithm that the user put in focus, or the only one that an MPI library chooses. */
static const char *reference_of(const struct plot_request *request, const struct map *map)
{
    const char *native = NULL;
    size_t natives = 0;
    for (size_t i = 0; i < map->count; i++)
        if (strncmp(map->entrants[i].algorithm, "native", strlen("native")) == 0) {
            native = map->entrants[i].algorithm;
            natives++;
        }
    return request->focus_asked ? request->focus : natives == 1 ? native : NULL;
}

/* A row for each cell that the i-th algorithm was run in; beyond the last: that one without a
 * series of its own won. Returns how many. Times of 0 have no ratio. */
static size_t write_cells(struct plot_figure *figure, const struct map *map, size_t i, double *most)
{
    size_t count = 0;
    for (size_t cell = 0; cell < map->ranks.count * map->sizes.count; cell++) {
        const size_t row = cell / map->sizes.count, column = cell % map->sizes.count;
        const struct decide_curve *any =
            plot_find_curve(map->data, map->setting, NULL, (int32_t)map->ranks.value[row],
                            map->sizes.value[column]);
        if (any == NULL)
            continue;
        const struct decide_curve *best = plot_fastest(map->data, any, NULL, NULL), *curve = best;
        if (i < PLOT_MOST_LINES)
            curve = plot_fastest(map->data, any, map->entrants[i].algorithm, NULL);
        if (curve == NULL || (i == PLOT_MOST_LINES && entrant_of(map, best->algorithm) < i))
            continue;
        const struct decide_curve *rival = plot_fastest(
            map->data, any, map->reference, map->reference == NULL ? best->algorithm : NULL);
        const double least_s = best->best->time_s, ratio = curve->best->time_s / least_s,
                     loss = curve == best                ? 1
                            : ratio == 1 && map->decides ? after_one
                                                         : ratio,
                     gain = curve == best && rival != NULL ? rival->best->time_s / least_s : NAN;
        *most = isfinite(loss) ? fmax(*most, loss) : *most;
        fprintf(figure->data, "%zu %zu %" PRId32 " %" PRId64 " ", row, column, any->p,
                any->m_bytes);
        plot_figure_word(figure, curve->algorithm);
        fprintf(figure->data, " %" PRId64 " %.17g %.17g %.17g\n", curve->best->n,
                curve->best->time_s, isfinite(loss) ? loss : NAN, isfinite(gain) ? gain : NAN);
        count++;
    }
    return count;
}

static void write_ticks(FILE *script, const char *axis, const struct sup_list *list, bool bytes,
                        size_t most)
{
    char text[32];
    fprintf(script, "%s_cells = %zu\n%s_ticks = 'set %stics (", axis, list->count, axis, axis);
    for (size_t i = 0; i < list->count; i += 1 + (list->count - 1) / most) {
        snprintf(text, sizeof text, "%" PRId64, list->value[i]);
        fprintf(script, "%sseen(\"%s\") %zu", i == 0 ? "" : ", ",
                bytes ? sup_format_shown(list->value[i], text, sizeof text) : text, i);
    }
    fputs(")'\n", script);
}

/* The least of an algorithm's times by that of the fastest. */
static double least_loss(const struct map *map, const char *algorithm)
{
    double least = INFINITY;
    for (size_t i = 0; i < map->data->curve_count; i++) {
        const struct decide_curve *curve = &map->data->curves[i];
        if (curve->setting == map->setting && curve->algorithm == algorithm)
            least = fmin(least, curve->best->time_s /
                                    plot_fastest(map->data, curve, NULL, NULL)->best->time_s);
    }
    return least;
}

/* Leaves out of a map of losses the algorithms that take more than twice the least time everywhere,
 * unless the user chose the algorithms or fewer than two others are there: a panel of one dark
 * colour says no more than their names, of which `without` gets the first. Returns how many. */
static size_t leave_out(const struct plot_plotter *plotter, struct map *map, const char **without)
{
    const double hopeless = 2;
    const size_t all = map->count;
    size_t kept = 0;
    for (size_t i = 0; i < all; i++)
        kept += least_loss(map, map->entrants[i].algorithm) <= hopeless;
    if (plotter->request->all_algorithms || map->decides || kept < 2)
        return 0;
    map->count = 0;
    for (size_t i = 0; i < all; i++) {
        const struct entrant entrant = map->entrants[i];
        if (least_loss(map, entrant.algorithm) <= hopeless)
            map->entrants[map->count++] = entrant;
        else
            *without = *without == NULL ? entrant.algorithm : *without;
    }
    return all - kept;
}

static int draw_map(struct plot_plotter *plotter, const struct plot_kind *kind, struct map *map)
{
    const bool decides = map->decides;
    const char *over = map->reference == NULL ? "the second best" : map->reference;
    struct plot_figure figure;
    char label[200];
    double most = 1;
    const char *without = NULL;
    const size_t left_out = leave_out(plotter, map, &without);
    if (left_out > 1)
        snprintf(label, sizeof label, "loss to the fastest, without %zu above 2", left_out);
    else
        snprintf(label, sizeof label, "%s%.150s",
                 decides         ? "gain over "
                 : left_out == 0 ? "loss of each algorithm to the fastest"
                                 : "loss to the fastest, without ",
                 decides         ? over
                 : left_out == 0 ? ""
                                 : without);
    int status = plot_figure_begin(&figure, plotter, kind, map->setting, "", label,
                                   "row, column, p, m_bytes, algorithm, best_n, time_s, "
                                   "time_by_least, gain");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < map->count && i < PLOT_MOST_LINES; i++) {
        if (decides && map->entrants[i].wins == 0)
            break;
        plot_figure_series(&figure, i, map->entrants[i].algorithm);
        write_cells(&figure, map, i, &most);
        plot_figure_algorithm(&figure, map->entrants[i].algorithm, map->entrants[i].algorithm);
    }
    if (decides) {
        plot_figure_series(&figure, figure.titles, "others");
        fprintf(figure.script, "others = %d\n",
                write_cells(&figure, map, PLOT_MOST_LINES, &most) > 0);
    }
    write_ticks(figure.script, "x", &map->sizes, true, decides ? MOST_TICKS : 2);
    write_ticks(figure.script, "y", &map->ranks, false, decides ? MOST_ROWS : MOST_TICKS);
    plot_axis_relative(&figure, "time / least time", most);
    return plot_figure_finish(&figure, plotter);
}

/* Draws the figure of a setting for one of the kinds `decisions` and `regret-map`. */
static int map_draw(struct plot_plotter *plotter, const struct plot_kind *kind, size_t setting,
                    const char **why)
{
    const struct plot_choice choice = {setting, NULL, -1, -1, 1};
    struct map map = {
        .data = plotter->data, .setting = setting, .decides = kind == &plot_decisions};
    int status = RB_OK;
    map.ranks = plot_choose_ranks(plotter, &choice, MOST_ROWS, MOST_ASKED);
    map.sizes = plot_choose_bytes(plotter, &choice, MOST_COLUMNS, MOST_ASKED);
    find_entrants(&map);
    map.reference = reference_of(plotter->request, &map);
    if (map.count < 2 || map.ranks.count * map.sizes.count < 2)
        *why = "it takes two or more algorithms, and two or more pairs of p > 1 and m > 0";
    else
        status = draw_map(plotter, kind, &map);
    free(map.entrants);
    sup_list_free(&map.ranks);
    sup_list_free(&map.sizes);
    return status;
}

/* ---- The kinds ------------------------------------------------------------------------------- */

static int draw_decisions(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return map_draw(plotter, &plot_decisions, setting, why);
}

const struct plot_kind plot_decisions = {
    .name = "decisions",
    .title = "the fastest algorithm over m and p, and its gain",
    .of_each = true,
    .lacks = PLOT_LACKS_AXES | PLOT_LACKS_SPREAD,
    .draw = draw_decisions,
};

static int draw_regret(struct plot_plotter *plotter, size_t setting, const char **why)
{
    return map_draw(plotter, &plot_regret_map, setting, why);
}

const struct plot_kind plot_regret_map = {
    .name = "regret-map",
    .title = "time of each algorithm over m and p, by that of the fastest",
    .lacks = PLOT_LACKS_AXES | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD | PLOT_LACKS_SERIES,
    .draw = draw_regret,
};
