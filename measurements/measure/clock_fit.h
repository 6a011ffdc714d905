/* clock_fit.h - converts one rank's clock to the reference rank's clock.
 *
 * The two ranks exchange messages: between reading `before` and `after` on its own clock, the rank
 * learns the reference's clock, which was read at about the middle; the error is at most half the
 * round trip. The fastest of many exchanges counts (Cristian 1989). Clocks also drift, by some
 * microseconds per second, nearly constantly over minutes: a line through the offsets of several
 * moments follows that (Jones and Koenig 2012; Hunold and Carpen-Amarie 2015 and 2018 compare such
 * schemes, and measure collectives by them). */
#ifndef MEASUREMENTS_MEASURE_CLOCK_FIT_H
#define MEASUREMENTS_MEASURE_CLOCK_FIT_H

#include <stddef.h>

/* The result of one synchronisation. */
struct measure_clock_sample {
    double local_s;      /* when, on the rank's own clock */
    double offset_s;     /* the reference's clock minus its own */
    double round_trip_s; /* the offset is wrong by half of this at most */
};

/* reference = local + offset_s + drift (local - at_s) */
struct measure_clock {
    double at_s, offset_s, drift;
};

/* From one exchange, and the quickest of several; count >= 1. */
struct measure_clock_sample measure_clock_sample_of(double before_s, double reference_s,
                                                    double after_s);
struct measure_clock_sample measure_clock_quickest(const struct measure_clock_sample sample[],
                                                   size_t count);

/* The line through samples of rising time, with more weight for short round trips; with fewer than
 * MEASURE_CLOCK_LINE samples, the last offset without drift. count >= 1. */
enum { MEASURE_CLOCK_LINE = 4 };
struct measure_clock measure_clock_fit(const struct measure_clock_sample sample[], size_t count);

double measure_clock_reference(const struct measure_clock *clock, double local_s);
double measure_clock_local(const struct measure_clock *clock, double reference_s);

#endif
