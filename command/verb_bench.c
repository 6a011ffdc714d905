/* verb_bench.c - times this program's own code. */
#include <string.h>

#include "command/bench/bench.h"
#include "support/options/options.h"

static const struct cli_option options[] = {
    {CLI_ROW("samples", INT, "N"), .fallback = "5", .least = 1, .most = BENCH_MOST_SAMPLES,
     .help = "size of the sample: values of p in each range"},
    {CLI_ROW("seed", INT, "SEED"), .fallback = "1", .least = 0, .most = INT64_MAX,
     .help = "seed of the random choice of p"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static int measure(const struct cli_args *args, struct bench_request *request)
{
    struct sup_error error;
    struct out_file output = {0};
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    request->stream = output.stream;
    status = bench_core_run(request, &error);
    if (status != RB_OK)
        cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return cli_finish_output(&output, cli_exit_of(status));
}

static int run(const struct cli_args *args)
{
    if (strcmp(cli_args_operand(args), "core") != 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "unknown benchmark \"%s\": there is core; engines are timed by the "
                            "developers' program bench_engines (docs/testing.md)",
                            cli_args_operand(args));
    struct bench_request request = {.samples = (int32_t)cli_args_int(args, "samples"),
                                    .seed = (uint64_t)cli_args_int(args, "seed"),
                                    .format = cli_args_format(args),
                                    .details = cli_details(args)};
    return measure(args, &request);
}

const struct cli_verb verb_bench = {
    .name = "bench",
    .title = "Time this program's own code.",
    .common = "samples|format|output",
    .operands = "BENCHMARK",
    .words = "core",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout bench core\n"
                "roundabout bench core --samples 30 --format csv -o core.csv\n",
    .run = run,
};
