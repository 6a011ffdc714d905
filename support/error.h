/* error.h - a message of one line for the user, built where the user's input is read. */
#ifndef SUPPORT_ERROR_H
#define SUPPORT_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct sup_error {
    char text[512];
};

/* Writes the message (truncated to fit, and to its first line) and returns status, so that a caller
 * can say return sup_fail(error, RB_EINVAL, "..."). error may be NULL. */
int sup_fail(struct sup_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
