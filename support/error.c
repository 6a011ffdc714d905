#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- Text that is safe to display ------------------------------------------------------------ */

/* C0 and C1 controls and DEL; the separators of lines and paragraphs; the marks that embed,
 * override or isolate a direction of writing. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0xfeff;
}

/* The length of a UTF-8 character with this first byte, and the bits that the byte contributes; 0:
 * no character begins with it. */
static size_t length_of(unsigned char first, uint32_t *bits)
{
    static const struct {
        unsigned char mask, lead;
    } kinds[] = {{0x80, 0x00}, {0xe0, 0xc0}, {0xf0, 0xe0}, {0xf8, 0xf0}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((first & kinds[i].mask) == kinds[i].lead) {
            *bits = first & (unsigned char)~kinds[i].mask;
            return i + 1;
        }
    return 0;
}

size_t sup_visible_bytes(const char *text, size_t size, int *lacks)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* number of bytes */
    uint32_t c = 0;
    const size_t length = size == 0 ? 0 : length_of((unsigned char)text[0], &c);
    if (lacks != NULL)
        *lacks = 0;
    for (size_t i = 1; i < length; i++) {
        if (i == size) {
            if (lacks != NULL)
                *lacks = 1;
            return 0;
        }
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    }
    const bool valid = length > 0 && c >= least[length] && c <= 0x10ffff && c >> 11 != 0x1b;
    return valid && !is_control(c) ? length : 0;
}

const char *sup_visible(const char *text, char *buffer, size_t size)
{
    size_t used = 0, left = strlen(text);
    while (left > 0) {
        const size_t bytes = sup_visible_bytes(text, left, NULL);
        const size_t taken = bytes > 0 ? bytes : 1, written = bytes > 0 ? bytes : 4;
        if (used + written >= size)
            break;
        if (bytes > 0)
            memcpy(buffer + used, text, bytes);
        else
            snprintf(buffer + used, 5, "\\x%02x", (unsigned char)text[0]);
        used += written;
        text += taken;
        left -= taken;
    }
    if (size > 0)
        buffer[used] = '\0';
    return buffer;
}

/* ---- One line for a person ------------------------------------------------------------------- */

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

void sup_append(char *text, size_t size, const char *between, const char *format, ...)
{
    va_list values;
    size_t length = strlen(text);
    if (length > 0)
        snprintf(text + length, size - length, "%s", between);
    length = strlen(text);
    va_start(values, format);
    vsnprintf(text + length, size - length, format, values);
    va_end(values);
}

int sup_first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}
