/* hush.h - keeps MPI_COMM_WORLD's error handler out of what concerns a private communicator alone.
 *
 * An error that MPI_Waitsome finds belongs to the request's communicator, but MPICH 4.0 calls the
 * handler of MPI_COMM_WORLD, which by default ends the program. So that has MPI_ERRORS_RETURN while
 * a rank waits for messages, and the error goes to the handler of the collective's communicator. A
 * program sees nothing of that: only its threads could, where several may call MPI at once, and
 * there the handler stays as it is. */
#ifndef RB_MPI_EXECUTOR_HUSH_H
#define RB_MPI_EXECUTOR_HUSH_H

#include <mpi.h>
#include <stdbool.h>

struct rb_hush {
    bool active;
    MPI_Errhandler handler; /* the program's */
};

void rb_hush_begin(struct rb_hush *hush);
void rb_hush_end(struct rb_hush *hush);

/* For a function without a communicator, whose errors every MPI library gives to that handler; one
 * thread at a time, whatever the program's threads may do. For moments only. */
void rb_hush_all_begin(struct rb_hush *hush);
void rb_hush_all_end(struct rb_hush *hush);

#endif
