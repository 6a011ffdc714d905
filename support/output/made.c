/* made.c - see made.h. */
#define _GNU_SOURCE /* memmem */

#include "support/output/made.h"

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

/* A PNG ends with a chunk of 12 bytes, IEND; a chunk of text goes before it. */
static const char png_end[] = "\0\0\0\x1atEXtComment\0" OUT_MADE_MARK "\xb7\x31\x13\xfd"
                              "\0\0\0\0IEND\xae\x42\x60\x82";
enum { PNG_LAST = 12 };

/* Where the mark of a file of ours stands: at its first or last bytes; or as a line of its own, the
 * last one, or among the first `lines`, which it only begins where a version or more follows. */
enum place { FIRST_BYTES, LAST_BYTES, LAST_LINE, EARLY_LINE };
enum rest { NOTHING, A_VERSION, ANYTHING };
static const struct mark {
    const char *ending; /* of the file's name */
    enum place place;
    enum rest rest;
    int lines;
    size_t size;
    const char *text;
} marks[] = {
#define MARK(ending, place, rest, lines, text)                                                     \
    {                                                                                              \
        ending, place, rest, lines, sizeof(text) - 1, text                                         \
    }
    MARK(".gp", EARLY_LINE, A_VERSION, 24, "# figure " OUT_MADE_MARK " "),
    MARK(".dat", EARLY_LINE, A_VERSION, 24, "# figure " OUT_MADE_MARK " "),
    MARK(".pdf", LAST_LINE, NOTHING, 0, "% " OUT_MADE_MARK),
    MARK(".tex", LAST_LINE, NOTHING, 0, "% " OUT_MADE_MARK),
    MARK(".sty", LAST_LINE, NOTHING, 0, "% " OUT_MADE_MARK),
    MARK(".svg", LAST_LINE, NOTHING, 0, "<!-- " OUT_MADE_MARK " -->"),
    MARK(".png", LAST_BYTES, NOTHING, 0, png_end),
    MARK(".tune.txt", LAST_LINE, A_VERSION, 0, OUT_MADE_MARK " "),
    MARK(".html", EARLY_LINE, NOTHING, 16,
         "<meta name=\"generator\" content=\"" OUT_MADE_MARK "\">"),
    MARK(".csv", FIRST_BYTES, ANYTHING, 0,
         "collective,algorithm,p,n,m_bytes,root,"), /* a sweep's */
    MARK(".xml", EARLY_LINE, ANYTHING, 6, "<!-- calibrated by roundabout "),
    MARK(".json", EARLY_LINE, ANYTHING, 16, "  \"platform_basis\": \""), /* a calibration */
    MARK(".sh", EARLY_LINE, ANYTHING, 2, "# roundabout sweep --slurm: "),
    MARK(".sbatch", EARLY_LINE, ANYTHING, 2, "# roundabout sweep --slurm: "),
    /* A trace for ASTRA-sim: a message with a version and the attribute "generator". */
    MARK(".et", FIRST_BYTES, ANYTHING, 0,
         ")\n\x05"
         "1.0.0\x12 \n\tgenerator\xea\x01\x12" OUT_MADE_MARK),
    /* What SQLite keeps beside a database: a log in either byte order, its index in either byte
     * order, a rollback journal, and one that is no longer valid. */
    MARK("-wal", FIRST_BYTES, ANYTHING, 0, "\x37\x7f\x06\x82"),
    MARK("-wal", FIRST_BYTES, ANYTHING, 0, "\x37\x7f\x06\x83"),
    MARK("-shm", FIRST_BYTES, ANYTHING, 0, "\x18\xe2\x2d\0"),
    MARK("-shm", FIRST_BYTES, ANYTHING, 0, "\0\x2d\xe2\x18"),
    MARK("-journal", FIRST_BYTES, ANYTHING, 0, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"),
    MARK("-journal", FIRST_BYTES, ANYTHING, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
};
enum { MARKS = sizeof marks / sizeof *marks };

static bool read_ends(FILE *file, struct ends *ends)
{
    ends->head_size = fread(ends->head, 1, HEAD, file);
    if (fseek(file, 0, SEEK_END) != 0)
        return false;
    const long size = ftell(file);
    if (size < 0 || fseek(file, size < TAIL ? -size : -TAIL, SEEK_END) != 0)
        return false;
    ends->tail_size = fread(ends->tail, 1, TAIL, file);
    return ferror(file) == 0;
}

static bool contains(const struct ends *ends, const char *text)
{
    return memmem(ends->head, ends->head_size, text, strlen(text)) != NULL ||
           memmem(ends->tail, ends->tail_size, text, strlen(text)) != NULL;
}

/* Whether a line, up to its end, is the mark's. */
static bool is_line(const struct mark *mark, const char *line, const char *end)
{
    const size_t length = (size_t)(end - line);
    if (length < mark->size || memcmp(line, mark->text, mark->size) != 0)
        return false;
    return mark->rest == ANYTHING ||
           (length > mark->size) == (mark->rest == A_VERSION &&
                                     memchr(line + mark->size, ' ', length - mark->size) == NULL);
}

static bool stands_early(const struct mark *mark, const struct ends *ends)
{
    const char *line = ends->head, *end = ends->head + ends->head_size, *stop;
    for (int i = 0; i < mark->lines; i++, line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (stop == NULL)
            return false;
        if (is_line(mark, line, stop))
            return true;
    }
    return false;
}

static bool stands_last(const struct mark *mark, const struct ends *ends)
{
    const char *end = ends->tail + ends->tail_size - 1, *line = end;
    if (ends->tail_size == 0 || *end != '\n')
        return false;
    while (line > ends->tail && line[-1] != '\n')
        line--;
    return is_line(mark, line, end);
}

static bool stands(const struct mark *mark, const struct ends *ends)
{
    switch (mark->place) {
    case FIRST_BYTES:
        return ends->head_size >= mark->size && memcmp(ends->head, mark->text, mark->size) == 0;
    case LAST_BYTES:
        return ends->tail_size >= mark->size &&
               memcmp(ends->tail + ends->tail_size - mark->size, mark->text, mark->size) == 0;
    case LAST_LINE:
        return stands_last(mark, ends);
    default:
        return stands_early(mark, ends);
    }
}

static bool has_mark(const char *path, const struct ends *ends)
{
    for (int i = 0; i < MARKS; i++)
        if (sup_ends_in(path, marks[i].ending) && stands(&marks[i], ends))
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
        ours = file != NULL && read_ends(file, &script) && has_mark(name, &script);
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
                      (ends.head_size == 0 || has_mark(path, &ends) || is_drawn(path, &ends) ||
                       (instead != NULL && is_like(file, path, &ends, instead)));
    fclose(file);
    return ours;
}

bool out_made_mark(const char *path)
{
    for (int i = 0; i < MARKS; i++) {
        const struct mark *mark = &marks[i];
        if ((mark->place != LAST_LINE && mark->place != LAST_BYTES) || mark->rest != NOTHING ||
            !sup_ends_in(path, mark->ending))
            continue;
        const bool line = mark->place == LAST_LINE;
        FILE *file = sup_got(fopen(path, "r+b"));
        if (file == NULL)
            return false;
        bool good = fseek(file, line ? 0 : -(long)PNG_LAST, SEEK_END) == 0 &&
                    fwrite(mark->text, 1, mark->size, file) == mark->size &&
                    (!line || fputc('\n', file) != EOF);
        const int reason = errno;
        if (fclose(file) != 0)
            return false;
        errno = good ? errno : reason;
        return good;
    }
    return true;
}
