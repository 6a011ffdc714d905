/* verb_check.c - compares statements of papers with this program. One line per check. */
#include <string.h>

#include "command/options/options.h"
#include "experiments/check/check.h"

static const struct rb_check *const checks[] = {
    &rb_check_formulas,
    &rb_check_table_3,
};
enum { CHECKS = sizeof checks / sizeof checks[0] };

static const struct rb_option options[] = {
    {.name = "ranks",
     .letter = 'p',
     .type = RB_OPT_INTS,
     .value = "P",
     .help = "formulas: numbers of ranks; default: 4,8,9,16,64",
     .least = 2,
     .most = 1024},
    {.name = "bytes",
     .letter = 'm',
     .type = RB_OPT_BYTESES,
     .value = "M",
     .help = "formulas: bytes of a message, the formula's m; default: 1KiB,64KiB",
     .least = 1,
     .most = 1 << 30},
    {.name = "progress",
     .type = RB_OPT_TEXT,
     .value = "RULE",
     .fallback = "lockstep",
     .help =
         "formulas: how rounds overlap: lockstep, as in the textbook, blocking, window:W, data"},
    RB_OPTION_FORMAT("table|csv|json"),
    RB_OPTION_OUTPUT,
    RB_OPTION_END,
};

static const struct rb_check *find(const char *name)
{
    const char *names[CHECKS];
    for (int32_t i = 0; i < CHECKS; i++) {
        names[i] = checks[i]->name;
        if (strcmp(names[i], name) == 0)
            return checks[i];
    }
    const char *nearest = rb_nearest_word(name, names, CHECKS);
    rb_complain(RB_EXIT_USAGE, "unknown check \"%s\": %s %s%s", name,
                nearest == NULL ? "see roundabout check --help; one is" : "did you mean",
                nearest == NULL ? names[0] : nearest, nearest == NULL ? "" : "?");
    return NULL;
}

static bool heeds(const struct rb_check *check, const char *option)
{
    for (const char *const *name = check->options; *name != NULL; name++)
        if (strcmp(*name, option) == 0)
            return true;
    return false;
}

/* The options that some checks have no use for. */
static int refuse_idle(const struct rb_args *args, const struct rb_check *check)
{
    static const char *const some[] = {"ranks", "bytes", "progress"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        if (rb_args_given(args, some[i]) && !heeds(check, some[i]))
            return rb_complain(RB_EXIT_USAGE, "--%s: has no meaning for %s", some[i], check->name);
    return RB_EXIT_DONE;
}

static int run(const struct rb_args *args)
{
    const char *const *operands;
    struct rb_error error;
    struct rb_output output;
    rb_args_operands(args, &operands);
    const struct rb_check *check = find(operands[0]);
    if (check == NULL || refuse_idle(args, check) != RB_EXIT_DONE)
        return RB_EXIT_USAGE;
    struct rb_check_request request = {
        .ranks = rb_args_given(args, "ranks") ? rb_args_list(args, "ranks") : NULL,
        .bytes = rb_args_given(args, "bytes") ? rb_args_list(args, "bytes") : NULL,
        .format = rb_args_format(args),
    };
    if (rb_progress_parse(rb_args_text(args, "progress"), &request.progress, &error) != RB_OK)
        return rb_complain(RB_EXIT_USAGE, "--progress: %s", error.text);
    int status = rb_args_output(args, &output);
    if (status != RB_EXIT_DONE)
        return status;
    request.stream = output.stream;
    status = check->run(&request, &error);
    if (status != RB_OK)
        rb_complain(rb_exit_of(status), "%s", error.text);
    return rb_finish_output(&output, rb_exit_of(status));
}

const struct rb_verb rb_verb_check = {
    .name = "check",
    .title =
        "Check a paper's statements: formulas (a textbook's costs) or table-3 (redistributions).",
    .operands = "CHECK",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .examples = "roundabout check formulas\n"
                "roundabout check formulas -p 16,32 -m 1MiB --format csv -o formulas.csv\n"
                "roundabout check table-3\n",
    .run = run,
};
