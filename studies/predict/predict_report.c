/* predict_report.c - tables of predictions (predict.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/predict/predict.h"
#include "support/memory.h"
#include "support/names.h"

const char *const predict_what_names[PREDICT_WHATS] = {"summary", "errors",     "choices",
                                                       "rows",    "parameters", "forecasts"};

/* A table: its columns, the number of its rows, and the cells of one. */
struct view {
    struct out_table table;
    size_t (*count)(const struct predict_result *result);
    void (*fill)(const struct predict_result *result, size_t i, const struct out_table *table,
                 union out_cell cells[]);
};

enum { MOST_CELLS = 40 };

/* ---- A row per collective, a row per algorithm ----------------------------------------------- */

#define OF(member)               OUT_OF(struct predict_summary, member)
#define ERROR_OF(length, member) OUT_PERCENT, 8, "%.1f %%", OF(errors[length].member)
#define SYSTEM_AND_COLLECTIVE                                                                      \
    {"system", "\nsystem", OUT_WORD, -12, OF(system)},                                             \
    {                                                                                              \
        "collective", "\ncollective", OUT_WORD, -14, OF(collective)                                \
    }

/* Those without a number for a narrow line are on the screen, too. */
static const struct out_column summary_columns[] = {
    SYSTEM_AND_COLLECTIVE,
    {"rows", "\nrows", OUT_COUNT, 5, OF(rows), .less = 5},
    {"predicted", "pre-\ndicted", OUT_COUNT, 6, OF(predicted), .less = 1},
    {"algorithms", "algo-\nrithms", OUT_COUNT, 6, OF(algorithms), .less = 5},
    {"groups", "\npoints", OUT_COUNT, 6, OF(groups)},
    {"regret_mean", "\nchoice", OUT_RATIO, 6, OF(regret.mean), .gap = 2},
    {"regret_worst", "\nworst", OUT_RATIO, 6, OF(regret.worst)},
    {"regret_all_mean", "of all\nmean", OUT_RATIO, 6, OF(regret_all.mean), .less = 4},
    {"regret_all_worst", "\nworst", OUT_RATIO, 6, OF(regret_all.worst), .less = 4},
    {"default_mean", "\nlibrary", OUT_RATIO, 7, OF(own.mean), .gap = 2},
    {"default_worst", "\nworst", OUT_RATIO, 6, OF(own.worst), .less = 1},
    {"default_all_mean", NULL, OUT_RATIO, OF(own_all.mean)},
    {"default_all_worst", NULL, OUT_RATIO, OF(own_all.worst)},
    {"default_groups", NULL, OUT_COUNT, OF(own.groups)},
    {"single", "always\nthe single", OUT_WORD, -20, OF(single_name), .gap = 2, .less = 2},
    {"single_mean", "\nmean", OUT_RATIO, 6, OF(single.mean), .less = 2},
    {"single_worst", "\nworst", OUT_RATIO, 6, OF(single.worst), .less = 2},
    {"single_groups", NULL, OUT_COUNT, OF(single.groups)},
    {"fitted_single_mean", "fitted\nmean", OUT_RATIO, 6, OF(fitted_single.mean), .less = 3},
    {"fitted_single_worst", "\nworst", OUT_RATIO, 6, OF(fitted_single.worst), .less = 3},
    {"fitted_single_groups", NULL, OUT_COUNT, OF(fitted_single.groups)},
    {NULL, "by the\nmodel", OUT_RATIO, 6, OF(model.mean), .gap = 2},
    {NULL, "best at\nnearest p", OUT_RATIO, 9, OF(nearest.mean)},
    {"error_short_median", "< 64 KiB\nmedian", ERROR_OF(PREDICT_SHORT, median), .gap = 2,
     .less = 6},
    {"error_short_p90", "\np90", ERROR_OF(PREDICT_SHORT, p90), .less = 7},
    {"error_long_median", ">= 64 KiB\nmedian", ERROR_OF(PREDICT_LONG, median), .less = 6},
    {"error_long_p90", "\np90", ERROR_OF(PREDICT_LONG, p90), .less = 7},
    {"coverage", "in\ninterval", OUT_PERCENT, 8, "%.0f %%", OF(coverage), .gap = 2},
    {"model_mean", NULL, OUT_RATIO, OF(model.mean)},
    {"model_worst", NULL, OUT_RATIO, OF(model.worst)},
    {"nearest_mean", NULL, OUT_RATIO, OF(nearest.mean)},
    {"nearest_worst", NULL, OUT_RATIO, OF(nearest.worst)},
    {"nearest_groups", NULL, OUT_COUNT, OF(nearest.groups)},
    {"by_nearest", NULL, OUT_COUNT, OF(by_nearest)},
};

static size_t count_collectives(const struct predict_result *result)
{
    return result->collectives;
}

static void fill_summary(const struct predict_result *result, size_t i,
                         const struct out_table *table, union out_cell cells[])
{
    out_cells(table, (const void *const[]){&result->collective[i]}, cells);
}

static const struct out_column error_columns[] = {
    SYSTEM_AND_COLLECTIVE,
    {"algorithm", "\nalgorithm", OUT_WORD, -38, OF(name)},
    {"rows", "\nrows", OUT_COUNT, 5, OF(rows), .less = 5},
    {"predicted", "pre-\ndicted", OUT_COUNT, 6, OF(predicted)},
    {"short_rows", "< 64 KiB\nrows", OUT_COUNT, 7, OF(errors[PREDICT_SHORT].rows), .gap = 2,
     .less = 4},
    {"short_median", "\nmedian", ERROR_OF(PREDICT_SHORT, median)},
    {"short_p90", "\np90", ERROR_OF(PREDICT_SHORT, p90), .less = 2},
    {"short_bias", "\nbias", ERROR_OF(PREDICT_SHORT, bias), .less = 3},
    {"long_rows", ">= 64 KiB\nrows", OUT_COUNT, 8, OF(errors[PREDICT_LONG].rows), .gap = 2,
     .less = 4},
    {"long_median", "\nmedian", ERROR_OF(PREDICT_LONG, median)},
    {"long_p90", "\np90", ERROR_OF(PREDICT_LONG, p90), .less = 2},
    {"long_bias", "\nbias", ERROR_OF(PREDICT_LONG, bias), .less = 3},
    {"coverage", "in the\ninterval", OUT_PERCENT, 8, "%.0f %%", .gap = 2, OF(coverage)},
};
#undef OF

static size_t count_algorithms(const struct predict_result *result)
{
    return result->algorithms;
}

static void fill_errors(const struct predict_result *result, size_t i,
                        const struct out_table *table, union out_cell cells[])
{
    out_cells(table, (const void *const[]){&result->algorithm[i]}, cells);
}

/* ---- Rows of measured rows ------------------------------------------------------------------- */

/* The structs that the columns of the tables below show. */
enum { A_ROW, A_FOLD, SHOWN, FORECAST, A_TESTED };
#define ROW(member)  OUT_OF_BASE(A_ROW, struct rows_row, member)
#define FOLD(member) OUT_OF_BASE(A_FOLD, struct predict_fold, member)

static double time_of(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NAN : result->tested[number].row->median_s;
}

static const char *name_of(const struct predict_result *result, int64_t number)
{
    return number < 0 ? NULL : result->tested[number].row->name;
}

/* ---- A row per point ------------------------------------------------------------------------- */

struct choice {
    int64_t measured, predictable;
    const char *choice, *best, *best_all, *fitted_single;
    double choice_s, predicted_s, best_s, best_all_s, default_s;
    double regret, regret_all, default_regret, single_regret, fitted_regret;
};

#define OF(member) OUT_OF_BASE(SHOWN, struct choice, member)
static const struct out_column choice_columns[] = {
    {"system", "\nsystem", OUT_WORD, -12, ROW(system), .less = 9},
    {"test", NULL, OUT_WORD, ROW(test)},
    {"held_out", NULL, OUT_WORD, FOLD(held_out)},
    {"collective", "\ncollective", OUT_WORD, -14, ROW(collective), .less = 7},
    {"nodes", "\nnodes", OUT_COUNT, 5, ROW(nodes)},
    {"ranks_per_node", "\nppn", OUT_COUNT, 3, ROW(ranks_per_node)},
    {"p", "\np", OUT_COUNT, 5, ROW(p), .less = 3},
    {"bytes", "\nbytes", OUT_BYTES, 7, ROW(bytes)},
    {"measured", "algo-\nrithms", OUT_COUNT, 6, OF(measured), .less = 8},
    {"predictable", "pre-\ndictable", OUT_COUNT, 8, OF(predictable), .less = 8},
    {"choice", "\nchoice", OUT_WORD, -28, OF(choice), .gap = 2},
    {"choice_s", "\ntime", OUT_SECONDS, 9, OF(choice_s), .less = 2},
    {"choice_predicted_s", "\npredicted", OUT_SECONDS, 9, OF(predicted_s), .less = 4},
    {"best", "\nbest", OUT_WORD, -28, OF(best), .gap = 2},
    {"best_s", "\ntime", OUT_SECONDS, 9, OF(best_s), .less = 1},
    {"best_all", NULL, OUT_WORD, OF(best_all)},
    {"best_all_s", NULL, OUT_SECONDS, OF(best_all_s)},
    {"default_s", "default\ntime", OUT_SECONDS, 9, OF(default_s), .less = 5},
    {"regret", "\nregret", OUT_RATIO, 6, OF(regret)},
    {"regret_all", "\nof all", OUT_RATIO, 6, OF(regret_all), .less = 6},
    {"default_regret", "\ndefault's", OUT_RATIO, 9, OF(default_regret), .less = 5},
    {"single_regret", NULL, OUT_RATIO, OF(single_regret)},
    {"fitted_single", NULL, OUT_WORD, OF(fitted_single)},
    {"fitted_single_regret", NULL, OUT_RATIO, OF(fitted_regret)},
};
#undef OF

static size_t count_groups(const struct predict_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->groups; i++)
        count += result->group[i].predictable >= 2;
    return count;
}

/* The i-th group with a choice. */
static const struct predict_group *group_at(const struct predict_result *result, size_t i)
{
    const struct predict_group *group = result->group;
    for (;; group++)
        if (group->predictable >= 2 && i-- == 0)
            return group;
}

static void fill_choice(const struct predict_result *result, size_t i,
                        const struct out_table *table, union out_cell cells[])
{
    const struct predict_group *group = group_at(result, i);
    const struct predict_tested *first = &result->tested[group->first];
    const double best_s = time_of(result, group->best);
    const double choice_s = time_of(result, group->choice);
    const struct choice choice = {
        .measured = (int64_t)group->count,
        .predictable = group->predictable,
        .choice = name_of(result, group->choice),
        .best = name_of(result, group->best),
        .best_all = name_of(result, group->best_all),
        .fitted_single = name_of(result, group->fitted_single),
        .choice_s = choice_s,
        .predicted_s = result->tested[group->choice].estimate.time_s,
        .best_s = best_s,
        .best_all_s = time_of(result, group->best_all),
        .default_s = time_of(result, group->own),
        .regret = choice_s / best_s,
        .regret_all = choice_s / time_of(result, group->best_all),
        .default_regret = time_of(result, group->own) / best_s,
        .single_regret = time_of(result, group->single) / best_s,
        .fitted_regret = time_of(result, group->fitted_single) / best_s,
    };
    out_cells(table, (const void *const[]){first->row, &result->fold[first->fold], &choice}, cells);
}

/* ---- A row per measurement ------------------------------------------------------------------- */

struct prediction {
    int64_t radix, segment_bytes; /* -1: none */
    double predicted_s, low_s, high_s, error;
};

#define OF(member) OUT_OF_BASE(SHOWN, struct prediction, member)
static const struct out_column row_columns[] = {
    {"system", "system", OUT_WORD, -12, ROW(system), .less = 9},
    {"test", NULL, OUT_WORD, ROW(test)},
    {"library", NULL, OUT_WORD, ROW(library)},
    {"library_version", NULL, OUT_WORD, ROW(library_version)},
    {"collective", "collective", OUT_WORD, -14, ROW(collective), .less = 6},
    {"algorithm", "algorithm", OUT_WORD, -38, ROW(name)},
    {"plan", "plan", OUT_WORD, -20, ROW(algorithm), .less = 4},
    {"radix", NULL, OUT_COUNT, OF(radix)},
    {"segment_bytes", NULL, OUT_BYTES, OF(segment_bytes)},
    {"interfaces", NULL, OUT_COUNT, ROW(interfaces)},
    {"default", NULL, OUT_TRUTH, ROW(own_choice)},
    {"nodes", "nodes", OUT_COUNT, 5, ROW(nodes)},
    {"ranks_per_node", "ppn", OUT_COUNT, 3, ROW(ranks_per_node)},
    {"p", "p", OUT_COUNT, 5, ROW(p), .less = 7},
    {"bytes", "bytes", OUT_BYTES, 7, ROW(bytes)},
    {"m_bytes", NULL, OUT_BYTES, ROW(m_bytes)},
    {"measured_s", "measured", OUT_SECONDS, 9, ROW(median_s)},
    {"predicted_s", "predicted", OUT_SECONDS, 9, OF(predicted_s)},
    {"low_s", "from", OUT_SECONDS, 9, OF(low_s), .less = 5},
    {"high_s", "to", OUT_SECONDS, 9, OF(high_s), .less = 5},
    {"error", "error", OUT_PERCENT, 8, "%.1f %%", OF(error)},
    {"held_out", "held out", OUT_WORD, -16, FOLD(held_out), .gap = 2, .less = 8},
};
#undef OF

static size_t count_tested(const struct predict_result *result)
{
    return result->count;
}

static void fill_row(const struct predict_result *result, size_t i, const struct out_table *table,
                     union out_cell cells[])
{
    const struct predict_tested *tested = &result->tested[i];
    const struct rows_row *row = tested->row;
    struct prediction prediction = {row->radix > 0 ? row->radix : -1,
                                    row->segment_bytes > 0 ? row->segment_bytes : -1,
                                    NAN,
                                    NAN,
                                    NAN,
                                    NAN};
    if (tested->predicted) {
        prediction.predicted_s = tested->estimate.time_s;
        prediction.low_s = tested->estimate.low_s;
        prediction.high_s = tested->estimate.high_s;
        prediction.error = tested->estimate.time_s / row->median_s - 1;
    }
    out_cells(table, (const void *const[]){row, &result->fold[tested->fold], &prediction}, cells);
}

/* ---- Points that were asked for -------------------------------------------------------------- */

#define TESTED(member) OUT_OF_BASE(A_TESTED, struct predict_tested, member)
/* Of a point: the row of the choice, or the first, and its prediction. */
#define ASKED_ROW(member)    OUT_OF_BASE(DECIDE_ITSELF, struct rows_row, member)
#define ASKED_TESTED(member) OUT_OF_BASE(DECIDE_ITSELF_MORE, struct predict_tested, member)
static const struct out_column asked_columns[] = {
    {"library", NULL, OUT_WORD, ASKED_ROW(library)},
    {"nodes", "nodes", OUT_COUNT, ASKED_ROW(nodes)},
    {"bytes", "m", OUT_BYTES, ASKED_ROW(bytes)},
    {"predictable", NULL, OUT_COUNT,
     OUT_OF_BASE(DECIDE_CALL_MORE, struct predict_group, predictable)},
    {"nodes_beyond", "nodes\nbeyond", OUT_REAL, .real = "%.1fx", ASKED_TESTED(nodes_beyond)},
    {"bytes_beyond", "bytes\nbeyond", OUT_REAL, .real = "%.1fx", ASKED_TESTED(bytes_beyond)},
};

struct points {
    const struct predict_result *result;
    const struct decide *decision;
    size_t *number; /* of the calls that are shown */
};

static struct decide_row row_of_point(const void *context, size_t i)
{
    const struct points *points = context;
    const struct decide_call *call = &points->decision->calls[points->number[i]];
    const struct predict_group *group = call->more;
    const struct predict_tested *first = &points->result->tested[group->first];
    const struct predict_tested *choice =
        call->choice == NULL || call->choice->more == NULL ? first : call->choice->more;
    return (struct decide_row){.place = &points->decision->places[call->place],
                               .call = call,
                               .itself = choice->row,
                               .more = first};
}

/* Numbers of the calls, or, where these are many for a screen, of those that have another choice
 * than the size before. Returns how many. */
static size_t number_points(const struct points *points, bool screen)
{
    enum { MANY = 14 };
    const struct decide *decision = points->decision;
    size_t count = 0;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i], *before = i == 0 ? NULL : call - 1;
        if (!screen || decision->call_count <= MANY || before == NULL ||
            before->place != call->place || before->p != call->p || before->choice == NULL ||
            call->choice == NULL || before->choice->name != call->choice->name)
            points->number[count++] = i;
    }
    return count;
}

/* The columns of the screen: what all points have in common stands in the line above. */
static void name_columns(const struct decide *decision, const char *columns, char text[160])
{
    bool places = false, collectives = false, ranks = false;
    for (size_t i = 1; i < decision->place_count; i++) {
        places = places || decision->places[i].place != decision->places[0].place;
        collectives = collectives ||
                      strcmp(decision->places[i].collective, decision->places[0].collective) != 0;
    }
    for (size_t i = 1; i < decision->call_count; i++)
        ranks = ranks || decision->calls[i].p != decision->calls[0].p;
    snprintf(text, 160, "%s%s%sbytes choice/! %s", places ? "place/3 " : "",
             collectives ? "collective " : "", ranks ? "nodes " : "", columns);
}

/* Prints the choices, on the screen with these columns; returns how many. */
static size_t print_points(const struct predict_result *result, const struct decide *decision,
                           const char *columns, const struct predict_printing *how, FILE *stream,
                           json_t *head)
{
    const struct points points = {result, decision,
                                  sup_calloc(decision->call_count + 1, sizeof *points.number)};
    char text[160];
    name_columns(decision, columns, text);
    const struct decide_table table = {
        .text = how->screen
                    ? text
                    : "place/9 collective/8 nodes ppn p/7 bytes choice time_s low_s/4 high_s/4 "
                      "own/2 own_s/1 gain/1 nodes_beyond/3 bytes_beyond/3",
        .data =
            "place library collective nodes ppn p bytes predictable choice algorithm segment "
            "time_s low_s high_s own own_algorithm own_s own_low_s own_high_s gain nodes_beyond "
            "bytes_beyond",
        .own = asked_columns,
        .own_width = OUT_COUNT_OF(asked_columns),
        .rows = number_points(&points, how->screen),
        .row = row_of_point,
        .context = &points};
    if (how->format == OUT_JSON)
        decide_table_rows(&table, stream, head, "rows");
    else
        (how->format == OUT_CSV ? decide_table_csv : decide_table_text)(&table, stream);
    if (table.rows < decision->call_count)
        out_say(stream, "A row holds from its size on, up to that of the next one.");
    free(points.number);
    return table.rows;
}

void predict_show_rules(const struct predict_result *result, const struct decide *decision,
                        const struct rules_format *format, FILE *stream)
{
    const struct predict_printing how = {.format = OUT_TEXT, .screen = true};
    const bool one = decision->place_count == 1;
    char *gains = decide_say_gains(decision, DECIDE_ALL_PLACES, sup_library_title(format->library),
                                   one ? decision->places[0].collective : "choice");
    out_say(stream, "%s.", gains);
    print_points(result, decision, "segment time_s own_s gain", &how, stream, NULL);
    free(gains);
}

static const struct out_column asked_row_columns[] = {
    {"place", "place", OUT_WORD, -12, ROW(system), .less = 9},
    {"library", NULL, OUT_WORD, ROW(library)},
    {"library_version", NULL, OUT_WORD, ROW(library_version)},
    {"collective", "collective", OUT_WORD, -14, ROW(collective), .less = 8},
    {"nodes", "nodes", OUT_COUNT, 5, ROW(nodes)},
    {"ppn", "ppn", OUT_COUNT, 3, ROW(ranks_per_node)},
    {"p", "p", OUT_COUNT, 5, ROW(p), .less = 7},
    {"bytes", "m", OUT_BYTES, 7, ROW(bytes)},
    {"m_bytes", NULL, OUT_BYTES, ROW(m_bytes)},
    {"choice", "algorithm", OUT_WORD, -28, ROW(name), .gap = 2},
    {"algorithm", "its plan", OUT_WORD, -18, ROW(algorithm), .less = 5},
    {"radix", NULL, OUT_COUNT, ROW(radix)},
    {"blocks", NULL, OUT_COUNT, ROW(n)},
    {"segment", NULL, OUT_BYTES, ROW(segment_bytes)},
    {"time_s", "time", OUT_SECONDS, 9, TESTED(estimate.time_s)},
    {"low_s", "from", OUT_SECONDS, 9, TESTED(estimate.low_s), .less = 4},
    {"high_s", "to", OUT_SECONDS, 9, TESTED(estimate.high_s), .less = 4},
    {"chosen", "chosen", OUT_TRUTH, 6, TESTED(choice), .less = 1},
    {"is_own", "own", OUT_TRUTH, 7, ROW(own_choice), .less = 1},
    {"extended", NULL, OUT_TRUTH, TESTED(extended)},
    {"nodes_beyond", "nodes\nbeyond", OUT_REAL, 7, "%.1fx", TESTED(nodes_beyond), .less = 3},
    {"bytes_beyond", "bytes\nbeyond", OUT_REAL, 7, "%.1fx", TESTED(bytes_beyond), .less = 3},
};

static void fill_asked_row(const struct predict_result *result, size_t i,
                           const struct out_table *table, union out_cell cells[])
{
    struct predict_tested tested = result->tested[i];
    if (!tested.predicted)
        tested.estimate = (struct predict_estimate){NAN, NAN, NAN};
    out_cells(table, (const void *const[]){tested.row, NULL, NULL, NULL, &tested}, cells);
}

/* ---- A row per parameter --------------------------------------------------------------------- */

#define OF(member) OUT_OF(struct predict_kept_parameter, member)
static const struct out_column parameter_columns[] = {
    {"system", "system", OUT_WORD, -12, FOLD(system)},
    {"held_out", "held out", OUT_WORD, -16, FOLD(held_out)},
    {"fitted", "rows", OUT_COUNT, 5, FOLD(fitted)},
    {"parameter", "parameter", OUT_WORD, -32, OF(name), .gap = 2},
    {"value", "value", OUT_REAL, 11, "%.4g", OF(value)},
    {"low", "from", OUT_REAL, 11, "%.4g", OF(low)},
    {"high", "to", OUT_REAL, 11, "%.4g", OF(high)},
    {"unit", "unit", OUT_WORD, -5, OF(unit), .gap = 2},
    {"determined", "determined", OUT_TRUTH, 10, OF(determined)},
};
#undef OF

static size_t count_parameters(const struct predict_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->folds; i++)
        count += result->fold[i].parameters;
    return count;
}

static void fill_parameter(const struct predict_result *result, size_t i,
                           const struct out_table *table, union out_cell cells[])
{
    const struct predict_fold *fold = result->fold;
    for (; i >= fold->parameters; fold++)
        i -= fold->parameters;
    out_cells(table, (const void *const[]){&fold->parameter[i], fold}, cells);
}

/* ---- A row per forecast ---------------------------------------------------------------------- */

struct comparison {
    const char *best, *faster;
    double best_s, default_s, ratio;
};

#define OF(member)       OUT_OF_BASE(SHOWN, struct comparison, member)
#define FORECAST(member) OUT_OF_BASE(FORECAST, struct predict_forecast, member)
static const struct out_column forecast_columns[] = {
    {"system", "\nsystem", OUT_WORD, -12, ROW(system), .less = 6},
    {"test", NULL, OUT_WORD, ROW(test)},
    {"held_out", NULL, OUT_WORD, FOLD(held_out)},
    {"collective", "\ncollective", OUT_WORD, -14, ROW(collective), .less = 3},
    {"nodes", "\nnodes", OUT_COUNT, 5, ROW(nodes)},
    {"ranks_per_node", "\nppn", OUT_COUNT, 3, ROW(ranks_per_node)},
    {"bytes", "\nbytes", OUT_BYTES, 7, ROW(bytes)},
    {"best", "best\nmeasured", OUT_WORD, -28, OF(best), .gap = 2},
    {"best_s", "\ntime", OUT_SECONDS, 9, OF(best_s), .less = 2},
    {"default_s", "default\ntime", OUT_SECONDS, 9, OF(default_s), .less = 4},
    {"algorithm", "\nforecast", OUT_WORD, -20, FORECAST(algorithm), .gap = 2},
    {"n", "\nn", OUT_COUNT, 4, FORECAST(n)},
    {"predicted_s", "\ntime", OUT_SECONDS, 9, FORECAST(estimate.time_s)},
    {"low_s", "\nfrom", OUT_SECONDS, 9, FORECAST(estimate.low_s), .less = 5},
    {"high_s", "\nto", OUT_SECONDS, 9, FORECAST(estimate.high_s), .less = 5},
    {"best_over_predicted", "best /\nforecast", OUT_RATIO, 8, OF(ratio), .less = 1},
    {"faster", "\nfaster", OUT_WORD, -6, OF(faster), .less = 1},
};
#undef OF

static size_t count_forecasts(const struct predict_result *result)
{
    return result->forecasts;
}

static const struct predict_group *group_of(const struct predict_result *result,
                                            const struct rows_row *row)
{
    for (size_t g = 0; g < result->groups; g++)
        if (predict_same_point(result->tested[result->group[g].first].row, row))
            return &result->group[g];
    return NULL; /* no forecast is without a group */
}

/* Is it faster than anything measured, as far as its interval tells? */
static const char *verdict_of(const struct predict_estimate *estimate, double best_s)
{
    return estimate->high_s < best_s ? "yes" : estimate->low_s > best_s ? "no" : "open";
}

static void fill_forecast(const struct predict_result *result, size_t i,
                          const struct out_table *table, union out_cell cells[])
{
    const struct predict_forecast *forecast = &result->forecast[i];
    const struct predict_group *group = group_of(result, forecast->row);
    const double best_s = time_of(result, group->best_all);
    const struct comparison comparison = {.best = name_of(result, group->best_all),
                                          .faster = verdict_of(&forecast->estimate, best_s),
                                          .best_s = best_s,
                                          .default_s = time_of(result, group->own),
                                          .ratio = best_s / forecast->estimate.time_s};
    out_cells(
        table,
        (const void *const[]){forecast->row, &result->fold[forecast->fold], &comparison, forecast},
        cells);
}

/* ---- Printing -------------------------------------------------------------------------------- */

#define TABLE(columns_)                                                                            \
    {                                                                                              \
        .columns = columns_, .width = OUT_COUNT_OF(columns_)                                       \
    }
static const struct view views[PREDICT_WHATS] = {
    [PREDICT_SUMMARY] = {TABLE(summary_columns), count_collectives, fill_summary},
    [PREDICT_ERRORS] = {TABLE(error_columns), count_algorithms, fill_errors},
    [PREDICT_CHOICES] = {TABLE(choice_columns), count_groups, fill_choice},
    [PREDICT_ROWS] = {TABLE(row_columns), count_tested, fill_row},
    [PREDICT_PARAMETERS] = {TABLE(parameter_columns), count_parameters, fill_parameter},
    [PREDICT_FORECASTS] = {TABLE(forecast_columns), count_forecasts, fill_forecast},
};

static const struct view asked_rows = {TABLE(asked_row_columns), count_tested, fill_asked_row};

/* What ran, in front of the rows. */
static json_t *head_of(const struct predict_request *request, const struct predict_result *result)
{
    json_t *head = json_object(), *folds = json_array();
    const char *model = request->options.model;
    json_object_set_new(head, "model",
                        out_json_text(model == NULL ? predict_kind_at(0)->name : model));
    json_object_set_new(head, "rows_counted", json_integer(result->rows));
    json_object_set_new(head, request->asked == NULL ? "held_out" : "predicted",
                        json_integer((json_int_t)result->count));
    if (request->asked != NULL) {
        json_object_set_new(head, "rate", out_json_real(result->beyond.rate));
        json_object_set_new(head, "rate_fits", json_integer(result->beyond.fits));
        json_object_set_new(head, "rate_rows", json_integer(result->beyond.rows));
    }
    json_object_set_new(head, "in_both_filters", json_integer(result->both));
    json_object_set_new(head, "without_plan", json_integer(result->no_plan));
    for (size_t i = 0; i < result->folds; i++) {
        json_t *fold = json_object();
        json_object_set_new(fold, "system", out_json_text(result->fold[i].system));
        json_object_set_new(fold, "held_out", out_json_text(result->fold[i].held_out));
        json_object_set_new(fold, "fitted", json_integer(result->fold[i].fitted));
        json_object_set_new(fold, "note", out_json_text(result->fold[i].note));
        json_array_append_new(folds, fold);
    }
    json_object_set_new(head, "folds", folds);
    return head;
}

static bool is_one_machine(const struct predict_result *result)
{
    return result->collectives == 0 ||
           strcmp(result->collective[0].system,
                  result->collective[result->collectives - 1].system) == 0;
}

static size_t print_rows(const struct predict_result *result, const struct predict_printing *how,
                         const struct view *view, FILE *stream, json_t *head)
{
    enum { MOST = 12 };
    union out_cell cells[MOST_CELLS];
    struct out_column list[MOST_CELLS];
    size_t number[MOST_CELLS];
    struct out_rows rows;
    const size_t count = view->count(result), shown = how->screen && count > MOST ? MOST : count;
    const struct out_table table =
        how->format != OUT_TEXT
            ? view->table
            : out_text_columns(&view->table, how->screen && is_one_machine(result), !how->screen,
                               list, number);
    out_rows_begin(&rows, &table, how->format, stream, head, "rows");
    for (size_t i = 0; i < shown; i++) {
        view->fill(result, i, &table, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
    if (shown < count)
        out_say(stream, "%zu more rows are behind --details.", count - shown);
    return count;
}

static void say_more(const struct predict_printing *how, FILE *stream)
{
    out_more(stream, how->what == PREDICT_SUMMARY
                         ? "--details, --what errors|choices|rows (by algorithm, point, row), "
                           "--nodes N (points that were not measured)"
                         : "--details (the library's own choice, how far beyond the rows), "
                           "--what rows, --format ompi -o rules.txt");
}

static void say_notes(const struct predict_printing *how, FILE *stream)
{
    enum { MOST_NOTES = 3 };
    const size_t count = how->notes->count,
                 said = how->screen && count > MOST_NOTES ? MOST_NOTES : count;
    for (size_t i = 0; i < said; i++)
        out_say(stream, "%s.", how->notes->sentence[i]);
    if (said < count)
        out_say(stream, "%zu more notes are behind --details.", count - said);
}

size_t predict_report(const struct predict_request *request, const struct predict_result *result,
                      const struct predict_printing *how, FILE *stream)
{
    const enum predict_what what = how->what;
    const bool asked = request->asked != NULL, text = how->format == OUT_TEXT,
               details = text && !how->screen;
    struct out_verdict verdict = {0};
    predict_say(request, result, what, &verdict);
    const size_t above = what == PREDICT_SUMMARY && verdict.count > 1 ? 2 : verdict.count > 0;
    json_t *head = how->format == OUT_JSON ? head_of(request, result) : NULL;
    if (head != NULL)
        json_object_set_new(head, "verdict", out_verdict_json(&verdict));
    for (size_t i = 0; i < above && text; i++)
        out_say(stream, "%s", verdict.sentence[i]);
    if (text && above > 0 && (!asked || what != PREDICT_CHOICES))
        fputc('\n', stream);
    struct decide decision = {0};
    if (asked && what == PREDICT_CHOICES)
        predict_decide(result, &decision);
    const size_t count =
        asked && what == PREDICT_CHOICES
            ? print_points(result, &decision, "time_s interval_text next_best/2 lead gain/1", how,
                           stream, head)
            : print_rows(result, how, asked && what == PREDICT_ROWS ? &asked_rows : &views[what],
                         stream, head);
    if (text && verdict.count + how->notes->count > above)
        fputc('\n', stream);
    if (text) {
        out_verdict_lines(&verdict, above, stream);
        say_notes(how, stream);
    }
    if (details) {
        fputc('\n', stream);
        out_json_details(head_of(request, result), stream);
    }
    if (how->screen)
        say_more(how, stream);
    out_verdict_free(&verdict);
    decide_free(&decision);
    return count;
}
