/* verb_audit.c - which choices of an MPI library lose time, why, and which rules would mend it. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/tune_search.h"
#include "command/verbs.h"
#include "experiments/decide/curves.h"
#include "experiments/point/parameters.h"
#include "experiments/point/point.h"
#include "studies/audit/audit.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/options/options.h"
#include "support/output/files.h"
#include "support/output/table.h"
#include "support/units.h"

/* An audit, what it was made of, and what is said about it. */
struct work {
    struct decide audit;
    struct rows_taken rows; /* with the notes of all sources */
    struct rules_file *rules;
    struct decide_curves curves;
    struct predict_model *model;
    char native[80]; /* the operand, if it is native:NAME */
};

/* ---- Where points come from ------------------------------------------------------------------ */

/* Options without a use for times that are there. */
static const char of_simulation[] = "root|element|engine-option|search-limit|jobs";

static int need_points(const struct cli_args *args, const char *what, struct sup_error *error)
{
    const char *lacking = !cli_args_given(args, "ranks") ? "ranks" : "bytes";
    return cli_args_given(args, lacking)
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "--%s: missing: add it for the points that %s", lacking,
                          what);
}

/* ---- Measured rows --------------------------------------------------------------------------- */

/* A file of rules has no times. */
static int refuse_rules(const char *path, struct sup_error *error)
{
    struct rules_file *rules = NULL;
    char title[128] = "";
    if (rules_read(path, NULL, &rules, NULL) == RB_OK)
        snprintf(title, sizeof title, "%s", rules_file_format(rules)->title);
    rules_file_free(rules);
    return title[0] == '\0' ? RB_OK
                            : sup_fail(error, RB_EINVAL,
                                       "%s: has rules for %s and no times: add --platform or "
                                       "--results",
                                       path, title);
}

/* The points of the chosen rows; decider as in audit_add_measured. */
static int add_rows(const struct cli_args *args, struct work *work, const char *file,
                    const struct decide_library *decider, struct sup_error *error)
{
    const int status =
        rows_take(args, file, NULL, ROWS_OF_POINTS | ROWS_FALLBACKS, NULL, &work->rows, error);
    const size_t count = work->rows.count;
    if (status != RB_OK)
        return status;
    audit_add_measured(&work->audit, work->rows.row, count, decider);
    if (work->audit.call_count == 0 && decider == NULL)
        return sup_fail(
            error, RB_EINVAL,
            "%s: none of the rows (%zu) is the library's own choice: its algorithm would be "
            "named default, or default_ompi",
            file, count);
    if (work->audit.call_count == 0 && work->audit.left_out[DECIDE_OTHERS].count == (int64_t)count)
        return sup_fail(error, RB_EINVAL,
                        "%s: has rules for %s, and none of the %zu rows of %s is of it",
                        cli_args_operand(args), decider->library, count, file);
    if (work->audit.call_count == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: has no rule for what %s has times of, among %zu rows",
                        cli_args_operand(args), file, count);
    return RB_OK;
}

static int add_measured(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    static const char why[] = "has no meaning for measured rows: add --platform or --results";
    const char *file = cli_args_operand(args);
    int status = cli_refuse(args, of_simulation, why, error);
    if (status == RB_OK)
        status = rows_refuse_filters(args, why, error);
    if (status == RB_OK)
        status = refuse_rules(file, error);
    return status == RB_OK ? add_rows(args, work, file, NULL, error) : status;
}

/* ---- A library's rules ----------------------------------------------------------------------- */

static bool decide_by_rules(void *context, const char *collective, int32_t p, int32_t ppn,
                            int64_t m_bytes, struct decide_taken *decision)
{
    const struct rules_query query = {
        .collective = collective, .p = p, .ppn = ppn, .m_bytes = m_bytes};
    struct rules_answer answer;
    if (!rules_look_up(context, &query, &answer))
        return false;
    *decision = (struct decide_taken){.radix = answer.radix, .segment_bytes = answer.segment_bytes};
    snprintf(decision->name, sizeof decision->name, "%s",
             answer.row != NULL ? answer.row->name : answer.name);
    if (answer.row != NULL) {
        decision->algorithm = answer.row->algorithm;
        if (decision->radix == 0)
            decision->radix = answer.row->radix;
    }
    decision->radix = mpilib_radix(decision->radix, p);
    return true;
}

/* "native:ompi", or a file of rules. */
static int make_decider(const struct cli_args *args, struct work *work,
                        struct decide_library *decider, struct sup_error *error)
{
    const char *operand = cli_args_operand(args);
    char *usual = sup_algorithm_names(operand);
    snprintf(work->native, sizeof work->native, "%s", usual);
    free(usual);
    *decider = (struct decide_library){.library = "smpi", .native = work->native};
    if (sim_native_name(operand) != NULL)
        return sim_engine_of_natives() != NULL
                   ? RB_OK
                   : sup_fail(error, RB_EINVAL, "%s: this program was built without SMPI", operand);
    const int status = rules_read(operand, NULL, &work->rules, error);
    if (status != RB_OK)
        return status;
    const struct rules_format *format = rules_file_format(work->rules);
    *decider = (struct decide_library){.library = format->library,
                                       .version = format->version,
                                       .decide = decide_by_rules,
                                       .context = work->rules};
    return RB_OK;
}

/* ---- Simulation ------------------------------------------------------------------------------ */

/* True if the library decides anything for the collective at these p and m, with so many ranks on a
 * node. */
static bool is_decided_with(const struct cli_args *args, const struct decide_library *decider,
                            const char *collective, int32_t per_node)
{
    const struct sup_list *p = cli_args_list(args, "ranks"), *m = cli_args_list(args, "bytes");
    struct decide_taken decision;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < m->count; k++)
            if (decider->decide(decider->context, collective, (int32_t)p->value[i], per_node,
                                m->value[k], &decision))
                return true;
    return false;
}

/* With the ranks per host of --ppn, on some --platform if there are any. */
static bool is_decided(const struct cli_args *args, const struct decide_library *decider,
                       const char *collective)
{
    const char *const *platforms;
    const int32_t count = cli_args_texts(args, "platform", &platforms);
    const int32_t ppn =
        cli_args_given(args, "ppn") ? (int32_t)cli_args_list(args, "ppn")->value[0] : 1;
    bool decided = count == 0 && is_decided_with(args, decider, collective, ppn);
    for (int32_t i = 0; i < count && !decided; i++)
        decided =
            is_decided_with(args, decider, collective, point_ranks_per_node(platforms[i], ppn));
    return decided;
}

static int fail_without_rules(const struct cli_args *args, struct sup_error *error)
{
    return sup_fail(error, RB_EINVAL, "%s: has no rule for any of these collectives, -p and -m",
                    cli_args_operand(args));
}

struct chosen {
    const char *name[64];
    int32_t count;
};

/* The collectives that are named, or all, for which the file has rules; of natives those that are
 * named, or the broadcast. RB_EINVAL if there is none, before anything that takes long. */
static int choose_collectives(const struct cli_args *args, struct work *work,
                              const struct decide_library *decider, struct chosen *chosen,
                              struct sup_error *error)
{
    const struct rb_collective_info *info;
    const bool named = cli_args_given(args, "collective");
    *chosen = (struct chosen){{NULL}, 0};
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++) {
        if (!rows_collective_is_asked(args, info->name) ||
            (decider->native != NULL && !named && strcmp(info->name, "bcast") != 0))
            continue;
        assert(i < 64);
        if (decider->native != NULL || is_decided(args, decider, info->name))
            chosen->name[chosen->count++] = info->name;
        else if (named)
            decide_leave_out(&work->audit, DECIDE_NO_RULE,
                             (int64_t)(cli_args_list(args, "ranks")->count *
                                       cli_args_list(args, "bytes")->count),
                             NULL);
    }
    return chosen->count > 0 ? RB_OK : fail_without_rules(args, error);
}

static int simulate_one(const struct cli_args *args, struct work *work,
                        const struct decide_library *decider, const char *collective,
                        struct sup_error *error)
{
    struct verb_tune_search search = {0};
    struct sup_error why;
    int status = RB_OK;
    if (decider->native != NULL) {
        const struct rb_collective_info *info = rb_collective_find(collective);
        status = sim_engine_of_natives()->find_native(info, sim_native_name(decider->native), &why);
        if (status != RB_OK)
            return sup_fail(error, status, "%s: %s", decider->native, why.text);
    }
    const struct search_request *request = &search.search.request;
    status = verb_tune_search_request(args, collective, &search, error);
    if (status == RB_OK)
        status = audit_simulate(&work->audit, request->asked->text, decider, request,
                                &search.search.grid, error);
    verb_tune_search_free(&search);
    return status;
}

static int simulate_all(const struct cli_args *args, struct work *work,
                        const struct decide_library *decider, const struct chosen *chosen,
                        struct sup_error *error)
{
    struct cli_bar bar;
    int status = RB_OK;
    cli_bar_start_parts(&bar, "audit", chosen->count);
    for (int32_t i = 0; i < chosen->count && status == RB_OK; i++) {
        cli_bar_part(&bar, i);
        status = simulate_one(args, work, decider, chosen->name[i], error);
    }
    cli_bar_end(&bar);
    return status;
}

static int add_simulated(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    const char *const *platforms;
    struct decide_library decider;
    struct chosen collectives;
    int status = cli_refuse(args, "system|where|nodes|library|engine",
                            "has no meaning with --platform", error);
    const int32_t count = cli_args_texts(args, "platform", &platforms);
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = out_files_read("--platform", platforms[i], error);
    if (status == RB_OK)
        status = need_points(args, "--platform simulates", error);
    if (status == RB_OK)
        status = make_decider(args, work, &decider, error);
    if (status == RB_OK)
        status = choose_collectives(args, work, &decider, &collectives, error);
    if (status == RB_OK)
        status = simulate_all(args, work, &decider, &collectives, error);
    if (status == RB_OK && work->audit.call_count == 0)
        return fail_without_rules(args, error);
    return status;
}

/* ---- A sweep's results ----------------------------------------------------------------------- */

/* A results file is a database, which begins so; anything else has rows. */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = sup_got(fopen(path, "rb"));
    const bool begun = file != NULL && fread(head, 1, sizeof head, file) == sizeof head;
    if (file != NULL)
        fclose(file);
    return file == NULL || (begun && memcmp(head, magic, sizeof magic) == 0);
}

static int add_sweep(const struct cli_args *args, struct work *work,
                     const struct decide_library *decider, struct sup_error *error)
{
    struct decide_filter filters[POINT_PARAMETERS + 1];
    int status = cli_refuse(args, "system|where|nodes|library",
                            "has no meaning for a sweep's results", error);
    decide_filters_of(args, filters);
    if (status == RB_OK)
        status = decide_curves_load(cli_args_text(args, "results"), filters, &work->curves, error);
    if (status != RB_OK)
        return status;
    audit_add_results(&work->audit, &work->curves, decider);
    if (work->audit.call_count == 0)
        return sup_fail(error, RB_EINVAL, "%s: has no rule for any point of %s",
                        cli_args_operand(args), cli_args_text(args, "results"));
    return status;
}

static int add_results(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    struct decide_library decider;
    const char *results = cli_args_text(args, "results");
    int status = cli_refuse(args, of_simulation, "has no meaning with --results", error);
    if (status == RB_OK && sim_native_name(cli_args_operand(args)) != NULL)
        status = sup_fail(error, RB_EINVAL,
                          "%s: what SMPI chooses is simulated: add --platform, not --results",
                          cli_args_operand(args));
    if (status == RB_OK)
        status = make_decider(args, work, &decider, error);
    if (status != RB_OK)
        return status;
    if (is_database(results))
        return add_sweep(args, work, &decider, error);
    status = rows_refuse_filters(args, "has no meaning for measured rows", error);
    return status == RB_OK ? add_rows(args, work, results, &decider, error) : status;
}

/* ---- Predictions ----------------------------------------------------------------------------- */

/* Fits a model to the chosen rows that have plans; *like is the last of these. */
static int fit_rows(const struct cli_args *args, struct work *work, const struct rows_row **like,
                    struct sup_error *error)
{
    const struct predict_options options = {0};
    const char *file = cli_args_text(args, "fit");
    const struct rows_row **row;
    size_t planned = 0;
    int status = rows_take(args, file, NULL, ROWS_ONE_MACHINE, "--fit", &work->rows, error);
    for (size_t i = 0; i < work->rows.count && status == RB_OK; i++)
        if (work->rows.row[i]->algorithm != NULL)
            work->rows.row[planned++] = work->rows.row[i];
    row = work->rows.row;
    if (status == RB_OK && planned == 0)
        status =
            sup_fail(error, RB_EINVAL, "--fit: %s has no row of an algorithm with a plan", file);
    if (status != RB_OK)
        return status;
    *like = row[planned - 1];
    return predict_fit(row, (int32_t)planned, &options, &work->model, error);
}

static int predict_all(const struct cli_args *args, struct work *work,
                       const struct decide_library *decider, const struct chosen *chosen,
                       const struct rows_row *like, struct sup_error *error)
{
    struct audit_prediction prediction = {
        .model = work->model,
        .like = like,
        .p = cli_args_list(args, "ranks"),
        .m_bytes = cli_args_list(args, "bytes"),
        .ppn = cli_args_given(args, "ppn") ? (int32_t)cli_args_list(args, "ppn")->value[0] : 1};
    char source[300];
    int status = RB_OK;
    snprintf(source, sizeof source, "%s, predicted", like->system);
    for (int32_t i = 0; i < chosen->count && status == RB_OK; i++) {
        prediction.collective = chosen->name[i];
        status = audit_predict(&work->audit, source, decider, &prediction, error);
    }
    return status;
}

static int add_predicted(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    const struct rows_row *like = NULL;
    struct decide_library decider;
    struct chosen collectives;
    int status = cli_refuse(args, of_simulation, "has no meaning with --fit", error);
    if (status == RB_OK)
        status = rows_refuse_filters(args, "has no meaning with --fit", error);
    if (status == RB_OK)
        status = need_points(args, "--fit predicts", error);
    if (status == RB_OK && cli_args_given(args, "ppn") && cli_args_list(args, "ppn")->count > 1)
        status = sup_fail(error, RB_EINVAL, "--ppn: --fit takes one, not %zu",
                          cli_args_list(args, "ppn")->count);
    if (status == RB_OK && sim_native_name(cli_args_operand(args)) != NULL)
        status = sup_fail(error, RB_EINVAL, "%s: is simulated: add --platform, not --fit",
                          cli_args_operand(args));
    if (status == RB_OK)
        status = make_decider(args, work, &decider, error);
    if (status == RB_OK)
        status = choose_collectives(args, work, &decider, &collectives, error);
    if (status == RB_OK)
        status = fit_rows(args, work, &like, error);
    if (status == RB_OK)
        status = predict_all(args, work, &decider, &collectives, like, error);
    if (status == RB_OK && work->audit.call_count == 0)
        return fail_without_rules(args, error);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int read_source(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    if (cli_args_given(args, "results") && cli_args_given(args, "fit"))
        return sup_fail(error, RB_EINVAL, "--fit: has no meaning with --results");
    if (cli_args_given(args, "results"))
        return add_results(args, work, error);
    if (cli_args_given(args, "fit"))
        return add_predicted(args, work, error);
    if (cli_args_given(args, "platform"))
        return add_simulated(args, work, error);
    if (sim_native_name(cli_args_operand(args)) != NULL)
        return sup_fail(error, RB_EINVAL,
                        "--platform: missing: give --platform PLATFORM, on which %s is simulated",
                        cli_args_operand(args));
    return add_measured(args, work, error);
}

/* Adds the points: with --platform of simulations, with --results of a sweep or measured rows, with
 * --fit of predictions, else of the measured rows that the operand names. RB_EINVAL, with a message
 * that names the option or the file; RB_EIO, RB_EFAILED. */
static int read_points(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    const int status = read_source(args, work, error);
    for (int i = 0; i < DECIDE_REASONS && status == RB_OK; i++) {
        char *note = decide_say_left_out(&work->audit, (enum decide_reason)i);
        if (note != NULL)
            out_verdict_say(&work->rows.notes, "%s", note);
        free(note);
    }
    return status;
}

static void free_work(struct work *work)
{
    decide_free(&work->audit);
    predict_model_free(work->model);
    rows_taken_free(&work->rows);
    rules_file_free(work->rules);
    decide_curves_free(&work->curves);
}

/* ---- The verb -------------------------------------------------------------------------------- */

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
static const char *times_of(const struct cli_args *args, const struct work *work)
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
    return cli_args_given(args, "platform") || cli_args_given(args, "results") ||
                   cli_args_given(args, "fit")
               ? cli_args_operand(args)
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
static void print_text(const struct cli_args *args, const struct work *work, FILE *stream)
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
    out_verdict_lines(&verdict, screen && losses > 0 ? 2 : 1, stream);
    for (size_t i = 0; i < work->rows.notes.count; i++)
        out_say(stream, "%s.", work->rows.notes.sentence[i]);
    out_verdict_free(&verdict);
    if (screen)
        say_more(&work->audit, stream);
}

static int print_json(const struct cli_args *args, const struct work *work, FILE *stream)
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
                       const struct work *work, FILE *stream, struct sup_error *error)
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

static int print(const struct cli_args *args, const struct work *work, FILE *stream)
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
static int check_judged(const struct cli_args *args, const struct work *work,
                        struct sup_error *error)
{
    const struct decide *audit = &work->audit;
    if (judged_in(audit) > 0)
        return RB_OK;
    rows_taken_tell(&work->rows);
    const char *first = audit->calls[0].own.name;
    return sup_fail(error, audit->left_out[DECIDE_FAILED].count > 0 ? RB_EFAILED : RB_EINVAL,
                    "%s: nothing can be judged: of %zu point%s, %zu have no time of the choice and "
                    "%zu none of another choice of the library%s%s",
                    cli_args_operand(args), audit->call_count,
                    sup_plural((int64_t)audit->call_count), decide_count(audit, DECIDE_NO_TIME),
                    decide_count(audit, DECIDE_ALONE),
                    first == NULL ? "" : "; the first choice is ", first == NULL ? "" : first);
}

static int make(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    int status = check(args, error);
    if (status == RB_OK)
        status = read_points(args, work, error);
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
    struct work work = {0};
    struct out_file output = {0};
    struct sup_error error;
    int status = make(args, &work, &error);
    status = cli_fail(status, &error);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE)
        status = cli_finish_output(&output, print(args, &work, output.stream));
    free_work(&work);
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
