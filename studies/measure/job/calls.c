/* calls.c - the collectives that can be measured (job.h). PMPI_ functions are the MPI library's
 * own, even if a library is preloaded. Data to combine are unsigned numbers, whose sums wrap
 * around. */
#include "job.h"

#include <roundabout-mpi.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "schedules/plan/random.h"
#include "support/memory.h"

/* ---- Bytes that move ------------------------------------------------------------------------- */

static int run_bcast(const struct job_call_data *d, bool ours)
{
    return (ours ? RB_Bcast : PMPI_Bcast)(d->in, (int)d->bytes, MPI_BYTE, d->root, d->comm);
}

static int run_allgather(const struct job_call_data *d, bool ours)
{
    const int mine = d->count[d->rank];
    if (d->even)
        return (ours ? RB_Allgather : PMPI_Allgather)(d->out, mine, MPI_BYTE, d->in, mine, MPI_BYTE,
                                                      d->comm);
    return (ours ? RB_Allgatherv : PMPI_Allgatherv)(d->out, mine, MPI_BYTE, d->in, d->count,
                                                    d->first, MPI_BYTE, d->comm);
}

static int run_alltoall(const struct job_call_data *d, bool ours)
{
    const int part = d->count[0];
    if (d->even)
        return (ours ? RB_Alltoall : PMPI_Alltoall)(d->out, part, MPI_BYTE, d->in, part, MPI_BYTE,
                                                    d->comm);
    return (ours ? RB_Alltoallv : PMPI_Alltoallv)(d->out, d->out_count, d->out_first, MPI_BYTE,
                                                  d->in, d->count, d->first, MPI_BYTE, d->comm);
}

static int run_scatter(const struct job_call_data *d, bool ours)
{
    const int part = d->count[d->rank];
    return (ours ? RB_Scatter : PMPI_Scatter)(d->out, part, MPI_BYTE, d->in, part, MPI_BYTE,
                                              d->root, d->comm);
}

static int run_gather(const struct job_call_data *d, bool ours)
{
    const int part = d->count[d->rank];
    return (ours ? RB_Gather : PMPI_Gather)(d->out, part, MPI_BYTE, d->in, part, MPI_BYTE, d->root,
                                            d->comm);
}

/* ---- Numbers that are combined --------------------------------------------------------------- */

static int all_numbers(const struct job_call_data *d)
{
    return (int)(d->bytes / (int64_t)sizeof(unsigned));
}

static int run_reduce(const struct job_call_data *d, bool ours)
{
    return (ours ? RB_Reduce : PMPI_Reduce)(d->out, d->in, all_numbers(d), MPI_UNSIGNED, MPI_SUM,
                                            d->root, d->comm);
}

static int run_allreduce(const struct job_call_data *d, bool ours)
{
    return (ours ? RB_Allreduce : PMPI_Allreduce)(d->out, d->in, all_numbers(d), MPI_UNSIGNED,
                                                  MPI_SUM, d->comm);
}

static int run_scan(const struct job_call_data *d, bool ours)
{
    return (ours ? RB_Scan : PMPI_Scan)(d->out, d->in, all_numbers(d), MPI_UNSIGNED, MPI_SUM,
                                        d->comm);
}

static int run_exscan(const struct job_call_data *d, bool ours)
{
    return (ours ? RB_Exscan : PMPI_Exscan)(d->out, d->in, all_numbers(d), MPI_UNSIGNED, MPI_SUM,
                                            d->comm);
}

static int run_reduce_scatter(const struct job_call_data *d, bool ours)
{
    if (d->even)
        return (ours ? RB_Reduce_scatter_block : PMPI_Reduce_scatter_block)(
            d->out, d->in, d->count[d->rank], MPI_UNSIGNED, MPI_SUM, d->comm);
    return (ours ? RB_Reduce_scatter : PMPI_Reduce_scatter)(d->out, d->in, d->count, MPI_UNSIGNED,
                                                            MPI_SUM, d->comm);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static int64_t all_bytes(const struct job_call_data *d)
{
    return d->bytes;
}

static int64_t at_the_root(const struct job_call_data *d)
{
    return d->rank == d->root ? d->bytes : 0;
}

static int64_t my_numbers(const struct job_call_data *d)
{
    return (int64_t)d->count[d->rank] * (int64_t)sizeof(unsigned);
}

static int64_t my_bytes(const struct job_call_data *d)
{
    return d->count[d->rank];
}

static int64_t not_at_rank_0(const struct job_call_data *d)
{
    return d->rank > 0 ? d->bytes : 0;
}

static int64_t what_came(const struct job_call_data *d)
{
    return d->first[d->p - 1] + d->count[d->p - 1];
}

static const struct job_measured_call calls[] = {
    {"bcast", 1, run_bcast, all_bytes, false},
    {"reduce", sizeof(unsigned), run_reduce, at_the_root, false},
    {"allreduce", sizeof(unsigned), run_allreduce, all_bytes, false},
    {"allgather", 1, run_allgather, all_bytes, false},
    {"reduce-scatter", sizeof(unsigned), run_reduce_scatter, my_numbers, false},
    {"alltoall", 1, run_alltoall, what_came, false},
    {"scatter", 1, run_scatter, my_bytes, true},
    {"gather", 1, run_gather, at_the_root, true},
    {"scan", sizeof(unsigned), run_scan, all_bytes, false},
    {"exscan", sizeof(unsigned), run_exscan, not_at_rank_0, false},
};

const struct job_measured_call *job_measured_call_find(const char *collective)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].collective, collective) == 0)
            return &calls[i];
    return NULL;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* The elements before a part; as even as possible if the layout does not say. */
static int64_t before(const struct rb_layout *layout, int64_t parts, int64_t part)
{
    return layout->first != NULL ? layout->first[part]
                                 : rb_deal_before(layout->bytes / layout->element, parts, part);
}

static void deal(struct job_call_data *data, const struct rb_layout *layout)
{
    for (int r = 0; r < data->p; r++) {
        data->first[r] = (int)before(layout, data->p, r);
        data->count[r] = (int)before(layout, data->p, r + 1) - data->first[r];
    }
    data->even = layout->first == NULL && layout->bytes / layout->element % data->p == 0;
}

/* Part d of owner j is number j p + d of them all. */
static void deal_personalized(struct job_call_data *data, const struct rb_layout *layout)
{
    const int64_t p = data->p, parts = p * p, mine = before(layout, parts, data->rank * p);
    int64_t got = 0;
    for (int r = 0; r < data->p; r++) {
        const int64_t out = data->rank * p + r, in = r * p + data->rank;
        data->out_first[r] = (int)(before(layout, parts, out) - mine);
        data->out_count[r] = (int)(before(layout, parts, out + 1) - before(layout, parts, out));
        data->first[r] = (int)got;
        data->count[r] = (int)(before(layout, parts, in + 1) - before(layout, parts, in));
        got += data->count[r];
    }
    data->even = layout->first == NULL && layout->bytes / layout->element % parts == 0;
}

int job_call_data_init(struct job_call_data *data, const struct job_measured_call *call,
                       const struct rb_collective_info *collective, MPI_Comm comm, int root,
                       int64_t bytes, const struct sup_counts *counts, struct sup_error *error)
{
    struct rb_layout layout = {.bytes = bytes, .element = call->element_bytes};
    int64_t *owned;
    *data = (struct job_call_data){.comm = comm, .root = root, .bytes = bytes};
    MPI_Comm_size(comm, &data->p);
    MPI_Comm_rank(comm, &data->rank);
    const size_t room = bytes > 0 ? (size_t)bytes : 1, ranks = (size_t)data->p;
    data->out = sup_malloc(room);
    data->in = sup_malloc(room);
    data->count = sup_calloc(ranks, sizeof *data->count);
    data->first = sup_calloc(ranks, sizeof *data->first);
    data->out_count = sup_calloc(ranks, sizeof *data->out_count);
    data->out_first = sup_calloc(ranks, sizeof *data->out_first);
    const int status = sup_counts_apply(counts, collective, data->p, &layout, &owned, error);
    if (status == RB_OK)
        (collective->personalized ? deal_personalized : deal)(data, &layout);
    free(owned);
    return status;
}

void job_call_data_free(struct job_call_data *data)
{
    free(data->out);
    free(data->in);
    free(data->count);
    free(data->first);
    free(data->out_count);
    free(data->out_first);
    *data = (struct job_call_data){0};
}

void job_call_data_fill(struct job_call_data *data, uint64_t seed)
{
    uint64_t state = seed * 2147483647u + (uint64_t)data->rank;
    for (int64_t i = 0; i < data->bytes; i++) {
        const uint64_t random = rb_random_below(&state, 1u << 16);
        data->out[i] = (char)random;
        data->in[i] = (char)(random >> 8);
    }
}
