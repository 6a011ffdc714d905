/* help.c - the help of the program and of a verb, from their tables (help.h). */
#include "command/options/help.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, TEXT_COLUMN = 28 };

/* Prints words from `column` on, broken at WIDTH; continued lines start at TEXT_COLUMN. */
static void print_wrapped(const char *text, size_t column)
{
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (column > TEXT_COLUMN && column + 1 + length > WIDTH) {
            printf("\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        } else if (column > TEXT_COLUMN) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static bool is_number(enum cli_option_type type)
{
    return type == CLI_OPT_INT || type == CLI_OPT_INTS || type == CLI_OPT_REAL;
}

/* Appends to a text as far as there is room. */
__attribute__((format(printf, 4, 5))) static void add(char *text, size_t size, size_t *used,
                                                      const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text + *used, size - *used, format, values);
    va_end(values);
    *used += length < 0 ? 0 : (size_t)length;
    if (*used >= size)
        *used = size - 1;
}

/* The text after the option's help: words, range, choices, default. */
static void describe(const struct cli_option *option, char *text, size_t size)
{
    char facts[1024] = "";
    size_t used = 0;
    const char *word;
    for (int32_t i = 0; option->word_at != NULL && (word = option->word_at(i)) != NULL; i++)
        add(facts, sizeof facts, &used, "%s%s", i == 0 ? "; there are " : ", ", word);
    if (option->type == CLI_OPT_CHOICE)
        add(facts, sizeof facts, &used, "; one of %s", option->choices);
    if (is_number(option->type) && option->most == INT64_MAX)
        add(facts, sizeof facts, &used, "; at least %" PRId64, option->least);
    else if (is_number(option->type) && option->most != 0)
        add(facts, sizeof facts, &used, "; from %" PRId64 " to %" PRId64, option->least,
            option->most);
    if (option->required)
        add(facts, sizeof facts, &used, "; required");
    if (option->repeatable)
        add(facts, sizeof facts, &used, "; may be repeated");
    if (option->fallback != NULL)
        add(facts, sizeof facts, &used, "; default %s", option->fallback);
    if (facts[0] == '\0')
        snprintf(text, size, "%s", option->help);
    else
        snprintf(text, size, "%s (%s)", option->help, facts + 2);
}

static void print_option(const struct cli_option *option)
{
    char left[80], right[2048];
    char letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
             option->value == NULL ? "" : " ", option->value == NULL ? "" : option->value);
    describe(option, right, sizeof right);
    if (strlen(left) + 2 > TEXT_COLUMN)
        printf("%s\n%*s", left, TEXT_COLUMN, "");
    else
        printf("%-*s", TEXT_COLUMN, left);
    print_wrapped(right, TEXT_COLUMN);
}

void cli_help_verb(const struct cli_verb *verb)
{
    static const struct cli_option quiet = {
        .name = "quiet", .help = "print no progress lines on standard error, only messages"};
    static const struct cli_option help = {
        .name = "help", .letter = 'h', .help = "print this help"};
    printf("Usage: roundabout %s [OPTION]...%s%s\n%s\n\nOptions:\n", verb->name,
           verb->operands == NULL ? "" : " ", verb->operands == NULL ? "" : verb->operands,
           verb->title);
    struct cli_option option;
    for (int32_t i = 0; cli_verb_option(verb, i, &option); i++)
        print_option(&option);
    print_option(&quiet);
    print_option(&help);
    printf("\nExamples:\n");
    for (const char *line = verb->examples; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void cli_help_program(const struct cli_verb *const verbs[], int32_t count)
{
    printf("Usage: roundabout VERB [OPTION]...\n"
           "Plans, verifies, simulates, tunes and plots pipelined collectives.\n\nVerbs:\n");
    for (int32_t i = 0; i < count; i++)
        printf("  %-10s %s\n", verbs[i]->name, verbs[i]->title);
    printf("\nroundabout VERB --help describes a verb's options and gives examples; roundabout "
           "--version\nprints release and commit.\n");
}
