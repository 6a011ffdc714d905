/* mscclpp_write.c - plans as MSCCL++'s JSON; see msccl_xml.h.
 *
 * A rank does one thing after another. In each round it
 *
 *   signals  who puts into its memory for the first time, or where it has read or written since it
 *            last signalled that rank
 *   waits    for such signals of those to whom it sends
 *   puts     what it sends: to its place, or into scratch that nothing else uses, if the receiver
 *            combines it or sends in this round what it replaces
 *   signals  who got something
 *   waits    for what comes in, combines or copies it from scratch, and does local operations.
 *
 * All signal before they wait, so nobody waits in a circle, and a channel's signals are in the
 * order of its waits. The GPU's threads wait for each other only in a nop, so one stands before
 * whatever could depend on operations since the last. When a threadblock is full, the next one goes
 * on after a semaphore. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/msccl_xml.h"
#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* Limits of the executor (execution_common.hpp); the last one is ours: memory channels lead no
 * further than NVLink. */
enum { OPERATIONS = 64, CHANNELS = 16, BUFFERS = 16, SEMAPHORES = 16, RANKS = 1024 };

enum kind { NONE, SIGNAL, WAIT, PUT, COPY, COMBINE };

struct rank {
    FILE *stream; /* to `text`: its threadblocks; owned */
    char *text;
    size_t size;
    int32_t blocks, operations; /* full threadblocks; operations of the last one */
    int32_t number;             /* of operations that are no nops */
    enum kind kind;             /* of the last operation */
    int32_t channels, buffers;  /* used, of peers; one more than there can be: too many */
    int32_t peer[CHANNELS + 1], told[CHANNELS + 1]; /* told: the last operation that signals it */
    int32_t buffer[BUFFERS + 1];                    /* peer * RB_BUFFERS + buffer */
    int32_t scratch;                                /* chunks */
    int32_t *touched; /* by buffer and chunk, the last operation that reads or writes it; owned */
    struct rb_rank state;
    int32_t count;       /* operations in the present round */
    struct rb_op *round; /* these; owned */
    struct place *place; /* where a send puts its blocks, or the peer of a receive; owned */
};

struct place {
    enum rb_buffer buffer;
    int32_t chunk;
    bool then; /* of a send: waits for a signal first; of a receive: goes on to its range */
};

struct writer {
    const struct rb_plan *plan;
    struct inter_msccl_form form;
    struct sup_error *error;
    struct rank *rank;
};

/* ---- Operations ------------------------------------------------------------------------------ */

/* The value's place; if there are more than `most`, the list has most + 1. */
static int32_t find_or_add(int32_t list[], int32_t *count, int32_t most, int32_t value)
{
    int32_t i = 0;
    while (i < *count && i < most && list[i] != value)
        i++;
    if (i == *count)
        list[(*count)++] = value;
    return i;
}

static int32_t channel_to(struct rank *rank, int32_t peer)
{
    return find_or_add(rank->peer, &rank->channels, CHANNELS, peer);
}

static void print_ids(struct rank *rank, const char *before, int32_t count)
{
    fputs(before, rank->stream);
    for (int32_t i = 0; i < count; i++)
        fprintf(rank->stream, "%s%" PRId32, i == 0 ? "" : ", ", i);
}

static void end_block(struct rank *rank)
{
    print_ids(rank, "],\n   \"channels\": [{\"channel_type\": \"memory\", \"channel_ids\": [",
              rank->channels);
    print_ids(rank,
              "]}],\n   \"remote_buffer_refs\": [{\"access_channel_type\": \"memory\", "
              "\"remote_buffer_ids\": [",
              rank->buffers);
    fputs("]}]}", rank->stream);
    rank->blocks++;
    rank->operations = 0;
}

/* Takes what the operation has besides its name. */
static void add_line(struct rank *rank, const char *name, char *members)
{
    if (rank->operations == 0)
        fprintf(rank->stream, "%s\n  {\"id\": %" PRId32 ", \"ops\": [", rank->blocks > 0 ? "," : "",
                rank->blocks);
    fprintf(rank->stream, "%s\n   {\"name\": \"%s\"%s}", rank->operations++ > 0 ? "," : "", name,
            members == NULL ? "" : members);
    free(members);
}

static void add(struct rank *rank, enum kind kind, char *members)
{
    static const char *const names[] = {"", "signal", "wait", "put", "copy", "re"};
    if (rank->operations + 4 > OPERATIONS) { /* with this one, its nop and these two */
        add_line(rank, "nop", NULL);
        add_line(rank, "sem_release",
                 sup_format(", \"semaphore_ids\": [%" PRId32 "]", rank->blocks));
        end_block(rank);
        add_line(rank, "sem_acquire",
                 sup_format(", \"semaphore_ids\": [%" PRId32 "]", rank->blocks - 1));
        rank->kind = NONE;
    }
    if (rank->operations > 0 && (rank->kind != kind || kind >= COPY))
        add_line(rank, "nop", NULL);
    add_line(rank, names[kind], members);
    rank->kind = kind;
    rank->number++;
}

#define ON     ", \"channel_type\": \"memory\", \"channel_ids\": [%" PRId32 "]"
#define FROM   ", \"src_buff\": ["
#define TO     "], \"dst_buff\": ["
#define CHUNKS "\"index\": %" PRId32 ", \"size\": %" PRId32 "}"
#define LOCAL  "{\"type\": \"%c\", " CHUNKS

/* Signals a peer or waits for it. */
static void meet(struct rank *rank, enum kind kind, int32_t peer)
{
    const int32_t channel = channel_to(rank, peer);
    add(rank, kind, sup_format(ON, channel));
    if (kind == SIGNAL)
        rank->told[channel] = rank->number;
}

static void put(const struct writer *writer, struct rank *rank, int32_t i)
{
    const struct rb_op *op = &rank->round[i];
    const struct place *to = &rank->place[i];
    const int32_t count = (int32_t)op->at.count;
    const int32_t buffer = find_or_add(rank->buffer, &rank->buffers, BUFFERS,
                                       op->peer * RB_BUFFERS + (int32_t)to->buffer);
    add(rank, PUT,
        sup_format(ON FROM LOCAL TO "{\"buffer_id\": %" PRId32 ", " CHUNKS "]",
                   channel_to(rank, op->peer), writer->form.letter[op->at.buffer],
                   inter_msccl_chunk(&writer->form, &op->at), count, buffer, to->chunk, count));
}

/* In the rank's own memory. */
static void take(const struct writer *writer, struct rank *rank, const struct rb_op *op,
                 const struct place *from)
{
    const char at = writer->form.letter[op->at.buffer], of = writer->form.letter[from->buffer];
    const int32_t chunk = inter_msccl_chunk(&writer->form, &op->at), count = (int32_t)op->at.count;
    if (op->kind == RB_RECV || op->kind == RB_COPY)
        add(rank, COPY,
            sup_format(FROM LOCAL TO LOCAL "]", of, from->chunk, count, at, chunk, count));
    else
        add(rank, COMBINE,
            sup_format(FROM LOCAL ", " LOCAL TO LOCAL "], \"reduce_op\": \"sum\"", at, chunk, count,
                       of, from->chunk, count, at, chunk, count));
}

/* The last operation that reads or writes one of these; from now on the present one, if `now`. */
static int32_t touch(const struct writer *writer, struct rank *rank, const struct rb_range *range,
                     bool now)
{
    int32_t last = 0, *touched = &rank->touched[(int64_t)range->buffer * writer->form.room +
                                                inter_msccl_chunk(&writer->form, range)];
    for (int64_t i = 0; i < range->count; i++) {
        last = touched[i] > last ? touched[i] : last;
        touched[i] = now ? rank->number : touched[i];
    }
    return last;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The receive of what operation i sends; NULL if there is none. */
static struct rb_op *other_end(const struct writer *writer, const struct rank *rank, int32_t i)
{
    const struct rank *peer = &writer->rank[rank->round[i].peer];
    struct dep_messages left = dep_messages_of(peer->round, peer->count);
    struct dep_message in;
    int32_t first = i;
    while (!dep_begins(rank->round, first))
        first--;
    while (dep_next_message(&left, &in))
        if (in.ops->kind != RB_SEND && in.ops->peer == rank->state.rank &&
            in.ops->port == rank->round[i].port && i - first < in.count &&
            in.ops[i - first].at.count == rank->round[i].at.count)
            return &peer->round[in.ops - peer->round + i - first];
    return NULL;
}

/* Chooses where a send's blocks go. The receiver signals that they may, if it has not yet. */
static int choose_place(const struct writer *writer, struct rank *rank, int32_t i)
{
    struct rank *peer = &writer->rank[rank->round[i].peer];
    const struct rb_op *in = other_end(writer, rank, i);
    struct place *place = &rank->place[i];
    if (in == NULL)
        return sup_fail(writer->error, RB_EWRONG,
                        "the plan is wrong: rank %" PRId32 " does not receive what rank %" PRId32
                        " sends",
                        peer->state.rank, rank->state.rank);
    bool direct = in->kind == RB_RECV;
    for (int32_t k = 0; direct && peer->round[k].kind == RB_SEND; k++)
        direct = !rb_plan_overlap(writer->plan, &in->at, &peer->round[k].at);
    *place = direct
                 ? (struct place){in->at.buffer, inter_msccl_chunk(&writer->form, &in->at), false}
                 : (struct place){RB_TMP, peer->scratch, false};
    peer->place[in - peer->round] = (struct place){place->buffer, place->chunk, !direct};
    peer->scratch += direct ? 0 : (int32_t)in->at.count;
    place->then = (direct ? touch(writer, peer, &in->at, false) : 0) >
                  peer->told[channel_to(peer, rank->state.rank)];
    if (place->then)
        meet(peer, SIGNAL, rank->state.rank);
    return RB_OK;
}

static void send(const struct writer *writer, struct rank *rank)
{
    int32_t sends = 0;
    for (; sends < rank->count && rank->round[sends].kind == RB_SEND; sends++)
        if (rank->place[sends].then)
            meet(rank, WAIT, rank->round[sends].peer);
    for (int32_t i = 0; i < sends; i++) {
        put(writer, rank, i);
        touch(writer, rank, &rank->round[i].at, true);
    }
    for (int32_t i = 0; i < sends; i++)
        if (dep_begins(rank->round, i))
            meet(rank, SIGNAL, rank->round[i].peer);
}

static void receive(const struct writer *writer, struct rank *rank)
{
    for (int32_t i = 0; i < rank->count && !dep_is_local(&rank->round[i]); i++)
        if (rank->round[i].kind != RB_SEND && dep_begins(rank->round, i))
            meet(rank, WAIT, rank->round[i].peer);
    for (int32_t i = 0; i < rank->count; i++) {
        const struct rb_op *op = &rank->round[i];
        if (op->kind == RB_SEND)
            continue;
        if (dep_is_local(op))
            rank->place[i] =
                (struct place){op->from.buffer, inter_msccl_chunk(&writer->form, &op->from), true};
        if (rank->place[i].then)
            take(writer, rank, op, &rank->place[i]);
        touch(writer, rank, &op->at, true);
        if (dep_is_local(op))
            touch(writer, rank, &op->from, true);
    }
}

static int check_limits(const struct writer *writer, const struct rank *rank)
{
    const struct {
        const char *what;
        int32_t most, has;
    } limits[] = {
        {"channels of a threadblock", CHANNELS, rank->channels},
        {"remote buffers of a threadblock", BUFFERS, rank->buffers},
        {"semaphores between threadblocks of 64 operations", SEMAPHORES, rank->blocks},
        {"chunks of a buffer", INTER_MSCCLPP_CHUNKS, rank->scratch},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].has > limits[i].most)
            return inter_msccl_refuse("MSCCL++", limits[i].most, limits[i].what, rank->state.rank,
                                      writer->error);
    return RB_OK;
}

static int write_round(const struct writer *writer, int64_t t)
{
    const int32_t p = rb_plan_ranks(writer->plan);
    int status = RB_OK;
    char why[240];
    for (int32_t r = 0; r < p; r++) {
        struct rank *rank = &writer->rank[r];
        rank->count = rb_layout_checked_round(writer->plan, NULL, &rank->state, t, rank->round, why,
                                              sizeof why);
        if (rank->count < 0)
            return sup_fail(writer->error, rank->count, "the plan is wrong: %s", why);
        memset(rank->place, 0, (size_t)rank->count * sizeof *rank->place);
    }
    for (int32_t r = 0; r < p; r++)
        for (int32_t i = 0; status == RB_OK && i < writer->rank[r].count &&
                            writer->rank[r].round[i].kind == RB_SEND;
             i++)
            status = choose_place(writer, &writer->rank[r], i);
    for (int32_t r = 0; status == RB_OK && r < p; r++)
        send(writer, &writer->rank[r]);
    for (int32_t r = 0; status == RB_OK && r < p; r++) {
        receive(writer, &writer->rank[r]);
        status = check_limits(writer, &writer->rank[r]);
    }
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void begin_rank(const struct writer *writer, int32_t r)
{
    struct rank *rank = &writer->rank[r];
    const size_t ops = (size_t)rb_plan_max_ops(writer->plan);
    rank->stream = sup_memory_open(&rank->text, &rank->size);
    rank->touched = sup_calloc(RB_BUFFERS * (size_t)writer->form.room, sizeof *rank->touched);
    rank->round = sup_calloc(ops, sizeof *rank->round);
    rank->place = sup_calloc(ops, sizeof *rank->place);
    rank->scratch = rb_plan_has(writer->plan, RB_TMP) ? writer->form.scratch : 0;
    memset(rank->told, -1, sizeof rank->told);
    rb_plan_rank(writer->plan, r, &rank->state);
}

static void print_rank(const struct writer *writer, const struct rank *rank, FILE *stream)
{
    fprintf(stream,
            "%s\n {\"id\": %" PRId32 ", \"input_chunks\": %" PRId32 ", \"output_chunks\": %" PRId32
            ", \"scratch_chunks\": %" PRId32 ",\n  \"channels\": [{\"channel_type\": \"memory\", "
            "\"connected_to\": [",
            rank->state.rank == 0 ? "" : ",", rank->state.rank, writer->form.input,
            writer->form.output, rank->scratch);
    for (int32_t i = 0; i < rank->channels; i++)
        fprintf(stream, "%s%" PRId32, i == 0 ? "" : ", ", rank->peer[i]);
    fputs("]}],\n  \"remote_buffers\": [", stream);
    for (int32_t i = 0; i < rank->buffers; i++)
        fprintf(stream,
                "%s{\"rank\": %" PRId32
                ", \"type\": \"%c\", \"access_channel_types\": [\"memory\"]}",
                i == 0 ? "" : ", ", rank->buffer[i] / RB_BUFFERS,
                writer->form.letter[rank->buffer[i] % RB_BUFFERS]);
    fputs("],\n  \"semaphores\": [", stream);
    for (int32_t i = 1; i < rank->blocks; i++)
        fprintf(stream, "%s{\"init_value\": 0}", i == 1 ? "" : ", ");
    fprintf(stream, "],\n  \"threadblocks\": [%s]}", rank->text);
}

static void print_file(const struct writer *writer, FILE *stream)
{
    const struct rb_plan_spec spec = rb_plan_spec_of(writer->plan);
    fprintf(stream,
            "{\"name\": \"%s %s, p = %" PRId32 ", n = %" PRId64 ", root %" PRId32
            "\", \"collective\": \"%s\", \"protocol\": \"Simple\", \"inplace\": %s, \"root\": "
            "%" PRId32 ", \"gpus\": [",
            spec.collective, spec.algorithm, spec.p, spec.n, spec.root, writer->form.name,
            rb_plan_has(writer->plan, RB_SRC) ? "false" : "true", spec.root);
    for (int32_t r = 0; r < spec.p; r++)
        print_rank(writer, &writer->rank[r], stream);
    fputs("]}\n", stream);
}

int inter_mscclpp_write(const struct rb_plan *plan, FILE *stream, struct sup_error *error)
{
    struct writer writer = {.plan = plan, .error = error};
    const int32_t p = rb_plan_ranks(plan);
    int status = inter_msccl_form(plan, "MSCCL++", INTER_MSCCLPP_CHUNKS, &writer.form, error);
    if (status == RB_OK && rb_plan_spec_of(plan).ordered)
        status =
            sup_fail(error, RB_EINVAL, "MSCCL++ combines operands in any order, not in rank order");
    if (status == RB_OK && p > RANKS)
        status = sup_fail(error, RB_EINVAL, "memory channels are for at most %d ranks here", RANKS);
    if (status != RB_OK)
        return status;
    writer.rank = sup_calloc((size_t)p, sizeof *writer.rank);
    for (int32_t r = 0; r < p; r++)
        begin_rank(&writer, r);
    for (int64_t t = 0; status == RB_OK && t < rb_plan_rounds(plan); t++)
        status = write_round(&writer, t);
    for (int32_t r = 0; r < p; r++) {
        if (writer.rank[r].operations > 0)
            end_block(&writer.rank[r]);
        sup_memory_close(writer.rank[r].stream, &writer.rank[r].text);
    }
    if (status == RB_OK)
        print_file(&writer, stream);
    for (int32_t r = 0; r < p; r++) {
        free(writer.rank[r].text);
        free(writer.rank[r].touched);
        free(writer.rank[r].round);
        free(writer.rank[r].place);
    }
    free(writer.rank);
    return status;
}
