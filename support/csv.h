/* csv.h - text files by lines, and lines of tables by values (RFC 4180). */
#pragma once

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

/* What files say of ranks. */
struct sup_rank_lines {
    const char *columns; /* of each line: "RANK,TIME"; or "FROM,TO,BYTES", of two ranks */
    int32_t ranks;       /* how many there are; RB_MAX_RANKS: not known */
    bool once;           /* no rank comes twice */
    /* Called for each line, with the text of the last value. */
    int (*take)(void *context, const int32_t rank[2], const char *text, struct sup_error *error);
    void *context;
};
/* Reads such a file; leaves out blank lines, those that begin with #, and a heading. The hash,
 * unless that is NULL, is of the file's content. Messages, also those of `take`, begin with the
 * file's name and line. Errors of sup_lines_read and `take`. O(the file + ranks). */
int sup_rank_lines_read(const char *path, const struct sup_rank_lines *of, uint64_t *hash,
                        struct sup_error *error);

/* Whole numbers from 0 to 2^62 in lines of equal length, separated by commas, semicolons or blanks:
 * what the rank of a line has for the rank of a column. Their sum is at most 2^62. */
struct sup_matrix {
    int32_t rows, columns; /* 1 or more */
    int32_t end;           /* the last line */
    int64_t *value;        /* value[row columns + column], owned */
    int64_t sum;           /* 1 or more */
    uint64_t hash;         /* of the file's content */
};
/* Reads such a file; leaves out blank lines and those that begin with #. Messages begin with the
 * file's name, line and column (the how manieth value of the line, from 1). RB_EINVAL, RB_EIO. The
 * caller frees the values, also after a failure. O(the file). */
int sup_matrix_read(const char *path, struct sup_matrix *matrix, struct sup_error *error);

/* RB_EINVAL if the hash of a file's content is not the one that is known. */
int sup_check_hash(const char *path, uint64_t known, uint64_t found, struct sup_error *error);
