/* audit_sources.c - see audit_sources.h. */
#include "command/audit_sources.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/tune_search.h"
#include "experiments/decide/curves.h"
#include "experiments/point/point.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/output/files.h"

static const char *operand_of(const struct cli_args *args)
{
    const char *const *operands;
    cli_args_operands(args, &operands);
    return operands[0];
}

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
static int add_rows(const struct cli_args *args, struct verb_audit_work *work, const char *file,
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
                        operand_of(args), decider->library, count, file);
    if (work->audit.call_count == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: has no rule for what %s has times of, among %zu rows",
                        operand_of(args), file, count);
    return RB_OK;
}

static int add_measured(const struct cli_args *args, struct verb_audit_work *work,
                        struct sup_error *error)
{
    static const char why[] = "has no meaning for measured rows: add --platform or --results";
    const char *file = operand_of(args);
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
static int make_decider(const struct cli_args *args, struct verb_audit_work *work,
                        struct decide_library *decider, struct sup_error *error)
{
    const char *operand = operand_of(args);
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
                    operand_of(args));
}

struct chosen {
    const char *name[64];
    int32_t count;
};

/* The collectives that are named, or all, for which the file has rules; of natives those that are
 * named, or the broadcast. RB_EINVAL if there is none, before anything that takes long. */
static int choose_collectives(const struct cli_args *args, struct verb_audit_work *work,
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

static int simulate_one(const struct cli_args *args, struct verb_audit_work *work,
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

static int simulate_all(const struct cli_args *args, struct verb_audit_work *work,
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

static int add_simulated(const struct cli_args *args, struct verb_audit_work *work,
                         struct sup_error *error)
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

static int add_sweep(const struct cli_args *args, struct verb_audit_work *work,
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
        return sup_fail(error, RB_EINVAL, "%s: has no rule for any point of %s", operand_of(args),
                        cli_args_text(args, "results"));
    return status;
}

static int add_results(const struct cli_args *args, struct verb_audit_work *work,
                       struct sup_error *error)
{
    struct decide_library decider;
    const char *results = cli_args_text(args, "results");
    int status = cli_refuse(args, of_simulation, "has no meaning with --results", error);
    if (status == RB_OK && sim_native_name(operand_of(args)) != NULL)
        status = sup_fail(error, RB_EINVAL,
                          "%s: what SMPI chooses is simulated: add --platform, not --results",
                          operand_of(args));
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
static int fit_rows(const struct cli_args *args, struct verb_audit_work *work,
                    const struct rows_row **like, struct sup_error *error)
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

static int predict_all(const struct cli_args *args, struct verb_audit_work *work,
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

static int add_predicted(const struct cli_args *args, struct verb_audit_work *work,
                         struct sup_error *error)
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
    if (status == RB_OK && sim_native_name(operand_of(args)) != NULL)
        status = sup_fail(error, RB_EINVAL, "%s: is simulated: add --platform, not --fit",
                          operand_of(args));
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

static int read_source(const struct cli_args *args, struct verb_audit_work *work,
                       struct sup_error *error)
{
    if (cli_args_given(args, "results") && cli_args_given(args, "fit"))
        return sup_fail(error, RB_EINVAL, "--fit: has no meaning with --results");
    if (cli_args_given(args, "results"))
        return add_results(args, work, error);
    if (cli_args_given(args, "fit"))
        return add_predicted(args, work, error);
    if (cli_args_given(args, "platform"))
        return add_simulated(args, work, error);
    if (sim_native_name(operand_of(args)) != NULL)
        return sup_fail(error, RB_EINVAL,
                        "--platform: missing: give --platform PLATFORM, on which %s is simulated",
                        operand_of(args));
    return add_measured(args, work, error);
}

int verb_audit_read(const struct cli_args *args, struct verb_audit_work *work,
                    struct sup_error *error)
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

void verb_audit_work_free(struct verb_audit_work *work)
{
    decide_free(&work->audit);
    predict_model_free(work->model);
    rows_taken_free(&work->rows);
    rules_file_free(work->rules);
    decide_curves_free(&work->curves);
}
