/* model.c - the engine `model`: messages cost what the models of the LogGP family say, and only the
 * resources that the parameters name are shared. The engine iterates over the plan and never stores
 * it. As long as a message's time depends on its two ranks alone, times obey a max-plus recurrence
 * over rounds, and no queue of events is needed: variants `windows` and `waves`. Where ranks share
 * a port, or a rank's sends and receives its processor, the order of events counts: variant
 * `events`. */
#define _POSIX_C_SOURCE 200809L

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "sim/workload/workload.h"
#include "support/eta.h"
#include "support/memory.h"

/* ---- The port that the ranks of a host share (docs/model.md) --------------------------------- */

/* host[r] of each rank. RB_EINVAL if the ranks don't fit. */
static int place_ranks(const struct model_run *model, int32_t host[], struct sup_error *error)
{
    const struct sim_spec *spec = model->spec;
    const struct sim_hosts of = {model->parameters.hosts, platform_generated_host_name, NULL};
    return spec->workload != NULL
               ? sim_workload_map(spec->workload, &of, host, error)
               : sim_placement_map(&spec->placement, model->p, spec->ppn, &of, host, error);
}

/* Times at which a port carries messages, in order; those that touch are one. */
struct model_busy {
    double from_s, to_s;
};
struct model_port {
    struct model_busy *busy; /* owned */
    int32_t count, room;
};

/* Two times of one port that differ by less than this part of a message's length are the same. */
static const double same_time = 1e-9;

int model_shared_ports_init(struct model_shared_ports *ports, const struct model_run *model,
                            struct sup_error *error)
{
    const size_t hosts = (size_t)model->parameters.hosts;
    *ports = (struct model_shared_ports){.parameters = &model->parameters,
                                         .hosts = model->parameters.hosts,
                                         .host = sup_malloc((size_t)model->p * sizeof *ports->host),
                                         .port = sup_calloc(2 * hosts, sizeof *ports->port)};
    return place_ranks(model, ports->host, error);
}

void model_shared_ports_free(struct model_shared_ports *ports)
{
    for (int64_t i = 0; i < 2 * (int64_t)ports->hosts && ports->port != NULL; i++)
        free(ports->port[i].busy);
    free(ports->port);
    free(ports->host);
}

/* Nobody asks for a time before now_s any more. */
static void forget(struct model_port *port, double now_s)
{
    int32_t past = 0;
    while (past < port->count && port->busy[past].to_s <= now_s)
        past++;
    port->count -= past;
    if (past > 0)
        memmove(port->busy, port->busy + past, (size_t)port->count * sizeof *port->busy);
}

/* The first time from from_s on from which the port is free for so long. *next: what was busy
 * before it is over by from_s. */
static double first_gap(const struct model_port *port, double from_s, double length_s,
                        int32_t *next)
{
    const double needed_s = length_s * (1 - same_time);
    for (; *next < port->count && port->busy[*next].from_s < from_s + needed_s; ++*next)
        from_s = model_later(from_s, port->busy[*next].to_s);
    return from_s;
}

static void occupy(struct model_port *port, double from_s, double to_s)
{
    const double touch_s = (to_s - from_s) * same_time;
    int32_t first = port->count, last;
    while (first > 0 && port->busy[first - 1].to_s >= from_s - touch_s)
        first--;
    for (last = first; last < port->count && port->busy[last].from_s <= to_s + touch_s; last++) {
        from_s = port->busy[last].from_s < from_s ? port->busy[last].from_s : from_s;
        to_s = model_later(to_s, port->busy[last].to_s);
    }
    if (port->count == port->room) {
        port->room = port->room == 0 ? 4 : 2 * port->room;
        port->busy = sup_reallocarray(port->busy, (size_t)port->room, sizeof *port->busy);
    }
    memmove(port->busy + first + 1, port->busy + last,
            (size_t)(port->count - last) * sizeof *port->busy);
    port->count += 1 - (last - first);
    port->busy[first] = (struct model_busy){from_s, to_s};
}

/* The first time from now_s on at which the sender's port is free for length_s, and latency_s later
 * the receiver's. */
static double first_start(struct model_port *out, struct model_port *in, double now_s,
                          double latency_s, double length_s)
{
    int32_t next_out = 0, next_in = 0;
    forget(out, now_s);
    forget(in, now_s);
    for (;;) {
        const double start_s = first_gap(out, now_s, length_s, &next_out);
        now_s = first_gap(in, start_s + latency_s, length_s, &next_in) - latency_s;
        if (now_s <= start_s || start_s + latency_s >= now_s + latency_s)
            return start_s;
    }
}

struct model_passage model_shared_ports_pass(struct model_shared_ports *ports, double now_s,
                                             int32_t from, int32_t to, int32_t port, int64_t round,
                                             int64_t bytes)
{
    const struct model_parameters *parameters = ports->parameters;
    const bool inside = ports->host[from] == ports->host[to];
    const double noise = model_noise(parameters, from, port, round);
    if (inside)
        return (struct model_passage){now_s,
                                      now_s + (parameters->inner_alpha_s +
                                               parameters->inner_beta_s_per_byte * (double)bytes) *
                                                  noise};
    const double latency_s = model_cost_s(parameters, 0) * noise;
    const double all_s = model_cost_s(parameters, bytes) * noise;
    if (!parameters->shares_hosts)
        return (struct model_passage){now_s, now_s + all_s};
    struct model_port *out = &ports->port[2 * ports->host[from]];
    struct model_port *in = &ports->port[2 * ports->host[to] + 1];
    const double length_s = model_later(all_s - latency_s, 0);
    const double start_s = first_start(out, in, now_s, latency_s, length_s);
    occupy(out, start_s, start_s + length_s);
    occupy(in, start_s + latency_s, start_s + all_s);
    return (struct model_passage){start_s, start_s + all_s};
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
    int status = place_ranks(model, host, error);
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
