/* choices.h - which algorithm an MPI library takes for a call, as SimGrid's SMPI models the
 * library, and the plan of ours that follows this algorithm. The rules are data/choices/, compiled
 * into the program (docs/smpi.md, "Native baselines without SMPI"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"

/* A call with an operator that is commutative. */
struct mpilib_call {
    const char *collective; /* ours */
    int32_t p, ppn;         /* ranks, and ranks per host, in blocks; the last host may have fewer */
    int64_t bytes;          /* of all the data */
    int64_t element;
    bool irregular; /* counts: then the call is MPI_Allgatherv, MPI_Alltoallv */
    bool itself;    /* what the library runs, where SMPI's algorithm does something else */
};

struct mpilib_choice {
    char name[96];         /* SMPI's: "NTSB"; "scatter_LR_allgather over binomial_tree" */
    const char *algorithm; /* ours */
    int32_t radix;         /* 0: none */
    int64_t n;
    bool by_hosts; /* the plan's groups are the hosts */
};

/* True for "ompi" and the others that have rules. */
bool mpilib_chooses(const char *library);

/* The choice of a library, or the plan of one of SMPI's algorithms. RB_EINVAL, and a message with
 * SMPI's name of the algorithm, if there is no plan for it. */
int mpilib_choose(const char *name, const struct mpilib_call *call, struct mpilib_choice *choice,
                  struct sup_error *error);

/* The algorithm that such a message is of, "redbcast"; if it is another one, the message. */
const char *mpilib_without_plan(const struct sup_error *why, char name[96]);
