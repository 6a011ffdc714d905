/* collectives.h - the names that people, MPI and benchmarks have for collectives. */
#ifndef SUPPORT_COLLECTIVES_H
#define SUPPORT_COLLECTIVES_H

#include "roundabout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The collective of this name: ours ("reduce-scatter"), MPI's ("MPI_Reduce_scatter_block",
 * "allgatherv", which is allgather: counts that differ are another parameter), or a usual one
 * ("broadcast"). Case does not matter, and blanks and `_` are as `-`. NULL: there is none. */
const struct rb_collective_info *sup_collective_named(const char *text);

/* A list of such names by commas, each as we call it; what is no such name stays as it is. The
 * caller frees it. */
char *sup_collective_names(const char *list);

/* As rb_plan_is_supported, which can't say that there was no memory: then the program ends
 * (memory.h). */
bool sup_plan_is_supported(const struct rb_plan_spec *spec);

#ifdef __cplusplus
}
#endif
#endif
