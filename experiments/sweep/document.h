/* document.h - a YAML file as a tree with the lines of its values, for messages. */
#ifndef EXPERIMENTS_SWEEP_DOCUMENT_H
#define EXPERIMENTS_SWEEP_DOCUMENT_H

#include <stddef.h>

#include "support/error.h"

enum sweep_node_kind { SWEEP_WORD, SWEEP_LIST, SWEEP_MAPPING };

struct sweep_node {
    enum sweep_node_kind kind;
    size_t line;              /* counted from 1 */
    char *word;               /* of a word */
    struct sweep_node **item; /* of a list; of a mapping its keys and values in turn */
    size_t count;             /* of items */
};

struct sweep_document {
    const char *file;         /* the name in messages; not owned */
    struct sweep_node **node; /* all of them, the outermost one first; owned */
    size_t count;             /* 0: the file has no content */
};

/* Parses the text. RB_EINVAL with a message "FILE:LINE: ..." for what is not YAML, a second
 * document, and values that are nested too deep or that aliases make too many. The caller frees the
 * document, also on failure. An alias is the node that it stands for. */
int sweep_document_open(struct sweep_document *document, const char *file, const char *text,
                        size_t size, struct sup_error *error);
void sweep_document_close(struct sweep_document *document); /* safe on a zeroed struct */

/* The value of a key; NULL if the node, which may be NULL, is no mapping or has no such key. */
const struct sweep_node *sweep_node_member(const struct sweep_node *node, const char *key);

/* An item of a list; any other value counts as a list of itself. NULL: there is none. */
const struct sweep_node *sweep_node_item(const struct sweep_node *node, size_t i);

#endif
