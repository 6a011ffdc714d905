/* The report: calls are grouped into rows, rows of several ranks are merged, and the text is
 * right. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/report/report.h"

static struct report_event bcast(int64_t bytes, int64_t n, double time_s)
{
    return (struct report_event){.collective = "bcast",
                                 .p = 8,
                                 .bytes = bytes,
                                 .algorithm = rb_algorithm_find("bcast", "circulant"),
                                 .n = n,
                                 .width = 4,
                                 .time_s = time_s};
}

static void add(struct report *report, struct report_event event)
{
    assert_int_equal(report_add(report, &event), RB_OK);
}

/* 1023 and 1024 bytes are of different classes, 1024 and 2047 of one. */
static void calls_are_counted_by_class(void **state)
{
    (void)state;
    struct report report = {0};
    struct report_event event = bcast(1024, 3, 0.5);
    add(&report, event);
    add(&report, bcast(2047, 5, 0.25));
    add(&report, bcast(1023, 3, 2));
    add(&report, bcast(2048, 3, 3));
    event.width = 5;
    add(&report, event);
    event.p = 7;
    add(&report, event);
    event.algorithm = NULL;
    event.reason = REPORT_NATIVE;
    add(&report, event);
    event.reason = REPORT_OPERATOR;
    add(&report, event);
    add(&report, bcast(0, 1, 1));
    add(&report, bcast(-1, 1, 1));
    assert_int_equal(report.count, 9);
    static const int32_t classes[] = {11, 11, 11, -1, 0, 10, 11, 11, 12};
    for (int i = 0; i < 9; i++)
        assert_int_equal(report.rows[i].size_class, classes[i]);
    const struct report_row *row = &report.rows[6];
    assert_int_equal(row->calls, 2);
    assert_int_equal(row->least_calls, 2);
    assert_int_equal(row->most_calls, 2);
    assert_int_equal(row->least_n, 3);
    assert_int_equal(row->most_n, 5);
    assert_float_equal(row->total_s, 0.75, 1e-12);
    assert_float_equal(row->longest_s, 0.5, 0);
    report_free(&report);
}

/* Three ranks, the third by way of the second, and all by way of packed bytes. */
static void ranks_are_merged(void **state)
{
    (void)state;
    struct report of[3] = {{0}};
    add(&of[0], bcast(1024, 4, 1));
    add(&of[1], bcast(1024, 2, 2));
    add(&of[1], bcast(1024, 4, 4));
    add(&of[2], bcast(1024, 4, 0.5));
    add(&of[2], bcast(4096, 4, 0.125));
    for (int i = 2; i > 0; i--) {
        struct report_row rows[4];
        void *packed = malloc(report_bytes(of[i].count));
        report_pack(of[i].rows, of[i].count, packed);
        report_unpack(packed, of[i].count, rows);
        assert_int_equal(report_merge(&of[i - 1], rows, of[i].count), RB_OK);
        free(packed);
    }
    assert_int_equal(of[0].count, 2);
    const struct report_row *row = &of[0].rows[0];
    assert_string_equal(row->collective, "bcast");
    assert_string_equal(row->algorithm->name, "circulant");
    assert_int_equal(row->ranks, 3);
    assert_int_equal(row->calls, 4);
    assert_int_equal(row->least_calls, 1);
    assert_int_equal(row->most_calls, 2);
    assert_int_equal(row->least_n, 2);
    assert_int_equal(row->most_n, 4);
    assert_float_equal(row->total_s, 7.5, 1e-12);
    assert_float_equal(row->most_total_s, 6, 1e-12);
    assert_float_equal(row->longest_s, 4, 0);
    assert_int_equal(of[0].rows[1].ranks, 1);
    for (int i = 0; i < 3; i++)
        report_free(&of[i]);
}

static void written(const struct report *report, bool csv, const char *expected)
{
    const struct report_maker maker = {"0.1+abc", "Some MPI 1.0", 8, "4 by RB_RAILS"};
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    if (csv)
        report_csv(report, &maker, stream);
    else
        report_text(report, &maker, stream);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

#define HEAD                                                                                       \
    "collective,p,bytes_least,bytes_most,algorithm,n_least,n_most,window,ranks,calls,"             \
    "rank_calls_least,rank_calls_most,time_total_s,rank_time_total_most_s,time_longest_s,"         \
    "native_because,version,mpi,mpi_ranks\n"

static void text_is_aligned_and_csv_complete(void **state)
{
    (void)state;
    struct report report = {0};
    written(&report, true, HEAD);
    add(&report, bcast(1024, 4, 1));
    add(&report, bcast(2000, 5, 2));
    struct report_event event = bcast(-1, 0, 1e-6);
    event.algorithm = NULL;
    event.p = 0;
    event.width = 0;
    event.reason = REPORT_INTER;
    add(&report, event);
    written(&report, false,
            "roundabout 0.1+abc on Some MPI 1.0, 8 ranks, network interfaces of a host: 4 by "
            "RB_RAILS; bytes: of all data, up to the next power of two; calls: of a rank\n"
            "collective  p   bytes  algorithm     n  window  ranks  calls  mean time  longest  "
            "rank's total  native because\n"
            "bcast       -       -  native        -       -      1      1       1 us     1 us  "
            "        1 us  inter-communicator\n"
            "bcast       8  1KiB..  circulant  4..5       4      1      2      1.5 s      2 s  "
            "         3 s\n");
    written(&report, true,
            HEAD "bcast,,,,native,,,,1,1,1,1,1e-06,1e-06,1e-06,\"inter-communicator\",0.1+abc,"
                 "\"Some MPI 1.0\",8\n"
                 "bcast,8,1024,2047,circulant,4,5,4,1,2,2,2,3,3,2,\"\",0.1+abc,"
                 "\"Some MPI 1.0\",8\n");
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted_by_class),
        cmocka_unit_test(ranks_are_merged),
        cmocka_unit_test(text_is_aligned_and_csv_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
