/* help.c - the help of the program and of a verb, from their tables (help.h). */
#include "support/options/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/options/help_entries.h"

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

static void print_example(const char *text, size_t length)
{
    printf("  %.*s\n", (int)length, text);
}

void cli_help_verb(const struct cli_verb *verb)
{
    char usage[512];
    snprintf(usage, sizeof usage, "Usage: roundabout %s [OPTION]...%s%s", verb->name,
             verb->operands == NULL ? "" : " ", verb->operands == NULL ? "" : verb->operands);
    print_wrapped(usage, 0, USAGE_COLUMN);
    print_wrapped(verb->title, 0, 0);
    printf("\nOptions:\n");
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        print_option(&option);
    printf("\nExamples:\n");
    cli_help_examples(verb, print_example);
}

void cli_help_program(const struct cli_verb *const verbs[], int32_t count)
{
    printf("Usage: roundabout VERB [OPTION]...\n%s\n\nVerbs:\n", cli_help_title);
    for (int32_t i = 0; i < count; i++) {
        printf("  %-12s ", verbs[i]->name);
        print_wrapped(verbs[i]->title, VERB_COLUMN, VERB_COLUMN);
    }
    printf("\n");
    print_wrapped(
        "roundabout VERB --help describes a verb's options and gives examples; roundabout "
        "--version prints release and commit.",
        0, 0);
}
