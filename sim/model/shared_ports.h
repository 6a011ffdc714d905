/* shared_ports.h - ranks on hosts, and the port that a host's ranks share (docs/model.md). */
#ifndef RB_SIM_MODEL_SHARED_PORTS_H
#define RB_SIM_MODEL_SHARED_PORTS_H

#include "run.h"

struct rb_shared_ports {
    const struct rb_model_parameters *parameters;
    int32_t *host;        /* per rank; owned */
    double *out_s, *in_s; /* per host: from when on its port is free; owned */
};

/* RB_ENOMEM, RB_EINVAL if the ranks don't fit; to be freed in any case. */
int rb_shared_ports_init(struct rb_shared_ports *ports, const struct rb_model *model,
                         struct rb_error *error);
void rb_shared_ports_free(struct rb_shared_ports *ports);

struct rb_passage {
    double start_s, end_s;
};
/* A message asks now_s for its way. To be called in the order of time. */
struct rb_passage rb_shared_ports_pass(struct rb_shared_ports *ports, double now_s, int32_t from,
                                       int32_t to, int32_t port, int64_t round, int64_t bytes);

#endif
