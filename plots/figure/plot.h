/* plot.h - figures from a sweep's results, by gnuplot.
 *
 * A figure NAME is NAME.dat (the data), NAME.gp (the script, which makes the pictures when run in
 * that directory) and NAME.pdf, NAME.png, NAME.svg as asked for; all or none of them. One kind of
 * figure is one file plots/kinds/plot_KIND.c with one const descriptor and one line in
 * plots/list.h; a long script may have a file plots/KIND.gp of its own. */
#pragma once

#include <math.h>
#include <stdio.h>

#include "experiments/decide/tune.h"
#include "plots/figure/plot_look.h"
#include "support/output/files.h"

/* What a figure is written as: pictures by gnuplot, of which two are for \input in LaTeX; and a
 * table, which needs no gnuplot. */
enum plot_picture {
    PLOT_PDF,
    PLOT_PNG,
    PLOT_SVG,
    PLOT_TIKZ,
    PLOT_CAIROLATEX,
    PLOT_CSV,
    PLOT_PICTURES
};
extern const char *const plot_picture_names[PLOT_PICTURES];   /* "pdf" */
extern const char *const plot_picture_endings[PLOT_PICTURES]; /* of the file's name, ".pdf" */
enum { PLOT_DRAWN = (1u << PLOT_CSV) - 1 };                   /* the set of those by gnuplot */
/* The i-th name, NULL beyond the last: the words of --format and --pictures (cli_args_set). */
const char *plot_picture_at(int32_t i);

/* The formats of the figures that a verb draws besides what it prints. */
#define PLOT_OPTION_PICTURES(formats)                                                              \
    {                                                                                              \
        .name = "pictures", .type = CLI_OPT_TEXT, .value = "FORMAT,...", .fallback = (formats),    \
        .word_at = plot_picture_at, .repeatable = true,                                            \
        .help = "formats of the pictures; tikz and cairolatex are for \\input in LaTeX, csv is "   \
                "a table"                                                                          \
    }

/* The size on an axis or in a title: that of all data, m; of one rank's data, m/p; or of the data
 * of a pair of ranks, m/p^2. Kinds whose figures are not of one p always use m. */
enum plot_sizes { PLOT_SIZES_ALL, PLOT_SIZES_RANK, PLOT_SIZES_PAIR, PLOT_SIZES };
extern const char *const plot_sizes_names[PLOT_SIZES]; /* "all", "rank", "pair" */

/* --only KEY=VALUE,...: what is drawn. */
struct plot_only {
    int id;             /* enum point_id */
    const char *values; /* of a text */
    struct sup_list numbers;
};

/* What was drawn. */
struct plot_drawn {
    struct plot_drawn_figure {
        char *name, *label; /* of its files; what stands over it; owned */
        const char *kind, *title;
    } * figure; /* owned */
    size_t count;
    bool undrawn; /* without pictures, because there is no gnuplot */
};
void plot_drawn_free(struct plot_drawn *drawn); /* safe on a zeroed struct */
/* Writes the paths of the pictures (set of 1u << PLOT_PDF and so on), a line each. */
void plot_drawn_paths(const struct plot_drawn *drawn, const char *directory, unsigned pictures,
                      FILE *stream);

struct plot_request {
    const char *results;      /* a results file */
    const char *const *files; /* all results files; NULL: this one */
    int32_t file_count;
    bool series[POINT_PARAMETERS]; /* settings that differ only in these are one figure */
    bool mixed; /* some are simulated and some measured: then those that differ in the machine, too
                 */
    const struct plot_only *only; /* curves that all of these select are drawn */
    size_t only_count;
    const struct decide_filter *filters; /* ends with parameter NULL; or NULL */
    const char *directory;               /* created if missing */
    const char *focus;                   /* the algorithm whose n is shown */
    bool focus_asked;                    /* the user named it, so some point must have it */
    unsigned kinds;                      /* set of (1u << index of plot_kind_at) */
    bool kinds_asked;                    /* the user named them: what is skipped is said */
    unsigned pictures;                   /* set of (1u << PLOT_PDF) and so on */
    enum plot_sizes sizes;
    const struct plot_look *look; /* NULL: the usual one */
    bool undrawn;                 /* gnuplot is missing: write all but its pictures */
    /* Draw each p, m, radix, algorithm, rather than a choice. */
    bool all_ranks, all_bytes, all_radices, all_algorithms;
    bool few;                 /* a dozen figures at most, that differ in what they say */
    FILE *list;               /* the paths of the pictures, a line each; NULL: none */
    struct plot_drawn *drawn; /* NULL: nobody asks */
};

/* Draws the figures for which the results suffice; *made is their number. Standard error says which
 * figures that the user named are skipped. Without gnuplot, data, tables and scripts are left, and
 * RB_EFAILED says how to draw them. RB_EINVAL, RB_EIO, RB_EFAILED (gnuplot is missing or
 * failed): then the figure that failed leaves no file behind; those before it stay. */
int plot_draw(const struct plot_request *request, int64_t *made, struct sup_error *error);

/* Draws the dozen figures of a sweep's results that say most, into the directory and with the
 * pictures, look and lists of the request; errors as above. */
int plot_results(const char *results, const struct plot_request *place, struct sup_error *error);

/* ---- For the kinds of figures --------------------------------------------------------------- */

/* Settings that are drawn as one (plot_fold): what differs among them. */
struct plot_family {
    bool differs[POINT_PARAMETERS];
    bool files;
    /* Of simulated and measured settings together the first of each, NULL: they are not both there;
     * and whether there are several simulated ones. */
    const struct point *simulated, *measured;
    bool several;
};

struct plot_plotter {
    const struct plot_request *request;
    const struct decide_curves *data;
    const struct plot_family *families; /* of each setting of data; NULL: each is one setting */
    const char **order;                 /* plot_order of data: owned by who made the plotter */
    size_t order_count;
    int64_t made;
    struct sup_error *error;
};

struct plot_kind {
    const char *name;  /* in file names, value of --what */
    const char *title; /* one line */
    bool of_each;      /* of few figures, those of each setting are drawn, otherwise of one */
    bool repeats;      /* it shows what other kinds show: not among few figures */
    bool of_one_p;     /* its figures are of one p each, and know plot_sizes */
    bool of_settings;  /* never of several settings together (--series) */
    bool of_platforms; /* its figures are of several platforms and placements: `label` names them */
    unsigned lacks;    /* set of enum plot_lack */
    const char
        *script; /* gnuplot's commands, behind plots/style.gp; NULL: those of plots/NAME.gp */
    /* Draws the figures of one setting. *why is set to a static text if the data gives none. */
    int (*draw)(struct plot_plotter *plotter, size_t setting, const char **why);
};
unsigned plot_all_kinds(void);                   /* as a set */
const struct plot_kind *plot_kind_at(int32_t i); /* NULL beyond the end */

#define PLOT_KIND(name) extern const struct plot_kind name;
#include "plots/list.h"
#undef PLOT_KIND

struct plot_span {
    double low, high; /* low > high: empty */
};
#define PLOT_EMPTY_SPAN                                                                            \
    {                                                                                              \
        INFINITY, -INFINITY                                                                        \
    }
/* A figure being made. */
struct plot_figure {
    const struct plot_plotter *plotter;
    const struct plot_kind *kind;
    char name[256], label[512];
    struct out_staging staging;
    FILE *data;     /* NAME.dat, its header written */
    FILE *script;   /* NAME.gp, up to the kind's own part: ranges, ticks, titles */
    size_t titles;  /* how many there are */
    size_t longest; /* in characters */
    bool spreads;   /* some time has a spread */
    bool ends;      /* names are at the ends of curves */
    unsigned used;  /* line types, as a set */
    double panel;   /* the share of the height below the key that a panel has: 1 unless the kind
                     * says otherwise before it sets up axes */
    size_t widest;  /* of the texts at ticks of y axes, in characters */
};

/* Begins the figure of a kind. part distinguishes it from the kind's other figures of that setting
 * and becomes a part of its name ("m1MiB", or ""); label is the text of the first line over the
 * picture, besides the platform; columns names the columns of the data. The caller always ends with
 * plot_figure_finish or, after a failure of its own, plot_figure_discard. */
int plot_figure_begin(struct plot_figure *figure, struct plot_plotter *plotter,
                      const struct plot_kind *kind, size_t setting, const char *part,
                      const char *label, const char *columns);
/* Begins a figure that does not show a sweep's results: name is the name of its files. Of the
 * plotter only its request's directory, pictures and list, and its error, are used. It ends in the
 * same way. */
enum { PLOT_FIGURE_ORIGINS = 6 };
struct plot_figure_text {
    const char *origin[PLOT_FIGURE_ORIGINS]; /* comments in data and script, up to a NULL */
    const char *labels[2];                   /* the two lines over the picture */
    const char *columns; /* names of the data's, with units: "p, n, time_s"; or "(each series names
                          * its own)": then the titles of series end in ": p, n, time_s" */
};
int plot_figure_begin_named(struct plot_figure *figure, struct plot_plotter *plotter,
                            const struct plot_kind *kind, const char *name,
                            const struct plot_figure_text *text);
/* Makes the directory for figures if it is missing; *mine is set if it was made. RB_EINVAL,
 * RB_EIO. */
int plot_figure_directory(const char *directory, bool *mine, struct sup_error *error);
/* Adds the kind's script, closes, runs gnuplot and checks the pictures. On failure the figure's
 * files are removed. */
int plot_figure_finish(struct plot_figure *figure, struct plot_plotter *plotter);
void plot_figure_discard(struct plot_figure *figure);

/* Begins series i in the data file. */
void plot_figure_series(struct plot_figure *figure, size_t i, const char *title);
/* Adds to the script's array `titles`; titles that are too wide for a key are cut off. The script
 * has their number as `series`, and the width of the longest as `longest`. */
enum { PLOT_MOST_TITLES = 16 };
void plot_figure_title(struct plot_figure *figure, const char *title);
/* The same for a curve of an algorithm, which has the same colour in all figures of the data. */
void plot_figure_algorithm(struct plot_figure *figure, const char *title, const char *algorithm);
/* The text for a series or panel by --labels, otherwise its name; visible and cut to `most`
 * characters (plot_gnuplot_cut): into buffer, returned. */
const char *plot_figure_label(const struct plot_figure *figure, const char *name, size_t most,
                              char *buffer, size_t size);
/* Writes the last two columns of a row, the spread of its time or NaN, and its end; adds the spread
 * to the range of times. sample NULL: there is none. */
void plot_figure_spread(struct plot_figure *figure, const struct decide_sample *sample,
                        struct plot_span *time_s);
/* Writes a column of the data that is not a number: in double quotes unless it is one plain
 * word. */
void plot_figure_word(struct plot_figure *figure, const char *text);

/* ---- Axes (plot_axes.c) --------------------------------------------------------------------- */

/* How many lines of text the curves have room for below title, notes and key, if a height is
 * wanted; INFINITY: the figure is as high as suits it. */
double plot_figure_room(const struct plot_figure *figure);

/* Where the curve of the last title ends, in seconds and bytes if these are what the axes show. */
void plot_figure_end(struct plot_figure *figure, double x, double y);
/* Decides, once all titles are known, whether names stand at the ends of so many curves instead of
 * in a key: where they fit, and the user has not asked for a key. Returns how many ticks with sizes
 * the x axis then has room for. */
int plot_name_ends(struct plot_figure *figure, size_t lines);

void plot_span_add(struct plot_span *range, double value);

/* Write a string of commands that set up an axis, for the script to eval: x_axis or y_axis. All are
 * logarithmic; axis is "x" or "y". most_ticks is the largest number of ticks, 2 or more. */
enum { PLOT_BYTES_TICKS = 5 }; /* in a whole column */
void plot_axis_counts(struct plot_figure *figure, const char *axis, const char *label,
                      struct plot_span range);
void plot_axis_bytes(struct plot_figure *figure, const char *axis, const char *label,
                     struct plot_span range, int most_ticks);
/* A y axis of a second panel, which --labels, --log and --y-range do not mean: a string with a name
 * of its own. */
void plot_axis_radices(struct plot_figure *figure, const char *name, const char *label,
                       struct plot_span range);
/* plot_axis_bytes for sizes of p ranks' data as the request wants them, of which m lies in range_m;
 * and `share`, by which the script multiplies m. most_ticks may be 3 for half a column. */
void plot_axis_sizes(struct plot_figure *figure, const struct plot_plotter *plotter, size_t setting,
                     int32_t p, struct plot_span range_m, int most_ticks);
/* "m = 128KiB", "m/p² = 32B": a size as the request wants it, for titles; to three digits unless it
 * is whole. */
const char *plot_format_size(const struct plot_plotter *plotter, int32_t p, double m_bytes,
                             char *buffer, size_t size);
/* y_axis, and `unit`, by which the script multiplies seconds: ns, us, ms or s by the range. */
void plot_axis_time(struct plot_figure *figure, struct plot_span range_s);
/* A y axis of this name around 1, wide enough that equal times look equal. */
void plot_axis_around_one(struct plot_figure *figure, const char *name, const char *label,
                          struct plot_span range);
/* y_axis for times divided by the smallest time, from 1 to `most`. */
void plot_axis_slower(struct plot_figure *figure, double most);
/* cb_axis, colours for times from the best to `most` times the best; ratios of 8 and more have one
 * colour. */
void plot_axis_relative(struct plot_figure *figure, const char *label, double most);

/* ---- Series (plot_series.c) ------------------------------------------------------------------ */

/* Makes of the curves of all files of the request those of families: settings that differ only in
 * request->series, or in their file. The texts of settings stay in the parts. The caller frees
 * data, by decide_curves_free, and families. */
void plot_fold(const struct plot_request *request, const struct decide_curves parts[],
               struct decide_curves *data, struct plot_family **families);
/* Hides what --only does not select; returns how many curves are shown. */
int plot_hide(const struct plot_request *request, struct decide_curves *data);
/* True for a curve of this algorithm, "circulant", or of this name, "circulant, blocking". */
bool plot_is_of(const struct decide_curve *curve, const char *algorithm);
/* The algorithm's name without what distinguishes the settings of a family. */
const char *plot_base_name(const struct decide_curve *curve);
/* The i-th name of curves of this algorithm that are shown in a setting, NULL beyond the last. */
const char *plot_variant(const struct decide_curves *data, size_t setting, const char *algorithm,
                         size_t i);
/* "p = 64, blocking": the title of a curve that `of` and its variant distinguish. */
void plot_variant_title(const struct decide_curve *curve, const char *of, char *title, size_t size);

/* How many letters of an algorithm's name decide about its colour: without the sizes of groups. */
size_t plot_coloured(const char *algorithm);
bool plot_same_colour(const char *a, const char *b);
/* The algorithms of the curves, by which they have their colours in all figures: the one in focus
 * first, then by how often they are fastest and how near they come to it, then by name. Returns how
 * many; the caller frees the list. */
size_t plot_order(const struct decide_curves *data, const char *focus, const char ***order);

/* ---- Choosing what to draw (plot_choice.c) -------------------------------------------------- */

/* The curve, or NULL. algorithm NULL: the first of any algorithm. */
const struct decide_curve *plot_find_curve(const struct decide_curves *data, size_t setting,
                                           const char *algorithm, int32_t p, int64_t m_bytes);

/* The fastest curve of the case of a curve: of any algorithm, of one, or of any but one; NULL:
 * there is none. NULL for no condition. */
const struct decide_curve *plot_fastest(const struct decide_curves *data,
                                        const struct decide_curve *curve, const char *of,
                                        const char *but);

/* The distinct p or m of an algorithm's curves (NULL: any algorithm's) in a setting, rising, that
 * have at least so many samples; p = 1 and m = 0, which no figure can show, are left out. m or p
 * restrict to one value unless negative. The caller frees by sup_list_free. */
struct plot_choice {
    size_t setting;
    const char *algorithm;
    int32_t p;
    int64_t m_bytes;
    size_t samples;
};
/* Of more than `most` (2 or more), so many are taken, spread evenly; of those that the user asked
 * for (--ranks, --bytes), more than `most_asked`. PLOT_FIGURES: a figure will be made of each; of
 * few figures it is the one that says most: the p at which the fastest algorithm changes most with
 * m, the m at which n matters most. */
enum { PLOT_FIGURES = 3 };
struct sup_list plot_choose_ranks(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked);
struct sup_list plot_choose_bytes(const struct plot_plotter *plotter,
                                  const struct plot_choice *choice, size_t most, size_t most_asked);

/* How much a setting says: by how the fastest algorithm changes in it, or how much n matters. */
double plot_telling(const struct plot_plotter *plotter, size_t setting, bool by_n);

/* ---- Lines against m (plot_choice.c) ----------------------------------------------------------
 */

enum { PLOT_MOST_LINES = 10 };
struct plot_line {
    const struct decide_curve *curve; /* any of this algorithm's */
    bool in_focus;
};
struct plot_lines {
    struct plot_line line[PLOT_MOST_LINES];
    size_t count, left_out;
};
/* The algorithms of a setting and p, with some of their radices: by name and radix, with the one in
 * focus first. Of many, those that come nearest to the fastest for some m. */
void plot_choose_lines(const struct plot_plotter *plotter, size_t setting, int32_t p,
                       struct plot_lines *lines);
/* Of the curves that pass a test. */
typedef bool plot_curve_test(const struct decide_curves *data, const struct decide_curve *curve);
void plot_choose_some_lines(const struct plot_plotter *plotter, size_t setting, int32_t p,
                            plot_curve_test *wanted, struct plot_lines *lines);

/* Says in the figure's files how many lines were left out. */
void plot_note_lines(struct plot_figure *figure, const struct plot_lines *lines);
/* The name of a line; of lines that are all of one algorithm only what distinguishes them. */
const char *plot_line_title(const struct plot_lines *lines, size_t i);

/* Calls the drawer of a kind for each p, or some p, that were run with two or more m, which are
 * `sizes`. *why is set if there are none. */
typedef int plot_ranks_drawer(struct plot_plotter *plotter, size_t setting, int32_t p,
                              const struct sup_list *sizes);
int plot_draw_ranks(struct plot_plotter *plotter, size_t setting, plot_ranks_drawer *draw_one,
                    const char **why);

/* ---- Maps of p and m (plot_map.c) ------------------------------------------------------------ */

/* ---- Radices (plot_choice.c) --------------------------------------------------------------- */

/* Calls the drawer of a kind for each algorithm that was run with radices ("bruck") and each p, or
 * some p: the drawer makes one figure or, if there are too few points, none. *why is set if no
 * figure was made, unless the collective has no algorithm with a radix. */
typedef int plot_radix_drawer(struct plot_plotter *plotter, size_t setting, const char *algorithm,
                              int32_t p);
int plot_draw_radices(struct plot_plotter *plotter, size_t setting, plot_radix_drawer *draw,
                      const char **why);
/* The radices of such an algorithm for p, rising: those that were run at the largest number of m,
 * or all if the user chose them. If they are more than `most` (2 or more), `most` of them are
 * taken, spread evenly by ratio, with the first and the last. The caller frees by sup_list_free. */
struct sup_list plot_choose_radices(const struct plot_plotter *plotter, size_t setting,
                                    const char *algorithm, int32_t p, size_t most);
/* The curve of such an algorithm with one radix, or NULL; and the fastest of several, the first of
 * equals, or NULL. algorithm is a pointer from the data. */
const struct decide_curve *plot_find_radix(const struct decide_curves *data, size_t setting,
                                           const char *algorithm, int64_t radix, int32_t p,
                                           int64_t m_bytes);
const struct decide_curve *plot_best_of_radices(const struct decide_curves *data, size_t setting,
                                                const char *algorithm,
                                                const struct sup_list *radices, int32_t p,
                                                int64_t m_bytes);

/* ---- Texts in scripts (plot_gnuplot.c) ------------------------------------------------------- */

/* Writes the line NAME = "TEXT": gnuplot then has exactly this text and interprets nothing in it.
 * All texts that are not constants of the program are written to scripts in this way. */
void plot_gnuplot_text(FILE *script, const char *name, const char *text);
/* Writes the text in its displayable form (support/error.h) to buffer, with at most `most`
 * characters, the last three of them dots if it is cut off. The buffer should have 4 bytes for each
 * character and 4 more. Returns the number of characters. */
size_t plot_gnuplot_cut(const char *text, size_t most, char *buffer, size_t size);

/* The characters that need no quotes in file names in a shell. */
#define PLOT_PLAIN_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+"

/* ---- The table (plot_figure.c) ------------------------------------------------------------------
 */

/* ---- gnuplot (plot_gnuplot.c) --------------------------------------------------------------- */

/* RB_EFAILED, with a message that says how to install it, unless there is a gnuplot that can draw
 * the pictures; *missing (or NULL) is set if there is none at all. */
int plot_gnuplot_find(unsigned pictures, bool *missing, struct sup_error *error);
/* Writes what a LaTeX document needs for tikz pictures to a directory: gnuplot-lua-tikz.sty and
 * -common.tex. RB_EFAILED, RB_EIO. */
int plot_gnuplot_style(const char *directory, struct sup_error *error);
/* Runs a script of a directory in it. RB_EFAILED with what gnuplot said, RB_EIO. */
int plot_gnuplot_run(const char *directory, const char *script, struct sup_error *error);
