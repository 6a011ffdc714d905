/* counts.h - reads and writes counts in their text form: regular, mod3, degenerate, random:SEED. */
#ifndef SUPPORT_COUNTS_H
#define SUPPORT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "roundabout.h"

/* From text, and to text. RB_EINVAL with a message that says what would be right. */
int sup_counts_parse(const char *text, struct rb_counts *counts, struct sup_error *error);
const char *sup_counts_format(const struct rb_counts *counts, char *buffer, size_t size);

/* RB_EINVAL if counts are not regular and the collective's data are not divided among the ranks. */
int sup_counts_check(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     struct sup_error *error);

/* Sets these counts for p ranks in a layout whose bytes and element are set. Irregular counts need
 * storage: *first, to which the layout then points, and which the caller frees. RB_EINVAL as
 * sup_counts_check, or for more than 2^30 pairs of ranks; *first is then NULL. */
int sup_counts_apply(const struct rb_counts *counts, const struct rb_collective_info *collective,
                     int32_t p, struct rb_layout *layout, int64_t **first, struct sup_error *error);

#endif
