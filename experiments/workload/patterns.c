/* patterns.c - steps whose messages go by a pattern (sim/workload/pattern.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/units.h"

/* A pattern while its keys are read. */
struct drawing {
    struct workload_reading *reading;
    struct sim_step *step;
    struct sim_pattern *pattern;
};

/* The words of sim_pattern_kind, and the keys that each must have, besides. */
static const struct {
    const char *key, *required[2];
} kinds[] = {[SIM_HALO] = {"halo", {"grid", "bytes"}},
             [SIM_PAIRS] = {"pairs", {"bytes", "bytes"}},
             [SIM_MATRIX] = {"matrix", {"file", "file"}}};

/* That a key is one of this kind's. */
static int belongs(const struct drawing *drawing, const struct sweep_field *field,
                   const struct sweep_node *node, enum sim_pattern_kind kind)
{
    return drawing->pattern->kind == kind ? RB_OK
                                          : workload_fault(drawing->reading, node, field->key,
                                                           "is a key of %s", kinds[kind].key);
}

static int read_in(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct drawing *drawing = context;
    (void)field;
    return workload_find_set(drawing->reading, node, &drawing->step->set);
}

static int read_bytes(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct drawing *drawing = context;
    struct sup_error why;
    if (drawing->pattern->kind == SIM_MATRIX)
        return workload_fault(drawing->reading, node, field->key, "the matrix has them");
    return sup_parse_bytes(node->word, &drawing->pattern->bytes, &why) == RB_OK
               ? RB_OK
               : workload_blame(drawing->reading, node, field->key, &why);
}

static int read_grid(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct drawing *drawing = context;
    const int status = belongs(drawing, field, node, SIM_HALO);
    return status == RB_OK
               ? workload_read_grid(drawing->reading, field->key, node, drawing->pattern->extent,
                                    &drawing->pattern->dimensions)
               : status;
}

static int read_periodic(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    struct drawing *drawing = context;
    const int status = belongs(drawing, field, node, SIM_HALO);
    return status == RB_OK ? workload_read_choice(drawing->reading, field->key, node, "no", "yes",
                                                  &drawing->pattern->periodic)
                           : status;
}

static int read_distance(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    struct drawing *drawing = context;
    int64_t distance = 1;
    int status = belongs(drawing, field, node, SIM_PAIRS);
    if (status == RB_OK)
        status = workload_read_whole(drawing->reading, field->key, node, 1,
                                     drawing->reading->job->ranks, &distance);
    drawing->pattern->distance = (int32_t)distance;
    return status;
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
    struct drawing *drawing = context;
    struct workload_reading *reading = drawing->reading;
    const struct sim_communicators *set = &reading->job->set[drawing->step->set];
    const struct workload_shapes *shapes = &reading->part->shapes[drawing->step->set];
    const struct sup_rank_lines lines = {.columns = "FROM,TO,BYTES",
                                         .ranks = sim_communicator_size(set, shapes->one[0]),
                                         .take = add_message,
                                         .context = drawing->pattern};
    const int status = belongs(drawing, field, node, SIM_MATRIX);
    if (status != RB_OK)
        return status;
    return sim_communicator_size(set, shapes->one[shapes->count - 1]) > MOST_RANKS
               ? workload_fault(reading, node, field->key, "a matrix is of at most 65536 ranks")
               : sup_rank_lines_read(node->word, &lines, NULL, reading->error);
}

static const struct sweep_field pattern_fields[] = {
    {"in", SWEEP_ONE, 64, read_in, "the set of communicators, each of which does it", "`world`"},
    {"bytes", SWEEP_ONE, 40, read_bytes, "of `halo` and `pairs`: bytes of each message",
     "required"},
    {"grid", SWEEP_SOME, 2 * SIM_MOST_DIMENSIONS, read_grid,
     "of `halo`: extents; each rank exchanges with its neighbours in all dimensions", "required"},
    {"periodic", SWEEP_ONE, 40, read_periodic,
     "of `halo`, `yes` or `no`: the ends of a dimension are neighbours", "`no`"},
    {"distance", SWEEP_ONE, 40, read_distance, "of `pairs`, d: ranks r and r xor d exchange",
     "`1`"},
    {"file", SWEEP_ONE, 1000, read_file, "of `matrix`: a file of lines `FROM,TO,BYTES`",
     "required"},
};
const struct workload_keys workload_pattern_keys = {"point to point", pattern_fields,
                                                    sizeof pattern_fields / sizeof *pattern_fields};

/* A grid has as many places as each communicator ranks. */
static int check_grid(const struct drawing *drawing, const struct sweep_node *node)
{
    const struct workload_reading *reading = drawing->reading;
    const struct sim_communicators *set = &reading->job->set[drawing->step->set];
    const struct workload_shapes *shapes = &reading->part->shapes[drawing->step->set];
    double places = 1;
    for (int32_t d = 0; d < drawing->pattern->dimensions; d++)
        places *= drawing->pattern->extent[d];
    for (int32_t i = 0; i < shapes->count && drawing->pattern->kind == SIM_HALO; i++) {
        const int32_t p = sim_communicator_size(set, shapes->one[i]);
        if (p != places)
            return workload_fault(reading, sweep_member(node, "grid"), "grid",
                                  "%.0f places, and one of %s has %" PRId32 " ranks", places,
                                  set->name, p);
    }
    return RB_OK;
}

int workload_read_pattern(struct workload_reading *reading, int32_t step, const char *kind,
                          const struct sweep_node *node)
{
    struct workload_move *move = &reading->part->step[step].move;
    struct drawing drawing = {.reading = reading,
                              .step = &reading->job->step[step],
                              .pattern = sup_calloc(1, sizeof *drawing.pattern)};
    move->pattern = drawing.pattern;
    move->collective = rb_collective_find("none");
    move->element = 1;
    drawing.pattern->distance = 1;
    while (strcmp(kinds[drawing.pattern->kind].key, kind) != 0)
        drawing.pattern->kind++;
    int status = sweep_read_mapping(reading->document, node, pattern_fields,
                                    workload_pattern_keys.count, &drawing, reading->error);
    if (status != RB_OK)
        return status;
    for (int i = 0; i < 2; i++) {
        const char *key = kinds[drawing.pattern->kind].required[i];
        if (sweep_member(node, key) == NULL)
            return workload_fault(reading, node, key, "the key is missing");
    }
    workload_name_move(reading, step, kind);
    return check_grid(&drawing, node);
}
