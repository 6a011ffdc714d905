/* test_port_bound.c - bounds with start-ups and bytes on the same ports: the closed forms are what
 * their definitions say, and no schedule of small cases is faster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/bound_problem.h"
#include "roundabout.h"

static void expect_near(double found, double expected, double within, const char *what, int p,
                        double bytes)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%s, p = %d, bytes worth %g start-ups: %.12g is not %.12g", what, p, bytes, found,
                 expected);
}

static const double sizes[] = {1e-4, .3, 1, 5.24288, 17, 84, 1342, 1e5};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- Closed forms ---------------------------------------------------------------------------- */

/* The most bytes with which the root can be done in time, message after message. */
static double most_from_root(int32_t p, double time)
{
    double sum = 0;
    for (int32_t j = 1;; j++) {
        const double fresh = (time - (rb_ceil_log2(p) - 1) - j - sum) / 2;
        if (fresh <= 0)
            return sum;
        sum += fresh;
    }
}

static void the_roots_port_is_searched_exactly(void **state)
{
    (void)state;
    for (int32_t p = 3; p <= 1000; p = p * 3 / 2)
        for (int i = 0; i < SIZES; i++) {
            double low = 0, high = 100 + 3 * sizes[i];
            for (int step = 0; step < 100; step++) {
                const double middle = (low + high) / 2;
                *(most_from_root(p, middle) < sizes[i] ? &low : &high) = middle;
            }
            expect_near(point_bound_root(rb_ceil_log2(p), sizes[i]), high, 1e-9 * high, "root", p,
                        sizes[i]);
        }
}

/* True if some byte's messages can cost so little: D of at least 2 (p - 1) - D lie on one path. */
static bool scan_fits(double p, double ports, double bytes, double time)
{
    double least = INFINITY;
    for (double d = 0; d <= p - 1 && d < time; d += .001 * (p - 1))
        least = fmin(least, d * time / (time - d) + 2 * (p - 1) - 2 * d);
    return least <= ports * p * time / bytes;
}

static void the_bound_of_scans_is_searched_exactly(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 1000; p = p * 3 / 2 + 1)
        for (int32_t ports = 1; ports <= 2; ports++)
            for (int i = 0; i < SIZES; i++) {
                double low = 0, high = p + 3 * sizes[i];
                for (int step = 0; step < 60; step++) {
                    const double middle = (low + high) / 2;
                    *(scan_fits(p, ports, sizes[i], middle) ? &high : &low) = middle;
                }
                const double found = point_bound_scan(p, ports, sizes[i]);
                if (!(found <= high * (1 + 1e-9) && found >= high * (1 - 1e-3)))
                    fail_msg("scan, p = %d, %d ports, %g: %g is not %g", p, ports, sizes[i], found,
                             high);
            }
}

/* Every number of rounds, with the destinations by their numbers of messages. */
static double rounds_one_by_one(int32_t p, int32_t ports, double pair)
{
    double least = INFINITY;
    for (int32_t d = rb_ceil_log(p, 1 + (int64_t)ports); d <= p; d++) {
        double left = p - 1, exactly = 1, sent = 0;
        for (int32_t j = 1; left > 0; j++) {
            exactly = exactly * ports * (d - j + 1) / j;
            const double now = fmin(exactly, left);
            sent += j * now;
            left -= now;
        }
        least = fmin(least, d + sent * pair / ports);
    }
    return least;
}

static void test_rounds(void **state)
{
    (void)state;
    for (int32_t p = 2; p <= 700; p += 1 + p / 20)
        for (int32_t ports = 1; ports <= 3; ports++)
            for (double pair = 1e-4; pair < 100; pair *= 1.7)
                expect_near(point_bound_rounds(p, ports, pair), rounds_one_by_one(p, ports, pair),
                            1e-9 * (p + p * pair), "rounds", p, pair);
}

/* The most bytes that can have entered a node for all its ranks in time, tick after tick from the
 * end: a byte that enters so many ticks before the end needs a copy for each set of ranks that one
 * can still tell. */
static double most_entered(double time, double inner, int ranks, int ports)
{
    enum { TICKS = 10000 };
    double entered = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        double told = 1;
        for (double left = (tick + .5) / TICKS * time; left > inner && told < ranks; left -= inner)
            told *= 1 + ports;
        entered += fmin(told, ranks) / ranks * time / TICKS;
    }
    return entered;
}

static void what_enters_last_enters_for_each_rank(void **state)
{
    static const double inner = .2;
    (void)state;
    for (int ranks = 1; ranks <= 40; ranks += 1 + ranks / 5)
        for (int ports = 1; ports <= 3; ports++)
            for (int i = 0; i < SIZES - 2; i++) {
                const double time = point_bound_enter(sizes[i], inner, ranks, ports);
                expect_near(most_entered(time, inner, ranks, ports), sizes[i], 1e-3 * time, "enter",
                            ranks, sizes[i]);
            }
    expect_near(point_bound_enter(1, inner, 9, 0), 1 + inner * 8 / 9, 1e-12, "enter", 9, 1);
    expect_near(point_bound_enter(1, 0, 9, 1), 1, 0, "enter", 9, 1);
}

/* ---- Small cases, all schedules ---------------------------------------------------------------
 *
 * Ranks hold values of pieces of the data: the combination of ranks i .. j, as bit
 * i * RANKS + j. A message brings one value of some pieces, and starts when both ports and its
 * values are there. */

enum { RANKS = 5, PIECES = 4 };

struct search {
    int p, pieces;
    double piece[PIECES]; /* in start-ups */
    uint32_t goal[RANKS];
    double best;
};

struct held {
    uint32_t values[RANKS][PIECES];
    double since[RANKS][PIECES][RANKS * RANKS]; /* a value's time */
    double out[RANKS], in[RANKS];
};

static uint32_t value_of(int i, int j)
{
    return UINT32_C(1) << (i * RANKS + j);
}

/* Adds a value and what can be combined with it. */
static void add(struct held *held, int rank, int piece, int i, int j, double time)
{
    double *since = &held->since[rank][piece][i * RANKS + j];
    if (held->values[rank][piece] & value_of(i, j) && *since <= time)
        return;
    held->values[rank][piece] |= value_of(i, j);
    *since = time;
    for (int k = 0; k < RANKS; k++) {
        if (k < i && held->values[rank][piece] & value_of(k, i - 1))
            add(held, rank, piece, k, j, fmax(time, held->since[rank][piece][k * RANKS + i - 1]));
        if (k > j && held->values[rank][piece] & value_of(j + 1, k))
            add(held, rank, piece, i, k, fmax(time, held->since[rank][piece][(j + 1) * RANKS + k]));
    }
}

static void find_best(struct search *search, const struct held *held, double time);

/* Chooses the message's value of this piece and of the following ones. */
static void choose(struct search *search, const struct held *held, double time, int from, int to,
                   int piece, int chosen[PIECES], double bytes, double start)
{
    if (piece < search->pieces) {
        chosen[piece] = -1;
        choose(search, held, time, from, to, piece + 1, chosen, bytes, start);
        for (int value = 0; value < RANKS * RANKS; value++) {
            if (!(held->values[from][piece] >> value & 1) || held->values[to][piece] >> value & 1)
                continue;
            chosen[piece] = value;
            choose(search, held, time, from, to, piece + 1, chosen, bytes + search->piece[piece],
                   fmax(start, held->since[from][piece][value]));
        }
        return;
    }
    const double end = fmax(start, fmax(held->out[from], held->in[to])) + 1 + bytes;
    if (bytes <= 0 || end >= search->best - 1e-12)
        return;
    struct held next = *held;
    next.out[from] = next.in[to] = end;
    for (int i = 0; i < search->pieces; i++)
        if (chosen[i] >= 0)
            add(&next, to, i, chosen[i] / RANKS, chosen[i] % RANKS, end);
    find_best(search, &next, fmax(time, end));
}

static void find_best(struct search *search, const struct held *held, double time)
{
    int missing = 0;
    for (int rank = 0; rank < search->p; rank++) {
        double here = 0;
        for (int piece = 0; piece < search->pieces; piece++)
            if ((search->goal[rank] & ~held->values[rank][piece]) != 0)
                here += search->piece[piece];
        /* What is missing still has to enter, in a message more. */
        if (here > 0 && held->in[rank] + 1 + here >= search->best - 1e-12)
            return;
        missing += here > 0;
    }
    if (missing == 0) {
        search->best = fmin(search->best, time);
        return;
    }
    for (int from = 0; from < search->p; from++)
        for (int to = 0; to < search->p; to++) {
            int chosen[PIECES];
            if (from != to)
                choose(search, held, time, from, to, 0, chosen, 0, 0);
        }
}

/* The least time of a broadcast from rank 0, or of a scan, of `bytes` in equal pieces. */
static double best_of(bool scan, bool inclusive, int p, int pieces, double bytes, double most)
{
    struct search search = {.p = p, .pieces = pieces, .best = most + 1e-9};
    struct held held = {0};
    for (int piece = 0; piece < pieces; piece++)
        search.piece[piece] = bytes / pieces;
    for (int rank = 0; rank < p; rank++) {
        search.goal[rank] = !scan       ? value_of(0, 0)
                            : inclusive ? value_of(0, rank)
                            : rank > 0  ? value_of(0, rank - 1)
                                        : 0;
        for (int piece = 0; piece < pieces && (scan || rank == 0); piece++)
            add(&held, rank, piece, rank, rank, 0);
    }
    find_best(&search, &held, 0);
    return search.best;
}

static void test_small_broadcasts(void **state)
{
    static const int cases[][2] = {{3, 1}, {3, 2}, {3, 3}, {4, 1}, {4, 2}, {5, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 1; k < 6; k++) {
            const int p = cases[i][0], n = cases[i][1];
            /* The circulant broadcast takes n - 1 + q rounds. */
            const double circulant = (n - 1 + rb_ceil_log2(p)) * (1 + sizes[k] / n);
            const double best = best_of(false, false, p, n, sizes[k], circulant);
            if (!(point_bound_root(rb_ceil_log2(p), sizes[k]) <= best * (1 + 1e-9)))
                fail_msg("broadcast, p = %d, %d pieces, %g: %g is possible, and the bound is %g", p,
                         n, sizes[k], best, point_bound_root(rb_ceil_log2(p), sizes[k]));
            if (k == 3 && n == 2)
                expect_near(best, 3 * (1 + 5.24288 / 2), 1e-6, "broadcast", p, sizes[k]);
            if (k == 1 && p == 3 && n == 1) /* the bound is reached */
                expect_near(best, point_bound_root(rb_ceil_log2(p), sizes[k]), 1e-9, "broadcast", p,
                            sizes[k]);
        }
}

/* The least time of an allgather of these shares, at most `most`. */
static double best_of_shares(int p, const double share[], double most)
{
    struct search search = {.p = p, .pieces = p, .best = most + 1e-9};
    struct held held = {0};
    for (int rank = 0; rank < p; rank++) {
        search.goal[rank] = value_of(0, 0);
        search.piece[rank] = share[rank];
        add(&held, rank, rank, 0, 0, 0);
    }
    find_best(&search, &held, 0);
    return search.best;
}

/* Equal shares reach the bound, by doubling; others need no less. */
static void test_small_shares(void **state)
{
    static const double weights[][4] = {{1, 1},    {3, 1},    {1, 1, 1},   {2, 1, 1},
                                        {5, 1, 2}, {1, 7, 7}, {1, 1, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        for (int k = 1; k < 6; k++) {
            double share[4], all = 0, largest = 0;
            int p = 0;
            for (; p < 4 && weights[i][p] > 0; p++) {
                share[p] = weights[i][p] * sizes[k];
                all += share[p];
                largest = fmax(largest, share[p]);
            }
            /* By doubling, if all were as large. */
            const double doubling = rb_ceil_log2(p) + (p - 1) * largest;
            const double best = best_of_shares(p, share, doubling);
            const double bound = point_bound_shares(all, largest);
            if (!(bound <= best * (1 + 1e-9)))
                fail_msg("shares %d, %g: %g is possible, and the bound is %g", (int)i, sizes[k],
                         best, bound);
            if (all == p * largest)
                expect_near(best, bound, 1e-9 * bound, "shares", p, sizes[k]);
        }
}

static void test_small_scans(void **state)
{
    static const int cases[][2] = {{2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 1; k < 6; k++)
            for (int inclusive = 0; inclusive < 2; inclusive++) {
                const int p = cases[i][0], n = cases[i][1];
                const double chain = (n + p - 2) * (1 + sizes[k] / n);
                const double best = best_of(true, inclusive, p, n, sizes[k], chain);
                const double scan = point_bound_scan(p, 1, sizes[k]),
                             root =
                                 p > 2 ? point_bound_root(rb_ceil_log2(p), sizes[k]) : 1 + sizes[k];
                if (!(fmax(scan, root) <= best * (1 + 1e-9)))
                    fail_msg("scan, p = %d, %d pieces, %g: %g is possible, and bounds are %g, %g",
                             p, n, sizes[k], best, scan, root);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_roots_port_is_searched_exactly),
        cmocka_unit_test(the_bound_of_scans_is_searched_exactly),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(what_enters_last_enters_for_each_rank),
        cmocka_unit_test(test_small_broadcasts),
        cmocka_unit_test(test_small_shares),
        cmocka_unit_test(test_small_scans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
