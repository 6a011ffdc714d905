/* tune_radix.c - see tune_radix.h. */
#include "experiments/decide/tune_radix.h"

#include <math.h>
#include <stdlib.h>

#include "support/memory.h"
#include "support/options/options.h"

static const struct out_column columns[] = {
    {"p", "p", .kind = OUT_COUNT},
    {"m_bytes", "m", .kind = OUT_BYTES},
    {"pair_bytes", "per pair", .kind = OUT_BYTES},
    {"radix", "radix", .kind = OUT_COUNT},
    {"c1", "C1", .kind = OUT_COUNT},
    {"c2", "C2", .kind = OUT_COUNT},
    {"time_s", "time", .kind = OUT_SECONDS},
    {"power_of_two", "power of 2", .kind = OUT_COUNT},
    {"power_of_two_s", "time", .kind = OUT_SECONDS},
    {"few_rounds_s", "fewest rounds", .kind = OUT_SECONDS},
    {"direct_s", "direct", .kind = OUT_SECONDS},
};

/* The closed form with this radix; C1 and C2 too, unless they are NULL. */
static int time_with(const struct decide_tune_radix_request *request, struct rb_plan_spec spec,
                     int32_t radix, int64_t bytes, double *time_s, int64_t *c1, int64_t *c2,
                     struct sup_error *error)
{
    const struct rb_layout layout = {.bytes = bytes, .element = 1};
    struct rb_plan *plan;
    char why[256];
    spec.radix = radix;
    int status = rb_plan_create(&spec, &plan, why, sizeof why);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    status = rb_plan_cost(plan, &layout, request->platform->alpha_s,
                          request->platform->beta_s_per_byte, time_s);
    if (c1 != NULL) {
        *c1 = rb_plan_rounds(plan);
        rb_plan_critical_volume(plan, c2);
    }
    rb_plan_destroy(plan);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "no closed form");
}

static int add_row(const struct decide_tune_radix_request *request, const struct rb_plan_spec *spec,
                   int64_t bytes, size_t setting, struct decide_tune_radix_result *tuning,
                   struct sup_error *error)
{
    const struct point_known_platform *platform = request->platform;
    const int64_t pairs = (int64_t)spec->p * spec->p;
    const int32_t direct = spec->p > 2 ? spec->p : 2;
    int32_t any, power;
    int64_t c1 = 0, c2 = 0;
    double any_s, power_s = NAN, few_s, direct_s; /* no power of two fits, so none is printed */
    int status = time_with(request, *spec, 0, bytes, &few_s, NULL, NULL, error);
    if (status != RB_OK)
        return status;
    status = rb_best_radix(spec, bytes, platform->alpha_s, platform->beta_s_per_byte, false, &any);
    if (status == RB_OK)
        status =
            rb_best_radix(spec, bytes, platform->alpha_s, platform->beta_s_per_byte, true, &power);
    if (status == RB_ENOMEM)
        return sup_fail(error, status, "out of memory");
    if (status != RB_OK)
        return sup_fail(error, status, "%s %s, p = %d, %d ports: no best radix", spec->collective,
                        spec->algorithm, spec->p, spec->ports);
    status = time_with(request, *spec, any, bytes, &any_s, &c1, &c2, error);
    if (status == RB_OK && power > 0)
        status = time_with(request, *spec, power, bytes, &power_s, NULL, NULL, error);
    if (status == RB_OK)
        status = time_with(request, *spec, direct, bytes, &direct_s, NULL, NULL, error);
    if (status != RB_OK)
        return status;
    const union out_cell cells[] = {
        {.whole = spec->p},
        {.whole = bytes},
        {.whole = bytes % pairs == 0 ? bytes / pairs : -1},
        {.whole = any},
        {.whole = c1},
        {.whole = c2},
        {.real = any_s},
        {.whole = power > 0 ? power : -1},
        {.real = power_s},
        {.real = few_s},
        {.real = direct_s},
    };
    decide_tune_table_add(&tuning->table, setting, cells);
    return RB_OK;
}

int decide_tune_radix_run(const struct decide_tune_radix_request *request,
                          struct decide_tune_radix_result *tuning, struct sup_error *error)
{
    enum { MOST_RADICES = 1 << 24 };
    const size_t settings = request->ports->count;
    for (size_t i = 0; i < request->p->count; i++)
        if (request->p->value[i] > MOST_RADICES)
            return sup_fail(error, RB_EINVAL,
                            "--ranks: %lld has too many radices to try; give at most %d",
                            (long long)request->p->value[i], MOST_RADICES);
    struct cli_bar bar;
    cli_bar_start(&bar, "radices",
                  (int64_t)(settings * request->p->count * request->m_bytes->count));
    int64_t made = 0;
    *tuning = (struct decide_tune_radix_result){
        .table = {.name = "radix",
                  .title = "Which radix to take, by the closed form",
                  .columns = columns,
                  .width = OUT_COUNT_OF(columns)}};
    tuning->data.settings = sup_calloc(settings, sizeof *tuning->data.settings);
    tuning->data.setting_count = settings;
    for (size_t k = 0; k < settings; k++) {
        const int32_t ports = (int32_t)request->ports->value[k];
        tuning->data.settings[k] =
            (struct point){.plan = {.collective = request->algorithm->collective, .ports = ports},
                           .platform_text = request->platform->text,
                           .platform_hash = request->platform->hash,
                           .ppn = 1,
                           .placement = "block",
                           .engine_text = "closed form",
                           .engine_options = "",
                           .overlap = "lockstep",
                           .element_bytes = 1,
                           .counts = "regular"};
        point_resolve(&tuning->data.settings[k]);
        for (size_t i = 0; i < request->p->count; i++)
            for (size_t j = 0; j < request->m_bytes->count; j++) {
                const struct rb_plan_spec spec = {.collective = request->algorithm->collective,
                                                  .algorithm = request->algorithm->name,
                                                  .p = (int32_t)request->p->value[i],
                                                  .n = 1,
                                                  .ports = ports};
                cli_bar_update(&bar, made++, NULL);
                const int status =
                    add_row(request, &spec, request->m_bytes->value[j], k, tuning, error);
                if (status != RB_OK) {
                    cli_bar_end(&bar);
                    return status;
                }
            }
    }
    cli_bar_end(&bar);
    return RB_OK;
}

void decide_tune_radix_result_free(struct decide_tune_radix_result *tuning)
{
    decide_tune_table_free(&tuning->table);
    free(tuning->data.settings);
    tuning->data.settings = NULL;
}
