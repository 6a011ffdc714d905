/* record_calls.c - MPI's names of the calls that are recorded; preload.c has those of collectives
 * that the library serves. Where nothing is recorded, each is a jump to the MPI library.
 *
 * For Open MPI, whose Fortran interface does not call the functions of C, record_fortran.c includes
 * this file for those under Fortran's names, and record_large.c for those with large counts. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "mpi/record/record.h"
#include "roundabout-mpi.h"

#ifndef RECORD_FORTRAN
#define RECORD_TO_BUFFER(name) name
#define RECORD_TO_INT(name)    name
#define RECORD_TO_TYPE(name)   name
#define RECORD_TO_OP(name)     name
#define RECORD_TO_COMM(name)   name
#define PARAMETER              RECORD_C
#define LAST_PARAMETER
#define LAST_VALUE
#ifndef RECORD_LARGE
#define FORM        .is_fortran = false
#define NAMED(name) name
#endif
#define MORE_REQUEST (, MPI_Request * request)
#define MORE_INFO    (, MPI_Info info, MPI_Request * request)
#define WRAP(X, x, name, fortran, parameters, values, before, after, ...)                          \
    int NAMED(MPI##X##_##name) parameters                                                          \
    {                                                                                              \
        if (!record_is_on())                                                                       \
            return NAMED(PMPI##X##_##name) values;                                                 \
        const struct record_arguments given = {__VA_ARGS__};                                       \
        before;                                                                                    \
        const int64_t enter = record_now();                                                        \
        const int error = NAMED(PMPI##X##_##name) values;                                          \
        if (error == MPI_SUCCESS)                                                                  \
            after;                                                                                 \
        return error;                                                                              \
    }
#endif

#define OPEN(...) __VA_ARGS__ /* takes the parentheses off */

/* ---- Collectives ----------------------------------------------------------------------------- */

#define COLLECTIVE(X, x, function, in_fortran, name, arguments, rule, how, more, values)           \
    WRAP(X, x, function, in_fortran, (arguments(PARAMETER) OPEN more LAST_PARAMETER),              \
         (arguments(RECORD_V) OPEN values LAST_VALUE), ,                                           \
         record_collective(RECORD_OF_##name, rule, how, &given, enter),                            \
         arguments(RECORD_M) REQUEST_OF_##how FORM)
#define REQUEST_OF_RECORD_BLOCKING
#define REQUEST_OF_RECORD_STARTED   .request = request, .single = true,
#define REQUEST_OF_RECORD_INITIATED .request = request, .single = true,

#if MPI_VERSION >= 4
#define INIT(...) COLLECTIVE(, , __VA_ARGS__)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(...) COLLECTIVE(X, x, __VA_ARGS__)
#else
#define INIT(...)
#endif
#define UNBLOCKED(name, fortran, arguments, rule)                                                  \
    COLLECTIVE(, , I##fortran, i##fortran, name, arguments, rule, RECORD_STARTED, MORE_REQUEST,    \
               (, request))                                                                        \
    INIT(name##_init, fortran##_init, name, arguments, rule, RECORD_INITIATED, MORE_INFO,          \
         (, info, request))
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)                                          \
    COLLECTIVE(, , name, fortran, name, arguments, rule, RECORD_BLOCKING, (), ())                  \
    UNBLOCKED(name, fortran, arguments, rule)
#ifdef RECORD_LARGE
#define RECORD_SERVED RECORD_COLLECTIVE
#else
#define RECORD_SERVED UNBLOCKED
#endif

/* ---- Messages and requests ------------------------------------------------------------------- */

#define PLAIN(name, fortran, arguments, before, after)                                             \
    WRAP(, , name, fortran, (arguments(PARAMETER) LAST_PARAMETER),                                 \
         (arguments(RECORD_V) LAST_VALUE), before, after, arguments(RECORD_M) FORM)
#define RECORD_SEND(name, fortran, arguments, part)                                                \
    PLAIN(name, fortran, arguments, , record_sent(&given, part, enter))
#define RECORD_PERSISTENT(name, fortran, arguments)                                                \
    PLAIN(name, fortran, arguments, , record_persistent(&given, enter))
#define RECORD_OTHER(name, fortran, arguments, part)                                               \
    PLAIN(name, fortran, arguments, (void)given, record_other(part, enter))
#ifndef RECORD_LARGE
#define RECORD_START(name, fortran, arguments)                                                     \
    PLAIN(name, fortran, arguments, , record_started(&given, enter))
#define RECORD_WAIT(name, fortran, arguments)                                                      \
    PLAIN(name, fortran, arguments, struct record_pending pending;                                 \
          record_look(&given, &pending), record_waited(&given, &pending, enter))
#endif

#include "mpi/record/list.h"
#undef RECORD_SERVED
#undef RECORD_COLLECTIVE

#if !defined RECORD_FORTRAN && !defined RECORD_LARGE
/* ---- Collectives that the library serves ----------------------------------------------------- */

#undef RECORD_SEND
#undef RECORD_WAIT
#define RECORD_COLLECTIVE(name, fortran, arguments, rule)
#define RECORD_SERVED(name, fortran, arguments, rule)                                              \
    int record_##fortran(arguments(RECORD_C))                                                      \
    {                                                                                              \
        const struct record_arguments given = {arguments(RECORD_M).is_fortran = false};            \
        const int64_t enter = record_now();                                                        \
        const int error = RB_##name(arguments(RECORD_V));                                          \
        if (error == MPI_SUCCESS)                                                                  \
            record_collective(RECORD_OF_##name, rule, RECORD_BLOCKING, &given, enter);             \
        return error;                                                                              \
    }
#include "mpi/record/list.h"
#endif
