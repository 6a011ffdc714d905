/* list.h - the engines there are, in the order of listing: all that there is to registering one.
 * Whoever includes this says before what RB_ENGINE makes of a name, and gets a line of it for each;
 * so it has no guard. */

RB_ENGINE(rb_engine_simgrid)
RB_ENGINE(rb_engine_flow)
RB_ENGINE(rb_engine_model)
#ifdef RB_WITH_SMPI
RB_ENGINE(rb_engine_smpi)
#endif
