/* trace_paje.c - Paje's format (trace.h).
 *
 * The run contains the ranks; a rank has a state per port and direction, and messages are links
 * between ranks. Events stand in the order of time: ends come by end, as they were recorded, starts
 * from a list of their own. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/options/options.h"
#include "inspection/diagnosis/trace.h"
#include "plots/figure/colours.h"

enum { PER_UPDATE = 10000 }; /* messages, of the progress line */

/* ---- Definitions ----------------------------------------------------------------------------- */

enum event {
    CONTAINER_TYPE,
    STATE_TYPE,
    LINK_TYPE,
    VALUE,
    CONTAINER,
    DESTROY,
    PUSH,
    POP,
    START_LINK,
    END_LINK,
    EVENTS
};

/* Fields, ended by NULL: name and type. */
static const struct {
    const char *name;
    const char *fields[9];
} definitions[EVENTS] = {
    [CONTAINER_TYPE] = {"PajeDefineContainerType", {"Alias string", "Type string", "Name string"}},
    [STATE_TYPE] = {"PajeDefineStateType", {"Alias string", "Type string", "Name string"}},
    [LINK_TYPE] = {"PajeDefineLinkType",
                   {"Alias string", "Type string", "StartContainerType string",
                    "EndContainerType string", "Name string"}},
    [VALUE] = {"PajeDefineEntityValue",
               {"Alias string", "Type string", "Name string", "Color color"}},
    [CONTAINER] = {"PajeCreateContainer",
                   {"Time date", "Alias string", "Type string", "Container string", "Name string"}},
    [DESTROY] = {"PajeDestroyContainer", {"Time date", "Type string", "Name string"}},
    [PUSH] = {"PajePushState",
              {"Time date", "Type string", "Container string", "Value string", "Round int",
               "Peer int", "Bytes int"}},
    [POP] = {"PajePopState", {"Time date", "Type string", "Container string"}},
    [START_LINK] = {"PajeStartLink",
                    {"Time date", "Type string", "Container string", "StartContainer string",
                     "Value string", "Key string"}},
    [END_LINK] = {"PajeEndLink",
                  {"Time date", "Type string", "Container string", "EndContainer string",
                   "Value string", "Key string"}},
};

static void write_definitions(FILE *stream)
{
    for (int event = 0; event < EVENTS; event++) {
        fprintf(stream, "%%EventDef %s %d\n", definitions[event].name, event);
        for (int i = 0; definitions[event].fields[i] != NULL; i++)
            fprintf(stream, "%% %s\n", definitions[event].fields[i]);
        fputs("%EndEventDef\n", stream);
    }
}

/* ---- Types, values, ranks -------------------------------------------------------------------- */

struct writer {
    const struct diag_trace *trace;
    FILE *stream;
    struct plot_colours colours;
    int32_t ports;
};

/* From dark blue to yellow, as the diagram has them. */
static void write_colour(int64_t colour, int64_t count, FILE *stream)
{
    static const double stops[][3] = {{0.27, 0.00, 0.33},
                                      {0.23, 0.32, 0.55},
                                      {0.13, 0.57, 0.55},
                                      {0.37, 0.79, 0.38},
                                      {0.99, 0.91, 0.15}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    const double at = count > 1 ? (double)colour / (double)(count - 1) * LAST : 0;
    const int below = at < LAST ? (int)at : LAST - 1;
    fputc('"', stream);
    for (int i = 0; i < 3; i++)
        fprintf(stream, "%s%.3f", i == 0 ? "" : " ",
                stops[below][i] + (at - below) * (stops[below + 1][i] - stops[below][i]));
    fputc('"', stream);
}

static void write_types(const struct writer *writer)
{
    FILE *stream = writer->stream;
    const int64_t colours = plot_colours_count(writer->trace->spec);
    fprintf(stream, "%d RUN 0 \"run\"\n%d RANK RUN \"rank\"\n", CONTAINER_TYPE, CONTAINER_TYPE);
    fprintf(stream, "%d M RUN RANK RANK \"message\"\n", LINK_TYPE);
    for (int32_t port = 0; port < writer->ports; port++)
        for (int receives = 0; receives < 2; receives++) {
            const char *const what = receives ? "receives" : "sends";
            fprintf(stream, "%d %c%" PRId32 " RANK \"%s", STATE_TYPE, receives ? 'R' : 'S', port,
                    what);
            if (writer->ports > 1)
                fprintf(stream, ", port %" PRId32, port);
            fputs("\"\n", stream);
            for (int64_t colour = 0; colour < colours; colour++) {
                fprintf(stream, "%d %c%" PRId32 "v%" PRId64 " %c%" PRId32 " \"%s %" PRId64 "\" ",
                        VALUE, receives ? 'R' : 'S', port, colour, receives ? 'R' : 'S', port,
                        plot_colours_name(writer->trace->spec), colour);
                write_colour(colour, colours, stream);
                fputc('\n', stream);
            }
        }
}

static void write_ranks(const struct writer *writer)
{
    fprintf(writer->stream, "%d 0 run RUN 0 \"run\"\n", CONTAINER);
    for (int32_t rank = 0; rank < writer->trace->recording->p; rank++)
        fprintf(writer->stream, "%d 0 r%" PRId32 " RANK run \"rank %" PRId32 "\"\n", CONTAINER,
                rank, rank);
}

static void write_ending(const struct writer *writer)
{
    const double time_s = writer->trace->diagnosis->time_s;
    for (int32_t rank = 0; rank < writer->trace->recording->p; rank++)
        fprintf(writer->stream, "%d %.17g RANK r%" PRId32 "\n", DESTROY, time_s, rank);
    fprintf(writer->stream, "%d %.17g RUN run\n", DESTROY, time_s);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void write_start(const struct writer *writer, int32_t i)
{
    FILE *stream = writer->stream;
    const struct sim_message *message = &writer->trace->recording->message[i];
    const int64_t colour = plot_colour_of(&writer->colours, message);
    for (int receives = 0; receives < 2; receives++)
        fprintf(stream,
                "%d %.17g %c%" PRId32 " r%" PRId32 " %c%" PRId32 "v%" PRId64 " %" PRId64 " %" PRId32
                " %" PRId64 "\n",
                PUSH, message->start_s, receives ? 'R' : 'S', message->port,
                receives ? message->to : message->from, receives ? 'R' : 'S', message->port, colour,
                message->round, receives ? message->from : message->to, message->bytes);
    fprintf(stream, "%d %.17g M run r%" PRId32 " \"%" PRId64 "B\" %" PRId32 "\n", START_LINK,
            message->start_s, message->from, message->bytes, i);
}

static void write_end(const struct writer *writer, int32_t i)
{
    FILE *stream = writer->stream;
    const struct sim_message *message = &writer->trace->recording->message[i];
    for (int receives = 0; receives < 2; receives++)
        fprintf(stream, "%d %.17g %c%" PRId32 " r%" PRId32 "\n", POP, message->end_s,
                receives ? 'R' : 'S', message->port, receives ? message->to : message->from);
    fprintf(stream, "%d %.17g M run r%" PRId32 " \"%" PRId64 "B\" %" PRId32 "\n", END_LINK,
            message->end_s, message->to, message->bytes, i);
}

struct start {
    double start_s;
    int32_t message;
};

static int compare_starts(const void *left, const void *right)
{
    const struct start *a = left, *b = right;
    if (a->start_s != b->start_s)
        return a->start_s < b->start_s ? -1 : 1;
    return (a->message > b->message) - (a->message < b->message);
}

/* At one moment ends come before starts, so that a port is free for its next message; but no
 * message ends before it has started, even if it takes no time. */
static int write_messages(const struct writer *writer)
{
    const struct obs_recording *recording = writer->trace->recording;
    const int32_t count = recording->count;
    struct start *starts = malloc(((size_t)count + 1) * sizeof *starts);
    bool *started = calloc((size_t)count + 1, sizeof *started);
    if (starts != NULL && started != NULL) {
        for (int32_t i = 0; i < count; i++)
            starts[i] = (struct start){recording->message[i].start_s, i};
        qsort(starts, (size_t)count, sizeof *starts, compare_starts);
        struct cli_bar bar;
        cli_bar_start(&bar, "trace", count);
        for (int32_t begun = 0, ended = 0; ended < count;) {
            if (ended % PER_UPDATE == 0)
                cli_bar_update(&bar, ended, NULL);
            if (started[ended] &&
                (begun == count || recording->message[ended].end_s <= starts[begun].start_s)) {
                write_end(writer, ended++);
            } else {
                started[starts[begun].message] = true;
                write_start(writer, starts[begun++].message);
            }
        }
        cli_bar_end(&bar);
    }
    const bool lacking = starts == NULL || started == NULL;
    free(starts);
    free(started);
    return lacking ? RB_ENOMEM : RB_OK;
}

int diag_trace_write_paje(const struct diag_trace *trace, FILE *stream)
{
    struct writer writer = {
        .trace = trace, .stream = stream, .ports = rb_plan_ports(trace->spec->plan)};
    if (plot_colours_init(&writer.colours, trace->spec) != RB_OK)
        return RB_ENOMEM;
    fprintf(stream, "# %s\n# %s\n# %s\n# made by roundabout %s\n", trace->plan, trace->platform,
            trace->engine, trace->version);
    write_definitions(stream);
    write_types(&writer);
    write_ranks(&writer);
    const int status = write_messages(&writer);
    write_ending(&writer);
    plot_colours_free(&writer.colours);
    return status;
}
