/* tune_filters.h - the options of tune and plot that choose points of a results file. */
#ifndef RB_EXPERIMENTS_TUNE_TUNE_FILTERS_H
#define RB_EXPERIMENTS_TUNE_TUNE_FILTERS_H

#include "command/options/options.h"
#include "experiments/tune/tune_curves.h"

/* The filters that were given of those of point_filter_option, ended by parameter NULL; valid as
 * long as args. */
void rb_filters_of(const struct rb_args *args, struct rb_filter filters[POINT_PARAMETERS + 1]);

#endif
