#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "command/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plots/report/page.h"
#include "plots/run/pictures.h"
#include "studies/diagnosis/diagnosis_report.h"
#include "support/memory.h"

/* The first option given that takes single messages, or NULL. */
static const char *first_asked(const struct cli_args *args)
{
    return cli_args_first(args, "diagnose|diagram|trace|report");
}

static int open_trace(struct verb_inspection *inspection, const char *file, struct sup_error *error)
{
    const int status = diag_trace_check_name(file, error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "--trace: %s", error->text);
    const int opened = out_open_for(&inspection->trace, "trace", file, error);
    return opened == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(opened), "%s", error->text);
}

static int ask_contention(const char *file, const struct sim_engine *engine, struct sim_spec *spec)
{
    struct sup_error error;
    if (!engine->measures_links)
        return cli_complain(CLI_EXIT_USAGE,
                            "--contention: the engine %s doesn't know how busy links are at what "
                            "time: use --engine flow",
                            engine->name);
    spec->want_contention = true;
    const int status = diag_picture_prepare("--contention", file, &error);
    return cli_fail(status, &error);
}

/* The map needs all links, even if --links doesn't ask for them in the printed result. */
static int open_map(struct verb_inspection *inspection, const char *file,
                    const struct sim_engine *engine, struct sim_spec *spec)
{
    struct sup_error error, why;
    if (!engine->counts_links)
        return cli_complain(CLI_EXIT_USAGE,
                            "--network-map: the engine %s doesn't know what links carry: use "
                            "--engine flow or simgrid",
                            engine->name);
    spec->want_links = INT32_MAX;
    int status = diag_network_map_check(file, spec->platform, &why);
    if (status != RB_OK)
        sup_fail(&error, status, "--network-map: %s", why.text);
    else
        status = out_open_for(&inspection->map, "network-map", file, &error);
    return cli_fail(status, &error);
}

/* A report shows the links, even if --links doesn't ask for them in the printed result. */
static int open_report(struct verb_inspection *inspection, const char *file,
                       const struct sim_engine *engine, struct sim_spec *spec)
{
    struct sup_error error;
    const int status = out_open_for(&inspection->report, "report", file, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    if (engine->counts_links && spec->want_links < PAGE_MOST_LINK_ROWS)
        spec->want_links = PAGE_MOST_LINK_ROWS;
    if (engine->measures_links)
        spec->want_contention = true;
    return CLI_EXIT_DONE;
}

bool verb_inspection_look(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(DIAG_FIGURE_LACKS, i, option);
}

static int read_look(const struct cli_args *args, struct plot_look *look)
{
    struct sup_error error;
    const char *given = plot_look_given(args);
    if (given != NULL && !cli_args_given(args, "diagram") && !cli_args_given(args, "contention") &&
        !cli_args_given(args, "network-map"))
        return cli_complain(CLI_EXIT_USAGE,
                            "--%s: only with --diagram, --contention or --network-map", given);
    const int status = plot_look_of(args, DIAG_FIGURE_LACKS, "these pictures", look, &error);
    return cli_fail(status, &error);
}

/* Text says why a time is more than so many times the bound, if the messages fit into memory, and
 * which change helps, of those that take no longer than the run. */
enum { SLOW_RATIO = 2, MOST_RECORDED = 1 << 20 };
static const double LEAST_TRIES_S = 0.2;

int verb_inspection_open(struct verb_inspection *inspection, const struct cli_args *args,
                         const struct point *point, struct sim_spec *spec)
{
    const struct sim_engine *const engine = point->engine;
    const char *const option = first_asked(args), *const diagram = cli_args_text(args, "diagram"),
                      *const trace = cli_args_text(args, "trace"),
                      *const contention = cli_args_text(args, "contention"),
                      *const map = cli_args_text(args, "network-map");
    struct sup_error error;
    const char *const report = cli_args_text(args, "report");
    *inspection = (struct verb_inspection){
        .args = args, .any = option != NULL, .asked_links = spec->want_links};
    const int seen = read_look(args, &inspection->look);
    if (seen != CLI_EXIT_DONE)
        return seen;
    if (contention != NULL) {
        const int asked = ask_contention(contention, engine, spec);
        if (asked != CLI_EXIT_DONE)
            return asked;
    }
    if (map != NULL) {
        const int opened = open_map(inspection, map, engine, spec);
        if (opened != CLI_EXIT_DONE)
            return opened;
    }
    inspection->slow = option == NULL && engine->observes && point->engine_variant == NULL &&
                       spec->plan != NULL && cli_args_format(args) == OUT_TEXT &&
                       !cli_details(args) &&
                       rb_plan_rounds(spec->plan) <= MOST_RECORDED / point->plan.p;
    inspection->observer = obs_recording_observer(&inspection->recording);
    if (inspection->slow)
        spec->observer = &inspection->observer;
    if (!inspection->any)
        return CLI_EXIT_DONE;
    if (!engine->observes)
        return cli_complain(CLI_EXIT_USAGE,
                            "--%s: the engine %s doesn't report single messages: use simgrid or "
                            "model",
                            option, engine->name);
    const int status = diagram != NULL ? diag_picture_prepare("--diagram", diagram, &error) : RB_OK;
    if (status != RB_OK)
        return cli_fail(status, &error);
    if (engine->counts_links && spec->want_links < DIAG_LINKS)
        spec->want_links = DIAG_LINKS; /* for the verdict */
    spec->observer = &inspection->observer;
    const int opened = trace != NULL ? open_trace(inspection, trace, &error) : CLI_EXIT_DONE;
    return opened == CLI_EXIT_DONE && report != NULL ? open_report(inspection, report, engine, spec)
                                                     : opened;
}

/* What made a picture, and its two lines of text. */
struct texts {
    struct verb_simulated_lines lines;
    char label1[512], label2[256], hash[64];
};

static struct plot_figure_text write_texts(const struct verb_simulated *simulated,
                                           struct texts *texts)
{
    const struct point *point = simulated->point;
    char bytes[32];
    const bool in_order = point->placement_rule->rule == SIM_BLOCK;
    verb_simulated_lines(simulated, &texts->lines);
    snprintf(texts->hash, sizeof texts->hash, "platform hash %s", point->platform_hash);
    snprintf(texts->label1, sizeof texts->label1, "%s %s, p = %" PRId32 ", n = %" PRId64 ", m = %s",
             point->plan.collective, point->plan.algorithm, point->plan.p, point->plan.n,
             sup_format_shown(point->m_bytes, bytes, sizeof bytes));
    snprintf(texts->label2, sizeof texts->label2, "engine %s, %s, %.63s%s%.60s", point->engine_text,
             point->overlap, in_order ? "" : point->placement, in_order ? "" : ", ",
             point->platform_text);
    return (struct plot_figure_text){
        .origin = {texts->lines.plan, texts->lines.platform, texts->hash, texts->lines.engine},
        .labels = {texts->label1, texts->label2}};
}

static int draw(const struct verb_inspection *inspection, const struct verb_simulated *simulated,
                const struct obs_diagnosis *diagnosis, struct sup_error *error)
{
    struct texts texts;
    const struct diag_diagram diagram = {
        .file = cli_args_text(inspection->args, "diagram"),
        .text = write_texts(simulated, &texts),
        .look = &inspection->look,
        .spec = &simulated->run->spec,
        .recording = &inspection->recording,
        .diagnosis = diagnosis,
    };
    struct sup_error why;
    const int status = diag_diagram_draw(&diagram, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--diagram: %s", why.text);
}

static int draw_contention(const struct verb_inspection *inspection,
                           const struct verb_simulated *simulated, struct sup_error *error)
{
    struct texts texts;
    const struct diag_contention picture = {
        .file = cli_args_text(inspection->args, "contention"),
        .text = write_texts(simulated, &texts),
        .look = &inspection->look,
        .contention = simulated->run->result.contention,
    };
    struct sup_error why;
    const int status = diag_contention_draw(&picture, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--contention: %s", why.text);
}

static int draw_map(struct verb_inspection *inspection, const struct verb_simulated *simulated,
                    struct sup_error *error)
{
    struct texts texts;
    const struct diag_network_map picture = {
        .platform = simulated->run->spec.platform,
        .text = write_texts(simulated, &texts),
        .look = &inspection->look,
        .result = &simulated->run->result,
    };
    return diag_network_map_draw(&picture, inspection->map.stream, error);
}

static void write_trace(struct verb_inspection *inspection, const struct verb_simulated *simulated,
                        const struct obs_diagnosis *diagnosis)
{
    struct verb_simulated_lines lines;
    verb_simulated_lines(simulated, &lines);
    const struct diag_trace trace = {
        .plan = lines.plan,
        .platform = lines.platform,
        .engine = lines.engine,
        .version = cli_program_version,
        .spec = &simulated->run->spec,
        .recording = &inspection->recording,
        .diagnosis = diagnosis,
    };
    diag_trace_write(&trace, inspection->trace.stream);
}

static int write_report(struct verb_inspection *inspection, const struct verb_simulated *simulated,
                        const struct obs_diagnosis *diagnosis, const struct out_verdict *verdict,
                        struct sup_error *error)
{
    struct verb_simulated whole = *simulated;
    whole.diagnosis = diagnosis;
    whole.verdict = verdict;
    const struct page_run run = {
        .simulated = verb_simulated_json(&whole),
        .origin = page_origin("simulate", cli_args_words(inspection->args)),
        .spec = &simulated->run->spec,
        .result = &simulated->run->result,
        .recording = &inspection->recording,
        .path = &diagnosis->path,
        .map = simulated->run->result.contention == NULL
                   ? NULL
                   : diag_network_map_json(simulated->run->spec.platform,
                                           simulated->run->result.contention),
    };
    return page_write(inspection->report.stream, page_run_data(&run), error);
}

/* The pictures and the trace. */
static int draw_all(struct verb_inspection *inspection, const struct verb_simulated *simulated,
                    const struct obs_diagnosis *diagnosis, const struct out_verdict *verdict,
                    struct sup_error *error)
{
    int status = RB_OK;
    if (inspection->trace.stream != NULL)
        write_trace(inspection, simulated, diagnosis);
    if (inspection->report.stream != NULL)
        status = write_report(inspection, simulated, diagnosis, verdict, error);
    if (status == RB_OK && cli_args_given(inspection->args, "diagram"))
        status = draw(inspection, simulated, diagnosis, error);
    if (status == RB_OK && cli_args_given(inspection->args, "contention"))
        status = draw_contention(inspection, simulated, error);
    if (status == RB_OK && inspection->map.stream != NULL)
        status = draw_map(inspection, simulated, error);
    return status;
}

/* What bounds the time and what would mend it, for people and programs that read sentences; of slow
 * runs one sentence each. */
static void say_verdict(const struct verb_inspection *inspection,
                        const struct verb_simulated *simulated,
                        const struct obs_diagnosis *diagnosis, struct out_verdict *verdict)
{
    const struct diag_subject subject = {&simulated->run->spec, &simulated->run->result, diagnosis};
    const bool diagnose =
        cli_args_flag(inspection->args, "diagnose") && cli_args_format(inspection->args) != OUT_CSV;
    const double cost_s = simulated->point->cost_s;
    if (!diagnose && inspection->report.stream == NULL && !inspection->slow)
        return;
    diag_verdict(&subject, verdict);
    if (verdict->count > 0)
        verb_tries_say(simulated->point, simulated->outcome,
                       inspection->slow ? fmax(cost_s, LEAST_TRIES_S) : 2 * cost_s + 1,
                       inspection->slow, verdict);
}

/* The report is made first and shown last: what fails then leaves no picture, or no report. */
int verb_inspection_print(struct verb_inspection *inspection,
                          const struct verb_simulated *simulated, FILE *stream)
{
    struct sup_error error;
    struct obs_diagnosis diagnosis = {0};
    struct out_verdict verdict = {0};
    struct verb_simulated printed = *simulated;
    struct point_run shown = *simulated->run; /* without the links that only the report shows */
    char *report = NULL;
    size_t size = 0;
    int status = RB_OK;
    inspection->slow = inspection->slow && simulated->outcome->time_over_bound > SLOW_RATIO;
    inspection->any = inspection->any || inspection->slow;
    if (inspection->any)
        status = obs_recording_close(&inspection->recording, simulated->point->plan.p, &error);
    if (status == RB_OK && inspection->any)
        status = obs_diagnose(&simulated->run->spec, &simulated->run->result,
                              &inspection->recording, &diagnosis, &error);
    if (status == RB_OK && inspection->any)
        say_verdict(inspection, simulated, &diagnosis, &verdict);
    shown.spec.want_links = inspection->asked_links;
    if (shown.result.link_count > inspection->asked_links)
        shown.result.link_count = inspection->asked_links;
    printed.run = &shown;
    if (cli_args_flag(inspection->args, "diagnose")) {
        printed.diagnosis = &diagnosis;
        printed.verdict = &verdict;
    }
    if (inspection->slow)
        printed.verdict = &verdict;
    if (status == RB_OK) {
        FILE *memory = sup_memory_open(&report, &size);
        verb_print_simulated(&printed, cli_args_format(inspection->args), memory);
        sup_memory_close(memory, &report);
        status = draw_all(inspection, simulated, &diagnosis, &verdict, &error);
    }
    if (status == RB_OK) {
        plot_look_warn(&inspection->look);
        fwrite(report, 1, size, stream);
    }
    free(report);
    obs_diagnosis_free(&diagnosis);
    out_verdict_free(&verdict);
    return cli_fail(status, &error);
}

int verb_inspection_close(struct verb_inspection *inspection, int status)
{
    obs_recording_free(&inspection->recording);
    plot_look_free(&inspection->look);
    if (inspection->report.stream != NULL)
        status = cli_finish_output(&inspection->report, status);
    if (inspection->map.stream != NULL)
        status = cli_finish_output(&inspection->map, status);
    return inspection->trace.stream != NULL ? cli_finish_output(&inspection->trace, status)
                                            : status;
}
