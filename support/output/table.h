/* table.h - a typed table: its columns are described once, and its rows print as text, CSV or JSON.
 *
 * A row is an array of cells, one for each column, in the columns' order. What a cell holds is its
 * column's kind, so that a number is never formatted in two places. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

enum out_format { OUT_TEXT, OUT_CSV, OUT_JSON };

enum out_kind {
    OUT_WORD,    /* a text; NULL: none */
    OUT_COUNT,   /* a whole number; negative: none */
    OUT_WHOLE,   /* a whole number of either sign; INT64_MIN: none */
    OUT_TRUTH,   /* 0 or 1, in text "no" or "yes"; negative: none */
    OUT_BYTES,   /* a count of bytes; in text "64KiB" */
    OUT_REAL,    /* a real; NAN or infinite: none */
    OUT_SECONDS, /* a real; in text "1.2 ms" */
    OUT_RATIO,   /* a real; in text "1.250" */
    OUT_SHARE,   /* a real; in text in percent, "2.00 %" */
    OUT_PERCENT, /* a real; in text a hundred times as much, by its format */
};

/* What a member of a struct holds, from which a cell is taken. */
enum out_held {
    OUT_NOTHING, /* the caller fills the cell */
    OUT_CHARS,   /* a text within the struct; "": none */
    OUT_POINTER, /* a text that it points to; NULL or "": none */
    OUT_BOOL,
    OUT_INT32,
    OUT_INT64,
    OUT_SIZE,
    OUT_DOUBLE
};

/* In a column: its cells are this member of the rows' struct, or of the struct whose number among
 * several is the first argument. */
#define OUT_OF(type, member) OUT_OF_BASE(0, type, member)
#define OUT_OF_BASE(base_, type, member)                                                           \
    .base = (base_), .at = offsetof(type, member), .size = sizeof(((type *)0)->member),            \
    .held = _Generic(((type *)0)->member, char *                                                   \
                     : OUT_CHARS, const char *                                                     \
                     : OUT_POINTER, bool                                                           \
                     : OUT_BOOL, int32_t                                                           \
                     : OUT_INT32, int64_t                                                          \
                     : OUT_INT64, size_t                                                           \
                     : OUT_SIZE, double                                                           \
                     : OUT_DOUBLE)

union out_cell {
    const char *word; /* not owned; it must live until the row is printed */
    int64_t whole;    /* of OUT_COUNT, OUT_WHOLE, OUT_TRUTH, OUT_BYTES */
    double real;
};

enum { OUT_KEPT = -1 };

struct out_column {
    const char *name;    /* in CSV and JSON; NULL: the column is in text only */
    const char *heading; /* in text, of one or two lines; NULL: the column is not in text */
    enum out_kind kind;
    int width;        /* smallest width in text; negative: left-aligned; 0: as wide as the text */
    const char *real; /* of OUT_REAL, OUT_PERCENT in text: printf's format */
    int gap;          /* in text: blanks before the column; 0: the table's */
    bool same;        /* equal in all rows: in JSON it is beside the rows, not in them */
    bool optional;    /* in JSON: a row without a value omits the member instead of writing null */
    bool quoted;      /* in CSV: always in quotation marks */
    bool positive;    /* of a member: 0 is no value either */
    int less;         /* in text: where a line is too narrow for all columns, those with the largest
                       * number are left out first, together if it is above 0; of 0 the last;
                       * OUT_KEPT: never, and its text is whole as long as a column above 0 is shown */
    enum out_held held; /* these four by OUT_OF */
    unsigned base;
    size_t at, size;
};

#define OUT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct out_table {
    const struct out_column *columns;
    size_t width; /* number of columns */
    int gap;      /* blanks between columns in text; 0: one */
    int indent;   /* blanks before a line of text */
    bool silent;  /* no line of text names the columns that are left out */
    int digits;   /* of reals in CSV; 0: all 17 */
};

/* Fills the cells of columns with OUT_OF from these structs, of which NULL has no values; the
 * others stay as they are. */
void out_cells(const struct out_table *table, const void *const structs[], union out_cell cells[]);

/* From now on text is fitted to lines of this width: columns that do not fit are left out, and a
 * line before the headings names them; a text in the last column is continued on further lines,
 * in the middle of a word if it must; another one that is too long is cut off. 0, and at first:
 * nothing is fitted. The process has one standard output, so it has one width. */
void out_text_fit(int width);

/* A paragraph: it begins at the column `at` of a line, or at `from` if at is 0, and is continued,
 * where lines have a width, at the column `from`. Ends with a line end. */
void out_text_wrapped(int at, int from, const char *text, FILE *stream);

/* An entry of a list: behind `indent` blanks a name, "" for none, in a column of `width`
 * characters, and behind it, after `gap` blanks, a paragraph, which is continued there. */
void out_text_entry(int indent, int width, int gap, const char *name, FILE *stream,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The columns of a table's text from the first on, all of them or those of a screen, which a narrow
 * line does not leave out either (less 0), in `list`, and in `number` which of the table's each is.
 */
struct out_table out_text_columns(const struct out_table *table, size_t first, bool all,
                                  struct out_column list[], size_t number[]);

/* Text: the line, or two lines, of headings; a row. "-" means no value. */
void out_text_heading(const struct out_table *table, FILE *stream);
void out_text_row(const struct out_table *table, const union out_cell cells[], FILE *stream);
/* The text of a cell, in the buffer or in the cell itself. */
enum { OUT_CELL_SIZE = 64 };
const char *out_cell_text(const struct out_column *column, union out_cell cell,
                          char buffer[OUT_CELL_SIZE]);

/* CSV by RFC 4180: the line of names; a row, in which an empty field means no value. */
void out_csv_heading(const struct out_table *table, FILE *stream);
void out_csv_row(const struct out_table *table, const union out_cell cells[], FILE *stream);
/* A text, in quotation marks if it needs them. */
void out_csv_text(const char *text, FILE *stream);

/* A text within an element of HTML. */
void out_html_text(const char *text, FILE *stream);

/* Adds the cells to an object, and returns it. */
json_t *out_json_add(json_t *object, const struct out_table *table, const union out_cell cells[]);
/* A row as an object, and the columns that are equal in all rows as an object; the caller owns it.
 */
json_t *out_json_row(const struct out_table *table, const union out_cell cells[]);
json_t *out_json_same(const struct out_table *table, const union out_cell cells[]);

/* A real; null if it is infinite or NAN, which stand for none. */
json_t *out_json_real(double value);

/* A table that is written row by row in one of the formats. */
struct out_rows {
    const struct out_table *table;
    enum out_format format;
    FILE *stream;
    struct out_json_rows json;
};

/* Prints the heading. In JSON the rows are the member `name` of the object `head`, behind its other
 * members; head is a non-empty object, taken over, and read in JSON only. */
void out_rows_begin(struct out_rows *rows, const struct out_table *table, enum out_format format,
                    FILE *stream, json_t *head, const char *name);
void out_rows_add(struct out_rows *rows, const union out_cell cells[]);
/* Write errors show in the stream. */
void out_rows_end(struct out_rows *rows);
