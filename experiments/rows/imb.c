/* imb.c - the output of the Intel MPI Benchmarks (IMB-MPI1).
 *
 *   #----------------------------------------------------------------
 *   # Benchmarking Alltoall
 *   # #processes = 192
 *   # ( 64 additional processes waiting in MPI_Barrier)
 *   #----------------------------------------------------------------
 *          #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
 *               0         1000         0.04         0.09         0.05
 *
 * t_max counts: the mean of the slowest rank. Benchmarks that several groups of ranks run at a time
 * (-multi) are left out. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/units.h"

static const char benchmark[] = "# Benchmarking ";

static bool recognises(const char *line)
{
    return strncmp(line, benchmark, sizeof benchmark - 1) == 0 ||
           (*line == '#' && strstr(line, "MPI Benchmark") != NULL);
}

/* The number behind a text in a line; 0: it isn't there. */
static int64_t number_after(const char *line, const char *text)
{
    char word[24];
    int64_t number;
    const char *at = strstr(line, text);
    if (at == NULL)
        return 0;
    at += strlen(text);
    at += strspn(at, " ");
    const size_t length = strspn(at, "0123456789");
    if (length == 0 || length >= sizeof word)
        return 0;
    memcpy(word, at, length);
    word[length] = '\0';
    return sup_parse_int(word, 1, RB_MAX_RANKS, &number, NULL) == RB_OK ? number : 0;
}

enum { MOST_WORDS = 12, WORD_SIZE = 32 };

/* Divides a line at blanks; returns the number of words. */
static int divide(const char *line, char word[MOST_WORDS][WORD_SIZE])
{
    int count = 0;
    for (; count < MOST_WORDS; count++) {
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t");
        if (length == 0)
            break;
        snprintf(word[count], WORD_SIZE, "%.*s", (int)length, line);
        line += length;
    }
    return count;
}

/* Where a benchmark's table has which number; -1: it has none. */
struct columns {
    int count, bytes, runs, longest, pure, defects;
};

static const struct columns no_columns = {0, -1, -1, -1, -1, -1};

static struct columns find_columns(const char *line)
{
    char word[MOST_WORDS][WORD_SIZE];
    struct columns columns = no_columns;
    const int count = divide(line, word);
    columns.count = count;
    for (int i = 0; i < count; i++) {
        if (strcmp(word[i], "#bytes") == 0)
            columns.bytes = i;
        if (strcmp(word[i], "#repetitions") == 0)
            columns.runs = i;
        if (strcmp(word[i], "t_max[usec]") == 0)
            columns.longest = i;
        if (strcmp(word[i], "t_pure[usec]") == 0)
            columns.pure = i;
        if (strcmp(word[i], "defects") == 0)
            columns.defects = i;
    }
    return columns;
}

struct table {
    char name[48]; /* of the benchmark; "": none yet */
    bool multiple; /* several groups ran it at a time */
    struct columns columns;
};

/* Why a line that begins with a size is no row; ROWS_REASONS: it is one. */
static enum rows_left why_left(const struct table *table, char word[MOST_WORDS][WORD_SIZE],
                               int count)
{
    const struct columns *columns = &table->columns;
    double defects;
    if (columns->pure >= 0)
        return ROWS_OVERLAPPED;
    if (columns->longest < 0)
        return ROWS_NO_COLLECTIVE; /* PingPong has t[usec] */
    if (table->multiple)
        return ROWS_IN_GROUPS;
    if (count > 1 && !isdigit((unsigned char)word[1][0]))
        return ROWS_NOT_MEASURED; /* "out-of-mem.", "time-out." */
    if (count != columns->count)
        return ROWS_TORN;
    if (columns->defects >= 0 &&
        (sup_parse_real(word[columns->defects], &defects, NULL) != RB_OK || defects != 0))
        return ROWS_FAILED;
    return ROWS_REASONS;
}

static int add(struct rows_file *file, struct rows_draft *draft, const struct table *table)
{
    char word[MOST_WORDS][WORD_SIZE];
    const struct columns *columns = &table->columns;
    const int count = divide(file->lines.line, word);
    double time;
    if (count == 0 || columns->bytes < 0 || columns->bytes >= count ||
        !isdigit((unsigned char)word[0][0]) ||
        sup_parse_int(word[columns->bytes], 0, INT64_MAX, &draft->size, NULL) != RB_OK)
        return RB_OK;
    const enum rows_left reason = why_left(table, word, count);
    if (reason != ROWS_REASONS) {
        word[1][strcspn(word[1], ";")] = '\0';
        rows_leave(file, reason, reason == ROWS_NOT_MEASURED ? word[1] : table->name);
        return RB_OK;
    }
    if (sup_parse_real(word[columns->longest], &time, NULL) != RB_OK)
        return rows_wrong(file, "t_max[usec]: there is no number in this column");
    draft->median_s = time / 1e6;
    draft->runs = 0;
    if (columns->runs >= 0 && columns->runs < count)
        sup_parse_int(word[columns->runs], 0, INT64_MAX, &draft->runs, NULL);
    /* MPI_Reduce_scatter_block's size is that of a rank's result; that of MPI_Reduce_scatter is the
     * whole vector's. */
    if (strcmp(table->name, "Reduce_scatter_block") == 0 && draft->p > 0 &&
        __builtin_mul_overflow(draft->size, draft->p, &draft->size))
        return rows_wrong(file, "#bytes: too large for %" PRId64 " ranks", draft->p);
    return rows_add(file, draft);
}

static int read_(struct rows_file *file)
{
    struct table table = {.columns = no_columns};
    struct rows_draft draft = rows_empty_draft();
    int status = RB_OK;
    draft.size_of = ROWS_OF_BLOCK;
    draft.collective = table.name;
    do {
        const char *line = file->lines.line;
        if (strncmp(line, benchmark, sizeof benchmark - 1) == 0) {
            char word[MOST_WORDS][WORD_SIZE];
            snprintf(table.name, sizeof table.name, "%s", divide(line, word) > 2 ? word[2] : "");
            table.multiple = strncmp(table.name, "Multi-", 6) == 0;
            table.columns = no_columns;
        } else if (strstr(line, "#processes =") != NULL) {
            draft.p = number_after(line, "#processes =");
        } else if (strstr(line, " groups of ") != NULL) {
            table.multiple = true;
        } else if (strstr(line, "#bytes") != NULL) {
            table.columns = find_columns(line);
        } else if (table.name[0] != '\0') {
            status = add(file, &draft, &table);
        }
    } while (status == RB_OK && rows_next_line(file));
    return status;
}

const struct rows_format rows_imb = {
    .name = "Intel MPI Benchmarks", .recognises = recognises, .read = read_};
