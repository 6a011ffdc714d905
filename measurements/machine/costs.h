/* costs.h - the parameters of a machine: what a message, a byte, an operand cost by size.
 *
 * Each cost is a curve through a few knots, linear between them in the logarithm of the size and
 * constant beyond, so that it follows changes of protocol and the levels of the caches. The
 * parameters are the curves' values at the knots, and two for what a measurement adds. The time of
 * a path is linear in them. */
#ifndef MEASUREMENTS_MACHINE_COSTS_H
#define MEASUREMENTS_MACHINE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "measurements/path/path.h"

enum { MACH_PARAMETERS = 48 }; /* parameters */

struct mach_parameter {
    enum path_kind kind; /* PATH_KINDS: what the measurement adds */
    double bytes;        /* the knot */
    double usual;        /* where a fit starts, and stays if the rows say nothing */
    bool per_message;    /* a start-up or a constant; otherwise it is per byte */
    bool first;          /* the first knot of its kind */
    char name[40];       /* "latency 64KiB" */
};

/* All of them; the same table every time. */
const struct mach_parameter *mach_parameters(int32_t *count);

/* The cost of one unit of a kind at this size, by the parameters' values. */
double mach_costs_at(const double value[], enum path_kind kind, double bytes);

/* A path's row of the design matrix: its time is the sum of row[k] value[k]. `copied` bytes are
 * copied in addition; p is the number of ranks. row has room for all parameters. */
void mach_costs_row(const struct path *path, double copied_bytes, int32_t p, double row[]);

#endif
