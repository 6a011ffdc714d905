/* csv.h - text files by lines, and lines of tables by values (RFC 4180). */
#ifndef SUPPORT_CSV_H
#define SUPPORT_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

/* A text file, which is all in memory. */
struct sup_lines {
    const char *path;
    char *text; /* owned */
    char *next; /* what is not read yet; NULL at the end */
    char *line; /* the current line, without its end; the reader may change it */
    int32_t at; /* its number, from 1 */
};

/* Reads a file, or standard input for "-"; a mark of the byte order at its beginning is left out.
 * RB_EINVAL if it can't be opened or has a zero byte, as devices and other binary files do; RB_EIO.
 * The caller frees lines->text, also after a failure. */
int sup_lines_read(struct sup_lines *lines, const char *path, struct sup_error *error);
/* False at the end. */
bool sup_lines_next(struct sup_lines *lines);

/* Cuts the next value off a line: *rest is what stands behind it, NULL behind the last. The blanks
 * around the value and its quotes are taken away; a quoted value may hold no line end. NULL: wrong
 * quotes. */
char *sup_csv_value(char **rest, char separator);
/* Cuts a line into values, and returns how many there are, at most `most`, or one more if there are
 * more; -i: the i-th value, from 1, has wrong quotes. */
int32_t sup_csv_split(char *line, char separator, char *value[], int32_t most);

#endif
