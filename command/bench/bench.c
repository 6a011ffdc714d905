/* bench.c - common functions of benchmarks (bench.h). */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "command/bench/bench.h"

#include <time.h>

#include "studies/measure/measure.h"
#include "support/memory.h"

void bench_machine(struct bench_machine *machine)
{
    struct measure_machine here;
    measure_machine_read(&here);
    snprintf(machine->cpu, sizeof machine->cpu, "%s", here.cpu);
#ifdef __clang__
    const char *const compiler = __VERSION__;
#else
    const char *const compiler = "gcc " __VERSION__;
#endif
    snprintf(machine->compiler, sizeof machine->compiler, "%s, %s build", compiler,
             ROUNDABOUT_BUILD_TYPE);
}

double bench_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct bench_spread bench_spread_of(double value[], size_t count)
{
    sup_sort_reals(value, count);
    return (struct bench_spread){sup_quantile(value, count, 0.25), sup_quantile(value, count, 0.5),
                                 sup_quantile(value, count, 0.75)};
}
