/* diagram.h - the space-time diagram: ranks against time. */
#ifndef RB_EXPERIMENTS_DIAGNOSIS_DIAGRAM_H
#define RB_EXPERIMENTS_DIAGNOSIS_DIAGRAM_H

#include "plots/figure/plot.h"
#include "sim/observe/diagnosis.h"

struct rb_diagram {
    const char *file;           /* DIRECTORY/NAME.pdf, .png or .svg */
    struct rb_figure_text text; /* origin and labels; columns are ours */
    const struct rb_sim_spec *spec;
    const struct rb_recording *recording; /* closed */
    const struct rb_diagnosis *diagnosis;
};

/* Checks that a diagram can have this name and that gnuplot is there. Makes its directory if
 * needed. RB_EINVAL, RB_EFAILED, RB_EIO. */
int rb_diagram_prepare(const char *file, struct rb_error *error);

/* Writes NAME.dat, NAME.gp and the picture, after rb_diagram_prepare. Up to 40
 * ranks and 4000 messages are drawn one by one, others as a density. Needs messages that take
 * time: RB_EINVAL without. RB_EINVAL, RB_ENOMEM, RB_EIO, RB_EFAILED. */
int rb_diagram_draw(const struct rb_diagram *diagram, struct rb_error *error);

#endif
