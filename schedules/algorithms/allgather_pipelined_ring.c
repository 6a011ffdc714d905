/* allgather_pipelined_ring.c - the ring, each rank's data cut into n blocks that follow each other.
 *
 * Source: J. L. Traeff, A. Ripke, C. Siebert, P. Balaji, R. Thakur, W. Gropp 2010: the pipelined
 * ring for irregular counts. Rounds: n + p - 2. Volume: n (p - 1) blocks received per rank,
 * optimal. Rank j's data move as in a chain that starts at j; the chains of all ranks run at once,
 * and what one rank sends in one round is one message. No state per rank.
 *
 * In round t rank r sends block t - d of rank r - d to r + 1, for each distance d at which there is
 * such a block, 0 <= d <= p - 2. p = 3, n = 2: round 0: own block 0; round 1: own block 1 and the
 * left neighbour's block 0; round 2: the left neighbour's block 1. */
#include "schedules/plan/plan.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int64_t p = plan->p, together = plan->n < p - 1 ? plan->n : p - 1;
    return rb_on_one_port(plan, p == 1 ? 0 : plan->n + p - 2, p == 1 ? 1 : (int32_t)(2 * together),
                          why, why_size);
}

/* The block that the rank `sender` sends in round t. */
static int32_t pack(const struct rb_plan *plan, enum rb_op_kind kind, int32_t peer, int32_t sender,
                    int64_t t, struct rb_op ops[])
{
    const int64_t p = plan->p;
    const int64_t first = t < plan->n ? 0 : t - plan->n + 1, last = t < p - 2 ? t : p - 2;
    int32_t count = 0;
    for (int64_t d = first; d <= last; d++)
        ops[count++] = (struct rb_op){
            .kind = kind,
            .peer = peer,
            .at = {RB_DST, (int32_t)(sender >= d ? sender - d : sender - d + p), t - d, 1}};
    return count;
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, r = state->rank;
    const int32_t left = r > 0 ? r - 1 : p - 1, right = r < p - 1 ? r + 1 : 0;
    const int32_t sent = pack(plan, RB_SEND, right, r, t, ops);
    return sent + pack(plan, RB_RECV, left, left, t, ops + sent);
}

RB_ROW(rb_allgather_pipelined_ring, "allgather", "pipelined-ring",
       "a chain from every rank, all at once round a ring", "Traeff et al. 2010", "n + p - 2",
       RB_PIPELINED(" of every rank"), .init = init, .round = round_, .next = rb_never_idle,
       .cost = rb_cost_of_others);
