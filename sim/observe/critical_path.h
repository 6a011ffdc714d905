/* critical_path.h - the chain of messages that determines the run's time.
 *
 * The path leads from the message that ends last back to time 0. Each message is preceded by one
 * that kept it from starting earlier. In most cases the preceding message ended at the same moment
 * at one of the message's two ranks, in an earlier round; the causes below list all cases. */
#ifndef SIM_OBSERVE_CRITICAL_PATH_H
#define SIM_OBSERVE_CRITICAL_PATH_H

#include "recording.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Finds the path of a run of spec's plan with this result; the closed recording has the run's
 * messages. Two times are equal if they differ by less than 1e-9 of the run's time. O(rounds (log
 * messages + max_ops)) for an engine whose messages start when others end; p more per round where
 * hosts are shared. */
int obs_critical_path_find(const struct sim_spec *spec, const struct sim_result *result,
                           const struct obs_recording *recording, struct obs_critical_path *path,
                           struct sup_error *error);
/* Finds what each of these messages of the recording, given by their indices, waited for: its step
 * of the path if it lies on it. Per message O(log messages + max_ops), p more where hosts are
 * shared. */
int obs_waits_find(const struct sim_spec *spec, const struct sim_result *result,
                   const struct obs_recording *recording, const int32_t message[], int32_t count,
                   struct obs_wait waits[], struct sup_error *error);
void obs_critical_path_free(struct obs_critical_path *path); /* safe on a zeroed struct */

#ifdef __cplusplus
}
#endif
#endif
