/* Decision files: the setting of a call, and the messages about invalid files. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/choice/decisions.h"

#define HEAD CHOICE_DECISIONS_HEADER "\n"

static int read_text(const char *text, struct choice_decisions **decisions, struct sup_error *error)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    const int status = choice_decisions_read(file, "rules.txt", decisions, error);
    fclose(file);
    return status;
}

static struct choice_decisions *decisions_of(const char *text)
{
    struct choice_decisions *decisions;
    struct sup_error error;
    if (read_text(text, &decisions, &error) != RB_OK)
        fail_msg("%s", error.text);
    return decisions;
}

/* The algorithm for a call, "native", or "-" where no rule fits. */
static const char *found(const struct choice_decisions *decisions, const char *collective,
                         int32_t p, int64_t bytes, bool irregular)
{
    const struct choice_situation situation = {
        .collective = collective, .p = p, .irregular = irregular};
    struct choice_decision_row row;
    assert_int_equal(choice_decision_row_make(decisions, &situation, &row), RB_OK);
    const struct choice_setting *setting = choice_decision_row_find(&row, bytes);
    choice_decision_row_free(&row);
    return setting == NULL ? "-" : setting->native ? "native" : setting->algorithm->name;
}

#define assert_found(decisions, collective, p, bytes, irregular, name)                             \
    assert_string_equal(found(decisions, collective, p, bytes, irregular), name)

static void ranges_include_both_ends(void **state)
{
    (void)state;
    struct choice_decisions *decisions =
        decisions_of(HEAD "# comment\n\n"
                          "bcast 2..23 ..64KiB binomial # the rest is a comment\n"
                          "bcast 2..23\t1MiB..4MiB  circulant:n=F:70,window=4\r\n"
                          "bcast 64 7 native\n"
                          "bcast 100.. * chain");
    assert_found(decisions, "bcast", 1, 0, false, "-");
    assert_found(decisions, "bcast", 2, 0, false, "binomial");
    assert_found(decisions, "bcast", 23, 65536, false, "binomial");
    assert_found(decisions, "bcast", 23, 65537, false, "-");
    assert_found(decisions, "bcast", 24, 65536, false, "-");
    assert_found(decisions, "bcast", 5, 1048575, false, "-");
    assert_found(decisions, "bcast", 5, 1048576, false, "circulant");
    assert_found(decisions, "bcast", 5, 4194304, false, "circulant");
    assert_found(decisions, "bcast", 5, 4194305, false, "-");
    assert_found(decisions, "bcast", 64, 6, false, "-");
    assert_found(decisions, "bcast", 64, 7, false, "native");
    assert_found(decisions, "bcast", 64, 8, false, "-");
    assert_found(decisions, "bcast", RB_MAX_RANKS, INT64_MAX, false, "chain");
    assert_found(decisions, "reduce", 5, 0, false, "-");
    choice_decisions_free(decisions);
}

/* Exceptions stand before what they are exceptions of. */
/* tests/past: what a sweep found, and what RB_REMEMBER kept. */
static void files_of_past_releases(void **state)
{
    static const char *const releases[] = {"1.0.0", "2.0.0"}, *const files[] = {"rules.decisions",
                                                                                "learned.txt"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char path[400];
        struct choice_decisions *decisions;
        struct sup_error error;
        snprintf(path, sizeof path, ROUNDABOUT_SOURCE_DIR "/tests/past/%s/%s", releases[i / 2],
                 files[i % 2]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        if (choice_decisions_read(file, path, &decisions, &error) != RB_OK)
            fail_msg("%s", error.text);
        fclose(file);
        const bool learned = i % 2 == 1;
        assert_found(decisions, "bcast", 5, 65536, false, learned ? "-" : "binomial");
        assert_found(decisions, "bcast", 5, 65537, false, learned ? "-" : "circulant");
        assert_found(decisions, "allgather", 2, 16, false, learned ? "native" : "-");
        assert_found(decisions, "allgather", 3, 32, true, learned ? "native" : "-");
        choice_decisions_free(decisions);
    }
}

static void the_first_rule_that_fits_counts(void **state)
{
    (void)state;
    struct choice_decisions *decisions = decisions_of(HEAD "allgather * 100..199 ring\n"
                                                           "allgather 8 150..299 pairwise\n"
                                                           "allgather/irregular * * dissemination\n"
                                                           "allgather * * circulant:n=2\n");
    static const struct {
        int64_t bytes;
        const char *at_8, *at_9;
    } expected[] = {{0, "circulant", "circulant"},   {99, "circulant", "circulant"},
                    {100, "ring", "ring"},           {199, "ring", "ring"},
                    {200, "pairwise", "circulant"},  {299, "pairwise", "circulant"},
                    {300, "circulant", "circulant"}, {INT64_MAX, "circulant", "circulant"}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_found(decisions, "allgather", 8, expected[i].bytes, false, expected[i].at_8);
        assert_found(decisions, "allgather", 9, expected[i].bytes, false, expected[i].at_9);
        assert_found(decisions, "allgather", 9, expected[i].bytes, true, "dissemination");
    }
    choice_decisions_free(decisions);
}

/* Rules that overlap at random, against the definition. */
static void rows_hold_the_first_rule_that_fits(void **state)
{
    (void)state;
    enum { RULES = 60, BYTES = 200 };
    static const char *const names[] = {"binomial", "chain", "native", "circulant"};
    for (unsigned seed = 1; seed <= 50; seed++) {
        char text[RULES * 40] = HEAD;
        const char *expected[BYTES];
        for (int b = 0; b < BYTES; b++)
            expected[b] = "-";
        unsigned random = seed;
        for (int i = 0; i < RULES; i++) {
            random = random * 1103515245 + 12345;
            const int from = (int)(random >> 16) % BYTES, to = from + (int)(random >> 8) % 12;
            const char *name = names[random >> 28 & 3];
            sprintf(text + strlen(text), "bcast 8 %d..%d %s\n", from, to, name);
            for (int b = from; b <= to && b < BYTES; b++)
                if (expected[b][0] == '-')
                    expected[b] = name;
        }
        struct choice_decisions *decisions = decisions_of(text);
        for (int b = 0; b < BYTES; b++)
            if (strcmp(found(decisions, "bcast", 8, b, false), expected[b]) != 0)
                fail_msg("seed %u, %d bytes: not %s", seed, b, expected[b]);
        choice_decisions_free(decisions);
    }
}

/* As many rules as a tuner may write. To look at each of them for each is minutes. */
static void many_rules_are_read_and_sorted(void **state)
{
    (void)state;
    enum { RULES = 100000, LINE = 40 };
    char *text = malloc(sizeof HEAD + (size_t)RULES * LINE);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < RULES; i++)
        length += (size_t)sprintf(text + length, "bcast 8 %d..%d %s\n", 8 * i, 8 * i + 7,
                                  i % 2 == 0 ? "binomial" : "chain");
    struct choice_decisions *decisions = decisions_of(text);
    assert_found(decisions, "bcast", 8, 0, false, "binomial");
    assert_found(decisions, "bcast", 8, 8 * (RULES - 1), false, "chain");
    assert_found(decisions, "bcast", 8, 8 * RULES, false, "-");
    choice_decisions_free(decisions);
    free(text);
}

/* Two files are told apart by what was read of them, comments included. */
static void texts_are_told_apart(void **state)
{
    (void)state;
    struct choice_decisions *left = decisions_of(HEAD), *right = decisions_of(HEAD "# other\n"),
                            *again = decisions_of(HEAD);
    assert_true(choice_decisions_hash(left) != choice_decisions_hash(right));
    assert_true(choice_decisions_hash(left) == choice_decisions_hash(again));
    choice_decisions_free(left);
    choice_decisions_free(right);
    choice_decisions_free(again);
}

/* A file of nothing but comments ends, too. */
static void files_have_an_end(void **state)
{
    (void)state;
    enum { LINES = 1 << 20 };
    struct choice_decisions *decisions;
    struct sup_error error;
    FILE *file = tmpfile();
    fputs(HEAD, file);
    for (int i = 0; i < LINES; i++)
        fputs("#\n", file);
    rewind(file);
    assert_int_equal(choice_decisions_read(file, "rules.txt", &decisions, &error), RB_EINVAL);
    assert_string_equal(error.text, "rules.txt:1048577: a decision file has at most 1048576 lines");
    fclose(file);
}

static void a_file_without_rules_decides_nothing(void **state)
{
    (void)state;
    struct choice_decisions *decisions = decisions_of(CHOICE_DECISIONS_HEADER);
    assert_found(decisions, "bcast", 8, 8, false, "-");
    choice_decisions_free(decisions);
    const struct choice_decision_row none = {0};
    assert_null(choice_decision_row_find(&none, 8));
}

static void refuse(const char *text, const char *line, const char *culprit)
{
    struct choice_decisions *decisions;
    struct sup_error error;
    assert_int_equal(read_text(text, &decisions, &error), RB_EINVAL);
    assert_null(decisions);
    if (strncmp(error.text, line, strlen(line)) != 0 || strstr(error.text, culprit) == NULL)
        fail_msg("'%s' does not start '%s' and name '%s'", error.text, line, culprit);
}

/* What follows a zero byte would be left out without a word. */
static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char in_rule[] = HEAD "bcast * * ring\0 and more\n";
    static const char in_head[] = CHOICE_DECISIONS_HEADER "\0 and more\nbcast * * ring\n";
    const struct {
        const char *text;
        size_t size;
        const char *where;
    } files[] = {{in_rule, sizeof in_rule - 1, "rules.txt:2: a zero byte"},
                 {in_head, sizeof in_head - 1, "rules.txt:1: a zero byte"}};
    for (size_t i = 0; i < 2; i++) {
        struct choice_decisions *decisions;
        struct sup_error error;
        FILE *file = fmemopen((void *)(uintptr_t)files[i].text, files[i].size, "r");
        assert_non_null(file);
        assert_int_equal(choice_decisions_read(file, "rules.txt", &decisions, &error), RB_EINVAL);
        assert_non_null(strstr(error.text, files[i].where));
        fclose(file);
    }
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    refuse("\n", "rules.txt:1:", "roundabout-decisions 1");
    refuse("roundabout-decisions 2\nbcast * * ring\n", "rules.txt:1:", "'roundabout-decisions 2'");
    refuse("bcast * * ring\n", "rules.txt:1:", "'bcast * * ring'");
    refuse("\x7f"
           "ELF\x02\x01\n",
           "rules.txt:1:", "'\\x7fELF\\x02\\x01': the first line");
    refuse("\xef\xbb\xbf" HEAD, "rules.txt:1:", "'\\xef\\xbb\\xbfroundabout-decisions 1'");
    refuse(HEAD "\n# x\nbroadcast * * ring\n", "rules.txt:4:", "'broadcast'");
    refuse(HEAD "bcast * * rung\n", "rules.txt:2:", "'rung' for bcast");
    refuse(HEAD "bcast * * binomial:n=x\n", "rules.txt:2:", "\"x\"");
    refuse(HEAD "bcast * *\n", "rules.txt:2:", "not fewer words");
    refuse(HEAD "bcast * * binomial n=4\n", "rules.txt:2:", "not more words");
    refuse(HEAD "bcast 0..4 * binomial\n", "rules.txt:2:", "0");
    refuse(HEAD "bcast 5..4 * binomial\n", "rules.txt:2:", "'5..4'");
    refuse(HEAD "bcast x * binomial\n", "rules.txt:2:", "x");
    refuse(HEAD "bcast * 3..2 binomial\n", "rules.txt:2:", "'3..2'");
    refuse(HEAD "bcast * 3KX binomial\n", "rules.txt:2:", "3KX");
    refuse(HEAD "bcast/irregular * * binomial\n", "rules.txt:2:", "bcast has no counts");
    refuse(HEAD "allgather/regular * * ring\n", "rules.txt:2:", "'allgather/regular'");
    char text[700];
    snprintf(text, sizeof text, "%sbcast * * %600s\n", HEAD, "ring");
    refuse(text, "rules.txt:2:", "characters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_include_both_ends),
        cmocka_unit_test(files_of_past_releases),
        cmocka_unit_test(the_first_rule_that_fits_counts),
        cmocka_unit_test(rows_hold_the_first_rule_that_fits),
        cmocka_unit_test(many_rules_are_read_and_sorted),
        cmocka_unit_test(texts_are_told_apart),
        cmocka_unit_test(files_have_an_end),
        cmocka_unit_test(a_file_without_rules_decides_nothing),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(zero_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
