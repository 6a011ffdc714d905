/* collective.c - what a step moves: by a collective and which algorithm, or by a pattern
 * (sim/workload/pattern.h). */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "experiments/point/words.h"
#include "experiments/workload/reading.h"
#include "mpi/vendors/rules/rules.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/units.h"

enum { MOST_TRIED = 1 << 16 }; /* ranks for which a plan is made when the file is read */

/* A parameter of a point, which the field's id is, with its bounds. */
static int read_parameter(void *context, const struct sweep_field *field,
                          const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    const struct point_parameter *parameter = &point_parameters[field->id];
    const struct cli_option *option = &parameter->option;
    struct sup_error why;
    int64_t value = 0;
    int status = option->type == CLI_OPT_BYTES
                     ? sup_parse_bytes(node->word, &value, &why)
                     : sup_parse_int(node->word, option->least, option->most, &value, &why);
    if (status == RB_OK && option->most > 0 && (value < option->least || value > option->most))
        status = sup_fail(&why, RB_EINVAL, "\"%s\" is not from %" PRId64 " to %" PRId64, node->word,
                          option->least, option->most);
    void *place = (char *)reading->into + field->at;
    if (parameter->type == POINT_INT32)
        *(int32_t *)place = (int32_t)value;
    else
        *(int64_t *)place = value;
    return workload_blame(reading, node, field->key, status, &why);
}

static int read_bytes(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    const struct workload_move *move = reading->into;
    const int status = read_parameter(context, field, node);
    return status != RB_OK || move->bytes % move->element == 0
               ? status
               : workload_fault(reading, node, field->key,
                                "%" PRId64 " is not a multiple of element-bytes, %" PRId64,
                                move->bytes, move->element);
}

static int read_counts(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    struct workload_move *move = reading->into;
    struct sup_error why;
    int status = sup_counts_parse(node->word, &move->counts, &why);
    if (status == RB_OK)
        status = sup_counts_check(&move->counts, move->collective, &why);
    return workload_blame(reading, node, field->key, status, &why);
}

/* 9, step, or step+9. */
static int read_root(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    static const char step[] = "step";
    const struct workload_reading *reading = context;
    struct workload_move *move = reading->into;
    const char *number = node->word;
    int64_t root = 0;
    if (!move->collective->rooted)
        return workload_fault(reading, node, field->key, "%s has none", move->collective->name);
    move->root_moves = strncmp(number, step, strlen(step)) == 0;
    if (move->root_moves) {
        number += strlen(step);
        number = number[0] == '\0' ? "0" : number[0] == '+' ? number + 1 : "";
    }
    if (sup_parse_int(number, 0, RB_MAX_RANKS, &root, NULL) != RB_OK)
        return workload_fault(reading, node, field->key,
                              "\"%s\" is not a rank, step, or step+1, say", node->word);
    move->root = (int32_t)root;
    return RB_OK;
}

static int read_algorithm(void *context, const struct sweep_field *field,
                          const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    struct workload_move *move = reading->into;
    const char *collective = move->collective->name;
    static const char option[] = "--algorithm: ";
    struct sup_error why;
    int status = RB_OK;
    move->algorithm = sup_algorithm_names(node->word);
    if (strncmp(node->word, WORKLOAD_RULES, strlen(WORKLOAD_RULES)) == 0)
        status = rules_read(node->word + strlen(WORKLOAD_RULES), NULL, &move->rules, &why);
    else if (sim_native_name(move->algorithm) == NULL &&
             strcmp(move->algorithm, WORKLOAD_BEST) != 0)
        status = cli_check_algorithm(collective, move->algorithm, &why);
    if (status == RB_OK)
        return RB_OK;
    const char *text = why.text + (strncmp(why.text, option, strlen(option)) == 0) * strlen(option);
    return workload_fault(reading, node, field->key, "%s", text);
}

static int read_blocks(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    if (strcmp(node->word, WORKLOAD_BEST) == 0)
        return RB_OK;
    return workload_is_librarys(reading->into)
               ? workload_fault(reading, node, field->key, "the library chooses them")
               : read_parameter(context, field, node);
}

static int read_groups(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    struct workload_move *move = reading->into;
    struct sup_error why;
    move->groups = sup_strdup(node->word);
    return strcmp(node->word, WORKLOAD_HOST) == 0
               ? RB_OK
               : workload_blame(reading, node, field->key,
                                point_check_groups(node->word, false, &why), &why);
}

static int read_instance(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    struct workload_move *move = reading->into;
    move->instance = sup_strdup(node->word);
    return move->collective->instance != NULL
               ? RB_OK
               : workload_fault(reading, node, field->key, "%s has no instances",
                                move->collective->name);
}

/* The place and the parameter of a point that read_parameter reads. */
#define PARAMETER(member, parameter)                                                               \
    .at = offsetof(struct workload_move, member), .id = POINT_##parameter

static const struct sweep_field move_fields[] = {
    {"in", SWEEP_ONE, 64, workload_take_set, "the set of communicators, each of which does it",
     .fallback = "`world`"},
    {"element-bytes", SWEEP_ONE, 40, read_parameter, "bytes of an element", "`1`",
     PARAMETER(element, ELEMENT)},
    {"bytes", SWEEP_ONE, 40, read_bytes,
     "bytes of all the data of a communicator: the message, or all ranks' shares together",
     "required", PARAMETER(bytes, BYTES)},
    {"counts", SWEEP_ONE, SUP_COUNTS_TEXT, read_counts,
     "how data that have several owners are divided: `regular`, `mod3`, `degenerate`, "
     "`random:SEED`, `zipf:S:SEED`, `hot:COUNT:FACTOR:SEED`, `banded:WIDTH:SEED`, `file:NAME`",
     .fallback = "`regular`"},
    {"instance", SWEEP_ONE, 200, read_instance, "of a family of problems: of a shift `q=2`",
     .fallback = "the usual one"},
    {"root", SWEEP_ONE, 40, read_root,
     "a rank of the communicator; `step` is the counter of the innermost repeat, from 0, `step+1` "
     "one more, modulo the communicator's size",
     .fallback = "`0`"},
    {"algorithm", SWEEP_ONE, 1000, read_algorithm,
     "a name; `best`, the least by closed forms; `rules:FILE`, by a library's rules; "
     "`native:ompi`, what a library takes; `file:PLAN`",
     .fallback = "the collective's first"},
    {"blocks", SWEEP_ONE, 40, read_blocks, "n, or `best`", "`best`", PARAMETER(n, N)},
    {"ports", SWEEP_ONE, 40, read_parameter, "sends and receives that a rank has in flight at once",
     "`1`", PARAMETER(ports, PORTS)},
    {"radix", SWEEP_ONE, 40, read_parameter, "of algorithms that have one",
     "the algorithm's choice", PARAMETER(radix, RADIX)},
    {"groups", SWEEP_ONE, 1000, read_groups, "sizes such as `4`, or `host`: ranks that share one",
     .fallback = "each rank is alone"},
};
const struct workload_keys workload_move_keys = {"collective", move_fields,
                                                 sizeof move_fields / sizeof *move_fields};

/* ---- Checks ---------------------------------------------------------------------------------- */

/* That a root that is a number is a rank of the smallest communicator, of `least` ranks. */
static int check_root(const struct workload_reading *reading, const struct sweep_node *root,
                      int32_t least)
{
    const struct workload_move *move = &reading->part->step[reading->step].move;
    const struct sim_communicators *set = workload_set_of(reading);
    if (root == NULL || move->root_moves || move->root < least)
        return RB_OK;
    return workload_fault(reading, root, "root",
                          "%" PRId32 ": communicators of %s have %s%" PRId32 " ranks", move->root,
                          set->name, set->shapes > 1 ? "down to " : "", least);
}

/* That the algorithm's condition on p holds for a communicator of each size. */
static int check_sizes(const struct workload_reading *reading, const struct sweep_node *node)
{
    const struct workload_move *move = &reading->part->step[reading->step].move;
    const struct sim_communicators *set = workload_set_of(reading);
    const struct rb_algorithm_info *info =
        move->algorithm == NULL ? NULL : rb_algorithm_find(move->collective->name, move->algorithm);
    if (info == NULL || info->only != NULL || info->ranks == NULL)
        return RB_OK;
    for (int32_t i = 0; i < set->shapes; i++) {
        const int32_t p = sim_communicator_size(set, set->shape[i]);
        const struct rb_plan_spec spec = {
            .collective = info->collective, .algorithm = info->name, .p = p, .n = 1};
        if (!sup_plan_is_supported(&spec))
            return workload_fault(reading, node, "algorithm",
                                  "%s needs %s, and one of %s has %" PRId32 " ranks", info->name,
                                  info->ranks, set->name, p);
    }
    return RB_OK;
}

/* That there are plans for a communicator of each size; that of the smallest is made, if it is made
 * soon. */
int workload_check_plans(struct workload_reading *reading, const struct sweep_node *node)
{
    const struct workload_move *move = &reading->part->step[reading->step].move;
    const struct sim_communicators *set = workload_set_of(reading);
    const struct sweep_node *algorithm = sweep_member(node, "algorithm");
    const struct sweep_node *culprit = algorithm != NULL ? algorithm : move->node;
    const int32_t least = sim_communicator_size(set, set->shape[0]);
    struct sup_error why;
    int status = check_root(reading, sweep_member(node, "root"), least);
    if (status == RB_OK)
        status = check_sizes(reading, culprit);
    reading->planned += least;
    if (status != RB_OK || least > MOST_TRIED || reading->planned > WORKLOAD_RANKS)
        return status;
    return workload_blame(reading, culprit, "algorithm", workload_try_plan(move, least, &why),
                          &why);
}

/* Makes the step one that moves, called "bcast in rows" in tables; its set is known. */
static void name_move(struct workload_reading *reading, const char *kind)
{
    struct sim_step *made = &reading->job->step[reading->step];
    made->kind = SIM_MOVE;
    made->name = made->set == 0 ? sup_strdup(kind)
                                : sup_format("%s in %s", kind, reading->job->set[made->set].name);
}

int workload_read_move(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct workload_move *move = &reading->part->step[reading->step].move;
    move->collective = rb_collective_find(field->key);
    move->element = 1;
    int status = workload_read_mapping(reading, node, &workload_move_keys, move);
    const struct rb_algorithm_info *info = rb_algorithm_find(field->key, move->algorithm);
    if (status == RB_OK && info != NULL && info->only != NULL && info->only->bytes >= 0)
        move->bytes = info->only->bytes;
    else if (status == RB_OK)
        status = workload_require(reading, node, "bytes");
    if (status != RB_OK)
        return status;
    name_move(reading, field->key);
    return workload_check_plans(reading, node);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* The words of sim_pattern_kind, and the keys that each must have, besides. */
static const struct {
    const char *key, *required[2];
} kinds[] = {[SIM_HALO] = {"halo", {"grid", "bytes"}},
             [SIM_PAIRS] = {"pairs", {"bytes", "bytes"}},
             [SIM_MATRIX] = {"matrix", {0}}};

static int read_message_bytes(void *context, const struct sweep_field *field,
                              const struct sweep_node *node)
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

static int read_matrix(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
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
    {"bytes", SWEEP_ONE, 40, read_message_bytes, "of `halo` and `pairs`: bytes of each message",
     "required", .id = ALL},
    {"grid", SWEEP_SOME, 2 * SIM_MOST_DIMENSIONS, workload_take_grid,
     "of `halo`: extents; each rank exchanges with its neighbours in all dimensions", "required",
     .at = offsetof(struct sim_pattern, grid), .id = SIM_HALO},
    {"periodic", SWEEP_ONE, 40, workload_take_choice,
     "of `halo`, `yes` or `no`: the ends of a dimension are neighbours", "`no`",
     .at = offsetof(struct sim_pattern, periodic), .words = {"no", "yes"}, .id = SIM_HALO},
    {"distance", SWEEP_ONE, 40, workload_take_number, "of `pairs`, d: ranks r and r xor d exchange",
     "`1`", .at = offsetof(struct sim_pattern, distance), .least = 1, .id = SIM_PAIRS},
    {"file", SWEEP_ONE, 1000, read_matrix, "of `matrix`: a file of lines `FROM,TO,BYTES`", "none",
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
    name_move(reading, field->key);
    return pattern->kind == SIM_HALO ? check_grid(reading, &pattern->grid, node) : RB_OK;
}
