#define _POSIX_C_SOURCE 200809L /* open, fstat */
#include "host_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/units.h"

enum { MOST_BYTES = 64 << 20, MOST_RANKS = 1 << 24, MOST_NAME = 250 };

/* ---- The bytes ------------------------------------------------------------------------------- */

/* Reads a whole file, with a terminating zero. A pipe would block, and a device may never end. */
static int read_bytes(const char *path, char **text, size_t *size, struct sup_error *error)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    *text = NULL;
    *size = 0;
    if (file < 0)
        return sup_fail(error, RB_EINVAL, "%.300s: %s", path, strerror(errno));
    int status = RB_OK;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        status = sup_fail(error, RB_EINVAL, "%.300s: not a regular file", path);
    else if (about.st_size > MOST_BYTES)
        status = sup_fail(error, RB_EINVAL, "%.300s: larger than %d MiB: a line per rank is needed",
                          path, MOST_BYTES >> 20);
    const size_t room = status == RB_OK ? (size_t)about.st_size : 0;
    if (status == RB_OK)
        *text = sup_malloc(room + 1);
    while (status == RB_OK && *size < room) {
        const ssize_t got = read(file, *text + *size, room - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = sup_fail(error, RB_EINVAL, "%.300s: %s", path, strerror(errno));
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    close(file);
    if (*text != NULL)
        (*text)[*size] = '\0';
    return status;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    struct sim_host_file *file;
    struct sup_error *error;
    int32_t line;
    int32_t *rank;              /* per entry, in lines of the form rank N=HOST; owned */
    bool has_rank, has_no_rank; /* lines of either form were read */
    /* Of a table: the numbers of its columns with the rank and the host. */
    bool is_table;
    int32_t rank_column, host_column;
    int64_t room;
};

#define BLAME(reader, ...) blame(reader, (reader)->line, __VA_ARGS__)

static int blame(const struct reader *reader, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int blame(const struct reader *reader, int32_t line, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return sup_fail(reader->error, RB_EINVAL, "%.180s:%" PRId32 ": %s", reader->path, line, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *after_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Reads digits up to `most` into *number; NULL if there are none, or the number is larger. */
static char *read_number(char *at, int64_t most, int64_t *number)
{
    if (!isdigit((unsigned char)*at))
        return NULL;
    for (*number = 0; isdigit((unsigned char)*at); at++) {
        *number = 10 * *number + (*at - '0');
        if (*number > most)
            return NULL;
    }
    return at;
}

static int add_rank(struct reader *reader, const char *host, int32_t rank)
{
    struct sim_host_file *file = reader->file;
    if (file->ranks == MOST_RANKS)
        return BLAME(reader, "more than %d ranks", MOST_RANKS);
    if (file->ranks == reader->room) {
        const int64_t room = 2 * reader->room + 64;
        file->host = sup_reallocarray(file->host, (size_t)room, sizeof *file->host);
        file->line = sup_reallocarray(file->line, (size_t)room, sizeof *file->line);
        reader->rank = sup_reallocarray(reader->rank, (size_t)room, sizeof *reader->rank);
        reader->room = room;
    }
    file->host[file->ranks] = host;
    file->line[file->ranks] = reader->line;
    reader->rank[file->ranks++] = rank;
    return RB_OK;
}

/* Ends the name of a host at *at, checks it, and sets *at behind it. */
static int read_name(struct reader *reader, char **at, char **name)
{
    char *end = *name = *at;
    while (*end != '\0' && !is_blank(*end))
        end++;
    *at = *end == '\0' ? end : end + 1;
    *end = '\0';
    if (end == *name || strchr(*name, '=') != NULL)
        return BLAME(reader, "the host is missing before '%.40s'", *name);
    if (end - *name > MOST_NAME)
        return BLAME(reader, "a host's name of more than %d characters", MOST_NAME);
    if (**name == '+')
        return BLAME(reader, "'%s' depends on the allocation of mpirun: give the host itself",
                     *name);
    if (strpbrk(*name, "[,") != NULL)
        return BLAME(reader,
                     "'%s' is more than one host: give one per line (scontrol show hostnames "
                     "lists them)",
                     *name);
    return RB_OK;
}

/* rank N=HOST slot=..., from behind the word. Slots are of no use here. */
static int read_rank(struct reader *reader, char *at)
{
    char *name;
    int64_t rank = 0;
    at = read_number(after_blanks(at), MOST_RANKS - 1, &rank);
    if (at != NULL)
        at = after_blanks(at);
    if (at == NULL || *at != '=')
        return BLAME(reader, "not of the form rank 0=HOST slot=0, with ranks below %d", MOST_RANKS);
    at = after_blanks(at + 1);
    const int status = read_name(reader, &at, &name);
    if (status != RB_OK)
        return status;
    at = after_blanks(at);
    if (*at != '\0' && strncmp(at, "slot", 4) != 0)
        return BLAME(reader, "'%.40s' behind the host: only slot=... may follow it", at);
    reader->has_rank = true;
    return add_rank(reader, name, (int32_t)rank);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A line with commas, before all others, names the columns of a table. */
static int read_heading(struct reader *reader, char *line)
{
    char first[41];
    int32_t column = 0;
    snprintf(first, sizeof first, "%s", line);
    reader->is_table = true;
    reader->rank_column = reader->host_column = -1;
    for (char *field; line != NULL && (field = sup_csv_value(&line, ',')) != NULL; column++)
        if (strcmp(field, "MPI_Rank") == 0)
            reader->rank_column = column;
        else if (strcmp(field, "allocation") == 0)
            reader->host_column = column;
    if (reader->rank_column < 0 || reader->host_column < 0)
        return BLAME(reader,
                     "a table (%s) without the columns MPI_Rank and allocation, which say where "
                     "each rank is",
                     first);
    return RB_OK;
}

static int read_row(struct reader *reader, char *line)
{
    const int32_t last =
        reader->rank_column > reader->host_column ? reader->rank_column : reader->host_column;
    char *rank_text = NULL, *host = NULL, *name, *rest = line;
    int64_t rank = 0;
    for (int32_t column = 0; column <= last; column++) {
        char *field = rest == NULL ? NULL : sup_csv_value(&rest, ',');
        if (field == NULL)
            return BLAME(reader, "%" PRId32 " columns: MPI_Rank and allocation are missing",
                         column);
        if (column == reader->rank_column)
            rank_text = field;
        else if (column == reader->host_column)
            host = field;
    }
    const char *end = read_number(rank_text, MOST_RANKS - 1, &rank);
    if (end == NULL || *end != '\0')
        return BLAME(reader, "'%.40s' is not a rank: a number below %d", rank_text, MOST_RANKS);
    const int status = read_name(reader, &host, &name);
    if (status != RB_OK)
        return status;
    if (*host != '\0')
        return BLAME(reader, "'%.40s' behind the host: give one host per rank", host);
    reader->has_rank = true;
    return add_rank(reader, name, (int32_t)rank);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* HOST or HOST:COUNT. */
static int read_host(struct reader *reader, char *at)
{
    char *name;
    int64_t count = 1;
    int status = read_name(reader, &at, &name);
    if (status != RB_OK)
        return status;
    at = after_blanks(at);
    if (strncmp(at, "slots", 5) == 0 || strncmp(at, "max", 3) == 0)
        return BLAME(reader,
                     "a host file of Open MPI doesn't say which rank is where: give a rankfile "
                     "(rank 0=%.100s slot=0)",
                     name);
    if (*at != '\0')
        return BLAME(reader, "'%.40s' behind the host: give one host per line", at);
    char *colon = strrchr(name, ':');
    if (colon != NULL) {
        const char *end = read_number(colon + 1, MOST_RANKS, &count);
        if (end == NULL || *end != '\0' || count == 0 || colon == name)
            return BLAME(reader, "'%s' is not HOST:COUNT, with a count from 1 to %d", name,
                         MOST_RANKS);
        *colon = '\0';
    }
    reader->has_no_rank = true;
    for (int64_t i = 0; status == RB_OK && i < count; i++)
        status = add_rank(reader, name, reader->file->ranks);
    return status;
}

static int read_line(struct reader *reader, char *line)
{
    for (char *at = line; *at != '\0'; at++)
        if (*at == '#' && (at == line || is_blank(at[-1]))) {
            *at = '\0';
            break;
        }
    line = after_blanks(line);
    size_t length = strlen(line);
    while (length > 0 && (is_blank(line[length - 1]) || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (length == 0)
        return RB_OK;
    if (reader->is_table)
        return read_row(reader, line);
    if (reader->file->ranks == 0 && strchr(line, ',') != NULL && strchr(line, '[') == NULL)
        return read_heading(reader, line);
    const bool has_rank = strncmp(line, "rank", 4) == 0 && is_blank(line[4]);
    const int status = has_rank ? read_rank(reader, line + 4) : read_host(reader, line);
    if (status == RB_OK && reader->has_rank && reader->has_no_rank)
        return BLAME(reader, "some lines begin with a rank (rank 0=HOST) and some do not");
    return status;
}

/* Brings the lines of a rankfile into the order of ranks. */
static int order_ranks(const struct reader *reader)
{
    struct sim_host_file *file = reader->file;
    const size_t ranks = (size_t)file->ranks;
    const char **host = sup_calloc(ranks, sizeof *host);
    int32_t *line = sup_calloc(ranks, sizeof *line);
    int status = RB_OK;
    for (size_t i = 0; status == RB_OK && i < ranks; i++) {
        const int32_t rank = reader->rank[i];
        if (rank >= file->ranks)
            status = blame(reader, file->line[i],
                           "rank %" PRId32 ", but the file has %" PRId32
                           " ranks: they count from 0, and none may be missing",
                           rank, file->ranks);
        else if (host[rank] != NULL)
            status =
                blame(reader, file->line[i],
                      "rank %" PRId32 " for a second time, after line %" PRId32, rank, line[rank]);
        else
            host[rank] = file->host[i];
        if (status == RB_OK)
            line[rank] = file->line[i];
    }
    free(file->host);
    free(file->line);
    file->host = host;
    file->line = line;
    return status;
}

/* Where the line begins. In a table, zero bytes before a line are a hole: processes that write to
 * one file each at a place of its own leave them. */
static char *after_hole(const struct reader *reader, char *line, const char *end)
{
    while (reader->is_table && line < end && *line == '\0')
        line++;
    return line;
}

static int read_lines(struct reader *reader, char *text, size_t size)
{
    int status = RB_OK;
    for (char *line = text, *end; status == RB_OK && line < text + size; line = end + 1) {
        reader->line++;
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            end = text + size;
        line = after_hole(reader, line, end);
        if (memchr(line, '\0', (size_t)(end - line)) != NULL)
            return BLAME(reader, "a zero byte: not a text file");
        *end = '\0';
        status = read_line(reader, line);
    }
    if (status == RB_OK && reader->file->ranks == 0)
        return sup_fail(reader->error, RB_EINVAL,
                        "%.300s: no hosts: a line per rank is needed, with a host", reader->path);
    return status == RB_OK && reader->has_rank ? order_ranks(reader) : status;
}

int sim_host_file_read(const char *path, struct sim_host_file *file, struct sup_error *error)
{
    struct reader reader = {.path = path, .file = file, .error = error};
    size_t size;
    *file = (struct sim_host_file){0};
    int status = sup_input("placement", path, error);
    if (status == RB_OK)
        status = read_bytes(path, &file->text, &size, error);
    if (status == RB_OK) {
        file->hash = sup_hash_bytes(SUP_HASH_START, file->text, size);
        status = read_lines(&reader, file->text, size);
    }
    free(reader.rank);
    if (status != RB_OK)
        sim_host_file_free(file);
    return status;
}

void sim_host_file_free(struct sim_host_file *file)
{
    free(file->text);
    free(file->host);
    free(file->line);
    *file = (struct sim_host_file){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const char *const formats[] = {[SIM_HOSTS_RANKS] = "ranks",
                                      [SIM_HOSTS_OPENMPI] = "openmpi",
                                      [SIM_HOSTS_MPICH] = "mpich",
                                      [SIM_HOSTS_SLURM] = "slurm",
                                      [SIM_HOSTS_CSV] = "csv"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

int sim_host_format_parse(const char *text, enum sim_host_format *format, struct sup_error *error)
{
    char hint[SUP_HINT_SIZE];
    const char *library = sup_library_named(text);
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(text, formats[i]) == 0 ||
            (library != NULL && sup_same_library(library, formats[i]))) {
            *format = (enum sim_host_format)i;
            return RB_OK;
        }
    return sup_fail(
        error, RB_EINVAL, "unknown \"%s\": %s", text,
        sup_hint(text, formats, FORMATS, "there are ranks, openmpi, mpich, slurm and csv", hint));
}

struct named_rank {
    const char *name;
    int32_t rank;
};

SUP_COMPARE(by_name, struct named_rank, strcmp(a->name, b->name), SUP_ORDER(a->rank, b->rank));

/* slot[r]: how many ranks below r are on its host. */
static void number_slots(int32_t p, const char *names, int32_t slot[])
{
    struct named_rank *sorted = sup_malloc((size_t)p * sizeof *sorted);
    for (int32_t r = 0; r < p; r++, names += strlen(names) + 1)
        sorted[r] = (struct named_rank){names, r};
    qsort(sorted, (size_t)p, sizeof *sorted, by_name);
    for (int32_t i = 0; i < p; i++) {
        const bool first = i == 0 || strcmp(sorted[i].name, sorted[i - 1].name) != 0;
        slot[sorted[i].rank] = first ? 0 : slot[sorted[i - 1].rank] + 1;
    }
    free(sorted);
}

static void write_openmpi(FILE *stream, int32_t p, const char *name)
{
    int32_t *slot = sup_malloc((size_t)p * sizeof *slot);
    number_slots(p, name, slot);
    for (int32_t r = 0; r < p; r++, name += strlen(name) + 1)
        fprintf(stream, "rank %" PRId32 "=%s slot=%" PRId32 "\n", r, name, slot[r]);
    free(slot);
}

/* Ranks that follow one another on a host share a line. */
static void write_mpich(FILE *stream, int32_t p, const char *name)
{
    for (int32_t r = 0, run; r < p; r += run) {
        const char *first = name;
        for (run = 0; r + run < p && strcmp(name, first) == 0; run++)
            name += strlen(name) + 1;
        fprintf(stream, "%s:%" PRId32 "\n", first, run);
    }
}

static void write_table(FILE *stream, int32_t p, const char *name)
{
    fputs("MPI_Rank,allocation\n", stream);
    for (int32_t r = 0; r < p; r++, name += strlen(name) + 1)
        fprintf(stream, "%" PRId32 ",%s\n", r, name);
}

void sim_host_file_write(FILE *stream, enum sim_host_format format, int32_t p, const char *names,
                         const char *note)
{
    /* A program that reads SLURM_HOSTFILE or a table may know no comments. */
    if (format != SIM_HOSTS_SLURM && format != SIM_HOSTS_CSV)
        fprintf(stream, "# %s\n", note);
    if (format == SIM_HOSTS_OPENMPI)
        write_openmpi(stream, p, names);
    else if (format == SIM_HOSTS_MPICH)
        write_mpich(stream, p, names);
    else if (format == SIM_HOSTS_CSV)
        write_table(stream, p, names);
    else
        for (int32_t r = 0; r < p; r++, names += strlen(names) + 1)
            fprintf(stream, "%s\n", names);
}
