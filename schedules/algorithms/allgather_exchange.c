/* allgather_exchange.c - the allgather by levels: over groups of groups first, then inside them,
 * down to the ranks, so that what crosses the outer links is least.
 *
 * Source: this project; docs/groups.md, "The exchange by levels". A stage for each level of groups,
 * the largest first, and one for the ranks of the smallest. In a stage the children of a group (the
 * next smaller groups, at last the ranks) exchange all that they have, each rank with ranks of the
 * other children. What the ranks of a group have is always a partition of all blocks, so that each
 * block enters each rank once. A column is the ranks of one number in all children. A stage is
 *
 *   doubling  in each column what a rank has comes from twice as many children after every round,
 *             as in allgather_dissemination.c. Where children have different sizes, a rank beyond
 *             the columns gives what it has to one of them before, and takes no part; and what
 *             comes together in columns that a child lacks is dealt to its ranks after;
 *   direct    in turn j rank c of a child sends what it has to the child 1 + (j + c) mod (C - 1)
 *             after its own one, C being the number of children: to the rank of its number. Where
 *             there is none, slice by slice, to another one;
 *   a ring    of the children, in each column as in `doubling`, for neighbours on tori.
 *
 * A column goes round the children in an order of its own, chosen so that few of them send from one
 * child to one other in a round.
 *
 * Rounds: the sum over the stages of ceil(log2 C) or C - 1, and more where sizes differ: doubling
 * and rings of c columns have ceil(K / c) - 1 before and ceil(c / k) - 1 after, K and k being a
 * group's largest and smallest child; a direct stage has ceil(K / k) times as many. Volume: n (p -
 * 1) blocks received per rank, optimal; a child takes in each block once. Memory of the plan:
 * O(groups), and for a doubling O(p). No state per rank.
 *
 * An alltoall by the same stages: what ranks of one child have for those of another one goes there
 * with what the sender has got of it from others, directly, or by Bruck's index in the columns.
 * Rounds: as above, without any that deal. Volume: each block moves once in a direct stage. TMP:
 * at least p rows, exactly p if sizes are equal.
 *
 * p = 6, groups of 3, doubling: t = 0: r <-> r + 3; then in each group, t = 1: two blocks from the
 * next one; t = 2: two from the one after it. */
#include <stdlib.h>

#include "schedules/patterns/sequence.h"
#include "schedules/patterns/stages.h"

static void fini(struct rb_plan *plan)
{
    rb_stages_free(plan->data.own);
}

/* direct: bit i says that the i-th stage from the innermost is; others are of this kind. */
static int init(struct rb_plan *plan, enum rb_stage_kind kind, int32_t direct, char *why,
                size_t why_size)
{
    int status = rb_need_one_port(plan, why, why_size);
    if (status != RB_OK)
        return status;
    struct rb_stages *exchange = plan->data.own = calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return rb_why(why, why_size, RB_ENOMEM, "out of memory for the stages");
    plan->max_ops = plan->p == 1 ? 1 : 2 * (plan->p - 1);
    plan->rounds = 0;
    status = rb_stages_find(plan, exchange, why, why_size);
    for (int32_t s = 0; s < exchange->count && status == RB_OK; s++) {
        exchange->stage[s].kind = direct >> (exchange->count - 1 - s) & 1 ? RB_STAGE_DIRECT : kind;
        status = rb_stage_make(plan, &exchange->stage[s]);
        if (status != RB_OK)
            rb_why(why, why_size, status, "out of memory for the stages");
    }
    if (status != RB_OK)
        fini(plan);
    return status;
}

static int init_stages(struct rb_plan *plan, char *why, size_t why_size)
{
    plan->radix = plan->radix == 0 ? 2 : plan->radix;
    return init(plan, RB_STAGE_DOUBLING, plan->radix - 2, why, why_size);
}

static int init_direct(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_STAGE_DOUBLING, 2, why, why_size);
}

static int init_rings(struct rb_plan *plan, char *why, size_t why_size)
{
    return init(plan, RB_STAGE_RING, 0, why, why_size);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Of a round. Without operations only whether there are any is sought. */
struct message {
    const struct rb_plan *plan;
    struct rb_op op;    /* but for its owner */
    int32_t s;          /* the stage */
    int32_t to;         /* the receiver's place */
    bool to_giver;      /* which gave what it had away in a stage before */
    int32_t here;       /* the place of the rank whose round it is */
    int32_t first, end; /* alltoall: the places for which the data are */
    struct rb_op *ops;
    int32_t count;
};

static bool is_known(const struct message *message)
{
    return message->ops == NULL && message->count > 0;
}

/* The turn of a direct stage in which rank c of child a sends to child b of its group. */
static int32_t turn_of(const struct rb_family *family, int32_t a, int32_t c, int32_t b)
{
    const int32_t others = family->children - 1;
    const int32_t distance = (b > a ? b - a : b - a + family->children) - 1;
    return (distance + others - c % others) % others;
}

/* True if the rank at a place takes no part in the columns of its group. */
static bool gives_away(const struct rb_stage *stage, int32_t place)
{
    return stage->kind != RB_STAGE_DIRECT &&
           place - rb_stage_first(stage, rb_stage_child(stage, place)) >=
               rb_stage_family(stage, place)->columns;
}

/* The rank of child b that gets, from the columns, what came in by rank c of child a. */
static int32_t column_holder(const struct rb_stage *stage, const struct rb_family *family,
                             int32_t a, int32_t c, int32_t b)
{
    const int32_t size = rb_stage_size(stage, family->first_child + b), k = family->columns;
    const int32_t column = c < k ? c : (c + rb_stage_shift(family, a)) % k;
    if (column < size)
        return column;
    const int32_t number = rb_stage_number(stage, family, column, a);
    const int32_t slice = column / size - 1;
    struct rb_piece piece;
    int32_t i = rb_stage_first_dealt(size, rb_stage_lacking(family, size, slice), column % size);
    while (!rb_stage_piece(stage, family, b, i, slice, &piece) || number < piece.first ||
           number >= piece.end)
        i++;
    return i;
}

/* Where what is at a place goes in a stage on the way to the child of another place. */
static int32_t step(const struct rb_stage *stage, int32_t place, int32_t toward)
{
    const struct rb_family *family = rb_stage_family(stage, toward);
    const int32_t from = rb_stage_child(stage, place), to = rb_stage_child(stage, toward);
    const int32_t a = from - family->first_child, b = to - family->first_child;
    int32_t i = place - rb_stage_first(stage, from);
    if (stage->kind != RB_STAGE_DIRECT)
        i = column_holder(stage, family, a, i, b);
    else if (a != b && i >= rb_stage_size(stage, to))
        i = (i + turn_of(family, a, i, b)) % rb_stage_size(stage, to);
    return rb_stage_first(stage, to) + i;
}

/* The place that has an owner's block before stage s, of those in the group of `place`. */
static int32_t holder_of(const struct rb_stages *exchange, int32_t s, int32_t owner, int32_t place)
{
    for (int32_t j = 0; j < s; j++)
        owner = step(&exchange->stage[j], owner, place);
    return owner;
}

/* True if the receiver had this block before it gave it away. */
static bool had(const struct message *message, int32_t owner)
{
    const struct rb_stages *exchange = message->plan->data.own;
    for (int32_t j = 0; j < message->s; j++)
        if (gives_away(&exchange->stage[j], message->to) &&
            holder_of(exchange, j, owner, message->to) == message->to)
            return true;
    return false;
}

static void add_content(struct message *message, int32_t s, int32_t place);

/* What the ranks of the a-th child of a group bring into column i in stage s: those whose number is
 * i, or, beyond the columns, is i after a turn. */
static void add_folded(struct message *message, int32_t s, const struct rb_family *family,
                       int32_t a, int32_t i)
{
    const struct rb_stages *exchange = message->plan->data.own;
    const struct rb_stage *stage = &exchange->stage[s];
    const int32_t child = family->first_child + a, q = family->columns;
    const int32_t first = rb_stage_first(stage, child), size = rb_stage_size(stage, child);
    const int32_t turned = (i + q - rb_stage_shift(family, a)) % q;
    for (int32_t c = i; c < size && !is_known(message); c = c < q ? q + turned : c + q)
        add_content(message, s, first + c);
}

/* What rank i of child b gets from child a of its group in a direct stage. */
static void add_direct(struct message *message, int32_t s, const struct rb_family *family,
                       int32_t a, int32_t b, int32_t i)
{
    const struct rb_stages *exchange = message->plan->data.own;
    const struct rb_stage *stage = &exchange->stage[s];
    const int32_t child = family->first_child + a, first = rb_stage_first(stage, child);
    const int32_t size = rb_stage_size(stage, child);
    const int32_t q = rb_stage_size(stage, family->first_child + b);
    if (i < size)
        add_content(message, s, first + i);
    for (int32_t c = q; c < size && !is_known(message); c++)
        if ((c + turn_of(family, a, c, b)) % q == i)
            add_content(message, s, first + c);
}

/* What the ranks of a column have from some of its children. */
static void add_piece(struct message *message, int32_t s, const struct rb_family *family,
                      const struct rb_piece *piece)
{
    const struct rb_stages *exchange = message->plan->data.own;
    const struct rb_stage *stage = &exchange->stage[s];
    for (int32_t a = 0, number = 0; number < piece->end && !is_known(message); a++)
        if (rb_stage_in_column(stage, family, piece->column, a) && number++ >= piece->first)
            add_folded(message, s, family, a, piece->column);
}

/* What rank i of child b has after the columns of stage s. */
static void add_columns(struct message *message, int32_t s, const struct rb_family *family,
                        int32_t b, int32_t i)
{
    const struct rb_stages *exchange = message->plan->data.own;
    const int32_t own = rb_stage_first(&exchange->stage[s], family->first_child + b) + i;
    struct rb_piece piece;
    if (i >= family->columns && exchange->personal)
        add_content(message, s, own);
    for (int32_t a = 0; a < family->children && i < family->columns && !is_known(message); a++)
        if (a == b && exchange->personal)
            add_content(message, s, own);
        else
            add_folded(message, s, family, a, i);
    if (i >= family->columns)
        return;
    for (int32_t slice = 0; slice < exchange->stage[s].deals && !is_known(message); slice++)
        if (rb_stage_piece(&exchange->stage[s], family, b, i, slice, &piece))
            add_piece(message, s, family, &piece);
}

/* What a place has for another one. */
static void add_part(struct message *message, int32_t place, int32_t to)
{
    const struct rb_groups *groups = &message->plan->groups;
    const enum rb_buffer buffer = message->op.kind == RB_SEND
                                      ? (place == message->here ? RB_SRC : RB_TMP)
                                      : (to == message->here ? RB_DST : RB_TMP);
    message->op.at = rb_part_range(message->plan, buffer, rb_groups_rank(groups, place),
                                   rb_groups_rank(groups, to));
    if (message->ops != NULL)
        message->ops[message->count] = message->op;
    message->count++;
}

static void add_owner(struct message *message, int32_t place)
{
    if (message->to_giver && had(message, place))
        return;
    message->op.at.owner = rb_groups_rank(&message->plan->groups, place);
    for (int32_t to = message->first; to < message->end && !is_known(message); to++)
        add_part(message, place, to);
    if (message->end > 0)
        return;
    if (message->ops != NULL)
        message->ops[message->count] = message->op;
    message->count++;
}

/* What a place has before stage s. */
static void add_content(struct message *message, int32_t s, int32_t place)
{
    const struct rb_stages *exchange = message->plan->data.own;
    if (s == 0) {
        add_owner(message, place);
        return;
    }
    const struct rb_stage *stage = &exchange->stage[s - 1];
    const struct rb_family *family = rb_stage_family(stage, place);
    const int32_t child = rb_stage_child(stage, place), i = place - rb_stage_first(stage, child);
    const int32_t b = child - family->first_child;
    if (stage->kind != RB_STAGE_DIRECT)
        add_columns(message, s - 1, family, b, i);
    for (int32_t a = 0;
         a < family->children && stage->kind == RB_STAGE_DIRECT && !is_known(message); a++)
        if (a == b)
            add_content(message, s - 1, place);
        else
            add_direct(message, s - 1, family, a, b, i);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* A rank in a stage: number i of child b of its group. */
struct member {
    int32_t s, place;
    const struct rb_stage *stage;
    const struct rb_family *family;
    int32_t b, i, size;
};

/* From here on the message has what is for this child. */
static void set_for(struct message *message, const struct member *member, int32_t child)
{
    message->first = rb_stage_first(member->stage, child);
    message->end = message->first + rb_stage_size(member->stage, child);
}

/* Begins the message to, or from, a place. */
static void begin(struct message *message, const struct member *member, enum rb_op_kind kind,
                  int32_t place)
{
    const struct rb_plan *plan = message->plan;
    const struct rb_stages *exchange = plan->data.own;
    message->op = (struct rb_op){
        .kind = kind, .peer = rb_groups_rank(&plan->groups, place), .at = {RB_DST, 0, 0, plan->n}};
    message->s = member->s;
    message->here = member->place;
    message->to = kind == RB_SEND ? place : member->place;
    message->to_giver = false;
    if (exchange->personal)
        set_for(message, member, rb_stage_child(member->stage, message->to));
    for (int32_t j = 0; j < member->s && !exchange->personal; j++)
        message->to_giver |= gives_away(&exchange->stage[j], message->to);
}

static int32_t place_in(const struct member *member, int32_t child, int32_t i)
{
    return rb_stage_first(member->stage, member->family->first_child + child) + i;
}

static int32_t size_in(const struct member *member, int32_t child)
{
    return rb_stage_size(member->stage, member->family->first_child + child);
}

static void direct(struct message *message, const struct member *member, int64_t t)
{
    const int32_t slice = (int32_t)(t % member->stage->slices);
    const int32_t j = (int32_t)(t / member->stage->slices);
    const int32_t children = member->family->children, others = children - 1;
    if (j >= others)
        return;
    const int32_t c = member->i, d = (member->b + 1 + (j + c) % others) % children;
    const int32_t q = size_in(member, d);
    if (c / q == slice) {
        begin(message, member, RB_SEND, place_in(member, d, slice == 0 ? c : (c + j) % q));
        add_content(message, member->s, member->place);
    }
    const int32_t turned = (int32_t)(((int64_t)member->i - j) % member->size);
    const int32_t from = slice == 0
                             ? member->i
                             : slice * member->size + (turned < 0 ? turned + member->size : turned);
    const int32_t a = (member->b + others - (j + from) % others) % children;
    if (!is_known(message) && from < size_in(member, a)) {
        const int32_t place = place_in(member, a, from);
        begin(message, member, RB_RECV, place);
        add_content(message, member->s, place);
    }
}

/* All that a place has; of an alltoall what is for other children. */
static void add_given(struct message *message, const struct member *member, int32_t place)
{
    const struct rb_stages *exchange = message->plan->data.own;
    const struct rb_family *family = member->family;
    for (int32_t a = 0; a < family->children && exchange->personal && !is_known(message); a++) {
        set_for(message, member, family->first_child + a);
        if (a != member->b)
            add_content(message, member->s, place);
    }
    if (!exchange->personal)
        add_content(message, member->s, place);
}

/* Before a doubling or a ring: to the ranks of the columns from those beyond them. */
static void fold(struct message *message, const struct member *member, int32_t slice)
{
    const int32_t k = member->family->columns, first = member->place - member->i;
    const int32_t shift = rb_stage_shift(member->family, member->b);
    if (member->i / k == slice) {
        begin(message, member, RB_SEND, first + (member->i + shift) % k);
        add_given(message, member, member->place);
    } else if (member->i < k) {
        const int32_t from = slice * k + (member->i + k - shift) % k;
        if (from >= member->size)
            return;
        begin(message, member, RB_RECV, first + from);
        add_given(message, member, first + from);
    }
}

/* What the children from a position of the rank's column on bring in. */
static void add_column(struct message *message, const struct member *member, int32_t children,
                       int32_t position, int32_t many)
{
    const struct rb_family *family = member->family;
    for (int32_t i = 0; i < many && !is_known(message); i++) {
        const int32_t a =
            rb_stage_child_at(member->stage, family, member->i, (position + i) % children);
        add_folded(message, member->s, family, a, member->i);
    }
}

/* Bruck's index algorithm in the rank's column: the sender, at this position, has what began up to
 * h - 1 positions after it, and sends what goes h back among other steps. */
static void add_index(struct message *message, const struct member *member, int32_t children,
                      int32_t at, int32_t h)
{
    const struct rb_family *family = member->family;
    for (int32_t distance = h; distance < children && !is_known(message); distance++) {
        const int32_t from = (at + distance % h) % children;
        const int32_t a = rb_stage_child_at(member->stage, family, member->i, from);
        const int32_t to = (from + children - distance) % children;
        if ((distance & h) == 0)
            continue;
        set_for(message, member,
                family->first_child + rb_stage_child_at(member->stage, family, member->i, to));
        add_folded(message, member->s, family, a, member->i);
    }
}

static int32_t place_at(const struct member *member, int32_t position)
{
    return place_in(member, rb_stage_child_at(member->stage, member->family, member->i, position),
                    member->i);
}

static void column(struct message *message, const struct member *member, int32_t t)
{
    const struct rb_stage *stage = member->stage;
    if (member->i >= member->family->columns)
        return;
    const int32_t children = rb_stage_column_size(stage, member->family, member->i);
    const bool rings = stage->kind == RB_STAGE_RING;
    if (t >= (rings ? children - 1 : rb_ceil_log2(children)))
        return;
    const int32_t at = rb_stage_position(stage, member->family, member->i, member->b);
    const int32_t h = rings ? children - 1 : (int32_t)1 << t;
    const int32_t many = rings ? 1 : h < children - h ? h : children - h;
    const int32_t to = (at + children - h) % children, from = (at + h) % children;
    const int32_t back = rings ? children - t : 0; /* what a ring passes on came from so far */
    for (int kind = RB_SEND; kind <= RB_RECV && !is_known(message); kind++) {
        const int32_t sender = kind == RB_SEND ? at : from;
        begin(message, member, (enum rb_op_kind)kind,
              place_at(member, kind == RB_SEND ? to : from));
        if (message->end > 0)
            add_index(message, member, children, sender, h);
        else
            add_column(message, member, children, (sender + back) % children, many);
    }
}

/* The child that lacks a column, by its number among those. */
static int32_t child_without(const struct member *member, int32_t column, int32_t number)
{
    int32_t b = 0;
    for (;; b++)
        if (!rb_stage_in_column(member->stage, member->family, column, b) && number-- == 0)
            return b;
}

/* A piece of this rank's column. */
static void give(struct message *message, const struct member *member, int32_t slice)
{
    const struct rb_stage *stage = member->stage;
    const struct rb_family *family = member->family;
    const int32_t there = rb_stage_column_size(stage, family, member->i);
    const int32_t others = family->children - there;
    if (others == 0 || member->i >= family->columns)
        return;
    const int32_t mine = rb_stage_number(stage, family, member->i, member->b);
    const int32_t each = there / others;
    struct rb_piece piece;
    if (mine / each >= others)
        return;
    const int32_t b = child_without(member, member->i, mine / each), size = size_in(member, b);
    if (member->i / size - 1 != slice)
        return;
    const int32_t lacking = rb_stage_lacking(family, size, slice);
    const int32_t i = rb_stage_first_dealt(size, lacking, member->i % size) + mine % each;
    if (i >= size || !rb_stage_piece(stage, family, b, i, slice, &piece) ||
        piece.column != member->i)
        return;
    begin(message, member, RB_SEND, place_in(member, b, i));
    add_piece(message, member->s, family, &piece);
}

static void deal(struct message *message, const struct member *member, int32_t slice)
{
    const struct rb_stage *stage = member->stage;
    struct rb_piece piece;
    give(message, member, slice);
    if (is_known(message) ||
        !rb_stage_piece(stage, member->family, member->b, member->i, slice, &piece))
        return;
    int32_t a = 0;
    for (int32_t number = 0;; a++)
        if (rb_stage_in_column(stage, member->family, piece.column, a) && number++ == piece.giver)
            break;
    begin(message, member, RB_RECV, place_in(member, a, piece.column));
    add_piece(message, member->s, member->family, &piece);
}

/* ops may be NULL: then the result is above 0 if there are any. */
static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct rb_stages *exchange = plan->data.own;
    struct message message = {.plan = plan, .ops = ops};
    struct member member = {.place = rb_groups_place(&plan->groups, state->rank)};
    while (member.s + 1 < exchange->count && exchange->stage[member.s + 1].first <= t)
        member.s++;
    const struct rb_stage *stage = member.stage = &exchange->stage[member.s];
    const int32_t child = rb_stage_child(stage, member.place);
    member.family = rb_stage_family(stage, member.place);
    member.b = child - member.family->first_child;
    member.i = member.place - rb_stage_first(stage, child);
    member.size = rb_stage_size(stage, child);
    t -= stage->first;
    if (stage->kind == RB_STAGE_DIRECT)
        direct(&message, &member, t);
    else if (t < stage->slices - 1)
        fold(&message, &member, (int32_t)t + 1);
    else if (t < stage->slices - 1 + rb_stage_column_rounds(stage))
        column(&message, &member, (int32_t)t - (stage->slices - 1));
    else
        deal(&message, &member, (int32_t)(t - (stage->slices - 1) - rb_stage_column_rounds(stage)));
    return message.count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

/* ---- Alltoall --------------------------------------------------------------------------------
 *
 * The same messages, but each only with what is for the children to which it leads: before a stage
 * a rank has, of what it would have in the allgather, what is for its group. A row is named by the
 * move of each stage: none; the turn and slice of a direct one; otherwise the slice and the
 * distance in the column. From these and the place where data are follow the places before and
 * after. */

static int32_t row(const struct rb_plan *plan, int32_t owner, int32_t to)
{
    const struct rb_stages *exchange = plan->data.own;
    const int32_t end = rb_groups_place(&plan->groups, to);
    int32_t place = rb_groups_place(&plan->groups, owner);
    int64_t row = 0;
    for (int32_t s = 0; s < exchange->count; s++) {
        const struct rb_stage *stage = &exchange->stage[s];
        const struct rb_family *family = rb_stage_family(stage, end);
        const int32_t from = rb_stage_child(stage, place), last = rb_stage_child(stage, end);
        const int32_t a = from - family->first_child, b = last - family->first_child;
        const int32_t c = place - rb_stage_first(stage, from), k = family->columns;
        row *= stage->moves;
        if (a == b)
            continue;
        place = step(stage, place, end);
        if (stage->kind == RB_STAGE_DIRECT) {
            row += 1 + turn_of(family, a, c, b) * stage->slices + c / rb_stage_size(stage, last);
        } else {
            const int32_t column = place - rb_stage_first(stage, last);
            const int32_t distance = rb_stage_position(stage, family, column, a) -
                                     rb_stage_position(stage, family, column, b) + family->children;
            row += c / k * stage->most + distance % family->children;
        }
    }
    return (int32_t)row;
}

static int32_t alltoall_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                              struct rb_op ops[])
{
    const int32_t count = round_(plan, state, t, ops);
    if (t == 0 && ops != NULL)
        ops[count] = rb_keep_own(plan, state->rank);
    return count + (t == 0);
}

static int64_t alltoall_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(alltoall_round, plan, state, t);
}

/* Data that a rank has at a time have rows of their own. */
static int lay_rows(struct rb_plan *plan, char *why, size_t why_size)
{
    enum { FEW_ROWS = 1 << 16, MOST_TIMES = 64 };
    const struct rb_stages *exchange = plan->data.own;
    const int64_t by_p = MOST_TIMES * (int64_t)plan->p, most = by_p > FEW_ROWS ? by_p : FEW_ROWS;
    int64_t rows = 1;
    for (int32_t s = 0; s < exchange->count && rows <= most; s++)
        rows = exchange->stage[s].moves > most / rows ? most + 1 : rows * exchange->stage[s].moves;
    if (rows > most || rows > INT32_MAX / 2 - 1) {
        fini(plan);
        return rb_why(why, why_size, RB_ENOTSUP,
                      "there is no alltoall by exchange on groups of such different sizes: what "
                      "ranks forward would need over %d times the memory of their data",
                      (int)MOST_TIMES);
    }
    plan->rounds = plan->rounds > 0 ? plan->rounds : 1;
    plan->max_ops = (int32_t)(2 * rows + 1);
    plan->buffers |= 1u << RB_TMP;
    plan->tmp_rows = (int32_t)rows;
    plan->tmp_row = row;
    return RB_OK;
}

static int init_alltoall(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = init_stages(plan, why, why_size);
    return status != RB_OK ? status : lay_rows(plan, why, why_size);
}

static int init_alltoall_direct(struct rb_plan *plan, char *why, size_t why_size)
{
    const int status = init(plan, RB_STAGE_DIRECT, 0, why, why_size);
    return status != RB_OK ? status : lay_rows(plan, why, why_size);
}

/* ---- The plans ------------------------------------------------------------------------------- */

/* An allgather, its reverse, and both. Rounds are of one level of groups. */
#define EXCHANGE(name_, title_, rounds_, twice_, symbol, init_, ...)                               \
    RB_ROW(rb_allgather_##symbol, "allgather", name_, title_, "docs/groups.md", rounds_,           \
           RB_OF_RANK, .init = init_, .fini = fini, .round = round_, .next = next, __VA_ARGS__);   \
    RB_ROW(rb_reduce_scatter_##symbol, "reduce-scatter", name_, title_ ", read backwards",         \
           "docs/groups.md", rounds_, RB_REVERSED_UNPRICED(rb_allgather_##symbol), RB_OF_RANK,     \
           __VA_ARGS__);                                                                           \
    RB_ROW(rb_allreduce_##symbol, "allreduce", name_, title_ ", backwards and forwards",           \
           "docs/groups.md", twice_,                                                               \
           RB_COMPOSED_UNPRICED(rb_reduce_scatter_##symbol, rb_allgather_##symbol), RB_SHARES,     \
           __VA_ARGS__)

#define BY_LEVELS .info.groups = true, .info.places = true

EXCHANGE(
    "exchange", "over groups of groups, then inside them, by doubling or directly",
    "at most ceil(K/J) (N - 1) + K - 1", "at most 2 (ceil(K/J) (N - 1) + K - 1)", exchange,
    init_stages, BY_LEVELS,
    .info.radix = "r - 2 in binary says which stages are direct, the innermost in its lowest bit");
EXCHANGE("exchange-direct", "over groups of groups by doubling, over the smallest groups directly",
         "at most ceil(K/J) (N - 1) + ceil(log2 K)", "at most 2 (ceil(K/J) (N - 1) + ceil(log2 K))",
         exchange_direct, init_direct, BY_LEVELS);
EXCHANGE("exchange-rings", "round a ring of groups of groups, then inside them",
         "at most N + K + ceil(K/J) - 2", "at most 2 (N + K + ceil(K/J) - 2)", exchange_rings,
         init_rings, BY_LEVELS);
#define ALLTOALL(symbol, name_, title_, ...)                                                       \
    RB_ROW(symbol, "alltoall", name_, title_, "docs/groups.md",                                    \
           "at most ceil(K/J) (N - 1) + K - 1", RB_FOR_RANK, BY_LEVELS, .fini = fini,              \
           .round = alltoall_round, .next = alltoall_next, __VA_ARGS__)

ALLTOALL(
    rb_alltoall_exchange, "exchange",
    "over groups of groups, then inside them, by Bruck's index or directly", .init = init_alltoall,
    .info.radix = "r - 2 in binary says which stages are direct, the innermost in its lowest bit");
ALLTOALL(rb_alltoall_exchange_direct, "exchange-direct",
         "over groups of groups directly, then inside them", .init = init_alltoall_direct);
