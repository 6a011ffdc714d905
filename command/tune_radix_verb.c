/* tune_radix_verb.c - see tune_radix_verb.h. */
#include "command/tune_radix_verb.h"

#include <jansson.h>
#include <string.h>

#include "experiments/decide/tune_radix.h"
#include "support/output/json_rows.h"

bool verb_wants_radix(const struct cli_args *args)
{
    return strcmp(cli_args_text(args, "constant"), "radix") == 0;
}

/* The single text of an option that may be repeated, or the default. */
static const char *text_of(const struct cli_args *args, const char *name, const char *fallback)
{
    const char *const *texts;
    const int32_t count = cli_args_texts(args, name, &texts);
    return count == 0 ? fallback : texts[count - 1];
}

/* Options that the closed form does not use. */
static int check(const struct cli_args *args)
{
    static const char *const needed[] = {"ranks", "bytes", "platform"};
    static const char *const wrong[] = {"what",      "focus",   "element-bytes", "ppn",    "counts",
                                        "placement", "engine",  "overlap",       "search", "root",
                                        "element",   "confirm", "radix",         "groups"};
    const char *const *operands;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!cli_args_given(args, needed[i]))
            return cli_complain(CLI_EXIT_USAGE,
                                "--constant radix: --%s is missing: for example -p 64 -m 1MiB "
                                "--platform crossbar:64,latency=29us,bandwidth=8.33MBps",
                                needed[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (cli_args_given(args, wrong[i]))
            return cli_complain(CLI_EXIT_USAGE, "--%s: has no meaning with --constant radix",
                                wrong[i]);
    if (cli_args_operands(args, &operands) > 0)
        return cli_complain(CLI_EXIT_USAGE,
                            "--constant radix: uses the closed form, not %s: leave it out",
                            operands[0]);
    const char *format = cli_args_text(args, "format");
    if (cli_args_format(args) == OUT_TEXT && strcmp(format, "table") != 0)
        return cli_complain(CLI_EXIT_USAGE, "--format %s: not for radices: use table, csv or json",
                            format);
    return CLI_EXIT_DONE;
}

/* The collective's first algorithm with a radix that is not of groups, else its usual one. */
static const char *usual_with_radix(const char *collective)
{
    const struct rb_algorithm_info *usual = NULL, *info;
    for (int32_t i = 0; usual == NULL && (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, collective) == 0 && info->radix != NULL && !info->groups)
            usual = info;
    if (usual == NULL)
        usual = rb_algorithm_find(collective, NULL);
    return usual == NULL ? "" : usual->name;
}

static int read_algorithm(const struct cli_args *args, struct decide_tune_radix_request *request,
                          struct sup_error *error)
{
    const char *collective = text_of(args, "collective", "alltoall");
    const char *algorithm = text_of(args, "algorithm", usual_with_radix(collective));
    int status = cli_check_collective(collective, error);
    if (status == RB_OK)
        status = cli_check_algorithm(collective, algorithm, error);
    if (status != RB_OK)
        return status;
    request->algorithm = rb_algorithm_find(collective, algorithm);
    if (request->algorithm->radix == NULL)
        return sup_fail(error, RB_EINVAL,
                        "--algorithm: %s %s has no radix: roundabout list says which have one",
                        collective, algorithm);
    return RB_OK;
}

static void print(const struct cli_args *args, const struct decide_tune_radix_result *tuning,
                  FILE *stream)
{
    switch (cli_args_format(args)) {
    case OUT_TEXT:
        decide_tune_table_text(&tuning->table, &tuning->data, stream);
        break;
    case OUT_CSV:
        decide_tune_table_csv(&tuning->table, &tuning->data, stream);
        break;
    case OUT_JSON:
        out_json_print(stream,
                       json_pack("{s:s, s:o}", "version", cli_program_version, "radix",
                                 decide_tune_table_json(&tuning->table, &tuning->data)),
                       15);
        break;
    }
}

int verb_tune_radix_run(const struct cli_args *args)
{
    struct decide_tune_radix_request request = {.p = cli_args_list(args, "ranks"),
                                                .m_bytes = cli_args_list(args, "bytes"),
                                                .ports = cli_args_list(args, "ports")};
    struct decide_tune_radix_result tuning = {0};
    struct point_known_platform platform = {0};
    const struct sim_spec how = {0};
    struct out_file output;
    struct sup_error error;
    int status = check(args);
    if (status != CLI_EXIT_DONE)
        return status;
    int made = read_algorithm(args, &request, &error);
    if (made == RB_OK) {
        struct sup_error why;
        made = point_known_platform_make(text_of(args, "platform", NULL), &how,
                                         sim_engine_find("simgrid"), &platform, &why);
        if (made != RB_OK)
            sup_fail(&error, made, "--platform: %s", why.text);
    }
    request.platform = &platform;
    if (made == RB_OK)
        made = decide_tune_radix_run(&request, &tuning, &error);
    status = made == RB_OK ? cli_args_output(args, &output) : cli_fail(made, &error);
    if (status == CLI_EXIT_DONE) {
        print(args, &tuning, output.stream);
        status = cli_finish_output(&output, status);
    }
    decide_tune_radix_result_free(&tuning);
    point_known_platform_free(&platform);
    return status;
}
