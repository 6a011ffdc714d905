/* paths.h - critical paths of measured rows, kept: many rows have the same plan, and the path of
 * many plans is the same for all sizes. */
#ifndef MEASUREMENTS_MACHINE_PATHS_H
#define MEASUREMENTS_MACHINE_PATHS_H

#include "experiments/rows/rows.h"
#include "measurements/path/path.h"
#include "support/error.h"

struct mach_paths;

/* The context of the cost is used as long as the paths. */
struct mach_paths *mach_paths_create(path_cost *cost, const void *context);
void mach_paths_destroy(struct mach_paths *paths); /* NULL is fine */
/* Call it when the costs have changed: the paths are found again, plans are kept. */
void mach_paths_forget(struct mach_paths *paths);

/* From now on plans with more than so many operations have no paths; 0: all have. */
void mach_paths_limit(struct mach_paths *paths, int64_t operations);

/* The path of a row, valid until the next call. Where the paths of a smaller and a larger m are
 * known and are the same messages, that of m is taken to be the same. Texts of the row must be
 * valid as long as `paths`. RB_ENOTSUP if there is no such plan or it is above the limit. */
int mach_paths_of(struct mach_paths *paths, const struct rows_row *row, const struct path **path,
                  struct sup_error *error);

#endif
