/* known_platform.c - the platforms of an experiment. */
#include "experiments/point/known_platform.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "support/memory.h"
#include "support/options/options.h"

int point_check_file(const char *path, struct sup_error *error)
{
    char ignored[PLATFORM_IGNORED] = "";
    const int status = platform_check_xml(path, ignored, error);
    if (status == RB_OK && ignored[0] != '\0')
        cli_complain(CLI_EXIT_DONE,
                     "note: %s: %s: ignored, because only the computing of SMPI's "
                     "programs obeys it",
                     path, ignored);
    return status;
}

int point_known_platform_look(const char *text, struct point_known_platform *platform,
                              struct sup_error *error)
{
    *platform = (struct point_known_platform){.text = sup_strdup(text)};
    const int status = platform_hash_of(text, platform->hash, error);
    if (status != RB_OK)
        return status;
    if (!platform_is_generated(text))
        return point_check_file(text, error);
    platform->bounds = point_bounds_make(); /* without it, each bound is computed */
    return platform_find_cuts(text, &platform->cuts, error);
}

int point_known_platform_probe(struct point_known_platform *platform, const struct sim_spec *how,
                               const struct sim_engine *engine, struct sup_error *error)
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
    spec.overlap = (struct sim_overlap){.rule = SIM_BLOCKING};
    spec.variant = NULL; /* not every one can do this plan */
    status = sim_run(engine, &spec, &result, error);
    if (status == RB_OK) {
        const struct platform_cuts *cuts = &platform->cuts;
        const bool has_nodes = cuts->node_terminals > 1;
        platform->hosts = result.hosts;
        platform->alpha_s = has_nodes ? cuts->node_latency_s : result.alpha_s;
        platform->beta_s_per_byte =
            has_nodes ? 1 / cuts->node_message_bandwidth : result.beta_s_per_byte;
    }
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

int point_known_platform_make(const char *text, const struct sim_spec *how,
                              const struct sim_engine *engine,
                              struct point_known_platform *platform, struct sup_error *error)
{
    int status = point_known_platform_look(text, platform, error);
    if (status == RB_OK)
        status = point_known_platform_probe(platform, how, engine, error);
    if (status != RB_OK)
        point_known_platform_free(platform);
    return status;
}

void point_known_platform_free(struct point_known_platform *platform)
{
    free(platform->text);
    free(platform->bounds);
    *platform = (struct point_known_platform){0};
}

int32_t point_ranks_per_node(const char *platform, int32_t ppn)
{
    int32_t hosts = 1;
    struct sup_error why;
    return platform_find_group(platform, "node", &hosts, &why) == RB_OK ? ppn * hosts : ppn;
}
