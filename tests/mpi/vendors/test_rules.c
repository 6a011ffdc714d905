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

#include "mpi/vendors/rules/rules.h"

enum { MOST = 20000 };

/* NULL after the last. */
static const struct rules_format *format_at(size_t i)
{
    const char *name = rules_format_word((int32_t)i);
    return name == NULL ? NULL : rules_format_find(name);
}

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
    add(made, "reduce", "rabenseifner-doubling", p, m, 1, shares_s(p, m, 2 * q, 2.3));
    add(made, "allreduce", "recursive-doubling", p, m, 1, q * (1e-6 + 1.3 * x));
    add(made, "allreduce", "ring", p, m, 1, shares_s(p, m, 2 * p, 2.3));
    add(made, "allreduce", "rabenseifner-doubling", p, m, 1, shares_s(p, m, 2.5 * q, 2.4));
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
    /* NCCL's, which win nowhere else. */
    add(made, "allreduce", "multi-ring", p, m, 1, 1e-3 + shares_s(p, m, 200 * p, 200));
    add(made, "allreduce", "two-tree-in-lanes", p, m, 1, 1e-3 + shares_s(p, m, 100 * q, 300));
    add(made, "allgather", "multi-ring", p, m, 1, 1e-3 + shares_s(p, m, 200 * p, 200));
    add(made, "allgather", "pat", p, m, 1, 1e-3 + shares_s(p, m, 100 * q, 300));
    add(made, "bcast", "multi-ring", p, m, 1, 1e-3 + shares_s(p, m, 200 * p, 200));
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

static void build_where(const char *format, const struct made *made, bool everywhere,
                        struct rules_table *table)
{
    const struct rules_request request = {.format = rules_format_find(format),
                                          .element_bytes = 4,
                                          .tolerance = 0.02,
                                          .everywhere = everywhere};
    struct sup_error error = {.text = ""};
    assert_non_null(request.format);
    if (rules_build(&request, made->candidate, made->count, table, &error) != RB_OK)
        fail_msg("%s: %s", format, error.text);
}

static void build(const char *format, const struct made *made, struct rules_table *table)
{
    build_where(format, made, true, table);
}

/* The trees of MPICH begin so; each collective of these has some rules. */
static const char mpich_base[] =
    "{\"collective=bcast\":{\"comm_type=intra\":{\"comm_size<8\":{\"algorithm=x\":{}},"
    "\"comm_size=any\":{\"algorithm=MPIR_Bcast_intra_smp\":{}}}},"
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

/* True if the call goes as without the file: no rule serves it, or it is what MPICH's own tree
 * says, which is in the file. */
static bool is_own_choice(const struct rules_file *file, const struct rules_query *query)
{
    const struct rules_format *format = rules_file_format(file);
    struct rules_answer answer, own;
    struct rules_file *base;
    struct sup_error error;
    const bool found = rules_look_up(file, query, &answer);
    if (format->base == NULL)
        return !found;
    assert_int_equal(rules_parse("base", mpich_base, strlen(mpich_base), format, &base, &error),
                     RB_OK);
    assert_true(rules_look_up(base, query, &own));
    rules_file_free(base);
    return found && strcmp(answer.name, own.name) == 0;
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
    const bool right = rule->row == NULL ? is_own_choice(file, &query)
                                         : found && answer.row == rule->row &&
                                               (rule->row->variable != NULL ||
                                                answer.segment_bytes == rule->segment_bytes) &&
                                               (!rule->row->fanned || answer.radix == rule->radix);
    if (!right)
        fail_msg("%s, %s, p = %" PRId32 ", %" PRId64 " bytes: found %s with segments of %" PRId64
                 ", not %s with %" PRId64,
                 table->format->name, rule->call->call, p, size, found ? answer.name : "nothing",
                 answer.segment_bytes, rule->row == NULL ? "nothing" : rule->row->name,
                 rule->segment_bytes);
}

static int32_t most_ranks(const struct rules_rule *rule)
{
    return rule->p_high == INT32_MAX ? rule->p_low + 1000 : rule->p_high;
}

static const struct rules_rule *rule_for(const struct rules_table *table, const char *call,
                                         int32_t p, int64_t size)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        if (strcmp(rule->call->call, call) == 0 && p >= rule->p_low && p <= rule->p_high &&
            size >= rule->low && size <= rule->high)
            return rule;
    }
    fail_msg("no rule for %s, p = %" PRId32 ", %" PRId64 " bytes", call, p, size);
    return NULL;
}

/* Below half the least and above twice the largest p and size that had times, no matter what the
 * table says, the library chooses as without the file. */
static void check_outside(const struct rules_file *file)
{
    static const struct {
        const char *collective;
        int32_t p;
        int64_t m;
    } calls[] = {
        {"bcast", 2, 100000},
        {"bcast", 4, 100000},
        {"bcast", 7, 0},
        {"bcast", 97, 100000},
        {"bcast", 6400, 1 << 20},
        {"bcast", 16, 1},
        {"bcast", 8, 31},
        {"bcast", 48, (1 << 19) + 1},
        {"bcast", 7, INT64_C(1) << 32},
        {"reduce", 4, 8192},
        {"reduce", 97, 8192},
        {"allreduce", 8, 31},
        {"allreduce", 8, 1 << 20},
        {"allgather", 4, 8192},
        {"allgather", 97, 1 << 20},
        {"alltoall", 97, 97 * 9700},
        {"alltoall", 8, 1 << 20},
        {"reduce-scatter", 100, 8192},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct rules_query query = {
            .collective = calls[i].collective, .p = calls[i].p, .m_bytes = calls[i].m};
        if (!is_own_choice(file, &query))
            fail_msg("%s, %s, p = %" PRId32 ", m = %" PRId64 ": not the library's own choice",
                     rules_file_format(file)->name, query.collective, query.p, query.m_bytes);
    }
}

/* Rules from p = 10 to 48 and m = 64 bytes to 256 KiB: the library's own choice elsewhere, and in
 * the margins of a factor of two a rule. */
static void outside_is_the_librarys(void **state)
{
    static const int32_t ranks[] = {10, 16, 48};
    const struct rules_format *format;
    (void)state;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        struct made *made = calloc(1, sizeof *made);
        struct rules_table table;
        struct rules_notes notes;
        struct rules_file *file;
        struct sup_error error;
        size_t size;
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
            for (int64_t m = 64; m <= 1 << 18; m *= 8)
                add_point(made, ranks[k], m);
        build_where(format->name, made, false, &table);
        char *text = write_rules(&table, &size);
        if (rules_parse("made", text, size, format, &file, &error) != RB_OK)
            fail_msg("%s: %s", format->name, error.text);
        rules_notes(&table, &notes);
        const char *warned = NULL;
        for (size_t k = 0; k < notes.count && warned == NULL; k++)
            warned = strstr(notes.line[k], "warning: the format can't limit the rules of ");
        /* MPICH 4.0 takes "less than" for "at most" below a condition on the message. */
        assert_null(strstr(text, "comm_size<8"));
        if (format->one_choice) {
            assert_non_null(strstr(warned, "bcast, reduce, "));
            assert_non_null(strstr(warned, "other p and sizes"));
        } else {
            check_outside(file);
            for (int end = 0; end < 2; end++) {
                const int32_t p = end == 0 ? 10 : 48, margin = end == 0 ? 5 : 96;
                const int64_t least = rules_measure(format, "allgather", p, 64),
                              most = rules_measure(format, "allgather", p, 1 << 18);
                assert_non_null(rule_for(&table, "allgather", margin, (least + 1) / 2)->row);
                assert_non_null(rule_for(&table, "allgather", margin, 2 * most)->row);
                assert_null(rule_for(&table, "allgather", margin, (least + 1) / 2 - 1)->row);
                assert_null(rule_for(&table, "allgather", margin, 2 * most + 1)->row);
            }
            if (rules_call(format, "gather") == NULL)
                assert_null(warned);
            else
                assert_non_null(strstr(warned, "rules of gather to what was looked at"));
            /* The comment in the file, where there are any. */
            if (strchr(text, '#') != NULL && text[0] != '{' && warned != NULL)
                assert_non_null(strstr(text, warned));
        }
        rules_file_free(file);
        rules_table_free(&table);
        free(text);
        free(made);
    }
}

/* Thresholds that MPICH can't read: the rule for the largest sizes has no end, and this is said. */
static void unreadable_limits_are_told(void **state)
{
    (void)state;
    for (int larger = 0; larger < 2; larger++) {
        struct made *made = calloc(1, sizeof *made);
        struct rules_table table;
        struct rules_notes notes;
        add(made, "bcast", "binomial", 8, INT64_C(1) << (29 + larger), 1, 1);
        build_where("mpich", made, false, &table);
        rules_notes(&table, &notes);
        assert_int_equal(notes.count, 2 + (larger == 1));
        if (larger == 1)
            assert_non_null(strstr(notes.line[2], "limit the rules of bcast to what was looked"));
        rules_table_free(&table);
        free(made);
    }
}

/* Every rule at the ends of its ranges, and within. */
static void check_replay(const char *format, bool everywhere)
{
    struct made *made = make();
    struct rules_table table;
    struct rules_file *file;
    struct sup_error error;
    size_t size;
    build_where(format, made, everywhere, &table);
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
    assert_true(table.count > 5);
    rules_file_free(file);
    rules_table_free(&table);
    free(text);
    free(made);
}

static void all_formats_replay(void **state)
{
    (void)state;
    const struct rules_format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        check_replay(format->name, true);
        check_replay(format->name, false);
    }
}

/* ---- What is chosen -------------------------------------------------------------------------- */

/* Borders are geometric means of what had times; segments are ceil(m/n) in whole elements. */
static void borders_and_segments(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    for (int32_t p = 4; p <= 64; p *= 4) {
        add(made, "bcast", "binomial", p, 1000, 1, 1);
        add(made, "bcast", "chain", p, 1000, 3, 2);
        add(made, "bcast", "binomial", p, 4000, 1, p == 64 ? 1 : 4);
        add(made, "bcast", "chain", p, 4000, 3, 2);
        add(made, "bcast", "circulant", p, 4000, 3, 1);
    }
    build("ompi", made, &table);
    assert_int_equal(table.count, 3);
    assert_int_equal(rule_for(&table, "bcast", 2, 2000)->row->id, 6);
    assert_int_equal(rule_for(&table, "bcast", 2, 2001)->row->id, 3);
    /* 1000 elements of 4 bytes in 3 blocks: the longest has 334. */
    assert_int_equal(rule_for(&table, "bcast", 4, 4000)->segment_bytes, 1336);
    assert_int_equal(rule_for(&table, "bcast", 32, 4000)->row->id, 3);
    assert_int_equal(rule_for(&table, "bcast", 33, 4000)->row->id, 6);
    assert_int_equal(table.points, 6);
    assert_int_equal(table.lacking_wins, 2);
    assert_string_equal(table.lacking, "circulant (bcast)");
    assert_true(fabs(table.lacking_worst - 1) < 1e-9);
    assert_true(fabs(rule_for(&table, "bcast", 4, 4000)->gain - 1) < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* Another implementation of an algorithm makes no rule, and shows what is lost. */
static void foreign_times(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "bcast", "binomial", 8, 1000, 1, 2);
    add(made, "bcast", "scatter-allgather", 8, 1000, 1, 1);
    made->candidate[1].foreign = true;
    add(made, "bcast", "native", 8, 1000, 1, 3);
    build("ompi", made, &table);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.rule[0].row->id, 6);
    assert_string_equal(table.lacking, "another scatter-allgather (bcast)");
    assert_true(fabs(table.lacking_worst - 1) < 1e-9);
    assert_true(fabs(table.rule[0].gain - 0.5) < 1e-9);
    rules_table_free(&table);
    /* The library's own choice stays where it is the fastest. */
    made->candidate[2].time_s = 1.5;
    add(made, "bcast", "binomial", 8, 4000, 1, 2);
    add(made, "bcast", "native", 8, 4000, 1, 3);
    build("ompi", made, &table);
    assert_int_equal(table.count, 2);
    assert_null(table.rule[0].row);
    assert_int_equal(table.rule[1].row->id, 6);
    rules_table_free(&table);
    free(made);
}

/* A gain is against the library's own choice where its time is known, also if others come between.
 */
static void gains_are_against_the_own_choice(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "bcast", "binomial", 8, 1000, 1, 2);
    add(made, "bcast", "chain", 8, 1000, 1, 2.5);
    add(made, "bcast", "native", 8, 1000, 1, 3);
    build("ompi", made, &table);
    assert_int_equal(table.count, 1);
    assert_true(fabs(table.rule[0].gain - 0.5) < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* Open MPI's two_proc serves two ranks, and not the three to five that have no times. */
static void two_ranks_stay_alone(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    for (int32_t p = 2; p <= 16; p += 14)
        add(made, "allgather", "ring", p, 1000, 1, 1);
    add(made, "allgather", "pairwise", 2, 1000, 1, 0.5);
    build("ompi", made, &table);
    assert_string_equal(rule_for(&table, "allgather", 2, 1000)->row->name, "two_proc");
    assert_string_equal(rule_for(&table, "allgather", 3, 1000)->row->name, "ring");
    rules_table_free(&table);
    free(made);
}

/* Two p with one rule: its loss is the mean over the points of both. */
static void joined_rules_share_their_losses(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    for (int32_t p = 8; p <= 16; p *= 2) {
        add(made, "bcast", "chain", p, 4096, 2, p == 8 ? 1 : 1.01);
        if (p == 16)
            add(made, "bcast", "chain", p, 4096, 4, 1);
        add(made, "bcast", "chain", p, 8192, 4, 1);
    }
    build("ompi", made, &table);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.rule[0].points, 4);
    assert_true(fabs(table.rule[0].loss - (pow(1.01, 0.25) - 1)) < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* A segment as long as the message is none: the rule divides no larger message. */
static void whole_messages_have_no_segments(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "bcast", "chain", 8, 4096, 0, 1);
    made->candidate[0].segment_bytes = 4096;
    build("ompi", made, &table);
    assert_int_equal(rule_for(&table, "bcast", 8, 4096)->segment_bytes, 0);
    rules_table_free(&table);
    free(made);
}

/* Where one variable has the segment size of all calls, no rule is divided because of it. */
static void segments_of_a_variable_divide_no_rule(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "bcast", "circulant", 8, 4096, 4, 1);
    add(made, "bcast", "circulant", 8, 4096, 2, 1.5);
    add(made, "bcast", "circulant", 8, 8192, 4, 1);
    add(made, "bcast", "circulant", 8, 8192, 8, 1.5);
    build("mpich-5.1", made, &table);
    assert_int_equal(table.count, 1);
    assert_true(fabs(table.rule[0].worst_loss - 0.5) < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* Nothing is lost by what the library lacks if it has an algorithm that is as fast. */
static void ties_lack_nothing(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "allreduce", "rabenseifner", 8, 1000, 1, 1);
    add(made, "allreduce", "rabenseifner-doubling", 8, 1000, 1, 1);
    build("ompi", made, &table);
    assert_int_equal(table.rule[0].row->id, 6);
    assert_int_equal(table.lacking_wins, 0);
    assert_string_equal(table.lacking, "");
    rules_table_free(&table);
    free(made);
}

/* A fixed radix above p is p: the tree of UCC is a candidate for the smallest p too, whether the
 * radix is named or left to the algorithm. */
static void small_trees(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    for (int32_t p = 2; p <= 4; p++) {
        add(made, "bcast", "knomial", p, 1000, 1, 1);
        made->candidate[made->count - 1].radix = p == 3 ? 3 : 0;
        add(made, "bcast", "scatter-doubling", p, 1000, 1, 1.8);
    }
    build("ucc", made, &table);
    assert_int_equal(table.lacking_wins, 0);
    for (int32_t p = 2; p <= 4; p++)
        assert_string_equal(rule_for(&table, "bcast", p, 1000)->row->name, "knomial");
    rules_table_free(&table);
    free(made);
}

/* Open MPI's allgatherv has rules of the same times, by fewer algorithms, and counts no points. */
static void calls_share_points(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    add(made, "allgather", "recursive-doubling", 8, 1000, 1, 1);
    add(made, "allgather", "ring", 8, 1000, 1, 2);
    build("ompi", made, &table);
    assert_int_equal(table.count, 2);
    assert_string_equal(rule_for(&table, "allgather", 8, 1000)->row->name, "recursive_doubling");
    assert_string_equal(rule_for(&table, "allgatherv", 8, 125)->row->name, "ring");
    assert_int_equal(table.points, 1);
    assert_int_equal(table.lacking_wins, 0);
    assert_true(table.lacking_worst < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* Names from a database that are no algorithms make no line of any file. */
static void hostile_names(void **state)
{
    (void)state;
    const struct rules_format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        struct made *made = calloc(1, sizeof *made);
        struct rules_table table;
        struct rules_file *file;
        struct sup_error error;
        size_t size;
        add(made, "bcast", "\"}\n0 1 0 0 $(false) --cfg=smpi/bcast:x\n\x1b", 8, 1000, 1, 0.5);
        add(made, "bcast", "scatter-doubling", 8, 1000, 1, 1);
        add(made, "bcast", "multi-ring", 8, 1000, 1, 2); /* NCCL has nothing else */
        build(format->name, made, &table);
        char *text = write_rules(&table, &size);
        /* In comments alone, on one line. */
        const char *at = strstr(text, "$(false)");
        while (at != NULL && at > text && at[-1] != '\n')
            at--;
        assert_true(at == NULL || *at == '#');
        if (rules_parse("made", text, size, format, &file, &error) != RB_OK)
            fail_msg("%s: %s", format->name, error.text);
        check_answer(&table, file, rule_for(&table, "bcast", 8, 1000), 8, 1000);
        rules_file_free(file);
        rules_table_free(&table);
        free(text);
        free(made);
    }
}

/* One segment size for two m if it costs neither more than the tolerance; otherwise two rules. */
static void segments_are_shared(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        struct made *made = calloc(1, sizeof *made);
        struct rules_table table;
        const double lost = apart ? 1.5 : 1.01;
        add(made, "bcast", "chain", 8, 4096, 4, 1);
        add(made, "bcast", "chain", 8, 4096, 2, lost);
        add(made, "bcast", "chain", 8, 8192, 4, 1);
        add(made, "bcast", "chain", 8, 8192, 8, 1.5);
        build("ompi", made, &table);
        assert_int_equal(table.count, apart ? 2 : 1);
        assert_int_equal(table.rule[0].segment_bytes, apart ? 1024 : 2048);
        assert_true(fabs(table.rule[0].worst_loss - (apart ? 0 : 0.01)) < 1e-9);
        rules_table_free(&table);
        free(made);
    }
}

/* The time with a segment size that has none lies between its neighbours', by powers: 1 KiB, which
 * is best for 8 KiB, is a third of the way from 512 bytes to 4 KiB. */
static void times_between_segments(void **state)
{
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    (void)state;
    add(made, "bcast", "chain", 8, 4096, 8, 1);
    add(made, "bcast", "chain", 8, 4096, 1, pow(1.02, 3));
    add(made, "bcast", "chain", 8, 8192, 8, 1);
    add(made, "bcast", "chain", 8, 8192, 2, 2);
    build("ompi", made, &table);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.rule[0].segment_bytes, 1024);
    assert_true(fabs(table.rule[0].worst_loss - 0.02) < 1e-9);
    rules_table_free(&table);
    free(made);
}

/* The library's measure of m, by what its source compares. */
static void m_is_measured_as_the_library_does(void **state)
{
    (void)state;
    const struct {
        const char *format, *call;
        int64_t size; /* of m = 6400, p = 8 */
    } known[] = {
        {"ompi", "bcast", 6400},          {"ompi", "allgather", 6400},
        {"ompi", "allgatherv", 800},      {"ompi", "alltoall", 800},
        {"ompi", "reduce_scatter", 6400}, {"ompi", "scatter", 0},
        {"mpich", "bcast", 6400},         {"mpich", "allgather", 6400},
        {"mpich", "alltoall", 100},       {"mpich", "reduce_scatter_block", 6400},
        {"ucc", "alltoall", 800},         {"ucc", "reduce_scatter", 800},
        {"ucc", "allgather", 6400},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(rules_measure(rules_format_find(known[i].format), known[i].call, 8, 6400),
                         known[i].size);
}

/* What counts as looked at: half the least, rounded up, to twice the largest; and between two sizes
 * the last that is nearer to the lower one, by ratio. */
static void limits_of_sizes(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= 1000; size++) {
        const int64_t first = rules_first(size), half = rules_halfway(size, 3 * size + 1);
        assert_true(2 * first >= size && 2 * (first - 1) < size);
        assert_int_equal(rules_last(size, INT64_MAX), 2 * size);
        assert_int_equal(rules_last(size, 1000), size > 500 ? 1000 : 2 * size);
        assert_true(half * half <= size * (3 * size + 1) &&
                    (half + 1) * (half + 1) > size * (3 * size + 1));
    }
    assert_int_equal(rules_last(INT64_MAX / 2 + 1, INT64_MAX), INT64_MAX);
}

/* UCC's units are powers of 1024, in either case, with or without a b. */
static void units_of_ucc(void **state)
{
    static const char units[] = "kmgtKMGT";
    (void)state;
    for (int i = 0; i < 16; i++) {
        const int64_t unit = INT64_C(1) << 10 * (1 + i / 2 % 4);
        char text[100];
        struct rules_file *file;
        struct sup_error error;
        struct rules_answer answer;
        snprintf(text, sizeof text, "export UCC_TL_UCP_TUNE=bcast:3%c%s-5%c:@knomial\n",
                 units[i / 2], i % 2 ? "b" : "", units[i / 2]);
        assert_int_equal(
            rules_parse("x", text, strlen(text), rules_format_find("ucc"), &file, &error), RB_OK);
        for (int64_t m = 3 * unit - 1; m <= 5 * unit + 1; m += m < 3 * unit ? 1 : 2 * unit) {
            const struct rules_query query = {.collective = "bcast", .p = 8, .m_bytes = m};
            assert_int_equal(rules_look_up(file, &query, &answer), m >= 3 * unit && m <= 5 * unit);
        }
        const struct rules_query beyond = {.collective = "bcast", .p = 8, .m_bytes = 5 * unit + 1};
        assert_false(rules_look_up(file, &beyond, &answer));
        rules_file_free(file);
    }
}

/* Several ranks per host: refused, or told apart. */
static void ranks_per_host(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    struct sup_error error;
    add(made, "bcast", "binomial", 8, 1000, 1, 1);
    add(made, "bcast", "scatter-allgather", 8, 1000, 1, 2);
    add(made, "bcast", "binomial", 8, 1000, 1, 2);
    add(made, "bcast", "scatter-allgather", 8, 1000, 1, 1);
    made->candidate[2].ppn = made->candidate[3].ppn = 8;
    struct rules_request request = {
        .format = rules_format_find("ompi"), .element_bytes = 4, .tolerance = 0.02};
    assert_int_equal(rules_build(&request, made->candidate, made->count, &table, &error),
                     RB_EINVAL);
    assert_non_null(strstr(error.text, "--ppn"));
    rules_table_free(&table);
    build("ompi-json", made, &table);
    size_t size;
    struct rules_file *file;
    struct rules_answer answer;
    char *text = write_rules(&table, &size);
    assert_int_equal(rules_parse("made", text, size, NULL, &file, &error), RB_OK);
    struct rules_query query = {.collective = "bcast", .p = 8, .ppn = 1, .m_bytes = 1000};
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "binomial");
    query.ppn = 8;
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "scatter_allgather_ring");
    query.p = 5; /* of a single node that has room for more */
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "scatter_allgather_ring");
    query.p = 8;
    query.ppn = 4;
    assert_false(rules_look_up(file, &query, &answer));
    rules_file_free(file);
    rules_table_free(&table);
    free(text);
    free(made);
}

/* MPICH 5.1 has trees with parameters, each of which must be there. */
static void mpich_parameters(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    struct rules_file *file;
    struct rules_answer answer;
    struct sup_error error;
    size_t size;
    add(made, "bcast", "chain", 8, 1 << 20, 16, 1);
    add(made, "bcast", "binomial", 8, 1 << 20, 1, 2);
    build("mpich-5.1", made, &table);
    char *text = write_rules(&table, &size);
    static const char *const parameters[] = {"tree_type=kary", "\"k=1\"", "is_non_blocking=1",
                                             "chunk_size=65536", "recv_pre_posted=0"};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        assert_non_null(strstr(text, parameters[i]));
    assert_int_equal(rules_parse("made", text, size, table.format, &file, &error), RB_OK);
    const struct rules_query query = {.collective = "bcast", .p = 8, .m_bytes = 1 << 20};
    assert_true(rules_look_up(file, &query, &answer));
    assert_ptr_equal(answer.row, table.rule[0].row);
    assert_int_equal(answer.segment_bytes, 65536);
    rules_file_free(file);
    rules_table_free(&table);
    free(text);
    free(made);
}

/* Reductions with an operator that does not commute, or on few elements, get what can do them. */
static void mpich_guards(void **state)
{
    (void)state;
    struct made *made = calloc(1, sizeof *made);
    struct rules_table table;
    struct rules_file *file;
    struct rules_answer answer;
    struct sup_error error;
    size_t size;
    add(made, "reduce", "rabenseifner-doubling", 8, 1 << 20, 1, 1);
    add(made, "reduce", "binomial", 8, 1 << 20, 1, 2);
    build("mpich", made, &table);
    char *text = write_rules(&table, &size);
    assert_true(size % 4096 != 0);
    assert_int_equal(rules_parse("made", text, size, NULL, &file, &error), RB_OK);
    struct rules_query query = {.collective = "reduce", .p = 8, .m_bytes = 1 << 20};
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "MPIR_Reduce_intra_reduce_scatter_gather");
    query.not_commutative = true;
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "MPIR_Reduce_intra_binomial");
    query = (struct rules_query){.collective = "reduce", .p = 8, .m_bytes = 16};
    assert_true(rules_look_up(file, &query, &answer));
    assert_string_equal(answer.name, "MPIR_Reduce_intra_binomial");
    rules_file_free(file);
    rules_table_free(&table);
    free(text);
    free(made);
}

/* ---- What others wrote, and mangled files ---------------------------------------------------- */

static void expect(const char *format, const char *text, const char *message)
{
    struct rules_file *file;
    struct sup_error error = {.text = ""};
    const int status = rules_parse(
        "f", text, strlen(text), format == NULL ? NULL : rules_format_find(format), &file, &error);
    if ((status == RB_OK) != (message == NULL) ||
        (message != NULL && strstr(error.text, message) == NULL))
        fail_msg("%s: \"%s\": %s, not %s", format == NULL ? "any" : format, text,
                 status == RB_OK ? "read" : error.text, message == NULL ? "read" : message);
    rules_file_free(file);
}

static const char *found(const char *format, const char *text, const char *collective, int32_t p,
                         int64_t m)
{
    static struct rules_answer answer;
    struct rules_file *file;
    struct sup_error error = {.text = ""};
    if (rules_parse("f", text, strlen(text), rules_format_find(format), &file, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    const struct rules_query query = {.collective = collective, .p = p, .ppn = 1, .m_bytes = m};
    const bool is = rules_look_up(file, &query, &answer);
    rules_file_free(file);
    return is ? answer.name : "";
}

/* Open MPI 4.1.4 takes the last size of communicators before the first that exceeds p, or the first
 * one. */
static void ompi_look_up(void **state)
{
    (void)state;
    static const char rising[] = "1 7 2  8 2 0 6 0 0 0x400 3 0 512  # x 99\n 64 1 0 9 0 0";
    assert_string_equal(found("ompi", rising, "bcast", 2, 1023), "binomial");
    assert_string_equal(found("ompi", rising, "bcast", 63, 1024), "pipeline");
    assert_string_equal(found("ompi", rising, "bcast", 64, 0), "scatter_allgather_ring");
    assert_string_equal(found("ompi", rising, "reduce", 64, 0), "");
    static const char falling[] = "1 7 3 64 1 0 9 0 0 8 1 0 6 0 0 128 1 0 1 0 0";
    assert_string_equal(found("ompi", falling, "bcast", 32, 0), "scatter_allgather_ring");
    assert_string_equal(found("ompi", falling, "bcast", 64, 0), "binomial");
    assert_string_equal(found("ompi", falling, "bcast", 128, 0), "basic_linear");
    assert_string_equal(found("ompi", "2 7 1 2 1 0 6 0 0 7 1 2 1 0 1 0 0", "bcast", 8, 0),
                        "basic_linear");
    /* Version 2 has requests, or not. */
    assert_string_equal(
        found("ompi-2", "rule-file-version-2\n1 7 1 2 2\n0 6 0 0 0\n9 1 0 0\n", "bcast", 8, 9),
        "basic_linear");
    assert_string_equal(
        found("ompi-2", "rule-file-version-2\n1 7 1 2 2\n0 6 0 0\n9 1 0 0\n", "bcast", 8, 9),
        "basic_linear");
}

static void others_are_refused(void **state)
{
    (void)state;
    expect("ompi", "", "ends before the number of collectives");
    expect("ompi", "99", "must be from 0 to 22");
    expect("ompi", "1 7 1 2 1 5 6 0 0", "must begin at 0");
    expect("ompi", "1 7 1 2 1 0 77 0 0", "bcast has no algorithm 77");
    expect("ompi", "1 7 1 2 9 0 6 0 0", "ends before the bytes of a rule of bcast");
    expect("ompi", "rule-file-version-2\n1 7 1 2 1 0 6 0 0 0", "is -2, but must be");
    expect("ompi", "1 7 1 2 1 0 6 0 99999999999", "segment size of a rule of bcast is 99999999999");
    expect("ompi-json", "{\"collectives\": {\"bcast\": 1}}", "bcast: must be an array");
    expect("ompi-json", "{\"collectives\": {\"bcst\": []}}", "\"bcst\" is no collective");
    expect("ompi-json", "{\"collectives\": {\"bcast\": [{\"rules\": [{}]}]}}",
           "bcast, entry 1, rule 1: \"alg\" must be");
    expect("ompi-json", "{", "no JSON");
    expect("ompi-json", "[]", "must have an object \"collectives\"");
    expect("ompi-json", "{\"collectives\": {\"bcast\": [{\"rules\": [{\"alg\": \"new\"}]}]}}",
           NULL);
    expect("mpich", "{\"collective=bcast\": {\"comm_size<=8\": {\"algorithm=x\": {}}}}",
           "=any must be");
    expect("mpich", "{\"collective=bcast\": {}}", "leads to no algorithm");
    expect("mpich", "{\"colective=bcast\": {}}", "is no condition");
    expect("mpich",
           "{\"collective=bcast\": {\"comm_size=any\": {\"algorithm=x\": {}}, \"count=any\": {}}}",
           "is followed by another");
    expect("ucc", "UCC_TL_UCP_TUNE=bcast:0-32k:[3-inf]:@77", "bcast has no algorithm \"77\"");
    expect("ucc", "UCC_TL_UCP_TUNE=bcast:oops:@0", "\"oops\" is no");
    expect("ucc", "# nothing", "no line sets UCC_TL_UCP_TUNE");
    expect("ucc", "UCC_TL_UCP_TUNE=bcast,reduce:host:0-32k,1m-inf:[3-inf]:inf:@knomial", NULL);
    expect("impi", "export I_MPI_ADJUST_BCAST=\"x\"", "must begin with the number");
    expect("impi", "I_MPI_ADJUST_BCAST=1:1-@", "conditions must be");
    expect("smpi", "--cfg=smpi/bcast", "must be COLLECTIVE:ALGORITHM");
    expect(NULL, "hello", "no file of rules that is known");
}

/* Every format's file with bytes changed, cut or doubled: read or refused with one line, no crash.
 */
static void mangled_files_are_refused_with_one_line(void **state)
{
    (void)state;
    const struct rules_format *format;
    uint32_t seed = 1;
    struct made *made = make();
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        struct rules_table table;
        size_t size;
        build(format->name, made, &table);
        char *text = write_rules(&table, &size);
        size = size < 6000 ? size : 6000;
        char *copy = malloc(size);
        for (int round = 0; round < 300; round++) {
            struct rules_file *file;
            struct sup_error error = {.text = ""};
            memcpy(copy, text, size);
            for (int k = 0; k < 1 + round % 3; k++) {
                static const char bytes[] = "0129-#@:,;{}[]\"\n\\x\xff\0=<";
                seed = seed * 1664525 + 1013904223;
                copy[(seed >> 8) % size] = bytes[(seed >> 4) % (sizeof bytes - 1)];
            }
            const size_t length = round % 5 == 0 ? (seed >> 3) % size : size;
            if (rules_parse("f", copy, length, round % 2 == 0 ? format : NULL, &file, &error) ==
                RB_OK) {
                struct rules_answer answer;
                const struct rules_query query = {.collective = "bcast", .p = 7, .m_bytes = 12345};
                rules_look_up(file, &query, &answer);
            } else {
                assert_true(error.text[0] != '\0');
                assert_null(strchr(error.text, '\n'));
            }
            rules_file_free(file);
        }
        free(copy);
        free(text);
        rules_table_free(&table);
    }
    free(made);
}

/* ---- Tables of NCCL's tuners ----------------------------------------------------------------- */

/* What a tuner takes: the algorithm and protocol of the first line that holds; "": no line holds.
 * NCCL's example (ext-tuner/example) compares with numbers of ranks, ours with ranges, too. */
static const char *tuner_takes(const char *text, const char *collective, int32_t p, uint64_t m)
{
    static char taken[64];
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        char name[24], algorithm[24], protocol[8];
        uint64_t low, high;
        int rank_low, rank_high;
        if (line[0] == '#')
            continue;
        const int words =
            sscanf(line, "%23[a-z],%" SCNu64 ",%" SCNu64 ",%23[a-z],%7[a-z0-9-],-1,-1,%d-%d", name,
                   &low, &high, algorithm, protocol, &rank_low, &rank_high);
        assert_true(words >= 6);
        rank_high = words == 7 ? rank_high : rank_low;
        if (strcmp(name, collective) != 0 || m < low || m > high ||
            (rank_low != -1 && (p < rank_low || p > rank_high)))
            continue;
        snprintf(taken, sizeof taken, "%s %s", algorithm, protocol);
        return taken;
    }
    return "";
}

/* Numbers of ranks that clusters have: docs/gpu.md. */
static bool is_usual(int32_t p)
{
    return p <= 16 || (p <= 256 && p % 4 == 0) || (p <= 4096 && p % 8 == 0) || p % 64 == 0;
}

/* Rules that meet at random borders, those of protocols among them: at each size next to a border
 * and each number of ranks of a rule a tuner takes that rule's algorithm, and between two pieces
 * there is no gap. */
static void nccl_tables_have_no_gaps(void **state)
{
    static const int64_t borders[] = {0,       1,       2,       65535,   65536,        65537,
                                      4194302, 4194303, 4194304, 4194305, INT64_MAX - 1};
    enum { BORDERS = sizeof borders / sizeof borders[0], RULES = 4 };
    (void)state;
    for (uint32_t run = 0; run < 150; run++) {
        uint32_t left = run * 2654435761u;
        const bool ranges = run % 2;
        const struct rules_format *format = rules_format_find(ranges ? "nccl-ranges" : "nccl");
        struct rules_rule rule[RULES] = {0};
        struct rules_table table = {.format = format, .everywhere = true, .rule = rule};
        const int32_t p_low = 2 + (int32_t)(run * 7 % 300);
        const int32_t p_high = run % 5 == 0 ? INT32_MAX : p_low + (int32_t)(run % 41);
        for (int64_t from = 0; table.count == 0 || from > 0; table.count++) {
            left = left * 1664525u + 1013904223u;
            int64_t to = borders[(left >> 8) % BORDERS];
            to = table.count == RULES - 1 || to < from ? INT64_MAX : to;
            rule[table.count] = (struct rules_rule){
                .call = &format->call[4],
                .row = mpilib_numbered("nccl", "allreduce", table.count % 2 ? 0 : 1, 0),
                .p_low = p_low,
                .p_high = p_high,
                .low = from,
                .high = to};
            from = to < INT64_MAX ? to + 1 : 0;
        }
        char *text;
        size_t size;
        struct rules_file *file;
        struct sup_error error;
        FILE *stream = open_memstream(&text, &size);
        assert_int_equal(rules_write(&table, &(struct rules_head){.source = "x"}, stream, &error),
                         RB_OK);
        fclose(stream);
        assert_int_equal(rules_parse("x", text, size, NULL, &file, &error), RB_OK);
        for (size_t b = 0; b < 3 * BORDERS; b++) {
            const int64_t m = b / 3 == BORDERS - 1 ? INT64_MAX - 1 + (b % 3 > 0)
                                                   : borders[b / 3] + (int64_t)(b % 3);
            for (int32_t p = p_low - 1; p <= (p_high < INT32_MAX ? p_high + 1 : p_low + 3); p++) {
                const struct rules_query query = {.collective = "allreduce", .p = p, .m_bytes = m};
                struct rules_answer answer;
                char expected[64] = "";
                size_t k = 0;
                while (m > rule[k].high)
                    k++;
                /* A rule for all larger numbers of ranks can only be one for all. */
                const bool holds =
                    p_high == INT32_MAX && !ranges
                        ? true
                        : p >= p_low && p <= p_high && (ranges || p == p_low || is_usual(p));
                if (holds)
                    snprintf(expected, sizeof expected, "%s %s", rule[k].row->name,
                             ranges        ? "-1"
                             : m < 1 << 16 ? "ll"
                             : m < 1 << 22 ? "ll128"
                                           : "simple");
                if (strcmp(tuner_takes(text, "allreduce", p, (uint64_t)m), expected) != 0)
                    fail_msg("p = %d, m = %lld: %s instead of %s in\n%s", (int)p, (long long)m,
                             tuner_takes(text, "allreduce", p, (uint64_t)m), expected, text);
                assert_int_equal(rules_look_up(file, &query, &answer), holds);
                if (holds)
                    assert_ptr_equal(answer.row, rule[k].row);
            }
        }
        rules_file_free(file);
        free(text);
    }
}

/* The algorithm that a text gives for a call; "": none. */
static const char *taken(const char *text, const struct rules_query *query,
                         struct rules_answer *answer)
{
    struct rules_file *file;
    struct sup_error error = {.text = ""};
    if (rules_parse("f", text, strlen(text), NULL, &file, &error) != RB_OK)
        fail_msg("%s: %s", text, error.text);
    if (!rules_look_up(file, query, answer))
        answer->name[0] = '\0';
    rules_file_free(file);
    return answer->name;
}

/* Variables are set in many ways. */
static void settings_are_found(void **state)
{
    static const char *const forms[] = {"%s=%s",
                                        "  export %s=\"%s\"",
                                        "%s = '%s'  # best",
                                        "-x %s=%s",
                                        "mpirun -np 4 -x A=1 -x %s=%s -x B=2 ./app",
                                        "mpirun -x '%s=%s' ./app",
                                        "env X_%1$s=1 %1$s=%2$s ./app",
                                        "setenv %s %s",
                                        "mpiexec -genv %s %s -n 4 ./app",
                                        "  %s: \"%s\"",
                                        "os.environ['%s'] = '%s'",
                                        "#%1$s=x\r\n%1$s=%2$s\r"};
    static const char *const variables[][4] = {
        {"UCC_TL_UCP_TUNE", "allreduce:@ring", "allreduce", "ring"},
        {"I_MPI_ADJUST_BCAST", "1", "bcast", "Binomial"}};
    (void)state;
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            const struct rules_query query = {
                .collective = variables[v][2], .p = 16, .m_bytes = 1 << 20};
            struct rules_answer answer;
            char text[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, forms[i], variables[v][0], variables[v][1]);
#pragma GCC diagnostic pop
            if (taken(text, &query, &answer)[0] == '\0' || answer.row == NULL)
                fail_msg("nothing in %s", text);
        }
    struct rules_answer answer;
    const struct rules_query query = {.collective = "allreduce", .p = 16, .m_bytes = 1 << 20};
    assert_string_equal(
        taken("UCC_TL_UCP_TUNE=allreduce:@0\nUCC_TL_UCP_TUNE=allreduce:@ring\n", &query, &answer),
        "ring");
}

/* In UCC what is left out of a section holds for all. */
static void ucc_fields_may_be_left_out(void **state)
{
    static const char *const tokens[] = {"allreduce", "0-inf", "host", "[2-inf]", "inf"};
    enum { TOKENS = sizeof tokens / sizeof *tokens };
    (void)state;
    for (unsigned set = 0; set < 1u << TOKENS; set++) {
        char text[200] = "UCC_TL_UCP_TUNE=";
        for (unsigned i = 0; i < TOKENS; i++)
            if ((set >> i & 1) != 0)
                sprintf(text + strlen(text), "%s:", tokens[i]);
        strcat(text, "@1");
        for (int32_t p = 2; p <= 4096; p *= 8)
            for (int64_t m = 1; m <= 1 << 30; m *= 1 << 10) {
                const struct rules_query query = {.collective = "allreduce", .p = p, .m_bytes = m};
                struct rules_answer answer;
                if (strcmp(taken(text, &query, &answer), "sra_knomial") != 0)
                    fail_msg("%s: %s", text, answer.name);
            }
    }
    expect(NULL, "UCC_TL_UCP_TUNE=inf", "no section names an algorithm");
    expect(NULL, "UCC_TL_UCP_TUNE=allreduce:0", "no section names an algorithm");
    expect(NULL, "UCC_TL_UCP_TUNE=allgatherv:256-inf:@ring", NULL);
}

/* NCCL has PAT for nodes of one GPU, and by its protocol Simple alone. */
static void nccl_obeys_each_line(void **state)
{
    static const char *const formats[] = {"nccl", "nccl-ranges"};
    (void)state;
    for (int f = 0; f < 2; f++)
        for (int32_t ppn = 0; ppn <= 8; ppn += ppn == 0 ? 1 : 7) {
            struct made *made = calloc(1, sizeof *made);
            struct rules_table table;
            for (int32_t p = 8; p <= 64; p *= 2)
                for (int64_t m = 1024; m <= 16 << 20; m *= 16) {
                    add(made, "allgather", "pat", p, m, 1, 1);
                    add(made, "allgather", "multi-ring", p, m, 1, 2);
                }
            for (size_t i = 0; i < made->count; i++)
                made->candidate[i].ppn = ppn;
            build(formats[f], made, &table);
            size_t size;
            char *text = write_rules(&table, &size);
            assert_int_equal(strstr(text, ",pat,") != NULL, ppn == 1);
            assert_null(strstr(text, "pat,ll"));
            for (char *at = text; (at = strstr(at, ",pat,")) != NULL; at++) {
                int nodes, ranks;
                assert_int_equal(sscanf(at, ",pat,simple,-1,%d,%d\n", &nodes, &ranks), 2);
                assert_int_equal(nodes, ranks);
            }
            /* What is read has them where they hold alone. */
            for (int32_t of = 1; of <= 8; of += 7) {
                const struct rules_query query = {
                    .collective = "allgather", .p = 32, .ppn = of, .m_bytes = 1 << 20};
                struct rules_answer answer;
                assert_string_equal(taken(text, &query, &answer), ppn != 1  ? "ring"
                                                                  : of == 1 ? "pat"
                                                                            : "");
            }
            rules_table_free(&table);
            free(text);
            free(made);
        }
    /* The column of nodes counts, and a line that can't be obeyed is none. */
    static const char text[] =
        "allreduce,0,100,tree,ll,1,2,16,-1,-1\n"
        "allreduce,0,100,ring,ll,1,4,16,-1,-1\n"
        "allgather,0,100,pat,simple,-1,-1,16\nallgather,0,100,ring,ll,-1,-1,16\n";
    static const struct {
        const char *collective, *name;
        int32_t ppn;
    } cases[] = {{"allreduce", "tree", 8},
                 {"allreduce", "ring", 4},
                 {"allreduce", "", 16},
                 {"allgather", "pat", 1},
                 {"allgather", "", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rules_query query = {
            .collective = cases[i].collective, .p = 16, .ppn = cases[i].ppn, .m_bytes = 64};
        struct rules_answer answer;
        assert_string_equal(taken(text, &query, &answer), cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_replay),
        cmocka_unit_test(outside_is_the_librarys),
        cmocka_unit_test(unreadable_limits_are_told),
        cmocka_unit_test(borders_and_segments),
        cmocka_unit_test(foreign_times),
        cmocka_unit_test(small_trees),
        cmocka_unit_test(gains_are_against_the_own_choice),
        cmocka_unit_test(two_ranks_stay_alone),
        cmocka_unit_test(joined_rules_share_their_losses),
        cmocka_unit_test(whole_messages_have_no_segments),
        cmocka_unit_test(segments_of_a_variable_divide_no_rule),
        cmocka_unit_test(ties_lack_nothing),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(segments_are_shared),
        cmocka_unit_test(times_between_segments),
        cmocka_unit_test(m_is_measured_as_the_library_does),
        cmocka_unit_test(limits_of_sizes),
        cmocka_unit_test(units_of_ucc),
        cmocka_unit_test(ranks_per_host),
        cmocka_unit_test(mpich_parameters),
        cmocka_unit_test(mpich_guards),
        cmocka_unit_test(ompi_look_up),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(settings_are_found),
        cmocka_unit_test(ucc_fields_may_be_left_out),
        cmocka_unit_test(nccl_obeys_each_line),
        cmocka_unit_test(mangled_files_are_refused_with_one_line),
        cmocka_unit_test(nccl_tables_have_no_gaps),
        cmocka_unit_test(calls_share_points),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
