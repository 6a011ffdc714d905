/* redistribution.h - one redistribution by several methods: attempts, drawings, reports. */
#pragma once

#include <stdio.h>

#include "roundabout-redistribution.h"
#include "support/error.h"
#include "support/output/table.h"

/* ---- Attempts -------------------------------------------------------------------------------- */

/* One redistribution, and a timetable for it by each of several methods. */

/* The data to move. */
struct compare_task {
    char text[RB_INSTANCE_LENGTH];    /* the instance in full; file:NAME#HASH */
    struct rb_redistribution problem; /* of a matrix without dimensions */
    int64_t elements;                 /* of the array, or of the matrix */
    struct rb_traffic traffic;
};

/* From an instance's text, as plans take it. RB_EINVAL with a message about the text,
 * RB_ENOMEM. The caller deinits it, and need not after a failure. */
int compare_task_init(struct compare_task *task, const char *instance, struct sup_error *error);
/* From a file of what each rank has for each (sup_matrix_read). RB_EINVAL with the file's name and
 * line, RB_EIO, RB_ENOMEM. */
int compare_task_of_matrix(struct compare_task *task, const char *path, struct sup_error *error);
void compare_task_deinit(struct compare_task *task); /* safe on a zeroed one, and twice */

/* By one method. */
struct compare_attempt {
    const struct rb_redistribute_method *method;
    bool applies; /* otherwise the reason, and the members below are not set */
    struct sup_error why;
    struct rb_timetable timetable; /* owned; has passed its check */
    struct rb_timetable_facts facts;
    int64_t steps;  /* different times at which pieces start */
    double seconds; /* processor time that it took to make */
};

/* options may be NULL. The caller deinits the attempt, and need not after a failure. RB_EWRONG with
 * a message if the timetable fails its check, RB_ENOMEM. */
int compare_attempt_make(struct compare_attempt *attempt, const struct compare_task *task,
                         const struct rb_redistribute_method *method,
                         const struct rb_redistribute_options *options, struct sup_error *error);
void compare_attempt_deinit(struct compare_attempt *attempt); /* safe on a zeroed one, and twice */

/* The method of that name. RB_EINVAL with a message and the nearest name. */
int compare_method_find(const char *name, const struct rb_redistribute_method **method,
                        struct sup_error *error);

/* ---- Drawings -------------------------------------------------------------------------------- */

/* A timetable drawn: what each sender and each receiver does when, as in Figures 1 and 2 of
 * Desprez et al. 1998. */

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

/* ---- Reports --------------------------------------------------------------------------------- */

/* What timetables for one redistribution cost, as table, csv or json, and its communication
 * grid. */

/* The instance, how many messages, T_opt: two lines and an empty one. */
void compare_print_task(const struct compare_task *task, FILE *stream);

/* How much every sender has for every receiver, and numbers of messages, as in the paper's Tables 2
 * and 4: a line per sender. */
void compare_print_grid(const struct compare_task *task, FILE *stream);

struct compare_shown {
    enum out_format format;
    bool grid;    /* in JSON: with the messages */
    bool details; /* of text: everything that is known, without the answer */
};

/* A line or a row per method, one or more. docs/formats.md describes the fields. Write errors show
 * in the stream. */
void compare_print_attempts(const struct compare_task *task, const struct compare_attempt attempt[],
                            size_t count, const struct compare_shown *shown, FILE *stream);
