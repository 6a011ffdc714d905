/* tune_short.c - the decisions in few lines: neighbouring sizes with one algorithm are one row. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/tune.h"
#include "support/memory.h"

static const struct out_column columns[] = {
    {NULL, "p", .kind = OUT_COUNT},
    {NULL, "m", .kind = OUT_WORD},
    {NULL, "take", .kind = OUT_WORD, .less = OUT_KEPT},
    {NULL, "with n", .kind = OUT_WORD},
    {NULL, "speed-up", .kind = OUT_RATIO, .less = 1}, /* the means of several sizes */
    {NULL, "of bound", .kind = OUT_RATIO, .less = 2},
};

static char *range(const char *low, const char *high)
{
    return strcmp(low, high) == 0 ? sup_strdup(low) : sup_format("%s..%s", low, high);
}

static char *range_of_bytes(int64_t low, int64_t high)
{
    char a[32], b[32];
    return range(sup_format_shown(low, a, sizeof a), sup_format_shown(high, b, sizeof b));
}

static char *range_of_numbers(int64_t low, int64_t high)
{
    char a[32], b[32];
    snprintf(a, sizeof a, "%" PRId64, low);
    snprintf(b, sizeof b, "%" PRId64, high);
    return range(a, b);
}

/* The geometric mean of a column of these rows; NAN if one has no value. */
static double mean_of(const struct decide_tune_table *decision, size_t first, size_t end,
                      const char *name)
{
    double sum = 0;
    for (size_t row = first; row < end; row++)
        sum += log(decide_tune_cell(decision, row, name)->real);
    return exp(sum / (double)(end - first));
}

/* The end of the rows from this one on that have its setting, p and algorithm. */
static size_t end_of(const struct decide_tune_table *decision, size_t first)
{
    size_t end = first + 1;
    while (end < decision->rows && decision->settings[end] == decision->settings[first] &&
           decide_tune_cell(decision, end, "p")->whole ==
               decide_tune_cell(decision, first, "p")->whole &&
           decide_tune_cell(decision, end, "algorithm")->word ==
               decide_tune_cell(decision, first, "algorithm")->word)
        end++;
    return end;
}

void decide_tune_short_text(const struct decide_tune_result *tuning, FILE *stream)
{
    const struct decide_tune_table *decision = &tuning->tables[DECIDE_TUNE_DECISION];
    struct decide_tune_table folded = {
        .title = decision->title, .columns = columns, .width = OUT_COUNT_OF(columns)};
    for (size_t first = 0, end; first < decision->rows; first = end) {
        end = end_of(decision, first);
        int64_t least_n = INT64_MAX, most_n = 0;
        for (size_t row = first; row < end; row++) {
            const int64_t n = decide_tune_cell(decision, row, "n")->whole;
            least_n = n < least_n ? n : least_n;
            most_n = n > most_n ? n : most_n;
        }
        const union out_cell cells[] = {
            *decide_tune_cell(decision, first, "p"),
            {.word = range_of_bytes(decide_tune_cell(decision, first, "m_bytes")->whole,
                                    decide_tune_cell(decision, end - 1, "m_bytes")->whole)},
            *decide_tune_cell(decision, first, "algorithm"),
            {.word = range_of_numbers(least_n, most_n)},
            {.real = mean_of(decision, first, end, "speedup")},
            {.real = mean_of(decision, first, end, "of_bound")},
        };
        decide_tune_table_add(&folded, decision->settings[first], cells);
    }
    decide_tune_table_text(&folded, &tuning->data, stream);
    for (size_t row = 0; row < folded.rows; row++) {
        free((char *)folded.cells[row * folded.width + 1].word);
        free((char *)folded.cells[row * folded.width + 3].word);
    }
    decide_tune_table_free(&folded);
}
