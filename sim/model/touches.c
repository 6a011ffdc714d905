/* touches.c - see touches.h. */
#include "touches.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAST_ROUNDS = 16, /* as many are kept, a power of two: in cache, for thousands of ranks */
    FEW_OPS = 8,      /* of a round: with more, looking through them takes too long */
};

struct touch {
    uint32_t first, last; /* blocks of the row */
    int32_t row;
    int16_t side;
    int8_t buffer;
    bool writes;
};

/* One rank's round. Of most plans its first cache line has all. */
struct slot {
    double through_s; /* this round and all before; so its local operations */
    int64_t count;    /* of touches */
    double done_s[];  /* per side of messages; then touches, as many as a round may have */
};
enum { LINE = 64 };

struct rb_touched {
    double written_s, read_s;
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* Ranks stand side by side, because most are at the same round, one after another: so memory is
 * read in order. */
static struct slot *slot_of(const struct rb_touches *touches, int32_t rank, int64_t number)
{
    const size_t slot = (size_t)(number & (touches->ring - 1)) * (size_t)touches->p + (size_t)rank;
    return (struct slot *)(void *)(touches->slot + slot * touches->slot_bytes);
}

static struct touch *touches_of(const struct rb_touches *touches, struct slot *slot)
{
    return (struct touch *)(void *)&slot->done_s[touches->sides];
}

static double done_s(const struct slot *slot, const struct touch *touch, int32_t sides)
{
    return touch->side == sides ? slot->through_s : slot->done_s[touch->side];
}

static char *new_slots(size_t bytes)
{
    char *slots = aligned_alloc(LINE, bytes);
    if (slots != NULL)
        memset(slots, 0, bytes);
    return slots;
}

int rb_touches_init(struct rb_touches *touches, const struct rb_plan *plan, int64_t window,
                    bool exact)
{
    const size_t p = (size_t)rb_plan_ranks(plan);
    const int32_t ops = rb_plan_max_ops(plan);
    *touches = (struct rb_touches){.plan = plan,
                                   .p = rb_plan_ranks(plan),
                                   .window = window,
                                   .sides = 2 * rb_plan_ports(plan),
                                   .by_block = ops > FEW_OPS || (exact && window > LAST_ROUNDS) ||
                                               rb_plan_blocks(plan) > UINT32_MAX,
                                   .index = rb_block_index_of(plan)};
    if (window == 1) /* then everything earlier has been waited for */
        return RB_OK;
    if (!touches->by_block) {
        /* A message operation touches one range, a local one two: rounds with local operations may
         * not fit, and are few. */
        touches->most = exact ? 2 * ops : ops;
        touches->slot_bytes = sizeof(struct slot) + (size_t)touches->sides * sizeof(double) +
                              (size_t)touches->most * sizeof(struct touch);
        touches->slot_bytes = (touches->slot_bytes + LINE - 1) / LINE * LINE;
        for (touches->ring = 1; touches->ring < window && touches->ring < LAST_ROUNDS;
             touches->ring *= 2)
            ;
        touches->slot = new_slots(p * (size_t)touches->ring * touches->slot_bytes);
        touches->forgotten_s = calloc(p, sizeof *touches->forgotten_s);
        return touches->slot == NULL || touches->forgotten_s == NULL ? RB_ENOMEM : RB_OK;
    }
    if (touches->index.rank_blocks > (int64_t)(SIZE_MAX / 32 / p))
        return RB_ENOMEM;
    touches->block = calloc(p * (size_t)touches->index.rank_blocks, sizeof *touches->block);
    return touches->block == NULL ? RB_ENOMEM : RB_OK;
}

void rb_touches_free(struct rb_touches *touches)
{
    free(touches->slot);
    free(touches->forgotten_s);
    free(touches->block);
}

/* Field by field: a value put together elsewhere and copied in larger pieces would have to wait
 * until its fields are written. */
static void put_touch(const struct rb_touches *touches, struct touch *touch,
                      const struct rb_range *range, bool writes, int32_t side)
{
    const struct rb_spot spot = rb_plan_spot(touches->plan, range);
    touch->first = (uint32_t)spot.first;
    touch->last = (uint32_t)(spot.first + range->count - 1);
    touch->row = spot.row;
    touch->side = (int16_t)side;
    touch->buffer = (int8_t)range->buffer;
    touch->writes = writes;
}

static bool conflict(const struct touch *a, const struct touch *b)
{
    return a->first <= b->last && b->first <= a->last && (a->writes || b->writes) &&
           a->row == b->row && a->buffer == b->buffer;
}

/* From the newest round to the oldest: what was through by floor_s makes nobody wait, nor does
 * anything before it. That is most, because ports keep their order; so the search is short. */
static double ready_after_rounds(struct rb_touches *touches, int32_t rank, int64_t number,
                                 const struct rb_op *op, double floor_s)
{
    struct touch mine;
    put_touch(touches, &mine, &op->at, op->kind != RB_SEND, 0);
    const int64_t kept = touches->window < touches->ring ? touches->window : touches->ring;
    const int64_t oldest = number > kept - 1 ? number - kept + 1 : 0;
    double ready_s = floor_s;
    for (int64_t other = number - 1; other >= oldest; other--) {
        struct slot *slot = slot_of(touches, rank, other);
        if (slot->through_s <= ready_s)
            return ready_s;
        const struct touch *touch = touches_of(touches, slot);
        for (int64_t i = 0; i < slot->count; i++)
            if (conflict(&mine, &touch[i]))
                ready_s = later(ready_s, done_s(slot, &touch[i], touches->sides));
    }
    if (touches->ring < touches->window && touches->forgotten_s[rank] > ready_s)
        touches->lost = true;
    return ready_s;
}

static struct rb_touched *blocks_of(const struct rb_touches *touches, int32_t rank,
                                    const struct rb_range *range)
{
    return &touches->block[rb_block_index_at(&touches->index, rank, range)];
}

static double ready_after_blocks(const struct rb_touches *touches, int32_t rank,
                                 const struct rb_op *op, double floor_s)
{
    const struct rb_touched *block = blocks_of(touches, rank, &op->at);
    double ready_s = floor_s;
    for (int64_t i = 0; i < op->at.count; i++) {
        ready_s = later(ready_s, block[i].written_s);
        if (op->kind != RB_SEND)
            ready_s = later(ready_s, block[i].read_s);
    }
    return ready_s;
}

double rb_touches_ready_s(struct rb_touches *touches, int32_t rank, int64_t number,
                          const struct rb_op *op, double floor_s)
{
    if (touches->window == 1)
        return floor_s;
    return touches->by_block ? ready_after_blocks(touches, rank, op, floor_s)
                             : ready_after_rounds(touches, rank, number, op, floor_s);
}

void rb_touches_add(struct rb_touches *touches, int32_t rank, int64_t number,
                    const struct rb_op ops[], int32_t count)
{
    if (touches->window == 1 || touches->by_block)
        return;
    struct slot *slot = slot_of(touches, rank, number);
    touches->forgotten_s[rank] = slot->through_s;
    struct touch *touch = touches_of(touches, slot);
    slot->count = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool local = rb_is_local(&ops[i]);
        const int32_t side = local ? touches->sides : rb_side(&ops[i]);
        if (slot->count + (local ? 2 : 1) > touches->most) {
            touches->lost = true;
            return;
        }
        put_touch(touches, &touch[slot->count++], &ops[i].at, ops[i].kind != RB_SEND, side);
        if (local)
            put_touch(touches, &touch[slot->count++], &ops[i].from, false, side);
    }
}

/* Sends have read, all others have written. */
static void note(const struct rb_touches *touches, int32_t rank, const struct rb_range *range,
                 bool writes, double done_s)
{
    struct rb_touched *block = blocks_of(touches, rank, range);
    for (int64_t i = 0; i < range->count; i++) {
        double *const at = writes ? &block[i].written_s : &block[i].read_s;
        *at = later(*at, done_s);
    }
}

void rb_touches_finish(struct rb_touches *touches, int32_t rank, int64_t number,
                       const double done[], const struct rb_op ops[], int32_t count)
{
    if (touches->window == 1)
        return;
    if (!touches->by_block) {
        struct slot *slot = slot_of(touches, rank, number);
        slot->through_s = done[touches->sides];
        for (int32_t side = 0; side < touches->sides; side++)
            slot->done_s[side] = done[side];
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const bool local = rb_is_local(&ops[i]);
        const double when = done[local ? touches->sides : rb_side(&ops[i])];
        note(touches, rank, &ops[i].at, ops[i].kind != RB_SEND, when);
        if (local)
            note(touches, rank, &ops[i].from, false, when);
    }
}
