/* options.h - one table per verb gives its parsing, its checks, its defaults and its --help. */
#ifndef RB_COMMAND_OPTIONS_OPTIONS_H
#define RB_COMMAND_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/output/output.h"
#include "support/error.h"
#include "support/units.h"

enum rb_exit { RB_EXIT_DONE = 0, RB_EXIT_FALSE = 1, RB_EXIT_USAGE = 2, RB_EXIT_FAILED = 3 };

enum rb_option_type {
    RB_OPT_FLAG,    /* no value */
    RB_OPT_TEXT,    /* any text; repeatable if the option says so */
    RB_OPT_CHOICE,  /* one of choices, separated by | in `choices` */
    RB_OPT_INT,     /* one whole number in least .. most */
    RB_OPT_INTS,    /* a list of them */
    RB_OPT_BYTES,   /* one byte count */
    RB_OPT_BYTESES, /* a list of them */
    RB_OPT_REAL,
};

/* What the text of an option, or an operand, names. The parser refuses a command line that writes a
 * file which it reads, or writes twice (files.h). */
enum rb_file_use {
    RB_NO_FILE, /* or one that only the verb knows of: it calls rb_files_read and rb_files_write */
    RB_READS,
    RB_WRITES, /* "-" is standard output */
};

struct rb_option {
    const char *name; /* long name without dashes */
    char letter;      /* short name or 0 */
    enum rb_option_type type;
    const char *value;    /* what the value is called in the help, "P" */
    const char *fallback; /* default as the user would write it, or NULL */
    const char *help;
    int64_t least, most; /* bounds of numbers, for lists of each value; both 0: least 0, no most */
    const char *choices;
    /* The words that a text may have, of a registry: the i-th, or NULL. For the help. */
    const char *(*word_at)(int32_t i);
    bool repeatable;
    bool required;
    enum rb_file_use file;
    /* A row of another table that says what this row leaves out (NULL, 0). */
    const struct rb_option *like;
    /* In place of an option: a list of them, without those that the table has a row of its own for.
     * Sets *option to the i-th; false if there are fewer. */
    bool (*more)(int32_t i, struct rb_option *option);
};

/* Common options: one name, letter and meaning everywhere (DESIGN.md); the default and whether a
 * list is taken are the verb's. */
#define RB_OPTION_END                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

struct rb_args; /* parsed values */
struct rb_verb;

/* Sets *option to the verb's i-th option, completed by what its row refers to; false if there are
 * fewer. */
bool rb_verb_option(const struct rb_verb *verb, int32_t i, struct rb_option *option);

struct rb_verb {
    const char *name;
    const char *title;    /* one line for `roundabout --help` */
    const char *operands; /* "[FILE]" or NULL */
    int32_t least_operands, most_operands;
    const char *reads;  /* what operands are called that are files which are read; NULL: none are */
    int32_t reads_from; /* the first of them */
    const struct rb_option *options;        /* ends with RB_OPTION_END */
    const char *examples;                   /* lines, each a command that works */
    int (*run)(const struct rb_args *args); /* returns an enum rb_exit */
    /* In an MPI job: should this process print errors? NULL: the verb runs in one process. */
    bool (*speaks)(void);
};

/* The value of an option, or its default if it was not given. The verb's table must have the
 * option, with that type (assert). */
bool rb_args_given(const struct rb_args *args, const char *name);
/* The completed row, or NULL: this alone may be asked for any name. */
const struct rb_option *rb_args_option(const struct rb_args *args, const char *name);
bool rb_args_flag(const struct rb_args *args, const char *name);
const char *rb_args_text(const struct rb_args *args, const char *name); /* NULL: no value */
int32_t rb_args_texts(const struct rb_args *args, const char *name, const char *const **texts);
int64_t rb_args_int(const struct rb_args *args, const char *name);
double rb_args_real(const struct rb_args *args, const char *name);
const struct rb_list *rb_args_list(const struct rb_args *args, const char *name);
int32_t rb_args_operands(const struct rb_args *args, const char *const **operands);
/* All arguments after the verb, as given; ends with NULL. */
char *const *rb_args_words(const struct rb_args *args);

/* Parses argv[0 ..], the arguments after the verb, and runs the verb. --help prints the help;
 * --quiet, or ROUNDABOUT_QUIET in the environment, turns progress lines off. A message about an
 * unknown option names the nearest known one. Every message starts with
 * "roundabout VERB: --option: ". Returns the exit status. */
int rb_verb_main(const struct rb_verb *verb, int argc, char *const argv[]);

/* Prints a message on standard error: "roundabout VERB: ...". Returns status. Control characters
 * are printed as \x1b (support/visible.h). */
int rb_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the verb that messages name from now on; NULL: none. rb_verb_main calls it. */
void rb_complain_as(const char *verb);
/* Turns messages on or off. They are on, except in processes of an MPI job whose messages another
 * process prints. */
void rb_complain_aloud(bool aloud);
/* Turns progress lines on or off, for bars that are started later. They are on unless --quiet or
 * ROUNDABOUT_QUIET turns them off; rb_verb_main calls it. */
void rb_show_progress(bool shown);

/* The exit status for an RB_E... status: RB_OK: done; RB_EWRONG: false; RB_EINVAL and RB_ENOTSUP:
 * usage; any other: failed. */
int rb_exit_of(int status);

/* Release and commit: "0.1.0+0123456789ab". */
extern const char rb_program_version[];

/* A progress line with an estimate of the time left, on standard error: on a terminal it is
 * replaced up to five times a second, elsewhere a line is printed every 10 s. */
struct rb_bar {
    const char *what;
    int64_t total;
    double started, shown;
    bool terminal;
};
void rb_bar_start(struct rb_bar *bar, const char *what, int64_t total);
void rb_bar_update(struct rb_bar *bar, int64_t done, const char *note);
void rb_bar_end(struct rb_bar *bar);

#endif
