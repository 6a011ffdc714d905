/* verb_check.c - compares statements of papers with this program. One line per check. */
#include <string.h>

#include "studies/check/check.h"
#include "support/options/options.h"

static const struct check_paper *const checks[] = {
    &check_paper_formulas,
    &check_paper_table_3,
    &check_paper_gallery,
    &check_paper_gaps,
};
enum { CHECKS = sizeof checks / sizeof checks[0] };

static const struct cli_option options[] = {
    {CLI_ROW("ranks", INTS, "P"), .letter = 'p', .least = 2, .most = CHECK_MOST_RANKS,
     .help = "numbers of ranks; default of formulas: 4,8,9,16,64; of gallery: 64,100,127,1024; of "
             "gaps: 16,100,127,1000"},
    {CLI_ROW("bytes", BYTESES, "M"), .letter = 'm', .least = 1, .most = 1 << 30,
     .help = "formulas: bytes of a message, the formula's m; default: 1KiB,64KiB; gallery: bytes "
             "of all data; default: 4KiB,256KiB,16MiB; gaps: of all data; default: "
             "64B,1KiB,8KiB,64KiB,1MiB,16MiB,128MiB, with --platform 64KiB,16MiB"},
    {CLI_ROW("platform", TEXT, "PLATFORM"),
     .help =
         "gaps: the best plans on this platform, with 1 and 32 ranks per host, in blocks and at "
         "random places, as tune --search finds them; default: hosts whose ranks share a port"},
    {CLI_ROW("collective", TEXT, "NAME"), .help = "gaps: of this collective; default: of all"},
    {CLI_ROW("overlap", TEXT, "RULE"), .synonym = "progress", .fallback = "lockstep",
     .help =
         "formulas: how rounds overlap: lockstep, as in the textbook, blocking, window:W, data"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static const struct check_paper *find(const char *name)
{
    const char *names[CHECKS];
    for (int32_t i = 0; i < CHECKS; i++) {
        names[i] = checks[i]->name;
        if (strcmp(names[i], name) == 0)
            return checks[i];
    }
    char hint[SUP_HINT_SIZE];
    cli_complain(
        CLI_EXIT_USAGE, "unknown check \"%s\": %s", name,
        sup_hint(name, names, CHECKS, "see roundabout check --help; one is formulas", hint));
    return NULL;
}

static bool heeds(const struct check_paper *check, const char *option)
{
    for (const char *const *name = check->options; *name != NULL; name++)
        if (strcmp(*name, option) == 0)
            return true;
    return false;
}

/* The options that some checks have no use for. */
static int refuse_idle(const struct cli_args *args, const struct check_paper *check)
{
    static const char *const some[] = {"ranks", "bytes", "platform", "collective", "overlap"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        if (cli_args_given(args, some[i]) && !heeds(check, some[i]))
            return cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning for %s", some[i],
                                check->name);
    return CLI_EXIT_DONE;
}

static int run(const struct cli_args *args)
{
    struct sup_error error;
    struct out_file output;
    const struct check_paper *check = find(cli_args_operand(args));
    if (check == NULL || refuse_idle(args, check) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    struct check_request request = {
        .ranks = cli_args_given(args, "ranks") ? cli_args_list(args, "ranks") : NULL,
        .bytes = cli_args_given(args, "bytes") ? cli_args_list(args, "bytes") : NULL,
        .platform = cli_args_given(args, "platform") ? cli_args_text(args, "platform") : NULL,
        .collective = cli_args_given(args, "collective") ? cli_args_text(args, "collective") : NULL,
        .format = cli_args_format(args),
        .details = cli_details(args),
    };
    if (request.collective != NULL && rb_collective_find(request.collective) == NULL)
        return cli_complain(CLI_EXIT_USAGE, "--collective: unknown \"%s\": see roundabout list",
                            request.collective);
    if (sim_overlap_parse(cli_args_text(args, "overlap"), &request.overlap, &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "--overlap: %s", error.text);
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    request.stream = output.stream;
    status = check->run(&request, &error);
    return cli_finish_output(&output, cli_fail(status, &error));
}

const struct cli_verb verb_check = {
    .name = "check",
    .title = "Check papers' statements, or compare all algorithms with bounds.",
    .operands = "CHECK",
    .words = "formulas|table-3|gallery|gaps",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout check formulas\n"
                "roundabout check formulas -p 16,32 -m 1MiB --format csv -o formulas.csv\n"
                "roundabout check table-3\n"
                "roundabout check gallery -p 64 -m 1MiB --format csv\n"
                "roundabout check gaps -p 16 -m 64KiB\n"
                "roundabout check gaps --platform dragonfly:72 --collective allgather -m 16MiB\n",
    .run = run,
};
