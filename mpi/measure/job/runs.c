/* runs.c - see runs.h. */
#include "runs.h"

#include <stdlib.h>

/* After so many times the time for a row, the row ends even if fewer than the least runs count. */
enum { PATIENCE = 4 };

int job_runs_init(struct job_runs *runs, const struct measure_request *request)
{
    *runs = (struct job_runs){.look = request->least_runs};
    runs->time_s = malloc((size_t)request->most_runs * sizeof *runs->time_s);
    return runs->time_s == NULL ? RB_ENOMEM : RB_OK;
}

void job_runs_free(struct job_runs *runs)
{
    free(runs->time_s);
    *runs = (struct job_runs){0};
}

void job_runs_add(struct job_runs *runs, const struct measure_request *request, double time_s,
                  double spent_s, bool disturbed, bool hopeless)
{
    const bool hope =
        !hopeless && runs->discarded < request->most_runs && runs->spent_s < request->most_time_s;
    runs->disturbed += disturbed;
    if (disturbed && hope)
        runs->discarded++;
    else
        runs->time_s[runs->count++] = time_s;
    runs->spent_s += spent_s;
}

bool job_runs_done(struct job_runs *runs, const struct measure_request *request)
{
    const bool enough = runs->count >= request->least_runs;
    if (runs->count >= runs->look) { /* sorting costs: ever more seldom */
        runs->summary = measure_summarize(runs->time_s, (size_t)runs->count);
        runs->settled = measure_summary_is_settled(&runs->summary, request->precision);
        runs->look = runs->count + 1 + runs->count / 8;
    }
    return (enough && runs->settled) || runs->count >= request->most_runs ||
           (runs->count > 0 && runs->spent_s >= (enough ? 1 : PATIENCE) * request->most_time_s);
}

void job_runs_report(struct job_runs *runs, struct measure_result *row)
{
    const struct measure_summary summary = measure_summarize(runs->time_s, (size_t)runs->count);
    row->median_s = summary.median;
    row->ci_low_s = summary.low;
    row->ci_high_s = summary.high;
    row->min_s = summary.min;
    row->q1_s = summary.q1;
    row->q3_s = summary.q3;
    row->runs = runs->count;
    row->disturbed = runs->disturbed;
    row->discarded = runs->discarded;
    row->settled = runs->settled;
}
