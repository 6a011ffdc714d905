/* picture_file.h - the file of a picture that an option requests, with its data and script beside
 * it. */
#ifndef PLOTS_RUN_PICTURE_FILE_H
#define PLOTS_RUN_PICTURE_FILE_H

#include "plots/figure/plot.h"

struct diag_picture_file {
    char directory[1024], name[200]; /* DIRECTORY/NAME.pdf */
    enum plot_picture picture;
};

/* RB_EINVAL unless the name ends as pictures do (plot_picture_endings). */
int diag_picture_split(const char *file, struct diag_picture_file *parts, struct sup_error *error);

/* Before the run, for the option with this name ("--diagram"): checks that a picture can have this
 * name, that nothing else is written to the files beside it, and that gnuplot is there. Makes its
 * directory if needed. Messages begin with the option. RB_EINVAL, RB_EFAILED, RB_EIO. */
int diag_picture_prepare(const char *option, const char *file, struct sup_error *error);

/* The unit in which times up to end_s are shown: writes `unit`, by which the script multiplies
 * seconds, and `time_label`. */
void diag_picture_time(FILE *script, double end_s);

#endif
