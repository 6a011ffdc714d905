/* search_confirm.c - see search_confirm.h. */
#include "experiments/search/search_confirm.h"

#include <math.h>

#include "experiments/search/search_runs.h"

/* A runner-up within this share of the winner's time is confirmed, too. */
static const double close_by = 0.05;

/* The winner; an eighth of n to each side, at least one block; the runner-up, if it is close. */
static int line_up(const struct search_request *request, struct search_grid *search,
                   const struct search_case *a_case, struct sup_error *error)
{
    const struct search_found *found = &a_case->winner->found;
    const int64_t step = found->n < 8 ? 1 : found->n / 8;
    int status = search_add_run(request, search, a_case->winner, found->n, error);
    if (status == RB_OK && found->n > step)
        status = search_add_run(request, search, a_case->winner, found->n - step, error);
    if (status == RB_OK && found->n + step <= found->most_n)
        status = search_add_run(request, search, a_case->winner, found->n + step, error);
    if (status == RB_OK && a_case->runner_up != NULL &&
        a_case->runner_up->found.time_s <= found->time_s * (1 + close_by))
        status =
            search_add_run(request, search, a_case->runner_up, a_case->runner_up->found.n, error);
    return status;
}

static int add_runs(const struct search_request *request, struct search_grid *search,
                    struct search_case *a_case, struct sup_error *error)
{
    a_case->first_run = a_case->fastest_run = search->run_count;
    const int status = line_up(request, search, a_case, error);
    a_case->run_count = search->run_count - a_case->first_run;
    for (size_t i = a_case->first_run; i < search->run_count; i++)
        if (search->runs[i].cost_s > request->confirm_most_s)
            a_case->verdict = SEARCH_TOO_LARGE;
    if (a_case->verdict == SEARCH_TOO_LARGE)
        search->run_count = a_case->first_run;
    return status;
}

/* By the confirming engine: engines agree to 1e-9, no better. */
static void confirm(struct search_grid *search, struct search_case *a_case, double most_s)
{
    enum { AGREE = 1000000000 };
    const struct search_run *runs = search->runs + a_case->first_run;
    size_t fastest = 0;
    a_case->verdict = SEARCH_CONFIRMED;
    for (size_t i = 0; i < a_case->run_count; i++) {
        if (!isfinite(runs[i].time_s)) {
            a_case->verdict = runs[i].cost_s > most_s ? SEARCH_TOO_LARGE : SEARCH_RUN_FAILED;
            return;
        }
        if (runs[i].time_s < runs[fastest].time_s - runs[fastest].time_s / AGREE)
            fastest = i;
    }
    a_case->fastest_run = a_case->first_run + fastest;
    if (fastest > 0)
        a_case->verdict =
            runs[fastest].curve == runs[0].curve ? SEARCH_OTHER_N : SEARCH_OTHER_CHOICE;
}

int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        status = add_runs(request, search, &search->cases[i], error);
    if (status == RB_OK)
        status = search_do_runs(request, search, 0, "confirm", error);
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        if (search->cases[i].verdict != SEARCH_TOO_LARGE)
            confirm(search, &search->cases[i], request->confirm_most_s);
    return status;
}
