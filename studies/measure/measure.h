/* measure.h - measuring on MPI: what is asked, the machine, clocks and statistics, and rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "roundabout.h"
#include "support/error.h"
#include "support/names.h"
#include "support/options/options.h"

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Statistics of a sample of times: its median with a confidence interval, and its
 * spread.
 *
 * Times of runs are not normally distributed, and no function here assumes that they are. The
 * median's confidence interval is that of order statistics (Le Boudec 2010, Performance Evaluation
 * of Computer and Communication Systems, Theorem 2.1; recommended for parallel programs by Hoefler
 * and Belli 2015): of n values in order, the j-th lies above the median with probability
 * P(B < j), B binomial with n trials of probability 1/2, and the (n + 1 - j)-th below it likewise.
 */

struct measure_summary {
    size_t count;
    double median, min, q1, q3; /* quartiles */
    double low, high;           /* 95 % confidence interval of the median; min .. max if there is
                                 * none */
    bool sure;                  /* true with 6 values or more; fewer have no such interval */
};

/* Sorts value[0 .. count - 1]; count >= 1. */
struct measure_summary measure_summarize(double value[], size_t count);

/* True if the interval is within median (1 +- share). */
bool measure_summary_is_settled(const struct measure_summary *summary, double share);

/* The largest j (from 1) for which the j-th and the (count + 1 - j)-th of sorted values are the
 * ends of a 95 % confidence interval of the median; 0: count is below 6. O(count). */
size_t measure_median_rank(size_t count);

/* ---- Clocks ---------------------------------------------------------------------------------- */

/* Converts one rank's clock to the reference rank's clock.
 *
 * The two ranks exchange messages: between reading `before` and `after` on its own clock, the rank
 * learns the reference's clock, which was read at about the middle; the error is at most half the
 * round trip. The fastest of many exchanges counts (Cristian 1989). Clocks also drift, by some
 * microseconds per second, nearly constantly over minutes: a line through the offsets of several
 * moments follows that (Jones and Koenig 2012; Hunold and Carpen-Amarie 2015 and 2018 compare such
 * schemes, and measure collectives by them). */

/* The result of one synchronisation. */
struct measure_clock_sample {
    double local_s;      /* when, on the rank's own clock */
    double offset_s;     /* the reference's clock minus its own */
    double round_trip_s; /* the offset is wrong by half of this at most */
};

/* reference = local + offset_s + drift (local - at_s) */
struct measure_clock {
    double at_s, offset_s, drift;
};

/* From one exchange, and the quickest of several; count >= 1. */
struct measure_clock_sample measure_clock_sample_of(double before_s, double reference_s,
                                                    double after_s);
struct measure_clock_sample measure_clock_quickest(const struct measure_clock_sample sample[],
                                                   size_t count);

/* The line through samples of rising time, with more weight for short round trips; with fewer than
 * MEASURE_CLOCK_LINE samples, the last offset without drift. count >= 1. */
enum { MEASURE_CLOCK_LINE = 4 };
struct measure_clock measure_clock_fit(const struct measure_clock_sample sample[], size_t count);

double measure_clock_reference(const struct measure_clock *clock, double local_s);
double measure_clock_local(const struct measure_clock *clock, double reference_s);

/* ---- The machine ----------------------------------------------------------------------------- */

/* The machine on which times are measured. */

struct measure_machine {
    char host[64];
    char cpu[96];    /* model */
    char kernel[96]; /* "Linux 6.1.0-18-amd64" */
    int32_t cores;   /* cores of the host, even if the process is bound to some of them */
    /* In a Slurm job its number, partition and nodes, "node[1-4]"; otherwise empty. */
    char job[24], partition[64], nodes[128];
};

/* The machine of this process. */
void measure_machine_read(struct measure_machine *machine);

/* How often another process took this one's core from it, so far. */
int64_t measure_interruptions(void);

/* ---- What is asked --------------------------------------------------------------------------- */

/* The options of `measure`, which the verb and the measuring programs on MPI both
 * read. */

/* The verb, except the function that runs it. */
extern const struct cli_option measure_options[];
#define MEASURE_VERB(run_, speaks_)                                                                \
    {                                                                                              \
        .name = "measure", .title = "Measure messages, and collectives beside the MPI library's.", \
        .common = "collective|algorithm|ranks|blocks|bytes|results|output",                        \
        .operands = "[pairs] [collectives]", .words = "pairs|collectives", .most_operands = 2,     \
        .options = measure_options, .examples = MEASURE_EXAMPLES, .run = (run_),                   \
        .speaks = (speaks_)                                                                        \
    }
#define MEASURE_EXAMPLES                                                                           \
    "mpirun -n 2 roundabout measure pairs -o pairs.csv\n"                                          \
    "mpirun -n 8 roundabout measure collectives --collective bcast,allgather -n 1,4,16 -m "        \
    "1KiB..16MiB*4\n"                                                                              \
    "mpirun -n 8 roundabout measure collectives -p 2..8 --results here.db\n"                       \
    "mpirun -n 8 roundabout measure collectives --collective alltoall --algorithm native,bruck "   \
    "--radix 2,4,8\n"

/* The tests between two ranks. */
enum measure_pair_test {
    MEASURE_LATENCY,
    MEASURE_EXCHANGE,
    MEASURE_SEND_TIME,
    MEASURE_RECEIVE_TIME,
    MEASURE_GAP,
    MEASURE_PAIR_TESTS
};
extern const char *const measure_pair_test_names[MEASURE_PAIR_TESTS];
int measure_pair_test_called(const char *name); /* MEASURE_PAIR_TESTS: none is */

struct measure_rank_pair {
    int32_t a, b;
};

/* The MPI library's own algorithm, as a name among ours. */
#define MEASURE_LIBRARY_OWN "native"
static inline bool measure_is_own(const char *name)
{
    return name != NULL && strcmp(name, MEASURE_LIBRARY_OWN) == 0;
}

/* Of all data. */
enum { MEASURE_MOST_BYTES = 1 << 30 };

/* The largest number of combinations of algorithm, radix, n and overlap rule for a case. */
enum { MEASURE_MOST_VARIANTS = 1024 };

enum { MEASURE_MOST_NAMES = 32 };
struct measure_names {
    char text[512];
    const char *name[MEASURE_MOST_NAMES]; /* in text */
    int32_t count;
};

struct measure_request {
    bool pairs, collectives;
    unsigned tests; /* set of (1u << MEASURE_LATENCY) and so on */
    struct measure_rank_pair *pair;
    size_t pair_count;            /* owned */
    const struct sup_list *bytes; /* NULL: by default, which differs */
    struct measure_names collective;
    struct measure_names algorithm; /* a name may be NULL: each collective's usual one */
    /* What these name: of an algorithm, in each collective. NULL: it is native, or the collective
     * doesn't have it. */
    const struct rb_collective_info *collective_info[MEASURE_MOST_NAMES];
    const struct rb_algorithm_info *algorithm_info[MEASURE_MOST_NAMES][MEASURE_MOST_NAMES];
    struct measure_names overlap;       /* blocking, window:W */
    int32_t window[MEASURE_MOST_NAMES]; /* of each: rounds in flight */
    const struct sup_list *ranks;       /* NULL: all */
    const struct sup_list *blocks;      /* NULL: by the library's rule */
    const struct sup_list *radices;     /* of algorithms that have one; NULL: their own choice */
    struct sup_counts counts;           /* fits each collective and number of ranks */
    char counts_text[SUP_COUNTS_TEXT];  /* in its usual form */
    int32_t root;
    uint64_t seed;
    double precision; /* share of the median */
    int64_t least_runs, most_runs;
    double most_time_s, late_s;
    bool json;
    const char *output;  /* "-": standard output */
    const char *results; /* a results file, or NULL */
    const char *label;   /* of all rows; "": none */
};

/* Reads and checks the options for a job of so many ranks. The request refers to args; the caller
 * frees it, also on failure. RB_EINVAL with a message that names the option. */
int measure_request(const struct cli_args *args, int32_t ranks, struct measure_request *request,
                    struct sup_error *error);
void measure_request_free(struct measure_request *request);

/* The number of radices for this algorithm, at least 1, and the i-th of them: 0 is its own
 * choice. */
int32_t measure_radices(const struct measure_request *request,
                        const struct rb_algorithm_info *algorithm);
int32_t measure_radix(const struct measure_request *request,
                      const struct rb_algorithm_info *algorithm, int32_t i);

/* In how many ways a case of the i-th collective is run. */
int64_t measure_variants(const struct measure_request *request, int32_t i);

/* The sizes: those requested, or the default; of a collective whose counts are a file's, that of so
 * many elements of `element` bytes each; INT64_MAX: more than 2^63. The caller frees them by
 * sup_list_free. */
struct sup_list measure_sizes(const struct measure_request *request, bool pairs, int64_t element);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* One row of measurements: what was measured, the machine, and the result.
 *
 * A row is one line of CSV or JSON and is complete by itself; column names are lower case and never
 * change meaning; docs/measure.md documents them. */

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
    REAL(low_s)      /* low quantile of the runs */                                                \
    REAL(low_error)  /* between the least times of the odd and of the even passes, over low_s */   \
    TEXT(label, 160) /* as given by --label */                                                     \
    TEXT(counts, SUP_COUNTS_TEXT) /* how a collective's data are divided */

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

/* A collective's plan and its data, divided as the row says. RB_EINVAL with a message, also of a
 * file of counts that has changed; RB_EIO, RB_ENOMEM. The caller frees it after success. */
struct measure_plan {
    struct rb_plan *plan;
    struct rb_layout layout;
    int64_t *first; /* of the layout */
};
int measure_plan_make(const struct measure_result *row, struct measure_plan *made,
                      struct sup_error *error);
void measure_plan_free(struct measure_plan *made);

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

/* ---- A row's runs ---------------------------------------------------------------------------- */

/* The times of one row's runs; decides when there are enough of them, and which count.
 *
 * A disturbed run takes longer than it would alone, so such runs don't count unless hardly any
 * other is there. What is left may still have been slowed down (by a shared cache, by a
 * hypervisor), and never hastened: the low quantile of the times that count resists that better
 * than their median. Runs come in passes, which lie apart in time; if the least times of the odd
 * and of the even passes agree, more passes would hardly give another result. */

struct measure_runs {
    double *time_s;           /* owned; of undisturbed runs */
    int64_t count;            /* of these */
    double *disturbed_time_s; /* owned; of runs that count only if hardly any other is there */
    int64_t disturbed_count;
    int64_t disturbed;              /* all disturbed runs, also those that count from the start */
    double least_s[2][2];           /* of the even and of the odd passes; [1]: disturbed */
    int64_t look;                   /* the count at which the interval is computed next */
    double spent_s;                 /* time spent on all runs */
    struct measure_summary summary; /* the summary when it was last computed */
    bool settled;
};

void measure_runs_init(struct measure_runs *runs, const struct measure_request *request);
void measure_runs_free(struct measure_runs *runs); /* safe on a zeroed struct */

/* Forgets the runs so far, but not the time spent on them. */
void measure_runs_restart(struct measure_runs *runs, const struct measure_request *request);

/* A run. */
struct measure_run {
    double time_s;
    double spent_s; /* on the run in all */
    int64_t pass;   /* counted from 0 */
    bool disturbed;
    bool hopeless; /* all runs must be disturbed, so they count */
};
void measure_runs_add(struct measure_runs *runs, const struct measure_run *run);
/* True if the interval is narrow enough and the passes agree, or runs or time are used up. */
bool measure_runs_done(struct measure_runs *runs, const struct measure_request *request);
/* Fills the row's figures; after one run or more. Nothing can be added any more. */
void measure_runs_report(struct measure_runs *runs, struct measure_result *row);

/* ---- Outputs --------------------------------------------------------------------------------- */

/* The outputs for measured rows: a stream or a file to which they are appended, and a
 * results file for tune and plot. Each row is written as soon as it is measured, so that it is kept
 * however the run ends. */

struct measure_sink;

/* RB_EINVAL if a file can't be written or is something else, RB_EIO. */
int measure_sink_open(const struct measure_request *request, struct measure_sink **sink,
                      struct sup_error *error);
int measure_sink_add(struct measure_sink *sink, const struct measure_result *row,
                     struct sup_error *error);
/* NULL is fine. RB_EIO if something was not written. */
int measure_sink_close(struct measure_sink *sink, struct sup_error *error);
