/* document.c - a YAML file as a tree with the lines of its values. */
#include "experiments/sweep/document.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "roundabout.h"
#include "support/memory.h"

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

int sweep_document_open(struct sweep_document *document, const char *file, const char *text,
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

void sweep_document_close(struct sweep_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        free(document->node[i]->word);
        free(document->node[i]->item);
        free(document->node[i]);
    }
    free(document->node);
    *document = (struct sweep_document){0};
}

const struct sweep_node *sweep_node_member(const struct sweep_node *node, const char *key)
{
    if (node == NULL || node->kind != SWEEP_MAPPING)
        return NULL;
    for (size_t i = 0; i + 1 < node->count; i += 2)
        if (node->item[i]->kind == SWEEP_WORD && strcmp(node->item[i]->word, key) == 0)
            return node->item[i + 1];
    return NULL;
}

const struct sweep_node *sweep_node_item(const struct sweep_node *node, size_t i)
{
    if (node == NULL || node->kind != SWEEP_LIST)
        return i == 0 ? node : NULL;
    return i < node->count ? node->item[i] : NULL;
}
