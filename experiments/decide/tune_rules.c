/* tune_rules.c - see tune_rules.h. Every sample of every curve is a candidate; under several
 * overlap rules the fastest one of the same n counts. */
#include "experiments/decide/tune_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune_decisions.h"
#include "support/memory.h"

/* Rules are for calls in which all ranks have as much. */
static bool is_regular(const struct point *setting)
{
    return setting->collective != NULL && strcmp(setting->counts, "regular") == 0;
}

static size_t find_candidates(const struct tune_curves *data, struct rules_candidate *candidate)
{
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct tune_curve *curve = &data->curves[i];
        const struct point *setting = &data->settings[curve->setting];
        if (!is_regular(setting))
            continue;
        const int32_t per_node = tune_ranks_per_node(setting);
        for (size_t k = 0; k < curve->count; k++)
            candidate[count++] = (struct rules_candidate){.collective = setting->plan.collective,
                                                          .algorithm = curve->plan_algorithm,
                                                          .radix = curve->radix,
                                                          .p = curve->p,
                                                          .ppn = per_node,
                                                          .m_bytes = curve->m_bytes,
                                                          .n = curve->samples[k].n,
                                                          .time_s = curve->samples[k].time_s};
    }
    return count;
}

/* The largest element of the settings: every segment is whole elements of each. */
static int64_t element_of(const struct tune_curves *data)
{
    int64_t element = 1;
    for (size_t i = 0; i < data->setting_count; i++) {
        const int64_t bytes = data->settings[i].element_bytes;
        element = bytes > element ? bytes : element;
    }
    return element;
}

static int write_candidates(const struct rules_candidate *candidate, size_t count,
                            int64_t element_bytes, const struct tune_rules_request *request,
                            FILE *stream, struct rules_notes *notes, struct sup_error *error)
{
    const struct rules_request rules = {.format = request->format,
                                        .element_bytes = element_bytes,
                                        .tolerance = request->tolerance,
                                        .everywhere = request->everywhere};
    return rules_make(&rules, candidate, count, &request->head, stream, notes, error);
}

int tune_rules_write(const struct tune_curves *data, const struct tune_rules_request *request,
                     FILE *stream, struct rules_notes *notes, struct sup_error *error)
{
    notes->count = 0;
    int status = tune_check_settings(data, request->format->name, request->format->nodes, error);
    if (status != RB_OK)
        return status;
    struct rules_candidate *candidate = sup_calloc(data->sample_count + 1, sizeof *candidate);
    const size_t count = find_candidates(data, candidate);
    status = write_candidates(candidate, count, element_of(data), request, stream, notes, error);
    free(candidate);
    return status;
}

/* ---- Measured rows --------------------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* All but the time. */
static int compare_candidates(const void *a, const void *b)
{
    const struct rules_candidate *left = a, *right = b;
    int order = strcmp(left->collective, right->collective);
    if (order == 0)
        order = strcmp(left->algorithm, right->algorithm);
    const int64_t numbers[][2] = {{left->foreign, right->foreign},
                                  {left->radix, right->radix},
                                  {left->p, right->p},
                                  {left->ppn, right->ppn},
                                  {left->m_bytes, right->m_bytes},
                                  {left->n, right->n},
                                  {left->segment_bytes, right->segment_bytes}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && order == 0; i++)
        order = compare_numbers(numbers[i][0], numbers[i][1]);
    return order;
}

/* Several times of one candidate become their geometric mean. Returns how many candidates are left.
 */
static size_t join_times(struct rules_candidate *candidate, size_t count)
{
    size_t joined = 0;
    qsort(candidate, count, sizeof *candidate, compare_candidates);
    for (size_t i = 0, next; i < count; i = next) {
        double logs = 0;
        for (next = i; next < count && compare_candidates(&candidate[i], &candidate[next]) == 0;
             next++)
            logs += log(candidate[next].time_s);
        candidate[joined] = candidate[i];
        candidate[joined++].time_s = exp(logs / (double)(next - i));
    }
    return joined;
}

/* A row of the library's own choice that marks its algorithms by its name; NULL: none. */
static const struct rows_row *find_mark(const struct rows_row *const row[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (row[i]->own_choice && strcmp(row[i]->name, "default") != 0)
            return row[i];
    }
    return NULL;
}

static size_t find_measured(const struct rows_row *const row[], size_t count,
                            struct rules_candidate *candidate)
{
    const struct rows_row *mark = find_mark(row, count);
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rows_row *at = row[i];
        if (at->algorithm == NULL && !at->own_choice)
            continue;
        candidate[made++] =
            (struct rules_candidate){.collective = at->collective,
                                     .algorithm = at->own_choice ? "native" : at->algorithm,
                                     .radix = at->own_choice ? 0 : at->radix,
                                     .p = at->p,
                                     .ppn = at->ranks_per_node,
                                     .m_bytes = at->m_bytes,
                                     .n = at->n,
                                     .segment_bytes = at->n > 0 ? 0 : at->segment_bytes,
                                     .time_s = at->median_s,
                                     .foreign = !at->own_choice && mark != NULL &&
                                                !rows_is_of_library(mark->name, at->name)};
    }
    return join_times(candidate, made);
}

int tune_rules_write_measured(const struct rows_row *const row[], size_t count,
                              const struct tune_rules_request *request, FILE *stream,
                              struct rules_notes *notes, struct sup_error *error)
{
    int64_t element = 1;
    notes->count = 0;
    for (size_t i = 0; i < count; i++) {
        element = row[i]->element_bytes > element ? row[i]->element_bytes : element;
        if (row[i]->system != row[0]->system)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: the rows are of several systems, %s and %s: choose by "
                            "--system",
                            request->format->name, row[0]->system, row[i]->system);
        if (strcmp(row[i]->library, row[0]->library) != 0)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: the rows are of several libraries, %s and %s: choose by "
                            "--where library=%s",
                            request->format->name, row[0]->library, row[i]->library,
                            row[0]->library);
    }
    struct rules_candidate *candidate = sup_calloc(count + 1, sizeof *candidate);
    const size_t made = find_measured(row, count, candidate);
    const int status = write_candidates(candidate, made, element, request, stream, notes, error);
    free(candidate);
    return status;
}
