/* shared_ports.c - see shared_ports.h. */
#include "shared_ports.h"

#include <stdlib.h>

#include "platforms/network.h"
#include "support/memory.h"

int model_shared_ports_init(struct model_shared_ports *ports, const struct model_run *model,
                            struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const size_t hosts = (size_t)model->parameters.hosts;
    *ports = (struct model_shared_ports){.parameters = &model->parameters,
                                         .host = sup_malloc((size_t)model->p * sizeof *ports->host),
                                         .out_s = sup_calloc(hosts, sizeof *ports->out_s),
                                         .in_s = sup_calloc(hosts, sizeof *ports->in_s)};
    const struct sim_hosts of = {model->parameters.hosts, platform_generated_host_name, NULL};
    return sim_placement_map(&spec->placement, model->p, spec->ppn, &of, ports->host, error);
}

void model_shared_ports_free(struct model_shared_ports *ports)
{
    free(ports->host);
    free(ports->out_s);
    free(ports->in_s);
}

struct model_passage model_shared_ports_pass(struct model_shared_ports *ports, double now_s,
                                             int32_t from, int32_t to, int32_t port, int64_t round,
                                             int64_t bytes)
{
    const struct model_parameters *parameters = ports->parameters;
    const int32_t out = ports->host[from], in = ports->host[to];
    const double noise = model_noise(parameters, from, port, round);
    struct model_passage passage = {.start_s = now_s};
    if (out == in) {
        passage.end_s =
            now_s +
            (parameters->inner_alpha_s + parameters->inner_beta_s_per_byte * (double)bytes) * noise;
        return passage;
    }
    const double latency_s = model_cost_s(parameters, 0) * noise;
    const double all_s = model_cost_s(parameters, bytes) * noise;
    if (parameters->shares_hosts)
        passage.start_s =
            model_later(now_s, model_later(ports->out_s[out], ports->in_s[in] - latency_s));
    passage.end_s = passage.start_s + all_s;
    ports->out_s[out] = passage.start_s + model_later(all_s - latency_s, 0);
    ports->in_s[in] = passage.end_s;
    return passage;
}
