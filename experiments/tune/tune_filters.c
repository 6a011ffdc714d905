/* tune_filters.c - the options of tune and plot that choose points of a results file. */
#include "experiments/tune/tune_filters.h"

void rb_filters_of(const struct rb_args *args, struct rb_filter filters[POINT_PARAMETERS + 1])
{
    size_t used = 0;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const char *name = parameter->option.name;
        if (parameter->filter.help == NULL || !rb_args_given(args, name))
            continue;
        struct rb_filter *filter = &filters[used++];
        *filter = (struct rb_filter){.parameter = parameter};
        if (parameter->type == POINT_TEXT)
            filter->text_count = rb_args_texts(args, name, &filter->texts);
        else
            filter->numbers = rb_args_list(args, name);
    }
    filters[used] = (struct rb_filter){0};
}
