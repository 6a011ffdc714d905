/* made_results.h - results files with times from the closed forms of the papers, written here anew
 * rather than taken from the core, so that what tune finds in them is known beforehand. */
#ifndef TESTS_EXPERIMENTS_MADE_RESULTS_H
#define TESTS_EXPERIMENTS_MADE_RESULTS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/results/results.h"

/* A sweep of the given lists, which end with 0. */
struct made_sweep {
    const char *platform;
    const char *algorithm; /* one of times_of */
    const int32_t *p;
    const int64_t *m_bytes;
    const int64_t *n;
    double alpha_s, beta_s_per_byte;
    int64_t element_bytes;
    const char *overlap;
    double noise; /* times are longer by up to this share, from a fixed seed */
};

static inline int32_t ceil_log2(int32_t p)
{
    int32_t q = 0;
    while (((int64_t)1 << q) < p)
        q++;
    return q;
}

static inline double time_of(const struct made_sweep *sweep, int32_t p, double m, double n)
{
    double q = ceil_log2(p), alpha = sweep->alpha_s, beta = sweep->beta_s_per_byte;
    if (p == 1)
        return 0;
    if (strcmp(sweep->algorithm, "circulant") == 0)
        return (n - 1 + q) * (alpha + beta * m / n);
    if (strcmp(sweep->algorithm, "chain") == 0)
        return (n + p - 2) * (alpha + beta * m / n);
    if (strcmp(sweep->algorithm, "binomial") == 0)
        return q * (alpha + beta * m);
    fail_msg("no closed form for %s here", sweep->algorithm);
    return NAN;
}

/* That of a broadcast. Larger m have none, as if it were not known. */
static inline double bound_of(const struct made_sweep *sweep, int32_t p, double m)
{
    return m > 1e9 ? NAN : ceil_log2(p) * sweep->alpha_s + sweep->beta_s_per_byte * m;
}

/* A linear congruential generator: the same on every machine. In [0, 1). */
static inline double draw_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 2147483648.0;
}

static inline void add_sweep(struct results *results, const struct made_sweep *sweep)
{
    static const int64_t single[] = {1, 0};
    char hash[17];
    const int64_t *blocks = strcmp(sweep->algorithm, "binomial") == 0 ? single : sweep->n;
    uint64_t seed = 2024;
    snprintf(hash, sizeof hash, "%016zx", strlen(sweep->platform));
    for (const int32_t *p = sweep->p; *p != 0; p++)
        for (const int64_t *m = sweep->m_bytes; *m != 0; m++)
            for (const int64_t *n = blocks; *n != 0; n++) {
                struct point point = {.plan = {.collective = "bcast",
                                               .algorithm = sweep->algorithm,
                                               .p = *p,
                                               .n = *n,
                                               .ports = 1},
                                      .m_bytes = *m < 0 ? 0 : *m, /* -1: none */
                                      .element_bytes = sweep->element_bytes,
                                      .counts = "regular",
                                      .platform_text = sweep->platform,
                                      .platform_hash = hash,
                                      .ppn = 1,
                                      .placement = "block",
                                      .arrival = "together",
                                      .program = "alone",
                                      .overlap = sweep->overlap,
                                      .engine_text = "simgrid",
                                      .engine_options = ""};
                struct point_outcome outcome = {
                    .done = true,
                    .time_s = time_of(sweep, *p, (double)point.m_bytes, (double)*n) *
                              (1 + sweep->noise * draw_number(&seed)),
                    .uncontended = true,
                    .alpha_s = sweep->alpha_s,
                    .beta_s_per_byte = sweep->beta_s_per_byte,
                    .closed_form_s = NAN,
                    .bound = {.time_s = bound_of(sweep, *p, (double)point.m_bytes),
                              .part = "host"}};
                struct sup_error error;
                if (results_record(results, &point, &outcome, &error) != RB_OK)
                    fail_msg("%s", error.text);
            }
}

/* A directory of its own per test program; the caller removes it by remove_place. */
static inline char *make_place(void)
{
    const char *base = getenv("TMPDIR");
    char *place = malloc(512);
    assert_non_null(place);
    snprintf(place, 512, "%s/roundabout-XXXXXX", base == NULL ? "/tmp" : base);
    assert_non_null(mkdtemp(place));
    return place;
}

static inline void remove_place(char *place)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    assert_int_equal(system(command), 0);
    free(place);
}

/* Makes a results file of several sweeps; path gets its name. */
static inline void make_results(const char *place, const char *name,
                                const struct made_sweep sweeps[], size_t count, char path[600])
{
    struct results *results;
    struct sup_error error;
    snprintf(path, 600, "%s/%s", place, name);
    if (results_create(path, &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    /* One transaction per row is durable and slow; a test needs neither. */
    sqlite3_exec(results_database(results), "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        add_sweep(results, &sweeps[i]);
    results_close(results);
}

/* Runs SQL on `points`, as if sweeps had made what it makes: all checksums are right afterwards. */
static inline void change_results(const char *path, const char *sql)
{
    struct results *results;
    struct sup_error error;
    if (results_create(path, &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    sqlite3 *db = results_database(results);
    char *text = results_sql("UPDATE points SET checksum = row_checksum({all @})");
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_free(text);
    results_close(results);
}

#endif
