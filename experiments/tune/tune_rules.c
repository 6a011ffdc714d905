/* tune_rules.c - see tune_rules.h. Every sample of every curve is a candidate; under several
 * progress rules the fastest one of the same n counts. */
#include "experiments/tune/tune_rules.h"

#include <stdlib.h>
#include <string.h>

#include "experiments/tune/tune_decisions.h"

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
        for (size_t k = 0; k < curve->count; k++)
            candidate[count++] = (struct rules_candidate){.collective = setting->plan.collective,
                                                          .algorithm = curve->plan_algorithm,
                                                          .radix = curve->radix,
                                                          .p = curve->p,
                                                          .ppn = setting->ppn,
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

int tune_rules_write(const struct tune_curves *data, const struct tune_rules_request *request,
                     FILE *stream, char notes[RULES_NOTES][RULES_NOTE], size_t *note_count,
                     struct sup_error *error)
{
    const struct rules_request rules = {.format = request->format,
                                        .element_bytes = element_of(data),
                                        .tolerance = request->tolerance};
    const char *lines[RULES_NOTES];
    struct rules_table table = {0};
    *note_count = 0;
    int status = tune_check_settings(data, rules_format_name(request->format),
                                     rules_format_tells_nodes(request->format), error);
    if (status != RB_OK)
        return status;
    struct rules_candidate *candidate = calloc(data->sample_count + 1, sizeof *candidate);
    if (candidate == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    status = rules_build(&rules, candidate, find_candidates(data, candidate), &table, error);
    if (status == RB_OK) {
        *note_count = rules_notes(&table, notes);
        for (size_t i = 0; i < *note_count; i++)
            lines[i] = notes[i];
        const struct rules_head head = {.source = request->source,
                                        .note = lines,
                                        .note_count = *note_count,
                                        .base = request->base};
        status = rules_write(&table, &head, stream, error);
    }
    rules_table_free(&table);
    free(candidate);
    return status;
}
