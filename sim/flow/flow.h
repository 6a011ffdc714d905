/* flow.h - the engine `flow`: messages as flows that share links max-min fairly, as in SimGrid, but
 * with rates that are repaired instead of solved anew (shares.h). */
#ifndef SIM_FLOW_FLOW_H
#define SIM_FLOW_FLOW_H

#include "sim/engine/engine.h"

extern const struct sim_engine flow_engine;

#endif
