#include "studies/audit/audit.h"

#include <math.h>
#include <string.h>

#include "mpi/vendors/names/mpilib.h"

struct adding {
    struct decide *audit;
    const struct decide_curves *data;
    const struct decide_library *decider;
};

static int32_t per_node_of(const struct adding *adding, const struct decide_curve *curve)
{
    return decide_ranks_per_node(&adding->data->settings[curve->setting]);
}

/* The curves of one case: first .. end - 1. */
struct span {
    size_t first, end;
};

/* The time of n blocks; between two n of the sweep the logarithm is interpolated; NAN beyond. */
static double time_of(const struct decide_curve *curve, int64_t n)
{
    for (size_t i = 0; i < curve->count; i++) {
        const struct decide_sample *sample = &curve->samples[i];
        if (sample->n == n)
            return sample->time_s;
        if (sample->n < n)
            continue;
        if (i == 0)
            return NAN;
        const struct decide_sample *before = sample - 1;
        const double share =
            log((double)n / (double)before->n) / log((double)sample->n / (double)before->n);
        return exp(log(before->time_s) + share * log(sample->time_s / before->time_s));
    }
    return NAN;
}

static struct rb_plan_spec spec_of(const struct adding *adding, const struct decide_curve *curve)
{
    struct rb_plan_spec spec = adding->data->settings[curve->setting].plan;
    spec.algorithm = curve->plan_algorithm;
    spec.p = curve->p;
    spec.radix = curve->radix;
    spec.groups = curve->groups[0] != '\0' ? curve->groups : NULL;
    return spec;
}

static const struct decide_curve *find_curve(const struct adding *adding, struct span span,
                                             const char *algorithm, int32_t radix)
{
    for (size_t i = span.first; i < span.end; i++) {
        const struct decide_curve *curve = &adding->data->curves[i];
        const struct rb_plan_spec spec = spec_of(adding, curve);
        if (strcmp(curve->plan_algorithm, algorithm) == 0 && curve->groups[0] == '\0' &&
            (radix == 0 || decide_radix(&spec) == radix))
            return curve;
    }
    return NULL;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static void add_choice(struct adding *adding, const struct decide_curve *curve, const char *name,
                       const struct decide_sample *sample, bool offered)
{
    const struct rb_plan_spec spec = spec_of(adding, curve);
    struct decide_way choice =
        decide_untimed(curve->radix, decide_segment(&spec, curve->m_bytes, sample->n));
    choice.name = name;
    choice.algorithm = curve->plan_algorithm;
    choice.time_s = sample->time_s;
    choice.offered = offered;
    if (sample == curve->best) {
        choice.low_s = curve->low_s;
        choice.high_s = curve->high_s;
    }
    decide_add_way(adding->audit, &choice);
}

/* With each n that the library can cut a message into; and the best n if it can't. */
static void add_curve(struct adding *adding, const char *collective,
                      const struct decide_curve *curve)
{
    const struct mpilib_algorithm *row =
        curve->info == NULL || curve->groups[0] != '\0'
            ? NULL
            : mpilib_ours(adding->decider->library, adding->decider->version, collective, NULL,
                          curve->plan_algorithm, curve->radix, curve->p,
                          per_node_of(adding, curve));
    bool best = false;
    for (size_t i = 0; row != NULL && i < curve->count; i++) {
        const struct decide_sample *sample = &curve->samples[i];
        if (sample->n > 1 && !row->segmented)
            continue;
        best = best || sample == curve->best;
        add_choice(adding, curve, row->name, sample, true);
    }
    if (!best)
        add_choice(adding, curve, curve->algorithm, curve->best, false);
}

/* ---- Points ---------------------------------------------------------------------------------- */

static size_t add_setting(struct adding *adding, const struct point *point)
{
    char source[512];
    decide_setting_text(point, source, sizeof source);
    const struct decide_place setting = {.place = source,
                                         .library = adding->decider->library,
                                         .collective = point->plan.collective,
                                         .ppn = point->ppn,
                                         .per_node = decide_ranks_per_node(point)};
    return decide_add_place(adding->audit, &setting);
}

/* Without a time if the sweep has none for it. */
static struct decide_way make_decision(struct adding *adding, struct span span,
                                       const struct decide_taken *decision)
{
    const struct decide_curve *first = &adding->data->curves[span.first];
    const char *collective = adding->data->settings[first->setting].plan.collective;
    const struct rb_algorithm_info *info =
        decide_plan_of(adding->decider, decision, collective, first->p, per_node_of(adding, first));
    struct decide_way choice = decide_untimed(decision->radix, decision->segment_bytes);
    choice.name = decision->name;
    if (info == NULL) {
        decide_leave_out(adding->audit, DECIDE_NO_PLAN, 1, decision->name);
        return choice;
    }
    const struct decide_curve *curve = find_curve(adding, span, info->name, decision->radix);
    choice.algorithm = info->name;
    if (curve != NULL) {
        const struct rb_plan_spec spec = spec_of(adding, curve);
        const int64_t n = decide_blocks(&spec, first->m_bytes, decision->segment_bytes);
        choice.radix = curve->radix;
        choice.time_s = time_of(curve, n);
        choice.segment_bytes = n > 1 ? decision->segment_bytes : 0;
    }
    return choice;
}

static void add_point(struct adding *adding, struct span span)
{
    const struct decide_curve *first = &adding->data->curves[span.first];
    const struct point *setting = &adding->data->settings[first->setting];
    struct decide_call point = {
        .run = "", .p = first->p, .m_bytes = first->m_bytes, .has_own = true, .own_known = true};
    struct decide_taken decision = {0};
    if (!adding->decider->decide(adding->decider->context, setting->plan.collective, first->p,
                                 per_node_of(adding, first), first->m_bytes, &decision)) {
        decide_leave_out(adding->audit, DECIDE_NO_RULE, 1, NULL);
        return;
    }
    point.place = add_setting(adding, setting);
    point.own = make_decision(adding, span, &decision);
    decide_add_call(adding->audit, &point);
    for (size_t i = span.first; i < span.end; i++)
        add_curve(adding, setting->plan.collective, &adding->data->curves[i]);
}

void audit_add_results(struct decide *audit, const struct decide_curves *data,
                       const struct decide_library *decider)
{
    struct adding adding = {audit, data, decider};
    for (struct span span = {0}; span.first < data->curve_count; span.first = span.end) {
        for (span.end = span.first;
             span.end < data->curve_count &&
             decide_same_case(&data->curves[span.first], &data->curves[span.end]);
             span.end++)
            ;
        add_point(&adding, span);
    }
}
