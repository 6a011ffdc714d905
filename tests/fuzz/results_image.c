/* results_image.c - results databases byte by byte: every file is either read and exported as CSV,
 * or refused with a message. */
#include <string.h>
#include <unistd.h>

#include "experiments/decide/curves.h"
#include "experiments/results/results.h"
#include "fuzz.h"

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void export(const char *path)
{
    char csv[300];
    struct sup_error error = {0};
    sqlite3 *db;
    if (results_open(path, &db, &error) != RB_OK) {
        fuzz_check_error(&error);
        return;
    }
    fuzz_path("results.csv", csv, sizeof csv);
    if (results_export(db, csv, &error) != RB_OK) {
        fuzz_check_error(&error);
        FUZZ_ASSERT(access(csv, F_OK) != 0, "half a CSV is left");
    }
    unlink(csv);
    sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const rest[] = {"results.db-journal", "results.db-wal", "results.db-shm"};
    char path[300], beside[300];
    struct decide_curves curves;
    struct sup_error error = {0};
    fuzz_path("results.db", path, sizeof path);
    write_file(path, data, size);
    if (decide_curves_load(path, NULL, &curves, &error) != RB_OK)
        fuzz_check_error(&error);
    else
        FUZZ_ASSERT(curves.curve_count >= 1 && curves.sample_count >= curves.curve_count,
                    "%zu curves of %zu samples", curves.curve_count, curves.sample_count);
    decide_curves_free(&curves);
    export(path);
    unlink(path);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        fuzz_path(rest[i], beside, sizeof beside);
        unlink(beside);
    }
    return 0;
}
