/* allgather_bruck.c - what a rank has grows (k + 1)-fold in every round (Bruck's concatenation, k
 * ports); rounds first.
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby 1997, Section 4. Rounds (C1):
 * ceil(log p to base k + 1), optimal. Volume in sequence (C2): ceil(n (p - 1)/k), optimal, but in
 * some of the range n >= 3, k >= 3, (k + 1)^d - k < p < (k + 1)^d up to n - 1 more:
 * concatenation.h. Each rank receives n (p - 1) blocks, optimal. No state per rank. p = 5, k = 2:
 * ranks 0 and 1 on, then 3 and 4. */
#include "schedules/patterns/concatenation.h"
#include "schedules/plan/plan.h"

static int init_least_rounds(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_concatenation_init(plan, RB_LEAST_ROUNDS);
}

static int init_least_volume(struct rb_plan *plan, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    return rb_concatenation_init(plan, RB_LEAST_VOLUME);
}

RB_ROW(rb_allgather_bruck, "allgather", "bruck",
       "a rank's data grow (k + 1)-fold in every round (Bruck's concatenation)",
       "Bruck et al. 1997, Section 4", "ceil(log_(k+1) p), k ports",
       .info.blocks = "how finely the last round is shared among the ports",
       .init = init_least_rounds, .round = rb_concatenation_round, .next = rb_never_idle,
       .cost = rb_concatenation_cost);

/* Volume first. Source: Section 4, remark at the end. As above, but where rounds and volume can't
 * both be the least (concatenation.h) it takes one more round: rounds (C1) ceil(log p to base k +
 * 1), or 1 more; volume in sequence (C2) ceil(n (p - 1)/k), optimal for all p, n and k. p = 15, k =
 * 3, n = 3, d = 2: 3 others by distances 1 to 3, then 3 columns of 3 on each port, then 2 columns
 * of what is left of 15 ranks, 2 blocks on each port. */
RB_ROW(rb_allgather_bruck_volume, "allgather", "bruck-volume",
       "Bruck's concatenation with the least volume, in some cases in one more round",
       "Bruck et al. 1997, Section 4", "ceil(log_(k+1) p), or 1 more, k ports",
       .info.blocks = "how finely the last rounds are shared among the ports",
       .init = init_least_volume, .round = rb_concatenation_round, .next = rb_never_idle,
       .cost = rb_concatenation_cost);
