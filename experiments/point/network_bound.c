/* network_bound.c - see network_bound.h. */
#include "experiments/point/bound_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/network.h"
#include "platforms/platform.h"
#include "support/memory.h"

enum {
    MOST_PAIRS = 1 << 21, /* of hosts, whose routes are looked at */
    MOST_PLACES = 256,    /* between which they lead */
    MOST_WORK = 1 << 17   /* flows times arcs */
};

struct point_network {
    struct platform_hosts who;
    struct platform_network *network; /* owned; NULL: it adds nothing, or is not known */
    struct platform_arcs arcs;        /* owned; count 0: links don't differ, or are not known */
    /* The routes between hosts, without hosts' own links. A place is a switch with its hosts, or a
     * host that has no link of its own, or not only that. */
    int32_t places;
    int32_t *place; /* by host; owned */
    int32_t *first; /* of the links of host i's route to host j: [i hosts + j]; owned; NULL: not
                     * known */
    int32_t *link;  /* owned */
};

static int32_t terminal_of(const struct point_network *of, int32_t host)
{
    return platform_host_terminal(&of->who, host);
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* What the ranks of hosts have for others, and which hosts need it. Of scatter the clock runs
 * backwards. */
static void find_weights(const struct point_network *of, const struct point_problem *problem,
                         double weight[], bool sink[])
{
    const bool rooted = problem->need == POINT_FROM_ROOT;
    double *at = sup_calloc((size_t)of->who.terminals, sizeof *at);
    for (int32_t r = 0; r < problem->p; r++)
        at[problem->host[r]] += rooted || problem->need == POINT_OTHERS
                                    ? point_problem_share(problem, r)
                                : r == problem->root ? problem->bytes
                                                     : 0;
    for (int32_t n = 0; n < of->arcs.hosts; n++) {
        const int32_t terminal = terminal_of(of, n);
        weight[n] = at[terminal];
        sink[n] =
            rooted ? terminal == problem->host[problem->root] : problem->ranks_on[terminal] > 0;
    }
    free(at);
}

/* Of the hosts with ranks those inside or those outside, whichever are fewer. If they are the part
 * of a cut, its name. */
static void name_set(const struct point_network *of, const struct point_problem *problem,
                     const bool in[], char *name, size_t size)
{
    const struct platform_cuts *cuts = problem->cuts;
    int32_t count[2] = {0}, first[2] = {0};
    char what[40];
    for (int32_t n = 0; n < of->arcs.hosts; n++)
        if (problem->ranks_on[terminal_of(of, n)] > 0)
            first[in[n]] = count[in[n]]++ == 0 ? n : first[in[n]];
    const bool side = count[true] <= count[false];
    platform_host_name(&of->who, first[side], what, sizeof what);
    if (count[side] == 1)
        snprintf(name, size, "%s's links", what);
    else
        snprintf(name, size, "links of %d hosts, %s ..", (int)count[side], what);
    for (int32_t i = 1; i < cuts->count && count[side] > 1; i++) {
        const int32_t part = terminal_of(of, first[side]) / cuts->cut[i].terminals;
        int32_t others = 0;
        for (int32_t n = 0; n < of->arcs.hosts; n++)
            others += problem->ranks_on[terminal_of(of, n)] > 0 &&
                      (in[n] == side) != (terminal_of(of, n) / cuts->cut[i].terminals == part);
        platform_part_name(&of->who, cuts->cut[i].name, part, what, sizeof what);
        if (others == 0)
            snprintf(name, size, "%s's links", what);
    }
}

static void bound_sets(const struct point_network *of, const struct point_problem *problem,
                       struct point_bound *bound)
{
    const struct platform_arcs *arcs = &of->arcs;
    double *weight = sup_calloc((size_t)arcs->nodes, sizeof *weight), leaves = 0, enters = 0;
    bool *sink = sup_calloc((size_t)arcs->nodes, sizeof *sink);
    bool *in = sup_malloc((size_t)arcs->nodes * sizeof *in);
    find_weights(of, problem, weight, sink);
    const double worst_s = platform_worst_set(arcs, weight, sink, MOST_WORK, in);
    for (int32_t a = 0; a < arcs->count; a++) {
        leaves += in[arcs->from[a]] && !in[arcs->to[a]] ? arcs->bandwidth[a] : 0;
        enters += in[arcs->to[a]] && !in[arcs->from[a]] ? arcs->bandwidth[a] : 0;
    }
    if (worst_s > 0) {
        bound->time_s = problem->alpha_s + worst_s * fmin(1, leaves / enters); /* either way */
        name_set(of, problem, in, bound->part, sizeof bound->part);
    }
    free(weight);
    free(sink);
    free(in);
}

/* ---- Routes ---------------------------------------------------------------------------------- */

static void find_places(struct point_network *of)
{
    const struct platform_network *network = of->network;
    int32_t *number = sup_calloc((size_t)platform_network_nodes(network), sizeof *number), ends[2];
    of->place = sup_malloc((size_t)network->hosts * sizeof *of->place);
    for (int32_t h = 0; h < network->hosts; h++) {
        const bool has_switch = network->nics == network->hosts &&
                                platform_network_ends(network, network->hosts + 2 * h, ends);
        int32_t *place = &number[has_switch ? ends[1] : h];
        if (*place == 0)
            *place = ++of->places;
        of->place[h] = *place - 1;
    }
    free(number);
}

/* Unless there are too many, or messages choose. */
static void find_routes(struct point_network *of)
{
    struct platform_network *network = of->network;
    const int32_t hosts = network->hosts;
    size_t links = 0;
    if (network->routing.per_message || network->routing.load != PLATFORM_NO_LOAD ||
        (int64_t)hosts * hosts > MOST_PAIRS)
        return;
    find_places(of);
    const int32_t own = network->nics == hosts; /* at both ends */
    if (of->places > MOST_PLACES || of->places < 2)
        return;
    of->first = sup_malloc(((size_t)hosts * (size_t)hosts + 1) * sizeof *of->first);
    for (int32_t pair = 0; pair < hosts * hosts; pair++) {
        struct platform_route route = {0};
        struct sup_error error;
        of->first[pair] = (int32_t)links;
        if (pair % (hosts + 1) != 0)
            platform_network_route(network, pair / hosts, pair % hosts, 0, &route, &error);
        for (int32_t k = own; k < route.count - own; k++) {
            sup_grow(&of->link, links, sizeof *of->link);
            of->link[links++] = route.link[k];
        }
    }
    of->first[hosts * hosts] = (int32_t)links;
}

/* What a host's ranks send counts as a link, too, and what they receive as the next: the host's
 * own, or one behind all others. */
static int32_t own_of(const struct platform_network *network, int32_t host)
{
    return (network->nics == network->hosts ? network->hosts : network->links) + 2 * host;
}

/* bytes_per_s[link] and, for the traffic from host to host, how long each link is busy. */
static void find_traffic(const struct point_network *of, const struct point_problem *problem,
                         double traffic[], double bytes_per_s[], double busy_s[])
{
    const struct platform_network *network = of->network;
    const int32_t hosts = network->hosts;
    const bool equal = point_problem_has_equal_pairs(problem);
    const double each = (double)(problem->pair_elements * problem->layout->element);
    int32_t *host = sup_calloc((size_t)of->who.terminals, sizeof *host);
    for (int32_t l = 0; l < network->links + 2 * hosts; l++)
        bytes_per_s[l] = l < network->links ? network->link[l].bandwidth : INFINITY;
    for (int32_t h = 0; h < hosts; h++) {
        const int32_t ranks = problem->ranks_on[terminal_of(of, h)], own = own_of(network, h);
        host[terminal_of(of, h)] = h;
        for (int32_t l = own; l < own + 2; l++) /* a host without ranks sends nothing */
            bytes_per_s[l] = ranks > 0 ? fmin(bytes_per_s[l], problem->rank_rate * ranks) : 0;
    }
    for (int32_t r = 0; r < problem->p && !equal; r++)
        for (int32_t d = 0; d < problem->p; d++)
            traffic[host[problem->host[r]] * hosts + host[problem->host[d]]] +=
                (double)point_problem_pair_bytes(problem, r, d);
    for (int32_t pair = 0; pair < hosts * hosts; pair++) {
        const int32_t i = pair / hosts, j = pair % hosts;
        if (equal)
            traffic[pair] = each * problem->ranks_on[terminal_of(of, i)] *
                            problem->ranks_on[terminal_of(of, j)];
        if (i == j || !(traffic[pair] > 0)) {
            traffic[pair] = 0;
            continue;
        }
        busy_s[own_of(network, i)] += traffic[pair] / bytes_per_s[own_of(network, i)];
        busy_s[own_of(network, j) + 1] += traffic[pair] / bytes_per_s[own_of(network, j) + 1];
        for (int32_t k = of->first[pair]; k < of->first[pair + 1]; k++)
            busy_s[of->link[k]] += traffic[pair] / bytes_per_s[of->link[k]];
    }
    free(host);
}

/* What a byte costs at least from place to place besides its own ends, over any hosts between. */
static void find_costs(const struct point_network *of, const double price[], double cost[])
{
    const int32_t places = of->places, hosts = of->network->hosts;
    double *stop = sup_malloc((size_t)places * sizeof *stop); /* at the cheapest host */
    for (int32_t pair = 0; pair < places * places; pair++)
        cost[pair] = stop[pair % places] = INFINITY;
    for (int32_t i = 0; i < hosts; i++) {
        const int32_t own = own_of(of->network, i);
        stop[of->place[i]] = fmin(stop[of->place[i]], price[own] + price[own + 1]);
        for (int32_t j = 0; j < hosts; j++) {
            double *least = &cost[of->place[i] * places + of->place[j]], sum = 0;
            for (int32_t k = of->first[i * hosts + j]; k < of->first[i * hosts + j + 1]; k++)
                sum += price[of->link[k]];
            *least = sum < *least ? sum : *least;
        }
    }
    for (int32_t k = 0; k < places; k++)
        for (int32_t u = 0; u < places; u++) {
            double *row = cost + u * places;
            const double *over = cost + k * places, to = row[k] + stop[k];
            for (int32_t v = 0; v < places; v++)
                row[v] = to + over[v] < row[v] ? to + over[v] : row[v];
        }
    free(stop);
}

static void bound_routes(const struct point_network *of, const struct point_problem *problem,
                         struct point_bound *bound)
{
    /* Prices of links that are no host's own, against those: they rise with the load, but where
     * they rise fast a stop would soon be cheaper. */
    static const double prices[][2] = {{128, 1}, {16, 1.25}, {4, 1.5}, {1, 2}, {0.5, 4}, {1, 32}};
    const struct platform_network *network = of->network;
    const int32_t hosts = network->hosts, links = network->links + 2 * hosts;
    double *traffic = sup_calloc((size_t)hosts * (size_t)hosts, sizeof *traffic);
    double *cost = sup_malloc((size_t)(of->places * of->places) * sizeof *cost);
    double *bytes_per_s = sup_calloc((size_t)links, sizeof *bytes_per_s);
    double *busy_s = sup_calloc((size_t)links, sizeof *busy_s);
    double *price = sup_calloc((size_t)links, sizeof *price), best_s = 0;
    struct platform_place place;
    int32_t fullest = 0;
    find_traffic(of, problem, traffic, bytes_per_s, busy_s);
    for (int32_t l = 0; l < links; l++)
        fullest = busy_s[l] > busy_s[fullest] ? l : fullest;
    for (size_t i = 0; i < sizeof prices / sizeof *prices && busy_s[fullest] > 0; i++) {
        double paid = 0, there = 0;
        for (int32_t l = 0; l < links; l++) {
            const bool own = l >= network->links || (network->nics == hosts && l < 3 * hosts);
            const double share = pow(busy_s[l] / busy_s[fullest], prices[i][1]);
            price[l] =
                bytes_per_s[l] > 0 ? share * (own ? 1 : prices[i][0]) / bytes_per_s[l] : INFINITY;
            there += share * (own ? 1 : prices[i][0]);
        }
        find_costs(of, price, cost);
        for (int32_t pair = 0; pair < hosts * hosts; pair++) {
            const int32_t from = pair / hosts, to = pair % hosts;
            if (traffic[pair] > 0)
                paid +=
                    traffic[pair] * (price[own_of(network, from)] + price[own_of(network, to) + 1] +
                                     cost[of->place[from] * of->places + of->place[to]]);
        }
        best_s = fmax(best_s, paid / there);
    }
    bound->time_s = best_s > 0 ? problem->alpha_s + best_s : 0;
    if (fullest < network->links)
        platform_network_place(network, fullest, &place);
    snprintf(bound->part, sizeof bound->part, "routes over %s links",
             fullest < network->links ? place.name : "host");
    free(traffic);
    free(cost);
    free(bytes_per_s);
    free(busy_s);
    free(price);
}

/* ---- Both ------------------------------------------------------------------------------------ */

struct point_network *point_network_make(const char *platform, const struct platform_cuts *cuts,
                                         bool pairs)
{
    struct sup_error error;
    struct point_network *of = sup_calloc(1, sizeof *of);
    of->who = cuts->who;
    if ((pairs ? cuts->count > 1 || cuts->irregular : cuts->irregular) &&
        platform_is_generated(platform) &&
        platform_network_create(platform, &of->network, &error) == RB_OK) {
        if (pairs)
            find_routes(of);
        else
            platform_arcs_find(of->network, &of->arcs);
    }
    return of;
}

void point_network_bound(const struct point_network *network, const struct point_problem *problem,
                         struct point_bound *bound)
{
    *bound = (struct point_bound){0};
    if (network->first != NULL && problem->need == POINT_PAIRS)
        bound_routes(network, problem, bound);
    else if (network->arcs.count > 0 && problem->need != POINT_SHIFTED)
        bound_sets(network, problem, bound);
}

void point_network_free(struct point_network *network)
{
    if (network == NULL)
        return;
    platform_network_destroy(network->network);
    platform_arcs_free(&network->arcs);
    free(network->place);
    free(network->first);
    free(network->link);
    free(network);
}
