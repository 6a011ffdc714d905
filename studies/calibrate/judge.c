/* judge.c - whether the measurements are certain enough, and the fits close enough, to be used
 * (calibrate.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/calibrate/calibrate.h"
#include "studies/measure/measure.h"
#include "support/memory.h"

/* A time that is less certain than this share is named. */
#define UNCERTAIN 0.2
/* A row of which most runs were disturbed is not more certain than this. */
#define DISTURBED  0.5
#define MOST_NOISE 10.0
/* Median errors above which a fit is rough, and is of no use. */
#define ROUGH    0.15
#define UNUSABLE 0.3
/* A size is named if its time is so many times the predicted one, or the other way round. */
#define FAR_OFF 3.0
/* The share of disturbed runs above which they are what to do something about. */
#define BUSY 0.1
/* With fewer held-out sizes all sizes count. */
enum { LEAST_HELD_OUT = 3 };

const char *const calib_verdict_names[CALIB_VERDICTS] = {"good", "rough", "unusable"};

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool has_low(const struct measure_result *row)
{
    return row->low_s > 0 && isfinite(row->low_s);
}

static double noise_of(const struct measure_result *row)
{
    double noise = (row->ci_high_s - row->ci_low_s) / 2 / row->median_s;
    if (has_low(row))
        noise = row->low_error;
    noise = noise > 0 ? noise : 0; /* also where it is absent */
    if (row->oversubscribed != 1 && row->runs > 0 && row->disturbed > 0 && row->discarded >= 0 &&
        row->disturbed - row->discarded > row->runs / 2)
        noise = fmax(noise, DISTURBED);
    return fmin(noise, MOST_NOISE);
}

struct calib_time calib_time_of(const struct measure_result *row)
{
    const double noise = noise_of(row);
    if (!has_low(row))
        return (struct calib_time){row->median_s, row->ci_low_s, row->ci_high_s, noise};
    return (struct calib_time){row->low_s, row->low_s * fmax(1 - noise, 0),
                               row->low_s * (1 + noise), noise};
}

bool calib_is_uncertain(const struct measure_result *row)
{
    return calib_time_of(row).noise > UNCERTAIN;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static double error_of(const struct calib_test *test, const struct calib_size *size)
{
    return fabs(calib_pieces_time(&test->pieces, size->bytes) / calib_time_of(size->row).s - 1);
}

static double factor_of(const struct calib_test *test, const struct calib_size *size)
{
    const double ratio = calib_pieces_time(&test->pieces, size->bytes) / calib_time_of(size->row).s;
    return fmax(ratio, 1 / ratio);
}

void calib_judge(struct calib_test *test)
{
    double *error = sup_malloc(test->count * sizeof *error);
    size_t held_out = 0, count = 0;
    for (size_t i = 0; i < test->count; i++) {
        held_out += test->size[i].held_out;
        test->uncertain += calib_is_uncertain(test->size[i].row);
        const double factor = factor_of(test, &test->size[i]);
        if (factor > test->worst_factor) {
            test->worst_factor = factor;
            test->worst = i;
        }
    }
    for (size_t i = 0; i < test->count; i++)
        if (held_out < LEAST_HELD_OUT || test->size[i].held_out)
            error[count++] = error_of(test, &test->size[i]);
    sup_sort_reals(error, count);
    test->error = sup_quantile(error, count, 0.5);
    free(error);
    if (test->error > UNUSABLE || test->uncertain > test->count / 2)
        test->verdict = CALIB_UNUSABLE;
    else if (test->error > ROUGH || test->uncertain > 0 || test->worst_factor > FAR_OFF)
        test->verdict = CALIB_ROUGH;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* "16MiB, 64MiB and 3 more" */
static void name_uncertain(const struct calib_test *test, char *text, size_t size)
{
    enum { NAMED = 6 };
    size_t named = 0;
    for (size_t i = 0; i < test->count && named < NAMED; i++) {
        char bytes[32];
        if (!calib_is_uncertain(test->size[i].row))
            continue;
        sup_append(text, size, ", ", "%s",
                   sup_format_shown((int64_t)test->size[i].bytes, bytes, sizeof bytes));
        named++;
    }
    if (named < test->uncertain)
        sup_append(text, size, " ", "and %zu more", test->uncertain - named);
}

/* Of the rows with this test and collectives' rows apart: what would help. */
static void advise(const struct calib_result *c, const char *test, bool certain, char *text,
                   size_t size)
{
    double disturbed = 0, all = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct measure_result *row = &c->rows.row[i];
        if (strcmp(row->test, test) != 0 || row->oversubscribed == 1 || row->disturbed < 0 ||
            row->discarded < 0 || row->runs < 0)
            continue;
        disturbed += (double)row->disturbed;
        all += (double)row->runs + (double)row->discarded;
    }
    if (disturbed > BUSY * all)
        snprintf(text, size,
                 "other processes disturbed %.0f %% of the runs: measure on an idle machine, or "
                 "repeat the measurement into the same file, with a longer --most-time",
                 100 * fmin(disturbed / all, 1));
    else if (!certain)
        snprintf(text, size,
                 "repeat the measurement into the same file, with larger --least-runs and a "
                 "longer --most-time");
    else
        snprintf(text, size, "measure more sizes (-m), or fit more --pieces");
}

void calib_describe(const struct calib_result *c, enum measure_pair_test t, char *text, size_t size)
{
    const struct calib_test *test = &c->test[t];
    char uncertain[256] = "", advice[256], bytes[32];
    text[0] = '\0';
    if (test->uncertain > 0) {
        name_uncertain(test, uncertain, sizeof uncertain);
        snprintf(text, size, "not certain to %.0f %%: %zu of %zu sizes (%s)", 100 * UNCERTAIN,
                 test->uncertain, test->count, uncertain);
    }
    if (test->error > ROUGH)
        sup_append(text, size, "; ", "the median error is %.0f %%", 100 * test->error);
    if (test->worst_factor > FAR_OFF)
        sup_append(text, size, "; ", "the time at %s is off by a factor of %.3g",
                   sup_format_shown((int64_t)test->size[test->worst].bytes, bytes, sizeof bytes),
                   test->worst_factor);
    advise(c, measure_pair_test_names[t], test->uncertain == 0, advice, sizeof advice);
    sup_append(text, size, "; ", "%s", advice);
}

bool calib_describe_collectives(const struct calib_result *c, char *text, size_t size)
{
    char advice[256];
    size_t uncertain = 0, all = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        if (c->rows.row[i].collective[0] != '\0') {
            all++;
            uncertain += calib_is_uncertain(&c->rows.row[i]);
        }
    advise(c, "collective", false, advice, sizeof advice);
    snprintf(text, size, "not certain to %.0f %%: %zu of %zu rows; %s", 100 * UNCERTAIN, uncertain,
             all, advice);
    return uncertain > 0;
}
