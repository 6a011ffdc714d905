/* levels.h - a collective on groups of ranks as stages, each of which is another collective among
 * some of the ranks: those of a group, the groups' leaders, or a lane.
 *
 * The members of a group are numbered from 0 on, in cyclic order. Member 0 is the group's leader:
 * the root in its own group, otherwise the first rank, or, where there are lanes, the one in the
 * root's place. A lane consists of the members of one number of all groups, which for any root are
 * those of one place: ranks of one place often share a switch. If groups are of different sizes,
 * there are as many lanes as the smallest has ranks, and each goes through the members that
 * lanes.h says; stages inside then must know shares, which are allreduce's. The stages follow each
 * other. A stage takes as many rounds as the largest of its groups needs.
 *
 * The plan has a plan of each stage's algorithm for each size of a group, with rank 0 as the root;
 * its data become the plan's:
 *   - Data of one owner that are divided among the members are shares of the vector, in the order
 *     of members. A lane works on its members' share.
 *   - Where all ranks own data, a leader's data are those of its group, a member's data after a
 *     stage of lanes (or before it, in a reduction) those of its lane, and undivided data are those
 *     of all ranks.
 * An algorithm of this kind has RB_LEVELS(stages) in its descriptor, .cost if its data have one
 * owner, and .pipeline if n is the number of pipelined blocks in some stage. */
#pragma once

#include "schedules/plan/plan.h"

enum rb_level {
    RB_INSIDE,      /* in every group */
    RB_INSIDE_ROOT, /* in the root's group only */
    RB_OVER,        /* the leaders */
    RB_LANES        /* every lane */
};

struct rb_stage {
    const struct rb_algorithm *algorithm;
    enum rb_level level;
};

enum { RB_MOST_STAGES = 4 };

int rb_levels_init(struct rb_plan *plan, char *why, size_t why_size);
void rb_levels_fini(struct rb_plan *plan);
void rb_levels_rank(const struct rb_plan *plan, struct rb_rank *state);
int32_t rb_levels_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                        struct rb_op ops[]);
int64_t rb_levels_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
double rb_levels_cost(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte);
/* The rounds of the stages that are pipelined. */
void rb_levels_pipeline(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);
/* .suits for algorithms with lanes. */
bool rb_levels_suit(const struct rb_plan *plan);

#define RB_LEVELS(...)                                                                             \
    .stages = (const struct rb_stage[]){__VA_ARGS__, {NULL, RB_INSIDE}}, .init = rb_levels_init,   \
    .fini = rb_levels_fini, .rank = rb_levels_rank, .round = rb_levels_round,                      \
    .next = rb_levels_next
