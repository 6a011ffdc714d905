/* rules_impi.c - Intel MPI's variables I_MPI_ADJUST_..., as lines of a shell script.
 *
 *     export I_MPI_ADJUST_BCAST="1:0-4095@2-22,0-511@23-2147483647;3:4096-2147483647@2-22"
 *
 * Algorithms by semicolons, each with conditions by commas: sizes from-to @ ranks from-to, ends
 * included. The documentation does not say what happens where none or several hold, nor which size
 * is compared in collectives whose ranks have parts of the data; here it is the size of one rank's
 * part. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mpi/vendors/rules/rules_format.h"

static const struct rules_call calls[] = {
    {"bcast", "bcast", -1, RULES_ALL},
    {"reduce", "reduce", -1, RULES_ALL},
    {"allreduce", "allreduce", -1, RULES_ALL},
    {"allgather", "allgather", -1, RULES_PER_RANK},
    {"alltoall", "alltoall", -1, RULES_PER_PAIR},
    {"reduce-scatter", "reduce_scatter", -1, RULES_PER_RANK},
    {NULL, NULL, -1, RULES_ALL},
};

static const char variable[] = "I_MPI_ADJUST_";

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_call(const char *call, FILE *stream)
{
    for (; *call != '\0'; call++)
        fputc(toupper((unsigned char)*call), stream);
}

/* The conditions of one algorithm, among the rules from..end of a call. */
static void write_algorithm(const struct rules_table *table, size_t from, size_t end,
                            const struct mpilib_algorithm *row, FILE *stream)
{
    const char *before = "";
    fprintf(stream, "%d:", row->id);
    for (; from < end; from++) {
        const struct rules_rule *rule = &table->rule[from];
        if (rule->row != row)
            continue;
        fprintf(stream, "%s%" PRId64 "-%" PRId64 "@%" PRId32 "-%" PRId32, before, rule->low,
                rule->high < INT_MAX ? rule->high : INT_MAX, rule->p_low, rule->p_high);
        before = ",";
    }
}

static int write(const struct rules_table *table, const struct rules_head *head, FILE *stream,
                 struct sup_error *error)
{
    (void)error;
    rules_write_head(table, head, "# ", stream);
    for (size_t i = 0, end; i < table->count; i = end) {
        const char *before = "";
        end = rules_call_end(table, i);
        fprintf(stream, "export %s", variable);
        write_call(table->rule[i].call->call, stream);
        fputs("=\"", stream);
        for (size_t k = i; k < end; k++) {
            const struct mpilib_algorithm *row = table->rule[k].row;
            bool first = row != NULL;
            for (size_t l = i; l < k && first; l++)
                first = table->rule[l].row != row;
            if (!first)
                continue;
            fputs(before, stream);
            write_algorithm(table, i, end, row, stream);
            before = ";";
        }
        fputs("\"\n", stream);
    }
    return RB_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct range {
    int64_t low, high;
};

/* "4096" or "0-4095". */
static bool read_range(char **at, struct range *range)
{
    if (!isdigit((unsigned char)**at))
        return false;
    range->low = range->high = strtoll(*at, at, 10);
    if (**at != '-')
        return true;
    ++*at;
    if (!isdigit((unsigned char)**at))
        return false;
    range->high = strtoll(*at, at, 10);
    return true;
}

static void add_line(const struct rules_call *call, const struct mpilib_algorithm *row,
                     const struct range *size, const struct range *ranks, struct rules_file *file)
{
    struct rules_line *line = rules_add(file, call, row);
    line->rule.low = size->low;
    line->rule.high = size->high >= INT_MAX ? INT64_MAX : size->high;
    line->rule.p_low = (int32_t)(ranks->low < INT32_MAX ? ranks->low : INT32_MAX);
    line->rule.p_high = (int32_t)(ranks->high < INT32_MAX ? ranks->high : INT32_MAX);
}

/* "1:0-4095@2-22,..." */
static int read_algorithm(const struct rules_text *text, const struct rules_call *call, char *at,
                          struct rules_file *file, struct sup_error *error)
{
    char *end = at;
    const long id = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;
    const struct mpilib_algorithm *row = mpilib_numbered("impi", call->call, (int)id, 0);
    if (end == at || (*end != ':' && *end != '\0'))
        return rules_complain(text, error,
                              "%s: \"%.40s\" must begin with the number of an algorithm",
                              call->call, at);
    if (id != 0 && row == NULL)
        return rules_complain(text, error, "%s: algorithm %ld is not known here", call->call, id);
    if (id == 0)
        return RB_OK;
    do {
        struct range size = {0, INT64_MAX}, ranks = {0, INT32_MAX};
        if (*end++ == '\0') { /* for all */
            add_line(call, row, &size, &ranks, file);
            break;
        }
        if (!read_range(&end, &size) || (*end == '@' && (end++, !read_range(&end, &ranks))) ||
            (*end != ',' && *end != '\0'))
            return rules_complain(text, error,
                                  "%s, algorithm %ld: conditions must be FROM-TO@FROM-TO",
                                  call->call, id);
        add_line(call, row, &size, &ranks, file);
    } while (*end == ',');
    return RB_OK;
}

/* "BCAST=...": the call, and the value; NULL: another collective. */
static const struct rules_call *call_of(const struct rules_format *format, char *at, char **value)
{
    char name[40];
    const size_t length = strcspn(at, "=");
    *value = at + length + (at[length] == '=');
    if (length >= sizeof name)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        name[i] = i == length ? '\0' : (char)tolower((unsigned char)at[i]);
    return rules_call_named(format, name);
}

/* What follows I_MPI_ADJUST_. */
static int read_variable(const struct rules_text *text, char *at, struct rules_file *file,
                         struct sup_error *error)
{
    char *value, *rest;
    int status = RB_OK;
    const struct rules_call *call = call_of(file->format, at, &value);
    if (call == NULL)
        return RB_OK;
    for (char *one = strtok_r(value, ";", &rest); one != NULL && status == RB_OK;
         one = strtok_r(NULL, ";", &rest))
        status = read_algorithm(text, call, one, file, error);
    return status;
}

static int parse(struct rules_text *text, struct rules_file *file, struct sup_error *error)
{
    return rules_each_line(text, variable, read_variable, file, error);
}

static bool is_mine(const char *text, size_t size)
{
    return rules_has_word(text, size, variable);
}

const struct rules_format rules_impi = {
    .name = "impi",
    .title = "Intel MPI's variables I_MPI_ADJUST_...",
    .library = "impi",
    .call = calls,
    .strict_ranks = true,
    .most_bytes = INT_MAX,
    .variables = RULES_FILE_SETS,
    .write = write,
    .parse = parse,
    .is_mine = is_mine,
};
