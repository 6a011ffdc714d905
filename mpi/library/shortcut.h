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
#pragma once

#include <stdatomic.h>
#include <threads.h>

#include "mpi/choice/trial.h"
#include "settings.h"

/* The arguments that determine the size and the kind of a call at one rank; 0: the call has no such
 * argument. They are never dereferenced, so arguments that the standard ignores may have any
 * value. The exception are counts of all ranks, of which the shortcut knows their sum. */
struct lib_shortcut_key {
    MPI_Comm comm;
    MPI_Datatype type, other_type; /* scatter, gather: the data sent, the data received */
    MPI_Op op;
    int count, other_count;
    int root; /* scatter, gather; below 0: LIB_IRREGULAR... */
    enum lib_function which;
    const int *counts; /* allgatherv, reduce-scatter; not compared */
};

/* In the place of a root, for calls with counts of all ranks. */
enum {
    LIB_IRREGULAR_ALIKE = -1,
    LIB_IRREGULAR = -2,      /* not all alike, or not known to all ranks */
    LIB_IRREGULAR_RANKS = -3 /* no call: a communicator that such calls were made on */
};

struct lib_shortcut {
    struct lib_shortcut_key key;
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

/* Leaves such calls to the MPI library from now on, unless their trial (NULL: none) needs them.
 * Types and operators must be predefined: when others are freed, new ones may get their names. p:
 * the communicator's ranks. */
void lib_shortcut_make(const struct lib_shortcut_key *key, struct choice_trial *trial, int p);

/* Invalidates all shortcuts in all threads: a communicator or a trial may be made at the address of
 * an old one, or calls are to be served in another way. */
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

/* With a copy in each function, a key stays in registers; the compiler would make one for all. */
#define LIB_INLINE static inline __attribute__((always_inline))

LIB_INLINE struct lib_shortcut *lib_shortcut_pair(const struct lib_shortcut_key *key)
{
    const uint64_t call = (uint64_t)key->which << 32 | (uint32_t)key->count;
    return lib_shortcuts->pairs[call * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LIB_SHORTCUTS_LOG)];
}

LIB_INLINE bool lib_shortcut_holds(const struct lib_shortcut *shortcut,
                                   const struct lib_shortcut_key *key)
{
    const struct lib_shortcut_key *its = &shortcut->key;
    const int differ = (its->count ^ key->count) | (its->other_count ^ key->other_count) |
                       (its->root ^ key->root) | (int)(its->which ^ key->which);
    return its->comm == key->comm && its->type == key->type && its->other_type == key->other_type &&
           its->op == key->op && differ == 0 &&
           shortcut->generation ==
               atomic_load_explicit(&lib_counts.generation, memory_order_relaxed);
}

LIB_INLINE const struct lib_shortcut *lib_shortcut_find(const struct lib_shortcut_key *key)
{
    if (lib_shortcuts == NULL)
        return NULL;
    const struct lib_shortcut *pair = lib_shortcut_pair(key);
    return lib_shortcut_holds(&pair[0], key)   ? &pair[0]
           : lib_shortcut_holds(&pair[1], key) ? &pair[1]
                                               : NULL;
}

/* That of the communicator, in which p is found. */
LIB_INLINE struct lib_shortcut_key lib_shortcut_of_ranks(const struct lib_shortcut_key *key)
{
    return (struct lib_shortcut_key){
        .which = key->which, .comm = key->comm, .root = LIB_IRREGULAR_RANKS};
}

/* Fills in what is compared instead of the counts. False: a count is negative. */
LIB_INLINE bool lib_shortcut_sum(struct lib_shortcut_key *key, int p)
{
    const int *counts = key->counts;
    int64_t sum = 0;
    int differ = 0, negative = 0;
    for (int i = 0; i < p; i++) {
        sum += counts[i];
        differ |= counts[i] ^ counts[0];
        negative |= counts[i];
    }
    key->count = (int)(uint32_t)sum;
    key->other_count = (int)(sum >> 32);
    key->root = differ != 0 ? LIB_IRREGULAR : LIB_IRREGULAR_ALIKE;
    return negative >= 0;
}

/* True if this thread has a shortcut for the call, which is then counted. */
LIB_INLINE bool lib_shortcut_take(struct lib_shortcut_key *key)
{
    if (key->counts != NULL) {
        const struct lib_shortcut_key ranks = lib_shortcut_of_ranks(key);
        const struct lib_shortcut *of_ranks = lib_shortcut_find(&ranks);
        if (of_ranks == NULL || !lib_shortcut_sum(key, of_ranks->p))
            return false;
    }
    const struct lib_shortcut *shortcut = lib_shortcut_find(key);
    if (shortcut == NULL || (shortcut->trial != NULL && !choice_trial_pass(shortcut->trial)))
        return false;
    lib_count_left(key->which);
    return true;
}
