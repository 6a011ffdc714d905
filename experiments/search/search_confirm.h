/* search_confirm.h - winners, and what is nearly as fast, run by the confirming engine on the
 * requested platform. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H
#define EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H

#include "experiments/search/search_grid.h"

enum { SEARCH_CLOSE = 4 };
/* The case's winner, and then up to three rivals whose times on the named platform are close to it.
 * Returns how many there are, 0 without a winner. */
size_t search_close(const struct search_grid *search, const struct search_case *a_case,
                    const struct search_curve *close[SEARCH_CLOSE]);

/* If the model found the winners, runs each case's winner, its neighbours in n and a close
 * runner-up; on a named platform, where neighbours have been run, the winner and up to three close
 * rivals. Fills the verdicts. Without a confirming engine it only says what has no time. */
int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error);

#endif
