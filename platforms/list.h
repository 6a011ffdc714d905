/* list.h - the list of platform generators, in the order of listing; a line here registers a
 * generator. The including file defines the macro PLATFORM_GENERATOR first, which is applied to
 * each name; so this header has no include guard. */

PLATFORM_GENERATOR(platform_fat_tree)
PLATFORM_GENERATOR(platform_dragonfly)
PLATFORM_GENERATOR(platform_dragonfly_plus)
PLATFORM_GENERATOR(platform_hyperx)
PLATFORM_GENERATOR(platform_torus)
PLATFORM_GENERATOR(platform_tofu)
PLATFORM_GENERATOR(platform_crossbar)
PLATFORM_GENERATOR(platform_ring)
PLATFORM_GENERATOR(platform_mesh)
PLATFORM_GENERATOR(platform_hypercube)
PLATFORM_GENERATOR(platform_tree)
