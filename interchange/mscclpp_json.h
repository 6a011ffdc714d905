/* mscclpp_json.h - reads schedules as MSCCL++'s executor reads them (JSON; microsoft/mscclpp at
 * 1f5f065d, execution_plan.cc and execution_kernel.hpp). */
#ifndef INTERCHANGE_MSCCLPP_JSON_H
#define INTERCHANGE_MSCCLPP_JSON_H

#include <stdbool.h>

#include "programs/program.h"
#include "support/error.h"

/* Whether a file that begins so, after blanks, can be of this format. */
bool inter_mscclpp_knows(const char *text);

/* Reads a text into a program, which prg_free frees, also after a failure. The path is for
 * messages. A threadblock is a thread whose operations run in the file's order, as if a nop, which
 * lets its GPU threads wait for each other, stood between each two. What a port channel does is a
 * thread of its own, which flush waits for. A relaxed signal orders nothing but the wait. A
 * pipeline runs once, as it does for one unit of data. Operations on packets (protocol LL) are not
 * known. RB_EINVAL with the path and the operation's place. O(operations * channels of a rank). */
int inter_read_mscclpp(const char *text, const char *path, struct prg_program *program,
                       struct sup_error *error);

#endif
