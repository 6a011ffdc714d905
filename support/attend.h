/* attend.h - does work in a thread while this one shows how far it is: for work of seconds that
 * can't be asked. Processes (pool.h) are better where the result is small. */
#ifndef SUPPORT_ATTEND_H
#define SUPPORT_ATTEND_H

/* Does work(context), and calls tick(context) some times per second until it is done. tick may read
 * nothing that the work writes. Signals are handled in this thread. If there is no thread to be
 * had, nothing ticks. */
void sup_attend(void (*work)(void *context), void (*tick)(void *context), void *context);

#endif
