/* test_data_files.c - the program's own files, found from this test in the build tree, and from
 * copies of it in installed trees. `test_data_files data|program|preload NAME` prints what it
 * finds. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/data_files.h"

static char found[SUP_PATH_SIZE], root[64];

/* Runs a shell command in a new directory, which has a copy of this program as `self`; the last
 * line of its output is in found. */
static void run(const char *command)
{
    char text[2 * SUP_PATH_SIZE];
    snprintf(root, sizeof root, "/tmp/data-files-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(text, sizeof text,
             "exec 2>&1; cp /proc/%ld/exe %s/self; cd %s; unset ROUNDABOUT_DATA; %s",
             (long)getpid(), root, root, command);
    FILE *pipe = popen(text, "r");
    assert_non_null(pipe);
    found[0] = '\0';
    while (fgets(found, sizeof found, pipe) != NULL)
        found[strcspn(found, "\n")] = '\0';
    pclose(pipe);
    snprintf(text, sizeof text, "rm -r %s", root);
    assert_int_equal(system(text), 0);
}

static void assert_found_below_root(const char *path)
{
    assert_memory_equal(found, root, strlen(root));
    assert_string_equal(found + strlen(root), path);
}

static void a_build_tree_uses_its_source_tree(void **state)
{
    struct sup_error error;
    (void)state;
    assert_int_equal(sup_data_path(found, sizeof found, "plots/style.gp", &error), RB_OK);
    assert_string_equal(found, ROUNDABOUT_SOURCE_DIR "/plots/style.gp");
    assert_int_equal(sup_data_path(found, sizeof found, "plots/none.gp", &error), RB_EIO);
    assert_string_equal(
        error.text,
        "plots/none.gp: this file of Roundabout is not in " ROUNDABOUT_SOURCE_DIR
        "; the environment variable ROUNDABOUT_DATA can name the directory that has it");
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    struct sup_error error;
    char small[sizeof "plots/style.gp"]; /* no room for a directory */
    (void)state;
    assert_int_equal(sup_data_path(small, sizeof small, "plots/style.gp", &error), RB_EIO);
}

static void an_installed_tree_uses_itself(void **state)
{
    (void)state;
    run("mkdir -p a/" SUP_BIN " a/" SUP_DATA "/plots; touch a/" SUP_DATA "/plots/x.gp\n"
        "mv self a/" SUP_BIN "; cp -r a b; rm -r a; b/" SUP_BIN "/self data plots/x.gp");
    assert_found_below_root("/b/" SUP_DATA "/plots/x.gp");
    run("mkdir -p a/" SUP_BIN " a/" SUP_LIBEXEC "; touch a/" SUP_LIBEXEC "/job\n"
        "mv self a/" SUP_BIN "; ln -s a/" SUP_BIN "/self link; PATH=$PWD:$PATH link program job");
    assert_found_below_root("/a/" SUP_LIBEXEC "/job");
    run("mkdir -p a/" SUP_LIBEXEC " a/" SUP_PRELOAD "; touch a/" SUP_PRELOAD "/lib.so\n"
        "mv self a/" SUP_LIBEXEC "/job; a/" SUP_LIBEXEC "/job preload lib.so");
    assert_found_below_root("/a/" SUP_PRELOAD "/lib.so");
    /* A directory that only ends like that of programs is no installation's. */
    run("mkdir -p a/x" SUP_BIN " a/" SUP_DATA "/plots; touch a/" SUP_DATA "/plots/x.gp\n"
        "mv self a/x" SUP_BIN "; a/x" SUP_BIN "/self data plots/x.gp");
    assert_non_null(strstr(found, "plots/x.gp: this file of Roundabout is not in "));
    run("mkdir -p a/" SUP_BIN "; mv self a/" SUP_BIN "; a/" SUP_BIN "/self data plots/x.gp");
    assert_non_null(
        strstr(found, "plots/x.gp: this file of Roundabout is not in /tmp/data-files-"));
    assert_non_null(strstr(found, "/a/" SUP_DATA "; the environment variable ROUNDABOUT_DATA can"));
}

static void the_environment_comes_first(void **state)
{
    (void)state;
    run("mkdir -p 'o n/plots' bin share/roundabout/plots; touch 'o n/plots/x.gp' "
        "share/roundabout/plots/x.gp\n"
        "mv self bin; ROUNDABOUT_DATA=\"$PWD/o n\" bin/self data plots/x.gp");
    assert_found_below_root("/o n/plots/x.gp");
    run("ROUNDABOUT_DATA=/nowhere ./self data plots/x.gp");
    assert_non_null(strstr(found, "is not in /nowhere; the environment variable"));
    run("ROUNDABOUT_DATA= ./self data plots/x.gp"); /* neither installed nor built: its own
                                                       directory */
    assert_non_null(
        strstr(found, "plots/x.gp: this file of Roundabout is not in /tmp/data-files-"));
}

static int print(const char *kind, const char *name)
{
    struct sup_error error;
    const int status = strcmp(kind, "data") == 0 ? sup_data_path(found, sizeof found, name, &error)
                       : strcmp(kind, "program") == 0
                           ? sup_program_path(found, sizeof found, name, &error)
                           : sup_library_path(found, sizeof found, name, &error);
    puts(status == RB_OK ? found : error.text);
    return status == RB_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_tree_uses_its_source_tree),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(an_installed_tree_uses_itself),
        cmocka_unit_test(the_environment_comes_first),
    };
    if (argc == 3)
        return print(argv[1], argv[2]);
    unsetenv("ROUNDABOUT_DATA");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
