/* main.c - the command line: finds the verb of list.h and lets it run. */
#define _POSIX_C_SOURCE 200809L /* fcntl, sigaction */

#include <errno.h>
#include <fcntl.h>
#include <libxml/xmlmemory.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/advice.h"
#include "command/verbs.h"
#include "interchange/interchange.h"
#include "platforms/platform.h"
#include "roundabout-redistribution.h"
#include "sim/engine/engine.h"
#include "support/memory.h"
#include "support/options/help.h"

static const struct cli_verb *const verbs[] = {
#define VERB(name) &name,
#include "command/list.h"
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const struct cli_verb *find_verb(const char *name)
{
    for (int32_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

/* ---- Names that options take, for completions ------------------------------------------------ */

static const char *collective_at(int32_t i)
{
    const struct rb_collective_info *info = rb_collective_at(i);
    return info == NULL ? NULL : info->name;
}

static const char *engine_at(int32_t i)
{
    const struct sim_engine *engine = sim_engine_at(i);
    return engine == NULL ? NULL : engine->name;
}

static const char *platform_at(int32_t i)
{
    const struct platform_generator *generator = platform_generator_at(i);
    return generator == NULL ? NULL : generator->name;
}

static const struct cli_registry registries[] = {
    {"collective", collective_at, NULL, "none|shift|redistribute"},
    {"engine", engine_at, NULL, NULL},
    {"platform", platform_at, platform_usual, NULL},
    {0},
};

/* ---- What the command line asks for ---------------------------------------------------------- */

static int complain_unknown(const char *name)
{
    const char *words[VERBS + 2] = {"--help", "--version"};
    for (int32_t i = 0; i < VERBS; i++)
        words[i + 2] = verbs[i]->name;
    const char *nearest = sup_nearest_word(name, words, VERBS + 2);
    const char *kind = *name == '-' ? "option" : "verb";
    if (nearest == NULL && cli_advise("", name, name))
        return CLI_EXIT_USAGE;
    if (nearest != NULL)
        return cli_complain(CLI_EXIT_USAGE, "unknown %s \"%s\": did you mean %s?", kind, name,
                            nearest);
    return cli_complain(CLI_EXIT_USAGE, "unknown %s \"%s\": see roundabout --help", kind, name);
}

/* `help --man VERB` and `help --completion SHELL` are for the build, and for those who install by
 * hand, and `help --complete WORD...` for the shells; the program's help does not list them. */
static int help(int argc, char *argv[])
{
    const bool manual = argc > 0 && strcmp(argv[0], "--man") == 0;
    if (argc > 0 && strcmp(argv[0], "--completion") == 0) {
        if (argc == 2 && cli_completion(argv[1]))
            return CLI_EXIT_DONE;
        return cli_complain(CLI_EXIT_USAGE, "help --completion: needs a shell: one of " CLI_SHELLS);
    }
    if (argc > 0 && strcmp(argv[0], "--complete") == 0) {
        cli_complete(&(struct cli_words){verbs, VERBS, (const char *const *)argv + 1, argc - 1});
        return CLI_EXIT_DONE;
    }
    const char *name = manual ? argv[1] : argv[0]; /* argv ends with NULL */
    const struct cli_verb *verb = name == NULL ? NULL : find_verb(name);
    if (name != NULL && verb == NULL)
        return complain_unknown(name);
    if (verb != NULL && manual)
        cli_manual_verb(verb);
    else if (verb != NULL)
        cli_help_verb(verb, argc > 1 && strcmp(argv[1], "--details") == 0);
    else
        (manual ? cli_manual_program : cli_help_program)(verbs, VERBS);
    return CLI_EXIT_DONE;
}

static int run(int argc, char *argv[])
{
    cli_know(verbs, VERBS, advice, registries);
    if (argc < 2)
        return cli_complain(CLI_EXIT_USAGE, "missing verb: see roundabout --help");
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(first, "--version") == 0) {
        printf("roundabout %s\n", cli_program_version);
        return CLI_EXIT_DONE;
    }
    const struct cli_verb *verb = find_verb(first);
    if (verb == NULL)
        return complain_unknown(first);
    return cli_verb_main(verb, argc - 2, argv + 2);
}

/* A file opened later must not get the number of a closed standard output or error. The substitute
 * is read-only, so that a write to it fails as before. */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != fd)
            _exit(CLI_EXIT_FAILED);
}

int main(int argc, char *argv[])
{
    char why[200];
    hold_standard_streams();
    xmlMemSetup(free, sup_malloc, sup_realloc, sup_strdup);
    if (rb_redistribution_add(why, sizeof why) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s", why);
    inter_start();
    /* If a reader goes away, this is treated like any other write error, and partial output is
     * removed. If it was that of standard output, the signal ends the program at last. */
    struct sigaction before;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &before);
    /* So is a file that becomes larger than `ulimit -f` allows. */
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    int status = run(argc, argv);
    struct out_file output = {.stream = stdout};
    struct sup_error error;
    if (out_close(&output, &error) == RB_OK)
        return status;
    if (error.text[0] == '\0') {
        sigaction(SIGPIPE, &before, NULL);
        raise(SIGPIPE);
        return cli_complain(CLI_EXIT_FAILED, "standard output: not all was written: %s",
                            strerror(EPIPE));
    }
    return status == CLI_EXIT_FAILED ? status : cli_complain(CLI_EXIT_FAILED, "%s", error.text);
}
