/* test_mpi_caches_without_memory.c - what the MPI library keeps for a communicator, each allocation
 * failing once: RB_ENOMEM or the right result, nothing is leaked, and what was kept before is still
 * right. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/choice/decisions.h"
#include "mpi/choice/trial.h"
#include "mpi/library/plan_cache.h"
#include "tests/without_memory.h"

/* As many plans as the context says, each with the script of a size. */
static int keep_plans(void *context)
{
    struct lib_plan_cache cache;
    int status = RB_OK;
    lib_plan_cache_init(&cache, 9, 5);
    for (int64_t n = 1; status == RB_OK && n <= *(const int *)context; n++) {
        const struct lib_plan_key key = {.algorithm = rb_algorithm_find("bcast", "circulant"),
                                         .plan = {.n = n % 20 + 1, .root = (int32_t)(n % 2)}};
        const struct rb_layout layout = {.bytes = 64, .element = 1};
        const struct exec_rows rows[RB_BUFFERS] = {{0}};
        struct lib_cached_plan *found;
        status = lib_plan_cache_get(&cache, &key, &found);
        if (status == RB_OK && (rb_plan_n(found->plan) != key.plan.n || found->state.rank != 5))
            status = RB_EWRONG;
        if (status == RB_OK)
            exec_script_make(&found->script, found->plan, &found->state, &layout, rows);
    }
    lib_plan_cache_free(&cache);
    return status;
}

static int keep_trials(void *context)
{
    struct choice_trials trials = {0};
    int status = RB_OK;
    (void)context;
    for (int16_t i = 0; status == RB_OK && i < 100; i++) {
        const struct choice_trial_key key = {.collective = i % 5, .size_class = i};
        struct choice_trial *made;
        status = choice_trials_make(&trials, &key, 3, &made);
        for (int16_t k = 0; k < i; k++) /* those before it */
            if (choice_trials_find(&trials, &(struct choice_trial_key){.collective = k % 5,
                                                                       .size_class = k}) == NULL)
                status = RB_EWRONG;
    }
    choice_trials_free(&trials);
    return status;
}

static int keep_decisions(void *context)
{
    struct choice_decisions *decisions, *more = NULL;
    struct choice_decision_row row = {0};
    const struct choice_situation situation = {.collective = "bcast", .p = 8};
    struct sup_error error;
    FILE *file = fmemopen(context, strlen(context), "r");
    int status = choice_decisions_read(file, "text", &decisions, &error);
    rewind(file);
    if (status == RB_OK)
        status = choice_decisions_read(file, "text", &more, &error);
    if (status == RB_OK)
        status = choice_decisions_append(decisions, more);
    if (status == RB_OK)
        status = choice_decision_row_make(decisions, &situation, &row);
    if (status == RB_OK &&
        (choice_decision_row_find(&row, 3) == NULL || choice_decision_row_find(&row, 3000) != NULL))
        status = RB_EWRONG;
    choice_decision_row_free(&row);
    choice_decisions_free(more);
    choice_decisions_free(decisions);
    fclose(file);
    return status;
}

static void what_is_kept_without_memory(void **state)
{
    (void)state;
    char text[2000] = CHOICE_DECISIONS_HEADER "\n";
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "bcast 8 %d..%d circulant:n=%d\n",
                 100 * i, 100 * i + 99, i + 1);
    int few = 2, beyond_room = LIB_CACHED_PLANS + 2;
    assert_int_equal(keep_plans(&few), RB_OK);
    assert_int_equal(keep_plans(&beyond_room), RB_OK);
    assert_int_equal(keep_trials(NULL), RB_OK);
    assert_int_equal(keep_decisions(text), RB_OK);
    try_failures(keep_plans, &few, "plans and scripts");
    try_failures(keep_plans, &beyond_room, "more plans than there is room for");
    try_failures(keep_trials, NULL, "trials");
    try_failures(keep_decisions, text, "decisions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_kept_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
