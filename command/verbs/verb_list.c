/* verb_list.c - what there is to choose from: collectives, algorithms, engines and platform
 * generators, all read from their registries. */
#include <jansson.h>
#include <stdio.h>

#include "command/options/common_options.h"
#include "command/output/json_rows.h"
#include "experiments/platform/platform_report.h"
#include "platforms/platform.h"
#include "sim/engine/engine.h"

static const struct cli_option options[] = {
    CLI_OPTION_FORMAT("table|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static void print_algorithms(FILE *stream)
{
    fputs("Collectives (--collective) and their algorithms (--algorithm)\n", stream);
    const struct rb_collective_info *collective;
    for (int32_t i = 0; (collective = rb_collective_at(i)) != NULL; i++) {
        fprintf(stream, "  %-18s %s%s\n", collective->name, collective->title,
                collective->rooted ? " (rooted)" : "");
        if (collective->instance != NULL)
            fprintf(stream, "  %-18s --instance %s\n", "", collective->instance);
        const struct rb_algorithm_info *algorithm;
        for (int32_t j = 0; (algorithm = rb_algorithm_at(j)) != NULL; j++) {
            if (rb_algorithm_find(collective->name, algorithm->name) != algorithm)
                continue;
            fprintf(stream, "    %-18s %s\n", algorithm->name, algorithm->title);
            fprintf(stream, "    %-18s rounds: %s; n: %s\n", "", algorithm->rounds,
                    algorithm->blocks);
            if (algorithm->radix != NULL)
                fprintf(stream, "    %-18s radix %s\n", "", algorithm->radix);
            if (algorithm->ranks != NULL)
                fprintf(stream, "    %-18s ranks: %s\n", "", algorithm->ranks);
            fprintf(stream, "    %-18s %s\n", "", algorithm->paper);
        }
    }
}

static void print_engines(FILE *stream)
{
    fputs("\nEngines (--engine)\n", stream);
    const struct sim_engine *engine;
    for (int32_t i = 0; (engine = sim_engine_at(i)) != NULL; i++) {
        fprintf(stream, "  %-18s %s\n", engine->name, engine->title);
        if (engine->variants != NULL)
            fprintf(stream, "  %-18s --variant: %s\n", "", engine->variants);
        if (engine->options != NULL)
            fprintf(stream, "  %-18s --engine-option: %s\n", "", engine->options);
    }
}

static void print_platforms(FILE *stream)
{
    fputs("\nPlatform generators (--platform NAME:SIZE,OPTION=VALUE,...)\n", stream);
    const struct platform_generator *generator;
    for (int32_t i = 0; (generator = platform_generator_at(i)) != NULL; i++) {
        fprintf(stream, "  %-18s %s\n  %-18s sizes: %s\n", generator->name, generator->title, "",
                generator->sizes);
        if (generator->base != NULL)
            fprintf(stream, "  %-18s options: those of %s, with other defaults:\n", "",
                    generator->base);
        for (const struct platform_option *option = generator->options; option->name != NULL;
             option++)
            fprintf(stream, "    %-20s %s%s%s\n", option->name, option->help,
                    option->fallback == NULL ? "" : "; default ",
                    option->fallback == NULL ? "" : option->fallback);
    }
}

static json_t *json_of_collectives(void)
{
    json_t *all = json_array();
    const struct rb_collective_info *info;
    for (int32_t i = 0; (info = rb_collective_at(i)) != NULL; i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:b, s:b, s:s?}", "name", info->name, "title",
                                        info->title, "rooted", info->rooted, "reducing",
                                        info->reducing, "instance", info->instance));
    return all;
}

static json_t *json_of_algorithms(void)
{
    json_t *all = json_array();
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:b}", "collective",
                           info->collective, "name", info->name, "title", info->title, "paper",
                           info->paper, "rounds", info->rounds, "blocks", info->blocks, "radix",
                           info->radix, "ranks", info->ranks, "pipelined", info->pipelined));
    return all;
}

static json_t *json_of_engines(void)
{
    json_t *all = json_array();
    const struct sim_engine *engine;
    for (int32_t i = 0; (engine = sim_engine_at(i)) != NULL; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s?, s:s?}", "name", engine->name,
                                             "title", engine->title, "variants", engine->variants,
                                             "options", engine->options));
    return all;
}

static int print_json(FILE *stream)
{
    json_t *all = json_pack("{s:o, s:o, s:o, s:o}", "collectives", json_of_collectives(),
                            "algorithms", json_of_algorithms(), "engines", json_of_engines(),
                            "platforms", survey_generators_json());
    if (out_json_print(stream, all, 0) != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "out of memory");
    return CLI_EXIT_DONE;
}

static int run(const struct cli_args *args)
{
    struct out_file output;
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    if (cli_args_format(args) == OUT_JSON) {
        status = print_json(output.stream);
    } else {
        print_algorithms(output.stream);
        print_engines(output.stream);
        print_platforms(output.stream);
    }
    return cli_finish_output(&output, status);
}

const struct cli_verb verb_list = {
    .name = "list",
    .title = "List collectives, algorithms, engines and platform generators.",
    .options = options,
    .examples = "roundabout list\n"
                "roundabout list --format json\n",
    .run = run,
};
