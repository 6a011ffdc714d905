/* nccl.c - the engine `nccl`: the time that NCCL's tuner predicts for the algorithm that a plan
 * stands for, in closed form. No message is sent, and of the plan only collective, algorithm and
 * ranks count.
 *
 * From NVIDIA/nccl 2.30.7 (commit 5067397c): formulas and constants of src/graph/tuning.cc, and the
 * channels that the search of src/graph/search.cc finds. GPUs have a network interface each, and
 * NVLink inside nodes; no NVLS, no CollNet. Times are in us, bandwidths in GB/s. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/network.h"
#include "sim/engine/engine.h"
#include "support/error.h"

enum algorithm { RING, TREE, PAT, ALGORITHMS };
enum protocol { LL, LL128, SIMPLE, BEST, PROTOCOLS = BEST };
enum { SM80, SM90, SM100, SMS, MOST_CHANNELS = 32, CORRECTED = 23 };

/* The speeds of channels that the search tries, on one node and between nodes. */
static const double inside[SMS][14] = {{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
                                       {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
                                       {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18}};
static const double between[SMS][21] = {
    {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12},
    {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12},
    {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12}};

/* The most of a channel on one node, two and more: a ring with LL128, a tree with it, any tree. */
static const double ring_ll128[SMS][3] = {{20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}};
static const double tree_ll128[SMS][3] = {{20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}};
static const double tree_any[SMS][3] = {{24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}};
/* The most of all channels with LL: on one node; on two and more, by processor. */
static const double ll_alone[SMS] = {87.7, 141, 282}, ll_apart[2][2] = {{39, 20.4}, {22.5, 19}};

/* Latency of a call, of a hop inside a node and of one between nodes: LL, LL128, Simple. */
static const double base_us[ALGORITHMS][PROTOCOLS] = {{6.6, 14, 8.4}, {6.8, 14, 8.4}, {8, 8, 8}};
static const double inner_us[ALGORITHMS][PROTOCOLS] = {{.6, 1.9, 3.4}, {.6, 1.25, 4}, {0, 0, 4}};
static const double net_us[ALGORITHMS][PROTOCOLS] = {{2.7, 4, 14}, {5, 8.5, 14}, {0, 0, 14}};

/* What is left of a tree's bandwidth from 64 B on, by doublings of the size. */
static const double tree_share[PROTOCOLS][CORRECTED] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
};

struct channels {
    int32_t count;
    double speed; /* of each */
};

struct call {
    int32_t sm, amd, protocol;  /* GPUs' generation; 1: AMD's processors; enum protocol */
    int32_t p, nodes, gpus, at; /* gpus of each node; at 0: one node, 1: two, 2: more */
    int32_t laps, algorithm;    /* laps round the ring: allreduce 2, bcast and reduce 0, or 1 */
    double nic, inner, bytes, ll_most; /* inner: of a GPU's links inside its node */
    struct channels ring, tree;
};

/* The channels, `least` to `most`, with the largest bandwidth together. Each needs its speed once
 * of a GPU's links and once of a network interface; the search ends at half the best speed. Where
 * none fits NCCL takes the first one to be. */
static struct channels search(const struct call *call, double inner, int32_t least, int32_t most)
{
    struct channels best = {1, .1};
    const double *speed = call->at > 0 ? between[call->sm] : inside[call->sm];
    for (; *speed / best.speed > .49; speed++) {
        const double within = call->gpus > 1 ? floor(inner / *speed) : INFINITY;
        const double out = call->at > 0 ? call->gpus * floor(call->nic / *speed) : INFINITY;
        const int32_t count = (int32_t)fmin(fmin(within, out), most);
        if (count >= least && count * *speed > best.count * best.speed)
            best = (struct channels){count, *speed};
    }
    return best;
}

/* Few fast channels become twice as many of half the speed. Trees have as many channels as rings,
 * and one hop less inside a node. */
static void find_channels(struct call *call)
{
    struct channels *ring = &call->ring;
    *ring = search(call, call->inner, 1, MOST_CHANNELS);
    if (ring->speed >= 25 && 2 * ring->count <= MOST_CHANNELS &&
        (call->sm == SM80 || ring->speed >= 50 || ring->count <= 4))
        *ring = (struct channels){2 * ring->count, ring->speed / 2};
    const double inner = call->inner * call->gpus / fmax(call->gpus - 1, 1);
    call->tree = search(call, inner, ring->count, ring->count);
}

/* Of bcast and reduce each hop counts as one between nodes; but one hop in all, where all channels
 * are alike. Otherwise hops inside take at least what posting a send to the network takes, those
 * between nodes of one GPU have the latency of trees, and long allreduces are slower. */
static double ring_latency(const struct call *call, enum protocol protocol)
{
    const bool apart = call->at > 0, one_gpu = call->gpus == 1;
    const double base = base_us[RING][protocol], inner = inner_us[RING][protocol];
    if (call->laps == 0)
        return base + (apart ? (one_gpu ? 1 : call->p) * net_us[RING][protocol] : inner);
    const double post = apart ? (call->amd + 1) * (protocol == SIMPLE ? 3 : 1) : 0;
    const int32_t hops = call->laps * (call->p - 1), out = call->laps * (call->nodes - 1);
    const bool slower = apart && call->laps == 2 && protocol == SIMPLE &&
                        call->bytes >= 64.0 * 2 * call->ring.count * call->p;
    return (slower ? 1.4 : 1) * (base + (hops - out) * fmax(inner, post) +
                                 out * net_us[one_gpu ? TREE : RING][protocol]);
}

static double ring_us(const struct call *call, enum protocol protocol)
{
    const double count = call->ring.count, speed = call->ring.speed, all = count * speed;
    const double most = ring_ll128[call->sm][call->at];
    const double bandwidth = protocol == LL      ? fmin(all / 2, call->ll_most)
                             : protocol == LL128 ? count * fmin(.92 * speed, most)
                                                 : all;
    const double rounds = call->laps == 0 ? 1 : call->laps * (call->p - 1.0) / call->p;
    return ring_latency(call, protocol) + rounds * call->bytes / (1000 * bandwidth);
}

/* Up and down, so half the bandwidth. From Hopper on, one GPU of a node leads a tree into the
 * network, which gets 0.85. */
static double tree_us(const struct call *call, enum protocol protocol)
{
    const double count = call->tree.count, most = count * tree_ll128[call->sm][call->at];
    const double all = count * fmin(.92 * call->tree.speed, tree_any[call->sm][call->at]);
    const double wide = all * (call->at > 0 ? 120.0 / 128 : 7.0 / 9);
    const double bandwidth = protocol == LL      ? fmin(all / 3.8, call->ll_most)
                             : protocol == LL128 ? fmin(wide, most)
                                                 : all;
    const double hops_us =
        (call->gpus - 1) * inner_us[TREE][protocol] + ilogb(call->nodes) * net_us[TREE][protocol];
    const bool is_led = call->at > 0 && (call->sm > SM80 || call->gpus == 1);
    const int size = call->bytes < 64 ? CORRECTED : ilogb(call->bytes / 64);
    const double share = (is_led ? .85 : 1) * (size < CORRECTED ? tree_share[protocol][size] : 1);
    return base_us[TREE][protocol] + 2 * hops_us + call->bytes / (1000 * share * bandwidth / 2);
}

static double pat_us(const struct call *call, enum protocol protocol)
{
    return base_us[PAT][protocol] + ilogb(call->nodes) * net_us[PAT][protocol] / 3.5 +
           2.8 * call->p + call->bytes / (1000 * .75 * call->tree.count * call->tree.speed);
}

/* The fastest protocol, or the one that was asked for. PAT has Simple alone. */
static void predict(const struct call *call, struct sim_result *result)
{
    static double (*const us[])(const struct call *, enum protocol) = {ring_us, tree_us, pat_us};
    static const char *const algorithms[] = {"Ring", "Tree", "PAT"};
    static const char *const protocols[] = {"LL", "LL128", "Simple"};
    result->time_s = INFINITY;
    for (int32_t at = call->algorithm == PAT ? SIMPLE : LL; at <= SIMPLE; at++) {
        const double time_s = us[call->algorithm](call, (enum protocol)at) / 1e6;
        if ((call->protocol != BEST && call->protocol != at) || time_s >= result->time_s)
            continue;
        result->time_s = time_s;
        snprintf(result->variant, sizeof result->variant, "%s %s", algorithms[call->algorithm],
                 protocols[at]);
    }
}

/* The generation of a machine's GPUs, where no option says it; of others Hopper. UNKNOWN: several
 * GPUs have one network interface. */
enum { UNKNOWN = -1 };

static int32_t generation_of(const char *platform)
{
    static const struct {
        const char *name;
        int32_t sm;
    } machines[] = {{"dgx-b200", SM100},
                    {"gb200-nvl72", SM100},
                    {"leonardo-rails", SM80},
                    {"polaris", UNKNOWN},
                    {"lumi-rails", UNKNOWN}};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strncmp(platform, machines[i].name, strlen(machines[i].name)) == 0)
            return machines[i].sm;
    return SM90;
}

static int read_option(const char *option, struct call *call, struct sup_error *error)
{
    static const char *const words[] = {"sm:80",         "sm:90",          "sm:100",
                                        "protocol:ll",   "protocol:ll128", "protocol:simple",
                                        "protocol:best", "cpu:intel",      "cpu:amd"};
    enum { CPUS = SMS + BEST + 1, WORDS = CPUS + 2 };
    int at = 0;
    while (at < WORDS && strcmp(words[at], option) != 0)
        at++;
    if (at == WORDS)
        return sup_fail(error, RB_EINVAL,
                        "the nccl engine has no option '%s': there are sm:80, 90 or 100, "
                        "protocol:best, ll, ll128 or simple, and cpu:intel or amd",
                        option);
    if (at < SMS)
        call->sm = at;
    else if (at < CPUS)
        call->protocol = at - SMS;
    else
        call->amd = at - CPUS;
    return RB_OK;
}

/* On two ranks every broadcast is a ring. */
static int find_algorithm(const struct rb_plan *plan, struct call *call, struct sup_error *error)
{
    const struct rb_collective_info *collective = rb_plan_collective(plan);
    const char *name = rb_plan_algorithm(plan)->name;
    const bool is_tree = strcmp(name, "two-tree") == 0 || strcmp(name, "two-tree-in-lanes") == 0;
    const bool is_all = strcmp(collective->name, "allreduce") == 0;
    call->laps = is_all ? 2 : collective->rooted ? 0 : 1;
    call->algorithm = strcmp(name, "pat") == 0 ? PAT : is_tree && is_all ? TREE : RING;
    if (call->algorithm != RING || strcmp(name, "multi-ring") == 0 ||
        (call->p == 2 && strcmp(collective->name, "bcast") == 0))
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "NCCL has no %s %s: its Ring is multi-ring, its Tree two-tree or "
                    "two-tree-in-lanes for allreduce, and its PAT pat",
                    collective->name, name);
}

/* The platform; and of the result hosts, alpha and beta. */
static int find_nodes(const char *platform, struct call *call, struct sim_result *result,
                      struct sup_error *error)
{
    struct platform_cuts cuts;
    int32_t terminals;
    if (platform_find_group(platform, "node", &terminals, error) != RB_OK)
        return sup_fail(error, RB_EINVAL,
                        "%s has no nodes of GPUs, as rails:16x8 or dgx-h100 has, "
                        "which the nccl engine needs",
                        platform);
    if (platform_find_cuts(platform, &cuts, error) != RB_OK)
        return RB_EINVAL;
    if (call->p > cuts.who.count || (call->p > terminals && call->p % terminals != 0))
        return sup_fail(error, RB_EINVAL, "%s: %d ranks don't fill nodes of %d of its %d hosts",
                        platform, call->p, terminals, cuts.who.count);
    call->gpus = call->p < terminals ? call->p : terminals;
    call->nodes = call->p / call->gpus;
    call->at = call->nodes > 2 ? 2 : call->nodes - 1;
    call->ll_most = call->at == 0 ? ll_alone[call->sm] : ll_apart[call->amd][call->at - 1];
    const bool both =
        cuts.node_terminals > 1; /* otherwise a host has one link that leads somewhere */
    call->nic = (both ? cuts.node_message_bandwidth : cuts.cut[0].bandwidth) / 1e9;
    call->inner = (cuts.cut[0].bandwidth - (both ? cuts.node_message_bandwidth : 0)) / 1e9;
    result->hosts = cuts.who.count;
    result->alpha_s = cuts.latency_s;
    result->beta_s_per_byte = 1 / cuts.message_bandwidth;
    if (call->algorithm == PAT && (terminals > 1 || call->protocol < SIMPLE))
        return sup_fail(error, RB_EINVAL,
                        "NCCL has PAT for nodes of one GPU alone, and protocol:simple");
    return RB_OK;
}

static int simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    struct call call = {.sm = generation_of(spec->platform),
                        .protocol = BEST,
                        .p = rb_plan_ranks(spec->plan),
                        .bytes = (double)spec->layout->bytes};
    const char *lacks = spec->variant != NULL ? "variants"
                        : spec->ppn > 1       ? "several ranks per host"
                        : spec->placement.rule != SIM_BLOCK || spec->placement.search
                            ? "placement but block"
                        : spec->layout->first != NULL ? "counts but regular"
                        : spec->want_links > 0        ? "links' loads"
                        : spec->want_finish           ? "times of single ranks"
                        : call.p < 2                  ? "time for one rank"
                                                      : NULL;
    if (lacks != NULL)
        return sup_fail(error, RB_EINVAL, "the nccl engine has no %s", lacks);
    int status = RB_OK;
    for (int32_t i = 0; i < spec->option_count && status == RB_OK; i++)
        status = read_option(spec->options[i], &call, error);
    if (call.sm == UNKNOWN)
        return sup_fail(error, RB_EINVAL,
                        "%s: several of its GPUs have one network interface: NCCL's cost model "
                        "is known here for one of each",
                        spec->platform);
    if (status != RB_OK || (status = find_algorithm(spec->plan, &call, error)) != RB_OK ||
        (status = find_nodes(spec->platform, &call, result, error)) != RB_OK)
        return status;
    find_channels(&call);
    predict(&call, result);
    result->rounds = rb_plan_rounds(spec->plan);
    return RB_OK;
}

const struct sim_engine nccl_engine = {
    .name = "nccl",
    .title = "NCCL's cost model (computed, not simulated)",
    .options = "sm, protocol, cpu",
    .costs = {.start_s = 1e-4},
    .computes = true,
    .simulate = simulate,
};
