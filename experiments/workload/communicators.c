/* communicators.c - sets of communicators: arrays by arithmetic, from lists, or from a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_LISTS = 1 << 20 };

/* A set while its keys are read: a number for each rank says which communicator it is in. */
struct making {
    struct workload_reading *reading;
    struct sim_communicators *set;
    const struct sweep_node *kind; /* the key that says which it is */
    struct sim_grid grid;
    bool along[SIM_MOST_DIMENSIONS], has_along;
    int64_t *number;       /* -1: in none */
    struct sup_list order; /* of the members; empty: by number */
};

/* ---- From numbers to a set ------------------------------------------------------------------- */

int workload_by_number(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Replaces numbers by their places among all that there are; those below 0 stay. */
static void count_from_0(int64_t number[], int32_t ranks)
{
    int64_t *sorted = sup_reallocarray(NULL, (size_t)ranks, sizeof *sorted);
    memcpy(sorted, number, (size_t)ranks * sizeof *sorted);
    qsort(sorted, (size_t)ranks, sizeof *sorted, workload_by_number);
    size_t count = 0;
    for (int32_t r = 0; r < ranks; r++)
        if (sorted[r] >= 0 && (count == 0 || sorted[r] != sorted[count - 1]))
            sorted[count++] = sorted[r];
    for (int32_t r = 0; r < ranks; r++)
        if (number[r] >= 0)
            number[r] = (int64_t)sup_array_place(sorted, count, sizeof *sorted, &number[r],
                                                 workload_by_number);
    free(sorted);
}

/* None of the numbers up to the largest is missing. */
static void number_set(struct making *making)
{
    const int32_t ranks = making->reading->job->ranks;
    struct sim_communicators *set = making->set;
    set->of = sup_reallocarray(NULL, (size_t)ranks, sizeof *set->of);
    for (int32_t r = 0; r < ranks; r++) {
        set->of[r] = (int32_t)making->number[r];
        set->count = set->of[r] >= set->count ? set->of[r] + 1 : set->count;
    }
    sim_communicators_fill(set, ranks, making->order.count > 0 ? &making->order : NULL);
}

/* ---- Kinds of sets --------------------------------------------------------------------------- */

static int fault(const struct making *making, const struct sweep_node *node, const char *what)
{
    return workload_fault(making->reading, node, making->set->name, "%s", what);
}

/* That the set has not been given another kind before. */
static int take_kind(struct making *making, const struct sweep_node *node)
{
    if (making->kind != NULL)
        return fault(making, node, "a set has one of grid, blocks, every, lists and file");
    making->kind = node;
    return RB_OK;
}

double workload_grid_places(const struct sim_grid *grid)
{
    double places = 1;
    for (int32_t i = 0; i < grid->dimensions; i++)
        places *= grid->extent[i];
    return places;
}

static int read_grid(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct making *making = reading->into;
    const struct sim_grid *grid = &making->grid;
    char shape[SIM_MOST_DIMENSIONS * 14] = "";
    int status = take_kind(making, node);
    if (status == RB_OK)
        status = workload_take_grid(reading, field, node);
    const double places = workload_grid_places(grid);
    for (int32_t i = 0; i < grid->dimensions; i++)
        sup_append(shape, sizeof shape, " x ", "%" PRId32, grid->extent[i]);
    return status != RB_OK || places == reading->job->ranks
               ? status
               : workload_fault(reading, node, making->set->name,
                                "grid %s has %.0f places, the job %" PRId32 " ranks", shape, places,
                                reading->job->ranks);
}

static int read_along(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct making *making = ((struct workload_reading *)context)->into;
    struct sup_list along = {0};
    if (making->grid.dimensions == 0)
        return fault(making, node, "along is of a grid");
    const int status = workload_read_numbers(making->reading, field->key, node,
                                             making->grid.dimensions - 1, &along);
    for (size_t i = 0; status == RB_OK && i < along.count; i++)
        making->along[along.value[i]] = making->has_along = true;
    sup_list_free(&along);
    return status;
}

/* Ranks whose places differ only along these dimensions are together. */
static void number_grid(struct making *making)
{
    for (int32_t r = 0; r < making->reading->job->ranks; r++) {
        int64_t number = 0, stride = 1;
        for (int32_t i = making->grid.dimensions - 1, rest = r; i >= 0; i--) {
            if (!making->along[i]) {
                number += rest % making->grid.extent[i] * stride;
                stride *= making->grid.extent[i];
            }
            rest /= making->grid.extent[i];
        }
        making->number[r] = number;
    }
}

static int read_blocks(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct making *making = ((struct workload_reading *)context)->into;
    const bool every = strcmp(field->key, "every") == 0;
    int64_t size = 1;
    int status = take_kind(making, node);
    if (status == RB_OK)
        status = workload_read_whole(making->reading, making->set->name, node, 1,
                                     making->reading->job->ranks, &size);
    for (int32_t r = 0; status == RB_OK && r < making->reading->job->ranks; r++)
        making->number[r] = every ? r % size : r / size;
    return status;
}

/* A communicator: its ranks in this order. */
static int add_list(struct making *making, const struct sweep_node *node, int32_t communicator)
{
    const struct workload_reading *reading = making->reading;
    const char *name = making->set->name;
    struct sup_list ranks = {0}, *order = &making->order;
    if (node->kind == SWEEP_LIST && node->count == 0)
        return fault(making, node, "a communicator of no ranks");
    int status = workload_read_numbers(reading, name, node, reading->job->ranks - 1, &ranks);
    for (size_t i = 0; status == RB_OK && i < ranks.count; i++) {
        if (making->number[ranks.value[i]] >= 0)
            status = workload_fault(reading, node, name, "rank %" PRId64 " is in two of them",
                                    ranks.value[i]);
        making->number[ranks.value[i]] = communicator;
        sup_grow(&order->value, order->count, sizeof *order->value);
        order->value[order->count++] = ranks.value[i];
    }
    sup_list_free(&ranks);
    return status;
}

static int read_lists(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct making *making = ((struct workload_reading *)context)->into;
    int status = take_kind(making, node);
    (void)field;
    if (status == RB_OK && (node->kind != SWEEP_LIST || node->count > MOST_LISTS))
        status = fault(making, node, "a list of lists of ranks is required here");
    if (status == RB_OK && node->count == 0)
        status = fault(making, node, "a communicator of no ranks");
    for (size_t i = 0; status == RB_OK && i < node->count; i++)
        status = add_list(making, node->item[i], (int32_t)i);
    return status;
}

static int take_colour(void *context, const int32_t rank[2], const char *text,
                       struct sup_error *error)
{
    return sup_parse_int(text, 0, INT64_MAX, &((int64_t *)context)[rank[0]], error);
}

/* As MPI_Comm_split: the ranks of one colour are together. */
static int read_file(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct making *making = ((struct workload_reading *)context)->into;
    const int32_t ranks = making->reading->job->ranks;
    bool any = false;
    (void)field;
    int status = take_kind(making, node);
    if (status == RB_OK)
        status = workload_read_ranks(making->reading, node->word, take_colour, making->number);
    count_from_0(making->number, ranks);
    for (int32_t r = 0; r < ranks; r++)
        any = any || making->number[r] >= 0;
    return status != RB_OK || any ? status : fault(making, node, "a communicator of no ranks");
}

static const struct sweep_field set_fields[] = {
    {"grid", SWEEP_SOME, 2 * SIM_MOST_DIMENSIONS, read_grid,
     "extents of a grid of all ranks, the last one counting fastest", "none",
     .at = offsetof(struct making, grid)},
    {"along", SWEEP_SOME, SIM_MOST_DIMENSIONS, read_along,
     "the dimensions, from 0, in which the ranks of a communicator differ: of `[8, 8]` 1 gives the "
     "rows, 0 the columns, of `[4, 4, 4]` `[1, 2]` the faces",
     .fallback = "required for a grid"},
    {"blocks", SWEEP_ONE, 40, read_blocks,
     "ranks in a row that are a communicator; the last may have fewer", .fallback = "none"},
    {"every", SWEEP_ONE, 40, read_blocks, "k: ranks r, r + k, r + 2 k, … are a communicator",
     .fallback = "none"},
    {"lists", SWEEP_ANY, 0, read_lists,
     "lists of ranks, each a communicator in this order; ranks that none has skip its steps",
     .fallback = "none"},
    {"file", SWEEP_ONE, 1000, read_file,
     "a file of lines `RANK,COLOUR`, as for `MPI_Comm_split`: ranks of one colour are together",
     .fallback = "none"},
};
const struct workload_keys workload_set_keys = {"communicators", set_fields,
                                                sizeof set_fields / sizeof *set_fields};

/* ---- All sets of a job ----------------------------------------------------------------------- */

static int read_set(struct workload_reading *reading, const struct sweep_node *name,
                    const struct sweep_node *node)
{
    struct sim_job *job = reading->job;
    struct making making = {.reading = reading};
    for (int32_t i = 0; i < job->sets; i++)
        if (name->kind == SWEEP_WORD && strcmp(job->set[i].name, name->word) == 0)
            return workload_fault(reading, name, name->word,
                                  i == 0 ? "is there already: all ranks" : "is given twice");
    if (name->kind != SWEEP_WORD || name->word[0] == '\0' || strlen(name->word) > 64)
        return workload_fault(reading, name, "communicators",
                              "a name of at most 64 letters is required here");
    reading->places += job->ranks;
    if (reading->places > WORKLOAD_PLACES)
        return workload_fault(reading, name, name->word,
                              "the sets of all jobs together have more than %d ranks",
                              WORKLOAD_PLACES);
    sup_grow(&job->set, (size_t)job->sets, sizeof *job->set);
    making.set = &job->set[job->sets++];
    *making.set = (struct sim_communicators){.name = sup_strdup(name->word)};
    making.number = sup_calloc((size_t)job->ranks, sizeof *making.number);
    memset(making.number, 0xff, (size_t)job->ranks * sizeof *making.number); /* -1 */
    int status = workload_read_mapping(reading, node, &workload_set_keys, &making);
    if (status == RB_OK && making.kind == NULL)
        status = fault(&making, node, "a set has one of grid, blocks, every, lists and file");
    if (status == RB_OK && making.grid.dimensions > 0 && !making.has_along)
        status = fault(&making, node, "along is missing: the dimensions of its communicators");
    if (status == RB_OK && making.grid.dimensions > 0)
        number_grid(&making);
    if (status == RB_OK)
        number_set(&making);
    free(making.number);
    sup_list_free(&making.order);
    return status;
}

int workload_read_sets(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    int status = RB_OK;
    if (node->kind != SWEEP_MAPPING)
        return workload_fault(reading, node, field->key, "lines 'name: {…}' are required here");
    for (size_t i = 0; i + 1 < node->count && status == RB_OK; i += 2)
        status = read_set(reading, node->item[i], node->item[i + 1]);
    return status;
}

int workload_take_set(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    const struct sim_job *job = reading->job;
    const char **names = sup_calloc((size_t)job->sets, sizeof *names);
    char hint[SUP_HINT_SIZE];
    int32_t set = 0;
    while (set < job->sets && strcmp(job->set[set].name, node->word) != 0)
        set++;
    for (int32_t i = 0; i < job->sets; i++)
        names[i] = job->set[i].name;
    sup_hint(node->word, names, (size_t)job->sets, "", hint);
    free(names);
    job->step[reading->step].set = set < job->sets ? set : 0;
    return set < job->sets ? RB_OK
                           : workload_fault(reading, node, field->key, "no communicator '%s'%s%s",
                                            node->word, hint[0] != '\0' ? "; " : "", hint);
}
