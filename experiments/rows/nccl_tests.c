/* nccl_tests.c - the output of nccl-tests and rccl-tests.
 *
 *   # Collective test starting: all_reduce_perf
 *   # nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 iters: 20 ...
 *   #  Rank  0 Group  0 Pid 204199 on  nid005471 device  0 [0009:01:00] NVIDIA GH200 120GB
 *   #       size         count      type   redop    root     time   algbw   busbw  #wrong     time
 * ... 1048576        262144     float     sum      -1    46.50   22.55   39.46       0    46.3 ...
 *
 * The time out of place counts; it is the mean of a test's calls. Older versions name no
 * collective: then the command's line above does, or the file's name. Without NCCL_ALGO in the
 * command, or NCCL's line "NCCL_ALGO set by environment to Tree", the choice is NCCL's own. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

enum { MOST_WORDS = 40, WORD = 48, MOST_HOSTS = 1 << 16 };

static const char begin[] = "# nThread ", perf[] = "_perf";

static const char *const tests[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                    "reduce",     "alltoall",   "alltoallv",      "gather",
                                    "scatter",    "sendrecv",   "hypercube"};

/* A heading, or the command of a test, "./build/all_reduce_perf -b 8". */
static bool recognises(const char *line)
{
    if (strncmp(line, begin, sizeof begin - 1) == 0 ||
        strncmp(line, "# Collective test starting:", 27) == 0)
        return true;
    for (const char *at = strstr(line, perf); at != NULL; at = strstr(at + 1, perf))
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
            const size_t length = strlen(tests[i]);
            const char *after = at + sizeof perf - 1;
            if ((*after == ' ' || *after == '\0') && at >= line + length &&
                strncmp(at - length, tests[i], length) == 0 &&
                (at == line + length || strchr("/ ", at[-1 - (long)length]) != NULL))
                return true;
        }
    return false;
}

struct table {
    char collective[24]; /* of the test, without its signs: "allreduce"; "": not known */
    char algorithm[24];  /* forced; "": none */
    int count, size, time, wrong, type; /* columns: how many, and where */
    const char **host;                  /* owned: different ones of the ranks */
    int64_t hosts, ranks, runs;
};

static int divide(const char *line, char word[MOST_WORDS][WORD])
{
    int count = 0;
    for (;;) {
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t");
        if (length == 0 || count == MOST_WORDS)
            return count;
        snprintf(word[count++], WORD, "%.*s", (int)(length < WORD ? length : WORD - 1), line);
        line += length;
    }
}

/* The test before "_perf" in a text: "all_reduce_perf" is allreduce. */
static void find_test(const char *text, char name[24])
{
    const char *end = strstr(text, perf);
    const char *first = end;
    size_t length = 0;
    while (first != NULL && first > text && (isalpha((unsigned char)first[-1]) || first[-1] == '_'))
        first--;
    if (end == NULL || first == end)
        return;
    for (; first < end && length < 23; first++)
        if (*first != '_')
            name[length++] = *first;
    name[length] = '\0';
}

/* The word behind a text, in lower case. */
static void find_word(const char *line, const char *before, char word[24])
{
    const char *at = strstr(line, before);
    size_t length = 0;
    if (at == NULL)
        return;
    for (at += strlen(before); isalnum((unsigned char)*at) && length < 23; at++)
        word[length++] = (char)tolower((unsigned char)*at);
    word[length] = '\0';
}

/* "#  Rank  0 Group  0 Pid 204199 on  nid005471 device  0": another rank, perhaps another host. */
static void count_rank(struct rows_file *file, struct table *table, const char *line)
{
    char host[64];
    const char *on = strstr(line, " on ");
    int64_t i = 0;
    table->ranks++;
    if (on == NULL || sscanf(on + 4, "%63s", host) != 1)
        return;
    const char *kept = rows_texts_keep(&file->set->texts, host);
    while (i < table->hosts && table->host[i] != kept)
        i++;
    if (i < table->hosts || i == MOST_HOSTS)
        return;
    sup_grow(&table->host, (size_t)table->hosts, sizeof *table->host);
    table->host[table->hosts++] = kept;
}

static void read_columns(struct table *table, const char *line)
{
    char word[MOST_WORDS][WORD];
    const int count = divide(line, word);
    table->size = table->time = table->wrong = table->type = -1;
    table->count = 0;
    for (int i = 1; i < count; i++) { /* the first is the sign */
        if (strcmp(word[i], "size") == 0)
            table->size = i - 1;
        if (strcmp(word[i], "type") == 0)
            table->type = i - 1;
        if (strcmp(word[i], "time") == 0 && table->time < 0)
            table->time = i - 1;
        if ((strcmp(word[i], "#wrong") == 0 || strcmp(word[i], "error") == 0) && table->wrong < 0)
            table->wrong = i - 1;
        table->count = i;
    }
}

/* Why a line that begins with a number is no row; ROWS_REASONS: it is one. Newer versions count
 * wrong values, older ones give the largest error as 1e-05. */
static enum rows_left why_left(const struct table *table, const char *name,
                               char word[MOST_WORDS][WORD], int count)
{
    double value;
    if (strcmp(name, "sendrecv") == 0)
        return ROWS_NO_COLLECTIVE;
    if (count < table->count)
        return ROWS_TORN;
    if (sup_parse_real(word[table->time], &value, NULL) != RB_OK)
        return ROWS_NOT_MEASURED; /* N/A */
    if (table->wrong >= 0 && sup_parse_real(word[table->wrong], &value, NULL) == RB_OK &&
        value > 0 && strchr(word[table->wrong], 'e') == NULL)
        return ROWS_FAILED;
    return ROWS_REASONS;
}

static int add(struct rows_file *file, const struct table *table)
{
    char word[MOST_WORDS][WORD], name[24];
    struct rows_draft draft = rows_empty_draft();
    double time_us;
    const int count = divide(file->lines.line, word);
    if (count == 0 || strspn(word[0], "0123456789") != strlen(word[0]))
        return RB_OK; /* another program's line */
    if (table->size < 0 || table->time < 0)
        return rows_wrong(file, "numbers before the heading \"# size count type redop root time\"");
    snprintf(name, sizeof name, "%s", table->collective);
    if (name[0] == '\0')
        find_test(file->lines.path, name);
    const enum rows_left reason = why_left(table, name, word, count);
    if (reason != ROWS_REASONS) {
        rows_leave(file, reason, name[0] == '\0' ? NULL : name);
        return RB_OK;
    }
    if (sup_parse_int(word[table->size], 0, INT64_MAX, &draft.size, NULL) != RB_OK ||
        sup_parse_real(word[table->time], &time_us, NULL) != RB_OK)
        return rows_wrong(file,
                          "not the %d columns of the heading: a size, count, type, redop and root, "
                          "and then times in us",
                          table->count);
    if (name[0] == '\0')
        return rows_wrong(file, "nothing names the collective: put \"# Collective test starting: "
                                "all_reduce_perf\" above, or all_reduce_perf into the file's name");
    draft.collective = name;
    draft.size_of = ROWS_OF_BUFFER;
    draft.median_s = time_us / 1e6;
    draft.runs = table->runs;
    draft.p = table->ranks;
    draft.nodes = table->hosts;
    if (file->said.library == NULL)
        draft.library = "NCCL";
    if (table->algorithm[0] != '\0')
        draft.name = table->algorithm;
    else if (file->said.name == NULL)
        draft.name = "default";
    return rows_add(file, &draft);
}

static int read_(struct rows_file *file)
{
    struct table table = {.size = -1, .time = -1};
    int status = RB_OK;
    do {
        const char *line = file->lines.line + strspn(file->lines.line, " \t");
        if (strstr(line, perf) != NULL && *line != '\0' && !isdigit((unsigned char)*line))
            find_test(line, table.collective);
        find_word(line, "NCCL_ALGO=", table.algorithm);
        find_word(line, "NCCL_ALGO set by environment to ", table.algorithm);
        if (strncmp(line, begin, sizeof begin - 1) == 0) {
            const char *iters = strstr(line, " iters: ");
            iters = iters == NULL ? NULL : strstr(iters + 1, " iters: ");
            table.runs = 0;
            table.ranks = table.hosts = 0;
            if (iters != NULL)
                sscanf(iters, " iters: %9" SCNd64, &table.runs);
        } else if (*line == '#' && strncmp(line + 1 + strspn(line + 1, " \t"), "Rank ", 5) == 0) {
            count_rank(file, &table, line);
        } else if (*line == '#' && strstr(line, " size ") != NULL &&
                   strstr(line, " time ") != NULL) {
            read_columns(&table, line);
        } else if (*line != '#') {
            status = add(file, &table);
        }
    } while (status == RB_OK && rows_next_line(file));
    free(table.host);
    return status;
}

const struct rows_format rows_nccl_tests = {
    .name = "nccl-tests", .recognises = recognises, .read = read_};
