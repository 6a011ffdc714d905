/* from_plan.h - round plans as programs: how much room do their FIFOs need?
 *
 * A rank is one thread, which does one thing after another, as a GPU's threadblock or a program of
 * MPI_Send and MPI_Recv: round after round, in a round its sends and then its receives, in the
 * order of rb_plan_round. Each pair of ranks has a FIFO per port. Local operations take no room. */
#ifndef INTERCHANGE_PROGRAMS_FROM_PLAN_H
#define INTERCHANGE_PROGRAMS_FROM_PLAN_H

#include <stdbool.h>

#include "interchange/programs/prove.h"
#include "roundabout.h"

/* Fills a zeroed program, which the caller frees, also after failures. by_block: a message fills a
 * slot of its FIFO for each of its blocks; otherwise it fills one. RB_ENOMEM. O(operations), or
 * O(blocks moved). */
int prg_from_plan(const struct rb_plan *plan, bool by_block, struct prg_program *program);

/* The least room with which the plan ends; 0 if there are no messages. RB_EWRONG if it doesn't end
 * with any, RB_ENOMEM. O(operations log room). */
int prg_plan_room(const struct rb_plan *plan, bool by_block, int64_t *room);

#endif
