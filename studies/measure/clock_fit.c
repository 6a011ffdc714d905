/* clock_fit.c - one rank's clock by the reference's (measure.h). */
#include "studies/measure/measure.h"

struct measure_clock_sample measure_clock_sample_of(double before_s, double reference_s,
                                                    double after_s)
{
    const double middle_s = before_s + (after_s - before_s) / 2;
    return (struct measure_clock_sample){middle_s, reference_s - middle_s, after_s - before_s};
}

struct measure_clock_sample measure_clock_quickest(const struct measure_clock_sample sample[],
                                                   size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (sample[i].round_trip_s < sample[best].round_trip_s)
            best = i;
    return sample[best];
}

struct measure_clock measure_clock_fit(const struct measure_clock_sample sample[], size_t count)
{
    const struct measure_clock_sample *last = &sample[count - 1];
    struct measure_clock clock = {.at_s = last->local_s, .offset_s = last->offset_s};
    double weights = 0, time = 0, offset = 0, time_time = 0, time_offset = 0;
    if (count < MEASURE_CLOCK_LINE)
        return clock;
    /* Relative to the last sample, so that no digits are lost to the age of the clocks. */
    for (size_t i = 0; i < count; i++) {
        const double trip = sample[i].round_trip_s;
        const double weight = trip > 0 ? 1 / (trip * trip) : 1;
        const double t = sample[i].local_s - last->local_s;
        const double o = sample[i].offset_s - last->offset_s;
        weights += weight;
        time += weight * t;
        offset += weight * o;
        time_time += weight * t * t;
        time_offset += weight * t * o;
    }
    const double spread = weights * time_time - time * time;
    if (!(spread > 0))
        return clock;
    clock.drift = (weights * time_offset - time * offset) / spread;
    clock.offset_s += (offset - clock.drift * time) / weights;
    return clock;
}

double measure_clock_reference(const struct measure_clock *clock, double local_s)
{
    return local_s + clock->offset_s + clock->drift * (local_s - clock->at_s);
}

double measure_clock_local(const struct measure_clock *clock, double reference_s)
{
    return clock->at_s + (reference_s - clock->offset_s - clock->at_s) / (1 + clock->drift);
}
