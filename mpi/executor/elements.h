/* elements.h - elements of an MPI datatype: where blocks of them lie, how they are copied and
 * combined.
 *
 * Lengths are counted in elements; layouts given here have element = 1, so that what rb_layout
 * calls bytes are elements. Element e of a buffer lies at buffer + e * extent. */
#ifndef MPI_EXECUTOR_ELEMENTS_H
#define MPI_EXECUTOR_ELEMENTS_H

#include <mpi.h>
#include <roundabout.h>

/* MPI counts with int. Smaller in a test, so that what is split there fits a small machine. */
#ifndef EXEC_MAX_COUNT
#define EXEC_MAX_COUNT INT32_MAX
#endif

struct exec_elements {
    MPI_Datatype type;
    MPI_Op op;    /* of reductions; else MPI_OP_NULL */
    int64_t size; /* bytes of data in an element */
    MPI_Aint extent;
    MPI_Aint true_lb;
    MPI_Aint true_extent;
    bool named; /* a predefined datatype */
    bool dense; /* elements are runs of extent bytes without holes: they may be copied as bytes */
    bool commutative;
};

/* Bytes that move: MPI_BYTE without an operator. */
extern const struct exec_elements exec_elements_bytes;

/* type and op must outlive it. Returns an MPI error code. */
int exec_elements_of(MPI_Datatype type, MPI_Op op, struct exec_elements *elements);

/* Memory for `count` elements on their own; the first lies at the result minus true_lb. */
size_t exec_elements_room(const struct exec_elements *elements, int64_t count);

/* Tags, counted from the first one that a communicator's messages have: its ports', that of a
 * rank's messages to itself, and that of its report; EXEC_TAGS in all. */
enum { EXEC_SELF_TAG = RB_MAX_PORTS, EXEC_REPORT_TAG, EXEC_TAGS = 2 * RB_MAX_PORTS };

/* A name of messages that this process sends to itself, by which MPI copies: nobody else's. */
struct exec_self {
    MPI_Comm comm;
    int rank; /* this process's in it */
    int tag;
};

/* Copies elements; the two places don't overlap. */
int exec_elements_copy(const struct exec_elements *elements, const void *from, void *to,
                       int64_t count, const struct exec_self *self);

/* result = incoming op result, or result op incoming; what incoming holds is lost, unless
 * exec_elements_keeps. */
int exec_elements_combine(const struct exec_elements *elements, void *incoming, void *result,
                          int64_t count, bool incoming_is_left, const struct exec_self *self);
static inline bool exec_elements_keeps(const struct exec_elements *elements, bool incoming_is_left)
{
    return incoming_is_left || elements->commutative;
}

#endif
