/* verb_bench.c - times this program's own code. One line per benchmark. */
#include <string.h>

#include "bench/verb/bench.h"
#include "bench/verb/simulated.h"
#include "cli/options/options.h"
#include "plots/figure/plot.h"

static const struct bench_suite *const benchmarks[] = {
    &bench_core,
    &bench_model,
    &bench_flow,
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static bool look_option(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(bench_figures_lack(), i, option);
}

static const struct cli_option options[] = {
    {.name = "samples",
     .type = CLI_OPT_INT,
     .value = "N",
     .help = "size of the sample: for core values of p in each range, for model and flow runs of "
             "each case; default: 5, for flow 3, which take minutes",
     .least = 1,
     .most = BENCH_MOST_SAMPLES},
    {.name = "only",
     .type = CLI_OPT_TEXT,
     .value = "CASE",
     .help = "flow: measure this case alone, such as fat-tree-1k"},
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
    PLOT_OPTION_PICTURES("pdf,png"),
    {.more = look_option},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_FORCE,
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
                 sup_hint(name, names, BENCHMARKS, "there are core, model and flow", hint));
    return NULL;
}

/* Whether there is the case that --only names. */
static int check_case(const char *only, const struct bench_suite *benchmark)
{
    const struct bench_simulated *simulated = benchmark->simulated;
    const char *names[64];
    char hint[SUP_HINT_SIZE], all[512] = "there are";
    size_t count = 0, used = strlen(all);
    for (size_t i = 0; i < simulated->count && count < 64; i++) {
        const char *name = simulated->cases[i].name;
        if (strcmp(name, only) == 0)
            return CLI_EXIT_DONE;
        if (count > 0 && strcmp(name, names[count - 1]) == 0)
            continue; /* another engine's */
        names[count++] = name;
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", name);
    }
    return cli_complain(CLI_EXIT_USAGE, "--only: unknown case \"%s\": %s", only,
                        sup_hint(only, names, count, all, hint));
}

static int check(const struct cli_args *args, const struct bench_suite *benchmark)
{
    const char *only = cli_args_text(args, "only");
    const struct bench_simulated *simulated = benchmark->simulated;
    const bool named = simulated != NULL && simulated->cases[0].name != NULL;
    const char *idle = NULL;
    if (!benchmark->draws)
        idle = cli_args_given(args, "figures") ? "figures" : plot_look_given(args);
    if (!benchmark->seeded && cli_args_given(args, "seed"))
        idle = "seed";
    if (only != NULL && !named)
        idle = "only";
    if (idle != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning for %s", idle, benchmark->name);
    return only == NULL ? CLI_EXIT_DONE : check_case(only, benchmark);
}

static int measure(const struct cli_args *args, const struct bench_suite *benchmark,
                   struct bench_request *request)
{
    struct sup_error error;
    struct out_file output = {0};
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    request->stream = output.stream;
    status = benchmark->run(request, &error);
    if (status != RB_OK)
        cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    else if (request->place != NULL)
        plot_look_warn(request->place->look);
    return cli_finish_output(&output, cli_exit_of(status));
}

static int run(const struct cli_args *args)
{
    const char *const *operands;
    struct sup_error error;
    struct plot_look look = {0};
    struct plot_request place = {.list = stderr};
    bool draws = false;
    int status = RB_OK;
    cli_args_operands(args, &operands);
    const struct bench_suite *benchmark = find(operands[0]);
    if (benchmark == NULL || check(args, benchmark) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    struct bench_request request = {.samples = cli_args_given(args, "samples")
                                                   ? (int32_t)cli_args_int(args, "samples")
                                                   : benchmark->samples,
                                    .only = cli_args_text(args, "only"),
                                    .seed = (uint64_t)cli_args_int(args, "seed"),
                                    .format = cli_args_format(args)};
    if (benchmark
            ->draws) /* errors of the figure come before the measurement, which takes a minute */
        status =
            plot_place_of(args, bench_figures_lack(), "this figure", &place, &look, &draws, &error);
    if (draws)
        request.place = &place;
    status = status == RB_OK ? measure(args, benchmark, &request)
                             : cli_complain(cli_exit_of(status), "%s", error.text);
    plot_look_free(&look);
    return status;
}

const struct cli_verb verb_bench = {
    .name = "bench",
    .title = "Time this program's own code: core (schedules, as in the paper's Table 4), model "
             "(engine) or flow (engine, beside simgrid).",
    .operands = "BENCHMARK",
    .words = "core|model|flow",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout bench core\n"
                "roundabout bench core --samples 30 --format csv -o core.csv\n"
                "roundabout bench model\n"
                "roundabout bench flow --only dragonfly-1k --samples 1\n",
    .run = run,
};
