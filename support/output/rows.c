#include "support/output/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- JSON on a stream ------------------------------------------------------------------------ */

/* A whole value, or an object whose last member is a long array, written row by row, so that an
 * export never holds more than one row; and such rows as csv. */

static void print_rest(struct out_json_rows *rows, json_t *value, size_t cut)
{
    assert(value != NULL); /* texts from outside are UTF-8: out_json_text */
    char *text = json_dumps(value, JSON_PRESERVE_ORDER);
    json_decref(value);
    fwrite(text, 1, strlen(text) - cut, rows->stream);
    free(text);
}

void out_json_rows_begin(struct out_json_rows *rows, FILE *stream, json_t *head, const char *name)
{
    *rows = (struct out_json_rows){.stream = stream};
    print_rest(rows, head, 1); /* without its closing brace */
    fprintf(stream, ", \"%s\": [", name);
}

void out_json_rows_add(struct out_json_rows *rows, json_t *row)
{
    fputs(rows->any ? ",\n" : "\n", rows->stream);
    rows->any = true;
    print_rest(rows, row, 0);
}

void out_json_rows_end(struct out_json_rows *rows)
{
    fputs(rows->any ? "\n]}\n" : "]}\n", rows->stream);
}

json_t *out_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    const size_t size = 4 * strlen(text) + 1;
    char *shown = sup_malloc(size);
    value = json_string(sup_visible(text, shown, size));
    free(shown);
    return value;
}

void out_json_print(FILE *stream, json_t *value, int digits)
{
    assert(value != NULL);
    json_dumpf(value, stream,
               JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION((size_t)digits));
    fputc('\n', stream);
    json_decref(value);
}

/* ---- JSON on a stream ------------------------------------------------------------------------ */

/* A whole value, or an object whose last member is a long array, written row by row, so that an
 * export never holds more than one row; and such rows as csv. */

/* Numbers as in json; true and false are 1 and 0, null is empty, a list is blank-separated. */
static void print_csv_value(const json_t *value, FILE *stream)
{
    if (json_is_string(value))
        out_csv_text(json_string_value(value), stream);
    else if (json_is_integer(value))
        fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(stream, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        fputc(json_is_true(value) ? '1' : '0', stream);
    for (size_t i = 0; i < json_array_size(value); i++)
        fprintf(stream, "%s%s", i == 0 ? "" : " ", json_string_value(json_array_get(value, i)));
}

void out_csv_names(json_t *row, FILE *stream)
{
    const char *name, *separator = "";
    json_t *value;
    json_object_foreach(row, name, value)
    {
        fprintf(stream, "%s%s", separator, name);
        separator = ",";
    }
    fputc('\n', stream);
}

void out_csv_values(json_t *row, FILE *stream)
{
    const char *name, *separator = "";
    json_t *value;
    json_object_foreach(row, name, value)
    {
        fputs(separator, stream);
        print_csv_value(value, stream);
        separator = ",";
    }
    fputc('\n', stream);
}

/* ---- JSON as text ---------------------------------------------------------------------------- */

enum { MOST_MEMBERS = 40, WORD_SIZE = 32, LONG_TEXT = 40, EACH_END = 12 };

/* Of lists of texts the words. */
static const char *json_word(const char *name, const json_t *value, char word[WORD_SIZE])
{
    const bool rate = sup_ends_in(name, "_per_s"), seconds = !rate && sup_ends_in(name, "_s");
    const bool bytes = sup_ends_in(name, "bytes");
    if (json_is_string(value))
        return json_string_value(value);
    if (seconds && json_is_real(value))
        return sup_format_seconds(json_real_value(value), word, WORD_SIZE);
    if (strstr(name, "bandwidth") != NULL && json_is_real(value))
        snprintf(word, WORD_SIZE, "%.6g GB/s", 1e-9 * json_real_value(value));
    else if (bytes && json_is_number(value))
        return sup_format_shown(llround(json_number_value(value)), word, WORD_SIZE);
    else if (json_is_integer(value))
        snprintf(word, WORD_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(word, WORD_SIZE, "%.6g", json_real_value(value));
    else
        snprintf(word, WORD_SIZE, "%s",
                 json_is_null(value)   ? "-"
                 : json_is_true(value) ? "yes"
                                       : "no");
    return word;
}

static bool is_single(const json_t *value)
{
    return !json_is_object(value) && !json_is_array(value);
}

/* True if rows have texts that are too long for a table, other members, or more than values. */
static bool is_wide(const json_t *rows)
{
    size_t i;
    const char *name;
    json_t *row, *value;
    json_array_foreach(rows, i, row)
    {
        if (json_object_size(row) != json_object_size(json_array_get(rows, 0)))
            return true;
        json_object_foreach(row, name, value)
        {
            if (!is_single(value) || json_string_length(value) > LONG_TEXT)
                return true;
        }
    }
    return json_object_size(json_array_get(rows, 0)) > MOST_MEMBERS;
}

/* Sizes the columns by the rows that are shown, or prints these, if a table is given. */
static void each_row(json_t *rows, const struct out_table *table,
                     struct out_column columns[MOST_MEMBERS], FILE *stream)
{
    const size_t count = json_array_size(rows);
    char words[MOST_MEMBERS][WORD_SIZE];
    for (size_t i = 0; i < count; i++) {
        union out_cell cells[MOST_MEMBERS];
        const char *name;
        json_t *value;
        size_t column = 0;
        if (i == EACH_END && count > 2 * EACH_END + 1) {
            i = count - EACH_END;
            if (table != NULL)
                fprintf(stream, "  ... (%zu more: --format json has all)\n", i - EACH_END);
        }
        json_object_foreach(json_array_get(rows, i), name, value)
        {
            cells[column].word = json_word(name, value, words[column]);
            const int length = (int)strlen(cells[column].word);
            struct out_column *of = &columns[column++];
            if (table != NULL)
                continue;
            of->heading = name;
            of->kind = OUT_WORD;
            const int wide = abs(of->width), least = (int)strlen(name);
            const int width = wide > length ? wide : length;
            of->width =
                (json_is_string(value) || of->width < 0 ? -1 : 1) * (width > least ? width : least);
        }
        if (table != NULL)
            out_text_row(table, cells, stream);
    }
}

static void print_json_table(json_t *rows, int indent, FILE *stream)
{
    struct out_column columns[MOST_MEMBERS] = {{0}};
    const struct out_table table = {columns, .width = json_object_size(json_array_get(rows, 0)),
                                    .gap = 2, .indent = indent};
    each_row(rows, NULL, columns, stream);
    out_text_heading(&table, stream);
    each_row(rows, &table, columns, stream);
}

/* An array with a row for each member of an object of objects; NULL: it is another one. */
static json_t *rows_of(json_t *object)
{
    const char *name, *of;
    json_t *value, *member, *rows = json_array();
    char known[WORD_SIZE];
    json_object_foreach(object, name, value)
    {
        if (!json_is_object(value)) {
            json_decref(rows);
            return NULL;
        }
        const bool seconds = sup_ends_in(name, "_s");
        json_t *row = json_pack("{s:s}", "of", name);
        json_object_foreach(value, of, member)
        {
            snprintf(known, sizeof known, "%s%s", of, seconds && json_is_real(member) ? "_s" : "");
            json_object_set(row, known, member);
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static void print_members(json_t *object, int indent, FILE *stream);

/* Texts, each a paragraph, or numbers. */
static void print_list(const char *name, json_t *list, int indent, FILE *stream)
{
    char word[WORD_SIZE];
    size_t i;
    json_t *value;
    bool texts = false;
    json_array_foreach(list, i, value)
    {
        texts = json_is_string(value);
        if (texts)
            out_text_wrapped(0, indent, json_string_value(value), stream);
        else
            fprintf(stream, "%*s%s", i == 0 ? indent : 1, "", json_word(name, value, word));
    }
    fputs(texts ? "" : "\n", stream);
}

/* An object, or an array that is not empty. */
static void print_parts(const char *name, json_t *value, int indent, FILE *stream)
{
    size_t i;
    json_t *row, *rows = json_is_object(value) ? rows_of(value) : json_incref(value);
    fprintf(stream, "\n%*s%s\n", indent, "", name);
    if (rows == NULL)
        print_members(value, indent + 2, stream);
    else if (!json_is_object(json_array_get(rows, 0)))
        print_list(name, rows, indent + 2, stream);
    else if (!is_wide(rows))
        print_json_table(rows, indent + 2, stream);
    else
        json_array_foreach(rows, i, row)
        {
            fputs(i == 0 ? "" : "\n", stream);
            print_members(row, indent + 2, stream);
        }
    json_decref(rows);
}

static void print_members(json_t *object, int indent, FILE *stream)
{
    const char *name;
    json_t *value;
    char word[WORD_SIZE];
    int width = 0;
    json_object_foreach(object, name, value)
    {
        if (is_single(value) && (int)strlen(name) > width)
            width = (int)strlen(name);
    }
    json_object_foreach(object, name, value)
    {
        if (is_single(value) && !json_is_null(value) &&
            !(json_is_string(value) && json_string_length(value) == 0))
            out_text_entry(indent, width, 2, name, stream, "%s", json_word(name, value, word));
    }
    json_object_foreach(object, name, value)
    {
        if (json_object_size(value) + json_array_size(value) > 0)
            print_parts(name, value, indent, stream);
    }
}

void out_json_details(json_t *value, FILE *stream)
{
    print_members(value, 0, stream);
    json_decref(value);
}
