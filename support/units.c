/* units.c - numbers with units, read exactly (units.h).
 *
 * Whole numbers never pass through floating point: a number is kept as digits * 10^exponent, so
 * that 1.5MiB is 15 * 2^20 / 10 and either is whole or is refused. */
#include "units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "roundabout.h"
#include "support/memory.h"

struct prefix {
    const char *name;
    int64_t factor;
};

static const struct prefix prefixes[] = {
    {"", 1},
    {"k", 1000},
    {"K", 1000},
    {"M", 1000000},
    {"G", 1000000000},
    {"T", 1000000000000},
    {"Ki", (int64_t)1 << 10},
    {"Mi", (int64_t)1 << 20},
    {"Gi", (int64_t)1 << 30},
    {"Ti", (int64_t)1 << 40},
};

/* The factor of a text that consists of a prefix and then exactly unit; 0 if it doesn't. */
static int64_t prefix_factor(const char *text, const char *unit)
{
    size_t length = strlen(text), unit_length = strlen(unit);
    if (length < unit_length || strcmp(text + length - unit_length, unit) != 0)
        return 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const char *name = prefixes[i].name;
        if (strlen(name) == length - unit_length && strncmp(text, name, strlen(name)) == 0)
            return prefixes[i].factor;
    }
    return 0;
}

struct decimal {
    int64_t digits; /* the number is digits * 10^exponent */
    int32_t exponent;
    bool too_large;
};

static void append_digit(struct decimal *number, char digit)
{
    if (__builtin_mul_overflow(number->digits, 10, &number->digits) ||
        __builtin_add_overflow(number->digits, digit - '0', &number->digits)) {
        number->digits = INT64_MAX;
        number->too_large = true;
    }
}

/* Reads digits, with single underscores between them, and a fraction. Returns what follows, or NULL
 * if there is no digit. */
static const char *scan_digits(const char *text, struct decimal *number)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    for (; isdigit((unsigned char)*text) || (*text == '_' && isdigit((unsigned char)text[1]));
         text++)
        if (*text != '_')
            append_digit(number, *text);
    if (*text != '.' || !isdigit((unsigned char)text[1]))
        return text;
    for (text++; isdigit((unsigned char)*text); text++) {
        append_digit(number, *text);
        number->exponent--;
    }
    return text;
}

/* Reads 1e6 and 2^20 besides plain numbers. Returns what follows, NULL if it isn't a number. */
static const char *scan_powers(const char *text, struct decimal *number)
{
    *number = (struct decimal){0};
    text = scan_digits(text, number);
    if (text == NULL || (*text != 'e' && *text != 'E' && *text != '^'))
        return text;
    bool power = *text == '^';
    struct decimal exponent = {0};
    const char *rest = scan_digits(text + 1, &exponent);
    if (rest == NULL || exponent.exponent != 0)
        return NULL;
    if (!power) {
        number->exponent += (int32_t)(exponent.digits > 64 ? 64 : exponent.digits);
        return rest;
    }
    int64_t base = number->digits;
    if (number->exponent != 0)
        return NULL;
    number->digits = 1;
    /* 0^k and 1^k never grow: bounding the loop at 64 steps changes no other value that fits. */
    for (int64_t i = 0; i < exponent.digits && i < 64; i++)
        if (__builtin_mul_overflow(number->digits, base, &number->digits)) {
            number->digits = INT64_MAX;
            number->too_large = true;
        }
    return rest;
}

/* There may be a blank before a unit, "64 KiB". */
static const char *skip_blank(const char *rest)
{
    return rest != NULL && *rest == ' ' && isalpha((unsigned char)rest[1]) ? rest + 1 : rest;
}

static const char *scan_decimal(const char *text, struct decimal *number)
{
    return skip_blank(scan_powers(text, number));
}

enum whole { WHOLE, NOT_WHOLE, TOO_LARGE };

/* number * factor as an integer. */
static enum whole to_whole(struct decimal number, int64_t factor, int64_t *value)
{
    *value = 0;
    if (number.too_large)
        return TOO_LARGE;
    while (number.exponent < 0 && number.digits % 10 == 0) {
        if (number.digits == 0)
            return WHOLE;
        number.digits /= 10;
        number.exponent++;
    }
    if (__builtin_mul_overflow(number.digits, factor, value))
        return TOO_LARGE;
    for (; number.exponent > 0; number.exponent--)
        if (__builtin_mul_overflow(*value, 10, value))
            return TOO_LARGE;
    for (; number.exponent < 0; number.exponent++) {
        if (*value % 10 != 0)
            return NOT_WHOLE;
        *value /= 10;
    }
    return WHOLE;
}

static int not_in_range(const char *text, int64_t least, int64_t most, struct sup_error *error)
{
    if (most == INT64_MAX)
        return sup_fail(error, RB_EINVAL, "\"%s\" is not a whole number of at least %" PRId64, text,
                        least);
    return sup_fail(error, RB_EINVAL, "\"%s\" is not a whole number from %" PRId64 " to %" PRId64,
                    text, least, most);
}

int sup_parse_int(const char *text, int64_t least, int64_t most, int64_t *value,
                  struct sup_error *error)
{
    struct decimal number;
    const char *rest = scan_decimal(text, &number);
    int64_t factor = rest == NULL ? 0 : prefix_factor(rest, "");
    if (factor == 0 || to_whole(number, factor, value) != WHOLE || *value < least || *value > most)
        return not_in_range(text, least, most, error);
    return RB_OK;
}

int sup_parse_bytes(const char *text, int64_t *bytes, struct sup_error *error)
{
    struct decimal number;
    const char *rest = scan_decimal(text, &number);
    if (rest == NULL)
        return sup_fail(error, RB_EINVAL,
                        "\"%s\" is not a number of bytes: write 4096, 64KiB or 40MB, say", text);
    int64_t factor = *rest == '\0' ? 1 : prefix_factor(rest, "B");
    if (factor == 0 && prefix_factor(rest, "") != 0)
        return sup_fail(error, RB_EINVAL,
                        "\"%s\": write %.*s%.1siB (powers of 1024) or %.*s%.1sB (powers of 1000)",
                        text, (int)(rest - text), text, rest, (int)(rest - text), text, rest);
    if (factor == 0)
        return sup_fail(error, RB_EINVAL,
                        "\"%s\": unknown unit \"%s\": bytes are written in B, KB, "
                        "MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024)",
                        text, rest);
    switch (to_whole(number, factor, bytes)) {
    case NOT_WHOLE:
        return sup_fail(error, RB_EINVAL, "\"%s\" is not a whole number of bytes", text);
    case TOO_LARGE:
        return sup_fail(error, RB_EINVAL, "\"%s\" is more than 2^63 - 1 bytes", text);
    case WHOLE:
        break;
    }
    return RB_OK;
}

/* Reads a decimal number >= 0 in any usual form. Returns what follows, NULL if it isn't one. strtod
 * would also take signs, blanks, hexadecimal numbers and infinities. */
static const char *scan_real(const char *text, double *value)
{
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || strspn(text, ".") == length ||
        (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
        return NULL;
    char *rest;
    *value = strtod(text, &rest);
    return isfinite(*value) ? skip_blank(rest) : NULL;
}

/* Beyond these, differences of times are lost in the doubles' rounding. */
static const double MOST_SECONDS = 1e12, LEAST_BANDWIDTH = 1e-3, MOST_BANDWIDTH = 1e18;

int sup_parse_seconds(const char *text, double *seconds, struct sup_error *error)
{
    static const struct {
        const char *name;
        double per_second, seconds;
    } units[] = {{"ns", 1e9, 1}, {"us", 1e6, 1}, {"ms", 1e3, 1},
                 {"s", 1, 1},    {"min", 1, 60}, {"h", 1, 3600}};
    double value = 0;
    const char *rest = scan_real(text, &value);
    if (rest != NULL && *rest == '\0' && value == 0) {
        *seconds = 0;
        return RB_OK;
    }
    for (size_t i = 0; rest != NULL && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(rest, units[i].name) == 0) {
            /* Divided, not multiplied: 1e-6 is no double, 1e6 is, so 1us is the double next to it.
             */
            *seconds = value / units[i].per_second * units[i].seconds;
            if (*seconds > MOST_SECONDS)
                return sup_fail(error, RB_EINVAL, "\"%s\" is more than %g s", text, MOST_SECONDS);
            return RB_OK;
        }
    if (rest != NULL && *rest == '\0')
        return sup_fail(error, RB_EINVAL, "\"%s\" has no unit: write %sus or %sms, say", text, text,
                        text);
    return sup_fail(error, RB_EINVAL,
                    "\"%s\" is not a time: write a number and ns, us, ms or s, such as 1us", text);
}

/* Generations of InfiniBand by the data rate of four lanes. */
static double rate_of_generation(const char *text)
{
    static const struct {
        const char *name;
        double gbps;
    } generations[] = {{"SDR", 8},   {"DDR", 16},  {"QDR", 32},  {"FDR", 54.5},   {"EDR", 100},
                       {"HDR", 200}, {"NDR", 400}, {"XDR", 800}, {"HDR100", 100}, {"NDR200", 200}};
    for (size_t i = 0; i < sizeof generations / sizeof generations[0]; i++)
        if (strcasecmp(text, generations[i].name) == 0)
            return generations[i].gbps * 1e9 / 8;
    return 0;
}

int sup_parse_bandwidth(const char *text, double *bytes_per_s, struct sup_error *error)
{
    /* A link of "200G" is one of 200 Gbit/s. */
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"Bps", 1},     {"B/s", 1},       {"bps", 0.125},
                 {"b/s", 0.125}, {"bit/s", 0.125}, {"bits/s", 0.125},
                 {"bit", 0.125}, {"b", 0.125},     {"", 0.125}};
    double value = 0;
    *bytes_per_s = rate_of_generation(text);
    if (*bytes_per_s > 0)
        return RB_OK;
    const char *rest = scan_real(text, &value);
    for (size_t i = 0; rest != NULL && i < sizeof units / sizeof units[0]; i++) {
        int64_t factor = *rest == '\0' ? 0 : prefix_factor(rest, units[i].name);
        if (factor != 0 && value > 0) {
            *bytes_per_s = value * ((double)factor * units[i].bytes);
            if (!(*bytes_per_s >= LEAST_BANDWIDTH && *bytes_per_s <= MOST_BANDWIDTH))
                return sup_fail(error, RB_EINVAL, "\"%s\" is not from %g to %g Bps", text,
                                LEAST_BANDWIDTH, MOST_BANDWIDTH);
            return RB_OK;
        }
    }
    return sup_fail(error, RB_EINVAL,
                    "\"%s\" is not a bandwidth above 0: write a number and Bps, MBps, GBps (bytes "
                    "per second) or Mbps, Gbps (bits), such as 12.5GBps, 100Gbps or HDR",
                    text);
}

int sup_parse_random(const char *what, const char *text, uint64_t *seed, struct sup_error *error)
{
    static const char random[] = "random:";
    int64_t value;
    struct sup_error reason = {0};
    *seed = strcmp(text, "random") == 0;
    if (*seed == 1)
        return RB_OK;
    if (strncmp(text, random, sizeof random - 1) != 0)
        return RB_ENOTSUP;
    int status = sup_parse_int(text + sizeof random - 1, 0, INT64_MAX, &value, &reason);
    if (status != RB_OK)
        return sup_fail(error, status, "%s '%s': the seed: %s", what, text, reason.text);
    *seed = (uint64_t)value;
    return RB_OK;
}

int sup_parse_real(const char *text, double *value, struct sup_error *error)
{
    bool negative = *text == '-';
    const char *rest = scan_real(text + negative, value);
    if (rest == NULL || *rest != '\0')
        return sup_fail(error, RB_EINVAL, "\"%s\" is not a number, such as 0.5 or 1e-9", text);
    if (negative)
        *value = -*value;
    return RB_OK;
}

const char *sup_format_bytes(int64_t bytes, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 "B", bytes);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const struct prefix *prefix = &prefixes[i];
        if (bytes == 0 || prefix->factor == 1 || *prefix->name == 'k' ||
            bytes % prefix->factor != 0)
            continue;
        char form[40];
        snprintf(form, sizeof form, "%" PRId64 "%sB", bytes / prefix->factor, prefix->name);
        if (strlen(form) < strlen(buffer))
            snprintf(buffer, size, "%s", form);
    }
    return buffer;
}

const char *sup_format_shown(int64_t bytes, char *buffer, size_t size)
{
    char form[40];
    sup_format_bytes(bytes, form, sizeof form);
    const int digits = (int)strspn(form, "-0123456789");
    snprintf(buffer, size, "%.*s %s", digits, form, form + digits);
    return buffer;
}

const char *sup_format_size(int64_t bytes, char *buffer, size_t size)
{
    enum { LONG = 9 };
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    sup_format_shown(bytes, buffer, size);
    if (strlen(buffer) <= LONG)
        return buffer;
    for (; value >= 999.95 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1000;
    snprintf(buffer, size, "%.*f %s",
             value < 9.9995   ? 3
             : value < 99.995 ? 2
                              : 1,
             value, units[unit]);
    return buffer;
}

const char *sup_format_real(double value, char *buffer, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) { /* fewer would write 1e+05 for 100000 */
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

const char *sup_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool sup_ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

const char *sup_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

const char *sup_format_clock(double seconds, char *buffer, size_t size)
{
    if (!(seconds < 9e18)) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    const int64_t whole = seconds > 0 ? (int64_t)seconds : 0;
    const int second = (int)(whole % 60), minute = (int)(whole / 60 % 60);
    if (whole < 3600)
        snprintf(buffer, size, "%d:%02d", minute, second);
    else
        snprintf(buffer, size, "%" PRId64 ":%02d:%02d", whole / 3600, minute, second);
    return buffer;
}

const char *sup_format_seconds(double seconds, char *buffer, size_t size)
{
    if (seconds == 0)
        snprintf(buffer, size, "0 s");
    else if (fabs(seconds) < 0.9995e-6)
        snprintf(buffer, size, "%.3g ns", seconds * 1e9);
    else if (fabs(seconds) < 0.9995e-3)
        snprintf(buffer, size, "%.3g us", seconds * 1e6);
    else if (fabs(seconds) < 0.9995)
        snprintf(buffer, size, "%.3g ms", seconds * 1e3);
    else
        snprintf(buffer, size, fabs(seconds) < 999.5 ? "%.3g s" : "%.0f s", seconds);
    return buffer;
}

/* ---- Lists and ranges of whole numbers: 1,2,7 2..4096 16..1024*2 0..100+10 ------------------- */

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

SUP_COMPARE(by_value, struct placed, SUP_ORDER(a->value, b->value), SUP_ORDER(a->place, b->place));

SUP_COMPARE(by_place, struct placed, SUP_ORDER(a->place, b->place));

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

SUP_COMPARE(compare, int64_t, SUP_ORDER(*a, *b));

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

/* ---- The word nearest to a mistyped one, by edit distance over short words ------------------- */

enum { LONGEST = 63 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and exchanges of neighbours that turn one into the other;
 * SIZE_MAX for words that are longer than any known word. */
static size_t distance(const char *from, const char *to)
{
    size_t rows = strlen(from), columns = strlen(to);
    if (rows > LONGEST || columns > LONGEST)
        return SIZE_MAX;
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = above[j - 1] + (from[i - 1] != to[j - 1]);
            now[j] = least_of(replaced, least_of(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                now[j] = least_of(now[j], two_above[j - 2] + 1);
        }
    }
    return row[rows % 3][columns];
}

/* "map" is a part of regret-map. */
static bool has_part(const char *word, const char *part)
{
    const char *found = strstr(word, part);
    return found != NULL && found > word && found[-1] == '-' && found[strlen(part)] == '\0';
}

const char *sup_nearest_word(const char *text, const char *const words[], size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text);
    size_t best = (length + 1) / 3 + 1; /* farther than this is a guess, not a slip */
    for (size_t i = 0; i < count; i++) {
        size_t here = distance(text, words[i]);
        if (here < best) {
            best = here;
            nearest = words[i];
        }
    }
    /* The beginning of a word, as in "circ" for circulant, is an abbreviation, not a mistyped word.
     */
    for (size_t i = 0; nearest == NULL && length >= 2 && i < count; i++)
        if (strncmp(text, words[i], length) == 0)
            nearest = words[i];
    for (size_t i = 0; nearest == NULL && length >= 3 && i < count; i++)
        if (has_part(words[i], text) ||
            (strlen(words[i]) > 2 && strncmp(text, words[i], strlen(words[i])) == 0))
            nearest = words[i];
    return nearest;
}

/* Of several words that begin with the text and a dash, "did you mean time-n, time-m or
 * time-radix?": into buffer; false if there are none. */
static bool name_kinds(const char *text, const char *const words[], size_t count,
                       char buffer[SUP_HINT_SIZE])
{
    const size_t length = strlen(text);
    const char *last = NULL;
    size_t kinds = 0;
    snprintf(buffer, SUP_HINT_SIZE, "did you mean ");
    for (size_t i = 0; i < count; i++) {
        if (strncmp(words[i], text, length) != 0 || words[i][length] != '-')
            continue;
        if (last != NULL)
            sup_append(buffer, SUP_HINT_SIZE, kinds > 1 ? ", " : "", "%s", last);
        last = words[i];
        kinds++;
    }
    if (kinds > 1)
        sup_append(buffer, SUP_HINT_SIZE, " ", "or %s?", last);
    return kinds > 1;
}

const char *sup_hint(const char *text, const char *const words[], size_t count,
                     const char *otherwise, char buffer[SUP_HINT_SIZE])
{
    const char *nearest = sup_nearest_word(text, words, count);
    if (name_kinds(text, words, count, buffer))
        return buffer;
    if (nearest != NULL)
        snprintf(buffer, SUP_HINT_SIZE, "did you mean %s?", nearest);
    else
        snprintf(buffer, SUP_HINT_SIZE, "%s", otherwise);
    return buffer;
}
