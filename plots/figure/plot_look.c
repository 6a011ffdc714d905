#include "plots/figure/plot_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "sim/observe/diagnosis.h"
#include "support/memory.h"
#include "support/options/common_options.h"

/* An option has no meaning for figures that lack all of this; 0: it always has one. */
static const struct {
    unsigned of;
    struct cli_option option;
} rows[] = {
    {0,
     {CLI_ROW("size", TEXT, "WxH"),
      .help = "size of the pictures, 12x7cm, 85x60mm, 3.3x2in, or the width alone, 12cm; or column "
              "(8.5 cm wide), text (17.8 cm wide), slide (16x9cm with letters of 11 points)"}},
    {0, {CLI_ROW("title", TEXT, "TEXT"), .help = "a title over the picture"}},
    {0,
     {CLI_ROW("labels", TEXT, "NAME=TEXT,..."), .repeatable = true,
      .help = "other texts for series, and for the axes x and y; a comma begins a new label if "
              "NAME= follows"}},
    {0,
     {CLI_ROW("colours", TEXT, "COLOUR,..."),
      .help = "colours of the series, #0072b2 or names; or okabe-ito, tol, grey"}},
    {0, {CLI_ROW("colors", TEXT, "COLOUR,..."), .help = "same as --colours"}},
    {PLOT_LACKS_LOG_X | PLOT_LACKS_LOG_Y,
     {CLI_ROW("log", CHOICE, "AXES"), .choices = "x|y|xy|none",
      .help = "which axes are logarithmic, and the others linear"}},
    {PLOT_LACKS_X_RANGE,
     {CLI_ROW("x-range", TEXT, "LOW:HIGH"),
      .help = "range of the x axis, 64KiB:16MiB; either end may be missing"}},
    {PLOT_LACKS_Y_RANGE,
     {CLI_ROW("y-range", TEXT, "LOW:HIGH"), .help = "range of the y axis, 10us:1ms for times"}},
    {PLOT_LACKS_LEGEND,
     {CLI_ROW("legend", CHOICE, "WHERE"),
      .choices = "top|none|top-left|top-right|bottom-left|bottom-right",
      .help = "where the names of the series are: over the picture, in a corner, or nowhere; "
              "default: at the ends of curves where they fit"}},
    {PLOT_LACKS_SPREAD,
     {CLI_ROW("spread", CHOICE, "HOW"), .choices = "bars|band|none",
      .help = "how the spread of repeated times is drawn, where they have one"}},
    {0,
     {CLI_FLAG("no-notes"),
      .help = "leave out the grey lines that say what made the figure; the data keep them"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool is_without(unsigned lacks, int row)
{
    return rows[row].of != 0 && (rows[row].of & ~lacks) == 0;
}

bool plot_look_option_without(unsigned lacks, int32_t i, struct cli_option *option)
{
    for (int row = 0; row < ROWS; row++)
        if (!is_without(lacks, row) && i-- == 0) {
            *option = rows[row].option;
            return true;
        }
    return false;
}

bool plot_look_option(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(0, i, option);
}

static bool is_given(const struct cli_args *args, const char *name)
{
    return cli_args_option(args, name) != NULL && cli_args_given(args, name);
}

/* The value of an option, if the verb's table has it. */
static const char *text_of(const struct cli_args *args, const char *name)
{
    return is_given(args, name) ? cli_args_text(args, name) : NULL;
}

const char *plot_look_given(const struct cli_args *args)
{
    for (int row = 0; row < ROWS; row++)
        if (is_given(args, rows[row].option.name))
            return rows[row].option.name;
    return is_given(args, "pictures") ? "pictures" : NULL;
}

/* Refuses options that would do nothing. */
static int check_lacks(const struct cli_args *args, unsigned lacks, const char *what,
                       struct sup_error *error)
{
    const char *log = text_of(args, "log");
    for (int row = 0; row < ROWS; row++)
        if (is_without(lacks, row) && is_given(args, rows[row].option.name))
            return sup_fail(error, RB_EINVAL, "--%s: has no meaning for %s", rows[row].option.name,
                            what);
    for (int axis = 0; log != NULL && axis < 2; axis++)
        if (strchr(log, "xy"[axis]) != NULL && strcmp(log, "xy") != 0 &&
            (lacks & (axis == 0 ? PLOT_LACKS_LOG_X : PLOT_LACKS_LOG_Y)) != 0)
            return sup_fail(error, RB_EINVAL, "--log %s: the %c axis of %s cannot be logarithmic",
                            log, "xy"[axis], what);
    return RB_OK;
}

/* ---- Size ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    double width_cm, height_cm, letter_pt;
} sizes[] = {{"column", 8.5, 0, 0}, {"text", 17.8, 0, 0}, {"slide", 16, 9, 11}};

/* The unit at the end of a length, in cm; 0: it is none. "" is `fallback`. */
static double unit_of(const char *text, double fallback)
{
    static const struct {
        const char *name;
        double cm;
    } units[] = {{"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72.27}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0)
            return units[i].cm;
    return *text == '\0' ? fallback : 0;
}

static int read_size(const char *text, struct plot_look *look, struct sup_error *error)
{
    enum { LEAST_CM = 3, MOST_CM = 120 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(text, sizes[i].name) == 0) {
            look->width_cm = sizes[i].width_cm;
            look->height_cm = sizes[i].height_cm;
            look->letter_pt = sizes[i].letter_pt;
            return RB_OK;
        }
    char copy[64], *end;
    snprintf(copy, sizeof copy, "%s", text);
    char *cross = strchr(copy, 'x');
    double height = 0, height_cm = 1;
    if (cross != NULL) {
        *cross = '\0';
        height = strtod(cross + 1, &end);
        height_cm = end == cross + 1 ? 0 : unit_of(end, 1);
    }
    const double width = strtod(copy, &end);
    const double width_cm = end == copy ? 0 : unit_of(end, height_cm);
    look->width_cm = width * width_cm;
    look->height_cm = height * height_cm;
    if (strlen(text) >= sizeof copy || width_cm == 0 || height_cm == 0 ||
        !(look->width_cm >= LEAST_CM && look->width_cm <= MOST_CM) ||
        (cross != NULL && !(look->height_cm >= LEAST_CM && look->height_cm <= MOST_CM)))
        return sup_fail(error, RB_EINVAL,
                        "--size: \"%s\" is no size: 12x7cm, 85x60mm, 3.3x2in, 12cm (%d to %d cm), "
                        "column, text or slide",
                        text, LEAST_CM, MOST_CM);
    return RB_OK;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void add_label(struct plot_look *look, const char *text, size_t length)
{
    sup_grow(&look->labels, look->label_count, sizeof *look->labels);
    sup_grow(&look->label_used, look->label_count, sizeof *look->label_used);
    look->label_used[look->label_count] = false;
    look->labels[look->label_count++] = sup_strndup(text, length);
}

/* True if a label begins here: there is a = before the next comma, and a name before it. */
static bool begins_label(const char *text)
{
    const size_t length = strcspn(text, "=,");
    return length > 0 && text[length] == '=';
}

static int read_labels(const char *text, struct plot_look *look, struct sup_error *error)
{
    if (*text == '=' || strchr(text, '=') == NULL)
        return sup_fail(error, RB_EINVAL,
                        "--labels: \"%s\": a label is NAME=TEXT, such as circulant=ours or y=time",
                        text);
    for (const char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        end = text + strcspn(text, ",");
        /* A name may have commas itself: "crossbar:32,latency=1us=near". */
        while (*end == ',' &&
               (!begins_label(end + 1) || memchr(text, '=', (size_t)(end - text)) == NULL))
            end += 1 + strcspn(end + 1, ",");
        add_label(look, text, (size_t)(end - text));
    }
    return RB_OK;
}

/* The text of a name of some length, or NULL. */
static const char *find_label(const struct plot_look *look, const char *name, size_t length)
{
    for (size_t i = look->label_count; i-- > 0;) /* the last one counts */
        if (strncmp(look->labels[i], name, length) == 0 && look->labels[i][length] == '=') {
            look->label_used[i] = true;
            return look->labels[i] + length + 1;
        }
    return NULL;
}

const char *plot_look_label(const struct plot_look *look, const char *name, char *buffer,
                            size_t size)
{
    if (look == NULL || look->label_count == 0)
        return NULL;
    const char *whole = find_label(look, name, strlen(name));
    if (whole != NULL || strstr(name, ", ") == NULL)
        return whole;
    bool renamed = false;
    buffer[0] = '\0';
    for (const char *part = name; part != NULL;) {
        const char *end = strstr(part, ", ");
        const size_t length = end == NULL ? strlen(part) : (size_t)(end - part);
        const char *label = find_label(look, part, length);
        renamed = renamed || label != NULL;
        sup_append(buffer, size, part == name ? "" : ", ", "%.*s",
                   label == NULL ? (int)length : (int)strlen(label), label == NULL ? part : label);
        part = end == NULL ? NULL : end + 2;
    }
    return renamed ? buffer : NULL;
}

/* How many letters of a title the picture's width has room for. */
enum { WIDEST = 120 };

static size_t title_room(const struct plot_look *look)
{
    const double width_cm = look->width_cm > 0 ? look->width_cm : sizes[0].width_cm;
    const double room = width_cm / 0.185 * 8 / (look->letter_pt > 0 ? look->letter_pt : 8);
    return room < WIDEST ? (size_t)room : WIDEST;
}

static void warn_of_title(const struct plot_look *look)
{
    char all[4 * 2 * WIDEST + 4];
    const size_t room = title_room(look);
    if (look->title != NULL &&
        plot_gnuplot_cut(look->title, (size_t)2 * WIDEST, all, sizeof all) > room)
        cli_complain(RB_OK, "--title: is cut off after %zu letters: choose a larger --size", room);
}

void plot_look_warn(const struct plot_look *look)
{
    if (look != NULL)
        warn_of_title(look);
    for (size_t i = 0; look != NULL && i < look->label_count; i++)
        if (!look->label_used[i]) {
            cli_complain(RB_OK, "--labels: nothing is called \"%s\" in these figures",
                         look->labels[i]);
            return;
        }
}

/* ---- Colours --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *colours;
    bool grey;
} palettes[] = {
    {"okabe-ito", "", false},
    /* Paul Tol's bright qualitative scheme, without its grey, and black. */
    {"tol", "#4477aa #ee6677 #228833 #ccbb44 #66ccee #aa3377 #000000", false},
    {"grey", "#000000 #777777 #444444 #a0a0a0 #222222 #8c8c8c #5c5c5c #b0b0b0 #333333 #666666",
     true},
    {"gray", "#000000 #777777 #444444 #a0a0a0 #222222 #8c8c8c #5c5c5c #b0b0b0 #333333 #666666",
     true},
};

static const struct {
    const char *name;
    unsigned rgb;
} colour_names[] = {{"black", 0x000000},  {"blue", 0x0000ff},   {"brown", 0xa52a2a},
                    {"cyan", 0x00ffff},   {"green", 0x008000},  {"magenta", 0xff00ff},
                    {"navy", 0x000080},   {"orange", 0xffa500}, {"pink", 0xffc0cb},
                    {"purple", 0x800080}, {"red", 0xff0000},    {"teal", 0x008080},
                    {"yellow", 0xffff00}};

static bool read_colour(const char *text, size_t length, unsigned *rgb)
{
    for (size_t i = 0; i < sizeof colour_names / sizeof *colour_names; i++)
        if (strlen(colour_names[i].name) == length &&
            strncmp(colour_names[i].name, text, length) == 0) {
            *rgb = colour_names[i].rgb;
            return true;
        }
    char digits[8] = "";
    if (length > 0 && *text == '#') {
        text++;
        length--;
    }
    if (length != 6)
        return false;
    memcpy(digits, text, 6);
    if (strspn(digits, "0123456789abcdefABCDEF") != 6)
        return false;
    *rgb = (unsigned)strtoul(digits, NULL, 16);
    return true;
}

/* From light to L*a*b*, D65. */
static void lab_of(const double linear[3], double lab[3])
{
    static const double xyz[3][3] = {{0.4124, 0.3576, 0.1805},
                                     {0.2126, 0.7152, 0.0722},
                                     {0.0193, 0.1192, 0.9505}},
                        white[3] = {0.9505, 1, 1.089};
    double f[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += xyz[i][k] * fmin(fmax(linear[k], 0), 1);
        sum /= white[i];
        f[i] = sum > 0.008856 ? cbrt(sum) : 7.787 * sum + 16 / 116.0;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* What an eye sees: 0 normal, 1 .. 3 without red, green, blue receptors (Machado et al. 2009, of
 * full severity). */
static void seen_by(int eye, unsigned rgb, double lab[3])
{
    static const double matrices[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                            {{0.152286, 1.052583, -0.204868},
                                             {0.114503, 0.786281, 0.099216},
                                             {-0.003882, -0.048116, 1.051998}},
                                            {{0.367322, 0.860646, -0.227968},
                                             {0.280085, 0.672501, 0.047413},
                                             {-0.011820, 0.042940, 0.968881}},
                                            {{1.255528, -0.076749, -0.178779},
                                             {-0.078411, 0.930809, 0.147602},
                                             {0.004733, 0.691367, 0.303900}}};
    double linear[3], seen[3];
    for (int i = 0; i < 3; i++) {
        const double value = (rgb >> (16 - 8 * i) & 255u) / 255.0;
        linear[i] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        seen[i] = 0;
        for (int k = 0; k < 3; k++)
            seen[i] += matrices[eye][i][k] * linear[k];
    }
    lab_of(seen, lab);
}

double plot_nearest_colours(const unsigned colours[], size_t count, size_t *first, size_t *second)
{
    double nearest = INFINITY;
    for (int eye = 0; eye < 4; eye++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++) {
                double a[3], b[3];
                seen_by(eye, colours[i], a);
                seen_by(eye, colours[k], b);
                const double distance = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
                if (distance < nearest) {
                    nearest = distance;
                    *first = i;
                    *second = k;
                }
            }
    return nearest;
}

static int read_colours(const char *text, unsigned lacks, const char *what, struct plot_look *look,
                        struct sup_error *error)
{
    enum { MOST = 16 };
    unsigned colours[MOST];
    size_t count = 0, first = 0, second = 0;
    for (size_t i = 0; i < sizeof palettes / sizeof *palettes; i++)
        if (strcmp(text, palettes[i].name) == 0 &&
            ((lacks & PLOT_LACKS_SERIES) == 0 || palettes[i].grey)) {
            snprintf(look->colours, sizeof look->colours, "%s", palettes[i].colours);
            look->grey = palettes[i].grey;
            return RB_OK;
        }
    if ((lacks & PLOT_LACKS_SERIES) != 0)
        return sup_fail(error, RB_EINVAL, "--colours: \"%.60s\": only grey has a meaning for %s",
                        text, what);
    for (const char *word = text; word != NULL;) {
        const size_t length = strcspn(word, ",");
        if (count == MOST || !read_colour(word, length, &colours[count]))
            return sup_fail(error, RB_EINVAL,
                            "--colours: \"%.*s\": a list of up to %d colours, #0072b2 or names "
                            "(black, blue, brown, cyan, green, magenta, navy, orange, pink, "
                            "purple, red, teal, yellow), or one of okabe-ito, tol, grey",
                            (int)length, word, MOST);
        sup_append(look->colours, sizeof look->colours, " ", "#%06x", colours[count]);
        count++;
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    if (plot_nearest_colours(colours, count, &first, &second) < PLOT_COLOURS_APART)
        cli_complain(
            RB_OK,
            "--colours: #%06x and #%06x look alike to some people; their dashes and points differ",
            colours[first], colours[second]);
    return RB_OK;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* One end: a number, a size in bytes, or a time. */
static bool read_end(const char *text, double *end, bool *seconds)
{
    struct sup_error ignored;
    int64_t bytes;
    *seconds = false;
    if (*text == '\0' || strcmp(text, "*") == 0) {
        *end = NAN;
        return true;
    }
    if (sup_parse_real(text, end, &ignored) == RB_OK)
        return fabs(*end) < 1e18 && (*end == 0 || fabs(*end) > 1e-12);
    if (sup_parse_bytes(text, &bytes, &ignored) == RB_OK) {
        *end = (double)bytes;
        return true;
    }
    *seconds = sup_parse_seconds(text, end, &ignored) == RB_OK;
    return *seconds;
}

static int read_limits(const char *option, const char *text, bool linear,
                       struct plot_limits *limits, struct sup_error *error)
{
    char copy[64];
    bool seconds[2] = {false, false};
    *limits = (struct plot_limits){NAN, NAN, false};
    if (text == NULL)
        return RB_OK;
    snprintf(copy, sizeof copy, "%s", text);
    char *colon = strchr(copy, ':');
    bool good = colon != NULL && strlen(text) < sizeof copy;
    if (good) {
        *colon = '\0';
        good = read_end(copy, &limits->low, &seconds[0]) &&
               read_end(colon + 1, &limits->high, &seconds[1]);
    }
    limits->seconds = seconds[0] || seconds[1];
    good = good && !(limits->low >= limits->high) && !(isnan(limits->low) && isnan(limits->high)) &&
           (!limits->seconds ||
            ((seconds[0] || isnan(limits->low)) && (seconds[1] || isnan(limits->high))));
    if (good && !linear && (limits->low <= 0 || limits->high <= 0))
        return sup_fail(error, RB_EINVAL,
                        "--%s: \"%s\": a logarithmic axis has numbers above 0 only; --log none "
                        "makes both axes linear",
                        option, text);
    return good ? RB_OK
                : sup_fail(error, RB_EINVAL,
                           "--%s: \"%s\" is no LOW:HIGH with LOW < HIGH: numbers, sizes "
                           "(64KiB:16MiB) or times (10us:1ms); either end may be missing",
                           option, text);
}

/* ---- All ------------------------------------------------------------------------------------- */

int plot_look_of(const struct cli_args *args, unsigned lacks, const char *what,
                 struct plot_look *look, struct sup_error *error)
{
    const char *const *labels;
    const int32_t label_count = cli_args_texts(args, "labels", &labels);
    const char *size = text_of(args, "size"), *log = text_of(args, "log");
    const char *colours = text_of(args, "colours"), *colors = text_of(args, "colors");
    *look = (struct plot_look){.title = text_of(args, "title"),
                               .linear_x = log != NULL && strchr(log, 'x') == NULL,
                               .linear_y = log != NULL && strchr(log, 'y') == NULL,
                               .legend = text_of(args, "legend"),
                               .spread = text_of(args, "spread"),
                               .bare = cli_args_flag(args, "no-notes")};
    int status = check_lacks(args, lacks, what, error);
    if (status == RB_OK && size != NULL)
        status = read_size(size, look, error);
    for (int32_t i = 0; i < label_count && status == RB_OK; i++)
        status = read_labels(labels[i], look, error);
    if (status == RB_OK && colours != NULL && colors != NULL)
        status = sup_fail(error, RB_EINVAL, "--colors: not together with --colours");
    colours = colours == NULL ? colors : colours;
    if (status == RB_OK && colours != NULL)
        status = read_colours(colours, lacks, what, look, error);
    if (status == RB_OK)
        status = read_limits("x-range", text_of(args, "x-range"), look->linear_x, &look->x, error);
    if (status == RB_OK)
        status = read_limits("y-range", text_of(args, "y-range"), look->linear_y, &look->y, error);
    return status;
}

int plot_place_of(const struct cli_args *args, unsigned lacks, const char *what,
                  struct plot_request *place, struct plot_look *look, bool *draws,
                  struct sup_error *error)
{
    const char *figures = cli_args_text(args, "figures"), *given = plot_look_given(args);
    struct sup_error why;
    *draws = figures == NULL || strcmp(figures, "-") != 0;
    if (!*draws && given != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: has no meaning with --figures -", given);
    int status = plot_look_of(args, lacks, what, look, error);
    if (status == RB_OK)
        status = cli_args_set(args, "pictures", &place->pictures, error);
    if (status != RB_OK || !*draws)
        return status;
    place->look = look;
    if (figures != NULL)
        place->directory = figures;
    status = plot_gnuplot_find(place->pictures, NULL, &why);
    return status == RB_OK
               ? RB_OK
               : sup_fail(error, status, "%s; or draw nothing with --figures -", why.text);
}

void plot_look_free(struct plot_look *look)
{
    for (size_t i = 0; i < look->label_count; i++)
        free(look->labels[i]);
    free(look->labels);
    free(look->label_used);
    *look = (struct plot_look){0};
}

void plot_look_write(const struct plot_look *look, FILE *script)
{
    static const char *const axes[] = {"x", "y"};
    char shown[4 * WIDEST + 4], unused[8];
    if (look == NULL)
        return;
    if (look->width_cm > 0)
        fprintf(script, "width = %.6g # cm\n", look->width_cm);
    if (look->height_cm > 0)
        fprintf(script, "asked_height = %.6g # cm\n", look->height_cm);
    if (look->letter_pt > 0)
        fprintf(script, "letter = %.6g # points\n", look->letter_pt);
    if (look->title != NULL) {
        plot_gnuplot_cut(look->title, title_room(look), shown, sizeof shown);
        plot_gnuplot_text(script, "title_text", shown);
    }
    for (int i = 0; i < 2; i++) {
        const char *label = plot_look_label(look, axes[i], unused, sizeof unused);
        if (label == NULL)
            continue;
        plot_gnuplot_cut(label, WIDEST, shown, sizeof shown);
        plot_gnuplot_text(script, i == 0 ? "asked_x" : "asked_y", shown);
    }
    if (look->colours[0] != '\0')
        fprintf(script, "series_colours = \"%s\"\n", look->colours);
    if (look->grey)
        fputs("grey = 1\n", script);
    if (look->legend != NULL)
        fprintf(script, "legend = \"%s\"\n", look->legend);
    if (look->spread != NULL)
        fprintf(script, "spread = \"%s\"\n", look->spread);
    if (look->bare)
        fputs("notes = 0\n", script);
}

/* ---- The colours of messages in pictures and traces ------------------------------------------ */

/* By the first block that a message carries or, if every rank owns data, by the owner. */

void plot_colours_init(struct plot_colours *colours, const struct sim_spec *spec)
{
    const size_t most = (size_t)rb_plan_max_ops(spec->plan) + 1;
    *colours = (struct plot_colours){spec, sup_calloc(most, sizeof *colours->ops)};
}

void plot_colours_free(struct plot_colours *colours)
{
    free(colours->ops);
    *colours = (struct plot_colours){0};
}

const char *plot_colours_name(const struct sim_spec *spec)
{
    return rb_plan_owners(spec->plan) > 1 ? "owner" : "block";
}

int64_t plot_colours_count(const struct sim_spec *spec)
{
    const int32_t owners = rb_plan_owners(spec->plan);
    return owners > 1 ? owners : rb_plan_blocks(spec->plan);
}

int64_t plot_colour_of(const struct plot_colours *colours, const struct sim_message *message)
{
    if (obs_message_ops(colours->spec, message, false, colours->ops) == 0)
        return 0; /* never, of a message that an engine has shown */
    const struct rb_range *at = &colours->ops[0].at;
    return rb_plan_owners(colours->spec->plan) > 1 ? at->owner : at->first;
}
