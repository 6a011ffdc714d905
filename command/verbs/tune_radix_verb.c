/* tune_radix_verb.c - see tune_radix_verb.h. */
#include "command/verbs/tune_radix_verb.h"

#include <jansson.h>
#include <string.h>

#include "command/output/json_rows.h"
#include "experiments/tune/tune_radix.h"

bool rb_wants_radix(const struct rb_args *args)
{
    return strcmp(rb_args_text(args, "constant"), "radix") == 0;
}

/* The one text of an option that may be repeated, or what stands for it. */
static const char *text_of(const struct rb_args *args, const char *name, const char *fallback)
{
    const char *const *texts;
    const int32_t count = rb_args_texts(args, name, &texts);
    return count == 0 ? fallback : texts[count - 1];
}

/* What the closed form doesn't depend on, or does by itself. */
static int check(const struct rb_args *args)
{
    static const char *const needed[] = {"ranks", "bytes", "platform"};
    static const char *const wrong[] = {"what",      "focus",   "element-bytes", "ppn",    "counts",
                                        "placement", "engine",  "progress",      "search", "root",
                                        "element",   "confirm", "radix"};
    const char *const *operands;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!rb_args_given(args, needed[i]))
            return rb_complain(RB_EXIT_USAGE,
                               "--constant radix: --%s is missing: for example -p 64 -m 1MiB "
                               "--platform crossbar:64,latency=29us,bandwidth=8.33MBps",
                               needed[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (rb_args_given(args, wrong[i]))
            return rb_complain(RB_EXIT_USAGE, "--%s: has no meaning with --constant radix",
                               wrong[i]);
    if (rb_args_operands(args, &operands) > 0)
        return rb_complain(RB_EXIT_USAGE,
                           "--constant radix: uses the closed form, not %s: leave it out",
                           operands[0]);
    if (strcmp(rb_args_text(args, "format"), "decisions") == 0)
        return rb_complain(RB_EXIT_USAGE, "--format decisions: not for radices: use table, csv "
                                          "or json");
    return RB_EXIT_DONE;
}

static int read_algorithm(const struct rb_args *args, struct rb_radix_request *request,
                          struct rb_error *error)
{
    const char *collective = text_of(args, "collective", "alltoall");
    const char *algorithm = text_of(args, "algorithm", "bruck");
    int status = rb_check_collective(collective, error);
    if (status == RB_OK)
        status = rb_check_algorithm(collective, algorithm, error);
    if (status != RB_OK)
        return status;
    request->algorithm = rb_algorithm_find(collective, algorithm);
    if (request->algorithm->radix == NULL)
        return rb_fail(error, RB_EINVAL,
                       "--algorithm: %s %s has no radix: roundabout list says which have one",
                       collective, algorithm);
    return RB_OK;
}

static int print(const struct rb_args *args, const struct rb_radix_tuning *tuning, FILE *stream)
{
    switch (rb_args_format(args)) {
    case OUT_TEXT:
        rb_table_text(&tuning->table, &tuning->data, stream);
        return RB_EXIT_DONE;
    case OUT_CSV:
        rb_table_csv(&tuning->table, &tuning->data, stream);
        return RB_EXIT_DONE;
    case OUT_JSON:
        break;
    }
    json_t *all = json_pack("{s:s, s:o}", "version", rb_program_version, "radix",
                            rb_table_json(&tuning->table, &tuning->data));
    return rb_json_print(stream, all, 15) == RB_OK ? RB_EXIT_DONE
                                                   : rb_complain(RB_EXIT_FAILED, "out of memory");
}

int rb_tune_radix_run(const struct rb_args *args)
{
    struct rb_radix_request request = {.p = rb_args_list(args, "ranks"),
                                       .m_bytes = rb_args_list(args, "bytes"),
                                       .ports = rb_args_list(args, "ports")};
    struct rb_radix_tuning tuning = {0};
    struct rb_known_platform platform = {0};
    const struct rb_sim_spec how = {0};
    struct rb_output output;
    struct rb_error error;
    int status = check(args);
    if (status != RB_EXIT_DONE)
        return status;
    int made = read_algorithm(args, &request, &error);
    if (made == RB_OK) {
        struct rb_error why;
        made = rb_known_platform_make(text_of(args, "platform", NULL), &how,
                                      rb_engine_find("simgrid"), &platform, &why);
        if (made != RB_OK)
            rb_fail(&error, made, "--platform: %s", why.text);
    }
    request.platform = &platform;
    if (made == RB_OK)
        made = rb_tune_radix(&request, &tuning, &error);
    status = made == RB_OK ? rb_args_output(args, &output)
                           : rb_complain(rb_exit_of(made), "%s", error.text);
    if (status == RB_EXIT_DONE)
        status = rb_finish_output(&output, print(args, &tuning, output.stream));
    rb_radix_tuning_free(&tuning);
    rb_known_platform_free(&platform);
    return status;
}
