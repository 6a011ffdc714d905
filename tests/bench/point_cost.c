/* point_cost.c - measures the constants of the cost model of points (experiments/point/runs.c):
 * runs all points of an experiment, and prints for each what the model counts, and the CPU time.
 * CPU time, so that other work on the machine disturbs little. bound_us is that of the point's
 * lower bound, behind one of another size on its platform, as a search and a sweep find it.
 *
 * usage: point_cost EXPERIMENT [SECONDS]
 *   SECONDS   the longest CPU time of a point; what takes longer has no time. 0 runs nothing.
 * The constants are those that make model_s equal to cpu_s, in the median and for most points
 * within a factor of 2; any program that fits functions finds them. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "experiments/point/lower_bound.h"
#include "experiments/point/runs.h"
#include "experiments/sweep/experiment.h"

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* The point's CPU time, with that of the child that its engine may need; below 0: it was too long,
 * or failed. */
static double measure(const struct point *point, rlim_t limit_s)
{
    struct rusage before, after;
    int how = 0;
    getrusage(RUSAGE_CHILDREN, &before);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct point_outcome outcome;
        const struct rlimit limit = {limit_s, limit_s};
        setrlimit(RLIMIT_CPU, &limit);
        point_run(point, NULL, &outcome);
        _exit(outcome.done ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &how, 0) < 0)
        return -1;
    getrusage(RUSAGE_CHILDREN, &after);
    return how != 0 ? -1
                    : seconds(&after.ru_utime) + seconds(&after.ru_stime) -
                          seconds(&before.ru_utime) - seconds(&before.ru_stime);
}

static double cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Of a bound, in the least of several series of sizes; -1: there is none, or counts are irregular.
 */
static double measure_bound(const struct point *point)
{
    enum { SERIES = 10, SIZES = 8 };
    struct point_run run;
    struct sup_error error;
    double least_us = -1;
    int status = point_prepare(point, &run, &error);
    for (int i = 0; i < SERIES && status == RB_OK && run.spec.layout->first == NULL; i++) {
        struct point_bounds *bounds = point_bounds_make();
        struct rb_layout layout = *run.spec.layout;
        struct sim_spec spec = run.spec;
        struct point_bound bound;
        double started_us = 0;
        spec.layout = &layout;
        for (int size = 0; size <= SIZES && status == RB_OK; size++) {
            started_us = size == 1 ? cpu_us() : started_us;
            layout.bytes += layout.element;
            status = point_bound_find(&spec, point->engine, &point->platform->cuts, NULL, bounds,
                                      &bound, &error);
        }
        const double took_us = (cpu_us() - started_us) / SIZES;
        least_us = least_us < 0 || took_us < least_us ? took_us : least_us;
        point_bounds_free(bounds);
    }
    point_run_free(&run);
    return status == RB_OK ? least_us : -1;
}

int main(int argc, char *argv[])
{
    struct sweep_experiment experiment;
    struct sweep_points points;
    struct sup_error error;
    const long limit_s = argc > 2 ? atol(argv[2]) : 20;
    if (argc < 2 || sweep_experiment_load(argv[1], NULL, &experiment, &error) != RB_OK ||
        sweep_points_make(&experiment, &points, &error) != RB_OK) {
        fprintf(stderr, "%s\n", argc < 2 ? "usage: point_cost EXPERIMENT [SECONDS]" : error.text);
        return 2;
    }
    printf("engine,platform,collective,algorithm,progress,p,ppn,n,m_bytes,hosts,messages,"
           "operations,in_flight,exchanged,far,connected,model_s,cpu_s,bound_us\n");
    for (size_t i = points.count; i-- > 0;) { /* the short ones first */
        const struct point *point = &points.point[i];
        struct point_effort effort;
        if (point_effort_find(point, &effort, &error) != RB_OK)
            continue;
        const double cpu_s = limit_s > 0 ? measure(point, (rlim_t)limit_s) : -1;
        printf("%s,\"%s\",%s,%s,%s,%" PRId32 ",%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId32
               ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g,%.4g\n",
               point->engine_text, point->platform_text, point->plan.collective,
               point->plan.algorithm, point->overlap, point->plan.p, point->ppn, point->plan.n,
               point->m_bytes, point->platform->hosts, effort.messages, effort.operations,
               effort.in_flight, effort.exchanged, effort.far, effort.connected, point->cost_s,
               cpu_s, measure_bound(point));
        fflush(stdout);
    }
    sweep_points_free(&points);
    sweep_experiment_free(&experiment);
    return 0;
}
