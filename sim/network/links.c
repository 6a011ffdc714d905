#define _POSIX_C_SOURCE 200809L

#include "links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "schedules/dependences/messages.h"
#include "sim/engine/tally.h"
#include "support/memory.h"

/* ---- What a message could have ----------------------------------------------------------------
 */

void net_find_alone(struct platform_network *network, const int32_t host[], int32_t p,
                    struct net_alone *alone)
{
    const int32_t apart[] = {1, p / 3, p / 2};
    *alone = (struct net_alone){0};
    for (int32_t r = 0; r < p; r++)
        for (int i = 0; i < 3; i++) {
            struct platform_route route;
            struct sup_error unused;
            if (platform_network_route(network, host[r], host[((int64_t)r + apart[i]) % p], 0,
                                       &route, &unused) == RB_OK &&
                route.count < NET_LENGTHS)
                alone->bandwidth[route.count] =
                    fmax(alone->bandwidth[route.count], route.bandwidth);
        }
}

double net_alone_bandwidth(const struct net_alone *alone, const struct platform_route *route)
{
    return fmax(route->bandwidth, route->count < NET_LENGTHS ? alone->bandwidth[route->count] : 0);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct walk {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    struct platform_network *network;
    const int32_t *host;
    struct rb_rank *rank; /* per rank */
    int64_t *next;        /* per rank: its next round that isn't idle */
    struct rb_op *ops;
    int32_t *count; /* per link, in this round */
    double *demand; /* per link: the sum of their bytes */
    struct net_alone alone;
    double alone_s;   /* the longest time of a message of this round alone */
    int32_t *touched; /* the links whose count isn't 0 */
    int32_t touched_count;
};

static void start_walk(struct walk *walk)
{
    const size_t p = (size_t)rb_plan_ranks(walk->plan);
    const size_t links = (size_t)walk->network->links + 1;
    walk->rank = sup_malloc(p * sizeof *walk->rank);
    walk->next = sup_calloc(p, sizeof *walk->next);
    walk->ops = sup_malloc(((size_t)rb_plan_max_ops(walk->plan) + 1) * sizeof *walk->ops);
    walk->count = sup_calloc(links, sizeof *walk->count);
    walk->demand = sup_calloc(links, sizeof *walk->demand);
    walk->touched = sup_malloc(links * sizeof *walk->touched);
    for (size_t r = 0; r < p; r++)
        rb_plan_rank(walk->plan, (int32_t)r, &walk->rank[r]);
}

static void end_walk(struct walk *walk)
{
    free(walk->touched);
    free(walk->demand);
    free(walk->count);
    free(walk->ops);
    free(walk->next);
    free(walk->rank);
}

static int add_message(struct walk *walk, int32_t from, int32_t to, int64_t t, int64_t length,
                       struct sup_error *error)
{
    const double bytes = length > 0 ? (double)length : 1;
    struct platform_route route;
    const int32_t source = walk->host[from], destination = walk->host[to];
    /* Adaptive routing sees the messages of this round counted so far. */
    const uint64_t key =
        platform_network_choose(walk->network, source, destination, (uint64_t)t, walk->count);
    const int status =
        platform_network_route(walk->network, source, destination, key, &route, error);
    for (int32_t i = 0; status == RB_OK && i < route.count; i++) {
        const int32_t link = route.link[i];
        if (walk->count[link]++ == 0)
            walk->touched[walk->touched_count++] = link;
        walk->demand[link] += bytes;
    }
    if (status == RB_OK && route.count > 0)
        walk->alone_s = fmax(walk->alone_s, bytes / net_alone_bandwidth(&walk->alone, &route));
    return status;
}

static int add_round(struct walk *walk, int64_t t, struct sup_error *error)
{
    int status = RB_OK;
    for (int32_t r = 0; status == RB_OK && r < rb_plan_ranks(walk->plan); r++) {
        if (walk->next[r] < t)
            walk->next[r] = rb_plan_next(walk->plan, &walk->rank[r], t);
        if (walk->next[r] != t)
            continue;
        const int32_t count =
            sim_round(walk->plan, walk->layout, &walk->rank[r], t, walk->ops, error);
        if (count < 0)
            return count;
        struct dep_messages left = dep_messages_of(walk->ops, count);
        for (struct dep_message message; status == RB_OK && dep_next_send(&left, &message);)
            status = add_message(
                walk, r, message.ops->peer, t,
                walk->layout == NULL ? 1 : dep_message_bytes(walk->plan, walk->layout, &message),
                error);
    }
    return status;
}

/* Shows the round and forgets its counts. */
static void end_round(struct walk *walk, int64_t t, net_round_visitor *visit, void *context)
{
    for (int32_t i = 0; i < walk->touched_count; i++)
        walk->demand[walk->touched[i]] /=
            platform_network_link(walk->network, walk->touched[i])->bandwidth * walk->alone_s;
    visit(context,
          &(struct net_round){t, walk->touched_count, walk->touched, walk->count, walk->demand});
    for (int32_t i = 0; i < walk->touched_count; i++) {
        walk->count[walk->touched[i]] = 0;
        walk->demand[walk->touched[i]] = 0;
    }
    walk->touched_count = 0;
    walk->alone_s = 0;
}

/* Shows all rounds in their order, idle ones too. As net_link_rounds_count. */
static int link_rounds_visit(const struct rb_plan *plan, const struct rb_layout *layout,
                             struct platform_network *network, const int32_t host[],
                             net_round_visitor *visit, void *context, struct sup_error *error)
{
    struct walk walk = {.plan = plan, .layout = layout, .network = network, .host = host};
    int status = RB_OK;
    net_find_alone(network, host, rb_plan_ranks(plan), &walk.alone);
    start_walk(&walk);
    for (int64_t t = 0; status == RB_OK && t < rb_plan_rounds(plan); t++) {
        status = add_round(&walk, t, error);
        end_round(&walk, t, visit, context);
    }
    end_walk(&walk);
    return status;
}

struct counting {
    const struct platform_network *network;
    struct net_link_rounds *rounds;
};

static void count_round(void *context, const struct net_round *round)
{
    const struct counting *counting = context;
    struct net_link_rounds *rounds = counting->rounds;
    for (int32_t i = 0; i < round->count; i++) {
        const int32_t link = round->link[i], messages = round->messages[link];
        if (messages > rounds->most[link])
            rounds->most[link] = messages;
        if (platform_network_link(counting->network, link)->shared &&
            round->load[link] > rounds->load * (1 + 1e-9)) {
            rounds->fullest = link;
            rounds->fullest_round = round->round;
            rounds->fullest_messages = messages;
            rounds->load = round->load[link];
        }
    }
}

int net_link_rounds_count(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct platform_network *network, const int32_t host[],
                          struct net_link_rounds *rounds, struct sup_error *error)
{
    struct counting counting = {network, rounds};
    *rounds = (struct net_link_rounds){.fullest = -1};
    rounds->most = sup_calloc((size_t)network->links + 1, sizeof *rounds->most);
    return link_rounds_visit(plan, layout, network, host, count_round, &counting, error);
}

void net_link_rounds_free(struct net_link_rounds *rounds)
{
    free(rounds->most);
    *rounds = (struct net_link_rounds){0};
}

/* ---- Loads ----------------------------------------------------------------------------------- */

void net_link_load_init(struct net_link_load *load, struct platform_network *network)
{
    *load = (struct net_link_load){.network = network};
    load->link = sup_calloc((size_t)network->links + 1, sizeof *load->link);
}

void net_link_load_free(struct net_link_load *load)
{
    free(load->link);
    *load = (struct net_link_load){0};
}

void net_link_load_add(struct net_link_load *load, const struct platform_route *route,
                       int64_t bytes)
{
    for (int32_t i = 0; i < route->count; i++) {
        struct net_traffic *traffic = &load->link[route->link[i]];
        sim_tally_add_part(&traffic->bytes, bytes);
        traffic->messages++;
    }
}

int net_link_load_add_between(struct net_link_load *load, int32_t from, int32_t to, uint64_t key,
                              int64_t bytes, struct sup_error *error)
{
    struct platform_route route;
    const int status = platform_network_route(load->network, from, to, key, &route, error);
    if (status == RB_OK)
        net_link_load_add(load, &route, bytes);
    return status;
}

/* Bytes over links that are no host's own. O(links). */
static int64_t inner_bytes(const struct net_link_load *load)
{
    const struct platform_network *network = load->network;
    const int32_t inner = network->find_way == NULL ? 0
                          : network->own_links      ? 3 * network->hosts
                                                    : network->hosts;
    int64_t bytes = 0;
    for (int32_t i = inner; i < network->links - network->memory_links; i++)
        sim_tally_add_part(&bytes, load->link[i].bytes);
    return bytes;
}

struct candidate {
    int32_t link;
    double busy_s; /* the time of its traffic at full bandwidth */
};

SUP_COMPARE(busier_first, struct candidate, SUP_ORDER(b->busy_s, a->busy_s),
            SUP_ORDER(a->link, b->link));

static void describe(const struct net_link_load *load, const struct net_link_rounds *rounds,
                     int32_t number, struct sim_link *link)
{
    char name[NET_NAME];
    platform_network_link_name(load->network, number, name, sizeof name);
    *link = (struct sim_link){.name = sup_strdup(name),
                              .bytes = load->link[number].bytes,
                              .messages = load->link[number].messages,
                              .most_in_round = rounds->most != NULL ? rounds->most[number] : 0,
                              .bandwidth = platform_network_link(load->network, number)->bandwidth};
}

static int32_t find_candidates(const struct net_link_load *load, struct candidate candidates[])
{
    int32_t found = 0;
    for (int32_t i = 0; i < load->network->links; i++) {
        if (load->link[i].messages == 0)
            continue;
        const double busy_s =
            (double)load->link[i].bytes / platform_network_link(load->network, i)->bandwidth;
        candidates[found++] = (struct candidate){i, busy_s};
    }
    qsort(candidates, (size_t)found, sizeof *candidates, busier_first);
    return found;
}

/* Up to `wanted` links that carried messages, busiest (most bytes per bandwidth) first, allocated,
 * with allocated names, and the most messages of a round that each carries (0 if rounds, zeroed,
 * has none). RB_EFAILED.
 */
static void find_busiest(struct net_link_load *load, const struct net_link_rounds *rounds,
                         int32_t wanted, struct sim_link **links, int32_t *count)
{
    struct candidate *candidates =
        sup_malloc(((size_t)load->network->links + 1) * sizeof *candidates);
    const int32_t found = find_candidates(load, candidates);
    *count = found < wanted ? found : wanted;
    *links = sup_calloc((size_t)*count + 1, sizeof **links);
    for (int32_t i = 0; i < *count; i++)
        describe(load, rounds, candidates[i].link, &(*links)[i]);
    free(candidates);
}

/* ---- Bins of time ---------------------------------------------------------------------------- */

enum { BINS = SIM_CONTENTION_BINS };

void net_link_use_init(struct net_link_use *use, struct platform_network *network)
{
    *use = (struct net_link_use){.network = network};
    use->carried = sup_calloc((size_t)network->links + 1, sizeof *use->carried);
}

void net_link_use_free(struct net_link_use *use)
{
    for (int32_t l = 0; use->carried != NULL && l < use->network->links; l++)
        free(use->carried[l]);
    free(use->carried);
    *use = (struct net_link_use){0};
}

/* Makes room for the time to_s. */
static void widen_bins(struct net_link_use *use, double to_s)
{
    if (use->bin_s == 0)
        use->bin_s = to_s / BINS;
    while (to_s > use->bin_s * BINS) {
        use->bin_s *= 2;
        for (int32_t l = 0; l < use->network->links; l++) {
            double *bin = use->carried[l];
            for (int32_t i = 0; bin != NULL && i < BINS; i++)
                bin[i] = i < BINS / 2 ? bin[2 * i] + bin[2 * i + 1] : 0;
        }
    }
}

static int32_t bin_at(const struct net_link_use *use, double moment_s)
{
    const double bin = moment_s / use->bin_s;
    return bin < BINS ? (int32_t)bin : BINS - 1;
}

/* The last bin gets what the others leave, so that the sum is right. */
static void spread(const struct net_link_use *use, double carried[], double from_s, double to_s,
                   double bytes)
{
    const int32_t last = bin_at(use, to_s);
    double rest = bytes;
    for (int32_t i = bin_at(use, from_s); i < last; i++) {
        const double begin_s = fmax(from_s, i * use->bin_s);
        const double part = bytes * fmax((i + 1) * use->bin_s - begin_s, 0) / (to_s - from_s);
        carried[i] += part;
        rest -= part;
    }
    carried[last] += rest;
}

void net_link_use_add(struct net_link_use *use, const struct platform_route *route, double from_s,
                      double to_s, double bytes)
{
    if (bytes == 0 || !(to_s > 0))
        return;
    widen_bins(use, to_s);
    for (int32_t i = 0; i < route->count; i++) {
        double **carried = &use->carried[route->link[i]];
        if (*carried == NULL)
            *carried = sup_calloc(BINS, sizeof **carried);
        spread(use, *carried, from_s, to_s, bytes);
    }
}

/* ---- The result ------------------------------------------------------------------------------ */

struct placed {
    int32_t link;
    struct platform_place place;
};

SUP_COMPARE(by_place, struct placed, SUP_ORDER(a->place.level, b->place.level),
            SUP_ORDER(a->place.order, b->place.order));

/* A moment that rounding has put behind the end belongs to the last bin. */
static double *end_at(double carried[], int32_t bins)
{
    for (int32_t i = bins; carried != NULL && bins > 0 && i < BINS; i++)
        carried[bins - 1] += carried[i];
    return carried;
}

/* The shared links by level. */
static int32_t place_links(const struct platform_network *network, struct placed placed[])
{
    int32_t count = 0;
    for (int32_t l = 0; l < network->links; l++) {
        if (!platform_network_link(network, l)->shared)
            continue;
        placed[count].link = l;
        platform_network_place(network, l, &placed[count++].place);
    }
    if (count > 0)
        qsort(placed, (size_t)count, sizeof *placed, by_place);
    return count;
}

/* level_of[link]: in the result's list of levels, or -1. */
static void take_levels(struct net_link_use *use, struct sim_contention *contention,
                        int32_t level_of[])
{
    struct platform_network *network = use->network;
    const size_t room = (size_t)network->links + 1;
    struct placed *placed = sup_malloc(room * sizeof *placed);
    const int32_t count = place_links(network, placed);
    for (int32_t i = 0; i < count; i++)
        contention->levels += i == 0 || placed[i].place.level != placed[i - 1].place.level;
    contention->link = sup_calloc((size_t)count + 1, sizeof *contention->link);
    contention->level = sup_calloc((size_t)contention->levels + 1, sizeof *contention->level);
    int32_t level = -1;
    for (int32_t i = 0; i < count; i++) {
        struct sim_carrier *link = &contention->link[contention->links++];
        const int32_t number = placed[i].link;
        if (i == 0 || placed[i].place.level != placed[i - 1].place.level) {
            contention->level[++level].first = i;
            memcpy(contention->level[level].name, placed[i].place.name,
                   sizeof contention->level[level].name);
        }
        contention->level[level].count++;
        level_of[number] = level;
        *link = (struct sim_carrier){.level = level,
                                     .bandwidth = platform_network_link(network, number)->bandwidth,
                                     .carried = end_at(use->carried[number], contention->bins)};
        use->carried[number] = NULL;
        platform_network_link_name(network, number, link->name, sizeof link->name);
    }
    free(placed);
}

struct by_level {
    struct sim_contention *contention;
    const int32_t *level_of;
};

static void take_round(void *context, const struct net_round *round)
{
    const struct by_level *by_level = context;
    const struct sim_contention *contention = by_level->contention;
    const int64_t column = round->round / contention->column_rounds;
    for (int32_t i = 0; i < round->count; i++) {
        const int32_t link = round->link[i], level = by_level->level_of[link];
        if (level < 0)
            continue;
        struct sim_round_load *most = &contention->round[column * contention->levels + level];
        if (round->load[link] > most->load)
            *most = (struct sim_round_load){round->load[link], round->messages[link]};
    }
}

static int take_rounds(const struct sim_spec *spec, struct platform_network *network,
                       const int32_t host[], const int32_t level_of[],
                       struct sim_contention *contention, struct sup_error *error)
{
    struct by_level by_level = {contention, level_of};
    contention->rounds =
        spec->plan != NULL ? rb_plan_rounds(spec->plan) : 0; /* a workload's: none */
    contention->column_rounds =
        contention->rounds > 0 ? (contention->rounds - 1) / SIM_CONTENTION_COLUMNS + 1 : 1;
    contention->columns =
        (int32_t)((contention->rounds + contention->column_rounds - 1) / contention->column_rounds);
    contention->round = sup_calloc((size_t)contention->columns * (size_t)contention->levels + 1,
                                   sizeof *contention->round);
    return spec->plan == NULL ? RB_OK
                              : link_rounds_visit(spec->plan, spec->layout, network, host,
                                                  take_round, &by_level, error);
}

int net_link_use_take(struct net_link_use *use, const struct sim_spec *spec, const int32_t host[],
                      struct sim_result *result, struct sup_error *error)
{
    struct platform_network *network = use->network;
    struct sim_contention *contention = sup_calloc(1, sizeof *contention);
    int32_t *level_of = sup_malloc(((size_t)network->links + 1) * sizeof *level_of);
    result->contention = contention;
    for (int32_t l = 0; l < network->links; l++)
        level_of[l] = -1;
    contention->time_s = result->time_s;
    contention->bin_s = use->bin_s > 0 ? use->bin_s : result->time_s;
    if (use->bin_s > 0) /* up to the end, but for rounding */
        contention->bins = (int32_t)fmin(ceil(result->time_s / use->bin_s * (1 - 1e-12)), BINS);
    take_levels(use, contention, level_of);
    const int status = take_rounds(spec, network, host, level_of, contention, error);
    free(level_of);
    return status;
}

/* ---- Contention ------------------------------------------------------------------------------ */

enum { ALL_PAIRS = 128 };

struct check {
    struct platform_network *network;
    int64_t *role; /* per link: 0 none yet, host + 1 it sends for, -(host + 1) it receives for */
    double latency, bandwidth;
    bool started;
};

static bool takes_role(struct check *check, int32_t link, int64_t role)
{
    if (check->role[link] == 0)
        check->role[link] = role;
    return check->role[link] == role;
}

/* Both ends of the route, leaving out links that aren't shared, must be the hosts' own. */
static bool has_own_links(struct check *check, const struct platform_route *route, int32_t from,
                          int32_t to)
{
    int64_t roles[2] = {(int64_t)from + 1, -((int64_t)to + 1)};
    int32_t shared = 0;
    for (int32_t i = 0; i < route->count; i++) {
        if (!platform_network_link(check->network, route->link[i])->shared)
            continue;
        if (shared == 2 || !takes_role(check, route->link[i], roles[shared]))
            return false;
        shared++;
    }
    return shared == 2;
}

static int look_at(struct check *check, int32_t from, int32_t to, bool *fits,
                   struct sup_error *error)
{
    struct platform_route route;
    int status = platform_network_route(check->network, from, to, 0, &route, error);
    if (status)
        return status;
    if (!check->started) {
        check->started = true;
        check->latency = route.latency_s;
        check->bandwidth = route.bandwidth;
    }
    *fits = route.latency_s == check->latency && route.bandwidth == check->bandwidth &&
            has_own_links(check, &route, from, to);
    return RB_OK;
}

/* The factor between distances; 1 tests all distances. */
static int look_at_distances(struct check *check, int32_t hosts, int32_t factor, bool *fits,
                             struct sup_error *error)
{
    for (int64_t distance = 1; distance < hosts;
         distance = factor == 1 ? distance + 1 : distance * factor)
        for (int32_t from = 0; from < hosts; from++) {
            int status = look_at(check, from, (int32_t)((from + distance) % hosts), fits, error);
            if (status || !*fits)
                return status;
        }
    return RB_OK;
}

/* Sets *uncontended if all routes between different hosts have the same latency and bandwidth, and
 * each consists of one link over which only its source sends, one link over which only its
 * destination receives, and otherwise links that are not shared. Tests all pairs of up to 128
 * hosts; of more hosts, the pairs whose distance is a power of two or of three, from every host;
 * stops at the first pair that differs. True for one host. RB_EFAILED. */
static int net_uncontended(struct platform_network *network, bool *uncontended,
                           struct sup_error *error)
{
    int32_t hosts = network->hosts;
    struct check check = {.network = network};
    check.role = sup_calloc((size_t)network->links + 1, sizeof *check.role);
    *uncontended = true;
    int status;
    if (hosts <= ALL_PAIRS) {
        status = look_at_distances(&check, hosts, 1, uncontended, error);
    } else {
        status = look_at_distances(&check, hosts, 2, uncontended, error);
        if (status == 0 && *uncontended)
            status = look_at_distances(&check, hosts, 3, uncontended, error);
    }
    free(check.role);
    return status;
}

/* ---- The description ------------------------------------------------------------------------- */

/* Where ranks share a host, its route to itself must have a link: SimGrid aborts otherwise. */
static int check_shared_hosts(struct platform_network *network, const int32_t host[], int32_t p,
                              bool *shared, struct sup_error *error)
{
    *shared = false;
    int32_t hosts = network->hosts;
    int32_t *tenant = sup_malloc((size_t)hosts * sizeof *tenant);
    for (int32_t h = 0; h < hosts; h++)
        tenant[h] = -1;
    int status = RB_OK;
    for (int32_t r = 0; r < p && status == 0; r++) {
        int32_t h = host[r];
        if (tenant[h] < 0) {
            tenant[h] = r;
            continue;
        }
        *shared = true;
        struct platform_route route;
        char name[128];
        status = platform_network_route(network, h, h, 0, &route, error);
        if (status == 0 && route.count == 0)
            status = sup_fail(
                error, RB_EINVAL,
                "ranks %d and %d are both on host %s, which has no route to itself: give the "
                "platform a loopback (loopback_bw, loopback_lat), or put one rank on each host",
                tenant[h], r, platform_network_host_name(network, h, name, sizeof name));
    }
    free(tenant);
    return status;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A queue of flow's (nic:queue) changes no message that is alone. */
static bool changes_the_network(const struct sim_spec *spec)
{
    for (int32_t i = 0; i < spec->option_count; i++)
        if (!begins(spec->options[i], "contexts/") && !begins(spec->options[i], "smpi/") &&
            !begins(spec->options[i], "nic:"))
            return true;
    struct sup_error unused;
    return !platform_is_generated(spec->platform) &&
           platform_check_flow(spec->platform, &unused) != RB_OK;
}

/* alpha and beta: of ranks 0 and 1, or of hosts 0 and 1 if there is one rank. */
static int find_costs(struct platform_network *network, const int32_t host[], int32_t p,
                      struct sim_result *result, struct sup_error *error)
{
    int32_t from = host[0];
    int32_t to = p > 1 ? host[1] : (from + 1) % result->hosts;
    if (p == 1 && from == to) /* one host, one rank: nothing ever travels */
        return RB_OK;
    struct platform_route route;
    int status = platform_network_route(network, from, to, 0, &route, error);
    if (status)
        return status;
    result->alpha_s = route.latency_s;
    result->beta_s_per_byte = route.bandwidth > 0 ? 1 / route.bandwidth : 0;
    return RB_OK;
}

int net_describe(const struct sim_spec *spec, struct platform_network *network,
                 const int32_t host[], struct sim_result *result, struct sup_error *error)
{
    int32_t p = sim_ranks(spec);
    bool shared = false;
    int status = check_shared_hosts(network, host, p, &shared, error);
    if (status == 0)
        status = find_costs(network, host, p, result, error);
    network->altered = changes_the_network(spec);
    if (status == 0 && !shared && !network->altered)
        status = net_uncontended(network, &result->uncontended, error);
    return status;
}

double net_alone_s(struct platform_network *network, int32_t from, int32_t to, uint64_t key,
                   int64_t bytes)
{
    struct platform_route route;
    struct sup_error unused;
    if (network->altered ||
        platform_network_route(network, from, to, key, &route, &unused) != RB_OK)
        return 0;
    return route.latency_s + (route.bandwidth > 0 ? (double)bytes / route.bandwidth : 0);
}

int net_take_links(struct net_link_load *load, const struct sim_spec *spec, const int32_t host[],
                   struct sim_result *result, struct sup_error *error)
{
    struct net_link_rounds rounds = {.fullest = -1};
    int status = RB_OK;
    if (spec->workload == NULL)
        status =
            net_link_rounds_count(spec->plan, spec->layout, load->network, host, &rounds, error);
    result->switch_bytes = inner_bytes(load);
    if (status == RB_OK)
        find_busiest(load, &rounds, spec->want_links, &result->links, &result->link_count);
    if (status == RB_OK && rounds.fullest >= 0) {
        result->fullest.messages = rounds.fullest_messages;
        result->fullest.load = rounds.load;
        result->fullest.round = rounds.fullest_round;
        platform_network_link_name(load->network, rounds.fullest, result->fullest.link,
                                   sizeof result->fullest.link);
    }
    net_link_rounds_free(&rounds);
    return status;
}
