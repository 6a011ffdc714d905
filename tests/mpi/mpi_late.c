/* mpi_late.c - a program that isn't linked with MPI, but loads a part of it that is, as Python
 * does; and that part.
 *
 *   mpirun -n P mpi_late PART
 *
 * Exit status 1 if the collective's result is wrong. */
#ifdef PART
#include <mpi.h>
#include <stddef.h>

int run_part(void);

int run_part(void)
{
    int one = 1, sum = 0, p;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != p;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*run_part)(void) = NULL;
    void *part = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (part != NULL)
        *(void **)&run_part = dlsym(part, "run_part");
    if (run_part == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    return run_part();
}
#endif
