#include "support/output/table.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/output/verdict.h"
#include "support/units.h"

static bool is_none(enum out_kind kind, union out_cell cell)
{
    switch (kind) {
    case OUT_WORD:
        return cell.word == NULL;
    case OUT_COUNT:
    case OUT_BYTES:
    case OUT_TRUTH:
        return cell.whole < 0;
    case OUT_WHOLE:
        return cell.whole == INT64_MIN;
    case OUT_REAL:
    case OUT_SECONDS:
    case OUT_RATIO:
    case OUT_SHARE:
    case OUT_PERCENT:
        return !isfinite(cell.real);
    }
    return true;
}

static union out_cell no_value(enum out_kind kind)
{
    union out_cell cell = {.whole = kind == OUT_WHOLE ? INT64_MIN : -1};
    if (kind == OUT_WORD)
        cell.word = NULL;
    else if (kind >= OUT_REAL)
        cell.real = NAN;
    return cell;
}

static union out_cell cell_of(const struct out_column *column, const void *member)
{
    const char *const *word = member;
    const size_t *size = member;
    switch (column->held) {
    case OUT_CHARS:
        return (union out_cell){.word = *(const char *)member == '\0' ? NULL : member};
    case OUT_POINTER:
        return (union out_cell){.word = *word == NULL || **word == '\0' ? NULL : *word};
    case OUT_BOOL:
        return (union out_cell){.whole = *(const bool *)member};
    case OUT_INT32:
        return (union out_cell){.whole = *(const int32_t *)member};
    case OUT_INT64:
        return (union out_cell){.whole = *(const int64_t *)member};
    case OUT_SIZE:
        return (union out_cell){.whole = (int64_t)*size};
    case OUT_DOUBLE:
        return (union out_cell){.real = *(const double *)member};
    case OUT_NOTHING:
        break;
    }
    return (union out_cell){0};
}

void out_cells(const struct out_table *table, const void *const structs[], union out_cell cells[])
{
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->held == OUT_NOTHING)
            continue;
        cells[i] = structs[column->base] == NULL
                       ? no_value(column->kind)
                       : cell_of(column, (const char *)structs[column->base] + column->at);
        if (column->positive && cells[i].whole == 0)
            cells[i] = no_value(column->kind);
    }
}

/* ---- Text ----------------------------------------------------------------------------------- */

const char *out_cell_text(const struct out_column *column, union out_cell cell,
                          char buffer[OUT_CELL_SIZE])
{
    if (is_none(column->kind, cell))
        return "-";
    switch (column->kind) {
    case OUT_WORD:
        return cell.word;
    case OUT_COUNT:
    case OUT_WHOLE:
        snprintf(buffer, OUT_CELL_SIZE, "%" PRId64, cell.whole);
        return buffer;
    case OUT_TRUTH:
        return cell.whole != 0 ? "yes" : "no";
    case OUT_BYTES:
        return sup_format_size(cell.whole, buffer, OUT_CELL_SIZE);
    case OUT_REAL:
        snprintf(buffer, OUT_CELL_SIZE, column->real, cell.real);
        return buffer;
    case OUT_SECONDS:
        return sup_format_seconds(cell.real, buffer, OUT_CELL_SIZE);
    case OUT_RATIO:
        return out_ratio(cell.real, buffer);
    case OUT_SHARE:
        return out_percent(cell.real, buffer);
    case OUT_PERCENT:
        snprintf(buffer, OUT_CELL_SIZE, column->real, 100 * cell.real);
        return buffer;
    }
    return "";
}

static int fitted_width;         /* 0: all columns */
static char last_left_out[1024]; /* as the last table said */

void out_text_fit(int width)
{
    fitted_width = width;
    last_left_out[0] = '\0';
}

/* A line of text in which blanks are written only before further text, so that no line ends in
 * blanks. */
struct line {
    FILE *stream;
    int blanks, at; /* blanks to be written; what is written */
    bool whole;     /* long words are not cut off: they may be paths */
    bool full;      /* a text was cut off */
};

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void put(struct line *line, const char *text, int length, int width)
{
    const int room = width < 0 ? -width - length : width - length;
    if (width > 0 && room > 0)
        line->blanks += room;
    if (length > 0 && !line->full) {
        const int before = line->blanks > 0 ? line->blanks : 0;
        const int left = fitted_width - line->at - before;
        line->full = fitted_width > 0 && !line->whole && length > left;
        if (line->full)
            for (length = left > 0 ? left - 1 : 0; length > 0 && is_continuation(text[length]);)
                length--;
        if (!line->full || left > 0)
            fprintf(line->stream, "%*s%.*s%s", before, "", length, text, line->full ? "…" : "");
        line->at += before + length;
        line->blanks = 0;
    }
    if (width < 0 && room > 0)
        line->blanks += room;
}

/* The bytes of the characters that fit in this room, of a text that is longer: at least one. */
static size_t whole_characters(const char *text, size_t room)
{
    size_t length = room;
    while (length > 0 && is_continuation(text[length]))
        length--;
    for (length = length > 0 ? length : 1; is_continuation(text[length]);)
        length++;
    return length;
}

/* Writes a text, broken at blanks; the lines that follow begin at the column `from`. */
static void put_wrapped(struct line *line, const char *text, int from)
{
    for (;;) {
        const int at = line->at + (line->blanks > 0 ? line->blanks : 0);
        const size_t room = fitted_width > at ? (size_t)(fitted_width - at) : 0;
        size_t length = room;
        if (strlen(text) <= room)
            break;
        while (length > 0 && text[length] != ' ')
            length--;
        if (length == 0 && line->whole) /* a long word */
            length = strcspn(text, " ");
        else if (length == 0)
            length = whole_characters(text, room > 0 ? room : 1);
        put(line, text, (int)length, 0);
        text += length;
        text += strspn(text, " ");
        if (*text == '\0')
            return;
        fputc('\n', line->stream);
        *line = (struct line){.stream = line->stream, .blanks = from, .whole = line->whole};
    }
    put(line, text, (int)strlen(text), 0);
}

/* The number of blanks before a column of text. */
static int gap_before(const struct out_table *table, const struct out_column *column, bool first)
{
    if (first)
        return table->indent + column->gap;
    return column->gap > 0 ? column->gap : table->gap > 0 ? table->gap : 1;
}

/* ---- Which columns fit ----------------------------------------------------------------------- */

/* A text column is not made narrower than NARROW, and one that is as wide as its text has room for
 * a word or two, in which it is continued. */
enum { MOST_COLUMNS = 128, NARROW = 24, ROOM_TO_WRAP = 10 };

/* The columns of a text, and how wide each is (struct out_column, width). */
struct fit {
    bool shown[MOST_COLUMNS];
    int width[MOST_COLUMNS];
};

static int heading_width(const struct out_column *column)
{
    const char *end = strchr(column->heading, '\n');
    const int lower = (int)strlen(end == NULL ? column->heading : end + 1);
    const int upper = end == NULL ? 0 : (int)(end - column->heading);
    return lower > upper ? lower : upper;
}

/* The width of a line. */
static int line_width(const struct out_table *table, const struct fit *fit)
{
    int at = 0, end = 0;
    bool first = true;
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (!fit->shown[i])
            continue;
        const int heading = heading_width(column), width = abs(fit->width[i]);
        at += gap_before(table, column, first);
        end = at + (heading > width ? heading : width);
        if (width == 0 && column->kind == OUT_WORD && end < at + ROOM_TO_WRAP)
            end = at + ROOM_TO_WRAP;
        at += width > 0 ? width : heading;
        first = false;
    }
    return at > end ? at : end;
}

/* Shows or hides column i, and those with the same number. */
static void set_shown(const struct out_table *table, size_t i, struct fit *fit, bool value)
{
    const int less = table->columns[i].less;
    for (size_t k = 0; k < table->width; k++)
        if (table->columns[k].heading != NULL &&
            (k == i || (less > 0 && table->columns[k].less == less)))
            fit->shown[k] = value;
}

/* The column to be left out next; table->width: none. */
static size_t least_important(const struct out_table *table, const struct fit *fit, size_t first)
{
    size_t least = table->width;
    for (size_t i = first; i < table->width; i++)
        if (fit->shown[i] && table->columns[i].less != OUT_KEPT &&
            (i > first || table->columns[i].less > 0) &&
            (least == table->width || table->columns[i].less >= table->columns[least].less))
            least = i;
    return least;
}

/* Makes the last column very narrow, if it is to be kept: its text is continued. False if it is
 * already. */
static bool shrink_kept(const struct out_table *table, struct fit *fit)
{
    size_t last = 0;
    for (size_t i = 0; i < table->width; i++)
        last = fit->shown[i] ? i : last;
    if (table->columns[last].less != OUT_KEPT || fit->width[last] >= -ROOM_TO_WRAP)
        return false;
    fit->width[last] = -ROOM_TO_WRAP;
    return true;
}

/* Gives a narrowed column the room that is left. */
static void widen(const struct out_table *table, size_t i, struct fit *fit)
{
    while (fit->shown[i] && fit->width[i] > table->columns[i].width) {
        fit->width[i]--; /* left-aligned: below 0 */
        if (line_width(table, fit) > fitted_width) {
            fit->width[i]++;
            break;
        }
    }
}

/* Makes columns of text narrower if necessary, leaves out as many columns as necessary, those of
 * least importance first, and shows again what fits in spite of more important ones that don't.
 * True if one was left out. */
static bool choose_columns(const struct out_table *table, struct fit *fit)
{
    size_t first = table->width, dropped[MOST_COLUMNS], count = 0;
    assert(table->width <= MOST_COLUMNS);
    for (size_t i = 0; i < table->width; i++) {
        fit->shown[i] = table->columns[i].heading != NULL;
        fit->width[i] = table->columns[i].width;
        first = fit->shown[i] && first == table->width ? i : first;
    }
    if (fitted_width == 0 || line_width(table, fit) <= fitted_width)
        return false;
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].kind == OUT_WORD && table->columns[i].less != OUT_KEPT &&
            fit->width[i] < -NARROW)
            fit->width[i] = -NARROW;
    while (line_width(table, fit) > fitted_width) {
        const size_t least = least_important(table, fit, first);
        if ((least == table->width || table->columns[least].less == 0) && shrink_kept(table, fit))
            continue;
        if (least == table->width)
            break;
        set_shown(table, least, fit, false);
        dropped[count++] = least;
    }
    const bool some = count > 0;
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].less == OUT_KEPT)
            widen(table, i, fit);
    while (count-- > 0) {
        set_shown(table, dropped[count], fit, true);
        if (line_width(table, fit) > fitted_width)
            set_shown(table, dropped[count], fit, false);
    }
    for (size_t i = 0; i < table->width; i++)
        widen(table, i, fit);
    return some;
}

/* What was chosen for the last table that began. Rows follow their headings, so that the choice is
 * made once per table. */
static struct {
    struct out_table table;
    int fitted_width;
    struct out_column columns[MOST_COLUMNS];
    struct fit fit;
} begun;

static void remember_choice(const struct out_table *table, const struct fit *fit)
{
    begun.table = *table;
    begun.fitted_width = fitted_width;
    memcpy(begun.columns, table->columns, table->width * sizeof *table->columns);
    begun.fit = *fit;
}

static bool is_begun(const struct out_table *table)
{
    return begun.table.columns == table->columns && begun.table.width == table->width &&
           begun.table.gap == table->gap && begun.table.indent == table->indent &&
           begun.fitted_width == fitted_width &&
           memcmp(begun.columns, table->columns, table->width * sizeof *table->columns) == 0;
}

/* The line before the headings; not a second time for tables that follow with the same columns. */
static void print_left_out(const struct out_table *table, const bool shown[], FILE *stream)
{
    char text[sizeof last_left_out] = "(left out: ";
    const char *between = "";
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->heading == NULL || shown[i])
            continue;
        const int upper = (int)strcspn(column->heading, "\n");
        const char *lower = column->heading + upper;
        sup_append(text, sizeof text, between, "%.*s%s%s", upper, column->heading,
                   upper > 0 && *lower != '\0' ? " " : "", *lower == '\0' ? "" : lower + 1);
        between = ", ";
    }
    sup_append(text, sizeof text, "; ", "--details shows all columns)");
    if (table->silent || strcmp(text, last_left_out) == 0)
        return;
    strcpy(last_left_out, text);
    struct line line = {.stream = stream, .blanks = table->indent};
    put_wrapped(&line, text, table->indent);
    fputc('\n', stream);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void out_text_wrapped(int at, int from, const char *text, FILE *stream)
{
    struct line line = {.stream = stream, .at = at, .whole = true};
    if (at == 0)
        line.blanks = from;
    if (fitted_width > from)
        put_wrapped(&line, text, from);
    else
        fprintf(stream, "%*s%s", line.blanks, "", text);
    fputc('\n', stream);
}

void out_text_entry(int indent, int width, int gap, const char *name, FILE *stream,
                    const char *format, ...)
{
    char text[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const int written = fprintf(stream, "%*s%-*s", indent, "", *name == '\0' ? 0 : width, name);
    const int from = indent + width + gap;
    if (*name == '\0')
        fprintf(stream, "%*s", width, "");
    fprintf(stream, "%*s", gap, "");
    out_text_wrapped((*name == '\0' ? indent + width : written) + gap, from, text, stream);
}

struct out_table out_text_columns(const struct out_table *table, size_t first, bool all,
                                  struct out_column list[], size_t number[])
{
    struct out_table shown = *table;
    shown.columns = list;
    shown.width = 0;
    for (size_t i = first; i < table->width; i++)
        if (table->columns[i].heading != NULL && (all || table->columns[i].less == 0)) {
            number[shown.width] = i;
            list[shown.width++] = table->columns[i];
        }
    return shown;
}

/* The upper or the lower line of the headings: those of one line stand in the lower one. */
static void print_headings(const struct out_table *table, const struct fit *fit, bool upper,
                           FILE *stream)
{
    struct line line = {.stream = stream};
    bool first = true;
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (!fit->shown[i])
            continue;
        const char *end = strchr(column->heading, '\n');
        const char *lower = end == NULL ? column->heading : end + 1;
        const int length = end == NULL ? 0 : (int)(end - column->heading);
        const int written = upper ? length : (int)strlen(lower), width = abs(fit->width[i]);
        line.blanks += gap_before(table, column, first);
        put(&line, upper ? column->heading : lower, written, fit->width[i]);
        if (width > 0 && written > width)
            line.blanks -= written - width; /* it reaches into the next column */
        first = false;
    }
    fputc('\n', stream);
}

void out_text_heading(const struct out_table *table, FILE *stream)
{
    bool two = false;
    struct fit fit;
    if (choose_columns(table, &fit))
        print_left_out(table, fit.shown, stream);
    remember_choice(table, &fit);
    for (size_t i = 0; i < table->width; i++)
        two = two || (fit.shown[i] && strchr(table->columns[i].heading, '\n') != NULL);
    if (two)
        print_headings(table, &fit, true, stream);
    print_headings(table, &fit, false, stream);
}

/* The cells of a column that was made narrower are cut off there. */
static void put_cell(struct line *line, const char *text, int width, bool narrowed)
{
    const int length = (int)strlen(text), most = abs(width);
    if (!narrowed || length <= most) {
        put(line, text, length, width);
        return;
    }
    int kept = most - 1;
    while (kept > 0 && is_continuation(text[kept]))
        kept--;
    put(line, text, kept, 0);
    if (!line->full) {
        fputs("…", line->stream);
        line->at++;
    }
    line->blanks += most - 1 - kept;
}

void out_text_row(const struct out_table *table, const union out_cell cells[], FILE *stream)
{
    struct line line = {.stream = stream};
    char buffer[OUT_CELL_SIZE];
    bool first = true;
    struct fit fit;
    size_t last = 0;
    if (is_begun(table))
        fit = begun.fit;
    else
        choose_columns(table, &fit);
    for (size_t i = 0; i < table->width; i++)
        last = fit.shown[i] ? i : last;
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (!fit.shown[i])
            continue;
        const char *text = out_cell_text(column, cells[i], buffer);
        line.blanks += gap_before(table, column, first);
        const int from = line.at + line.blanks;
        if (i == last && column->kind == OUT_WORD && column->width <= 0 &&
            fitted_width - from >= ROOM_TO_WRAP)
            put_wrapped(&line, text, from);
        else
            put_cell(&line, text, fit.width[i], fit.width[i] != column->width);
        first = false;
    }
    fputc('\n', stream);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void print_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void out_csv_text(const char *text, FILE *stream)
{
    const size_t length = strlen(text);
    const bool blanks =
        length > 0 && (isspace((unsigned char)text[0]) || isspace((unsigned char)text[length - 1]));
    if (blanks || strpbrk(text, ",\"\r\n") != NULL) /* readers take blanks around values away */
        print_quoted(text, stream);
    else
        fputs(text, stream);
}

void out_csv_heading(const struct out_table *table, FILE *stream)
{
    const char *separator = "";
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].name != NULL) {
            fprintf(stream, "%s%s", separator, table->columns[i].name);
            separator = ",";
        }
    fputc('\n', stream);
}

/* As fprintf does, which takes half the time of a row of numbers. */
static void print_whole(int64_t whole, FILE *stream)
{
    char digits[24], *first = digits + sizeof digits;
    uint64_t rest = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;
    do
        *--first = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (whole < 0)
        *--first = '-';
    fwrite(first, 1, (size_t)(digits + sizeof digits - first), stream);
}

static void print_csv_cell(const struct out_column *column, union out_cell cell, int digits,
                           FILE *stream)
{
    if (is_none(column->kind, cell))
        return;
    switch (column->kind) {
    case OUT_WORD:
        (column->quoted ? print_quoted : out_csv_text)(cell.word, stream);
        break;
    case OUT_COUNT:
    case OUT_WHOLE:
    case OUT_TRUTH:
    case OUT_BYTES:
        print_whole(cell.whole, stream);
        break;
    case OUT_REAL:
    case OUT_SECONDS:
    case OUT_RATIO:
    case OUT_SHARE:
    case OUT_PERCENT:
        fprintf(stream, "%.*g", digits > 0 ? digits : 17, cell.real);
        break;
    }
}

void out_csv_row(const struct out_table *table, const union out_cell cells[], FILE *stream)
{
    bool first = true;
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].name != NULL) {
            if (!first)
                fputc(',', stream);
            print_csv_cell(&table->columns[i], cells[i], table->digits, stream);
            first = false;
        }
    fputc('\n', stream);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *out_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_of_cell(enum out_kind kind, union out_cell cell)
{
    if (is_none(kind, cell))
        return json_null();
    switch (kind) {
    case OUT_WORD:
        return out_json_text(cell.word);
    case OUT_TRUTH:
        return json_boolean(cell.whole);
    case OUT_COUNT:
    case OUT_WHOLE:
    case OUT_BYTES:
        return json_integer(cell.whole);
    default:
        return json_real(cell.real);
    }
}

/* Adds the cells of columns that are equal in all rows, or the other cells. */
static json_t *add_cells(json_t *object, const struct out_table *table,
                         const union out_cell cells[], bool same)
{
    for (size_t i = 0; i < table->width; i++) {
        const struct out_column *column = &table->columns[i];
        if (column->name != NULL && column->same == same &&
            !(column->optional && is_none(column->kind, cells[i])))
            json_object_set_new(object, column->name, json_of_cell(column->kind, cells[i]));
    }
    return object;
}

json_t *out_json_add(json_t *object, const struct out_table *table, const union out_cell cells[])
{
    return add_cells(object, table, cells, false);
}

json_t *out_json_same(const struct out_table *table, const union out_cell cells[])
{
    return add_cells(json_object(), table, cells, true);
}

json_t *out_json_row(const struct out_table *table, const union out_cell cells[])
{
    return out_json_add(json_object(), table, cells);
}

void out_html_text(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++)
        if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else
            putc(*text, stream);
}

/* ---- Row by row ----------------------------------------------------------------------------- */

void out_rows_begin(struct out_rows *rows, const struct out_table *table, enum out_format format,
                    FILE *stream, json_t *head, const char *name)
{
    *rows = (struct out_rows){.table = table, .format = format, .stream = stream};
    if (format == OUT_JSON)
        out_json_rows_begin(&rows->json, stream, head, name);
    else
        json_decref(head);
    if (format == OUT_TEXT)
        out_text_heading(table, stream);
    if (format == OUT_CSV)
        out_csv_heading(table, stream);
}

void out_rows_add(struct out_rows *rows, const union out_cell cells[])
{
    switch (rows->format) {
    case OUT_TEXT:
        out_text_row(rows->table, cells, rows->stream);
        break;
    case OUT_CSV:
        out_csv_row(rows->table, cells, rows->stream);
        break;
    case OUT_JSON:
        out_json_rows_add(&rows->json, out_json_row(rows->table, cells));
        break;
    }
}

void out_rows_end(struct out_rows *rows)
{
    if (rows->format == OUT_JSON)
        out_json_rows_end(&rows->json);
}
