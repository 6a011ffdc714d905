/* patterns.c - steps whose messages go by a pattern (sim/workload/pattern.h). */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/units.h"

/* The words of sim_pattern_kind, and the keys that each must have, besides. */
static const struct {
    const char *key, *required[2];
} kinds[] = {[SIM_HALO] = {"halo", {"grid", "bytes"}},
             [SIM_PAIRS] = {"pairs", {"bytes", "bytes"}},
             [SIM_MATRIX] = {"matrix", {0}}};

static int read_bytes(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    struct sim_pattern *pattern = reading->into;
    struct sup_error why;
    return workload_blame(reading, node, field->key,
                          sup_parse_bytes(node->word, &pattern->bytes, &why), &why);
}

static int add_message(void *context, const int32_t end[2], const char *text,
                       struct sup_error *error)
{
    struct sim_pattern *pattern = context;
    int64_t bytes = 0;
    if (end[0] == end[1])
        return sup_fail(error, RB_EINVAL, "rank %" PRId32 " sends to itself", end[0]);
    const int status = sup_parse_bytes(text, &bytes, error);
    sup_grow(&pattern->sent, pattern->count, sizeof *pattern->sent);
    pattern->sent[pattern->count++] = (struct sim_sent){end[0], end[1], bytes, 0};
    return status;
}

static int read_file(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    enum { MOST_RANKS = 1 << 16 }; /* each has 256 bytes for its ports */
    const struct workload_reading *reading = context;
    struct sim_pattern *pattern = reading->into;
    const struct sim_communicators *set = workload_set_of(reading);
    const struct sup_rank_lines lines = {.columns = "FROM,TO,BYTES",
                                         .ranks = sim_communicator_size(set, set->shape[0]),
                                         .take = add_message,
                                         .context = pattern};
    return sim_communicator_size(set, set->shape[set->shapes - 1]) > MOST_RANKS
               ? workload_fault(reading, node, field->key, "a matrix is of at most 65536 ranks")
               : sup_rank_lines_read(node->word, &lines, NULL, reading->error);
}

/* [FROM, TO, BYTES]. */
static int read_message(const struct workload_reading *reading, const char *key,
                        const struct sweep_node *node)
{
    const struct sim_communicators *set = workload_set_of(reading);
    int64_t end[2] = {0};
    struct sup_error why;
    int status = node->kind == SWEEP_LIST && node->count == 3 && node->item[2]->kind == SWEEP_WORD
                     ? RB_OK
                     : workload_fault(reading, node, key, "a message is a list FROM, TO, BYTES");
    for (int i = 0; i < 2 && status == RB_OK; i++)
        status = node->item[i]->kind == SWEEP_WORD
                     ? workload_read_whole(reading, key, node->item[i], 0,
                                           sim_communicator_size(set, set->shape[0]) - 1, &end[i])
                     : workload_fault(reading, node, key, "a message is a list FROM, TO, BYTES");
    if (status != RB_OK)
        return status;
    const int32_t ends[2] = {(int32_t)end[0], (int32_t)end[1]};
    status = add_message(reading->into, ends, node->item[2]->word, &why);
    return workload_blame(reading, node, key, status, &why);
}

static int read_messages(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    int status = node->kind == SWEEP_LIST && node->count > 0
                     ? RB_OK
                     : workload_fault(reading, node, field->key, "a list of messages is required");
    for (size_t i = 0; status == RB_OK && i < node->count; i++)
        status = read_message(reading, field->key, node->item[i]);
    return status;
}

enum { ALL = -1 };

/* The id is the kind that has the key. */
static const struct sweep_field pattern_fields[] = {
    {"in", SWEEP_ONE, 64, workload_take_set, "the set of communicators, each of which does it",
     "`world`", .id = ALL},
    {"bytes", SWEEP_ONE, 40, read_bytes, "of `halo` and `pairs`: bytes of each message", "required",
     .id = ALL},
    {"grid", SWEEP_SOME, 2 * SIM_MOST_DIMENSIONS, workload_take_grid,
     "of `halo`: extents; each rank exchanges with its neighbours in all dimensions", "required",
     .at = offsetof(struct sim_pattern, grid), .id = SIM_HALO},
    {"periodic", SWEEP_ONE, 40, workload_take_choice,
     "of `halo`, `yes` or `no`: the ends of a dimension are neighbours", "`no`",
     .at = offsetof(struct sim_pattern, periodic), .words = {"no", "yes"}, .id = SIM_HALO},
    {"distance", SWEEP_ONE, 40, workload_take_number, "of `pairs`, d: ranks r and r xor d exchange",
     "`1`", .at = offsetof(struct sim_pattern, distance), .least = 1, .id = SIM_PAIRS},
    {"file", SWEEP_ONE, 1000, read_file, "of `matrix`: a file of lines `FROM,TO,BYTES`", "none",
     .id = SIM_MATRIX},
    {"messages", SWEEP_ANY, 0, read_messages,
     "of `matrix`, in place of a file: a list of `[FROM, TO, BYTES]`", "none", .id = SIM_MATRIX},
};
const struct workload_keys workload_pattern_keys = {"point to point", pattern_fields,
                                                    sizeof pattern_fields / sizeof *pattern_fields};

/* That the pattern has the keys of its kind, and no others. */
static int check_keys(const struct workload_reading *reading, const struct sweep_node *node,
                      enum sim_pattern_kind kind)
{
    const struct sweep_node *bytes = sweep_member(node, "bytes");
    for (size_t i = 0; i < workload_pattern_keys.count; i++) {
        const struct sweep_field *field = &pattern_fields[i];
        const struct sweep_node *value = sweep_member(node, field->key);
        if (value != NULL && field->id != ALL && field->id != (int)kind)
            return workload_fault(reading, value, field->key, "is a key of %s",
                                  kinds[field->id].key);
    }
    if (bytes != NULL && kind == SIM_MATRIX)
        return workload_fault(reading, bytes, "bytes", "the matrix has them");
    if (kind == SIM_MATRIX)
        return (sweep_member(node, "file") != NULL) != (sweep_member(node, "messages") != NULL)
                   ? RB_OK
                   : workload_fault(reading, node, "matrix", "has one of file and messages");
    const int status = workload_require(reading, node, kinds[kind].required[0]);
    return status == RB_OK ? workload_require(reading, node, kinds[kind].required[1]) : status;
}

/* A grid has as many places as each communicator ranks. */
static int check_grid(const struct workload_reading *reading, const struct sim_grid *grid,
                      const struct sweep_node *node)
{
    const struct sim_communicators *set = workload_set_of(reading);
    const double places = workload_grid_places(grid);
    for (int32_t i = 0; i < set->shapes; i++) {
        const int32_t p = sim_communicator_size(set, set->shape[i]);
        if (p != places)
            return workload_fault(reading, sweep_member(node, "grid"), "grid",
                                  "%.0f places, and one of %s has %" PRId32 " ranks", places,
                                  set->name, p);
    }
    return RB_OK;
}

int workload_read_pattern(void *context, const struct sweep_field *field,
                          const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct workload_move *move = &reading->part->step[reading->step].move;
    struct sim_pattern *pattern = move->pattern = sup_calloc(1, sizeof *pattern);
    move->collective = rb_collective_find("none");
    move->element = 1;
    pattern->distance = 1;
    while (strcmp(kinds[pattern->kind].key, field->key) != 0)
        pattern->kind++;
    int status = workload_read_mapping(reading, node, &workload_pattern_keys, pattern);
    if (status == RB_OK)
        status = check_keys(reading, node, pattern->kind);
    if (status != RB_OK)
        return status;
    workload_name_move(reading, field->key);
    return pattern->kind == SIM_HALO ? check_grid(reading, &pattern->grid, node) : RB_OK;
}
