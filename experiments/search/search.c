#include "experiments/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Lower bounds on a plan's time for whole ranges of n, which a search can then leave out. */

/* Rounds and volume of the closed form for one n. */
struct closed_form {
    int64_t rounds, blocks, owners; /* blocks per owner */
    double volume;                  /* bytes; NAN: there is no closed form */
};

static int ask(const struct point *point, int64_t n, struct closed_form *form,
               struct sup_error *error)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    struct rb_plan_spec spec = point->plan;
    spec.n = n;
    struct rb_plan *plan;
    char why[400];
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    *form = (struct closed_form){.rounds = rb_plan_rounds(plan),
                                 .blocks = rb_plan_blocks(plan),
                                 .owners = rb_plan_owners(plan)};
    if (rb_plan_cost(plan, &layout, 0, 1, &form->volume) != RB_OK)
        form->volume = NAN;
    rb_plan_destroy(plan);
    return RB_OK;
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Several rounds of a rank may be in flight. */
static bool overlaps(const struct point *point)
{
    const struct sim_overlap *overlap = point->overlap_rule;
    return !(overlap->rule == SIM_LOCKSTEP || overlap->rule == SIM_BLOCKING ||
             (overlap->rule == SIM_WINDOW && overlap->window == 1));
}

/* form[i] is for i + 1 blocks. */
static void read_forms(const struct point *point, const struct closed_form form[3],
                       struct search_bound *bound)
{
    const double m = (double)point->m_bytes;
    bool linear = form[2].rounds - form[1].rounds == form[1].rounds - form[0].rounds;
    /* Volume = limit + shrinking / n, if some rounds move all blocks at once and the others one. */
    const double shrinking = 2 * (form[0].volume - form[1].volume);
    const double limit = form[0].volume - shrinking;
    bool single = true, constant = true;
    for (int i = 0; i < 3; i++) {
        single = single && same(form[i].volume * (i + 1), (double)form[i].rounds * m);
        constant = constant && same(form[i].volume, form[0].volume);
    }
    bound->per_block = form[1].rounds - form[0].rounds;
    bound->rest = form[0].rounds - bound->per_block;
    bound->packed = !single;
    bound->mixed = !single && !constant && shrinking > 0 &&
                   same(form[2].volume, limit + shrinking / 3) &&
                   !rb_algorithm_find(point->plan.collective, point->plan.algorithm)->groups;
    bound->volume = single ? (double)bound->per_block * m : !bound->mixed ? form[0].volume : limit;
    bound->shrinking = bound->mixed ? shrinking : 0;
    if (bound->mixed && m > 0) { /* as if all shares were as short as the shortest */
        const double part = (double)(bound->least_share * bound->element) *
                            (double)(form[0].blocks * form[0].owners) / m;
        bound->volume *= part;
        bound->shrinking *= part;
    }
    bound->known =
        bound->plain && linear && (single || constant || bound->mixed) && bound->rest >= 0;
}

/* Every rank's data reach every rank combined; and no port is busy in both passes. */
static bool may_be_two_passes(const struct point *point, const struct search_bound *bound)
{
    const struct rb_collective_info *collective = point->collective;
    return collective->reducing && !collective->rooted && !collective->distributed &&
           (!bound->packed || bound->mixed);
}

int search_bound_make(const struct point *point, struct search_bound *bound,
                      struct sup_error *error)
{
    struct closed_form form[3];
    for (int i = 0; i < 3; i++) {
        const int status = ask(point, i + 1, &form[i], error);
        if (status != RB_OK)
            return status;
    }
    const int64_t elements = point->m_bytes / point->element_bytes;
    const int64_t shares = form[0].blocks * form[0].owners;
    *bound = (struct search_bound){.plain = point->ppn == 1 && point->option_count == 0 &&
                                            point->plan.ports == 1 &&
                                            point->platform->cuts.node_terminals <= 1,
                                   .even = !sup_counts_differ(point->counts_rule),
                                   .element = point->element_bytes,
                                   .least_share = elements / shares,
                                   .most_share = elements / shares + (elements % shares > 0),
                                   .alpha_s = point->platform->alpha_s,
                                   .beta_s_per_byte = point->platform->beta_s_per_byte};
    read_forms(point, form, bound);
    bound->known = bound->known && bound->even;
    bound->tight = bound->known && !(overlaps(point) && may_be_two_passes(point, bound));
    bound->part = bound->tight ? 1 : 0.5;
    return RB_OK;
}

double search_least_share(const struct point_known_platform *asked,
                          const struct point_known_platform *searched, int32_t ppn)
{
    const struct platform_cuts *cuts = &asked->cuts;
    double latency_s = cuts->latency_s, bandwidth = cuts->message_bandwidth;
    if (cuts->count == 0)
        return 0;
    if (ppn > 1) {
        latency_s = fmin(latency_s, cuts->loopback_latency_s);
        bandwidth = fmax(bandwidth, cuts->loopback_bandwidth);
    }
    return fmin(1,
                fmin(latency_s / searched->alpha_s, 1 / (bandwidth * searched->beta_s_per_byte)));
}

/* The largest useful n: more blocks would be empty; at least 1. */
static int64_t most_useful_n(const struct search_bound *bound)
{
    return bound->most_share > 1 ? bound->most_share : 1;
}

double search_bound(const struct search_bound *bound, int64_t least, int64_t most)
{
    if (!bound->known)
        return 0;
    const double rounds = (double)bound->per_block * (double)least + (double)bound->rest;
    const int64_t shortest = bound->least_share / most;
    double rest = bound->packed ? 0 : (double)bound->rest * (double)(shortest * bound->element);
    if (bound->mixed && bound->least_share > 0)
        rest = bound->shrinking * (double)shortest / (double)bound->least_share;
    return bound->part *
           (rounds * bound->alpha_s + bound->beta_s_per_byte * (bound->volume + rest));
}

/* The closed form's n; 0 if there is none. */
static int64_t closed_n(const struct point *point, const struct search_bound *bound, int64_t most_n)
{
    struct rb_plan_spec spec = point->plan;
    spec.n = 1;
    int64_t n;
    if (!bound->even)
        return 0;
    const int status = rb_best_n(&spec, point->m_bytes, point->platform->alpha_s,
                                 point->platform->beta_s_per_byte, &n);
    if (status == RB_ENOMEM)
        sup_no_memory();
    if (status != RB_OK)
        return 0;
    return n < most_n ? n : most_n;
}

/* ---- The least time ---------------------------------------------------------------------- */

/* The bound for all n: the least of the bounds of 1, 2 .. 3, 4 .. 7, ... */
static double bound_of_all(const struct search_bound *bound)
{
    const int64_t most = most_useful_n(bound);
    double least_s = search_bound(bound, 1, 1);
    for (int64_t n = 2; n > 0 && n <= most; n = n > most / 2 ? 0 : 2 * n)
        least_s = fmin(least_s, search_bound(bound, n, n > most / 2 ? most : 2 * n - 1));
    return least_s;
}

/* How long the messages of a rank's round are at its ports, in each direction. */
static void add_round(const struct point *point, const struct sim_spec *spec,
                      const struct rb_op ops[], int32_t count, double busy_s[DEP_DIRECTIONS])
{
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message message; dep_next_message(&left, &message);) {
        int64_t bytes = 0;
        for (int32_t i = 0; i < message.count; i++)
            bytes += rb_layout_bytes(spec->plan, spec->layout, &message.ops[i].at);
        busy_s[dep_direction_of(message.ops)] +=
            (point->platform->alpha_s + point->platform->beta_s_per_byte * (double)bytes) /
            rb_plan_ports(spec->plan);
    }
}

/* One rank's messages, of its first many operations. */
static double busy_time(const struct point *point, const struct sim_spec *spec, int32_t rank,
                        struct rb_op ops[])
{
    enum { MANY = 1 << 16 };
    const int64_t rounds = rb_plan_rounds(spec->plan);
    double all_s[DEP_DIRECTIONS] = {0}, in_turn_s = 0;
    struct rb_rank state;
    int32_t count;
    rb_plan_rank(spec->plan, rank, &state);
    for (int64_t t = rb_plan_next(spec->plan, &state, 0), operations = 0;
         t < rounds && operations < MANY;
         t = rb_plan_next(spec->plan, &state, t + 1), operations += count) {
        double busy_s[DEP_DIRECTIONS] = {0};
        count = rb_layout_round(spec->plan, spec->layout, &state, t, ops);
        add_round(point, spec, ops, count, busy_s);
        in_turn_s += fmax(busy_s[DEP_SENDS], busy_s[DEP_RECEIVES]);
        all_s[DEP_SENDS] += busy_s[DEP_SENDS];
        all_s[DEP_RECEIVES] += busy_s[DEP_RECEIVES];
    }
    return overlaps(point) ? fmax(all_s[DEP_SENDS], all_s[DEP_RECEIVES]) : in_turn_s;
}

/* The busiest of a few ranks. */
static int busiest(const struct point *point, double *busiest_s, struct sup_error *error)
{
    const int32_t p = point->plan.p, sample[] = {point->plan.root, 0, p / 3, p / 2, p - 1};
    struct point one = *point;
    struct point_run run;
    one.plan.n = 1;
    *busiest_s = 0;
    const int status = point_prepare(&one, &run, error);
    if (status == RB_OK && point->m_bytes > 0) {
        struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(run.plan) + 1, sizeof *ops);
        for (size_t i = 0; i < sizeof sample / sizeof *sample; i++)
            *busiest_s = fmax(*busiest_s, busy_time(point, &run.spec, sample[i], ops));
        free(ops);
    }
    point_run_free(&run);
    return status;
}

int search_least_time(const struct point *point, struct search_bound *bound,
                      struct search_found *found, struct sup_error *error)
{
    struct point alone = *point;
    struct closed_form form;
    alone.ppn = 1; /* as the share is of messages between any two ranks */
    int status = search_bound_make(&alone, bound, error);
    *found =
        (struct search_found){.n = 1, .most_n = 1, .closed_s = NAN, .proof = SEARCH_NOT_DONE_YET};
    if (status != RB_OK)
        return status;
    if (point->algorithm->pipelined) {
        found->most_n = most_useful_n(bound);
        found->time_s = bound_of_all(bound);
        found->closed_n = closed_n(point, bound, found->most_n);
        found->n = found->closed_n > 0 ? found->closed_n : 1;
    } else {
        status = busiest(point, &found->time_s, error);
    }
    if (status == RB_OK && (status = ask(point, found->n, &form, error)) == RB_OK)
        found->closed_s =
            (double)form.rounds * bound->alpha_s + bound->beta_s_per_byte * form.volume;
    return status;
}

/* time(n) / time(from), n >= from, is not less, by growth. Where messages hold several blocks, or
 * don't take alpha + beta b, a block's cost is its length: the ratio is then that of the shortest
 * messages. */
static double search_growth(const struct search_bound *bound, int64_t from, int64_t n)
{
    if (!bound->even)
        return (double)from / (double)n;
    const double start = bound->plain && !bound->packed ? bound->alpha_s : 0;
    const double shorter = (double)(bound->least_share / n * bound->element);
    const double longer =
        (double)((bound->most_share / from + (bound->most_share % from > 0)) * bound->element);
    const double cost = start + bound->beta_s_per_byte * longer;
    return cost > 0 ? (start + bound->beta_s_per_byte * shorter) / cost : 0;
}

/* ---- The search ------------------------------------------------------------------------------ */

const char *const search_proof_names[SEARCH_PROOFS] = {
    "all tried", "bound", "growth", "analogy", "descent", "limit", "none", "not sought"};

/* The largest number of n tried around the best, if growth is contradicted, or with analogy. */
enum { MANY_NEAR = 1000, FEW_NEAR = 64 };
/* With analogy only, and if simulations of so many blocks over all ranks take long, the search
 * descends. */
static const double many_blocks = 1e4;
/* With analogy only, n end where the time is so many times the best. */
static const double too_long = 3;

struct search {
    struct point point;
    struct search_bound bound;
    struct decide_sample *sample; /* all tried, by rising n */
    size_t count;
    struct decide_sample best;
    int64_t most_n;
    int64_t last_n; /* beyond it there are no blocks to fill, even if most_n is less */
    double limit_s, spent_s;
    double start_s, block_s; /* real time of a simulation of n blocks: start_s + block_s n */
    bool belied;             /* growth doesn't hold */
    bool cut;                /* most_n is bounded by the limit of one simulation */
    bool stopped;            /* by the limit of all simulations */
    bool descends;           /* and excludes nothing */
    bool rough;              /* only an n to start with is wanted */
    _Atomic int64_t *tried;
    struct sup_error *error;
};

bool search_is_better(const struct decide_sample *sample, const struct decide_sample *than)
{
    const double tie = SEARCH_TIE * fmax(sample->time_s, than->time_s);
    if (fabs(sample->time_s - than->time_s) <= tie)
        return sample->n < than->n;
    return sample->time_s < than->time_s;
}

/* ---- Trying ---------------------------------------------------------------------------------- */

/* The first sample of this n or more; count if there is none. */
static size_t place_of(const struct search *search, int64_t n)
{
    size_t low = 0, high = search->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (search->sample[middle].n < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_tried(const struct search *search, int64_t n)
{
    const size_t place = place_of(search, n);
    return place < search->count && search->sample[place].n == n;
}

static void keep(struct search *search, struct decide_sample sample)
{
    sup_grow(&search->sample, search->count, sizeof *search->sample);
    struct decide_sample *place = search->sample + place_of(search, sample.n);
    memmove(place + 1, place,
            (size_t)(search->sample + search->count - place) * sizeof *search->sample);
    *place = sample;
    search->count++;
}

static bool is_less(double a, double b)
{
    return a < b * (1 - SEARCH_TIE);
}

/* Checks that the sample at `place` agrees with the bound, and with growth from and to its
 * neighbours. */
static void check(struct search *search, size_t place)
{
    const struct decide_sample *sample = &search->sample[place];
    if (is_less(sample->time_s, search_bound(&search->bound, sample->n, sample->n)))
        search->bound.known = search->bound.tight = false;
    for (size_t i = place > 0 ? place - 1 : 0; i <= place && i + 1 < search->count; i++) {
        const struct decide_sample *from = &search->sample[i], *to = &search->sample[i + 1];
        if (is_less(to->time_s, from->time_s * search_growth(&search->bound, from->n, to->n)))
            search->belied = true;
    }
}

/* No simulation except the first may exceed the limit of all. */
enum { STOPPED = 1 };

static bool may_try(struct search *search, int64_t n)
{
    const double cost_s = search->start_s + search->block_s * (double)n;
    search->stopped = search->count > 0 &&
                      (search->spent_s + cost_s > search->limit_s || search->count >= SEARCH_TRIES);
    search->spent_s += cost_s;
    return !search->stopped;
}

/* Also STOPPED. */
static int try_n(struct search *search, int64_t n)
{
    struct point_outcome outcome;
    if (is_tried(search, n))
        return RB_OK;
    if (!may_try(search, n))
        return STOPPED;
    search->point.plan.n = n;
    point_run(&search->point, NULL, &outcome);
    if (!outcome.done)
        return sup_fail(search->error, outcome.status, "%s", outcome.error.text);
    const struct decide_sample sample = {n, outcome.time_s};
    keep(search, sample);
    if (search->count == 1 || search_is_better(&sample, &search->best))
        search->best = sample;
    if (search->tried != NULL)
        atomic_fetch_add(search->tried, 1);
    check(search, place_of(search, n));
    return RB_OK;
}

/* ---- Where to start -------------------------------------------------------------------------- */

static double time_at(const struct search *search, int64_t n)
{
    return search->sample[place_of(search, n)].time_s;
}

/* Doubles from n on until one takes `factor` times the best, or there are no more. */
static int try_doubles(struct search *search, int64_t n, double factor)
{
    int status = try_n(search, n);
    while (status == RB_OK && n < search->most_n &&
           time_at(search, n) <= factor * search->best.time_s) {
        n = n > search->most_n / 2 ? search->most_n : 2 * n;
        status = try_n(search, n);
    }
    return status;
}

static int try_halves(struct search *search, int64_t n)
{
    int status = try_n(search, n);
    while (status == RB_OK && n > 1 && time_at(search, n) <= search->best.time_s) {
        n /= 2;
        status = try_n(search, n);
    }
    return status;
}

static bool by_analogy(const struct search *search)
{
    return !search->bound.plain || !search->bound.even;
}

static int try_first(struct search *search, int64_t start)
{
    int status = try_doubles(search, start, 1);
    if (status == RB_OK)
        status = try_halves(search, start);
    search->descends =
        by_analogy(search) && (double)search->best.n * search->point.plan.p > many_blocks;
    if (status != RB_OK || !by_analogy(search) || search->descends)
        return status;
    status = try_doubles(search, start, too_long);
    if (status == RB_OK && search->sample[search->count - 1].n < search->most_n) {
        search->most_n = search->sample[search->count - 1].n;
        search->cut = false;
    }
    return status;
}

/* ---- n that cannot be excluded --------------------------------------------------------------- */

/* True if a time of at least this cannot be better than the best, for any n of this range. */
static bool loses(const struct search *search, double at_least_s, int64_t least)
{
    const double best_s = search->best.time_s;
    return least > search->best.n ? at_least_s >= best_s * (1 - SEARCH_TIE)
                                  : at_least_s > best_s * (1 + SEARCH_TIE);
}

static bool is_excluded(const struct search *search, int64_t least, int64_t most)
{
    if (loses(search, search_bound(&search->bound, least, most), least))
        return true;
    if (search->bound.tight || search->belied)
        return false;
    const size_t place = place_of(search, least + 1);
    if (place == 0)
        return false;
    const struct decide_sample *from = &search->sample[place - 1];
    return loses(search, from->time_s * search_growth(&search->bound, from->n, most), least);
}

/* The first n of least .. most that is neither tried nor excluded; 0: there is none. */
static int64_t next_n(const struct search *search, int64_t least, int64_t most)
{
    if (is_excluded(search, least, most))
        return 0;
    if (least == most)
        return is_tried(search, least) ? 0 : least;
    const int64_t middle = least + (most - least) / 2;
    const int64_t n = next_n(search, least, middle);
    return n > 0 ? n : next_n(search, middle + 1, most);
}

static int try_the_rest(struct search *search)
{
    int status = RB_OK;
    int64_t from = 1, n;
    while (status == RB_OK && (search->bound.tight || !search->belied) &&
           (n = next_n(search, from, search->most_n)) > 0) {
        const bool known = search->bound.known;
        status = try_n(search, n);
        from = search->bound.known == known ? n : 1;
    }
    return status;
}

/* All n from half the best to twice the best, but at most `most` of them; again, if that finds a
 * better one. */
static int try_near(struct search *search, int64_t most)
{
    int64_t around;
    int status = RB_OK;
    do {
        around = search->best.n;
        const int64_t low = around / 2 > around - most / 2 ? around / 2 : around - most / 2;
        int64_t high = 2 * around < around + most / 2 ? 2 * around : around + most / 2;
        if (high > search->most_n)
            high = search->most_n;
        for (int64_t n = low > 1 ? low : 1; n <= high && status == RB_OK; n++)
            status = try_n(search, n);
    } while (status == RB_OK && search->best.n != around);
    return status;
}

/* Halves the wider gap beside the best n until both are at most a sixteenth of it. */
static int descend(struct search *search)
{
    int status = RB_OK;
    while (status == RB_OK) {
        const int64_t best = search->best.n;
        const size_t place = place_of(search, best);
        const int64_t low = place > 0 ? search->sample[place - 1].n : best;
        const int64_t high = place + 1 < search->count ? search->sample[place + 1].n : best;
        const int64_t near = best > 16 ? best / 16 : 1;
        if (best - low <= near && high - best <= near)
            break;
        status = try_n(search, high - best > 2 * (best - low) ? best + (high - best) / 2
                               : best - low > near            ? low + (best - low) / 2
                                                              : best + (high - best) / 2);
    }
    return status;
}

/* ---- Result ---------------------------------------------------------------------------------- */

static double rise(double least_s, double time_s)
{
    return least_s > 0 ? time_s / least_s - 1 : 0;
}

/* Time should fall up to the best n from both sides. */
static double ripple_of(const struct search *search, size_t best)
{
    const struct decide_sample *sample = search->sample;
    double least_s = sample[0].time_s, most = 0;
    for (size_t i = 1; i <= best; i++) {
        most = fmax(most, rise(least_s, sample[i].time_s));
        least_s = fmin(least_s, sample[i].time_s);
    }
    least_s = sample[search->count - 1].time_s;
    for (size_t i = search->count - 1; i-- > best;) {
        most = fmax(most, rise(least_s, sample[i].time_s));
        least_s = fmin(least_s, sample[i].time_s);
    }
    return most > SEARCH_TIE ? most : 0;
}

/* True if an n that may be better was left out because its simulation would take too long. */
static bool is_limited(const struct search *search)
{
    return search->stopped ||
           (search->cut && !is_excluded(search, search->most_n + 1, search->last_n));
}

static enum search_proof proof_of(const struct search *search)
{
    if ((int64_t)search->count == search->last_n)
        return SEARCH_BY_ALL;
    if (is_limited(search))
        return SEARCH_BY_LIMIT;
    if (search->rough && (!search->bound.tight || next_n(search, 1, search->most_n) > 0))
        return SEARCH_NOT_DONE_YET;
    if (search->bound.tight)
        return SEARCH_BY_BOUND;
    if (search->descends)
        return SEARCH_BY_DESCENT;
    if (search->belied)
        return SEARCH_BY_NOTHING;
    return by_analogy(search) ? SEARCH_BY_ANALOGY : SEARCH_BY_GROWTH;
}

static void take(const struct search *search, int64_t closed, struct search_found *found)
{
    const size_t best = place_of(search, search->best.n);
    const size_t half = SEARCH_FOUND_SAMPLES / 2;
    size_t first = best > half ? best - half : 0;
    if (first + SEARCH_FOUND_SAMPLES > search->count)
        first = search->count > SEARCH_FOUND_SAMPLES ? search->count - SEARCH_FOUND_SAMPLES : 0;
    *found = (struct search_found){.n = search->best.n,
                                   .time_s = search->best.time_s,
                                   .most_n = search->most_n,
                                   .tried = (int64_t)search->count,
                                   .proof = proof_of(search),
                                   .ripple = ripple_of(search, best),
                                   .closed_n = closed,
                                   .closed_s = closed > 0 ? time_at(search, closed) : NAN};
    for (size_t i = first; i < search->count && found->count < SEARCH_FOUND_SAMPLES; i++)
        found->samples[found->count++] = search->sample[i];
}

/* ---- Limits ---------------------------------------------------------------------------------- */

double search_estimate(const struct point *point)
{
    struct point estimated = *point;
    return point_estimate(&estimated, NULL) == RB_OK ? estimated.cost_s : INFINITY;
}

/* The real time of a simulation of n blocks. */
static double cost_s(const struct search *search, int64_t n)
{
    struct point point = search->point;
    point.plan.n = n;
    return search_estimate(&point);
}

/* Reduces most_n to the limit of one simulation, and measures the cost of simulations. */
static void cut(struct search *search)
{
    double most_s = cost_s(search, search->most_n);
    const double least_s = cost_s(search, 1);
    if (most_s > search->limit_s / SEARCH_PARTS) {
        int64_t low = 1, high = search->most_n; /* low is allowed, high is not */
        while (low + 1 < high && high - low > low / 64) {
            const int64_t middle = low < high / 4 ? 2 * low : low + (high - low) / 2;
            const double middle_s = cost_s(search, middle);
            if (middle_s > search->limit_s / SEARCH_PARTS) {
                high = middle;
            } else {
                low = middle;
                most_s = middle_s;
            }
        }
        search->most_n = low;
        search->cut = true;
    }
    search->block_s =
        search->most_n > 1 ? fmax(0, most_s - least_s) / (double)(search->most_n - 1) : 0;
    search->start_s = least_s - search->block_s;
}

/* One n is all there is. */
static int find_only(struct search *search, struct search_found *found)
{
    search->most_n = search->last_n = 1;
    const int status = try_n(search, 1);
    if (status != RB_OK)
        return status;
    take(search, 0, found);
    found->proof = SEARCH_BY_ALL;
    return RB_OK;
}

/* From the first n tried to the best n. */
static int refine(struct search *search)
{
    if (search->descends)
        return descend(search);
    const int status = try_the_rest(search);
    if (status != RB_OK || search->bound.tight)
        return status;
    if (search->belied)
        return try_near(search, MANY_NEAR);
    return by_analogy(search) ? try_near(search, FEW_NEAR) : RB_OK;
}

static int find(struct search *search, struct search_found *found)
{
    int status = search_bound_make(&search->point, &search->bound, search->error);
    if (status != RB_OK)
        return status;
    search->most_n = search->last_n = most_useful_n(&search->bound);
    if (!search->point.algorithm->pipelined || search->point.plan.p == 1)
        return find_only(search, found);
    int64_t closed = closed_n(&search->point, &search->bound, search->most_n);
    if (!search->rough || closed == 0 || cost_s(search, closed) > search->limit_s / SEARCH_PARTS) {
        cut(search);
        closed = closed < search->most_n ? closed : search->most_n;
    }
    if (search->rough)
        status = closed > 0 ? try_n(search, closed) : try_doubles(search, 1, 1);
    else
        status = try_first(search, closed > 0 ? closed : 1);
    if (status == RB_OK && !search->rough)
        status = refine(search);
    if (status == STOPPED)
        status = RB_OK;
    if (status == RB_OK)
        take(search, closed, found);
    return status;
}

static int run(struct search search, struct search_found *found)
{
    const int status = find(&search, found);
    free(search.sample);
    return status;
}

int search_n(const struct point *point, double limit_s, _Atomic int64_t *tried,
             struct search_found *found, struct sup_error *error)
{
    return run((struct search){.point = *point, .limit_s = limit_s, .tried = tried, .error = error},
               found);
}

int search_first_n(const struct point *point, double limit_s, _Atomic int64_t *tried,
                   struct search_found *found, struct sup_error *error)
{
    return run(
        (struct search){
            .point = *point, .limit_s = limit_s, .rough = true, .tried = tried, .error = error},
        found);
}
