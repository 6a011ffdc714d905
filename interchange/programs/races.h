/* races.h - accesses to the same slot, one of them a write, that nothing orders. */
#ifndef INTERCHANGE_PROGRAMS_RACES_H
#define INTERCHANGE_PROGRAMS_RACES_H

#include "prove.h"
#include "run.h"

/* What orders steps: their thread, the steps that they wait for, and a message from what its sender
 * did before it to what its receiver does after it; not the room of FIFOs. Sets fault and what of
 * the verdict if there is a race. RB_OK, also then; RB_ENOMEM. */
int prg_check_races(const struct prg_program *program, const int32_t thread_of[],
                    const struct prg_trace *trace, struct prg_verdict *verdict);

#endif
