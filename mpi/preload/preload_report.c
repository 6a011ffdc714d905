#define _POSIX_C_SOURCE 200809L /* fileno, getcwd, strdup */

#include "preload_report.h"

#include <errno.h>
#include <limits.h>
#include <roundabout.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/choice/decisions.h"
#include "mpi/library/call.h"
#include "roundabout_commit.h"
#include "support/replace.h"

/* ---- Files ----------------------------------------------------------------------------------- */

static char *absolute(const char *name)
{
    char directory[PATH_MAX];
    const bool relative = name[0] != '/' && getcwd(directory, sizeof directory) != NULL;
    const size_t room = relative ? strlen(directory) + strlen(name) + 2 : strlen(name) + 1;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%s%s%s", relative ? directory : "", relative ? "/" : "", name);
    return path;
}

/* A byte finds a full disk; none at all finds a device that takes nothing. Returns 0, or an
 * errno. */
static int try(struct sup_replacement *open)
{
    if (open->temporary == NULL)
        return write(fileno(open->stream), "", 0) == 0 ? 0 : errno;
    fputc('\n', open->stream);
    const int reason = sup_finish(open->stream) ? 0 : errno;
    open->stream = NULL;
    sup_replace_discard(open);
    return reason;
}

/* Sets path. RB_EINVAL unless the file can be written; it does not change. What is no regular file
 * is open from now on: a pipe that nobody reads is refused, because the end must not wait for a
 * reader. `adds`: the new file has what the old one had, which must not be written over. */
static int file_start(struct preload_file *file, const char *variable, const char *name, bool adds,
                      struct sup_error *error)
{
    struct stat about;
    file->path = absolute(name);
    file->how = adds ? 0 : SUP_WRITE_OVER;
    int reason = file->path == NULL ? ENOMEM
                 : name[0] == '\0'  ? ENOENT
                                    : sup_replace_open(&file->open, file->path, 0, NULL);
    if (reason == 0)
        reason = try(&file->open);
    else if (!adds && (reason == EACCES || reason == EPERM || reason == EROFS) &&
             access(file->path, W_OK) == 0)
        reason = 0; /* in a directory that takes no new file */
    if (reason == 0)
        return RB_OK;
    sup_replace_discard(&file->open);
    return sup_fail(error, RB_EINVAL, "%s: '%s': %s", variable, name,
                    reason == ENXIO && stat(file->path, &about) == 0 && S_ISFIFO(about.st_mode)
                        ? "a pipe that nobody reads"
                        : sup_reason_text(reason));
}

/* Opens file->open.stream, unless it is. Returns 0, or an errno. */
static int file_open(struct preload_file *file)
{
    if (file->open.stream != NULL)
        return 0;
    return sup_replace_open(&file->open, file->path, file->how, NULL);
}

/* Prints that what this variable asks for was not written, and why. */
static void complain(const char *variable, const char *name, int rank, const char *why)
{
    fprintf(stderr, "roundabout: %s: '%s': rank %d: %s\n", variable, name, rank, why);
}

/* "out of memory" or what else a status of the collection from all ranks means. */
static const char *status_text(int status)
{
    return status == RB_ENOMEM ? "out of memory" : "the ranks can't communicate";
}

/* ---- RB_REMEMBER ----------------------------------------------------------------------------- */

/* Collects the results of the online choice from all ranks, and writes them to the file of
 * RB_REMEMBER for later runs.
 *
 * Only rank 0 of a communicator keeps what was learned there, so rank 0 of all gets at most as
 * many rows as there were communicators, times CHOICE_MOST_TRIALS. */

/* ---- From all ranks -------------------------------------------------------------------------- */

/* The offsets of each rank's bytes in rank 0's memory. Returns the memory, or NULL if it would be
 * too large. */
static char *place_bytes(int p, const int bytes[], int first[])
{
    int64_t all = 0;
    for (int i = 0; i < p; i++) {
        first[i] = (int)all;
        all += bytes[i];
        if (all > INT_MAX)
            return NULL;
    }
    return malloc((size_t)all + 1);
}

static int add_rows(struct choice_learned *all, const char *bytes, int64_t size)
{
    struct choice_learned_row row;
    int status = RB_OK;
    for (int64_t i = 0; i < size && status == RB_OK; i += (int64_t)sizeof row) {
        memcpy(&row, bytes + i, sizeof row);
        status = choice_learned_add(all, &row);
    }
    return status;
}

/* Tells all ranks whether rank 0 has what it needs. */
static int agree_with_rank_0(bool has, MPI_Comm comm)
{
    int all = has;
    if (PMPI_Bcast(&all, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        return RB_EFAILED;
    return all ? RB_OK : RB_ENOMEM;
}

/* Collective: rank 0 gets the rows of all ranks. RB_ENOMEM, RB_EFAILED. The caller frees `all`. */
static int preload_learned(MPI_Comm comm, struct choice_learned *all)
{
    const struct choice_learned *here = lib_learned_here();
    const int mine = (int)(here->count * sizeof *here->rows); /* 3 MB at most */
    int rank, p;
    char *room = NULL;
    *all = (struct choice_learned){0};
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    int *bytes = rank == 0 ? calloc(2 * (size_t)p, sizeof *bytes) : NULL;
    int status = agree_with_rank_0(bytes != NULL, comm);
    if (status == RB_OK &&
        PMPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        status = RB_EFAILED;
    if (status == RB_OK && rank == 0)
        room = place_bytes(p, bytes, bytes + p);
    if (status == RB_OK)
        status = agree_with_rank_0(room != NULL, comm);
    if (status == RB_OK &&
        PMPI_Gatherv(here->rows, mine, MPI_BYTE, room, bytes, rank == 0 ? bytes + p : NULL,
                     MPI_BYTE, 0, comm) != MPI_SUCCESS)
        status = RB_EFAILED;
    if (status == RB_OK && rank == 0)
        status = add_rows(all, room, bytes[2 * p - 1] + (int64_t)bytes[p - 1]);
    free(bytes);
    free(room);
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool remembers;
static struct preload_file remembered;

int preload_remember_start(int rank, struct sup_error *error)
{
    const char *name = lib_settings_remember();
    if (name == NULL)
        return RB_OK;
    const int status =
        rank == 0 ? file_start(&remembered, "RB_REMEMBER", name, true, error) : RB_OK;
    remembers = status == RB_OK;
    return status;
}

/* Copies the rules that are there unchanged, and reads them; or writes the start of a file. *known
 * is NULL where there are none. */
static int copy_rules(const char *name, FILE *to, struct choice_decisions **known,
                      struct sup_error *error)
{
    char text[4096], last = '\0';
    size_t length;
    FILE *from = fopen(name, "r");
    *known = NULL;
    if (from == NULL && errno != ENOENT)
        return sup_fail(error, RB_EIO, "%s", strerror(errno));
    while (from != NULL && (length = fread(text, 1, sizeof text, from)) > 0) {
        fwrite(text, 1, length, to);
        last = text[length - 1];
    }
    int status =
        from == NULL || !ferror(from) ? RB_OK : sup_fail(error, RB_EIO, "it can't be read");
    if (last == '\0')
        fprintf(to, CHOICE_DECISIONS_HEADER "\n# What the online choice of roundabout %s found.\n",
                ROUNDABOUT_COMMIT);
    else if (last != '\n')
        fputc('\n', to);
    if (status == RB_OK && last != '\0') {
        rewind(from);
        status = choice_decisions_read(from, name, known, error);
    }
    if (from != NULL)
        fclose(from);
    return status;
}

/* Other jobs may have written the file since this one has read it, and may be about to. */
static int merge(const struct choice_learned *all, struct sup_error *error)
{
    struct choice_decisions *known;
    struct sup_replacement *file = &remembered.open;
    const int opened = file_open(&remembered);
    if (opened != 0)
        return sup_fail(error, RB_EIO, "%s", strerror(opened));
    int status = copy_rules(remembered.path, file->stream, &known, error), rules = 0;
    if (status == RB_OK)
        status = choice_learned_rules(all, known, file->stream, &rules);
    choice_decisions_free(known);
    if (status == RB_ENOMEM)
        sup_fail(error, status, "out of memory");
    if (status != RB_OK || rules == 0) {
        sup_replace_discard(file);
        return status;
    }
    const int reason = sup_replace_close(file);
    return reason == 0 ? RB_OK : sup_fail(error, RB_EIO, "%s", sup_reason_text(reason));
}

/* Waits for other jobs, but not for ever: one may be stopped while it has the lock. A file system
 * without locks has to do without. */
static int lock_and_merge(const struct choice_learned *all, struct sup_error *error)
{
    enum { SECONDS = 30 };
    struct sup_lock lock = {0};
    char *target = sup_follow_links(remembered.path);
    const int reason = target == NULL ? errno : sup_lock_wait(&lock, target, SECONDS);
    free(target);
    if (reason == EAGAIN)
        return sup_fail(error, RB_EIO, "another job has it locked, and does not end");
    if (reason != 0 && reason != ENOLCK && reason != ENOSYS && reason != EOPNOTSUPP)
        return sup_fail(error, RB_EIO, "it can't be locked: %s", strerror(reason));
    const int status = merge(all, error);
    sup_lock_release(&lock);
    return status;
}

void preload_remember_end(void)
{
    struct choice_learned all = {0};
    struct lib_communicator *world;
    struct sup_error error = {0};
    if (!remembers || lib_communicator_of(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return;
    int status = world->comm != MPI_COMM_NULL ? preload_learned(world->comm, &all) : RB_EFAILED;
    if (status != RB_OK)
        sup_fail(&error, status, "%s", status_text(status));
    else if (world->rank == 0 && all.count > 0)
        status = lock_and_merge(&all, &error);
    if (status != RB_OK)
        complain("RB_REMEMBER", lib_settings_remember(), world->rank, error.text);
    choice_learned_free(&all);
}

/* ---- RB_REPORT ------------------------------------------------------------------------------- */

/* RB_REPORT: what all ranks recorded, written by rank 0 when MPI ends.
 *
 * Ranks' rows are merged up a binomial tree, so that no rank sees more than what rows there are,
 * twice. */

static char *report_name; /* as it was when MPI started; NULL: there is no report */
static struct preload_file report_file;

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The variable that names the same file as a file of rules; NULL: none does. */
static const char *also_rules(const char *name)
{
    static const char *const variables[] = {"RB_DECISIONS", "RB_REMEMBER"};
    const char *found = NULL;
    for (int i = 0; i < 2 && found == NULL; i++) {
        struct sup_identity report = {0}, rules = {0};
        const char *other = getenv(variables[i]);
        if (other == NULL)
            continue;
        if (sup_identify(name, &report) && sup_identify(other, &rules) &&
            sup_is_same_file(&report, &rules))
            found = variables[i];
        free(report.name);
        free(rules.name);
    }
    return found;
}

int preload_report_start(int rank, struct sup_error *error)
{
    const char *name = getenv("RB_REPORT");
    if (name == NULL)
        return RB_OK;
    if (ends_in(name, ".json"))
        return sup_fail(error, RB_EINVAL,
                        "RB_REPORT: '%s': a report is text, or CSV if its name ends in .csv", name);
    const char *rules = also_rules(name);
    if (rules != NULL)
        return sup_fail(error, RB_EINVAL, "RB_REPORT: '%s': %s names the same file; give another",
                        name, rules);
    const int status = rank == 0 && strcmp(name, "-") != 0
                           ? file_start(&report_file, "RB_REPORT", name, false, error)
                           : RB_OK;
    if (status != RB_OK)
        return status;
    report_name = strdup(name);
    return report_name != NULL && lib_record_start() == MPI_SUCCESS
               ? RB_OK
               : sup_fail(error, RB_ENOMEM, "RB_REPORT: out of memory");
}

/* ---- From all ranks -------------------------------------------------------------------------- */

/* The ranks are MPI_COMM_WORLD's. A rank without memory, which `status` says, sends one byte, and
 * receives what is sent to it into as much: the others wait for both. */
static int send_rows(const struct report *report, int status, int to,
                     const struct lib_communicator *world)
{
    const size_t all = report_bytes(report->count);
    char byte = 0, *packed = status != RB_OK || all > INT_MAX ? NULL : malloc(all + 1);
    const int bytes = packed == NULL ? 1 : (int)all, tag = world->first_tag + EXEC_REPORT_TAG;
    if (packed != NULL)
        report_pack(report->rows, report->count, packed);
    else
        status = status != RB_OK ? status : RB_ENOMEM;
    if (PMPI_Send(packed != NULL ? packed : &byte, bytes, MPI_BYTE, to, tag, world->comm))
        status = RB_EFAILED;
    free(packed);
    return status;
}

static int receive_rows(struct report *report, int status, int from,
                        const struct lib_communicator *world)
{
    const int tag = world->first_tag + EXEC_REPORT_TAG;
    MPI_Status probed;
    int bytes;
    if (PMPI_Probe(from, tag, world->comm, &probed) != MPI_SUCCESS ||
        PMPI_Get_count(&probed, MPI_BYTE, &bytes) != MPI_SUCCESS)
        return RB_EFAILED;
    const size_t count = (size_t)bytes / report_bytes(1);
    char byte, *packed = malloc((size_t)bytes + 1);
    struct report_row *rows = calloc(count + 1, sizeof *rows);
    const int error = PMPI_Recv(packed != NULL ? packed : &byte, packed != NULL ? bytes : 1,
                                MPI_BYTE, from, tag, world->comm, MPI_STATUS_IGNORE);
    if (packed == NULL || rows == NULL || (size_t)bytes != report_bytes(count))
        status = RB_ENOMEM;
    else if (error != MPI_SUCCESS)
        status = RB_EFAILED;
    if (status == RB_OK) {
        report_unpack(packed, count, rows);
        status = report_merge(report, rows, count);
    }
    free(packed);
    free(rows);
    return status;
}

/* Rank 0's report gets all rows; at other ranks it is left half done. */
static int gather(struct report *report, int status, const struct lib_communicator *world)
{
    const int p = world->p, rank = world->rank;
    for (int distance = 1; distance < p; distance *= 2) {
        if (rank % (2 * distance) != 0)
            return send_rows(report, status, rank - distance, world);
        if (rank + distance < p)
            status = receive_rows(report, status, rank + distance, world);
    }
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* How many network interfaces the ranks of a host use, and what says so. */
static const char *describe_interfaces(struct lib_communicator *world, char *text, size_t size)
{
    if (lib_communicator_find_hosts(world) != MPI_SUCCESS || world->hosts.interfaces == 0)
        return "not known";
    snprintf(text, size, "%d by %s", world->hosts.interfaces,
             lib_settings_rails() > 0 ? "RB_RAILS" : "hwloc");
    return text;
}

/* Returns 0, or an errno. */
static int write_report(const struct report *report, const struct choice_learned *learned,
                        struct lib_communicator *world)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING], interfaces[60];
    const bool standard = report_file.path == NULL;
    int length;
    PMPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    for (char *tab = strchr(mpi, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' '; /* MPICH's */
    const struct report_maker maker = {
        .version = ROUNDABOUT_COMMIT,
        .mpi = mpi,
        .ranks = world->p,
        .interfaces = describe_interfaces(world, interfaces, sizeof interfaces)};
    const int reason = standard ? 0 : file_open(&report_file);
    if (reason != 0)
        return reason;
    FILE *file = standard ? stdout : report_file.open.stream;
    if (ends_in(report_name, ".csv"))
        report_csv(report, &maker, file);
    else {
        report_text(report, &maker, file);
        choice_learned_text(learned, file);
    }
    if (!standard)
        return sup_replace_close(&report_file.open);
    return fflush(file) == 0 && !ferror(file) ? 0 : sup_earlier_reason(file);
}

void preload_report_end(void)
{
    struct report all = {0};
    struct choice_learned learned = {0};
    struct lib_communicator *world;
    if (report_name == NULL || lib_communicator_of(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return;
    int status = RB_EFAILED;
    if (world->comm != MPI_COMM_NULL) {
        status = report_merge(&all, lib_recorded()->rows, lib_recorded()->count);
        status = gather(&all, status, world);
        const int learned_status = preload_learned(world->comm, &learned);
        status = status != RB_OK ? status : learned_status;
    }
    int reason = 0;
    if (status == RB_OK && world->rank == 0) { /* the reader of a pipe may have gone */
        struct sigaction before, ignored = {.sa_handler = SIG_IGN};
        sigaction(SIGPIPE, &ignored, &before);
        reason = write_report(&all, &learned, world);
        sigaction(SIGPIPE, &before, NULL);
    }
    if (status != RB_OK || reason != 0)
        complain("RB_REPORT", report_name, world->rank,
                 status != RB_OK ? status_text(status) : sup_reason_text(reason));
    report_free(&all);
    choice_learned_free(&learned);
}
