/* gantt.h - a timetable drawn: what each sender and each receiver does when, as in Figures 1 and 2
 * of Desprez et al. 1998. */
#ifndef EXPERIMENTS_REDISTRIBUTION_GANTT_H
#define EXPERIMENTS_REDISTRIBUTION_GANTT_H

#include <stdio.h>

#include "experiments/redistribution/attempt.h"

/* Whether it can be drawn: at most 40 senders and 40 receivers and 4000 pieces are legible, and
 * there must be some. RB_EINVAL with a message. */
int compare_gantt_fits(const struct compare_task *task, const struct compare_attempt *attempt,
                       struct sup_error *error);

/* Writes redistribute-gantt-METHOD-INSTANCE.dat, .gp, .pdf and .png into a directory that is there
 * (plot_figure_directory); list gets the paths of the pictures. Of an attempt that applies and
 * fits. RB_EIO, RB_EFAILED (gnuplot). */
int compare_gantt_draw(const struct compare_task *task, const struct compare_attempt *attempt,
                       const char *directory, FILE *list, struct sup_error *error);

#endif
