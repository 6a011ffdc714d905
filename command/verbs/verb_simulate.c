/* verb_simulate.c - simulates one point: a plan on a platform. */
#define _POSIX_C_SOURCE 200809L /* unlink */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/common_options.h"
#include "cli/output/unfinished.h"
#include "command/verbs/simulate_inspection.h"
#include "experiments/point/group_words.h"
#include "experiments/point/known_platform.h"
#include "experiments/point/lower_bound.h"
#include "experiments/point/parameters.h"
#include "experiments/point/time_left.h"
#include "platforms/platform.h"
#include "sim/engine/engine.h"
#include "sim/engine/host_file.h"
#include "sim/engine/jitter.h"
#include "support/visible.h"

static const struct cli_option options[] = {
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
    {POINT_LIKE(PLATFORM), .file = CLI_READS,
     .help = "a generator, such as fat-tree:1024, a machine, such as leonardo (see roundabout "
             "list), or a SimGrid XML file; "
             "default: a crossbar with as many hosts as the ranks need"},
    {POINT_LIKE(PPN)},
    {POINT_LIKE(PLACEMENT)},
    {POINT_LIKE(ENGINE)},
    {.name = "variant",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .help = "variant of the engine, see roundabout list; default: the engine's choice"},
    {.name = "engine-option",
     .type = CLI_OPT_TEXT,
     .value = "KEY:VALUE",
     .help = "option for the engine, such as network/model:LV08; see roundabout list",
     .repeatable = true},
    {POINT_LIKE(PROGRESS)},
    {POINT_LIKE(JITTER)},
    {.name = "finish", .type = CLI_OPT_FLAG, .help = "also print when each rank finished"},
    {.name = "links",
     .type = CLI_OPT_INT,
     .value = "N",
     .fallback = "0",
     .help = "also print the N busiest links",
     .least = 0,
     .most = 1000000},
    {.name = "diagnose",
     .type = CLI_OPT_FLAG,
     .help = "also print fill, steady state and drain of the pipeline, idle ranks, skew, and the "
             "critical path; see docs/diagnosis.md"},
    {.name = "diagram",
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .file = CLI_WRITES,
     .help = "also draw ranks against time, with the critical path: a file .pdf, .png, .svg, "
             "-tikz.tex, -cairo.tex or .csv, with its data and script beside it"},
    {.name = "contention",
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .file = CLI_WRITES,
     .help = "also draw how busy the links of each level are at what time, and in which rounds "
             "messages share them: a file as for --diagram; with --engine flow"},
    {.more = verb_inspection_look},
    {.name = "trace",
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .file = CLI_WRITES,
     .help = "also write all messages for a trace viewer: a file .json (Perfetto, Chrome)"},
    {.name = "report",
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .file = CLI_WRITES,
     .help = "also write one HTML file with the diagnosis, the space-time diagram and the links' "
             "loads; see docs/report.md"},
    {.name = "write-placement",
     .type = CLI_OPT_TEXT,
     .value = "FILE",
     .file = CLI_WRITES,
     .help = "also write each rank's host, for --placement file:FILE or for an MPI library"},
    {.name = "placement-format",
     .type = CLI_OPT_TEXT,
     .value = "NAME",
     .fallback = "ranks",
     .help = "format of that file: ranks (a host per line), openmpi (rankfile), mpich (host list), "
             "slurm (SLURM_HOSTFILE), csv (MPI_Rank,allocation)"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

/* One request; its parts are freed together. */
struct simulation {
    struct rb_plan_spec plan_spec;
    struct rb_plan *plan; /* or, of an algorithm that has none: */
    struct sim_native native;
    struct rb_layout layout;
    int64_t *first; /* the layout's irregular counts, owned */
    const char *counts;
    struct sim_spec spec;
    const struct rb_collective_info *collective;
    const struct sim_engine *engine;
    char platform[64]; /* the default's name, if none was given */
    const char *platform_text;
    char platform_hash[17];
    const char *n_origin;
    char groups[POINT_GROUPS_ROOM]; /* the meaning of a word of --groups */
    bool writes_placement;          /* `placement` is open */
    struct out_file placement;
    enum sim_host_format placement_format;
    int32_t copies; /* with jitter; 0: none */
};

static int usage(const char *option, int status, const struct sup_error *error)
{
    if (error->text[0] == '-') /* it names another option */
        return cli_complain(cli_exit_of(status), "%s", error->text);
    return cli_complain(cli_exit_of(status), "--%s: %s", option, error->text);
}

static int read_engine(const struct cli_args *args, struct simulation *simulation)
{
    const char *name = cli_args_text(args, "engine");
    simulation->engine = sim_engine_find(name);
    if (simulation->engine == NULL) {
        const char *names[16];
        size_t count = 0;
        for (; count < 16 && sim_engine_at((int32_t)count) != NULL; count++)
            names[count] = sim_engine_at((int32_t)count)->name;
        char hint[SUP_HINT_SIZE];
        return cli_complain(CLI_EXIT_USAGE, "--engine: unknown \"%s\": %s", name,
                            sup_hint(name, names, count, "roundabout list shows them all", hint));
    }
    struct sim_spec *spec = &simulation->spec;
    spec->variant = cli_args_text(args, "variant");
    spec->option_count = cli_args_texts(args, "engine-option", &spec->options);
    for (int32_t i = 0; i < spec->option_count; i++)
        if (strchr(spec->options[i], ':') == NULL)
            return cli_complain(CLI_EXIT_USAGE,
                                "--engine-option: \"%s\" is not KEY:VALUE, such as "
                                "network/model:LV08",
                                spec->options[i]);
    return CLI_EXIT_DONE;
}

static int read_rules(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    struct sim_spec *spec = &simulation->spec;
    int status = sim_progress_parse(cli_args_text(args, "progress"), &spec->progress, &error);
    if (status != RB_OK)
        return usage("progress", status, &error);
    status = sim_placement_parse(cli_args_text(args, "placement"), &spec->placement, &error);
    if (status != RB_OK)
        return usage("placement", status, &error);
    spec->ppn = (int32_t)cli_args_int(args, "ppn");
    if (cli_args_given(args, "jitter")) {
        simulation->copies = (int32_t)cli_args_int(args, "jitter");
        status = sim_jitter_check(simulation->engine, spec, &error);
        if (status != RB_OK)
            return usage("jitter", status, &error);
    }
    spec->want_hosts = cli_args_given(args, "write-placement") || spec->placement.search ||
                       spec->placement.rule == SIM_FILE;
    status = sim_host_format_parse(cli_args_text(args, "placement-format"),
                                   &simulation->placement_format, &error);
    return status == RB_OK ? CLI_EXIT_DONE : usage("placement-format", status, &error);
}

/* The requested details besides the time. */
static int read_looks(const struct cli_args *args, struct simulation *simulation)
{
    struct sim_spec *spec = &simulation->spec;
    spec->want_finish = cli_args_flag(args, "finish");
    spec->want_links = (int32_t)cli_args_int(args, "links");
    const int tables = spec->want_finish + (spec->want_links > 0) + cli_args_flag(args, "diagnose");
    if (tables > 1 && cli_args_format(args) == OUT_CSV)
        return cli_complain(CLI_EXIT_USAGE,
                            "--format: csv holds one table: ask for one of --finish, "
                            "--links and --diagnose, or for json");
    return CLI_EXIT_DONE;
}

static int32_t hosts_needed(const struct simulation *simulation)
{
    return (simulation->plan_spec.p - 1) / simulation->spec.ppn + 1;
}

static int read_platform(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    simulation->platform_text = cli_args_text(args, "platform");
    if (simulation->platform_text == NULL) {
        snprintf(simulation->platform, sizeof simulation->platform, "crossbar:%" PRId32,
                 hosts_needed(simulation));
        simulation->platform_text = simulation->platform;
    }
    const char *text = simulation->platform_text;
    int status = platform_hash_of(text, simulation->platform_hash, &error);
    if (status == RB_OK && !platform_is_generated(text))
        status = platform_check_xml(text, &error);
    /* A file that can't be read is a wrong request, one that can't be generated is a failure. */
    if (status == RB_EIO && !platform_is_generated(text))
        status = RB_EINVAL;
    if (status != RB_OK)
        return usage("platform", status, &error);
    simulation->spec.platform = text;
    return CLI_EXIT_DONE;
}

/* The closed form's optimum where -n was not given. */
static int choose_n(const struct cli_args *args, struct simulation *simulation)
{
    struct rb_plan_spec *wanted = &simulation->plan_spec;
    struct sup_error error;
    simulation->n_origin = "given";
    if (cli_args_given(args, "blocks")) {
        wanted->n = cli_args_int(args, "blocks");
        return CLI_EXIT_DONE;
    }
    wanted->n = 1;
    if (simulation->plan == NULL) {
        simulation->n_origin = "no plan";
        return CLI_EXIT_DONE;
    }
    if (!rb_plan_algorithm(simulation->plan)->pipelined) {
        simulation->n_origin = "not pipelined";
        return CLI_EXIT_DONE;
    }
    if (hosts_needed(simulation) == 1) {
        simulation->n_origin = "all ranks are on one host";
        return CLI_EXIT_DONE;
    }
    struct point_known_platform known;
    int status = point_known_platform_make(simulation->platform_text, &simulation->spec,
                                           simulation->engine, &known, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "%s", error.text);
    status = rb_best_n(wanted, simulation->layout.bytes, known.alpha_s, known.beta_s_per_byte,
                       &wanted->n);
    point_known_platform_free(&known);
    if (status != RB_OK && status != RB_ENOTSUP)
        return cli_complain(cli_exit_of(status),
                            "--blocks: missing: the closed form has no optimum");
    simulation->n_origin = status == RB_OK ? "closed-form optimum" : "no closed form";
    return CLI_EXIT_DONE;
}

/* An algorithm of the engine's library: there is no plan to make. */
static int read_native(const struct cli_args *args, const char *name, struct simulation *simulation,
                       struct sup_error *error)
{
    const struct rb_plan_spec *wanted = &simulation->plan_spec;
    const struct sim_engine *engine = simulation->engine;
    if (engine->find_native == NULL)
        return sup_fail(error, RB_EINVAL,
                        "--algorithm: %s has no plan, which the engine %s needs: use --engine smpi",
                        wanted->algorithm, engine->name);
    const char *planned = point_planned_option(args);
    if (planned != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: %s has no plan that this applies to: leave it out",
                        planned, wanted->algorithm);
    int status = cli_check_collective(wanted->collective, error);
    if (status == RB_OK)
        status = cli_check_root(wanted->root, wanted->p, error);
    if (status != RB_OK)
        return status;
    simulation->native = (struct sim_native){.collective = rb_collective_find(wanted->collective),
                                             .algorithm = name,
                                             .p = wanted->p,
                                             .root = wanted->root};
    simulation->spec.native = &simulation->native;
    struct sup_error why;
    status = engine->find_native(simulation->native.collective, name, &why);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--algorithm: %s", why.text);
}

/* A word of --groups: as many ranks as the platform and --ppn say. */
static int read_groups(const struct cli_args *args, struct simulation *simulation,
                       struct sup_error *error)
{
    const char *platform = cli_args_text(args, "platform");
    struct point point = {.plan = simulation->plan_spec,
                          .platform_text = platform == NULL ? "crossbar:1" : platform,
                          .ppn = (int32_t)cli_args_int(args, "ppn"),
                          .placement = cli_args_text(args, "placement"),
                          .placement_rule = &simulation->spec.placement};
    const int status = point_find_groups(&point, simulation->groups, error);
    simulation->plan_spec.groups = point.plan.groups;
    return status;
}

/* Everything but n is checked before the platform is loaded to find it. */
static int read_plan(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    point_read_plan(args, &simulation->plan_spec);
    if (!cli_args_given(args, "blocks"))
        simulation->plan_spec.n = 1;
    const struct rb_plan_spec *wanted = &simulation->plan_spec;
    const char *native = sim_native_name(wanted->algorithm);
    int status = cli_args_ranks(args, wanted->collective, &simulation->plan_spec.p, &error);
    if (status == RB_OK)
        status = read_groups(args, simulation, &error);
    if (status == RB_OK)
        status = native != NULL ? read_native(args, native, simulation, &error)
                                : cli_request_plan(wanted, &simulation->plan, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "%s", error.text);
    simulation->collective =
        native != NULL ? simulation->native.collective : rb_plan_collective(simulation->plan);
    simulation->counts = cli_args_text(args, "counts");
    status = cli_request_layout(args, cli_args_int(args, "bytes"), simulation->collective,
                                wanted->p, &simulation->layout, &simulation->first, &error);
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error.text);
}

static int make_plan(struct simulation *simulation)
{
    struct sup_error error;
    simulation->spec.layout = &simulation->layout;
    if (simulation->spec.native != NULL)
        return CLI_EXIT_DONE;
    rb_plan_destroy(simulation->plan);
    simulation->plan = NULL;
    int status = cli_request_plan(&simulation->plan_spec, &simulation->plan, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "%s", error.text);
    simulation->spec.plan = simulation->plan;
    return CLI_EXIT_DONE;
}

static int open_placement(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    if (!cli_args_given(args, "write-placement"))
        return CLI_EXIT_DONE;
    const int status = out_open_for(&simulation->placement, "write-placement",
                                    cli_args_text(args, "write-placement"), &error);
    simulation->writes_placement = status == RB_OK;
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error.text);
}

/* Each rank's host, with a comment that says what made it. */
static int write_placement(struct simulation *simulation, const struct sim_result *result)
{
    struct sup_error error;
    char rule[SIM_PLACEMENT_TEXT], note[2 * SIM_PLACEMENT_TEXT], shown[8 * SIM_PLACEMENT_TEXT];
    const struct rb_plan_spec *wanted = &simulation->plan_spec;
    if (!simulation->writes_placement)
        return CLI_EXIT_DONE;
    snprintf(note, sizeof note,
             "roundabout %s: placement %s of %s %s, p = %" PRId32 ", n = %" PRId64 ", on %s (%s)",
             cli_program_version,
             sim_placement_format(&simulation->spec.placement, rule, sizeof rule),
             wanted->collective, wanted->algorithm, wanted->p, wanted->n, simulation->platform_text,
             simulation->platform_hash);
    int status =
        sim_host_file_write(simulation->placement.stream, simulation->placement_format, wanted->p,
                            result->host_names, sup_visible(note, shown, sizeof shown), &error);
    if (status == RB_OK)
        status = out_complete(&simulation->placement, &error);
    return status == RB_OK ? CLI_EXIT_DONE : cli_complain(cli_exit_of(status), "%s", error.text);
}

static void show_share(void *context, double share)
{
    point_progress_show_one(context, share, NULL);
}

/* The point that the simulation is, for the estimate of how long it takes. */
static struct point point_of(const struct simulation *simulation, char *placement, char *progress)
{
    const struct sim_spec *spec = &simulation->spec;
    struct point point = {
        .plan = simulation->plan_spec,
        .m_bytes = spec->layout->bytes,
        .element_bytes = spec->layout->element,
        .counts = simulation->counts,
        .platform_text = simulation->platform_text,
        .platform_hash = simulation->platform_hash,
        .ppn = spec->ppn,
        .placement = sim_placement_format(&spec->placement, placement, SIM_PLACEMENT_TEXT),
        .progress = sim_progress_format(&spec->progress, progress, 64),
        .placement_rule = &spec->placement,
        .progress_rule = &spec->progress,
        .engine = simulation->engine,
        .engine_text = simulation->engine->name,
        .engine_options = "",
        .jitter = simulation->copies,
    };
    point_resolve(&point);
    return point;
}

/* Shows how far the run is, if it lasts. */
static int run_engine(struct simulation *simulation, struct sim_result *result,
                      struct sim_spread *spread, struct sup_error *error)
{
    char placement[SIM_PLACEMENT_TEXT], rule[64];
    struct point_progress progress;
    const struct sim_meter meter = {show_share, &progress};
    struct sim_spec spec = simulation->spec;
    struct point point = point_of(simulation, placement, rule);
    int status = point_estimate(&point, error);
    if (status == RB_OK)
        status = point_progress_start(&progress, "simulate", 1, 1, 0, error);
    if (status != RB_OK)
        return status;
    point_progress_describe(&progress, 0, &point);
    spec.meter = progress.bar.hidden ? NULL : &meter;
    status = sim_run_copies(simulation->engine, &spec, simulation->copies, result, spread, error);
    point_progress_end(&progress);
    return status;
}

static int simulate(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    struct out_file output;
    struct verb_inspection inspection;
    struct sim_result result = {0};
    struct point_outcome outcome = {0};
    int status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    const struct verb_simulated point = {
        .request = &simulation->plan_spec,
        .collective = simulation->collective,
        .spec = &simulation->spec,
        .result = &result,
        .outcome = &outcome,
        .engine = simulation->engine,
        .platform = simulation->platform_text,
        .platform_hash = simulation->platform_hash,
        .n_origin = simulation->n_origin,
        .counts = simulation->counts,
    };
    status = verb_inspection_open(&inspection, args, simulation->engine, &simulation->spec);
    if (status == CLI_EXIT_DONE)
        status = open_placement(args, simulation);
    if (status == CLI_EXIT_DONE) {
        int simulated = run_engine(simulation, &result, &outcome.spread, &error);
        if (simulated == RB_OK)
            simulated = point_bound_of(&simulation->spec, simulation->engine, result.host,
                                       &outcome.bound, &error);
        if (simulated == RB_OK)
            point_outcome_compare(&simulation->spec, &result, &outcome);
        if (simulated != RB_OK)
            status = cli_complain(cli_exit_of(simulated), "%s", error.text);
        else
            status = verb_inspection_print(&inspection, &point, output.stream);
        if (status == CLI_EXIT_DONE)
            status = write_placement(simulation, &result);
        if (status == CLI_EXIT_DONE && out_complete(&output, &error) != RB_OK)
            status = cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    }
    status = verb_inspection_close(&inspection, status);
    sim_result_free(&result);
    if (simulation->writes_placement)
        status = cli_finish_output(&simulation->placement, status);
    return cli_finish_output(&output, status);
}

static int run(const struct cli_args *args)
{
    struct simulation simulation = {0};
    int status = read_engine(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_rules(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_plan(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_looks(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_platform(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = choose_n(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = make_plan(&simulation);
    if (status == CLI_EXIT_DONE)
        status = simulate(args, &simulation);
    rb_plan_destroy(simulation.plan);
    free(simulation.first);
    return status;
}

const struct cli_verb verb_simulate = {
    .name = "simulate",
    .title = "Simulate one point; print time, rounds, volume and links beside their bounds.",
    .options = options,
    .examples = "roundabout simulate -p 1024 -m 8MiB --platform fat-tree:1024\n"
                "roundabout simulate -p 64 -n 16 -m 1MB --progress lockstep --format json\n"
                "roundabout simulate -p 256 -m 1MiB --platform torus:8x8x4 --links 10\n"
                "roundabout simulate -p 64 -m 1MB --engine smpi --algorithm native:ompi\n"
                "roundabout simulate --engine model -p 1000000 -n 100 -m 1GB\n"
                "roundabout simulate -p 17 -n 10 -m 1MB --engine model --diagnose\n"
                "roundabout simulate -p 17 -n 10 --diagram circulant.pdf --trace circulant.json\n"
                "roundabout simulate -p 256 -m 1MiB --platform torus:8x8x4 --engine flow --report "
                "torus.html\n"
                "roundabout simulate -p 1024 -m 16MiB --platform dragonfly:1056 --algorithm "
                "leaders --groups router --placement search:1 --write-placement rankfile "
                "--placement-format openmpi\n"
                "roundabout simulate -p 1024 -m 16MiB --platform dragonfly:1056 --placement "
                "file:rankfile\n"
                "roundabout simulate -p 1024 -n 32 -m 16MiB --engine flow --platform "
                "dragonfly:1056 --contention links.pdf\n",
    .run = run,
};
