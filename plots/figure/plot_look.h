/* plot_look.h - how figures look: one table of options for every verb that draws, and what they say
 * to a script. The rest of the look is in plots/style.gp, which has the defaults. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "sim/observe/diagnosis.h"
#include "support/options/options.h"

/* An end that is not asked for is NAN. Times are in seconds, everything else is in the unit of the
 * axis. */
struct plot_limits {
    double low, high;
    bool seconds;
};

struct plot_look {
    double width_cm, height_cm, letter_pt; /* 0: the usual one */
    const char *title;                     /* NULL: none */
    char **labels;                         /* "NAME=TEXT", owned */
    bool *label_used;                      /* owned */
    size_t label_count;
    char colours[400]; /* "#0072b2 #d55e00 ..."; "": the usual ones */
    bool grey;
    bool linear_x, linear_y;
    struct plot_limits x, y;
    const char *legend, *spread; /* words of the options; NULL: the usual ones */
    bool bare;                   /* without the grey lines that say what made the figure */
};

/* What the figures of a kind lack, so that an option can have no meaning for them: a set. */
enum plot_lack {
    PLOT_LACKS_LOG_X = 1 << 0,
    PLOT_LACKS_LOG_Y = 1 << 1,
    PLOT_LACKS_X_RANGE = 1 << 2,
    PLOT_LACKS_Y_RANGE = 1 << 3,
    PLOT_LACKS_LEGEND = 1 << 4,
    PLOT_LACKS_SPREAD = 1 << 5,
    PLOT_LACKS_SERIES = 1 << 6, /* so it has no colours of series, and may only be grey */
    PLOT_LACKS_Y = PLOT_LACKS_LOG_Y | PLOT_LACKS_Y_RANGE,
    PLOT_LACKS_AXES = PLOT_LACKS_Y | PLOT_LACKS_LOG_X | PLOT_LACKS_X_RANGE,
};

/* The options, for the `more` of a verb's row: all, or those that have a meaning for figures with
 * these lacks (a function of the verb's own calls this one). */
bool plot_look_option(int32_t i, struct cli_option *option);
bool plot_look_option_without(unsigned lacks, int32_t i, struct cli_option *option);
/* The first of them that is given, or --pictures; NULL: none is. For verbs that draw only if they
 * are asked to. */
const char *plot_look_given(const struct cli_args *args);
/* Reads those that the verb's table has. lacks: of all figures that will be drawn, which messages
 * call `what`. Warns of colours that people with a colour vision deficiency take for each other.
 * RB_EINVAL, with a message that names the option. The caller frees look, also on failure. */
int plot_look_of(const struct cli_args *args, unsigned lacks, const char *what,
                 struct plot_look *look, struct sup_error *error);

struct plot_request;
/* For a verb that draws into --figures DIR, and nothing with "-": its place from --figures,
 * --pictures and the options above. The directory stays as it is if --figures is not given; *draws
 * is false for "-", which excludes the other options. what and errors as above; also RB_EFAILED if
 * gnuplot can't draw the pictures, so that this is known before the work. */
int plot_place_of(const struct cli_args *args, unsigned lacks, const char *what,
                  struct plot_request *place, struct plot_look *look, bool *draws,
                  struct sup_error *error);
void plot_look_free(struct plot_look *look); /* safe on a zeroed struct */

/* Writes what differs from the defaults of plots/style.gp to a script, before that. look may be
 * NULL. */
void plot_look_write(const struct plot_look *look, FILE *script);

/* The text of a series, panel or axis ("x", "y") by --labels, or NULL. A text that is not named as
 * a whole is renamed in its parts, which are separated by ", ": into buffer. look may be NULL. */
const char *plot_look_label(const struct plot_look *look, const char *name, char *buffer,
                            size_t size);
/* Complains of a title that was cut off, and of a label that named nothing, in the figures that
 * were drawn. */
void plot_look_warn(const struct plot_look *look);

/* The pair of colours (0xrrggbb) that look most alike to somebody with normal vision, or without
 * red, green or blue receptors: *first and *second; returns their distance (CIE 1976 L*a*b*).
 * Colours that are farther apart than PLOT_COLOURS_APART can be told apart. INFINITY for fewer than
 * two. */
#define PLOT_COLOURS_APART 9.0
double plot_nearest_colours(const unsigned colours[], size_t count, size_t *first, size_t *second);

/* ---- Colours of messages --------------------------------------------------------------------- */

/* The colours of messages in pictures and traces: by the first block that a message carries or, if
 * every rank owns data, by the owner. */

struct plot_colours {
    const struct sim_spec *spec;
    struct rb_op *ops; /* room for a message's; owned */
};

/* The spec must outlive the colours. */
void plot_colours_init(struct plot_colours *colours, const struct sim_spec *spec);
void plot_colours_free(struct plot_colours *colours); /* safe on a zeroed struct */

/* "block", or "owner". */
const char *plot_colours_name(const struct sim_spec *spec);
/* The number of colours, which are 0 .. count - 1. */
int64_t plot_colours_count(const struct sim_spec *spec);
/* The colour of a message. O(log p + max_ops). */
int64_t plot_colour_of(const struct plot_colours *colours, const struct sim_message *message);
