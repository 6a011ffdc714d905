/* json_rows.h - a JSON object whose last member is a long array, written row by row: an export
 * never holds more than one row. */
#ifndef RB_EXPERIMENTS_JSON_ROWS_H
#define RB_EXPERIMENTS_JSON_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct rb_json_rows {
    FILE *stream;
    bool failed; /* out of memory; write errors show in the stream */
    bool any;
};

/* Writes the members of head (a non-empty object) and opens the array called name. Takes head over;
 * NULL counts as out of memory. */
void rb_json_rows_begin(struct rb_json_rows *rows, FILE *stream, json_t *head, const char *name);
/* Writes one row and takes it over. */
void rb_json_rows_add(struct rb_json_rows *rows, json_t *row);
/* Closes array and object. 0 or RB_ENOMEM. */
int rb_json_rows_end(struct rb_json_rows *rows);

#endif
