#include "place.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "links.h"
#include "platforms/graph.h"
#include "schedules/dependences/messages.h"
#include "schedules/plan/random.h"
#include "sim/engine/tally.h"
#include "sim/workload/workload.h"
#include "support/memory.h"

/* ---- The search ------------------------------------------------------------------------------ */

/* An order of the hosts in which a plan's rounds take little time.
 *
 * The load of a link in a round is the time that it needs for the round's messages over the time
 * that the longest of them needs on hosts' own links (links.h); the load of a round is that of its
 * fullest link. A round with load 1 takes no longer than on hosts' own links.
 *
 * The search is simulated annealing. It lowers the sum over rounds and links of the fourth power of
 * the loads above 1, each round by its time with load 1, and takes the order that it then has if
 * that makes the time of all rounds, by their loads, no longer. It exchanges two hosts or moves one
 * by up to MOST_MOVE places, near places more often than far ones. Hosts move in units: the
 * hosts of a group of the plan stay together, in their order, and so do those that one host's ranks
 * connect. Only units with the same numbers of ranks on their hosts take each other's place, so
 * every host keeps its number of ranks.
 *
 * Rounds with the same messages are counted once, with their number. Messages take the route of
 * their round; where routing is adaptive, the minimal one. */

/* Loads are whole multiples of 1 / UNIT, so that what is added can be taken away exactly. */
enum { UNIT = 60 };
enum {
    MOST_RANKS = 1 << 22,
    MOST_MESSAGES = 1 << 23, /* that are read from the plan */
    MOST_LOADS = 1 << 24,    /* different rounds x links */
    MOST_WORK = 1 << 26,     /* links of routes that are counted anew */
    WAY_WORK = 6,            /* the work of finding a route, in links */
    MOST_MOVE = 4,           /* places by which a unit moves */
    LEAST_TRIES = 1 << 16,
    TRIES_PER_UNIT = 1 << 10,
};
/* Over the cost of one link at load 1 in all rounds like one of the different ones. */
static const double start_temperature = 32;
/* The part of the search that has heat. */
static const double first_heat = 0.8;
/* What a load weighs that holds nobody up. */
static const double tie = 0.01;

/* A message of one of the different rounds. */
struct item {
    int32_t from, to; /* ranks */
    float size;       /* over that of the round's largest message, a multiple of 1 / UNIT */
    int32_t round;    /* number of the different round */
};

/* One of the different rounds. */
struct kind {
    uint64_t key;  /* of its routes */
    int64_t first; /* of its items */
    int64_t count;
    double weight;  /* of the plan's rounds like this one: bytes of their largest messages */
    double alone_s; /* the longest of its messages on hosts' own links, per byte of the largest */
};

/* Hosts that stay together: those of ranks member[first] on, which are host[place] on. */
struct unit {
    int32_t first, ranks;       /* in `member` */
    int32_t place, places;      /* in `host` */
    uint64_t likeness;          /* units with the same one can be exchanged */
    int32_t alike, alike_count; /* in `unit`: those with its likeness */
    int64_t item, items;        /* in `touching` */
};

struct changed {
    int32_t kind, link;
};

struct search {
    const struct sim_spec *spec;
    struct platform_network *network;
    struct sup_error *error;
    int32_t p;
    uint64_t random;

    struct item *item;
    int64_t items;
    struct kind *kind;
    int32_t kinds;
    struct net_pair_table hashes; /* of the kinds, with the same numbers */
    int64_t looked_at;

    struct unit *unit;
    int32_t units;
    int32_t *member;   /* ranks by unit */
    int32_t *host;     /* hosts by unit */
    int32_t *at;       /* per rank: its place in `host` */
    int64_t *touching; /* items by unit: one end or both are in the unit */

    int32_t *load;   /* per different round and link, in 1 / UNIT */
    int32_t *change; /* likewise: twice what the exchange in hand adds, plus 1; 0 if not listed */
    struct changed *changed;
    int64_t changed_count;
    int64_t over;   /* loads above 1 */
    uint32_t *seen; /* per item: the last exchange that counted it */
    uint32_t exchange;
    int64_t work;
};

/* ---- The plan's rounds ----------------------------------------------------------------------- */

struct walk {
    struct rb_rank *rank;
    int64_t *next;
    struct rb_op *ops;
};

/* Adds its messages, with bytes for sizes. */
static int read_round(struct search *search, struct walk *walk, int64_t t)
{
    const struct rb_plan *plan = search->spec->plan;
    for (int32_t r = 0; r < search->p; r++) {
        if (walk->next[r] < t)
            walk->next[r] = rb_plan_next(plan, &walk->rank[r], t);
        if (walk->next[r] != t)
            continue;
        const int32_t count =
            sim_round(plan, search->spec->layout, &walk->rank[r], t, walk->ops, search->error);
        if (count < 0)
            return count;
        struct dep_messages left = dep_messages_of(walk->ops, count);
        for (struct dep_message message; dep_next_send(&left, &message);) {
            sup_grow(&search->item, (size_t)search->items, sizeof *search->item);
            search->item[search->items++] = (struct item){
                r, message.ops->peer,
                (float)dep_message_bytes(plan, search->spec->layout, &message), search->kinds};
        }
    }
    return RB_OK;
}

/* Are the items from a on the same as those from b on? There may be none. */
static bool same_items(const struct search *search, int64_t a, int64_t b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (search->item[a + i].from != search->item[b + i].from ||
            search->item[a + i].to != search->item[b + i].to ||
            search->item[a + i].size != search->item[b + i].size)
            return false;
    return true;
}

/* Makes the bytes of the items from `first` on sizes, and returns those of the largest, at least 1.
 */
static double size_items(struct search *search, int64_t first)
{
    float most = 1;
    for (int64_t i = first; i < search->items; i++)
        most = fmaxf(most, search->item[i].size);
    for (int64_t i = first; i < search->items; i++)
        search->item[i].size = roundf(UNIT * search->item[i].size / most) / UNIT;
    return (double)most;
}

/* Makes the items from `first` on a round of their own, or one more of an equal round. */
static void add_kind(struct search *search, int64_t first, int64_t t)
{
    const int64_t count = search->items - first;
    const double bytes = size_items(search, first);
    /* Where a message's route depends on its round, no two rounds are equal. */
    const uint64_t key = search->network->routing.per_message ? (uint64_t)t : 0;
    uint64_t hash = sup_hash_bytes(SUP_HASH_START, &key, sizeof key);
    for (int64_t i = first; i < search->items; i++)
        hash = sup_hash_bytes(hash, &search->item[i], offsetof(struct item, round));
    search->looked_at++;
    for (;; hash++) { /* to the next number if different rounds have the same hash */
        const int64_t k = net_pair_table_number(&search->hashes, hash);
        if (k == search->kinds)
            sup_grow(&search->kind, (size_t)search->kinds, sizeof *search->kind);
        struct kind *kind = &search->kind[k];
        if (k == search->kinds) {
            *kind = (struct kind){.key = key, .first = first, .count = count, .weight = bytes};
            search->kinds++;
            return;
        }
        if (kind->count == count && kind->key == key &&
            same_items(search, kind->first, first, count)) {
            kind->weight += bytes;
            search->items = first;
            return;
        }
    }
}

/* The rounds, or of a long plan a sample at even distances. */
static int read_rounds(struct search *search, struct walk *walk, int64_t sample)
{
    const int64_t rounds = rb_plan_rounds(search->spec->plan);
    int status = RB_OK;
    for (int32_t r = 0; r < search->p; r++) {
        rb_plan_rank(search->spec->plan, r, &walk->rank[r]);
        walk->next[r] = -1;
    }
    search->items = 0;
    search->kinds = 0;
    net_pair_table_clear(&search->hashes);
    search->looked_at = 0;
    for (int64_t i = 0; status == RB_OK && i < sample; i++) {
        const int64_t t = (int64_t)((double)rounds / (double)sample * (double)i);
        const int64_t first = search->items;
        status = read_round(search, walk, t);
        if (status == RB_OK)
            add_kind(search, first, t);
        if (status == RB_OK && (int64_t)search->kinds * search->network->links > MOST_LOADS &&
            search->kinds > 1)
            return RB_ENOTSUP;
    }
    return status;
}

static int read_plan(struct search *search)
{
    const struct rb_plan *plan = search->spec->plan;
    const size_t p = (size_t)search->p;
    const int64_t rounds = rb_plan_rounds(plan), most = MOST_MESSAGES / search->p;
    int64_t sample = rounds < most ? rounds : most;
    struct walk walk = {.rank = sup_malloc(p * sizeof *walk.rank),
                        .next = sup_malloc(p * sizeof *walk.next),
                        .ops = sup_malloc(((size_t)rb_plan_max_ops(plan) + 1) * sizeof *walk.ops)};
    int status = RB_ENOTSUP;
    for (; status == RB_ENOTSUP; sample /= 2)
        status = read_rounds(search, &walk, sample);
    free(walk.rank);
    free(walk.next);
    free(walk.ops);
    return status;
}

/* ---- Units ----------------------------------------------------------------------------------- */

/* Ranks of a group of the plan, and ranks on a host, belong together. */
static void join_ranks(struct search *search, const int32_t host[], int32_t parent[])
{
    const struct rb_groups *groups = rb_plan_groups(search->spec->plan);
    int32_t *first = sup_malloc((size_t)search->network->hosts * sizeof *first);
    for (int32_t h = 0; h < search->network->hosts; h++)
        first[h] = -1;
    for (int32_t r = 0; r < search->p; r++)
        parent[r] = r;
    for (int32_t g = 0; g < groups->count; g++)
        for (int32_t r = rb_group_first(groups, g); r < rb_group_first(groups, g + 1); r++)
            platform_part_join(parent, rb_groups_rank(groups, rb_group_first(groups, g)),
                               rb_groups_rank(groups, r));
    for (int32_t r = 0; r < search->p; r++)
        if (first[host[r]] >= 0)
            platform_part_join(parent, first[host[r]], r);
        else
            first[host[r]] = r;
    free(first);
}

/* Numbers the hosts of a unit in the order of its ranks. */
static void lay_out(struct search *search, struct unit *unit, const int32_t host[],
                    int32_t place_of[])
{
    unit->likeness = sup_hash_bytes(SUP_HASH_START, &unit->ranks, sizeof unit->ranks);
    for (int32_t i = 0; i < unit->ranks; i++) {
        const int32_t r = search->member[unit->first + i];
        if (place_of[host[r]] < 0) {
            place_of[host[r]] = unit->place + unit->places;
            search->host[unit->place + unit->places++] = host[r];
        }
        search->at[r] = place_of[host[r]];
        const int32_t within = search->at[r] - unit->place;
        unit->likeness = sup_hash_bytes(unit->likeness, &within, sizeof within);
    }
}

static void make_units(struct search *search, const int32_t host[])
{
    const size_t p = (size_t)search->p, hosts = (size_t)search->network->hosts;
    int32_t *parent = sup_malloc(p * sizeof *parent), *unit_of = sup_malloc(p * sizeof *unit_of);
    int32_t *place_of = sup_malloc(hosts * sizeof *place_of);
    search->unit = sup_calloc(p, sizeof *search->unit);
    search->member = sup_malloc(p * sizeof *search->member);
    search->host = sup_malloc(p * sizeof *search->host);
    search->at = sup_malloc(p * sizeof *search->at);
    search->touching = sup_malloc((2 * (size_t)search->items + 1) * sizeof *search->touching);
    join_ranks(search, host, parent);
    for (size_t h = 0; h < hosts; h++)
        place_of[h] = -1;
    for (int32_t r = 0; r < search->p; r++) {
        const int32_t root = platform_part_of(parent, r);
        unit_of[r] = root == r ? search->units++ : unit_of[root];
        search->unit[unit_of[r]].ranks++;
    }
    for (int32_t u = 0, first = 0; u < search->units; first += search->unit[u++].ranks)
        search->unit[u].first = first;
    for (int32_t u = 0; u < search->units; u++)
        search->unit[u].ranks = 0;
    for (int32_t r = 0; r < search->p; r++) {
        struct unit *unit = &search->unit[unit_of[r]];
        search->member[unit->first + unit->ranks++] = r;
    }
    for (int32_t u = 0, place = 0; u < search->units; place += search->unit[u++].places) {
        search->unit[u].place = place;
        lay_out(search, &search->unit[u], host, place_of);
    }
    for (int64_t i = 0; i < search->items; i++) {
        const struct item *item = &search->item[i];
        search->unit[unit_of[item->from]].items++;
        search->unit[unit_of[item->to]].items += unit_of[item->to] != unit_of[item->from];
    }
    int64_t first = 0;
    for (int32_t u = 0; u < search->units; u++) {
        search->unit[u].item = first;
        first += search->unit[u].items;
        search->unit[u].items = 0;
    }
    for (int64_t i = 0; i < search->items; i++) {
        struct unit *from = &search->unit[unit_of[search->item[i].from]];
        struct unit *to = &search->unit[unit_of[search->item[i].to]];
        search->touching[from->item + from->items++] = i;
        if (to != from)
            search->touching[to->item + to->items++] = i;
    }
    free(parent);
    free(unit_of);
    free(place_of);
}

SUP_COMPARE(by_likeness, struct unit, SUP_ORDER(a->likeness, b->likeness),
            SUP_ORDER(a->first, b->first));

/* Puts units that can be exchanged next to each other, those that can't at the end. Returns the
 * number of the former. */
static int32_t order_units(struct search *search)
{
    struct unit *unit = search->unit;
    int32_t kept = 0;
    qsort(unit, (size_t)search->units, sizeof *unit, by_likeness);
    for (int32_t u = 0, end; u < search->units; u = end) {
        for (end = u + 1; end < search->units && unit[end].likeness == unit[u].likeness; end++)
            ;
        const int32_t alike = kept, count = end - u;
        for (int32_t i = u; count > 1 && i < end; i++) {
            const struct unit single = unit[kept];
            unit[kept] = unit[i];
            unit[i] = single;
            unit[kept].alike = alike;
            unit[kept++].alike_count = count;
        }
    }
    return kept;
}

/* ---- Loads ----------------------------------------------------------------------------------- */

static int find_route(struct search *search, const struct item *item, struct platform_route *route)
{
    const int32_t from = search->host[search->at[item->from]];
    const int32_t to = search->host[search->at[item->to]];
    search->work += WAY_WORK;
    return platform_network_route(search->network, from, to, search->kind[item->round].key, route,
                                  search->error);
}

/* Takes the item's message off the links of its route, or puts it there. */
static int add_item(struct search *search, const struct item *item, int32_t sign)
{
    const size_t base = (size_t)item->round * (size_t)search->network->links;
    const double size = UNIT * (double)item->size / search->kind[item->round].alone_s;
    const double most = (1 << 29) / search->p; /* so that nothing overflows */
    struct platform_route route;
    const int status = find_route(search, item, &route);
    if (status != RB_OK)
        return status;
    search->work += route.count;
    for (int32_t i = 0; i < route.count; i++) {
        const struct platform_link *link = platform_network_link(search->network, route.link[i]);
        int32_t *change = &search->change[base + (size_t)route.link[i]];
        if (!link->shared)
            continue;
        if (*change == 0) {
            *change = 1;
            search->changed[search->changed_count++] = (struct changed){item->round, route.link[i]};
        }
        *change += 2 * sign * (int32_t)(fmin(size / link->bandwidth, most) + 0.5);
    }
    return RB_OK;
}

static int32_t *change_of(const struct search *search, const struct changed *changed)
{
    return &search->change[(size_t)changed->kind * (size_t)search->network->links +
                           (size_t)changed->link];
}

static int32_t *load_of(const struct search *search, const struct changed *changed)
{
    return &search->load[(size_t)changed->kind * (size_t)search->network->links +
                         (size_t)changed->link];
}

/* Of equals what uses links less. */
static double cost_of(int32_t load)
{
    const double square = (double)load / UNIT * ((double)load / UNIT);
    return (load > UNIT ? square * square : 0) + tie * square;
}

/* By how much the changes make the cost grow. */
static double count_changes(struct search *search)
{
    double sum = 0;
    for (int64_t i = 0; i < search->changed_count; i++) {
        const struct changed *changed = &search->changed[i];
        const int32_t before = *load_of(search, changed);
        const int32_t after = before + (*change_of(search, changed) - 1) / 2;
        if (after != before)
            sum += search->kind[changed->kind].weight * (cost_of(after) - cost_of(before));
    }
    return sum;
}

/* Makes the changes, or forgets them. */
static void end_changes(struct search *search, bool keep)
{
    for (int64_t i = 0; i < search->changed_count; i++) {
        int32_t *change = change_of(search, &search->changed[i]);
        int32_t *load = load_of(search, &search->changed[i]);
        const bool was_over = *load > UNIT;
        if (keep)
            *load += (*change - 1) / 2;
        search->over += (*load > UNIT) - was_over;
        *change = 0;
    }
    search->changed_count = 0;
}

/* The sum over the plan's rounds of their loads. */
static double sum_of(const struct search *search)
{
    const size_t links = (size_t)search->network->links;
    double sum = 0, all = 0;
    for (int32_t k = 0; k < search->kinds; k++) {
        int32_t most = 0;
        for (size_t l = 0; l < links; l++)
            if (search->load[(size_t)k * links + l] > most)
                most = search->load[(size_t)k * links + l];
        sum += search->kind[k].weight * most / UNIT;
        all += search->kind[k].weight;
    }
    return all > 0 ? sum / all * (double)search->looked_at : 0;
}

/* Each round's time alone, on these hosts. */
static int find_alone(struct search *search, const int32_t host[])
{
    struct net_alone alone;
    int status = RB_OK;
    net_find_alone(search->network, host, search->p, &alone);
    for (int64_t i = 0; i < search->items && status == RB_OK; i++) {
        const struct item *item = &search->item[i];
        struct kind *kind = &search->kind[item->round];
        struct platform_route route;
        status = find_route(search, item, &route);
        if (status == RB_OK && route.count > 0)
            kind->alone_s =
                fmax(kind->alone_s, (double)item->size / net_alone_bandwidth(&alone, &route));
    }
    for (int32_t k = 0; k < search->kinds; k++)
        search->kind[k].weight *= search->kind[k].alone_s;
    return status;
}

static int start_loads(struct search *search, const int32_t host[])
{
    const size_t loads = (size_t)search->kinds * (size_t)search->network->links + 1;
    search->load = sup_calloc(loads, sizeof *search->load);
    search->change = sup_calloc(loads, sizeof *search->change);
    search->changed = sup_malloc(loads * sizeof *search->changed);
    search->seen = sup_calloc((size_t)search->items + 1, sizeof *search->seen);
    search->exchange = 1;
    int status = find_alone(search, host);
    for (int64_t i = 0; status == RB_OK && i < search->items; i++)
        status = add_item(search, &search->item[i], 1);
    end_changes(search, status == RB_OK);
    return status;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Units first, first + step, .., last: each gets the hosts of the next one, and the last those of
 * the first. With step = last - first it is an exchange. */
struct move {
    int32_t first, last, step;
};

static void make_move(struct search *search, const struct move *move)
{
    for (int32_t u = move->first; u != move->last; u += move->step)
        for (int32_t i = 0; i < search->unit[u].places; i++) {
            int32_t *const here = &search->host[search->unit[u].place + i];
            int32_t *const next = &search->host[search->unit[u + move->step].place + i];
            const int32_t host = *here;
            *here = *next;
            *next = host;
        }
}

/* Takes all messages of the units that move off their links, or puts them there, each once. */
static int add_units(struct search *search, const struct move *move, int32_t sign)
{
    int status = RB_OK;
    search->exchange++;
    for (int32_t u = move->first;; u += move->step) {
        for (int64_t i = 0; status == RB_OK && i < search->unit[u].items; i++) {
            const int64_t item = search->touching[search->unit[u].item + i];
            if (search->seen[item] == search->exchange)
                continue;
            search->seen[item] = search->exchange;
            status = add_item(search, &search->item[item], sign);
        }
        if (u == move->last)
            return status;
    }
}

/* A move of a unit that has others like it. */
static struct move draw_move(struct search *search, int32_t units)
{
    const int32_t a = (int32_t)rb_random_below(&search->random, (uint32_t)units);
    const int32_t first = search->unit[a].alike, count = search->unit[a].alike_count;
    const uint64_t random = rb_random_next(&search->random);
    /* Near units more often than far ones: within count, count / 2, count / 4, ... */
    int32_t range = (count - 1) >> (random >> 8) % 8;
    const bool moves = (random & 1) != 0;
    if (moves && range > MOST_MOVE)
        range = MOST_MOVE;
    const int32_t by =
        1 + (int32_t)rb_random_below(&search->random, (uint32_t)(range > 0 ? range : 1));
    const int32_t b = first + (a - first + ((random & 2) != 0 ? by : count - by)) % count;
    return (struct move){a, b, moves && abs(b - a) == by ? (b > a ? 1 : -1) : b - a};
}

/* Makes the move if it costs no more than the temperature allows. */
static int try_move(struct search *search, const struct move *move, double temperature, bool *kept)
{
    const struct move back = {move->last, move->first, -move->step};
    int status = add_units(search, move, -1);
    make_move(search, move);
    if (status == RB_OK)
        status = add_units(search, move, 1);
    const double more = status == RB_OK ? count_changes(search) : 0;
    const double chance = (double)(rb_random_next(&search->random) >> 11) * 0x1p-53;
    *kept = status == RB_OK && (more <= 0 || chance < exp(-more / temperature));
    if (!*kept)
        make_move(search, &back);
    end_changes(search, *kept);
    return status;
}

/* At first without heat, since a good order may be near; then from a temperature at which a message
 * too many on a link is often kept, to none. */
static int anneal(struct search *search, int32_t units, struct sim_searched *searched)
{
    const int64_t most = LEAST_TRIES + (int64_t)TRIES_PER_UNIT * units;
    double weight = 0;
    int status = RB_OK;
    for (int32_t k = 0; k < search->kinds; k++)
        weight += search->kind[k].weight / search->kinds;
    while (status == RB_OK && search->over > 0 && units > 0 && searched->tried < most &&
           search->work < MOST_WORK) {
        const double left = 1 - fmax((double)searched->tried / (double)most,
                                     (double)search->work / (double)MOST_WORK);
        const double heat = left < first_heat ? start_temperature * weight * left * left : 0;
        const struct move move = draw_move(search, units);
        bool kept;
        status = try_move(search, &move, heat, &kept);
        searched->tried++;
        searched->kept += kept;
    }
    return status;
}

static void free_search(struct search *search)
{
    free(search->item);
    free(search->kind);
    net_pair_table_free(&search->hashes);
    free(search->unit);
    free(search->member);
    free(search->host);
    free(search->at);
    free(search->touching);
    free(search->load);
    free(search->change);
    free(search->changed);
    free(search->seen);
}

/* The order of hosts in which the plan's rounds meet little contention (place.c). Reorders host[r],
 * one for each rank of spec->plan, and describes the search. The result depends on the plan, the
 * network, host and the seed alone; its sum is never larger than at the start. Its work is bounded,
 * not its time. RB_EINVAL for a plan of too many ranks, RB_EFAILED if there is no route. */
static int order_search(const struct sim_spec *spec, struct platform_network *network,
                        int32_t host[], struct sim_searched *searched, struct sup_error *error)
{
    struct search search = {.spec = spec,
                            .network = network,
                            .error = error,
                            .p = rb_plan_ranks(spec->plan),
                            .random = spec->placement.search_seed};
    int status = RB_OK;
    *searched = (struct sim_searched){.done = true, .rounds = rb_plan_rounds(spec->plan)};
    if (search.p > MOST_RANKS)
        return sup_fail(error, RB_EINVAL, "placement search: %d ranks are more than %d", search.p,
                        MOST_RANKS);
    status = read_plan(&search);
    if (status == RB_OK) {
        make_units(&search, host);
        status = start_loads(&search, host);
    }
    if (status == RB_OK) {
        searched->before = sum_of(&search);
        searched->units = order_units(&search);
        search.work = 0;
        status = anneal(&search, searched->units, searched);
    }
    if (status == RB_OK) {
        searched->after = fmin(sum_of(&search), searched->before);
        searched->looked_at = search.looked_at;
        searched->different = search.kinds;
        for (int32_t r = 0; searched->after < searched->before && r < search.p; r++)
            host[r] = search.host[search.at[r]];
    }
    free_search(&search);
    return status;
}

/* ---- The rules ------------------------------------------------------------------------------- */

static const char *name_of(const void *network, int32_t host, char *name, size_t size)
{
    return platform_network_host_name(network, host, name, size);
}

int net_place(const struct sim_spec *spec, struct platform_network *network, int32_t host[],
              struct sim_result *result, struct sup_error *error)
{
    const struct sim_hosts hosts = {network->hosts, name_of, network};
    if (spec->workload != NULL) {
        const int status = sim_workload_map(spec->workload, &hosts, host, error);
        if (status == RB_OK)
            sim_result_take_hosts(spec, &hosts, host, result);
        return status;
    }
    if (spec->placement.search && spec->plan == NULL)
        return sup_fail(error, RB_EINVAL,
                        "placement search: native:%s has no plan, so its rounds are not known",
                        spec->native->algorithm);
    int status =
        sim_placement_map(&spec->placement, sim_ranks(spec), spec->ppn, &hosts, host, error);
    if (status == RB_OK && spec->placement.search)
        status = order_search(spec, network, host, &result->searched, error);
    if (status == RB_OK)
        sim_result_take_hosts(spec, &hosts, host, result);
    return status;
}

/* ---- Numbers of pairs ------------------------------------------------------------------------ */

static int64_t first_bucket(const struct net_pair_table *table, uint64_t key)
{
    key ^= key >> 32; /* both halves count */
    key *= 0x9e3779b97f4a7c15U;
    return (int64_t)((key >> 24) & (uint64_t)(table->bucket_count - 1));
}

/* The bucket that holds the key, or the empty one where it belongs. */
static int64_t find(const struct net_pair_table *table, uint64_t key)
{
    int64_t i = first_bucket(table, key);
    while (table->bucket[i] && table->key[table->bucket[i] - 1] != key)
        i = (i + 1) & (table->bucket_count - 1);
    return i;
}

static void grow(struct net_pair_table *table)
{
    int64_t wanted = table->bucket_count > 0 ? 2 * table->bucket_count : 64;
    int64_t *bucket = sup_calloc((size_t)wanted, sizeof *bucket);
    table->key = sup_realloc(table->key, (size_t)wanted / 2 * sizeof *table->key);
    free(table->bucket);
    table->bucket = bucket;
    table->bucket_count = wanted;
    for (int64_t number = 0; number < table->count; number++)
        table->bucket[find(table, table->key[number])] = number + 1;
}

int64_t net_pair_table_number(struct net_pair_table *table, uint64_t key)
{
    if (2 * table->count >= table->bucket_count)
        grow(table);
    int64_t i = find(table, key);
    if (!table->bucket[i]) {
        table->key[table->count] = key;
        table->bucket[i] = ++table->count;
    }
    return table->bucket[i] - 1;
}

void net_pair_table_clear(struct net_pair_table *table)
{
    if (table->bucket)
        memset(table->bucket, 0, (size_t)table->bucket_count * sizeof *table->bucket);
    table->count = 0;
}

void net_pair_table_free(struct net_pair_table *table)
{
    free(table->bucket);
    free(table->key);
    *table = (struct net_pair_table){0};
}
