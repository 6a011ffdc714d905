/* world_handler.h - keeps MPI_COMM_WORLD's error handler out of what concerns a private
 * communicator alone.
 *
 * An error that MPI_Waitsome finds belongs to the request's communicator, but MPICH 4.0 calls the
 * handler of MPI_COMM_WORLD, which by default ends the program. So that has MPI_ERRORS_RETURN while
 * a rank waits for messages, and the error goes to the handler of the collective's communicator. A
 * program sees nothing of that: only its threads could, where several may call MPI at once, and
 * there the handler stays as it is. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

struct exec_world_handler {
    bool active;
    MPI_Errhandler handler; /* the program's */
};

void exec_world_handler_suspend(struct exec_world_handler *suspended);
void exec_world_handler_restore(struct exec_world_handler *suspended);

/* For a function without a communicator, whose errors every MPI library gives to that handler. One
 * thread at a time, at every thread level, and only for a short time. */
void exec_world_handler_suspend_all(struct exec_world_handler *suspended);
void exec_world_handler_restore_all(struct exec_world_handler *suspended);
