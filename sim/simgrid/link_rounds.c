/* link_rounds.c - walks a plan round by round and adds its messages to the links of their routes.
 */
#include "link_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "pair_table.h"
#include "schedules/dependences/messages.h"
#include "sim/engine/plan_round.h"

enum { MOST_PAIRS = 1 << 18 }; /* pairs whose routes are stored */

struct walk {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    struct s4u_platform *platform;
    const int32_t *host;
    struct rb_rank *rank; /* per rank */
    int64_t *next;        /* per rank: its next round that isn't idle */
    struct rb_op *ops;
    struct s4u_pair_table pairs;
    int64_t *start;    /* of a pair's route: route[start[i]] .. route[start[i + 1] - 1] */
    double *bandwidth; /* of a pair's route */
    int32_t *route;
    int64_t room;     /* of route */
    int32_t *count;   /* per link, in this round */
    double *demand;   /* per link: the sum of the bandwidths of their routes */
    int32_t *touched; /* the links whose count isn't 0 */
    int32_t touched_count;
};

static int start_walk(struct walk *walk, struct s4u_link_rounds *rounds)
{
    const size_t p = (size_t)rb_plan_ranks(walk->plan);
    const size_t links = (size_t)s4u_link_count(walk->platform) + 1;
    walk->rank = malloc(p * sizeof *walk->rank);
    walk->next = calloc(p, sizeof *walk->next);
    walk->ops = malloc(((size_t)rb_plan_max_ops(walk->plan) + 1) * sizeof *walk->ops);
    walk->start = calloc(MOST_PAIRS + 1, sizeof *walk->start);
    walk->bandwidth = malloc(MOST_PAIRS * sizeof *walk->bandwidth);
    walk->count = calloc(links, sizeof *walk->count);
    walk->demand = calloc(links, sizeof *walk->demand);
    walk->touched = malloc(links * sizeof *walk->touched);
    rounds->most = calloc(links, sizeof *rounds->most);
    if (!walk->rank || !walk->next || !walk->ops || !walk->start || !walk->bandwidth ||
        !walk->demand || !walk->count || !walk->touched || !rounds->most)
        return RB_ENOMEM;
    for (size_t r = 0; r < p; r++)
        rb_plan_rank(walk->plan, (int32_t)r, &walk->rank[r]);
    return RB_OK;
}

static void end_walk(struct walk *walk)
{
    s4u_pair_table_free(&walk->pairs);
    free(walk->touched);
    free(walk->demand);
    free(walk->count);
    free(walk->route);
    free(walk->bandwidth);
    free(walk->start);
    free(walk->ops);
    free(walk->next);
    free(walk->rank);
}

/* Appends the links of a new pair to the stored ones. */
static int keep_route(struct walk *walk, int64_t pair, const struct s4u_route *route)
{
    const int64_t end = walk->start[pair] + route->count;
    if (end > walk->room) {
        const int64_t room = 2 * end + 1024;
        int32_t *larger = realloc(walk->route, (size_t)room * sizeof *larger);
        if (!larger)
            return RB_ENOMEM;
        walk->route = larger;
        walk->room = room;
    }
    memcpy(walk->route + walk->start[pair], route->link,
           (size_t)route->count * sizeof *route->link);
    walk->start[pair + 1] = end;
    walk->bandwidth[pair] = route->bandwidth;
    return RB_OK;
}

/* The way from one host to another, which stays until the next call. */
static int find_route(struct walk *walk, int32_t from, int32_t to, struct s4u_route *route,
                      struct sup_error *error)
{
    const int64_t known = walk->pairs.count;
    int64_t pair = MOST_PAIRS;
    if (known < MOST_PAIRS)
        pair = s4u_pair_table_number(&walk->pairs, s4u_pair_key(from, to));
    if (pair < 0)
        return sup_fail(error, RB_ENOMEM, "no memory for the routes");
    if (pair >= known) {
        int status = s4u_find_route(walk->platform, from, to, route, error);
        if (status == RB_OK && pair < MOST_PAIRS && keep_route(walk, pair, route) != RB_OK)
            status = sup_fail(error, RB_ENOMEM, "no memory for the routes");
        return status;
    }
    route->link = walk->route + walk->start[pair];
    route->count = (int32_t)(walk->start[pair + 1] - walk->start[pair]);
    route->bandwidth = walk->bandwidth[pair];
    return RB_OK;
}

static int add_message(struct walk *walk, int32_t from, int32_t to, struct sup_error *error)
{
    struct s4u_route route = {0};
    int status = find_route(walk, walk->host[from], walk->host[to], &route, error);
    for (int32_t i = 0; status == RB_OK && i < route.count; i++) {
        const int32_t link = route.link[i];
        if (walk->count[link]++ == 0)
            walk->touched[walk->touched_count++] = link;
        walk->demand[link] += route.bandwidth;
    }
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
            status = add_message(walk, r, message.ops->peer, error);
    }
    return status;
}

/* Moves the round's counts to the result. */
static void end_round(struct walk *walk, int64_t t, struct s4u_link_rounds *rounds)
{
    for (int32_t i = 0; i < walk->touched_count; i++) {
        const int32_t link = walk->touched[i], count = walk->count[link];
        struct s4u_link description;
        s4u_link_describe(walk->platform, link, &description);
        const double load = walk->demand[link] / description.bandwidth;
        if (count > rounds->most[link])
            rounds->most[link] = count;
        if (description.shared && load > rounds->load) {
            rounds->fullest = link;
            rounds->fullest_round = t;
            rounds->fullest_messages = count;
            rounds->load = load;
        }
        walk->count[link] = 0;
        walk->demand[link] = 0;
    }
    walk->touched_count = 0;
}

int s4u_link_rounds_count(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct s4u_platform *platform, const int32_t host[],
                          struct s4u_link_rounds *rounds, struct sup_error *error)
{
    struct walk walk = {.plan = plan, .layout = layout, .platform = platform, .host = host};
    *rounds = (struct s4u_link_rounds){.fullest = -1};
    int status = start_walk(&walk, rounds);
    if (status != RB_OK)
        sup_fail(error, status, "no memory for the links' rounds");
    for (int64_t t = 0; status == RB_OK && t < rb_plan_rounds(plan); t++) {
        status = add_round(&walk, t, error);
        end_round(&walk, t, rounds);
    }
    end_walk(&walk);
    return status;
}

void s4u_link_rounds_free(struct s4u_link_rounds *rounds)
{
    free(rounds->most);
    *rounds = (struct s4u_link_rounds){0};
}
