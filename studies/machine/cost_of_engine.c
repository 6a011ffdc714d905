/* cost_of_engine.c - rows whose times follow an engine on the machine's network (machine.h):
 * collectives of NCCL follow its cost model, plans between GPUs the engine flow. */
#include <stdio.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "mpi/vendors/names/mpilib.h"
#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "studies/machine/machine.h"

const struct mach_cost mach_engine = {.name = "engine's time", .usual = 1, .per_message = true};

/* The machines of platforms that have a network interface for each GPU: the GPUs' compute
 * capability and the processors, which NCCL's model asks for. Where neither is given they are
 * Hopper and Intel's. */
static const struct {
    const char *begin;
    const char *option[2];
} machines[] = {
    {"dgx-h100", {NULL, NULL}},           {"dgx-b200", {"sm:100", NULL}},
    {"gb200-nvl72", {"sm:100", NULL}},    {"leonardo-rails", {"sm:80", NULL}},
    {"marenostrum5-rails", {NULL, NULL}},
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* The number of the machine that a row's system begins; MACHINES: none. */
static int machine_of(const char *system)
{
    int i = 0;
    while (i < MACHINES && !rows_same_text(system, machines[i].begin, true))
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
    snprintf(platform, sizeof platform, "%s:%d", machines[machine].begin, (int)row->nodes);
    if (platform_find_group(platform, "node", &terminals, error) != RB_OK)
        return RB_ENOTSUP;
    if (row->ranks_per_node != terminals || row->p != row->nodes * terminals)
        return sup_fail(error, RB_ENOTSUP, "%s has %d GPUs and network interfaces per node, not %d",
                        machines[machine].begin, (int)terminals, (int)row->ranks_per_node);
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
    struct sim_spec of = {.plan = plan,
                          .layout = &layout,
                          .platform = platform,
                          .ppn = 1,
                          .overlap = {.rule = SIM_BLOCKING}};
    if (strcmp(engine, "nccl") == 0) {
        of.options = machines[machine].option;
        while (of.option_count < 2 && of.options[of.option_count] != NULL)
            of.option_count++;
    }
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
