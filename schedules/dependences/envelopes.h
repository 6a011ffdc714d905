/* envelopes.h - the messages of rounds as engines need them, told by the plan without their blocks.
 *
 * Packed messages have a block of each of p owners. Some plans of such messages tell their lengths
 * in less time (rb_algorithm.envelopes); of all others engines add up the operations. */
#pragma once

#include "messages.h"
#include "schedules/plan/plan.h"

/* By this end's operations, added up: O(them). */
static inline struct rb_envelope dep_envelope_of(const struct rb_plan *plan,
                                                 const struct rb_layout *layout,
                                                 const struct dep_message *message)
{
    const struct rb_op *ops = message->ops;
    struct rb_envelope envelope = {ops->kind == RB_SEND, ops->peer, ops->port, 0, 0};
    for (int32_t i = 0; i < message->count; i++) {
        const int64_t bytes = rb_layout_bytes(plan, layout, &ops[i].at);
        envelope.bytes += bytes;
        envelope.combined += ops[i].kind == RB_RECV_REDUCE ? bytes : 0;
    }
    return envelope;
}

struct dep_envelopes {
    bool told; /* by the plan, in some of its rounds */
    struct rb_lengths lengths;
    void *table;
    struct rb_envelope *of_round; /* 2 ports: the round asked for last */
};

/* plan and layout must outlive it. RB_ENOMEM: free it as always. O(1), or as the plan's table. */
int dep_envelopes_init(struct dep_envelopes *envelopes, const struct rb_plan *plan,
                       const struct rb_layout *layout);
void dep_envelopes_free(struct dep_envelopes *envelopes); /* safe on a zeroed one */

enum { DEP_UNTOLD = -1 }; /* the plan does not tell the messages of this round */

/* Finds the messages of a rank's round t, which has no local operations, in of_round and returns
 * their number, or DEP_UNTOLD. Builds without NDEBUG ask for the operations, too,
 * in ops: RB_EWRONG with why if these break the rules (rb_layout_checked_round) or have other
 * bytes. The verifier checks all rounds, and never asks here. */
int32_t dep_envelopes_round(struct dep_envelopes *envelopes, const struct rb_rank *state, int64_t t,
                            struct rb_op ops[], char *why, size_t why_size);
