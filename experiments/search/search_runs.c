/* search_runs.c - see search_runs.h. */
#include "experiments/search/search_runs.h"

#include <math.h>
#include <stdlib.h>

#include "command/options/options.h"
#include "support/pool.h"

/* Estimates decide what is run, so that results don't depend on how busy the machine is; a run that
 * takes so many times the limit, and so long, is ended. */
static const double patience = 10, least_patience_s = 60;

static int make_room(struct rb_search *search, struct rb_error *error)
{
    if (search->run_count < search->run_capacity)
        return RB_OK;
    const size_t capacity = search->run_capacity == 0 ? 64 : 2 * search->run_capacity;
    struct rb_search_run *runs = realloc(search->runs, capacity * sizeof *runs);
    if (runs == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    search->runs = runs;
    search->run_capacity = capacity;
    return RB_OK;
}

int rb_search_add_run(const struct rb_search_request *request, struct rb_search *search,
                      const struct rb_search_curve *curve, int64_t n, struct rb_error *error)
{
    const int status = make_room(search, error);
    if (status != RB_OK)
        return status;
    struct rb_search_run *run = &search->runs[search->run_count++];
    *run = (struct rb_search_run){
        .curve = (size_t)(curve - search->curves), .point = curve->point, .time_s = NAN};
    run->point.plan.n = n;
    run->point.engine = request->judge;
    run->point.engine_text = request->judge->name;
    rb_point_set_platform(&run->point, request->judge_on);
    return rb_search_estimate(&run->point, &run->cost_s, error);
}

/* The runs while they are done. */
struct judging {
    struct rb_search *search;
    struct rb_search_run *runs; /* the first of them */
    double limit_s;             /* for a run */
    double done_s, total_s;     /* of the estimates */
    struct rb_bar bar;
};

static void judge_runs(void *context, struct rb_pool_worker *worker, void *outcome)
{
    const struct judging *judging = context;
    for (size_t i; rb_pool_next(worker, &i);)
        rb_point_run(&judging->runs[i].point, outcome);
}

static bool show(void *context, const struct rb_pool *pool)
{
    struct judging *judging = context;
    (void)pool;
    rb_bar_update(&judging->bar, (int64_t)(1e6 * judging->done_s), NULL);
    return false;
}

static int take_outcome(void *context, const struct rb_pool_piece *piece, struct rb_error *error)
{
    struct judging *judging = context;
    struct rb_search_run *run = &judging->runs[piece->i];
    const struct rb_outcome outcome = rb_point_outcome(piece);
    struct rb_error *failure = &judging->search->failure;
    char what[256];
    (void)error;
    judging->done_s += run->cost_s;
    if (outcome.done)
        run->time_s = outcome.time_s;
    else if (outcome.wall_s >= judging->limit_s)
        run->cost_s = outcome.wall_s; /* the estimate was too low */
    else if (failure->text[0] == '\0')
        rb_fail(failure, outcome.status, "%s: %s", rb_point_format(&run->point, what, sizeof what),
                outcome.error.text);
    return RB_OK;
}

int rb_search_do_runs(const struct rb_search_request *request, struct rb_search *search,
                      size_t first, const char *what, struct rb_error *error)
{
    const size_t count = search->run_count - first;
    if (count == 0)
        return RB_OK;
    struct judging judging = {.search = search,
                              .runs = search->runs + first,
                              .limit_s = fmax(patience * request->judge_most_s, least_patience_s)};
    for (size_t i = 0; i < count; i++)
        judging.total_s += judging.runs[i].cost_s;
    struct rb_pool pool = {.count = count,
                           .workers = request->jobs,
                           .memory_size = sizeof(struct rb_outcome),
                           .limit_s = judging.limit_s,
                           .context = &judging,
                           .work = judge_runs,
                           .done = take_outcome,
                           .tick = show};
    rb_bar_start(&judging.bar, what, (int64_t)(1e6 * judging.total_s));
    const int status = rb_pool_run(&pool, error);
    rb_bar_end(&judging.bar);
    rb_pool_free(&pool);
    return status;
}
