/* formulas.c - the slides' formulas, in their order (check.h). */
#include "studies/check/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/verdict.h"

/* ts + tw times a multiple of m. */
static double message_s(const struct check_slide *x, double times)
{
    return x->ts_s + x->tw_s_per_byte * x->m * times;
}

/* (1), and of all-reduce and prefix sums: (ts + tw m) log p. */
static double doubling_s(const struct check_slide *x)
{
    return message_s(x, 1) * log2(x->p);
}

/* All-to-all broadcast on a ring; (7): (ts + tw m)(p - 1). */
static double steps_s(const struct check_slide *x)
{
    return message_s(x, 1) * (x->p - 1);
}

/* All-to-all broadcast on a mesh: 2 ts (sqrt p - 1) + tw m (p - 1). */
static double mesh_all_s(const struct check_slide *x)
{
    return 2 * x->ts_s * (sqrt(x->p) - 1) + x->tw_s_per_byte * x->m * (x->p - 1);
}

/* (2), (3): ts log p + tw m (p - 1). */
static double growing_s(const struct check_slide *x)
{
    return x->ts_s * log2(x->p) + x->tw_s_per_byte * x->m * (x->p - 1);
}

/* (4): (ts + tw m p / 2)(p - 1). */
static double personalized_ring_s(const struct check_slide *x)
{
    return message_s(x, x->p / 2) * (x->p - 1);
}

/* (5): (2 ts + tw m p)(sqrt p - 1). */
static double personalized_mesh_s(const struct check_slide *x)
{
    return (2 * x->ts_s + x->tw_s_per_byte * x->m * x->p) * (sqrt(x->p) - 1);
}

/* (6): (ts + tw m p / 2) log p. */
static double personalized_hypercube_s(const struct check_slide *x)
{
    return message_s(x, x->p / 2) * log2(x->p);
}

/* Circular shift on a ring: min(q, p - q) neighbour communications. */
static double shift_ring_s(const struct check_slide *x)
{
    return message_s(x, 1) * fmin(x->q, x->p - x->q);
}

/* Circular shift on a mesh: (ts + tw m)(sqrt p + 1). */
static double shift_mesh_s(const struct check_slide *x)
{
    return message_s(x, 1) * (sqrt(x->p) + 1);
}

/* (8): (ts + tw m)(2 log p - 1). */
static double shift_hypercube_s(const struct check_slide *x)
{
    return message_s(x, 1) * (2 * log2(x->p) - 1);
}

/* (9): ts + tw m. */
static double shift_direct_s(const struct check_slide *x)
{
    return message_s(x, 1);
}

/* (10): 2 (ts log p + tw (p - 1) m / p), and the slide's approximation: 2 (ts log p + tw m). */
static double split_s(const struct check_slide *x)
{
    return 2 * (x->ts_s * log2(x->p) + x->tw_s_per_byte * (x->p - 1) * x->m / x->p);
}

static double split_about_s(const struct check_slide *x)
{
    return 2 * (x->ts_s * log2(x->p) + x->tw_s_per_byte * x->m);
}

static const struct check_statement one_to_all = {"(1)", "(ts + tw m) log p", doubling_s,
                                                  CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement all_on_ring = {"", "(ts + tw m)(p - 1)", steps_s,
                                                   CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_on_mesh = {
    "", "2 ts (sqrt p - 1) + tw m (p - 1)", mesh_all_s, CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_on_hypercube = {"(2)", "ts log p + tw m (p - 1)", growing_s,
                                                        CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement all_reduce = {"", "(ts + tw m) log p", doubling_s,
                                                  CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement personalized = {"(3)", "ts log p + tw m (p - 1)", growing_s,
                                                    CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement total_on_ring = {
    "(4)", "(ts + tw m p / 2)(p - 1)", personalized_ring_s, CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement total_on_mesh = {"(5)", "(2 ts + tw m p)(sqrt p - 1)",
                                                     personalized_mesh_s, CHECK_FORMULA_EXACT,
                                                     CHECK_DATA_PAIR};
static const struct check_statement total_on_hypercube = {"(6)", "(ts + tw m p / 2) log p",
                                                          personalized_hypercube_s,
                                                          CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement total_optimal = {"(7)", "(ts + tw m)(p - 1)", steps_s,
                                                     CHECK_FORMULA_EXACT, CHECK_DATA_PAIR};
static const struct check_statement shift_on_ring = {"", "(ts + tw m) min(q, p - q)", shift_ring_s,
                                                     CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement shift_on_mesh = {"", "(ts + tw m)(sqrt p + 1)", shift_mesh_s,
                                                     CHECK_FORMULA_BOUND, CHECK_DATA_EACH};
static const struct check_statement shift_on_hypercube = {
    "(8)", "(ts + tw m)(2 log p - 1)", shift_hypercube_s, CHECK_FORMULA_BOUND, CHECK_DATA_EACH};
static const struct check_statement shift_by_e_cube = {"(9)", "ts + tw m", shift_direct_s,
                                                       CHECK_FORMULA_EXACT, CHECK_DATA_EACH};
static const struct check_statement in_parts = {"(10)", "2 (ts log p + tw (p - 1) m / p)", split_s,
                                                CHECK_FORMULA_EXACT, CHECK_DATA_WHOLE};
static const struct check_statement in_parts_about = {"(10)", "2 (ts log p + tw m)", split_about_s,
                                                      CHECK_FORMULA_BOUND, CHECK_DATA_WHOLE};

enum {
    POWER = CHECK_FORMULA_POWER,
    SQUARE = CHECK_FORMULA_SQUARE,
    PARTS = CHECK_FORMULA_PARTS,
    SHIFTS = CHECK_FORMULA_SHIFTS,
    GRAY = CHECK_FORMULA_GRAY,
};

/* clang-format off */
const struct check_formula check_formula_table[] = {
    {&one_to_all, "bcast", "ring", "ring", POWER},
    {&one_to_all, "bcast", "mesh", "mesh", POWER | SQUARE},
    {&one_to_all, "bcast", "hypercube", "hypercube", POWER},
    {&one_to_all, "bcast", "tree", "tree", POWER},
    {&one_to_all, "reduce", "ring", "ring", POWER},
    {&one_to_all, "reduce", "mesh", "mesh", POWER | SQUARE},
    {&one_to_all, "reduce", "hypercube", "hypercube", POWER},
    {&one_to_all, "reduce", "tree", "tree", POWER},
    {&all_on_ring, "allgather", "ring", "ring", 0},
    {&all_on_mesh, "allgather", "mesh", "mesh", SQUARE},
    {&all_on_hypercube, "allgather", "hypercube", "hypercube", POWER},
    {&all_on_ring, "reduce-scatter", "ring", "ring", 0},
    {&all_on_mesh, "reduce-scatter", "mesh", "mesh", SQUARE},
    {&all_on_hypercube, "reduce-scatter", "hypercube", "hypercube", POWER},
    {&all_reduce, "allreduce", "hypercube-exchange", "hypercube", POWER},
    {&all_reduce, "scan", "hypercube", "hypercube", POWER},
    {&personalized, "scatter", "ring", "ring", POWER},
    {&personalized, "scatter", "mesh", "mesh", POWER | SQUARE},
    {&personalized, "scatter", "hypercube", "hypercube", POWER},
    {&personalized, "gather", "ring", "ring", POWER},
    {&personalized, "gather", "mesh", "mesh", POWER | SQUARE},
    {&personalized, "gather", "hypercube", "hypercube", POWER},
    {&total_on_ring, "alltoall", "ring", "ring", 0},
    {&total_on_mesh, "alltoall", "mesh", "mesh", SQUARE},
    {&total_on_hypercube, "alltoall", "hypercube", "hypercube", POWER},
    {&total_optimal, "alltoall", "xor", "hypercube", POWER},
    {&shift_on_ring, "shift", "ring", "ring", SHIFTS},
    {&shift_on_mesh, "shift", "mesh", "mesh", SQUARE | SHIFTS},
    {&shift_on_hypercube, "shift", "hypercube", "hypercube", POWER | SHIFTS | GRAY},
    {&shift_by_e_cube, "shift", "direct", "hypercube", POWER | SHIFTS},
    {&in_parts, "bcast", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts_about, "bcast", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts, "reduce", "hypercube-split", "hypercube", POWER | PARTS},
    {&in_parts, "allreduce", "hypercube-split", "hypercube", POWER | PARTS},
};
/* clang-format on */
const size_t check_formula_count = sizeof check_formula_table / sizeof check_formula_table[0];

/* ---- Reports --------------------------------------------------------------------------------- */

#define PAPER                                                                                      \
    "Grama, Gupta, Karypis, Kumar: Basic Communication Operations (Introduction to Parallel "      \
    "Computing, 2003)"

static const char *kind_of(const struct check_formula_line *line)
{
    return line->formula->states->kind == CHECK_FORMULA_EXACT ? "exact" : "bound";
}

static const char *data_of(const struct check_formula_line *line)
{
    static const char *const names[] = {
        [CHECK_DATA_WHOLE] = "message", [CHECK_DATA_EACH] = "rank", [CHECK_DATA_PAIR] = "pair"};
    return names[line->formula->states->data];
}

static double ratio_of(const struct check_formula_line *line)
{
    return line->simulated_s / line->predicted_s;
}

/* "shift hypercube, q = 7" */
static const char *describe(const struct check_formula_line *line, char *text, size_t size)
{
    snprintf(text, size, "%s %s", line->formula->collective, line->formula->algorithm);
    if (line->q > 0)
        sup_append(text, size, ", ", "q = %" PRId32, line->q);
    return text;
}

static const char *placement_of(const struct check_formula_line *line)
{
    return (line->formula->flags & CHECK_FORMULA_GRAY) != 0 ? "gray" : "block";
}

/* The platform without its details, which are the same in all lines. */
static const char *shape_of(const struct check_formula_line *line, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)strcspn(line->platform, ","), line->platform);
    return text;
}

static const struct out_column columns[] = {
    {"formula", .heading = "formula", .kind = OUT_WORD, .width = -4},
    {"text", .heading = "", .kind = OUT_WORD, .width = -33, .quoted = true},
    {"kind", .kind = OUT_WORD},
    {"collective", .kind = OUT_WORD},
    {"algorithm", .kind = OUT_WORD},
    {"instance", .kind = OUT_WORD},
    {.heading = "algorithm", .kind = OUT_WORD, .width = -29},
    {.heading = "topology", .kind = OUT_WORD, .width = -13, .less = 1},
    {"platform", .kind = OUT_WORD, .quoted = true},
    {"placement", .kind = OUT_WORD},
    {"progress", .kind = OUT_WORD, .same = true},
    {"p", .heading = "p", .kind = OUT_COUNT, .width = 5},
    {"m_bytes", .heading = "m", .kind = OUT_BYTES, .width = 7},
    {"per", .heading = "per", .kind = OUT_WORD, .width = -7, .less = 4},
    {"predicted_s", .heading = "predicted", .kind = OUT_SECONDS, .width = 10, .less = 3},
    {"simulated_s", .heading = "simulated", .kind = OUT_SECONDS, .width = 10, .less = 3},
    {"ratio", .heading = "ratio", .kind = OUT_REAL, .width = -11, .real = "%.9g", .less = 2},
    {"holds", .kind = OUT_TRUTH},
    {.heading = "", .kind = OUT_WORD},
    {"version", .kind = OUT_WORD, .same = true},
};
static const struct out_table comparisons = {columns, .width = OUT_COUNT_OF(columns)};

static void print_line(const struct check_formula_line *line, const char *overlap,
                       struct out_rows *rows)
{
    char what[64], shape[32], instance[32] = "";
    if (line->q > 0)
        snprintf(instance, sizeof instance, "q=%" PRId32, line->q);
    const union out_cell cells[] = {{.word = line->formula->states->number},
                                    {.word = line->formula->states->text},
                                    {.word = kind_of(line)},
                                    {.word = line->formula->collective},
                                    {.word = line->formula->algorithm},
                                    {.word = instance},
                                    {.word = describe(line, what, sizeof what)},
                                    {.word = shape_of(line, shape, sizeof shape)},
                                    {.word = line->platform},
                                    {.word = placement_of(line)},
                                    {.word = overlap},
                                    {.whole = line->p},
                                    {.whole = line->m},
                                    {.word = data_of(line)},
                                    {.real = line->predicted_s},
                                    {.real = line->simulated_s},
                                    {.real = ratio_of(line)},
                                    {.whole = line->holds},
                                    {.word = line->holds ? kind_of(line) : "FAILS"},
                                    {.word = cli_program_version}};
    out_rows_add(rows, cells);
}

static size_t count_holding(const struct check_formula_results *results)
{
    size_t holding = 0;
    for (size_t i = 0; i < results->count; i++)
        holding += results->line[i].holds;
    return holding;
}

/* On a screen only what fails. */
static void print_rows(const struct check_request *request,
                       const struct check_formula_results *results, const char *overlap, bool all)
{
    struct out_rows rows;
    out_rows_begin(&rows, &comparisons, request->format, request->stream,
                   json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:I, s:s}", "check",
                             check_paper_formulas.name, "paper", PAPER, "ts_s", check_formula_ts_s,
                             "tw_s_per_byte", check_formula_tw_s_per_byte, "engine", "simgrid",
                             "progress", overlap, "left_out", (json_int_t)results->left_out,
                             "version", cli_program_version),
                   "rows");
    for (size_t i = 0; i < results->count; i++)
        if (all || !results->line[i].holds)
            print_line(&results->line[i], overlap, &rows);
    out_rows_end(&rows);
}

static void formulas_print(const struct check_request *request,
                           const struct check_formula_results *results)
{
    char overlap[32];
    sim_overlap_format(&request->overlap, overlap, sizeof overlap);
    const bool text = request->format == OUT_TEXT, all = !text || request->details;
    FILE *stream = request->stream;
    const size_t holding = count_holding(results);
    if (text)
        out_say(stream,
                "%zu of %zu simulations agree with the formulas of Grama et al. (2003): the exact "
                "ones to 1e-9, and no bound is exceeded.",
                holding, results->count);
    if (all || holding < results->count)
        print_rows(request, results, overlap, all);
    if (text && results->left_out > 0 && request->details)
        out_say(stream,
                "%zu left out, because p or m does not fit: log p must be a whole number, a mesh "
                "must be square, and p must divide m in (10)",
                results->left_out);
    if (text)
        out_say(stream, "By simgrid, %s; ts = %g us, tw = %g ns/B; of shifts the slowest q.",
                overlap, check_formula_ts_s * 1e6, check_formula_tw_s_per_byte * 1e9);
    if (!all)
        out_more(stream, "--details (each case), -p, -m, --overlap RULE, --format csv");
}

/* ---- Against simulations --------------------------------------------------------------------- */

const double check_formula_ts_s = 10e-6, check_formula_tw_s_per_byte = 1e-9;
#define LINKS "latency=10us,bandwidth=1GBps" /* the size, as a platform's text */

static const double tolerance = 1e-9;

/* The square root of p, or 0 if that is no whole number. */
static int32_t root_of(int32_t p)
{
    const int32_t root = (int32_t)lround(sqrt(p));
    return root * root == p ? root : 0;
}

static bool has(const struct check_formula *formula, enum check_formula_flags flag)
{
    return (formula->flags & flag) != 0;
}

bool check_formula_applies(const struct check_formula *formula, int32_t p, int64_t m)
{
    const bool power = (p & (p - 1)) == 0;
    return (power || !has(formula, CHECK_FORMULA_POWER)) &&
           (root_of(p) > 0 || !has(formula, CHECK_FORMULA_SQUARE)) &&
           (m % p == 0 || !has(formula, CHECK_FORMULA_PARTS));
}

static void name_platform(const struct check_formula *formula, int32_t p, char *text, size_t size)
{
    if (has(formula, CHECK_FORMULA_SQUARE))
        snprintf(text, size, "%s:%" PRId32 "x%" PRId32 "," LINKS, formula->topology, root_of(p),
                 root_of(p));
    else
        snprintf(text, size, "%s:%" PRId32 "," LINKS, formula->topology, p);
}

static int64_t bytes_of_all(const struct check_formula *formula, int32_t p, int64_t m)
{
    switch (formula->states->data) {
    case CHECK_DATA_EACH:
        return m * p;
    case CHECK_DATA_PAIR:
        return m * p * p;
    default:
        return m;
    }
}

/* line->p, q, m and platform are set. */
static int simulate(const struct check_formula_line *line, const struct sim_overlap *overlap,
                    double *time_s, struct sup_error *error)
{
    char instance[32], why[256];
    const struct check_formula *formula = line->formula;
    snprintf(instance, sizeof instance, "q=%" PRId32, line->q);
    const struct rb_plan_spec wanted = {.collective = formula->collective,
                                        .algorithm = formula->algorithm,
                                        .p = line->p,
                                        .n = 1,
                                        .instance =
                                            has(formula, CHECK_FORMULA_SHIFTS) ? instance : NULL};
    struct rb_plan *plan;
    int status = rb_plan_create(&wanted, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    const struct rb_layout layout = {.bytes = bytes_of_all(formula, line->p, line->m),
                                     .element = 1};
    const struct sim_spec spec = {
        .plan = plan,
        .layout = &layout,
        .platform = line->platform,
        .ppn = 1,
        .placement = {.rule = has(formula, CHECK_FORMULA_GRAY) ? SIM_GRAY : SIM_BLOCK},
        .overlap = *overlap,
    };
    struct sim_result result = {0};
    status = sim_run(sim_engine_find("simgrid"), &spec, &result, error);
    *time_s = result.time_s;
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

/* By how much a line fails to hold; 0 or less: it holds. */
static double trouble(const struct check_formula_line *line)
{
    const double over = line->simulated_s / line->predicted_s - 1;
    return line->formula->states->kind == CHECK_FORMULA_EXACT ? fabs(over) : over;
}

int check_formula_compare(const struct check_formula *formula, int32_t p, int64_t m,
                          const struct sim_overlap *overlap, struct check_formula_line *line,
                          struct sup_error *error)
{
    struct check_formula_line tried = {.formula = formula, .p = p, .m = m};
    const bool shifts = has(formula, CHECK_FORMULA_SHIFTS);
    const int32_t first = shifts ? 1 : 0, last = shifts ? p - 1 : 0;
    name_platform(formula, p, tried.platform, sizeof tried.platform);
    for (tried.q = first; tried.q <= last; tried.q++) {
        const struct check_slide slide = {p, (double)m, tried.q, check_formula_ts_s,
                                          check_formula_tw_s_per_byte};
        const int status = simulate(&tried, overlap, &tried.simulated_s, error);
        if (status != RB_OK)
            return status;
        tried.predicted_s = formula->states->time_s(&slide);
        tried.holds = trouble(&tried) <= tolerance;
        if (tried.q == first || trouble(&tried) > trouble(line) + tolerance)
            *line = tried;
    }
    return RB_OK;
}

/* ---- All of them ---- */

static const int64_t own_ranks[] = {4, 8, 9, 16, 64}, own_bytes[] = {1024, 65536};

/* The values of the requested list, or of the check's own. */
static size_t values_of(const struct sup_list *requested, const int64_t own[], size_t own_count,
                        const int64_t **value)
{
    *value = requested != NULL ? requested->value : own;
    return requested != NULL ? requested->count : own_count;
}

struct job {
    const struct check_formula *formula;
    int32_t p;
    int64_t m;
};

/* The combinations that fit, which the caller frees; *left_out of them do not. */
static struct job *list_jobs(const struct check_request *request, size_t *count, size_t *left_out)
{
    const int64_t *ranks, *bytes;
    const size_t rank_count =
        values_of(request->ranks, own_ranks, sizeof own_ranks / sizeof *own_ranks, &ranks);
    const size_t byte_count =
        values_of(request->bytes, own_bytes, sizeof own_bytes / sizeof *own_bytes, &bytes);
    const size_t all = check_formula_count * rank_count * byte_count;
    struct job *jobs = sup_calloc(all, sizeof *jobs);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        const struct check_formula *formula = &check_formula_table[i / byte_count / rank_count];
        const struct job job = {formula, (int32_t)ranks[i / byte_count % rank_count],
                                bytes[i % byte_count]};
        if (check_formula_applies(formula, job.p, job.m))
            jobs[(*count)++] = job;
    }
    *left_out = all - *count;
    return jobs;
}

/* The number of simulations: one for each q of a shift. */
static int64_t work_of(const struct job *job)
{
    return has(job->formula, CHECK_FORMULA_SHIFTS) ? job->p - 1 : 1;
}

static int compare_all(const struct check_request *request, const struct job jobs[], size_t count,
                       struct check_formula_line lines[], struct sup_error *error)
{
    int status = RB_OK;
    int64_t total = 0, done = 0;
    struct cli_bar bar;
    for (size_t i = 0; i < count; i++)
        total += work_of(&jobs[i]);
    cli_bar_start(&bar, "check formulas", total);
    for (size_t i = 0; i < count && status == RB_OK; i++) {
        status = check_formula_compare(jobs[i].formula, jobs[i].p, jobs[i].m, &request->overlap,
                                       &lines[i], error);
        done += work_of(&jobs[i]);
        cli_bar_update(&bar, done, NULL);
    }
    cli_bar_end(&bar);
    return status;
}

static int run(const struct check_request *request, struct sup_error *error)
{
    size_t count, left_out;
    struct job *jobs = list_jobs(request, &count, &left_out);
    struct check_formula_line *lines = sup_calloc(count, sizeof *lines);
    const struct check_formula_results results = {lines, count, left_out};
    int status = compare_all(request, jobs, count, lines, error);
    if (status == RB_OK)
        formulas_print(request, &results);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        if (!lines[i].holds)
            status = sup_fail(error, RB_EWRONG, "%s %s on %s: formula %s does not hold",
                              lines[i].formula->collective, lines[i].formula->algorithm,
                              lines[i].platform, lines[i].formula->states->text);
    free(lines);
    free(jobs);
    return status;
}

const struct check_paper check_paper_formulas = {
    .name = "formulas",
    .title = "the cost formulas of Grama et al., simulated on the algorithms' own topologies",
    .options = (const char *const[]){"ranks", "bytes", "overlap", NULL},
    .run = run,
};
