/* test_verify_verb.c - the verb verify with wrong plans. All plans are right, so the verifier is
 * replaced (ld --wrap) by one that reports the faults that the test chooses. */
#define _POSIX_C_SOURCE 200809L /* fileno, dup2, mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/verbs.h"
#include "roundabout.h"
#include "studies/verification/verify.h"

static int32_t wrong_from_p; /* everything with at least so many ranks is reported as wrong */
static long pause_ns;        /* that finding takes */
static int64_t below_bound;  /* the rounds that plans take less than the lower bound */
static bool whole_tables;    /* the true verifier looks at schedules */

int __wrap_rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
int __wrap_rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict);
int __wrap_rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct rb_verdict *verdict);

static int find(int32_t p, struct rb_verdict *verdict)
{
    *verdict = (struct rb_verdict){.rounds = 1};
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    if (p < wrong_from_p)
        return RB_OK;
    snprintf(verdict->what, sizeof verdict->what, "block 7 went astray");
    return RB_EWRONG;
}

int __real_rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
int __wrap_rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict)
{
    if (whole_tables)
        return __real_rb_verify_schedule(p, room, verdict);
    return find(p, verdict);
}

/* Only the last rank of a p is ever wrong. */
int __wrap_rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict)
{
    return r == p - 1 ? find(p, verdict) : RB_OK;
}

/* What the plans that were verified have; roots of p = 37, radices of p = 61. */
static struct {
    bool of_n[1024], off_roots[64], on_ports[8], of_radix[64], irregular;
    int64_t plans;
    int32_t most_p;
} seen;

int __wrap_rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout,
                          struct rb_verdict *verdict)
{
    const int32_t p = rb_plan_ranks(plan), root = rb_plan_root(plan), radix = rb_plan_radix(plan);
    seen.plans++;
    seen.most_p = p > seen.most_p ? p : seen.most_p;
    seen.of_n[rb_plan_n(plan) % 1024] = true;
    seen.on_ports[rb_plan_ports(plan) % 8] = true;
    if (p == 37)
        seen.off_roots[root] = true;
    if (p == 61 && radix < 64)
        seen.of_radix[radix] = true;
    seen.irregular = seen.irregular || (layout != NULL && layout->first != NULL);
    const int status = find(p, verdict);
    verdict->rounds = rb_bound_rounds(plan) - below_bound;
    verdict->moves = rb_bound_moves(plan);
    verdict->critical_volume = rb_bound_critical_volume(plan, verdict->rounds);
    return status;
}

/* Runs the verb; its standard error is in errors. */
static char errors[8192];

static int verify(int argc, char *argv[])
{
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
    char *line[16] = {"--details"};
    assert_true(argc < 15);
    memcpy(line + 1, argv, (size_t)argc * sizeof *argv);
    int status = cli_verb_main(&verb_verify, argc + 1, line);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(capture);
    errors[fread(errors, 1, sizeof errors - 1, capture)] = '\0';
    fclose(capture);
    return status;
}

static void a_wrong_schedule_is_named_with_its_command(void **state)
{
    char *jobs[] = {"--schedules", "-p", "1..40", "--jobs", "1"};
    (void)state;
    wrong_from_p = 33;
    assert_int_equal(verify(5, jobs), CLI_EXIT_FALSE);
    assert_non_null(strstr(errors, "wrong: schedules for p = 33: block 7 went astray\n"));
    assert_non_null(strstr(errors, "repeat it: roundabout verify --schedules -p 33\n"));
    assert_null(strstr(errors, "p = 34")); /* it stops at the first */
}

static void several_workers_name_a_wrong_schedule_too(void **state)
{
    char *jobs[] = {"--schedules", "-p", "33..40", "--jobs", "3"};
    (void)state;
    wrong_from_p = 33;
    assert_int_equal(verify(5, jobs), CLI_EXIT_FALSE);
    assert_non_null(strstr(errors, "block 7 went astray"));
}

static void a_wrong_rank_of_a_sample_is_named_with_its_command(void **state)
{
    char *line[] = {"--schedules", "-p", "1073741823,1073741824", "--sample", "5"};
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    assert_int_equal(verify(5, line), CLI_EXIT_FALSE);
    assert_non_null(strstr(errors, "wrong: schedules for p = 1073741824: block 7 went astray\n"));
    assert_non_null(
        strstr(errors, "repeat it: roundabout verify --schedules --sample 5 -p 1073741824\n"));
    assert_null(strstr(errors, "p = 1073741823"));
}

static void wrong_plans_are_counted_and_the_first_shown(void **state)
{
    char *line[] = {"--algorithm", "chain", "-p", "5..8", "-n", "2,3", "--root", "0,last"};
    (void)state;
    wrong_from_p = 7;
    for (int again = 0; again < 5; again++) { /* whichever worker comes first */
        assert_int_equal(verify(8, line), CLI_EXIT_FALSE);
        assert_non_null(
            strstr(errors, "wrong: bcast chain, p = 7, n = 2, root 0: block 7 went astray\n"));
        assert_non_null(strstr(errors, "repeat it: roundabout verify --collective bcast "
                                       "--algorithm chain -p 7 -n 3 --root 6 --ports 1\n"));
        assert_non_null(strstr(errors, "and 3 more\n")); /* of 8 */
    }
}

static void right_ones_are_silent(void **state)
{
    char *line[] = {"-p", "5..8"};
    (void)state;
    wrong_from_p = 9;
    assert_int_equal(verify(2, line), CLI_EXIT_DONE);
    assert_string_equal(errors, "");
}

/* A plan that takes fewer rounds than any can: it or the bound is wrong. */
static void plans_below_a_bound_are_wrong(void **state)
{
    char *line[] = {"--algorithm", "chain", "-p", "8", "-n", "2"};
    (void)state;
    wrong_from_p = 9;
    below_bound = 1;
    const int status = verify(6, line);
    below_bound = 0;
    assert_int_equal(status, CLI_EXIT_FALSE);
    assert_non_null(
        strstr(errors, "3 rounds are fewer than the lower bound of any such plan, 4\n"));
}

/* ---- The level thorough ---------------------------------------------------------------------- */

/* The verb does its work in other processes, so that `seen` would be theirs: it is done here. */
static size_t here_next, here_count;

bool __real_sup_pool_next(struct sup_pool_worker *worker, size_t *i);
bool __wrap_sup_pool_next(struct sup_pool_worker *worker, size_t *i);
bool __wrap_sup_pool_next(struct sup_pool_worker *worker, size_t *i)
{
    if (worker != NULL)
        return __real_sup_pool_next(worker, i);
    *i = here_next++;
    return *i < here_count;
}

static void run_thorough(const char *collective, const char *algorithm, int32_t p)
{
    struct sup_list ranks = {(int64_t[]){p}, 1};
    struct verify_job *job = calloc(1, sizeof *job);
    struct verify_record *record = calloc(1, sizeof *record);
    assert_non_null(job);
    assert_non_null(record);
    job->thorough = true;
    job->seed = 1;
    job->ranks = &ranks;
    job->algorithms[job->algorithm_count++] = rb_algorithm_find(collective, algorithm);
    verify_cells_make(job, p == 0);
    memset(&seen, 0, sizeof seen);
    here_count = job->cells.count;
    here_next = 0;
    verify_thorough(job, NULL, record);
    assert_int_equal(record->status, RB_OK);
    assert_int_equal(record->tallies[0].plans, seen.plans);
    verify_cells_free(&job->cells);
    free(record);
    free(job);
}

static void thorough_takes_all_roots(void **state)
{
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    run_thorough("reduce", "ring", 37);
    for (int32_t root = 0; root < 37; root++)
        assert_true(seen.off_roots[root]);
}

static void thorough_takes_many_blocks(void **state)
{
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    run_thorough("bcast", "chain", 16);
    assert_true(seen.of_n[1] && seen.of_n[33] && seen.of_n[65] && seen.of_n[1000]);
}

static void thorough_takes_all_radices_and_ports(void **state)
{
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    run_thorough("alltoall", "bruck", 61);
    for (int32_t radix = 2; radix <= 61; radix++)
        assert_true(seen.of_radix[radix]);
    assert_true(seen.on_ports[1] && seen.on_ports[2] && seen.on_ports[3] && seen.on_ports[4]);
    assert_true(seen.irregular);
    run_thorough("alltoall", "hypercube", 16); /* a one-port algorithm is not asked in vain */
    assert_true(seen.plans > 0 && !seen.on_ports[2]);
}

static void thorough_takes_large_p_and_leaves_out_too_large_ones(void **state)
{
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    run_thorough("scan", "dissemination", 0);
    assert_int_equal(seen.most_p, 1025);
    run_thorough("alltoall", "pairwise", 512);
    assert_int_equal(seen.plans, 0);
}

/* Ordered plans can't be seen from outside a plan; that they are counted says that they were taken.
 */
static void thorough_takes_plans_in_rank_order(void **state)
{
    char *line[] = {"--level", "thorough", "--collective", "scan,reduce", "--algorithm", "chain",
                    "-p",      "64..66",   "--format",     "json",        "-o",          NULL};
    char path[] = "/tmp/test_verify_XXXXXX", text[8192];
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    line[11] = path;
    assert_int_equal(verify(12, line), CLI_EXIT_DONE);
    close(file);
    FILE *written = fopen(path, "r"); /* another file than the one made above, in its place */
    assert_non_null(written);
    text[fread(text, 1, sizeof text - 1, written)] = '\0';
    fclose(written);
    unlink(path);
    /* p = 64, 65, 66; n = 1, 33; scan has no root, and reduce keeps order for root 0 only */
    assert_non_null(strstr(text, "\"ordered\": 12,"));
    assert_non_null(strstr(text, "\"ordered_algorithms\": 2,"));
}

static void a_failure_of_thorough_names_a_normal_command(void **state)
{
    char *line[] = {"--level",     "thorough", "--collective", "scan",
                    "--algorithm", "chain",    "-p",           "65"};
    (void)state;
    wrong_from_p = 65;
    assert_int_equal(verify(8, line), CLI_EXIT_FALSE);
    assert_non_null(strstr(errors, "repeat it: roundabout verify --collective scan --algorithm "
                                   "chain -p 65 -n 1 --root 0 --ports 1\n"));
    assert_non_null(strstr(errors, "repeat it: roundabout verify --collective scan --algorithm "
                                   "chain -p 65 -n 33 --root 0 --ports 1 --ordered\n"));
}

/* One rank that computes something else for itself than the table says, at a p beyond 2^17. */
static int32_t wrong_rank = -1;
void __real_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void __wrap_rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[])
{
    __real_rb_circulant_send(graph, r, block);
    if (r == wrong_rank && graph->p > 1 << 17)
        block[3]--;
}

static void thorough_compares_every_rank_with_the_table(void **state)
{
    char *line[] = {"--level", "thorough", "--algorithm", "circulant", "-p", "131073"};
    (void)state;
    wrong_from_p = RB_MAX_RANKS;
    whole_tables = true;
    assert_int_equal(verify(6, line), CLI_EXIT_DONE);
    wrong_rank = 77777;
    assert_int_equal(verify(6, line), CLI_EXIT_FALSE);
    wrong_rank = -1;
    whole_tables = false;
    assert_non_null(strstr(errors, "wrong: schedules for p = 131073: what rank 77777 computes for "
                                   "itself is not what the table of all ranks says\n"));
    assert_non_null(strstr(errors, "repeat it: roundabout verify --level thorough --algorithm "
                                   "circulant -p 131073\n"));
}

/* ---- Pieces of work -------------------------------------------------------------------------- */

/* As many p in each piece as expected, and every p in one. */
static void assert_pieces(int32_t workers, const size_t expected[], size_t count)
{
    static int64_t p[] = {1, 2, 3, 4, 5, 6, 7, 20, 22, 24, 23, 90, 91, 40};
    const struct sup_list ranks = {p, sizeof p / sizeof p[0]};
    struct verify_job *job = calloc(1, sizeof *job);
    size_t next = 0;
    assert_non_null(job);
    job->what = VERIFY_WHAT_CLAIMS;
    job->ranks = &ranks;
    assert_int_equal(verify_divide(job, workers), CLI_EXIT_DONE);
    assert_int_equal(job->piece_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(job->pieces[i].first, next);
        assert_int_equal(job->pieces[i].count, expected[i]);
        next += expected[i];
    }
    assert_int_equal(next, ranks.count);
    free(job->pieces);
    free(job);
}

static void pieces_hold_every_p_once(void **state)
{
    (void)state;
    assert_pieces(2, (size_t[]){4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 11); /* of 338 / 2 / 16 ranks */
    assert_pieces(1, (size_t[]){6, 1, 1, 1, 1, 1, 1, 1, 1}, 9);        /* of 338 / 16 */
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static const struct verify_claim_tally *named(const char *name,
                                              const struct verify_claim_tally tallies[])
{
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++)
        if (strcmp(verify_claim_table[c].name, name) == 0)
            return &tallies[c];
    fail_msg("no claim %s", name);
    return NULL;
}

static void assert_case(const struct verify_claim_case *one, int32_t p, int32_t r, int32_t value,
                        int32_t bound)
{
    assert_int_equal(one->p, p);
    assert_int_equal(one->r, r);
    assert_int_equal(one->value, value);
    assert_int_equal(one->bound, bound);
}

/* Lemma 6 fails first at p = 257, r = 2, with 25 iterations where it allows 24; three violations
 * first at p = 65. Whatever the order in which p is looked at. */
static void the_first_exception_is_found_in_any_order(void **state)
{
    struct verify_claim_tally sum[VERIFY_CLAIMS] = {{0}};
    (void)state;
    for (int32_t p = 300; p >= 1; p--) {
        struct verify_claim_tally tally[VERIFY_CLAIMS] = {{0}};
        verify_claims_check(p, 0, tally);
        verify_claims_add(sum, tally);
    }
    const struct verify_claim_tally *iterations = named("iterations", sum);
    assert_int_equal(iterations->checked, 300 * 301 / 2 - 1); /* all but p = 1 */
    assert_case(&iterations->first_exception, 257, 2, 25, 24);
    assert_int_equal(named("calls", sum)->exceptions, 0);
    assert_int_equal(named("iterations_observed", sum)->exceptions, 0);
    const struct verify_claim_tally *violations = named("violations", sum);
    assert_int_equal(violations->exceptions, 0);
    assert_int_equal(violations->tightest.p, 65);
    assert_int_equal(violations->tightest.value, 3);
    assert_false(verify_claims_news(sum));
}

static void a_sample_holds_the_special_ranks(void **state)
{
    struct verify_claim_tally tally[VERIFY_CLAIMS] = {{0}};
    const int32_t p = 1 << 30;
    (void)state;
    assert_int_equal(verify_sample_rank(p, 5, 0), 0);
    assert_int_equal(verify_sample_rank(p, 5, 1), 1);
    assert_int_equal(verify_sample_rank(p, 5, 2), p - 1);
    for (int32_t i = 3; i < 8; i++) { /* a larger sample holds the smaller */
        assert_in_range(verify_sample_rank(p, 5, i), 0, p - 1);
        assert_int_equal(verify_sample_rank(p, 5, i), verify_sample_rank(p, 9, i));
        assert_int_not_equal(verify_sample_rank(p, 5, i), verify_sample_rank(p, 5, i - 1));
    }
    assert_int_equal(verify_sample_size(8, 4), 7);
    assert_int_equal(verify_sample_size(7, 4), 7); /* these are all */
    assert_int_equal(verify_sample_size(6, 4), 6);
    for (int32_t i = 0; i < 7; i++)
        assert_int_equal(verify_sample_rank(7, 4, i), i);
    verify_claims_check(1 << 30, 5, tally);
    assert_int_equal(named("calls", tally)->checked, 8);
    verify_claims_check(6, 3, tally);
    assert_int_equal(named("calls", tally)->checked, 8 + 6);
}

static void only_unexpected_exceptions_are_news(void **state)
{
    (void)state;
    for (int32_t c = 0; c < VERIFY_CLAIMS; c++) {
        struct verify_claim_tally tally[VERIFY_CLAIMS] = {{0}};
        tally[c].checked = tally[c].exceptions = 1;
        assert_int_equal(verify_claims_news(tally),
                         strcmp(verify_claim_table[c].source, "Lemma 6") != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_schedule_is_named_with_its_command),
        cmocka_unit_test(several_workers_name_a_wrong_schedule_too),
        cmocka_unit_test(a_wrong_rank_of_a_sample_is_named_with_its_command),
        cmocka_unit_test(wrong_plans_are_counted_and_the_first_shown),
        cmocka_unit_test(right_ones_are_silent),
        cmocka_unit_test(plans_below_a_bound_are_wrong),
        cmocka_unit_test(thorough_takes_all_roots),
        cmocka_unit_test(thorough_takes_many_blocks),
        cmocka_unit_test(thorough_takes_all_radices_and_ports),
        cmocka_unit_test(thorough_takes_large_p_and_leaves_out_too_large_ones),
        cmocka_unit_test(thorough_takes_plans_in_rank_order),
        cmocka_unit_test(a_failure_of_thorough_names_a_normal_command),
        cmocka_unit_test(thorough_compares_every_rank_with_the_table),
        cmocka_unit_test(pieces_hold_every_p_once),
        cmocka_unit_test(the_first_exception_is_found_in_any_order),
        cmocka_unit_test(a_sample_holds_the_special_ranks),
        cmocka_unit_test(only_unexpected_exceptions_are_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
