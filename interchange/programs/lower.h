/* lower.h - a program as operations of a plan, round by round, for the engines.
 *
 * A step stands in the first round in which it can: one message per thread and direction in a
 * round, sends before what the thread receives in it. A message whose receiver is not ready stays
 * in a slot of its FIFO until then, as in NCCL, where a FIFO has 8 slots; here it has as many, or
 * as many as the program needs. What comes out of there is copied or combined locally, which takes
 * no time. Each FIFO has a port of its own at both its ends, so that engines move their messages at
 * the same time. Signals, and steps without data, order rounds and take no time. A one-sided put is
 * a message from the rank to the other, a get one from the other to the rank.
 *
 * All data are in RB_TMP, by slots: a message's two ends name different blocks. So such a plan is
 * not for rb_verify_plan, but prg_prove has proved the program. Without data (program->bytes), a
 * message is the block with its number, and nothing but the rounds orders messages: such plans are
 * for the overlap rule `blocking`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "interchange/programs/prove.h"
#include "program.h"
#include "roundabout.h"

/* Takes an operation of a rank's round; those of a round come in the order in which they take
 * effect, messages of a direction in any order. Not 0: the lowering ends with this. */
typedef int prg_take_op(void *context, int64_t round, int32_t rank, const struct rb_op *op,
                        int32_t line);

struct prg_lowered {
    int64_t rounds;
    int64_t blocks; /* at least 1: the slots of a rank, with those of its FIFOs; or the messages */
    int32_t ports;
    int64_t *bytes; /* of each message, for programs without data; owned by the caller; or NULL */
};

/* room: what prg_prove found to suffice (least_room) for a right program. RB_ENOTSUP with a message
 * where no plan can say it (a step that copies chunks onto others of themselves; a rank with more
 * than RB_MAX_PORTS FIFOs); RB_ENOMEM. O(steps). */
int prg_lower(const struct prg_program *program, int64_t room, prg_take_op *take, void *context,
              struct prg_lowered *lowered, struct sup_error *error);

/* ---- Round plans as programs ----------------------------------------------------------------- */

/* Round plans as programs: how much room do their FIFOs need?.
 *
 * A rank is one thread, which does one thing after another, as a GPU's threadblock or a program of
 * MPI_Send and MPI_Recv: round after round, in a round its sends and then its receives, in the
 * order of rb_plan_round. Each pair of ranks has a FIFO per port. Local operations take no room. */

/* The least room with which the plan ends; 0 if there are no messages. RB_EWRONG if it doesn't end
 * with any, RB_ENOMEM. O(operations log room). */
int prg_plan_room(const struct rb_plan *plan, bool by_block, int64_t *room);
