/* gantt.h - a timetable drawn: what each sender and each receiver does when, as in Figures 1 and 2
 * of Desprez et al. 1998. */
#ifndef STUDIES_REDISTRIBUTION_GANTT_H
#define STUDIES_REDISTRIBUTION_GANTT_H

#include <stdio.h>

#include "studies/redistribution/attempt.h"

/* Whether it can be drawn: at most 40 senders and 40 receivers and 4000 pieces are legible, and
 * there must be some. RB_EINVAL with a message. */
int compare_gantt_fits(const struct compare_task *task, const struct compare_attempt *attempt,
                       struct sup_error *error);

struct plot_request;

/* Writes redistribute-gantt-METHOD-INSTANCE.dat, .gp and pictures into a place's directory, which
 * is there (plot_figure_directory). Of an attempt that applies and fits. RB_EIO, RB_EFAILED
 * (gnuplot). */
int compare_gantt_draw(const struct compare_task *task, const struct compare_attempt *attempt,
                       const struct plot_request *place, struct sup_error *error);
/* What such a figure lacks: a set of enum plot_lack. */
unsigned compare_gantt_lacks(void);

#endif
