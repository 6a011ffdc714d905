/* words.c - finds the word nearest to a mistyped one (units.h), by edit distance over short
 * words. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

enum { LONGEST = 63 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and exchanges of neighbours that turn one into the other;
 * SIZE_MAX for words that are longer than any known word. */
static size_t distance(const char *from, const char *to)
{
    size_t rows = strlen(from), columns = strlen(to);
    if (rows > LONGEST || columns > LONGEST)
        return SIZE_MAX;
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = above[j - 1] + (from[i - 1] != to[j - 1]);
            now[j] = least_of(replaced, least_of(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                now[j] = least_of(now[j], two_above[j - 2] + 1);
        }
    }
    return row[rows % 3][columns];
}

const char *sup_nearest_word(const char *text, const char *const words[], size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text);
    size_t best = (length + 1) / 3 + 1; /* farther than this is a guess, not a slip */
    for (size_t i = 0; i < count; i++) {
        size_t here = distance(text, words[i]);
        if (here < best) {
            best = here;
            nearest = words[i];
        }
    }
    /* The beginning of a word, as in "circ" for circulant, is an abbreviation, not a mistyped word.
     */
    for (size_t i = 0; nearest == NULL && length >= 2 && i < count; i++)
        if (strncmp(text, words[i], length) == 0)
            nearest = words[i];
    return nearest;
}

const char *sup_hint(const char *text, const char *const words[], size_t count,
                     const char *otherwise, char buffer[SUP_HINT_SIZE])
{
    const char *nearest = sup_nearest_word(text, words, count);
    if (nearest != NULL)
        snprintf(buffer, SUP_HINT_SIZE, "did you mean %s?", nearest);
    else
        snprintf(buffer, SUP_HINT_SIZE, "%s", otherwise);
    return buffer;
}
