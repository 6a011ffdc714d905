/* plot: every kind of figure from known results, whole pictures, scripts that make the same picture
 * again on their own, and the messages and files when something is missing. */
#define _DEFAULT_SOURCE /* mkdtemp, setenv */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "plots/figure/plot.h"
#include "plots/figure/plot_look.h"
#include "roundabout.h"
#include "tests/experiments/made_results.h"

static const int32_t some_p[] = {16, 17, 64, 100, 0};
static const int64_t some_m[] = {65536, 1048576, 0};
static const int64_t some_n[] = {1, 2, 4, 8, 16, 32, 64, 0};
#define SWEEP(name, overlap_rule)                                                                  \
    {                                                                                              \
        "crossbar:128", name, some_p, some_m, some_n, 2e-6, 8e-11, 4, overlap_rule, 0              \
    }

static char *place;
static char results[600];

static int set_up(void **state)
{
    (void)state;
    const struct made_sweep sweeps[] = {SWEEP("circulant", "blocking"), SWEEP("chain", "blocking"),
                                        SWEEP("binomial", "blocking")};
    place = make_place();
    make_results(place, "results.sqlite", sweeps, 3, results);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_place(place);
    return 0;
}

static char *path_of(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

static bool exists(const char *name)
{
    struct stat file;
    return stat(path_of(name), &file) == 0;
}

static char *contents(const char *name, size_t *size)
{
    FILE *file = fopen(path_of(name), "rb");
    if (file == NULL)
        fail_msg("there is no %s", name);
    char *text = calloc(1, 1 << 22);
    *size = fread(text, 1, (1 << 22) - 1, file);
    fclose(file);
    return text;
}

static int files_in(const char *name)
{
    DIR *directory = opendir(path_of(name));
    int count = 0;
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.' ? 1 : 0;
    closedir(directory);
    return count;
}

static struct plot_request request_of(const char *directory)
{
    return (struct plot_request){.results = results,
                                 .directory = directory,
                                 .focus = DECIDE_TUNE_FOCUS,
                                 .kinds = 31,
                                 .pictures = 1u << PLOT_PNG};
}

/* time-n and heat for two m, time-m and relative-m for three of four p, best-n regret,
 * decisions and regret-map: fourteen figures. */
static void all_kinds_are_made(void **state)
{
    (void)state;
    static const char *const names[] = {"all/bcast-time-n-m64KiB-crossbar_128-blocking",
                                        "all/bcast-time-n-m1MiB-crossbar_128-blocking",
                                        "all/bcast-best-n-crossbar_128-blocking",
                                        "all/bcast-time-m-p16-crossbar_128-blocking",
                                        "all/bcast-time-m-p17-crossbar_128-blocking",
                                        "all/bcast-time-m-p100-crossbar_128-blocking",
                                        "all/bcast-relative-m-p16-crossbar_128-blocking",
                                        "all/bcast-relative-m-p17-crossbar_128-blocking",
                                        "all/bcast-relative-m-p100-crossbar_128-blocking",
                                        "all/bcast-heat-m64KiB-crossbar_128-blocking",
                                        "all/bcast-heat-m1MiB-crossbar_128-blocking",
                                        "all/bcast-regret-crossbar_128-blocking",
                                        "all/bcast-decisions-crossbar_128-blocking",
                                        "all/bcast-regret-map-crossbar_128-blocking"};
    static const char *const extensions[] = {"dat", "gp", "pdf", "png"};
    struct sup_error error;
    FILE *list = fopen(path_of("list"), "w");
    const struct plot_request where = {.directory = strcpy((char[600]){0}, path_of("all")),
                                       .pictures = 1u << PLOT_PDF | 1u << PLOT_PNG,
                                       .results = results,
                                       .kinds = plot_all_kinds(),
                                       .focus = "circulant",
                                       .list = list};
    int64_t made;
    if (plot_draw(&where, &made, &error) != RB_OK)
        fail_msg("%s", error.text);
    fclose(list);
    size_t size;
    char *listed = contents("list", &size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < 4; j++) {
            char name[200];
            snprintf(name, sizeof name, "%s.%s", names[i], extensions[j]);
            assert_true(exists(name));
            assert_int_equal(strstr(listed, name) != NULL, j >= 2);
        }
    assert_int_equal(files_in("all"), 14 * 4);
    free(listed);
}

/* Of a sweep: those of each setting first, one of a kind for each p or m, and none that repeats. */
static void few_figures_differ_in_what_they_say(void **state)
{
    (void)state;
    static const char *const kinds[] = {"time-m", "decisions", "time-n",
                                        "best-n", "regret",    "regret-map"};
    struct plot_drawn drawn = {0};
    struct sup_error error;
    const struct plot_request where = {.directory = strcpy((char[600]){0}, path_of("few")),
                                       .pictures = 1u << PLOT_CSV,
                                       .drawn = &drawn};
    if (plot_results(results, &where, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(drawn.count, 6);
    for (size_t i = 0; i < drawn.count; i++)
        assert_string_equal(drawn.figure[i].kind, kinds[i]);
    assert_int_equal(files_in("few"), 6 * 3);
    plot_drawn_free(&drawn);
}

/* The script, run by itself in a copy of its directory, makes the same bytes. */
static void scripts_make_the_same_picture(void **state)
{
    (void)state;
    char directory[600], command[1400];
    struct sup_error error;
    int64_t made;
    struct plot_request request = request_of(strcpy(directory, path_of("again")));
    assert_int_equal(plot_draw(&request, &made, &error), RB_OK);
    assert_int_equal(made, 9);
    snprintf(
        command, sizeof command,
        "cp -r '%s/again' '%s/copy' && cd '%s/copy' && rm *.png && "
        "for script in *.gp; do gnuplot -d $script || exit 1; done && "
        "for picture in *.png; do " /* but for the mark before the last chunk */
        "cmp -n $(($(stat -c %%s $picture) - 12)) $picture ../again/$picture || exit 1; done && "
        "test $(ls *.png | wc -l) = 9",
        place, place, place);
    assert_int_equal(system(command), 0);
}

static void data_say_what_made_them(void **state)
{
    (void)state;
    char directory[600];
    int64_t made;
    size_t size;
    struct plot_request request = request_of(strcpy(directory, path_of("said")));
    request.kinds = 1; /* time-n */
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    char *data = contents("said/bcast-time-n-m1MiB-crossbar_128-blocking.dat", &size);
    static const char *const parts[] = {
        "crossbar:128", "engine simgrid", "overlap blocking", ("roundabout " RB_VERSION),
        "1 rank/host",  "# p = 100",      "results.sqlite",   "# columns: p, n, time_s"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(data, parts[i]) == NULL)
            fail_msg("the data don't say \"%s\"", parts[i]);
    assert_null(strstr(data, place));
    /* (8 - 1 + 5) (2e-6 + 8e-11 2^20 / 8) = 149.82912e-6 at p = 17, n = 8; not its best n, 16. */
    char *row = strstr(data, "\n17 8 ");
    assert_non_null(row);
    int64_t p, n;
    double time_s;
    int best;
    assert_int_equal(sscanf(row, "%" SCNd64 " %" SCNd64 " %lf %d", &p, &n, &time_s, &best), 4);
    assert_float_equal(time_s, 149.82912e-6, 1e-12);
    assert_int_equal(best, 0);
    free(data);
}

/* Two settings that differ in overlap alone don't overwrite each other. */
static void names_tell_settings_apart(void **state)
{
    (void)state;
    struct made_sweep sweeps[] = {SWEEP("circulant", "blocking"), SWEEP("circulant", "lockstep"),
                                  SWEEP("circulant", "lockstep")};
    char directory[600], path[600];
    int64_t made;
    sweeps[2].element_bytes = 8;
    make_results(place, "settings.sqlite", sweeps, 3, path);
    struct plot_request request = request_of(strcpy(directory, path_of("settings")));
    request.results = path;
    request.kinds = 2; /* best-n */
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 3);
    assert_int_equal(files_in("settings"), 3 * 3);
}

/* One n, one p, one m: nothing to draw, nothing left behind, and no failure. */
static void no_empty_figures(void **state)
{
    (void)state;
    static const int32_t one_p[] = {64, 0};
    static const int64_t one[] = {1024, 0};
    struct made_sweep sweep = SWEEP("circulant", "blocking");
    char directory[600], path[600];
    int64_t made;
    sweep.p = one_p;
    sweep.m_bytes = sweep.n = one;
    make_results(place, "one.sqlite", &sweep, 1, path);
    struct plot_request request = request_of(strcpy(directory, path_of("nothing")));
    request.results = path;
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 0);
    assert_false(exists("nothing"));
}

/* One p, two m: time-n for each m, time-m, and regret over m; neither best-n nor a map. */
static void kinds_that_need_more_are_skipped(void **state)
{
    (void)state;
    static const int32_t one_p[] = {64, 0};
    struct made_sweep sweeps[] = {SWEEP("circulant", "blocking"), SWEEP("binomial", "blocking")};
    char directory[600], path[600];
    int64_t made;
    sweeps[0].p = sweeps[1].p = one_p;
    make_results(place, "one_p.sqlite", sweeps, 2, path);
    struct plot_request request = request_of(strcpy(directory, path_of("one_p")));
    request.results = path;
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 4);
    assert_true(exists("one_p/bcast-regret-crossbar_128-blocking.png"));
    assert_true(exists("one_p/bcast-time-m-p64-crossbar_128-blocking.png"));
}

/* The last series of time-m is the bound, where it is known; then the script draws it. */
static void the_bound_is_drawn(void **state)
{
    (void)state;
    static const int32_t one_p[] = {64, 0};
    static const int64_t known[] = {1048576, 8388608, 0}, unknown[] = {2147483648, 4294967296, 0};
    struct made_sweep sweeps[] = {SWEEP("circulant", "blocking"), SWEEP("binomial", "blocking")};
    for (int i = 0; i < 2; i++) {
        char directory[600], path[600];
        int64_t made;
        size_t size;
        for (int k = 0; k < 2; k++) {
            sweeps[k].p = one_p;
            sweeps[k].m_bytes = i == 0 ? known : unknown;
        }
        make_results(place, i == 0 ? "bounded.sqlite" : "boundless.sqlite", sweeps, 2, path);
        strcpy(directory, path_of(i == 0 ? "bounded" : "boundless"));
        struct plot_request request = request_of(directory);
        request.results = path;
        assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
        char *script = contents(i == 0 ? "bounded/bcast-time-m-p64-crossbar_128-blocking.gp"
                                       : "boundless/bcast-time-m-p64-crossbar_128-blocking.gp",
                                &size);
        assert_true((strstr(script, "bounded = 1\n") != NULL) == (i == 0));
        free(script);
        char *data = contents(i == 0 ? "bounded/bcast-time-m-p64-crossbar_128-blocking.dat"
                                     : "boundless/bcast-time-m-p64-crossbar_128-blocking.dat",
                              &size);
        const char *bound = strstr(data, "\n\n\n# bound\n");
        double first_s, second_s;
        assert_true((bound != NULL && sscanf(bound + 3,
                                             "# bound\nbound 1048576 0 %lf - NaN NaN NaN\n"
                                             "bound 8388608 0 %lf - NaN NaN NaN\n",
                                             &first_s, &second_s) == 2) == (i == 0));
        if (i == 0) {
            assert_true(fabs(first_s / bound_of(&sweeps[0], 64, 1048576) - 1) < 1e-12);
            assert_true(fabs(second_s / bound_of(&sweeps[0], 64, 8388608) - 1) < 1e-12);
        }
        assert_null(strstr(data, "bound 2147483648"));
        free(data);
    }
}

/* For each m the fastest has 1, and the other as much more as its time is longer. */
static void relative_times_are_by_the_fastest(void **state)
{
    (void)state;
    static const int32_t one_p[] = {64, 0};
    struct made_sweep sweeps[] = {SWEEP("circulant", "blocking"), SWEEP("binomial", "blocking")};
    char directory[600], path[600], name[32];
    double time_s[2], slower[2];
    int64_t made, bytes[2];
    size_t size;
    sweeps[0].p = sweeps[1].p = one_p;
    make_results(place, "relative.sqlite", sweeps, 2, path);
    struct plot_request request = request_of(strcpy(directory, path_of("relative")));
    request.results = path;
    request.kinds = 1u << 8; /* relative-m */
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 1);
    char *data = contents("relative/bcast-relative-m-p64-crossbar_128-blocking.dat", &size);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "\n%s ", i == 0 ? "circulant" : "binomial");
        const char *row = strstr(data, name);
        assert_non_null(row);
        assert_int_equal(
            sscanf(row, " %*s %" SCNd64 " %*d %lf %lf", &bytes[i], &time_s[i], &slower[i]), 3);
    }
    assert_int_equal(bytes[0], bytes[1]);
    const int fast = time_s[0] <= time_s[1] ? 0 : 1;
    assert_true(slower[fast] == 1);
    assert_true(fabs(slower[1 - fast] - time_s[1 - fast] / time_s[fast]) < 1e-12);
    assert_true(slower[1 - fast] > 1);
    free(data);
}

/* The best time on each of three platforms, and a row without a time where an algorithm was not
 * run: gnuplot does not count a series without rows. No figure for two platforms. */
static void platforms_are_beside_each_other(void **state)
{
    (void)state;
    static const char *const names[] = {"crossbar:128,latency=1us", "crossbar:128,latency=2us",
                                        "crossbar:128,latency=4us"};
    static const int32_t one_p[] = {64, 0};
    static const int64_t one_m[] = {1048576, 0};
    struct made_sweep sweeps[6];
    char directory[600], path[600], word[64];
    int64_t made;
    size_t size;
    for (int i = 0; i < 6; i++) {
        sweeps[i] = (struct made_sweep)SWEEP(i % 2 == 0 ? "circulant" : "chain", "blocking");
        sweeps[i].platform = names[i / 2];
        sweeps[i].p = one_p;
        sweeps[i].m_bytes = one_m;
        sweeps[i].alpha_s = 1e-6 * (1 << i / 2);
    }
    make_results(place, "platforms.sqlite", sweeps, 5, path); /* no chain on the last */
    struct plot_request request = request_of(strcpy(directory, path_of("platforms")));
    request.results = path;
    request.kinds = 1u << 9; /* platforms */
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 1);
    char *data = contents(
        "platforms/bcast-platforms-p64-m1MiB-crossbar_128_latency_1us-blocking.dat", &size);
    for (int i = 0; i < 3; i++) {
        double time_s, least_s = INFINITY;
        int number;
        int64_t n;
        for (const int64_t *blocks = some_n; *blocks != 0; blocks++)
            least_s = fmin(least_s, time_of(&sweeps[2 * i], 64, 1048576, (double)*blocks));
        snprintf(word, sizeof word, "\ncirculant block \"%s\"", names[i]);
        const char *row = strstr(data, word);
        assert_non_null(row);
        assert_int_equal(sscanf(row + strlen(word), "%d %" SCNd64 " %lf", &number, &n, &time_s), 3);
        assert_int_equal(number, i + 1);
        assert_float_equal(time_s, least_s, 1e-15);
    }
    assert_non_null(strstr(data, "\nchain block \"crossbar:128,latency=4us\" 3 0 nan NaN NaN\n"));
    free(data);
    make_results(place, "two.sqlite", sweeps, 4, path);
    request.directory = strcpy(directory, path_of("two"));
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    assert_int_equal(made, 0);
}

/* A gnuplot of our own making is found first in the PATH. */
static void with_gnuplot(const char *script, int expected, const char *part)
{
    char directory[600], path[1400];
    struct sup_error error = {""};
    int64_t made;
    char *before = strdup(getenv("PATH"));
    assert_int_equal(mkdir(path_of("bin"), 0777), 0);
    if (script != NULL) {
        FILE *file = fopen(path_of("bin/gnuplot"), "w");
        fputs(script, file);
        fclose(file);
        assert_int_equal(chmod(path_of("bin/gnuplot"), 0777), 0);
    }
    snprintf(path, sizeof path, script == NULL ? "%s/bin" : "%s/bin:%s", place, before);
    setenv("PATH", path, 1);
    struct plot_request request = request_of(strcpy(directory, path_of("failed")));
    int status = plot_draw(&request, &made, &error);
    setenv("PATH", before, 1);
    free(before);
    unlink(path_of("bin/gnuplot"));
    rmdir(path_of("bin"));
    assert_int_equal(status, expected);
    if (strstr(error.text, part) == NULL)
        fail_msg("\"%s\" doesn't say \"%s\"", error.text, part);
    assert_false(exists("failed"));
}

static void gnuplot_missing_or_failing_is_said(void **state)
{
    (void)state;
    with_gnuplot("#!/bin/sh\necho unknown terminal >&2\nexit 1\n", RB_EFAILED, "unknown terminal");
    with_gnuplot(
        "#!/bin/sh\ntest \"$2\" = -e && exit\necho plot it >&2\necho line 3: bad >&2\nexit 1\n",
        RB_EFAILED, ".gp: line 3: bad");
    with_gnuplot("#!/bin/sh\ntest \"$2\" = -e && exit\necho half > ${2%gp}png\n", RB_EIO,
                 "disk full");
}

/* All but the pictures, and how to draw them; a table alone needs no gnuplot. */
static void without_gnuplot_data_and_scripts_are_left(void **state)
{
    (void)state;
    char directory[600], path[600], *before = strdup(getenv("PATH"));
    struct sup_error error;
    int64_t made;
    mkdir(strcpy(path, path_of("empty")), 0777);
    setenv("PATH", path, 1);
    struct plot_request request = request_of(strcpy(directory, path_of("undrawn")));
    const int status = plot_draw(&request, &made, &error);
    request.directory = strcpy(path, path_of("tables"));
    request.pictures = 1u << PLOT_CSV;
    const int tables = plot_draw(&request, &made, NULL);
    setenv("PATH", before, 1);
    free(before);
    assert_int_equal(status, RB_EFAILED);
    assert_non_null(strstr(error.text, "gnuplot is not installed, so 9 figures in "));
    assert_non_null(strstr(error.text, "apt install gnuplot-nox; cd "));
    assert_int_equal(files_in("undrawn"), 9 * 3);
    assert_true(exists("undrawn/bcast-regret-crossbar_128-blocking.gp"));
    assert_true(exists("undrawn/bcast-regret-crossbar_128-blocking.dat"));
    assert_true(exists("undrawn/bcast-regret-crossbar_128-blocking.csv"));
    assert_int_equal(tables, RB_OK);
    assert_int_equal(files_in("tables"), 9 * 3);
}

/* One row of the table per row of the data, with the series and names with units; what is not known
 * is empty. */
static void tables_are_tidy(void **state)
{
    (void)state;
    char directory[600];
    int64_t made;
    size_t size;
    struct plot_request request = request_of(strcpy(directory, path_of("tidy")));
    request.kinds = 1u << 2; /* time-m */
    request.pictures = 1u << PLOT_CSV;
    assert_int_equal(plot_draw(&request, &made, NULL), RB_OK);
    char *csv = contents("tidy/bcast-time-m-p16-crossbar_128-blocking.csv", &size);
    static const char head[] = "series,algorithm,m_bytes,best_n,time_s,best_rival,speedup,"
                               "time_low_s,time_high_s\ncirculant,circulant,65536,";
    if (strncmp(csv, head, sizeof head - 1) != 0)
        fail_msg("the table begins with %.200s", csv);
    const char *bound = strstr(csv, "\nbound,bound,1048576,0,");
    assert_non_null(bound);
    assert_non_null(strstr(bound, ",,,,\n"));
    int lines = 0;
    for (const char *c = csv; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 4 * 2);
    free(csv);
}

static void bad_directories_are_named(void **state)
{
    (void)state;
    char directory[600];
    struct sup_error error;
    int64_t made;
    struct plot_request request = request_of(strcpy(directory, path_of("no/such")));
    assert_int_equal(plot_draw(&request, &made, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "there is no directory"));
    request.directory = results;
    assert_int_equal(plot_draw(&request, &made, &error), RB_EINVAL);
    assert_non_null(strstr(error.text, "is a file"));
}

/* Dark green and red are the same to an eye without red or green receptors. */
static void colours_are_compared_for_all_eyes(void **state)
{
    static const unsigned alike[] = {0x0000ff, 0x004000, 0xa00000}, apart[] = {0x0072b2, 0xe69f00};
    size_t first = 0, second = 0;
    (void)state;
    assert_true(plot_nearest_colours(alike, 3, &first, &second) < 1);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    assert_true(plot_nearest_colours(apart, 2, &first, &second) > PLOT_COLOURS_APART);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_made),
        cmocka_unit_test(few_figures_differ_in_what_they_say),
        cmocka_unit_test(scripts_make_the_same_picture),
        cmocka_unit_test(data_say_what_made_them),
        cmocka_unit_test(names_tell_settings_apart),
        cmocka_unit_test(no_empty_figures),
        cmocka_unit_test(the_bound_is_drawn),
        cmocka_unit_test(kinds_that_need_more_are_skipped),
        cmocka_unit_test(relative_times_are_by_the_fastest),
        cmocka_unit_test(platforms_are_beside_each_other),
        cmocka_unit_test(gnuplot_missing_or_failing_is_said),
        cmocka_unit_test(without_gnuplot_data_and_scripts_are_left),
        cmocka_unit_test(tables_are_tidy),
        cmocka_unit_test(bad_directories_are_named),
        cmocka_unit_test(colours_are_compared_for_all_eyes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
