/* preload_report.c - see preload_report.h.
 *
 * Ranks' rows are merged up a binomial tree, so that no rank sees more than what rows there are,
 * twice. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "preload_report.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/library/call.h"
#include "preload_file.h"
#include "preload_learned.h"
#include "roundabout_commit.h"

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
    struct sup_identity report, rules;
    for (int i = 0; i < 2 && found == NULL; i++) {
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
                           ? preload_file_start(&report_file, "RB_REPORT", name, false, error)
                           : RB_OK;
    if (status != RB_OK)
        return status;
    report_name = strdup(name);
    return report_name != NULL && lib_record_start() == MPI_SUCCESS
               ? RB_OK
               : sup_fail(error, RB_ENOMEM, "RB_REPORT: out of memory");
}

/* ---- From all ranks -------------------------------------------------------------------------- */

/* The ranks are MPI_COMM_WORLD's. */
static int send_rows(const struct report *report, int to, const struct lib_communicator *world)
{
    const size_t bytes = report_bytes(report->count);
    const int tag = world->first_tag + EXEC_REPORT_TAG;
    if (bytes > INT_MAX)
        return RB_ENOMEM;
    void *packed = malloc(bytes + 1);
    if (packed == NULL)
        return RB_ENOMEM;
    report_pack(report->rows, report->count, packed);
    const int error = PMPI_Send(packed, (int)bytes, MPI_BYTE, to, tag, world->comm);
    free(packed);
    return error == MPI_SUCCESS ? RB_OK : RB_EFAILED;
}

static int receive_rows(struct report *report, int from, const struct lib_communicator *world)
{
    const int tag = world->first_tag + EXEC_REPORT_TAG;
    MPI_Status probed;
    int bytes;
    if (PMPI_Probe(from, tag, world->comm, &probed) != MPI_SUCCESS ||
        PMPI_Get_count(&probed, MPI_BYTE, &bytes) != MPI_SUCCESS)
        return RB_EFAILED;
    const size_t count = (size_t)bytes / report_bytes(1);
    void *packed = malloc((size_t)bytes + 1);
    struct report_row *rows = calloc(count + 1, sizeof *rows);
    int status = packed == NULL || rows == NULL ? RB_ENOMEM : RB_OK;
    if (status == RB_OK &&
        PMPI_Recv(packed, bytes, MPI_BYTE, from, tag, world->comm, MPI_STATUS_IGNORE))
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
static int gather(struct report *report, const struct lib_communicator *world)
{
    const int p = world->p, rank = world->rank;
    int status = RB_OK;
    for (int distance = 1; distance < p && status == RB_OK; distance *= 2) {
        if (rank % (2 * distance) != 0)
            return send_rows(report, rank - distance, world);
        if (rank + distance < p)
            status = receive_rows(report, rank + distance, world);
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
    const int reason = standard ? 0 : preload_file_open(&report_file);
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
    int status = world->comm != MPI_COMM_NULL ? RB_OK : RB_EFAILED;
    if (status == RB_OK)
        status = report_merge(&all, lib_recorded()->rows, lib_recorded()->count);
    if (status == RB_OK)
        status = gather(&all, world);
    const int learned_status =
        world->comm != MPI_COMM_NULL ? preload_learned(world->comm, &learned) : RB_EFAILED;
    if (status == RB_OK)
        status = learned_status;
    int reason = 0;
    if (status == RB_OK && world->rank == 0) { /* the reader of a pipe may have gone */
        struct sigaction before, ignored = {.sa_handler = SIG_IGN};
        sigaction(SIGPIPE, &ignored, &before);
        reason = write_report(&all, &learned, world);
        sigaction(SIGPIPE, &before, NULL);
    }
    if (status != RB_OK || reason != 0)
        preload_complain("RB_REPORT", report_name, world->rank,
                         status != RB_OK ? preload_status_text(status) : sup_reason_text(reason));
    report_free(&all);
    choice_learned_free(&learned);
}
