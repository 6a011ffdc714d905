/* collectives.c - MPI's own collectives: all ranks meet, and each takes its result from what all
 * have brought. */
#include "simulation.h"

#include <string.h>

static int size_of(MPI_Comm comm)
{
    return sm_comm_of(comm)->size;
}

static int rank_of(MPI_Comm comm)
{
    return sm_comm_of(comm)->rank;
}

static char *at(const void *data, int64_t elements, MPI_Datatype type)
{
    return (char *)(uintptr_t)data + elements * sm_type_of(type)->extent;
}

static const struct sm_meeting *bring(MPI_Comm comm, const char *name, const void *data, int count,
                                      MPI_Datatype type)
{
    const size_t bytes = count > 0 ? (size_t)count * sm_type_of(type)->size : 0;
    char *packed = sm_memory(bytes);
    if (count > 0)
        sm_pack(sm_type_of(type), count, data, packed);
    return sm_meet(comm, name, packed, bytes);
}

/* Of what rank r brought, `bytes` bytes from `first` on. */
static int take(const struct sm_meeting *met, int r, size_t first, size_t bytes, void *data,
                int count, MPI_Datatype type, MPI_Comm comm)
{
    const size_t room = (size_t)count * sm_type_of(type)->size;
    sm_unpack(sm_type_of(type), count, data, (char *)met->data[r] + first,
              bytes < room ? bytes : room);
    return bytes > room ? sm_raise(comm, MPI_ERR_TRUNCATE) : sm_refused(comm);
}

int PMPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const int mine = rank_of(comm) == root ? count : 0;
    const struct sm_meeting *met = bring(comm, "MPI_Bcast", data, mine, type);
    return rank_of(comm) == root ? MPI_SUCCESS
                                 : take(met, root, 0, met->bytes[root], data, count, type, comm);
}

/* ---- Reductions ------------------------------------------------------------------------------ */

/* Elements in memory of their own, from data that are packed. */
static char *lay_out(const char *packed, int count, MPI_Datatype type)
{
    const struct sm_type *of = sm_type_of(type);
    char *data = (char *)sm_memory((size_t)(count * of->extent + of->true_extent)) - of->true_lb;
    sm_unpack(of, count, data, packed, (size_t)count * of->size);
    return data;
}

/* Combines `count` elements from `first` on of ranks 0 .. last, into out. */
static int fold(const struct sm_meeting *met, int last, int first, int count, MPI_Datatype type,
                MPI_Op op, void *out, MPI_Comm comm)
{
    const struct sm_type *of = sm_type_of(type);
    const size_t skip = (size_t)first * of->size, bytes = (size_t)count * of->size;
    char *result = lay_out((char *)met->data[last] + skip, count, type), *packed = sm_memory(bytes);
    for (int r = last - 1; r >= 0; r--)
        if (!sm_combine(op, type, lay_out((char *)met->data[r] + skip, count, type), result, count))
            return sm_raise(comm, MPI_ERR_OP);
    sm_pack(of, count, result, packed);
    sm_unpack(of, count, out, packed, bytes);
    return sm_refused(comm);
}

static int reduce(const char *name, const void *in, void *out, int brought, int last, int first,
                  int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const int error = sm_refused(comm);
    if (error != MPI_SUCCESS)
        return error;
    const struct sm_meeting *met = bring(comm, name, in == MPI_IN_PLACE ? out : in, brought, type);
    return last < 0 || count == 0 ? MPI_SUCCESS
                                  : fold(met, last, first, count, type, op, out, comm);
}

int PMPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm)
{
    const int last = rank_of(comm) == root ? size_of(comm) - 1 : -1;
    return reduce("MPI_Reduce", in, out, count, last, 0, count, type, op, comm);
}

int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
{
    return reduce("MPI_Allreduce", in, out, count, size_of(comm) - 1, 0, count, type, op, comm);
}

int PMPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce("MPI_Scan", in, out, count, rank_of(comm), 0, count, type, op, comm);
}

int PMPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce("MPI_Exscan", in, out, count, rank_of(comm) - 1, 0, count, type, op, comm);
}

int PMPI_Reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm)
{
    int all = 0, first = 0;
    for (int r = 0; r < size_of(comm); r++) {
        first += r < rank_of(comm) ? counts[r] : 0;
        all += counts[r];
    }
    return reduce("MPI_Reduce_scatter", in, out, all, size_of(comm) - 1, first,
                  counts[rank_of(comm)], type, op, comm);
}

int PMPI_Reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm)
{
    const int p = size_of(comm);
    return reduce("MPI_Reduce_scatter_block", in, out, p * count, p - 1, rank_of(comm) * count,
                  count, type, op, comm);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

int PMPI_Allgatherv(const void *in, int sent, MPI_Datatype in_type, void *out, const int counts[],
                    const int places[], MPI_Datatype out_type, MPI_Comm comm)
{
    const int me = rank_of(comm);
    const bool in_place = in == MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    const struct sm_meeting *met =
        bring(comm, "MPI_Allgatherv", in_place ? at(out, places[me], out_type) : in,
              in_place ? counts[me] : sent, in_place ? out_type : in_type);
    for (int r = 0; r < size_of(comm) && error == MPI_SUCCESS; r++)
        error =
            take(met, r, 0, met->bytes[r], at(out, places[r], out_type), counts[r], out_type, comm);
    return error;
}

int PMPI_Allgather(const void *in, int sent, MPI_Datatype in_type, void *out, int received,
                   MPI_Datatype out_type, MPI_Comm comm)
{
    int counts[SM_MOST_RANKS], places[SM_MOST_RANKS];
    for (int r = 0; r < size_of(comm); r++) {
        counts[r] = received;
        places[r] = r * received;
    }
    return PMPI_Allgatherv(in, sent, in_type, out, counts, places, out_type, comm);
}

/* A rank brings its counts, then the parts for all. */
int PMPI_Alltoallv(const void *in, const int sent[], const int from[], MPI_Datatype in_type,
                   void *out, const int received[], const int places[], MPI_Datatype out_type,
                   MPI_Comm comm)
{
    const int p = size_of(comm), me = rank_of(comm);
    const bool in_place = in == MPI_IN_PLACE;
    const int *counts = in_place ? received : sent, *first = in_place ? places : from;
    const MPI_Datatype type = in_place ? out_type : in_type;
    size_t end[SM_MOST_RANKS + 1] = {sizeof end};
    int error = MPI_SUCCESS;
    for (int r = 0; r < p; r++)
        end[r + 1] = end[r] + (size_t)counts[r] * sm_type_of(type)->size;
    char *all = sm_memory(end[p]);
    memcpy(all, end, sizeof end);
    for (int r = 0; r < p; r++)
        sm_pack(sm_type_of(type), counts[r], at(in_place ? out : in, first[r], type), all + end[r]);
    const struct sm_meeting *met = sm_meet(comm, "MPI_Alltoallv", all, end[p]);
    for (int r = 0; r < p && error == MPI_SUCCESS; r++) {
        const size_t *its = met->data[r];
        error = take(met, r, its[me], its[me + 1] - its[me], at(out, places[r], out_type),
                     received[r], out_type, comm);
    }
    return error;
}

int PMPI_Alltoall(const void *in, int sent, MPI_Datatype in_type, void *out, int received,
                  MPI_Datatype out_type, MPI_Comm comm)
{
    int out_counts[SM_MOST_RANKS], in_counts[SM_MOST_RANKS], from[SM_MOST_RANKS],
        places[SM_MOST_RANKS];
    for (int r = 0; r < size_of(comm); r++) {
        out_counts[r] = sent;
        in_counts[r] = received;
        from[r] = r * sent;
        places[r] = r * received;
    }
    return PMPI_Alltoallv(in, out_counts, from, in_type, out, in_counts, places, out_type, comm);
}

int PMPI_Scatter(const void *in, int sent, MPI_Datatype in_type, void *out, int received,
                 MPI_Datatype out_type, int root, MPI_Comm comm)
{
    const int p = size_of(comm), me = rank_of(comm);
    const struct sm_meeting *met =
        bring(comm, "MPI_Scatter", in, me == root ? p * sent : 0, in_type);
    const size_t part = met->bytes[root] / (size_t)p;
    return out == MPI_IN_PLACE
               ? MPI_SUCCESS
               : take(met, root, (size_t)me * part, part, out, received, out_type, comm);
}

int PMPI_Gatherv(const void *in, int sent, MPI_Datatype in_type, void *out, const int counts[],
                 const int places[], MPI_Datatype out_type, int root, MPI_Comm comm)
{
    const int me = rank_of(comm);
    int error = MPI_SUCCESS;
    const struct sm_meeting *met =
        bring(comm, "MPI_Gather", in, in == MPI_IN_PLACE ? 0 : sent, in_type);
    for (int r = 0; r < size_of(comm) && me == root && error == MPI_SUCCESS; r++)
        if (r != me || in != MPI_IN_PLACE)
            error = take(met, r, 0, met->bytes[r], at(out, places[r], out_type), counts[r],
                         out_type, comm);
    return error;
}

int PMPI_Gather(const void *in, int sent, MPI_Datatype in_type, void *out, int received,
                MPI_Datatype out_type, int root, MPI_Comm comm)
{
    int counts[SM_MOST_RANKS], places[SM_MOST_RANKS];
    for (int r = 0; r < size_of(comm); r++) {
        counts[r] = received;
        places[r] = r * received;
    }
    return PMPI_Gatherv(in, sent, in_type, out, counts, places, out_type, root, comm);
}
