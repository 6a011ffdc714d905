/* plot_choice.c - which p and m to draw. */
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "support/memory.h"

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

static struct sup_list choose(const struct decide_curves *data, const struct plot_choice *choice,
                              int64_t (*value)(const struct decide_curve *curve), size_t most)
{
    struct sup_list list = {sup_calloc(data->curve_count, sizeof *list.value), 0};
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++)
        if (fits(&data->curves[i], choice))
            list.value[count++] = value(&data->curves[i]);
    sup_list_tidy(&list, count);
    sup_list_thin(&list, most);
    return list;
}

static int64_t ranks_of(const struct decide_curve *curve)
{
    return curve->p;
}

static int64_t bytes_of(const struct decide_curve *curve)
{
    return curve->m_bytes;
}

struct sup_list plot_choose_ranks(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked)
{
    return choose(plotter->data, choice, ranks_of, plotter->request->all_ranks ? most_asked : most);
}

struct sup_list plot_choose_bytes(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked)
{
    return choose(plotter->data, choice, bytes_of, plotter->request->all_bytes ? most_asked : most);
}
