/* document.h - a YAML file and where in it things stand, for messages that name a line.
 *
 * libcyaml checks a file against a schema and loads it, but it wants lists where a person may write
 * a single value, and its positions are those of the value before. So the file is first read into
 * libyaml's tree: that finds the faults, with their lines, and gives libcyaml the same content with
 * single values written as lists. */
#ifndef RB_EXPERIMENTS_SWEEP_DOCUMENT_H
#define RB_EXPERIMENTS_SWEEP_DOCUMENT_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "support/error.h"

struct rb_document {
    const char *file; /* as messages call it; not owned */
    yaml_document_t tree;
    bool loaded;
};

/* Parses the text; a syntax error gets a message "FILE:LINE: ...". The text must outlive it. */
int rb_document_open(struct rb_document *document, const char *file, const char *text, size_t size,
                     struct rb_error *error);
void rb_document_close(struct rb_document *document); /* safe on a zeroed struct */

/* Checks the document against the schema of a mapping and loads it by libcyaml; *data is freed by
 * rb_document_free. Where the schema wants a list, a single value will do; where it wants a
 * mapping, anything else stands for the value of the mapping's first key. The message of a fault is
 * one line with file, line, key and what would be right. */
int rb_document_load(const struct rb_document *document, const char *text, size_t size,
                     const cyaml_schema_value_t *schema, void **data, struct rb_error *error);
void rb_document_free(const cyaml_schema_value_t *schema, void *data);

/* A value's place: key, and the part of it if it is a mapping, and the item if it is a list; in
 * list[element] if that has the key, else at the top. */
struct rb_place {
    const char *list; /* NULL: at the top */
    size_t element;
    const char *key;
    const char *part; /* NULL: the value itself */
    size_t item;
};
/* Its line, from 1; 0 if the document doesn't have it. */
size_t rb_document_line(const struct rb_document *document, const struct rb_place *place);

#endif
