/* plot_figure.c - the files of one figure: data, script, pictures. They are made in a directory of
 * their own, and moved to where they are to be when all are complete. */
#define _POSIX_C_SOURCE 200809L /* strcasecmp */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "plots/figure/plot.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/error.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/table.h"
#include "support/replace.h"

/* ---- One tidy table -------------------------------------------------------------------------- */

/* The data of a figure as one tidy table: the rows of NAME.dat with the series that they are of,
 * for programs that read CSV. */

enum { MOST_COLUMNS = 40, LONGEST_LINE = 8192, LONGEST_NAME = 32 };

/* The columns of the table: those of all series. */
struct columns {
    char name[MOST_COLUMNS][LONGEST_NAME];
    int count;
};

/* The place of each column of a series in the table. */
struct series {
    char title[LONGEST_LINE];
    int place[MOST_COLUMNS];
    int count;
};

static int place_of(struct columns *columns, const char *name)
{
    for (int i = 0; i < columns->count; i++)
        if (strcmp(columns->name[i], name) == 0)
            return i;
    if (columns->count == MOST_COLUMNS)
        return -1;
    snprintf(columns->name[columns->count], LONGEST_NAME, "%s", name);
    return columns->count++;
}

/* "p, n, time_s": adds what the table has not. */
static void read_columns(const char *text, struct columns *columns, struct series *series)
{
    series->count = 0;
    while (*text != '\0' && series->count < MOST_COLUMNS) {
        char name[LONGEST_NAME];
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        series->place[series->count++] = place_of(columns, name);
        text += length + strspn(text + length, ", ");
    }
}

/* A field with quotes if it needs them; numbers that are none are empty. */
static void write_field(FILE *csv, const char *text)
{
    if (strcmp(text, "-") == 0 || strcasecmp(text, "nan") == 0 || strcasecmp(text, "-nan") == 0)
        return;
    out_csv_text(text, csv);
}

/* One field of a row, blank-separated or in double quotes; false: there is no other. */
static bool next_field(const char **row, char *field, size_t size)
{
    const char *at = *row + strspn(*row, " \t\n");
    if (*at == '\0')
        return false;
    const bool quoted = *at == '"';
    at += quoted;
    const size_t length = strcspn(at, quoted ? "\"" : " \t\n");
    snprintf(field, size, "%.*s", (int)length, at);
    *row = at + length + (quoted && at[length] == '"');
    return true;
}

static void write_row(FILE *csv, const struct columns *columns, const struct series *series,
                      const char *row)
{
    char fields[MOST_COLUMNS][LONGEST_LINE / 8];
    char field[LONGEST_LINE / 8];
    memset(fields, 0, sizeof fields);
    for (int i = 0; i < series->count && next_field(&row, field, sizeof field); i++)
        if (series->place[i] >= 0)
            snprintf(fields[series->place[i]], sizeof fields[0], "%s", field);
    write_field(csv, series->title);
    for (int i = 0; i < columns->count; i++) {
        fputc(',', csv);
        write_field(csv, fields[i]);
    }
    fputc('\n', csv);
}

/* Reads all data, and writes the rows if there is a table. A comment behind the empty lines between
 * series, or the first one behind that of the columns, is a title; without columns of the whole
 * figure it ends in those of its series: "messages: from, to, start_s". */
static void read_data(FILE *data, struct columns *columns, FILE *csv)
{
    struct series series = {.count = 0};
    char line[LONGEST_LINE];
    bool common = false, head = true;
    while (fgets(line, sizeof line, data) != NULL) {
        static const char mark[] = "# columns: ";
        line[strcspn(line, "\n")] = '\0';
        if (head && strncmp(line, mark, sizeof mark - 1) == 0) {
            common = line[sizeof mark - 1] != '(';
            if (common)
                read_columns(line + sizeof mark - 1, columns, &series);
            head = false;
        } else if (line[0] == '#' && !head) {
            char *colon = strstr(line, ": ");
            if (!common && colon != NULL) {
                *colon = '\0';
                read_columns(colon + 2, columns, &series);
            }
            snprintf(series.title, sizeof series.title, "%s", line[1] == ' ' ? line + 2 : line + 1);
        } else if (line[0] != '#' && line[0] != '\0' && csv != NULL) {
            write_row(csv, columns, &series, line);
        }
    }
}

/* Writes the rows of a figure's data as CSV: a column for the series, then those of the data.
 * RB_EIO. */
static int csv_write(const char *data, const char *csv, struct sup_error *error)
{
    struct columns columns = {.count = 0};
    FILE *in = sup_got(fopen(data, "r")), *out = in == NULL ? NULL : sup_got(fopen(csv, "w"));
    if (out == NULL) {
        const int reason = errno;
        if (in != NULL)
            fclose(in);
        return sup_fail(error, RB_EIO, "%s: %s", in == NULL ? data : csv, strerror(reason));
    }
    read_data(in, &columns, NULL);
    rewind(in);
    fputs("series", out);
    for (int i = 0; i < columns.count; i++)
        fprintf(out, ",%s", columns.name[i]);
    fputc('\n', out);
    read_data(in, &columns, out);
    const bool read = ferror(in) == 0;
    const int reason = errno;
    fclose(in);
    if (sup_finish(out) && read)
        return RB_OK;
    return sup_fail(error, RB_EIO, "%s: not all was written: %s", csv,
                    sup_reason_text(read ? errno : reason));
}

/* ---- The files ------------------------------------------------------------------------------- */

const char *const plot_picture_names[PLOT_PICTURES] = {"pdf",  "png",        "svg",
                                                       "tikz", "cairolatex", "csv"};
const char *const plot_picture_endings[PLOT_PICTURES] = {".pdf",      ".png",       ".svg",
                                                         "-tikz.tex", "-cairo.tex", ".csv"};

const char *plot_picture_at(int32_t i)
{
    return i >= 0 && i < PLOT_PICTURES ? plot_picture_names[i] : NULL;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Adds "-WORD" to a file name, with unsuitable characters replaced; words that are too long for a
 * name are cut off. */
static void add_word(char *name, size_t size, const char *word)
{
    enum { LONGEST = 48 };
    size_t used = strlen(name);
    if (used > 0 && used + 1 < size)
        name[used++] = '-';
    for (int i = 0; word[i] != '\0' && i < LONGEST && used + 1 < size; i++) {
        bool plain = isalnum((unsigned char)word[i]) || strchr(".-+", word[i]) != NULL;
        name[used++] = plain ? word[i] : '_';
    }
    name[used] = '\0';
}

/* The part of the name for a setting: its platform and overlap rule, and all parameters that are
 * not the default. */
static void add_setting(char *name, size_t size, const struct point *setting)
{
    const struct point_parameter *parameters[POINT_PARAMETERS];
    const int count = point_setting(parameters);
    add_word(name, size, sup_base_name(setting->platform_text));
    add_word(name, size, setting->overlap);
    for (int i = 0; i < count; i++) {
        char word[200];
        if (parameters[i]->in_names && point_is_unusual(setting, parameters[i]))
            add_word(name, size, point_format(setting, parameters[i], word, sizeof word));
    }
}

/* True if another setting would get the same name. */
static bool is_ambiguous(const struct decide_curves *data, size_t setting)
{
    char name[256] = "", other[256];
    add_word(name, sizeof name, data->settings[setting].plan.collective);
    add_setting(name, sizeof name, &data->settings[setting]);
    for (size_t i = 0; i < data->setting_count; i++) {
        other[0] = '\0';
        add_word(other, sizeof other, data->settings[i].plan.collective);
        add_setting(other, sizeof other, &data->settings[i]);
        if (i != setting && strcmp(name, other) == 0)
            return true;
    }
    return false;
}

static void make_name(char *name, const struct plot_kind *kind, const struct plot_plotter *plotter,
                      size_t setting, const char *part)
{
    const struct decide_curves *data = plotter->data;
    const struct plot_family *family =
        plotter->families == NULL ? NULL : &plotter->families[setting];
    const struct point *values = &data->settings[setting];
    char word[64];
    enum { SIZE = 200 }; /* leaves room for an extension within what file systems take */
    add_word(name, SIZE, values->plan.collective);
    add_word(name, SIZE, kind->name);
    if (part[0] != '\0')
        add_word(name, SIZE, part);
    add_setting(name, SIZE, values);
    for (int id = 0; family != NULL && id < POINT_PARAMETERS; id++)
        if (family->differs[id] && plotter->request->series[id]) {
            snprintf(word, sizeof word, "by-%s", point_parameters[id].column);
            add_word(name, SIZE, word);
        }
    if (family != NULL && family->measured != NULL)
        add_word(name, SIZE, "measured");
    if (family != NULL && family->files)
        add_word(name, SIZE, "by-file");
    if (family == NULL && plotter->request->file_count > 1)
        add_word(name, SIZE, sup_base_name(plotter->request->results));
    if (is_ambiguous(data, setting)) {
        snprintf(word, sizeof word, "e%" PRId64 "-%zu", values->element_bytes, setting);
        add_word(name, SIZE, values->platform_hash);
        add_word(name, SIZE, word);
    }
}

/* The directory in which it is made before it is complete. */
static void make_path(const struct plot_figure *figure, const char *ending, char *path, size_t size)
{
    snprintf(path, size, "%s/%s%s", figure->staging.path, figure->name, ending);
}

/* ---- Headers -------------------------------------------------------------------------------- */

/* A comment line, for any text. */
static void write_comment(FILE *file, const char *before, const char *text)
{
    char shown[2048];
    fprintf(file, "# %s%s\n", before, sup_visible(text, shown, sizeof shown));
}

static void write_origin(const struct plot_figure *figure, FILE *file,
                         const struct plot_figure_text *text)
{
    write_comment(file, "", figure->kind->title);
    for (int i = 0; i < PLOT_FIGURE_ORIGINS && text->origin[i] != NULL; i++)
        write_comment(file, "", text->origin[i]);
    write_comment(file, "figure made by roundabout ", cli_program_version);
}

/* "gnuplot NAME.gp" in a form that can be copied to a shell. */
static void write_command(FILE *script, const char *name)
{
    char shown[sizeof((struct plot_figure *)NULL)->name * 4];
    const bool plain = name[0] != '-' && name[strspn(name, PLOT_PLAIN_NAME)] == '\0';
    fprintf(script, "# Makes the pictures when run here: gnuplot %s", plain ? "" : "'./");
    for (const char *c = sup_visible(name, shown, sizeof shown); *c != '\0'; c++)
        fprintf(script, *c == '\'' ? "'\\%c'" : "%c", *c);
    fprintf(script, ".gp%s\n", plain ? "" : "'");
}

/* The two grey lines over a picture: what is shown, and what made it. A line that is too wide is
 * cut off; the header of the data has all of it. */
static void write_label_line(FILE *script, const char *name, const char *text)
{
    enum { WIDEST = 54 };
    char line[4 * WIDEST + 4];
    plot_gnuplot_cut(text, WIDEST, line, sizeof line);
    plot_gnuplot_text(script, name, line);
}

static void write_script_head(const struct plot_figure *figure, const struct plot_figure_text *text)
{
    FILE *script = figure->script;
    char path[sizeof figure->name + 2];
    bool first = true;
    write_command(script, figure->name);
    write_origin(figure, script, text);
    /* With ./ gnuplot takes it as a file's name, whatever its first character is. */
    snprintf(path, sizeof path, "./%s", figure->name);
    plot_gnuplot_text(script, "name", path);
    fputs("data = name.'.dat'\nformats = '", script);
    unsigned drawn = figure->plotter->request->pictures & PLOT_DRAWN;
    drawn = drawn == 0 ? 1u << PLOT_PDF : drawn; /* for one who runs the script */
    for (int i = 0; i < PLOT_PICTURES; i++)
        if ((drawn & 1u << i) != 0) {
            fprintf(script, "%s%s", first ? "" : " ", plot_picture_names[i]);
            first = false;
        }
    fputs("'\n", script);
    write_label_line(script, "label1", text->labels[0]);
    write_label_line(script, "label2", text->labels[1]);
    plot_look_write(figure->plotter->request->look, script);
    fprintf(script, "array titles[%d]\narray styles[%d]\narray end_x[%d]\narray end_y[%d]\n",
            PLOT_MOST_TITLES, PLOT_MOST_TITLES, PLOT_MOST_TITLES, PLOT_MOST_TITLES);
}

/* Appends one of our scripts from plots/. */
static int append_script(struct plot_figure *figure, const char *kind)
{
    char name[128], path[SUP_PATH_SIZE], buffer[4096];
    struct sup_error *error = figure->plotter->error;
    snprintf(name, sizeof name, "plots/%s.gp", kind);
    int status = sup_data_path(path, sizeof path, name, error);
    if (status != RB_OK)
        return status;
    FILE *file = sup_got(fopen(path, "r"));
    if (file == NULL)
        return sup_fail(error, RB_EIO, "%s: cannot be read: %s", path, strerror(errno));
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        fwrite(buffer, 1, got, figure->script);
    bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? sup_fail(error, RB_EIO, "%s: cannot be read", path) : RB_OK;
}

/* ---- Beginning and ending ------------------------------------------------------------------- */

static FILE *open_file(const struct plot_figure *figure, const char *ending)
{
    char path[2048];
    make_path(figure, ending, path, sizeof path);
    FILE *file = sup_got(fopen(path, "w"));
    if (file == NULL)
        sup_fail(figure->plotter->error, RB_EIO, "%s/%s%s: cannot be written: %s",
                 figure->plotter->request->directory, figure->name, ending, strerror(errno));
    return file;
}

int plot_figure_begin_named(struct plot_figure *figure, struct plot_plotter *plotter,
                            const struct plot_kind *kind, const char *name,
                            const struct plot_figure_text *text)
{
    *figure = (struct plot_figure){.plotter = plotter, .kind = kind, .panel = 1};
    snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->label, sizeof figure->label, "%s", text->labels[0]);
    int status = out_staging_open(&figure->staging, plotter->request->directory, plotter->error);
    if (status != RB_OK)
        return status;
    figure->data = open_file(figure, ".dat");
    if (figure->data != NULL)
        figure->script = open_file(figure, ".gp");
    if (figure->script == NULL) {
        plot_figure_discard(figure);
        return RB_EIO;
    }
    write_origin(figure, figure->data, text);
    fprintf(figure->data, "# columns: %s\n", text->columns);
    write_script_head(figure, text);
    status = append_script(figure, "style");
    if (status != RB_OK)
        plot_figure_discard(figure);
    return status;
}

static const bool none_differs[POINT_PARAMETERS];

static void list_files(const struct plot_plotter *plotter, char *text, size_t size)
{
    const struct plot_request *request = plotter->request;
    snprintf(text, size, "from %s", sup_base_name(request->results));
    for (int32_t i = 1; i < request->file_count && plotter->families != NULL; i++)
        sup_append(text, size, ", ", "%s", sup_base_name(request->files[i]));
}

/* "series differ in platform, file" (the line above has one of the values). */
static const char *series_text(const struct plot_plotter *plotter, size_t setting, char *text,
                               size_t size)
{
    const struct plot_family *family = &plotter->families[setting];
    bool any = false;
    snprintf(text, size, "series differ in");
    for (int id = 0; id <= POINT_PARAMETERS; id++) {
        if (id == POINT_PARAMETERS ? !family->files : !family->differs[id])
            continue;
        sup_append(text, size, any ? ", " : " ", "%s",
                   id == POINT_PARAMETERS ? "file" : point_parameters[id].column);
        any = true;
    }
    return any ? text : NULL;
}

/* The two lines over a figure of simulated and measured times: which engine, and which machine. */
static void label_mixed(const struct plot_family *family, const char *label, char *label1,
                        char *label2, size_t size)
{
    const struct point *simulated = family->simulated, *measured = family->measured;
    const char *library = strchr(measured->engine_text, ':');
    snprintf(label1, size, "%.200s; measured: %.100s%s%.40s", label, measured->platform_text,
             library == NULL ? "" : ", ", library == NULL ? "" : library + 1);
    if (family->several)
        snprintf(label2, size, "simulated: as named");
    else
        snprintf(label2, size, "simulated: %.100s, engine %.40s, %.40s",
                 sup_base_name(simulated->platform_text), simulated->engine_text,
                 simulated->overlap);
}

int plot_figure_begin(struct plot_figure *figure, struct plot_plotter *plotter,
                      const struct plot_kind *kind, size_t setting, const char *part,
                      const char *label, const char *columns)
{
    const struct point *values = &plotter->data->settings[setting];
    enum { LINE = 512 };
    char name[sizeof figure->name] = "", setting_text[LINE], hash[LINE], from[LINE], made[LINE];
    char label1[LINE], label2[LINE], series[LINE];
    const struct plot_family *family =
        plotter->families == NULL ? NULL : &plotter->families[setting];
    const bool mixed = family != NULL && family->measured != NULL;
    char measured[LINE] = "", setting_of[LINE];
    make_name(name, kind, plotter, setting, part);
    if (mixed)
        values = family->simulated;
    snprintf(hash, sizeof hash, "platform hash %s", values->platform_hash);
    list_files(plotter, from, sizeof from);
    snprintf(made, sizeof made, "points made by roundabout %s",
             plotter->data->versions == NULL || *plotter->data->versions == '\0'
                 ? "or others"
                 : plotter->data->versions);
    const bool *differs =
        plotter->families == NULL ? none_differs : plotter->families[setting].differs;
    const bool no_platform = kind->of_platforms || differs[POINT_PLATFORM];
    snprintf(label1, sizeof label1, "%s%s%s", label, no_platform ? "" : ", ",
             no_platform ? "" : sup_base_name(values->platform_text));
    const bool in_order =
        kind->of_platforms || differs[POINT_PLACEMENT] || strcmp(values->placement, "block") == 0;
    const bool together =
        differs[POINT_ARRIVAL] || !point_is_unusual(values, &point_parameters[POINT_ARRIVAL]);
    const bool alone =
        differs[POINT_PROGRAM] || !point_is_unusual(values, &point_parameters[POINT_PROGRAM]);
    char ranks[40], program[LINE];
    point_format(values, &point_parameters[POINT_PROGRAM], program, sizeof program);
    snprintf(ranks, sizeof ranks, "%" PRId32 " rank%s/host", values->ppn,
             values->ppn == 1 ? "" : "s");
    snprintf(label2, sizeof label2, "engine %s%s%s%s%s%s%s%s%s%s%.200s",
             differs[POINT_ENGINE] ? "as named" : values->engine_text,
             differs[POINT_OVERLAP] ? "" : ", ", differs[POINT_OVERLAP] ? "" : values->overlap,
             differs[POINT_PPN] ? "" : ", ", differs[POINT_PPN] ? "" : ranks, in_order ? "" : ", ",
             in_order ? "" : values->placement, together ? "" : ", arrival ",
             together ? "" : values->arrival, alone ? "" : ", in ", alone ? "" : program);
    if (mixed) {
        snprintf(measured, sizeof measured, "measured: %.400s",
                 decide_setting_text(family->measured, setting_of, sizeof setting_of));
        label_mixed(family, label, label1, label2, LINE);
    }
    const struct plot_figure_text text = {
        .origin = {decide_setting_text(values, setting_text, sizeof setting_text), hash, from, made,
                   family == NULL ? NULL : series_text(plotter, setting, series, sizeof series),
                   mixed ? measured : NULL},
        .labels = {label1, label2},
        .columns = columns,
    };
    return plot_figure_begin_named(figure, plotter, kind, name, &text);
}

void plot_figure_series(struct plot_figure *figure, size_t i, const char *title)
{
    fputs(i == 0 ? "" : "\n\n", figure->data); /* so that gnuplot's `index` distinguishes them */
    char renamed[1024];
    const char *label =
        plot_look_label(figure->plotter->request->look, title, renamed, sizeof renamed);
    write_comment(figure->data, "", label == NULL ? title : label);
}

const char *plot_figure_label(const struct plot_figure *figure, const char *name, size_t most,
                              char *buffer, size_t size)
{
    char renamed[1024];
    const char *label =
        plot_look_label(figure->plotter->request->look, name, renamed, sizeof renamed);
    plot_gnuplot_cut(label == NULL ? name : label, most, buffer, size);
    return buffer;
}

void plot_figure_spread(struct plot_figure *figure, const struct decide_sample *sample,
                        struct plot_span *time_s)
{
    const struct decide_curves *data = figure->plotter->data;
    const struct decide_spread *spread =
        sample == NULL || data->spreads == NULL ? NULL : &data->spreads[sample - data->samples];
    if (spread == NULL || !(spread->low_s > 0 && spread->high_s > 0)) {
        fputs(" NaN NaN\n", figure->data);
        return;
    }
    fprintf(figure->data, " %.17g %.17g\n", spread->low_s, spread->high_s);
    figure->spreads = true;
    plot_span_add(time_s, spread->low_s);
    plot_span_add(time_s, spread->high_s);
}

void plot_figure_title(struct plot_figure *figure, const char *title)
{
    enum { WIDEST = 60 };
    char name[32], shown[4 * WIDEST + 4];
    if (figure->titles == PLOT_MOST_TITLES)
        return;
    char renamed[1024];
    const char *label =
        plot_look_label(figure->plotter->request->look, title, renamed, sizeof renamed);
    const size_t width =
        plot_gnuplot_cut(label == NULL ? title : label, WIDEST, shown, sizeof shown);
    figure->longest = width > figure->longest ? width : figure->longest;
    snprintf(name, sizeof name, "titles[%zu]", ++figure->titles);
    plot_gnuplot_text(figure->script, name, shown);
}

/* Colours that the user lists are for the series in their order, as are those of an algorithm's
 * variants. Of a style that is taken the next free one. */
void plot_figure_algorithm(struct plot_figure *figure, const char *title, const char *algorithm)
{
    enum { STYLES = 10 };
    const struct plot_plotter *plotter = figure->plotter;
    const struct plot_look *look = plotter->request->look;
    size_t style = 0;
    plot_figure_title(figure, title);
    while (style < plotter->order_count && !plot_same_colour(plotter->order[style], algorithm))
        style++;
    if (style == plotter->order_count || (look != NULL && look->colours[0] != '\0'))
        style = figure->titles - 1;
    style %= STYLES;
    for (int tried = 0; tried < STYLES && (figure->used & 1u << style) != 0; tried++)
        style = (style + 1) % STYLES;
    figure->used |= 1u << style;
    fprintf(figure->script, "styles[%zu] = %zu\n", figure->titles, style + 1);
}

void plot_figure_word(struct plot_figure *figure, const char *text)
{
    char shown[1024];
    sup_visible(text, shown, sizeof shown);
    if (shown[0] != '\0' && shown[0] != '-' && shown[strcspn(shown, " \"'#\\,;")] == '\0') {
        fputs(shown, figure->data);
        return;
    }
    fputc('"', figure->data);
    for (const char *c = shown; *c != '\0'; c++)
        fputc(*c == '"' || *c == '\\' ? '_' : *c, figure->data);
    fputc('"', figure->data);
}

/* Closes a file that was written; false, with errno or 0, if something of it is lost. */
static bool close_written(FILE **file)
{
    errno = 0;
    const bool good = *file == NULL || sup_finish(*file);
    *file = NULL;
    return good;
}

void plot_figure_discard(struct plot_figure *figure)
{
    close_written(&figure->data);
    close_written(&figure->script);
    out_staging_discard(&figure->staging);
}

/* gnuplot doesn't notice a full disk: a picture is whole if it ends as its format does. */
static bool is_whole(const char *path, enum plot_picture picture)
{
    static const char *const ends[] = {[PLOT_PDF] = "%%EOF",
                                       [PLOT_PNG] = "IEND",
                                       [PLOT_SVG] = "</svg>",
                                       [PLOT_TIKZ] = "\\end{tikzpicture}",
                                       [PLOT_CAIROLATEX] = "\\endgroup"};
    enum { TAIL = 128 }; /* comments may follow */
    char tail[TAIL + 1] = "";
    FILE *file = sup_got(fopen(path, "rb"));
    if (file == NULL)
        return false;
    bool whole = false;
    if (fseek(file, -TAIL, SEEK_END) == 0) {
        size_t got = fread(tail, 1, TAIL, file), length = strlen(ends[picture]);
        for (size_t i = 0; i + length <= got && !whole; i++)
            whole = memcmp(tail + i, ends[picture], length) == 0;
    }
    fclose(file);
    return whole;
}

static int check_pictures(const struct plot_figure *figure)
{
    char path[2048];
    for (int i = 0; i < PLOT_PICTURES; i++) {
        make_path(figure, plot_picture_endings[i], path, sizeof path);
        bool whole = (figure->plotter->request->pictures & PLOT_DRAWN & 1u << i) == 0 ||
                     is_whole(path, (enum plot_picture)i);
        if (whole && i == PLOT_CAIROLATEX && (figure->plotter->request->pictures & 1u << i) != 0) {
            make_path(figure, "-cairo.pdf", path, sizeof path);
            whole = is_whole(path, PLOT_PDF);
        }
        if (whole)
            continue;
        return sup_fail(figure->plotter->error, RB_EIO,
                        "%s/%s%s: gnuplot did not write all of it; is the disk full?",
                        figure->plotter->request->directory, figure->name, plot_picture_endings[i]);
    }
    return RB_OK;
}

static void list_pictures(const struct plot_figure *figure)
{
    const struct plot_request *request = figure->plotter->request;
    char path[2048], shown[4 * sizeof path];
    cli_bar_hide();
    for (int i = 0; i < PLOT_PICTURES && request->list != NULL; i++) {
        snprintf(path, sizeof path, "%s/%s%s", request->directory, figure->name,
                 plot_picture_endings[i]);
        if ((request->pictures & 1u << i) != 0 && !(request->undrawn && i != PLOT_CSV))
            fprintf(request->list, "%s\n", sup_visible(path, shown, sizeof shown));
    }
}

static void note_drawn(const struct plot_figure *figure)
{
    struct plot_drawn *drawn = figure->plotter->request->drawn;
    if (drawn == NULL)
        return;
    sup_grow(&drawn->figure, drawn->count, sizeof *drawn->figure);
    drawn->figure[drawn->count++] =
        (struct plot_drawn_figure){sup_strdup(figure->name), sup_strdup(figure->label),
                                   figure->kind->name, figure->kind->title};
}

/* pdflatex has memory for some 15000 shapes. */
static void warn_of_tikz(const struct plot_figure *figure)
{
    enum { MOST_BYTES = 1200000 };
    char path[2048];
    struct stat file;
    const char *ending = plot_picture_endings[PLOT_TIKZ];
    snprintf(path, sizeof path, "%s/%s%s", figure->plotter->request->directory, figure->name,
             ending);
    if ((figure->plotter->request->pictures & 1u << PLOT_TIKZ) != 0 && stat(path, &file) == 0 &&
        file.st_size > MOST_BYTES)
        cli_complain(RB_OK,
                     "%s%s: has more shapes than pdflatex may have memory for: cairolatex (%s) has "
                     "them as a PDF",
                     figure->name, ending, plot_picture_endings[PLOT_CAIROLATEX]);
}

/* A wanted height may leave next to nothing for the curves. */
static void warn_of_room(const struct plot_figure *figure)
{
    enum { LEAST_LINES = 3 };
    const bool keyed = (figure->kind->lacks & PLOT_LACKS_LEGEND) == 0;
    if (!keyed || plot_figure_room(figure) >= LEAST_LINES)
        return;
    cli_complain(RB_OK,
                 "%s: its key and notes leave no room for the curves: give a larger --size, "
                 "--legend none, or --no-notes",
                 figure->name);
}

int plot_figure_finish(struct plot_figure *figure, struct plot_plotter *plotter)
{
    char script[sizeof figure->name + 6];
    fprintf(figure->script, "series = %zu\nlongest = %zu # title\n", figure->titles,
            figure->longest);
    if (figure->spreads)
        fputs("spreads = 1\n", figure->script);
    enum { USUAL = 3 }; /* characters for which the margin has room */
    if (figure->widest > USUAL)
        fprintf(figure->script,
                "left = larger(left, across(%g)) # for ticks of %zu letters\n"
                "set lmargin at screen left\n",
                0.8 + 0.21 * (double)figure->widest, figure->widest);
    int status = RB_OK;
    if (figure->kind->script != NULL)
        fputs(figure->kind->script, figure->script);
    else
        status = append_script(figure, figure->kind->name);
    const bool data_good = close_written(&figure->data);
    const int data_reason = errno;
    const bool script_good = close_written(&figure->script);
    const int reason = data_good ? errno : data_reason;
    if (status == RB_OK && !(data_good && script_good))
        status = sup_fail(plotter->error, RB_EIO, "%s/%s.%s: not all was written: %s",
                          plotter->request->directory, figure->name, data_good ? "gp" : "dat",
                          sup_reason_text(reason));
    const struct plot_request *request = plotter->request;
    if (status == RB_OK && (request->undrawn || (request->pictures & 1u << PLOT_CSV) != 0)) {
        char data[2048], csv[2048];
        make_path(figure, ".dat", data, sizeof data);
        make_path(figure, ".csv", csv, sizeof csv);
        status = csv_write(data, csv, plotter->error);
    }
    const bool draw = !request->undrawn && (request->pictures & PLOT_DRAWN) != 0;
    if (status == RB_OK && draw) {
        snprintf(script, sizeof script, "./%s.gp", figure->name);
        status = plot_gnuplot_run(figure->staging.path, script, plotter->error);
    }
    if (status == RB_OK && draw && (request->pictures & 1u << PLOT_TIKZ) != 0)
        status = plot_gnuplot_style(figure->staging.path, plotter->error);
    if (status == RB_OK && draw)
        status = check_pictures(figure);
    if (status == RB_OK)
        status = out_staging_publish(&figure->staging, plotter->error);
    if (status != RB_OK) {
        plot_figure_discard(figure);
        return status;
    }
    list_pictures(figure);
    note_drawn(figure);
    warn_of_room(figure);
    warn_of_tikz(figure);
    plotter->made++;
    return RB_OK;
}
