/* documents.c - manual pages and completions, from the tables of which --help is made. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "roundabout.h"
#include "support/options/help.h"

/* ---- Manual pages, from the tables of which --help is made (help.h) -------------------------- */

/* Running text is written in short lines. Characters that roff would interpret, or typeset as
 * another one, are escaped: a leading dot or quote, backslashes, and hyphens, which are minus
 * signs in options and commands. */

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

static const struct entry files_section[] = {
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
    put_entries("FILES", 'I', files_section, sizeof files_section / sizeof files_section[0]);
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

/* ---- Completions for bash, zsh and fish ------------------------------------------------------ */

/* A shell's script gives the words of a command line to `roundabout help --complete` and offers
 * what that prints: so all that is known of options is in one place, and an installed script needs
 * no change when the program does. The words reach the program as arguments, which no shell reads
 * again. */

/* ---- The shells' scripts --------------------------------------------------------------------- */

static const char bash_script[] =
    "# Completions of roundabout for bash. They need no other package.\n"
    "_roundabout() {\n"
    "    local line file kind current=${COMP_WORDS[COMP_CWORD]}\n"
    "    [[ $current != --*=* ]] || current=${current#*=} # = does not break words here\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :files | :directories)\n"
    "            kind=-f\n"
    "            [[ $line = :files ]] || kind=-d\n"
    "            compopt -o filenames 2>/dev/null || :\n"
    "            while IFS= read -r file; do\n"
    "                COMPREPLY+=(\"$file\")\n"
    "            done < <(compgen \"$kind\" -- \"${current#=}\")\n"
    "            ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(command roundabout help --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
    "2>/dev/null)\n"
    "}\n"
    "complete -F _roundabout roundabout\n";

static const char zsh_script[] =
    "#compdef roundabout\n"
    "# Completions of roundabout for zsh.\n"
    "local line\n"
    "local -a entries files\n"
    "for line in \"${(@f)$(command roundabout help --complete \"${(@Q)words[2,CURRENT-1]}\" \\\n"
    "    \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
    "    case $line in\n"
    "    :files) files=(_files) ;;\n"
    "    :directories) files=(_files -/) ;;\n"
    "    ?*) entries+=(\"${${line//:/\\\\:}/$'\\t'/:}\") ;;\n"
    "    esac\n"
    "done\n"
    "((! $#entries)) || _describe -V roundabout entries\n"
    "if (($#files)); then\n"
    "    compset -P '--*='\n"
    "    $files\n"
    "fi\n";

static const char fish_script[] =
    "# Completions of roundabout for fish.\n"
    "function __roundabout_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    set -l front (string match -r -- '^--[^=]*=' \"$current\"; or echo)\n"
    "    set -l rest (string replace -r -- '^--[^=]*=' '' \"$current\")\n"
    "    for line in (command roundabout help --complete $words[2..] \"$current\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case :files\n"
    "                printf '%s\\n' $front(__fish_complete_path \"$rest\")\n"
    "            case :directories\n"
    "                printf '%s\\n' $front(__fish_complete_directories \"$rest\")\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c roundabout -f -a '(__roundabout_complete)'\n";

bool cli_completion(const char *shell)
{
    static const struct {
        const char *name, *script;
    } shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, shell) == 0)
            return fputs(shells[i].script, stdout), true;
    return false;
}

/* ---- Offers ---------------------------------------------------------------------------------- */

enum { SUMMARY_SIZE = 70 };

/* The beginning of a help text, as far as it fits into a line of a menu. */
static const char *summary(const char *help, char *buffer, size_t size)
{
    static const char *const ends[] = {";", ": ", " ("};
    size_t length = strlen(help);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = strstr(help, ends[i]);
        if (end != NULL && (size_t)(end - help) < length)
            length = (size_t)(end - help);
    }
    snprintf(buffer, size, "%.*s", (int)length, help);
    if (length >= size && strrchr(buffer, ' ') != NULL)
        *strrchr(buffer, ' ') = '\0';
    for (size_t end = strlen(buffer); end > 0 && buffer[end - 1] == ','; end--)
        buffer[end - 1] = '\0';
    return buffer;
}

/* What the user typed of the word to complete: `front` stays, "--collective=" and finished words of
 * a list; `begun` is the beginning of what is offered. */
struct typed {
    const char *front;
    int front_length;
    const char *begun;
};

/* Prints a word that begins as typed, and what it means (NULL: nothing). */
static void offer(const struct typed *typed, const char *word, size_t length, const char *help)
{
    char line[SUMMARY_SIZE];
    const size_t begun = strlen(typed->begun);
    if (begun > length || strncmp(word, typed->begun, begun) != 0)
        return;
    printf("%.*s%.*s", typed->front_length, typed->front, (int)length, word);
    if (help != NULL)
        printf("\t%s", summary(help, line, sizeof line));
    putchar('\n');
}

static void offer_word(const struct typed *typed, const char *word, const char *help)
{
    offer(typed, word, strlen(word), help);
}

/* Words separated by |. */
static void offer_words(const struct typed *typed, const char *words)
{
    const char *word;
    size_t length;
    while ((word = cli_help_next(&words, '|', &length)) != NULL)
        offer(typed, word, length, NULL);
}

static void offer_registry(const struct typed *typed, const char *(*word_at)(int32_t i))
{
    const char *word;
    for (int32_t i = 0; (word = word_at(i)) != NULL; i++)
        offer_word(typed, word, NULL);
}

static void offer_verbs(const struct typed *typed, const struct cli_words *line)
{
    for (int32_t i = 0; i < line->verb_count; i++)
        offer_word(typed, line->verbs[i]->name, line->verbs[i]->title);
}

static void offer_options(const struct typed *typed, const struct cli_verb *verb)
{
    struct cli_option option;
    char name[64];
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++) {
        snprintf(name, sizeof name, "--%s", option.name);
        offer_word(typed, name, option.help);
    }
}

/* The algorithms of the collective that the command line names. */
static void offer_algorithms(const struct typed *typed, const struct cli_words *line)
{
    static const char named[] = "--collective";
    const char *collective = "bcast";
    const struct rb_algorithm_info *info;
    for (int32_t i = 1; i + 2 < line->count; i++)
        if (strcmp(line->words[i], named) == 0) /* bash makes a word of "=" */
            collective = line->words[i + (strcmp(line->words[i + 1], "=") == 0 ? 2 : 1)];
        else if (strncmp(line->words[i], named, sizeof named - 1) == 0 &&
                 line->words[i][sizeof named - 1] == '=')
            collective = line->words[i] + sizeof named;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0)
            offer_word(typed, info->name, NULL);
}

static bool is_one_of(const char *text, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* True if the value's name says that it can be a file. */
static bool is_file(const struct cli_option *option)
{
    static const char *const names[] = {"FILE", "FILE.db", "PLATFORM", "RESULTS", "MEASURED"};
    return option->file != CLI_NO_FILE ||
           (option->value != NULL &&
            is_one_of(option->value, names, sizeof names / sizeof names[0]));
}

/* The verb's option of a name without dashes, or of one letter. */
static bool find_option(const struct cli_verb *verb, const char *name, struct cli_option *option)
{
    for (int32_t i = 0; cli_help_option(verb, i, option); i++)
        if (strcmp(option->name, name) == 0 || (name[0] == option->letter && name[1] == '\0'))
            return true;
    return false;
}

/* ---- Which offers ---------------------------------------------------------------------------- */

/* The names that a text may be, by the name of its option. */
static void offer_names(const struct typed *typed, const struct cli_verb *verb,
                        const struct cli_option *option, const struct cli_words *line)
{
    const struct cli_registry *registry = cli_registry_of(option->name);
    struct cli_option collective;
    if (strcmp(option->name, "algorithm") == 0 && find_option(verb, "collective", &collective))
        offer_algorithms(typed, line);
    if (registry != NULL)
        offer_registry(typed, registry->word_at);
}

/* The last word of a list is completed, behind the commas. */
static void offer_value(struct typed typed, const struct cli_verb *verb,
                        const struct cli_option *option, const struct cli_words *line)
{
    const char *comma = strrchr(typed.begun, ',');
    char front[256];
    if (comma != NULL) {
        typed.front_length = snprintf(front, sizeof front, "%.*s%.*s", typed.front_length,
                                      typed.front, (int)(comma + 1 - typed.begun), typed.begun);
        if ((size_t)typed.front_length >= sizeof front)
            return;
        typed.front = front;
        typed.begun = comma + 1;
    }
    if (option->choices != NULL)
        offer_words(&typed, option->choices);
    if (option->word_at != NULL)
        offer_registry(&typed, option->word_at);
    else if (option->type == CLI_OPT_TEXT)
        offer_names(&typed, verb, option, line);
    if (is_file(option))
        puts(":files");
    else if (option->value != NULL && strcmp(option->value, "DIR") == 0)
        puts(":directories");
}

/* Operands can be files if they are named as such, or nothing else is known of them. */
static void offer_operands(const struct typed *typed, const struct cli_verb *verb)
{
    const bool files = verb->operands != NULL && (verb->reads != NULL || verb->words == NULL);
    if (*typed->begun == '-' || (*typed->begun == '\0' && verb->words == NULL && !files)) {
        offer_options(typed, verb);
        return;
    }
    if (verb->words != NULL)
        offer_words(typed, verb->words);
    if (files)
        puts(":files");
}

/* What stands behind a verb: the value of an option, or another word. bash makes words of their own
 * of "=" and ":" (COMP_WORDBREAKS). */
static void offer_for_verb(struct typed typed, const struct cli_verb *verb,
                           const struct cli_words *line)
{
    const char *const *last = line->words + line->count - 1;
    const char *name = last[-1], *equals = strchr(*last, '=');
    char long_name[64];
    struct cli_option option;
    if (line->count > 2 && strcmp(name, ":") == 0) { /* fat-tree:1024, file:NAME */
        if (strcmp(last[-2], "file") == 0)
            puts(":files");
        return;
    }
    if (line->count > 2 && strcmp(name, "=") == 0) {
        name = last[-2];
    } else if (equals == *last) {
        typed.begun++;
    } else if (strncmp(*last, "--", 2) == 0 && equals != NULL) {
        typed = (struct typed){*last, (int)(equals + 1 - *last), equals + 1};
        snprintf(long_name, sizeof long_name, "%.*s", (int)(equals - *last), *last);
        name = long_name;
    }
    const size_t dashes = strspn(name, "-");
    if (dashes > 0 && dashes <= 2 && find_option(verb, name + dashes, &option) &&
        option.type != CLI_OPT_FLAG)
        offer_value(typed, verb, &option, line);
    else
        offer_operands(&typed, verb);
}

void cli_complete(const struct cli_words *line)
{
    const struct typed typed = {.front = "",
                                .begun = line->count > 0 ? line->words[line->count - 1] : ""};
    if (line->count < 2) {
        offer_verbs(&typed, line);
        offer_word(&typed, "help", "Print the help of a verb.");
        offer_word(&typed, "--help", "Print the verbs.");
        offer_word(&typed, "--version", "Print release and commit.");
    } else if (line->count == 2 && strcmp(line->words[0], "help") == 0) {
        offer_verbs(&typed, line);
    }
    for (int32_t i = 0; line->count >= 2 && i < line->verb_count; i++)
        if (strcmp(line->verbs[i]->name, line->words[0]) == 0)
            offer_for_verb(typed, line->verbs[i], line);
}
