/* bench.c - what benchmarks share (bench.h). */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "experiments/bench/bench.h"

#include <time.h>

#include "mpi/measure/machine.h"
#include "mpi/measure/statistics.h"

void rb_bench_machine(struct rb_bench_machine *machine)
{
    struct rb_machine here;
    rb_machine_read(&here);
    snprintf(machine->cpu, sizeof machine->cpu, "%s", here.cpu);
#ifdef __clang__
    const char *const compiler = __VERSION__;
#else
    const char *const compiler = "gcc " __VERSION__;
#endif
    snprintf(machine->compiler, sizeof machine->compiler, "%s, %s build", compiler, RB_BUILD_TYPE);
}

double rb_bench_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct bench_spread rb_bench_spread(double value[], size_t count)
{
    rb_sort(value, count);
    return (struct bench_spread){rb_quantile(value, count, 0.25), rb_quantile(value, count, 0.5),
                                 rb_quantile(value, count, 0.75)};
}
