/* search_jitter.c - copies, with other latencies, of the fastest runs on a named platform: how far
 * their times spread (sim/engine/jitter.h). */
#include "experiments/search/search_steps.h"

#include <math.h>

#include "experiments/search/search_runs.h"

static void add_copies(const struct search_request *request, struct search_grid *search,
                       const struct search_curve *curve)
{
    struct search_run *run =
        search_add_run(request, request->named_engine, search, curve, curve->named.best.n);
    run->point.jitter = request->copies;
    run->cost_s *= request->copies + 1;
    if (run->cost_s > request->search_most_s)
        search->run_count--;
}

static void take(struct search_grid *search, const struct search_run *run)
{
    struct search_curve *curve = &search->curves[run->curve];
    struct search_named_runs *named = &curve->named;
    if (!isfinite(run->time_s))
        return;
    curve->spread = run->spread;
    named->best.time_s = run->time_s;
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == named->best.n)
            named->runs[i].time_s = run->time_s;
}

int search_jitter(const struct search_request *request, struct search_grid *search,
                  struct sup_error *error)
{
    const size_t first = search->run_count;
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_curve *close[SEARCH_CLOSE];
        const size_t count = search_close(search, &search->cases[i], close);
        for (size_t k = 0; k < count; k++)
            add_copies(request, search, close[k]);
    }
    const int status =
        search_do_runs(request, search, first, request->search_most_s, "copies", error);
    for (size_t i = first; i < search->run_count && status == RB_OK; i++)
        take(search, &search->runs[i]);
    search->named_count = search->run_count;
    return status;
}

const char *search_tie(const struct search_grid *search, const struct search_case *a_case)
{
    const struct search_curve *winner = a_case->winner;
    if (winner == NULL || winner->spread.copies == 0)
        return NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &search->curves[a_case->first + i];
        if (curve != winner && curve->spread.copies > 0 &&
            curve->spread.low_s <= winner->spread.high_s &&
            winner->spread.low_s <= curve->spread.high_s)
            return "tie";
    }
    return "no";
}
