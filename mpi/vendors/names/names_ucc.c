/* names_ucc.c - the algorithms of UCC's TL/UCP (src/components/tl/ucp, 1.8 and main): numbers and
 * names as UCC_TL_UCP_TUNE takes them. Radices are variables of all calls; those here are the
 * defaults. */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective, call, id, name, ...)                                                       \
    MPILIB_ROW("ucc", collective, call, id, name, __VA_ARGS__)

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", 0, "knomial", "knomial", .radix = 4),
    ROW("bcast", "bcast", 1, "sag_knomial", "scatter-doubling"),
    ROW("bcast", "bcast", 2, "dbt", NULL),

    ROW("allreduce", "allreduce", 0, "knomial", "recursive-doubling"),
    ROW("allreduce", "allreduce", 1, "sra_knomial", "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", 2, "sliding_window", NULL),
    ROW("allreduce", "allreduce", 3, "dbt", NULL),
    ROW("allreduce", "allreduce", 4, "ring", "ring"),

    ROW("allgather", "allgather", 0, "knomial", "recursive-doubling"),
    ROW("allgather", "allgather", 1, "ring", "ring"),
    ROW("allgather", "allgather", 2, "neighbor", "neighbour-exchange", .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", 3, "bruck", "dissemination"),
    ROW("allgather", "allgather", 4, "sparbit", "sparbit"),
    ROW("allgather", "allgather", 5, "linear", "pairwise"),
    ROW("allgather", "allgather", 6, "batched", NULL),

    ROW("alltoall", "alltoall", 0, "pairwise", "pairwise"),
    ROW("alltoall", "alltoall", 1, "bruck", "bruck", .radix = 2),
    ROW("alltoall", "alltoall", 2, "onesided", NULL),

    ROW("reduce", "reduce", 0, "knomial", "knomial", .radix = 4),
    ROW("reduce", "reduce", 1, "dbt", NULL),
    ROW("reduce", "reduce", 2, "srg", "rabenseifner-doubling"),

    ROW("reduce-scatter", "reduce_scatter", 0, "ring", "ring"),
    ROW("reduce-scatter", "reduce_scatter", 1, "knomial", "recursive-halving"),
};

MPILIB_TABLE(mpilib_ucc, "ucc", rows);
