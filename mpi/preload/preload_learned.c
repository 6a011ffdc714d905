/* preload_learned.c - see preload_learned.h.
 *
 * Only rank 0 of a communicator keeps what was learned there, so rank 0 of all gets at most as many
 * rows as there were communicators, times CHOICE_MOST_TRIALS. */
#define _POSIX_C_SOURCE 200809L /* getpid */

#include "preload_learned.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/library/call.h"
#include "roundabout_commit.h"

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

void preload_complain(const char *variable, const char *name, int rank, int status)
{
    if (status != RB_OK)
        fprintf(stderr, "roundabout: %s: '%s': rank %d: %s\n", variable, name, rank,
                status == RB_EIO      ? strerror(errno)
                : status == RB_ENOMEM ? "out of memory"
                                      : "the ranks can't communicate");
}

/* ---- The file -------------------------------------------------------------------------------- */

/* A name beside the file's, of this process alone. The caller frees it; NULL: out of memory. */
static char *part_name(void)
{
    const char *name = lib_settings_remember();
    const size_t room = strlen(name) + 40;
    char *part = malloc(room);
    if (part != NULL)
        snprintf(part, room, "%s.%ld.part", name, (long)getpid());
    return part;
}

int preload_remember_start(int rank, struct sup_error *error)
{
    if (lib_settings_remember() == NULL || rank != 0)
        return RB_OK;
    char *part = part_name();
    FILE *file = part == NULL ? NULL : fopen(part, "wx");
    int status = RB_OK;
    if (file == NULL) {
        status = sup_fail(error, RB_EINVAL, "RB_REMEMBER: '%s': %s", lib_settings_remember(),
                          part == NULL ? "out of memory" : strerror(errno));
    } else {
        fclose(file);
        remove(part);
    }
    free(part);
    return status;
}

/* Copies the existing rules unchanged, or writes the start of a file. False: they cannot be
 * read. */
static bool copy_rules(FILE *to)
{
    char text[4096], last = '\n';
    size_t length;
    FILE *from = fopen(lib_settings_remember(), "r");
    if (from == NULL && errno != ENOENT)
        return false;
    if (from == NULL) {
        fprintf(to, CHOICE_DECISIONS_HEADER "\n# What the online choice of roundabout %s found.\n",
                ROUNDABOUT_COMMIT);
        return true;
    }
    while ((length = fread(text, 1, sizeof text, from)) > 0) {
        fwrite(text, 1, length, to);
        last = text[length - 1];
    }
    if (last != '\n')
        fputc('\n', to);
    const bool read = !ferror(from);
    fclose(from);
    return read;
}

static int write_file(const struct choice_learned *all, const char *part)
{
    FILE *file = fopen(part, "wx");
    if (file == NULL)
        return RB_EIO;
    bool good = copy_rules(file);
    choice_learned_rules(all, file);
    good = fflush(file) == 0 && !ferror(file) && good;
    good = fclose(file) == 0 && good;
    return good && rename(part, lib_settings_remember()) == 0 ? RB_OK : RB_EIO;
}

void preload_remember_end(void)
{
    struct choice_learned all = {0};
    struct lib_communicator *world;
    if (lib_settings_remember() == NULL ||
        lib_communicator_of(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return;
    int status = world->comm != MPI_COMM_NULL ? preload_learned(world->comm, &all) : RB_EFAILED;
    if (status == RB_OK && world->rank == 0 && all.count > 0) {
        char *part = part_name();
        status = part == NULL ? RB_ENOMEM : write_file(&all, part);
        const int why = errno;
        if (status == RB_EIO)
            remove(part);
        errno = why;
        free(part);
    }
    preload_complain("RB_REMEMBER", lib_settings_remember(), world->rank, status);
    choice_learned_free(&all);
}
