/* formulas_compare.c - a formula against simulations; and all of them (formulas.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "roundabout.h"
#include "studies/check/formulas.h"
#include "support/memory.h"

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
        check_formulas_print(request, &results);
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
