/* Table 3 of Desprez et al. 1998: computed rows against the printed ones. The rows for which the
 * search for few cuts takes long are left to `roundabout check table-3`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roundabout.h"
#include "studies/check/check.h"

static struct check_table_3_line computed(int row)
{
    struct check_table_3_line line;
    struct sup_error error;
    if (check_table_3_compute(&check_table_3[row], &line, &error) != RB_OK)
        fail_msg("row %d: %s", row + 1, error.text);
    return line;
}

/* L and T_opt as printed, but for L of the seventh row; T_opt is reached, and no cut needed; greedy
 * is no longer than the paper's heuristic. */
static void rows_are_as_printed(void **state)
{
    (void)state;
    static const int quick[] = {0, 3, 4, 6, 7, 8};
    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++) {
        const struct check_table_3_line line = computed(quick[i]);
        const struct check_table_3_print *print = line.print;
        assert_int_equal(line.L, quick[i] == 6 ? 2880 : print->L);
        assert_int_equal(line.t_opt, print->t_opt);
        assert_int_equal(line.length, print->t_opt);
        assert_int_equal(line.cuts, 0);
        assert_true(line.greedy_0 <= print->t_algo && line.greedy <= line.greedy_0);
        assert_true(line.greedy <= print->t_ech || print->t_ech == 0);
        assert_true(line.greedy >= print->t_opt);
    }
}

/* Example 1, with a wrong print. */
static void what_is_printed_is_not_taken_over(void **state)
{
    (void)state;
    const struct check_table_3_print print = {.P = 6, .r = 2, .Q = 6, .s = 3, .L = 35, .t_opt = 9};
    struct check_table_3_line line;
    struct sup_error error;
    assert_int_equal(check_table_3_compute(&print, &line, &error), RB_OK);
    assert_int_equal(line.L, 36);
    assert_int_equal(line.t_opt, 6);
    assert_int_equal(line.length, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_printed),
        cmocka_unit_test(what_is_printed_is_not_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
