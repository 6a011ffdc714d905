/* bcast_knomial.c - the k-nomial tree: r - 1 messages in each digit to base r, the highest digit
 * first; every block to all children before the next block.
 *
 * Source: the broadcast trees of Open MPI (coll/base, ompi_coll_base_topo_build_kmtree; algorithm
 * `knomial` of coll/tuned, radix 4 unless set) and of MPICH (treealgo, knomial_2, whose children of
 * a digit are in falling order). The parent of relative rank v is v with its lowest digit other
 * than 0 set to 0; v's children have one digit more, below that one. With radix 2 this is the
 * binomial tree, with radix p the root sends to all. With L = ceil(log p to base r) the root has S
 * = (r - 1) (L - 1) + ceil(p / r^(L-1)) - 1 children, more than any other rank, and its last child
 * is as late as any rank. Rounds: S n (tree.h). Volume: n (p - 1) blocks. In the model of one port
 * n = 1 is best, because the root sends in every round. State per rank: its place in the tree.
 *
 * p = 6, r = 3, n = 1: 0 -> 3; 0 -> 1, 3 -> 4; 0 -> 2, 3 -> 5. */
#include "schedules/patterns/tree.h"

/* In the plan's numbers, after those of tree.h: the weight of the highest digit. In a rank's state:
 * the weight of the highest digit of its children. */
enum { TOP = 2, BELOW = RB_TREE_OWN };

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    if (plan->radix == 0)
        plan->radix = plan->p >= 4 ? 4 : plan->p > 2 ? plan->p : 2;
    const int64_t r = plan->radix;
    int64_t top = 1, children = 0;
    for (; top * r < plan->p; top *= r)
        children += r - 1;
    children += (plan->p + top - 1) / top - 1;
    plan->data.number[TOP] = top;
    return rb_tree_init(plan, children, children - 1, why, why_size);
}

/* How many children rank v has whose digit of this weight differs from v's, which is 0. */
static int64_t children_of(const struct rb_plan *plan, int64_t v, int64_t weight)
{
    const int64_t exist = (plan->p - 1 - v) / weight;
    return exist < plan->radix - 1 ? exist : plan->radix - 1;
}

/* On the path from the root, whose ranks agree with v in the higher digits. */
static void place(const struct rb_plan *plan, struct rb_rank *state)
{
    int64_t *number = state->state.number;
    int64_t at = 0, served = 0, arrival = -1;
    number[RB_TREE_PARENT] = -1;
    number[BELOW] = plan->data.number[TOP];
    for (int64_t weight = plan->data.number[TOP]; weight > 0; weight /= plan->radix) {
        const int64_t digit = (state->relative - at) / weight;
        if (digit == 0) {
            served += children_of(plan, at, weight);
            continue;
        }
        number[RB_TREE_PARENT] = at;
        number[BELOW] = weight / plan->radix;
        arrival += served + digit;
        at += digit * weight;
        served = 0;
    }
    number[RB_TREE_ARRIVAL] = arrival;
    number[RB_TREE_CHILDREN] = served;
}

static int32_t child(const struct rb_plan *plan, const struct rb_rank *state, int32_t j)
{
    int64_t weight = state->state.number[BELOW];
    for (int64_t many; j >= (many = children_of(plan, state->relative, weight));
         weight /= plan->radix)
        j -= (int32_t)many;
    return (int32_t)(state->relative + (j + 1) * weight);
}

static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    return rb_tree_round(plan, state, t, child, ops);
}

RB_ROW(rb_bcast_knomial, "bcast", "knomial", "pipelined k-nomial tree, the farthest ranks first",
       "Open MPI 4.1; MPICH 4.0", RB_KNOMIAL_ROUNDS, RB_PIPELINED(""),
       .info.radix = "r - 1 messages in each digit to base r", RB_TREE(init, place, round_));
