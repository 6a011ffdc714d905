/* costs.c - the parameters of the registered costs (machine.h). */
#include "studies/machine/machine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "mpi/vendors/names/mpilib.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/units.h"

/* ---- What the terms of a critical path cost (path.h) ----------------------------------------- */

const struct mach_cost mach_latency = {.name = "latency",
                                       .usual = 2e-6,
                                       .per_message = true,
                                       .knot = {256, 4096, 16384, 65536},
                                       .of_path = true,
                                       .kind = PATH_LATENCY};

const struct mach_cost mach_overhead = {.name = "overhead",
                                        .usual = 3e-7,
                                        .per_message = true,
                                        .knot = {4096},
                                        .of_path = true,
                                        .kind = PATH_OVERHEAD};

const struct mach_cost mach_bytes = {.name = "byte",
                                     .usual = 6e-11,
                                     .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                     .of_path = true,
                                     .kind = PATH_BYTES};

const struct mach_cost mach_exchanged = {.name = "byte of an exchange",
                                         .usual = 7e-11,
                                         .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                         .of_path = true,
                                         .kind = PATH_EXCHANGED};

const struct mach_cost mach_packed = {.name = "byte packed",
                                      .usual = 5e-11,
                                      .knot = {65536, 4194304, 67108864},
                                      .of_path = true,
                                      .kind = PATH_PACKED};

const struct mach_cost mach_host_latency = {.name = "latency in a host",
                                            .usual = 6e-7,
                                            .per_message = true,
                                            .knot = {256, 4096, 16384, 65536},
                                            .of_path = true,
                                            .kind = PATH_HOST_LATENCY};

const struct mach_cost mach_host_bytes = {.name = "byte in a host",
                                          .usual = 1.5e-10,
                                          .knot = {4096, 65536, 1048576, 16777216, 268435456},
                                          .of_path = true,
                                          .kind = PATH_HOST_BYTES};

const struct mach_cost mach_combined = {.name = "byte combined",
                                        .usual = 2e-10,
                                        .knot = {4096, 65536, 524288, 4194304, 33554432, 268435456},
                                        .of_path = true,
                                        .kind = PATH_COMBINED};

/* Implementations copy all data, too, some of them several times. */
static double copied(const struct rows_row *row, double *bytes)
{
    return *bytes = (double)row->manner.copies * (double)row->m_bytes;
}

const struct mach_cost mach_copied = {.name = "byte copied",
                                      .usual = 1e-10,
                                      .knot = {65536, 4194304, 67108864},
                                      .of_path = true,
                                      .kind = PATH_COPIED,
                                      .units = copied};

/* ---- Rows whose times follow an engine on the machine's network (machine.h) ------------------ */

/* Collectives of NCCL follow its cost model, plans between GPUs the engine flow. */

const struct mach_cost mach_engine = {.name = "engine's time", .usual = 1, .per_message = true};

/* The machines of platforms that have a network interface for each GPU. */
static const char *const machines[] = {"dgx-h100", "dgx-b200", "gb200-nvl72", "leonardo-rails",
                                       "marenostrum5-rails"};
enum { MACHINES = sizeof machines / sizeof *machines };

/* The number of the machine that a row's system begins; MACHINES: none. */
static int machine_of(const char *system)
{
    int i = 0;
    while (i < MACHINES && !rows_same_text(system, machines[i], true))
        i++;
    return i;
}

static int simulate(const struct rows_row *row, const char *engine, const char *algorithm,
                    struct mach_engine_time *time, struct sup_error *error)
{
    const int machine = machine_of(row->system);
    char platform[64], groups[16], why[160];
    struct rb_plan *plan;
    struct rb_layout layout = {.bytes = row->m_bytes, .element = 1};
    struct sim_result result = {0};
    int32_t terminals;
    if (machine == MACHINES)
        return sup_fail(error, RB_ENOTSUP,
                        "the GPUs and network interfaces of %.60s are not known: call the machine "
                        "dgx-h100 or by another name of `roundabout platform list`",
                        row->system);
    snprintf(platform, sizeof platform, "%s:%d", machines[machine], (int)row->nodes);
    if (platform_find_group(platform, "node", &terminals, error) != RB_OK)
        return RB_ENOTSUP;
    if (row->ranks_per_node != terminals || row->p != row->nodes * terminals)
        return sup_fail(error, RB_ENOTSUP, "%s has %d GPUs and network interfaces per node, not %d",
                        machines[machine], (int)terminals, (int)row->ranks_per_node);
    snprintf(groups, sizeof groups, "%d", (int)terminals);
    struct rb_plan_spec spec = {.collective = row->collective,
                                .algorithm = algorithm,
                                .p = row->p,
                                .root = row->root,
                                .n = rows_blocks(row),
                                .ports = terminals,
                                .radix = row->radix,
                                .groups = groups};
    int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status == RB_EINVAL) { /* a plan for one port at a time */
        spec.ports = 1;
        status = rb_plan_create(&spec, &plan, why, sizeof why);
    }
    if (status != RB_OK)
        return sup_fail(error, status == RB_ENOMEM ? status : RB_ENOTSUP, "%s", why);
    const struct sim_spec of = {.plan = plan,
                                .layout = &layout,
                                .platform = platform,
                                .ppn = 1,
                                .overlap = {.rule = SIM_BLOCKING}};
    status = sim_run(sim_engine_find(engine), &of, &result, error);
    time->time_s = result.time_s;
    snprintf(time->variant, sizeof time->variant, "%s", result.variant);
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status == RB_EINVAL ? RB_ENOTSUP : status;
}

int mach_engine_time(const struct rows_row *row, struct mach_engine_time *time,
                     struct sup_error *error)
{
    if (row->manner.engine == NULL || row->algorithm == NULL)
        return sup_fail(error, RB_ENOTSUP, "%s %s: no engine computes its time", row->collective,
                        row->name);
    return simulate(row, row->manner.engine, row->algorithm, time, error);
}

int mach_engine_choice(const struct rows_row *row, const char **algorithm, struct sup_error *error)
{
    size_t count;
    const struct mpilib_algorithm *known = mpilib_rows("nccl", &count);
    struct mach_engine_time time, least = {.time_s = 0};
    int status = sup_fail(error, RB_ENOTSUP, "NCCL's cost model has no algorithm for it");
    *algorithm = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i].collective, row->collective) == 0 && known[i].algorithm != NULL &&
            (status = simulate(row, "nccl", known[i].algorithm, &time, error)) == RB_OK &&
            (*algorithm == NULL || time.time_s < least.time_s)) {
            *algorithm = known[i].algorithm;
            least = time;
        }
    return *algorithm != NULL ? RB_OK : status;
}

/* ---- What a measurement adds: ranks begin and end at different times ------------------------- */

static double once(const struct rows_row *row, double *bytes)
{
    (void)row;
    (void)bytes;
    return 1;
}

const struct mach_cost mach_skew = {
    .name = "skew", .usual = 2e-6, .per_message = true, .units = once};

static double doublings(const struct rows_row *row, double *bytes)
{
    (void)bytes;
    return log2((double)row->p);
}

const struct mach_cost mach_rank_skew = {
    .name = "skew per doubling of p", .usual = 3e-7, .per_message = true, .units = doublings};

/* ---- All costs ------------------------------------------------------------------------------- */

static const struct mach_cost *const costs[] = {
#define MACH_COST(name) &name,
#include "studies/machine/list.h"
};
enum { COSTS = sizeof costs / sizeof *costs };

static struct mach_parameter parameters[MACH_PARAMETERS];
static int32_t first_of[COSTS + 1], parameter_count; /* of each cost */
static int32_t cost_of[PATH_KINDS];                  /* number of the cost of a path's terms */

static void add(const struct mach_cost *cost, int knot)
{
    assert(parameter_count < MACH_PARAMETERS);
    struct mach_parameter *parameter = &parameters[parameter_count++];
    *parameter = (struct mach_parameter){.usual = cost->usual,
                                         .per_message = cost->per_message,
                                         .first = knot == 0,
                                         .bytes = cost->knot[knot]};
    char size[32];
    if (parameter->bytes > 0)
        snprintf(parameter->name, sizeof parameter->name, "%s %s", cost->name,
                 sup_format_bytes((int64_t)parameter->bytes, size, sizeof size));
    else
        snprintf(parameter->name, sizeof parameter->name, "%s", cost->name);
}

const struct mach_parameter *mach_parameters(int32_t *count)
{
    for (int32_t i = 0; i < COSTS && first_of[COSTS] == 0; i++) {
        first_of[i] = parameter_count;
        add(costs[i], 0);
        for (int knot = 1; knot < MACH_KNOTS && costs[i]->knot[knot] > 0; knot++)
            add(costs[i], knot);
        if (costs[i]->of_path)
            cost_of[costs[i]->kind] = i;
    }
    first_of[COSTS] = parameter_count;
    *count = parameter_count;
    return parameters;
}

/* The two knots around a size and the weight of the upper one; both are the same beyond the ends.
 */
static void around(int32_t cost, double bytes, int32_t *low, int32_t *high, double *weight)
{
    const int32_t end = first_of[cost + 1];
    *low = first_of[cost];
    while (*low + 1 < end && parameters[*low + 1].bytes <= bytes)
        ++*low;
    *high = *low + 1 < end && bytes > parameters[*low].bytes ? *low + 1 : *low;
    *weight = *high == *low ? 0
                            : log(bytes / parameters[*low].bytes) /
                                  log(parameters[*high].bytes / parameters[*low].bytes);
}

double mach_costs_at(const double value[], enum path_kind kind, double bytes)
{
    int32_t count, low, high;
    double weight;
    mach_parameters(&count);
    around(cost_of[kind], bytes, &low, &high, &weight);
    return (1 - weight) * value[low] + weight * value[high];
}

static void add_units(int32_t number, double units, double bytes, double cost[])
{
    int32_t low, high;
    double weight;
    around(number, bytes, &low, &high, &weight);
    cost[low] += (1 - weight) * units;
    cost[high] += weight * units;
}

void mach_costs_engine(double time_s, double cost[])
{
    int32_t count;
    mach_parameters(&count);
    memset(cost, 0, (size_t)count * sizeof *cost);
    cost[count - 1] = time_s;
}

void mach_costs_row(const struct path *path, const struct rows_row *row, double cost[])
{
    int32_t count;
    mach_parameters(&count);
    memset(cost, 0, (size_t)count * sizeof *cost);
    for (int32_t i = 0; i < path->count; i++)
        add_units(cost_of[path->term[i].kind], path->term[i].weight, path->term[i].bytes, cost);
    for (int32_t i = 0; i < COSTS; i++) {
        double bytes = 0;
        if (costs[i]->units != NULL) {
            const double units = costs[i]->units(row, &bytes);
            add_units(i, units, bytes, cost);
        }
    }
}
