/* verb_plot.c - figures for papers from a sweep's results. */
#include <inttypes.h>
#include <string.h>

#include "command/options/options.h"
#include "experiments/tune/tune_filters.h"
#include "plots/figure/plot.h"

static const struct rb_option options[] = {
    {.name = "what",
     .type = RB_OPT_TEXT,
     .value = "KIND,...",
     .fallback = "all",
     .help =
         "time-n, best-n, time-m, heat, regret, counts, best-radix, time-radix, relative-m, or all "
         "(docs/plots.md shows them)"},
    {.name = "output",
     .letter = 'o',
     .type = RB_OPT_TEXT,
     .value = "DIR",
     .fallback = "figures",
     .help = "directory for the figures; made if it is not there"},
    {.name = "format",
     .type = RB_OPT_TEXT,
     .value = "FORMAT,...",
     .fallback = "pdf,png",
     .help = "pdf, png, svg"},
    {.name = "focus",
     .type = RB_OPT_TEXT,
     .value = "NAME",
     .fallback = RB_TUNE_FOCUS,
     .help = "the algorithm whose n is looked at, and whose speed-up is shown"},
    {.name = "sizes",
     .type = RB_OPT_CHOICE,
     .value = "OF",
     .fallback = "all",
     .choices = "all|rank|pair",
     .help = "in figures of one p, sizes of all data (m), of each rank's (m/p), or of what each "
             "rank has for each (m/p^2)"},
    {.more = point_filter_option},
    RB_OPTION_END,
};

enum { MOST_WORDS = 16 };

/* Reads "a,b" into the set of the words' places in names; "all" is all of them. */
static int read_set(const char *option, const char *text, const char *const names[], size_t count,
                    unsigned *set)
{
    *set = 0;
    if (strcmp(text, "all") == 0) {
        *set = (1u << count) - 1;
        return RB_EXIT_DONE;
    }
    for (const char *word = text; word != NULL;) {
        const char *comma = strchr(word, ',');
        char name[32];
        size_t i = 0;
        snprintf(name, sizeof name, "%.*s", comma == NULL ? 31 : (int)(comma - word), word);
        while (i < count && strcmp(name, names[i]) != 0)
            i++;
        if (i == count) {
            const char *nearest = rb_nearest_word(name, names, count);
            char all[128] = "";
            for (size_t j = 0; j < count; j++)
                strcat(strcat(all, j == 0 ? "" : ", "), names[j]);
            return rb_complain(RB_EXIT_USAGE, "%s: \"%s\": %s%s%s", option, name,
                               nearest == NULL ? "there are " : "did you mean ",
                               nearest == NULL ? all : nearest, nearest == NULL ? "" : "?");
        }
        *set |= 1u << i;
        word = comma == NULL ? NULL : comma + 1;
    }
    return RB_EXIT_DONE;
}

static enum rb_plot_sizes sizes_of(const struct rb_args *args)
{
    int sizes = 0;
    while (strcmp(rb_args_text(args, "sizes"), rb_plot_sizes_names[sizes]) != 0)
        sizes++;
    return (enum rb_plot_sizes)sizes;
}

/* --sizes is for figures of one p. */
static int check_sizes(const struct rb_plot_request *request)
{
    const struct rb_plot_kind *kind;
    char known[128] = "";
    for (int32_t i = 0; (kind = rb_plot_kind_at(i)) != NULL; i++) {
        if (kind->of_one_p && (request->kinds & 1u << i) != 0)
            return RB_EXIT_DONE;
        if (kind->of_one_p)
            strcat(strcat(known, known[0] == '\0' ? "" : ", "), kind->name);
    }
    return request->sizes == RB_SIZES_ALL
               ? RB_EXIT_DONE
               : rb_complain(RB_EXIT_USAGE, "--sizes: is for figures of one p: --what %s", known);
}

static int read_sets(const struct rb_args *args, struct rb_plot_request *request)
{
    const char *kinds[MOST_WORDS];
    size_t count = 0;
    for (; rb_plot_kind_at((int32_t)count) != NULL; count++)
        kinds[count] = rb_plot_kind_at((int32_t)count)->name;
    int status = read_set("--what", rb_args_text(args, "what"), kinds, count, &request->kinds);
    if (status == RB_EXIT_DONE)
        status = read_set("--format", rb_args_text(args, "format"), rb_picture_names, RB_PICTURES,
                          &request->pictures);
    return status;
}

static int run(const struct rb_args *args)
{
    struct rb_filter filters[POINT_PARAMETERS + 1];
    const char *const *operands;
    struct rb_error error;
    int64_t made;

    rb_args_operands(args, &operands);
    rb_filters_of(args, filters);
    struct rb_plot_request request = {.results = operands[0],
                                      .filters = filters,
                                      .directory = rb_args_text(args, "output"),
                                      .focus = rb_args_text(args, "focus"),
                                      .focus_asked = rb_args_given(args, "focus"),
                                      .all_ranks = rb_args_given(args, "ranks"),
                                      .all_bytes = rb_args_given(args, "bytes"),
                                      .all_radices = rb_args_given(args, "radix"),
                                      .sizes = sizes_of(args),
                                      .list = stdout};
    int status = read_sets(args, &request);
    if (status == RB_EXIT_DONE)
        status = check_sizes(&request);
    if (status != RB_EXIT_DONE)
        return status;
    status = rb_plot(&request, &made, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "%s", error.text);
    if (made == 0)
        return rb_complain(RB_EXIT_FAILED, "%s: no figure can be made of these points",
                           request.results);
    return RB_EXIT_DONE;
}

const struct rb_verb rb_verb_plot = {
    .name = "plot",
    .title = "Figures for papers from a sweep, with the data and script of each.",
    .operands = "RESULTS",
    .least_operands = 1,
    .most_operands = 1,
    .reads = "RESULTS",
    .options = options,
    .examples =
        "roundabout plot results/default.db -o figures\n"
        "roundabout plot results/default.db --what time-n,heat -p 64,256,1024 -m 1MiB\n"
        "roundabout plot results/default.db --what time-m --format svg --platform dragonfly\n"
        "roundabout plot results/bruck-figures.db --what best-radix,time-radix --sizes pair\n"
        "roundabout plot results/bruck-figures.db --what time-m --algorithm bruck:r=2 --algorithm "
        "bruck:r=64 --focus bruck:r=2\n",
    .run = run,
};
