/* terms.c - see terms.h. */
#include "support/options/terms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_TERMS = 4096 };

static int64_t value_of_q(int32_t p)
{
    return rb_ceil_log2(p);
}

static int64_t value_of_p(int32_t p)
{
    return p;
}

static int64_t value_of_middle(int32_t p)
{
    return p / 2;
}

static int64_t value_of_last(int32_t p)
{
    return p - 1;
}

const struct cli_symbol cli_symbol_q = {"q", value_of_q};
const struct cli_symbol cli_symbol_p = {"p", value_of_p};
const struct cli_symbol cli_symbol_middle = {"middle", value_of_middle};
const struct cli_symbol cli_symbol_last = {"last", value_of_last};

static int append(struct cli_terms *terms, struct cli_term term, struct sup_error *error)
{
    if (terms->count == MOST_TERMS)
        return sup_fail(error, RB_EINVAL, "more than %d values", MOST_TERMS);
    terms->term[terms->count++] = term;
    return RB_OK;
}

static int unknown_word(const char *item, const struct cli_symbol *const symbols[],
                        struct sup_error *error)
{
    char words[64] = "";
    size_t used = 0;
    for (size_t i = 0; symbols[i] != NULL && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i == 0 ? "" : ", ",
                                 symbols[i]->name);
    return sup_fail(error, RB_EINVAL, "\"%s\" is neither a number nor one of the words %s", item,
                    words);
}

/* item starts with a letter: NAME, NAME+k or NAME-k. */
static int parse_word(const char *item, const struct cli_symbol *const symbols[],
                      struct cli_terms *terms, struct sup_error *error)
{
    size_t length = strcspn(item, "+-");
    const struct cli_symbol *symbol = NULL;
    for (size_t i = 0; symbols[i] != NULL; i++)
        if (strlen(symbols[i]->name) == length && strncmp(item, symbols[i]->name, length) == 0)
            symbol = symbols[i];
    if (symbol == NULL)
        return unknown_word(item, symbols, error);
    int64_t number = 0;
    if (item[length] != '\0') {
        int status = sup_parse_int(item + length + 1, 0, INT32_MAX, &number, error);
        if (status != RB_OK)
            return status;
    }
    if (item[length] == '-')
        number = -number;
    return append(terms, (struct cli_term){symbol, number}, error);
}

static int parse_numbers(const char *item, int64_t least, int64_t most, struct cli_terms *terms,
                         struct sup_error *error)
{
    struct sup_list list;
    int status = sup_parse_list(item, 0, least, most, MOST_TERMS, &list, error);
    for (size_t i = 0; status == RB_OK && i < list.count; i++)
        status = append(terms, (struct cli_term){NULL, list.value[i]}, error);
    sup_list_free(&list);
    return status;
}

int cli_parse_terms(const char *text, const struct cli_symbol *const symbols[], int64_t least,
                    int64_t most, struct cli_terms *terms, struct sup_error *error)
{
    *terms = (struct cli_terms){.term = sup_malloc(MOST_TERMS * sizeof *terms->term)};
    char *copy = sup_strdup(text);
    int status = RB_OK;
    for (char *item = copy; status == RB_OK && item != NULL;) {
        char *comma = strchr(item, ',');
        if (comma != NULL)
            *comma++ = '\0';
        status = isalpha((unsigned char)*item) ? parse_word(item, symbols, terms, error)
                                               : parse_numbers(item, least, most, terms, error);
        item = comma;
    }
    free(copy);
    if (status != RB_OK)
        cli_terms_free(terms);
    return status;
}

void cli_terms_free(struct cli_terms *terms)
{
    free(terms->term);
    *terms = (struct cli_terms){0};
}

size_t cli_terms_values(const struct cli_terms *terms, int32_t p, int64_t least, int64_t most,
                        int64_t value[])
{
    size_t count = 0;
    for (size_t i = 0; i < terms->count; i++) {
        const struct cli_term *term = &terms->term[i];
        int64_t here = term->number + (term->symbol == NULL ? 0 : term->symbol->value(p));
        size_t j = 0;
        while (j < count && value[j] != here)
            j++;
        if (j == count && least <= here && here <= most)
            value[count++] = here;
    }
    return count;
}
