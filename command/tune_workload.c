/* tune_workload.c - tune --search --workload: the choices of a workload's collectives, by what the
 * whole takes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/simulate.h"
#include "command/tune_search.h"
#include "command/verbs.h"
#include "experiments/point/parameters.h"
#include "experiments/workload/together.h"
#include "support/units.h"

struct tuning {
    struct sim_workload workload;
    struct point_known_platform platform;
    struct decide decision;
    struct workload_tuned tuned;
};

/* ---- The request ----------------------------------------------------------------------------- */

static int refuse(const struct cli_args *args)
{
    const char *const *texts;
    if (!cli_args_flag(args, "search"))
        return cli_complain(CLI_EXIT_USAGE, "--workload: only with --search");
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const char *name = point_parameters[i].option.name;
        if (name != NULL && strcmp(name, "platform") != 0 && cli_args_option(args, name) != NULL &&
            cli_args_given(args, name))
            return cli_complain(CLI_EXIT_USAGE, "--%s: leave it out: %s says what runs", name,
                                cli_args_text(args, "workload"));
    }
    static const char *const others[] = {"confirm", "confirm-limit", "engine-option", "inside",
                                         "jobs",    "model",         "over-arrivals", "what"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_args_given(args, others[i]))
            return cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning with --workload", others[i]);
    if (strcmp(cli_args_text(args, "format"), "decisions") == 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--format decisions: not of a workload: take a library's format");
    if (cli_args_texts(args, "platform", &texts) > 1)
        return cli_complain(CLI_EXIT_USAGE, "--platform: one with --workload, not %s and %s",
                            texts[0], texts[1]);
    return cli_args_operand(args) == NULL
               ? CLI_EXIT_DONE
               : cli_complain(CLI_EXIT_USAGE, "--search: reads no results: leave out \"%s\"",
                              cli_args_operand(args));
}

/* A crossbar for all jobs, where no platform is given. */
static int read_platform(const struct cli_args *args, struct tuning *tuning,
                         struct sup_error *error)
{
    const char *const *texts;
    const struct sim_spec plain = {0};
    struct sup_error why;
    char crossbar[32];
    const bool given = cli_args_texts(args, "platform", &texts) > 0;
    const int32_t ranks = sim_workload_ranks(&tuning->workload);
    snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32, ranks > 1 ? ranks : 2);
    const int status = point_known_platform_make(given ? texts[0] : crossbar, &plain,
                                                 sim_engine_find("flow"), &tuning->platform, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--platform: %s", why.text);
}

static int tune(const struct cli_args *args, struct tuning *tuning, struct sup_error *error)
{
    static const struct sim_overlap blocking = {.rule = SIM_BLOCKING};
    const struct rules_format *format = verb_rules_format(args);
    struct cli_bar bar;
    struct sup_error why;
    struct workload_tune_request request = {
        .workload = &tuning->workload,
        .engine = sim_engine_find("flow"),
        .spec = {.platform = tuning->platform.text, .ppn = 1, .overlap = blocking},
        .library = format != NULL ? format->library : NULL,
        .version = format != NULL ? format->version : 0,
        .tell = cli_bar_share,
        .context = &bar};
    if (sup_parse_seconds(cli_args_text(args, "search-limit"), &request.limit_s, &why) != RB_OK ||
        !(request.limit_s > 0))
        return sup_fail(error, RB_EINVAL, "--search-limit: a time above 0, such as 20s");
    int status =
        workload_own_by_base(&tuning->workload, format, cli_args_text(args, "base"), error);
    if (status != RB_OK)
        return status;
    cli_bar_start(&bar, "tune", 0);
    status = workload_tune(&request, &tuning->decision, &tuning->tuned, error);
    cli_bar_end(&bar);
    return status;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static struct decide_row row_of(const void *context, size_t i)
{
    const struct decide *decision = context;
    const struct decide_call *call = &decision->calls[i];
    return (struct decide_row){.place = &decision->places[call->place], .call = call};
}

static struct decide_table table_of(const struct decide *decision)
{
    return (struct decide_table){
        .text = "collective/! p/! m_bytes/! choice/! blocks/! time_s/! next_best/4 lead/3 own/2 "
                "own_s/5 gain/1",
        .data = "collective p m_bytes choice blocks time_s next_best next_best_blocks next_best_s "
                "lead own own_s gain",
        .rows = decision->call_count,
        .row = row_of,
        .context = decision};
}

static void print_text(const struct cli_args *args, const struct tuning *tuning, FILE *stream)
{
    const struct workload_tuned *tuned = &tuning->tuned;
    const struct decide_table table = table_of(&tuning->decision);
    char before[32], after[32], alone[32];
    sup_format_seconds(tuned->alone_s, alone, sizeof alone);
    sup_format_seconds(tuned->before_s, before, sizeof before);
    sup_format_seconds(tuned->after_s, after, sizeof after);
    const char *file = cli_args_text(args, "workload"), *on = tuning->platform.text;
    if (tuned->after_s < tuned->before_s * 0.995)
        out_say(stream, "%s takes %s on %s; as the file has it %s, %.3g times as long.", file,
                after, on, before, tuned->before_s / tuned->after_s);
    else
        out_say(stream,
                "%s takes %s on %s: nothing that was tried is faster than what the file has.", file,
                after, on);
    decide_table_text(&table, stream);
    fputc('\n', stream);
    out_say(stream,
            "Times are those of the whole, with the other choices as they stand; flow, "
            "blocking, %" PRId32 " runs.",
            tuned->runs);
    char *left_out = decide_say_left_out(&tuning->decision, DECIDE_TOO_LONG);
    if (left_out != NULL)
        out_say(stream, "%s.", left_out);
    free(left_out);
    if (!tuned->is_settled)
        out_say(stream, "The time was up before no change helped any more: --search-limit 2min.");
    out_more(stream, "--format ompi -o rules.conf (for these sizes), csv, json");
}

static void print_json(const struct cli_args *args, const struct tuning *tuning, FILE *stream)
{
    const struct decide_table table = table_of(&tuning->decision);
    json_t *head = json_object();
    json_object_set_new(head, "workload", out_json_text(cli_args_text(args, "workload")));
    json_object_set_new(head, "platform", out_json_text(tuning->platform.text));
    json_object_set_new(head, "before_s", out_json_real(tuning->tuned.before_s));
    json_object_set_new(head, "after_s", out_json_real(tuning->tuned.after_s));
    json_object_set_new(head, "alone_s", out_json_real(tuning->tuned.alone_s));
    json_object_set_new(head, "settled", json_boolean(tuning->tuned.is_settled));
    json_object_set_new(head, "runs", json_integer(tuning->tuned.runs));
    json_object_set_new(head, "decision", decide_table_json(&table));
    out_json_print(stream, head, 15);
}

static int print_rules(const struct cli_args *args, struct tuning *tuning, FILE *stream,
                       struct sup_error *error)
{
    const struct rules_request request = {.format = verb_rules_format(args),
                                          .element_bytes = 1,
                                          .tolerance = cli_args_real(args, "tolerance") / 100,
                                          .everywhere = cli_args_flag(args, "everywhere")};
    const struct rules_head head = {.source = cli_args_text(args, "workload"),
                                    .base = cli_args_text(args, "base")};
    struct rules_notes notes;
    char *text;
    size_t size;
    const int status =
        decide_make_rules(&tuning->decision, &request, 0, &head, &text, &size, &notes, error);
    if (status == RB_OK) {
        fwrite(text, 1, size, stream);
        verb_rules_tell(&notes);
    }
    free(text);
    return status;
}

static int print(const struct cli_args *args, struct tuning *tuning, FILE *stream)
{
    const struct decide_table table = table_of(&tuning->decision);
    struct sup_error error;
    if (verb_rules_format(args) != NULL)
        return cli_fail(print_rules(args, tuning, stream, &error), &error);
    if (cli_args_format(args) == OUT_CSV)
        decide_table_csv(&table, stream);
    else if (cli_args_format(args) == OUT_JSON)
        print_json(args, tuning, stream);
    else
        print_text(args, tuning, stream);
    return CLI_EXIT_DONE;
}

int verb_tune_workload(const struct cli_args *args)
{
    struct tuning tuning = {0};
    struct out_file output = {0};
    struct sup_error error;
    const int refused = refuse(args);
    if (refused != CLI_EXIT_DONE)
        return refused;
    int status = workload_read(cli_args_text(args, "workload"), &tuning.workload, &error);
    if (status == RB_OK)
        status = read_platform(args, &tuning, &error);
    if (status == RB_OK)
        status = workload_settle(&tuning.workload, &tuning.platform, &error);
    if (status == RB_OK)
        status = tune(args, &tuning, &error);
    status = cli_fail(status, &error);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE)
        status = cli_finish_output(&output, print(args, &tuning, output.stream));
    if (status == CLI_EXIT_DONE)
        verb_workload_told(&tuning.workload);
    decide_free(&tuning.decision);
    point_known_platform_free(&tuning.platform);
    sim_workload_free(&tuning.workload);
    return status;
}
