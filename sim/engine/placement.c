/* placement.c - which host each rank is on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "schedules/plan/random.h"
#include "support/units.h"

/* The rules without parameters. */
static const struct {
    const char *name;
    enum sim_placement_rule rule;
} fixed[] = {{"block", SIM_BLOCK}, {"cyclic", SIM_CYCLIC}, {"gray", SIM_GRAY}};

int sim_placement_parse(const char *text, struct sim_placement *placement, struct sup_error *error)
{
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(text, fixed[i].name) == 0) {
            *placement = (struct sim_placement){.rule = fixed[i].rule};
            return RB_OK;
        }
    *placement = (struct sim_placement){.rule = SIM_RANDOM};
    const int status = sup_parse_random("placement", text, &placement->seed, error);
    if (status != RB_ENOTSUP)
        return status;
    return sup_fail(error, RB_EINVAL,
                    "placement '%s' is unknown: there are block, cyclic, gray and random:SEED "
                    "(a whole number, random:1)",
                    text);
}

const char *sim_placement_format(const struct sim_placement *placement, char *buffer, size_t size)
{
    if (placement->rule == SIM_RANDOM)
        snprintf(buffer, size, "random:%" PRIu64, placement->seed);
    else
        for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
            if (placement->rule == fixed[i].rule)
                snprintf(buffer, size, "%s", fixed[i].name);
    return buffer;
}

/* The first `wanted` entries of a random permutation of the hosts (Fisher and Yates). The remainder
 * of a 64-bit number favours no host by more than hosts / 2^64. */
static int choose_hosts(uint64_t seed, int32_t hosts, int32_t wanted, int32_t **chosen)
{
    int32_t *host = malloc((size_t)hosts * sizeof *host);
    if (!host)
        return RB_ENOMEM;
    for (int32_t h = 0; h < hosts; h++)
        host[h] = h;
    for (int32_t h = 0; h < wanted; h++) {
        int32_t other = h + (int32_t)(rb_random_next(&seed) % (uint64_t)(hosts - h));
        int32_t swap = host[h];
        host[h] = host[other];
        host[other] = swap;
    }
    *chosen = host;
    return RB_OK;
}

/* The binary-reflected Gray code (US patent 2632058, 1953): G(i) and G(i + 1) differ in one bit. */
static int32_t gray(int32_t i)
{
    return i ^ i >> 1;
}

static int place_by_gray_code(int32_t p, int32_t ppn, int32_t hosts, int32_t host[],
                              struct sup_error *error)
{
    for (int32_t r = 0; r < p; r++) {
        host[r] = gray(r / ppn);
        if (host[r] >= hosts)
            return sup_fail(error, RB_EINVAL,
                            "placement gray puts rank %" PRId32 " on host number %" PRId32
                            ", but the platform has %" PRId32 " hosts: it needs 2^d of them",
                            r, host[r], hosts);
    }
    return RB_OK;
}

int sim_placement_map(const struct sim_placement *placement, int32_t p, int32_t ppn, int32_t hosts,
                      int32_t host[], struct sup_error *error)
{
    if (ppn < 1)
        return sup_fail(error, RB_EINVAL, "%d ranks per host: there must be at least 1", ppn);
    int32_t wanted = (int32_t)(((int64_t)p + ppn - 1) / ppn);
    if (wanted > hosts)
        return sup_fail(
            error, RB_EINVAL,
            "%d ranks at %d per host need %d hosts, but the platform has %d: take a larger "
            "platform or at least %" PRId64 " ranks per host",
            p, ppn, wanted, hosts, ((int64_t)p + hosts - 1) / (hosts > 0 ? hosts : 1));
    if (placement->rule == SIM_RANDOM) {
        int32_t *chosen;
        if (choose_hosts(placement->seed, hosts, wanted, &chosen))
            return sup_fail(error, RB_ENOMEM, "out of memory");
        for (int32_t r = 0; r < p; r++)
            host[r] = chosen[r / ppn];
        free(chosen);
    } else if (placement->rule == SIM_GRAY) {
        return place_by_gray_code(p, ppn, hosts, host, error);
    } else {
        for (int32_t r = 0; r < p; r++)
            host[r] = placement->rule == SIM_BLOCK ? r / ppn : r % wanted;
    }
    return RB_OK;
}
