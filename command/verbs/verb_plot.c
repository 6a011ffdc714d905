/* verb_plot.c - figures for papers from a sweep's results. */
#include <inttypes.h>
#include <string.h>

#include "command/options/options.h"
#include "experiments/tune/tune_filters.h"
#include "plots/figure/plot.h"

static const char *kind_name(int32_t i)
{
    const struct rb_plot_kind *kind = rb_plot_kind_at(i);
    return kind == NULL ? NULL : kind->name;
}

static const char *picture_name(int32_t i)
{
    return i < RB_PICTURES ? rb_picture_names[i] : NULL;
}

static const struct rb_option options[] = {
    {.name = "what",
     .type = RB_OPT_TEXT,
     .value = "KIND,...",
     .fallback = "all",
     .word_at = kind_name,
     .help = "kinds of figures, or all; docs/plots.md shows them"},
    {.name = "output",
     .letter = 'o',
     .type = RB_OPT_TEXT,
     .value = "DIR",
     .fallback = "figures",
     .help = "directory for the figures; created if missing"},
    {.name = "format",
     .type = RB_OPT_TEXT,
     .value = "FORMAT,...",
     .fallback = "pdf,png",
     .word_at = picture_name,
     .help = "formats of the pictures"},
    {.name = "focus",
     .type = RB_OPT_TEXT,
     .value = "NAME",
     .fallback = RB_TUNE_FOCUS,
     .help = "the algorithm whose n and whose speed-up are shown"},
    {.name = "sizes",
     .type = RB_OPT_CHOICE,
     .value = "OF",
     .fallback = "all",
     .choices = "all|rank|pair",
     .help = "in figures of one p, the size shown: all data (m), each rank's data (m/p), or the "
             "data of each pair of ranks (m/p^2)"},
    {.more = point_filter_option},
    RB_OPTION_END,
};

/* ", time-n", or "time-n" at the start of the text. */
static void add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", word);
}

/* Reads "a,b" into the set of the words' places; "all" is all of them. */
static int read_set(const struct rb_args *args, const char *option, unsigned *set)
{
    enum { MOST_WORDS = 8 * sizeof *set };
    const char *(*word_at)(int32_t i) = rb_args_option(args, option)->word_at;
    const char *text = rb_args_text(args, option), *names[MOST_WORDS];
    size_t count = 0;
    while (count < MOST_WORDS && word_at((int32_t)count) != NULL) {
        names[count] = word_at((int32_t)count);
        count++;
    }
    *set = 0;
    if (strcmp(text, "all") == 0) {
        *set = count == MOST_WORDS ? ~0u : (1u << count) - 1;
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
            char all[512] = "";
            for (size_t j = 0; j < count; j++)
                add_word(all, sizeof all, names[j]);
            return rb_complain(RB_EXIT_USAGE, "--%s: \"%s\": %s%s%s", option, name,
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
    char known[512] = "";
    for (int32_t i = 0; (kind = rb_plot_kind_at(i)) != NULL; i++) {
        if (kind->of_one_p && (request->kinds & 1u << i) != 0)
            return RB_EXIT_DONE;
        if (kind->of_one_p)
            add_word(known, sizeof known, kind->name);
    }
    return request->sizes == RB_SIZES_ALL
               ? RB_EXIT_DONE
               : rb_complain(RB_EXIT_USAGE, "--sizes: only for figures of one p: --what %s", known);
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
    int status = read_set(args, "what", &request.kinds);
    if (status == RB_EXIT_DONE)
        status = read_set(args, "format", &request.pictures);
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
    .title = "Draw figures for papers from a sweep, with the data and script of each figure.",
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
