/* list.h - the platform generators there are, in the order of listing: all that there is to
 * registering one. Whoever includes this says before what PLATFORM_GENERATOR makes of a name, and
 * gets a line of it for each; so it has no guard. */

PLATFORM_GENERATOR(platform_fat_tree)
PLATFORM_GENERATOR(platform_dragonfly)
PLATFORM_GENERATOR(platform_torus)
PLATFORM_GENERATOR(platform_crossbar)
PLATFORM_GENERATOR(platform_ring)
PLATFORM_GENERATOR(platform_mesh)
PLATFORM_GENERATOR(platform_hypercube)
PLATFORM_GENERATOR(platform_tree)
