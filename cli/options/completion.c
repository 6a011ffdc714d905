/* completion.c - completions for bash, zsh and fish (completion.h).
 *
 * What an option's value can be is found once, as a struct source; each shell has functions that
 * write sources, options and verbs in its own way. */
#include "cli/options/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/options/help_entries.h"
#include "roundabout.h"

/* ---- What a value can be --------------------------------------------------------------------- */

enum { WORDS_SIZE = 4096 };

/* The words, separated by blanks; and whether it can be a file, or a directory. `algorithms`: the
 * words are the algorithms of the collective that the command line names. */
struct source {
    char words[WORDS_SIZE];
    bool algorithms, file, directory;
};

static void add_word(struct source *source, const char *word, size_t length)
{
    const size_t used = strlen(source->words);
    /* A word that a shell would interpret is none of ours. */
    if (length == 0 || strcspn(word, "$`\\\"'();&|<>*?[]{}!# \n") < length)
        return;
    snprintf(source->words + used, sizeof source->words - used, "%s%.*s", used == 0 ? "" : " ",
             (int)length, word);
}

static void add_words(struct source *source, const char *words)
{
    const char *word;
    size_t length;
    while ((word = cli_help_next(&words, '|', &length)) != NULL)
        add_word(source, word, length);
}

static void add_registry(struct source *source, const char *(*word_at)(int32_t i))
{
    const char *word;
    for (int32_t i = 0; (word = word_at(i)) != NULL; i++)
        add_word(source, word, strlen(word));
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

static bool has_option(const struct cli_verb *verb, const char *name)
{
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if (strcmp(option.name, name) == 0)
            return true;
    return false;
}

static void find_source(const struct cli_verb *verb, const struct cli_option *option,
                        const struct cli_registry registries[], struct source *source)
{
    *source = (struct source){.file = is_file(option)};
    source->directory = option->value != NULL && strcmp(option->value, "DIR") == 0;
    if (option->choices != NULL)
        add_words(source, option->choices);
    if (option->word_at != NULL)
        add_registry(source, option->word_at);
    if (option->type != CLI_OPT_TEXT || source->words[0] != '\0')
        return;
    for (; registries->option != NULL; registries++)
        if (strcmp(registries->option, option->name) == 0)
            add_registry(source, registries->word_at);
    source->algorithms = strcmp(option->name, "algorithm") == 0 && has_option(verb, "collective");
}

/* True if operands can be files: they are named as such, or nothing else is known of them. */
static bool takes_files(const struct cli_verb *verb)
{
    return verb->operands != NULL && (verb->reads != NULL || verb->words == NULL);
}

static void list_algorithms(const char *collective, struct source *source)
{
    const struct rb_algorithm_info *info;
    *source = (struct source){0};
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0)
            add_word(source, info->name, strlen(info->name));
}

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

enum { SUMMARY_SIZE = 70 };

static bool takes_value(const struct cli_option *option)
{
    return option->type != CLI_OPT_FLAG;
}

/* ---- bash ------------------------------------------------------------------------------------ */

static const char bash_head[] =
    "# Completions of roundabout for bash. They need no other package.\n"
    "\n"
    "# Completes the last of the words that commas separate.\n"
    "_roundabout_words() {\n"
    "    local front=''\n"
    "    [[ $cur != *,* ]] || front=${cur%,*},\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$front\" -W \"$1\" -- \"${cur##*,}\")\n"
    "}\n"
    "_roundabout_files() {\n"
    "    local file\n"
    "    compopt -o filenames 2>/dev/null || :\n"
    "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "# The collective that the command line names.\n"
    "_roundabout_collective() {\n"
    "    local i\n"
    "    collective=bcast\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --collective=*) collective=${COMP_WORDS[i]#*=} ;;\n"
    "        --collective)\n"
    "            collective=${COMP_WORDS[i + 1]}\n"
    "            [[ $collective != = ]] || collective=${COMP_WORDS[i + 2]}\n"
    "            ;;\n"
    "        esac\n"
    "    done\n"
    "}\n";

static const char bash_main[] =
    "_roundabout() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} collective\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD > 2)) && [[ $option = : ]]; then # fat-tree:1024, file:NAME\n"
    "        [[ ${COMP_WORDS[COMP_CWORD - 2]} != file ]] || _roundabout_files -f\n"
    "        return\n"
    "    elif ((COMP_CWORD > 2)) && [[ $option = = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $cur = = ]]; then\n"
    "        cur=\n"
    "    elif [[ $cur = --*=* ]]; then # = does not break words here\n"
    "        option=${cur%%=*}\n"
    "        cur=${cur#*=}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n";

static void bash_algorithms(void)
{
    const struct rb_collective_info *info;
    struct source source;
    fputs("_roundabout_algorithms() {\n    _roundabout_collective\n    case $collective in\n",
          stdout);
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++) {
        list_algorithms(info->name, &source);
        printf("    %s) _roundabout_words \"%s\" ;;\n", info->name, source.words);
    }
    fputs("    esac\n}\n", stdout);
}

static void bash_option(const struct cli_verb *verb, const struct cli_option *option,
                        const struct cli_registry registries[])
{
    struct source source;
    find_source(verb, option, registries, &source);
    printf("        --%s", option->name);
    if (option->letter != 0)
        printf(" | -%c", option->letter);
    fputs(")", stdout);
    if (source.algorithms)
        fputs(" _roundabout_algorithms;", stdout);
    else if (source.words[0] != '\0')
        printf(" _roundabout_words \"%s\";", source.words);
    if (source.file || source.directory)
        printf(" _roundabout_files %s;", source.file ? "-f" : "-d");
    fputs(" return ;;\n", stdout);
}

static void bash_verb(const struct cli_verb *verb, const struct cli_registry registries[])
{
    struct cli_option option;
    struct source words = {0};
    printf("    %s)\n        case $option in\n", verb->name);
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if (takes_value(&option))
            bash_option(verb, &option, registries);
    fputs("        esac\n        options=\"", stdout);
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        printf("%s--%s", i == 0 ? "" : " ", option.name);
    if (verb->words != NULL)
        add_words(&words, verb->words);
    printf("\"\n        words=\"%s\"\n        files=%s\n        ;;\n", words.words,
           takes_files(verb) ? "yes" : "");
}

static void print_bash(const struct cli_verb *const verbs[], int32_t count,
                       const struct cli_registry registries[])
{
    fputs(bash_head, stdout);
    bash_algorithms();
    fputs(bash_main, stdout);
    fputs("        _roundabout_words \"", stdout);
    for (int32_t i = 0; i < count; i++)
        printf("%s ", verbs[i]->name);
    fputs("help --help --version\"\n        return\n    fi\n"
          "    local options='' words='' files=''\n    case ${COMP_WORDS[1]} in\n    help)\n"
          "        ((COMP_CWORD > 2)) || _roundabout_words \"",
          stdout);
    for (int32_t i = 0; i < count; i++)
        printf("%s%s", i == 0 ? "" : " ", verbs[i]->name);
    fputs("\"\n        return\n        ;;\n", stdout);
    for (int32_t i = 0; i < count; i++)
        bash_verb(verbs[i], registries);
    fputs("    esac\n"
          "    if [[ $cur = -* || -z $cur$words$files ]]; then\n"
          "        _roundabout_words \"$options\"\n"
          "        return\n"
          "    fi\n"
          "    [[ -z $words ]] || _roundabout_words \"$words\"\n"
          "    [[ -z $files ]] || _roundabout_files -f\n"
          "}\n"
          "complete -F _roundabout roundabout\n",
          stdout);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* In quotation marks '...', with the characters of `special` behind backslashes. */
static void put_escaped(const char *text, const char *special)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void zsh_option(const struct cli_verb *verb, const struct cli_option *option,
                       const struct cli_registry registries[])
{
    struct source source;
    char help[SUMMARY_SIZE];
    find_source(verb, option, registries, &source);
    fputs("            ", stdout);
    if (option->repeatable)
        fputs("'*'", stdout);
    else if (option->letter != 0)
        printf("'(-%c --%s)'", option->letter, option->name);
    if (option->letter != 0)
        printf("{-%c%s,--%s%s}", option->letter, takes_value(option) ? "+" : "", option->name,
               takes_value(option) ? "=" : "");
    else
        printf("--%s%s", option->name, takes_value(option) ? "=" : "");
    fputs("'[", stdout);
    put_escaped(summary(option->help, help, sizeof help), "[]:\\");
    putchar(']');
    if (takes_value(option)) {
        putchar(':');
        put_escaped(option->value == NULL ? "VALUE" : option->value, "[]:\\");
        putchar(':');
        if (source.algorithms)
            fputs("_roundabout_algorithms", stdout);
        else if (source.words[0] != '\0' && source.file)
            printf("{_alternative \"words:word:(%s)\" \"files:file:_files\"}", source.words);
        else if (source.words[0] != '\0')
            printf("_sequence compadd - %s", source.words);
        else if (source.file || source.directory)
            fputs(source.file ? "_files" : "_files -/", stdout);
        else
            putchar(' '); /* a value that cannot be completed */
    }
    fputs("' \\\n", stdout);
}

static void zsh_verb(const struct cli_verb *verb, const struct cli_registry registries[])
{
    struct cli_option option;
    struct source words = {0};
    printf("    %s)\n        _arguments -s -S \\\n", verb->name);
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        zsh_option(verb, &option, registries);
    if (verb->words != NULL)
        add_words(&words, verb->words);
    if (takes_files(verb))
        printf("            '*:operand:{_alternative \"words:word:(%s)\" \"files:file:_files\"}'\n",
               words.words);
    else if (words.words[0] != '\0')
        printf("            '*:operand:(%s)'\n", words.words);
    else
        fputs("            && return\n", stdout);
    fputs("        ;;\n", stdout);
}

static void zsh_verbs(const struct cli_verb *const verbs[], int32_t count)
{
    fputs("    verbs=(\n", stdout);
    for (int32_t i = 0; i < count; i++) {
        printf("        '%s:", verbs[i]->name);
        put_escaped(verbs[i]->title, ":\\");
        fputs("'\n", stdout);
    }
    fputs("    )\n", stdout);
}

static void print_zsh(const struct cli_verb *const verbs[], int32_t count,
                      const struct cli_registry registries[])
{
    const struct rb_collective_info *info;
    struct source source;
    fputs("#compdef roundabout\n# Completions of roundabout for zsh.\n\n"
          "_roundabout_algorithms() {\n"
          "    local collective=bcast at\n"
          "    at=${words[(I)--collective]}\n"
          "    ((at)) && collective=${words[at + 1]}\n"
          "    at=${words[(I)--collective=*]}\n"
          "    ((at)) && collective=${words[at]#*=}\n"
          "    case $collective in\n",
          stdout);
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++) {
        list_algorithms(info->name, &source);
        printf("    %s) _sequence compadd - %s ;;\n", info->name, source.words);
    }
    fputs("    esac\n}\n\n_roundabout() {\n    local -a verbs\n", stdout);
    zsh_verbs(verbs, count);
    fputs("    if ((CURRENT == 2)); then\n"
          "        _describe -t verbs verb verbs\n"
          "        _arguments '--help[print the verbs]' '--version[print release and commit]'\n"
          "        return\n"
          "    fi\n"
          "    shift words\n    ((CURRENT--))\n"
          "    case ${words[1]} in\n"
          "    help) ((CURRENT > 2)) || _describe -t verbs verb verbs ;;\n",
          stdout);
    for (int32_t i = 0; i < count; i++)
        zsh_verb(verbs[i], registries);
    fputs("    esac\n}\n\n_roundabout \"$@\"\n", stdout);
}

/* ---- fish ------------------------------------------------------------------------------------ */

static const char fish_head[] =
    "# Completions of roundabout for fish.\n"
    "\n"
    "function __roundabout_no_verb\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "function __roundabout_verb\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\n"
    "end\n"
    "# The algorithms of the collective that the command line names.\n"
    "function __roundabout_algorithms\n"
    "    set -l words (commandline -opc)\n"
    "    set -l collective bcast\n"
    "    for i in (seq (count $words))\n"
    "        switch \"$words[$i]\"\n"
    "            case --collective\n"
    "                set collective $words[(math $i + 1)]\n"
    "            case '--collective=*'\n"
    "                set collective (string replace -- --collective= '' $words[$i])\n"
    "        end\n"
    "    end\n"
    "    switch \"$collective\"\n";

static void fish_option(const struct cli_verb *verb, const struct cli_option *option,
                        const struct cli_registry registries[])
{
    struct source source;
    char help[SUMMARY_SIZE];
    find_source(verb, option, registries, &source);
    printf("complete -c roundabout -n '__roundabout_verb %s' -l %s", verb->name, option->name);
    if (option->letter != 0)
        printf(" -s %c", option->letter);
    if (takes_value(option))
        fputs(source.file || source.directory ? " -r -F" : " -x", stdout);
    if (source.algorithms)
        fputs(" -a '(__roundabout_algorithms)'", stdout);
    else if (source.words[0] != '\0')
        printf(" -a '%s'", source.words);
    fputs(" -d '", stdout);
    put_escaped(summary(option->help, help, sizeof help), "\\");
    fputs("'\n", stdout);
}

static void fish_verb(const struct cli_verb *verb, const struct cli_registry registries[])
{
    struct cli_option option;
    struct source words = {0};
    printf("complete -c roundabout -n __roundabout_no_verb -f -a %s -d '", verb->name);
    put_escaped(verb->title, "\\");
    printf("'\ncomplete -c roundabout -n '__roundabout_verb help' -f -a %s -d '", verb->name);
    put_escaped(verb->title, "\\");
    fputs("'\n", stdout);
    if (verb->words != NULL)
        add_words(&words, verb->words);
    if (words.words[0] != '\0')
        printf("complete -c roundabout -n '__roundabout_verb %s' -a '%s'\n", verb->name,
               words.words);
    if (!takes_files(verb))
        printf("complete -c roundabout -n '__roundabout_verb %s' -f\n", verb->name);
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        fish_option(verb, &option, registries);
}

static void print_fish(const struct cli_verb *const verbs[], int32_t count,
                       const struct cli_registry registries[])
{
    const struct rb_collective_info *info;
    struct source source;
    fputs(fish_head, stdout);
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++) {
        list_algorithms(info->name, &source);
        printf("        case %s\n            printf '%%s\\n' %s\n", info->name, source.words);
    }
    fputs(
        "    end\nend\n\n"
        "complete -c roundabout -n __roundabout_no_verb -f -a help -d 'Print the help of a verb.'\n"
        "complete -c roundabout -n __roundabout_no_verb -l help -s h -d 'Print the verbs.'\n"
        "complete -c roundabout -n __roundabout_no_verb -l version -d 'Print release and "
        "commit.'\n",
        stdout);
    for (int32_t i = 0; i < count; i++)
        fish_verb(verbs[i], registries);
}

/* ---- Which shell ----------------------------------------------------------------------------- */

bool cli_completion(const char *shell, const struct cli_verb *const verbs[], int32_t count,
                    const struct cli_registry registries[])
{
    static const struct {
        const char *name;
        void (*print)(const struct cli_verb *const verbs[], int32_t count,
                      const struct cli_registry registries[]);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(verbs, count, registries);
            return true;
        }
    return false;
}
