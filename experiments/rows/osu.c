/* osu.c - the output of the OSU micro-benchmarks' blocking collectives (osu_bcast, osu_allreduce,
 * ...).
 *
 *   # OSU MPI Allgather Latency Test v7.4
 *   # Datatype: MPI_CHAR.
 *   # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
 *   1                       2.81              1.89              3.73          10
 *
 * A latency is a rank's mean; that of the slowest rank counts if it is given (-f), otherwise the
 * ranks' average. Nothing says how many ranks ran: that comes from the defaults or from a remark.
 * Lines that are neither headings nor numbers are other programs' output. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/units.h"

static const char begin[] = "# OSU MPI";

static bool recognises(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, begin, sizeof begin - 1) == 0;
}

/* A heading's test: "# OSU MPI-CUDA Broadcast Latency Test v7.0". */
struct test {
    char name[80]; /* of the collective, or of the whole test */
    bool collective, overlapped;
};

static struct test read_test(const char *line)
{
    static const char overlapped[] = "Non-blocking ";
    static const char *const ends[] = {" Personalized Exchange", " Latency Test"};
    struct test test = {.name = ""};
    line += strspn(line, " \t") + sizeof begin - 1;
    line += strcspn(line, " "); /* -CUDA, -ROCM */
    line += strspn(line, " ");
    test.overlapped = strncmp(line, overlapped, sizeof overlapped - 1) == 0;
    line += test.overlapped ? sizeof overlapped - 1 : 0;
    const char *end = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && end == NULL; i++)
        end = strstr(line, ends[i]);
    test.collective = end != NULL && end != line;
    snprintf(test.name, sizeof test.name, "%.*s",
             (int)(test.collective ? (size_t)(end - line) : strcspn(line, "\r\n")), line);
    return test;
}

enum { MOST_COLUMNS = 16, WORD = 40 };

/* Which column has which number; -1: none. */
struct columns {
    int count, average, longest, runs, pure, validation;
};

/* The words of a line; returns how many there are, at most MOST_COLUMNS. */
static int divide(const char *line, char word[MOST_COLUMNS][WORD])
{
    for (int count = 0;; count++) {
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t");
        if (length == 0 || length >= WORD || count == MOST_COLUMNS)
            return count;
        snprintf(word[count], WORD, "%.*s", (int)length, line);
        line += length;
    }
}

/* "# Size       Avg Latency(us)   Min Latency(us) ...": a column's name ends in its unit or is one
 * of three words. */
static struct columns find_columns(const char *line)
{
    struct columns columns = {
        .average = 1, .longest = -1, .runs = -1, .pure = -1, .validation = -1};
    char word[MOST_COLUMNS][WORD];
    const char *at = strstr(line, "Size");
    bool first = true; /* word of a name */
    const int count = at == NULL ? 0 : divide(at, word);
    for (int i = 0; i < count; i++) {
        const bool runs = strcmp(word[i], "Iterations") == 0;
        const bool validation = strcmp(word[i], "Validation") == 0;
        if (first && strcmp(word[i], "Max") == 0)
            columns.longest = columns.count;
        if (first && strcmp(word[i], "Pure") == 0)
            columns.pure = columns.count;
        columns.runs = runs ? columns.count : columns.runs;
        columns.validation = validation ? columns.count : columns.validation;
        first = runs || validation || strcmp(word[i], "Size") == 0 || sup_ends_in(word[i], ")");
        columns.count += first;
    }
    return columns;
}

static int add(struct rows_file *file, struct rows_draft *draft, const struct test *test,
               const struct columns *columns)
{
    char word[MOST_COLUMNS][WORD];
    double number[MOST_COLUMNS];
    const int words = divide(file->lines.line, word);
    int count = 0;
    while (count < words && sup_parse_real(word[count], &number[count], NULL) == RB_OK)
        count++;
    const int column = columns->longest >= 0 ? columns->longest : columns->average;
    const bool given_up = count == 1 && words > 1 && columns->count > 0;
    if (count < 1 || (count < 2 && !given_up) || number[0] < 0 || number[0] != floor(number[0]) ||
        number[0] > 1e18)
        return RB_OK;
    if (test->overlapped || columns->pure > 0)
        rows_leave(file, ROWS_OVERLAPPED, test->name);
    else if (!test->collective)
        rows_leave(file, ROWS_NO_COLLECTIVE, test->name);
    else if (given_up || !isfinite(number[column < count ? column : 0]))
        rows_leave(file, ROWS_NOT_MEASURED, word[1]);
    else if (columns->count > 0 && words != columns->count)
        rows_leave(file, ROWS_TORN, test->name);
    else if (columns->validation > 0 && columns->validation < words &&
             strcmp(word[columns->validation], "Pass") != 0 &&
             strcmp(word[columns->validation], "-") != 0)
        rows_leave(file, ROWS_FAILED, test->name);
    else if (column >= count)
        return rows_wrong(file, "there is no number in the column of the latency");
    else {
        draft->size = (int64_t)number[0];
        draft->median_s = number[column] / 1e6;
        const double runs = columns->runs >= 0 && columns->runs < count ? number[columns->runs] : 0;
        if (!(runs >= 0 && runs <= 1e18))
            return rows_wrong(file, "the number of iterations is not from 0 to 1e18");
        draft->runs = (int64_t)runs;
        return rows_add(file, draft);
    }
    return RB_OK;
}

static int read_(struct rows_file *file)
{
    struct test test = {.name = ""};
    struct columns columns = find_columns("");
    struct rows_draft draft = rows_empty_draft();
    int status = RB_OK;
    draft.size_of = ROWS_OF_BLOCK;
    draft.collective = test.name;
    do {
        if (recognises(file->lines.line)) {
            test = read_test(file->lines.line);
            columns = find_columns("");
        } else if (strstr(file->lines.line, "# Size") != NULL) {
            columns = find_columns(file->lines.line);
        } else {
            status = add(file, &draft, &test, &columns);
        }
    } while (status == RB_OK && rows_next_line(file));
    return status;
}

const struct rows_format rows_osu = {
    .name = "OSU micro-benchmarks", .recognises = recognises, .read = read_};
