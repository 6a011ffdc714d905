/* touches.c - see touches.h. */
#include "touches.h"

#include <stdlib.h>

enum {
    FEW_ROUNDS = 32, /* with more in flight, looking through them costs more than times per block */
    FEW_OPS = 8,
};

struct rb_touch {
    int64_t first, end; /* blocks of the row */
    int32_t row;
    int8_t buffer;
    bool writes;
    int16_t side;
};

struct rb_touched {
    double written_s, read_s;
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

static int64_t slot_of(const struct rb_touches *touches, int32_t rank, int64_t number)
{
    return rank * touches->window + number % touches->window;
}

int rb_touches_init(struct rb_touches *touches, const struct rb_plan *plan, int64_t window)
{
    const size_t p = (size_t)rb_plan_ranks(plan);
    const int32_t ops = rb_plan_max_ops(plan);
    *touches = (struct rb_touches){.plan = plan,
                                   .window = window,
                                   .sides = 2 * rb_plan_ports(plan),
                                   .by_block = window > FEW_ROUNDS || ops > FEW_OPS,
                                   .most = 2 * ops,
                                   .row_blocks = rb_plan_blocks(plan) / rb_plan_parts(plan)};
    if (window == 1) /* then everything earlier has been waited for */
        return RB_OK;
    if (!touches->by_block) {
        const size_t slots = p * (size_t)window;
        touches->touch = malloc(slots * (size_t)touches->most * sizeof *touches->touch);
        touches->touch_count = calloc(slots, sizeof *touches->touch_count);
        touches->done_s = malloc(slots * (size_t)(touches->sides + 1) * sizeof *touches->done_s);
        return touches->touch == NULL || touches->touch_count == NULL || touches->done_s == NULL
                   ? RB_ENOMEM
                   : RB_OK;
    }
    int32_t buffers = 0;
    for (int b = 0; b < RB_BUFFERS; b++)
        if (rb_plan_has(plan, (enum rb_buffer)b))
            touches->buffer[b] = buffers++;
    touches->buffer_blocks = rb_plan_owners(plan) * touches->row_blocks;
    touches->rank_blocks = buffers * touches->buffer_blocks;
    if (touches->rank_blocks > (int64_t)(SIZE_MAX / 32 / p))
        return RB_ENOMEM;
    touches->block = calloc(p * (size_t)touches->rank_blocks, sizeof *touches->block);
    return touches->block == NULL ? RB_ENOMEM : RB_OK;
}

void rb_touches_free(struct rb_touches *touches)
{
    free(touches->touch);
    free(touches->touch_count);
    free(touches->done_s);
    free(touches->block);
}

static struct rb_touch touch_of(const struct rb_touches *touches, const struct rb_range *range,
                                bool writes, int32_t side)
{
    const struct rb_spot spot = rb_plan_spot(touches->plan, range);
    return (struct rb_touch){.first = spot.first,
                             .end = spot.first + range->count,
                             .row = spot.row,
                             .buffer = (int8_t)range->buffer,
                             .writes = writes,
                             .side = (int16_t)side};
}

static bool conflict(const struct rb_touch *a, const struct rb_touch *b)
{
    return a->first < b->end && b->first < a->end && (a->writes || b->writes) && a->row == b->row &&
           a->buffer == b->buffer;
}

static double ready_after_rounds(const struct rb_touches *touches, int32_t rank, int64_t number,
                                 const struct rb_op *op)
{
    const struct rb_touch mine = touch_of(touches, &op->at, op->kind != RB_SEND, 0);
    double ready_s = 0;
    for (int64_t other = number > touches->window - 1 ? number - touches->window + 1 : 0;
         other < number; other++) {
        const int64_t slot = slot_of(touches, rank, other);
        const struct rb_touch *touch = &touches->touch[slot * touches->most];
        for (int32_t i = 0; i < touches->touch_count[slot]; i++)
            if (conflict(&mine, &touch[i]))
                ready_s =
                    later(ready_s, touches->done_s[slot * (touches->sides + 1) + touch[i].side]);
    }
    return ready_s;
}

static struct rb_touched *blocks_of(const struct rb_touches *touches, int32_t rank,
                                    const struct rb_range *range)
{
    const struct rb_spot spot = rb_plan_spot(touches->plan, range);
    return &touches->block[rank * touches->rank_blocks +
                           touches->buffer[range->buffer] * touches->buffer_blocks +
                           spot.row * touches->row_blocks + spot.first];
}

static double ready_after_blocks(const struct rb_touches *touches, int32_t rank,
                                 const struct rb_op *op)
{
    const struct rb_touched *block = blocks_of(touches, rank, &op->at);
    double ready_s = 0;
    for (int64_t i = 0; i < op->at.count; i++) {
        ready_s = later(ready_s, block[i].written_s);
        if (op->kind != RB_SEND)
            ready_s = later(ready_s, block[i].read_s);
    }
    return ready_s;
}

double rb_touches_ready_s(const struct rb_touches *touches, int32_t rank, int64_t number,
                          const struct rb_op *op)
{
    if (touches->window == 1)
        return 0;
    return touches->by_block ? ready_after_blocks(touches, rank, op)
                             : ready_after_rounds(touches, rank, number, op);
}

void rb_touches_add(struct rb_touches *touches, int32_t rank, int64_t number,
                    const struct rb_op ops[], int32_t count)
{
    if (touches->window == 1 || touches->by_block)
        return;
    const int64_t slot = slot_of(touches, rank, number);
    struct rb_touch *touch = &touches->touch[slot * touches->most];
    int32_t touch_count = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool local = rb_is_local(&ops[i]);
        const int32_t side = local ? touches->sides : rb_side(&ops[i]);
        touch[touch_count++] = touch_of(touches, &ops[i].at, ops[i].kind != RB_SEND, side);
        if (local)
            touch[touch_count++] = touch_of(touches, &ops[i].from, false, side);
    }
    touches->touch_count[slot] = touch_count;
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
                       const double done_s[], const struct rb_op ops[], int32_t count)
{
    if (touches->window == 1)
        return;
    if (!touches->by_block) {
        double *done = &touches->done_s[slot_of(touches, rank, number) * (touches->sides + 1)];
        for (int32_t side = 0; side <= touches->sides; side++)
            done[side] = done_s[side];
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const bool local = rb_is_local(&ops[i]);
        const double when = done_s[local ? touches->sides : rb_side(&ops[i])];
        note(touches, rank, &ops[i].at, ops[i].kind != RB_SEND, when);
        if (local)
            note(touches, rank, &ops[i].from, false, when);
    }
}
