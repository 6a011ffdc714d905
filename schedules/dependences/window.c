/* window.c - see window.h.
 *
 * Accesses (an operation's `at`, and a local operation's `from`) are numbered over the whole run;
 * access a lies in a ring at a mod (width * 2 * max_ops). Accesses to one row of the buffers are
 * chained, newest first, so that a packed message is compared with few others per range. A chain
 * needs no unlinking: it ends where the numbers are below those of the oldest round in flight. */
#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"

/* ---- Needs by block -------------------------------------------------------------------------- */

/* Finds by block the messages of a rank for which an operation must wait, for replays with so many
 * rounds in flight that a search through all of them takes too long.
 *
 * Sends read and receives write, so that the counts of a side say which it was; local operations
 * have two counts, of writing (number `sides`) and of reading. */

int dep_block_needs_init(struct dep_block_needs *needs, const struct rb_plan *plan)
{
    if (rb_plan_rounds(plan) > UINT32_MAX)
        return RB_EINVAL;
    needs->index = dep_block_index_of(plan);
    needs->sides = DEP_DIRECTIONS * rb_plan_ports(plan);
    needs->counts = needs->sides + 2;
    const size_t p = (size_t)rb_plan_ranks(plan), size = (size_t)needs->counts * sizeof(uint32_t);
    if ((size_t)needs->index.rank_blocks > SIZE_MAX / p / size)
        return RB_ENOMEM;
    needs->count = calloc(p * (size_t)needs->index.rank_blocks, size);
    return needs->count == NULL ? RB_ENOMEM : RB_OK;
}

void dep_block_needs_free(struct dep_block_needs *needs)
{
    free(needs->count);
}

static uint32_t *counts_of(const struct dep_block_needs *needs, int32_t rank,
                           const struct rb_range *range)
{
    return &needs->count[dep_block_index_at(&needs->index, rank, range) * needs->counts];
}

static void raise_to(int64_t *need, uint32_t count)
{
    if (*need < count)
        *need = count;
}

void dep_block_needs_raise(const struct dep_block_needs *needs, int32_t rank,
                           const struct rb_op *op, int64_t need[])
{
    const uint32_t *count = counts_of(needs, rank, &op->at);
    const bool writes = dep_writes(op);
    for (int64_t i = 0; i < op->at.count; i++, count += needs->counts) {
        for (int32_t side = writes ? DEP_SENDS : DEP_RECEIVES; side < needs->sides;
             side += writes ? 1 : DEP_DIRECTIONS)
            raise_to(&need[side], count[side]);
        raise_to(&need[needs->sides], count[needs->sides]);
        if (writes)
            raise_to(&need[needs->sides], count[needs->sides + 1]);
    }
}

static void note(const struct dep_block_needs *needs, int32_t rank, const struct rb_range *range,
                 int32_t which, int64_t complete)
{
    uint32_t *count = counts_of(needs, rank, range) + which;
    for (int64_t i = 0; i < range->count; i++, count += needs->counts)
        *count = (uint32_t)complete;
}

void dep_block_needs_note(struct dep_block_needs *needs, int32_t rank, const struct rb_op *op,
                          int64_t complete)
{
    if (dep_is_local(op)) {
        note(needs, rank, &op->at, needs->sides, complete);
        note(needs, rank, &op->from, needs->sides + 1, complete);
    } else {
        note(needs, rank, &op->at, dep_side(op), complete);
    }
}

/* ---- Which messages of a rank may start and which may take effect ---------------------------- */

static int64_t accesses_per_round(const struct dep_window *window)
{
    return 2 * (int64_t)window->max_ops;
}

static int64_t place_of(const struct dep_window *window, int64_t access)
{
    return access % (window->width * accesses_per_round(window));
}

static uint64_t *waits_of(const struct dep_window *window, int32_t task)
{
    return window->waits + (int64_t)task * window->words;
}

static bool waits(const struct dep_window *window, int32_t task)
{
    const uint64_t *set = waits_of(window, task);
    for (int32_t i = 0; i < window->words; i++)
        if (set[i] != 0)
            return true;
    return false;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Reserves the next array of a room, aligned for anything here; room may be NULL to only count. */
static void *carve(void *room, size_t *used, size_t count, size_t size)
{
    void *array = room == NULL ? NULL : (char *)room + *used;
    *used += (count * size + 15) / 16 * 16;
    return array;
}

/* Of the buffer that has most. */
static size_t most_rows(const struct rb_plan *plan)
{
    const int32_t tmp = rb_plan_rows(plan, RB_TMP), others = rb_plan_rows(plan, RB_DST);
    return (size_t)(tmp > others ? tmp : others);
}

static size_t lay_out(struct dep_window *window, void *room)
{
    const size_t ops = (size_t)window->width * (size_t)window->max_ops;
    const size_t tasks = (size_t)window->tasks;
    size_t used = 0;
    window->task = carve(room, &used, tasks, sizeof *window->task);
    window->waits = carve(room, &used, tasks * (size_t)window->words, sizeof *window->waits);
    window->ops = carve(room, &used, ops, sizeof *window->ops);
    window->task_of = carve(room, &used, ops, sizeof *window->task_of);
    window->before = carve(room, &used, 2 * ops, sizeof *window->before);
    window->last = carve(room, &used, most_rows(window->plan), sizeof *window->last);
    window->held = carve(room, &used, 2 * (size_t)window->ports, sizeof *window->held);
    return used;
}

int dep_window_begin(struct dep_window *window, const struct rb_plan *plan,
                     const struct rb_layout *layout, const struct rb_rank *state, int32_t width)
{
    const int64_t rounds = rb_plan_rounds(plan);
    window->plan = plan;
    window->layout = layout;
    window->state = state;
    window->width = width < rounds ? width : rounds > 0 ? (int32_t)rounds : 1;
    window->ports = rb_plan_ports(plan);
    window->per_round = 2 * window->ports + 1;
    window->tasks = window->width * window->per_round;
    window->words = (window->tasks + 63) / 64;
    window->max_ops = rb_plan_max_ops(plan);
    window->rounds = dep_rounds_of(plan, state);
    const size_t bytes = lay_out(window, NULL);
    if (bytes > window->room_bytes) {
        free(window->room);
        window->room = malloc(bytes);
        window->room_bytes = window->room == NULL ? 0 : bytes;
        if (window->room == NULL)
            return RB_ENOMEM;
    }
    lay_out(window, window->room);
    for (int32_t i = 0; i < window->tasks; i++)
        window->task[i].state = DEP_TASK_NONE;
    memset(window->waits, 0, (size_t)window->tasks * (size_t)window->words * sizeof(uint64_t));
    memset(window->last, -1, most_rows(plan) * sizeof *window->last);
    return RB_OK;
}

void dep_window_free(struct dep_window *window)
{
    free(window->room);
    *window = (struct dep_window){0};
}

/* ---- Entering a round ------------------------------------------------------------------------ */

static void wait_for_older(struct dep_window *window, int32_t task, const struct rb_op *op)
{
    const int64_t stride = accesses_per_round(window);
    int64_t access = window->last[rb_plan_location(window->plan, &op->at).row];
    while (access >= window->rounds.left * stride) {
        const int64_t place = place_of(window, access);
        const int32_t older = window->task_of[place / 2];
        if (window->task[older].state != DEP_TASK_DONE &&
            dep_conflict(window->plan, op, &window->ops[place / 2])) {
            waits_of(window, task)[older / 64] |= UINT64_C(1) << older % 64;
            if (access >= window->rounds.entered * stride) /* of its own round */
                window->task[task].deferred = true;
        }
        access = window->before[place];
    }
}

static void chain(struct dep_window *window, const struct rb_range *range, int64_t access)
{
    int64_t *last = &window->last[rb_plan_location(window->plan, range).row];
    window->before[place_of(window, access)] = *last;
    *last = access;
}

static enum dep_task_kind kind_of(const struct rb_op *op)
{
    return dep_is_local(op)      ? DEP_TASK_LOCAL
           : op->kind == RB_SEND ? DEP_TASK_SEND
                                 : DEP_TASK_RECEIVE;
}

static void add_task(struct dep_window *window, int32_t index, const struct rb_op ops[],
                     int32_t count)
{
    struct dep_task *task = &window->task[index];
    *task = (struct dep_task){
        .state = DEP_TASK_WAITING, .kind = kind_of(ops), .ops = ops, .count = count};
    if (task->kind == DEP_TASK_LOCAL)
        return;
    for (int32_t i = 0; i < count; i++) {
        task->deferred = task->deferred || ops[i].kind == RB_RECV_REDUCE;
        wait_for_older(window, index, &ops[i]);
    }
}

static void chain_task(struct dep_window *window, int32_t index, int64_t first_op)
{
    const struct dep_task *task = &window->task[index];
    for (int32_t i = 0; i < task->count; i++) {
        const int64_t access =
            window->rounds.entered * accesses_per_round(window) + 2 * (first_op + i);
        window->task_of[place_of(window, access) / 2] = index;
        chain(window, &task->ops[i].at, access);
        if (task->kind == DEP_TASK_LOCAL)
            chain(window, &task->ops[i].from, access + 1);
    }
}

/* Operations first .. first + count - 1 of the round that enters are one task. */
static void enter_task(struct dep_window *window, int32_t index, const struct rb_op ops[],
                       int64_t first, int32_t count)
{
    add_task(window, index, &ops[first], count);
    chain_task(window, index, first);
}

static int enter_round(struct dep_window *window)
{
    const int32_t place = (int32_t)(window->rounds.entered % window->width);
    const int32_t first_task = place * window->per_round;
    struct rb_op *ops = window->ops + (int64_t)place * window->max_ops;
    const int32_t count =
        rb_layout_checked_round(window->plan, window->layout, window->state, window->rounds.next,
                                ops, window->wrong, sizeof window->wrong);
    if (count < 0)
        return RB_EWRONG;
    for (int32_t i = 0; i < window->per_round; i++)
        window->task[first_task + i].state = DEP_TASK_NONE;
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message message; dep_next_message(&left, &message);)
        enter_task(window, first_task + dep_side(message.ops), ops, message.ops - ops,
                   message.count);
    if (left.count > 0)
        enter_task(window, first_task + window->per_round - 1, ops, left.ops - ops, left.count);
    dep_enter(&window->rounds, window->plan, window->state);
    return RB_OK;
}

static bool round_done(const struct dep_window *window, int64_t number, int32_t tasks)
{
    const struct dep_task *task = window->task + number % window->width * window->per_round;
    for (int32_t i = 0; i < tasks; i++)
        if (task[i].state != DEP_TASK_NONE && task[i].state != DEP_TASK_DONE)
            return false;
    return true;
}

static void leave_rounds(struct dep_window *window)
{
    while (dep_in_flight(&window->rounds) &&
           round_done(window, window->rounds.left, window->per_round))
        window->rounds.left++;
}

int dep_window_enter(struct dep_window *window)
{
    while (dep_may_enter(&window->rounds, rb_plan_rounds(window->plan), window->width)) {
        const int status = enter_round(window);
        if (status != RB_OK)
            return status;
        leave_rounds(window); /* irregular counts may have left it nothing to do */
    }
    return RB_OK;
}

/* ---- In flight ------------------------------------------------------------------------------- */

int32_t dep_window_startable(struct dep_window *window)
{
    const int32_t sides = 2 * window->ports;
    memset(window->held, 0, (size_t)sides * sizeof *window->held);
    for (int64_t number = window->rounds.left; number < window->rounds.entered; number++) {
        const int32_t first = (int32_t)(number % window->width) * window->per_round;
        for (int32_t side = 0; side < sides; side++) {
            const struct dep_task *task = &window->task[first + side];
            if (window->held[side] || task->state != DEP_TASK_WAITING)
                continue;
            if (task->deferred || !waits(window, first + side))
                return first + side;
            window->held[side] = true;
        }
    }
    return -1;
}

int32_t dep_window_ready(const struct dep_window *window)
{
    for (int64_t number = window->rounds.left; number < window->rounds.entered; number++) {
        const int32_t first = (int32_t)(number % window->width) * window->per_round;
        const int32_t local = first + window->per_round - 1;
        for (int32_t index = first; index < local; index++)
            if (window->task[index].state == DEP_TASK_ARRIVED && !waits(window, index))
                return index;
        if (number == window->rounds.left && window->task[local].state == DEP_TASK_WAITING &&
            round_done(window, number, window->per_round - 1))
            return local;
    }
    return -1;
}

void dep_window_done(struct dep_window *window, int32_t task)
{
    window->task[task].state = DEP_TASK_DONE;
    for (int32_t i = 0; i < window->tasks; i++)
        waits_of(window, i)[task / 64] &= ~(UINT64_C(1) << task % 64);
    leave_rounds(window);
}

bool dep_window_finished(const struct dep_window *window)
{
    return !dep_in_flight(&window->rounds) && window->rounds.next >= rb_plan_rounds(window->plan);
}
