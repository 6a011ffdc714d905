/* attend.h - does work in a thread while this thread shows how far it is. It is for work that takes
 * seconds and does not report its own overlap. Where the result is small, processes (pool.h) are
 * better. */
#ifndef SUPPORT_ATTEND_H
#define SUPPORT_ATTEND_H

/* Does work(context), and calls tick(context) some times per second until it is done. tick may read
 * nothing that the work writes. Signals are handled in this thread. If no thread can be started,
 * tick is not called. */
void sup_attend(void (*work)(void *context), void (*tick)(void *context), void *context);

#endif
