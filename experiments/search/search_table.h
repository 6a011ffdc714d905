/* search_table.h - what a search found, as the tables and curves of tune. */
#ifndef RB_EXPERIMENTS_SEARCH_SEARCH_TABLE_H
#define RB_EXPERIMENTS_SEARCH_SEARCH_TABLE_H

#include "experiments/search/search_grid.h"
#include "experiments/tune/tune.h"
#include "support/error.h"

/* Fills the tables `best`, each curve's, and `decision`, each case's winner, and the notes. Texts
 * of the request must live as long as tuning, which the caller frees, also on failure. RB_ENOMEM.
 */
int rb_search_tables(const struct rb_search_request *request, const struct rb_search *search,
                     struct rb_tuning *tuning, struct rb_error *error);

/* Adds the notes on what was not simulated but might have won. */
void rb_search_note_left_out(const struct rb_search_request *request,
                             const struct rb_search *search, struct rb_tuning *tuning);

/* Fills curves of the times that were found, for a decision file: the judge's if there is one, else
 * those of the search. RB_EINVAL if the judge has not run each winner, or on a named platform
 * anything of a case; RB_ENOMEM. The caller frees data, also on failure. */
int rb_search_curves(const struct rb_search_request *request, const struct rb_search *search,
                     struct rb_curves *data, struct rb_error *error);

#endif
