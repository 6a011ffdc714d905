/* smpi.c - the engine `smpi`: options, platform, placement, result. */
#define _POSIX_C_SOURCE 200809L
#include "smpi.h"

#include <stdlib.h>

#include "sim/engine/plan_round.h"
#include "sim/network/describe.h"
#include "sim/network/place.h"
#include "sim/simgrid/simgrid_network.h"
#include "support/eta.h"
#include "support/memory.h"

/* docs/smpi.md says why each is set. */
static const char *const own_options[] = {
    "smpi/simulate-computation:no", "smpi/send-is-detached-thresh:0",
    "smpi/async-small-thresh:0",    "smpi/test:0",
    "contexts/stack-size:1024",
};
enum { OWN_OPTIONS = sizeof own_options / sizeof own_options[0] };

static int check_request(const struct sim_spec *spec, struct sup_error *error)
{
    if (spec->variant != NULL)
        return sup_fail(error, RB_EINVAL, "the smpi engine has no variants, and '%s' is none",
                        spec->variant);
    if (spec->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "the smpi engine has no lockstep, because MPI's ranks don't wait for each "
                        "other between rounds: use blocking, window:W or data");
    if (spec->want_links > 0)
        return sup_fail(error, RB_EINVAL,
                        "the smpi engine doesn't count what links carry; the engine simgrid does");
    return RB_OK;
}

/* Our options, the native algorithm's, then those of the request, so that these win. */
static int load(const struct sim_spec *spec, struct s4u_platform **platform,
                struct sup_error *error)
{
    char native[128];
    int32_t count = OWN_OPTIONS;
    if (spec->native != NULL) {
        int status = simmpi_native_option(spec->native, spec->layout->first != NULL, native,
                                          sizeof native, error);
        if (status != RB_OK)
            return status;
    }
    const char **options =
        sup_malloc((size_t)(OWN_OPTIONS + 1 + spec->option_count) * sizeof *options);
    for (int32_t i = 0; i < OWN_OPTIONS; i++)
        options[i] = own_options[i];
    if (spec->native != NULL)
        options[count++] = native;
    const int32_t own = count;
    for (int32_t i = 0; i < spec->option_count; i++)
        options[count++] = spec->options[i];
    simmpi_declare_options();
    int status = s4u_platform_load(
        spec->platform, &(struct s4u_options){options, own, count, spec->ppn > 1}, platform, error);
    free(options);
    return status;
}

static int take(const struct simmpi_run *run, struct sim_result *result, struct sup_error *error)
{
    result->rounds = run->spec->plan != NULL ? rb_plan_rounds(run->spec->plan) : 0;
    result->messages = run->messages;
    for (int32_t r = 0; r < sim_ranks(run->spec); r++)
        if (run->finish_s[r] > result->time_s)
            result->time_s = run->finish_s[r];
    return sim_tally_take(run->bytes, run->spec->layout, &result->bytes, error);
}

static int run_loaded(const struct sim_spec *spec, struct s4u_platform *platform,
                      struct sim_result *result, struct sup_error *error)
{
    const int32_t p = sim_ranks(spec);
    int32_t *host = sup_malloc((size_t)p * sizeof *host);
    double *finish_s = sup_calloc((size_t)p, sizeof *finish_s);
    struct simmpi_run run = {
        .spec = spec,
        .collective =
            spec->plan != NULL ? rb_plan_collective(spec->plan) : spec->native->collective,
        .platform = platform,
        .host = host,
        .finish_s = finish_s,
    };
    struct platform_network *network = s4u_network_create(platform);
    result->hosts = s4u_host_count(platform);
    int status = net_place(spec, network, host, result, error);
    if (status == RB_OK)
        status = net_describe(spec, network, host, result, error);
    if (status == RB_OK)
        status = simmpi_data_init(&run, error);
    if (status != RB_OK)
        goto done;
    if (spec->meter != NULL && spec->plan != NULL)
        run.expected = sim_plan_messages(spec->plan);
    double started = sup_clock_s();
    status = simmpi_run_ranks(&run, error);
    result->wall_s = sup_clock_s() - started;
    if (status != RB_OK)
        goto done;
    if (status == RB_OK)
        status = take(&run, result, error);
    if (spec->want_finish) {
        result->finish_s = finish_s;
        finish_s = NULL;
    }
done:
    simmpi_data_free(&run);
    platform_network_destroy(network);
    free(finish_s);
    free(host);
    return status;
}

static int simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    struct s4u_platform *platform = NULL;
    int status = check_request(spec, error);
    if (status != RB_OK)
        return status;
    double started = sup_clock_s();
    status = load(spec, &platform, error);
    result->load_s = sup_clock_s() - started;
    if (status == RB_OK)
        status = run_loaded(spec, platform, result, error);
    /* SimGrid can't be started again: the process ends. */
    return status;
}

static bool always(const struct sim_spec *spec)
{
    (void)spec;
    return true;
}

const struct sim_engine simmpi_engine = {
    .name = "smpi",
    .title = "SMPI",
    .options = "any of SimGrid's --cfg",
    .needs_process = always,
    .costs = {.start_s = 0.02,
              .host_s = 2e-5,
              .message_s = 1.6e-5,
              .operation_s = 1.2e-6,
              .byte_s = 6.5e-10},
    .simulate = simulate,
    .find_native = simmpi_find_native,
};
