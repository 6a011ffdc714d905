/* request.c - the options of `measure`, and their check (measure.h). */
#include "studies/measure/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "support/memory.h"
#include "support/options/common_options.h"

#define PAIR_SIZES       "0,1..64MiB*2"
#define COLLECTIVE_SIZES "1KiB..16MiB*4"
enum { MOST_WINDOW = 1024 };

const char *const measure_pair_test_names[MEASURE_PAIR_TESTS] = {"latency", "exchange", "send",
                                                                 "receive", "gap"};

const struct cli_option measure_options[] = {
    {CLI_ROW("pairs", TEXT, "PAIRS"), .fallback = "0-1",
     .help = "pairs: the pairs of ranks: 0-1,0-4; distances for rank 0 with every other; or all"},
    {CLI_ROW("tests", TEXT, "TESTS"), .fallback = "all",
     .help = "pairs: latency (half a round trip), exchange (both directions at once), send and "
             "receive (overheads: time in the call), gap (between messages of a stream), or all"},
    {POINT_LIKE(COLLECTIVE), .value = "NAMES", .help = "collectives, separated by commas"},
    {POINT_LIKE(ALGORITHM), .value = "NAMES",
     .help = "collectives: algorithms of roundabout list, and native for the MPI library's own, "
             "separated by commas; default: native, and each collective's first of the list"},
    {POINT_LIKE(P), .type = CLI_OPT_INTS,
     .help = "collectives: numbers of ranks, taken from the first ranks of the job; default: all"},
    {POINT_LIKE(N), .type = CLI_OPT_INTS, .least = 1, .most = 1 << 20,
     .help = "collectives: numbers of blocks; default: by the rule of docs/mpi.md"},
    {POINT_LIKE(RADIX), .type = CLI_OPT_INTS,
     .help =
         "collectives: radices, 2 to p, of algorithms that have one; default: their own choice"},
    {POINT_LIKE(OVERLAP), .value = "RULES", .fallback = "window:4",
     .help = "collectives: how rounds overlap: blocking, window:W, separated by commas"},
    {POINT_LIKE(BYTES), .type = CLI_OPT_BYTESES, .least = 0, .most = MEASURE_MOST_BYTES,
     .help = "message sizes, or bytes of all data of a collective; default: pairs " PAIR_SIZES
             ", collectives " COLLECTIVE_SIZES ", or the elements of a file of --counts"},
    {POINT_LIKE(COUNTS),
     .help =
         "collectives: how the data are divided among the ranks, where they are: regular, mod3, "
         "degenerate, random:SEED, zipf:S:SEED, hot:COUNT:FACTOR:SEED, banded:WIDTH:SEED, "
         "file:NAME (a matrix, or a value in each line), which each rank reads"},
    {POINT_LIKE(ROOT)},
    {CLI_ROW("precision", REAL, "PERCENT"), .fallback = "5", .least = 0, .most = 100,
     .help = "repeat runs until the 95 % confidence interval of the median is within this"},
    {CLI_ROW("least-runs", INT, "N"), .fallback = "10", .least = 1, .most = 1000000,
     .help = "smallest number of runs"},
    {CLI_ROW("most-runs", INT, "N"), .fallback = "1000", .least = 1, .most = 1000000,
     .help = "largest number of runs"},
    {CLI_ROW("most-time", TEXT, "TIME"), .fallback = "1s",
     .help = "longest time for a row, once --least-runs are done"},
    {CLI_ROW("late", TEXT, "TIME"), .fallback = "10us",
     .help = "collectives: a run is disturbed if a rank begins later than this (docs/measure.md)"},
    {CLI_ROW("seed", INT, "SEED"), .fallback = "1", .least = 0, .most = INT64_MAX,
     .help = "seed of the order of runs and of the data"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "csv", .choices = "csv|json",
     .help = "csv, or json with one object per line"},
    {CLI_ROW("output", TEXT, "FILE"), .letter = 'o', .fallback = "-", .file = CLI_WRITES,
     .help = "append each row to this file when it is measured; - is standard output"},
    {CLI_ROW("results", TEXT, "FILE.db"), .file = CLI_WRITES,
     .help = "also write collectives to this results file, for tune and plot"},
    {CLI_ROW("label", TEXT, "TEXT"),
     .help = "a word for the column label of all rows, at most 159 characters"},
    CLI_OPTION_END,
};

int measure_pair_test_called(const char *name)
{
    int test = 0;
    while (test < MEASURE_PAIR_TESTS && strcmp(name, measure_pair_test_names[test]) != 0)
        test++;
    return test;
}

/* ---- Lists of words -------------------------------------------------------------------------- */

static int read_names(const char *option, const char *text, struct measure_names *names,
                      struct sup_error *error)
{
    if (snprintf(names->text, sizeof names->text, "%s", text) >= (int)sizeof names->text)
        return sup_fail(error, RB_EINVAL, "--%s: a list of at most %d characters", option,
                        (int)sizeof names->text - 1);
    for (char *name = names->text, *end; name != NULL; name = end) {
        end = strchr(name, ',');
        if (end != NULL)
            *end++ = '\0';
        if (names->count == MEASURE_MOST_NAMES)
            return sup_fail(error, RB_EINVAL, "--%s: at most %d names", option, MEASURE_MOST_NAMES);
        names->name[names->count++] = name;
    }
    return RB_OK;
}

static int read_tests(const char *text, unsigned *tests, struct sup_error *error)
{
    struct measure_names names = {0};
    *tests = (1u << MEASURE_PAIR_TESTS) - 1;
    if (strcmp(text, "all") == 0)
        return RB_OK;
    int status = read_names("tests", text, &names, error);
    *tests = 0;
    for (int32_t i = 0; i < names.count && status == RB_OK; i++) {
        const int test = measure_pair_test_called(names.name[i]);
        *tests |= 1u << test;
        if (test == MEASURE_PAIR_TESTS)
            status = sup_fail(
                error, RB_EINVAL,
                "--tests: unknown \"%s\": there are latency, exchange, send, receive, gap, and all",
                names.name[i]);
    }
    return status;
}

static int check_algorithm(const struct measure_request *request, int32_t k,
                           struct sup_error *error)
{
    const char *algorithm = request->algorithm.name[k];
    if (measure_is_own(algorithm))
        return RB_OK;
    for (int32_t i = 0; i < request->collective.count; i++)
        if (request->algorithm_info[i][k] != NULL)
            return RB_OK;
    return cli_check_algorithm(request->collective.name[0], algorithm, error);
}

static void resolve(struct measure_request *request)
{
    for (int32_t i = 0; i < request->collective.count; i++) {
        const char *collective = request->collective.name[i];
        request->collective_info[i] = rb_collective_find(collective);
        for (int32_t k = 0; k < request->algorithm.count; k++)
            request->algorithm_info[i][k] =
                rb_algorithm_find(collective, request->algorithm.name[k]);
    }
}

/* That there are not too many ways to run a case, and that --radix is for some of them. */
static int check_variants(const struct measure_request *request, struct sup_error *error)
{
    bool any_radix = false;
    for (int32_t i = 0; i < request->collective.count; i++) {
        const char *collective = request->collective.name[i];
        const int64_t variants = measure_variants(request, i);
        if (variants > MEASURE_MOST_VARIANTS)
            return sup_fail(error, RB_EINVAL,
                            "--blocks: %" PRId64 " variants of a %s, with these algorithms, "
                            "radices and overlap rules, are more than %d",
                            variants, collective, MEASURE_MOST_VARIANTS);
        for (int32_t k = 0; k < request->algorithm.count; k++) {
            const struct rb_algorithm_info *algorithm = request->algorithm_info[i][k];
            any_radix = any_radix || (algorithm != NULL && algorithm->radix != NULL);
        }
    }
    if (request->radices != NULL && !any_radix)
        return sup_fail(error, RB_EINVAL,
                        "--radix: none of these algorithms has one: roundabout list says which do");
    return RB_OK;
}

static int read_overlap(struct measure_request *request, int32_t i, struct sup_error *error)
{
    const char *text = request->overlap.name[i];
    int64_t window = 1;
    if (strncmp(text, "window:", 7) == 0 &&
        sup_parse_int(text + 7, 1, MOST_WINDOW, &window, NULL) != RB_OK)
        window = 0;
    if (window == 0 || (strcmp(text, "blocking") != 0 && strncmp(text, "window:", 7) != 0))
        return sup_fail(error, RB_EINVAL,
                        "--overlap: unknown \"%s\": on MPI there are blocking and window:W, W from "
                        "1 to %d",
                        text, MOST_WINDOW);
    request->window[i] = (int32_t)window;
    return RB_OK;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static void add_pair(struct measure_request *request, int32_t a, int32_t b)
{
    sup_grow(&request->pair, request->pair_count, sizeof *request->pair);
    request->pair[request->pair_count++] = (struct measure_rank_pair){a, b};
}

static int read_pair(struct measure_request *request, const char *text, int32_t ranks,
                     struct sup_error *error)
{
    int a, b, end = 0;
    if (sscanf(text, "%7d-%7d%n", &a, &b, &end) != 2 || text[end] != '\0' || a < 0 || b < 0 ||
        a == b || a >= ranks || b >= ranks)
        return sup_fail(error, RB_EINVAL,
                        "--pairs: \"%s\" is not two different ranks below %" PRId32
                        ", such as 0-1, nor distances, nor all",
                        text, ranks);
    add_pair(request, a, b);
    return RB_OK;
}

static int read_pairs(struct measure_request *request, const char *text, int32_t ranks,
                      struct sup_error *error)
{
    struct measure_names names = {0};
    if (ranks < 2)
        return sup_fail(error, RB_EINVAL,
                        "pairs need two ranks or more: mpirun -n 2 roundabout measure pairs");
    const bool all = strcmp(text, "all") == 0;
    if (all || strcmp(text, "distances") == 0) {
        for (int32_t a = 0; a < (all ? ranks : 1); a++)
            for (int32_t b = a + 1; b < ranks; b++)
                add_pair(request, a, b);
        return RB_OK;
    }
    int status = read_names("pairs", text, &names, error);
    for (int32_t i = 0; i < names.count && status == RB_OK; i++)
        status = read_pair(request, names.name[i], ranks, error);
    return status;
}

/* ---- The whole request ----------------------------------------------------------------------- */

static int read_operands(const struct cli_args *args, struct measure_request *request,
                         struct sup_error *error)
{
    const char *const *operands;
    const int32_t count = cli_args_operands(args, &operands);
    request->pairs = request->collectives = count == 0;
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(operands[i], "pairs") == 0)
            request->pairs = true;
        else if (strcmp(operands[i], "collectives") == 0)
            request->collectives = true;
        else
            return sup_fail(error, RB_EINVAL, "\"%s\": give pairs, or collectives, or both",
                            operands[i]);
    }
    return RB_OK;
}

static int read_collectives(const struct cli_args *args, int32_t ranks,
                            struct measure_request *request, struct sup_error *error)
{
    int status =
        read_names("collective", cli_args_text(args, "collective"), &request->collective, error);
    if (status == RB_OK && cli_args_given(args, "algorithm"))
        status =
            read_names("algorithm", cli_args_text(args, "algorithm"), &request->algorithm, error);
    else
        request->algorithm = (struct measure_names){.name = {MEASURE_LIBRARY_OWN}, .count = 2};
    if (status == RB_OK)
        status = read_names("overlap", cli_args_text(args, "overlap"), &request->overlap, error);
    for (int32_t i = 0; i < request->collective.count && status == RB_OK; i++)
        status = cli_check_collective(request->collective.name[i], error);
    if (status == RB_OK)
        resolve(request);
    for (int32_t i = 0; i < request->algorithm.count && status == RB_OK; i++)
        status = check_algorithm(request, i, error);
    for (int32_t i = 0; i < request->overlap.count && status == RB_OK; i++)
        status = read_overlap(request, i, error);
    if (status == RB_OK)
        status = check_variants(request, error);
    for (size_t i = 0; request->ranks != NULL && i < request->ranks->count; i++)
        if (status == RB_OK && request->ranks->value[i] > ranks)
            status =
                sup_fail(error, RB_EINVAL, "--ranks: %" PRId64 " is more than the job's %" PRId32,
                         request->ranks->value[i], ranks);
    for (size_t i = 0; request->ranks != NULL && i < request->ranks->count; i++)
        if (status == RB_OK && request->root >= request->ranks->value[i])
            status = sup_fail(error, RB_EINVAL, "--root: %" PRId32 " is not below -p %" PRId64,
                              request->root, request->ranks->value[i]);
    if (status == RB_OK && request->root >= ranks)
        status = sup_fail(error, RB_EINVAL,
                          "--root: %" PRId32 " is not below the job's %" PRId32 " ranks",
                          request->root, ranks);
    return status;
}

/* The collectives and the numbers of ranks are known. */
static int read_counts(const struct cli_args *args, int32_t ranks, struct measure_request *request,
                       struct sup_error *error)
{
    struct sup_counts *counts = &request->counts;
    const size_t sizes = request->ranks == NULL ? 1 : request->ranks->count;
    struct sup_error why;
    int status = sup_counts_parse(cli_args_text(args, "counts"), counts, &why);
    for (int32_t i = 0; i < request->collective.count; i++)
        for (size_t k = 0; k < sizes && status == RB_OK; k++) {
            struct rb_layout layout = {.element = 1};
            const int64_t p = request->ranks == NULL ? ranks : request->ranks->value[k];
            int64_t *first;
            status = sup_counts_apply(counts, request->collective_info[i], (int32_t)p, &layout,
                                      &first, &why);
            free(first);
        }
    sup_counts_format(counts, request->counts_text, sizeof request->counts_text);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--counts: %s", why.text);
}

static int read_seconds(const struct cli_args *args, const char *option, double *seconds,
                        struct sup_error *error)
{
    struct sup_error why;
    const int status = sup_parse_seconds(cli_args_text(args, option), seconds, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--%s: %s", option, why.text);
}

static const struct sup_list *list_if_given(const struct cli_args *args, const char *option)
{
    return cli_args_given(args, option) ? cli_args_list(args, option) : NULL;
}

int measure_request(const struct cli_args *args, int32_t ranks, struct measure_request *request,
                    struct sup_error *error)
{
    *request = (struct measure_request){
        .bytes = list_if_given(args, "bytes"),
        .ranks = list_if_given(args, "ranks"),
        .blocks = list_if_given(args, "blocks"),
        .radices = list_if_given(args, "radix"),
        .root = (int32_t)cli_args_int(args, "root"),
        .seed = (uint64_t)cli_args_int(args, "seed"),
        .precision = cli_args_real(args, "precision") / 100,
        .least_runs = cli_args_int(args, "least-runs"),
        .most_runs = cli_args_int(args, "most-runs"),
        .json = strcmp(cli_args_text(args, "format"), "json") == 0,
        .output = cli_args_text(args, "output"),
        .results = cli_args_text(args, "results"),
        .label = cli_args_given(args, "label") ? cli_args_text(args, "label") : "",
    };
    int status = read_operands(args, request, error);
    if (status == RB_OK)
        status = read_tests(cli_args_text(args, "tests"), &request->tests, error);
    if (status == RB_OK && request->pairs)
        status = read_pairs(request, cli_args_text(args, "pairs"), ranks, error);
    if (status == RB_OK)
        status = read_collectives(args, ranks, request, error);
    if (status == RB_OK)
        status = read_counts(args, ranks, request, error);
    if (status == RB_OK)
        status = read_seconds(args, "most-time", &request->most_time_s, error);
    if (status == RB_OK)
        status = read_seconds(args, "late", &request->late_s, error);
    if (status == RB_OK && request->most_runs < request->least_runs)
        status =
            sup_fail(error, RB_EINVAL, "--most-runs: %" PRId64 " is below --least-runs %" PRId64,
                     request->most_runs, request->least_runs);
    if (status == RB_OK && strlen(request->label) >= sizeof((struct measure_result *)0)->label)
        status = sup_fail(error, RB_EINVAL, "--label: at most 159 characters");
    if (status == RB_OK && request->results != NULL && !request->collectives)
        status =
            sup_fail(error, RB_EINVAL, "--results: holds collectives only; pairs go to -o FILE");
    return status;
}

void measure_request_free(struct measure_request *request)
{
    free(request->pair);
    *request = (struct measure_request){0};
}

int32_t measure_radices(const struct measure_request *request,
                        const struct rb_algorithm_info *algorithm)
{
    return algorithm->radix == NULL || request->radices == NULL ? 1
                                                                : (int32_t)request->radices->count;
}

int32_t measure_radix(const struct measure_request *request,
                      const struct rb_algorithm_info *algorithm, int32_t i)
{
    return algorithm->radix == NULL || request->radices == NULL
               ? 0
               : (int32_t)request->radices->value[i];
}

int64_t measure_variants(const struct measure_request *request, int32_t i)
{
    const int64_t blocks = request->blocks == NULL ? 1 : (int64_t)request->blocks->count;
    int64_t variants = 0;
    for (int32_t k = 0; k < request->algorithm.count; k++) {
        const char *name = request->algorithm.name[k];
        const struct rb_algorithm_info *algorithm = request->algorithm_info[i][k];
        if (measure_is_own(name))
            variants++;
        else if (algorithm != NULL)
            variants += request->overlap.count * (algorithm->pipelined ? blocks : 1) *
                        measure_radices(request, algorithm);
    }
    return variants;
}

struct sup_list measure_sizes(const struct measure_request *request, bool pairs, int64_t element)
{
    struct sup_list bytes = {0};
    int64_t of_file = 0;
    struct sup_error ignored;
    if (sup_counts_bytes(&request->counts, element, &of_file, &ignored) != RB_OK)
        of_file = INT64_MAX;
    const struct sup_list one = {&of_file, 1};
    const struct sup_list *list =
        request->bytes == NULL && of_file > 0 && !pairs ? &one : request->bytes;
    if (list == NULL) {
        sup_parse_list(pairs ? PAIR_SIZES : COLLECTIVE_SIZES, true, 0, MEASURE_MOST_BYTES, 1000,
                       &bytes, NULL);
        return bytes;
    }
    const size_t size = list->count * sizeof *bytes.value;
    bytes.value = memcpy(sup_malloc(size), list->value, size);
    bytes.count = list->count;
    return bytes;
}
