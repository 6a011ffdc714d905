/* list.h - the lists of platform generators and of machines, in the order of listing; a line here
 * registers one. The including file defines one of the macros PLATFORM_GENERATOR and
 * PLATFORM_MACHINE first, which is applied to each name; so this header has no include guard. */

#ifdef PLATFORM_GENERATOR
PLATFORM_GENERATOR(platform_fat_tree)
PLATFORM_GENERATOR(platform_dragonfly)
PLATFORM_GENERATOR(platform_dragonfly_plus)
PLATFORM_GENERATOR(platform_hyperx)
PLATFORM_GENERATOR(platform_slimfly)
PLATFORM_GENERATOR(platform_torus)
PLATFORM_GENERATOR(platform_tofu)
PLATFORM_GENERATOR(platform_crossbar)
PLATFORM_GENERATOR(platform_rails)
PLATFORM_GENERATOR(platform_ring)
PLATFORM_GENERATOR(platform_mesh)
PLATFORM_GENERATOR(platform_hypercube)
PLATFORM_GENERATOR(platform_tree)
PLATFORM_GENERATOR(platform_edges)
#endif

#ifdef PLATFORM_MACHINE
PLATFORM_MACHINE(platform_leonardo)
PLATFORM_MACHINE(platform_lumi)
PLATFORM_MACHINE(platform_marenostrum5)
PLATFORM_MACHINE(platform_fugaku)
PLATFORM_MACHINE(platform_dgx_h100)
PLATFORM_MACHINE(platform_dgx_b200)
PLATFORM_MACHINE(platform_gb200_nvl72)
PLATFORM_MACHINE(platform_polaris)
PLATFORM_MACHINE(platform_leonardo_rails)
PLATFORM_MACHINE(platform_marenostrum5_rails)
PLATFORM_MACHINE(platform_lumi_rails)
#endif
