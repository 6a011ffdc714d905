/* diagnosis_report.h - a diagnosis as table, csv and json; docs/formats.md names the fields. */
#ifndef INSPECTION_DIAGNOSIS_DIAGNOSIS_REPORT_H
#define INSPECTION_DIAGNOSIS_DIAGNOSIS_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sim/observe/diagnosis.h"

struct diag_subject {
    const struct sim_spec *spec;
    const struct sim_result *result;
    const struct obs_diagnosis *diagnosis;
};

/* The caller owns it. */
json_t *diag_json(const struct diag_subject *diagnosed);
/* One row per rank. */
void diag_csv(const struct diag_subject *diagnosed, FILE *stream);
/* For people; of a long critical path both ends. */
void diag_table(const struct diag_subject *diagnosed, FILE *stream);

#endif
