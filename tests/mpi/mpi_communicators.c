/* mpi_communicators.c - many communicators, few that the MPI library has to give, and collectives
 * while one is being made.
 *
 *   mpirun -n P mpi_communicators COUNT
 *
 * Built with the library, and (UNMODIFIED) as a program that knows nothing of it, to be run under
 * the preloaded one. Exit status 1 if a result is wrong, or if the MPI library served what plans
 * should, or the other way round. */
#include <roundabout-mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef UNMODIFIED
#define RB_Allreduce MPI_Allreduce
#define RB_Bcast     MPI_Bcast
#define RB_Reduce    MPI_Reduce
#endif

enum { OWN = 64 }; /* as communicator.c has it */

static int wrong, rank, p;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        wrong = 1;
    }
}

/* A collective; its result depends on the communicator's ranks, their order, and the call. */
static void use(MPI_Comm comm, const char *what)
{
    static int calls;
    int mine, size, data[2] = {-1, -1}, sum[2];
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &size);
    const int root = size - 1;
    if (mine == root) {
        data[0] = rank;
        data[1] = ++calls;
    }
    RB_Bcast(data, 2, MPI_INT, root, comm);
    calls = data[1];
    const int given[2] = {mine, rank};
    RB_Allreduce(given, sum, 2, MPI_INT, MPI_SUM, comm);
    expect(data[1] > 0 && sum[0] == size * (size - 1) / 2 && (mine != root || data[0] == rank) &&
               sum[1] >= data[0],
           what);
}

/* How many collectives the MPI library has served; a program that isn't linked with the library
 * can't ask. */
static long long left_to_mpi(void)
{
#ifdef UNMODIFIED
    return 0;
#else
    return RB_Fallbacks(NULL);
#endif
}

/* Without a collective on MPI_COMM_WORLD nothing is shared: some get a communicator of their own,
 * the others' collectives are left to the MPI library, until there are fewer. */
static void use_unshared(void)
{
#ifndef UNMODIFIED
    enum { HALVES = OWN + 6 };
    MPI_Comm half[HALVES];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half[0]);
    for (int i = 1; i < HALVES; i++)
        MPI_Comm_dup(half[0], &half[i]);
    for (int i = 0; i < HALVES; i++)
        use(half[i], "communicators of their own");
    expect(RB_Fallbacks(NULL) == 2 * (HALVES - OWN), "as many as there may be are of their own");
    for (int i = 0; i < OWN; i++)
        MPI_Comm_free(&half[i]);
    const long long before = RB_Fallbacks(NULL);
    for (int i = OWN; i < HALVES; i++) { /* the third and fourth call: asked again at the third */
        use(half[i], "the others, later");
        MPI_Comm_free(&half[i]);
    }
    expect(RB_Fallbacks(NULL) == before, "communicators are used again");
#endif
}

/* `at_once`: between the start and the end of the duplication, as MPI allows. */
static void use_while_one_is_made(MPI_Comm being_made, MPI_Comm used, int at_once, const char *what)
{
    MPI_Comm made;
    MPI_Request request;
    if (!at_once)
        use(used, what);
    MPI_Comm_idup(being_made, &made, &request);
    if (at_once)
        use(used, what);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(made, what);
    MPI_Comm_free(&made);
}

static void use_pending(void)
{
    for (int time = 0; time < 5; time++) {
        MPI_Comm first, second;
        MPI_Comm_dup(MPI_COMM_WORLD, &first);
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        use_while_one_is_made(first, first, 1, "a communicator that is being duplicated");
        use_while_one_is_made(first, second, rank % 2, "another, in another order at each rank");
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
        MPI_Comm_dup(MPI_COMM_WORLD, &first);
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        use_while_one_is_made(second, first, rank % 2, "an older one");
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
    }
}

/* As many at a time as the MPI library alone would have. */
static void use_many(int count)
{
    MPI_Comm *comm = malloc((size_t)count * sizeof *comm);
    if (comm == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        use(comm[i], "one of many");
    }
    for (int i = 0; i < count; i++)
        if (i % 3 == 0) {
            MPI_Comm_free(&comm[i]);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        }
    for (int i = count - 1; i >= 0; i--) {
        use(comm[i], "one of many, again");
        MPI_Comm_free(&comm[i]);
    }
    free(comm);
}

/* Ranks leave MPI_Reduce at different times, and free and make communicators of other ranks then:
 * what is still under way must not get into those. */
static void use_in_turn(int times)
{
    int *vector = calloc(20000, sizeof *vector), *result = calloc(20000, sizeof *result);
    if (vector == NULL || result == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int time = 0; time < times; time++) {
        MPI_Comm some, reversed;
        MPI_Comm_split(MPI_COMM_WORLD, (rank + time) % p / 2, time % 2 ? rank : -rank, &some);
        MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + time) % p, &reversed);
        int mine, size;
        MPI_Comm_rank(some, &mine);
        MPI_Comm_size(some, &size);
        vector[time] = time + mine;
        RB_Reduce(vector, result, 20000, MPI_INT, MPI_SUM, time % size, some);
        expect(mine != time % size || result[time] == size * time + size * (size - 1) / 2,
               "a reduction on some ranks");
        vector[time] = 0;
        if (time % 3 == 0)
            MPI_Comm_free(&some);
        use(reversed, "ranks in another order");
        if (time % 3 != 0) {
            use(some, "some ranks");
            MPI_Comm_free(&some);
        }
        MPI_Comm_free(&reversed);
    }
    free(vector);
    free(result);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    use_unshared();
    use(MPI_COMM_WORLD, "all ranks");
    const long long before = left_to_mpi();
    use_pending();
    use_many(argc > 1 ? atoi(argv[1]) : 1);
    use_in_turn(30);
    use(MPI_COMM_SELF, "one rank");
    expect(left_to_mpi() == before, "the MPI library served a communicator");
    MPI_Finalize();
    return wrong;
}
