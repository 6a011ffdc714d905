/* plot.c - figures from a sweep's results: which kinds there are, and making them all. */
#define _POSIX_C_SOURCE 200809L /* mkdir, rmdir */

#include "plots/figure/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/options/options.h"
#include "roundabout.h"

static const struct plot_kind *const kinds[] = {
#define PLOT_KIND(name) &name,
#include "plots/list.h"
};
#define UNDRAWN                                                                                    \
    "gnuplot is not installed, so %" PRId64 " figures in %s have data (.dat, .csv) and scripts "   \
    "(.gp) but no pictures; install it and draw "                                                  \
    "them: apt install gnuplot-nox; cd '%s' && for script in *.gp; do gnuplot \"$script\"; done"

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

/* What was asked for by name and is not drawn; if `all` was, what nothing at all is drawn of. */
static int draw_all(struct plot_plotter *plotter, bool say)
{
    int status = RB_OK;
    for (int i = 0; i < KINDS && status == RB_OK; i++) {
        if ((plotter->request->kinds & 1u << i) == 0)
            continue;
        for (size_t setting = 0; setting < plotter->data->setting_count && status == RB_OK;
             setting++) {
            char text[512];
            const char *why = unfit_sizes(plotter, kinds[i], &plotter->data->settings[setting]);
            if (why == NULL)
                status = kinds[i]->draw(plotter, setting, &why);
            if (status == RB_OK && why != NULL && say)
                cli_complain(
                    RB_OK, "%s: skipped for %s: %s", kinds[i]->name,
                    tune_setting_text(&plotter->data->settings[setting], text, sizeof text), why);
        }
    }
    return status;
}

/* Where there is no gnuplot, figures are made as far as they can be without it. */
static int find_gnuplot(struct plot_request *request, struct sup_error *error)
{
    const unsigned drawn = request->pictures & PLOT_DRAWN;
    const int status = drawn == 0 ? RB_OK : plot_gnuplot_find(drawn, &request->undrawn, error);
    return request->undrawn ? RB_OK : status;
}

int plot_draw(const struct plot_request *request, int64_t *made, struct sup_error *error)
{
    struct tune_curves data = {0};
    struct plot_request undrawn = *request;
    struct plot_plotter plotter = {.request = &undrawn, .data = &data, .error = error};
    bool mine = false;

    *made = 0;
    int status = tune_curves_load(request->results, request->filters, &data, error);
    if (status == RB_OK && request->focus_asked)
        status = tune_check_focus(&data, request->focus, error);
    if (status == RB_OK)
        status = find_gnuplot(&undrawn, error);
    if (status == RB_OK)
        status = plot_figure_directory(request->directory, &mine, error);
    if (status == RB_OK) {
        if (data.failed > 0)
            cli_complain(RB_OK, "failed points, left out: %" PRId64, data.failed);
        status = draw_all(&plotter, request->kinds_asked);
        if (status == RB_OK && plotter.made == 0 && !request->kinds_asked)
            status = draw_all(&plotter, true); /* makes nothing again, and says why */
        *made = plotter.made;
    }
    if (mine && *made == 0)
        rmdir(request->directory);
    tune_curves_free(&data);
    if (status == RB_OK && undrawn.undrawn && *made > 0)
        return sup_fail(error, RB_EFAILED, UNDRAWN, *made, request->directory, request->directory);
    return status;
}

int plot_results(const char *results, const char *directory, FILE *list, struct sup_error *error)
{
    int64_t made;
    struct plot_request request = {.results = results,
                                   .directory = directory,
                                   .focus = TUNE_FOCUS,
                                   .kinds = plot_all_kinds(),
                                   .pictures = 1u << PLOT_PDF | 1u << PLOT_PNG,
                                   .list = list};
    return plot_draw(&request, &made, error);
}
