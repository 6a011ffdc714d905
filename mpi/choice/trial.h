/* trial.h - the online choice: finds out which of several candidates serves a class of calls best,
 * by trying them in the program's own calls.
 *
 * As in STAR-MPI (Faraj, Yuan and Lowenthal, STAR-MPI: Self Tuned Adaptive Routines for MPI
 * Collective Operations, ICS 2006) and ADCL (Gabriel and Huang, Runtime Optimization of Application
 * Level Communication Patterns, HIPS 2007), calls of one class (collective, class of sizes) are
 * served by one candidate for some calls and by another one for some more, and the faster becomes
 * the current choice. Candidate 0 is the MPI library's own function, which is the current choice
 * until another candidate is clearly faster.
 *
 * Trials. A trial compares one challenger with the current choice. The first starts at the 64th
 * call of a class (the 8th from 64 KiB on), each other one when the number of calls has doubled
 * since the end of the last trial, or quadrupled once every candidate was tried; each takes the
 * next challenger. A trial takes
 *
 *     5 calls of the current choice | 7 of the challenger | 4 of the current choice
 *
 * and ends early where the challenger is far slower: after 1 call (3 times, and more than 1 ms),
 * after 3 calls (1.5 times). All ranks agree at the ends of these stages, inside the last call,
 * by one reduction of at most CHOICE_TRIAL_WORDS numbers: a call's time is the longest of all
 * ranks', and from such times all ranks come to the same decision. If ranks differ in bytes, calls
 * or errors, the class is closed: the MPI library serves it from then on.
 *
 * Margin. A challenger of ours replaces the current choice if its median is 5 % below those of the
 * calls before and of the calls after, and all its times but the longest are below all of theirs
 * but the shortest. If both were alike, this would happen in 1.1 % of all trials (55 of the C(15,
 * 6) = 5005 orders of 6 and 9 times). A current choice of ours is replaced by the MPI library's own
 * function when it is no longer 2 % faster.
 *
 * Cost. A trial starts only if what trials have lost so far (reductions included), and two calls'
 * time more, is at most 2 % of the time of all calls on this communicator, by the agreed times;
 * else it waits for twice as many calls. State: one struct choice_trial for each class,
 * CHOICE_MOST_TRIALS at most for a communicator.
 *
 * This module does not use MPI, and only one thread may use it at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "decisions.h"

enum {
    CHOICE_MOST_CANDIDATES = 7, /* the MPI library's own, and ours */
    CHOICE_MOST_TRIALS = 256,
    CHOICE_TRIAL_BEFORE = 5,
    CHOICE_TRIAL_DURING = 7,
    CHOICE_TRIAL_AFTER = 4,
    CHOICE_TRIAL_WORDS = 7 + CHOICE_TRIAL_DURING,
    CHOICE_TRIAL_LISTS = 16
};

/* A class of calls. */
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
    int32_t trials;
    float ratio; /* its time divided by that of the current choice; 0: not known */
};

enum choice_trial_stage { CHOICE_WAITING, CHOICE_TRYING, CHOICE_AFTERWARDS, CHOICE_CLOSED };

struct choice_trial {
    struct choice_trial_key key;
    enum choice_trial_stage stage;
    int8_t candidates; /* number of candidates, including the MPI library's own */
    int8_t current, challenger;
    int8_t count;       /* of the stage's times */
    int16_t next;       /* in its list; -1: none */
    int64_t calls;      /* so far */
    int64_t pass;       /* up to this one the MPI library's own function serves them, untimed */
    int64_t next_trial; /* the call at which the next trial starts */
    float current_s;    /* agreed median of the current choice; 0: not known */
    float before[CHOICE_TRIAL_BEFORE], during[CHOICE_TRIAL_DURING], after[CHOICE_TRIAL_AFTER];
    struct choice_tried tried[CHOICE_MOST_CANDIDATES];
};

/* The classes of one communicator; a zeroed one is empty. */
struct choice_trials {
    struct choice_trial *trials; /* owned */
    int32_t count, room;
    int16_t first[CHOICE_TRIAL_LISTS]; /* one more than the index of a list's first; 0: none */
    double lost_s;
};

/* The class of a size: 0 for no bytes, k for 2^(k-1) .. 2^k - 1 bytes. */
int32_t choice_size_class(int64_t bytes);

/* The trial of a class, or NULL; valid until the next one is made. */
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
/* Takes each word's maximum over all ranks. True: a trial has ended, or the class was closed. */
bool choice_trial_agree(struct choice_trials *trials, struct choice_trial *trial,
                        const double words[CHOICE_TRIAL_WORDS]);

/* ---- Results --------------------------------------------------------------------------------- */

/* The results of the online choice in a process or a job, for the report and for decision files: a
 * row for each collective, p and class of sizes.
 *
 * Rows are plain bytes, which mean the same in another process of the program. This module does
 * not use MPI, and only one thread may use it at a time. */

enum { CHOICE_MOST_LEARNED = 1 << 14 }; /* rows; others are left out */

struct choice_learned_row {
    char collective[16];
    int32_t p;
    struct choice_trial trial; /* the state after its last trial */
};

/* A zeroed one is empty. */
struct choice_learned {
    struct choice_learned_row *rows; /* owned; sorted by collective, p, counts, size, operator */
    size_t count;
};

/* If several communicators have rows for the same calls, the row with most calls is kept.
 * RB_ENOMEM. */
int choice_learned_add(struct choice_learned *learned, const struct choice_learned_row *row);
void choice_learned_free(struct choice_learned *learned);

/* Writes a table of the candidates tried and the current choices; nothing if there are no rows. The
 * stream has write errors. */
void choice_learned_text(const struct choice_learned *learned, FILE *stream);

/* Writes the rules of a decision file, without its first line, and sets *rules to their number.
 * Left out are rows of operators that do not commute, which rules cannot express, rows without a
 * trial, rows whose ranks differed, and rows behind rules that fit the same calls already (`known`,
 * may be NULL): there they would never hold. RB_ENOMEM. */
int choice_learned_rules(const struct choice_learned *learned, const struct choice_decisions *known,
                         FILE *stream, int *rules);
