#include "experiments/sweep/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- The file as a tree ---------------------------------------------------------------------- */

/* A file consists of a few nested lists. A few nested aliases would expand to gigabytes. */
enum { MOST_DEPTH = 32, MOST_ALIASED = 1 << 20, MOST_TEXT = 16 << 20 };

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
    size_t line, column;     /* of what the parser read last */
    struct sup_error *error;
};

static int fail(const struct building *building, const char *what)
{
    const struct sweep_node here = {.line = building->line, .column = building->column};
    return sweep_fault(building->document, &here, NULL, building->error, "%s", what);
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
    *node = (struct sweep_node){.kind = kind,
                                .line = building->line,
                                .column = building->column,
                                .word = word == NULL ? NULL : sup_strdup(word)};
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
    building->column = event->start_mark.column + 1;
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

/* What the parser says of its text. */
static int not_yaml(const struct sweep_document *document, const yaml_parser_t *parser,
                    struct sup_error *error)
{
    const struct sweep_node here = {.line = parser->problem_mark.line + 1,
                                    .column = parser->problem_mark.column + 1};
    return sweep_fault(document, &here, NULL, error, "not YAML: %s%s%s",
                       parser->problem ? parser->problem : "unreadable",
                       parser->context ? ", " : "", parser->context ? parser->context : "");
}

int sweep_document_parse(struct sweep_document *document, struct sup_error *error)
{
    struct building building = {.document = document, .error = error};
    yaml_parser_t parser;
    yaml_event_t event;
    bool more = true;
    int status = RB_OK;

    if (!yaml_parser_initialize(&parser))
        sup_no_memory();
    yaml_parser_set_input_string(&parser, (const unsigned char *)document->text, document->size);
    while (status == RB_OK && more && yaml_parser_parse(&parser, &event)) {
        status = add_event(&building, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (parser.error == YAML_MEMORY_ERROR)
        sup_no_memory();
    if (status == RB_OK && more)
        status = not_yaml(document, &parser, error);
    yaml_parser_delete(&parser);
    for (size_t i = 0; i < building.anchor_count; i++)
        free(building.anchors[i].name);
    free(building.anchors);
    if (status == RB_OK && document->count == 0)
        status = sup_fail(error, RB_EINVAL, "%s: the file has no content", document->file);
    return status;
}

int sweep_document_read(struct sweep_document *document, const char *path, const char *what,
                        struct sup_error *error)
{
    *document = (struct sweep_document){.file = path};
    FILE *file = sup_got(fopen(path, "rb"));
    if (file == NULL)
        return sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    size_t room = 1 << 16, size = 0;
    int status = RB_OK;
    char *data = sup_malloc(room);
    size = fread(data, 1, room, file);
    while (size == room && room <= MOST_TEXT) {
        data = sup_realloc(data, room *= 2);
        size += fread(data + size, 1, room - size, file);
    }
    if (ferror(file))
        status = sup_fail(error, RB_EINVAL, "%s: %s", path, strerror(errno));
    else if (size >= MOST_TEXT)
        status = sup_fail(error, RB_EINVAL, "%s: too long for %s file", path, what);
    fclose(file);
    data[status == RB_OK ? size : 0] = '\0'; /* a text that is not too long leaves room */
    document->text = data;
    document->size = size;
    return status;
}

void sweep_document_free(struct sweep_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        free(document->node[i]->word);
        free(document->node[i]->item);
        free(document->node[i]);
    }
    free(document->node);
    free(document->text);
    *document = (struct sweep_document){0};
}

const struct sweep_node *sweep_member(const struct sweep_node *node, const char *key)
{
    if (node == NULL || node->kind != SWEEP_MAPPING)
        return NULL;
    for (size_t i = 0; i + 1 < node->count; i += 2)
        if (node->item[i]->kind == SWEEP_WORD && strcmp(node->item[i]->word, key) == 0)
            return node->item[i + 1];
    return NULL;
}

const struct sweep_node *sweep_item(const struct sweep_node *node, size_t i)
{
    if (node == NULL || node->kind != SWEEP_LIST)
        return i == 0 ? node : NULL;
    return i < node->count ? node->item[i] : NULL;
}

int sweep_fault(const struct sweep_document *document, const struct sweep_node *node,
                const char *key, struct sup_error *error, const char *what, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return sup_fail(error, RB_EINVAL, "%s:%zu:%zu: %s%s%s", document->file, node->line,
                    node->column, key != NULL ? key : "", key != NULL ? ": " : "", text);
}

/* ---- Tables of keys -------------------------------------------------------------------------- */

static int unknown_key(const struct sweep_document *document, const struct sweep_field field[],
                       size_t count, const struct sweep_node *key, struct sup_error *error)
{
    const char **names = sup_calloc(count, sizeof *names);
    char all[400] = "";
    for (size_t i = 0; i < count; i++)
        sup_append(all, sizeof all, ", ", "%s", names[i] = field[i].key);
    const char *nearest = sup_nearest_word(key->word, names, count);
    free(names);
    return nearest != NULL
               ? sweep_fault(document, key, key->word, error, "no such key; did you mean %s?",
                             nearest)
               : sweep_fault(document, key, key->word, error, "no such key; there are %s", all);
}

static int check_word(const struct sweep_document *document, const char *key, size_t most,
                      const struct sweep_node *node, struct sup_error *error)
{
    if (node->kind != SWEEP_WORD)
        return sweep_fault(document, node, key, error, "a single value is required here");
    if (strlen(node->word) > most)
        return sweep_fault(document, node, key, error, "longer than %zu letters", most);
    return node->word[0] == '\0' ? sweep_fault(document, node, key, error, "has no value") : RB_OK;
}

/* How many items a list has; the node is a list, or stands for one. */
static int check_count(const struct sweep_document *document, const struct sweep_field *field,
                       const struct sweep_node *node, struct sup_error *error)
{
    if (node->kind != SWEEP_LIST || (node->count > 0 && node->count <= field->most))
        return RB_OK;
    if (node->count == 0)
        return sweep_fault(document, node, field->key, error, "an empty list");
    return field->most == 1 ? sweep_fault(document, node->item[1], field->key, error,
                                          "takes one value, not a list")
                            : sweep_fault(document, node->item[field->most], field->key, error,
                                          "takes a list of at most %zu values, not %zu",
                                          field->most, node->count);
}

int sweep_check_list(const struct sweep_document *document, const struct sweep_field *field,
                     const struct sweep_node *node, struct sup_error *error)
{
    return node->kind == SWEEP_WORD ? sweep_fault(document, node, field->key, error,
                                                  "a list of mappings is required here")
                                    : check_count(document, field, node, error);
}

int sweep_check_words(const struct sweep_document *document, const struct sweep_field *field,
                      const struct sweep_node *node, struct sup_error *error)
{
    if (field->form == SWEEP_ONE)
        return check_word(document, field->key, field->most, node, error);
    if (node->kind == SWEEP_MAPPING)
        return sweep_fault(document, node, field->key, error,
                           "a value or a list of values is required here");
    int status = check_count(document, field, node, error);
    const struct sweep_node *item;
    for (size_t i = 0; status == RB_OK && (item = sweep_item(node, i)) != NULL; i++)
        status = check_word(document, field->key, SWEEP_LETTERS, item, error);
    return status;
}

/* The key's index in the table, which is `count` if it has none. */
static size_t find_key(const struct sweep_field field[], size_t count, const char *word)
{
    size_t k = 0;
    while (k < count && strcmp(field[k].key, word) != 0)
        k++;
    return k;
}

/* value[k]: that of field k. */
static int check_keys(const struct sweep_document *document, const struct sweep_node *node,
                      const struct sweep_field field[], size_t count,
                      const struct sweep_node *value[], struct sup_error *error)
{
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && i + 1 < node->count; i += 2) {
        const struct sweep_node *key = node->item[i];
        if (key->kind != SWEEP_WORD)
            return sweep_fault(document, key, "key", error, "a word is required here");
        const size_t k = find_key(field, count, key->word);
        if (k == count)
            return unknown_key(document, field, count, key, error);
        if (value[k] != NULL)
            return sweep_fault(document, key, key->word, error, "is given twice");
        value[k] = node->item[i + 1];
        if (field[k].form != SWEEP_ANY)
            status = sweep_check_words(document, &field[k], value[k], error);
    }
    return status;
}

int sweep_read_mapping(const struct sweep_document *document, const struct sweep_node *node,
                       const struct sweep_field field[], size_t count, void *context,
                       struct sup_error *error)
{
    if (node->kind != SWEEP_MAPPING)
        return sweep_fault(document, node, NULL, error, "lines 'key: value' are required here");
    const struct sweep_node **value = sup_calloc(count, sizeof *value);
    int status = check_keys(document, node, field, count, value, error);
    for (size_t k = 0; k < count && status == RB_OK; k++)
        if (value[k] != NULL && field[k].read != NULL)
            status = field[k].read(context, &field[k], value[k]);
    free(value);
    return status;
}
