/* hosts.c - see hosts.h. */
#include "hosts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <roundabout.h>

#include "settings.h"

/* ---- Who shares a host ----------------------------------------------------------------------- */

/* The lowest rank on this process's host. MPI error code. */
static int find_lowest(MPI_Comm comm, int rank, int *lowest)
{
    MPI_Comm node;
    *lowest = rank;
    int error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Bcast(lowest, 1, MPI_INT, 0, node);
    const int freed = PMPI_Comm_free(&node);
    return error != MPI_SUCCESS ? error : freed;
}

/* The hosts that RB_HOSTS says: each one's ranks are consecutive. */
static int pretend(const char *sizes, int p, int host[])
{
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = p, .n = 1, .groups = sizes};
    struct rb_plan *plan;
    if (rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
        return MPI_ERR_NO_MEM;
    const struct rb_groups *groups = rb_plan_groups(plan);
    for (int g = 0; g < groups->count; g++)
        for (int r = rb_group_first(groups, g); r < rb_group_first(groups, g + 1); r++)
            host[r] = rb_group_first(groups, g);
    rb_plan_destroy(plan);
    return MPI_SUCCESS;
}

int lib_hosts_find(MPI_Comm comm, int **host)
{
    const char *pretended = lib_settings_hosts();
    int p, rank, lowest, all = 0, error;
    *host = NULL;
    if ((error = PMPI_Comm_size(comm, &p)) != MPI_SUCCESS ||
        (error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS)
        return error;
    int *found = malloc((size_t)p * sizeof *found);
    int mine = found != NULL;
    if (mine && pretended != NULL)
        mine = pretend(pretended, p, found) == MPI_SUCCESS;
    if (pretended == NULL && (error = find_lowest(comm, rank, &lowest)) != MPI_SUCCESS)
        mine = false;
    error = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
    if (error == MPI_SUCCESS && all && pretended == NULL)
        error = PMPI_Allgather(&lowest, 1, MPI_INT, found, 1, MPI_INT, comm);
    if (error == MPI_SUCCESS && all)
        *host = found;
    else
        free(found);
    return error;
}

/* ---- The order of ranks by host -------------------------------------------------------------- */

struct member {
    int host, rank;
    int first; /* the first rank on its host */
};

static int by_host(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static int by_first(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* The sizes of the hosts, in the order of the members: "4" where all are alike, but perhaps the
 * last one, which is smaller. */
static char *write_sizes(const struct member members[], int p, int *hosts)
{
    enum { DIGITS = 11 }; /* and a comma */
    int first = 0;        /* size */
    bool alike = true;
    *hosts = 0;
    char *text = malloc((size_t)p * (DIGITS + 1) + 1);
    if (text == NULL)
        return NULL;
    size_t length = 0;
    for (int begin = 0, end; begin < p; begin = end) {
        for (end = begin; end < p && members[end].first == members[begin].first;)
            end++;
        const int size = end - begin;
        if (begin == 0)
            first = size;
        alike = alike && (size == first || (size < first && end == p));
        length += (size_t)snprintf(text + length, DIGITS + 2, "%s%d", begin == 0 ? "" : ",", size);
        ++*hosts;
    }
    if (alike)
        length = (size_t)snprintf(text, DIGITS + 2, "%d", first);
    char *fitted = realloc(text, length + 1);
    return fitted != NULL ? fitted : text;
}

int lib_hosts_order_make(const int host[], int p, struct lib_hosts_order *order)
{
    struct member *members = malloc((size_t)p * sizeof *members);
    *order = (struct lib_hosts_order){.rank = malloc((size_t)p * sizeof *order->rank),
                                      .position = malloc((size_t)p * sizeof *order->position)};
    if (members == NULL || order->rank == NULL || order->position == NULL)
        goto no_memory;
    for (int r = 0; r < p; r++)
        members[r] = (struct member){.host = host[r], .rank = r};
    qsort(members, (size_t)p, sizeof *members, by_host);
    for (int i = 0; i < p; i++)
        members[i].first = i > 0 && members[i].host == members[i - 1].host ? members[i - 1].first
                                                                           : members[i].rank;
    qsort(members, (size_t)p, sizeof *members, by_first);
    order->sizes = write_sizes(members, p, &order->hosts);
    if (order->sizes == NULL)
        goto no_memory;
    bool same = true;
    for (int i = 0; i < p; i++) {
        order->rank[i] = members[i].rank;
        order->position[members[i].rank] = i;
        same = same && members[i].rank == i;
    }
    if (same) {
        free(order->rank);
        free(order->position);
        order->rank = order->position = NULL;
    }
    free(members);
    return MPI_SUCCESS;
no_memory:
    free(members);
    lib_hosts_order_free(order);
    return MPI_ERR_NO_MEM;
}

void lib_hosts_order_free(struct lib_hosts_order *order)
{
    free(order->sizes);
    free(order->rank);
    free(order->position);
    *order = (struct lib_hosts_order){0};
}
