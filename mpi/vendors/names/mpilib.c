/* mpilib.c - look-ups in the table of libraries' algorithms. */
#include "mpi/vendors/names/mpilib.h"

#include <string.h>

#include "mpi/vendors/names/names_tables.h"

#define MPILIB(name) &mpilib_##name,
static const struct mpilib_table *const tables[] = {MPILIB_ALL};
#undef MPILIB
enum { TABLES = sizeof tables / sizeof tables[0] };

const struct mpilib_algorithm *mpilib_rows(const char *library, size_t *count)
{
    for (size_t i = 0; i < TABLES; i++) {
        if (strcmp(tables[i]->library, library) == 0) {
            *count = tables[i]->count;
            return tables[i]->row;
        }
    }
    *count = 0;
    return NULL;
}

bool mpilib_has(const struct mpilib_algorithm *row, int version)
{
    return version == 0 || ((row->since == 0 || version >= row->since) &&
                            (row->until == 0 || version <= row->until));
}

bool mpilib_serves(const struct mpilib_algorithm *row, int32_t p, int32_t ppn)
{
    switch (row->ranks) {
    case MPILIB_TWO:
        return p == 2;
    case MPILIB_EVEN:
        return p % 2 == 0;
    case MPILIB_POWERS:
        return p > 0 && (p & (p - 1)) == 0;
    case MPILIB_ONE_PER_NODE:
        return ppn == 1;
    case MPILIB_ANY:
        break;
    }
    return true;
}

int32_t mpilib_radix(int32_t radix, int32_t p)
{
    return radix > p && radix > 2 ? (p > 2 ? p : 2) : radix;
}

static bool is_same(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

const struct mpilib_algorithm *mpilib_named(const char *library, const char *collective,
                                            const char *name)
{
    size_t count;
    const struct mpilib_algorithm *row = mpilib_rows(library, &count);
    for (size_t i = 0; i < count; i++)
        if (is_same(collective, row[i].collective) && strcmp(row[i].name, name) == 0)
            return &row[i];
    return NULL;
}

const struct mpilib_algorithm *mpilib_numbered(const char *library, const char *call, int id,
                                               int version)
{
    size_t count;
    const struct mpilib_algorithm *row = mpilib_rows(library, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(row[i].call, call) == 0 && row[i].id == id && mpilib_has(&row[i], version))
            return &row[i];
    return NULL;
}

const struct mpilib_algorithm *mpilib_ours(const char *library, int version, const char *collective,
                                           const char *call, const char *algorithm, int32_t radix,
                                           int32_t p, int32_t ppn)
{
    size_t count;
    const struct mpilib_algorithm *row = mpilib_rows(library, &count);
    for (size_t i = 0; i < count; i++)
        if (row[i].algorithm != NULL && strcmp(row[i].algorithm, algorithm) == 0 &&
            strcmp(row[i].collective, collective) == 0 && is_same(call, row[i].call) &&
            (radix == 0 || row[i].fanned || row[i].radix == 0 ||
             mpilib_radix(row[i].radix, p) == mpilib_radix(radix, p)) &&
            mpilib_has(&row[i], version) && mpilib_serves(&row[i], p, ppn))
            return &row[i];
    return NULL;
}

const struct rb_algorithm_info *mpilib_info(const struct mpilib_algorithm *row)
{
    return row->algorithm == NULL ? NULL : rb_algorithm_find(row->collective, row->algorithm);
}
