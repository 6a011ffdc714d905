/* contents.h - what is in each slot after each step, symbolically. */
#ifndef INTERCHANGE_PROGRAMS_CONTENTS_H
#define INTERCHANGE_PROGRAMS_CONTENTS_H

#include "prove.h"
#include "run.h"

/* Follows the data in the order of the trace and checks them against the contract, which must be
 * known. Sets fault, what, contents and same_order of the verdict. RB_OK, also for wrong contents;
 * RB_ENOMEM. */
int prg_check_contents(const struct prg_program *program, const int32_t thread_of[],
                       const struct prg_trace *trace, struct prg_verdict *verdict);

#endif
