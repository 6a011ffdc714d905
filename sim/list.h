/* list.h - the list of engines, in the order of listing; a line here registers an engine. The
 * including file defines the macro SIM_ENGINE first, which is applied to each name; so this header
 * has no include guard. */

SIM_ENGINE(s4u_engine)
SIM_ENGINE(flow_engine)
SIM_ENGINE(model_engine)
SIM_ENGINE(nccl_engine)
#ifdef ROUNDABOUT_WITH_SMPI
SIM_ENGINE(simmpi_engine)
#endif
