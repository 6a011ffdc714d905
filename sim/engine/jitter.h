/* jitter.h - how much a simulated time depends on tiny changes of its input.
 *
 * Under contention a replay can be chaotic: which of two messages that are ready at almost the same
 * time starts first decides which messages share a link, and so on. Then a run's time has fewer
 * digits that mean something than it has (docs/flow.md, "Chaos"). So the run is repeated with
 * latencies that differ from the platform's by at most a millionth, far less than any machine's
 * noise. */
#pragma once

#include "engine.h"

/* The largest share by which a latency is longer than the platform's. */
#define SIM_JITTER 1e-6
enum { SIM_MOST_COPIES = 1000 };

/* The factor of a latency, 1 to 1 + SIM_JITTER, for this part of the platform (a host, a link); 1
 * if the seed is 0. The same on every machine. */
double sim_jitter_factor(uint64_t seed, uint64_t part);

/* The times of the copies of a run. */
struct sim_spread {
    int32_t copies;
    double low_s, high_s; /* NAN: there were no copies */
};

/* RB_EINVAL, and why, if copies of this run would not differ. */
int sim_jitter_check(const struct sim_engine *engine, const struct sim_spec *spec,
                     struct sup_error *error);

/* As sim_run if copies is 0. Otherwise runs the copies 1 .. copies; the result is that of the one
 * with the median time (the lower of two), which alone reports to the observer. Errors also those
 * of sim_jitter_check. */
int sim_run_copies(const struct sim_engine *engine, const struct sim_spec *spec, int32_t copies,
                   struct sim_result *result, struct sim_spread *spread, struct sup_error *error);
