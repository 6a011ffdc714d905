/* gantt.h - a timetable drawn: what each sender and each receiver does when, as in Figures 1 and 2
 * of Desprez et al. 1998. */
#ifndef RB_EXPERIMENTS_REDISTRIBUTION_GANTT_H
#define RB_EXPERIMENTS_REDISTRIBUTION_GANTT_H

#include <stdio.h>

#include "experiments/redistribution/attempt.h"

/* Whether it can be drawn: at most 40 senders and 40 receivers and 4000 pieces are legible, and
 * there must be some. RB_EINVAL with a message. */
int rb_gantt_fits(const struct rb_task *task, const struct rb_attempt *attempt,
                  struct rb_error *error);

/* Writes redistribute-gantt-METHOD-INSTANCE.dat, .gp, .pdf and .png into a directory that is there
 * (rb_figure_directory); list gets the paths of the pictures. Of an attempt that applies and fits.
 * RB_EIO, RB_EFAILED (gnuplot). */
int rb_gantt_draw(const struct rb_task *task, const struct rb_attempt *attempt,
                  const char *directory, FILE *list, struct rb_error *error);

#endif
