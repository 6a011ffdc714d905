#define _POSIX_C_SOURCE 200809L

#include "eta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/memory.h"
#include "support/pool.h"

/* ---- Real time ------------------------------------------------------------------------------- */

double sup_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Time left ------------------------------------------------------------------------------- */

/* Kinds whose numbers are equal modulo this are taken for one. */
enum { KINDS = 4093 };

/* From this share on, the share that a running piece reports determines its time. */
static const double trusted_share = 0.01;
/* A piece that has taken longer than its estimate is expected to take this many times its age. */
static const double outlived = 1.5;

struct sums {
    double cost_s, took_s;
};

struct piece {
    double cost_s, whole_s; /* whole_s: that a piece cut by the limit would have taken */
    uint32_t kind;
};

struct sup_eta {
    size_t pieces, next; /* those before next have begun */
    int32_t workers;
    double limit_s, factor;              /* factor: of kinds that nothing is known of */
    struct sums done[KINDS], now[KINDS]; /* now: with what is running */
    struct sup_eta_running *running;     /* room for all workers */
    struct piece piece[];
};

struct sup_eta *sup_eta_create(size_t pieces, int32_t workers, double limit_s)
{
    struct sup_eta *eta = sup_calloc(1, sizeof *eta + pieces * sizeof eta->piece[0]);
    eta->pieces = pieces;
    eta->workers = workers;
    eta->limit_s = limit_s;
    eta->running = sup_calloc((size_t)workers, sizeof *eta->running);
    return eta;
}

void sup_eta_destroy(struct sup_eta *eta)
{
    if (eta != NULL)
        free(eta->running);
    free(eta);
}

void sup_eta_describe(struct sup_eta *eta, size_t i, double cost_s, uint64_t kind)
{
    eta->piece[i] = (struct piece){.cost_s = fmax(cost_s, 1e-6), .kind = (uint32_t)(kind % KINDS)};
}

static void add(struct sums *sums, double cost_s, double took_s)
{
    sums->cost_s += cost_s;
    sums->took_s += took_s;
}

void sup_eta_learn(struct sup_eta *eta, double cost_s, uint64_t kind, double took_s)
{
    add(&eta->done[kind % KINDS], fmax(cost_s, 1e-6), took_s);
}

void sup_eta_done(struct sup_eta *eta, size_t i, double took_s)
{
    const struct piece *piece = &eta->piece[i];
    const bool cut = eta->limit_s > 0 && took_s >= eta->limit_s;
    add(&eta->done[piece->kind], piece->cost_s, cut ? fmax(took_s, piece->whole_s) : took_s);
    eta->next = i + 1 > eta->next ? i + 1 : eta->next;
}

static double factor_of(const struct sup_eta *eta, uint32_t kind)
{
    const struct sums *sums = &eta->now[kind];
    return sums->took_s > 0 ? sums->took_s / sums->cost_s : eta->factor;
}

/* Each kind counts once: those whose costs are the highest, perhaps because they are wrong, must
 * not decide for all others. */
static void find_factor(struct sup_eta *eta)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < KINDS; k++)
        if (eta->now[k].took_s > 0) {
            sum += log(eta->now[k].took_s / eta->now[k].cost_s);
            count++;
        }
    eta->factor = count > 0 ? exp(sum / count) : 1;
}

/* What a running piece has done already, or takes longer than expected, counts as finished work. */
static void learn_running(struct sup_eta *eta, const struct sup_eta_running *running)
{
    const struct piece *piece = &eta->piece[running->piece];
    if (running->share > 0)
        add(&eta->now[piece->kind], fmin(running->share, 1) * piece->cost_s, running->elapsed_s);
    else if (running->elapsed_s > piece->cost_s * factor_of(eta, piece->kind))
        add(&eta->now[piece->kind], piece->cost_s, outlived * running->elapsed_s);
}

static double whole_s(struct sup_eta *eta, const struct sup_eta_running *running)
{
    struct piece *piece = &eta->piece[running->piece];
    piece->whole_s =
        running->share >= trusted_share
            ? running->elapsed_s / fmin(running->share, 1)
            : fmax(piece->cost_s * factor_of(eta, piece->kind), outlived * running->elapsed_s);
    return piece->whole_s;
}

static double limited(const struct sup_eta *eta, double time_s)
{
    return eta->limit_s > 0 ? fmin(time_s, eta->limit_s) : time_s;
}

double sup_eta_left_s(struct sup_eta *eta, const struct sup_eta_running running[], int32_t count)
{
    double work_s = 0, longest_s = 0;
    memcpy(eta->now, eta->done, sizeof eta->now);
    find_factor(eta);
    for (int32_t i = 0; i < count; i++)
        learn_running(eta, &running[i]);
    find_factor(eta);
    for (int32_t i = 0; i < count; i++) {
        const double left_s =
            fmax(limited(eta, whole_s(eta, &running[i])) - running[i].elapsed_s, 1e-3);
        eta->next = running[i].piece + 1 > eta->next ? running[i].piece + 1 : eta->next;
        work_s += left_s;
        longest_s = fmax(longest_s, left_s);
    }
    for (size_t i = eta->next; i < eta->pieces; i++) {
        const double left_s =
            limited(eta, eta->piece[i].cost_s * factor_of(eta, eta->piece[i].kind));
        work_s += left_s;
        longest_s = fmax(longest_s, left_s);
    }
    return fmax(work_s / eta->workers, longest_s);
}

double sup_eta_pool_left_s(struct sup_eta *eta, const struct sup_pool *pool,
                           double (*share)(const void *memory))
{
    int32_t count = 0;
    for (int32_t w = 0; w < pool->workers; w++) {
        struct sup_pool_piece piece;
        if (sup_pool_busy(pool, w, &piece))
            eta->running[count++] = (struct sup_eta_running){
                piece.i, piece.wall_s, share == NULL ? 0 : share(piece.memory)};
    }
    return sup_eta_left_s(eta, eta->running, count);
}
