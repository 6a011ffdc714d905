/* fitted.c - simulated times, corrected by a model that is fitted to measured rows of any
 * machines (recommend.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "platforms/network.h"
#include "platforms/platform.h"
#include "studies/audit/audit.h"
#include "studies/predict/predict.h"
#include "studies/recommend/recommend.h"
#include "support/data_files.h"
#include "support/memory.h"

static const double of_simulation = 0.1; /* the real time of following a path, at most */
/* What one would say in words of the networks of the machines that were measured. */
static const double usual_latency_s = 1e-6, usual_s_per_byte = 1 / 25e9;

/* ---- The rows -------------------------------------------------------------------------------- */

static void name_machines(struct recommend_learnt *learnt)
{
    for (int32_t i = 0; i < learnt->rows; i++) {
        int32_t k = 0;
        while (k < i && learnt->row[k]->system != learnt->row[i]->system)
            k++;
        if (k == i)
            sup_append(learnt->machines, sizeof learnt->machines, ", ", "%.40s",
                       learnt->row[i]->system);
    }
}

int recommend_learn(const struct rows_set *set, struct recommend_learnt *learnt,
                    struct sup_error *error)
{
    const struct predict_request asked = {.set = set};
    learnt->row = sup_calloc(set->count + 1, sizeof *learnt->row);
    const int status = predict_fit_others(&asked, learnt->left_out, learnt->row, &learnt->rows,
                                          &learnt->model, &learnt->why);
    name_machines(learnt);
    return status == RB_OK || status == RB_EINVAL ? RB_OK
                                                  : sup_fail(error, status, "%s", learnt->why.text);
}

/* Not a grid, whose ranks share links that no switched network has. */
static bool is_switched(const char *platform)
{
    struct platform_cuts cuts;
    struct sup_error error;
    return platform_find_cuts(platform, &cuts, &error) != RB_OK || cuts.grid.sides == 0;
}

bool recommend_fits_rows(const char *platform, struct sup_error *why)
{
    if (is_switched(platform) && point_ranks_per_node(platform, 1) == 1)
        return true;
    sup_fail(why, RB_EINVAL,
             "those that Roundabout has are of switched networks, with one network interface of a "
             "node");
    return false;
}

int recommend_learn_shipped(const char *system, struct rows_taken *taken,
                            struct recommend_learnt *learnt, struct sup_error *error)
{
    static const char shipped[] = "data/pico/measurements.csv";
    const struct rows_defaults defaults = {0};
    char path[SUP_PATH_SIZE];
    struct sup_error why;
    if (sup_data_path(path, sizeof path, shipped, &learnt->why) != RB_OK ||
        rows_take(NULL, path, &defaults, 0, "--model", taken, &learnt->why) != RB_OK)
        return RB_OK;
    if (system != NULL && rows_system(&taken->set, system, &learnt->left_out, &why) != RB_OK)
        learnt->left_out = NULL;
    return recommend_learn(&taken->set, learnt, error);
}

void recommend_forget(struct recommend_learnt *learnt)
{
    predict_model_free(learnt->model);
    free(learnt->row);
}

static bool is_learnt(const struct recommend_learnt *learnt, const char *collective,
                      const char *algorithm)
{
    for (int32_t i = 0; i < learnt->rows; i++)
        if (strcmp(learnt->row[i]->collective, collective) == 0 &&
            strcmp(learnt->row[i]->algorithm, algorithm) == 0)
            return true;
    return false;
}

/* True if an algorithm of the library was measured for the present collective, whoever ran it. */
static bool knows_library(const struct recommend_work *work)
{
    const char *collective = work->call->collective;
    size_t count;
    const struct mpilib_algorithm *rows = mpilib_rows(work->request->format->library, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].algorithm != NULL && strcmp(rows[i].collective, collective) == 0 &&
            is_learnt(work->request->learnt, collective, rows[i].algorithm))
            return true;
    return false;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* A machine of which nothing is known. */
static const struct rows_row nowhere = {.system = "",
                                        .library = "",
                                        .library_version = "",
                                        .transport = "",
                                        .overlap = "",
                                        .interfaces = 1,
                                        .element_bytes = 1};

/* A plan on a network between nodes. */
struct asked {
    const struct rb_plan_spec *plan;
    int32_t ppn;
    int64_t m_bytes;
    double alpha_s, beta_s_per_byte;
    struct mpilib_manner manner;
};

/* The model's time; RB_ENOTSUP if its path is too long, or latency or bandwidth are not known, or
 * cost nothing. A network whose latency is k times the usual one, and which takes k times as long
 * for a byte, takes k times as long for all; so does one that takes s k times as long for a byte,
 * with messages of s times the bytes. */
static int ask_model(const struct recommend_learnt *learnt, const struct asked *asked,
                     struct predict_estimate *estimate, struct sup_error *error)
{
    static const double most_bytes = 1e15;
    const double k = asked->alpha_s / usual_latency_s;
    const double s = asked->beta_s_per_byte / usual_s_per_byte / k;
    if (!(k > 0 && s > 0))
        return RB_ENOTSUP;
    struct rows_row row =
        audit_row(&nowhere, asked->plan, asked->ppn,
                  (int64_t)fmin(fmax(1, round((double)asked->m_bytes * s)), most_bytes));
    row.manner = asked->manner;
    if (asked->plan->n > 1) /* segments follow one another */
        row.manner.sends = MPILIB_IN_ROUNDS;
    struct predict_tested tested = {.row = &row};
    const int status = predict_time_asked(learnt->model, PREDICT_MOST_RANKS, &tested, error);
    *estimate = tested.estimate;
    estimate->time_s *= k;
    estimate->low_s *= k;
    estimate->high_s *= k;
    return status;
}

/* Gives a way the model's time; RB_ENOTSUP if it can't say. */
static int ask(struct recommend_work *work, size_t i)
{
    const struct recommend_request *request = work->request;
    const struct point *point = &work->answer->try_[i].point;
    const struct rb_plan_spec *plan = &point->plan;
    struct decide_way *way = &work->decision->ways[i];
    const double cost_s =
        point->cost_s * of_simulation * fmin(1, (double)PREDICT_MOST_RANKS / (double)plan->p);
    if (point->algorithm == NULL || plan->groups != NULL || cost_s > work->model_left_s)
        return RB_ENOTSUP;
    work->model_left_s -= cost_s;
    struct asked asked = {.plan = plan,
                          .ppn = request->ppn,
                          .m_bytes = point->m_bytes,
                          .alpha_s = request->platform->alpha_s,
                          .beta_s_per_byte = request->platform->beta_s_per_byte};
    const struct mpilib_algorithm *known =
        mpilib_ours(request->format->library, request->format->version, plan->collective, NULL,
                    plan->algorithm, plan->radix, plan->p, request->ppn);
    if (known != NULL)
        asked.manner = known->manner;
    struct predict_estimate estimate;
    const int status = ask_model(request->learnt, &asked, &estimate, work->error);
    if (status == RB_OK) {
        way->source = DECIDE_PREDICTED;
        way->time_s = estimate.time_s;
        way->low_s = estimate.low_s;
        way->high_s = estimate.high_s;
    }
    return status;
}

/* Whether the model gave the way its time. */
static bool is_asked(const struct decide_way *way)
{
    return way->source == DECIDE_PREDICTED && !isnan(way->low_s);
}

/* Of a way that the model does not know: the simulated time, times the ratio of those that it does,
 * and no less than one of these takes that was simulated to be no slower. */
static void correct_way(const struct decide_call *call, struct decide_way way[],
                        const double simulated_s[], double ratio, size_t i)
{
    double least_s = INFINITY;
    for (size_t k = 0; k < call->count; k++)
        if (is_asked(&way[k]) && simulated_s[k] <= simulated_s[i])
            least_s = fmin(least_s, way[k].time_s);
    way[i].time_s *= ratio;
    if (isfinite(least_s))
        way[i].time_s = fmax(way[i].time_s, least_s);
    way[i].source = isfinite(way[i].time_s) ? DECIDE_PREDICTED : DECIDE_UNTIMED;
}

/* Gives ways the model's times; the ratio is the median. */
static int correct_call(struct recommend_work *work, const struct decide_call *call)
{
    struct decide_way *way = &work->decision->ways[call->first];
    double *simulated_s = sup_malloc((2 * call->count + 1) * sizeof *simulated_s);
    double *ratio = simulated_s + call->count;
    size_t known = 0;
    int status = RB_OK;
    for (size_t i = 0; i < call->count && status == RB_OK; i++) {
        simulated_s[i] = way[i].time_s;
        const int asked = way[i].offered || way[i].own ? ask(work, call->first + i) : RB_ENOTSUP;
        if (asked == RB_OK && isfinite(simulated_s[i]) && simulated_s[i] > 0)
            ratio[known++] = way[i].time_s / simulated_s[i];
        status = asked == RB_ENOTSUP ? RB_OK : asked;
    }
    sup_sort_reals(ratio, known);
    const double median = known > 0 ? sup_quantile(ratio, known, 0.5) : NAN;
    for (size_t i = 0; i < call->count && known > 0 && status == RB_OK; i++)
        if (!is_asked(&way[i]))
            correct_way(call, way, simulated_s, median, i);
    free(simulated_s);
    return status;
}

int recommend_correct(struct recommend_work *work, size_t first)
{
    struct recommend_answer *answer = work->answer;
    int status = RB_OK;
    for (size_t i = work->decision->calls[first].first; i < work->decision->way_count; i++)
        answer->simulated += work->decision->ways[i].source == DECIDE_SIMULATED;
    if (work->request->learnt == NULL || work->request->learnt->model == NULL)
        return RB_OK;
    if (!knows_library(work)) {
        sup_append(answer->unknown, sizeof answer->unknown, ", ", "%.40s", work->call->collective);
        return RB_OK;
    }
    for (size_t i = first; i < work->decision->call_count && status == RB_OK; i++)
        if (work->request->ppn == 1 || work->decision->calls[i].p > work->request->ppn)
            status = correct_call(work, &work->decision->calls[i]);
    return status;
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* Of all the paths that are followed, rounds times ranks; some minutes. */
static const double most_operations = 1e8;

struct correction {
    const struct recommend_learnt *learnt;
    const struct rules_format *format; /* of a library, which runs the plans; NULL: none */
    struct decide_curves *data;
    double operations; /* left */
    int64_t asked, left_out;
    struct sup_error *error;
};

int recommend_check_setting(const struct recommend_learnt *learnt, const struct point *setting,
                            struct sup_error *error)
{
    static const enum point_id usual[] = {POINT_COUNTS, POINT_ARRIVAL, POINT_PROGRAM,
                                          POINT_PORTS,  POINT_OVERLAP, POINT_PLACEMENT};
    const char *how = decide_how(setting), *collective = setting->plan.collective;
    struct sup_error why;
    if (learnt->model == NULL)
        return sup_fail(error, RB_EINVAL, "--model fitted: %s", learnt->why.text);
    if (strcmp(how, "simulated") != 0)
        return sup_fail(error, RB_EINVAL,
                        "--model fitted: times of %s are %s: only simulated ones are corrected",
                        setting->platform_text, how);
    if (!recommend_fits_rows(setting->platform_text, &why))
        return sup_fail(error, RB_EINVAL, "--model fitted: no measured row is like %s: %s",
                        setting->platform_text, why.text);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (point_is_unusual(setting, &point_parameters[usual[i]]))
            return sup_fail(error, RB_EINVAL,
                            "--model fitted: no measured row is like these times, with --%s other "
                            "than %s",
                            point_parameters[usual[i]].option.name,
                            point_parameters[usual[i]].option.fallback);
    for (int32_t i = 0; i < learnt->rows; i++)
        if (strcmp(learnt->row[i]->collective, collective) == 0)
            return RB_OK;
    return sup_fail(error, RB_EINVAL, "--model fitted: no measured row is of %s", collective);
}

/* Gives a sample the model's time; RB_ENOTSUP if it can't say. */
static int ask_sample(struct correction *correction, const struct decide_curve *curve,
                      struct decide_sample *sample)
{
    const struct point *setting = &correction->data->settings[curve->setting];
    const struct rules_format *format = correction->format;
    struct rb_plan_spec plan = setting->plan;
    struct rb_plan *made;
    struct asked asked = {.plan = &plan,
                          .ppn = setting->ppn,
                          .m_bytes = curve->m_bytes,
                          .alpha_s = curve->alpha_s,
                          .beta_s_per_byte = curve->beta_s_per_byte};
    plan.algorithm = curve->plan_algorithm;
    plan.radix = curve->radix;
    plan.p = curve->p;
    plan.n = sample->n;
    if (curve->info == NULL || *curve->groups != '\0' ||
        (setting->ppn > 1 && plan.p <= setting->ppn) || rb_plan_create(&plan, &made, NULL, 0) != 0)
        return RB_ENOTSUP;
    correction->operations -=
        (double)rb_plan_rounds(made) * (plan.p < PREDICT_MOST_RANKS ? plan.p : PREDICT_MOST_RANKS);
    rb_plan_destroy(made);
    if (correction->operations < 0)
        return RB_ENOTSUP;
    const struct mpilib_algorithm *known =
        format == NULL ? NULL
                       : mpilib_ours(format->library, format->version, plan.collective, NULL,
                                     plan.algorithm, plan.radix, plan.p, setting->ppn);
    if (known != NULL)
        asked.manner = known->manner;
    struct predict_estimate estimate;
    const int status = ask_model(correction->learnt, &asked, &estimate, correction->error);
    if (status == RB_OK)
        sample->time_s = estimate.time_s;
    return status;
}

/* Keeps the samples of a curve of which the model knows the time. */
static int correct_curve(struct correction *correction, struct decide_curve *curve)
{
    struct decide_sample *sample =
        correction->data->samples + (curve->samples - correction->data->samples);
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const int status = ask_sample(correction, curve, &sample[i]);
        if (status == RB_OK)
            sample[kept++] = sample[i];
        else if (status != RB_ENOTSUP)
            return status;
    }
    correction->asked += (int64_t)kept;
    correction->left_out += (int64_t)(curve->count - kept);
    curve->count = kept;
    curve->low_s = curve->high_s = curve->inside_s = curve->bound_s = NAN;
    if (kept > 0)
        decide_find_best(curve);
    return RB_OK;
}

static int correct_all(struct correction *correction)
{
    struct decide_curves *data = correction->data;
    size_t kept = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const int status = correct_curve(correction, &data->curves[i]);
        if (status != RB_OK)
            return status;
        if (data->curves[i].count > 0)
            data->curves[kept++] = data->curves[i];
    }
    data->curve_count = kept;
    for (size_t i = 0; i < data->setting_count; i++) {
        char *engine = sup_format(DECIDE_FITTED_ENGINE "%s", data->settings[i].engine_text);
        data->settings[i].engine_text = decide_intern(data, engine);
        free(engine);
    }
    return kept > 0 ? RB_OK
                    : sup_fail(correction->error, RB_EINVAL,
                               "--model fitted: the model knows none of these %" PRId64
                               " times: it is of plans without groups, between nodes",
                               correction->left_out);
}

int recommend_correct_curves(const struct recommend_learnt *learnt,
                             const struct rules_format *format, struct decide_curves *data,
                             struct out_verdict *notes, struct sup_error *error)
{
    struct correction correction = {.learnt = learnt,
                                    .format = format,
                                    .data = data,
                                    .operations = most_operations,
                                    .error = error};
    int status = RB_OK;
    for (size_t i = 0; i < data->setting_count && status == RB_OK; i++)
        status = recommend_check_setting(learnt, &data->settings[i], error);
    if (status == RB_OK)
        status = correct_all(&correction);
    if (status != RB_OK)
        return status;
    recommend_say_learnt(learnt, "", notes);
    if (correction.left_out > 0)
        out_verdict_say(notes,
                        "Left out are %" PRId64 " of %" PRId64 " simulated times, which it doesn't "
                        "know: those of plans by groups, of native choices, within a node, and "
                        "where its paths are too many.",
                        correction.left_out, correction.left_out + correction.asked);
    return RB_OK;
}
