/* rules_nccl.c - tables of NCCL's tuner plugins: that of NCCL's example (ext-tuner/example of NCCL
 * 2.30.7), and that of ours (nccl_tuner.c), which has ranges.
 *
 *     allreduce,0,65535,tree,ll,-1,-1,64        nccl
 *     allreduce,0,65535,tree,-1,-1,-1,48-96     nccl-ranges
 *
 * Columns: collective, least and most bytes (ends included), algorithm, protocol, channels, nodes,
 * ranks, and two that may be missing; -1 stands for any, # begins a comment, the first line that
 * holds counts. The example takes single numbers of ranks alone, so a rule for a range of them
 * becomes a line for each number that clusters have; and it wants a protocol: where the rule has
 * none, as of measured times, which don't tell it, NCCL's own order by sizes stands in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"
#include "support/csv.h"

/* Called as in the table of names; by number in files. */
static const struct rules_call calls[] = {
    {"bcast", "bcast", 0, RULES_ALL},         {"reduce", "reduce", 1, RULES_ALL},
    {"allgather", "allgather", 2, RULES_ALL}, {"reduce-scatter", "reduce-scatter", 3, RULES_ALL},
    {"allreduce", "allreduce", 4, RULES_ALL}, {NULL, NULL, -1, RULES_ALL},
};

static const char *const collectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                          "allreduce"};
enum { COLLECTIVES = (int)(sizeof collectives / sizeof *collectives) };

static const char *const algorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
enum { ALGORITHMS = (int)(sizeof algorithms / sizeof *algorithms) };

/* What a protocol is mostly taken for, up to so many bytes. */
static const struct {
    const char *name;
    int64_t most;
} protocols[] = {{"ll", 65535}, {"ll128", 4194303}, {"simple", INT64_MAX}};
enum { PROTOCOLS = (int)(sizeof protocols / sizeof *protocols), LEAST_WORDS = 8, MOST_WORDS = 10 };

static const char *const protocol_names[] = {"ll", "ll128", "simple", "-1"};

/* ---- Writing --------------------------------------------------------------------------------- */

/* What NCCL has for nodes of one GPU, and by the protocol Simple, alone: PAT. Its lines name as
 * many nodes as ranks, so that they hold nowhere else. */
static bool is_one_per_node(const struct rules_rule *rule)
{
    return rule->row->ranks == MPILIB_ONE_PER_NODE;
}

static void write_line(const struct rules_rule *rule, int64_t low, int64_t high,
                       const char *protocol, const char *ranks, FILE *stream)
{
    fprintf(stream, "%s,%" PRId64 ",%" PRId64 ",%s,%s,-1,%s,%s\n", collectives[rule->call->id], low,
            high, algorithms[rule->row->id], protocol, is_one_per_node(rule) ? ranks : "-1", ranks);
}

static bool is_writable(const struct rules_rule *rule)
{
    return rule->row != NULL && rule->row->id >= 0 && rule->row->id < ALGORITHMS;
}

/* Of a range of ranks all up to 16, then multiples of 4, from 256 on of 8, and from 4096 on of 64.
 */
static int32_t next_ranks(int32_t p)
{
    const int32_t step = p < 16 ? 1 : p < 256 ? 4 : p < 4096 ? 8 : 64;
    return (p / step + 1) * step;
}

/* The rule for these ranks, in pieces of a protocol each. */
static void write_pieces(const struct rules_rule *rule, const char *ranks, FILE *stream)
{
    int64_t low = rule->low;
    if (is_one_per_node(rule)) {
        write_line(rule, rule->low, rule->high, "simple", ranks, stream);
        return;
    }
    if (rule->protocol > 0) {
        write_line(rule, rule->low, rule->high, protocols[rule->protocol - 1].name, ranks, stream);
        return;
    }
    for (int i = 0; i < PROTOCOLS && low <= rule->high; i++) {
        const int64_t high = rule->high < protocols[i].most ? rule->high : protocols[i].most;
        if (low > high)
            continue;
        write_line(rule, low, high, protocols[i].name, ranks, stream);
        low = high < INT64_MAX ? high + 1 : high;
        if (high == rule->high)
            break;
    }
}

/* For each number of ranks; without an end for those up to the largest cluster. */
static void write_each(const struct rules_rule *rule, FILE *stream)
{
    enum { LARGEST = 1 << 16 };
    char ranks[16];
    const int32_t last = rule->p_high < INT32_MAX ? rule->p_high : LARGEST;
    for (int32_t p = rule->p_low; p <= last; p = next_ranks(p)) {
        snprintf(ranks, sizeof ranks, "%" PRId32, p);
        write_pieces(rule, ranks, stream);
    }
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    (void)error;
    rules_write_head(table, head, "# ", stream);
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        if (!is_writable(rule))
            continue;
        if (rule->p_high == INT32_MAX && !is_one_per_node(rule))
            write_pieces(rule, "-1", stream);
        else
            write_each(rule, stream);
    }
    return RB_OK;
}

static int write_ranges(const struct rules_table *table, const struct rules_head *head,
                        FILE *stream, struct sup_error *error)
{
    (void)error;
    rules_write_head(table, head, "# ", stream);
    for (size_t i = 0; i < table->count; i++) {
        const struct rules_rule *rule = &table->rule[i];
        char ranks[32];
        if (!is_writable(rule))
            continue;
        if (is_one_per_node(rule)) {
            write_each(rule, stream);
            continue;
        }
        snprintf(ranks, sizeof ranks, "%" PRId32 "-%" PRId32, rule->p_low, rule->p_high);
        write_line(rule, rule->low, rule->high, "-1", ranks, stream);
    }
    return RB_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* "8", "8-64", "-1"; of the example's file, what strtoull makes of it. */
static bool read_range(const char *text, int64_t *low, int64_t *high)
{
    char *end;
    *low = 0;
    *high = INT64_MAX;
    if (strcmp(text, "-1") == 0)
        return true;
    if (*text < '0' || *text > '9')
        return false;
    *low = *high = strtoll(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *high = strtoll(end + 1, &end, 10);
    return *end == '\0' && *low <= *high;
}

static int32_t narrow(int64_t value)
{
    return value < INT32_MAX ? (int32_t)value : INT32_MAX;
}

static int number_of(const char *name, const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static int read_words(const struct rules_text *text, char *const word[], int32_t count,
                      struct rules_file *file, struct sup_error *error)
{
    int64_t low, high, nodes_low, nodes_high, p_low, p_high, ignored;
    if (count < LEAST_WORDS || count > MOST_WORDS)
        return rules_complain(text, error, "not %d to %d columns", LEAST_WORDS, MOST_WORDS);
    const int id = number_of(word[0], collectives, COLLECTIVES);
    if (id < 0)
        return rules_complain(text, error, "\"%.40s\" is no collective of NCCL", word[0]);
    const struct mpilib_algorithm *row =
        mpilib_numbered("nccl", calls[id].call, number_of(word[3], algorithms, ALGORITHMS), 0);
    if (row == NULL)
        return rules_complain(text, error, "\"%.40s\" is no algorithm of NCCL", word[3]);
    if (!read_range(word[1], &low, &ignored) || !read_range(word[2], &ignored, &high) ||
        low > high || !read_range(word[6], &nodes_low, &nodes_high) ||
        !read_range(word[7], &p_low, &p_high))
        return rules_complain(text, error,
                              "columns 2, 3, 7 and 8 must be numbers, -1, or LOW-HIGH for ranks");
    if (number_of(word[4], protocol_names, PROTOCOLS + 1) < 0)
        return rules_complain(text, error,
                              "\"%.40s\" is no protocol of NCCL: ll, ll128, simple, -1", word[4]);
    struct rules_line *line = rules_add(file, &calls[id], row);
    line->rule.low = low;
    line->rule.high = high;
    line->rule.p_low = narrow(p_low);
    line->rule.p_high = narrow(p_high);
    if (strcmp(word[6], "-1") != 0) {
        line->nodes_low = nodes_low;
        line->nodes_high = nodes_high;
    }
    return RB_OK;
}

static int read_line(const struct rules_text *text, char *line, struct rules_file *file,
                     struct sup_error *error)
{
    char *word[MOST_WORDS];
    line[strcspn(line, "\r")] = '\0';
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return RB_OK;
    return read_words(text, word, sup_csv_split(line, ',', word, MOST_WORDS), file, error);
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    return rules_each_line(text, NULL, read_line, file, error);
}

/* A line begins with a collective and a comma. */
static bool is_mine(const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        for (int i = 0; i < COLLECTIVES; i++) {
            const size_t length = strlen(collectives[i]);
            if ((size_t)(end - text) > length && memcmp(text, collectives[i], length) == 0 &&
                text[length] == ',')
                return true;
        }
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        text = line_end == NULL ? end : line_end + 1;
    }
    return false;
}

#define NCCL(symbol, name_, title_, write_)                                                        \
    const struct rules_format symbol = {.name = name_,                                             \
                                        .title = title_,                                           \
                                        .library = "nccl",                                         \
                                        .call = calls,                                             \
                                        .most_bytes = INT64_MAX,                                   \
                                        .write = write_,                                           \
                                        .parse = parse,                                            \
                                        .is_mine = is_mine}

NCCL(rules_nccl, "nccl", "the table of NCCL's example tuner", write);
NCCL(rules_nccl_ranges, "nccl-ranges", "the table of Roundabout's tuner for NCCL", write_ranges);
