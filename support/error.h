/* error.h - a message of one line for the user, built where the user's input is read. */
#pragma once

#include <stddef.h>

struct sup_error {
    char text[512];
};

/* Writes the message and returns status, so that a caller can say return sup_fail(error, RB_EINVAL,
 * "..."). The message is cut between characters where it is too long. Names and values from outside
 * are shown as sup_visible shows them, a line end as \x0a. error may be NULL. */
int sup_fail(struct sup_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes behind a text in memory of this size, and `between` first unless the text is empty: so a
 * list of words grows. What has no room is cut off. */
void sup_append(char *text, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* How long the first line is, for "%.*s": messages of libraries may go on with long explanations.
 */
int sup_first_line(const char *text);

/* ---- Text that is safe to display ------------------------------------------------------------ */

/* Makes text from files, databases and options safe to display: bytes that a terminal or gnuplot
 * would not treat as characters are written in the form \x1b. */

/* The length in bytes, 1 to 4, of the first character if it can be displayed unchanged; 0 if it
 * cannot: a control character, a mark that changes the direction of writing, a line separator, or
 * invalid UTF-8. *lacks is set if the text ends within a character. */
size_t sup_visible_bytes(const char *text, size_t size, int *lacks);

/* Writes the text to buffer, with each byte that cannot be displayed as \xNN; a text that is too
 * long is cut off between characters. Backslashes are not changed, so that visible text stays the
 * same. Returns buffer. */
const char *sup_visible(const char *text, char *buffer, size_t size);
