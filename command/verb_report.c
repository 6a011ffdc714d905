/* verb_report.c - one HTML file with tables and figures of results, or of a simulated run; and two
 * results compared. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/decide/compare.h"
#include "experiments/decide/curves.h"
#include "plots/report/page.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/options/common_options.h"

static const struct cli_option options[] = {
    {CLI_ROW("output", TEXT, "FILE"), .letter = 'o', .file = CLI_WRITES,
     .help =
         "write to this file; - is standard output; default: report.html; of two RESULTS a file "
         "that ends in .html is a page, and others, and by default -, are as --format says"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table", .choices = "table|csv|json|html",
     .help = "output format of the comparison of two RESULTS; html: the page of the newer one, "
             "with the comparison"},
    {CLI_ROW("allow", TEXT, "PERCENT"), .fallback = DECIDE_ALLOW,
     .help = "of two RESULTS, the older one first: a point is slower if its time is longer by more "
             "than this"},
    {CLI_ROW("focus", TEXT, "NAME"), .fallback = DECIDE_TUNE_FOCUS,
     .help = "the algorithm whose F or G is fitted, and which the figures show first"},
    {.more = point_filter_option},
    CLI_OPTION_END,
};

/* A results file begins with SQLite's own name, JSON doesn't; an empty file is left to results. */
static bool is_json(const char *path)
{
    int first;
    struct stat kind;
    /* A pipe would wait for its writer, and be read for nothing. */
    if (stat(path, &kind) != 0 || !S_ISREG(kind.st_mode))
        return false;
    FILE *file = sup_got(fopen(path, "r"));
    if (file == NULL)
        return false;
    do
        first = getc(file);
    while (first == ' ' || first == '\n' || first == '\r' || first == '\t');
    fclose(file);
    return first == '{' || first == '[';
}

static int check_json(const struct cli_args *args, const struct decide_filter *filters)
{
    for (; filters->parameter != NULL; filters++)
        if (cli_args_given(args, filters->parameter->option.name))
            return cli_complain(CLI_EXIT_USAGE,
                                "--%s: chooses points of a results file: leave it "
                                "out for a single run",
                                filters->parameter->option.name);
    return cli_args_given(args, "focus")
               ? cli_complain(CLI_EXIT_USAGE,
                              "--focus: is for a results file: leave it out for a single run")
               : CLI_EXIT_DONE;
}

static struct page_sweep sweep_of(const struct cli_args *args, const char *results,
                                  const struct decide_filter *filters)
{
    return (struct page_sweep){
        .tune = {.results = results,
                 .filters = filters,
                 .focus = cli_args_text(args, "focus"),
                 .focus_asked = cli_args_given(args, "focus"),
                 .tolerance = DECIDE_TUNE_TOLERANCE},
        .origin = page_origin("report", cli_args_words(args)),
    };
}

/* Writes the page of these data, which it takes over, and prints its path. */
static int write_page(const struct cli_args *args, json_t *data)
{
    const char *path = cli_args_text(args, "output");
    struct out_file output;
    struct sup_error error;
    int made = out_open(&output, path == NULL ? "report.html" : path, &error);
    if (made != RB_OK) {
        json_decref(data);
        return cli_fail(made, &error);
    }
    made = page_write(output.stream, data, &error);
    const char *file = output.target == NULL ? NULL : output.path;
    const int status = cli_finish_output(&output, cli_fail(made, &error));
    char shown[4 * SUP_PATH_SIZE];
    if (status == CLI_EXIT_DONE && file != NULL)
        out_say(stdout, "%s has tables and figures in one file, for any browser",
                sup_visible(file, shown, sizeof shown));
    return status;
}

static bool is_page(const struct cli_args *args)
{
    const char *path = cli_args_text(args, "output");
    const size_t length = path == NULL ? 0 : strlen(path);
    return cli_args_given(args, "format") ? strcmp(cli_args_text(args, "format"), "html") == 0
                                          : length > 5 && strcmp(path + length - 5, ".html") == 0;
}

static int print(const struct cli_args *args, const struct decide_comparison *comparison)
{
    struct out_file output = {0};
    struct sup_error error;
    const int exit = cli_args_output(args, &output);
    if (exit != CLI_EXIT_DONE)
        return exit;
    const int status =
        decide_comparison_print(comparison, cli_args_format(args), true, output.stream, &error);
    return cli_finish_output(&output, cli_fail(status, &error));
}

/* Two results: a comparison. */
static int compare(const struct cli_args *args, const char *const *results)
{
    struct decide_filter filters[POINT_PARAMETERS + 1];
    struct decide_comparison comparison = {.results = {results[0], results[1]}, .filters = filters};
    struct sup_error error;
    json_t *data = NULL;
    const bool page = is_page(args);
    if (cli_args_given(args, "focus") && !page)
        return cli_complain(CLI_EXIT_USAGE,
                            "--focus: of two results files, has a meaning for --format html only");
    decide_filters_of(args, filters);
    int status = decide_parse_allow(cli_args_text(args, "allow"), &comparison.allow, &error);
    if (status == RB_OK)
        status = decide_compare(&comparison, &error);
    if (status == RB_OK && page) {
        struct page_sweep sweep = sweep_of(args, results[DECIDE_NEW], filters);
        sweep.comparison = &comparison;
        status = page_sweep_data(&sweep, &data, &error);
    }
    const int exit = status != RB_OK ? cli_fail(status, &error)
                     : page          ? write_page(args, data)
                                     : print(args, &comparison);
    decide_comparison_free(&comparison);
    return exit;
}

static int run(const struct cli_args *args)
{
    struct decide_filter filters[POINT_PARAMETERS + 1];
    const char *const *operands;
    struct sup_error error;
    json_t *data = NULL;
    if (cli_args_operands(args, &operands) == 2)
        return compare(args, operands);
    if (cli_args_given(args, "format") || cli_args_given(args, "allow"))
        return cli_complain(CLI_EXIT_USAGE, "--%s: is for two results files, which are compared",
                            cli_args_given(args, "format") ? "format" : "allow");
    decide_filters_of(args, filters);
    const bool json = is_json(operands[0]);
    const int status = json ? check_json(args, filters) : CLI_EXIT_DONE;
    if (status != CLI_EXIT_DONE)
        return status;
    const struct page_sweep sweep = sweep_of(args, operands[0], filters);
    const int made = json ? page_run_read(operands[0], sweep.origin, &data, &error)
                          : page_sweep_data(&sweep, &data, &error);
    return made == RB_OK ? write_page(args, data) : cli_fail(made, &error);
}

const struct cli_verb verb_report = {
    .name = "report",
    .title = "Write a page of a sweep or a run, or compare two sweeps.",
    .common = "output|format|allow|collective|ranks|bytes|platform",
    .operands = "RESULTS [RESULTS]",
    .least_operands = 1,
    .most_operands = 2,
    .reads = "RESULTS",
    .options = options,
    .examples = "roundabout report results/default.db\n"
                "roundabout report results/default.db -o fat-tree.html --platform fat-tree\n"
                "roundabout report run.json -o run.html\n"
                "roundabout report old.db new.db --allow 2%\n"
                "roundabout report old.db new.db -o compared.html\n",
    .run = run,
};
