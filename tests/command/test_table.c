/* test_table.c - one table as text, CSV and JSON, and arrays that grow. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/table.h"
#include "support/output/verdict.h"

static const struct out_column columns[] = {
    {"name", "name", .kind = OUT_WORD, .width = -6},
    {"n", "upper\nn", .kind = OUT_COUNT, .width = 5},
    {"extra", .kind = OUT_WHOLE},
    {.heading = "time", .kind = OUT_SECONDS, .width = 10},
    {"time_s", .kind = OUT_REAL},
    {"error", "error", .kind = OUT_PERCENT, .width = 6, .real = "%+.1f", .gap = 2},
    {"good", "good", .kind = OUT_TRUTH},
    {"note", "note", .kind = OUT_WORD, .optional = true},
    {"version", .kind = OUT_WORD, .same = true, .quoted = true},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns), .digits = 3};

static const union out_cell rows[][OUT_COUNT_OF(columns)] = {
    {{.word = "a,\"b\""},
     {.whole = 12},
     {.whole = INT64_MIN + 1},
     {.real = 0.0012},
     {.real = 0.0012},
     {.real = 0.25},
     {.whole = 1},
     {.word = "x"},
     {.word = "1.0"}},
    {{.word = "c"},
     {.whole = -1},
     {.whole = INT64_MIN},
     {.real = INFINITY},
     {.real = NAN},
     {.real = NAN},
     {.whole = -1},
     {.word = NULL},
     {.word = "1.0"}},
    {{.word = ""},
     {.whole = INT64_MAX},
     {.whole = 0},
     {.real = 0},
     {.real = 1},
     {.real = -1},
     {.whole = 0},
     {.word = ""},
     {.word = "1.0"}},
};

static void expect(enum out_format format, const char *expected)
{
    static char text[4096];
    struct out_rows out;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    out_rows_begin(&out, &table, format, stream,
                   format == OUT_JSON ? out_json_same(&table, rows[0]) : NULL, "rows");
    for (size_t i = 0; i < OUT_COUNT_OF(rows); i++)
        out_rows_add(&out, rows[i]);
    out_rows_end(&out);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, expected);
}

/* A heading of two lines stands over those of one; no line ends in blanks; what is wider than its
 * column moves the rest of its line. */
static void text_is_aligned(void **state)
{
    (void)state;
    expect(OUT_TEXT, "       upper\n"
                     "name       n       time   error good note\n"
                     "a,\"b\"     12     1.2 ms   +25.0 yes x\n"
                     "c          -          -       - - -\n"
                     "       9223372036854775807        0 s  -100.0 no\n");
}

static void csv_is_quoted_where_it_must_be(void **state)
{
    (void)state;
    expect(OUT_CSV, "name,n,extra,time_s,error,good,note,version\n"
                    "\"a,\"\"b\"\"\",12,-9223372036854775807,0.0012,0.25,1,x,\"1.0\"\n"
                    "c,,,,,,,\"1.0\"\n"
                    ",9223372036854775807,0,1,-1,0,,\"1.0\"\n");
}

/* What is the same in all rows stands beside them; none is null, or left out if it is optional. */
static void json_knows_none(void **state)
{
    (void)state;
    expect(OUT_JSON,
           "{\"version\": \"1.0\", \"rows\": [\n"
           "{\"name\": \"a,\\\"b\\\"\", \"n\": 12, \"extra\": -9223372036854775807, \"time_s\": "
           "0.0011999999999999999, \"error\": 0.25, \"good\": true, \"note\": \"x\"},\n"
           "{\"name\": \"c\", \"n\": null, \"extra\": null, \"time_s\": null, \"error\": null, "
           "\"good\": null},\n"
           "{\"name\": \"\", \"n\": 9223372036854775807, \"extra\": 0, \"time_s\": 1.0, \"error\": "
           "-1.0, \"good\": false, \"note\": \"\"}\n"
           "]}\n");
}

/* Units by names, nothing for null, and of long arrays the two ends. */
static void json_is_shown_in_full(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    json_t *steps = json_array();
    FILE *stream = sup_memory_open(&text, &size);
    for (int i = 0; i < 26; i++)
        json_array_append_new(
            steps, json_pack("{s:i, s:f, s:s}", "round", i, "end_s", 1e-6 * i, "of", "x"));
    out_json_details(json_pack("{s:s, s:f, s:n, s:b, s:i, s:{s:{s:f}, s:{s:f}}, s:[i, i], s:o}",
                               "name", "ring", "time_s", 0.002, "none", "full", 1, "bytes", 2048,
                               "spreads", "send_s", "least", 1e-3, "recv_s", "least", 2e-3, "list",
                               7, 8, "steps", steps),
                     stream);
    sup_memory_close(stream, &text);
    const char *tail = strstr(text, "steps\n");
    assert_non_null(tail);
    assert_true(
        strncmp(text,
                "name    ring\ntime_s  2 ms\nfull    yes\nbytes   2 KiB\n\nspreads\n"
                "  of      least_s\n  send_s     1 ms\n  recv_s     2 ms\n\nlist\n  7 8\n\n",
                (size_t)(tail - text)) == 0);
    assert_non_null(strstr(tail, "  round  end_s  of\n      0    0 s  x\n"));
    assert_non_null(strstr(tail, "     11  11 us  x\n  ... (2 more: --format json has all)\n"
                                 "     14  14 us  x\n"));
    free(text);
}

static void arrays_keep_what_they_have(void **state)
{
    int32_t *array = NULL;
    (void)state;
    for (size_t count = 0; count < 1000; count++) {
        assert_true(sup_array_grow(&array, count, sizeof *array));
        array[count] = (int32_t)count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    int32_t *const before = array;
    assert_false(sup_array_grow(&array, (size_t)1 << 62, sizeof *array));
    assert_ptr_equal(array, before);
    free(array);
}

/* What R's quantile() says of the same values, by its usual rule (type 7). */
static void quantiles_are_known(void **state)
{
    double value[] = {7, 1, 4, 2};
    static const double wanted[][2] = {{0, 1}, {0.25, 1.75}, {0.5, 3}, {0.9, 6.1}, {1, 7}};
    (void)state;
    sup_sort_reals(value, 4);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(fabs(sup_quantile(value, 4, wanted[i][0]) - wanted[i][1]) < 1e-12);
    assert_true(sup_quantile(value, 1, 0.3) == 1);
    assert_true(isnan(sup_quantile(value, 0, 0.5)));
}

/* ---- Lines of a terminal --------------------------------------------------------------------- */

static const struct out_column wide_columns[] = {
    {"algorithm", "algorithm", .kind = OUT_WORD, .width = -30},
    {"p", "p", .kind = OUT_COUNT, .width = 5},
    {"rival", "rival", .kind = OUT_WORD, .width = -10, .less = 1},
    {"n", "its n", .kind = OUT_COUNT, .width = 5, .less = 1},
    {"m", "m", .kind = OUT_BYTES, .width = 9},
    {"tried", "tried", .kind = OUT_COUNT, .width = 6, .less = 2},
    {"note", "note", .kind = OUT_WORD},
};
static const struct out_table wide_table = {wide_columns, .width = OUT_COUNT_OF(wide_columns)};

static void expect_fitted(int width, const char *expected)
{
    static const union out_cell cells[2][OUT_COUNT_OF(wide_columns)] = {
        {{.word = "circulant"},
         {.whole = 17},
         {.word = "chain"},
         {.whole = 4},
         {.whole = 257031125},
         {.whole = 9},
         {.word = "here is a note of several words"}},
        {{.word = "a-very-long-name-of-algorithm"},
         {.whole = 1024},
         {.word = "ring"},
         {.whole = 5},
         {.whole = 65536},
         {.whole = 10},
         {.word = "-"}},
    };
    char text[4096];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    out_text_fit(width);
    for (int i = 0; i < 2; i++) { /* what is left out is said once */
        out_text_heading(&wide_table, stream);
        out_text_row(&wide_table, cells[0], stream);
        out_text_row(&wide_table, cells[1], stream);
    }
    out_text_fit(0);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, expected);
}

/* Columns are left out in the order of their numbers, those of one number together, and shown again
 * if they fit; the last text is continued; a wide text is cut off. */
static void text_is_fitted(void **state)
{
    (void)state;
    expect_fitted(0, "algorithm                          p rival      its n         m  tried note\n"
                     "circulant                         17 chain          4  257.0 MB      9 here "
                     "is a note of several words\n"
                     "a-very-long-name-of-algorithm   1024 ring           5    64 KiB     10 -\n"
                     "algorithm                          p rival      its n         m  tried note\n"
                     "circulant                         17 chain          4  257.0 MB      9 here "
                     "is a note of several words\n"
                     "a-very-long-name-of-algorithm   1024 ring           5    64 KiB     10 -\n");
    expect_fitted(96,
                  "algorithm                          p rival      its n         m  tried note\n"
                  "circulant                         17 chain          4  257.0 MB      9 here is "
                  "a note of several\n"
                  "                                                                       words\n"
                  "a-very-long-name-of-algorithm   1024 ring           5    64 KiB     10 -\n"
                  "algorithm                          p rival      its n         m  tried note\n"
                  "circulant                         17 chain          4  257.0 MB      9 here is "
                  "a note of several\n"
                  "                                                                       words\n"
                  "a-very-long-name-of-algorithm   1024 ring           5    64 KiB     10 -\n");
    expect_fitted(60, "(left out: rival, its n; --details shows all columns)\n"
                      "algorithm                      p         m  tried note\n"
                      "circulant                     17  257.0 MB      9 here is a\n"
                      "                                                  note of\n"
                      "                                                  several\n"
                      "                                                  words\n"
                      "a-very-long-name-of-algor…  1024    64 KiB     10 -\n"
                      "algorithm                      p         m  tried note\n"
                      "circulant                     17  257.0 MB      9 here is a\n"
                      "                                                  note of\n"
                      "                                                  several\n"
                      "                                                  words\n"
                      "a-very-long-name-of-algor…  1024    64 KiB     10 -\n");
    expect_fitted(30, "(left out: rival, its n, m,\n"
                      "tried, note; --details shows\n"
                      "all columns)\n"
                      "algorithm                    p\n"
                      "circulant                   17\n"
                      "a-very-long-name-of-alg…  1024\n"
                      "algorithm                    p\n"
                      "circulant                   17\n"
                      "a-very-long-name-of-alg…  1024\n");
}

/* Of each type a member, of two structs; a column without a member keeps its cell. */
static void cells_come_from_structs(void **state)
{
    struct first {
        char chars[8], none[8];
        const char *text, *null;
        bool truth;
    };
    struct second {
        int32_t small;
        int64_t large;
        double real;
    };
#define FIRST(member)  OUT_OF(struct first, member)
#define SECOND(member) OUT_OF_BASE(1, struct second, member)
    static const struct out_column taken[] = {{"chars", .kind = OUT_WORD, FIRST(chars)},
                                              {"none", .kind = OUT_WORD, FIRST(none)},
                                              {"text", .kind = OUT_WORD, FIRST(text)},
                                              {"null", .kind = OUT_WORD, FIRST(null)},
                                              {"own", .kind = OUT_COUNT},
                                              {"truth", .kind = OUT_TRUTH, FIRST(truth)},
                                              {"small", .kind = OUT_COUNT, SECOND(small)},
                                              {"large", .kind = OUT_WHOLE, SECOND(large)},
                                              {"real", .kind = OUT_REAL, SECOND(real)}};
    const struct out_table shown = {taken, .width = OUT_COUNT_OF(taken)};
    const struct first first = {"in", "", "out", NULL, true};
    const struct second second = {-5, INT64_MAX, 0.5};
    union out_cell cells[OUT_COUNT_OF(taken)] = {[4] = {.whole = 7}};
    (void)state;
    out_cells(&shown, (const void *const[]){&first, &second}, cells);
    assert_string_equal(cells[0].word, "in");
    assert_null(cells[1].word);
    assert_string_equal(cells[2].word, "out");
    assert_null(cells[3].word);
    assert_int_equal(cells[4].whole, 7);
    assert_int_equal(cells[5].whole, 1);
    assert_int_equal(cells[6].whole, -5);
    assert_true(cells[7].whole == INT64_MAX);
    assert_true(cells[8].real == 0.5);
}

/* Rows have the columns of their own table, whatever table began last. */
static void rows_have_their_own_columns(void **state)
{
    static const struct out_column first[] = {
        {.heading = "a", .kind = OUT_COUNT, .width = 30},
        {.heading = "b", .kind = OUT_COUNT, .width = 30, .less = 1}};
    static const struct out_column second[] = {
        {.heading = "c", .kind = OUT_COUNT, .width = 30, .less = 1},
        {.heading = "d", .kind = OUT_COUNT, .width = 30}};
    static const struct out_table tables[] = {{.columns = first, .width = 2},
                                              {.columns = second, .width = 2}};
    const union out_cell cells[] = {{.whole = 1}, {.whole = 2}};
    char text[1024] = "";
    FILE *stream = tmpfile();
    (void)state;
    assert_non_null(stream);
    out_text_fit(40);
    out_text_heading(&tables[0], stream);
    out_text_heading(&tables[1], stream);
    out_text_row(&tables[0], cells, stream);
    out_text_row(&tables[1], cells, stream);
    out_text_fit(0);
    out_text_row(&tables[1], cells, stream);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, "(left out: b; --details shows all\ncolumns)\n"
                              "                             a\n"
                              "(left out: c; --details shows all\ncolumns)\n"
                              "                             d\n"
                              "                             1\n"
                              "                             2\n"
                              "                             1                              2\n");
}

static void answers_and_what_more_there_is_are_continued(void **state)
{
    char text[256] = "";
    FILE *stream = tmpfile();
    (void)state;
    assert_non_null(stream);
    out_text_fit(24);
    out_say(stream, "%d us for a broadcast of 1 MiB", 131);
    out_more(stream, "--details, --diagnose, --report");
    out_text_fit(0);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, "131 us for a broadcast\n"
                              "of 1 MiB\n"
                              "More: --details,\n"
                              "      --diagnose,\n"
                              "      --report\n");
}

static void ratios_have_three_digits(void **state)
{
    char words[OUT_WORDS];
    (void)state;
    assert_string_equal(out_ratio(1, words), "1.00");
    assert_string_equal(out_ratio(9.996, words), "10.0");
    assert_string_equal(out_ratio(99.96, words), "100");
    assert_string_equal(out_ratio(-0.034, words), "-0.03");
}

/* An entry's paragraph is continued below it; a word that is too long, such as a path, is whole. */
static void entries_are_continued(void **state)
{
    char text[1024] = "";
    FILE *stream = tmpfile();
    (void)state;
    assert_non_null(stream);
    for (int width = 0; width <= 24; width += 24) {
        out_text_fit(width);
        out_text_entry(2, 6, 1, "name", stream, "%s of %d", "several words", 2);
        out_text_entry(2, 6, 1, "", stream, "another");
        out_text_entry(2, 6, 1, "long-name", stream, "a /very/long/path/to/some/file");
    }
    out_text_fit(0);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, "  name   several words of 2\n"
                              "         another\n"
                              "  long-name a /very/long/path/to/some/file\n"
                              "  name   several words\n"
                              "         of 2\n"
                              "         another\n"
                              "  long-name a\n"
                              "         /very/long/path/to/some/file\n");
}

static void an_outlier_is_said(void **state)
{
    (void)state;
    static const struct {
        double ratio[4];
        const char *said;
    } of[] = {{{1.2, 544, 2.1, 1.7}, " (an outlier; 2.1 times as long elsewhere)"},
              {{544, 1.2, 2.1, 1.7}, " (an outlier; 2.1 times as long elsewhere)"},
              {{1.2, 6, 1, 1}, " (an outlier; 20 % longer elsewhere)"},
              {{0.5, 0.5, 2.7, 0.4}, " (an outlier; as long elsewhere)"},
              {{2, 6, 1, 1}, ""},
              {{544, 544, 1, 1}, ""},
              {{544, 0, 0, 0}, ""}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct out_worst worst = {0};
        char text[OUT_OUTLIER];
        double most = 0;
        for (size_t k = 0; k < 4; k++) {
            assert_true(out_worst_add(&worst, of[i].ratio[k]) == (of[i].ratio[k] > most));
            most = of[i].ratio[k] > most ? of[i].ratio[k] : most;
        }
        assert_string_equal(out_outlier(&worst, text), of[i].said);
    }
    char words[OUT_WORDS];
    assert_string_equal(out_longer(544, words), "544 times as long");
    assert_string_equal(out_longer(99, words), "99 times as long");
}

static void verdicts_are_wrapped_and_kept_whole(void **state)
{
    (void)state;
    struct out_verdict verdict = {0};
    char *text = NULL, words[OUT_WORDS];
    size_t size = 0;
    out_verdict_say(&verdict, "%s carries %s of the time.", "link %s\xff", "83 %");
    out_verdict_say(&verdict, "Nothing else helps.");
    FILE *stream = open_memstream(&text, &size);
    out_text_fit(30);
    out_verdict_text(&verdict, stream);
    out_text_fit(0);
    fclose(stream);
    assert_string_equal(text, "Verdict: link %s\xff carries 83 %\n"
                              "         of the time.\n"
                              "         Nothing else helps.\n");
    free(text);
    json_t *json = out_verdict_json(&verdict);
    assert_int_equal(json_array_size(json), 2);
    assert_string_equal(json_string_value(json_array_get(json, 0)),
                        "link %s\\xff carries 83 % of the time.");
    json_decref(json);
    out_verdict_free(&verdict);
    stream = open_memstream(&text, &size);
    out_verdict_text(&verdict, stream);
    fclose(stream);
    assert_string_equal(text, "");
    free(text);
    assert_string_equal(out_longer(1, words), "as long");
    assert_string_equal(out_longer(1.004, words), "0.4 % longer");
    assert_string_equal(out_longer(1.999, words), "100 % longer");
    assert_string_equal(out_longer(3.25, words), "3.2 times as long");
    assert_string_equal(out_percent(0.714, words), "71 %");
    assert_string_equal(out_percent(0.0951, words), "9.5 %");
    assert_string_equal(out_percent(0.0996, words), "10 %");
    assert_string_equal(out_percent(0.00005, words), "under 0.01 %");
}

static void values_of_json_are_csv(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    json_t *row = json_pack("{s:b, s:b, s:n, s:i, s:f, s:s, s:[s, s]}", "yes", 1, "no", 0, "none",
                            "count", 7, "half", 0.5, "name", "a \"b\", c", "list", "x", "y");
    FILE *stream = open_memstream(&text, &size);
    out_csv_names(row, stream);
    out_csv_values(row, stream);
    fclose(stream);
    assert_string_equal(text, "yes,no,none,count,half,name,list\n"
                              "1,0,,7,0.5,\"a \"\"b\"\", c\",x y\n");
    json_decref(row);
    free(text);
}

/* A name that is within another one is named, too; where names have no room, it is said that there
 * are others, once. */
static void what_is_left_out_is_named_once(void **state)
{
    (void)state;
    struct out_left_out left = {0};
    char name[16];
    out_leave_out(&left, 2, "ring_ompi");
    out_leave_out(&left, 1, "ring");
    out_leave_out(&left, 1, "ring");
    out_leave_out(&left, 1, NULL);
    char *text = out_left_out_text(&left, 12, "row", "");
    assert_string_equal(text, "5 of 12 rows (ring_ompi, ring)");
    free(text);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "name%d", i);
        out_leave_out(&left, 1, name);
    }
    assert_int_equal(left.count, 45);
    const char *others = strstr(left.names, ", ...");
    assert_non_null(others);
    assert_string_equal(others, ", ...");
    left = (struct out_left_out){.count = 1};
    text = out_left_out_text(&left, 0, "row", "without a time");
    assert_string_equal(text, "1 row without a time");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_named_once),
        cmocka_unit_test(quantiles_are_known),
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(text_is_fitted),
        cmocka_unit_test(rows_have_their_own_columns),
        cmocka_unit_test(answers_and_what_more_there_is_are_continued),
        cmocka_unit_test(ratios_have_three_digits),
        cmocka_unit_test(values_of_json_are_csv),
        cmocka_unit_test(entries_are_continued),
        cmocka_unit_test(csv_is_quoted_where_it_must_be),
        cmocka_unit_test(json_knows_none),
        cmocka_unit_test(cells_come_from_structs),
        cmocka_unit_test(json_is_shown_in_full),
        cmocka_unit_test(arrays_keep_what_they_have),
        cmocka_unit_test(an_outlier_is_said),
        cmocka_unit_test(verdicts_are_wrapped_and_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
