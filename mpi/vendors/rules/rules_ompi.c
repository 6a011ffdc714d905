/* rules_ompi.c - Open MPI's classic file of rules (coll_tuned_dynamic_rules_filename), versions 1
 * and 2.
 *
 *     COLLECTIVES                how many follow; each:
 *       ID  COMM-SIZES           each:
 *         SIZE  RULES            each:
 *           BYTES ALGORITHM FANINOUT SEGSIZE [REQUESTS]
 *
 * Version 2 (5.0.7 and later) begins with rule-file-version-2 and may have REQUESTS. The reader
 * here does what coll_tuned_dynamic_file.c of 4.1.4 and 5.0.10 does: whatever is no number is
 * skipped, # skips the rest of a line, and numbers may be octal or hexadecimal. The communicator's
 * rules are those of the last SIZE before the first one that exceeds p, or the first ones; the rule
 * for a message is the last one before the first whose BYTES exceed it. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules_format.h"

/* coll_base_functions.h, COLLTYPE, which has 22 collectives; coll_tuned_decision_dynamic.c says
 * what each one's thresholds are compared with. Of gather and scatter it is made of arguments that
 * only some ranks have to give; that of scan and exscan leaves out the count. */
const struct rules_call rules_ompi_calls[] = {
    {"allgather", "allgather", 0, RULES_ALL},
    {"allgather", "allgatherv", 1, RULES_PER_RANK},
    {"allreduce", "allreduce", 2, RULES_ALL},
    {"alltoall", "alltoall", 3, RULES_PER_RANK},
    {"bcast", "bcast", 7, RULES_ALL},
    {"exscan", "exscan", 8, RULES_BLIND},
    {"gather", "gather", 9, RULES_BLIND},
    {"reduce", "reduce", 11, RULES_ALL},
    {"reduce-scatter", "reduce_scatter", 12, RULES_ALL},
    {"reduce-scatter", "reduce_scatter_block", 13, RULES_ALL},
    {"scan", "scan", 14, RULES_BLIND},
    {"scatter", "scatter", 15, RULES_BLIND},
    {NULL, NULL, 0, RULES_ALL},
};
enum { COLLECTIVES = 22 };
enum { BYTES, ALGORITHM, FAN, SEGMENT, REQUESTS, NUMBERS };

static const char version_2[] = "rule-file-version-";

/* ---- Writing --------------------------------------------------------------------------------- */

static size_t count_ranks(const struct rules_table *table, size_t from, size_t end)
{
    size_t count = 0;
    for (; from < end; from = rules_ranks_end(table, from))
        count++;
    return count;
}

static void write_rule(const struct rules_table *table, const struct rules_rule *rule, FILE *stream)
{
    const bool chosen = rule->row != NULL;
    char comment[200];
    fprintf(stream, "%" PRId64 " %d %" PRId32 " %" PRId64 "%s  # %s\n", rule->low,
            chosen ? rule->row->id : 0, chosen && rule->row->fanned ? rule->radix : 0,
            chosen ? rule->segment_bytes : 0, table->format->version >= 500 ? " 0" : "",
            rules_comment(rule, comment, sizeof comment));
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    size_t collectives = 0;
    (void)error;
    for (size_t i = 0; i < table->count; i = rules_call_end(table, i))
        collectives++;
    if (table->format->version >= 500)
        fprintf(stream, "%s2\n", version_2);
    rules_write_head(table, head, "# ", stream);
    fprintf(stream, "%zu  # collectives\n", collectives);
    for (size_t i = 0, end; i < table->count; i = end) {
        const char *call = table->rule[i].call->call;
        end = rules_call_end(table, i);
        fprintf(stream, "\n%d  # %s\n%zu  # sizes of communicators\n", table->rule[i].call->id,
                call, count_ranks(table, i, end));
        for (size_t k = i, next; k < end; k = next) {
            next = rules_ranks_end(table, k);
            fprintf(stream, "%" PRId32 " %zu  # ranks from here on, and how many rules\n",
                    table->rule[k].p_low, next - k);
            for (; k < next; k++)
                write_rule(table, &table->rule[k], stream);
        }
    }
    return RB_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void skip_line(struct rules_text *text)
{
    while (text->at < text->end && *text->at != '\n')
        text->at++;
}

/* The next number, as scanf's %li reads it; other characters are skipped. */
static bool next_number(struct rules_text *text, int64_t *value)
{
    for (; text->at < text->end; text->at++) {
        char digits[32];
        size_t length = 0;
        if (*text->at == '\n')
            text->line++;
        if (*text->at == '#') {
            skip_line(text);
            text->at--;
            continue;
        }
        if (!isdigit((unsigned char)*text->at) &&
            !((*text->at == '-' || *text->at == '+') && text->at + 1 < text->end &&
              isdigit((unsigned char)text->at[1])))
            continue;
        while (length < sizeof digits - 1 && text->at + length < text->end)
            digits[length] = text->at[length], length++;
        digits[length] = '\0';
        char *rest;
        *value = strtoll(digits, &rest, 0);
        text->at += rest - digits;
        while (rest == digits + sizeof digits - 1 && text->at < text->end &&
               isdigit((unsigned char)*text->at))
            text->at++;
        return true;
    }
    return false;
}

static int need(struct rules_text *text, const char *what, const char *of, int64_t most,
                int64_t *value, struct sup_error *error)
{
    if (!next_number(text, value))
        return rules_complain(text, error, "the file ends before %s%s%s", what,
                              *of == '\0' ? "" : " of ", of);
    if (*value < 0 || *value > most)
        return rules_complain(text, error, "%s%s%s is %" PRId64 ", but must be from 0 to %" PRId64,
                              what, *of == '\0' ? "" : " of ", of, *value, most);
    return RB_OK;
}

/* isnext_digit: only blanks may stand before it. */
static bool is_next_digit(const struct rules_text *text)
{
    const char *at = text->at;
    while (at < text->end && (*at == ' ' || *at == '\t'))
        at++;
    return at < text->end && isdigit((unsigned char)*at);
}

static int read_algorithm(struct rules_text *text, const struct rules_call *call, int64_t id,
                          struct rules_line *line, struct sup_error *error)
{
    if (id == 0)
        return RB_OK;
    line->rule.row = mpilib_numbered("ompi", call->call, (int)id, 0);
    if (line->rule.row == NULL)
        return rules_complain(text, error, "%s has no algorithm %" PRId64, call->call, id);
    snprintf(line->name, sizeof line->name, "%s", line->rule.row->name);
    return RB_OK;
}

/* The numbers of one rule. */
static int read_rule(struct rules_text *text, int version, const char *call,
                     int64_t number[NUMBERS], struct sup_error *error)
{
    static const struct {
        const char *what;
        int64_t most;
    } numbers[NUMBERS] = {
        [BYTES] = {"the bytes of a rule", INT64_MAX},
        [ALGORITHM] = {"the algorithm of a rule", INT_MAX},
        [FAN] = {"the fan of a rule", INT_MAX},
        [SEGMENT] = {"the segment size of a rule", INT_MAX},
        [REQUESTS] = {"the requests of a rule", INT_MAX},
    };
    int status = RB_OK;
    for (int i = 0; i < NUMBERS && status == RB_OK; i++)
        if (i != REQUESTS || (version > 1 && is_next_digit(text)))
            status = need(text, numbers[i].what, call, numbers[i].most, &number[i], error);
    return status;
}

/* The rules of one size of communicators. */
static int read_rules(struct rules_text *text, struct rules_file *file, int version,
                      const struct rules_line *like, int64_t count, struct sup_error *error)
{
    int64_t number[NUMBERS], low = 0;
    size_t last = SIZE_MAX;
    for (int64_t i = 0; i < count; i++) {
        const char *call = like->call == NULL ? "a collective" : like->call->call;
        int status = read_rule(text, version, call, number, error);
        const int64_t bytes = number[BYTES];
        if (status == RB_OK && i == 0 && bytes != 0)
            status = rules_complain(text, error,
                                    "the first rule of %s for a size of communicators begins at "
                                    "%" PRId64 " bytes, but must begin at 0",
                                    call, bytes);
        if (status != RB_OK)
            return status;
        low = bytes > low ? bytes : low;
        if (last != SIZE_MAX)
            file->line[last].rule.high = bytes - 1;
        if (like->call == NULL)
            continue;
        struct rules_line *line = rules_add(file, like->call, NULL);
        *line = *like;
        line->rule.low = low;
        line->rule.radix = (int32_t)number[FAN];
        line->rule.segment_bytes = number[SEGMENT];
        last = file->count - 1;
        status = read_algorithm(text, like->call, number[ALGORITHM], line, error);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

/* The communicators of the i-th size, of `ranks`, are those up to the next size; the first one's
 * are also all smaller ones. `from` is where they begin so far. */
static int64_t begin_of(int64_t i, int64_t ranks, int64_t from)
{
    return i == 0 ? 0 : ranks > from ? ranks : from;
}

static int read_sizes(struct rules_text *text, struct rules_file *file, int version,
                      const struct rules_call *call, int64_t sizes, struct sup_error *error)
{
    const char *of = call == NULL ? "a collective" : call->call;
    int64_t ranks, rules, from = 0, first_ranks = 0;
    size_t group = file->count;
    for (int64_t i = 0; i < sizes; i++) {
        int status = need(text, "the size of communicators", of, INT_MAX, &ranks, error);
        if (status == RB_OK)
            status = need(text, "the number of rules", of, INT_MAX, &rules, error);
        if (status != RB_OK)
            return status;
        const int64_t end = i == 1 && first_ranks > ranks ? first_ranks : ranks;
        for (; i > 0 && group < file->count; group++)
            file->line[group].rule.p_high = (int32_t)(end - 1);
        group = file->count;
        const struct rules_line like = {.call = call,
                                        .group = (int)group,
                                        .rule = {.call = call,
                                                 .p_low = (int32_t)begin_of(i, ranks, from),
                                                 .p_high = INT32_MAX,
                                                 .high = INT64_MAX}};
        first_ranks = i == 0 ? ranks : first_ranks;
        from = ranks > from ? ranks : from;
        status = read_rules(text, file, version, &like, rules, error);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

static int read_collective(struct rules_text *text, struct rules_file *file, int version,
                           struct sup_error *error)
{
    int64_t id, sizes;
    int status = need(text, "the number", "a collective", COLLECTIVES - 1, &id, error);
    if (status != RB_OK)
        return status;
    const struct rules_call *call = rules_call_numbered(file->format, id);
    /* The last rules of a collective count. */
    for (size_t i = 0; call != NULL && i < file->count; i++)
        if (file->line[i].call == call)
            file->line[i].rule.p_high = -1;
    status = need(text, "the number of sizes of communicators",
                  call == NULL ? "a collective" : call->call, INT_MAX, &sizes, error);
    return status != RB_OK ? status : read_sizes(text, file, version, call, sizes, error);
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    const size_t length = sizeof version_2 - 1;
    int64_t version = 1, collectives;
    if (file->format->version >= 500 && (size_t)(text->end - text->at) > length &&
        memcmp(text->at, version_2, length) == 0) {
        text->at += length;
        if (!next_number(text, &version) || version < 0)
            return rules_complain(text, error, "the version of the file is no number");
    }
    int status = need(text, "the number of collectives", "", COLLECTIVES, &collectives, error);
    for (int64_t i = 0; status == RB_OK && i < collectives; i++)
        status = read_collective(text, file, (int)version, error);
    return status;
}

static bool is_version_2(const char *text, size_t size)
{
    return size >= sizeof version_2 && memcmp(text, version_2, sizeof version_2 - 1) == 0;
}

static bool begins_with_number(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '#')
            while (i < size && text[i] != '\n')
                i++;
        else if (!isspace((unsigned char)text[i]))
            return isdigit((unsigned char)text[i]) != 0;
    }
    return false;
}

#define CLASSIC(...)                                                                               \
    {                                                                                              \
        .library = "ompi", .call = rules_ompi_calls, .segments = true, .most_bytes = INT64_MAX,    \
        .write = write, .parse = parse, .variables = RULES_OMPI_VARIABLES, __VA_ARGS__             \
    }

const struct rules_format rules_ompi =
    CLASSIC(.name = "ompi", .title = "Open MPI's file of rules, version 1: 4.0 to 5.0",
            .version = 401, .is_mine = begins_with_number);

const struct rules_format rules_ompi_2 =
    CLASSIC(.name = "ompi-2", .title = "Open MPI's file of rules, version 2: 5.0.7 and later 5.0",
            .version = 500, .is_mine = is_version_2);
