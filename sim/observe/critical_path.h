/* critical_path.h - the chain of messages that took as long as the run.
 *
 * From the message that ends last back to time 0: before each message stands one that kept it from
 * starting earlier. Mostly that ended at the same moment at one of its two ranks, in a round
 * before; causes below say what else there is. */
#ifndef SIM_OBSERVE_CRITICAL_PATH_H
#define SIM_OBSERVE_CRITICAL_PATH_H

#include "recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a message could not start earlier. Of several causes the first of these is named. */
enum obs_cause {
    OBS_BY_DATA,     /* its sender had just received blocks that it passes on here */
    OBS_BY_SENDER,   /* its sender was in another message until then */
    OBS_BY_RECEIVER, /* its receiver was */
    OBS_BY_BARRIER,  /* lockstep: somebody else was in the round before */
    OBS_BY_HOST,     /* several ranks per host: another rank's message held the host's port. It ends
                       later than this one starts where ports pass on before the latency is over */
    OBS_BY_COMBINING, /* sender or receiver had last received what it combines */
    OBS_BY_START,     /* nothing came before at sender and receiver: it started when they did */
    OBS_UNEXPLAINED,  /* no message ended at that moment; the path goes on at what ended last */
    OBS_CAUSES
};
extern const char *const obs_cause_names[OBS_CAUSES]; /* "data" */

struct obs_path_step {
    const struct sim_message *message;
    enum obs_cause cause;
    int32_t at;    /* the rank where message and predecessor meet; the sender if they don't */
    double wait_s; /* between the predecessor's end, or time 0, and the start; less than 0 for ports
                      that pass on early */
};

struct obs_critical_path {
    struct obs_path_step *step; /* from time 0 on; owned; its messages are the recording's */
    int32_t count;
    int32_t ranks;              /* distinct senders and receivers on it */
    int64_t bytes;              /* of its messages together */
    int32_t causes[OBS_CAUSES]; /* how many steps have each */
    double moving_s;            /* its messages' durations */
    double waiting_s; /* its waits, and from its last end to the end of the run: moving_s +
                         waiting_s is the run's time, but for rounding */
};

/* True if the path comes to this message from elsewhere than its rank `at`. */
static inline bool obs_path_jumps(const struct obs_path_step *step)
{
    return step->cause == OBS_BY_BARRIER || step->cause == OBS_BY_HOST;
}

/* Of a run of spec's plan with this result, whose messages a closed recording has. Moments are
 * equal if they differ by less than 1e-9 of the run's time. O(rounds (log messages + max_ops)) for
 * an engine whose messages start when others end; p more per round where hosts are shared.
 * RB_ENOMEM.
 */
int obs_critical_path_find(const struct sim_spec *spec, const struct sim_result *result,
                           const struct obs_recording *recording, struct obs_critical_path *path,
                           struct sup_error *error);
void obs_critical_path_free(struct obs_critical_path *path); /* safe on a zeroed struct */

#ifdef __cplusplus
}
#endif
#endif
