/* audit_predicted.h - the points of an audit by predictions of a machine that was fitted to
 * measured collectives. */
#ifndef AUDIT_AUDIT_PREDICTED_H
#define AUDIT_AUDIT_PREDICTED_H

#include "audit/audit_decider.h"
#include "measurements/predict/models.h"
#include "support/units.h"

/* What to predict. */
struct audit_prediction {
    struct predict_model *model;
    const struct rows_row *like; /* a row of the machine and library, which says how it is run */
    const char *collective;
    const struct sup_list *p, *m_bytes;
    int32_t ppn;
};

/* Adds a point for each p and m that has a rule: the decision, and the library's algorithms,
 * unsegmented and with segments of powers of two. The spread of a choice is the interval of its
 * prediction. RB_ENOMEM, and errors of the model. */
int audit_predict(struct audit *audit, const char *source, const struct audit_decider *decider,
                  const struct audit_prediction *prediction, struct audit_left_out *left_out,
                  struct sup_error *error);

#endif
