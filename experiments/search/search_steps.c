#include "experiments/search/search_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/runs.h"
#include "experiments/search/search.h"
#include "support/memory.h"

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Estimates decide what is run, so that results do not depend on the machine's load. A run that
 * takes so many times the limit, and at least this long, is ended. */
static const double patience = 10, least_patience_s = 60;

struct search_run *search_add_point(const struct search_request *request,
                                    const struct sim_engine *engine, struct search_grid *search,
                                    const struct point *point)
{
    sup_grow(&search->runs, search->run_count, sizeof *search->runs);
    struct search_run *run = &search->runs[search->run_count++];
    *run = (struct search_run){.point = *point, .time_s = NAN};
    run->point.engine = engine;
    run->point.engine_text = engine->name;
    point_set_platform(&run->point, request->asked);
    run->cost_s = search_estimate(&run->point);
    return run;
}

/* Lines up a run of the curve with n blocks by this engine; its cost_s is an estimate. The run is
 * the last one until another is added. */
static struct search_run *search_add_run(const struct search_request *request,
                                         const struct sim_engine *engine,
                                         struct search_grid *search,
                                         const struct search_curve *curve, int64_t n)
{
    struct point point = curve->point;
    point.plan.n = n;
    struct search_run *run = search_add_point(request, engine, search, &point);
    run->curve = (size_t)(curve - search->curves);
    return run;
}

/* The runs while they are done. */
struct judging {
    struct search_grid *search;
    struct search_run *runs; /* the first of them */
    double limit_s;          /* for a run */
    bool by_inside;
};

static const struct point *point_of(void *context, size_t i)
{
    struct search_run *run = &((struct judging *)context)->runs[i];
    run->point.cost_s = run->cost_s; /* a caller may have changed it */
    return &run->point;
}

static int take_outcome(void *context, size_t i, const struct point_outcome *outcome,
                        struct sup_error *error)
{
    struct judging *judging = context;
    struct search_run *run = &judging->runs[i];
    struct sup_error *failure = &judging->search->failure;
    char what[256];
    (void)error;
    run->spread = outcome->spread;
    run->bound = outcome->bound;
    run->stopped = !outcome->done && outcome->wall_s >= judging->limit_s;
    const bool inside = judging->by_inside && isfinite(outcome->mean_inside_s);
    run->other_s = inside ? outcome->time_s : outcome->mean_inside_s;
    if (outcome->done)
        run->time_s = inside ? outcome->mean_inside_s : outcome->time_s;
    else if (run->stopped)
        run->cost_s = outcome->wall_s; /* the estimate was too low */
    else if (failure->text[0] == '\0')
        sup_fail(failure, outcome->status, "%s: %s", point_describe(&run->point, what, sizeof what),
                 outcome->error.text);
    return RB_OK;
}

int search_do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   double most_s, const char *what, struct sup_error *error)
{
    struct judging judging = {.search = search,
                              .runs = search->runs + first,
                              .limit_s = fmax(patience * most_s, least_patience_s),
                              .by_inside = request->by_inside};
    struct point_runs runs = {.what = what,
                              .count = search->run_count - first,
                              .jobs = request->jobs,
                              .limit_s = judging.limit_s,
                              .context = &judging,
                              .at = point_of,
                              .done = take_outcome};
    if (runs.count == 0)
        return RB_OK;
    point_runs_start(&runs);
    return point_runs_do(&runs, error);
}

/* ---- Named platforms ------------------------------------------------------------------------- */

/* Times on a platform that the model doesn't know, simulated there by an engine that knows
 * contention (request->named_engine).
 *
 * First each algorithm with the closed form's best n, or the model's if there is no closed form.
 * That n is best without contention, and another may be better with it: so of algorithms that take
 * up to four times as long as the fastest, half of n and twice n are run, and those of a better n,
 * until none is better; and then of those that take up to a tenth longer than the fastest also an
 * eighth less and more.
 *
 * An algorithm is left out where its time without contention shows that it can't win: if no
 * message on the named platform takes less than a share of its time on the crossbar
 * (request->least_share), then no plan does, because a message starts when its rank's operations
 * before it have ended, and under no overlap rule does anything start later because something else
 * ended earlier. The share is 1 unless some hosts are nearer to each other than the crossbar's.
 * The three whose least times are least come first; those whose least time is longer than what the
 * best of these takes go without a run, of the model, too, and so does an n. The model's best n has
 * the least time without contention if the search has proved so; else the least time of all n does
 * (search.h). Where ranks share hosts the model has their messages take turns, so only the latter
 * counts.
 *
 * If nobody asks how slow the others are (request->give_up), then runs come in passes of which each
 * has twice as many as the one before, and end when they have taken so many times as long as the
 * fastest before their pass. The model runs only what has no closed form to begin with. */

/* The number of algorithms of a case that run first, if others may then be excluded. */
enum { FIRST = 3 };
/* Algorithms that take up to so many times as long as the fastest run with half and twice n, and
 * those that are nearer with an eighth less and more. */
static const double near_the_best = 4, nearer_the_best = 1.1;

/* ---- One run --------------------------------------------------------------------------------- */

static bool is_run(const struct search_named_runs *named, int64_t n)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == n)
            return true;
    return false;
}

static double most_s(const struct search_request *request)
{
    return request->search_most_s / SEARCH_PARTS;
}

/* Lines n up, unless it would take too long. Its time does not matter beyond limit_s, if the
 * request says so. */
static void add(const struct search_request *request, struct search_grid *search,
                struct search_curve *curve, int64_t n, double limit_s)
{
    struct search_named_runs *named = &curve->named;
    if (n < 1 || n > curve->found.most_n || named->count == SEARCH_NAMED_RUNS || is_run(named, n))
        return;
    struct search_run *run = search_add_run(request, request->named_engine, search, curve, n);
    const double cost_s = run->cost_s;
    run->point.most_s = request->give_up > 0 ? limit_s : 0;
    named->runs[named->count++] = (struct decide_sample){n, INFINITY};
    if (cost_s <= most_s(request) && named->cost_s + cost_s <= request->search_most_s) {
        named->cost_s += cost_s;
        return;
    }
    search->run_count--;
    if (named->state == SEARCH_WAITING)
        named->state = SEARCH_OVER_LIMIT;
}

/* The first n of the curve: the model's, or the largest half of it that does not take too long. */
static void add_first(const struct search_request *request, struct search_grid *search,
                      struct search_curve *curve, double limit_s)
{
    int64_t n = curve->found.n;
    add(request, search, curve, n, limit_s);
    while (curve->named.state == SEARCH_OVER_LIMIT && n > 1) {
        n /= 2;
        curve->named.state = SEARCH_WAITING;
        add(request, search, curve, n, limit_s);
    }
}

static void take(const struct search_request *request, struct search_grid *search,
                 const struct search_run *run)
{
    struct search_named_runs *named = &search->curves[run->curve].named;
    const struct decide_sample sample = {run->point.plan.n, run->time_s};
    if (!isfinite(run->time_s)) {
        if (named->state == SEARCH_WAITING)
            named->state = isinf(run->time_s)              ? SEARCH_EXCLUDED
                           : run->cost_s > most_s(request) ? SEARCH_OVER_LIMIT
                                                           : SEARCH_NOT_DONE;
        return;
    }
    for (size_t i = 0; i < named->count; i++)
        if (named->runs[i].n == sample.n)
            named->runs[i] = sample;
    if (named->state != SEARCH_SIMULATED || search_is_better(&sample, &named->best)) {
        named->best = sample;
        named->bound = run->bound;
    }
    named->state = SEARCH_SIMULATED;
}

/* Does the runs from the first one on, and takes their times. */
static int do_runs(const struct search_request *request, struct search_grid *search, size_t first,
                   const char *what, struct sup_error *error)
{
    const int status = search_do_runs(request, search, first, most_s(request), what, error);
    for (size_t i = first; i < search->run_count && status == RB_OK; i++)
        take(request, search, &search->runs[i]);
    return status;
}

/* ---- The model's best n ---------------------------------------------------------------------- */

static double best_s(const struct search_grid *search, const struct search_case *a_case)
{
    double least_s = INFINITY;
    for (size_t i = 0; i < a_case->count; i++)
        least_s = fmin(least_s, search->curves[a_case->first + i].named.best.time_s);
    return least_s;
}

/* Without the model it is not known where to begin. If nobody asks how slow the others are, the
 * closed form says it, or there is one n. */
static bool needs_model(const struct search_request *request, const struct search_curve *curve)
{
    const bool has_n = curve->found.closed_n > 0 || !curve->point.algorithm->pipelined;
    return curve->found.tried == 0 && !(request->give_up > 0 && has_n);
}

/* Without contention, by the model or the closed form. */
static double expected_s(const struct search_curve *curve)
{
    return curve->found.tried > 0 ? curve->found.time_s
                                  : fmax(curve->found.closed_s, curve->least_s);
}

static bool is_ready(const struct search_request *request, const struct search_curve *curve)
{
    const enum search_state plain =
        curve->plain != NULL ? curve->plain->named.state : SEARCH_SIMULATED;
    return plain != SEARCH_WAITING && plain != SEARCH_EXCLUDED &&
           curve->named.state == SEARCH_WAITING && curve->named.count == 0 &&
           !needs_model(request, curve);
}

/* Curves that wait for one that has turned out to be too slow. */
static void exclude_orders(struct search_grid *search)
{
    for (size_t i = 0; i < search->curve_count; i++) {
        struct search_curve *curve = &search->curves[i];
        if (curve->plain != NULL && curve->plain->named.state == SEARCH_EXCLUDED)
            curve->named.state = SEARCH_EXCLUDED;
    }
}

/* The fastest without contention among the algorithms whose first n is known, and which nothing has
 * run; NULL: there is none. */
static struct search_curve *next_curve(const struct search_request *request,
                                       struct search_grid *search, const struct search_case *a_case)
{
    struct search_curve *next = NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        struct search_curve *curve = &search->curves[a_case->first + i];
        if (is_ready(request, curve) && (next == NULL || expected_s(curve) < expected_s(next)))
            next = curve;
    }
    return next;
}

/* No n takes less on the named platform. */
static double least_time(const struct search_request *request, const struct search_curve *curve)
{
    const enum search_proof proof = curve->found.proof;
    const bool by_model =
        request->common.ppn == 1 && (proof == SEARCH_BY_ALL || proof == SEARCH_BY_BOUND);
    return request->least_share * (by_model ? curve->found.time_s : curve->least_s);
}

double search_excluded_s(const struct search_request *request, const struct search_case *a_case,
                         const struct search_curve curves[], const char *algorithm)
{
    double least_s = INFINITY;
    for (size_t i = a_case->first; i < a_case->first + a_case->count; i++)
        if (curves[i].named.state == SEARCH_EXCLUDED && search_is_named(request) &&
            strcmp(curves[i].point.plan.algorithm, algorithm) != 0)
            least_s = fmin(least_s, least_time(request, &curves[i]));
    return least_s;
}

static bool is_longer(double least_s, double than_s)
{
    return least_s * (1 - SEARCH_TIE) > than_s;
}

/* Up to `most` algorithms of each case, except those that `most` has shown to be slower. */
static int run_best_n(const struct search_request *request, struct search_grid *search, size_t most,
                      const char *what, struct sup_error *error)
{
    const size_t first = search->run_count;
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        const double fastest_s = best_s(search, a_case);
        const double bound_s = request->least_share > 0 ? fastest_s : INFINITY;
        struct search_curve *curve;
        for (size_t k = 0; k < most && (curve = next_curve(request, search, a_case)) != NULL; k++) {
            if (is_longer(least_time(request, curve), bound_s))
                curve->named.state = SEARCH_EXCLUDED;
            else
                add_first(request, search, curve, request->give_up * fastest_s);
        }
    }
    const int status = do_runs(request, search, first, what, error);
    exclude_orders(search);
    return status;
}

static int run_best_n_of_all(const struct search_request *request, struct search_grid *search,
                             struct sup_error *error)
{
    int status = RB_OK;
    size_t most = request->give_up > 0 ? FIRST : search->curve_count, runs;
    do {
        most *= 2;
        runs = search->run_count;
        status = run_best_n(request, search, most, "on the platform", error);
    } while (status == RB_OK && (most < search->curve_count || search->run_count > runs));
    return status;
}

/* ---- Other n --------------------------------------------------------------------------------- */

/* Of n that may be faster than least_s. Lanes (schedules/patterns/lanes.h) are as slow as the
 * longest of them: all have equally many blocks. */
static void add_others(const struct search_request *request, struct search_grid *search,
                       struct search_curve *curve, bool finely, double least_s)
{
    const int32_t radix = curve->point.plan.radix;
    const int64_t lanes = curve->point.algorithm->groups && radix > 1 ? radix : 1;
    const int64_t n = curve->named.best.n - curve->named.best.n % lanes;
    const int64_t step = n < 8 * lanes ? lanes : n / 8 - n / 8 % lanes;
    const int64_t others[] = {n / 2 - n / 2 % lanes, n > curve->found.most_n / 2 ? 0 : 2 * n,
                              n - step, n + step};
    for (size_t i = 0; i < (finely ? 4 : 2); i++)
        if (others[i] >= 1 && others[i] <= curve->found.most_n &&
            !is_longer(request->least_share * search_bound(&curve->bound, others[i], others[i]),
                       least_s))
            add(request, search, curve, others[i], least_s);
}

/* The fastest of another algorithm than the fastest, which tables name; NULL: there is none. */
static const struct search_curve *next_best(const struct search_grid *search,
                                            const struct search_case *a_case)
{
    const struct search_curve *best = NULL, *next = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < a_case->count; i++) {
            const struct search_curve *curve = &search->curves[a_case->first + i];
            const struct search_curve **than = pass == 0 ? &best : &next;
            if ((pass == 0 || curve->point.plan.algorithm != best->point.plan.algorithm) &&
                (*than == NULL || curve->named.best.time_s < (*than)->named.best.time_s))
                *than = curve;
        }
    return next;
}

/* Half and twice n until none is better, then also an eighth less and more. Ends, because each pass
 * but two has new runs, of which each curve has few. */
static int run_others(const struct search_request *request, struct search_grid *search,
                      struct sup_error *error)
{
    const double near = request->give_up > 0 ? request->give_up : near_the_best;
    size_t first;
    int status = RB_OK;
    bool finely = false, done;
    do {
        first = search->run_count;
        for (size_t i = 0; i < search->case_count; i++) {
            const struct search_case *a_case = &search->cases[i];
            const double least_s = best_s(search, a_case);
            const struct search_curve *next = next_best(search, a_case);
            for (size_t k = 0; k < a_case->count; k++) {
                struct search_curve *curve = &search->curves[a_case->first + k];
                const double time_s = curve->named.best.time_s;
                if (curve->named.state == SEARCH_SIMULATED && time_s <= near * least_s &&
                    (curve == next || !is_longer(least_time(request, curve), least_s)))
                    add_others(request, search, curve,
                               finely && time_s <= nearer_the_best * least_s,
                               curve == next ? time_s : least_s);
            }
        }
        status = do_runs(request, search, first, "other n", error);
        done = finely && search->run_count == first;
        finely = finely || search->run_count == first;
    } while (status == RB_OK && !done);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Marks curves that the model has not run: with `most` those whose least time is among so many of
 * their case, or not known; else those that it does not exclude, of which the others are. */
static void mark(const struct search_request *request, struct search_grid *search, size_t most,
                 bool marked[])
{
    for (size_t i = 0; i < search->case_count; i++) {
        const struct search_case *a_case = &search->cases[i];
        const struct search_curve *const curves = search->curves + a_case->first;
        const double bound_s = best_s(search, a_case);
        for (size_t k = 0; k < a_case->count; k++) {
            struct search_curve *curve = &search->curves[a_case->first + k];
            const double least_s = curve->least_s;
            size_t before = 0;
            for (size_t j = 0; j < a_case->count && least_s > 0; j++)
                before += curves[j].least_s > 0 &&
                          (curves[j].least_s < least_s || (curves[j].least_s == least_s && j < k));
            if (curve->found.tried == 0 && curve->named.state == SEARCH_WAITING &&
                is_longer(request->least_share * least_s, bound_s))
                curve->named.state = SEARCH_EXCLUDED;
            marked[a_case->first + k] = needs_model(request, curve) && before < most &&
                                        curve->named.state == SEARCH_WAITING;
        }
    }
}

int search_named(const struct search_request *request, struct search_grid *search,
                 struct sup_error *error)
{
    bool *marked = sup_calloc(search->curve_count + 1, sizeof *marked);
    const bool excludes = request->least_share > 0 && request->arrival == NULL;
    for (size_t i = 0; i < search->curve_count; i++)
        search->curves[i].named.best.time_s = INFINITY;
    mark(request, search, excludes ? FIRST : SIZE_MAX, marked);
    int status = search_by_model(request, search, marked, error);
    if (status == RB_OK && request->least_share > 0)
        status = run_best_n(request, search, FIRST, "on the platform: first", error);
    mark(request, search, SIZE_MAX, marked);
    if (status == RB_OK)
        status = search_by_model(request, search, marked, error);
    if (status == RB_OK)
        status = run_best_n_of_all(request, search, error);
    if (status == RB_OK)
        status = run_others(request, search, error);
    search->named_count = search->run_count;
    free(marked);
    return status;
}

/* ---- Late ranks ------------------------------------------------------------------------------ */

/* The arrivals are in the curves from now on, so that the confirming engine has them, too. */
static void forget_times(const struct search_request *request, struct search_grid *search)
{
    for (size_t i = 0; i < search->case_count; i++) {
        struct search_case *a_case = &search->cases[i];
        if (a_case->winner == NULL)
            continue;
        a_case->together = (size_t)(a_case->winner - search->curves);
        a_case->together_n = a_case->winner->named.best.n;
    }
    for (size_t i = 0; i < search->curve_count; i++) {
        search->curves[i].named = (struct search_named_runs){.best.time_s = INFINITY};
        point_set_rule(&search->curves[i].point, POINT_ARRIVAL, request->arrival);
    }
}

int search_late(const struct search_request *request, struct search_grid *search,
                struct sup_error *error)
{
    struct search_request late = *request;
    late.least_share = 0;
    search->late_first = search->run_count;
    forget_times(request, search);
    int status = run_best_n(&late, search, SIZE_MAX, "late ranks", error);
    const size_t first = search->run_count;
    for (size_t i = 0; i < search->case_count && status == RB_OK; i++)
        add(&late, search, &search->curves[search->cases[i].together], search->cases[i].together_n,
            INFINITY);
    if (status == RB_OK)
        status = do_runs(&late, search, first, "late ranks", error);
    if (status == RB_OK)
        status = run_others(&late, search, error);
    search->named_count = search->run_count;
    return status;
}

/* ---- Confirmation ---------------------------------------------------------------------------- */

/* Winners, and what is nearly as fast, run by the confirming engine on the requested platform. */

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

/* The case's winner, and then up to three rivals whose times on the named platform are close to it.
 * Returns how many there are, 0 without a winner. */
static size_t search_close(const struct search_grid *search, const struct search_case *a_case,
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

/* The confirmation takes at most this share of the time of the runs on the platform, or so long. */
static const double confirm_share = 0.1, confirm_least_s = 1;

/* Leaves the cheapest cases that fit it. */
static void sample(const struct search_request *request, struct search_grid *search, size_t first)
{
    double all_s = 0;
    for (size_t i = 0; i < first; i++)
        all_s += search->runs[i].cost_s;
    const double up_to_s = dearest(search, fmax(confirm_share * all_s, confirm_least_s));
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

/* ---- Jitter ---------------------------------------------------------------------------------- */

/* Copies, with other latencies, of the fastest runs on a named platform: how far their times
 * spread (sim/engine/jitter.h). */

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

static void take_copies(struct search_grid *search, const struct search_run *run)
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
        take_copies(search, &search->runs[i]);
    search->named_count = search->run_count;
    return status;
}

const char *search_tie(const struct search_case *a_case, const struct search_curve curves[])
{
    const struct search_curve *winner = a_case->winner;
    if (winner == NULL || winner->spread.copies == 0)
        return NULL;
    for (size_t i = 0; i < a_case->count; i++) {
        const struct search_curve *curve = &curves[a_case->first + i];
        const bool same = curve->spread.low_s == winner->spread.low_s &&
                          curve->spread.high_s == winner->spread.high_s;
        if (!same && curve->spread.copies > 0 && curve->spread.low_s <= winner->spread.high_s &&
            winner->spread.low_s <= curve->spread.high_s)
            return "tie";
    }
    return "no";
}
