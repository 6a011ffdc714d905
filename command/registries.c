/* registries.c - see registries.h. */
#include "command/registries.h"

#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"

static const char *collective_at(int32_t i)
{
    const struct rb_collective_info *info = rb_collective_at(i);
    return info == NULL ? NULL : info->name;
}

static const char *engine_at(int32_t i)
{
    const struct sim_engine *engine = sim_engine_at(i);
    return engine == NULL ? NULL : engine->name;
}

static const char *platform_at(int32_t i)
{
    const struct platform_generator *generator = platform_generator_at(i);
    return generator == NULL ? NULL : generator->name;
}

const struct cli_registry verb_registries[] = {
    {"collective", collective_at},
    {"engine", engine_at},
    {"platform", platform_at},
    {0},
};
