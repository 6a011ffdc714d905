/* document.c - a YAML file with the lines of its values. */
#include "experiments/sweep/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/units.h"

/* ---- Reading -------------------------------------------------------------------------------- */

enum { MOST_DEPTH = 32, MOST_ALIASED = 1 << 20 };

/* The counts of a document so far. */
struct extent {
    int depth;
    int anchored; /* depth of the outermost list or mapping with an anchor; 0: not in one */
    int64_t inside, largest; /* values in it, and in the largest such value */
    int64_t aliased;         /* the largest number of values of all aliases */
};

/* Nested aliases would multiply; other aliases expand to the largest value at most. */
static const char *add_event(struct extent *extent, const yaml_event_t *event)
{
    const bool starts_list = event->type == YAML_SEQUENCE_START_EVENT;
    const bool starts = starts_list || event->type == YAML_MAPPING_START_EVENT;
    const bool ends =
        event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;

    extent->depth += starts;
    if (extent->depth > MOST_DEPTH)
        return "lists and mappings are nested more than 32 deep";
    const unsigned char *anchor = starts_list ? event->data.sequence_start.anchor
                                  : starts    ? event->data.mapping_start.anchor
                                              : NULL;
    if (anchor != NULL && extent->anchored == 0) {
        extent->anchored = extent->depth;
        extent->inside = 0;
    }
    extent->inside++;
    if (event->type == YAML_ALIAS_EVENT && extent->anchored > 0)
        return "an alias may not be inside a value that has an anchor";
    if (event->type == YAML_ALIAS_EVENT && (extent->aliased += 1 + extent->largest) > MOST_ALIASED)
        return "aliases expand to too many values; write the values out";
    if (ends && extent->depth == extent->anchored) {
        extent->anchored = 0;
        if (extent->inside > extent->largest)
            extent->largest = extent->inside;
    }
    extent->depth -= ends;
    return NULL;
}

/* An experiment consists of a few nested lists. libyaml and libcyaml recurse, and their time grows
 * with the square of the depth; a few nested aliases expand to gigabytes. Both are refused before a
 * tree is made. Text that is not YAML is left to the parser of the tree. */
static int check_extent(const char *file, const char *text, size_t size, struct sup_error *error)
{
    yaml_parser_t parser;
    yaml_event_t event;
    struct extent extent = {0};
    const char *what = NULL;
    bool more = true;
    size_t line = 0;

    if (!yaml_parser_initialize(&parser))
        return sup_fail(error, RB_ENOMEM, "%s: out of memory", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (what == NULL && more && yaml_parser_parse(&parser, &event)) {
        line = event.start_mark.line + 1;
        what = add_event(&extent, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return what == NULL ? RB_OK : sup_fail(error, RB_EINVAL, "%s:%zu: %s", file, line, what);
}

static int parse(yaml_document_t *tree, const char *file, const char *text, size_t size,
                 struct sup_error *error)
{
    yaml_parser_t parser;
    yaml_document_t second;
    int status = RB_OK;

    if (!yaml_parser_initialize(&parser))
        return sup_fail(error, RB_ENOMEM, "%s: out of memory", file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, tree)) {
        status =
            sup_fail(error, RB_EINVAL, "%s:%zu: not YAML: %s%s%s", file,
                     parser.problem_mark.line + 1, parser.problem ? parser.problem : "unreadable",
                     parser.context ? ", " : "", parser.context ? parser.context : "");
        goto out;
    }
    if (yaml_parser_load(&parser, &second)) {
        const yaml_node_t *root = yaml_document_get_root_node(&second);
        if (root != NULL)
            status = sup_fail(error, RB_EINVAL, "%s:%zu: a second document; a file holds one", file,
                              root->start_mark.line + 1);
        yaml_document_delete(&second);
    }
    if (status != RB_OK)
        yaml_document_delete(tree);
out:
    yaml_parser_delete(&parser);
    return status;
}

int sweep_document_open(struct sweep_document *document, const char *file, const char *text,
                        size_t size, struct sup_error *error)
{
    document->file = file;
    int status = check_extent(file, text, size, error);
    if (status == RB_OK)
        status = parse(&document->tree, file, text, size, error);
    document->loaded = status == RB_OK;
    return status;
}

void sweep_document_close(struct sweep_document *document)
{
    if (document->loaded)
        yaml_document_delete(&document->tree);
    document->loaded = false;
}

/* ---- Checking against a schema, and writing single values as lists --------------------------- */

struct check {
    yaml_document_t *tree;
    const char *file;
    struct sup_error *error;
};

static const char *scalar(yaml_document_t *tree, int id)
{
    const yaml_node_t *node = yaml_document_get_node(tree, id);
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Yields the fault's message with the line of a node. */
static int fault(const struct check *check, int id, const char *key, const char *what)
{
    const yaml_node_t *node = yaml_document_get_node(check->tree, id);
    return sup_fail(check->error, RB_EINVAL, "%s:%zu: %s: %s", check->file,
                    node->start_mark.line + 1, key, what);
}

static const cyaml_schema_field_t *field_of(const cyaml_schema_field_t *fields, const char *key)
{
    for (; fields->key != NULL; fields++)
        if (strcmp(fields->key, key) == 0)
            return fields;
    return NULL;
}

static int unknown_key(const struct check *check, const cyaml_schema_field_t *fields, int id,
                       const char *key)
{
    const char *names[64] = {0};
    size_t count = 0;
    char what[400] = "";

    for (; fields->key != NULL && count < sizeof names / sizeof *names; fields++)
        names[count++] = fields->key;
    const char *nearest = sup_nearest_word(key, names, count);
    if (nearest != NULL) {
        snprintf(what, sizeof what, "no such key; did you mean %s?", nearest);
        return fault(check, id, key, what);
    }
    size_t used = (size_t)snprintf(what, sizeof what, "no such key; there are");
    for (size_t i = 0; i < count && used < sizeof what; i++)
        used +=
            (size_t)snprintf(what + used, sizeof what - used, "%s %s", i == 0 ? "" : ",", names[i]);
    return fault(check, id, key, what);
}

static int check_mapping(const struct check *check, const cyaml_schema_field_t *fields, int id);

static int out_of_memory(const struct check *check)
{
    return sup_fail(check->error, RB_ENOMEM, "%s: out of memory", check->file);
}

/* Makes [value] of a single value. */
static int wrap_in_list(const struct check *check, int *value)
{
    int list = yaml_document_add_sequence(check->tree, NULL, YAML_FLOW_SEQUENCE_STYLE);
    if (list == 0 || !yaml_document_append_sequence_item(check->tree, list, *value))
        return out_of_memory(check);
    *value = list;
    return RB_OK;
}

/* Makes {key: value} of a value. */
static int wrap_in_mapping(const struct check *check, const char *key, int *value)
{
    int mapping = yaml_document_add_mapping(check->tree, NULL, YAML_BLOCK_MAPPING_STYLE);
    int name = yaml_document_add_scalar(check->tree, NULL, (const unsigned char *)key, -1,
                                        YAML_PLAIN_SCALAR_STYLE);
    if (mapping == 0 || name == 0 ||
        !yaml_document_append_mapping_pair(check->tree, mapping, name, *value))
        return out_of_memory(check);
    *value = mapping;
    return RB_OK;
}

static int check_text(const struct check *check, const char *key,
                      const cyaml_schema_value_t *schema, int id)
{
    char what[48];
    const char *text = scalar(check->tree, id);
    if (text == NULL)
        return fault(check, id, key, "a single value is required here");
    snprintf(what, sizeof what, "longer than %u letters", (unsigned)schema->string.max);
    if (strlen(text) > schema->string.max)
        return fault(check, id, key, what);
    return text[0] == '\0' ? fault(check, id, key, "has no value") : RB_OK;
}

static int check_list(const struct check *check, const cyaml_schema_field_t *field, int *value)
{
    const cyaml_schema_value_t *entry = field->value.sequence.entry;
    const yaml_node_t *node = yaml_document_get_node(check->tree, *value);
    yaml_node_type_t single = entry->type == CYAML_MAPPING ? YAML_MAPPING_NODE : YAML_SCALAR_NODE;

    if (node->type == single && wrap_in_list(check, value) != RB_OK)
        return RB_ENOMEM;
    node = yaml_document_get_node(check->tree, *value);
    if (node->type != YAML_SEQUENCE_NODE)
        return fault(check, *value, field->key,
                     single == YAML_SCALAR_NODE ? "a value or a list of values is required here"
                                                : "a list of mappings is required here");
    ptrdiff_t count = node->data.sequence.items.top - node->data.sequence.items.start;
    if (count == 0)
        return fault(check, *value, field->key, "an empty list");
    if (count > field->value.sequence.max) {
        char what[80] = "takes one value, not a list";
        if (field->value.sequence.max > 1)
            snprintf(what, sizeof what, "takes a list of at most %u values, not %td",
                     (unsigned)field->value.sequence.max, count);
        return fault(check, node->data.sequence.items.start[field->value.sequence.max], field->key,
                     what);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        /* Wrapping deeper down may move the nodes, not the items of this one. */
        node = yaml_document_get_node(check->tree, *value);
        int item = node->data.sequence.items.start[i];
        int status = single == YAML_SCALAR_NODE ? check_text(check, field->key, entry, item)
                                                : check_mapping(check, entry->mapping.fields, item);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

static int check_value(const struct check *check, const cyaml_schema_field_t *field, int *value)
{
    int status = RB_OK;

    switch (field->value.type) {
    case CYAML_SEQUENCE:
        return check_list(check, field, value);
    case CYAML_MAPPING:
        if (yaml_document_get_node(check->tree, *value)->type != YAML_MAPPING_NODE)
            status = wrap_in_mapping(check, field->value.mapping.fields[0].key, value);
        return status != RB_OK ? status : check_mapping(check, field->value.mapping.fields, *value);
    default:
        return check_text(check, field->key, &field->value, *value);
    }
}

static int check_mapping(const struct check *check, const cyaml_schema_field_t *fields, int id)
{
    const yaml_node_t *node = yaml_document_get_node(check->tree, id);
    if (node->type != YAML_MAPPING_NODE)
        return sup_fail(check->error, RB_EINVAL, "%s:%zu: lines 'key: value' are required here",
                        check->file, node->start_mark.line + 1);
    yaml_node_pair_t *first = node->data.mapping.pairs.start;
    yaml_node_pair_t *end = node->data.mapping.pairs.top;

    for (yaml_node_pair_t *pair = first; pair < end; pair++) {
        const char *key = scalar(check->tree, pair->key);
        if (key == NULL)
            return fault(check, pair->key, "key", "a word is required here");
        const cyaml_schema_field_t *field = field_of(fields, key);
        if (field == NULL)
            return unknown_key(check, fields, pair->key, key);
        for (const yaml_node_pair_t *other = first; other < pair; other++)
            if (strcmp(key, scalar(check->tree, other->key)) == 0)
                return fault(check, pair->key, key, "is given twice");
        int status = check_value(check, field, &pair->value);
        if (status != RB_OK)
            return status;
    }
    return RB_OK;
}

/* ---- Handing over to libcyaml ---- */

struct buffer {
    unsigned char *data;
    size_t size, capacity;
};

static int write_buffer(void *context, unsigned char *data, size_t size)
{
    struct buffer *buffer = context;
    if (buffer->capacity - buffer->size < size) {
        size_t capacity = 2 * (buffer->size + size);
        unsigned char *larger = realloc(buffer->data, capacity);
        if (larger == NULL)
            return 0;
        buffer->data = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return 1;
}

/* Writes the tree as YAML; libyaml destroys the tree. */
static int dump(yaml_document_t *tree, struct buffer *buffer)
{
    yaml_emitter_t emitter;
    if (!yaml_emitter_initialize(&emitter))
        return RB_ENOMEM;
    yaml_emitter_set_output(&emitter, write_buffer, buffer);
    int good = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, tree) &&
               yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    return good ? RB_OK : RB_ENOMEM;
}

static const cyaml_config_t config = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};

int sweep_document_load(const struct sweep_document *document, const char *text, size_t size,
                        const cyaml_schema_value_t *schema, void **data, struct sup_error *error)
{
    yaml_document_t copy; /* to be rewritten; the document itself keeps the lines */
    struct check check = {&copy, document->file, error};
    struct buffer buffer = {0};

    int status = parse(&copy, document->file, text, size, error);
    if (status != RB_OK)
        return status;
    if (yaml_document_get_root_node(&copy) == NULL)
        status = sup_fail(error, RB_EINVAL, "%s: the file has no content", document->file);
    else
        status = check_mapping(&check, schema->mapping.fields, 1);
    if (status != RB_OK) {
        yaml_document_delete(&copy);
        return status;
    }
    status = dump(&copy, &buffer);
    if (status == RB_OK) {
        *data = NULL;
        cyaml_err_t failed = cyaml_load_data(buffer.data, buffer.size, &config, schema, data, NULL);
        if (failed != CYAML_OK || *data == NULL)
            status = sup_fail(error, RB_EINVAL, "%s: %s", document->file,
                              failed != CYAML_OK ? cyaml_strerror(failed) : "nothing in it");
    } else {
        status = out_of_memory(&check);
    }
    free(buffer.data);
    return status;
}

void sweep_document_free(const cyaml_schema_value_t *schema, void *data)
{
    if (data != NULL)
        cyaml_free(&config, schema, data, 0);
}

/* ---- Finding a line ---- */

static yaml_node_t *member(yaml_document_t *tree, const yaml_node_t *node, const char *key)
{
    if (node == NULL || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (strcmp(key, scalar(tree, pair->key)) == 0)
            return yaml_document_get_node(tree, pair->value);
    return NULL;
}

/* An element of a list; any other value counts as a list of itself. */
static yaml_node_t *element(yaml_document_t *tree, yaml_node_t *node, size_t i)
{
    if (node == NULL || node->type != YAML_SEQUENCE_NODE)
        return node;
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return i < count ? yaml_document_get_node(tree, node->data.sequence.items.start[i]) : NULL;
}

size_t sweep_document_line(const struct sweep_document *document, const struct sweep_place *place)
{
    yaml_document_t *tree = (yaml_document_t *)&document->tree; /* libyaml doesn't say const */
    yaml_node_t *root = yaml_document_get_root_node(tree);
    yaml_node_t *node = NULL;

    if (place->list != NULL)
        node = member(tree, element(tree, member(tree, root, place->list), place->element),
                      place->key);
    if (node == NULL)
        node = member(tree, root, place->key);
    if (place->part != NULL && node != NULL && node->type == YAML_MAPPING_NODE)
        node = member(tree, node, place->part);
    node = element(tree, node, place->item);
    return node == NULL ? 0 : node->start_mark.line + 1;
}
