/* calibrate.c - from rows to fitted tests (calibrate.h). */
#include "experiments/calibrate/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/measure/machine.h"
#include "schedules/plan/random.h"

enum { LEAST_SIZES = 4 }; /* of a test that is fitted */

/* ---- Rows ------------------------------------------------------------------------------------ */

/* RB_PAIR_TESTS: a collective. */
static int test_of(const struct rb_measured *row)
{
    return rb_pair_test_called(row->test);
}

/* Rows of two machines or libraries have no common model. */
static int check_same(const struct rb_measured *a, const struct rb_measured *b,
                      struct rb_error *error)
{
    if (strcmp(a->mpi_library, b->mpi_library) != 0)
        return rb_fail(error, RB_EINVAL,
                       "rows of \"%.60s\" and of \"%.60s\": calibrate them separately",
                       a->mpi_library, b->mpi_library);
    if (strcmp(a->cpu, b->cpu) != 0)
        return rb_fail(error, RB_EINVAL,
                       "rows of \"%.60s\" and of \"%.60s\": calibrate them separately", a->cpu,
                       b->cpu);
    return RB_OK;
}

static int read_files(struct rb_calibration *c, struct rb_error *error)
{
    int status = RB_OK;
    for (int32_t i = 0; i < c->request->file_count && status == RB_OK; i++)
        status = rb_measured_read(c->request->files[i], &c->rows, error);
    for (size_t i = 0; i < c->rows.count && status == RB_OK; i++)
        status = check_same(&c->rows.row[0], &c->rows.row[i], error);
    return status;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static int by_size_and_time(const void *left, const void *right)
{
    const struct rb_calibrated_size *a = left, *b = right;
    if (a->bytes != b->bytes)
        return (a->bytes > b->bytes) - (a->bytes < b->bytes);
    return (a->row->median_s > b->row->median_s) - (a->row->median_s < b->row->median_s);
}

/* Of rows of one size the one with the median time. */
static void merge_sizes(struct rb_calibrated_test *test)
{
    size_t kept = 0;
    qsort(test->size, test->count, sizeof *test->size, by_size_and_time);
    for (size_t first = 0, end; first < test->count; first = end) {
        for (end = first + 1;
             end < test->count && test->size[end].bytes == test->size[first].bytes;)
            end++;
        test->size[kept++] = test->size[first + (end - first - 1) / 2];
    }
    test->count = kept;
}

/* Between hosts where there are such rows: what is within a host is another matter. */
static bool any_between_hosts(const struct rb_calibration *c)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (test_of(&c->rows.row[i]) < RB_PAIR_TESTS && c->rows.row[i].same_host == 0)
            return true;
    return false;
}

static int sort_rows(struct rb_calibration *c)
{
    const bool between = any_between_hosts(c);
    for (int t = 0; t < RB_PAIR_TESTS; t++) {
        c->test[t].size = calloc(c->rows.count + 1, sizeof *c->test[t].size);
        if (c->test[t].size == NULL)
            return RB_ENOMEM;
    }
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct rb_measured *row = &c->rows.row[i];
        const int t = test_of(row);
        c->hosts = row->p > c->hosts ? (int32_t)row->p : c->hosts;
        if (t == RB_PAIR_TESTS || !(row->median_s > 0))
            continue;
        if (between && row->same_host != 0) {
            c->other_pairs++;
            continue;
        }
        if (c->first == NULL)
            c->first = row;
        c->test[t].size[c->test[t].count++] =
            (struct rb_calibrated_size){.bytes = (double)row->m_bytes, .row = row};
    }
    for (int t = 0; t < RB_PAIR_TESTS; t++)
        merge_sizes(&c->test[t]);
    return RB_OK;
}

/* A share of the sizes between the smallest and the largest, the same ones in all tests. */
static int hold_out(struct rb_calibration *c)
{
    const struct rb_calibrated_test *basis = &c->test[c->basis];
    if (basis->count < 3)
        return RB_OK;
    const size_t inner = basis->count - 2;
    const size_t held = (size_t)(c->request->held_out * (double)inner + 0.5);
    double *bytes = malloc(inner * sizeof *bytes);
    uint64_t seed = c->request->seed;
    if (bytes == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < inner; i++)
        bytes[i] = basis->size[i + 1].bytes;
    for (size_t i = 0; i < held; i++) {
        const size_t other = i + rb_random_below(&seed, (uint32_t)(inner - i));
        const double chosen = bytes[other];
        bytes[other] = bytes[i];
        bytes[i] = chosen;
        for (int t = 0; t < RB_PAIR_TESTS; t++)
            for (size_t k = 0; k < c->test[t].count; k++)
                if (c->test[t].size[k].bytes == chosen)
                    c->test[t].size[k].held_out = true;
    }
    free(bytes);
    return RB_OK;
}

static struct rb_timed_size timed_size(const struct rb_calibrated_size *size)
{
    const struct rb_measured *row = size->row;
    const bool known = row->ci_high_s >= row->ci_low_s; /* neither is absent */
    const double noise = known ? (row->ci_high_s - row->ci_low_s) / 2 / row->median_s : 0;
    return (struct rb_timed_size){size->bytes, row->median_s, noise};
}

static int fit_test(struct rb_calibrated_test *test, int32_t most, struct fitted_pieces *pieces)
{
    struct rb_timed_size *sample = malloc((test->count + 1) * sizeof *sample);
    size_t count = 0;
    if (sample == NULL)
        return RB_ENOMEM;
    for (size_t i = 0; i < test->count; i++)
        if (!test->size[i].held_out)
            sample[count++] = timed_size(&test->size[i]);
    const int status = count == 0 ? RB_OK : rb_fit_pieces(sample, count, most, pieces);
    free(sample);
    return status;
}

static bool is_finite(const struct fitted_pieces *pieces)
{
    bool finite = pieces->count > 0 && isfinite(pieces->error);
    for (int32_t k = 0; k < pieces->count; k++)
        finite = finite && isfinite(pieces->piece[k].alpha_s) &&
                 isfinite(pieces->piece[k].beta_s_per_byte);
    return finite;
}

static int fit_tests(struct rb_calibration *c, struct rb_error *error)
{
    struct fitted_pieces one = {0};
    int status = hold_out(c);
    for (int t = 0; t < RB_PAIR_TESTS && status == RB_OK; t++)
        if (c->test[t].count > 0)
            status = fit_test(&c->test[t], c->request->most_pieces, &c->test[t].pieces);
    if (status == RB_OK)
        status = fit_test(&c->test[c->basis], 1, &one);
    if (status != RB_OK)
        return rb_fail(error, status, "out of memory");
    for (int t = 0; t < RB_PAIR_TESTS; t++)
        if (c->test[t].count > 0 && !is_finite(&c->test[t].pieces))
            status = rb_fail(error, RB_EINVAL,
                             "no line fits the times of %s: there are none that are not held out, "
                             "or one is too far from all others",
                             rb_pair_test_names[t]);
    if (status == RB_OK && !is_finite(&one))
        status =
            rb_fail(error, RB_EINVAL, "no line fits the times of %s", rb_pair_test_names[c->basis]);
    if (status == RB_OK)
        c->overall = one.piece[0];
    return status;
}

int rb_calibrate(const struct rb_calibrate_request *request, struct rb_calibration *c,
                 struct rb_error *error)
{
    *c = (struct rb_calibration){.request = request, .hosts = 2};
    int status = read_files(c, error);
    if (status != RB_OK)
        return status;
    status = sort_rows(c);
    c->basis = status == RB_OK && c->test[RB_EXCHANGE].count > 0 ? RB_EXCHANGE : RB_LATENCY;
    if (status == RB_OK && c->test[c->basis].count < LEAST_SIZES)
        return rb_fail(error, RB_EINVAL,
                       "there are %zu sizes of %s, and %d or more are needed: mpirun -n 2 "
                       "roundabout measure pairs -o FILE.csv measures them",
                       c->test[c->basis].count, rb_pair_test_names[c->basis], LEAST_SIZES);
    return status == RB_OK ? fit_tests(c, error) : rb_fail(error, status, "out of memory");
}

void rb_calibration_free(struct rb_calibration *c)
{
    free(c->rows.row);
    for (int t = 0; t < RB_PAIR_TESTS; t++)
        free(c->test[t].size);
    free(c->prediction);
    *c = (struct rb_calibration){0};
}
