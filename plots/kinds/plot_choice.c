/* plot_choice.c - what to draw: which p and m, which algorithms, which radices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- Values of p and m ----------------------------------------------------------------------- */

const struct decide_curve *plot_find_curve(const struct decide_curves *data, size_t setting,
                                           const char *algorithm, int32_t p, int64_t m_bytes)
{
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->setting == setting && curve->p == p && curve->m_bytes == m_bytes &&
            (algorithm == NULL || strcmp(curve->algorithm, algorithm) == 0))
            return curve;
    }
    return NULL;
}

const struct decide_curve *plot_fastest(const struct decide_curves *data,
                                        const struct decide_curve *curve, const char *of,
                                        const char *but)
{
    const struct decide_curve *end, *best = NULL;
    for (const struct decide_curve *at = decide_case(data, curve, &end); at < end; at++)
        if ((of == NULL || plot_is_of(at, of)) && at->algorithm != but &&
            (best == NULL || at->best->time_s < best->best->time_s))
            best = at;
    return best;
}

static bool fits(const struct decide_curve *curve, const struct plot_choice *choice)
{
    return !curve->hidden && curve->setting == choice->setting && curve->p > 1 &&
           curve->m_bytes > 0 && curve->count >= choice->samples &&
           (choice->algorithm == NULL || plot_is_of(curve, choice->algorithm)) &&
           (choice->p < 0 || curve->p == choice->p) &&
           (choice->m_bytes < 0 || curve->m_bytes == choice->m_bytes);
}

/* How often the fastest algorithm changes from one m to the next, of one p or (negative) of all; of
 * equally many changes those among more m count. */
static double changes_of(const struct decide_curves *data, size_t setting, int64_t p)
{
    const struct decide_curve *before = NULL;
    double changes = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->setting != setting || (p >= 0 && curve->p != p) ||
            plot_fastest(data, curve, NULL, NULL) != curve)
            continue;
        if (before != NULL && before->p == curve->p)
            changes += before->algorithm != curve->algorithm ? 1 : 1e-3;
        before = curve;
    }
    return changes;
}

/* By how much the least and the most n of the curves in focus are worse than the best, of one m or
 * (negative) of all, in the mean. */
static double valley_of(const struct plot_plotter *plotter, size_t setting, int64_t m_bytes)
{
    const struct decide_curves *data = plotter->data;
    double depth = 0, count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->setting != setting || (m_bytes >= 0 && curve->m_bytes != m_bytes) ||
            curve->count < 2 || !plot_is_of(curve, plotter->request->focus))
            continue;
        depth += log(fmin(curve->samples[0].time_s, curve->samples[curve->count - 1].time_s) /
                     curve->best->time_s);
        count++;
    }
    return count > 0 ? depth / count : -1;
}

double plot_telling(const struct plot_plotter *plotter, size_t setting, bool by_n)
{
    return by_n ? valley_of(plotter, setting, -1) : changes_of(plotter->data, setting, -1);
}

/* Leaves one of a list: that which says most; of equal ones the largest. */
static void keep_telling(const struct plot_plotter *plotter, size_t setting, bool by_n,
                         struct sup_list *list)
{
    double most = -INFINITY;
    int64_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const double telling = by_n ? valley_of(plotter, setting, list->value[i])
                                    : changes_of(plotter->data, setting, list->value[i]);
        kept = telling >= most ? list->value[i] : kept;
        most = fmax(most, telling);
    }
    list->count = list->count > 0;
    if (list->count > 0)
        list->value[0] = kept;
}

static int64_t ranks_of(const struct decide_curve *curve)
{
    return curve->p;
}

static int64_t bytes_of(const struct decide_curve *curve)
{
    return curve->m_bytes;
}

static struct sup_list choose(const struct plot_plotter *plotter, const struct plot_choice *choice,
                              int64_t (*value)(const struct decide_curve *curve), size_t most)
{
    const struct decide_curves *data = plotter->data;
    struct sup_list list = {sup_calloc(data->curve_count, sizeof *list.value), 0};
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++)
        if (fits(&data->curves[i], choice))
            list.value[count++] = value(&data->curves[i]);
    sup_list_tidy(&list, count);
    if (most == PLOT_FIGURES && plotter->request->few)
        keep_telling(plotter, choice->setting, value == bytes_of, &list);
    sup_list_thin(&list, most);
    return list;
}

struct sup_list plot_choose_ranks(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked)
{
    return choose(plotter, choice, ranks_of, plotter->request->all_ranks ? most_asked : most);
}

struct sup_list plot_choose_bytes(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked)
{
    return choose(plotter, choice, bytes_of, plotter->request->all_bytes ? most_asked : most);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

enum { MOST_RADICES = 6, MOST_LINES = 8 };

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
SUP_COMPARE(compare_lines, struct plot_line, b->in_focus - a->in_focus,
            strcmp(a->curve->plan_algorithm, b->curve->plan_algorithm),
            SUP_ORDER(a->curve->radix, b->curve->radix),
            SUP_ORDER(a->curve->origin, b->curve->origin));

/* The i-th of these algorithms in a setting, NULL beyond the last. */
static const char *radix_algorithm(const struct decide_curves *data, size_t setting, size_t i)
{
    size_t count = 0;
    for (size_t k = 0; k < data->curve_count; k++) {
        const struct decide_curve *curve = &data->curves[k];
        bool known = curve->hidden || curve->setting != setting || curve->radix == 0;
        for (size_t j = 0; j < k && !known; j++)
            known = data->curves[j].setting == setting && data->curves[j].radix > 0 &&
                    data->curves[j].plan_algorithm == curve->plan_algorithm;
        if (!known && count++ == i)
            return curve->plan_algorithm;
    }
    return NULL;
}

/* Some of the radices of algorithms with radices. */
static void add_radices(const struct plot_plotter *plotter, size_t setting, int32_t p,
                        plot_curve_test *wanted, struct plot_lines *lines)
{
    const struct decide_curves *data = plotter->data;
    const size_t most = plotter->request->all_radices ? PLOT_MOST_LINES : MOST_RADICES;
    const char *algorithm;
    for (size_t i = 0; (algorithm = radix_algorithm(data, setting, i)) != NULL; i++) {
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

SUP_COMPARE(compare_candidates, struct candidate, b->line.in_focus - a->line.in_focus,
            SUP_ORDER(a->nearest, b->nearest),
            strcmp(a->line.curve->algorithm, b->line.curve->algorithm));

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
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
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

/* ---- Radices --------------------------------------------------------------------------------- */

/* True if some algorithm of this collective has a radix. */
static bool can_have_radix(const char *collective)
{
    const struct rb_algorithm_info *algorithm;
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++)
        if (algorithm->radix != NULL && strcmp(algorithm->collective, collective) == 0)
            return true;
    return false;
}

const struct decide_curve *plot_find_radix(const struct decide_curves *data, size_t setting,
                                           const char *algorithm, int64_t radix, int32_t p,
                                           int64_t m_bytes)
{
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->setting == setting && curve->p == p && curve->m_bytes == m_bytes &&
            curve->radix == radix && curve->plan_algorithm == algorithm)
            return curve;
    }
    return NULL;
}

const struct decide_curve *plot_best_of_radices(const struct decide_curves *data, size_t setting,
                                                const char *algorithm,
                                                const struct sup_list *radices, int32_t p,
                                                int64_t m_bytes)
{
    const struct decide_curve *best = NULL;
    for (size_t i = 0; i < radices->count; i++) {
        const struct decide_curve *curve =
            plot_find_radix(data, setting, algorithm, radices->value[i], p, m_bytes);
        if (curve != NULL && (best == NULL || curve->best->time_s < best->best->time_s))
            best = curve;
    }
    return best;
}

/* Of how many m there is a curve with this radix. */
static size_t sizes_of(const struct decide_curves *data, const struct decide_curve *like)
{
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        count += curve->setting == like->setting && curve->p == like->p && curve->m_bytes > 0 &&
                 curve->algorithm == like->algorithm;
    }
    return count;
}

/* Keeps `most` of more than that, each the nearest by ratio to one of as many that are spread
 * evenly. */
static void thin_by_ratio(struct sup_list *list, size_t most)
{
    const double first = (double)list->value[0], last = (double)list->value[list->count - 1];
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < most; i++) {
        const double wanted = first * pow(last / first, (double)i / (double)(most - 1));
        while (at + 1 < list->count &&
               (double)list->value[at] * (double)list->value[at + 1] < wanted * wanted)
            at++;
        if (kept == 0 || list->value[kept - 1] != list->value[at])
            list->value[kept++] = list->value[at];
    }
    list->count = kept;
}

struct sup_list plot_choose_radices(const struct plot_plotter *plotter, size_t setting,
                                    const char *algorithm, int32_t p, size_t most)
{
    const struct decide_curves *data = plotter->data;
    size_t most_sizes = 0, count = 0;
    struct sup_list radices = {sup_calloc(data->curve_count, sizeof *radices.value), 0};
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        if (curve->hidden || curve->setting != setting || curve->p != p || curve->m_bytes < 1 ||
            curve->radix == 0 || curve->plan_algorithm != algorithm)
            continue;
        const size_t sizes = plotter->request->all_radices ? 1 : sizes_of(data, curve);
        count = sizes > most_sizes ? 0 : count;
        most_sizes = sizes > most_sizes ? sizes : most_sizes;
        if (sizes == most_sizes)
            radices.value[count++] = curve->radix;
    }
    sup_list_tidy(&radices, count);
    if (radices.count > most)
        thin_by_ratio(&radices, most);
    return radices;
}

int plot_draw_radices(struct plot_plotter *plotter, size_t setting, plot_radix_drawer *draw,
                      const char **why)
{
    const struct plot_choice choice = {setting, NULL, -1, -1, 1};
    const int64_t before = plotter->made;
    const char *algorithm;

    if (!can_have_radix(plotter->data->settings[setting].plan.collective))
        return RB_OK;
    int status = RB_OK;
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
    for (size_t i = 0; (algorithm = radix_algorithm(plotter->data, setting, i)) != NULL; i++)
        for (size_t k = 0; k < ranks.count && status == RB_OK; k++)
            status = draw(plotter, setting, algorithm, (int32_t)ranks.value[k]);
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more radices, for best-radix at two or more m, for some p > 1";
    sup_list_free(&ranks);
    return status;
}
