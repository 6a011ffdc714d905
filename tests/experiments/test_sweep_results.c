/* test_sweep_results.c - the results file: writing, locking, merging, exporting. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/results/results.h"
#include "experiments/sweep/sweep.h"
#include "roundabout.h"
#include "support/options/options.h"

static char directory[] = "test_sweep_results.XXXXXX";

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave_directory(void **state)
{
    (void)state;
    static const char *const files[] = {"a.db", "b.db", "c.db", "a.csv", "other.txt"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    /* Anything left behind makes this fail. */
    return chdir("..") != 0 || rmdir(directory) != 0;
}

static struct point point_of(int64_t n)
{
    return (struct point){
        .plan = {.collective = "bcast", .algorithm = "circulant", .p = 16, .n = n, .ports = 1},
        .m_bytes = 1024,
        .element_bytes = 1,
        .counts = "regular",
        .platform_text = "fat-tree:16,latency=1us",
        .platform_hash = "0123456789abcdef",
        .ppn = 1,
        .placement = "block",
        .arrival = "together",
        .program = "alone",
        .overlap = "blocking",
        .engine_text = "simgrid",
        .engine_options = ""};
}

static struct point_outcome outcome_of(double time_s)
{
    return (struct point_outcome){.done = true,
                                  .time_s = time_s,
                                  .rounds = 4,
                                  .bound_rounds = 3,
                                  .messages = 15,
                                  .moved_bytes = 15360,
                                  .alpha_s = 1e-6,
                                  .beta_s_per_byte = 8e-11,
                                  .closed_form_s = NAN,
                                  .bound = {.time_s = 0.0625, .part = "host"}};
}

static struct results *create(const char *path)
{
    struct results *results = NULL;
    struct sup_error error = {""};
    if (results_create(path, &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    return results;
}

static void record(struct results *results, int64_t n, struct point_outcome outcome)
{
    struct point point = point_of(n);
    struct sup_error error = {""};
    if (results_record(results, &point, &outcome, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static enum results_point_state state_of(struct results *results, int64_t n)
{
    struct point point = point_of(n);
    struct results_entry entry;
    assert_int_equal(results_find(results, &point, &entry, NULL), RB_OK);
    assert_false(entry.foreign);
    return entry.state;
}

static void test_states(void **state)
{
    (void)state;
    struct point_outcome failed = {.error = {"it broke"}};
    struct results *results = create("a.db");
    record(results, 1, failed);
    record(results, 2, outcome_of(0.5));
    assert_int_equal(state_of(results, 1), RESULTS_POINT_FAILED);
    results_close(results);

    results = create("a.db");
    assert_int_equal(state_of(results, 1), RESULTS_POINT_FAILED);
    assert_int_equal(state_of(results, 2), RESULTS_POINT_DONE);
    assert_int_equal(state_of(results, 3), RESULTS_POINT_ABSENT);
    record(results, 1, outcome_of(0.25));
    assert_int_equal(state_of(results, 1), RESULTS_POINT_DONE);
    results_close(results);
    unlink("a.db");
}

/* Points that go into a file that no path leads to would be lost. */
static void a_file_that_was_moved_is_noticed(void **state)
{
    (void)state;
    struct point_outcome outcome = outcome_of(0.5);
    struct point point = point_of(2);
    struct sup_error error;
    struct results *results = create("a.db");
    record(results, 1, outcome);
    assert_int_equal(rename("a.db", "b.db"), 0);
    assert_int_equal(results_record(results, &point, &outcome, &error), RB_EFAILED);
    assert_string_equal(error.text, "a.db: it was removed or replaced during the run");
    results_close(results);
    unlink("b.db");
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void export_is(struct results *results, const char *rows)
{
    char text[4096], expected[4096];
    struct sup_error error = {""};
    if (results_export(results_database(results), "a.csv", &error) != RB_OK)
        fail_msg("%s", error.text);
    read_file("a.csv", text, sizeof text);
    snprintf(expected, sizeof expected,
             "collective,algorithm,p,n,m_bytes,root,ports,radix,groups,instance,element_bytes,"
             "counts,"
             "platform,platform_"
             "hash,ppn,"
             "placement,engine,progress,engine_options,jitter,arrival,program,version,status,error,"
             "time_s,"
             "rounds,"
             "bound_rounds,messages,moved_bytes,uncontended,alpha_s,beta_s_per_byte,closed_form_s,"
             "bound_s,bound_by,time_low_s,time_high_s,last_arrival_s,mean_inside_s,waiting_share\n"
             "%s",
             rows);
    assert_string_equal(text, expected);
    unlink("a.csv");
}

/* Rows in the order of identity, text quoted where it must be, absent values empty, all 17 digits.
 */
static void test_export(void **state)
{
    (void)state;
    char rows[2048];
    struct point_outcome failed = {.error = {"said \"no\", twice"}};
    struct results *results = create("a.db");
    record(results, 10, failed);
    record(results, 9, outcome_of(0.1));
    snprintf(
        rows, sizeof rows,
        "bcast,circulant,16,9,1024,0,1,0,,,1,regular,\"fat-tree:16,latency=1us\",0123456789abcdef,"
        "1,"
        "block,"
        "simgrid,blocking,,0,together,alone,%s,done,,0.10000000000000001,4,3,15,15360,0,"
        "9.9999999999999995e-07,7.9999999999999995e-11,,0.0625,host,,,,,\n"
        "bcast,circulant,16,10,1024,0,1,0,,,1,regular,\"fat-tree:16,latency=1us\",0123456789abcdef,"
        "1,"
        "block,simgrid,blocking,,0,together,alone,%s,failed,\"said \"\"no\"\", "
        "twice\",,,,,,,,,,,,,,,,\n",
        cli_program_version, cli_program_version);
    export_is(results, rows);
    results_close(results);
    unlink("a.db");
}

static void one_process_writes_at_a_time(void **state)
{
    (void)state;
    struct results *results = create("a.db");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) { /* a lock is a process's, so another one must try */
        struct results *second = NULL;
        struct sup_error error = {""};
        char expected[160];
        snprintf(expected, sizeof expected,
                 "a.db: process %ld is writing it; wait for its end, or give another file with -o",
                 (long)getppid());
        bool refused = results_create("a.db", &second, &error) == RB_EINVAL;
        _exit(refused && strcmp(error.text, expected) == 0 ? 0 : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    results_close(results);
    assert_int_equal(access("a.db.lock", F_OK), -1);
    results_close(create("a.db"));
    unlink("a.db");
}

static void refuses(int (*open_it)(const char *path, struct sup_error *error), const char *path,
                    const char *message)
{
    struct sup_error error = {""};
    assert_int_equal(open_it(path, &error), RB_EINVAL);
    assert_string_equal(error.text, message);
}

static int open_for_reading(const char *path, struct sup_error *error)
{
    sqlite3 *db;
    return results_open(path, &db, error);
}

static int open_for_writing(const char *path, struct sup_error *error)
{
    struct results *results;
    return results_create(path, &results, error);
}

static void test_not_a_results_file(void **state)
{
    (void)state;
    FILE *file = fopen("other.txt", "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fputs("not a database\n", file);
    fclose(file);
    sqlite3 *db;
    assert_int_equal(sqlite3_open("b.db", &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE other (x)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);

    refuses(open_for_reading, "none.db",
            "none.db: No such file or directory; roundabout sweep makes results files");
    refuses(open_for_reading, ".", ".: not a file");
    refuses(open_for_reading, "other.txt", "other.txt: not a results file of roundabout sweep");
    refuses(open_for_reading, "b.db", "b.db: not a results file of roundabout sweep");
    refuses(open_for_writing, "other.txt", "other.txt: not a results file of roundabout sweep");
    refuses(open_for_writing, "b.db",
            "b.db: not a results file of roundabout sweep; give another with -o");
    /* Another program's database is left as it was: byte 18 of its header says that it logs. */
    file = fopen("b.db", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 18, SEEK_SET), 0);
    assert_int_equal(fgetc(file), 2);
    fclose(file);
    unlink("other.txt");
    unlink("b.db");
}

static int merge(struct results *results, const char *from, int64_t *added, struct sup_error *error)
{
    *added = -1;
    return results_merge(results, from, added, error);
}

static int64_t number(struct results *results, const char *sql)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(results_database(results), sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return value;
}

/* a has 1 done, 2 failed; b has 1 the same, 2 done, 3 done, 4 failed; c has 1 with another time. */
static void merged_results_keep_what_is_done(void **state)
{
    (void)state;
    struct point_outcome failed = {.error = {"it broke"}};
    struct sup_error error = {""};
    int64_t added;
    struct results *results = create("b.db");
    struct results_sweep_note note = {"name", "text", "hash", "2/2"};
    assert_int_equal(results_begin(results, &note, &error), RB_OK);
    record(results, 1, outcome_of(1));
    record(results, 2, outcome_of(2));
    record(results, 3, outcome_of(3));
    record(results, 4, failed);
    assert_int_equal(results_end(results, &error), RB_OK);
    results_close(results);
    results = create("c.db");
    record(results, 5, outcome_of(5));
    record(results, 1, outcome_of(1.5));
    results_close(results);

    results = create("a.db");
    record(results, 1, outcome_of(1));
    record(results, 2, failed);
    assert_int_equal(merge(results, "b.db", &added, &error), RB_OK);
    assert_int_equal(added, 3);
    for (int64_t n = 1; n <= 3; n++)
        assert_int_equal(state_of(results, n), RESULTS_POINT_DONE);
    assert_int_equal(state_of(results, 4), RESULTS_POINT_FAILED);
    assert_int_equal(number(results, "SELECT count(*) FROM timings"), 4);
    assert_int_equal(number(results,
                            "SELECT count(*) FROM timings JOIN sweeps ON sweeps.id = sweep "
                            "WHERE shard = '2/2'"),
                     4);
    /* Once more: nothing new. */
    assert_int_equal(merge(results, "b.db", &added, &error), RB_OK);
    assert_int_equal(added, 0);
    assert_int_equal(number(results, "SELECT count(*) FROM sweeps"), 1);

    assert_int_equal(merge(results, "c.db", &added, &error), RB_EINVAL);
    assert_string_equal(error.text,
                        "c.db: nothing of it merged: it has bcast circulant, p = 16, n = 1, "
                        "m_bytes = 1024, fat-tree:16,latency=1us, blocking at 1.5 s, another file "
                        "at 1 s; were they made by different versions?");
    assert_int_equal(state_of(results, 5), RESULTS_POINT_ABSENT);
    assert_int_equal(merge(results, "a.db", &added, &error), RB_EINVAL);
    results_close(results);
    unlink("a.db");
    unlink("b.db");
    unlink("c.db");
}

/* ---- Confirmation ---- */

static void confirm(struct results *results, struct point point, double time_s)
{
    struct point_outcome outcome = outcome_of(time_s);
    struct sup_error error = {""};
    outcome.confirming = true;
    outcome.done = time_s > 0;
    if (time_s <= 0)
        sup_fail(&outcome.error, RB_EFAILED, "it broke");
    assert_int_equal(results_record(results, &point, &outcome, &error), RB_OK);
}

static void assert_says(const struct sweep_confirm *sample, struct results *results,
                        const char *wanted)
{
    char said[1000];
    struct sup_error error;
    assert_int_equal(sweep_confirm_describe(sample, results, said, sizeof said, &error), RB_OK);
    assert_string_equal(said, wanted);
}

/* A difference is named with its point, or as the precision that it is; what was not confirmed is
 * not said to agree. */
static void test_confirmation(void **state)
{
    (void)state;
    struct sweep_pair pairs[3];
    for (int64_t n = 1; n <= 3; n++) {
        pairs[n - 1] = (struct sweep_pair){point_of(n), point_of(n)};
        pairs[n - 1].confirming.engine_text = "simgrid:actors";
        pairs[n - 1].confirming.cost_s = (double)n;
    }
    const struct sweep_confirm sample = {
        .engine = "simgrid:actors", .pair = pairs, .count = 3, .others = 30};
    const struct sweep_confirm none = {.engine = "simgrid:actors", .others = 30};
    const struct sweep_confirm same = {.engine = "simgrid"};
    struct results *results = create("a.db");
    struct results_entry entry;
    struct sup_error error;
    for (int64_t n = 1; n <= 3; n++)
        record(results, n, outcome_of(1));
    assert_says(&sample, results, "; none is confirmed by simgrid:actors");
    assert_says(&none, results,
                "; none is confirmed by simgrid:actors: by estimate even the cheapest take too "
                "long there");
    assert_says(&same, results, "; none is confirmed by simgrid, which is the engine of all");
    confirm(results, pairs[2].confirming, 0);
    assert_says(&sample, results,
                "; none is confirmed by simgrid:actors; 1 failed there, the first: it broke");
    confirm(results, pairs[0].confirming, 1);
    assert_says(&sample, results,
                "; 1 of them confirmed by simgrid:actors to 1e-09; 1 failed there, the first: it "
                "broke");
    /* What is absent is to be done, and what failed if that is wanted. */
    for (int retry = 0; retry < 2; retry++) {
        struct sweep_confirm left = sample;
        assert_int_equal(sweep_confirm_find(&left, results, retry, &error), RB_OK);
        assert_int_equal(left.todo_count, 1 + retry);
        assert_true(sweep_confirm_cost_s(&left) == (retry ? 2 + 3 : 2));
        free(left.todo);
    }
    confirm(results, pairs[1].confirming, 1 - 1e-8);
    confirm(results, pairs[2].confirming, 1 + 1e-10);
    assert_says(&sample, results,
                "; 3 of them confirmed by simgrid:actors to 1e-08, 2 of these to 1e-09; the "
                "worst is bcast circulant, p = 16, n = 2, m = 1 KiB, fat-tree:16,latency=1us, "
                "blocking, whose contention may be chaotic");
    for (int64_t n = 1; n <= 3; n++)
        record(results, n + 3, outcome_of(1e-5));
    for (int64_t n = 1; n <= 3; n++) {
        pairs[n - 1] = (struct sweep_pair){point_of(n + 3), point_of(n + 3)};
        pairs[n - 1].confirming.engine_text = "simgrid:actors";
        confirm(results, pairs[n - 1].confirming, 1e-5 + 4e-13 * (double)n);
    }
    assert_says(&sample, results,
                "; 3 of them confirmed by simgrid:actors to 1.2e-07 (1 ps, its precision)");

    /* They are no points of an experiment. */
    static char text[10000];
    assert_int_equal(results_find(results, &pairs[1].confirming, &entry, &error), RB_OK);
    assert_int_equal(entry.state, RESULTS_POINT_CONFIRMING);
    assert_int_equal(results_export(results_database(results), "a.csv", &error), RB_OK);
    read_file("a.csv", text, sizeof text);
    assert_null(strstr(text, "confirming"));
    results_close(results);
    unlink("a.csv");
    unlink("a.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_export),
        cmocka_unit_test(one_process_writes_at_a_time),
        cmocka_unit_test(test_not_a_results_file),
        cmocka_unit_test(merged_results_keep_what_is_done),
        cmocka_unit_test(a_file_that_was_moved_is_noticed),
        cmocka_unit_test(test_confirmation),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
