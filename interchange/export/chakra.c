/* chakra.c - see export.h. ASTRA-sim's custom collectives (CustomAlgorithm.cc, at 518bd513) issue a
 * node when its data_deps are done: a send by comm_dst, comm_size and comm_tag, a receive by
 * comm_src, comm_size and comm_tag, and a computation, which takes a nanosecond. */
#include <chakra.pb-c.h>
#include <inttypes.h>
#include <stdlib.h>

#include "support/output/files.h"

#include "interchange/export/export.h"
#include "support/memory.h"

enum { ATTRIBUTES = 4 };

struct trace {
    struct export_directory directory;
    char name[32];
    FILE *file; /* of the present rank, or NULL */
    uint8_t *packed;
    size_t packed_room;
    uint64_t *deps;
    int32_t deps_room;
};

/* Each message stands behind its length, 7 bits a byte, the lowest first. */
static void write_message(struct trace *trace, const ProtobufCMessage *message)
{
    const size_t size = protobuf_c_message_get_packed_size(message);
    if (size > trace->packed_room) {
        trace->packed_room = 2 * size;
        trace->packed = sup_realloc(trace->packed, trace->packed_room);
    }
    size_t rest = size;
    for (; rest > 127; rest >>= 7)
        fputc((int)(rest & 127) | 128, trace->file);
    fputc((int)rest, trace->file);
    fwrite(trace->packed, 1, protobuf_c_message_pack(message, trace->packed), trace->file);
}

static int begin_rank(void *context, int32_t rank, struct sup_error *error)
{
    struct trace *trace = context;
    Chakra__AttributeProto generator = CHAKRA__ATTRIBUTE_PROTO__INIT, *attribute = &generator;
    Chakra__GlobalMetadata metadata = CHAKRA__GLOBAL_METADATA__INIT;
    snprintf(trace->name, sizeof trace->name, "plan.%" PRId32 ".et", rank);
    const int status = export_file_open(&trace->directory, trace->name, &trace->file, error);
    if (status != RB_OK)
        return status;
    generator.name = "generator";
    generator.value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
    generator.string_val = OUT_MADE_MARK;
    metadata.version = "1.0.0";
    metadata.attr = &attribute;
    metadata.n_attr = 1;
    write_message(trace, &metadata.base);
    return RB_OK;
}

static Chakra__AttributeProto int32_attribute(char *name, int32_t value)
{
    Chakra__AttributeProto attribute = CHAKRA__ATTRIBUTE_PROTO__INIT;
    attribute.name = name;
    attribute.value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_INT32_VAL;
    attribute.int32_val = value;
    return attribute;
}

static void write_task(void *context, const struct export_task *task)
{
    static const struct {
        char *name, *peer;
        Chakra__NodeType type;
    } kinds[] = {
        [DEP_TASK_SEND] = {"send", "comm_dst", CHAKRA__NODE_TYPE__COMM_SEND_NODE},
        [DEP_TASK_RECEIVE] = {"receive", "comm_src", CHAKRA__NODE_TYPE__COMM_RECV_NODE},
        [DEP_TASK_LOCAL] = {"local", NULL, CHAKRA__NODE_TYPE__COMP_NODE},
    };
    struct trace *trace = context;
    Chakra__AttributeProto attribute[ATTRIBUTES], *attributes[ATTRIBUTES];
    attribute[0] = (Chakra__AttributeProto)CHAKRA__ATTRIBUTE_PROTO__INIT;
    attribute[0].name = "is_cpu_op";
    attribute[0].value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_VAL;
    attribute[1] = (Chakra__AttributeProto)CHAKRA__ATTRIBUTE_PROTO__INIT;
    attribute[1].name = "comm_size";
    attribute[1].value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL;
    attribute[1].int64_val = task->bytes;
    attribute[2] = int32_attribute(kinds[task->kind].peer, task->peer);
    attribute[3] = int32_attribute("comm_tag", (int32_t)(task->tag & INT32_MAX));
    for (int i = 0; i < ATTRIBUTES; i++)
        attributes[i] = &attribute[i];
    if (task->required_count > trace->deps_room) {
        trace->deps_room = 2 * task->required_count;
        trace->deps = sup_reallocarray(trace->deps, (size_t)trace->deps_room, sizeof *trace->deps);
    }
    for (int32_t i = 0; i < task->required_count; i++)
        trace->deps[i] = (uint64_t)task->required[i] - 1;
    Chakra__Node node = CHAKRA__NODE__INIT;
    node.id = (uint64_t)task->label - 1;
    node.name = kinds[task->kind].name;
    node.type = kinds[task->kind].type;
    node.n_data_deps = (size_t)task->required_count;
    node.data_deps = trace->deps;
    node.n_attr = task->kind == DEP_TASK_LOCAL ? 1 : ATTRIBUTES;
    node.attr = attributes;
    write_message(trace, &node.base);
}

static int end_rank(void *context, struct sup_error *error)
{
    struct trace *trace = context;
    return export_file_close(&trace->directory, trace->name, trace->file, RB_OK, error);
}

int export_write_chakra(const struct export_request *export, const char *path,
                        struct sup_error *error)
{
    static const struct export_writer writer = {
        .reductions = true, .begin = begin_rank, .task = write_task, .end = end_rank};
    struct trace trace = {0};
    int status = export_directory_open(&trace.directory, path, error);
    if (status == RB_OK)
        status = export_tasks(export, &writer, &trace, error);
    free(trace.packed);
    free(trace.deps);
    return export_directory_close(&trace.directory, status, error);
}
