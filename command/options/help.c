/* help.c - the help of the program and of a verb, from their tables (help.h). */
#include "command/options/help.h"

#include <stdio.h>
#include <string.h>

#include "command/options/help_entries.h"

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
    print_wrapped(cli_help_text(option, text), TEXT_COLUMN);
}

static void print_example(const char *text, size_t length)
{
    printf("  %.*s\n", (int)length, text);
}

void cli_help_verb(const struct cli_verb *verb)
{
    printf("Usage: roundabout %s [OPTION]...%s%s\n%s\n\nOptions:\n", verb->name,
           verb->operands == NULL ? "" : " ", verb->operands == NULL ? "" : verb->operands,
           verb->title);
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        print_option(&option);
    printf("\nExamples:\n");
    cli_help_examples(verb, print_example);
}

void cli_help_program(const struct cli_verb *const verbs[], int32_t count)
{
    printf("Usage: roundabout VERB [OPTION]...\n%s\n\nVerbs:\n", cli_help_title);
    for (int32_t i = 0; i < count; i++)
        printf("  %-10s %s\n", verbs[i]->name, verbs[i]->title);
    printf("\nroundabout VERB --help describes a verb's options and gives examples; roundabout "
           "--version\nprints release and commit.\n");
}
