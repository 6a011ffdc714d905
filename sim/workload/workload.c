/* workload.c - jobs, their hosts, how long ranks compute, and the messages of patterns
 * (workload.h). */
#include "workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/plan.h"
#include "schedules/plan/random.h"
#include "sim/workload/workload.h"
#include "support/memory.h"

/* ---- Computing ------------------------------------------------------------------------------- */

/* A hash of these numbers, which is all that a random value depends on: so it is the same in every
 * engine, in whatever order they ask. */
static uint64_t hash_of(const uint64_t part[], int32_t parts)
{
    uint64_t hash = 0;
    for (int32_t i = 0; i < parts; i++)
        hash = rb_random_at(hash, part[i] + 1);
    return hash;
}

/* Above 0, up to 1. */
static double unit_of(uint64_t hash)
{
    return ldexp((double)(hash >> 11) + 1, -53);
}

/* True for `late` of the ranks, chosen by the seed: those with the smallest hashes. O(ranks). */
static bool is_late(const struct sim_duration *duration, uint64_t seed, int32_t rank, int32_t ranks)
{
    const uint64_t mine = rb_random_at(seed, (uint64_t)rank + 1);
    int32_t before = 0;
    for (int32_t r = 0; r < ranks && before < duration->ranks; r++) {
        const uint64_t other = rb_random_at(seed, (uint64_t)r + 1);
        before += other < mine || (other == mine && r < rank);
    }
    return before < duration->ranks;
}

double sim_duration_s(const struct sim_duration *duration, int32_t job, int32_t step, int64_t pass,
                      int32_t rank, int32_t ranks)
{
    const uint64_t part[] = {duration->seed, (uint64_t)job, (uint64_t)step, (uint64_t)pass,
                             (uint64_t)rank};
    const double a = duration->a, b = duration->b;
    switch (duration->kind) {
    case SIM_CONSTANT:
        return a;
    case SIM_UNIFORM:
        return a + (b - a) * unit_of(hash_of(part, 5));
    case SIM_NORMAL: { /* Box and Muller 1958 */
        const uint64_t hash = hash_of(part, 5);
        const double radius = sqrt(-2 * log(unit_of(hash)));
        return fmax(0, a + b * radius * cos(2 * acos(-1) * unit_of(rb_random_at(hash, 1))));
    }
    case SIM_EXPONENTIAL:
        return -a * log(unit_of(hash_of(part, 5)));
    case SIM_PARETO:
        return a * pow(unit_of(hash_of(part, 5)), -1 / b);
    case SIM_RAMP:
        return ranks > 1 ? a + (b - a) * rank / (ranks - 1) : a;
    case SIM_LATE:
        return is_late(duration, hash_of(part, 4), rank, ranks) ? a : 0;
    case SIM_LISTED:
        return duration->value[(duration->lists > 1 ? pass % duration->lists * ranks : 0) + rank];
    }
    return 0;
}

struct hashed {
    uint64_t hash;
    int32_t rank;
};

SUP_COMPARE(by_hash, struct hashed, SUP_ORDER(a->hash, b->hash), SUP_ORDER(a->rank, b->rank));

/* Those for which is_late is true. */
static void find_late(const struct sim_duration *duration, int32_t ranks, double value[])
{
    const uint64_t part[] = {duration->seed, 0, 0, 0}, seed = hash_of(part, 4);
    struct hashed *order = sup_malloc((size_t)ranks * sizeof *order);
    for (int32_t r = 0; r < ranks; r++) {
        order[r] = (struct hashed){rb_random_at(seed, (uint64_t)r + 1), r};
        value[r] = 0;
    }
    qsort(order, (size_t)ranks, sizeof *order, by_hash);
    for (int32_t i = 0; i < duration->ranks && i < ranks; i++)
        value[order[i].rank] = duration->a;
    free(order);
}

void sim_durations(const struct sim_duration *duration, int32_t ranks, double value[])
{
    if (duration->kind == SIM_LATE)
        find_late(duration, ranks, value);
    else
        for (int32_t r = 0; r < ranks; r++)
            value[r] = sim_duration_s(duration, 0, 0, 0, r, ranks);
}

/* ---- Communicators --------------------------------------------------------------------------- */

static void find_shapes(struct sim_communicators *set, int32_t ranks)
{
    int32_t *of_size = sup_calloc((size_t)ranks + 1, sizeof *of_size);
    for (int32_t c = 0; c < set->count; c++)
        of_size[sim_communicator_size(set, c)] = c + 1;
    for (int32_t size = 1; size <= ranks; size++)
        if (of_size[size] > 0) {
            sup_grow(&set->shape, (size_t)set->shapes, sizeof *set->shape);
            set->shape[set->shapes++] = of_size[size] - 1;
        }
    free(of_size);
}

void sim_communicators_fill(struct sim_communicators *set, int32_t ranks,
                            const struct sup_list *order)
{
    const size_t count = order != NULL ? order->count : (size_t)ranks;
    set->first = sup_calloc((size_t)set->count + 1, sizeof *set->first);
    set->rank_in = sup_calloc((size_t)ranks, sizeof *set->rank_in);
    for (size_t i = 0; i < count; i++) {
        const int32_t rank = order != NULL ? (int32_t)order->value[i] : (int32_t)i;
        if (set->of[rank] >= 0)
            set->rank_in[rank] = set->first[set->of[rank] + 1]++;
    }
    for (int32_t c = 0; c < set->count; c++)
        set->first[c + 1] += set->first[c];
    set->member = sup_calloc((size_t)set->first[set->count] + 1, sizeof *set->member);
    for (int32_t r = 0; r < ranks; r++)
        if (set->of[r] >= 0)
            set->member[set->first[set->of[r]] + set->rank_in[r]] = r;
    find_shapes(set, ranks);
}

void sim_add_world(struct sim_job *job)
{
    sup_grow(&job->set, (size_t)job->sets, sizeof *job->set);
    struct sim_communicators *set = &job->set[job->sets++];
    *set = (struct sim_communicators){.name = sup_strdup("world"), .count = 1};
    set->of = sup_calloc((size_t)job->ranks, sizeof *set->of);
    sim_communicators_fill(set, job->ranks, NULL);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

bool sim_takes_part(const struct sim_job *job, const struct sim_step *step, int32_t rank)
{
    return (step->only == NULL || step->only[rank]) &&
           (step->kind != SIM_MOVE || job->set[step->set].of[rank] >= 0);
}

/* Steps first .. end - 1 of one rank. */
static double count_between(const struct sim_job *job, int32_t rank, int32_t first, int32_t end)
{
    double count = 0;
    for (int32_t i = first; i < end; i++) {
        const struct sim_step *step = &job->step[i];
        const bool repeats = step->kind == SIM_REPEAT;
        if (sim_takes_part(job, step, rank))
            count += repeats ? (double)step->times * count_between(job, rank, i + 1, step->end) : 1;
        i = repeats ? step->end - 1 : i;
    }
    return count;
}

double sim_count_steps(const struct sim_job *job)
{
    double count = job->graph != NULL ? job->graph->first[job->ranks] : 0;
    for (int32_t r = 0; r < job->ranks && job->graph == NULL; r++)
        count += count_between(job, r, 0, job->steps);
    return count;
}

const char *sim_step_name(const struct sim_step *step, char text[], size_t size)
{
    char line[32] = "";
    if (step->line > 0)
        snprintf(line, sizeof line, " (line %d)", step->line);
    snprintf(text, size, "%s%s", step->name != NULL ? step->name : "a step", line);
    return text;
}

/* ---- Workloads ------------------------------------------------------------------------------- */

static void free_graph(struct sim_graph *graph)
{
    if (graph == NULL)
        return;
    free(graph->first);
    free(graph->task);
    free(graph->leads);
    free(graph->edge);
    free(graph);
}

static void free_job(struct sim_job *job)
{
    free_graph(job->graph);
    for (int32_t i = 0; i < job->sets; i++) {
        struct sim_communicators *set = &job->set[i];
        free(set->name);
        free(set->first);
        free(set->member);
        free(set->of);
        free(set->rank_in);
        free(set->shape);
    }
    for (int32_t i = 0; i < job->steps; i++) {
        free(job->step[i].name);
        free(job->step[i].only);
        free(job->step[i].compute.value);
    }
    for (int32_t i = 0; i < job->labels; i++)
        free(job->label[i]);
    free(job->label);
    free(job->step);
    free(job->set);
    free(job->host);
    free(job->name);
}

void sim_workload_free(struct sim_workload *workload)
{
    for (int32_t i = 0; i < workload->jobs; i++)
        free_job(&workload->job[i]);
    free(workload->job);
    if (workload->forget != NULL)
        workload->forget(workload->context);
    *workload = (struct sim_workload){0};
}

int32_t sim_workload_first(const struct sim_workload *workload, int32_t job)
{
    int32_t first = 0;
    for (int32_t i = 0; i < job; i++)
        first += workload->job[i].ranks;
    return first;
}

int32_t sim_workload_ranks(const struct sim_workload *workload)
{
    return sim_workload_first(workload, workload->jobs);
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

enum { FREE = -1 };

static int32_t hosts_of(const struct sim_job *job)
{
    return (int32_t)(((int64_t)job->ranks + job->ppn - 1) / job->ppn);
}

static int32_t free_hosts_wanted(const struct sim_workload *workload)
{
    int64_t wanted = 0;
    for (int32_t i = 0; i < workload->jobs; i++)
        if (workload->job[i].host == NULL)
            wanted += hosts_of(&workload->job[i]);
    return wanted > INT32_MAX ? INT32_MAX : (int32_t)wanted;
}

/* owner[h]: the job whose own host h is. */
static int take_own(const struct sim_workload *workload, const struct sim_hosts *of,
                    int32_t owner[], struct sup_error *error)
{
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        for (int32_t i = 0; job->host != NULL && i < job->hosts; i++) {
            const int32_t host = job->host[i];
            if (host < 0 || host >= of->count)
                return sup_fail(error, RB_EINVAL,
                                "%s: hosts: there is no host %d, the platform has %d", job->name,
                                host, of->count);
            if (owner[host] != FREE)
                return sup_fail(error, RB_EINVAL, "%s: hosts: host %d is also %s's", job->name,
                                host, workload->job[owner[host]].name);
            owner[host] = j;
        }
    }
    return RB_OK;
}

/* The hosts that are nobody's own, in the order in which they are given away. */
static int32_t *list_free(const struct sim_workload *workload, const int32_t owner[], int32_t hosts,
                          int32_t *count)
{
    int32_t *list = sup_malloc(((size_t)hosts + 1) * sizeof *list);
    *count = 0;
    for (int32_t host = 0; host < hosts; host++)
        if (owner[host] == FREE)
            list[(*count)++] = host;
    uint64_t state = workload->seed;
    for (int32_t i = *count; workload->allocation == SIM_SCATTERED && i > 1; i--) {
        const int32_t other = (int32_t)rb_random_below(&state, (uint32_t)i);
        const int32_t host = list[i - 1];
        list[i - 1] = list[other];
        list[other] = host;
    }
    return list;
}

/* Gives each job without hosts of its own what it needs: one host after another to one job after
 * another, or all that a job needs at once. */
static void give_hosts(const struct sim_workload *workload, const int32_t list[], int32_t owner[])
{
    int32_t next = 0;
    int32_t *given = sup_calloc((size_t)workload->jobs, sizeof *given);
    for (bool any = true; any;) {
        any = false;
        for (int32_t j = 0; j < workload->jobs; j++) {
            const struct sim_job *job = &workload->job[j];
            const int32_t rest = job->host == NULL ? hosts_of(job) - given[j] : 0;
            const int32_t now = workload->allocation == SIM_INTERLEAVED && rest > 1 ? 1 : rest;
            for (int32_t i = 0; i < now; i++)
                owner[list[next++]] = j;
            given[j] += now;
            any = any || now > 0;
        }
    }
    free(given);
}

/* A job's hosts as a platform of their own. */
struct part {
    const struct sim_hosts *all;
    const int32_t *host;
};

static const char *name_in_part(const void *context, int32_t host, char *name, size_t size)
{
    const struct part *part = context;
    return part->all->name(part->all->context, part->host[host], name, size);
}

static int place_job(const struct sim_job *job, const struct sim_hosts *of, const int32_t own[],
                     int32_t count, int32_t host[], struct sup_error *error)
{
    const struct part part = {of, own};
    const struct sim_hosts hosts = {count, of->name != NULL ? name_in_part : NULL, &part};
    struct sup_error reason = {0};
    const int status =
        sim_placement_map(&job->placement, job->ranks, job->ppn, &hosts, host, &reason);
    if (status != RB_OK)
        return sup_fail(error, status, "%s: %s", job->name, reason.text);
    for (int32_t r = 0; r < job->ranks; r++)
        host[r] = own[host[r]];
    return RB_OK;
}

int sim_workload_map(const struct sim_workload *workload, const struct sim_hosts *of,
                     int32_t host[], struct sup_error *error)
{
    int32_t *owner = sup_malloc(((size_t)of->count + 1) * sizeof *owner);
    int32_t *own = sup_malloc(((size_t)of->count + 1) * sizeof *own);
    for (int32_t i = 0; i < of->count; i++)
        owner[i] = FREE;
    int status = take_own(workload, of, owner, error);
    int32_t left;
    int32_t *list = list_free(workload, owner, of->count, &left);
    const int32_t wanted = free_hosts_wanted(workload);
    if (status == RB_OK && wanted > left)
        status = sup_fail(error, RB_EINVAL, "%d hosts needed, the platform has %d%s", wanted, left,
                          left < of->count ? " beside those that jobs name" : "");
    if (status == RB_OK)
        give_hosts(workload, list, owner);
    int32_t first = 0;
    for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++) {
        const struct sim_job *job = &workload->job[j];
        int32_t count = 0;
        for (int32_t i = 0; i < of->count; i++)
            if (owner[i] == j)
                own[count++] = i;
        if (job->host != NULL)
            memcpy(own, job->host, (size_t)job->hosts * sizeof *own);
        status = place_job(job, of, own, count, &host[first], error);
        first += job->ranks;
    }
    free(list);
    free(own);
    free(owner);
    return status;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* A message is a block of its own: of grids and pairs, whose messages are computed, number (sender
 * x ports + port); of a list its place in it. p = 4, pairs at distance 2: 0 - 2, 1 - 3 on port 0.
 */

/* The algorithm that has this one plan. Of a list: index[first[k] .. first[k + 1] - 1] are the
 * messages that rank r sends, k = 2 r, and those that it receives, k = 2 r + 1. */
struct own {
    struct rb_algorithm algorithm;
    struct rb_plan_only only;
    const struct sim_pattern *pattern;
    int64_t *index;
    size_t *first; /* 2 p + 1 */
};

static const struct own *own_of(const struct rb_plan *plan)
{
    return (const struct own *)((const char *)plan->algorithm - offsetof(struct own, algorithm));
}

/* The rank that is `by` further along a dimension; -1: none is. */
static int32_t neighbour(const struct sim_pattern *pattern, int32_t rank, int32_t dimension,
                         int32_t by)
{
    int32_t stride = 1;
    for (int32_t d = pattern->grid.dimensions - 1; d > dimension; d--)
        stride *= pattern->grid.extent[d];
    const int32_t extent = pattern->grid.extent[dimension], here = rank / stride % extent;
    const int32_t there = pattern->periodic ? (here + by + extent) % extent : here + by;
    return there < 0 || there >= extent || there == here ? -1 : rank + (there - here) * stride;
}

/* Whom a rank sends to on a port, or receives from: then a grid's neighbour on the other side. */
static int32_t peer_of(const struct sim_pattern *pattern, int32_t p, int32_t rank, int32_t port,
                       bool sends)
{
    if (pattern->kind == SIM_HALO)
        return neighbour(pattern, rank, port / 2, sends == (port % 2 == 0) ? 1 : -1);
    return (rank ^ pattern->distance) < p ? rank ^ pattern->distance : -1;
}

static struct rb_op operation(bool sends, int32_t peer, int32_t port, int64_t block)
{
    return (struct rb_op){.kind = sends ? RB_SEND : RB_RECV,
                          .peer = peer,
                          .port = port,
                          .at = {.buffer = RB_TMP, .first = block, .count = 1}};
}

/* Without room for operations only their number. */
static int32_t round_(const struct rb_plan *plan, const struct rb_rank *state, int64_t t,
                      struct rb_op ops[])
{
    const struct own *own = own_of(plan);
    const struct sim_pattern *pattern = own->pattern;
    const int32_t rank = state->rank;
    int32_t count = 0;
    (void)t;
    for (size_t i = own->index == NULL ? 0 : own->first[2 * rank];
         own->index != NULL && i < own->first[2 * rank + 2]; i++, count++) {
        const struct sim_sent *sent = &pattern->sent[own->index[i]];
        const bool sends = i < own->first[2 * rank + 1];
        if (ops != NULL)
            ops[count] = operation(sends, sends ? sent->to : sent->from, sent->port, own->index[i]);
    }
    for (int32_t i = 0; own->index == NULL && i < 2 * plan->ports; i++) {
        const bool sends = i < plan->ports;
        const int32_t port = i % plan->ports, peer = peer_of(pattern, plan->p, rank, port, sends);
        if (peer >= 0 && ops != NULL)
            ops[count] =
                operation(sends, peer, port, (int64_t)(sends ? rank : peer) * plan->ports + port);
        count += peer >= 0;
    }
    return count;
}

static int64_t next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t)
{
    return rb_next_by(round_, plan, state, t);
}

static int64_t bytes(const struct rb_plan *plan, const struct rb_layout *layout,
                     const struct rb_range *range)
{
    const struct sim_pattern *pattern = own_of(plan)->pattern;
    (void)layout;
    return pattern->sent != NULL ? pattern->sent[range->first].bytes : pattern->bytes;
}

static int init(struct rb_plan *plan, char *why, size_t why_size)
{
    const struct sim_pattern *pattern = own_of(plan)->pattern;
    (void)why, (void)why_size;
    plan->blocks = pattern->sent != NULL ? (int64_t)pattern->count + (pattern->count == 0)
                                         : (int64_t)plan->p * plan->ports;
    plan->rounds = 1;
    plan->max_ops = 2 * plan->ports;
    return RB_OK;
}

static void free_own(struct own *own)
{
    free(own->index);
    free(own->first);
    free(own);
}

static void fini(struct rb_plan *plan)
{
    free_own((struct own *)own_of(plan));
}

/* Gives each message of a list the first port that is free at both its ends. Returns how many ports
 * there are, one at least, less than twice what a rank needs. */
static int32_t give_ports(struct sim_pattern *pattern, int32_t p)
{
    enum { WORDS = RB_MAX_PORTS / 64 };
    uint64_t(*taken)[WORDS] = sup_calloc(2 * (size_t)p, sizeof *taken); /* to send, to receive */
    int32_t ports = 1;
    for (size_t i = 0; i < pattern->count && ports <= RB_MAX_PORTS; i++) {
        struct sim_sent *sent = &pattern->sent[i];
        uint64_t *sends = taken[2 * sent->from], *receives = taken[2 * sent->to + 1];
        int32_t word = 0;
        while (word < WORDS && ~(sends[word] | receives[word]) == 0)
            word++;
        sent->port = 64 * word;
        if (word < WORDS) {
            const int32_t bit = __builtin_ctzll(~(sends[word] | receives[word]));
            sent->port += bit;
            sends[word] |= UINT64_C(1) << bit;
            receives[word] |= UINT64_C(1) << bit;
        }
        ports = sent->port >= ports ? sent->port + 1 : ports;
    }
    free(taken);
    return ports;
}

/* The messages of each rank, in the order of the list. */
static void sort_by_rank(struct own *own, int32_t p)
{
    const struct sim_pattern *pattern = own->pattern;
    own->index = sup_calloc(2 * pattern->count + 1, sizeof *own->index);
    own->first = sup_calloc(2 * (size_t)p + 2, sizeof *own->first);
    size_t *place = own->first + 1; /* while they are filled, where the next one goes */
    for (size_t i = 0; i < pattern->count; i++) {
        place[2 * pattern->sent[i].from]++;
        place[2 * pattern->sent[i].to + 1]++;
    }
    size_t before = 0;
    for (int64_t k = 0; k < 2 * (int64_t)p; k++) {
        const size_t count = place[k];
        place[k] = before;
        before += count;
    }
    for (size_t i = 0; i < pattern->count; i++) {
        own->index[place[2 * pattern->sent[i].from]++] = (int64_t)i;
        own->index[place[2 * pattern->sent[i].to + 1]++] = (int64_t)i;
    }
}

static void describe(struct own *own, int32_t p, int32_t ports)
{
    static const char *const names[] = {"halo", "pairs", "matrix"};
    own->only = (struct rb_plan_only){
        .file = "a pattern", .p = p, .root = -1, .ports = ports, .by_place = true, .bytes = -1};
    own->algorithm = (struct rb_algorithm){.info = {.collective = "none",
                                                    .name = names[own->pattern->kind],
                                                    .title = "messages by a pattern",
                                                    .paper = "the workload",
                                                    .rounds = "1",
                                                    .blocks = "one",
                                                    .only = &own->only},
                                           .init = init,
                                           .fini = fini,
                                           .round = round_,
                                           .next = next,
                                           .bytes = bytes};
}

int sim_pattern_make(struct sim_pattern *pattern, int32_t p, struct rb_plan **plan,
                     struct sup_error *error)
{
    char why[200];
    const int32_t ports = pattern->kind == SIM_HALO    ? 2 * pattern->grid.dimensions
                          : pattern->kind == SIM_PAIRS ? 1
                                                       : give_ports(pattern, p);
    if (ports > RB_MAX_PORTS)
        return sup_fail(error, RB_EINVAL, "a rank has more than %d messages side by side",
                        RB_MAX_PORTS);
    struct own *own = sup_calloc(1, sizeof *own);
    own->pattern = pattern;
    if (pattern->kind == SIM_MATRIX)
        sort_by_rank(own, p);
    describe(own, p, ports);
    const struct rb_plan_spec spec = {.p = p, .n = 1, .ports = ports};
    const int status = rb_plan_make(&rb_none, &own->algorithm, &spec, plan, why, sizeof why);
    if (status == RB_OK)
        return RB_OK;
    free_own(own);
    return sup_fail(error, status, "%s", why);
}
