/* measured.h - one row of measurements: what was measured, the machine, and the result.
 *
 * A row is one line of CSV or JSON and is complete by itself; column names are lower case and never
 * change meaning; docs/measure.md documents them. */
#ifndef MEASUREMENTS_MEASURE_MEASURED_H
#define MEASUREMENTS_MEASURE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "roundabout.h"
#include "support/error.h"

/* TEXT(name, room), WHOLE(name), REAL(name), in the order of the CSV. */
#define MEASURE_RESULT_COLUMNS(TEXT, WHOLE, REAL)                                                  \
    TEXT(test, 24) /* latency, exchange, send, receive, gap; collective */                         \
    TEXT(collective, 32)                                                                           \
    TEXT(algorithm, 48) /* of ours, or native: the MPI library's own */                            \
    WHOLE(p)            /* ranks that took part */                                                 \
    WHOLE(n)            /* blocks */                                                               \
    WHOLE(m_bytes)      /* of the message; of all data of a collective */                          \
    WHOLE(root)                                                                                    \
    WHOLE(element_bytes)                                                                           \
    TEXT(progress, 24)                                                                             \
    WHOLE(rank_a) /* the pair */                                                                   \
    WHOLE(rank_b)                                                                                  \
    WHOLE(same_host)                                                                               \
    REAL(median_s)                                                                                 \
    REAL(ci_low_s) /* 95 % confidence interval of the median */                                    \
    REAL(ci_high_s)                                                                                \
    REAL(min_s)                                                                                    \
    REAL(q1_s)                                                                                     \
    REAL(q3_s)                                                                                     \
    WHOLE(runs)      /* runs that count */                                                         \
    WHOLE(disturbed) /* runs in which a rank began late or was                                     \
                      * interrupted */                                                             \
    WHOLE(discarded) /* of these, left out */                                                      \
    WHOLE(settled)   /* 1: the interval is as narrow as requested */                               \
    WHOLE(batch)     /* repetitions in one run */                                                  \
    REAL(bandwidth_bytes_per_s)                                                                    \
    REAL(clock_error_s)   /* half the longest of the ranks' shortest round trips */                \
    WHOLE(oversubscribed) /* 1: a host has more ranks than cores */                                \
    WHOLE(ranks)          /* of the job */                                                         \
    WHOLE(hosts)                                                                                   \
    WHOLE(ppn)             /* most ranks of a host */                                              \
    TEXT(mpi, 16)          /* openmpi, mpich */                                                    \
    TEXT(mpi_library, 128) /* name and version as it gives them */                                 \
    TEXT(host, 64)         /* of rank 0, as are the next three */                                  \
    TEXT(cpu, 96)                                                                                  \
    WHOLE(cores)                                                                                   \
    TEXT(kernel, 96)                                                                               \
    WHOLE(seed)                                                                                    \
    REAL(precision_percent)                                                                        \
    WHOLE(least_runs)                                                                              \
    WHOLE(most_runs)                                                                               \
    REAL(most_time_s)                                                                              \
    REAL(late_s)                                                                                   \
    TEXT(version, 48)                                                                              \
    TEXT(date, 24) /* UTC */                                                                       \
    WHOLE(radix)   /* of a collective, as asked for; 0: none, or the algorithm's own choice */     \
    TEXT(job, 24)  /* a Slurm job's number, as are the next two Slurm's */                         \
    TEXT(partition, 64)                                                                            \
    TEXT(nodes, 128)                                                                               \
    REAL(low_s)     /* low quantile of the runs */                                                 \
    REAL(low_error) /* between the least times of the odd and of the even passes, over low_s */

/* An empty text, a whole number MEASURE_NOT_MEASURED and a real NAN mean absent values. */
#define MEASURE_NOT_MEASURED INT64_MIN

struct measure_result {
#define MEASURE_TEXT(name, room) char name[room];
#define MEASURE_WHOLE(name)      int64_t name;
#define MEASURE_REAL(name)       double name;
    MEASURE_RESULT_COLUMNS(MEASURE_TEXT, MEASURE_WHOLE, MEASURE_REAL)
#undef MEASURE_TEXT
#undef MEASURE_WHOLE
#undef MEASURE_REAL
};

/* All absent. */
void measure_result_clear(struct measure_result *row);

/* The spec of a collective's plan, with defaults for absent values; its texts belong to the row.
 * And the columns of such a spec, without collective and algorithm. */
struct rb_plan_spec measure_result_plan(const struct measure_result *row);
void measure_result_set_plan(struct measure_result *row, const struct rb_plan_spec *spec);

/* RFC 4180. Write errors show in the stream. */
void measure_result_write_header(FILE *stream);
void measure_result_write_csv(const struct measure_result *row, FILE *stream);
/* One object on a line; absent members are left out. */
void measure_result_write_json(const struct measure_result *row, FILE *stream);

/* True if the file begins with the header that measure_result_write_header writes. */
bool measure_result_has_header(FILE *stream);

/* Appends a CSV file's rows. Columns may be in any order, unknown columns are ignored, and the
 * required ones must exist. RB_EINVAL with file, line and the wrong value; RB_EIO. The
 * caller frees rows->row. */
struct measure_result_rows {
    struct measure_result *row; /* owned */
    size_t count;
};
int measure_result_read(const char *path, struct measure_result_rows *rows,
                        struct sup_error *error);

#endif
