/* rules_on_mpi.c - does the MPI library do what a file of rules says?
 *
 *     rules_on_mpi write FILE    a file with rules for every algorithm of the library, made by
 * rules_build rules_on_mpi run FILE      under mpirun, with the library told to read FILE: calls
 * the collectives at the ends of every rule's sizes and ranks
 *
 * With a witness that sees algorithms `run` compares algorithm and segment size with the rules' own
 * look-up. Otherwise rank 0 prints a line for each call, "bcast 4 4096 MPIR_Bcast_intra_binomial
 * HASH", with the algorithm by the rules and a hash of all messages; rules_mpich.sh compares. Of
 * calls outside of what had times rank 0 prints what the library took, "bcast 4 1 own ...", which
 * must be the same as without the file. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/rules/rules.h"
#include "rules_on_mpi.h"

static const char *const calls[] = {"bcast",     "reduce",   "allreduce",
                                    "allgather", "alltoall", "reduce_scatter_block"};
enum { CALLS = sizeof calls / sizeof *calls };

/* The sizes with times are from this one on, each four times the one before. */
static int64_t least_m(int p)
{
    return INT64_C(60) * p * p;
}

static int64_t most_m(int p)
{
    return least_m(p) << 2 * (witness_sizes - 1);
}

/* Beyond twice the largest, or half the least, where no rule shall hold. */
static bool is_outside(int p, int64_t m)
{
    return p > 2 * witness_most_p || m < least_m(p) / 2 || m > 2 * most_m(p);
}

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "rules_on_mpi: %s\n", why);
    exit(2);
}

/* ---- Rules for everything -------------------------------------------------------------------- */

struct made {
    struct rules_candidate candidate[1 << 14];
    size_t count;
};

/* At each point one algorithm is fastest; the next point has the next one. */
static void add_call(struct made *made, const struct rules_format *format, const char *call)
{
    size_t count, turn = 0;
    const struct mpilib_algorithm *row = mpilib_rows(format->library, &count);
    for (int32_t p = witness_least_p; p <= witness_most_p; p++) {
        for (int i = 0; i < witness_sizes; i++) {
            const int64_t m = least_m(p) << 2 * i;
            size_t tried = 0;
            for (; tried < count; tried++, turn++) {
                const struct mpilib_algorithm *at = &row[turn % count];
                if (strcmp(at->call, call) == 0 && at->algorithm != NULL &&
                    mpilib_has(at, format->version) && mpilib_serves(at, p, 1))
                    break;
            }
            const struct mpilib_algorithm *at = &row[turn++ % count];
            const bool in_segments = at->segmented && i > 0;
            made->candidate[made->count++] =
                (struct rules_candidate){.collective = at->collective,
                                         .algorithm = at->algorithm,
                                         .radix = at->fanned ? 2 : at->radix,
                                         .p = p,
                                         .m_bytes = m,
                                         .n = in_segments ? 0 : 1,
                                         .segment_bytes = in_segments ? m / 4 + i : 0,
                                         .time_s = 1};
        }
    }
}

static int write_file(const char *path)
{
    static struct made made;
    Dl_info library = {.dli_fname = NULL};
    struct rules_table table;
    struct sup_error error;
    const struct rules_request request = {
        .format = rules_format_find(witness_format), .element_bytes = 1, .tolerance = 0.02};
    for (size_t i = 0; i < CALLS; i++)
        add_call(&made, request.format, calls[i]);
    if (rules_build(&request, made.candidate, made.count, &table, &error) != RB_OK)
        give_up(error.text);
    int (*init)(int *, char ***) = PMPI_Init;
    dladdr(*(void **)&init, &library);
    const struct rules_head head = {.source = "a test", .base = library.dli_fname};
    FILE *stream = fopen(path, "w");
    if (stream == NULL || rules_write(&table, &head, stream, &error) != RB_OK)
        give_up(stream == NULL ? path : error.text);
    rules_table_free(&table);
    return fclose(stream) == 0 ? 0 : 2;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static char *from, *to;

/* A call on m bytes of all data, of which each of p ranks has a part. */
static void run_call(const char *call, int64_t m, int p, MPI_Comm comm)
{
    const int all = (int)m, part = (int)(m / p), pair = (int)(m / p / p);
    if (strcmp(call, "bcast") == 0)
        MPI_Bcast(to, all, MPI_BYTE, 0, comm);
    else if (strcmp(call, "reduce") == 0)
        MPI_Reduce(from, to, all, MPI_BYTE, MPI_BOR, 0, comm);
    else if (strcmp(call, "allreduce") == 0)
        MPI_Allreduce(from, to, all, MPI_BYTE, MPI_BOR, comm);
    else if (strcmp(call, "allgather") == 0)
        MPI_Allgather(from, part, MPI_BYTE, to, part, MPI_BYTE, comm);
    else if (strcmp(call, "alltoall") == 0)
        MPI_Alltoall(from, pair, MPI_BYTE, to, pair, MPI_BYTE, comm);
    else
        MPI_Reduce_scatter_block(from, to, part, MPI_BYTE, MPI_BOR, comm);
}

/* The number of bytes that m must be a multiple of. */
static int64_t unit_of(const char *call, int p)
{
    if (strcmp(call, "alltoall") == 0)
        return (int64_t)p * p;
    return strcmp(call, "allgather") == 0 || strcmp(call, "reduce_scatter_block") == 0 ? p : 1;
}

static bool is_as_told(const struct rules_query *query, const struct rules_answer *answer)
{
    const struct witness_algorithm seen = witness_algorithm();
    if (seen.call != NULL && strcmp(seen.call, query->call) == 0 && answer->row != NULL &&
        seen.id == answer->row->id &&
        (!answer->row->segmented || seen.segment_bytes == answer->segment_bytes) &&
        (!answer->row->fanned || seen.fan == answer->radix))
        return true;
    fprintf(stderr,
            "%s, p = %" PRId32 ", m = %" PRId64 ": the rules say %s, segments of %" PRId64
            ", fan %" PRId32 "; the library took %s %d, %" PRId64 ", %" PRId32 "\n",
            query->call, query->p, query->m_bytes, answer->name, answer->segment_bytes,
            answer->radix, seen.call == NULL ? "nothing" : seen.call, seen.id, seen.segment_bytes,
            seen.fan);
    return false;
}

struct tally {
    int tried, wrong;
};

/* Calls of which only messages are seen, and a hash of each rank's own. */
enum { MOST_CALLS = 1000 };
static char line[MOST_CALLS][120];
static uint64_t messages[MOST_CALLS];
static int lines;

static void try_call(const struct rules_file *file, const char *call, int64_t m, int p, int rank,
                     MPI_Comm comm, struct tally *tally)
{
    const struct rules_query query = {.collective = "", .call = call, .p = p, .m_bytes = m};
    struct rules_answer answer;
    rules_look_up(file, &query, &answer);
    witness_start();
    run_call(call, m, p, comm);
    tally->tried++;
    const bool outside = is_outside(p, m);
    if (witness_names && outside) {
        const struct witness_algorithm seen = witness_algorithm();
        if (rank == 0)
            printf("%s %d %" PRId64 " own %d %" PRId64 " %" PRId32 "\n", call, p, m, seen.id,
                   seen.segment_bytes, seen.fan);
        return;
    }
    if (witness_names) {
        tally->wrong += !is_as_told(&query, &answer);
        return;
    }
    if (lines == MOST_CALLS)
        give_up("too many calls");
    snprintf(line[lines], sizeof *line, "%s %d %" PRId64 " %s", call, p, m,
             outside ? "own" : answer.name);
    messages[lines++] = witness_messages() * (2 * (uint64_t)rank + 1);
}

/* All ranks' messages of a call in one number; the ranks of one communicator have the same calls.
 */
static void print_messages(int rank, MPI_Comm comm)
{
    static uint64_t all[MOST_CALLS];
    MPI_Reduce(messages, all, lines, MPI_UINT64_T, MPI_SUM, 0, comm);
    for (int i = 0; i < lines && rank == 0; i++)
        printf("%s %016" PRIx64 "\n", line[i], all[i]);
    lines = 0;
}

/* The next whole size from m on. */
static int64_t round_up(int64_t m, int64_t unit)
{
    return (m + unit - 1) / unit * unit;
}

/* Both ends of each range of sizes for which the rules answer alike, up to a most, which is
 * outside. */
static void try_sizes(const struct rules_file *file, const char *call, int p, int rank,
                      MPI_Comm comm, struct tally *tally)
{
    const int64_t unit = unit_of(call, p), most = p > witness_most_p ? least_m(p) : 3 * most_m(p);
    /* Of the first sizes, so few that every rank has some. */
    for (int64_t m = round_up(4 * p, unit); m <= most;) {
        const struct rules_query query = {.collective = "", .call = call, .p = p, .m_bytes = m};
        struct rules_answer answer;
        rules_look_up(file, &query, &answer);
        const int64_t measured = rules_measure(rules_file_format(file), call, p, unit);
        /* In bytes of m; the measure of one unit is 1 or the unit itself. */
        const int64_t end =
            (answer.high / measured < most / unit ? answer.high / measured : most / unit) * unit;
        try_call(file, call, m, p, rank, comm, tally);
        if (end > m)
            try_call(file, call, end, p, rank, comm, tally);
        m = (end > m ? end : m) + unit;
    }
}

/* Each rank sends each other rank a message of its own. */
static void introduce(int ranks, int rank)
{
    char byte = 0;
    for (int i = 1; i < ranks; i++) {
        const int peer = (rank + i) % ranks, source = (rank - i + ranks) % ranks;
        MPI_Request request;
        MPI_Irecv(&byte, 1, MPI_BYTE, source, 0, MPI_COMM_WORLD, &request);
        witness_learn(peer);
        MPI_Send(&byte, 1, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        witness_learn(-1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static int run_file(const char *path)
{
    struct rules_file *file;
    struct sup_error error;
    struct tally tally = {0, 0}, all;
    int ranks, rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rules_read(path, NULL, &file, &error) != RB_OK)
        give_up(error.text);
    const size_t room = 3 * (size_t)most_m(witness_most_p);
    from = calloc(1, room);
    to = calloc(1, room);
    introduce(ranks, rank);
    for (int p = witness_least_p; p <= ranks;
         p = p < witness_most_p ? p + 1 : p + witness_most_p + 1) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &comm);
        for (size_t i = 0; i < CALLS && comm != MPI_COMM_NULL; i++)
            try_sizes(file, calls[i], p, rank, comm, &tally);
        if (comm != MPI_COMM_NULL) {
            print_messages(rank, comm);
            MPI_Comm_free(&comm);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&tally, &all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && witness_names)
        printf("%d calls, %d not by the rules\n", all.tried, all.wrong);
    free(from);
    free(to);
    rules_file_free(file);
    MPI_Finalize();
    return rank == 0 && (all.wrong > 0 || all.tried == 0) ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_file(argv[2]);
    if (argc == 3 && strcmp(argv[1], "run") == 0)
        return run_file(argv[2]);
    give_up("usage: rules_on_mpi write|run FILE");
}
