/* simgrid.h - the engine on SimGrid's flow model: contention on real topologies. */
#pragma once

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/engine/tally.h"
#include "sim/network/links.h"
#include "simgrid_platform.h"

/* As in struct sim_engine. */
int s4u_simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error);

/* Version numbers: those of the headers that the program was compiled with, and those of the
 * library that runs. */
struct s4u_versions {
    int compiled[3], running[3];
};
struct s4u_versions s4u_find_versions(void);

/* ---- A platform that SimGrid has loaded, as a network ---------------------------------------- */

/* Links and hosts have the platform's numbers. The network keeps the routes of up to 2^18 pairs of
 * hosts, because SimGrid takes long to find one. It must not outlive the platform; free it with
 * platform_network_destroy. */
struct platform_network *s4u_network_create(struct s4u_platform *platform);

/* A variant's input and its results. */
struct s4u_run {
    const struct sim_spec *spec;
    struct s4u_platform *platform;
    struct platform_network *network;
    const int32_t *host;        /* per rank */
    struct net_link_load *load; /* NULL: not wanted */
    double *finish_s;           /* per rank, zero at the start */
    struct sim_result *result;  /* the variant fills rounds, messages, bytes, jobs and job_end_s */
};

/* Reports a message to the spec's observer, if there is one. */
static inline void s4u_show(const struct s4u_run *run, const struct sim_message *message)
{
    if (run->spec->observer && run->spec->observer->message) {
        struct sim_message shown = *message;
        shown.alone_s = net_alone_s(run->network, run->host[message->from], run->host[message->to],
                                    0, message->bytes);
        run->spec->observer->message(run->spec->observer->context, &shown);
    }
}

/* One run per process. RB_EINVAL if the variant does not support the request, RB_EWRONG for a plan
 * that does not end, RB_EFAILED for a lost message. */
int s4u_actors(struct s4u_run *run, struct sup_error *error);
int s4u_signals(struct s4u_run *run, struct sup_error *error);
