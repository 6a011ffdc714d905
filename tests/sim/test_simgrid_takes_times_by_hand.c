/* Simulated times against answers that share nothing with the engine: where nothing is shared, a
 * max-plus recurrence over the plan's messages; on the shipped fat-tree and dragonfly, routes and
 * loads counted by hand. With the argument `long`, more numbers of ranks for each window. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/engine/engine.h"
#include "tests/fitting.h"

#define ALPHA_S         1e-6 /* what the generators take */
#define BETA_S_PER_BYTE 8e-11

struct point {
    const char *collective;
    const char *algorithm;
    int32_t p;
    int64_t n;
    int64_t bytes;
    const char *platform;
    struct sim_placement placement;
    struct sim_overlap overlap;
    bool uneven; /* the platform is that of write_uneven */
};

static struct rb_plan *make_plan(const struct point *point)
{
    struct rb_plan_spec spec = {.collective = point->collective,
                                .algorithm = point->algorithm,
                                .p = point->p,
                                .n = point->n};
    struct rb_plan *plan;
    assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), 0);
    return plan;
}

/* The case, for a failure's message. */
static const char *name_of(const struct point *point)
{
    static char name[160];
    char rule[32], placement[32];
    snprintf(name, sizeof name, "%s p=%d n=%d on %s, %s, %s", point->algorithm, point->p,
             (int)point->n, point->platform,
             sim_placement_format(&point->placement, placement, sizeof placement),
             sim_overlap_format(&point->overlap, rule, sizeof rule));
    return name;
}

/* Each rank's simulated finishing time must be finish_s[rank]; NULL: only the last one's, last_s.
 */
static void expect_times(const struct point *point, const struct rb_plan *plan,
                         const double finish_s[], double last_s)
{
    struct rb_layout layout = {.bytes = point->bytes, .element = 1};
    struct sim_spec spec = {.plan = plan,
                            .layout = &layout,
                            .platform = point->platform,
                            .ppn = 1,
                            .placement = point->placement,
                            .overlap = point->overlap,
                            .want_finish = true};
    struct sim_result result;
    struct sup_error error = {0};
    if (sim_run(sim_engine_find("simgrid"), &spec, &result, &error))
        fail_msg("%s: %s", name_of(point), error.text);
    for (int32_t r = 0; finish_s && r < point->p; r++)
        if (fabs(result.finish_s[r] - finish_s[r]) > 1e-9 * finish_s[r])
            fail_msg("%s: rank %d ends at %.12g, not %.12g", name_of(point), r, result.finish_s[r],
                     finish_s[r]);
    if (fabs(result.time_s - last_s) > 1e-9 * last_s)
        fail_msg("%s: %.12g instead of %.12g", name_of(point), result.time_s, last_s);
    sim_result_free(&result);
}

/* ---- Max-plus: a message starts when the last thing it waits for is there ---- */

struct history {            /* of one rank: when things were complete */
    double sent, received;  /* the last message of either kind */
    double *read, *written; /* per block: the last message that did so */
    double *left;           /* per round with messages: it and all before */
    int64_t rounds;         /* so many of them */
    double now;             /* of the present round's messages */
    bool active;            /* in the present round */
};

/* A link of its own for each pair of hosts, all of the same bandwidth, of different latencies: some
 * ranks' sends run several rounds ahead of their receives, or behind. */
enum { UNEVEN_HOSTS = 33 };

static int32_t uneven_us(int32_t a, int32_t b)
{
    return 1 + (a * b + a + b) % 11 * 3;
}

static void write_uneven(char path[])
{
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "<?xml version='1.0'?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version='4.1'><zone id='uneven' routing='Full'>\n");
    for (int32_t a = 0; a < UNEVEN_HOSTS; a++)
        fprintf(file, "<host id='host-%d' speed='1Gf'/>\n", a);
    for (int32_t a = 0; a < UNEVEN_HOSTS; a++)
        for (int32_t b = 0; b < a; b++)
            fprintf(file,
                    "<link id='%d-%d' bandwidth='12.5GBps' latency='%dus' "
                    "sharing_policy='SPLITDUPLEX'/>\n",
                    a, b, uneven_us(a, b));
    for (int32_t a = 0; a < UNEVEN_HOSTS; a++)
        for (int32_t b = 0; b < a; b++)
            fprintf(file,
                    "<route src='host-%d' dst='host-%d'><link_ctn id='%d-%d' direction='UP'/>"
                    "</route>\n",
                    a, b, a, b);
    fprintf(file, "</zone></platform>\n");
    assert_int_equal(fclose(file), 0);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* A message: where its blocks are read, and where they end up. */
struct move {
    int32_t from, to;
    int32_t count; /* operations at either end */
    const struct rb_op *sent, *received;
    double complete;
};

/* Blocks of a rank's largest buffer. */
static int64_t buffer_blocks(const struct rb_plan *plan)
{
    const int64_t tmp = rb_plan_rows(plan, RB_TMP), others = rb_plan_rows(plan, RB_DST);
    return (tmp > others ? tmp : others) * rb_plan_blocks(plan) / rb_plan_parts(plan);
}

/* Calls `touch` for the history's number of every block of the operations. */
static void for_blocks(const struct rb_plan *plan, const struct rb_op ops[], int32_t count,
                       void (*touch)(struct history *rank, int64_t block, double *at),
                       struct history *rank, double *at)
{
    const int64_t row_blocks = rb_plan_blocks(plan) / rb_plan_parts(plan);
    for (int32_t i = 0; i < count; i++) {
        const struct rb_location location = rb_plan_location(plan, &ops[i].at);
        const int64_t first =
            ops[i].at.buffer * buffer_blocks(plan) + location.row * row_blocks + location.first;
        for (int64_t b = first; b < first + ops[i].at.count; b++)
            touch(rank, b, at);
    }
}

static void await_data(struct history *rank, int64_t block, double *at)
{
    *at = later(*at, rank->written[block]);
}

static void await_place(struct history *rank, int64_t block, double *at)
{
    *at = later(*at, later(rank->written[block], rank->read[block]));
}

static void note_read(struct history *rank, int64_t block, double *at)
{
    rank->read[block] = later(rank->read[block], *at);
}

static void note_written(struct history *rank, int64_t block, double *at)
{
    rank->written[block] = *at;
}

/* When the rank can send (or take) this message: window, port, data. */
static double ready(const struct rb_plan *plan, struct history *rank, const struct move *move,
                    bool sends, int64_t window)
{
    double at = sends ? rank->sent : rank->received;
    if (rank->rounds >= window)
        at = later(at, rank->left[rank->rounds - window]);
    for_blocks(plan, sends ? move->sent : move->received, move->count,
               sends ? await_data : await_place, rank, &at);
    return at;
}

/* Local operations come last in their round, when it and all before are complete. */
static void note_local(const struct rb_plan *plan, struct history *rank, const struct rb_op ops[],
                       int32_t count)
{
    double *at = &rank->left[rank->rounds - 1];
    for (int32_t i = 0; i < count; i++) {
        struct rb_op from = ops[i];
        from.at = from.from;
        if (ops[i].kind <= RB_RECV_REDUCE)
            continue;
        for_blocks(plan, &ops[i], 1, note_written, rank, at);
        for_blocks(plan, &from, 1, note_read, rank, at);
    }
}

static void end_round(struct history *rank)
{
    if (!rank->active)
        return;
    double before = rank->rounds > 0 ? rank->left[rank->rounds - 1] : 0;
    rank->left[rank->rounds++] = later(before, rank->now);
    rank->now = 0;
    rank->active = false;
}

static double cost_s(const struct point *point, const struct rb_plan *plan, const struct move *move)
{
    struct rb_layout layout = {.bytes = point->bytes, .element = 1};
    double bytes = 0;
    for (int32_t i = 0; i < move->count; i++)
        bytes += (double)rb_layout_bytes(plan, &layout, &move->sent[i].at);
    return (point->uneven ? 1e-6 * uneven_us(move->from, move->to) : ALPHA_S) +
           BETA_S_PER_BYTE * bytes;
}

/* All messages of round t: first when each is complete, by what was so before the round; then that
 * becomes history. */
static void play_round(const struct point *point, const struct rb_plan *plan,
                       const struct rb_rank states[], struct history ranks[], int64_t t)
{
    const size_t p = (size_t)point->p, most = (size_t)rb_plan_max_ops(plan);
    struct move *moves = calloc(p, sizeof *moves);
    struct rb_op *ops = calloc(p * most, sizeof *ops);
    const struct rb_op **arriving = calloc(p, sizeof *arriving);
    int32_t *all = calloc(p, sizeof *all);
    int32_t count = 0;
    for (int32_t r = 0; r < point->p; r++) {
        struct rb_op *mine = ops + (size_t)r * most;
        int32_t sends = 0;
        all[r] = rb_plan_round(plan, &states[r], t, mine);
        while (sends < all[r] && mine[sends].kind == RB_SEND)
            sends++;
        if (sends > 0)
            moves[count++] = (struct move){r, mine[0].peer, sends, mine, NULL, 0};
        if (sends < all[r] && mine[sends].kind <= RB_RECV_REDUCE)
            arriving[r] = mine + sends;
    }
    for (struct move *m = moves; m < moves + count; m++) {
        m->received = arriving[m->to];
        m->complete = later(ready(plan, &ranks[m->from], m, true, point->overlap.window),
                            ready(plan, &ranks[m->to], m, false, point->overlap.window)) +
                      cost_s(point, plan, m);
    }
    for (struct move *m = moves; m < moves + count; m++) {
        struct history *from = &ranks[m->from], *to = &ranks[m->to];
        from->sent = to->received = m->complete;
        for_blocks(plan, m->sent, m->count, note_read, from, &m->complete);
        for_blocks(plan, m->received, m->count, note_written, to, &m->complete);
        from->active = to->active = true;
        from->now = later(from->now, m->complete);
        to->now = later(to->now, m->complete);
    }
    for (int32_t r = 0; r < point->p; r++) {
        ranks[r].active = ranks[r].active || all[r] > 0;
        end_round(&ranks[r]);
        if (all[r] > 0)
            note_local(plan, &ranks[r], ops + (size_t)r * most, all[r]);
    }
    free(moves);
    free(arriving);
    free(all);
    free(ops);
}

static void expect_max_plus(const struct point *point)
{
    struct rb_plan *plan = make_plan(point);
    size_t p = (size_t)point->p;
    size_t blocks = (size_t)(RB_BUFFERS * buffer_blocks(plan));
    size_t rounds = (size_t)rb_plan_rounds(plan), each = 2 * blocks + rounds;
    struct rb_rank *states = calloc(p, sizeof *states);
    struct history *ranks = calloc(p, sizeof *ranks);
    double *times = calloc(p * each, sizeof *times), *finish_s = calloc(p, sizeof *finish_s);
    double last_s = 0;
    for (size_t r = 0; r < p; r++) {
        rb_plan_rank(plan, (int32_t)r, &states[r]);
        ranks[r].read = times + r * each;
        ranks[r].written = ranks[r].read + blocks;
        ranks[r].left = ranks[r].written + blocks;
    }
    for (int64_t t = 0; t < (int64_t)rounds; t++)
        play_round(point, plan, states, ranks, t);
    for (size_t r = 0; r < p; r++) {
        finish_s[r] = later(ranks[r].sent, ranks[r].received);
        last_s = later(last_s, finish_s[r]);
    }
    expect_times(point, plan, finish_s, last_s);
    free(finish_s);
    free(times);
    free(ranks);
    free(states);
    rb_plan_destroy(plan);
}

static bool thorough; /* the argument `long` */

/* Unequal blocks, so that nothing falls into step by itself. */
static void rounds_in_flight_keep_window_ports_and_data(void **state)
{
    (void)state;
    static const int32_t ranks[] = {2, 3, 5, 8, 17, UNEVEN_HOSTS}, windows[] = {1, 2, 5, 1000};
    static const int64_t blocks[] = {4, 16};
    char path[] = "/tmp/roundabout-test-XXXXXX";
    write_uneven(path);
    for (int32_t i = 0; rb_algorithm_at(i / 6); i++)
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
            for (size_t w = 0; w < 2 * sizeof windows / sizeof windows[0]; w++) {
                if (!rb_algorithm_at(i / 6)->pipelined && blocks[k] != 4)
                    continue; /* n is but the size of its messages */
                if (w % 2 == 0 && i % 3 != 0)
                    continue; /* equal ways show less than uneven ones */
                if (!(thorough && rb_algorithm_at(i / 6)->pipelined) &&
                    (w / 2 + (size_t)i) % 4 != 0)
                    continue; /* one of the windows for each p */
                if (!thorough && (i / 6 + i % 6 + (int32_t)k) % 2 != 0)
                    continue; /* and half of the p, others for each algorithm */
                struct point point = {
                    .collective = rb_algorithm_at(i / 6)->collective,
                    .algorithm = rb_algorithm_at(i / 6)->name,
                    .p = fitting_ranks(rb_algorithm_at(i / 6), ranks[i % 6]),
                    .n = blocks[k],
                    .bytes = 20011,
                    .platform = w % 2 ? path : "crossbar:33",
                    .overlap = {w < 2 ? SIM_BLOCKING : SIM_WINDOW, windows[w / 2]},
                    .uneven = w % 2};
                expect_max_plus(&point);
            }
    unlink(path);
}

/* ---- Contention: the busiest link of each round ---- */

enum { MOST_LINKS = 8192 };

/* What a round puts on the links: messages per bandwidth of an ordinary link. */
struct load {
    double on[MOST_LINKS];
    double most;
};

static void cross(struct load *load, int32_t link, double bandwidth)
{
    load->on[link] += 1 / bandwidth;
    load->most = later(load->most, load->on[link]);
}

struct network {
    const char *platform;
    int32_t hosts;
    int32_t uplinks;  /* of a leaf switch */
    double bandwidth; /* of a link between two routers */
    void (*walk)(const struct network *network, int32_t from, int32_t to, struct load *load);
};

/* 32 hosts to a leaf switch; the top switch is the destination's number modulo the uplinks. */
static void walk_fat_tree(const struct network *network, int32_t from, int32_t to,
                          struct load *load)
{
    int32_t top = to % network->uplinks, up = 2 * network->hosts, down = up + 32 * network->uplinks;
    if (from / 32 == to / 32)
        return;
    cross(load, up + from / 32 * network->uplinks + top, 1);
    cross(load, down + to / 32 * network->uplinks + top, 1);
}

/* Groups of 12 routers with 8 hosts; router j of a group has the link, 10 wide, to group j. */
static void walk_dragonfly(const struct network *network, int32_t from, int32_t to,
                           struct load *load)
{
    enum { ROUTERS = 12, HOSTS = 8, GROUP = ROUTERS * HOSTS };
    int32_t local = 2 * network->hosts, global = local + ROUTERS * ROUTERS * ROUTERS;
    int32_t group[2] = {from / GROUP, to / GROUP};
    int32_t router[2] = {from % GROUP / HOSTS, to % GROUP / HOSTS};
    int32_t leaves = group[0] == group[1] ? router[1] : group[1], enters = group[0];
    if (router[0] != leaves)
        cross(load, local + (group[0] * ROUTERS + router[0]) * ROUTERS + leaves,
              network->bandwidth);
    if (group[0] == group[1])
        return;
    cross(load, global + group[0] * ROUTERS + group[1], 10);
    if (enters != router[1])
        cross(load, local + (group[1] * ROUTERS + enters) * ROUTERS + router[1],
              network->bandwidth);
}

/* Fair shares of equal messages: those on the busiest link of a round take longest, and exactly as
 * long as that link needs for all of them. */
static double lockstep_s(const struct point *point, const struct network *network,
                         const struct rb_plan *plan)
{
    struct rb_layout layout = {.bytes = point->bytes, .element = 1};
    struct rb_op *ops = calloc((size_t)rb_plan_max_ops(plan), sizeof *ops);
    struct rb_rank *states = calloc((size_t)point->p, sizeof *states);
    int32_t *host = calloc((size_t)point->p, sizeof *host);
    struct load *load = calloc(1, sizeof *load);
    double time_s = 0;
    assert_int_equal(sim_placement_map(&point->placement, point->p, 1,
                                       &(struct sim_hosts){.count = network->hosts}, host, NULL),
                     0);
    for (int32_t r = 0; r < point->p; r++)
        rb_plan_rank(plan, r, &states[r]);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
        int64_t bytes = -1;
        *load = (struct load){0};
        for (int32_t r = 0; r < point->p; r++) {
            int32_t count = rb_plan_round(plan, &states[r], t, ops);
            if (count == 0 || ops[0].kind != RB_SEND)
                continue;
            int64_t mine = 0;
            for (int32_t i = 0; i < count && ops[i].kind == RB_SEND; i++)
                mine += rb_layout_bytes(plan, &layout, &ops[i].at);
            if (bytes >= 0 && mine != bytes)
                fail_msg("%s %s: unequal messages", point->collective, point->algorithm);
            bytes = mine;
            cross(load, host[r], 1);
            cross(load, network->hosts + host[ops[0].peer], 1);
            network->walk(network, host[r], host[ops[0].peer], load);
        }
        if (bytes >= 0)
            time_s += ALPHA_S + load->most * BETA_S_PER_BYTE * (double)bytes;
    }
    free(load);
    free(host);
    free(states);
    free(ops);
    return time_s;
}

static void lockstep_takes_what_the_busiest_links_need(void **state)
{
    (void)state;
    static const struct network networks[] = {
        {"fat-tree:1024", 1024, 32, 1, walk_fat_tree},
        {"fat-tree:1024,taper=4", 1024, 8, 1, walk_fat_tree},
        {"dragonfly:1056", 1056, 0, 1, walk_dragonfly},
        {"dragonfly:1056,local=2", 1056, 0, 2, walk_dragonfly},
    };
    static const struct sim_placement placements[] = {{.rule = SIM_BLOCK},
                                                      {.rule = SIM_RANDOM, .seed = 1}};
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        for (size_t k = 0; k < 2; k++)
            for (int32_t a = 0; rb_algorithm_at(a); a++) {
                const bool plain = networks[i].bandwidth == 1 && networks[i].uplinks % 32 == 0 &&
                                   placements[k].rule == SIM_BLOCK;
                if (rb_collective_find(rb_algorithm_at(a)->collective)->fixed_counts ||
                    strcmp(rb_algorithm_at(a)->name, "rails-direct") == 0)
                    continue; /* unequal messages */
                if (strcmp(rb_algorithm_at(a)->collective, "bcast") != 0 && a % 2 != (int32_t)i / 2)
                    continue; /* each on the one network or the other */
                if (!plain && strcmp(rb_algorithm_at(a)->collective, "bcast") != 0)
                    continue; /* broadcasts put enough on the links of the variants */
                if (!thorough && (a + (int32_t)(i + k)) % 6 != 0)
                    continue; /* SimGrid reads the network anew for each */
                struct point point = {.collective = rb_algorithm_at(a)->collective,
                                      .algorithm = rb_algorithm_at(a)->name,
                                      .p = fitting_ranks(rb_algorithm_at(a), a == 0 ? 1024 : 128),
                                      .n = 4,
                                      .bytes = 1 << 20, /* equal messages: p, n powers of two */
                                      .platform = networks[i].platform,
                                      .placement = placements[k],
                                      .overlap = {SIM_LOCKSTEP, 1}};
                struct rb_plan *plan = make_plan(&point);
                expect_times(&point, plan, NULL, lockstep_s(&point, &networks[i], plan));
                rb_plan_destroy(plan);
            }
}

int main(int argc, char *argv[])
{
    thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_in_flight_keep_window_ports_and_data),
        cmocka_unit_test(lockstep_takes_what_the_busiest_links_need),
    };
    return cmocka_run_group_tests_name("engine times", tests, NULL, NULL);
}
