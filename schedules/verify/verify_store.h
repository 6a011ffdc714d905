/* verify_store.h - the verifier's memory: what lies in a place, by name.
 *
 * A value is a datum, the name of a block, and in reductions also which ranks' contributions it
 * combines, and whether they stand in rank order. */
#ifndef RB_SCHEDULES_VERIFY_VERIFY_STORE_H
#define RB_SCHEDULES_VERIFY_VERIFY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 32 bits wide: the verifier holds p * owners * blocks of them. */
typedef int32_t rb_datum; /* RB_NO_DATUM or rb_plan_datum() */
enum { RB_NO_DATUM = -1, RB_MAX_DATA = INT32_MAX };

/* Ranks first .. end - 1. Of a value: their contributions, combined in this order; end < 0: in
 * another order. */
struct rb_span {
    int32_t first, end;
};

struct rb_store {
    rb_datum *datum;
    uint64_t *set;        /* words per value: bit r is rank r's contribution; NULL: no reductions */
    struct rb_span *span; /* one per value; NULL likewise */
    size_t words;
    size_t room; /* values */
};

/* Room for at least `needed` values, keeping those there. ranks: 0 if values are not combined, else
 * how many contributions there may be. RB_ENOMEM. */
int rb_store_grow(struct rb_store *store, size_t needed, int32_t ranks);
void rb_store_free(struct rb_store *store);

/* One value: a datum, in reductions with one rank's contribution. */
void rb_store_set(struct rb_store *store, size_t at, rb_datum datum, int32_t rank);
/* Copies count values; the ranges may overlap if the stores are the same. */
void rb_store_copy(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                   size_t count);
/* Combines one value into another; left: the incoming one stands left of the operator. Returns a
 * rank whose contribution both have, and then changes nothing, else -1. */
int32_t rb_store_combine(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                         bool left);
/* The lowest of these ranks whose contribution is missing, or -1. */
int32_t rb_store_missing(const struct rb_store *store, size_t at, struct rb_span ranks);
/* The lowest of all other ranks whose contribution is there, or -1. */
int32_t rb_store_surplus(const struct rb_store *store, size_t at, struct rb_span ranks);

#endif
