/* list.h - the platform generators there are, in the order of listing: all that there is to
 * registering one. Whoever includes this says before what RB_GENERATOR makes of a name, and gets a
 * line of it for each; so it has no guard. */

RB_GENERATOR(rb_platform_fat_tree)
RB_GENERATOR(rb_platform_dragonfly)
RB_GENERATOR(rb_platform_torus)
RB_GENERATOR(rb_platform_crossbar)
RB_GENERATOR(rb_platform_ring)
RB_GENERATOR(rb_platform_mesh)
RB_GENERATOR(rb_platform_hypercube)
RB_GENERATOR(rb_platform_tree)
