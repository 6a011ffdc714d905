/* list.h - the costs of a machine; a line here registers a cost. The including file defines the
 * macro MACH_COST first, which is applied to each name; so this header has no include guard. */

MACH_COST(mach_latency)
MACH_COST(mach_overhead)
MACH_COST(mach_bytes)
MACH_COST(mach_exchanged)
MACH_COST(mach_packed)
MACH_COST(mach_host_latency)
MACH_COST(mach_host_bytes)
MACH_COST(mach_combined)
MACH_COST(mach_copied)
MACH_COST(mach_skew)
MACH_COST(mach_rank_skew)
MACH_COST(mach_engine)
