/* chakra.c - Chakra's execution traces (mlcommons/chakra, schemas 0.0.4 and 1.0.0), a file
 * PREFIX.RANK.et of each rank, as ASTRA-sim takes them: GlobalMetadata and nodes, each behind its
 * length. A process group's k-th collective is the k-th in the file of each of its ranks, its root
 * the first rank, as the schema has none. */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include <chakra.pb-c.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/workload/reading.h"
#include "experiments/workload/source.h"
#include "support/data_files.h"
#include "support/memory.h"

/* By comm_type; comm_size is what each rank puts in. */
static const struct {
    const char *name, *collective;
    bool of_each; /* the bytes of all are those of each rank together */
} collectives[] = {
    {"all_reduce", "allreduce", false},
    {"reduce", "reduce", false},
    {"all_gather", "allgather", true},
    {"gather", "gather", true},
    {"scatter", "scatter", false},
    {"broadcast", "bcast", false},
    {"all_to_all", "alltoall", true},
    {"reduce_scatter", "reduce-scatter", false},
    {"reduce_scatter_block", "reduce-scatter", false},
    {"barrier", "allreduce", false},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives, BARRIER = COLLECTIVES - 1 };

struct place {
    uint64_t id;
    int32_t task;
};
struct reader {
    struct workload_trace *trace;
    struct sup_error *error;
    int32_t rank; /* whose file is read */
    int64_t computing, untimed;
    const uint8_t *at, *end;
    const Chakra__Node *node;
    json_t *groups;      /* of comm_group.json, NULL: there is none */
    struct place *place; /* of nodes */
    struct place *wait;  /* what tasks wait for */
    size_t places, waits;
};

/* About the present node, or the file. */
static int fail(const struct reader *reader, const char *what, const char *name)
{
    char node[40] = "";
    if (reader->node != NULL)
        snprintf(node, sizeof node, "node %" PRIu64 ": ", reader->node->id);
    return sup_fail(reader->error, RB_EINVAL, "%.180s: %s%s%.80s",
                    workload_trace_path(reader->trace, reader->rank), node, what, name);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static const Chakra__AttributeProto *attribute(const struct reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->node->n_attr; i++)
        if (strcmp(reader->node->attr[i]->name, name) == 0)
            return reader->node->attr[i];
    return NULL;
}

/* Below 0: there is none. A union's signed and unsigned members are read alike. */
static int64_t number(const struct reader *reader, const char *name)
{
    const Chakra__AttributeProto *is = attribute(reader, name);
    const int kind = is == NULL ? 0 : (int)is->value_case;
    return kind == CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL ||
                   kind == CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT64_VAL
               ? is->int64_val
           : kind == CHAKRA__ATTRIBUTE_PROTO__VALUE_INT32_VAL ||
                   kind == CHAKRA__ATTRIBUTE_PROTO__VALUE_UINT32_VAL
               ? is->int32_val
               : -1;
}

static int need(const struct reader *reader, const char *name, int64_t below, int64_t *value)
{
    *value = number(reader, name);
    return *value >= 0 && *value < below ? RB_OK : fail(reader, "no such number: ", name);
}

/* PyTorch lists groups as the one input of a node "## process_group:init ##", which Chakra's
 * converter writes as Python does: ['[{"pg_name": "1", "ranks": [0, 1]}]']; no ranks: all. */
static int take_groups(struct reader *reader)
{
    const Chakra__Node *node = reader->node;
    if (strstr(node->name, "process_group:init") == NULL || node->inputs == NULL)
        return RB_OK;
    const char *text = strstr(node->inputs->values, "[{");
    json_t *list = text == NULL ? NULL : json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    int status = list != NULL ? RB_OK : fail(reader, "its inputs are no process groups", "");
    if (reader->groups == NULL)
        reader->groups = json_object();
    for (size_t i = 0; i < json_array_size(list) && status == RB_OK; i++) {
        const json_t *group = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(group, "pg_name"));
        json_t *ranks = json_object_get(group, "ranks"), *known;
        if (name == NULL || !json_is_array(ranks))
            continue;
        if ((known = json_object_get(reader->groups, name)) == NULL)
            json_object_set(reader->groups, name, ranks);
        else if (!json_equal(known, ranks))
            status = fail(reader, "has other ranks than elsewhere in process group ", name);
    }
    json_decref(list);
    return status;
}

/* That of all ranks is the first, and has no name; others are in comm_group.json beside the trace,
 * {"1": [0, 1], "2": [2, 3]}, or come with it. NULL: there is no right one with this rank. */
static const struct workload_group *find_group(const struct reader *reader, const char *name)
{
    struct workload_trace *trace = reader->trace;
    int32_t i = 0;
    name += strcmp(name, "0") == 0;
    while (i < trace->groups && strcmp(trace->group[i].name, name) != 0)
        i++;
    if (i < trace->groups)
        return trace->group[i].is[reader->rank] ? &trace->group[i] : NULL;
    const json_t *ranks = json_object_get(reader->groups, name);
    struct workload_group group = {.is =
                                       sup_calloc((size_t)trace->program.ranks, sizeof *group.is)};
    const bool all = json_is_array(ranks) && json_array_size(ranks) == 0;
    const size_t size = all ? (size_t)trace->program.ranks : json_array_size(ranks);
    for (; (size_t)group.count < size; group.count++) {
        const json_t *item = json_array_get(ranks, (size_t)group.count);
        const json_int_t rank = all                     ? group.count
                                : json_is_integer(item) ? json_integer_value(item)
                                                        : -1;
        if (rank < 0 || rank >= trace->program.ranks || group.is[rank])
            break;
        group.is[rank] = true;
    }
    if ((size_t)group.count < size || !group.is[reader->rank])
        return free(group.is), NULL;
    group.name = sup_strdup(name);
    sup_grow(&trace->group, (size_t)trace->groups, sizeof *trace->group);
    trace->group[trace->groups++] = group;
    return &trace->group[trace->groups - 1];
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static int take_computing(struct reader *reader, int64_t *picoseconds)
{
    const int64_t operations = number(reader, "num_ops");
    const bool untimed = reader->node->duration_micros == 0;
    double time = 1e6 * (double)reader->node->duration_micros;
    reader->computing++;
    reader->untimed += untimed;
    if (untimed && operations > 0 && reader->trace->speed > 0)
        time = 1e12 * (double)operations / reader->trace->speed;
    *picoseconds = time < 9e18 ? (int64_t)time : 0;
    return time < 9e18 ? RB_OK : fail(reader, "more than 100 days of computing", "");
}

/* In ASTRA-sim a send does not wait for its receive: the message is received by itself, and the
 * node of the receive waits for that, too. */
static int take_message(struct reader *reader, struct prg_step *step, int64_t *bytes)
{
    const bool sends = reader->node->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE;
    struct prg_program *program = &reader->trace->program;
    struct inter_dag *dag = &reader->trace->dag[reader->rank];
    int64_t peer, tag = number(reader, "comm_tag");
    int status = need(reader, sends ? "comm_dst" : "comm_src", program->ranks, &peer);
    if (status == RB_OK)
        status = need(reader, "comm_size", INT64_C(1) << 62, bytes);
    if (status != RB_OK)
        return status;
    const int32_t fifo = prg_fifo_of(program, sends ? reader->rank : (int32_t)peer,
                                     sends ? (int32_t)peer : reader->rank, (int32_t)tag, false);
    sup_had_memory(fifo != PRG_NONE);
    if (sends) {
        step->out = fifo;
        return RB_OK;
    }
    struct prg_step received = *step;
    received.in = fifo;
    inter_dag_add(dag, &received, *bytes);
    inter_dag_wait(dag, (struct inter_edge){dag->tasks, dag->tasks - 1, false});
    *bytes = 0;
    return RB_OK;
}

static int take_collective(const struct reader *reader, struct prg_step *step)
{
    struct workload_trace *trace = reader->trace;
    const Chakra__AttributeProto *is = attribute(reader, "pg_name"),
                                 *dims = attribute(reader, "involved_dim");
    const bool named = is != NULL && is->value_case == CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
    const struct workload_group *group = find_group(reader, named ? is->string_val : "");
    int64_t type, bytes = 1;
    int status = need(reader, "comm_type", COLLECTIVES, &type);
    if (status == RB_OK && type != BARRIER)
        status = need(reader, "comm_size", (INT64_C(1) << 62) / trace->program.ranks, &bytes);
    if (status == RB_OK && group == NULL)
        status = fail(reader,
                      "neither a node process_group:init before it nor comm_group.json beside it "
                      "has its rank in process group ",
                      is->string_val);
    if (!named && dims != NULL && dims->value_case == CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_LIST)
        for (size_t i = 0; i < dims->bool_list->n_values && status == RB_OK; i++)
            if (!dims->bool_list->values[i]) /* of a network that is not known */
                status = fail(reader, "leaves out dimensions, but has no pg_name", "");
    if (status != RB_OK || group->count == 1)
        return status;
    sup_grow(&trace->call, (size_t)trace->calls, sizeof *trace->call);
    trace->call[trace->calls++] =
        (struct workload_call){.collective = collectives[type].collective,
                               .action = collectives[type].name,
                               .element = 1,
                               .group = (int32_t)(group - trace->group),
                               .bytes = bytes * (collectives[type].of_each ? group->count : 1)};
    step->count = trace->calls;
    return RB_OK;
}

static void add_waits(struct reader *reader, const uint64_t id[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sup_grow(&reader->wait, reader->waits, sizeof *reader->wait);
        reader->wait[reader->waits++] =
            (struct place){id[i], reader->trace->dag[reader->rank].tasks};
    }
}

static void leave_out(struct workload_trace *trace, int64_t type)
{
    const bool known =
        type >= CHAKRA__NODE_TYPE__METADATA_NODE && type <= CHAKRA__NODE_TYPE__MEM_STORE_NODE;
    trace->left_out++;
    trace->unknown += !known;
    trace->unknown_type = known ? trace->unknown_type : (int32_t)type;
}

static int take_node(struct reader *reader)
{
    const Chakra__Node *node = reader->node;
    struct inter_dag *dag = &reader->trace->dag[reader->rank];
    struct prg_step step = prg_step_of(reader->rank);
    int64_t amount = 0;
    int status = RB_OK;
    step.line = node->id < INT32_MAX ? (int32_t)node->id : 0;
    if (node->type == CHAKRA__NODE_TYPE__COMP_NODE)
        status = take_computing(reader, &amount);
    else if (node->type == CHAKRA__NODE_TYPE__COMM_SEND_NODE ||
             node->type == CHAKRA__NODE_TYPE__COMM_RECV_NODE)
        status = take_message(reader, &step, &amount);
    else if (node->type == CHAKRA__NODE_TYPE__COMM_COLL_NODE)
        status = take_collective(reader, &step);
    else if ((status = take_groups(reader)) == RB_OK)
        leave_out(reader->trace, node->type);
    add_waits(reader, node->data_deps, node->n_data_deps);
    add_waits(reader, node->ctrl_deps, node->n_ctrl_deps);
    sup_grow(&reader->place, reader->places, sizeof *reader->place);
    reader->place[reader->places++] = (struct place){node->id, dag->tasks};
    inter_dag_add(dag, &step, amount);
    return status;
}

SUP_COMPARE(by_id, struct place, SUP_ORDER(a->id, b->id));

/* Finds the nodes that others wait for. */
static int finish_rank(struct reader *reader)
{
    struct inter_dag *dag = &reader->trace->dag[reader->rank];
    struct place *place = reader->place;
    const size_t count = reader->places;
    qsort(place, count, sizeof *place, by_id);
    for (size_t i = 1; i < count; i++)
        if (place[i].id == place[i - 1].id)
            return fail(reader, "two nodes have one number", "");
    for (size_t i = 0; i < reader->waits; i++) {
        const struct place *found = bsearch(&reader->wait[i], place, count, sizeof *place, by_id);
        if (found == NULL)
            return fail(reader, "nodes wait for one that is not there", "");
        inter_dag_wait(dag, (struct inter_edge){reader->wait[i].task, found->task, false});
    }
    return inter_dag_finish(dag) < 0 ? RB_OK : fail(reader, "nodes wait for one another", "");
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Goes to the next message. */
static int next_message(struct reader *reader, const uint8_t **message, size_t *size)
{
    uint64_t length = 0;
    for (int shift = 0; shift < 35 && reader->at < reader->end; shift += 7) {
        length |= (uint64_t)(*reader->at & 127) << shift;
        if (*reader->at++ > 127)
            continue;
        if (length > (uint64_t)(reader->end - reader->at))
            break;
        *message = reader->at;
        *size = (size_t)length;
        reader->at += length;
        return RB_OK;
    }
    return fail(reader, "no trace of Chakra's, or one that was cut off", "");
}

static int check_version(const struct reader *reader, const uint8_t *message, size_t size)
{
    Chakra__GlobalMetadata *about = chakra__global_metadata__unpack(NULL, size, message);
    const char *version = about == NULL ? "none" : about->version;
    int status = RB_OK;
    if (version[0] != '\0' && strcmp(version, "0.0.4") != 0 && strcmp(version, "1.0.0") != 0)
        status = fail(reader, "read are the schemas 0.0.4 and 1.0.0, not ", version);
    chakra__global_metadata__free_unpacked(about, NULL);
    return status;
}

static int read_nodes(struct reader *reader)
{
    const uint8_t *message;
    size_t size;
    int status = next_message(reader, &message, &size);
    sup_grow(&reader->place, 0, sizeof *reader->place); /* also without nodes */
    if (status == RB_OK)
        status = check_version(reader, message, size);
    while (status == RB_OK && reader->at < reader->end &&
           (status = next_message(reader, &message, &size)) == RB_OK) {
        Chakra__Node *node = chakra__node__unpack(NULL, size, message);
        if (node == NULL)
            return fail(reader, "holds what is no node of Chakra's", "");
        reader->node = node;
        status = take_node(reader);
        reader->node = NULL;
        chakra__node__free_unpacked(node, NULL);
    }
    return status == RB_OK ? finish_rank(reader) : status;
}

static int read_rank(struct reader *reader)
{
    const char *path = workload_trace_path(reader->trace, reader->rank);
    struct stat about;
    int status = sup_input("workload", path, reader->error);
    FILE *file = status == RB_OK ? sup_got(fopen(path, "rb")) : NULL;
    const size_t size =
        file != NULL && fstat(fileno(file), &about) == 0 ? (size_t)about.st_size : 0;
    uint8_t *data = sup_malloc(size + 1);
    if (status == RB_OK && (file == NULL || fread(data, 1, size, file) != size))
        status = fail(reader, strerror(errno), "");
    if (file != NULL)
        fclose(file);
    reader->at = data;
    reader->end = data + size;
    reader->places = reader->waits = 0;
    if (status == RB_OK)
        status = read_nodes(reader);
    free(data);
    return status;
}

/* Of a directory, or of PREFIX.0.et, the files PREFIX.0.et and so on. RB_EINVAL: not all are there.
 */
static int find_files(struct workload_trace *trace, const char *path, struct sup_error *error)
{
    const size_t length = strlen(path), end = sizeof ".0.et" - 1;
    const bool is_file = length > end && strcmp(path + length - end, ".0.et") == 0;
    char *pattern =
        is_file ? sup_format("%.*s.*.et", (int)(length - end), path) : sup_format("%s/*.et", path);
    glob_t found = {0};
    glob(pattern, 0, NULL, &found);
    int status =
        found.gl_pathc > 0 ? RB_OK : sup_fail(error, RB_EINVAL, "%.180s: no file", pattern);
    for (size_t r = 0; status == RB_OK && r < found.gl_pathc; r++) {
        int prefix = (int)strlen(found.gl_pathv[0]) - (int)sizeof ".et";
        while (prefix > 0 && found.gl_pathv[0][prefix] != '.')
            prefix--;
        sup_grow(&trace->path, r, sizeof *trace->path);
        trace->path[r] = sup_format("%.*s.%zu.et", prefix, found.gl_pathv[0], r);
        trace->paths++;
        if (access(trace->path[r], R_OK) != 0)
            status = sup_fail(error, RB_EINVAL, "%.180s: %s, and %zu files are %.180s",
                              trace->path[r], strerror(errno), found.gl_pathc, pattern);
    }
    globfree(&found);
    free(pattern);
    return status;
}

/* The process groups beside the trace, and that of all ranks. */
static int begin_groups(struct reader *reader)
{
    struct workload_trace *trace = reader->trace;
    const char *first = trace->path[0], *slash = strrchr(first, '/');
    char *path =
        sup_format("%.*scomm_group.json", slash == NULL ? 0 : (int)(slash - first) + 1, first);
    json_error_t why;
    int status = sup_input("process groups", path, reader->error);
    sup_grow(&trace->group, 0, sizeof *trace->group);
    trace->group[trace->groups++] =
        (struct workload_group){sup_strdup(""), sup_malloc((size_t)trace->paths), trace->paths, 0};
    memset(trace->group[0].is, true, (size_t)trace->paths);
    if (status == RB_OK)
        reader->groups = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (status == RB_OK && reader->groups == NULL && access(path, F_OK) == 0)
        status = sup_fail(reader->error, RB_EINVAL, "%.180s:%d: %s", path, why.line, why.text);
    free(path);
    return status;
}

int workload_read_chakra(const char *path, struct workload_trace *trace, struct sup_error *error)
{
    struct reader reader = {.trace = trace, .error = error};
    int status = find_files(trace, path, error);
    if (status != RB_OK)
        return status;
    trace->nodes = true;
    sup_had_memory(prg_init(&trace->program, trace->paths) == RB_OK);
    trace->dag = sup_calloc((size_t)trace->paths, sizeof *trace->dag);
    status = begin_groups(&reader);
    for (; reader.rank < trace->paths && status == RB_OK; reader.rank++)
        status = read_rank(&reader);
    if (status == RB_OK && reader.computing > 0 && reader.computing == reader.untimed &&
        trace->speed <= 0)
        status =
            sup_fail(error, RB_EINVAL,
                     "%.180s: all %" PRId64 " COMP nodes take 0 us: give a speed in operations "
                     "per second, by which their num_ops take time, if they have some",
                     path, reader.untimed);
    json_decref(reader.groups);
    free(reader.place);
    free(reader.wait);
    return status;
}

/* ---- A trace in place of a workload ---------------------------------------------------------- */

static bool is_chakra(const char *path, const char *head, size_t size)
{
    const size_t length = strlen(path);
    struct workload_trace trace = {0};
    (void)size;
    if (head == NULL)
        find_files(&trace, path, &(struct sup_error){0});
    const bool is = trace.paths > 0 || (length > 3 && strcmp(path + length - 3, ".et") == 0);
    workload_free_trace(&trace);
    return is;
}

static int write_chakra(const char *path, const struct workload_wishes *wishes, FILE *text,
                        struct workload_told *told, struct sup_error *error)
{
    (void)told;
    return workload_write_trace(workload_read_chakra, path, wishes, text, error);
}

const struct workload_source workload_chakra = {"Chakra trace", is_chakra, write_chakra};
