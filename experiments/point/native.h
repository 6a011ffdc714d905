/* native.h - points with native:NAME on engines that run plans alone: the plan of the algorithm
 * that the library chooses (mpi/vendors/choices/choices.h). */
#ifndef EXPERIMENTS_POINT_NATIVE_H
#define EXPERIMENTS_POINT_NATIVE_H

#include "experiments/point/group_words.h"
#include "mpi/vendors/choices/choices.h"

/* What runs. */
struct point_plan {
    struct rb_plan_spec spec;
    struct mpilib_choice choice; /* without an algorithm: the plan was asked for by its name */
    char *groups;                /* of the spec, owned */
};

/* True if the engine itself has the algorithm, so that there is no plan. */
bool point_is_native(const struct point *point);

/* Of a point that is not native. RB_EINVAL with a message that names the library's algorithm, if no
 * plan follows it. The caller frees the plan, also on failure. */
int point_find_plan(const struct point *point, struct point_plan *plan, struct sup_error *error);
void point_plan_free(struct point_plan *plan); /* safe on a zeroed struct */

#endif
