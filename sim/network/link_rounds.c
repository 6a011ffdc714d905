/* link_rounds.c - walks a plan round by round and adds its messages to the links of their routes.
 */
#include "link_rounds.h"

#include <stdlib.h>

#include "schedules/dependences/messages.h"
#include "sim/engine/plan_round.h"
#include "support/memory.h"

struct walk {
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    struct platform_network *network;
    const int32_t *host;
    struct rb_rank *rank; /* per rank */
    int64_t *next;        /* per rank: its next round that isn't idle */
    struct rb_op *ops;
    int32_t *count;   /* per link, in this round */
    double *demand;   /* per link: the sum of the bandwidths of their routes */
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

static int add_message(struct walk *walk, int32_t from, int32_t to, int64_t t,
                       struct sup_error *error)
{
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
            status = add_message(walk, r, message.ops->peer, t, error);
    }
    return status;
}

/* Shows the round and forgets its counts. */
static void end_round(struct walk *walk, int64_t t, net_round_visitor *visit, void *context)
{
    for (int32_t i = 0; i < walk->touched_count; i++)
        walk->demand[walk->touched[i]] /= walk->network->link[walk->touched[i]].bandwidth;
    visit(context,
          &(struct net_round){t, walk->touched_count, walk->touched, walk->count, walk->demand});
    for (int32_t i = 0; i < walk->touched_count; i++) {
        walk->count[walk->touched[i]] = 0;
        walk->demand[walk->touched[i]] = 0;
    }
    walk->touched_count = 0;
}

int net_link_rounds_visit(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct platform_network *network, const int32_t host[],
                          net_round_visitor *visit, void *context, struct sup_error *error)
{
    struct walk walk = {.plan = plan, .layout = layout, .network = network, .host = host};
    int status = RB_OK;
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
        if (counting->network->link[link].shared && round->load[link] > rounds->load) {
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
    return net_link_rounds_visit(plan, layout, network, host, count_round, &counting, error);
}

void net_link_rounds_free(struct net_link_rounds *rounds)
{
    free(rounds->most);
    *rounds = (struct net_link_rounds){0};
}
