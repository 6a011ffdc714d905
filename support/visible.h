/* visible.h - text that others wrote (names in files, databases and options), fit to be shown: what
 * a terminal, or gnuplot, would take for anything but a character is written as \x1b. */
#ifndef SUPPORT_VISIBLE_H
#define SUPPORT_VISIBLE_H

#include <stddef.h>

/* The bytes of the character that text begins with, 1 to 4, if it can be shown as it is; 0 if its
 * first byte can't: a control character, a mark that turns the direction of writing, a separator of
 * lines, or no UTF-8. *lacks is set if it is a character's beginning, and size ends before the
 * rest. */
size_t sup_visible_bytes(const char *text, size_t size, int *lacks);

/* The text with each other byte as \xNN, into buffer; what doesn't fit is cut, between characters.
 * Backslashes stay as they are, so that visible text doesn't change. Returns buffer. */
const char *sup_visible(const char *text, char *buffer, size_t size);

#endif
