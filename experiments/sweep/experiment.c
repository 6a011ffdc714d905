/* experiment.c - an experiment file read, checked against its schema, its values understood.
 *
 * The keys are those of the parameters (point/parameters.h), but for `blocks` and `seed`. */
#include "experiments/sweep/experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/process.h"

/* ---- The file as a tree ---------------------------------------------------------------------- */

/* An experiment consists of a few nested lists. A few nested aliases would expand to gigabytes. */
enum { MOST_DEPTH = 32, MOST_ALIASED = 1 << 20 };

struct anchor {
    char *name;
    struct sweep_node *node;
};

/* The tree so far. */
struct building {
    struct sweep_document *document;
    struct sweep_node *open[MOST_DEPTH]; /* lists and mappings, the outermost one first */
    int depth;
    struct anchor *anchors;
    size_t anchor_count;
    int anchored; /* depth of the outermost list or mapping with an anchor; 0: not in one */
    int64_t inside, largest; /* values in it, and in the largest such value */
    int64_t aliased;         /* the largest number of values of all aliases */
    size_t line;             /* of what the parser read last */
    struct sup_error *error;
};

static int fail(const struct building *building, const char *what)
{
    return sup_fail(building->error, RB_EINVAL, "%s:%zu: %s", building->document->file,
                    building->line, what);
}

static const struct anchor *find_anchor(const struct building *building, const char *name)
{
    for (size_t i = 0; i < building->anchor_count; i++)
        if (strcmp(building->anchors[i].name, name) == 0)
            return &building->anchors[i];
    return NULL;
}

/* Adds a node, or an alias of one, to the list or mapping that is open. */
static void add_item(struct building *building, struct sweep_node *node)
{
    if (building->depth == 0)
        return;
    struct sweep_node *parent = building->open[building->depth - 1];
    sup_grow(&parent->item, parent->count, sizeof *parent->item);
    parent->item[parent->count++] = node;
}

static int add_node(struct building *building, enum sweep_node_kind kind, const void *anchor,
                    const void *word)
{
    struct sweep_document *document = building->document;
    if (building->depth == 0 && document->count > 0)
        return fail(building, "a second document; a file holds one");
    struct sweep_node *node = sup_malloc(sizeof *node);
    *node = (struct sweep_node){
        .kind = kind, .line = building->line, .word = word == NULL ? NULL : sup_strdup(word)};
    sup_grow(&document->node, document->count, sizeof *document->node);
    document->node[document->count++] = node;
    if (anchor != NULL && find_anchor(building, anchor) != NULL)
        return fail(building, "not YAML: second occurrence, found duplicate anchor");
    if (anchor != NULL) {
        sup_grow(&building->anchors, building->anchor_count, sizeof *building->anchors);
        building->anchors[building->anchor_count++] = (struct anchor){sup_strdup(anchor), node};
    }
    add_item(building, node);
    building->inside++;
    if (kind == SWEEP_WORD)
        return RB_OK;
    if (building->depth == MOST_DEPTH)
        return fail(building, "lists and mappings are nested more than 32 deep");
    building->open[building->depth++] = node;
    if (anchor != NULL && building->anchored == 0) {
        building->anchored = building->depth;
        building->inside = 0;
    }
    return RB_OK;
}

static void end_node(struct building *building)
{
    if (building->depth-- != building->anchored)
        return;
    building->anchored = 0;
    if (building->inside > building->largest)
        building->largest = building->inside;
}

/* Nested aliases would multiply; other aliases expand to the largest value at most. */
static int add_alias(struct building *building, const void *name)
{
    const struct anchor *anchor = find_anchor(building, name);
    if (building->anchored > 0)
        return fail(building, "an alias may not be inside a value that has an anchor");
    if (anchor == NULL)
        return fail(building, "not YAML: found undefined alias");
    building->aliased += 1 + building->largest;
    if (building->aliased > MOST_ALIASED)
        return fail(building, "aliases expand to too many values; write the values out");
    add_item(building, anchor->node);
    return RB_OK;
}

static int add_event(struct building *building, const yaml_event_t *event)
{
    building->line = event->start_mark.line + 1;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_node(building, SWEEP_WORD, event->data.scalar.anchor, event->data.scalar.value);
    case YAML_SEQUENCE_START_EVENT:
        return add_node(building, SWEEP_LIST, event->data.sequence_start.anchor, NULL);
    case YAML_MAPPING_START_EVENT:
        return add_node(building, SWEEP_MAPPING, event->data.mapping_start.anchor, NULL);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        end_node(building);
        return RB_OK;
    case YAML_ALIAS_EVENT:
        return add_alias(building, event->data.alias.anchor);
    default:
        return RB_OK;
    }
}

static int document_open(struct sweep_document *document, const char *file, const char *text,
                         size_t size, struct sup_error *error)
{
    struct building building = {.document = document, .error = error};
    yaml_parser_t parser;
    yaml_event_t event;
    bool more = true;
    int status = RB_OK;

    *document = (struct sweep_document){.file = file};
    if (!yaml_parser_initialize(&parser))
        sup_no_memory();
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (status == RB_OK && more && yaml_parser_parse(&parser, &event)) {
        status = add_event(&building, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (parser.error == YAML_MEMORY_ERROR)
        sup_no_memory();
    if (status == RB_OK && more)
        status =
            sup_fail(error, RB_EINVAL, "%s:%zu: not YAML: %s%s%s", file,
                     parser.problem_mark.line + 1, parser.problem ? parser.problem : "unreadable",
                     parser.context ? ", " : "", parser.context ? parser.context : "");
    yaml_parser_delete(&parser);
    for (size_t i = 0; i < building.anchor_count; i++)
        free(building.anchors[i].name);
    free(building.anchors);
    return status;
}

static void document_close(struct sweep_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        free(document->node[i]->word);
        free(document->node[i]->item);
        free(document->node[i]);
    }
    free(document->node);
    *document = (struct sweep_document){0};
}

/* The value of a key; NULL if the node, which may be NULL, is no mapping or has no such key. */
static const struct sweep_node *node_member(const struct sweep_node *node, const char *key)
{
    if (node == NULL || node->kind != SWEEP_MAPPING)
        return NULL;
    for (size_t i = 0; i + 1 < node->count; i += 2)
        if (node->item[i]->kind == SWEEP_WORD && strcmp(node->item[i]->word, key) == 0)
            return node->item[i + 1];
    return NULL;
}

/* An item of a list; any other value counts as a list of itself. NULL: there is none. */
static const struct sweep_node *node_item(const struct sweep_node *node, size_t i)
{
    if (node == NULL || node->kind != SWEEP_LIST)
        return i == 0 ? node : NULL;
    return i < node->count ? node->item[i] : NULL;
}

/* ---- The schema ------------------------------------------------------------------------------ */

enum { MOST_VALUES = 100000, MOST_LETTERS = 4096, MOST_TEXT = 16 << 20, MOST_GRIDS = 1000 };

/* ---- The form of the file ---- */

/* A key of the file, and how many values it takes. */
enum form { TEXT, WORDS, BLOCKS, GRIDS };
struct field {
    const char *key;
    enum form form;
    size_t most; /* of TEXT, letters */
};
struct fields {
    const struct field *field;
    size_t count;
};

static const struct field block_fields[] = {{"counts", WORDS, MOST_VALUES},
                                            {"of-optimum", WORDS, MOST_VALUES},
                                            {"of-F", WORDS, MOST_VALUES},
                                            {"of-G", WORDS, MOST_VALUES}};

/* Beside parameters: of the file alone, name, confirm, confirm-share and grids; of grids too, seed
 * and blocks. */
enum { FILE_FIELDS = 4, OTHER_FIELDS = FILE_FIELDS + 2 };

/* The file being read. */
struct source {
    const struct sweep_document *document;
    const char *engine; /* instead of the file's, and then nothing is confirmed; NULL: none */
    struct field field[POINT_PARAMETERS + OTHER_FIELDS];
    struct fields fields, grid_fields; /* a grid has all but the file's first and its last three */
    struct sup_error *error;
};

static void make_fields(struct source *source)
{
    size_t count = 0;
    source->field[count++] = (struct field){"name", TEXT, 200};
    for (size_t i = 0; i < POINT_PARAMETERS; i++)
        if (point_parameters[i].key != NULL)
            source->field[count++] =
                (struct field){point_parameters[i].key, WORDS,
                               i == POINT_COLLECTIVE || i == POINT_ELEMENT ? 1 : MOST_VALUES};
    source->field[count++] = (struct field){"seed", WORDS, 1};
    source->field[count++] = (struct field){"blocks", BLOCKS, 0};
    source->field[count++] = (struct field){"confirm", WORDS, 1};
    source->field[count++] = (struct field){"confirm-share", WORDS, 1};
    source->field[count++] = (struct field){"grids", GRIDS, MOST_GRIDS};
    source->fields = (struct fields){source->field, count};
    source->grid_fields = (struct fields){source->field + 1, count - FILE_FIELDS};
}

/* Yields the fault's message with the line of a node. */
static int fault(const struct source *source, const struct sweep_node *node, const char *key,
                 const char *what)
{
    return sup_fail(source->error, RB_EINVAL, "%s:%zu: %s: %s", source->document->file, node->line,
                    key, what);
}

static int unknown_key(const struct source *source, struct fields fields,
                       const struct sweep_node *key)
{
    const char *names[POINT_PARAMETERS + OTHER_FIELDS] = {0};
    char what[400] = "";

    for (size_t i = 0; i < fields.count; i++)
        names[i] = fields.field[i].key;
    const char *nearest = sup_nearest_word(key->word, names, fields.count);
    size_t used = (size_t)snprintf(
        what, sizeof what,
        nearest != NULL ? "no such key; did you mean %s?" : "no such key; there are", nearest);
    for (size_t i = 0; nearest == NULL && i < fields.count && used < sizeof what; i++)
        used +=
            (size_t)snprintf(what + used, sizeof what - used, "%s %s", i == 0 ? "" : ",", names[i]);
    return fault(source, key, key->word, what);
}

static int check_word(const struct source *source, const char *key, size_t most,
                      const struct sweep_node *node)
{
    char what[48];
    if (node->kind != SWEEP_WORD)
        return fault(source, node, key, "a single value is required here");
    snprintf(what, sizeof what, "longer than %zu letters", most);
    if (strlen(node->word) > most)
        return fault(source, node, key, what);
    return node->word[0] == '\0' ? fault(source, node, key, "has no value") : RB_OK;
}

static int check_mapping(const struct source *source, struct fields fields,
                         const struct sweep_node *node);

/* A list, or one value where a list may stand. */
static int check_list(const struct source *source, const struct field *field,
                      const struct sweep_node *node)
{
    const bool words = field->form == WORDS;
    int status = RB_OK;

    if (node->kind != SWEEP_LIST && node->kind != (words ? SWEEP_WORD : SWEEP_MAPPING))
        return fault(source, node, field->key,
                     words ? "a value or a list of values is required here"
                           : "a list of mappings is required here");
    if (node->kind == SWEEP_LIST && node->count == 0)
        return fault(source, node, field->key, "an empty list");
    if (node->kind == SWEEP_LIST && node->count > field->most) {
        char what[80] = "takes one value, not a list";
        if (field->most > 1)
            snprintf(what, sizeof what, "takes a list of at most %zu values, not %zu", field->most,
                     node->count);
        return fault(source, node->item[field->most], field->key, what);
    }
    const struct sweep_node *item;
    for (size_t i = 0; status == RB_OK && (item = node_item(node, i)) != NULL; i++)
        status = words ? check_word(source, field->key, MOST_LETTERS, item)
                       : check_mapping(source, source->grid_fields, item);
    return status;
}

static int check_value(const struct source *source, const struct field *field,
                       const struct sweep_node *node)
{
    static const struct fields blocks = {block_fields, sizeof block_fields / sizeof *block_fields};
    if (field->form == TEXT)
        return check_word(source, field->key, field->most, node);
    if (field->form != BLOCKS)
        return check_list(source, field, node);
    return node->kind == SWEEP_MAPPING ? check_mapping(source, blocks, node)
                                       : check_list(source, &block_fields[0], node);
}

/* A key that is an older name of a parameter's option gets its present name. */
static void modernize(struct sweep_node *key)
{
    for (size_t i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        if (parameter->key == NULL || parameter->option.synonym == NULL ||
            strcmp(parameter->option.synonym, key->word) != 0)
            continue;
        free(key->word);
        key->word = sup_strdup(parameter->key);
    }
}

static int check_mapping(const struct source *source, struct fields fields,
                         const struct sweep_node *node)
{
    int status = RB_OK;
    if (node->kind != SWEEP_MAPPING)
        return sup_fail(source->error, RB_EINVAL, "%s:%zu: lines 'key: value' are required here",
                        source->document->file, node->line);
    for (size_t i = 0; status == RB_OK && i + 1 < node->count; i += 2) {
        struct sweep_node *key = node->item[i];
        size_t k = 0;
        if (key->kind != SWEEP_WORD)
            return fault(source, key, "key", "a word is required here");
        modernize(key);
        while (k < fields.count && strcmp(fields.field[k].key, key->word) != 0)
            k++;
        if (k == fields.count)
            return unknown_key(source, fields, key);
        for (size_t other = 0; other < i; other += 2)
            if (strcmp(node->item[other]->word, key->word) == 0)
                return fault(source, key, key->word, "is given twice");
        status = check_value(source, &fields.field[k], node->item[i + 1]);
    }
    return status;
}

/* ---- Reading a grid ---- */

/* What a key is, where it is not given. */
static const struct absent {
    const char *fallback; /* NULL: the option's */
    bool required;
} absent[POINT_PARAMETERS] = {
    [POINT_ALGORITHM] = {.fallback = "all"},
    [POINT_P] = {.required = true},
    [POINT_BYTES] = {.required = true},
    [POINT_PLATFORM] = {.required = true},
};

/* What reads one key. */
struct key {
    const char *name, *part;
    const char *fallback; /* NULL: none */
    bool required;
    enum point_id id; /* of the parameter, without `read` */
    int (*read)(struct sweep_grid *grid, const char *word, struct sup_error *error);
};

/* Keys of other names than their parameter's, or of none. */
static const struct key seed_key = {"seed", .fallback = "1", .read = sweep_read_seed};
static const struct key confirm_keys[] = {
    {"confirm", .read = sweep_read_confirm},
    {"confirm-share", .fallback = "0.1", .read = sweep_read_share},
};
static const struct key block_keys[] = {
    {"blocks", "counts", .id = POINT_N},
    {"blocks", "of-optimum", .read = sweep_read_of_optimum},
    {"blocks", "of-F", .read = sweep_read_of_f},
    {"blocks", "of-G", .read = sweep_read_of_f},
};

static struct key key_of(enum point_id id)
{
    const struct point_parameter *parameter = &point_parameters[id];
    return (struct key){.name = parameter->key,
                        .fallback = absent[id].fallback != NULL ? absent[id].fallback
                                    : absent[id].required       ? NULL
                                                                : parameter->option.fallback,
                        .required = absent[id].required,
                        .id = id};
}

/* NULL: the file has no grids, but is one. */
static const struct sweep_node *grids_of(const struct sweep_document *document)
{
    return node_member(document->node[0], "grids");
}

/* The value of a key in grid i, or else at the top. `blocks` is inherited as a whole, so that a
 * grid can replace one kind of count by another. NULL: there is none. */
static const struct sweep_node *find_value(const struct sweep_document *document, size_t i,
                                           const char *key, const char *part)
{
    const struct sweep_node *top = document->node[0];
    const struct sweep_node *value = node_member(node_item(grids_of(document), i), key);
    if (value == NULL || (value->kind == SWEEP_MAPPING && value->count == 0))
        value = node_member(top, key);
    if (part == NULL || value == NULL || value->kind == SWEEP_MAPPING)
        return part == NULL ? value : node_member(value, part);
    return strcmp(part, block_fields[0].key) == 0 ? value : NULL;
}

/* Returns RB_EINVAL with a message that begins with the position of the node, which may be NULL. */
static int blame(const struct sweep_document *document, const struct sweep_node *node,
                 const char *key, const char *part, struct sup_error *error, const char *what)
{
    const char *dot = part != NULL ? "." : "";
    if (node == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s: %s", document->file, key, what);
    return sup_fail(error, RB_EINVAL, "%s:%zu: %s%s%s: %s", document->file, node->line, key, dot,
                    part != NULL ? part : "", what);
}

static int read_word(const struct key *key, struct sweep_grid *grid, const char *word,
                     struct sup_error *error)
{
    return key->read != NULL ? key->read(grid, word, error)
                             : sweep_read_value(grid, key->id, word, error);
}

/* One key of grid i: its own words, or those at the top level, or the default. */
static int read_key(const struct source *source, const struct key *key, size_t i,
                    struct sweep_grid *grid)
{
    const struct sweep_document *document = source->document;
    const struct sweep_node *value = find_value(document, i, key->name, key->part), *item;
    struct sup_error what;

    for (size_t k = 0; (item = node_item(value, k)) != NULL; k++)
        if (read_word(key, grid, item->word, &what) != RB_OK)
            return blame(document, item, key->name, key->part, source->error, what.text);
    if (value != NULL || key->part != NULL)
        return RB_OK;
    if (key->required)
        return sup_fail(source->error, RB_EINVAL, "%s: the key %s is missing%s", document->file,
                        key->name, grids_of(document) != NULL ? " in a grid and at the top" : "");
    return key->fallback == NULL ? RB_OK : read_word(key, grid, key->fallback, source->error);
}

void sweep_join_options(struct sweep_grid *grid)
{
    const struct sweep_names *options = &grid->text[POINT_ENGINE_OPTIONS];
    size_t size = 1;
    for (size_t i = 0; i < options->count; i++)
        size += strlen(options->name[i]) + 1;
    grid->engine_options = sup_calloc(1, size);
    for (size_t i = 0; i < options->count; i++)
        strcat(strcat(grid->engine_options, i == 0 ? "" : " "), options->name[i]);
}

static int64_t smallest(const struct sup_list *list)
{
    int64_t least = list->value[0];
    for (size_t i = 1; i < list->count; i++)
        if (list->value[i] < least)
            least = list->value[i];
    return least;
}

/* Blames the first value of a key. */
static int blame_key(const struct source *source, size_t grid, const char *key, const char *what)
{
    return blame(source->document, node_item(find_value(source->document, grid, key, NULL), 0), key,
                 NULL, source->error, what);
}

/* Checks combinations of values. */
static int check_together(const struct source *source, const struct sweep_grid *grid, size_t i)
{
    char what[160];
    bool has_radix = false;

    for (size_t r = 0; r < grid->number[POINT_ROOT].count; r++)
        if (grid->number[POINT_ROOT].value[r] >= smallest(&grid->number[POINT_P])) {
            snprintf(what, sizeof what,
                     "%" PRId64 " is not a rank: with %" PRId64
                     " ranks it must be from 0 to %" PRId64,
                     grid->number[POINT_ROOT].value[r], smallest(&grid->number[POINT_P]),
                     smallest(&grid->number[POINT_P]) - 1);
            return blame_key(source, i, "roots", what);
        }
    for (size_t a = 0; a < grid->text[POINT_ALGORITHM].count; a++) {
        const char *name = grid->text[POINT_ALGORITHM].name[a];
        const struct rb_algorithm_info *info = rb_algorithm_find(grid->collective->name, name);
        has_radix = has_radix || (info != NULL && info->radix != NULL);
    }
    if (!has_radix && (grid->all_radices || grid->number[POINT_RADIX].count > 0))
        return blame_key(source, i, "radix", "none of these algorithms has a radix");
    for (size_t e = 0; grid->number[POINT_JITTER].count > 0 && e < grid->engine_count; e++)
        for (size_t r = 0; r < grid->rule[POINT_OVERLAP].count; r++) {
            const struct sim_spec spec = {.overlap = grid->rule[POINT_OVERLAP].rule[r].overlap};
            struct sup_error why;
            if (sim_jitter_check(grid->engine[e].engine, &spec, &why) != RB_OK)
                return blame_key(source, i, "jitter", why.text);
        }
    return RB_OK;
}

/* Without the key `blocks`: the closed form's best count, half and twice as many. */
static int complete_blocks(struct sweep_grid *grid, struct sup_error *error)
{
    static const char *const usual[] = {"0.5", "1", "2"};
    int status = RB_OK;
    if (grid->number[POINT_N].count + grid->n_optimum.count + grid->n_f.count == 0)
        for (size_t i = 0; i < sizeof usual / sizeof *usual && status == RB_OK; i++)
            status = sweep_read_of_optimum(grid, usual[i], error);
    return status;
}

static int replace_engine(const struct source *source, struct sweep_grid *grid)
{
    struct sup_error why;
    const int status = sweep_read_value(grid, POINT_ENGINE, source->engine, &why);
    return status == RB_OK ? RB_OK : sup_fail(source->error, status, "--engine: %s", why.text);
}

static int read_grid(const struct source *source, size_t i, struct sweep_grid *grid)
{
    /* Keys that the checks of others need come first. */
    static const enum point_id first[] = {POINT_COLLECTIVE, POINT_ELEMENT};
    int status = read_key(source, &seed_key, i, grid);
    for (size_t k = 0; k < sizeof first / sizeof *first && status == RB_OK; k++) {
        const struct key key = key_of(first[k]);
        status = read_key(source, &key, i, grid);
    }
    for (size_t id = 0; id < POINT_PARAMETERS && status == RB_OK; id++) {
        const struct key key = key_of((enum point_id)id);
        if (id == POINT_ENGINE && source->engine != NULL)
            status = replace_engine(source, grid);
        else if (key.name != NULL && id != POINT_COLLECTIVE && id != POINT_ELEMENT)
            status = read_key(source, &key, i, grid);
    }
    for (size_t k = 0; k < sizeof block_keys / sizeof *block_keys && status == RB_OK; k++)
        status = read_key(source, &block_keys[k], i, grid);
    for (size_t k = 0; k < 2 && status == RB_OK && source->engine == NULL; k++)
        status = read_key(source, &confirm_keys[k], i, grid);
    if (status != RB_OK)
        return status;
    sweep_join_options(grid);
    status = check_together(source, grid, i);
    return status == RB_OK ? complete_blocks(grid, source->error) : status;
}

/* ---- Reading the file ---- */

/* Reads it as a string; the terminating byte is not counted. */
static int read_text(const char *path, char **text, size_t *size, struct sup_error *error)
{
    FILE *file = sup_got(fopen(path, "rb"));
    if (file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    size_t room = 1 << 16;
    int status = RB_OK;
    char *data = sup_malloc(room);
    *size = fread(data, 1, room, file);
    while (*size == room && room <= MOST_TEXT) {
        data = sup_realloc(data, room *= 2);
        *size += fread(data + *size, 1, room - *size, file);
    }
    if (ferror(file))
        status = sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    else if (*size >= MOST_TEXT)
        status = sup_fail(error, RB_EINVAL, "%s: too long for an experiment file", path);
    fclose(file);
    if (status != RB_OK) {
        free(data);
        return status;
    }
    data[*size] = '\0'; /* the buffer has room left, so the file is not too long */
    *text = data;
    return RB_OK;
}

static void hash_text(const char *text, size_t size, char hash[17])
{
    snprintf(hash, 17, "%016" PRIx64, sup_hash_bytes(SUP_HASH_START, text, size));
}

/* The given name, or the file's without directory and ending. It names files, so it must be able
 * to. */
static int name_it(struct sweep_experiment *experiment, const struct source *source)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-+";
    const struct sweep_node *name = node_member(source->document->node[0], "name");
    const char *given = name != NULL ? name->word : NULL,
               *slash = strrchr(source->document->file, '/');
    const char *base = slash != NULL ? slash + 1 : source->document->file;
    const char *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);

    if (given != NULL && (given[0] == '.' || given[strspn(given, letters)] != '\0'))
        return blame_key(source, 0, "name",
                         "is used in file names: only letters, digits and . _ - + are allowed");
    experiment->name = given != NULL ? sup_strdup(given) : sup_strndup(base, length);
    return RB_OK;
}

/* What a sweep made is no experiment. */
static int check_no_results(const char *path, const char *text, struct sup_error *error)
{
    static const char database[] = "SQLite format 3", table[] = "collective,algorithm,p,n,";
    if (strncmp(text, database, strlen(database)) != 0 && strncmp(text, table, strlen(table)) != 0)
        return RB_OK;
    const size_t stem = strcmp(path + strlen(path) - 4 * (strlen(path) > 4), ".csv") == 0
                            ? strlen(path) - 4
                            : strlen(path);
    char *results = sup_format("%.*s%s", (int)stem, path, path[stem] == '\0' ? "" : ".db"),
         *word = sup_shell_word(results);
    const int status = sup_fail(error, RB_EINVAL,
                                "%s: has results, and a sweep needs the experiment that made them; "
                                "to see them: roundabout tune %s",
                                path, word);
    free(word);
    free(results);
    return status;
}

int sweep_experiment_load(const char *path, const char *engine, struct sweep_experiment *experiment,
                          struct sup_error *error)
{
    struct source source = {.document = &experiment->document, .engine = engine, .error = error};

    *experiment = (struct sweep_experiment){0};
    make_fields(&source);
    int status = read_text(path, &experiment->text, &experiment->size, error);
    if (status != RB_OK)
        return status;
    hash_text(experiment->text, experiment->size, experiment->hash);
    status = check_no_results(path, experiment->text, error);
    if (status == RB_OK)
        status =
            document_open(&experiment->document, path, experiment->text, experiment->size, error);
    if (status == RB_OK && experiment->document.count == 0)
        status = sup_fail(error, RB_EINVAL, "%s: the file has no content", path);
    if (status == RB_OK)
        status = check_mapping(&source, source.fields, experiment->document.node[0]);
    if (status == RB_OK)
        status = name_it(experiment, &source);
    if (status == RB_OK) {
        const struct sweep_node *grids = grids_of(&experiment->document);
        const size_t count = grids != NULL && grids->kind == SWEEP_LIST ? grids->count : 1;
        experiment->grid = sup_calloc(count, sizeof *experiment->grid);
        for (size_t i = 0; status == RB_OK && i < count; i++) {
            experiment->grid_count = i + 1;
            status = read_grid(&source, i, &experiment->grid[i]);
        }
    }
    if (status != RB_OK)
        sweep_experiment_free(experiment);
    return status;
}

int sweep_experiment_blame(const struct sweep_experiment *experiment, size_t grid, const char *key,
                           size_t item, struct sup_error *error, const char *what, ...)
{
    const struct sweep_node *value = find_value(&experiment->document, grid, key, NULL);
    char text[400];
    va_list arguments;

    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return blame(&experiment->document, node_item(value, item), key, NULL, error, text);
}

static void free_names(struct sweep_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static void free_engine(struct sweep_engine_choice *choice)
{
    free(choice->variant);
    free(choice->text);
}

static void free_grid(struct sweep_grid *grid)
{
    for (size_t i = 0; i < POINT_PARAMETERS; i++) {
        sup_list_free(&grid->number[i]);
        free_names(&grid->text[i]);
        for (size_t k = 0; k < grid->rule[i].count; k++)
            point_rule_free(&grid->rule[i].rule[k]);
        free(grid->rule[i].rule);
    }
    cli_texts_free(&grid->instance);
    for (size_t i = 0; i < grid->engine_count; i++)
        free_engine(&grid->engine[i]);
    free_engine(&grid->confirm);
    free(grid->engine);
    free(grid->n_optimum.value);
    free(grid->n_f.value);
    free(grid->engine_options);
}

void sweep_experiment_free(struct sweep_experiment *experiment)
{
    for (size_t i = 0; i < experiment->grid_count; i++)
        free_grid(&experiment->grid[i]);
    free(experiment->grid);
    free(experiment->name);
    document_close(&experiment->document);
    free(experiment->text);
    *experiment = (struct sweep_experiment){0};
}
