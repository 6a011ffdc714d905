/* bench.c - what benchmarks share (bench.h). */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "experiments/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static void read_cpu(char *cpu, size_t size)
{
    char line[256];
    struct utsname system;
    FILE *file = fopen("/proc/cpuinfo", "r");
    cpu[0] = '\0';
    while (file != NULL && cpu[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && colon != NULL)
            snprintf(cpu, size, "%s", colon + 1 + strspn(colon + 1, " "));
    }
    if (file != NULL)
        fclose(file);
    if (cpu[0] == '\0')
        snprintf(cpu, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
}

void rb_bench_machine(struct rb_bench_machine *machine)
{
    read_cpu(machine->cpu, sizeof machine->cpu);
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

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The value at a share of the sorted ones, between two of them if need be. */
static double quantile(const double value[], size_t count, double share)
{
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    if (below + 1 >= count)
        return value[count - 1];
    return value[below] + (place - (double)below) * (value[below + 1] - value[below]);
}

struct rb_spread rb_bench_spread(double value[], size_t count)
{
    qsort(value, count, sizeof *value, ascending);
    return (struct rb_spread){quantile(value, count, 0.25), quantile(value, count, 0.5),
                              quantile(value, count, 0.75)};
}

uint64_t rb_bench_random(uint64_t *seed, uint32_t below)
{
    /* SplitMix64 (Steele, Lea, Flood 2014). */
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((z >> 32) * below) >> 32;
}
