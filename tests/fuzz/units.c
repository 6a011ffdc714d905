/* units.c - numbers, sizes, times, bandwidths, lists, and the rules that options name: a value that
 * is read is within its range, and its usual form is read as the same value. The first byte says
 * which parser. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/names.h"
#include "support/units.h"

enum { MOST_VALUES = 1000 };

static struct sup_error error;

static void whole(const char *text, int64_t least, int64_t most)
{
    char again[32];
    int64_t value, same;
    if (sup_parse_int(text, least, most, &value, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(value >= least && value <= most, "%" PRId64, value);
    snprintf(again, sizeof again, "%" PRId64, value);
    FUZZ_ASSERT(sup_parse_int(again, least, most, &same, NULL) == RB_OK && same == value, "%s",
                again);
}

static void bytes(const char *text)
{
    char again[64];
    int64_t value, same;
    if (sup_parse_bytes(text, &value, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(value >= 0, "%" PRId64, value);
    sup_format_bytes(value, again, sizeof again);
    FUZZ_ASSERT(sup_parse_bytes(again, &same, NULL) == RB_OK && same == value, "%s", again);
}

static void seconds(const char *text)
{
    char again[64];
    double value, same;
    if (sup_parse_seconds(text, &value, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(isfinite(value) && value >= 0, "%g", value);
    sup_format_seconds(value, again, sizeof again);
    char *blank = strchr(again, ' ');
    FUZZ_ASSERT(blank != NULL, "%s", again);
    memmove(blank, blank + 1, strlen(blank)); /* people write no blank */
    /* Four digits; a number of ns below the least normal double has fewer. */
    if (value > 1e-300 && value < 1e300)
        FUZZ_ASSERT(sup_parse_seconds(again, &same, NULL) == RB_OK &&
                        fabs(same - value) <= 1e-3 * value,
                    "%s is not %.17g", again, value);
}

static void bandwidth(const char *text)
{
    double value;
    if (sup_parse_bandwidth(text, &value, &error) != RB_OK)
        fuzz_check_error(&error);
    else
        FUZZ_ASSERT(isfinite(value) && value > 0, "%g", value);
}

static void real(const char *text)
{
    char again[64];
    double value, same;
    if (sup_parse_real(text, &value, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(isfinite(value), "%g", value);
    snprintf(again, sizeof again, "%.17g", value);
    FUZZ_ASSERT(sup_parse_real(again, &same, NULL) == RB_OK && same == value, "%s", again);
}

static void list(const char *text, bool of_bytes, int64_t least, int64_t most)
{
    struct sup_list list, same;
    if (sup_parse_list(text, of_bytes, least, most, MOST_VALUES, &list, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(list.count >= 1 && list.count <= MOST_VALUES, "%zu values", list.count);
    char *again = malloc(list.count * 24);
    size_t used = 0;
    for (size_t i = 0; i < list.count; i++) {
        FUZZ_ASSERT(list.value[i] >= least && list.value[i] <= most, "%" PRId64, list.value[i]);
        used += (size_t)sprintf(again + used, "%s%" PRId64, i > 0 ? "," : "", list.value[i]);
    }
    FUZZ_ASSERT(sup_parse_list(again, of_bytes, least, most, MOST_VALUES, &same, NULL) == RB_OK &&
                    same.count == list.count &&
                    memcmp(same.value, list.value, list.count * sizeof *list.value) == 0,
                "%s", again);
    free(again);
    sup_list_free(&same);
    sup_list_free(&list);
}

static void random_seed(const char *text)
{
    uint64_t seed;
    const int status = sup_parse_random("rule", text, &seed, &error);
    if (status != RB_OK && status != RB_ENOTSUP)
        fuzz_check_error(&error);
}

static void overlap(const char *text)
{
    struct sim_overlap rule, same;
    char usual[64], again[64];
    if (sim_overlap_parse(text, &rule, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    FUZZ_ASSERT(sim_overlap_window(&rule, 7) >= 1 && sim_overlap_window(&rule, 7) <= 7, "%s", text);
    sim_overlap_format(&rule, usual, sizeof usual);
    FUZZ_ASSERT(sim_overlap_parse(usual, &same, NULL) == RB_OK, "%s", usual);
    FUZZ_ASSERT(strcmp(sim_overlap_format(&same, again, sizeof again), usual) == 0, "%s", again);
}

static void placement(const char *text)
{
    struct sim_placement rule, same;
    char usual[SIM_PLACEMENT_TEXT], again[SIM_PLACEMENT_TEXT];
    int32_t host[24];
    if (sim_placement_parse(text, &rule, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    sim_placement_format(&rule, usual, sizeof usual);
    FUZZ_ASSERT(sim_placement_parse(usual, &same, NULL) == RB_OK, "%s", usual);
    FUZZ_ASSERT(strcmp(sim_placement_format(&same, again, sizeof again), usual) == 0, "%s", again);
    if (sim_placement_map(&rule, 24, 3, &(struct sim_hosts){.count = 11}, host, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    int32_t ranks[11] = {0};
    for (int i = 0; i < 24; i++) {
        FUZZ_ASSERT(host[i] >= 0 && host[i] < 11, "rank %d on host %d", i, host[i]);
        FUZZ_ASSERT(++ranks[host[i]] <= 3, "more than 3 ranks on host %d", host[i]);
    }
}

static void counts(const char *text)
{
    struct sup_counts rule, same;
    char usual[SUP_COUNTS_TEXT], again[SUP_COUNTS_TEXT];
    int64_t first[6 * 4 + 1];
    if (sup_counts_parse(text, &rule, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    sup_counts_format(&rule, usual, sizeof usual);
    FUZZ_ASSERT(sup_counts_parse(usual, &same, NULL) == RB_OK, "%s", usual);
    FUZZ_ASSERT(strcmp(sup_counts_format(&same, again, sizeof again), usual) == 0, "%s", again);
    if (rule.elements > 0)
        return;
    const int64_t elements = (int64_t)strlen(text) * 1000003;
    rb_counts_deal(&rule.deal, 6, 4, elements, first);
    FUZZ_ASSERT(first[0] == 0 && first[24] == elements, "not all elements are dealt");
    for (int i = 0; i < 24; i++)
        FUZZ_ASSERT(first[i] <= first[i + 1], "part %d has fewer than no elements", i);
}

static void nearest(const char *text)
{
    static const char *const words[] = {"bcast", "reduce", "allgather", "reduce-scatter", "scan"};
    const char *word = sup_nearest_word(text, words, 5);
    for (int i = 0; i < 5; i++)
        if (strcmp(text, words[i]) == 0)
            FUZZ_ASSERT(word == words[i], "%s is nearer to %s than to itself", text, word);
}

static void run(uint8_t kind, const char *text)
{
    switch (kind % 14) {
    case 0:
        whole(text, 0, INT64_MAX);
        break;
    case 1:
        whole(text, -5, 1 << 30);
        break;
    case 2:
        bytes(text);
        break;
    case 3:
        seconds(text);
        break;
    case 4:
        bandwidth(text);
        break;
    case 5:
        real(text);
        break;
    case 6:
        list(text, false, 1, RB_MAX_RANKS);
        break;
    case 7:
        list(text, true, 0, INT64_MAX);
        break;
    case 8:
        list(text, false, 0, INT64_MAX);
        break;
    case 9:
        random_seed(text);
        break;
    case 10:
        overlap(text);
        break;
    case 11:
        placement(text);
        break;
    case 12:
        counts(text);
        break;
    default:
        nearest(text);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    run(data[0], text);
    free(text);
    return 0;
}
