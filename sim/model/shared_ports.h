/* shared_ports.h - the port that the ranks of a host share (docs/model.md). */
#ifndef SIM_MODEL_SHARED_PORTS_H
#define SIM_MODEL_SHARED_PORTS_H

#include "run.h"

struct model_shared_ports {
    const struct model_parameters *parameters;
    int32_t *host;        /* per rank; owned */
    double *out_s, *in_s; /* per host: the time from which its port is free; owned */
};

/* RB_EINVAL if the ranks don't fit; to be freed in any case. */
int model_shared_ports_init(struct model_shared_ports *ports, const struct model_run *model,
                            struct sup_error *error);
void model_shared_ports_free(struct model_shared_ports *ports);

struct model_passage {
    double start_s, end_s;
};
/* A message requests its ports at now_s. Call this in the order of time. */
struct model_passage model_shared_ports_pass(struct model_shared_ports *ports, double now_s,
                                             int32_t from, int32_t to, int32_t port, int64_t round,
                                             int64_t bytes);

#endif
