/* recorded.c - workloads from recordings of the preloaded library (mpi/record/format.h). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/source.h"
#include "mpi/record/format.h"
#include "roundabout.h"
#include "support/memory.h"

static bool is_recording(const char *path, const char *head, size_t size)
{
    (void)path;
    (void)size;
    return head == NULL;
}

/* Opens a rank's file and reads its header. */
static int open_rank(const char *path, int32_t rank, FILE **file, struct record_header *header,
                     struct sup_error *error)
{
    char *name = sup_format("%s/" RECORD_NAME, path, rank);
    int status = RB_OK;
    *file = sup_got(fopen(name, "rb"));
    if (*file == NULL)
        status = rank == 0 ? sup_fail(error, RB_EINVAL,
                                      "%s: no recording: it has no file rank-0 (RB_RECORD)", path)
                           : sup_fail(error, RB_EINVAL, "%s: %s", name, strerror(errno));
    else if (fread(header, 1, sizeof *header, *file) != sizeof *header ||
             memcmp(header->magic, RECORD_MAGIC, sizeof header->magic) != 0)
        status = sup_fail(error, RB_EINVAL, "%s: not written by RB_RECORD", name);
    else if (header->rank != rank || header->ranks <= rank)
        status = sup_fail(error, RB_EINVAL, "%s: this is rank %d's of %d", name, header->rank,
                          header->ranks);
    free(name);
    return status;
}

static int write_recording(const char *path, const struct workload_wishes *wishes, FILE *text,
                           struct workload_told *told, struct sup_error *error)
{
    struct record_header header;
    FILE *file;
    (void)wishes;
    (void)text;
    (void)told;
    int status = open_rank(path, 0, &file, &header, error);
    if (file != NULL)
        fclose(file);
    return status == RB_OK ? sup_fail(error, RB_EINVAL, "%s: no calls are in it", path) : status;
}

const struct workload_source workload_recording = {"recording", is_recording, write_recording};
