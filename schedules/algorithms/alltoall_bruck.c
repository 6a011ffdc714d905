/* alltoall_bruck.c - few rounds: data travel by the binary digits of their distance (Bruck's index
 * algorithm of radix 2, one port).
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 3, r = 2, k = 1.
 * Rounds: q = ceil(log2 p), optimal. Volume: in round t the blocks for all distances below p that
 * have bit t set, at most n p / 2; n p q / 2 in all if p is a power of two. No state per rank.
 *
 * What rank s has for d, at distance k = (d - s) mod p, moves by 2^t in round t if bit t of k is
 * set. So before round t it is at s + (k mod 2^t): in SRC if it has not moved yet, else in TMP; and
 * it arrives in DST if no higher bit is set. The paper's first and last phase, which rotate the
 * data at each rank, are nothing but this naming of places. p = 5:
 *
 *   round  distances      by
 *     0    1, 3           1
 *     1    2, 3           2
 *     2    4              4
 */
#include "../plan.h"

/* Of the distances 1 .. p - 1, how many have bit t set. */
static int32_t distances_with(int32_t p, int32_t t)
{
    const int32_t half = (int32_t)1 << t, rest = p & (2 * half - 1);
    return p / (2 * half) * half + (rest > half ? rest - half : 0);
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const int32_t q = rb_ceil_log2(plan->p);
    int32_t most = 0;
    for (int32_t t = 0; t < q; t++) {
        const int32_t many = distances_with(plan->p, t);
        most = many > most ? many : most;
    }
    plan->rounds = q > 0 ? q : 1;
    plan->max_ops = 2 * most + 1;
    plan->buffers |= 1u << RB_TMP;
    return rb_need_one_port(plan, why, why_size);
}

/* Where the data at this distance are at `rank` before round t, when it is their turn to move. */
static struct rb_range leaving(const struct rb_plan *plan, int32_t rank, int32_t distance,
                               int32_t t)
{
    const int32_t moved = distance & (((int32_t)1 << t) - 1);
    const int32_t owner = rb_after(plan, rank, plan->p - moved);
    return rb_addressed(plan, moved == 0 ? RB_SRC : RB_TMP, owner, rb_after(plan, owner, distance));
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const int32_t p = plan->p, bit = (int32_t)1 << t, rank = state->rank;
    const int32_t many = p > 1 ? distances_with(p, (int32_t)t) : 0;
    const int32_t to = rb_after(plan, rank, bit), from = rb_after(plan, rank, p - bit);
    int32_t i = 0;
    for (int32_t distance = bit; i < many; distance = (distance + 1) | bit, i++) {
        const struct rb_range theirs = leaving(plan, from, distance, (int32_t)t);
        const bool arrives = distance < 2 * bit;
        ops[i] = (struct rb_op){
            .kind = RB_SEND, .peer = to, .at = leaving(plan, rank, distance, (int32_t)t)};
        ops[many + i] = (struct rb_op){.kind = RB_RECV, .peer = from, .at = theirs};
        ops[many + i].at.buffer = arrives ? RB_DST : RB_TMP;
    }
    if (t > 0)
        return 2 * many;
    ops[2 * many] = rb_keep_own(plan, rank);
    return 2 * many + 1;
}

static double cost(const struct rb_plan *plan, double bytes, double alpha_s, double beta_s_per_byte)
{
    const double p = plan->p;
    double parts = 0;
    for (int32_t t = 0; t < plan->rounds; t++)
        parts += distances_with(plan->p, t);
    return (double)plan->rounds * alpha_s + parts * bytes / (p * p) * beta_s_per_byte;
}

const struct rb_algorithm rb_alltoall_bruck = {
    .info = {.collective = "alltoall",
             .name = "bruck",
             .title = "by the binary digits of the distance (Bruck's index, radix 2)",
             .paper = "Bruck et al. 1997",
             .rounds = "ceil(log2 p)",
             .blocks = "all blocks for a rank travel together",
             .pipelined = false},
    .init = init,
    .round = round_,
    .next = rb_never_idle,
    .cost = cost,
};
