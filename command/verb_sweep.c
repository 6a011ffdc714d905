/* verb_sweep.c - the verb `sweep`: its options and their evaluation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "experiments/decide/compare.h"
#include "experiments/results/results.h"
#include "experiments/rows/rows.h"
#include "experiments/sweep/sweep.h"
#include "plots/figure/plot.h"
#include "plots/report/page.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/error.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/output/table.h"
#include "support/pool.h"
#include "support/process.h"

static const struct cli_option options[] = {
    {CLI_ROW("output", TEXT, "FILE.db"), .letter = 'o',
     .help = "results file; default: results/NAME.db, with the experiment's name"},
    {CLI_ROW("engine", TEXT, "NAME"),
     .help = "this engine instead of the experiment's, and nothing is confirmed on another; the "
             "results file is then results/NAME-ENGINE.db"},
    {CLI_ROW("jobs", INT, "N"), .letter = 'j', .least = 1, .most = 4096,
     .help = "number of worker processes; default: the number of cores, or 1 with --slurm"},
    {CLI_ROW("point-timeout", TEXT, "TIME"),
     .help = "end a point's simulation after this time, such as 60s, and count the point as "
             "failed; default: points have no time limit"},
    {CLI_FLAG("retry-failed"), .help = "run failed points again"},
    {CLI_ROW("shard", TEXT, "I/N"), .fallback = "1/1",
     .help = "run every N-th point only, as the I-th of N machines"},
    {CLI_FLAG("merge"), .help = "merge the results files FILE... into the file of -o"},
    {CLI_ROW("experiment", TEXT, "FILE.yaml"), .file = CLI_READS,
     .help = "with --merge: the i-th results file is that of shard i/N of this experiment; name "
             "the shards with missing points, or make the reports"},
    {CLI_FLAG("dry-run"), .help = "list the points and their estimated cost as CSV; run nothing"},
    {CLI_FLAG("live"),
     .help = "write the page NAME/index.html as soon as the sweep begins and every few seconds: an "
             "open page follows the sweep"},
    {CLI_FLAG("no-plots"), .help = "draw no figures, and write no page and no tuning summary"},
    PLOT_OPTION_PICTURES("pdf,png"),
    {.more = plot_look_option},
    {CLI_ROW("compare", TEXT, "OLD.db"), .file = CLI_READS,
     .help = "compare the results with older ones; without FILE nothing is run, and the results "
             "are those of -o; exit status 1 if a point got slower"},
    {CLI_ROW("allow", TEXT, "PERCENT"), .fallback = DECIDE_ALLOW,
     .help = "with --compare: a point got slower if its time is longer by more than this"},
    {CLI_ROW("slurm", TEXT, "DIR"), .help = "write scripts to the directory DIR by which Slurm "
                                            "runs the shards and their merge; run nothing"},
    {CLI_ROW("shards", INT, "N"), .least = 1, .most = 1000000,
     .help = "with --slurm: number of shards; default: as many as take about half an hour each"},
    {CLI_ROW("time-limit", TEXT, "TIME"),
     .help = "with --slurm: time limit of a shard, such as 2h; default: twice its estimated time "
             "and ten minutes"},
    {CLI_ROW("slurm-option", TEXT, "OPTION"), .repeatable = true,
     .help = "with --slurm: a further option of sbatch for all jobs, such as --partition=long"},
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

static int parse_shard(const char *text, struct sweep_request *request, struct sup_error *error)
{
    char first[16];
    int64_t shard, shards;
    const char *slash = strchr(text, '/');

    if (slash != NULL && (size_t)(slash - text) < sizeof first) {
        snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
        if (sup_parse_int(slash + 1, 1, 1000000, &shards, NULL) == RB_OK &&
            sup_parse_int(first, 1, shards, &shard, NULL) == RB_OK) {
            request->shard = (int32_t)shard;
            request->shards = (int32_t)shards;
            return RB_OK;
        }
    }
    return sup_fail(error, RB_EINVAL,
                    "--shard: \"%s\" is not I/N with 1 <= I <= N, such as 1/4 ... 4/4", text);
}

/* The value of an option that is a time; 0: it was not given. */
static int parse_limit(const struct cli_args *args, const char *option, double *limit_s,
                       struct sup_error *error)
{
    struct sup_error why;
    const char *text = cli_args_text(args, option);

    *limit_s = 0;
    if (text == NULL)
        return RB_OK;
    if (sup_parse_seconds(text, limit_s, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--%s: %s", option, why.text);
    if (!(*limit_s > 0))
        return sup_fail(error, RB_EINVAL, "--%s: \"%s\" is not above 0", option, text);
    return RB_OK;
}

/* An option of sbatch must stay on its line, and must not contradict the scripts. */
static int check_slurm_option(const char *text, struct sup_error *error)
{
    static const struct {
        const char *name, *instead;
    } ours[] = {{"--array", "--shards N"},
                {"-a", "--shards N"},
                {"--time", "--time-limit TIME"},
                {"-t", "--time-limit TIME"},
                {"--cpus-per-task", "--jobs N"},
                {"-c", "--jobs N"},
                {"--signal", NULL},
                {"--output", NULL},
                {"-o", NULL},
                {"--error", NULL},
                {"-e", NULL},
                {"--dependency", NULL},
                {"-d", NULL},
                {"--job-name", NULL},
                {"-J", NULL}};
    char shown[300];
    if (text[0] != '-' || text[strcspn(text, "\n\r")] != '\0')
        return sup_fail(error, RB_EINVAL,
                        "--slurm-option: \"%s\" is not an option of sbatch on one line, such as "
                        "--partition=long",
                        sup_visible(text, shown, sizeof shown));
    const size_t length = text[1] == '-' ? strcspn(text, "= ") : strlen(text) < 2 ? 1 : 2;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i].name) == length && strncmp(text, ours[i].name, length) == 0) {
            const char *instead = ours[i].instead;
            return sup_fail(error, RB_EINVAL, "--slurm-option: %s is set by the scripts%s%s",
                            ours[i].name, instead == NULL ? "" : "; use ",
                            instead == NULL ? "" : instead);
        }
    return RB_OK;
}

static int write_scripts(const struct cli_args *args, const char *experiment)
{
    struct sup_error error;
    struct sweep_job_array request = {
        .experiment = experiment,
        .directory = cli_args_text(args, "slurm"),
        .shards = cli_args_given(args, "shards") ? (int32_t)cli_args_int(args, "shards") : 0,
        .jobs = cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : 1,
        .plots = !cli_args_flag(args, "no-plots"),
    };
    request.option_count = cli_args_texts(args, "slurm-option", &request.options);
    int status = cli_refuse(args, "output|engine|retry-failed|shard|dry-run|compare",
                            "has no meaning with --slurm", &error);
    for (int32_t i = 0; status == RB_OK && i < request.option_count; i++)
        status = check_slurm_option(request.options[i], &error);
    if (status == RB_OK)
        status = parse_limit(args, "point-timeout", &request.point_limit_s, &error);
    if (status == RB_OK)
        status = parse_limit(args, "time-limit", &request.time_limit_s, &error);
    if (status == RB_OK && request.time_limit_s > 0 && request.time_limit_s < SWEEP_LEAST_LIMIT_S)
        status = sup_fail(&error, RB_EINVAL, "--time-limit: \"%s\" is less than %d min",
                          cli_args_text(args, "time-limit"), SWEEP_LEAST_LIMIT_S / 60);
    return status == RB_OK ? sweep_job_array_write(&request)
                           : cli_complain(CLI_EXIT_USAGE, "%s", error.text);
}

/* The older results, before a sweep takes hours: complains unless they can be read. */
static int check_compared(const struct cli_args *args, struct sweep_request *request)
{
    sqlite3 *db = NULL;
    struct sup_error error;
    request->compared = cli_args_text(args, "compare");
    int status = decide_parse_allow(cli_args_text(args, "allow"), &request->allow, &error);
    if (status == RB_OK && request->compared != NULL && !rows_is_file(request->compared))
        status = results_look(request->compared, &db, &error);
    sqlite3_close(db);
    return cli_fail(status, &error);
}

/* Compares results that are there. */
static int compare(const struct cli_args *args, const struct sweep_request *request)
{
    const int status =
        cli_refused(args, "jobs|point-timeout|retry-failed|no-plots|shard|dry-run|live",
                    "has no meaning with --compare without FILE");
    if (status != CLI_EXIT_DONE)
        return status;
    if (request->results == NULL)
        return cli_complain(CLI_EXIT_USAGE,
                            "--compare: missing FILE, an experiment to run, or -o NEW.db, results "
                            "that are there");
    return sweep_compare(request->compared, request->results, request->allow);
}

/* Options that mean something only with another one. */
static int check_together(const struct cli_args *args)
{
    static const struct {
        const char *option, *with;
    } needs[] = {{"experiment", "merge"},
                 {"shards", "slurm"},
                 {"time-limit", "slurm"},
                 {"allow", "compare"},
                 {"slurm-option", "slurm"}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (cli_args_given(args, needs[i].option) && !cli_args_given(args, needs[i].with))
            return cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning without --%s",
                                needs[i].option, needs[i].with);
    return CLI_EXIT_DONE;
}

/* Merges files, of all shards of an experiment if that is given. */
static int merge(const struct cli_args *args, struct sweep_request *request,
                 const char *const *files, int32_t count)
{
    const char *experiment = cli_args_text(args, "experiment");
    const int status = cli_refused(
        args,
        experiment == NULL
            ? "engine|jobs|point-timeout|retry-failed|shard|dry-run|compare|slurm|no-plots"
            : "engine|jobs|point-timeout|retry-failed|shard|dry-run|compare|slurm",
        "has no meaning with --merge");
    if (status != CLI_EXIT_DONE)
        return status;
    if (count == 0)
        return cli_complain(CLI_EXIT_USAGE, "--merge: missing results files");
    if (!cli_args_given(args, "output"))
        return cli_complain(CLI_EXIT_USAGE, "--merge: missing -o FILE.db, the file to write");
    if (experiment == NULL)
        return sweep_merge(files, count, cli_args_text(args, "output"));
    request->experiment = experiment;
    request->shard = request->shards = 1;
    request->parts = files;
    request->part_count = count;
    return sweep_run(request);
}

/* ---- What a sweep makes and prints at its end ------------------------------------------------ */

/* What the command says of reports, and what was made of them. */
struct reports {
    const struct cli_args *args;
    const struct plot_look *look;
    unsigned pictures;
    const struct sweep_end *end;
    struct decide_tune_result tuning;
    struct plot_drawn drawn;
    bool paged; /* the page could be written */
};

static int write_tuning(struct reports *reports, struct sup_error *error)
{
    const struct decide_tune_request request = {.results = reports->end->database,
                                                .focus = DECIDE_TUNE_FOCUS,
                                                .tolerance = DECIDE_TUNE_TOLERANCE};
    struct out_file output = {0};
    int status = decide_tune_run(&request, &reports->tuning, error);
    if (status == RB_OK && reports->end->tuning != NULL) {
        status = out_open_derived(&output, reports->end->tuning, error);
        if (status == RB_OK) {
            decide_tune_result_text(&reports->tuning, DECIDE_TUNE_SUMMARY, true, output.stream);
            fprintf(output.stream, "\n" OUT_MADE_MARK " %s\n", cli_program_version);
            status = out_close(&output, error);
        }
    }
    out_discard(&output);
    return status;
}

/* Results that are too few for a figure or a fit don't make the sweep fail. */
static int exit_of_report(int status, const char *what, const struct sup_error *error)
{
    if (status == RB_OK)
        return CLI_EXIT_DONE;
    cli_complain(0, "no %s: %s", what, error->text);
    return status == RB_EINVAL ? CLI_EXIT_DONE : CLI_EXIT_FAILED;
}

static int draw(struct reports *reports)
{
    struct sup_error error;
    const struct plot_request place = {.directory = reports->end->directory,
                                       .look = reports->look,
                                       .pictures = reports->pictures,
                                       .drawn = &reports->drawn};
    const int status =
        exit_of_report(plot_results(reports->end->database, &place, &error), "figures", &error);
    plot_look_warn(reports->look);
    return status;
}

static int write_page(const struct reports *reports, const char *results, const char *page,
                      const struct sweep_live *now, struct sup_error *error)
{
    struct decide_filter none = {0};
    struct out_file output = {0};
    json_t *data = NULL;
    const struct page_sweep sweep = {
        .tune = {.results = results,
                 .filters = &none,
                 .focus = DECIDE_TUNE_FOCUS,
                 .tolerance = DECIDE_TUNE_TOLERANCE},
        .origin = page_origin("sweep", cli_args_words(reports->args)),
        .drawn = &reports->drawn,
        .pictures = reports->pictures,
    };
    json_t *origin = json_incref(sweep.origin);
    int status = page_sweep_data(&sweep, &data, error);
    if (status == RB_EINVAL) { /* no point has ended */
        data = json_pack("{s:s, s:O, s:o, s:o}", "kind", "none", "origin", origin, "results",
                         out_json_text(results), "why", out_json_text(error->text));
        status = RB_OK;
    }
    json_decref(origin);
    if (status == RB_OK && now != NULL)
        json_object_set_new(data, "live",
                            json_pack("{s:s, s:I, s:I, s:I, s:o, s:f}", "state", now->state,
                                      "points", (json_int_t)now->points, "done",
                                      (json_int_t)now->done, "failed", (json_int_t)now->failed,
                                      "left_s", out_json_real(now->left_s), "again_s",
                                      now->again_s));
    if (status == RB_OK)
        status = out_open_derived(&output, page, error);
    if (status == RB_OK)
        status = page_write(output.stream, json_incref(data), error);
    if (status == RB_OK)
        status = out_close(&output, error);
    out_discard(&output);
    json_decref(data);
    return status;
}

static int write_live(const char *results, const char *page, const struct sweep_live *now,
                      const void *context, struct sup_error *error)
{
    return write_page(context, results, page, now, error);
}

/* An entry of the list of what to look at. */
#define LOOK_AT(stream, name, ...) out_text_entry(0, 7, 2, (name), (stream), __VA_ARGS__)

/* Figures worth opening first: of each kind the first. */
static void print_first_figures(const struct reports *reports, FILE *stream)
{
    enum { FIRST = 3 };
    const struct plot_drawn *drawn = &reports->drawn;
    int printed = 0, picture = 0;
    while ((reports->pictures & 1u << picture) == 0)
        picture++;
    for (size_t i = 0; i < drawn->count && printed < FIRST; i++) {
        size_t k = 0;
        while (strcmp(drawn->figure[k].kind, drawn->figure[i].kind) != 0)
            k++;
        if (k == i)
            LOOK_AT(stream, printed++ == 0 ? "Figures" : "", "%s%s", drawn->figure[i].name,
                    plot_picture_endings[picture]);
    }
}

static void print_files(const struct reports *reports, FILE *stream)
{
    const struct sweep_end *end = reports->end;
    const bool tuned = reports->tuning.decision.call_count > 0;
    const char *const files[] = {end->database, end->csv, tuned ? end->tuning : NULL,
                                 reports->paged ? end->page : NULL};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] != NULL)
            fprintf(stream, "%s\n", files[i]);
    plot_drawn_paths(&reports->drawn, end->directory, reports->pictures, stream);
}

/* The answer, what won where, and what to look at and type next; or all files. */
static void print_end(const void *context, FILE *stream)
{
    enum { MOST_ROWS = 9 };
    const struct reports *reports = context;
    const struct sweep_end *end = reports->end;
    const size_t drawn = reports->drawn.undrawn ? 0 : reports->drawn.count;
    char *database = sup_shell_word(end->database);
    out_say(stream, "%s", end->answer);
    decide_map_text(&reports->tuning.decision, MOST_ROWS, stream);
    fputc('\n', stream);
    if (reports->paged)
        LOOK_AT(stream, "Page", drawn > 0 ? "%s (all %zu figures, tables)" : "%s", end->page,
                drawn);
    if (drawn > 0)
        print_first_figures(reports, stream);
    LOOK_AT(stream, "Results", "%s, %s", end->database, end->csv);
    LOOK_AT(stream, "Next", "roundabout tune %s", database);
    if (cli_details(reports->args)) {
        fputc('\n', stream);
        print_files(reports, stream);
    } else
        out_more(stream, "--details (all files)%s%s%s", drawn > 0 ? "; roundabout plot " : "",
                 drawn > 0 ? database : "", drawn > 0 ? " (more figures)" : "");
    free(database);
}

/* context: struct reports. */
static int end_sweep(const struct sweep_end *end, const void *context)
{
    struct reports reports = *(const struct reports *)context;
    struct sup_error error;
    int tuned = CLI_EXIT_DONE, drawn = CLI_EXIT_DONE, paged = CLI_EXIT_DONE;
    reports.end = end;
    const int status = write_tuning(&reports, &error);
    if (end->tuning != NULL) {
        tuned = exit_of_report(status, "tuning summary", &error);
        drawn = draw(&reports);
    }
    if (end->page != NULL) {
        const int written = write_page(&reports, end->database, end->page, NULL, &error);
        reports.paged = written == RB_OK;
        paged = reports.paged ? CLI_EXIT_DONE
                              : cli_complain(CLI_EXIT_FAILED, "no page: %s", error.text);
    }
    const int shown = cli_show(print_end, &reports);
    plot_drawn_free(&reports.drawn);
    decide_tune_result_free(&reports.tuning);
    return tuned != CLI_EXIT_DONE   ? tuned
           : drawn != CLI_EXIT_DONE ? drawn
           : paged != CLI_EXIT_DONE ? paged
                                    : shown;
}

/* What has no meaning with a page that follows a sweep, and a look of figures that are not made. */
static int check_drawn(const struct cli_args *args, struct sup_error *error)
{
    const char *look = plot_look_given(args), *other;
    if (cli_args_flag(args, "live") &&
        (other = cli_args_first(args, "dry-run|slurm|merge")) != NULL)
        return sup_fail(error, RB_EINVAL, "--live: has no meaning with --%s", other);
    if (look != NULL && !cli_args_given(args, "experiment") &&
        (other = cli_args_first(args, "no-plots|dry-run|slurm|shard|merge")) != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: has no meaning with --%s, which draws no figures",
                        look, other);
    return RB_OK;
}

static int run_(const struct cli_args *args, const struct reports *reports)
{
    const char *const *files;
    int32_t count = cli_args_operands(args, &files);
    struct sup_error error;
    char experiment[SUP_PATH_SIZE];
    struct sweep_request request = {
        .experiment = count > 0 ? files[0] : experiment,
        .engine = cli_args_text(args, "engine"),
        .results = cli_args_text(args, "output"),
        .jobs =
            cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : sup_pool_cores(),
        .retry_failed = cli_args_flag(args, "retry-failed"),
        .dry_run = cli_args_flag(args, "dry-run"),
        .reports = !cli_args_flag(args, "no-plots"),
        .follow = cli_args_flag(args, "live"),
        .live = write_live,
        .end = end_sweep,
        .context = reports,
    };

    if (cli_args_flag(args, "merge"))
        return merge(args, &request, files, count);
    const int together = check_together(args);
    if (together != CLI_EXIT_DONE)
        return together;
    if (cli_args_given(args, "compare") && cli_args_flag(args, "dry-run"))
        return cli_complain(CLI_EXIT_USAGE, "--compare: has no meaning with --dry-run");
    const int readable = check_compared(args, &request);
    if (readable != CLI_EXIT_DONE)
        return readable;
    if (count == 0 && request.compared != NULL && !cli_args_given(args, "slurm"))
        return compare(args, &request);
    if (count > 1)
        return cli_complain(CLI_EXIT_USAGE,
                            "\"%s\": give one experiment at a time (--merge merges results files)",
                            files[1]);
    if (parse_shard(cli_args_text(args, "shard"), &request, &error) != RB_OK ||
        parse_limit(args, "point-timeout", &request.limit_s, &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "%s", error.text);
    if (count == 0 &&
        sup_data_path(experiment, sizeof experiment, "experiments/default.yaml", &error) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return cli_args_given(args, "slurm") ? write_scripts(args, request.experiment)
                                         : sweep_run(&request);
}

static int run(const struct cli_args *args)
{
    struct sup_error error;
    struct plot_look look = {0};
    struct reports reports = {.args = args, .look = &look};
    int status = check_drawn(args, &error);
    if (status == RB_OK)
        status = plot_look_of(args, 0, "", &look, &error);
    if (status == RB_OK)
        status = cli_args_set(args, "pictures", &reports.pictures, &error);
    status = status == RB_OK ? run_(args, &reports) : cli_fail(status, &error);
    plot_look_free(&look);
    return status;
}

const struct cli_verb verb_sweep = {
    .name = "sweep",
    .title = "Run an experiment: a grid of simulations that can be resumed.",
    .common = "output|dry-run|live|retry-failed|no-plots|compare|slurm",
    .operands = "[FILE...]",
    .least_operands = 0,
    .most_operands = INT32_MAX,
    .reads = "FILE",
    .options = options,
    .examples = "roundabout sweep\n"
                "roundabout sweep --dry-run experiments/examples/overlap.yaml\n"
                "roundabout sweep experiments/examples/factor.yaml -o factor.db --no-plots\n"
                "roundabout sweep --live\n"
                "roundabout sweep --compare old.db -o new.db --allow 2%\n"
                "roundabout sweep --slurm jobs --shards 8 --slurm-option=--partition=long\n",
    .run = run,
};
