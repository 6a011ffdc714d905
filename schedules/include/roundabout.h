/* roundabout.h - plans for pipelined collectives: make, ask, verify.
 *
 * A plan says, for every rank and every round, which blocks go where. It knows ranks, roots,
 * ports and block counts, never addresses: rb_layout turns blocks into bytes. Plans are immutable
 * once made and may be shared by any number of threads.
 *
 * Conventions. Functions that can fail return 0 or a negative RB_E... code and give results through
 * pointers. Where a function takes (char *why, size_t why_size), it writes there, when it fails,
 * one line for a person, always terminated; why may be NULL. The library never prints, exits or
 * keeps mutable globals. Ranks are int32_t, blocks, rounds and bytes are int64_t.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ROUNDABOUT_H
#define ROUNDABOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RB_VERSION "0.1.0"

enum rb_status {
    RB_OK = 0,
    RB_EINVAL = -1,  /* the request makes no sense: why says which part and what would be right */
    RB_ENOMEM = -2,  /* out of memory */
    RB_EWRONG = -3,  /* the thing checked is false: a plan or schedule is wrong */
    RB_ENOTSUP = -4, /* this algorithm has no such thing (a closed form, say) */
    RB_EIO = -5,     /* reading or writing failed (never from the core) */
    RB_EFAILED = -6, /* a run failed (never from the core) */
};

/* ---- The circulant graph and its schedules (Traeff 2024, Algorithms 2 to 6) ---------------------
 *
 * p: ranks, 1 <= p <= 2^30. q = ceil(log2 p). Relative ranks: the root is 0. */

enum { RB_MAX_RANKS = 1 << 30, RB_MAX_Q = 30, RB_MAX_PORTS = 1024 };

struct rb_circulant {
    int32_t p;
    int32_t q;
    int32_t skip[RB_MAX_Q + 2]; /* skip[0..q], skip[q] = p; the entry beyond is for the library */
    /* For the library: */
    int32_t odd[RB_MAX_Q + 1];    /* how many of skip[1..k] are odd */
    int32_t odd_at[RB_MAX_Q + 1]; /* skip[odd_at[i]] is the i-th odd one of these, i >= 1 */
    int32_t low;                  /* skip[low] is the first larger than odd[q] */
};

/* Algorithm 2. RB_EINVAL unless 1 <= p <= RB_MAX_RANKS. O(log p). */
int rb_circulant_init(struct rb_circulant *graph, int32_t p);

/* Algorithm 3: the first block that relative rank r receives; q for r = 0. O(log p). */
int32_t rb_circulant_baseblock(const struct rb_circulant *graph, int32_t r);

/* Algorithms 4 and 5: block[k], 0 <= k < q, is the block that relative rank r receives in round k
 * of a phase; negative ones belong to the phase before. O(log p), no allocation. */
void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);

/* Algorithm 6: likewise, the block that r sends in round k. O(log p), no allocation. */
void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);

/* The same for all ranks at once: base[r], and in rows of p entries send[k * p + r] and
 * recv[k * p + r], k < q; entry by entry what the functions above give. docs/core.md proves this,
 * so plans use a table without checking it; rb_verify_schedule checks one. recv may be NULL: its
 * row k is row k of send, rotated, as what r receives is what r - skip[k] (mod p) sends. The caller
 * owns the arrays, p, p q and p q bytes. O(p log p) with the constant of memcpy, q or 2 q bytes per
 * rank; 28 KB of stack, no allocation. */
void rb_circulant_table(const struct rb_circulant *graph, int8_t base[], int8_t recv[],
                        int8_t send[]);

/* ---- Blocks and operations ----------------------------------------------------------------- */

/* Where a block lies (rb_plan_spot). A collective that works in place of one user buffer (bcast)
 * has only DST. In SRC and DST a block lies at its own name; TMP is the algorithm's to use as it
 * likes. A plan may have buffers that its collective doesn't. */
enum rb_buffer { RB_SRC, RB_DST, RB_TMP, RB_BUFFERS };

enum rb_op_kind {
    RB_SEND,        /* the blocks leave for peer */
    RB_RECV,        /* the blocks come from peer and replace what is there */
    RB_RECV_REDUCE, /* the blocks come from peer and are combined with what is there */
    RB_COPY,        /* local: the blocks are copied from (from_buffer, from_owner, from_first) */
    RB_REDUCE,      /* local: likewise combined */
    RB_OP_KINDS
};

/* Blocks first .. first + count - 1 of owner's data, in a buffer. Where data have destinations
 * (rb_plan_parts), they are of one part. */
struct rb_range {
    enum rb_buffer buffer;
    int32_t owner; /* whose data: a rank; the root (0 if there is none) if there is one owner */
    int64_t first; /* 0 <= first, first + count <= rb_plan_blocks() */
    int64_t count; /* >= 1 */
};

/* One range moved. All operations of a round with the same direction (send; or recv and
 * recv-reduce), peer and port make one message, its ranges in the order given, which is the same on
 * both sides. All sends read the state at the start of the round; receives take effect in the order
 * given, and what is received is there at the round's end; then local operations run in order.
 *
 * What rank r's round t must keep to. rb_round_check checks what concerns one rank's round (1 to
 * 9), rb_verify_plan all of it; rb_plan_next checks 12.
 *   1  It has at most rb_plan_max_ops operations, each of a kind above.
 *   2  Sends come first, then receives (with and without reduction), then local operations.
 *   3  The peer of a message is a rank, 0 <= peer < p, and not r; that of a local operation is r.
 *   4  The port of a message is in 0 .. ports - 1; that of a local operation is 0.
 *   5  In each direction a port carries at most one message, whose operations stand together.
 *   6  A range (at; of local operations from, too) has one block or more, all of them blocks of the
 *      plan, in a buffer that the plan has (rb_plan_has); its owner is the root (0 if there is
 *      none) where data have one owner. Where data are addressed, its blocks are of one part; in
 *      SRC they are r's own, and in DST they are for r.
 *   7  A local operation reads as many blocks as it writes, at places that don't meet
 *      (rb_plan_overlap).
 *   8  Only collectives that are `reducing` have RB_RECV_REDUCE and RB_REDUCE.
 *   9  What RB_RECV writes, no other receive of the round writes. Reductions may meet each other;
 *      they take effect in the order given, on real MPI, too. A send may read what a receive
 *      writes: it reads the state before.
 *  10  Of each message the peer has the other end in its round t, at the same port, of as many
 *      blocks: the same blocks, by their names, in the same order.
 *  11  A send, a copy and a reduction read what is there; SRC and DST (where data are addressed,
 *      TMP, too) hold blocks under their own names only.
 *  12  t <= next(t) <= rounds, and the rounds that next leaves out are those without operations. */
struct rb_op {
    enum rb_op_kind kind;
    int32_t peer; /* the other rank; for local operations the rank itself */
    int32_t port; /* 0 .. ports - 1, the same number at both ends; 0 for local operations */
    bool incoming_is_left; /* for reductions: which operand stands left of the operator */
    struct rb_range at;    /* where the blocks are read (send) or end up (all others) */
    struct rb_range from;  /* copy and reduce only: where the blocks are read */
};

/* ---- Collectives and algorithms ------------------------------------------------------------ */

struct rb_collective_info {
    const char *name;     /* "bcast" */
    const char *title;    /* one line: what holds at the end */
    bool rooted;          /* takes a root */
    bool reducing;        /* combines the ranks' data with an operator */
    bool parted;          /* every rank owns a part of the data; else they have one owner, the root,
                             or rank 0 where there is no root */
    bool addressed;       /* parted, and each owner's data are cut into a part for each rank */
    const char *instance; /* what rb_plan_spec.instance says of it; NULL: there are no others */
    bool apportioned;     /* the instance says how much each rank has for each */
};

struct rb_algorithm_info {
    const char *collective; /* name of the collective it serves */
    const char *name;       /* "circulant" */
    const char *title;      /* one line */
    const char *paper;      /* where it comes from */
    const char *rounds;     /* its number of rounds for p > 1, as a formula in p, n, ports k, radix
                               r, a shift's q, a mesh's extents a and b, or in words. p = 1: none,
                               or one to copy where data go from SRC to DST */
    const char *blocks;     /* what the block count n means to it */
    const char *radix;      /* what the radix r means to it; NULL: it has none */
    const char *ranks;      /* the p that it takes, "p = 2^d"; NULL: any */
    bool pipelined; /* n trades start-ups for overlap; otherwise the blocks travel together */
    bool circulant; /* each rank has circulant schedules of its own (rb_circulant_recv, _send) */
    bool groups;    /* it plans by groups (rb_plan_spec): in a round, a port takes at most one
                       message into a group and one out of it */
};

/* All of them, in the order of listing: those of the core, then those of each library in the order
 * in which they were added. NULL beyond the end. */
const struct rb_collective_info *rb_collective_at(int32_t i);
const struct rb_algorithm_info *rb_algorithm_at(int32_t i);
const struct rb_collective_info *rb_collective_find(const char *name);                 /* or NULL */
const struct rb_algorithm_info *rb_algorithm_find(const char *coll, const char *name); /* or NULL */

/* ---- Libraries with collectives and algorithms of their own ----------------------------------
 *
 * A library on top of this one can add collectives and algorithms, which from then on are found,
 * planned and verified as the core's are. Such a library has a function that adds it, and is
 * compiled with this header and schedules/plan/plan.h of the same release. */
struct rb_collective; /* schedules/plan/plan.h */
struct rb_algorithm;

struct rb_library { /* static: it is kept, and never removed */
    const char *name;
    int32_t collectives, algorithms; /* how many of them, in the order of listing */
    const struct rb_collective *const *collective;
    const struct rb_algorithm *const *algorithm;
};

/* Adds a library; call it at the start of a program. A library that has been added already is left
 * as it is, with RB_OK. RB_EINVAL with why, and nothing is added: it has a collective, or an
 * algorithm for a collective, whose name is taken, or an algorithm for a collective that isn't
 * there. RB_ENOMEM: RB_MAX_LIBRARIES have been added. Threads may call it at once, and while others
 * use this header; they see all of a library or, for as long as it is being added, nothing of it.
 */
enum { RB_MAX_LIBRARIES = 15 };
int rb_library_add(const struct rb_library *library, char *why, size_t why_size);

/* ---- Plans --------------------------------------------------------------------------------- */

struct rb_plan; /* immutable; O(log p) memory unless the algorithm's file says why not */

/* Ranks that share something scarce, such as a host's link: groups of consecutive ranks, which make
 * up all ranks. Group g, 0 <= g < count, is ranks first .. first + size - 1 (rb_group_first,
 * rb_group_size). */
struct rb_groups {
    int32_t ranks; /* all of them */
    int32_t count;
    int32_t size;      /* of each group but perhaps the last, which may be smaller; 0: see `at` */
    const int32_t *at; /* size 0: group g starts at rank at[g], and at[count] = ranks */
    const char *text;  /* as in rb_plan_spec; "": each rank is alone */
};

struct rb_plan_spec {
    const char *collective; /* not kept */
    const char *algorithm;  /* not kept */
    int32_t p;              /* ranks, >= 1 */
    int32_t root;           /* 0 <= root < p; 0 where the collective has none */
    int64_t n;              /* blocks, >= 1 */
    int32_t ports;          /* sends and receives that a rank has at once, 1 .. RB_MAX_PORTS; 0
                               means 1 */
    bool ordered;           /* the operator is not commutative: operands in rank order */
    int32_t radix;          /* r of algorithms that have one, 2 <= r <= max(p, 2); 0: their own
                               choice */
    const char *instance;   /* of collectives that are a family of problems, which one, as
                               NAME=VALUE,...: a shift's "q=5"; not kept. NULL: its usual one */
    const char *groups;     /* sizes of the groups from rank 0 on, "4" or "3,1,4", again and again
                               until all ranks have a group, the last being cut short; not kept.
                               NULL or "1": each rank is alone. Any algorithm takes them; only some
                               plan by them (rb_algorithm_info.groups) */
};

/* Makes a plan; the caller owns it. RB_EINVAL (with why) for an unknown name or a value that the
 * algorithm can't serve, RB_ENOMEM. */
int rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                   size_t why_size);
/* How many ranks an instance has, of a collective by its name; *p is 0 if that is open. RB_EINVAL
 * (with why). */
int rb_instance_ranks(const char *collective, const char *instance, int32_t *p, char *why,
                      size_t why_size);
/* True if `spec` can be planned for `spec->p`: the algorithm takes that p
 * (rb_algorithm_info.ranks), with that radix, and the instance has that p. For loops over p: a
 * member that is wrong for every p is refused by rb_plan_create, not here. O(1), apart from reading
 * the instance. */
bool rb_plan_fits(const struct rb_plan_spec *spec);
void rb_plan_destroy(struct rb_plan *plan); /* NULL is fine */

/* The spec that makes this plan again: what was left to the algorithm is as it chose, the instance
 * is in full, or "". Its texts belong to the plan and the registry. */
struct rb_plan_spec rb_plan_spec_of(const struct rb_plan *plan);

const struct rb_collective_info *rb_plan_collective(const struct rb_plan *plan);
const struct rb_algorithm_info *rb_plan_algorithm(const struct rb_plan *plan);
int32_t rb_plan_ranks(const struct rb_plan *plan);
int32_t rb_plan_root(const struct rb_plan *plan);
int32_t rb_plan_ports(const struct rb_plan *plan);
int32_t rb_plan_radix(const struct rb_plan *plan); /* 0: the algorithm has none */
enum { RB_INSTANCE_LENGTH = 256 };                 /* bytes that any instance in full fits in */
const char *rb_plan_instance(const struct rb_plan *plan); /* in full; "": there are no others */
const struct rb_groups *rb_plan_groups(const struct rb_plan *plan); /* valid as long as the plan */
int64_t rb_plan_n(const struct rb_plan *plan);                      /* as asked for */
int64_t rb_plan_blocks(const struct rb_plan *plan);  /* blocks per owner: n, or a multiple of it */
int32_t rb_plan_owners(const struct rb_plan *plan);  /* how many ranks own data: p or 1 (parted) */
int32_t rb_plan_parts(const struct rb_plan *plan);   /* of an owner's data: p (addressed) or 1; part
                                                        d has blocks / parts of its blocks */
int64_t rb_plan_rounds(const struct rb_plan *plan);  /* rounds are 0 .. rounds - 1 */
int32_t rb_plan_max_ops(const struct rb_plan *plan); /* most operations of one rank in one round */

/* A group's first rank; group may be groups->count, the end. O(1). */
static inline int32_t rb_group_first(const struct rb_groups *groups, int32_t group)
{
    return groups->size == 0        ? groups->at[group]
           : group == groups->count ? groups->ranks
                                    : group * groups->size;
}
static inline int32_t rb_group_size(const struct rb_groups *groups, int32_t group)
{
    return rb_group_first(groups, group + 1) - rb_group_first(groups, group);
}
/* The group of a rank. O(1), or O(log groups) if their sizes differ. */
int32_t rb_group_of(const struct rb_groups *groups, int32_t rank);

/* True if any rank uses this buffer. */
bool rb_plan_has(const struct rb_plan *plan, enum rb_buffer buffer);

/* What a plan computes once for one rank (its schedule, say): a value in the caller's storage,
 * valid as long as the plan. It makes asking for many rounds of one rank cheap. */
struct rb_rank {
    int32_t rank;
    int32_t relative; /* (rank - root) mod p, for rooted collectives */
    union {
        int64_t number[16];
        int8_t byte[128];
    } state; /* belongs to the algorithm */
};

/* 0 <= rank < p. O(log p), no allocation. */
void rb_plan_rank(const struct rb_plan *plan, int32_t rank, struct rb_rank *state);

/* Writes the operations of this rank's round t (0 <= t < rounds) to ops[0 .. max_ops - 1] and
 * returns how many. Pure and random-access: any rank, any order of t. O(operations). */
int32_t rb_plan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[]);

/* The first round >= t in which this rank has an operation; rb_plan_rounds() if there is none. */
int64_t rb_plan_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);

/* Checks that a round from rb_plan_round keeps rules 1 to 9 of rb_op. 0, or RB_EWRONG with the
 * first violation in why: round, rank and operation. order is scratch for max_ops numbers; if it is
 * NULL, rule 9 is checked where at most 8 operations receive, or where they do so in rising order
 * of places. O(operations), if receives are in another order O(operations log operations); no
 * allocation. */
int rb_round_check(const struct rb_plan *plan, int32_t rank, int64_t t, const struct rb_op ops[],
                   int32_t count, int32_t order[], char *why, size_t why_size);

/* Where a rank has a block: its buffers consist of one row per owner, each with room for the
 * rb_plan_blocks() / rb_plan_parts() blocks of a part. Two ranges of a buffer concern the same
 * memory if they meet there. A row is that of the owner; where data are addressed, it is the
 * destination's in SRC, where a rank has only its own data, the owner's in DST, where it has only
 * what is for it, and in TMP number (destination - owner) mod p. */
struct rb_spot {
    int32_t row;
    int64_t first; /* of the row's blocks: the range's first */
};
/* O(1). */
struct rb_spot rb_plan_spot(const struct rb_plan *plan, const struct rb_range *range);
/* True if two ranges of one rank's buffers overlap. */
bool rb_plan_overlap(const struct rb_plan *plan, const struct rb_range *a,
                     const struct rb_range *b);

/* Rounds of all ranks at once. In a wave all messages of one block go the same way round the ranks:
 * relative rank r sends block min(entry[r] + first, n - 1) to r + shift (mod p), unless that block
 * is negative or the receiver is relative rank 0; nothing else happens. So an engine can take a
 * round as a loop over arrays, which is ten times as fast as asking for each rank's operations. */
struct rb_wave {
    int32_t shift;
    const int8_t *entry; /* p of them, in the table */
    int64_t first;
};
/* Bytes of the table that the plan's waves need; 0: its rounds are no waves. O(1). */
int64_t rb_plan_wave_bytes(const struct rb_plan *plan);
/* Fills the table, which is the caller's. O(its bytes). */
void rb_plan_wave_table(const struct rb_plan *plan, int8_t table[]);
/* Round t. O(1). */
struct rb_wave rb_plan_wave(const struct rb_plan *plan, const int8_t table[], int64_t t);

/* ---- Layout: blocks into bytes --------------------------------------------------------------
 *
 * The m bytes of a collective are all owners' data together: the root's message, or what every rank
 * has after an allgather and before a reduce-scatter. They consist of bytes / element elements
 * (element divides bytes), which belong to the owners' parts, in the order of owners and then of
 * parts: as evenly as can be, larger shares first, or as `first` says. A part's elements are dealt
 * to its b = rb_plan_blocks() / rb_plan_parts() blocks likewise: of e elements block i has
 * floor(e / b), one more if i < e mod b. Blocks may be empty, and an empty message is still a
 * message; but with irregular counts, parts without elements are skipped on both sides
 * (rb_layout_round).
 *
 * Where the instance says how many units each part has (apportioned), the elements are dealt to
 * parts in proportion, cut at whole elements, and a part's to its first blocks, one per unit. */
struct rb_layout {
    int64_t bytes;   /* of all owners together, >= 0 */
    int64_t element; /* bytes per element, >= 1 */
    /* Irregular counts, for collectives whose data are parted: rank j owns elements
     * first[j] .. first[j + 1] - 1; first[0] = 0, first[p] = bytes / element. Where they are
     * addressed, those for rank d are first[j p + d] .. first[j p + d + 1] - 1. The caller's. NULL:
     * regular. */
    const int64_t *first;
};

/* Checks bytes >= 0, element >= 1, element divides bytes. */
int rb_layout_check(const struct rb_layout *layout, char *why, size_t why_size);
/* Offset among all m bytes of the first byte of block `index` of owner. index may be blocks, the
 * end. Never overflows: results are at most m. */
int64_t rb_layout_offset(const struct rb_plan *plan, const struct rb_layout *layout, int32_t owner,
                         int64_t index);
/* Bytes of a range. */
int64_t rb_layout_bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_range *range);
/* rb_plan_round without the operations on parts that have no elements by irregular counts; none may
 * be left. layout may be NULL, and then all are. */
int32_t rb_layout_round(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[]);

/* rb_layout_round of a round that is checked (rb_round_check without order): how many operations,
 * or RB_EWRONG with why. What engines, executors and exporters ask, so that a wrong round misleads
 * none of them. */
int32_t rb_layout_checked_round(const struct rb_plan *plan, const struct rb_layout *layout,
                                const struct rb_rank *state, int64_t t, struct rb_op ops[],
                                char *why, size_t why_size);

/* Of `total` things dealt to places 0 .. places - 1 as evenly as can be, larger shares first: how
 * many lie before a place. total >= 0, places >= 1, 0 <= place <= places. */
int64_t rb_deal_before(int64_t total, int64_t places, int64_t place);

/* Who owns how much. Irregular shares are proportional to weights, cut at whole elements. */
enum rb_counts_rule {
    RB_COUNTS_REGULAR,    /* as evenly as can be */
    RB_COUNTS_MOD3,       /* rank i weighs i mod 3 (Traeff 2024, Section 3) */
    RB_COUNTS_DEGENERATE, /* rank 0 has everything (likewise) */
    RB_COUNTS_RANDOM,     /* by seed, weights 1..4, and 0 for about a quarter of the ranks */
};
/* Addressed data likewise, of owner i for rank d: (i + d) mod 3; all of rank 0's alike; by pair. */
struct rb_counts {
    enum rb_counts_rule rule;
    uint64_t seed; /* of RB_COUNTS_RANDOM */
};
/* Fills first[0 .. owners parts] for rb_layout: owners, parts >= 1, their product at most 2^30;
 * elements >= 0. If all weights are 0, the last part has everything. O(owners parts). */
void rb_counts_deal(const struct rb_counts *counts, int32_t owners, int32_t parts, int64_t elements,
                    int64_t first[]);

/* ---- Costs and bounds ---------------------------------------------------------------------- */

/* Closed-form time of the plan in seconds when a round costs alpha_s + beta_s_per_byte * (its
 * longest message), the papers' model (lockstep, one-port, no contention). Exact when the blocks
 * are equal. RB_ENOTSUP if the algorithm states none, or for irregular counts. */
int rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                 double beta_s_per_byte, double *time_s);

/* The n that minimises that closed form (n >= 1 an integer; 1 where n does not matter), for m bytes
 * and spec's other values; spec->n is ignored. O(log p). For alpha_s = 0 there is no finite
 * optimum: the result is then max(m, 1). RB_EINVAL, RB_ENOTSUP, RB_ENOMEM. */
int rb_best_n(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
              double beta_s_per_byte, int64_t *n);

/* Likewise the radix, of all 2 .. max(p, 2) or of the powers of two among them; of equals the
 * smallest; those that don't fit (rb_plan_fits) are left out, and 0 is the result if none does.
 * spec->radix is ignored. RB_ENOTSUP if the algorithm has none, or no closed form. O(p log p), or
 * O(log^2 p). */
int rb_best_radix(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
                  double beta_s_per_byte, bool power_of_two, int32_t *radix);

/* Fewest rounds, and fewest block moves over all ranks, of plans for this collective with the
 * plan's p, ports k and blocks. If the algorithm is pipelined, the rounds are those of plans like
 * it, in which a message has at most one block of an owner (bcast: Bar-Noy and Kipnis 1994: n - 1 +
 * ceil(log2 p) rounds; n (p - 1) moves; on k ports ceil(n / k) - 1 + ceil(log p to base k + 1));
 * else those of any plan. rb_bound_rounds_packed: of any plan in any case, for messages may have
 * all n blocks, as if they were one. */
int64_t rb_bound_rounds(const struct rb_plan *plan);
int64_t rb_bound_rounds_packed(const struct rb_plan *plan);
int64_t rb_bound_moves(const struct rb_plan *plan);

/* C2 of Bruck et al. 1997, what is sent in sequence: the longest message of each round, over all
 * ports of all ranks, added up; in blocks. (C1 is rb_plan_rounds.) The least of any plan for this
 * collective with the plan's p, ports, blocks and at most so many rounds; INT64_MAX: any number.
 * Allgather: Proposition 2.2. Alltoall: Proposition 2.4, or if it is more what the proof of Theorem
 * 2.7 counts, of which Theorems 2.5 and 2.6 are special cases. The others: what some rank has to
 * send, or receive, through its ports. O(log p), for alltoall O(min(rounds, p)). */
int64_t rb_bound_in_sequence(const struct rb_plan *plan, int64_t rounds);
/* The algorithm's formula for it: rb_plan_cost's, with start-ups for nothing. Exact. RB_ENOTSUP if
 * it states none. */
int rb_plan_in_sequence(const struct rb_plan *plan, int64_t *blocks);

/* ceil(log2 p) for p >= 1; to another base, which is at least 2. */
int32_t rb_ceil_log2(int64_t p);
int32_t rb_ceil_log(int64_t p, int64_t base);

/* ---- Verification --------------------------------------------------------------------------- */

struct rb_verdict {
    int64_t rounds;
    int64_t messages;
    int64_t moves;          /* blocks received, over all ranks */
    int64_t redundant;      /* of these, blocks that the receiver already had */
    int64_t busiest;        /* most blocks sent or received by one rank in one round */
    int64_t in_sequence;    /* blocks: the longest message of each round, added up (C2) */
    int64_t bytes;          /* received, over all ranks, at most INT64_MAX; 0 without a layout */
    int64_t group_messages; /* most messages into one group, or out of it, in one round */
    char what[320];         /* RB_EWRONG: the first thing wrong: round, rank, block; else empty */
};

/* Executes the plan symbolically and checks that every round keeps the rules of rb_op: every send
 * meets its receive and both name the same blocks, no rank sends what it doesn't have, ports are
 * respected, next() skips idle rounds only; that an algorithm that plans by groups has no more
 * messages into or out of a group in a round than a rank has ports; that the collective's
 * postcondition holds at the end; in reductions, that the contribution of each rank that belongs
 * there counts exactly once, and in rank order if the plan is ordered. With a layout, as it runs
 * with these counts: owners without elements are skipped, and their data need not arrive; layout
 * may be NULL. 0, RB_EWRONG, RB_ENOMEM. Time O(rounds * p + moves), memory O(p * owners * blocks).
 */
int rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                   struct rb_verdict *verdict);

/* Checks the four correctness conditions (Traeff 2024, Section 2) of the circulant schedules of all
 * ranks for one p: those of rb_circulant_table, where conditions 1 and 2 say that what is received
 * is what is sent, rotated, and hold by that; and that single schedules, of six ranks, are the
 * table's. Room is reused from call to call: zero it first, and free it at the end. 0, RB_EWRONG
 * with verdict->what, RB_EINVAL, RB_ENOMEM. Time and memory O(p log p). */
struct rb_schedule_room {
    int8_t *base;    /* p baseblocks */
    int8_t *send;    /* rows k = 0 .. q - 1 of p entries */
    int8_t *recv;    /* likewise; or NULL: those of send, rotated */
    size_t capacity; /* entries of send */
};
int rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
void rb_schedule_room_free(struct rb_schedule_room *room);

/* The same four conditions for relative rank r alone, 0 <= r < p, from single schedules: r's own,
 * and those of the ranks it sends to and receives from. For p whose tables are too large to keep.
 * 0, RB_EWRONG with verdict->what, RB_EINVAL. O(log^2 p), no allocation. */
int rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
