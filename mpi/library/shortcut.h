/* shortcut.h - calls that are left to the MPI library: how many, and which ones without further
 * questions, because its own function was kept for an earlier call with the same arguments, and the
 * online choice wants nothing of this one but to count it.
 *
 * Such a call costs some 60 instructions more than the MPI library's function, and no wait:
 *
 * - All questions that have one answer for a program or a communicator (is there a report, which
 *   setting holds, do plans suit the operator) are asked before a shortcut is made. What is left to
 *   see is whether the arguments are those of a shortcut, and one comparison in the trial.
 * - It is inline. The functions end with a jump to the MPI library's function, and need no memory
 * on the stack before they know that they must do more.
 * - The thread's table is found at a fixed place (tls_model), not by a function. That place is a
 *   pointer, because what is loaded late has room for little there.
 * - Calls are counted without a locked instruction, which would wait until the last call's messages
 *   are written, unless several threads may call at once.
 *
 * A program that computes between its calls has taken the caches for itself. Then a call pays for
 * each place that it looks at, and arithmetic is free. Here there are three: the thread's shortcut,
 * the process's counts, and the trial. */
#ifndef MPI_LIBRARY_SHORTCUT_H
#define MPI_LIBRARY_SHORTCUT_H

#include <stdatomic.h>
#include <threads.h>

#include "mpi/choice/trial.h"
#include "settings.h"

/* The arguments that determine the size and the kind of a call at one rank; 0: the call has no such
 * argument. They are never dereferenced, so arguments that the standard ignores may have any
 * value. The exception are counts of all ranks, of which the shortcut knows their sum. */
struct lib_arguments {
    MPI_Comm comm;
    MPI_Datatype type, other_type; /* scatter, gather: the data sent, the data received */
    MPI_Op op;
    int count, other_count;
    int root; /* scatter, gather; below 0: LIB_IRREGULAR... */
    enum lib_function which;
    const int *counts; /* allgatherv, reduce-scatter; not compared */
};

static inline struct lib_arguments lib_arguments_of(enum lib_function which, MPI_Comm comm,
                                                    MPI_Datatype type, int count)
{
    return (struct lib_arguments){.which = which, .comm = comm, .type = type, .count = count};
}

/* In the place of a root, for calls with counts of all ranks. */
enum {
    LIB_IRREGULAR_ALIKE = -1,
    LIB_IRREGULAR = -2,      /* not all alike, or not known to all ranks */
    LIB_IRREGULAR_RANKS = -3 /* no call: a communicator that such calls were made on */
};

struct lib_shortcut {
    struct lib_arguments arguments;
    struct choice_trial *trial;
    unsigned generation; /* 0: none */
    int p;
};

/* A thread's: pairs, by a hash of the arguments; the older of a pair gives way. */
enum { LIB_SHORTCUTS_LOG = 7 };
struct lib_shortcuts {
    struct lib_shortcut pairs[1 << LIB_SHORTCUTS_LOG][2];
};
#define LIB_AT_FIXED_PLACE __attribute__((tls_model("initial-exec")))
extern thread_local struct lib_shortcuts *lib_shortcuts LIB_AT_FIXED_PLACE; /* NULL: none yet */

/* The process's. */
extern struct lib_counts {
    atomic_uint generation; /* shortcuts of an earlier one don't hold */
    atomic_bool alone;      /* no two threads call MPI at once */
    atomic_llong left[LIB_CALLS];
} lib_counts;

/* Such calls are the MPI library's from now on, as long as their trial wants nothing of them (NULL:
 * none counts them). Types and operators must be predefined: when others are freed, new ones may
 * get their names. p: the communicator's ranks. */
void lib_shortcut_make(const struct lib_arguments *arguments, struct choice_trial *trial, int p);

/* There are no shortcuts any more, in any thread: a communicator or a trial is about to be where
 * another one was, or calls are to be served otherwise. */
void lib_shortcuts_drop(void);

/* How many calls were left to the MPI library. */
long long lib_left(enum lib_function which);

/* Counts a call that is left to it. */
static inline void lib_count_left(enum lib_function which)
{
    atomic_llong *left = &lib_counts.left[which];
    if (atomic_load_explicit(&lib_counts.alone, memory_order_relaxed))
        atomic_store_explicit(left, atomic_load_explicit(left, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(left, 1, memory_order_relaxed);
}

/* ---- Finding one ----------------------------------------------------------------------------- */

static inline struct lib_shortcut *lib_shortcut_pair(const struct lib_arguments *arguments)
{
    const uint64_t key = (uint64_t)arguments->which << 32 | (uint32_t)arguments->count;
    return lib_shortcuts->pairs[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LIB_SHORTCUTS_LOG)];
}

static inline bool lib_shortcut_holds(const struct lib_shortcut *shortcut,
                                      const struct lib_arguments *arguments)
{
    const struct lib_arguments *its = &shortcut->arguments;
    const int differ = (its->count ^ arguments->count) |
                       (its->other_count ^ arguments->other_count) | (its->root ^ arguments->root) |
                       (int)(its->which ^ arguments->which);
    return its->comm == arguments->comm && its->type == arguments->type &&
           its->other_type == arguments->other_type && its->op == arguments->op && differ == 0 &&
           shortcut->generation ==
               atomic_load_explicit(&lib_counts.generation, memory_order_relaxed);
}

static inline const struct lib_shortcut *lib_shortcut_find(const struct lib_arguments *arguments)
{
    if (lib_shortcuts == NULL)
        return NULL;
    const struct lib_shortcut *pair = lib_shortcut_pair(arguments);
    return lib_shortcut_holds(&pair[0], arguments)   ? &pair[0]
           : lib_shortcut_holds(&pair[1], arguments) ? &pair[1]
                                                     : NULL;
}

/* That of the communicator, in which p is found. */
static inline struct lib_arguments lib_shortcut_of_ranks(const struct lib_arguments *arguments)
{
    return (struct lib_arguments){
        .which = arguments->which, .comm = arguments->comm, .root = LIB_IRREGULAR_RANKS};
}

/* Fills in what is compared instead of the counts. False: a count is negative. */
static inline bool lib_shortcut_sum(struct lib_arguments *arguments, int p)
{
    const int *counts = arguments->counts;
    int64_t sum = 0;
    int differ = 0, negative = 0;
    for (int i = 0; i < p; i++) {
        sum += counts[i];
        differ |= counts[i] ^ counts[0];
        negative |= counts[i];
    }
    arguments->count = (int)(uint32_t)sum;
    arguments->other_count = (int)(sum >> 32);
    arguments->root = differ != 0 ? LIB_IRREGULAR : LIB_IRREGULAR_ALIKE;
    return negative >= 0;
}

/* True if it is such a call of this thread's; then it has been counted. */
static inline bool lib_shortcut_take(const struct lib_arguments *arguments)
{
    const struct lib_shortcut *shortcut = lib_shortcut_find(arguments);
    if (shortcut == NULL || (shortcut->trial != NULL && !choice_trial_pass(shortcut->trial)))
        return false;
    lib_count_left(arguments->which);
    return true;
}

/* The same for arguments with counts. */
static inline bool lib_shortcut_take_counts(struct lib_arguments *arguments)
{
    const struct lib_arguments ranks = lib_shortcut_of_ranks(arguments);
    const struct lib_shortcut *of_ranks = lib_shortcut_find(&ranks);
    return of_ranks != NULL && lib_shortcut_sum(arguments, of_ranks->p) &&
           lib_shortcut_take(arguments);
}

#endif
