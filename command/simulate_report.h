/* simulate_report.h - prints one simulated point. */
#ifndef COMMAND_SIMULATE_REPORT_H
#define COMMAND_SIMULATE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "experiments/point/point.h"
#include "sim/observe/diagnosis.h"
#include "support/options/common_options.h"
#include "support/output/verdict.h"

struct verb_simulated {
    const struct point *point; /* with the chosen n */
    const struct point_run *run;
    const struct point_outcome *outcome;
    const char *n_origin;                  /* where n comes from: "given", "closed-form optimum" */
    const struct obs_diagnosis *diagnosis; /* NULL: not requested */
    const struct out_verdict *verdict;     /* NULL: not requested */
};

/* The lines over the table: the plan, the platform, and the engine. */
struct verb_simulated_lines {
    char plan[512], platform[512], engine[128];
};
void verb_simulated_lines(const struct verb_simulated *simulated,
                          struct verb_simulated_lines *lines);

/* What is printed as JSON, an object; the caller owns it. */
json_t *verb_simulated_json(const struct verb_simulated *simulated);

void verb_print_simulated(const struct verb_simulated *simulated, enum out_format format,
                          FILE *stream);

#endif
