/* door.c - SimGrid's part of the program, loaded when it is first called: SimGrid brings twenty
 * libraries, which take five times as long to load as the rest. What is called from outside that
 * part stands here once more, and passes the call on. Programs of the tests have that part linked
 * to them instead (sim/CMakeLists.txt). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/simgrid/simgrid.h"
#include "sim/smpi/smpi.h"
#include "support/data_files.h"

static void *module; /* the process has one, and keeps it */

int s4u_ready(struct sup_error *error)
{
    char path[SUP_PATH_SIZE];
    if (module != NULL)
        return RB_OK;
    const int status = sup_library_path(path, sizeof path, "libroundabout-simgrid.so", error);
    if (status != RB_OK)
        return status;
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module != NULL)
        return RB_OK;
    /* Of what it can't map, the loader says what, but not that there is no memory. */
    const char *why = dlerror();
    const bool is_full = strstr(why, " map ") != NULL;
    return sup_fail(error, is_full ? RB_ENOMEM : RB_EFAILED, "SimGrid: %s%s", why,
                    is_full ? ": out of memory" : "");
}

static void *find(const char *name)
{
    struct sup_error error;
    void *found = s4u_ready(&error) == RB_OK ? dlsym(module, name) : NULL;
    if (found == NULL) { /* the build's fault, or a call without s4u_ready */
        fprintf(stderr, "roundabout: SimGrid's part of the program has no %s\n", name);
        abort();
    }
    return found;
}

#define PASS_ON(type, name, parameters, arguments)                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*there) parameters;                                                            \
        if (there == NULL)                                                                         \
            *(void **)&there = find(#name);                                                        \
        RETURN there arguments;                                                                    \
    }
#define RETURN return

PASS_ON(int, s4u_simulate,
        (const struct sim_spec *spec, struct sim_result *result, struct sup_error *error),
        (spec, result, error))
PASS_ON(int, s4u_platform_load,
        (const char *platform, const struct s4u_options *options, struct s4u_platform **loaded,
         struct sup_error *error),
        (platform, options, loaded, error))
PASS_ON(int32_t, s4u_host_count, (const struct s4u_platform *platform), (platform))
PASS_ON(const char *, s4u_host_name, (const struct s4u_platform *platform, int32_t host),
        (platform, host))
PASS_ON(int32_t, s4u_link_count, (const struct s4u_platform *platform), (platform))
PASS_ON(int, s4u_find_route,
        (struct s4u_platform * platform, int32_t from, int32_t to, struct s4u_route *route,
         struct sup_error *error),
        (platform, from, to, route, error))
PASS_ON(struct platform_network *, s4u_network_create, (struct s4u_platform * platform), (platform))
PASS_ON(struct s4u_versions, s4u_find_versions, (void), ())
#ifdef ROUNDABOUT_WITH_SMPI
PASS_ON(int, simmpi_simulate,
        (const struct sim_spec *spec, struct sim_result *result, struct sup_error *error),
        (spec, result, error))
PASS_ON(int, simmpi_find_native,
        (const struct rb_collective_info *collective, const char *name, struct sup_error *error),
        (collective, name, error))
#endif

#undef RETURN
#define RETURN /* nothing */
PASS_ON(void, s4u_link_describe,
        (const struct s4u_platform *platform, int32_t link, struct s4u_link *description),
        (platform, link, description))

/* NULL is what a part that could not be loaded leaves. */
void s4u_platform_destroy(struct s4u_platform *platform)
{
    void (*there)(struct s4u_platform *);
    if (platform == NULL)
        return;
    *(void **)&there = find("s4u_platform_destroy");
    there(platform);
}
