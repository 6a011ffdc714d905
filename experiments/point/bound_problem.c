#include "experiments/point/bound_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"

static const struct {
    const char *collective;
    enum point_need need;
    bool prefixes; /* a scan */
} needs[] = {
    {"bcast", POINT_EVERYTHING, false},      {"reduce", POINT_EVERYTHING, false},
    {"scan", POINT_EVERYTHING, true},        {"exscan", POINT_EVERYTHING, true},
    {"allreduce", POINT_TWICE, false},       {"scatter", POINT_FROM_ROOT, false},
    {"gather", POINT_FROM_ROOT, false},      {"allgather", POINT_OTHERS, false},
    {"reduce-scatter", POINT_OTHERS, false}, {"alltoall", POINT_PAIRS, false},
    {"shift", POINT_SHIFTED, false},
};

/* True if the text begins with one of the words, which end with NULL. */
static bool begins(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* What the bound knows of an engine. */
struct point_engine {
    const char *name;
    const char *harmless[6]; /* beginnings of options that make nothing faster; end with NULL */
    bool host_ports;  /* a host has a port for each of its only rank's, or one if ranks share it */
    bool overlapping; /* a rank may send any number of messages at once */
};
static const struct point_engine known_engines[] = {
    {"model", {"gamma:", "noise:", "seed:", "threads:"}, .host_ports = true},
    {"simgrid", {"contexts/", "network/optim:"}, .host_ports = false},
    {"flow", {"nic:"}, .host_ports = false},
    {"smpi", {"contexts/", "network/optim:"}, .overlapping = true},
};

const struct point_engine *point_engine_known(const struct sim_spec *spec,
                                              const struct sim_engine *engine)
{
    for (size_t i = 0; i < sizeof known_engines / sizeof *known_engines; i++) {
        const struct point_engine *known = &known_engines[i];
        if (strcmp(known->name, engine->name) != 0)
            continue;
        for (int32_t k = 0; k < spec->option_count; k++)
            if (!begins(spec->options[k], known->harmless))
                return NULL;
        return known;
    }
    return NULL;
}

static bool find_need(const char *collective, struct point_problem *problem)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(needs[i].collective, collective) == 0) {
            problem->need = needs[i].need;
            problem->prefixes = needs[i].prefixes;
            return true;
        }
    return false;
}

bool point_is_scan(const char *collective)
{
    struct point_problem problem;
    return find_need(collective, &problem) && problem.prefixes;
}

bool point_problem_take(const struct sim_spec *spec, const struct point_engine *known,
                        const struct platform_cuts *cuts, struct point_problem *problem)
{
    const struct rb_collective_info *collective =
        spec->plan != NULL ? rb_plan_collective(spec->plan) : spec->native->collective;
    *problem = (struct point_problem){
        .p = sim_ranks(spec),
        .root = spec->plan != NULL ? rb_plan_root(spec->plan) : spec->native->root,
        .layout = spec->layout,
        .cuts = cuts,
        .in_step = spec->plan != NULL && spec->overlap.rule == SIM_LOCKSTEP,
        .bytes = (double)spec->layout->bytes,
        .alpha_s = cuts->latency_s,
        .inner_s = cuts->loopback_latency_s};
    if (collective->fixed_counts && spec->plan != NULL) {
        problem->need = POINT_PAIRS;
        problem->fixed = spec->plan;
    } else if (!find_need(collective->name, problem)) {
        return false;
    }
    if (spec->plan != NULL && !known->overlapping)
        problem->ports = rb_plan_ports(spec->plan);
    if (problem->need == POINT_SHIFTED)
        return spec->plan != NULL &&
               sscanf(rb_plan_spec_of(spec->plan).instance, "q=%d", &problem->shift) == 1;
    return true;
}

void *point_room_take(struct point_room *room, int part, size_t bytes, bool zeroed)
{
    if (bytes > room->bytes[part]) {
        free(room->part[part]);
        room->part[part] = malloc(bytes);
        room->bytes[part] = room->part[part] == NULL ? 0 : bytes;
    }
    if (zeroed && room->part[part] != NULL)
        memset(room->part[part], 0, bytes);
    return room->part[part];
}

void point_room_free(struct point_room *room)
{
    for (int i = 0; i < 4; i++)
        free(room->part[i]);
}

static int place_ranks(const struct sim_spec *spec, const int32_t host[], struct point_room *room,
                       struct point_problem *problem, struct sup_error *error)
{
    const struct sim_placement *by = &spec->placement;
    const bool by_rule = host == NULL && !by->search && by->rule != SIM_FILE;
    const uint64_t seed = by->rule == SIM_RANDOM ? by->seed : 0;
    const bool again = by_rule && room->placed.p == problem->p && room->placed.ppn == spec->ppn &&
                       room->placed.rule == by->rule && room->placed.seed == seed;
    const struct platform_hosts *who = &problem->cuts->who;
    const int32_t p = problem->p;
    const struct sim_hosts of = {who->count, platform_host_name, who};
    int status = RB_OK;
    problem->host = point_room_take(room, 0, (size_t)p * sizeof *problem->host, false);
    problem->ranks_on =
        point_room_take(room, 1, (size_t)who->terminals * sizeof *problem->ranks_on, !again);
    problem->room = room;
    problem->hosts = again ? room->placed.hosts : 0;
    problem->per_host = again ? room->placed.per_host : 0;
    if (again)
        return RB_OK;
    room->placed.p = room->placed.hops = 0;
    memset(room->placed.parts, 0, sizeof room->placed.parts);
    room->placed.rising = true;
    if (problem->ranks_on == NULL || problem->host == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory for %d ranks", p);
    if (host != NULL)
        memcpy(problem->host, host, (size_t)p * sizeof *host);
    else
        status = sim_placement_map(&spec->placement, p, spec->ppn, &of, problem->host, error);
    for (int32_t r = 0; r < p && status == RB_OK && who->machine != NULL; r++)
        problem->host[r] = platform_host_terminal(who, problem->host[r]);
    for (int32_t r = 0; r < p && status == RB_OK; r++) {
        problem->ranks_on[problem->host[r]]++;
        if (r > 0 && problem->host[r] < problem->host[r - 1])
            room->placed.rising = false;
    }
    for (int32_t h = 0; h < who->terminals && status == RB_OK; h++) {
        const int32_t here = problem->ranks_on[h];
        problem->hosts += here > 0;
        problem->per_host = here > problem->per_host ? here : problem->per_host;
    }
    room->placed.seed = seed;
    room->placed.rule = by->rule;
    room->placed.ppn = spec->ppn;
    room->placed.hosts = problem->hosts;
    room->placed.per_host = problem->per_host;
    room->placed.p = by_rule && status == RB_OK ? p : 0;
    return status;
}

static void find_rates(const struct sim_spec *spec, const struct point_engine *known,
                       struct point_problem *problem)
{
    const struct platform_cuts *cuts = problem->cuts;
    const double outside = cuts->message_bandwidth, inside = cuts->loopback_bandwidth;
    const double rate = problem->hosts == 1      ? inside
                        : problem->per_host == 1 ? outside
                                                 : fmax(inside, outside);
    problem->rank_rate = problem->ports > 0 ? rate * problem->ports : INFINITY;
    problem->host_rate = cuts->cut[0].bandwidth;
    if (known->host_ports)
        problem->host_rate = outside * (spec->ppn > 1 ? 1 : problem->ports);
}

/* Nodes of several hosts, or each host is one. */
static void find_nodes(struct point_problem *problem)
{
    const struct platform_cuts *cuts = problem->cuts;
    const int32_t terminals = cuts->node_terminals;
    problem->node.terminals = 1;
    problem->node.count = problem->hosts;
    problem->node.ranks = problem->per_host;
    problem->node.alpha_s = problem->alpha_s;
    problem->node.inner_s = problem->inner_s;
    problem->node.rate = problem->host_rate;
    if (terminals <= 1)
        return;
    problem->node.terminals = terminals;
    problem->node.count = problem->node.ranks = 0;
    for (int32_t first = 0; first < cuts->who.terminals; first += terminals) {
        int32_t ranks = 0;
        for (int32_t terminal = first;
             terminal < first + terminals && terminal < cuts->who.terminals; terminal++)
            ranks += problem->ranks_on[terminal];
        problem->node.count += ranks > 0;
        problem->node.ranks = ranks > problem->node.ranks ? ranks : problem->node.ranks;
    }
    problem->node.alpha_s = cuts->node_latency_s;
    problem->node.inner_s =
        problem->per_host > 1 ? fmin(problem->alpha_s, problem->inner_s) : problem->alpha_s;
    for (int32_t i = 0; i < cuts->count; i++)
        if (cuts->cut[i].terminals == terminals)
            problem->node.rate = cuts->cut[i].bandwidth;
}

bool point_problem_has_equal_pairs(const struct point_problem *problem)
{
    return problem->layout->first == NULL && problem->fixed == NULL;
}

int64_t point_problem_pair_bytes(const struct point_problem *problem, int32_t from, int32_t to)
{
    const struct rb_layout *layout = problem->layout;
    const int64_t pair = (int64_t)from * problem->p + to;
    if (problem->fixed == NULL)
        return (layout->first[pair + 1] - layout->first[pair]) * layout->element;
    const int64_t blocks = rb_plan_blocks(problem->fixed) / rb_plan_parts(problem->fixed);
    return rb_layout_offset(problem->fixed, layout, from, (to + 1) * blocks) -
           rb_layout_offset(problem->fixed, layout, from, to * blocks);
}

/* Each rank's share, where the ranks own the data. */
static int find_shares(struct point_room *room, struct point_problem *problem)
{
    const struct rb_layout *layout = problem->layout;
    const int64_t elements = layout->bytes / layout->element, p = problem->p;
    if (problem->need == POINT_PAIRS) {
        problem->pair_elements = elements / (p * p);
        problem->larger_pairs = elements % (p * p);
        problem->larger_rows = problem->larger_pairs / p;
        problem->larger_columns = problem->larger_pairs % p;
    }
    if (problem->need == POINT_EVERYTHING || problem->need == POINT_TWICE ||
        problem->need == POINT_PAIRS)
        return RB_OK;
    problem->owned = true;
    problem->least_share = elements / p;
    problem->larger_shares = elements % p;
    if (layout->first == NULL)
        return RB_OK;
    problem->share = point_room_take(room, 2, (size_t)p * sizeof *problem->share, false);
    if (problem->share == NULL)
        return RB_ENOMEM;
    for (int32_t r = 0; r < p; r++)
        problem->share[r] = (double)(layout->element * (layout->first[r + 1] - layout->first[r]));
    return RB_OK;
}

int point_problem_place(const struct sim_spec *spec, const struct point_engine *known,
                        const int32_t host[], struct point_room *room,
                        struct point_problem *problem, struct sup_error *error)
{
    const int status = place_ranks(spec, host, room, problem, error);
    if (status != RB_OK)
        return status;
    find_rates(spec, known, problem);
    find_nodes(problem);
    return find_shares(room, problem) == RB_OK
               ? RB_OK
               : sup_fail(error, RB_ENOMEM, "out of memory for %d ranks", problem->p);
}

static int64_t at_most(int64_t number, int64_t most)
{
    return number < most ? number : most;
}

struct point_part point_problem_ranks(const struct point_problem *problem, int64_t first,
                                      int64_t end)
{
    const int64_t ranks = end - first;
    struct point_part part = {.ranks = ranks,
                              .has_root = first <= problem->root && problem->root < end};
    if (problem->owned)
        part.share = problem->share != NULL ? problem->share[first]
                                            : point_problem_shares(problem, first, end);
    if (problem->need == POINT_PAIRS) {
        const int64_t p = problem->p, all = ranks * p * problem->pair_elements;
        const int64_t rows =
            at_most(problem->larger_pairs, end * p) - at_most(problem->larger_pairs, first * p);
        const int64_t columns = ranks * problem->larger_rows +
                                at_most(problem->larger_columns, end) -
                                at_most(problem->larger_columns, first);
        part.from = (double)((all + rows) * problem->layout->element);
        part.to = (double)((all + columns) * problem->layout->element);
    }
    return part;
}

void point_part_join(struct point_part *part, const struct point_part *other)
{
    part->ranks += other->ranks;
    part->share += other->share;
    part->to += other->to;
    part->from += other->from;
    part->has_root = part->has_root || other->has_root;
}

struct point_part point_problem_part(const struct point_problem *problem, int32_t host, int32_t end,
                                     int64_t first)
{
    const bool full = problem->p == problem->cuts->who.terminals && problem->per_host == 1;
    struct point_part part = {0};
    if (problem->of_host == NULL) {
        int32_t ranks = full ? end - host : 0;
        for (; host < end && !full; host++)
            ranks += problem->ranks_on[host];
        return point_problem_ranks(problem, first, first + ranks);
    }
    for (; host < end; host++)
        point_part_join(&part, &problem->of_host[host]);
    return part;
}

int32_t point_problem_largest(const struct point_problem *problem)
{
    int32_t largest = 0;
    for (int32_t r = 1; r < problem->p && problem->layout->first != NULL; r++)
        if (problem->share[r] > problem->share[largest])
            largest = r;
    return largest;
}

void point_bound_keep(struct point_bound *bound, double time_s, const char *part)
{
    if (!(time_s > bound->time_s))
        return;
    bound->time_s = time_s;
    snprintf(bound->part, sizeof bound->part, "%s", part);
}

/* ---- Ports ----------------------------------------------------------------------------------- */

/* c(J) = (bytes + J - 1 + 2^-J) / (1 - 2^-J) falls, then rises. */
double point_bound_root(double last, double bytes)
{
    double least = INFINITY, half = .5;
    for (int32_t messages = 1; messages < 1000; messages++, half /= 2) {
        const double after = (bytes + messages - 1 + half) / (1 - half);
        if (after >= least)
            break;
        least = after;
    }
    return last - 1 + least;
}

/* Of doublings, where rounding would count one too many. */
double point_bound_shares(double all, double largest)
{
    return ceil(log2(all / largest) * (1 - 1e-12)) + all - largest;
}

double point_bound_scan(int32_t p, int32_t ports, double bytes)
{
    static const double saved = 3 - 2 * 1.4142135623730951; /* (sqrt 2 - 1)^2 */
    static const double share = 1 - 1 / 1.4142135623730951; /* of the time in start-ups */
    const double all = (double)ports * p, others = p - 1.0;
    const double time = 2 * others * bytes / (all + saved * bytes);
    return share * time <= others ? time : fmax(time, others * (1 + bytes / all));
}

/* point_bound_scan over hosts > 1, where only bytes occupy a host's link. bytes: of one link. */
static double scan_over(int32_t hosts, double bytes)
{
    return 2 * (hosts - 1.0) * bytes / (hosts + bytes);
}

/* How many of the others can be reached by messages in at most j of d rounds: the sum of C(d, i)
 * ports^i over 1 <= i <= j, or more than `others`. *sent: the least number of messages in all, if
 * the rest takes j + 1 each. */
static double reach(int32_t d, int32_t j, double ports, double others, double *sent)
{
    double reached = 0, exactly = 1;
    *sent = others;
    for (int32_t i = 1; i <= j && i <= d && reached < others; i++) {
        exactly *= ports * (d - i + 1) / i;
        reached += exactly;
        *sent += fmax(others - reached, 0);
    }
    return reached;
}

/* The least d for which messages in at most j of d rounds reach all others. */
static int32_t rounds_for(int32_t j, double ports, double others)
{
    double sent;
    int32_t low = 1, high = (int32_t)ceil(others / ports);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (reach(middle, j, ports, others, &sent) < others)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double point_bound_rounds(int32_t p, int32_t ports, double pair)
{
    const double others = p - 1.0;
    const int32_t least_rounds = rb_ceil_log(p, 1 + (int64_t)ports);
    double least = INFINITY, sent;
    int32_t d = 0;
    /* From the d of one j to that of the next, the time is concave in d. */
    for (int32_t j = 1; d != least_rounds; j++) {
        d = rounds_for(j, ports, others);
        for (int32_t end = d; end >= d - 1 && end >= least_rounds; end--) {
            reach(end, end, ports, others, &sent);
            least = fmin(least, end + sent * pair / ports);
        }
    }
    return least;
}

double point_bound_enter(double bytes, double inner, int64_t ranks, int32_t ports)
{
    double time = 0;
    for (double told = 1; told < (double)ranks && inner > 0; told *= 1 + ports) {
        const double share = told / (double)ranks; /* of what enters, is new */
        if (bytes <= inner * share)
            return time + bytes / share;
        bytes -= inner * share;
        time += inner;
        if (ports == 0) /* all at once */
            break;
    }
    return time + bytes;
}

/* An allgather: each message brings a rank what a node knew when it began, at the most. `missing`
 * and largest, of this node and of any: a link's bytes as times. */
static void bound_node(const struct point_problem *problem, int64_t ranks, double missing,
                       double largest, struct point_bound *bound)
{
    const double alpha_s = problem->node.alpha_s;
    const double growth =
        problem->ports > 0 ? 1 + (double)problem->node.ranks * problem->ports : INFINITY;
    double started_s = alpha_s;
    for (double known = largest; known < missing + largest; known *= growth) {
        const double rest_s = point_bound_enter(missing + largest - known, problem->node.inner_s,
                                                ranks, problem->ports);
        point_bound_keep(bound, started_s + rest_s,
                         started_s > rest_s            ? "latency"
                         : problem->node.terminals > 1 ? "node"
                                                       : "host");
        started_s += alpha_s;
    }
}

/* Each node's link; of neighbours that are alike only the first one's is looked at. */
static void bound_nodes(const struct point_problem *problem, struct point_bound *bound)
{
    const int32_t hosts = problem->node.terminals, nodes = problem->cuts->who.terminals / hosts;
    const double rate = problem->node.rate;
    double largest = 0;
    int64_t first = 0;
    for (int32_t i = 0; i < nodes; i++) {
        const struct point_part node =
            point_problem_part(problem, i * hosts, (i + 1) * hosts, first);
        largest = fmax(largest, node.share);
        first += node.ranks;
    }
    struct point_part last = {0};
    first = 0;
    for (int32_t i = 0; i < nodes; i++) {
        const struct point_part node =
            point_problem_part(problem, i * hosts, (i + 1) * hosts, first);
        if (node.ranks > 0 && (node.ranks != last.ranks || node.share != last.share))
            bound_node(problem, node.ranks, (problem->bytes - node.share) / rate, largest / rate,
                       bound);
        last = node;
        first += node.ranks;
    }
}

void point_bound_ports(const struct point_problem *problem, double least_s,
                       struct point_bound *bound)
{
    const double alpha_s = problem->alpha_s;
    const double port_rate = problem->rank_rate / problem->ports; /* of one message */
    if (problem->prefixes && problem->hosts > 1 && problem->per_host > 1 && alpha_s > 0)
        point_bound_keep(
            bound,
            alpha_s * scan_over(problem->hosts, problem->bytes / problem->host_rate / alpha_s),
            "host");
    if (problem->need == POINT_OTHERS && problem->node.count > 1 && problem->node.ranks > 1 &&
        problem->node.alpha_s > 0)
        bound_nodes(problem, bound);
    if (problem->ports == 0 || problem->p == 1 || !(least_s > 0))
        return;
    if (problem->prefixes)
        point_bound_keep(bound,
                         least_s * point_bound_scan(problem->p, problem->ports,
                                                    problem->bytes / port_rate / least_s),
                         "rank");
    if (problem->need == POINT_OTHERS && problem->ports == 1)
        point_bound_keep(bound,
                         least_s * point_bound_shares(problem->bytes / port_rate / least_s,
                                                      point_problem_share(
                                                          problem, point_problem_largest(problem)) /
                                                          port_rate / least_s),
                         "rank");
    if (problem->need == POINT_PAIRS && problem->in_step && point_problem_has_equal_pairs(problem))
        point_bound_keep(bound,
                         least_s * point_bound_rounds(
                                       problem->p, problem->ports,
                                       (double)(problem->pair_elements * problem->layout->element) /
                                           port_rate / least_s),
                         "rank");
}

double point_problem_through(const struct point_problem *problem, int32_t rank)
{
    switch (problem->need) {
    case POINT_EVERYTHING:
        return rank == problem->root ? 0 : problem->bytes;
    case POINT_TWICE:
        return problem->bytes;
    case POINT_FROM_ROOT:
        return rank == problem->root ? 0 : point_problem_share(problem, rank);
    case POINT_OTHERS:
        return problem->bytes - point_problem_share(problem, rank);
    case POINT_PAIRS:
    case POINT_SHIFTED:
        break;
    }
    return (problem->p - 1.0) * (double)(problem->pair_elements * problem->layout->element);
}
