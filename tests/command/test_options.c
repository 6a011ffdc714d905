/* test_options.c - a verb's table of options, as the command line sees it: accepted command lines,
 * the values that the verb gets, and the exit status of all other lines. The messages are in
 * tests/cli. */
#define _POSIX_C_SOURCE 200809L /* dup, setenv */

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
#include "support/options/options.h"

static const struct cli_option options[] = {
    {.name = "ranks",
     .synonym = "processes",
     .help = "the ranks",
     .letter = 'p',
     .type = CLI_OPT_INT,
     .value = "P",
     .least = 1,
     .most = 64,
     .required = true},
    {.name = "bytes",
     .help = "the bytes",
     .letter = 'm',
     .type = CLI_OPT_BYTES,
     .value = "M",
     .fallback = "1MiB"},
    {.name = "sizes",
     .help = "the sizes",
     .type = CLI_OPT_BYTESES,
     .value = "LIST",
     .least = 1,
     .most = 4096},
    {.name = "list",
     .help = "the list",
     .letter = 'l',
     .type = CLI_OPT_INTS,
     .value = "LIST",
     .fallback = "1,2",
     .least = 1,
     .most = 100},
    {.name = "ratio",
     .help = "the ratio",
     .type = CLI_OPT_REAL,
     .value = "X",
     .fallback = "0.5",
     .least = 0,
     .most = 1},
    {.name = "format",
     .help = "the format",
     .type = CLI_OPT_CHOICE,
     .value = "F",
     .fallback = "table",
     .choices = "table|csv"},
    {.name = "flag", .help = "the flag", .letter = 'f', .type = CLI_OPT_FLAG},
    {.name = "name", .help = "the name", .type = CLI_OPT_TEXT, .value = "NAME"},
    {.name = "set", .help = "the set", .type = CLI_OPT_TEXT, .value = "K:V", .repeatable = true},
    CLI_OPTION_END,
};

/* What the verb saw. */
static struct {
    int runs;
    int64_t ranks, bytes;
    size_t list_count, size_count;
    int64_t last_of_list;
    double ratio;
    bool flag, bytes_given;
    char format[16], name[16];
    int32_t set_count, operand_count;
    char last_set[16], last_operand[16];
} seen;

static void copy(char to[16], const char *from)
{
    to[0] = '\0';
    if (from != NULL)
        strncat(to, from, 15);
}

static int run(const struct cli_args *args)
{
    const char *const *texts;
    const struct sup_list *list = cli_args_list(args, "list");
    seen.runs++;
    seen.ranks = cli_args_int(args, "ranks");
    seen.bytes = cli_args_int(args, "bytes");
    seen.bytes_given = cli_args_given(args, "bytes");
    seen.list_count = list->count;
    seen.last_of_list = list->value[list->count - 1];
    seen.size_count = cli_args_list(args, "sizes")->count;
    seen.ratio = cli_args_real(args, "ratio");
    seen.flag = cli_args_flag(args, "flag");
    copy(seen.format, cli_args_text(args, "format"));
    copy(seen.name, cli_args_text(args, "name"));
    seen.set_count = cli_args_texts(args, "set", &texts);
    copy(seen.last_set, seen.set_count > 0 ? texts[seen.set_count - 1] : NULL);
    seen.operand_count = cli_args_operands(args, &texts);
    copy(seen.last_operand, seen.operand_count > 0 ? texts[seen.operand_count - 1] : NULL);
    struct cli_bar bar;
    cli_bar_start(&bar, "seen", 4);
    bar.shown_s -= 100; /* long ago */
    cli_bar_update(&bar, 1, NULL);
    cli_bar_end(&bar);
    return CLI_EXIT_FALSE; /* to be told from everything that parsing returns */
}

static const struct cli_verb verb = {
    .name = "try",
    .title = "Try.",
    .operands = "[FILE] [FILE]",
    .most_operands = 2,
    .options = options,
    .examples = "roundabout try -p 3\n",
    .run = run,
};

/* Runs `line`, split at blanks. */
static int try(const char *line)
{
    char text[256];
    char *words[32];
    int count = 0;
    memset(&seen, 0, sizeof seen);
    strncpy(text, line, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    return cli_verb_main(&verb, count, words);
}

/* A progress line would stand in the middle of what is written to a terminal or a pipe. */
static void bars_are_shown_beside_files_only(void **state)
{
    struct out_file output = {0};
    struct cli_bar bar;
    int ends[2];
    (void)state;
    output.file = tmpfile();
    assert_non_null(output.file);
    cli_show_progress(true);
    cli_bar_start_writing(&bar, "seen", 1, &output);
    assert_false(bar.hidden);
    fclose(output.file);
    assert_int_equal(pipe(ends), 0);
    output.file = fdopen(ends[1], "w");
    cli_bar_start_writing(&bar, "seen", 1, &output);
    assert_true(bar.hidden);
    fclose(output.file);
    close(ends[0]);
    cli_bar_start_writing(&bar, "seen", 1, NULL);
    assert_true(bar.hidden);
}

/* Reads what was written to the file in place of standard error. */
static void end_capture(int stderr_was, FILE *captured, char *text, size_t size)
{
    fflush(stderr);
    dup2(stderr_was, STDERR_FILENO);
    close(stderr_was);
    rewind(captured);
    text[fread(text, 1, size - 1, captured)] = '\0';
    fclose(captured);
}

/* The bars of all parts are one line with one name and one time left. */
static void bars_of_parts_are_one(void **state)
{
    struct cli_bar whole, bar;
    char text[400];
    FILE *captured = tmpfile();
    const int stderr_was = dup(STDERR_FILENO);
    (void)state;
    assert_non_null(captured);
    fflush(stderr);
    dup2(fileno(captured), STDERR_FILENO);
    cli_show_progress(true);
    cli_bar_start_parts(&whole, "audit", 4);
    whole.started_s = whole.part_s -= 100;
    whole.shown_s -= 100;
    cli_bar_start(&bar, "search", 0);
    cli_bar_show(&bar, 19.4, NULL); /* parts of 119.4 s, of which the first is gone by 100 */
    cli_bar_end(&bar);
    cli_bar_part(&whole, 1);
    whole.part_s -= 10.1;
    whole.shown_s -= 100;
    cli_bar_start(&bar, "decisions", 0);
    cli_bar_show(&bar, 5, NULL); /* the first took 89.9 s */
    cli_bar_end(&bar);
    whole.shown_s -= 100;
    cli_bar_start(&bar, "confirm", 0);
    cli_bar_show(&bar, 200, NULL); /* longer than the first */
    cli_bar_end(&whole);
    cli_bar_start(&bar, "other", 0);
    bar.shown_s -= 100;
    cli_bar_show(&bar, 3, NULL);
    end_capture(stderr_was, captured, text, sizeof text);
    assert_string_equal(text, "audit:  20 %, 6:18 left, search\n"
                              "audit:  27 %, 4:20 left, decisions\n"
                              "audit:  27 %, 6:20 left, confirm\n"
                              "other:   0 %, 0:03 left\n");
}

static void defaults_reach_the_verb(void **state)
{
    (void)state;
    assert_int_equal(try("-p 3"), CLI_EXIT_FALSE);
    assert_int_equal(seen.ranks, 3);
    assert_int_equal(seen.bytes, 1 << 20);
    assert_false(seen.bytes_given);
    assert_int_equal(seen.list_count, 2);
    assert_int_equal(seen.size_count, 0);
    assert_true(seen.ratio == 0.5);
    assert_false(seen.flag);
    assert_string_equal(seen.format, "table");
    assert_string_equal(seen.name, "");
    assert_int_equal(seen.set_count, 0);
    assert_int_equal(seen.operand_count, 0);
}

static void all_ways_of_writing_an_option(void **state)
{
    static const char *const lines[] = {"-p17",       "-p 17",          "--ranks=17",
                                        "--ranks 17", "--rank 17",      "-fp17",
                                        "a -p 17 b",  "--processes 17", "-p 17 -- -f"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(try(lines[i]), CLI_EXIT_FALSE);
        assert_int_equal(seen.ranks, 17);
    }
    assert_false(seen.flag);
    assert_int_equal(seen.operand_count, 1);
    assert_string_equal(seen.last_operand, "-f");
}

static void values_reach_the_verb(void **state)
{
    (void)state;
    assert_int_equal(try("-p 3 -m 64KiB -l 5..9,40 --sizes 1,1KiB --ratio 0.25 --format csv -f "
                         "--name x --set a:1 --set b:2 in out"),
                     CLI_EXIT_FALSE);
    assert_int_equal(seen.bytes, 65536);
    assert_true(seen.bytes_given);
    assert_int_equal(seen.list_count, 6);
    assert_int_equal(seen.last_of_list, 40);
    assert_int_equal(seen.size_count, 2);
    assert_true(seen.ratio == 0.25);
    assert_true(seen.flag);
    assert_string_equal(seen.format, "csv");
    assert_string_equal(seen.name, "x");
    assert_int_equal(seen.set_count, 2);
    assert_string_equal(seen.last_set, "b:2");
    assert_int_equal(seen.operand_count, 2);
    assert_string_equal(seen.last_operand, "out");
}

static void wrong_lines_never_run_the_verb(void **state)
{
    static const char *const lines[] = {
        "",
        "-p 0",
        "-p 65",
        "-p",
        "-p 1 -p 2",
        "-p 1 -z",
        "-p 1 --zzz",
        "-p 1 --format xml",
        "-p 1 --ratio 1.5",
        "-p 1 --ratio -1",
        "-p 1 -l 0",
        "-p 1 -l 101",
        "-p 1 --sizes 0",
        "-p 1 --sizes 8KiB",
        "-p 1 --flag=1",
        "-p 1 a b c",
        "-p 1 --name=",
        "-p 1 --name x --name y",
        "-p 1 -f -f",
        "-p 1 --f",
        "-p 1 --quiet=1",
        "-p 1 --quiet --quiet",
        "-p 1 -m 1M",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(try(lines[i]), CLI_EXIT_USAGE);
        assert_int_equal(seen.runs, 0);
    }
}

static void help_wins_over_what_is_missing(void **state)
{
    (void)state;
    assert_int_equal(try("--help"), CLI_EXIT_DONE);
    assert_int_equal(seen.runs, 0);
    assert_int_equal(try("-h"), CLI_EXIT_DONE);
    assert_int_equal(seen.runs, 0);
}

/* True if this line shows the overlap of the verb. */
static bool shows_progress(const char *line)
{
    FILE *said = tmpfile();
    const int kept = dup(STDERR_FILENO);
    char text[64] = "";
    assert_non_null(said);
    fflush(stderr);
    dup2(fileno(said), STDERR_FILENO);
    assert_int_equal(try(line), CLI_EXIT_FALSE);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fclose(said);
    if (text[0] != '\0')
        assert_non_null(strstr(text, "seen:  25 %"));
    return text[0] != '\0';
}

static void progress_is_shown_unless_quiet(void **state)
{
    (void)state;
    unsetenv("ROUNDABOUT_QUIET");
    assert_true(shows_progress("-p 1"));
    assert_false(shows_progress("-p 1 --quiet"));
    assert_true(shows_progress("-p 1")); /* it is of one command line */
    setenv("ROUNDABOUT_QUIET", "1", 1);
    assert_false(shows_progress("-p 1"));
}

static void statuses_map_to_exits(void **state)
{
    (void)state;
    assert_int_equal(cli_exit_of(RB_OK), CLI_EXIT_DONE);
    assert_int_equal(cli_exit_of(RB_EWRONG), CLI_EXIT_FALSE);
    assert_int_equal(cli_exit_of(RB_EINVAL), CLI_EXIT_USAGE);
    assert_int_equal(cli_exit_of(RB_ENOTSUP), CLI_EXIT_USAGE);
    assert_int_equal(cli_exit_of(RB_EIO), CLI_EXIT_FAILED);
    assert_int_equal(cli_exit_of(RB_ENOMEM), CLI_EXIT_FAILED);
    assert_int_equal(cli_exit_of(RB_EFAILED), CLI_EXIT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_shown_beside_files_only),
        cmocka_unit_test(bars_of_parts_are_one),
        cmocka_unit_test(defaults_reach_the_verb),
        cmocka_unit_test(all_ways_of_writing_an_option),
        cmocka_unit_test(values_reach_the_verb),
        cmocka_unit_test(wrong_lines_never_run_the_verb),
        cmocka_unit_test(help_wins_over_what_is_missing),
        cmocka_unit_test(progress_is_shown_unless_quiet),
        cmocka_unit_test(statuses_map_to_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
