/* call.h - what the verb and the program that calls a collective on tagged data (job.c) agree
 * on. */
#ifndef MPI_TRACE_CALL_H
#define MPI_TRACE_CALL_H

/* The collectives that it calls. */
#define TRACE_COLLECTIVES "bcast|reduce|allreduce|reduce-scatter|allgather|alltoall|scatter|gather"

/* The file, in the directory of the ranks' records, where it says why it can't make the call. */
#define TRACE_REFUSED "refused"

#endif
