/* runs.c - the times of a row's runs (measure.h). */
#include "studies/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "support/memory.h"

/* After so many times the time for a row, the row ends even if hardly any run was undisturbed. */
enum { PATIENCE = 2 };
/* Fewer undisturbed runs than this do not make a row. */
enum { LEAST_UNDISTURBED = 3 };
/* The low quantile is at one tenth. */
enum { LOW_SHARE = 10 };
/* After so many times the least runs a narrow interval is enough, even if the passes disagree. */
enum { ENOUGH = 4 };

void measure_runs_restart(struct measure_runs *runs, const struct measure_request *request)
{
    *runs = (struct measure_runs){.time_s = runs->time_s,
                                  .disturbed_time_s = runs->disturbed_time_s,
                                  .look = request->least_runs,
                                  .least_s = {{INFINITY, INFINITY}, {INFINITY, INFINITY}},
                                  .spent_s = runs->spent_s};
}

void measure_runs_init(struct measure_runs *runs, const struct measure_request *request)
{
    *runs = (struct measure_runs){0};
    measure_runs_restart(runs, request);
}

void measure_runs_free(struct measure_runs *runs)
{
    free(runs->time_s);
    free(runs->disturbed_time_s);
    *runs = (struct measure_runs){0};
}

void measure_runs_add(struct measure_runs *runs, const struct measure_run *run)
{
    const bool counts = !run->disturbed || run->hopeless;
    double **times = counts ? &runs->time_s : &runs->disturbed_time_s;
    int64_t *count = counts ? &runs->count : &runs->disturbed_count;
    runs->spent_s += run->spent_s;
    sup_grow(times, (size_t)*count, sizeof **times);
    (*times)[(*count)++] = run->time_s;
    runs->disturbed += run->disturbed;
    double *least_s = &runs->least_s[!counts][run->pass % 2];
    *least_s = fmin(*least_s, run->time_s);
}

/* The least times of the odd and of the even passes differ by the precision at most. */
static bool passes_agree(const struct measure_runs *runs, double precision)
{
    const double *least_s = runs->least_s[0];
    return fabs(least_s[0] - least_s[1]) <= precision * fmin(least_s[0], least_s[1]);
}

bool measure_runs_done(struct measure_runs *runs, const struct measure_request *request)
{
    const bool enough = runs->count >= request->least_runs,
               some = enough || runs->count >= LEAST_UNDISTURBED;
    if (runs->count >= runs->look) { /* sorting costs: ever more seldom */
        runs->summary = measure_summarize(runs->time_s, (size_t)runs->count);
        runs->settled = measure_summary_is_settled(&runs->summary, request->precision);
        runs->look = runs->count + 1 + runs->count / 8;
    }
    const bool agree =
        runs->count >= ENOUGH * request->least_runs || passes_agree(runs, request->precision);
    return (enough && runs->settled && agree) || runs->count >= request->most_runs ||
           runs->disturbed_count >= request->most_runs ||
           runs->spent_s >= (some ? 1 : PATIENCE) * request->most_time_s;
}

/* With hardly any undisturbed run, all count. */
static void take_disturbed(struct measure_runs *runs)
{
    for (int64_t i = 0; i < runs->disturbed_count; i++) {
        sup_grow(&runs->time_s, (size_t)runs->count, sizeof *runs->time_s);
        runs->time_s[runs->count++] = runs->disturbed_time_s[i];
    }
    for (int half = 0; half < 2; half++)
        runs->least_s[0][half] = fmin(runs->least_s[0][half], runs->least_s[1][half]);
    runs->disturbed_count = 0;
}

void measure_runs_report(struct measure_runs *runs, struct measure_result *row)
{
    const int64_t undisturbed = runs->count;
    if (undisturbed < LEAST_UNDISTURBED)
        take_disturbed(runs);
    const struct measure_summary summary = measure_summarize(runs->time_s, (size_t)runs->count);
    row->median_s = summary.median;
    row->ci_low_s = summary.low;
    row->ci_high_s = summary.high;
    row->min_s = summary.min;
    row->q1_s = summary.q1;
    row->q3_s = summary.q3;
    row->runs = runs->count;
    row->disturbed = runs->disturbed;
    row->discarded = runs->disturbed_count;
    row->settled = runs->settled;
    row->low_s = runs->time_s[undisturbed > 0 ? (undisturbed - 1) / LOW_SHARE : 0];
    const double apart_s = fabs(runs->least_s[0][0] - runs->least_s[0][1]);
    if (isfinite(apart_s) && row->low_s > 0) /* each half has a run */
        row->low_error = apart_s / row->low_s;
}
