/* search_confirm.c - winners, and what is nearly as fast, run by the confirming engine on the
 * requested platform. */
#include "experiments/search/search_steps.h"

#include <math.h>

#include "experiments/search/search_runs.h"
#include "experiments/sweep/confirm.h"

/* A rival within this share of the winner's time is confirmed, too. */
static const double close_by = 0.05;

static void add_run(const struct search_request *request, struct search_grid *search,
                    const struct search_curve *curve, int64_t n)
{
    search_add_run(request, request->confirm_engine, search, curve, n);
}

/* The winner; an eighth of n to each side, at least one block; the runner-up, if it is close. */
static void line_up(const struct search_request *request, struct search_grid *search,
                    const struct search_case *a_case)
{
    const struct search_found *found = &a_case->winner->found;
    const int64_t step = found->n < 8 ? 1 : found->n / 8;
    add_run(request, search, a_case->winner, found->n);
    if (found->n > step)
        add_run(request, search, a_case->winner, found->n - step);
    if (found->n + step <= found->most_n)
        add_run(request, search, a_case->winner, found->n + step);
    if (a_case->runner_up != NULL &&
        a_case->runner_up->found.time_s <= found->time_s * (1 + close_by))
        add_run(request, search, a_case->runner_up, a_case->runner_up->found.n);
}

/* The fastest curve of the case that is slower than `than`, or as fast and behind it; NULL: there
 * is none. */
static const struct search_curve *next_rival(const struct search_grid *search,
                                             const struct search_case *a_case,
                                             const struct search_curve *than)
{
    const struct search_curve *next = NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        const double time_s = curve->named.best.time_s, than_s = than->named.best.time_s;
        if ((time_s > than_s || (time_s == than_s && curve > than)) &&
            (next == NULL || time_s < next->named.best.time_s))
            next = curve;
    }
    return next;
}

/* The winner is the first of those as fast as the fastest to 1e-12; so the fastest comes first. */
static const struct search_curve *first_rival(const struct search_grid *search,
                                              const struct search_case *a_case)
{
    const struct search_curve *first = a_case->winner;
    for (size_t i = 0; i < a_case->count; i++)
        if (search->curves[a_case->first + i].named.best.time_s < first->named.best.time_s)
            first = &search->curves[a_case->first + i];
    return first;
}

size_t search_close(const struct search_grid *search, const struct search_case *a_case,
                    const struct search_curve *close[SEARCH_CLOSE])
{
    const struct search_curve *winner = a_case->winner;
    size_t count = 0;
    if (winner == NULL)
        return 0;
    close[count++] = winner;
    for (const struct search_curve *rival = first_rival(search, a_case);
         rival != NULL && count < SEARCH_CLOSE &&
         rival->named.best.time_s <= winner->named.best.time_s * (1 + close_by);
         rival = next_rival(search, a_case, rival))
        if (rival != winner)
            close[count++] = rival;
    return count;
}

static void line_up_named(const struct search_request *request, struct search_grid *search,
                          const struct search_case *a_case)
{
    const struct search_curve *close[SEARCH_CLOSE];
    const size_t count = search_close(search, a_case, close);
    for (size_t i = 0; i < count; i++)
        add_run(request, search, close[i], close[i]->named.best.n);
}

static void drop_runs(struct search_grid *search, struct search_case *a_case)
{
    search->run_count = a_case->first_run;
    a_case->run_count = 0;
}

static void add_runs(const struct search_request *request, struct search_grid *search,
                     struct search_case *a_case)
{
    a_case->first_run = a_case->fastest_run = search->run_count;
    (search_is_named(request) ? line_up_named : line_up)(request, search, a_case);
    a_case->run_count = search->run_count - a_case->first_run;
    for (size_t i = a_case->first_run; i < search->run_count; i++)
        if (search->runs[i].cost_s > request->confirm_most_s)
            a_case->verdict = SEARCH_TOO_LARGE;
    if (a_case->verdict == SEARCH_TOO_LARGE)
        drop_runs(search, a_case);
}

static double cost_of(const struct search_grid *search, const struct search_case *a_case)
{
    double cost_s = 0;
    for (size_t i = 0; i < a_case->run_count; i++)
        cost_s += search->runs[a_case->first_run + i].cost_s;
    return cost_s;
}

/* The cost up to which cases, the cheapest first, take at most so long together. */
static double dearest(const struct search_grid *search, double most_s)
{
    double sum_s = 0, up_to_s = 0;
    for (;;) {
        double next_s = INFINITY, added_s = 0;
        for (size_t i = 0; i < search->case_count; i++) {
            const double cost_s = cost_of(search, &search->cases[i]);
            if (cost_s > up_to_s)
                next_s = fmin(next_s, cost_s);
        }
        for (size_t i = 0; i < search->case_count; i++)
            added_s += cost_of(search, &search->cases[i]) == next_s ? next_s : 0;
        sum_s += added_s;
        if (isinf(next_s) || sum_s > most_s)
            return up_to_s;
        up_to_s = next_s;
    }
}

/* Leaves the cheapest cases that fit a share of the search's own time, as a sweep's sample does. */
static void sample(const struct search_request *request, struct search_grid *search, size_t first)
{
    double all_s = 0;
    for (size_t i = 0; i < first; i++)
        all_s += search->runs[i].cost_s;
    const double up_to_s = dearest(search, sweep_confirm_most_s(all_s));
    for (size_t i = 0; i < search->case_count; i++)
        if (cost_of(search, &search->cases[i]) > up_to_s)
            search->cases[i].verdict = SEARCH_LEFT_OUT;
    search->run_count = first;
    for (size_t i = 0; i < search->case_count; i++) {
        const bool stays =
            search->cases[i].run_count > 0 && search->cases[i].verdict != SEARCH_LEFT_OUT;
        search->cases[i].run_count = 0;
        if (stays)
            add_runs(request, search, &search->cases[i]);
    }
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

/* On a named platform: of a case without a winner, or whose winner is confirmed. */
static enum search_verdict verdict_of(const struct search_grid *search,
                                      const struct search_case *a_case)
{
    size_t count[SEARCH_STATES] = {0};
    for (size_t i = 0; i < a_case->count; i++)
        count[search->curves[a_case->first + i].named.state]++;
    if (count[SEARCH_SIMULATED] == 0)
        return count[SEARCH_OVER_LIMIT] > 0 ? SEARCH_TOO_LARGE : SEARCH_RUN_FAILED;
    return count[SEARCH_OVER_LIMIT] + count[SEARCH_NOT_DONE] > 0 ? SEARCH_PARTLY : SEARCH_CONFIRMED;
}

static void judge(const struct search_request *request, struct search_grid *search,
                  struct search_case *a_case)
{
    if (a_case->winner != NULL && request->confirm_engine != NULL &&
        a_case->verdict != SEARCH_TOO_LARGE && a_case->verdict != SEARCH_LEFT_OUT)
        confirm(search, a_case, request->confirm_most_s);
    if (search_is_named(request) && (a_case->winner == NULL || a_case->verdict == SEARCH_CONFIRMED))
        a_case->verdict = verdict_of(search, a_case);
}

int search_confirm(const struct search_request *request, struct search_grid *search,
                   struct sup_error *error)
{
    const size_t first = search->run_count;
    for (size_t i = 0; i < search->case_count; i++)
        if (search->cases[i].winner != NULL && request->confirm_engine != NULL)
            add_runs(request, search, &search->cases[i]);
    if (search_is_named(request) && request->confirm_sample)
        sample(request, search, first);
    const int status =
        search_do_runs(request, search, first, request->confirm_most_s, "confirm", error);
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        judge(request, search, &search->cases[i]);
    return status;
}
