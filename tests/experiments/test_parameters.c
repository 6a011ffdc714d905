/* test_parameters.c - the table of a point's parameters: every row is complete, its values are set
 * and compared, a verb's table takes rows from it, and docs/formats.md has the table. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <inttypes.h>
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

static void set(struct point *point, const struct point_parameter *parameter, bool more)
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
        struct point a = {0}, b = {0};
        for (int k = 0; k < POINT_PARAMETERS; k++) {
            set(&a, &point_parameters[k], false);
            set(&b, &point_parameters[k], k == i);
        }
        if (point_order(&a, &a) != 0 || point_order(&a, &b) >= 0 || point_order(&b, &a) <= 0)
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

static bool has_option(bool (*more)(int32_t, struct cli_option *), const char *name)
{
    struct cli_option option;
    for (int32_t i = 0; more(i, &option); i++)
        if (strcmp(option.name, name) == 0)
            return true;
    return false;
}

static void a_table_takes_rows_from_another(void **state)
{
    (void)state;
    static const struct cli_option options[] = {
        {POINT_LIKE(PPN), .fallback = "4"},
        {.name = "radix", .type = CLI_OPT_TEXT, .value = "LIST", .help = "in words of its own"},
        {.more = point_plan_option},
        {.name = "last", .type = CLI_OPT_FLAG, .help = "the last one"},
        CLI_OPTION_END,
    };
    const struct cli_verb verb = {.name = "verb", .options = options};
    struct cli_option option;
    assert_true(cli_verb_option(&verb, 0, &option));
    assert_string_equal(option.name, "ppn");
    assert_string_equal(option.fallback, "4");
    assert_string_equal(option.help, point_parameters[POINT_PPN].option.help);
    assert_int_equal(option.type, CLI_OPT_INT);
    assert_int_equal(option.most, RB_MAX_RANKS);
    int32_t count = 1, radices = 0;
    for (; cli_verb_option(&verb, count, &option); count++)
        radices += strcmp(option.name, "radix") == 0;
    assert_int_equal(radices, 1);
    assert_true(cli_verb_option(&verb, count - 1, &option));
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
        {.collective = "bcast",
         .algorithm = "hosts",
         .p = 9,
         .n = 2,
         .ports = 1,
         .radix = 2,
         .groups = "3"},
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
        const struct point asked = {.plan = specs[i]}, got = {.plan = rb_plan_spec_of(plan)};
        for (int k = 0; k < POINT_PARAMETERS; k++)
            if (point_compare(&asked, &got, &point_parameters[k]) != 0)
                fail_msg("spec %zu: parameter %d isn't that of the plan", i, k);
        assert_string_equal(got.plan.groups, specs[i].groups == NULL ? "" : specs[i].groups);
        rb_plan_destroy(plan);
    }
}

/* What a point's names stand for; a native algorithm, and names that nothing has, for nothing. */
static void names_are_resolved_once(void **state)
{
    (void)state;
    struct point point = {.plan = {.collective = "alltoall", .algorithm = "bruck"}};
    point_resolve(&point);
    assert_ptr_equal(point.collective, rb_collective_find("alltoall"));
    assert_ptr_equal(point.algorithm, rb_algorithm_find("alltoall", "bruck"));
    point.plan.algorithm = "native:bruck";
    point_resolve(&point);
    assert_non_null(point.collective);
    assert_null(point.algorithm);
    point.plan.collective = "no such";
    point_resolve(&point);
    assert_null(point.collective);
    point.plan = (struct rb_plan_spec){0};
    point_resolve(&point);
    assert_null(point.collective);
}

/* ---- Documents ------------------------------------------------------------------------------- */

static const char table_head[] =
    "\n| column | option | values | default | key | filter | meaning |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n";

/* "`before name`" as a cell, or a dash. */
static void print_cell(FILE *page, const char *before, const char *name, const char *value)
{
    if (name == NULL)
        fputs(" - |", page);
    else
        fprintf(page, " `%s%s%s%s` |", before, name, value == NULL ? "" : " ",
                value == NULL ? "" : value);
}

static void print_values(FILE *page, const struct cli_option *option)
{
    if (option->name == NULL)
        fputs(" - |", page);
    else if (option->type == CLI_OPT_FLAG)
        fputs(" yes or no |", page);
    else if (option->type == CLI_OPT_BYTES)
        fputs(" bytes |", page);
    else if (option->type != CLI_OPT_INT)
        fputs(" text |", page);
    else if (option->most == INT64_MAX)
        fprintf(page, " from %" PRId64 " |", option->least);
    else
        fprintf(page, " %" PRId64 " to %" PRId64 " |", option->least, option->most);
}

static void print_table(FILE *page)
{
    fputs(table_head, page);
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const struct cli_option *option = &parameter->option;
        fputc('|', page);
        print_cell(page, "", parameter->column, NULL);
        print_cell(page, "--", option->name, option->value);
        print_values(page, option);
        print_cell(page, "", option->fallback, NULL);
        print_cell(page, "", parameter->key, NULL);
        fprintf(page, " %s | %s |\n", parameter->filter.help != NULL ? "yes" : "-",
                option->help != NULL ? option->help : parameter->filter.help);
    }
    fputc('\n', page);
}

static char *read_page(const char *name)
{
    enum { SIZE = 1 << 18 };
    char path[600];
    snprintf(path, sizeof path, "%s/docs/%s", ROUNDABOUT_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SIZE);
    if (file == NULL || text == NULL)
        fail_msg("%s can't be read", path);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    fclose(file);
    return text;
}

static void the_page_has_the_table(void **state)
{
    (void)state;
    char *page = read_page("formats.md"), *table;
    size_t size;
    FILE *stream = open_memstream(&table, &size);
    assert_non_null(stream);
    print_table(stream);
    fclose(stream);
    if (strstr(page, table) == NULL)
        fail_msg(
            "docs/formats.md has not the table of parameters that test_parameters --print prints");
    free(table);
    free(page);
}

/* The value's last line in the page that begins with `name`, or NULL. */
static void expect_fact(const char *page, const char *text, const char *name, const char *fact)
{
    char line[80];
    snprintf(line, sizeof line, "\n| `%s`", name);
    const char *row = strstr(text, line);
    if (row == NULL)
        return; /* this page leaves it to docs/formats.md */
    const char *end = strchr(row + 1, '\n');
    const char *found = strstr(row, fact);
    if (found == NULL || (end != NULL && found > end))
        fail_msg("docs/%s doesn't say %s of %s", page, fact, name);
}

/* Where a table in words has a parameter, it has its default, or what its value is called. */
static void tables_in_words_agree(void **state)
{
    (void)state;
    char *text = read_page("sweep.md");
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        if (parameter->key != NULL && parameter->option.fallback != NULL)
            expect_fact("sweep.md", text, parameter->key, parameter->option.fallback);
    }
    free(text);
    text = read_page("command-line.md");
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct cli_option *option = &point_parameters[i].option;
        char name[64], full[80];
        if (option->name == NULL || option->value == NULL)
            continue;
        snprintf(name, sizeof name, "`--%s", option->name);
        snprintf(full, sizeof full, "%s %s`", name, option->value);
        if (strstr(text, name) != NULL && strstr(text, full) == NULL)
            fail_msg("docs/command-line.md has %s`, which the program calls %s", name, full);
    }
    free(text);
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        print_table(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_set_and_tells_points_apart),
        cmocka_unit_test(settings_have_each_parameter_once),
        cmocka_unit_test(a_table_takes_rows_from_another),
        cmocka_unit_test(a_plan_yields_its_spec),
        cmocka_unit_test(names_are_resolved_once),
        cmocka_unit_test(the_page_has_the_table),
        cmocka_unit_test(tables_in_words_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
