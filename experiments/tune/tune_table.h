/* tune_table.h - a table of results: aligned text, CSV or JSON from the same cells.
 *
 * In text, rows stand under a heading that names their setting; in CSV and JSON the setting's
 * columns come first (docs/tune.md). */
#ifndef RB_EXPERIMENTS_TUNE_TUNE_TABLE_H
#define RB_EXPERIMENTS_TUNE_TUNE_TABLE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "experiments/tune/tune_curves.h"

enum rb_cell_kind {
    RB_CELL_WORD,    /* text */
    RB_CELL_COUNT,   /* a whole number; negative: none */
    RB_CELL_BYTES,   /* likewise, of bytes */
    RB_CELL_SECONDS, /* a real; NAN: none */
    RB_CELL_RATIO,   /* a real, 1.25; NAN: none */
    RB_CELL_SHARE,   /* a real, shown in percent as text, 0.02; NAN: none */
    RB_CELL_TRUTH,   /* 0 or 1 */
};

struct rb_table_column {
    const char *name;    /* in CSV and JSON */
    const char *heading; /* as text */
    enum rb_cell_kind kind;
};

union rb_cell {
    const char *word; /* not owned; NULL: none */
    int64_t whole;
    double real;
};

struct tune_table {
    const char *name;                      /* member of the JSON object, value of --what */
    const char *title;                     /* one line over the text */
    const struct rb_table_column *columns; /* ends with name NULL */
    size_t width;                          /* number of columns */
    union rb_cell *cells;                  /* row by row, owned */
    size_t *settings;                      /* of each row; RB_ALL_SETTINGS: several together */
    size_t rows;
};
#define RB_ALL_SETTINGS SIZE_MAX

/* Adds a row of table->width cells. 0 or RB_ENOMEM. */
int rb_table_add(struct tune_table *table, size_t setting, const union rb_cell cells[]);
void rb_table_free(struct tune_table *table);

/* Write errors show in the stream. */
void rb_table_text(const struct tune_table *table, const struct rb_curves *data, FILE *stream);
void rb_table_csv(const struct tune_table *table, const struct rb_curves *data, FILE *stream);
/* An array of objects; the caller owns it. NULL: out of memory. */
json_t *rb_table_json(const struct tune_table *table, const struct rb_curves *data);

#endif
