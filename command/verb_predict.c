/* verb_predict.c - fits a model of a machine to measured collectives, predicts others, and says
 * what its choice of algorithms would cost. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/verbs.h"
#include "plots/figure/plot.h"
#include "studies/predict/predict.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/pool.h"

enum { MOST_FILES = 1000 };

static const char *model_name(int32_t i)
{
    const struct predict_kind *kind = predict_kind_at(i);
    return kind == NULL ? NULL : kind->name;
}

static bool look_option(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(predict_figures_lack(), i, option);
}

static const struct cli_option options[] = {
    {CLI_ROW("system", TEXT, "SYSTEM"),
     .help = "use only this machine of the data; the beginning of its name will do; default: each "
             "machine by itself"},
    {CLI_ROW("collective", TEXT, "NAME"), .repeatable = true, .separable = true,
     .usual = sup_collective_names, .help = "only rows of these collectives, by commas"},
    {CLI_ROW("fit", TEXT, "FILTER"),
     .help = "fit these rows, such as 'nodes<=64'; default: those that are not predicted"},
    {CLI_ROW("predict", TEXT, "FILTER"),
     .help = "predict these rows, such as 'nodes=256'; rows that are fitted are left out; default: "
             "those that are not fitted"},
    {CLI_ROW("nodes", INTS, "NODES"), .least = 1, .most = RB_MAX_RANKS,
     .help = "predict on so many nodes, which need not have been measured: a row per collective, "
             "number of nodes and size, with the choice among the algorithms of the rows and the "
             "library's own choice by its decision rules"},
    {CLI_ROW("bytes", BYTESES, "BYTES"), .letter = 'm',
     .help = "only rows of these sizes (of a rank's largest buffer); with --nodes predict them; "
             "default: all, or those of the rows on the largest number of nodes"},
    {CLI_ROW("hold-out", CHOICE, "WHAT"),
     .choices = "nodes|collective|test|bytes|algorithm|largest|system",
     .help = "without --fit and --predict: predict the rows of each value in turn, fitted on the "
             "others; largest: each of the largest numbers of ranks, fitted on the rows of fewer; "
             "system: each machine, fitted on all others; "
             "default: nodes, or what else differs"},
    {CLI_ROW("rows", TEXT, "FILTER"), .synonym = "where", /* which other verbs call it */
     .help = "use only rows for which this holds, such as 'collective=bcast & bytes>=1KiB'"},
    {CLI_ROW("among", TEXT, "PATTERN"),
     .help = "fit, predict and choose only algorithms with such a name, such as '*_ompi'; the "
             "library's own choice stays for comparison"},
    {CLI_ROW("model", TEXT, "MODEL"), .word_at = model_name,
     .help = "the model that is fitted; default: the first"},
    {CLI_ROW("confidence", INT, "PERCENT"), .fallback = "90", .least = 1, .most = 99,
     .help = "how often a measured time should be in its interval"},
    {CLI_ROW("jobs", INT, "N"), .letter = 'j', .least = 1, .most = 1024,
     .help = "how many fits run at a time; default: as many as there are cores"},
    {CLI_ROW("machine", TEXT, "NAME"), .help = "the machine of files that do not name it"},
    {CLI_ROW("library", TEXT, "NAME"),
     .help = "only rows of this MPI library, which is also that of files that do not name it"},
    {CLI_ROW("algorithm", TEXT, "NAME"),
     .help =
         "the algorithm of files that do not name it; default: the library's choice; with --nodes "
         "a pattern with * or ?: the algorithms to predict, while the fit keeps the others"},
    {CLI_ROW("ranks", INTS, "P"), .letter = 'p', .least = 1, .most = RB_MAX_RANKS,
     .help = "the number of ranks of files that do not name it: one for all, or one for each FILE, "
             "in their order"},
    {CLI_ROW("ppn", INT, "PPN"), .least = 1, .most = RB_MAX_RANKS,
     .help = "ranks per node of files that do not name them, and of the points of --nodes"},
    {CLI_ROW("what", CHOICE, "TABLE"), .fallback = "summary",
     .choices = "summary|errors|choices|rows|parameters|forecasts",
     .help = "summary: a row per collective; errors: per algorithm; choices: per point, with the "
             "regret; rows: per measurement; parameters: of "
             "each fit, which has all rows unless something is held out; "
             "forecasts: per point and --forecast"},
    {CLI_ROW("forecast", TEXT, "NAME"), .repeatable = true,
     .help = "predict this algorithm of Roundabout as well, at every point of its collective, with "
             "the best block count; --what forecasts compares it with the best measured one"},
    {CLI_ROW("figures", TEXT, "DIR"),
     .help =
         "draw measured and predicted times, and the regret, into this directory, which is made "
         "if it is missing"},
    PLOT_OPTION_PICTURES("pdf,png,svg"),
    {.more = look_option},
    VERB_RULES_OPTIONS,
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table", .choices = "table|csv|json",
     .word_at = rules_format_word, .usual = rules_format_usual,
     .help =
         "output format; from ompi on, a file of rules for an MPI library, by which it takes the "
         "algorithms that are predicted to be fastest (docs/tuning-files.md)"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

/* ---- The request ----------------------------------------------------------------------------- */

static const char *const filter_names[] = {"rows", "fit", "predict"};
enum { ROWS, FIT, PREDICT, FILTERS };

struct work {
    struct rows_set set;
    struct rows_filter *filter[FILTERS];
    struct predict_asked asked;
    struct predict_assumed assumed;
    struct predict_result result;
    struct plot_look look;
    struct out_verdict notes; /* of what was read and left out */
};

static void release(struct work *work)
{
    plot_look_free(&work->look);
    out_verdict_free(&work->notes);
    predict_free(&work->result);
    free(work->asked.row);
    for (int i = 0; i < FILTERS; i++)
        rows_filter_free(work->filter[i]);
    rows_free(&work->set);
}

/* --algorithm, if it is a pattern of the algorithms to predict; NULL: it is none. */
static const char *asked_pattern(const struct cli_args *args)
{
    const char *text = cli_args_text(args, "algorithm");
    return cli_args_given(args, "nodes") && text != NULL && strpbrk(text, "*?") != NULL ? text
                                                                                        : NULL;
}

static int read_files(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    struct rows_set *set = &work->set;
    const char *const *files;
    const int32_t count = cli_args_operands(args, &files);
    const bool asked = cli_args_given(args, "nodes");
    const int32_t ppn = cli_args_given(args, "ppn") ? (int32_t)cli_args_int(args, "ppn") : 0;
    const struct sup_list *p = cli_args_given(args, "ranks") ? cli_args_list(args, "ranks") : NULL;
    struct rows_defaults defaults = {
        .system = cli_args_text(args, "machine"),
        .unnamed_library = cli_args_text(args, "library"),
        .algorithm = asked_pattern(args) == NULL ? cli_args_text(args, "algorithm") : NULL,
        .ranks_per_node = asked ? 0 : ppn,
        .unnamed = "here",
        .unnamed_algorithm = "default",
        .unnamed_ranks_per_node = asked ? ppn : 0,
        .ranks_option = "-p",
    };
    int status = RB_OK;
    if (p != NULL && p->count > 1 && p->count != (size_t)count)
        return sup_fail(error, RB_EINVAL,
                        "-p: %zu different numbers of ranks for %d files: give one for all, or one "
                        "for each",
                        p->count, (int)count);
    for (int32_t i = 0; i < count && status == RB_OK; i++) {
        defaults.p = p == NULL ? 0 : (int32_t)p->value[p->count > 1 ? i : 0];
        status = rows_read(set, files[i], &defaults, error);
    }
    if (status == RB_OK)
        status = rows_need_some(set, error);
    char *note;
    for (int i = 0; status == RB_OK && (note = rows_note(set, i)) != NULL; i++) {
        out_verdict_say(&work->notes, "%s", note);
        free(note);
    }
    if (status == RB_OK)
        rows_find_fallbacks(set);
    predict_choose_nccl(set->row, set->count);
    return status;
}

static int parse_filters(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    int status = RB_OK;
    for (int i = 0; i < FILTERS && status == RB_OK; i++)
        status = rows_filter_of(args, filter_names[i], &work->filter[i], error);
    return status;
}

/* RB_EINVAL, with those that there are, if no row is of the library that is asked for. */
static int check_library(const struct cli_args *args, const struct rows_set *set,
                         struct sup_error *error)
{
    const char *asked = cli_args_text(args, "library");
    char names[200] = "";
    for (size_t i = 0; asked != NULL && i < set->count; i++) {
        const char *library = set->row[i].library;
        if (sup_same_library(library, asked) || strcasecmp(library, asked) == 0)
            return RB_OK;
        if (strstr(names, library) == NULL)
            sup_append(names, sizeof names, ", ", "%s", library);
    }
    return asked == NULL ? RB_OK
                         : sup_fail(error, RB_EINVAL,
                                    "--library: no row is of \"%.40s\": the "
                                    "libraries of these rows are %s",
                                    asked, names);
}

static bool is_algorithm(const char *name)
{
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return true;
    return false;
}

/* With --nodes: what to predict. */
static int ask(const struct cli_args *args, struct work *work, struct predict_request *request,
               struct sup_error *error)
{
    const struct predict_points points = {
        .nodes = cli_args_list(args, "nodes"),
        .ppn = cli_args_given(args, "ppn") ? (int32_t)cli_args_int(args, "ppn") : 0,
        .bytes = cli_args_given(args, "bytes") ? cli_args_list(args, "bytes") : NULL,
        .among = asked_pattern(args)};
    const int status = predict_ask(request, &points, &work->asked, error);
    predict_choose_nccl(work->asked.row, work->asked.count);
    request->asked = &work->asked;
    return status;
}

static int make_request(const struct cli_args *args, struct work *work,
                        struct predict_request *request, struct sup_error *error)
{
    struct sup_error reason;
    int status = parse_filters(args, work, error);
    if (status == RB_OK)
        status = read_files(args, work, error);
    if (status == RB_OK)
        status = check_library(args, &work->set, error);
    *request = (struct predict_request){
        .set = &work->set,
        .rows = work->filter[ROWS],
        .fit = work->filter[FIT],
        .predict = work->filter[PREDICT],
        .among = cli_args_text(args, "among"),
        .options = {.model = cli_args_text(args, "model"),
                    .confidence = (double)cli_args_int(args, "confidence") / 100},
        .jobs =
            cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : sup_pool_cores(),
    };
    const char *hold_out = cli_args_text(args, "hold-out");
    for (int i = 0; hold_out != NULL && i < PREDICT_HOLD_OUTS; i++)
        if (strcmp(hold_out, predict_hold_out_names[i]) == 0) {
            request->hold_out = (enum predict_hold_out)i;
            request->hold_out_asked = true;
        }
    request->forecasts = cli_args_texts(args, "forecast", &request->forecast);
    for (int32_t i = 0; i < request->forecasts && status == RB_OK; i++)
        if (!is_algorithm(request->forecast[i]))
            return sup_fail(error, RB_EINVAL,
                            "--forecast: no collective has an algorithm \"%.60s\": `roundabout "
                            "list` names them",
                            request->forecast[i]);
    if (status == RB_OK && hold_out != NULL && (request->fit != NULL || request->predict != NULL))
        return sup_fail(error, RB_EINVAL,
                        "--hold-out: --fit and --predict say already what is held out");
    const char *system = cli_args_text(args, "system");
    if (status == RB_OK && system != NULL &&
        rows_system(&work->set, system, &request->system, &reason) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--system: %s", reason.text);
    if (status == RB_OK)
        status = predict_assume_choices(request, &work->set, &work->assumed, error);
    if (status == RB_OK && cli_args_given(args, "nodes"))
        status = ask(args, work, request, error);
    return status;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

/* Why a table has no rows. */
static void explain_nothing(const struct predict_request *request, enum predict_what what,
                            size_t rows)
{
    if (rows > 0)
        return;
    if (what == PREDICT_FORECASTS)
        cli_complain(
            CLI_EXIT_DONE,
            request->forecasts == 0
                ? "no forecasts: give --forecast NAME; `roundabout list` names the algorithms"
                : "no forecasts: no collective of these rows has the algorithms of "
                  "--forecast");
    else if (what == PREDICT_CHOICES)
        cli_complain(CLI_EXIT_DONE,
                     "no choices: at no point can two or more algorithms be predicted; --what rows "
                     "shows which can");
}

/* Whose ranks are not in the files, so that a wrong order or name shows. */
static void note_files(struct work *work)
{
    const struct rows_set *set = &work->set;
    char text[400] = "";
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if (i == 0 || row->file != set->row[i - 1].file)
            sup_append(text, sizeof text, ", ", "%.60s: %d x %d", set->file[row->file],
                       (int)row->nodes, (int)row->ranks_per_node);
    }
    out_verdict_say(&work->notes, "The files have these nodes and ranks per node: %s", text);
}

/* What was taken for granted or left out, without which the numbers would mislead. */
static void note_rest(struct work *work, bool p_differs)
{
    const struct rows_set *set = &work->set;
    const struct predict_without *of = work->assumed.of;
    enum { MOST_NAMED = 120 }; /* characters; behind them others are only counted */
    char text[800] = "", unit[64];
    if (set->by_name > 0 || p_differs)
        note_files(work);
    int64_t others = 0;
    for (int i = 0; i < PREDICT_WITHOUT; i++) {
        if (of[i].without.count == 0 || strlen(text) > MOST_NAMED) {
            others += of[i].without.count;
            continue;
        }
        snprintf(unit, sizeof unit, "%.50s row", of[i].collective);
        char *rows = out_left_out_text(&of[i].without, of[i].rows, unit, "");
        sup_append(text, sizeof text, ", ", "%s", rows);
        free(rows);
    }
    if (others > 0)
        sup_append(text, sizeof text, ", ", "and %lld of others", (long long)others);
    if (text[0] != '\0')
        out_verdict_say(&work->notes, "Left out, because they have no plan here, are %s", text);
    if (work->assumed.rows > 0)
        out_verdict_say(&work->notes,
                        "The algorithms of %lld rows are those that the library's decision rules "
                        "take, as SimGrid has them (docs/smpi.md)",
                        (long long)work->assumed.rows);
    if (set->found[0] != '\0')
        out_verdict_say(&work->notes, "As their times show, %s", set->found);
    if (work->result.note[0] != '\0')
        out_verdict_say(&work->notes, "%s", work->result.note);
    if (work->asked.usual_ppn > 0)
        out_verdict_say(&work->notes,
                        "Points have %d rank%s per node, as most rows; --ppn says "
                        "otherwise",
                        (int)work->asked.usual_ppn, sup_plural(work->asked.usual_ppn));
    work->result.no_plan += work->assumed.without;
}

/* With --output the choices go to the screen as the library reads them in the file. */
static int write_rules(const struct cli_args *args, const struct work *work, FILE *stream,
                       struct sup_error *error)
{
    const char *path = cli_args_text(args, "output");
    struct out_file page = {0};
    struct decide decision = {0};
    const struct rules_request rules = {.format = verb_rules_format(args),
                                        .everywhere = cli_args_flag(args, "everywhere")};
    const struct rules_head head = verb_rules_head(args);
    struct rules_notes notes;
    int status = predict_write_rules(&work->set, &work->result, rules, &head, stream, &decision,
                                     &notes, error);
    verb_rules_tell(&notes);
    if (status == RB_OK && path != NULL && strcmp(path, "-") != 0) {
        status = out_open(&page, NULL, error);
        if (status == RB_OK) {
            out_show(&page);
            predict_show_rules(&work->result, &decision, rules.format, page.stream);
            status = out_close(&page, error);
        }
        out_discard(&page);
    }
    decide_free(&decision);
    return status;
}

static int check(const struct cli_args *args, struct sup_error *error)
{
    const char *look = cli_args_given(args, "figures") ? NULL : plot_look_given(args);
    if (look != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: only with --figures", look);
    if (!cli_args_given(args, "nodes"))
        return verb_rules_check(args, error);
    const int status =
        cli_refuse(args, "predict|hold-out|forecast|figures",
                   "looks at measured points, and --nodes at others: leave one out", error);
    if (status != RB_OK)
        return status;
    const char *what = cli_args_text(args, "what");
    if (cli_args_given(args, "what") && strcmp(what, "choices") != 0 && strcmp(what, "rows") != 0 &&
        strcmp(what, "parameters") != 0)
        return sup_fail(error, RB_EINVAL,
                        "--what %s: needs measured times at the points: with --nodes there are "
                        "choices, rows, parameters",
                        what);
    return verb_rules_check(args, error);
}

/* Where and how figures are drawn. */
static int make_place(const struct cli_args *args, struct plot_request *place,
                      struct sup_error *error)
{
    int status = cli_args_set(args, "pictures", &place->pictures, error);
    if (status == RB_OK && place->directory != NULL)
        status = plot_gnuplot_find(place->pictures, NULL, error);
    return status;
}

static int run_(const struct cli_args *args, struct work *work, struct out_file *output,
                struct sup_error *error)
{
    struct predict_request request;
    struct plot_request place = {
        .directory = cli_args_text(args, "figures"), .look = &work->look, .list = stderr};
    struct predict_printing how = {.format = cli_args_format(args), .notes = &work->notes};
    while (strcmp(cli_args_text(args, "what"), predict_what_names[how.what]) != 0)
        how.what++;
    if (cli_args_given(args, "nodes") && !cli_args_given(args, "what"))
        how.what = PREDICT_CHOICES;
    const enum predict_what what = how.what;
    int status = check(args, error);
    if (status == RB_OK)
        status = plot_look_of(args, predict_figures_lack(), "these figures", &work->look, error);
    if (status == RB_OK)
        status = make_place(args, &place, error);
    if (status == RB_OK)
        status = make_request(args, work, &request, error);
    if (status == RB_OK) {
        request.fit_all = (what == PREDICT_PARAMETERS || what == PREDICT_FORECASTS) &&
                          request.fit == NULL && request.predict == NULL &&
                          !request.hold_out_asked && request.asked == NULL &&
                          place.directory == NULL;
        status = predict_run(&request, &work->result, error);
    }
    if (status != RB_OK)
        return status;
    note_rest(work, cli_args_given(args, "ranks") && cli_args_list(args, "ranks")->count > 1);
    how.screen = how.format == OUT_TEXT && !cli_details(args) && verb_rules_format(args) == NULL &&
                 (!cli_args_given(args, "what") || how.what == PREDICT_SUMMARY);
    const bool rules = verb_rules_format(args) != NULL;
    for (size_t i = 0; (rules || how.format != OUT_TEXT) && i < work->notes.count; i++)
        cli_complain(CLI_EXIT_DONE, "note: %c%s", tolower(work->notes.sentence[i][0]),
                     work->notes.sentence[i] + 1);
    if (place.directory != NULL)
        status = predict_draw(&request, &work->result, &place, error);
    if (status == RB_OK)
        plot_look_warn(&work->look);
    if (status == RB_OK && verb_rules_format(args) != NULL)
        return write_rules(args, work, output->stream, error);
    if (status == RB_OK)
        explain_nothing(&request, what,
                        predict_report(&request, &work->result, &how, output->stream));
    return status;
}

static int run(const struct cli_args *args)
{
    struct work work = {.set = {0}};
    struct out_file output;
    struct sup_error error;
    int exit_status = cli_args_output(args, &output);
    if (exit_status != CLI_EXIT_DONE)
        return exit_status;
    const int status = run_(args, &work, &output, &error);
    release(&work);
    exit_status = cli_fail(status, &error);
    return cli_finish_output(&output, exit_status);
}

const struct cli_verb verb_predict = {
    .name = "predict",
    .title = "Predict collectives from measured ones.",
    .common = "system|nodes|collective|bytes|among|fit|predict|what|machine|library|ranks",
    .operands = "FILE...",
    .least_operands = 1,
    .most_operands = MOST_FILES,
    .reads = "FILE",
    .options = options,
    .examples =
        "roundabout predict data/pico/measurements.csv --system lumi --collective bcast --nodes "
        "256,512\n"
        "roundabout predict osu_bcast.*nodes.txt --ppn 64 --library ompi --nodes 512\n"
        "roundabout predict data/pico/measurements.csv --system leonardo --fit 'nodes<=64' "
        "--predict 'nodes=256' --what choices\n"
        "roundabout predict data/pico/measurements.csv --system marenostrum --among '*_ompi'\n"
        "roundabout predict osu_bcast.txt --machine here -p 64 --algorithm binomial --hold-out "
        "bytes\n",
    .run = run,
};
