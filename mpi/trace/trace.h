/* trace.h - the library that records the messages inside an MPI library's collectives, when it is
 * preloaded (docs/traced.md). trace.c has MPI's names of the collectives and writes the record;
 * transport_openmpi.c and transport_mpich.c see the messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True where messages are to be noted: inside a collective, or while the ranks connect. */
bool trace_is_on(void);
/* While the ranks connect, the rank that the present message goes to; otherwise -1. */
int trace_connecting_to(void);
/* Notes that a message of so many bytes begins to be sent, or that a receive is posted. peer: rank
 * in MPI_COMM_WORLD, or -1 if only the tag tells; tag: the same at both ends; contents: what is
 * sent, NULL if it can't be seen. */
void trace_message(bool send, int peer, uint64_t tag, const void *contents, size_t bytes);

/* Of the transport: begins to see messages. MPI has started. */
void trace_transport_start(int ranks);

/* For a program that calls a collective on tagged data: which one the next call is, the elements of
 * all its data, and its root. */
void trace_note_call(const char *collective, int64_t elements, int root);

/* ---- The program of ours that calls a collective --------------------------------------------- */

/* The collectives that it calls. */
#define TRACE_COLLECTIVES "bcast|reduce|allreduce|reduce-scatter|allgather|alltoall|scatter|gather"

/* The file, in the directory of the ranks' records, where it says why it can't make the call. */
#define TRACE_REFUSED "refused"
