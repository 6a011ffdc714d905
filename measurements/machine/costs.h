/* costs.h - the parameters of a machine: what a message, a byte, an operand cost by size.
 *
 * A cost is one const descriptor in a file of this folder and one line of list.h; the fit, the
 * forecasts and the tables know only the parameters that follow from the list. Each cost is a curve
 * through a few knots, linear between them in the logarithm of the size and constant beyond, so
 * that it follows changes of protocol and the levels of the caches. The parameters are the curves'
 * values at the knots. The time of a row is linear in them. */
#ifndef MEASUREMENTS_MACHINE_COSTS_H
#define MEASUREMENTS_MACHINE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "experiments/rows/rows.h"
#include "measurements/path/path.h"

enum { MACH_KNOTS = 6 };

struct mach_cost {
    const char *name; /* in tables; behind it comes the knot, "latency 64KiB" */
    double usual;     /* in seconds, of a machine with a 100 Gbit/s network in 2020; where a fit
                       * starts, and stays if the rows say nothing */
    bool per_message; /* a start-up or a constant; otherwise it is per byte */
    double knot[MACH_KNOTS]; /* bytes, rising, then 0; none: the cost is the same for all sizes */
    bool of_path;            /* terms of a row's critical path cost this: */
    enum path_kind kind;     /* those of this kind */
    /* How many units of the cost a row has besides, each of *bytes bytes, which is 0 at first.
     * NULL: none. */
    double (*units)(const struct rows_row *row, double *bytes);
};

#define MACH_COST(name) extern const struct mach_cost name;
#include "measurements/machine/list.h"
#undef MACH_COST

enum { MACH_PARAMETERS = 48 }; /* parameters of all costs, at most */

struct mach_parameter {
    double usual;     /* as its cost */
    bool per_message; /* as its cost */
    bool first;       /* the first knot of its cost */
    double bytes;     /* the knot; 0: none */
    char name[40];    /* "latency 64KiB" */
};

/* All of them; the same table every time. */
const struct mach_parameter *mach_parameters(int32_t *count);

/* The cost of one unit of a path's kind at this size, by the parameters' values. */
double mach_costs_at(const double value[], enum path_kind kind, double bytes);

/* A row of the design matrix: the time of a measured row with this path is the sum of
 * cost[k] value[k]. Room for all parameters. */
void mach_costs_row(const struct path *path, const struct rows_row *row, double cost[]);

#endif
