/* The registry's statements, against the plans: the formulas of rb_algorithm_info.rounds are read
 * and evaluated, closed forms and C2 are counted, and no plan is below a bound; for all p, n,
 * ports, radices and groups. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/patterns/streams.h"
#include "schedules/plan/plan.h"
#include "tests/every_plan.h"

/* ---- Formulas --------------------------------------------------------------------------------
 *
 * sum: product, + or - between; product: powers side by side or with / between; power: factor ^
 * power; factor: a number, a letter, (sum), ceil and floor, log2 and log_BASE of a power, min and
 * max. */
struct formula {
    const char *at;
    double value['z' + 1]; /* of letters; NAN: not known */
    bool unknown;
};

static double sum(struct formula *f);
static double power(struct formula *f);

static bool accept(struct formula *f, const char *token)
{
    while (*f->at == ' ')
        f->at++;
    if (strncmp(f->at, token, strlen(token)) != 0)
        return false;
    f->at += strlen(token);
    return true;
}

static double in_brackets(struct formula *f)
{
    const double value = sum(f);
    f->unknown = f->unknown || !accept(f, ")");
    return value;
}

static double of_two(struct formula *f, bool least)
{
    const double a = sum(f);
    f->unknown = f->unknown || !accept(f, ",");
    const double b = in_brackets(f);
    return (a < b) == least ? a : b;
}

static double letter(struct formula *f)
{
    while (*f->at == ' ')
        f->at++;
    if (isalpha((unsigned char)*f->at) && !isalpha((unsigned char)f->at[1])) {
        const double value = f->value[(unsigned char)*f->at++];
        f->unknown = f->unknown || isnan(value);
        return value;
    }
    f->unknown = true;
    return NAN;
}

static double factor(struct formula *f)
{
    char *end;
    if (accept(f, "ceil("))
        return ceil(in_brackets(f) - 1e-9);
    if (accept(f, "floor("))
        return floor(in_brackets(f) + 1e-9);
    if (accept(f, "min("))
        return of_two(f, true);
    if (accept(f, "max("))
        return of_two(f, false);
    if (accept(f, "log2"))
        return log2(power(f));
    if (accept(f, "log_(")) {
        const double base = in_brackets(f);
        return log(power(f)) / log(base);
    }
    if (accept(f, "log_")) {
        const double base = letter(f);
        return log(power(f)) / log(base);
    }
    if (accept(f, "("))
        return in_brackets(f);
    if (isdigit((unsigned char)*f->at)) {
        const double value = strtod(f->at, &end);
        f->at = end;
        return value;
    }
    return letter(f);
}

static double power(struct formula *f)
{
    const double base = factor(f);
    return !f->unknown && accept(f, "^") ? pow(base, power(f)) : base;
}

static double product(struct formula *f)
{
    double value = power(f);
    while (!f->unknown) {
        if (accept(f, "/"))
            value /= power(f);
        else if (*f->at == '(' || isalnum((unsigned char)*f->at))
            value *= power(f);
        else
            break;
    }
    return value;
}

static double sum(struct formula *f)
{
    double value = product(f);
    while (!f->unknown) {
        if (accept(f, "+"))
            value += product(f);
        else if (accept(f, "-"))
            value -= product(f);
        else
            break;
    }
    return value;
}

enum relation { EQUAL, AT_MOST, UNREADABLE, NOT_STATED };

/* What rounds of plans by groups are made of: the groups, and streams (streams.h) where each rank
 * is alone. */
static void know_groups(const struct rb_plan *plan, struct formula *f)
{
    const struct rb_stream_figures alone = rb_stream_figures(1, RB_LEADER);
    f->value['D'] = alone.classes;
    f->value['E'] = alone.root.lead;
    f->value['G'] = alone.root.drain;
    f->value['F'] = alone.drain;
    f->value['N'] = plan->groups.count;
    f->value['J'] = f->value['K'] = rb_group_size(&plan->groups, 0);
    for (int32_t group = 1; group < plan->groups.count; group++) {
        f->value['J'] = fmin(f->value['J'], rb_group_size(&plan->groups, group));
        f->value['K'] = fmax(f->value['K'], rb_group_size(&plan->groups, group));
    }
    f->value['L'] = plan->radix > 0 ? plan->radix : f->value['J'];
}

/* Cuts off the text from `from` on; true if `from` was in the text. */
static bool cut(char *text, const char *from)
{
    char *at = strstr(text, from);
    if (at != NULL)
        *at = '\0';
    return at != NULL;
}

/* Definitions at the end, ", d = SUM", of which each can use those behind it. */
static void know_definitions(char *text, struct formula *f)
{
    for (char *at = text + strlen(text); at > text; at--) {
        if (strncmp(at, ", ", 2) != 0 || strncmp(at + 3, " = ", 3) != 0)
            continue;
        f->at = at + 6;
        f->value[(unsigned char)at[2]] = sum(f);
        f->unknown = f->unknown || *f->at != '\0';
        *at = '\0';
    }
    f->at = text;
}

/* Reads what the registry states for this plan: alternatives by p after a semicolon. */
static enum relation stated(const struct rb_plan *plan, double *rounds)
{
    char text[160];
    snprintf(text, sizeof text, "%s", plan->algorithm->info.rounds);
    char *other = strstr(text, "; ");
    struct formula f = {.at = text};
    enum relation relation = EQUAL;
    for (int c = 0; c <= 'z'; c++)
        f.value[c] = NAN;
    f.value['p'] = plan->p;
    f.value['n'] = (double)plan->n;
    f.value['k'] = plan->ports;
    f.value['r'] = plan->radix > 0 ? (double)plan->radix : (double)NAN;
    if (plan->algorithm->info.groups)
        know_groups(plan, &f);
    if (strcmp(plan->collective->info.name, "shift") == 0)
        f.value['q'] = plan->problem.shift;
    if (strstr(plan->algorithm->info.name, "mesh") != NULL) {
        f.value['a'] = plan->p / plan->radix;
        f.value['b'] = plan->radix;
    }
    if (other != NULL && cut(other, " if p is no power of two")) {
        if ((plan->p & (plan->p - 1)) != 0)
            f.at = other + 2;
        else
            *other = '\0';
    }
    if (other == NULL)
        know_definitions(text, &f);
    if (other != NULL && cut(other, " if p is odd")) {
        if (plan->p % 2 == 1)
            f.at = other + 2;
        else
            *other = '\0';
    }
    cut(text, ", k ports");
    if (cut(text, " on whole groups") && f.value['J'] < f.value['K'])
        return NOT_STATED;
    const bool or_more = cut(text, ", or 1 more");
    if (accept(&f, "at most "))
        relation = AT_MOST;
    *rounds = sum(&f) + or_more;
    return f.unknown || *f.at != '\0' ? UNREADABLE : or_more ? AT_MOST : relation;
}

/* ---- The registry ---------------------------------------------------------------------------- */

static bool present(const char *name, const char *const names[])
{
    for (int32_t i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int32_t compared, counted;

static void compare(const struct rb_plan *plan)
{
    /* Their formulas are in words, or approximate. */
    static const char *const in_words[] = {"redistribute", NULL};
    static const char *const about[] = {"bruck", NULL};
    double rounds;
    const struct rb_algorithm_info *info = &plan->algorithm->info;
    if (plan->p == 1) { /* the formulas are for p > 1 */
        assert_in_range(plan->rounds, 0, rb_plan_has(plan, RB_SRC) ? 1 : 0);
        return;
    }
    if (strstr(info->rounds, "D (ceil") != NULL && plan->groups.count < plan->p)
        return; /* of streams in larger groups, docs/groups.md has a table */
    if (strcmp(info->name, "hosts") == 0 && info->pipelined && plan->radix > 0)
        return; /* of lanes, test_groups has the rounds */
    const enum relation relation = stated(plan, &rounds);
    if (relation == UNREADABLE) {
        if (!present(info->collective, in_words) && !present(info->name, about))
            fail_msg("%s %s states '%s', which can't be read", info->collective, info->name,
                     info->rounds);
        return;
    }
    if (relation == NOT_STATED)
        return;
    compared++;
    const double difference = (double)plan->rounds - rounds;
    if (difference > 1e-6 || (relation == EQUAL && difference < -1e-6))
        fail_msg("%s %s, p = %d, n = %d, k = %d, %s%s: %d rounds, and '%s' is %g", info->collective,
                 info->name, (int)plan->p, (int)plan->n, (int)plan->ports, plan->instance,
                 plan->groups.text, (int)plan->rounds, info->rounds, rounds);
}

static void above_bounds(const struct rb_plan *plan)
{
    const struct rb_algorithm_info *info = &plan->algorithm->info;
    if (rb_bound_rounds(plan) > plan->rounds || rb_bound_rounds_packed(plan) > plan->rounds ||
        rb_bound_rounds_packed(plan) > rb_bound_rounds(plan))
        fail_msg("%s %s, p = %d, n = %d, k = %d: %d rounds; bounds %d, packed %d", info->collective,
                 info->name, (int)plan->p, (int)plan->n, (int)plan->ports, (int)plan->rounds,
                 (int)rb_bound_rounds(plan), (int)rb_bound_rounds_packed(plan));
}

/* The longest message of each round, found by looking, in bytes. */
static void look(const struct rb_plan *plan, const struct rb_layout *layout, int64_t longest[])
{
    struct rb_op *ops = malloc((size_t)rb_plan_max_ops(plan) * sizeof *ops);
    for (int64_t t = 0; t < rb_plan_rounds(plan); t++)
        longest[t] = 0;
    for (int32_t rank = 0; rank < rb_plan_ranks(plan); rank++) {
        struct rb_rank state;
        rb_plan_rank(plan, rank, &state);
        for (int64_t t = 0; t < rb_plan_rounds(plan); t++) {
            const int32_t count = rb_plan_round(plan, &state, t, ops);
            int64_t bytes = 0;
            for (int32_t i = 0; i < count; i++) {
                if (i == 0 || ops[i].kind != ops[i - 1].kind || ops[i].peer != ops[i - 1].peer ||
                    ops[i].port != ops[i - 1].port)
                    bytes = 0; /* a new message */
                bytes += ops[i].kind == RB_SEND ? rb_layout_bytes(plan, layout, &ops[i].at) : 0;
                longest[t] = bytes > longest[t] ? bytes : longest[t];
            }
        }
    }
    free(ops);
}

static void count_sequence(const struct rb_plan *plan)
{
    enum { BLOCK = 1000 };
    const struct rb_algorithm_info *info = &plan->algorithm->info;
    const double alpha = 1e-6, beta = 1 / 12.5e9;
    struct rb_layout layout = {.bytes = BLOCK * (int64_t)plan->owners * plan->blocks, .element = 1};
    int64_t *longest = malloc(((size_t)plan->rounds + 1) * sizeof *longest), in_sequence = 0,
            stated;
    double closed = 0, seen = 0;
    const int status = rb_plan_cost(plan, &layout, alpha, beta, &closed);
    assert_int_equal(rb_plan_critical_volume(plan, &stated), status);
    if (status == RB_OK) {
        look(plan, &layout, longest);
        for (int64_t t = 0; t < plan->rounds; t++) {
            in_sequence += longest[t];
            seen += longest[t] > 0 ? alpha + beta * (double)longest[t] : 0;
        }
        if (stated * BLOCK != in_sequence || fabs(closed - seen) > 1e-12 * seen)
            fail_msg("%s %s, p = %d, n = %d, k = %d, r = %d, %s%s: %g blocks in sequence, stated "
                     "%d; takes %g, stated %g",
                     info->collective, info->name, (int)plan->p, (int)plan->n, (int)plan->ports,
                     (int)plan->radix, plan->instance, plan->groups.text,
                     (double)in_sequence / BLOCK, (int)stated, seen, closed);
        counted++;
    }
    free(longest);
}

/* Making the plans takes most of the time, so each is made once. */
static void check(const struct rb_plan *plan)
{
    compare(plan);
    above_bounds(plan);
    if (plan->p * plan->ports <= 160 && (plan->p < 20 || (plan->p <= 36 && plan->p % 5 == 0)))
        count_sequence(plan);
}

static void what_is_stated_of_plans_is_true(void **state)
{
    (void)state;
    compared = counted = 0;
    for (int32_t i = 0; rb_algorithm_at(i) != NULL; i++)
        for (int32_t p = 1; p <= 66; p += p < 18 || (p > 29 && p < 34) || p > 61 ? 1 : 4)
            if ((i + p) % ONE_OF == 0)
                for_plans(rb_algorithm_at(i), p, check);
    assert_true(compared > 10000 / ONE_OF && counted > 10000 / ONE_OF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stated_of_plans_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
