/* verb_doctor.c - what this installation has, what it lacks, and the commands that get it. */
#include "command/doctor/doctor.h"
#include "support/options/common_options.h"

static const struct cli_option options[] = {
    {CLI_ROW("limit", TEXT, "TIME"), .fallback = "5s",
     .help = "the longest time to wait for an answer of another program"},
    CLI_OPTION_FORMAT("table|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static int print(const struct cli_args *args, FILE *stream)
{
    static struct doctor_findings findings;
    struct sup_error error;
    double limit_s;
    const int status = sup_parse_seconds(cli_args_text(args, "limit"), &limit_s, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "--limit: %s", error.text);
    doctor_examine(limit_s, &findings);
    doctor_print(&findings, cli_args_format(args), cli_details(args), stream);
    return doctor_is_well(&findings) ? CLI_EXIT_DONE : CLI_EXIT_FALSE;
}

static int run(const struct cli_args *args)
{
    return cli_print(args, print);
}

const struct cli_verb verb_doctor = {
    .name = "doctor",
    .title = "Say what is there, what is missing, and how to get it.",
    .options = options,
    .examples = "roundabout doctor\n"
                "roundabout doctor --format json -o doctor.json\n",
    .run = run,
};
