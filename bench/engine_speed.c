/* engine_speed.c - how fast the simgrid engine replays a broadcast.
 *
 * engine_speed PLATFORM ALGORITHM P N BYTES OVERLAP [VARIANT]
 * prints one line: variant, simulated seconds, messages, replay seconds, messages per second,
 * seconds for loading the platform, peak MB. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/engine/engine.h"
#include "support/units.h"

static int measure(char *const argv[], struct sup_error *error)
{
    int64_t p, n;
    struct rb_layout layout = {.element = 1};
    struct sim_spec spec = {.layout = &layout, .platform = argv[1], .ppn = 1, .variant = argv[7]};
    if (sup_parse_int(argv[3], 1, RB_MAX_RANKS, &p, error) ||
        sup_parse_int(argv[4], 1, INT64_MAX, &n, error) ||
        sup_parse_bytes(argv[5], &layout.bytes, error) ||
        sim_overlap_parse(argv[6], &spec.overlap, error))
        return RB_EINVAL;
    struct rb_plan_spec plan_spec = {
        .collective = "bcast", .algorithm = argv[2], .p = (int32_t)p, .n = n};
    struct rb_plan *plan;
    int status = rb_plan_create(&plan_spec, &plan, error->text, sizeof error->text);
    if (status)
        return status;
    spec.plan = plan;
    struct sim_result result;
    status = sim_run(sim_engine_find("simgrid"), &spec, &result, error);
    if (status == 0)
        printf("%s %.9g %" PRId64 " %.3f %.0f %.3f %.0f\n", result.variant, result.time_s,
               result.messages, result.wall_s, (double)result.messages / result.wall_s,
               result.load_s, (double)result.peak_bytes * 1e-6);
    sim_result_free(&result);
    rb_plan_destroy(plan);
    return status;
}

int main(int argc, char *argv[])
{
    if (argc != 7 && argc != 8) {
        fprintf(stderr, "usage: %s PLATFORM ALGORITHM P N BYTES OVERLAP [VARIANT]\n", argv[0]);
        return 2;
    }
    struct sup_error error = {0};
    if (measure(argv, &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return 3;
    }
    return 0;
}
