/* request.h - what `measure` is asked for: its options, read alike by the verb and by the programs
 * on MPI that do it. */
#ifndef RB_MPI_MEASURE_REQUEST_H
#define RB_MPI_MEASURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "command/options/options.h"
#include "roundabout.h"

/* The verb, but for what runs it. */
extern const struct rb_option rb_measure_options[];
#define RB_MEASURE_VERB(run_, speaks_)                                                             \
    {                                                                                              \
        .name = "measure",                                                                         \
        .title = "Measure messages, and collectives beside the MPI library's; runs under mpirun.", \
        .operands = "[pairs] [collectives]", .most_operands = 2, .options = rb_measure_options,    \
        .examples = RB_MEASURE_EXAMPLES, .run = (run_), .speaks = (speaks_)                        \
    }
#define RB_MEASURE_EXAMPLES                                                                        \
    "mpirun -n 2 roundabout measure pairs -o pairs.csv\n"                                          \
    "mpirun -n 8 roundabout measure collectives --collective bcast,allgather -n 1,4,16 -m "        \
    "1KiB..16MiB*4\n"                                                                              \
    "mpirun -n 8 roundabout measure collectives -p 2..8 --results here.db\n"                       \
    "mpirun -n 8 roundabout measure collectives --collective alltoall --algorithm native,bruck "   \
    "--radix 2,4,8\n"

/* What is timed between two ranks. */
enum rb_pair_test { RB_LATENCY, RB_EXCHANGE, RB_SEND_TIME, RB_RECEIVE_TIME, RB_GAP, RB_PAIR_TESTS };
extern const char *const rb_pair_test_names[RB_PAIR_TESTS];
int rb_pair_test_called(const char *name); /* RB_PAIR_TESTS: none is */

struct rb_pair {
    int32_t a, b;
};

/* The MPI library's own algorithm, as a name among ours. */
#define RB_LIBRARY_OWN "native"

/* Algorithms, radices, n and progress rules that a case may be measured with. */
enum { RB_MOST_VARIANTS = 1024 };

enum { RB_MOST_NAMES = 32 };
struct measure_names {
    char text[512];
    const char *name[RB_MOST_NAMES]; /* in text */
    int32_t count;
};

struct rb_measure_request {
    bool pairs, collectives;
    unsigned tests; /* set of (1u << RB_LATENCY) and so on */
    struct rb_pair *pair;
    size_t pair_count;           /* owned */
    const struct rb_list *bytes; /* NULL: by default, which differs */
    struct measure_names collective;
    struct measure_names algorithm;
    struct measure_names progress; /* blocking, window:W */
    int32_t window[RB_MOST_NAMES]; /* of each: rounds in flight */
    const struct rb_list *ranks;   /* NULL: all */
    const struct rb_list *blocks;  /* NULL: by the library's rule */
    const struct rb_list *radices; /* of algorithms that have one; NULL: their own choice */
    int32_t root;
    uint64_t seed;
    double precision; /* share of the median */
    int64_t least_runs, most_runs;
    double most_time_s, late_s;
    bool json;
    const char *output;  /* "-": standard output */
    const char *results; /* a results file, or NULL */
};

/* Checks what the options say for a job of so many ranks. The request refers to args; the caller
 * frees it, also on failure. RB_EINVAL with a message that names the option, RB_ENOMEM. */
int rb_measure_request(const struct rb_args *args, int32_t ranks,
                       struct rb_measure_request *request, struct rb_error *error);
void rb_measure_request_free(struct rb_measure_request *request);

/* How many radices to run this algorithm with, at least 1, and the i-th: 0 is its own choice. */
int32_t rb_measure_radices(const struct rb_measure_request *request,
                           const struct rb_algorithm_info *algorithm);
int32_t rb_measure_radix(const struct rb_measure_request *request,
                         const struct rb_algorithm_info *algorithm, int32_t i);

/* In how many ways a case of this collective is run. */
int64_t rb_measure_variants(const struct rb_measure_request *request, const char *collective);

/* The sizes: as asked for, or by default. The caller frees them by rb_list_free. RB_ENOMEM. */
int rb_measure_sizes(const struct rb_measure_request *request, bool pairs, struct rb_list *bytes);

#endif
