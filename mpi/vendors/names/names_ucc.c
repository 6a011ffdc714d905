/* names_ucc.c - the algorithms of UCC's TL/UCP (src/components/tl/ucp, 1.8 and main): numbers and
 * names as UCC_TL_UCP_TUNE takes them. Radices are variables of all calls; those here are the
 * defaults.
 */
#include "mpi/vendors/names/names_tables.h"

#define ROW(collective_, call_, ...)                                                               \
    {                                                                                              \
        .library = "ucc", .collective = collective_, .call = call_, __VA_ARGS__                    \
    }

static const struct mpilib_algorithm rows[] = {
    ROW("bcast", "bcast", .id = 0, .name = "knomial", .algorithm = "knomial", .radix = 4),
    ROW("bcast", "bcast", .id = 1, .name = "sag_knomial", .algorithm = "scatter-doubling"),
    ROW("bcast", "bcast", .id = 2, .name = "dbt"),

    ROW("allreduce", "allreduce", .id = 0, .name = "knomial", .algorithm = "recursive-doubling"),
    ROW("allreduce", "allreduce", .id = 1, .name = "sra_knomial",
        .algorithm = "rabenseifner-doubling"),
    ROW("allreduce", "allreduce", .id = 2, .name = "sliding_window"),
    ROW("allreduce", "allreduce", .id = 3, .name = "dbt"),
    ROW("allreduce", "allreduce", .id = 4, .name = "ring", .algorithm = "ring"),

    ROW("allgather", "allgather", .id = 0, .name = "knomial", .algorithm = "recursive-doubling"),
    ROW("allgather", "allgather", .id = 1, .name = "ring", .algorithm = "ring"),
    ROW("allgather", "allgather", .id = 2, .name = "neighbor", .algorithm = "neighbour-exchange",
        .ranks = MPILIB_EVEN),
    ROW("allgather", "allgather", .id = 3, .name = "bruck", .algorithm = "dissemination"),
    ROW("allgather", "allgather", .id = 4, .name = "sparbit", .algorithm = "sparbit"),
    ROW("allgather", "allgather", .id = 5, .name = "linear", .algorithm = "pairwise"),
    ROW("allgather", "allgather", .id = 6, .name = "batched"),

    ROW("alltoall", "alltoall", .id = 0, .name = "pairwise", .algorithm = "pairwise"),
    ROW("alltoall", "alltoall", .id = 1, .name = "bruck", .algorithm = "bruck", .radix = 2),
    ROW("alltoall", "alltoall", .id = 2, .name = "onesided"),

    ROW("reduce", "reduce", .id = 0, .name = "knomial", .algorithm = "knomial", .radix = 4),
    ROW("reduce", "reduce", .id = 1, .name = "dbt"),
    ROW("reduce", "reduce", .id = 2, .name = "srg", .algorithm = "rabenseifner-doubling"),

    ROW("reduce-scatter", "reduce_scatter", .id = 0, .name = "ring", .algorithm = "ring"),
    ROW("reduce-scatter", "reduce_scatter", .id = 1, .name = "knomial",
        .algorithm = "recursive-halving"),
};

MPILIB_TABLE(mpilib_ucc, "ucc", rows);
