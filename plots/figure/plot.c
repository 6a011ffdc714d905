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
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct plot_kind *plot_kind_at(int32_t i)
{
    return i >= 0 && i < KINDS ? kinds[i] : NULL;
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

static int draw_all(struct plot_plotter *plotter)
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
            if (status == RB_OK && why != NULL)
                cli_complain(
                    RB_OK, "%s: skipped for %s: %s", kinds[i]->name,
                    tune_setting_text(&plotter->data->settings[setting], text, sizeof text), why);
        }
    }
    return status;
}

int plot_draw(const struct plot_request *request, int64_t *made, struct sup_error *error)
{
    struct tune_curves data = {0};
    struct plot_plotter plotter = {.request = request, .data = &data, .error = error};
    bool mine = false;

    *made = 0;
    int status = tune_curves_load(request->results, request->filters, &data, error);
    if (status == RB_OK && request->focus_asked)
        status = tune_check_focus(&data, request->focus, error);
    if (status == RB_OK)
        status = plot_gnuplot_find(request->pictures, error);
    if (status == RB_OK)
        status = plot_figure_directory(request->directory, &mine, error);
    if (status == RB_OK) {
        if (data.failed > 0)
            cli_complain(RB_OK, "failed points, left out: %" PRId64, data.failed);
        status = draw_all(&plotter);
        *made = plotter.made;
    }
    if (mine && *made == 0)
        rmdir(request->directory);
    tune_curves_free(&data);
    return status;
}

int plot_results(const char *results, const char *directory, FILE *list, struct sup_error *error)
{
    int64_t made;
    struct plot_request request = {.results = results,
                                   .directory = directory,
                                   .focus = TUNE_FOCUS,
                                   .kinds = (1u << KINDS) - 1,
                                   .pictures = 1u << PLOT_PDF | 1u << PLOT_PNG,
                                   .list = list};
    return plot_draw(&request, &made, error);
}
