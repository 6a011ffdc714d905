/* csv.c - tables with a heading: PICO's results, those of `roundabout measure collectives`, and any
 * other with columns for the machine, the ranks, the collective, the algorithm, the size and the
 * time.
 *
 * Columns are found by name; the list below has the names that are known, the best first. A name of
 * a time ends with its unit: median_s, avg_us, time [ms]. Commas, semicolons or tabs separate
 * values, and quotes (RFC 4180) protect them; a quoted value may not contain a line end. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "experiments/rows/format.h"
#include "roundabout.h"
#include "support/units.h"

enum kind { TEXT, NODES, COUNT, RANK_COUNT, ELEMENT, SIZE, TIME };

enum role {
    SYSTEM,
    TEST,
    LIBRARY,
    LIBRARY_VERSION,
    COLLECTIVE,
    ALGORITHM,
    NOTES,
    OVERLAP,
    COUNTS,
    NODE_COUNT,
    PER_NODE,
    RANKS,
    RADIX,
    INTERFACES,
    ROOT,
    SEGMENT,
    BLOCKS,
    RUNS,
    DATATYPE,
    ELEMENT_BYTES,
    BUFFER_BYTES,
    ALL_BYTES,
    BLOCK_BYTES,
    MINIMUM,
    P10,
    MEDIAN,
    P90,
    CI_LOW,
    CI_HIGH,
    ROLES
};

enum { MOST_NAMES = 8 };

struct column {
    enum kind kind;
    size_t at;                    /* in a draft */
    const char *name[MOST_NAMES]; /* a better one first; times without their unit */
};

#define AT(member) offsetof(struct rows_draft, member)
static const struct column columns[ROLES] = {
    [SYSTEM] = {TEXT, AT(system), {"system", "machine", "cluster", "host"}},
    [TEST] = {TEXT, AT(test), {"test", "job", "run", "allocation", "timestamp"}},
    [LIBRARY] = {TEXT, AT(library), {"library", "mpi", "mpi_lib"}},
    [LIBRARY_VERSION] = {TEXT,
                         AT(library_version),
                         {"library_version", "mpi_library", "mpi_version"}},
    [COLLECTIVE] = {TEXT, AT(collective), {"collective", "operation", "coll"}},
    [ALGORITHM] = {TEXT, AT(name), {"algorithm", "algo", "algorithm_name"}},
    [NOTES] = {TEXT, AT(notes), {"notes", "comment", "label"}},
    [OVERLAP] = {TEXT, AT(overlap), {"progress", "overlap"}},
    [COUNTS] = {TEXT, AT(counts), {"counts"}},
    [NODE_COUNT] = {NODES, AT(nodes), {"nodes", "nnodes", "num_nodes", "hosts"}},
    [PER_NODE] = {RANK_COUNT,
                  AT(ranks_per_node),
                  {"ranks_per_node", "ppn", "tasks_per_node", "processes_per_node",
                   "procs_per_node"}},
    [RANKS] = {RANK_COUNT,
               AT(p),
               {"p", "ranks", "processes", "procs", "nprocs", "np", "comm_size"}},
    [RADIX] = {RANK_COUNT, AT(radix), {"radix"}},
    [INTERFACES] = {RANK_COUNT, AT(interfaces), {"interfaces"}},
    [ROOT] = {RANK_COUNT, AT(root), {"root"}},
    [SEGMENT] = {COUNT, AT(segment_bytes), {"segment_bytes", "segment_size", "segsize"}},
    [BLOCKS] = {COUNT, AT(n), {"n", "blocks"}},
    [RUNS] = {COUNT, AT(runs), {"iterations", "repetitions", "runs"}},
    [DATATYPE] = {ELEMENT, AT(element_bytes), {"datatype"}},
    [ELEMENT_BYTES] = {COUNT, AT(element_bytes), {"element_bytes"}},
    [BUFFER_BYTES] = {SIZE,
                      AT(size),
                      {"bytes", "message_bytes", "message_size", "msg_size", "size_bytes", "size",
                       "buffer_size"}},
    [ALL_BYTES] = {SIZE, AT(size), {"m_bytes"}},
    [BLOCK_BYTES] = {SIZE, AT(size), {"block_bytes", "bytes_per_rank"}},
    [MINIMUM] = {TIME, AT(min_s), {"min", "time_min", "t_min", "minimum"}},
    [P10] = {TIME, AT(p10_s), {"p10"}},
    [MEDIAN] = {TIME,
                AT(median_s),
                {"median", "time_median", "time", "t", "latency", "avg", "mean"}},
    [P90] = {TIME, AT(p90_s), {"p90"}},
    [CI_LOW] = {TIME, AT(ci_low_s), {"ci_low"}},
    [CI_HIGH] = {TIME, AT(ci_high_s), {"ci_high"}},
};

/* What a heading's column is. */
struct field {
    enum role role; /* ROLES: a column that is not read */
    int rank;       /* of its name in the role's list */
    double unit_s;  /* of a time */
};

enum { MOST_FIELDS = 256, MOST_LETTERS = 64 };

struct table {
    char separator;
    struct field field[MOST_FIELDS];
    int fields;
    bool given[ROLES];
    bool measure; /* of `roundabout measure`: `test` is the kind of test, a job is a row's host */
};

/* ---- The heading ----------------------------------------------------------------------------- */

/* "Time [us]", "time_us", "avg (us)": takes the unit off a name; 0: it has none. */
static double cut_unit(char *name)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9},        {"usec", 1e-6}, {"us", 1e-6},
                 {"\xc2\xb5s", 1e-6}, {"msec", 1e-3}, {"ms", 1e-3},
                 {"seconds", 1},      {"sec", 1},     {"s", 1}};
    size_t length = strlen(name);
    while (length > 0 && strchr(")]_ ", name[length - 1]) != NULL)
        name[--length] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t tail = strlen(units[i].unit);
        if (length > tail + 1 && strcmp(name + length - tail, units[i].unit) == 0 &&
            strchr("([_ ", name[length - tail - 1]) != NULL) {
            length -= tail;
            while (length > 0 && strchr("([_ ", name[length - 1]) != NULL)
                length--;
            name[length] = '\0';
            return units[i].seconds;
        }
    }
    return 0;
}

/* Lower case, with underscores for blanks and dashes. */
static void normalize(const char *text, char name[MOST_LETTERS])
{
    size_t length = 0;
    for (; *text != '\0' && length < MOST_LETTERS - 1; text++)
        name[length++] = *text == ' ' || *text == '-' ? '_' : (char)tolower((unsigned char)*text);
    name[length] = '\0';
}

static struct field identify(const char *heading)
{
    char name[MOST_LETTERS], time[MOST_LETTERS];
    normalize(heading, name);
    strcpy(time, name);
    const double unit_s = cut_unit(time);
    for (int role = 0; role < ROLES; role++)
        for (int i = 0; i < MOST_NAMES && columns[role].name[i] != NULL; i++) {
            const bool is_time = columns[role].kind == TIME;
            if (strcmp(is_time ? time : name, columns[role].name[i]) == 0)
                return (struct field){(enum role)role, i, unit_s};
        }
    return (struct field){.role = ROLES};
}

static char separator_of(const char *line)
{
    return strchr(line, ',') != NULL ? ',' : strchr(line, ';') != NULL ? ';' : '\t';
}

/* Enters a heading's column. Of two columns for one role the one with the better name is read;
 * false: both have the same name. */
static bool enter(struct table *table, const char *name)
{
    struct field now = identify(name);
    bool once = true;
    if (now.role != ROLES && columns[now.role].kind == TIME && now.unit_s == 0 &&
        now.role != MEDIAN)
        now.role = ROLES;
    for (int i = 0; i < table->fields && now.role != ROLES; i++) {
        struct field *before = &table->field[i];
        if (before->role != now.role)
            continue;
        once = once && before->rank != now.rank;
        if (before->rank <= now.rank)
            now.role = ROLES;
        else
            before->role = ROLES;
    }
    table->field[table->fields++] = now;
    return once;
}

/* The roles without which there are no rows. */
static int check_roles(const struct rows_file *file, const struct table *table)
{
    const bool *given = table->given;
    const struct rows_draft *said = &file->said;
    const char *option = file->defaults->ranks_option;
    const bool said_by_option = option != NULL && strcmp(option, "-p") == 0;
    const struct {
        bool missing;
        const char *what;
    } needed[] = {
        {!given[SYSTEM] && said->system == NULL && file->defaults->unnamed == NULL,
         "system (or --machine)"},
        {!given[COLLECTIVE], "collective"},
        {!given[ALGORITHM] && said->name == NULL && file->defaults->unnamed_algorithm == NULL,
         "algorithm"},
        {!given[NODE_COUNT] && !given[RANKS] && said->p == 0 && said->nodes == 0 &&
             file->defaults->unnamed_p == 0,
         said_by_option ? "nodes or p (or -p)" : "nodes or p"},
        {!given[BUFFER_BYTES] && !given[ALL_BYTES] && !given[BLOCK_BYTES], "bytes"},
        {!given[MEDIAN], "median_s"},
    };
    char missing[200] = "";
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i].missing)
            sup_append(missing, sizeof missing, ", ", "%s", needed[i].what);
    return *missing == '\0' ? RB_OK : rows_wrong(file, "missing columns: %s", missing);
}

static int read_heading(struct rows_file *file, struct table *table)
{
    char *name[MOST_FIELDS];
    bool settled = false;
    table->separator = separator_of(file->lines.line);
    const int32_t count = sup_csv_split(file->lines.line, table->separator, name, MOST_FIELDS);
    if (count < 0)
        return rows_wrong(file, "name of column %d: wrong quotes", -count);
    if (count > MOST_FIELDS)
        return rows_wrong(file, "more than %d columns", MOST_FIELDS);
    for (int32_t i = 0; i < count; i++) {
        settled = settled || strcmp(name[i], "settled") == 0;
        if (!enter(table, name[i]))
            return rows_wrong(file, "column %.40s is there twice", name[i]);
    }
    for (int i = 0; i < table->fields; i++) {
        const struct field *field = &table->field[i];
        if (field->role == ROLES)
            continue;
        table->given[field->role] = true;
        if (field->role == MEDIAN && field->unit_s == 0)
            return rows_wrong(file,
                              "column %d is a time without a unit: name it median_s, "
                              "median_ms or median_us",
                              i + 1);
    }
    table->measure = settled && table->given[TEST] && table->given[ALL_BYTES];
    for (int32_t i = 0; i < count && table->measure; i++) /* `nodes` are names, of a Slurm job */
        if (strcmp(name[i], "nodes") == 0)
            table->field[i].role = ROLES;
        else if (strcmp(name[i], "hosts") == 0)
            table->field[i] = (struct field){.role = NODE_COUNT};
    return check_roles(file, table);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int64_t element_bytes(const char *datatype)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } types[] = {{"int32", 4},  {"float", 4},   {"int", 4},   {"float32", 4}, {"int64", 8},
                 {"double", 8}, {"float64", 8}, {"int16", 2}, {"uint32", 4},  {"uint64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(datatype, types[i].name) == 0)
            return types[i].bytes;
    return 1;
}

static bool is_absent(const char *value)
{
    static const char *const words[] = {"", "null", "NA", "N/A", "n/a", "none", "None", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0)
            return true;
    return false;
}

static void *place_of(struct rows_draft *draft, const struct column *column)
{
    return (char *)draft + column->at;
}

static int read_time(const struct rows_file *file, const struct field *field, const char *value,
                     struct rows_draft *draft)
{
    const struct column *column = &columns[field->role];
    double time;
    if (strcasecmp(value, "nan") == 0)
        return RB_OK;
    if (sup_parse_real(value, &time, NULL) != RB_OK || time < 0)
        return rows_wrong(file, "%s: \"%.40s\" is not a time of 0 or more",
                          column->name[field->rank], value);
    *(double *)place_of(draft, column) = time * field->unit_s;
    return RB_OK;
}

static int read_value(const struct rows_file *file, const struct field *field, const char *value,
                      struct rows_draft *draft)
{
    const struct column *column = &columns[field->role];
    const char *name = column->name[field->rank];
    bool torus;
    if (is_absent(value))
        return RB_OK;
    switch (column->kind) {
    case TEXT:
        *(const char **)place_of(draft, column) = value;
        return RB_OK;
    case ELEMENT:
        draft->element_bytes = element_bytes(value);
        return RB_OK;
    case NODES:
        if (!rows_parse_nodes(value, &draft->nodes, &torus))
            return rows_wrong(file, "%s: \"%.40s\" is not a number of nodes, such as 8 or 2x2x2",
                              name, value);
        if (torus)
            draft->shape = value;
        return RB_OK;
    case COUNT:
    case RANK_COUNT:
        return sup_parse_int(value, 0, column->kind == COUNT ? INT64_MAX : RB_MAX_RANKS,
                             place_of(draft, column), NULL) == RB_OK
                   ? RB_OK
                   : rows_wrong(file, "%s: \"%.40s\" is not a whole number from 0", name, value);
    case SIZE:
        draft->size_of = field->role == ALL_BYTES     ? ROWS_OF_ALL
                         : field->role == BLOCK_BYTES ? ROWS_OF_BLOCK
                                                      : ROWS_OF_BUFFER;
        return sup_parse_bytes(value, &draft->size, NULL) == RB_OK
                   ? RB_OK
                   : rows_wrong(file, "%s: \"%.40s\" is not a number of bytes", name, value);
    case TIME:
        return read_time(file, field, value, draft);
    }
    return RB_OK;
}

static int read_row(struct rows_file *file, const struct table *table)
{
    struct rows_draft draft = rows_empty_draft();
    char *value[MOST_FIELDS];
    const int32_t count = sup_csv_split(file->lines.line, table->separator, value, table->fields);
    if (count < 0)
        return rows_wrong(file, "value %d: wrong quotes", -count);
    if (count != table->fields)
        return rows_wrong(file, "%s values than the heading has names (%d)",
                          count > table->fields ? "more" : "fewer", table->fields);
    for (int i = 0; i < count; i++) {
        const int status = table->field[i].role == ROLES
                               ? RB_OK
                               : read_value(file, &table->field[i], value[i], &draft);
        if (status != RB_OK)
            return status;
    }
    if (table->measure) {
        const bool collective = draft.test != NULL && strcmp(draft.test, "collective") == 0;
        draft.test = NULL;
        if (!collective) {
            rows_leave(file, ROWS_NO_COLLECTIVE, NULL);
            return RB_OK;
        }
    }
    if (draft.counts != NULL && strcmp(draft.counts, "regular") != 0) {
        rows_leave(file, ROWS_IRREGULAR, draft.counts);
        return RB_OK;
    }
    char ruled[MOST_LETTERS]; /* what rules made the library take, by the label of a trial */
    file->own_names = table->measure;
    if (table->measure && draft.notes != NULL &&
        sscanf(draft.notes, "rules %*s %*s %63s %" SCNd64, ruled, &draft.segment_bytes) == 2) {
        draft.name = ruled;
        file->own_names = false;
    }
    return rows_add(file, &draft);
}

int rows_csv_columns(const char *line)
{
    enum { LONGEST = 8192 };
    char copy[LONGEST], *name[MOST_FIELDS];
    int known = 0;
    if (strlen(line) >= sizeof copy)
        return 0;
    strcpy(copy, line);
    const int32_t count = sup_csv_split(copy, separator_of(line), name, MOST_FIELDS);
    for (int i = 0; i < count && i < MOST_FIELDS; i++)
        known += identify(name[i]).role != ROLES;
    return known;
}

/* A heading has at least three columns that are known. */
static bool recognises(const char *line)
{
    enum { LEAST = 3 };
    return rows_csv_columns(line) >= LEAST;
}

static int read_(struct rows_file *file)
{
    struct table table = {.fields = 0};
    int status = read_heading(file, &table);
    while (status == RB_OK && rows_next_line(file))
        if (file->lines.line[strspn(file->lines.line, " \t")] != '\0')
            status = read_row(file, &table);
    return status;
}

const struct rows_format rows_csv = {.name = "CSV", .recognises = recognises, .read = read_};
