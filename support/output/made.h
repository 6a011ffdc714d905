/* made.h - which files Roundabout made, told by what they carry: a mark of ours, or what only our
 * tables and databases begin with. */
#ifndef SUPPORT_OUTPUT_MADE_H
#define SUPPORT_OUTPUT_MADE_H

#include <stdbool.h>

/* What our marks have in common: each kind of file has one line, or bytes, at one place (made.c).
 */
#define OUT_MADE_MARK "made by roundabout"

/* True if the file may be replaced without loss: it is empty, carries the mark of its
 * kind at its place, is a table or trace
 * that begins with the same line as the new file `instead` (may be NULL), has the same bytes, or is
 * what gnuplot drew by our script beside it. False as well if it cannot be read. */
bool out_made_by_us(const char *path, const char *instead);

/* Appends the mark to a picture (.pdf, .png, .svg) or a file for LaTeX (.tex, .sty), in the form of
 * a comment of its format. Nothing happens to other files. False, with errno, if it cannot be
 * written. */
bool out_made_mark(const char *path);

#endif
