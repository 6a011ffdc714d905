#include "place.h"

#include <stdbool.h>
#include <stdlib.h>

#include "pair_table.h"
#include "schedules/dependences/messages.h"
#include "schedules/plan/random.h"
#include "sim/engine/tally.h"
#include "sim/workload/workload.h"
#include "support/memory.h"

/* ---- The search ------------------------------------------------------------------------------ */

/* An order of the hosts in which a plan's rounds meet little contention.
 *
 * The load of a round is the load of its fullest link (links.h), at least 1 where each
 * message has its host's link. The search lowers the sum of the loads over the rounds by
 * exchanging hosts at random, and keeps an exchange that makes the sum smaller, or that leaves it
 * as it is and doesn't make the squares of all links' loads larger. Hosts are exchanged in units:
 * the hosts of a group of the plan stay together, in their order, and so do those that one host's
 * ranks connect. Only units with the same numbers of ranks on their hosts are exchanged, so every
 * host keeps its number of ranks.
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
};

/* A message of one of the different rounds. */
struct item {
    int32_t from, to; /* ranks */
    int32_t round;    /* number of the different round */
};

/* One of the different rounds. */
struct kind {
    uint64_t key;  /* of its routes */
    int64_t first; /* of its items */
    int64_t count;
    int64_t weight;  /* rounds of the plan like this one */
    int32_t most;    /* load of its fullest link */
    int32_t fullest; /* links with that load */
};

/* Hosts that stay together: those of ranks member[first] on, which are host[place] on. */
struct unit {
    int32_t first, ranks;       /* in `member` */
    int32_t place, places;      /* in `host` */
    uint64_t likeness;          /* units with the same one can be exchanged */
    int32_t alike, alike_count; /* in `unit`: those with its likeness */
    int64_t item, items;        /* in `touching` */
};

/* What an exchange does to one of the different rounds. */
struct kind_change {
    uint32_t seen;                /* the last exchange that changed the round */
    int32_t raised, raised_count; /* the highest of the new loads, and the number of its links */
    int32_t left;                 /* links that had the highest load before and lose some */
    int32_t most, fullest;        /* afterwards */
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
    struct kind_change *kind_change; /* per different round */
    int32_t *touched;                /* different rounds that the exchange changes */
    int32_t touched_count;
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
            search->item[search->items++] = (struct item){r, message.ops->peer, search->kinds};
        }
    }
    return RB_OK;
}

/* Are the items from a on the same as those from b on? There may be none. */
static bool same_items(const struct search *search, int64_t a, int64_t b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (search->item[a + i].from != search->item[b + i].from ||
            search->item[a + i].to != search->item[b + i].to)
            return false;
    return true;
}

/* Makes the items from `first` on a round of their own, or one more of an equal round. */
static void add_kind(struct search *search, int64_t first, int64_t t)
{
    const int64_t count = search->items - first;
    /* Where a message's route depends on its round, no two rounds are equal. */
    const uint64_t key = search->network->routing.per_message ? (uint64_t)t : 0;
    uint64_t hash = sup_hash_bytes(SUP_HASH_START, &key, sizeof key);
    for (int64_t i = first; i < search->items; i++)
        hash = sup_hash_bytes(hash, &search->item[i], 2 * sizeof(int32_t));
    search->looked_at++;
    for (;; hash++) { /* to the next number if different rounds have the same hash */
        const int64_t k = net_pair_table_number(&search->hashes, hash);
        if (k == search->kinds)
            sup_grow(&search->kind, (size_t)search->kinds, sizeof *search->kind);
        struct kind *kind = &search->kind[k];
        if (k == search->kinds) {
            *kind = (struct kind){.key = key, .first = first, .count = count, .weight = 1};
            search->kinds++;
            return;
        }
        if (kind->count == count && kind->key == key &&
            same_items(search, kind->first, first, count)) {
            kind->weight++;
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

static int32_t find_root(int32_t parent[], int32_t r)
{
    while (parent[r] != r)
        r = parent[r] = parent[parent[r]];
    return r;
}

static void join(int32_t parent[], int32_t a, int32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

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
            join(parent, rb_group_first(groups, g), r);
    for (int32_t r = 0; r < search->p; r++)
        if (first[host[r]] >= 0)
            join(parent, first[host[r]], r);
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
        const int32_t root = find_root(parent, r);
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

static int by_likeness(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    if (x->likeness != y->likeness)
        return x->likeness < y->likeness ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

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

/* Takes the item's message off the links of its route, or puts it there. */
static int add_item(struct search *search, const struct item *item, int32_t sign)
{
    const int32_t from = search->host[search->at[item->from]];
    const int32_t to = search->host[search->at[item->to]];
    const size_t base = (size_t)item->round * (size_t)search->network->links;
    struct platform_route route;
    const int status = platform_network_route(search->network, from, to,
                                              search->kind[item->round].key, &route, search->error);
    if (status != RB_OK)
        return status;
    search->work += WAY_WORK + route.count;
    for (int32_t i = 0; i < route.count; i++) {
        const struct platform_link *link = &search->network->link[route.link[i]];
        int32_t *change = &search->change[base + (size_t)route.link[i]];
        if (!link->shared)
            continue;
        if (*change == 0) {
            *change = 1;
            search->changed[search->changed_count++] = (struct changed){item->round, route.link[i]};
        }
        *change += 2 * sign * (int32_t)(UNIT * (route.bandwidth / link->bandwidth) + 0.5);
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

/* The highest load of a round with the changes, and on how many links. */
static void find_most(const struct search *search, int32_t kind, struct kind_change *change)
{
    const int32_t links = search->network->links;
    const size_t base = (size_t)kind * (size_t)links;
    change->most = change->fullest = 0;
    for (int32_t l = 0; l < links; l++) {
        const int32_t doubled = search->change[base + (size_t)l];
        const int32_t load =
            search->load[base + (size_t)l] + (doubled == 0 ? 0 : (doubled - 1) / 2);
        if (load > change->most) {
            change->most = load;
            change->fullest = 0;
        }
        change->fullest += load == change->most;
    }
}

/* What the changes do to one link; returns by how much the sum of the squares grows. */
static double count_link(struct search *search, const struct changed *changed)
{
    const struct kind *kind = &search->kind[changed->kind];
    struct kind_change *change = &search->kind_change[changed->kind];
    const int32_t before = *load_of(search, changed);
    const int32_t after = before + (*change_of(search, changed) - 1) / 2;
    if (before == after)
        return 0;
    if (change->seen != search->exchange) {
        *change = (struct kind_change){.seen = search->exchange};
        search->touched[search->touched_count++] = changed->kind;
    }
    if (after > change->raised) {
        change->raised = after;
        change->raised_count = 0;
    }
    change->raised_count += after == change->raised;
    change->left += before == kind->most && after < before;
    return (double)kind->weight * ((double)after * (double)after - (double)before * (double)before);
}

/* By how much the changes make the sum of the rounds' loads, and of the squares, grow. */
static int64_t count_changes(struct search *search, double *squares)
{
    int64_t sum = 0;
    *squares = 0;
    search->touched_count = 0;
    for (int64_t i = 0; i < search->changed_count; i++)
        *squares += count_link(search, &search->changed[i]);
    for (int32_t i = 0; i < search->touched_count; i++) {
        const struct kind *kind = &search->kind[search->touched[i]];
        struct kind_change *change = &search->kind_change[search->touched[i]];
        const int32_t gained = change->raised == kind->most ? change->raised_count : 0;
        if (change->raised > kind->most) {
            change->most = change->raised;
            change->fullest = change->raised_count;
        } else if (kind->fullest - change->left + gained > 0) {
            change->most = kind->most;
            change->fullest = kind->fullest - change->left + gained;
        } else {
            find_most(search, search->touched[i], change);
            search->work += search->network->links / 8;
        }
        sum += kind->weight * (change->most - kind->most);
    }
    return sum;
}

/* Makes the changes, or forgets them. */
static void end_changes(struct search *search, bool keep)
{
    for (int64_t i = 0; i < search->changed_count; i++) {
        int32_t *change = change_of(search, &search->changed[i]);
        if (keep)
            *load_of(search, &search->changed[i]) += (*change - 1) / 2;
        *change = 0;
    }
    for (int32_t i = 0; keep && i < search->touched_count; i++) {
        struct kind *kind = &search->kind[search->touched[i]];
        kind->most = search->kind_change[search->touched[i]].most;
        kind->fullest = search->kind_change[search->touched[i]].fullest;
    }
    search->changed_count = 0;
}

static int64_t sum_of(const struct search *search)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < search->kinds; k++)
        sum += search->kind[k].weight * search->kind[k].most;
    return sum;
}

/* True if no round has a link with more than it can carry. */
static bool is_free(const struct search *search)
{
    for (int32_t k = 0; k < search->kinds; k++)
        if (search->kind[k].most > UNIT)
            return false;
    return true;
}

static int start_loads(struct search *search)
{
    const size_t loads = (size_t)search->kinds * (size_t)search->network->links + 1;
    double squares;
    search->load = sup_calloc(loads, sizeof *search->load);
    search->change = sup_calloc(loads, sizeof *search->change);
    search->changed = sup_malloc(loads * sizeof *search->changed);
    search->kind_change = sup_calloc((size_t)search->kinds + 1, sizeof *search->kind_change);
    search->touched = sup_malloc(((size_t)search->kinds + 1) * sizeof *search->touched);
    search->seen = sup_calloc((size_t)search->items + 1, sizeof *search->seen);
    search->exchange = 1;
    int status = RB_OK;
    for (int64_t i = 0; status == RB_OK && i < search->items; i++)
        status = add_item(search, &search->item[i], 1);
    if (status == RB_OK)
        count_changes(search, &squares);
    end_changes(search, status == RB_OK);
    return status;
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* Takes all messages of both units off their links, or puts them there, each once. */
static int add_units(struct search *search, const struct unit *a, const struct unit *b,
                     int32_t sign)
{
    const struct unit *both[] = {a, b};
    int status = RB_OK;
    search->exchange++;
    for (int u = 0; u < 2; u++)
        for (int64_t i = 0; status == RB_OK && i < both[u]->items; i++) {
            const int64_t item = search->touching[both[u]->item + i];
            if (search->seen[item] == search->exchange)
                continue;
            search->seen[item] = search->exchange;
            status = add_item(search, &search->item[item], sign);
        }
    return status;
}

static void exchange_hosts(struct search *search, const struct unit *a, const struct unit *b)
{
    for (int32_t i = 0; i < a->places; i++) {
        const int32_t host = search->host[a->place + i];
        search->host[a->place + i] = search->host[b->place + i];
        search->host[b->place + i] = host;
    }
}

/* Exchanges two units if that makes the sum of the loads smaller, or if it leaves the sum as it is
 * and makes the squares no larger. *better: one of them is smaller. */
static int try_exchange(struct search *search, const struct unit *a, const struct unit *b,
                        bool *kept, bool *better)
{
    double squares;
    int status = add_units(search, a, b, -1);
    exchange_hosts(search, a, b);
    if (status == RB_OK)
        status = add_units(search, a, b, 1);
    const int64_t sum = status == RB_OK ? count_changes(search, &squares) : 0;
    *kept = status == RB_OK && (sum < 0 || (sum == 0 && squares <= 0));
    *better = *kept && (sum < 0 || squares < 0);
    if (!*kept)
        exchange_hosts(search, a, b);
    end_changes(search, *kept);
    return status;
}

static int exchange_units(struct search *search, int32_t units, struct sim_searched *searched)
{
    /* So often in vain that a better exchange of two is unlikely to exist. */
    const int64_t patience = 2 * (int64_t)units * units + 64;
    int status = RB_OK;
    bool is_done = units == 0 || is_free(search);
    for (int64_t vain = 0; status == RB_OK && !is_done && vain < patience;) {
        if (search->work > MOST_WORK || search->exchange > UINT32_MAX - 4)
            break;
        const struct unit *a = &search->unit[rb_random_below(&search->random, (uint32_t)units)];
        const struct unit *b =
            &search->unit[a->alike +
                          (int32_t)rb_random_below(&search->random, (uint32_t)a->alike_count)];
        bool kept, better;
        vain++;
        if (a == b)
            continue;
        status = try_exchange(search, a, b, &kept, &better);
        searched->tried++;
        searched->kept += kept;
        if (better) {
            vain = 0;
            is_done = is_free(search);
        }
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
    free(search->kind_change);
    free(search->touched);
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
        status = start_loads(&search);
    }
    if (status == RB_OK) {
        searched->before = (double)sum_of(&search) / UNIT;
        searched->units = order_units(&search);
        search.work = 0;
        status = exchange_units(&search, searched->units, searched);
    }
    if (status == RB_OK) {
        searched->after = (double)sum_of(&search) / UNIT;
        searched->looked_at = search.looked_at;
        searched->different = search.kinds;
        for (int32_t r = 0; r < search.p; r++)
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
