/* page.h - a report as one HTML file that needs nothing else: no network, no second file.
 *
 * report.html names the style sheet and the scripts beside it; page_write puts their contents in
 * their places, and the data, as JSON, behind them. What the data say reaches the reader as text
 * only: the scripts never make HTML of it, JSON can't end its element, and the page's policy lets
 * the browser run the page's own scripts alone. */
#ifndef PLOTS_REPORT_PAGE_H
#define PLOTS_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "support/error.h"

/* What made the page, for its last section: the program's version, this command with its words
 * (ends with NULL), the host, and the time. NULL: no memory. */
json_t *page_origin(const char *verb, char *const words[]);

/* Writes the page that shows these data, an object with the member `kind`; takes the data over.
 * RB_ENOMEM if they are NULL, RB_EFAILED if the page's own files can't be read; write errors show
 * in the stream. */
int page_write(FILE *stream, json_t *data, struct sup_error *error);

#endif
