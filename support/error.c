/* error.c - one line for a person (error.h). */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "visible.h"

int sup_fail(struct sup_error *error, int status, const char *format, ...)
{
    if (error != NULL) {
        char text[2 * sizeof error->text]; /* so that the end of the message cuts no character */
        va_list values;
        va_start(values, format);
        vsnprintf(text, sizeof text, format, values);
        va_end(values);
        sup_visible(text, error->text, sizeof error->text);
    }
    return status;
}

int sup_first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}
