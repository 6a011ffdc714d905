/* trace.c - see trace.h. */
#include "experiments/diagnosis/trace.h"

#include <string.h>

static const struct {
    const char *ending;
    enum rb_trace_format format;
} endings[] = {
    {".json", RB_TRACE_EVENTS},
    {".paje", RB_TRACE_PAJE},
    {".trace", RB_TRACE_PAJE},
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

int rb_trace_format_of(const char *file, enum rb_trace_format *format, struct rb_error *error)
{
    const size_t length = strlen(file);
    for (int i = 0; i < ENDINGS; i++) {
        const size_t size = strlen(endings[i].ending);
        if (length > size && strcmp(file + length - size, endings[i].ending) == 0) {
            *format = endings[i].format;
            return RB_OK;
        }
    }
    return rb_fail(error, RB_EINVAL,
                   "\"%s\": the name must end in .json (for Perfetto and Chrome), or in .paje or "
                   ".trace (for ViTE and Paje)",
                   file);
}

int rb_trace_write(const struct rb_trace *trace, enum rb_trace_format format, FILE *stream,
                   struct rb_error *error)
{
    const int status = format == RB_TRACE_EVENTS ? rb_trace_write_events(trace, stream)
                                                 : rb_trace_write_paje(trace, stream);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "no memory for the trace");
}
