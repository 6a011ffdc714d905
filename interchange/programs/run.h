/* run.h - runs a program: which steps can be done one after another. FIFOs make this independent of
 * the order in which steps that can be done are chosen: if one order ends, all do. */
#ifndef INTERCHANGE_PROGRAMS_RUN_H
#define INTERCHANGE_PROGRAMS_RUN_H

#include <stddef.h>

#include "program.h"

struct prg_trace {
    int32_t *order;  /* the steps in an order in which they can be done; owned */
    int32_t *match;  /* of a step with `in`: the step that put its message; owned */
    int64_t fullest; /* messages in a FIFO at a time, in this order */
};

/* The thread of each step; owned by the caller. NULL: no memory. O(steps). */
int32_t *prg_threads_of(const struct prg_program *program);
/* The step that a step waits for by dep_thread and dep_step, or PRG_NONE. */
int64_t prg_dependence(const struct prg_program *program, int32_t rank,
                       const struct prg_step *step);

/* Whether the program ends if each FIFO has room for `room` messages, at least 1 (semaphores have
 * any). Fills the trace, if there is one, which the caller frees, also after failures. RB_OK;
 * RB_EWRONG, and `what` says who waits for whom; RB_ENOMEM. O(steps). */
int prg_trace(const struct prg_program *program, const int32_t thread_of[], int64_t room,
              struct prg_trace *trace, char *what, size_t what_size);
void prg_trace_free(struct prg_trace *trace);

/* "thread 3 of rank 1 (line 40)" */
struct prg_name {
    char text[80];
};
struct prg_name prg_step_name(const struct prg_program *program, const int32_t thread_of[],
                              int64_t step);
/* "output chunk 3 of rank 1": of buffers that are one, the output. */
struct prg_name prg_slot_name(const struct prg_program *program, int32_t rank, int32_t slot);

#endif
