/* rules_format.h - what formats of rules have in common; private to this folder. */
#pragma once

#include <jansson.h>

#include "mpi/vendors/rules/rules.h"

/* A rule as it was read. Of the lines of a call the first group that holds for p and the nodes
 * counts, and in it the first line that holds for the size; a format with `last_wins` goes through
 * the lines from the end. */
struct rules_line {
    const struct rules_call *call;
    int group;
    struct rules_rule rule;        /* row, nodes, p, sizes, radix, segment */
    int64_t nodes_low, nodes_high; /* numbers of nodes for which it holds; 0: all */
    char name[96];
};

struct rules_file {
    const struct rules_format *format;
    struct rules_line *line; /* owned */
    size_t count;
    json_t *tree; /* owned; of formats with a look-up of their own */
};

/* A text that is being read. */
struct rules_text {
    const char *name; /* of the file, for messages */
    const char *at, *end;
    int line; /* from 1; 0: messages name none */
};

/* Of all of Open MPI's formats. */
extern const struct rules_call rules_ompi_calls[];
#define RULES_OMPI_VARIABLES                                                                       \
    "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=@"

/* The call of this name, or of this number; NULL: none. */
const struct rules_call *rules_call_named(const struct rules_format *format, const char *call);
const struct rules_call *rules_call_numbered(const struct rules_format *format, int64_t id);

/* What the library compares with the thresholds. */
int64_t rules_size_of(const struct rules_call *call, int32_t p, int64_t m_bytes);

/* The first rule from `from` on of another call, or of another call or range of ranks; table->count
 * at the end. */
size_t rules_call_end(const struct rules_table *table, size_t from);
size_t rules_ranks_end(const struct rules_table *table, size_t from);

/* Calls `read` with each line of the text, without its end, which it may change. With a variable's
 * name, or the beginning of one: with what follows that in each setting of it, "BCAST=1:0-4095",
 * without quotes, wherever it stands in a line that is no comment; RB_EINVAL if there are none. */
typedef int rules_line_reader(const struct rules_text *text, char *line, struct rules_file *file,
                              struct sup_error *error);
int rules_each_line(struct rules_text *text, const char *variable, rules_line_reader *read,
                    struct rules_file *file, struct sup_error *error);

/* True if the word stands in a text, with at least one character after it. */
bool rules_has_word(const char *text, size_t size, const char *word);

/* Adds a line: zeroed, but for the call and ranges that hold for everything; of an algorithm, if
 * there is one. */
struct rules_line *rules_add(struct rules_file *file, const struct rules_call *call,
                             const struct mpilib_algorithm *row);

/* "NAME, line N: ...". Returns RB_EINVAL. */
int rules_complain(const struct rules_text *text, struct sup_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a file of at most so many bytes; the caller frees the text, also on failure. RB_EINVAL,
 * RB_EIO. */
int rules_slurp(const char *path, size_t most, char **text, size_t *size, struct sup_error *error);

/* Reads the whole text as JSON, which the caller frees; messages about its content have no line. */
int rules_load_json(struct rules_text *text, json_t **json, struct sup_error *error);

/* The lines of the head, each begun with `comment`, among them how good the rules are. */
void rules_write_head(const struct rules_table *table, const struct rules_head *head,
                      const char *comment, FILE *stream);
/* What a rule's comment says: "chain, n by segments of 64KiB; 12 % faster than the next best". */
const char *rules_comment(const struct rules_rule *rule, char *text, size_t size);
