/* shortcut.h - calls that are left to the MPI library: how many, and which ones without further
 * questions, because its own function was kept for an earlier call with the same arguments, and the
 * online choice wants nothing of this one but to count it.
 *
 * A program that computes between its calls has taken the caches for itself. Then a call pays for
 * each place that it looks at, and arithmetic is free. Here there are three: the thread's shortcut,
 * the process's counts, and the trial. */
#ifndef RB_MPI_LIBRARY_SHORTCUT_H
#define RB_MPI_LIBRARY_SHORTCUT_H

#include "mpi/choice/trial.h"
#include "settings.h"

/* What the size and the kind of a call follow from, at one rank; 0: it has no such argument. Never
 * looked into, so that what the standard ignores may be anything. */
struct rb_arguments {
    MPI_Comm comm;
    MPI_Datatype type, other_type; /* scatter, gather: what is sent, what is received */
    MPI_Op op;
    int count, other_count;
    int root; /* scatter, gather */
    enum rb_which which;
};

/* Such calls are the MPI library's from now on, as long as their trial wants nothing of them (NULL:
 * none counts them). Types and operators must be predefined: when others are freed, new ones may
 * get their names. */
void rb_shortcut_make(const struct rb_arguments *arguments, struct rb_trial *trial);

/* True if it is such a call of this thread's; then it has been counted. */
bool rb_shortcut_take(const struct rb_arguments *arguments);

/* There are no shortcuts any more, in any thread: a communicator or a trial is about to be where
 * another one was, or calls are to be served otherwise. */
void rb_shortcuts_drop(void);

/* Counts a call that is left to the MPI library without a shortcut. */
void rb_count_left(enum rb_which which);
/* How many were left to it. */
long long rb_left(enum rb_which which);

#endif
