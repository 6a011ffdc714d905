/* plot_csv.c - the data of a figure as one tidy table: the rows of NAME.dat with the series that
 * they are of, for programs that read CSV. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/output/output.h"
#include "support/output/table.h"
#include "support/replace.h"

enum { MOST_COLUMNS = 40, LONGEST_LINE = 8192, LONGEST_NAME = 32 };

/* The columns of the table: those of all series. */
struct columns {
    char name[MOST_COLUMNS][LONGEST_NAME];
    int count;
};

/* The place of each column of a series in the table. */
struct series {
    char title[LONGEST_LINE];
    int place[MOST_COLUMNS];
    int count;
};

static int place_of(struct columns *columns, const char *name)
{
    for (int i = 0; i < columns->count; i++)
        if (strcmp(columns->name[i], name) == 0)
            return i;
    if (columns->count == MOST_COLUMNS)
        return -1;
    snprintf(columns->name[columns->count], LONGEST_NAME, "%s", name);
    return columns->count++;
}

/* "p, n, time_s": adds what the table has not. */
static void read_columns(const char *text, struct columns *columns, struct series *series)
{
    series->count = 0;
    while (*text != '\0' && series->count < MOST_COLUMNS) {
        char name[LONGEST_NAME];
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        series->place[series->count++] = place_of(columns, name);
        text += length + strspn(text + length, ", ");
    }
}

/* A field with quotes if it needs them; numbers that are none are empty. */
static void write_field(FILE *csv, const char *text)
{
    if (strcmp(text, "-") == 0 || strcasecmp(text, "nan") == 0 || strcasecmp(text, "-nan") == 0)
        return;
    out_csv_text(text, csv);
}

/* One field of a row, blank-separated or in double quotes; false: there is no other. */
static bool next_field(const char **row, char *field, size_t size)
{
    const char *at = *row + strspn(*row, " \t\n");
    if (*at == '\0')
        return false;
    const bool quoted = *at == '"';
    at += quoted;
    const size_t length = strcspn(at, quoted ? "\"" : " \t\n");
    snprintf(field, size, "%.*s", (int)length, at);
    *row = at + length + (quoted && at[length] == '"');
    return true;
}

static void write_row(FILE *csv, const struct columns *columns, const struct series *series,
                      const char *row)
{
    char fields[MOST_COLUMNS][LONGEST_LINE / 8];
    char field[LONGEST_LINE / 8];
    memset(fields, 0, sizeof fields);
    for (int i = 0; i < series->count && next_field(&row, field, sizeof field); i++)
        if (series->place[i] >= 0)
            snprintf(fields[series->place[i]], sizeof fields[0], "%s", field);
    write_field(csv, series->title);
    for (int i = 0; i < columns->count; i++) {
        fputc(',', csv);
        write_field(csv, fields[i]);
    }
    fputc('\n', csv);
}

/* Reads all data, and writes the rows if there is a table. A comment behind the empty lines between
 * series, or the first one behind that of the columns, is a title; without columns of the whole
 * figure it ends in those of its series: "messages: from, to, start_s". */
static void read_data(FILE *data, struct columns *columns, FILE *csv)
{
    struct series series = {.count = 0};
    char line[LONGEST_LINE];
    bool common = false, head = true;
    while (fgets(line, sizeof line, data) != NULL) {
        static const char mark[] = "# columns: ";
        line[strcspn(line, "\n")] = '\0';
        if (head && strncmp(line, mark, sizeof mark - 1) == 0) {
            common = line[sizeof mark - 1] != '(';
            if (common)
                read_columns(line + sizeof mark - 1, columns, &series);
            head = false;
        } else if (line[0] == '#' && !head) {
            char *colon = strstr(line, ": ");
            if (!common && colon != NULL) {
                *colon = '\0';
                read_columns(colon + 2, columns, &series);
            }
            snprintf(series.title, sizeof series.title, "%s", line[1] == ' ' ? line + 2 : line + 1);
        } else if (line[0] != '#' && line[0] != '\0' && csv != NULL) {
            write_row(csv, columns, &series, line);
        }
    }
}

int plot_csv_write(const char *data, const char *csv, struct sup_error *error)
{
    struct columns columns = {.count = 0};
    FILE *in = sup_got(fopen(data, "r")), *out = in == NULL ? NULL : sup_got(fopen(csv, "w"));
    if (out == NULL) {
        const int reason = errno;
        if (in != NULL)
            fclose(in);
        return sup_fail(error, RB_EIO, "%s: %s", in == NULL ? data : csv, strerror(reason));
    }
    read_data(in, &columns, NULL);
    rewind(in);
    fputs("series", out);
    for (int i = 0; i < columns.count; i++)
        fprintf(out, ",%s", columns.name[i]);
    fputc('\n', out);
    read_data(in, &columns, out);
    const bool read = ferror(in) == 0;
    const int reason = errno;
    fclose(in);
    if (sup_finish(out) && read)
        return RB_OK;
    return sup_fail(error, RB_EIO, "%s: not all was written: %s", csv,
                    sup_reason_text(read ? errno : reason));
}
