/* interfaces.c - see interfaces.h. */
#include "interfaces.h"

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

void lib_interfaces_near(int *first, int *near)
{
    static const char *const slow[] = {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"};
    hwloc_topology_t topology;
    *first = *near = 0;
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

#else

void lib_interfaces_near(int *first, int *near)
{
    *first = *near = 0;
}
#endif
