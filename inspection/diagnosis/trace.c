/* trace.c - see trace.h. */
#include "inspection/diagnosis/trace.h"

#include <string.h>

static const struct {
    const char *ending;
    enum diag_trace_format format;
} endings[] = {
    {".json", DIAG_TRACE_EVENTS},
    {".paje", DIAG_TRACE_PAJE},
    {".trace", DIAG_TRACE_PAJE},
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

int diag_trace_format_of(const char *file, enum diag_trace_format *format, struct sup_error *error)
{
    const size_t length = strlen(file);
    for (int i = 0; i < ENDINGS; i++) {
        const size_t size = strlen(endings[i].ending);
        if (length > size && strcmp(file + length - size, endings[i].ending) == 0) {
            *format = endings[i].format;
            return RB_OK;
        }
    }
    return sup_fail(error, RB_EINVAL,
                    "\"%s\": the name must end in .json (for Perfetto and Chrome), or in .paje or "
                    ".trace (for ViTE and Paje)",
                    file);
}

int diag_trace_write(const struct diag_trace *trace, enum diag_trace_format format, FILE *stream,
                     struct sup_error *error)
{
    const int status = format == DIAG_TRACE_EVENTS ? diag_trace_write_events(trace, stream)
                                                   : diag_trace_write_paje(trace, stream);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "no memory for the trace");
}
