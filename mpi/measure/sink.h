/* sink.h - where measured rows go: a stream or a file that they are appended to, and a results file
 * for tune and plot. Each row is written when it is there: whatever ends the run, it stays. */
#ifndef RB_MPI_MEASURE_SINK_H
#define RB_MPI_MEASURE_SINK_H

#include "mpi/measure/measured.h"
#include "mpi/measure/request.h"

struct rb_sink;

/* RB_EINVAL if a file can't be written or is something else, RB_EIO, RB_ENOMEM. */
int rb_sink_open(const struct rb_measure_request *request, struct rb_sink **sink,
                 struct rb_error *error);
int rb_sink_add(struct rb_sink *sink, const struct rb_measured *row, struct rb_error *error);
/* NULL is fine. RB_EIO if something was not written. */
int rb_sink_close(struct rb_sink *sink, struct rb_error *error);

#endif
