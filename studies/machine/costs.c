/* costs.c - the parameters of the registered costs (machine.h). */
#include "studies/machine/machine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/units.h"

static const struct mach_cost *const costs[] = {
#define MACH_COST(name) &name,
#include "studies/machine/list.h"
};
enum { COSTS = sizeof costs / sizeof *costs };

static struct mach_parameter parameters[MACH_PARAMETERS];
static int32_t first_of[COSTS + 1], parameter_count; /* of each cost */
static int32_t cost_of[PATH_KINDS];                  /* number of the cost of a path's terms */

static void add(const struct mach_cost *cost, int knot)
{
    assert(parameter_count < MACH_PARAMETERS);
    struct mach_parameter *parameter = &parameters[parameter_count++];
    *parameter = (struct mach_parameter){.usual = cost->usual,
                                         .per_message = cost->per_message,
                                         .first = knot == 0,
                                         .bytes = cost->knot[knot]};
    char size[32];
    if (parameter->bytes > 0)
        snprintf(parameter->name, sizeof parameter->name, "%s %s", cost->name,
                 sup_format_bytes((int64_t)parameter->bytes, size, sizeof size));
    else
        snprintf(parameter->name, sizeof parameter->name, "%s", cost->name);
}

const struct mach_parameter *mach_parameters(int32_t *count)
{
    for (int32_t i = 0; i < COSTS && first_of[COSTS] == 0; i++) {
        first_of[i] = parameter_count;
        add(costs[i], 0);
        for (int knot = 1; knot < MACH_KNOTS && costs[i]->knot[knot] > 0; knot++)
            add(costs[i], knot);
        if (costs[i]->of_path)
            cost_of[costs[i]->kind] = i;
    }
    first_of[COSTS] = parameter_count;
    *count = parameter_count;
    return parameters;
}

/* The two knots around a size and the weight of the upper one; both are the same beyond the ends.
 */
static void around(int32_t cost, double bytes, int32_t *low, int32_t *high, double *weight)
{
    const int32_t end = first_of[cost + 1];
    *low = first_of[cost];
    while (*low + 1 < end && parameters[*low + 1].bytes <= bytes)
        ++*low;
    *high = *low + 1 < end && bytes > parameters[*low].bytes ? *low + 1 : *low;
    *weight = *high == *low ? 0
                            : log(bytes / parameters[*low].bytes) /
                                  log(parameters[*high].bytes / parameters[*low].bytes);
}

double mach_costs_at(const double value[], enum path_kind kind, double bytes)
{
    int32_t count, low, high;
    double weight;
    mach_parameters(&count);
    around(cost_of[kind], bytes, &low, &high, &weight);
    return (1 - weight) * value[low] + weight * value[high];
}

static void add_units(int32_t number, double units, double bytes, double cost[])
{
    int32_t low, high;
    double weight;
    around(number, bytes, &low, &high, &weight);
    cost[low] += (1 - weight) * units;
    cost[high] += weight * units;
}

void mach_costs_engine(double time_s, double cost[])
{
    int32_t count;
    mach_parameters(&count);
    memset(cost, 0, (size_t)count * sizeof *cost);
    cost[count - 1] = time_s;
}

void mach_costs_row(const struct path *path, const struct rows_row *row, double cost[])
{
    int32_t count;
    mach_parameters(&count);
    memset(cost, 0, (size_t)count * sizeof *cost);
    for (int32_t i = 0; i < path->count; i++)
        add_units(cost_of[path->term[i].kind], path->term[i].weight, path->term[i].bytes, cost);
    for (int32_t i = 0; i < COSTS; i++) {
        double bytes = 0;
        if (costs[i]->units != NULL) {
            const double units = costs[i]->units(row, &bytes);
            add_units(i, units, bytes, cost);
        }
    }
}
