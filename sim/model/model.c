/* model.c - the engine `model`: messages cost what the models of the LogGP family say, and only the
 * resources that the parameters name are shared. The engine iterates over the plan and never stores
 * it. As long as a message's time depends on its two ranks alone, times obey a max-plus recurrence
 * over rounds, and no queue of events is needed: variants `windows` and `waves`. Where ranks share
 * a port, or a rank's sends and receives its processor, the order of events counts: variant
 * `events`. */
#define _POSIX_C_SOURCE 200809L

#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/workload/workload.h"
#include "support/eta.h"
#include "support/memory.h"

/* ---- The port that the ranks of a host share (docs/model.md) --------------------------------- */

int model_place(const struct model_run *model, int32_t host[], struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const struct sim_hosts of = {model->parameters.hosts, platform_generated_host_name, NULL};
    return spec->workload != NULL
               ? sim_workload_map(spec->workload, &of, host, error)
               : sim_placement_map(&spec->placement, model->p, spec->ppn, &of, host, error);
}

int model_shared_ports_init(struct model_shared_ports *ports, const struct model_run *model,
                            struct sup_error *error)
{
    const size_t hosts = (size_t)model->parameters.hosts;
    *ports = (struct model_shared_ports){.parameters = &model->parameters,
                                         .host = sup_malloc((size_t)model->p * sizeof *ports->host),
                                         .out_s = sup_calloc(hosts, sizeof *ports->out_s),
                                         .in_s = sup_calloc(hosts, sizeof *ports->in_s)};
    return model_place(model, ports->host, error);
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

/* ---- The engine ------------------------------------------------------------------------------ */

int model_end_walk(struct model_run *model, struct sim_walk *walk, struct sup_error *error)
{
    const int status = sim_walk_finish(walk, model->through_s, model->result, error);
    model->messages = model->result->messages;
    model->bytes = (uint64_t)model->result->bytes;
    return status;
}

struct variant {
    const char *name;
    int (*run)(struct model_run *model, struct sup_error *error);
    bool (*fits)(const struct model_run *model);
    bool relative; /* times are by relative rank */
    struct sim_costs costs;
};

/* True if a message's time depends only on its endpoints. */
static bool is_recurrent(const struct model_run *model)
{
    return !model->parameters.loggops && !model->parameters.shares_hosts;
}

static bool combines(const struct model_run *model)
{
    return model->parameters.gamma_s_per_byte > 0 &&
           rb_plan_collective(model->spec->plan)->reducing;
}

static bool fits_waves(const struct model_run *model)
{
    const struct sim_spec *spec = model->spec;
    return is_recurrent(model) && model_window(model) == 1 && !combines(model) &&
           spec->overlap.rule != SIM_LOCKSTEP && rb_plan_wave_bytes(spec->plan) > 0 &&
           rb_plan_rounds(spec->plan) > 0 && spec->layout->first == NULL &&
           spec->observer == NULL && model->parameters.noise == 0;
}

static bool fits_blocking(const struct model_run *model)
{
    const struct sim_spec *spec = model->spec;
    return !model->parameters.loggops && model_window(model) == 1 &&
           spec->overlap.rule != SIM_LOCKSTEP && rb_plan_ports(spec->plan) == 1;
}

static bool fits_events(const struct model_run *model)
{
    (void)model;
    return true;
}

/* In order of speed. */
static const struct variant variants[] = {
    {"waves",
     model_waves,
     fits_waves,
     true,
     {.start_s = 1e-4, .round_s = 1.2e-6, .message_s = 4e-9}},
    {"windows",
     model_windows,
     is_recurrent,
     false,
     {.start_s = 1e-4, .message_s = 2e-8, .operation_s = 5.4e-8}},
    {"blocking",
     model_blocking,
     fits_blocking,
     false,
     {.start_s = 1e-4, .message_s = 1.7e-7, .operation_s = 2.3e-8}},
    {"events",
     model_events,
     fits_events,
     false,
     {.start_s = 1e-4, .message_s = 7.3e-7, .operation_s = 5.2e-8}},
};
enum { WAVES, EVENTS = 3, VARIANTS = sizeof variants / sizeof variants[0] };

static int choose_variant(const struct model_run *model, const struct variant **chosen,
                          struct sup_error *error)
{
    const char *wanted = model->spec->variant;
    const bool walks = model->spec->workload != NULL;
    *chosen = &variants[EVENTS];
    if (walks && (wanted == NULL || strcmp(wanted, "events") == 0))
        return RB_OK;
    for (int32_t i = 0; i < VARIANTS; i++) {
        const bool fits = !walks && variants[i].fits(model);
        *chosen = &variants[i];
        if (wanted == NULL ? fits : fits && strcmp(variants[i].name, wanted) == 0)
            return RB_OK;
        if (wanted != NULL && walks && strcmp(variants[i].name, wanted) == 0)
            return sup_fail(error, RB_EINVAL,
                            "variant %s runs no workloads: take events, or leave the variant out",
                            wanted);
        if (wanted != NULL && strcmp(variants[i].name, wanted) == 0)
            return sup_fail(error, RB_EINVAL,
                            "variant %s can't do %s %s with this overlap rule and these "
                            "parameters: leave the variant out",
                            wanted, rb_plan_collective(model->spec->plan)->name,
                            rb_plan_algorithm(model->spec->plan)->name);
    }
    return sup_fail(error, RB_EINVAL,
                    "the model engine has no variant '%s': there are waves, windows, "
                    "blocking and events",
                    wanted);
}

static int check_spec(const struct sim_spec *spec, const struct model_parameters *parameters,
                      struct sup_error *error)
{
    const int32_t p = sim_ranks(spec);
    if (spec->workload == NULL && (p - 1) / spec->ppn + 1 > parameters->hosts)
        return sup_fail(error, RB_EINVAL, "%d ranks don't fit on the %d hosts of %s, %d on each", p,
                        parameters->hosts, spec->platform, spec->ppn);
    if (spec->want_links > 0)
        return sup_fail(error, RB_EINVAL,
                        "the model engine doesn't count what links carry; the engine simgrid does");
    return RB_OK;
}

/* The rank whose times have index i. */
static int32_t rank_at(const struct model_run *model, const struct variant *variant, int32_t i)
{
    const int32_t root = variant->relative ? rb_plan_root(model->spec->plan) : 0;
    return i < model->p - root ? i + root : i - (model->p - root);
}

/* By rank, and the latest. */
static void take_times(const struct model_run *model, const struct variant *variant,
                       struct sim_result *result)
{
    for (int32_t i = 0; i < model->p; i++) {
        result->time_s = model_later(result->time_s, model->through_s[i]);
        if (model->spec->want_finish)
            result->finish_s[rank_at(model, variant, i)] = model->through_s[i];
    }
}

static int run(struct model_run *model, const struct variant *variant, struct sim_result *result,
               struct sup_error *error)
{
    const size_t p = (size_t)model->p;
    model->through_s = sup_calloc(p, sizeof *model->through_s);
    model->next_s = sup_calloc(p, sizeof *model->next_s);
    if (model->spec->want_finish)
        result->finish_s = sup_calloc(p, sizeof *result->finish_s);
    const int status = variant->run(model, error);
    if (status == RB_OK)
        take_times(model, variant, result);
    free(model->through_s);
    free(model->next_s);
    return status;
}

/* True if messages cost what the closed forms assume. */
static bool is_plain(const struct model_run *model)
{
    const struct model_parameters *parameters = &model->parameters;
    return model->spec->workload == NULL && is_recurrent(model) && !combines(model) &&
           parameters->pieces == 1 && parameters->noise == 0;
}

/* Places the ranks where that was not done for their ports: checks a file, and takes the hosts if
 * they are wanted. *inside: ranks 0 and 1 share a host. All orders of the hosts are equal here, so
 * there is nothing to search for. */
static int take_hosts(const struct model_run *model, bool *inside, struct sim_result *result,
                      struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const struct sim_hosts hosts = {model->parameters.hosts, platform_generated_host_name, NULL};
    *inside = model->parameters.most_ppn > 1 && model->p > 1 &&
              (spec->placement.rule != SIM_CYCLIC || model->p <= spec->ppn);
    if (spec->workload == NULL && spec->placement.rule != SIM_FILE && !spec->want_hosts)
        return RB_OK;
    int32_t *host = sup_malloc(((size_t)model->p + 1) * sizeof *host);
    int status = model_place(model, host, error);
    if (status == RB_OK)
        sim_result_take_hosts(spec, &hosts, host, result);
    if (status == RB_OK)
        *inside = model->p > 1 && host[0] == host[1];
    free(host);
    return status;
}

/* alpha and beta between ranks 0 and 1, which may share a host. */
static void take_costs(const struct model_run *model, bool inside, struct sim_result *result)
{
    const struct model_parameters *parameters = &model->parameters;
    const struct model_piece *last = &parameters->piece[parameters->pieces - 1];
    result->alpha_s = inside ? parameters->inner_alpha_s : parameters->piece[0].alpha_s;
    result->beta_s_per_byte = inside ? parameters->inner_beta_s_per_byte : last->beta_s_per_byte;
}

static int simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    struct model_run model = {.spec = spec, .p = sim_ranks(spec), .result = result};
    const struct variant *variant;
    int status = model_parameters_read(spec, &model.parameters, error);
    if (status == RB_OK)
        status = check_spec(spec, &model.parameters, error);
    if (status == RB_OK)
        status = choose_variant(&model, &variant, error);
    if (status == RB_OK && model.parameters.threads > 1 && variant != &variants[WAVES])
        status = sup_fail(error, RB_EINVAL,
                          "engine option threads: only the variant waves shares its work out, and "
                          "%s runs here: leave it out",
                          variant->name);
    if (status != RB_OK)
        return status;
    bool inside;
    status = take_hosts(&model, &inside, result, error);
    if (status != RB_OK)
        return status;
    const double started = sup_clock_s();
    status = run(&model, variant, result, error);
    result->wall_s = sup_clock_s() - started;
    snprintf(result->variant, sizeof result->variant, "%s", variant->name);
    if (spec->workload == NULL)
        result->rounds = rb_plan_rounds(spec->plan);
    result->messages = model.messages;
    if (status == RB_OK)
        status = sim_tally_take(model.bytes, spec->layout, &result->bytes, error);
    result->hosts = model.parameters.hosts;
    result->uncontended = is_plain(&model);
    take_costs(&model, inside, result);
    return status;
}

static const struct sim_costs *costs_of(const struct sim_spec *spec)
{
    const struct model_run model = {
        .spec = spec, .p = sim_ranks(spec), .parameters = {.shares_hosts = spec->ppn > 1}};
    const struct variant *variant;
    struct sup_error error;
    return choose_variant(&model, &variant, &error) == RB_OK ? &variant->costs : NULL;
}

const struct sim_engine model_engine = {
    .name = "model",
    .title = "the model engine",
    .variants = "waves, windows, blocking, events",
    .options = "gamma, L, o, g, G, O, S, noise, seed, threads, calibration, loggp",
    .costs = {.start_s = 1e-4, .message_s = 1e-7, .operation_s = 3e-8},
    .costs_of = costs_of,
    .walks = true,
    .observes = true,
    .simulate = simulate,
};
