/* calibrate.c - `calibrate` with any measurements: every fit gives JSON that the engine model
 * accepts, and XML that is a valid platform. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "platforms/platform.h"
#include "read_parameters.h"
#include "roundabout.h"
#include "studies/calibrate/calibrate.h"

/* Only an option that the JSON has something for. */
static void check_model(const char *json_path, const char *option)
{
    struct sup_error error = {0};
    struct model_parameters parameters;
    FUZZ_ASSERT(fuzz_read_parameters(option, json_path, &parameters, &error) == RB_OK, "%s",
                error.text);
    for (int64_t m = 0; m < (int64_t)1 << 40; m = 3 * m + 1) {
        const double time_s = model_cost_s(&parameters, m);
        FUZZ_ASSERT(time_s >= 0 && !isnan(time_s), "%g s", time_s);
    }
}

static void check_json(const struct calib_result *calibration)
{
    json_t *json = calib_json(calibration);
    FUZZ_ASSERT(json != NULL, "no JSON of a calibration");
    char *text = json_dumps(json, 0);
    FUZZ_ASSERT(text != NULL, "JSON that can't be written");
    const char *path = fuzz_file(1, text, strlen(text));
    check_model(path, "calibration");
    if (json_is_object(json_object_get(json, "loggp")))
        check_model(path, "loggp");
    free(text);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *files[] = {fuzz_file(0, data + 2, size - 2)};
    const struct calib_request request = {.files = files,
                                          .file_count = 1,
                                          .name = "fuzz",
                                          .held_out = data[0] % 4 * 0.25,
                                          .seed = data[0],
                                          .most_pieces = 1 + data[1] % CALIB_MOST_PIECES};
    struct calib_result calibration = {0};
    struct sup_error error = {0};
    if (calib_run(&request, &calibration, &error) == RB_OK)
        check_json(&calibration);
    else
        fuzz_check_error(&error);
    calib_free(&calibration);
    return 0;
}
