/* tune_filters.c - the options of tune and plot that choose points of a results file. */
#include "experiments/tune/tune_filters.h"

void rb_filters_of(const struct rb_args *args, struct rb_filter filters[RB_FILTERS + 1])
{
    static const struct {
        const char *name, *shown, *column;
        bool numbers;
    } known[RB_FILTERS] = {
        {"collective", "--collective", "collective", false},
        {"algorithm", "--algorithm", "algorithm", false},
        {"radix", "--radix", "radix", true},
        {"ranks", "--ranks", "p", true},
        {"bytes", "--bytes", "m_bytes", true},
        {"platform", "--platform", "platform", false},
        {"ppn", "--ppn", "ppn", true},
        {"counts", "--counts", "counts", false},
        {"instance", "--instance", "instance", false},
        {"placement", "--placement", "placement", false},
        {"engine", "--engine", "engine", false},
        {"progress", "--progress", "progress", false},
    };
    size_t used = 0;
    for (size_t i = 0; i < RB_FILTERS; i++) {
        if (!rb_args_given(args, known[i].name))
            continue;
        struct rb_filter *filter = &filters[used++];
        *filter = (struct rb_filter){.option = known[i].shown, .column = known[i].column};
        if (known[i].numbers)
            filter->numbers = rb_args_list(args, known[i].name);
        else
            filter->text_count = rb_args_texts(args, known[i].name, &filter->texts);
    }
    filters[used] = (struct rb_filter){0};
}
