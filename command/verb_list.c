/* verb_list.c - what there is to choose from: collectives, algorithms, engines and platform
 * generators, all read from their registries. */
#include <jansson.h>
#include <stdio.h>

#include "platforms/platform.h"
#include "sim/engine/engine.h"
#include "studies/survey/survey.h"
#include "support/options/common_options.h"
#include "support/output/rows.h"
#include "support/output/table.h"

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
        out_text_entry(2, 18, 1, collective->name, stream, "%s%s", collective->title,
                       collective->rooted ? " (rooted)" : "");
        if (collective->instance != NULL)
            out_text_entry(2, 18, 1, "", stream, "--instance %s", collective->instance);
        const struct rb_algorithm_info *algorithm;
        for (int32_t j = 0; (algorithm = rb_algorithm_at(j)) != NULL; j++) {
            if (rb_algorithm_find(collective->name, algorithm->name) != algorithm)
                continue;
            out_text_entry(4, 18, 1, algorithm->name, stream, "%s", algorithm->title);
            out_text_entry(4, 18, 1, "", stream, "rounds: %s; n: %s", algorithm->rounds,
                           algorithm->blocks);
            if (algorithm->radix != NULL)
                out_text_entry(4, 18, 1, "", stream, "radix %s", algorithm->radix);
            if (algorithm->ranks != NULL)
                out_text_entry(4, 18, 1, "", stream, "ranks: %s", algorithm->ranks);
            out_text_entry(4, 18, 1, "", stream, "%s", algorithm->paper);
        }
    }
}

static void print_engines(FILE *stream)
{
    fputs("\nEngines (--engine)\n", stream);
    const struct sim_engine *engine;
    for (int32_t i = 0; (engine = sim_engine_at(i)) != NULL; i++) {
        out_text_entry(2, 18, 1, engine->name, stream, "%s", engine->title);
        if (engine->variants != NULL)
            out_text_entry(2, 18, 1, "", stream, "--variant: %s", engine->variants);
        if (engine->options != NULL)
            out_text_entry(2, 18, 1, "", stream, "--engine-option: %s", engine->options);
    }
}

static void print_platforms(FILE *stream)
{
    fputs("\nPlatform generators (--platform NAME:SIZE,OPTION=VALUE,...)\n", stream);
    const struct platform_generator *generator;
    for (int32_t i = 0; (generator = platform_generator_at(i)) != NULL; i++) {
        out_text_entry(2, 18, 1, generator->name, stream, "%s", generator->title);
        out_text_entry(2, 18, 1, "", stream, "sizes: %s", generator->sizes);
        if (generator->base != NULL)
            out_text_entry(2, 18, 1, "", stream,
                           "options: those of %s, with other defaults:", generator->base);
        for (const struct platform_option *option = generator->options; option->name != NULL;
             option++)
            out_text_entry(4, 20, 1, option->name, stream, "%s%s%s", option->help,
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

static int print(const struct cli_args *args, FILE *stream)
{
    if (cli_args_format(args) == OUT_JSON) {
        out_json_print(stream,
                       json_pack("{s:o, s:o, s:o, s:o}", "collectives", json_of_collectives(),
                                 "algorithms", json_of_algorithms(), "engines", json_of_engines(),
                                 "platforms", survey_generators_json()),
                       0);
    } else {
        print_algorithms(stream);
        print_engines(stream);
        print_platforms(stream);
    }
    return CLI_EXIT_DONE;
}

static int run(const struct cli_args *args)
{
    return cli_print(args, print);
}

const struct cli_verb verb_list = {
    .name = "list",
    .title = "List collectives, algorithms, engines and platform generators.",
    .options = options,
    .examples = "roundabout list\n"
                "roundabout list --format json\n",
    .run = run,
};
