/* experiment.c - experiment files: values that are read are within their limits, and messages have
 * a file and line. */
#define _GNU_SOURCE /* memmem */

#include <string.h>

#include "experiments/sweep/experiment.h"
#include "fuzz.h"

static void check_list(const struct sup_list *list, int64_t least, int64_t most)
{
    for (size_t i = 0; i < list->count; i++)
        FUZZ_ASSERT(list->value[i] >= least && list->value[i] <= most, "%lld",
                    (long long)list->value[i]);
}

static void check_grid(const struct sweep_experiment *experiment, size_t i)
{
    static const char *const keys[] = {"collective", "p", "n", "engine", "platform"};
    const struct sweep_grid *grid = &experiment->grid[i];
    struct sup_error error = {0};
    FUZZ_ASSERT(grid->collective != NULL && grid->engine_count >= 1, "no collective or engine");
    check_list(&grid->number[POINT_P], 1, RB_MAX_RANKS);
    check_list(&grid->number[POINT_BYTES], 0, INT64_MAX);
    check_list(&grid->number[POINT_N], 1, INT64_MAX);
    check_list(&grid->number[POINT_ROOT], 0, RB_MAX_RANKS - 1);
    check_list(&grid->number[POINT_PORTS], 1, RB_MAX_PORTS);
    check_list(&grid->number[POINT_PPN], 1, RB_MAX_RANKS);
    FUZZ_ASSERT(grid->element_bytes >= 1, "elements of no bytes");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        FUZZ_ASSERT(sweep_experiment_blame(experiment, i, keys[k], 0, &error, "it is to blame") < 0,
                    "no error");
        fuzz_check_error(&error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep_experiment experiment;
    struct sup_error error = {0};
    /* Names of native algorithms are asked of SMPI, in a process: 200 ms. */
    if (memmem(data, size, "native", 6) != NULL)
        return 0;
    const char *path = fuzz_file(0, data, size);
    if (sweep_experiment_load(path, NULL, &experiment, &error) != RB_OK) {
        fuzz_check_error(&error);
        return 0;
    }
    FUZZ_ASSERT(experiment.grid_count >= 1 && experiment.name != NULL, "nothing in it");
    for (size_t i = 0; i < experiment.grid_count; i++)
        check_grid(&experiment, i);
    sweep_experiment_free(&experiment);
    return 0;
}
