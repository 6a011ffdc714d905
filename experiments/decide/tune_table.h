/* decide_tune_table.h - a table of results: aligned text, CSV or JSON from the same cells.
 *
 * In text, rows stand under a heading that names their setting; in CSV and JSON the setting's
 * columns come first (docs/tune.md). */
#ifndef EXPERIMENTS_DECIDE_TUNE_TABLE_H
#define EXPERIMENTS_DECIDE_TUNE_TABLE_H

#include "experiments/decide/curves.h"
#include "support/output/table.h"

struct decide_tune_table {
    const char *name;  /* member of the JSON object, value of --what */
    const char *title; /* one line over the text */
    const struct out_column *columns;
    size_t width;          /* number of columns */
    union out_cell *cells; /* row by row, owned */
    size_t *settings;      /* of each row; DECIDE_TUNE_ALL_SETTINGS: several together */
    size_t rows;
};
#define DECIDE_TUNE_ALL_SETTINGS SIZE_MAX

/* Adds a row of table->width cells. */
void decide_tune_table_add(struct decide_tune_table *table, size_t setting,
                           const union out_cell cells[]);
/* The cell of the column of this name; NULL: there is no such column. */
const union out_cell *decide_tune_cell(const struct decide_tune_table *table, size_t row,
                                       const char *name);
void decide_tune_table_free(struct decide_tune_table *table);

/* Write errors show in the stream. */
void decide_tune_table_text(const struct decide_tune_table *table, const struct decide_curves *data,
                            FILE *stream);
void decide_tune_table_csv(const struct decide_tune_table *table, const struct decide_curves *data,
                           FILE *stream);
/* An array of objects; the caller owns it. */
json_t *decide_tune_table_json(const struct decide_tune_table *table,
                               const struct decide_curves *data);

#endif
