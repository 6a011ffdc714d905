/* test_units.c - numbers with units, lists and ranges, nearest words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundabout.h"
#include "support/units.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void whole_numbers_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"1024", 1024},
        {"1_000_000", 1000000},
        {"1e6", 1000000},
        {"64k", 64000},
        {"64Ki", 65536},
        {"2^20", 1048576},
        {"1.5k", 1500},
        {"1.50e1", 15},
        {"7Ti", 7 * ((int64_t)1 << 40)},
        {"9223372036854775807", INT64_MAX},
        {"1^99", 1},
        {"0^0", 1},
        {"0e99", 0},
        {"9007199254740993", 9007199254740993}, /* no double is that */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = -1;
        assert_int_equal(sup_parse_int(cases[i].text, 0, INT64_MAX, &value, NULL), RB_OK);
        assert_true(value == cases[i].value);
    }
}

static void other_texts_are_no_whole_numbers(void **state)
{
    static const char *const texts[] = {
        "",
        " 1",
        "1 ",
        "-1",
        "+1",
        "abc",
        "1.5",
        "0x10",
        "1__0",
        "1e",
        "1e-3",
        "1^",
        "2^63",
        "2^x",
        "1e19",
        "1.5^2",
        "64B",
        "64kB",
        "9223372036854775808",
        ".5",
        "1.",
        "inf",
        "2^0.5",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        int64_t value;
        struct sup_error error = {""};
        assert_int_equal(sup_parse_int(texts[i], 0, INT64_MAX, &value, &error), RB_EINVAL);
        assert_non_null(strstr(error.text, "is not a whole number"));
    }
}

static void ranges_are_kept_and_told(void **state)
{
    int64_t value;
    struct sup_error error;
    (void)state;
    assert_int_equal(sup_parse_int("5", 5, 7, &value, &error), RB_OK);
    assert_int_equal(sup_parse_int("7", 5, 7, &value, &error), RB_OK);
    assert_int_equal(sup_parse_int("8", 5, 7, &value, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"8\" is not a whole number from 5 to 7");
    assert_int_equal(sup_parse_int("4", 5, INT64_MAX, &value, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"4\" is not a whole number of at least 5");
}

static void bytes_are_whole_and_go_both_ways(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
        const char *usual;
    } cases[] = {
        {"0", 0, "0B"},
        {"100B", 100, "100B"},
        {"64KiB", 65536, "64KiB"},
        {"64 KiB", 65536, "64KiB"},
        {"40MB", 40000000, "40MB"},
        {"1.5MiB", 1572864, "1536KiB"},
        {"1kB", 1000, "1KB"},
        {"123456789", 123456789, "123456789B"},
        {"8TiB", 8 * ((int64_t)1 << 40), "8TiB"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t bytes = -1, again = -1;
        char text[32];
        assert_int_equal(sup_parse_bytes(cases[i].text, &bytes, NULL), RB_OK);
        assert_true(bytes == cases[i].bytes);
        assert_string_equal(sup_format_bytes(bytes, text, sizeof text), cases[i].usual);
        assert_int_equal(sup_parse_bytes(text, &again, NULL), RB_OK);
        assert_true(again == bytes);
    }
}

static void bytes_of_doubtful_units_are_refused(void **state)
{
    static const char *const texts[] = {"8M", "64k",    "1Mb",   "0.5B", "-1",
                                        "B",  "9e18KB", "8  MB", "8 "};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        int64_t bytes;
        struct sup_error error = {""};
        assert_int_equal(sup_parse_bytes(texts[i], &bytes, &error), RB_EINVAL);
        assert_non_null(strstr(error.text, texts[i]));
    }
}

static void seconds_and_bandwidths(void **state)
{
    double value;
    struct sup_error error;
    (void)state;
    assert_int_equal(sup_parse_seconds("1us", &value, NULL), RB_OK);
    assert_true(value == 1e-6);
    assert_int_equal(sup_parse_seconds("1 us", &value, NULL), RB_OK);
    assert_true(value == 1e-6);
    assert_int_equal(sup_parse_seconds("1  us", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_seconds("2.5ms", &value, NULL), RB_OK);
    assert_true(value == 2.5e-3);
    assert_int_equal(sup_parse_seconds("90min", &value, NULL), RB_OK);
    assert_true(value == 5400);
    assert_int_equal(sup_parse_seconds("1.5h", &value, NULL), RB_OK);
    assert_true(value == 5400);
    assert_int_equal(sup_parse_seconds("0", &value, NULL), RB_OK);
    assert_true(value == 0);
    assert_int_equal(sup_parse_seconds("5", &value, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"5\" has no unit: write 5us or 5ms, say");
    assert_int_equal(sup_parse_seconds("-1us", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_seconds("nans", &value, NULL), RB_EINVAL);

    assert_int_equal(sup_parse_bandwidth("12.5GBps", &value, NULL), RB_OK);
    assert_true(value == 12.5e9);
    assert_int_equal(sup_parse_bandwidth("12.5 GB/s", &value, NULL), RB_OK);
    assert_true(value == 12.5e9);
    assert_int_equal(sup_parse_bandwidth("12.5 /s", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_bandwidth("100Gbps", &value, NULL), RB_OK);
    assert_true(value == 12.5e9);
    assert_int_equal(sup_parse_bandwidth("1KiBps", &value, NULL), RB_OK);
    assert_true(value == 1024);
    assert_int_equal(sup_parse_bandwidth("FDR", &value, NULL), RB_OK);
    assert_true(value == 54.5e9 / 8);
    assert_int_equal(sup_parse_bandwidth("hdr100", &value, NULL), RB_OK);
    assert_true(value == 100e9 / 8);
    assert_int_equal(sup_parse_bandwidth("0GBps", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_bandwidth("1e-300Bps", &value, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"1e-300Bps\" is not from 0.001 to 1e+18 Bps");
    assert_int_equal(sup_parse_bandwidth("1e300GBps", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_seconds("1e300s", &value, &error), RB_EINVAL);
    assert_string_equal(error.text, "\"1e300s\" is more than 1e+12 s");
    assert_int_equal(sup_parse_bandwidth("12", &value, NULL), RB_EINVAL);
    assert_int_equal(sup_parse_bandwidth("12GB", &value, NULL), RB_EINVAL);
    /* A link's name: bits, and InfiniBand's generations. */
    assert_int_equal(sup_parse_bandwidth("200G", &value, NULL), RB_OK);
    assert_true(value == 25e9);
    assert_int_equal(sup_parse_bandwidth("200Gbit/s", &value, NULL), RB_OK);
    assert_true(value == 25e9);
    assert_int_equal(sup_parse_bandwidth("hdr", &value, NULL), RB_OK);
    assert_true(value == 25e9);
    assert_int_equal(sup_parse_bandwidth("NDR", &value, NULL), RB_OK);
    assert_true(value == 50e9);
    assert_int_equal(sup_parse_bandwidth("HDRX", &value, NULL), RB_EINVAL);
}

static void reals_are_read_in_usual_forms_only(void **state)
{
    static const char *const wrong[] = {"", "x", "0x1", "inf", "nan", "1e999", "1,5", "--1", "."};
    double value;
    (void)state;
    assert_int_equal(sup_parse_real("-2.5e-3", &value, NULL), RB_OK);
    assert_true(value == -2.5e-3);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(sup_parse_real(wrong[i], &value, NULL), RB_EINVAL);
}

static void check_list(const char *text, int bytes, const int64_t values[], size_t count)
{
    struct sup_list list;
    assert_int_equal(sup_parse_list(text, bytes, 0, INT64_MAX, 1000, &list, NULL), RB_OK);
    assert_int_equal(list.count, count);
    assert_memory_equal(list.value, values, count * sizeof *values);
    sup_list_free(&list);
}

static void lists_and_ranges(void **state)
{
    (void)state;
    check_list("1,2,7", 0, (int64_t[]){1, 2, 7}, 3);
    check_list("2..5", 0, (int64_t[]){2, 3, 4, 5}, 4);
    check_list("16..100*2", 0, (int64_t[]){16, 32, 64}, 3);
    check_list("0..10+5", 0, (int64_t[]){0, 5, 10}, 3);
    check_list("2^3..2^5*2", 0, (int64_t[]){8, 16, 32}, 3);
    check_list("7,1..3,2,7,0", 0, (int64_t[]){7, 1, 2, 3, 0}, 5);
    check_list("1KiB..4KiB*2,1MB", 1, (int64_t[]){1024, 2048, 4096, 1000000}, 4);
    check_list("9223372036854775806..9223372036854775807", 0, (int64_t[]){INT64_MAX - 1, INT64_MAX},
               2);
    check_list("2^61..2^62*3", 0, (int64_t[]){(int64_t)1 << 61}, 1);
}

static void wrong_lists_are_refused(void **state)
{
    static const char *const texts[] = {"",    ",",       "1,",     "5..1",   "1..",
                                        "..2", "1...3",   "1..4*1", "0..8*2", "1..9+0",
                                        "a",   "1..1002", "1;2",    "1-3"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sup_list list;
        struct sup_error error = {""};
        assert_int_equal(sup_parse_list(texts[i], 0, 0, INT64_MAX, 1000, &list, &error), RB_EINVAL);
        assert_true(error.text[0] != '\0');
        assert_null(list.value);
    }
}

static void times_read_well(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0 s"},          {1.2345e-3, "1.23 ms"}, {97.25e-6, "97.2 us"}, {2e-7, "200 ns"},
        {1, "1 s"},          {0.99999, "1 s"},       {123.456, "123 s"},    {0.999e-3, "999 us"},
        {0.9996e-3, "1 ms"}, {12345.6, "12346 s"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[32];
        assert_string_equal(sup_format_seconds(cases[i].seconds, text, sizeof text), cases[i].text);
    }
}

static void nearest_words(void **state)
{
    static const char *const words[] = {"list", "schedule", "plan", "verify", "simulate"};
    (void)state;
    assert_string_equal(sup_nearest_word("shedule", words, COUNT(words)), "schedule");
    assert_string_equal(sup_nearest_word("paln", words, COUNT(words)), "plan");
    assert_string_equal(sup_nearest_word("sim", words, COUNT(words)), "simulate");
    assert_string_equal(sup_nearest_word("verfiy", words, COUNT(words)), "verify");
    assert_null(sup_nearest_word("frobnicate", words, COUNT(words)));
    assert_null(sup_nearest_word("x", words, COUNT(words)));
    assert_null(sup_nearest_word("", words, COUNT(words)));
}

static void messages_are_one_line(void **state)
{
    struct sup_error error;
    (void)state;
    assert_int_equal(sup_fail(&error, RB_EIO, "%s: %d", "a", 7), RB_EIO);
    assert_string_equal(error.text, "a: 7");
    assert_int_equal(sup_fail(&error, RB_EINVAL, "%s?", "1\n2\x1b[31m\xff\xc3\xa9"), RB_EINVAL);
    assert_string_equal(error.text, "1\\x0a2\\x1b[31m\\xff\xc3\xa9?");
    /* Too long: the end cuts no character and no \xNN. */
    char name[sizeof error.text + 1];
    for (size_t i = 0; i + 1 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[sizeof name - 1] = '\0';
    sup_fail(&error, RB_EINVAL, "%s", name);
    assert_int_equal(strlen(error.text), sizeof error.text - 2);
    memset(name, '\n', sizeof name - 1);
    sup_fail(&error, RB_EINVAL, "%s", name);
    assert_int_equal(strlen(error.text), sizeof error.text - 4);
    assert_int_equal(sup_first_line("first\nsecond"), 5);
    assert_int_equal(sup_first_line("all"), 3);
    assert_int_equal(sup_fail(NULL, RB_EINVAL, "nobody listens"), RB_EINVAL);
}

/* Far beyond what has room, too: nothing is written behind it. */
static void a_list_grows_as_far_as_it_has_room(void **state)
{
    (void)state;
    char text[16] = "";
    sup_append(text, sizeof text, ", ", "%s", "ring");
    assert_string_equal(text, "ring");
    sup_append(text, sizeof text, ", ", "r=%d", 4);
    assert_string_equal(text, "ring, r=4");
    for (int i = 0; i < 9; i++)
        sup_append(text, sizeof text - 1, ", ", "%s", "bruck");
    assert_string_equal(text, "ring, r=4, bru");
    assert_int_equal(text[sizeof text - 1], 0);
}

static void a_hint_names_the_nearest_word_or_says_what_there_is(void **state)
{
    static const char *const words[] = {"circulant", "binomial"}, *const kinds[] = {
                                                                      "time-n", "best-n", "time-m",
                                                                      "regret-map"};
    char hint[SUP_HINT_SIZE];
    (void)state;
    assert_string_equal(sup_hint("circulent", words, 2, "there are two", hint),
                        "did you mean circulant?");
    assert_string_equal(sup_hint("ring", words, 2, "there are two", hint), "there are two");
    assert_string_equal(sup_hint("time", kinds, 4, "there are four", hint),
                        "did you mean time-n or time-m?");
    assert_string_equal(sup_hint("map", kinds, 4, "there are four", hint),
                        "did you mean regret-map?");
    assert_string_equal(sup_hint("circulant", words, 0, "there are none", hint), "there are none");
}

static void durations_are_clock_times(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0:00"},        {-5, "0:00"},      {7.9, "0:07"},       {60, "1:00"},
        {3599.99, "59:59"}, {3600, "1:00:00"}, {93789, "26:03:09"}, {9e15, "2500000000000:00:00"},
        {INFINITY, "?"},    {NAN, "?"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(sup_format_clock(cases[i].seconds, text, sizeof text), cases[i].text);
}

/* The shortest text that is the same double when read. */
static void reals_read_back(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1e-6, "1e-06"},
                 {9.999999999999997e-07, "9.999999999999997e-07"},
                 {0.1, "0.1"},
                 {100000, "100000"},
                 {1.0 / 3, "0.3333333333333333"},
                 {12.5e9, "1.25e+10"},
                 {0, "0"},
                 {-2.5, "-2.5"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(sup_format_real(cases[i].value, text, sizeof text), cases[i].text);
        assert_true(strtod(text, NULL) == cases[i].value);
    }
}

static void sizes_are_short(void **state)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1048577, "1048577 B"},
                 {65536, "64 KiB"},
                 {257031125, "257.0 MB"},
                 {999999999, "1.000 GB"},
                 {INT64_MAX, "9.223 EB"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(sup_format_size(cases[i].bytes, text, sizeof text), cases[i].text);
    assert_string_equal(sup_plural(1), "");
    assert_string_equal(sup_plural(0), "s");
    assert_string_equal(sup_plural(2), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_read_back),
        cmocka_unit_test(sizes_are_short),
        cmocka_unit_test(durations_are_clock_times),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(other_texts_are_no_whole_numbers),
        cmocka_unit_test(ranges_are_kept_and_told),
        cmocka_unit_test(bytes_are_whole_and_go_both_ways),
        cmocka_unit_test(bytes_of_doubtful_units_are_refused),
        cmocka_unit_test(seconds_and_bandwidths),
        cmocka_unit_test(reals_are_read_in_usual_forms_only),
        cmocka_unit_test(lists_and_ranges),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(times_read_well),
        cmocka_unit_test(nearest_words),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(a_list_grows_as_far_as_it_has_room),
        cmocka_unit_test(a_hint_names_the_nearest_word_or_says_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
