/* eta.h - real time, and how long a job of many pieces will still take. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Real time ------------------------------------------------------------------------------- */

/* Seconds since an arbitrary moment before the program started. Setting the computer's clock does
 * not change it. */
double sup_clock_s(void);

/* ---- Time left ------------------------------------------------------------------------------- */

/* How long a job of many pieces will still take.
 *
 * Each piece has an estimated cost in seconds and is of a kind. Machines differ, and estimates can
 * be wrong for all pieces of a kind, so the work that is done corrects the costs of its kind. All
 * kinds together correct the costs of a kind of which no piece is done. The module reads no clock:
 * the same calls give the same results. */

/* A piece that a worker is doing now. */
struct sup_eta_running {
    size_t piece;
    double elapsed_s;
    double share; /* the part that is done, from 0 to 1; 0: not known */
};

struct sup_eta;
struct sup_pool;

/* Creates the estimate for a job of `pieces` pieces, which `workers` (>= 1) do in their order. Each
 * piece is ended after limit_s at the latest (0: no limit). The caller destroys it. */
struct sup_eta *sup_eta_create(size_t pieces, int32_t workers, double limit_s);
void sup_eta_destroy(struct sup_eta *eta); /* NULL is fine */

/* Describes piece i; every piece must be described before the other functions are called. A kind
 * is any number, such as a hash of what its pieces have in common. */
void sup_eta_describe(struct sup_eta *eta, size_t i, double cost_s, uint64_t kind);

/* Records the time that a piece of this kind took in an earlier run. */
void sup_eta_learn(struct sup_eta *eta, double cost_s, uint64_t kind, double took_s);

/* Records that piece i has ended. */
void sup_eta_done(struct sup_eta *eta, size_t i, double took_s);

/* The time left while these pieces run. It is above 0 as long as a piece is not done. */
double sup_eta_left_s(struct sup_eta *eta, const struct sup_eta_running running[], int32_t count);

/* The time left of a pool whose pieces these are, to be called in its tick. `share` reads from a
 * worker's memory how far its piece is; NULL: not known. */
double sup_eta_pool_left_s(struct sup_eta *eta, const struct sup_pool *pool,
                           double (*share)(const void *memory));
