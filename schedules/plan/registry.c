/* registry.c - the collectives and algorithms of list.h, by name and number. */
#include <string.h>

#include "plan.h"

static const struct rb_collective *const collectives[] = {
#define RB_COLLECTIVE(name) &name,
#define RB_ALGORITHM(name)
#include "list.h"
};

static const struct rb_algorithm *const algorithms[] = {
#define RB_COLLECTIVE(name)
#define RB_ALGORITHM(name) &name,
#include "list.h"
};

enum {
    COLLECTIVES = sizeof collectives / sizeof collectives[0],
    ALGORITHMS = sizeof algorithms / sizeof algorithms[0],
};

const struct rb_collective *rb_collective_named(const char *name)
{
    for (int32_t i = 0; i < COLLECTIVES; i++) {
        if (strcmp(collectives[i]->info.name, name) == 0)
            return collectives[i];
    }
    return NULL;
}

const struct rb_algorithm *rb_algorithm_named(const char *collective, const char *name)
{
    for (int32_t i = 0; i < ALGORITHMS; i++) {
        const struct rb_algorithm_info *info = &algorithms[i]->info;
        if (strcmp(info->collective, collective) == 0 && strcmp(info->name, name) == 0)
            return algorithms[i];
    }
    return NULL;
}

const struct rb_collective_info *rb_collective_at(int32_t i)
{
    return 0 <= i && i < COLLECTIVES ? &collectives[i]->info : NULL;
}

const struct rb_algorithm_info *rb_algorithm_at(int32_t i)
{
    return 0 <= i && i < ALGORITHMS ? &algorithms[i]->info : NULL;
}

const struct rb_collective_info *rb_collective_find(const char *name)
{
    const struct rb_collective *collective = rb_collective_named(name);
    return collective == NULL ? NULL : &collective->info;
}

const struct rb_algorithm_info *rb_algorithm_find(const char *collective, const char *name)
{
    const struct rb_algorithm *algorithm = rb_algorithm_named(collective, name);
    return algorithm == NULL ? NULL : &algorithm->info;
}
