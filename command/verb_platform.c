/* verb_platform.c - platforms: which can be generated; generate, describe and check one, and say
 * where on it the ranks of a placement are. */
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "platforms/platform.h"
#include "studies/survey/survey.h"

static const struct cli_option options[] = {
    {POINT_LIKE(PLACEMENT),
     .help = "of locate: ranks on hosts, block, cyclic, gray, random:SEED or file:NAME"},
    {POINT_LIKE(P), .help = "of locate: number of ranks; default: as many as the file has"},
    {POINT_LIKE(PPN), .help = "of locate: ranks per host, if no file says where they are"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static int list(const char *platform, const struct cli_args *args, FILE *stream)
{
    (void)platform;
    survey_print_generators(stream, cli_args_format(args), cli_details(args));
    return CLI_EXIT_DONE;
}

static int generate(const char *platform, const struct cli_args *args, FILE *stream)
{
    char *xml;
    size_t size;
    struct sup_error error;
    (void)args;
    int status = platform_make_xml(platform, &xml, &size, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    fwrite(xml, 1, size, stream); /* errors show when the output is closed */
    free(xml);
    return CLI_EXIT_DONE;
}

static int survey(const char *platform, json_t **result)
{
    struct sup_error error;
    int status = survey_platform(platform, result, &error);
    return cli_fail(status, &error);
}

static int describe(const char *platform, const struct cli_args *args, FILE *stream)
{
    json_t *result;
    const int status = survey(platform, &result);
    if (status == CLI_EXIT_DONE)
        survey_print(stream, cli_args_format(args), cli_details(args), result);
    json_decref(result);
    return status;
}

static int check(const char *platform, const struct cli_args *args, FILE *stream)
{
    json_t *result;
    int status = survey(platform, &result);
    const bool found =
        status == CLI_EXIT_DONE && json_array_size(json_object_get(result, "findings")) > 0;
    if (status == CLI_EXIT_DONE && !found &&
        json_integer_value(json_object_get(result, "pairs")) == 0)
        status = cli_complain(CLI_EXIT_USAGE, "%s: has one host and no route: nothing to check",
                              platform);
    if (status == CLI_EXIT_DONE) {
        survey_print_findings(stream, cli_args_format(args), result);
        status = found ? CLI_EXIT_FALSE : CLI_EXIT_DONE;
    }
    json_decref(result);
    return status;
}

static int locate(const char *platform, const struct cli_args *args, FILE *stream)
{
    const char *placement = cli_args_text(args, "placement");
    const int32_t ranks = cli_args_given(args, "ranks") ? (int32_t)cli_args_int(args, "ranks") : 0;
    struct survey_places places;
    struct sup_error error;
    int status = survey_places_find(platform, placement, ranks, (int32_t)cli_args_int(args, "ppn"),
                                    &places, &error);
    status = cli_fail(status, &error);
    if (status == CLI_EXIT_DONE)
        survey_print_places(stream, cli_args_format(args), platform, placement, &places);
    survey_places_free(&places);
    return status;
}

static const struct action {
    const char *name;
    int32_t operands; /* with the action's own name */
    int (*run)(const char *platform, const struct cli_args *args, FILE *stream);
} actions[] = {
    {"list", 1, list},   {"generate", 2, generate}, {"describe", 2, describe},
    {"check", 2, check}, {"locate", 2, locate},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static const struct action *find_action(const char *name)
{
    const char *names[ACTIONS];
    for (int32_t i = 0; i < ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(name, names[i]) == 0)
            return &actions[i];
    }
    char hint[SUP_HINT_SIZE];
    if (platform_is_generated(name) || strchr(name, '.') != NULL) {
        cli_complain(CLI_EXIT_USAGE, "%s: write describe %s, or check or locate", name, name);
        return NULL;
    }
    cli_complain(CLI_EXIT_USAGE, "unknown action '%s': %s", name,
                 sup_hint(name, names, ACTIONS,
                          "it must be list, generate, describe, check or locate", hint));
    return NULL;
}

/* Only one action has the options of a placement. */
static int check_options(const struct cli_args *args, const struct action *action)
{
    return action->run == locate
               ? CLI_EXIT_DONE
               : cli_refused(args, "placement|ranks|ppn", "only locate places ranks");
}

static int run(const struct cli_args *args)
{
    const char *const *operand;
    int32_t operands = cli_args_operands(args, &operand);
    const struct action *action = operands == 0 ? &actions[0] : find_action(operand[0]);
    if (action == NULL)
        return CLI_EXIT_USAGE;
    if (operands > 0 && operands < action->operands)
        return cli_complain(CLI_EXIT_USAGE,
                            "%s: missing platform: give an XML file or a "
                            "generator, such as fat-tree:1024",
                            action->name);
    if (operands > action->operands)
        return cli_complain(CLI_EXIT_USAGE, "%s takes no platform, but got '%s'", action->name,
                            operand[1]);
    if (action->run == generate && cli_args_given(args, "format"))
        return cli_complain(CLI_EXIT_USAGE, "--format: generate writes SimGrid XML only");
    struct out_file output;
    int status = check_options(args, action);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    char *platform = operands > 1 ? platform_usual(operand[1]) : NULL;
    status = action->run(platform, args, output.stream);
    free(platform);
    return cli_finish_output(&output, status);
}

const struct cli_verb verb_platform = {
    .name = "platform",
    .title = "List, generate, describe and check platforms; locate ranks.",
    .operands = "[list | generate NAME:SIZE,... | describe PLATFORM | check PLATFORM | locate "
                "NAME:SIZE,...]",
    .words = "list|generate|describe|check|locate",
    .least_operands = 0,
    .most_operands = 2,
    .reads = "PLATFORM",
    .reads_from = 1,
    .options = options,
    .examples = "roundabout platform list\n"
                "roundabout platform generate fat-tree:1024,taper=2 -o tapered.xml\n"
                "roundabout platform describe dragonfly:1056 --format json\n"
                "roundabout platform check platforms/xml/fat-tree-1024.xml\n"
                "roundabout platform locate leonardo --placement "
                "file:data/pico/alloc/leonardo-2025_04_04___18_21_29.csv\n",
    .run = run,
};
