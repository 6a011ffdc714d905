/* plans.c - the plans of steps: made when a communicator first comes to one, and kept. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/decide.h"
#include "experiments/point/words.h"
#include "experiments/workload/reading.h"
#include "mpi/vendors/names/mpilib.h"
#include "mpi/vendors/rules/rules.h"
#include "platforms/network.h"
#include "platforms/platform.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/units.h"

/* ---- Choosing a plan ------------------------------------------------------------------------- */

/* A communicator that is to get a plan. */
struct wanted {
    const struct workload_move *move;
    int32_t p, root;
    const int32_t *member; /* p ranks of the job */
    const int32_t *host;   /* of each rank of the job; NULL: not known, each has its own */
    double alpha_s, beta_s_per_byte; /* 0: not known */
};

static bool is_native(const struct workload_move *move)
{
    return move->algorithm != NULL && sim_native_name(move->algorithm) != NULL;
}

bool workload_is_librarys(const struct workload_move *move)
{
    return move->rules != NULL || is_native(move);
}

/* The plan depends on which ranks share hosts. */
static bool is_by_hosts(const struct workload_move *move)
{
    return workload_is_librarys(move) ||
           (move->groups != NULL && strcmp(move->groups, WORKLOAD_HOST) == 0);
}

static bool share(const struct wanted *wanted, int32_t a, int32_t b)
{
    return wanted->host != NULL &&
           wanted->host[wanted->member[a]] == wanted->host[wanted->member[b]];
}

/* The sizes of groups of ranks that follow one another and share a host, owned; NULL: each is
 * alone. *ppn is the largest. */
static char *groups_by_hosts(const struct wanted *wanted, int32_t *ppn)
{
    char *text;
    size_t size;
    FILE *stream = sup_memory_open(&text, &size);
    *ppn = 1;
    for (int32_t r = 0, next; r < wanted->p; r = next) {
        for (next = r + 1; next < wanted->p && share(wanted, r, next);)
            next++;
        *ppn = next - r > *ppn ? next - r : *ppn;
        fprintf(stream, "%s%" PRId32, r == 0 ? "" : ",", next - r);
    }
    sup_memory_close(stream, &text);
    if (*ppn > 1)
        return text;
    free(text);
    return NULL;
}

/* The closed form's best n, which leaves no block empty. */
static int64_t best_n(const struct wanted *wanted, const struct rb_plan_spec *spec)
{
    const struct workload_move *move = wanted->move;
    const struct rb_algorithm_info *info = rb_algorithm_find(spec->collective, spec->algorithm);
    const int64_t most = cli_most_blocks(move->collective, spec->p, move->bytes / move->element,
                                         !sup_counts_differ(&move->counts));
    int64_t n = 1;
    if (info == NULL || (!info->pipelined && info->only == NULL))
        return 1;
    if (info->only != NULL)
        return info->only->n > 0 ? info->only->n : 1;
    if (wanted->alpha_s <= 0 ||
        rb_best_n(spec, move->bytes, wanted->alpha_s, wanted->beta_s_per_byte, &n) != RB_OK)
        return 1;
    return n < most ? n : most;
}

/* By the closed form; INFINITY: it has none, or there is no such plan. */
static double closed_form_s(const struct wanted *wanted, const struct rb_plan_spec *spec)
{
    const struct rb_layout layout = {.bytes = wanted->move->bytes,
                                     .element = wanted->move->element};
    struct rb_plan *plan = NULL;
    double time_s = INFINITY;
    if (!sup_plan_is_supported(spec) || rb_plan_create(spec, &plan, NULL, 0) != RB_OK ||
        rb_plan_cost(plan, &layout, wanted->alpha_s, wanted->beta_s_per_byte, &time_s) != RB_OK)
        time_s = INFINITY;
    rb_plan_destroy(plan);
    return time_s;
}

/* The algorithm, with its n, whose closed form is least; without closed forms the usual one. */
static void choose_best(const struct wanted *wanted, struct rb_plan_spec *spec)
{
    const struct rb_algorithm_info *info;
    const struct rb_plan_spec asked = *spec;
    double best_s = INFINITY;
    spec->algorithm = rb_algorithm_find(asked.collective, NULL)->name;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        struct rb_plan_spec with = asked;
        if (strcmp(info->collective, asked.collective) != 0)
            continue;
        with.algorithm = info->name;
        if (wanted->move->n == 0)
            with.n = sup_plan_is_supported(&with) ? best_n(wanted, &with) : 1;
        const double time_s = closed_form_s(wanted, &with);
        if (time_s < best_s) {
            best_s = time_s;
            *spec = with;
        }
    }
}

/* By a library's rules, which may take the plan's groups. */
static int choose_by_library(const struct wanted *wanted, int32_t ppn, struct point_plan *plan,
                             struct sup_error *error)
{
    const struct workload_move *move = wanted->move;
    const struct mpilib_call call = {.collective = move->collective->name,
                                     .p = wanted->p,
                                     .ppn = ppn,
                                     .bytes = move->bytes,
                                     .element = move->element,
                                     .irregular = sup_counts_differ(&move->counts)};
    const int status = mpilib_choose(sim_native_name(move->algorithm), &call, &plan->choice, error);
    plan->spec.algorithm = plan->choice.algorithm;
    plan->spec.radix = plan->choice.radix;
    plan->spec.n = plan->choice.n;
    if (status == RB_OK && plan->choice.by_hosts)
        plan->spec.groups = plan->groups;
    return status;
}

static int choose_by_rules(const struct wanted *wanted, int32_t ppn, struct rb_plan_spec *spec,
                           struct sup_error *error)
{
    const struct workload_move *move = wanted->move;
    const struct rules_query query = {
        .collective = spec->collective, .p = wanted->p, .ppn = ppn, .m_bytes = move->bytes};
    struct rules_answer answer = {.name = ""};
    char bytes[32];
    if (!rules_look_up(move->rules, &query, &answer))
        return sup_fail(error, RB_EINVAL,
                        "%s has no rule for %s of %" PRId32 " ranks and %s: the library decides",
                        strchr(move->algorithm, ':') + 1, spec->collective, wanted->p,
                        sup_format_bytes(move->bytes, bytes, sizeof bytes));
    if (answer.row == NULL || answer.row->algorithm == NULL)
        return sup_fail(error, RB_EINVAL, "%s takes %s, of which there is no plan",
                        strchr(move->algorithm, ':') + 1, answer.name);
    spec->algorithm = answer.row->algorithm;
    spec->radix = answer.radix != 0 ? answer.radix : answer.row->radix;
    spec->n = decide_blocks(spec, move->bytes, answer.segment_bytes);
    return RB_OK;
}

/* The caller frees the plan, also on failure. */
static int choose(const struct wanted *wanted, struct point_plan *plan, struct sup_error *error)
{
    const struct workload_move *move = wanted->move;
    struct rb_plan_spec *spec = &plan->spec;
    int32_t ppn = 1;
    int status = RB_OK;
    *plan = (struct point_plan){.groups = is_by_hosts(move) ? groups_by_hosts(wanted, &ppn) : NULL,
                                .spec = {.collective = move->collective->name,
                                         .algorithm = move->algorithm,
                                         .p = wanted->p,
                                         .root = wanted->root,
                                         .n = move->n > 0 ? move->n : 1,
                                         .ports = move->ports,
                                         .radix = move->radix,
                                         .instance = move->instance,
                                         .groups = move->groups}};
    if (spec->groups != NULL && strcmp(spec->groups, WORKLOAD_HOST) == 0)
        spec->groups = plan->groups;
    if (move->rules != NULL)
        status = choose_by_rules(wanted, ppn, spec, error);
    else if (is_native(move))
        status = choose_by_library(wanted, ppn, plan, error);
    else if (move->algorithm != NULL && strcmp(move->algorithm, WORKLOAD_BEST) == 0)
        choose_best(wanted, spec);
    else if (move->n == 0)
        spec->n = best_n(wanted, spec);
    return status;
}

/* `first` as in rb_plan_spec. */
static int make_plan(const struct wanted *wanted, const int64_t *first, struct rb_plan **plan,
                     struct sup_error *error)
{
    struct point_plan chosen;
    char why[300];
    int status = choose(wanted, &chosen, error);
    chosen.spec.first = first;
    if (status == RB_OK &&
        (status = rb_plan_create(&chosen.spec, plan, why, sizeof why)) != RB_OK) {
        sup_had_memory(status != RB_ENOMEM);
        sup_fail(error, status, "%s", why);
    }
    point_plan_free(&chosen);
    return status;
}

int workload_try_plan(const struct workload_move *move, int32_t p, struct sup_error *error)
{
    const struct wanted wanted = {.move = move, .p = p, .root = move->root_moves ? 0 : move->root};
    struct rb_plan *plan = NULL;
    const int status = make_plan(&wanted, NULL, &plan, error);
    rb_plan_destroy(plan);
    return status;
}

static int make(const struct wanted *wanted, struct workload_made *made, struct sup_error *error)
{
    const struct workload_move *move = wanted->move;
    made->layout = (struct rb_layout){.bytes = move->bytes, .element = move->element};
    const int status = sup_counts_apply(&move->counts, move->collective, wanted->p, &made->layout,
                                        &made->first, error);
    if (status != RB_OK)
        return status;
    return move->pattern != NULL ? sim_pattern_make(move->pattern, wanted->p, &made->plan, error)
                                 : make_plan(wanted, made->first, &made->plan, error);
}

/* ---- Plans that are kept --------------------------------------------------------------------- */

static void free_made(struct workload_made *made)
{
    rb_plan_destroy(made->plan);
    free(made->first);
    free(made);
}

static void forget_plans(struct workload_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        free_made(step->made[i]);
    free(step->made);
    step->made = NULL;
    step->count = 0;
}

void workload_free_step(struct workload_step *step)
{
    forget_plans(step);
    if (step->move.pattern != NULL)
        free(step->move.pattern->sent);
    free(step->move.pattern);
    free(step->move.algorithm);
    free(step->move.groups);
    free(step->move.instance);
    rules_file_free(step->move.rules);
}

SUP_COMPARE(by_shape, struct workload_made *, SUP_ORDER((*a)->shape, (*b)->shape),
            SUP_ORDER((*a)->root, (*b)->root));

static struct wanted want(const struct workload_part *part, int32_t step, int32_t communicator,
                          int64_t counter)
{
    const struct workload_move *move = &part->step[step].move;
    const struct sim_communicators *set = &part->job->set[part->job->step[step].set];
    const int32_t p = sim_communicator_size(set, communicator);
    const int64_t root = move->root_moves ? (move->root + counter % p) % p : move->root;
    return (struct wanted){.move = move,
                           .p = p,
                           .root = (int32_t)root,
                           .member = &set->member[set->first[communicator]],
                           .host = part->host,
                           .alpha_s = part->alpha_s,
                           .beta_s_per_byte = part->beta_s_per_byte};
}

/* The plan of a communicator, made now if there is none. */
static int find_plan(struct workload_step *step, const struct wanted *wanted, int32_t communicator,
                     const struct workload_made **found, struct sup_error *error)
{
    struct workload_made key = {.shape = is_by_hosts(wanted->move) ? communicator : wanted->p,
                                .root = wanted->root},
                         *made = &key;
    const size_t at = sup_array_place(step->made, step->count, sizeof made, &made, by_shape);
    *found = at < step->count ? step->made[at] : NULL;
    if (*found != NULL && by_shape(&step->made[at], &made) == 0)
        return RB_OK;
    made = sup_malloc(sizeof *made);
    *made = key;
    const int status = make(wanted, made, error);
    if (status != RB_OK) {
        free_made(made);
        return status;
    }
    sup_had_memory(sup_array_insert(&step->made, step->count++, sizeof made, at, &made));
    *found = made;
    return RB_OK;
}

int workload_plan_of(void *context, int32_t job, int32_t step, int32_t communicator,
                     int64_t counter, struct sim_step_plan *plan, struct sup_error *error)
{
    const struct workload_file *file = context;
    const struct workload_part *part = &file->part[job];
    const struct wanted wanted = want(part, step, communicator, counter);
    const struct workload_made *made;
    struct sup_error why;
    const int status = find_plan(&part->step[step], &wanted, communicator, &made, &why);
    if (status != RB_OK) {
        sweep_fault(&file->document, wanted.move->node, "algorithm", error, "%s", why.text);
        return status;
    }
    *plan = (struct sim_step_plan){made->plan, &made->layout};
    return RB_OK;
}

static const struct workload_part *part_of(const struct sim_workload *workload, int32_t job)
{
    return &((const struct workload_file *)workload->context)->part[job];
}

struct workload_move *workload_move_of(const struct sim_workload *workload, int32_t job,
                                       int32_t step)
{
    return &part_of(workload, job)->step[step].move;
}

void workload_forget_plans(const struct sim_workload *workload, int32_t job, int32_t step)
{
    forget_plans(&part_of(workload, job)->step[step]);
}

void workload_costs(const struct sim_workload *workload, int32_t job, double *alpha_s,
                    double *beta_s_per_byte)
{
    *alpha_s = part_of(workload, job)->alpha_s;
    *beta_s_per_byte = part_of(workload, job)->beta_s_per_byte;
}

/* ---- On a platform --------------------------------------------------------------------------- */

/* There are hosts enough, those that jobs name included. */
static int check_hosts(const struct sim_workload *workload,
                       const struct point_known_platform *platform, struct sup_error *error)
{
    const struct workload_file *file = workload->context;
    int64_t wanted = 0;
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        wanted += job->hosts;
        for (int32_t i = 0; job->host != NULL && i < job->hosts; i++)
            if (job->host[i] >= platform->hosts)
                return sweep_fault(&file->document, file->part[j].hosts, "hosts", error,
                                   "host %" PRId32 ", %s has %" PRId32, job->host[i],
                                   platform->text, platform->hosts);
    }
    return wanted <= platform->hosts ? RB_OK
                                     : sweep_fault(&file->document, file->jobs, NULL, error,
                                                   "%" PRId64 " hosts needed, %s has %" PRId32,
                                                   wanted, platform->text, platform->hosts);
}

static int map(const struct sim_workload *workload, const struct point_known_platform *platform,
               int32_t host[], struct sup_error *error)
{
    struct platform_hosts named;
    struct sim_hosts hosts = {.count = platform->hosts};
    int status = RB_OK;
    if (platform_is_generated(platform->text)) {
        status = platform_find_hosts(platform->text, &named, error);
        hosts = (struct sim_hosts){named.count, platform_host_name, &named};
    }
    return status == RB_OK ? sim_workload_map(workload, &hosts, host, error) : status;
}

/* Latency and bandwidth between the hosts of the job's first two ranks that don't share one. Where
 * there is no formula of routes, and where hosts of a node are nearer to each other, those of the
 * platform. */
static void find_costs(struct workload_part *part, const struct point_known_platform *platform,
                       struct platform_network *network)
{
    struct platform_route route;
    int32_t other = 1;
    part->alpha_s = platform->alpha_s;
    part->beta_s_per_byte = platform->beta_s_per_byte;
    while (other < part->job->ranks && part->host[other] == part->host[0])
        other++;
    if (network == NULL || platform->cuts.node_terminals > 1 || other == part->job->ranks ||
        platform_network_route(network, part->host[0], part->host[other], 0, &route, NULL) != RB_OK)
        return;
    part->alpha_s = route.latency_s;
    part->beta_s_per_byte = 1 / route.bandwidth;
}

/* The plan of a communicator of each size. */
static int try_plans(const struct sim_workload *workload, int32_t job, struct sup_error *error)
{
    const struct workload_part *part = part_of(workload, job);
    struct sim_step_plan plan;
    int status = RB_OK;
    for (int32_t s = 0; s < part->steps; s++) {
        const struct sim_communicators *set = &part->job->set[part->job->step[s].set];
        for (int32_t i = 0; part->job->step[s].kind == SIM_MOVE && i < set->shapes; i++)
            if (status == RB_OK)
                status =
                    workload_plan_of(workload->context, job, s, set->shape[i], 0, &plan, error);
    }
    return status;
}

int workload_settle(struct sim_workload *workload, const struct point_known_platform *platform,
                    struct sup_error *error)
{
    struct workload_file *file = workload->context;
    int32_t *host = sup_calloc((size_t)sim_workload_ranks(workload), sizeof *host);
    struct sup_error why;
    int status = check_hosts(workload, platform, error);
    if (status == RB_OK && (status = map(workload, platform, host, &why)) != RB_OK)
        sweep_fault(&file->document, file->jobs, NULL, error, "%s", why.text);
    struct platform_network *network = NULL;
    if (status == RB_OK && platform_is_generated(platform->text))
        status = platform_network_create(platform->text, &network, error);
    for (int32_t j = 0; j < file->parts && status == RB_OK; j++) {
        struct workload_part *part = &file->part[j];
        const size_t size = (size_t)part->job->ranks * sizeof *part->host;
        part->host = sup_realloc(part->host, size);
        memcpy(part->host, &host[sim_workload_first(workload, j)], size);
        find_costs(part, platform, network);
        for (int32_t s = 0; s < part->steps; s++)
            forget_plans(&part->step[s]);
        status = try_plans(workload, j, error);
    }
    platform_network_destroy(network);
    free(host);
    return status;
}
