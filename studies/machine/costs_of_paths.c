/* costs_of_paths.c - what the terms of a critical path cost (path.h). */
#include "studies/machine/machine.h"

const struct mach_cost mach_latency = {.name = "latency",
                                       .usual = 2e-6,
                                       .per_message = true,
                                       .knot = {256, 4096, 16384, 65536},
                                       .of_path = true,
                                       .kind = PATH_LATENCY};

const struct mach_cost mach_overhead = {.name = "overhead",
                                        .usual = 3e-7,
                                        .per_message = true,
                                        .knot = {4096},
                                        .of_path = true,
                                        .kind = PATH_OVERHEAD};

const struct mach_cost mach_bytes = {.name = "byte",
                                     .usual = 6e-11,
                                     .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                     .of_path = true,
                                     .kind = PATH_BYTES};

const struct mach_cost mach_exchanged = {.name = "byte of an exchange",
                                         .usual = 7e-11,
                                         .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                         .of_path = true,
                                         .kind = PATH_EXCHANGED};

const struct mach_cost mach_packed = {.name = "byte packed",
                                      .usual = 5e-11,
                                      .knot = {65536, 4194304, 67108864},
                                      .of_path = true,
                                      .kind = PATH_PACKED};

const struct mach_cost mach_host_latency = {.name = "latency in a host",
                                            .usual = 6e-7,
                                            .per_message = true,
                                            .knot = {256, 4096, 16384, 65536},
                                            .of_path = true,
                                            .kind = PATH_HOST_LATENCY};

const struct mach_cost mach_host_bytes = {.name = "byte in a host",
                                          .usual = 1.5e-10,
                                          .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                          .of_path = true,
                                          .kind = PATH_HOST_BYTES};

const struct mach_cost mach_combined = {.name = "byte combined",
                                        .usual = 2e-10,
                                        .knot = {4096, 65536, 524288, 4194304, 33554432, 268435456},
                                        .of_path = true,
                                        .kind = PATH_COMBINED};

/* Implementations copy all data, too, some of them several times. */
static double copied(const struct rows_row *row, double *bytes)
{
    return *bytes = (double)row->manner.copies * (double)row->m_bytes;
}

const struct mach_cost mach_copied = {.name = "byte copied",
                                      .usual = 1e-10,
                                      .knot = {65536, 4194304, 67108864},
                                      .of_path = true,
                                      .kind = PATH_COPIED,
                                      .units = copied};
