/* redistribution_speed.c - how fast timetables for block-cyclic redistribution are made, and how
 * good they are.
 *
 * redistribution_speed P r Q s M [METHOD]
 * (M = 0: one slice, lcm(P r, Q s)) makes the traffic, then a timetable by each method or the one
 * named, and checks it. Prints: messages and T_opt; then per method the length in units, its excess
 * over T_opt, cuts, most start-ups of a sender and a receiver, largest buffers of both, processor
 * seconds; or why the method refuses. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "redistribution/modular_times.h"
#include "support/units.h"

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static int measure(const struct rb_redistribute_method *method,
                   const struct rb_redistribution *problem, const struct rb_traffic *traffic,
                   struct sup_error *error)
{
    struct rb_timetable timetable;
    struct rb_timetable_facts facts;
    const clock_t start = clock();
    int status =
        method->schedule(problem, traffic, NULL, &timetable, error->text, sizeof error->text);
    if (status == RB_EINVAL) {
        printf("%-14s %s\n", method->name, error->text);
        return RB_OK;
    }
    if (status != RB_OK)
        return status;
    const double spent = seconds_since(start);
    status = rb_timetable_check(&timetable, traffic, error->text, sizeof error->text);
    if (status == RB_OK)
        status = rb_timetable_facts(&timetable, traffic, &facts);
    if (status == RB_OK)
        printf("%-14s length %" PRId64 " (%+.2f%%) cuts %" PRId64 " startups %" PRId64 " %" PRId64
               " buffers %" PRId64 " %" PRId64 " in %.3f s\n",
               method->name, facts.length,
               100.0 * (double)(facts.length - facts.bound) / (double)facts.bound, facts.cuts,
               facts.send_startups, facts.receive_startups, facts.send_buffer, facts.receive_buffer,
               spent);
    rb_timetable_deinit(&timetable);
    return status;
}

static int parse(char *const argv[], struct rb_redistribution *problem, struct sup_error *error)
{
    struct rb_cyclic *const z = &problem->dimension[0];
    int64_t P, Q;
    if (sup_parse_int(argv[1], 1, RB_MAX_RANKS, &P, error) ||
        sup_parse_int(argv[2], 1, INT64_MAX, &z->r, error) ||
        sup_parse_int(argv[3], 1, RB_MAX_RANKS, &Q, error) ||
        sup_parse_int(argv[4], 1, INT64_MAX, &z->s, error) ||
        sup_parse_int(argv[5], 0, RB_MAX_ELEMENTS, &z->M, error))
        return RB_EINVAL;
    z->P = (int32_t)P;
    z->Q = (int32_t)Q;
    z->M = z->M > 0 ? z->M : redist_cyclic_slice(z);
    problem->dimensions = 1;
    problem->at = z->P;
    return RB_OK;
}

static int measure_all(const struct rb_redistribution *problem, const char *only,
                       struct sup_error *error)
{
    struct rb_traffic traffic;
    const clock_t start = clock();
    int status = rb_traffic_init(&traffic, problem, error->text, sizeof error->text);
    if (status != RB_OK)
        return status;
    printf("%zu messages, T_opt %" PRId64 " units of %" PRId64 " elements, in %.3f s\n",
           traffic.count, traffic.longest_port, traffic.unit, seconds_since(start));
    for (int i = 0; rb_redistribute_methods[i].name != NULL && status == RB_OK; i++)
        if (only == NULL || strcmp(only, rb_redistribute_methods[i].name) == 0)
            status = measure(&rb_redistribute_methods[i], problem, &traffic, error);
    rb_traffic_deinit(&traffic);
    return status;
}

int main(int argc, char *argv[])
{
    struct sup_error error = {0};
    struct rb_redistribution problem = {0};
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: %s P r Q s M [METHOD]\n", argv[0]);
        return 2;
    }
    int status = parse(argv, &problem, &error);
    if (status == RB_OK)
        status = measure_all(&problem, argc == 7 ? argv[6] : NULL, &error);
    if (status == RB_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", argv[0], error.text);
    return status == RB_EINVAL ? 2 : 3;
}
