/* diagnosis_report.h - a diagnosis as table, csv and json; docs/formats.md names the fields. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "sim/observe/diagnosis.h"
#include "support/output/verdict.h"

struct diag_subject {
    const struct sim_spec *spec;
    const struct sim_result *result;
    const struct obs_diagnosis *diagnosis;
};

/* The parts of the critical path's time due to alpha, to beta, and to neither. With several ranks
 * per host alpha and beta may be those of a message inside a host; then the parts are NAN. */
struct diag_shares {
    double alpha_s, beta_s, rest_s;
};

/* Says what bounds the time (diagnosis_report.c): the largest part of the critical path, with the
 * rank that sends most of it, and the busiest link if the result has DIAG_LINKS links. Nothing of a
 * run without messages. */
enum { DIAG_LINKS = 8 }; /* some of them may be loopbacks, which nobody shares */
void diag_verdict(const struct diag_subject *diagnosed, struct out_verdict *verdict);

/* The caller owns it. */
json_t *diag_json(const struct diag_subject *diagnosed);
/* One row per rank. */
void diag_csv(const struct diag_subject *diagnosed, FILE *stream);
/* For people: the pipeline; with details also ranks and the critical path, of a long one both ends.
 */
void diag_table(const struct diag_subject *diagnosed, bool details, FILE *stream);
