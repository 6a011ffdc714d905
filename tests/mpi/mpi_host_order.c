/* mpi_host_order.c - the order of ranks by host (mpi/library/hosts.h), against a plain definition:
 * host by host in the order of their first ranks, by rank on each, and the sizes in that order.
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

static void expect(int holds, const char *what, const int host[], int p)
{
    if (!holds && wrong++ < 5) {
        fprintf(stderr, "%s, hosts of ranks", what);
        for (int r = 0; r < p; r++)
            fprintf(stderr, " %d", host[r]);
        fprintf(stderr, "\n");
    }
}

/* Where rank r comes: after all on hosts whose first rank is lower, and lower ones on its own. */
static int place_of(const int host[], int p, int r)
{
    int first[MOST], place = 0;
    for (int i = 0; i < p; i++)
        for (first[i] = 0; host[first[i]] != host[i];)
            first[i]++;
    for (int i = 0; i < p; i++)
        place += first[i] < first[r] || (first[i] == first[r] && i < r);
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

static void check(const int host[], int p)
{
    struct lib_hosts_order order;
    int size[MOST] = {0}, hosts = 0, same = 1;
    if (lib_hosts_order_make(host, p, &order) != MPI_SUCCESS) {
        expect(0, "no order", host, p);
        return;
    }
    for (int place = 0, before = -1; place < p; place++)
        for (int r = 0; r < p; r++)
            if (place_of(host, p, r) == place) {
                hosts += before < 0 || host[r] != host[before];
                size[hosts - 1]++;
                before = r;
                same = same && r == place;
                expect(order.rank == NULL || order.rank[place] == r, "rank", host, p);
                expect(order.position == NULL || order.position[r] == place, "position", host, p);
                break;
            }
    expect(same == (order.rank == NULL) && same == (order.position == NULL), "not NULL if the same",
           host, p);
    expect(order.hosts == hosts, "number of hosts", host, p);
    expect(says(order.sizes, size, hosts, p), order.sizes, host, p);
    lib_hosts_order_free(&order);
    lib_hosts_order_free(&order); /* safe on a zeroed struct */
}

int main(int argc, char *argv[])
{
    int host[MOST];
    unsigned random = 1;
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 20000; round++) {
        const int p = 1 + round % MOST, names = 1 + round / MOST % 7;
        for (int r = 0; r < p; r++) {
            random = random * 1664525u + 1013904223u;
            host[r] = 100 - (int)(random >> 16) % names;
            if (round % 3 == 0) /* by host */
                host[r] = r / names;
        }
        check(host, p);
    }
    MPI_Finalize();
    return wrong > 0;
}
