/* shares.c - see flow.h.
 *
 * Each flow knows the link that binds it, or none: then it is at its limit, or it is free, which
 * means that its level is to be found. Each link knows the level at which it binds flows; a link
 * that binds none has the level INFINITY.
 *
 * A heap holds the links to look at, each with a key that is no more than the level that it will
 * get. The least key is looked at first:
 *   - The link is filled: its level is found from the levels that its flows have by other links.
 *     If that is more than the key, it becomes the key. If it is more than the link's former level,
 *     the flows that the link bound are freed first, and their other links are looked at again.
 *   - If it is the key, the link is settled: it binds its free flows, and those whose levels are
 *     higher. The links that such a flow crosses besides can only rise; they are looked at again
 *     from their former level on.
 * A link is filled from its flows each time. A running sum would gather rounding errors.
 *
 * A pipe, which is not shared, binds flows only if they have different weights: then the heaviest
 * of those that have its whole bandwidth sets the level of all.
 *
 * Why it is fast: flat arrays, a link's flows in a list that runs through them, and only what
 * changes is touched. A link's list is walked once for a filling, which copies what it needs of the
 * flows; the passes of the filling run through that copy. No flow is faster than the slowest link
 * on its way, which counts as its limit; a link that can carry all its flows at their limits is
 * never looked at. So where nothing contends, no link is. */
#include "flow.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

#define SAME_LEVEL 1e-13 /* levels that differ by less are one */
#define SAME_RATE  1e-12

enum { NONE = -1, FEW_LINKS = 6, CACHE_LINE = 64 };

/* There may be millions: four share a cache line. */
struct link {
    double demand;   /* the limits of its flows, as rates, added up; a pipe's: below */
    int32_t first;   /* crossing, or NONE */
    int32_t binding; /* NONE: it binds no flow, and is not to be looked at */
};

struct binding {
    double level;  /* INFINITY: it binds no flow */
    int32_t place; /* in the heap, or NONE; of one without a link: the next one, or NONE */
    int32_t bound; /* flows */
};

/* A link to look at. */
struct look {
    double key;
    double fill; /* the level found by the last filling, if is_fresh */
    int32_t link;
    bool is_fresh;
};

struct flow {
    double weight, limit, level; /* the limit is a level, too: rate / weight */
    int32_t binder;              /* a link, or NONE */
    int32_t links;               /* of its route */
    double rate;                 /* as told last */
    bool is_there;
    bool is_noted; /* in `changed` */
};

/* Flow f's i-th link is crossing f * longest + i, an element of that link's list while the flow is
 * there. */
struct crossing {
    int32_t link, flow, next, previous;
};

/* What a filling needs to know of a flow. */
struct filled {
    double besides; /* the level that it would have without the link */
    double weight;
};

struct flow_shares {
    const struct platform_network *network;
    int32_t links;   /* with one: link[l] is that of the network's link alone + l */
    int32_t alone;   /* links without a record */
    int32_t longest; /* links of a flow, at most, for which there is room */
    struct link *link;
    struct binding *binding;
    int32_t bindings, unused; /* so many have been used, and the first without a link, or NONE */
    int32_t in_use;           /* so many have a link */
    int32_t flows;
    struct flow *flow;
    struct crossing *crossing;
    int32_t *changed, changes;
    struct filled *filled; /* scratch: one link's crossings, which may be all that there are */
    struct look *heap;     /* the least key first */
    int32_t heaped;
};

static const struct platform_link *link_of(const struct flow_shares *shares,
                                           const struct link *link)
{
    return platform_network_link(shares->network, shares->alone + (int32_t)(link - shares->link));
}

static struct binding *binding_of(const struct flow_shares *shares, int32_t l)
{
    return &shares->binding[shares->link[l].binding];
}

static double level_of(const struct flow_shares *shares, const struct link *link)
{
    return link->binding == NONE ? INFINITY : shares->binding[link->binding].level;
}

static void give_binding(struct flow_shares *shares, int32_t l)
{
    const int32_t given = shares->unused != NONE ? shares->unused : shares->bindings++;
    if (given == shares->unused)
        shares->unused = shares->binding[given].place;
    shares->binding[given] = (struct binding){.level = INFINITY, .place = NONE};
    shares->link[l].binding = given;
    shares->in_use++;
}

static void take_binding(struct flow_shares *shares, int32_t l)
{
    binding_of(shares, l)->place = shares->unused;
    shares->unused = shares->link[l].binding;
    shares->link[l].binding = NONE;
    shares->in_use--;
}

/* ---- The heap of links ----------------------------------------------------------------------- */

static void put(struct flow_shares *shares, int32_t place, struct look look)
{
    shares->heap[place] = look;
    binding_of(shares, look.link)->place = place;
}

static void rise(struct flow_shares *shares, int32_t place)
{
    const struct look look = shares->heap[place];
    while (place > 0) {
        const int32_t parent = (place - 1) / 2;
        if (shares->heap[parent].key <= look.key)
            break;
        put(shares, place, shares->heap[parent]);
        place = parent;
    }
    put(shares, place, look);
}

static void sink(struct flow_shares *shares, int32_t place)
{
    const struct look look = shares->heap[place];
    for (int32_t child; (child = 2 * place + 1) < shares->heaped; place = child) {
        if (child + 1 < shares->heaped && shares->heap[child + 1].key < shares->heap[child].key)
            child++;
        if (shares->heap[child].key >= look.key)
            break;
        put(shares, place, shares->heap[child]);
    }
    put(shares, place, look);
}

/* The link, whose flows have changed, will be examined from this level on, or from a lower one. */
static void look_from(struct flow_shares *shares, int32_t l, double key)
{
    if (shares->link[l].binding == NONE)
        give_binding(shares, l);
    const int32_t place = binding_of(shares, l)->place;
    if (place == NONE) {
        shares->heap[shares->heaped++] = (struct look){.key = key, .link = l};
        rise(shares, shares->heaped - 1);
    } else if (key < shares->heap[place].key) {
        shares->heap[place].key = key;
        rise(shares, place);
    }
}

/* The link's flows have changed: it must be filled anew when it is looked at. */
static void note_change(const struct flow_shares *shares, const struct link *link)
{
    if (link->binding != NONE && shares->binding[link->binding].place != NONE)
        shares->heap[shares->binding[link->binding].place].is_fresh = false;
}

static void pop(struct flow_shares *shares)
{
    binding_of(shares, shares->heap[0].link)->place = NONE;
    if (--shares->heaped == 0)
        return;
    shares->heap[0] = shares->heap[shares->heaped];
    sink(shares, 0);
}

/* ---- Flows ----------------------------------------------------------------------------------- */

struct flow_shares *flow_shares_create(const struct platform_network *network, int32_t alone,
                                       int32_t flows)
{
    const int32_t links = network->links - alone;
    const int32_t longest = alone > 0 ? FEW_LINKS - 2 : FEW_LINKS; /* without two hosts' own */
    if (flows > INT32_MAX / FEW_LINKS)
        return NULL;
    struct flow_shares *shares = sup_calloc(1, sizeof *shares);
    shares->links = links;
    shares->network = network;
    shares->alone = alone;
    shares->unused = NONE;
    shares->longest = longest;
    shares->flows = flows;
    shares->link = sup_malloc(((size_t)links + 1) * sizeof *shares->link);
    shares->binding = sup_calloc((size_t)links + 1, sizeof *shares->binding);
    shares->heap = sup_calloc((size_t)links + 1, sizeof *shares->heap);
    shares->flow = sup_calloc((size_t)flows + 1, sizeof *shares->flow);
    shares->crossing = sup_calloc((size_t)flows * (size_t)longest + 1, sizeof *shares->crossing);
    shares->changed = sup_calloc((size_t)flows + 1, sizeof *shares->changed);
    shares->filled = sup_calloc((size_t)flows * (size_t)longest + 1, sizeof *shares->filled);
    for (int32_t l = 0; l < links; l++)
        shares->link[l] = (struct link){.first = NONE, .binding = NONE};
    return shares;
}

void flow_shares_destroy(struct flow_shares *shares)
{
    if (shares == NULL)
        return;
    free(shares->link);
    free(shares->binding);
    free(shares->heap);
    free(shares->flow);
    free(shares->crossing);
    free(shares->changed);
    free(shares->filled);
    free(shares);
}

/* True if the link can carry all its flows at their limits, so that it binds none. The running sum
 * of demands decides only where its rounding can't matter. */
static bool is_slack(const struct flow_shares *shares, const struct link *link)
{
    const double capacity = link_of(shares, link)->bandwidth;
    double demand = 0;
    if (link->demand < 0.999 * capacity || link->demand > 1.001 * capacity)
        return link->demand < capacity;
    for (int32_t c = link->first; c != NONE; c = shares->crossing[c].next) {
        const struct flow *flow = &shares->flow[shares->crossing[c].flow];
        demand += flow->limit * flow->weight;
    }
    return demand <= capacity * (1 + SAME_LEVEL / 10);
}

/* A pipe's demand is infinite from when flows of different weights cross it until none does. */
static void demand_more(const struct flow_shares *shares, struct link *link,
                        const struct flow *flow)
{
    if (link_of(shares, link)->shared) {
        link->demand += flow->limit * flow->weight;
    } else if (link->first != NONE) {
        const double other = shares->flow[shares->crossing[link->first].flow].weight;
        if (fabs(other - flow->weight) > SAME_LEVEL * other)
            link->demand = INFINITY;
    }
}

/* Flow f's i-th link. */
static void cross(struct flow_shares *shares, int32_t f, int32_t i)
{
    const struct flow *flow = &shares->flow[f];
    const int32_t c = f * shares->longest + i, l = shares->crossing[c].link;
    struct link *link = &shares->link[l];
    shares->crossing[c] = (struct crossing){l, f, link->first, NONE};
    if (link->first != NONE)
        shares->crossing[link->first].previous = c;
    else
        link->demand = 0; /* of all rounding */
    demand_more(shares, link, flow);
    link->first = c;
    note_change(shares, link);
    if (!is_slack(shares, link))
        look_from(shares, l, 0);
}

static int32_t moved(int32_t crossing, int32_t from, int32_t to)
{
    return crossing == NONE ? NONE : crossing / from * to + crossing % from;
}

/* Makes room for flows across more links: crossings get other numbers. */
static bool widen(struct flow_shares *shares, int32_t count)
{
    const int32_t from = shares->longest, to = 2 * from > count ? 2 * from : count;
    if (to > INT32_MAX / 2 || shares->flows > INT32_MAX / to)
        return false;
    const size_t room = (size_t)shares->flows * (size_t)to + 1;
    struct crossing *wider = sup_calloc(room, sizeof *wider);
    struct filled *filled = sup_calloc(room, sizeof *filled);
    for (int32_t f = 0; f < shares->flows; f++)
        for (int32_t i = 0; i < shares->flow[f].links; i++) {
            const struct crossing *old = &shares->crossing[f * from + i];
            wider[f * to + i] = (struct crossing){old->link, f, moved(old->next, from, to),
                                                  moved(old->previous, from, to)};
        }
    for (int32_t l = 0; l < shares->links; l++)
        shares->link[l].first = moved(shares->link[l].first, from, to);
    free(shares->crossing);
    free(shares->filled);
    shares->crossing = wider;
    shares->filled = filled;
    shares->longest = to;
    return true;
}

bool flow_shares_route(struct flow_shares *shares, int32_t f, int32_t count, const int32_t link[])
{
    if (count > shares->longest && !widen(shares, count))
        return false;
    struct crossing *crossing = &shares->crossing[f * shares->longest];
    int32_t listed = 0;
    for (int32_t i = 0; i < count; i++)
        if (link[i] >= shares->alone)
            crossing[listed++].link = link[i] - shares->alone;
    shares->flow[f].links = listed;
    return true;
}

int32_t flow_shares_link(const struct flow_shares *shares, int32_t f, int32_t i)
{
    if (i >= shares->flow[f].links)
        return -1;
    return shares->alone + shares->crossing[f * shares->longest + i].link;
}

void flow_shares_add(struct flow_shares *shares, int32_t f, double weight, double limit)
{
    struct flow *flow = &shares->flow[f];
    const int32_t count = flow->links;
    if (!flow->is_noted) /* as a flow that came and went before */
        shares->changed[shares->changes++] = f;
    *flow = (struct flow){.weight = weight,
                          .limit = limit / weight,
                          .level = limit / weight,
                          .binder = NONE,
                          .links = count,
                          .is_there = true,
                          .is_noted = true};
    for (int32_t i = 0; i < count; i++)
        cross(shares, f, i);
}

void flow_shares_remove(struct flow_shares *shares, int32_t f)
{
    struct flow *flow = &shares->flow[f];
    if (flow->binder != NONE)
        binding_of(shares, flow->binder)->bound--;
    for (int32_t i = 0; i < flow->links; i++) {
        const struct crossing *crossing = &shares->crossing[f * shares->longest + i];
        struct link *link = &shares->link[crossing->link];
        if (crossing->previous != NONE)
            shares->crossing[crossing->previous].next = crossing->next;
        else
            link->first = crossing->next;
        if (crossing->next != NONE)
            shares->crossing[crossing->next].previous = crossing->previous;
        link->demand -= flow->limit * flow->weight;
        note_change(shares, link);
        if (level_of(shares, link) < INFINITY)
            look_from(shares, crossing->link, level_of(shares, link));
    }
    flow->is_there = false;
}

void flow_shares_fetch(const struct flow_shares *shares, int32_t f)
{
    const char *crossing = (const char *)&shares->crossing[f * shares->longest];
    __builtin_prefetch(&shares->flow[f], 1);
    __builtin_prefetch(crossing, 1);
    __builtin_prefetch(crossing + CACHE_LINE, 1);
}

void flow_shares_fetch_links(const struct flow_shares *shares, int32_t f)
{
    const struct crossing *crossing = &shares->crossing[f * shares->longest];
    for (int32_t i = 0; i < shares->flow[f].links; i++)
        __builtin_prefetch(&shares->link[crossing[i].link], 1);
}

bool flow_shares_bind(const struct flow_shares *shares)
{
    return shares->in_use > 0;
}

double flow_shares_rate(const struct flow_shares *shares, int32_t flow)
{
    return shares->flow[flow].rate;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* The level that a flow on link l would have without that link. */
static double level_besides(const struct flow *flow, int32_t l)
{
    return flow->binder == l ? flow->limit : flow->level;
}

/* Copies what the link's flows would have without it; *weight: their weights, added up. */
static int32_t list_filled(struct flow_shares *shares, int32_t l, double *weight)
{
    int32_t count = 0;
    *weight = 0;
    for (int32_t c = shares->link[l].first; c != NONE; c = shares->crossing[c].next) {
        const struct flow *flow = &shares->flow[shares->crossing[c].flow];
        shares->filled[count++] = (struct filled){level_besides(flow, l), flow->weight};
        *weight += flow->weight;
    }
    return count;
}

/* The level at which the pipe is full: INFINITY if no flow has all its bandwidth. */
static double fill_pipe(const struct flow_shares *shares, int32_t l)
{
    const double capacity = link_of(shares, &shares->link[l])->bandwidth;
    double level = INFINITY;
    for (int32_t c = shares->link[l].first; c != NONE; c = shares->crossing[c].next) {
        const struct flow *flow = &shares->flow[shares->crossing[c].flow];
        if (level_besides(flow, l) * flow->weight >= capacity * (1 - SAME_LEVEL))
            level = fmin(level, capacity / flow->weight);
    }
    return level;
}

/* The level at which the link is full if its flows have at most that level: INFINITY if it isn't
 * full then either. All flows count as bound by it at first; those whose level turns out to be
 * lower are taken out, which raises the level for the others, until none is. */
static double fill(struct flow_shares *shares, int32_t l)
{
    const double capacity = link_of(shares, &shares->link[l])->bandwidth;
    double weight;
    const int32_t count = list_filled(shares, l, &weight);
    double level = weight > 0 ? capacity / weight : INFINITY;
    for (int32_t taken = 0, lower; weight > 0; taken = lower) {
        double room = capacity;
        weight = 0;
        lower = 0;
        for (int32_t i = 0; i < count; i++) {
            const struct filled *flow = &shares->filled[i];
            if (flow->besides < level) {
                room -= flow->besides * flow->weight;
                lower++;
            } else {
                weight += flow->weight;
            }
        }
        if (lower == taken)
            return level;
        const double raised = room / weight;
        if (raised > level)
            level = raised;
    }
    return INFINITY;
}

static void set_level(struct flow_shares *shares, int32_t f, double level)
{
    struct flow *flow = &shares->flow[f];
    flow->level = level;
    if (!flow->is_noted) {
        flow->is_noted = true;
        shares->changed[shares->changes++] = f;
    }
}

/* Frees the flows that the link binds; their other links are examined again. */
static void release(struct flow_shares *shares, int32_t l, double key)
{
    for (int32_t c = shares->link[l].first; c != NONE; c = shares->crossing[c].next) {
        const int32_t f = shares->crossing[c].flow;
        struct flow *flow = &shares->flow[f];
        if (flow->binder != l)
            continue;
        flow->binder = NONE;
        set_level(shares, f, flow->limit);
        for (int32_t i = 0; i < flow->links; i++) {
            const int32_t other = shares->crossing[f * shares->longest + i].link;
            if (other == l)
                continue;
            note_change(shares, &shares->link[other]);
            if (!is_slack(shares, &shares->link[other]))
                look_from(shares, other, key);
        }
    }
    binding_of(shares, l)->bound = 0;
    binding_of(shares, l)->level = INFINITY;
}

/* A flow on the link gets this level. Its other links have more room now. */
static void bind(struct flow_shares *shares, int32_t l, int32_t f, double level)
{
    struct flow *flow = &shares->flow[f];
    const bool at_limit = flow->limit < level;
    const int32_t binder = at_limit ? NONE : l;
    if (flow->binder != binder) {
        if (flow->binder != NONE)
            binding_of(shares, flow->binder)->bound--;
        if (binder != NONE)
            binding_of(shares, binder)->bound++;
        flow->binder = binder;
    }
    if (at_limit)
        level = flow->limit;
    if (flow->level == level)
        return;
    set_level(shares, f, level);
    for (int32_t i = 0; i < flow->links; i++) {
        const int32_t other = shares->crossing[f * shares->longest + i].link;
        if (other == l)
            continue;
        const struct link *link = &shares->link[other];
        note_change(shares, link);
        if (level_of(shares, link) < INFINITY)
            look_from(shares, other, level_of(shares, link));
    }
}

static void settle(struct flow_shares *shares, int32_t l, double level)
{
    struct binding *binding = binding_of(shares, l);
    if (fabs(level - binding->level) <= SAME_LEVEL * level)
        level = binding->level;
    for (int32_t c = shares->link[l].first; c != NONE; c = shares->crossing[c].next) {
        const int32_t f = shares->crossing[c].flow;
        const struct flow *flow = &shares->flow[f];
        if (flow->binder == l || flow->level > level * (1 + SAME_LEVEL))
            bind(shares, l, f, level);
    }
    binding->level = level;
    if (binding->bound == 0)
        take_binding(shares, l);
}

static void look_at_least(struct flow_shares *shares)
{
    struct look *look = &shares->heap[0];
    const int32_t l = look->link;
    const struct binding *binding = binding_of(shares, l);
    if (!look->is_fresh) {
        const bool is_shared = link_of(shares, &shares->link[l])->shared;
        look->fill = is_shared ? fill(shares, l) : fill_pipe(shares, l);
        look->is_fresh = true;
    }
    const double filled = look->fill;
    if (filled <= look->key) {
        pop(shares);
        settle(shares, l, filled);
        return;
    }
    if (binding->bound > 0 && filled > binding->level * (1 + SAME_LEVEL))
        release(shares, l, look->key);
    if (filled == INFINITY) {
        pop(shares);
        take_binding(shares, l);
        return;
    }
    shares->heap[0].key = filled;
    sink(shares, 0);
}

int32_t flow_shares_solve(struct flow_shares *shares, const int32_t **changed)
{
    int32_t kept = 0;
    while (shares->heaped > 0)
        look_at_least(shares);
    for (int32_t i = 0; i < shares->changes; i++) {
        const int32_t f = shares->changed[i];
        struct flow *flow = &shares->flow[f];
        const double rate = flow->level * flow->weight;
        flow->is_noted = false;
        if (!flow->is_there || fabs(rate - flow->rate) <= SAME_RATE * rate)
            continue;
        flow->rate = rate;
        shares->changed[kept++] = f;
    }
    shares->changes = 0;
    *changed = shares->changed;
    return kept;
}

/* ---- Network interfaces ---------------------------------------------------------------------- */

void flow_nics_init(struct flow_nics *nics, int32_t count, int32_t slots)
{
    nics->nic = sup_malloc(((size_t)count + 1) * sizeof *nics->nic);
    nics->place = sup_calloc((size_t)slots + 1, sizeof *nics->place);
    for (int32_t i = 0; i < count; i++)
        nics->nic[i] = (struct flow_nic){-1, -1};
}

void flow_nics_free(struct flow_nics *nics)
{
    free(nics->nic);
    free(nics->place);
    *nics = (struct flow_nics){0};
}

/* True if the message stands before one that starts now. The bytes of one that is ready may move.
 */
static bool stays_before(const struct flow_nics *nics, int32_t slot, int32_t started)
{
    const struct flow_nic_place *a = &nics->place[slot], *b = &nics->place[started];
    if (a->is_ready || a->start_s < b->start_s)
        return true;
    return a->round != b->round ? a->round < b->round : slot < started;
}

void flow_nics_add(struct flow_nics *nics, int32_t slot, int32_t nic, double start_s, int64_t round)
{
    struct flow_nic_place *place = &nics->place[slot];
    *place = (struct flow_nic_place){nic, -1, -1, .start_s = start_s, .round = round};
    if (nic < 0)
        return;
    struct flow_nic *queue = &nics->nic[nic];
    place->previous = queue->last;
    while (place->previous >= 0 && !stays_before(nics, place->previous, slot)) {
        place->next = place->previous;
        place->previous = nics->place[place->next].previous;
    }
    *(place->next < 0 ? &queue->last : &nics->place[place->next].previous) = slot;
    *(place->previous < 0 ? &queue->first : &nics->place[place->previous].next) = slot;
}

bool flow_nics_ready(struct flow_nics *nics, int32_t slot)
{
    struct flow_nic_place *place = &nics->place[slot];
    place->is_ready = true;
    return place->nic < 0 || nics->nic[place->nic].first == slot;
}

int32_t flow_nics_remove(struct flow_nics *nics, int32_t slot)
{
    const struct flow_nic_place *place = &nics->place[slot];
    if (place->nic < 0)
        return -1;
    struct flow_nic *queue = &nics->nic[place->nic];
    queue->first = place->next;
    *(place->next < 0 ? &queue->last : &nics->place[place->next].previous) = -1;
    return place->next >= 0 && nics->place[place->next].is_ready ? place->next : -1;
}
