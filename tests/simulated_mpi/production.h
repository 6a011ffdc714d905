/* production.h - included before everything else where production code is compiled for the
 * simulated MPI. */
#define _GNU_SOURCE /* as those that need most do */
#include <stdint.h>
#include <stdio.h>
#include <threads.h>

/* What is said is kept. */
extern FILE *sm_said;
#undef stderr
#define stderr sm_said

/* A rank has one thread, and all ranks are coroutines of one. */
#undef thread_local
#define thread_local
#define tls_model(model)

/* Messages are cut into pieces of so many elements; a case draws it. */
extern int32_t sm_most_elements;
#define EXEC_MAX_COUNT sm_most_elements

#include "names.h" /* which includes production headers */
