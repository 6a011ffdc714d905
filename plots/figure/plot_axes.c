/* plot_axes.c - ranges, ticks and units of the axes, as strings of gnuplot commands. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plots/figure/plot.h"

enum { MOST_TICKS = 7 };

void plot_span_add(struct plot_span *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* The usual look of an axis, or the one asked for. */
static const struct plot_look no_look = {.x = {NAN, NAN, false}, .y = {NAN, NAN, false}};

static const struct plot_look *look_of(const struct plot_figure *figure)
{
    const struct plot_look *look = figure->plotter->request->look;
    return look == NULL ? &no_look : look;
}

static bool is_linear(const struct plot_figure *figure, const char *name)
{
    const struct plot_look *look = look_of(figure);
    return strcmp(name, "x_axis") == 0 ? look->linear_x
                                       : strcmp(name, "y_axis") == 0 && look->linear_y;
}

/* The range of an axis, of which --x-range or --y-range may set an end. per_s: the axis shows
 * times, this many units to a second; 0: something else. A linear axis begins at 0 unless that
 * would waste much of it. */
static struct plot_span limit(const struct plot_figure *figure, const char *name,
                              struct plot_span range, struct plot_span wide, double per_s)
{
    const struct plot_look *look = look_of(figure);
    const bool linear = is_linear(figure, name), x = strcmp(name, "x_axis") == 0;
    struct plot_span limited = wide;
    if (linear) {
        const double margin = 0.04 * (range.high - range.low);
        limited.low =
            range.low > 0.5 * range.high && range.high > range.low ? range.low - margin : 0;
        limited.high = range.high > range.low ? range.high + margin : 1.05 * range.high;
    }
    if (!x && strcmp(name, "y_axis") != 0)
        return limited;
    const struct plot_limits *limits = x ? &look->x : &look->y;
    const double unit = limits->seconds ? per_s : 1;
    const double low = limits->low * unit, high = limits->high * unit;
    if (!(unit > 0))
        return limited;
    if (low < limited.high && (linear || low > 0))
        limited.low = low;
    if (high > limited.low && (linear || high > 0))
        limited.high = high;
    if (isfinite(limits->low) && isfinite(limits->high) && (linear || low > 0))
        limited = (struct plot_span){low, high};
    return limited;
}

double plot_figure_room(const struct plot_figure *figure)
{
    enum { WIDE = 18 }; /* letters of a title in two columns of a key of the usual width */
    const struct plot_look *look = look_of(figure);
    const double letter = look->letter_pt > 0 ? look->letter_pt : 8;
    const double width_cm = look->width_cm > 0 ? look->width_cm : 8.5;
    const bool two = (double)figure->longest <= WIDE * width_cm / 8.5 * 8 / letter;
    const bool key = !figure->ends && (look->legend == NULL || strcmp(look->legend, "top") == 0);
    const double lines = 3.8 + (look->title == NULL ? 0 : 1.3) + (look->bare ? 0 : 2) +
                         (key ? (double)((figure->titles + 1) / 2) * (two ? 1 : 2) : 0);
    return look->height_cm > 0 ? look->height_cm / (0.045 * letter) - lines : INFINITY;
}

void plot_figure_end(struct plot_figure *figure, double x, double y)
{
    fprintf(figure->script, "end_x[%zu] = %.9g\nend_y[%zu] = %.9g\n", figure->titles, x,
            figure->titles, y);
}

int plot_name_ends(struct plot_figure *figure, size_t lines)
{
    const double most_wide = 0.46, most_lines = 11;
    const struct plot_look *look = look_of(figure);
    const double letter = look->letter_pt > 0 ? look->letter_pt : 8;
    const double width_cm = look->width_cm > 0 ? look->width_cm : 8.5;
    const double wide = (0.14 * (double)figure->longest + 0.65) * letter / 8 / width_cm;
    figure->ends = look->legend == NULL;
    figure->ends = figure->ends && wide <= most_wide && (double)lines <= most_lines &&
                   plot_figure_room(figure) * figure->panel >= (double)lines;
    fprintf(figure->script, "ends = %d # names at the ends of curves\nnamed = %zu\n", figure->ends,
            lines);
    return figure->ends && width_cm < 12 ? 3 : PLOT_BYTES_TICKS;
}

/* How many ticks a y axis may have: all that are usual, or as many as the wanted height has room
 * for, below the title, the notes and the key. */
static int most_ticks_of(const struct plot_figure *figure, const char *axis)
{
    const struct plot_look *look = look_of(figure);
    if (strcmp(axis, "y") != 0 || !(look->height_cm > 0))
        return MOST_TICKS;
    const double room = plot_figure_room(figure) * figure->panel / 1.2;
    return room < 2 ? 2 : room < MOST_TICKS ? (int)room : MOST_TICKS;
}

/* Notes how wide the text of a tick of a y axis is, so that the margin has room for it. */
static void note_tick(struct plot_figure *figure, const char *axis, const char *text)
{
    if (strcmp(axis, "y") == 0 && strlen(text) > figure->widest)
        figure->widest = strlen(text);
}

/* NAME = 'set ...; set ...': begins the string, with label and range. */
static void begin_axis(const struct plot_figure *figure, const char *name, const char *axis,
                       const char *label, struct plot_span range)
{
    const bool ours = strcmp(name, "x_axis") == 0 || strcmp(name, "y_axis") == 0;
    const int stem = (int)strcspn(name, "_");
    if (strcmp(axis, "y") == 0) /* for names at curves' ends */
        fprintf(figure->script, "%.*s_low = %.9g\n%.*s_high = %.9g\n%.*s_log = %d\n", stem, name,
                range.low, stem, name, range.high, stem, name, !is_linear(figure, name));
    fprintf(figure->script,
            "%s = 'set %slabel show(%s%s\"%s\"%s); %s %s; set %srange [%.9g:%.9g]; set %stics "
            "nomirror ",
            name, axis, ours ? axis : "", ours ? "_text(" : "", label, ours ? ")" : "",
            is_linear(figure, name) ? "unset logscale" : "set logscale", axis, axis, range.low,
            range.high, axis);
}

/* No number that somebody measures or simulates is beyond these ends, and none has so many decades
 * that ticks cannot be counted. */
#define LEAST_SHOWN 1e-24
#define MOST_SHOWN  1e24

static struct plot_span widen(struct plot_span range, double share, double least)
{
    range.low = fmin(fmax(range.low, LEAST_SHOWN), MOST_SHOWN);
    range.high = fmin(fmax(range.high, range.low), MOST_SHOWN);
    double margin = fmax(pow(range.high / range.low, share), least);
    return (struct plot_span){range.low / margin, range.high * margin};
}

/* For ranges too narrow for the ticks of a logarithmic axis: multiples of a round number. */
static void write_multiples(FILE *script, struct plot_span range)
{
    static const double factors[] = {1, 2, 5, 10};
    const double least = 1e-9 * fabs(range.high); /* of a range without extent */
    const double extent = fmax(range.high - range.low, least > 0 ? least : 1);
    double decade = pow(10, floor(log10(extent / 3)));
    double step = decade;
    for (int i = 0; i < 4 && (range.high - range.low) / step > 5; i++)
        step = factors[i] * decade;
    const double first = ceil(range.low / step), last = floor(range.high / step);
    fputc('(', script);
    for (int i = 0; first + i <= last && i < MOST_TICKS; i++)
        fprintf(script, "%s%.10g", i == 0 ? "" : ", ", (first + i) * step);
    fputc(')', script);
}

/* ---- Powers of two -------------------------------------------------------------------------- */

static void write_power(FILE *script, int power, bool bytes)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi"};
    if (power < 0) /* a share of one */
        fprintf(script, power > -31 ? "seen(\"1/%.0f%s\") 2.0**(%d)" : "seen(\"%g%s\") 2.0**(%d)",
                power > -31 ? exp2(-power) : exp2(power), bytes ? " B" : "", power);
    else if (bytes)
        fprintf(script, "seen(\"%d %sB\") 2.0**%d", 1 << power % 10, prefixes[power / 10], power);
    else if (power < 14)
        fprintf(script, "seen(\"%d\") 2.0**%d", 1 << power, power);
    else
        fprintf(script, "seen(\"%d%s\") 2.0**%d", 1 << power % 10, prefixes[power / 10], power);
}

/* Ticks at powers of two: each, each second, ... so that there are few enough. */
static void write_powers(FILE *script, struct plot_span range, bool bytes, int most)
{
    int first = (int)ceil(log2(range.low) - 1e-9), last = (int)floor(log2(range.high) + 1e-9);
    int step = 1;
    if (last <= first) {
        write_multiples(script, range);
        return;
    }
    while ((last - first) / step + 1 > most)
        step++;
    fputc('(', script);
    for (int power = first; power <= last; power += step) {
        fputs(power == first ? "" : ", ", script);
        write_power(script, power, bytes);
    }
    fputc(')', script);
}

/* Ticks at multiples of a power of two, "0", "4 MiB", "8 MiB", for a linear axis of bytes. */
static void write_byte_multiples(FILE *script, struct plot_span range, int most)
{
    char size[32];
    double step = 1;
    while (floor(range.high / step) - ceil(range.low / step) + 1 > most && step < 0x1p60)
        step *= 2;
    fputc('(', script);
    for (int64_t i = (int64_t)ceil(range.low / step); (double)i * step <= range.high; i++)
        fprintf(script, "%sseen(\"%s\") %.17g", (double)(i - 1) * step >= range.low ? ", " : "",
                sup_format_shown(i * (int64_t)step, size, sizeof size), (double)i * step);
    fputc(')', script);
}

/* name: of the string, "x_axis". */
static void write_power_axis(struct plot_figure *figure, const char *name, const char *axis,
                             const char *label, struct plot_span range, bool bytes, int most)
{
    FILE *script = figure->script;
    const struct plot_span wide = limit(figure, name, range, widen(range, 0.03, 1.08), 0);
    most = most < most_ticks_of(figure, axis) ? most : most_ticks_of(figure, axis);
    begin_axis(figure, name, axis, label, wide);
    if (!is_linear(figure, name))
        write_powers(script, wide, bytes, most);
    else if (bytes && wide.low >= 0 && wide.high < 0x1p60)
        write_byte_multiples(script, wide, most);
    else
        fputs("autofreq", script);
    fputs("'\n", script);
}

static void write_usual_axis(struct plot_figure *figure, const char *axis, const char *label,
                             struct plot_span range, bool bytes, int most)
{
    char name[8];
    snprintf(name, sizeof name, "%s_axis", axis);
    write_power_axis(figure, name, axis, label, range, bytes, most);
}

void plot_axis_radices(struct plot_figure *figure, const char *name, const char *label,
                       struct plot_span range)
{
    write_power_axis(figure, name, "y", label, range, false, MOST_TICKS);
}

void plot_axis_counts(struct plot_figure *figure, const char *axis, const char *label,
                      struct plot_span range)
{
    write_usual_axis(figure, axis, label, range, false, MOST_TICKS);
}

void plot_axis_bytes(struct plot_figure *figure, const char *axis, const char *label,
                     struct plot_span range, int most_ticks)
{
    write_usual_axis(figure, axis, label, range, true, most_ticks);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

const char *const plot_sizes_names[PLOT_SIZES] = {"all", "rank", "pair"};

static const struct {
    const char *symbol, *label;
    int power; /* of p, that m is divided by */
} sizes[PLOT_SIZES] = {{"m", "message size m", 0},
                       {"m/p", "bytes per rank, m/p", 1},
                       {"m/p²", "bytes per pair of ranks, m/p²", 2}};

static double share_of(const struct plot_plotter *plotter, int32_t p)
{
    return pow(p, -sizes[plotter->request->sizes].power);
}

void plot_axis_sizes(struct plot_figure *figure, const struct plot_plotter *plotter, size_t setting,
                     int32_t p, struct plot_span range_m, int most_ticks)
{
    const enum plot_sizes which = plotter->request->sizes;
    const bool distributed = decide_setting_constant(&plotter->data->settings[setting]) == 'G';
    const double share = share_of(plotter, p);
    const struct plot_span range = {range_m.low * share, range_m.high * share};
    fprintf(figure->script, "share = %.17g # the data have m\n", share);
    plot_axis_bytes(figure, "x",
                    which == PLOT_SIZES_ALL && distributed ? "all data m" : sizes[which].label,
                    range, most_ticks);
}

const char *plot_format_size(const struct plot_plotter *plotter, int32_t p, double m_bytes,
                             char *buffer, size_t size)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi"};
    const char *symbol = sizes[plotter->request->sizes].symbol;
    double value = m_bytes * share_of(plotter, p);
    char whole[32];
    int prefix = 0;
    if (value == floor(value) && value < 1e18) {
        snprintf(buffer, size, "%s = %s", symbol,
                 sup_format_shown((int64_t)value, whole, sizeof whole));
        return buffer;
    }
    for (; prefix < 6 && value >= 1024; prefix++)
        value /= 1024;
    snprintf(buffer, size, value < 100 ? "%s = %.3g %sB" : "%s = %.0f %sB", symbol, value,
             prefixes[prefix]);
    return buffer;
}

/* ---- Decades -------------------------------------------------------------------------------- */

/* Finer and finer steps within a decade; the first with three ticks in the range is taken. */
static const double steps[][12] = {
    {1, 10},
    {1, 2, 5, 10},
    {1, 1.5, 2, 3, 4, 5, 7, 10},
    {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 6, 8, 10},
};
enum { STEP_SETS = sizeof steps / sizeof steps[0] };

/* Writes each stride-th tick, 1 among them if it is one of all, unless script is NULL, and returns
 * their number; *widest is set to the longest text. */
static int decade_ticks(FILE *script, const double set[], struct plot_span range, int stride,
                        size_t *widest)
{
    int count = 0, written = 0, one = 0;
    for (int decade = (int)floor(log10(range.low)); decade < 0; decade++)
        for (int i = 0; set[i] < 10; i++)
            one += set[i] * pow(10, decade) >= range.low * (1 - 1e-9);
    for (int decade = (int)floor(log10(range.low)); decade <= (int)floor(log10(range.high));
         decade++)
        for (int i = 0; set[i] < 10; i++) {
            char text[32];
            double value = set[i] * pow(10, decade);
            if (value < range.low * (1 - 1e-9) || value > range.high * (1 + 1e-9))
                continue;
            if ((count++ - one) % stride != 0)
                continue;
            snprintf(text, sizeof text, "%.10g", value);
            if (strlen(text) > *widest)
                *widest = strlen(text);
            if (script != NULL)
                fprintf(script, "%sseen(\"%s\") %s", written == 0 ? "" : ", ", text, text);
            written++;
        }
    return written;
}

/* axis: "y" or "cb". */
static void write_decades(struct plot_figure *figure, const char *name, const char *axis,
                          struct plot_span range)
{
    FILE *script = figure->script;
    const int most = most_ticks_of(figure, axis);
    size_t widest = 0;
    int set = 0;
    if (is_linear(figure, name)) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", range.high);
        note_tick(figure, axis, text);
        fputs("autofreq", script);
        return;
    }
    while (set < STEP_SETS && decade_ticks(NULL, steps[set], range, 1, &widest) < 3)
        set++;
    if (set == STEP_SETS) {
        write_multiples(script, range);
        return;
    }
    const int count = decade_ticks(NULL, steps[set], range, 1, &widest);
    enum { CROWD = 16 };
    int stride =
        (most < MOST_TICKS && count > most) || count > CROWD ? (count + most - 1) / most : 1;
    while (stride > 1 && decade_ticks(NULL, steps[set], range, stride, &widest) < 2)
        stride--;
    widest = 0;
    fputc('(', script);
    decade_ticks(script, steps[set], range, stride, &widest);
    fputc(')', script);
    if (strcmp(axis, "y") == 0 && widest > figure->widest)
        figure->widest = widest;
}

void plot_axis_time(struct plot_figure *figure, struct plot_span range_s)
{
    static const struct {
        const char *label;
        double per_s;
    } units[] = {{"time (ns)", 1e9}, {"time (µs)", 1e6}, {"time (ms)", 1e3}, {"time (s)", 1}};
    int unit = 0;
    while (unit < 3 && range_s.high * units[unit].per_s >= 5000)
        unit++;
    double per_s = units[unit].per_s;
    struct plot_span range = {range_s.low * per_s, range_s.high * per_s};
    const struct plot_span wide =
        limit(figure, "y_axis", range, widen(range, 0.06, 1.05), units[unit].per_s);
    fprintf(figure->script, "unit = %g # the data are in seconds\n", per_s);
    begin_axis(figure, "y_axis", "y", units[unit].label, wide);
    write_decades(figure, "y_axis", "y", wide);
    fputs("'\n", figure->script);
}

void plot_axis_around_one(struct plot_figure *figure, const char *name, const char *label,
                          struct plot_span range)
{
    plot_span_add(&range, 1.1);
    plot_span_add(&range, 1 / 1.1);
    range = limit(figure, name, range, widen(range, 0.06, 1.05), 0);
    begin_axis(figure, name, "y", label, range);
    write_decades(figure, name, "y", range);
    fputs("'\n", figure->script);
}

void plot_axis_slower(struct plot_figure *figure, double most)
{
    const struct plot_span range = {1, fmax(most, 1.1)};
    const struct plot_span wide = limit(figure, "y_axis", range, widen(range, 0.04, 1.02), 0);
    begin_axis(figure, "y_axis", "y", "time / least time", wide);
    write_decades(figure, "y_axis", "y", wide);
    fputs("'\n", figure->script);
}

void plot_axis_relative(struct plot_figure *figure, const char *label, double most)
{
    static const double ends[] = {1.2, 1.5, 2, 3, 4, 6, 8};
    int last = sizeof ends / sizeof ends[0] - 1, end = 0;
    while (end < last && ends[end] < most)
        end++;
    struct plot_span range = {1, ends[end]};
    begin_axis(figure, "cb_axis", "cb", label, range);
    write_decades(figure, "cb_axis", "cb", range);
    if (ends[end] < most)
        fprintf(figure->script, "; set cbtics add (show(\"≥ %g\") %g)", ends[end], ends[end]);
    fputs("'\n", figure->script);
}
