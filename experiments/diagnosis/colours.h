/* colours.h - the colours of messages in pictures and traces: by the first block that a message
 * carries or, if every rank owns data, by the owner. */
#ifndef EXPERIMENTS_DIAGNOSIS_COLOURS_H
#define EXPERIMENTS_DIAGNOSIS_COLOURS_H

#include "sim/observe/diagnosis.h"

struct diag_colours {
    const struct sim_spec *spec;
    struct rb_op *ops; /* room for a message's; owned */
};

/* RB_ENOMEM. The spec must outlive the colours. */
int diag_colours_init(struct diag_colours *colours, const struct sim_spec *spec);
void diag_colours_free(struct diag_colours *colours); /* safe on a zeroed struct */

/* "block", or "owner". */
const char *diag_colours_name(const struct sim_spec *spec);
/* The number of colours, which are 0 .. count - 1. */
int64_t diag_colours_count(const struct sim_spec *spec);
/* The colour of a message. O(log p + max_ops). */
int64_t diag_colour_of(const struct diag_colours *colours, const struct sim_message *message);

#endif
