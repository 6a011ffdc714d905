/* diagnosis.h - all messages of a run, and phases of its pipeline, idle ranks, skew and critical
 * path from them.
 *
 * A rank is active if it sends or receives anything. It has begun when its first message starts,
 * and is done when its last message ends.
 *   fill    until all active ranks have begun;
 *   steady  from then until the first of them is done;
 *   drain   from then until the end.
 * If some ranks are done before others have begun, the pipeline is never full: then fill ends when
 * the first rank is done, drain begins when the last rank has begun, and the time between them is
 * not a steady state. All phases may be empty. */
#pragma once

#include "sim/engine/engine.h"

/* ---- All messages of a run ------------------------------------------------------------------- */

/* A message takes about 100 bytes, derived data included: 1 GB in all. */
enum { OBS_MOST_RECORDED = 10000000 };

struct obs_recording {
    struct sim_message *message; /* by end, then round, sender, port, receiver; owned */
    int32_t count;
    int32_t room;
    int64_t missed; /* messages beyond OBS_MOST_RECORDED */
    /* The messages at a rank, as sender or receiver, by end: message[of_rank[i]] for
     * first[rank] <= i < first[rank + 1]. Owned; there once the recording is closed. */
    int32_t *of_rank;
    int32_t *first;
    int32_t p;
};

/* An observer that stores messages in a zeroed recording, which must outlive it. */
struct sim_observer obs_recording_observer(struct obs_recording *recording);

/* After the run of p ranks: sorts the messages. O(messages log messages). RB_EINVAL with the number
 * of messages if some were missed. */
int obs_recording_close(struct obs_recording *recording, int32_t p, struct sup_error *error);

void obs_recording_free(struct obs_recording *recording); /* safe on a zeroed struct */

/* Writes the operations of the message, those of its sender or of its receiver, to the front of
 * ops, which has room for the plan's max_ops. Returns their number. O(log p + max_ops). */
int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[]);

/* ---- The critical path ----------------------------------------------------------------------- */

/* The chain of messages that determines the run's time.
 *
 * The path leads from the message that ends last back to time 0. Each message is preceded by one
 * that kept it from starting earlier. In most cases the preceding message ended at the same moment
 * at one of the message's two ranks, in an earlier round; the causes below list all cases. */

/* Why a message could not start earlier. If there are several causes, the first of this list is
 * given. */
enum obs_cause {
    OBS_BY_DATA,      /* its sender had just received blocks that this message forwards */
    OBS_BY_SENDER,    /* its sender was busy with another message until then */
    OBS_BY_RECEIVER,  /* its receiver was busy with another message until then */
    OBS_BY_BARRIER,   /* lockstep: another rank was still in the preceding round */
    OBS_BY_HOST,      /* several ranks per host: another rank's message occupied the host's port.
                       * That message may end after this one starts, because ports are free before
                       * the latency is over */
    OBS_BY_COMBINING, /* the sender or receiver was combining what it had received */
    OBS_BY_START,     /* neither sender nor receiver had an earlier message */
    OBS_UNEXPLAINED,  /* no message ended at that moment; the path continues with the message that
                       * ended last */
    OBS_CAUSES
};
extern const char *const obs_cause_names[OBS_CAUSES]; /* "data" */

/* What kept a message from starting earlier. */
struct obs_wait {
    int32_t message; /* the preceding one: its index in the recording; -1: none */
    enum obs_cause cause;
    int32_t at; /* the rank that both share; the sender if they share none */
};

struct obs_path_step {
    const struct sim_message *message;
    enum obs_cause cause;
    int32_t at;    /* the rank that message and predecessor share; the sender if they share none */
    double wait_s; /* from the predecessor's end, or time 0, to the start; negative if the two
                    * overlap */
};

struct obs_critical_path {
    struct obs_path_step *step; /* from time 0 on; owned; its messages are the recording's */
    int32_t count;
    int32_t ranks;              /* distinct senders and receivers on it */
    int64_t bytes;              /* bytes of all its messages */
    int32_t causes[OBS_CAUSES]; /* the number of steps with each cause */
    double moving_s;            /* its messages' durations */
    double waiting_s; /* its waits, and the time from its last end to the end of the run: moving_s +
                       * waiting_s is the run's time, up to rounding */
};

/* True if the path comes to this message from elsewhere than its rank `at`. */
static inline bool obs_path_jumps(const struct obs_path_step *step)
{
    return step->cause == OBS_BY_BARRIER || step->cause == OBS_BY_HOST;
}

/* Finds what each of these messages of the recording, given by their indices, waited for: its step
 * of the path if it lies on it. Per message O(log messages + max_ops), p more where hosts are
 * shared. */
int obs_waits_find(const struct sim_spec *spec, const struct sim_result *result,
                   const struct obs_recording *recording, const int32_t message[], int32_t count,
                   struct obs_wait waits[], struct sup_error *error);

/* ---- Phases, idle ranks, skew ---------------------------------------------------------------- */

enum obs_phase_name { OBS_FILL, OBS_STEADY, OBS_DRAIN, OBS_PHASES };
struct obs_phase {
    double from_s, to_s;
    int64_t rounds;     /* rounds of the plan in this phase, up to that of the message that ends the
                         * phase. The phases divide the plan's rounds; exact in lockstep */
    double utilisation; /* the share of the phase in which messages occupy the active ranks' ports
                         * in one direction; NAN for an empty phase */
};

struct obs_rank_use {
    int64_t sends, receives;
    double first_s, last_s; /* begin and end; both 0 for an idle rank */
    double send_s, recv_s;  /* durations of its sends, of its receives */
    double busy_s;          /* the time in which at least one of them was in flight */
};

/* The quantities of each active rank. */
enum obs_use {
    OBS_USE_SENDING,   /* send_s */
    OBS_USE_RECEIVING, /* recv_s */
    OBS_USE_BUSY,      /* busy_s */
    OBS_USE_IDLE,      /* the run's time minus busy_s */
    OBS_USE_GAPS,      /* idle between its first message and its last */
    OBS_USE_BEGUN,     /* first_s */
    OBS_USE_THROUGH,   /* last_s */
    OBS_USES
};
double obs_use_of(const struct obs_rank_use *rank, enum obs_use use, double time_s);
struct obs_spread {
    double least, median, most;                 /* of an even number the lower median */
    int32_t least_rank, median_rank, most_rank; /* the lowest rank that has it */
};

struct obs_diagnosis {
    double time_s;
    int32_t taking_part; /* ranks */
    struct obs_phase phase[OBS_PHASES];
    bool full;                          /* phase[OBS_STEADY] is a steady state */
    struct obs_rank_use *rank;          /* p; owned */
    struct obs_spread spread[OBS_USES]; /* zeros if no rank is active */
    double start_skew_s;                /* the widest spread of the starts of one round */
    int64_t start_skew_round;           /* the first round with this spread; 0 if none */
    struct obs_critical_path path;
};

/* Diagnoses a run of spec's plan with this result; the closed recording has the run's messages and
 * must outlive the diagnosis. Engine and overlap rule matter only where lockstep explains a wait.
 * O(messages + rounds + p log p) and the path's. */
int obs_diagnose(const struct sim_spec *spec, const struct sim_result *result,
                 const struct obs_recording *recording, struct obs_diagnosis *diagnosis,
                 struct sup_error *error);
void obs_diagnosis_free(struct obs_diagnosis *diagnosis); /* safe on a zeroed struct */
