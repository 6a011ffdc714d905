/* diagnosis.h - phases of the pipeline, idle ranks, skew and critical path of a run, from its
 * messages.
 *
 * A rank is active if it sends or receives anything. It has begun when its first message starts,
 * and is done when its last message ends.
 *   fill    until all active ranks have begun;
 *   steady  from then until the first of them is done;
 *   drain   from then until the end.
 * If some ranks are done before others have begun, the pipeline is never full: then fill ends when
 * the first rank is done, drain begins when the last rank has begun, and the time between them is
 * not a steady state. All phases may be empty. */
#ifndef SIM_OBSERVE_DIAGNOSIS_H
#define SIM_OBSERVE_DIAGNOSIS_H

#include "critical_path.h"
#include "recording.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
