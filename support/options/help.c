/* help.c - the help of the program and of a verb, from their tables (help.h). */
#include "support/options/help.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- What a verb's help says about its options, for all that show it ------------------------- */

/* --help, the manual page, and the completions of shells. */

const char cli_help_title[] = "Plans, verifies, simulates, tunes and plots pipelined collectives.";

static const struct cli_option everywhere[] = {
    {.name = "details",
     .synonym = "wide",
     .help = "print everything that is known, in tables with all columns, even if the terminal is "
             "narrower"},
    {.name = "quiet", .help = "print no progress lines on standard error, only messages"},
    {.name = "help", .letter = 'h', .help = "print this help"},
};

bool cli_help_option(const struct cli_verb *verb, int32_t i, struct cli_option *option)
{
    int32_t count = 0;
    if (cli_verb_option(verb, i, option))
        return true;
    while (cli_verb_option(verb, count, option))
        count++;
    if (i - count >= (int32_t)(sizeof everywhere / sizeof everywhere[0]))
        return false;
    *option = everywhere[i - count];
    return true;
}

static bool is_number(enum cli_option_type type)
{
    return type == CLI_OPT_INT || type == CLI_OPT_INTS || type == CLI_OPT_REAL;
}

/* Appends to a text as far as there is room. */
__attribute__((format(printf, 3, 4))) static void add(char text[CLI_HELP_SIZE], size_t *used,
                                                      const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text + *used, CLI_HELP_SIZE - *used, format, values);
    va_end(values);
    *used += length < 0 ? 0 : (size_t)length;
    if (*used >= CLI_HELP_SIZE)
        *used = CLI_HELP_SIZE - 1;
}

const char *cli_help_choices(const struct cli_option *option, char buffer[CLI_HELP_SIZE])
{
    size_t used = 0;
    const char *word;
    add(buffer, &used, "%s", option->choices == NULL ? "" : option->choices);
    for (int32_t i = 0; option->word_at != NULL && (word = option->word_at(i)) != NULL; i++)
        add(buffer, &used, "%s%s", used == 0 ? "" : "|", word);
    return buffer;
}

const char *cli_help_text(const struct cli_option *option, char buffer[CLI_HELP_SIZE])
{
    char facts[CLI_HELP_SIZE] = "", choices[CLI_HELP_SIZE];
    size_t used = 0;
    const char *word;
    if (option->type == CLI_OPT_CHOICE)
        add(facts, &used, "; one of %s", cli_help_choices(option, choices));
    for (int32_t i = 0; option->type != CLI_OPT_CHOICE && option->word_at != NULL &&
                        (word = option->word_at(i)) != NULL;
         i++)
        add(facts, &used, "%s%s", i == 0 ? "; there are " : ", ", word);
    if (is_number(option->type) && option->most == INT64_MAX)
        add(facts, &used, "; at least %" PRId64, option->least);
    else if (is_number(option->type) && option->most != 0)
        add(facts, &used, "; from %" PRId64 " to %" PRId64, option->least, option->most);
    if (option->required)
        add(facts, &used, "; required");
    if (option->repeatable)
        add(facts, &used, "; may be repeated");
    if (option->fallback != NULL)
        add(facts, &used, "; default %s", option->fallback);
    used = 0;
    buffer[0] = '\0';
    add(buffer, &used, "%s", option->help);
    if (facts[0] != '\0')
        add(buffer, &used, " (%s)", facts + 2);
    return buffer;
}

void cli_help_examples(const struct cli_verb *verb, void (*line)(const char *text, size_t length))
{
    const char *rest = verb->examples, *text;
    size_t length;
    while ((text = cli_help_next(&rest, '\n', &length)) != NULL)
        line(text, length);
}

const char *cli_help_next(const char **rest, char separator, size_t *length)
{
    const char *text = *rest, between[] = {separator, '\0'};
    if (text == NULL || *text == '\0')
        return NULL;
    *length = strcspn(text, between);
    *rest = text + *length + (text[*length] == separator);
    return text;
}

/* ---- The help of the program and of a verb --------------------------------------------------- */

enum { WIDTH = 80, TEXT_COLUMN = 28, VERB_COLUMN = 15, USAGE_COLUMN = 9 };

/* How much of a text stays together: a word, or of one that fits into no line, such as a|b|c, a
 * part up to a bar. */
static size_t piece_of(const char *text, size_t line)
{
    const size_t length = strcspn(text, " "), part = strcspn(text, "|") + 1;
    return length > line && part < length ? part : length;
}

/* Prints words from `column` on, broken at WIDTH; continued lines start at the column `from`. */
static void print_wrapped(const char *text, size_t column, size_t from)
{
    size_t blanks = 0;
    for (bool within = false, split = false; *text != '\0'; within = true) {
        const size_t length = piece_of(text, split ? 0 : WIDTH - from);
        if (within && column + blanks + length > WIDTH) {
            printf("\n%*s", (int)from, "");
            column = from;
            blanks = 0;
        }
        printf("%*s%.*s", (int)blanks, "", (int)length, text);
        column += blanks + length;
        text += length;
        split = text[0] != ' ' && text[0] != '\0';
        blanks = split ? 0 : 1;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_option(const struct cli_option *option)
{
    char left[80], text[CLI_HELP_SIZE];
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
             option->value == NULL ? "" : " ", option->value == NULL ? "" : option->value);
    if (strlen(left) + 2 > TEXT_COLUMN)
        printf("%s\n%*s", left, TEXT_COLUMN, "");
    else
        printf("%-*s", TEXT_COLUMN, left);
    print_wrapped(cli_help_text(option, text), TEXT_COLUMN, TEXT_COLUMN);
}

static void print_examples(const struct cli_verb *verb, int32_t most)
{
    const char *rest = verb->examples, *text;
    size_t length;
    printf("\nExamples:\n");
    while (most-- > 0 && (text = cli_help_next(&rest, '\n', &length)) != NULL)
        printf("  %.*s\n", (int)length, text);
}

static bool is_common(const struct cli_verb *verb, const struct cli_option *option)
{
    return verb->common == NULL || cli_word_is_among(option->name, verb->common) ||
           strcmp(option->name, "details") == 0;
}

/* The names of the options that are not described. */
static void print_names(const struct cli_verb *verb)
{
    char names[CLI_HELP_SIZE] = "";
    size_t used = 0;
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if (!is_common(verb, &option))
            add(names, &used, "%s--%s", used == 0 ? "" : ", ", option.name);
    if (used == 0)
        return;
    printf("\nFurther options, which --help --details describes:\n  ");
    print_wrapped(names, 2, 2);
}

void cli_help_verb(const struct cli_verb *verb, bool details)
{
    enum { FEW = 3 };
    char usage[512];
    snprintf(usage, sizeof usage, "Usage: roundabout %s [OPTION]...%s%s", verb->name,
             verb->operands == NULL ? "" : " ", verb->operands == NULL ? "" : verb->operands);
    print_wrapped(usage, 0, USAGE_COLUMN);
    print_wrapped(verb->title, 0, 0);
    print_examples(verb, details ? INT32_MAX : FEW);
    printf("\nOptions:\n");
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if (details || is_common(verb, &option))
            print_option(&option);
    if (!details)
        print_names(verb);
}

void cli_help_program(const struct cli_verb *const verbs[], int32_t count)
{
    printf("Usage: roundabout VERB [OPTION]...\n%s\n\nVerbs:\n", cli_help_title);
    for (int32_t i = 0; i < count; i++) {
        printf("  %-12s ", verbs[i]->name);
        print_wrapped(verbs[i]->title, VERB_COLUMN, VERB_COLUMN);
    }
    printf("\n");
    print_wrapped("roundabout VERB --help describes a verb's options and gives examples; "
                  "roundabout --version prints release and commit.",
                  0, 0);
}
