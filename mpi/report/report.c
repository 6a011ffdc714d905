#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/units.h"

static const char *const reason_text[REPORT_REASONS] = {
    [REPORT_BY_PLAN] = "",
    [REPORT_NATIVE] = "setting",
    [REPORT_INTER] = "inter-communicator",
    [REPORT_OPERATOR] = "operator does not commute",
    [REPORT_NEGATIVE] = "datatype's extent is negative",
    [REPORT_ARGUMENT] = "wrong argument",
    [REPORT_ENDING] = "MPI is ending",
    [REPORT_UNSERVED] = "algorithm can't serve it",
    [REPORT_NOT_TRIED] = "nothing else was tried",
    [REPORT_KEPT] = "nothing tried was faster",
    [REPORT_INEXACT] = "rounding might differ",
    [REPORT_SCARCE] = "no communicator left",
};

/* ---- Counting -------------------------------------------------------------------------------- */

static int32_t size_class(int64_t bytes)
{
    int32_t class = bytes < 0 ? -1 : 0;
    for (; bytes > 0; bytes /= 2)
        class ++;
    return class;
}

static int compare_words(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int compare_algorithms(const struct rb_algorithm_info *a, const struct rb_algorithm_info *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return compare_words(a->name, b->name);
}

/* In the order of a report. */
SUP_COMPARE(compare, struct report_row, compare_words(a->collective, b->collective),
            SUP_ORDER(a->p, b->p), SUP_ORDER(a->size_class, b->size_class),
            compare_algorithms(a->algorithm, b->algorithm), SUP_ORDER(a->width, b->width),
            SUP_ORDER(a->reason, b->reason));

/* The index of the first row that is not before this one. */
static size_t place_of(const struct report *report, const struct report_row *row)
{
    return sup_array_place(report->rows, report->count, sizeof *row, row, compare);
}

static int insert(struct report *report, size_t place, const struct report_row *row)
{
    if (!sup_array_insert(&report->rows, report->count, sizeof *row, place, row))
        return RB_ENOMEM;
    report->count++;
    return RB_OK;
}

static void merge_row(struct report_row *old, const struct report_row *row)
{
    old->least_n = row->least_n < old->least_n ? row->least_n : old->least_n;
    old->most_n = row->most_n > old->most_n ? row->most_n : old->most_n;
    old->calls += row->calls;
    old->total_s += row->total_s;
    old->longest_s = fmax(old->longest_s, row->longest_s);
}

int report_add(struct report *report, const struct report_event *event)
{
    const struct report_row row = {.collective = event->collective,
                                   .p = event->p,
                                   .size_class = size_class(event->bytes),
                                   .algorithm = event->algorithm,
                                   .width = event->width,
                                   .reason = event->reason,
                                   .least_n = event->n,
                                   .most_n = event->n,
                                   .ranks = 1,
                                   .calls = 1,
                                   .least_calls = 1,
                                   .most_calls = 1,
                                   .total_s = event->time_s,
                                   .most_total_s = event->time_s,
                                   .longest_s = event->time_s};
    const size_t place = place_of(report, &row);
    struct report_row *old = &report->rows[place];
    if (place == report->count || compare(old, &row) != 0)
        return insert(report, place, &row);
    merge_row(old, &row);
    old->most_total_s = old->total_s;
    old->least_calls = old->most_calls = old->calls;
    return RB_OK;
}

int report_merge(struct report *report, const struct report_row rows[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct report_row *row = &rows[i];
        const size_t place = place_of(report, row);
        struct report_row *old = &report->rows[place];
        if (place == report->count || compare(old, row) != 0) {
            if (insert(report, place, row) != RB_OK)
                return RB_ENOMEM;
            continue;
        }
        merge_row(old, row);
        old->ranks += row->ranks;
        old->least_calls =
            row->least_calls < old->least_calls ? row->least_calls : old->least_calls;
        old->most_calls = row->most_calls > old->most_calls ? row->most_calls : old->most_calls;
        old->most_total_s = fmax(old->most_total_s, row->most_total_s);
    }
    return RB_OK;
}

void report_free(struct report *report)
{
    free(report->rows);
    *report = (struct report){0};
}

/* ---- From process to process ----------------------------------------------------------------- */

/* Indices in the registry replace the row's pointers. */
struct packed_row {
    int32_t collective, algorithm; /* -1: NULL */
    struct report_row row;
};

size_t report_bytes(size_t count)
{
    return count * sizeof(struct packed_row);
}

void report_pack(const struct report_row rows[], size_t count, void *packed)
{
    struct packed_row *to = packed;
    for (size_t i = 0; i < count; i++) {
        const struct rb_algorithm_info *algorithm;
        to[i] = (struct packed_row){.collective = 0, .algorithm = -1, .row = rows[i]};
        while (compare_words(rb_collective_at(to[i].collective)->name, rows[i].collective) != 0)
            to[i].collective++;
        for (int32_t k = 0; (algorithm = rb_algorithm_at(k)) != NULL; k++)
            if (algorithm == rows[i].algorithm)
                to[i].algorithm = k;
    }
}

void report_unpack(const void *packed, size_t count, struct report_row rows[])
{
    const struct packed_row *from = packed;
    for (size_t i = 0; i < count; i++) {
        rows[i] = from[i].row;
        rows[i].collective = rb_collective_at(from[i].collective)->name;
        rows[i].algorithm = from[i].algorithm < 0 ? NULL : rb_algorithm_at(from[i].algorithm);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int64_t class_least(int32_t class)
{
    return class <= 0 ? 0 : (int64_t)1 << (class - 1);
}

static int64_t class_most(int32_t class)
{
    return class <= 0 ? 0 : class == 63 ? INT64_MAX : ((int64_t)1 << class) - 1;
}

static const char *algorithm_name(const struct report_row *row)
{
    return row->algorithm == NULL ? "native" : row->algorithm->name;
}

enum { CELL = 40, COLUMNS = 12 };

/* Which columns are words, from the left of their column on. */
static const bool is_word[COLUMNS] = {[0] = true, [3] = true, [11] = true};
static const char *const heading[COLUMNS] = {
    "collective", "p",       "bytes",        "algorithm",     "n", "window", "ranks", "calls",
    "mean time",  "longest", "rank's total", "native because"};

static void count_cell(int64_t least, int64_t most, char cell[CELL])
{
    if (most == 0)
        snprintf(cell, CELL, "-");
    else if (least == most)
        snprintf(cell, CELL, "%" PRId64, most);
    else
        snprintf(cell, CELL, "%" PRId64 "..%" PRId64, least, most);
}

static void bytes_cell(int32_t class, char cell[CELL])
{
    if (class < 0)
        snprintf(cell, CELL, "-");
    else if (class <= 1)
        snprintf(cell, CELL, "%d B", class);
    else { /* 64KiB.. is up to the next power of two */
        char least[CELL / 2];
        snprintf(cell, CELL, "%s..", sup_format_bytes(class_least(class), least, sizeof least));
    }
}

static void cells_of(const struct report_row *row, char cells[COLUMNS][CELL])
{
    snprintf(cells[0], CELL, "%s", row->collective);
    count_cell(row->p, row->p, cells[1]);
    bytes_cell(row->size_class, cells[2]);
    snprintf(cells[3], CELL, "%s", algorithm_name(row));
    count_cell(row->least_n, row->most_n, cells[4]);
    count_cell(row->width, row->width, cells[5]);
    count_cell(row->ranks, row->ranks, cells[6]);
    count_cell(row->least_calls, row->most_calls, cells[7]);
    sup_format_seconds(row->total_s / (double)row->calls, cells[8], CELL);
    sup_format_seconds(row->longest_s, cells[9], CELL);
    sup_format_seconds(row->most_total_s, cells[10], CELL);
    snprintf(cells[11], CELL, "%s", reason_text[row->reason]);
}

static void print_line(char cells[COLUMNS][CELL], const int width[COLUMNS], FILE *stream)
{
    char line[COLUMNS * (CELL + 2) + 1] = "";
    for (int c = 0; c < COLUMNS; c++)
        sup_append(line, sizeof line, "  ", "%*s", is_word[c] ? -width[c] : width[c], cells[c]);
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    fprintf(stream, "%s\n", line);
}

void report_text(const struct report *report, const struct report_maker *maker, FILE *stream)
{
    char cells[COLUMNS][CELL];
    int width[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = (int)strlen(heading[c]);
    for (size_t i = 0; i < report->count; i++) {
        cells_of(&report->rows[i], cells);
        for (int c = 0; c < COLUMNS; c++)
            width[c] = (int)strlen(cells[c]) > width[c] ? (int)strlen(cells[c]) : width[c];
    }
    fprintf(stream,
            "roundabout %s on %s, %" PRId32 " ranks%s%s; bytes: of all data, up to the next power "
            "of two; calls: of a rank\n",
            maker->version, maker->mpi, maker->ranks,
            maker->interfaces != NULL ? ", network interfaces of a host: " : "",
            maker->interfaces != NULL ? maker->interfaces : "");
    for (int c = 0; c < COLUMNS; c++)
        snprintf(cells[c], CELL, "%s", heading[c]);
    print_line(cells, width, stream);
    for (size_t i = 0; i < report->count; i++) {
        cells_of(&report->rows[i], cells);
        print_line(cells, width, stream);
    }
    if (report->count == 0)
        fprintf(stream, "(no call)\n");
}

/* A number below `least` is left empty. */
static void csv_count(int64_t count, int64_t least, FILE *stream)
{
    if (count >= least)
        fprintf(stream, "%" PRId64, count);
    fputc(',', stream);
}

void report_csv(const struct report *report, const struct report_maker *maker, FILE *stream)
{
    fprintf(stream, "collective,p,bytes_least,bytes_most,algorithm,n_least,n_most,window,ranks,"
                    "calls,rank_calls_least,rank_calls_most,time_total_s,rank_time_total_most_s,"
                    "time_longest_s,native_because,version,mpi,mpi_ranks\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_row *row = &report->rows[i];
        fprintf(stream, "%s,", row->collective);
        csv_count(row->p, 1, stream);
        csv_count(row->size_class < 0 ? -1 : class_least(row->size_class), 0, stream);
        csv_count(row->size_class < 0 ? -1 : class_most(row->size_class), 0, stream);
        fprintf(stream, "%s,", algorithm_name(row));
        csv_count(row->least_n, 1, stream);
        csv_count(row->most_n, 1, stream);
        csv_count(row->width, 1, stream);
        fprintf(stream, "%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->ranks, row->calls,
                row->least_calls, row->most_calls);
        fprintf(stream, "%.9g,%.9g,%.9g,\"%s\",%s,\"%s\",%" PRId32 "\n", row->total_s,
                row->most_total_s, row->longest_s, reason_text[row->reason], maker->version,
                maker->mpi, maker->ranks);
    }
}
