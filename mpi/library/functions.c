/* functions.c - the functions of roundabout-mpi.h: each makes a call of its arguments, which
 * lib_serve_... plans and runs, or calls the MPI library's function. */
#include "call.h"
#include "roundabout-mpi.h"
#include "signatures.h"

#define MEMBER(kind, name) .name = name,

/* The longer way is a function of its own, so that a shortcut need not save registers for it. */
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    static __attribute__((noinline)) int serve_##fortran(arguments(LIB_PARAMETER))                 \
    {                                                                                              \
        const struct lib_shortcut_key known = {.which = LIB_CALL_##collective, .comm = comm, key}; \
        const struct lib_arguments given = {arguments(MEMBER)};                                    \
        struct lib_call call = lib_call_of(&known);                                                \
        const int error = lib_serve_##fortran(&call, &given);                                      \
        return error == MPI_SUCCESS && call.cached == NULL                                         \
                   ? lib_call_left(&call, PMPI_##name(arguments(LIB_VALUE)))                       \
                   : lib_call_end(&call, comm, error);                                             \
    }                                                                                              \
    int RB_##name(arguments(LIB_PARAMETER))                                                        \
    {                                                                                              \
        struct lib_shortcut_key known = {.which = LIB_CALL_##collective, .comm = comm, key};       \
        return lib_shortcut_take(&known) ? PMPI_##name(arguments(LIB_VALUE))                       \
                                         : serve_##fortran(arguments(LIB_VALUE));                  \
    }
#include "list.h"
