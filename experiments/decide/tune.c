/* tune.c - from a sweep's results to the best n, the fitted F, its regret and what to take. */
#include "experiments/decide/tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"

/* ---- The tables' own columns ---------------------------------------------------------------- */

/* What the table `best` shows of a curve beside its way. */
struct decide_tune_best {
    int64_t runs, closed_n;
    bool at_edge, at_most;
    double closed_s;
    const char *rival; /* the fastest other curve */
    double rival_s, lead, of_bound;
    double inside_s; /* mean time inside, of ranks that come at different times */
};

#define WAY(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_way, member)
#define MORE(member)   OUT_OF_BASE(DECIDE_ITSELF_MORE, struct decide_tune_best, member)
#define FIT(member)    OUT_OF_BASE(DECIDE_ITSELF, struct decide_fit, member)
#define REGRET(member) OUT_OF_BASE(DECIDE_ITSELF, struct decide_regret, member)
#define CURVE(member)  OUT_OF_BASE(DECIDE_ITSELF_MORE, struct decide_curve, member)

static const struct out_column best_columns[] = {
    {"algorithm", "algorithm", OUT_WORD, WAY(name)},
    {"runs", "block counts", OUT_COUNT, MORE(runs)},
    {"blocks", "blocks", OUT_COUNT, WAY(n)},
    {"time_s", "time", OUT_SECONDS, WAY(time_s)},
    {"at_edge", "at edge", OUT_TRUTH, MORE(at_edge)},
    {"closed_n", "closed form's", OUT_COUNT, MORE(closed_n), .positive = true},
    {"closed_s", "its time", OUT_SECONDS, MORE(closed_s)},
    {"next_best", "next best", OUT_WORD, MORE(rival)},
    {"next_best_s", "its time", OUT_SECONDS, MORE(rival_s)},
    {"lead", "lead", OUT_RATIO, MORE(lead)},
    {"of_bound", "of bound", OUT_RATIO, MORE(of_bound)},
    {"mean_inside_s", "inside", OUT_SECONDS, MORE(inside_s)},
};

static const struct out_column decision_columns[] = {
    {"mean_inside_s", "inside", OUT_SECONDS,
     OUT_OF_BASE(DECIDE_CHOICE_MORE, struct decide_tune_best, inside_s)},
};

static const struct out_column fit_columns[] = {
    {"algorithm", "algorithm", OUT_WORD, FIT(focus)},
    {"constant", "constant", OUT_WORD, FIT(constant)},
    {"f", "value", OUT_RATIO, FIT(f)},
    {"f_low", "from", OUT_RATIO, FIT(low)},
    {"f_low_is_limit", "or below", OUT_TRUTH, FIT(low_is_limit)},
    {"f_high", "to", OUT_RATIO, FIT(high)},
    {"f_high_is_limit", "or above", OUT_TRUTH, FIT(high_is_limit)},
    {"analytic_f", "analytic", OUT_RATIO, FIT(analytic_f)},
    {"points", "points", OUT_COUNT, FIT(count)},
    {"outside", "outside", OUT_COUNT, FIT(outside)},
    {"mean_regret", "mean regret", OUT_SHARE, FIT(mean)},
    {"median_regret", "median", OUT_SHARE, FIT(median)},
    {"worst_regret", "worst", OUT_SHARE, FIT(worst)},
};

static const struct out_column regret_columns[] = {
    {"algorithm", "algorithm", OUT_WORD, CURVE(algorithm)},
    {"p", "p", OUT_COUNT, CURVE(p)},
    {"m_bytes", "m", OUT_BYTES, CURVE(m_bytes)},
    {"constant", "constant", OUT_WORD, REGRET(constant)},
    {"f", "value", OUT_RATIO, REGRET(f)},
    {"analytic_f", "analytic", OUT_RATIO, REGRET(analytic_f)},
    {"blocks", "blocks", OUT_COUNT, REGRET(n)},
    {"outside", "outside", OUT_TRUTH, REGRET(outside)},
    {"time_s", "its time", OUT_SECONDS, REGRET(time_s)},
    {"best_blocks", "best blocks", OUT_COUNT, REGRET(best_n)},
    {"best_s", "its time", OUT_SECONDS, CURVE(least_s)},
    {"regret", "regret", OUT_SHARE, REGRET(share)},
};

static const struct decide_tune_look sweep_looks[DECIDE_TUNE_TABLES] = {
    [DECIDE_TUNE_BEST] = {"Best n of each algorithm",
                          "algorithm p m_bytes runs/5 blocks time_s at_edge/4 closed_n/3 "
                          "closed_s/3 next_best next_best_s/2 lead bound_s/1 of_bound "
                          "mean_inside_s",
                          best_columns, OUT_COUNT_OF(best_columns)},
    [DECIDE_TUNE_FIT] = {"F or G for n = sqrt(M ceil(log2 p)) / F blocks",
                         "algorithm constant f f_low f_low_is_limit/3 f_high f_high_is_limit/3 "
                         "analytic_f points outside/2 mean_regret median_regret/1 worst_regret",
                         fit_columns, OUT_COUNT_OF(fit_columns)},
    [DECIDE_TUNE_REGRET] = {"Regret: time with that n over the best time, worst first",
                            "algorithm p m_bytes constant/5 f analytic_f/3 blocks outside/4 time_s "
                            "best_blocks best_s regret",
                            regret_columns, OUT_COUNT_OF(regret_columns)},
    [DECIDE_TUNE_DECISION] = {DECIDE_TUNE_TITLE,
                              "p m_bytes choice blocks time_s next_best next_best_blocks/2 "
                              "next_best_s/2 lead bound_s/1 of_bound low_s high_s tie "
                              "mean_inside_s",
                              decision_columns, OUT_COUNT_OF(decision_columns)},
};

const char *const decide_tune_names[DECIDE_TUNE_TABLES] = {"best", "fit", "regret", "decision"};

static struct decide_row row_at(const void *context, size_t i)
{
    return ((const struct decide_row *)context)[i];
}

struct decide_table decide_tune_table(const struct decide_tune_result *tuning, int kind)
{
    const struct decide_tune_look *look = &tuning->looks[kind];
    return (struct decide_table){.text = look->columns,
                                 .data = look->columns,
                                 .own = look->own,
                                 .own_width = look->own_width,
                                 .settings = true,
                                 .rows = tuning->row_count[kind],
                                 .row = row_at,
                                 .context = tuning->rows[kind]};
}

static void add_row(struct decide_tune_result *tuning, int kind, struct decide_row row)
{
    sup_grow(&tuning->rows[kind], tuning->row_count[kind], sizeof row);
    tuning->rows[kind][tuning->row_count[kind]++] = row;
}

void decide_tune_tables(struct decide_tune_result *tuning)
{
    const struct decide *decision = &tuning->decision;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const struct decide_place *place = &decision->places[call->place];
        add_row(tuning, DECIDE_TUNE_DECISION, (struct decide_row){place, call, NULL, NULL});
        for (size_t k = call->first; k < call->first + call->count; k++)
            add_row(tuning, DECIDE_TUNE_BEST,
                    (struct decide_row){place, call, &decision->ways[k], decision->ways[k].more});
    }
}

/* ---- Curves as ways -------------------------------------------------------------------------- */

/* The best n is the most that was run. */
static bool is_at_most(const struct decide_curve *curve)
{
    return curve->count > 1 && curve->best == curve->samples + curve->count - 1;
}

/* Or the least, and not 1. */
static bool is_at_edge(const struct decide_curve *curve)
{
    return is_at_most(curve) ||
           (curve->count > 1 && curve->best == curve->samples && curve->best->n > 1);
}

static struct decide_tune_best best_of(const struct decide_curves *data,
                                       const struct decide_curve *curve)
{
    const struct decide_curve *rival = decide_best_rival(data, curve);
    const double rival_s = rival == NULL ? NAN : rival->least_s;
    return (struct decide_tune_best){
        .runs = (int64_t)curve->count,
        .closed_n = curve->closed_n,
        .at_edge = is_at_edge(curve),
        .at_most = is_at_most(curve),
        .closed_s = curve->closed_s,
        .rival = rival == NULL ? NULL : rival->algorithm,
        .rival_s = rival_s,
        .lead = decide_lead(rival_s, curve->least_s),
        .of_bound = curve->bound_s > 0 ? curve->least_s / curve->bound_s : NAN,
        .inside_s = curve->inside_s,
    };
}

static enum decide_source source_of(const struct point *setting)
{
    enum decide_source source = DECIDE_SOURCES;
    while (--source > DECIDE_UNTIMED &&
           strcmp(decide_source_names[source], decide_how(setting)) != 0)
        ;
    return source;
}

static void add_way(struct decide_tune_result *tuning, const struct decide_curve *curve,
                    const struct decide_tune_best *best)
{
    const struct point *setting = &tuning->data.settings[curve->setting];
    const struct rb_plan_spec spec = {
        .algorithm = curve->plan_algorithm, .radix = curve->radix, .groups = curve->groups};
    char typed[160];
    const struct decide_way way = {.name = curve->algorithm,
                                   .typed = point_typed_name(&spec, typed, sizeof typed),
                                   .algorithm = curve->plan_algorithm,
                                   .groups = curve->groups,
                                   .radix = curve->radix,
                                   .n = curve->best->n,
                                   .offered = true,
                                   .source = source_of(setting),
                                   .time_s = curve->least_s,
                                   .low_s = curve->low_s,
                                   .high_s = curve->high_s,
                                   .confirmed_s = NAN,
                                   .more = best};
    if (curve == tuning->data.curves || !decide_same_case(curve, curve - 1))
        decide_add_call(&tuning->decision, &(struct decide_call){.place = curve->setting,
                                                                 .run = "",
                                                                 .p = curve->p,
                                                                 .m_bytes = curve->m_bytes,
                                                                 .bound.time_s = curve->bound_s});
    decide_add_way(&tuning->decision, &way);
}

/* Its calls, each with the curves of a case as ways, and their tables. */
static void decide(struct decide_tune_result *tuning)
{
    const struct decide_curves *data = &tuning->data;
    struct decide *decision = &tuning->decision;
    struct decide_tune_best *best = sup_calloc(data->curve_count, sizeof *best);
    tuning->more = best;
    for (size_t i = 0; i < data->setting_count; i++)
        decide_add_place(
            decision, &(struct decide_place){.place = data->settings[i].platform_text,
                                             .collective = data->settings[i].plan.collective,
                                             .ppn = data->settings[i].ppn,
                                             .per_node = decide_ranks_per_node(&data->settings[i]),
                                             .setting = &data->settings[i]});
    for (size_t i = 0; i < data->curve_count; i++) {
        best[i] = best_of(data, &data->curves[i]);
        add_way(tuning, &data->curves[i], &best[i]);
    }
    decide_judge(decision, 0);
    decide_tune_tables(tuning);
}

/* ---- F --------------------------------------------------------------------------------------- */

static void count_skipped(struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS],
                          const char *why)
{
    for (int i = 0; i < DECIDE_TUNE_SKIP_REASONS; i++)
        if (skipped[i].why == NULL || strcmp(skipped[i].why, why) == 0) {
            skipped[i].why = why;
            skipped[i].count++;
            return;
        }
}

static bool is_asked_for(const struct decide_curves *data, const struct decide_curve *curve,
                         const struct decide_tune_request *request)
{
    return request->constant == 0 ||
           decide_setting_constant(&data->settings[curve->setting]) == request->constant;
}

int decide_tune_fit_setting(const struct decide_curves *data, size_t setting,
                            const struct decide_tune_request *request, struct decide_fit *fit,
                            struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS],
                            struct sup_error *error)
{
    const struct decide_curve **curves = sup_calloc(data->curve_count, sizeof *curves);
    int64_t *element_bytes = sup_calloc(data->curve_count, sizeof *element_bytes);
    struct decide_fit_request fit_request = {curves, element_bytes, 0, request->tolerance};
    int status = RB_OK;

    *fit = (struct decide_fit){0};
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        const char *why;
        int64_t bytes = request->element_bytes != 0 ? request->element_bytes
                                                    : data->settings[curve->setting].element_bytes;
        if (strcmp(curve->algorithm, request->focus) != 0 || !is_asked_for(data, curve, request) ||
            (setting != DECIDE_TUNE_ALL_SETTINGS && curve->setting != setting))
            continue;
        if (!decide_fit_can_use(curve, bytes, &why)) {
            if (skipped != NULL)
                count_skipped(skipped, why);
            continue;
        }
        curves[fit_request.count] = curve;
        element_bytes[fit_request.count++] = bytes;
    }
    if (fit_request.count > 0)
        status = decide_fit_f(&fit_request, fit, error);
    free(curves);
    free(element_bytes);
    return status;
}

static const char *constant_of(const struct decide_tune_result *tuning, size_t setting)
{
    const size_t any =
        setting == DECIDE_TUNE_ALL_SETTINGS ? 0 : setting; /* then all are of a collective */
    return decide_setting_constant(&tuning->data.settings[any]) == 'F' ? "F" : "G";
}

/* One line in the tables of F for a setting, and a regret for each of its points. */
static int tune_setting(struct decide_tune_result *tuning, size_t setting,
                        const struct decide_tune_request *request,
                        struct decide_tune_skipped *skipped, struct sup_error *error)
{
    struct decide_fit *fit = &tuning->fits[tuning->fit_count++];
    const struct decide_place *place =
        setting == DECIDE_TUNE_ALL_SETTINGS ? NULL : &tuning->decision.places[setting];
    int status = decide_tune_fit_setting(&tuning->data, setting, request, fit, skipped, error);
    if (status != RB_OK || fit->count == 0)
        return status;
    fit->focus = request->focus;
    fit->constant = constant_of(tuning, setting);
    add_row(tuning, DECIDE_TUNE_FIT, (struct decide_row){place, NULL, fit, NULL});
    for (size_t i = 0; i < fit->count; i++) {
        struct decide_regret *point = &fit->points[i];
        point->constant = fit->constant;
        add_row(tuning, DECIDE_TUNE_REGRET, (struct decide_row){place, NULL, point, point->curve});
    }
    return RB_OK;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Choices whose best n is the largest that was run; the largest of these. */
static size_t count_edges(const struct decide *decision, int64_t *most)
{
    size_t count = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_way *choice = decision->calls[i].choice;
        const struct decide_tune_best *best = choice == NULL ? NULL : choice->more;
        if (best == NULL || !best->at_most)
            continue;
        count++;
        *most = choice->n > *most ? choice->n : *most;
    }
    return count;
}

/* First what the screen says below the table. */
static void add_notes(struct decide_tune_result *tuning, const struct decide_tune_request *request,
                      const struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS])
{
    struct out_verdict *notes = &tuning->notes;
    const struct decide_curves *data = &tuning->data;
    int64_t most = 0;
    const size_t edges = count_edges(&tuning->decision, &most),
                 ties = decide_ties(&tuning->decision);
    size_t outside = 0;
    if (data->failed > 0)
        out_verdict_say(notes, "%" PRId64 " point%s failed and %s left out.", data->failed,
                        sup_plural(data->failed), data->failed == 1 ? "is" : "are");
    if (edges > 0)
        out_verdict_say(notes,
                        "At %zu point%s the best n is the largest that was run, so that a larger "
                        "one may be faster: run more (blocks: [..., %" PRId64 "]).",
                        edges, sup_plural((int64_t)edges), 2 * most);
    if (ties > 0)
        out_verdict_say(notes,
                        "At %zu point%s the times of choice and next best overlap: either will do.",
                        ties, sup_plural((int64_t)ties));
    tuning->brief = notes->count;
    for (int i = 0; i < DECIDE_TUNE_SKIP_REASONS && skipped[i].why != NULL; i++)
        out_verdict_say(notes, "%" PRId64 " pairs of p and m are not used for F or G: %s.",
                        skipped[i].count, skipped[i].why);
    if (request->focus != NULL && tuning->row_count[DECIDE_TUNE_FIT] == 0)
        out_verdict_say(notes,
                        "There is no %s: no p > 2 has two or more n of algorithm %s among these "
                        "points.",
                        request->constant == 0     ? "F or G"
                        : request->constant == 'F' ? "F"
                                                   : "G",
                        request->focus);
    for (size_t i = 0; i < tuning->fit_count; i++)
        outside += tuning->fits[i].outside;
    if (outside > 0)
        out_verdict_say(notes,
                        "At %zu points, marked outside, the rule's n is beyond the n that were "
                        "run, so that its regret is not known.",
                        outside);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static bool one_collective(const struct decide_curves *data)
{
    for (size_t i = 1; i < data->setting_count; i++)
        if (data->settings[i].plan.collective != data->settings[0].plan.collective)
            return false;
    return true;
}

int decide_tune_curves(const struct decide_tune_request *request, struct decide_tune_result *tuning,
                       struct sup_error *error)
{
    struct decide_tune_skipped skipped[DECIDE_TUNE_SKIP_REASONS] = {0};
    const struct decide_curves *data = &tuning->data;
    int status = RB_OK;
    tuning->looks = sweep_looks;
    tuning->tolerance = request->tolerance;
    if (request->correct != NULL)
        status = request->correct(request->context, &tuning->data, &tuning->notes, error);
    if (status == RB_OK && request->focus_asked)
        status = decide_check_focus(data, request->focus, error);
    if (status != RB_OK)
        return status;
    decide(tuning);
    tuning->fits = sup_calloc(data->setting_count + 1, sizeof *tuning->fits);
    for (size_t i = 0; request->focus != NULL && i < data->setting_count && status == RB_OK; i++)
        status = tune_setting(tuning, i, request, skipped, error);
    if (request->focus != NULL && status == RB_OK && data->setting_count > 1 &&
        one_collective(data))
        status = tune_setting(tuning, DECIDE_TUNE_ALL_SETTINGS, request, NULL, error);
    add_notes(tuning, request, skipped);
    return status;
}

int decide_tune_run(const struct decide_tune_request *request, struct decide_tune_result *tuning,
                    struct sup_error *error)
{
    *tuning = (struct decide_tune_result){.looks = sweep_looks}; /* of tables without rows, too */
    const int status = decide_curves_load_any(request->results, request->args, request->filters,
                                              &tuning->data, error);
    return status == RB_OK ? decide_tune_curves(request, tuning, error) : status;
}

void decide_tune_result_free(struct decide_tune_result *tuning)
{
    for (size_t i = 0; i < tuning->fit_count; i++)
        decide_fit_free(&tuning->fits[i]);
    free(tuning->fits);
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++)
        free(tuning->rows[i]);
    decide_free(&tuning->decision);
    decide_curves_free(&tuning->data);
    free(tuning->more);
    free(tuning->simulated);
    out_verdict_free(&tuning->notes);
    *tuning = (struct decide_tune_result){0};
}

static void say_verdict(const struct decide_tune_result *tuning, FILE *stream)
{
    struct out_verdict verdict = {0};
    decide_winners(&tuning->decision, tuning->confirmed, &verdict);
    out_verdict_lines(&verdict, 0, stream);
    out_verdict_free(&verdict);
}

static void say_fit(const struct decide_row *row, double tolerance, FILE *stream)
{
    const struct decide_fit *fit = row->itself;
    char f[OUT_WORDS], low[OUT_WORDS], high[OUT_WORDS], mean[OUT_WORDS], worst[OUT_WORDS];
    out_say(stream,
            "%s = %s for %s of %s%s; any from %s%s to %s%s is as good to %g %%. With this block "
            "count a "
            "call takes %s %s than with the best of those run, in the mean of %zu points%s%s.",
            fit->constant, out_ratio(fit->f, f), fit->focus,
            fit->points[0].curve->info == NULL ? "measured rows"
                                               : fit->points[0].curve->info->collective,
            row->place == NULL ? " in all settings" : "", out_ratio(fit->low, low),
            fit->low_is_limit ? " or less" : "", out_ratio(fit->high, high),
            fit->high_is_limit ? " or more" : "", 100 * tolerance,
            out_percent(fabs(fit->mean), mean), fit->mean < 0 ? "less" : "longer", fit->count,
            fit->worst > 0 ? ", at most " : "",
            fit->worst > 0 ? out_percent(fit->worst, worst) : "");
}

/* Of all settings together; or of each, if they are few. */
static void say_fits(const struct decide_tune_result *tuning, FILE *stream)
{
    enum { MOST_SAID = 3 };
    const struct decide_row *row = tuning->rows[DECIDE_TUNE_FIT];
    const size_t count = tuning->row_count[DECIDE_TUNE_FIT];
    const bool all = count > 0 && row[count - 1].place == NULL;
    for (size_t i = all ? count - 1 : 0; i < count && (all || count <= MOST_SAID); i++)
        say_fit(&row[i], tuning->tolerance, stream);
}

/* The table's rows of ways with a time, which the caller frees; a search counts the others. */
static struct decide_row *keep_timed(struct decide_table *table)
{
    const struct decide_row *row = table->context;
    struct decide_row *timed = sup_calloc(table->rows + 1, sizeof *timed);
    size_t count = 0;
    for (size_t i = 0; i < table->rows; i++)
        if (!isnan(((const struct decide_way *)row[i].itself)->time_s))
            timed[count++] = row[i];
    table->rows = count;
    table->context = timed;
    return timed;
}

void decide_tune_result_text(const struct decide_tune_result *tuning, unsigned set, bool all,
                             FILE *stream)
{
    const char *between = "";
    if ((set & 1u << DECIDE_TUNE_DECISION) != 0) {
        say_verdict(tuning, stream);
        between = "\n";
    } else if ((set & 1u << DECIDE_TUNE_FIT) != 0) {
        say_fits(tuning, stream);
        between = "\n";
    }
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
        struct decide_table table = decide_tune_table(tuning, i);
        struct decide_row *timed = i == DECIDE_TUNE_BEST && !all ? keep_timed(&table) : NULL;
        if ((set & 1u << i) != 0 && table.rows > 0) {
            fprintf(stream, "%s%s\n", between, tuning->looks[i].title);
            decide_table_text(&table, stream);
            between = "\n";
        }
        free(timed);
    }
    if (tuning->notes.count > 0)
        fputs(between, stream);
    out_verdict_lines(&tuning->notes, 0, stream);
}

void decide_tune_result_short(const struct decide_tune_result *tuning, FILE *stream)
{
    enum { MOST_NOTES = 3 };
    struct out_verdict verdict = {0};
    decide_winners(&tuning->decision, tuning->confirmed, &verdict);
    const char *first = tuning->title[0] != '\0' ? tuning->title
                        : verdict.count > 0      ? verdict.sentence[0]
                                                 : "No algorithm has a time.";
    out_say(stream, "%.*s", (int)strcspn(first, "\n") - (first[strlen(first) - 1] == '.'), first);
    decide_map_text(&tuning->decision, DECIDE_SCREEN, stream);
    fputc('\n', stream);
    size_t said = 0;
    for (; said < tuning->brief && said < MOST_NOTES; said++)
        out_say(stream, "%s", tuning->notes.sentence[said]);
    const bool titled = tuning->title[0] != '\0';
    if (!titled && verdict.count > 0 && decide_is_computed(&tuning->decision) &&
        said++ < MOST_NOTES) /* it says so */
        out_say(stream, "%s", verdict.sentence[verdict.count - 1]);
    if (!titled && verdict.count == 3 && said < MOST_NOTES)
        out_say(stream, "%s", verdict.sentence[1]);
    out_verdict_free(&verdict);
}

json_t *decide_tune_verdict_json(const struct decide_tune_result *tuning)
{
    struct out_verdict verdict = {0};
    decide_winners(&tuning->decision, tuning->confirmed, &verdict);
    json_t *all = out_verdict_json(&verdict);
    out_verdict_free(&verdict);
    return all;
}

json_t *decide_tune_result_json(const struct decide_tune_result *tuning, unsigned set)
{
    json_t *all =
        json_pack("{s:s, s:o, s:I, s:o}", "version", cli_program_version, "made_by",
                  out_json_text(tuning->data.versions), "failed_points",
                  (json_int_t)tuning->data.failed, "notes", out_verdict_json(&tuning->notes));
    if ((set & 1u << DECIDE_TUNE_DECISION) != 0)
        json_object_set_new(all, "verdict", decide_tune_verdict_json(tuning));
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
        const struct decide_table table = decide_tune_table(tuning, i);
        if ((set & 1u << i) != 0)
            json_object_set_new(all, decide_tune_names[i], decide_table_json(&table));
    }
    return all;
}
