/* sink.h - the outputs for measured rows: a stream or a file to which they are appended, and a
 * results file for tune and plot. Each row is written as soon as it is measured, so that it is kept
 * however the run ends. */
#ifndef MEASUREMENTS_MEASURE_SINK_H
#define MEASUREMENTS_MEASURE_SINK_H

#include "measurements/measure/measured.h"
#include "measurements/measure/request.h"

struct measure_sink;

/* RB_EINVAL if a file can't be written or is something else, RB_EIO. */
int measure_sink_open(const struct measure_request *request, struct measure_sink **sink,
                      struct sup_error *error);
int measure_sink_add(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error);
/* NULL is fine. RB_EIO if something was not written. */
int measure_sink_close(struct measure_sink *sink, struct sup_error *error);

#endif
