/* list.h - the engines there are, in the order of listing: all that there is to registering one.
 * Whoever includes this says before what SIM_ENGINE makes of a name, and gets a line of it for
 * each; so it has no guard. */

SIM_ENGINE(s4u_engine)
SIM_ENGINE(flow_engine)
SIM_ENGINE(model_engine)
#ifdef ROUNDABOUT_WITH_SMPI
SIM_ENGINE(simmpi_engine)
#endif
