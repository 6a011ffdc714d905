/* verify_plan.c - executes a plan symbolically: places hold names of blocks instead of bytes, and
 * in reductions which ranks' contributions are in them (verify.h).
 *
 * Each rank has places (buffer, owner, index); each place holds a datum, the name of a block, or
 * nothing. A round goes in two passes. First every rank's sends are read, which copies the data
 * that leave into an arena and notes the message with its receiver. Then every rank's receives take
 * their messages, and local operations run. So all sends see the state at the start of the round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "schedules/plan/plan.h"
#include "verify.h"

/* Copies count values; the ranges may overlap if the stores are the same. Most copies are of one,
 * for which a call of memmove costs more than the move. */
static void store_copy(struct rb_store *to, size_t at, const struct rb_store *from, size_t first,
                       size_t count)
{
    if (count == 1) {
        to->datum[at] = from->datum[first];
        if (to->set == NULL)
            return;
        for (size_t w = 0; w < to->words; w++)
            to->set[at * to->words + w] = from->set[first * from->words + w];
        if (to->span != NULL)
            to->span[at] = from->span[first];
        return;
    }
    memmove(to->datum + at, from->datum + first, count * sizeof *to->datum);
    if (to->set == NULL)
        return;
    memmove(to->set + at * to->words, from->set + first * from->words,
            count * to->words * sizeof *to->set);
    if (to->span != NULL)
        memmove(to->span + at, from->span + first, count * sizeof *to->span);
}

/* True if the values are datum, datum + 1, ...: the loops of such glances have no branch, so that
 * they take several values at a time. */
static bool are_named(const rb_datum held[], rb_datum datum, size_t count)
{
    rb_datum differ = 0;
    for (size_t i = 0; i < count; i++)
        differ |= held[i] ^ (rb_datum)(datum + (rb_datum)i);
    return differ == 0;
}

/* How many of the values are the others': the counter is as wide as they are. */
static size_t count_equal(const rb_datum held[], const rb_datum others[], size_t count)
{
    uint32_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += held[i] == others[i];
    return equal;
}

/* ---- The symbolic run ------------------------------------------------------------------------ */

struct message {
    int32_t from, to, port;
    int32_t next;         /* the next message of the same receiver, or -1 */
    int64_t first, count; /* in the arena */
    int64_t taken;        /* how many of them have been received */
};

/* What a rank does after its sends was kept when it was asked for them; count < 0: it was too much
 * to keep, and the rank is asked again. */
struct kept {
    size_t first;
    int32_t count;
};
enum { MOST_KEPT = 1 << 14 }; /* operations, which stay in a cache */

struct verifier {
    const struct rb_plan *plan;
    const struct rb_layout *layout; /* or NULL */
    struct rb_verdict *verdict;
    struct rb_watch *watch;
    int64_t places;           /* per rank */
    int64_t base[RB_BUFFERS]; /* first place of a buffer, -1 if the plan has no such buffer */
    struct rb_store held;     /* p * places */
    struct rb_rank *rank;     /* p */
    int64_t *next;            /* p entries: the results of rb_plan_next */
    struct rb_op *ops;        /* max_ops, and room for as many that a wrong round may have more */
    struct rb_op *kept;       /* of this round, what ranks do after their sends */
    size_t kept_count, kept_room;
    struct kept *keeps; /* p: where a rank's are */
    int32_t *order;     /* max_ops: scratch */
    struct rb_store arena;
    size_t arena_size;
    struct message *message;
    size_t message_count, message_room;
    int32_t *inbox;      /* p: first message for a rank, or -1 */
    int32_t *into, *out; /* a group's messages of this round */
    int32_t inside;      /* the ranks of the largest group */
};

static const char *const buffer_names[RB_BUFFERS] = {"src", "dst", "tmp"};

struct rb_name rb_datum_name(const struct rb_plan *plan, int64_t d)
{
    struct rb_name name;
    if (d == RB_NOTHING) {
        snprintf(name.text, sizeof name.text, "nothing");
        return name;
    }
    const int64_t owner = plan->owners == 1 ? plan->root : d / plan->blocks;
    const int64_t index = d % plan->blocks, part_blocks = rb_part_blocks(plan);
    if (plan->parts == 1)
        snprintf(name.text, sizeof name.text, "block %lld of rank %d", (long long)index,
                 (int)owner);
    else
        snprintf(name.text, sizeof name.text, "block %lld of rank %d for rank %d",
                 (long long)(index % part_blocks), (int)owner, (int)(index / part_blocks));
    return name;
}

/* What is looked at from now on, which is wrong if the verifier stops. */
static void look_at(struct verifier *verifier, int64_t t, int32_t rank, int32_t peer, int64_t datum)
{
    verifier->watch->fault = (struct rb_fault){t, rank, peer, -1, datum};
}

static int32_t contributors(const struct rb_plan *plan)
{
    return plan->collective->info.reducing ? plan->p : 0;
}

static int make_room(void **array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return RB_OK;
    size_t larger = *room * 2 > needed ? *room * 2 : needed;
    void *moved = realloc(*array, larger * size);
    if (moved == NULL)
        return RB_ENOMEM;
    *array = moved;
    *room = larger;
    return RB_OK;
}

/* Of all levels. */
static size_t all_groups(const struct rb_plan *plan)
{
    size_t count = 0;
    for (const struct rb_groups *groups = &plan->groups; groups != NULL; groups = groups->above)
        count += (size_t)groups->count;
    return count;
}

static int set_up(struct verifier *verifier)
{
    const struct rb_plan *plan = verifier->plan;
    if ((int64_t)plan->owners * plan->blocks > RB_MAX_DATA)
        return RB_ENOMEM;
    for (int32_t buffer = 0; buffer < RB_BUFFERS; buffer++) {
        verifier->base[buffer] = -1;
        if (plan->buffers & (1u << buffer)) {
            verifier->base[buffer] = verifier->places;
            verifier->places += rb_plan_rows(plan, (enum rb_buffer)buffer) * rb_part_blocks(plan);
        }
    }
    const size_t p = (size_t)plan->p;
    rb_groups_extent(&plan->groups, &(int32_t){0}, &verifier->inside);
    if ((size_t)verifier->places > SIZE_MAX / p ||
        rb_store_grow(&verifier->held, p * (size_t)verifier->places, contributors(plan)) != RB_OK)
        return RB_ENOMEM;
    memset(verifier->held.datum, -1, p * (size_t)verifier->places * sizeof(rb_datum));
    verifier->rank = malloc(p * sizeof *verifier->rank);
    verifier->next = malloc(p * sizeof *verifier->next);
    verifier->inbox = malloc(p * sizeof *verifier->inbox);
    verifier->into = malloc(all_groups(plan) * sizeof *verifier->into);
    verifier->out = malloc(all_groups(plan) * sizeof *verifier->out);
    verifier->ops = malloc(2 * (size_t)plan->max_ops * sizeof *verifier->ops);
    verifier->order = malloc((size_t)plan->max_ops * sizeof *verifier->order);
    verifier->keeps = malloc(p * sizeof *verifier->keeps);
    if (verifier->keeps == NULL || verifier->rank == NULL || verifier->next == NULL ||
        verifier->inbox == NULL || verifier->ops == NULL || verifier->order == NULL ||
        verifier->into == NULL || verifier->out == NULL)
        return RB_ENOMEM;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        rb_plan_rank(plan, rank, &verifier->rank[rank]);
        verifier->next[rank] = rb_plan_next(plan, &verifier->rank[rank], 0);
        verifier->inbox[rank] = -1;
    }
    return RB_OK;
}

static void clean_up(struct verifier *verifier)
{
    rb_store_free(&verifier->held);
    free(verifier->rank);
    free(verifier->next);
    free(verifier->inbox);
    free(verifier->into);
    free(verifier->out);
    free(verifier->ops);
    free(verifier->order);
    free(verifier->keeps);
    free(verifier->kept);
    rb_store_free(&verifier->arena);
    free(verifier->message);
}

/* The owner of the blocks in a row of a rank's buffer, and the index of the first of them. False
 * for a row of TMP that blocks of several owners share. */
static bool name_row(const struct rb_plan *plan, int32_t rank, enum rb_buffer buffer, int32_t row,
                     int32_t *owner, int64_t *first)
{
    *owner = plan->owners == 1 ? plan->root : row;
    *first = 0;
    if (plan->parts == 1)
        return true;
    *owner = buffer == RB_SRC ? rank : row;
    *first = (buffer == RB_SRC ? row : rank) * rb_part_blocks(plan);
    return buffer != RB_TMP;
}

/* A row of a rank's buffer with the blocks of one owner. */
struct row {
    int32_t rank, owner;
    enum rb_buffer buffer;
    int64_t index; /* of the first block */
    int64_t count; /* those that the plan's shares have */
    size_t place;
};

/* Calls visit for every row of every rank whose blocks have names; stops at the first failure. */
static int for_all_rows(struct verifier *verifier,
                        int (*visit)(struct verifier *verifier, const struct row *row))
{
    const struct rb_plan *plan = verifier->plan;
    const int64_t row_blocks = rb_part_blocks(plan);
    for (int32_t rank = 0; rank < plan->p; rank++)
        for (int32_t buffer = 0; buffer < RB_BUFFERS; buffer++)
            for (int32_t i = 0; i < plan->owners && verifier->base[buffer] >= 0; i++) {
                struct row row = {.rank = rank, .buffer = (enum rb_buffer)buffer};
                if (!name_row(plan, rank, row.buffer, i, &row.owner, &row.index))
                    continue;
                const int32_t part = (int32_t)(row.index / row_blocks);
                row.count =
                    plan->shares == NULL ? row_blocks : rb_share_of(plan, row.owner, part).units;
                row.place =
                    (size_t)(rank * verifier->places + verifier->base[buffer] + i * row_blocks);
                const int status = row.count > 0 ? visit(verifier, &row) : RB_OK;
                if (status != RB_OK)
                    return status;
            }
    return RB_OK;
}

static int set_start(struct verifier *verifier, const struct row *row)
{
    const struct rb_plan *plan = verifier->plan;
    const int64_t datum =
        plan->collective->precondition(plan, row->rank, row->buffer, row->owner, row->index);
    for (int64_t i = 0; datum != RB_NOTHING && i < row->count; i++)
        rb_store_set(&verifier->held, row->place + (size_t)i, (rb_datum)(datum + i), row->rank);
    return RB_OK;
}

/* The ranks whose contributions a rank's result must combine. */
static struct rb_span contributors_of(const struct rb_plan *plan, int32_t rank)
{
    struct rb_span wanted = {0, plan->p};
    if (plan->collective->contributors != NULL)
        plan->collective->contributors(plan, rank, &wanted.first, &wanted.end);
    return wanted;
}

/* Checks that a combined value has exactly the required contributions, in rank order if
 * required. */
static int check_contributions(struct verifier *verifier, int32_t rank, size_t place)
{
    const struct rb_plan *plan = verifier->plan;
    const struct rb_store *held = &verifier->held;
    const struct rb_span wanted = contributors_of(plan, rank);
    const int32_t missing = rb_store_missing(held, place, wanted);
    verifier->watch->fault.contributor = missing;
    if (missing >= 0)
        return rb_wrong(
            verifier->verdict,
            "at the end, after %lld rounds, %s at rank %d lacks the contribution of rank %d",
            (long long)plan->rounds, rb_datum_name(plan, held->datum[place]).text, (int)rank,
            (int)missing);
    const int32_t surplus = rb_store_surplus(held, place, wanted);
    verifier->watch->fault.contributor = surplus;
    if (surplus >= 0)
        return rb_wrong(verifier->verdict,
                        "at the end, after %lld rounds, %s at rank %d has the contribution of rank "
                        "%d, which is not asked for",
                        (long long)plan->rounds, rb_datum_name(plan, held->datum[place]).text,
                        (int)rank, (int)surplus);
    if (plan->ordered && held->span[place].end < 0)
        return rb_wrong(verifier->verdict,
                        "at the end, %s at rank %d is not combined in rank order",
                        rb_datum_name(plan, held->datum[place]).text, (int)rank);
    return RB_OK;
}

static int check_end(struct verifier *verifier, const struct row *row)
{
    const struct rb_plan *plan = verifier->plan;
    const rb_datum *held = verifier->held.datum + row->place;
    const int64_t datum =
        plan->collective->postcondition(plan, row->rank, row->buffer, row->owner, row->index);
    if (datum == RB_NOTHING || rb_layout_is_empty(plan, verifier->layout, row->owner, row->index) ||
        (are_named(held, (rb_datum)datum, (size_t)row->count) &&
         (contributors(plan) == 0 ||
          rb_store_are_complete(&verifier->held, row->place, (size_t)row->count,
                                contributors_of(plan, row->rank)))))
        return RB_OK;
    for (int64_t i = 0; i < row->count; i++) {
        const int64_t wanted = datum + i;
        look_at(verifier, plan->rounds, row->rank, -1, wanted);
        if (held[i] != wanted)
            return rb_wrong(verifier->verdict,
                            "at the end, after %lld rounds, rank %d has %s in %s where %s belongs",
                            (long long)plan->rounds, (int)row->rank,
                            rb_datum_name(plan, held[i]).text, buffer_names[row->buffer],
                            rb_datum_name(plan, wanted).text);
        const int status = contributors(plan) == 0
                               ? RB_OK
                               : check_contributions(verifier, row->rank, row->place + (size_t)i);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

/* The first location of a range that rb_round_check accepted. */
static int64_t places_of(const struct verifier *verifier, int32_t rank,
                         const struct rb_range *range)
{
    const struct rb_plan *plan = verifier->plan;
    const struct rb_location location = rb_location_of(plan, range);
    return rank * verifier->places + verifier->base[range->buffer] +
           location.row * rb_part_blocks(plan) + location.first;
}

/* In SRC and DST a block is at the location of its own name. In TMP too if names share locations,
 * because their lengths may differ: there a range says which block it is. */
static bool is_named(const struct rb_plan *plan, enum rb_buffer buffer)
{
    return buffer != RB_TMP || plan->parts > 1 || plan->slot_blocks > 0;
}

/* Adds an operation to the blocks that its rank sends, or receives, in this round. */
static void count_blocks(struct verifier *verifier, const struct rb_op *op, int64_t *blocks)
{
    *blocks += op->at.count;
    if (*blocks > verifier->verdict->busiest)
        verifier->verdict->busiest = *blocks;
}

/* One more message from or to a group of a level, of those of this round. */
static int count_group(struct verifier *verifier, int64_t t, const struct rb_groups *groups,
                       int32_t group, int32_t *messages, const char *where)
{
    const struct rb_plan *plan = verifier->plan;
    messages[group]++;
    if (messages[group] > verifier->verdict->group_messages)
        verifier->verdict->group_messages = messages[group];
    if (!plan->algorithm->info.one_per_port || messages[group] <= plan->ports ||
        (groups != &plan->groups && !plan->algorithm->info.places))
        return RB_OK;
    const int32_t first = rb_group_first(groups, group);
    return rb_wrong(verifier->verdict,
                    "round %lld: %d messages go %s the group of %s %d to %d, which has %d port%s",
                    (long long)t, (int)messages[group], where,
                    plan->groups.rank_at == NULL ? "ranks" : "places", (int)first,
                    (int)(first + rb_group_size(groups, group) - 1), (int)plan->ports,
                    plan->ports == 1 ? "" : "s");
}

/* Refuses a message that leaves its group by a port for messages inside, or the other way round. */
static int check_nic(struct verifier *verifier, int64_t t, int32_t from, const struct rb_op *op)
{
    const struct rb_groups *groups = &verifier->plan->groups;
    const bool stays = rb_group_of(groups, rb_groups_place(groups, from)) ==
                       rb_group_of(groups, rb_groups_place(groups, op->peer));
    const int32_t inside = verifier->inside;
    if (stays == (op->port > 0 && op->port < inside))
        return RB_OK;
    return rb_wrong(verifier->verdict,
                    "round %lld: the message of rank %d to rank %d %s its group over port %d, "
                    "and ports 1 to %d are for messages inside",
                    (long long)t, (int)from, (int)op->peer, stays ? "stays in" : "leaves",
                    (int)op->port, (int)inside - 1);
}

/* Counts a message for the groups of all levels at its ends that it leaves and enters. */
static int count_groups(struct verifier *verifier, int64_t t, int32_t from, const struct rb_op *op)
{
    const struct rb_groups *groups = &verifier->plan->groups;
    const int32_t at = rb_groups_place(groups, from), to = rb_groups_place(groups, op->peer);
    int32_t *into = verifier->into, *out = verifier->out;
    int status = verifier->plan->algorithm->info.own_nic ? check_nic(verifier, t, from, op) : RB_OK;
    for (; groups != NULL && status == RB_OK; groups = groups->above) {
        const int32_t sender = rb_group_of(groups, at), receiver = rb_group_of(groups, to);
        if (sender == receiver)
            break;
        status = count_group(verifier, t, groups, sender, out, "out of");
        if (status == RB_OK)
            status = count_group(verifier, t, groups, receiver, into, "into");
        into += groups->count;
        out += groups->count;
    }
    return status;
}

static int send(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op,
                bool starts)
{
    const int64_t place = places_of(verifier, rank, &op->at);
    const int64_t first = rb_plan_datum(verifier->plan, op->at.owner, op->at.first);
    const bool named = is_named(verifier->plan, op->at.buffer);
    look_at(verifier, t, rank, op->peer, first);
    const bool right =
        are_named(verifier->held.datum + place, (rb_datum)first, (size_t)op->at.count);
    for (int64_t i = 0; !right && i < op->at.count; i++) {
        const rb_datum held = verifier->held.datum[place + i];
        const int64_t own = verifier->watch->fault.datum = first + i;
        if (held == RB_NO_DATUM || (held != own && named))
            return rb_wrong(verifier->verdict,
                            "round %lld: rank %d sends %s to rank %d, but does not have it (%s)",
                            (long long)t, (int)rank, rb_datum_name(verifier->plan, own).text,
                            (int)op->peer, buffer_names[op->at.buffer]);
    }
    const size_t count = (size_t)op->at.count;
    if (rb_store_grow(&verifier->arena, verifier->arena_size + count,
                      contributors(verifier->plan)) != RB_OK ||
        make_room((void **)&verifier->message, &verifier->message_room, verifier->message_count + 1,
                  sizeof *verifier->message) != RB_OK)
        return RB_ENOMEM;
    if (starts) {
        verifier->message[verifier->message_count] =
            (struct message){.from = rank,
                             .to = op->peer,
                             .port = op->port,
                             .next = verifier->inbox[op->peer],
                             .first = (int64_t)verifier->arena_size};
        verifier->inbox[op->peer] = (int32_t)verifier->message_count++;
        verifier->verdict->messages++;
        const int status = count_groups(verifier, t, rank, op);
        if (status != RB_OK)
            return status;
    }
    store_copy(&verifier->arena, verifier->arena_size, &verifier->held, (size_t)place, count);
    verifier->arena_size += count;
    verifier->message[verifier->message_count - 1].count += op->at.count;
    return RB_OK;
}

/* Gets a rank's round and checks it by itself. */
static int ask(struct verifier *verifier, int64_t t, int32_t rank, int32_t *count)
{
    const struct rb_plan *plan = verifier->plan;
    struct rb_verdict *verdict = verifier->verdict;
    look_at(verifier, t, rank, -1, RB_NOTHING);
    *count = rb_plan_round(plan, &verifier->rank[rank], t, verifier->ops);
    const int status = rb_round_check(plan, rank, t, verifier->ops, *count, verifier->order,
                                      verdict->what, sizeof verdict->what);
    if (status != RB_OK)
        return status;
    if ((*count > 0) != (verifier->next[rank] == t))
        return rb_wrong(verdict, "round %lld: rank %d has %d operations, but next() says that %s",
                        (long long)t, (int)rank, (int)*count,
                        *count > 0 ? "it is idle" : "it is active");
    *count = rb_layout_keep(plan, verifier->layout, verifier->ops, *count);
    return RB_OK;
}

/* Keeps what follows the sends of a round, so that receive_all need not ask for it and check it
 * again. */
static int keep(struct verifier *verifier, int32_t rank, int32_t count)
{
    int32_t sends = 0;
    while (sends < count && verifier->ops[sends].kind == RB_SEND)
        sends++;
    const size_t left = (size_t)(count - sends);
    struct kept *kept = &verifier->keeps[rank];
    *kept = (struct kept){verifier->kept_count, -1};
    if (verifier->kept_count + left > MOST_KEPT)
        return RB_OK;
    if (make_room((void **)&verifier->kept, &verifier->kept_room, verifier->kept_count + left,
                  sizeof *verifier->kept) != RB_OK)
        return RB_ENOMEM;
    for (size_t i = 0; i < left; i++)
        verifier->kept[verifier->kept_count++] = verifier->ops[sends + (int32_t)i];
    kept->count = (int32_t)left;
    return RB_OK;
}

static int send_all(struct verifier *verifier, int64_t t)
{
    const size_t groups = all_groups(verifier->plan);
    verifier->arena_size = 0;
    verifier->message_count = 0;
    verifier->kept_count = 0;
    memset(verifier->into, 0, groups * sizeof *verifier->into);
    memset(verifier->out, 0, groups * sizeof *verifier->out);
    for (int32_t rank = 0; rank < verifier->plan->p; rank++) {
        int32_t count;
        int64_t blocks = 0;
        int status = ask(verifier, t, rank, &count);
        if (status != RB_OK)
            return status;
        struct dep_messages left = dep_messages_of(verifier->ops, count);
        for (struct dep_message message; dep_next_send(&left, &message);)
            for (int32_t i = 0; i < message.count; i++) {
                count_blocks(verifier, &message.ops[i], &blocks);
                status = send(verifier, t, rank, &message.ops[i], i == 0);
                if (status != RB_OK)
                    return status;
            }
        status = keep(verifier, rank, count);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

static struct message *find_message(struct verifier *verifier, int32_t rank, const struct rb_op *op)
{
    for (int32_t i = verifier->inbox[rank]; i >= 0; i = verifier->message[i].next) {
        struct message *message = &verifier->message[i];
        if (message->from == op->peer && message->port == op->port)
            return message;
    }
    return NULL;
}

/* Combines a received or local block with the one in place. */
static int combine(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op,
                   size_t place, const struct rb_store *from, size_t first)
{
    const struct rb_plan *plan = verifier->plan;
    struct rb_store *held = &verifier->held;
    if (held->datum[place] != from->datum[first])
        return rb_wrong(verifier->verdict, "round %lld: rank %d combines %s with %s", (long long)t,
                        (int)rank, rb_datum_name(plan, held->datum[place]).text,
                        rb_datum_name(plan, from->datum[first]).text);
    const int32_t twice = rb_store_combine(held, place, from, first, op->incoming_is_left);
    verifier->watch->fault.contributor = twice;
    if (twice >= 0)
        return rb_wrong(verifier->verdict,
                        "round %lld: rank %d combines into %s what comes from rank %d, and counts "
                        "the contribution of rank %d twice",
                        (long long)t, (int)rank, rb_datum_name(plan, held->datum[place]).text,
                        (int)op->peer, (int)twice);
    return RB_OK;
}

/* Replaces the block in place by a received one. */
static int replace(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op,
                   int64_t own, size_t place, size_t arrived)
{
    const struct rb_plan *plan = verifier->plan;
    const rb_datum datum = verifier->arena.datum[arrived];
    if (is_named(plan, op->at.buffer) && datum != own)
        return rb_wrong(verifier->verdict, "round %lld: rank %d receives %s from rank %d as %s",
                        (long long)t, (int)rank, rb_datum_name(plan, datum).text, (int)op->peer,
                        rb_datum_name(plan, own).text);
    verifier->verdict->redundant += contributors(plan) == 0 && verifier->held.datum[place] == datum;
    store_copy(&verifier->held, place, &verifier->arena, arrived, 1);
    return RB_OK;
}

/* Combines a range with what comes from a store, if all of it is right; otherwise changes nothing.
 */
static bool combine_range(struct verifier *verifier, const struct rb_op *op, size_t place,
                          const struct rb_store *from, size_t first)
{
    struct rb_store *held = &verifier->held;
    const size_t count = (size_t)op->at.count;
    return count_equal(held->datum + place, from->datum + first, count) == count &&
           rb_store_combine_all(held, place, from, first, count, op->incoming_is_left);
}

/* Takes what arrives for a range, if all of it is right; otherwise changes nothing. */
static bool take_range(struct verifier *verifier, const struct rb_op *op, rb_datum own,
                       size_t place, size_t arrived)
{
    struct rb_store *held = &verifier->held;
    const rb_datum *data = verifier->arena.datum + arrived;
    const size_t count = (size_t)op->at.count;
    if (op->kind == RB_RECV_REDUCE)
        return combine_range(verifier, op, place, &verifier->arena, arrived);
    if (is_named(verifier->plan, op->at.buffer) && !are_named(data, own, count))
        return false;
    if (held->set == NULL)
        verifier->verdict->redundant += (int64_t)count_equal(held->datum + place, data, count);
    store_copy(held, place, &verifier->arena, arrived, count);
    return true;
}

static void add_bytes(struct rb_verdict *verdict, int64_t bytes)
{
    if (__builtin_add_overflow(verdict->bytes, bytes, &verdict->bytes))
        verdict->bytes = INT64_MAX;
}

static int receive(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op)
{
    const struct rb_plan *plan = verifier->plan;
    const int64_t place = places_of(verifier, rank, &op->at);
    struct message *message = find_message(verifier, rank, op);
    look_at(verifier, t, rank, op->peer, rb_plan_datum(plan, op->at.owner, op->at.first));
    if (message == NULL)
        return rb_wrong(
            verifier->verdict,
            "round %lld: rank %d receives from rank %d on port %d, which sends it nothing",
            (long long)t, (int)rank, (int)op->peer, (int)op->port);
    if (op->at.count > message->count - message->taken)
        return rb_wrong(verifier->verdict,
                        "round %lld: rank %d receives more than the %lld blocks that rank %d "
                        "sends it",
                        (long long)t, (int)rank, (long long)message->count, (int)op->peer);
    const size_t arrived = (size_t)(message->first + message->taken);
    const int64_t own = rb_plan_datum(plan, op->at.owner, op->at.first);
    const bool taken = verifier->watch->arrives == NULL &&
                       take_range(verifier, op, (rb_datum)own, (size_t)place, arrived);
    for (int64_t i = 0; !taken && i < op->at.count; i++) {
        const size_t at = (size_t)(place + i), from = arrived + (size_t)i;
        verifier->watch->fault.datum = own + i;
        int status = op->kind == RB_RECV
                         ? replace(verifier, t, rank, op, own + i, at, from)
                         : combine(verifier, t, rank, op, at, &verifier->arena, from);
        if (status != RB_OK)
            return status;
        const struct rb_arrival arrival = {
            t, op->peer, rank, verifier->arena.datum[from],
            contributors(plan) == 0 ? NULL : verifier->arena.set + from * verifier->arena.words};
        if (verifier->watch->arrives != NULL)
            verifier->watch->arrives(verifier->watch->context, &arrival);
    }
    message->taken += op->at.count;
    verifier->verdict->moves += op->at.count;
    if (verifier->layout != NULL)
        add_bytes(verifier->verdict, rb_layout_bytes(plan, verifier->layout, &op->at));
    return RB_OK;
}

/* RB_COPY and RB_REDUCE. */
static int do_locally(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op)
{
    const struct rb_plan *plan = verifier->plan;
    const int64_t to = places_of(verifier, rank, &op->at);
    const int64_t from = places_of(verifier, rank, &op->from);
    const int64_t own = rb_plan_datum(plan, op->at.owner, op->at.first);
    const bool right =
        are_named(verifier->held.datum + from, (rb_datum)own, (size_t)op->from.count);
    for (int64_t i = 0; !right && i < op->from.count; i++) {
        const rb_datum held = verifier->held.datum[from + i];
        look_at(verifier, t, rank, -1, own + i);
        if (held == RB_NO_DATUM || (held != own + i && is_named(plan, op->at.buffer)))
            return rb_wrong(verifier->verdict,
                            "round %lld: rank %d takes %s from %s to the place of %s in %s",
                            (long long)t, (int)rank, rb_datum_name(plan, held).text,
                            buffer_names[op->from.buffer], rb_datum_name(plan, own + i).text,
                            buffer_names[op->at.buffer]);
    }
    if (op->kind == RB_COPY) {
        store_copy(&verifier->held, (size_t)to, &verifier->held, (size_t)from,
                   (size_t)op->at.count);
        return RB_OK;
    }
    const bool taken = combine_range(verifier, op, (size_t)to, &verifier->held, (size_t)from);
    for (int64_t i = 0; !taken && i < op->at.count; i++) {
        int status =
            combine(verifier, t, rank, op, (size_t)(to + i), &verifier->held, (size_t)(from + i));
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

static int receive_all(struct verifier *verifier, int64_t t)
{
    const struct rb_plan *plan = verifier->plan;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        if (verifier->next[rank] != t)
            continue;
        const struct kept kept = verifier->keeps[rank];
        const struct rb_op *ops = kept.count > 0 ? verifier->kept + kept.first : verifier->ops;
        int32_t count = kept.count;
        int64_t blocks = 0;
        int status = RB_OK;
        if (count < 0) {
            status = ask(verifier, t, rank, &count);
            ops = verifier->ops;
        }
        for (int32_t i = 0; status == RB_OK && i < count; i++) {
            const struct rb_op *op = &ops[i];
            if (op->kind == RB_RECV || op->kind == RB_RECV_REDUCE) {
                count_blocks(verifier, op, &blocks);
                status = receive(verifier, t, rank, op);
            } else if (op->kind != RB_SEND) {
                status = do_locally(verifier, t, rank, op);
            }
        }
        if (status != RB_OK)
            return status;
        verifier->next[rank] = rb_plan_next(plan, &verifier->rank[rank], t + 1);
    }
    int64_t longest = 0;
    for (size_t i = 0; i < verifier->message_count; i++) {
        const struct message *message = &verifier->message[i];
        verifier->inbox[message->to] = -1;
        longest = message->count > longest ? message->count : longest;
        look_at(verifier, t, message->to, message->from, RB_NOTHING);
        if (message->taken != message->count)
            return rb_wrong(verifier->verdict,
                            "round %lld: rank %d sends %lld blocks to rank %d on port %d, which "
                            "receives %lld of them",
                            (long long)t, (int)message->from, (long long)message->count,
                            (int)message->to, (int)message->port, (long long)message->taken);
    }
    verifier->verdict->critical_volume += longest;
    return RB_OK;
}

int rb_verify_plan_watched(const struct rb_plan *plan, const struct rb_layout *layout,
                           struct rb_watch *watch, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){.rounds = plan->rounds};
    if (plan->algorithm->verify != NULL)
        return plan->algorithm->verify(plan, verdict);
    struct verifier verifier = {.plan = plan,
                                .layout = layout,
                                .verdict = verdict,
                                .watch = watch,
                                .held.in_order = plan->ordered,
                                .arena.in_order = plan->ordered};
    int status = set_up(&verifier);
    if (status == RB_OK)
        status = for_all_rows(&verifier, set_start);
    for (int64_t t = 0; status == RB_OK && t < plan->rounds; t++) {
        status = send_all(&verifier, t);
        if (status == RB_OK)
            status = receive_all(&verifier, t);
    }
    if (status == RB_OK)
        status = for_all_rows(&verifier, check_end);
    clean_up(&verifier);
    return status;
}

int rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                   struct rb_verdict *verdict)
{
    struct rb_watch watch = {0};
    return rb_verify_plan_watched(plan, layout, &watch, verdict);
}
