/* gnuplot_text.c - how texts get into a script: the only way for any that isn't our own.
 *
 * gnuplot obeys backquotes and $ and @ in many places, and has its own rules for quotes within
 * quotes, which the expansion of macros doesn't share. So a script holds letters, digits and plain
 * punctuation only; each other byte is an octal escape in a string in double quotes, which gnuplot
 * undoes after all that; letters beyond ASCII stay. What then is shown is shown literally, because
 * our terminals are `noenhanced`. */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include <stdbool.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "support/error.h"

/* None of these characters has a special meaning to gnuplot within double quotes. */
static bool is_plain(unsigned char c)
{
    static const char punctuation[] = " .,:;=+-_/()<>|&!?*[]{}^~%";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr(punctuation, c) != NULL);
}

void plot_gnuplot_text(FILE *script, const char *name, const char *text)
{
    fprintf(script, "%s = \"", name);
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = sup_visible_bytes(text, strnlen(text, 4), NULL);
        if (bytes > 1 || is_plain((unsigned char)*text)) {
            fwrite(text, 1, bytes, script);
        } else {
            /* After a first 0 gnuplot reads up to three more digits, so a digit that follows is not
             * taken for a part of it. */
            fprintf(script, "\\0%03o", (unsigned char)*text);
            bytes = 1;
        }
    }
    fputs("\"\n", script);
}

/* The characters of visible text, and where the one after `most` of them begins. */
static size_t count_characters(const char *text, size_t most, size_t *end)
{
    size_t count = 0;
    for (*end = 0; text[*end] != '\0' && count < most; count++)
        *end += sup_visible_bytes(text + *end, strnlen(text + *end, 4), NULL);
    return count;
}

size_t plot_gnuplot_cut(const char *text, size_t most, char *buffer, size_t size)
{
    size_t end;
    sup_visible(text, buffer, size);
    const size_t count = count_characters(buffer, most, &end);
    if (buffer[end] == '\0')
        return count;
    count_characters(buffer, most - 3, &end);
    strcpy(buffer + end, "...");
    return most;
}
