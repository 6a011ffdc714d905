/* verb_report.c - one HTML file with tables and figures of results, or of a simulated run. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/options/common_options.h"
#include "experiments/tune/tune_filters.h"
#include "plots/report/page.h"

static const struct cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .fallback = "report.html",
     .file = CLI_WRITES,
     .help = "write the page to this file; - is standard output"},
    {.name = "focus",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .fallback = TUNE_FOCUS,
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
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    do
        first = getc(file);
    while (first == ' ' || first == '\n' || first == '\r' || first == '\t');
    fclose(file);
    return first == '{' || first == '[';
}

static int check_json(const struct cli_args *args, const struct tune_filter *filters)
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

static int run(const struct cli_args *args)
{
    struct tune_filter filters[POINT_PARAMETERS + 1];
    const char *const *operands;
    struct out_file output;
    struct sup_error error;
    json_t *data = NULL;
    cli_args_operands(args, &operands);
    tune_filters_of(args, filters);
    const bool json = is_json(operands[0]);
    int status = json ? check_json(args, filters) : CLI_EXIT_DONE;
    if (status != CLI_EXIT_DONE)
        return status;
    json_t *origin = page_origin("report", cli_args_words(args));
    const struct page_sweep sweep = {
        .tune = {.results = operands[0],
                 .filters = filters,
                 .focus = cli_args_text(args, "focus"),
                 .focus_asked = cli_args_given(args, "focus"),
                 .tolerance = TUNE_TOLERANCE},
        .origin = origin,
    };
    int made = json ? page_run_read(operands[0], origin, &data, &error)
                    : page_sweep_data(&sweep, &data, &error);
    if (made == RB_OK)
        made = out_open(&output, cli_args_text(args, "output"), &error);
    if (made != RB_OK) {
        json_decref(data);
        return cli_fail(made, &error);
    }
    made = page_write(output.stream, data, &error);
    status = cli_fail(made, &error);
    const char *file = output.target == NULL ? NULL : output.path;
    status = cli_finish_output(&output, status);
    if (status == CLI_EXIT_DONE && file != NULL)
        printf("%s\n", file);
    return status;
}

const struct cli_verb verb_report = {
    .name = "report",
    .title = "Write one HTML file with tables and figures of a sweep, or of a simulated run.",
    .operands = "RESULTS",
    .least_operands = 1,
    .most_operands = 1,
    .reads = "RESULTS",
    .options = options,
    .examples = "roundabout report results/default.db\n"
                "roundabout report results/default.db -o fat-tree.html --platform fat-tree\n"
                "roundabout report run.json -o run.html\n",
    .run = run,
};
