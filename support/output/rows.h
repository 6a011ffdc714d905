/* rows.h - JSON on a stream: a whole value, or an object whose last member is a long array,
 * written row by row, so that an export never holds more than one row; and such rows as csv. */
#ifndef SUPPORT_OUTPUT_ROWS_H
#define SUPPORT_OUTPUT_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct out_json_rows {
    FILE *stream;
    bool any;
};

/* Writes the members of head (a non-empty object) and opens the array `name`. Takes ownership of
 * head. Here and below write errors show in the stream. */
void out_json_rows_begin(struct out_json_rows *rows, FILE *stream, json_t *head, const char *name);
/* Writes one row and takes ownership of it. */
void out_json_rows_add(struct out_json_rows *rows, json_t *row);
/* Closes array and object. */
void out_json_rows_end(struct out_json_rows *rows);

/* Writes a whole value, indented, and takes it over; reals have `digits` digits, or all 17 if that
 * is 0. */
void out_json_print(FILE *stream, json_t *value, int digits);

/* What JSON has, for people: a member a line; below them members that are objects, and arrays of
 * objects as tables, of long ones the two ends. Names that end in _s are seconds, in bytes bytes.
 * Takes the value over. */
void out_json_details(json_t *value, FILE *stream);

/* A text from outside (the name of a file, a host, an experiment) as a JSON value. JSON requires
 * UTF-8; a text that is not UTF-8 is written as in tables, with its other bytes as \xff. */
json_t *out_json_text(const char *text);

/* Write an object's names, and its values, as a line of csv: numbers as in json; true and false are
 * 1 and 0, null is empty, a list of texts is separated by blanks. */
void out_csv_names(json_t *row, FILE *stream);
void out_csv_values(json_t *row, FILE *stream);

#endif
