/* checked_ranges.c - the files of `verify --schedules --record`: values that are read are within
 * their limits and can be looked up. */
#include "verification/verify_checked.h"

#include <string.h>

#include "cli/options/options.h"
#include "fuzz.h"
#include "roundabout.h"

static const char first_line[] = "# roundabout verify --schedules, what has been checked: version, "
                                 "time, p, ranks of each, ranks in all, result\n";

/* The input's lines, each with this version before it, unless its first byte is '!'. */
static char *lines_of(const uint8_t *data, size_t size, size_t *length)
{
    const size_t version = strlen(cli_program_version);
    char *text = malloc(sizeof first_line + (size + 1) * (version + 1));
    size_t used = 0;
    if (text == NULL)
        abort();
    if (size == 0 || data[0] != '!') {
        memcpy(text, first_line, sizeof first_line - 1);
        used = sizeof first_line - 1;
    }
    for (size_t i = 0; i < size; i++) {
        if (data[0] != '!' && (i == 0 || data[i - 1] == '\n')) {
            memcpy(text + used, cli_program_version, version);
            used += version;
        }
        text[used++] = (char)data[i];
    }
    *length = used;
    return text;
}

static void look_up(const struct verify_checked *checked, int32_t sample)
{
    const int32_t p[] = {1, 2, 3, 17, 64, 1000, 1 << 20, RB_MAX_RANKS};
    enum { COUNT = sizeof p / sizeof *p };
    const struct verify_checked_range *found[COUNT];
    if (verify_checked_look_up(checked, sample, p, COUNT, found) != RB_OK)
        abort();
    for (int i = 0; i < COUNT; i++)
        if (found[i] != NULL)
            FUZZ_ASSERT(found[i]->range.first <= p[i] && p[i] <= found[i]->range.last,
                        "%d is not in %d..%d", p[i], found[i]->range.first, found[i]->range.last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct verify_checked checked;
    struct sup_error error = {0};
    size_t length;
    char *text = lines_of(data, size, &length);
    const int status = verify_checked_open(&checked, fuzz_file(0, text, length), &error);
    free(text);
    if (status != RB_OK) {
        fuzz_check_error(&error);
        return 0;
    }
    for (size_t i = 0; i < checked.count; i++) {
        const struct verify_chunk *range = &checked.ranges[i].range;
        FUZZ_ASSERT(range->first >= 1 && range->last >= range->first &&
                        range->last <= RB_MAX_RANKS && range->step >= 1,
                    "%d..%d+%d", range->first, range->last, range->step);
    }
    look_up(&checked, 0);
    look_up(&checked, 5);
    verify_checked_close(&checked);
    return 0;
}
