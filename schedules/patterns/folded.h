/* folded.h - a power of two of participants among p ranks, and their operations on one vector of
 * shares. Recursive doubling and halving, and Rabenseifner's algorithms, consist of these.
 *
 * Of p = s + f ranks, s the largest power of two, the first 2 f are paired: relative rank 2 i takes
 * part for itself and for 2 i + 1, which is folded away, as MPI libraries do (Rabenseifner 2004;
 * Thakur, Rabenseifner, Gropp 2005). Participants are numbered 0 .. s - 1 in the order of their
 * ranks, so that participants a .. b - 1 stand for consecutive ranks. p = 5: s = 4, f = 1; ranks 0,
 * 2, 3, 4 are participants 0 .. 3, rank 1 is folded away.
 *
 * The vector has s shares of n blocks, or travels whole; ranks are relative, the data the root's.
 * Each function writes at most two operations, sends first, and returns their number.
 *
 * Participants exchange along the dimensions of a hypercube, or on a Bine butterfly (bine.h). While
 * shares are halved, distances halve on a hypercube; or they double on it, as on a Bine butterfly,
 * and then shares have other numbers than the participants that they end with. */
#pragma once

#include "schedules/plan/plan.h"

struct rb_folded {
    int32_t participants; /* s */
    int32_t folded;       /* f */
    int32_t steps;        /* log2 s */
    enum rb_exchange {
        RB_HALVING,  /* on a hypercube, far partners first while shares are halved */
        RB_DOUBLING, /* near ones first */
        RB_BINE,     /* on a Bine butterfly, near ones first */
    } exchange;
};

/* With RB_HALVING; and with another exchange. */
struct rb_folded rb_folded_of(int32_t p);
struct rb_folded rb_folded_by(int32_t p, enum rb_exchange exchange);

/* The participant that relative rank r is, or -1 if it is folded away. */
static inline int32_t rb_folded_number(const struct rb_folded *folded, int32_t r)
{
    if (r >= 2 * folded->folded)
        return r - folded->folded;
    return r % 2 == 0 ? r / 2 : -1;
}

/* The relative rank of participant i; for i = s, p. */
static inline int32_t rb_folded_rank(const struct rb_folded *folded, int32_t i)
{
    return i < folded->folded ? 2 * i : i + folded->folded;
}

/* An algorithm's init and cost: one port, s shares of n blocks that are halved and doubled (or
 * scattered, or gathered) once each, in 2 log2 s rounds that move 2 (s - 1)/s of the vector. If p
 * is not a power of two, there are whole_rounds further rounds that move the whole vector. */
int rb_shares_init(struct rb_plan *plan, int32_t whole_rounds, char *why, size_t why_size);
double rb_shares_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte);

/* kind RB_RECV_REDUCE: ranks that are folded away send their whole vector to their participants,
 * which combine it; kind RB_RECV: they get the whole vector from their participants. */
int32_t rb_fold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                struct rb_op ops[]);
int32_t rb_unfold(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                  struct rb_op ops[]);

/* Participants exchange, so that of 2 h aligned shares that both have, each sends the half that
 * belongs to the other, and combines what it receives of its own half. h goes from s / 2 to 1. With
 * RB_HALVING participant i exchanges with i ^ h and ends with share i. Otherwise this is step
 * log2(s / (2 h)) of a butterfly whose distances double, and i ends with the share whose number is
 * that of i, or of its Bine steps, in reversed bits. */
int32_t rb_shares_halve(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                        int32_t h, struct rb_op ops[]);
/* The reverse, without combining: each participant has h aligned shares, and both get 2 h. h goes
 * from 1 to s / 2. */
int32_t rb_shares_double(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                         int32_t h, struct rb_op ops[]);
/* The same after rb_shares_scatter, without the messages of shares that their receiver has sent in
 * it. */
int32_t rb_shares_complete(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                           int32_t h, struct rb_op ops[]);
/* Binomial tree to the participant with share 0: participants whose share is an odd multiple of h
 * send h shares to the participant whose share is h less. h goes from 1 to s / 2; for the scatter
 * from s / 2 to 1, with directions exchanged. With RB_BINE it is a Bine tree. */
int32_t rb_shares_gather(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                         int32_t h, struct rb_op ops[]);
int32_t rb_shares_scatter(const struct rb_plan *plan, const struct rb_folded *folded, int32_t r,
                          int32_t h, struct rb_op ops[]);

/* An algorithm's next, if folding is its first round and unfolding its last, and all participants
 * are active in all rounds between. A rank that is folded away is idle between these two rounds,
 * and a participant that stands for itself only is idle in them. */
int64_t rb_folded_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
