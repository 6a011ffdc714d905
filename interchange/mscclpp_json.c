/* mscclpp_json.c - see msccl_xml.h.
 *
 *   gpus[r]: input_chunks, output_chunks, scratch_chunks
 *     channels          peers by type; the k-th to a peer is joined with its k-th to this rank
 *     remote_buffers    other ranks' buffers
 *     threadblocks[b]   lists of some of the rank's channels and remote buffers, and ops
 *       ops[i]          name, src_buff, dst_buff, channel_ids: places in the threadblock's lists
 */
#include "interchange/msccl_xml.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/interchange.h"
#include "roundabout.h"
#include "support/memory.h"

enum { MOST_RANKS = 1 << 16, MOST_PARTS = 64, MOST_SIGNALS = 1 << 10 };

/* The steps of a thread, until all of the rank are known. */
struct list {
    struct prg_step *step;
    int32_t steps;
};

/* A threadblock at a barrier: it has two steps. */
struct meeting {
    json_int_t barrier, blocks; /* blocks: how many must come */
    int32_t thread, step;
};

struct reader {
    const char *path;
    struct sup_error *error;
    struct prg_program *program;
    json_t *gpus;
    int32_t parts; /* of a chunk, so that groups of threadblocks can share it */
    /* The present place: */
    const json_t *gpu, *block, *op;
    int32_t rank, thread;
    size_t number; /* the operation's */
    /* Of the rank: threadblocks, then port channels, then one that makes semaphores' first values.
     */
    struct list *list;
    int32_t lists, blocks;
    struct meeting *meeting;
    size_t meetings;
};

/* Slots of a rank. */
struct place {
    int32_t rank, slot, count;
};

static int fail(const struct reader *reader, const char *what, const char *name)
{
    const char *op = json_string_value(json_object_get(reader->op, "name"));
    if (reader->op != NULL)
        return sup_fail(reader->error, RB_EINVAL,
                        "%.180s: gpus[%d].threadblocks[%d].ops[%zu] (%.20s): %s%.40s", reader->path,
                        (int)reader->rank, (int)reader->thread, reader->number,
                        op == NULL ? "without a name" : op, what, name);
    return sup_fail(reader->error, RB_EINVAL, "%.180s: gpus[%d]: %s%.40s", reader->path,
                    (int)reader->rank, what, name);
}

/* A number that is whole and not negative; -1 for all else. */
static json_int_t whole(const json_t *number)
{
    const double value = json_is_real(number) ? json_real_value(number) : -1;
    return value >= 0 && value < 0x1p53 && value == (double)(json_int_t)value ? (json_int_t)value
                                                                              : -1;
}

static int take_integer(const struct reader *reader, const json_t *object, const char *key,
                        json_int_t most, json_int_t *value)
{
    const json_t *number = json_object_get(object, key);
    *value = whole(number);
    return *value >= 0 && *value <= most ? RB_OK
                                         : fail(reader, "no number, or none that can be: ", key);
}

static bool has_text(const json_t *object, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL && strcmp(value, text) == 0;
}

/* Item n of those entries of a list that have this type, counted through; NULL if there is none. */
static json_t *find_item(const json_t *list, const char *type_key, const char *type,
                         const char *items_key, json_int_t n, const json_t **entry)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *items = json_object_get(json_array_get(list, i), items_key);
        if (!has_text(json_array_get(list, i), type_key, type))
            continue;
        if (n >= 0 && n < (json_int_t)json_array_size(items)) {
            *entry = json_array_get(list, i);
            return json_array_get(items, (size_t)n);
        }
        n -= (json_int_t)json_array_size(items);
    }
    return NULL;
}

static const char *channel_type(const struct reader *reader)
{
    const char *type = json_string_value(json_object_get(reader->op, "channel_type"));
    return type == NULL ? "memory" : type;
}

static bool is_on_port(const struct reader *reader)
{
    return strcmp(channel_type(reader), "port") == 0;
}

/* ---- Steps ---- */

/* Returns the step's place in the thread. */
static int32_t add_step(struct reader *reader, int32_t thread, struct prg_step step)
{
    struct list *list = &reader->list[thread];
    sup_grow(&list->step, (size_t)list->steps, sizeof *list->step);
    list->step[list->steps] = step;
    return list->steps++;
}

/* A step of the threadblock; or of the port's thread, which the threadblock lets begin. */
static void add_on(struct reader *reader, int32_t thread, struct prg_step step)
{
    if (thread != reader->thread) {
        step.dep_thread = reader->thread;
        step.dep_step = add_step(reader, reader->thread, prg_step_of(reader->rank));
    }
    add_step(reader, thread, step);
}

static void add_move(struct reader *reader, int32_t thread, struct place from, struct place at,
                     bool combines)
{
    struct prg_step step = prg_step_of(reader->rank);
    step.from_rank = from.rank;
    step.from = from.slot;
    step.at_rank = at.rank;
    step.at = at.slot;
    step.count = at.count;
    step.combines = combines;
    add_on(reader, thread, step);
}

static int32_t signal_fifo(struct reader *reader, int32_t from, int32_t to, int32_t channel)
{
    const int32_t fifo = prg_fifo_of(reader->program, from, to, channel, true);
    sup_had_memory(fifo != PRG_NONE);
    return fifo;
}

/* ---- Channels and buffers ---- */

struct channel {
    int32_t peer, number; /* among the rank's of this type to this peer */
    int32_t thread;       /* of its steps */
};

static int find_channel(struct reader *reader, size_t i, struct channel *channel)
{
    const char *type = channel_type(reader);
    const json_t *ids = json_object_get(reader->op, "channel_ids"), *entry, *item;
    const json_t *channels = json_object_get(reader->gpu, "channels");
    const json_t *id = find_item(json_object_get(reader->block, "channels"), "channel_type", type,
                                 "channel_ids", whole(json_array_get(ids, i)), &entry);
    const json_t *peer =
        find_item(channels, "channel_type", type, "connected_to", whole(id), &entry);
    const json_int_t rank = whole(peer);
    if (i >= json_array_size(ids) || whole(id) < 0 || rank < 0 || rank >= reader->program->ranks ||
        rank == reader->rank)
        return fail(reader, "there is no such channel to another rank", "");
    *channel = (struct channel){(int32_t)rank, 0, reader->thread};
    for (json_int_t k = 0; k < whole(id); k++) {
        item = find_item(channels, "channel_type", type, "connected_to", k, &entry);
        channel->number += whole(item) == rank;
    }
    if (is_on_port(reader))
        channel->thread = reader->blocks + (int32_t)whole(id);
    return RB_OK;
}

static int buffer_of(const json_t *object, const char *key)
{
    for (int i = 0; i < PRG_BUFFERS; i++)
        if (has_text(object, key, (const char *const[]){"i", "o", "s"}[i]))
            return i;
    return PRG_NONE;
}

/* The slots of a buffer, or this threadblock's share of them. */
static int find_slots(const struct reader *reader, const json_t *at, json_int_t rank, int buffer,
                      struct place *place)
{
    json_int_t index, size, block = 0, blocks = 1;
    const json_t *group = json_object_get(reader->op, "tbg_info");
    if (buffer == PRG_NONE || rank < 0 || rank >= reader->program->ranks)
        return fail(reader, "there is no such buffer", "");
    const struct prg_memory *memory = &reader->program->memory[rank];
    const int32_t chunks = memory->chunks[buffer] / reader->parts;
    int status = take_integer(reader, at, "index", chunks - 1, &index);
    if (status == RB_OK)
        status = take_integer(reader, at, "size", chunks - index, &size);
    if (status == RB_OK && group != NULL)
        status = take_integer(reader, group, "tbg_size", MOST_PARTS, &blocks);
    if (status == RB_OK && group != NULL)
        status = take_integer(reader, group, "tb_id", blocks - 1, &block);
    if (status != RB_OK)
        return status;
    const int32_t share = (int32_t)size * reader->parts / (int32_t)blocks;
    *place = (struct place){
        (int32_t)rank,
        memory->base[buffer] + (int32_t)index * reader->parts + (int32_t)block * share, share};
    return RB_OK;
}

/* Item i of src_buff or dst_buff: of the rank, or by its number another's. */
static int find_place(const struct reader *reader, const char *key, size_t i, struct place *place)
{
    const json_t *at = json_array_get(json_object_get(reader->op, key), i), *entry;
    const json_t *number = json_object_get(at, "buffer_id");
    if (number == NULL)
        return find_slots(reader, at, reader->rank, buffer_of(at, "type"), place);
    const json_t *id =
        find_item(json_object_get(reader->block, "remote_buffer_refs"), "access_channel_type",
                  channel_type(reader), "remote_buffer_ids", whole(number), &entry);
    const json_t *remote =
        whole(id) < 0
            ? NULL
            : json_array_get(json_object_get(reader->gpu, "remote_buffers"), (size_t)whole(id));
    const json_t *rank = json_object_get(remote, "rank");
    return find_slots(reader, at, whole(rank), buffer_of(remote, "type"), place);
}

static size_t count_of(const struct reader *reader, const char *key)
{
    return json_array_size(json_object_get(reader->op, key));
}

/* ---- Operations ---- */

static int add_nothing(struct reader *reader, int unused)
{
    (void)reader;
    (void)unused;
    return RB_OK;
}

static int add_signal_on(struct reader *reader, size_t i, bool relaxed)
{
    struct channel channel;
    struct prg_step step = prg_step_of(reader->rank);
    const int status = find_channel(reader, i, &channel);
    if (status != RB_OK)
        return status;
    step.out =
        signal_fifo(reader, reader->rank, channel.peer, 2 * channel.number + is_on_port(reader));
    step.relaxed = relaxed;
    add_on(reader, channel.thread, step);
    return RB_OK;
}

static int add_signals(struct reader *reader, int relaxed)
{
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && i < count_of(reader, "channel_ids"); i++)
        status = add_signal_on(reader, i, relaxed != 0);
    return status;
}

static int add_waits(struct reader *reader, int relaxed)
{
    for (size_t i = 0; i < count_of(reader, "channel_ids"); i++) {
        struct channel channel;
        struct prg_step step = prg_step_of(reader->rank);
        const int status = find_channel(reader, i, &channel);
        if (status != RB_OK)
            return status;
        step.in = signal_fifo(reader, channel.peer, reader->rank,
                              2 * channel.number + is_on_port(reader));
        step.relaxed = relaxed != 0;
        add_step(reader, reader->thread, step);
    }
    return RB_OK;
}

/* Waits for what the port's thread has got to do until now. */
static int add_flush_of(struct reader *reader, size_t i)
{
    struct channel channel;
    struct prg_step step = prg_step_of(reader->rank);
    const int status = find_channel(reader, i, &channel);
    if (status != RB_OK || channel.thread == reader->thread ||
        reader->list[channel.thread].steps == 0)
        return status;
    step.dep_thread = channel.thread;
    step.dep_step = reader->list[channel.thread].steps - 1;
    add_step(reader, reader->thread, step);
    return RB_OK;
}

static int add_flushes(struct reader *reader, int unused)
{
    int status = RB_OK;
    (void)unused;
    for (size_t i = 0; status == RB_OK && i < count_of(reader, "channel_ids"); i++)
        status = add_flush_of(reader, i);
    return status;
}

enum { THEN_SIGNAL = 1, THEN_FLUSH = 2 };

/* The channel of move i, which a port must have; in memory there may be none, or one for several
 * moves. It leads to the rank of the other buffer. */
static int find_way(struct reader *reader, size_t i, struct place from, struct place at,
                    struct channel *channel)
{
    const int32_t other = at.rank != reader->rank ? at.rank : from.rank;
    const size_t ids = count_of(reader, "channel_ids");
    *channel = (struct channel){.thread = reader->thread};
    if (!is_on_port(reader) && ids == 0)
        return RB_OK;
    const int status = find_channel(reader, is_on_port(reader) || i < ids ? i : ids - 1, channel);
    return status == RB_OK && channel->peer != other && (is_on_port(reader) || i < ids)
               ? fail(reader, "the channel leads to another rank than the buffer's", "")
               : status;
}

/* From each src_buff to its dst_buff. */
static int add_moves(struct reader *reader, int then)
{
    const size_t count = count_of(reader, "dst_buff");
    if (count == 0 || count_of(reader, "src_buff") != count)
        return fail(reader, "src_buff and dst_buff differ in number", "");
    if (then != 0 && !is_on_port(reader))
        return fail(reader, "only a port's put signals", "");
    for (size_t i = 0; i < count; i++) {
        struct place from, at;
        struct channel channel;
        int status = find_place(reader, "src_buff", i, &from);
        if (status == RB_OK)
            status = find_place(reader, "dst_buff", i, &at);
        if (status == RB_OK)
            status = find_way(reader, i, from, at, &channel);
        if (status == RB_OK && from.count != at.count)
            status = fail(reader, "src_buff and dst_buff differ in size", "");
        if (status != RB_OK)
            return status;
        add_move(reader, channel.thread, from, at, false);
        if ((then & THEN_SIGNAL) != 0)
            status = add_signal_on(reader, i, false);
        if (status == RB_OK && (then & THEN_FLUSH) != 0)
            status = add_flush_of(reader, i);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

/* All src_buff combined into the first dst_buff, and then put into the others. */
static int add_reduction(struct reader *reader, int unused)
{
    const size_t sources = count_of(reader, "src_buff");
    struct place at, place;
    size_t base = 0;
    int status = find_place(reader, "dst_buff", 0, &at);
    (void)unused;
    for (size_t i = 0; status == RB_OK && i < sources; i++) {
        status = find_place(reader, "src_buff", i, &place);
        if (status == RB_OK && place.count != at.count)
            status = fail(reader, "src_buff and dst_buff differ in size", "");
        if (status == RB_OK && place.rank == at.rank && place.slot == at.slot)
            base = i; /* it is there already */
    }
    for (size_t k = 0; status == RB_OK && k < sources; k++) {
        const size_t i = k == 0 ? base : k <= base ? k - 1 : k; /* the base first */
        status = find_place(reader, "src_buff", i, &place);
        if (status == RB_OK && (k > 0 || place.rank != at.rank || place.slot != at.slot))
            add_move(reader, reader->thread, place, at, k > 0);
    }
    for (size_t i = 1; status == RB_OK && i < count_of(reader, "dst_buff"); i++) {
        status = find_place(reader, "dst_buff", i, &place);
        if (status == RB_OK && place.count != at.count)
            status = fail(reader, "dst_buff differ in size", "");
        if (status == RB_OK)
            add_move(reader, reader->thread, at, place, false);
    }
    return status;
}

/* On a switch: what is stored there is stored by all ranks of the group; what is loaded, combined.
 */
static int add_multimem(struct reader *reader, int loads)
{
    struct prg_memory *memory = &reader->program->memory[reader->rank];
    const json_t *to = json_array_get(json_object_get(reader->op, "dst_buff"), 0);
    const json_t *from = json_array_get(json_object_get(reader->op, "src_buff"), 0), *entry = NULL;
    const json_t *id =
        find_item(json_object_get(reader->block, "channels"), "channel_type", "switch",
                  "channel_ids", whole(json_object_get(to, "switch_channel_id")), &entry);
    const json_t *group = find_item(json_object_get(reader->gpu, "channels"), "channel_type",
                                    "switch", "rank_groups", whole(id), &entry);
    const json_t *ranks = json_object_get(group, "ranks");
    const int buffer =
        buffer_of(entry, json_object_get(entry, "buff") != NULL ? "buff" : "buffer_type");
    struct place value, place;
    int status = loads ? find_slots(reader, from, reader->rank, buffer, &value)
                       : find_place(reader, "src_buff", 0, &value);
    if (status == RB_OK && json_array_size(ranks) == 0)
        status = fail(reader, "there is no such switch channel", "");
    if (status == RB_OK && loads && memory->slots > INT32_MAX - value.count)
        status = fail(reader, "too many chunks", "");
    if (status == RB_OK && loads) { /* into slots of its own */
        value = (struct place){reader->rank, memory->slots, value.count};
        memory->slots += value.count;
    }
    for (size_t i = 0; status == RB_OK && i < (loads ? 2 : 1) * json_array_size(ranks); i++) {
        const bool load = loads && i < json_array_size(ranks);
        status =
            find_slots(reader, load ? from : to,
                       whole(json_array_get(ranks, i % json_array_size(ranks))), buffer, &place);
        if (status == RB_OK && place.count != value.count)
            status = fail(reader, "src_buff and dst_buff differ in size", "");
        if (status == RB_OK)
            add_move(reader, reader->thread, load ? place : value, load ? value : place,
                     load && i > 0);
    }
    return status;
}

static int add_barrier(struct reader *reader, int unused)
{
    struct meeting meeting = {.thread = reader->thread};
    int status = take_integer(reader, reader->op, "barrier_id", INT32_MAX, &meeting.barrier);
    (void)unused;
    if (status == RB_OK)
        status = take_integer(reader, reader->op, "num_threadblocks", INT32_MAX, &meeting.blocks);
    if (status != RB_OK)
        return status;
    meeting.step = add_step(reader, reader->thread, prg_step_of(reader->rank));
    add_step(reader, reader->thread, prg_step_of(reader->rank));
    sup_grow(&reader->meeting, reader->meetings, sizeof *reader->meeting);
    reader->meeting[reader->meetings++] = meeting;
    return RB_OK;
}

static int add_semaphore(struct reader *reader, int acquires)
{
    const json_t *ids = json_object_get(reader->op, "semaphore_ids");
    const json_int_t count =
        (json_int_t)json_array_size(json_object_get(reader->gpu, "semaphores"));
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const json_int_t id = whole(json_array_get(ids, i));
        struct prg_step step = prg_step_of(reader->rank);
        if (id < 0 || id >= count)
            return fail(reader, "there is no such semaphore", "");
        *(acquires ? &step.in : &step.out) =
            signal_fifo(reader, reader->rank, reader->rank, (int32_t)id);
        add_step(reader, reader->thread, step);
    }
    return RB_OK;
}

static const struct kind {
    const char *name;
    int (*add)(struct reader *reader, int variant);
    int variant;
} kinds[] = {
    {"nop", add_nothing, 0},
    {"signal", add_signals, false},
    {"rlxsignal", add_signals, true},
    {"wait", add_waits, false},
    {"rlxwait", add_waits, true},
    {"flush", add_flushes, 0},
    {"put", add_moves, 0},
    {"pws", add_moves, THEN_SIGNAL},
    {"pwsf", add_moves, THEN_SIGNAL | THEN_FLUSH},
    {"get", add_moves, 0},
    {"copy", add_moves, 0},
    {"re", add_reduction, 0},
    {"res", add_reduction, 0},
    {"rre", add_reduction, 0},
    {"rres", add_reduction, 0},
    {"glres", add_multimem, true},
    {"gstore", add_multimem, false},
    {"barrier", add_barrier, 0},
    {"sem_acquire", add_semaphore, true},
    {"sem_release", add_semaphore, false},
};

static int add_operation(struct reader *reader)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_text(reader->op, "name", kinds[i].name))
            return kinds[i].add(reader, kinds[i].variant);
    return fail(reader, "an operation that is not known here", "");
}

static int add_block(struct reader *reader)
{
    const json_t *ops = json_object_get(reader->block, "ops");
    int status = RB_OK;
    for (reader->number = 0; status == RB_OK && reader->number < json_array_size(ops);
         reader->number++) {
        const json_t *op = reader->op = json_array_get(ops, reader->number);
        const json_t *inner = json_object_get(op, "ops");
        if (!has_text(op, "name", "pipeline"))
            status = add_operation(reader);
        else
            for (size_t i = 0; status == RB_OK && i < json_array_size(inner); i++) {
                reader->op = json_array_get(inner, i);
                status = add_operation(reader);
            }
        if (status != RB_OK)
            return status;
    }
    reader->op = NULL;
    return RB_OK;
}

/* ---- A rank ---- */

/* Those who meet for the k-th time wait in a chain for the preceding one, and then all for the
 * last. */
static int join_meetings(struct reader *reader)
{
    for (size_t i = 0; i < reader->meetings; i++) {
        const struct meeting first = reader->meeting[i];
        int32_t last = (int32_t)i, seen = 0;
        if (first.thread < 0)
            continue;
        for (size_t k = i; k < reader->meetings; k++) {
            const struct meeting *other = &reader->meeting[k];
            if (other->thread < 0 || other->barrier != first.barrier ||
                (seen > 0 && other->thread <= reader->meeting[last].thread))
                continue;
            if (seen++ > 0) {
                struct prg_step *step = &reader->list[other->thread].step[other->step];
                step->dep_thread = reader->meeting[last].thread;
                step->dep_step = reader->meeting[last].step;
            }
            last = (int32_t)k;
        }
        if (seen != first.blocks)
            return fail(reader, "as many threadblocks must come to a barrier as it says", "");
        const struct meeting end = reader->meeting[last];
        for (size_t k = i, from = 0; k <= (size_t)last; k++) {
            struct meeting *other = &reader->meeting[k];
            if (other->thread < 0 || other->barrier != first.barrier ||
                (from > 0 && other->thread < (int32_t)from))
                continue;
            struct prg_step *step = &reader->list[other->thread].step[other->step + 1];
            step->dep_thread = end.thread;
            step->dep_step = end.step;
            from = (size_t)other->thread + 1;
            other->thread = -1;
        }
    }
    return RB_OK;
}

static int add_first_values(struct reader *reader)
{
    const json_t *semaphores = json_object_get(reader->gpu, "semaphores");
    for (size_t i = 0; i < json_array_size(semaphores); i++) {
        json_int_t value;
        struct prg_step step = prg_step_of(reader->rank);
        const int status =
            take_integer(reader, json_array_get(semaphores, i), "init_value", MOST_SIGNALS, &value);
        if (status != RB_OK)
            return status;
        step.out = signal_fifo(reader, reader->rank, reader->rank, (int32_t)i);
        for (; value > 0; value--)
            add_step(reader, reader->lists - 1, step);
    }
    return RB_OK;
}

static int add_rank(struct reader *reader)
{
    const json_t *blocks = json_object_get(reader->gpu, "threadblocks"), *entry;
    int32_t ports = 0;
    while (find_item(json_object_get(reader->gpu, "channels"), "channel_type", "port",
                     "connected_to", ports, &entry) != NULL)
        ports++;
    reader->blocks = (int32_t)json_array_size(blocks);
    reader->lists = reader->blocks + ports + 1;
    reader->list = sup_calloc((size_t)reader->lists, sizeof *reader->list);
    reader->meetings = 0;
    int status = add_first_values(reader);
    for (reader->thread = 0; status == RB_OK && reader->thread < reader->blocks; reader->thread++) {
        reader->block = json_array_get(blocks, (size_t)reader->thread);
        status = add_block(reader);
    }
    if (status == RB_OK)
        status = join_meetings(reader);
    for (int32_t i = 0; i < reader->lists; i++) {
        if (status == RB_OK)
            sup_had_memory(prg_begin_thread(reader->program, reader->rank, i) == RB_OK);
        for (int32_t k = 0; status == RB_OK && k < reader->list[i].steps; k++)
            sup_had_memory(prg_add(reader->program, &reader->list[i].step[k]) == RB_OK);
        free(reader->list[i].step);
    }
    free(reader->list);
    free(reader->meeting);
    reader->meeting = NULL;
    return status;
}

/* ---- The file ---- */

static int32_t common_multiple(int32_t a, json_int_t b)
{
    int32_t multiple = a;
    while (multiple <= MOST_PARTS && multiple % b != 0)
        multiple += a;
    return multiple;
}

/* Into how many parts groups of threadblocks divide chunks; more than MOST_PARTS: too many. */
static void find_parts(struct reader *reader, const json_t *ops)
{
    size_t i;
    json_t *op;
    json_array_foreach(ops, i, op)
    {
        const json_t *size = json_object_get(json_object_get(op, "tbg_info"), "tbg_size");
        if (whole(size) > 0 && reader->parts <= MOST_PARTS)
            reader->parts = common_multiple(reader->parts, whole(size));
        find_parts(reader, json_object_get(op, "ops")); /* of a pipeline */
    }
}

static int find_all_parts(struct reader *reader)
{
    size_t r, b;
    json_t *gpu, *block;
    reader->parts = 1;
    json_array_foreach(reader->gpus, r, gpu)
        json_array_foreach(json_object_get(gpu, "threadblocks"), b, block)
            find_parts(reader, json_object_get(block, "ops"));
    return reader->parts <= MOST_PARTS
               ? RB_OK
               : fail(reader, "groups of so many threadblocks can't share a chunk here", "");
}

static int place_buffers(struct reader *reader, const json_t *file)
{
    static const char *const keys[] = {"input_chunks", "output_chunks", "scratch_chunks"};
    const char *collective = json_string_value(json_object_get(file, "collective"));
    const json_int_t root = whole(json_object_get(file, "root"));
    int status = find_all_parts(reader);
    for (; status == RB_OK && reader->rank < reader->program->ranks; reader->rank++) {
        const json_t *gpu = json_array_get(reader->gpus, (size_t)reader->rank);
        json_int_t value = -1;
        for (int i = 0; i < PRG_BUFFERS; i++) {
            status = take_integer(reader, gpu, keys[i], INTER_MSCCLPP_CHUNKS, &value);
            if (status != RB_OK)
                return status;
            reader->program->memory[reader->rank].chunks[i] = (int32_t)value * reader->parts;
        }
        if (status == RB_OK && whole(json_object_get(gpu, "id")) != reader->rank)
            status = fail(reader, "its id must be its place", "");
    }
    if (status == RB_OK && collective == NULL)
        return sup_fail(reader->error, RB_EINVAL, "%.180s: collective: missing", reader->path);
    if (json_object_get(file, "root") != NULL && (root < 0 || root >= reader->program->ranks))
        return sup_fail(reader->error, RB_EINVAL, "%.180s: root: it must be a rank", reader->path);
    if (status != RB_OK)
        return status;
    struct sup_error why;
    status = prg_set_collective(reader->program, collective,
                                json_is_true(json_object_get(file, "inplace")),
                                root < 0 ? 0 : (int32_t)root, &why);
    return status == RB_OK ? status
                           : sup_fail(reader->error, status, "%.180s: %s", reader->path, why.text);
}

static int read_file(struct reader *reader, const json_t *file)
{
    reader->gpus = json_object_get(file, "gpus");
    const size_t ranks = json_array_size(reader->gpus);
    if (ranks == 0 || ranks > MOST_RANKS)
        return sup_fail(reader->error, RB_EINVAL, "%.180s: gpus: there must be 1 to %d",
                        reader->path, MOST_RANKS);
    sup_had_memory(prg_init(reader->program, (int32_t)ranks) == RB_OK);
    int status = place_buffers(reader, file);
    for (reader->rank = 0; status == RB_OK && reader->rank < (int32_t)ranks; reader->rank++) {
        reader->gpu = json_array_get(reader->gpus, (size_t)reader->rank);
        status = add_rank(reader);
    }
    return status == RB_OK ? inter_finish_program(reader->program, reader->path, reader->error)
                           : status;
}

/* Whether a file that begins so, after blanks, can be of this format. */
static bool mscclpp_knows(const char *text)
{
    return text[0] == '{' && strstr(text, "\"gpus\"") != NULL;
}

int inter_read_mscclpp(const char *text, const char *path, struct prg_program *program,
                       struct sup_error *error)
{
    struct reader reader = {.path = path, .error = error, .program = program};
    json_error_t wrong; /* integers as reals: some files have 2^64 - 1 */
    *program = (struct prg_program){0};
    json_t *file = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &wrong);
    const int status = file == NULL ? sup_fail(error, RB_EINVAL, "%.180s:%d:%d: %.200s", path,
                                               wrong.line, wrong.column, wrong.text)
                                    : read_file(&reader, file);
    json_decref(file);
    return status;
}

static int read_plan(struct sup_lines *lines, struct inter_plan *plan)
{
    struct prg_program program;
    const int status = inter_read_mscclpp(lines->next, lines->path, &program, plan->error);
    if (status == RB_OK)
        return inter_take_program(plan, lines, &program, 0);
    prg_free(&program);
    return status;
}

const struct inter_reader inter_mscclpp_reader = {"MSCCL++'s JSON", mscclpp_knows, read_plan};
