/* document.h - a YAML file as a tree whose values know their places, and its mappings read by
 * tables of keys: experiments (experiment.h) and workloads (experiments/workload/). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/error.h"

/* ---- The tree -------------------------------------------------------------------------------- */

enum sweep_node_kind { SWEEP_WORD, SWEEP_LIST, SWEEP_MAPPING };

struct sweep_node {
    enum sweep_node_kind kind;
    size_t line, column;      /* counted from 1 */
    char *word;               /* of a word */
    struct sweep_node **item; /* of a list; of a mapping its keys and values in turn */
    size_t count;             /* of items */
};

struct sweep_document {
    const char *file; /* the name in messages; not owned */
    char *text;       /* the file's, owned; a string */
    size_t size;
    struct sweep_node **node; /* all of them, the outermost one first; owned */
    size_t count;             /* 0: the file has no content */
};

/* Reads the text of the file, which is called so in messages: "an experiment". RB_EINVAL. The
 * caller frees the document, also after a failure of this function and the next one. */
int sweep_document_read(struct sweep_document *document, const char *file, const char *what,
                        struct sup_error *error);
/* Makes the tree of the text. RB_EINVAL with a message "FILE:LINE:COLUMN: ..." for what is not
 * YAML, a second document, no content, and values that are nested too deep or that aliases make too
 * many. An alias is the node that it stands for. */
int sweep_document_parse(struct sweep_document *document, struct sup_error *error);
void sweep_document_free(struct sweep_document *document); /* safe on a zeroed struct */

/* The value of a key; NULL if the node, which may be NULL, is no mapping or has no such key. */
const struct sweep_node *sweep_member(const struct sweep_node *node, const char *key);
/* An item of a list; any other value counts as a list of itself. NULL: there is none. */
const struct sweep_node *sweep_item(const struct sweep_node *node, size_t i);

/* RB_EINVAL with the message "FILE:LINE:COLUMN: KEY: what"; without a key "FILE:LINE:COLUMN:
 * what". */
int sweep_fault(const struct sweep_document *document, const struct sweep_node *node,
                const char *key, struct sup_error *error, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- Tables of keys -------------------------------------------------------------------------- */

enum sweep_form {
    SWEEP_ONE,  /* a word */
    SWEEP_SOME, /* a word, or a list of words, at least one */
    SWEEP_ANY,  /* `read` checks it */
};

/* A key that a mapping may have. */
struct sweep_field {
    const char *key;
    enum sweep_form form;
    size_t most; /* letters of SWEEP_ONE, otherwise items of a list */
    /* Reads the value, once all keys have been checked; NULL: the check is all. */
    int (*read)(void *context, const struct sweep_field *field, const struct sweep_node *value);
    const char *values, *fallback; /* in a page's table of keys, which is made of this one; NULL: no
                                    * table has the key */
    /* For readers that several keys have: where the value goes, its bounds or its words, and what
     * else tells keys apart. */
    size_t at;
    int64_t least, largest;
    const char *words[2];
    int id;
};

enum { SWEEP_LETTERS = 4096 }; /* a word of a list has no more */

/* Checks the keys of a mapping in their order in the file: the table must have them, none may be
 * given twice. Then calls `read` for those that are given, in the order of the table. */
int sweep_read_mapping(const struct sweep_document *document, const struct sweep_node *node,
                       const struct sweep_field field[], size_t count, void *context,
                       struct sup_error *error);
/* That the value is a list of `most` mappings at most, at least one, or a mapping. */
int sweep_check_list(const struct sweep_document *document, const struct sweep_field *field,
                     const struct sweep_node *node, struct sup_error *error);
/* The check of a field that takes a word or words. */
int sweep_check_words(const struct sweep_document *document, const struct sweep_field *field,
                      const struct sweep_node *node, struct sup_error *error);
