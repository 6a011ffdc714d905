/* plot.c - figures from a sweep's results: which kinds there are, and making them all. */
#define _POSIX_C_SOURCE 200809L /* mkdir, rmdir */

#include "plots/figure/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/process.h"

static const struct plot_kind *const kinds[] = {
#define PLOT_KIND(name) &name,
#include "plots/list.h"
};
#define UNDRAWN                                                                                    \
    "gnuplot is not installed, so %" PRId64 " figures in %s have data (.dat, .csv) and scripts "   \
    "(.gp) but no pictures; install it and draw "                                                  \
    "them: apt install gnuplot-nox; cd %s && for script in *.gp; do gnuplot \"$script\"; done"

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct plot_kind *plot_kind_at(int32_t i)
{
    return i >= 0 && i < KINDS ? kinds[i] : NULL;
}

unsigned plot_all_kinds(void)
{
    return (1u << KINDS) - 1;
}

int plot_figure_directory(const char *directory, bool *mine, struct sup_error *error)
{
    struct stat found;
    *mine = mkdir(directory, 0777) == 0;
    if (*mine)
        return RB_OK;
    int reason = errno;
    if (reason == EEXIST && stat(directory, &found) == 0) {
        if (!S_ISDIR(found.st_mode))
            return sup_fail(error, RB_EINVAL, "%s: is a file; figures need a directory", directory);
        if (access(directory, W_OK | X_OK) != 0)
            return sup_fail(error, RB_EINVAL, "%s: cannot be written: %s", directory,
                            strerror(errno));
        return RB_OK;
    }
    const char *slash = strrchr(directory, '/');
    if (reason == ENOENT && slash != NULL)
        return sup_fail(error, RB_EINVAL, "%s: cannot be made: there is no directory %.*s",
                        directory, (int)(slash - directory), directory);
    return sup_fail(error, reason == ENOSPC ? RB_EIO : RB_EINVAL, "%s: cannot be made: %s",
                    directory, strerror(reason));
}

/* Why sizes cannot be shown as requested; NULL if they can. */
static const char *unfit_sizes(const struct plot_plotter *plotter, const struct plot_kind *kind,
                               const struct point *setting)
{
    const struct rb_collective_info *collective = setting->collective;
    const enum plot_sizes sizes = plotter->request->sizes;
    if (!kind->of_one_p || sizes == PLOT_SIZES_ALL)
        return NULL;
    if (collective == NULL || !collective->distributed)
        return "--sizes: its data are not distributed among the ranks";
    if (sizes == PLOT_SIZES_PAIR && !collective->personalized)
        return "--sizes pair: a rank's data are the same for all ranks, not distributed among them";
    return NULL;
}

/* From now on these curves are drawn. */
static void use(struct plot_plotter *plotter, const struct decide_curves *data)
{
    free(plotter->order);
    plotter->order = NULL;
    plotter->order_count = 0;
    plotter->data = data;
    if (data != NULL)
        plotter->order_count = plot_order(data, plotter->request->focus, &plotter->order);
}

static int draw_kind(struct plot_plotter *plotter, const struct plot_kind *kind, bool say)
{
    int status = RB_OK;
    for (size_t setting = 0; setting < plotter->data->setting_count && status == RB_OK; setting++) {
        char text[512];
        const char *why = unfit_sizes(plotter, kind, &plotter->data->settings[setting]);
        if (why == NULL)
            status = kind->draw(plotter, setting, &why);
        if (status == RB_OK && why != NULL && say)
            cli_complain(RB_OK, "%s: skipped for %s: %s", kind->name,
                         decide_setting_text(&plotter->data->settings[setting], text, sizeof text),
                         why);
    }
    return status;
}

/* The curves of each file, and of all together. */
struct sources {
    struct decide_curves *parts, data;
    struct plot_family *families; /* NULL: there is one file, and each setting is drawn by itself */
    int64_t failed;
};

/* ---- A dozen figures ------------------------------------------------------------------------- */

enum { DOZEN = 12 };

/* The settings by how much they say, most first; the caller frees them. */
static size_t *tell_settings(const struct plot_plotter *plotter, bool by_n)
{
    const size_t count = plotter->data->setting_count;
    size_t *order = sup_calloc(count + 1, sizeof *order);
    double *telling = sup_calloc(count + 1, sizeof *telling);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        telling[i] = plot_telling(plotter, i, by_n);
        for (; at > 0 && telling[order[at - 1]] < telling[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    free(telling);
    return order;
}

/* One figure of each kind that is not of each setting: of the first setting that has one. */
static int draw_once(struct plot_plotter *plotter)
{
    size_t *order = tell_settings(plotter, true);
    int status = RB_OK;
    for (int kind = 0; kind < KINDS; kind++) {
        const int64_t before = plotter->made;
        const char *why;
        const bool wanted = !kinds[kind]->of_each && !kinds[kind]->repeats;
        for (size_t i = 0; wanted && i < plotter->data->setting_count && status == RB_OK &&
                           plotter->made == before && plotter->made < DOZEN / 2;
             i++)
            status = kinds[kind]->draw(plotter, order[i], &why);
    }
    free(order);
    return status;
}

/* Those that are of each setting, as far as there is room: of all settings the first kind, then the
 * next. */
static int draw_each(struct plot_plotter *plotter)
{
    size_t *order = tell_settings(plotter, false);
    int status = RB_OK;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < plotter->data->setting_count && status == RB_OK; i++) {
            const char *why;
            if (kinds[kind]->of_each && plotter->made < DOZEN)
                status = kinds[kind]->draw(plotter, order[i], &why);
        }
    free(order);
    return status;
}

/* The pipelined algorithm with most curves, where that which is usually in focus was not run. */
static const char *find_focus(const struct decide_curves *data, const char *usual)
{
    const char *most = usual;
    size_t curves = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < data->curve_count; k++)
            same +=
                data->curves[k].algorithm == data->curves[i].algorithm && data->curves[k].count > 1;
        if (strcmp(data->curves[i].plan_algorithm, usual) == 0)
            return usual;
        most = same > curves ? data->curves[i].algorithm : most;
        curves = same > curves ? same : curves;
    }
    return most;
}

/* Figures of each setting come first in what is drawn. */
static int draw_few(struct plot_request *request, const struct decide_curves *data, int64_t *made,
                    struct sup_error *error)
{
    struct plot_plotter plotter = {.request = request, .error = error};
    struct cli_bar bar;
    struct plot_drawn *drawn = request->drawn;
    request->focus = find_focus(data, request->focus);
    use(&plotter, data);
    cli_bar_start(&bar, "figures", 2);
    int status = draw_once(&plotter);
    const size_t once = drawn->count;
    cli_bar_update(&bar, 1, "of each setting");
    if (status == RB_OK)
        status = draw_each(&plotter);
    cli_bar_end(&bar);
    use(&plotter, NULL);
    for (size_t i = once; i < drawn->count; i++) {
        const struct plot_drawn_figure figure = drawn->figure[i];
        const size_t at = i - once;
        memmove(drawn->figure + at + 1, drawn->figure + at, once * sizeof figure);
        drawn->figure[at] = figure;
    }
    *made = plotter.made;
    return status;
}

void plot_drawn_free(struct plot_drawn *drawn)
{
    for (size_t i = 0; i < drawn->count; i++) {
        free(drawn->figure[i].name);
        free(drawn->figure[i].label);
    }
    free(drawn->figure);
    *drawn = (struct plot_drawn){0};
}

void plot_drawn_paths(const struct plot_drawn *drawn, const char *directory, unsigned pictures,
                      FILE *stream)
{
    for (size_t i = 0; i < drawn->count; i++)
        for (int k = 0; k < PLOT_PICTURES; k++)
            if ((pictures & 1u << k) != 0 && !(drawn->undrawn && k != PLOT_CSV))
                fprintf(stream, "%s/%s%s\n", directory, drawn->figure[i].name,
                        plot_picture_endings[k]);
}

static int draw_all(struct plot_request *request, const struct sources *sources, bool say,
                    int64_t *made, struct sup_error *error)
{
    struct plot_plotter plotter = {.request = request, .error = error};
    struct cli_bar bar;
    int status = RB_OK;
    cli_bar_start(&bar, "figures", KINDS);
    for (int i = 0; i < KINDS && status == RB_OK; i++) {
        const bool folded = sources->families != NULL && !kinds[i]->of_settings;
        if ((request->kinds & 1u << i) == 0)
            continue;
        cli_bar_update(&bar, i, kinds[i]->name);
        plotter.families = folded ? sources->families : NULL;
        for (int32_t file = 0; file < (folded ? 1 : request->file_count) && status == RB_OK;
             file++) {
            use(&plotter, folded ? &sources->data : &sources->parts[file]);
            request->results = request->files[file];
            status = draw_kind(&plotter, kinds[i], say);
        }
    }
    cli_bar_end(&bar);
    use(&plotter, NULL);
    *made = plotter.made;
    return status;
}

static bool has_series(const struct plot_request *request)
{
    bool any = request->file_count > 1 || request->mixed;
    for (int id = 0; id < POINT_PARAMETERS && !any; id++)
        any = request->series[id];
    return any;
}

/* True if curves of simulated and of measured settings are shown. */
static bool is_mixed(const struct plot_request *request, const struct decide_curves *parts)
{
    bool any[2] = {false, false};
    for (int32_t file = 0; file < request->file_count; file++)
        for (size_t i = 0; i < parts[file].curve_count; i++) {
            const struct decide_curve *curve = &parts[file].curves[i];
            if (!curve->hidden)
                any[decide_is_measured(&parts[file].settings[curve->setting])] = true;
        }
    return any[0] && any[1];
}

static int load(struct plot_request *request, struct sources *sources, struct sup_error *error)
{
    int status = RB_OK, shown = 0;
    bool focused = !request->focus_asked;
    sources->parts = sup_calloc((size_t)request->file_count, sizeof *sources->parts);
    for (int32_t i = 0; i < request->file_count && status == RB_OK; i++) {
        struct decide_curves *part = &sources->parts[i];
        status = decide_curves_load_any(request->files[i], NULL, request->filters, part, error);
        if (status != RB_OK)
            break;
        focused = focused || decide_check_focus(part, request->focus, error) == RB_OK;
        shown += plot_hide(request, part);
        sources->failed += part->failed;
    }
    if (status == RB_OK && !focused)
        return RB_EINVAL; /* with the last message */
    if (status == RB_OK && shown == 0)
        return sup_fail(error, RB_EINVAL, "--only: no point has these values");
    request->mixed = status == RB_OK && is_mixed(request, sources->parts);
    if (status == RB_OK && has_series(request))
        plot_fold(request, sources->parts, &sources->data, &sources->families);
    return status;
}

static void unload(const struct plot_request *request, struct sources *sources)
{
    decide_curves_free(&sources->data); /* whose settings have texts of the parts */
    for (int32_t i = 0; i < request->file_count; i++)
        decide_curves_free(&sources->parts[i]);
    free(sources->parts);
    free(sources->families);
}

/* Where there is no gnuplot, figures are made as far as they can be without it. */
static int find_gnuplot(struct plot_request *request, struct sup_error *error)
{
    const unsigned drawn = request->pictures & PLOT_DRAWN;
    const int status = drawn == 0 ? RB_OK : plot_gnuplot_find(drawn, &request->undrawn, error);
    return request->undrawn ? RB_OK : status;
}

int plot_draw(const struct plot_request *asked, int64_t *made, struct sup_error *error)
{
    struct sources sources = {0};
    struct plot_request request = *asked;
    bool mine = false;

    if (request.files == NULL) {
        request.files = &asked->results;
        request.file_count = 1;
    }
    *made = 0;
    int status = load(&request, &sources, error);
    if (status == RB_OK)
        status = find_gnuplot(&request, error);
    if (status == RB_OK)
        status = plot_figure_directory(request.directory, &mine, error);
    if (status == RB_OK) {
        if (sources.failed > 0)
            cli_complain(RB_OK, "failed points, left out: %" PRId64, sources.failed);
        status = request.few ? draw_few(&request, sources.parts, made, error)
                             : draw_all(&request, &sources, request.kinds_asked, made, error);
        int64_t none;
        if (status == RB_OK && *made == 0 && request.few)
            status = sup_fail(error, RB_EINVAL, "they take several p, m, n or algorithms");
        else if (status == RB_OK && *made == 0 && !request.kinds_asked)
            status = draw_all(&request, &sources, true, &none, error); /* says why */
    }
    if (mine && *made == 0)
        rmdir(request.directory);
    unload(&request, &sources);
    if (request.drawn != NULL)
        request.drawn->undrawn = request.undrawn;
    if (status == RB_OK && request.undrawn && *made > 0) {
        char *place = sup_format("%s%s", *request.directory == '-' ? "./" : "", request.directory);
        char *word = sup_shell_word(place);
        status = sup_fail(error, RB_EFAILED, UNDRAWN, *made, request.directory, word);
        free(word);
        free(place);
    }
    return status;
}

int plot_results(const char *results, const struct plot_request *place, struct sup_error *error)
{
    int64_t made;
    struct plot_drawn drawn = {0};
    struct plot_request request = *place;
    request.results = results;
    request.focus = DECIDE_TUNE_FOCUS;
    request.kinds = plot_all_kinds();
    request.few = true;
    if (place->drawn == NULL)
        request.drawn = &drawn;
    const int status = plot_draw(&request, &made, error);
    plot_drawn_free(&drawn);
    return status;
}
