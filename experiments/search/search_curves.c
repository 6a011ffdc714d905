/* search_curves.c - the times of searches as curves, for files of rules. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune.h"
#include "experiments/search/search_grid.h"
#include "support/memory.h"
#include "support/units.h"

void search_make_room(const struct search *const searches[], size_t count,
                      struct decide_curves *data)
{
    size_t settings = 0, words = 0;
    for (size_t i = 0; i < count; i++) {
        settings += searches[i]->request.overlap_count + 1;
        words += searches[i]->grid.curve_count + 2; /* all rules, an engine */
    }
    data->settings = sup_calloc(settings, sizeof *data->settings);
    data->words = sup_calloc(words, sizeof *data->words);
    data->versions = cli_program_version;
}

size_t search_add_settings(const struct search *search, const char *engine,
                           const struct point_known_platform *platform, struct decide_curves *data)
{
    const struct search_request *request = &search->request;
    const size_t rules = request->overlap_count, first = data->setting_count;
    size_t length = 1;
    for (size_t i = 0; i < rules; i++)
        length += strlen(request->overlap[i].text) + 1;
    char *all = sup_calloc(1, length);
    data->words[data->word_count++] = all;
    for (size_t i = 0; i <= rules && !(i == rules && rules == 1); i++) {
        struct point *setting = &data->settings[data->setting_count++];
        *setting = request->common;
        point_set_platform(setting, platform);
        point_resolve(setting);
        setting->engine_text = engine;
        setting->jitter = request->copies;
        if (request->arrival != NULL)
            point_set_rule(setting, POINT_ARRIVAL, request->arrival);
        setting->overlap = i < rules ? request->overlap[i].text : all;
        if (i < rules)
            strcat(strcat(all, i == 0 ? "" : ","), request->overlap[i].text);
    }
    return first;
}

/* Of the search's settings, which are the last. */
static size_t setting_of(const struct search_request *request, const struct point *point,
                         const struct decide_curves *data)
{
    const size_t rules = request->overlap_count;
    size_t i = data->setting_count - rules - (rules > 1 ? 1 : 0);
    for (size_t k = 0; request->overlap[k].text != point->overlap; k++)
        i++;
    return i;
}

SUP_COMPARE(by_n, struct decide_sample, SUP_ORDER(a->n, b->n));

/* "bruck:r=4", "hosts:g=router", but where groups can only be hosts without them, the same pointer
 * for the same name. The words have room. */
static const char *name_of(const struct search_request *request, const struct search_curve *curve,
                           struct decide_curves *data)
{
    const bool hosts = request->groups_count == 1 && strcmp(request->groups[0], "host") == 0;
    struct rb_plan_spec plan = curve->point.plan;
    char name[80];
    plan.groups = hosts ? NULL : curve->groups;
    if (plan.radix == 0 && plan.groups == NULL)
        return plan.algorithm;
    point_curve_name(&plan, name, sizeof name);
    for (size_t i = 0; i < data->word_count; i++)
        if (strcmp(data->words[i], name) == 0)
            return data->words[i];
    return data->words[data->word_count++] = sup_strdup(name);
}

/* The samples follow those of the preceding curve; settings those of earlier searches. */
static void add_curve(const struct search_request *request, const struct search_curve *from,
                      size_t samples, struct decide_curves *data)
{
    struct decide_sample *first = data->samples + data->sample_count - samples;
    struct decide_curve *curve = &data->curves[data->curve_count++];
    const bool named = search_is_named(request);
    qsort(first, samples, sizeof *first, by_n);
    *curve = (struct decide_curve){
        .setting = setting_of(request, &from->point, data),
        .p = from->point.plan.p,
        .m_bytes = from->point.m_bytes,
        .algorithm = name_of(request, from, data),
        .plan_algorithm = from->point.plan.algorithm,
        .radix = from->point.plan.radix,
        .groups = from->point.plan.groups == NULL ? "" : from->point.plan.groups,
        .bound_s = NAN,
        .low_s = from->spread.copies > 0 ? from->spread.low_s : NAN,
        .high_s = from->spread.copies > 0 ? from->spread.high_s : NAN,
        .info = from->point.algorithm,
        .samples = first,
        .count = samples,
        .best = first,
        .alpha_s = from->point.platform->alpha_s,
        .beta_s_per_byte = from->point.platform->beta_s_per_byte,
        .closed_n = named ? 0 : from->found.closed_n,
        .closed_s = named ? NAN : from->found.closed_s};
    for (size_t i = 1; i < samples; i++)
        if (search_is_better(&first[i], curve->best))
            curve->best = &first[i];
}

/* Libraries have algorithms that they do not pipeline: adds the time with one block to the last
 * samples of a curve, if it is wanted and not among them. A run that fails adds none. */
static void add_one_block(const struct search_request *request, const struct search_curve *curve,
                          size_t *samples, struct decide_curves *data)
{
    const bool named = search_is_named(request);
    struct point point = curve->point;
    struct point_outcome outcome;
    if (!request->one_block)
        return;
    for (size_t i = 0; i < *samples; i++)
        if (data->samples[data->sample_count - 1 - i].n == 1)
            return;
    point.plan.n = 1;
    if (named) {
        point.engine = request->named_engine;
        point.engine_text = request->named_engine->name;
        point_set_platform(&point, request->asked);
    }
    point_run(&point, NULL, &outcome);
    if (!outcome.done)
        return;
    data->samples[data->sample_count++] = (struct decide_sample){1, outcome.time_s};
    ++*samples;
}

static void add_searched(const struct search_request *request, const struct search_grid *search,
                         const struct search_case *a_case, struct decide_curves *data)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        size_t samples = curve->found.count;
        memcpy(data->samples + data->sample_count, curve->found.samples,
               samples * sizeof *data->samples);
        data->sample_count += samples;
        add_one_block(request, curve, &samples, data);
        add_curve(request, curve, samples, data);
    }
}

/* Only algorithms that were simulated there. */
static void add_named(const struct search_request *request, const struct search_grid *search,
                      const struct search_case *a_case, struct decide_curves *data)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        size_t samples = 0;
        for (size_t k = 0; k < curve->named.count; k++)
            if (search_has_time(&curve->named.runs[k])) {
                data->samples[data->sample_count++] = curve->named.runs[k];
                samples++;
            }
        if (samples > 0) {
            add_one_block(request, curve, &samples, data);
            add_curve(request, curve, samples, data);
        }
    }
}

/* The runs of one curve are adjacent. */
static void add_confirmed(const struct search_request *request, const struct search_grid *search,
                          const struct search_case *a_case, struct decide_curves *data)
{
    const struct search_run *run = search->runs + a_case->first_run;
    const struct search_run *end = run + a_case->run_count;
    while (run < end) {
        const size_t curve = run->curve;
        size_t samples = 0;
        for (; run < end && run->curve == curve; run++, samples++)
            data->samples[data->sample_count++] =
                (struct decide_sample){run->point.plan.n, run->time_s};
        add_curve(request, &search->curves[curve], samples, data);
    }
}

/* "circulant 3.4 ms (n = 16, of 5 n)" */
static void describe_runs(const struct search_curve *curve, FILE *stream)
{
    char time[32];
    fprintf(stream, "%s %s (", curve->name,
            sup_format_seconds(curve->named.best.time_s, time, sizeof time));
    if (curve->point.algorithm->pipelined)
        fprintf(stream, "n = %" PRId64 ", the best of %" PRId64 ", ", curve->named.best.n,
                search_times_of(&curve->named));
    fprintf(stream, "%s)", curve->point.overlap);
}

static void describe_state(const struct search_grid *search, const struct search_case *a_case,
                           enum search_state state, const char *before, FILE *stream)
{
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        if (curve->named.state != state)
            continue;
        fputs(before, stream);
        before = ", ";
        if (state == SEARCH_SIMULATED)
            describe_runs(curve, stream);
        else
            fputs(curve->name, stream);
    }
}

static void describe_confirmed(const struct search_request *request,
                               const struct search_grid *search, const struct search_case *a_case,
                               FILE *stream)
{
    for (size_t i = 0; i < a_case->run_count; i++) {
        const struct search_run *run = &search->runs[a_case->first_run + i];
        char time[32];
        if (i == 0)
            fprintf(stream, "; by the engine %s: ", request->confirm_engine->name);
        fprintf(stream, "%s%s %s (n = %" PRId64 ")", i == 0 ? "" : ", ",
                search->curves[run->curve].name,
                search_has_time(&(struct decide_sample){0, run->time_s})
                    ? sup_format_seconds(run->time_s, time, sizeof time)
                    : "no time",
                run->point.plan.n);
    }
}

static void describe(const struct search_request *request, const struct search_grid *search,
                     FILE *stream)
{
    for (size_t i = 0; i < search->case_count && search_is_named(request); i++) {
        const struct search_case *a_case = &search->cases[i];
        const struct point *point = &search->curves[a_case->first].point;
        char bytes[32];
        fprintf(stream, "# Simulated on %s for p = %" PRId32 ", m = %s, by the engine %s: ",
                request->asked->text, point->plan.p,
                sup_format_shown(point->m_bytes, bytes, sizeof bytes), request->named_engine->name);
        describe_state(search, a_case, SEARCH_SIMULATED, "", stream);
        describe_confirmed(request, search, a_case, stream);
        describe_state(search, a_case, SEARCH_EXCLUDED,
                       "; slower even without contention: ", stream);
        describe_state(search, a_case, SEARCH_OVER_LIMIT, "; too long to simulate: ", stream);
        describe_state(search, a_case, SEARCH_NOT_DONE, "; failed: ", stream);
        fputs(".\n", stream);
    }
}

static int refuse_case(const struct search_request *request, const struct search_grid *search,
                       const struct search_case *a_case, const char *what, const char *cure,
                       struct sup_error *error)
{
    const struct point *point = &search->curves[a_case->first].point;
    char bytes[32];
    return sup_fail(error, RB_EINVAL, "--format %s: p = %" PRId32 ", m = %s is not %s (%s): %s",
                    request->rules, point->plan.p,
                    sup_format_shown(point->m_bytes, bytes, sizeof bytes), what,
                    search_verdict_names[a_case->verdict], cure);
}

/* Each winner must have been run. */
static int check_confirmed(const struct search_request *request, const struct search_grid *search,
                           struct sup_error *error)
{
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        if (search_is_named(request) && a_case->winner == NULL)
            return refuse_case(request, search, a_case, "simulated on the platform",
                               "raise --search-limit", error);
        if (!search_is_named(request) && request->confirm_engine != NULL &&
            search_run_of(search, a_case, a_case->first_run) == NULL)
            return refuse_case(request, search, a_case, "confirmed",
                               "raise --confirm-limit, or --confirm none", error);
    }
    return RB_OK;
}

static int add_search(const struct search *search, struct decide_curves *data,
                      struct sup_error *error)
{
    const struct search_request *request = &search->request;
    const struct search_grid *grid = &search->grid;
    const bool confirmed = request->confirm_engine != NULL;
    const struct sim_engine *engine = search_is_named(request) ? request->named_engine
                                      : confirmed              ? request->confirm_engine
                                                               : request->common.engine;
    const int status = check_confirmed(request, grid, error);
    if (status != RB_OK)
        return status;
    search_add_settings(search, engine->name, request->asked, data);
    for (size_t i = 0; i < grid->case_count; i++)
        (search_is_named(request) ? add_named
         : confirmed              ? add_confirmed
                                  : add_searched)(request, grid, &grid->cases[i], data);
    return RB_OK;
}

int search_curves(const struct search *const searches[], size_t count,
                  struct decide_tune_result *tuning, struct sup_error *error)
{
    struct decide_curves *data = &tuning->data;
    size_t size, curves = 0, samples = 0;
    int status = RB_OK;
    for (size_t i = 0; i < count; i++) {
        const struct search_grid *grid = &searches[i]->grid;
        curves += grid->curve_count;
        samples += grid->curve_count * (size_t)(SEARCH_NAMED_RUNS + 1) + grid->run_count;
    }
    *tuning = (struct decide_tune_result){0};
    search_make_room(searches, count, data);
    data->curves = sup_calloc(curves + 1, sizeof *data->curves);
    data->samples = sup_calloc(samples + 1, sizeof *data->samples);
    FILE *stream = sup_memory_open(&tuning->simulated, &size);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        status = add_search(searches[i], data, error);
        describe(&searches[i]->request, &searches[i]->grid, stream);
    }
    sup_memory_close(stream, &tuning->simulated);
    if (status == RB_OK)
        search_notes(searches, count, tuning);
    return status;
}
