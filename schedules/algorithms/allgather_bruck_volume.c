/* allgather_bruck_volume.c - Bruck's concatenation on k ports, volume first.
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 4, remark at the
 * end. As allgather_bruck.c, but where rounds and volume can't both be the least (concatenation.h)
 * it takes one more round: rounds (C1) ceil(log p to base k + 1), or 1 more; volume in sequence
 * (C2) ceil(n (p - 1)/k), optimal for all p, n and k. No state per rank. p = 15, k = 3, n = 3, d =
 * 2: 3 others by distances 1 to 3, then 3 columns of 3 on each port, then 2 columns of what is left
 * of 15 ranks, 2 blocks on each port. */
#include "schedules/patterns/concatenation.h"

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_concatenation_init(plan, RB_LEAST_VOLUME);
}

const struct rb_algorithm rb_allgather_bruck_volume = {
    .info = {.collective = "allgather",
             .name = "bruck-volume",
             .title = "the same with the least volume, for which it may take one more round",
             .paper = "Bruck et al. 1997, Section 4",
             .rounds = "ceil(log_(k+1) p), or 1 more, k ports",
             .blocks = "how finely the last rounds are shared among the ports",
             .pipelined = false},
    .init = init,
    .round = rb_concatenation_round,
    .next = rb_never_idle,
    .cost = rb_concatenation_cost,
};
