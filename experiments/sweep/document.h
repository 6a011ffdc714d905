/* document.h - a YAML file with the lines of its values, for messages.
 *
 * libcyaml checks a file against a schema and loads it, but it requires lists where a user may
 * write a single value, and its positions are those of the preceding value. So the file is first
 * read into libyaml's tree. This finds the faults with their lines, and gives libcyaml the same
 * content with single values written as lists. */
#ifndef EXPERIMENTS_SWEEP_DOCUMENT_H
#define EXPERIMENTS_SWEEP_DOCUMENT_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "support/error.h"

struct sweep_document {
    const char *file; /* the name in messages; not owned */
    yaml_document_t tree;
    bool loaded;
};

/* Parses the text; a syntax error gets a message "FILE:LINE: ...". The text must outlive it. */
int sweep_document_open(struct sweep_document *document, const char *file, const char *text,
                        size_t size, struct sup_error *error);
void sweep_document_close(struct sweep_document *document); /* safe on a zeroed struct */

/* Checks the document against the schema of a mapping and loads it by libcyaml; *data is freed by
 * sweep_document_free. Where the schema has a list, a single value is allowed; where it has a
 * mapping, any other value is the value of the mapping's first key. The message for a fault is one
 * line with file, line, key and what would be right. */
int sweep_document_load(const struct sweep_document *document, const char *text, size_t size,
                        const cyaml_schema_value_t *schema, void **data, struct sup_error *error);
void sweep_document_free(const cyaml_schema_value_t *schema, void *data);

/* The position of a value: its key, its part if the value is a mapping, and its item if the value
 * is a list; in list[element] if that has the key, otherwise at the top level. */
struct sweep_place {
    const char *list; /* NULL: at the top */
    size_t element;
    const char *key;
    const char *part; /* NULL: the value itself */
    size_t item;
};
/* Its line, counted from 1; 0 if the document does not have it. */
size_t sweep_document_line(const struct sweep_document *document, const struct sweep_place *place);

#endif
