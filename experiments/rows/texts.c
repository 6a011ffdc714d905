/* texts.c - see texts.h: a table of hashes with linear probing. */
#include "experiments/rows/texts.h"

#include <stdlib.h>
#include <string.h>

#include "support/hash.h"

enum { LEAST_ROOM = 64 };

struct rows_texts {
    char **text; /* room for so many, a power of two; NULL: free */
    size_t room, count;
};

static size_t place_of(const struct rows_texts *texts, const char *text)
{
    size_t i = (size_t)sup_hash_bytes(SUP_HASH_START, text, strlen(text)) & (texts->room - 1);
    while (texts->text[i] != NULL && strcmp(texts->text[i], text) != 0)
        i = (i + 1) & (texts->room - 1);
    return i;
}

/* Keeps at least half the places free. */
static bool make_room(struct rows_texts *texts)
{
    struct rows_texts larger = {.room = texts->room == 0 ? LEAST_ROOM : 2 * texts->room,
                                .count = texts->count};
    if (2 * (texts->count + 1) <= texts->room)
        return true;
    larger.text = calloc(larger.room, sizeof *larger.text);
    if (larger.text == NULL)
        return false;
    for (size_t i = 0; i < texts->room; i++)
        if (texts->text[i] != NULL)
            larger.text[place_of(&larger, texts->text[i])] = texts->text[i];
    free(texts->text);
    *texts = larger;
    return true;
}

const char *rows_texts_keep(struct rows_texts **place, const char *text)
{
    if (*place == NULL && (*place = calloc(1, sizeof **place)) == NULL)
        return NULL;
    struct rows_texts *texts = *place;
    if (!make_room(texts))
        return NULL;
    const size_t i = place_of(texts, text);
    if (texts->text[i] != NULL)
        return texts->text[i];
    const size_t size = strlen(text) + 1;
    texts->text[i] = malloc(size);
    if (texts->text[i] == NULL)
        return NULL;
    memcpy(texts->text[i], text, size);
    texts->count++;
    return texts->text[i];
}

void rows_texts_free(struct rows_texts *texts)
{
    if (texts == NULL)
        return;
    for (size_t i = 0; i < texts->room; i++)
        free(texts->text[i]);
    free(texts->text);
    free(texts);
}
