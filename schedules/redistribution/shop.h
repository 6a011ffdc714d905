/* shop.h - timetables without cuts: the open shop.
 *
 * Operations of given lengths between senders and receivers, each to be done in one piece, none of
 * a sender or of a receiver at the same time as another one, all within `length`: a non-preemptive
 * open shop, whose jobs and machines are the senders and receivers. NP-hard in general (T. Gonzalez
 * and S. Sahni, Open shop scheduling to minimize finish time, 1976). If there is a timetable, there
 * is one whose starts are whole numbers, because each operation can start as early as those before
 * it let it. */
#ifndef SCHEDULES_REDISTRIBUTION_SHOP_H
#define SCHEDULES_REDISTRIBUTION_SHOP_H

#include "redistribution.h"
#include "satisfiability.h"

struct redist_shop {
    int32_t senders, receivers;
    size_t count;
    const struct rb_message *op; /* sorted by from, to; there may be several between two */
    int64_t length;              /* when everything has to be done */
};

/* Decides whether there is a timetable; if so, start[i] is when op[i] starts. Exact, but undecided
 * once the effort is used up, if it is less than 16 count length, or if the formula is too large,
 * as it soon is with long operations: of the clauses about starts alone there are as many as
 * operations times starts times lengths. Effort: what the formula's variables, a sixteenth of its
 * literals and the assignments take (satisfiability.h); what was used is taken off. Lengths count
 * in their greatest common divisor. RB_ENOMEM. Memory: up to 250 MB. */
int redist_shop_decide(const struct redist_shop *shop, int64_t *effort, int64_t start[],
                       enum redist_answer *answer);

#endif
