/* values.h - reads one value of an experiment's key into the grid.
 *
 * There is a function for each key whose values are more than numbers or texts. The word is the
 * text in the file. A list of numbers may be one word (support/units.h); other words are one value
 * each. RB_EINVAL with a message that quotes the word and says what would be right; the caller adds
 * the position in the file. */
#ifndef EXPERIMENTS_SWEEP_VALUES_H
#define EXPERIMENTS_SWEEP_VALUES_H

#include "experiments/sweep/experiment.h"

/* For a parameter without a function of its own: a number within the bounds of its option, a rule,
 * or any text. Call it after the seed, which a bare "random" or "search" uses. */
int sweep_read_value(struct sweep_grid *grid, const struct point_parameter *parameter,
                     const char *word, struct sup_error *error);

int sweep_read_collective(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Call it after the collective is read; "all" means all algorithms of the collective. */
int sweep_read_algorithm(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Call it after the element size is read, which must divide the bytes. */
int sweep_read_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_blocks(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_of_optimum(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* of-F and of-G, which have the same meaning: n = sqrt(m ceil(log2 p)) / value. */
int sweep_read_of_f(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Call it after the collective, whose data must be distributed for counts other than regular. */
int sweep_read_counts(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Numbers, or "all" for 2 .. p. */
int sweep_read_groups(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_radix(struct sweep_grid *grid, const char *word, struct sup_error *error);
/* Call it after the collective, which must have instances; a range means all its values. */
int sweep_read_instance(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_engine(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_engine_option(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_element_bytes(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_seed(struct sweep_grid *grid, const char *word, struct sup_error *error);

#endif
