/* options.c - from a verb's table of options to checked values (options.h). The help of the same
 * table is in help.c. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/options/help.h"
#include "support/options/options.h"
#include "support/output/files.h"
#include "support/output/output.h"
#include "support/output/table.h"

enum { MOST_OPTIONS = 64, MOST_LIST_VALUES = 1 << 20, FIRST_LONG = 256 };

struct slot {
    bool given;
    int32_t text_count;
    const char **texts; /* as written, or pieces of it; the array is owned */
    char **pieces;      /* owned: texts between commas, and usual forms */
    size_t piece_count;
    int64_t integer;
    double real;
    struct sup_list list;
};

struct cli_args {
    const struct cli_verb *verb;
    struct cli_option options[MOST_OPTIONS + 1]; /* completed, with those of every verb; ends with
                                                  * CLI_OPTION_END */
    struct slot slots[MOST_OPTIONS];
    int32_t operand_count;
    const char *const *operands;
    char *const *words;
    struct slot words_made; /* its pieces: words in their usual form */
};

static bool speaks(const struct cli_verb *verb)
{
    return verb->speaks == NULL || verb->speaks();
}

/* ---- The verb's table ------------------------------------------------------------------------ */

/* Completes a row with the values that it leaves out. */
static struct cli_option complete(const struct cli_option *row)
{
    struct cli_option option = *row;
    const struct cli_option *like = row->like;
    if (like == NULL)
        return option;
    option.name = row->name != NULL ? row->name : like->name;
    option.synonym = row->synonym != NULL ? row->synonym : like->synonym;
    option.letter = row->letter != 0 ? row->letter : like->letter;
    option.type = row->type != CLI_OPT_FLAG ? row->type : like->type;
    option.value = row->value != NULL ? row->value : like->value;
    option.fallback = row->fallback != NULL ? row->fallback : like->fallback;
    option.help = row->help != NULL ? row->help : like->help;
    option.choices = row->choices != NULL ? row->choices : like->choices;
    option.usual = row->usual != NULL ? row->usual : like->usual;
    option.complete = row->complete != NULL ? row->complete : like->complete;
    option.word_at = row->word_at != NULL ? row->word_at : like->word_at;
    if (row->most == 0) {
        option.least = like->least;
        option.most = like->most;
    }
    return option;
}

static bool is_row(const struct cli_option *row)
{
    return row->name != NULL || row->like != NULL || row->more != NULL;
}

static bool has_row(const struct cli_verb *verb, const char *name)
{
    for (const struct cli_option *row = verb->options; is_row(row); row++) {
        const char *own = row->name == NULL && row->like != NULL ? row->like->name : row->name;
        if (own != NULL && strcmp(own, name) == 0)
            return true;
    }
    return false;
}

bool cli_verb_option(const struct cli_verb *verb, int32_t i, struct cli_option *option)
{
    for (const struct cli_option *row = verb->options; is_row(row); row++) {
        if (row->more == NULL && i-- == 0) {
            *option = complete(row);
            return true;
        }
        for (int32_t k = 0; row->more != NULL && row->more(k, option); k++)
            if (!has_row(verb, option->name) && i-- == 0)
                return true;
    }
    return false;
}

static void read_table(struct cli_args *args)
{
    int32_t count = 0;
    while (count < MOST_OPTIONS && cli_help_option(args->verb, count, &args->options[count]))
        count++;
    args->options[count] = (struct cli_option){0};
    assert(!cli_help_option(args->verb, MOST_OPTIONS, &(struct cli_option){0}));
}

/* ---- One value ------------------------------------------------------------------------------- */

static int check_choice(const struct cli_option *option, const char *text, struct sup_error *error)
{
    enum { MOST_WORDS = 64 };
    char choices[CLI_HELP_SIZE], copy[CLI_HELP_SIZE], *rest;
    const char *words[MOST_WORDS];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", cli_help_choices(option, choices));
    for (char *word = strtok_r(copy, "|", &rest); word != NULL && count < MOST_WORDS;
         word = strtok_r(NULL, "|", &rest)) {
        words[count++] = word;
        if (strcmp(word, text) == 0)
            return RB_OK;
    }
    const char *nearest = sup_nearest_word(text, words, count);
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL, "unknown \"%s\": did you mean %s? (one of %s)", text,
                        nearest, choices);
    return sup_fail(error, RB_EINVAL, "unknown \"%s\": it must be one of %s", text, choices);
}

static int parse_real(const struct cli_option *option, int64_t most, const char *text,
                      double *value, struct sup_error *error)
{
    int status = sup_parse_real(text, value, error);
    if (status == RB_OK && (*value < (double)option->least || *value > (double)most)) {
        if (most == INT64_MAX)
            return sup_fail(error, RB_EINVAL, "\"%s\" is below %" PRId64, text, option->least);
        return sup_fail(error, RB_EINVAL, "\"%s\" is not between %" PRId64 " and %" PRId64, text,
                        option->least, most);
    }
    return status;
}

static int parse_bytes(const struct cli_option *option, int64_t most, const char *text,
                       int64_t *value, struct sup_error *error)
{
    int status = sup_parse_bytes(text, value, error);
    if (status == RB_OK && (*value < option->least || *value > most))
        return sup_fail(error, RB_EINVAL, "\"%s\" is not between %" PRId64 " and %" PRId64 " bytes",
                        text, option->least, most);
    return status;
}

static int parse_value(const struct cli_option *option, const char *text, struct slot *slot,
                       struct sup_error *error)
{
    int64_t most = option->least == 0 && option->most == 0 ? INT64_MAX : option->most;
    switch (option->type) {
    case CLI_OPT_FLAG:
        return RB_OK;
    case CLI_OPT_TEXT:
        if (*text == '\0')
            return sup_fail(error, RB_EINVAL, "needs a value: %s", option->value);
        return RB_OK;
    case CLI_OPT_CHOICE:
        return check_choice(option, text, error);
    case CLI_OPT_INT:
        if (strpbrk(text, ",") != NULL || strstr(text, "..") != NULL)
            return sup_fail(
                error, RB_EINVAL,
                "\"%s\" is a list: give one number; roundabout sweep and roundabout tune "
                "--search take lists",
                text);
        return sup_parse_int(text, option->least, most, &slot->integer, error);
    case CLI_OPT_BYTES:
        return parse_bytes(option, most, text, &slot->integer, error);
    case CLI_OPT_REAL:
        return parse_real(option, most, text, &slot->real, error);
    case CLI_OPT_INTS:
    case CLI_OPT_BYTESES:
        return sup_parse_list(text, option->type == CLI_OPT_BYTESES, option->least, most,
                              MOST_LIST_VALUES, &slot->list, error);
    }
    assert(false && "an option type without a parser");
    return RB_EINVAL;
}

static int set_one(struct cli_args *args, int32_t i, const char *text, struct sup_error *error)
{
    const struct cli_option *option = &args->options[i];
    struct slot *slot = &args->slots[i];
    if (slot->text_count > 0 && !option->repeatable)
        return sup_fail(error, RB_EINVAL, "given twice");
    for (int32_t k = 0; k < slot->text_count; k++)
        if (strcmp(slot->texts[k], text) == 0)
            return RB_OK; /* said twice is said once */
    sup_grow(&slot->texts, (size_t)slot->text_count, sizeof *slot->texts);
    slot->texts[slot->text_count++] = text;
    return parse_value(option, text, slot, error);
}

/* The length of the first text of a list. A comma before "latency=2us" belongs to the text, one
 * before "bruck:r=2" does not. */
static size_t first_text(const char *list)
{
    size_t length = strcspn(list, ",");
    while (list[length] == ',') {
        const char *next = list + length + 1;
        const size_t name = strcspn(next, ",:=");
        if (next[name] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return length;
}

static const char *keep_piece(struct slot *slot, char *piece)
{
    sup_grow(&slot->pieces, slot->piece_count, sizeof *slot->pieces);
    return slot->pieces[slot->piece_count++] = piece;
}

/* Each word of the registry for which "all" stands. */
static int set_all(struct cli_args *args, int32_t i, const struct cli_registry *registry,
                   struct sup_error *error)
{
    int status = RB_OK;
    const char *word;
    for (int32_t k = 0; status == RB_OK && (word = registry->word_at(k)) != NULL; k++)
        if (!cli_word_is_among(word, registry->beside))
            status = set_one(args, i, word, error);
    return status;
}

/* An option's value, or each text of it if it is a list. */
static int set_value(struct cli_args *args, int32_t i, const char *text, struct sup_error *error)
{
    struct slot *slot = &args->slots[i];
    const struct cli_registry *registry = cli_registry_of(args->options[i].name);
    if (args->options[i].usual != NULL)
        text = keep_piece(slot, args->options[i].usual(text));
    else if (registry != NULL && registry->usual != NULL)
        text = keep_piece(slot, registry->usual(text));
    if (args->options[i].separable && registry != NULL && registry->beside != NULL &&
        strcmp(text, "all") == 0)
        return set_all(args, i, registry, error);
    if (!args->options[i].separable || text[first_text(text)] == '\0')
        return set_one(args, i, text, error);
    int status = RB_OK;
    for (const char *at = text; at != NULL && status == RB_OK;) {
        const size_t length = first_text(at);
        status = set_one(args, i, keep_piece(slot, sup_strndup(at, length)), error);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return status;
}

/* ---- The command line ------------------------------------------------------------------------ */

/* Words of other tools that mean the same as an option: each row is taken where the verb has the
 * option and none of the word's name. */
static const char *const synonyms[][2] = {
    {"np|nprocs|procs|processes|ntasks|nranks|num-ranks", "ranks"},
    {"ranks-per-node|tasks-per-node|ntasks-per-node|npernode|ranks-per-host", "ppn"},
    {"nnodes|num-nodes", "nodes"},
    {"algo|algorithms", "algorithm"},
    {"collectives", "collective"},
    {"message-size|msg-size|message-sizes", "bytes"},
    {"platforms|cluster", "platform"},
    {"workers|threads", "jobs"},
    {"out|output-file", "output"},
};

static const struct cli_option *option_named(const struct cli_args *args, const char *name)
{
    const struct cli_option *option = args->options;
    while (option->name != NULL && strcmp(option->name, name) != 0 &&
           (option->synonym == NULL || strcmp(option->synonym, name) != 0))
        option++;
    return option->name == NULL ? NULL : option;
}

/* The option that a word without its dashes names in full; NULL: none. */
static const struct cli_option *option_meant(const struct cli_args *args, const char *word)
{
    const struct cli_option *option = option_named(args, word);
    for (size_t i = 0; option == NULL && i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (cli_word_is_among(word, synonyms[i][0]))
            option = option_named(args, synonyms[i][1]);
    return option;
}

/* The usual form of a word that starts with a dash: --NAME for a synonym and for -NAME; otherwise
 * the word. */
static char *usual_word(struct cli_args *args, char *word)
{
    const size_t dashes = strspn(word, "-"), length = strcspn(word + dashes, "=");
    if (dashes == 0 || dashes > 2 || length < 2)
        return word;
    char *name = sup_strndup(word + dashes, length);
    const struct cli_option *option = option_meant(args, name);
    free(name);
    if (option == NULL)
        return word;
    char *usual = sup_format("--%s%s", option->name, word + dashes + length);
    keep_piece(&args->words_made, usual);
    return usual;
}

/* Is the blank in "1 MiB" one that separates two words? */
static bool is_unit_of(const char *word, const char *before)
{
    const size_t digits = strlen(before);
    return digits > 0 && strspn(before, "0123456789.,*+^_") == digits &&
           cli_word_is_among(word, "B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB|k|K|M|G");
}

/* Puts words into their usual forms, up to "--"; returns how many there are. --force is for verbs
 * with outputs whose names the command line does not say; others have nothing to replace. */
static int use_usual_words(struct cli_args *args, int argc, char *argv[])
{
    int count = 0, i = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (count > 0 && is_unit_of(argv[i], argv[count - 1])) {
            argv[count - 1] = sup_format("%s%s", argv[count - 1], argv[i]);
            keep_piece(&args->words_made, argv[count - 1]);
        } else if (strcmp(argv[i], "--" CLI_FORCE) != 0 || option_named(args, CLI_FORCE) != NULL) {
            argv[count++] = usual_word(args, argv[i]);
        }
    while (i < argc)
        argv[count++] = argv[i++];
    argv[count] = NULL;
    return count;
}

/* The tables for getopt_long. Long options return FIRST_LONG + i, letters return themselves. */
struct getopt_tables {
    struct option longs[2 * MOST_OPTIONS + 1];
    char letters[2 * MOST_OPTIONS + 2];
};

static void build_tables(const struct cli_args *args, struct getopt_tables *tables)
{
    struct option *end = tables->longs;
    char *letter = tables->letters;
    *letter++ = ':'; /* distinguish a missing value from an unknown option */
    for (int32_t i = 0; args->options[i].name != NULL; i++) {
        const struct cli_option *option = &args->options[i];
        int has_value = option->type == CLI_OPT_FLAG ? no_argument : required_argument;
        *end++ = (struct option){option->name, has_value, NULL, FIRST_LONG + i};
        if (option->synonym != NULL)
            *end++ = (struct option){option->synonym, has_value, NULL, FIRST_LONG + i};
        if (option->letter == 0)
            continue;
        *letter++ = option->letter;
        if (has_value == required_argument)
            *letter++ = ':';
    }
    *letter = '\0';
    *end = (struct option){0};
}

/* The option for a value of getopt_long; -1: none. */
static int32_t option_index(const struct cli_args *args, int code)
{
    if (code >= FIRST_LONG)
        return code - FIRST_LONG;
    for (int32_t i = 0; args->options[i].name != NULL; i++)
        if (args->options[i].letter == code)
            return i;
    return -1;
}

static int complain_ambiguous(const struct cli_args *args, const char *text, size_t length)
{
    char candidates[256] = "";
    for (const struct cli_option *option = args->options; option->name != NULL; option++)
        if (strncmp(option->name, text, length) == 0)
            sup_append(candidates, sizeof candidates, ", ", "--%s", option->name);
    return cli_complain(CLI_EXIT_USAGE, "--%.*s: could be %s", (int)length, text, candidates);
}

/* Complains of an option that this verb lacks; word is as it was typed, name is the long name. */
static int complain_unknown(const struct cli_args *args, const char *word, const char *name)
{
    const char *verb = args->verb->name, *words[MOST_OPTIONS];
    struct cli_option option;
    size_t count = 0;
    char long_name[80];
    snprintf(long_name, sizeof long_name, "--%s", name);
    if (cli_advise(verb, word, word) || cli_advise(verb, long_name, word))
        return CLI_EXIT_USAGE;
    const struct cli_verb *other = cli_verb_with(name, &option);
    if (other != NULL)
        return cli_complain(
            CLI_EXIT_USAGE,
            "%s: %s has no such option: leave it out, or see roundabout %s --%s%s%s", word, verb,
            other->name, option.name, option.value == NULL ? "" : " ",
            option.value == NULL ? "" : option.value);
    for (const struct cli_option *own = args->options; own->name != NULL; own++)
        words[count++] = own->name;
    const char *nearest = word[1] == '-' ? sup_nearest_word(name, words, count) : NULL;
    if (nearest != NULL)
        return cli_complain(CLI_EXIT_USAGE, "%s: unknown option: did you mean --%s?", word,
                            nearest);
    return cli_complain(CLI_EXIT_USAGE, "%s: unknown option: see roundabout %s --help", word, verb);
}

/* argument is the whole one: --name, --name=value. */
static int complain_unknown_long(const struct cli_args *args, const char *argument)
{
    const char *name = argument + 2;
    size_t length = strcspn(name, "="), same_start = 0;
    for (const struct cli_option *option = args->options; option->name != NULL; option++)
        same_start += strncmp(option->name, name, length) == 0;
    if (same_start > 1)
        return complain_ambiguous(args, name, length);
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 61 ? length + 2 : 63), argument);
    return complain_unknown(args, word, word + 2);
}

static int complain_unknown_letter(const struct cli_args *args, int letter)
{
    const char word[] = {'-', (char)letter, '\0'};
    struct cli_option option;
    if (cli_verb_with(word + 1, &option) == NULL)
        return complain_unknown(args, word, word + 1);
    if (option_named(args, option.name) != NULL)
        return cli_complain(CLI_EXIT_USAGE, "%s: write --%s", word, option.name);
    return complain_unknown(args, word, option.name);
}

/* getopt_long returned '?' or ':' for this argument. */
static int complain_about(const struct cli_args *args, int said, int code, const char *argument)
{
    int32_t i = code == 0 ? -1 : option_index(args, code);
    if (said == ':')
        return cli_complain(CLI_EXIT_USAGE, "--%s: needs a value: %s", args->options[i].name,
                            args->options[i].value);
    if (code == 0)
        return complain_unknown_long(args, argument);
    if (i >= 0)
        return cli_complain(CLI_EXIT_USAGE, "--%s: takes no value", args->options[i].name);
    return complain_unknown_letter(args, code);
}

static bool has_word(char *const words[], const char *word)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

enum { RUN_VERB = -1 }; /* parsed: run the verb */

/* A value may be a word of which the table of advice knows more than that it is unknown. */
static int complain_value(const struct cli_args *args, const struct cli_option *option,
                          const char *value, int status, const struct sup_error *error)
{
    char word[80];
    snprintf(word, sizeof word, "--%s=%s", option->name, value == NULL ? "" : value);
    if (cli_advise(args->verb->name, word, word))
        return CLI_EXIT_USAGE;
    return cli_complain(cli_exit_of(status), "--%s: %s", option->name, error->text);
}

static int parse_options(struct cli_args *args, int argc, char *argv[])
{
    struct getopt_tables tables = {0};
    build_tables(args, &tables);
    opterr = 0;
    optind = 0; /* glibc: forget everything about an earlier command line */
    for (int code; (code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1;) {
        if (code == '?' || code == ':')
            return complain_about(args, code, optopt, argv[optind - 1]);
        int32_t i = option_index(args, code);
        struct sup_error error;
        int status = set_value(args, i, optarg == NULL ? "" : optarg, &error);
        if (status != RB_OK)
            return complain_value(args, &args->options[i], optarg, status, &error);
        args->slots[i].given = true;
        if (strcmp(args->options[i].name, "help") == 0) {
            if (speaks(args->verb))
                cli_help_verb(args->verb, has_word(argv, "--details"));
            return CLI_EXIT_DONE;
        }
    }
    if (cli_args_flag(args, "quiet"))
        cli_show_progress(false);
    if (cli_details(args))
        out_text_fit(0);
    args->operands = (const char *const *)&argv[optind];
    args->operand_count = argc - optind;
    return RUN_VERB;
}

static int set_defaults(struct cli_args *args)
{
    for (int32_t i = 0; args->options[i].name != NULL; i++) {
        const struct cli_option *option = &args->options[i];
        if (args->slots[i].given)
            continue;
        if (option->required) {
            char letter[8] = "";
            if (option->letter != 0)
                snprintf(letter, sizeof letter, "-%c or ", option->letter);
            return cli_complain(CLI_EXIT_USAGE, "--%s: missing: give %s--%s %s (%s)", option->name,
                                letter, option->name, option->value, option->help);
        }
        struct sup_error error;
        if (option->fallback != NULL && option->type != CLI_OPT_FLAG) {
            int status = set_value(args, i, option->fallback, &error);
            assert(status != RB_EINVAL);
            if (status != RB_OK)
                return cli_complain(cli_exit_of(status), "--%s: %s", option->name, error.text);
        }
    }
    return RUN_VERB;
}

static void complete_texts(struct cli_args *args)
{
    for (int32_t i = 0; args->options[i].name != NULL; i++) {
        struct slot *slot = &args->slots[i];
        for (int32_t k = 0; args->options[i].complete != NULL && k < slot->text_count; k++) {
            char *text = args->options[i].complete(args, slot->texts[k]);
            if (text != NULL)
                slot->texts[k] = keep_piece(slot, text);
        }
    }
}

static int check_operands(const struct cli_args *args)
{
    const struct cli_verb *verb = args->verb;
    if (args->operand_count < verb->least_operands)
        return cli_complain(CLI_EXIT_USAGE, "missing operand: roundabout %s %s", verb->name,
                            verb->operands);
    if (args->operand_count <= verb->most_operands)
        return RUN_VERB;
    const char *extra = args->operands[verb->most_operands];
    if (cli_advise(verb->name, extra, extra))
        return CLI_EXIT_USAGE;
    return cli_complain(CLI_EXIT_USAGE, "unexpected \"%s\": usage: roundabout %s [OPTION]...%s%s",
                        extra, verb->name, verb->operands == NULL ? "" : " ",
                        verb->operands == NULL ? "" : verb->operands);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* One text of an option, "--platform", or one operand, "RESULTS". */
static int note_file(enum cli_file_use use, const char *dashes, const char *name, const char *path,
                     struct sup_error *error)
{
    char what[64];
    snprintf(what, sizeof what, "%s%s", dashes, name);
    return use == CLI_READS ? out_files_read(what, path, error)
                            : out_files_write(what, path, error);
}

/* Inputs are registered before outputs, so that the message blames the output. */
static int check_files(const struct cli_args *args, enum cli_file_use use)
{
    const struct cli_verb *verb = args->verb;
    struct sup_error error;
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && args->options[i].name != NULL; i++) {
        const struct slot *slot = &args->slots[i];
        const int32_t texts = args->options[i].file == use ? slot->text_count : 0;
        for (int32_t k = 0; k < texts && status == RB_OK; k++)
            status = note_file(use, "--", args->options[i].name, slot->texts[k], &error);
    }
    const int32_t read = use == CLI_READS && verb->reads != NULL ? args->operand_count : 0;
    for (int32_t i = verb->reads_from; i < read && status == RB_OK; i++)
        status = note_file(use, "", verb->reads, args->operands[i], &error);
    return status == RB_OK ? RUN_VERB : cli_fail(status, &error);
}

static void free_args(struct cli_args *args)
{
    for (int32_t i = 0; i < MOST_OPTIONS; i++) {
        free(args->slots[i].texts);
        for (size_t k = 0; k < args->slots[i].piece_count; k++)
            free(args->slots[i].pieces[k]);
        free(args->slots[i].pieces);
        sup_list_free(&args->slots[i].list);
    }
    for (size_t k = 0; k < args->words_made.piece_count; k++)
        free(args->words_made.pieces[k]);
    free(args->words_made.pieces);
    free(args);
}

/* Where there is no memory: the program ends with its one line, and unfinished outputs don't stay.
 */
static void give_up(void)
{
    out_remove_unfinished();
    cli_complain(CLI_EXIT_FAILED, "out of memory");
}

int cli_verb_main(const struct cli_verb *verb, int argc, char *const argv[])
{
    cli_complain_as(verb->name);
    cli_complain_aloud(speaks(verb));
    sup_no_memory_handler(give_up);
    json_set_alloc_funcs(sup_malloc, free);
    sup_input_listen(out_files_read);
    cli_show_progress(getenv("ROUNDABOUT_QUIET") == NULL);
    out_text_fit(out_terminal_width());
    struct cli_args *args = sup_calloc(1, sizeof *args);
    /* getopt_long expects a program name first and reorders the array. */
    char **copy = sup_calloc((size_t)argc + 2, sizeof *copy);
    args->verb = verb;
    args->words = argv;
    read_table(args);
    copy[0] = (char[]){"roundabout"};
    memcpy(copy + 1, argv, (size_t)argc * sizeof *copy);
    argc = use_usual_words(args, argc, copy + 1);
    int status = parse_options(args, argc + 1, copy);
    if (status == RUN_VERB)
        status = check_operands(args);
    if (status == RUN_VERB)
        status = set_defaults(args);
    if (status == RUN_VERB)
        complete_texts(args);
    if (status == RUN_VERB)
        status = check_files(args, CLI_READS);
    if (status == RUN_VERB)
        status = check_files(args, CLI_WRITES);
    if (status == RUN_VERB && cli_args_option(args, CLI_FORCE) != NULL &&
        cli_args_flag(args, CLI_FORCE))
        out_files_force();
    if (status == RUN_VERB)
        status = verb->run(args);
    out_files_clear();
    free_args(args);
    free(copy);
    return status;
}

int cli_exit_of(int status)
{
    switch (status) {
    case RB_OK:
        return CLI_EXIT_DONE;
    case RB_EWRONG:
        return CLI_EXIT_FALSE;
    case RB_EINVAL:
    case RB_ENOTSUP:
        return CLI_EXIT_USAGE;
    default:
        return CLI_EXIT_FAILED;
    }
}

int cli_fail(int status, const struct sup_error *error)
{
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error->text);
}

/* ---- Values for the verb --------------------------------------------------------------------- */

enum { /* sets of types, for the accessors' assertions */
       TEXTS = 1 << CLI_OPT_TEXT | 1 << CLI_OPT_CHOICE,
       INTEGERS = 1 << CLI_OPT_INT | 1 << CLI_OPT_BYTES,
       LISTS = 1 << CLI_OPT_INTS | 1 << CLI_OPT_BYTESES,
       ANY = -1,
};

static const struct slot *find(const struct cli_args *args, const char *name, int types)
{
    for (int32_t i = 0; args->options[i].name != NULL; i++) {
        bool fits = (types & 1 << args->options[i].type) != 0;
        if (fits && strcmp(args->options[i].name, name) == 0)
            return &args->slots[i];
    }
    assert(false && "an option that the verb's table doesn't have, or not of this type");
    abort();
}

const struct cli_option *cli_args_option(const struct cli_args *args, const char *name)
{
    for (const struct cli_option *option = args->options; option->name != NULL; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

bool cli_args_given(const struct cli_args *args, const char *name)
{
    return find(args, name, ANY)->given;
}

bool cli_details(const struct cli_args *args)
{
    return cli_args_flag(args, "details");
}

bool cli_args_flag(const struct cli_args *args, const char *name)
{
    return find(args, name, 1 << CLI_OPT_FLAG)->given;
}

const char *cli_args_text(const struct cli_args *args, const char *name)
{
    const struct slot *slot = find(args, name, TEXTS);
    return slot->text_count == 0 ? NULL : slot->texts[0];
}

int32_t cli_args_texts(const struct cli_args *args, const char *name, const char *const **texts)
{
    const struct slot *slot = find(args, name, TEXTS);
    *texts = slot->texts;
    return slot->text_count;
}

int64_t cli_args_int(const struct cli_args *args, const char *name)
{
    return find(args, name, INTEGERS)->integer;
}

double cli_args_real(const struct cli_args *args, const char *name)
{
    return find(args, name, 1 << CLI_OPT_REAL)->real;
}

const struct sup_list *cli_args_list(const struct cli_args *args, const char *name)
{
    return &find(args, name, LISTS)->list;
}

int32_t cli_args_operands(const struct cli_args *args, const char *const **operands)
{
    *operands = args->operands;
    return args->operand_count;
}

const char *cli_args_operand(const struct cli_args *args)
{
    return args->operand_count == 0 ? NULL : args->operands[0];
}

char *const *cli_args_words(const struct cli_args *args)
{
    return args->words;
}
