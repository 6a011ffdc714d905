/* test_refusals.c - every option of any verb, given to every verb that lacks it, gets one line that
 * says what to do instead; and what a line tells to type exists in the verb that it names. */
#define _POSIX_C_SOURCE 200809L /* dup */

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/advice.h"
#include "command/verbs.h"
#include "support/options/help.h"

static const struct cli_verb *const verbs[] = {
#define VERB(name) &name,
#include "command/list.h"
};
enum { VERBS = sizeof verbs / sizeof verbs[0], SIZE = 2000 };

/* What the verb says of one word, which it must not run with. */
static void say(const struct cli_verb *verb, char *word, char text[SIZE])
{
    FILE *captured = tmpfile();
    const int before = dup(STDERR_FILENO);
    char *argv[] = {word, NULL};
    assert_non_null(captured);
    dup2(fileno(captured), STDERR_FILENO);
    const int status = cli_verb_main(verb, 1, argv);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(captured);
    text[fread(text, 1, SIZE - 1, captured)] = '\0';
    fclose(captured);
    assert_int_equal(status, CLI_EXIT_USAGE);
}

static const struct cli_verb *verb_at(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    for (int i = 0; i < VERBS; i++)
        if (strlen(verbs[i]->name) == length && strncmp(verbs[i]->name, text, length) == 0)
            return verbs[i];
    return NULL;
}

static bool has(const struct cli_verb *verb, const char *name, size_t length)
{
    struct cli_option option;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if ((strlen(option.name) == length && strncmp(option.name, name, length) == 0) ||
            (option.synonym != NULL && strlen(option.synonym) == length &&
             strncmp(option.synonym, name, length) == 0))
            return true;
    return false;
}

/* Each "roundabout VERB" in a text is a verb, and each --OPTION one of these, or of the verb. */
static void check_advice(const struct cli_verb *verb, const char *text)
{
    static const char program[] = "roundabout ";
    for (const char *at = text; (at = strstr(at, "--")) != NULL;) {
        const char *name = at + 2;
        const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
        bool found = has(verb, name, length) || strncmp(name, "version", length) == 0;
        for (const char *word = text; (word = strstr(word, program)) != NULL;) {
            word += sizeof program - 1;
            if (*word == '-' || *word == '@')
                continue;
            assert_non_null(verb_at(word));
            found = found || has(verb_at(word), name, length);
        }
        if (!found && length > 0)
            fail_msg("%s: nothing there has --%.*s: %s", verb->name, (int)length, name, text);
        at = name;
    }
}

static void check_refusal(const struct cli_verb *verb, const char *name)
{
    char word[80], start[200], text[SIZE];
    snprintf(word, sizeof word, "--%s", name);
    snprintf(start, sizeof start, "roundabout %s: %s: ", verb->name, word);
    say(verb, word, text);
    if (strncmp(text, start, strlen(start)) != 0 || strstr(text, "unknown option") != NULL ||
        strchr(text, '\n') != text + strlen(text) - 1)
        fail_msg("roundabout %s %s says \"%s\"", verb->name, word, text);
    check_advice(verb, text + strlen(start));
}

/* getopt_long takes the beginning of a name for the name; every verb takes --force. */
static bool is_taken(const struct cli_verb *verb, const char *name)
{
    struct cli_option option;
    if (strcmp(name, CLI_FORCE) == 0)
        return true;
    for (int32_t i = 0; cli_help_option(verb, i, &option); i++)
        if (strncmp(option.name, name, strlen(name)) == 0 ||
            (option.synonym != NULL && strncmp(option.synonym, name, strlen(name)) == 0))
            return true;
    return false;
}

static void an_option_of_another_verb_gets_the_nearest_thing_to_do(void **state)
{
    (void)state;
    struct cli_option option;
    int refused = 0;
    for (int i = 0; i < VERBS; i++)
        for (int32_t k = 0; cli_verb_option(verbs[i], k, &option); k++)
            for (int j = 0; j < VERBS; j++)
                if (!is_taken(verbs[j], option.name)) {
                    check_refusal(verbs[j], option.name);
                    refused++;
                }
    assert_true(refused > 3000);
}

/* The rows of the table itself, also those for options that no verb has. */
static void the_table_of_advice_names_verbs_and_options_that_there_are(void **state)
{
    (void)state;
    for (const struct cli_advice *row = advice; row->words != NULL; row++) {
        const char *rest = row->verbs, *name;
        size_t length;
        if (row->verbs == NULL || *row->verbs == '\0')
            check_advice(verbs[0], row->to_do);
        while ((name = cli_help_next(&rest, '|', &length)) != NULL) {
            assert_non_null(verb_at(name));
            check_advice(verb_at(name), row->to_do);
        }
    }
}

/* Each row is said of its words somewhere: none stands behind another that says the same word's. */
static void each_row_of_advice_is_said(void **state)
{
    (void)state;
    for (const struct cli_advice *row = advice; row->words != NULL; row++) {
        char word[80], text[SIZE];
        bool said = row->verbs != NULL && *row->verbs == '\0';
        for (int i = 0; i < VERBS && !said; i++) {
            const size_t length = strcspn(row->words, "|");
            snprintf(word, sizeof word, "%.*s", (int)length, row->words);
            if (strncmp(word, "--", 2) != 0 || is_taken(verbs[i], word + 2))
                said = strncmp(word, "--", 2) != 0;
            else {
                say(verbs[i], word, text);
                const char *at = strstr(text, word);
                said = at != NULL &&
                       strncmp(at + length + 2, row->to_do, strcspn(row->to_do, "@")) == 0;
            }
        }
        if (!said)
            fail_msg("no verb says of %s: %s", row->words, row->to_do);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_of_another_verb_gets_the_nearest_thing_to_do),
        cmocka_unit_test(the_table_of_advice_names_verbs_and_options_that_there_are),
        cmocka_unit_test(each_row_of_advice_is_said),
    };
    cli_know(verbs, VERBS, advice, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
