/* model_machine.c - the model "machine": a machine's parameters, and what they leave over.
 *
 * The time of a row is the critical path of its plan (path.h) by the machine's parameters
 * (machine.h), which are fitted to all rows together, times the exponential of what is left
 * over for its collective, algorithm, m and p. The first part carries over to other p
 * and to algorithms that were never measured; the second knows the implementations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/machine/machine.h"
#include "studies/predict/predict.h"
#include "support/memory.h"
#include "support/units.h"

static const double most_rest = 2; /* what is left over is cut off here, a factor of 7 */
static const double least_job_sd = 0.1;
/* The paths depend on the costs, and the costs on the paths: first come the paths of short plans by
 * usual costs, then those of all plans by the costs so found. */
enum { PASSES = 2, SHORT_PLAN = 60000, MOST_TEXTS = 1 << 20 };

/* What a row belongs to, which has factors of its own for start-ups and for bytes. */
enum effect_kind { JOB, CARRIER };
_Static_assert((int)CARRIER + 1 == (int)MACH_EFFECTS, "as many as the fit knows");

struct level {
    enum effect_kind kind;
    const struct rows_row *row; /* the first of it */
    char name[2][64];           /* of its two parameters, for reports */
};

struct machine {
    struct predict_model model;
    struct mach_paths *paths;
    double value[MACH_PARAMETERS];              /* by which paths are found */
    const struct rows_row *usual[MACH_EFFECTS]; /* of the level without factors; NULL: none */
    struct level *level;
    size_t levels;
    struct mach_fit fit;
    struct mach_gaussian *rest;
    const char **text; /* numbered texts: rows' texts and the registry's */
    size_t texts;
    double spread[MACH_EFFECTS][2]; /* of what was not fitted: of start-ups, of bytes */
    double sds;                     /* half the width of an interval in standard deviations */
    bool follows_engines;           /* some rows do, so that the last parameter counts */
    char note[160];
};

static struct machine *machine_of(struct predict_model *model)
{
    return (struct machine *)(void *)model;
}

static const struct machine *const_machine_of(const struct predict_model *model)
{
    return (const struct machine *)(const void *)model;
}

static double cost(const void *context, enum path_kind kind, double bytes)
{
    return mach_costs_at(((const struct machine *)context)->value, kind, bytes);
}

static void free_machine(struct predict_model *model)
{
    struct machine *machine = machine_of(model);
    mach_paths_destroy(machine->paths);
    mach_gaussian_destroy(machine->rest);
    mach_fit_free(&machine->fit);
    free(machine->level);
    free(machine->text);
    free(machine);
}

/* ---- What a row belongs to ------------------------------------------------------------------- */

/* Texts of one set of rows are equal only if they are the same pointer, but the rows may be of
 * several sets. */
static bool same_job(const struct rows_row *a, const struct rows_row *b)
{
    return strcmp(a->test, b->test) == 0;
}

static bool same_carrier(const struct rows_row *a, const struct rows_row *b)
{
    return strcmp(a->library, b->library) == 0 &&
           strcmp(a->library_version, b->library_version) == 0 &&
           strcmp(a->transport, b->transport) == 0 && a->interfaces == b->interfaces;
}

static void name_job(const struct rows_row *row, char name[50])
{
    snprintf(name, 50, "job %.40s", row->test);
}

static void name_carrier(const struct rows_row *row, char name[50])
{
    snprintf(name, 50, "%.12s %.8s%s%.8s, %d interface%s", row->library, row->library_version,
             row->transport[0] == '\0' ? "" : " ", row->transport, (int)row->interfaces,
             sup_plural(row->interfaces));
}

static const struct {
    double sd; /* a priori, of the factors' logarithms */
    bool (*same)(const struct rows_row *a, const struct rows_row *b);
    void (*name)(const struct rows_row *row, char name[50]);
} effects[MACH_EFFECTS] = {
    [JOB] = {0.3, same_job, name_job},
    [CARRIER] = {1, same_carrier, name_carrier},
};

static int32_t find_level(const struct machine *machine, int kind, const struct rows_row *row)
{
    for (size_t i = 0; i < machine->levels; i++)
        if ((int)machine->level[i].kind == kind && effects[kind].same(machine->level[i].row, row))
            return (int32_t)i;
    return -1;
}

/* Adds a row's job and carrier. Where all rows have the same there is nothing to tell apart, and
 * the carrier of most rows is the one from which others differ: these have no level. */
static void add_levels(struct machine *machine, const struct rows_row *row)
{
    for (int kind = 0; kind < MACH_EFFECTS && row->manner.engine == NULL; kind++) {
        const struct rows_row *usual = machine->usual[kind];
        char name[50];
        if ((usual != NULL && effects[kind].same(usual, row)) ||
            find_level(machine, kind, row) >= 0)
            continue;
        sup_grow(&machine->level, machine->levels, sizeof *machine->level);
        struct level *level = &machine->level[machine->levels++];
        *level = (struct level){.kind = (enum effect_kind)kind, .row = row};
        effects[kind].name(row, name);
        snprintf(level->name[0], sizeof level->name[0], "%s, start-ups", name);
        snprintf(level->name[1], sizeof level->name[1], "%s, bytes", name);
    }
}

/* Finds the levels without effects: the job if there is only one, and the carrier of most rows. */
static void find_usual(struct machine *machine, const struct rows_row *const rows[], int32_t count)
{
    int32_t most = 0;
    bool one_job = true;
    const struct rows_row *first = NULL;
    for (int32_t i = 0; i < count; i++) {
        const struct rows_row *usual = machine->usual[CARRIER];
        if (rows[i]->manner.engine != NULL)
            continue;
        one_job = one_job && (first == NULL || same_job(rows[i], first));
        first = rows[i];
        if (usual != NULL && same_carrier(usual, rows[i]))
            continue;
        int32_t same = 0;
        for (int32_t k = 0; k < count; k++)
            same += same_carrier(rows[i], rows[k]);
        if (same > most) {
            most = same;
            machine->usual[CARRIER] = rows[i];
        }
    }
    machine->usual[JOB] = one_job ? first : NULL;
}

/* The number of a text. */
static int32_t number_of(struct machine *machine, const char *text)
{
    for (size_t i = 0; i < machine->texts; i++)
        if (machine->text[i] == text || strcmp(machine->text[i], text) == 0)
            return (int32_t)i;
    sup_grow(&machine->text, machine->texts, sizeof *machine->text);
    machine->text[machine->texts++] = text;
    return (int32_t)machine->texts - 1;
}

/* What is left over of an engine's times says nothing of what paths leave over; and there names
 * that mean one algorithm are one implementation of it. */
static struct mach_gaussian_point point_of(struct machine *machine, const struct rows_row *row)
{
    const int32_t beside =
        row->manner.engine == NULL ? 0 : 1 + number_of(machine, row->manner.engine);
    return (struct mach_gaussian_point){
        .log2_m = log2(fmax((double)row->m_bytes, 1)),
        .log2_p = log2((double)row->p),
        .collective = number_of(machine, row->collective) + beside * MOST_TEXTS,
        .algorithm = number_of(machine, row->algorithm),
        .name = number_of(machine, beside > 0 ? row->algorithm : row->name)};
}

static void effects_of(const struct machine *machine, const struct rows_row *row,
                       int32_t effect[MACH_EFFECTS])
{
    for (int kind = 0; kind < MACH_EFFECTS; kind++)
        effect[kind] = row->manner.engine != NULL ? -1 : find_level(machine, kind, row);
}

/* ---- The fit --------------------------------------------------------------------------------- */

struct design {
    const struct rows_row **row; /* those that have a plan */
    struct mach_fit_row *fit_row;
    double *cost;
    struct mach_gaussian_point *point;
    double *rest;
    int32_t count;
};

static void free_design(struct design *design)
{
    free(design->row);
    free(design->fit_row);
    free(design->cost);
    free(design->point);
    free(design->rest);
}

static struct design make_design(int32_t count)
{
    const size_t n = (size_t)count;
    struct design design = {0};
    design.row = sup_malloc(n * sizeof *design.row);
    design.fit_row = sup_calloc(n, sizeof *design.fit_row);
    design.cost = sup_malloc(n * MACH_PARAMETERS * sizeof *design.cost);
    design.point = sup_malloc(n * sizeof *design.point);
    design.rest = sup_malloc(n * sizeof *design.rest);
    return design;
}

SUP_COMPARE(by_size, struct rows_row *, strcmp((*a)->collective, (*b)->collective),
            strcmp((*a)->algorithm, (*b)->algorithm), SUP_ORDER((*a)->p, (*b)->p),
            SUP_ORDER((*a)->m_bytes, (*b)->m_bytes), SUP_ORDER(*a, *b));

/* Asks for the paths of the smallest and the largest m of each plan first, and then of those in the
 * middle, so that paths that are alike are found once. */
static int ask_middle(struct machine *machine, const struct rows_row *const row[], int32_t low,
                      int32_t high, struct sup_error *error)
{
    const struct path *path;
    int status = RB_OK;
    if (high - low < 2)
        return RB_OK;
    const int32_t middle = (low + high) / 2;
    status = mach_paths_of(machine->paths, row[middle], &path, error);
    if (status == RB_OK || status == RB_ENOTSUP)
        status = ask_middle(machine, row, low, middle, error);
    if (status == RB_OK)
        status = ask_middle(machine, row, middle, high, error);
    return status;
}

static int ask_in_order(struct machine *machine, const struct rows_row *const rows[], int32_t all,
                        struct sup_error *error)
{
    const struct rows_row **sorted = sup_calloc((size_t)all, sizeof *sorted);
    int32_t count = 0;
    int status = RB_OK;
    for (int32_t i = 0; i < all; i++)
        if (rows[i]->manner.engine == NULL)
            sorted[count++] = rows[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    for (int32_t first = 0, end; first < count && status == RB_OK; first = end) {
        const struct path *path;
        for (end = first + 1; end < count && sorted[end]->p == sorted[first]->p &&
                              strcmp(sorted[end]->algorithm, sorted[first]->algorithm) == 0 &&
                              strcmp(sorted[end]->collective, sorted[first]->collective) == 0;)
            end++;
        status = mach_paths_of(machine->paths, sorted[first], &path, error);
        if (status == RB_OK)
            status = mach_paths_of(machine->paths, sorted[end - 1], &path, error);
        if (status == RB_OK)
            status = ask_middle(machine, sorted, first, end - 1, error);
        status = status == RB_ENOTSUP ? RB_OK : status;
    }
    free(sorted);
    return status;
}

static int cost_of(struct machine *machine, const struct rows_row *row, double cost_[],
                   struct sup_error *error)
{
    const struct path *path;
    struct mach_engine_time time;
    if (row->manner.engine != NULL) {
        const int status = mach_engine_time(row, &time, error);
        if (status == RB_OK)
            mach_costs_engine(time.time_s, cost_);
        return status;
    }
    const int status = mach_paths_of(machine->paths, row, &path, error);
    if (status == RB_OK)
        mach_costs_row(path, row, cost_);
    return status;
}

/* Fills the design from the rows that have a plan of at most so many operations, 0: of any. */
static int fill(struct machine *machine, const struct rows_row *const rows[], int32_t count,
                int64_t operations, struct design *design, struct sup_error *error)
{
    int32_t used = 0;
    mach_paths_forget(machine->paths);
    mach_paths_limit(machine->paths, operations);
    int status = ask_in_order(machine, rows, count, error);
    for (int32_t i = 0; i < count && status == RB_OK; i++) {
        double *cost_ = design->cost + (size_t)used * MACH_PARAMETERS;
        status = cost_of(machine, rows[i], cost_, error);
        if (status == RB_ENOTSUP) {
            status = RB_OK;
            continue;
        }
        if (status != RB_OK)
            break;
        design->point[used] = point_of(machine, rows[i]);
        design->row[used] = rows[i];
        design->fit_row[used] = (struct mach_fit_row){.cost = cost_, .time_s = rows[i]->median_s};
        effects_of(machine, rows[i], design->fit_row[used].effect);
        used++;
    }
    design->count = used;
    if (status == RB_OK && used == 0)
        status = sup_fail(error, RB_EINVAL, "none of the rows to fit has a plan");
    return status;
}

/* Implementations of one collective and algorithm err together. */
static void number_clusters(struct design *design)
{
    int32_t next = 0;
    for (int32_t i = 0; i < design->count; i++) {
        int32_t k = 0;
        while (k < i && (design->point[k].collective != design->point[i].collective ||
                         design->point[k].name != design->point[i].name))
            k++;
        design->fit_row[i].cluster = k < i ? design->fit_row[k].cluster : next++;
    }
}

static int fit_costs(struct machine *machine, const struct design *design, struct sup_error *error)
{
    struct mach_fit_effect *effect = sup_malloc(machine->levels * sizeof *effect);
    for (size_t i = 0; i < machine->levels; i++)
        effect[i].sd = effects[machine->level[i].kind].sd;
    double *start = machine->fit.variable;
    machine->fit.variable = NULL;
    mach_fit_free(&machine->fit);
    const int status = mach_fit_rows(design->fit_row, design->count, effect,
                                     (int32_t)machine->levels, start, &machine->fit, error);
    free(start);
    free(effect);
    if (status == RB_OK)
        for (int32_t k = 0; k < machine->fit.parameters; k++)
            machine->value[k] = exp(machine->fit.variable[k]);
    return status;
}

/* How much jobs, or carriers, differ, of which a new one is another sample. */
static void find_spread(struct machine *machine, enum effect_kind kind, double sd[2])
{
    double start = 0, bytes = 0;
    int32_t levels = 0;
    for (size_t i = 0; i < machine->levels; i++)
        if (machine->level[i].kind == kind) {
            const double *effect = machine->fit.variable + machine->fit.parameters;
            start += effect[i] * effect[i];
            bytes += effect[machine->levels + i] * effect[machine->levels + i];
            levels++;
        }
    /* The mean of one says nothing: then the spread is the one that was assumed. */
    sd[0] = levels > 1 ? fmax(sqrt(start / levels), least_job_sd) : effects[JOB].sd;
    sd[1] = levels > 1 ? fmax(sqrt(bytes / levels), least_job_sd) : effects[JOB].sd;
}

static int fit_rest(struct machine *machine, struct design *design, struct sup_error *error)
{
    for (int32_t i = 0; i < design->count; i++) {
        const double rest = log(design->fit_row[i].time_s /
                                mach_fit_time(&machine->fit, &design->fit_row[i], NULL));
        design->rest[i] = fmax(-most_rest, fmin(most_rest, rest));
    }
    return mach_gaussian_create(design->point, design->rest, design->count, &machine->rest, error);
}

/* By bisection of the tail of the standard normal distribution. */
double predict_sds(double confidence)
{
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(erfc(middle / sqrt(2)) > 1 - confidence ? &low : &high) = middle;
    }
    return low;
}

static int32_t parameters_of(const struct machine *machine)
{
    return machine->fit.parameters - !machine->follows_engines;
}

static bool is_determined(const struct mach_fit *fit, int32_t k)
{
    const double sd = sqrt(fit->covariance[(size_t)k * (size_t)fit->variables + (size_t)k]);
    return sd < fit->prior_sd[k] / 3 && sd < 0.7;
}

static void write_note(struct machine *machine, struct design *design)
{
    int32_t determined = 0;
    for (int32_t k = 0; k < parameters_of(machine); k++)
        determined += is_determined(&machine->fit, k);
    for (int32_t i = 0; i < design->count; i++)
        design->rest[i] = fabs(expm1(-design->rest[i]));
    sup_sort_reals(design->rest, (size_t)design->count);
    snprintf(machine->note, sizeof machine->note,
             "%d of %d parameters determined; by them alone the fitted rows are %.1f %% off in the "
             "median",
             determined, parameters_of(machine), 100 * design->rest[design->count / 2]);
}

static int fit(const struct rows_row *const rows[], int32_t count,
               const struct predict_options *options, struct predict_model **model,
               struct sup_error *error)
{
    int32_t parameters;
    const struct mach_parameter *parameter = mach_parameters(&parameters);
    int status = RB_OK;
    if (count < 1)
        return sup_fail(error, RB_EINVAL, "there are no rows to fit");
    struct machine *machine = sup_calloc(1, sizeof *machine);
    struct design design = make_design(count);
    machine->paths = mach_paths_create(cost, machine);
    for (int32_t k = 0; k < parameters; k++)
        machine->value[k] = parameter[k].usual;
    find_usual(machine, rows, count);
    for (int32_t i = 0; i < count; i++) {
        machine->follows_engines = machine->follows_engines || rows[i]->manner.engine != NULL;
        add_levels(machine, rows[i]);
    }
    for (int pass = 0; pass < PASSES && status == RB_OK; pass++) {
        status = fill(machine, rows, count, pass + 1 < PASSES ? SHORT_PLAN : 0, &design, error);
        if (status == RB_EINVAL && pass + 1 < PASSES) {
            status = RB_OK; /* no plan is short */
            continue;
        }
        if (status == RB_OK) {
            number_clusters(&design);
            status = fit_costs(machine, &design, error);
        }
    }
    if (status == RB_OK)
        status = fit_rest(machine, &design, error);
    if (status == RB_OK) {
        for (int kind = 0; kind < MACH_EFFECTS; kind++)
            find_spread(machine, (enum effect_kind)kind, machine->spread[kind]);
        machine->sds = predict_sds(options->confidence > 0 ? options->confidence : 0.9);
        write_note(machine, &design);
        *model = &machine->model;
    } else {
        free_machine(&machine->model);
    }
    free_design(&design);
    return status;
}

/* ---- Predictions ----------------------------------------------------------------------------- */

/* The share of start-ups in a time with these derivatives. */
static double startups_of(const double slope[])
{
    int32_t count;
    const struct mach_parameter *parameter = mach_parameters(&count);
    double share = 0;
    for (int32_t k = 0; k < count; k++)
        share += parameter[k].per_message ? slope[k] : 0;
    return share;
}

static int time_(struct predict_model *model, const struct rows_row *row,
                 struct predict_estimate *estimate, struct sup_error *error)
{
    struct machine *machine = machine_of(model);
    struct mach_fit_row fit_row = {0};
    double cost_[MACH_PARAMETERS], rest, rest_sd;
    const int status = cost_of(machine, row, cost_, error);
    if (status != RB_OK)
        return status;
    const struct mach_gaussian_point point = point_of(machine, row);
    double *slope = sup_malloc((size_t)machine->fit.variables * sizeof *slope);
    mach_gaussian_at(machine->rest, &point, &rest, &rest_sd);
    fit_row.cost = cost_;
    effects_of(machine, row, fit_row.effect);
    const double time_s = mach_fit_time(&machine->fit, &fit_row, slope) * exp(rest);
    double variance = mach_fit_variance(&machine->fit, slope) + rest_sd * rest_sd;
    for (int kind = 0; kind < MACH_EFFECTS && row->manner.engine == NULL; kind++) {
        const double *sd = machine->spread[kind], startups = startups_of(slope);
        const struct rows_row *usual = machine->usual[kind];
        if (fit_row.effect[kind] < 0 &&
            (kind == JOB || usual == NULL || !effects[kind].same(usual, row)))
            variance += pow(startups * sd[0], 2) + pow((1 - startups) * sd[1], 2);
    }
    if (row->manner.engine != NULL) /* jobs have no factors there, and differ all the same */
        variance += least_job_sd * least_job_sd;
    const double factor = exp(machine->sds * sqrt(variance));
    *estimate = (struct predict_estimate){time_s, time_s / factor, time_s * factor};
    free(slope);
    return RB_OK;
}

/* The parameter that is the k-th variable of the fit. */
static struct predict_parameter fitted_parameter(const struct machine *machine, int32_t k,
                                                 const char *name, const char *unit)
{
    const struct mach_fit *fitted = &machine->fit;
    const double sd = sqrt(fitted->covariance[(size_t)k * (size_t)fitted->variables + (size_t)k]);
    const double value = exp(fitted->variable[k]);
    return (struct predict_parameter){.name = name,
                                      .unit = unit,
                                      .value = value,
                                      .low = value * exp(-machine->sds * sd),
                                      .high = value * exp(machine->sds * sd),
                                      .determined = is_determined(fitted, k)};
}

/* The costs, the scales of what is left over, and the factors by which a job's or a carrier's
 * start-ups and bytes differ from the usual ones. */
static bool parameter_at(const struct predict_model *model, int32_t i,
                         struct predict_parameter *parameter)
{
    const struct machine *machine = const_machine_of(model);
    const struct mach_fit *fitted = &machine->fit;
    int32_t count;
    const struct mach_parameter *costs = mach_parameters(&count);
    count = parameters_of(machine);
    if (i < count) {
        *parameter =
            fitted_parameter(machine, i, costs[i].name, costs[i].per_message ? "s" : "s/B");
        return true;
    }
    *parameter =
        (struct predict_parameter){.unit = "1", .low = NAN, .high = NAN, .determined = true};
    i -= count;
    if (mach_gaussian_scale(machine->rest, i, &parameter->name, &parameter->value))
        return true;
    i -= MACH_GAUSSIAN_SCALES;
    if (i >= 2 * (int32_t)machine->levels)
        return false;
    *parameter = fitted_parameter(machine, fitted->parameters + i % 2 * fitted->effects + i / 2,
                                  machine->level[i / 2].name[i % 2], "1");
    return true;
}

static const char *note(const struct predict_model *model)
{
    return const_machine_of(model)->note;
}

const struct predict_kind predict_machine = {
    .name = "machine",
    .title = "critical paths by fitted costs of messages, bytes and operands, and what they leave "
             "over",
    .leans = true,
    .fit = fit,
    .time = time_,
    .parameter = parameter_at,
    .note = note,
    .free = free_machine,
};
