/* diagnosis.h - what a run's messages tell: phases of the pipeline, idle ranks, skew, critical
 * path.
 *
 * A rank takes part if it sends or receives anything. It has begun when its first message starts,
 * and is through when its last one ends.
 *   fill    until all ranks that take part have begun;
 *   steady  from then until the first of them is through;
 *   drain   from then until the end.
 * If some ranks are through before others have begun, the pipeline is never full: then fill ends
 * when the first rank is through, drain begins when the last one has begun, and what lies between
 * is no steady state. All phases may be empty. */
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
    int64_t rounds;     /* of the plan: up to that of the message that ends the phase. They share
                           out the plan's rounds; exact in lockstep */
    double utilisation; /* of the ports, one way, of the ranks that take part: the share of the
                           phase for which messages hold them; NAN of an empty phase */
};

struct obs_rank_use {
    int64_t sends, receives;
    double first_s, last_s; /* begun, through; both 0 if it doesn't take part */
    double send_s, recv_s;  /* durations of its sends, of its receives */
    double busy_s;          /* for so long at least one of them was under way */
};

/* Of what is said of each rank that takes part. */
enum obs_use {
    OBS_USE_SENDING,   /* send_s */
    OBS_USE_RECEIVING, /* recv_s */
    OBS_USE_BUSY,      /* busy_s */
    OBS_USE_IDLE,      /* the run's time less busy_s */
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
    struct obs_spread spread[OBS_USES]; /* zeros if no rank takes part */
    double start_skew_s;                /* the most by which the starts of one round differ */
    int64_t start_skew_round;           /* the first round where they do; 0 if none */
    struct obs_critical_path path;
};

/* Of a run of spec's plan with this result, whose messages a closed recording has, which must
 * outlive the diagnosis. Engine and progress rule matter only where lockstep explains a wait.
 * O(messages + rounds + p log p) and the path's. RB_ENOMEM. */
int obs_diagnose(const struct sim_spec *spec, const struct sim_result *result,
                 const struct obs_recording *recording, struct obs_diagnosis *diagnosis,
                 struct sup_error *error);
void obs_diagnosis_free(struct obs_diagnosis *diagnosis); /* safe on a zeroed struct */

#ifdef __cplusplus
}
#endif
#endif
