/* beyond.c - predictions of points that need not have been measured, and what they are worth
 * (predict.h).
 *
 * A point's times may be off by more the farther it lies beyond the rows: the variance of a
 * logarithm grows by rate^2 for each doubling. The rate is found from the rows themselves: the
 * model is fitted on the smaller numbers of nodes alone, and predicts the larger ones. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/choices/choices.h"
#include "roundabout.h"
#include "studies/machine/machine.h"
#include "studies/predict/predict.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

/* The least standard deviation of a time's logarithm, per square root of a doubling, that is
 * assumed: PICO's machines need about as much (docs/predict.md). */
static const double least_rate = 0.35;

/* A collective of which nothing was fitted is as far beyond the rows as so many doublings. */
static const double unseen_doublings = 4;

/* ---- What the library's own rules say -------------------------------------------------------- */

/* The library with decision rules that data call so; NULL: none. */
static const char *rules_of(const char *library)
{
    const char *known = sup_library_named(library);
    known = known == NULL ? library : known;
    return mpilib_chooses(known) ? known : NULL;
}

/* Fills in the algorithm that a library takes for a row's call. False if no plan follows it. */
static bool take_choice(const char *library, struct rows_row *row, struct sup_error *error)
{
    const struct mpilib_call call = {.collective = row->collective,
                                     .p = row->p,
                                     .ppn = row->ranks_per_node,
                                     .bytes = row->m_bytes,
                                     .element = row->element_bytes,
                                     .itself = true};
    struct mpilib_choice choice;
    if (mpilib_choose(library, &call, &choice, error) != RB_OK)
        return false;
    if (choice.by_hosts) {
        sup_fail(error, RB_ENOTSUP, "%s %s goes by hosts, for which nothing is fitted",
                 row->collective, choice.name);
        return false;
    }
    const struct mpilib_algorithm *known =
        mpilib_ours(library, 0, row->collective, NULL, choice.algorithm, choice.radix, row->p,
                    row->ranks_per_node);
    row->name = row->algorithm = choice.algorithm;
    row->radix = choice.radix;
    row->manner = known == NULL ? (struct mpilib_manner){.sends = MPILIB_IN_ROUNDS} : known->manner;
    row->n = 0;
    row->segment_bytes = choice.n <= 1 ? 0 : (row->bytes - 1) / choice.n + 1;
    return true;
}

static bool is_bare(const struct predict_request *request, const char *system)
{
    for (size_t i = 0; i < request->set->count; i++)
        if (request->set->row[i].system == system && request->set->row[i].algorithm != NULL)
            return false;
    return true;
}

/* No row of its system has an algorithm. */
static int refuse_library(const struct rows_set *set, const struct rows_row *row,
                          struct sup_error *error)
{
    const char *none;
    struct sup_error why;
    int64_t rows = 0;
    for (size_t i = 0; i < set->count; i++)
        rows += set->row[i].system == row->system && set->row[i].collective == row->collective;
    if (row->manner.engine != NULL && mach_engine_choice(row, &none, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "%s: %" PRId64 " row%s of %s's %s cannot be used: %s",
                        set->file[row->file], rows, sup_plural(rows), row->library, row->collective,
                        why.text);
    if (row->library[0] == '\0')
        return sup_fail(error, RB_EINVAL,
                        "%s: all times are the library's own choice, and nothing names the "
                        "library: give it by --library, such as ompi",
                        row->system);
    return sup_fail(error, RB_EINVAL,
                    "%s: all times are the own choice of %.60s, whose decision rules are not "
                    "known: only those of ompi, mpich, mvapich2 and impi are",
                    row->system, row->library);
}

/* Counts a row, which has a plan or lacks that of the algorithm `lacking`. */
static void count_row(struct predict_assumed *assumed, const struct rows_row *row,
                      const char *lacking)
{
    struct predict_without *of = assumed->of;
    while (of->collective != NULL && of->collective != row->collective)
        of++;
    if (of == &assumed->of[PREDICT_WITHOUT - 1])
        return; /* more collectives than there are */
    of->collective = row->collective;
    of->rows++;
    if (lacking != NULL)
        out_leave_out(&of->without, 1, lacking);
}

int predict_assume_choices(const struct predict_request *request, struct rows_set *set,
                           struct predict_assumed *assumed, struct sup_error *error)
{
    struct sup_error why;
    char name[96];
    bool *bare = sup_calloc(set->count, sizeof *bare);
    int status = RB_OK;
    *assumed = (struct predict_assumed){0};
    for (size_t i = 0; i < set->count; i++)
        bare[i] = i > 0 && set->row[i].system == set->row[i - 1].system
                      ? bare[i - 1]
                      : is_bare(request, set->row[i].system);
    for (size_t i = 0; i < set->count && status == RB_OK; i++) {
        struct rows_row *row = &set->row[i];
        if ((row->own_choice && !bare[i]) || !predict_counts(request, row))
            continue;
        const char *library = row->own_choice ? rules_of(row->library) : "";
        if (library == NULL)
            status = refuse_library(set, row, error);
        else if (!row->own_choice)
            count_row(assumed, row, row->algorithm == NULL ? row->name : NULL);
        else if (take_choice(library, row, &why)) {
            row->own_choice = false;
            assumed->rows++;
            count_row(assumed, row, NULL);
        } else {
            assumed->without++;
            count_row(assumed, row, mpilib_without_plan(&why, name));
        }
    }
    free(bare);
    return status;
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* True if the rows of a request's fit have it, whatever else is fitted or not. */
static bool is_seen(const struct predict_request *request, const struct rows_row *row)
{
    return row->algorithm != NULL && predict_counts(request, row) &&
           rows_filter_matches(request->fit, row);
}

/* True if rows differ only in their ranks, size and job. */
static bool same_way(const struct rows_row *a, const struct rows_row *b)
{
    return a->name == b->name && a->library == b->library && a->n == b->n &&
           a->segment_bytes == b->segment_bytes && a->radix == b->radix &&
           a->interfaces == b->interfaces;
}

/* What is asked of one collective of one machine. */
struct asking {
    const struct predict_request *request;
    const struct predict_points *points;
    struct predict_asked *asked;
    const char *system, *collective;
    const struct rows_row **way; /* the algorithms, by the row of each with most nodes */
    size_t ways;
    const char *library, *decision; /* whose own choice is compared with; what the data call it */
    struct sup_list bytes;
};

static bool is_of(const struct asking *asking, const struct rows_row *row)
{
    return row->system == asking->system && row->collective == asking->collective;
}

static void list_ways(struct asking *asking)
{
    const struct rows_set *set = asking->request->set;
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        size_t k = 0;
        if (!is_of(asking, row))
            continue;
        if (row->own_choice && asking->decision == NULL)
            asking->decision = row->name;
        if (row->ran == NULL ? !is_seen(asking->request, row)
                             : !predict_counts(asking->request, row))
            continue;
        if (asking->library == NULL)
            asking->library = rules_of(row->library);
        if (asking->points->among != NULL && !rows_like(asking->points->among, row->name) &&
            (row->algorithm == NULL || !rows_like(asking->points->among, row->algorithm)))
            continue;
        while (k < asking->ways && !same_way(asking->way[k], row))
            k++;
        if (k == asking->ways) {
            sup_grow(&asking->way, asking->ways, sizeof *asking->way);
            asking->way[asking->ways++] = row;
        } else if (row->nodes > asking->way[k]->nodes) {
            asking->way[k] = row;
        }
    }
}

/* Without --bytes: the sizes on the largest number of nodes. */
static void list_bytes(struct asking *asking)
{
    const struct rows_set *set = asking->request->set;
    int32_t most = 0;
    size_t count = 0;
    if (asking->points->bytes != NULL) {
        asking->bytes = *asking->points->bytes;
        return;
    }
    for (size_t i = 0; i < set->count; i++)
        if (is_of(asking, &set->row[i]) && is_seen(asking->request, &set->row[i]))
            most = set->row[i].nodes > most ? set->row[i].nodes : most;
    asking->bytes.value = sup_calloc(set->count, sizeof *asking->bytes.value);
    for (size_t i = 0; i < set->count; i++)
        if (is_of(asking, &set->row[i]) && is_seen(asking->request, &set->row[i]) &&
            set->row[i].nodes == most)
            asking->bytes.value[count++] = set->row[i].bytes;
    sup_list_tidy(&asking->bytes, count);
}

static int64_t rows_with_ppn(const struct asking *asking, int32_t ppn)
{
    const struct rows_set *set = asking->request->set;
    int64_t rows = 0;
    for (size_t i = 0; i < set->count; i++)
        rows += set->row[i].system == asking->system && set->row[i].ranks_per_node == ppn &&
                is_seen(asking->request, &set->row[i]);
    return rows;
}

/* The ranks per node of most of a machine's rows. */
static int32_t usual_ppn(const struct asking *asking, bool *several)
{
    const struct rows_set *set = asking->request->set;
    int32_t usual = 0, before = 0;
    int64_t most = 0;
    for (size_t i = 0; i < set->count; i++) {
        const int32_t ppn = set->row[i].ranks_per_node;
        if (set->row[i].system != asking->system || ppn == before ||
            !is_seen(asking->request, &set->row[i]))
            continue;
        const int64_t rows = ppn == usual ? most : rows_with_ppn(asking, ppn);
        *several = *several || (usual != 0 && ppn != usual);
        usual = rows > most ? ppn : usual;
        most = rows > most ? rows : most;
        before = ppn;
    }
    return usual;
}

/* The torus of so many nodes, if a row has one. */
static const char *shape_of(const struct asking *asking, int32_t nodes)
{
    const struct rows_set *set = asking->request->set;
    for (size_t i = 0; i < set->count; i++)
        if (set->row[i].system == asking->system && set->row[i].nodes == nodes)
            return set->row[i].shape;
    return "";
}

static struct rows_row *add_row(struct asking *asking, const struct rows_row *like,
                                const struct rows_row *point)
{
    struct predict_asked *asked = asking->asked;
    sup_grow(&asked->row, asked->count, sizeof *asked->row);
    struct rows_row *row = &asked->row[asked->count++];
    *row = *like;
    row->name = row->own_choice ? "default" : row->name;
    row->test = row->notes = "";
    row->ran = NULL;
    row->shape = point->shape;
    row->nodes = point->nodes;
    row->ranks_per_node = point->ranks_per_node;
    row->p = point->p;
    row->bytes = point->bytes;
    row->m_bytes = point->m_bytes;
    row->runs = 0;
    row->min_s = row->p10_s = row->median_s = row->p90_s = row->low_s = row->high_s = NAN;
    return row;
}

/* What the library would take by itself, run as the rows of that algorithm are if there are any. */
static void add_default(struct asking *asking, const struct rows_row *point)
{
    if (asking->library == NULL)
        return;
    struct rows_row *row = add_row(asking, asking->way[0], point);
    row->own_choice = true;
    row->transport = "";
    row->interfaces = 1;
    struct sup_error why;
    if (!take_choice(asking->library, row, &why)) {
        row->name = "default";
        row->algorithm = NULL;
        return;
    }
    for (size_t i = 0; i < asking->ways; i++) {
        const struct rows_row *way = asking->way[i];
        if (way->ran == NULL && strcmp(way->algorithm, row->algorithm) == 0 &&
            (asking->decision == NULL || rows_is_of_library(asking->decision, way->name))) {
            row->name = way->name;
            row->manner = way->manner;
            return;
        }
    }
}

static int add_points(struct asking *asking, struct sup_error *error)
{
    const struct predict_points *points = asking->points;
    const bool personalized = rb_collective_find(asking->collective)->personalized;
    bool several = false;
    struct rows_row point = {.ranks_per_node =
                                 points->ppn > 0 ? points->ppn : usual_ppn(asking, &several)};
    if (several)
        asking->asked->usual_ppn = point.ranks_per_node;
    for (size_t i = 0; i < points->nodes->count; i++) {
        const int64_t p = points->nodes->value[i] * point.ranks_per_node;
        if (p > RB_MAX_RANKS)
            return sup_fail(error, RB_EINVAL,
                            "--nodes: %" PRId64 " nodes of %" PRId32 " ranks are %" PRId64
                            " ranks: at most %d are possible",
                            points->nodes->value[i], point.ranks_per_node, p, RB_MAX_RANKS);
        point.nodes = (int32_t)points->nodes->value[i];
        point.p = (int32_t)p;
        point.shape = shape_of(asking, point.nodes);
        for (size_t k = 0; k < asking->bytes.count; k++) {
            /* The largest first: paths between sizes whose paths are alike need not be found. */
            point.bytes = asking->bytes.value[k == 0 ? asking->bytes.count - 1 : k - 1];
            if (__builtin_mul_overflow(point.bytes, personalized ? p : 1, &point.m_bytes))
                return sup_fail(error, RB_EINVAL,
                                "--bytes: %" PRId64 " bytes for each of %" PRId64
                                " ranks are more than 2^63 - 1 bytes in all",
                                point.bytes, p);
            add_default(asking, &point);
            for (size_t w = 0; w < asking->ways; w++)
                add_row(asking, asking->way[w], &point);
        }
    }
    return RB_OK;
}

static bool is_first_of_collective(const struct rows_set *set, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (set->row[k].system == set->row[i].system &&
            set->row[k].collective == set->row[i].collective)
            return false;
    return true;
}

int predict_ask(const struct predict_request *request, const struct predict_points *points,
                struct predict_asked *asked, struct sup_error *error)
{
    const struct rows_set *set = request->set;
    int status = RB_OK;
    for (size_t i = 0; i < set->count && status == RB_OK; i++) {
        if (!is_first_of_collective(set, i))
            continue;
        struct asking asking = {.request = request,
                                .points = points,
                                .asked = asked,
                                .system = set->row[i].system,
                                .collective = set->row[i].collective};
        list_ways(&asking);
        list_bytes(&asking);
        if (asking.ways > 0)
            status = add_points(&asking, error);
        free(asking.way);
        if (points->bytes == NULL)
            sup_list_free(&asking.bytes);
    }
    if (status == RB_OK && asked->count == 0)
        return sup_fail(error, RB_EINVAL,
                        "--nodes: no algorithm is left to predict: the options that choose rows "
                        "and algorithms leave none of the %zu rows that has a plan",
                        set->count);
    return status;
}

/* ---- Plans that are too long ----------------------------------------------------------------- */

/* What a plan's time grows with: its rounds, or the blocks that travel as messages of their own. */
static double steps_of(const struct rows_row *row)
{
    const struct rb_plan_spec spec = {.collective = row->collective,
                                      .algorithm = row->algorithm,
                                      .p = row->p,
                                      .root = row->root,
                                      .n = rows_blocks(row),
                                      .radix = row->radix};
    struct rb_plan *plan;
    char why[160];
    if (row->manner.by_block || rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK)
        return row->p;
    const double rounds = (double)rb_plan_rounds(plan);
    rb_plan_destroy(plan);
    return rounds;
}

static void halve(struct rows_row *row)
{
    row->nodes /= 2;
    row->p = row->nodes * row->ranks_per_node;
    row->shape = "";
    row->m_bytes =
        rb_collective_find(row->collective)->personalized ? row->bytes * row->p : row->bytes;
}

int predict_time_asked(struct predict_model *model, int32_t most_ranks,
                       struct predict_tested *tested, struct sup_error *error)
{
    struct rows_row near = *tested->row;
    struct predict_estimate *estimate = &tested->estimate, nearer;
    if (near.algorithm == NULL || near.p <= most_ranks)
        return predict_time(model, tested->row, estimate, error);
    while (near.p > most_ranks && near.nodes >= 2)
        halve(&near);
    if (near.nodes < 2)
        return sup_fail(error, RB_ENOTSUP, "a node has too many ranks");
    int status = predict_time(model, &near, estimate, error);
    const double steps = steps_of(&near), time_s = estimate->time_s;
    halve(&near);
    if (status == RB_OK)
        status = predict_time(model, &near, &nearer, error);
    if (status != RB_OK)
        return status;
    const double more = steps_of(tested->row) - steps, before = steps - steps_of(&near);
    const double slope = before > 0 ? fmax(time_s - nearer.time_s, 0) / before : 0;
    const double factor = 1 + slope * fmax(more, 0) / time_s;
    tested->extended = true;
    estimate->time_s *= factor;
    estimate->low_s *= factor;
    estimate->high_s *= factor;
    return RB_OK;
}

/* ---- Distance -------------------------------------------------------------------------------- */

/* What a fold fits of a collective. */
struct range {
    int32_t fold;
    const char *collective;
    double nodes[2], p[2], bytes[2], ppn[2], side[2]; /* least and most */
    bool unseen;                                      /* none */
};

static void include(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static double beyond(const double range[2], double value)
{
    return fmax(1, fmax(value / range[1], range[0] / value));
}

/* Of the torus that the nodes form; 1: they form none. */
static double longest_side(const struct rows_row *row)
{
    double longest = 1;
    for (const char *text = row->shape; *text != '\0'; text += strspn(text, "xX")) {
        longest = fmax(longest, atof(text));
        text += strcspn(text, "xX");
    }
    return longest;
}

static void include_row(const struct rows_row *row, struct range *range)
{
    include(range->nodes, row->nodes);
    include(range->p, row->p);
    include(range->ppn, row->ranks_per_node);
    include(range->side, longest_side(row));
    include(range->bytes, fmax(1, (double)row->bytes));
}

/* The collective's rows, or all where the fold fits none of the collective. */
static void find_range(const struct predict_request *request, const struct predict_result *result,
                       const struct predict_tested *tested, struct range *range)
{
    static const struct range none = {.nodes = {INFINITY, 0},
                                      .p = {INFINITY, 0},
                                      .ppn = {INFINITY, 0},
                                      .side = {INFINITY, 0},
                                      .bytes = {INFINITY, 0}};
    if (range->collective == tested->row->collective && range->fold == tested->fold)
        return;
    struct range all = none;
    *range = none;
    for (size_t i = 0; i < request->set->count; i++) {
        const struct rows_row *row = &request->set->row[i];
        if (!predict_is_fitted(request, &result->fold[tested->fold], row))
            continue;
        include_row(row, &all);
        if (row->collective == tested->row->collective)
            include_row(row, range);
    }
    if (range->p[1] < 1) {
        *range = all;
        range->unseen = true;
    }
    range->fold = tested->fold;
    range->collective = tested->row->collective;
}

/* How many doublings a row lies beyond what was fitted. */
static double doublings(const struct range *range, struct predict_tested *tested)
{
    const struct rows_row *row = tested->row;
    tested->nodes_beyond = fmax(beyond(range->nodes, row->nodes), beyond(range->p, row->p));
    tested->bytes_beyond = beyond(range->bytes, fmax(1, (double)row->bytes));
    tested->shape_beyond =
        beyond(range->ppn, row->ranks_per_node) * beyond(range->side, longest_side(row));
    return log2(tested->nodes_beyond) + log2(tested->bytes_beyond) + log2(tested->shape_beyond) +
           (range->unseen ? unseen_doublings : 0);
}

/* ---- Widening -------------------------------------------------------------------------------- */

/* By how much the square of an interval's half-width must grow per doubling to reach the measured
 * time. */
static double rate_of(const struct predict_tested *tested, double distance)
{
    const struct predict_estimate *estimate = &tested->estimate;
    const double error = log(tested->row->median_s / estimate->time_s);
    const double width = error > 0 ? log(estimate->high_s / estimate->time_s)
                                   : log(estimate->time_s / estimate->low_s);
    return fabs(error) <= width ? 0 : sqrt((error * error - width * width) / distance);
}

static void find_rate(const struct predict_request *request, struct predict_result *result,
                      double confidence)
{
    struct predict_beyond *of = &result->beyond;
    double *rate = sup_malloc((result->count + 1) * sizeof *rate);
    struct range range = {.fold = -1};
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++) {
        struct predict_tested *tested = &result->tested[i];
        if (!result->fold[tested->fold].judges ||
            result->fold[tested->fold].kind == PREDICT_LARGEST || !tested->predicted ||
            isnan(tested->estimate.low_s))
            continue;
        find_range(request, result, tested, &range);
        const double distance = doublings(&range, tested);
        if (distance > 0 && isfinite(distance))
            rate[count++] = rate_of(tested, distance);
    }
    of->rate = least_rate * predict_sds(confidence);
    of->rows = (int64_t)count;
    sup_sort_reals(rate, count);
    if (count > 0)
        of->rate = fmax(of->rate, sup_quantile(rate, count, confidence));
    free(rate);
}

static void widen(double rate, double distance, struct predict_estimate *estimate)
{
    const double more = rate * sqrt(distance);
    const double time_s = estimate->time_s;
    estimate->high_s = time_s * exp(hypot(log(fmax(1, estimate->high_s / time_s)), more));
    estimate->low_s = time_s / exp(hypot(log(fmax(1, time_s / estimate->low_s)), more));
}

void predict_widen(const struct predict_request *request, struct predict_result *result)
{
    const double confidence = request->options.confidence > 0 ? request->options.confidence : 0.9;
    struct range range = {.fold = -1};
    size_t kept = 0, folds = 0;
    find_rate(request, result, confidence);
    for (size_t i = 0; i < result->count; i++) {
        struct predict_tested *tested = &result->tested[i];
        if (result->fold[tested->fold].judges)
            continue;
        find_range(request, result, tested, &range);
        const double distance = doublings(&range, tested);
        if (tested->predicted && distance > 0 && isfinite(distance) &&
            !isnan(tested->estimate.low_s))
            widen(result->beyond.rate, distance, &tested->estimate);
        result->beyond.nodes = fmax(result->beyond.nodes, tested->nodes_beyond);
        result->beyond.bytes = fmax(result->beyond.bytes, tested->bytes_beyond);
        result->beyond.extended += tested->extended;
        result->tested[kept++] = *tested;
    }
    result->count = kept;
    while (folds < result->folds && !result->fold[folds].judges)
        folds++;
    result->beyond.fits = (int32_t)(result->folds - folds);
    predict_drop_folds(result, folds);
}
