/* place.c - see place.h. */
#include "place.h"

static const char *name_of(const void *network, int32_t host, char *name, size_t size)
{
    return platform_network_host_name(network, host, name, size);
}

int net_place(const struct sim_spec *spec, struct platform_network *network, int32_t host[],
              struct sim_result *result, struct sup_error *error)
{
    const struct sim_hosts hosts = {network->hosts, name_of, network};
    if (spec->placement.search && spec->plan == NULL)
        return sup_fail(error, RB_EINVAL,
                        "placement search: native:%s has no plan, so its rounds are not known",
                        spec->native->algorithm);
    int status =
        sim_placement_map(&spec->placement, sim_ranks(spec), spec->ppn, &hosts, host, error);
    if (status == RB_OK && spec->placement.search)
        status = net_order_search(spec, network, host, &result->searched, error);
    if (status == RB_OK)
        sim_result_take_hosts(spec, &hosts, host, result);
    return status;
}
