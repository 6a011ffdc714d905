/* replay.c - offers, rendezvous and rounds.
 *
 * Each rank has for each port two sides, one for its sends and one for its receives. A side is a
 * queue of the messages of the rounds entered; only its head may be offered, so that a port keeps
 * its order. A message starts when the heads of both its sides are offered. Other dependences are
 * counts per side of its rank, of messages that must be complete: a side completes in order. */
#include "replay.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schedules/dependences/envelopes.h"
#include "schedules/dependences/messages.h"
#include "schedules/dependences/window.h"
#include "support/memory.h"

/* ---- Offers ---------------------------------------------------------------------------------- */

enum { MANY_ROUNDS = 32 }; /* in flight: with more, needs are found by block */

struct side {
    int64_t added;    /* messages added since the start */
    int64_t complete; /* of these, complete; the head is the next one */
    bool offered;     /* the head is */
};

struct pending { /* a message as one of its ends sees it */
    int64_t round;
    int64_t bytes;
    int64_t combined; /* bytes of them that the receiver combines */
    int32_t peer;
    int32_t slot; /* of its round in the rank's ring */
};

struct entered_round {
    int64_t round;
    int32_t open; /* messages not complete */
};

struct rank {
    struct rb_rank plan_state;
    struct dep_rounds rounds;
    bool known;   /* plan_state is */
    bool entered; /* the collective */
    bool through; /* with all its rounds */
    bool held;
    bool due; /* lockstep: it is held, and the others are in its next round */
};

/* What a message must wait for that conflicts with an operation of an older round; and the next
 * operations on the same rows, as entries of a list: 2 i for operation i's `at`, 2 i + 1
 * for its `from`. */
struct older {
    int64_t which; /* of the counts in needs */
    int64_t need;
    int32_t next[2]; /* entries, or -1 */
};

struct sim_replay {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    enum sim_overlap_rule rule;
    int32_t p;
    int32_t ports;
    int64_t rounds;
    int32_t window;
    struct rank *rank;
    struct entered_round *entered; /* per rank a ring of window */
    struct side *side;             /* per rank and port: sends, receives */
    struct pending *pending;       /* per side a ring of window */
    int64_t *needs;                /* per pending: counts of its rank's sides, and of rounds left */
    bool eager;                    /* ends are taken and completed one by one */
    int64_t *startable;            /* a ring of send sides, or of sides that are offered */
    int64_t startable_first;
    int64_t startable_count;
    struct dep_envelopes envelopes; /* blocking and lockstep */
    struct rb_op *ops;              /* scratch for one round of one rank, */
    struct rb_op *older_ops;        /* and for another, */
    struct older *older;            /* with this about each of its operations (window only) */
    bool by_block;                  /* window only: needs are found by block instead */
    struct dep_block_needs block_needs;
    int32_t *touching; /* per row: the first entry of a list of older operations, or -1 */
    int64_t messages;
    sim_tally bytes;
    const struct sim_meter *meter; /* or NULL */
    int64_t passed;   /* with it: of each rank, the rounds that it has passed; the sum */
    int32_t *through; /* ranks in the order in which they were through */
    int32_t throughs, reported;
    bool faulty;
    char fault[240]; /* the fault of a round of the plan */
    /* lockstep */
    int32_t present;    /* ranks that have entered the collective */
    int64_t current;    /* round */
    int32_t busy;       /* ranks that are not through with it */
    int32_t *members;   /* the ranks in it */
    int32_t *followers; /* ranks whose next round is current + 1, which are nearly always all */
    int32_t follower_count;
    struct sim_round_heap later; /* the others */
};

static int64_t side_index(const struct sim_replay *replay, int32_t rank, int32_t port,
                          enum dep_direction direction)
{
    return ((int64_t)rank * replay->ports + port) * DEP_DIRECTIONS + direction;
}

/* The place of a number in a ring of `window`. Blocking and lockstep have one round in flight:
 * there it takes no division, of which a message would need a dozen. */
static int64_t place_in_ring(const struct sim_replay *replay, int64_t number)
{
    return replay->window == 1 ? 0 : number % replay->window;
}

static int64_t pending_index(const struct sim_replay *replay, int64_t side, int64_t number)
{
    return side * replay->window + place_in_ring(replay, number);
}

/* The side's first message that is not complete. */
static struct pending *head_of(const struct sim_replay *replay, int64_t side)
{
    return &replay->pending[pending_index(replay, side, replay->side[side].complete)];
}

static struct entered_round *round_entered(const struct sim_replay *replay, int32_t rank,
                                           int64_t number)
{
    return &replay->entered[(int64_t)rank * replay->window + place_in_ring(replay, number)];
}

/* How many counts a message may have to wait for: each side of its rank, and the rounds left. */
static int64_t need_count(const struct sim_replay *replay)
{
    return (int64_t)replay->ports * DEP_DIRECTIONS + 1;
}

/* ---- Dependences between the rounds of one rank (window only) ------------------------------- */

/* The number + 1 of this side's message of the round; 0 if the message is complete. */
static int64_t need_of(const struct sim_replay *replay, int64_t side, int64_t round)
{
    const struct side *queue = &replay->side[side];
    for (int64_t number = queue->complete; number < queue->added; number++)
        if (replay->pending[pending_index(replay, side, number)].round == round)
            return number + 1;
    return 0;
}

static int32_t *touching(const struct sim_replay *replay, const struct rb_range *range)
{
    return &replay->touching[rb_plan_location(replay->plan, range).row];
}

static void list_entry(struct sim_replay *replay, const struct rb_range *range, int32_t entry)
{
    int32_t *first = touching(replay, range);
    replay->older[entry / 2].next[entry % 2] = *first;
    *first = entry;
}

/* Reads a rank's older round and lists its operations by the rows that they touch: packed messages
 * have an operation for each owner, and comparing all pairs would take p^2 steps. */
static int32_t list_older(struct sim_replay *replay, int32_t r, int64_t number)
{
    const int64_t round = round_entered(replay, r, number)->round;
    const int64_t first_side = side_index(replay, r, 0, DEP_SENDS);
    const int32_t count = rb_layout_round(replay->plan, replay->layout, &replay->rank[r].plan_state,
                                          round, replay->older_ops);
    for (int32_t i = 0; i < count; i++) {
        const struct rb_op *op = &replay->older_ops[i];
        struct older *older = &replay->older[i];
        list_entry(replay, &op->at, 2 * i);
        if (dep_is_local(op)) {
            list_entry(replay, &op->from, 2 * i + 1);
            *older = (struct older){
                need_count(replay) - 1, number + 1, {older->next[0], older->next[1]}};
        } else {
            older->which = dep_side(op);
            older->need = need_of(replay, first_side + older->which, round);
        }
    }
    return count;
}

static void unlist_older(struct sim_replay *replay, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const struct rb_op *op = &replay->older_ops[i];
        *touching(replay, &op->at) = -1;
        if (dep_is_local(op))
            *touching(replay, &op->from) = -1;
    }
}

/* The needs of the message from the older round that is listed. */
static void add_needs(struct sim_replay *replay, int64_t needs[], const struct dep_message *message)
{
    for (int32_t k = 0; k < message->count; k++) {
        const struct rb_op *op = &message->ops[k];
        int32_t entry = *touching(replay, &op->at);
        while (entry >= 0) {
            const struct older *older = &replay->older[entry / 2];
            if (needs[older->which] < older->need &&
                dep_conflict(replay->plan, op, &replay->older_ops[entry / 2]))
                needs[older->which] = older->need;
            entry = older->next[entry % 2];
        }
    }
}

/* The needs of the message that was put last into the queue of this side. */
static int64_t *needs_of_last(const struct sim_replay *replay, int64_t side)
{
    return &replay->needs[pending_index(replay, side, replay->side[side].added - 1) *
                          need_count(replay)];
}

/* The needs of the round just added to the queues, whose operations are in replay->ops: by
 * block. */
static void find_needs_by_block(struct sim_replay *replay, int32_t r, int32_t count)
{
    for (int32_t i = 0; i < count && !dep_is_local(&replay->ops[i]); i++) {
        const struct rb_op *op = &replay->ops[i];
        const int64_t side = side_index(replay, r, op->port, dep_direction_of(op));
        dep_block_needs_raise(&replay->block_needs, r, op, needs_of_last(replay, side));
    }
    for (int32_t i = 0; i < count; i++) {
        const struct rb_op *op = &replay->ops[i];
        const int64_t side =
            dep_is_local(op) ? -1 : side_index(replay, r, op->port, dep_direction_of(op));
        dep_block_needs_note(&replay->block_needs, r, op,
                             side < 0 ? replay->rank[r].rounds.entered + 1
                                      : replay->side[side].added);
    }
}

/* The needs of the round just added, by a search through the rounds in flight. */
static void find_needs(struct sim_replay *replay, int32_t r, int32_t count)
{
    const struct dep_rounds rounds = replay->rank[r].rounds;
    const int64_t first_side = side_index(replay, r, 0, DEP_SENDS);
    for (int64_t older = rounds.left; older < rounds.entered; older++) {
        const int32_t older_count = list_older(replay, r, older);
        struct dep_messages left = dep_messages_of(replay->ops, count);
        for (struct dep_message message; dep_next_message(&left, &message);)
            add_needs(replay, needs_of_last(replay, first_side + dep_side(message.ops)), &message);
        unlist_older(replay, older_count);
    }
}

static bool needs_met(const struct sim_replay *replay, int32_t r, int64_t pending)
{
    if (!replay->needs)
        return true;
    const int64_t *needs = &replay->needs[pending * need_count(replay)];
    const struct side *sides = &replay->side[side_index(replay, r, 0, DEP_SENDS)];
    for (int32_t i = 0; i < replay->ports * DEP_DIRECTIONS; i++)
        if (sides[i].complete < needs[i])
            return false;
    return replay->rank[r].rounds.left >= needs[need_count(replay) - 1];
}

/* ---- Rounds and offers --------------------------------------------------------------------- */

static void add_message(struct sim_replay *replay, int32_t r, int64_t t,
                        const struct rb_envelope *envelope)
{
    const int64_t side =
        side_index(replay, r, envelope->port, envelope->sends ? DEP_SENDS : DEP_RECEIVES);
    struct side *queue = &replay->side[side];
    const int64_t index = pending_index(replay, side, queue->added++);
    replay->pending[index] =
        (struct pending){.round = t,
                         .bytes = envelope->bytes,
                         .combined = envelope->combined,
                         .peer = envelope->peer,
                         .slot = (int32_t)place_in_ring(replay, replay->rank[r].rounds.entered)};
    if (replay->needs)
        for (int64_t i = 0; i < need_count(replay); i++)
            replay->needs[index * need_count(replay) + i] = 0;
}

/* Adds the messages of a round by its operations, with what these need; returns their number, or
 * RB_EWRONG. */
static int32_t add_by_operations(struct sim_replay *replay, int32_t r, int64_t t)
{
    const int32_t count =
        rb_layout_checked_round(replay->plan, replay->layout, &replay->rank[r].plan_state, t,
                                replay->ops, replay->fault, sizeof replay->fault);
    if (count < 0)
        return count;
    struct dep_messages left = dep_messages_of(replay->ops, count);
    int32_t messages = 0;
    for (struct dep_message message; dep_next_message(&left, &message); messages++) {
        const struct rb_envelope envelope = dep_envelope_of(replay->plan, replay->layout, &message);
        add_message(replay, r, t, &envelope);
    }
    if (replay->needs && replay->by_block)
        find_needs_by_block(replay, r, count);
    else if (replay->needs)
        find_needs(replay, r, count);
    return messages;
}

static void enter_round(struct sim_replay *replay, int32_t r)
{
    struct rank *rank = &replay->rank[r];
    const int64_t t = rank->rounds.next;
    struct entered_round *here = round_entered(replay, r, rank->rounds.entered);
    struct dep_envelopes *envelopes = &replay->envelopes;
    *here = (struct entered_round){.round = t};
    here->open = dep_envelopes_round(envelopes, &rank->plan_state, t, replay->ops, replay->fault,
                                     sizeof replay->fault);
    for (int32_t i = 0; i < here->open; i++)
        add_message(replay, r, t, &envelopes->of_round[i]);
    if (here->open == DEP_UNTOLD)
        here->open = add_by_operations(replay, r, t);
    if (here->open < 0)
        replay->faulty = true;
    else
        dep_enter(&rank->rounds, replay->plan, &rank->plan_state);
}

static int64_t startable_room(const struct sim_replay *replay)
{
    return (int64_t)replay->p * replay->ports * (replay->eager ? DEP_DIRECTIONS : 1);
}

static void push_startable(struct sim_replay *replay, int64_t side)
{
    const int64_t room = startable_room(replay);
    const int64_t place = replay->startable_first + replay->startable_count++;
    replay->startable[place < room ? place : place - room] = side;
}

static void offer_head(struct sim_replay *replay, int32_t r, int32_t port,
                       enum dep_direction direction)
{
    int64_t side = side_index(replay, r, port, direction);
    struct side *queue = &replay->side[side];
    if (queue->offered || queue->complete == queue->added ||
        !needs_met(replay, r, pending_index(replay, side, queue->complete)))
        return;
    queue->offered = true;
    if (replay->eager) {
        push_startable(replay, side);
        return;
    }
    const struct pending *mine = head_of(replay, side);
    int64_t other =
        side_index(replay, mine->peer, port, direction == DEP_SENDS ? DEP_RECEIVES : DEP_SENDS);
    if (!replay->side[other].offered)
        return;
    const struct pending *theirs = head_of(replay, other);
    if (theirs->round == mine->round && theirs->peer == r)
        push_startable(replay, direction == DEP_SENDS ? side : other);
}

static void offer(struct sim_replay *replay, int32_t r)
{
    for (int32_t port = 0; port < replay->ports; port++) {
        offer_head(replay, r, port, DEP_SENDS);
        offer_head(replay, r, port, DEP_RECEIVES);
    }
}

/* The rounds of the plan that the rank has passed, those without it among them. */
static int64_t rounds_passed(const struct sim_replay *replay, int32_t r)
{
    const struct dep_rounds *rounds = &replay->rank[r].rounds;
    return dep_in_flight(rounds) ? round_entered(replay, r, rounds->left)->round : rounds->next;
}

static void leave_rounds(struct sim_replay *replay, int32_t r)
{
    struct rank *rank = &replay->rank[r];
    const int64_t before = replay->meter != NULL ? rounds_passed(replay, r) : 0;
    while (dep_in_flight(&rank->rounds) && round_entered(replay, r, rank->rounds.left)->open == 0)
        rank->rounds.left++;
    if (replay->meter != NULL)
        replay->passed += rounds_passed(replay, r) - before;
}

/* A rank that has no round to enter any more, if it is in none either. */
static void note_through(struct sim_replay *replay, int32_t r)
{
    struct rank *rank = &replay->rank[r];
    if (rank->through || dep_in_flight(&rank->rounds) || replay->faulty)
        return;
    rank->through = true;
    replay->through[replay->throughs++] = r;
}

/* Blocking and window: leave the rounds that are complete, enter as many, offer what can be. */
static void advance(struct sim_replay *replay, int32_t r)
{
    struct rank *rank = &replay->rank[r];
    leave_rounds(replay, r);
    while (dep_may_enter(&rank->rounds, replay->rounds, replay->window) && !replay->faulty &&
           !rank->held) {
        enter_round(replay, r);
        leave_rounds(replay, r);
    }
    offer(replay, r);
    if (rank->rounds.next >= replay->rounds)
        note_through(replay, r);
}

/* ---- Lockstep ------------------------------------------------------------------------------ */

static void await_round(struct sim_replay *replay, int32_t r)
{
    int64_t next = replay->rank[r].rounds.next;
    if (next == replay->current + 1 && next < replay->rounds)
        replay->followers[replay->follower_count++] = r;
    else if (next < replay->rounds)
        sim_round_heap_push(&replay->later, next, r);
    else
        note_through(replay, r);
}

/* Collects the ranks of the lowest round that anyone has to do; false if there is none. */
static bool find_members(struct sim_replay *replay, int32_t *count)
{
    struct sim_round_heap *later = &replay->later;
    *count = 0;
    if (replay->follower_count > 0) {
        int32_t *members = replay->followers;
        replay->followers = replay->members;
        replay->members = members;
        *count = replay->follower_count;
        replay->follower_count = 0;
        replay->current++;
    } else if (later->count > 0) {
        replay->current = later->entry[0].round;
    } else {
        return false;
    }
    while (later->count > 0 && later->entry[0].round == replay->current)
        replay->members[(*count)++] = sim_round_heap_pop(later);
    return true;
}

static void leave_lockstep(struct sim_replay *replay, int32_t r)
{
    leave_rounds(replay, r);
    if (dep_in_flight(&replay->rank[r].rounds))
        return;
    replay->busy--;
    await_round(replay, r);
}

static void enter_if_free(struct sim_replay *replay, int32_t r)
{
    struct rank *rank = &replay->rank[r];
    rank->due = rank->held;
    if (rank->held)
        return;
    enter_round(replay, r);
    offer(replay, r);
}

/* Enters rounds until there is one with messages in it, or with ranks that are held. */
static void enter_lockstep(struct sim_replay *replay)
{
    int32_t count;
    while (replay->rule == SIM_LOCKSTEP && replay->busy == 0 && !replay->faulty &&
           find_members(replay, &count)) {
        replay->busy = count;
        for (int32_t i = 0; i < count && !replay->faulty; i++)
            enter_if_free(replay, replay->members[i]);
        for (int32_t i = 0; i < count && !replay->faulty; i++)
            if (!replay->rank[replay->members[i]].due)
                leave_lockstep(replay, replay->members[i]);
    }
}

/* The round that the rank was held up before. */
static void enter_due_round(struct sim_replay *replay, int32_t r)
{
    if (!replay->rank[r].due || replay->faulty)
        return;
    enter_if_free(replay, r);
    leave_lockstep(replay, r);
    enter_lockstep(replay);
}

/* ---- Entering ------------------------------------------------------------------------------ */

void sim_replay_enter(struct sim_replay *replay, int32_t r, const struct rb_rank *known)
{
    struct rank *rank = &replay->rank[r];
    if (known != NULL)
        rank->plan_state = *known;
    else if (!rank->known)
        rb_plan_rank(replay->plan, r, &rank->plan_state);
    rank->known = rank->entered = true;
    rank->rounds.next = dep_next_round(replay->plan, &rank->plan_state, 0);
    if (replay->meter != NULL)
        replay->passed += rounds_passed(replay, r);
    if (replay->rule != SIM_LOCKSTEP)
        advance(replay, r);
    else
        await_round(replay, r);
    if (++replay->present == replay->p)
        enter_lockstep(replay);
}

void sim_replay_hold(struct sim_replay *replay, int32_t r, bool held)
{
    replay->rank[r].held = held;
    if (held || !replay->rank[r].entered)
        return;
    if (replay->rule == SIM_LOCKSTEP)
        enter_due_round(replay, r);
    else
        advance(replay, r);
}

bool sim_replay_has_entered(const struct sim_replay *replay, int32_t r)
{
    return replay->rank[r].entered;
}

int32_t sim_replay_next_through(struct sim_replay *replay)
{
    return replay->reported < replay->throughs ? replay->through[replay->reported++] : -1;
}

/* ---- The face ------------------------------------------------------------------------------ */

static int64_t take_startable(struct sim_replay *replay)
{
    int64_t side = replay->startable[replay->startable_first++];
    if (replay->startable_first == startable_room(replay))
        replay->startable_first = 0;
    replay->startable_count--;
    return side;
}

void sim_replay_watch(struct sim_replay *replay, const struct sim_meter *meter)
{
    replay->meter = meter;
}

bool sim_replay_take_end(struct sim_replay *replay, struct sim_replay_message *message, bool *sends)
{
    if (replay->startable_count == 0)
        return false;
    const int64_t side = take_startable(replay);
    const int32_t rank = (int32_t)(side / DEP_DIRECTIONS / replay->ports);
    const struct pending *head = head_of(replay, side);
    *sends = side % DEP_DIRECTIONS == DEP_SENDS;
    *message = (struct sim_replay_message){.from = *sends ? rank : head->peer,
                                           .to = *sends ? head->peer : rank,
                                           .port = (int32_t)(side / DEP_DIRECTIONS % replay->ports),
                                           .round = head->round,
                                           .bytes = head->bytes,
                                           .combined = head->combined};
    return true;
}

bool sim_replay_take(struct sim_replay *replay, struct sim_replay_message *message)
{
    bool sends;
    if (!sim_replay_take_end(replay, message, &sends))
        return false;
    const int64_t other = side_index(replay, message->to, message->port, DEP_RECEIVES);
    message->combined = head_of(replay, other)->combined;
    return true;
}

static void complete_head(struct sim_replay *replay, int32_t r, int64_t side)
{
    struct side *queue = &replay->side[side];
    const struct pending *head = head_of(replay, side);
    queue->complete++;
    queue->offered = false;
    replay->entered[(int64_t)r * replay->window + head->slot].open--;
    if (side % DEP_DIRECTIONS == DEP_SENDS) {
        replay->messages++;
        replay->bytes += (uint64_t)head->bytes;
        if (replay->meter != NULL && replay->messages % SIM_TELL_EVERY == 0)
            replay->meter->tell(replay->meter->context, (double)replay->passed / (double)replay->p /
                                                            (double)replay->rounds);
    }
}

/* Of ranks of which a message was completed. */
static void advance_rank(struct sim_replay *replay, int32_t r)
{
    if (replay->rule == SIM_LOCKSTEP)
        leave_lockstep(replay, r);
    else
        advance(replay, r);
}

void sim_replay_complete(struct sim_replay *replay, int32_t from, int32_t port)
{
    const int64_t side = side_index(replay, from, port, DEP_SENDS);
    const int32_t to = head_of(replay, side)->peer;
    complete_head(replay, from, side);
    complete_head(replay, to, side_index(replay, to, port, DEP_RECEIVES));
    advance_rank(replay, from);
    if (to != from)
        advance_rank(replay, to);
    enter_lockstep(replay);
}

void sim_replay_fetch(const struct sim_replay *replay, int32_t rank)
{
    enum { CACHE_LINE = 64 };
    const int64_t side = side_index(replay, rank, 0, DEP_SENDS);
    const char *const state = (const char *)&replay->rank[rank];
    const char *const pending = (const char *)&replay->pending[side * replay->window];
    for (size_t at = 0; at < sizeof replay->rank[0]; at += CACHE_LINE)
        __builtin_prefetch(state + at, 1);
    for (int32_t at = 0; at < DEP_DIRECTIONS * (int32_t)sizeof replay->pending[0]; at += CACHE_LINE)
        __builtin_prefetch(pending + at, 1);
    __builtin_prefetch(&replay->side[side], 1);
    __builtin_prefetch(&replay->entered[(int64_t)rank * replay->window], 1);
}

void sim_replay_complete_end(struct sim_replay *replay, int32_t rank, int32_t port, bool sends)
{
    complete_head(replay, rank, side_index(replay, rank, port, sends ? DEP_SENDS : DEP_RECEIVES));
    advance_rank(replay, rank);
    enter_lockstep(replay);
}

int64_t sim_replay_messages(const struct sim_replay *replay)
{
    return replay->messages;
}

sim_tally sim_replay_bytes(const struct sim_replay *replay)
{
    return replay->bytes;
}

static const struct pending *open_message(const struct sim_replay *replay, int64_t side)
{
    return replay->side[side].complete < replay->side[side].added ? head_of(replay, side) : NULL;
}

void sim_replay_look(const struct sim_replay *replay, int32_t r, struct sim_replay_stand *stand)
{
    const struct rank *rank = &replay->rank[r];
    const struct pending *sends = open_message(replay, side_index(replay, r, 0, DEP_SENDS));
    const struct pending *receives = open_message(replay, side_index(replay, r, 0, DEP_RECEIVES));
    *stand = (struct sim_replay_stand){.state = &rank->plan_state,
                                       .inside = dep_in_flight(&rank->rounds),
                                       .round = rounds_passed(replay, r),
                                       .to = sends != NULL ? sends->peer : -1,
                                       .from = receives != NULL ? receives->peer : -1,
                                       .bytes = sends != NULL ? sends->bytes : 0};
}

int32_t sim_replay_waits_for(const struct sim_replay *replay, int32_t r)
{
    const int64_t first = side_index(replay, r, 0, DEP_SENDS);
    for (int64_t side = first; side < first + replay->ports * DEP_DIRECTIONS; side++) {
        const struct pending *open = open_message(replay, side);
        if (open != NULL)
            return open->peer;
    }
    return -1;
}

int sim_replay_finished(const struct sim_replay *replay, struct sup_error *error)
{
    if (replay->faulty)
        return sup_fail(error, RB_EWRONG, "the plan is wrong: %s", replay->fault);
    for (int64_t side = 0; side < (int64_t)replay->p * replay->ports * DEP_DIRECTIONS; side++) {
        const struct pending *head = open_message(replay, side);
        if (head == NULL)
            continue;
        return sup_fail(error, RB_EWRONG,
                        "the plan is wrong: rank %d waits for ever in round %" PRId64
                        " to %s rank %d at port %d",
                        (int32_t)(side / DEP_DIRECTIONS / replay->ports), head->round,
                        side % DEP_DIRECTIONS == DEP_SENDS ? "send to" : "receive from", head->peer,
                        (int32_t)(side / DEP_DIRECTIONS % replay->ports));
    }
    return RB_OK;
}

/* ---- Making and destroying ----------------------------------------------------------------- */

/* RB_ENOMEM for what grows with the window. */
static int allocate(struct sim_replay *replay)
{
    size_t ranks = (size_t)replay->p;
    size_t ports = ranks * (size_t)replay->ports;
    size_t max_ops = (size_t)rb_plan_max_ops(replay->plan) + 1;
    size_t pendings = ports * DEP_DIRECTIONS * (size_t)replay->window;
    replay->rank = sup_calloc(ranks, sizeof *replay->rank);
    replay->entered = calloc(ranks * (size_t)replay->window, sizeof *replay->entered);
    replay->side = sup_calloc(ports * DEP_DIRECTIONS, sizeof *replay->side);
    replay->pending = calloc(pendings, sizeof *replay->pending);
    replay->startable = sup_calloc((size_t)startable_room(replay), sizeof *replay->startable);
    replay->through = sup_malloc(ranks * sizeof *replay->through);
    replay->ops = sup_calloc(max_ops, sizeof *replay->ops);
    replay->older_ops = sup_calloc(max_ops, sizeof *replay->older_ops);
    if (replay->entered == NULL || replay->pending == NULL ||
        (replay->window == 1 &&
         dep_envelopes_init(&replay->envelopes, replay->plan, replay->layout) != RB_OK))
        return RB_ENOMEM;
    if (replay->window > 1) {
        replay->needs = calloc(pendings, (size_t)need_count(replay) * sizeof *replay->needs);
        replay->older = sup_calloc(max_ops, sizeof *replay->older);
        const int32_t tmp = rb_plan_rows(replay->plan, RB_TMP);
        const int32_t others = rb_plan_rows(replay->plan, RB_DST);
        const int32_t rows = tmp > others ? tmp : others;
        replay->touching = sup_malloc((size_t)rows * sizeof *replay->touching);
        if (replay->needs == NULL)
            return RB_ENOMEM;
        for (int32_t i = 0; i < rows; i++)
            replay->touching[i] = -1;
        replay->by_block = replay->window > MANY_ROUNDS && replay->rounds < UINT32_MAX;
        if (replay->by_block && dep_block_needs_init(&replay->block_needs, replay->plan) != RB_OK)
            return RB_ENOMEM;
    }
    if (replay->rule == SIM_LOCKSTEP) {
        replay->members = sup_calloc(ranks, sizeof *replay->members);
        replay->followers = sup_calloc(ranks, sizeof *replay->followers);
        sim_round_heap_init(&replay->later, replay->p);
    }
    return RB_OK;
}

/* Rounds and messages are numbered on from the last run, where all are complete. */
void sim_replay_reuse(struct sim_replay *replay)
{
    for (int32_t r = 0; r < replay->p; r++) {
        struct rank *rank = &replay->rank[r];
        rank->entered = rank->through = rank->held = rank->due = false;
    }
    replay->throughs = replay->reported = replay->present = 0;
    replay->messages = replay->passed = 0;
    replay->bytes = 0;
    replay->current = -1;
}

int sim_replay_create(const struct rb_plan *plan, const struct rb_layout *layout,
                      const struct sim_overlap *overlap, bool eager, struct sim_replay **created,
                      struct sup_error *error)
{
    *created = NULL;
    struct sim_replay *replay = sup_calloc(1, sizeof *replay);
    replay->plan = plan;
    replay->layout = layout;
    replay->rule = overlap->rule;
    replay->eager = eager;
    replay->p = rb_plan_ranks(plan);
    replay->ports = rb_plan_ports(plan);
    replay->rounds = rb_plan_rounds(plan);
    const int64_t window = sim_overlap_window(overlap, replay->rounds);
    if (window > INT32_MAX) {
        free(replay);
        return sup_fail(error, RB_EINVAL,
                        "a window of %" PRId64
                        " rounds is too large: take window:W with W up to %d",
                        window, INT32_MAX);
    }
    replay->window = (int32_t)window;
    if (allocate(replay)) {
        sup_fail(error, RB_ENOMEM, "out of memory to replay %d ranks with a window of %d",
                 replay->p, replay->window);
        sim_replay_destroy(replay);
        return RB_ENOMEM;
    }
    replay->current = -1;
    *created = replay;
    return RB_OK;
}

void sim_replay_destroy(struct sim_replay *replay)
{
    if (!replay)
        return;
    sim_round_heap_free(&replay->later);
    free(replay->followers);
    free(replay->members);
    free(replay->touching);
    dep_block_needs_free(&replay->block_needs);
    free(replay->older);
    free(replay->older_ops);
    dep_envelopes_free(&replay->envelopes);
    free(replay->ops);
    free(replay->needs);
    free(replay->startable);
    free(replay->through);
    free(replay->pending);
    free(replay->side);
    free(replay->entered);
    free(replay->rank);
    free(replay);
}
