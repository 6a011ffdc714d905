/* verb_plot.c - figures for papers from a sweep's results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/curves.h"
#include "plots/figure/plot.h"
#include "support/options/common_options.h"

enum { MOST_FILES = 10 };

static const char *kind_name(int32_t i)
{
    const struct plot_kind *kind = plot_kind_at(i);
    return kind == NULL ? NULL : kind->name;
}

static const struct cli_option options[] = {
    {CLI_ROW("what", TEXT, "KIND,..."), .fallback = "all", .word_at = kind_name, .repeatable = true,
     .help = "kinds of figures, or all; docs/plots.md shows them"},
    {CLI_ROW("output", TEXT, "DIR"), .letter = 'o', .fallback = "figures",
     .help = "directory for the figures; created if missing"},
    {CLI_ROW("format", TEXT, "FORMAT,..."), .fallback = "pdf,png", .word_at = plot_picture_at,
     .repeatable = true,
     .help = "formats of the pictures; tikz and cairolatex are for \\input in LaTeX, csv is a "
             "table"},
    {CLI_ROW("focus", TEXT, "NAME"), .fallback = DECIDE_TUNE_FOCUS,
     .help = "the algorithm whose n and whose speed-up are shown"},
    {CLI_ROW("sizes", CHOICE, "OF"), .fallback = "all", .choices = "all|rank|pair",
     .help = "in figures of one p, the size shown: all data (m), each rank's data (m/p), or the "
             "data of each pair of ranks (m/p^2)"},
    {CLI_ROW("series", TEXT, "PARAMETER,..."), .repeatable = true, .separable = true,
     .help = "settings that differ only in these (platform, overlap, ppn, ...) are lines of one "
             "figure; several RESULTS always are"},
    {CLI_ROW("only", TEXT, "KEY=VALUE,..."), .repeatable = true,
     .help = "draw only what has these values, algorithm=circulant,binomial or p=64; unlike the "
             "filters below, the rest still counts, in speed-ups for example"},
    {.more = plot_look_option},
    {.more = point_filter_option},
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

static enum plot_sizes sizes_of(const struct cli_args *args)
{
    int sizes = 0;
    while (strcmp(cli_args_text(args, "sizes"), plot_sizes_names[sizes]) != 0)
        sizes++;
    return (enum plot_sizes)sizes;
}

/* --sizes is for figures of one p. */
static int check_sizes(const struct plot_request *request)
{
    const struct plot_kind *kind;
    char known[512] = "";
    for (int32_t i = 0; (kind = plot_kind_at(i)) != NULL; i++) {
        if (kind->of_one_p && (request->kinds & 1u << i) != 0)
            return CLI_EXIT_DONE;
        if (kind->of_one_p)
            sup_append(known, sizeof known, ", ", "%s", kind->name);
    }
    return request->sizes == PLOT_SIZES_ALL
               ? CLI_EXIT_DONE
               : cli_complain(CLI_EXIT_USAGE, "--sizes: only for figures of one p: --what %s",
                              known);
}

/* The parameter with this name: an option's, or a column's; POINT_PARAMETERS: there is none. */
static int find_parameter(const char *name, bool of_setting)
{
    int found = POINT_PARAMETERS;
    for (int id = 0; id < POINT_PARAMETERS; id++) {
        const struct point_parameter *parameter = &point_parameters[id];
        const char letter[2] = {parameter->option.letter, '\0'};
        const char *option = parameter->option.name == NULL ? "" : parameter->option.name;
        const bool named = parameter->column != NULL &&
                           (strcmp(name, parameter->column) == 0 || strcmp(name, option) == 0 ||
                            (*letter != '\0' && strcmp(name, letter) == 0));
        if (named && id != POINT_N && (!of_setting || !parameter->varies))
            found = id;
    }
    return found;
}

static int complain_of_parameter(const char *option, const char *name, bool of_setting)
{
    char known[512] = "";
    for (int id = 0; id < POINT_PARAMETERS; id++)
        if (point_parameters[id].column != NULL && id != POINT_N && id != POINT_PLATFORM_HASH &&
            (!of_setting || !point_parameters[id].varies))
            sup_append(known, sizeof known, ", ", "%s", point_parameters[id].column);
    return cli_complain(CLI_EXIT_USAGE, "--%s: \"%s\": there are %s%s", option, name, known,
                        of_setting ? ", all" : "");
}

static int read_series(const struct cli_args *args, bool series[POINT_PARAMETERS])
{
    const char *const *names;
    const int32_t count = cli_args_texts(args, "series", &names);
    for (int32_t i = 0; i < count; i++) {
        const bool all = strcmp(names[i], "all") == 0;
        const int id = all ? POINT_PARAMETERS : find_parameter(names[i], true);
        if (id == POINT_PARAMETERS && !all)
            return complain_of_parameter("series", names[i], true);
        for (int k = 0; k < POINT_PARAMETERS; k++)
            series[k] = series[k] || k == id ||
                        (all && !point_parameters[k].varies && k != POINT_COLLECTIVE);
    }
    return CLI_EXIT_DONE;
}

/* Reads one KEY=VALUE,...; the caller frees only->numbers. */
static int read_only(const char *text, struct plot_only *only)
{
    char key[32];
    struct sup_error error;
    const size_t length = strcspn(text, "=");
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    *only = (struct plot_only){.id = find_parameter(key, false)};
    if (text[length] != '=' || text[length + 1] == '\0')
        return cli_complain(
            CLI_EXIT_USAGE,
            "--only: \"%s\" is no KEY=VALUE,..., such as algorithm=circulant or p=16,64", text);
    if (only->id == POINT_PARAMETERS)
        return complain_of_parameter("only", key, false);
    only->values = text + length + 1;
    if (point_parameters[only->id].type == POINT_TEXT)
        return CLI_EXIT_DONE;
    if (sup_parse_list(only->values, only->id == POINT_BYTES, 0, INT64_MAX, 1 << 16, &only->numbers,
                       &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "--only: %s: %s", key, error.text);
    return CLI_EXIT_DONE;
}

enum { MOST_ONLY = 16 };

static int read_all_only(const struct cli_args *args, struct plot_only only[MOST_ONLY],
                         size_t *count)
{
    const char *const *texts;
    const int32_t text_count = cli_args_texts(args, "only", &texts);
    int status = CLI_EXIT_DONE;
    *count = 0;
    if (text_count > MOST_ONLY)
        return cli_complain(CLI_EXIT_USAGE, "--only: at most %d times", MOST_ONLY);
    for (int32_t i = 0; i < text_count && status == CLI_EXIT_DONE; i++)
        status = read_only(texts[i], &only[(*count)++]);
    return status;
}

static int check_files(const char *const *files, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < i; k++)
            if (strcmp(files[i], files[k]) == 0)
                return cli_complain(CLI_EXIT_USAGE, "\"%s\": given twice", files[i]);
    return CLI_EXIT_DONE;
}

/* What all kinds of figures of a request lack; names gets their names. */
static unsigned lacks_of(unsigned kinds, char *names, size_t size)
{
    const struct plot_kind *kind;
    unsigned lacks = ~0u;
    *names = '\0';
    for (int32_t i = 0; (kind = plot_kind_at(i)) != NULL; i++)
        if ((kinds & 1u << i) != 0) {
            lacks &= kind->lacks;
            sup_append(names, size, ", ", "%s", kind->name);
        }
    return lacks;
}

/* "64 figures in figures: 12 time-n, 4 best-n": into text. */
static void say_drawn(const struct plot_request *request, char *text, size_t size)
{
    const struct plot_drawn *drawn = request->drawn;
    snprintf(text, size, "%zu figure%s in %.300s", drawn->count, drawn->count == 1 ? "" : "s",
             request->directory);
    for (size_t i = 0, end; i < drawn->count; i = end) {
        for (end = i + 1; end < drawn->count && drawn->figure[end].kind == drawn->figure[i].kind;)
            end++;
        sup_append(text, size, i == 0 ? ": " : ", ", "%zu %s", end - i, drawn->figure[i].kind);
    }
}

struct shown {
    const struct cli_args *args;
    const struct plot_request *request;
};

/* What was drawn and where; of many figures the first. context: struct shown. */
static void print_drawn(const void *context, FILE *stream)
{
    enum { MOST = 16 };
    const struct shown *shown = context;
    const struct plot_request *request = shown->request;
    const struct plot_drawn *drawn = request->drawn;
    char text[1024];
    int picture = 0;
    say_drawn(request, text, sizeof text);
    out_say(stream, "%s", text);
    fputc('\n', stream);
    if (cli_details(shown->args)) {
        plot_drawn_paths(drawn, request->directory, request->pictures, stream);
        return;
    }
    while ((request->pictures & 1u << picture) == 0)
        picture++;
    for (size_t i = 0; i < drawn->count && i < MOST; i++)
        fprintf(stream, "%s%s\n", drawn->figure[i].name, plot_picture_endings[picture]);
    if (drawn->count > MOST)
        out_say(stream, "and %zu more; --what, -p and -m choose", drawn->count - MOST);
    out_more(stream, "--details (the paths of all pictures)");
}

static int draw(const struct cli_args *args, struct plot_request *request)
{
    struct plot_drawn drawn = {0};
    struct sup_error error;
    int64_t made = 0;
    struct plot_look look;
    char names[512];
    const unsigned lacks = lacks_of(request->kinds, names, sizeof names);
    const int seen = plot_look_of(args, lacks, names, &look, &error);
    request->look = &look;
    request->drawn = &drawn;
    request->kinds_asked = request->kinds != plot_all_kinds();
    const int status = seen == RB_OK ? plot_draw(request, &made, &error) : seen;
    int exit = CLI_EXIT_DONE;
    if (status != RB_OK)
        exit = cli_fail(status, &error);
    else if (made == 0)
        exit = cli_complain(CLI_EXIT_FAILED, "%s: no figure can be made of these points",
                            request->results);
    else {
        exit = cli_show(print_drawn, &(struct shown){args, request});
        plot_look_warn(&look);
    }
    plot_drawn_free(&drawn);
    plot_look_free(&look);
    return exit;
}

static int run(const struct cli_args *args)
{
    struct decide_filter filters[POINT_PARAMETERS + 1];
    const char *const *operands;
    const int32_t files = cli_args_operands(args, &operands);
    decide_filters_of(args, filters);
    struct plot_request request = {.results = operands[0],
                                   .files = operands,
                                   .file_count = files,
                                   .filters = filters,
                                   .directory = cli_args_text(args, "output"),
                                   .focus = cli_args_text(args, "focus"),
                                   .focus_asked = cli_args_given(args, "focus"),
                                   .all_ranks = cli_args_given(args, "ranks"),
                                   .all_bytes = cli_args_given(args, "bytes"),
                                   .all_radices = cli_args_given(args, "radix"),
                                   .all_algorithms = cli_args_given(args, "algorithm"),
                                   .sizes = sizes_of(args)};
    struct sup_error error;
    int status = CLI_EXIT_DONE;
    if (cli_args_set(args, "what", &request.kinds, &error) != RB_OK ||
        cli_args_set(args, "format", &request.pictures, &error) != RB_OK)
        status = cli_complain(CLI_EXIT_USAGE, "%s", error.text);
    if (status == CLI_EXIT_DONE)
        status = check_sizes(&request);
    if (status == CLI_EXIT_DONE)
        status = check_files(operands, files);
    if (status == CLI_EXIT_DONE)
        status = read_series(args, request.series);
    struct plot_only only[MOST_ONLY];
    request.only = only;
    if (status == CLI_EXIT_DONE)
        status = read_all_only(args, only, &request.only_count);
    if (status == CLI_EXIT_DONE)
        status = draw(args, &request);
    for (size_t i = 0; i < request.only_count; i++)
        sup_list_free(&only[i].numbers);
    return status;
}
const struct cli_verb verb_plot = {
    .name = "plot",
    .title = "Draw figures of results or measured rows, with data and script.",
    .common = "what|output|format|focus|collective|algorithm|ranks|bytes|platform",
    .operands = "RESULTS...",
    .least_operands = 1,
    .most_operands = MOST_FILES,
    .reads = "RESULTS",
    .options = options,
    .examples =
        "roundabout plot results/default.db -o figures\n"
        "roundabout plot results/default.db --what time-n,heat -p 64,256,1024 -m 1MiB\n"
        "roundabout plot results/default.db --what time-m --format svg --platform dragonfly\n"
        "roundabout plot results/bruck-figures.db --what best-radix,time-radix --sizes pair\n"
        "roundabout plot results/bruck-figures.db --what time-m --algorithm bruck:r=2,bruck:r=64 "
        "--focus bruck:r=2\n"
        "roundabout plot results/default.db --what time-m -p 64 --series platform --only "
        "algorithm=circulant,binomial\n"
        "roundabout plot results/default.db --what time-m -p 64 --format cairolatex,csv --size "
        "column --no-notes --labels 'circulant=our broadcast,y=time'\n"
        "roundabout plot results/default.db --what decisions,regret-map --focus binomial\n"
        "roundabout plot old.db new.db --what ratio\n",
    .run = run,
};
