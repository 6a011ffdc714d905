/* json_rows.c - see json_rows.h. */
#include "support/output/json_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/visible.h"

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
