/* test_rules.c - files of rules for MPI libraries: what is written is what the library's own
 * look-up finds, at every size and number of ranks, and mangled files are refused with one line. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/rules/rules.h"

enum { MOST = 20000 };

/* ---- Times ----------------------------------------------------------------------------------- */

struct made {
    struct rules_candidate candidate[MOST];
    size_t count;
};

static void add(struct made *made, const char *collective, const char *algorithm, int32_t p,
                int64_t m, int64_t n, double time_s)
{
    assert_true(made->count < MOST);
    made->candidate[made->count++] = (struct rules_candidate){.collective = collective,
                                                              .algorithm = algorithm,
                                                              .p = p,
                                                              .ppn = 1,
                                                              .m_bytes = m,
                                                              .n = n,
                                                              .time_s = time_s};
}

/* A pipeline of `hops` and n blocks; a scatter and allgather; a tree. */
static double pipeline_s(double hops, int64_t m, int64_t n)
{
    return ((double)n + hops) * (1e-6 + (double)m / (double)n * 1e-10);
}

static void add_pipeline(struct made *made, const char *collective, const char *algorithm,
                         double hops, double factor, int32_t p, int64_t m)
{
    for (int64_t n = 1; n <= 4096 && n * 4 <= m; n *= 4)
        add(made, collective, algorithm, p, m, n, factor * pipeline_s(hops, m, n));
    if (m < 4)
        add(made, collective, algorithm, p, m, 1, factor * pipeline_s(hops, m, 1));
}

static double shares_s(int32_t p, int64_t m, double rounds, double volume)
{
    return rounds * 1e-6 + volume * (double)(p - 1) / p * (double)m * 1e-10;
}

/* Closed forms of what libraries have, and of one that they lack. */
static void add_point(struct made *made, int32_t p, int64_t m)
{
    const double q = ceil(log2(p)), x = (double)m * 1e-10;
    add_pipeline(made, "bcast", "chain", p - 2, 1, p, m);
    add_pipeline(made, "bcast", "binary", 2 * q, 2, p, m);
    add_pipeline(made, "bcast", "circulant", q - 1, 1, p, m);
    add(made, "bcast", "binomial", p, m, 1, q * (1e-6 + x));
    add(made, "bcast", "scatter-allgather", p, m, 1, shares_s(p, m, p + q, 2));
    add_pipeline(made, "reduce", "chain", p - 2, 1.3, p, m);
    add(made, "reduce", "binomial", p, m, 1, q * (1e-6 + 1.3 * x));
    add(made, "reduce", "rabenseifner", p, m, 1, shares_s(p, m, 2 * q, 2.3));
    add(made, "allreduce", "recursive-doubling", p, m, 1, q * (1e-6 + 1.3 * x));
    add(made, "allreduce", "ring", p, m, 1, shares_s(p, m, 2 * p, 2.3));
    add(made, "allreduce", "rabenseifner", p, m, 1, shares_s(p, m, 2.5 * q, 2.4));
    add(made, "allgather", "dissemination", p, m, 1, shares_s(p, m, q, 1.6));
    if ((p & (p - 1)) == 0)
        add(made, "allgather", "recursive-doubling", p, m, 1, shares_s(p, m, q, 1.5));
    add(made, "allgather", "ring", p, m, 1, shares_s(p, m, p - 1, 1));
    if (p == 2)
        add(made, "allgather", "pairwise", p, m, 1, 0.5e-6);
    add(made, "alltoall", "pairwise", p, m, 1, (p - 1) * (1e-6 + x / p / p));
    add(made, "alltoall", "bruck", p, m, 1, q * (1e-6 + x / p / 2));
    made->candidate[made->count - 1].radix = 2;
    add(made, "reduce-scatter", "recursive-halving", p, m, 1, shares_s(p, m, q, 1.5));
    add(made, "reduce-scatter", "pairwise", p, m, 1, shares_s(p, m, p, 1.01));
    add(made, "gather", "binomial", p, m, 1, shares_s(p, m, q, 1.2));
    add(made, "gather", "flat", p, m, 1, shares_s(p, m, p, 1));
}

static struct made *make(void)
{
    static const int32_t ranks[] = {2, 4, 7, 8, 16, 48};
    struct made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (int64_t m = 4; m <= (int64_t)1 << 28; m *= 8)
            add_point(made, ranks[i], m);
    return made;
}

static void build(const char *format, const struct made *made, struct rules_table *table)
{
    const struct rules_request request = {
        .format = rules_format_find(format), .element_bytes = 4, .tolerance = 0.02};
    struct sup_error error = {.text = ""};
    assert_non_null(request.format);
    if (rules_build(&request, made->candidate, made->count, table, &error) != RB_OK)
        fail_msg("%s: %s", format, error.text);
}

/* The trees of MPICH begin so; each collective of these has some rules. */
static const char mpich_base[] =
    "{\"collective=bcast\":{\"comm_type=intra\":{\"algorithm=MPIR_Bcast_intra_smp\":{}}},"
    "\"collective=reduce\":{\"comm_type=intra\":{\"algorithm=MPIR_Reduce_intra_smp\":{}}},"
    "\"collective=allreduce\":{\"comm_type=intra\":{\"algorithm=MPIR_Allreduce_intra_smp\":{}}},"
    "\"collective=allgather\":{\"comm_type=intra\":{\"algorithm=MPIR_Allgather_intra_ring\":{}}},"
    "\"collective=allgatherv\":{\"comm_type=intra\":{\"algorithm=MPIR_Allgatherv_intra_ring\":{}}},"
    "\"collective=alltoall\":{\"comm_type=intra\":{\"algorithm=MPIR_Alltoall_intra_brucks\":{}}},"
    "\"collective=reduce_scatter\":{\"comm_type=intra\":{\"algorithm=x\":{}}},"
    "\"collective=reduce_scatter_block\":{\"comm_type=intra\":{\"algorithm=x\":{}}},"
    "\"collective=ibcast\":{\"algorithm=MPIR_Ibcast_intra_sched_binomial\":{}}}";

static char base_path[] = "/tmp/rules_base_XXXXXX";

/* As in a library: other texts around. */
static int make_base(void **state)
{
    (void)state;
    const int file = mkstemp(base_path);
    FILE *stream = file < 0 ? NULL : fdopen(file, "wb");
    if (stream == NULL)
        return -1;
    fwrite("\177ELF\0{\"collective=\0{{\"collective=bcast\":1}\0", 1, 42, stream);
    fwrite(mpich_base, 1, sizeof mpich_base, stream);
    return fclose(stream);
}

static int remove_base(void **state)
{
    (void)state;
    return unlink(base_path);
}

static char *write_rules(const struct rules_table *table, size_t *size)
{
    const struct rules_head head = {.source = "a test\nwith \x1b two lines", .base = base_path};
    struct sup_error error = {.text = ""};
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    assert_non_null(stream);
    if (rules_write(table, &head, stream, &error) != RB_OK)
        fail_msg("%s", error.text);
    fclose(stream);
    assert_null(strchr(text, '\x1b'));
    return text;
}

/* ---- What is written is found ---------------------------------------------------------------- */

/* The least m of which the library's measure is this size. */
static int64_t m_of(const struct rules_table *table, const struct rules_call *call, int32_t p,
                    int64_t size)
{
    int64_t unit = 1;
    while (rules_measure(table->format, call->call, p, unit) == 0 && unit <= (int64_t)p * p)
        unit *= p > 1 ? p : 2;
    return unit > (int64_t)p * p ? size : size * unit;
}

static void check_answer(const struct rules_table *table, const struct rules_file *file,
                         const struct rules_rule *rule, int32_t p, int64_t size)
{
    const struct rules_query query = {.collective = rule->call->collective,
                                      .call = rule->call->call,
                                      .p = p,
                                      .ppn = 1,
                                      .m_bytes = m_of(table, rule->call, p, size)};
    struct rules_answer answer;
    const bool found = rules_look_up(file, &query, &answer);
    if (found != (rule->row != NULL) ||
        (found && (answer.row != rule->row ||
                   (rule->row->variable == NULL && answer.segment_bytes != rule->segment_bytes) ||
                   (rule->row->fanned && answer.radix != rule->radix))))
        fail_msg("%s, %s, p = %" PRId32 ", %" PRId64 " bytes: found %s with segments of %" PRId64
                 ", not %s with %" PRId64,
                 rules_format_name(table->format), rule->call->call, p, size,
                 found ? answer.name : "nothing", answer.segment_bytes,
                 rule->row == NULL ? "nothing" : rule->row->name, rule->segment_bytes);
}

static int32_t most_ranks(const struct rules_rule *rule)
{
    return rule->p_high == INT32_MAX ? rule->p_low + 1000 : rule->p_high;
}

/* Every rule at the ends of its ranges, and within. */
static void check_replay(const char *format)
{
    struct made *made = make();
    struct rules_table table;
    struct rules_file *file;
    struct sup_error error;
    size_t size;
    build(format, made, &table);
    char *text = write_rules(&table, &size);
    if (rules_parse("made", text, size, table.format, &file, &error) != RB_OK)
        fail_msg("%s: %s\n%s", format, error.text, text);
    for (size_t i = 0; i < table.count; i++) {
        const struct rules_rule *rule = &table.rule[i];
        const int32_t ranks[] = {rule->p_low, most_ranks(rule)};
        const int64_t high = rule->high == INT64_MAX ? rule->low + 123456789 : rule->high;
        const int64_t sizes[] = {rule->low, rule->low + (high - rule->low) / 2, high};
        for (size_t k = 0; k < 6; k++)
            check_answer(&table, file, rule, ranks[k / 3], sizes[k % 3]);
    }
    if (getenv("RULES_SHOW") != NULL)
        fwrite(text, 1, size, stderr);
    assert_true(table.count > 10);
    rules_file_free(file);
    rules_table_free(&table);
    free(text);
    free(made);
}

static void all_formats_replay(void **state)
{
    (void)state;
    const struct rules_format *format;
    for (size_t i = 0; (format = rules_format_at(i)) != NULL; i++)
        check_replay(rules_format_name(format));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_replay),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
