/* streams.h - plans for ranks that share ports: streams of blocks over and inside groups.
 *
 * The ranks are cut into N groups of consecutive ranks (rb_plan_groups), each of which has one port
 * to the others: in a round, one message enters a group and one leaves it. C_m is the circulant
 * graph on m nodes (Traeff 2024, Algorithms 2 to 6), q(m) = ceil(log2 m), its skips are s_0 <= s_1
 * <= ..., and recv and send are a node's schedules (schedules/circulant/circulant.c).
 *
 * Over groups. Port rounds are u = 0 .. U - 1, U = n + D (q(N) - 1). Class c = u mod D, 0 <= c < D,
 * is a circulant broadcast over C_N (bcast_circulant.c), of which u is round i = u div D: of the
 * blocks c, c + D, c + 2 D, ... below n. What a group receives in port round u, a block or nothing,
 * is its slot u. A group knows its own slots from its own schedule over C_N, so any two groups
 * agree on what passes between them without knowing anything else of each other.
 *
 * Inside a group of k ranks, slots are passed on in the order of their numbers by a circulant
 * broadcast without an end, in one of five kinds of streams:
 *   RB_TURNS   Two leaders take turns at the port: the group's first rank takes in the slots of
 *              even port rounds, the second those of odd ones, and in the same rounds they send
 *              outside. In the rounds between, a leader is node 0 of C_(k-1), whose other nodes are
 *              the group's other ranks: in port round u the one that is off the port sends slot
 *              u - 1, in inner round w = u - 1, and receives slot u - B, which is one of the other
 *              leader's since B is even, from the node that would send to node 0. k > 2.
 *   RB_DEPUTY  The same, but node 0 of C_(k-2) is the group's third rank, the deputy: in port
 *              round u it receives slot u - 1 from the leader off the port, and w = u - 2; that
 *              leader receives slot u - B from the node that would send to node 0. So what the
 *              leaders do inside is done in turn, and what they do outside, too
 *              (docs/groups.md). k > 2.
 *   RB_LEADER  The nodes of C_k are the ranks. Node 0 takes in slot u in port round u and sends it
 *              in inner round w = u, which is port round u + 1. The node that would send to node 0
 *              is free to send outside: it is the group's way out in that round.
 *   RB_ROOT    The root's group: as RB_LEADER, but node 0 is the root, slots are blocks, and inner
 *              round w is port round w - E: the group starts E rounds before the first port round.
 *   RB_SOURCE  The root's group, with two leaders, the first ranks after the root, and E = 1: in
 *              port round u the root sends block u + 1 to the leader off the port, node 0 of
 *              C_(k-2), which sends block u - 1 inside. The leader on the port sends outside, and
 *              receives block u - B, B odd, from the node that would send to node 0. k > 2.
 * In inner round w, k = w mod q, node v sends slot (w - k) + send[k] to v + s_k. The last node of
 * that round, m - s_k, is the one whose target is node 0. So each rank receives one message in a
 * round and sends one, which is all that it can do on one port, and that is why the streams lose
 * no time in the long run.
 *
 * When are the data there? What a group sends in round i of a class it received in a round i' < i
 * of that class, in port round u - D (i - i'): its slot of age D, 2 D, 3 D or more. With RB_TURNS
 * and an even D the leader on the port took it in itself: each class is Traeff's broadcast on
 * leaders of the groups. Otherwise the last node of round w has the slot of age a unless it
 * receives it in inner round w or later. By condition 3 of circulant.c, node v receives in round k'
 * of each phase the slot that is recv[k'] after the phase's first. So the ages that it still lacks
 * before inner round w are
 *   { k - recv[k'] - j q >= 0 : 0 <= k' < q, j >= 0, and j >= 1 if k' < k },
 * and RB_LEADER can feed class distance D if no multiple of D is among them, for any k; there ages
 * are one larger, because w = u - 1. B - 1 (RB_DEPUTY: B - 2), which is an inner age, may not be
 * among them. With RB_ROOT the way out sends in port round u the block u, which has age E there, or
 * at the end of a class block u - j D, of age E + j D: none of these may be missing. B is the
 * smallest number of its parity that will do, D and E are the ones with the fewest rounds (below).
 * docs/groups.md proves this and has a table.
 *
 * Rounds. The last slot enters in port round U - 1, and is with all ranks of its group F rounds
 * later at most: the largest of w' - w over all nodes, from the inner round w in which node 0
 * sends a slot to the w' in which it is received, max of k - recv[k], and one more since w = u - 1
 * (RB_DEPUTY: two); for RB_TURNS and RB_DEPUTY, B if that is more. The root's group is done after n
 * + G rounds: G is that maximum for RB_ROOT, and for RB_SOURCE two more, or B + 1 if that is more.
 * So there are
 *   n + max(E + D (q(N) - 1) + F, G)
 * rounds. With RB_TURNS D = 2 and E = 1; D = 1 is impossible, because a rank that takes in and
 * sends out a slot in every round has no time to pass it on. Groups of one rank each have D = 1 and
 * E = F = G = 0: what is left is the circulant broadcast. All ranks in one group share their port
 * with nobody, and are planned as groups of one.
 *
 * A plan has streams with leaders that take turns, or of the two other kinds, as have groups of one
 * or two ranks in any plan. Turns need fewer rounds, and each leader has the time of two rounds for
 * what is outside and inside, so that the latencies of successive messages between hosts overlap.
 * One leader is better where the group's first rank is the only one without a detour. */
#pragma once

#include "packed.h"
#include "schedules/plan/plan.h"

enum rb_stream_kind { RB_TURNS, RB_DEPUTY, RB_LEADER, RB_ROOT, RB_SOURCE };

/* The root's group. */
struct rb_stream_root {
    enum rb_stream_kind kind; /* RB_ROOT or RB_SOURCE */
    int32_t lead;             /* E */
    int32_t drain;            /* G */
    int32_t back;             /* B of RB_SOURCE */
};

/* Of plans with lanes (lanes.h); count 0: others. */
struct rb_stream_lanes {
    int32_t count;
    int32_t lead;     /* E: rounds before the first port round */
    int64_t exchange; /* the port round in which the members' exchange begins */
};

struct rb_streams {
    struct rb_groups groups;  /* the plan's; groups of one if it has but one */
    enum rb_stream_kind kind; /* RB_TURNS, RB_DEPUTY or RB_LEADER */
    struct rb_circulant over;
    int32_t root_group; /* -1: every group has data of its own */
    struct rb_stream_root root;
    int32_t classes;         /* D */
    int32_t drain;           /* F */
    int32_t back;            /* B; RB_LEADER: 0 */
    int64_t n;               /* blocks */
    int64_t port_rounds;     /* U */
    int64_t class_n[2];      /* blocks of a class: of the first n mod D, and of the others */
    int64_t class_before[2]; /* virtual rounds of such a class (bcast_circulant.c) */
    int32_t gathering;       /* of packed streams: rounds before the first */
    bool of_groups;          /* of packed streams: a group owns data together */
    int8_t *table;           /* of packed streams: send rows of C_N, baseblocks */
    struct rb_row_top top[RB_MAX_Q]; /* and of each row */
    struct rb_stream_lanes lanes;
};

/* Makes the streams of a one-port plan of p > 1 ranks and leaves them in plan->data.own; rooted:
 * one group has all data. As rb_algorithm's init. O(N + k log k) for groups of k. */
int rb_streams_init(struct rb_plan *plan, bool rooted, enum rb_stream_kind kind, char *why,
                    size_t why_size);
void rb_streams_fini(struct rb_plan *plan); /* safe on a plan without streams */

static inline const struct rb_streams *rb_streams_of(const struct rb_plan *plan)
{
    return plan->data.own;
}

/* Deals the port rounds to so many classes. */
void rb_streams_set_classes(struct rb_streams *streams, int32_t classes);

/* Rounds above n. */
int64_t rb_streams_extra(const struct rb_streams *streams);

/* Port round u: the round of its class. */
struct rb_slot {
    bool any;      /* false: nothing is sent over groups */
    int32_t k;     /* round of a phase over C_N */
    int32_t first; /* c */
    int64_t shift; /* an entry of a schedule over C_N, plus shift, is a block's number in the class:
                      negative: none, beyond last: last */
    int64_t last;
};
struct rb_slot rb_streams_slot(const struct rb_streams *streams, int64_t u);

/* The block of this entry, or -1. */
static inline int64_t rb_slot_block(const struct rb_streams *streams, const struct rb_slot *slot,
                                    int8_t entry)
{
    const int64_t index = entry + slot->shift;
    return !slot->any || index < 0
               ? -1
               : slot->first + streams->classes * (index < slot->last ? index : slot->last);
}

/* One group's stream. */
struct rb_inside {
    enum rb_stream_kind kind;
    int32_t group;
    int32_t first, size; /* its ranks */
    int32_t nodes, q;
    int32_t index_0; /* rank first + (i + index_0) mod size has index i */
    int32_t leaders; /* RB_TURNS, RB_SOURCE: the index of the even leader, which the odd one
                      * follows, and nodes 1, 2, ... after that; others: node v has index v */
    int32_t delay;   /* inner round w is port round w + delay */
    int32_t back;    /* B */
};
struct rb_inside rb_streams_inside(const struct rb_plan *plan, int32_t group);

static inline bool rb_inside_turns(const struct rb_inside *inside)
{
    return inside->kind == RB_TURNS || inside->kind == RB_DEPUTY || inside->kind == RB_SOURCE;
}

static inline int32_t rb_inside_at(const struct rb_inside *inside, int32_t index)
{
    const int32_t to_end = inside->size - inside->index_0;
    return inside->first + (index < to_end ? index + inside->index_0 : index - to_end);
}

/* The leaders on and off the port in port round u. */
static inline int32_t rb_inside_on_port(const struct rb_inside *inside, int64_t u)
{
    return rb_inside_at(inside, inside->leaders + (int32_t)(u & 1));
}
static inline int32_t rb_inside_off_port(const struct rb_inside *inside, int64_t u)
{
    return rb_inside_at(inside, inside->leaders + 1 - (int32_t)(u & 1));
}

/* The rank that is a node in port round u, and the node that a rank is: 0 for both leaders, and for
 * the root. */
static inline int32_t rb_inside_rank(const struct rb_inside *inside, int32_t node, int64_t u)
{
    if (!rb_inside_turns(inside))
        return rb_inside_at(inside, node);
    if (inside->kind == RB_DEPUTY)
        return rb_inside_at(inside, node + inside->leaders + 2);
    return node == 0 ? rb_inside_off_port(inside, u)
                     : rb_inside_at(inside, node + inside->leaders + 1);
}
static inline int32_t rb_inside_node(const struct rb_inside *inside, int32_t rank)
{
    int32_t index = rank - inside->first - inside->index_0;
    index += index < 0 ? inside->size : 0;
    const int32_t node = rb_inside_turns(inside) ? index - inside->leaders - 1 : index;
    return node > 0 ? node - (inside->kind == RB_DEPUTY) : 0;
}

/* s_k: skips are rounded-up halves, and halves of halves round up to the same. */
static inline int32_t rb_inside_skip(const struct rb_inside *inside, int32_t k)
{
    const int32_t halvings = inside->q - k;
    return (int32_t)(((int64_t)inside->nodes + ((INT64_C(1) << halvings) - 1)) >> halvings);
}

/* The receive and send schedules of the rank's node on C_nodes: 2 q bytes. */
void rb_inside_schedules(const struct rb_inside *inside, int32_t rank, int8_t bytes[]);

/* The ranks that take in, and send out, the group's message of a port round. */
int32_t rb_inside_entry(const struct rb_inside *inside, int64_t u);
int32_t rb_inside_exit(const struct rb_inside *inside, int64_t u);

/* What a rank does in port round u (which is negative while the root's group starts). */
struct rb_inside_step {
    bool enters;      /* it takes in slot u from outside */
    bool leaves;      /* it may send outside */
    int32_t to, from; /* other ranks of the group, or -1 */
    int64_t out, in;  /* the slots that it sends to and receives from these */
};
/* recv and send: rb_inside_schedules. */
struct rb_inside_step rb_inside_step(const struct rb_inside *inside, int32_t rank,
                                     const int8_t recv[], const int8_t send[], int64_t u);

/* Group + and - a skip over C_N. */
static inline int32_t rb_streams_to(const struct rb_streams *streams, int32_t group, int32_t k)
{
    const int32_t back = streams->over.p - streams->over.skip[k];
    return group < back ? group + streams->over.skip[k] : group - back;
}
static inline int32_t rb_streams_from(const struct rb_streams *streams, int32_t group, int32_t k)
{
    return group >= streams->over.skip[k] ? group - streams->over.skip[k]
                                          : group + (streams->over.p - streams->over.skip[k]);
}

/* The delays of a stream on C_nodes (nodes >= 1), for tables. missing: bit a is set if the last
 * node of a round may lack the slot of age a, in inner rounds. drain: max of k - recv[k]. O(nodes
 * log nodes). */
struct rb_stream_delays {
    uint64_t missing;
    int32_t drain;
};
struct rb_stream_delays rb_stream_delays(int32_t nodes);

/* Of groups of k ranks, with streams of a kind (RB_TURNS or RB_LEADER): the least D, F, B, and what
 * they make of the root's group. O(k log k). */
struct rb_stream_figures {
    int32_t classes, drain, back;
    struct rb_stream_root root;
};
struct rb_stream_figures rb_stream_figures(int32_t k, enum rb_stream_kind kind);
