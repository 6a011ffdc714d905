/* rows.c - the rows of a set, and their texts (rows.h). */
#include "experiments/measured/rows.h"

int64_t rows_blocks(const struct rows_row *row)
{
    if (row->n > 0)
        return row->n;
    if (row->segment_bytes <= 0 || row->bytes <= row->segment_bytes)
        return 1;
    return (row->bytes - 1) / row->segment_bytes + 1;
}
