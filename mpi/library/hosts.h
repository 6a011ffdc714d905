/* hosts.h - which ranks share a host, and plans for ranks in the order of their hosts.
 *
 * Plans by groups (rb_plan_spec.groups) want the ranks of a host to be consecutive. Where a
 * communicator has them in another order, its plans number them anew: host by host, in the order of
 * the hosts' first ranks, and by rank on each. */
#ifndef MPI_LIBRARY_HOSTS_H
#define MPI_LIBRARY_HOSTS_H

#include <mpi.h>

/* Host of each of a communicator's ranks: the lowest rank on it. Ranks that can share memory are on
 * one (MPI_Comm_split_type); or as RB_HOSTS pretends, which gives the sizes of the hosts, "4" or
 * "3,1,4", again and again. Collective; comm returns errors. *host, p numbers, is the caller's to
 * free; NULL at all ranks: not known. MPI error code. */
int lib_hosts_find(MPI_Comm comm, int **host);

/* The ranks of one communicator by host. */
struct lib_hosts_order {
    char *sizes;   /* of the hosts, as rb_plan_spec.groups wants them; NULL: not known */
    int hosts;     /* how many */
    int *rank;     /* of each rank of a plan, that in the communicator; NULL: the same */
    int *position; /* the inverse; NULL: the same */
};

/* host[r] for the p ranks, any numbers that are equal where hosts are. O(p log p). MPI_ERR_NO_MEM.
 * Frees nothing of *order before. */
int lib_hosts_order_make(const int host[], int p, struct lib_hosts_order *order);
void lib_hosts_order_free(struct lib_hosts_order *order); /* safe on a zeroed struct */

#endif
