/* test_time_left.c - the time left of a job whose estimates are wrong, with workers that are
 * played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "support/eta.h"

enum { MOST = 2000, WORKERS = 8 };

/* Pieces in their order, and what each takes in truth. */
struct job {
    size_t pieces;
    int32_t workers;
    double cost_s[MOST], took_s[MOST], limit_s;
    uint64_t kind[MOST];
    bool shares; /* running pieces say how far they are */
};

struct played {
    double worst;        /* ratio of announced and true time left, from 10 % on */
    double first_left_s; /* announced before the first piece */
    double whole_s;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return *state >> 33;
}

/* From 1 / spread to spread, evenly in the logarithm. */
static double noise(uint64_t *state, double spread)
{
    return pow(spread, 2 * ((double)next_random(state) / 2147483648.0) - 1);
}

static double taken_s(const struct job *job, size_t i)
{
    return job->limit_s > 0 ? fmin(job->took_s[i], job->limit_s) : job->took_s[i];
}

/* When each worker begins which piece; returns when the last one ends. */
static double line_up(const struct job *job, double begin_s[], int32_t worker[])
{
    double free_s[WORKERS] = {0}, end_s = 0;
    for (size_t i = 0; i < job->pieces; i++) {
        int32_t first = 0;
        for (int32_t w = 1; w < job->workers; w++)
            if (free_s[w] < free_s[first])
                first = w;
        begin_s[i] = free_s[first];
        worker[i] = first;
        free_s[first] += taken_s(job, i);
        end_s = fmax(end_s, free_s[first]);
    }
    return end_s;
}

static double ratio_of(double announced_s, double true_s)
{
    return announced_s > true_s ? announced_s / true_s : true_s / announced_s;
}

/* Asks at 200 moments, the last of them shortly before the end. */
static struct played play(const struct job *job)
{
    static double begin_s[MOST];
    static int32_t worker[MOST];
    static bool told[MOST];
    struct played played = {.worst = 1};
    struct sup_eta *eta = sup_eta_create(job->pieces, job->workers, job->limit_s);
    assert_non_null(eta);
    for (size_t i = 0; i < job->pieces; i++) {
        sup_eta_describe(eta, i, job->cost_s[i], job->kind[i]);
        told[i] = false;
    }
    played.whole_s = line_up(job, begin_s, worker);
    played.first_left_s = sup_eta_left_s(eta, NULL, 0);
    for (int step = 1; step < 200; step++) {
        const double now_s = played.whole_s * step / 201;
        struct sup_eta_running running[WORKERS];
        int32_t count = 0;
        for (size_t i = 0; i < job->pieces; i++) {
            const double age_s = now_s - begin_s[i], took_s = taken_s(job, i);
            if (age_s >= took_s && !told[i]) {
                sup_eta_done(eta, i, took_s);
                told[i] = true;
            } else if (age_s >= 0 && age_s < took_s) {
                running[count++] =
                    (struct sup_eta_running){i, age_s, job->shares ? age_s / job->took_s[i] : 0};
            }
        }
        const double left_s = sup_eta_left_s(eta, running, count);
        assert_true(left_s > 0);
        /* At the very end a difference of seconds matters to nobody. */
        if (step >= 20 && fabs(left_s - (played.whole_s - now_s)) > 0.01 * played.whole_s)
            played.worst = fmax(played.worst, ratio_of(left_s, played.whole_s - now_s));
    }
    sup_eta_destroy(eta);
    return played;
}

/* Costs from 10 s down to 10 ms; truth is wrong by factor[engine], by half in each algorithm, and
 * at random. */
static void make(struct job *job, size_t pieces, const double factor[3], double spread)
{
    uint64_t state = 5;
    static const double of_algorithm[4] = {0.6, 0.9, 1.2, 1.6};
    *job = (struct job){.pieces = pieces, .workers = 2, .shares = true};
    for (size_t i = 0; i < pieces; i++) {
        const uint64_t engine = next_random(&state) % 3, algorithm = next_random(&state) % 4;
        job->cost_s[i] = 10 * pow(1e-3, (double)i / (double)pieces);
        job->took_s[i] =
            job->cost_s[i] * factor[engine] * of_algorithm[algorithm] * noise(&state, spread);
        job->kind[i] = engine;
    }
}

static void finds_the_speed_of_the_machine(void **state)
{
    static struct job job;
    (void)state;
    for (double factor = 1.0 / 16; factor < 20; factor *= 4) {
        make(&job, 600, (const double[]){factor, factor, factor}, 1.5);
        const struct played played = play(&job);
        assert_true(ratio_of(played.first_left_s * factor, played.whole_s) < 1.5);
        if (!(played.worst < 1.5))
            fail_msg("all wrong by %g: the time left is wrong by %g", factor, played.worst);
    }
}

static void finds_the_speed_of_each_engine(void **state)
{
    static const double factors[][3] = {{4, 0.25, 1}, {0.25, 4, 0.25}, {1, 1, 4}, {1, 10, 0.1}};
    static struct job job;
    (void)state;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        for (int32_t workers = 1; workers <= WORKERS; workers *= 2) {
            make(&job, 600, factors[i], 2);
            job.workers = workers;
            const double worst = play(&job).worst;
            if (!(worst < 2))
                fail_msg("case %zu, %d workers: wrong by %g", i, (int)workers, worst);
        }
}

/* Sorted by cost, the pieces whose costs are much too high come first, and must not make all others
 * look short. The machine is slow as well. */
static void pieces_that_come_first_because_they_are_wrong(void **state)
{
    static struct job job;
    uint64_t random = 3;
    (void)state;
    job = (struct job){.pieces = 150, .workers = 2, .shares = true};
    for (size_t i = 0; i < job.pieces; i++) {
        const bool wrong = i < 12; /* by a factor of 80 */
        job.cost_s[i] = wrong ? 3 : 2 * pow(1e-2, (double)(i - 12) / 138);
        job.took_s[i] = job.cost_s[i] * (wrong ? 0.1 : 8) * noise(&random, 1.5);
        job.kind[i] = wrong ? 100 : i % 20;
    }
    const double worst = play(&job).worst;
    if (!(worst < 2))
        fail_msg("wrong by %g", worst);
}

/* Few pieces that take long: only how far they are says how long they take. */
static void long_pieces_tell_by_themselves(void **state)
{
    static struct job job;
    (void)state;
    for (double factor = 0.01; factor < 200; factor *= 10) {
        make(&job, 3, (const double[]){factor, factor, factor}, 1.2);
        const double worst = play(&job).worst;
        if (!(worst < 1.6))
            fail_msg("three pieces, wrong by %g: the time left is wrong by %g", factor, worst);
    }
}

/* A piece that outlives its estimate and says nothing: the time left grows with its age. */
static void silent_pieces_are_not_at_their_end_for_ever(void **state)
{
    (void)state;
    struct sup_eta *eta = sup_eta_create(1, 1, 0);
    assert_non_null(eta);
    sup_eta_describe(eta, 0, 2, 7);
    double before_s = 2;
    for (double age_s = 4; age_s < 1000; age_s *= 2) {
        const struct sup_eta_running running = {0, age_s, 0};
        const double left_s = sup_eta_left_s(eta, &running, 1);
        assert_true(left_s > age_s / 5 && left_s > before_s / 2);
        before_s = left_s;
    }
    sup_eta_destroy(eta);
}

static void no_piece_lasts_beyond_the_limit(void **state)
{
    static struct job job;
    (void)state;
    make(&job, 100, (const double[]){50, 50, 50}, 1.5);
    job.limit_s = 5;
    const struct played played = play(&job);
    assert_true(played.first_left_s <= 100 * 5);
    assert_true(played.worst < 2);
}

/* What earlier runs took counts before the first piece is done. */
static void earlier_pieces_teach(void **state)
{
    (void)state;
    struct sup_eta *eta = sup_eta_create(10, 1, 0);
    assert_non_null(eta);
    for (int i = 0; i < 20; i++)
        sup_eta_learn(eta, 1, 7, 4);
    for (size_t i = 0; i < 10; i++)
        sup_eta_describe(eta, i, 1, 7);
    assert_true(ratio_of(sup_eta_left_s(eta, NULL, 0), 40) < 1.1);
    sup_eta_destroy(eta);
}

/* Weights that are right, without a clock that is slow: right at each moment. */
static void right_weights_are_exact(void **state)
{
    static struct job job;
    (void)state;
    for (int32_t workers = 1; workers <= WORKERS; workers *= 2) {
        make(&job, 600, (const double[]){1, 1, 1}, 1);
        for (size_t i = 0; i < job.pieces; i++)
            job.took_s[i] = job.cost_s[i];
        job.workers = workers;
        const struct played played = play(&job);
        assert_true(ratio_of(played.first_left_s, played.whole_s) < 1.05);
        if (!(played.worst < 1.15))
            fail_msg("%d workers: wrong by %g", (int)workers, played.worst);
    }
}

/* The weights of one kind are off by 100 beside others. */
static void a_kind_may_be_off_by_100(void **state)
{
    static struct job job;
    (void)state;
    for (double factor = 0.01; factor < 200; factor *= 1e4)
        for (int shares = 0; shares < 2; shares++) {
            uint64_t random = 9;
            job = (struct job){.pieces = 400, .workers = 2, .shares = shares};
            for (size_t i = 0; i < job.pieces; i++) {
                job.kind[i] = next_random(&random) % 5;
                job.cost_s[i] = 1;
                job.took_s[i] = (job.kind[i] == 3 ? factor : 1) * noise(&random, 1.5);
            }
            const double worst = play(&job).worst;
            if (!(worst < 2))
                fail_msg("a kind off by %g: wrong by %g", factor, worst);
        }
}

/* One piece takes as long as all others together, and is the last to begin. */
static void a_straggler_counts_by_its_age(void **state)
{
    (void)state;
    for (int32_t workers = 1; workers <= 1000; workers *= 10) {
        struct sup_eta *eta = sup_eta_create(100, workers, 0);
        assert_non_null(eta);
        for (size_t i = 0; i < 100; i++)
            sup_eta_describe(eta, i, 1, 0);
        for (size_t i = 0; i < 99; i++)
            sup_eta_done(eta, i, 1);
        for (double age_s = 1; age_s < 1000; age_s *= 2) {
            const struct sup_eta_running running = {99, age_s, 0};
            const double left_s = sup_eta_left_s(eta, &running, 1);
            assert_true(left_s > age_s / 5 && left_s < 2 * age_s); /* idle workers don't help */
        }
        sup_eta_destroy(eta);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_speed_of_the_machine),
        cmocka_unit_test(finds_the_speed_of_each_engine),
        cmocka_unit_test(pieces_that_come_first_because_they_are_wrong),
        cmocka_unit_test(long_pieces_tell_by_themselves),
        cmocka_unit_test(silent_pieces_are_not_at_their_end_for_ever),
        cmocka_unit_test(no_piece_lasts_beyond_the_limit),
        cmocka_unit_test(earlier_pieces_teach),
        cmocka_unit_test(right_weights_are_exact),
        cmocka_unit_test(a_kind_may_be_off_by_100),
        cmocka_unit_test(a_straggler_counts_by_its_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
