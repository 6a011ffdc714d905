/* read_parameters.h - the model engine's parameters from a file, for the targets that make one. */
#ifndef TESTS_FUZZ_READ_PARAMETERS_H
#define TESTS_FUZZ_READ_PARAMETERS_H

#include "fuzz.h"
#include "roundabout.h"
#include "sim/model/model.h"

/* What `--engine-option OPTION:PATH` sets for a plan of two ranks. */
static inline int fuzz_read_parameters(const char *option, const char *path,
                                       struct model_parameters *parameters, struct sup_error *error)
{
    static struct rb_plan *plan;
    const struct rb_plan_spec plan_spec = {
        .collective = "bcast", .algorithm = "circulant", .p = 2, .n = 1};
    char text[80];
    if (plan == NULL && rb_plan_create(&plan_spec, &plan, NULL, 0) != RB_OK)
        abort();
    snprintf(text, sizeof text, "%s:%s", option, path);
    const char *const options[] = {text};
    const struct sim_spec spec = {.plan = plan,
                                  .platform = "crossbar:2",
                                  .ppn = 1,
                                  .overlap = {.rule = SIM_BLOCKING},
                                  .options = options,
                                  .option_count = 1};
    return model_parameters_read(&spec, parameters, error);
}

#endif
