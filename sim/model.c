/* model.c - the engine `model`: alpha + beta m per message, one port, nothing shared.
 *
 * A message starts when both its ends are in its round, and takes alpha + beta m; a rank enters its
 * next round when its messages are through (`blocking`), or when everybody's are (`lockstep`). So
 * the times when ranks are through obey a max-plus recurrence over rounds: no queue of events is
 * needed, and the plan is iterated, never stored.
 *
 * Two variants. `rounds` asks each rank for its operations: any plan. `waves` takes whole rounds as
 * arrays (rb_plan_wave), where the plan has such rounds, in blocking: then the memory is the table
 * and two times per rank. */
#define _POSIX_C_SOURCE 200809L
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "platforms/platform.h"
#include "round_heap.h"

struct model {
    const struct rb_sim_spec *spec;
    int32_t p;
    double alpha_s, beta_s_per_byte;
    double *through_s; /* per rank: when all its rounds so far were through */
    double *next_s;    /* likewise with the round at hand */
    int64_t messages, bytes;
};

static double cost_s(const struct model *model, int64_t bytes)
{
    return model->alpha_s + model->beta_s_per_byte * (double)bytes;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- Variant rounds: any plan ---------------------------------------------------------------- */

struct by_rounds {
    struct rb_rank *rank;
    struct rb_op *ops;
    int32_t *now;  /* the ranks in the round at hand, */
    int32_t *soon; /* and in the one after it; most are in all rounds */
    int32_t now_count, soon_count;
    struct rb_round_heap later; /* all others, by their next round */
    double round_s;             /* lockstep: when the round at hand starts */
};

/* The message of round t that begins at ops[0], for both its ends. Returns how many operations it
 * has. */
static int32_t send(struct model *model, const struct by_rounds *state, int32_t rank, int64_t t,
                    const struct rb_op ops[], int32_t count)
{
    const struct rb_sim_spec *spec = model->spec;
    const int32_t peer = ops->peer;
    int64_t bytes = 0;
    int32_t length = 0;
    for (; length < count && ops[length].kind == RB_SEND && ops[length].peer == peer &&
           ops[length].port == ops->port;
         length++)
        bytes += rb_layout_bytes(spec->plan, spec->layout, &ops[length].at);
    const double start = spec->progress.rule == RB_LOCKSTEP
                             ? state->round_s
                             : later(model->through_s[rank], model->through_s[peer]);
    const double end = start + cost_s(model, bytes);
    model->next_s[rank] = later(model->next_s[rank], end);
    model->next_s[peer] = later(model->next_s[peer], end);
    model->messages++;
    model->bytes += bytes;
    if (spec->observer != NULL)
        spec->observer->message(spec->observer->context, &(struct rb_sim_message){.from = rank,
                                                                                  .to = peer,
                                                                                  .port = ops->port,
                                                                                  .round = t,
                                                                                  .bytes = bytes,
                                                                                  .start_s = start,
                                                                                  .end_s = end});
    return length;
}

static void do_round(struct model *model, struct by_rounds *state, int64_t t)
{
    const struct rb_sim_spec *spec = model->spec;
    for (int32_t i = 0; i < state->now_count; i++) {
        const int32_t rank = state->now[i];
        const int32_t count =
            rb_layout_round(spec->plan, spec->layout, &state->rank[rank], t, state->ops);
        for (int32_t k = 0; k < count && state->ops[k].kind == RB_SEND;)
            k += send(model, state, rank, t, &state->ops[k], count - k);
    }
    for (int32_t i = 0; i < state->now_count; i++) {
        const int32_t rank = state->now[i];
        model->through_s[rank] = model->next_s[rank];
        state->round_s = later(state->round_s, model->through_s[rank]);
    }
}

/* Where a rank goes on after round t. */
static void line_up(struct model *model, struct by_rounds *state, int32_t rank, int64_t t)
{
    const struct rb_plan *plan = model->spec->plan;
    const int64_t rounds = rb_plan_rounds(plan);
    const int64_t next = t + 1 < rounds ? rb_plan_next(plan, &state->rank[rank], t + 1) : rounds;
    if (next == t + 1 && next < rounds)
        state->soon[state->soon_count++] = rank;
    else if (next < rounds)
        rb_round_heap_push(&state->later, next, rank);
}

static void do_rounds(struct model *model, struct by_rounds *state)
{
    const int64_t rounds = rb_plan_rounds(model->spec->plan);
    for (int32_t rank = 0; rank < model->p; rank++)
        line_up(model, state, rank, -1);
    for (int64_t t = 0; t < rounds;) {
        int32_t *const emptied = state->now;
        state->now = state->soon;
        state->now_count = state->soon_count;
        state->soon = emptied;
        state->soon_count = 0;
        while (state->later.count > 0 && state->later.entry[0].round == t)
            state->now[state->now_count++] = rb_round_heap_pop(&state->later);
        do_round(model, state, t);
        for (int32_t i = 0; i < state->now_count; i++)
            line_up(model, state, state->now[i], t);
        t = state->soon_count > 0    ? t + 1
            : state->later.count > 0 ? state->later.entry[0].round
                                     : rounds;
    }
}

static int run_rounds(struct model *model, struct rb_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    const size_t p = (size_t)model->p;
    struct by_rounds state = {.rank = malloc(p * sizeof *state.rank),
                              .ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *state.ops),
                              .now = malloc(p * sizeof *state.now),
                              .soon = malloc(p * sizeof *state.soon)};
    int status = rb_round_heap_init(&state.later, model->p);
    if (state.rank == NULL || state.ops == NULL || state.now == NULL || state.soon == NULL)
        status = RB_ENOMEM;
    for (int32_t rank = 0; rank < model->p && status == RB_OK; rank++)
        rb_plan_rank(plan, rank, &state.rank[rank]);
    if (status == RB_OK)
        do_rounds(model, &state);
    free(state.rank);
    free(state.ops);
    free(state.now);
    free(state.soon);
    rb_round_heap_free(&state.later);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "no memory for %d ranks", model->p);
}

/* ---- Variant waves --------------------------------------------------------------------------- */

/* One wave, its blocks as the table's entries say them: an entry of `least` or more is sent, and
 * costs long_s below `longer`, else short_s (layouts deal the longer blocks first). */
struct wave {
    const int8_t *entry;
    int32_t p, shift;
    int32_t least, longer;
    double long_s, short_s;
};

static int32_t as_entry(int64_t value)
{
    return value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX + 1 : (int32_t)value;
}

static struct wave wave_at(const struct model *model, const int8_t table[], int64_t t)
{
    const struct rb_plan *plan = model->spec->plan;
    const int64_t bytes = model->spec->layout->bytes, element = model->spec->layout->element;
    const int64_t elements = bytes / element, n = rb_plan_n(plan);
    const struct rb_wave is = rb_plan_wave(plan, table, t);
    return (struct wave){.entry = is.entry,
                         .p = model->p,
                         .shift = is.shift,
                         .least = as_entry(-is.first),
                         .longer = as_entry(elements % n - is.first),
                         .long_s = cost_s(model, (elements / n + 1) * element),
                         .short_s = cost_s(model, elements / n * element)};
}

/* When relative rank r is through, which sends to r + to and receives from r + from. */
static inline double next_of(const struct wave *wave, int32_t r, int32_t to, int32_t from,
                             bool sends, bool receives, const double through_s[])
{
    const int32_t mine = wave->entry[r], theirs = wave->entry[r + from];
    const double here = through_s[r];
    const double sent =
        later(here, through_s[r + to]) + (mine < wave->longer ? wave->long_s : wave->short_s);
    const double came =
        later(here, through_s[r + from]) + (theirs < wave->longer ? wave->long_s : wave->short_s);
    const double after = sends && mine >= wave->least ? sent : here;
    return receives && theirs >= wave->least ? later(after, came) : after;
}

/* Relative ranks first .. end - 1. Fast because it is a loop over arrays without calls, in which a
 * rank looks at both its messages itself: so no two ranks write to one place, and the compiler
 * takes several ranks at once. */
static void do_stretch(const struct wave *wave, int32_t first, int32_t end,
                       const double *restrict through_s, double *restrict next_s)
{
    const struct wave copy = *wave; /* that nothing written can change */
    const int32_t to = first < copy.p - copy.shift ? copy.shift : copy.shift - copy.p;
    const int32_t from = first < copy.shift ? copy.p - copy.shift : -copy.shift;
    for (int32_t r = first; r < end; r++)
        next_s[r] = next_of(&copy, r, to, from, true, true, through_s);
}

/* All ranks; between the marks neither of a rank's partners lies on the other side of rank 0. The
 * root receives nothing, and nobody sends to it. */
static void do_wave(const struct wave *wave, const double through_s[], double next_s[])
{
    const int32_t p = wave->p, shift = wave->shift, back = p - shift;
    const int32_t low = shift < back ? shift : back, high = shift < back ? back : shift;
    do_stretch(wave, 0, low, through_s, next_s);
    do_stretch(wave, low, high, through_s, next_s);
    do_stretch(wave, high, p, through_s, next_s);
    next_s[back] =
        next_of(wave, back, -back, shift <= back ? -shift : back, false, back != 0, through_s);
    next_s[0] = next_of(wave, 0, shift, back, shift != p, false, through_s);
}

/* How often each value stands in a row of the table: so messages are counted without looking at
 * ranks again in each round. */
struct census {
    const int8_t *entry;
    int64_t count[256]; /* of entry + 128 */
};
enum { MOST_ROWS = RB_MAX_Q + 1 };

static const struct census *take_census(struct census rows[MOST_ROWS], const struct wave *wave)
{
    int32_t i = 0;
    while (rows[i].entry != NULL && rows[i].entry != wave->entry)
        i++;
    if (rows[i].entry == NULL) {
        rows[i].entry = wave->entry;
        for (int32_t r = 0; r < wave->p; r++)
            rows[i].count[wave->entry[r] - INT8_MIN] += r != wave->p - wave->shift;
    }
    return &rows[i];
}

static void count_wave(struct model *model, const struct wave *wave, const struct census *census,
                       int64_t long_bytes)
{
    for (int32_t entry = wave->least; entry <= INT8_MAX; entry++) {
        const int64_t count = census->count[entry - INT8_MIN];
        model->messages += count;
        model->bytes +=
            count * (long_bytes - (entry < wave->longer ? 0 : model->spec->layout->element));
    }
}

static int run_waves(struct model *model, struct rb_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    const struct rb_layout *layout = model->spec->layout;
    const int64_t long_bytes =
        (layout->bytes / layout->element / rb_plan_n(plan) + 1) * layout->element;
    int8_t *table = malloc((size_t)rb_plan_wave_bytes(plan));
    struct census *rows = calloc(MOST_ROWS + 1, sizeof *rows);
    if (table != NULL && rows != NULL) {
        rb_plan_wave_table(plan, table);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const struct wave wave = wave_at(model, table, t);
            do_wave(&wave, model->through_s, model->next_s);
            count_wave(model, &wave, take_census(rows, &wave), long_bytes);
            double *const done = model->next_s;
            model->next_s = model->through_s;
            model->through_s = done;
        }
    }
    const bool lacking = table == NULL || rows == NULL;
    free(table);
    free(rows);
    return lacking ? rb_fail(error, RB_ENOMEM, "no memory for %d ranks", model->p) : RB_OK;
}

/* ---- The engine ------------------------------------------------------------------------------ */

struct variant {
    const char *name;
    int (*run)(struct model *model, struct rb_error *error);
    bool relative; /* times are by relative rank */
};
static const struct variant variants[] = {{"rounds", run_rounds, false},
                                          {"waves", run_waves, true}};
enum { ROUNDS, WAVES, VARIANTS };

static bool has_waves(const struct rb_sim_spec *spec)
{
    return spec->progress.rule != RB_LOCKSTEP && rb_plan_wave_bytes(spec->plan) > 0 &&
           rb_plan_rounds(spec->plan) > 0 && spec->layout->first == NULL && spec->observer == NULL;
}

static int choose_variant(const struct rb_sim_spec *spec, const struct variant **chosen,
                          struct rb_error *error)
{
    *chosen = &variants[has_waves(spec) ? WAVES : ROUNDS];
    if (spec->variant == NULL)
        return RB_OK;
    for (int32_t i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, spec->variant) == 0) {
            *chosen = &variants[i];
            return i != WAVES || has_waves(spec)
                       ? RB_OK
                       : rb_fail(error, RB_EINVAL,
                                 "variant waves: the rounds of %s %s are no waves in this setting: "
                                 "take rounds",
                                 rb_plan_collective(spec->plan)->name,
                                 rb_plan_algorithm(spec->plan)->name);
        }
    return rb_fail(error, RB_EINVAL,
                   "the model engine has no variant '%s': there are rounds and waves",
                   spec->variant);
}

/* What it can't do yet, it says. */
static int check_spec(const struct rb_sim_spec *spec, struct rb_platform_links *links,
                      struct rb_error *error)
{
    if (!rb_platform_is_generated(spec->platform))
        return rb_fail(error, RB_EINVAL,
                       "the model engine takes platforms by generator, crossbar:%d say, not files",
                       rb_plan_ranks(spec->plan));
    const int status = rb_platform_find_links(spec->platform, links, error);
    if (status != RB_OK)
        return status;
    if (links->contended)
        return rb_fail(error, RB_EINVAL,
                       "%s: the model engine knows no shared links: take a crossbar, or the engine "
                       "simgrid",
                       spec->platform);
    if (spec->ppn != 1)
        return rb_fail(error, RB_EINVAL,
                       "the model engine has one rank per host, not %d: take the engine simgrid",
                       spec->ppn);
    if (rb_plan_ranks(spec->plan) > links->hosts)
        return rb_fail(error, RB_EINVAL, "%d ranks don't fit on the %d hosts of %s",
                       rb_plan_ranks(spec->plan), links->hosts, spec->platform);
    if (rb_plan_ports(spec->plan) != 1)
        return rb_fail(error, RB_EINVAL, "the model engine's ranks have one port");
    if (spec->progress.rule == RB_WINDOW && spec->progress.window > 1)
        return rb_fail(error, RB_EINVAL,
                       "the model engine has one round in flight per rank and can't do window:%d: "
                       "take blocking, lockstep, or the engine simgrid",
                       spec->progress.window);
    if (spec->want_links > 0)
        return rb_fail(error, RB_EINVAL,
                       "the model engine doesn't count what links carry; the engine simgrid does");
    if (spec->option_count > 0)
        return rb_fail(error, RB_EINVAL, "the model engine has no options, and '%s' is none",
                       spec->options[0]);
    return RB_OK;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By rank, and the latest. */
static void take_times(struct model *model, bool relative, struct rb_sim_result *result)
{
    const int32_t root = relative ? rb_plan_root(model->spec->plan) : 0;
    for (int32_t i = 0; i < model->p; i++) {
        const int32_t rank = i < model->p - root ? i + root : i - (model->p - root);
        result->time_s = later(result->time_s, model->through_s[i]);
        if (model->spec->want_finish)
            result->finish_s[rank] = model->through_s[i];
    }
}

static int run(struct model *model, const struct variant *variant, struct rb_sim_result *result,
               struct rb_error *error)
{
    const size_t p = (size_t)model->p;
    model->through_s = calloc(p, sizeof *model->through_s);
    model->next_s = calloc(p, sizeof *model->next_s);
    if (model->spec->want_finish)
        result->finish_s = calloc(p, sizeof *result->finish_s);
    int status = model->through_s == NULL || model->next_s == NULL ||
                         (model->spec->want_finish && result->finish_s == NULL)
                     ? rb_fail(error, RB_ENOMEM, "no memory for %d ranks", model->p)
                     : RB_OK;
    if (status == RB_OK)
        status = variant->run(model, error);
    if (status == RB_OK)
        take_times(model, variant->relative, result);
    free(model->through_s);
    free(model->next_s);
    return status;
}

static int simulate(const struct rb_sim_spec *spec, struct rb_sim_result *result,
                    struct rb_error *error)
{
    struct rb_platform_links links;
    const struct variant *variant;
    int status = check_spec(spec, &links, error);
    if (status == RB_OK)
        status = choose_variant(spec, &variant, error);
    if (status != RB_OK)
        return status;
    struct model model = {.spec = spec,
                          .p = rb_plan_ranks(spec->plan),
                          .alpha_s = links.latency_s,
                          .beta_s_per_byte = 1 / links.bandwidth};
    const double started = now_s();
    status = run(&model, variant, result, error);
    result->wall_s = now_s() - started;
    snprintf(result->variant, sizeof result->variant, "%s", variant->name);
    result->rounds = rb_plan_rounds(spec->plan);
    result->messages = model.messages;
    result->bytes = model.bytes;
    result->hosts = links.hosts;
    result->uncontended = true;
    result->alpha_s = model.alpha_s;
    result->beta_s_per_byte = model.beta_s_per_byte;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        result->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    if (status != RB_OK)
        rb_sim_result_free(result);
    return status;
}

const struct rb_engine rb_engine_model = {
    .name = "model",
    .title = "the model engine",
    .start_s = 1e-4,
    .message_s = 5e-8,
    .observes = true,
    .simulate = simulate,
};
