/* verb_tune.c - from a sweep's results: best n, F and its regret, and which algorithm to take; or
 * best n by searching. */
#include <string.h>

#include "command/options/common_options.h"
#include "command/output/files.h"
#include "command/output/json_rows.h"
#include "command/verbs/tune_radix_verb.h"
#include "command/verbs/tune_search.h"
#include "experiments/tune/tune.h"
#include "experiments/tune/tune_decisions.h"
#include "experiments/tune/tune_filters.h"

static const struct rb_option options[] = {
    {.name = "what",
     .type = RB_OPT_CHOICE,
     .value = "TABLE",
     .fallback = "all",
     .choices = "all|best|fit|regret|decision",
     .help = "the table to print; csv has one table, the other formats can have all"},
    {.name = "focus",
     .type = RB_OPT_TEXT,
     .value = "NAME",
     .fallback = RB_TUNE_FOCUS,
     .help = "the algorithm whose F or G is fitted"},
    {.name = "constant",
     .type = RB_OPT_CHOICE,
     .value = "NAME",
     .fallback = "both",
     .choices = "both|F|G|radix",
     .help = "fit only F (bcast, reduce, allreduce) or only G (allgather, reduce-scatter); or, "
             "without RESULTS, find the radix with the least closed form, for all -p, -m and "
             "--ports, of --collective (alltoall) and --algorithm (bruck) on --platform"},
    {.name = "element-bytes",
     .type = RB_OPT_BYTES,
     .value = "E",
     .help = "size of the elements that F and G count; default: the sweep's element size",
     .least = 1,
     .most = INT32_MAX},
    {.name = "tolerance",
     .type = RB_OPT_REAL,
     .value = "PERCENT",
     .fallback = "2",
     .help = "for the interval of F: how much longer than with the best F the mean time may be"},
    {.name = "margin",
     .type = RB_OPT_REAL,
     .value = "PERCENT",
     .fallback = "5",
     .help =
         "with --format decisions: native, where it was run, is chosen unless another algorithm is "
         "faster by more than this; should be at least the noise of measured times"},
    {.more = point_filter_option},
    RB_RADIX_OPTIONS,
    RB_SEARCH_OPTIONS,
    RB_OPTION_FORMAT("table|csv|json|decisions"),
    RB_OPTION_OUTPUT,
    RB_OPTION_END,
};

static unsigned tables_of(const struct rb_args *args, const struct rb_tuning *tuning)
{
    const char *what = rb_args_text(args, "what");
    for (int i = 0; i < RB_TUNE_TABLES; i++)
        if (strcmp(what, tuning->tables[i].name) == 0)
            return 1u << i;
    return (1u << RB_TUNE_TABLES) - 1;
}

static bool wants_decisions(const struct rb_args *args)
{
    return strcmp(rb_args_text(args, "format"), "decisions") == 0;
}

static int print_decisions(const struct rb_args *args, const struct rb_tuning *tuning, FILE *stream)
{
    const char *const *operands;
    struct rb_error error;
    const bool read = rb_args_operands(args, &operands) > 0;
    const struct rb_decisions_request request = {.results = read ? operands[0] : "a search",
                                                 .tolerance = rb_args_real(args, "tolerance") / 100,
                                                 .margin = rb_args_real(args, "margin") / 100,
                                                 .notes = read ? NULL : tuning->notes,
                                                 .note_count = read ? 0 : tuning->note_count};
    const int status = rb_decisions_write(&tuning->data, &request, stream, &error);
    return status == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(status), "%s", error.text);
}

static int print(const struct rb_args *args, const struct rb_tuning *tuning, FILE *stream)
{
    if (wants_decisions(args))
        return print_decisions(args, tuning, stream);
    const unsigned set = tables_of(args, tuning);
    switch (rb_args_format(args)) {
    case OUT_TEXT:
        rb_tuning_text(tuning, set, stream);
        return RB_EXIT_DONE;
    case OUT_CSV:
        for (int i = 0; i < RB_TUNE_TABLES; i++)
            if ((set & 1u << i) != 0)
                rb_table_csv(&tuning->tables[i], &tuning->data, stream);
        for (int32_t i = 0; i < tuning->note_count; i++)
            rb_complain(RB_EXIT_DONE, "note: %s", tuning->notes[i]);
        return RB_EXIT_DONE;
    case OUT_JSON:
        if (rb_json_print(stream, rb_tuning_json(tuning, set), 15) != RB_OK)
            return rb_complain(RB_EXIT_FAILED, "out of memory");
        return RB_EXIT_DONE;
    }
    return RB_EXIT_FAILED;
}

static int check(const struct rb_args *args)
{
    int status = rb_tune_search_check(args);
    if (status != RB_EXIT_DONE)
        return status;
    double percent = rb_args_real(args, "tolerance");
    if (!(percent > 0 && percent <= 1000))
        return rb_complain(RB_EXIT_USAGE, "--tolerance: %g: a percentage above 0, at most 1000",
                           percent);
    percent = rb_args_real(args, "margin");
    if (!(percent >= 0 && percent < 100))
        return rb_complain(RB_EXIT_USAGE, "--margin: %g: a percentage from 0, below 100", percent);
    if (rb_args_given(args, "margin") && !wants_decisions(args))
        return rb_complain(RB_EXIT_USAGE, "--margin: only with --format decisions");
    if (rb_args_format(args) == OUT_CSV && strcmp(rb_args_text(args, "what"), "all") == 0)
        return rb_complain(RB_EXIT_USAGE,
                           "--format csv: holds one table: add --what best%s or "
                           "decision",
                           rb_args_flag(args, "search") ? "" : ", fit, regret");
    if (rb_args_given(args, "ports"))
        return rb_complain(RB_EXIT_USAGE, "--ports: only with --constant radix");
    if (wants_decisions(args) && rb_args_given(args, "what"))
        return rb_complain(RB_EXIT_USAGE, "--format decisions: has no tables: leave --what out");
    return RB_EXIT_DONE;
}

static int read_results(const struct rb_args *args, struct rb_tuning *tuning)
{
    struct rb_filter filters[POINT_PARAMETERS + 1];
    struct rb_error error;
    const char *const *operands;
    rb_args_operands(args, &operands);
    rb_filters_of(args, filters);
    const char *constant = rb_args_text(args, "constant");
    struct rb_tune_request request = {
        .results = operands[0],
        .filters = filters,
        .focus = rb_args_text(args, "focus"),
        .focus_asked = rb_args_given(args, "focus"),
        .constant = constant[0] == 'b' ? 0 : constant[0],
        .element_bytes =
            rb_args_given(args, "element-bytes") ? rb_args_int(args, "element-bytes") : 0,
        .tolerance = rb_args_real(args, "tolerance") / 100,
    };
    const int status = rb_tune(&request, tuning, &error);
    return status == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(status), "%s", error.text);
}

/* Where a platform is simulated, rather than chosen of the results, it is a file that is read. */
static int note_platform(const struct rb_args *args)
{
    const char *const *texts;
    struct rb_error error;
    const bool simulated = rb_args_flag(args, "search") || rb_wants_radix(args);
    const int32_t count = simulated ? rb_args_texts(args, "platform", &texts) : 0;
    int status = RB_OK;
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = rb_files_read("--platform", texts[i], &error);
    return status == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(status), "%s", error.text);
}

static int run(const struct rb_args *args)
{
    struct rb_tune_search search = {0};
    struct rb_tuning tuning = {0};
    struct rb_output output = {0};
    int status = note_platform(args);
    if (status != RB_EXIT_DONE)
        return status;
    if (rb_wants_radix(args) && !rb_args_flag(args, "search"))
        return rb_tune_radix_run(args);
    status = check(args);
    if (status != RB_EXIT_DONE)
        return status;
    status = rb_args_flag(args, "search") ? rb_tune_search_run(args, &search, &tuning)
                                          : read_results(args, &tuning);
    if (status == RB_EXIT_DONE)
        status = rb_args_output(args, &output);
    if (status == RB_EXIT_DONE)
        status = rb_finish_output(&output, print(args, &tuning, output.stream));
    rb_tuning_free(&tuning);
    rb_tune_search_free(&search);
    return status;
}

const struct rb_verb rb_verb_tune = {
    .name = "tune",
    .title = "Find the best n and algorithm, F or G, and regret, from a sweep or by a search.",
    .operands = "[RESULTS]",
    .least_operands = 0,
    .most_operands = 1,
    .reads = "RESULTS",
    .options = options,
    .examples =
        "roundabout tune results/default.db\n"
        "roundabout tune results/default.db --what fit --platform fat-tree --element-bytes 4\n"
        "roundabout tune results/figure-2.db --constant G --what fit\n"
        "roundabout tune --constant radix -p 64 -m 128KiB..2MiB*2 --platform "
        "crossbar:64,latency=29us,bandwidth=8.333333MBps\n"
        "roundabout tune results/default.db --what decision --format csv -o decision.csv\n"
        "roundabout tune results/default.db --platform fat-tree --format decisions -o "
        "fat-tree.txt\n"
        "roundabout tune --search -p 1024 -m 1MiB\n"
        "roundabout tune --search --algorithm circulant,chain -p 16..256*2 -m 1KiB..64MiB*4\n"
        "roundabout tune --search -p 64 -m 1MiB --platform fat-tree:64 --what decision\n",
    .run = run,
};
