/* instances.c - lists of instances, and what collectives make of them: an instance in full is the
 * same instance. */
#include <string.h>

#include "fuzz.h"
#include "roundabout.h"
#include "support/options/common_options.h"

enum { MOST_SIZE = 200, MOST_TRIED = 4, MOST_RANKS = 24 };

/* An algorithm of a collective that takes little time. */
static const char *algorithm_of(const char *collective)
{
    const struct rb_algorithm_info *info = rb_algorithm_find(collective, "caterpillar");
    if (info != NULL)
        return info->name;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0)
            return info->name;
    return NULL;
}

static void check_plan(const char *collective, const char *instance, int32_t p)
{
    struct rb_plan_spec spec = {.collective = collective,
                                .algorithm = algorithm_of(collective),
                                .p = p > 0 ? p : 6,
                                .n = 1,
                                .instance = instance};
    struct rb_plan *plan, *same;
    char why[512] = "";
    if (rb_plan_create(&spec, &plan, why, sizeof why) != RB_OK) {
        FUZZ_ASSERT(why[0] != '\0', "%s: refused without a reason", instance);
        return;
    }
    const char *full = rb_plan_instance(plan);
    FUZZ_ASSERT(strlen(full) < RB_INSTANCE_LENGTH, "%s", full);
    spec.instance = full;
    FUZZ_ASSERT(rb_plan_create(&spec, &same, why, sizeof why) == RB_OK, "%s: %s", full, why);
    FUZZ_ASSERT(strcmp(rb_plan_instance(same), full) == 0, "%s became %s", full,
                rb_plan_instance(same));
    FUZZ_ASSERT(rb_plan_rounds(same) == rb_plan_rounds(plan), "%s", full);
    rb_plan_destroy(same);
    rb_plan_destroy(plan);
}

static void check(const char *instance)
{
    const struct rb_collective_info *collective;
    for (int32_t i = 0; (collective = rb_collective_at(i)) != NULL; i++) {
        char why[512] = "";
        int32_t p;
        if (collective->instance == NULL)
            continue;
        if (rb_instance_ranks(collective->name, instance, &p, why, sizeof why) != RB_OK)
            FUZZ_ASSERT(why[0] != '\0', "%s: refused without a reason", instance);
        else if (p <= MOST_RANKS)
            check_plan(collective->name, instance, p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cli_texts texts = {0};
    struct sup_error error = {0};
    if (size > MOST_SIZE)
        return 0;
    char *text = fuzz_text(data, size);
    if (cli_add_instances(text, &texts, &error) != RB_OK)
        fuzz_check_error(&error);
    for (size_t i = 0; i < texts.count && i < MOST_TRIED; i++)
        check(texts.text[i]);
    cli_texts_free(&texts);
    free(text);
    return 0;
}
