/* values.h - reads one value of an experiment's key into the grid.
 *
 * The word is the text in the file. A list of numbers may be one word (support/units.h); other
 * words are one value each. RB_EINVAL with a message that quotes the word and says what would be
 * right; the caller adds the position in the file. */
#ifndef EXPERIMENTS_SWEEP_VALUES_H
#define EXPERIMENTS_SWEEP_VALUES_H

#include "experiments/sweep/experiment.h"

/* A value of a parameter: a number within the bounds of its option, a rule, a text, or what its
 * key has besides: all algorithms or radices, the instances of a range. The collective, on which
 * algorithms, counts and instances depend, is read first; so are the element size, which must
 * divide the bytes, and the seed, which a bare "random" or "search" uses. */
int sweep_read_value(struct sweep_grid *grid, enum point_id id, const char *word,
                     struct sup_error *error);

/* Block counts as multiples of the optimum; of-F and of-G, which have the same meaning: n = sqrt(m
 * ceil(log2 p)) / value; the seed;
 * the engine that confirms and its share of the points. */
int sweep_read_of_optimum(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_of_f(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_seed(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_confirm(struct sweep_grid *grid, const char *word, struct sup_error *error);
int sweep_read_share(struct sweep_grid *grid, const char *word, struct sup_error *error);

#endif
