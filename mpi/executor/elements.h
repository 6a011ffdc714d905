/* elements.h - elements of an MPI datatype: their locations, copying and combining.
 *
 * Lengths are counted in elements; layouts given here have element = 1, so that what rb_layout
 * calls bytes are elements. Element e of a buffer lies at buffer + e * extent. */
#pragma once

#include <mpi.h>
#include <roundabout.h>

/* MPI counts with int. A test sets a smaller value, so that it can split data on a small
 * machine. */
#ifndef EXEC_MAX_COUNT
#define EXEC_MAX_COUNT INT32_MAX
#endif

struct exec_elements {
    MPI_Datatype type;
    MPI_Op op;    /* the operator of a reduction; otherwise MPI_OP_NULL */
    int64_t size; /* bytes of data in an element */
    MPI_Aint extent;
    MPI_Aint true_lb;
    MPI_Aint true_extent;
    bool named; /* a predefined datatype */
    bool dense; /* elements are runs of extent bytes without holes: they may be copied as bytes */
    bool commutative;
};

/* Bytes without an operator: MPI_BYTE. */
extern const struct exec_elements exec_elements_bytes;

/* type and op must outlive it. Returns an MPI error code. */
int exec_elements_of(MPI_Datatype type, MPI_Op op, struct exec_elements *elements);

/* The bytes of memory for `count` separate elements; the first is at the memory's start minus
 * true_lb. */
size_t exec_elements_room(const struct exec_elements *elements, int64_t count);

/* Tags, counted from the first one that a communicator's messages have: its ports', that of a
 * rank's messages to itself, and that of its report; EXEC_TAGS in all. */
enum { EXEC_SELF_TAG = RB_MAX_PORTS, EXEC_REPORT_TAG, EXEC_TAGS = 2 * RB_MAX_PORTS };

/* A communicator and tag for messages of this process to itself, by which MPI copies. No other
 * message uses them. */
struct exec_self {
    MPI_Comm comm;
    int rank; /* this process's in it */
    int tag;
};

/* Copies elements between locations that do not overlap. */
int exec_elements_copy(const struct exec_elements *elements, const void *from, void *to,
                       int64_t count, const struct exec_self *self);

/* result = incoming op result, or result op incoming; the content of incoming is lost, unless
 * exec_elements_keeps. */
int exec_elements_combine(const struct exec_elements *elements, void *incoming, void *result,
                          int64_t count, bool incoming_is_left, const struct exec_self *self);
static inline bool exec_elements_keeps(const struct exec_elements *elements, bool incoming_is_left)
{
    return incoming_is_left || elements->commutative;
}
