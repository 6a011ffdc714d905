/* diagram.h - the space-time diagram: ranks against time. */
#ifndef PLOTS_RUN_DIAGRAM_H
#define PLOTS_RUN_DIAGRAM_H

#include "plots/figure/plot.h"
#include "sim/observe/diagnosis.h"

struct diag_diagram {
    const char *file;             /* DIRECTORY/NAME.pdf, .png, ... */
    struct plot_figure_text text; /* origin and labels; columns are ours */
    const struct plot_look *look; /* NULL: the usual one */
    const struct sim_spec *spec;
    const struct obs_recording *recording; /* closed */
    const struct obs_diagnosis *diagnosis;
};

/* Checks that a diagram can have this name and that gnuplot is there. Makes its directory if
 * needed. RB_EINVAL, RB_EFAILED, RB_EIO. */
int diag_diagram_prepare(const char *file, struct sup_error *error);

/* Writes NAME.dat, NAME.gp and the picture, after diag_diagram_prepare. Up to 40
 * ranks and 4000 messages are drawn one by one, others as a density. Needs messages that take
 * time: RB_EINVAL without. RB_EINVAL, RB_EIO, RB_EFAILED. */
int diag_diagram_draw(const struct diag_diagram *diagram, struct sup_error *error);
/* What such a picture lacks: a set of enum plot_lack. */
unsigned diag_diagram_lacks(void);

#endif
