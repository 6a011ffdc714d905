/* packed.c - see packed.h. */
#include "packed.h"

#include <string.h>

struct rb_row_top rb_packed_top(const int8_t row[], int32_t nodes)
{
    struct rb_row_top top = {INT8_MIN, INT8_MIN, -1};
    for (int32_t node = 0; node < nodes; node++) {
        if (row[node] > top.highest)
            top = (struct rb_row_top){row[node], top.highest, node};
        else if (row[node] > top.second)
            top.second = row[node];
    }
    return top;
}

/* ---- The table: per round where the nodes of each entry from -q on begin, and these nodes ---- */

static size_t stride(int32_t nodes, int32_t q)
{
    return 2 * (size_t)q + 1 + (size_t)nodes;
}

static void sort_row(const int8_t row[], int32_t nodes, int32_t q, int32_t start[])
{
    const int32_t entries = 2 * q;
    int32_t *const sorted = start + entries + 1;
    memset(start, 0, ((size_t)entries + 1) * sizeof *start);
    for (int32_t node = 0; node < nodes; node++)
        start[row[node] + q + 1]++;
    for (int32_t i = 0; i < entries; i++)
        start[i + 1] += start[i];
    for (int32_t node = 0; node < nodes; node++)
        sorted[start[row[node] + q]++] = node;
    for (int32_t i = entries; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

size_t rb_packed_table(const int8_t rows[], int32_t nodes, int32_t q, void *table)
{
    for (int32_t k = 0; table != NULL && k < q; k++)
        sort_row(rows + (size_t)k * (size_t)nodes, nodes, q,
                 (int32_t *)table + (size_t)k * stride(nodes, q));
    return (size_t)q * stride(nodes, q) * sizeof(int32_t);
}

/* How many of the sorted nodes are below `end`. */
static int32_t below(const int32_t sorted[], int32_t count, int32_t end)
{
    int32_t low = 0;
    while (low < count) {
        const int32_t middle = low + (count - low) / 2;
        if (sorted[middle] < end)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* ---- Lengths --------------------------------------------------------------------------------- */

static int32_t node_of(const struct rb_packed *packed, int32_t owner)
{
    return packed->from - owner + (packed->from < owner ? packed->nodes : 0);
}

static int64_t block_of(const struct rb_packed *packed, int32_t owner)
{
    return packed->block(packed->context, packed->row[node_of(packed, owner)]);
}

/* The nodes of an entry in this round, sorted. */
static const int32_t *nodes_with(const struct rb_packed *packed, int32_t entry, int32_t *count)
{
    const int32_t q = packed->q, *start = (const int32_t *)packed->lengths->table +
                                          (size_t)packed->k * stride(packed->nodes, q);
    *count = start[entry + q + 1] - start[entry + q];
    return start + 2 * q + 1 + start[entry + q];
}

/* How many of owners 0 .. end - 1 are at these nodes, which go down from `from` and round. */
static int32_t owners_below(const struct rb_packed *packed, int32_t end, const int32_t sorted[],
                            int32_t count)
{
    const int32_t low = packed->from - end + 1, high = packed->from + 1;
    if (end == packed->nodes || end == 0)
        return end == 0 ? 0 : count;
    return low >= 0
               ? below(sorted, count, high) - below(sorted, count, low)
               : below(sorted, count, high) + count - below(sorted, count, low + packed->nodes);
}

/* The ranks of an owner. */
static int32_t first_of(const struct rb_packed *packed, int32_t owner)
{
    return packed->groups == NULL ? owner : rb_group_first(packed->groups, owner);
}

static int32_t size_of(const struct rb_packed *packed, int32_t owner)
{
    return packed->groups == NULL ? 1 : rb_group_size(packed->groups, owner);
}

/* A block of each rank of an owner, one by one; adds to *count those that have data. */
static int64_t rank_by_rank(const struct rb_packed *packed, int32_t owner, int64_t block,
                            int32_t *count)
{
    const int32_t first = first_of(packed, owner), size = size_of(packed, owner);
    int64_t bytes = 0;
    for (int32_t rank = first; rank < first + size; rank++) {
        *count += !rb_layout_is_empty(packed->plan, packed->lengths->layout, rank, block);
        bytes += rb_block_bytes(packed->lengths, packed->plan, rank, block);
    }
    return bytes;
}

/* Owners first .. end - 1. */
static int64_t owner_by_owner(const struct rb_packed *packed, int32_t first, int32_t end,
                              int32_t *count)
{
    int64_t bytes = 0;
    for (int32_t owner = first; owner < end; owner++) {
        const int64_t block = owner == packed->to ? -1 : block_of(packed, owner);
        if (block >= 0)
            bytes += rank_by_rank(packed, owner, block, count);
    }
    return bytes;
}

/* All owners are of one size but for the last, which may be smaller; and all below `edge` have
 * blocks of the same lengths, and all above it. */
struct halves {
    int32_t size, edge, end; /* owners from `end` on are smaller */
};

/* Owners that are not like their neighbours: the one at the edge, the smaller one, the receiver. */
static int32_t find_single(const struct rb_packed *packed, const struct halves *halves,
                           int32_t single[3])
{
    int32_t count = 0;
    if (halves->edge < halves->end)
        single[count++] = halves->edge;
    if (halves->end < packed->nodes)
        single[count++] = halves->end;
    if (packed->to < halves->end && packed->to != halves->edge)
        single[count++] = packed->to;
    return count;
}

/* All owners but those, by their entries. */
static int64_t entry_by_entry(const struct rb_packed *packed, const struct halves *halves,
                              int32_t *count)
{
    const int32_t edge = halves->edge < halves->end ? halves->edge : halves->end;
    int32_t single[3];
    const int32_t singles = find_single(packed, halves, single);
    int64_t bytes = 0, known = -1, low_bytes = 0, high_bytes = 0;
    for (int32_t entry = packed->q - 1; entry >= -packed->q; entry--) {
        const int64_t block = packed->block(packed->context, (int8_t)entry);
        int32_t all;
        const int32_t *sorted = nodes_with(packed, entry, &all);
        if (block < 0)
            break;
        int32_t low = owners_below(packed, edge, sorted, all), high = all - low;
        for (int32_t i = 0; i < singles; i++) {
            const bool here = packed->row[node_of(packed, single[i])] == entry;
            low -= here && single[i] < edge;
            high -= here && single[i] >= edge;
        }
        if (block != known) {
            known = block;
            low_bytes = rb_block_bytes(packed->lengths, packed->plan, 0, block);
            high_bytes = rb_block_bytes(packed->lengths, packed->plan,
                                        first_of(packed, packed->nodes - 1), block);
        }
        bytes += (low * low_bytes + high * high_bytes) * halves->size;
        *count += low + high;
    }
    return bytes;
}

int64_t rb_packed_length(const struct rb_packed *packed, bool *any)
{
    const int32_t edge = packed->lengths->edge, nodes = packed->nodes;
    const int32_t size = packed->groups == NULL ? 1 : packed->groups->size;
    int32_t count = 0;
    int64_t bytes;
    if (edge < 0 || size == 0) {
        bytes = owner_by_owner(packed, 0, nodes, &count);
    } else {
        const bool cut = size_of(packed, nodes - 1) < size;
        const struct halves halves = {size, edge / size, nodes - cut};
        bytes = entry_by_entry(packed, &halves, &count);
        if (halves.edge < halves.end)
            bytes += owner_by_owner(packed, halves.edge, halves.edge + 1, &count);
        bytes += owner_by_owner(packed, halves.end, nodes, &count);
    }
    *any = count > 0;
    return bytes;
}
