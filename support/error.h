/* error.h - a message of one line for the user, built where the user's input is read. */
#ifndef SUPPORT_ERROR_H
#define SUPPORT_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct sup_error {
    char text[512];
};

/* Writes the message and returns status, so that a caller can say return sup_fail(error, RB_EINVAL,
 * "..."). The message is cut between characters where it is too long. Names and values from outside
 * are shown as sup_visible shows them, a line end as \x0a. error may be NULL. */
int sup_fail(struct sup_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How long the first line is, for "%.*s": messages of libraries may go on with long explanations.
 */
int sup_first_line(const char *text);

#ifdef __cplusplus
}
#endif
#endif
