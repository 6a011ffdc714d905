/* decisions.c - decision files of the MPI library: a file that is read means the same without its
 * comments and with its rules given twice; its rows are sorted and find what they hold. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include <inttypes.h>
#include <string.h>

#include "fuzz.h"
#include "mpi/choice/decisions.h"

static const struct choice_situation situations[] = {
    {.collective = "bcast", .p = 2},       {.collective = "bcast", .p = 23},
    {.collective = "allreduce", .p = 64},  {.collective = "allgather", .p = 7, .irregular = true},
    {.collective = "alltoall", .p = 1000}, {.collective = "scan", .p = RB_MAX_RANKS},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

static int read_rules(const char *text, size_t size, struct choice_decisions **decisions,
                      struct sup_error *error)
{
    FILE *file = fmemopen((void *)text, size, "r"); /* only read */
    if (file == NULL)
        abort();
    const int status = choice_decisions_read(file, "file", decisions, error);
    fclose(file);
    return status;
}

static bool same_setting(const struct choice_setting *a, const struct choice_setting *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->algorithm == b->algorithm && a->native == b->native && a->plan.n == b->plan.n &&
           a->factor == b->factor && a->width == b->width && a->plan.radix == b->plan.radix;
}

static void check_row(const struct choice_decision_row *row,
                      const struct choice_situation *situation)
{
    FUZZ_ASSERT(row->count >= 1 && row->decisions[0].least == 0, "a row begins at 0 bytes");
    for (size_t i = 0; i < row->count; i++) {
        const struct choice_decision *decision = &row->decisions[i];
        const int64_t end = i + 1 < row->count ? row->decisions[i + 1].least - 1 : INT64_MAX;
        FUZZ_ASSERT(end >= decision->least, "rows don't rise");
        FUZZ_ASSERT(choice_decision_row_find(row, decision->least) == decision->setting &&
                        choice_decision_row_find(row, end) == decision->setting,
                    "%" PRId64 "..%" PRId64, decision->least, end);
        if (decision->setting == NULL)
            continue;
        struct choice_situation here = *situation;
        here.bytes = end;
        const struct choice_result choice = choice_make(decision->setting, &here);
        FUZZ_ASSERT(decision->setting->native ||
                        (choice.algorithm != NULL && choice.plan.n >= 1 && choice.width >= 1 &&
                         choice.width <= CHOICE_MOST_WINDOW),
                    "n %" PRId64 ", window %d", choice.plan.n, choice.width);
    }
}

static void compare(const struct choice_decisions *a, const struct choice_decisions *b)
{
    for (size_t k = 0; k < SITUATIONS; k++) {
        struct choice_decision_row left = {0}, right = {0};
        if (choice_decision_row_make(a, &situations[k], &left) != RB_OK ||
            choice_decision_row_make(b, &situations[k], &right) != RB_OK)
            abort();
        check_row(&left, &situations[k]);
        for (size_t i = 0; i < left.count; i++)
            FUZZ_ASSERT(same_setting(left.decisions[i].setting,
                                     choice_decision_row_find(&right, left.decisions[i].least)),
                        "another decision at %" PRId64
                        " bytes without comments and with all rules twice",
                        left.decisions[i].least);
        for (size_t i = 0; i < right.count; i++)
            FUZZ_ASSERT(same_setting(right.decisions[i].setting,
                                     choice_decision_row_find(&left, right.decisions[i].least)),
                        "another decision at %" PRId64 " bytes", right.decisions[i].least);
        choice_decision_row_free(&left);
        choice_decision_row_free(&right);
    }
}

/* The header, then the rules without comments, twice. Returns its length. */
static size_t twice(const char *text, size_t size, char *again)
{
    size_t used = (size_t)sprintf(again, "%s\n", CHOICE_DECISIONS_HEADER);
    const char *const header_end = memchr(text, '\n', size);
    const size_t header = header_end == NULL ? size : (size_t)(header_end - text);
    for (int time = 0; time < 2; time++)
        for (size_t at = header + 1; at < size;) {
            const char *line = text + at;
            const char *end = memchr(line, '\n', size - at);
            const size_t length = end == NULL ? size - at : (size_t)(end - line);
            const char *comment = memchr(line, '#', length);
            const size_t kept = comment == NULL ? length : (size_t)(comment - line);
            memcpy(again + used, line, kept);
            used += kept;
            again[used++] = '\n';
            at += length + 1;
        }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choice_decisions *decisions, *same;
    struct sup_error error = {0};
    char *text = fuzz_text(data, size);
    if (read_rules(text, size, &decisions, &error) != RB_OK) {
        fuzz_check_error(&error);
        free(text);
        return 0;
    }
    char *again = malloc(2 * size + 64);
    const size_t length = twice(text, size, again);
    FUZZ_ASSERT(read_rules(again, length, &same, &error) == RB_OK, "%s", error.text);
    compare(decisions, same);
    choice_decisions_free(same);
    choice_decisions_free(decisions);
    free(again);
    free(text);
    return 0;
}
