/* test_formulas.c - the textbook's cost formulas against simulations: all hold where they should,
 * and a formula that does not hold is reported. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/verbs.h"
#include "roundabout.h"
#include "studies/check/check.h"

static const struct sim_overlap lockstep = {.rule = SIM_LOCKSTEP};

static double slowdown = 1; /* of all simulations */

int __real_sim_run(const struct sim_engine *engine, const struct sim_spec *spec,
                   struct sim_result *result, struct sup_error *error);
int __wrap_sim_run(const struct sim_engine *engine, const struct sim_spec *spec,
                   struct sim_result *result, struct sup_error *error);

int __wrap_sim_run(const struct sim_engine *engine, const struct sim_spec *spec,
                   struct sim_result *result, struct sup_error *error)
{
    const int status = __real_sim_run(engine, spec, result, error);
    result->time_s *= slowdown;
    return status;
}

static struct check_formula_line compare(const struct check_formula *formula, int32_t p, int64_t m)
{
    struct check_formula_line line;
    struct sup_error error;
    if (check_formula_compare(formula, p, m, &lockstep, &line, &error) != RB_OK)
        fail_msg("%s %s: %s", formula->collective, formula->algorithm, error.text);
    return line;
}

/* The smallest p that is not too special: no ring of 4, which is a hypercube as well. */
static int32_t smallest_of(const struct check_formula *formula)
{
    static const int32_t ranks[] = {8, 9, 16};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        if (check_formula_applies(formula, ranks[i], 1024))
            return ranks[i];
    fail_msg("no p for %s %s", formula->collective, formula->algorithm);
    return 0;
}

static void test_all_formulas_hold(void **state)
{
    (void)state;
    bool seen[11] = {false};
    for (size_t i = 0; i < check_formula_count; i++) {
        const struct check_formula *formula = &check_formula_table[i];
        const struct check_formula_line line = compare(formula, smallest_of(formula), 1024);
        if (!line.holds)
            fail_msg("%s: %s %s on %s, q = %d: predicted %.12g s, simulated %.12g s",
                     formula->states->text, formula->collective, formula->algorithm, line.platform,
                     line.q, line.predicted_s, line.simulated_s);
        if (formula->states->number[0] == '(')
            seen[strtol(formula->states->number + 1, NULL, 10)] = true;
    }
    for (int32_t number = 1; number <= 10; number++)
        assert_true(seen[number]);
}

/* Numbers worked out by hand, with ts = 10 us and tw = 1 ns/B. */
static void test_predictions(void **state)
{
    (void)state;
    static const struct {
        const char *number, *collective, *topology;
        int32_t p;
        int64_t m;
        double us;
    } known[] = {
        {"(1)", "bcast", "ring", 16, 1000, 4 * 11},
        {"", "allgather", "ring", 9, 1000, 8 * 11},
        {"", "allgather", "mesh", 9, 1000, 40 + 8},
        {"(2)", "allgather", "hypercube", 8, 1000, 30 + 7},
        {"(4)", "alltoall", "ring", 4, 1000, 30 + 3 + 2 + 1},
        {"(5)", "alltoall", "mesh", 9, 1000, 2 * (20 + 3 * (2 + 1))},
        {"(6)", "alltoall", "hypercube", 8, 1000, 3 * (10 + 4)},
        {"(7)", "alltoall", "hypercube", 8, 1000, 7 * 11},
        {"(8)", "shift", "hypercube", 8, 1000, 5 * 11},
        {"(9)", "shift", "hypercube", 8, 1000, 11},
        {"(10)", "bcast", "hypercube", 8, 8000, 2 * (30 + 7)},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const struct check_slide slide = {known[k].p, (double)known[k].m, 0, check_formula_ts_s,
                                          check_formula_tw_s_per_byte};
        size_t i = 0;
        while (i < check_formula_count &&
               (strcmp(check_formula_table[i].states->number, known[k].number) != 0 ||
                strcmp(check_formula_table[i].collective, known[k].collective) != 0 ||
                strcmp(check_formula_table[i].topology, known[k].topology) != 0))
            i++;
        assert_true(i < check_formula_count);
        const double us = check_formula_table[i].states->time_s(&slide) * 1e6;
        if (us < known[k].us * (1 - 1e-12) || us > known[k].us * (1 + 1e-12))
            fail_msg("%s %s: %.12g us, not %.12g", known[k].number, known[k].collective, us,
                     known[k].us);
    }
}

/* Formula (2) mapped on a ring of 8: in step i, 2^i messages of 2^i m share each link. */
static double contended_s(const struct check_slide *x)
{
    return 3 * x->ts_s + (1 + 4 + 16) * x->m * x->tw_s_per_byte;
}

static void test_contention_is_noticed(void **state)
{
    (void)state;
    const struct check_formula *formula = check_formula_table;
    while (strcmp(formula->collective, "allgather") != 0 ||
           strcmp(formula->topology, "hypercube") != 0)
        formula++;
    struct check_formula on_ring = *formula;
    on_ring.topology = "ring";
    assert_false(compare(&on_ring, 8, 1024).holds);
    struct check_statement contended = *formula->states;
    contended.time_s = contended_s;
    on_ring.states = &contended;
    const struct check_formula_line line = compare(&on_ring, 8, 1024);
    if (!line.holds)
        fail_msg("predicted %.12g s, simulated %.12g s", line.predicted_s, line.simulated_s);
}

static int check_formulas(const char *output)
{
    const char *const words[] = {"formulas", "-p", "4", "-m", "1KiB", "-o", output};
    char *copy[8] = {NULL};
    for (size_t i = 0; i < 7; i++)
        copy[i] = strdup(words[i]);
    const int status = cli_verb_main(&verb_check, 7, copy);
    for (size_t i = 0; i < 7; i++)
        free(copy[i]);
    return status;
}

static bool says(const char *path, const char *text)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        found = found || strstr(line, text) != NULL;
    fclose(file);
    return found;
}

static void the_verb_fails_where_a_formula_does(void **state)
{
    (void)state;
    char path[] = "/tmp/test_formulas-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(check_formulas(path), CLI_EXIT_DONE);
    assert_false(says(path, "FAILS"));
    assert_true(says(path, " simulations agree"));
    slowdown = 1 + 1e-8;
    assert_int_equal(check_formulas(path), CLI_EXIT_FALSE);
    assert_true(says(path, "FAILS"));
    slowdown = 1;
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_formulas_hold),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_contention_is_noticed),
        cmocka_unit_test(the_verb_fails_where_a_formula_does),
    };
    return cmocka_run_group_tests_name("formulas", tests, NULL, NULL);
}
