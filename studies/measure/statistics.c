/* statistics.c - of a sample of times (measure.h). */
#include "studies/measure/measure.h"

#include <math.h>

#include "support/memory.h"

size_t measure_median_rank(size_t count)
{
    const double n = (double)count;
    double below = 0; /* P(B < j) */
    size_t j = 0;
    for (;; j++) { /* j: the number of values that may be below */
        const double k = (double)j;
        below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
        if (below > 0.025)
            return j;
    }
}

struct measure_summary measure_summarize(double value[], size_t count)
{
    sup_sort_reals(value, count);
    const size_t j = measure_median_rank(count);
    return (struct measure_summary){
        .count = count,
        .median = sup_quantile(value, count, 0.5),
        .min = value[0],
        .q1 = sup_quantile(value, count, 0.25),
        .q3 = sup_quantile(value, count, 0.75),
        .low = value[j > 0 ? j - 1 : 0],
        .high = value[j > 0 ? count - j : count - 1],
        .sure = j > 0,
    };
}

bool measure_summary_is_settled(const struct measure_summary *summary, double share)
{
    const double room = share * fabs(summary->median);
    return summary->sure && summary->median - summary->low <= room &&
           summary->high - summary->median <= room;
}
