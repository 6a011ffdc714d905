/* simulate_workload.c - simulate --workload: reads and runs jobs on one platform, and draws them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/simulate.h"
#include "experiments/point/parameters.h"
#include "experiments/workload/parts.h"
#include "experiments/workload/workload_file.h"
#include "plots/report/page.h"

/* ---- The request ----------------------------------------------------------------------------- */

/* The options that mean something for a workload beside those that make pictures, and where the
 * file says what others say of one collective. */
static const char heeded[] = "platform|engine|overlap|jitter";
static const char of_job[] = "ranks|ppn|placement";
static const char of_run[] = "finish|links|diagnose|contention|network-map|trace|write-placement|"
                             "placement-format";

static int refuse(const struct cli_args *args, const char *file)
{
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const char *name = point_parameters[i].option.name;
        if (name == NULL || cli_args_option(args, name) == NULL || !cli_args_given(args, name) ||
            cli_word_is_among(name, heeded))
            continue;
        return cli_complain(CLI_EXIT_USAGE, "--%s: leave it out: %s says it, in %s", name, file,
                            cli_word_is_among(name, of_job) ? "a job" : "a step of a program");
    }
    const int refused =
        cli_refused(args, of_run, "is for one collective: leave it out, or --workload");
    if (refused != CLI_EXIT_DONE)
        return refused;
    if (cli_args_given(args, "engine-option") &&
        strcmp(cli_args_text(args, "engine"), "model") != 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--engine-option: with --workload only for --engine model: times "
                            "without contention are flow's, which has no such options");
    return CLI_EXIT_DONE;
}

void verb_workload_told(const struct sim_workload *workload)
{
    out_verdict_lines(workload_said(workload), 0, stderr);
}

int verb_workload_read(const struct cli_args *args, struct sim_workload *workload, int32_t *hosts)
{
    struct sup_error error;
    const char *file = cli_args_text(args, "workload");
    const int refused = refuse(args, file);
    if (refused != CLI_EXIT_DONE)
        return refused;
    const int status = workload_read(file, workload, &error);
    int64_t needed = 0, own = 0;
    for (int32_t j = 0; j < workload->jobs && status == RB_OK; j++) {
        const struct sim_job *job = &workload->job[j];
        for (int32_t i = 0; job->host != NULL && i < job->hosts; i++)
            own = job->host[i] >= own ? job->host[i] + 1 : own;
        needed += job->host == NULL ? job->hosts : 0;
    }
    *hosts = needed + own > INT32_MAX ? INT32_MAX : (int32_t)(needed + own);
    return cli_fail(status, &error);
}

/* ---- The run --------------------------------------------------------------------------------- */

static int ask(const struct sim_workload *workload, const struct point *point,
               const struct sim_observer *observer, bool contention, struct workload_answer *answer)
{
    struct sup_error error;
    struct cli_bar bar;
    const struct sim_meter meter = {cli_bar_share, &bar};
    const struct workload_question question = {
        .workload = workload,
        .engine = point->engine,
        .spec = {.platform = point->platform_text,
                 .ppn = 1,
                 .overlap = *point->overlap_rule,
                 .options = point->options,
                 .option_count = point->option_count,
                 .variant = point->engine_variant,
                 .want_contention = contention,
                 .observer = observer,
                 .meter = &meter},
        .copies = point->jitter,
    };
    cli_bar_start(&bar, "simulate", 0);
    const int status = workload_ask(&question, answer, &error);
    cli_bar_end(&bar);
    return cli_fail(status, &error);
}

/* What is shown of the run besides the answer. */
struct pictures {
    struct plot_look look;
    struct diag_program program;
    struct out_file report; /* open if requested */
};

/* --diagram, of the run that was observed. */
static int draw(const struct cli_args *args, const struct verb_workload *shown,
                struct pictures *pictures)
{
    struct sup_error error, why;
    char label[512], hash[64];
    snprintf(hash, sizeof hash, "platform hash %s", shown->point->platform_hash);
    snprintf(label, sizeof label, "engine %s, %s, %.60s", shown->point->engine_text,
             shown->point->overlap, shown->point->platform_text);
    pictures->program.file = cli_args_text(args, "diagram");
    pictures->program.look = &pictures->look;
    pictures->program.text =
        (struct plot_figure_text){.origin = {shown->file, shown->point->platform_text, hash, label},
                                  .labels = {shown->file, label}};
    const int status = diag_program_draw(&pictures->program, &why);
    if (status == RB_OK)
        plot_look_warn(&pictures->look);
    else
        sup_fail(&error, status, "--diagram: %s", why.text);
    return cli_fail(status, &error);
}

static int write_report(const struct cli_args *args, const struct verb_workload *shown,
                        struct pictures *pictures, const struct out_verdict *verdict)
{
    struct sup_error error;
    const struct sim_contention *contention = shown->answer->result.contention;
    json_t *data = page_workload_data(
        verb_workload_json(shown, verdict), page_origin("simulate", cli_args_words(args)),
        diag_program_json(&pictures->program), contention,
        contention == NULL ? NULL : diag_network_map_json(shown->point->platform_text, contention));
    return cli_fail(page_write(pictures->report.stream, data, &error), &error);
}

/* The pictures first: what fails then leaves no answer behind. */
static int show(const struct cli_args *args, const struct verb_workload *shown,
                struct pictures *pictures, FILE *stream)
{
    struct out_verdict verdict = {0};
    int status = CLI_EXIT_DONE;
    verb_workload_say(shown, &verdict);
    pictures->program.time_s = shown->answer->result.time_s;
    if (pictures->report.stream != NULL)
        status = write_report(args, shown, pictures, &verdict);
    if (status == CLI_EXIT_DONE && cli_args_given(args, "diagram"))
        status = draw(args, shown, pictures);
    if (status == CLI_EXIT_DONE)
        verb_workload_print(shown, &verdict, cli_args_format(args), stream);
    out_verdict_free(&verdict);
    return status;
}

/* Before the run: the look of the diagram, that it can be drawn, the report's file. */
static int prepare(const struct cli_args *args, struct pictures *pictures)
{
    struct sup_error error;
    const char *diagram = cli_args_text(args, "diagram"), *given = plot_look_given(args);
    if (diagram == NULL && given != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--%s: only with --diagram", given);
    int status = plot_look_of(args, DIAG_FIGURE_LACKS, "this picture", &pictures->look, &error);
    if (status == RB_OK && diagram != NULL)
        status = diag_picture_prepare("--diagram", diagram, &error);
    if (status == RB_OK && cli_args_given(args, "report"))
        status = out_open_for(&pictures->report, "report", cli_args_text(args, "report"), &error);
    return cli_fail(status, &error);
}

int verb_workload_simulate(const struct cli_args *args, struct sim_workload *workload,
                           const struct point *point)
{
    struct sup_error error;
    struct out_file output = {0};
    struct workload_answer answer = {0};
    struct pictures pictures = {.program.workload = workload};
    const struct sim_observer observer = diag_program_observer(&pictures.program);
    const struct verb_workload shown = {workload, &answer, point, cli_args_text(args, "workload"),
                                        cli_details(args)};
    const bool reports = cli_args_given(args, "report");
    int status = cli_fail(workload_settle(workload, point->platform, &error), &error);
    if (status == CLI_EXIT_DONE)
        status = prepare(args, &pictures);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE) {
        status = ask(workload, point, reports || cli_args_given(args, "diagram") ? &observer : NULL,
                     reports && point->engine->measures_links, &answer);
        if (status == CLI_EXIT_DONE)
            status = show(args, &shown, &pictures, output.stream);
        status = cli_finish_output(&output, status);
    }
    if (status == CLI_EXIT_DONE)
        verb_workload_told(workload);
    if (pictures.report.stream != NULL)
        status = cli_finish_output(&pictures.report, status);
    free(pictures.program.end);
    plot_look_free(&pictures.look);
    workload_answer_free(&answer);
    return status;
}
