/* verb_simulate.c - simulates one point: a plan on a platform. */
#define _POSIX_C_SOURCE 200809L /* unlink */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/options/common_options.h"
#include "command/output/unfinished.h"
#include "command/verbs/simulate_looks.h"
#include "experiments/point/known_platform.h"
#include "experiments/point/parameters.h"
#include "platforms/platform.h"
#include "sim/engine/engine.h"

static const struct rb_option options[] = {
    {POINT_LIKE(COLLECTIVE)},
    {POINT_LIKE(ALGORITHM), .fallback = "circulant",
     .help = "the algorithm; roundabout list names them all; with --engine smpi also SMPI's own, "
             "such as native:ompi or native:ompi_pipeline"},
    {POINT_LIKE(P), .help = "number of ranks; required unless the instance gives it"},
    {POINT_LIKE(N), .help = "number of blocks; default: the closed form's optimum with the latency "
                            "and bandwidth between the platform's first two hosts"},
    {POINT_LIKE(BYTES), .fallback = "1MiB"},
    {POINT_LIKE(ELEMENT)},
    {POINT_LIKE(COUNTS)},
    {.more = point_plan_option},
    {POINT_LIKE(PLATFORM), .file = RB_READS,
     .help = "a generator, such as fat-tree:1024 (see roundabout list), or a SimGrid XML file; "
             "default: a crossbar with as many hosts as the ranks need"},
    {POINT_LIKE(PPN)},
    {POINT_LIKE(PLACEMENT)},
    {POINT_LIKE(ENGINE)},
    {.name = "variant",
     .type = RB_OPT_TEXT,
     .value = "NAME",
     .help = "variant of the engine, see roundabout list; default: the engine's choice"},
    {.name = "engine-option",
     .type = RB_OPT_TEXT,
     .value = "KEY:VALUE",
     .help = "option for the engine, such as network/model:LV08; see roundabout list",
     .repeatable = true},
    {POINT_LIKE(PROGRESS)},
    {.name = "finish", .type = RB_OPT_FLAG, .help = "also print when each rank finished"},
    {.name = "links",
     .type = RB_OPT_INT,
     .value = "N",
     .fallback = "0",
     .help = "also print the N busiest links",
     .least = 0,
     .most = 1000000},
    {.name = "diagnose",
     .type = RB_OPT_FLAG,
     .help = "also print fill, steady state and drain of the pipeline, idle ranks, skew, and the "
             "critical path; see docs/diagnosis.md"},
    {.name = "diagram",
     .type = RB_OPT_TEXT,
     .value = "FILE",
     .file = RB_WRITES,
     .help =
         "also draw ranks against time, with the critical path: a file .pdf, .png or .svg, with "
         "its data and script beside it"},
    {.name = "trace",
     .type = RB_OPT_TEXT,
     .value = "FILE",
     .file = RB_WRITES,
     .help =
         "also write all messages for a trace viewer: a file .json (Perfetto, Chrome), .paje or "
         ".trace (ViTE, Paje)"},
    RB_OPTION_FORMAT("table|csv|json"),
    RB_OPTION_OUTPUT,
    RB_OPTION_END,
};

/* One request; its parts are freed together. */
struct simulation {
    struct rb_plan_spec plan_spec;
    struct rb_plan *plan; /* or, of an algorithm that has none: */
    struct rb_native native;
    struct rb_layout layout;
    int64_t *first; /* the layout's irregular counts, owned */
    const char *counts;
    struct rb_sim_spec spec;
    const struct rb_engine *engine;
    char platform[64]; /* the default's name, if none was given */
    const char *platform_text;
    char platform_hash[17];
    const char *n_origin;
};

static int usage(const char *option, int status, const struct rb_error *error)
{
    return rb_complain(rb_exit_of(status), "--%s: %s", option, error->text);
}

static int read_engine(const struct rb_args *args, struct simulation *simulation)
{
    const char *name = rb_args_text(args, "engine");
    simulation->engine = rb_engine_find(name);
    if (simulation->engine == NULL) {
        const char *names[16];
        size_t count = 0;
        for (; count < 16 && rb_engine_at((int32_t)count) != NULL; count++)
            names[count] = rb_engine_at((int32_t)count)->name;
        const char *nearest = rb_nearest_word(name, names, count);
        if (nearest == NULL)
            return rb_complain(RB_EXIT_USAGE,
                               "--engine: unknown \"%s\": roundabout list shows them all", name);
        return rb_complain(RB_EXIT_USAGE, "--engine: unknown \"%s\": did you mean %s?", name,
                           nearest);
    }
    struct rb_sim_spec *spec = &simulation->spec;
    spec->variant = rb_args_text(args, "variant");
    spec->option_count = rb_args_texts(args, "engine-option", &spec->options);
    for (int32_t i = 0; i < spec->option_count; i++)
        if (strchr(spec->options[i], ':') == NULL)
            return rb_complain(RB_EXIT_USAGE,
                               "--engine-option: \"%s\" is not KEY:VALUE, such as "
                               "network/model:LV08",
                               spec->options[i]);
    return RB_EXIT_DONE;
}

static int read_rules(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_error error;
    struct rb_sim_spec *spec = &simulation->spec;
    int status = rb_progress_parse(rb_args_text(args, "progress"), &spec->progress, &error);
    if (status != RB_OK)
        return usage("progress", status, &error);
    status = rb_placement_parse(rb_args_text(args, "placement"), &spec->placement, &error);
    if (status != RB_OK)
        return usage("placement", status, &error);
    spec->ppn = (int32_t)rb_args_int(args, "ppn");
    return RB_EXIT_DONE;
}

/* What is asked for besides the time. */
static int read_looks(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_sim_spec *spec = &simulation->spec;
    spec->want_finish = rb_args_flag(args, "finish");
    spec->want_links = (int32_t)rb_args_int(args, "links");
    const int tables = spec->want_finish + (spec->want_links > 0) + rb_args_flag(args, "diagnose");
    if (tables > 1 && rb_args_format(args) == OUT_CSV)
        return rb_complain(RB_EXIT_USAGE, "--format: csv holds one table: ask for one of --finish, "
                                          "--links and --diagnose, or for json");
    return RB_EXIT_DONE;
}

static int32_t hosts_needed(const struct simulation *simulation)
{
    return (simulation->plan_spec.p - 1) / simulation->spec.ppn + 1;
}

static int read_platform(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_error error;
    simulation->platform_text = rb_args_text(args, "platform");
    if (simulation->platform_text == NULL) {
        snprintf(simulation->platform, sizeof simulation->platform, "crossbar:%" PRId32,
                 hosts_needed(simulation));
        simulation->platform_text = simulation->platform;
    }
    const char *text = simulation->platform_text;
    int status = rb_platform_hash(text, simulation->platform_hash, &error);
    if (status == RB_OK && !rb_platform_is_generated(text))
        status = rb_platform_check_xml(text, &error);
    /* A file that can't be read is a wrong request, one that can't be generated is a failure. */
    if (status == RB_EIO && !rb_platform_is_generated(text))
        status = RB_EINVAL;
    if (status != RB_OK)
        return usage("platform", status, &error);
    simulation->spec.platform = text;
    return RB_EXIT_DONE;
}

/* The closed form's optimum where -n was not given. */
static int choose_n(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_plan_spec *wanted = &simulation->plan_spec;
    struct rb_error error;
    simulation->n_origin = "given";
    if (rb_args_given(args, "blocks")) {
        wanted->n = rb_args_int(args, "blocks");
        return RB_EXIT_DONE;
    }
    wanted->n = 1;
    if (simulation->plan == NULL) {
        simulation->n_origin = "no plan";
        return RB_EXIT_DONE;
    }
    if (!rb_plan_algorithm(simulation->plan)->pipelined) {
        simulation->n_origin = "not pipelined";
        return RB_EXIT_DONE;
    }
    if (hosts_needed(simulation) == 1) {
        simulation->n_origin = "all ranks are on one host";
        return RB_EXIT_DONE;
    }
    struct rb_known_platform known;
    int status = rb_known_platform_make(simulation->platform_text, &simulation->spec,
                                        simulation->engine, &known, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "%s", error.text);
    status = rb_best_n(wanted, simulation->layout.bytes, known.alpha_s, known.beta_s_per_byte,
                       &wanted->n);
    rb_known_platform_free(&known);
    if (status != RB_OK && status != RB_ENOTSUP)
        return rb_complain(rb_exit_of(status), "--blocks: missing: the closed form has no optimum");
    simulation->n_origin = status == RB_OK ? "closed-form optimum" : "no closed form";
    return RB_EXIT_DONE;
}

/* An algorithm of the engine's library: there is no plan to make. */
static int read_native(const struct rb_args *args, const char *name, struct simulation *simulation,
                       struct rb_error *error)
{
    const struct rb_plan_spec *wanted = &simulation->plan_spec;
    const struct rb_engine *engine = simulation->engine;
    if (engine->find_native == NULL)
        return rb_fail(error, RB_EINVAL,
                       "--algorithm: %s has no plan, which the engine %s needs: use --engine smpi",
                       wanted->algorithm, engine->name);
    const char *planned = point_planned_option(args);
    if (planned != NULL)
        return rb_fail(error, RB_EINVAL, "--%s: %s has no plan that this applies to: leave it out",
                       planned, wanted->algorithm);
    int status = rb_check_collective(wanted->collective, error);
    if (status == RB_OK)
        status = rb_check_root(wanted->root, wanted->p, error);
    if (status != RB_OK)
        return status;
    simulation->native = (struct rb_native){.collective = rb_collective_find(wanted->collective),
                                            .algorithm = name,
                                            .p = wanted->p,
                                            .root = wanted->root};
    simulation->spec.native = &simulation->native;
    struct rb_error why;
    status = engine->find_native(simulation->native.collective, name, &why);
    return status == RB_OK ? RB_OK : rb_fail(error, status, "--algorithm: %s", why.text);
}

/* Everything but n is checked before the platform is loaded to find it. */
static int read_plan(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_error error;
    point_read_plan(args, &simulation->plan_spec);
    if (!rb_args_given(args, "blocks"))
        simulation->plan_spec.n = 1;
    const struct rb_plan_spec *wanted = &simulation->plan_spec;
    const char *native = rb_native_name(wanted->algorithm);
    int status = rb_args_ranks(args, wanted->collective, &simulation->plan_spec.p, &error);
    if (status == RB_OK)
        status = native != NULL ? read_native(args, native, simulation, &error)
                                : rb_request_plan(wanted, &simulation->plan, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "%s", error.text);
    simulation->counts = rb_args_text(args, "counts");
    status =
        rb_request_layout(args, rb_args_int(args, "bytes"), rb_collective_find(wanted->collective),
                          wanted->p, &simulation->layout, &simulation->first, &error);
    return status == RB_OK ? RB_EXIT_DONE : rb_complain(rb_exit_of(status), "%s", error.text);
}

static int make_plan(struct simulation *simulation)
{
    struct rb_error error;
    simulation->spec.layout = &simulation->layout;
    if (simulation->spec.native != NULL)
        return RB_EXIT_DONE;
    rb_plan_destroy(simulation->plan);
    simulation->plan = NULL;
    int status = rb_request_plan(&simulation->plan_spec, &simulation->plan, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "%s", error.text);
    simulation->spec.plan = simulation->plan;
    return RB_EXIT_DONE;
}

static int simulate(const struct rb_args *args, struct simulation *simulation)
{
    struct rb_error error;
    struct rb_output output;
    struct rb_looks looks;
    struct rb_sim_result result = {0};
    int status = rb_args_output(args, &output);
    if (status != RB_EXIT_DONE)
        return status;
    const struct rb_simulated point = {
        .request = &simulation->plan_spec,
        .spec = &simulation->spec,
        .result = &result,
        .engine = simulation->engine,
        .platform = simulation->platform_text,
        .platform_hash = simulation->platform_hash,
        .n_origin = simulation->n_origin,
        .counts = simulation->counts,
    };
    status = rb_looks_open(&looks, args, simulation->engine, &simulation->spec);
    if (status == RB_EXIT_DONE) {
        const int simulated = rb_simulate(simulation->engine, &simulation->spec, &result, &error);
        if (simulated != RB_OK)
            status = rb_complain(rb_exit_of(simulated), "%s", error.text);
        else
            status = rb_looks_print(&looks, &point, output.stream);
        if (status == RB_EXIT_DONE && rb_output_complete(&output, &error) != RB_OK)
            status = rb_complain(RB_EXIT_FAILED, "%s", error.text);
        status = rb_looks_close(&looks, status);
    }
    rb_sim_result_free(&result);
    return rb_finish_output(&output, status);
}

static int run(const struct rb_args *args)
{
    struct simulation simulation = {0};
    int status = read_engine(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = read_plan(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = read_rules(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = read_looks(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = read_platform(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = choose_n(args, &simulation);
    if (status == RB_EXIT_DONE)
        status = make_plan(&simulation);
    if (status == RB_EXIT_DONE)
        status = simulate(args, &simulation);
    rb_plan_destroy(simulation.plan);
    free(simulation.first);
    return status;
}

const struct rb_verb rb_verb_simulate = {
    .name = "simulate",
    .title = "Simulate one point; print time, rounds, volume and links beside their bounds.",
    .options = options,
    .examples = "roundabout simulate -p 1024 -m 8MiB --platform fat-tree:1024\n"
                "roundabout simulate -p 64 -n 16 -m 1MB --progress lockstep --format json\n"
                "roundabout simulate -p 256 -m 1MiB --platform torus:8x8x4 --links 10\n"
                "roundabout simulate -p 64 -m 1MB --engine smpi --algorithm native:ompi\n"
                "roundabout simulate --engine model -p 1000000 -n 100 -m 1GB\n"
                "roundabout simulate -p 17 -n 10 -m 1MB --engine model --diagnose\n"
                "roundabout simulate -p 17 -n 10 --diagram circulant.pdf --trace circulant.json\n",
    .run = run,
};
