/* terms.h - lists with words for values that depend on p: 1,2,q,q+1 or 0,middle,last. */
#ifndef SUPPORT_OPTIONS_TERMS_H
#define SUPPORT_OPTIONS_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

/* A word for a value that depends on p. */
struct cli_symbol {
    const char *name;
    int64_t (*value)(int32_t p);
};
extern const struct cli_symbol cli_symbol_q;      /* ceil(log2 p) */
extern const struct cli_symbol cli_symbol_p;      /* p */
extern const struct cli_symbol cli_symbol_middle; /* p / 2, rounded down */
extern const struct cli_symbol cli_symbol_last;   /* p - 1 */

struct cli_term {
    const struct cli_symbol *symbol; /* NULL: a number */
    int64_t number;                  /* added to the symbol's value */
};
struct cli_terms {
    struct cli_term *term; /* owned */
    size_t count;
};

/* Items by commas: numbers and ranges (sup_parse_list) from least to most, and the words of symbols
 * (ends with NULL), which may be followed by +k or -k. */
int cli_parse_terms(const char *text, const struct cli_symbol *const symbols[], int64_t least,
                    int64_t most, struct cli_terms *terms, struct sup_error *error);
void cli_terms_free(struct cli_terms *terms);

/* The values for this p in least .. most, without repetitions, in order. Returns their number.
 * value has room for terms->count. */
size_t cli_terms_values(const struct cli_terms *terms, int32_t p, int64_t least, int64_t most,
                        int64_t value[]);

#endif
