/* verify_plan.c - executes a plan symbolically: places hold the names of blocks instead of bytes.
 *
 * Each rank has places (buffer, owner, index); each place holds a datum, the name of a block, or
 * nothing. A round goes in two passes. First every rank's sends are read, which copies the data
 * that leave into an arena and notes the message with its receiver. Then every rank's receives take
 * their messages, and local operations run. So all sends see the state at the start of the round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* Data in the verifier's memory are 32 bits wide: it holds p * owners * blocks of them. */
typedef int32_t datum; /* NOTHING or rb_plan_datum() */
enum { NOTHING = -1, MAX_DATA = INT32_MAX };

struct message {
    int32_t from, to, port;
    int32_t next;         /* of the same receiver, or -1 */
    int64_t first, count; /* in the arena */
    int64_t taken;        /* how many of them have been received */
};

struct verifier {
    const struct rb_plan *plan;
    struct rb_verdict *verdict;
    int64_t places;           /* per rank */
    int64_t base[RB_BUFFERS]; /* first place of a buffer, -1 if the plan has no such buffer */
    datum *held;              /* p * places */
    struct rb_rank *rank;     /* p */
    int64_t *next;            /* p: what rb_plan_next promised */
    struct rb_op *ops;        /* max_ops */
    datum *arena;
    size_t arena_size, arena_room;
    struct message *message;
    size_t message_count, message_room;
    int32_t *inbox; /* p: first message for a rank, or -1 */
};

static const char *const buffer_names[RB_BUFFERS] = {"src", "dst", "tmp"};

/* "block 3 of rank 0" for messages. */
struct name {
    char text[64];
};
static struct name name_of(const struct rb_plan *plan, int64_t d)
{
    struct name name;
    if (d == RB_NOTHING)
        snprintf(name.text, sizeof name.text, "nothing");
    else
        snprintf(name.text, sizeof name.text, "block %lld of rank %d",
                 (long long)(d % plan->blocks),
                 (int)(plan->owners == 1 ? plan->root : (int32_t)(d / plan->blocks)));
    return name;
}

static int grow(void **array, size_t *room, size_t needed, size_t size)
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

static int set_up(struct verifier *verifier)
{
    const struct rb_plan *plan = verifier->plan;
    const int64_t per_buffer = (int64_t)plan->owners * plan->blocks;
    if (per_buffer > MAX_DATA)
        return RB_ENOMEM;
    for (int32_t buffer = 0; buffer < RB_BUFFERS; buffer++) {
        verifier->base[buffer] = -1;
        if (plan->buffers & (1u << buffer)) {
            verifier->base[buffer] = verifier->places;
            verifier->places += per_buffer;
        }
    }
    const size_t p = (size_t)plan->p;
    if ((size_t)verifier->places > SIZE_MAX / sizeof(datum) / p)
        return RB_ENOMEM;
    verifier->held = malloc(p * (size_t)verifier->places * sizeof *verifier->held);
    verifier->rank = malloc(p * sizeof *verifier->rank);
    verifier->next = malloc(p * sizeof *verifier->next);
    verifier->inbox = malloc(p * sizeof *verifier->inbox);
    verifier->ops = malloc((size_t)plan->max_ops * sizeof *verifier->ops);
    if (verifier->held == NULL || verifier->rank == NULL || verifier->next == NULL ||
        verifier->inbox == NULL || verifier->ops == NULL)
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
    free(verifier->held);
    free(verifier->rank);
    free(verifier->next);
    free(verifier->inbox);
    free(verifier->ops);
    free(verifier->arena);
    free(verifier->message);
}

/* Calls visit for every place of every rank; stops at the first failure. */
static int for_all_places(struct verifier *verifier,
                          int (*visit)(struct verifier *verifier, int32_t rank,
                                       enum rb_buffer buffer, int32_t owner, int64_t index,
                                       datum *place))
{
    const struct rb_plan *plan = verifier->plan;
    datum *place = verifier->held;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        for (int32_t buffer = 0; buffer < RB_BUFFERS; buffer++) {
            if (verifier->base[buffer] < 0)
                continue;
            for (int32_t i = 0; i < plan->owners; i++) {
                int32_t owner = plan->owners == 1 ? plan->root : i;
                for (int64_t index = 0; index < plan->blocks; index++, place++) {
                    int status = visit(verifier, rank, (enum rb_buffer)buffer, owner, index, place);
                    if (status != RB_OK)
                        return status;
                }
            }
        }
    }
    return RB_OK;
}

static int set_start(struct verifier *verifier, int32_t rank, enum rb_buffer buffer, int32_t owner,
                     int64_t index, datum *place)
{
    const struct rb_plan *plan = verifier->plan;
    *place = (datum)plan->collective->initially(plan, rank, buffer, owner, index);
    return RB_OK;
}

static int check_end(struct verifier *verifier, int32_t rank, enum rb_buffer buffer, int32_t owner,
                     int64_t index, datum *place)
{
    const struct rb_plan *plan = verifier->plan;
    int64_t wanted = plan->collective->finally(plan, rank, buffer, owner, index);
    if (wanted == RB_NOTHING || *place == wanted)
        return RB_OK;
    return rb_wrong(verifier->verdict,
                    "at the end, after %lld rounds, rank %d has %s in %s where %s belongs",
                    (long long)plan->rounds, (int)rank, name_of(plan, *place).text,
                    buffer_names[buffer], name_of(plan, wanted).text);
}

/* The first of the range's places, or NULL with a verdict if the range is not one of the plan's. */
static datum *places_of(struct verifier *verifier, int64_t t, int32_t rank,
                        const struct rb_range *range)
{
    const struct rb_plan *plan = verifier->plan;
    bool owner_fits = plan->owners == 1 ? range->owner == plan->root
                                        : 0 <= range->owner && range->owner < plan->owners;
    if ((uint32_t)range->buffer >= RB_BUFFERS || verifier->base[range->buffer] < 0 || !owner_fits ||
        range->first < 0 || range->count < 1 || range->first > plan->blocks - range->count) {
        rb_wrong(
            verifier->verdict,
            "round %lld: rank %d names blocks %lld..%lld of rank %d in buffer %d, which the plan "
            "does not have",
            (long long)t, (int)rank, (long long)range->first,
            (long long)(range->first + range->count - 1), (int)range->owner, (int)range->buffer);
        return NULL;
    }
    return verifier->held + rank * verifier->places + verifier->base[range->buffer] +
           rb_plan_datum(plan, range->owner, range->first);
}

/* A port carries one message per direction and round: its operations stand together. */
struct port_check {
    int32_t peer, port; /* of the message under way */
    bool open;
    uint64_t used; /* ports 0..63 seen in this direction */
    int64_t blocks;
};

static int check_port(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op,
                      struct port_check *check)
{
    const struct rb_plan *plan = verifier->plan;
    const char *direction = op->kind == RB_SEND ? "sends to" : "receives from";
    if (op->peer < 0 || op->peer >= plan->p || op->peer == rank)
        return rb_wrong(verifier->verdict, "round %lld: rank %d %s rank %d, which is no peer of it",
                        (long long)t, (int)rank, direction, (int)op->peer);
    if (op->port < 0 || op->port >= plan->ports || op->port > 63)
        return rb_wrong(verifier->verdict, "round %lld: rank %d %s rank %d on port %d of %d",
                        (long long)t, (int)rank, direction, (int)op->peer, (int)op->port,
                        (int)plan->ports);
    check->blocks += op->at.count;
    if (check->blocks > verifier->verdict->busiest)
        verifier->verdict->busiest = check->blocks;
    if (check->open && check->peer == op->peer && check->port == op->port)
        return RB_OK;
    if (check->used & (UINT64_C(1) << op->port))
        return rb_wrong(verifier->verdict,
                        "round %lld: rank %d %s rank %d on port %d, which is busy in this "
                        "round",
                        (long long)t, (int)rank, direction, (int)op->peer, (int)op->port);
    check->used |= UINT64_C(1) << op->port;
    check->peer = op->peer;
    check->port = op->port;
    check->open = true;
    return 1; /* a new message starts here */
}

static int send(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op,
                bool starts)
{
    const datum *place = places_of(verifier, t, rank, &op->at);
    if (place == NULL)
        return RB_EWRONG;
    for (int64_t i = 0; i < op->at.count; i++) {
        if (place[i] == NOTHING)
            return rb_wrong(verifier->verdict,
                            "round %lld: rank %d sends %s to rank %d, but does not have it (%s)",
                            (long long)t, (int)rank,
                            name_of(verifier->plan,
                                    rb_plan_datum(verifier->plan, op->at.owner, op->at.first + i))
                                .text,
                            (int)op->peer, buffer_names[op->at.buffer]);
    }
    const size_t count = (size_t)op->at.count;
    if (grow((void **)&verifier->arena, &verifier->arena_room, verifier->arena_size + count,
             sizeof *verifier->arena) != RB_OK ||
        grow((void **)&verifier->message, &verifier->message_room, verifier->message_count + 1,
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
    }
    memcpy(verifier->arena + verifier->arena_size, place, count * sizeof *place);
    verifier->arena_size += count;
    verifier->message[verifier->message_count - 1].count += op->at.count;
    return RB_OK;
}

static int send_all(struct verifier *verifier, int64_t t)
{
    const struct rb_plan *plan = verifier->plan;
    verifier->arena_size = 0;
    verifier->message_count = 0;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        int32_t count = rb_plan_round(plan, &verifier->rank[rank], t, verifier->ops);
        if ((count > 0) != (verifier->next[rank] == t))
            return rb_wrong(
                verifier->verdict, "round %lld: rank %d has %d operations, but next() says that %s",
                (long long)t, (int)rank, (int)count, count > 0 ? "it is idle" : "it is active");
        struct port_check check = {0};
        for (int32_t i = 0; i < count && verifier->ops[i].kind == RB_SEND; i++) {
            int status = check_port(verifier, t, rank, &verifier->ops[i], &check);
            if (status >= 0)
                status = send(verifier, t, rank, &verifier->ops[i], status == 1);
            if (status < 0)
                return status;
        }
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

static int receive(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op)
{
    const struct rb_plan *plan = verifier->plan;
    if (op->kind != RB_RECV)
        return rb_wrong(verifier->verdict,
                        "round %lld: rank %d combines blocks, but %s has no operator", (long long)t,
                        (int)rank, plan->collective->info.name);
    datum *place = places_of(verifier, t, rank, &op->at);
    if (place == NULL)
        return RB_EWRONG;
    struct message *message = find_message(verifier, rank, op);
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
    const datum *arrived = verifier->arena + message->first + message->taken;
    for (int64_t i = 0; i < op->at.count; i++) {
        int64_t own = rb_plan_datum(plan, op->at.owner, op->at.first + i);
        if (op->at.buffer != RB_TMP && arrived[i] != own)
            return rb_wrong(verifier->verdict, "round %lld: rank %d receives %s from rank %d as %s",
                            (long long)t, (int)rank, name_of(plan, arrived[i]).text, (int)op->peer,
                            name_of(plan, own).text);
        verifier->verdict->redundant += place[i] == arrived[i];
        place[i] = arrived[i];
    }
    message->taken += op->at.count;
    verifier->verdict->moves += op->at.count;
    return RB_OK;
}

static int copy(struct verifier *verifier, int64_t t, int32_t rank, const struct rb_op *op)
{
    if (op->kind != RB_COPY)
        return rb_wrong(verifier->verdict,
                        "round %lld: rank %d has an operation of kind %d after its receives",
                        (long long)t, (int)rank, (int)op->kind);
    datum *to = places_of(verifier, t, rank, &op->at);
    const datum *from = places_of(verifier, t, rank, &op->from);
    if (to == NULL || from == NULL)
        return RB_EWRONG;
    if (op->at.count != op->from.count)
        return rb_wrong(verifier->verdict, "round %lld: rank %d copies %lld blocks to %lld places",
                        (long long)t, (int)rank, (long long)op->from.count,
                        (long long)op->at.count);
    memmove(to, from, (size_t)op->at.count * sizeof *to);
    return RB_OK;
}

static int receive_all(struct verifier *verifier, int64_t t)
{
    const struct rb_plan *plan = verifier->plan;
    for (int32_t rank = 0; rank < plan->p; rank++) {
        if (verifier->next[rank] != t)
            continue;
        int32_t count = rb_plan_round(plan, &verifier->rank[rank], t, verifier->ops);
        struct port_check check = {0};
        for (int32_t i = 0; i < count; i++) {
            const struct rb_op *op = &verifier->ops[i];
            int status = RB_OK;
            if (op->kind == RB_RECV || op->kind == RB_RECV_REDUCE) {
                status = check_port(verifier, t, rank, op, &check);
                if (status >= 0)
                    status = receive(verifier, t, rank, op);
            } else if (op->kind != RB_SEND || check.open) {
                status = copy(verifier, t, rank, op);
            }
            if (status < 0)
                return status;
        }
        verifier->next[rank] = rb_plan_next(plan, &verifier->rank[rank], t + 1);
    }
    for (size_t i = 0; i < verifier->message_count; i++) {
        const struct message *message = &verifier->message[i];
        verifier->inbox[message->to] = -1;
        if (message->taken != message->count)
            return rb_wrong(verifier->verdict,
                            "round %lld: rank %d sends %lld blocks to rank %d on port %d, which "
                            "receives %lld of them",
                            (long long)t, (int)message->from, (long long)message->count,
                            (int)message->to, (int)message->port, (long long)message->taken);
    }
    return RB_OK;
}

int rb_verify_plan(const struct rb_plan *plan, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){.rounds = plan->rounds};
    struct verifier verifier = {.plan = plan, .verdict = verdict};
    int status = set_up(&verifier);
    if (status == RB_OK)
        status = for_all_places(&verifier, set_start);
    for (int64_t t = 0; status == RB_OK && t < plan->rounds; t++) {
        status = send_all(&verifier, t);
        if (status == RB_OK)
            status = receive_all(&verifier, t);
    }
    if (status == RB_OK)
        status = for_all_places(&verifier, check_end);
    clean_up(&verifier);
    return status;
}
