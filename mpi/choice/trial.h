/* trial.h - the online choice: finds out which of several candidates serves calls of one kind best,
 * by trying them in the program's own calls.
 *
 * As STAR-MPI (Faraj, Yuan and Lowenthal, STAR-MPI: Self Tuned Adaptive Routines for MPI Collective
 * Operations, ICS 2006) and ADCL (Gabriel and Huang, Runtime Optimization of Application Level
 * Communication Patterns, HIPS 2007) do it: calls of one kind (collective, class of sizes) are
 * served by one candidate for some calls, by another one for some more, and the faster is kept.
 * Candidate 0 is the MPI library's own, which is kept until another one is clearly faster.
 *
 * Looks. At the 64th call of a kind (the 8th from 64 KiB on), and whenever three times as many
 * calls have been made as at the end of the last look, one challenger is compared with what is
 * kept; the next look takes the next challenger. A look takes
 *
 *     5 calls of what is kept   | 7 of the challenger         | 4 of what is kept
 *
 * and ends early where the challenger is far slower: after 1 call (3 times, and more than 1 ms),
 * after 3 calls (1.5 times). All ranks agree at the ends of these stages, inside the last call,
 * by one reduction of at most CHOICE_TRIAL_WORDS numbers: a call's time is the longest of all
 * ranks', and from such times all ranks come to the same decision. If ranks differ in bytes, calls
 * or errors, the kind is closed: the MPI library serves it for good.
 *
 * Margin. A challenger of ours replaces what is kept if its median is 5 % below those of the calls
 * before and of the calls after, and all its times but the longest are below all of theirs but the
 * shortest: if both were alike, 1.1 % of all looks (55 of the C(15, 6) = 5005 orders of 6 and 9
 * times). What is kept and ours goes when it isn't 2 % below the MPI library's any more.
 *
 * Cost. A look starts only if what looks have lost so far (reductions included), and two calls'
 * time more, is at most 2 % of the time of all calls on this communicator, by the agreed times;
 * else it waits for twice as many calls. State: one struct choice_trial for each kind,
 * CHOICE_MOST_TRIALS at most for a communicator.
 *
 * This module does not use MPI, and only one thread may use it at a time. */
#ifndef MPI_CHOICE_TRIAL_H
#define MPI_CHOICE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CHOICE_MOST_CANDIDATES = 6, /* the MPI library's own, and ours */
    CHOICE_MOST_TRIALS = 256,
    CHOICE_TRIAL_BEFORE = 5,
    CHOICE_TRIAL_DURING = 7,
    CHOICE_TRIAL_AFTER = 4,
    CHOICE_TRIAL_WORDS = 7 + CHOICE_TRIAL_DURING,
    CHOICE_TRIAL_LISTS = 16
};

/* A kind of calls. */
struct choice_trial_key {
    int16_t collective; /* below CHOICE_TRIAL_LISTS */
    int16_t size_class; /* choice_size_class */
    bool irregular, ordered;
};

enum choice_trial_verdict {
    CHOICE_UNTRIED,
    CHOICE_UNSUITED, /* the candidate cannot serve these calls */
    CHOICE_DROPPED,  /* far slower */
    CHOICE_SLOWER,   /* not clearly faster */
    CHOICE_FASTER,
};

/* The result of a candidate's last trial. */
struct choice_tried {
    enum choice_trial_verdict verdict;
    int32_t looks;
    float ratio; /* its time divided by that of the choice kept; 0: not known */
};

enum choice_trial_stage { CHOICE_WAITING, CHOICE_TRYING, CHOICE_AFTERWARDS, CHOICE_CLOSED };

struct choice_trial {
    struct choice_trial_key key;
    enum choice_trial_stage stage;
    int8_t candidates; /* number of candidates, including the MPI library's own */
    int8_t kept, challenger;
    int8_t count;  /* of the stage's times */
    int16_t next;  /* in its list; -1: none */
    int64_t calls; /* so far */
    int64_t pass;  /* up to this one the MPI library's own function serves them, untimed */
    int64_t look;  /* the call at which the next look starts */
    float kept_s;  /* agreed median of the choice kept; 0: not known */
    float before[CHOICE_TRIAL_BEFORE], during[CHOICE_TRIAL_DURING], after[CHOICE_TRIAL_AFTER];
    struct choice_tried tried[CHOICE_MOST_CANDIDATES];
};

/* The kinds of one communicator; a zeroed one is empty. */
struct choice_trials {
    struct choice_trial *trials; /* owned */
    int32_t count, room;
    int16_t first[CHOICE_TRIAL_LISTS]; /* one more than the index of a list's first; 0: none */
    double lost_s;
};

/* The class of a size: 0 for no bytes, k for 2^(k-1) .. 2^k - 1 bytes. */
int32_t choice_size_class(int64_t bytes);

/* The trial of a kind, or NULL; valid until the next one is made. */
struct choice_trial *choice_trials_find(const struct choice_trials *trials,
                                        const struct choice_trial_key *key);
/* Makes it. *made is NULL if there are CHOICE_MOST_TRIALS already: the MPI library's own it is,
 * then. `candidates` counts that, too. RB_ENOMEM. */
int choice_trials_make(struct choice_trials *trials, const struct choice_trial_key *key,
                       int candidates, struct choice_trial **made);
void choice_trials_free(struct choice_trials *trials);

/* ---- A call ---------------------------------------------------------------------------------- */

/* Returns true, and counts the call, if the MPI library's own function serves it and its time is
 * not needed; then no other function of the trial is called for this call. Otherwise does
 * nothing. */
static inline bool choice_trial_pass(struct choice_trial *trial)
{
    if (trial->calls >= trial->pass)
        return false;
    trial->calls++;
    return true;
}

/* Begins a call and returns the candidate that serves it. */
int choice_trial_begin(struct choice_trial *trial);
/* The candidate cannot serve the call, at all ranks. Returns the one that serves instead, which may
 * be refused in turn: if a trial's first call is refused, the next challenger. */
int choice_trial_refuse(struct choice_trials *trials, struct choice_trial *trial);
/* True if the time of the call that began is needed. To be called between begin and end. */
bool choice_trial_is_timed(const struct choice_trial *trial);
/* Ends a call. True: all ranks must now agree, by the maximum of what each offers. */
bool choice_trial_end(struct choice_trial *trial, double time_s);

/* The words that this rank offers; `failed`: the call returned an error. */
void choice_trial_offer(const struct choice_trial *trial, int64_t bytes, bool failed,
                        double words[CHOICE_TRIAL_WORDS]);
/* Takes each word's maximum over all ranks. True: a trial has ended, or the kind was closed. */
bool choice_trial_agree(struct choice_trials *trials, struct choice_trial *trial,
                        const double words[CHOICE_TRIAL_WORDS]);

#endif
