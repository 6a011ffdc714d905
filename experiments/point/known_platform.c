/* known_platform.c - the platforms of an experiment. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "experiments/point/known_platform.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"

static int probe(const struct sim_spec *how, const struct sim_engine *engine,
                 struct point_known_platform *platform, struct sup_error *error)
{
    struct rb_plan_spec wanted = {.collective = "bcast", .algorithm = "flat", .p = 2, .n = 1};
    struct rb_layout layout = {.bytes = 1, .element = 1};
    struct rb_plan *plan = NULL;
    struct sim_result result = {0};
    char why[256];

    int status = rb_plan_create(&wanted, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    struct sim_spec spec = *how;
    spec.plan = plan;
    spec.layout = &layout;
    spec.platform = platform->text;
    spec.ppn = 1;
    spec.placement = (struct sim_placement){.rule = SIM_BLOCK};
    spec.progress = (struct sim_progress){.rule = SIM_BLOCKING};
    spec.variant = NULL; /* not every one can do this plan */
    status = sim_run(engine, &spec, &result, error);
    if (status == RB_OK) {
        platform->hosts = result.hosts;
        platform->alpha_s = result.alpha_s;
        platform->beta_s_per_byte = result.beta_s_per_byte;
    }
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

int point_known_platform_make(const char *text, const struct sim_spec *how,
                              const struct sim_engine *engine,
                              struct point_known_platform *platform, struct sup_error *error)
{
    *platform = (struct point_known_platform){.text = strdup(text)};
    if (platform->text == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    int status = platform_hash_of(text, platform->hash, error);
    if (status == RB_OK && !platform_is_generated(text))
        status = platform_check_xml(text, error);
    else if (status == RB_OK)
        status = platform_find_cuts(text, &platform->cuts, error);
    if (status == RB_OK)
        status = probe(how, engine, platform, error);
    if (status != RB_OK)
        point_known_platform_free(platform);
    return status;
}

void point_known_platform_free(struct point_known_platform *platform)
{
    free(platform->text);
    *platform = (struct point_known_platform){0};
}
