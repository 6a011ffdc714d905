/* diagnosis_report.h - a diagnosis as table, csv and json; docs/formats.md names the fields. */
#ifndef RB_EXPERIMENTS_DIAGNOSIS_DIAGNOSIS_REPORT_H
#define RB_EXPERIMENTS_DIAGNOSIS_DIAGNOSIS_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/observe/diagnosis.h"

struct rb_diagnosed {
    const struct rb_sim_spec *spec;
    const struct rb_sim_result *result;
    const struct rb_diagnosis *diagnosis;
};

/* NULL: no memory. */
json_t *rb_diagnosis_json(const struct rb_diagnosed *diagnosed);
/* One row per rank. */
void rb_diagnosis_csv(const struct rb_diagnosed *diagnosed, FILE *stream);
/* For people; of a long critical path both ends. */
void rb_diagnosis_table(const struct rb_diagnosed *diagnosed, FILE *stream);

#endif
