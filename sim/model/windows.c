/* windows.c - any plan and any overlap rule, as long as a message's time depends on its two ranks
 * alone.
 *
 * A message waits only for earlier rounds of its two ranks: for the preceding message on each side
 * of a port, for the round that must have left the window, and for operations on its blocks. So
 * rounds are computed one after another, each in three steps: the ranks' offers, the messages, and
 * the new state of the ranks. With one round in flight (`blocking`, `lockstep`) a round waits only
 * for the preceding one, and nothing else is stored. Combining what was received takes gamma per
 * byte, one message after another; after that the receive is complete, and the next one at its port
 * may start. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "roundabout.h"
#include "schedules/dependences/envelopes.h"
#include "sim/engine/replay.h"
#include "support/memory.h"

/* ---- Which ranks have something to do in which round ----------------------------------------- */

/* Most ranks do something in every round, and these are lists; those that pause wait in a heap. */

struct model_active_ranks {
    const struct rb_plan *plan;
    struct rb_rank *rank; /* per rank: its state in the plan */
    int64_t round;        /* the current round, whose ranks are */
    int32_t *now;         /* now[0 .. now_count - 1]; not all of them need have an operation */
    int32_t now_count;
    bool in_order; /* now[i] is i */
    int32_t *soon; /* ranks of the round after it */
    int32_t soon_count;
    struct sim_round_heap later; /* all others, by their next round */
};

/* From round t on. A rank's operations in a round are computed only when the round comes, unless
 * the rank was idle in the preceding one; otherwise each rank's rounds would be computed twice. */
static void wait_for(struct model_active_ranks *active_ranks, int32_t rank, int64_t t)
{
    const int64_t next = rb_plan_next(active_ranks->plan, &active_ranks->rank[rank], t);
    if (next < rb_plan_rounds(active_ranks->plan))
        sim_round_heap_push(&active_ranks->later, next, rank);
}

/* Before the first round. O(p log p). */
static void active_ranks_init(struct model_active_ranks *active_ranks, const struct rb_plan *plan)
{
    const int32_t p = rb_plan_ranks(plan);
    *active_ranks =
        (struct model_active_ranks){.plan = plan,
                                    .rank = sup_malloc((size_t)p * sizeof *active_ranks->rank),
                                    .round = -1,
                                    .now = sup_malloc((size_t)p * sizeof *active_ranks->now),
                                    .soon = sup_malloc((size_t)p * sizeof *active_ranks->soon)};
    sim_round_heap_init(&active_ranks->later, p);
    for (int32_t rank = 0; rank < p; rank++) {
        rb_plan_rank(plan, rank, &active_ranks->rank[rank]);
        if (rb_plan_rounds(plan) > 0)
            wait_for(active_ranks, rank, 0);
    }
}

static void active_ranks_free(struct model_active_ranks *active_ranks)
{
    free(active_ranks->rank);
    free(active_ranks->now);
    free(active_ranks->soon);
    sim_round_heap_free(&active_ranks->later);
}

/* All ranks are there: memory is then read in order, and that is worth twice the speed where the
 * ranks' data don't fit into the cache. */
static void put_in_order(struct model_active_ranks *active_ranks)
{
    for (int32_t i = 0; i < active_ranks->now_count; i++)
        active_ranks->now[i] = i;
    active_ranks->in_order = true;
}

/* Advances to the next round in which a rank may have an operation; false after the last round. */
static bool active_ranks_advance(struct model_active_ranks *active_ranks)
{
    struct sim_round_heap *later = &active_ranks->later;
    int32_t *const emptied = active_ranks->now;
    if (active_ranks->soon_count > 0)
        active_ranks->round++;
    else if (later->count > 0)
        active_ranks->round = later->entry[0].round;
    else
        return false;
    active_ranks->now = active_ranks->soon;
    active_ranks->now_count = active_ranks->soon_count;
    active_ranks->soon = emptied;
    active_ranks->soon_count = 0;
    while (later->count > 0 && later->entry[0].round == active_ranks->round) {
        active_ranks->now[active_ranks->now_count++] = sim_round_heap_pop(later);
        active_ranks->in_order = false;
    }
    if (!active_ranks->in_order && active_ranks->now_count == rb_plan_ranks(active_ranks->plan))
        put_in_order(active_ranks);
    return true;
}

/* Keeps a rank of the current round, in which it had an operation (active) or none, for later
 * rounds. */
static void active_ranks_keep(struct model_active_ranks *active_ranks, int32_t rank, bool active)
{
    if (active_ranks->round + 1 >= rb_plan_rounds(active_ranks->plan))
        return;
    if (active)
        active_ranks->soon[active_ranks->soon_count++] = rank;
    else
        wait_for(active_ranks, rank, active_ranks->round + 1);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Computes when the blocks that an operation needs are ready, from the blocks that a rank's
 * earlier operations have read and written, and the times of these operations. */

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
    sup_had_memory(slots != NULL);
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

/* ---- The variant ----------------------------------------------------------------------------- */

struct message_end { /* a message of the current round, on one side of a rank */
    int32_t peer;    /* or -1: no message */
    int64_t bytes;   /* bytes sent; for a receive, the bytes to combine */
    double offered_s;
    double done_s; /* when the message is complete; combining follows. Negative: it is not
                    * complete */
};

struct windows {
    struct model_active_ranks active_ranks;
    struct model_accesses accesses;
    struct dep_envelopes envelopes; /* one_by_one */
    struct rb_op *ops;
    int32_t p;
    bool one_by_one; /* one round in flight: all that it may wait for is the round before it */
    int64_t window;  /* rounds in flight, or 0: none waits for another to leave */
    int64_t ring;    /* window or more: a power of two */
    int32_t sides;
    double round_s;  /* lockstep: when the current round starts */
    int64_t *number; /* per rank: rounds in which it did something */
    double *left_s; /* per rank, of its last `window` rounds: when it and all before were through */
    struct message_end *end; /* per rank and side */
    double *free_s;          /* per rank and side: when its last message was complete */
    double *combiner_s;      /* per rank: when it has combined what it received */
    double *done_s;          /* scratch: per side, and for local operations */
};

static int64_t combined_bytes(const struct model_run *model, const struct rb_op *op)
{
    return op->kind == RB_RECV_REDUCE || op->kind == RB_REDUCE
               ? rb_layout_bytes(model->spec->plan, model->spec->layout, &op->at)
               : 0;
}

/* The slot of the rank's round number `number`; neighbouring ranks are adjacent, in the order of
 * computation. */
static double *left_of(const struct windows *state, int32_t rank, int64_t number)
{
    return &state->left_s[(number & (state->ring - 1)) * state->p + rank];
}

/* When this rank's round may begin. */
static double entry_s(const struct model_run *model, const struct windows *state, int32_t rank)
{
    const int64_t number = state->number[rank];
    if (model->spec->overlap.rule == SIM_LOCKSTEP)
        return state->round_s;
    if (state->one_by_one)
        return model->through_s[rank];
    if (state->window == 0 || number < state->window)
        return 0;
    return *left_of(state, rank, number - state->window);
}

/* Of a rank's message in a round that it has entered; bytes are added later. */
static struct message_end *open_end(struct windows *state, int32_t rank, int32_t side, int32_t peer,
                                    double entered_s)
{
    const int64_t at = (int64_t)rank * state->sides + side;
    state->end[at] = (struct message_end){
        .peer = peer,
        .offered_s = state->one_by_one ? entered_s : model_later(entered_s, state->free_s[at]),
        .done_s = -1};
    return &state->end[at];
}

/* The messages of a round, if the plan tells them, one round after the other; otherwise DEP_UNTOLD,
 * or RB_EWRONG. */
static int32_t offer_told(struct model_run *model, struct windows *state, int32_t rank,
                          struct sup_error *error)
{
    const struct model_active_ranks *active = &state->active_ranks;
    char why[240];
    const int32_t count = dep_envelopes_round(&state->envelopes, &active->rank[rank], active->round,
                                              state->ops, why, sizeof why);
    for (int32_t i = 0; i < count; i++) {
        const struct rb_envelope *envelope = &state->envelopes.of_round[i];
        const int32_t side = DEP_DIRECTIONS * envelope->port + !envelope->sends;
        open_end(state, rank, side, envelope->peer, entry_s(model, state, rank))->bytes =
            envelope->sends ? envelope->bytes : envelope->combined;
    }
    return count != RB_EWRONG ? count : sup_fail(error, RB_EWRONG, "the plan is wrong: %s", why);
}

/* The messages that a rank's round offers. */
static void offer(struct model_run *model, struct windows *state, int32_t rank, int32_t count)
{
    const double entered_s = entry_s(model, state, rank);
    const int64_t number = state->number[rank];
    struct message_end *end = NULL;
    for (int32_t i = 0; i < count && !dep_is_local(&state->ops[i]); i++) {
        const struct rb_op *op = &state->ops[i];
        if (dep_begins(state->ops, i))
            end = open_end(state, rank, dep_side(op), op->peer, entered_s);
        if (op->kind == RB_SEND)
            end->bytes += rb_layout_bytes(model->spec->plan, model->spec->layout, &op->at);
        else
            end->bytes += combined_bytes(model, op);
        if (!state->one_by_one)
            end->offered_s =
                model_accesses_ready_s(&state->accesses, rank, number, op, end->offered_s);
    }
    if (!state->one_by_one)
        model_accesses_add(&state->accesses, rank, number, state->ops, count);
}

/* The message that a rank sends at a port. */
static int play(struct model_run *model, struct windows *state, int32_t rank, int32_t port,
                struct sup_error *error)
{
    struct message_end *send = &state->end[(int64_t)rank * state->sides + 2 * port];
    struct message_end *receive = &state->end[(int64_t)send->peer * state->sides + 2 * port + 1];
    if ((uint32_t)send->peer >= (uint32_t)state->p || receive->peer != rank)
        return sup_fail(error, RB_EWRONG,
                        "the plan is wrong: rank %d waits for ever in round %" PRId64
                        " to send to rank %d at port %d",
                        rank, state->active_ranks.round, send->peer, port);
    const double start = model_later(send->offered_s, receive->offered_s);
    send->done_s = receive->done_s =
        start + model_cost_s(&model->parameters, send->bytes) *
                    model_noise(&model->parameters, rank, port, state->active_ranks.round);
    model->messages++;
    model->bytes += (uint64_t)send->bytes;
    model_show(model, &(struct sim_message){.from = rank,
                                            .to = send->peer,
                                            .port = port,
                                            .round = state->active_ranks.round,
                                            .bytes = send->bytes,
                                            .start_s = start,
                                            .end_s = send->done_s});
    return RB_OK;
}

/* All messages of the rank's round are complete. Returns when this round and all earlier ones
 * are. */
static int finish_messages(struct model_run *model, struct windows *state, int32_t rank,
                           double *through_s, struct sup_error *error)
{
    const double gamma = model->parameters.gamma_s_per_byte;
    *through_s = model->through_s[rank];
    for (int32_t i = 0; i < state->sides; i++) {
        struct message_end *end = &state->end[(int64_t)rank * state->sides + i];
        if (end->peer < 0)
            continue;
        if (end->done_s < 0)
            return sup_fail(error, RB_EWRONG,
                            "the plan is wrong: rank %d waits for ever in round %" PRId64
                            " to receive from rank %d at port %d",
                            rank, state->active_ranks.round, end->peer, i / 2);
        double done_s = end->done_s;
        if (i % 2 == 1 && end->bytes > 0 && gamma > 0)
            done_s = state->combiner_s[rank] =
                model_later(state->combiner_s[rank], done_s) + gamma * (double)end->bytes;
        if (!state->one_by_one)
            state->done_s[i] = state->free_s[(int64_t)rank * state->sides + i] = done_s;
        *through_s = model_later(*through_s, done_s);
        end->peer = -1;
    }
    return RB_OK;
}

static int finish(struct model_run *model, struct windows *state, int32_t rank,
                  struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    double through_s;
    int32_t count = 0;
    const int status = finish_messages(model, state, rank, &through_s, error);
    if (status != RB_OK)
        return status;
    if (state->accesses.by_block || model->parameters.gamma_s_per_byte > 0)
        count = rb_layout_round(spec->plan, spec->layout, &state->active_ranks.rank[rank],
                                state->active_ranks.round, state->ops);
    for (int32_t i = 0; i < count; i++)
        if (state->ops[i].kind == RB_REDUCE)
            state->combiner_s[rank] = through_s +=
                model->parameters.gamma_s_per_byte * (double)combined_bytes(model, &state->ops[i]);
    model->through_s[rank] = through_s;
    if (state->one_by_one)
        return RB_OK;
    const int64_t number = state->number[rank]++;
    state->done_s[state->sides] = through_s;
    model_accesses_finish(&state->accesses, rank, number, state->done_s, state->ops, count);
    if (state->window > 0)
        *left_of(state, rank, number) = through_s;
    return RB_OK;
}

/* True if the rank has this round but, by its counts, no operation in it. The round still occupies
 * a place in the window. */
static bool is_empty_round(const struct model_run *model, const struct windows *state, int32_t rank)
{
    return model->spec->layout->first != NULL &&
           rb_plan_next(model->spec->plan, &state->active_ranks.rank[rank],
                        state->active_ranks.round) == state->active_ranks.round;
}

static int do_round(struct model_run *model, struct windows *state, struct sup_error *error)
{
    struct model_active_ranks *active_ranks = &state->active_ranks;
    int status = RB_OK;
    int32_t active = 0;
    for (int32_t i = 0; i < active_ranks->now_count; i++) {
        const int32_t rank = active_ranks->now[i];
        const int32_t told = offer_told(model, state, rank, error);
        const int32_t count = told != DEP_UNTOLD
                                  ? told
                                  : model_round(model, &active_ranks->rank[rank],
                                                active_ranks->round, state->ops, error);
        if (count < 0)
            return count;
        const bool is_active = count > 0 || is_empty_round(model, state, rank);
        if (is_active && told == DEP_UNTOLD)
            offer(model, state, rank, count);
        if (is_active)
            active_ranks->now[active++] = rank;
        active_ranks_keep(active_ranks, rank, is_active);
    }
    for (int32_t i = 0; i < active; i++)
        for (int32_t side = 0; side < state->sides && status == RB_OK; side += 2)
            if (state->end[(int64_t)active_ranks->now[i] * state->sides + side].peer >= 0)
                status = play(model, state, active_ranks->now[i], side / 2, error);
    double round_s = state->round_s;
    for (int32_t i = 0; i < active && status == RB_OK; i++) {
        status = finish(model, state, active_ranks->now[i], error);
        round_s = model_later(round_s, model->through_s[active_ranks->now[i]]);
    }
    state->round_s = round_s;
    return status;
}

static void end(struct windows *state)
{
    active_ranks_free(&state->active_ranks);
    model_accesses_free(&state->accesses);
    dep_envelopes_free(&state->envelopes);
    free(state->ops);
    free(state->number);
    free(state->left_s);
    free(state->end);
    free(state->free_s);
    free(state->combiner_s);
    free(state->done_s);
}

static int begin(struct model_run *model, struct windows *state, bool exact)
{
    const struct rb_plan *plan = model->spec->plan;
    const size_t p = (size_t)model->p;
    state->p = model->p;
    state->window = model_window(model);
    state->one_by_one = state->window == 1;
    state->sides = 2 * rb_plan_ports(plan);
    const size_t sides = (size_t)state->sides;
    active_ranks_init(&state->active_ranks, plan);
    const int status = state->one_by_one
                           ? dep_envelopes_init(&state->envelopes, plan, model->spec->layout)
                           : model_accesses_init(&state->accesses, plan, state->window, exact);
    if (state->window >= rb_plan_rounds(plan))
        state->window = 0;
    for (state->ring = 1; state->ring < state->window; state->ring *= 2)
        ;
    state->ops = sup_malloc((size_t)rb_plan_max_ops(plan) * sizeof *state->ops);
    state->number = sup_calloc(p, sizeof *state->number);
    state->left_s = sup_calloc(p * (size_t)state->ring, sizeof *state->left_s);
    state->end = sup_malloc(p * sides * sizeof *state->end);
    state->free_s = sup_calloc(p * sides, sizeof *state->free_s);
    state->combiner_s = sup_calloc(p, sizeof *state->combiner_s);
    state->done_s = sup_calloc(sides + 1, sizeof *state->done_s);
    for (size_t i = 0; i < p * sides; i++)
        state->end[i].peer = -1;
    return status;
}

/* lost: the run is of no use, because too little was kept. */
static int play_all(struct model_run *model, bool exact, bool *lost, struct sup_error *error)
{
    struct windows state = {0};
    int status = begin(model, &state, exact);
    if (status != RB_OK)
        sup_fail(error, status, "out of memory for the blocks in flight of %d ranks", model->p);
    while (status == RB_OK && !state.accesses.lost && active_ranks_advance(&state.active_ranks)) {
        model_tell(model,
                   (double)state.active_ranks.round / (double)rb_plan_rounds(model->spec->plan));
        status = do_round(model, &state, error);
    }
    *lost = status == RB_OK && state.accesses.lost;
    end(&state);
    return status;
}

int model_windows(struct model_run *model, struct sup_error *error)
{
    bool lost;
    /* An observer must not see a run that is of no use. */
    int status = play_all(model, model->spec->observer != NULL, &lost, error);
    if (status != RB_OK || !lost)
        return status;
    model->messages = 0;
    model->bytes = 0;
    for (int32_t rank = 0; rank < model->p; rank++)
        model->through_s[rank] = 0;
    return play_all(model, true, &lost, error);
}
