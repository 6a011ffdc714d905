/* common_options.h - options with the same meaning in every verb, and the lists that options
 * take. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "roundabout.h"
#include "support/error.h"
#include "support/options/options.h"
#include "support/output/table.h"

/* ---- Lists of instances (rb_plan_spec.instance) from one text: q=1..3 is q=1, q=2, q=3 ------- */

struct cli_texts {
    char **text; /* owned, as is each */
    size_t count;
};

/* Adds the instances of a text NAME=VALUES,..., where VALUES is one value or a range as in
 * sup_parse_list: all combinations, with the first name's values changing last. The collective
 * interprets the names. RB_EINVAL; some instances may then have been added. */
int cli_add_instances(const char *text, struct cli_texts *texts, struct sup_error *error);
void cli_texts_free(struct cli_texts *texts); /* safe on a zeroed struct */

/* ---- Lists with words for values that depend on p: 1,2,q,q+1 or 0,middle,last ---------------- */

/* A word for a value that depends on p. */
struct cli_symbol {
    const char *name;
    int64_t (*value)(int32_t p);
};
extern const struct cli_symbol cli_symbol_q;      /* ceil(log2 p) */
extern const struct cli_symbol cli_symbol_p;      /* p */
extern const struct cli_symbol cli_symbol_middle; /* p / 2, rounded down */
extern const struct cli_symbol cli_symbol_last;   /* p - 1 */

struct cli_term {
    const struct cli_symbol *symbol; /* NULL: a number */
    int64_t number;                  /* added to the symbol's value */
};
struct cli_terms {
    struct cli_term *term; /* owned */
    size_t count;
};

/* Items by commas: numbers and ranges (sup_parse_list) from least to most, and the words of symbols
 * (ends with NULL), which may be followed by +k or -k. */
int cli_parse_terms(const char *text, const struct cli_symbol *const symbols[], int64_t least,
                    int64_t most, struct cli_terms *terms, struct sup_error *error);
void cli_terms_free(struct cli_terms *terms);

/* The values for this p in least .. most, without repetitions, in order. Returns their number.
 * value has room for terms->count. */
size_t cli_terms_values(const struct cli_terms *terms, int32_t p, int64_t least, int64_t most,
                        int64_t value[]);

/* ---- The common options ---------------------------------------------------------------------- */

/* Options with the same name, letter and meaning in every verb, as rows for a verb's table, and
 * functions that read their values.
 *
 * A verb with another default, or with a list, writes out the row, with the same name and
 * letter. */

#define CLI_OPTION_FORMAT(formats)                                                                 \
    {                                                                                              \
        .name = "format", .type = CLI_OPT_CHOICE, .value = "FORMAT", .fallback = "table",          \
        .choices = (formats), .help = "output format; docs/formats.md describes csv and json"      \
    }
#define CLI_OPTION_OUTPUT                                                                          \
    {                                                                                              \
        .name = "output", .letter = 'o', .type = CLI_OPT_TEXT, .value = "FILE", .fallback = "-",   \
        .help = "write to this file; - is standard output", .file = CLI_WRITES                     \
    }

/* For verbs with outputs whose names the command line does not say (out_files_replaceable). */
#define CLI_OPTION_FORCE                                                                           \
    {                                                                                              \
        .name = CLI_FORCE, .type = CLI_OPT_FLAG,                                                   \
        .help = "replace files that Roundabout did not make where it writes under names that the " \
                "command line does not say"                                                        \
    }

/* The number of ranks that --ranks gives, or otherwise the file of --algorithm, or the --instance
 * of this collective. RB_EINVAL if none gives it. */
int cli_args_ranks(const struct cli_args *args, const char *collective, int32_t *p,
                   struct sup_error *error);

/* RB_EINVAL, with the nearest name, unless the registry has this name. Messages start with the
 * option. */
int cli_check_collective(const char *name, struct sup_error *error);
int cli_check_algorithm(const char *collective, const char *name, struct sup_error *error);

/* RB_EINVAL with a message that names --root, unless it is one of p ranks. */
int cli_check_root(int32_t root, int32_t p, struct sup_error *error);

/* rb_plan_create, with messages that name the options. The caller owns the plan. */
int cli_request_plan(const struct rb_plan_spec *spec, struct rb_plan **plan,
                     struct sup_error *error);

/* The layout of --bytes, --element and --counts, for a given number of bytes. *first is storage
 * that the caller frees. Messages name the options. RB_EINVAL, RB_ENOMEM. */
int cli_request_layout(const struct cli_args *args, int64_t bytes,
                       const struct rb_collective_info *collective, int32_t p,
                       struct rb_layout *layout, int64_t **first, struct sup_error *error);

/* The elements of the largest part of the data (a rank's, or a rank's for another): with more
 * blocks than that, some are empty. At least 1; INT64_MAX if the collective's instance says how
 * much each rank has. */
int64_t cli_most_blocks(const struct rb_collective_info *collective, int32_t p, int64_t elements,
                        bool regular);
/* A note on standard error if n blocks are more than that. */
void cli_note_empty_blocks(const struct rb_collective_info *collective, int32_t p, int64_t n,
                           const struct rb_layout *layout);

/* The value of --bytes, or of a file whose messages have lengths of their own, their sum; RB_EINVAL
 * if there are both. algorithm may be NULL. */
int cli_request_bytes(const struct cli_args *args, const struct rb_algorithm_info *algorithm,
                      int64_t *bytes, struct sup_error *error);
/* Says on standard error that engines don't time the computation that a file asks for. */
void cli_say_untimed(const struct rb_algorithm_info *algorithm);

/* Writes ", root 3" to buffer for a collective with a root, otherwise "". Returns buffer. */
const char *cli_format_root(const struct rb_collective_info *collective, int32_t root, char *buffer,
                            size_t size);

/* "21 rounds (no pipelined plan has fewer)", "25 rounds (lower bound: 6)". Writes to buffer and
 * returns it. */
const char *cli_format_rounds(const struct rb_plan *plan, char *buffer, size_t size);

/* "lower bounds: 63 for any plan, 192 for one of so few rounds", about blocks in sequence (C2).
 * Writes to buffer and returns it. */
const char *cli_format_least_critical_volume(const struct rb_plan *plan, char *buffer, size_t size);

/* The first option given of the names, "ranks|jobs"; NULL: none. In a static buffer. */
const char *cli_args_first(const struct cli_args *args, const char *names);
/* RB_EINVAL, "--jobs: WHY", if one of the options is given. */
int cli_refuse(const struct cli_args *args, const char *names, const char *why,
               struct sup_error *error);
/* The same, complained about: an exit status. */
int cli_refused(const struct cli_args *args, const char *names, const char *why);

/* The value of --format. */
enum out_format cli_args_format(const struct cli_args *args);

/* Opens the output, lets `print` write to it, and closes it: cli_args_output, cli_finish_output.
 * `print` complains and returns an exit status, as this function does. */
int cli_print(const struct cli_args *args, int (*print)(const struct cli_args *args, FILE *stream));

/* Lets `print` write to standard output, in verbs whose --output is a directory or a database.
 * Complains, and returns an exit status. */
int cli_show(void (*print)(const void *context, FILE *stream), const void *context);

/* out_open for --output, and out_show unless --format is csv or json; complains and
 * returns an enum cli_exit, CLI_EXIT_DONE if it is open.
 */
int cli_args_output(const struct cli_args *args, struct out_file *output);
/* out_close if status is CLI_EXIT_DONE or CLI_EXIT_FALSE, else out_discard; complains.
 * Returns the exit status: the one given unless closing failed. */
int cli_finish_output(struct out_file *output, int status);

/* The words of a repeatable option, "pdf,png", as a set of their places in its list (word_at);
 * "all" is all of them. RB_EINVAL, with the nearest word and the option's name. */
int cli_args_set(const struct cli_args *args, const char *name, unsigned *set,
                 struct sup_error *error);
