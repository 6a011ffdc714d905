#include "hosts.h"

#include <roundabout.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "support/memory.h"

/* ---- The network interfaces of this host ----------------------------------------------------- */

#ifdef ROUNDABOUT_HWLOC
#include <hwloc.h>

/* Counts the devices of this kind at PCI in the order of the topology: *near of them are below this
 * object, from number *first on. A card with several names counts once. */
static void count(hwloc_topology_t topology, hwloc_obj_osdev_type_t kind, hwloc_obj_t within,
                  int *first, int *near)
{
    int all = 0;
    hwloc_obj_t device = NULL, card = NULL;
    *first = *near = 0;
    while ((device = hwloc_get_next_osdev(topology, device)) != NULL) {
        if (device->attr->osdev.type != kind || device->parent == card ||
            device->parent->type != HWLOC_OBJ_PCI_DEVICE)
            continue;
        card = device->parent;
        if (hwloc_bitmap_isincluded(hwloc_get_non_io_ancestor_obj(topology, card)->cpuset,
                                    within->cpuset)) {
            *first = *near == 0 ? all : *first;
            ++*near;
        }
        all++;
    }
}

/* The smallest object that has all processors to which this process is bound; NULL: it is not
 * bound. */
static hwloc_obj_t find_binding(hwloc_topology_t topology)
{
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology);
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    hwloc_obj_t found = NULL;
    if (bound != NULL && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_and(bound, bound, all) == 0 && !hwloc_bitmap_isincluded(all, bound))
        found = hwloc_get_obj_covering_cpuset(topology, bound);
    hwloc_bitmap_free(bound);
    return found;
}

static void find_near(int *first, int *near)
{
    static const char *const slow[] = {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"};
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    for (int i = 0; i < 6; i++) /* what finds other devices; an error where it is not there */
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, slow[i]);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    hwloc_obj_t bound = hwloc_topology_load(topology) == 0 ? find_binding(topology) : NULL;
    for (hwloc_obj_t at = bound; at != NULL && *near == 0; at = at->parent)
        count(topology, HWLOC_OBJ_OSDEV_OPENFABRICS, at, first, near);
    for (hwloc_obj_t at = bound; at != NULL && *near == 0; at = at->parent)
        count(topology, HWLOC_OBJ_OSDEV_NETWORK, at, first, near);
    hwloc_topology_destroy(topology);
}

#endif

/* Defined once: gcovr takes a function at one line only, with hwloc or without. */
void lib_interfaces_near(int *first, int *near)
{
    *first = *near = 0;
#ifdef ROUNDABOUT_HWLOC
    find_near(first, near);
#endif
}

/* ---- Who shares a host ----------------------------------------------------------------------- */

/* The lowest rank on this process's host, and how many are there. MPI error code. */
static int find_lowest(MPI_Comm comm, int rank, int *lowest, int *ranks)
{
    MPI_Comm node;
    *lowest = rank;
    int error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Bcast(lowest, 1, MPI_INT, 0, node);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_size(node, ranks);
    const int freed = PMPI_Comm_free(&node);
    return error != MPI_SUCCESS ? error : freed;
}

/* The first rank of the group of these sizes in which a rank is. False without memory. */
static bool find_first(const char *sizes, int p, int rank, int *first)
{
    const struct rb_plan_spec spec = {
        .collective = "bcast", .algorithm = "circulant", .p = p, .n = 1, .groups = sizes};
    struct rb_plan *plan;
    if (rb_plan_create(&spec, &plan, NULL, 0) != RB_OK)
        return false;
    const struct rb_groups *groups = rb_plan_groups(plan);
    *first = rb_group_first(groups, rb_group_of(groups, rank));
    rb_plan_destroy(plan);
    return true;
}

/* The host that RB_HOSTS says, and its leaf: each one's ranks are consecutive. */
static bool pretend(const char *sizes, int p, int rank, struct lib_place *place)
{
    const char *slash = strchr(sizes, '/');
    const size_t length = strcspn(sizes, "/");
    char *hosts = malloc(length + 1);
    if (hosts != NULL)
        snprintf(hosts, length + 1, "%s", sizes);
    const bool done = hosts != NULL && find_first(hosts, p, rank, &place->host) &&
                      (slash == NULL || find_first(slash + 1, p, rank, &place->leaf));
    free(hosts);
    return done;
}

/* The number of the leaf switch in Slurm's "spine.leaf.host", or 0. */
static int find_leaf(void)
{
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    const char *end = address != NULL ? strrchr(address, '.') : NULL;
    return end == NULL ? 0
                       : (int)(sup_hash_bytes(SUP_HASH_START, address, (size_t)(end - address)) &
                               INT32_MAX);
}

/* A rank, to be sorted by its keys. */
struct member {
    int key[3];
    int rank;
};

static int by_keys(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Deals each host's network interfaces to the ranks that they are near to: these have the first of
 * them as theirs so far. */
static void deal(struct lib_place places[], int p, struct member members[])
{
    for (int r = 0; r < p; r++)
        members[r] = (struct member){{places[r].host, places[r].interface, places[r].near}, r};
    qsort(members, (size_t)p, sizeof *members, by_keys);
    for (int begin = 0, end; begin < p; begin = end) {
        for (end = begin;
             end < p && memcmp(members[end].key, members[begin].key, sizeof members[end].key) == 0;)
            end++;
        for (int i = begin; i < end; i++)
            places[members[i].rank].interface +=
                (int)((int64_t)(i - begin) * members[i].key[2] / (end - begin));
    }
}

int lib_hosts_find(MPI_Comm comm, struct lib_place **places)
{
    enum { NUMBERS = sizeof(struct lib_place) / sizeof(int) };
    const char *pretended = lib_settings_hosts();
    const int rails = lib_settings_rails();
    const bool asks = rails == LIB_RAILS_HWLOC || (rails == 0 && pretended == NULL);
    struct lib_place here = {.near = rails > 0 ? rails : 0, .leaf = find_leaf()};
    int p, rank, ranks, error, all[2] = {0};
    *places = NULL;
    if ((error = PMPI_Comm_size(comm, &p)) != MPI_SUCCESS ||
        (error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS)
        return error;
    struct lib_place *found = malloc((size_t)p * sizeof *found);
    struct member *members = malloc((size_t)p * sizeof *members);
    int mine[2] = {found != NULL && members != NULL};
    if (pretended != NULL)
        mine[0] = mine[0] && pretend(pretended, p, rank, &here);
    else if (find_lowest(comm, rank, &here.host, &ranks) != MPI_SUCCESS)
        mine[0] = false;
    mine[1] = here.host == 0; /* then all ranks share memory */
    error = PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_LAND, comm);
    if (error == MPI_SUCCESS && all[0]) {
        if (asks && (pretended != NULL || (!all[1] && ranks > 1)))
            lib_interfaces_near(&here.interface, &here.near);
        error = PMPI_Allgather(&here, NUMBERS, MPI_INT, found, NUMBERS, MPI_INT, comm);
    }
    if (error == MPI_SUCCESS && all[0]) {
        deal(found, p, members);
        *places = found;
    } else {
        free(found);
    }
    free(members);
    return error;
}

/* ---- The order of ranks by host -------------------------------------------------------------- */

/* The lowest rank that has the same number, in place of each rank's number. */
static void name_by_first(int number[], int p, struct member members[])
{
    for (int r = 0; r < p; r++)
        members[r] = (struct member){{number[r]}, r};
    qsort(members, (size_t)p, sizeof *members, by_keys);
    for (int i = 0, first = 0; i < p; i++) {
        first = i == 0 || members[i].key[0] != members[i - 1].key[0] ? members[i].rank : first;
        number[members[i].rank] = first;
    }
}

enum { LEAF, HOST, INTERFACE }; /* the keys of members in the order of plans */

/* The sizes of the hosts or leaves, in the order of the members: "4" where all are alike, but
 * perhaps the last one, which is smaller. *count is how many there are. */
static char *write_sizes(const struct member members[], int p, int key, int *count)
{
    enum { DIGITS = 11 }; /* and a comma */
    int first = 0;        /* size */
    bool alike = true;
    *count = 0;
    char *text = malloc((size_t)p * (DIGITS + 1) + 1);
    if (text == NULL)
        return NULL;
    size_t length = 0;
    for (int begin = 0, end; begin < p; begin = end) {
        for (end = begin; end < p && members[end].key[key] == members[begin].key[key];)
            end++;
        const int size = end - begin;
        if (begin == 0)
            first = size;
        alike = alike && (size == first || (size < first && end == p));
        length += (size_t)snprintf(text + length, DIGITS + 2, "%s%d", begin == 0 ? "" : ",", size);
        ++*count;
    }
    if (alike)
        length = (size_t)snprintf(text, DIGITS + 2, "%d", first);
    char *fitted = realloc(text, length + 1);
    return fitted != NULL ? fitted : text;
}

static void count_interfaces(const struct member members[], int p, struct lib_hosts_order *order)
{
    order->lanes = p;
    for (int begin = 0, end; begin < p; begin = end) {
        int used = 1;
        for (end = begin + 1; end < p && members[end].key[HOST] == members[begin].key[HOST]; end++)
            used += members[end].key[INTERFACE] != members[end - 1].key[INTERFACE];
        order->interfaces = used > order->interfaces ? used : order->interfaces;
        if (used < end - begin)
            order->lanes = 0;
        else if (used < order->lanes)
            order->lanes = used;
    }
}

/* The sizes and levels of the order. False without memory. */
static bool write_levels(const struct member members[], int p, struct lib_hosts_order *order)
{
    int leaves;
    char *above = write_sizes(members, p, LEAF, &leaves);
    order->sizes = write_sizes(members, p, HOST, &order->hosts);
    bool done = above != NULL && order->sizes != NULL;
    if (done && leaves > 1 && leaves < order->hosts) {
        const size_t length = strlen(order->sizes) + strlen(above) + 2;
        order->levels = malloc(length);
        done = order->levels != NULL;
        if (done)
            snprintf(order->levels, length, "%s/%s", order->sizes, above);
    }
    free(above);
    return done;
}

int lib_hosts_order_make(const struct lib_place places[], int p, struct lib_hosts_order *order)
{
    struct member *members = malloc((size_t)p * sizeof *members);
    *order = (struct lib_hosts_order){.rank = malloc((size_t)p * sizeof *order->rank),
                                      .position = malloc((size_t)p * sizeof *order->position)};
    if (members == NULL || order->rank == NULL || order->position == NULL)
        goto no_memory;
    int *host = order->rank, *leaf = order->position; /* until these are known */
    bool known = true;
    for (int r = 0; r < p; r++)
        host[r] = places[r].host;
    name_by_first(host, p, members);
    for (int r = 0; r < p; r++)
        leaf[r] = places[host[r]].leaf;
    name_by_first(leaf, p, members);
    for (int r = 0; r < p; r++) {
        members[r] = (struct member){
            .key = {[LEAF] = leaf[r], [HOST] = host[r], [INTERFACE] = places[r].interface},
            .rank = r};
        known = known && places[r].near > 0;
    }
    qsort(members, (size_t)p, sizeof *members, by_keys);
    if (known)
        count_interfaces(members, p, order);
    if (!write_levels(members, p, order))
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
    free(order->levels);
    free(order->rank);
    free(order->position);
    *order = (struct lib_hosts_order){0};
}
