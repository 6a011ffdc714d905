/* search_table.c - searches as a decision: tables, notes and the screen. */
#include "experiments/search/search_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/verdict.h"
#include "support/units.h"

/* ---- The tables' own columns ----------------------------------------------------------------- */

/* What a decision shows of a curve, and of a case. */
struct shown_curve {
    const char *rule, *proof, *simulated;
    int64_t closed_n, most_n, tried, model_n, simulated_n;
    double closed_regret, ripple, model_s;
};

struct shown_case {
    const struct search_request *request;
    const struct search_case *is;
    const struct search_curve *curves; /* of all cases */
    int64_t tried, simulations;
    const char *confirmed, *fastest; /* by the confirming engine; NULL: none, and times NAN */
    double confirmed_s, difference;  /* time of the choice */
    int64_t fastest_n;
    double fastest_s, contention;
    struct shown_late { /* with arrivals; NULL, NAN: none */
        const char *name;
        int64_t n;
        double last_s, inside_s;
    } choice, together, other; /* `other` is by the other of the two times */
    double loses;              /* what is best for ranks that come together */
};

/* One for each curve; a case is with its first. */
struct shown {
    struct shown_curve curve;
    struct shown_case a_case;
};

#define WAY(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, member)
#define CURVE(member)  OUT_OF_BASE(DECIDE_ITSELF_MORE, struct shown_curve, member)
#define CHOICE(member) OUT_OF_BASE(DECIDE_CHOICE_MORE, struct shown_curve, member)
#define CASE(member)   OUT_OF_BASE(DECIDE_CALL_MORE, struct shown_case, member)

static const struct out_column best_columns[] = {
    {"algorithm", "algorithm", OUT_WORD, WAY(name)},
    {"rule", "overlap", OUT_WORD, CURVE(rule)},
    {"blocks", "blocks", OUT_COUNT, WAY(n), .positive = true},
    {"time_s", "time", OUT_SECONDS, WAY(time_s)},
    {"closed_n", "closed form's", OUT_COUNT, CURVE(closed_n), .positive = true},
    {"closed_regret", "regret", OUT_SHARE, CURVE(closed_regret)},
    {"most_n", "most blocks", OUT_COUNT, CURVE(most_n)},
    {"tried", "tried", OUT_COUNT, CURVE(tried)},
    {"proof", "proof", OUT_WORD, CURVE(proof)},
    {"ripple", "largest rise", OUT_SHARE, CURVE(ripple)},
    {"model_n", "blocks without contention", OUT_COUNT, CURVE(model_n)},
    {"model_s", "time without contention", OUT_SECONDS, CURVE(model_s)},
    {"simulated", "simulated", OUT_WORD, CURVE(simulated)},
    {"simulated_n", "runs", OUT_COUNT, CURVE(simulated_n)},
};

static const struct out_column decision_columns[] = {
    {"rule", "overlap", OUT_WORD, CHOICE(rule)},
    {"closed_n", "closed form's", OUT_COUNT, CHOICE(closed_n), .positive = true},
    {"closed_regret", "regret", OUT_SHARE, CHOICE(closed_regret)},
    {"tried", "tried", OUT_COUNT, CASE(tried)},
    {"confirmed", "confirmed", OUT_WORD, CASE(confirmed)},
    {"confirmed_s", "time", OUT_SECONDS, CASE(confirmed_s)},
    {"difference", "difference", OUT_SHARE, CASE(difference)},
    {"fastest", "fastest", OUT_WORD, CASE(fastest)},
    {"fastest_blocks", "blocks", OUT_COUNT, CASE(fastest_n), .positive = true},
    {"fastest_s", "time", OUT_SECONDS, CASE(fastest_s)},
    {"contention", "contention", OUT_SHARE, CASE(contention)},
    {"simulations", "simulations", OUT_COUNT, CASE(simulations)},
    {"since_last_s", "since last", OUT_SECONDS, CASE(choice.last_s)},
    {"mean_inside_s", "inside", OUT_SECONDS, CASE(choice.inside_s)},
    {"together_choice", "for together", OUT_WORD, CASE(together.name)},
    {"together_blocks", "blocks", OUT_COUNT, CASE(together.n), .positive = true},
    {"together_since_last_s", "since last", OUT_SECONDS, CASE(together.last_s)},
    {"together_inside_s", "inside", OUT_SECONDS, CASE(together.inside_s)},
    {"together_loses", "loses", OUT_SHARE, CASE(loses)},
    {"other_choice", "by the other", OUT_WORD, CASE(other.name)},
    {"other_blocks", "blocks", OUT_COUNT, CASE(other.n), .positive = true},
    {"other_since_last_s", "since last", OUT_SECONDS, CASE(other.last_s)},
    {"other_inside_s", "inside", OUT_SECONDS, CASE(other.inside_s)},
};

/* On a named platform more is shown. */
#define BEST                                                                                       \
    "algorithm p m_bytes rule blocks time_s closed_n/2 closed_regret/2 most_n/6 tried/6 proof/7 "  \
    "ripple/5"
#define BEST_NAMED BEST " model_n/3 model_s/3 simulated/4 simulated_n/4"
#define DECISION                                                                                   \
    "p m_bytes choice rule blocks segment/8 time_s closed_n/7 closed_regret/7 next_best/2 "        \
    "next_best_blocks/3 next_best_s/3 lead/1 bound_s/5 of_bound limit/5 tried/9 confirmed/4 "      \
    "confirmed_s/4 difference/4 "                                                                  \
    "fastest/6 fastest_blocks/6 fastest_s/6"
#define DECISION_NAMED DECISION " contention/5 simulations/9 low_s/8 high_s tie"
/* With arrivals. */
#define DECISION_LATE                                                                              \
    "p m_bytes choice rule blocks since_last_s mean_inside_s together_choice/2 together_blocks/4 " \
    "together_since_last_s/6 together_inside_s/6 together_loses/2 other_choice/3 other_blocks/5 "  \
    "other_since_last_s/7 other_inside_s/7 next_best/8 next_best_blocks/8 next_best_s/8 lead/8 "   \
    "simulations/9 confirmed/9 confirmed_s/9 difference/9"
#define LOOKS(best, decision)                                                                      \
    {                                                                                              \
        [DECIDE_TUNE_BEST] = {"Best n of each algorithm", best, best_columns,                      \
                              OUT_COUNT_OF(best_columns)},                                         \
        [DECIDE_TUNE_FIT] = {.columns = ""}, [DECIDE_TUNE_REGRET] = {.columns = ""},               \
        [DECIDE_TUNE_DECISION] = {DECIDE_TUNE_TITLE, decision, decision_columns,                   \
                                  OUT_COUNT_OF(decision_columns)},                                 \
    }
static const struct decide_tune_look looks[DECIDE_TUNE_TABLES] = LOOKS(BEST, DECISION),
                                     named_looks[DECIDE_TUNE_TABLES] =
                                         LOOKS(BEST_NAMED, DECISION_NAMED),
                                     late_looks[DECIDE_TUNE_TABLES] =
                                         LOOKS(BEST_NAMED, DECISION_LATE);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* 0 / 0 where there is nothing to send. */
static double regret(double time_s, double best_s)
{
    return time_s == best_s ? 0 : time_s / best_s - 1;
}

/* Engines agree to 1e-9; smaller differences do not count. */
static double difference(double time_s, double best_s)
{
    const double share = regret(time_s, best_s);
    return fabs(share) <= 1e-9 ? 0 : share;
}

bool search_has_time(const struct decide_sample *sample)
{
    return isfinite(sample->time_s);
}

int64_t search_times_of(const struct search_named_runs *named)
{
    int64_t count = 0;
    for (size_t i = 0; i < named->count; i++)
        count += search_has_time(&named->runs[i]);
    return count;
}

/* The regret of the closed form's n is known only if the model knows the platform. */
static struct shown_curve shown_curve(const struct search_request *request,
                                      const struct search_curve *curve)
{
    const struct search_found *found = &curve->found;
    const bool named = search_is_named(request);
    return (struct shown_curve){
        .rule = curve->point.overlap,
        .proof = search_proof_names[found->proof],
        .simulated = search_state_names[curve->named.state],
        .closed_n = found->closed_n,
        .most_n = found->most_n,
        .tried = found->tried,
        .model_n = found->n,
        .simulated_n = search_times_of(&curve->named),
        .closed_regret = named ? NAN : regret(found->closed_s, found->time_s),
        .ripple = found->ripple,
        .model_s = found->time_s,
    };
}

const struct search_run *search_run_of(const struct search_grid *search,
                                       const struct search_case *a_case, size_t run)
{
    const bool ran = a_case->verdict == SEARCH_CONFIRMED || a_case->verdict == SEARCH_OTHER_N ||
                     a_case->verdict == SEARCH_OTHER_CHOICE || a_case->verdict == SEARCH_PARTLY;
    return ran && a_case->run_count > 0 ? &search->runs[run] : NULL;
}

static struct shown_late shown_late(const struct search_request *request,
                                    const struct search_grid *search, const struct search_run *run)
{
    if (run == NULL)
        return (struct shown_late){.last_s = NAN, .inside_s = NAN};
    return (struct shown_late){search->curves[run->curve].name, run->point.plan.n,
                               request->by_inside ? run->other_s : run->time_s,
                               request->by_inside ? run->time_s : run->other_s};
}

/* With arrivals: the choice, what is best for ranks that come together, and by the other time. */
static void show_late(const struct search_request *request, const struct search_grid *search,
                      const struct search_case *a_case, struct shown_case *shown)
{
    const struct search_run *choice = NULL, *together = NULL, *other = NULL;
    const size_t end = request->arrival != NULL ? search->named_count : 0;
    for (size_t i = search->late_first; i < end; i++) {
        const struct search_run *run = &search->runs[i];
        const struct search_curve *curve = &search->curves[run->curve];
        if (run->curve < a_case->first || run->curve >= a_case->first + a_case->count ||
            !isfinite(run->time_s))
            continue;
        if (curve == a_case->winner && run->point.plan.n == curve->named.best.n)
            choice = run;
        if (run->curve == a_case->together && run->point.plan.n == a_case->together_n)
            together = run;
        if (other == NULL || run->other_s < other->other_s * (1 - SEARCH_TIE))
            other = run;
    }
    shown->choice = shown_late(request, search, choice);
    shown->together = shown_late(request, search, together);
    shown->other = shown_late(request, search, other);
    shown->loses =
        choice != NULL && together != NULL ? regret(together->time_s, choice->time_s) : NAN;
}

static struct shown_case shown_case(const struct search_request *request,
                                    const struct search_grid *search,
                                    const struct search_case *a_case)
{
    const struct search_curve *winner = a_case->winner;
    const struct search_run *run = search_run_of(search, a_case, a_case->first_run);
    const double best_s = winner == NULL ? NAN : search_best(request, winner).time_s;
    struct shown_case shown = {.request = request,
                               .is = a_case,
                               .curves = search->curves,
                               .confirmed = search_verdict_names[a_case->verdict],
                               .confirmed_s = NAN,
                               .difference = NAN,
                               .fastest_s = NAN,
                               .contention = NAN};
    for (size_t i = a_case->first; i < a_case->first + a_case->count; i++) {
        shown.tried += search->curves[i].found.tried;
        shown.simulations += search_times_of(&search->curves[i].named);
    }
    show_late(request, search, a_case, &shown);
    if (winner != NULL && request->arrival == NULL)
        shown.contention = difference(best_s, winner->found.time_s);
    if (winner != NULL && run != NULL) {
        const struct search_run *fastest = search_run_of(search, a_case, a_case->fastest_run);
        shown.confirmed_s = run->time_s;
        shown.difference = difference(run->time_s, best_s);
        shown.fastest = search->curves[fastest->curve].name;
        shown.fastest_n = fastest->point.plan.n;
        shown.fastest_s = fastest->time_s;
    }
    return shown;
}

/* "hosts --groups router", and the overlap rule where there are several. */
static const char *type_curve(const struct search_request *request,
                              const struct search_curve *curve, char *text, size_t size)
{
    struct rb_plan_spec spec = curve->point.plan;
    spec.groups = curve->groups;
    point_typed_name(&spec, text, size);
    if (request->overlap_count > 1)
        sup_append(text, size, " ", "--overlap %s", curve->point.overlap);
    if (request->order != NULL && curve->point.placement == request->order->text)
        sup_append(text, size, " ", "--placement %s", request->order->text);
    return text;
}

static int64_t segment_of(const struct search_curve *curve, const struct decide_sample *best)
{
    return search_has_time(best) ? decide_segment(&curve->point.plan, curve->point.m_bytes, best->n)
                                 : 0;
}

struct point_bound search_bound_of(const struct search_request *request,
                                   const struct search_case *a_case)
{
    struct point_bound bound = {.time_s = NAN};
    struct point_run run;
    struct sup_error error;
    if (a_case->winner == NULL || request->asked->cuts.count == 0)
        return bound;
    struct point point = a_case->winner->point;
    if (!rb_takes_root(point.algorithm)) { /* then the order does not matter to the bound */
        point.placement = request->common.placement;
        point.placement_rule = request->common.placement_rule;
    }
    point_set_platform(&point, request->asked);
    const bool one_run =
        point_prepare(&point, &run, &error) == RB_OK && request->arrival == NULL; /* of one seed */
    const struct sim_engine *engine =
        search_is_named(request) ? request->named_engine : point.engine;
    if (one_run && run.spec.want_hosts && search_is_named(request))
        bound = a_case->winner->named.bound; /* its run has found the hosts */
    else if (one_run && !run.spec.want_hosts &&
             point_bound_find(&run.spec, engine, &request->asked->cuts, NULL,
                              request->asked->bounds, &bound, &error) != RB_OK)
        bound.time_s = NAN;
    point_run_free(&run);
    return bound;
}

static void add_way(const struct search_request *request, const struct search_curve *curve,
                    const struct shown_curve *shown, struct decide *decision)
{
    const struct decide_sample best = search_best(request, curve);
    const bool spread = curve->spread.copies > 0;
    char typed[160];
    decide_add_way(decision,
                   &(struct decide_way){.name = curve->name,
                                        .typed = type_curve(request, curve, typed, sizeof typed),
                                        .algorithm = curve->point.plan.algorithm,
                                        .rival = curve->point.plan.algorithm,
                                        .groups = curve->point.plan.groups,
                                        .radix = curve->point.plan.radix,
                                        .n = search_has_time(&best) ? best.n : 0,
                                        .segment_bytes = segment_of(curve, &best),
                                        .offered = true,
                                        .source = DECIDE_SIMULATED,
                                        .time_s = search_has_time(&best) ? best.time_s : NAN,
                                        .low_s = spread ? curve->spread.low_s : NAN,
                                        .high_s = spread ? curve->spread.high_s : NAN,
                                        .confirmed_s = NAN,
                                        .more = shown});
}

/* A search's calls, each with the curves of a case as ways. `shown` has room for its curves. */
static void add_calls(const struct search *search, const struct point *setting,
                      struct shown shown[], struct decide_tune_result *tuning)
{
    struct decide *decision = &tuning->decision;
    const struct search_grid *grid = &search->grid;
    const size_t place =
        decide_add_place(decision, &(struct decide_place){.place = setting->platform_text,
                                                          .collective = setting->plan.collective,
                                                          .ppn = setting->ppn,
                                                          .setting = setting});
    for (size_t i = 0; i < grid->case_count; i++) {
        const struct search_case *a_case = &grid->cases[i];
        const struct point *point = &grid->curves[a_case->first].point;
        struct shown_case *its = &shown[a_case->first].a_case;
        *its = shown_case(&search->request, grid, a_case);
        tuning->confirmed += a_case->verdict == SEARCH_CONFIRMED;
        decide_add_call(decision,
                        &(struct decide_call){.place = place,
                                              .run = "",
                                              .p = point->plan.p,
                                              .m_bytes = point->m_bytes,
                                              .bound = search_bound_of(&search->request, a_case),
                                              .more = its});
        for (size_t k = a_case->first; k < a_case->first + a_case->count; k++) {
            shown[k].curve = shown_curve(&search->request, &grid->curves[k]);
            add_way(&search->request, &grid->curves[k], &shown[k].curve, decision);
        }
    }
}

static void decide(const struct search *const searches[], size_t count,
                   struct decide_tune_result *tuning)
{
    struct decide *decision = &tuning->decision;
    struct shown *shown;
    size_t curves = 0;
    for (size_t i = 0; i < count; i++)
        curves += searches[i]->grid.curve_count;
    tuning->more = shown = sup_calloc(curves + 1, sizeof *shown);
    decision->equal = SEARCH_TIE;
    search_make_room(searches, count, &tuning->data);
    for (size_t i = 0; i < count; i++) {
        const struct search_request *request = &searches[i]->request;
        const bool named = search_is_named(request);
        search_add_settings(searches[i],
                            named ? request->named_engine->name : request->common.engine_text,
                            named ? request->asked : request->common.platform, &tuning->data);
        add_calls(searches[i], &tuning->data.settings[tuning->data.setting_count - 1], shown,
                  tuning);
        shown += searches[i]->grid.curve_count;
    }
    decide_judge(decision, 0);
    for (size_t i = 0; i < decision->call_count; i++)
        decision->calls[i].tie =
            search_tie(((const struct shown_case *)decision->calls[i].more)->is,
                       ((const struct shown_case *)decision->calls[i].more)->curves);
}

/* ---- Notes ------------------------------------------------------------------------------- */

/* What its notes count. */
struct tally {
    size_t state[SEARCH_STATES + 1]; /* algorithms; the last have no plan */
    size_t cases, confirmed, others; /* others: by the confirming engine another is faster */
    double difference;               /* the largest, of confirmed times */
};

/* What came of an algorithm at any p and m, the best of it and of `best`. */
static enum search_state state_of(const struct search *search, const char *algorithm,
                                  enum search_state best)
{
    for (size_t i = 0; i < search->grid.curve_count; i++) {
        const struct search_curve *curve = &search->grid.curves[i];
        const enum search_state state =
            search_is_named(&search->request) ? curve->named.state : SEARCH_SIMULATED;
        if (best != SEARCH_SIMULATED && strcmp(curve->point.plan.algorithm, algorithm) == 0 &&
            (best == SEARCH_STATES || state != SEARCH_EXCLUDED))
            best = state;
    }
    return best;
}

/* Counts the algorithms of the i-th search's collective, unless it had an earlier search. */
static void count_states_of(const struct search *const searches[], size_t count, size_t i,
                            struct tally *tally)
{
    const struct search_request *request = &searches[i]->request;
    const char *collective = request->common.plan.collective;
    for (size_t k = 0; k < i; k++)
        if (strcmp(searches[k]->request.common.plan.collective, collective) == 0)
            return;
    for (size_t a = 0; a < request->algorithm_count; a++) {
        enum search_state state = SEARCH_STATES;
        for (size_t k = i; k < count; k++)
            if (strcmp(searches[k]->request.common.plan.collective, collective) == 0)
                state = state_of(searches[k], request->algorithm[a], state);
        tally->state[state]++;
    }
}

static struct tally tally_of(const struct search *const searches[], size_t count)
{
    struct tally tally = {0};
    for (size_t i = 0; i < count; i++) {
        const struct search_grid *grid = &searches[i]->grid;
        count_states_of(searches, count, i, &tally);
        for (size_t k = 0; k < grid->case_count; k++) {
            const struct shown_case shown =
                shown_case(&searches[i]->request, grid, &grid->cases[k]);
            tally.cases++;
            tally.confirmed += isnan(shown.confirmed_s) ? 0 : 1;
            const enum search_verdict verdict = grid->cases[k].verdict;
            if (verdict == SEARCH_OTHER_N || verdict == SEARCH_OTHER_CHOICE)
                tally.others++;
            tally.difference = fmax(tally.difference, fabs(shown.difference));
        }
    }
    return tally;
}

/* "; simgrid agrees to 0.01 % at 2 of 3 points" */
static void say_agreement(const struct search_request *request, const struct tally *tally,
                          char *text, size_t size)
{
    char share[OUT_WORDS], where[64] = "";
    text[0] = '\0';
    if (request->confirm_engine == NULL || tally->confirmed == 0)
        return;
    if (tally->confirmed < tally->cases)
        snprintf(where, sizeof where, " at %zu of %zu points", tally->confirmed, tally->cases);
    snprintf(text, size, "; %s agrees%s%s%s", request->confirm_engine->name,
             tally->difference > 0 ? " to " : "",
             tally->difference > 0 ? out_percent(tally->difference, share) : "", where);
}

/* Too long to simulate, or failed. */
static size_t count_limited(const struct tally *tally)
{
    return tally->state[SEARCH_OVER_LIMIT] + tally->state[SEARCH_NOT_DONE];
}

static void say_engines(const struct search *const searches[], size_t count,
                        const struct tally *tally, struct out_verdict *notes)
{
    const struct search_request *request = &searches[0]->request;
    const size_t simulated = tally->state[SEARCH_SIMULATED],
                 excluded = tally->state[SEARCH_EXCLUDED],
                 all = simulated + excluded + count_limited(tally);
    char agreement[128], states[96] = "";
    bool named = false;
    for (size_t i = 0; i < count; i++)
        named |= search_is_named(&searches[i]->request);
    say_agreement(request, tally, agreement, sizeof agreement);
    if (excluded > 0)
        snprintf(states, sizeof states, ": %zu simulated, %zu cannot win here", simulated,
                 excluded);
    out_verdict_say(notes, "%zu algorithm%s%s. By %s, %s contention%s.", all,
                    sup_plural((int64_t)all), states,
                    named ? request->named_engine->name : request->common.engine->name,
                    named ? "with" : "without", agreement);
    if (tally->others > 0)
        out_verdict_say(notes, "At %zu of %zu points another is faster by %s: --details names it.",
                        tally->others, tally->cases, request->confirm_engine->name);
    if (request->unconfirmed != NULL)
        out_verdict_say(notes, "Nothing is confirmed: %s", request->unconfirmed);
}

/* "At 1 MiB the next best takes 2 % longer: either will do." */
static void say_close(const struct decide *decision, struct out_verdict *notes)
{
    static const double close = 1.03;
    const struct decide_call *at = NULL;
    size_t count = 0, alike = 0;
    char m[32], p[32] = "", words[OUT_WORDS];
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        if (call->lead < close || (call->tie != NULL && strcmp(call->tie, "tie") == 0)) {
            at = call;
            count++;
        }
        alike += call->choice != NULL && call->next_best == NULL && call->count > 1;
    }
    if (count == 1 && decision->calls[0].p != decision->calls[decision->call_count - 1].p)
        snprintf(p, sizeof p, "p = %" PRId32 ", m = ", at->p);
    if (count == 1 && decision->place_count == 1)
        out_verdict_say(notes, "At %s%s the next best takes %s: either will do.", p,
                        sup_format_shown(at->m_bytes, m, sizeof m), out_longer(at->lead, words));
    else if (count > 0)
        out_verdict_say(notes,
                        "At %zu of %zu points the next best takes at most 3 %% longer: either "
                        "will do.",
                        count, decision->call_count);
    if (alike > 0 && alike == decision->call_count)
        out_verdict_say(notes, "All that could win take as long: any will do.");
    else if (alike > 0)
        out_verdict_say(notes, "At %zu of %zu points all that could win take as long: any will do.",
                        alike, decision->call_count);
}

/* What is excluded was not simulated, so it is no next best, but may be nearer to the choice. */
static void say_nearer(const struct decide *decision, struct out_verdict *notes)
{
    size_t count = 0;
    double least = INFINITY;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const struct shown_case *shown = call->more;
        if (call->choice == NULL || call->next_best == NULL)
            continue;
        const double lead =
            search_excluded_s(shown->request, shown->is, shown->curves, call->choice->algorithm) /
            call->choice->time_s;
        count += lead < call->lead;
        least = lead < call->lead ? fmin(least, lead) : least;
    }
    least = floor(least * 100) / 100; /* "at least" stays true */
    if (count > 0 && decision->call_count == 1)
        out_verdict_say(notes,
                        "The lead is at least %.2f: what cannot win was not simulated, and may be "
                        "nearer than the next best.",
                        least);
    else if (count > 0)
        out_verdict_say(notes,
                        "At %zu of %zu points what cannot win, which was not simulated, may be "
                        "nearer than the next best: the lead is at least %.2f there.",
                        count, decision->call_count, least);
}

/* What could not be searched, though it might have won. */
static void say_missing(const struct search *const searches[], const struct decide *decision,
                        const struct tally *tally, struct out_verdict *notes)
{
    size_t without = 0;
    for (size_t i = 0; i < decision->call_count; i++)
        without += decision->calls[i].choice == NULL;
    const size_t limited = count_limited(tally);
    if (without > 0 && without == decision->call_count)
        out_verdict_say(notes, "No algorithm could be simulated in the time that --search-limit "
                               "allows.");
    else if (without > 0)
        out_verdict_say(notes,
                        "At %zu of %zu points no algorithm could be simulated in the time that "
                        "--search-limit allows.",
                        without, decision->call_count);
    else if (limited > 0)
        out_verdict_say(notes,
                        "%zu algorithm%s would take too long to simulate: --search-limit "
                        "allows more.",
                        limited, sup_plural((int64_t)limited));
    if (searches[0]->grid.failure.text[0] != '\0')
        out_verdict_say(notes, "A simulation failed: %s", searches[0]->grid.failure.text);
}

/* What has no plan, or was never simulated, which nobody misses on a screen. */
static void say_left_out(const struct search_grid *grid, struct out_verdict *notes)
{
    size_t unseen = 0;
    for (size_t i = 0; i < grid->curve_count; i++)
        unseen +=
            grid->curves[i].named.state == SEARCH_EXCLUDED && grid->curves[i].found.tried == 0;
    if (unseen > 0)
        out_verdict_say(notes,
                        "%zu of %zu pairs of plan and size are excluded without any simulation: "
                        "their rounds and bytes alone take longer.",
                        unseen, grid->curve_count);
    if (grid->left_out > 0)
        out_verdict_say(notes, "%" PRId64 " pairs of algorithm and p have no plan (%s).",
                        grid->left_out, grid->why.text);
    if (grid->groupings.ungrouped > 0)
        out_verdict_say(notes,
                        "%" PRId64 " groupings are left out, because their ranks don't follow one "
                        "another (%s).",
                        grid->groupings.ungrouped, grid->groupings.why.text);
}

/* What the tuning for ranks that come together loses, and what times are. */
static void say_late(const struct search *const searches[], const struct decide *decision,
                     struct out_verdict *notes)
{
    const struct search_request *request = &searches[0]->request;
    const struct shown_case *worst = NULL;
    size_t count = 0;
    char words[OUT_WORDS];
    if (request->arrival == NULL || decision->call_count == 0)
        return;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct shown_case *shown = decision->calls[i].more;
        count += shown->loses > SEARCH_TIE;
        if (worst == NULL || shown->loses > worst->loses)
            worst = shown;
    }
    out_verdict_say(notes, "Times are %s%s%s; they count %s.",
                    request->arrival->arrival.seeds > 1 ? "medians of " : "of ",
                    request->arrival->arrival.seeds > 1 ? "the arrivals " : "",
                    request->arrival->text,
                    request->by_inside ? "the mean time inside" : "from the last arrival");
    if (count > 0)
        out_verdict_say(notes,
                        "What is tuned for ranks that come together is slower at %zu of %zu "
                        "points, by up to %s (%s, n = %" PRId64 ").",
                        count, decision->call_count, out_percent(worst->loses, words),
                        worst->together.name, worst->together.n);
    else
        out_verdict_say(notes, "What is tuned for ranks that come together is as good.");
}

/* The slowest link by those of its level, and how many are slow or have failed. */
static void say_damage(const struct search_request *request, struct out_verdict *notes)
{
    struct platform_network *network;
    double most[PLATFORM_MOST_SIDES] = {0}, least = 1;
    int32_t slow = 0, failed = 0, worst = 0;
    char name[128], words[OUT_WORDS];
    if (platform_network_create(request->asked->text, &network, NULL) != RB_OK)
        return;
    for (int pass = 0; pass < 2 && network->damaged; pass++)
        for (int32_t l = network->hosts; l < network->links; l++) {
            const struct platform_link *link = &network->link[l];
            struct platform_place place;
            platform_network_place(network, l, &place);
            double *usual = &most[place.level % PLATFORM_MOST_SIDES];
            failed += pass == 1 && link->failed;
            if (link->failed)
                continue;
            *usual = fmax(*usual, link->bandwidth);
            slow += pass == 1 && link->bandwidth < *usual;
            if (pass == 1 && link->bandwidth < least * *usual) {
                least = link->bandwidth / *usual;
                worst = l;
            }
        }
    if (slow > 0)
        out_verdict_say(notes,
                        "%" PRId32 " links have failed and %" PRId32
                        " are slow; the slowest, %s, has %s of the bandwidth.",
                        failed, slow, platform_network_link_name(network, worst, name, sizeof name),
                        out_percent(least, words));
    else if (failed > 0)
        out_verdict_say(notes, "%" PRId32 " links have failed.", failed);
    platform_network_destroy(network);
}

/* What an order of the hosts that was found for the platform gains. */
static void say_order(const struct search *search, struct out_verdict *notes)
{
    const struct search_request *request = &search->request;
    const struct search_grid *grid = &search->grid;
    if (request->order == NULL)
        return;
    say_damage(request, notes);
    for (size_t i = 0; i < grid->case_count; i++) {
        const struct search_case *a_case = &grid->cases[i];
        const struct search_curve *winner = a_case->winner, *usual = NULL;
        for (size_t k = 0; k < a_case->count; k++) {
            const struct search_curve *curve = &grid->curves[a_case->first + k];
            if (curve->point.placement_rule == request->common.placement_rule &&
                (usual == NULL ||
                 search_best(request, curve).time_s < search_best(request, usual).time_s))
                usual = curve;
        }
        if (winner == NULL || usual == NULL)
            continue;
        const double bound_s = search_bound_of(request, a_case).time_s;
        const double least_s = search_best(request, winner).time_s;
        const double usual_s = search_best(request, usual).time_s;
        char p[32], m[32], words[2][OUT_WORDS];
        snprintf(p, sizeof p, "p = %" PRId32, winner->point.plan.p);
        const bool known = bound_s > 0 && isfinite(bound_s);
        if (winner == usual)
            out_verdict_say(notes,
                            "%s, %s: no order of the hosts that was found is faster than "
                            "the ranks' own.",
                            p, sup_format_shown(winner->point.m_bytes, m, sizeof m));
        else
            out_verdict_say(notes,
                            "%s, %s: in the order of --placement %s, %s loses %s%s, the "
                            "best in the ranks' own order, %s, %s; simulate --write-placement "
                            "writes it for mpirun.",
                            p, sup_format_shown(winner->point.m_bytes, m, sizeof m),
                            request->order->text, winner->point.plan.algorithm,
                            out_percent(known ? regret(least_s, bound_s) : 0, words[0]),
                            known ? " to the bound" : "", usual->name,
                            out_percent(regret(usual_s, known ? bound_s : least_s), words[1]));
    }
}

static void write_title(const struct search *const searches[], size_t count,
                        struct decide_tune_result *tuning)
{
    const struct search_request *first = &searches[0]->request;
    const struct sup_list *p = first->p;
    const char *what = first->common.plan.collective;
    char where[96], ranks[48], ppn[32];
    snprintf(where, sizeof where, "%.80s", tuning->data.settings[0].platform_text);
    snprintf(ppn, sizeof ppn, ", %" PRId32 " per host", first->common.ppn);
    for (size_t i = 1; i < count; i++) {
        const struct point *common = &searches[i]->request.common;
        if (strcmp(common->plan.collective, first->common.plan.collective) != 0)
            what = "collectives";
        if (searches[i]->request.asked != first->asked &&
            strcmp(searches[i]->request.asked->text, first->asked->text) != 0)
            strcpy(where, "each platform");
        if (common->ppn != first->common.ppn)
            ppn[0] = '\0';
    }
    snprintf(ranks, sizeof ranks, p->count > 1 ? "%" PRId64 " to %" PRId64 : "%" PRId64,
             p->value[0], p->value[p->count - 1]);
    snprintf(tuning->title, sizeof tuning->title, "Fastest %s on %s, %s rank%s%s",
             strcmp(what, "bcast") == 0 ? "broadcast" : what, where, ranks,
             p->count == 1 ? sup_plural(p->value[0]) : "s", ppn);
}

/* ---- Tables and notes ------------------------------------------------------------------------ */

void search_notes(const struct search *const searches[], size_t count,
                  struct decide_tune_result *tuning)
{
    const struct tally tally = tally_of(searches, count);
    for (size_t i = 0; i < count; i++)
        say_order(searches[i], &tuning->notes);
    say_missing(searches, &tuning->decision, &tally, &tuning->notes);
    say_engines(searches, count, &tally, &tuning->notes);
    say_close(&tuning->decision, &tuning->notes);
    say_nearer(&tuning->decision, &tuning->notes);
    say_late(searches, &tuning->decision, &tuning->notes);
    tuning->brief = tuning->notes.count;
    for (size_t i = 0; i < count; i++)
        say_left_out(&searches[i]->grid, &tuning->notes);
}

void search_tables(const struct search *const searches[], size_t count,
                   struct decide_tune_result *tuning)
{
    const bool late = searches[0]->request.arrival != NULL;
    bool named = false;
    for (size_t i = 0; i < count; i++)
        named |= search_is_named(&searches[i]->request);
    *tuning = (struct decide_tune_result){.looks = late ? late_looks : named ? named_looks : looks};
    decide(searches, count, tuning);
    decide_tune_tables(tuning);
    write_title(searches, count, tuning);
    search_notes(searches, count, tuning);
}
