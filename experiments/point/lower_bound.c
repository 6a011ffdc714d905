/* lower_bound.c - see lower_bound.h and docs/bounds.md, whose sections the comments name. */
#include "experiments/point/lower_bound.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/bound_problem.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "support/memory.h"

/* ---- Latency (docs/bounds.md, "Latency") ----------------------------------------------------- */

enum { MOST_CELLS = 4096, MOST_LEVELS = 32 };

/* Where the table would be too large: hosts whose ranks all know at once. */
static struct point_spread_times spread_roughly(const struct point_spread *spread, int64_t hosts,
                                                int64_t ranks)
{
    const double least_s = fmin(spread->alpha_s, spread->inner_s);
    const int64_t senders = (int64_t)spread->per_host * spread->ports;
    return (struct point_spread_times){.hosts_s = spread->alpha_s * rb_ceil_log(hosts, 1 + senders),
                                       .ranks_s = least_s *
                                                  rb_ceil_log(ranks, 1 + (int64_t)spread->ports)};
}

/* new_ranks[j]: of a host's ranks, those that its first one can have told after j messages in
 * sequence, and not before. Returns how many j there are. */
static int32_t find_levels(const struct point_spread *spread, double new_ranks[MOST_LEVELS])
{
    int64_t told = 1;
    int32_t levels = 1;
    new_ranks[0] = 1;
    for (; told < spread->per_host; levels++) {
        int64_t next = told * (1 + (int64_t)spread->ports);
        next = next < spread->per_host ? next : spread->per_host;
        new_ranks[levels] = (double)(next - told);
        told = next;
    }
    return levels;
}

/* The first time at which the cells up to it add up to `wanted`. Cell (a, b) is of the time
 * a alpha + b inner. */
static double time_of_sum(const struct point_spread *spread, const double cell[], int32_t rows,
                          int32_t columns, double wanted)
{
    int32_t next[MOST_LEVELS] = {0};
    double sum = 0, time_s = 0;
    while (sum < wanted) {
        int32_t first = -1;
        for (int32_t a = 0; a < rows; a++) {
            const double at_s = a * spread->alpha_s + next[a] * spread->inner_s;
            if (next[a] < columns && (first < 0 || at_s < time_s)) {
                first = a;
                time_s = at_s;
            }
        }
        if (first < 0)
            break;
        sum += cell[first * columns + next[first]++];
    }
    return time_s;
}

/* In the best of all trees, fresh[a][b] hosts hear first at the time a alpha + b inner: those to
 * which a rank that knew a' alpha + b alpha earlier, for any a' >= 1, sends as its a'-th. */
struct point_spread_times point_bound_spread(const struct point_spread *spread, int64_t hosts,
                                             int64_t ranks)
{
    double new_ranks[MOST_LEVELS], fresh[MOST_CELLS], told[MOST_CELLS], before[MOST_CELLS];
    const int64_t senders = (int64_t)spread->per_host * spread->ports;
    const int32_t levels = find_levels(spread, new_ranks);
    const int32_t least = rb_ceil_log(hosts, 1 + senders);
    int32_t rows = rb_ceil_log(ranks, 1 + (int64_t)spread->ports) + 1;
    /* A full tree of hosts, each filled before it sends, is done by then. */
    const double done_s = least * spread->alpha_s + (least + 1) * (levels - 1) * spread->inner_s;
    if (spread->alpha_s > 0 && done_s / spread->alpha_s + 2 < rows)
        rows = (int32_t)(done_s / spread->alpha_s) + 2;
    const int32_t columns = rows * levels;
    if (rows * columns > MOST_CELLS || rows > MOST_LEVELS)
        return spread_roughly(spread, hosts, ranks);
    for (int32_t a = 0; a < rows; a++)
        for (int32_t b = 0; b < columns; b++) {
            const int32_t at = a * columns + b;
            fresh[at] = a == 0 && b == 0;
            for (int32_t j = 0; j < levels && j <= b && a > 0; j++)
                fresh[at] += spread->ports * new_ranks[j] * before[at - columns - j];
            before[at] = fresh[at] + (a > 0 ? before[at - columns] : 0);
        }
    for (int32_t a = 0; a < rows; a++)
        for (int32_t b = 0; b < columns; b++) {
            told[a * columns + b] = 0;
            for (int32_t j = 0; j < levels && j <= b; j++)
                told[a * columns + b] += new_ranks[j] * fresh[a * columns + b - j];
        }
    return (struct point_spread_times){
        .hosts_s = time_of_sum(spread, fresh, rows, columns, (double)hosts),
        .ranks_s = time_of_sum(spread, told, rows, columns, (double)ranks)};
}

/* point_bound_spread, which the bounds of other sizes have often asked before. */
static struct point_spread_times
spread_in(struct point_room *room, const struct point_spread *spread, int64_t hosts, int64_t ranks)
{
    const struct point_spread *last = &room->spread.of;
    if (room->spread.hosts != hosts || room->spread.ranks != ranks ||
        last->alpha_s != spread->alpha_s || last->inner_s != spread->inner_s ||
        last->ports != spread->ports || last->per_host != spread->per_host)
        room->spread.times = point_bound_spread(spread, hosts, ranks);
    room->spread.of = *spread;
    room->spread.hosts = hosts;
    room->spread.ranks = ranks;
    return room->spread.times;
}

static struct point_spread_times spread_times(const struct point_problem *problem, int64_t nodes,
                                              int64_t ranks)
{
    const double alpha_s = problem->node.alpha_s, inner_s = problem->node.inner_s;
    const struct point_spread spread = {.alpha_s = alpha_s,
                                        .inner_s = inner_s,
                                        .ports = problem->ports,
                                        .per_host = problem->node.ranks};
    if (problem->node.count == 1 && problem->ports > 0)
        return (struct point_spread_times){
            .ranks_s = inner_s * rb_ceil_log(ranks, 1 + (int64_t)problem->ports)};
    if (problem->ports > 0)
        return spread_in(problem->room, &spread, nodes, ranks);
    return (struct point_spread_times){.hosts_s = nodes > 1 ? alpha_s : 0,
                                       .ranks_s = ranks == 1                 ? 0
                                                  : problem->node.count == 1 ? inner_s
                                                  : problem->node.ranks == 1
                                                      ? alpha_s
                                                      : fmin(alpha_s, inner_s)};
}

/* The latency of the way from the rank of which all have to hear to the farthest one of these; of
 * one hop where some need not hear. */
static double farthest_s(const struct point_problem *problem)
{
    const struct platform_cuts *cuts = problem->cuts;
    const int32_t first =
        problem->need == POINT_OTHERS ? point_problem_largest(problem) : problem->root;
    const bool all = problem->need != POINT_FROM_ROOT && problem->need != POINT_PAIRS;
    const bool again = problem->room->placed.hops > 0 && problem->room->placed.first == first;
    int32_t most = all && again ? problem->room->placed.hops : 1;
    for (int32_t r = 0; r < problem->p && all && !again && cuts->grid.sides > 0; r++) {
        const int32_t hops = platform_cuts_hops(cuts, problem->host[first], problem->host[r]);
        most = hops > most ? hops : most;
    }
    if (all) {
        problem->room->placed.first = first;
        problem->room->placed.hops = most;
    }
    return cuts->latency_s + (most - 1) * cuts->grid.hop_s;
}

/* `rest` bytes have to follow the first one to the farthest host. */
static void bound_way(const struct point_problem *problem, double rest, struct point_bound *bound)
{
    const double way_s = farthest_s(problem);
    const double cross_s =
        rest / (problem->per_host == 1 ? fmin(problem->host_rate, problem->rank_rate)
                                       : problem->host_rate);
    point_bound_keep(bound, way_s + cross_s, way_s > cross_s ? "latency" : "host");
}

/* `rest` bytes have to follow the first ones to the node, and to the rank, that hear last. */
static void bound_spread(const struct point_problem *problem, int64_t nodes, int64_t ranks,
                         double rest, struct point_bound *bound)
{
    const struct point_spread_times times = spread_times(problem, nodes, ranks);
    const char *const name = problem->node.terminals > 1 ? "node" : "host";
    point_bound_keep(bound, fmax(times.hosts_s, times.ranks_s), "latency");
    if (nodes > 1) {
        bound_way(problem, rest, bound);
        /* The last node may be the one with the fewest ranks. */
        const int64_t fewest =
            problem->p - (problem->node.count - 1) * (int64_t)problem->node.ranks;
        const double cross_s = point_bound_enter(rest / problem->node.rate, problem->node.inner_s,
                                                 fewest, problem->ports);
        point_bound_keep(bound, times.hosts_s + cross_s,
                         times.hosts_s > cross_s ? "latency" : name);
    }
    if (ranks > 1) {
        const double take_s = rest / problem->rank_rate;
        point_bound_keep(bound, times.ranks_s + take_s,
                         times.ranks_s > take_s ? "latency" : "rank");
    }
    if (ranks > 2 && problem->ports == 1 && problem->per_host == 1 && problem->alpha_s > 0)
        point_bound_keep(
            bound,
            problem->alpha_s *
                point_bound_root(fmax(rb_ceil_log2(ranks), farthest_s(problem) / problem->alpha_s),
                                 rest / problem->rank_rate / problem->alpha_s),
            "root");
}

/* The nodes and ranks that a rank's data have to reach, itself included. */
struct reach {
    int64_t nodes, ranks;
};

static int32_t node_of(const struct point_problem *problem, int32_t rank)
{
    return problem->host[rank] / problem->node.terminals;
}

/* Adds a rank; last_seen[node] is the number of the count in which the node was seen last. */
static void reach_add(const struct point_problem *problem, int32_t rank, int64_t count,
                      int64_t last_seen[], struct reach *reach)
{
    const int32_t node = node_of(problem, rank);
    reach->ranks++;
    reach->nodes += last_seen[node] != count;
    last_seen[node] = count;
}

static struct reach larger(struct reach a, struct reach b)
{
    return (struct reach){a.nodes > b.nodes ? a.nodes : b.nodes,
                          a.ranks > b.ranks ? a.ranks : b.ranks};
}

/* True if it is plain that every rank has a share, or a part of every pair. */
static bool has_all_shares(const struct point_problem *problem)
{
    return problem->layout->first == NULL && problem->fixed == NULL &&
           problem->layout->bytes / problem->layout->element >= problem->p;
}

/* Of scatter and gather: the ranks with data, and the root. */
static struct reach reach_of_shares(const struct point_problem *problem, int64_t last_seen[])
{
    struct reach reach = {0};
    if (has_all_shares(problem))
        return (struct reach){problem->node.count, problem->p};
    for (int32_t r = 0; r < problem->p; r++)
        if (point_problem_share(problem, r) > 0 || r == problem->root)
            reach_add(problem, r, 1, last_seen, &reach);
    return reach;
}

/* Of alltoall: the most to which one rank has data, or from which one rank gets data. With regular
 * counts the first rank has as many as any. */
static struct reach reach_of_pairs(const struct point_problem *problem, int64_t last_seen[])
{
    const struct rb_layout *layout = problem->layout;
    const int64_t p = problem->p;
    struct reach most = {1, 1};
    if (point_problem_has_equal_pairs(problem)) {
        const int64_t elements = layout->bytes / layout->element;
        struct reach reach = {0};
        if (has_all_shares(problem))
            return (struct reach){problem->node.count, p};
        for (int32_t d = 0; d < p && d < elements; d++)
            reach_add(problem, d, 1, last_seen, &reach);
        return larger(most, reach);
    }
    for (int32_t r = 0; r < p; r++) {
        struct reach to = {0}, from = {0};
        for (int32_t d = 0; d < p; d++)
            if (d == r || point_problem_pair_bytes(problem, r, d) > 0)
                reach_add(problem, d, 2 * r + 1, last_seen, &to);
        for (int32_t d = 0; d < p; d++)
            if (d == r || point_problem_pair_bytes(problem, d, r) > 0)
                reach_add(problem, d, 2 * r + 2, last_seen, &from);
        most = larger(most, larger(to, from));
    }
    return most;
}

static int32_t shifted(const struct point_problem *problem, int32_t rank)
{
    const int64_t to = (int64_t)rank + problem->shift;
    return (int32_t)(to < problem->p ? to : to - problem->p);
}

/* Of shift: one message. */
static void bound_shift_latency(const struct point_problem *problem, struct point_bound *bound)
{
    for (int32_t r = 0; r < problem->p; r++)
        if (point_problem_share(problem, r) > 0 && problem->shift != 0) {
            const int32_t to = shifted(problem, r);
            const double latency_s = problem->host[r] == problem->host[to] ? problem->inner_s
                                     : node_of(problem, r) == node_of(problem, to)
                                         ? problem->alpha_s
                                         : problem->node.alpha_s;
            point_bound_keep(bound, latency_s, "latency");
        }
}

static int bound_latency(const struct point_problem *problem, struct point_bound *bound)
{
    const bool counts = (problem->need == POINT_FROM_ROOT || problem->need == POINT_PAIRS) &&
                        !has_all_shares(problem);
    int64_t *last_seen =
        counts ? calloc((size_t)problem->cuts->who.terminals, sizeof *last_seen) : NULL;
    if (counts && last_seen == NULL)
        return RB_ENOMEM;
    struct reach reach = {problem->node.count, problem->p};
    double rest = 0;
    if (problem->need == POINT_FROM_ROOT)
        reach = reach_of_shares(problem, last_seen);
    else if (problem->need == POINT_PAIRS)
        reach = reach_of_pairs(problem, last_seen);
    else if (problem->need == POINT_OTHERS)
        rest = point_problem_share(problem, point_problem_largest(problem));
    else
        rest = problem->bytes;
    if (problem->need == POINT_SHIFTED)
        bound_shift_latency(problem, bound);
    else
        bound_spread(problem, reach.nodes, reach.ranks, rest, bound);
    free(last_seen);
    return RB_OK;
}

/* ---- Bandwidth (docs/bounds.md, "Cuts") ------------------------------------------------------ */

/* The part of a rank: of a cut by its host, or the rank itself. */
static int64_t part_of(const struct point_problem *problem, const struct platform_cut *cut,
                       int32_t rank)
{
    return cut == NULL ? rank : problem->host[rank] / cut->terminals;
}

/* What a part has does not say what crosses: each message's ends do. */
static bool crosses_by_messages(const struct point_problem *problem)
{
    return problem->need == POINT_SHIFTED ||
           (problem->need == POINT_PAIRS && !point_problem_has_equal_pairs(problem));
}

static void add_message(struct point_part parts[], int64_t from, int64_t to, double bytes)
{
    if (from == to)
        return;
    parts[from].from += bytes;
    parts[to].to += bytes;
}

static void add_messages(const struct point_problem *problem, const struct platform_cut *cut,
                         struct point_part parts[])
{
    for (int32_t r = 0; r < problem->p; r++) {
        const int64_t part = part_of(problem, cut, r);
        parts[part].ranks++;
        if (problem->need == POINT_SHIFTED)
            add_message(parts, part, part_of(problem, cut, shifted(problem, r)),
                        point_problem_share(problem, r));
        for (int32_t d = 0; d < problem->p && problem->need == POINT_PAIRS; d++)
            add_message(parts, part, part_of(problem, cut, d),
                        (double)point_problem_pair_bytes(problem, r, d));
    }
}

/* Alltoall with regular counts: of the bytes of k ranks those that are for others, from what a pair
 * has at least, and from what the k ranks can keep among themselves. */
static double crossing_pairs(const struct point_problem *problem, const struct point_part *part)
{
    const struct rb_layout *layout = problem->layout;
    const double p = problem->p, k = (double)part->ranks, most = fmax(part->from, part->to);
    const int64_t each = problem->pair_elements;
    if (!point_problem_has_equal_pairs(problem))
        return most;
    const double least_of_pair = (double)(each * layout->element);
    const double most_of_pair = (double)((each + (problem->larger_pairs > 0)) * layout->element);
    return fmax(k * (p - k) * least_of_pair, most - k * k * most_of_pair);
}

/* Every part of a division has all the bytes to carry. */
static bool crosses_everywhere(const struct point_problem *problem)
{
    return problem->need == POINT_EVERYTHING || problem->need == POINT_TWICE;
}

/* The bytes that have to leave the part, or to enter it, whichever are more. */
static double crossing(const struct point_problem *problem, const struct point_part *part)
{
    if (part->ranks == 0 || part->ranks == problem->p)
        return 0;
    const double others = problem->bytes - part->share;
    switch (problem->need) {
    case POINT_FROM_ROOT:
        return part->has_root ? others : part->share;
    case POINT_OTHERS: /* where more has to leave, no less has to enter another part */
        return others;
    case POINT_PAIRS:
        return crossing_pairs(problem, part);
    case POINT_SHIFTED:
        return fmax(part->from, part->to);
    case POINT_EVERYTHING:
    case POINT_TWICE:
        break; /* see load_everywhere */
    }
    return 0;
}

/* What the parts of a division have to carry. */
struct load {
    double most; /* bytes */
    int64_t parts;
    int64_t part; /* where messages differ, the one that has most */
    bool leaves;  /* more of it leaves than enters */
};

static void add_load(const struct point_problem *problem, const struct point_part *part,
                     struct load *load)
{
    const double bytes = crossing(problem, part);
    load->most = bytes > load->most ? bytes : load->most;
    load->parts += part->ranks > 0;
}

static void load_hosts(const struct point_problem *problem, const struct platform_cut *cut,
                       struct load *load)
{
    const int32_t terminals = problem->cuts->who.terminals;
    int64_t first = 0;
    for (int32_t host = 0, end; host < terminals; host = end) {
        end = cut->terminals < terminals - host ? host + cut->terminals : terminals;
        const struct point_part part = point_problem_part(problem, host, end, first);
        first += part.ranks;
        add_load(problem, &part, load);
    }
}

/* Where all filled parts have the same to carry. */
static void load_everywhere(const struct point_problem *problem, const struct platform_cut *cut,
                            struct load *load)
{
    load->parts = cut == NULL ? problem->p : problem->hosts;
    if (cut != NULL && cut->terminals > 1) {
        int32_t *parts = &problem->room->placed.parts[cut - problem->cuts->cut];
        const bool known = *parts > 0;
        for (int32_t host = 0; host < problem->cuts->who.terminals && !known;) {
            int32_t ranks = 0;
            for (int32_t i = 0; i < cut->terminals && host < problem->cuts->who.terminals; i++)
                ranks += problem->ranks_on[host++];
            *parts += ranks > 0;
        }
        load->parts = *parts;
    }
    load->most = load->parts > 1 ? problem->bytes : 0;
}

/* Of regular counts, the first ranks have most and the last one has least. */
static void load_ranks(const struct point_problem *problem, struct load *load)
{
    const bool regular = point_problem_has_equal_pairs(problem);
    for (int32_t r = 0; r < problem->p; r++) {
        if (regular && r > 1 && r < problem->p - 1 && r != problem->root)
            r = r < problem->root ? problem->root : problem->p - 1;
        const struct point_part part = point_problem_ranks(problem, r, (int64_t)r + 1);
        add_load(problem, &part, load);
    }
}

static int load_messages(const struct point_problem *problem, const struct platform_cut *cut,
                         struct load *load)
{
    const int64_t count =
        cut == NULL ? problem->p : (problem->cuts->who.terminals - 1) / cut->terminals + 1;
    struct point_part *parts =
        point_room_take(problem->room, 3, (size_t)count * sizeof *parts, true);
    if (parts == NULL)
        return RB_ENOMEM;
    add_messages(problem, cut, parts);
    for (int64_t i = 0; i < count; i++) {
        const double before = load->most;
        add_load(problem, &parts[i], load);
        if (load->most > before) {
            load->part = i;
            load->leaves = parts[i].from >= parts[i].to;
        }
    }
    return RB_OK;
}

/* Of pairs that differ, the line of their matrix that binds: "rank 7's row", or "leaf 3's columns".
 */
static void name_line(const struct point_problem *problem, const struct platform_cut *cut,
                      const struct load *load, char name[], size_t size)
{
    int64_t part = load->part;
    const bool alone = cut == NULL || (cut->terminals == 1 && problem->per_host == 1);
    if (problem->need != POINT_PAIRS || !crosses_by_messages(problem))
        return;
    for (int32_t r = 0; r < problem->p && alone && cut != NULL; r++)
        if (problem->host[r] == load->part)
            part = r;
    snprintf(name, size, "%s %" PRId64 "'s %s%s", alone ? "rank" : cut->name, part,
             load->leaves ? "row" : "column", alone ? "" : "s");
}

/* The parts of a cut, or each rank alone. */
static int bound_cut(const struct point_problem *problem, const struct platform_cut *cut,
                     double bytes_per_s, double latency_s, const char *name,
                     struct point_bound *bound)
{
    struct load load = {0};
    char line[sizeof bound->part];
    int status = RB_OK;
    snprintf(line, sizeof line, "%s", name);
    if (crosses_by_messages(problem))
        status = load_messages(problem, cut, &load);
    else if (crosses_everywhere(problem))
        load_everywhere(problem, cut, &load);
    else if (cut != NULL && (cut->terminals > 1 || problem->per_host > 1))
        load_hosts(problem, cut, &load);
    else
        load_ranks(problem, &load);
    if (problem->need == POINT_TWICE)
        load.most =
            fmax(load.most, 2 * (double)(load.parts - 1) / (double)load.parts * problem->bytes);
    name_line(problem, cut, &load, line, sizeof line);
    if (status == RB_OK && load.most > 0)
        point_bound_keep(bound, latency_s + load.most / bytes_per_s, line);
    return status;
}

/* ---- Memory (docs/bounds.md, "Memory") ------------------------------------------------------- */

/* through[host]: the sum over its ranks. */
static int sum_through(const struct point_problem *problem, double through[])
{
    struct point_part *parts = NULL;
    if (crosses_by_messages(problem)) {
        parts = point_room_take(problem->room, 3, (size_t)problem->p * sizeof *parts, true);
        if (parts == NULL)
            return RB_ENOMEM;
        add_messages(problem, NULL, parts);
    }
    for (int32_t r = 0; r < problem->p; r++)
        through[problem->host[r]] +=
            parts != NULL ? parts[r].to : point_problem_through(problem, r);
    return RB_OK;
}

/* What enters a host's ranks passes its memory, or else its link. */
static int bound_memory(const struct point_problem *problem, double latency_s,
                        struct point_bound *bound)
{
    const struct platform_cuts *cuts = problem->cuts;
    const bool needs_link = problem->hosts > 1 && !cuts->memory_of_all;
    const double bytes_per_s = cuts->memory_bandwidth + (needs_link ? problem->host_rate : 0);
    double most = 0, *through = calloc((size_t)cuts->who.terminals, sizeof *through);
    if (through == NULL)
        return RB_ENOMEM;
    const int status = sum_through(problem, through);
    for (int32_t h = 0; h < cuts->who.terminals; h++)
        most = fmax(most, through[h]);
    if (problem->need == POINT_TWICE)
        most = fmax(most, 2.0 * (problem->p - 1) / problem->hosts * problem->bytes);
    if (status == RB_OK && most > 0)
        point_bound_keep(bound, latency_s + most / bytes_per_s, "memory");
    free(through);
    return status;
}

/* The least latency of a message. */
static double least_latency_s(const struct point_problem *problem)
{
    return problem->hosts == 1      ? problem->inner_s
           : problem->per_host == 1 ? problem->alpha_s
                                    : fmin(problem->alpha_s, problem->inner_s);
}

static int bound_bandwidth(const struct point_problem *problem, struct point_bound *bound)
{
    const double least_s = least_latency_s(problem);
    const struct platform_cuts *cuts = problem->cuts;
    int status = RB_OK;
    for (int32_t i = 0; i < cuts->count && status == RB_OK && problem->hosts > 1; i++) {
        const struct platform_cut *cut = &cuts->cut[i];
        const bool whole_nodes = cut->terminals % problem->node.terminals == 0;
        status =
            bound_cut(problem, cut, i == 0 ? problem->host_rate : cut->bandwidth,
                      whole_nodes ? problem->node.alpha_s : problem->alpha_s, cut->name, bound);
    }
    if (status == RB_OK && problem->rank_rate < INFINITY && problem->p > 1)
        status = bound_cut(problem, NULL, problem->rank_rate, least_s, "rank", bound);
    if (status == RB_OK && problem->cuts->memory_bandwidth > 0)
        status = bound_memory(problem, least_s, bound);
    return status;
}

/* ---- The bound ------------------------------------------------------------------------------ */

static int find_hosts(struct point_room *room, struct point_problem *problem)
{
    const bool each_alone = problem->per_host == 1 && problem->cuts->count == 1;
    const bool in_order = problem->room->placed.rising && problem->share == NULL;
    if (crosses_everywhere(problem) || crosses_by_messages(problem) || each_alone || in_order)
        return RB_OK;
    problem->of_host = point_room_take(
        room, 3, (size_t)problem->cuts->who.terminals * sizeof *problem->of_host, true);
    if (problem->of_host == NULL)
        return RB_ENOMEM;
    for (int32_t r = 0; r < problem->p; r++) {
        const struct point_part part = point_problem_ranks(problem, r, (int64_t)r + 1);
        point_part_join(&problem->of_host[problem->host[r]], &part);
    }
    return RB_OK;
}

/* What networks say of pairs, and of other needs: made when it is first needed. */
struct networks {
    struct point_network *of[2]; /* owned */
    struct point_room room;      /* for its problems */
};

static void bound_network(const char *platform, const struct point_problem *problem,
                          struct networks *networks, struct point_bound *bound)
{
    const bool pairs = problem->need == POINT_PAIRS;
    struct point_bound found;
    if (networks->of[pairs] == NULL)
        networks->of[pairs] = point_network_make(platform, problem->cuts, pairs);
    point_network_bound(networks->of[pairs], problem, &found);
    if (found.time_s > bound->time_s * (1 + 1e-9)) /* a cut may say the same, in a word */
        *bound = found;
}

static void free_networks(struct networks *networks)
{
    for (int i = 0; i < 2; i++)
        point_network_free(networks->of[i]);
    point_room_free(&networks->room);
}

static int solve(const struct sim_spec *spec, const struct point_engine *known,
                 const int32_t host[], struct point_problem *problem, struct networks *networks,
                 struct point_bound *bound, struct sup_error *error)
{
    struct networks own = {0};
    networks = networks != NULL ? networks : &own;
    int status = point_problem_place(spec, known, host, &networks->room, problem, error);
    if (status == RB_OK) {
        status = find_hosts(&networks->room, problem);
        if (status == RB_OK)
            status = bound_latency(problem, bound);
        if (status == RB_OK) {
            point_bound_ports(problem, least_latency_s(problem), bound);
            status = bound_bandwidth(problem, bound);
        }
        /* Of the model a host has a link per port. */
        if (status == RB_OK && problem->hosts > 1 &&
            problem->host_rate <= problem->cuts->cut[0].bandwidth)
            bound_network(spec->platform, problem, networks, bound);
        if (status != RB_OK)
            sup_fail(error, status, "out of memory for %d ranks", problem->p);
    }
    free_networks(&own);
    return status;
}

/* All that a bound depends on besides the platform, where the layout has no counts, the collective
 * no instance but shift's, and a rule places the ranks. */
struct question {
    const struct point_engine *engine;
    int64_t bytes, element;
    uint64_t seed;
    enum point_need need;
    enum sim_placement_rule rule;
    int32_t p, root, shift, ports, ppn, prefixes, in_step;
};

struct point_bounds {
    struct {
        struct question question;
        struct point_bound bound;
    } known[256];
    struct networks networks;
};

struct point_bounds *point_bounds_make(void)
{
    return calloc(1, sizeof(struct point_bounds));
}

void point_bounds_free(struct point_bounds *bounds)
{
    if (bounds != NULL)
        free_networks(&bounds->networks);
    free(bounds);
}

/* False: it has more to it than a question says. */
static bool ask(const struct sim_spec *spec, const struct point_engine *known,
                const struct point_problem *problem, struct question *question)
{
    const struct sim_placement *placement = &spec->placement;
    memset(question, 0, sizeof *question); /* padding, too: questions are compared by bytes */
    question->engine = known;
    question->bytes = spec->layout->bytes;
    question->element = spec->layout->element;
    question->seed = placement->rule == SIM_RANDOM ? placement->seed : 0;
    question->need = problem->need;
    question->rule = placement->rule;
    question->p = problem->p;
    question->root = problem->root;
    question->shift = problem->shift;
    question->ports = problem->ports;
    question->ppn = spec->ppn;
    question->prefixes = problem->prefixes;
    question->in_step = problem->in_step;
    return spec->layout->first == NULL && problem->fixed == NULL && !placement->search &&
           placement->rule != SIM_FILE;
}

int point_bound_find(const struct sim_spec *spec, const struct sim_engine *engine,
                     const struct platform_cuts *cuts, const int32_t host[],
                     struct point_bounds *bounds, struct point_bound *bound,
                     struct sup_error *error)
{
    const struct point_engine *known = point_engine_known(spec, engine);
    struct point_problem problem;
    struct question question;
    *bound = (struct point_bound){.time_s = NAN};
    if (known == NULL || !point_problem_take(spec, known, cuts, &problem))
        return RB_OK;
    bound->time_s = 0;
    if (problem.p == 1 || spec->layout->bytes == 0)
        return RB_OK;
    struct networks *networks = bounds != NULL ? &bounds->networks : NULL;
    if (!ask(spec, known, &problem, &question) || bounds == NULL)
        return solve(spec, known, host, &problem, networks, bound, error);
    const size_t room = sizeof bounds->known / sizeof *bounds->known;
    const size_t at = sup_hash_bytes(SUP_HASH_START, &question, sizeof question) % room;
    if (memcmp(&bounds->known[at].question, &question, sizeof question) == 0) {
        *bound = bounds->known[at].bound;
        return RB_OK;
    }
    const int status = solve(spec, known, host, &problem, networks, bound, error);
    if (status == RB_OK) {
        bounds->known[at].question = question;
        bounds->known[at].bound = *bound;
    }
    return status;
}

double point_bound_ratio(double time_s, const struct point_bound *bound)
{
    return bound->time_s > 0 ? time_s / bound->time_s : NAN;
}
