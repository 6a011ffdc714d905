/* contention_picture.h - the picture of contention: how busy the links of each level are at what
 * time, and the fullest link of each level in each round. */
#ifndef PLOTS_RUN_CONTENTION_PICTURE_H
#define PLOTS_RUN_CONTENTION_PICTURE_H

#include "plots/figure/plot.h"
#include "sim/engine/contention.h"

struct diag_contention {
    const char *file;             /* DIRECTORY/NAME.pdf, .png, ... */
    struct plot_figure_text text; /* origin and labels; columns are ours */
    const struct plot_look *look; /* NULL: the usual one */
    const struct sim_contention *contention;
};

/* Writes NAME.dat, NAME.gp and the picture, after diag_picture_prepare. A level of many links has
 * rows that stand for several links each, and show the fullest of them. RB_EINVAL if no message
 * crossed a link that messages can share, RB_EIO, RB_EFAILED. */
int diag_contention_draw(const struct diag_contention *picture, struct sup_error *error);
/* What such a picture lacks: a set of enum plot_lack. */
unsigned diag_contention_lacks(void);

#endif
