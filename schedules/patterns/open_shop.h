/* open_shop.h - an order of messages of unlike lengths, between places that send one and receive
 * one at a time.
 *
 * Source: list scheduling of an open shop, by most work left. A line is a sender with its messages,
 * or a receiver with its own. Of the lines that are free, the one with most left chooses first, and
 * takes the free one with most left on the other side, messages counted twice; so no sender and
 * receiver are free that still have a message, and the end is before twice the longest line. No
 * message is cut.
 *
 * A message has one round at both ends: the one after those before it, there and here. So rounds
 * keep the order of both. Messages without length follow behind all others. */
#pragma once

#include "schedules/plan/plan.h"

struct rb_turn {
    int32_t round, peer;
};
struct rb_shop {
    int32_t places, rounds;
    struct rb_turn *turn; /* places - 1 of each line, by rising round; owned. NULL: in round t each
                           * place sends to the one t + 1 after it */
};

/* For an algorithm's init: an order by what places have for each other, size[s * places + r], which
 * is used up; places >= 1. Without sizes in the spec, or if all are equal, there is no table. The
 * caller frees shop->turn, also after a failure: RB_ENOTSUP above 4096 places, whose table would be
 * too large, or RB_ENOMEM, with why. O(places^2 (log places + free lines)), 16 bytes per pair. */
int rb_shop_make(const struct rb_plan *plan, int32_t places, int64_t size[], struct rb_shop *shop,
                 char *why, size_t why_size);

/* A place's turn to send, or to receive, in the first round >= t that it has one; INT32_MAX: none.
 * O(log places). */
struct rb_turn rb_shop_turn(const struct rb_shop *shop, int32_t place, bool receives, int64_t t);
