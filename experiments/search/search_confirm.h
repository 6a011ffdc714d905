/* search_confirm.h - winners that the model found, run by the judge on the same platform. */
#ifndef RB_EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H
#define RB_EXPERIMENTS_SEARCH_SEARCH_CONFIRM_H

#include "experiments/search/search_grid.h"

/* Runs each case's winner, its neighbours in n and a close runner-up, and fills the verdicts. */
int rb_search_confirm(const struct rb_search_request *request, struct rb_search *search,
                      struct rb_error *error);

#endif
