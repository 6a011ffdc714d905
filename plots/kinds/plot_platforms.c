/* plot_platforms.c - what the platform does to each algorithm: time at the best n on each of
 * several platforms, a panel per placement, a line per algorithm; one figure per p and m. For
 * variants of one platform, such as rules of routing. */
#include <inttypes.h>
#include <string.h>

#include "plots/figure/plot.h"
#include "roundabout.h"

enum { MOST_PANELS = 3, MOST_PLATFORMS = 16, LEAST_PLATFORMS = 3 };

/* Settings that differ in platform and placement only. */
struct family {
    size_t first; /* the first of these settings */
    const char *platform[MOST_PLATFORMS], *placement[MOST_PANELS];
    size_t platforms, placements;
};

static bool belongs(const struct plot_plotter *plotter, const struct family *family, size_t setting)
{
    const struct point *member = &plotter->data->settings[setting];
    struct point same = plotter->data->settings[family->first];
    same.platform_text = member->platform_text;
    same.platform_hash = member->platform_hash;
    same.platform = member->platform;
    same.placement = member->placement;
    return decide_same_setting(&same, member);
}

/* Adds a text that is not there yet, if there is room. */
static void add_text(const char *texts[], size_t *count, size_t most, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(texts[i], text) == 0)
            return;
    if (*count < most)
        texts[(*count)++] = text;
}

static struct family family_of(const struct plot_plotter *plotter, size_t setting)
{
    struct family family = {.first = setting};
    for (size_t i = plotter->data->setting_count; i-- > 0;)
        if (belongs(plotter, &family, i))
            family.first = i;
    for (size_t i = 0; i < plotter->data->setting_count; i++) {
        const struct point *member = &plotter->data->settings[i];
        if (!belongs(plotter, &family, i))
            continue;
        add_text(family.platform, &family.platforms, MOST_PLATFORMS, member->platform_text);
        add_text(family.placement, &family.placements, MOST_PANELS, member->placement);
    }
    return family;
}

/* The length of the part that all platforms' names begin with, to the end of an option. */
static size_t common_part(const struct family *family)
{
    size_t length = strlen(family->platform[0]);
    for (size_t i = 1; i < family->platforms; i++) {
        size_t same = 0;
        while (same < length && family->platform[i][same] == family->platform[0][same])
            same++;
        length = same;
    }
    while (length > 0 && family->platform[0][length - 1] != ',' &&
           family->platform[0][length - 1] != '/')
        length--;
    return length;
}

struct panel {
    const struct family *family;
    const char *placement;
    int32_t p;
    int64_t m_bytes;
};

/* The fastest curve of an algorithm on a platform, or NULL. */
static const struct decide_curve *fastest(const struct plot_plotter *plotter,
                                          const struct panel *panel, const char *platform,
                                          const char *algorithm)
{
    const struct decide_curves *data = plotter->data;
    const struct decide_curve *best = NULL;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        const struct point *setting = &data->settings[curve->setting];
        if (curve->p == panel->p && curve->m_bytes == panel->m_bytes &&
            strcmp(curve->algorithm, algorithm) == 0 &&
            strcmp(setting->platform_text, platform) == 0 &&
            strcmp(setting->placement, panel->placement) == 0 && curve->best->time_s > 0 &&
            belongs(plotter, panel->family, curve->setting) &&
            (best == NULL || curve->best->time_s < best->best->time_s))
            best = curve;
    }
    return best;
}

/* A row for each platform, without a time where the algorithm was not run: gnuplot does not count a
 * series without rows. */
static void write_series(struct plot_figure *figure, const struct panel *panel,
                         const char *algorithm, struct plot_span *time_s)
{
    for (size_t i = 0; i < panel->family->platforms; i++) {
        const char *platform = panel->family->platform[i];
        const struct decide_curve *curve = fastest(figure->plotter, panel, platform, algorithm);
        if (curve != NULL)
            plot_span_add(time_s, curve->best->time_s);
        plot_figure_word(figure, algorithm);
        fputc(' ', figure->data);
        plot_figure_word(figure, panel->placement);
        fputc(' ', figure->data);
        plot_figure_word(figure, platform);
        fprintf(figure->data, " %zu %" PRId64 " %.17g", i + 1, curve == NULL ? 0 : curve->best->n,
                curve == NULL ? NAN : curve->best->time_s);
        plot_figure_spread(figure, curve == NULL ? NULL : curve->best, time_s);
    }
}

/* The algorithms of any of the settings, the one in focus first. */
static size_t choose_algorithms(const struct plot_plotter *plotter, const struct family *family,
                                int32_t p, int64_t m_bytes, const char *names[PLOT_MOST_LINES])
{
    size_t count = 0;
    for (int focus = 1; focus >= 0; focus--)
        for (size_t i = 0; i < plotter->data->curve_count; i++) {
            const struct decide_curve *curve = &plotter->data->curves[i];
            if (curve->p == p && curve->m_bytes == m_bytes && !curve->hidden &&
                plot_is_of(curve, plotter->request->focus) == (focus == 1) &&
                belongs(plotter, family, curve->setting))
                add_text(names, &count, PLOT_MOST_LINES, curve->algorithm);
        }
    return count;
}

/* The options of a platform as a short text: of those whose value is a word the value, of those
 * that say yes the name. "spread=yes,routing=ugal,global=3" is "spread, ugal, global=3". */
static void shorten(const char *options, char *text, size_t size)
{
    text[0] = '\0';
    while (*options != '\0') {
        const int length = (int)strcspn(options, ","), name = (int)strcspn(options, "=,");
        const char *value = options + name + 1;
        if (name == length || strchr("0123456789", *value) != NULL)
            sup_append(text, size, ", ", "%.*s", length, options);
        else if (length - name == 4 && strncmp(value, "yes", 3) == 0)
            sup_append(text, size, ", ", "%.*s", name, options);
        else
            sup_append(text, size, ", ", "%.*s", length - name - 1, value);
        options += length + (options[length] == ',');
    }
}

/* What the script says of panels and platforms. */
static void write_names(struct plot_figure *figure, const struct family *family)
{
    enum { WIDEST = 30 };
    const size_t common = common_part(family);
    char name[48], shown[4 * WIDEST + 4], text[512];
    fprintf(figure->script,
            "panels = %zu\nplatforms = %zu\narray panel_names[%d]\narray platform_names[%d]\n",
            family->placements, family->platforms, MOST_PANELS, MOST_PLATFORMS);
    for (size_t i = 0; i < family->placements; i++) {
        snprintf(name, sizeof name, "panel_names[%zu]", i + 1);
        plot_gnuplot_cut(family->placement[i], WIDEST, shown, sizeof shown);
        plot_gnuplot_text(figure->script, name, shown);
    }
    for (size_t i = 0; i < family->platforms; i++) {
        snprintf(name, sizeof name, "platform_names[%zu]", i + 1);
        shorten(family->platform[i] + common, text, sizeof text);
        plot_gnuplot_cut(text, WIDEST, shown, sizeof shown);
        plot_gnuplot_text(figure->script, name, shown);
    }
}

static int draw_one(struct plot_plotter *plotter, const struct family *family, int32_t p,
                    int64_t m_bytes)
{
    struct plot_span time_s = PLOT_EMPTY_SPAN;
    const char *names[PLOT_MOST_LINES];
    char part[64], label[256], shown[32], title[160];
    struct plot_figure figure;
    const int common = (int)common_part(family);
    const size_t count = choose_algorithms(plotter, family, p, m_bytes, names);

    sup_format_bytes(m_bytes, shown, sizeof shown);
    snprintf(part, sizeof part, "p%" PRId32 "-m%s", p, shown);
    sup_format_shown(m_bytes, shown, sizeof shown);
    snprintf(label, sizeof label, "%.*s%sp = %" PRId32 ", m = %s, at the best n",
             common > 0 ? common - 1 : 0, family->platform[0], common > 0 ? ", " : "", p, shown);
    int status = plot_figure_begin(
        &figure, plotter, &plot_platforms, family->first, part, label,
        "algorithm, placement, platform, platform_number, best_n, time_s, time_low_s, time_high_s");
    if (status != RB_OK)
        return status;
    write_names(&figure, family);
    for (size_t k = 0; k < count; k++)
        plot_figure_algorithm(&figure, names[k], names[k]);
    for (size_t i = 0; i < family->placements; i++)
        for (size_t k = 0; k < count; k++) {
            const struct panel panel = {family, family->placement[i], p, m_bytes};
            snprintf(title, sizeof title, "%s, %s", names[k], family->placement[i]);
            plot_figure_series(&figure, i * count + k, title);
            write_series(&figure, &panel, names[k], &time_s);
        }
    figure.panel = 0.6 / (double)family->placements; /* names have the rest */
    plot_axis_time(&figure, time_s);
    return plot_figure_finish(&figure, plotter);
}

static int draw_ranks(struct plot_plotter *plotter, const struct family *family, int32_t p)
{
    struct plot_choice choice = {family->first, NULL, p, -1, 1};
    struct sup_list sizes = plot_choose_bytes(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
    int status = RB_OK;
    for (size_t i = 0; i < sizes.count && status == RB_OK; i++)
        status = draw_one(plotter, family, p, sizes.value[i]);
    sup_list_free(&sizes);
    return status;
}

static int draw(struct plot_plotter *plotter, size_t setting, const char **why)
{
    const struct family family = family_of(plotter, setting);
    struct plot_choice choice = {setting, NULL, -1, -1, 1};
    int status = RB_OK;
    (void)why; /* few experiments have many platforms */
    if (family.platforms < LEAST_PLATFORMS || family.first != setting)
        return RB_OK;
    struct sup_list ranks = plot_choose_ranks(plotter, &choice, PLOT_FIGURES, SIZE_MAX);
    for (size_t i = 0; i < ranks.count && status == RB_OK; i++)
        status = draw_ranks(plotter, &family, (int32_t)ranks.value[i]);
    sup_list_free(&ranks);
    return status;
}

const struct plot_kind plot_platforms = {
    .name = "platforms",
    .title = "time against the platform, by placement, for each algorithm at its best n",
    .of_platforms = true,
    .lacks = PLOT_LACKS_LOG_X | PLOT_LACKS_X_RANGE,
    .draw = draw,
};
