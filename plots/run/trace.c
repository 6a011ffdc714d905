/* trace.c - see pictures.h.
 *
 * Process 1 is the run, with phases and critical path as tracks; then one process per rank, with a
 * track per port and direction, since slices of one track must nest, and sends and receives
 * overlap. A message is a slice on either side and an arrow between them. Text goes through
 * Jansson; what is there for each message consists of numbers alone, and is printed. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "plots/figure/plot_look.h"
#include "plots/run/pictures.h"
#include "support/options/options.h"
#include "support/output/table.h"

enum { RUN = 1, FIRST_RANK, PHASES = 1, CRITICAL_PATH, FIRST_PORT };
enum { PER_UPDATE = 10000 }; /* messages, of the progress line */

struct writer {
    const struct diag_trace *trace;
    FILE *stream;
    int32_t ports;
};

/* Viewers count in nanoseconds. Rounded to them, what follows upon another doesn't overlap it. */
static int64_t to_ns(double time_s)
{
    return llround(time_s * 1e9);
}

/* Takes the event over. */
static void write_event(struct writer *writer, json_t *event)
{
    json_dumpf(event, writer->stream, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputs(",\n", writer->stream);
    json_decref(event);
}

static void name(struct writer *writer, const char *what, int64_t process, int64_t track,
                 const char *text)
{
    write_event(writer, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", what, "pid",
                                  (json_int_t)process, "tid", (json_int_t)track, "args", "name",
                                  out_json_text(text)));
}

static int64_t track_of(const struct writer *writer, int32_t rank, int32_t port, bool receives)
{
    return FIRST_PORT + ((int64_t)rank * writer->ports + port) * 2 + receives;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void name_process(struct writer *writer, int64_t process, int64_t track, const char *text)
{
    name(writer, "process_name", process, track, text);
    write_event(writer, json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "ph", "M", "name",
                                  "process_sort_index", "pid", (json_int_t)process, "tid",
                                  (json_int_t)track, "args", "sort_index", (json_int_t)process));
}

static void name_all(struct writer *writer)
{
    char text[64];
    name_process(writer, RUN, PHASES, "run");
    name(writer, "thread_name", RUN, PHASES, "phases");
    name(writer, "thread_name", RUN, CRITICAL_PATH, "critical path");
    for (int32_t rank = 0; rank < writer->trace->recording->p; rank++) {
        snprintf(text, sizeof text, "rank %" PRId32, rank);
        name_process(writer, FIRST_RANK + (int64_t)rank, track_of(writer, rank, 0, false), text);
        for (int32_t port = 0; port < writer->ports; port++)
            for (int receives = 0; receives < 2; receives++) {
                snprintf(text, sizeof text, receives ? "receives" : "sends");
                if (writer->ports > 1)
                    snprintf(text, sizeof text, "%s, port %" PRId32,
                             receives ? "receives" : "sends", port);
                name(writer, "thread_name", FIRST_RANK + (int64_t)rank,
                     track_of(writer, rank, port, receives), text);
            }
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

static void write_run_slice(struct writer *writer, int64_t track, const char *text, double from_s,
                            double to_s)
{
    const int64_t from_ns = to_ns(from_s);
    write_event(writer,
                json_pack("{s:s, s:s, s:I, s:I, s:f, s:f}", "ph", "X", "name", text, "pid",
                          (json_int_t)RUN, "tid", (json_int_t)track, "ts", (double)from_ns / 1e3,
                          "dur", (double)(to_ns(to_s) - from_ns) / 1e3));
}

static void write_run(struct writer *writer)
{
    static const char *const phases[OBS_PHASES] = {"fill", "steady", "drain"};
    const struct obs_diagnosis *diagnosis = writer->trace->diagnosis;
    for (int i = 0; i < OBS_PHASES; i++)
        if (to_ns(diagnosis->phase[i].to_s) > to_ns(diagnosis->phase[i].from_s))
            write_run_slice(writer, PHASES,
                            i == OBS_STEADY && !diagnosis->full ? "never full" : phases[i],
                            diagnosis->phase[i].from_s, diagnosis->phase[i].to_s);
    for (int32_t i = 0; i < diagnosis->path.count; i++) {
        const struct obs_path_step *step = &diagnosis->path.step[i];
        char text[128];
        snprintf(text, sizeof text, "%" PRId32 " to %" PRId32 ", round %" PRId64 " (%s)",
                 step->message->from, step->message->to, step->message->round,
                 obs_cause_names[step->cause]);
        write_run_slice(writer, CRITICAL_PATH, text, step->message->start_s, step->message->end_s);
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* 1234567 ns as 1234.567 us. */
#define US        PRId64 ".%03" PRId64
#define AS_US(ns) (ns) / 1000, (ns) % 1000

static void write_end(const struct writer *writer, const struct sim_message *message,
                      int64_t colour, bool receives)
{
    const int32_t rank = receives ? message->to : message->from;
    const int64_t start_ns = to_ns(message->start_s);
    const int64_t length_ns = to_ns(message->end_s) - start_ns;
    fprintf(writer->stream,
            "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"round %" PRId64 ", %s %" PRId64
            "\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" US ",\"dur\":%" US
            ",\"args\":{\"round\":%" PRId64 ",\"%s\":%" PRId64 ",\"%s\":%" PRId32
            ",\"bytes\":%" PRId64 "}},\n",
            receives ? "receive" : "send", message->round, plot_colours_name(writer->trace->spec),
            colour, FIRST_RANK + (int64_t)rank, track_of(writer, rank, message->port, receives),
            AS_US(start_ns), AS_US(length_ns), message->round,
            plot_colours_name(writer->trace->spec), colour, receives ? "from" : "to",
            receives ? message->from : message->to, message->bytes);
}

/* An arrow binds to the slices that hold its ends. */
static void write_arrow(const struct writer *writer, const struct sim_message *message,
                        int32_t number)
{
    const int64_t start_ns = to_ns(message->start_s);
    const int64_t middle_ns = start_ns + (to_ns(message->end_s) - start_ns) / 2;
    fprintf(writer->stream,
            "{\"ph\":\"s\",\"cat\":\"message\",\"name\":\"message\",\"id\":%" PRId32
            ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" US "},\n"
            "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"message\",\"name\":\"message\",\"id\":%" PRId32
            ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" US "},\n",
            number, FIRST_RANK + (int64_t)message->from,
            track_of(writer, message->from, message->port, false), AS_US(start_ns), number,
            FIRST_RANK + (int64_t)message->to, track_of(writer, message->to, message->port, true),
            AS_US(middle_ns));
}

static void write_messages(const struct writer *writer)
{
    const struct obs_recording *recording = writer->trace->recording;
    struct plot_colours colours;
    struct cli_bar bar;
    plot_colours_init(&colours, writer->trace->spec);
    cli_bar_start(&bar, "trace", recording->count);
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const int64_t colour = plot_colour_of(&colours, message);
        if (i % PER_UPDATE == 0)
            cli_bar_update(&bar, i, NULL);
        write_end(writer, message, colour, false);
        write_end(writer, message, colour, true);
        write_arrow(writer, message, i);
    }
    cli_bar_end(&bar);
    plot_colours_free(&colours);
}

int diag_trace_check_name(const char *file, struct sup_error *error)
{
    static const char ending[] = ".json";
    const size_t length = strlen(file), size = sizeof ending - 1;
    if (length > size && strcmp(file + length - size, ending) == 0)
        return RB_OK;
    return sup_fail(error, RB_EINVAL,
                    "\"%s\": the name must end in .json (trace events, for Perfetto and Chrome)",
                    file);
}

void diag_trace_write(const struct diag_trace *trace, FILE *stream)
{
    struct writer writer = {
        .trace = trace, .stream = stream, .ports = rb_plan_ports(trace->spec->plan)};
    fputs("{\"traceEvents\":[\n", stream);
    name_all(&writer);
    write_run(&writer);
    write_messages(&writer);
    /* The last event has no comma behind it. */
    json_t *last =
        json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "ph", "M", "name", "thread_sort_index", "pid",
                  RUN, "tid", PHASES, "args", "sort_index", 0);
    json_t *about = json_pack("{s:s, s:o, s:s, s:s}", "plan", trace->plan, "platform",
                              out_json_text(trace->platform), "engine", trace->engine, "version",
                              trace->version);
    json_dumpf(last, stream, JSON_COMPACT | JSON_PRESERVE_ORDER);
    fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":", stream);
    json_dumpf(about, stream, JSON_PRESERVE_ORDER);
    fputs("}\n", stream);
    json_decref(last);
    json_decref(about);
}
