/* picture_file.c - see picture_file.h. */
#include "plots/run/picture_file.h"

#include <ctype.h>
#include <string.h>

#include "support/output/files.h"

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
