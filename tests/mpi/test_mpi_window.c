/* The window, without MPI: ranks in one process whose messages arrive in random order. The memory
 * of a receive is overwritten from its start on, and that of a send is read as late as possible, so
 * that an operation that starts or takes effect too early shows in the data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/dependences/window.h"
#include "tests/fitting.h"
#include "tests/mpi/mpi_plans.h"

/* A value is x -> a x + b (mod 2^32): composing two is associative, not commutative. With a = 1 it
 * commutes. */
struct value {
    uint32_t a, b;
};

static struct value compose(struct value left, struct value right)
{
    return (struct value){left.a * right.a, right.a * left.b + right.b};
}

struct wire { /* from one rank to another through a port: who has sent, who waits */
    int32_t sends[64], receives[64]; /* tasks */
    int32_t sent, received, through; /* how many */
};

struct process {
    struct rb_rank state;
    struct dep_window window;
    struct value *buffer[RB_BUFFERS];
    struct value **stage; /* per task */
};

struct world {
    struct rb_plan *plan;
    int32_t p, ports;
    int64_t places; /* of a rank's SRC and DST: rows * blocks of a row */
    int64_t row_blocks;
    struct process *process;
    struct wire *wire;
    uint64_t random;
    int32_t most_in_flight; /* rounds of one rank that have messages under way */
};

static uint32_t draw(struct world *world, uint32_t bound)
{
    world->random = world->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(world->random >> 33) % bound;
}

static struct value *place(const struct world *world, int32_t rank, const struct rb_range *range)
{
    const struct rb_location location = rb_plan_location(world->plan, range);
    return world->process[rank].buffer[range->buffer] + location.row * world->row_blocks +
           location.first;
}

static struct wire *wire_of(const struct world *world, int32_t from, int32_t to, int32_t port)
{
    return &world->wire[((int64_t)from * world->p + to) * world->ports + port];
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void start(struct world *world, int32_t rank, int32_t index)
{
    struct dep_task *task = &world->process[rank].window.task[index];
    const int32_t peer = task->ops->peer, port = task->ops->port;
    task->state = DEP_TASK_STARTED;
    if (task->kind == DEP_TASK_SEND) {
        struct wire *wire = wire_of(world, rank, peer, port);
        wire->sends[wire->sent++ % 64] = index;
        assert_true(wire->sent - wire->through <= 64);
        return;
    }
    struct wire *wire = wire_of(world, peer, rank, port);
    wire->receives[wire->received++ % 64] = index;
    assert_true(wire->received - wire->through <= 64);
    for (int32_t i = 0; i < task->count && !task->deferred; i++)
        memset(place(world, rank, &task->ops[i].at), 0x55,
               (size_t)task->ops[i].at.count * sizeof(struct value));
}

static void come_through(struct world *world, int32_t from, int32_t to, struct wire *wire)
{
    const int32_t sent = wire->sends[wire->through % 64];
    const int32_t received = wire->receives[wire->through % 64];
    struct dep_task *send = &world->process[from].window.task[sent];
    struct dep_task *receive = &world->process[to].window.task[received];
    struct value *stage = world->process[to].stage[received];
    wire->through++;
    assert_int_equal(send->count, receive->count);
    for (int32_t i = 0; i < send->count; i++) {
        const struct rb_range *at = &send->ops[i].at;
        assert_int_equal(at->count, receive->ops[i].at.count);
        struct value *target = receive->deferred ? stage : place(world, to, &receive->ops[i].at);
        memcpy(target, place(world, from, at), (size_t)at->count * sizeof *target);
        stage += at->count;
    }
    send->state = receive->state = DEP_TASK_ARRIVED;
}

static void apply(struct world *world, int32_t rank, const struct rb_op *op,
                  const struct value incoming[])
{
    struct value *target = place(world, rank, &op->at);
    for (int64_t k = 0; k < op->at.count; k++)
        if (op->kind == RB_RECV || op->kind == RB_COPY)
            target[k] = incoming[k];
        else
            target[k] = op->incoming_is_left ? compose(incoming[k], target[k])
                                             : compose(target[k], incoming[k]);
}

static void take_effect(struct world *world, int32_t rank, int32_t index)
{
    struct process *process = &world->process[rank];
    const struct dep_task *task = &process->window.task[index];
    const struct value *incoming = process->stage[index];
    for (int32_t i = 0; i < task->count; i++) {
        if (task->kind == DEP_TASK_LOCAL)
            apply(world, rank, &task->ops[i], place(world, rank, &task->ops[i].from));
        else if (task->kind == DEP_TASK_RECEIVE && task->deferred)
            apply(world, rank, &task->ops[i], incoming);
        incoming += task->ops[i].at.count;
    }
    dep_window_done(&process->window, index);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static void count_rounds(struct world *world, const struct dep_window *window)
{
    int32_t rounds = 0;
    for (int32_t first = 0; first < window->tasks; first += window->per_round) {
        bool under_way = false;
        for (int32_t i = 0; i < window->per_round; i++)
            under_way = under_way || window->task[first + i].state == DEP_TASK_STARTED;
        rounds += under_way;
    }
    if (rounds > world->most_in_flight)
        world->most_in_flight = rounds;
}

static void step_rank(struct world *world, int32_t rank)
{
    struct dep_window *window = &world->process[rank].window;
    assert_int_equal(dep_window_enter(window), RB_OK);
    assert_true(window->rounds.entered - window->rounds.left <= window->width);
    const int32_t index = draw(world, 2) ? dep_window_startable(window) : -1;
    if (index >= 0) {
        start(world, rank, index);
        count_rounds(world, window);
        return;
    }
    const int32_t ready = dep_window_ready(window);
    if (ready >= 0)
        take_effect(world, rank, ready);
}

static void step_wire(struct world *world)
{
    const int32_t from = (int32_t)draw(world, (uint32_t)world->p);
    for (int32_t i = 0, first = (int32_t)draw(world, (uint32_t)world->p); i < world->p; i++)
        for (int32_t port = 0; port < world->ports; port++) {
            const int32_t to = (first + i) % world->p;
            struct wire *wire = wire_of(world, from, to, port);
            if (wire->through < wire->sent && wire->through < wire->received) {
                come_through(world, from, to, wire);
                return;
            }
        }
}

static bool finished(const struct world *world)
{
    for (int32_t r = 0; r < world->p; r++)
        if (!dep_window_finished(&world->process[r].window))
            return false;
    return true;
}

static void run(struct world *world)
{
    const int64_t limit = 4000 * (rb_plan_rounds(world->plan) + 1) * world->p;
    for (int64_t step = 0; !finished(world); step++) {
        if (step > limit)
            fail_msg("the run hangs");
        if (draw(world, 2))
            step_wire(world);
        else
            step_rank(world, (int32_t)draw(world, (uint32_t)world->p));
    }
}

static struct value contribution(int32_t rank, int64_t index, bool commutes)
{
    const uint32_t a = 2654435761u * (uint32_t)(rank + 1) + (uint32_t)index;
    return (struct value){commutes ? 1 : a | 1u, a ^ 0x9e3779b9u};
}

static struct world make_world(struct rb_plan *plan, int32_t width, bool commutes, uint64_t seed)
{
    static const struct rb_layout layout = {.bytes = 0, .element = 1};
    const int32_t p = rb_plan_ranks(plan), ports = rb_plan_ports(plan);
    struct world world = {.plan = plan, .p = p, .ports = ports, .random = seed};
    world.row_blocks = rb_plan_blocks(plan) / rb_plan_parts(plan);
    world.places = rb_plan_owners(plan) * world.row_blocks;
    const int64_t tmp = rb_plan_rows(plan, RB_TMP) * world.row_blocks;
    const int64_t room = tmp > world.places ? tmp : world.places;
    world.process = calloc((size_t)p, sizeof *world.process);
    world.wire = calloc((size_t)p * (size_t)p * (size_t)ports, sizeof *world.wire);
    for (int32_t r = 0; r < p; r++) {
        struct process *process = &world.process[r];
        rb_plan_rank(plan, r, &process->state);
        assert_int_equal(dep_window_begin(&process->window, plan, &layout, &process->state, width),
                         RB_OK);
        for (int b = 0; b < RB_BUFFERS; b++) {
            process->buffer[b] = calloc((size_t)room, sizeof(struct value));
            for (int64_t i = 0; i < room; i++)
                process->buffer[b][i] = contribution(r, i, commutes);
        }
        process->stage = calloc((size_t)process->window.tasks, sizeof *process->stage);
        for (int32_t i = 0; i < process->window.tasks; i++)
            process->stage[i] = calloc((size_t)room, sizeof(struct value));
    }
    return world;
}

static void free_world(struct world *world)
{
    for (int32_t r = 0; r < world->p; r++) {
        struct process *process = &world->process[r];
        for (int b = 0; b < RB_BUFFERS; b++)
            free(process->buffer[b]);
        for (int32_t i = 0; i < process->window.tasks; i++)
            free(process->stage[i]);
        free(process->stage);
        dep_window_free(&process->window);
    }
    free(world->process);
    free(world->wire);
    rb_plan_destroy(world->plan);
}

/* ---- What must come out ---------------------------------------------------------------------- */

/* The rank that has this block at the start. */
static int32_t source_of(const struct rb_plan *plan, int32_t owner, int64_t index)
{
    int32_t r = 0;
    while (plan->collective->precondition(plan, r, RB_DST, owner, index) == RB_NOTHING &&
           plan->collective->precondition(plan, r, RB_SRC, owner, index) == RB_NOTHING)
        r++;
    return r;
}

/* In place i of the result of a rank that must have it. */
static struct value expected(const struct world *world, int32_t rank, int64_t i, bool commutes)
{
    const struct rb_plan *plan = world->plan;
    const struct rb_collective *collective = plan->collective;
    if (!collective->info.reducing) {
        const int32_t row = (int32_t)(i / world->row_blocks);
        const int64_t index = i % world->row_blocks;
        if (collective->info.personalized) /* the owner has it elsewhere */
            return contribution(row, rank * world->row_blocks + index, commutes);
        return contribution(source_of(plan, plan->owners == 1 ? plan->root : row, index), i,
                            commutes);
    }
    int32_t first = 0, end = world->p;
    if (collective->contributors != NULL)
        collective->contributors(plan, rank, &first, &end);
    struct value all = contribution(first, i, commutes);
    for (int32_t r = first + 1; r < end; r++)
        all = compose(all, contribution(r, i, commutes));
    return all;
}

static void check_registered(const struct rb_plan_spec *spec, int32_t width, uint64_t seed)
{
    struct rb_plan *plan;
    if (rb_plan_create(spec, &plan, NULL, 0) != RB_OK)
        return; /* it keeps no order */
    const bool commutes = !spec->ordered;
    struct world world = make_world(plan, width, commutes, seed);
    run(&world);
    for (int32_t r = 0; r < world.p; r++)
        for (int64_t i = 0; i < world.places; i++) {
            const int32_t owner =
                rb_plan_owners(plan) == 1 ? plan->root : (int32_t)(i / world.row_blocks);
            const int64_t index =
                i % world.row_blocks + (plan->parts == 1 ? 0 : r * world.row_blocks);
            if (plan->collective->postcondition(plan, r, RB_DST, owner, index) == RB_NOTHING)
                continue;
            const struct value has = world.process[r].buffer[RB_DST][i];
            const struct value should = expected(&world, r, i, commutes);
            if (has.a != should.a || has.b != should.b)
                fail_msg("%s %s, p = %d, n = %d, root %d, width %d, seed %d: block %d of rank %d",
                         spec->collective, spec->algorithm, spec->p, (int)spec->n, spec->root,
                         width, (int)seed, (int)i, r);
        }
    free_world(&world);
}

static void registered_plans_in_any_order(void **state)
{
    (void)state;
    static const int32_t widths[] = {1, 2, 4, 30};
    const struct rb_algorithm_info *algorithm;
    uint64_t seed = 0;
    for (int32_t a = 0; (algorithm = rb_algorithm_at(a)) != NULL; a++)
        for (int32_t p = 1; p <= 9; p++)
            for (int64_t n = 1; n <= 6 && fitting_ranks(algorithm, p) == p; n += p % 2 + 1)
                for (int w = 0; w < 4; w++) {
                    const struct rb_collective_info *collective =
                        rb_collective_find(algorithm->collective);
                    struct rb_plan_spec spec = {.collective = algorithm->collective,
                                                .algorithm = algorithm->name,
                                                .p = p,
                                                .n = n};
                    spec.root = collective->rooted ? (int32_t)(n * 5) % p : 0;
                    check_registered(&spec, widths[w], ++seed);
                    spec.root = 0;
                    spec.ordered = collective->reducing;
                    if (spec.ordered)
                        check_registered(&spec, widths[w], ++seed);
                }
}

static void local_operations_and_ports(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const int32_t p = 3 + (int32_t)(seed % 4), width = 1 + (int32_t)(seed % 5);
        struct world world = make_world(meet_plan(p, 7), width, false, seed);
        run(&world);
        for (int32_t r = 0; r < p; r++)
            for (int64_t i = 0; i < 7; i++) {
                const struct value has = world.process[r].buffer[RB_DST][r * 7 + i];
                struct value all = contribution((r + p - 1) % p, (r + p - 1) % p * 7 + i, false);
                all = compose(all, contribution(r, r * 7 + i, false));
                all = compose(all, contribution((r + 1) % p, (r + 1) % p * 7 + i, false));
                assert_int_equal(has.a, all.a);
                assert_int_equal(has.b, all.b);
            }
        free_world(&world);
    }
}

static void combining_waits_for_older_rounds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const int32_t p = 2 + (int32_t)(seed % 4), width = 1 + (int32_t)(seed % 5);
        struct world world = make_world(apart_plan(p, 6), width, false, seed);
        run(&world);
        for (int32_t r = 0; r < p; r++)
            for (int64_t i = 0; i < 6; i++) {
                const int32_t left = (r + p - 1) % p;
                const struct value has = world.process[r].buffer[RB_DST][r * 6 + i];
                const struct value both = compose(contribution(left, left * 6 + i, false),
                                                  contribution(r, r * 6 + i, false));
                assert_int_equal(has.a, both.a);
                assert_int_equal(has.b, both.b);
            }
        free_world(&world);
    }
}

static void exchange_in_place(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const int32_t p = 1 + (int32_t)(seed % 5), width = 1 + (int32_t)(seed % 3);
        struct rb_plan *plan = (seed < 100 ? swap_plan : halves_plan)(p, 6);
        struct world world = make_world(plan, width, false, seed);
        run(&world);
        for (int32_t r = 0; r < p; r++)
            for (int64_t i = 0; i < 6; i++) {
                const struct value has = world.process[r].buffer[RB_DST][i];
                const int32_t from = (r ^ 1) < p ? r ^ 1 : r;
                assert_int_equal(has.b, contribution(from, i, false).b);
            }
        free_world(&world);
    }
}

static void copies_wait_for_older_rounds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const int32_t p = 1 + (int32_t)(seed % 5), width = 1 + (int32_t)(seed % 3);
        struct world world = make_world(late_plan(p, 3), width, false, seed);
        run(&world);
        for (int32_t r = 0; r < p; r++) {
            const int32_t left = (r + p - 1) % p, first = left * 3;
            for (int32_t i = first; i < first + 3; i++)
                assert_int_equal(world.process[r].buffer[RB_DST][i].b,
                                 contribution(left, i, false).b);
        }
        free_world(&world);
    }
}

/* Ranks that never use their window would pass all of the above. */
static void rounds_do_overlap(void **state)
{
    (void)state;
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = 8, .n = 40};
    for (int32_t width = 1; width <= 8; width++) {
        struct rb_plan *plan;
        assert_int_equal(rb_plan_create(&spec, &plan, NULL, 0), RB_OK);
        struct world world = make_world(plan, width, true, 1);
        run(&world);
        assert_int_equal(world.most_in_flight, width);
        free_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_plans_in_any_order),
        cmocka_unit_test(local_operations_and_ports),
        cmocka_unit_test(combining_waits_for_older_rounds),
        cmocka_unit_test(exchange_in_place),
        cmocka_unit_test(copies_wait_for_older_rounds),
        cmocka_unit_test(rounds_do_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
