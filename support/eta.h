/* eta.h - how long a job of many pieces will still take.
 *
 * Each piece has an estimated cost in seconds and is of a kind. Machines differ, and estimates can
 * be wrong for all pieces of a kind, so the work that is done corrects the costs of its kind, and
 * all kinds together those of a kind that nothing is known of. There is no clock in here: the same
 * calls give the same answers. */
#ifndef SUPPORT_ETA_H
#define SUPPORT_ETA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece that is being done. */
struct sup_eta_running {
    size_t piece;
    double elapsed_s;
    double share; /* the part that is done, from 0 to 1; 0: not known */
};

struct sup_eta;
struct sup_pool;

/* A job of so many pieces, which `workers` (>= 1) do in their order, each ended after limit_s at
 * the latest (0: no limit). The caller destroys it. */
struct sup_eta *sup_eta_create(size_t pieces, int32_t workers, double limit_s);
void sup_eta_destroy(struct sup_eta *eta); /* NULL is fine */

/* Describes piece i; every piece must be described before anything else is asked or told. A kind
 * is any number, such as a hash of what its pieces have in common. */
void sup_eta_describe(struct sup_eta *eta, size_t i, double cost_s, uint64_t kind);

/* A piece of this kind that was done earlier took so long. */
void sup_eta_learn(struct sup_eta *eta, double cost_s, uint64_t kind, double took_s);

/* Piece i has ended. */
void sup_eta_done(struct sup_eta *eta, size_t i, double took_s);

/* The time left, with these pieces running. Above 0 as long as a piece is not done. */
double sup_eta_left_s(struct sup_eta *eta, const struct sup_eta_running running[], int32_t count);

/* The time left of a pool whose pieces these are, to be called in its tick. `share` reads from a
 * worker's memory how far its piece is; NULL: not known. */
double sup_eta_pool_left_s(struct sup_eta *eta, const struct sup_pool *pool,
                           double (*share)(const void *memory));

#endif
