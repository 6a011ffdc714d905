/* measured.c - CSV of `measure`: rows that are read are written, and read and written again alike;
 * as JSON they are JSON. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <jansson.h>
#include <string.h>

#include "fuzz.h"
#include "roundabout.h"
#include "studies/measure/measure.h"

/* The rows as CSV; the caller frees it. */
static char *write_rows(const struct measure_result_rows *rows, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        abort();
    measure_result_write_header(stream);
    for (size_t i = 0; i < rows->count; i++)
        measure_result_write_csv(&rows->row[i], stream);
    fclose(stream);
    return text;
}

static void check_json(const struct measure_result *row)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort();
    measure_result_write_json(row, stream);
    fclose(stream);
    json_t *object = json_loadb(text, size, 0, NULL);
    FUZZ_ASSERT(json_is_object(object), "no JSON: %s", text);
    json_decref(object);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct measure_result_rows rows = {0}, same = {0};
    struct sup_error error = {0};
    size_t length, again_length;
    const char *path = fuzz_file(0, data, size);
    if (measure_result_read(path, &rows, &error) != RB_OK) {
        fuzz_check_error(&error);
        free(rows.row);
        return 0;
    }
    char *text = write_rows(&rows, &length);
    path = fuzz_file(0, text, length);
    FUZZ_ASSERT(measure_result_read(path, &same, &error) == RB_OK, "%s", error.text);
    FUZZ_ASSERT(same.count == rows.count, "%zu rows instead of %zu", same.count, rows.count);
    char *again = write_rows(&same, &again_length);
    FUZZ_ASSERT(length == again_length && memcmp(text, again, length) == 0, "%s\nbecomes\n%s", text,
                again);
    for (size_t i = 0; i < rows.count && i < 4; i++)
        check_json(&rows.row[i]);
    free(again);
    free(text);
    free(same.row);
    free(rows.row);
    return 0;
}
