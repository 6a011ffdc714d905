/* list.c - lists and ranges of whole numbers (units.h): 1,2,7  2..4096  16..1024*2  0..100+10. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/memory.h"
#include "units.h"

enum { ITEM_SIZE = 96 };

/* The list that is being read, and the values that it may have. */
struct reader {
    bool bytes;
    int64_t least, most;
    size_t most_values;
    struct sup_list *list;
    struct sup_error *error;
};

static int append(struct reader *reader, int64_t value)
{
    struct sup_list *list = reader->list;
    if (list->count == reader->most_values)
        return sup_fail(reader->error, RB_EINVAL, "more than %zu values", reader->most_values);
    sup_grow(&list->value, list->count, sizeof *list->value);
    list->value[list->count++] = value;
    return RB_OK;
}

static int parse_value(const struct reader *reader, const char *text, int64_t *value)
{
    if (!reader->bytes)
        return sup_parse_int(text, reader->least, reader->most, value, reader->error);
    int status = sup_parse_bytes(text, value, reader->error);
    if (status == RB_OK && (*value < reader->least || *value > reader->most))
        return sup_fail(reader->error, RB_EINVAL,
                        "\"%s\" is not between %" PRId64 " and %" PRId64 " bytes", text,
                        reader->least, reader->most);
    return status;
}

/* The values first .. last, adding step, or multiplying by factor if that is above 1. */
static int append_range(struct reader *reader, int64_t first, int64_t last, int64_t step,
                        int64_t factor)
{
    for (int64_t value = first; value <= last;) {
        int status = append(reader, value);
        if (status != RB_OK)
            return status;
        bool beyond = factor > 1 ? __builtin_mul_overflow(value, factor, &value)
                                 : __builtin_add_overflow(value, step, &value);
        if (beyond)
            break;
    }
    return RB_OK;
}

/* item is FIRST..LAST, FIRST..LAST*FACTOR or FIRST..LAST+STEP; dots points at the dots. It is cut
 * into pieces in place. */
static int parse_range(struct reader *reader, char *item, char *dots)
{
    char whole[ITEM_SIZE];
    memcpy(whole, item, strlen(item) + 1);
    *dots = '\0';
    char *end = dots + 2;
    char *stride = strpbrk(end, "*+");
    char kind = stride == NULL ? '\0' : *stride;
    int64_t first, last, step = 1, factor = 1;
    if (stride != NULL) {
        *stride = '\0';
        bool factors = kind == '*';
        struct sup_error why;
        int64_t *amount = factors ? &factor : &step;
        int status = reader->bytes && !factors
                         ? sup_parse_bytes(stride + 1, amount, &why)
                         : sup_parse_int(stride + 1, factors ? 2 : 1, INT64_MAX, amount, &why);
        if (status == RB_OK && *amount < 1)
            status = sup_fail(&why, RB_EINVAL, "\"%s\" is not above 0", stride + 1);
        if (status != RB_OK)
            return sup_fail(reader->error, status, "\"%s\": the %s %s", whole,
                            factors ? "factor" : "step", why.text);
    }
    int status = parse_value(reader, item, &first);
    if (status == RB_OK)
        status = parse_value(reader, end, &last);
    if (status != RB_OK)
        return status;
    if (first > last)
        return sup_fail(reader->error, RB_EINVAL, "\"%s\" runs backwards: write %s..%s", whole, end,
                        item);
    if (factor > 1 && first == 0)
        return sup_fail(reader->error, RB_EINVAL, "\"%s\": 0 times a factor stays 0: start at 1",
                        whole);
    return append_range(reader, first, last, step, factor);
}

static int parse_item(struct reader *reader, const char *text, size_t length)
{
    char item[ITEM_SIZE];
    if (length == 0)
        return sup_fail(reader->error, RB_EINVAL,
                        "an empty item: write values such as 1,2,7 or 2..4096 or 16..1024*2");
    if (length >= sizeof item)
        return sup_fail(reader->error, RB_EINVAL, "\"%.20s...\" is too long for one item", text);
    memcpy(item, text, length);
    item[length] = '\0';
    char *dots = strstr(item, "..");
    if (dots != NULL)
        return parse_range(reader, item, dots);
    int64_t value;
    int status = parse_value(reader, item, &value);
    return status == RB_OK ? append(reader, value) : status;
}

struct placed {
    int64_t value;
    size_t place;
};

static int by_value(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

/* Keeps the first of equal values, in the order given. */
static void drop_repeats(struct sup_list *list)
{
    struct placed *sorted = sup_calloc(list->count, sizeof *sorted);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = (struct placed){.value = list->value[i], .place = i};
    qsort(sorted, list->count, sizeof *sorted, by_value);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++)
        if (sorted[i].value != sorted[kept - 1].value)
            sorted[kept++] = sorted[i];
    qsort(sorted, kept, sizeof *sorted, by_place);
    for (size_t i = 0; i < kept; i++)
        list->value[i] = sorted[i].value;
    list->count = kept;
    free(sorted);
}

int sup_parse_list(const char *text, bool bytes, int64_t least, int64_t most, size_t most_values,
                   struct sup_list *list, struct sup_error *error)
{
    *list = (struct sup_list){0};
    struct reader reader = {.bytes = bytes,
                            .least = least,
                            .most = most,
                            .most_values = most_values,
                            .list = list,
                            .error = error};
    int status = RB_OK;
    int items = 0;
    for (const char *rest = text; status == RB_OK && rest != NULL; items++) {
        const char *comma = strchr(rest, ',');
        size_t length = comma == NULL ? strlen(rest) : (size_t)(comma - rest);
        status = parse_item(&reader, rest, length);
        rest = comma == NULL ? NULL : comma + 1;
    }
    if (status == RB_OK && items > 1)
        drop_repeats(list);
    if (status != RB_OK)
        sup_list_free(list);
    return status;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

void sup_list_tidy(struct sup_list *list, size_t count)
{
    qsort(list->value, count, sizeof *list->value, compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list->value[i] != list->value[i - 1])
            list->value[list->count++] = list->value[i];
}

void sup_list_thin(struct sup_list *list, size_t most)
{
    if (list->count <= most)
        return;
    for (size_t i = 0; i < most; i++)
        list->value[i] = list->value[i * (list->count - 1) / (most - 1)];
    list->count = most;
}

void sup_list_free(struct sup_list *list)
{
    free(list->value);
    *list = (struct sup_list){0};
}
