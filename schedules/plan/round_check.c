/* round_check.c - checks that a rank's round keeps the rules of roundabout.h ("Blocks and
 * operations"). One loop goes over the operations: their order, peers, ports and ranges. A second
 * loop looks for overlapping receives. Receives are nearly always in rising order of locations,
 * with at most one wrap-around (because owners are counted from some rank on, mod p); one
 * comparison per receive shows this. Otherwise a few receives are compared in pairs, and many are
 * sorted. */
#include "plan.h"

enum phase { SENDING, RECEIVING, LOCALLY, PHASES };

static const int8_t phase_of[RB_OP_KINDS] = {
    [RB_SEND] = SENDING, [RB_RECV] = RECEIVING, [RB_RECV_REDUCE] = RECEIVING,
    [RB_COPY] = LOCALLY, [RB_REDUCE] = LOCALLY,
};
static const char *const op_words[RB_OP_KINDS] = {"a send", "a receive", "a receive that combines",
                                                  "a local copy", "a local reduction"};
static const char *const buffer_words[RB_BUFFERS] = {"src", "dst", "tmp"};

enum { FEW = 8 }; /* receives, compared in pairs */

struct round {
    const struct rb_plan *plan;
    int32_t rank;
    int64_t t;
    char *why;
    size_t why_size;
};

#define wrong(round, format, ...)                                                                  \
    rb_why((round)->why, (round)->why_size, RB_EWRONG, "round %lld: rank %d " format,              \
           (long long)(round)->t, (int)(round)->rank, __VA_ARGS__)

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* True if the plan has these blocks, and the rank has locations for them. */
static inline bool has_range(const struct rb_plan *plan, int32_t rank, const struct rb_range *range)
{
    const bool owner_fits = plan->owners == 1 ? range->owner == plan->root
                                              : (uint32_t)range->owner < (uint32_t)plan->owners;
    if (rb_is_in_slot(plan, range))
        return range->owner >= 0 && range->owner < rb_plan_slots(plan) && range->first >= 0 &&
               range->count >= 1 && range->first < plan->blocks &&
               range->count <= plan->slot_blocks - range->first % plan->slot_blocks;
    if ((uint32_t)range->buffer >= RB_BUFFERS || (plan->buffers >> range->buffer & 1u) == 0 ||
        !owner_fits || range->first < 0 || range->count < 1 || range->count > plan->blocks ||
        range->first > plan->blocks - range->count)
        return false;
    if (plan->parts == 1)
        return true;
    const int64_t row_blocks = rb_part_blocks(plan);
    const int64_t part = range->first / row_blocks;
    if (range->first - part * row_blocks > row_blocks - range->count)
        return false;
    return range->buffer == RB_TMP ||
           (range->buffer == RB_SRC ? range->owner == rank : part == rank);
}

static int wrong_range(const struct round *round, const struct rb_range *range)
{
    if (range->count < 1)
        return wrong(round,
                     "names %lld blocks from block %lld of rank %d on: a range has one or more",
                     (long long)range->count, (long long)range->first, (int)range->owner);
    const int64_t last =
        range->first > INT64_MAX - range->count + 1 ? INT64_MAX : range->first + range->count - 1;
    return wrong(round,
                 "names blocks %lld..%lld of rank %d in buffer %d, which the plan does not have",
                 (long long)range->first, (long long)last, (int)range->owner, (int)range->buffer);
}

/* ---- Overlapping receives -------------------------------------------------------------------- */

/* Compares the locations of two ranges: negative if a is wholly before b, positive if it is wholly
 * behind, 0 if they overlap. */
static inline int compare_at(const struct rb_range *a, struct rb_location at,
                             const struct rb_range *b, struct rb_location there)
{
    if (a->buffer != b->buffer)
        return a->buffer < b->buffer ? -1 : 1;
    if (at.row != there.row)
        return at.row < there.row ? -1 : 1;
    return at.first + a->count <= there.first ? -1 : there.first + b->count <= at.first ? 1 : 0;
}

static int compare(const struct rb_plan *plan, const struct rb_range *a, const struct rb_range *b)
{
    return compare_at(a, rb_location_of(plan, a), b, rb_location_of(plan, b));
}

/* True if the locations rise, with at most one wrap-around; then no receives overlap. */
static bool rise(const struct rb_plan *plan, const struct rb_op ops[], int32_t count)
{
    const struct rb_location first = rb_location_of(plan, &ops[0].at);
    struct rb_location last = first;
    int32_t turns = 0;
    for (int32_t i = 1; i < count && turns <= 1; i++) {
        const struct rb_location next = rb_location_of(plan, &ops[i].at);
        const int order = compare_at(&ops[i - 1].at, last, &ops[i].at, next);
        if (order == 0)
            return false;
        turns += order > 0;
        last = next;
    }
    return turns == 0 ||
           (turns == 1 && compare_at(&ops[count - 1].at, last, &ops[0].at, first) < 0);
}

static int meet(const struct round *round, const struct rb_op *a, const struct rb_op *b)
{
    const struct rb_op *first = a < b ? a : b, *second = a < b ? b : a;
    return wrong(round,
                 "receives blocks %lld.. of rank %d from rank %d and blocks %lld.. of rank %d from "
                 "rank %d into one place of %s: receives may meet only where both combine",
                 (long long)first->at.first, (int)first->at.owner, (int)first->peer,
                 (long long)second->at.first, (int)second->at.owner, (int)second->peer,
                 buffer_words[first->at.buffer]);
}

/* By location, and for equal locations in the order given. */
static bool stands_before(const struct rb_plan *plan, const struct rb_op ops[], int32_t a,
                          int32_t b)
{
    const struct rb_range *at = &ops[a].at, *there = &ops[b].at;
    if (at->buffer != there->buffer)
        return at->buffer < there->buffer;
    const struct rb_location location = rb_location_of(plan, at),
                             other = rb_location_of(plan, there);
    return location.row != other.row       ? location.row < other.row
           : location.first != other.first ? location.first < other.first
                                           : a < b;
}

static void sift(const struct rb_plan *plan, const struct rb_op ops[], int32_t order[],
                 int32_t from, int32_t count)
{
    for (int32_t at = from, child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && stands_before(plan, ops, order[child], order[child + 1]))
            child++;
        if (!stands_before(plan, ops, order[at], order[child]))
            return;
        const int32_t moved = order[at];
        order[at] = order[child];
        order[child] = moved;
        at = child;
    }
}

/* Heapsort, because it needs no memory and has no bad case. */
static void sort(const struct rb_plan *plan, const struct rb_op ops[], int32_t order[],
                 int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        order[i] = i;
    for (int32_t i = count / 2; i-- > 0;)
        sift(plan, ops, order, i, count);
    for (int32_t end = count - 1; end > 0; end--) {
        const int32_t last = order[end];
        order[end] = order[0];
        order[0] = last;
        sift(plan, ops, order, 0, end);
    }
}

/* In the order of locations, each receive is compared with the earlier one that reaches furthest:
 * among all if it replaces, among those that replace if it combines. */
static int check_sorted(const struct round *round, const struct rb_op ops[], const int32_t order[],
                        int32_t count)
{
    const struct rb_op *any = NULL, *replacing = NULL; /* that reach furthest */
    for (int32_t i = 0; i < count; i++) {
        const struct rb_op *op = &ops[order[i]];
        const struct rb_op *before = op->kind == RB_RECV ? any : replacing;
        if (before != NULL && compare(round->plan, &before->at, &op->at) == 0)
            return meet(round, before, op);
        if (any == NULL || compare(round->plan, &any->at, &op->at) < 0 ||
            any->at.first + any->at.count < op->at.first + op->at.count)
            any = op;
        if (op->kind == RB_RECV)
            replacing = op; /* receives that replace do not overlap each other, so the last one
                             * reaches furthest */
    }
    return RB_OK;
}

static int check_receives(const struct round *round, const struct rb_op ops[], int32_t count,
                          int32_t order[])
{
    if (count < 2 || rise(round->plan, ops, count))
        return RB_OK;
    if (count > FEW) {
        if (order == NULL)
            return RB_OK;
        sort(round->plan, ops, order, count);
        return check_sorted(round, ops, order, count);
    }
    for (int32_t i = 1; i < count; i++)
        for (int32_t k = 0; k < i; k++)
            if ((ops[i].kind == RB_RECV || ops[k].kind == RB_RECV) &&
                compare(round->plan, &ops[k].at, &ops[i].at) == 0)
                return meet(round, &ops[k], &ops[i]);
    return RB_OK;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static int wrong_peer(const struct round *round, const struct rb_op *op)
{
    const char *direction = op->kind == RB_SEND ? "sends to" : "receives from";
    const struct rb_plan *plan = round->plan;
    if ((uint32_t)op->peer >= (uint32_t)plan->p || op->peer == round->rank)
        return wrong(round, "%s rank %d, which is no peer of it", direction, (int)op->peer);
    return wrong(round, "%s rank %d on port %d of %d", direction, (int)op->peer, (int)op->port,
                 (int)plan->ports);
}

static int check_local(const struct round *round, const struct rb_op *op)
{
    const struct rb_plan *plan = round->plan;
    if (op->peer != round->rank)
        return wrong(round, "has %s with peer %d, which must be the rank itself",
                     op_words[op->kind], (int)op->peer);
    if (op->port != 0)
        return wrong(round, "has %s on port %d, which must be 0", op_words[op->kind],
                     (int)op->port);
    if (!has_range(plan, round->rank, &op->from))
        return wrong_range(round, &op->from);
    if (op->at.count != op->from.count)
        return wrong(round, "takes %lld blocks to %lld places", (long long)op->from.count,
                     (long long)op->at.count);
    if (rb_plan_overlap(plan, &op->at, &op->from))
        return wrong(round, "has %s of blocks %lld.. of rank %d in %s to places that meet them",
                     op_words[op->kind], (long long)op->from.first, (int)op->from.owner,
                     buffer_words[op->from.buffer]);
    return RB_OK;
}

static int check_operator(const struct round *round, const struct rb_op *op)
{
    if ((op->kind == RB_RECV_REDUCE || op->kind == RB_REDUCE) &&
        !round->plan->collective->info.reducing)
        return wrong(round, "combines blocks, but %s has no operator",
                     round->plan->collective->info.name);
    return RB_OK;
}

/* The ports that have a message in the current phase (sends or receives), and the current
 * message. */
struct ports {
    uint64_t used[RB_MAX_PORTS / 64];
    int32_t peer, port;
};

static inline int check_message(const struct round *round, const struct rb_op *op, bool goes_on,
                                struct ports *ports)
{
    const struct rb_plan *plan = round->plan;
    if ((uint32_t)op->peer >= (uint32_t)plan->p || op->peer == round->rank ||
        (uint32_t)op->port >= (uint32_t)plan->ports)
        return wrong_peer(round, op);
    if (goes_on && op->peer == ports->peer && op->port == ports->port)
        return RB_OK;
    const uint64_t bit = UINT64_C(1) << (uint32_t)op->port % 64;
    uint64_t *used = &ports->used[op->port / 64];
    if ((*used & bit) != 0)
        return wrong(round, "%s rank %d on port %d, which is busy in this round",
                     op->kind == RB_SEND ? "sends to" : "receives from", (int)op->peer,
                     (int)op->port);
    *used |= bit;
    ports->peer = op->peer;
    ports->port = op->port;
    return RB_OK;
}

int rb_round_check(const struct rb_plan *plan, int32_t rank, int64_t t, const struct rb_op ops[],
                   int32_t count, int32_t order[], char *why, size_t why_size)
{
    const struct round round = {plan, rank, t, why, why_size};
    struct ports ports; /* the number of words in use, which are zeroed when a phase begins */
    const int32_t words = (plan->ports + 63) / 64;
    int32_t phase = -1, receives = 0, first_receive = 0;
    ports.peer = ports.port = -1;
    if (count < 0 || count > plan->max_ops)
        return wrong(&round, "has %d operations; the plan's most are %d", (int)count,
                     (int)plan->max_ops);
    for (int32_t i = 0; i < count; i++) {
        const struct rb_op *op = &ops[i];
        if ((uint32_t)op->kind >= RB_OP_KINDS)
            return wrong(&round, "has an operation of kind %d, which there is not", (int)op->kind);
        const int32_t its_phase = phase_of[op->kind];
        if (its_phase < phase)
            return wrong(&round,
                         "has %s after %s: sends come first, then receives, then local operations",
                         op_words[op->kind], op_words[ops[i - 1].kind]);
        if (its_phase > phase)
            for (int32_t word = 0; word < words; word++)
                ports.used[word] = 0;
        int status = RB_OK;
        if (its_phase != LOCALLY)
            status = check_message(&round, op, its_phase == phase, &ports);
        if (status == RB_OK && !has_range(plan, rank, &op->at))
            status = wrong_range(&round, &op->at);
        if (status == RB_OK && its_phase != SENDING)
            status = check_operator(&round, op);
        if (status == RB_OK && its_phase == LOCALLY)
            status = check_local(&round, op);
        if (status != RB_OK)
            return status;
        if (its_phase == RECEIVING && receives++ == 0)
            first_receive = i;
        phase = its_phase;
    }
    return check_receives(&round, ops + first_receive, receives, order);
}

/* Right at a glance: what most rounds are, one send or one receive or both, on one port, of data
 * without destinations. Costs a fifth of the rules one by one. */
static inline bool is_plain_message(const struct rb_plan *plan, int32_t rank, int32_t owner,
                                    const struct rb_op *op)
{
    return (uint32_t)op->peer < (uint32_t)plan->p && op->peer != rank && op->port == 0 &&
           (uint32_t)op->at.buffer < RB_BUFFERS && (plan->buffers >> op->at.buffer & 1u) != 0 &&
           (uint32_t)(op->at.owner - owner) < (uint32_t)plan->owners && op->at.count >= 1 &&
           (uint64_t)op->at.first < (uint64_t)plan->blocks &&
           op->at.count <= plan->blocks - op->at.first;
}

static inline bool is_plain(const struct rb_plan *plan, int32_t rank, const struct rb_op ops[],
                            int32_t count)
{
    const int32_t owner = plan->owners == 1 ? plan->root : 0; /* the first */
    if (count == 0)
        return true;
    if (plan->parts != 1 || (uint32_t)count > 2 || count > plan->max_ops)
        return false;
    if (count == 2)
        return ops[0].kind == RB_SEND && ops[1].kind == RB_RECV &&
               is_plain_message(plan, rank, owner, &ops[0]) &&
               is_plain_message(plan, rank, owner, &ops[1]);
    return (uint32_t)ops[0].kind <= RB_RECV && is_plain_message(plan, rank, owner, &ops[0]);
}

int32_t rb_layout_checked_round(const struct rb_plan *plan, const struct rb_layout *layout,
                                const struct rb_rank *state, int64_t t, struct rb_op ops[],
                                char *why, size_t why_size)
{
    const int32_t count = rb_plan_round(plan, state, t, ops);
    const int status = is_plain(plan, state->rank, ops, count)
                           ? RB_OK
                           : rb_round_check(plan, state->rank, t, ops, count, NULL, why, why_size);
    return status == RB_OK ? rb_layout_keep(plan, layout, ops, count) : status;
}
