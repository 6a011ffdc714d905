#include "support/output/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/memory.h"
#include "support/output/table.h"

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
