/* request.h - the options of `measure`, which the verb and the measuring programs on MPI both
 * read. */
#ifndef MEASUREMENTS_MEASURE_REQUEST_H
#define MEASUREMENTS_MEASURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/options.h"
#include "roundabout.h"

/* The verb, except the function that runs it. */
extern const struct cli_option measure_options[];
#define MEASURE_VERB(run_, speaks_)                                                                \
    {                                                                                              \
        .name = "measure",                                                                         \
        .title = "Measure messages, and collectives beside the MPI library's; runs under mpirun.", \
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

/* The largest number of combinations of algorithm, radix, n and progress rule for a case. */
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
    struct measure_names algorithm;
    /* What these name: of an algorithm, in each collective. NULL: it is native, or the collective
     * doesn't have it. */
    const struct rb_collective_info *collective_info[MEASURE_MOST_NAMES];
    const struct rb_algorithm_info *algorithm_info[MEASURE_MOST_NAMES][MEASURE_MOST_NAMES];
    struct measure_names progress;      /* blocking, window:W */
    int32_t window[MEASURE_MOST_NAMES]; /* of each: rounds in flight */
    const struct sup_list *ranks;       /* NULL: all */
    const struct sup_list *blocks;      /* NULL: by the library's rule */
    const struct sup_list *radices;     /* of algorithms that have one; NULL: their own choice */
    int32_t root;
    uint64_t seed;
    double precision; /* share of the median */
    int64_t least_runs, most_runs;
    double most_time_s, late_s;
    bool json;
    const char *output;  /* "-": standard output */
    const char *results; /* a results file, or NULL */
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

/* The sizes: those requested, or the default. The caller frees them by sup_list_free. */
struct sup_list measure_sizes(const struct measure_request *request, bool pairs);

#endif
