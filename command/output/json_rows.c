/* json_rows.c - see json_rows.h. */
#include "command/output/json_rows.h"
#include "command/output/refusals.h"

#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/visible.h"

static void print_rest(struct rb_json_rows *rows, json_t *value, size_t cut)
{
    char *text = value == NULL ? NULL : json_dumps(value, JSON_PRESERVE_ORDER);
    json_decref(value);
    if (text == NULL) {
        rows->failed = true;
        return;
    }
    fwrite(text, 1, strlen(text) - cut, rows->stream);
    free(text);
}

void rb_json_rows_begin(struct rb_json_rows *rows, FILE *stream, json_t *head, const char *name)
{
    *rows = (struct rb_json_rows){.stream = stream};
    print_rest(rows, head, 1); /* without its closing brace */
    fprintf(stream, ", \"%s\": [", name);
}

void rb_json_rows_add(struct rb_json_rows *rows, json_t *row)
{
    fputs(rows->any ? ",\n" : "\n", rows->stream);
    rows->any = true;
    print_rest(rows, row, 0);
}

int rb_json_rows_end(struct rb_json_rows *rows)
{
    fputs(rows->any ? "\n]}\n" : "]}\n", rows->stream);
    return rows->failed || rb_memory_refused() ? RB_ENOMEM : RB_OK;
}

json_t *rb_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    const size_t size = 4 * strlen(text) + 1;
    char *shown = malloc(size);
    if (shown != NULL)
        value = json_string(rb_visible(text, shown, size));
    free(shown);
    return value;
}

int rb_json_print(FILE *stream, json_t *value, int digits)
{
    if (value == NULL)
        return RB_ENOMEM;
    json_dumpf(value, stream,
               JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION((size_t)digits));
    fputc('\n', stream);
    json_decref(value);
    return rb_memory_refused() ? RB_ENOMEM : RB_OK;
}
