/* verify.h - parts of the verifiers, which tests check by themselves: the checks of whole tables of
 * circulant schedules and of single ranks, and the memory in which a plan is run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/plan/plan.h"

/* Conditions 3 and 4 for rank r with baseblock b, which in round k receives recv[k * stride] and
 * sends send[k * stride]. RB_OK, or RB_EWRONG with the first thing wrong in the verdict. O(q). */
int rb_check_rank(const struct rb_circulant *graph, int32_t r, int32_t b, const int8_t recv[],
                  const int8_t send[], size_t stride, struct rb_verdict *verdict);

/* RB_EWRONG: conditions 1 and 2, which are the same equation read from either end of a message,
 * fail: in round k rank `from` sends one block and rank `to` receives another. */
int rb_ends_differ(const struct rb_circulant *graph, int32_t k, int32_t from, int8_t sent,
                   int32_t to, int8_t received, struct rb_verdict *verdict);

/* An implementation, for one instruction set, of the check of conditions 3 and 4 for all ranks
 * except the root. */
struct rb_schedule_check {
    const char *name;
    bool (*usable)(void); /* true if this machine can run it */
    bool (*all_right)(const struct rb_circulant *graph, const struct rb_schedule_room *room);
};

/* The fastest implementation is first. The last entry has no name and ends the list; the one before
 * it is usable everywhere. */
extern const struct rb_schedule_check rb_schedule_checks[];

/* The four conditions for the table in room, made for this graph. RB_OK or RB_EWRONG, and then
 * *wrong is the rank of the verdict, where two ends differ the sender; the verdict doesn't depend
 * on the check used. */
int rb_verify_table(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                    const struct rb_schedule_check *check, struct rb_verdict *verdict);

/* ---- Memory of the verifier of plans --------------------------------------------------------- */

/* The verifier's memory: the names of the blocks at each location.
 *
 * A value is a datum, the name of a block, and in reductions also the ranks whose contributions it
 * combines, and whether they are in rank order. */

/* 32 bits wide: the verifier holds p * owners * blocks of them. */
typedef int32_t rb_datum; /* RB_NO_DATUM or rb_plan_datum() */
enum { RB_NO_DATUM = -1, RB_MAX_DATA = INT32_MAX };

/* Ranks first .. end - 1. For a value: their contributions, combined in this order; end < 0:
 * combined in another order. */
struct rb_span {
    int32_t first, end;
};

struct rb_store {
    rb_datum *datum;
    uint64_t *set;        /* words per value: bit r is rank r's contribution; NULL: no reductions */
    struct rb_span *span; /* one per value; NULL: no reductions, or in any order */
    bool in_order;        /* set by the user, before there is room: spans are kept */
    size_t words;
    size_t room; /* values */
};

/* Makes room for at least `needed` values and keeps the present ones. ranks: the number of possible
 * contributions, or 0 if values are not combined. RB_ENOMEM. */
int rb_store_grow(struct rb_store *store, size_t needed, int32_t ranks);
void rb_store_free(struct rb_store *store);

/* Sets one value to a datum, in reductions with one rank's contribution; or to RB_NO_DATUM, which
 * has none to be read. */
void rb_store_set(struct rb_store *store, size_t at, rb_datum datum, int32_t rank);
/* Combines one value into another; left: the incoming value is the left operand. If both have a
 * rank's contribution, returns this rank and changes nothing; otherwise returns -1. */
int32_t rb_store_combine(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                         bool left);
/* Combines count values into others. False, and nothing has changed, if both of two that meet have
 * some rank's contribution. */
bool rb_store_combine_all(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                          size_t count, bool left);
/* The lowest of these ranks whose contribution is missing, or -1. */
int32_t rb_store_missing(const struct rb_store *store, size_t at, struct rb_span ranks);
/* The lowest other rank whose contribution the value has, or -1. */
int32_t rb_store_surplus(const struct rb_store *store, size_t at, struct rb_span ranks);
/* True if each of count values has the contributions of these ranks, no others, and, if spans are
 * kept, in order. */
bool rb_store_are_complete(const struct rb_store *store, size_t at, size_t count,
                           struct rb_span ranks);
