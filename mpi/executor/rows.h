/* rows.h - where a range of a plan's data lies in a buffer. Knows no MPI.
 *
 * Lengths are elements: layouts have element = 1, so that what rb_layout calls bytes are elements.
 */
#ifndef MPI_EXECUTOR_ROWS_H
#define MPI_EXECUTOR_ROWS_H

#include <roundabout.h>

/* Where the rows of a buffer (rb_plan_spot) lie, in elements. */
struct exec_rows {
    /* Row j begins at displacement[j]. NULL: one row after the other. */
    const int64_t *displacement;
    /* Without displacements: the element that the buffer begins with. Those before it follow the
     * last, so that a rank which is sent some rows only need have room for no others. */
    int64_t origin;
    /* Row j has count[j] elements; both ends of a message must agree in that. Empty messages are
     * then not sent. NULL: as the layout has it. */
    const int64_t *count;
};

/* How many elements the range has. */
int64_t exec_rows_count(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

/* The number of the range's first element in its buffer. */
int64_t exec_rows_place(const struct exec_rows *rows, const struct rb_plan *plan,
                        const struct rb_layout *layout, const struct rb_range *range);

#endif
