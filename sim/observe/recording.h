/* recording.h - stores and sorts all messages of a run. */
#ifndef SIM_OBSERVE_RECORDING_H
#define SIM_OBSERVE_RECORDING_H

#include "sim/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* ---- Finds the operations of the plan to which a message of a run belongs -------------------- */

/* Writes the operations of the message, those of its sender or of its receiver, to the front of
 * ops, which has room for the plan's max_ops. Returns their number. O(log p + max_ops). */
int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[]);

#ifdef __cplusplus
}
#endif
#endif
