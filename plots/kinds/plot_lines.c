/* plot_lines.c - which algorithms are the lines of a figure against m, and of which p there are
 * figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_FIGURES = 3, MOST_RADICES = 6, MOST_LINES = 8 };

/* Adds this line unless it is included already or there is no room. */
static void add_line(struct plot_lines *lines, const struct decide_curve *curve, bool in_focus)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->line[i].curve->algorithm == curve->algorithm)
            return;
    if (lines->count < PLOT_MOST_LINES)
        lines->line[lines->count++] = (struct plot_line){curve, in_focus};
}

/* By name and radix, the one in focus before all. */
static int compare_lines(const void *left, const void *right)
{
    const struct plot_line *a = left, *b = right;
    if (a->in_focus != b->in_focus)
        return a->in_focus ? -1 : 1;
    const int order = strcmp(a->curve->plan_algorithm, b->curve->plan_algorithm);
    if (order != 0)
        return order;
    if (a->curve->radix != b->curve->radix)
        return a->curve->radix < b->curve->radix ? -1 : 1;
    return (a->curve->origin > b->curve->origin) - (a->curve->origin < b->curve->origin);
}

/* Some of the radices of algorithms with radices. */
static void add_radices(const struct plot_plotter *plotter, size_t setting, int32_t p,
                        plot_curve_test *wanted, struct plot_lines *lines)
{
    const struct decide_curves *data = plotter->data;
    const size_t most = plotter->request->all_radices ? PLOT_MOST_LINES : MOST_RADICES;
    const char *algorithm;
    for (size_t i = 0; (algorithm = plot_radix_algorithm(data, setting, i)) != NULL; i++) {
        struct sup_list radices = plot_choose_radices(plotter, setting, algorithm, p, most);
        for (size_t j = 0; j < radices.count; j++)
            for (size_t k = 0; k < data->curve_count; k++) {
                const struct decide_curve *curve = &data->curves[k];
                if (!curve->hidden && curve->setting == setting && curve->p == p &&
                    curve->plan_algorithm == algorithm && curve->radix == radices.value[j] &&
                    (wanted == NULL || wanted(data, curve)))
                    add_line(lines, curve, false);
            }
        sup_list_free(&radices);
    }
}

struct candidate {
    struct plot_line line;
    double nearest; /* the least of its times by the least time for the same m */
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->line.in_focus != b->line.in_focus)
        return a->line.in_focus ? -1 : 1;
    return a->nearest != b->nearest ? (a->nearest < b->nearest ? -1 : 1)
                                    : strcmp(a->line.curve->algorithm, b->line.curve->algorithm);
}

/* All that could be lines, but for those with radices. */
static struct candidate *find_candidates(const struct plot_plotter *plotter, size_t setting,
                                         int32_t p, plot_curve_test *wanted, size_t *count)
{
    struct candidate *candidates = NULL;
    *count = 0;
    for (size_t i = 0; i < plotter->data->curve_count; i++) {
        const struct decide_curve *curve = &plotter->data->curves[i];
        const bool in_focus = plot_is_of(curve, plotter->request->focus);
        size_t k = 0;
        if (curve->hidden || curve->setting != setting || curve->p != p ||
            (curve->radix != 0 && !in_focus) || !(wanted == NULL || wanted(plotter->data, curve)))
            continue;
        while (k < *count && candidates[k].line.curve->algorithm != curve->algorithm)
            k++;
        if (k == *count) {
            sup_grow(&candidates, *count, sizeof *candidates);
            candidates[(*count)++] = (struct candidate){{curve, in_focus}, INFINITY};
        }
        candidates[k].nearest = fmin(
            candidates[k].nearest,
            curve->best->time_s / plot_fastest(plotter->data, curve, NULL, NULL)->best->time_s);
    }
    if (*count > 0)
        qsort(candidates, *count, sizeof *candidates, compare_candidates);
    return candidates;
}

/* The algorithm in focus is always included. */
void plot_choose_some_lines(const struct plot_plotter *plotter, size_t setting, int32_t p,
                            plot_curve_test *wanted, struct plot_lines *lines)
{
    const bool all = plotter->request->all_algorithms || plotter->families != NULL;
    const size_t most = all ? PLOT_MOST_LINES : MOST_LINES;
    size_t count;
    struct candidate *candidates = find_candidates(plotter, setting, p, wanted, &count);
    *lines = (struct plot_lines){.left_out = count > most ? count - most : 0};
    for (size_t i = 0; i < count && i < most; i++)
        add_line(lines, candidates[i].line.curve, candidates[i].line.in_focus);
    free(candidates);
    add_radices(plotter, setting, p, wanted, lines);
    qsort(lines->line, lines->count, sizeof lines->line[0], compare_lines);
}

void plot_choose_lines(const struct plot_plotter *plotter, size_t setting, int32_t p,
                       struct plot_lines *lines)
{
    plot_choose_some_lines(plotter, setting, p, NULL, lines);
}

void plot_note_lines(struct plot_figure *figure, const struct plot_lines *lines)
{
    FILE *const files[] = {figure->data, figure->script};
    for (int i = 0; i < 2 && lines->left_out > 0; i++)
        fprintf(files[i],
                "# left out: %zu algorithms, never as near to the fastest as these; --algorithm "
                "chooses\n",
                lines->left_out);
}

const char *plot_line_title(const struct plot_lines *lines, size_t i)
{
    const struct decide_curve *curve = lines->line[i].curve;
    bool alone = lines->count > 1 && curve->variant != NULL && *curve->variant != '\0';
    for (size_t k = 0; k < lines->count && alone; k++)
        alone = lines->line[k].curve->base == curve->base;
    return alone ? curve->variant : curve->algorithm;
}

int plot_draw_ranks(struct plot_plotter *plotter, size_t setting, plot_ranks_drawer *draw_one,
                    const char **why)
{
    struct plot_choice choice = {setting, NULL, -1, -1, 1};
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, MOST_FIGURES, SIZE_MAX);
    const int64_t before = plotter->made;
    int status = RB_OK;
    for (size_t i = 0; i < ranks.count && status == RB_OK; i++) {
        choice.p = (int32_t)ranks.value[i];
        struct sup_list sizes = plot_choose_bytes(plotter, &choice, SIZE_MAX, SIZE_MAX);
        if (sizes.count >= 2)
            status = draw_one(plotter, setting, choice.p, &sizes);
        sup_list_free(&sizes);
    }
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more m > 0 for some p > 1";
    sup_list_free(&ranks);
    return status;
}
