/* recommend_workload.c - recommend --workload: what a library's choices cost a program, and the
 * rules that save it seconds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/simulate.h"
#include "command/verbs.h"
#include "experiments/workload/parts.h"
#include "experiments/workload/together.h"
#include "mpi/vendors/choices/choices.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/output/verdict.h"
#include "support/units.h"

struct advice {
    const struct verb_recommend_workload *asked;
    struct sim_workload workload;
    struct decide decision;
    struct workload_tuned tuned;
    struct workload_answer before, after; /* by the library's choices, and by the rules */
    char **took;                          /* per step of all jobs: before */
    int32_t steps, stays; /* of all jobs; those that no library's choice has a plan for */
    char *text;           /* of the rules */
    size_t size;
    struct rules_notes notes;
};

/* What the rules save; less than this share of the time is nothing worth a file. */
static const double WORTH = 0.005;

static double saved_s(const struct advice *advice)
{
    return advice->before.result.time_s - advice->after.result.time_s;
}

static bool is_worth(const struct advice *advice)
{
    return saved_s(advice) > WORTH * advice->before.result.time_s;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const struct sim_spec blocking = {.ppn = 1, .overlap = {.rule = SIM_BLOCKING}};

static int ask(struct advice *advice, struct workload_answer *answer, struct sup_error *error)
{
    struct workload_question question = {
        .workload = &advice->workload, .engine = sim_engine_find("flow"), .spec = blocking};
    question.spec.platform = advice->asked->platform->text;
    return workload_ask(&question, answer, error);
}

static int tune(struct advice *advice, struct sup_error *error)
{
    const struct rules_format *format = advice->asked->format;
    struct cli_bar bar;
    struct workload_tune_request request = {.workload = &advice->workload,
                                            .engine = sim_engine_find("flow"),
                                            .spec = blocking,
                                            .limit_s = advice->asked->budget_s,
                                            .library = format->library,
                                            .version = format->version,
                                            .tell = cli_bar_share,
                                            .context = &bar};
    request.spec.platform = advice->asked->platform->text;
    cli_bar_start(&bar, "recommend", 0);
    const int status = workload_tune(&request, &advice->decision, &advice->tuned, error);
    cli_bar_end(&bar);
    return status;
}

/* What a step does: the algorithm of its largest communicators; NULL: it is no collective. */
static char *taken_by(struct advice *advice, int32_t j, int32_t s)
{
    struct sim_workload *workload = &advice->workload;
    const struct sim_job *job = &workload->job[j];
    struct sim_step_plan of;
    struct sup_error why;
    if (job->step[s].kind != SIM_MOVE || workload_move_of(workload, j, s)->pattern != NULL)
        return NULL;
    const struct sim_communicators *set = &job->set[job->step[s].set];
    if (workload->plan_of(workload->context, j, s, set->shape[set->shapes - 1], 0, &of, &why) !=
        RB_OK)
        return NULL;
    const char *name = rb_plan_algorithm(of.plan)->name;
    return rb_plan_n(of.plan) == 1 ? sup_strdup(name)
                                   : sup_format("%s, n %" PRId64, name, rb_plan_n(of.plan));
}

static int make_rules(struct advice *advice, struct sup_error *error)
{
    const struct rules_request rules = {
        .format = advice->asked->format, .element_bytes = 1, .tolerance = 0.02};
    const struct rules_head head = {.source = advice->asked->file, .base = advice->asked->base};
    return decide_make_rules(&advice->decision, &rules, 0, &head, &advice->text, &advice->size,
                             &advice->notes, error);
}

/* The library decides; then the choices are sought; then it decides by their rules. */
static int advise(struct advice *advice, struct sup_error *error)
{
    struct sim_workload *workload = &advice->workload;
    const struct verb_recommend_workload *asked = advice->asked;
    advice->stays = workload_let_library(workload, asked->format, NULL, 0);
    int status = workload_own_by_base(workload, asked->format, asked->base, error);
    if (status == RB_OK)
        status = ask(advice, &advice->before, error);
    for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++)
        for (int32_t s = 0; s < workload->job[j].steps; s++) {
            sup_grow(&advice->took, (size_t)advice->steps, sizeof *advice->took);
            advice->took[advice->steps++] = taken_by(advice, j, s);
        }
    if (status == RB_OK)
        status = tune(advice, error);
    if (status == RB_OK)
        status = make_rules(advice, error);
    if (status != RB_OK)
        return status;
    workload_let_library(workload, asked->format, advice->text, advice->size);
    status = workload_own_by_base(workload, asked->format, asked->base, error);
    return status == RB_OK ? ask(advice, &advice->after, error) : status;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* A step, or what follows a rank's last one, of which the rules change the time. */
struct row {
    const char *job, *step, *own, *choice;
    int32_t line;
    double before_s, after_s, saved_s;
};

static const struct out_column columns[] = {
    {"job", .kind = OUT_WORD, OUT_OF(struct row, job)},
    {"step", "step", OUT_WORD, .width = -18, .less = OUT_KEPT, OUT_OF(struct row, step)},
    {"line", "line", OUT_COUNT, .width = 4, .less = 3, OUT_OF(struct row, line), .positive = true},
    {"own", "the library's", OUT_WORD, .width = -16, .gap = 2, .less = 2, OUT_OF(struct row, own)},
    {"choice", "by the rules", OUT_WORD, .width = -16, .less = 1, OUT_OF(struct row, choice)},
    {"before_s", "takes", OUT_SECONDS, .width = 8, .less = OUT_KEPT, OUT_OF(struct row, before_s)},
    {"after_s", "then", OUT_SECONDS, .width = 8, .less = 4, OUT_OF(struct row, after_s)},
    {"saved_s", "saved", OUT_SECONDS, .width = 8, .less = OUT_KEPT, OUT_OF(struct row, saved_s)},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

/* Of what is started the time shows where it is waited for. */
static bool is_started(const struct row *row)
{
    return isnan(row->saved_s);
}

static bool is_changed(const struct row *row)
{
    return row->own != NULL && row->choice != NULL && strcmp(row->own, row->choice) != 0;
}

static int by_saved(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    const double left_s = is_started(left) ? 0 : fabs(left->saved_s),
                 right_s = is_started(right) ? 0 : fabs(right->saved_s);
    return left_s != right_s ? (left_s < right_s) - (left_s > right_s)
                             : is_changed(right) - is_changed(left);
}

/* All rows, those that save most first. The caller frees them, and their choices. */
static size_t make_rows(struct advice *advice, struct row **rows)
{
    struct sim_workload *workload = &advice->workload;
    size_t count = 0, step = 0;
    *rows = sup_calloc((size_t)(advice->steps + workload->jobs) + 1, sizeof **rows);
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        for (int32_t s = 0; s <= job->steps && !job->until_others; s++) {
            struct row *row = &(*rows)[count++];
            const bool end = s == job->steps, started = !end && job->step[s].label >= 0;
            *row = (struct row){
                .job = job->name,
                .step = end ? "after its last step" : job->step[s].name,
                .line = end ? 0 : job->step[s].line,
                .own = end ? NULL : advice->took[step + (size_t)s],
                .choice = end ? NULL : taken_by(advice, j, s),
                .before_s = started ? NAN : advice->before.account[j].row[s].s[WORKLOAD_TIME],
                .after_s = started ? NAN : advice->after.account[j].row[s].s[WORKLOAD_TIME],
            };
            row->saved_s = row->before_s - row->after_s;
        }
        step += (size_t)job->steps;
    }
    qsort(*rows, count, sizeof **rows, by_saved);
    return count;
}

/* How the program runs before: as the library decides, if it is known how. */
static const char *own_words(const struct advice *advice, char words[64])
{
    const char *library = advice->asked->format->library;
    snprintf(words, 64, mpilib_chooses(library) ? "with %s's own choices" : "as the file has it",
             sup_library_title(library));
    return words;
}

/* The mean of the jobs' shares that are computing, by their times. */
static double computing_share(const struct advice *advice)
{
    double computing_s = 0, time_s = 0;
    for (int32_t j = 0; j < advice->before.jobs; j++) {
        const double *s = advice->before.account[j].whole.s;
        computing_s += s[WORKLOAD_COMPUTING];
        time_s += s[WORKLOAD_TIME];
    }
    return time_s > 0 ? computing_s / time_s : 0;
}

static void say(const struct advice *advice, FILE *stream)
{
    const struct verb_recommend_workload *asked = advice->asked;
    const double time_s = advice->before.result.time_s;
    char before[32], after[32], saved[32], own[64], share[OUT_WORDS], gain[OUT_WORDS];
    sup_format_seconds(time_s, before, sizeof before);
    sup_format_seconds(advice->after.result.time_s, after, sizeof after);
    sup_format_seconds(fabs(saved_s(advice)), saved, sizeof saved);
    out_percent(computing_share(advice), share);
    out_percent(fabs(saved_s(advice)) / time_s, gain);
    if (is_worth(advice))
        out_say(stream,
                "With rules of its own for %s %s takes %s on %s, %s %s: %s saved, %s of a run.",
                sup_library_title(asked->format->library), asked->file, after,
                asked->platform->text, own_words(advice, own), before, saved, gain);
    else
        out_say(stream,
                "Nothing worth changing: %s takes %s on %s %s, %s of it computing, and %s with the "
                "best rules that were found. No rules are written.",
                asked->file, before, asked->platform->text, own_words(advice, own), share, after);
}

static void print_text(struct advice *advice, const struct row rows[], size_t count, FILE *stream)
{
    enum { SCREEN = 10 };
    size_t shown = 0;
    double rest_s = 0;
    char text[32], share[OUT_WORDS];
    say(advice, stream);
    fputc('\n', stream);
    const double least_s = advice->before.result.time_s * 1e-3;
    for (size_t i = 0; i < count && is_worth(advice); i++) {
        union out_cell cells[OUT_COUNT_OF(columns)];
        const void *const structs[] = {&rows[i]};
        if (shown == SCREEN || (!is_changed(&rows[i]) && !(fabs(rows[i].saved_s) >= least_s))) {
            rest_s += is_started(&rows[i]) ? 0 : rows[i].saved_s;
            continue;
        }
        if (shown++ == 0)
            out_text_heading(&table, stream);
        out_cells(&table, structs, cells);
        out_text_row(&table, cells, stream);
    }
    if (is_worth(advice))
        out_say(stream, "\n%s of the time was computing%s%s.",
                out_percent(computing_share(advice), share),
                fabs(rest_s) < least_s ? ""
                : rest_s > 0           ? "; other steps save "
                                       : "; others lose ",
                fabs(rest_s) < least_s ? "" : sup_format_seconds(fabs(rest_s), text, sizeof text));
    out_say(stream,
            "Times are simulated, by flow, blocking, %" PRId32
            " runs of the whole%s: try the rules before everybody uses them.",
            advice->tuned.runs + 2,
            advice->tuned.is_settled ? "" : ", after which the search had no time left");
    if (advice->stays > 0 && mpilib_chooses(advice->asked->format->library))
        out_say(stream,
                "Of %" PRId32 " step%s there is no plan of what the library takes: as in the file.",
                advice->stays, sup_plural(advice->stays));
    out_more(stream, "-o rules.conf, --format json, simulate --workload (where the time goes)");
}

static void print_json(struct advice *advice, const struct row rows[], size_t count, FILE *stream)
{
    const struct verb_recommend_workload *asked = advice->asked;
    json_t *head = json_object(), *steps = json_array(), *notes = json_array();
    json_object_set_new(head, "workload", out_json_text(asked->file));
    json_object_set_new(head, "platform", out_json_text(asked->platform->text));
    json_object_set_new(head, "library", json_string(asked->format->library));
    json_object_set_new(head, "before_s", out_json_real(advice->before.result.time_s));
    json_object_set_new(head, "after_s", out_json_real(advice->after.result.time_s));
    json_object_set_new(head, "saved_s", out_json_real(saved_s(advice)));
    json_object_set_new(head, "computing_share", out_json_real(computing_share(advice)));
    json_object_set_new(head, "worth", json_boolean(is_worth(advice)));
    json_object_set_new(head, "settled", json_boolean(advice->tuned.is_settled));
    for (size_t i = 0; i < count; i++) {
        union out_cell cells[OUT_COUNT_OF(columns)];
        const void *const structs[] = {&rows[i]};
        out_cells(&table, structs, cells);
        json_array_append_new(steps, out_json_row(&table, cells));
    }
    for (size_t i = 0; i < advice->notes.count; i++)
        json_array_append_new(notes, out_json_text(advice->notes.line[i]));
    json_object_set_new(head, "steps", steps);
    json_object_set_new(head, "notes", notes);
    out_json_print(stream, head, 15);
}

static int write_rules(const struct advice *advice, const char *path, struct sup_error *error)
{
    struct out_file rules = {0};
    int status = out_open(&rules, path, error);
    if (status != RB_OK)
        return status;
    fwrite(advice->text, 1, advice->size, rules.stream);
    status = out_close(&rules, error);
    out_discard(&rules);
    return status;
}

static int print(const struct cli_args *args, struct advice *advice)
{
    struct out_file page = {0};
    struct sup_error error;
    struct row *rows;
    const char *path = cli_args_text(args, "output");
    int status = RB_OK;
    if (path != NULL && is_worth(advice))
        status = write_rules(advice, path, &error);
    const bool piped = path != NULL && strcmp(path, "-") == 0;
    if (piped && !is_worth(advice))
        say(advice, stderr);
    if (status != RB_OK || piped)
        return cli_fail(status, &error);
    status = out_open(&page, NULL, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    const size_t count = make_rows(advice, &rows);
    if (strcmp(cli_args_text(args, "format"), "json") == 0) {
        print_json(advice, rows, count, page.stream);
    } else {
        out_show(&page);
        print_text(advice, rows, count, page.stream);
    }
    for (size_t i = 0; i < count; i++)
        free((void *)rows[i].choice);
    free(rows);
    return cli_finish_output(&page, CLI_EXIT_DONE);
}

int verb_recommend_for_workload(const struct cli_args *args,
                                const struct verb_recommend_workload *asked)
{
    struct advice advice = {.asked = asked};
    struct sup_error error;
    const int32_t per_node = point_ranks_per_node(asked->platform->text, 1);
    int64_t nodes = 0;
    int status = workload_read(asked->file, &advice.workload, &error);
    for (int32_t j = 0; j < advice.workload.jobs && status == RB_OK; j++)
        nodes += (advice.workload.job[j].hosts + per_node - 1) / per_node;
    if (status == RB_OK && nodes > asked->nodes)
        status = sup_fail(&error, RB_EINVAL, "--nodes: %" PRId32 ", and %s needs %" PRId64,
                          asked->nodes, asked->file, nodes);
    if (status == RB_OK)
        status = workload_settle(&advice.workload, asked->platform, &error);
    if (status == RB_OK)
        status = advise(&advice, &error);
    int exit_status = cli_fail(status, &error);
    if (exit_status == CLI_EXIT_DONE)
        exit_status = print(args, &advice);
    if (exit_status == CLI_EXIT_DONE)
        verb_workload_told(&advice.workload);
    for (int32_t i = 0; i < advice.steps; i++)
        free(advice.took[i]);
    free(advice.took);
    free(advice.text);
    decide_free(&advice.decision);
    workload_answer_free(&advice.before);
    workload_answer_free(&advice.after);
    sim_workload_free(&advice.workload);
    return exit_status;
}
