/* plot_map.c - maps over p and m of how much each algorithm loses to the fastest one: `decisions`
 * shows the fastest in each cell and what it gains, `regret-map` the losses of each algorithm. One
 * figure per setting. */
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
    const struct tune_curves *data;
    size_t setting;
    struct sup_list ranks, sizes;
    const struct tune_curve *cell[MOST_ASKED][MOST_ASKED]; /* the first curve of each; or NULL */
    struct entrant *entrants; /* the algorithms that are drawn, by falling number of wins */
    size_t count;
    const char *reference; /* an algorithm; NULL: the second best */
};

/* The fastest curve of a case, which begins with `first`: of any algorithm, of one, or of any but
 * one; NULL: there is none. */
static const struct tune_curve *fastest(const struct map *map, const struct tune_curve *first,
                                        const char *of, const char *but)
{
    const struct tune_curve *best = NULL, *end = map->data->curves + map->data->curve_count;
    for (const struct tune_curve *curve = first; curve < end && tune_same_case(curve, first);
         curve++)
        if ((of == NULL || plot_is_of(curve, of)) && curve->algorithm != but &&
            (best == NULL || curve->best->time_s < best->best->time_s))
            best = curve;
    return best;
}

static int compare(const void *left, const void *right)
{
    const struct entrant *a = left, *b = right;
    return a->wins != b->wins ? (a->wins < b->wins ? 1 : -1) : strcmp(a->algorithm, b->algorithm);
}

static size_t place_in(const struct sup_list *list, int64_t value)
{
    size_t i = 0;
    while (i < list->count && list->value[i] != value)
        i++;
    return i;
}

/* Curves of a case are beside each other. */
static void find_cells(struct map *map)
{
    const struct tune_curve *first = map->data->curves, *won = NULL;
    for (size_t i = 0; i < map->data->curve_count; i++) {
        const struct tune_curve *curve = &map->data->curves[i];
        size_t known = 0;
        if (curve->setting != map->setting)
            continue;
        if (won == NULL || !tune_same_case(curve, first)) {
            const size_t row = place_in(&map->ranks, curve->p),
                         column = place_in(&map->sizes, curve->m_bytes);
            first = curve;
            won = fastest(map, first, NULL, NULL);
            if (row < map->ranks.count && column < map->sizes.count)
                map->cell[row][column] = first;
        }
        while (known < map->count && map->entrants[known].algorithm != curve->algorithm)
            known++;
        if (curve->hidden)
            continue;
        if (known == map->count) {
            sup_grow(&map->entrants, map->count, sizeof *map->entrants);
            map->entrants[map->count++] = (struct entrant){curve->algorithm, 0};
        }
        map->entrants[known].wins += curve == won;
    }
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

/* True if an algorithm that is drawn by itself won. */
static bool is_named(const struct map *map, const struct tune_curve *best)
{
    bool named = false;
    for (size_t i = 0; i < map->count && i < PLOT_MOST_LINES; i++)
        named = named || map->entrants[i].algorithm == best->algorithm;
    return named;
}

/* A row for each cell that the algorithm was run in; NULL: that one without a series of its own
 * won. Returns how many. Times of 0 have no ratio. */
static size_t write_cells(struct plot_figure *figure, const struct map *map, const char *algorithm,
                          double *most)
{
    size_t count = 0;
    for (size_t i = 0; i < map->ranks.count * map->sizes.count; i++) {
        const size_t row = i / map->sizes.count, column = i % map->sizes.count;
        const struct tune_curve *first = map->cell[row][column];
        if (first == NULL)
            continue;
        const struct tune_curve *best = fastest(map, first, NULL, NULL),
                                *curve = fastest(map, first, algorithm, NULL),
                                *rival = fastest(map, first, map->reference,
                                                 map->reference == NULL ? best->algorithm : NULL);
        if (curve == NULL || (algorithm == NULL && is_named(map, best)))
            continue;
        const double least_s = best->best->time_s,
                     loss = curve == best ? 1 : curve->best->time_s / least_s,
                     gain = curve == best && rival != NULL ? rival->best->time_s / least_s : NAN;
        *most = isfinite(loss) ? fmax(*most, loss) : *most;
        fprintf(figure->data, "%zu %zu %" PRId32 " %" PRId64 " ", row, column, first->p,
                first->m_bytes);
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
                bytes ? sup_format_bytes(list->value[i], text, sizeof text) : text, i);
    }
    fputs(")'\n", script);
}

static int draw_map(struct plot_plotter *plotter, const struct plot_kind *kind, struct map *map)
{
    const bool decides = kind == &plot_decisions;
    const char *over = map->reference == NULL ? "the second best" : map->reference;
    struct plot_figure figure;
    char label[200];
    double most = 1;
    snprintf(label, sizeof label, "%s%.150s", decides ? "gain over " : "loss",
             decides ? over : " of each algorithm to the fastest");
    int status = plot_figure_begin(&figure, plotter, kind, map->setting, "", label,
                                   "row, column, p, m_bytes, algorithm, best_n, time_s, "
                                   "time_by_least, gain");
    if (status != RB_OK)
        return status;
    for (size_t i = 0; i < map->count && i < PLOT_MOST_LINES; i++) {
        if (decides && map->entrants[i].wins == 0)
            break;
        plot_figure_series(&figure, i, map->entrants[i].algorithm);
        write_cells(&figure, map, map->entrants[i].algorithm, &most);
        plot_figure_title(&figure, map->entrants[i].algorithm);
    }
    if (decides) {
        plot_figure_series(&figure, figure.titles, "others");
        fprintf(figure.script, "others = %d\n", write_cells(&figure, map, NULL, &most) > 0);
    }
    write_ticks(figure.script, "x", &map->sizes, true, decides ? MOST_TICKS : 2);
    write_ticks(figure.script, "y", &map->ranks, false, decides ? MOST_ROWS : MOST_TICKS);
    plot_axis_relative(&figure, "time / least time", most);
    return plot_figure_finish(&figure, plotter);
}

int plot_map_draw(struct plot_plotter *plotter, const struct plot_kind *kind, size_t setting,
                  const char **why)
{
    const struct plot_choice choice = {setting, NULL, -1, -1, 1};
    struct map map = {.data = plotter->data, .setting = setting};
    int status = RB_OK;
    map.ranks = plot_choose_ranks(plotter, &choice, MOST_ROWS, MOST_ASKED);
    map.sizes = plot_choose_bytes(plotter, &choice, MOST_COLUMNS, MOST_ASKED);
    find_cells(&map);
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
