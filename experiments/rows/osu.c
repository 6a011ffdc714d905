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

/* The benchmark's collective, cut out of the heading: "# OSU MPI-CUDA Broadcast Latency Test v7.0".
 * "": the test is no blocking collective. */
static void cut_collective(const char *line, char *name, size_t size)
{
    line += strspn(line, " \t") + sizeof begin - 1;
    line += strcspn(line, " "); /* -CUDA, -ROCM */
    line += strspn(line, " ");
    const char *end = strstr(line, " Latency Test");
    const char *exchange = strstr(line, " Personalized Exchange");
    end = exchange != NULL && (end == NULL || exchange < end) ? exchange : end;
    if (end == NULL || end == line)
        *name = '\0';
    else
        snprintf(name, size, "%.*s", (int)(end - line), line);
}

enum { MOST_COLUMNS = 8 };

/* Which column has which number; -1: none. */
struct columns {
    int average, longest, runs;
};

/* "# Size       Avg Latency(us)   Min Latency(us) ...": two or more blanks separate columns. */
static struct columns find_columns(const char *line)
{
    struct columns columns = {.average = 1, .longest = -1, .runs = -1};
    const char *at = strstr(line, "Size");
    for (int i = 0; at != NULL && *at != '\0' && i < MOST_COLUMNS; i++) {
        if (strncmp(at, "Max", 3) == 0)
            columns.longest = i;
        if (strncmp(at, "Iterations", 10) == 0)
            columns.runs = i;
        at = strstr(at, "  ");
        if (at != NULL)
            at += strspn(at, " ");
    }
    return columns;
}

/* The numbers of a line; returns how many there are. */
static int read_numbers(const char *line, double number[MOST_COLUMNS])
{
    char word[40];
    int count = 0;
    for (;;) {
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t");
        if (length == 0 || length >= sizeof word || count == MOST_COLUMNS)
            return count;
        memcpy(word, line, length);
        word[length] = '\0';
        if (sup_parse_real(word, &number[count], NULL) != RB_OK)
            return count;
        count++;
        line += length;
    }
}

static int add(struct rows_file *file, struct rows_draft *draft, const struct columns *columns)
{
    double number[MOST_COLUMNS];
    const int count = read_numbers(file->lines.line, number);
    const int column = columns->longest >= 0 ? columns->longest : columns->average;
    if (count < 2 || number[0] < 0 || number[0] != floor(number[0]) || number[0] > 1e18)
        return RB_OK;
    if (column >= count)
        return rows_wrong(file, "there is no number in the column of the latency");
    draft->size = (int64_t)number[0];
    draft->median_s = number[column] / 1e6;
    const double runs = columns->runs >= 0 && columns->runs < count ? number[columns->runs] : 0;
    if (!(runs >= 0 && runs <= 1e18))
        return rows_wrong(file, "the number of iterations is not from 0 to 1e18");
    draft->runs = (int64_t)runs;
    return rows_add(file, draft);
}

static int read_(struct rows_file *file)
{
    char collective[60];
    struct columns columns = find_columns("");
    struct rows_draft draft = rows_empty_draft();
    int status = RB_OK;
    draft.size_of = ROWS_OF_BLOCK;
    draft.collective = collective;
    do {
        if (recognises(file->lines.line)) {
            cut_collective(file->lines.line, collective, sizeof collective);
            columns = find_columns("");
        } else if (strstr(file->lines.line, "# Size") != NULL) {
            columns = find_columns(file->lines.line);
        } else if (collective[0] != '\0') {
            status = add(file, &draft, &columns);
        } else {
            double number[MOST_COLUMNS];
            file->set->pairs += read_numbers(file->lines.line, number) >= 2;
        }
    } while (status == RB_OK && rows_next_line(file));
    return status;
}

const struct rows_format rows_osu = {
    .name = "OSU micro-benchmarks", .recognises = recognises, .read = read_};
