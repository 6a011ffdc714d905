/* smpi_data.c - the data that the ranks send each other, and the expected results. */
#include "smpi.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKED_BYTES = 4 << 20 }; /* of all ranks' buffers: beyond it data are not checked */

/* The expected results of ranks; other collectives are not checked. */
enum whose { THE_ROOTS, THE_OWNERS, ALL_COMBINED };
static const struct outcome {
    const char *collective;
    bool at_root; /* only there */
    bool share;   /* if the data are distributed, only its own share */
    enum whose data;
} outcomes[] = {
    {"bcast", false, false, THE_ROOTS},
    {"reduce", true, false, ALL_COMBINED},
    {"allreduce", false, false, ALL_COMBINED},
    {"allgather", false, false, THE_OWNERS},
    {"reduce-scatter", false, true, ALL_COMBINED},
    {"scatter", false, true, THE_ROOTS},
    {"gather", true, false, THE_OWNERS},
    {"alltoall", false, false, THE_OWNERS},
};

static const struct outcome *outcome_of(const struct simmpi_run *run)
{
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        if (strcmp(run->collective->name, outcomes[i].collective) == 0)
            return &outcomes[i];
    return NULL;
}

static unsigned char byte_of(int32_t rank, int64_t i)
{
    const uint64_t mixed = ((uint64_t)rank + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                           (uint64_t)i * UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned char)(mixed >> 29 ^ mixed >> 51);
}

void simmpi_fill(unsigned char *buffer, int32_t rank, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        buffer[i] = byte_of(rank, i);
}

/* ---- Shares of the data ---- */

/* Natives of regular counts have shares of one length, as MPI_Allgather wants them: the longest of
 * ours. MPI_Reduce_scatter takes any. */
static bool equal_shares(const struct simmpi_run *run)
{
    return run->spec->native != NULL && run->spec->layout->first == NULL &&
           !run->collective->reducing;
}

static int64_t elements_of(const struct simmpi_run *run)
{
    return run->spec->layout->bytes / run->spec->layout->element;
}

static int64_t first_of(const struct simmpi_run *run, int32_t owner)
{
    const struct rb_layout *layout = run->spec->layout;
    const int64_t p = sim_ranks(run->spec);
    if (layout->first != NULL)
        return layout->first[owner];
    if (equal_shares(run))
        return owner * ((elements_of(run) + p - 1) / p);
    return rb_deal_before(elements_of(run), p, owner);
}

/* Elements that `owner` has for a rank. */
static int64_t part_length(const struct simmpi_run *run, int32_t owner, int32_t rank)
{
    const int64_t *first = run->spec->layout->first, p = sim_ranks(run->spec);
    const int64_t part = owner * p + rank;
    if (first != NULL)
        return first[part + 1] - first[part];
    if (equal_shares(run))
        return run->first[1];
    return rb_deal_before(elements_of(run), p * p, part + 1) -
           rb_deal_before(elements_of(run), p * p, part);
}

static int64_t longest_part(const struct simmpi_run *run)
{
    const int64_t *first = run->spec->layout->first, p = sim_ranks(run->spec);
    if (first == NULL)
        return (elements_of(run) + p * p - 1) / (p * p);
    int64_t longest = 0;
    for (int64_t part = 0; part < p * p; part++)
        if (first[part + 1] - first[part] > longest)
            longest = first[part + 1] - first[part];
    return longest;
}

static void deal_shares(struct simmpi_run *run)
{
    const int32_t p = sim_ranks(run->spec);
    run->buffer_bytes = run->spec->layout->bytes;
    if (!run->collective->distributed)
        return;
    run->first = sup_malloc(((size_t)p + 1) * sizeof *run->first);
    const int64_t row = run->collective->personalized ? longest_part(run) : 0;
    for (int32_t owner = 0; owner <= p; owner++)
        run->first[owner] = run->collective->personalized ? owner * row : first_of(run, owner);
    run->buffer_bytes = (run->first[p] + row) * run->spec->layout->element;
}

/* Parts of several blocks are not, since the executor wants them to be of one length. */
static bool can_be_checked(const struct simmpi_run *run)
{
    const struct rb_plan *plan = run->spec->plan;
    if (plan != NULL && run->collective->personalized && rb_plan_blocks(plan) > rb_plan_parts(plan))
        return false;
    return run->buffer_bytes <= CHECKED_BYTES / sim_ranks(run->spec) && outcome_of(run) != NULL;
}

int simmpi_data_init(struct simmpi_run *run, struct sup_error *error)
{
    const struct rb_algorithm_info *algorithm =
        run->spec->plan != NULL ? rb_plan_algorithm(run->spec->plan) : NULL;
    if (algorithm != NULL && rb_is_by_place(algorithm))
        return sup_fail(error, RB_ENOTSUP,
                        "%.200s: the engine smpi moves data, and a schedule that is no round plan "
                        "does not name them: try flow, simgrid or model",
                        algorithm->only->file);
    deal_shares(run);
    if (run->spec->native != NULL && run->buffer_bytes / run->spec->layout->element > INT32_MAX)
        return sup_fail(error, RB_EINVAL,
                        "native:%s: MPI counts at most 2147483647 elements; give larger elements",
                        run->spec->native->algorithm);
    run->checked = can_be_checked(run);
    if (!run->checked || !run->collective->reducing)
        return RB_OK;
    run->combined = sup_calloc((size_t)run->buffer_bytes + 1, 1);
    for (int32_t rank = 0; rank < sim_ranks(run->spec); rank++)
        for (int64_t i = 0; i < run->buffer_bytes; i++)
            run->combined[i] ^= byte_of(rank, i);
    return RB_OK;
}

void simmpi_data_free(struct simmpi_run *run)
{
    free(run->combined);
    free(run->first);
}

static int32_t root_of(const struct simmpi_run *run)
{
    return run->spec->plan != NULL ? rb_plan_root(run->spec->plan) : run->spec->native->root;
}

static unsigned char expected(const struct simmpi_run *run, const struct outcome *outcome,
                              int32_t owner, int64_t i)
{
    if (outcome->data == ALL_COMBINED)
        return run->combined[i];
    return byte_of(outcome->data == THE_OWNERS ? owner : root_of(run), i);
}

/* Row `owner` holds what that rank had in the row of this one. */
static int64_t first_wrong_personalized(const struct simmpi_run *run, int32_t rank, int32_t owner,
                                        const unsigned char *result)
{
    const int64_t element = run->spec->layout->element;
    const int64_t here = run->first[owner] * element, there = run->first[rank] * element;
    for (int64_t i = 0; i < part_length(run, owner, rank) * element; i++)
        if (result[here + i] != byte_of(owner, there + i))
            return here + i;
    return -1;
}

/* Of bytes begin .. end - 1, the data of owner. */
static int64_t first_wrong(const struct simmpi_run *run, int32_t owner, int64_t begin, int64_t end,
                           const unsigned char *result)
{
    const struct outcome *outcome = outcome_of(run);
    for (int64_t i = begin; i < end; i++)
        if (result[i] != expected(run, outcome, owner, i))
            return i;
    return -1;
}

int64_t simmpi_first_wrong(const struct simmpi_run *run, int32_t rank, const unsigned char *result)
{
    const int64_t element = run->spec->layout->element;
    const struct outcome *outcome = outcome_of(run);
    int64_t wrong = -1;
    if (outcome->at_root && rank != root_of(run))
        return -1;
    if (!run->collective->distributed)
        return first_wrong(run, 0, 0, run->buffer_bytes, result);
    for (int32_t owner = 0; owner < sim_ranks(run->spec) && wrong < 0; owner++)
        if (run->collective->personalized)
            wrong = first_wrong_personalized(run, rank, owner, result);
        else if (!outcome->share || owner == rank)
            wrong = first_wrong(run, owner, run->first[owner] * element,
                                run->first[owner + 1] * element, result);
    return wrong;
}
