/* MPI_Reduce with MPI_IN_PLACE at every root, for sizes from one element on; compared with the sum
 * computed by hand. Each call is announced, so that the last line says which one ended the program.
 * mpicc reduce_in_place.c -o reduce_in_place && mpirun -n 4 ./reduce_in_place */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, wrong = 0, calls = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int count = 1; count <= 1 << 16; count *= 4)
        for (int root = 0; root < ranks; root++, calls++) {
            int *data = malloc((size_t)count * sizeof *data), bad = 0, any;
            for (int i = 0; i < count; i++)
                data[i] = (rank + 1) * (i % 1000 + 1);
            if (rank == root)
                printf("%d elements, root %d\n", count, root), fflush(stdout);
            if (rank == root)
                MPI_Reduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
            else
                MPI_Reduce(data, NULL, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
            for (int i = 0; rank == root && i < count && !bad; i++)
                if (data[i] != ranks * (ranks + 1) / 2 * (i % 1000 + 1)) {
                    printf("wrong: %d elements, root %d: element %d is %d instead of %d\n", count,
                           root, i, data[i], ranks * (ranks + 1) / 2 * (i % 1000 + 1));
                    bad = 1;
                }
            MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            wrong += any;
            free(data);
        }
    if (rank == 0)
        printf("%d of %d calls were wrong\n", wrong, calls);
    MPI_Finalize();
    return wrong ? 1 : 0;
}
