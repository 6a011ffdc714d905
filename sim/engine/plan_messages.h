/* plan_messages.h - how many messages a plan has. */
#ifndef SIM_ENGINE_PLAN_MESSAGES_H
#define SIM_ENGINE_PLAN_MESSAGES_H

#include "roundabout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Messages of all ranks, counted one by one: O(operations of the plan). */
int64_t sim_plan_messages(const struct rb_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
