/* runs.c - the times of a row's runs, and the machine that they are of (measure.h). */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN */
#include "studies/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support/memory.h"

/* ---- Statistics ------------------------------------------------------------------------------ */

size_t measure_median_rank(size_t count)
{
    const double n = (double)count;
    double below = 0; /* P(B < j) */
    size_t j = 0;
    for (;; j++) { /* j: the number of values that may be below */
        const double k = (double)j;
        below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
        if (below > 0.025)
            return j;
    }
}

struct measure_summary measure_summarize(double value[], size_t count)
{
    sup_sort_reals(value, count);
    const size_t j = measure_median_rank(count);
    return (struct measure_summary){
        .count = count,
        .median = sup_quantile(value, count, 0.5),
        .min = value[0],
        .q1 = sup_quantile(value, count, 0.25),
        .q3 = sup_quantile(value, count, 0.75),
        .low = value[j > 0 ? j - 1 : 0],
        .high = value[j > 0 ? count - j : count - 1],
        .sure = j > 0,
    };
}

bool measure_summary_is_settled(const struct measure_summary *summary, double share)
{
    const double room = share * fabs(summary->median);
    return summary->sure && summary->median - summary->low <= room &&
           summary->high - summary->median <= room;
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

struct measure_clock_sample measure_clock_sample_of(double before_s, double reference_s,
                                                    double after_s)
{
    const double middle_s = before_s + (after_s - before_s) / 2;
    return (struct measure_clock_sample){middle_s, reference_s - middle_s, after_s - before_s};
}

struct measure_clock_sample measure_clock_quickest(const struct measure_clock_sample sample[],
                                                   size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (sample[i].round_trip_s < sample[best].round_trip_s)
            best = i;
    return sample[best];
}

struct measure_clock measure_clock_fit(const struct measure_clock_sample sample[], size_t count)
{
    const struct measure_clock_sample *last = &sample[count - 1];
    struct measure_clock clock = {.at_s = last->local_s, .offset_s = last->offset_s};
    double weights = 0, time = 0, offset = 0, time_time = 0, time_offset = 0;
    if (count < MEASURE_CLOCK_LINE)
        return clock;
    /* Relative to the last sample, so that no digits are lost to the age of the clocks. */
    for (size_t i = 0; i < count; i++) {
        const double trip = sample[i].round_trip_s;
        const double weight = trip > 0 ? 1 / (trip * trip) : 1;
        const double t = sample[i].local_s - last->local_s;
        const double o = sample[i].offset_s - last->offset_s;
        weights += weight;
        time += weight * t;
        offset += weight * o;
        time_time += weight * t * t;
        time_offset += weight * t * o;
    }
    const double spread = weights * time_time - time * time;
    if (!(spread > 0))
        return clock;
    clock.drift = (weights * time_offset - time * offset) / spread;
    clock.offset_s += (offset - clock.drift * time) / weights;
    return clock;
}

double measure_clock_reference(const struct measure_clock *clock, double local_s)
{
    return local_s + clock->offset_s + clock->drift * (local_s - clock->at_s);
}

double measure_clock_local(const struct measure_clock *clock, double reference_s)
{
    return clock->at_s + (reference_s - clock->offset_s - clock->at_s) / (1 + clock->drift);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

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

/* ---- The machine of this process ------------------------------------------------------------- */

static void read_cpu(const struct utsname *system, char *cpu, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(cpu, size, "%s", system->machine);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(cpu, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static void read_environment(const char *name, char *text, size_t size)
{
    const char *value = getenv(name);
    snprintf(text, size, "%s", value == NULL ? "" : value);
}

void measure_machine_read(struct measure_machine *machine)
{
    struct utsname system;
    if (uname(&system) != 0)
        system = (struct utsname){.nodename = "unknown", .machine = "unknown"};
    snprintf(machine->host, sizeof machine->host, "%.60s", system.nodename);
    snprintf(machine->kernel, sizeof machine->kernel, "%.30s %.60s", system.sysname,
             system.release);
    read_cpu(&system, machine->cpu, sizeof machine->cpu);
    machine->cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    read_environment("SLURM_JOB_ID", machine->job, sizeof machine->job);
    read_environment("SLURM_JOB_PARTITION", machine->partition, sizeof machine->partition);
    read_environment("SLURM_JOB_NODELIST", machine->nodes, sizeof machine->nodes);
}

int64_t measure_interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}
