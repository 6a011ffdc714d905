/* plan.h - internal to the core: the descriptors of algorithms and collectives.
 *
 * An algorithm is one const struct rb_algorithm, in a file of its own or in that of its family, and
 * one line in list.h. It plans for relative ranks (the root is 0). The postcondition belongs to the
 * collective, so a new algorithm is verified by a postcondition that exists already. */
#pragma once

#include "roundabout.h"

/* The bound on n, chosen so that p * n never overflows an int64_t. */
#define RB_MAX_BLOCKS ((int64_t)1 << 32)

struct rb_collective {
    struct rb_collective_info info;
    uint32_t buffers; /* set of (1u << RB_...) that it has */
    /* The datum (rb_plan_datum) that a rank has at a location at the start, or must have there at
     * the end; RB_NOTHING: it has none, or none is required. Asked for the first block of an
     * owner's part; the part's other blocks follow it, as far as the instance's shares go. */
    int64_t (*precondition)(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                            int32_t owner, int64_t index);
    int64_t (*postcondition)(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                             int32_t owner, int64_t index);
    /* In reductions: this rank's result must combine the contributions of ranks *first .. *end - 1
     * and of no others. NULL: those of all ranks. */
    void (*contributors)(const struct rb_plan *plan, int32_t rank, int32_t *first, int32_t *end);
    int64_t (*bound_rounds)(const struct rb_plan *plan, int64_t n); /* NULL: there are no bounds */
    int64_t (*bound_moves)(const struct rb_plan *plan);
    /* rb_bound_critical_volume on one port: the blocks that some rank must send or receive; p > 1.
     * NULL: a rank's average share of bound_moves. */
    int64_t (*bound_busiest)(const struct rb_plan *plan, int64_t rounds);
    /* For collectives with info.instance: reads the instance (NULL: the default for plan->p),
     * writes its full form to plan->instance and fills plan->problem. After a failure nothing needs
     * to be freed. */
    int (*instance)(struct rb_plan *plan, const char *text, char *why, size_t why_size);
    /* The number of ranks of this instance (text, not NULL); NULL: any number. */
    int (*instance_ranks)(const char *text, int32_t *p, char *why, size_t why_size);
    void (*release)(struct rb_plan *plan); /* frees plan->problem; NULL: nothing */
};

#define RB_NOTHING ((int64_t)-1)

/* A grid of p ranks (grid.h): the extent of dimension 0 and of each other dimension. */
struct rb_grid {
    int32_t dimensions;
    int32_t extent[2];
};

/* How long what an algorithm names is: its blocks are those of `plan`, or of a part of it if `plan`
 * is composed (sequence.h). */
struct rb_lengths {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    int32_t edge;      /* rb_layout_edge */
    const void *table; /* of the algorithm (envelope_table) */
};

/* A message of a rank's round, without its blocks. */
struct rb_envelope {
    bool sends;
    int32_t peer, port;
    int64_t bytes, combined; /* combined: of a receive, how many of the bytes the rank combines */
};

struct rb_stage;

struct rb_algorithm {
    struct rb_algorithm_info info;
    /* True if the algorithm supports this p with this radix (0: the algorithm chooses). Agrees with
     * info.ranks. NULL: it supports every p, and every radix if it has one. */
    bool (*supports)(int32_t p, int32_t radix);
    /* True if the algorithm has a plan for the plan's instance, which has been read; otherwise
     * init returns RB_ENOTSUP. NULL: it has plans for all instances. */
    bool (*suits)(const struct rb_plan *plan);
    /* Checks plan->p, n, root and ports (already within their general ranges) and sets rounds,
     * max_ops, and blocks if it differs from n; may fill plan->data. Returns 0, or a status with
     * why; then nothing needs to be freed. */
    int (*init)(struct rb_plan *plan, char *why, size_t why_size);
    /* Frees what init allocated; NULL: nothing. */
    void (*fini)(struct rb_plan *plan);
    /* Fills state->state for state->rank; NULL: nothing to precompute. */
    void (*rank)(const struct rb_plan *plan, struct rb_rank *state);
    int32_t (*round)(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                     struct rb_op ops[]);
    /* For plans by place (rb_plan_only.by_place), whose owners, parts and blocks are set by init:
     * their rb_verify_plan and rb_layout_bytes; else NULL. */
    int (*verify)(const struct rb_plan *plan, struct rb_verdict *verdict);
    int64_t (*bytes)(const struct rb_plan *plan, const struct rb_layout *layout,
                     const struct rb_range *range);
    /* NULL: the plan tries round after round, which is meant for short idle times and few
     * operations: above four it allocates memory for them. */
    int64_t (*next)(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
    /* Closed form (rb_plan_cost); NULL: none. bytes is the whole message, p > 1. */
    double (*cost)(const struct rb_plan *plan, double bytes, double alpha_s,
                   double beta_s_per_byte);
    /* In reductions: partial results are combined in rank order if the root is 0; for every
     * root. */
    bool ordered_for_root_0, ordered_for_every_root;
    /* For algorithms on a grid (grid.h): the grid for this p and radix; otherwise NULL. */
    struct rb_grid (*grid)(struct rb_plan *plan);
    /* The algorithm that this one reads backwards (sequence.h); otherwise NULL. */
    const struct rb_algorithm *forward;
    /* The two algorithms of which this one is composed (sequence.h); otherwise NULL. */
    const struct rb_algorithm *parts[2];
    /* The stages of which this one consists, up to the first without an algorithm (levels.h);
     * otherwise NULL. */
    const struct rb_stage *stages;
    /* For pipelined algorithms of which some rounds move all blocks at once, so that the bound on
     * rounds is that for any plan. */
    bool partly_pipelined;
    /* For pipelined algorithms: rounds = *per_block * n + *fixed for this p, p > 1. If only some
     * rounds are pipelined, of these. If a block is 1 / c of m / n, *per_block is c times that. */
    void (*pipeline)(const struct rb_plan *plan, int64_t *per_block, int64_t *fixed);
    /* rb_bound_rounds, where the collective's bound does not hold; otherwise NULL. */
    int64_t (*least)(const struct rb_plan *plan);
    /* The messages of a round as rb_layout_round has them, in any order, faster than its
     * operations, of which none is local: for messages of many blocks. -1: not in this round. NULL:
     * never. */
    int32_t (*envelopes)(const struct rb_plan *plan, const struct rb_lengths *lengths,
                         const struct rb_rank *state, int64_t t, struct rb_envelope envelope[]);
    /* Fills a table that it needs, which its caller keeps, and returns its bytes. table NULL: only
     * that. NULL: it needs none. */
    size_t (*envelope_table)(const struct rb_plan *plan, void *table);
    /* rb_plan_wave_bytes, rb_plan_wave_table, rb_plan_wave; all or none. */
    int64_t (*wave_bytes)(const struct rb_plan *plan);
    void (*wave_table)(const struct rb_plan *plan, int8_t table[]);
    struct rb_wave (*wave)(const struct rb_plan *plan, const int8_t table[], int64_t t);
};

/* How much every owner has for every rank, in units, if the instance says it (personalized
 * collectives only). A part has as many non-empty blocks as units; its other blocks are empty.
 * Owner i's shares are share[row[i]] .. share[row[i + 1] - 1], by rising part; shares without units
 * are left out. */
struct rb_share {
    int32_t part;
    int64_t before; /* units of all preceding shares, in the order of owners and parts */
    int64_t units;
};
struct rb_shares {
    int64_t units;          /* units of all shares */
    size_t *row;            /* owners + 1 */
    struct rb_share *share; /* row[owners] */
};
/* The share of a part. If the part has none, the result has 0 units and the units of all preceding
 * shares. O(log p). */
struct rb_share rb_share_of(const struct rb_plan *plan, int32_t owner, int32_t part);

struct rb_plan {
    const struct rb_collective *collective;
    const struct rb_algorithm *algorithm;
    int32_t p;
    int32_t root;
    int32_t ports;
    int32_t radix; /* the radix of the spec, or chosen by the algorithm's init; 0: the algorithm has
                    * none */
    char instance[RB_INSTANCE_LENGTH]; /* the full form; "": the collective has no instances */
    union {                            /* belongs to the collective: the instance */
        int32_t shift;
        void *own; /* a library's */
    } problem;
    struct rb_groups groups;
    const struct rb_neighbours *neighbours; /* NULL: none, or the algorithm doesn't ask */
    const struct rb_shares *shares; /* part of the instance; NULL: the layout gives the shares */
    const int64_t *first;           /* the spec's, for init only */
    int32_t owners;
    int32_t parts; /* parts of an owner's data: p in personalized collectives, otherwise 1 */
    int32_t max_ops;
    bool ordered;
    int64_t slot_blocks; /* rb_plan_slot_blocks; a divisor of blocks */
    /* Personalized: the row in TMP of what `owner` has for `to`, below tmp_rows. NULL: (to - owner)
     * mod p. At no rank may two that are there at the same time have the same row. */
    int32_t (*tmp_row)(const struct rb_plan *plan, int32_t owner, int32_t to);
    int32_t tmp_rows; /* 0: a row per owner; with slots, the rows that they fill */
    int64_t n;
    int64_t blocks;
    int64_t rounds;
    uint32_t buffers; /* set of (1u << RB_...): the collective's, and what the algorithm adds */
    struct rb_plan *in_order; /* owned: the plan that this one renames (groups.c), of which it has
                               * all but root and groups; NULL: its algorithm plans for its ranks */
    union {                   /* belongs to the algorithm */
        struct {
            struct rb_circulant graph;
            int64_t virtual_rounds;
            uint64_t reciprocal; /* of q: ceil(2^36 / q) */
            int8_t *table;       /* allgather: send rows, baseblocks */
            struct rb_rails {    /* rails.h */
                int32_t lanes, delay;
                int32_t inside; /* K */
                bool direct;    /* a NIC reaches all nodes at once */
            } rails;
        } circulant;
        struct rb_grid grid;
        struct rb_plan *part[2]; /* composed: the plans of the parts, owned */
        void *own;               /* a library's, or an algorithm's */
        int64_t number[4];
    } data;
};

/* Everything in list.h, so that an algorithm can be made of others. */
#define RB_COLLECTIVE(name) extern const struct rb_collective name;
#define RB_ALGORITHM(name)  extern const struct rb_algorithm name;
#include "list.h"

/* Of schedules that name no data; rb_collective_named knows it, no list has it. */
extern const struct rb_collective rb_none;

const struct rb_collective *rb_collective_named(const char *name); /* or NULL */
/* NULL with why: there is none. */
const struct rb_algorithm *rb_algorithm_named(const char *collective, const char *name, char *why,
                                              size_t why_size);

/* Writes the message to why, if it has room, and returns status. */
int rb_why(char *why, size_t why_size, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes to the verdict what is wrong and returns RB_EWRONG. */
#define rb_wrong(verdict, ...)                                                                     \
    rb_why((verdict)->what, sizeof(verdict)->what, RB_EWRONG, __VA_ARGS__)

/* "block 3 of rank 0", for messages; "nothing" for RB_NOTHING. */
struct rb_name {
    char text[64];
};
struct rb_name rb_datum_name(const struct rb_plan *plan, int64_t datum);

/* rb_verify_plan for those who ask what led to a fault. */
struct rb_arrival { /* a block that a rank has received */
    int64_t round;
    int32_t from, to;
    int64_t datum;
    const uint64_t *set; /* bit r: it has the contribution of rank r; NULL: no reductions */
};
struct rb_fault {
    int64_t round; /* the number of rounds: at the end */
    int32_t rank;
    int32_t peer;        /* -1: none */
    int32_t contributor; /* whose contribution is missing, counts twice, or isn't asked for; -1 */
    int64_t datum;       /* the block that belongs there; RB_NOTHING: the round itself is wrong */
};
struct rb_watch {
    void (*arrives)(void *context, const struct rb_arrival *arrival); /* NULL: no calls */
    void *context;
    struct rb_fault fault; /* set on RB_EWRONG */
};
int rb_verify_plan_watched(const struct rb_plan *plan, const struct rb_layout *layout,
                           struct rb_watch *watch, struct rb_verdict *verdict);

/* Reads the whole numbers of an instance, NAME=VALUE,...: each value in text is stored under its
 * name, and the other values do not change. text may be NULL: then no value changes. RB_EINVAL with
 * why for an unknown name, a name given twice, or a value that is not a whole number in least ..
 * most. */
struct rb_instance_number {
    const char *name;
    int64_t least, most;
    int64_t value;
    bool given;
};
int rb_instance_read(const char *text, struct rb_instance_number numbers[], int32_t count,
                     char *why, size_t why_size);

/* Reads the groups of p ranks as rb_plan_spec has them (text may be NULL). RB_EINVAL with why, or
 * RB_ENOMEM: nothing is left to free. */
int rb_groups_read(struct rb_groups *groups, const char *text, int32_t p, char *why,
                   size_t why_size);
void rb_groups_free(struct rb_groups *groups);
/* The sizes of the smallest and of the largest group. O(1), or O(groups) if sizes differ. */
void rb_groups_extent(const struct rb_groups *groups, int32_t *smallest, int32_t *largest);

/* RB_EINVAL with why unless plan->ports is 1: for algorithms written for one port. */
int rb_need_one_port(const struct rb_plan *plan, char *why, size_t why_size);
/* The same, after it has set the plan's rounds and the most operations of one of them. */
int rb_on_one_port(struct rb_plan *plan, int64_t rounds, int32_t max_ops, char *why,
                   size_t why_size);
/* Sets blocks to n times a factor > 0; RB_EINVAL with why if all owners' would overflow. */
int rb_multiply_blocks(struct rb_plan *plan, int64_t factor, char *why, size_t why_size);

static inline int64_t rb_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The greatest common divisor; that of a and 0 is a. */
static inline int64_t rb_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a / b rounded up; a >= 0, b > 0. */
static inline int64_t rb_ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The number of ports that a rank can use at once: at most one per other rank. */
static inline int32_t rb_used_ports(const struct rb_plan *plan)
{
    return plan->ports < plan->p ? plan->ports : plan->p > 1 ? plan->p - 1 : 1;
}

/* rb_plan_create for a given collective and algorithm. The spec's names are ignored, and its values
 * must be within their general ranges. */
int rb_plan_make(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                 const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                 size_t why_size);

/* Plans for any order of the ranks (groups.c). True if these groups have an order and the
 * algorithm needs a renamed plan for it; RB_ENOTSUP with why if it can't have one; and
 * rb_plan_make of it. */
bool rb_is_renamed(const struct rb_algorithm *algorithm, const char *groups);
int rb_check_renaming(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                      const struct rb_plan_spec *spec, char *why, size_t why_size);
int rb_plan_rename(const struct rb_collective *collective, const struct rb_algorithm *algorithm,
                   const struct rb_plan_spec *spec, struct rb_plan **plan, char *why,
                   size_t why_size);
/* rb_plan_rank, rb_plan_next and rb_plan_round of it, and a range of TMP of a personalized
 * collective as the plan in order names it. */
void rb_renamed_rank(const struct rb_plan *plan, int32_t rank, struct rb_rank *state);
int64_t rb_renamed_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
int32_t rb_renamed_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                         struct rb_op ops[]);
struct rb_range rb_range_in_order(const struct rb_plan *plan, const struct rb_range *range);

/* True if the range is in a slot of TMP. */
static inline bool rb_is_in_slot(const struct rb_plan *plan, const struct rb_range *range)
{
    return plan->slot_blocks > 0 && range->buffer == RB_TMP;
}

/* An algorithm's `next` if no rank is ever idle. */
int64_t rb_never_idle(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);

/* What collectives have at the start or want at the end (precondition, postcondition), of the
 * buffer that the name says, and nothing of others: every rank all owners' data; each rank its own;
 * the root all. */
int64_t rb_dst_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index);
int64_t rb_src_of_all(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                      int32_t owner, int64_t index);
int64_t rb_dst_of_owner(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                        int32_t owner, int64_t index);
int64_t rb_dst_of_root(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer,
                       int32_t owner, int64_t index);

/* Algorithms' costs: every round's message has all data; all rounds' messages of a rank together
 * have those of all ranks but one, of equal parts; every round's message has one such part. */
double rb_cost_of_all(const struct rb_plan *plan, double bytes, double alpha_s,
                      double beta_s_per_byte);
double rb_cost_of_others(const struct rb_plan *plan, double bytes, double alpha_s,
                         double beta_s_per_byte);
double rb_cost_of_parts(const struct rb_plan *plan, double bytes, double alpha_s,
                        double beta_s_per_byte);

/* Moves the operations that rb_layout_round keeps to the front and returns their number. */
int32_t rb_layout_keep(const struct rb_plan *plan, const struct rb_layout *layout,
                       struct rb_op ops[], int32_t count);

/* If all owners' data are divided into equal numbers of blocks of regular lengths: the owners below
 * the result all have blocks of the same lengths, those above it too, and the owner itself may
 * differ from both; the number of owners: all have the same. -1: not so. part: the plan, or the
 * part of it that has these owners. */
int32_t rb_layout_edge(const struct rb_plan *plan, const struct rb_layout *layout,
                       const struct rb_plan *part);
/* Bytes of a block of `part`, which is lengths->plan or a part of it. */
static inline int64_t rb_block_bytes(const struct rb_lengths *lengths, const struct rb_plan *part,
                                     int32_t owner, int64_t block)
{
    const bool whole = lengths->plan == part;
    const struct rb_range range = {RB_DST, whole ? owner : lengths->plan->root,
                                   whole ? block : owner * part->blocks + block, 1};
    return rb_layout_bytes(lengths->plan, lengths->layout, &range);
}

/* True if the block has no elements by irregular counts. layout may be NULL. */
bool rb_layout_is_empty(const struct rb_plan *plan, const struct rb_layout *layout, int32_t owner,
                        int64_t index);

/* rb_plan_next for this algorithm, which may be one on which the plan's own algorithm builds. */
int64_t rb_next_of(const struct rb_algorithm *algorithm, const struct rb_plan *plan,
                   const struct rb_rank *state, int64_t t);

/* ceil(n / k) - 1 + ceil(log p to base k + 1), or 0 for p = 1: the smallest number of rounds for
 * collectives in which a port forwards one block of an owner at a time. The owner sends its last
 * block in round ceil(n / k) - 1 at the earliest, and in a round the number of ranks that have this
 * block grows at most (k + 1)-fold. */
int64_t rb_bound_pipeline(const struct rb_plan *plan, int64_t n);
/* owners * blocks * (p - 1), at most INT64_MAX: every block passes once to, or from, each other
 * rank. */
int64_t rb_bound_each_once(const struct rb_plan *plan);

/* blocks * (p - 1): each other rank's part passes once from, or to, the root. */
int64_t rb_bound_to_root(const struct rb_plan *plan);

/* bound_busiest: all blocks of an owner's data must reach, or leave, some rank. */
int64_t rb_bound_whole(const struct rb_plan *plan, int64_t rounds);

/* bound_busiest: all blocks of all owners except one must reach, or leave, some rank. */
int64_t rb_bound_others(const struct rb_plan *plan, int64_t rounds);

/* The first round from t on in which the rank does anything; plan->rounds: none. `round` is the
 * algorithm's own, which without room for operations says only whether there are any. */
static inline int64_t rb_next_by(int32_t (*round)(const struct rb_plan *plan,
                                                  const struct rb_rank *state, int64_t t,
                                                  struct rb_op ops[]),
                                 const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    while (t < plan->rounds && round(plan, state, t, NULL) == 0)
        t++;
    return t;
}

/* The rank with this relative number, and a rank's relative number. */
static inline int32_t rb_absolute(const struct rb_plan *plan, int32_t relative)
{
    int32_t to_end = plan->p - plan->root;
    return relative < to_end ? relative + plan->root : relative - to_end;
}

static inline int32_t rb_relative(const struct rb_plan *plan, int32_t rank)
{
    return rank >= plan->root ? rank - plan->root : rank + (plan->p - plan->root);
}

/* The number of an owner among the plan's owners; rooted collectives have one owner. */
static inline int64_t rb_owner_place(const struct rb_plan *plan, int32_t owner)
{
    return plan->owners == 1 ? 0 : owner;
}

/* rb_plan_location, where most plans have it inline. */
static inline struct rb_location rb_location_of(const struct rb_plan *plan,
                                                const struct rb_range *range)
{
    if (plan->parts == 1 && plan->slot_blocks == 0)
        return (struct rb_location){(int32_t)rb_owner_place(plan, range->owner), range->first};
    return rb_plan_location(plan, range);
}

/* Blocks of a part, and so of a row of a buffer. */
static inline int64_t rb_part_blocks(const struct rb_plan *plan)
{
    return plan->parts == 1 ? plan->blocks : plan->blocks / plan->parts;
}

/* A block's datum: its name as one number in 0 .. owners * blocks - 1. */
static inline int64_t rb_plan_datum(const struct rb_plan *plan, int32_t owner, int64_t index)
{
    return rb_owner_place(plan, owner) * plan->blocks + index;
}

/* rank + distance (mod p), 0 <= distance <= p. */
static inline int32_t rb_after(const struct rb_plan *plan, int32_t rank, int32_t distance)
{
    return rank < plan->p - distance ? rank + distance : rank - (plan->p - distance);
}

/* In personalized collectives: all blocks that `owner` has for `to`. */
static inline struct rb_range rb_part_range(const struct rb_plan *plan, enum rb_buffer buffer,
                                            int32_t owner, int32_t to)
{
    const int64_t blocks = rb_part_blocks(plan);
    return (struct rb_range){buffer, owner, to * blocks, blocks};
}

/* Rows in TMP (tmp_row): (to - owner) mod p, for an odd owner (owner - to) mod p; and a row for
 * each pair, p * p of them. */
int32_t rb_row_mirrored(const struct rb_plan *plan, int32_t owner, int32_t to);
int32_t rb_row_of_pair(const struct rb_plan *plan, int32_t owner, int32_t to);

/* In personalized collectives: copies a rank's data for itself from SRC to DST. */
static inline struct rb_op rb_keep_own(const struct rb_plan *plan, int32_t rank)
{
    return (struct rb_op){.kind = RB_COPY,
                          .peer = rank,
                          .at = rb_part_range(plan, RB_DST, rank, rank),
                          .from = rb_part_range(plan, RB_SRC, rank, rank)};
}

/* One operation on blocks first .. first + count - 1 of the root's data in DST; rooted broadcasts
 * need no other operations. peer is relative. */
static inline struct rb_op rb_root_op(const struct rb_plan *plan, enum rb_op_kind kind,
                                      int32_t relative_peer, int64_t first, int64_t count)
{
    return (struct rb_op){
        .kind = kind,
        .peer = rb_absolute(plan, relative_peer),
        .at = {.buffer = RB_DST, .owner = plan->root, .first = first, .count = count},
    };
}

/* rb_root_op for one block, written field by field to its destination. For a struct value,
 * compilers assemble it in other memory first and copy it in pieces of another size, which takes
 * longer than the rest of a round. */
static inline void rb_put_root_op(const struct rb_plan *plan, struct rb_op *op,
                                  enum rb_op_kind kind, int32_t relative_peer, int64_t block)
{
    op->kind = kind;
    op->peer = rb_absolute(plan, relative_peer);
    op->port = 0;
    op->incoming_is_left = false;
    op->at.buffer = RB_DST;
    op->at.owner = plan->root;
    op->at.first = block;
    op->at.count = 1;
    op->from.buffer = RB_SRC;
    op->from.owner = 0;
    op->from.first = op->from.count = 0;
}

/* One operation on all blocks of one owner in DST, if every rank owns a part. Peer and owner are
 * relative. */
static inline struct rb_op rb_part_op(const struct rb_plan *plan, enum rb_op_kind kind,
                                      int32_t relative_peer, int32_t relative_owner)
{
    return (struct rb_op){
        .kind = kind,
        .peer = rb_absolute(plan, relative_peer),
        .at = {RB_DST, rb_absolute(plan, relative_owner), 0, plan->n},
    };
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

/* An algorithm's descriptor. After the number of rounds: RB_REVERSED or another family's macro,
 * what the blocks are, and what else the descriptor has. */
#define RB_ROW(symbol, collective_, name_, title_, paper_, rounds_, ...)                           \
    const struct rb_algorithm symbol = {.info.collective = (collective_),                          \
                                        .info.name = (name_),                                      \
                                        .info.title = (title_),                                    \
                                        .info.paper = (paper_),                                    \
                                        .info.rounds = (rounds_),                                  \
                                        __VA_ARGS__}

/* What the blocks are. */
#define RB_AT_ONCE          .info.blocks = "all blocks travel as one message"
#define RB_OF_RANK          .info.blocks = "all blocks of a rank travel together"
#define RB_FOR_RANK         .info.blocks = "all blocks for a rank travel together"
#define RB_SHARES           .info.blocks = "blocks of each of the p shares, which travel together"
#define RB_PIPELINED(whose) .info.pipelined = true, .info.blocks = "pipelined blocks" whose

/* It plans by groups, and a group takes in and sends out at most one message per port and round. */
#define RB_BY_GROUPS .info.groups = true, .info.one_per_port = true
