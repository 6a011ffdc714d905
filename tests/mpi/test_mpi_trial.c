/* test_mpi_trial.c - the online choice, with invented times: its decisions, their time, agreement
 * of all ranks, cost, and bounded memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/choice/choice.h"
#include "mpi/choice/decisions.h"
#include "mpi/choice/trial.h"

enum { RANKS = 3, CANDIDATES = 4, LARGE = 20, SMALL = 10 };

static const struct choice_trial_key large = {.size_class = LARGE}, small = {.size_class = SMALL};

/* A number from 0 to 1. */
static double random_of(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (double)(1 << 24);
}

/* Ranks, their times, and what they did. */
struct job {
    struct choice_trials trials[RANKS];
    double time_s[CANDIDATES];
    double noise; /* times vary up to this share, differently at each rank */
    uint64_t random;
    int64_t used[CANDIDATES]; /* calls by candidate */
    int64_t agreements;
    double spent_s;
};

static struct choice_trial *trial_of(struct job *job, int rank, const struct choice_trial_key *key)
{
    struct choice_trial *trial = choice_trials_find(&job->trials[rank], key);
    if (trial == NULL)
        assert_int_equal(choice_trials_make(&job->trials[rank], key, CANDIDATES, &trial), 0);
    return trial;
}

/* One call at all ranks, which must choose the same and agree at the same time. Returns what
 * served. */
static int call(struct job *job, const struct choice_trial_key *key)
{
    double words[RANKS][CHOICE_TRIAL_WORDS], all[CHOICE_TRIAL_WORDS];
    int serving = -1, agree = -1;
    double longest = 0;
    for (int r = 0; r < RANKS; r++) {
        struct choice_trial *trial = trial_of(job, r, key);
        /* A rank passes a call where it may, or begins and ends it: that is the same. */
        const bool passed = random_of(&job->random) < 0.5 && choice_trial_pass(trial);
        const int mine = passed ? 0 : choice_trial_begin(trial);
        assert_true(serving < 0 || serving == mine);
        serving = mine;
        const double time_s = job->time_s[mine] * (1 + job->noise * random_of(&job->random));
        longest = time_s > longest ? time_s : longest;
        const int due = !passed && choice_trial_end(trial, time_s);
        assert_true(agree < 0 || agree == due);
        agree = due;
        choice_trial_offer(trial, 1000, false, words[r]);
    }
    job->used[serving]++;
    job->spent_s += longest;
    if (!agree)
        return serving;
    job->agreements++;
    for (int i = 0; i < CHOICE_TRIAL_WORDS; i++) {
        all[i] = words[0][i];
        for (int r = 1; r < RANKS; r++)
            all[i] = fmax(all[i], words[r][i]);
    }
    for (int r = 0; r < RANKS; r++)
        choice_trial_agree(&job->trials[r], trial_of(job, r, key), all);
    return serving;
}

static void call_often(struct job *job, const struct choice_trial_key *key, int times)
{
    for (int i = 0; i < times; i++)
        call(job, key);
}

static struct job job_of(double native_s, double first_s, double second_s, double third_s)
{
    return (struct job){.time_s = {native_s, first_s, second_s, third_s}, .random = 7};
}

static void end(struct job *job)
{
    for (int r = 0; r < RANKS; r++)
        choice_trials_free(&job->trials[r]);
}

static int current(struct job *job, const struct choice_trial_key *key)
{
    return trial_of(job, 0, key)->current;
}

static enum choice_trial_verdict verdict(struct job *job, int candidate)
{
    return trial_of(job, 0, &large)->tried[candidate].verdict;
}

/* ---- The current choice -------------------------------------------------------------------- */

static void test_the_clearly_faster_becomes_current(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 1.2e-3, 0.7e-3, 0.5e-3);
    job.noise = 0.02;
    call_often(&job, &large, 30000);
    assert_int_equal(current(&job, &large), 3);
    assert_int_equal(verdict(&job, 1), CHOICE_DROPPED);
    assert_int_equal(verdict(&job, 2), CHOICE_SLOWER);           /* than the third */
    assert_true(trial_of(&job, 0, &large)->tried[0].trials > 0); /* tried again */
    end(&job);
}

static void test_native_comes_first(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 0.5e-3, 0.5e-3, 0.5e-3);
    for (int i = 0; i < 8; i++)
        assert_int_equal(call(&job, &large), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(call(&job, &small), 0);
    end(&job);
}

static void test_no_gain_within_the_margin(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 0.96e-3, 0.97e-3, 1e-3);
    call_often(&job, &large, 20000);
    assert_int_equal(current(&job, &large), 0);
    end(&job);
}

/* 20 % faster on average, but times vary by a factor of 3: not clear. */
static void test_noise_does_not_win(void **state)
{
    (void)state;
    int won = 0;
    for (int seed = 0; seed < 200; seed++) {
        struct job job = job_of(1e-3, 1e-3, 1e-3, 1e-3);
        job.noise = 2;
        job.random = (uint64_t)seed;
        call_often(&job, &large, 2000);
        won += trial_of(&job, 0, &large)->tried[1].verdict == CHOICE_FASTER;
        end(&job);
    }
    assert_true(won <= 6); /* of 200; 1.1 % of trials at most */
}

static void test_a_change_is_taken_back(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 0.5e-3, 2e-3, 2e-3);
    while (current(&job, &large) == 0)
        call(&job, &large);
    job.time_s[1] = 1.3e-3;
    call_often(&job, &large, 20000);
    assert_int_equal(current(&job, &large), 0);
    end(&job);
}

/* The library's own algorithm need not be clearly faster to come back. */
static void test_native_returns_when_it_is_as_fast(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 0.8e-3, 2e-3, 2e-3);
    while (current(&job, &large) == 0)
        call(&job, &large);
    job.time_s[0] = 0.81e-3;
    call_often(&job, &large, 20000);
    assert_int_equal(current(&job, &large), 0);
    end(&job);
}

/* Of six calls three took 0.8 ms and three 0.98: their median lies between. */
static void test_the_median_of_six_calls(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 1e-3, 2e-3, 2e-3);
    while (verdict(&job, 1) == CHOICE_UNTRIED) {
        job.time_s[1] = job.used[1] == 0 ? 1e-3 : job.used[1] % 2 == 0 ? 0.8e-3 : 0.98e-3;
        call(&job, &large);
    }
    assert_int_equal(job.used[1], CHOICE_TRIAL_DURING);
    assert_int_equal(verdict(&job, 1), CHOICE_FASTER);
    end(&job);
}

/* Ranks whose calls take different times: the longest counts. */
static void test_the_longest_time_counts(void **state)
{
    (void)state;
    struct choice_trials trials[2] = {{0}};
    struct choice_trial *trial[2];
    const double time_s[2][2] = {{1e-3, 0.2e-3}, {1e-3, 1.4e-3}}; /* by rank, candidate */
    for (int r = 0; r < 2; r++)
        choice_trials_make(&trials[r], &large, 2, &trial[r]);
    for (int i = 0; i < 3000; i++) {
        double words[2][CHOICE_TRIAL_WORDS];
        bool agree = false;
        for (int r = 0; r < 2; r++) {
            const int mine = choice_trial_begin(trial[r]);
            agree = choice_trial_end(trial[r], time_s[r][mine]);
            choice_trial_offer(trial[r], 1, false, words[r]);
        }
        for (int w = 0; w < CHOICE_TRIAL_WORDS; w++)
            words[0][w] = fmax(words[0][w], words[1][w]);
        for (int r = 0; r < 2 && agree; r++)
            choice_trial_agree(&trials[r], trial[r], words[0]);
    }
    for (int r = 0; r < 2; r++) {
        assert_int_equal(trial[r]->current, 0);
        assert_int_equal(trial[r]->tried[1].verdict, CHOICE_SLOWER);
        assert_true(trial[r]->tried[1].ratio > 1.39f);
        choice_trials_free(&trials[r]);
    }
}

/* ---- Its cost -------------------------------------------------------------------------------- */

static void test_a_far_slower_one_is_dropped_at_once(void **state)
{
    (void)state;
    struct job job = job_of(10e-3, 75e-3, 90e-3, 60e-3);
    call_often(&job, &large, 5000);
    assert_int_equal(current(&job, &large), 0);
    for (int c = 1; c < CANDIDATES; c++) {
        assert_int_equal(verdict(&job, c), CHOICE_DROPPED);
        assert_int_equal(job.used[c], trial_of(&job, 0, &large)->tried[c].trials); /* 1 call each */
    }
    assert_true(job.spent_s < 1.04 * 5000 * 10e-3);
    end(&job);
}

static void test_cost_is_bounded(void **state)
{
    (void)state;
    for (int factor = 11; factor <= 40; factor++) {
        struct job job = job_of(1e-3, 1e-4 * factor, 1e-4 * factor, 1e-4 * factor);
        call_often(&job, &large, 2000);
        assert_true(job.spent_s < 1.03 * 2000 * 1e-3);
        assert_true(job.agreements < 30);
        end(&job);
    }
}

/* Many classes with just enough calls for a trial, and nothing to gain. */
static void test_cost_is_bounded_over_all_kinds(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 2.5e-3, 2.5e-3, 2.5e-3);
    for (int i = 0; i < 20; i++)
        for (int16_t class = LARGE; class < LARGE + 20; class ++)
            call(&job, &(struct choice_trial_key){.size_class = class});
    assert_true(job.spent_s < 1.04 * 400 * 1e-3);
    end(&job);
}

/* Kinds that are rare cost nothing. */
static void test_few_calls_never_pay(void **state)
{
    (void)state;
    struct job job = job_of(1e-5, 1e-4, 1e-4, 1e-4);
    for (int16_t class = 1; class <= 16; class ++)
        call_often(&job, &(struct choice_trial_key){.size_class = class}, 63);
    assert_int_equal(job.used[0], 16 * 63);
    assert_int_equal(job.agreements, 0);
    end(&job);
}

static void test_trials_become_rarer(void **state)
{
    (void)state;
    struct job job = job_of(1e-3, 1.1e-3, 1.1e-3, 1.1e-3);
    call_often(&job, &large, 1000);
    const int64_t at_1000 = job.used[1] + job.used[2] + job.used[3];
    call_often(&job, &large, 99000);
    const int64_t later = job.used[1] + job.used[2] + job.used[3] - at_1000;
    assert_true(at_1000 >= 7 && later > 0 && later <= 6 * 7);
    end(&job);
}

static void test_state_is_bounded(void **state)
{
    (void)state;
    struct choice_trials trials = {0};
    struct choice_trial *trial;
    int made = 0;
    for (int16_t collective = 0; collective < 10; collective++)
        for (int16_t class = 0; class < 64; class ++)
            for (int kind = 0; kind < 4; kind++) {
                const struct choice_trial_key key = {collective, class, kind & 1, kind & 2};
                assert_null(choice_trials_find(&trials, &key));
                assert_int_equal(choice_trials_make(&trials, &key, 3, &trial), 0);
                made += trial != NULL;
                assert_ptr_equal(choice_trials_find(&trials, &key), trial);
            }
    assert_int_equal(made, CHOICE_MOST_TRIALS);
    assert_true(trials.room <= CHOICE_MOST_TRIALS);
    choice_trials_free(&trials);
}

/* ---- Ranks that differ, candidates that can't ------------------------------------------------ */

/* Rank 1 thinks of other bytes, or returned an error. */
static void close_by(int64_t bytes, bool failed)
{
    struct choice_trials trials = {0};
    struct choice_trial *trial;
    double mine[CHOICE_TRIAL_WORDS], theirs[CHOICE_TRIAL_WORDS];
    choice_trials_make(&trials, &large, 3, &trial);
    for (int i = 0; i < 7; i++) {
        choice_trial_begin(trial);
        assert_false(choice_trial_end(trial, 1e-3));
    }
    choice_trial_begin(trial);
    assert_true(choice_trial_end(trial, 1e-3));
    choice_trial_offer(trial, 1000, false, mine);
    choice_trial_offer(trial, bytes, failed, theirs);
    for (int i = 0; i < CHOICE_TRIAL_WORDS; i++)
        mine[i] = fmax(mine[i], theirs[i]);
    assert_true(choice_trial_agree(&trials, trial, mine));
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(choice_trial_begin(trial), 0);
        assert_false(choice_trial_end(trial, 1e-3));
    }
    choice_trials_free(&trials);
}

static void test_ranks_that_differ_get_the_library(void **state)
{
    (void)state;
    close_by(1001, false);
    close_by(999, false);
    close_by(1000, true);
}

static void test_what_cannot_serve_is_left_out(void **state)
{
    (void)state;
    struct choice_trials trials = {0};
    struct choice_trial *trial;
    double words[CHOICE_TRIAL_WORDS];
    choice_trials_make(&trials, &large, 3, &trial);
    int refused = 0, calls = 0;
    for (int i = 0; i < 5000; i++) {
        int candidate = choice_trial_begin(trial);
        calls += candidate != 0;
        while (candidate != 0) {
            candidate = choice_trial_refuse(&trials, trial);
            refused++;
        }
        if (choice_trial_is_timed(trial) && choice_trial_end(trial, 1e-3)) {
            choice_trial_offer(trial, 1, false, words);
            choice_trial_agree(&trials, trial, words);
        }
    }
    assert_int_equal(refused, 2);
    assert_int_equal(calls, 1); /* one after the other in the same call */
    assert_int_equal(trial->current, 0);
    assert_int_equal(trial->stage, CHOICE_CLOSED);
    assert_true(trials.lost_s < 1e-3); /* no loss is expected any more */
    choice_trials_free(&trials);
}

/* Where the first of them cannot serve, the same trial is the second's. */
static void test_the_next_takes_a_refused_ones_trial(void **state)
{
    (void)state;
    struct choice_trials trials = {0};
    struct choice_trial *trial;
    double words[CHOICE_TRIAL_WORDS];
    choice_trials_make(&trials, &large, 3, &trial);
    int refused = 0, first = 0, last = 0;
    for (int i = 1; i <= 400; i++) {
        int candidate = choice_trial_begin(trial);
        if (candidate == 1) {
            candidate = choice_trial_refuse(&trials, trial);
            refused++;
        }
        assert_true(candidate == 0 || candidate == 2);
        if (candidate == 2 && first == 0)
            first = i;
        if (candidate == 2)
            last = i;
        if (choice_trial_is_timed(trial) && choice_trial_end(trial, candidate == 2 ? 1e-4 : 1e-3)) {
            choice_trial_offer(trial, 1, false, words);
            choice_trial_agree(&trials, trial, words);
        }
        if (i == first)
            assert_int_equal(refused, 1);
        if (first > 0 && i == first + CHOICE_TRIAL_DURING - 1)
            assert_int_equal(last, i);
    }
    assert_int_equal(refused, 1);
    assert_int_equal(trial->current, 2);
    choice_trials_free(&trials);
}

static void test_candidates_are_settings(void **state)
{
    (void)state;
    static const char *const collectives[] = {
        "bcast",    "reduce",  "allgather", "reduce-scatter", "allreduce",
        "alltoall", "scatter", "gather",    "scan",           "exscan"};
    for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++)
        for (int64_t bytes = 1; bytes < 1 << 20; bytes *= 16) {
            const struct choice_situation situation = {collectives[c], .p = 5, .bytes = bytes};
            const struct choice_setting *setting;
            const char *text = NULL;
            int count = 0;
            for (; (setting = choice_candidate(&situation, count, &text)) != NULL; count++) {
                assert_non_null(setting->algorithm);
                assert_string_equal(setting->algorithm->collective, collectives[c]);
                assert_non_null(strstr(text, setting->algorithm->name));
            }
            assert_true(count >= 1 && count < CHOICE_MOST_CANDIDATES);
        }
    assert_null(choice_candidate(&(struct choice_situation){.collective = "none"}, 0, NULL));
}

/* A class ends below a power of two, and one list of candidates serves all its sizes. */
static void test_a_class_has_one_list_of_candidates(void **state)
{
    (void)state;
    assert_int_equal(choice_size_class(0), 0);
    for (int32_t class = 1; class < 40; class ++) {
        const int64_t least = INT64_C(1) << (class - 1), most = 2 * least - 1;
        assert_int_equal(choice_size_class(least), class);
        assert_int_equal(choice_size_class(most), class);
        for (int i = 0; i < CHOICE_CANDIDATES; i++)
            assert_ptr_equal(
                choice_candidate(&(struct choice_situation){"bcast", .bytes = least}, i, NULL),
                choice_candidate(&(struct choice_situation){"bcast", .bytes = most}, i, NULL));
    }
}

/* ---- The stored results ---------------------------------------------------------------------- */

static void read_rules(const struct choice_learned *learned, struct choice_decisions **decisions)
{
    struct sup_error error = {0};
    FILE *file = tmpfile();
    fprintf(file, CHOICE_DECISIONS_HEADER "\n");
    int rules;
    assert_int_equal(choice_learned_rules(learned, NULL, file, &rules), RB_OK);
    rewind(file);
    if (choice_decisions_read(file, "learned", decisions, &error) != RB_OK)
        fail_msg("%s", error.text);
    fclose(file);
}

static const struct choice_setting *rule_for(const struct choice_decisions *decisions,
                                             const char *collective, int64_t bytes, bool irregular)
{
    const struct choice_situation situation = {
        .collective = collective, .p = 4, .bytes = bytes, .irregular = irregular};
    struct choice_decision_row row = {0};
    choice_decision_row_make(decisions, &situation, &row);
    const struct choice_setting *setting = choice_decision_row_find(&row, bytes);
    choice_decision_row_free(&row);
    return setting;
}

static void test_rules_are_read_back(void **state)
{
    (void)state;
    struct choice_learned learned = {0};
    struct choice_decisions *decisions;
    struct choice_learned_row row = {.collective = "bcast",
                                     .p = 4,
                                     .trial = {.key = {.size_class = 20},
                                               .candidates = 4,
                                               .current = 2,
                                               .calls = 100,
                                               .tried = {[2] = {CHOICE_FASTER, 1, 0.5f}}}};
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    row.trial.current = 1; /* fewer calls: not this one */
    row.trial.calls = 99;
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    row.trial.key.ordered = true; /* rules don't know of that */
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    row.trial.key = (struct choice_trial_key){.size_class = 0, .irregular = true};
    row.trial.current = 0;
    strcpy(row.collective, "allgather");
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    row.trial.key.size_class = 63;
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    assert_int_equal(learned.count, 4);
    read_rules(&learned, &decisions);
    const struct choice_setting *setting = rule_for(decisions, "bcast", 1 << 19, false);
    assert_non_null(setting);
    assert_string_equal(setting->algorithm->name, "two-leaders"); /* the second candidate */
    assert_non_null(rule_for(decisions, "bcast", (1 << 20) - 1, false));
    assert_null(rule_for(decisions, "bcast", 1 << 20, false));
    assert_null(rule_for(decisions, "bcast", (1 << 19) - 1, false));
    assert_true(rule_for(decisions, "allgather", 0, true)->native);
    assert_null(rule_for(decisions, "allgather", 1, true));
    assert_true(rule_for(decisions, "allgather", INT64_MAX, true)->native);
    assert_null(rule_for(decisions, "allgather", 0, false));
    choice_decisions_free(decisions);
    choice_learned_free(&learned);
}

/* What is written when a file has these rules already. */
static void expect_rules(const struct choice_learned *learned, const char *known, int wanted)
{
    struct sup_error error = {0};
    struct choice_decisions *decisions;
    char text[1000];
    int rules;
    FILE *file = tmpfile(), *nowhere = fopen("/dev/null", "w");
    snprintf(text, sizeof text, CHOICE_DECISIONS_HEADER "\n%s\n", known);
    fputs(text, file);
    rewind(file);
    if (choice_decisions_read(file, "known", &decisions, &error) != RB_OK)
        fail_msg("%s", error.text);
    assert_int_equal(choice_learned_rules(learned, decisions, nowhere, &rules), RB_OK);
    if (rules != wanted)
        fail_msg("behind \"%s\" there are %d new rules, not %d", known, rules, wanted);
    choice_decisions_free(decisions);
    fclose(file);
    fclose(nowhere);
}

/* A rule is written unless others fit all its calls. Bytes 2^18 .. 2^19 - 1 and, of different
 * counts, 2^5 .. 2^6 - 1. */
static void test_rules_that_are_there_are_not_repeated(void **state)
{
    (void)state;
    struct choice_learned learned = {0};
    struct choice_learned_row row = {.collective = "allgather",
                                     .p = 4,
                                     .trial = {.key = {.size_class = 19},
                                               .candidates = 4,
                                               .current = 2,
                                               .tried = {[2] = {CHOICE_FASTER, 1, 0.5f}}}};
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    row.trial.key = (struct choice_trial_key){.size_class = 6, .irregular = true};
    assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    expect_rules(&learned, "", 2);
    expect_rules(&learned, "allgather 4 262144..524287 native", 1);
    expect_rules(&learned, "allgather 4 262145..524287 native", 2);
    expect_rules(&learned, "allgather 4 262144..524286 native", 2);
    expect_rules(&learned, "allgather 3..5 *  ring", 1);
    expect_rules(&learned, "allgather 5..  *  ring", 2);
    expect_rules(&learned, "bcast     *    *  native", 2);
    expect_rules(&learned, "allgather * ..300000 native\nallgather 4 300002.. native", 2);
    expect_rules(&learned, "allgather * ..300000 native\nallgather 4 300001.. native", 1);
    expect_rules(&learned, "allgather/irregular * 32..63 native", 1);
    expect_rules(&learned, "allgather/irregular * 33..63 native", 2);
    expect_rules(&learned, "allgather/irregular * * native\nallgather * * ring", 0);
    choice_learned_free(&learned);
}

static void test_learned_is_bounded(void **state)
{
    (void)state;
    struct choice_learned learned = {0};
    struct choice_learned_row row = {.collective = "bcast", .trial = {.candidates = 2}};
    for (row.p = 1; row.p <= CHOICE_MOST_LEARNED + 100; row.p++)
        assert_int_equal(choice_learned_add(&learned, &row), RB_OK);
    assert_int_equal(learned.count, CHOICE_MOST_LEARNED);
    choice_learned_free(&learned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clearly_faster_becomes_current),
        cmocka_unit_test(test_native_comes_first),
        cmocka_unit_test(test_no_gain_within_the_margin),
        cmocka_unit_test(test_noise_does_not_win),
        cmocka_unit_test(test_a_change_is_taken_back),
        cmocka_unit_test(test_native_returns_when_it_is_as_fast),
        cmocka_unit_test(test_the_median_of_six_calls),
        cmocka_unit_test(test_the_longest_time_counts),
        cmocka_unit_test(test_a_far_slower_one_is_dropped_at_once),
        cmocka_unit_test(test_cost_is_bounded),
        cmocka_unit_test(test_cost_is_bounded_over_all_kinds),
        cmocka_unit_test(test_few_calls_never_pay),
        cmocka_unit_test(test_trials_become_rarer),
        cmocka_unit_test(test_state_is_bounded),
        cmocka_unit_test(test_ranks_that_differ_get_the_library),
        cmocka_unit_test(test_what_cannot_serve_is_left_out),
        cmocka_unit_test(test_the_next_takes_a_refused_ones_trial),
        cmocka_unit_test(test_candidates_are_settings),
        cmocka_unit_test(test_a_class_has_one_list_of_candidates),
        cmocka_unit_test(test_rules_are_read_back),
        cmocka_unit_test(test_rules_that_are_there_are_not_repeated),
        cmocka_unit_test(test_learned_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
