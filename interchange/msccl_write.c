/* msccl_write.c - plans as MSCCL XML; see msccl_xml.h.
 *
 * The rounds of a rank become steps in one order: a round's sends, which read the state at its
 * start, then its receives, then its local operations. A step waits for the earlier steps of other
 * threadblocks that wrote what it reads or writes, or read what it writes. Clocks leave out those
 * for which it waits by way of others. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/msccl_xml.h"
#include "support/memory.h"

enum { MOST_THREADS = INTER_MSCCL_THREADBLOCKS };

struct thread {
    enum rb_op_kind kind; /* RB_SEND, RB_RECV; RB_COPY: local operations */
    int32_t peer, port;
    int32_t steps; /* in the file, with nops */
    int32_t last;  /* step; -1: none */
};

struct step {
    const char *type;
    enum rb_buffer from_buffer, at_buffer;
    int32_t from, at, count; /* chunks; -1: reads nothing, writes nothing */
    int32_t thread, number;  /* of the step in the file */
    int32_t waits[MOST_THREADS];
    int32_t waits_count;
    int32_t clock[MOST_THREADS]; /* the steps known to be complete before it, plus 1 */
    bool waited_for;
};

struct writer {
    const struct rb_plan *plan;
    FILE *stream;
    struct sup_error *error;
    struct inter_msccl_form form;
    int32_t rank, scratch, threads, steps; /* scratch: chunks used */
    struct thread thread[MOST_THREADS];
    struct step *step; /* owned */
    int32_t *wrote;    /* per buffer and chunk, the step that wrote it last, plus 1; owned */
    int32_t *reads;    /* and per thread, the last that has read it since, plus 1; owned */
};

/* ---- What formats of chunks have in common ---- */

/* A collective's name there, the buffer for what is in DST, and which buffers have a p-th of it. */
static const struct form {
    const char *name, *msccl;
    char dst;
    bool in_parts, out_parts;
} forms[] = {
    {"bcast", "broadcast", 'o', false, false},
    {"reduce", "reduce", 'i', false, false},
    {"allreduce", "allreduce", 'i', false, false},
    {"allgather", "allgather", 'o', true, false},
    {"reduce-scatter", "reducescatter", 'i', false, true},
    {"alltoall", "alltoall", 'o', false, false},
};

int inter_msccl_refuse(const char *format, int32_t most, const char *what, int32_t rank,
                       struct sup_error *error)
{
    return sup_fail(error, RB_EINVAL,
                    "%s refuses more than %" PRId32 " %s, which rank %" PRId32 " would have",
                    format, most, what, rank);
}

int inter_msccl_form(const struct rb_plan *plan, const char *format, int32_t most,
                     struct inter_msccl_form *form, struct sup_error *error)
{
    const char *name = rb_plan_collective(plan)->name;
    const int64_t each = rb_plan_blocks(plan) / rb_plan_parts(plan), owners = rb_plan_owners(plan);
    const int64_t tmp = rb_plan_rows(plan, RB_TMP), rows = tmp > owners ? tmp : owners;
    size_t i = 0;
    while (i < sizeof forms / sizeof forms[0] && strcmp(forms[i].name, name) != 0)
        i++;
    if (i == sizeof forms / sizeof forms[0])
        return sup_fail(error, RB_EINVAL, "%s has no %s", format, name);
    if (each > most / rows)
        return inter_msccl_refuse(format, most, "chunks of a buffer", 0, error);
    const int32_t all = (int32_t)(owners * each), part = all / rb_plan_ranks(plan);
    *form = (struct inter_msccl_form){plan,
                                      forms[i].msccl,
                                      {'i', forms[i].dst, 's'},
                                      all,
                                      (int32_t)(rows * each),
                                      (int32_t)(tmp * each),
                                      forms[i].in_parts ? part : all,
                                      forms[i].out_parts ? part : all};
    return RB_OK;
}

int32_t inter_msccl_chunk(const struct inter_msccl_form *form, const struct rb_range *range)
{
    const struct rb_location location = rb_plan_location(form->plan, range);
    const int64_t row = rb_plan_owners(form->plan) == 1 ? 0 : location.row;
    const int64_t each = rb_plan_blocks(form->plan) / rb_plan_parts(form->plan);
    return (int32_t)(row * each + location.first);
}

static int refuse(const struct writer *writer, const char *what, int32_t most)
{
    return inter_msccl_refuse("MSCCL", most, what, writer->rank, writer->error);
}

/* ---- What a step waits for ------------------------------------------------------------------- */

static int32_t *wrote(const struct writer *writer, enum rb_buffer buffer, int32_t chunk)
{
    return &writer->wrote[(int64_t)buffer * writer->form.room + chunk];
}
static int32_t *reads(const struct writer *writer, enum rb_buffer buffer, int32_t chunk)
{
    return &writer->reads[((int64_t)buffer * writer->form.room + chunk) * MOST_THREADS];
}

static void need(const struct writer *writer, int32_t needed[], int32_t step)
{
    if (step > 0 && needed[writer->step[step - 1].thread] < step)
        needed[writer->step[step - 1].thread] = step;
}

static void find_needs(const struct writer *writer, const struct step *step, int32_t needed[])
{
    for (int32_t i = 0; i < step->count; i++) {
        if (step->from >= 0)
            need(writer, needed, *wrote(writer, step->from_buffer, step->from + i));
        if (step->at < 0)
            continue;
        need(writer, needed, *wrote(writer, step->at_buffer, step->at + i));
        for (int32_t thread = 0; thread < writer->threads; thread++)
            need(writer, needed, reads(writer, step->at_buffer, step->at + i)[thread]);
    }
}

static void note_access(const struct writer *writer, const struct step *step)
{
    const int32_t number = writer->steps + 1;
    for (int32_t i = 0; i < step->count; i++) {
        if (step->from >= 0)
            reads(writer, step->from_buffer, step->from + i)[step->thread] = number;
        if (step->at < 0)
            continue;
        *wrote(writer, step->at_buffer, step->at + i) = number;
        memset(reads(writer, step->at_buffer, step->at + i), 0, MOST_THREADS * sizeof(int32_t));
    }
}

/* Waits for the latest needed step first, which may be behind others that are needed. */
static void wait_for(const struct writer *writer, struct step *step, const int32_t needed[])
{
    for (;;) {
        int32_t latest = 0;
        for (int32_t thread = 0; thread < writer->threads; thread++)
            if (needed[thread] > step->clock[thread] && needed[thread] > latest)
                latest = needed[thread];
        if (latest == 0)
            return;
        struct step *other = &writer->step[latest - 1];
        other->waited_for = true;
        step->waits[step->waits_count++] = latest - 1;
        for (int32_t thread = 0; thread < writer->threads; thread++)
            if (step->clock[thread] < other->clock[thread])
                step->clock[thread] = other->clock[thread];
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The threadblock of a message or local operation, made if there is none. */
static int32_t thread_of(struct writer *writer, const struct rb_op *op)
{
    static const enum rb_op_kind kinds[RB_OP_KINDS] = {[RB_SEND] = RB_SEND,
                                                       [RB_RECV] = RB_RECV,
                                                       [RB_RECV_REDUCE] = RB_RECV,
                                                       [RB_COPY] = RB_COPY,
                                                       [RB_REDUCE] = RB_COPY};
    const struct thread thread = {kinds[op->kind], op->peer, op->port, 0, -1};
    int32_t i = 0;
    while (i < writer->threads &&
           (writer->thread[i].kind != thread.kind || writer->thread[i].peer != thread.peer ||
            writer->thread[i].port != thread.port))
        i++;
    if (i == writer->threads && i < MOST_THREADS)
        writer->thread[writer->threads++] = thread;
    return i;
}

/* Adds a step, of which the kind of data and the thread are known. */
static int add_step(struct writer *writer, struct step *step)
{
    struct thread *thread = &writer->thread[step->thread];
    int32_t needed[MOST_THREADS] = {0};
    if (thread->last >= 0)
        memcpy(step->clock, writer->step[thread->last].clock, sizeof step->clock);
    find_needs(writer, step, needed);
    wait_for(writer, step, needed);
    step->number = thread->steps + (step->waits_count > 1 ? step->waits_count - 1 : 0);
    thread->steps = step->number + 1;
    if (thread->steps > INTER_MSCCL_STEPS)
        return refuse(writer, "steps of a threadblock", INTER_MSCCL_STEPS);
    step->clock[step->thread] = writer->steps + 1;
    note_access(writer, step);
    thread->last = writer->steps;
    sup_grow(&writer->step, (size_t)writer->steps, sizeof *writer->step);
    writer->step[writer->steps++] = *step;
    return RB_OK;
}

static int32_t chunk_of(struct writer *writer, const struct rb_range *range)
{
    const int32_t first = inter_msccl_chunk(&writer->form, range);
    if (range->buffer == RB_TMP && first + range->count > writer->scratch)
        writer->scratch = (int32_t)(first + range->count);
    return first;
}

static int add_op(struct writer *writer, const struct rb_op *op)
{
    static const char *const types[RB_OP_KINDS] = {[RB_SEND] = "s",
                                                   [RB_RECV] = "r",
                                                   [RB_RECV_REDUCE] = "rrc",
                                                   [RB_COPY] = "cpy",
                                                   [RB_REDUCE] = "re"};
    const bool local = op->kind == RB_COPY || op->kind == RB_REDUCE;
    struct rb_range from = local ? op->from : op->at;
    from.count = op->at.count;
    const int32_t first = chunk_of(writer, &from), at = chunk_of(writer, &op->at);
    const int32_t thread = thread_of(writer, op);
    if (thread == MOST_THREADS)
        return refuse(writer, "threadblocks", MOST_THREADS);
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && i < op->at.count; i += INTER_RCCL_COUNT) {
        const int32_t left = (int32_t)op->at.count - i;
        struct step step = {.type = types[op->kind],
                            .thread = thread,
                            .from_buffer = from.buffer,
                            .at_buffer = op->at.buffer,
                            .from = op->kind == RB_RECV ? -1 : first + i,
                            .at = op->kind == RB_SEND ? -1 : at + i,
                            .count = left < INTER_RCCL_COUNT ? left : INTER_RCCL_COUNT};
        status = add_step(writer, &step);
    }
    return status;
}

static int add_rounds(struct writer *writer, struct rb_op ops[])
{
    struct rb_rank state;
    char why[240];
    rb_plan_rank(writer->plan, writer->rank, &state);
    for (int64_t t = rb_plan_next(writer->plan, &state, 0); t < rb_plan_rounds(writer->plan);
         t = rb_plan_next(writer->plan, &state, t + 1)) {
        const int32_t count =
            rb_layout_checked_round(writer->plan, NULL, &state, t, ops, why, sizeof why);
        if (count < 0)
            return sup_fail(writer->error, count, "the plan is wrong: %s", why);
        for (int32_t i = 0; i < count; i++) {
            const int status = add_op(writer, &ops[i]);
            if (status != RB_OK)
                return status;
        }
    }
    return RB_OK;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void print_step(const struct writer *writer, const struct step *step)
{
    const char *letters = writer->form.letter;
    const int32_t nops = step->waits_count > 1 ? step->waits_count - 1 : 0;
    for (int32_t i = 0; i <= nops; i++) {
        const bool nop = i < nops;
        const struct step *other = i < step->waits_count ? &writer->step[step->waits[i]] : NULL;
        const int32_t from = step->from < 0 ? step->at : step->from;
        const int32_t at = step->at < 0 ? step->from : step->at;
        fprintf(writer->stream,
                "      <step s=\"%" PRId32 "\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%" PRId32
                "\" dstbuf=\"%c\" dstoff=\"%" PRId32 "\" cnt=\"%" PRId32 "\" depid=\"%" PRId32
                "\" deps=\"%" PRId32 "\" hasdep=\"%d\"/>\n",
                step->number - nops + i, nop ? "nop" : step->type, letters[step->from_buffer],
                nop ? -1 : from, letters[step->at_buffer], nop ? -1 : at, nop ? 0 : step->count,
                other == NULL ? -1 : other->thread, other == NULL ? -1 : other->number,
                !nop && step->waited_for);
    }
}

static void print_rank(const struct writer *writer)
{
    fprintf(writer->stream,
            "  <gpu id=\"%" PRId32 "\" i_chunks=\"%" PRId32 "\" o_chunks=\"%" PRId32
            "\" s_chunks=\"%" PRId32 "\">\n",
            writer->rank, writer->form.input, writer->form.output, writer->scratch);
    for (int32_t i = 0; i < writer->threads; i++) {
        const struct thread *thread = &writer->thread[i];
        fprintf(writer->stream,
                "    <tb id=\"%" PRId32 "\" send=\"%" PRId32 "\" recv=\"%" PRId32
                "\" chan=\"%" PRId32 "\">\n",
                i, thread->kind == RB_SEND ? thread->peer : -1,
                thread->kind == RB_RECV ? thread->peer : -1, thread->port);
        for (int32_t k = 0; k < writer->steps; k++)
            if (writer->step[k].thread == i)
                print_step(writer, &writer->step[k]);
        fputs("    </tb>\n", writer->stream);
    }
    fputs("  </gpu>\n", writer->stream);
}

static void print_head(const struct writer *writer)
{
    const struct rb_plan *plan = writer->plan;
    char name[64];
    snprintf(name, sizeof name, "%s", rb_plan_algorithm(plan)->name);
    for (char *letter = name; *letter != '\0'; letter++)
        if (!isalnum((unsigned char)*letter))
            *letter = '_';
    fprintf(writer->stream,
            "<algo name=\"%s\" proto=\"Simple\" nchannels=\"%" PRId32 "\" nchunksperloop=\"%" PRId32
            "\" ngpus=\"%" PRId32 "\" coll=\"%s\" inplace=\"%d\" outofplace=\"%d\" "
            "minBytes=\"0\" maxBytes=\"0\">\n",
            name, rb_plan_ports(plan), writer->form.chunks, rb_plan_ranks(plan), writer->form.name,
            !rb_plan_has(plan, RB_SRC), rb_plan_has(plan, RB_SRC));
}

static int write_rank(struct writer *writer, struct rb_op ops[])
{
    const size_t chunks = (size_t)RB_BUFFERS * (size_t)writer->form.room;
    writer->threads = writer->steps = writer->scratch = 0;
    writer->wrote = sup_calloc(chunks, sizeof *writer->wrote);
    writer->reads = sup_calloc(chunks * MOST_THREADS, sizeof *writer->reads);
    const int status = add_rounds(writer, ops);
    if (status == RB_OK)
        print_rank(writer);
    free(writer->wrote);
    free(writer->reads);
    return status;
}

int inter_msccl_write(const struct rb_plan *plan, FILE *stream, struct sup_error *error)
{
    struct writer *writer = sup_calloc(1, sizeof *writer);
    *writer = (struct writer){.plan = plan, .stream = stream, .error = error};
    struct rb_op *ops = sup_reallocarray(NULL, (size_t)rb_plan_max_ops(plan), sizeof *ops);
    int status = inter_msccl_form(plan, "MSCCL", INTER_RCCL_CHUNKS, &writer->form, error);
    if (status == RB_OK && rb_plan_ports(plan) > INTER_RCCL_CHANNELS)
        status = refuse(writer, "channels", INTER_RCCL_CHANNELS);
    if (status == RB_OK)
        print_head(writer);
    for (int32_t rank = 0; status == RB_OK && rank < rb_plan_ranks(plan); rank++) {
        writer->rank = rank;
        status = write_rank(writer, ops);
    }
    if (status == RB_OK)
        fputs("</algo>\n", stream);
    free(ops);
    free(writer->step);
    free(writer);
    return status;
}
