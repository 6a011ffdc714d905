/* verb_audit.c - which choices of an MPI library lose time, why, and which rules would mend it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/audit_sources.h"
#include "command/rules_options.h"
#include "experiments/point/parameters.h"
#include "support/options/common_options.h"
#include "support/output/rows.h"
#include "support/units.h"

static const struct cli_option options[] = {
    {CLI_ROW("threshold", REAL, "PERCENT"), .fallback = "10",
     .help = "a choice loses time if another one takes less by more than this"},
    {CLI_ROW("what", CHOICE, "TABLE"), .fallback = "all",
     .choices = "all|summary|losses|rules|points",
     .help = "the table to print; csv has one table; all are summary, losses and rules"},
    {CLI_ROW("top", INT, "N"), .fallback = "20", .help = "how many losses the text lists; 0: all"},
    VERB_MEASURED_OPTIONS,
    VERB_MEASURED_FILTERS,
    {CLI_ROW("results", TEXT, "RESULTS"), .file = CLI_READS,
     .help = "take the times of the rules in FILE from a sweep's results, or from measured rows"},
    {CLI_ROW("fit", TEXT, "MEASURED"), .file = CLI_READS,
     .help = "predict the times of the rules in FILE, for all -p and -m, by a model that is fitted "
             "to these measured rows (of --system and --where)"},
    {CLI_ROW("platform", TEXT, "NAME"), .complete = point_complete_platform, .repeatable = true,
     .help = "simulate the choices of the rules in FILE, or of native:NAME, beside the library's "
             "other algorithms and all of this program's, for all -p and -m; with --results: use "
             "only this platform"},
    {.more = point_filter_option},
    {POINT_LIKE(ROOT)},
    {POINT_LIKE(ELEMENT)},
    {CLI_ROW("engine-option", TEXT, "KEY:VALUE"), .repeatable = true,
     .help = "simulation: option for the engine model"},
    {CLI_ROW("search-limit", TEXT, "TIME"), .fallback = "20s",
     .help = "simulation: the longest time, by estimate, of all simulations for one algorithm, p "
             "and m; one may take a fourth of it; longer ones are left out"},
    {CLI_ROW("jobs", INT, "N"), .letter = 'j', .least = 1, .most = 4096,
     .help = "simulation: number of worker processes; default: the number of cores"},
    VERB_RULES_OPTIONS,
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table", .choices = "table|csv|json",
     .word_at = rules_format_word, .usual = rules_format_usual,
     .help = "output format; docs/formats.md describes csv and json; those from ompi on are the "
             "mending rules as a file of a library, docs/tuning-files.md"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* ---- Output ---------------------------------------------------------------------------------- */

static unsigned tables_of(const struct cli_args *args)
{
    const char *what = cli_args_text(args, "what");
    for (unsigned i = 0; i < AUDIT_TABLES; i++)
        if (strcmp(what, audit_table_names[i]) == 0)
            return 1u << i;
    return 1u << AUDIT_SUMMARY | 1u << AUDIT_LOSSES | 1u << AUDIT_RULES;
}

static size_t judged_in(const struct decide *audit)
{
    return audit->call_count - decide_count(audit, DECIDE_ALONE) -
           decide_count(audit, DECIDE_NO_TIME);
}

/* Where the times come from. */
static const char *times_of(const struct cli_args *args, const struct verb_audit_work *work)
{
    const bool results = cli_args_given(args, "results");
    if (cli_args_given(args, "fit"))
        return "predicted by a model fitted to measured rows, not measured";
    return (results ? work->curves.curve_count > 0 : cli_args_given(args, "platform"))
               ? "simulated, not measured"
               : "measured";
}

/* What decides, if it is not the library of measured rows. */
static const char *rules_of(const struct cli_args *args)
{
    const char *const *operands;
    cli_args_operands(args, &operands);
    return cli_args_given(args, "platform") || cli_args_given(args, "results") ||
                   cli_args_given(args, "fit")
               ? operands[0]
               : NULL;
}

/* The rules can be had if the library has a format for them. */
static void say_more(const struct decide *audit, FILE *stream)
{
    const char *library = audit->places[0].library;
    char *format = library == NULL ? NULL : rules_format_usual(library);
    const bool rules = format != NULL && rules_format_find(format) != NULL && audit->loss_count > 0;
    out_more(stream, "%s%s%s--details (each loss, why, and the rules), --what points",
             rules ? "--format " : "", rules ? format : "",
             rules ? " -o rules.txt (the rules), " : "");
    free(format);
}

/* The answer; a table, or with --details and --what all of them; how sure that is. */
static void print_text(const struct cli_args *args, const struct verb_audit_work *work,
                       FILE *stream)
{
    const bool screen = !cli_details(args) && !cli_args_given(args, "what");
    const size_t losses = work->audit.loss_count;
    struct out_verdict verdict = {0};
    audit_verdict(&work->audit, rules_of(args), times_of(args, work), &verdict);
    out_say(stream, "%s", verdict.sentence[0]);
    if (screen)
        audit_screen(&work->audit, stream);
    else {
        fputc('\n', stream);
        audit_text(&work->audit, tables_of(args), cli_args_int(args, "top"), stream);
    }
    if (screen && losses > 0)
        fputc('\n', stream);
    for (size_t i = screen && losses > 0 ? 2 : 1; i < verdict.count; i++)
        out_say(stream, "%s", verdict.sentence[i]);
    for (size_t i = 0; i < work->rows.notes.count; i++)
        out_say(stream, "%s.", work->rows.notes.sentence[i]);
    out_verdict_free(&verdict);
    if (screen)
        say_more(&work->audit, stream);
}

static int print_json(const struct cli_args *args, const struct verb_audit_work *work, FILE *stream)
{
    json_t *notes = out_verdict_json(&work->rows.notes);
    struct out_verdict verdict = {0};
    audit_verdict(&work->audit, rules_of(args), times_of(args, work), &verdict);
    json_t *head = json_pack("{s:s, s:o, s:o}", "version", cli_program_version, "notes", notes,
                             "verdict", out_verdict_json(&verdict));
    out_verdict_free(&verdict);
    out_json_print(stream, audit_json(&work->audit, tables_of(args), head), 15);
    return CLI_EXIT_DONE;
}

/* The mending rules, as a library's file. */
static int write_rules(const struct cli_args *args, const struct rules_format *format,
                       const struct verb_audit_work *work, FILE *stream, struct sup_error *error)
{
    const struct rules_request request = {.format = format,
                                          .element_bytes = 1,
                                          .tolerance = work->audit.threshold,
                                          .everywhere = cli_args_flag(args, "everywhere")};
    const struct rules_head head = verb_rules_head(args);
    struct rules_candidate *candidates = NULL;
    struct rules_notes notes;
    size_t count;
    int64_t unwritable;
    int status = decide_candidates(&work->audit, format, &candidates, &count, &unwritable, error);
    if (status == RB_OK)
        status = rules_make(&request, candidates, count, &head, stream, &notes, error);
    if (status == RB_OK)
        verb_rules_tell(&notes);
    if (status == RB_OK && unwritable > 0)
        cli_complain(CLI_EXIT_DONE,
                     "note: without a rule, because their choice has no plan here: %" PRId64
                     " points",
                     unwritable);
    free(candidates);
    return status;
}

static int print(const struct cli_args *args, const struct verb_audit_work *work, FILE *stream)
{
    const unsigned set = tables_of(args);
    const struct rules_format *rules = verb_rules_format(args);
    struct sup_error error;
    if (rules != NULL) {
        const int status = write_rules(args, rules, work, stream, &error);
        return cli_fail(status, &error);
    }
    switch (cli_args_format(args)) {
    case OUT_TEXT:
        print_text(args, work, stream);
        return CLI_EXIT_DONE;
    case OUT_CSV:
        for (unsigned i = 0; i < AUDIT_TABLES; i++)
            if (set == 1u << i)
                audit_csv(&work->audit, (enum audit_table)i, stream);
        rows_taken_tell(&work->rows);
        return CLI_EXIT_DONE;
    case OUT_JSON:
        return print_json(args, work, stream);
    }
    return CLI_EXIT_FAILED;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static int check(const struct cli_args *args, struct sup_error *error)
{
    const char *const *names;
    const double percent = cli_args_real(args, "threshold");
    const int32_t count = cli_args_texts(args, "collective", &names);
    if (!(percent >= 0 && percent <= 1e6))
        return sup_fail(error, RB_EINVAL, "--threshold: %g: a percentage from 0 to 1000000",
                        percent);
    if (cli_args_format(args) == OUT_CSV && strcmp(cli_args_text(args, "what"), "all") == 0)
        return sup_fail(error, RB_EINVAL,
                        "--format csv: holds one table: add --what losses, or summary, rules, "
                        "points");
    for (int32_t i = 0; i < count; i++) {
        const int status = cli_check_collective(names[i], error);
        if (status != RB_OK)
            return status;
    }
    return verb_rules_check(args, error);
}

/* An audit that judges nothing finds no losses, whatever the choices. */
static int check_judged(const struct cli_args *args, const struct verb_audit_work *work,
                        struct sup_error *error)
{
    const struct decide *audit = &work->audit;
    const char *const *operands;
    if (judged_in(audit) > 0)
        return RB_OK;
    rows_taken_tell(&work->rows);
    cli_args_operands(args, &operands);
    const char *first = audit->calls[0].own.name;
    return sup_fail(error, audit->left_out[DECIDE_FAILED].count > 0 ? RB_EFAILED : RB_EINVAL,
                    "%s: nothing can be judged: of %zu point%s, %zu have no time of the choice and "
                    "%zu none of another choice of the library%s%s",
                    operands[0], audit->call_count, sup_plural((int64_t)audit->call_count),
                    decide_count(audit, DECIDE_NO_TIME), decide_count(audit, DECIDE_ALONE),
                    first == NULL ? "" : "; the first choice is ", first == NULL ? "" : first);
}

static int make(const struct cli_args *args, struct verb_audit_work *work, struct sup_error *error)
{
    int status = check(args, error);
    if (status == RB_OK)
        status = verb_audit_read(args, work, error);
    if (status != RB_OK)
        return status;
    decide_judge(&work->audit, cli_args_real(args, "threshold") / 100);
    status = check_judged(args, work, error);
    if (status == RB_OK)
        decide_mend(&work->audit);
    return status;
}

static int run(const struct cli_args *args)
{
    struct verb_audit_work work = {0};
    struct out_file output = {0};
    struct sup_error error;
    int status = make(args, &work, &error);
    status = cli_fail(status, &error);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE)
        status = cli_finish_output(&output, print(args, &work, output.stream));
    verb_audit_work_free(&work);
    return status;
}

const struct cli_verb verb_audit = {
    .name = "audit",
    .title = "Find where a library's own choices lose time, and mend them.",
    .common = "platform|results|collective|ranks|bytes|threshold|format|output",
    .operands = "FILE|native:NAME",
    .least_operands = 1,
    .most_operands = 1,
    .reads = "FILE",
    .options = options,
    .examples = "roundabout audit native:ompi --platform fat-tree:64 -p 64 -m 1KiB..1MiB*4\n"
                "roundabout audit rules.txt --platform fat-tree:64 -p 16..64*2 -m 1KiB..64MiB*4\n"
                "roundabout audit measurements.csv --system leonardo\n"
                "roundabout audit measurements.csv --threshold 50 --collective bcast\n"
                "roundabout audit measurements.csv --what losses --format csv -o losses.csv\n"
                "roundabout audit measurements.csv --system leonardo --format ompi -o rules.txt\n"
                "roundabout audit rules.txt --results results/default.db\n",
    .run = run,
};
