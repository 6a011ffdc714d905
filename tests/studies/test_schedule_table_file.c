/* test_schedule_table_file.c - verify --schedules --table: the right schedules of p = 1 .. 64 in a
 * file, and the same with one fault each. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roundabout.h"
#include "studies/verification/verify.h"

enum { MOST = 64 };

/* The line of rank r of p reads otherwise; NULL: it is missing. */
struct fault {
    int32_t p, r; /* r = -1: the line of skips */
    const char *line;
};

static void write_line(FILE *file, int32_t p, int32_t r, const struct fault *fault)
{
    struct rb_circulant graph;
    int8_t block[RB_MAX_Q + 1];
    if (fault != NULL && p == fault->p && r == fault->r) {
        fputs(fault->line == NULL ? "" : fault->line, file);
        return;
    }
    assert_int_equal(rb_circulant_init(&graph, p), RB_OK);
    if (r < 0) {
        fprintf(file, "%d skip", (int)p);
        for (int32_t k = 0; k <= graph.q; k++)
            fprintf(file, " %d", (int)graph.skip[k]);
    } else {
        fprintf(file, "%d %d", (int)p, (int)r);
        rb_circulant_send(&graph, r, block);
        for (int32_t k = 0; k < graph.q; k++)
            fprintf(file, " %d", block[k]);
        fputs(" |", file);
        rb_circulant_recv(&graph, r, block);
        for (int32_t k = 0; k < graph.q; k++)
            fprintf(file, "\t%d", block[k]);
    }
    fputc('\n', file);
}

/* Reads the file, which has all p or that of the fault; the message or the first thing wrong is in
 * text. Returns the number of wrong p, or the status. */
static char text[400];

static int check(int32_t from, int32_t to, const struct fault *fault)
{
    char path[] = "/tmp/schedule-table-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs("# p r send | receive\n\n", file);
    for (int32_t p = from; p <= to; p++)
        for (int32_t r = -1; r < p; r++)
            write_line(file, p, r, fault);
    assert_int_equal(fclose(file), 0);
    struct verify_table table = {0};
    struct sup_error error;
    int status = verify_table_read(path, &table, &error);
    text[0] = '\0';
    if (status != RB_OK)
        snprintf(text, sizeof text, "%s", error.text + strlen(path));
    else if ((status = (int)json_array_size(table.wrong)) > 0)
        snprintf(text, sizeof text, "%s",
                 json_string_value(json_object_get(json_array_get(table.wrong, 0), "what")));
    else
        assert_int_equal(table.p_count, to - from + 1);
    json_decref(table.wrong);
    remove(path);
    return status;
}

static void right_schedules_are_right(void **state)
{
    (void)state;
    assert_int_equal(check(1, MOST, NULL), 0);
    assert_int_equal(check(1, 1, NULL), 0);
    assert_int_equal(check(2, 2, NULL), 0);
}

/* p = 5: skips 1 2 3 5; rank 3 has baseblock 2. */
static void each_kind_of_fault_is_said_in_words(void **state)
{
    static const struct {
        struct fault fault;
        const char *what;
    } cases[] = {
        {{5, 3, "5 3 -1 -1 -2 | -2 -3 1\n"},
         "condition 3 fails at p = 5: rank 3, baseblock 2, does not receive each of the blocks "
         "-q..-1 but -1, and 2, once: in round 2 rank 0 sends it block 1, and block 2 never comes"},
        {{5, 3, "5 3 -1 -1 -2 | -2 -2 2\n"},
         "condition 3 fails at p = 5: rank 3, baseblock 2, does not receive each of the blocks "
         "-q..-1 but -1, and 2, once: in round 1 rank 1 sends it block -2 again, and block -3 "
         "never "
         "comes"},
        {{5, 3, "5 3 -1 -3 -2 | -2 -3 2\n"},
         "condition 4 fails at p = 5: rank 3 sends block -3 in round 1 to rank 0, which it has not "
         "received before: that block comes in round 1 from rank 1"},
        {{5, 3, "5 3 -1 -1 -3 | -2 -3 2\n"},
         "conditions 1 and 2 fail at p = 5: in round 2 rank 3 sends block -3, but rank 1 receives "
         "block -2"},
        {{5, 0, "5 0 0 1 1 | -2 -3 -1\n"},
         "condition 4 fails at p = 5: the root, rank 0, sends block 1 in round 2, not block 2"},
        {{5, 3, "5 3 -1 -1 70000 | -2 -3 2\n"},
         "condition 4 fails at p = 5: rank 3 sends block 70000 in round 2, which is outside "
         "-q..q-1"},
        {{5, 3, "5 3 -1 -1 -2 | -4 -3 2\n"},
         "condition 3 fails at p = 5: rank 3 receives block -4 in round 0, which is outside "
         "-q..q-1"},
        {{5, -1, "5 skip 1 2 4 5\n"},
         "other skips at p = 5: skip[2] is 4, not 3; the conditions are for skip[q] = p, skip[k] = "
         "ceil(skip[k+1] / 2)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(check(1, MOST, &cases[i].fault), 1);
        assert_string_equal(text, cases[i].what);
    }
}

static void bad_files_are_refused_by_line_and_column(void **state)
{
    static const struct {
        struct fault fault;
        const char *what;
    } cases[] = {
        {{5, 3, "5 3 -1 x -2 | -2 -3 2\n"}, ":7:8: \"x\" is not a block"},
        {{5, 3, "5 3 -1 - -2 | -2 -3 2\n"}, ":7:8: \"-\" is not a block"},
        {{5, 3, "5 3 -1 -2 -2 -2 -3 2\n"}, ":7:21: 8 fields, not 9: for p = 5 (q = 3) p, r, q"},
        {{5, 3, "5 3 -1 -2 | -2 -2 -3 2\n"}, ":7:13: a | belongs here"},
        {{5, 3, "5 3 -1 -2 -2 | -2 -3 2 2\n"}, ":7:24: 10 fields, not 9"},
        {{5, 3, "5\n"}, ":7:2: 1 fields, not 9"},
        {{5, 3, "5 4 0 0 0 | 0 0 0\n"}, ":7:3: rank 4 of p = 5 after 3 of its ranks"},
        {{5, 3, "5 5 0 0 0 | 0 0 0\n"}, ":7:3: \"5\" is not a rank, a whole number from 0 to 4"},
        {{5, 3, "4 0 0 0 | 0 0\n"}, ":7:1: the lines of p = 5 end, but rank 3 is missing"},
        {{5, 4, NULL}, ":7:1: the lines of p = 5 end, but rank 4 is missing"},
        {{5, 3, "0 3\n"}, ":7:1: \"0\" is not a number of ranks p"},
        {{5, 3, "5000000000 3\n"}, ":7:1: \"5000000000\" is not a number of ranks p"},
        {{5, -1, "5 skip 1 2 3\n"}, ":3:13: 5 fields, not 6: for p = 5 (q = 3) p, skip and q + 1"},
        {{5, -1, "5 skip 1 2 3 -5\n"}, ":3:14: \"-5\" is not a skip"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(check(5, 5, &cases[i].fault), RB_EINVAL);
        if (strncmp(text, cases[i].what, strlen(cases[i].what)) != 0)
            fail_msg("case %zu: \"%s\" does not begin with \"%s\"", i, text, cases[i].what);
    }
    const struct fault twice = {7, -1, "6 0 0 1 2 | -3 -2 -1\n"};
    assert_int_equal(check(6, 7, &twice), RB_EINVAL);
    assert_non_null(strstr(text, "rank 0 of p = 6 after 6 of its ranks"));
    const struct fault falls = {7, -1, "5 0 0 1 2 | -3 -2 -1\n"};
    assert_int_equal(check(6, 7, &falls), RB_EINVAL);
    assert_non_null(strstr(text, "p = 5 after p = 6: p must rise"));
    assert_int_equal(check(2, 1, NULL), RB_EINVAL);
    assert_non_null(strstr(text, ": no schedules"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_schedules_are_right),
        cmocka_unit_test(each_kind_of_fault_is_said_in_words),
        cmocka_unit_test(bad_files_are_refused_by_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
