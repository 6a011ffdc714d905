/* nccl_tuning.c - the table that NCCL prints with NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,TUNING:
 * latency and bandwidth of each algorithm and protocol by its own cost model.
 *
 *   host:1:2 [0] NCCL INFO comm 0x5.. rank 13 nRanks 16 nNodes 2 localRanks 8 ..
 *   host:1:2 [0] NCCL INFO   Algorithm   |              Tree              |              Ring  ..
 *   host:1:2 [0] NCCL INFO   Protocol    |      LL |   LL128 |   Simple |      LL |  ..
 *   host:1:2 [0] NCCL INFO  Max NThreads |     512 | ..
 *   host:1:2 [0] NCCL INFO     AllReduce |  25.0/ 4.2 | ..
 *
 * or, before 2.19, one heading "Latency/AlgBw |    Tree/    LL | ..". A row is what the model takes
 * for a size by the best protocol of an algorithm: latency (us) + bytes / bandwidth (GB/s). These
 * are computed times, of the library "NCCL model", so that they never stand beside measured ones.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"

enum { MOST_CELLS = 40, WORD = 24 };

static const char info[] = "NCCL INFO ";

/* What stands behind "NCCL INFO"; NULL: the line is another program's. */
static const char *said_in(const char *line)
{
    const char *at = strstr(line, info);
    return at == NULL ? NULL : at + sizeof info - 1 + strspn(at + sizeof info - 1, " ");
}

static bool begins(const char *text, const char *word)
{
    return text != NULL && strncmp(text, word, strlen(word)) == 0;
}

static bool recognises(const char *line)
{
    const char *said = said_in(line);
    return begins(said, "Algorithm ") || begins(said, "Latency/AlgBw ") ||
           (begins(said, "comm ") && strstr(said, " nRanks ") != NULL);
}

/* Cuts "A | B | C" into its cells behind the first, without blanks at their ends and in small
 * letters; returns how many there are. */
static int divide(const char *said, char cell[MOST_CELLS][WORD])
{
    int count = 0;
    for (said = strchr(said, '|'); said != NULL && count < MOST_CELLS; said = strchr(said, '|')) {
        said += 1 + strspn(said + 1, " ");
        size_t length = 0;
        for (; *said != '|' && *said != '\0'; said++)
            if (*said != ' ' && length + 1 < WORD)
                cell[count][length++] = (char)tolower((unsigned char)*said);
        cell[count][length] = '\0';
        count += length > 0;
    }
    return count;
}

struct table {
    int64_t p, nodes;
    char algorithm[MOST_CELLS][WORD]; /* of each column */
    int columns;
};

/* One cell for each algorithm, which has as many columns as there are protocols. */
static void read_protocols(struct table *table, const char *said)
{
    char cell[MOST_CELLS][WORD];
    const int count = divide(said, cell), algorithms = table->columns;
    if (algorithms == 0 || count % algorithms != 0)
        return;
    for (int i = count - 1; i >= 0; i--)
        memmove(table->algorithm[i], table->algorithm[i * algorithms / count], WORD);
    table->columns = count;
}

/* "tree/ll": before the sign. */
static void read_heading(struct table *table, const char *said)
{
    table->columns = divide(said, table->algorithm);
    for (int i = 0; i < table->columns; i++)
        table->algorithm[i][strcspn(table->algorithm[i], "/")] = '\0';
}

static int add_sizes(struct rows_file *file, const struct table *table, struct rows_draft *draft,
                     int first, int end, const double latency_us[], const double bandwidth[])
{
    int status = RB_OK;
    draft->name = table->algorithm[first];
    for (int64_t bytes = 1 << 10; bytes <= 1 << 30 && status == RB_OK; bytes *= 4) {
        draft->median_s = 0; /* none: not counted */
        for (int i = first; i < end; i++) {
            const double time_s = (latency_us[i] + (double)bytes / 1000 / bandwidth[i]) / 1e6;
            if (bandwidth[i] > 0 && (!(draft->median_s > 0) || time_s < draft->median_s))
                draft->median_s = time_s;
        }
        draft->size = bytes;
        if (draft->median_s > 0)
            status = rows_add(file, draft);
    }
    return status;
}

/* A line of one collective. */
static int add(struct rows_file *file, const struct table *table, const char *said)
{
    static const char *const names[][2] = {{"Broadcast ", "bcast"},
                                           {"Reduce ", "reduce"},
                                           {"AllGather ", "allgather"},
                                           {"ReduceScatter ", "reduce_scatter"},
                                           {"AllReduce ", "allreduce"}};
    char cell[MOST_CELLS][WORD];
    double latency_us[MOST_CELLS], bandwidth[MOST_CELLS];
    struct rows_draft draft = rows_empty_draft();
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !begins(said, names[i][0]))
        i++;
    if (i == sizeof names / sizeof *names || strchr(said, '|') == NULL)
        return RB_OK;
    const int count = divide(said, cell);
    if (count != table->columns || count == 0)
        return rows_wrong(file, "%d values for the %d columns of the heading", count,
                          table->columns);
    for (int k = 0; k < count; k++)
        if (sscanf(cell[k], "%lf/%lf", &latency_us[k], &bandwidth[k]) != 2 ||
            !(latency_us[k] >= 0) || !(bandwidth[k] >= 0))
            return rows_wrong(file, "\"%s\" is not a latency in us / a bandwidth in GB/s", cell[k]);
    draft.collective = names[i][1];
    draft.size_of = ROWS_OF_BUFFER;
    draft.library = "NCCL model";
    draft.notes = "computed by NCCL";
    draft.p = table->p;
    draft.nodes = table->nodes;
    int status = RB_OK;
    for (int first = 0, end; first < count && status == RB_OK; first = end) {
        for (end = first + 1;
             end < count && strcmp(table->algorithm[end], table->algorithm[first]) == 0;)
            end++;
        status = add_sizes(file, table, &draft, first, end, latency_us, bandwidth);
    }
    return status;
}

static int read_(struct rows_file *file)
{
    struct table table = {0};
    int status = RB_OK;
    do {
        const char *said = said_in(file->lines.line);
        const char *ranks = said == NULL ? NULL : strstr(said, " nRanks ");
        int p, nodes;
        if (ranks != NULL && sscanf(ranks, " nRanks %9d nNodes %9d", &p, &nodes) == 2) {
            table.p = p;
            table.nodes = nodes;
        } else if (begins(said, "Algorithm ")) {
            table.columns = divide(said, table.algorithm);
        } else if (begins(said, "Protocol ")) {
            read_protocols(&table, said);
        } else if (begins(said, "Latency/AlgBw ")) {
            read_heading(&table, said);
        } else if (said != NULL) {
            status = add(file, &table, said);
        }
    } while (status == RB_OK && rows_next_line(file));
    return status;
}

const struct rows_format rows_nccl_tuning = {
    .name = "NCCL's tuning table", .recognises = recognises, .read = read_};
