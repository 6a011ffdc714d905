/* terms.h - lists in which words stand for what depends on p: 1,2,q,q+1 or 0,middle,last. */
#ifndef RB_COMMAND_OPTIONS_TERMS_H
#define RB_COMMAND_OPTIONS_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

/* A word of p. */
struct rb_symbol {
    const char *name;
    int64_t (*value)(int32_t p);
};
extern const struct rb_symbol rb_symbol_q;      /* ceil(log2 p) */
extern const struct rb_symbol rb_symbol_p;      /* p */
extern const struct rb_symbol rb_symbol_middle; /* p / 2, rounded down */
extern const struct rb_symbol rb_symbol_last;   /* p - 1 */

struct rb_term {
    const struct rb_symbol *symbol; /* NULL: a number */
    int64_t number;                 /* added to the symbol's value */
};
struct rb_terms {
    struct rb_term *term; /* owned */
    size_t count;
};

/* Items by commas: numbers and ranges (rb_parse_list) from least to most, and the words of symbols
 * (ends with NULL), which may be followed by +k or -k. */
int rb_parse_terms(const char *text, const struct rb_symbol *const symbols[], int64_t least,
                   int64_t most, struct rb_terms *terms, struct rb_error *error);
void rb_terms_free(struct rb_terms *terms);

/* The values for this p that lie in least .. most, without repeats, in order; returns how many.
 * value has room for terms->count. */
size_t rb_terms_values(const struct rb_terms *terms, int32_t p, int64_t least, int64_t most,
                       int64_t value[]);

#endif
