/* test_judged.c - random points: verdict, best, cause and rules against their definitions
 * (decide.h, mend.c), by trying all choices and all rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "experiments/decide/decide.h"

static uint32_t seed;
static int32_t random_below(int32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (int32_t)((seed >> 8) % (uint32_t)limit);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static const double threshold = 0.25; /* times are small whole numbers, so that borders are met */

static struct decide_way random_choice(void)
{
    static const char *const names[] = {"chain", "ring"};
    struct decide_way choice = {.name = names[random_below(2)],
                                .radix = 2 * random_below(2),
                                .segment_bytes = 8 * random_below(2),
                                .time_s = 8 + random_below(9),
                                .low_s = NAN,
                                .high_s = NAN,
                                .offered = random_below(5) > 0};
    choice.algorithm = choice.name;
    if (random_below(2)) {
        choice.low_s = choice.time_s - random_below(3);
        choice.high_s = choice.time_s + random_below(3);
    }
    if (random_below(12) == 0)
        choice.time_s = choice.low_s = choice.high_s = NAN;
    return choice;
}

static bool slower(const struct decide_way *a, const struct decide_way *b)
{
    return a->time_s > 1.25 * b->time_s;
}

/* Slower, and no time is in the spreads of both. */
static bool loses(const struct decide_way *a, const struct decide_way *b)
{
    bool both = false;
    for (double time = 0; time < 40; time++)
        both = both ||
               (a->low_s <= time && time <= a->high_s && b->low_s <= time && time <= b->high_s);
    return slower(a, b) && !both;
}

enum change { SAME, SEGMENT, RADIX, OTHER };
static enum change change_of(const struct decide_way *a, const struct decide_way *b)
{
    if (strcmp(a->algorithm, b->algorithm) != 0)
        return OTHER;
    return a->radix != b->radix ? a->segment_bytes != b->segment_bytes ? OTHER : RADIX
           : a->segment_bytes != b->segment_bytes ? SEGMENT
                                                  : SAME;
}

/* Of the choices with this bit of `sets`, the first that is fastest; NULL: there is none. */
static const struct decide_way *first_fastest(const struct decide_way choice[], int32_t count,
                                              unsigned sets)
{
    const struct decide_way *best = NULL;
    for (int32_t i = 0; i < count; i++)
        if ((sets >> i & 1) != 0 && (best == NULL || choice[i].time_s < best->time_s))
            best = &choice[i];
    return best;
}

struct answer {
    enum decide_verdict verdict;
    enum decide_cause cause;
    const struct decide_way *best, *beyond;
};

static struct answer answer_of(const struct decide_way *decision, const struct decide_way choice[],
                               int32_t count)
{
    struct answer answer = {.verdict = DECIDE_NO_TIME, .cause = DECIDE_NO_CAUSE};
    unsigned timed = 0, others = 0, beating = 0, by_segment = 0, by_radix = 0, beyond = 0;
    for (int32_t i = 0; i < count && !isnan(decision->time_s); i++) {
        const bool same =
            choice[i].offered == decision->offered && change_of(&choice[i], decision) == SAME;
        const bool offered = choice[i].offered && !isnan(choice[i].time_s);
        timed |= (unsigned)offered << i;
        others |= (unsigned)(offered && !same) << i;
        beating |= (unsigned)(offered && loses(decision, &choice[i])) << i;
    }
    if (isnan(decision->time_s))
        return answer;
    answer.best = others == 0 ? NULL : first_fastest(choice, count, beating != 0 ? beating : timed);
    answer.verdict = others == 0                     ? DECIDE_ALONE
                     : beating != 0                  ? DECIDE_LOSES
                     : slower(decision, answer.best) ? DECIDE_TIE
                                                     : DECIDE_GOOD;
    for (int32_t i = 0; i < count && answer.verdict == DECIDE_LOSES; i++) {
        const bool as_good = (beating >> i & 1) != 0 && !slower(&choice[i], answer.best);
        const enum change change = change_of(&choice[i], decision);
        by_segment |= (unsigned)(as_good && (change == SEGMENT || change == SAME)) << i;
        by_radix |= (unsigned)(as_good && change == RADIX) << i;
    }
    if (answer.verdict == DECIDE_LOSES) {
        answer.cause = by_segment != 0 ? DECIDE_SEGMENT
                       : by_radix != 0 ? DECIDE_RADIX
                                       : DECIDE_ALGORITHM;
        if ((by_segment | by_radix) != 0)
            answer.best = first_fastest(choice, count, by_segment != 0 ? by_segment : by_radix);
    }
    for (int32_t i = 0; i < count; i++)
        beyond |= (unsigned)(!choice[i].offered && !isnan(choice[i].time_s) &&
                             loses(decision, &choice[i]) &&
                             (answer.best == NULL || loses(answer.best, &choice[i])))
                  << i;
    answer.beyond = first_fastest(choice, count, beyond);
    return answer;
}

static void verdicts_are_as_defined(void **state)
{
    enum { MOST = 6 };
    int32_t seen[DECIDE_VERDICTS] = {0}, causes[DECIDE_CAUSES] = {0};
    (void)state;
    for (uint32_t run = 0; run < 40000; run++) {
        struct decide audit = {0};
        struct decide_way choice[MOST], decision;
        seed = run * 2654435761u;
        const int32_t count = random_below(MOST + 1);
        const struct decide_place setting = {.place = "here", .collective = "bcast", .ppn = 1};
        struct decide_call point = {.place = decide_add_place(&audit, &setting),
                                    .run = "",
                                    .p = 8,
                                    .m_bytes = 8,
                                    .has_own = true,
                                    .own_known = true};
        point.own = decision = random_choice();
        point.own.offered = decision.offered = true;
        decide_add_call(&audit, &point);
        for (int32_t i = 0; i < count; i++) {
            choice[i] = random_choice();
            /* Of one choice there is one time. */
            if (change_of(&choice[i], &decision) == SAME && choice[i].offered)
                choice[i] = decision;
            decide_add_way(&audit, &choice[i]);
        }
        decide_judge(&audit, threshold);
        const struct decide_call *judged = &audit.calls[0];
        const struct answer answer = answer_of(&decision, choice, count);
        const struct decide_way *best = answer.best == NULL ? NULL
                                                            : audit.ways + (answer.best - choice),
                                *beyond = answer.beyond == NULL
                                              ? NULL
                                              : audit.ways + (answer.beyond - choice);
        if (judged->verdict != answer.verdict || judged->cause != answer.cause ||
            judged->choice != best || judged->beyond != beyond)
            fail_msg("seed %d: %s, cause %d, best %d instead of %s, cause %d, best %d", (int)run,
                     decide_verdict_names[judged->verdict], (int)judged->cause,
                     judged->choice == NULL ? -1 : (int)(judged->choice - audit.ways),
                     decide_verdict_names[answer.verdict], (int)answer.cause,
                     answer.best == NULL ? -1 : (int)(answer.best - choice));
        if (best != NULL)
            assert_true(fabs(judged->gain - decision.time_s / best->time_s) < 1e-12);
        assert_int_equal(audit.loss_count, answer.verdict == DECIDE_LOSES);
        seen[answer.verdict]++;
        causes[answer.cause]++;
        decide_free(&audit);
    }
    for (int i = DECIDE_GOOD; i < DECIDE_VERDICTS; i++)
        assert_true(seen[i] > 100);
    assert_true(causes[DECIDE_ALGORITHM] > 300 && causes[DECIDE_SEGMENT] > 300 &&
                causes[DECIDE_RADIX] > 300);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static const double mended = 0.23; /* which no mean of these times meets exactly */
enum { SIZES = 4, CHOICES = 3, RUNS = 3, OPTIONS = CHOICES + 1 /* 0: the decision stays */ };

/* A time for each size, run, and choice (0: the decision). */
struct times {
    double of[SIZES][RUNS][OPTIONS];
    int32_t runs;
};

/* What an option costs at a size: INFINITY where no rule may take it. */
static double cost_of(const struct times *times, int32_t size, int32_t option)
{
    double score[OPTIONS] = {0}, best = 0;
    int32_t lost = 0;
    for (int32_t r = 0; r < times->runs; r++) {
        const double *of = times->of[size][r];
        lost += of[0] > (1 + mended) * fmin(of[1], fmin(of[2], of[3]));
        for (int32_t k = 1; k < OPTIONS; k++)
            score[k] += log(of[k] / of[0]) / times->runs;
    }
    for (int32_t k = 1; k < OPTIONS; k++)
        best = fmin(best, score[k]);
    if (lost == 0 || 2 * lost < times->runs) /* what is good stays, or loses half the threshold */
        return fmax(score[option], 0) <= log(1 + mended) / 2 ? fmax(score[option], 0) : INFINITY;
    if (option == 0)
        return best >= 0 ? 0 : INFINITY;
    return score[option] - best <= log(1 + mended) ? score[option] - best : INFINITY;
}

static double cost_of_all(const struct times *times, const int32_t option[SIZES])
{
    double sum = 0;
    for (int32_t i = 0; i < SIZES; i++)
        sum += cost_of(times, i, option[i]) +
               (i > 0 && option[i] != option[i - 1] ? log(1 + mended) / 2 : 0);
    return sum;
}

static double least_cost(const struct times *times)
{
    double least = INFINITY;
    for (int32_t i = 0; i < OPTIONS * OPTIONS * OPTIONS * OPTIONS; i++) {
        const int32_t option[SIZES] = {i % OPTIONS, i / OPTIONS % OPTIONS,
                                       i / OPTIONS / OPTIONS % OPTIONS,
                                       i / OPTIONS / OPTIONS / OPTIONS};
        least = fmin(least, cost_of_all(times, option));
    }
    return least;
}

static void make_times(struct times *times, struct decide *audit)
{
    static const char *const runs[RUNS] = {"a", "b", "c"}, *const names[CHOICES] = {"x", "y", "z"};
    const struct decide_place setting = {.place = "here", .collective = "bcast", .ppn = 1};
    const size_t number = decide_add_place(audit, &setting);
    times->runs = 1 + random_below(RUNS);
    for (int32_t i = 0; i < SIZES; i++)
        for (int32_t r = 0; r < times->runs; r++) {
            struct decide_way choice = {.low_s = NAN, .high_s = NAN, .offered = true};
            struct decide_call point = {.place = number,
                                        .run = runs[r],
                                        .p = 8,
                                        .m_bytes = 8 << i,
                                        .has_own = true,
                                        .own = choice};
            for (int32_t k = 0; k < OPTIONS; k++)
                times->of[i][r][k] = 16 + random_below(10);
            point.own.time_s = times->of[i][r][0];
            decide_add_call(audit, &point);
            for (int32_t k = 1; k < OPTIONS; k++) {
                choice.name = choice.algorithm = names[k - 1];
                choice.time_s = times->of[i][r][k];
                decide_add_way(audit, &choice);
            }
        }
}

/* The rules cost no more than any others. */
static void rules_are_the_cheapest(void **state)
{
    int32_t with_rules = 0;
    (void)state;
    for (uint32_t run = 0; run < 4000; run++) {
        struct decide audit = {0};
        struct times times;
        int32_t option[SIZES];
        seed = run * 2654435761u;
        make_times(&times, &audit);
        decide_judge(&audit, mended);
        decide_mend(&audit);
        for (int32_t i = 0; i < SIZES; i++) {
            const struct decide_call point = {.p = 8, .m_bytes = 8 << i};
            const struct decide_rule *rule = decide_rule_for(&audit, &point);
            assert_true((rule != NULL) == (audit.loss_count > 0));
            option[i] = rule == NULL || rule->choice == NULL ? 0 : rule->choice->name[0] - 'x' + 1;
        }
        const double cost = cost_of_all(&times, option), least = least_cost(&times);
        if (audit.loss_count > 0 && !(cost <= least + 1e-9))
            fail_msg("seed %d: rules cost %g, others %g", (int)run, cost, least);
        with_rules += audit.rule_count > 1;
        decide_free(&audit);
    }
    assert_true(with_rules > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_as_defined),
        cmocka_unit_test(rules_are_the_cheapest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
