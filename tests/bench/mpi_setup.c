/* mpi_setup.c - what a collective call costs before its first message: choosing n and finding its
 * plan among those that the communicator has cached, beside making it anew. No MPI is run.
 *
 *   mpi_setup [p [hosts]]      (1024 4)
 *
 * Plans by groups have groups of these sizes. CSV: collective, algorithm, p, chosen_ns, cached_ns,
 * made_ns: medians over repetitions, per rank and call, with the cache full. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/choice/choice.h"
#include "mpi/library/plan_cache.h"
#include "roundabout-redistribution.h"

enum { REPETITIONS = 31, LOOK_UPS = 20000 };

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double value[])
{
    qsort(value, REPETITIONS, sizeof *value, compare);
    return value[REPETITIONS / 2];
}

/* n by rule, of messages that differ from call to call. */
static double chosen_ns(const struct rb_algorithm_info *algorithm, int32_t p, const char *hosts)
{
    double spent[REPETITIONS];
    struct choice_groups groups = {.sizes = hosts, .count = (p + 3) / 4};
    const struct choice_setting setting = {.algorithm = algorithm};
    int64_t sum = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = now_ns();
        for (int k = 0; k < LOOK_UPS; k++) {
            const struct choice_situation situation = {.collective = algorithm->collective,
                                                       .p = p,
                                                       .bytes = (int64_t)(k + 1) << 10,
                                                       .groups = &groups};
            sum += choice_make(&setting, &situation).plan.n;
        }
        spent[i] = (now_ns() - start) / LOOK_UPS;
    }
    return sum > 0 ? median(spent) : 0;
}

/* The keys of a full cache: one algorithm, as many n. */
static double cached_ns(struct lib_plan_cache *cache, const struct rb_algorithm_info *algorithm,
                        const char *hosts)
{
    double spent[REPETITIONS];
    struct lib_plan_key key = {.algorithm = algorithm,
                               .plan = {.groups = algorithm->groups ? hosts : NULL}};
    struct lib_cached_plan *found;
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = now_ns();
        for (int k = 0; k < LOOK_UPS; k++) {
            key.plan.n = 1 + k % LIB_CACHED_PLANS;
            lib_plan_cache_get(cache, &key, &found);
        }
        spent[i] = (now_ns() - start) / LOOK_UPS;
    }
    return median(spent);
}

static double made_ns(const struct rb_algorithm_info *algorithm, int32_t p, const char *hosts)
{
    double spent[REPETITIONS];
    const struct lib_plan_key key = {.algorithm = algorithm,
                                     .plan = {.n = 16, .groups = algorithm->groups ? hosts : NULL}};
    for (int i = 0; i < REPETITIONS; i++) {
        struct lib_plan_cache cache;
        struct lib_cached_plan *found;
        lib_plan_cache_init(&cache, p, p / 3);
        const double start = now_ns();
        lib_plan_cache_get(&cache, &key, &found);
        spent[i] = now_ns() - start;
        lib_plan_cache_free(&cache);
    }
    return median(spent);
}

int main(int argc, char **argv)
{
    const int32_t p = argc > 1 ? (int32_t)strtol(argv[1], NULL, 10) : 1024;
    const char *hosts = argc > 2 ? argv[2] : "4";
    const struct rb_algorithm_info *algorithm;
    char why[200];
    if (rb_redistribution_add(why, sizeof why) != RB_OK) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    printf("collective,algorithm,p,chosen_ns,cached_ns,made_ns\n");
    for (int32_t i = 0; (algorithm = rb_algorithm_at(i)) != NULL; i++) {
        struct lib_plan_cache cache;
        lib_plan_cache_init(&cache, p, p / 3);
        const double cached = cached_ns(&cache, algorithm, hosts);
        lib_plan_cache_free(&cache);
        printf("%s,%s,%" PRId32 ",%.1f,%.1f,%.1f\n", algorithm->collective, algorithm->name, p,
               chosen_ns(algorithm, p, hosts), cached, made_ns(algorithm, p, hosts));
    }
    return 0;
}
