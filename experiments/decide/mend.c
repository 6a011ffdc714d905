/* mend.c - the rules that would mend losses.
 *
 * For each p a rule is chosen at each size, from small to large, so that the sum of what the rules
 * cost is least (dynamic programming over the sizes): the logarithm of how much slower than the
 * best a choice is at each size, and a toll for each change from one size to the next. Where the
 * decision does not lose, it may stay for nothing, and no other choice is rewarded for being
 * faster. So rules are few, none loses by more than the threshold, and what is good stays. */
#include <math.h>
#include <stdlib.h>

#include "experiments/decide/decide.h"
#include "support/memory.h"

/* The points of one (place, p, m), one for each run. */
struct group {
    size_t first, count;
};

/* Options of a group are to let the decision stay, and the choices of its first call. */
enum { KEEP = 0 };

struct mending {
    struct decide *decision;
    struct group *groups; /* of one place and p */
    size_t group_count;
    size_t width;  /* the most options of a group */
    double *cost;  /* of the cheapest rules up to this group that end with this option */
    size_t *from;  /* the option before it */
    size_t *taken; /* of each group */
};

static const struct decide_call *call_of(const struct mending *mending, size_t group)
{
    return &mending->decision->calls[mending->groups[group].first];
}

static size_t options_of(const struct mending *mending, size_t group)
{
    return call_of(mending, group)->count + 1;
}

/* NULL: the decision stays. */
static const struct decide_way *choice_of(const struct mending *mending, size_t group,
                                          size_t option)
{
    const size_t first = call_of(mending, group)->first;
    return option == KEEP ? NULL : &mending->decision->ways[first + option - 1];
}

/* The mean over the runs of the logarithm of the choice's time to the decision's; INFINITY if a run
 * lacks either. */
static double score_of(const struct mending *mending, size_t group, const struct decide_way *way)
{
    const struct group *runs = &mending->groups[group];
    double sum = 0;
    if (!way->offered)
        return INFINITY;
    for (size_t i = 0; i < runs->count; i++) {
        const struct decide_call *call = &mending->decision->calls[runs->first + i];
        const struct decide_way *same = decide_find_way(mending->decision, call, way);
        if (same == NULL || isnan(same->time_s) || isnan(call->own.time_s))
            return INFINITY;
        sum += log(decide_ratio(same, &call->own));
    }
    return sum / (double)runs->count;
}

/* True if at least half of the runs lose. */
static bool is_lost(const struct mending *mending, size_t group)
{
    const struct group *runs = &mending->groups[group];
    size_t lost = 0;
    for (size_t i = 0; i < runs->count; i++)
        lost += mending->decision->calls[runs->first + i].verdict == DECIDE_LOSES;
    return 2 * lost >= runs->count && lost > 0;
}

/* ---- The cheapest rules ---------------------------------------------------------------------- */

/* Of each option of a group: INFINITY where a rule may not take it. */
static void local_costs(const struct mending *mending, size_t group, double costs[])
{
    const double limit = log(1 + mending->decision->threshold);
    const size_t options = options_of(mending, group);
    const bool lost = is_lost(mending, group);
    double best = 0;
    for (size_t i = 1; i < options; i++) {
        costs[i] = score_of(mending, group, choice_of(mending, group, i));
        best = fmin(best, costs[i]);
    }
    costs[KEEP] = lost ? INFINITY : 0;
    for (size_t i = 1; i < options; i++) {
        const double loss = lost ? costs[i] - best : fmax(costs[i], 0);
        costs[i] = loss <= (lost ? limit : limit / 2) ? loss : INFINITY;
    }
    if (lost && best >= 0)
        costs[KEEP] = 0; /* what mends one run loses in another */
}

static bool is_change(const struct mending *mending, size_t group, size_t before, size_t option)
{
    const struct decide_way *left = choice_of(mending, group - 1, before);
    const struct decide_way *right = choice_of(mending, group, option);
    return left == NULL || right == NULL ? left != right : !decide_same_way(left, right);
}

static void extend(struct mending *mending, size_t group, const double costs[])
{
    const double toll = log(1 + mending->decision->threshold) / 2;
    double *cost = mending->cost + group * mending->width;
    size_t *from = mending->from + group * mending->width;
    for (size_t i = 0; i < options_of(mending, group); i++) {
        cost[i] = group == 0 ? costs[i] : INFINITY;
        for (size_t k = 0; group > 0 && k < options_of(mending, group - 1); k++) {
            const double sum = mending->cost[(group - 1) * mending->width + k] + costs[i] +
                               (is_change(mending, group, k, i) ? toll : 0);
            if (sum < cost[i]) {
                cost[i] = sum;
                from[i] = k;
            }
        }
    }
}

static void take_cheapest(struct mending *mending)
{
    const double *last = mending->cost + (mending->group_count - 1) * mending->width;
    size_t option = KEEP;
    for (size_t i = 1; i < options_of(mending, mending->group_count - 1); i++)
        if (last[i] < last[option])
            option = i;
    for (size_t group = mending->group_count; group-- > 0;) {
        mending->taken[group] = option;
        option = mending->from[group * mending->width + option];
    }
}

static void choose(struct mending *mending)
{
    mending->width = 1;
    for (size_t i = 0; i < mending->group_count; i++)
        if (options_of(mending, i) > mending->width)
            mending->width = options_of(mending, i);
    const size_t room = mending->group_count * mending->width;
    double *costs = sup_calloc(mending->width, sizeof *costs);
    mending->cost = sup_calloc(room, sizeof *mending->cost);
    mending->from = sup_calloc(room, sizeof *mending->from);
    mending->taken = sup_calloc(mending->group_count, sizeof *mending->taken);
    for (size_t i = 0; i < mending->group_count; i++) {
        local_costs(mending, i, costs);
        extend(mending, i, costs);
    }
    take_cheapest(mending);
    free(costs);
}

/* ---- Rules of one p -------------------------------------------------------------------------- */

/* Counts the group's points to the rule. */
static void count_group(const struct mending *mending, size_t group, struct decide_rule *rule)
{
    const struct group *runs = &mending->groups[group];
    for (size_t i = 0; i < runs->count; i++) {
        const struct decide_call *call = &mending->decision->calls[runs->first + i];
        const struct decide_way *way = rule->choice == NULL
                                           ? &call->own
                                           : decide_find_way(mending->decision, call, rule->choice);
        if (isnan(call->own.time_s) || way == NULL)
            continue;
        const double ratio = decide_ratio(&call->own, way);
        rule->mended += rule->choice != NULL && call->verdict == DECIDE_LOSES;
        rule->gain = exp((rule->points * log(rule->gain) + log(ratio)) / (rule->points + 1));
        rule->worst = fmax(rule->worst, ratio);
        rule->points++;
    }
}

static void add_rules(struct mending *mending)
{
    struct decide *decision = mending->decision;
    struct decide_rule *rule = NULL;
    for (size_t i = 0; i < mending->group_count; i++) {
        const struct decide_call *call = call_of(mending, i);
        if (rule == NULL || is_change(mending, i, mending->taken[i - 1], mending->taken[i])) {
            sup_grow(&decision->rules, decision->rule_count, sizeof *decision->rules);
            rule = &decision->rules[decision->rule_count++];
            *rule = (struct decide_rule){.place = call->place,
                                         .p_low = call->p,
                                         .p_high = call->p,
                                         .m_low = call->m_bytes,
                                         .choice = choice_of(mending, i, mending->taken[i]),
                                         .gain = 1};
        }
        rule->m_high = call->m_bytes;
        count_group(mending, i, rule);
    }
}

/* The groups of the place and p that begin at this call; returns the call behind them. */
static size_t find_groups(struct mending *mending, size_t first)
{
    const struct decide *decision = mending->decision;
    size_t i = first;
    mending->group_count = 0;
    for (; i < decision->call_count && decision->calls[i].place == decision->calls[first].place &&
           decision->calls[i].p == decision->calls[first].p;
         i++) {
        const bool same = i > first && decision->calls[i].m_bytes == decision->calls[i - 1].m_bytes;
        if (!same)
            mending->groups[mending->group_count++] = (struct group){i, 0};
        mending->groups[mending->group_count - 1].count++;
    }
    return i;
}

/* ---- Rules of several p ---------------------------------------------------------------------- */

static bool same_rule(const struct decide_rule *a, const struct decide_rule *b)
{
    if (a->place != b->place || a->m_low != b->m_low || a->m_high != b->m_high)
        return false;
    return a->choice == NULL || b->choice == NULL ? a->choice == b->choice
                                                  : decide_same_way(a->choice, b->choice);
}

static void add_counts(struct decide_rule *rule, const struct decide_rule *other)
{
    const int32_t points = rule->points + other->points;
    if (points > 0)
        rule->gain =
            exp((rule->points * log(rule->gain) + other->points * log(other->gain)) / points);
    rule->worst = fmax(rule->worst, other->worst);
    rule->mended += other->mended;
    rule->points = points;
}

/* Joins the rules of a p, from `second` on, with those of the p before it, from `first` on, if they
 * are the same. */
static void join(struct decide *decision, size_t first, size_t second)
{
    const size_t count = decision->rule_count - second;
    bool same = count == second - first;
    for (size_t i = 0; i < count && same; i++)
        same = same_rule(&decision->rules[first + i], &decision->rules[second + i]);
    for (size_t i = 0; i < count && same; i++) {
        decision->rules[first + i].p_high = decision->rules[second + i].p_high;
        add_counts(&decision->rules[first + i], &decision->rules[second + i]);
    }
    if (same)
        decision->rule_count = second;
}

const struct decide_rule *decide_rule_for(const struct decide *decision,
                                          const struct decide_call *call)
{
    for (size_t i = 0; i < decision->rule_count; i++) {
        const struct decide_rule *rule = &decision->rules[i];
        if (rule->place == call->place && rule->p_low <= call->p && call->p <= rule->p_high &&
            rule->m_low <= call->m_bytes && call->m_bytes <= rule->m_high)
            return rule;
    }
    return NULL;
}

const struct decide_way *decide_mended(const struct decide *decision,
                                       const struct decide_call *call)
{
    const struct decide_rule *rule = decide_rule_for(decision, call);
    const struct decide_way *choice =
        rule == NULL || rule->choice == NULL ? NULL : decide_find_way(decision, call, rule->choice);
    return choice == NULL ? &call->own : choice;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool loses_anywhere(const struct decide *decision, size_t place)
{
    for (size_t i = 0; i < decision->loss_count; i++)
        if (decision->losses[i]->place == place)
            return true;
    return false;
}

void decide_mend(struct decide *decision)
{
    struct mending mending = {.decision = decision,
                              .groups = sup_calloc(decision->call_count, sizeof(struct group))};
    size_t before = 0; /* the first rule of the p before */
    decision->rule_count = 0;
    for (size_t i = 0; i < decision->call_count;) {
        const size_t place = decision->calls[i].place, first = decision->rule_count;
        i = find_groups(&mending, i);
        if (!loses_anywhere(decision, place))
            continue;
        choose(&mending);
        add_rules(&mending);
        free(mending.cost);
        free(mending.from);
        free(mending.taken);
        if (first > 0 && decision->rules[first - 1].place == place)
            join(decision, before, first);
        if (decision->rule_count > first)
            before = first;
    }
    for (size_t i = 0; i < decision->rule_count; i++)
        if (decision->rules[i].choice == NULL)
            decision->rules[i].gain = decision->rules[i].worst = NAN;
    free(mending.groups);
}
