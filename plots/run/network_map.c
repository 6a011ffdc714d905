#include "plots/run/pictures.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/map.h"
#include "support/error.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/output/table.h"

/* ---- Files ----------------------------------------------------------------------------------- */

int diag_picture_split(const char *file, struct diag_picture_file *parts, struct sup_error *error)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    size_t length = 0; /* without the ending */
    int picture = 0;
    for (; picture < PLOT_PICTURES; picture++) {
        const size_t whole = strlen(name), ending = strlen(plot_picture_endings[picture]);
        length = whole > ending ? whole - ending : 0;
        if (length > 0 && strcmp(name + length, plot_picture_endings[picture]) == 0)
            break;
    }
    if (picture == PLOT_PICTURES)
        return sup_fail(
            error, RB_EINVAL,
            "\"%s\": the name must end in .pdf, .png or .svg; or -tikz.tex, -cairo.tex, .csv",
            file);
    for (const char *c = name; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return sup_fail(error, RB_EINVAL,
                            "\"%s\": a figure's name can't have control characters", file);
    if (length >= sizeof parts->name || (size_t)(name - file) >= sizeof parts->directory)
        return sup_fail(error, RB_EINVAL, "\"%s\": the name is too long", file);
    snprintf(parts->name, sizeof parts->name, "%.*s", (int)length, name);
    snprintf(parts->directory, sizeof parts->directory, "%.*s",
             slash == NULL   ? 1
             : slash == file ? 1
                             : (int)(slash - file),
             slash == NULL ? "." : file);
    parts->picture = (enum plot_picture)picture;
    return RB_OK;
}

/* The data and the script beside the picture. */
static int note_files(const char *option, const struct diag_picture_file *parts,
                      struct sup_error *error)
{
    static const char *const endings[] = {"dat", "gp"};
    char path[sizeof parts->directory + sizeof parts->name + 8];
    int status = RB_OK;
    for (int i = 0; i < 2 && status == RB_OK; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", parts->directory, parts->name, endings[i]);
        status = out_files_derive(option, path, error);
    }
    return status;
}

int diag_picture_prepare(const char *option, const char *file, struct sup_error *error)
{
    struct diag_picture_file parts;
    struct sup_error why;
    bool mine;
    int status = diag_picture_split(file, &parts, &why);
    if (status == RB_OK) {
        status = note_files(option, &parts, error); /* whose messages name the option */
        if (status != RB_OK)
            return status;
        status = plot_gnuplot_find(1u << parts.picture, NULL, &why);
    }
    if (status == RB_OK)
        status = plot_figure_directory(parts.directory, &mine, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "%s: %s", option, why.text);
}

int diag_picture_begin(struct diag_picture *open, const char *file, const struct plot_look *look,
                       const struct plot_kind *kind, const struct plot_figure_text *labels,
                       struct sup_error *error)
{
    struct plot_figure_text text = *labels;
    const int status = diag_picture_split(file, &open->parts, error);
    if (status != RB_OK)
        return status;
    text.columns = "(each series names its own)";
    open->place = (struct plot_request){
        .directory = open->parts.directory, .pictures = 1u << open->parts.picture, .look = look};
    open->plotter = (struct plot_plotter){.request = &open->place, .error = error};
    return plot_figure_begin_named(&open->figure, &open->plotter, kind, open->parts.name, &text);
}

void diag_picture_time(FILE *script, double end_s)
{
    static const struct {
        const char *name;
        double per_s;
    } units[] = {{"ns", 1e9}, {"µs", 1e6}, {"ms", 1e3}, {"s", 1}};
    int unit = 0;
    while (unit < 3 && end_s * units[unit].per_s >= 5000)
        unit++;
    fprintf(script,
            "unit = %g # the data are in seconds\n"
            "time_label = 'time (%s)'\n" /* a constant of ours */
            "end_s = %.17g\n",
            units[unit].per_s, units[unit].name, end_s);
}

/* ---- The map --------------------------------------------------------------------------------- */

/* Of a page: the width, the letters, and the most windows of time. */
enum { PAGE_WIDTH = 680, PAGE_LETTER = 12, WINDOWS = 64, STEPS = 63 };

/* A stroke's fullest link; name NULL: none of its links carries anything. */
struct fullest {
    double load;
    const char *name;
    int32_t stroke;
    int32_t rank; /* of equal loads, the first shows */
};

int diag_network_map_check(const char *file, const char *platform, struct sup_error *error)
{
    static const char ending[] = ".svg";
    struct platform_map *map;
    const size_t length = strlen(file), size = sizeof ending - 1;
    if (length <= size || strcmp(file + length - size, ending) != 0)
        return sup_fail(error, RB_EINVAL, "\"%s\": the name must end in .svg", file);
    const int status = platform_map_create(platform, PAGE_WIDTH, PAGE_LETTER, &map, error);
    platform_map_destroy(map);
    return status;
}

static void add_load(const struct platform_map *map, int32_t rank, const char *name, double load,
                     struct fullest fullest[])
{
    const struct platform_map_link *link = platform_map_find(map, name);
    if (link != NULL && load > fullest[link->stroke].load)
        fullest[link->stroke] = (struct fullest){load, name, link->stroke, rank};
}

SUP_COMPARE(emptier_first, struct fullest, SUP_ORDER(a->load, b->load),
            SUP_ORDER(b->rank, a->rank));

static struct fullest *no_loads(const struct platform_map *map)
{
    struct fullest *fullest = sup_calloc((size_t)map->strokes + 1, sizeof *fullest);
    for (int32_t i = 0; i < map->strokes; i++)
        fullest[i].stroke = i;
    return fullest;
}

/* ---- SVG ------------------------------------------------------------------------------------- */

/* A text from outside. */
static void write_text(FILE *stream, const char *text)
{
    char shown[2048];
    for (const char *c = sup_visible(text, shown, sizeof shown); *c != '\0'; c++)
        if (strchr("<>&\"", *c) != NULL)
            fprintf(stream, "&#%d;", *c);
        else
            fputc(*c, stream);
}

/* Smaller if it would not fit. */
static void write_line(FILE *stream, double x, double y, double wide, double letter,
                       const char *more, const char *text)
{
    const double size = fmin(letter, (wide - x) / (0.54 * (double)strlen(text) + 1));
    fprintf(stream, "<text x=\"%.4g\" y=\"%.4g\" font-size=\"%.3g\"%s>", x, y, size, more);
    write_text(stream, text);
    fputs("</text>\n", stream);
}

/* #rrggbb of a share of the scale. */
static const char *colour_of(double share, bool grey, char colour[8])
{
    static const int stops[2][3][3] = {{{170, 208, 231}, {33, 113, 171}, {4, 31, 56}},
                                       {{190, 190, 190}, {95, 95, 95}, {0, 0, 0}}};
    const double at = fmin(fmax(share, 0), 1) * 2;
    const int i = at < 1 ? 0 : 1;
    int part[3];
    for (int k = 0; k < 3; k++)
        part[k] =
            (int)lround(stops[grey][i][k] + (at - i) * (stops[grey][i + 1][k] - stops[grey][i][k]));
    snprintf(colour, 8, "#%02x%02x%02x", (unsigned)part[0] & 255, (unsigned)part[1] & 255,
             (unsigned)part[2] & 255);
    return colour;
}

/* The end of the scale. */
static double round_up(double load)
{
    static const double ends[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.75};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (load <= ends[i])
            return ends[i];
    return 1;
}

struct picture {
    const struct diag_network_map *of;
    const struct platform_map *map;
    const struct fullest *fullest; /* of the strokes, the fullest last */
    FILE *stream;
    double wide, letter, most;
    bool grey;
};

static void write_stroke(const struct picture *picture, const struct fullest *fullest)
{
    const struct platform_stroke *stroke = &picture->map->stroke[fullest->stroke];
    const double width = stroke->is_cell ? stroke->width : stroke->width * picture->map->line;
    char colour[8];
    fprintf(picture->stream,
            "<path d=\"%s\" stroke=\"%s\" stroke-width=\"%.3g\" data-links=\"%" PRId32
            "\" data-load=\"%.9g\"",
            stroke->path,
            fullest->name == NULL ? "#dcdcdc"
                                  : colour_of(fullest->load / picture->most, picture->grey, colour),
            width, stroke->links, fullest->load);
    if (fullest->name != NULL) {
        fputs("><title>", picture->stream);
        write_text(picture->stream, fullest->name);
        fprintf(picture->stream, ": %.4g %%", 100 * fullest->load);
        if (stroke->links > 1)
            fprintf(picture->stream, ", the fullest of %" PRId32 " links", stroke->links);
        fputs("</title></path>\n", picture->stream);
    } else {
        fputs("/>\n", picture->stream);
    }
}

static void write_map(const struct picture *picture)
{
    const struct platform_map *map = picture->map;
    const struct fullest *last = &picture->fullest[map->strokes - 1];
    fputs("<g fill=\"none\">\n", picture->stream);
    for (int32_t i = 0; i < map->strokes; i++) {
        const struct platform_stroke *stroke = &map->stroke[picture->fullest[i].stroke];
        if (i == map->strokes - 1 && last->name != NULL) /* the fullest has a rim */
            fprintf(picture->stream, "<path d=\"%s\" stroke=\"%s\" stroke-width=\"%.3g\"/>\n",
                    stroke->path, picture->grey ? "#000000" : "#d55e00",
                    (stroke->is_cell ? stroke->width : stroke->width * map->line) +
                        0.35 * picture->letter);
        write_stroke(picture, &picture->fullest[i]);
    }
    fprintf(picture->stream, "<path d=\"%s\" stroke=\"#333333\" stroke-width=\"%.3g\"/>\n</g>\n",
            map->nodes, map->node);
    for (int32_t i = 0; i < map->labels; i++)
        write_line(picture->stream, map->label[i].x, map->label[i].y, 2 * picture->wide,
                   0.85 * picture->letter, " fill=\"#444444\"", map->label[i].text);
}

static int32_t most_links(const struct platform_map *map, bool of_cells)
{
    int32_t most = 0;
    for (int32_t i = 0; i < map->strokes; i++)
        if (map->stroke[i].is_cell == of_cells && map->stroke[i].links > most)
            most = map->stroke[i].links;
    return most;
}

/* The scale, and what is drawn, below the map. */
static void write_legend(const struct picture *picture, double y)
{
    enum { PARTS = 24 };
    const double letter = picture->letter, bar = 0.3 * picture->wide;
    const struct platform_map *map = picture->map;
    const struct fullest *last = &picture->fullest[map->strokes - 1];
    const int32_t lines = most_links(map, false), cells = most_links(map, true);
    static const char pale[] = " fill=\"#444444\"";
    char colour[8], text[512], cell[64] = "";
    for (int i = 0; i < PARTS; i++)
        fprintf(picture->stream,
                "<rect x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.3g\" fill=\"%s\"/>\n",
                bar * i / PARTS, y, 1.05 * bar / PARTS, letter,
                colour_of((i + 0.5) / PARTS, picture->grey, colour));
    snprintf(text, sizeof text, "0 to %g %% load: bytes / (bandwidth × time)", 100 * picture->most);
    write_line(picture->stream, bar + letter, y + 0.85 * letter, picture->wide, letter, "", text);
    if (last->name == NULL)
        snprintf(text, sizeof text, "No bytes crossed a link.");
    else
        snprintf(text, sizeof text, "Fullest: %s, %.4g %%.", last->name, 100 * last->load);
    write_line(picture->stream, 0, y + 2.3 * letter, picture->wide, letter, "", text);
    if (cells > 0)
        snprintf(cell, sizeof cell, " A coloured square: up to %" PRId32 ".", cells);
    snprintf(text, sizeof text, "A line: up to %" PRId32 " links.%s", lines, cell);
    write_line(picture->stream, 0, y + 3.6 * letter, picture->wide, letter, pale, text);
    snprintf(text, sizeof text, "A dark square: up to %" PRId32 " switches.", map->switches);
    if (map->switches == 1)
        snprintf(text, sizeof text, "A dark square: a switch.");
    write_line(picture->stream, 0, y + 4.9 * letter, picture->wide, letter, pale, text);
    write_line(picture->stream, 0, y + 6.2 * letter, picture->wide, letter, pale,
               "The fullest is shown. Pale grey: idle. Wide: more bandwidth.");
}

static void write_svg(const struct picture *picture)
{
    const struct diag_network_map *of = picture->of;
    const bool notes = of->look == NULL || !of->look->bare;
    const char *title = of->look == NULL ? NULL : of->look->title;
    const double letter = picture->letter;
    const double head = letter * ((title != NULL ? 1.6 : 0) + (notes ? 2.8 : 0) + 0.5);
    const double high = head + picture->map->height + 7.6 * letter, cm = 2.54 / 72;
    const double shown =
        of->look != NULL && of->look->height_cm > 0 ? of->look->height_cm : high * cm;
    FILE *stream = picture->stream;
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- " OUT_MADE_MARK " -->\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.4gcm\" height=\"%.4gcm\" "
            "viewBox=\"0 0 %.5g %.5g\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
            "sans-serif\" font-size=\"%g\">\n<desc>",
            picture->wide * cm, shown, picture->wide, high, letter);
    for (int i = 0; i < PLOT_FIGURE_ORIGINS && of->text.origin[i] != NULL; i++) {
        write_text(stream, of->text.origin[i]);
        fputc('\n', stream);
    }
    fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", stream);
    double y = letter;
    if (title != NULL)
        write_line(stream, 0, y, picture->wide, 1.2 * letter, " font-weight=\"bold\"", title);
    y += title != NULL ? 1.6 * letter : 0;
    for (int i = 0; notes && i < 2; i++, y += 1.25 * letter)
        write_line(stream, 0, y, picture->wide, letter, " fill=\"#444444\"", of->text.labels[i]);
    fprintf(stream, "<g transform=\"translate(0 %.4g)\">\n", head);
    write_map(picture);
    fputs("</g>\n", stream);
    write_legend(picture, head + picture->map->height + letter);
    fputs("</svg>\n", stream);
}

int diag_network_map_draw(const struct diag_network_map *of, FILE *stream, struct sup_error *error)
{
    const struct plot_look *look = of->look;
    const struct sim_result *result = of->result;
    const double wide = (look != NULL && look->width_cm > 0 ? look->width_cm : 17.8) / 2.54 * 72;
    const double letter = look != NULL && look->letter_pt > 0 ? look->letter_pt : 8;
    struct platform_map *map;
    const int status = platform_map_create(of->platform, wide, letter, &map, error);
    if (status != RB_OK)
        return status;
    struct fullest *fullest = no_loads(map);
    for (int32_t i = 0; i < result->link_count && result->time_s > 0; i++)
        add_load(map, i, result->links[i].name,
                 (double)result->links[i].bytes / result->links[i].bandwidth / result->time_s,
                 fullest);
    qsort(fullest, (size_t)map->strokes, sizeof *fullest, emptier_first);
    const struct picture picture = {.of = of,
                                    .map = map,
                                    .fullest = fullest,
                                    .stream = stream,
                                    .wide = wide,
                                    .letter = letter,
                                    .most = round_up(fullest[map->strokes - 1].load),
                                    .grey = look != NULL && look->grey};
    write_svg(&picture);
    free(fullest);
    platform_map_destroy(map);
    return RB_OK;
}

/* ---- For a page ------------------------------------------------------------------------------ */

/* Of a stroke in each window, the fullest link's load, as a digit from A (nothing) to _ (all). */
static void add_windows(const struct sim_contention *contention, const struct sim_carrier *link,
                        int32_t bins, int8_t load[])
{
    for (int32_t first = 0; first < contention->bins; first += bins) {
        const double from_s = first * contention->bin_s;
        const double to_s = fmin((first + bins) * contention->bin_s, contention->time_s);
        double bytes = 0;
        for (int32_t i = first; i < first + bins && i < contention->bins; i++)
            bytes += link->carried[i];
        const double share = bytes / (link->bandwidth * (to_s - from_s));
        const int8_t step = (int8_t)(bytes > 0 ? fmin(fmax(round(share * STEPS), 1), STEPS) : 0);
        if (step > load[first / bins])
            load[first / bins] = step;
    }
}

static json_t *strokes_json(const struct platform_map *map, const struct fullest fullest[],
                            const int8_t load[], int32_t windows)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    json_t *strokes = json_array();
    for (int32_t i = 0; i < map->strokes; i++) {
        const struct platform_stroke *stroke = &map->stroke[fullest[i].stroke];
        char text[WINDOWS + 1] = "";
        for (int32_t k = 0; k < windows && fullest[i].name != NULL; k++)
            text[k] = digits[load[fullest[i].stroke * WINDOWS + k]];
        json_array_append_new(
            strokes,
            json_pack("[s, f, i, f, f, o, s]", stroke->path,
                      stroke->is_cell ? stroke->width : stroke->width * map->line, stroke->links,
                      stroke->bandwidth, fullest[i].load,
                      fullest[i].name == NULL ? json_null() : out_json_text(fullest[i].name),
                      text));
    }
    return strokes;
}

json_t *diag_network_map_json(const char *platform, const struct sim_contention *contention)
{
    struct platform_map *map;
    struct sup_error why;
    if (platform_map_create(platform, PAGE_WIDTH, PAGE_LETTER, &map, &why) != RB_OK)
        return NULL;
    const int32_t bins = (contention->bins + WINDOWS - 1) / WINDOWS; /* in a window */
    const int32_t windows = bins == 0 ? 0 : (contention->bins + bins - 1) / bins;
    int8_t *load = sup_calloc((size_t)map->strokes + 1, WINDOWS);
    struct fullest *fullest = no_loads(map);
    json_t *labels = json_array();
    for (int32_t l = 0; l < contention->links; l++) {
        const struct sim_carrier *link = &contention->link[l];
        const struct platform_map_link *at = platform_map_find(map, link->name);
        double bytes = 0;
        for (int32_t i = 0; link->carried != NULL && i < contention->bins; i++)
            bytes += link->carried[i];
        add_load(map, l, link->name, bytes / link->bandwidth / contention->time_s, fullest);
        if (link->carried != NULL && at != NULL)
            add_windows(contention, link, bins, load + (size_t)at->stroke * WINDOWS);
    }
    qsort(fullest, (size_t)map->strokes, sizeof *fullest, emptier_first);
    for (int32_t i = 0; i < map->labels; i++)
        json_array_append_new(
            labels, json_pack("[f, f, s]", map->label[i].x, map->label[i].y, map->label[i].text));
    json_t *json = json_pack(
        "{s:f, s:f, s:f, s:f, s:i, s:f, s:s, s:f, s:o, s:o}", "width", map->width, "height",
        map->height, "time_s", contention->time_s, "window_s", bins * contention->bin_s, "windows",
        windows, "node", map->node, "nodes", map->nodes, "letter", (double)PAGE_LETTER, "labels",
        labels, "strokes", strokes_json(map, fullest, load, windows));
    free(fullest);
    free(load);
    platform_map_destroy(map);
    return json;
}
