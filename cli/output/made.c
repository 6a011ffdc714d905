/* made.c - see made.h. */
#define _GNU_SOURCE /* memmem */

#include "cli/output/made.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/units.h"

enum { HEAD = 1 << 14, TAIL = 1 << 12 };

struct ends {
    size_t head_size, tail_size;
    char head[HEAD], tail[TAIL];
};

/* Anywhere in the first or the last bytes of a text. */
static const char *const marks[] = {
    OUT_MADE_MARK, "calibrated by roundabout", /* a platform */
    "\"platform_basis\":",                     /* a calibration */
    "# roundabout sweep --slurm: ",            /* a script */
    "collective,algorithm,p,n,m_bytes,root,"   /* a sweep's table */
};

/* The first bytes of what SQLite keeps beside a database: a log in either byte order, its index in
 * either byte order, a rollback journal, and either of these two when it is no longer valid. */
static const struct {
    size_t size;
    char bytes[16];
} starts[] = {{4, "\x37\x7f\x06\x82"},
              {4, "\x37\x7f\x06\x83"},
              {4, "\x18\xe2\x2d"},
              {4, {0, 0x2d, (char)0xe2, 0x18}},
              {8, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"},
              {16, ""}};

static bool read_ends(FILE *file, struct ends *ends)
{
    ends->head_size = fread(ends->head, 1, HEAD, file);
    if (fseek(file, 0, SEEK_END) != 0)
        return false;
    const long size = ftell(file);
    if (size < 0 || fseek(file, size < TAIL ? 0 : -TAIL, SEEK_END) != 0)
        return false;
    ends->tail_size = fread(ends->tail, 1, TAIL, file);
    return ferror(file) == 0;
}

static bool contains(const struct ends *ends, const char *text)
{
    return memmem(ends->head, ends->head_size, text, strlen(text)) != NULL ||
           memmem(ends->tail, ends->tail_size, text, strlen(text)) != NULL;
}

static bool has_mark(const struct ends *ends)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (contains(ends, marks[i]))
            return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ends->head_size >= starts[i].size &&
            memcmp(ends->head, starts[i].bytes, starts[i].size) == 0)
            return true;
    return false;
}

/* Formats without comments: a figure's table, and traces, whose names have no ending. */
static bool is_bare(const char *path)
{
    const char *slash = strrchr(path, '/');
    return sup_ends_in(path, ".csv") || strchr(slash == NULL ? path : slash, '.') == NULL;
}

static bool is_like(FILE *old, const char *path, const struct ends *ends, const char *instead)
{
    struct ends others;
    FILE *file = sup_got(fopen(instead, "rb"));
    if (file == NULL)
        return false;
    bool like = read_ends(file, &others);
    const char *line = memchr(ends->head, '\n', ends->head_size);
    const size_t length = line == NULL ? 0 : (size_t)(line - ends->head) + 1;
    if (!like || length == 0 || !is_bare(path) || others.head_size < length ||
        memcmp(ends->head, others.head, length) != 0) {
        rewind(old);
        rewind(file);
        for (int a = 0, b = 0; like && a != EOF; like = a == b) {
            a = getc(old);
            b = getc(file);
        }
    }
    fclose(file);
    return like;
}

/* A picture that gnuplot drew when the user ran our script beside it. */
static bool is_drawn(const char *path, const struct ends *ends)
{
    static const char *const endings[] = {"-tikz.tex", "-cairo.tex", "-cairo.pdf",
                                          ".pdf",      ".png",       ".svg"};
    static const char *const drawn[] = {"/Producer (cairo", "bKGD", "GNUPLOT"};
    struct ends script;
    bool by_gnuplot = false, ours = false;
    for (int i = 0; i < 3; i++)
        by_gnuplot = by_gnuplot || contains(ends, drawn[i]);
    for (int i = 0; i < 6 && by_gnuplot && !ours; i++) {
        char name[PATH_MAX];
        if (!sup_ends_in(path, endings[i]))
            continue;
        const size_t stem = strlen(path) - strlen(endings[i]);
        if (stem + sizeof ".gp" > sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s.gp", (int)stem, path);
        FILE *file = sup_got(fopen(name, "rb"));
        ours = file != NULL && read_ends(file, &script) && contains(&script, OUT_MADE_MARK);
        if (file != NULL)
            fclose(file);
    }
    return ours;
}

bool out_made_by_us(const char *path, const char *instead)
{
    struct ends ends;
    FILE *file = sup_got(fopen(path, "rb"));
    if (file == NULL)
        return errno == ENOENT;
    const bool ours = read_ends(file, &ends) &&
                      (ends.head_size == 0 || has_mark(&ends) || is_drawn(path, &ends) ||
                       (instead != NULL && is_like(file, path, &ends, instead)));
    fclose(file);
    return ours;
}

/* A PNG ends with a chunk of 12 bytes, IEND; a chunk of text goes before it. */
static const char png_end[] = "\0\0\0\x1atEXtComment\0" OUT_MADE_MARK "\xb7\x31\x13\xfd"
                              "\0\0\0\0IEND\xae\x42\x60\x82";
enum { PNG_LAST = 12 };

bool out_made_mark(const char *path)
{
    static const struct {
        const char *ending, *text;
        size_t size, over; /* bytes at the end of the file that the text replaces */
    } kinds[] = {
#define TEXT(ending, text) {ending, text, sizeof(text) - 1, 0}
        TEXT(".pdf", "% " OUT_MADE_MARK "\n"),
        TEXT(".tex", "% " OUT_MADE_MARK "\n"),
        TEXT(".sty", "% " OUT_MADE_MARK "\n"),
        TEXT(".svg", "<!-- " OUT_MADE_MARK " -->\n"),
        {".png", png_end, sizeof png_end - 1, PNG_LAST},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!sup_ends_in(path, kinds[i].ending))
            continue;
        FILE *file = sup_got(fopen(path, "r+b"));
        if (file == NULL)
            return false;
        bool good = fseek(file, -(long)kinds[i].over, SEEK_END) == 0 &&
                    fwrite(kinds[i].text, 1, kinds[i].size, file) == kinds[i].size;
        const int reason = errno;
        if (fclose(file) != 0)
            return false;
        errno = good ? errno : reason;
        return good;
    }
    return true;
}
