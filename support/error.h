/* error.h - one line for a person, built where the person's input was read. */
#ifndef RB_SUPPORT_ERROR_H
#define RB_SUPPORT_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct rb_error {
    char text[512];
};

/* Writes the message (truncated to fit, and to its first line) and returns status, so that a caller
 * can say return rb_fail(error, RB_EINVAL, "..."). error may be NULL. */
int rb_fail(struct rb_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
