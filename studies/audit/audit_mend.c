/* audit_mend.c - the rules that would mend an audit's losses.
 *
 * For each p a rule is chosen at each size, from small to large, so that the sum of what the rules
 * cost is least (dynamic programming over the sizes): the logarithm of how much slower than the
 * best a choice is at each size, and a toll for each change from one size to the next. Where the
 * decision does not lose, it may stay for nothing, and no other choice is rewarded for being
 * faster. So rules are few, none loses by more than the threshold, and what is good stays. */
#include <math.h>
#include <stdlib.h>

#include "studies/audit/audit.h"
#include "support/memory.h"

/* The points of one (setting, p, m), one for each run. */
struct group {
    size_t first, count;
};

/* Options of a group are to let the decision stay, and the choices of its first point. */
enum { KEEP = 0 };

struct mending {
    struct audit *audit;
    struct group *groups; /* of one setting and p */
    size_t group_count;
    size_t width;  /* the most options of a group */
    double *cost;  /* of the cheapest rules up to this group that end with this option */
    size_t *from;  /* the option before it */
    size_t *taken; /* of each group */
};

static const struct audit_point *point_of(const struct mending *mending, size_t group)
{
    return &mending->audit->points[mending->groups[group].first];
}

static size_t options_of(const struct mending *mending, size_t group)
{
    return point_of(mending, group)->count + 1;
}

/* NULL: the decision stays. */
static const struct audit_choice *choice_of(const struct mending *mending, size_t group,
                                            size_t option)
{
    const size_t first = point_of(mending, group)->first;
    return option == KEEP ? NULL : &mending->audit->choices[first + option - 1];
}

/* The mean over the runs of the logarithm of the choice's time to the decision's; INFINITY if a run
 * lacks either. */
static double score_of(const struct mending *mending, size_t group,
                       const struct audit_choice *choice)
{
    const struct group *runs = &mending->groups[group];
    double sum = 0;
    if (!choice->offered)
        return INFINITY;
    for (size_t i = 0; i < runs->count; i++) {
        const struct audit_point *point = &mending->audit->points[runs->first + i];
        const struct audit_choice *same = audit_find_choice(mending->audit, point, choice);
        if (same == NULL || isnan(same->time_s) || isnan(point->decision.time_s))
            return INFINITY;
        sum += log(audit_ratio(same, &point->decision));
    }
    return sum / (double)runs->count;
}

/* True if at least half of the runs lose. */
static bool is_lost(const struct mending *mending, size_t group)
{
    const struct group *runs = &mending->groups[group];
    size_t lost = 0;
    for (size_t i = 0; i < runs->count; i++)
        lost += mending->audit->points[runs->first + i].verdict == AUDIT_LOSES;
    return 2 * lost >= runs->count && lost > 0;
}

/* ---- The cheapest rules ---------------------------------------------------------------------- */

/* Of each option of a group: INFINITY where a rule may not take it. */
static void local_costs(const struct mending *mending, size_t group, double costs[])
{
    const double limit = log(1 + mending->audit->threshold);
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
    const struct audit_choice *left = choice_of(mending, group - 1, before);
    const struct audit_choice *right = choice_of(mending, group, option);
    return left == NULL || right == NULL ? left != right : !audit_same_choice(left, right);
}

static void extend(struct mending *mending, size_t group, const double costs[])
{
    const double toll = log(1 + mending->audit->threshold) / 2;
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
static void count_group(const struct mending *mending, size_t group, struct audit_rule *rule)
{
    const struct group *runs = &mending->groups[group];
    for (size_t i = 0; i < runs->count; i++) {
        const struct audit_point *point = &mending->audit->points[runs->first + i];
        const struct audit_choice *choice =
            rule->choice == NULL ? &point->decision
                                 : audit_find_choice(mending->audit, point, rule->choice);
        if (isnan(point->decision.time_s) || choice == NULL)
            continue;
        const double ratio = audit_ratio(&point->decision, choice);
        rule->mended += rule->choice != NULL && point->verdict == AUDIT_LOSES;
        rule->gain = exp((rule->points * log(rule->gain) + log(ratio)) / (rule->points + 1));
        rule->worst = fmax(rule->worst, ratio);
        rule->points++;
    }
}

static void add_rules(struct mending *mending)
{
    struct audit *audit = mending->audit;
    struct audit_rule *rule = NULL;
    for (size_t i = 0; i < mending->group_count; i++) {
        const struct audit_point *point = point_of(mending, i);
        if (rule == NULL || is_change(mending, i, mending->taken[i - 1], mending->taken[i])) {
            sup_grow(&audit->rules, audit->rule_count, sizeof *audit->rules);
            rule = &audit->rules[audit->rule_count++];
            *rule = (struct audit_rule){.setting = point->setting,
                                        .p_low = point->p,
                                        .p_high = point->p,
                                        .m_low = point->m_bytes,
                                        .choice = choice_of(mending, i, mending->taken[i]),
                                        .gain = 1};
        }
        rule->m_high = point->m_bytes;
        count_group(mending, i, rule);
    }
}

/* The groups of the setting and p that begin at this point; returns the point behind them. */
static size_t find_groups(struct mending *mending, size_t first)
{
    const struct audit *audit = mending->audit;
    size_t i = first;
    mending->group_count = 0;
    for (; i < audit->point_count && audit->points[i].setting == audit->points[first].setting &&
           audit->points[i].p == audit->points[first].p;
         i++) {
        const bool same = i > first && audit->points[i].m_bytes == audit->points[i - 1].m_bytes;
        if (!same)
            mending->groups[mending->group_count++] = (struct group){i, 0};
        mending->groups[mending->group_count - 1].count++;
    }
    return i;
}

/* ---- Rules of several p ---------------------------------------------------------------------- */

static bool same_rule(const struct audit_rule *a, const struct audit_rule *b)
{
    if (a->setting != b->setting || a->m_low != b->m_low || a->m_high != b->m_high)
        return false;
    return a->choice == NULL || b->choice == NULL ? a->choice == b->choice
                                                  : audit_same_choice(a->choice, b->choice);
}

static void add_counts(struct audit_rule *rule, const struct audit_rule *other)
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
static void join(struct audit *audit, size_t first, size_t second)
{
    const size_t count = audit->rule_count - second;
    bool same = count == second - first;
    for (size_t i = 0; i < count && same; i++)
        same = same_rule(&audit->rules[first + i], &audit->rules[second + i]);
    for (size_t i = 0; i < count && same; i++) {
        audit->rules[first + i].p_high = audit->rules[second + i].p_high;
        add_counts(&audit->rules[first + i], &audit->rules[second + i]);
    }
    if (same)
        audit->rule_count = second;
}

const struct audit_rule *audit_rule_for(const struct audit *audit, const struct audit_point *point)
{
    for (size_t i = 0; i < audit->rule_count; i++) {
        const struct audit_rule *rule = &audit->rules[i];
        if (rule->setting == point->setting && rule->p_low <= point->p &&
            point->p <= rule->p_high && rule->m_low <= point->m_bytes &&
            point->m_bytes <= rule->m_high)
            return rule;
    }
    return NULL;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool loses_anywhere(const struct audit *audit, size_t setting)
{
    for (size_t i = 0; i < audit->loss_count; i++)
        if (audit->losses[i]->setting == setting)
            return true;
    return false;
}

void audit_mend(struct audit *audit)
{
    struct mending mending = {.audit = audit,
                              .groups = sup_calloc(audit->point_count, sizeof(struct group))};
    size_t before = 0; /* the first rule of the p before */
    audit->rule_count = 0;
    for (size_t i = 0; i < audit->point_count;) {
        const size_t setting = audit->points[i].setting, first = audit->rule_count;
        i = find_groups(&mending, i);
        if (!loses_anywhere(audit, setting))
            continue;
        choose(&mending);
        add_rules(&mending);
        free(mending.cost);
        free(mending.from);
        free(mending.taken);
        if (first > 0 && audit->rules[first - 1].setting == setting)
            join(audit, before, first);
        if (audit->rule_count > first)
            before = first;
    }
    free(mending.groups);
}
