#include "command/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/runs.h"
#include "experiments/point/words.h"
#include "platforms/platform.h"
#include "support/memory.h"

enum kind { BLOCKS, PLACEMENT, ROUTING, ALGORITHM, KINDS };

enum { MOST_TRIES = 16, MOST_RIVALS = 8 };

/* A changed point, and what came of it. */
struct
try {
    enum kind kind;
    char what[128]; /* "n = 64" */
    struct point point;
    double time_s; /* NAN: it failed */
};

struct tries {
    const struct point *point; /* as it was run */
    double left_s;             /* real time for more, by estimate */
    struct try one[MOST_TRIES];
    size_t count, skipped; /* skipped: they would take too long */
    struct point_rule placement[2];
    struct point_known_platform platform; /* with another routing */
    struct point_groupings groupings;
};

/* The try to be changed and added; those beyond the last are not kept. */
static struct try *begin(struct tries *tries, enum kind kind)
{
    static const size_t last = MOST_TRIES - 1;
    struct try *one = &tries->one[tries->count < last ? tries->count : last];
    *one = (struct try){.kind = kind, .point = *tries->point, .time_s = NAN};
    return one;
}

/* Keeps the try if there is such a plan and time for it. */
static void add(struct tries *tries, struct try *one)
{
    struct sup_error error;
    if (tries->count == MOST_TRIES - 1 || point_estimate(&one->point, &error) != RB_OK)
        return;
    if (one->point.cost_s > tries->left_s) {
        tries->skipped++;
        return;
    }
    tries->left_s -= one->point.cost_s;
    tries->count++;
}

/* ---- Other n --------------------------------------------------------------------------------- */

/* The closed form's best n for the latency and bandwidth between two hosts; 0: there is none. */
static int64_t closed_n(const struct point *point, const struct rb_plan_spec *spec)
{
    int64_t n = 0;
    const struct point_known_platform *platform = point->platform;
    const int status =
        rb_best_n(spec, point->m_bytes, platform->alpha_s, platform->beta_s_per_byte, &n);
    return status == RB_OK ? n : 0;
}

static void add_blocks(struct tries *tries)
{
    const struct point *point = tries->point;
    if (point->algorithm == NULL || !point->algorithm->pipelined)
        return;
    const int64_t closed = closed_n(point, &point->plan);
    const int64_t middle = closed > 0 && closed < INT64_MAX / 2 ? closed : point->plan.n;
    const int64_t n[] = {middle, middle / 2, middle < INT64_MAX / 2 ? 2 * middle : middle};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        struct try *one = begin(tries, BLOCKS);
        if (n[i] < 1 || n[i] == point->plan.n || n[i] > point->m_bytes)
            continue;
        one->point.plan.n = n[i];
        snprintf(one->what, sizeof one->what, "-n %" PRId64, n[i]);
        add(tries, one);
    }
}

/* ---- Other hosts and routes ------------------------------------------------------------------ */

/* Where hosts are all alike, places matter only to ranks that share hosts. */
static void add_placements(struct tries *tries, bool uncontended)
{
    static const char *const words[] = {"block", "search:1"};
    const struct point *point = tries->point;
    struct sup_error error;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct point_rule *rule = &tries->placement[i];
        struct try *one = begin(tries, PLACEMENT);
        if ((uncontended && point->ppn == 1) || point->plan.p <= point->ppn ||
            strcmp(point->placement, words[i]) == 0 || (i > 0 && point->placement_rule->search) ||
            point_rule_read(POINT_PLACEMENT, words[i], rule, &error) != RB_OK)
            continue;
        point_set_rule(&one->point, POINT_PLACEMENT, rule);
        snprintf(one->what, sizeof one->what, "--placement %s", words[i]);
        add(tries, one);
    }
}

/* By load, where it is by minimal routes. */
static void add_routing(struct tries *tries)
{
    const struct point *point = tries->point;
    const struct sim_spec how = {.options = point->options, .option_count = point->option_count};
    struct sup_error error;
    if (strncmp(point->platform_text, "dragonfly", strlen("dragonfly")) != 0 ||
        !platform_is_generated(point->platform_text) ||
        strstr(point->platform_text, "routing=") != NULL)
        return;
    struct try *one = begin(tries, ROUTING);
    char *text = sup_format("%s,routing=ugal", point->platform_text);
    if (point_known_platform_make(text, &how, point->engine, &tries->platform, &error) == RB_OK) {
        point_set_platform(&one->point, &tries->platform);
        snprintf(one->what, sizeof one->what, "--platform %.100s", text);
        add(tries, one);
    }
    free(text);
}

/* ---- Other algorithms ------------------------------------------------------------------------ */

struct rival {
    struct rb_plan_spec spec;
    const char *word; /* for its groups; NULL: it does not plan by groups */
    double closed_s;  /* INFINITY: not known */
};

/* Those that plan by groups first, where ranks share something; then by their closed forms. */
SUP_COMPARE(by_promise, struct rival, (a->word == NULL) - (b->word == NULL),
            SUP_ORDER(a->closed_s, b->closed_s), strcmp(a->spec.algorithm, b->spec.algorithm));

static double closed_form(const struct point *point, const struct rb_plan_spec *spec)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    const struct point_known_platform *platform = point->platform;
    struct rb_plan *plan = NULL;
    double time_s = INFINITY;
    if (isnan(platform->alpha_s) || rb_plan_create(spec, &plan, NULL, 0) != RB_OK ||
        rb_plan_cost(plan, &layout, platform->alpha_s, platform->beta_s_per_byte, &time_s) != RB_OK)
        time_s = INFINITY;
    rb_plan_destroy(plan);
    return time_s;
}

/* The algorithm at its best n; grouping NULL: each rank is alone. */
static struct rival make_rival(const struct point *point, const struct rb_algorithm_info *info,
                               const struct point_grouping *grouping)
{
    const char *word = grouping == NULL ? NULL : grouping->name;
    struct point with = *point;
    with.algorithm = info;
    with.plan.algorithm = info->name;
    with.plan.radix = 0;
    with.plan.groups = grouping == NULL ? NULL : grouping->sizes;
    with.plan.n = 1;
    if (word != NULL && strcmp(word, "node") == 0)
        point_set_ports(&with);
    if (info->pipelined) {
        const int64_t n = closed_n(point, &with.plan);
        with.plan.n = n > 0 ? n : 1;
    }
    return (struct rival){with.plan, word, closed_form(point, &with.plan)};
}

/* "--algorithm hosts --groups host -n 34". */
static void describe(const struct rival *rival, char *text, size_t size)
{
    char n[40] = "";
    const bool grouped = rival->word != NULL;
    if (rb_algorithm_find(rival->spec.collective, rival->spec.algorithm)->pipelined)
        snprintf(n, sizeof n, " -n %" PRId64, rival->spec.n);
    snprintf(text, size, "--algorithm %.60s%s%s%s", rival->spec.algorithm,
             grouped ? " --groups " : "", grouped ? rival->word : "", n);
}

static void add_algorithms(struct tries *tries)
{
    const struct point *point = tries->point;
    const struct rb_algorithm_info *info;
    struct rival *rivals = NULL;
    struct sup_error error;
    size_t count = 0;
    point_add_groupings(point, point_group_words, POINT_GROUP_WORDS, false, &tries->groupings,
                        &error);
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++) {
        const bool same = strcmp(info->name, point->plan.algorithm) == 0;
        if (strcmp(info->collective, point->plan.collective) != 0)
            continue;
        for (size_t k = 0; k < (info->groups ? tries->groupings.count : 1); k++) {
            const struct point_grouping *way = info->groups ? &tries->groupings.way[k] : NULL;
            if (way != NULL && !point_groups_suit(info, way->sizes))
                continue;
            if (same && (way == NULL || (point->plan.groups != NULL &&
                                         strcmp(way->sizes, point->plan.groups) == 0)))
                continue;
            sup_grow(&rivals, count, sizeof *rivals);
            rivals[count++] = make_rival(point, info, way);
        }
    }
    if (count > 1)
        qsort(rivals, count, sizeof *rivals, by_promise);
    for (size_t i = 0; i < count && i < MOST_RIVALS; i++) {
        struct try *one = begin(tries, ALGORITHM);
        one->point.plan = rivals[i].spec;
        point_resolve(&one->point);
        describe(&rivals[i], one->what, sizeof one->what);
        add(tries, one);
    }
    free(rivals);
}

/* ---- Running them ---------------------------------------------------------------------------- */

static const struct point *point_at(void *context, size_t i)
{
    return &((struct tries *)context)->one[i].point;
}

static int take(void *context, size_t i, const struct point_outcome *outcome,
                struct sup_error *error)
{
    struct try *one = &((struct tries *)context)->one[i];
    (void)error;
    if (outcome->done)
        one->time_s = outcome->time_s;
    return RB_OK;
}

/* A try that takes ten times as long as all may, and at least this long, is ended. */
static const double least_patience_s = 60;

static int run_all(struct tries *tries, double allowed_s, struct sup_error *error)
{
    struct point_runs runs = {.what = "diagnose",
                              .count = tries->count,
                              .jobs = sup_pool_cores(),
                              .limit_s = fmax(10 * allowed_s, least_patience_s),
                              .context = tries,
                              .at = point_at,
                              .done = take};
    point_runs_start(&runs);
    return point_runs_do(&runs, error);
}

/* ---- Saying what came of it ------------------------------------------------------------------ */

/* Less than this is not worth a change; nor is what the copies of the run itself differ by. */
static const double worthwhile = 0.02;

static const struct try *best_of(const struct tries *tries, enum kind kind, double below_s)
{
    const struct try *best = NULL;
    for (size_t i = 0; i < tries->count; i++) {
        const struct try *one = &tries->one[i];
        if (one->kind == kind && one->time_s < below_s &&
            (best == NULL || one->time_s < best->time_s))
            best = one;
    }
    return best;
}

/* "-n 5, -n 20, --placement search:1", without those that failed. Returns their number. */
static size_t list_all(const struct tries *tries, char *text, size_t size)
{
    size_t count = 0;
    text[0] = '\0';
    for (size_t i = 0; i < tries->count; i++)
        if (!isnan(tries->one[i].time_s)) {
            sup_append(text, size, ", ", "%s", tries->one[i].what);
            count++;
        }
    return count;
}

/* The best, and the best of each other kind. */
static void say_best(const struct tries *tries, double time_s, double below_s, size_t tried,
                     struct out_verdict *verdict)
{
    const struct try *best[KINDS], *first = NULL;
    char text[300] = "", time[32], was[32], words[OUT_WORDS];
    for (int kind = 0; kind < KINDS; kind++) {
        best[kind] = best_of(tries, (enum kind)kind, below_s);
        if (best[kind] != NULL && (first == NULL || best[kind]->time_s < first->time_s))
            first = best[kind];
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (best[kind] != NULL && best[kind] != first)
            sup_append(text, sizeof text, ",", "%s %s with %s", *text == '\0' ? ";" : "",
                       sup_format_seconds(best[kind]->time_s, time, sizeof time), best[kind]->what);
    out_verdict_say(verdict,
                    "With %s it would take %s instead of %s, %s less%s (the best of %zu "
                    "change%s that were simulated).",
                    first->what, sup_format_seconds(first->time_s, time, sizeof time),
                    sup_format_seconds(time_s, was, sizeof was),
                    out_percent(1 - first->time_s / time_s, words), text, tried,
                    sup_plural((int64_t)tried));
}

static void say_found(const struct tries *tries, const struct point_outcome *outcome, bool briefly,
                      struct out_verdict *verdict)
{
    const bool spread = outcome->spread.copies > 0;
    const double below_s =
        fmin((1 - worthwhile) * outcome->time_s, spread ? outcome->spread.low_s : outcome->time_s);
    char all[MOST_TRIES * sizeof tries->one->what];
    const size_t tried = list_all(tries, all, sizeof all);
    bool any = false;
    for (int kind = 0; kind < KINDS; kind++)
        any = any || best_of(tries, (enum kind)kind, below_s) != NULL;
    if (any)
        say_best(tries, outcome->time_s, below_s, tried, verdict);
    else if (briefly)
        return;
    else if (tried > 0)
        out_verdict_say(verdict, "Nothing that was tried helps: %s.", all);
    else if (tries->skipped > 0)
        out_verdict_say(verdict, "Nothing else was tried, because it would take too long.");
}

static void say_how_sure(const struct point *point, const struct point_outcome *outcome,
                         struct out_verdict *verdict)
{
    char copies[80] = "", words[OUT_WORDS];
    if (outcome->spread.copies > 0 && outcome->spread.low_s > 0)
        snprintf(copies, sizeof copies, "; %" PRId32 " copies with jitter differ by %s",
                 outcome->spread.copies,
                 out_percent(outcome->spread.high_s / outcome->spread.low_s - 1, words));
    out_verdict_say(verdict, "All times are simulated by %s, overlap rule %s, not measured%s.",
                    point->engine->name, point->overlap, copies);
}

/* The platform with the latency and bandwidth between hosts, which the run knows unless its first
 * two ranks may share a host. NAN: they are not known. */
static struct point_known_platform probed(const struct point *point,
                                          const struct point_outcome *outcome)
{
    const struct sim_spec how = {.options = point->options, .option_count = point->option_count};
    struct point_known_platform platform = *point->platform;
    struct sup_error error;
    platform.alpha_s = outcome->alpha_s;
    platform.beta_s_per_byte = outcome->beta_s_per_byte;
    if (!outcome->uncontended && point->ppn > 1 &&
        point_known_platform_probe(&platform, &how, point->engine, &error) != RB_OK)
        platform.alpha_s = platform.beta_s_per_byte = NAN;
    return platform;
}

void verb_tries_say(const struct point *run, const struct point_outcome *outcome, double allowed_s,
                    bool briefly, struct out_verdict *verdict)
{
    if (!(outcome->time_s > 0))
        return;
    const struct point_known_platform platform = probed(run, outcome);
    struct point point = *run;
    point.platform = &platform;
    struct tries tries = {.point = &point, .left_s = allowed_s};
    struct sup_error error;
    add_blocks(&tries);
    if (!briefly)
        add_placements(&tries, outcome->uncontended);
    add_routing(&tries);
    add_algorithms(&tries);
    if (tries.count == 0 || run_all(&tries, allowed_s, &error) == RB_OK)
        say_found(&tries, outcome, briefly, verdict);
    else if (!briefly)
        out_verdict_say(verdict, "What would help was not tried: %s.", error.text);
    if (!briefly)
        say_how_sure(&point, outcome, verdict);
    point_known_platform_free(&tries.platform);
    for (size_t i = 0; i < sizeof tries.placement / sizeof *tries.placement; i++)
        point_rule_free(&tries.placement[i]);
    point_groupings_free(&tries.groupings);
}
