/* page_sweep.h - a report of a results file: its points, curves, tables of tune, and sweeps. */
#ifndef PLOTS_REPORT_PAGE_SWEEP_H
#define PLOTS_REPORT_PAGE_SWEEP_H

#include <jansson.h>

#include "experiments/tune/tune.h"

struct page_sweep {
    struct tune_request tune; /* the results file, the filters, whose F is fitted */
    json_t *origin;           /* page_origin; taken over */
};

/* No more are embedded; the page says how many there are. */
enum { PAGE_MOST_POINTS = 30000, PAGE_MOST_SAMPLES = 200000, PAGE_MOST_TABLE_ROWS = 30000 };

/* The data of the page. *data is NULL on failure. A file whose points have all failed has a page of
 * them. Otherwise errors are tune_run's. */
int page_sweep_data(const struct page_sweep *sweep, json_t **data, struct sup_error *error);

#endif
