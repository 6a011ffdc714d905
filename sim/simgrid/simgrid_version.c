/* simgrid_version.c - see simgrid_version.h. */
#include "sim/simgrid/simgrid_version.h"

#include <simgrid/engine.h>
#include <simgrid/version.h>

struct s4u_versions s4u_versions(void)
{
    struct s4u_versions versions = {
        .compiled = {SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR, SIMGRID_VERSION_PATCH}};
    sg_version_get(&versions.running[0], &versions.running[1], &versions.running[2]);
    return versions;
}
