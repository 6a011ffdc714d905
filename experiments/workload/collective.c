/* collective.c - a collective of a step: what is moved, by which algorithm. */
#include <inttypes.h>
#include <string.h>

#include "experiments/point/words.h"
#include "experiments/workload/reading.h"
#include "mpi/vendors/rules/rules.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/units.h"

enum { MOST_TRIED = 1 << 16 }; /* ranks for which a plan is made when the file is read */

/* A step's collective while its keys are read. */
struct moving {
    struct workload_reading *reading;
    struct workload_move *move;
    struct sim_step *step;
    const struct sweep_node *root, *algorithm; /* where they stand; NULL: they are not given */
};

static int read_in(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct moving *moving = context;
    (void)field;
    return workload_find_set(moving->reading, node, &moving->step->set);
}

/* A parameter of a point, with its bounds. */
static int read_number(const struct moving *moving, const struct sweep_field *field,
                       const struct sweep_node *node, enum point_id id, int64_t *value)
{
    const struct cli_option *option = &point_parameters[id].option;
    struct sup_error why;
    int status = option->type == CLI_OPT_BYTES
                     ? sup_parse_bytes(node->word, value, &why)
                     : sup_parse_int(node->word, option->least, option->most, value, &why);
    if (status == RB_OK && option->most > 0 && (*value < option->least || *value > option->most))
        status = sup_fail(&why, RB_EINVAL, "\"%s\" is not from %" PRId64 " to %" PRId64, node->word,
                          option->least, option->most);
    return status == RB_OK ? RB_OK : workload_blame(moving->reading, node, field->key, &why);
}

static int read_element(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct moving *moving = context;
    return read_number(moving, field, node, POINT_ELEMENT, &moving->move->element);
}

static int read_bytes(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct moving *moving = context;
    struct workload_move *move = moving->move;
    const int status = read_number(moving, field, node, POINT_BYTES, &move->bytes);
    return status != RB_OK || move->bytes % move->element == 0
               ? status
               : workload_fault(moving->reading, node, field->key,
                                "%" PRId64 " is not a multiple of element-bytes, %" PRId64,
                                move->bytes, move->element);
}

static int read_counts(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct moving *moving = context;
    struct sup_error why;
    int status = sup_counts_parse(node->word, &moving->move->counts, &why);
    if (status == RB_OK)
        status = sup_counts_check(&moving->move->counts, moving->move->collective, &why);
    return status == RB_OK ? RB_OK : workload_blame(moving->reading, node, field->key, &why);
}

/* 9, step, or step+9. */
static int read_root(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    static const char step[] = "step";
    struct moving *moving = context;
    struct workload_move *move = moving->move;
    const char *number = node->word;
    int64_t root = 0;
    if (!move->collective->rooted)
        return workload_fault(moving->reading, node, field->key, "%s has none",
                              move->collective->name);
    move->root_moves = strncmp(number, step, strlen(step)) == 0;
    if (move->root_moves) {
        number += strlen(step);
        number = number[0] == '\0' ? "0" : number[0] == '+' ? number + 1 : "";
    }
    if (sup_parse_int(number, 0, RB_MAX_RANKS, &root, NULL) != RB_OK)
        return workload_fault(moving->reading, node, field->key,
                              "\"%s\" is not a rank, step, or step+1, say", node->word);
    move->root = (int32_t)root;
    moving->root = node;
    return RB_OK;
}

static int read_algorithm(void *context, const struct sweep_field *field,
                          const struct sweep_node *node)
{
    struct moving *moving = context;
    struct workload_move *move = moving->move;
    const char *collective = move->collective->name;
    static const char option[] = "--algorithm: ";
    struct sup_error why;
    int status = RB_OK;
    moving->algorithm = node;
    move->algorithm = sup_algorithm_names(node->word);
    if (strncmp(node->word, WORKLOAD_RULES, strlen(WORKLOAD_RULES)) == 0)
        status = rules_read(node->word + strlen(WORKLOAD_RULES), NULL, &move->rules, &why);
    else if (sim_native_name(move->algorithm) == NULL &&
             strcmp(move->algorithm, WORKLOAD_BEST) != 0)
        status = cli_check_algorithm(collective, move->algorithm, &why);
    if (status == RB_OK)
        return RB_OK;
    const char *text = why.text + (strncmp(why.text, option, strlen(option)) == 0) * strlen(option);
    return workload_fault(moving->reading, node, field->key, "%s", text);
}

static int read_blocks(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct moving *moving = context;
    struct workload_move *move = moving->move;
    if (strcmp(node->word, WORKLOAD_BEST) == 0)
        return RB_OK;
    if (workload_is_librarys(move))
        return workload_fault(moving->reading, node, field->key, "the library chooses them");
    return read_number(moving, field, node, POINT_N, &move->n);
}

static int read_ports(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct moving *moving = context;
    int64_t value = 0;
    const bool radix = strcmp(field->key, "radix") == 0;
    const int status = read_number(moving, field, node, radix ? POINT_RADIX : POINT_PORTS, &value);
    *(radix ? &moving->move->radix : &moving->move->ports) = (int32_t)value;
    return status;
}

static int read_groups(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct moving *moving = context;
    struct sup_error why;
    moving->move->groups = sup_strdup(node->word);
    return strcmp(node->word, WORKLOAD_HOST) == 0 ||
                   point_check_groups(node->word, false, &why) == RB_OK
               ? RB_OK
               : workload_blame(moving->reading, node, field->key, &why);
}

static int read_instance(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    struct moving *moving = context;
    moving->move->instance = sup_strdup(node->word);
    return moving->move->collective->instance != NULL
               ? RB_OK
               : workload_fault(moving->reading, node, field->key, "%s has no instances",
                                moving->move->collective->name);
}

static const struct sweep_field move_fields[] = {
    {"in", SWEEP_ONE, 64, read_in, "the set of communicators, each of which does it", "`world`"},
    {"element-bytes", SWEEP_ONE, 40, read_element, "bytes of an element", "`1`"},
    {"bytes", SWEEP_ONE, 40, read_bytes,
     "bytes of all the data of a communicator: the message, or all ranks' shares together",
     "required"},
    {"counts", SWEEP_ONE, 40, read_counts,
     "how data that have several owners are divided: `regular`, `mod3`, `degenerate`, "
     "`random:SEED`",
     "`regular`"},
    {"instance", SWEEP_ONE, 200, read_instance, "of a family of problems: of a shift `q=2`",
     "the usual one"},
    {"root", SWEEP_ONE, 40, read_root,
     "a rank of the communicator; `step` is the counter of the innermost repeat, from 0, `step+1` "
     "one more, modulo the communicator's size",
     "`0`"},
    {"algorithm", SWEEP_ONE, 1000, read_algorithm,
     "a name; `best`, the least by closed forms; `rules:FILE`, by a library's rules; "
     "`native:ompi`, what a library takes; `file:PLAN`",
     "the collective's first"},
    {"blocks", SWEEP_ONE, 40, read_blocks, "n, or `best`", "`best`"},
    {"ports", SWEEP_ONE, 40, read_ports, "sends and receives that a rank has in flight at once",
     "`1`"},
    {"radix", SWEEP_ONE, 40, read_ports, "of algorithms that have one", "the algorithm's choice"},
    {"groups", SWEEP_ONE, 1000, read_groups, "sizes such as `4`, or `host`: ranks that share one",
     "each rank is alone"},
};
const struct workload_keys workload_move_keys = {"collective", move_fields,
                                                 sizeof move_fields / sizeof *move_fields};

/* ---- Checks ---------------------------------------------------------------------------------- */

/* That a root that is a number is a rank of the smallest communicator. */
static int check_root(const struct moving *moving, const struct workload_shapes *shapes)
{
    const struct sim_communicators *set = &moving->reading->job->set[moving->step->set];
    const int32_t least = sim_communicator_size(set, shapes->one[0]);
    if (moving->root == NULL || moving->move->root_moves || moving->move->root < least)
        return RB_OK;
    return workload_fault(moving->reading, moving->root, "root",
                          "%" PRId32 ": communicators of %s have %s%" PRId32 " ranks",
                          moving->move->root, set->name, shapes->count > 1 ? "down to " : "",
                          least);
}

/* That there are plans for a communicator of each size: by the algorithm's condition on p; and the
 * plan of the smallest, if it is made soon. */
static int check_plans(const struct moving *moving, const struct workload_shapes *shapes)
{
    struct workload_reading *reading = moving->reading;
    const struct workload_move *move = moving->move;
    const struct sim_communicators *set = &reading->job->set[moving->step->set];
    const struct sweep_node *node = moving->algorithm != NULL ? moving->algorithm : move->node;
    const struct rb_algorithm_info *info =
        move->algorithm == NULL ? NULL : rb_algorithm_find(move->collective->name, move->algorithm);
    struct sup_error why;
    for (int32_t i = 0;
         i < shapes->count && info != NULL && info->only == NULL && info->ranks != NULL; i++) {
        const int32_t p = sim_communicator_size(set, shapes->one[i]);
        const struct rb_plan_spec spec = {
            .collective = info->collective, .algorithm = info->name, .p = p, .n = 1};
        if (!sup_plan_is_supported(&spec))
            return workload_fault(reading, node, "algorithm",
                                  "%s needs %s, and one of %s has %" PRId32 " ranks", info->name,
                                  info->ranks, set->name, p);
    }
    const int32_t least = sim_communicator_size(set, shapes->one[0]);
    reading->planned += least;
    if (least > MOST_TRIED || reading->planned > WORKLOAD_RANKS)
        return RB_OK;
    return workload_try_plan(move, least, &why) == RB_OK
               ? RB_OK
               : workload_blame(reading, node, "algorithm", &why);
}

void workload_name_move(struct workload_reading *reading, int32_t step, const char *kind)
{
    struct sim_step *made = &reading->job->step[step];
    made->kind = SIM_MOVE;
    made->name = made->set == 0 ? sup_strdup(kind)
                                : sup_format("%s in %s", kind, reading->job->set[made->set].name);
}

int workload_read_move(struct workload_reading *reading, int32_t step, const char *collective,
                       const struct sweep_node *node)
{
    struct moving moving = {.reading = reading,
                            .move = &reading->part->step[step].move,
                            .step = &reading->job->step[step]};
    struct workload_move *move = moving.move;
    move->collective = rb_collective_find(collective);
    move->element = 1;
    int status = sweep_read_mapping(reading->document, node, move_fields, workload_move_keys.count,
                                    &moving, reading->error);
    if (status != RB_OK)
        return status;
    const struct workload_shapes *shapes = &reading->part->shapes[moving.step->set];
    workload_name_move(reading, step, collective);
    const struct rb_algorithm_info *info = rb_algorithm_find(collective, move->algorithm);
    if (info != NULL && info->only != NULL && info->only->bytes >= 0)
        move->bytes = info->only->bytes;
    else if (sweep_member(node, "bytes") == NULL)
        return workload_fault(moving.reading, node, "bytes", "the key is missing");
    status = check_root(&moving, shapes);
    return status == RB_OK ? check_plans(&moving, shapes) : status;
}
