/* verb_calibrate.c - from what `measure` measured to a platform, and how well it predicts. */
#include <stdio.h>
#include <string.h>

#include "platforms/platform.h"
#include "plots/figure/plot.h"
#include "studies/calibrate/calibrate.h"
#include "support/output/table.h"

enum { MOST_FILES = 1000 };

static bool look_option(int32_t i, struct cli_option *option)
{
    return plot_look_option_without(calib_figures_lack(), i, option);
}

static const struct cli_option options[] = {
    {CLI_ROW("output", TEXT, "NAME"), .letter = 'o', .required = true,
     .help =
         "name of the results: NAME.json, NAME.xml and the figures NAME-fit and NAME-predicted"},
    {CLI_ROW("held-out", INT, "PERCENT"), .fallback = "33", .least = 0, .most = 90,
     .help = "share of the sizes that are not fitted, to test how well they are predicted; the "
             "seed chooses them"},
    {CLI_ROW("seed", INT, "SEED"), .fallback = "1", .least = 0, .most = INT64_MAX,
     .help = "seed of the choice of held-out sizes"},
    {CLI_ROW("pieces", INT, "K"), .fallback = "6", .least = 1, .most = CALIB_MOST_PIECES,
     .help = "largest number of pieces per test"},
    {CLI_ROW("hosts", INT, "H"), .synonym = "nodes", .least = 2, .most = PLATFORM_MOST_HOSTS,
     .help = "hosts of the platform; default: as many as ranks were measured"},
    {CLI_ROW("figures", TEXT, "DIR"), .help = "directory for the figures, created if missing; "
                                              "default: the directory of NAME; - draws none"},
    PLOT_OPTION_PICTURES("pdf,png,svg"),
    {.more = look_option},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

/* Where NAME is. */
static void directory_of(const char *name, char *directory, size_t size)
{
    const char *slash = strrchr(name, '/');
    if (slash == NULL)
        snprintf(directory, size, ".");
    else
        snprintf(directory, size, "%.*s", slash == name ? 1 : (int)(slash - name), name);
}

/* The two files for programs; both stay open until the figures are made, too. */
struct models {
    char json_name[1024], xml_name[1024];
    struct out_file json, xml;
};

static int open_models(const char *name, struct models *models, struct sup_error *error)
{
    enum { SIZE = sizeof models->json_name };
    *models = (struct models){0};
    if (snprintf(models->json_name, SIZE, "%s.json", name) >= SIZE)
        return sup_fail(error, RB_EINVAL, "--output: the name is too long");
    snprintf(models->xml_name, SIZE, "%s.xml", name);
    int status = out_open_derived(&models->json, models->json_name, error);
    if (status == RB_OK)
        status = out_open_derived(&models->xml, models->xml_name, error);
    return status;
}

static int write_models(const struct calib_result *calibration, struct models *models,
                        struct sup_error *error)
{
    out_json_print(models->json.stream, calib_json(calibration), 12);
    return calib_platform(calibration, models->xml.stream, error);
}

static int close_models(struct models *models, int status, struct sup_error *error)
{
    if (status == RB_OK)
        status = out_complete(&models->json, error);
    if (status == RB_OK)
        status = out_complete(&models->xml, error);
    if (status == RB_OK)
        status = out_close(&models->json, error);
    if (status == RB_OK)
        status = out_close(&models->xml, error);
    out_discard(&models->json);
    out_discard(&models->xml);
    return status;
}

/* What is wrong with the fits. RB_EWRONG: one is of no use; its name is in the error. */
static int warn_of_fits(const struct calib_result *calibration, struct sup_error *error)
{
    char text[1024], unusable[128] = "";
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++) {
        const struct calib_test *test = &calibration->test[t];
        const char *name = measure_pair_test_names[t];
        if (test->verdict == CALIB_GOOD)
            continue;
        calib_describe(calibration, (enum measure_pair_test)t, text, sizeof text);
        cli_complain(CLI_EXIT_DONE, "%s: the fit is %s: %s", name,
                     calib_verdict_names[test->verdict], text);
        if (test->verdict == CALIB_UNUSABLE)
            sup_append(unusable, sizeof unusable, ", ", "%s", name);
    }
    if (calib_describe_collectives(calibration, text, sizeof text))
        cli_complain(CLI_EXIT_DONE, "collectives: %s", text);
    if (unusable[0] == '\0')
        return RB_OK;
    return sup_fail(error, RB_EWRONG, "the fit of %s is unusable: do not rely on %s.xml and .json",
                    unusable, calibration->request->name);
}

/* Notes without which the numbers would mislead. */
static void warn(const struct calib_result *calibration)
{
    bool oversubscribed = false;
    for (size_t i = 0; i < calibration->rows.count; i++)
        oversubscribed |= calibration->rows.row[i].oversubscribed == 1;
    if (oversubscribed)
        cli_complain(CLI_EXIT_DONE,
                     "note: some rows have more ranks than cores: no model of a network "
                     "predicts how ranks wait for each other's time slices");
    if (calibration->natives > 0)
        cli_complain(CLI_EXIT_DONE,
                     "note: not predicted, because they have no plan: %lld row%s of the MPI "
                     "library's own collectives",
                     (long long)calibration->natives, sup_plural(calibration->natives));
    if (calibration->other_pairs > 0)
        cli_complain(CLI_EXIT_DONE,
                     "note: %lld row%s of pairs within a host are left out: the platform is made "
                     "of pairs between hosts",
                     (long long)calibration->other_pairs, sup_plural(calibration->other_pairs));
}

static int report(const struct calib_result *calibration, enum out_format format, bool details,
                  struct sup_error *error)
{
    struct out_file output;
    int status = out_open(&output, "-", error);
    if (status == RB_OK && format == OUT_TEXT)
        out_show(&output);
    if (status == RB_OK) {
        calib_report(calibration, format, details, output.stream);
        return out_close(&output, error);
    }
    out_discard(&output);
    return status;
}

static int calibrate(const struct calib_request *request, enum out_format format, bool details,
                     struct calib_result *calibration, struct sup_error *error)
{
    struct models models;
    int status = open_models(request->name, &models, error);
    if (status == RB_OK)
        status = calib_run(request, calibration, error);
    if (status == RB_OK)
        status = write_models(calibration, &models, error);
    if (status == RB_OK)
        status = calib_predict(calibration, out_so_far(&models.xml), error);
    if (status == RB_OK && request->place != NULL)
        status = calib_draw(calibration, error);
    status = close_models(&models, status, error);
    if (status != RB_OK)
        return status;
    if (request->place != NULL)
        plot_look_warn(request->place->look);
    warn(calibration);
    status = report(calibration, format, details, error);
    return status == RB_OK ? warn_of_fits(calibration, error) : status;
}

static int run(const struct cli_args *args)
{
    char directory[1024];
    struct calib_result calibration = {0};
    struct sup_error error;
    struct plot_look look = {0};
    struct plot_request place = {.directory = directory};
    bool draws;
    struct calib_request request = {
        .name = cli_args_text(args, "output"),
        .held_out = (double)cli_args_int(args, "held-out") / 100,
        .seed = (uint64_t)cli_args_int(args, "seed"),
        .hosts = cli_args_given(args, "hosts") ? (int32_t)cli_args_int(args, "hosts") : 0,
        .most_pieces = (int32_t)cli_args_int(args, "pieces"),
    };
    request.file_count = cli_args_operands(args, &request.files);
    directory_of(request.name, directory, sizeof directory);
    int status =
        plot_place_of(args, calib_figures_lack(), "these figures", &place, &look, &draws, &error);
    if (draws)
        request.place = &place;
    if (status == RB_OK)
        status =
            calibrate(&request, cli_args_format(args), cli_details(args), &calibration, &error);
    calib_free(&calibration);
    plot_look_free(&look);
    return cli_fail(status, &error);
}

const struct cli_verb verb_calibrate = {
    .name = "calibrate",
    .title = "Make a SimGrid platform from measurements.",
    .common = "output|held-out|hosts|figures",
    .operands = "FILE.csv...",
    .least_operands = 1,
    .most_operands = MOST_FILES,
    .reads = "FILE.csv",
    .options = options,
    .examples = "roundabout calibrate pairs.csv -o here\n"
                "roundabout calibrate pairs.csv collectives.csv -o here --format csv\n"
                "roundabout simulate -p 8 -m 1MiB --platform here.xml --engine-option "
                "network/model:SMPI\n",
    .run = run,
};
