/* search_confirm.h - winners that the model found, run by the confirming engine on the same
 * platform. */
#ifndef EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H
#define EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H

#include "experiments/search/search_grid.h"

/* Runs each case's winner, its neighbours in n and a close runner-up, and fills the verdicts. */
int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error);

#endif
