/* names.h - which of our algorithms a name in the data means. */
#ifndef EXPERIMENTS_ROWS_NAMES_H
#define EXPERIMENTS_ROWS_NAMES_H

#include "experiments/rows/rows.h"

/* What a name says; texts are static or the registry's. */
struct rows_name {
    const char *algorithm; /* ours; NULL: no plan */
    struct mpilib_manner manner;
    const char *transport; /* "" unless the name has one */
    int32_t radix, interfaces;
    int64_t segment_bytes;
    bool own_choice;
    bool known; /* the name is in the table of libraries, or ours */
};

/* Reads the name of an algorithm of one of our collectives, as a library, a benchmark suite or this
 * program calls it; the library's name may help. */
struct rows_name rows_read_name(const char *library, const char *collective, const char *name);

#endif
