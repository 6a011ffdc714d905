/* verb_predict.c - fits a model of a machine to measured collectives, predicts others, and says
 * what its choice of algorithms would cost. */
#include <stdio.h>
#include <string.h>

#include "cli/options/common_options.h"
#include "command/verbs/rules_options.h"
#include "measurements/predict/predict.h"
#include "plots/figure/plot.h"
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
    {.name = "system",
     .type = CLI_OPT_TEXT,
     .value = "SYSTEM",
     .help = "only this machine of the data; a beginning of its name suffices; default: each "
             "machine by itself"},
    {.name = "fit",
     .type = CLI_OPT_TEXT,
     .value = "FILTER",
     .help = "fit these rows, such as 'nodes<=64'; default: those that are not predicted"},
    {.name = "predict",
     .type = CLI_OPT_TEXT,
     .value = "FILTER",
     .help = "predict these rows, such as 'nodes=256'; rows that are fitted are left out; default: "
             "those that are not fitted"},
    {.name = "hold-out",
     .type = CLI_OPT_CHOICE,
     .value = "WHAT",
     .choices = "nodes|collective|test|bytes|algorithm",
     .help = "without --fit and --predict: predict the rows of each value in turn, fitted on the "
             "others; default: nodes, or what else differs"},
    {.name = "rows",
     .type = CLI_OPT_TEXT,
     .value = "FILTER",
     .help = "leave all other rows out, such as 'collective=bcast & bytes>=1KiB'"},
    {.name = "among",
     .type = CLI_OPT_TEXT,
     .value = "PATTERN",
     .help = "fit, predict and choose only algorithms with such a name, such as '*_ompi'; the "
             "library's own choice stays for comparison"},
    {.name = "model",
     .type = CLI_OPT_TEXT,
     .value = "MODEL",
     .help = "the model that is fitted; default: the first",
     .word_at = model_name},
    {.name = "confidence",
     .type = CLI_OPT_INT,
     .value = "PERCENT",
     .fallback = "90",
     .help = "how often a measured time should be in its interval",
     .least = 1,
     .most = 99},
    {.name = "jobs",
     .letter = 'j',
     .type = CLI_OPT_INT,
     .value = "N",
     .help = "fits at a time; default: as many as cores",
     .least = 1,
     .most = 1024},
    {.name = "machine",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .help = "the machine of files that do not name it"},
    {.name = "library",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .help = "the MPI library of files that do not name it"},
    {.name = "algorithm",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .help = "the algorithm of files that do not name it; default is the library's choice"},
    {.name = "ranks",
     .letter = 'p',
     .type = CLI_OPT_INT,
     .value = "P",
     .help = "the number of ranks of files that do not name it",
     .least = 1,
     .most = RB_MAX_RANKS},
    {.name = "ppn",
     .type = CLI_OPT_INT,
     .value = "PPN",
     .help = "ranks per node of files that do not name them",
     .least = 1,
     .most = RB_MAX_RANKS},
    {.name = "what",
     .type = CLI_OPT_CHOICE,
     .value = "TABLE",
     .fallback = "summary",
     .choices = "summary|errors|choices|rows|parameters|forecasts",
     .help = "summary: a row per collective; errors: per algorithm; choices: per point, with the "
             "regret; rows: per measurement; parameters: of "
             "each fit, which has all rows unless something is held out; "
             "forecasts: per point and --forecast"},
    {.name = "forecast",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .help = "predict this algorithm of ours, too, at every point of its collective, with the n "
             "that is best for it; --what forecasts holds it against the best measured one (may be "
             "repeated)",
     .repeatable = true},
    {.name = "figures",
     .type = CLI_OPT_TEXT,
     .value = "DIR",
     .help =
         "draw measured and predicted times, and the regret, into this directory, which is made "
         "if it is missing"},
    PLOT_OPTION_PICTURES("pdf,png,svg"),
    {.more = look_option},
    VERB_RULES_OPTIONS,
    {.name = "format",
     .type = CLI_OPT_CHOICE,
     .value = "FORMAT",
     .fallback = "table",
     .choices = "table|csv|json",
     .word_at = rules_format_word,
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
    struct predict_result result;
    struct plot_look look;
};

static void release(struct work *work)
{
    plot_look_free(&work->look);
    predict_free(&work->result);
    for (int i = 0; i < FILTERS; i++)
        rows_filter_free(work->filter[i]);
    rows_free(&work->set);
}

static int read_files(const struct cli_args *args, struct rows_set *set, struct sup_error *error)
{
    const char *const *files;
    const int32_t count = cli_args_operands(args, &files);
    const struct rows_defaults defaults = {
        .system = cli_args_text(args, "machine"),
        .library = cli_args_text(args, "library"),
        .algorithm = cli_args_text(args, "algorithm"),
        .p = cli_args_given(args, "ranks") ? (int32_t)cli_args_int(args, "ranks") : 0,
        .ranks_per_node = cli_args_given(args, "ppn") ? (int32_t)cli_args_int(args, "ppn") : 0,
    };
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = rows_read(set, files[i], &defaults, error);
    return status;
}

static int parse_filters(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    struct sup_error reason;
    for (int i = 0; i < FILTERS; i++) {
        const char *text = cli_args_text(args, filter_names[i]);
        const int status =
            text == NULL ? RB_OK : rows_filter_parse(text, &work->filter[i], &reason);
        if (status != RB_OK)
            return sup_fail(error, status, "--%s: %s", filter_names[i], reason.text);
    }
    return RB_OK;
}

static bool is_algorithm(const char *name)
{
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return true;
    return false;
}

static int make_request(const struct cli_args *args, struct work *work,
                        struct predict_request *request, struct sup_error *error)
{
    struct sup_error reason;
    int status = parse_filters(args, work, error);
    if (status == RB_OK)
        status = read_files(args, &work->set, error);
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
    return status;
}

/* ---- Notes ------------------------------------------------------------------------------------
 */

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

/* What was left out, without which the numbers would mislead. */
static void warn(const struct work *work)
{
    const struct rows_set *set = &work->set;
    if (set->unknown > 0)
        cli_complain(CLI_EXIT_DONE, "%lld rows of unknown collectives were left out",
                     (long long)set->unknown);
    if (set->pairs > 0)
        cli_complain(CLI_EXIT_DONE, "%lld rows of tests that are no collectives were left out",
                     (long long)set->pairs);
    if (set->not_timed > 0)
        cli_complain(CLI_EXIT_DONE, "%lld rows without a time were left out",
                     (long long)set->not_timed);
    if (set->repeated > 0)
        cli_complain(CLI_EXIT_DONE, "%lld rows repeat others and were left out",
                     (long long)set->repeated);
    if (work->result.note[0] != '\0')
        cli_complain(CLI_EXIT_DONE, "%s", work->result.note);
}

static int write_rules(const struct cli_args *args, const struct work *work, FILE *stream,
                       struct sup_error *error)
{
    const struct rules_request rules = {.format = verb_rules_format(args),
                                        .everywhere = cli_args_flag(args, "everywhere")};
    const struct rules_head head = verb_rules_head(args);
    struct rules_notes notes;
    const int status = predict_write_rules(&work->result, rules, &head, stream, &notes, error);
    verb_rules_tell(&notes);
    return status;
}

static int check(const struct cli_args *args, struct sup_error *error)
{
    const char *look = cli_args_given(args, "figures") ? NULL : plot_look_given(args);
    if (look != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: only with --figures", look);
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
    enum predict_what what = PREDICT_SUMMARY;
    for (int i = 0; i < PREDICT_WHATS; i++)
        if (strcmp(cli_args_text(args, "what"), predict_what_names[i]) == 0)
            what = (enum predict_what)i;
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
                          !request.hold_out_asked && place.directory == NULL;
        status = predict_run(&request, &work->result, error);
    }
    if (status != RB_OK)
        return status;
    warn(work);
    if (place.directory != NULL)
        status = predict_draw(&request, &work->result, &place, error);
    if (status == RB_OK)
        plot_look_warn(&work->look);
    if (status == RB_OK && verb_rules_format(args) != NULL)
        return write_rules(args, work, output->stream, error);
    if (status == RB_OK)
        explain_nothing(
            &request, what,
            predict_report(&request, &work->result, what, cli_args_format(args), output->stream));
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
    .title = "Fit a model of a machine to measured collectives, and predict others.",
    .operands = "FILE...",
    .least_operands = 1,
    .most_operands = MOST_FILES,
    .reads = "FILE",
    .options = options,
    .examples =
        "roundabout predict data/pico/measurements.csv --system marenostrum --among '*_ompi'\n"
        "roundabout predict data/pico/measurements.csv --system leonardo --fit 'nodes<=64' "
        "--predict 'nodes=256' --what choices\n"
        "roundabout predict osu_bcast.txt --machine here -p 64 --algorithm binomial "
        "--hold-out bytes\n",
    .run = run,
};
