/* verify_store.h - the verifier's memory: the names of the blocks at each location.
 *
 * A value is a datum, the name of a block, and in reductions also the ranks whose contributions it
 * combines, and whether they are in rank order. */
#ifndef RB_SCHEDULES_VERIFY_VERIFY_STORE_H
#define RB_SCHEDULES_VERIFY_VERIFY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* The lowest of these ranks whose contribution is missing, or -1. */
int32_t rb_store_missing(const struct rb_store *store, size_t at, struct rb_span ranks);
/* The lowest other rank whose contribution the value has, or -1. */
int32_t rb_store_surplus(const struct rb_store *store, size_t at, struct rb_span ranks);

#endif
