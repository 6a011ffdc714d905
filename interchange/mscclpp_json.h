/* mscclpp_json.h - schedules as MSCCL++'s executor reads them (JSON; microsoft/mscclpp at
 * 1f5f065d, execution_plan.cc and execution_kernel.hpp). */
#ifndef INTERCHANGE_MSCCLPP_JSON_H
#define INTERCHANGE_MSCCLPP_JSON_H

#include <stdio.h>

#include "interchange/programs/program.h"
#include "roundabout.h"
#include "support/error.h"

enum { INTER_MSCCLPP_CHUNKS = 1 << 16 /* of a buffer, at most; our limit */ };

/* Reads a text into a program, which prg_free frees, also after a failure. The path is for
 * messages. A threadblock is a thread whose operations run in the file's order, as if a nop, which
 * lets its GPU threads wait for each other, stood between each two. What a port channel does is a
 * thread of its own, which flush waits for. A relaxed signal orders nothing but the wait. A
 * pipeline runs once, as it does for one unit of data. Operations on packets (protocol LL) are not
 * known. A member "root", which the executor ignores, is the root; without it rank 0 is. RB_EINVAL
 * with the path and the operation's place. O(operations * channels of a rank). */
int inter_read_mscclpp(const char *text, const char *path, struct prg_program *program,
                       struct sup_error *error);

/* Writes a plan of bcast, reduce, allreduce, allgather, reduce-scatter or alltoall; a block is a
 * chunk. RB_EINVAL, and nothing is written, if the format or the executor can't take the plan: an
 * ordered one, more than 256 ranks, or too many operations of a rank. RB_EWRONG if the plan is
 * wrong. O(p^2 + operations * operations of a rank's round). */
int inter_mscclpp_write(const struct rb_plan *plan, FILE *stream, struct sup_error *error);

#endif
