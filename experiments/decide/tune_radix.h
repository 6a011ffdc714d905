/* tune_radix.h - finds the radix with the smallest closed form for each p, m and number of ports,
 * on a machine with one start-up and one time per byte. */
#ifndef EXPERIMENTS_DECIDE_TUNE_RADIX_H
#define EXPERIMENTS_DECIDE_TUNE_RADIX_H

#include "experiments/decide/tune_table.h"
#include "experiments/point/known_platform.h"
#include "roundabout.h"

struct decide_tune_radix_request {
    const struct rb_algorithm_info *algorithm; /* one that has a radix */
    const struct sup_list *p, *m_bytes, *ports;
    const struct point_known_platform *platform; /* its alpha and beta are the machine's */
};

struct decide_tune_radix_result {
    struct decide_curves data; /* a setting per number of ports, and no curves */
    struct decide_tune_table table;
};

/* A row for each p, m and number of ports. RB_EINVAL if there is no such plan, RB_ENOMEM. The
 * caller frees tuning, also on failure; the platform's texts must live as long. */
int decide_tune_radix_run(const struct decide_tune_radix_request *request,
                          struct decide_tune_radix_result *tuning, struct sup_error *error);
void decide_tune_radix_result_free(
    struct decide_tune_radix_result *tuning); /* safe on a zeroed struct */

#endif
