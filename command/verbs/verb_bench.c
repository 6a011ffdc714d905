/* verb_bench.c - times this program's own code. One line per benchmark. */
#include <string.h>

#include "command/options/options.h"
#include "experiments/bench/bench.h"
#include "plots/figure/plot.h"

static const struct rb_benchmark *const benchmarks[] = {
    &rb_bench_core,
    &rb_bench_model,
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static const struct rb_option options[] = {
    {.name = "samples",
     .type = RB_OPT_INT,
     .value = "N",
     .fallback = "5",
     .help = "size of the sample: for core values of p in each range, for model runs of each case; "
             "5 take about a minute",
     .least = 1,
     .most = 1000},
    {.name = "seed",
     .type = RB_OPT_INT,
     .value = "SEED",
     .fallback = "1",
     .help = "core: seed of the random choice of p",
     .least = 0,
     .most = INT64_MAX},
    {.name = "figures",
     .type = RB_OPT_TEXT,
     .value = "DIR",
     .fallback = "figures",
     .help = "core: directory for the figure, created if missing; - draws none"},
    RB_OPTION_FORMAT("table|csv|json"),
    RB_OPTION_OUTPUT,
    RB_OPTION_END,
};

static const struct rb_benchmark *find(const char *name)
{
    const char *names[BENCHMARKS];
    for (int32_t i = 0; i < BENCHMARKS; i++) {
        names[i] = benchmarks[i]->name;
        if (strcmp(names[i], name) == 0)
            return benchmarks[i];
    }
    const char *nearest = rb_nearest_word(name, names, BENCHMARKS);
    rb_complain(RB_EXIT_USAGE, "unknown benchmark \"%s\": %s %s%s", name,
                nearest == NULL ? "there are" : "did you mean",
                nearest == NULL ? "core and model" : nearest, nearest == NULL ? "" : "?");
    return NULL;
}

static int check(const struct rb_args *args, const struct rb_benchmark *benchmark)
{
    const char *idle = NULL;
    if (!benchmark->draws && rb_args_given(args, "figures"))
        idle = "figures";
    if (!benchmark->seeded && rb_args_given(args, "seed"))
        idle = "seed";
    return idle == NULL
               ? RB_EXIT_DONE
               : rb_complain(RB_EXIT_USAGE, "--%s: has no meaning for %s", idle, benchmark->name);
}

static int run(const struct rb_args *args)
{
    const char *const *operands;
    struct rb_error error;
    struct rb_output output = {0};
    rb_args_operands(args, &operands);
    const struct rb_benchmark *benchmark = find(operands[0]);
    if (benchmark == NULL || check(args, benchmark) != RB_EXIT_DONE)
        return RB_EXIT_USAGE;
    struct rb_bench_request request = {.samples = (int32_t)rb_args_int(args, "samples"),
                                       .seed = (uint64_t)rb_args_int(args, "seed"),
                                       .format = rb_args_format(args),
                                       .figures = rb_args_text(args, "figures")};
    if (!benchmark->draws || strcmp(request.figures, "-") == 0)
        request.figures = NULL;
    /* What stops the figure is said before the minute, not after it. */
    if (request.figures != NULL && rb_gnuplot_find(1u << RB_PDF | 1u << RB_PNG, &error) != RB_OK)
        return rb_complain(RB_EXIT_FAILED, "%s; or draw no figure with --figures -", error.text);
    int status = rb_args_output(args, &output);
    if (status != RB_EXIT_DONE)
        return status;
    request.stream = output.stream;
    status = benchmark->run(&request, &error);
    if (status != RB_OK)
        rb_complain(RB_EXIT_FAILED, "%s", error.text);
    return rb_finish_output(&output, rb_exit_of(status));
}

const struct rb_verb rb_verb_bench = {
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
