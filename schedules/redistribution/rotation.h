/* rotation.h - all receivers of a shop serve the senders in one cyclic order (rotation.c,
 * rotation_cut.c); or mirrored. The words are those of the case that receivers never rest. */
#ifndef SCHEDULES_REDISTRIBUTION_ROTATION_H
#define SCHEDULES_REDISTRIBUTION_ROTATION_H

#include "symmetry.h"

struct redist_rotation {
    const struct redist_symmetry *grid;
    int x;             /* the side of the senders: the longer one */
    int64_t senders;   /* in the shop */
    int64_t *position; /* [s']: of a kind of senders, in the order */
    int64_t *sum;      /* [r'][s' + 1]: of cells over one copy, in the order */
};

/* Comparisons until a search for a rotation ends. */
#define REDIST_ROTATION_WORK ((int64_t)1 << 25)

/* Deinit it also after a failure. RB_ENOMEM. */
int redist_rotation_init(struct redist_rotation *rotation, const struct redist_symmetry *grid);
void redist_rotation_deinit(struct redist_rotation *rotation);

/* Puts the senders into the order copy after copy, and within a copy by steps modulo s'. False if
 * that is no order, because step and s' have a common factor. */
bool redist_rotation_order(struct redist_rotation *rotation, int64_t step);

/* Units of a kind of receivers from the first n senders in the order; n may exceed their number. */
int64_t redist_rotation_sum(const struct redist_rotation *rotation, int64_t kind, int64_t n);

/* Units of the first families of the cell of a kind of senders and one of receivers. */
int64_t redist_rotation_cell(const struct redist_rotation *rotation, int64_t sender,
                             int64_t receiver, int64_t families);

#endif
