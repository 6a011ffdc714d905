/* visible.h - makes text from files, databases and options safe to display: bytes that a terminal
 * or gnuplot would not treat as characters are written in the form \x1b. */
#ifndef SUPPORT_VISIBLE_H
#define SUPPORT_VISIBLE_H

#include <stddef.h>

/* The length in bytes, 1 to 4, of the first character if it can be displayed unchanged; 0 if it
 * cannot: a control character, a mark that changes the direction of writing, a line separator, or
 * invalid UTF-8. *lacks is set if the text ends within a character. */
size_t sup_visible_bytes(const char *text, size_t size, int *lacks);

/* Writes the text to buffer, with each byte that cannot be displayed as \xNN; a text that is too
 * long is cut off between characters. Backslashes are not changed, so that visible text stays the
 * same. Returns buffer. */
const char *sup_visible(const char *text, char *buffer, size_t size);

#endif
