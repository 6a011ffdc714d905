/* accesses.c - see accesses.h. */
#include "accesses.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAST_ROUNDS = 16, /* as many are kept, a power of two: in cache, for thousands of ranks */
    FEW_OPS = 8,      /* of a round: with more, looking through them takes too long */
};

/* One rank's round. Of most plans its first cache line has all. */
struct slot {
    double through_s; /* this round and all before; so its local operations */
    int64_t count;    /* of accesses */
    double done_s[];  /* per side of messages; then accesses, as many as a round may have */
};
enum { LINE = 64 };

struct model_block_access {
    double written_s, read_s;
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* Slots of neighbouring ranks are adjacent, because most ranks are processed in the same round one
 * after another; memory is then read in order. */
static struct slot *slot_of(const struct model_accesses *accesses, int32_t rank, int64_t number)
{
    const size_t slot =
        (size_t)(number & (accesses->ring - 1)) * (size_t)accesses->p + (size_t)rank;
    return (struct slot *)(void *)(accesses->slot + slot * accesses->slot_bytes);
}

static struct dep_access *accesses_of(const struct model_accesses *accesses, struct slot *slot)
{
    return (struct dep_access *)(void *)&slot->done_s[accesses->sides];
}

static double done_s(const struct slot *slot, const struct dep_access *access, int32_t sides)
{
    return access->side == sides ? slot->through_s : slot->done_s[access->side];
}

static char *new_slots(size_t bytes)
{
    char *slots = aligned_alloc(LINE, bytes);
    if (slots == NULL)
        sup_no_memory();
    memset(slots, 0, bytes);
    return slots;
}

int model_accesses_init(struct model_accesses *accesses, const struct rb_plan *plan, int64_t window,
                        bool exact)
{
    const size_t p = (size_t)rb_plan_ranks(plan);
    const int32_t ops = rb_plan_max_ops(plan);
    *accesses =
        (struct model_accesses){.plan = plan,
                                .p = rb_plan_ranks(plan),
                                .window = window,
                                .sides = 2 * rb_plan_ports(plan),
                                .by_block = ops > FEW_OPS || (exact && window > LAST_ROUNDS) ||
                                            rb_plan_blocks(plan) > UINT32_MAX,
                                .index = dep_block_index_of(plan)};
    if (!accesses->by_block) {
        /* A message operation accesses one range, a local one two: rounds with local operations may
         * not fit, and are few. */
        accesses->most = exact ? 2 * ops : ops;
        accesses->slot_bytes = sizeof(struct slot) + (size_t)accesses->sides * sizeof(double) +
                               (size_t)accesses->most * sizeof(struct dep_access);
        accesses->slot_bytes = (accesses->slot_bytes + LINE - 1) / LINE * LINE;
        for (accesses->ring = 1; accesses->ring < window && accesses->ring < LAST_ROUNDS;
             accesses->ring *= 2)
            ;
        accesses->slot = new_slots(p * (size_t)accesses->ring * accesses->slot_bytes);
        accesses->forgotten_s = sup_calloc(p, sizeof *accesses->forgotten_s);
        return RB_OK;
    }
    if (accesses->index.rank_blocks > (int64_t)(SIZE_MAX / 32 / p))
        return RB_ENOMEM;
    accesses->block = calloc(p * (size_t)accesses->index.rank_blocks, sizeof *accesses->block);
    return accesses->block == NULL ? RB_ENOMEM : RB_OK;
}

void model_accesses_free(struct model_accesses *accesses)
{
    free(accesses->slot);
    free(accesses->forgotten_s);
    free(accesses->block);
}

/* From the newest round to the oldest: what was through by floor_s makes nobody wait, nor does
 * anything before it. That is most, because ports keep their order; so the search is short. */
static double ready_after_rounds(struct model_accesses *accesses, int32_t rank, int64_t number,
                                 const struct rb_op *op, double floor_s)
{
    struct dep_access mine;
    dep_note_access(accesses->plan, &op->at, dep_writes(op), 0, &mine);
    const int64_t kept = accesses->window < accesses->ring ? accesses->window : accesses->ring;
    const int64_t oldest = number > kept - 1 ? number - kept + 1 : 0;
    double ready_s = floor_s;
    for (int64_t other = number - 1; other >= oldest; other--) {
        struct slot *slot = slot_of(accesses, rank, other);
        if (slot->through_s <= ready_s)
            return ready_s;
        const struct dep_access *access = accesses_of(accesses, slot);
        for (int64_t i = 0; i < slot->count; i++)
            if (dep_accesses_conflict(&mine, &access[i]))
                ready_s = later(ready_s, done_s(slot, &access[i], accesses->sides));
    }
    if (accesses->ring < accesses->window && accesses->forgotten_s[rank] > ready_s)
        accesses->lost = true;
    return ready_s;
}

static struct model_block_access *blocks_of(const struct model_accesses *accesses, int32_t rank,
                                            const struct rb_range *range)
{
    return &accesses->block[dep_block_index_at(&accesses->index, rank, range)];
}

static double ready_after_blocks(const struct model_accesses *accesses, int32_t rank,
                                 const struct rb_op *op, double floor_s)
{
    const struct model_block_access *block = blocks_of(accesses, rank, &op->at);
    double ready_s = floor_s;
    for (int64_t i = 0; i < op->at.count; i++) {
        ready_s = later(ready_s, block[i].written_s);
        if (dep_writes(op))
            ready_s = later(ready_s, block[i].read_s);
    }
    return ready_s;
}

double model_accesses_ready_s(struct model_accesses *accesses, int32_t rank, int64_t number,
                              const struct rb_op *op, double floor_s)
{
    return accesses->by_block ? ready_after_blocks(accesses, rank, op, floor_s)
                              : ready_after_rounds(accesses, rank, number, op, floor_s);
}

void model_accesses_add(struct model_accesses *accesses, int32_t rank, int64_t number,
                        const struct rb_op ops[], int32_t count)
{
    if (accesses->by_block)
        return;
    struct slot *slot = slot_of(accesses, rank, number);
    accesses->forgotten_s[rank] = slot->through_s;
    struct dep_access *access = accesses_of(accesses, slot);
    slot->count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (slot->count + (dep_is_local(&ops[i]) ? 2 : 1) > accesses->most) {
            accesses->lost = true;
            return;
        }
        slot->count +=
            dep_note_accesses(accesses->plan, &ops[i], accesses->sides, &access[slot->count]);
    }
}

static void note(const struct model_accesses *accesses, int32_t rank, const struct rb_range *range,
                 bool writes, double done_s)
{
    struct model_block_access *block = blocks_of(accesses, rank, range);
    for (int64_t i = 0; i < range->count; i++) {
        double *const at = writes ? &block[i].written_s : &block[i].read_s;
        *at = later(*at, done_s);
    }
}

void model_accesses_finish(struct model_accesses *accesses, int32_t rank, int64_t number,
                           const double done[], const struct rb_op ops[], int32_t count)
{
    if (!accesses->by_block) {
        struct slot *slot = slot_of(accesses, rank, number);
        slot->through_s = done[accesses->sides];
        for (int32_t side = 0; side < accesses->sides; side++)
            slot->done_s[side] = done[side];
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const bool local = dep_is_local(&ops[i]);
        const double when = done[local ? accesses->sides : dep_side(&ops[i])];
        note(accesses, rank, &ops[i].at, dep_writes(&ops[i]), when);
        if (local)
            note(accesses, rank, &ops[i].from, false, when);
    }
}
