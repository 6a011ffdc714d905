/* pair_table.c - open addressing with linear probing. */
#include "pair_table.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

static int64_t first_bucket(const struct net_pair_table *table, uint64_t key)
{
    key ^= key >> 32; /* both halves count */
    key *= 0x9e3779b97f4a7c15U;
    return (int64_t)((key >> 24) & (uint64_t)(table->bucket_count - 1));
}

/* The bucket that holds the key, or the empty one where it belongs. */
static int64_t find(const struct net_pair_table *table, uint64_t key)
{
    int64_t i = first_bucket(table, key);
    while (table->bucket[i] && table->key[table->bucket[i] - 1] != key)
        i = (i + 1) & (table->bucket_count - 1);
    return i;
}

static void grow(struct net_pair_table *table)
{
    int64_t wanted = table->bucket_count > 0 ? 2 * table->bucket_count : 64;
    int64_t *bucket = sup_calloc((size_t)wanted, sizeof *bucket);
    table->key = sup_realloc(table->key, (size_t)wanted / 2 * sizeof *table->key);
    free(table->bucket);
    table->bucket = bucket;
    table->bucket_count = wanted;
    for (int64_t number = 0; number < table->count; number++)
        table->bucket[find(table, table->key[number])] = number + 1;
}

int64_t net_pair_table_number(struct net_pair_table *table, uint64_t key)
{
    if (2 * table->count >= table->bucket_count)
        grow(table);
    int64_t i = find(table, key);
    if (!table->bucket[i]) {
        table->key[table->count] = key;
        table->bucket[i] = ++table->count;
    }
    return table->bucket[i] - 1;
}

void net_pair_table_clear(struct net_pair_table *table)
{
    if (table->bucket)
        memset(table->bucket, 0, (size_t)table->bucket_count * sizeof *table->bucket);
    table->count = 0;
}

void net_pair_table_free(struct net_pair_table *table)
{
    free(table->bucket);
    free(table->key);
    *table = (struct net_pair_table){0};
}
