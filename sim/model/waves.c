/* waves.c - rounds as loops over arrays.
 *
 * Where a plan's rounds are waves (rb_plan_wave) and ranks do one round after another, all that a
 * rank has is the time when it was through with its rounds so far: two times per rank and the
 * table. */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "model.h"
#include "support/memory.h"

/* ---- Threads that share out one loop after another ------------------------------------------- */

/* Does share `i` of `shares`. */
typedef void model_share(void *context, int32_t i, int32_t shares);

struct model_threads {
    int32_t shares;       /* the caller's thread does share 0 */
    pthread_t *thread;    /* the others, shares - 1; owned */
    pthread_mutex_t gate; /* closed until all are there */
    pthread_barrier_t begin, end;
    model_share *work; /* the current loop; NULL: the threads end */
    void *context;
};

/* A barrier before each loop and one after it. */

struct member {
    struct model_threads *threads;
    int32_t i;
};

static void *be_member(void *context)
{
    const struct member member = *(struct member *)context;
    struct model_threads *const threads = member.threads;
    free(context);
    pthread_mutex_lock(&threads->gate);
    pthread_mutex_unlock(&threads->gate);
    for (;;) {
        pthread_barrier_wait(&threads->begin);
        if (threads->work == NULL)
            return NULL;
        threads->work(threads->context, member.i, threads->shares);
        pthread_barrier_wait(&threads->end);
    }
}

static bool hire(struct model_threads *threads, int32_t i)
{
    struct member *member = sup_malloc(sizeof *member);
    *member = (struct member){threads, i};
    if (pthread_create(&threads->thread[i - 1], NULL, be_member, member) == 0)
        return true;
    free(member);
    return false;
}

/* Starts threads for `shares` >= 1 shares, or for fewer if there are no more threads to be had:
 * results must not depend on how many. It stays where it is in memory. */
static void threads_start(struct model_threads *threads, int32_t shares)
{
    *threads = (struct model_threads){.shares = 1};
    threads->thread = sup_malloc((size_t)shares * sizeof *threads->thread);
    pthread_mutex_init(&threads->gate, NULL);
    pthread_mutex_lock(&threads->gate);
    while (threads->shares < shares && hire(threads, threads->shares))
        threads->shares++;
    pthread_barrier_init(&threads->begin, NULL, (unsigned)threads->shares);
    pthread_barrier_init(&threads->end, NULL, (unsigned)threads->shares);
    pthread_mutex_unlock(&threads->gate);
}

/* Returns when all shares are done. */
static void threads_run(struct model_threads *threads, model_share *work, void *context)
{
    threads->work = work;
    threads->context = context;
    pthread_barrier_wait(&threads->begin);
    work(context, 0, threads->shares);
    pthread_barrier_wait(&threads->end);
}

static void threads_end(struct model_threads *threads)
{
    threads->work = NULL;
    pthread_barrier_wait(&threads->begin);
    for (int32_t i = 1; i < threads->shares; i++)
        pthread_join(threads->thread[i - 1], NULL);
    pthread_barrier_destroy(&threads->begin);
    pthread_barrier_destroy(&threads->end);
    pthread_mutex_destroy(&threads->gate);
    free(threads->thread);
}

/* ---- The variant ----------------------------------------------------------------------------- */

/* One wave: a table entry of `least` or more is sent, and costs long_s below `longer`, otherwise
 * short_s (layouts put the longer blocks first). */
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

static struct wave wave_at(const struct model_run *model, const int8_t table[], int64_t t)
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
                         .long_s = model_cost_s(&model->parameters, (elements / n + 1) * element),
                         .short_s = model_cost_s(&model->parameters, elements / n * element)};
}

/* The time at which relative rank r is done, which sends to r + to and receives from r + from. */
static inline double next_of(const struct wave *wave, int32_t r, int32_t to, int32_t from,
                             bool sends, bool receives, const double through_s[])
{
    const int32_t mine = wave->entry[r], theirs = wave->entry[r + from];
    const double here = through_s[r];
    const double sent =
        model_later(here, through_s[r + to]) + (mine < wave->longer ? wave->long_s : wave->short_s);
    const double came = model_later(here, through_s[r + from]) +
                        (theirs < wave->longer ? wave->long_s : wave->short_s);
    const double after = sends && mine >= wave->least ? sent : here;
    return receives && theirs >= wave->least ? model_later(after, came) : after;
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

struct job {
    const struct wave *wave;
    const double *through_s;
    double *next_s;
};

/* A share of all ranks; between the marks neither of a rank's partners is beyond rank 0. */
static void do_share(void *context, int32_t i, int32_t shares)
{
    const struct job *job = context;
    const int32_t p = job->wave->p, shift = job->wave->shift, back = p - shift;
    const int32_t mark[] = {0, shift < back ? shift : back, shift < back ? back : shift, p};
    const int32_t first = (int32_t)((int64_t)p * i / shares);
    const int32_t end = (int32_t)((int64_t)p * (i + 1) / shares);
    for (int k = 0; k < 3; k++) {
        const int32_t from = mark[k] > first ? mark[k] : first;
        const int32_t to = mark[k + 1] < end ? mark[k + 1] : end;
        if (from < to)
            do_stretch(job->wave, from, to, job->through_s, job->next_s);
    }
}

/* The root receives nothing, and no rank sends to it. */
static void do_wave(struct model_threads *threads, const struct wave *wave,
                    const double through_s[], double next_s[])
{
    const int32_t p = wave->p, shift = wave->shift, back = p - shift;
    threads_run(threads, do_share,
                &(struct job){.wave = wave, .through_s = through_s, .next_s = next_s});
    next_s[back] =
        next_of(wave, back, -back, shift <= back ? -shift : back, false, back != 0, through_s);
    next_s[0] = next_of(wave, 0, shift, back, shift != p, false, through_s);
}

/* Counts how often each value is in a row of the table, so that messages are counted without
 * visiting the ranks in each round. */
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

static void count_wave(struct model_run *model, const struct wave *wave,
                       const struct census *census, int64_t long_bytes)
{
    for (int32_t entry = wave->least; entry <= INT8_MAX; entry++) {
        const int64_t count = census->count[entry - INT8_MIN];
        model->messages += count;
        model->bytes +=
            (sim_tally)count *
            (sim_tally)(long_bytes - (entry < wave->longer ? 0 : model->spec->layout->element));
    }
}

int model_waves(struct model_run *model, struct sup_error *error)
{
    const struct rb_plan *plan = model->spec->plan;
    const struct rb_layout *layout = model->spec->layout;
    const int64_t long_bytes =
        (layout->bytes / layout->element / rb_plan_n(plan) + 1) * layout->element;
    int8_t *table = sup_malloc((size_t)rb_plan_wave_bytes(plan));
    struct census *rows = sup_calloc(MOST_ROWS + 1, sizeof *rows);
    struct model_threads threads;
    (void)error;
    threads_start(&threads, model->parameters.threads);
    rb_plan_wave_table(plan, table);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        const struct wave wave = wave_at(model, table, t);
        model_tell(model, (double)t / (double)rb_plan_rounds(plan));
        do_wave(&threads, &wave, model->through_s, model->next_s);
        count_wave(model, &wave, take_census(rows, &wave), long_bytes);
        double *const done = model->next_s;
        model->next_s = model->through_s;
        model->through_s = done;
    }
    threads_end(&threads);
    free(table);
    free(rows);
    return RB_OK;
}
