/* test_parameters.c - the table of a point's parameters: every row is complete, its values are set
 * and compared, a verb's table takes rows from it, and the documents mention all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/point/parameters.h"
#include "roundabout.h"

static void set(struct rb_point *point, const struct point_parameter *parameter, bool more)
{
    if (parameter->type == POINT_TEXT)
        point_set_text(point, parameter, more ? "b" : "a");
    else
        point_set_number(point, parameter, more);
}

static void every_parameter_is_set_and_tells_points_apart(void **state)
{
    (void)state;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        struct rb_point a = {0}, b = {0};
        for (int k = 0; k < POINT_PARAMETERS; k++) {
            set(&a, &point_parameters[k], false);
            set(&b, &point_parameters[k], k == i);
        }
        if (rb_point_compare(&a, &a) != 0 || rb_point_compare(&a, &b) >= 0 ||
            rb_point_compare(&b, &a) <= 0)
            fail_msg("parameter %d shares its place with another, or doesn't count", i);
    }
}

/* A setting of `tune` and what varies within it are a row's identity. */
static void settings_have_each_parameter_once(void **state)
{
    (void)state;
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int settings = point_setting(parameters);
    int columns = 0, varying = 0;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        columns += point_parameters[i].column != NULL;
        varying += point_parameters[i].varies;
    }
    for (int i = 0; i < settings; i++)
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(parameters[i], parameters[k]);
    assert_int_equal(columns, varying + settings);
}

static bool has_option(bool (*more)(int32_t, struct rb_option *), const char *name)
{
    struct rb_option option;
    for (int32_t i = 0; more(i, &option); i++)
        if (strcmp(option.name, name) == 0)
            return true;
    return false;
}

static void a_table_takes_rows_from_another(void **state)
{
    (void)state;
    static const struct rb_option options[] = {
        {POINT_LIKE(PPN), .fallback = "4"},
        {.name = "radix", .type = RB_OPT_TEXT, .value = "LIST", .help = "in words of its own"},
        {.more = point_plan_option},
        {.name = "last", .type = RB_OPT_FLAG, .help = "the last one"},
        RB_OPTION_END,
    };
    const struct rb_verb verb = {.name = "verb", .options = options};
    struct rb_option option;
    assert_true(rb_verb_option(&verb, 0, &option));
    assert_string_equal(option.name, "ppn");
    assert_string_equal(option.fallback, "4");
    assert_string_equal(option.help, point_parameters[POINT_PPN].option.help);
    assert_int_equal(option.type, RB_OPT_INT);
    assert_int_equal(option.most, RB_MAX_RANKS);
    int32_t count = 1, radices = 0;
    for (; rb_verb_option(&verb, count, &option); count++)
        radices += strcmp(option.name, "radix") == 0;
    assert_int_equal(radices, 1);
    assert_true(rb_verb_option(&verb, count - 1, &option));
    assert_string_equal(option.name, "last");
    assert_true(has_option(point_plan_option, "radix"));
    assert_false(has_option(point_plan_option, "ranks"));
    assert_true(has_option(point_filter_option, "ranks"));
    assert_false(has_option(point_filter_option, "root"));
}

/* A plan's spec makes the same plan again: each member is that of the plan. */
static void a_plan_yields_its_spec(void **state)
{
    (void)state;
    static const struct rb_plan_spec specs[] = {
        {.collective = "alltoall", .algorithm = "bruck", .p = 9, .n = 2, .ports = 2, .radix = 3},
        {.collective = "reduce", .algorithm = "chain", .p = 5, .n = 7, .ports = 1, .ordered = true},
        {.collective = "bcast", .algorithm = "binomial", .p = 6, .root = 4, .n = 1, .ports = 1},
        {.collective = "shift",
         .algorithm = "ring",
         .p = 7,
         .n = 1,
         .ports = 1,
         .instance = "q=5"}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct rb_plan *plan;
        assert_int_equal(rb_plan_create(&specs[i], &plan, NULL, 0), RB_OK);
        const struct rb_point asked = {.plan = specs[i]}, got = {.plan = rb_plan_spec_of(plan)};
        for (int k = 0; k < POINT_PARAMETERS; k++)
            if (point_compare(&asked, &got, &point_parameters[k]) != 0)
                fail_msg("spec %zu: parameter %d isn't that of the plan", i, k);
        rb_plan_destroy(plan);
    }
}

/* What simulate refuses with an engine's own algorithm. */
static void a_native_algorithm_lacks_what_is_of_a_plan(void **state)
{
    (void)state;
    char text[256];
    assert_string_equal(point_format_planned(text, sizeof text),
                        "--blocks, --ports, --radix, --instance or --ordered");
}

/* ---- Documents ------------------------------------------------------------------------------- */

static char *read_page(const char *name)
{
    enum { SIZE = 1 << 18 };
    char path[600];
    snprintf(path, sizeof path, "%s/docs/%s", RB_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SIZE);
    if (file == NULL || text == NULL)
        fail_msg("%s can't be read", path);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    fclose(file);
    return text;
}

static void expect_in(const char *page, const char *format, const char *name)
{
    char *text = read_page(page), wanted[80];
    snprintf(wanted, sizeof wanted, format, name);
    if (name != NULL && strstr(text, wanted) == NULL)
        fail_msg("docs/%s says nothing about %s", page, wanted);
    free(text);
}

static void documents_mention_every_parameter(void **state)
{
    (void)state;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        expect_in("results.md", "`%s`", parameter->column);
        expect_in("command-line.md", "--%s", parameter->option.name);
        expect_in("sweep.md", "`%s`", parameter->key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_set_and_tells_points_apart),
        cmocka_unit_test(settings_have_each_parameter_once),
        cmocka_unit_test(a_table_takes_rows_from_another),
        cmocka_unit_test(a_plan_yields_its_spec),
        cmocka_unit_test(a_native_algorithm_lacks_what_is_of_a_plan),
        cmocka_unit_test(documents_mention_every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
