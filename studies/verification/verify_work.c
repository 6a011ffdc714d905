/* verify_work.c - the common part of all workers' work, and the work on plans (verify.h). */
#include "studies/verification/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "interchange/programs/lower.h"
#include "support/memory.h"
#include "support/names.h"

struct verify_failure *verify_failure_place(struct verify_record *record, int32_t p)
{
    const int64_t failed = atomic_load(&record->failed);
    const size_t most = VERIFY_KEPT_FAILURES;
    const size_t kept = failed < VERIFY_KEPT_FAILURES ? (size_t)failed : most;
    size_t at = kept;
    while (at > 0 && record->failures[at - 1].p > p)
        at--;
    if (at == most)
        return NULL;
    memmove(&record->failures[at + 1], &record->failures[at],
            ((kept < most ? kept : most - 1) - at) * sizeof record->failures[0]);
    return &record->failures[at];
}

static void count_failure(struct verify_record *record)
{
    atomic_fetch_add(&record->failed, 1);
}

void verify_wrong_schedule(struct verify_record *record, int32_t p, const char *options,
                           const char *what)
{
    struct verify_failure *failure = verify_failure_place(record, p);
    if (failure != NULL) {
        failure->p = p;
        snprintf(failure->what, sizeof failure->what, "schedules for p = %" PRId32 ": %s", p, what);
        snprintf(failure->repeat, sizeof failure->repeat, "roundabout verify %s -p %" PRId32,
                 options, p);
    }
    count_failure(record);
}

void verify_give_up(struct verify_record *record, int status, const char *what)
{
    record->status = status;
    snprintf(record->failures[0].what, sizeof record->failures[0].what, "%s", what);
}

static void describe_failure(struct verify_failure *failure, const struct rb_plan_spec *spec,
                             const struct sup_counts *counts, const char *what)
{
    char text[SUP_COUNTS_TEXT], ports[32] = "", radix[32] = "", give_radix[32] = "", others[128],
                                give[128];
    const char *instance = spec->instance == NULL ? "" : spec->instance;
    sup_counts_format(counts, text, sizeof text);
    if (spec->ports > 1)
        snprintf(ports, sizeof ports, ", %" PRId32 " ports", spec->ports);
    if (spec->radix > 0) {
        snprintf(radix, sizeof radix, ", radix %" PRId32, spec->radix);
        snprintf(give_radix, sizeof give_radix, " --radix %" PRId32, spec->radix);
    }
    const bool regular = !sup_counts_differ(counts);
    failure->p = spec->p;
    snprintf(failure->what, sizeof failure->what,
             "%s %s, p = %" PRId32 ", n = %" PRId64 ", root %" PRId32 "%s%s%s%s%s%s%s: %s",
             spec->collective, spec->algorithm, spec->p, spec->n, spec->root, ports, radix,
             point_format_others(spec, ", ", others, sizeof others), *instance == '\0' ? "" : ", ",
             instance, regular ? "" : ", counts ", regular ? "" : text, what);
    snprintf(failure->repeat, sizeof failure->repeat,
             "roundabout verify --collective %s --algorithm %s -p %" PRId32 " -n %" PRId64
             " --root %" PRId32 " --ports %" PRId32 "%s%s%s%s%s%s%s",
             spec->collective, spec->algorithm, spec->p, spec->n, spec->root, spec->ports,
             give_radix, point_format_others(spec, " --", give, sizeof give),
             *instance == '\0' ? "" : " --instance ", instance, spec->ordered ? " --ordered" : "",
             regular ? "" : " --counts ", regular ? "" : text);
}

/* The layout of irregular counts, of a file's elements, or of 8 per rank or pair, so that some
 * shares are empty by their weight; of regular ones `first` is NULL. The caller frees it. */
static int lay_out(const struct rb_plan_spec *spec, const struct sup_counts *counts,
                   struct rb_layout *layout, int64_t **first, struct sup_error *error)
{
    const struct rb_collective_info *collective = rb_collective_find(spec->collective);
    const int64_t p = spec->p, shares = collective->personalized ? p * p : p;
    *first = NULL;
    *layout = (struct rb_layout){.bytes = counts->elements > 0 ? counts->elements : 8 * shares,
                                 .element = 1};
    return sup_counts_apply(counts, collective, spec->p, layout, first, error);
}

static void keep_most(int64_t *most, int64_t value)
{
    if (value > *most)
        *most = value;
}

/* The lower bounds of a plan, for as many rounds as it has. */
struct bounds {
    int64_t rounds, moves, critical_volume;
};

static struct bounds bounds_of(const struct rb_plan *plan, const struct rb_verdict *verdict)
{
    return (struct bounds){rb_bound_rounds(plan), rb_bound_moves(plan),
                           rb_bound_critical_volume(plan, verdict->rounds)};
}

static void count_right(struct verify_tally *tally, const struct bounds *bounds,
                        const struct rb_verdict *verdict)
{
    const int64_t extra_rounds = verdict->rounds - bounds->rounds;
    const int64_t extra_critical_volume = verdict->critical_volume - bounds->critical_volume;
    tally->at_bound += extra_rounds == 0;
    tally->critical_volume_at_bound += extra_critical_volume == 0;
    keep_most(&tally->most_extra_rounds, extra_rounds);
    keep_most(&tally->most_extra_moves, verdict->moves - bounds->moves);
    keep_most(&tally->most_extra_critical_volume, extra_critical_volume);
}

/* A lower bound holds for any plan, so a value below it is a fault. */
static int check_bounds(const struct bounds *bounds, struct rb_verdict *verdict)
{
    const struct {
        const char *what;
        int64_t value, bound;
    } bounded[] = {
        {"rounds", verdict->rounds, bounds->rounds},
        {"moves of blocks", verdict->moves, bounds->moves},
        {"blocks in sequence", verdict->critical_volume, bounds->critical_volume},
    };
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0]; i++)
        if (bounded[i].value < bounded[i].bound) {
            snprintf(verdict->what, sizeof verdict->what,
                     "%" PRId64 " %s are fewer than the lower bound of any such plan, %" PRId64,
                     bounded[i].value, bounded[i].what, bounded[i].bound);
            return RB_EWRONG;
        }
    return RB_OK;
}

void verify_cover_add(struct verify_cover *to, const struct verify_cover *from)
{
    to->ordered += from->ordered;
    to->off_roots += from->off_roots;
    to->irregular += from->irregular;
    to->on_ports += from->on_ports;
    to->by_radix += from->by_radix;
    to->instances += from->instances;
    to->too_large += from->too_large;
    keep_most(&to->most_p, from->most_p);
    keep_most(&to->most_n, from->most_n);
    keep_most(&to->most_ports, from->most_ports);
    keep_most(&to->most_radix, from->most_radix);
}

void verify_tally_add(struct verify_tally *to, const struct verify_tally *from)
{
    verify_cover_add(&to->cover, &from->cover);
    to->plans += from->plans;
    to->wrong += from->wrong;
    to->unfit += from->unfit;
    to->at_bound += from->at_bound;
    to->unbounded += from->unbounded;
    to->critical_volume_at_bound += from->critical_volume_at_bound;
    keep_most(&to->most_extra_rounds, from->most_extra_rounds);
    keep_most(&to->most_extra_moves, from->most_extra_moves);
    keep_most(&to->most_extra_critical_volume, from->most_extra_critical_volume);
    keep_most(&to->most_room, from->most_room);
    keep_most(&to->most_block_room, from->most_block_room);
}

/* Records the kind of this plan. */
static void count_cover(struct verify_cover *cover, const struct rb_plan_spec *spec,
                        const struct sup_counts *counts)
{
    cover->ordered += spec->ordered;
    cover->off_roots += spec->root != 0 && spec->root != spec->p / 2 && spec->root != spec->p - 1;
    cover->irregular += sup_counts_differ(counts);
    cover->on_ports += spec->ports > 1;
    cover->by_radix += spec->radix > 0;
    cover->instances += spec->instance != NULL;
    keep_most(&cover->most_p, spec->p);
    keep_most(&cover->most_n, spec->n);
    keep_most(&cover->most_ports, spec->ports);
    keep_most(&cover->most_radix, spec->radix);
}

/* Whether FIFOs of job->buffers messages suffice; for the table, what would. */
static int check_buffers(const struct verify_job *job, const struct rb_plan *plan,
                         struct verify_tally *tally, struct rb_verdict *verdict)
{
    int64_t blocks = 0;
    int status = RB_OK;
    if (verdict->room == 0) { /* a round plan */
        status = prg_plan_room(plan, false, &verdict->room);
        if (status == RB_OK)
            status = prg_plan_room(plan, true, &blocks);
    }
    keep_most(&tally->most_room, verdict->room);
    keep_most(&tally->most_block_room, blocks);
    if (status != RB_OK || verdict->room <= job->buffers)
        return status;
    snprintf(verdict->what, sizeof verdict->what,
             "deadlock if FIFOs have room for %" PRId64 " message%s: it needs %" PRId64,
             job->buffers, sup_plural(job->buffers), verdict->room);
    return RB_EWRONG;
}

static void verify_plan(const struct verify_job *job, struct verify_record *record,
                        struct verify_tally *tally, const struct rb_plan_spec *asked,
                        const struct sup_counts *counts)
{
    struct rb_plan *plan = NULL;
    struct rb_verdict verdict;
    struct rb_layout layout;
    int64_t *first;
    struct sup_error error;
    int status = lay_out(asked, counts, &layout, &first, &error);
    struct rb_plan_spec by_sizes = *asked;
    const struct rb_plan_spec *spec = &by_sizes;
    by_sizes.first = first;
    if (status == RB_OK)
        status = rb_plan_create(spec, &plan, error.text, sizeof error.text);
    /* Its conditions don't hold, or it is one plan from a file, of other p, n or root. */
    if (status == RB_ENOTSUP || (status == RB_EINVAL && rb_is_file(spec->algorithm))) {
        tally->unfit++;
        goto done;
    }
    /* The level tries order and ports with each algorithm; the plan without them must exist. */
    if (status == RB_EINVAL && job->thorough && (spec->ordered || spec->ports > 1))
        goto done;
    if (status != RB_OK && status != RB_EWRONG) {
        verify_give_up(record, status, error.text);
        goto done;
    }
    if (status == RB_OK && job->thorough && verify_too_large(plan)) {
        tally->cover.too_large++;
        goto done;
    }
    const bool made = status == RB_OK;
    if (status == RB_EWRONG) /* a file's, which has no plan */
        snprintf(verdict.what, sizeof verdict.what, "%.399s", error.text);
    else
        status = rb_verify_plan(plan, first == NULL ? NULL : &layout, &verdict);
    struct bounds bounds = {0};
    if (status == RB_OK)
        bounds = bounds_of(plan, &verdict);
    /* With irregular counts empty blocks don't move, and the bounds don't speak of that. */
    if (status == RB_OK && !sup_counts_differ(counts) && !verdict.no_contract)
        status = check_bounds(&bounds, &verdict);
    if (status == RB_OK && job->buffers > 0)
        status = check_buffers(job, plan, tally, &verdict);
    if (status == RB_OK && verdict.note[0] != '\0')
        snprintf(record->note, sizeof record->note, "%s", verdict.note);
    tally->plans++;
    count_cover(&tally->cover, spec, counts);
    if (status == RB_EWRONG) {
        tally->wrong++;
        struct verify_failure *failure = verify_failure_place(record, spec->p);
        if (failure != NULL)
            describe_failure(failure, spec, counts, verdict.what);
        if (failure != NULL && made && job->counterexample)
            verify_counterexample(plan, first == NULL ? NULL : &layout, failure->what,
                                  failure->story, sizeof failure->story);
        count_failure(record);
    } else if (status != RB_OK) {
        verify_give_up(record, status, "out of memory: try a smaller p or n");
    } else if (verdict.no_contract) {
        tally->unbounded++;
    } else {
        count_right(tally, &bounds, &verdict);
    }
done:
    rb_plan_destroy(plan);
    free(first);
}

/* All block counts, roots and rules of counts of plans that are otherwise the same. */
static void verify_blocks(const struct verify_job *job, struct verify_tally *tally,
                          struct rb_plan_spec *spec, const struct verify_lists *lists,
                          struct verify_record *record)
{
    for (size_t i = 0; i < lists->blocks.count; i++)
        for (size_t j = 0; j < lists->roots.count; j++) {
            spec->n = lists->blocks.value[i];
            spec->root = (int32_t)lists->roots.value[j];
            for (size_t k = 0; k < lists->counts_count && record->status == RB_OK; k++)
                verify_plan(job, record, tally, spec, &lists->counts[k]);
        }
}

/* All instances and orders of plans that are otherwise equal. */
static void verify_instances(const struct verify_job *job, struct verify_tally *tally,
                             struct rb_plan_spec *spec, const struct verify_lists *lists,
                             struct verify_record *record)
{
    for (size_t i = 0; i < lists->instances_count; i++) {
        spec->instance = lists->instances[i];
        if (!rb_is_file(spec->algorithm) && !sup_plan_is_supported(spec)) {
            tally->unfit++;
            continue;
        }
        for (size_t j = 0; j < lists->orders_count; j++) {
            spec->ordered = lists->orders[j];
            verify_blocks(job, tally, spec, lists, record);
        }
    }
}

/* As many as a plan needs with its groups. */
static void take_ports(const struct rb_algorithm_info *info, struct rb_plan_spec *spec)
{
    struct point point = {.plan = *spec, .algorithm = info};
    point_set_ports(&point);
    *spec = point.plan;
}

/* The neighbours that the platform gives, if the algorithm plans by them. */
static int take_neighbours(const struct verify_job *job, const struct rb_algorithm_info *info,
                           struct rb_plan_spec *spec, struct point_neighbours **kept,
                           struct sup_error *error)
{
    const struct sim_placement placement = {.rule = SIM_BLOCK};
    struct point point = {.plan = *spec,
                          .algorithm = info,
                          .platform_text = job->platform,
                          .ppn = 1,
                          .placement_rule = &placement};
    const int status = job->platform == NULL
                           ? RB_OK
                           : point_find_neighbours(&point, job->ports_given, kept, error);
    *spec = point.plan;
    return status;
}

void verify_listed(const struct verify_job *job, int32_t algorithm, int32_t p,
                   const struct verify_lists *lists, struct verify_record *record)
{
    const struct rb_algorithm_info *info = job->algorithms[algorithm];
    const size_t ways = lists->ports.count * lists->radices.count;
    for (size_t g = 0; g < lists->groups_count; g++)
        for (size_t way = 0; way < ways; way++) {
            const size_t i = way / lists->radices.count, j = way % lists->radices.count;
            struct rb_plan_spec spec = job->plan;
            spec.groups = lists->groups[g];
            spec.collective = info->collective;
            spec.algorithm = info->name;
            spec.p = p;
            if (spec.ports == 0) /* no file gives it */
                spec.ports = (int32_t)lists->ports.value[i];
            spec.radix = (int32_t)lists->radices.value[j];
            if (!job->ports_given && spec.groups != NULL)
                take_ports(info, &spec);
            struct point_neighbours *neighbours = NULL;
            struct sup_error error;
            const int status = take_neighbours(job, info, &spec, &neighbours, &error);
            if (status != RB_OK)
                verify_give_up(record, status, error.text);
            else
                verify_instances(job, &record->tallies[algorithm], &spec, lists, record);
            point_neighbours_free(neighbours);
        }
}

/* ---- The requested values -------------------------------------------------------------------- */

/* Room for the values that an option has for one p. */
struct values {
    int64_t *blocks, *roots, *radices;
};

/* Those of --radix, or the algorithm's choice. */
static struct sup_list radices_of(const struct verify_job *job,
                                  const struct rb_algorithm_info *info, int32_t p, int64_t value[])
{
    const int32_t most = p > 2 ? p : 2;
    struct sup_list list = {value, 1};
    value[0] = 0;
    if (info->radix != NULL && job->all_radices)
        for (list.count = 0; (int64_t)list.count + 2 <= most; list.count++)
            value[list.count] = (int64_t)list.count + 2;
    else if (info->radix != NULL && job->radices.count > 0)
        list.count = cli_terms_values(&job->radices, p, 2, most, value);
    return list;
}

/* With groups of all sizes. */
static void verify_sizes(const struct verify_job *job, int32_t algorithm, int32_t p,
                         struct verify_lists *lists, struct verify_record *record)
{
    for (int32_t size = 1; size <= p && record->status == RB_OK; size++) {
        char text[16];
        const char *const groups = text;
        snprintf(text, sizeof text, "%" PRId32, size);
        lists->groups = &groups;
        verify_listed(job, algorithm, p, lists, record);
    }
}

/* All requested plans of one algorithm and p. */
static void verify_ranks(const struct verify_job *job, int32_t algorithm, int32_t p,
                         const struct values *values, struct verify_record *record)
{
    static const struct sup_counts regular = {.deal.rule = RB_COUNTS_REGULAR};
    static const char *const usual[] = {NULL};
    const char *const own[] = {job->plan.instance}; /* the file's; otherwise NULL */
    const struct rb_algorithm_info *info = job->algorithms[algorithm];
    const struct rb_collective_info *collective = rb_collective_find(info->collective);
    const bool dealt = collective->distributed && !collective->fixed_counts;
    const bool listed = collective->instance != NULL && job->instances.count > 0;
    struct verify_lists lists = {
        .ports = *job->ports,
        .radices = radices_of(job, info, p, values->radices),
        .blocks = {values->blocks, cli_terms_values(&job->blocks, p, 1, INT64_MAX, values->blocks)},
        .roots = {values->roots, 1},
        .counts = dealt ? job->counts : &regular,
        .counts_count = dealt ? (size_t)job->counts_count : 1,
        .instances = listed ? (const char *const *)job->instances.text : own,
        .instances_count = listed ? job->instances.count : 1,
        .groups = usual,
        .groups_count = 1,
        .orders = &job->ordered,
        .orders_count = 1,
    };
    values->roots[0] = 0;
    if (rb_takes_root(info))
        lists.roots.count = cli_terms_values(&job->roots, p, 0, p - 1, values->roots);
    if ((info->groups || job->any_order) && job->groups_count > 0) {
        lists.groups = job->groups;
        lists.groups_count = (size_t)job->groups_count;
    }
    if (info->groups && job->all_groups)
        verify_sizes(job, algorithm, p, &lists, record);
    else
        verify_listed(job, algorithm, p, &lists, record);
}

/* How many radices an option can have for any p. */
static size_t most_radices(const struct verify_job *job)
{
    size_t most = job->radices.count + 1;
    for (size_t i = 0; job->all_radices && i < job->ranks->count; i++)
        if ((size_t)job->ranks->value[i] > most)
            most = (size_t)job->ranks->value[i];
    return most;
}

void verify_plans(void *context, struct sup_pool_worker *worker, void *record_)
{
    const struct verify_job *job = context;
    struct verify_record *record = record_;
    const struct values values = {
        .blocks = sup_reallocarray(NULL, job->blocks.count, sizeof *values.blocks),
        .roots = sup_reallocarray(NULL, job->roots.count, sizeof *values.roots),
        .radices = sup_reallocarray(NULL, most_radices(job), sizeof *values.radices),
    };
    for (size_t i; record->status == RB_OK && sup_pool_next(worker, &i);)
        for (int32_t a = 0; a < job->algorithm_count && record->status == RB_OK; a++) {
            verify_ranks(job, a, verify_piece_ranks(job, i), &values, record);
        }
    free(values.blocks);
    free(values.roots);
    free(values.radices);
}
