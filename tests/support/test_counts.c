/* test_counts.c - lines and their values, counts as texts, and matrices in files: what is read, and
 * what is refused where. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/csv.h"
#include "support/names.h"

/* A file with these bytes. */
static void write_file(const char *text, char path[32])
{
    strcpy(path, "/tmp/test_counts_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const size_t size = strlen(text);
    assert_int_equal(write(file, text, size), size);
    close(file);
}

static int read_text(const char *text, struct sup_matrix *matrix, struct sup_error *error)
{
    char path[32];
    write_file(text, path);
    const int status = sup_matrix_read(path, matrix, error);
    unlink(path);
    return status;
}

static void matrices_are_read(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "1,2,3\n4,5,6\n7,8,9\n",
        "# from a run\n\n1 2  3\n\t4\t5 6\n 7 8 9 \n# end\n",
        ("\xef\xbb\xbf" /* apart, because 1 is a digit of hexadecimal numbers, too */
         "1;2;3\r\n4; 5 ;6\r\n7;8;9"),
        "1,2 3\n4e0,5.0,6\n007,8,9\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct sup_matrix matrix;
        struct sup_error error = {""};
        assert_int_equal(read_text(forms[i], &matrix, &error), RB_OK);
        assert_int_equal(matrix.rows, 3);
        assert_int_equal(matrix.columns, 3);
        assert_int_equal(matrix.sum, 45);
        for (int64_t k = 0; k < 9; k++)
            assert_int_equal(matrix.value[k], k + 1);
        free(matrix.value);
    }
}

/* Where the fault is, and a word of what is said of it. */
static void mangled_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *at, *what;
    } wrong[] = {
        {"", ": ", "no line with numbers"},
        {"# 1,2\n", ": ", "no line with numbers"},
        {"0,0\n0,0\n", ": ", "all values are 0"},
        {"1,2\n3\n", ":2, column 1: ", "the lines before have 2"},
        {"1,2\n3,4,5\n", ":2, column 3: ", "one value more"},
        {"1,2\n3,-4\n", ":2, column 2: ", "\"-4\" is not a whole number"},
        {"1,NaN\n", ":1, column 2: ", "\"NaN\" is not a whole number"},
        {"1,inf\n", ":1, column 2: ", "\"inf\" is not a whole number"},
        {"a,b\n1,2\n", ":1, column 1: ", "\"a\" is not a whole number"},
        {"1,,2\n", ":1, column 2: ", "nothing"},
        {"1,2,\n", ":1, column 3: ", "nothing"},
        {",1\n", ":1, column 1: ", "nothing"},
        {"1.5,2\n", ":1, column 1: ", "\"1.5\" is not a whole number"},
        {"1,99999999999999999999\n", ":1, column 2: ", "is not a whole number"},
        {"4611686018427387904,0\n0,1\n", ":2, column 2: ", "more than 2^62"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sup_matrix matrix;
        struct sup_error error = {""};
        assert_int_equal(read_text(wrong[i].text, &matrix, &error), RB_EINVAL);
        free(matrix.value);
        if (strstr(error.text, wrong[i].at) == NULL || strstr(error.text, wrong[i].what) == NULL ||
            strchr(error.text, '\n') != NULL)
            fail_msg("of \"%s\": %s", wrong[i].text, error.text);
    }
}

static void texts_are_usual_ones(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"regular", "regular"},         {"random", "random:1"},     {"random:7", "random:7"},
        {"zipf:0.80:07", "zipf:0.8:7"}, {"hot:4:8:1", "hot:4:8:1"}, {"banded:3:2", "banded:3:2"},
    };
    static const char *const wrong[] = {
        "",           "Regular",       "regular:1",  "random:",   "random:-1",   "zipf",
        "zipf:1",     "zipf:-1:1",     "zipf:nan:1", "zipf:65:1", "zipf:1:1:1",  "hot:1:1",
        "hot:-1:1:1", "hot:1:1e12:1",  "banded:1",   "banded::1", "banded:1:1x", "file:",
        "file:-",     "file:/nowhere", "given",      "file",      "file:/tmp",
    };
    struct sup_counts counts;
    struct sup_error error;
    char text[SUP_COUNTS_TEXT];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(sup_counts_parse(texts[i][0], &counts, &error), RB_OK);
        assert_string_equal(sup_counts_format(&counts, text, sizeof text), texts[i][1]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sup_counts_parse(wrong[i], &counts, &error) != RB_EINVAL)
            fail_msg("'%s' is taken", wrong[i]);
}

/* Exactly as a file says, or in its proportions; only for as many ranks, and of pairs where the
 * collective has pairs; and only while the file is the same. */
static void files_are_dealt(void **state)
{
    (void)state;
    static const int64_t share[] = {0, 3, 1, 0};
    const struct rb_collective_info *alltoall = rb_collective_find("alltoall"),
                                    *allgather = rb_collective_find("allgather");
    char path[32], text[64], usual[SUP_COUNTS_TEXT];
    struct sup_counts counts, again;
    struct sup_error error;
    int64_t *first, bytes = 9;
    write_file("0,3\n1,0\n", path);
    snprintf(text, sizeof text, "file:%s", path);
    assert_int_equal(sup_counts_parse(text, &counts, &error), RB_OK);
    assert_int_equal(sup_counts_bytes(&counts, 8, &bytes, &error), RB_OK);
    assert_int_equal(bytes, 32);
    for (int64_t times = 1; times <= 1000; times *= 10) {
        struct rb_layout layout = {.bytes = bytes * times, .element = 8};
        assert_int_equal(sup_counts_apply(&counts, alltoall, 2, &layout, &first, &error), RB_OK);
        assert_ptr_equal(layout.first, first);
        for (int32_t pair = 0; pair < 4; pair++)
            assert_int_equal(first[pair + 1] - first[pair], share[pair] * times);
        free(first);
    }
    struct rb_layout layout = {.bytes = 32, .element = 8};
    assert_int_equal(sup_counts_apply(&counts, alltoall, 3, &layout, &first, &error), RB_EINVAL);
    assert_int_equal(sup_counts_apply(&counts, allgather, 2, &layout, &first, &error), RB_EINVAL);
    assert_int_equal(sup_counts_bytes(&counts, INT64_MAX / 2, &bytes, &error), RB_EINVAL);
    sup_counts_format(&counts, usual, sizeof usual);
    assert_int_equal(sup_counts_parse(usual, &again, &error), RB_OK);
    FILE *file = fopen(path, "w");
    fputs("0,3\n1,1\n", file);
    fclose(file);
    assert_int_equal(sup_counts_parse(usual, &again, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "has changed"));
    assert_int_equal(sup_counts_apply(&counts, alltoall, 2, &layout, &first, &error), RB_EINVAL);

    file = fopen(path, "w");
    fputs("1\n3\n", file);
    fclose(file);
    assert_int_equal(sup_counts_parse(text, &counts, &error), RB_OK);
    assert_int_equal(sup_counts_apply(&counts, alltoall, 2, &layout, &first, &error), RB_EINVAL);
    assert_int_equal(sup_counts_apply(&counts, allgather, 2, &layout, &first, &error), RB_OK);
    assert_int_equal(first[1], 1);
    free(first);

    file = fopen(path, "w");
    fputs("1,2\n3,4\n5,6\n", file);
    fclose(file);
    assert_int_equal(sup_counts_parse(text, &counts, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, ":3: not square: 3 lines of 2 values"));
    unlink(path);
}

/* ---- Lines and values ------------------------------------------------------------------------ */

static int read_lines(const char *text, struct sup_lines *lines, struct sup_error *error)
{
    char path[32];
    write_file(text, path);
    const int status = sup_lines_read(lines, path, error);
    unlink(path);
    return status;
}

static void values_are_cut_off_lines(void **state)
{
    (void)state;
    static const char *const expected[] = {"a \"b\", c", "", " d ", "e f", "g"};
    struct sup_lines lines;
    struct sup_error error;
    char *value[6];
    assert_int_equal(
        read_lines("\xef\xbb\xbf\"a \"\"b\"\", c\",\"\" ,\" d \", e f ,g\r\n\r\nh", &lines, &error),
        RB_OK);
    assert_true(sup_lines_next(&lines));
    assert_int_equal(sup_csv_split(lines.line, ',', value, 6), 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(value[i], expected[i]);
    assert_true(sup_lines_next(&lines));
    assert_string_equal(lines.line, "");
    assert_true(sup_lines_next(&lines));
    assert_string_equal(lines.line, "h");
    assert_int_equal(lines.at, 3);
    assert_false(sup_lines_next(&lines));
    free(lines.text);
    char more[] = "1,2,3", open[] = "1,\"2\"\"", behind[] = "\"1\"2,3";
    assert_int_equal(sup_csv_split(more, ',', value, 2), 3);
    assert_int_equal(sup_csv_split(open, ',', value, 6), -2);
    assert_int_equal(sup_csv_split(behind, ',', value, 6), -1);
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = "1,2\n3\0,4\n";
    char path[] = "/tmp/test_counts_XXXXXX";
    struct sup_lines lines;
    struct sup_error error;
    const int file = mkstemp(path);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    assert_int_equal(sup_lines_read(&lines, path, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, ":2: a zero byte"));
    free(lines.text);
    unlink(path);
}

/* Adds 10 times the rank and the value. */
static int take(void *context, const int32_t rank[2], const char *text, struct sup_error *error)
{
    (void)error;
    *(int *)context += 10 * rank[0] + atoi(text);
    return RB_OK;
}

static void lines_of_ranks_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } forms[] = {{"rank,time\n# none\n\n2,5\n0,4\n", NULL},
                 {"0,4\n0,5\n", ":2: rank 0 is given twice"},
                 {"1,4\n2,1\n1,5\n", ":3: rank 1 is given twice"},
                 {"3,4\n", ":1: rank 3 of 3"},
                 {"1\n", ":1: RANK,TIME is required here"},
                 {"1,2\nrank,time\n", ":2: "}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int sum = 0;
        const struct sup_rank_lines of = {
            .columns = "RANK,TIME", .ranks = 3, .once = true, .take = take, .context = &sum};
        struct sup_error error = {""};
        char path[32];
        write_file(forms[i].text, path);
        const int status = sup_rank_lines_read(path, &of, NULL, &error);
        unlink(path);
        assert_int_equal(status, forms[i].said == NULL ? RB_OK : RB_EINVAL);
        if (forms[i].said == NULL)
            assert_int_equal(sum, 29);
        else
            assert_non_null(strstr(error.text, forms[i].said));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_cut_off_lines), cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(lines_of_ranks_are_read),  cmocka_unit_test(matrices_are_read),
        cmocka_unit_test(mangled_ones_are_refused), cmocka_unit_test(texts_are_usual_ones),
        cmocka_unit_test(files_are_dealt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
