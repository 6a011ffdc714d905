/* table.c - the columns of a decision, and tables of them as text, CSV and JSON (decide.h). */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "experiments/decide/decide.h"
#include "experiments/point/parameters.h"
#include "support/units.h"

enum { DESCRIBED = 192 }; /* bytes */
enum { MOST_OWN = DECIDE_MOST_COLUMNS, MOST_COLUMNS = POINT_PARAMETERS + MOST_OWN };

/* ---- Columns --------------------------------------------------------------------------------- */

/* What cells show that is no member of a row's structs. */
struct shown {
    char own[DESCRIBED + 4], choice[DESCRIBED];
    char cliff[DECIDE_CLIFF_SIZE], interval[48];
    const char *verdict, *cause, *source, *limit;
};

#define PLACE(member)      OUT_OF_BASE(DECIDE_PLACE, struct decide_place, member)
#define CALL(member)       OUT_OF_BASE(DECIDE_CALL, struct decide_call, member)
#define SHOWN(member)      OUT_OF_BASE(DECIDE_SHOWN, struct shown, member)
#define WAY(base_, member) OUT_OF_BASE(DECIDE_##base_, struct decide_way, member)

/* Names that end in _text are for texts only, in place of several columns. */
static const struct out_column columns[] = {
    {"place", "place", OUT_WORD, PLACE(place)},
    {"collective", "collective", OUT_WORD, PLACE(collective)},
    {"ppn", "ppn", OUT_COUNT, PLACE(ppn)},
    {"p", "p", OUT_COUNT, CALL(p)},
    {"m_bytes", "m", OUT_BYTES, CALL(m_bytes)},
    {"size", "from", OUT_BYTES, CALL(size), .positive = true},
    {"run", "run", OUT_WORD, CALL(run)},
    {"verdict", "verdict", OUT_WORD, SHOWN(verdict)},
    {"own", "own", OUT_WORD, WAY(OWN, name)},
    {"own_text", "own", OUT_WORD, SHOWN(own)},
    {"own_algorithm", "its plan", OUT_WORD, WAY(OWN, algorithm)},
    {"own_segment", "segment", OUT_BYTES, WAY(OWN, segment_bytes), .positive = true},
    {"own_s", "own time", OUT_SECONDS, WAY(OWN, time_s)},
    {"own_low_s", "from", OUT_SECONDS, WAY(OWN, low_s)},
    {"own_high_s", "to", OUT_SECONDS, WAY(OWN, high_s)},
    {"like", "like", OUT_WORD, WAY(LIKE, name)},
    {"choice", "choice", OUT_WORD, WAY(CHOICE, name)},
    {"choice_text", "choice", OUT_WORD, SHOWN(choice)},
    {"algorithm", "its plan", OUT_WORD, WAY(CHOICE, algorithm)},
    {"radix", "radix", OUT_COUNT, WAY(CHOICE, radix), .positive = true},
    {"blocks", "blocks", OUT_COUNT, WAY(CHOICE, n), .positive = true},
    {"segment", "segment", OUT_BYTES, WAY(CHOICE, segment_bytes), .positive = true},
    {"time_s", "time", OUT_SECONDS, WAY(CHOICE, time_s)},
    {"low_s", "from", OUT_SECONDS, WAY(CHOICE, low_s)},
    {"high_s", "to", OUT_SECONDS, WAY(CHOICE, high_s)},
    {"interval_text", "interval", OUT_WORD, SHOWN(interval)},
    {"source", "source", OUT_WORD, SHOWN(source)},
    {"next_best", "next best", OUT_WORD, WAY(NEXT_BEST, name)},
    {"next_best_blocks", "blocks", OUT_COUNT, WAY(NEXT_BEST, n), .positive = true},
    {"next_best_s", "time", OUT_SECONDS, WAY(NEXT_BEST, time_s)},
    {"lead", "lead", OUT_RATIO, CALL(lead)},
    {"tie", "tie", OUT_WORD, CALL(tie)},
    {"gain", "gain", OUT_RATIO, CALL(gain)},
    {"cause", "wrong", OUT_WORD, SHOWN(cause)},
    {"cliff", "border", OUT_WORD, SHOWN(cliff)},
    {"beyond", "faster elsewhere", OUT_WORD, WAY(BEYOND, name)},
    {"beyond_s", "time", OUT_SECONDS, WAY(BEYOND, time_s)},
    {"bound_s", "bound", OUT_SECONDS, CALL(bound.time_s)},
    {"of_bound", "of bound", OUT_RATIO, CALL(of_bound)},
    {"limit", "limited by", OUT_WORD, SHOWN(limit)},
};

static const struct out_column *find_column(const struct out_column list[], size_t count,
                                            const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i].name) == length && strncmp(list[i].name, name, length) == 0)
            return &list[i];
    return NULL;
}

size_t decide_columns(const struct decide_table *table, const char *words,
                      struct out_column chosen[DECIDE_MOST_COLUMNS])
{
    size_t count = 0;
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " /");
        const struct out_column *found = find_column(table->own, table->own_width, words, length);
        if (found == NULL)
            found = find_column(columns, OUT_COUNT_OF(columns), words, length);
        assert(found != NULL && count < MOST_OWN);
        chosen[count] = *found;
        if (length > 5 && strncmp(words + length - 5, "_text", 5) == 0)
            chosen[count].name = NULL;
        words += length;
        if (*words == '/') {
            chosen[count].less = words[1] == '!' ? OUT_KEPT : words[1] - '0';
            words += 2;
        }
        count++;
    }
    return count;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* "chains, radix 4, segments of 64KiB"; of no way, or one without a name, "". Returns the text. */
static const char *describe(const struct decide_way *way, char text[DESCRIBED])
{
    char segment[40] = "", radix[40] = "", bytes[24];
    text[0] = '\0';
    if (way == NULL || way->name == NULL)
        return text;
    if (way->radix > 0)
        snprintf(radix, sizeof radix, ", radix %" PRId32, way->radix);
    if (way->segment_bytes > 0)
        snprintf(segment, sizeof segment, ", segments of %s",
                 sup_format_shown(way->segment_bytes, bytes, sizeof bytes));
    snprintf(text, DESCRIBED, "%.60s%s%s", way->name, radix, segment);
    return text;
}

/* The part of the machine that sets the bound, as users call it; NULL: none is known. */
static const char *limit_of(const struct point_bound *bound)
{
    return strcmp(bound->part, "latency") == 0 ? "start-ups"
           : strcmp(bound->part, "host") == 0  ? "the nodes' NIC"
           : strcmp(bound->part, "rank") == 0  ? "a rank's port"
           : strcmp(bound->part, "root") == 0  ? "the root's port"
           : bound->part[0] == '\0'            ? NULL
                                               : bound->part;
}

/* "9.98..48.4 us", "980 ns..1.2 us"; of no interval "". */
static void show_interval(const struct decide_way *way, char interval[48])
{
    char low[32], high[32];
    interval[0] = '\0';
    if (way == NULL || !(way->low_s >= 0) || !(way->high_s >= 0))
        return;
    sup_format_seconds(way->low_s, low, sizeof low);
    sup_format_seconds(way->high_s, high, sizeof high);
    char *unit = strchr(low, ' ');
    const char *units = strchr(high, ' ');
    if (unit != NULL && units != NULL && strcmp(unit, units) == 0)
        *unit = '\0';
    snprintf(interval, 48, "%.22s..%.22s", low, high);
}

static void show(const struct decide_call *call, struct shown *shown)
{
    show_interval(call->choice, shown->interval);
    const struct decide_way *own = call->own_known ? &call->own : call->like;
    const bool like = !call->own_known && own != NULL;
    snprintf(shown->own, sizeof shown->own, "%s%s", like ? "as " : "",
             describe(own, shown->choice));
    describe(call->choice, shown->choice);
    decide_cliff_text(call, shown->cliff);
    shown->verdict = decide_verdict_names[call->verdict];
    shown->cause = decide_cause_names[call->cause];
    shown->source =
        decide_source_names[call->choice == NULL ? DECIDE_UNTIMED : call->choice->source];
    shown->limit = limit_of(&call->bound);
}

static void cells_of(const struct out_table *shown_table, const struct decide_row *row,
                     struct shown *shown, union out_cell cells[])
{
    const void *structs[DECIDE_BASES] = {[DECIDE_PLACE] = row->place,
                                         [DECIDE_CALL] = row->call,
                                         [DECIDE_ITSELF] = row->itself,
                                         [DECIDE_ITSELF_MORE] = row->more};
    if (row->call != NULL) {
        const struct decide_call *call = row->call;
        show(call, shown);
        structs[DECIDE_SHOWN] = shown;
        structs[DECIDE_CALL_MORE] = call->more;
        structs[DECIDE_OWN] = call->has_own ? &call->own : NULL;
        structs[DECIDE_CHOICE] = call->choice;
        structs[DECIDE_CHOICE_MORE] = call->choice == NULL ? NULL : call->choice->more;
        structs[DECIDE_NEXT_BEST] = call->next_best;
        structs[DECIDE_LIKE] = call->like;
        structs[DECIDE_BEYOND] = call->beyond;
    }
    out_cells(shown_table, structs, cells);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void drop_least(struct out_table *sized, struct out_column list[])
{
    size_t least = 0;
    for (size_t i = 1; i < sized->width; i++)
        if (list[i].less >= list[least].less)
            least = i;
    sized->width--;
    memmove(list + least, list + least + 1, (sized->width - least) * sizeof *list);
}

/* Sizes columns to what they hold, and leaves those out that hold nothing. */
static void size_columns(const struct decide_table *table, struct out_table *sized,
                         struct out_column list[])
{
    union out_cell cells[MOST_OWN];
    struct shown shown;
    char buffer[OUT_CELL_SIZE];
    bool any[MOST_OWN] = {false};
    size_t kept = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const struct decide_row this_row = table->row(table->context, row);
        cells_of(sized, &this_row, &shown, cells);
        for (size_t i = 0; i < sized->width; i++) {
            const char *text = out_cell_text(&list[i], cells[i], buffer);
            any[i] = any[i] || strcmp(text, "-") != 0;
            if ((int)strlen(text) > list[i].width)
                list[i].width = (int)strlen(text);
        }
    }
    for (size_t i = 0; i < sized->width; i++) {
        const char *lower = strrchr(list[i].heading, '\n');
        const int least = (int)strlen(lower == NULL ? list[i].heading : lower + 1);
        list[i].width = list[i].width > least ? list[i].width : least;
        if (list[i].kind == OUT_WORD)
            list[i].width = -list[i].width;
        if (any[i])
            list[kept++] = list[i];
    }
    sized->width = kept;
    sized->silent = table->most > 0;
    while (table->most > 0 && sized->width > table->most)
        drop_least(sized, list);
}

static void print_setting(const struct decide_place *place, FILE *stream)
{
    char text[512];
    out_text_wrapped(0, 2,
                     place == NULL ? "All of these settings together"
                                   : decide_setting_text(place->setting, text, sizeof text),
                     stream);
}

void decide_table_text(const struct decide_table *table, FILE *stream)
{
    struct out_column list[MOST_OWN];
    struct out_table sized = {list, .width = decide_columns(table, table->text, list), .gap = 2,
                              .indent = 2};
    union out_cell cells[MOST_OWN];
    struct shown shown;
    const struct decide_place *place = NULL;
    size_columns(table, &sized, list);
    for (size_t i = 0; i < table->rows; i++) {
        const struct decide_row row = table->row(table->context, i);
        if (i == 0 || (table->settings && row.place != place)) {
            fputc('\n', stream);
            if (table->settings)
                print_setting(row.place, stream);
            out_text_heading(&sized, stream);
        }
        place = row.place;
        cells_of(&sized, &row, &shown, cells);
        out_text_row(&sized, cells, stream);
    }
}

static void html_cell(const char *element, const struct out_column *column, const char *text,
                      FILE *stream)
{
    fprintf(stream, "<%s%s>", element, column->kind == OUT_WORD ? " class=\"word\"" : "");
    out_html_text(text, stream);
    fprintf(stream, "</%s>", element);
}

void decide_table_html(const struct decide_table *table, FILE *stream)
{
    struct out_column list[MOST_OWN];
    struct out_table sized = {list, .width = decide_columns(table, table->text, list)};
    union out_cell cells[MOST_OWN];
    struct shown shown;
    char buffer[OUT_CELL_SIZE];
    size_columns(table, &sized, list);
    fputs("<div class=\"rows\"><table><thead><tr>", stream);
    for (size_t i = 0; i < sized.width; i++)
        html_cell("th", &list[i], list[i].heading, stream);
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t row = 0; row < table->rows; row++) {
        const struct decide_row this_row = table->row(table->context, row);
        cells_of(&sized, &this_row, &shown, cells);
        fputs("<tr>", stream);
        for (size_t i = 0; i < sized.width; i++)
            html_cell("td", &list[i], out_cell_text(&list[i], cells[i], buffer), stream);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

/* A row's columns and cells; those of its setting stand first. */
struct line {
    struct out_column columns[MOST_COLUMNS];
    union out_cell cells[MOST_COLUMNS];
    struct out_table table, rest; /* of all columns; of those behind the setting's */
    struct shown shown;
};

static size_t setting_columns(const struct point_parameter *const parameters[], size_t count,
                              struct out_column settings[])
{
    for (size_t i = 0; i < count; i++)
        settings[i] = (struct out_column){
            parameters[i]->column, .kind = parameters[i]->type == POINT_TEXT ? OUT_WORD : OUT_WHOLE,
            .optional = true};
    return count;
}

/* For all settings together only the platform has a value, "all". */
static void setting_cells(const struct point_parameter *const parameters[], size_t count,
                          const struct point *setting, union out_cell cells[])
{
    for (size_t i = 0; i < count; i++)
        if (parameters[i]->type != POINT_TEXT)
            cells[i].whole = setting != NULL ? point_number(setting, parameters[i]) : INT64_MIN;
        else
            cells[i].word = setting != NULL ? point_text(setting, parameters[i])
                            : parameters[i] == &point_parameters[POINT_PLATFORM] ? "all"
                                                                                 : NULL;
}

static void begin_lines(const struct decide_table *table, struct line *line)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const size_t count = table->settings ? (size_t)point_setting(parameters) : 0;
    const size_t first = setting_columns(parameters, count, line->columns);
    const size_t width = decide_columns(table, table->data, line->columns + first);
    line->table = (struct out_table){line->columns, .width = first + width};
    line->rest = (struct out_table){line->columns + first, .width = width};
}

static void fill_line(const struct decide_table *table, size_t i, struct line *line)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const struct decide_row row = table->row(table->context, i);
    const size_t count = table->settings ? (size_t)point_setting(parameters) : 0;
    setting_cells(parameters, count, row.place == NULL ? NULL : row.place->setting, line->cells);
    cells_of(&line->rest, &row, &line->shown, line->cells + count);
}

void decide_table_csv(const struct decide_table *table, FILE *stream)
{
    struct line line;
    begin_lines(table, &line);
    out_csv_heading(&line.table, stream);
    for (size_t i = 0; i < table->rows; i++) {
        fill_line(table, i, &line);
        out_csv_row(&line.table, line.cells, stream);
    }
}

void decide_table_rows(const struct decide_table *table, FILE *stream, json_t *head,
                       const char *name)
{
    struct line line;
    struct out_json_rows rows;
    begin_lines(table, &line);
    out_json_rows_begin(&rows, stream, head, name);
    for (size_t i = 0; i < table->rows; i++) {
        fill_line(table, i, &line);
        out_json_rows_add(&rows, out_json_row(&line.table, line.cells));
    }
    out_json_rows_end(&rows);
}

json_t *decide_table_json(const struct decide_table *table)
{
    struct line line;
    json_t *rows = json_array();
    begin_lines(table, &line);
    for (size_t i = 0; i < table->rows; i++) {
        fill_line(table, i, &line);
        json_array_append_new(rows, out_json_row(&line.table, line.cells));
    }
    return rows;
}
