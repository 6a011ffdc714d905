/* shortcut.h - calls that are left to the MPI library: how many, and which ones without further
 * questions, because its own function was kept for an earlier call with the same arguments, and the
 * online choice wants nothing of this one but to count it.
 *
 * A program that computes between its calls has taken the caches for itself. Then a call pays for
 * each place that it looks at, and arithmetic is free. Here there are three: the thread's shortcut,
 * the process's counts, and the trial. */
#ifndef MPI_LIBRARY_SHORTCUT_H
#define MPI_LIBRARY_SHORTCUT_H

#include "mpi/choice/trial.h"
#include "settings.h"

/* The arguments that determine the size and the kind of a call at one rank; 0: the call has no such
 * argument. They are never dereferenced, so arguments that the standard ignores may have any
 * value. */
struct lib_arguments {
    MPI_Comm comm;
    MPI_Datatype type, other_type; /* scatter, gather: the data sent, the data received */
    MPI_Op op;
    int count, other_count;
    int root; /* scatter, gather */
    enum lib_function which;
};

/* Such calls are the MPI library's from now on, as long as their trial wants nothing of them (NULL:
 * none counts them). Types and operators must be predefined: when others are freed, new ones may
 * get their names. */
void lib_shortcut_make(const struct lib_arguments *arguments, struct choice_trial *trial);

/* True if it is such a call of this thread's; then it has been counted. */
bool lib_shortcut_take(const struct lib_arguments *arguments);

/* There are no shortcuts any more, in any thread: a communicator or a trial is about to be where
 * another one was, or calls are to be served otherwise. */
void lib_shortcuts_drop(void);

/* Counts a call that is left to the MPI library without a shortcut. */
void lib_count_left(enum lib_function which);
/* How many were left to it. */
long long lib_left(enum lib_function which);

#endif
