/* pictures.h - pictures of one run. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "plots/figure/plot.h"
#include "sim/engine/contention.h"
#include "sim/engine/engine.h"
#include "sim/observe/diagnosis.h"
#include "sim/workload/workload.h"

/* ---- Files ----------------------------------------------------------------------------------- */

/* The file of a picture that an option requests, with its data and script beside it. */

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

/* What these pictures, and that of the network, lack: a set of enum plot_lack. */
enum {
    DIAG_FIGURE_LACKS = PLOT_LACKS_AXES | PLOT_LACKS_LEGEND | PLOT_LACKS_SPREAD | PLOT_LACKS_SERIES
};

/* A picture that is being drawn, at a place that must not move. */
struct diag_picture {
    struct diag_picture_file parts;
    struct plot_request place;
    struct plot_plotter plotter;
    struct plot_figure figure;
};

/* Begins the figure, whose columns are ours; plot_figure_finish ends it. look NULL: the usual one.
 * RB_EINVAL, RB_EIO. */
int diag_picture_begin(struct diag_picture *open, const char *file, const struct plot_look *look,
                       const struct plot_kind *kind, const struct plot_figure_text *labels,
                       struct sup_error *error);

/* The unit in which times up to end_s are shown: writes `unit`, by which the script multiplies
 * seconds, and `time_label`. */
void diag_picture_time(FILE *script, double end_s);

/* ---- Contention ------------------------------------------------------------------------------ */

/* The picture of contention: how busy the links of each level are at what time, and the fullest
 * link of each level in each round. */

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

/* ---- Messages -------------------------------------------------------------------------------- */

/* The space-time diagram: ranks against time. */

struct diag_diagram {
    const char *file;             /* DIRECTORY/NAME.pdf, .png, ... */
    struct plot_figure_text text; /* origin and labels; columns are ours */
    const struct plot_look *look; /* NULL: the usual one */
    const struct sim_spec *spec;
    const struct obs_recording *recording; /* closed */
    const struct obs_diagnosis *diagnosis;
};

/* Writes NAME.dat, NAME.gp and the picture, after diag_picture_prepare. Up to 40
 * ranks and 4000 messages are drawn one by one, others as a density. Needs messages that take
 * time: RB_EINVAL without. RB_EINVAL, RB_EIO, RB_EFAILED. */
int diag_diagram_draw(const struct diag_diagram *diagram, struct sup_error *error);

/* ---- Workloads ------------------------------------------------------------------------------- */

/* The diagram of a workload: ranks against time, with steps in colours. */

struct diag_program {
    const char *file;             /* DIRECTORY/NAME.pdf, .png, ... */
    struct plot_figure_text text; /* origin and labels; columns are ours */
    const struct plot_look *look; /* NULL: the usual one */
    const struct sim_workload *workload;
    double time_s;            /* of the run */
    struct sim_step_end *end; /* recorded; owned by the caller, who frees it */
    size_t count;
    int32_t every; /* of many ranks each so many-th is recorded */
};

/* An observer that records ends of steps; the workload must be set. */
struct sim_observer diag_program_observer(struct diag_program *program);
/* Writes NAME.dat, NAME.gp and the picture, after diag_picture_prepare. Up to 40 ranks and 4000
 * ends of steps are drawn one by one, of others what takes longest in each interval. RB_EINVAL,
 * RB_EIO, RB_EFAILED. */
int diag_program_draw(const struct diag_program *program, struct sup_error *error);
/* The same steps for a page, in columns; of very many only those of each so many-th rank. */
json_t *diag_program_json(const struct diag_program *program);

/* ---- The network ----------------------------------------------------------------------------- */

/* The network of a run, each link in the colour of its load: as a picture for papers, and for the
 * page of a run, over time. */

struct diag_network_map {
    const char *platform;            /* of a generator or machine */
    struct plot_figure_text text;    /* origin and labels */
    const struct plot_look *look;    /* NULL: the usual one */
    const struct sim_result *result; /* with the traffic of all links */
};

/* RB_EINVAL unless the file's name ends in .svg, and the platform can be drawn. */
int diag_network_map_check(const char *file, const char *platform, struct sup_error *error);
/* Writes the picture as SVG. Load is a link's share of the simulated time in which it would carry
 * its bytes at full bandwidth. Write errors show in the stream. As platform_map_create. */
int diag_network_map_draw(const struct diag_network_map *picture, FILE *stream,
                          struct sup_error *error);

/* The same picture with the loads over time, for a page; NULL if the platform can't be drawn. */
json_t *diag_network_map_json(const char *platform, const struct sim_contention *contention);

/* ---- Traces ---------------------------------------------------------------------------------- */

/* A run's messages as Chrome's trace events, for Perfetto and chrome://tracing. Format: Duca and
 * Sinclair, "Trace Event Format", 2016. */

struct diag_trace {
    const char *plan, *platform, *engine, *version; /* what made the trace, a line each */
    const struct sim_spec *spec;
    const struct obs_recording *recording; /* closed */
    const struct obs_diagnosis *diagnosis;
};

/* RB_EINVAL unless the file's name ends in .json. */
int diag_trace_check_name(const char *file, struct sup_error *error);

/* Writes it, event by event. Write errors show in the stream. */
void diag_trace_write(const struct diag_trace *trace, FILE *stream);
