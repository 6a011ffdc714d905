/* simulate_looks.c - see simulate_looks.h. */
#include "command/verbs/simulate_looks.h"

#include <inttypes.h>

#include "experiments/diagnosis/diagram.h"

/* The first option given that takes single messages, or NULL. */
static const char *first_asked(const struct rb_args *args)
{
    static const char *const names[] = {"diagnose", "diagram", "trace"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (rb_args_given(args, names[i]))
            return names[i];
    return NULL;
}

static int complain_of(const char *option, int status, const struct rb_error *error)
{
    return rb_complain(rb_exit_of(status), "--%s: %s", option, error->text);
}

static int open_trace(struct rb_looks *looks, const char *file, struct rb_error *error)
{
    const int status = rb_trace_format_of(file, &looks->trace_format, error);
    if (status != RB_OK)
        return complain_of("trace", status, error);
    const int opened = rb_output_open_for(&looks->trace, "trace", file, error);
    return opened == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(opened), "%s", error->text);
}

int rb_looks_open(struct rb_looks *looks, const struct rb_args *args,
                  const struct rb_engine *engine, struct rb_sim_spec *spec)
{
    const char *const option = first_asked(args), *const diagram = rb_args_text(args, "diagram"),
                      *const trace = rb_args_text(args, "trace");
    struct rb_error error;
    *looks = (struct rb_looks){.args = args, .any = option != NULL};
    if (!looks->any)
        return RB_EXIT_DONE;
    if (!engine->observes)
        return rb_complain(RB_EXIT_USAGE,
                           "--%s: the engine %s doesn't report single messages: use simgrid or "
                           "model",
                           option, engine->name);
    const int status = diagram != NULL ? rb_diagram_prepare(diagram, &error) : RB_OK;
    if (status != RB_OK)
        return complain_of("diagram", status, &error);
    looks->observer = rb_recording_observer(&looks->recording);
    spec->observer = &looks->observer;
    return trace != NULL ? open_trace(looks, trace, &error) : RB_EXIT_DONE;
}

static int draw(const struct rb_looks *looks, const struct rb_simulated *point,
                const struct rb_diagnosis *diagnosis, struct rb_error *error)
{
    const struct rb_plan_spec *request = point->request;
    struct rb_simulated_lines lines;
    char bytes[32], progress[32], label1[512], label2[128], hash[64];
    rb_simulated_lines(point, &lines);
    snprintf(hash, sizeof hash, "platform hash %s", point->platform_hash);
    snprintf(label1, sizeof label1, "%s %s, p = %" PRId32 ", n = %" PRId64 ", m = %s",
             request->collective, request->algorithm, request->p, request->n,
             rb_format_bytes(point->spec->layout->bytes, bytes, sizeof bytes));
    snprintf(label2, sizeof label2, "engine %s, %s, %.60s", point->engine->name,
             rb_progress_format(&point->spec->progress, progress, sizeof progress),
             point->platform);
    const struct rb_diagram diagram = {
        .file = rb_args_text(looks->args, "diagram"),
        .text = {.origin = {lines.plan, lines.platform, hash, lines.engine},
                 .labels = {label1, label2}},
        .spec = point->spec,
        .recording = &looks->recording,
        .diagnosis = diagnosis,
    };
    struct rb_error why;
    const int status = rb_diagram_draw(&diagram, &why);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "--diagram: %s", why.text);
}

static int write_trace(struct rb_looks *looks, const struct rb_simulated *point,
                       const struct rb_diagnosis *diagnosis, struct rb_error *error)
{
    struct rb_simulated_lines lines;
    rb_simulated_lines(point, &lines);
    const struct rb_trace trace = {
        .plan = lines.plan,
        .platform = lines.platform,
        .engine = lines.engine,
        .version = rb_program_version,
        .spec = point->spec,
        .recording = &looks->recording,
        .diagnosis = diagnosis,
    };
    return rb_trace_write(&trace, looks->trace_format, looks->trace.stream, error);
}

int rb_looks_print(struct rb_looks *looks, const struct rb_simulated *point, FILE *stream)
{
    struct rb_error error;
    struct rb_diagnosis diagnosis = {0};
    struct rb_simulated printed = *point;
    int status = RB_OK;
    if (looks->any)
        status = rb_recording_close(&looks->recording, point->request->p, &error);
    if (status == RB_OK && looks->any)
        status = rb_diagnose(point->spec, point->result, &looks->recording, &diagnosis, &error);
    if (status == RB_OK && rb_args_given(looks->args, "diagram"))
        status = draw(looks, point, &diagnosis, &error);
    if (status == RB_OK && looks->trace.stream != NULL)
        status = write_trace(looks, point, &diagnosis, &error);
    if (rb_args_flag(looks->args, "diagnose"))
        printed.diagnosis = &diagnosis;
    if (status == RB_OK &&
        rb_print_simulated(&printed, rb_args_format(looks->args), stream) != RB_OK)
        status = rb_fail(&error, RB_ENOMEM, "out of memory");
    rb_diagnosis_free(&diagnosis);
    return status == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(status), "%s", error.text);
}

int rb_looks_close(struct rb_looks *looks, int status)
{
    rb_recording_free(&looks->recording);
    return looks->trace.stream != NULL ? rb_finish_output(&looks->trace, status) : status;
}
