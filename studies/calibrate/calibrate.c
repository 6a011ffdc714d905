/* calibrate.c - from rows to fitted tests (calibrate.h). */
#include "studies/calibrate/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "schedules/plan/random.h"
#include "sim/engine/engine.h"
#include "sim/path/path.h"
#include "studies/measure/measure.h"
#include "support/memory.h"

/* ---- Pieces ---------------------------------------------------------------------------------- */

enum { LEAST_IN_PIECE = 3 /* of a piece */, REWEIGHTINGS = 12 };

/* Errors below this are the noise of any measurement: no piece is worth making for them. */
#define NOISE 0.01
/* Larger errors are not noise. */
#define OUTLIER 0.1
/* Times that are certain to this share have full weight. */
#define WELL_KNOWN 0.05

/* ---- One piece ------------------------------------------------------------------------------- */

struct line {
    double alpha_s, beta; /* neither is negative */
};

/* ln(predicted / measured), and no worse than if the prediction were that small. */
static double log_error(const struct line *line, const struct calib_timed_size *sample)
{
    return log(fmax(line->alpha_s + line->beta * sample->bytes, 1e-15) / sample->time_s);
}

static double trust(const struct calib_timed_size *sample)
{
    return WELL_KNOWN / fmax(sample->noise, WELL_KNOWN);
}

/* Huber's loss: squares, but beyond OUTLIER only in proportion. */
static double loss(const struct calib_timed_size sample[], size_t count, const struct line *line)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = trust(&sample[i]) * fabs(log_error(line, &sample[i]));
        sum += error < OUTLIER ? error * error : OUTLIER * (2 * error - OUTLIER);
    }
    return sum;
}

/* What weight makes (predicted - measured)^2 the loss of this sample, near this line. */
static double weight_of(const struct line *line, const struct calib_timed_size *sample)
{
    const double error = log_error(line, sample), time_s = sample->time_s;
    const double difference = (exp(error) - 1) * time_s;
    const double slope = fabs(error) < 1e-6 ? 1 / time_s : error / difference;
    const double share = trust(sample);
    return slope * slope * share * share * fmin(1, OUTLIER / fmax(share * fabs(error), OUTLIER));
}

/* Weighted least squares; the weights are those near another line, or relative errors'. */
static struct line solve(const struct calib_timed_size sample[], size_t count,
                         const struct line *near)
{
    double one = 0, x = 0, xx = 0, y = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        const double time_s = sample[i].time_s, bytes = sample[i].bytes;
        const double weight = near == NULL ? 1 / (time_s * time_s) : weight_of(near, &sample[i]);
        one += weight;
        x += weight * bytes;
        xx += weight * bytes * bytes;
        y += weight * time_s;
        xy += weight * bytes * time_s;
    }
    const double det = one * xx - x * x;
    const struct line both = {(y * xx - xy * x) / det, (xy * one - y * x) / det};
    if (det > 0 && both.alpha_s >= 0 && both.beta >= 0)
        return both;
    const struct line flat = {y / one, 0}, steep = {0, xx > 0 ? xy / xx : 0};
    return loss(sample, count, &flat) <= loss(sample, count, &steep) ? flat : steep;
}

/* The line of least loss, by weights that are set anew; *least is its loss. */
static struct line fit_line(const struct calib_timed_size sample[], size_t count, double *least)
{
    struct line best = solve(sample, count, NULL), line = best;
    *least = loss(sample, count, &best);
    for (int i = 0; i < REWEIGHTINGS; i++) {
        line = solve(sample, count, &line);
        const double here = loss(sample, count, &line);
        if (here < *least) {
            *least = here;
            best = line;
        }
    }
    return best;
}

/* ---- All pieces ------------------------------------------------------------------------------ */

/* error[k * (count + 1) + j]: least error of k + 1 pieces on the first j samples, the last of which
 * begins at sample from[...]. */
struct table {
    size_t count;
    double *error;
    size_t *from;
};

static void fill_table(const struct calib_timed_size sample[], int32_t most, struct table *table)
{
    const size_t width = table->count + 1;
    double error;
    for (size_t i = 0; i < width * (size_t)most; i++)
        table->error[i] = INFINITY;
    for (size_t i = 0; i < table->count; i++)
        for (size_t j = i + 1; j <= table->count; j++) {
            if (i > 0 && (j - i < LEAST_IN_PIECE || i < LEAST_IN_PIECE))
                continue;
            fit_line(sample + i, j - i, &error);
            for (int32_t k = 0; k < most; k++) {
                const size_t here = (size_t)k * width + j;
                if (k == 0 ? i > 0 : i == 0)
                    continue;
                const double before = k == 0 ? 0 : table->error[here - width - j + i];
                if (before + error < table->error[here]) {
                    table->error[here] = before + error;
                    table->from[here] = i;
                }
            }
        }
}

static int32_t choose_count(const struct table *table, int32_t most)
{
    const double n = (double)table->count;
    double best = INFINITY;
    int32_t chosen = 1;
    for (int32_t k = 1; k <= most; k++) {
        const double error = table->error[(size_t)k * (table->count + 1) - 1];
        const double criterion = n * log(error / n + NOISE * NOISE) + 3 * k * log(n);
        if (criterion < best) {
            best = criterion;
            chosen = k;
        }
    }
    return chosen;
}

/* Where the next piece begins between two sizes: where the lines cross, or half-way on a
 * logarithmic axis. */
static double break_between(const struct calib_piece *a, const struct calib_piece *b, double last,
                            double next)
{
    const double slope = a->beta_s_per_byte - b->beta_s_per_byte;
    const double cross = slope == 0 ? NAN : (b->alpha_s - a->alpha_s) / slope;
    if (cross >= last && cross < next)
        return floor(cross);
    return floor(sqrt(fmax(last, 1) * next));
}

static void take_pieces(const struct calib_timed_size sample[], const struct table *table,
                        struct calib_pieces *pieces)
{
    size_t end = table->count;
    double least, error = 0;
    for (int32_t k = pieces->count - 1; k >= 0; k--) {
        const size_t from = table->from[(size_t)k * (table->count + 1) + end];
        struct calib_piece *piece = &pieces->piece[k];
        const struct line line = fit_line(sample + from, end - from, &least);
        *piece = (struct calib_piece){-1, line.alpha_s, line.beta};
        error += least;
        if (end < table->count)
            piece[1].above_bytes =
                break_between(piece, piece + 1, sample[end - 1].bytes, sample[end].bytes);
        end = from;
    }
    pieces->error = sqrt(error / (double)table->count);
}

void calib_fit_pieces(const struct calib_timed_size sample[], size_t count, int32_t most,
                      struct calib_pieces *pieces)
{
    const size_t cells = (count + 1) * (size_t)most;
    struct table table = {.count = count,
                          .error = sup_malloc(cells * sizeof *table.error),
                          .from = sup_calloc(cells, sizeof *table.from)};
    fill_table(sample, most, &table);
    pieces->count = choose_count(&table, most);
    take_pieces(sample, &table, pieces);
    free(table.error);
    free(table.from);
}

const struct calib_piece *calib_piece_of(const struct calib_pieces *pieces, double bytes)
{
    int32_t k = pieces->count - 1;
    while (k > 0 && bytes <= pieces->piece[k].above_bytes)
        k--;
    return &pieces->piece[k];
}

double calib_pieces_time(const struct calib_pieces *pieces, double bytes)
{
    const struct calib_piece *piece = calib_piece_of(pieces, bytes);
    return piece->alpha_s + piece->beta_s_per_byte * bytes;
}

/* ---- Fitted times ---------------------------------------------------------------------------- */

const char *const calib_predictor_names[CALIB_PREDICTORS] = {"fit", "rounds", "simgrid"};

static void add(struct calib_result *c, const struct measure_result *row,
                enum calib_predictor predictor, bool held_out, double predicted_s)
{
    c->prediction[c->prediction_count++] =
        (struct calib_prediction){row, predictor, held_out, predicted_s};
}

static void predict_tests(struct calib_result *c)
{
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        for (int held_out = 0; held_out < 2; held_out++)
            for (size_t i = 0; i < c->test[t].count; i++) {
                const struct calib_size *size = &c->test[t].size[i];
                if (size->held_out == held_out)
                    add(c, size->row, CALIB_BY_FIT, held_out,
                        calib_pieces_time(&c->test[t].pieces, size->bytes));
            }
}

/* ---- Collectives ----------------------------------------------------------------------------- */

struct rounds {
    const struct calib_pieces *pieces;
    const struct rb_plan *plan;
    const struct rb_layout *layout;
    double time_s;
};

static double seconds_of(const void *context, const struct dep_message *message)
{
    const struct rounds *rounds = context;
    return calib_pieces_time(rounds->pieces,
                             (double)dep_message_bytes(rounds->plan, rounds->layout, message));
}

static void add_round(void *context, double longest_s)
{
    ((struct rounds *)context)->time_s += longest_s;
}

static int simulate(const struct measure_result *row, const struct rb_plan *plan,
                    const struct rb_layout *layout, const char *platform, double *time_s,
                    struct sup_error *error)
{
    static const char *const options[] = {"network/model:SMPI"}; /* uses the factors by size */
    struct sim_spec spec = {.plan = plan,
                            .layout = layout,
                            .platform = platform,
                            .ppn = 1,
                            .options = options,
                            .option_count = 1};
    struct sim_result result = {0};
    int status = sim_overlap_parse(row->progress, &spec.overlap, error);
    if (status == RB_OK)
        status = sim_run(sim_engine_find("simgrid"), &spec, &result, error);
    *time_s = result.time_s;
    sim_result_free(&result);
    return status;
}

static int predict_collective(struct calib_result *c, const struct measure_result *row,
                              const char *platform, struct sup_error *error)
{
    struct measure_plan made;
    double time_s;
    int status = measure_plan_make(row, &made, error);
    if (status != RB_OK)
        return status;
    struct rounds rounds = {&c->test[c->basis].pieces, made.plan, &made.layout, 0};
    status = path_longest_of_rounds(made.plan, &made.layout, seconds_of, add_round, &rounds, error);
    if (status == RB_OK)
        add(c, row, CALIB_BY_ROUNDS, false, rounds.time_s);
    if (status == RB_OK)
        status = simulate(row, made.plan, &made.layout, platform, &time_s, error);
    if (status == RB_OK)
        add(c, row, CALIB_BY_SIMGRID, false, time_s);
    measure_plan_free(&made);
    return status;
}

int calib_predict(struct calib_result *c, const char *platform, struct sup_error *error)
{
    struct cli_bar bar;
    int status = RB_OK;
    c->prediction = sup_calloc(2 * c->rows.count, sizeof *c->prediction);
    predict_tests(c);
    cli_bar_start(&bar, "predicting", (int64_t)c->rows.count);
    for (size_t i = 0; i < c->rows.count && status == RB_OK; i++) {
        const struct measure_result *row = &c->rows.row[i];
        cli_bar_update(&bar, (int64_t)i, row->collective);
        if (row->collective[0] == '\0' || row->p < 2 || !(calib_time_of(row).s > 0))
            continue;
        if (strcmp(row->algorithm, MEASURE_LIBRARY_OWN) == 0)
            c->natives++;
        else
            status = predict_collective(c, row, platform, error);
    }
    cli_bar_end(&bar);
    return status;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

double calib_prediction_error(const struct calib_prediction *prediction)
{
    return prediction->predicted_s / calib_time_of(prediction->row).s - 1;
}

const char *calib_prediction_subject(const struct calib_prediction *prediction, char *text,
                                     size_t size)
{
    const struct measure_result *row = prediction->row;
    if (row->collective[0] == '\0')
        snprintf(text, size, "%s", row->test);
    else if (row->radix > 0)
        snprintf(text, size, "%s %s:r=%" PRId64, row->collective, row->algorithm, row->radix);
    else
        snprintf(text, size, "%s %s", row->collective, row->algorithm);
    return text;
}

static bool same_group(const struct calib_prediction *a, const struct calib_prediction *b)
{
    return a->predictor == b->predictor && a->held_out == b->held_out &&
           (a->row->oversubscribed == 1) == (b->row->oversubscribed == 1) &&
           strcmp(a->row->test, b->row->test) == 0 &&
           strcmp(a->row->collective, b->row->collective) == 0 &&
           strcmp(a->row->algorithm, b->row->algorithm) == 0 && a->row->radix == b->row->radix;
}

static void summarize_group(const struct calib_result *c, struct calib_error_summary *group,
                            double error[])
{
    size_t count = 0;
    for (size_t i = 0; i < c->prediction_count; i++)
        if (same_group(group->first, &c->prediction[i]))
            error[count++] = calib_prediction_error(&c->prediction[i]);
    sup_sort_reals(error, count);
    group->count = count;
    group->bias = sup_quantile(error, count, 0.5);
    for (size_t i = 0; i < count; i++)
        error[i] = fabs(error[i]);
    sup_sort_reals(error, count);
    group->median = sup_quantile(error, count, 0.5);
    group->q1 = sup_quantile(error, count, 0.25);
    group->q3 = sup_quantile(error, count, 0.75);
    group->worst = error[count - 1];
}

void calib_summarize_errors(const struct calib_result *c, struct calib_error_summary **groups,
                            size_t *count)
{
    double *error = sup_malloc(c->prediction_count * sizeof *error);
    *groups = sup_calloc(c->prediction_count, sizeof **groups);
    *count = 0;
    for (size_t i = 0; i < c->prediction_count; i++) {
        size_t known = 0;
        while (known < *count && !same_group((*groups)[known].first, &c->prediction[i]))
            known++;
        if (known == *count)
            (*groups)[(*count)++].first = &c->prediction[i];
    }
    for (size_t i = 0; i < *count; i++)
        summarize_group(c, &(*groups)[i], error);
    free(error);
}

/* ---- Calibration ----------------------------------------------------------------------------- */

enum { LEAST_SIZES = 4 }; /* of a test that is fitted */

/* ---- Rows ------------------------------------------------------------------------------------ */

/* MEASURE_PAIR_TESTS: a collective. */
static int test_of(const struct measure_result *row)
{
    return measure_pair_test_called(row->test);
}

/* Rows of two machines or libraries have no common model. */
static int check_same(const struct measure_result *a, const struct measure_result *b,
                      struct sup_error *error)
{
    if (strcmp(a->mpi_library, b->mpi_library) != 0)
        return sup_fail(error, RB_EINVAL,
                        "rows of \"%.60s\" and of \"%.60s\": calibrate them separately",
                        a->mpi_library, b->mpi_library);
    if (strcmp(a->cpu, b->cpu) != 0)
        return sup_fail(error, RB_EINVAL,
                        "rows of \"%.60s\" and of \"%.60s\": calibrate them separately", a->cpu,
                        b->cpu);
    return RB_OK;
}

static int read_files(struct calib_result *c, struct sup_error *error)
{
    int status = RB_OK;
    for (int32_t i = 0; i < c->request->file_count && status == RB_OK; i++)
        status = measure_result_read(c->request->files[i], &c->rows, error);
    for (size_t i = 0; i < c->rows.count && status == RB_OK; i++)
        status = check_same(&c->rows.row[0], &c->rows.row[i], error);
    return status;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

SUP_COMPARE(by_size_and_time, struct calib_size, SUP_ORDER(a->bytes, b->bytes),
            SUP_ORDER(calib_time_of(a->row).s, calib_time_of(b->row).s));

static int by_pair(const struct measure_result *a, const struct measure_result *b)
{
    return SUP_FIRST(strcmp(a->host, b->host), SUP_ORDER(a->rank_a, b->rank_a),
                     SUP_ORDER(a->rank_b, b->rank_b));
}

SUP_COMPARE(by_pair_size_and_time, struct calib_size, by_pair(a->row, b->row),
            by_size_and_time(a, b));

/* Of rows of one pair and size the one with the least time, and of these of all pairs the one with
 * the median time. */
static void merge_sizes(struct calib_test *test)
{
    struct calib_size *size = test->size;
    size_t count = 0, kept = 0;
    qsort(size, test->count, sizeof *size, by_pair_size_and_time);
    for (size_t i = 0; i < test->count; i++)
        if (count == 0 || size[count - 1].bytes != size[i].bytes ||
            by_pair(size[count - 1].row, size[i].row) != 0)
            size[count++] = size[i];
    qsort(size, count, sizeof *size, by_size_and_time);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && size[end].bytes == size[first].bytes;)
            end++;
        size[kept++] = size[first + (end - first - 1) / 2];
    }
    test->count = kept;
}

/* Uses rows between hosts if there are any, because times within a host differ. */
static bool any_between_hosts(const struct calib_result *c)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (test_of(&c->rows.row[i]) < MEASURE_PAIR_TESTS && c->rows.row[i].same_host == 0)
            return true;
    return false;
}

static void sort_rows(struct calib_result *c)
{
    const bool between = any_between_hosts(c);
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        c->test[t].size = sup_calloc(c->rows.count, sizeof *c->test[t].size);
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct measure_result *row = &c->rows.row[i];
        const int t = test_of(row);
        c->hosts = row->p > c->hosts ? (int32_t)row->p : c->hosts;
        if (t == MEASURE_PAIR_TESTS || !(calib_time_of(row).s > 0))
            continue;
        if (between && row->same_host != 0) {
            c->other_pairs++;
            continue;
        }
        if (c->first == NULL)
            c->first = row;
        c->test[t].size[c->test[t].count++] =
            (struct calib_size){.bytes = (double)row->m_bytes, .row = row};
    }
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        merge_sizes(&c->test[t]);
}

/* A share of the sizes between the smallest and the largest, the same ones in all tests. */
static void hold_out(struct calib_result *c)
{
    const struct calib_test *basis = &c->test[c->basis];
    if (basis->count < 3)
        return;
    const size_t inner = basis->count - 2;
    const size_t held = (size_t)(c->request->held_out * (double)inner + 0.5);
    double *bytes = sup_malloc(inner * sizeof *bytes);
    uint64_t seed = c->request->seed;
    for (size_t i = 0; i < inner; i++)
        bytes[i] = basis->size[i + 1].bytes;
    for (size_t i = 0; i < held; i++) {
        const size_t other = i + rb_random_below(&seed, (uint32_t)(inner - i));
        const double chosen = bytes[other];
        bytes[other] = bytes[i];
        bytes[i] = chosen;
        for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
            for (size_t k = 0; k < c->test[t].count; k++)
                if (c->test[t].size[k].bytes == chosen)
                    c->test[t].size[k].held_out = true;
    }
    free(bytes);
}

static struct calib_timed_size timed_size(const struct calib_size *size)
{
    const struct calib_time time = calib_time_of(size->row);
    return (struct calib_timed_size){size->bytes, time.s, time.noise};
}

static void fit_test(struct calib_test *test, int32_t most, struct calib_pieces *pieces)
{
    struct calib_timed_size *sample = sup_malloc(test->count * sizeof *sample);
    size_t count = 0;
    for (size_t i = 0; i < test->count; i++)
        if (!test->size[i].held_out)
            sample[count++] = timed_size(&test->size[i]);
    if (count > 0)
        calib_fit_pieces(sample, count, most, pieces);
    free(sample);
}

static bool is_finite(const struct calib_pieces *pieces)
{
    bool finite = pieces->count > 0 && isfinite(pieces->error);
    for (int32_t k = 0; k < pieces->count; k++)
        finite = finite && isfinite(pieces->piece[k].alpha_s) &&
                 isfinite(pieces->piece[k].beta_s_per_byte);
    return finite;
}

static int fit_tests(struct calib_result *c, struct sup_error *error)
{
    struct calib_pieces one = {0};
    int status = RB_OK;
    hold_out(c);
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count > 0)
            fit_test(&c->test[t], c->request->most_pieces, &c->test[t].pieces);
    fit_test(&c->test[c->basis], 1, &one);
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count > 0 && !is_finite(&c->test[t].pieces))
            status = sup_fail(error, RB_EINVAL,
                              "no line fits the times of %s: there are none that are not held out, "
                              "or one is too far from all others",
                              measure_pair_test_names[t]);
        else if (c->test[t].count > 0 && status == RB_OK)
            calib_judge(&c->test[t]);
    if (status == RB_OK && !is_finite(&one))
        status = sup_fail(error, RB_EINVAL, "no line fits the times of %s",
                          measure_pair_test_names[c->basis]);
    if (status == RB_OK)
        c->overall = one.piece[0];
    return status;
}

int calib_run(const struct calib_request *request, struct calib_result *c, struct sup_error *error)
{
    *c = (struct calib_result){.request = request, .hosts = 2};
    const int status = read_files(c, error);
    if (status != RB_OK)
        return status;
    sort_rows(c);
    if (request->hosts > 0 && request->hosts < c->hosts)
        return sup_fail(error, RB_EINVAL,
                        "--hosts: %" PRId32 " is less than the %" PRId32
                        " ranks that were measured",
                        request->hosts, c->hosts);
    if (request->hosts > 0)
        c->hosts = request->hosts;
    c->basis = c->test[MEASURE_EXCHANGE].count > 0 ? MEASURE_EXCHANGE : MEASURE_LATENCY;
    if (c->test[c->basis].count < LEAST_SIZES)
        return sup_fail(error, RB_EINVAL,
                        "there are %zu sizes of %s, and %d or more are needed: mpirun -n 2 "
                        "roundabout measure pairs -o FILE.csv measures them",
                        c->test[c->basis].count, measure_pair_test_names[c->basis], LEAST_SIZES);
    return fit_tests(c, error);
}

void calib_free(struct calib_result *c)
{
    free(c->rows.row);
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        free(c->test[t].size);
    free(c->prediction);
    *c = (struct calib_result){0};
}
