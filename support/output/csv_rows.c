/* csv_rows.c - see json_rows.h. */
#include "support/output/json_rows.h"

#include "support/output/table.h"

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
