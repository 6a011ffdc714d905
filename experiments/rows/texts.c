/* texts.c - see texts.h: a table of hashes with linear probing. */
#include "experiments/rows/texts.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

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
static void make_room(struct rows_texts *texts)
{
    struct rows_texts larger = {.room = texts->room == 0 ? LEAST_ROOM : 2 * texts->room,
                                .count = texts->count};
    if (2 * (texts->count + 1) <= texts->room)
        return;
    larger.text = sup_calloc(larger.room, sizeof *larger.text);
    for (size_t i = 0; i < texts->room; i++)
        if (texts->text[i] != NULL)
            larger.text[place_of(&larger, texts->text[i])] = texts->text[i];
    free(texts->text);
    *texts = larger;
}

const char *rows_texts_keep(struct rows_texts **place, const char *text)
{
    if (*place == NULL)
        *place = sup_calloc(1, sizeof **place);
    struct rows_texts *texts = *place;
    make_room(texts);
    const size_t i = place_of(texts, text);
    if (texts->text[i] == NULL) {
        texts->text[i] = sup_strdup(text);
        texts->count++;
    }
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
