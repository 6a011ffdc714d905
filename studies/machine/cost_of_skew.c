/* cost_of_skew.c - what a measurement adds: ranks begin and end at different times. */
#include <math.h>

#include "studies/machine/machine.h"

static double once(const struct rows_row *row, double *bytes)
{
    (void)row;
    (void)bytes;
    return 1;
}

const struct mach_cost mach_skew = {
    .name = "skew", .usual = 2e-6, .per_message = true, .units = once};

static double doublings(const struct rows_row *row, double *bytes)
{
    (void)bytes;
    return log2((double)row->p);
}

const struct mach_cost mach_rank_skew = {
    .name = "skew per doubling of p", .usual = 3e-7, .per_message = true, .units = doublings};
