/* mpi_errors.c - wrong arguments: who is told, with which class, and that later calls work.
 *
 *   mpirun -n P mpi_errors                P >= 3
 *
 * Every case runs on a communicator of its own, with an error handler that counts; so does
 * MPI_COMM_WORLD's, which nothing here may call. Exit status 1 if an error is not as expected, or a
 * later right call on the communicator is. */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 6, MOST_RANKS = 32, ROOM = 4 * COUNT * MOST_RANKS };

static int wrong, rank, p;
static int told, told_class, world_told;
static int sent[ROOM], received[ROOM], counts[MOST_RANKS], places[MOST_RANKS];

static void expect(int holds, const char *what, const char *of)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s: %s\n", rank, of, what);
        wrong = 1;
    }
}

static void on_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    told++;
    MPI_Error_class(*error, &told_class);
}

static void on_world_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    world_told++;
}

static int class_of(int error)
{
    int class;
    MPI_Error_class(error, &class);
    return class;
}

/* ---- Later calls --------------------------------------------------------------------------------
 */

static void fill(void)
{
    for (int i = 0; i < ROOM; i++) {
        sent[i] = 1000 * rank + i;
        received[i] = -1;
    }
    for (int i = 0; i < p; i++) {
        counts[i] = COUNT;
        places[i] = i * COUNT;
    }
}

static int is_gathered(void)
{
    for (int i = 0; i < p * COUNT; i++)
        if (received[i] != 1000 * (i / COUNT) + i % COUNT)
            return 0;
    return 1;
}

static int is_exchanged(void)
{
    for (int i = 0; i < p * COUNT; i++)
        if (received[i] != 1000 * (i / COUNT) + COUNT * rank + i % COUNT)
            return 0;
    return 1;
}

/* Are they sums over the ranks below `ranks`, of their elements from `first` on? */
static int is_sum(int first, int ranks)
{
    for (int i = 0; i < COUNT; i++)
        if (received[i] != ranks * (first + i) + 1000 * (ranks * (ranks - 1) / 2))
            return 0;
    return 1;
}

static void call_rightly(MPI_Comm comm, const char *of)
{
    fill();
    memcpy(received, sent, sizeof sent);
    expect(RB_Bcast(received, COUNT, MPI_INT, 1, comm) == MPI_SUCCESS && received[0] == 1000,
           "a later RB_Bcast", of);
    fill();
    expect(RB_Reduce(sent, received, COUNT, MPI_INT, MPI_SUM, 0, comm) == MPI_SUCCESS &&
               (rank != 0 || is_sum(0, p)),
           "a later RB_Reduce", of);
    fill();
    expect(RB_Allreduce(sent, received, COUNT, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
               is_sum(0, p),
           "a later RB_Allreduce", of);
    fill();
    expect(RB_Scan(sent, received, COUNT, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
               is_sum(0, rank + 1),
           "a later RB_Scan", of);
    fill();
    expect(RB_Exscan(sent, received, COUNT, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
               (rank == 0 || is_sum(0, rank)),
           "a later RB_Exscan", of);
    fill();
    expect(RB_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
               is_sum(COUNT * rank, p),
           "a later RB_Reduce_scatter", of);
    fill();
    expect(RB_Allgather(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, comm) == MPI_SUCCESS &&
               is_gathered(),
           "a later RB_Allgather", of);
    fill();
    expect(RB_Gather(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, 0, comm) == MPI_SUCCESS &&
               (rank != 0 || is_gathered()),
           "a later RB_Gather", of);
    fill();
    expect(RB_Scatter(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, 0, comm) == MPI_SUCCESS &&
               received[COUNT - 1] == COUNT * (rank + 1) - 1,
           "a later RB_Scatter", of);
    fill();
    expect(RB_Alltoall(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, comm) == MPI_SUCCESS &&
               is_exchanged(),
           "a later RB_Alltoall", of);
}

/* ---- Wrong calls --------------------------------------------------------------------------------
 */

/* The ranks give different lengths; so many elements at this one. */
static int mine;

static int short_bcast(MPI_Comm comm)
{
    return RB_Bcast(received, mine, MPI_INT, 0, comm);
}

static int short_reduce(MPI_Comm comm)
{
    return RB_Reduce(sent, received, mine, MPI_INT, MPI_SUM, 0, comm);
}

static int short_allreduce(MPI_Comm comm)
{
    return RB_Allreduce(sent, received, mine, MPI_INT, MPI_SUM, comm);
}

static int short_scan(MPI_Comm comm)
{
    return RB_Scan(sent, received, mine, MPI_INT, MPI_SUM, comm);
}

static int short_exscan(MPI_Comm comm)
{
    return RB_Exscan(sent, received, mine, MPI_INT, MPI_SUM, comm);
}

static int short_reduce_scatter(MPI_Comm comm)
{
    return RB_Reduce_scatter_block(sent, received, mine, MPI_INT, MPI_SUM, comm);
}

static int short_allgather(MPI_Comm comm)
{
    return RB_Allgather(sent, mine, MPI_INT, received, mine, MPI_INT, comm);
}

static int short_gather(MPI_Comm comm)
{
    return RB_Gather(sent, mine, MPI_INT, received, mine, MPI_INT, 0, comm);
}

static int short_scatter(MPI_Comm comm)
{
    return RB_Scatter(sent, mine, MPI_INT, received, mine, MPI_INT, 0, comm);
}

static int short_alltoall(MPI_Comm comm)
{
    return RB_Alltoall(sent, mine, MPI_INT, received, mine, MPI_INT, comm);
}

/* Each rank receives less than it sends. */
static int narrow_allgather(MPI_Comm comm)
{
    return RB_Allgather(sent, 2 * COUNT, MPI_INT, received, COUNT, MPI_INT, comm);
}

static int narrow_alltoall(MPI_Comm comm)
{
    return RB_Alltoall(sent, 2 * COUNT, MPI_INT, received, COUNT, MPI_INT, comm);
}

/* The root alone gives its own part another length than the others'. */
static int narrow_gather(MPI_Comm comm)
{
    return RB_Gather(sent, rank == 0 ? 2 * COUNT : COUNT, MPI_INT, received, COUNT, MPI_INT, 0,
                     comm);
}

static int narrow_scatter(MPI_Comm comm)
{
    return RB_Scatter(sent, COUNT, MPI_INT, received, rank == 0 ? COUNT / 2 : COUNT, MPI_INT, 0,
                      comm);
}

/* Who gets the error. */
enum victims { NOBODY, SOMEBODY, ROOT, EVERYBODY };

struct wrong_call {
    const char *name;
    int (*run)(MPI_Comm comm);
    int length[2]; /* `mine` at rank 0 and at the others */
    int class;
    enum victims victims;
};

static const struct wrong_call wrong_calls[] = {
    {"RB_Bcast, long", short_bcast, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Reduce, short", short_reduce, {COUNT / 2, COUNT}, MPI_ERR_TRUNCATE, ROOT},
    {"RB_Allreduce, long", short_allreduce, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Allreduce, short", short_allreduce, {COUNT / 2, COUNT}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Scan, long", short_scan, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Exscan, long", short_exscan, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Reduce_scatter_block, short",
     short_reduce_scatter,
     {COUNT / 2, COUNT},
     MPI_ERR_TRUNCATE,
     SOMEBODY},
    {"RB_Allgather, long", short_allgather, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Gather, short", short_gather, {COUNT / 2, COUNT}, MPI_ERR_TRUNCATE, ROOT},
    {"RB_Scatter, long", short_scatter, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Alltoall, long", short_alltoall, {COUNT, COUNT / 2}, MPI_ERR_TRUNCATE, SOMEBODY},
    {"RB_Allgather, narrow", narrow_allgather, {0}, MPI_ERR_TRUNCATE, EVERYBODY},
    {"RB_Alltoall, narrow", narrow_alltoall, {0}, MPI_ERR_TRUNCATE, EVERYBODY},
    {"RB_Gather, narrow", narrow_gather, {0}, MPI_ERR_TRUNCATE, ROOT},
    {"RB_Scatter, narrow", narrow_scatter, {0}, MPI_ERR_TRUNCATE, ROOT},
};

static void call_wrongly(const struct wrong_call *call, MPI_Comm comm)
{
    fill();
    mine = call->length[rank != 0];
    told = 0;
    told_class = MPI_SUCCESS;
    const int error = call->run(comm), failed = error != MPI_SUCCESS;
    int all;
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, comm);
    expect(!failed || class_of(error) == call->class, "the error's class", call->name);
    expect(told == failed && told_class == class_of(error), "the error handler", call->name);
    expect(call->victims == EVERYBODY  ? all == p
           : call->victims == SOMEBODY ? all > 0
                                       : failed == (call->victims == ROOT && rank == 0),
           "who gets the error", call->name);
    call_rightly(comm, call->name);
    expect(told == failed, "the error handler, later", call->name);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler, world_handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_create_errhandler(on_world_error, &world_handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_handler);
    for (size_t i = 0; i < sizeof wrong_calls / sizeof wrong_calls[0]; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, handler);
        call_wrongly(&wrong_calls[i], comm);
        MPI_Comm_free(&comm);
    }
    expect(world_told == 0, "called", "MPI_COMM_WORLD's error handler");
    world_told = 0;
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    expect(world_told == 1, "gone", "MPI_COMM_WORLD's error handler");
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&world_handler);
    MPI_Finalize();
    return wrong;
}
