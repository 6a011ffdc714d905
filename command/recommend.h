/* recommend.h - what the verb recommend asks of a program (docs/recommend.md). */
#ifndef COMMAND_RECOMMEND_H
#define COMMAND_RECOMMEND_H

#include "experiments/point/point.h"
#include "mpi/vendors/rules/rules.h"
#include "support/options/options.h"

struct verb_recommend_workload {
    const char *file;
    const struct point_known_platform *platform;
    const struct rules_format *format;
    const char *base; /* of the rules; NULL: none */
    int32_t nodes;    /* of the platform, that it may have */
    double budget_s;  /* of the search */
};

/* recommend --workload. */
int verb_recommend_for_workload(const struct cli_args *args,
                                const struct verb_recommend_workload *asked);

#endif
