/* tune_filters.c - the options of tune and plot that choose points of a results file. */
#include "experiments/decide/tune_filters.h"

void tune_filters_of(const struct cli_args *args, struct tune_filter filters[POINT_PARAMETERS + 1])
{
    size_t used = 0;
    for (int i = 0; i < POINT_PARAMETERS; i++) {
        const struct point_parameter *parameter = &point_parameters[i];
        const char *name = parameter->option.name;
        if (parameter->filter.help == NULL || !cli_args_given(args, name))
            continue;
        struct tune_filter *filter = &filters[used++];
        *filter = (struct tune_filter){.parameter = parameter};
        if (parameter->type == POINT_TEXT)
            filter->text_count = cli_args_texts(args, name, &filter->texts);
        else
            filter->numbers = cli_args_list(args, name);
    }
    filters[used] = (struct tune_filter){0};
}
