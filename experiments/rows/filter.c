/* filter.c - expressions that choose rows (rows.h), by recursive descent:
 *
 *   either := all { ("|" | "||" | "or") all }
 *   all    := one { ("&" | "&&" | "," | "and") one }
 *   one    := ("!" | "not") one | "(" either ")" | FIELD OPERATOR VALUE */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "experiments/point/parameters.h"
#include "experiments/rows/format.h"
#include "experiments/rows/rows.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/units.h"

enum kind { TEXT, NAME, COUNT, NODES, BYTES };

struct field {
    const char *name;
    enum kind kind;
    size_t at; /* in the row */
};

#define AT(member) offsetof(struct rows_row, member)
/* Of `algorithm` the data's name or ours may match. */
static const struct field fields[] = {
    {"system", TEXT, AT(system)},
    {"test", TEXT, AT(test)},
    {"library", TEXT, AT(library)},
    {"version", TEXT, AT(library_version)},
    {"collective", TEXT, AT(collective)},
    {"algorithm", NAME, AT(name)},
    {"transport", TEXT, AT(transport)},
    {"notes", TEXT, AT(notes)},
    {"nodes", NODES, AT(nodes)},
    {"ppn", COUNT, AT(ranks_per_node)},
    {"p", COUNT, AT(p)},
    {"interfaces", COUNT, AT(interfaces)},
    {"bytes", BYTES, AT(bytes)},
    {"m", BYTES, AT(m_bytes)},
    {"segment", BYTES, AT(segment_bytes)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

enum operator_ { LESS_EQUAL, MORE_EQUAL, NOT_EQUAL, EQUAL, LESS, MORE, LIKE, OPERATORS };
static const char *const operators[OPERATORS] = {"<=", ">=", "!=", "=", "<", ">", "~"};

enum node_kind { TERM, AND, OR, NOT };

struct node {
    enum node_kind kind;
    int32_t left, right; /* of the other kinds: numbers of nodes */
    const struct field *field;
    enum operator_ operator_;
    int64_t number;
    char *text; /* owned; NULL: a number */
};

struct rows_filter {
    struct node *node; /* owned */
    int32_t nodes, root;
};

/* ---- Parsing
 * ------------------------------------------------------------------------------------- */

struct parser {
    const char *text, *at;
    struct rows_filter *filter;
    int depth;
    struct sup_error *error;
};

static int wrong(const struct parser *parser, const char *at, const char *what)
{
    return sup_fail(parser->error, RB_EINVAL, "\"%.120s\", character %d: %s", parser->text,
                    (int)(at - parser->text) + 1, what);
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

/* Takes this sign, or this word, if it comes next. */
static bool take(struct parser *parser, const char *sign)
{
    const size_t length = strlen(sign);
    skip_blanks(parser);
    if (strncasecmp(parser->at, sign, length) != 0)
        return false;
    if (isalpha((unsigned char)*sign) &&
        (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_'))
        return false;
    parser->at += length;
    return true;
}

static int add(struct parser *parser, struct node node, int32_t *number)
{
    enum { MOST_NODES = 10000 }; /* matching recurs as deep */
    struct rows_filter *filter = parser->filter;
    if (filter->nodes == MOST_NODES) {
        free(node.text);
        return wrong(parser, parser->at, "the filter is too long");
    }
    sup_grow(&filter->node, (size_t)filter->nodes, sizeof *filter->node);
    *number = filter->nodes;
    filter->node[filter->nodes++] = node;
    return RB_OK;
}

static int parse_field(struct parser *parser, const struct field **field)
{
    const char *names[FIELDS];
    char word[40], hint[SUP_HINT_SIZE], what[240];
    skip_blanks(parser);
    const size_t length =
        strspn(parser->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (length == 0)
        return wrong(parser, parser->at,
                     "a field such as nodes, bytes or algorithm must come here");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
             parser->at);
    for (int i = 0; i < FIELDS; i++) {
        names[i] = fields[i].name;
        if (strcasecmp(word, names[i]) == 0) {
            *field = &fields[i];
            parser->at += length;
            return RB_OK;
        }
    }
    snprintf(what, sizeof what, "there is no field \"%s\": %s", word,
             sup_hint(word, names, FIELDS,
                      "the fields are system, test, library, version, collective, algorithm, "
                      "transport, notes, nodes, ppn, p, interfaces, bytes, m, segment",
                      hint));
    return wrong(parser, parser->at, what);
}

static int parse_operator(struct parser *parser, const struct field *field,
                          enum operator_ *operator_)
{
    const bool text = field->kind == TEXT || field->kind == NAME;
    skip_blanks(parser);
    for (int i = 0; i < OPERATORS; i++)
        if (strncmp(parser->at, operators[i], strlen(operators[i])) == 0) {
            *operator_ = (enum operator_)i;
            if (text && i != EQUAL && i != NOT_EQUAL && i != LIKE)
                return wrong(parser, parser->at, "a text is compared by =, != or ~");
            if (!text && i == LIKE)
                return wrong(parser, parser->at, "a number is compared by =, !=, <, <=, > or >=");
            parser->at += strlen(operators[i]);
            parser->at += *operator_ == EQUAL && *parser->at == '='; /* == */
            return RB_OK;
        }
    return wrong(parser, parser->at,
                 text ? "=, != or ~ must come here" : "=, !=, <, <=, > or >= must come here");
}

/* A value in quotes, or up to a blank or a sign. */
static int parse_word(struct parser *parser, char **word)
{
    skip_blanks(parser);
    const char *from = parser->at;
    size_t length;
    if (*from == '"' || *from == '\'') {
        const char *end = strchr(from + 1, *from);
        if (end == NULL)
            return wrong(parser, from, "this quote has no end");
        length = (size_t)(end - ++from);
        parser->at = end + 1;
    } else {
        length = strcspn(from, " \t\r\n,&|()");
        if (length == 0)
            return wrong(parser, from, "a value must come here");
        parser->at = from + length;
    }
    *word = sup_strndup(from, length);
    return RB_OK;
}

static int parse_term(struct parser *parser, int32_t *number)
{
    struct node node = {.kind = TERM};
    struct sup_error reason = {""};
    bool torus;
    int status = parse_field(parser, &node.field);
    if (status == RB_OK)
        status = parse_operator(parser, node.field, &node.operator_);
    skip_blanks(parser);
    const char *at = parser->at;
    if (status == RB_OK)
        status = parse_word(parser, &node.text);
    if (status != RB_OK)
        return status;
    if (node.field->kind == TEXT || node.field->kind == NAME)
        return add(parser, node, number);
    if (node.field->kind == BYTES)
        status = sup_parse_bytes(node.text, &node.number, &reason);
    else if (node.field->kind == COUNT)
        status = sup_parse_int(node.text, 0, INT64_MAX, &node.number, &reason);
    else if (!rows_parse_nodes(node.text, &node.number, &torus))
        status = sup_fail(&reason, RB_EINVAL,
                          "\"%.40s\" is not a number of nodes, such as 8 or 2x2x2", node.text);
    free(node.text);
    node.text = NULL;
    return status == RB_OK ? add(parser, node, number) : wrong(parser, at, reason.text);
}

static int parse_either(struct parser *parser, int32_t *number);

static int parse_one(struct parser *parser, int32_t *number)
{
    enum { MOST_DEPTH = 100 };
    struct node node = {.kind = NOT};
    skip_blanks(parser);
    if (++parser->depth > MOST_DEPTH)
        return wrong(parser, parser->at, "too many parentheses");
    int status;
    if (take(parser, "!") || take(parser, "not")) {
        status = parse_one(parser, &node.left);
        if (status == RB_OK)
            status = add(parser, node, number);
    } else if (take(parser, "(")) {
        status = parse_either(parser, number);
        if (status == RB_OK && !take(parser, ")"))
            status = wrong(parser, parser->at, "a ) must come here");
    } else {
        status = parse_term(parser, number);
    }
    parser->depth--;
    return status;
}

static int parse_all(struct parser *parser, int32_t *number)
{
    int status = parse_one(parser, number);
    while (status == RB_OK &&
           (take(parser, "&&") || take(parser, "&") || take(parser, ",") || take(parser, "and"))) {
        struct node node = {.kind = AND, .left = *number};
        status = parse_one(parser, &node.right);
        if (status == RB_OK)
            status = add(parser, node, number);
    }
    return status;
}

static int parse_either(struct parser *parser, int32_t *number)
{
    int status = parse_all(parser, number);
    while (status == RB_OK && (take(parser, "||") || take(parser, "|") || take(parser, "or"))) {
        struct node node = {.kind = OR, .left = *number};
        status = parse_all(parser, &node.right);
        if (status == RB_OK)
            status = add(parser, node, number);
    }
    return status;
}

int rows_filter_parse(const char *text, struct rows_filter **filter, struct sup_error *error)
{
    *filter = sup_calloc(1, sizeof **filter);
    struct parser parser = {.text = text, .at = text, .filter = *filter, .error = error};
    int status = parse_either(&parser, &(*filter)->root);
    skip_blanks(&parser);
    if (status == RB_OK && *parser.at != '\0')
        status = wrong(&parser, parser.at, "& or | must come here");
    if (status != RB_OK) {
        rows_filter_free(*filter);
        *filter = NULL;
    }
    return status;
}

void rows_filter_free(struct rows_filter *filter)
{
    for (int32_t i = 0; filter != NULL && i < filter->nodes; i++)
        free(filter->node[i].text);
    if (filter != NULL)
        free(filter->node);
    free(filter);
}

/* ---- Matching
 * ------------------------------------------------------------------------------------ */

bool rows_like(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
        } else if (*text == '\0') {
            return *pattern == '\0';
        } else if (*pattern == '?' ||
                   tolower((unsigned char)*pattern) == tolower((unsigned char)*text)) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++again;
        } else {
            return false;
        }
    }
}

static bool text_matches(const struct node *node, const char *text)
{
    if (node->operator_ == LIKE)
        return rows_like(node->text, text);
    return rows_same_text(node->text, text, false) ||
           (strcmp(node->field->name, "library") == 0 && sup_same_library(node->text, text));
}

static bool number_matches(const struct node *node, int64_t number)
{
    switch (node->operator_) {
    case LESS:
        return number < node->number;
    case LESS_EQUAL:
        return number <= node->number;
    case MORE:
        return number > node->number;
    case MORE_EQUAL:
        return number >= node->number;
    case NOT_EQUAL:
        return number != node->number;
    default:
        return number == node->number;
    }
}

static bool term_matches(const struct node *node, const struct rows_row *row)
{
    const char *at = (const char *)row + node->field->at;
    int32_t number;
    int64_t bytes;
    const char *text;
    bool matches;
    switch (node->field->kind) {
    case TEXT:
        memcpy(&text, at, sizeof text);
        return text_matches(node, text) == (node->operator_ != NOT_EQUAL);
    case NAME:
        matches = text_matches(node, row->name) ||
                  (row->algorithm != NULL && text_matches(node, row->algorithm));
        return matches == (node->operator_ != NOT_EQUAL);
    case BYTES:
        memcpy(&bytes, at, sizeof bytes);
        return number_matches(node, bytes);
    default:
        memcpy(&number, at, sizeof number);
        return number_matches(node, number);
    }
}

static bool matches(const struct rows_filter *filter, int32_t number, const struct rows_row *row)
{
    const struct node *node = &filter->node[number];
    switch (node->kind) {
    case AND:
        return matches(filter, node->left, row) && matches(filter, node->right, row);
    case OR:
        return matches(filter, node->left, row) || matches(filter, node->right, row);
    case NOT:
        return !matches(filter, node->left, row);
    case TERM:
        break;
    }
    return term_matches(node, row);
}

bool rows_filter_matches(const struct rows_filter *filter, const struct rows_row *row)
{
    return filter == NULL || matches(filter, filter->root, row);
}

/* ---- The rows that the options of a verb choose (rows.h) ------------------------------------- */

static bool in_list(const struct cli_args *args, const char *option, int64_t value)
{
    if (!cli_args_given(args, option))
        return true;
    const struct sup_list *list = cli_args_list(args, option);
    for (size_t i = 0; i < list->count; i++)
        if (list->value[i] == value)
            return true;
    return false;
}

bool rows_collective_is_asked(const struct cli_args *args, const char *collective)
{
    const char *const *names;
    const int32_t count = cli_args_texts(args, "collective", &names);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(names[i], collective) == 0)
            return true;
    return count == 0;
}

/* --nodes and --library choose rows where the verb's options of these names are lists of filters.
 */
static bool is_of_machine(const struct cli_args *args, const struct rows_row *row)
{
    const struct cli_option *nodes = cli_args_option(args, "nodes");
    if (nodes == NULL || nodes->type != CLI_OPT_INTS)
        return true;
    const char *library = cli_args_text(args, "library");
    return in_list(args, "nodes", row->nodes) &&
           (library == NULL || sup_same_library(row->library, library));
}

static bool is_asked(const struct cli_args *args, const struct rows_row *row)
{
    return is_of_machine(args, row) && rows_collective_is_asked(args, row->collective) &&
           in_list(args, "ranks", row->p) && in_list(args, "bytes", row->m_bytes) &&
           in_list(args, "ppn", row->ranks_per_node);
}

int rows_refuse_filters(const struct cli_args *args, const char *why, struct sup_error *error)
{
    static const char *const known[] = {"collective", "ranks", "bytes", "ppn"};
    struct cli_option option;
    for (int32_t i = 0; point_filter_option(i, &option); i++) {
        bool useful = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            useful = useful || strcmp(option.name, known[k]) == 0;
        if (!useful && cli_args_given(args, option.name))
            return sup_fail(error, RB_EINVAL, "--%s: %s", option.name, why);
    }
    return RB_OK;
}

static int32_t only_number(const struct cli_args *args, const char *option)
{
    if (!cli_args_given(args, option))
        return 0;
    const struct sup_list *list = cli_args_list(args, option);
    return list->count == 1 ? (int32_t)list->value[0] : 0;
}

/* For a verb whose options choose rows: what nothing names is the machine "here", the library's own
 * choice, and the one number of -p or --ppn; --machine names the machine. */
static struct rows_defaults defaults_of(const struct cli_args *args)
{
    return (struct rows_defaults){.system = cli_args_text(args, "machine"),
                                  .unnamed = "here",
                                  .unnamed_algorithm = "default",
                                  .unnamed_library = cli_args_text(args, "library"),
                                  .unnamed_ranks_per_node = only_number(args, "ppn"),
                                  .unnamed_p = only_number(args, "ranks"),
                                  .ranks_option = "-p"};
}

static void note_unplanned(struct rows_taken *taken)
{
    struct out_left_out left = {0};
    for (size_t i = 0; i < taken->count; i++)
        if (taken->row[i]->algorithm == NULL && !taken->row[i]->own_choice)
            out_leave_out(&left, 1, taken->row[i]->name);
    char *rows = out_left_out_text(&left, (int64_t)taken->count, "row", "");
    if (left.count > 0)
        out_verdict_say(&taken->notes, "%s %s no plan here", rows,
                        left.count == 1 ? "has" : "have");
    free(rows);
}

/* How many sizes of --bytes choose rows: none where they are points to predict. */
static size_t count_sizes(const struct cli_args *args, const char *option)
{
    return strcmp(option, "rows") == 0 && cli_args_given(args, "bytes") &&
                   !cli_args_given(args, "nodes")
               ? cli_args_list(args, "bytes")->count
               : 0;
}

int rows_filter_of(const struct cli_args *args, const char *option, struct rows_filter **filter,
                   struct sup_error *error)
{
    const char *text = cli_args_text(args, option), *library = NULL, *const * names;
    char *whole = NULL;
    size_t size = 0;
    struct sup_error why;
    int32_t count = 0;
    *filter = NULL;
    int status = text == NULL ? RB_OK : rows_filter_parse(text, filter, &why);
    if (status != RB_OK)
        return sup_fail(error, status, "--%s: %s", option, why.text);
    if (strcmp(option, "rows") == 0) {
        count = cli_args_texts(args, "collective", &names);
        library = cli_args_text(args, "library");
    }
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = cli_check_collective(names[i], error);
    const bool sizes = count_sizes(args, option) > 0;
    if (status != RB_OK || (count == 0 && library == NULL && !sizes))
        return status;
    FILE *stream = sup_memory_open(&whole, &size);
    fprintf(stream, "(%s)", text == NULL ? "p>0" : text);
    for (int32_t i = 0; i < count; i++)
        fprintf(stream, "%s collective=%s", i == 0 ? " & (" : " |", names[i]);
    fputs(count > 0 ? ")" : "", stream);
    for (size_t i = 0; i < count_sizes(args, option); i++)
        fprintf(stream, "%s bytes=%" PRId64, i == 0 ? " & (" : " |",
                cli_args_list(args, "bytes")->value[i]);
    fputs(sizes ? ")" : "", stream);
    if (library != NULL)
        fprintf(stream, " & library=\"%s\"", library);
    sup_memory_close(stream, &whole);
    rows_filter_free(*filter);
    status = rows_filter_parse(whole, filter, error);
    free(whole);
    return status;
}

static int choose(const struct cli_args *args, bool points, struct rows_taken *taken,
                  struct sup_error *error)
{
    const struct rows_set *set = &taken->set;
    struct rows_filter *filter = NULL;
    struct sup_error why;
    const char *system = NULL;
    int status = RB_OK;
    if (rows_need_some(set, error) != RB_OK)
        return RB_EINVAL;
    if (args != NULL && cli_args_given(args, "system") &&
        (status = rows_system(set, cli_args_text(args, "system"), &system, &why)) != RB_OK)
        return sup_fail(error, status, "--system: %s", why.text);
    if (args != NULL && (status = rows_filter_of(args, "where", &filter, error)) != RB_OK)
        return status;
    taken->row = sup_calloc(set->count, sizeof *taken->row);
    for (size_t i = 0; i < set->count; i++) {
        const struct rows_row *row = &set->row[i];
        if ((system == NULL || row->system == system) && (!points || is_asked(args, row)) &&
            rows_filter_matches(filter, row))
            taken->row[taken->count++] = row;
    }
    rows_filter_free(filter);
    return taken->count > 0 ? RB_OK
                            : sup_fail(error, RB_EINVAL,
                                       "%s: the options leave none of its %zu "
                                       "rows",
                                       set->file[0], set->count);
}

static int need_one_machine(const struct rows_taken *taken, const char *option,
                            struct sup_error *error)
{
    for (size_t i = 1; i < taken->count; i++)
        if (taken->row[i]->system != taken->row[0]->system)
            return sup_fail(error, RB_EINVAL,
                            "%s: %s has rows of several machines, such as %s and %s: choose one by "
                            "--system",
                            option, taken->set.file[0], taken->row[0]->system,
                            taken->row[i]->system);
    return RB_OK;
}

int rows_take(const struct cli_args *args, const char *file, const struct rows_defaults *defaults,
              unsigned how, const char *option, struct rows_taken *taken, struct sup_error *error)
{
    const struct rows_defaults said = defaults == NULL ? defaults_of(args) : *defaults;
    char *note;
    int status = rows_read(&taken->set, file, &said, error);
    for (int i = 0; status == RB_OK && (note = rows_note(&taken->set, i)) != NULL; i++) {
        out_verdict_say(&taken->notes, "%s", note);
        free(note);
    }
    if (status == RB_OK && (how & ROWS_FALLBACKS) != 0) {
        rows_find_fallbacks(&taken->set);
        if (taken->set.found[0] != '\0')
            out_verdict_say(&taken->notes, "As their times show: %s", taken->set.found);
    }
    if (status == RB_OK)
        status = choose(args, args != NULL && (how & ROWS_OF_POINTS) != 0, taken, error);
    if (status == RB_OK && (how & ROWS_PLANNED) != 0)
        note_unplanned(taken);
    return status == RB_OK && (how & ROWS_ONE_MACHINE) != 0 ? need_one_machine(taken, option, error)
                                                            : status;
}

void rows_taken_tell(const struct rows_taken *taken)
{
    for (size_t i = 0; i < taken->notes.count; i++)
        cli_complain(CLI_EXIT_DONE, "note: %s", taken->notes.sentence[i]);
}

void rows_taken_free(struct rows_taken *taken)
{
    free(taken->row);
    out_verdict_free(&taken->notes);
    rows_free(&taken->set);
    *taken = (struct rows_taken){0};
}
