#define _GNU_SOURCE /* memmem, sigaction, getdents64, unlinkat, lstat, mkdir */

#include "support/output/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/output/output.h"
#include "support/replace.h"
#include "support/units.h"

/* ---- Files that Roundabout made -------------------------------------------------------------- */

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
    MARK(".cnf", EARLY_LINE, ANYTHING, 1, "c " OUT_MADE_MARK ": "),
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

/* ---- Unfinished output ----------------------------------------------------------------------- */

/* Removes partly written output, and ends the program that writes it, if a signal (SIGINT,
 * SIGTERM, SIGHUP) ends the process.
 *
 * A signal handler can reach nothing but static storage, and may not allocate: hence no opendir. */

enum { MOST_FILES = 8 };

static struct {
    volatile sig_atomic_t watched; /* set when the path is complete */
    char path[PATH_MAX];
} unfinished[MOST_FILES];
static volatile pid_t child;
static volatile sig_atomic_t line_stands;
static pid_t owner;

/* Removing files while reading the directory may hide later entries, so this repeats until none is
 * left. */
static void empty_directory(const char *path)
{
    _Alignas(struct dirent64) char buffer[8192];
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool any = directory >= 0;
    while (any) {
        ssize_t got;
        any = false;
        lseek(directory, 0, SEEK_SET);
        while ((got = getdents64(directory, buffer, sizeof buffer)) > 0)
            for (ssize_t at = 0; at < got;) {
                const struct dirent64 *entry = (const struct dirent64 *)(const void *)(buffer + at);
                any = unlinkat(directory, entry->d_name, 0) == 0 || any;
                at += entry->d_reclen;
            }
    }
    if (directory >= 0)
        close(directory);
}

void out_remove(const char *path)
{
    const int reason = errno;
    if (unlink(path) != 0 && (errno == EISDIR || errno == EPERM)) {
        empty_directory(path);
        rmdir(path);
    }
    errno = reason;
}

/* Lets it end what it has started itself, as mpirun does its ranks; if it takes too long, it is
 * killed. */
static void end_child(pid_t ending)
{
    enum { STEPS = 500 };
    const struct timespec step = {.tv_nsec = 10000000};
    kill(ending, SIGTERM);
    for (int i = 0; i < STEPS; i++) {
        if (waitpid(ending, NULL, WNOHANG) != 0)
            return;
        nanosleep(&step, NULL);
    }
    kill(ending, SIGKILL);
    waitpid(ending, NULL, 0);
}

void out_remove_unfinished(void)
{
    if (getpid() == owner && child > 0)
        end_child(child);
    for (int i = 0; i < MOST_FILES && getpid() == owner; i++)
        if (unfinished[i].watched)
            out_remove(unfinished[i].path);
    static const char erase[] = "\r\033[K";
    if (getpid() == owner && line_stands && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        line_stands = 0; /* nothing else can be done about it */
}

static void remove_all(int signal_number)
{
    out_remove_unfinished();
    raise(signal_number); /* SA_RESETHAND: this time it ends the process */
}

/* A signal that is ignored (nohup) stays so. */
static void catch_signal(int signal_number)
{
    struct sigaction before;
    struct sigaction action = {.sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void catch_signals(void)
{
    owner = getpid();
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
}

void out_unfinished(const char *path)
{
    if (strlen(path) >= PATH_MAX)
        return;
    for (int i = 0; i < MOST_FILES; i++) {
        if (unfinished[i].watched)
            continue;
        strcpy(unfinished[i].path, path);
        unfinished[i].watched = 1;
        catch_signals();
        return;
    }
}

void out_finished(const char *path)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (unfinished[i].watched && strcmp(unfinished[i].path, path) == 0)
            unfinished[i].watched = 0;
}

void out_unfinished_child(pid_t started)
{
    child = started;
    if (started > 0)
        catch_signals();
}

void out_unfinished_line(bool shown)
{
    if (shown && !line_stands)
        catch_signals();
    line_stands = shown;
}

/* ---- What a command reads and writes --------------------------------------------------------- */

struct file {
    char what[32];
    char *path;            /* owned, as given */
    bool written, derived; /* derived: the command line does not say its name */
    struct sup_identity identity;
};

/* A process has one command line at a time. */
static struct file *known_files;
static size_t known_count;
static bool force;

void out_files_clear(void)
{
    force = false;
    for (size_t i = 0; i < known_count; i++) {
        free(known_files[i].path);
        free(known_files[i].identity.name);
    }
    free(known_files);
    known_files = NULL;
    known_count = 0;
}

/* False: it is no file that could be lost. */
static bool identify(const char *path, bool written, struct file *file)
{
    struct stat found;
    const int stream = written ? STDOUT_FILENO : STDIN_FILENO;
    if (strcmp(path, "-") == 0 ? fstat(stream, &found) != 0 : stat(path, &found) != 0)
        return written && sup_identify(path, &file->identity);
    file->identity = (struct sup_identity){.device = found.st_dev, .number = found.st_ino};
    return S_ISREG(found.st_mode);
}

static const char *shown(const struct file *file)
{
    const char *stream = file->written ? "standard output" : "standard input";
    return strcmp(file->path, "-") == 0 ? stream : file->path;
}

/* The option that writes is to blame; of two, the later one. */
static int refuse(const struct file *here, const struct file *other, struct sup_error *error)
{
    const struct file *output = here->written ? here : other;
    const struct file *against = here->written ? other : here;
    const bool same_text = strcmp(shown(here), shown(other)) == 0;
    return sup_fail(error, RB_EINVAL, "%s: \"%s\" is %s %s%s%s%s%s; give another name",
                    output->what, shown(output), against->written ? "also written by" : "read as",
                    against->what, same_text ? "" : " (", same_text ? "" : "\"",
                    same_text ? "" : shown(against), same_text ? "" : "\")");
}

static const struct file *find_read(const struct file *file)
{
    for (size_t i = 0; i < known_count; i++)
        if (sup_is_same_file(&known_files[i].identity, &file->identity) && !known_files[i].written)
            return &known_files[i];
    return NULL;
}

static int add(const char *what, const char *path, bool written, bool derived,
               struct sup_error *error)
{
    struct file file = {.path = sup_strdup(path), .written = written, .derived = derived};
    int status = RB_OK;
    snprintf(file.what, sizeof file.what, "%s", what);
    bool keep = identify(path, written, &file);
    const size_t known = keep ? known_count : 0;
    for (size_t i = 0; i < known && status == RB_OK; i++) {
        if (!sup_is_same_file(&known_files[i].identity, &file.identity))
            continue;
        keep = false;
        if ((written || known_files[i].written) &&
            (written != known_files[i].written || strcmp(known_files[i].what, what) != 0))
            status = refuse(&file, &known_files[i], error);
    }
    if (keep) {
        sup_grow(&known_files, known_count, sizeof *known_files);
        known_files[known_count++] = file;
        return RB_OK;
    }
    free(file.path);
    free(file.identity.name);
    return status;
}

int out_files_read(const char *what, const char *path, struct sup_error *error)
{
    return add(what, path, false, false, error);
}

int out_files_write(const char *what, const char *path, struct sup_error *error)
{
    return add(what, path, true, false, error);
}

static bool is_named(const char *path)
{
    struct file file = {0};
    bool named = false;
    const bool known = identify(path, true, &file);
    for (size_t i = 0; i < known_count && known && !named; i++)
        named = known_files[i].written && !known_files[i].derived &&
                sup_is_same_file(&known_files[i].identity, &file.identity);
    free(file.identity.name);
    return named;
}

/* What an output whose name the command line does not say may replace: nothing through a symbolic
 * link that leads out of its directory; only a regular file; and without --force only a file that
 * Roundabout made. `instead` is the new file, if there is one already, or NULL. A file
 * that the command line names as an output may be replaced. RB_EFAILED with a message. */
static int files_replaceable(const char *path, const char *instead, struct sup_error *error)
{
    struct stat about;
    if (is_named(path))
        return RB_OK;
    const int status = out_files_stays(path, error);
    if (status != RB_OK || force || stat(path, &about) != 0 || out_made_by_us(path, instead))
        return status;
    return sup_fail(error, RB_EFAILED,
                    "\"%s\" was not made by roundabout; move it away, or replace it with --force",
                    path);
}

int out_files_derive(const char *what, const char *path, struct sup_error *error)
{
    const int status = add(what, path, true, true, error);
    return status == RB_OK && files_replaceable(path, NULL, error) != RB_OK ? RB_EINVAL : status;
}

void out_files_force(void)
{
    force = true;
}

/* The directory that a path names its file in. False: it is not there. */
static bool directory_of(const char *path, struct stat *directory)
{
    const char *slash = strrchr(path, '/');
    char *name = slash == NULL ? sup_strdup(".")
                               : sup_strndup(path, (size_t)(slash - path) + (slash == path));
    const bool there = stat(name, directory) == 0;
    free(name);
    return there;
}

int out_files_stays(const char *path, struct sup_error *error)
{
    struct stat about, here, there;
    if (lstat(path, &about) != 0)
        return RB_OK;
    if (S_ISLNK(about.st_mode)) {
        char *target = out_follow_links(path);
        const bool inside = target != NULL && directory_of(path, &here) &&
                            directory_of(target, &there) && here.st_dev == there.st_dev &&
                            here.st_ino == there.st_ino;
        if (!inside)
            sup_fail(error, RB_EFAILED,
                     "\"%s\" is a symbolic link to \"%s\", out of its directory; remove it, or "
                     "give another name",
                     path, target == NULL ? "?" : target);
        free(target);
        if (!inside)
            return RB_EFAILED;
    }
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return sup_fail(error, RB_EFAILED, "\"%s\" is not a regular file; move it away", path);
    return RB_OK;
}

int out_files_check(const char *option, const char *path, struct sup_error *error)
{
    struct file file = {.path = (char *)(uintptr_t)path, .written = true};
    snprintf(file.what, sizeof file.what, "--%s", option);
    const struct file *other = identify(path, true, &file) ? find_read(&file) : NULL;
    const int status = other == NULL ? RB_OK : refuse(&file, other, error);
    free(file.identity.name);
    return status;
}

/* ---- A directory inside another one, in which files are made until all are complete ---------- */

enum { MOST_TRIES = 100 };

/* DIRECTORY/NAME; to be freed. */
static char *inside(const char *directory, const char *name)
{
    return sup_format("%s/%s", directory, name);
}

int out_staging_open(struct out_staging *staging, const char *directory, struct sup_error *error)
{
    char *within = inside(directory, "");
    bool made = false, taken = true;
    *staging = (struct out_staging){.directory = sup_strdup(directory)};
    for (int number = 0; !made && taken && number < MOST_TRIES; number++) {
        free(staging->path);
        staging->path = out_temporary_name(within, number);
        out_unfinished(staging->path); /* before it is there: a signal may come at once */
        made = mkdir(staging->path, 0777) == 0;
        taken = !made && errno == EEXIST;
        if (!made)
            out_finished(staging->path);
    }
    const int reason = errno;
    free(within);
    if (made)
        return RB_OK;
    free(staging->path);
    free(staging->directory);
    *staging = (struct out_staging){0};
    return sup_fail(error, RB_EIO, "%s: cannot be written: %s", directory, strerror(reason));
}

struct move {
    char *from, *to; /* owned */
};

/* Makes all names before any file is moved. */
static int find_moves(const struct out_staging *staging, struct move **moves, size_t *count,
                      struct sup_error *error)
{
    const struct dirent *entry;
    DIR *files = sup_got(opendir(staging->path));
    if (files == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", staging->path, strerror(errno));
    while ((entry = readdir(files)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        sup_grow(moves, *count, sizeof **moves);
        (*moves)[(*count)++] = (struct move){inside(staging->path, entry->d_name),
                                             inside(staging->directory, entry->d_name)};
    }
    closedir(files);
    return RB_OK;
}

int out_staging_publish(struct out_staging *staging, struct sup_error *error)
{
    struct move *moves = NULL;
    size_t count = 0;
    int status = find_moves(staging, &moves, &count, error);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        status = files_replaceable(moves[i].to, moves[i].from, error);
    for (size_t i = 0; i < count && status == RB_OK; i++)
        if (!out_made_mark(moves[i].from))
            status = sup_fail(error, RB_EIO, "%s: not all was written: %s", moves[i].to,
                              strerror(errno));
    for (size_t i = 0; i < count; i++) {
        if (status == RB_OK)
            status = out_move(moves[i].from, moves[i].to, error);
        free(moves[i].from);
        free(moves[i].to);
    }
    free(moves);
    out_staging_discard(staging);
    return status;
}

void out_staging_discard(struct out_staging *staging)
{
    if (staging->path != NULL) {
        out_remove(staging->path);
        out_finished(staging->path);
    }
    free(staging->path);
    free(staging->directory);
    *staging = (struct out_staging){0};
}
