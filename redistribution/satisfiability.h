/* satisfiability.h - decides whether an assignment makes all clauses true (satisfiability.c). */
#ifndef RB_REDISTRIBUTION_SATISFIABILITY_H
#define RB_REDISTRIBUTION_SATISFIABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rb_formula;

/* Clauses, given and learnt, have at most so many literals, each clause counting as two more: a
 * formula that needs more stays undecided. They take up to 150 MB with all that refers to them;
 * each variable takes 80 to 160 bytes. */
#define RB_FORMULA_MOST_WORDS ((size_t)1 << 23)

enum rb_answer { RB_NO, RB_YES, RB_UNDECIDED };

/* A new formula without variables or clauses; the caller frees it. NULL: out of memory. */
struct rb_formula *rb_formula_new(void);
void rb_formula_free(struct rb_formula *formula); /* NULL is fine */

/* A new variable: 1, 2, ... Running out of memory, here and below, is remembered and reported by
 * rb_formula_solve. */
int32_t rb_formula_variable(struct rb_formula *formula);

/* Demands that at least one of `count` literals is true: v > 0 says that variable v is true, -v
 * that it is false. No variable twice. Only before the first call of rb_formula_solve. */
void rb_formula_clause(struct rb_formula *formula, const int32_t literal[], size_t count);

/* Searches until it knows, has used up the effort (assignments made, which it takes off) or finds
 * no room for what it learns. It may be called again with more. Deterministic. 0 with the answer,
 * or RB_ENOMEM. */
int rb_formula_solve(struct rb_formula *formula, int64_t *effort, enum rb_answer *answer);

/* After the answer RB_YES: the value of this variable. */
bool rb_formula_true(const struct rb_formula *formula, int32_t variable);

#endif
