/* verb_tune.c - from a sweep's results: best n, F and its regret, and which algorithm to take; or
 * best n by searching. */
#include <stdlib.h>
#include <string.h>

#include "command/tune_search.h"
#include "command/verbs.h"
#include "experiments/decide/curves.h"
#include "experiments/decide/tune.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/output/table.h"

static const struct cli_option options[] = {
    {CLI_ROW("what", CHOICE, "TABLE"), .fallback = "all", .choices = "all|best|fit|regret|decision",
     .help = "the table to print; --format csv needs one, and without this option text has the "
             "decisions"},
    {CLI_ROW("focus", TEXT, "NAME"), .fallback = DECIDE_TUNE_FOCUS,
     .help = "the algorithm whose F or G is fitted"},
    {CLI_ROW("constant", TEXT, "NAME"), .fallback = "both",
     .help = "fit only F (bcast, reduce, allreduce) or only G (allgather, reduce-scatter)"},
    {CLI_ROW("element-bytes", BYTES, "E"), .least = 1, .most = INT32_MAX,
     .help = "size of the elements that F and G count; default: the sweep's element size"},
    {CLI_ROW("tolerance", REAL, "PERCENT"), .fallback = "2",
     .help = "for the interval of F: by how much the mean time may exceed that with the best F"},
    {CLI_ROW("margin", REAL, "PERCENT"), .fallback = "5",
     .help =
         "with --format decisions: native, where it was run, is chosen unless another algorithm is "
         "faster by more than this, which should be at least the noise of measured times"},
    {CLI_ROW("model", CHOICE, "MODEL"), .fallback = "simulated", .choices = "simulated|fitted",
     .help =
         "times as they were simulated; or those of a model that is fitted to the measured rows "
         "that Roundabout has, for this network (docs/recommend.md)"},
    VERB_RULES_OPTIONS,
    VERB_MEASURED_OPTIONS,
    VERB_MEASURED_FILTERS,
    {CLI_ROW("platform", TEXT, "NAME,..."), .repeatable = true, .separable = true,
     .complete = point_complete_platform,
     .help =
         "with --search the platform, by default a crossbar; otherwise use only results on these "
         "platforms, where fat-tree stands for every fat-tree:..."},
    {.more = point_filter_option},
    VERB_SEARCH_OPTIONS,
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table",
     .choices = "table|csv|json|decisions", .word_at = rules_format_word,
     .usual = rules_format_usual,
     .help = "output format; docs/formats.md describes csv and json, docs/tuning-files.md the "
             "files of MPI libraries from ompi on"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* What people see of a sweep unless they ask for more is the answer, not the hundreds of rows that
 * lead to it. */
static bool is_short(const struct cli_args *args)
{
    return !cli_args_given(args, "what") && !cli_details(args);
}

static unsigned tables_of(const struct cli_args *args)
{
    const char *what = cli_args_text(args, "what");
    for (int i = 0; i < DECIDE_TUNE_TABLES; i++)
        if (strcmp(what, decide_tune_names[i]) == 0)
            return 1u << i;
    return (1u << DECIDE_TUNE_TABLES) - 1;
}

static bool wants_decisions(const struct cli_args *args)
{
    return strcmp(cli_args_text(args, "format"), "decisions") == 0;
}

static struct decide_rules_request rules_request_of(const struct cli_args *args)
{
    return (struct decide_rules_request){.format = verb_rules_format(args),
                                         .head = verb_rules_head(args),
                                         .tolerance = cli_args_real(args, "tolerance") / 100,
                                         .everywhere = cli_args_flag(args, "everywhere")};
}

static int print_rules(const struct cli_args *args, const struct decide_tune_result *tuning,
                       FILE *stream)
{
    struct rules_notes notes;
    struct sup_error error;
    struct decide_rules_request request = rules_request_of(args);
    char *source = sup_format("%s%s", request.head.source,
                              verb_tune_wants_model(args) ? ", by a model of measured rows" : "");
    request.head.source = source;
    const int status = decide_rules_write(&tuning->data, &request, stream, &notes, &error);
    free(source);
    if (status != RB_OK)
        return cli_fail(status, &error);
    verb_rules_tell(&notes);
    return CLI_EXIT_DONE;
}

/* True if the operand is a file of measured rows: it is there, and no database. */
static bool is_rows(const struct cli_args *args)
{
    static const char database[] = "SQLite format 3";
    char head[sizeof database] = "";
    if (cli_args_operand(args) == NULL)
        return false;
    FILE *file = sup_got(fopen(cli_args_operand(args), "rb"));
    if (file == NULL)
        return false;
    const size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return size > 0 && memcmp(head, database, size) != 0;
}

/* Rules are made of measured rows, too. */
static bool is_measured(const struct cli_args *args)
{
    return verb_rules_format(args) != NULL && !cli_args_flag(args, "search") && is_rows(args);
}

static int print_decisions(const struct cli_args *args, const struct decide_tune_result *tuning,
                           FILE *stream)
{
    struct sup_error error;
    const char *read = cli_args_operand(args);
    const struct decide_decisions_request request = {
        .results = read != NULL ? read : "a search",
        .tolerance = cli_args_real(args, "tolerance") / 100,
        .margin = cli_args_real(args, "margin") / 100,
        .everywhere = cli_args_flag(args, "everywhere"),
        .notes = read != NULL ? NULL : &tuning->notes,
        .simulated = tuning->simulated};
    const int status = decide_decisions_write(&tuning->data, &request, stream, &error);
    return cli_fail(status, &error);
}

static int print(const struct cli_args *args, const struct decide_tune_result *tuning, FILE *stream)
{
    if (wants_decisions(args))
        return print_decisions(args, tuning, stream);
    if (verb_rules_format(args) != NULL)
        return print_rules(args, tuning, stream);
    const unsigned set = tables_of(args);
    switch (cli_args_format(args)) {
    case OUT_TEXT:
        if (!is_short(args)) {
            decide_tune_result_text(tuning, set, cli_details(args), stream);
            return CLI_EXIT_DONE;
        }
        decide_tune_result_short(tuning, stream);
        if (cli_args_flag(args, "search"))
            out_more(stream, "--details (each algorithm, why it cannot win), --format ompi -o "
                             "rules.conf");
        else
            out_more(stream, "--what decision|best|fit|regret, --format ompi|mpich|ucc|... -o "
                             "rules.conf");
        return CLI_EXIT_DONE;
    case OUT_CSV:
        for (int i = 0; i < DECIDE_TUNE_TABLES; i++) {
            const struct decide_table table = decide_tune_table(tuning, i);
            if ((set & 1u << i) != 0)
                decide_table_csv(&table, stream);
        }
        for (size_t i = 0; i < tuning->notes.count; i++)
            cli_complain(CLI_EXIT_DONE, "note: %s", tuning->notes.sentence[i]);
        return CLI_EXIT_DONE;
    case OUT_JSON:
        out_json_print(stream, decide_tune_result_json(tuning, set), 15);
        return CLI_EXIT_DONE;
    }
    return CLI_EXIT_FAILED;
}

static int write_measured(const struct cli_args *args, const struct decide_rules_request *request,
                          struct rows_taken *taken, FILE *stream, struct rules_notes *notes,
                          struct sup_error *error)
{
    int status = rows_refuse_filters(
        args, "chooses results of a sweep; use --where for measured rows", error);
    if (status == RB_OK)
        status = rows_take(args, cli_args_operand(args), NULL, ROWS_OF_POINTS | ROWS_PLANNED, NULL,
                           taken, error);
    rows_taken_tell(taken);
    return status == RB_OK ? decide_rules_write_measured(taken->row, taken->count, request, stream,
                                                         notes, error)
                           : status;
}

static int run_measured(const struct cli_args *args, const struct decide_rules_request *request,
                        FILE *stream)
{
    struct rows_taken taken = {0};
    struct sup_error error;
    struct rules_notes notes;
    const int status = write_measured(args, request, &taken, stream, &notes, &error);
    rows_taken_free(&taken);
    if (status == RB_OK)
        verb_rules_tell(&notes);
    return cli_fail(status, &error);
}

static int check_measured(const struct cli_args *args)
{
    const char *name = cli_args_first(args, "system|where|nodes|library");
    if (verb_tune_wants_model(args) && is_rows(args))
        return cli_complain(CLI_EXIT_USAGE,
                            "--model fitted: times of %s are measured: only simulated ones are "
                            "corrected",
                            cli_args_operand(args));
    if (name == NULL || (!cli_args_flag(args, "search") && is_rows(args)))
        return CLI_EXIT_DONE;
    return cli_complain(CLI_EXIT_USAGE,
                        "--%s: chooses among measured rows only; of a sweep's results --platform, "
                        "-p and -m choose",
                        name);
}

/* A radix was such a constant, too. */
static int check_constant(const struct cli_args *args)
{
    const char *constant = cli_args_text(args, "constant");
    if (strcmp(constant, "both") == 0 || strcmp(constant, "F") == 0 || strcmp(constant, "G") == 0)
        return CLI_EXIT_DONE;
    return cli_complain(CLI_EXIT_USAGE, "--constant: unknown \"%s\": it must be both, F or G%s",
                        constant,
                        strcmp(constant, "radix") != 0
                            ? ""
                            : "; the best radix is found by roundabout tune --search --collective "
                              "alltoall --algorithm bruck --radix 2..64 -p 64 -m 1MiB");
}

static int check(const struct cli_args *args)
{
    int status = check_constant(args);
    if (status == CLI_EXIT_DONE)
        status = verb_tune_search_check(args);
    if (status != CLI_EXIT_DONE)
        return status;
    double percent = cli_args_real(args, "tolerance");
    if (!(percent > 0 && percent <= 1000))
        return cli_complain(CLI_EXIT_USAGE, "--tolerance: %g: a percentage above 0, at most 1000",
                            percent);
    percent = cli_args_real(args, "margin");
    if (!(percent >= 0 && percent < 100))
        return cli_complain(CLI_EXIT_USAGE, "--margin: %g: a percentage from 0, below 100",
                            percent);
    if (cli_args_given(args, "margin") && !wants_decisions(args))
        return cli_complain(CLI_EXIT_USAGE, "--margin: only with --format decisions");
    if (cli_args_format(args) == OUT_CSV && strcmp(cli_args_text(args, "what"), "all") == 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--format csv: holds one table: add --what best%s or "
                            "decision",
                            cli_args_flag(args, "search") ? "" : ", fit, regret");
    return check_measured(args);
}

/* Of --model fitted. */
struct fitted {
    struct rows_taken rows;
    struct recommend_learnt learnt;
    const struct rules_format *format;
};

static int correct(void *context, struct decide_curves *data, struct out_verdict *notes,
                   struct sup_error *error)
{
    const struct fitted *fitted = context;
    return recommend_correct_curves(&fitted->learnt, fitted->format, data, notes, error);
}

/* Of results, or with --model fitted of a search's curves. */
static int decide(const struct cli_args *args, struct fitted *fitted,
                  struct decide_tune_result *tuning)
{
    struct decide_filter filters[POINT_PARAMETERS + 1];
    struct sup_error error;
    decide_filters_of(args, filters);
    const bool search = cli_args_flag(args, "search");
    const char *constant = cli_args_text(args, "constant");
    struct decide_tune_request request = {
        .results = cli_args_operand(args),
        .args = args,
        .filters = filters,
        .focus = search ? NULL : cli_args_text(args, "focus"),
        .focus_asked = cli_args_given(args, "focus"),
        .constant = constant[0] == 'b' ? 0 : constant[0],
        .element_bytes =
            cli_args_given(args, "element-bytes") ? cli_args_int(args, "element-bytes") : 0,
        .tolerance = cli_args_real(args, "tolerance") / 100,
        .correct = fitted == NULL ? NULL : correct,
        .context = fitted,
    };
    const int status = search ? decide_tune_curves(&request, tuning, &error)
                              : decide_tune_run(&request, tuning, &error);
    return cli_fail(status, &error);
}

/* Where a platform is simulated, rather than chosen of the results, it is a file that is read. */
static int note_platform(const struct cli_args *args)
{
    const char *const *texts;
    struct sup_error error;
    const int32_t count =
        cli_args_flag(args, "search") ? cli_args_texts(args, "platform", &texts) : 0;
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = out_files_read("--platform", texts[i], &error);
    return cli_fail(status, &error);
}

static int search_or_read(const struct cli_args *args, struct fitted *fitted,
                          struct verb_tune_searches *searches, struct decide_tune_result *tuning)
{
    int status = CLI_EXIT_DONE;
    if (!cli_args_flag(args, "search"))
        return decide(args, fitted, tuning);
    status = verb_tune_search_run(args, fitted == NULL ? NULL : &fitted->learnt, searches, tuning);
    if (status == CLI_EXIT_DONE && fitted != NULL) {
        out_verdict_free(&tuning->notes); /* of simulated choices */
        status = decide(args, fitted, tuning);
    }
    return status;
}

/* With or without a model. */
static int tune(const struct cli_args *args, struct verb_tune_searches *searches,
                struct decide_tune_result *tuning)
{
    struct fitted fitted = {.format = verb_rules_format(args)};
    struct sup_error error;
    if (!verb_tune_wants_model(args))
        return search_or_read(args, NULL, searches, tuning);
    int status = recommend_learn_shipped(NULL, &fitted.rows, &fitted.learnt, &error);
    status = status == RB_OK ? search_or_read(args, &fitted, searches, tuning)
                             : cli_fail(status, &error);
    recommend_forget(&fitted.learnt);
    rows_taken_free(&fitted.rows);
    return status;
}

static int run(const struct cli_args *args)
{
    struct verb_tune_searches searches = {0};
    struct decide_tune_result tuning = {0};
    struct out_file output = {0};
    struct sup_error error;
    if (verb_rules_check(args, &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "%s", error.text);
    int status = note_platform(args);
    if (status == CLI_EXIT_DONE && cli_args_given(args, "workload"))
        return verb_tune_workload(args);
    if (status == CLI_EXIT_DONE)
        status = check(args);
    if (status != CLI_EXIT_DONE)
        return status;
    const bool measured = is_measured(args);
    if (!measured)
        status = tune(args, &searches, &tuning);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE && measured) {
        const struct decide_rules_request request = rules_request_of(args);
        status = cli_finish_output(&output, run_measured(args, &request, output.stream));
    } else if (status == CLI_EXIT_DONE) {
        status = cli_finish_output(&output, print(args, &tuning, output.stream));
    }
    decide_tune_result_free(&tuning);
    verb_tune_searches_free(&searches);
    return status;
}

const struct cli_verb verb_tune = {
    .name = "tune",
    .title = "Find the fastest algorithms and block counts, and write rules.",
    .common = "search|collective|algorithm|ranks|bytes|platform|ppn|what|format|output",
    .operands = "[RESULTS]",
    .least_operands = 0,
    .most_operands = 1,
    .reads = "RESULTS",
    .options = options,
    .examples =
        "roundabout tune results/default.db\n"
        "roundabout tune --search -p 1024 -m 1MiB\n"
        "roundabout tune --search --workload examples/workloads/summa.yaml --platform "
        "dragonfly:72\n"
        "roundabout tune results/default.db --platform fat-tree --format ompi -o rules.conf\n"
        "roundabout tune results/default.db --what fit --platform fat-tree --element-bytes 4\n"
        "roundabout tune results/figure-2.db --constant G --what fit\n"
        "roundabout tune --search --collective alltoall --algorithm bruck --radix 2..64 -p 64 -m "
        "128KiB..2MiB*2 --platform crossbar:64,latency=29us,bandwidth=8.333333MBps\n"
        "roundabout tune results/default.db --what decision --format csv -o decision.csv\n"
        "roundabout tune results/default.db --platform fat-tree --format decisions -o "
        "fat-tree.txt\n"
        "roundabout tune data/pico/measurements.csv --system leonardo --where library=OMPI --ppn 1 "
        "--format ompi\n"
        "roundabout tune --search --algorithm circulant,chain -p 16..256*2 -m 1KiB..64MiB*4\n"
        "roundabout tune --search -p 64 -m 1MiB --platform fat-tree:64 --what decision\n",
    .run = run,
};
