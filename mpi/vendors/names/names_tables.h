/* names_tables.h - the rows of each library (mpilib.h); private to this folder. */
#pragma once

#include "mpi/vendors/names/mpilib.h"

struct mpilib_table {
    const char *library;
    const struct mpilib_algorithm *row;
    size_t count;
};

/* A row; `...` is our algorithm's name or NULL, and what else the row has. */
#define MPILIB_ROW(library_, collective_, call_, id_, name_, ...)                                  \
    {                                                                                              \
        .library = (library_), .collective = (collective_), .call = (call_), .id = (id_),          \
        .name = (name_), .algorithm = __VA_ARGS__                                                  \
    }
#define MPILIB_TABLE(symbol, name, rows)                                                           \
    const struct mpilib_table symbol = {                                                           \
        .library = name, .row = rows, .count = sizeof rows / sizeof rows[0]}

/* The libraries; a line here registers one. */
#define MPILIB_ALL                                                                                 \
    MPILIB(ompi)                                                                                   \
    MPILIB(mpich)                                                                                  \
    MPILIB(ucc)                                                                                    \
    MPILIB(impi)                                                                                   \
    MPILIB(smpi)                                                                                   \
    MPILIB(pico)                                                                                   \
    MPILIB(fujitsu)                                                                                \
    MPILIB(nccl)

#define MPILIB(name) extern const struct mpilib_table mpilib_##name;
MPILIB_ALL
#undef MPILIB
