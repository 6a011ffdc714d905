/* page_run.h - a report of one simulated run: its messages, links and diagnosis. */
#ifndef PLOTS_REPORT_PAGE_RUN_H
#define PLOTS_REPORT_PAGE_RUN_H

#include <jansson.h>

#include "sim/observe/diagnosis.h"

struct page_run {
    json_t *simulated; /* what simulate prints as JSON; taken over */
    json_t *origin;    /* page_origin; taken over */
    /* The run itself; recording NULL: there is only what simulate has printed. */
    const struct sim_spec *spec;
    const struct sim_result *result;
    const struct obs_recording *recording; /* closed */
    const struct obs_critical_path *path;  /* of this recording */
};

/* More messages are not embedded: then those received by each second, third, ... rank are, and
 * those of the critical path; and so are no more links over time, of each level the busiest. */
enum { PAGE_MOST_MESSAGES = 150000, PAGE_MOST_LINKS = 240, PAGE_MOST_LINK_ROWS = 1000 };
/* Of more ranks, or steps of the critical path, each second, third, ... is embedded. */
enum { PAGE_MOST_ROWS = 20000 };

/* The data of the page. *data is NULL on failure. RB_ENOMEM. */
int page_run_data(const struct page_run *run, json_t **data, struct sup_error *error);

/* The data of a page about what `simulate --format json` printed to this file. RB_EINVAL with a
 * message if it is something else, RB_ENOMEM; takes the origin over. */
int page_run_read(const char *path, json_t *origin, json_t **data, struct sup_error *error);

#endif
