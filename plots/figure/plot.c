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
            plotter.data = folded ? &sources->data : &sources->parts[file];
            request->results = request->files[file];
            status = draw_kind(&plotter, kinds[i], say);
        }
    }
    cli_bar_end(&bar);
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
        status = decide_curves_load_any(request->files[i], request->filters, part, error);
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
        status = draw_all(&request, &sources, request.kinds_asked, made, error);
        int64_t none;
        if (status == RB_OK && *made == 0 && !request.kinds_asked)
            status = draw_all(&request, &sources, true, &none, error); /* says why */
    }
    if (mine && *made == 0)
        rmdir(request.directory);
    unload(&request, &sources);
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
    struct plot_request request = *place;
    request.results = results;
    request.focus = DECIDE_TUNE_FOCUS;
    request.kinds = plot_all_kinds();
    return plot_draw(&request, &made, error);
}
