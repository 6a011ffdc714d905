/* preload_learned.c - see preload_learned.h.
 *
 * Only rank 0 of a communicator keeps what was learned there, so rank 0 of all gets at most as many
 * rows as there were communicators, times CHOICE_MOST_TRIALS. */
#include "preload_learned.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/choice/decisions.h"
#include "mpi/library/call.h"
#include "preload_file.h"
#include "roundabout_commit.h"
#include "support/replace.h"

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

int preload_learned(MPI_Comm comm, struct choice_learned *all)
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
        rank == 0 ? preload_file_start(&remembered, "RB_REMEMBER", name, true, error) : RB_OK;
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
    const int opened = preload_file_open(&remembered);
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
        sup_fail(&error, status, "%s", preload_status_text(status));
    else if (world->rank == 0 && all.count > 0)
        status = lock_and_merge(&all, &error);
    if (status != RB_OK)
        preload_complain("RB_REMEMBER", lib_settings_remember(), world->rank, error.text);
    choice_learned_free(&all);
}
