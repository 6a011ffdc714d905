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
#ifndef RB_SIM_OBSERVE_DIAGNOSIS_H
#define RB_SIM_OBSERVE_DIAGNOSIS_H

#include "critical_path.h"
#include "recording.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rb_phase_name { RB_FILL, RB_STEADY, RB_DRAIN, RB_PHASES };
struct rb_phase {
    double from_s, to_s;
    int64_t rounds;     /* of the plan: up to that of the message that ends the phase. They share
                           out the plan's rounds; exact in lockstep */
    double utilisation; /* of the ports, one way, of the ranks that take part: the share of the
                           phase for which messages hold them; NAN of an empty phase */
};

struct rb_rank_use {
    int64_t sends, receives;
    double first_s, last_s; /* begun, through; both 0 if it doesn't take part */
    double send_s, recv_s;  /* durations of its sends, of its receives */
    double busy_s;          /* for so long at least one of them was under way */
};

/* Of what is said of each rank that takes part. */
enum rb_use {
    RB_USE_SENDING,   /* send_s */
    RB_USE_RECEIVING, /* recv_s */
    RB_USE_BUSY,      /* busy_s */
    RB_USE_IDLE,      /* the run's time less busy_s */
    RB_USE_GAPS,      /* idle between its first message and its last */
    RB_USE_BEGUN,     /* first_s */
    RB_USE_THROUGH,   /* last_s */
    RB_USES
};
double rb_use_of(const struct rb_rank_use *rank, enum rb_use use, double time_s);
struct rb_spread {
    double least, median, most;                 /* of an even number the lower median */
    int32_t least_rank, median_rank, most_rank; /* the lowest rank that has it */
};

struct rb_diagnosis {
    double time_s;
    int32_t taking_part; /* ranks */
    struct rb_phase phase[RB_PHASES];
    bool full;                        /* phase[RB_STEADY] is a steady state */
    struct rb_rank_use *rank;         /* p; owned */
    struct rb_spread spread[RB_USES]; /* zeros if no rank takes part */
    double start_skew_s;              /* the most by which the starts of one round differ */
    int64_t start_skew_round;         /* the first round where they do; 0 if none */
    struct rb_critical_path path;
};

/* Of a run of spec's plan with this result, whose messages a closed recording has, which must
 * outlive the diagnosis. Engine and progress rule matter only where lockstep explains a wait.
 * O(messages + rounds + p log p) and the path's. RB_ENOMEM. */
int rb_diagnose(const struct rb_sim_spec *spec, const struct rb_sim_result *result,
                const struct rb_recording *recording, struct rb_diagnosis *diagnosis,
                struct rb_error *error);
void rb_diagnosis_free(struct rb_diagnosis *diagnosis); /* safe on a zeroed struct */

#ifdef __cplusplus
}
#endif
#endif
