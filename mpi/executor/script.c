#include "script.h"

#include <stdlib.h>

#include "schedules/dependences/messages.h"

/* ---- The location of a range of a plan's data in a buffer ------------------------------------ */

/* Elements of a row before its block `index`. */
static int64_t before_in_row(const struct rb_plan *plan, int64_t elements, int64_t index)
{
    return rb_deal_before(elements, rb_plan_blocks(plan) / rb_plan_parts(plan), index);
}

int64_t exec_rows_count(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range)
{
    if (rows->count == NULL)
        return rb_layout_bytes(plan, layout, range);
    const struct rb_location location = rb_plan_location(plan, range);
    const int64_t elements = rows->count[location.row];
    return before_in_row(plan, elements, location.first + range->count) -
           before_in_row(plan, elements, location.first);
}

/* Elements of a slot of TMP: blocks of any name fit, as the first ones are the longest. */
static int64_t slot_elements(const struct rb_plan *plan, const struct rb_layout *layout)
{
    return rb_layout_offset(plan, layout, 0, rb_plan_slot_blocks(plan));
}

static int64_t place_in_slot(const struct rb_plan *plan, const struct rb_layout *layout,
                             const struct rb_range *range)
{
    const int64_t first = range->first - range->first % rb_plan_slot_blocks(plan);
    return range->owner * slot_elements(plan, layout) +
           rb_layout_offset(plan, layout, 0, range->first) -
           rb_layout_offset(plan, layout, 0, first);
}

int64_t exec_tmp_room(const struct rb_plan *plan, const struct rb_layout *layout)
{
    return rb_plan_slot_blocks(plan) == 0 ? layout->bytes
                                          : rb_plan_slots(plan) * slot_elements(plan, layout);
}

int64_t exec_rows_place(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range)
{
    const int64_t parts = rb_plan_parts(plan);
    if (range->buffer == RB_TMP && rb_plan_slot_blocks(plan) > 0)
        return place_in_slot(plan, layout, range);
    if (parts == 1 && rows->displacement == NULL) {
        const int64_t place =
            rb_layout_offset(plan, layout, range->owner, range->first) - rows->origin;
        return place >= 0 ? place : place + layout->bytes;
    }
    const struct rb_location location = rb_plan_location(plan, range);
    if (rows->count != NULL)
        return rows->displacement[location.row] +
               before_in_row(plan, rows->count[location.row], location.first);
    if (parts == 1)
        return rows->displacement[location.row] +
               rb_layout_offset(plan, layout, range->owner, range->first) -
               rb_layout_offset(plan, layout, range->owner, 0);
    if (layout->first != NULL) {
        const int64_t blocks = rb_plan_blocks(plan) / parts;
        const int64_t row_first = range->first - range->first % blocks;
        return rows->displacement[location.row] +
               rb_layout_offset(plan, layout, range->owner, range->first) -
               rb_layout_offset(plan, layout, range->owner, row_first);
    }
    const int64_t equal = layout->bytes / (parts * parts);
    const int64_t row =
        rows->displacement != NULL ? rows->displacement[location.row] : location.row * equal;
    return row + before_in_row(plan, equal, location.first);
}

/* ---- Scripts --------------------------------------------------------------------------------- */

static bool has_rows_of_its_own(const struct exec_rows rows[])
{
    for (int b = 0; b < RB_BUFFERS; b++)
        if (rows[b].displacement != NULL || rows[b].count != NULL)
            return true;
    return false;
}

static bool is_made_for(const struct exec_script *script, const struct rb_layout *layout,
                        const struct exec_rows rows[])
{
    if (!script->made || script->bytes != layout->bytes)
        return false;
    for (int b = 0; b < RB_BUFFERS; b++)
        if (script->origin[b] != rows[b].origin)
            return false;
    return true;
}

/* True if this operation of a message can be joined to the message's preceding one. */
static bool joins(const struct exec_script_op *last, const struct exec_script_op *op)
{
    return last->kind == op->kind && last->buffer == op->buffer &&
           last->incoming_is_left == op->incoming_is_left && last->at + last->count == op->at;
}

static bool overlap(const struct exec_script_op *a, const struct exec_script_op *b)
{
    return a->buffer == b->buffer && a->at < b->at + b->count && b->at < a->at + a->count;
}

/* True for a message of one range that is received where this round sends nothing from: sends read
 * the old data. */
static bool is_direct(const struct exec_script_step *step, const struct exec_script_op op[])
{
    const struct exec_script_op *receive = &op[step->sends];
    if (step->receives != 1 || receive->kind != RB_RECV)
        return false;
    for (int32_t i = 0; i < step->sends; i++)
        if (overlap(&op[i], receive))
            return false;
    return true;
}

static void keep_most(int64_t *most, int64_t value)
{
    if (value > *most)
        *most = value;
}

static struct exec_script_op script_op(const struct rb_plan *plan, const struct rb_layout *layout,
                                       const struct exec_rows rows[], const struct rb_op *op)
{
    const struct exec_rows *at = &rows[op->at.buffer];
    return (struct exec_script_op){.kind = op->kind,
                                   .incoming_is_left = op->incoming_is_left,
                                   .buffer = op->at.buffer,
                                   .at = exec_rows_place(at, plan, layout, &op->at),
                                   .count = exec_rows_count(at, plan, layout, &op->at)};
}

/* Writes the operations of a message, and adds their elements to *elements. Returns how many there
 * are now that those that follow each other are joined. */
static int32_t write_message(struct exec_script *script, const struct rb_plan *plan,
                             const struct rb_layout *layout, const struct exec_rows rows[],
                             const struct dep_message *message, int64_t *elements)
{
    const int32_t first = script->ops;
    for (int32_t i = 0; i < message->count; i++) {
        const struct exec_script_op op = script_op(plan, layout, rows, &message->ops[i]);
        *elements += op.count;
        if (script->ops > first && joins(&script->op[script->ops - 1], &op))
            script->op[script->ops - 1].count += op.count;
        else
            script->op[script->ops++] = op;
    }
    return script->ops - first;
}

/* One round's operations, in the order that rounds have them: sends, receives, local ones. */
static void write_step(struct exec_script *script, const struct rb_plan *plan,
                       const struct rb_layout *layout, const struct exec_rows rows[],
                       const struct rb_op ops[], int32_t count)
{
    struct exec_script_step *step = &script->step[script->steps++];
    struct exec_script_op *first = &script->op[script->ops];
    *step = (struct exec_script_step){.to = -1, .from = -1};
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message message; dep_next_message(&left, &message);) {
        if (message.ops->kind == RB_SEND) {
            step->to = message.ops->peer;
            step->sends = write_message(script, plan, layout, rows, &message, &step->sent);
        } else {
            step->from = message.ops->peer;
            step->receives = write_message(script, plan, layout, rows, &message, &step->received);
        }
    }
    for (; step->locals < left.count; step->locals++) {
        const struct rb_op *op = &left.ops[step->locals];
        struct exec_script_op *new = &script->op[script->ops++];
        *new = script_op(plan, layout, rows, op);
        new->from_buffer = op->from.buffer;
        new->from = exec_rows_place(&rows[op->from.buffer], plan, layout, &op->from);
    }
    step->direct = is_direct(step, first);
    if (step->sends > 1)
        keep_most(&script->most_sent, step->sent);
    if (!step->direct)
        keep_most(&script->most_received, step->received);
    for (int32_t i = step->sends + step->receives; i < script->ops - (first - script->op); i++)
        keep_most(&script->most_received, first[i].count);
}

/* False: too long, or no memory. */
static bool write_steps(struct exec_script *script, const struct rb_plan *plan,
                        const struct rb_rank *state, const struct rb_layout *layout,
                        const struct exec_rows rows[])
{
    const int64_t rounds = rb_plan_rounds(plan);
    const int32_t most = rb_plan_max_ops(plan);
    struct rb_op *ops = malloc((size_t)most * sizeof *ops + 1);
    bool fits = ops != NULL;
    for (int64_t t = rb_plan_next(plan, state, 0); fits && t < rounds;
         t = rb_plan_next(plan, state, t + 1)) {
        const int32_t count = rb_layout_checked_round(plan, layout, state, t, ops, NULL, 0);
        fits = count >= 0 && script->steps < EXEC_SCRIPT_MOST_STEPS &&
               script->ops + count <= EXEC_SCRIPT_MOST_OPS;
        if (fits && count > 0)
            write_step(script, plan, layout, rows, ops, count);
    }
    free(ops);
    return fits;
}

/* Allocates room for the longest script, and shrinks it when the length is known. */
static bool write_script(struct exec_script *script, const struct rb_plan *plan,
                         const struct rb_rank *state, const struct rb_layout *layout,
                         const struct exec_rows rows[])
{
    script->step = malloc(EXEC_SCRIPT_MOST_STEPS * sizeof *script->step);
    script->op = malloc(EXEC_SCRIPT_MOST_OPS * sizeof *script->op);
    if (script->step == NULL || script->op == NULL ||
        !write_steps(script, plan, state, layout, rows))
        return false;
    struct exec_script_step *step =
        realloc(script->step, (size_t)(script->steps + 1) * sizeof *script->step);
    struct exec_script_op *op = realloc(script->op, (size_t)(script->ops + 1) * sizeof *script->op);
    script->step = step != NULL ? step : script->step;
    script->op = op != NULL ? op : script->op;
    return true;
}

bool exec_script_make(struct exec_script *script, const struct rb_plan *plan,
                      const struct rb_rank *state, const struct rb_layout *layout,
                      const struct exec_rows rows[])
{
    if (rb_plan_ports(plan) > 1 || layout->first != NULL || has_rows_of_its_own(rows))
        return false;
    if (is_made_for(script, layout, rows))
        return script->usable;
    exec_script_free(script);
    const bool usable = write_script(script, plan, state, layout, rows);
    if (!usable)
        exec_script_free(script);
    script->made = true;
    script->usable = usable;
    script->bytes = layout->bytes;
    for (int b = 0; b < RB_BUFFERS; b++)
        script->origin[b] = rows[b].origin;
    return usable;
}

void exec_script_free(struct exec_script *script)
{
    free(script->step);
    free(script->op);
    *script = (struct exec_script){0};
}
