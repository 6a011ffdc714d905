/* engines.c - the developers' program bench_engines: how fast the engines are, by the cases of the
 * benchmarks model and flow. docs/testing.md describes it. */
#include <string.h>

#include "support/options/options.h"
#include "tests/bench/simulated.h"

static const struct cli_option options[] = {
    {.name = "samples",
     .type = CLI_OPT_INT,
     .value = "N",
     .help = "runs of each case; default: 5, for flow 3, which take minutes",
     .least = 1,
     .most = BENCH_MOST_SAMPLES},
    {.name = "only",
     .type = CLI_OPT_TEXT,
     .value = "CASE",
     .help = "flow: measure this case alone, such as fat-tree-1k"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* Whether there is the case that --only names. */
static int check_case(const char *only, const struct bench_simulated *simulated)
{
    const char *names[64];
    char hint[SUP_HINT_SIZE], all[512] = "there are";
    size_t count = 0, used = strlen(all);
    if (simulated->cases[0].name == NULL)
        return cli_complain(CLI_EXIT_USAGE, "--only: has no meaning for %s", simulated->name);
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

static int measure(const struct cli_args *args, const struct bench_simulated *simulated)
{
    struct sup_error error;
    struct out_file output = {0};
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    const struct bench_engine_request request = {
        .samples = cli_args_given(args, "samples") ? (int32_t)cli_args_int(args, "samples")
                                                   : simulated->samples,
        .only = cli_args_text(args, "only"),
        .format = cli_args_format(args),
        .stream = output.stream};
    status = bench_simulated_run(simulated, &request, &error);
    if (status != RB_OK)
        cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return cli_finish_output(&output, cli_exit_of(status));
}

static int run(const struct cli_args *args)
{
    static const struct bench_simulated *const all[] = {&bench_simulated_model,
                                                        &bench_simulated_flow};
    const char *const *operands, *only = cli_args_text(args, "only");
    cli_args_operands(args, &operands);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(operands[0], all[i]->name) == 0)
            return only != NULL && check_case(only, all[i]) != CLI_EXIT_DONE
                       ? CLI_EXIT_USAGE
                       : measure(args, all[i]);
    return cli_complain(CLI_EXIT_USAGE, "unknown benchmark \"%s\": there are model and flow",
                        operands[0]);
}

static const struct cli_verb verb = {
    .name = "bench_engines",
    .title = "Time the engine model, or flow beside simgrid.",
    .operands = "model|flow",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "bench_engines model\n"
                "bench_engines flow --only dragonfly-1k --samples 1\n",
    .run = run,
};

int main(int argc, char *argv[])
{
    return cli_verb_main(&verb, argc - 1, argv + 1);
}
