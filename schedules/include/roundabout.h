/* roundabout.h - plans for pipelined collectives: make, ask, verify.
 *
 * A plan says, for every rank and every round, which blocks go where. It knows ranks, roots,
 * ports and block counts, never addresses: rb_layout turns blocks into bytes. Plans are immutable
 * once made and may be shared by any number of threads.
 *
 * Conventions. Functions that can fail return 0 or a negative RB_E... code and give results through
 * pointers. A function with the parameters (char *why, size_t why_size) writes one line for the
 * user to `why` when it fails, always terminated; why may be NULL. The library never prints, exits
 * or keeps mutable globals. Ranks are int32_t, blocks, rounds and bytes are int64_t.
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

/* The shared library exports what is declared from here on. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define RB_VERSION "2.0.0"

enum rb_status {
    RB_OK = 0,
    RB_EINVAL = -1,  /* the request makes no sense: why says which part is wrong and what would be
                      * right */
    RB_ENOMEM = -2,  /* out of memory */
    RB_EWRONG = -3,  /* the thing checked is false: a plan or schedule is wrong */
    RB_ENOTSUP = -4, /* the algorithm does not have this, for example no closed form */
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
 * of a phase; negative numbers are blocks of the preceding phase. O(log p), no allocation. */
void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);

/* Algorithm 6: block[k], 0 <= k < q, is the block that relative rank r sends in round k of a phase.
 * O(log p), no allocation. */
void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);

/* The schedules of all ranks: base[r], and in rows of p entries send[k * p + r] and recv[k * p +
 * r], k < q. Each entry equals what the functions above give. docs/core.md proves this, so plans
 * use a table without checking it; rb_verify_schedule checks a table. recv may be NULL: its row k
 * is row k of send, rotated, because r receives what r - skip[k] (mod p) sends. The caller owns the
 * arrays of p, p q and p q bytes. O(p log p) with the constant of memcpy, q or 2 q bytes per rank;
 * 28 KB of stack, no allocation. */
void rb_circulant_table(const struct rb_circulant *graph, int8_t base[], int8_t recv[],
                        int8_t send[]);

/* ---- Blocks and operations ----------------------------------------------------------------- */

/* The buffers of a rank (rb_plan_location gives a block's location). A collective that works in
 * place in one user buffer (bcast) has only DST. In SRC and DST every block has a location of its
 * own, given by its name; an algorithm can use TMP freely. A plan may have buffers that its
 * collective does not have. */
enum rb_buffer { RB_SRC, RB_DST, RB_TMP, RB_BUFFERS };

enum rb_op_kind {
    RB_SEND,        /* the blocks leave for peer */
    RB_RECV,        /* the blocks come from peer and replace what is there */
    RB_RECV_REDUCE, /* the blocks come from peer and are combined with what is there */
    RB_COPY,        /* local: the blocks are copied from (from_buffer, from_owner, from_first) */
    RB_REDUCE,      /* local: the blocks are combined with what is there */
    RB_OP_KINDS
};

/* Blocks first .. first + count - 1 of owner's data, in a buffer. In a personalized collective
 * (rb_plan_parts) they belong to one part. */
struct rb_range {
    enum rb_buffer buffer;
    int32_t owner; /* the rank that owns the data; with a single owner the plan's root, or 0 without
                    * a root; in TMP the slot, if there are any (rb_plan_slot_blocks) */
    int64_t first; /* 0 <= first, first + count <= rb_plan_blocks() */
    int64_t count; /* >= 1 */
};

/* An operation moves one range. All operations of a round with the same direction (send; or recv
 * and recv-reduce), peer and port are one message, with its ranges in the order given, which is the
 * same on both sides. All sends read the state at the start of the round. Receives take effect in
 * the order given, and their blocks are in place at the round's end. Then local operations run in
 * order.
 *
 * The rules for rank r's round t follow. rb_round_check checks the rules for one rank's round (1 to
 * 9), rb_verify_plan checks all rules, and rb_plan_next checks rule 12.
 *   1  It has at most rb_plan_max_ops operations, each of a kind above.
 *   2  Sends come first, then receives (with and without reduction), then local operations.
 *   3  The peer of a message is a rank, 0 <= peer < p, and not r; that of a local operation is r.
 *   4  The port of a message is in 0 .. ports - 1; that of a local operation is 0.
 *   5  In each direction a port carries at most one message, whose operations stand together.
 *   6  A range (at; of local operations from, too) has one block or more, all of them blocks of the
 *      plan, in a buffer that the plan has (rb_plan_has); its owner is the root (0 if there is
 *      none) where data have one owner. In personalized collectives its blocks are of one part; in
 *      SRC they are r's own, and in DST they are for r.
 *   7  A local operation reads as many blocks as it writes, at locations that do not overlap
 *      (rb_plan_overlap).
 *   8  Only collectives that are `reducing` have RB_RECV_REDUCE and RB_REDUCE.
 *   9  No other receive of the round writes what RB_RECV writes. Reductions may overlap; they take
 *      effect in the order given, also on real MPI. A send may read what a receive writes: it
 *      reads the state before the receive.
 *  10  The peer has the other end of each message in its round t, at the same port, with the same
 *      blocks, by their names, in the same order.
 *  11  A send, a copy and a reduction read blocks that are in place. SRC and DST (in personalized
 *      collectives also TMP) hold each block only at the location of its own name.
 *  12  t <= next(t) <= rounds, and exactly the rounds without operations are skipped by next. */
struct rb_op {
    enum rb_op_kind kind;
    int32_t peer; /* the other rank; for local operations the rank itself */
    int32_t port; /* 0 .. ports - 1, the same number at both ends; 0 for local operations */
    bool incoming_is_left; /* for reductions: the incoming operand is the left one */
    struct rb_range at;    /* where the blocks are read (send) or written (all others) */
    struct rb_range from;  /* copy and reduce only: where the blocks are read */
};

/* ---- Collectives and algorithms ------------------------------------------------------------ */

struct rb_collective_info {
    const char *name;  /* "bcast" */
    const char *title; /* one line: the postcondition */
    bool rooted;       /* takes a root */
    bool reducing;     /* combines the ranks' data with an operator */
    bool distributed;  /* every rank owns a part of the data; otherwise the data have one owner,
                        * the root, or rank 0 without a root */
    bool
        personalized; /* distributed, and each owner's data are divided into a part for each rank */
    const char *instance; /* describes rb_plan_spec.instance; NULL: the collective has no
                           * instances */
    bool fixed_counts;    /* the instance says how much each rank has for each other rank */
};

struct rb_algorithm_info {
    const char *collective; /* name of the collective it serves */
    const char *name;       /* "circulant" */
    const char *title;      /* one line */
    const char *paper;      /* its source */
    const char *rounds;     /* its number of rounds for p > 1, as a formula in p, n, ports k, radix
                             * r, a shift's q, a mesh's extents a and b, N groups of J to K ranks, L
                             * lanes (the radix, or J), or in words. For p = 1: 0, or 1 if data are
                             * copied from SRC to DST */
    const char *blocks;     /* the meaning of the block count n */
    const char *radix;      /* the meaning of the radix r; NULL: it has no radix */
    const char *ranks;      /* the p that it supports, such as "p = 2^d"; NULL: all */
    bool pipelined;         /* true if n trades start-ups for overlap; false if all blocks travel
                             * together */
    bool circulant;         /* each rank uses its circulant schedules (rb_circulant_recv, _send) */
    bool groups;            /* it plans by groups (rb_plan_spec) */
    bool places;            /* and by larger groups, in any order of the ranks by itself */
    bool one_per_port; /* and in each round at most one message per port enters a group, and at most
                        * one leaves it */
    bool own_nic;    /* or each rank has a port of its own out of its group, port 0: it carries all
                      * messages between groups, and no others */
    bool sizes;      /* it plans by the sizes of parts (rb_plan_spec.first) */
    bool neighbours; /* it plans by neighbours (rb_plan_spec.neighbours) */
    const struct rb_plan_only *only; /* the one plan that it has, if a file gave it; NULL: it has
                                      * plans for many p or n */
    const char *root; /* what the root is, of an algorithm that has one though its collective has
                       * none; else NULL */
};

/* What a spec must have so that an algorithm with a single plan has it. */
struct rb_plan_only {
    const char *file; /* where the plan was read */
    int32_t p;
    int32_t root;         /* -1: any */
    int64_t n;            /* this n, or 1, which means it, too; 0: any */
    int32_t ports;        /* as many, or more */
    const char *instance; /* NULL: any */
    bool by_place;      /* its blocks are places in a rank's memory, not names of data, and the two
                         * ends of a message name different ones: it is for engines, not for data. Its
                         * collective is "none" if it does not say what ranks must have at the end */
    int64_t bytes;      /* of all its messages, which have lengths of their own; -1: the layout has
                         * them */
    int64_t untimed_ns; /* computation that it asks for, and that no engine times */
};
static inline bool rb_is_by_place(const struct rb_algorithm_info *algorithm)
{
    return algorithm->only != NULL && algorithm->only->by_place;
}

/* All collectives and all algorithms, in the order of listing: those of the core, then those of
 * each library in the order in which they were added. NULL beyond the end. */
const struct rb_collective_info *rb_collective_at(int32_t i);
const struct rb_algorithm_info *rb_algorithm_at(int32_t i);
const struct rb_collective_info *rb_collective_find(const char *name); /* or NULL */
/* Or NULL. name NULL: the collective's usual algorithm, the first of it in the order of listing. */
const struct rb_algorithm_info *rb_algorithm_find(const char *coll, const char *name);
/* As rb_algorithm_find, and if there is none, why says so. Of a file (rb_is_file) coll may be NULL:
 * the collective that the file names. */
const struct rb_algorithm_info *rb_algorithm_get(const char *coll, const char *name, char *why,
                                                 size_t why_size);

/* ---- Libraries with collectives and algorithms of their own ----------------------------------
 *
 * A library on top of this one can add collectives and algorithms. From then on they are found,
 * planned and verified like the core's. Such a library has a function that adds it, and is compiled
 * with this header and schedules/plan/plan.h of the same release. */
struct rb_collective; /* schedules/plan/plan.h */
struct rb_algorithm;

struct rb_library { /* static: it is kept, and never removed */
    const char *name;
    const char *release;             /* RB_VERSION */
    int32_t collectives, algorithms; /* how many of them, in the order of listing */
    const struct rb_collective *const *collective;
    const struct rb_algorithm *const *algorithm;
};

/* Adds a library; call it at the start of a program. Adding a library again changes nothing and
 * returns RB_OK. RB_EINVAL with why if it was compiled with another release, if a name is already
 * used for a collective, or for an algorithm of the same collective, or if an algorithm's
 * collective does not exist; then nothing is added. RB_ENOMEM if RB_MAX_LIBRARIES have been added.
 * Threads may call it at the same time, and while others use this header; another thread sees
 * either all of a library or nothing of it. */
enum { RB_MAX_LIBRARIES = 15 };
int rb_library_add(const struct rb_library *library, char *why, size_t why_size);

/* Algorithms that are not listed, such as plans in files. A name that begins with "file:" is given
 * to the program's resolver, if it has set one. The resolver returns an algorithm that stays as
 * long as the program, always the same one for the same name, or NULL with why. Its name begins
 * with "file:" too, and leads to the same algorithm. The collective exists, or is NULL: the one
 * that the file names. Any number of threads call it. */
typedef const struct rb_algorithm *rb_resolver(const char *collective, const char *name, char *why,
                                               size_t why_size);
/* Call it at the start of a program; NULL: none. */
void rb_resolve_by(rb_resolver *resolver);
/* True if its plans take a root: its collective has one, or the algorithm does. O(collectives). */
bool rb_takes_root(const struct rb_algorithm_info *algorithm);
/* True if the name begins with "file:". */
bool rb_is_file(const char *algorithm);

/* ---- Plans --------------------------------------------------------------------------------- */

struct rb_plan; /* immutable; O(log p) memory unless the algorithm's file says why not */

/* Groups of ranks that share a resource, such as a host's link. A rank has a place, 0 <= place < p,
 * and a group consists of consecutive places: group g, 0 <= g < count, of places first .. first +
 * size - 1 (rb_group_first, rb_group_size). Without an order the place is the rank. */
struct rb_groups {
    int32_t ranks; /* all of them */
    int32_t count;
    int32_t size;      /* size of each group except the last, which may be smaller; 0: see `at` */
    const int32_t *at; /* size 0: group g starts at place at[g], and at[count] = ranks */
    const char *text;  /* as in rb_plan_spec; "": each rank is alone */
    const struct rb_groups *above; /* larger groups, each of some of these; NULL: there are none */
    const int32_t *rank_at, *place_of; /* the order and its inverse; NULL: place = rank */
};

/* Who can send to whom at once, and how much: a network's links, and the links that a message
 * between two neighbours crosses. In each round a link carries `capacity` blocks, at least one. */
enum { RB_PAIR_LINKS = 4 };
struct rb_pair {
    int32_t from, to;
    int32_t link[RB_PAIR_LINKS]; /* at least one; behind the last: -1 */
};
struct rb_neighbours {
    int32_t ranks, links;
    const int32_t *capacity; /* of each link */
    int32_t pairs;
    const struct rb_pair *pair; /* by rising from, then by rising to; each once */
};

struct rb_plan_spec {
    const char *collective; /* not kept */
    const char *algorithm;  /* not kept; NULL: the collective's usual one */
    int32_t p;              /* ranks, >= 1 */
    int32_t root;           /* 0 <= root < p; 0 where neither collective nor algorithm has one */
    int64_t n;              /* blocks, >= 1 */
    int32_t ports;          /* sends and receives that a rank can have in flight at once, 1 ..
                             * RB_MAX_PORTS; 0 means 1 */
    bool ordered;           /* the operator is not commutative: operands in rank order */
    int32_t radix;          /* radix of algorithms that have one, 2 <= r <= max(p, 2); 0: the
                             * algorithm's choice */
    const char *instance;   /* the problem, for collectives that are families of problems, as
                             * NAME=VALUE,...: a shift's "q=5"; not kept. NULL: the collective's
                             * default */
    const char *groups;     /* sizes of the groups from place 0 on, "4" or "3,1,4", repeated until
                             * all ranks have a group; the last group is cut off at p; not kept.
                             * NULL or "1": each rank is alone. Larger groups follow behind a
                             * slash: "8/96" for groups of 8 in groups of 96, which cut those of 8
                             * off; and behind an at sign the rank at each place: "2@0,2,1,3". Every
                             * algorithm accepts groups; some plan by them
                             * (rb_algorithm_info.groups), and some of these by larger ones (places).
                             * Every algorithm plans for the order, as if each rank had its place's
                             * number; RB_ENOTSUP where ranks can't change theirs: scans, instances,
                             * operators that are not commutative, unless it has places */
    const int64_t *first;   /* irregular counts as rb_layout.first has them, by which algorithms
                             * with `sizes` plan: of a layout with elements where these have none
                             * such a plan is wrong. Rising from 0, owners * parts + 1 numbers; not
                             * kept. NULL: all parts are equal, and the plan is for any layout */
    const struct rb_neighbours *neighbours; /* for algorithms that plan by neighbours; not copied:
                                             * it must outlive the plan */
};

/* Makes a plan, which the caller owns. RB_EINVAL (with why) for an unknown name or a value that the
 * algorithm does not support, RB_ENOTSUP (with why) if it has no plan for these groups or this
 * instance, RB_ENOMEM. */
int rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                   size_t why_size);
/* The number of ranks of an instance of the named collective; *p is 0 if the instance leaves it
 * open. RB_EINVAL (with why). */
int rb_instance_ranks(const char *collective, const char *instance, int32_t *p, char *why,
                      size_t why_size);
/* True if `spec` can be planned for `spec->p`: the algorithm supports this p
 * (rb_algorithm_info.ranks) with this radix, the radix is not above max(p, 2), and the instance
 * exists for this p. Meant for loops over p: rb_plan_create refuses values that are wrong for every
 * p, this function does not. O(1), apart from reading the instance. */
bool rb_plan_is_supported(const struct rb_plan_spec *spec);
void rb_plan_destroy(struct rb_plan *plan); /* NULL is fine */

/* A spec that makes the same plan, but for the sizes (`first`), which no plan keeps. It has the
 * values that the algorithm chose, and the full form of the instance, or "". Its texts belong to
 * the plan and the registry. */
struct rb_plan_spec rb_plan_spec_of(const struct rb_plan *plan);

const struct rb_collective_info *rb_plan_collective(const struct rb_plan *plan);
const struct rb_algorithm_info *rb_plan_algorithm(const struct rb_plan *plan);
int32_t rb_plan_ranks(const struct rb_plan *plan);
int32_t rb_plan_root(const struct rb_plan *plan);
int32_t rb_plan_ports(const struct rb_plan *plan);
int32_t rb_plan_radix(const struct rb_plan *plan);        /* 0: the algorithm has none */
enum { RB_INSTANCE_LENGTH = 256 };                        /* bytes; enough for any full form */
const char *rb_plan_instance(const struct rb_plan *plan); /* the full form; "": the collective has
                                                           * no instances */
const struct rb_groups *rb_plan_groups(const struct rb_plan *plan); /* valid as long as the plan */
int64_t rb_plan_n(const struct rb_plan *plan);                      /* the n of the spec */
int64_t rb_plan_blocks(const struct rb_plan *plan); /* blocks per owner: n, or a multiple of it */
int32_t
rb_plan_owners(const struct rb_plan *plan); /* number of ranks that own data: p (distributed) or
                                             * 1 */
int32_t rb_plan_parts(const struct rb_plan *plan);  /* parts of an owner's data: p (personalized) or
                                                     * 1; a part has blocks / parts blocks */
int64_t rb_plan_rounds(const struct rb_plan *plan); /* rounds are 0 .. rounds - 1 */
int32_t rb_plan_max_ops(const struct rb_plan *plan); /* most operations of one rank in one round */

/* A group's first place; group may be groups->count, the end. O(1). */
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
/* The group of a place. O(1), or O(log groups) if their sizes differ. */
int32_t rb_group_of(const struct rb_groups *groups, int32_t place);
/* The rank at a place, and the place of a rank. */
static inline int32_t rb_groups_rank(const struct rb_groups *groups, int32_t place)
{
    return groups->rank_at == NULL ? place : groups->rank_at[place];
}
static inline int32_t rb_groups_place(const struct rb_groups *groups, int32_t rank)
{
    return groups->place_of == NULL ? rank : groups->place_of[rank];
}

/* True if any rank uses this buffer. */
bool rb_plan_has(const struct rb_plan *plan, enum rb_buffer buffer);
/* Some plans of one owner divide TMP into slots, each with room for so many blocks: a range of TMP
 * then has its slot's number in place of the owner's, and `first` and `count` still name its
 * blocks. 0: TMP has no slots. */
int64_t rb_plan_slot_blocks(const struct rb_plan *plan);
int64_t rb_plan_slots(const struct rb_plan *plan); /* the number of slots */

/* What a plan computes once for one rank, for example its schedule: a value in the caller's
 * storage, valid as long as the plan. With it, many rounds of one rank are cheap. */
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
 * returns their number. A pure function: any rank, any order of t. O(operations). */
int32_t rb_plan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[]);

/* The first round >= t in which this rank has an operation; rb_plan_rounds() if there is none. */
int64_t rb_plan_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);

/* Checks that a round from rb_plan_round keeps rules 1 to 9 of rb_op. 0, or RB_EWRONG with the
 * first violation in why: round, rank and operation. order is scratch for max_ops numbers; if it is
 * NULL, rule 9 is checked only if at most 8 operations receive, or if receives are in rising order
 * of locations. O(operations), or O(operations log operations) if receives are in another order; no
 * allocation. */
int rb_round_check(const struct rb_plan *plan, int32_t rank, int64_t t, const struct rb_op ops[],
                   int32_t count, int32_t order[], char *why, size_t why_size);

/* The location of a block in a rank's memory. A rank's buffers consist of rows, each with room for
 * the rb_plan_blocks() / rb_plan_parts() blocks of a part. Two ranges of a buffer use the same
 * memory if their locations overlap. There is one row per owner, and the row's number is the owner.
 * In personalized collectives it is the destination in SRC, where a rank has only its own data, the
 * owner in DST, where it has only data for itself, and in TMP (destination - owner) mod p or what
 * the algorithm says; then TMP may have more or fewer rows (rb_plan_rows). */
struct rb_location {
    int32_t row;
    int64_t first; /* number of the range's first block in the row */
};
/* O(1). */
struct rb_location rb_plan_location(const struct rb_plan *plan, const struct rb_range *range);
/* The number of rows of a buffer: rb_plan_owners(), but of TMP as many as the algorithm says. */
int32_t rb_plan_rows(const struct rb_plan *plan, enum rb_buffer buffer);
/* True if two ranges of one rank's buffers overlap. */
bool rb_plan_overlap(const struct rb_plan *plan, const struct rb_range *a,
                     const struct rb_range *b);

/* A wave is a round of all ranks in which all messages have one block and the same distance:
 * relative rank r sends block min(entry[r] + first, n - 1) to r + shift (mod p), unless that block
 * is negative or the receiver is relative rank 0; there are no other operations. So an engine can
 * compute a round by a loop over arrays, which is ten times as fast as asking for each rank's
 * operations. */
struct rb_wave {
    int32_t shift;
    const int8_t *entry; /* p of them, in the table */
    int64_t first;
};
/* Bytes of the table that the plan's waves need; 0: its rounds are not waves. O(1). */
int64_t rb_plan_wave_bytes(const struct rb_plan *plan);
/* Fills the table, which is the caller's. O(its bytes). */
void rb_plan_wave_table(const struct rb_plan *plan, int8_t table[]);
/* Round t. O(1). */
struct rb_wave rb_plan_wave(const struct rb_plan *plan, const int8_t table[], int64_t t);

/* ---- Layout: blocks into bytes --------------------------------------------------------------
 *
 * The m bytes of a collective are all owners' data together: the root's message, or the data that
 * every rank has after an allgather or before a reduce-scatter. They consist of bytes / element
 * elements (element divides bytes). The elements are divided among the owners' parts, in the order
 * of owners and then of parts, as evenly as possible with larger shares first, or as `first` says.
 * A part's elements are divided among its b = rb_plan_blocks() / rb_plan_parts() blocks in the same
 * way: of e elements block i has floor(e / b), and one more if i < e mod b. Blocks may be empty,
 * and an empty message is still a message; but with irregular counts, parts without elements are
 * skipped on both sides (rb_layout_round).
 *
 * If the instance says how many units each part has (fixed_counts), the elements are divided among
 * the parts in proportion to the units, at whole elements; a part's elements go to its first
 * blocks, one block per unit. */
struct rb_layout {
    int64_t bytes;   /* bytes of all owners' data together, >= 0 */
    int64_t element; /* bytes per element, >= 1 */
    /* Irregular counts, for collectives whose data are distributed: rank j owns elements first[j]
     * .. first[j + 1] - 1; first[0] = 0, first[p] = bytes / element. In personalized collectives
     * its elements for rank d are first[j p + d] .. first[j p + d + 1] - 1. The caller owns the
     * array. NULL: regular counts. */
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
/* rb_plan_round without the operations on parts that have no elements by irregular counts; the
 * result may be 0. layout may be NULL: then no operation is left out. */
int32_t rb_layout_round(const struct rb_plan *plan, const struct rb_layout *layout,
                        const struct rb_rank *state, int64_t t, struct rb_op ops[]);

/* rb_layout_round with a check (rb_round_check without order): the number of operations, or
 * RB_EWRONG with why. Engines, executors and exporters use this function, so that each of them
 * rejects a wrong round. */
int32_t rb_layout_checked_round(const struct rb_plan *plan, const struct rb_layout *layout,
                                const struct rb_rank *state, int64_t t, struct rb_op ops[],
                                char *why, size_t why_size);

/* If `total` items are divided among places 0 .. places - 1 as evenly as possible, larger shares
 * first: the number of items before a place. total >= 0, places >= 1, 0 <= place <= places. */
int64_t rb_deal_before(int64_t total, int64_t places, int64_t place);

/* How the data are divided among the ranks. Irregular shares are proportional to weights, at whole
 * elements. */
enum rb_counts_rule {
    RB_COUNTS_REGULAR,    /* as evenly as possible */
    RB_COUNTS_MOD3,       /* rank i weighs i mod 3 (Traeff 2024, Section 3) */
    RB_COUNTS_DEGENERATE, /* rank 0 has everything (Traeff 2024, Section 3) */
    RB_COUNTS_RANDOM,     /* by seed, weights 1..4, and 0 for about a quarter of the ranks */
    RB_COUNTS_ZIPF,       /* by seed, 1, 2^-skew, 3^-skew, ... in a random order */
    RB_COUNTS_HOT,        /* by seed, `some` ranks weigh `factor`, the others 1 */
    RB_COUNTS_BANDED,     /* for pairs: up to `some` ranks apart on a ring, 750..1250; others 2 */
    RB_COUNTS_GIVEN,      /* weight[] */
};
/* In personalized collectives the weight of owner i's data for rank d is: mod3, (i + d) mod 3;
 * degenerate, equal for all d of owner 0 and 0 for other owners; random, zipf, banded, drawn for
 * each pair; hot, d's; given, weight[i p + d]. */
struct rb_counts {
    enum rb_counts_rule rule;
    uint64_t seed;         /* of rules with a random choice */
    double skew;           /* 0..64 */
    int32_t some;          /* 0 or more */
    int64_t factor;        /* 0..2^31 */
    const int64_t *weight; /* owners parts of them, >= 0, in all at most 2^62; the caller's */
};
/* Fills first[0 .. owners parts] for rb_layout: owners, parts >= 1, their product at most 2^30;
 * elements >= 0. If all weights are 0, the last part has everything. O(owners parts). */
void rb_counts_deal(const struct rb_counts *counts, int32_t owners, int32_t parts, int64_t elements,
                    int64_t first[]);

/* ---- Costs and bounds ---------------------------------------------------------------------- */

/* Closed-form time of the plan in seconds when a round costs alpha_s + beta_s_per_byte * (its
 * longest message), and nothing if no rank has a message in it: the papers' model (lockstep, no
 * contention, each port at full speed). Exact if all blocks are equal. RB_ENOTSUP if the algorithm
 * has no closed form, or for irregular counts. */
int rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s,
                 double beta_s_per_byte, double *time_s);

/* The n that minimises rounds * (alpha_s + beta_s_per_byte * m / n), an integer >= 1 (1 where n
 * does not matter), for m bytes and spec's other values; spec->n is ignored. That is the closed
 * form, except for plans by groups: those have rounds without messages, more of them the smaller n
 * is, and lanes are for groups that share a port, so their n is that for messages of all lanes of a
 * group together. O(log p). For alpha_s = 0 there is no finite optimum: the result is then max(m,
 * 1). RB_EINVAL, also unless alpha_s and beta_s_per_byte are finite and at least 0; RB_ENOTSUP,
 * RB_ENOMEM. */
int rb_best_n(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
              double beta_s_per_byte, int64_t *n);

/* The radix that minimises the closed form, among all of 2 .. max(p, 2) or the powers of two among
 * them; the smallest of several equally good ones. Radices that do not fit (rb_plan_is_supported)
 * are left out; the result is 0 if none fits. spec->radix is ignored. RB_EINVAL as rb_best_n,
 * RB_ENOTSUP if the algorithm has no radix or no closed form. O(p log p), or O(log^2 p) for powers
 * of two. */
int rb_best_radix(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s,
                  double beta_s_per_byte, bool power_of_two, int32_t *radix);

/* The smallest number of rounds, and of block moves over all ranks, of plans for this collective
 * with the plan's p, ports k and blocks. If the algorithm is pipelined, rb_bound_rounds is the
 * bound for plans in which a message has at most one block of an owner (bcast: Bar-Noy and Kipnis
 * 1994: n - 1 + ceil(log2 p) rounds; n (p - 1) moves; on k ports ceil(n / k) - 1 + ceil(log p to
 * base k + 1)); otherwise it is the bound for any plan. rb_bound_rounds_packed is always the bound
 * for any plan: a message may have all n blocks, as if they were one. -1, also of
 * rb_bound_critical_volume: the plan names no data (rb_plan_only), and nothing bounds it. */
int64_t rb_bound_rounds(const struct rb_plan *plan);
int64_t rb_bound_rounds_packed(const struct rb_plan *plan);
int64_t rb_bound_moves(const struct rb_plan *plan);

/* The lower bound on C2 of Bruck et al. 1997, the volume in sequence: the length in blocks of each
 * round's longest message, over all ports of all ranks, added up over the rounds. (C1 is
 * rb_plan_rounds.) It holds for any plan for this collective with the plan's p, ports, blocks and
 * at most `rounds` rounds; INT64_MAX: any number. Allgather: Proposition 2.2. Alltoall: the larger
 * of Proposition 2.4 and the count in the proof of Theorem 2.7, of which Theorems 2.5 and 2.6 are
 * special cases. Other collectives: what some rank must send or receive through its ports. O(log
 * p), for alltoall O(min(rounds, p)). */
int64_t rb_bound_critical_volume(const struct rb_plan *plan, int64_t rounds);
/* C2 by the algorithm's formula: rb_plan_cost with start-ups of 0. Exact. RB_ENOTSUP if the
 * algorithm has no closed form. */
int rb_plan_critical_volume(const struct rb_plan *plan, int64_t *blocks);

/* ceil(log2 p) for p >= 1; to another base, which is at least 2. */
int32_t rb_ceil_log2(int64_t p);
int32_t rb_ceil_log(int64_t p, int64_t base);

/* ---- Verification --------------------------------------------------------------------------- */

struct rb_verdict {
    int64_t rounds;
    int64_t messages;
    int64_t moves;     /* blocks received, over all ranks */
    int64_t redundant; /* of these, blocks that the receiver already had */
    int64_t busiest;   /* largest number of blocks sent or received by one rank in one round */
    int64_t critical_volume; /* blocks: the longest message of each round, added up (C2) */
    int64_t bytes;           /* received, over all ranks, at most INT64_MAX; 0 without a layout */
    int64_t group_messages;  /* largest number of messages into one group, or out of it, in one
                              * round */
    char what[400];          /* RB_EWRONG: the first thing wrong: round, rank, block; else empty */
    char note[400];          /* of schedules of other programs: what else was found; or empty */
    int64_t room;            /* of such schedules: messages for which FIFOs must have room */
    bool no_contract; /* such a schedule does not say what the ranks must have at the end, so that
                       * this was not checked, and no bounds hold */
};

/* Executes the plan symbolically and checks that every round keeps the rules of rb_op: every send
 * has a matching receive with the same blocks, no rank sends blocks that it does not have, ports
 * are respected, next() skips only idle rounds; that an algorithm that plans by groups has no more
 * messages into or out of a group in a round than a rank has ports (one_per_port), or that port 0
 * carries what leaves a group and nothing else (own_nic); that the collective's
 * postcondition holds at the end; in reductions, that each required contribution counts exactly
 * once, and in rank order if the plan is ordered. With a layout the plan is executed with its
 * counts: owners without elements are skipped, and their data need not arrive; layout may be NULL.
 * 0, RB_EWRONG, RB_ENOMEM. Time O(rounds * p + moves), memory O(p * owners * blocks). */
int rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                   struct rb_verdict *verdict);

/* Checks the four correctness conditions (Traeff 2024, Section 2) of the circulant schedules of all
 * ranks for one p: those of rb_circulant_table, in which conditions 1 and 2 hold because each
 * receive row is a rotated send row. Also checks that the single schedules of six ranks equal the
 * table's. Room is reused from call to call: zero it first, and free it at the end. 0, RB_EWRONG
 * with verdict->what, RB_EINVAL, RB_ENOMEM. Time and memory O(p log p). */
struct rb_schedule_room {
    int8_t *base;    /* p baseblocks */
    int8_t *send;    /* rows k = 0 .. q - 1 of p entries */
    int8_t *recv;    /* q rows of p entries; or NULL: the rows of send, rotated */
    size_t capacity; /* entries of send */
};
int rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
void rb_schedule_room_free(struct rb_schedule_room *room);

/* The same four conditions for a table that somebody else made: the caller fills the rows of send
 * and recv, and base has room for p entries, which become the baseblocks of Algorithm 3. 0,
 * RB_EWRONG with verdict->what, RB_EINVAL (p). O(p log p), no allocation. */
int rb_verify_schedule_table(int32_t p, const struct rb_schedule_room *room,
                             struct rb_verdict *verdict);

/* The same four conditions for relative rank r alone, 0 <= r < p, from single schedules: r's own,
 * and those of the ranks it sends to and receives from. For p whose tables are too large to keep.
 * 0, RB_EWRONG with verdict->what, RB_EINVAL. O(log^2 p), no allocation. */
int rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
