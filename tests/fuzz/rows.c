/* rows.c - files of measured collectives and filters: the first line is a filter, the rest a file.
 * What is read keeps the limits of rows.h, is the same when it is read again, and is chosen either
 * by the filter or by its negation. */
#include <math.h>
#include <string.h>

#include "experiments/rows/rows.h"
#include "fuzz.h"
#include "roundabout.h"

static const struct rows_defaults defaults = {.unnamed = "here"};

static void check_row(const struct rows_row *row)
{
    FUZZ_ASSERT(row->p >= 1 && row->nodes >= 1 && row->ranks_per_node >= 1, "%s", row->name);
    FUZZ_ASSERT((int64_t)row->nodes * row->ranks_per_node >= row->p, "%s", row->name);
    FUZZ_ASSERT(row->interfaces >= 1 && row->element_bytes >= 1, "%s", row->name);
    FUZZ_ASSERT(row->bytes >= 0 && row->m_bytes >= row->bytes, "%s", row->name);
    FUZZ_ASSERT(row->median_s > 0 && isfinite(row->median_s), "%s", row->name);
    FUZZ_ASSERT(rows_blocks(row) >= 1, "%s", row->name);
    FUZZ_ASSERT(row->algorithm == NULL ||
                    rb_algorithm_find(row->collective, row->algorithm) != NULL,
                "%s", row->algorithm);
}

static void check_filter(const char *text, const struct rows_set *set)
{
    struct rows_filter *filter, *negation;
    struct sup_error error = {.text = ""};
    char opposite[1000];
    if (rows_filter_parse(text, &filter, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    const int length = snprintf(opposite, sizeof opposite, "!(%s)", text);
    if (length < (int)sizeof opposite &&
        rows_filter_parse(opposite, &negation, &error) == RB_OK) { /* else it is too deep or long */
        for (size_t i = 0; i < set->count && i < 100; i++)
            FUZZ_ASSERT(rows_filter_matches(filter, &set->row[i]) !=
                            rows_filter_matches(negation, &set->row[i]),
                        "%s", text);
        rows_filter_free(negation);
    }
    rows_filter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rows_set set = {0};
    struct sup_error error = {.text = ""};
    char *filter = fuzz_text(data, size);
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    const size_t first = end == NULL ? size : (size_t)(end - data) + 1;
    const char *path = fuzz_file(0, data + first, size - first);
    if (rows_read(&set, path, &defaults, &error) != RB_OK)
        fuzz_check_error(&error);
    for (size_t i = 0; i < set.count; i++)
        check_row(&set.row[i]);
    const size_t count = set.count;
    const int64_t repeated = set.left[ROWS_REPEATED];
    rows_read(&set, path, &defaults, &error);
    FUZZ_ASSERT(set.count == count && set.left[ROWS_REPEATED] == 2 * repeated + (int64_t)count,
                "%zu", count);
    filter[strcspn(filter, "\n")] = '\0';
    check_filter(filter, &set);
    rows_free(&set);
    free(filter);
    return 0;
}
