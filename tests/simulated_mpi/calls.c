/* calls.c - see calls.h. */
#include "calls.h"

#include <stdint.h>

#include "names.h"
#include "subject.h"

#include "mpi/record/format.h"

extern int mpi_fortran_in_place_;

static void *fortran_buffer(void *buffer)
{
    return buffer == MPI_IN_PLACE ? &mpi_fortran_in_place_ : buffer;
}

/* ---- Values for C and for Fortran ------------------------------------------------------------ */

/* clang-format off */
#define IN_C(kind, name)   IN_C_##kind(name)
#define IN_C_IN(x)         g->x,
#define IN_C_OUT(x)        g->x,
#define IN_C_INT(x)        g->x,
#define IN_C_INTS(x)       g->x,
#define IN_C_TYPE(x)       g->x,
#define IN_C_TYPES(x)      g->x,
#define IN_C_PLACES(x)     NULL,
#define IN_C_OP(x)         g->x,
#define IN_C_COMM(x)       g->x
#define IN_C_MCOMM(x)      g->x,
#define IN_C_ONE(x)        g->x,
#define IN_C_ONE_(x)       g->x
#define IN_C_MREQUEST(x)   g->x,
#define IN_C_REQUEST(x)    g->x
#define IN_C_STATUS_(x)    g->x
#define IN_C_FLAG(x)       &g->x,
#define IN_C_INDEX(x)      INDEX_##x,
#define IN_C_MESSAGE(x)    &g->x,
#define INDEX_index        &g->index
#define INDEX_outcount     &g->outcount
#define INDEX_indices      g->indices

#define IN_F(kind, name)   IN_F_##kind(name)
#define IN_F_IN(x)         fortran_buffer(g->x),
#define IN_F_OUT(x)        fortran_buffer(g->x),
#define IN_F_INT(x)        &g->x,
#define IN_F_INTS(x)       g->x,
#define IN_F_TYPE(x)       &g->x,
#define IN_F_TYPES(x)      g->x,
#define IN_F_PLACES(x)     NULL,
#define IN_F_OP(x)         &g->x,
#define IN_F_COMM(x)       &g->x
#define IN_F_MCOMM(x)      &g->x,
#define IN_F_ONE(x)        g->x,
#define IN_F_ONE_(x)       g->x
#define IN_F_MREQUEST(x)   g->x,
#define IN_F_REQUEST(x)    g->x
#define IN_F_STATUS_(x)    g->x
#define IN_F_FLAG(x)       &g->x,
#define IN_F_INDEX(x)      INDEX_##x,
#define IN_F_MESSAGE(x)    &g->x,
/* clang-format on */

/* ---- A function for each signature ----------------------------------------------------------- */

typedef int maker(void *function, bool in_fortran, struct call_arguments *g);
#define OPEN(...) __VA_ARGS__ /* takes the parentheses off */
#define MAKER(name, arguments, c, c_values, fortran, fortran_values)                               \
    static int make_##name(void *function, bool in_fortran, struct call_arguments *g)              \
    {                                                                                              \
        MPI_Fint error = -1, no_info = MPI_INFO_NULL;                                              \
        (void)no_info;                                                                             \
        if (!in_fortran)                                                                           \
            return ((int (*)(arguments(RECORD_C) OPEN c))(uintptr_t)function)(arguments(IN_C)      \
                                                                                  OPEN c_values);  \
        ((void (*)(arguments(RECORD_F) OPEN fortran, MPI_Fint *))(uintptr_t)function)(             \
            arguments(IN_F) OPEN fortran_values, &error);                                          \
        return error;                                                                              \
    }
#define PLAIN(name, arguments) MAKER(name, arguments, (), (), (), ())
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    PLAIN(name, arguments)                                                                         \
    MAKER(I##fortran, arguments, (, MPI_Request *), (, g->request), (, MPI_Fint *),                \
          (, g->request))                                                                          \
    MAKER(fortran##_init, arguments, (, MPI_Info, MPI_Request *), (, MPI_INFO_NULL, g->request),   \
          (, MPI_Fint *, MPI_Fint *), (, &no_info, g->request))
#define RECORD_SERVED                                RECORD_COLLECTIVE
#define RECORD_SEND(name, fortran, arguments, part)  PLAIN(name, arguments)
#define RECORD_OTHER(name, fortran, arguments, part) PLAIN(name, arguments)
#define RECORD_PERSISTENT(name, fortran, arguments)  PLAIN(name, arguments)
#define RECORD_WAIT(name, fortran, arguments)        PLAIN(name, arguments)
#define RECORD_START(name, fortran, arguments)       PLAIN(name, arguments)
#include "mpi/record/list.h"
#undef PLAIN
#undef RECORD_COLLECTIVE

static const struct {
    const char *name[2];
    maker *make;
} known[CALLS] = {
#define PLAIN(name, fortran) [CALL_##name] = {{"MPI_" #name, "mpi_" #fortran "_"}, make_##name},
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    [RECORD_OF_##name] = {{"MPI_" #name, "mpi_" #fortran "_"}, make_##name},                       \
    [CALL_STARTED + RECORD_OF_##                                                                   \
        name] = {{"MPI_I" #fortran, "mpi_i" #fortran "_"}, make_I##fortran},                       \
    [CALL_INITIATED + RECORD_OF_##                                                                 \
        name] = {{"MPI_" #name "_init", "mpi_" #fortran "_init_"}, make_##fortran##_init},
#undef RECORD_SEND
#undef RECORD_OTHER
#undef RECORD_PERSISTENT
#undef RECORD_WAIT
#undef RECORD_START
#define RECORD_SEND(name, fortran, arguments, part)  PLAIN(name, fortran)
#define RECORD_OTHER(name, fortran, arguments, part) PLAIN(name, fortran)
#define RECORD_PERSISTENT(name, fortran, arguments)  PLAIN(name, fortran)
#define RECORD_WAIT(name, fortran, arguments)        PLAIN(name, fortran)
#define RECORD_START(name, fortran, arguments)       PLAIN(name, fortran)
#include "mpi/record/list.h"
};
_Static_assert((int)CALL_STARTED == (int)RECORD_COLLECTIVES, "as many are started");

const char *call_name(int call, bool in_fortran)
{
    return known[call].name[in_fortran];
}

int call_make(int call, bool in_fortran, struct call_arguments *given)
{
    return known[call].make(subjects[sm_current].call[in_fortran][call], in_fortran, given);
}

typedef void any_fn(void);
static const struct {
    int collective;
    any_fn *native;
} natives[] = {{RECORD_OF_Bcast, (any_fn *)PMPI_Bcast},
               {RECORD_OF_Reduce, (any_fn *)PMPI_Reduce},
               {RECORD_OF_Allreduce, (any_fn *)PMPI_Allreduce},
               {RECORD_OF_Scan, (any_fn *)PMPI_Scan},
               {RECORD_OF_Exscan, (any_fn *)PMPI_Exscan},
               {RECORD_OF_Allgather, (any_fn *)PMPI_Allgather},
               {RECORD_OF_Alltoall, (any_fn *)PMPI_Alltoall},
               {RECORD_OF_Gather, (any_fn *)PMPI_Gather},
               {RECORD_OF_Scatter, (any_fn *)PMPI_Scatter},
               {RECORD_OF_Allgatherv, (any_fn *)PMPI_Allgatherv},
               {RECORD_OF_Gatherv, (any_fn *)PMPI_Gatherv},
               {RECORD_OF_Alltoallv, (any_fn *)PMPI_Alltoallv},
               {RECORD_OF_Reduce_scatter, (any_fn *)PMPI_Reduce_scatter},
               {RECORD_OF_Reduce_scatter_block, (any_fn *)PMPI_Reduce_scatter_block}};

bool call_native(int collective, struct call_arguments *given)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (natives[i].collective == collective) {
            known[collective].make((void *)(uintptr_t)natives[i].native, false, given);
            return true;
        }
    return false;
}
