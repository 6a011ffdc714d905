/* search_table.h - makes tune's tables and curves from the results of a search. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_TABLE_H
#define EXPERIMENTS_SEARCH_SEARCH_TABLE_H

#include "experiments/decide/tune.h"
#include "experiments/search/search_grid.h"
#include "support/error.h"

/* Fills the tables `best`, each curve's, and `decision`, each case's winner, and the notes. Texts
 * of the request must live as long as tuning, which the caller frees. */
void search_tables(const struct search_request *request, const struct search_grid *search,
                   struct decide_tune_result *tuning);

/* Adds the notes on algorithms that were not simulated but might have won. */
void search_note_left_out(const struct search_request *request, const struct search_grid *search,
                          struct decide_tune_result *tuning);

/* What was simulated on a named platform, by which engine: a line "# Simulated on ..." for each
 * case, for a decision file; without a named platform empty. The caller frees it. */
char *search_describe(const struct search_request *request, const struct search_grid *search);

/* Fills curves of the times that were found, for a decision file: the confirming engine's if there
 * is one, else those of the search. RB_EINVAL if the confirming engine has not run each winner, or
 * on a named platform anything of a case. The caller frees data, also on failure. */
int search_tune_curves(const struct search_request *request, const struct search_grid *search,
                       struct decide_curves *data, struct sup_error *error);

#endif
