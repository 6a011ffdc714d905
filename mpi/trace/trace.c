/* trace.c - see trace.h. Each rank writes a file of its own; the verb `trace` joins them.
 *
 * When MPI has started, each rank sends one message to each other rank. So the transport sees where
 * they go, connections are made before anything is recorded, and a library whose messages can't be
 * seen is found out. */
#include "trace.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
enum { CONNECT_TAG = 0x2ace };

static struct {
    FILE *file; /* NULL: nothing is recorded */
    int rank, ranks;
    bool contents; /* sends are recorded with their contents */
    bool on;       /* inside a collective */
    int connecting_to;
    int seen; /* messages seen while the ranks connected */
} trace = {.connecting_to = -1};

bool trace_is_on(void)
{
    return trace.on || trace.connecting_to >= 0;
}

int trace_connecting_to(void)
{
    return trace.connecting_to;
}

/* ---- Lines of the record --------------------------------------------------------------------- */

/* Elements of 8 bytes, as runs of numbers that increase by one. */
static void write_runs(const void *contents, size_t bytes)
{
    uint64_t first = 0, length = 0, word = 0;
    for (size_t at = 0; at < bytes; at += sizeof word) {
        memcpy(&word, (const char *)contents + at,
               bytes - at < sizeof word ? bytes - at : sizeof word);
        if (length > 0 && word != first + length) {
            fprintf(trace.file, " %" PRIx64 "+%" PRIu64, first, length);
            length = 0;
        }
        if (length++ == 0)
            first = word;
    }
    if (length > 0)
        fprintf(trace.file, " %" PRIx64 "+%" PRIu64, first, length);
}

void trace_message(bool send, int peer, uint64_t tag, const void *contents, size_t bytes)
{
    trace.seen += send && trace.connecting_to >= 0;
    if (!trace.on)
        return;
    fprintf(trace.file, "%s %d %" PRIx64 " %zu", send ? "send" : "post", peer, tag, bytes);
    if (send && trace.contents && contents != NULL)
        write_runs(contents, bytes);
    fputc('\n', trace.file);
}

EXPORTED void trace_note_call(const char *collective, int64_t elements, int root)
{
    if (trace.file != NULL)
        fprintf(trace.file, "call %s %" PRId64 " %d\n", collective, elements, root);
}

/* ---- The start and the end ------------------------------------------------------------------- */

/* A line of the record, whose control characters, line ends among them, are written as \x0a. */
static void write_line(const char *word, const char *text)
{
    fprintf(trace.file, "%s ", word);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        fprintf(trace.file, *c < ' ' || *c == 0x7f ? "\\x%02x" : "%c", *c);
    fputc('\n', trace.file);
}

static void write_header(void)
{
    extern char **environ;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    for (char *tab = strchr(library, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' ';
    fprintf(trace.file, "rank %d %d\n", trace.rank, trace.ranks);
    write_line("library", library);
    for (char **entry = environ; *entry != NULL; entry++)
        if (strncmp(*entry, "OMPI_MCA_coll", 13) == 0 ||
            (strncmp(*entry, "MPIR_CVAR_", 10) == 0 && strstr(*entry, "ALGORITHM=") != NULL))
            write_line("setting", *entry);
}

static void connect_ranks(void)
{
    char byte = 0;
    for (int distance = 0; distance < trace.ranks; distance++) {
        const int from = (trace.rank - distance + trace.ranks) % trace.ranks;
        MPI_Request request;
        PMPI_Irecv(&byte, 1, MPI_BYTE, from, CONNECT_TAG, MPI_COMM_WORLD, &request);
        trace.connecting_to = (trace.rank + distance) % trace.ranks;
        PMPI_Send(&byte, 1, MPI_BYTE, trace.connecting_to, CONNECT_TAG, MPI_COMM_WORLD);
        trace.connecting_to = -1;
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void refuse(const char *why)
{
    fprintf(stderr, "roundabout trace: rank %d: nothing is recorded: %s\n", trace.rank, why);
    exit(3);
}

static int start(void)
{
    const char *directory = getenv("ROUNDABOUT_TRACE");
    char path[4096];
    if (directory == NULL)
        return MPI_SUCCESS;
    PMPI_Comm_rank(MPI_COMM_WORLD, &trace.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &trace.ranks);
    trace.contents = getenv("ROUNDABOUT_TRACE_CONTENTS") != NULL;
    snprintf(path, sizeof path, "%s/rank-%d", directory, trace.rank);
    trace.file = fopen(path, "w");
    if (trace.file == NULL)
        refuse("the directory for it (TMPDIR) must be there on all hosts");
    trace_transport_start(trace.ranks);
    connect_ranks();
    if (trace.seen < trace.ranks - 1)
        refuse("this MPI library's messages can't be seen (docs/traced.md)");
    write_header();
    return MPI_SUCCESS;
}

EXPORTED int MPI_Init(int *argc, char ***argv)
{
    const int error = PMPI_Init(argc, argv);
    return error != MPI_SUCCESS ? error : start();
}

EXPORTED int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    return error != MPI_SUCCESS ? error : start();
}

EXPORTED int MPI_Finalize(void)
{
    if (trace.file != NULL && (fputs("end\n", trace.file) < 0 || fclose(trace.file) != 0))
        refuse("its file can't be written");
    trace.file = NULL;
    return PMPI_Finalize();
}

/* ---- The collectives ------------------------------------------------------------------------- */

static void begin(const char *name)
{
    trace.on = trace.file != NULL;
    if (trace.on)
        fprintf(trace.file, "begin %s\n", name);
}

#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    EXPORTED int MPI_##name(arguments(LIB_PARAMETER))                                              \
    {                                                                                              \
        begin(#fortran);                                                                           \
        const int error = PMPI_##name(arguments(LIB_VALUE));                                       \
        trace.on = false;                                                                          \
        return error;                                                                              \
    }
#include "mpi/library/list.h"
