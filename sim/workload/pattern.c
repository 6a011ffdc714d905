/* pattern.c - see workload.h.
 *
 * A message is a block of its own: of grids and pairs, whose messages are computed, number (sender
 * x ports + port); of a list its place in it. p = 4, pairs at distance 2: 0 - 2, 1 - 3 on port 0.
 */
#include "sim/workload/workload.h"

#include <inttypes.h>
#include <stdlib.h>

#include "schedules/plan/plan.h"
#include "support/memory.h"

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
