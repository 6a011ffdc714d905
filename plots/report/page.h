/* page.h - a report as one HTML file that needs nothing else: no network, no second file.
 *
 * report.html names the style sheet and the scripts beside it; page_write puts their contents in
 * their places, and the data, as JSON, behind them. What the data say reaches the reader as text
 * only: the scripts never make HTML of it, JSON can't end its element, and the page's policy lets
 * the browser run the page's own scripts alone. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "experiments/decide/compare.h"
#include "experiments/decide/tune.h"
#include "plots/figure/plot.h"
#include "sim/observe/diagnosis.h"
#include "support/error.h"

/* What made the page, for its last section: the program's version, this command with its words
 * (ends with NULL), the host, and the time. */
json_t *page_origin(const char *verb, char *const words[]);

/* A command of this program, as a shell reads it. The caller frees it. */
char *page_command(const char *verb, char *const words[]);
/* Begins a page of paragraphs and tables alone: the head with the style sheet of all pages, and the
 * element `main`, which ends with the page. RB_EFAILED, as below. */
int page_begin(FILE *stream, const char *title, struct sup_error *error);

/* Writes the page that shows these data, an object with the member `kind`; takes the data over.
 * RB_EFAILED if the page's own files can't be read; write errors show in the stream. */
int page_write(FILE *stream, json_t *data, struct sup_error *error);

/* ---- A simulated run: its messages, links and diagnosis (page_run.c) ------------------------- */

struct page_run {
    json_t *simulated; /* what simulate prints as JSON; taken over */
    json_t *origin;    /* page_origin; taken over */
    /* The run itself; recording NULL: there is only what simulate has printed. */
    const struct sim_spec *spec;
    const struct sim_result *result;
    const struct obs_recording *recording; /* closed */
    const struct obs_critical_path *path;  /* of this recording */
    json_t *map; /* the network with its loads, as network.js draws it; taken over; or NULL */
};

/* More messages are not embedded: then those received by each second, third, ... rank are, and
 * those of the critical path; and so are no more links over time, of each level the busiest. */
enum { PAGE_MOST_MESSAGES = 150000, PAGE_MOST_LINKS = 240, PAGE_MOST_LINK_ROWS = 1000 };
/* Of more ranks, or steps of the critical path, each second, third, ... is embedded. */
enum { PAGE_MOST_ROWS = 20000 };

/* The data of the page. */
json_t *page_run_data(const struct page_run *run);

/* The data of the page of a workload: what simulate prints as JSON, steps and map as
 * diag_program_json and diag_network_map_json make them (map may be NULL), all taken over;
 * contention may be NULL. */
json_t *page_workload_data(json_t *simulated, json_t *origin, json_t *steps,
                           const struct sim_contention *contention, json_t *map);

/* The data of a page about what `simulate --format json` printed to this file. RB_EINVAL with a
 * message if it is something else; takes the origin over. */
int page_run_read(const char *path, json_t *origin, json_t **data, struct sup_error *error);

/* ---- A results file: its points, curves, tables of tune, and sweeps (page_sweep.c) ----------- */

struct page_sweep {
    struct decide_tune_request tune; /* the results file, the filters, whose F is fitted */
    json_t *origin;                  /* page_origin; taken over */
    const struct decide_comparison *comparison; /* of this file with an older one; NULL: none */
    const struct plot_drawn *drawn; /* figures beside the page, with these pictures; NULL: none */
    unsigned pictures;
};

/* No more are embedded; the page says how many there are. */
enum { PAGE_MOST_POINTS = 30000, PAGE_MOST_SAMPLES = 200000, PAGE_MOST_TABLE_ROWS = 30000 };

/* The data of the page. *data is NULL on failure. A file whose points have all failed has a page of
 * them. Otherwise errors are decide_tune_run's. */
int page_sweep_data(const struct page_sweep *sweep, json_t **data, struct sup_error *error);
