/* plot_radices.c - which radices of an algorithm to draw, and a figure for each algorithm that was
 * run with several. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_FIGURES = 3 };

const char *plot_radix_algorithm(const struct decide_curves *data, size_t setting, size_t i)
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
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, MOST_FIGURES, SIZE_MAX);
    for (size_t i = 0; (algorithm = plot_radix_algorithm(plotter->data, setting, i)) != NULL; i++)
        for (size_t k = 0; k < ranks.count && status == RB_OK; k++)
            status = draw(plotter, setting, algorithm, (int32_t)ranks.value[k]);
    if (status == RB_OK && plotter->made == before)
        *why = "it takes two or more radices, for best-radix at two or more m, for some p > 1";
    sup_list_free(&ranks);
    return status;
}
