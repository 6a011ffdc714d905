/* tune_filters.h - the options of tune and plot that choose points of a results file. */
#ifndef EXPERIMENTS_DECIDE_TUNE_FILTERS_H
#define EXPERIMENTS_DECIDE_TUNE_FILTERS_H

#include "experiments/decide/tune_curves.h"
#include "support/options/options.h"

/* The filters of point_filter_option that the command line gives, ended by parameter NULL; valid as
 * long as args. */
void tune_filters_of(const struct cli_args *args, struct tune_filter filters[POINT_PARAMETERS + 1]);

#endif
