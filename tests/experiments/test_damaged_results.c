/* test_damaged_results.c - results files with flipped bits or changed by hand: each is refused, or
 * all values read from it are unchanged. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/results/results.h"
#include "made_results.h"
#include "roundabout.h"

/* A file of some pages, with several rows on each, an experiment that is longer than a page, and
 * pages that are free again. */
static const int32_t many_p[] = {2, 5, 16, 17, 0};
static const int64_t some_m[] = {1000, 65536, 0}, some_n[] = {1, 2, 3, 5, 8, 13, 0};
enum { POINTS = 48 };
static const struct made_sweep made = {
    "fat-tree:16,latency=1us", "circulant", many_p, some_m, some_n, 1e-6, 8e-11, 1, "blocking", 0};

static char *place, whole[600], damaged[600], csv[600];
static char *bytes, *rows; /* of the whole file, and its points as CSV */
static size_t size;

static char *read_file(const char *path, size_t *length)
{
    struct stat file;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        fail_msg("no %s", path);
    assert_int_equal(fstat(fileno(stream), &file), 0);
    char *text = calloc(1, (size_t)file.st_size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)file.st_size, stream);
    fclose(stream);
    return text;
}

static void write_file(const char *path, const char *data, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static char *exported(sqlite3 *db)
{
    size_t length;
    struct sup_error error = {""};
    if (results_export(db, csv, &error) != RB_OK)
        return NULL;
    return read_file(csv, &length);
}

static struct results *create(const char *path)
{
    struct results *results = NULL;
    struct sup_error error = {""};
    if (results_create(path, &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    sqlite3_exec(results_database(results), "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return results;
}

static int set_up(void **state)
{
    (void)state;
    char text[6000];
    struct sup_error error = {""};
    const struct results_sweep_note note = {"name", text, "hash", NULL};

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    place = make_place();
    snprintf(damaged, sizeof damaged, "%s/damaged.db", place);
    snprintf(csv, sizeof csv, "%s/points.csv", place);
    snprintf(whole, sizeof whole, "%s/whole.db", place);
    struct results *results = create(whole);
    sqlite3 *db = results_database(results);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE TABLE gone (x); INSERT INTO gone VALUES "
                                  "(zeroblob(20000)); DROP TABLE gone",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(results_begin(results, &note, &error), RB_OK);
    add_sweep(results, &made);
    assert_int_equal(results_end(results, &error), RB_OK);
    rows = exported(db);
    assert_non_null(rows);
    results_close(results);
    bytes = read_file(whole, &size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(bytes);
    free(rows);
    remove_place(place);
    return 0;
}

/* Reads the damaged file as tune and plot do; true if that was refused. */
static bool refused_for_reading(size_t at, int bit)
{
    sqlite3 *db;
    struct sup_error error = {""};
    int status = results_open(damaged, &db, &error);
    if (status != RB_OK) {
        if (error.text[0] == '\0' || strstr(error.text, "are kept") != NULL)
            fail_msg("bit %d of byte %zu: \"%s\"", bit, at, error.text);
        return true;
    }
    char *text = exported(db);
    sqlite3_close(db);
    if (text != NULL && strcmp(text, rows) != 0)
        fail_msg("bit %d of byte %zu changes what is read", bit, at);
    bool refused = text == NULL;
    free(text);
    return refused;
}

/* Goes on with the damaged file as sweep does. */
static bool refused_for_writing(size_t at, int bit)
{
    struct results *results = NULL;
    struct sup_error error = {""};
    if (results_create(damaged, &results, &error) != RB_OK)
        return true;
    char *text = exported(results_database(results));
    results_close(results);
    if (text == NULL || strcmp(text, rows) != 0)
        fail_msg("bit %d of byte %zu changes what a sweep goes on with", bit, at);
    free(text);
    return false;
}

static void flipped_bits_are_refused_or_change_nothing(void **state)
{
    (void)state;
    enum { STRIDE = 97, OF_THEM_WRITTEN = 15 }; /* no divisors of 8 or of a page's size */
    int refused = 0, tried = 0;
    for (size_t at = 0; at < size; at += at < 100 ? 1 : STRIDE, tried++) {
        const int bit = tried % 8;
        bytes[at] = (char)(bytes[at] ^ (1 << bit));
        write_file(damaged, bytes, size);
        refused += refused_for_reading(at, bit);
        if (tried % OF_THEM_WRITTEN == 0)
            refused_for_writing(at, bit);
        bytes[at] = (char)(bytes[at] ^ (1 << bit));
    }
    write_file(damaged, bytes, size);
    assert_false(refused_for_reading(0, 0));
    assert_false(refused_for_writing(0, 0));
    /* Rows, and the tree that they are in, are most of the file; free pages are some of it. */
    assert_true(refused > tried / 4);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;
    write_file(damaged, bytes, size);
    assert_int_equal(sqlite3_open(damaged, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void opening_says(const char *what)
{
    sqlite3 *db;
    struct sup_error error = {""};
    char expected[1500];
    snprintf(expected, sizeof expected,
             "%s: damaged, or changed by hand: %s; sweep into a new file instead", damaged, what);
    assert_int_equal(results_open(damaged, &db, &error), RB_EINVAL);
    assert_string_equal(error.text, expected);
}

static void changes_by_hand_are_named(void **state)
{
    (void)state;
    run_sql("UPDATE points SET time_s = time_s / 2 WHERE id = 7");
    opening_says("row 7 of points doesn't match its checksum");
    run_sql("DELETE FROM points WHERE id = 7");
    opening_says("its table points has fewer rows than 48");
    run_sql("INSERT INTO sweeps SELECT 2, " RESULTS_SWEEP_COLUMNS ", checksum FROM sweeps");
    opening_says("its table sweeps has more rows than 1");
    run_sql("UPDATE totals SET checksum = checksum + 1 WHERE name = 'timings'");
    opening_says("the rows of its table timings don't match their total");
    run_sql("DELETE FROM totals WHERE name = 'sweeps'");
    opening_says("its table totals has no row for sweeps");
    run_sql("ALTER TABLE points ADD COLUMN note");
    opening_says("the definition of its table points is not that of this format");
    run_sql("ALTER TABLE points RENAME TO other; CREATE VIEW points AS SELECT * FROM other");
    opening_says("the definition of its table points is not that of this format");
}

/* Views, triggers and tables of somebody else are neither refused nor used. */
static void additions_do_no_harm(void **state)
{
    (void)state;
    run_sql("CREATE VIEW fast AS SELECT * FROM points WHERE time_s < 1; CREATE TABLE mine (x);"
            "CREATE TRIGGER bad AFTER INSERT ON points BEGIN DELETE FROM points; END");
    assert_false(refused_for_reading(0, 0));
    struct made_sweep more = made;
    more.algorithm = "chain";
    struct results *results = create(damaged);
    add_sweep(results, &more);
    results_close(results);
    results = create(damaged);
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(results_database(results), "SELECT count(*) FROM points",
                                        -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(row, 0), 2 * POINTS);
    sqlite3_finalize(row);
    results_close(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bits_are_refused_or_change_nothing),
        cmocka_unit_test(changes_by_hand_are_named),
        cmocka_unit_test(additions_do_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
