/* places.h - the location of a range of a plan's data in a buffer. This module does not use MPI.
 *
 * Lengths are elements: layouts have element = 1, so that what rb_layout calls bytes are elements.
 */
#ifndef MPI_EXECUTOR_PLACES_H
#define MPI_EXECUTOR_PLACES_H

#include <roundabout.h>

/* Where the rows of a buffer (rb_plan_location) lie, in elements. */
struct exec_rows {
    /* Row j begins at displacement[j]. NULL: one row after the other, if the data are not
     * personalized or the layout has no counts. */
    const int64_t *displacement;
    /* Without displacements: the first element of the buffer. Lower elements follow the last one,
     * so that a rank which gets only some rows needs no room for others. */
    int64_t origin;
    /* Row j has count[j] elements, and both ends of a message must agree in this; empty messages
     * are then not sent. NULL: the layout gives the counts; where data are personalized, too, its
     * empty messages are not sent. */
    const int64_t *count;
};

/* The number of elements in the range. */
int64_t exec_rows_count(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

/* The number of the range's first element in its buffer. */
int64_t exec_rows_place(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

/* The number of elements for which TMP needs room, if no rows are displaced. */
int64_t exec_tmp_room(const struct rb_plan *plan, const struct rb_layout *layout);

#endif
