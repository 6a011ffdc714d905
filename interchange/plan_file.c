/* plan_file.c - the files that `roundabout plan` writes with --format csv and json, or that others
 * write in these forms (docs/formats.md): a row per block.
 *
 * A csv file's first line names the columns, in any order. A json file is an object; its last
 * member is the array of rows, which are objects of numbers, short words without escapes, and null.
 * They are not made values of a library first, because there may be millions. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "interchange/interchange.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- Columns --------------------------------------------------------------------------------- */

enum column {
    ROUND,
    RANK,
    OP,
    PEER,
    BUFFER,
    OWNER,
    INDEX,
    REQUIRED, /* those before it, in every row */
    PORT = REQUIRED,
    FROM_BUFFER,
    FROM_OWNER,
    FROM_INDEX,
    LEFT,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    [ROUND] = "round",
    [RANK] = "rank",
    [OP] = "op",
    [PEER] = "peer",
    [BUFFER] = "buffer",
    [OWNER] = "owner",
    [INDEX] = "index",
    [PORT] = "port",
    [FROM_BUFFER] = "from_buffer",
    [FROM_OWNER] = "from_owner",
    [FROM_INDEX] = "from_index",
    [LEFT] = "left",
};

struct row {
    struct inter_plan *plan;
    int32_t line;
    const char *cell[COLUMNS]; /* "": none */
};

static int find_column(const char *name)
{
    int column = 0;
    while (column < COLUMNS && strcmp(column_names[column], name) != 0)
        column++;
    return column;
}

/* The place of a column's word in a list; -1, complaining: it is not there. */
static int read_word(const struct row *row, enum column column, const char *const words[],
                     size_t count)
{
    char hint[SUP_HINT_SIZE], all[64] = "there are ";
    for (size_t i = 0; i < count; i++)
        if (strcmp(row->cell[column], words[i]) == 0)
            return (int)i;
    for (size_t i = 0; i < count; i++)
        sup_append(all, sizeof all, i == 0 ? "" : ", ", "%s", words[i]);
    inter_fail(row->plan, row->line, "%s: \"%s\": %s", column_names[column], row->cell[column],
               sup_hint(row->cell[column], words, count, all, hint));
    return -1;
}

/* A whole number in 0 .. most; -1, complaining: it is none. */
static int64_t read_number(const struct row *row, enum column column, int64_t most)
{
    const char *at = row->cell[column];
    int64_t value = 0;
    while (*at >= '0' && *at <= '9' && value <= most)
        value = value <= INT64_MAX / 10 - 1 ? 10 * value + (*at++ - '0') : INT64_MAX;
    if (*at == '\0' && at != row->cell[column] && value <= most)
        return value;
    inter_fail(row->plan, row->line, "%s: \"%s\" is not a whole number in 0..%" PRId64,
               column_names[column], row->cell[column], most);
    return -1;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool read_range(const struct row *row, enum column buffer, enum column owner,
                       enum column index, struct rb_range *range)
{
    static const char *const buffers[] = {[RB_SRC] = "src", [RB_DST] = "dst", [RB_TMP] = "tmp"};
    const int place = read_word(row, buffer, buffers, RB_BUFFERS);
    if (place < 0)
        return false;
    *range = (struct rb_range){.buffer = (enum rb_buffer)place, .count = 1};
    range->owner = (int32_t)read_number(row, owner, INT32_MAX);
    if (range->owner >= 0)
        range->first = read_number(row, index, INT32_MAX);
    return range->owner >= 0 && range->first >= 0;
}

/* A word that names an operation with its peer: a reduction with itself is local. */
static bool read_kind(const struct row *row, int64_t rank, struct rb_op *op)
{
    static const char *const words[] = {"send", "recv", "reduce", "copy"};
    static const enum rb_op_kind kinds[] = {RB_SEND, RB_RECV, RB_RECV_REDUCE, RB_COPY};
    const int word = read_word(row, OP, words, sizeof words / sizeof words[0]);
    if (word < 0 || (op->peer = (int32_t)read_number(row, PEER, INT32_MAX)) < 0)
        return false;
    op->kind = kinds[word] == RB_RECV_REDUCE && op->peer == rank ? RB_REDUCE : kinds[word];
    return true;
}

/* The operand on the left; without a word the one in place. */
static bool read_left(const struct row *row, struct rb_op *op)
{
    static const char *const words[] = {"present", "incoming"};
    if (row->cell[LEFT][0] == '\0')
        return true;
    const int left = read_word(row, LEFT, words, 2);
    op->incoming_is_left = left == 1;
    return left >= 0;
}

static int add_row(const struct row *row)
{
    struct rb_op op = {0};
    for (int column = 0; column < REQUIRED; column++)
        if (row->cell[column][0] == '\0')
            return inter_fail(row->plan, row->line, "%s: missing", column_names[column]);
    const int64_t round = read_number(row, ROUND, INT32_MAX);
    const int64_t rank = round < 0 ? -1 : read_number(row, RANK, INT32_MAX);
    if (rank < 0 || !read_kind(row, rank, &op) || !read_range(row, BUFFER, OWNER, INDEX, &op.at) ||
        !read_left(row, &op))
        return RB_EINVAL;
    if (row->cell[PORT][0] != '\0' && (op.port = (int32_t)read_number(row, PORT, INT32_MAX)) < 0)
        return RB_EINVAL;
    if ((op.kind == RB_COPY || op.kind == RB_REDUCE) &&
        !read_range(row, FROM_BUFFER, FROM_OWNER, FROM_INDEX, &op.from))
        return RB_EINVAL;
    return inter_add(row->plan, row->line, round, rank, &op);
}

/* ---- csv ------------------------------------------------------------------------------------- */

enum { MOST_FIELDS = 64, MOST_HEADER = 1 << 20 };

/* The values of the current line; complains unless there are 1 to MOST_FIELDS. */
static int32_t split(const struct sup_lines *lines, const struct inter_plan *plan,
                     char *value[MOST_FIELDS])
{
    const int32_t count = sup_csv_split(lines->line, ',', value, MOST_FIELDS);
    if (count < 0)
        inter_fail(plan, lines->at, "value %" PRId32 ": wrong quotes", -count);
    else if (count > MOST_FIELDS)
        inter_fail(plan, lines->at, "more than %d values", MOST_FIELDS);
    return count > MOST_FIELDS ? -1 : count;
}

/* The place of each column among a line's values. */
static int read_heading(const struct inter_plan *plan, char *const name[], int32_t count,
                        int32_t place[COLUMNS])
{
    for (int column = 0; column < COLUMNS; column++)
        place[column] = -1;
    for (int32_t i = 0; i < count; i++) {
        const int column = find_column(name[i]);
        if (column < COLUMNS && place[column] >= 0)
            return inter_fail(plan, 1, "the column %s for a second time", name[i]);
        if (column < COLUMNS)
            place[column] = i;
    }
    for (int column = 0; column < REQUIRED; column++)
        if (place[column] < 0)
            return inter_fail(plan, 1, "the column %s is missing", column_names[column]);
    return RB_OK;
}

static int read_csv(struct sup_lines *lines, struct inter_plan *plan)
{
    char *value[MOST_FIELDS];
    int32_t place[COLUMNS];
    const int32_t columns = sup_lines_next(lines) ? split(lines, plan, value) : 0;
    int status = columns < 0 ? RB_EINVAL : read_heading(plan, value, columns, place);
    while (status == RB_OK && sup_lines_next(lines)) {
        struct row row = {.plan = plan, .line = lines->at};
        if (lines->line[0] == '\0')
            continue;
        const int32_t values = split(lines, plan, value);
        if (values < 0)
            return RB_EINVAL;
        if (values != columns)
            return inter_fail(plan, row.line, "%" PRId32 " values for %" PRId32 " columns", values,
                              columns);
        for (int column = 0; column < COLUMNS; column++)
            row.cell[column] = place[column] < 0 ? "" : value[place[column]];
        status = add_row(&row);
    }
    return status;
}

/* A first line with the column `round`. */
static bool knows_csv(const char *text)
{
    const size_t length = strcspn(text, "\n");
    const char *name = strstr(text, "round");
    return memchr(text, ',', length) != NULL && name != NULL && name < text + length;
}

const struct inter_reader inter_plan_csv = {
    .title = "csv of roundabout plan",
    .knows = knows_csv,
    .read = read_csv,
};

/* ---- json ------------------------------------------------------------------------------------ */

/* Where the reading is: lines->next, in line lines->at, from 1. */
static char next_visible(struct sup_lines *lines)
{
    for (; *lines->next != '\0' && strchr(" \t\r\n", *lines->next) != NULL; lines->next++)
        lines->at += *lines->next == '\n';
    return *lines->next;
}

/* Goes past a character, if it is there. */
static bool take(struct sup_lines *lines, char wanted)
{
    const bool there = next_visible(lines) == wanted;
    lines->next += there;
    return there;
}

static int expect(struct sup_lines *lines, const struct inter_plan *plan, char wanted)
{
    return take(lines, wanted) ? RB_OK
                               : inter_fail(plan, lines->at, "'%c' is missing before \"%.12s\"",
                                            wanted, lines->next);
}

enum { CELL = 32 }; /* bytes of a name or value, with a terminating zero */

/* A text in quotes, or, if it need not be a name, a number or null, which is "". */
static int read_value(struct sup_lines *lines, const struct inter_plan *plan, bool is_name,
                      char cell[CELL])
{
    const bool quoted = take(lines, '"');
    const size_t length = strcspn(lines->next, quoted ? "\"\n\\" : ",}] \t\r\n\"");
    const bool is_null = length == 4 && memcmp(lines->next, "null", 4) == 0;
    const bool is_number = length > 0 && strspn(lines->next, "-0123456789") == length;
    const bool ends = quoted ? lines->next[length] == '"' : !is_name && (is_null || is_number);
    if (!ends || length >= CELL)
        return inter_fail(plan, lines->at, "\"%.20s\" does not begin with a %s", lines->next,
                          is_name ? "name in quotes" : "number, a short word in quotes or null");
    memcpy(cell, lines->next, length);
    cell[!quoted && is_null ? 0 : length] = '\0';
    lines->next += length + quoted;
    return RB_OK;
}

static int read_object(struct sup_lines *lines, struct inter_plan *plan)
{
    char cells[COLUMNS + 1][CELL] = {0}, name[CELL];
    bool seen[COLUMNS + 1] = {false};
    int status = expect(lines, plan, '{');
    struct row row = {.plan = plan, .line = lines->at};
    for (bool more = status == RB_OK; more; more = status == RB_OK && take(lines, ',')) {
        status = read_value(lines, plan, true, name);
        const int column = status == RB_OK ? find_column(name) : COLUMNS;
        if (column < COLUMNS && seen[column])
            return inter_fail(plan, lines->at, "%s for a second time in a row", name);
        seen[column] = true;
        if (status == RB_OK)
            status = expect(lines, plan, ':');
        if (status == RB_OK)
            status = read_value(lines, plan, false, cells[column]);
    }
    for (int column = 0; column < COLUMNS; column++)
        row.cell[column] = cells[column];
    if (status == RB_OK)
        status = expect(lines, plan, '}');
    return status == RB_OK ? add_row(&row) : status;
}

static int read_objects(struct sup_lines *lines, struct inter_plan *plan)
{
    int status = RB_OK;
    for (bool more = next_visible(lines) != ']'; more; more = status == RB_OK && take(lines, ','))
        status = read_object(lines, plan);
    return status == RB_OK ? expect(lines, plan, ']') : status;
}

/* The numbers of the header, as far as they are there. */
static int take_numbers(const struct inter_plan *plan, const json_t *root,
                        struct inter_header *header)
{
    int64_t p = 0, ports = 0, at = -1;
    const struct {
        const char *key;
        int64_t least, most, *value;
    } numbers[] = {
        {"p", 1, RB_MAX_RANKS, &p},
        {"root", 0, RB_MAX_RANKS - 1, &at},
        {"ports", 1, RB_MAX_PORTS, &ports},
        {"n", 1, RB_MAX_BLOCKS, &header->n},
        {"blocks", 1, INTER_MAX_BLOCKS, &header->blocks},
        {"rounds", 0, INT32_MAX, &header->rounds},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const json_t *member = json_object_get(root, numbers[i].key);
        const int64_t value = json_integer_value(member);
        if (member != NULL &&
            (!json_is_integer(member) || value < numbers[i].least || value > numbers[i].most))
            return inter_fail(plan, 1, "%s: not a whole number in %" PRId64 "..%" PRId64,
                              numbers[i].key, numbers[i].least, numbers[i].most);
        if (member != NULL)
            *numbers[i].value = value;
    }
    header->p = (int32_t)p;
    header->ports = (int32_t)ports;
    header->root = (int32_t)at;
    return RB_OK;
}

/* What stands before the rows, made an object of its own. */
static int read_header(struct inter_plan *plan, const char *text, size_t length)
{
    json_error_t error;
    char *object = sup_format("%.*s]}", (int)length, text);
    json_t *root = json_loads(object, JSON_REJECT_DUPLICATES, &error);
    free(object);
    if (root == NULL)
        return inter_fail(plan, error.line, "before the rows: %s", error.text);
    const char *collective = json_string_value(json_object_get(root, "collective"));
    const char *instance = json_string_value(json_object_get(root, "instance"));
    struct inter_header *header = &plan->header;
    snprintf(header->collective, sizeof header->collective, "%s",
             collective == NULL ? "" : collective);
    snprintf(header->instance, sizeof header->instance, "%s", instance == NULL ? "" : instance);
    const int status = take_numbers(plan, root, header);
    json_decref(root);
    return status;
}

static int read_json(struct sup_lines *lines, struct inter_plan *plan)
{
    static const char name[] = "\"rows\":";
    const char *text = lines->next, *rows = strstr(text, name);
    if (rows == NULL || rows - text > MOST_HEADER)
        return inter_fail(plan, 1, "no %s near the beginning of the object: no plan", name);
    const char *bracket = rows + sizeof name - 1;
    bracket += strspn(bracket, " \t\r\n");
    if (*bracket != '[')
        return inter_fail(plan, 1, "the rows are no array");
    int status = read_header(plan, text, (size_t)(bracket + 1 - text));
    for (lines->at = 1; lines->next <= bracket; lines->next++)
        lines->at += *lines->next == '\n';
    if (status == RB_OK)
        status = read_objects(lines, plan);
    if (status == RB_OK)
        status = expect(lines, plan, '}');
    if (status == RB_OK && next_visible(lines) != '\0')
        status = inter_fail(plan, lines->at, "\"%.12s\" behind the end", lines->next);
    return status;
}

static bool knows_json(const char *text)
{
    return *text == '{';
}

const struct inter_reader inter_plan_json = {
    .title = "json of roundabout plan",
    .knows = knows_json,
    .read = read_json,
};
