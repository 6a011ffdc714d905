/* costs.c - the parameters of a machine (costs.h). */
#include "measurements/machine/costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/units.h"

enum { KNOTS = 6 };

struct curve {
    const char *name;
    double usual; /* of a machine with a 100 Gbit/s network in 2020; only where a fit starts */
    bool per_message;
    double knot[KNOTS]; /* bytes, rising; 0: none */
};

static const struct curve curves[PATH_KINDS] = {
    [PATH_LATENCY] = {"latency", 2e-6, true, {256, 4096, 16384, 65536}},
    [PATH_OVERHEAD] = {"overhead", 3e-7, true, {4096}},
    [PATH_BYTES] = {"byte", 6e-11, false, {4096, 65536, 1048576, 16777216, 268435456}},
    [PATH_EXCHANGED] = {"byte of an exchange",
                        7e-11,
                        false,
                        {4096, 65536, 1048576, 16777216, 268435456}},
    [PATH_PACKED] = {"byte packed", 5e-11, false, {65536, 4194304, 67108864}},
    [PATH_HOST_LATENCY] = {"latency in a host", 6e-7, true, {256, 4096, 16384, 65536}},
    [PATH_HOST_BYTES] = {"byte in a host",
                         1.5e-10,
                         false,
                         {4096, 65536, 1048576, 16777216, 268435456}},
    [PATH_COMBINED] = {"byte combined",
                       2e-10,
                       false,
                       {4096, 65536, 524288, 4194304, 33554432, 268435456}},
    [PATH_COPIED] = {"byte copied", 1e-10, false, {65536, 4194304, 67108864}},
};

static struct mach_parameter parameters[MACH_PARAMETERS];
static int32_t first_of[PATH_KINDS + 1], parameter_count; /* of each kind */

static void add(enum path_kind kind, const char *name, double bytes, double usual, bool per_message,
                bool first)
{
    struct mach_parameter *parameter = &parameters[parameter_count++];
    *parameter = (struct mach_parameter){
        .kind = kind, .bytes = bytes, .usual = usual, .per_message = per_message, .first = first};
    if (bytes > 0) {
        char size[32];
        snprintf(parameter->name, sizeof parameter->name, "%s %s", name,
                 sup_format_bytes((int64_t)bytes, size, sizeof size));
    } else {
        snprintf(parameter->name, sizeof parameter->name, "%s", name);
    }
}

const struct mach_parameter *mach_parameters(int32_t *count)
{
    if (parameter_count == 0) {
        for (int kind = 0; kind < PATH_KINDS; kind++) {
            first_of[kind] = parameter_count;
            for (int i = 0; i < KNOTS && curves[kind].knot[i] > 0; i++)
                add((enum path_kind)kind, curves[kind].name, curves[kind].knot[i],
                    curves[kind].usual, curves[kind].per_message, i == 0);
        }
        first_of[PATH_KINDS] = parameter_count;
        add(PATH_KINDS, "skew", 0, 2e-6, true, true);
        add(PATH_KINDS, "skew per doubling of p", 0, 3e-7, true, true);
    }
    *count = parameter_count;
    return parameters;
}

/* The two knots around a size and the weight of the upper one; both are the same beyond the ends.
 */
static void around(enum path_kind kind, double bytes, int32_t *low, int32_t *high, double *weight)
{
    int32_t count;
    mach_parameters(&count);
    *low = first_of[kind];
    while (*low + 1 < first_of[kind + 1] && parameters[*low + 1].bytes <= bytes)
        ++*low;
    *high = *low + 1 < first_of[kind + 1] && bytes > parameters[*low].bytes ? *low + 1 : *low;
    *weight = *high == *low ? 0
                            : log(bytes / parameters[*low].bytes) /
                                  log(parameters[*high].bytes / parameters[*low].bytes);
}

double mach_costs_at(const double value[], enum path_kind kind, double bytes)
{
    int32_t low, high;
    double weight;
    around(kind, bytes, &low, &high, &weight);
    return (1 - weight) * value[low] + weight * value[high];
}

void mach_costs_row(const struct path *path, double copied_bytes, int32_t p, double row[])
{
    const struct path_term copied = {PATH_COPIED, copied_bytes, copied_bytes};
    int32_t count;
    mach_parameters(&count);
    memset(row, 0, (size_t)count * sizeof *row);
    for (int32_t i = 0; i <= path->count; i++) {
        const struct path_term *term = i < path->count ? &path->term[i] : &copied;
        int32_t low, high;
        double weight;
        around(term->kind, term->bytes, &low, &high, &weight);
        row[low] += (1 - weight) * term->weight;
        row[high] += weight * term->weight;
    }
    row[count - 2] = 1;
    row[count - 1] = log2((double)p);
}
