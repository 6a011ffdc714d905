/* together.h - algorithms and block counts of a workload's collectives, chosen together.
 *
 * A collective alone is seldom what it is in its program: ranks run ahead, rows and columns share
 * links, roots change (docs/workloads.md). So a choice is judged by what the whole takes. Steps
 * that call the same collective on communicators of the same sizes with the same bytes get the same
 * choice, as a library gives them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiments/decide/decide.h"
#include "experiments/workload/workload_file.h"
#include "sim/engine/engine.h"
#include "support/error.h"

struct workload_tune_request {
    struct sim_workload *workload; /* settled; its steps are changed meanwhile */
    const struct sim_engine *engine;
    struct sim_spec spec; /* of the run of all jobs */
    double limit_s;       /* real time that the runs may take, by estimate */
    const char *library;  /* only algorithms that it has, as in mpilib.h; NULL: all */
    int version;          /* of the library */
    void (*tell)(void *context, double share); /* is told how much of it is used; or NULL */
    void *context;
};

struct workload_tuned {
    double before_s, after_s; /* what the whole takes by the file, and by the choices */
    double alone_s;           /* and with what is fastest for each call by itself; NAN: not known */
    int32_t runs;             /* of the whole */
    bool is_settled;          /* no single change makes the whole faster; false: the time is up */
};

/* Fills the decision: a call for each collective that gets a choice, in which a way's time is that
 * of the whole, with the other calls as they are chosen; `own` is what the file says. First each
 * call's algorithms run alone, all communicators of a step at once; the fastest then run in the
 * whole, call by call, with n, half of it and twice, until no single change helps. Deterministic.
 * RB_EINVAL: nothing is to be chosen, or what engines return. The caller frees the decision, also
 * on failure. */
int workload_tune(const struct workload_tune_request *request, struct decide *decision,
                  struct workload_tuned *tuned, struct sup_error *error);

/* From now on the format's library chooses for all steps that call a collective, but those with a
 * plan in a file: by these rules, and by itself where they have none (text NULL: everywhere).
 * Returns how many steps stay as they are, because there is no plan of what the library takes. */
int32_t workload_let_library(struct sim_workload *workload, const struct rules_format *format,
                             const char *text, size_t size);

/* Where the format's library decides by itself ("native:mpich"), it does so by the tree in the file
 * `base`, into which its rules are put, if that has a plan for the step; NULL: as before. RB_EINVAL
 * and RB_EIO as rules_write has them. */
int workload_own_by_base(struct sim_workload *workload, const struct rules_format *format,
                         const char *base, struct sup_error *error);
