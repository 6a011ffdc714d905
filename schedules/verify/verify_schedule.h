/* verify_schedule.h - the common parts of the checks of whole tables and of single ranks. */
#ifndef RB_SCHEDULES_VERIFY_VERIFY_SCHEDULE_H
#define RB_SCHEDULES_VERIFY_VERIFY_SCHEDULE_H

#include "schedules/plan/plan.h"

/* Conditions 3 and 4 for rank r with baseblock b, which in round k receives recv[k * stride] and
 * sends send[k * stride]. RB_OK, or RB_EWRONG with the first thing wrong in the verdict. O(q). */
int rb_check_rank(const struct rb_circulant *graph, int32_t r, int32_t b, const int8_t recv[],
                  const int8_t send[], size_t stride, struct rb_verdict *verdict);

/* RB_EWRONG: conditions 1 and 2, which are the same equation read from either end of a message,
 * fail: in round k rank `from` sends one block and rank `to` receives another. */
int rb_ends_differ(const struct rb_circulant *graph, int32_t k, int32_t from, int8_t sent,
                   int32_t to, int8_t received, struct rb_verdict *verdict);

/* An implementation, for one instruction set, of the check of conditions 3 and 4 for all ranks
 * except the root. */
struct rb_schedule_check {
    const char *name;
    bool (*usable)(void); /* true if this machine can run it */
    bool (*all_right)(const struct rb_circulant *graph, const struct rb_schedule_room *room);
};

/* The fastest implementation is first. The last entry has no name and ends the list; the one before
 * it is usable everywhere. */
extern const struct rb_schedule_check rb_schedule_checks[];

/* The four conditions for the table in room, made for this graph. RB_OK or RB_EWRONG, and then
 * *wrong is the rank of the verdict, where two ends differ the sender; the verdict doesn't depend
 * on the check used. */
int rb_verify_table(const struct rb_circulant *graph, const struct rb_schedule_room *room,
                    const struct rb_schedule_check *check, struct rb_verdict *verdict);

#endif
