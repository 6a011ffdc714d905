/* hosts.h - which ranks share a host, a network interface and a leaf switch, and plans for ranks in
 * the order of their hosts.
 *
 * Plans by groups (rb_plan_spec.groups) want the ranks of a host to be consecutive. Where a
 * communicator has them in another order, its plans number them anew: leaf by leaf and there host
 * by host, each in the order of their first ranks, and on a host by network interface, then by
 * rank. A host is on the leaf switch of its first rank. */
#pragma once

#include <mpi.h>

/* ---- The network interfaces of this host ----------------------------------------------------- */

/* Finds the network interfaces that are nearest to the processors to which this process is bound:
 * `near` of them, the first of which is number *first of the host's. *near and *first are 0 where
 * that is not known: the process is not bound, the host has none, or this library was built without
 * hwloc. InfiniBand and the like come first: others count where there is none of those. Takes
 * milliseconds, or tens of them on a large host. */
void lib_interfaces_near(int *first, int *near);

/* Where a rank is. */
struct lib_place {
    int host;      /* the lowest rank on it */
    int interface; /* the number of the network interface that it uses, of its host's */
    int near;      /* how many were near to it, of which this is one; 0: not known, then it is 0 */
    int leaf;      /* a number of its host's leaf switch; the same everywhere: not known */
};

/* The places of a communicator's ranks. Ranks that can share memory are on one host
 * (MPI_Comm_split_type); or as RB_HOSTS pretends, which gives the sizes of the hosts, "4" or
 * "3,1,4", again and again, and behind a slash the ranks on each leaf switch. Without a slash Slurm
 * says what leaf a host is on, if its topology plugin knows (SLURM_TOPOLOGY_ADDR). The ranks of a
 * host to which the same L network interfaces are near use them in blocks: of k such ranks, the
 * j-th uses the (j L / k)-th. L is as RB_RAILS pretends, or as hosts.h finds it where there are
 * several hosts. Collective, O(p log p); comm returns errors. *places, p of them, is the caller's
 * to free; NULL at all ranks: not known. MPI error code. */
int lib_hosts_find(MPI_Comm comm, struct lib_place **places);

/* The ranks of one communicator by host. */
struct lib_hosts_order {
    char *sizes;  /* of the hosts, as rb_plan_spec.groups wants them; NULL: not known */
    char *levels; /* and of the leaf switches, "4/40", also where hosts have a rank each; NULL: not
                   * known, all are on one, or each has one */
    int hosts;    /* how many */
    int lanes;    /* ranks of the smallest host, if no two ranks share a network interface; 0: some
                   * do, or that is not known */
    int interfaces; /* the most network interfaces that the ranks of a host use; 0: not known */
    int *rank;      /* of each rank of a plan, that in the communicator; NULL: the same */
    int *position;  /* the inverse; NULL: the same */
};

/* places[r] for the p ranks, whose hosts may be any numbers that are equal where hosts are. O(p log
 * p). MPI_ERR_NO_MEM. Frees nothing of *order before. */
int lib_hosts_order_make(const struct lib_place places[], int p, struct lib_hosts_order *order);
void lib_hosts_order_free(struct lib_hosts_order *order); /* safe on a zeroed struct */
