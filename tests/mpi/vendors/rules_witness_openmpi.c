/* rules_witness_openmpi.c - functions with the names of Open MPI's algorithms
 * (coll_base_functions.h, 4.1). The program exports them, so coll/tuned calls these, which note the
 * call and do what they stand for. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules_on_mpi.h"

const char witness_format[] = "ompi";
const bool witness_names = true;
const int witness_sizes = 7;
const int witness_least_p = 2;
const int witness_most_p = 5;

static struct witness_algorithm seen;

void witness_start(void)
{
    seen = (struct witness_algorithm){.call = NULL};
}

struct witness_algorithm witness_algorithm(void)
{
    return seen;
}

uint64_t witness_messages(void)
{
    return 0;
}

void witness_learn(int rank)
{
    (void)rank;
}

static void note(const char *call, int id, int64_t segment_bytes, int32_t fan)
{
    if (seen.call == NULL)
        seen = (struct witness_algorithm){call, id, segment_bytes, fan};
}

static void *find(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        fprintf(stderr, "Open MPI has no %s\n", name);
        abort();
    }
    return symbol;
}

/* A function of these parameters, called with these arguments. */
#define WITNESS(name, call, id, segment_bytes, fan, parameters, arguments)                         \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters;                                                                     \
        *(void **)&next = find(#name);                                                             \
        note(call, id, segment_bytes, fan);                                                        \
        return next arguments;                                                                     \
    }

/* Broadcast: buffer, count, type, root, communicator, module. */
#define B void *b, int n, void *t, int root, void *c, void *m
#define BCAST(algorithm, id)                                                                       \
    WITNESS(ompi_coll_base_bcast_intra_##algorithm, "bcast", id, 0, 0, (B), (b, n, t, root, c, m))
#define BCAST_IN_SEGMENTS(algorithm, id)                                                           \
    WITNESS(ompi_coll_base_bcast_intra_##algorithm, "bcast", id, s, 0, (B, uint32_t s),            \
            (b, n, t, root, c, m, s))
BCAST(basic_linear, 1)
WITNESS(ompi_coll_base_bcast_intra_chain, "bcast", 2, s, fan, (B, uint32_t s, int32_t fan),
        (b, n, t, root, c, m, s, fan))
BCAST_IN_SEGMENTS(pipeline, 3)
BCAST_IN_SEGMENTS(split_bintree, 4)
BCAST_IN_SEGMENTS(bintree, 5)
BCAST_IN_SEGMENTS(binomial, 6)
WITNESS(ompi_coll_base_bcast_intra_knomial, "bcast", 7, s, 0, (B, uint32_t s, int radix),
        (b, n, t, root, c, m, s, radix))
BCAST_IN_SEGMENTS(scatter_allgather, 8)
BCAST_IN_SEGMENTS(scatter_allgather_ring, 9)

/* Reduction: two buffers, count, type, operator, root, communicator, module. */
#define R const void *a, void *b, int n, void *t, void *o, int root, void *c, void *m
#define REDUCE(algorithm, id)                                                                      \
    WITNESS(ompi_coll_base_reduce_intra_##algorithm, "reduce", id, 0, 0, (R),                      \
            (a, b, n, t, o, root, c, m))
#define REDUCE_IN_SEGMENTS(algorithm, id)                                                          \
    WITNESS(ompi_coll_base_reduce_intra_##algorithm, "reduce", id, s, 0, (R, uint32_t s, int q),   \
            (a, b, n, t, o, root, c, m, s, q))
REDUCE(basic_linear, 1)
WITNESS(ompi_coll_base_reduce_intra_chain, "reduce", 2, s, fan, (R, uint32_t s, int fan, int q),
        (a, b, n, t, o, root, c, m, s, fan, q))
REDUCE_IN_SEGMENTS(pipeline, 3)
REDUCE_IN_SEGMENTS(binary, 4)
REDUCE_IN_SEGMENTS(binomial, 5)
REDUCE_IN_SEGMENTS(in_order_binary, 6)
REDUCE(redscat_gather, 7)

/* Allreduce: two buffers, count, type, operator, communicator, module. */
#define A const void *a, void *b, int n, void *t, void *o, void *c, void *m
#define ALLREDUCE(algorithm, id)                                                                   \
    WITNESS(ompi_coll_base_allreduce_intra_##algorithm, "allreduce", id, 0, 0, (A),                \
            (a, b, n, t, o, c, m))
ALLREDUCE(basic_linear, 1)
ALLREDUCE(nonoverlapping, 2)
ALLREDUCE(recursivedoubling, 3)
ALLREDUCE(ring, 4)
WITNESS(ompi_coll_base_allreduce_intra_ring_segmented, "allreduce", 5, s, 0, (A, uint32_t s),
        (a, b, n, t, o, c, m, s))
ALLREDUCE(redscat_allgather, 6)

/* Allgather and alltoall: a buffer, count and type to send and to receive, communicator, module. */
#define G const void *a, int n, void *t, void *b, int k, void *u, void *c, void *m
#define GATHER(call, algorithm, id)                                                                \
    WITNESS(ompi_coll_base_##call##_intra_##algorithm, #call, id, 0, 0, (G),                       \
            (a, n, t, b, k, u, c, m))
GATHER(allgather, basic_linear, 1)
GATHER(allgather, bruck, 2)
GATHER(allgather, recursivedoubling, 3)
GATHER(allgather, ring, 4)
GATHER(allgather, neighborexchange, 5)
GATHER(allgather, two_procs, 6)
GATHER(alltoall, basic_linear, 1)
GATHER(alltoall, pairwise, 2)
GATHER(alltoall, bruck, 3)
WITNESS(ompi_coll_base_alltoall_intra_linear_sync, "alltoall", 4, 0, 0, (G, int q),
        (a, n, t, b, k, u, c, m, q))
GATHER(alltoall, two_procs, 5)

/* Reduce-scatter with equal counts. */
#define S const void *a, void *b, int n, void *t, void *o, void *c, void *m
#define REDUCE_SCATTER_BLOCK(algorithm, id)                                                        \
    WITNESS(ompi_coll_base_reduce_scatter_block_##algorithm, "reduce_scatter_block", id, 0, 0,     \
            (S), (a, b, n, t, o, c, m))
REDUCE_SCATTER_BLOCK(basic_linear, 1)
REDUCE_SCATTER_BLOCK(intra_recursivedoubling, 2)
REDUCE_SCATTER_BLOCK(intra_recursivehalving, 3)
REDUCE_SCATTER_BLOCK(intra_butterfly, 4)
