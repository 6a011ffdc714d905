/* smpi_data.c - what the ranks send each other, and what must come of it. */
#include "smpi.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKED_BYTES = 4 << 20 }; /* of all ranks' buffers: beyond it data are not checked */

static const char *const checked_collectives[] = {"bcast", "reduce", "allgather", "reduce-scatter",
                                                  "allreduce"};

static unsigned char byte_of(int32_t rank, int64_t i)
{
    const uint64_t mixed = ((uint64_t)rank + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                           (uint64_t)i * UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned char)(mixed >> 29 ^ mixed >> 51);
}

void rb_smpi_fill(unsigned char *buffer, int32_t rank, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        buffer[i] = byte_of(rank, i);
}

static bool can_be_checked(const struct rb_smpi_run *run)
{
    const int32_t p = rb_sim_ranks(run->spec);
    if (run->buffer_bytes > CHECKED_BYTES / p)
        return false;
    for (size_t i = 0; i < sizeof checked_collectives / sizeof *checked_collectives; i++)
        if (strcmp(run->collective->name, checked_collectives[i]) == 0)
            return true;
    return false;
}

/* A native allgather of regular counts has shares of one length, as MPI_Allgather wants them: the
 * longest of ours. */
static bool equal_shares(const struct rb_smpi_run *run)
{
    return run->spec->native != NULL && run->spec->layout->first == NULL &&
           !run->collective->reducing;
}

static int64_t first_of(const struct rb_smpi_run *run, int32_t owner)
{
    const struct rb_layout *layout = run->spec->layout;
    const int64_t elements = layout->bytes / layout->element, p = rb_sim_ranks(run->spec);
    if (run->spec->plan != NULL)
        return rb_layout_offset(run->spec->plan, layout, owner, 0) / layout->element;
    if (layout->first != NULL)
        return layout->first[owner];
    if (equal_shares(run))
        return owner * ((elements + p - 1) / p);
    return elements / p * owner + (owner < elements % p ? owner : elements % p);
}

static int deal_shares(struct rb_smpi_run *run, struct rb_error *error)
{
    const int32_t p = rb_sim_ranks(run->spec);
    const struct rb_layout *layout = run->spec->layout;
    run->buffer_bytes = layout->bytes;
    if (!run->collective->parted)
        return RB_OK;
    run->first = malloc(((size_t)p + 1) * sizeof *run->first);
    if (run->first == NULL)
        return rb_fail(error, RB_ENOMEM, "no memory for %d ranks", p);
    for (int32_t owner = 0; owner < p; owner++)
        run->first[owner] = first_of(run, owner);
    run->first[p] = equal_shares(run) ? first_of(run, p) : layout->bytes / layout->element;
    run->buffer_bytes = run->first[p] * layout->element;
    return RB_OK;
}

int rb_smpi_data_init(struct rb_smpi_run *run, struct rb_error *error)
{
    const struct rb_layout *layout = run->spec->layout;
    int status = deal_shares(run, error);
    if (status != RB_OK)
        return status;
    if (run->spec->native != NULL && run->buffer_bytes / layout->element > INT32_MAX)
        return rb_fail(error, RB_EINVAL,
                       "native:%s: MPI counts at most 2147483647 elements; give larger elements",
                       run->spec->native->algorithm);
    run->checked = can_be_checked(run);
    if (!run->checked || !run->collective->reducing)
        return RB_OK;
    run->combined = calloc((size_t)run->buffer_bytes + 1, 1);
    if (run->combined == NULL)
        return rb_fail(error, RB_ENOMEM, "out of memory");
    for (int32_t rank = 0; rank < rb_sim_ranks(run->spec); rank++)
        for (int64_t i = 0; i < run->buffer_bytes; i++)
            run->combined[i] ^= byte_of(rank, i);
    return RB_OK;
}

void rb_smpi_data_free(struct rb_smpi_run *run)
{
    free(run->combined);
    free(run->first);
}

static int32_t root_of(const struct rb_smpi_run *run)
{
    return run->spec->plan != NULL ? rb_plan_root(run->spec->plan) : run->spec->native->root;
}

/* The first wrong byte of begin .. end - 1, which hold the data of `owner`, or all ranks' combined.
 */
static int64_t first_wrong(const struct rb_smpi_run *run, int32_t owner, int64_t begin, int64_t end,
                           const unsigned char *result)
{
    for (int64_t i = begin; i < end; i++)
        if (result[i] != (run->combined != NULL ? run->combined[i] : byte_of(owner, i)))
            return i;
    return -1;
}

int64_t rb_smpi_first_wrong(const struct rb_smpi_run *run, int32_t rank,
                            const unsigned char *result)
{
    const int64_t element = run->spec->layout->element;
    const struct rb_collective_info *collective = run->collective;
    if (!collective->parted)
        return collective->rooted && collective->reducing && rank != root_of(run)
                   ? -1
                   : first_wrong(run, root_of(run), 0, run->buffer_bytes, result);
    for (int32_t owner = 0; owner < rb_sim_ranks(run->spec); owner++) {
        if (collective->reducing && owner != rank)
            continue;
        const int64_t wrong = first_wrong(run, owner, run->first[owner] * element,
                                          run->first[owner + 1] * element, result);
        if (wrong >= 0)
            return wrong;
    }
    return -1;
}
