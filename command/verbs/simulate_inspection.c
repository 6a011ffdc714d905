/* simulate_inspection.c - see simulate_inspection.h. */
#include "command/verbs/simulate_inspection.h"

#include <inttypes.h>

#include "experiments/diagnosis/diagram.h"

/* The first option given that takes single messages, or NULL. */
static const char *first_asked(const struct cli_args *args)
{
    static const char *const names[] = {"diagnose", "diagram", "trace"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cli_args_given(args, names[i]))
            return names[i];
    return NULL;
}

static int complain_of(const char *option, int status, const struct sup_error *error)
{
    return cli_complain(cli_exit_of(status), "--%s: %s", option, error->text);
}

static int open_trace(struct verb_inspection *inspection, const char *file, struct sup_error *error)
{
    const int status = diag_trace_format_of(file, &inspection->trace_format, error);
    if (status != RB_OK)
        return complain_of("trace", status, error);
    const int opened = out_open_for(&inspection->trace, "trace", file, error);
    return opened == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(opened), "%s", error->text);
}

int verb_inspection_open(struct verb_inspection *inspection, const struct cli_args *args,
                         const struct sim_engine *engine, struct sim_spec *spec)
{
    const char *const option = first_asked(args), *const diagram = cli_args_text(args, "diagram"),
                      *const trace = cli_args_text(args, "trace");
    struct sup_error error;
    *inspection = (struct verb_inspection){.args = args, .any = option != NULL};
    if (!inspection->any)
        return CLI_EXIT_DONE;
    if (!engine->observes)
        return cli_complain(CLI_EXIT_USAGE,
                            "--%s: the engine %s doesn't report single messages: use simgrid or "
                            "model",
                            option, engine->name);
    const int status = diagram != NULL ? diag_diagram_prepare(diagram, &error) : RB_OK;
    if (status != RB_OK)
        return complain_of("diagram", status, &error);
    inspection->observer = obs_recording_observer(&inspection->recording);
    spec->observer = &inspection->observer;
    return trace != NULL ? open_trace(inspection, trace, &error) : CLI_EXIT_DONE;
}

static int draw(const struct verb_inspection *inspection, const struct verb_simulated *point,
                const struct obs_diagnosis *diagnosis, struct sup_error *error)
{
    const struct rb_plan_spec *request = point->request;
    struct verb_simulated_lines lines;
    char bytes[32], progress[32], label1[512], label2[128], hash[64];
    verb_simulated_lines(point, &lines);
    snprintf(hash, sizeof hash, "platform hash %s", point->platform_hash);
    snprintf(label1, sizeof label1, "%s %s, p = %" PRId32 ", n = %" PRId64 ", m = %s",
             request->collective, request->algorithm, request->p, request->n,
             sup_format_bytes(point->spec->layout->bytes, bytes, sizeof bytes));
    snprintf(label2, sizeof label2, "engine %s, %s, %.60s", point->engine->name,
             sim_progress_format(&point->spec->progress, progress, sizeof progress),
             point->platform);
    const struct diag_diagram diagram = {
        .file = cli_args_text(inspection->args, "diagram"),
        .text = {.origin = {lines.plan, lines.platform, hash, lines.engine},
                 .labels = {label1, label2}},
        .spec = point->spec,
        .recording = &inspection->recording,
        .diagnosis = diagnosis,
    };
    struct sup_error why;
    const int status = diag_diagram_draw(&diagram, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--diagram: %s", why.text);
}

static int write_trace(struct verb_inspection *inspection, const struct verb_simulated *point,
                       const struct obs_diagnosis *diagnosis, struct sup_error *error)
{
    struct verb_simulated_lines lines;
    verb_simulated_lines(point, &lines);
    const struct diag_trace trace = {
        .plan = lines.plan,
        .platform = lines.platform,
        .engine = lines.engine,
        .version = cli_program_version,
        .spec = point->spec,
        .recording = &inspection->recording,
        .diagnosis = diagnosis,
    };
    return diag_trace_write(&trace, inspection->trace_format, inspection->trace.stream, error);
}

int verb_inspection_print(struct verb_inspection *inspection, const struct verb_simulated *point,
                          FILE *stream)
{
    struct sup_error error;
    struct obs_diagnosis diagnosis = {0};
    struct verb_simulated printed = *point;
    int status = RB_OK;
    if (inspection->any)
        status = obs_recording_close(&inspection->recording, point->request->p, &error);
    if (status == RB_OK && inspection->any)
        status =
            obs_diagnose(point->spec, point->result, &inspection->recording, &diagnosis, &error);
    if (status == RB_OK && cli_args_given(inspection->args, "diagram"))
        status = draw(inspection, point, &diagnosis, &error);
    if (status == RB_OK && inspection->trace.stream != NULL)
        status = write_trace(inspection, point, &diagnosis, &error);
    if (cli_args_flag(inspection->args, "diagnose"))
        printed.diagnosis = &diagnosis;
    if (status == RB_OK &&
        verb_print_simulated(&printed, cli_args_format(inspection->args), stream) != RB_OK)
        status = sup_fail(&error, RB_ENOMEM, "out of memory");
    obs_diagnosis_free(&diagnosis);
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error.text);
}

int verb_inspection_close(struct verb_inspection *inspection, int status)
{
    obs_recording_free(&inspection->recording);
    return inspection->trace.stream != NULL ? cli_finish_output(&inspection->trace, status)
                                            : status;
}
