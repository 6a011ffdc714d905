/* test_marks_of_our_files.c - which files at the places of derived outputs are the program's own
 * (files.h): those that carry the mark of their kind, whole and at its place, and no others. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/output/files.h"

static char directory[] = "/tmp/test_marks-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return chdir("/") != 0 || system(command) != 0;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool is_ours(const char *path, const char *bytes, size_t size)
{
    write_file(path, bytes, size);
    const bool ours = out_made_by_us(path, NULL);
    unlink(path);
    return ours;
}

/* ---- Marks ---- */

/* A file of each kind, as the program writes it: the mark is bytes first .. end - 1. */
struct kind {
    const char *ending, *text;
    size_t size, first, end;
};
#define KIND(ending, before, mark, after)                                                          \
    {                                                                                              \
        ending, before mark after, sizeof(before mark after) - 1, sizeof(before) - 1,              \
            sizeof(before mark) - 1                                                                \
    }
static const struct kind kinds[] = {
    KIND(".gp", "#!/usr/bin/gnuplot\n", "# figure made by roundabout ", "1.2\nplot 1\n"),
    KIND(".dat", "", "# figure made by roundabout ", "1.2\n1 2\n"),
    KIND(".html", "<!DOCTYPE html>\n<html><head>\n",
         "<meta name=\"generator\" content=\"made by roundabout\">\n", "</head></html>\n"),
    KIND(".csv", "", "collective,algorithm,p,n,m_bytes,root,", "time_s\nbcast,chain,4,1,8,0,1\n"),
    KIND(".cnf", "", "c made by roundabout: ", "x\np cnf 0 0\n"),
    KIND(".xml", "<?xml version='1.0'?>\n", "<!-- calibrated by roundabout ", "1.2 -->\n<x/>\n"),
    KIND(".json", "{\n", "  \"platform_basis\": \"", "x\"\n}\n"),
    KIND(".sh", "#!/bin/sh\n", "# roundabout sweep --slurm: ", "x\n"),
    KIND(".sbatch", "#!/bin/sh\n", "# roundabout sweep --slurm: ", "x\n"),
    KIND("-wal", "", "\x37\x7f\x06\x82", "more"),
    KIND("-wal", "", "\x37\x7f\x06\x83", "more"),
    KIND("-shm", "", "\x18\xe2\x2d\0", "more"),
    KIND("-journal", "", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "more"),
    KIND("-journal", "", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "more"),
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static char *named(const char *ending)
{
    static char name[40];
    snprintf(name, sizeof name, "file%s", ending);
    return name;
}

/* The kind's mark makes a file ours only whole, at its place and under a name of its kind. */
static void marks_count_whole_at_their_place(void **state)
{
    static const char *const endings[] = {".gp",      ".dat", ".html", ".csv", ".xml",
                                          ".json",    ".sh",  ".svg",  ".txt", ".sbatch",
                                          "-journal", "-wal", "-shm",  ""};
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const struct kind *kind = &kinds[k];
        char bytes[400];
        assert_true(is_ours(named(kind->ending), kind->text, kind->size));
        for (size_t i = kind->first; i < kind->end; i++) { /* each byte of the mark */
            memcpy(bytes, kind->text, kind->size);
            bytes[i] ^= 4;
            if (is_ours(named(kind->ending), bytes, kind->size))
                fail_msg("kind %zu, %s: ours without byte %zu of its mark", k, kind->ending, i);
            if (i > 0 && is_ours(named(kind->ending), kind->text, i))
                fail_msg("kind %zu, %s: ours though cut at byte %zu", k, kind->ending, i);
        }
        /* Behind thirty other lines, or within one. */
        memset(bytes, '\n', 30);
        memcpy(bytes + 30, kind->text, kind->size);
        assert_false(is_ours(named(kind->ending), bytes, 30 + kind->size));
        memcpy(bytes, kind->text, kind->first);
        bytes[kind->first] = 'x';
        memcpy(bytes + kind->first + 1, kind->text + kind->first, kind->size - kind->first);
        assert_false(is_ours(named(kind->ending), bytes, kind->size + 1));
        for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
            bool of_kind = false;
            for (size_t i = 0; i < KINDS; i++)
                of_kind =
                    of_kind || (strcmp(kinds[i].ending, endings[e]) == 0 &&
                                kinds[i].end - kinds[i].first == kind->end - kind->first &&
                                memcmp(kinds[i].text + kinds[i].first, kind->text + kind->first,
                                       kind->end - kind->first) == 0);
            if (is_ours(named(endings[e]), kind->text, kind->size) != of_kind)
                fail_msg("kind %zu as %s: %s", k, endings[e], of_kind ? "not ours" : "ours");
        }
    }
}

/* What marks a picture or a file for LaTeX is its last line, or a PNG's last chunk but one. */
static void marks_are_last(void **state)
{
    static const char *const endings[] = {".pdf", ".tex", ".sty", ".svg", ".png"};
    static const char png[] = "\x89PNG\r\n\x1a\nrest\0\0\0\0IEND\xae\x42\x60\x82";
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const bool is_png = strcmp(endings[i], ".png") == 0;
        const char *path = named(endings[i]), *text = is_png ? png : "first\nlast\n";
        const size_t size = is_png ? sizeof png - 1 : strlen(text);
        char bytes[200];
        write_file(path, text, size);
        assert_false(out_made_by_us(path, NULL));
        assert_true(out_made_mark(path));
        assert_true(out_made_by_us(path, NULL));
        FILE *file = fopen(path, "rb");
        const size_t all = fread(bytes, 1, sizeof bytes - 1, file);
        fclose(file);
        assert_true(all > size && all < sizeof bytes - 1);
        assert_memory_equal(bytes, text, is_png ? size - 12 : size);
        for (size_t b = is_png ? size - 12 : size; b < all; b++) {
            bytes[b] ^= 1;
            assert_false(is_ours(path, bytes, all));
            bytes[b] ^= 1;
        }
        bytes[all] = '\n'; /* an empty line behind it */
        assert_false(is_ours(path, bytes, all + 1));
        assert_false(is_ours(path, bytes, all - 1));
        assert_true(is_ours(path, bytes, all));
        assert_false(is_ours("file.txt", bytes, all));
    }
    write_file("file.txt", "x", 1);
    assert_true(out_made_mark("file.txt")); /* which has no form of a comment: it stays */
    assert_false(out_made_by_us("file.txt", NULL));
}

/* ---- Other files ---- */

static void what_is_empty_or_equal_may_go(void **state)
{
    static const struct {
        const char *name, *old, *new_;
        bool ours;
    } cases[] = {
        {"a.dat", "", "x\n", true},
        {"a.dat", "x\ny\n", "x\ny\n", true},
        {"a.dat", "x\ny\n", "x\nz\n", false},
        {"a.dat", "x", "xy", false},
        {"a.dat", "xy", "x", false},
        {"a.csv", "h\n1\n", "h\n2\n", true},
        {"a.csv", "h\n1\n", "g\n1\n", false},
        {"a.csv", "h\n", "h", false},
        {"a.csv", "h1\n", "h2\n", false},
        {"trace_3", "h\n1\n", "h\n2\n", true},
        {"a.txt", "h\n1\n", "h\n2\n", false},
        {"a.b/trace", "h\n1\n", "h\n2\n", true},
        {"a.b/x.y", "h\n1\n", "h\n2\n", false},
        {"a.csv", "h", "h2", false},
    };
    (void)state;
    assert_int_equal(system("mkdir a.b"), 0);
    assert_true(out_made_by_us("nothing", NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(cases[i].name, cases[i].old, strlen(cases[i].old));
        write_file("instead", cases[i].new_, strlen(cases[i].new_));
        if (out_made_by_us(cases[i].name, "instead") != cases[i].ours)
            fail_msg("%s \"%s\" for \"%s\"", cases[i].name, cases[i].old, cases[i].new_);
        assert_int_equal(out_made_by_us(cases[i].name, NULL), cases[i].old[0] == '\0');
        unlink(cases[i].name);
    }
}

/* gnuplot's picture is ours if our script is beside it. */
static void drawn_pictures_need_our_script(void **state)
{
    static const char ours[] = "# figure made by roundabout 1.2\n", theirs[] = "# mine\n";
    static const char *const pictures[] = {"f-tikz.tex", "f-cairo.tex", "f-cairo.pdf",
                                           "f.pdf",      "f.png",       "f.svg"};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        write_file(pictures[i], "x GNUPLOT y\n", 12);
        assert_false(out_made_by_us(pictures[i], NULL));
        write_file("f.gp", theirs, sizeof theirs - 1);
        assert_false(out_made_by_us(pictures[i], NULL));
        write_file("f.gp", ours, sizeof ours - 1);
        assert_true(out_made_by_us(pictures[i], NULL));
        write_file(pictures[i], "x GNUPL0T y\n", 12);
        assert_false(out_made_by_us(pictures[i], NULL));
        unlink("f.gp");
        write_file("g.gp", ours, sizeof ours - 1); /* of another figure */
        write_file(pictures[i], "x GNUPLOT y\n", 12);
        assert_false(out_made_by_us(pictures[i], NULL));
        unlink("g.gp");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_count_whole_at_their_place),
        cmocka_unit_test(marks_are_last),
        cmocka_unit_test(what_is_empty_or_equal_may_go),
        cmocka_unit_test(drawn_pictures_need_our_script),
    };
    return cmocka_run_group_tests_name("made", tests, enter, leave);
}
