/* calibrate.c - from rows to fitted tests (calibrate.h). */
#include "studies/calibrate/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/plan/random.h"
#include "studies/measure/measure.h"
#include "support/memory.h"

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

static int by_size_and_time(const void *left, const void *right)
{
    const struct calib_size *a = left, *b = right;
    const double a_s = calib_time_of(a->row).s, b_s = calib_time_of(b->row).s;
    if (a->bytes != b->bytes)
        return (a->bytes > b->bytes) - (a->bytes < b->bytes);
    return (a_s > b_s) - (a_s < b_s);
}

static int by_pair(const struct measure_result *a, const struct measure_result *b)
{
    const int by_host = strcmp(a->host, b->host);
    if (by_host != 0)
        return by_host;
    if (a->rank_a != b->rank_a)
        return a->rank_a > b->rank_a ? 1 : -1;
    return (a->rank_b > b->rank_b) - (a->rank_b < b->rank_b);
}

static int by_pair_size_and_time(const void *left, const void *right)
{
    const struct calib_size *a = left, *b = right;
    const int pairs = by_pair(a->row, b->row);
    return pairs != 0 ? pairs : by_size_and_time(a, b);
}

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
