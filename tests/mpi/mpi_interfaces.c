/* mpi_interfaces.c - prints the number of the first network interface that is near to this process,
 * and how many are (mpi/library/hosts.h): "2 2". */
#include <stdio.h>

#include "mpi/library/hosts.h"

int main(void)
{
    int first, near;
    lib_interfaces_near(&first, &near);
    printf("%d %d\n", first, near);
}
