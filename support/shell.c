/* shell.c - see shell.h. */
#include "support/shell.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/visible.h"

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                            "%+,-./:=@_";

static bool displays(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t bytes = sup_visible_bytes(text, left, NULL);
        if (bytes == 0)
            return false;
        text += bytes;
        left -= bytes;
    }
    return true;
}

/* Appends the text to the word at end, inside '...'; returns the new end. */
static char *append_quoted(char *end, const char *text)
{
    for (; *text != '\0'; text++)
        end += *text == '\'' ? sprintf(end, "'\\''") : sprintf(end, "%c", *text);
    return end;
}

/* Inside $'...'. A byte takes three octal digits, so the character that follows is not part of
 * it. */
static char *append_escaped(char *end, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t bytes = sup_visible_bytes(text, left, NULL), taken = bytes > 0 ? bytes : 1;
        if (bytes == 0)
            end += sprintf(end, "\\%03o", (unsigned)(unsigned char)*text);
        else
            end += sprintf(end, "%s%.*s", *text == '\'' || *text == '\\' ? "\\" : "", (int)bytes,
                           text);
        text += taken;
        left -= taken;
    }
    return end;
}

char *sup_shell_word(const char *text)
{
    const size_t length = strlen(text);
    char *word = sup_malloc(4 * length + sizeof "$''");
    if (length > 0 && strspn(text, plain) == length) {
        memcpy(word, text, length + 1);
        return word;
    }
    const bool shown = displays(text);
    char *end = word + sprintf(word, shown ? "'" : "$'");
    end = shown ? append_quoted(end, text) : append_escaped(end, text);
    sprintf(end, "'");
    return word;
}
