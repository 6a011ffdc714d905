/* clock.h - real time. */
#ifndef SUPPORT_CLOCK_H
#define SUPPORT_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since an arbitrary moment before the program started. Setting the computer's clock does
 * not change it. */
double sup_clock_s(void);

#ifdef __cplusplus
}
#endif
#endif
