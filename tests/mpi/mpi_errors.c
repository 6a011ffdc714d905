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

/* ---- Later calls ----------------------------------------------------------------------------- */

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

/* True if they are sums over the ranks below `ranks`, of their elements from `first` on. */
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

/* ---- Wrong calls ----------------------------------------------------------------------------- */

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

/* An operator that has no meaning for the datatype. */
static int unfit_reduce(MPI_Comm comm)
{
    return RB_Reduce(sent, received, COUNT / 2, MPI_DOUBLE, MPI_BAND, 0, comm);
}

static int unfit_allreduce(MPI_Comm comm)
{
    return RB_Allreduce(sent, received, COUNT / 2, MPI_DOUBLE, MPI_BAND, comm);
}

static int unfit_exscan(MPI_Comm comm)
{
    return RB_Exscan(sent, received, COUNT / 2, MPI_DOUBLE, MPI_BAND, comm);
}

static int unfit_derived(MPI_Comm comm)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    const int error = RB_Allreduce(sent, received, COUNT / 2, pair, MPI_SUM, comm);
    MPI_Type_free(&pair);
    return error;
}

/* A datatype that isn't committed. */
static MPI_Datatype uncommitted(void)
{
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    return type;
}

static int uncommitted_bcast(MPI_Comm comm)
{
    MPI_Datatype type = uncommitted();
    const int error = RB_Bcast(received, COUNT, type, 0, comm);
    MPI_Type_free(&type);
    return error;
}

static int uncommitted_allgather(MPI_Comm comm)
{
    MPI_Datatype type = uncommitted();
    const int error = RB_Allgather(sent, COUNT / 2, type, received, COUNT, MPI_INT, comm);
    MPI_Type_free(&type);
    return error;
}

static int uncommitted_alltoall(MPI_Comm comm)
{
    MPI_Datatype type = uncommitted();
    const int error = RB_Alltoall(sent, COUNT, MPI_INT, received, COUNT / 2, type, comm);
    MPI_Type_free(&type);
    return error;
}

static int uncommitted_gather(MPI_Comm comm)
{
    MPI_Datatype type = uncommitted();
    const int error = RB_Gather(sent, COUNT / 2, type, received, COUNT, MPI_INT, 0, comm);
    MPI_Type_free(&type);
    return error;
}

/* MPI_IN_PLACE for a receive buffer. */
static int displaced_allreduce(MPI_Comm comm)
{
    return RB_Allreduce(sent, MPI_IN_PLACE, COUNT, MPI_INT, MPI_SUM, comm);
}

static int displaced_allgather(MPI_Comm comm)
{
    return RB_Allgather(sent, COUNT, MPI_INT, MPI_IN_PLACE, COUNT, MPI_INT, comm);
}

static int displaced_alltoall(MPI_Comm comm)
{
    return RB_Alltoall(sent, COUNT, MPI_INT, MPI_IN_PLACE, COUNT, MPI_INT, comm);
}

static int displaced_bcast(MPI_Comm comm)
{
    return RB_Bcast(MPI_IN_PLACE, COUNT, MPI_INT, 0, comm);
}

/* No buffer. */
static int null_bcast(MPI_Comm comm)
{
    return RB_Bcast(NULL, COUNT, MPI_INT, 0, comm);
}

static int null_allreduce(MPI_Comm comm)
{
    return RB_Allreduce(NULL, received, COUNT, MPI_INT, MPI_SUM, comm);
}

static int null_scan(MPI_Comm comm)
{
    return RB_Scan(sent, NULL, COUNT, MPI_INT, MPI_SUM, comm);
}

static int null_reduce_scatter(MPI_Comm comm)
{
    return RB_Reduce_scatter(sent, NULL, counts, MPI_INT, MPI_SUM, comm);
}

static int null_allgatherv(MPI_Comm comm)
{
    return RB_Allgatherv(NULL, COUNT, MPI_INT, received, counts, places, MPI_INT, comm);
}

static int null_gather(MPI_Comm comm)
{
    return RB_Gather(NULL, COUNT, MPI_INT, received, COUNT, MPI_INT, 0, comm);
}

static int null_scatter(MPI_Comm comm)
{
    return RB_Scatter(sent, COUNT, MPI_INT, NULL, COUNT, MPI_INT, 0, comm);
}

static int null_alltoallv(MPI_Comm comm)
{
    return RB_Alltoallv(sent, counts, places, MPI_INT, NULL, counts, places, MPI_INT, comm);
}

/* NULL is right for ranks without a result. */
static int null_part(MPI_Comm comm)
{
    for (int i = 0; i < p; i++)
        counts[i] = i == 1 ? COUNT : 0;
    return RB_Reduce_scatter(sent, rank == 1 ? received : NULL, counts, MPI_INT, MPI_SUM, comm);
}

/* One buffer for both. */
static int aliased_allreduce(MPI_Comm comm)
{
    return RB_Allreduce(sent, sent, COUNT, MPI_INT, MPI_SUM, comm);
}

static int aliased_exscan(MPI_Comm comm)
{
    return RB_Exscan(sent, sent, COUNT, MPI_INT, MPI_SUM, comm);
}

static int aliased_allgather(MPI_Comm comm)
{
    return RB_Allgather(received + COUNT * rank, COUNT, MPI_INT, received, COUNT, MPI_INT, comm);
}

static int aliased_alltoall(MPI_Comm comm)
{
    return RB_Alltoall(sent, COUNT, MPI_INT, sent, COUNT, MPI_INT, comm);
}

static int negative_bcast(MPI_Comm comm)
{
    return RB_Bcast(received, -1, MPI_INT, 0, comm);
}

static int negative_allgatherv(MPI_Comm comm)
{
    counts[1] = -1;
    return RB_Allgatherv(sent, COUNT, MPI_INT, received, counts, places, MPI_INT, comm);
}

static int negative_reduce_scatter(MPI_Comm comm)
{
    counts[1] = -1;
    return RB_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm);
}

static int negative_alltoallv(MPI_Comm comm)
{
    counts[1] = -1;
    return RB_Alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm);
}

/* What the MPI library has. Open MPI takes aliased buffers. */
#ifdef OPEN_MPI
enum { DISPLACED = MPI_ERR_ARG };
#define WHOM_ALIASES NOBODY
#else
enum { DISPLACED = MPI_ERR_BUFFER };
#define WHOM_ALIASES EVERYBODY
#endif

/* Only MPICH says of a broadcast that it was shorter. */
#ifdef OPEN_MPI
enum { SHORT_BCAST = MPI_SUCCESS };
#define WHOM_SHORT NOBODY
#else
enum { SHORT_BCAST = MPI_ERR_OTHER };
#define WHOM_SHORT SOMEBODY
#endif

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
    {"RB_Bcast, short", short_bcast, {COUNT / 2, COUNT}, SHORT_BCAST, WHOM_SHORT},
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
    {"RB_Reduce, MPI_BAND of MPI_DOUBLE", unfit_reduce, {0}, MPI_ERR_OP, EVERYBODY},
    {"RB_Allreduce, MPI_BAND of MPI_DOUBLE", unfit_allreduce, {0}, MPI_ERR_OP, EVERYBODY},
    {"RB_Exscan, MPI_BAND of MPI_DOUBLE", unfit_exscan, {0}, MPI_ERR_OP, EVERYBODY},
    {"RB_Allreduce, MPI_SUM of pairs", unfit_derived, {0}, MPI_ERR_OP, EVERYBODY},
    {"RB_Bcast, uncommitted", uncommitted_bcast, {0}, MPI_ERR_TYPE, EVERYBODY},
    {"RB_Allgather, uncommitted", uncommitted_allgather, {0}, MPI_ERR_TYPE, EVERYBODY},
    {"RB_Alltoall, uncommitted", uncommitted_alltoall, {0}, MPI_ERR_TYPE, EVERYBODY},
    {"RB_Gather, uncommitted", uncommitted_gather, {0}, MPI_ERR_TYPE, EVERYBODY},
    {"RB_Allreduce, displaced", displaced_allreduce, {0}, DISPLACED, EVERYBODY},
    {"RB_Allgather, displaced", displaced_allgather, {0}, DISPLACED, EVERYBODY},
    {"RB_Alltoall, displaced", displaced_alltoall, {0}, DISPLACED, EVERYBODY},
    {"RB_Bcast, displaced", displaced_bcast, {0}, DISPLACED, EVERYBODY},
    {"RB_Bcast, NULL", null_bcast, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Allreduce, NULL", null_allreduce, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Scan, NULL", null_scan, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Reduce_scatter, NULL", null_reduce_scatter, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Allgatherv, NULL", null_allgatherv, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Gather, NULL", null_gather, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Scatter, NULL", null_scatter, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Alltoallv, NULL", null_alltoallv, {0}, MPI_ERR_BUFFER, EVERYBODY},
    {"RB_Bcast, negative", negative_bcast, {0}, MPI_ERR_COUNT, EVERYBODY},
    {"RB_Allgatherv, negative", negative_allgatherv, {0}, MPI_ERR_COUNT, EVERYBODY},
    {"RB_Reduce_scatter, negative", negative_reduce_scatter, {0}, MPI_ERR_COUNT, EVERYBODY},
    {"RB_Alltoallv, negative", negative_alltoallv, {0}, MPI_ERR_COUNT, EVERYBODY},
    {"RB_Reduce_scatter, NULL for nothing", null_part, {0}, MPI_SUCCESS, NOBODY},
    {"RB_Allreduce, aliased", aliased_allreduce, {0}, MPI_ERR_BUFFER, WHOM_ALIASES},
    {"RB_Exscan, aliased", aliased_exscan, {0}, MPI_ERR_BUFFER, WHOM_ALIASES},
    {"RB_Allgather, aliased", aliased_allgather, {0}, MPI_ERR_BUFFER, WHOM_ALIASES},
    {"RB_Alltoall, aliased", aliased_alltoall, {0}, MPI_ERR_BUFFER, WHOM_ALIASES},
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
