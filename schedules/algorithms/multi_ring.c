/* multi_ring.c - one ring per port, each with its share of the data: a ring passes through the
 * groups in their order, and through the ranks of a group from another one on.
 *
 * Source: the channels of NCCL (Hu et al., Demystifying NCCL, 2025, arXiv 2507.04786), which in
 * every node come in at one GPU each and leave at another one, so that all adapters are in use.
 * Groups are the nodes. Ring j of c = k visits the ranks of a group of K from its rank j mod K on.
 * So on each port one message enters a group, and one leaves it, in a round; groups of one rank
 * have c equal rings. n blocks of each rank's data, or of the root's, are on each ring. Rounds:
 * allgather p - 1; broadcast n + p - 2. Volume: c n (p - 1) blocks received per rank, or in all,
 * optimal. No state per rank. Two groups of 2, k = 2: rings 0 1 2 3 and 1 0 3 2. */
#include "schedules/patterns/chain.h"
#include "schedules/plan/plan.h"

/* The rank in a place of a ring, or the place of a rank; a group has its ranks' numbers as places.
 */
static int32_t turned(const struct rb_plan *plan, int32_t ring, int32_t at, bool to_place)
{
    const int32_t group = rb_group_of(&plan->groups, at);
    const int32_t first = rb_group_first(&plan->groups, group);
    const int32_t size = rb_group_size(&plan->groups, group), by = ring % size;
    return first + (at - first + (to_place ? size - by : by)) % size;
}

/* The rank `by` places behind another one, and how many places behind the root a rank is. */
static int32_t behind(const struct rb_plan *plan, int32_t ring, int32_t rank, int32_t by)
{
    return turned(plan, ring, rb_after(plan, turned(plan, ring, rank, true), by), false);
}
static int32_t distance(const struct rb_plan *plan, int32_t ring, int32_t rank)
{
    return rb_after(plan, turned(plan, ring, rank, true),
                    plan->p - turned(plan, ring, plan->root, true));
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->rounds = plan->p == 1 ? 0 : plan->p - 2 + (plan->owners > 1 ? 1 : plan->n);
    plan->max_ops = 2 * rb_used_ports(plan);
    return rb_multiply_blocks(plan, rb_used_ports(plan), why, why_size);
}

/* Blocks of a ring, to the rank one place behind, or from the rank before. */
static struct rb_op move(const struct rb_plan *plan, enum rb_op_kind kind, int32_t ring,
                         int32_t rank, int32_t owner, int64_t first, int64_t count)
{
    return (struct rb_op){.kind = kind,
                          .peer = behind(plan, ring, rank, kind == RB_SEND ? 1 : plan->p - 1),
                          .port = ring,
                          .at = {RB_DST, owner, ring * plan->n + first, count}};
}

static int32_t allgather_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                               struct rb_op ops[])
{
    const int32_t r = state->rank, rings = rb_used_ports(plan), ahead = plan->p - (int32_t)t;
    for (int32_t ring = 0; ring < rings; ring++) {
        const int32_t sent = behind(plan, ring, r, ahead);
        const int32_t received = behind(plan, ring, r, ahead - 1);
        ops[ring] = move(plan, RB_SEND, ring, r, sent, 0, plan->n);
        ops[rings + ring] = move(plan, RB_RECV, ring, r, received, 0, plan->n);
    }
    return 2 * rings;
}

static int32_t bcast_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                           struct rb_op ops[])
{
    const int32_t r = state->rank, rings = rb_used_ports(plan);
    int32_t count = 0;
    for (int32_t i = 0; i < 2 * rings; i++) {
        const int32_t ring = i % rings, place = distance(plan, ring, r);
        const int64_t block =
            i < rings ? rb_chain_sent(plan, place, t) : rb_chain_received(plan, place, t);
        if (block >= 0)
            ops[count++] = move(plan, i < rings ? RB_SEND : RB_RECV, ring, r, plan->root, block, 1);
    }
    return count;
}

static int64_t bcast_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    int64_t next = plan->rounds;
    for (int32_t ring = 0; ring < rb_used_ports(plan); ring++) {
        const struct rb_rank on_ring = {.relative = distance(plan, ring, state->rank)};
        const int64_t active = rb_chain_next(plan, &on_ring, t);
        next = active < next ? active : next;
    }
    return next;
}

static double allgather_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                             double beta_s_per_byte)
{
    return rb_cost_of_others(plan, bytes, alpha_s, beta_s_per_byte / rb_used_ports(plan));
}

static double bcast_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                         double beta_s_per_byte)
{
    return rb_chain_cost(plan, bytes, alpha_s, beta_s_per_byte / rb_used_ports(plan));
}

/* A block is 1/c as long as in other pipelines with this n. */
static void bcast_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed)
{
    rb_chain_pipeline(plan, per_block, fixed);
    *per_block *= rb_used_ports(plan);
}

RB_ROW(rb_allgather_multi_ring, "allgather", "multi-ring",
       "a ring per port, each through the ranks of a group from another one on", "Hu et al. 2025",
       "p - 1", .info.blocks = "blocks of a rank on each ring, which travel together", RB_BY_GROUPS,
       .init = init, .round = allgather_round, .next = rb_never_idle, .cost = allgather_cost);

RB_ROW(rb_bcast_multi_ring, "bcast", "multi-ring",
       "a pipelined chain per port, each through the ranks of a group from another one on",
       "Hu et al. 2025", "n + p - 2", RB_PIPELINED(" on each ring"), RB_BY_GROUPS, .init = init,
       .round = bcast_round, .next = bcast_next, .cost = bcast_cost, .pipeline = bcast_pipeline);
