/* options.h - one table per verb gives its parsing, its checks, its defaults and its --help. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"
#include "support/output/output.h"
#include "support/units.h"

enum cli_exit { CLI_EXIT_DONE = 0, CLI_EXIT_FALSE = 1, CLI_EXIT_USAGE = 2, CLI_EXIT_FAILED = 3 };

enum cli_option_type {
    CLI_OPT_FLAG,    /* no value */
    CLI_OPT_TEXT,    /* any text; repeatable if the option says so */
    CLI_OPT_CHOICE,  /* one of choices, separated by | in `choices` */
    CLI_OPT_INT,     /* one whole number in least .. most */
    CLI_OPT_INTS,    /* a list of them */
    CLI_OPT_BYTES,   /* one byte count */
    CLI_OPT_BYTESES, /* a list of them */
    CLI_OPT_REAL,
};

/* The use of a file that an option's text, or an operand, names. The parser refuses a command line
 * that writes a file which it reads, or writes a file twice (files.h). */
enum cli_file_use {
    CLI_NO_FILE, /* no file, or a file that the verb itself reports by out_files_read and
                  * out_files_write */
    CLI_READS,
    CLI_WRITES, /* "-" is standard output */
};

struct cli_args; /* parsed values */

struct cli_option {
    const char *name;    /* long name without dashes */
    const char *synonym; /* an older name, or that of other verbs; NULL: none */
    char letter;         /* short name or 0 */
    enum cli_option_type type;
    const char *value;    /* name of the value in the help, "P" */
    const char *fallback; /* default as the user would write it, or NULL */
    const char *help;
    int64_t least, most; /* bounds of a number, or of each value of a list; both 0: least 0, no
                          * upper bound */
    const char *choices; /* of CLI_OPT_CHOICE, separated by | */
    /* The i-th word of a registry, or NULL: further choices; of a text, what it may be, for the
     * help. */
    const char *(*word_at)(int32_t i);
    bool repeatable;
    bool separable; /* and repeatable: commas separate texts; one before KEY=VALUE does not */
    bool required;
    /* Of a text: makes its usual form, which the verb sees; the caller frees it. */
    char *(*usual)(const char *text);
    /* Of a text: adds what follows from other options; NULL: nothing. The caller frees it. */
    char *(*complete)(const struct cli_args *args, const char *text);
    enum cli_file_use file;
    /* A row of another table with the values that this row leaves out (NULL, 0). */
    const struct cli_option *like;
    /* In place of one option: a list of options, without those for which the table has its own row.
     * Sets *option to the i-th; false if there are fewer. */
    bool (*more)(int32_t i, struct cli_option *option);
};

/* The option that cli_verb_main itself heeds in the verbs that have it (CLI_OPTION_FORCE); others
 * take it, and it changes nothing. */
#define CLI_FORCE "force"

/* The first part of an option's row: {CLI_ROW("ranks", INT, "P"), .help = "..."}. */
#define CLI_ROW(name_, type_, value_) .name = name_, .type = CLI_OPT_##type_, .value = value_
#define CLI_FLAG(name_)               .name = name_, .type = CLI_OPT_FLAG

/* Ends a verb's table of options. */
#define CLI_OPTION_END                                                                             \
    {                                                                                              \
        0                                                                                          \
    }

struct cli_verb;

/* Sets *option to the verb's i-th option, completed by what its row refers to; false if there are
 * fewer. */
bool cli_verb_option(const struct cli_verb *verb, int32_t i, struct cli_option *option);

struct cli_verb {
    const char *name;
    const char *title;    /* one line for `roundabout --help` */
    const char *operands; /* "[FILE]" or NULL */
    int32_t least_operands, most_operands;
    const char *words;  /* operands that are words, separated by |, for completions; or NULL */
    const char *reads;  /* name of the operands that are input files; NULL: there are none */
    int32_t reads_from; /* number of the first input file */
    const struct cli_option *options; /* ends with CLI_OPTION_END */
    const char *common; /* names of the options that --help describes, separated by |; NULL: all */
    const char *examples;                    /* lines, each a command that works */
    int (*run)(const struct cli_args *args); /* returns an enum cli_exit */
    /* In an MPI job: should this process print errors? NULL: the verb runs in one process. */
    bool (*speaks)(void);
};

/* The value of an option, or its default if it was not given. The verb's table must have the
 * option, with that type (assert). */
bool cli_args_given(const struct cli_args *args, const char *name);
/* The completed row, or NULL. Only this function accepts names that the table does not have. */
const struct cli_option *cli_args_option(const struct cli_args *args, const char *name);
bool cli_args_flag(const struct cli_args *args, const char *name);
/* True if --details is given, which every verb has: text then says all that is known, otherwise the
 * answer, on one screen. */
bool cli_details(const struct cli_args *args);
const char *cli_args_text(const struct cli_args *args, const char *name); /* NULL: no value */
int32_t cli_args_texts(const struct cli_args *args, const char *name, const char *const **texts);
int64_t cli_args_int(const struct cli_args *args, const char *name);
double cli_args_real(const struct cli_args *args, const char *name);
const struct sup_list *cli_args_list(const struct cli_args *args, const char *name);
int32_t cli_args_operands(const struct cli_args *args, const char *const **operands);
const char *cli_args_operand(const struct cli_args *args); /* the first; NULL: there is none */
/* All arguments after the verb, as given; ends with NULL. */
char *const *cli_args_words(const struct cli_args *args);

/* Parses argv[0 ..], the arguments after the verb, and runs the verb. --help prints the help;
 * --quiet, or ROUNDABOUT_QUIET in the environment, turns progress lines off. A message about an
 * unknown option names the nearest known one. Every message starts with
 * "roundabout VERB: --option: ". Returns the exit status. */
int cli_verb_main(const struct cli_verb *verb, int argc, char *const argv[]);

/* ---- What is said of words that are not taken ------------------------------------------------ */

/* Words that a verb does not take, and what to do instead. */
struct cli_advice {
    const char *verbs; /* separated by |; NULL: every verb; "": words in place of a verb */
    const char *words; /* patterns of fnmatch, separated by |: --OPTION, or an operand */
    const char *to_do; /* @ stands for the word */
};

/* The words of a registry that an option of this name takes, in every verb where it is a name. */
struct cli_registry {
    const char *option;
    const char *(*word_at)(int32_t i); /* NULL beyond the end */
    char *(*usual)(const char *text);  /* as cli_option's, where its row has none; or NULL */
    const char
        *beside; /* words, by |, that "all" in a list doesn't stand for; NULL: there is no "all" */
};

/* All verbs, the table of advice (ends with a row without words) and the registries (end with a row
 * without an option), which stay the caller's. */
void cli_know(const struct cli_verb *const verbs[], int32_t count, const struct cli_advice *advice,
              const struct cli_registry *registries);

/* The registry for an option; NULL: none. */
const struct cli_registry *cli_registry_of(const char *option);

/* True if one of the patterns, separated by |, matches the word. */
bool cli_word_is_among(const char *word, const char *patterns);

/* Complains with what the table says of the word, which was typed so; false: it says nothing. */
bool cli_advise(const char *verb, const char *word, const char *typed);

/* The first verb with an option of this long name or letter; NULL: none. Simulate comes before the
 * others. */
const struct cli_verb *cli_verb_with(const char *name, struct cli_option *option);

/* ---- Messages -------------------------------------------------------------------------------- */

/* Prints a message on standard error: "roundabout VERB: ...", unless it is empty. Returns status.
 * Control characters are printed as \x1b (support/error.h). */
int cli_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Complains with the message of a status that is not RB_OK; returns the exit status (cli_exit_of).
 */
int cli_fail(int status, const struct sup_error *error);
/* Sets the verb that messages name from now on; NULL: none. cli_verb_main calls it. */
void cli_complain_as(const char *verb);
/* Turns messages on or off. They are on except in processes of an MPI job for which another process
 * prints them. */
void cli_complain_aloud(bool aloud);
/* Turns progress lines on or off, for bars that are started later. They are on unless --quiet or
 * ROUNDABOUT_QUIET turns them off; cli_verb_main calls it. */
void cli_show_progress(bool shown);

/* The exit status for an RB_E... status: RB_OK: done; RB_EWRONG: false; RB_EINVAL and RB_ENOTSUP:
 * usage; any other: failed. */
int cli_exit_of(int status);

/* Release and commit: "2.0.0+0123456789ab". */
extern const char cli_program_version[];
/* The commit's day: "2026-01-31". */
extern const char cli_program_date[];

/* A progress line with an estimate of the time left, on standard error: on a terminal it is
 * replaced up to five times a second, elsewhere a line is printed every 10 s. */
struct cli_bar {
    const char *what;
    int64_t total;
    double started_s, shown_s;
    double part_s; /* when the present part began; of cli_bar_start_parts */
    int64_t part;
    int percent; /* shown last: it never falls */
    bool hidden, terminal;
};
void cli_bar_start(struct cli_bar *bar, const char *what, int64_t total);
/* A bar of so many parts, about equally long, each of which starts bars of its own: until this one
 * ends, these are shown in its line. */
void cli_bar_start_parts(struct cli_bar *bar, const char *what, int64_t parts);
void cli_bar_part(struct cli_bar *bar, int64_t part); /* this one begins, from 0 on */
/* For work that writes its result meanwhile. Nothing is shown unless the output (may be NULL) is a
 * file: on a terminal, also a pager's, the line would stand in the middle of the result. */
void cli_bar_start_writing(struct cli_bar *bar, const char *what, int64_t total,
                           const struct out_file *output);
void cli_bar_update(struct cli_bar *bar, int64_t done, const char *note);
/* For work whose time left is known otherwise; total 0 is fine. The percentage is the share of the
 * time. */
void cli_bar_show(struct cli_bar *bar, double left_s, const char *note);
/* For work that knows which share of it is done: the context is a bar. */
void cli_bar_share(void *context, double share);
/* Before work that will take a minute or more: shows that at once, whatever the work tells later.
 */
void cli_bar_foretell(struct cli_bar *bar, double left_s);
/* False if an update now would show nothing. */
bool cli_bar_is_due(const struct cli_bar *bar);
void cli_bar_end(struct cli_bar *bar);
/* Removes the line of any bar, before something is printed on standard output, which may be the
 * same terminal. */
void cli_bar_hide(void);
