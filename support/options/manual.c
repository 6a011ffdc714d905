/* manual.c - manual pages, from the tables of which --help is made (help.h).
 *
 * Running text is written in short lines. Characters that roff would interpret, or typeset as
 * another one, are escaped: a leading dot or quote, backslashes, and hyphens, which are minus signs
 * in options and commands. */
#include "support/options/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support/options/help_entries.h"

enum { LINE = 64 };

static const char *escaped(char character)
{
    switch (character) {
    case '\\':
        return "\\(rs";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '"':
        return "\\(dq";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '|':
        return "|\\:"; /* a line may be broken behind it */
    default:
        return NULL;
    }
}

/* Writes one character of UTF-8; returns its length in bytes. */
static size_t put_character(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    if (first < 0x80) {
        const char *escape = escaped(*text);
        if (escape != NULL)
            fputs(escape, stdout);
        else
            putchar(*text);
        return 1;
    }
    const size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    unsigned code = first & (0x3fU >> more);
    size_t length = 1;
    for (; length <= more && text[length] != '\0'; length++)
        code = code << 6 | ((unsigned char)text[length] & 0x3fU);
    printf("\\[u%04X]", code);
    return length;
}

static void put(const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i] != '\0';)
        i += put_character(text + i);
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

/* What starts an input line; roff would take a dot or a quote there for a request. */
static void begin_line(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
}

/* A paragraph, with line breaks in the input only. */
static void put_paragraph(const char *text)
{
    size_t column = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > LINE) {
            putchar('\n');
            column = 0;
        } else if (column > 0) {
            putchar(' ');
            column++;
        }
        if (column == 0)
            begin_line(text);
        put(text, length);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* The heading, the section NAME, and left-aligned lines without hyphenation from there on. */
static void put_heading(const char *verb, const char *title)
{
    char upper[64] = "", name[256];
    for (size_t i = 0; verb != NULL && verb[i] != '\0' && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)verb[i]);
    printf(".TH ROUNDABOUT%s%s 1 %s \"roundabout ", verb == NULL ? "" : "\\-", upper,
           cli_program_date);
    put(cli_program_version, strcspn(cli_program_version, "+"));
    fputs("\" Roundabout\n.nh\n.ad l\n.SH NAME\n", stdout);
    /* The title is a sentence; here it becomes a phrase. */
    const size_t length = strlen(title);
    snprintf(name, sizeof name, "roundabout%s%s - %c%.*s", verb == NULL ? "" : "-",
             verb == NULL ? "" : verb, tolower((unsigned char)*title),
             (int)(length - 1 - (title[length - 1] == '.')), title + 1);
    put_paragraph(name);
}

static void put_option(const struct cli_option *option)
{
    char text[CLI_HELP_SIZE];
    fputs(".TP\n", stdout);
    if (option->letter != 0)
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put_text(option->name);
    fputs("\\fR", stdout);
    if (option->value != NULL) {
        fputs(" \\fI", stdout);
        put_text(option->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_paragraph(cli_help_text(option, text));
}

static void put_example(const char *text, size_t length)
{
    begin_line(text);
    put(text, length);
    putchar('\n');
}

struct entry {
    const char *name, *text;
};

static const struct entry statuses[] = {
    {"0", "done"},
    {"1", "the answer to the question asked is no: a plan or schedule is wrong, a comparison "
          "fails, something that is needed is missing"},
    {"2", "the request cannot be understood or makes no sense; the message names the option and "
          "says what would be right"},
    {"3", "the run failed: for lack of memory, on a full disk, because the reader of standard "
          "output went away, or because an engine crashed"},
};

static const struct entry variables[] = {
    {"COLUMNS", "the width to which tables are fitted if it is set; else the terminal's width. "
                "Tables that go to a file or a pipe have all columns."},
    {"ROUNDABOUT_DATA", "a directory in which the program looks first for its data files: "
                        "experiments, scripts of figures, platforms, measurements."},
    {"ROUNDABOUT_QUIET", "if it is set, no progress lines are printed, as with --quiet."},
};

static const struct entry files[] = {
    {"PREFIX/share/roundabout/", "experiments, scripts of figures, platforms and measurements; "
                                 "PREFIX is where the program is installed, such as /usr"},
    {"PREFIX/share/doc/roundabout/", "the documentation; command-line.md is about options, "
                                     "numbers with units, and exit status"},
    {"results/NAME.db", "the results of sweep, for tune, plot and audit"},
    {"figures/", "the figures of plot, each with its data and script"},
};

/* Entries with the name in bold (B) or italics (I). */
static void put_entries(const char *title, char font, const struct entry entries[], size_t count)
{
    printf(".SH %s\n", title);
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n\\f%c", font);
        put_text(entries[i].name);
        fputs("\\fR\n", stdout);
        put_paragraph(entries[i].text);
    }
}

static void put_common_sections(void)
{
    put_entries("EXIT STATUS", 'B', statuses, sizeof statuses / sizeof statuses[0]);
    put_entries("ENVIRONMENT", 'B', variables, sizeof variables / sizeof variables[0]);
    put_entries("FILES", 'I', files, sizeof files / sizeof files[0]);
}

void cli_manual_verb(const struct cli_verb *verb)
{
    struct cli_option option;
    put_heading(verb->name, verb->title);
    printf(".SH SYNOPSIS\n.B roundabout %s\n[\\fIOPTION\\fR]...\\&\n", verb->name);
    if (verb->operands != NULL)
        put_paragraph(verb->operands);
    fputs(".SH DESCRIPTION\n", stdout);
    put_paragraph(verb->title);
    fputs(".SH OPTIONS\n", stdout);
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        put_option(&option);
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    cli_help_examples(verb, put_example);
    fputs(".fi\n", stdout);
    put_common_sections();
    fputs(".SH SEE ALSO\n.BR roundabout (1)\n", stdout);
}

void cli_manual_program(const struct cli_verb *const verbs[], int32_t count)
{
    put_heading(NULL, cli_help_title);
    fputs(".SH SYNOPSIS\n.B roundabout\n\\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
          ".br\n.B roundabout help\n[\\fIVERB\\fR]\n.br\n.B roundabout \\-\\-version\n"
          ".SH DESCRIPTION\n",
          stdout);
    put_paragraph(cli_help_title);
    put_paragraph("A plan says which block every rank sends to which rank in every round. The "
                  "verbs make plans, verify them for every p, simulate them on networks, run "
                  "experiments, and draw figures. Data go to standard output or to the file of "
                  "--output, messages and progress to standard error.");
    fputs(".SH VERBS\n", stdout);
    for (int32_t i = 0; i < count; i++) {
        printf(".TP\n.BR roundabout\\-%s (1)\n", verbs[i]->name);
        put_paragraph(verbs[i]->title);
    }
    put_common_sections();
    fputs(".SH SEE ALSO\n", stdout);
    for (int32_t i = 0; i < count; i++)
        printf(".BR roundabout\\-%s (1)%s\n", verbs[i]->name, i + 1 < count ? "," : "");
}
