/* calibration.c - the JSON of `calibrate` as the engine model reads it: an accepted calibration
 * gives every message a time. */
#include <math.h>

#include "fuzz.h"
#include "read_parameters.h"
#include "roundabout.h"

static void check_times(const struct model_parameters *parameters)
{
    FUZZ_ASSERT(parameters->pieces >= 1 && parameters->pieces <= MODEL_MOST_PIECES, "%d pieces",
                parameters->pieces);
    for (int32_t i = 0; i < parameters->pieces; i++)
        FUZZ_ASSERT(i == 0 ? parameters->piece[0].from_bytes == 0
                           : parameters->piece[i].from_bytes > parameters->piece[i - 1].from_bytes,
                    "pieces don't grow");
    for (int64_t m = 0; m < (int64_t)1 << 50; m = 7 * m + 1) {
        const double time_s = model_cost_s(parameters, m);
        FUZZ_ASSERT(time_s >= 0 && !isnan(time_s), "%g s", time_s);
    }
    FUZZ_ASSERT(parameters->o_s >= 0 && parameters->L_s >= 0 && parameters->g_s >= 0 &&
                    parameters->G_s_per_byte >= 0,
                "a negative parameter");
}

static void read_as(const char *option, const char *path)
{
    struct sup_error error = {0};
    struct model_parameters parameters;
    if (fuzz_read_parameters(option, path, &parameters, &error) == RB_OK)
        check_times(&parameters);
    else
        fuzz_check_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    read_as("calibration", path);
    read_as("loggp", path);
    return 0;
}
