/* colours.h - by what pictures and traces tell messages apart: the first block that one carries,
 * or, where every rank owns data, whose they are. */
#ifndef RB_EXPERIMENTS_DIAGNOSIS_COLOURS_H
#define RB_EXPERIMENTS_DIAGNOSIS_COLOURS_H

#include "sim/observe/diagnosis.h"

struct rb_colours {
    const struct rb_sim_spec *spec;
    struct rb_op *ops; /* room for a message's; owned */
};

/* RB_ENOMEM. The spec must outlive the colours. */
int rb_colours_init(struct rb_colours *colours, const struct rb_sim_spec *spec);
void rb_colours_free(struct rb_colours *colours); /* safe on a zeroed struct */

/* "block", or "owner". */
const char *rb_colours_name(const struct rb_sim_spec *spec);
/* How many there are: 0 .. count - 1. */
int64_t rb_colours_count(const struct rb_sim_spec *spec);
/* That of a message. O(log p + max_ops). */
int64_t rb_colour_of(const struct rb_colours *colours, const struct rb_sim_message *message);

#endif
