/* verb_bench.c - times this program's own code. One line per benchmark. */
#include <string.h>

#include "command/options/options.h"
#include "experiments/bench/bench.h"
#include "plots/figure/plot.h"

static const struct bench_suite *const benchmarks[] = {
    &bench_core,
    &bench_model,
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static const struct cli_option options[] = {
    {.name = "samples",
     .type = CLI_OPT_INT,
     .value = "N",
     .fallback = "5",
     .help = "size of the sample: for core values of p in each range, for model runs of each case; "
             "5 take about a minute",
     .least = 1,
     .most = 1000},
    {.name = "seed",
     .type = CLI_OPT_INT,
     .value = "SEED",
     .fallback = "1",
     .help = "core: seed of the random choice of p",
     .least = 0,
     .most = INT64_MAX},
    {.name = "figures",
     .type = CLI_OPT_TEXT,
     .value = "DIR",
     .fallback = "figures",
     .help = "core: directory for the figure, created if missing; - draws none"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static const struct bench_suite *find(const char *name)
{
    const char *names[BENCHMARKS];
    for (int32_t i = 0; i < BENCHMARKS; i++) {
        names[i] = benchmarks[i]->name;
        if (strcmp(names[i], name) == 0)
            return benchmarks[i];
    }
    char hint[SUP_HINT_SIZE];
    cli_complain(CLI_EXIT_USAGE, "unknown benchmark \"%s\": %s", name,
                 sup_hint(name, names, BENCHMARKS, "there are core and model", hint));
    return NULL;
}

static int check(const struct cli_args *args, const struct bench_suite *benchmark)
{
    const char *idle = NULL;
    if (!benchmark->draws && cli_args_given(args, "figures"))
        idle = "figures";
    if (!benchmark->seeded && cli_args_given(args, "seed"))
        idle = "seed";
    return idle == NULL
               ? CLI_EXIT_DONE
               : cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning for %s", idle, benchmark->name);
}

static int run(const struct cli_args *args)
{
    const char *const *operands;
    struct sup_error error;
    struct out_file output = {0};
    cli_args_operands(args, &operands);
    const struct bench_suite *benchmark = find(operands[0]);
    if (benchmark == NULL || check(args, benchmark) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    struct bench_request request = {.samples = (int32_t)cli_args_int(args, "samples"),
                                    .seed = (uint64_t)cli_args_int(args, "seed"),
                                    .format = cli_args_format(args),
                                    .figures = cli_args_text(args, "figures")};
    if (!benchmark->draws || strcmp(request.figures, "-") == 0)
        request.figures = NULL;
    /* Errors of the figure are reported before the measurement, which takes a minute. */
    if (request.figures != NULL &&
        plot_gnuplot_find(1u << PLOT_PDF | 1u << PLOT_PNG, &error) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s; or draw no figure with --figures -", error.text);
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    request.stream = output.stream;
    status = benchmark->run(&request, &error);
    if (status != RB_OK)
        cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return cli_finish_output(&output, cli_exit_of(status));
}

const struct cli_verb verb_bench = {
    .name = "bench",
    .title = "Time this program's own code: core (schedules, as in the paper's Table 4) or model "
             "(engine).",
    .operands = "BENCHMARK",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout bench core\n"
                "roundabout bench core --samples 30 --format csv -o core.csv\n"
                "roundabout bench model\n",
    .run = run,
};
