/* eta.h - how long a job of many pieces will still take.
 *
 * Each piece has an estimated cost in seconds. Machines differ, and an estimate can be wrong for
 * all pieces of a kind, so the pieces that are done correct the costs of the others. A kind is a
 * path from coarse to fine, such as engine, network, algorithm: what is known of the finest kind
 * counts most, and where little is known, the coarser kind decides. There is no clock in here: the
 * same calls give the same answers. */
#ifndef SUPPORT_ETA_H
#define SUPPORT_ETA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUP_ETA_LEVELS = 5 };

/* For each level a hash of what the pieces of this kind have in common at that level. */
struct sup_eta_kind {
    uint64_t level[SUP_ETA_LEVELS];
};

/* A piece that is being done. */
struct sup_eta_running {
    size_t piece;
    double elapsed_s;
    double share; /* how far it is, from 0 to 1; 0: not known */
};

struct sup_eta;

/* A job of so many pieces, which `workers` (>= 1) do in their order, each ended after limit_s at
 * the latest (0: no limit). NULL: out of memory. */
struct sup_eta *sup_eta_create(size_t pieces, int32_t workers, double limit_s);
void sup_eta_destroy(struct sup_eta *eta); /* NULL is fine */

/* Describes piece i; every piece must be described before anything else is asked or told. False:
 * out of memory. */
bool sup_eta_describe(struct sup_eta *eta, size_t i, double cost_s,
                      const struct sup_eta_kind *kind);

/* A piece of this kind that was done earlier took so long. */
void sup_eta_learn(struct sup_eta *eta, double cost_s, const struct sup_eta_kind *kind,
                   double took_s);

/* Piece i has ended. A piece that failed says nothing about other kinds. */
void sup_eta_done(struct sup_eta *eta, size_t i, double took_s, bool failed);

/* The time left, with these pieces running. Above 0 as long as a piece is not done. */
double sup_eta_left_s(struct sup_eta *eta, const struct sup_eta_running running[], int32_t count);

/* The worker that is free first gets work of so many seconds. free_s[w] is when a worker is free,
 * all 0 at first; a heap: free_s[0] is the earliest. O(log workers). */
void sup_eta_give_work(double free_s[], int32_t workers, double work_s);

#endif
