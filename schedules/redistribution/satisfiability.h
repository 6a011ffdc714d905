/* satisfiability.h - decides whether an assignment makes all clauses true (satisfiability.c). */
#ifndef SCHEDULES_REDISTRIBUTION_SATISFIABILITY_H
#define SCHEDULES_REDISTRIBUTION_SATISFIABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redist_formula;

/* The largest total number of literals in clauses, given and learnt, where each clause counts as
 * two more; a formula that needs more stays undecided. They take up to 150 MB with their data
 * structures; each variable takes 80 to 160 bytes. */
#define REDIST_FORMULA_MOST_WORDS ((size_t)1 << 23)

enum redist_answer { REDIST_NO, REDIST_YES, REDIST_UNDECIDED };

/* A new formula without variables or clauses; the caller frees it. NULL: out of memory. */
struct redist_formula *redist_formula_new(void);
void redist_formula_free(struct redist_formula *formula); /* NULL is fine */

/* A new variable: 1, 2, ... If memory runs out, here and below, redist_formula_solve reports it. */
int32_t redist_formula_variable(struct redist_formula *formula);

/* Adds a clause, which requires that at least one of `count` literals is true: v > 0 says that
 * variable v is true, -v that it is false. No variable twice. Only before the first call of
 * redist_formula_solve. */
void redist_formula_clause(struct redist_formula *formula, const int32_t literal[], size_t count);

/* Searches until it has an answer, has used up the effort (assignments made, which it subtracts),
 * or has no room for learnt clauses. It may be called again with more effort. Deterministic. 0 with
 * the answer, or RB_ENOMEM. */
int redist_formula_solve(struct redist_formula *formula, int64_t *effort,
                         enum redist_answer *answer);

/* After the answer REDIST_YES: the value of this variable. */
bool redist_formula_true(const struct redist_formula *formula, int32_t variable);

#endif
