/* names_tables.h - the rows of each library (mpilib.h); private to this folder. */
#ifndef MPI_LIBRARIES_NAMES_NAMES_TABLES_H
#define MPI_LIBRARIES_NAMES_NAMES_TABLES_H

#include "mpi_libraries/names/mpilib.h"

struct mpilib_table {
    const char *library;
    const struct mpilib_algorithm *row;
    size_t count;
};

#define MPILIB_TABLE(symbol, name, rows)                                                           \
    const struct mpilib_table symbol = {                                                           \
        .library = name, .row = rows, .count = sizeof rows / sizeof rows[0]}

extern const struct mpilib_table mpilib_ompi;
extern const struct mpilib_table mpilib_mpich;
extern const struct mpilib_table mpilib_ucc;
extern const struct mpilib_table mpilib_impi;
extern const struct mpilib_table mpilib_smpi;
extern const struct mpilib_table mpilib_pico;
extern const struct mpilib_table mpilib_fujitsu;

#endif
