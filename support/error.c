/* error.c - one line for a person (error.h). */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int sup_fail(struct sup_error *error, int status, const char *format, ...)
{
    if (error != NULL) {
        va_list values;
        va_start(values, format);
        vsnprintf(error->text, sizeof error->text, format, values);
        va_end(values);
        /* Messages of libraries may continue with long explanations. */
        error->text[strcspn(error->text, "\n")] = '\0';
    }
    return status;
}
