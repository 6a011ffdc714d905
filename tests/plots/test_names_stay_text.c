/* hostile_names: a foreign results database or name cannot run commands: every kind of figure shows
 * its texts literally, and so does the figure's script when it runs again. */
#define _DEFAULT_SOURCE /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/error.h"
#include "tests/experiments/made_results.h"

/* For each way in which gnuplot, or a shell, might take a text for something to do. */
static const char *const attacks[] = {
    "`touch PWN`",
    "'; system('touch PWN'); x='",
    "\"; system(\"touch PWN\"); x=\"",
    "!touch PWN @label1 ' @label2",
    "'''.system('touch PWN').'''",
    "|touch PWN;",
    "<touch PWN;",
    "$(touch PWN)",
    "\\\"; !touch PWN #",
    "caf\303\251 %s %d _^{}&~ <b> \\140",
    "#1 $2 @3 `4 \"5 '6 #777",
};
enum { ATTACKS = sizeof attacks / sizeof attacks[0] };

static char *place;

static int set_up(void **state)
{
    (void)state;
    place = make_place();
    return chdir(place);
}

static int tear_down(void **state)
{
    (void)state;
    remove_place(place);
    return 0;
}

static const char *attack(size_t i)
{
    return attacks[i % ATTACKS];
}

/* The first attack names the algorithm in focus, and the following ones all else. */
static void add_on(struct results *results, size_t first, int platform, const char *collective,
                   const char *algorithm, int32_t p, int64_t n, int64_t m_bytes, int32_t radix,
                   bool regular)
{
    char long_platform[64];
    snprintf(long_platform, sizeof long_platform, "%s%.*s", attack(first + 1), platform, "23");
    char hash[17];
    snprintf(hash, sizeof hash, "%.16s", attack(first + 2));
    const struct point point = {
        .plan = {.collective = collective,
                 .algorithm = algorithm,
                 .p = p,
                 .n = n,
                 .ports = 1,
                 .radix = radix,
                 .instance = attack(first + 4)},
        .m_bytes = m_bytes,
        .element_bytes = 4,
        .counts = regular ? "regular" : attack(first + 3),
        .platform_text = long_platform,
        .platform_hash = hash,
        .ppn = 1,
        .placement = attack(first + 5),
        .overlap = attack(first + 6),
        .engine_text = attack(first + 7),
        .engine_options = attack(first + 8),
    };
    const struct point_outcome outcome = {
        .done = true,
        .time_s = (double)(n + p) * (2e-6 + 1e-10 * (double)m_bytes / (double)n) * (1 + radix) /
                  (1 + 0.1 * (double)strlen(algorithm)),
        .alpha_s = 2e-6,
        .beta_s_per_byte = 1e-10,
        .closed_form_s = NAN,
    };
    struct sup_error error;
    if (results_record(results, &point, &outcome, &error) != RB_OK)
        fail_msg("%s", error.text);
}

static void add(struct results *results, size_t first, const char *collective,
                const char *algorithm, int32_t p, int64_t n, int64_t m_bytes, int32_t radix,
                bool regular)
{
    add_on(results, first, 0, collective, algorithm, p, n, m_bytes, radix, regular);
}

/* Enough for a figure of each kind: lines against n, m and p, two kinds of counts, three radices,
 * three platforms. */
static void make_hostile(size_t first)
{
    static const int32_t p[] = {16, 33};
    static const int64_t m[] = {65536, 1048576}, n[] = {1, 4, 16};
    struct results *results;
    struct sup_error error;
    if (results_create("hostile.sqlite", &results, &error) != RB_OK)
        fail_msg("%s", error.text);
    sqlite3_exec(results_database(results), "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            add(results, first, "bcast", attack(first), p[i / 2], n[k], m[i % 2], 0, true);
            if (i > 1)
                add(results, first, "alltoall", attack(first), 33, 1, m[i % 2], 2 + k, true);
        }
        add(results, first, "bcast", attack(first + 9), p[i / 2], 1, m[i % 2], 0, true);
        add(results, first, attack(first + 1), attack(first), 16, 1, m[i % 2], 0, true);
        for (int other = 1; other < 3; other++)
            add_on(results, first, other, "bcast", attack(first), 33, 1, m[i % 2], 0, true);
        for (int regular = 0; regular < 2; regular++)
            add(results, first, "allgather", attack(first), 16, 1, m[i % 2], 0, regular == 1);
    }
    results_close(results);
}

static void no_harm_done(const char *when)
{
    char command[600];
    snprintf(command, sizeof command, "! find '%s' -name 'PWN*' | grep .", place);
    if (system(command) != 0)
        fail_msg("a name ran a command %s", when);
}

/* The picture of the algorithm in focus has its name in the key: as it is, but for XML's own
 * letters and what can't be shown. */
static void expect_shown(const char *name)
{
    char shown[200], escaped[600] = "", command[1200];
    size_t used = 0;
    for (const char *c = sup_visible(name, shown, sizeof shown); *c != '\0'; c++) {
        const char *as = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : NULL;
        if (as != NULL)
            used += (size_t)snprintf(escaped + used, sizeof escaped - used, "%s", as);
        else
            used += (size_t)snprintf(escaped + used, sizeof escaped - used, "%c", *c);
    }
    FILE *file = fopen("wanted", "w");
    fprintf(file, "<text>%s</text>\n", escaped);
    fclose(file);
    snprintf(command, sizeof command, "cat made/bcast-time-m-*.svg | grep -qFf wanted");
    if (system(command) != 0)
        fail_msg("no picture shows %s", escaped);
}

/* The kind `ratio`, of this file and a copy whose name is hostile, too. */
static void draw_two(const struct plot_request *one)
{
    static const char *const files[] = {"hostile.sqlite", "`touch PWN` $(touch PWN) '\".sqlite"};
    struct plot_request two = *one;
    struct sup_error error;
    int64_t made = 0;
    assert_int_equal(system("cp hostile.sqlite '`touch PWN` $(touch PWN) '\\''\".sqlite'"), 0);
    two.files = files;
    two.file_count = 2;
    two.kinds = plot_all_kinds() & ~one->kinds;
    if (plot_draw(&two, &made, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(remove(files[1]), 0);
}

static void draw(size_t first)
{
    struct sup_error error;
    int64_t made = 0;
    int32_t ratio = 0;
    while (plot_kind_at(ratio) != &plot_ratio)
        ratio++;
    make_hostile(first);
    const struct plot_request request = {.results = "hostile.sqlite",
                                         .directory = "made",
                                         .focus = attack(first),
                                         .kinds = plot_all_kinds() & ~(1u << ratio),
                                         .pictures = 1u << PLOT_SVG,
                                         .all_bytes = true};
    if (plot_draw(&request, &made, &error) != RB_OK)
        fail_msg("%s", error.text);
    draw_two(&request);
    no_harm_done("while it was drawn");
    expect_shown(attack(first));
    for (int kind = 0; plot_kind_at(kind) != NULL; kind++) {
        char command[200];
        snprintf(command, sizeof command, "ls made/*-%s-*.svg > kinds", plot_kind_at(kind)->name);
        if (system(command) != 0)
            fail_msg("no figure of the kind %s", plot_kind_at(kind)->name);
    }
    assert_int_equal(system("cd made && for script in *.gp; do gnuplot -d ./\"$script\" || exit 1; "
                            "done && ! ls -A | grep -v '^[a-z_.].*[.]\\(dat\\|gp\\|svg\\)$'"),
                     0);
    no_harm_done("when the script was run again");
    assert_int_equal(system("rm -r made hostile.sqlite*"), 0);
}

static void databases_run_nothing(void **state)
{
    (void)state;
    for (size_t first = 0; first < ATTACKS; first += 3)
        draw(first);
}

/* What plot_gnuplot_text writes is, to gnuplot, the text: all bytes but the one that ends it. */
static void texts_are_exact(void **state)
{
    (void)state;
    char text[512];
    size_t used = 0;
    for (int c = 1; c < 256; c++)
        text[used++] = (char)c;
    for (size_t i = 0; i < ATTACKS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", attacks[i]);
    FILE *script = fopen("exact.gp", "w");
    plot_gnuplot_text(script, "text", text);
    fputs("set print 'exact.out'\nprint text\n", script);
    fclose(script);
    assert_int_equal(system("gnuplot -d exact.gp"), 0);
    char got[sizeof text + 2];
    FILE *file = fopen("exact.out", "rb");
    assert_int_equal(fread(got, 1, sizeof got, file), used + 1);
    fclose(file);
    assert_memory_equal(got, text, used);
    no_harm_done("from a text");
}

static void names_are_made_visible(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"\033[31m\007\n\177", "\\x1b[31m\\x07\\x0a\\x7f"},
        {"caf\303\251 \342\202\254 \360\237\231\202", "caf\303\251 \342\202\254 \360\237\231\202"},
        {"caf\351", "caf\\xe9"},                               /* Latin-1 */
        {"\302\233", "\\xc2\\x9b"},                            /* a control of C1 */
        {"\342\200\256txt", "\\xe2\\x80\\xaetxt"},             /* right to left from here */
        {"\300\257\355\240\200", "\\xc0\\xaf\\xed\\xa0\\x80"}, /* overlong; a surrogate */
        {"\364\220\200\200 \342\202", "\\xf4\\x90\\x80\\x80 \\xe2\\x82"},
        {"\\x1b", "\\x1b"},
    };
    char shown[100];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(sup_visible(cases[i][0], shown, sizeof shown), cases[i][1]);
    assert_string_equal(sup_visible("ab\303\251", shown, 4), "ab");
    assert_string_equal(sup_visible("ab\033", shown, 6), "ab");
    assert_string_equal(sup_visible("ab\033", shown, 7), "ab\\x1b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_visible),
        cmocka_unit_test(texts_are_exact),
        cmocka_unit_test(databases_run_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
