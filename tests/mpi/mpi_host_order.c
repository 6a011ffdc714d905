/* mpi_host_order.c - the order of ranks by host (mpi/library/hosts.h), against a plain definition:
 * leaf by leaf and host by host in the order of their first ranks, on each by network interface,
 * then by rank; the sizes of both in that order; how many network interfaces hosts have, and
 * whether any is shared.
 *
 *   mpirun -n 1 mpi_host_order
 *
 * Exit status 1 if one is wrong. */
#include "mpi/library/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

static int wrong;

static void expect(int holds, const char *what, const struct lib_place at[], int p)
{
    if (!holds && wrong++ < 5) {
        fprintf(stderr, "%s, hosts of ranks and their interfaces", what);
        for (int r = 0; r < p; r++)
            fprintf(stderr, " %d.%d", at[r].host, at[r].interface);
        fprintf(stderr, "\n");
    }
}

/* The first rank of a rank's host, and the first one whose host is on the same leaf. */
static int host_of(const struct lib_place at[], int r)
{
    int first = 0;
    while (at[first].host != at[r].host)
        first++;
    return first;
}

static int leaf_of(const struct lib_place at[], int r)
{
    int first = 0;
    while (at[host_of(at, first)].leaf != at[host_of(at, r)].leaf)
        first++;
    return first;
}

/* Where rank r comes: after all on leaves whose first rank is lower, then on hosts, and on its own
 * after those with a lower interface, or with its own and a lower rank. */
static int place_of(const struct lib_place at[], int p, int r)
{
    int place = 0;
    for (int i = 0; i < p; i++) {
        const int keys[4][2] = {{leaf_of(at, i), leaf_of(at, r)},
                                {host_of(at, i), host_of(at, r)},
                                {at[i].interface, at[r].interface},
                                {i, r}};
        int k = 0;
        while (k < 3 && keys[k][0] == keys[k][1])
            k++;
        place += keys[k][0] < keys[k][1];
    }
    return place;
}

/* The sizes that a text repeats, dealt to p ranks, are these. */
static int says(const char *text, const int size[], int hosts, int p)
{
    const char *at = text;
    int ranks = 0;
    for (int h = 0; h < hosts; h++) {
        char *end;
        const int all = (int)strtol(at, &end, 10);
        if (end == at || (all > p - ranks ? p - ranks : all) != size[h])
            return 0;
        ranks += size[h];
        at = *end == ',' ? end + 1 : text;
    }
    return ranks == p;
}

/* The ranks of the smallest host, or 0 if two ranks share an interface, and the most interfaces of
 * a host. */
static void count(const struct lib_place at[], int p, int counts[2])
{
    int shared = 0;
    counts[0] = MOST;
    counts[1] = 0;
    for (int r = 0; r < p; r++) {
        int ranks = 0, used = 0;
        for (int i = 0; i < p; i++) {
            int again = 0;
            for (int k = 0; k < i; k++)
                again += at[k].host == at[i].host && at[k].interface == at[i].interface;
            ranks += at[i].host == at[r].host;
            used += at[i].host == at[r].host && !again;
        }
        shared = shared || used < ranks;
        counts[0] = ranks < counts[0] ? ranks : counts[0];
        counts[1] = used > counts[1] ? used : counts[1];
    }
    counts[0] = shared ? 0 : counts[0];
}

static void check_interfaces(const struct lib_place at[], int p,
                             const struct lib_hosts_order *order)
{
    int counts[2] = {0}, known = 1;
    for (int r = 0; r < p; r++)
        known = known && at[r].near > 0;
    if (known)
        count(at, p, counts);
    expect(order->lanes == counts[0], "ranks of the smallest host", at, p);
    expect(order->interfaces == counts[1], "most interfaces", at, p);
}

static void check(const struct lib_place at[], int p)
{
    struct lib_hosts_order order;
    int size[MOST] = {0}, hosts = 0, same = 1, on_leaf[MOST] = {0}, leaves = 0;
    if (lib_hosts_order_make(at, p, &order) != MPI_SUCCESS) {
        expect(0, "no order", at, p);
        return;
    }
    for (int place = 0, before = -1; place < p; place++)
        for (int r = 0; r < p; r++)
            if (place_of(at, p, r) == place) {
                hosts += before < 0 || at[r].host != at[before].host;
                size[hosts - 1]++;
                leaves += before < 0 || leaf_of(at, r) != leaf_of(at, before);
                on_leaf[leaves - 1]++;
                before = r;
                same = same && r == place;
                expect(order.rank == NULL || order.rank[place] == r, "rank", at, p);
                expect(order.position == NULL || order.position[r] == place, "position", at, p);
                break;
            }
    expect(same == (order.rank == NULL) && same == (order.position == NULL), "not NULL if the same",
           at, p);
    expect(order.hosts == hosts, "number of hosts", at, p);
    expect(says(order.sizes, size, hosts, p), order.sizes, at, p);
    const char *slash = order.levels != NULL ? strchr(order.levels, '/') : NULL;
    expect((slash != NULL) == (leaves > 1 && leaves < hosts), "leaves known", at, p);
    if (slash != NULL) {
        expect(strncmp(order.levels, order.sizes, strlen(order.sizes)) == 0, "levels", at, p);
        expect(says(slash + 1, on_leaf, leaves, p), order.levels, at, p);
    }
    check_interfaces(at, p, &order);
    lib_hosts_order_free(&order);
    lib_hosts_order_free(&order); /* safe on a zeroed struct */
}

int main(int argc, char *argv[])
{
    struct lib_place at[MOST];
    unsigned random = 1;
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 20000; round++) {
        const int p = 1 + round % MOST, names = 1 + round / MOST % 7;
        for (int r = 0; r < p; r++) {
            random = random * 1664525u + 1013904223u;
            at[r].host = 100 - (int)(random >> 16) % names;
            if (round % 3 == 0) /* by host */
                at[r].host = r / names;
            at[r].interface = round % 2 == 0 ? (int)(random >> 24) % 8 : 0;
            at[r].leaf = round % 5 == 0 ? 0 : (int)(random >> 20) % 3;
            at[r].near = round % 16 == 0 ? (int)(random >> 28) : 1;
        }
        check(at, p);
    }
    MPI_Finalize();
    return wrong > 0;
}
