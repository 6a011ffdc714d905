/* values.h - one value of an experiment's key, read into the grid.
 *
 * A function per key that says more than a number or a text. The word is as written in the file; a
 * list of numbers may be one word (support/units.h), everything else is one value per word.
 * RB_EINVAL with a message that quotes the word and says what would be right, without the place:
 * that is the caller's to add. */
#ifndef EXPERIMENTS_SWEEP_VALUES_H
#define EXPERIMENTS_SWEEP_VALUES_H

#include "experiments/sweep/experiment.h"

/* Of a parameter that has no function of its own: a number within the bounds of its option, or any
 * text. */
int sweep_read_value(struct sweep_grid *grid, const struct point_parameter *parameter,
                     const char *word, struct sup_error *error);

int sweep_read_collective(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* After the collective; "all" stands for all of the collective's. */
int sweep_read_algorithm(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* After the element size, which must divide the bytes. */
int sweep_read_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_blocks(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_of_optimum(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* of-F and of-G, which say the same: n = sqrt(m ceil(log2 p)) / it. */
int sweep_read_of_f(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* After the collective, whose data must be parted for other counts than regular ones, and the seed,
 * which "random" alone takes. */
int sweep_read_counts(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Numbers, or "all" for 2 .. p. */
int sweep_read_radix(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* After the collective, which must have instances; ranges stand for all their values. */
int sweep_read_instance(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* After the seed, which "random" alone takes. */
int sweep_read_placement(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_progress(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_engine(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_engine_option(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_element_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_seed(struct sweep_grid *grid, const char *word, struct sup_error *error);

#endif
