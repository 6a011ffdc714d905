/* verb_simulate.c - simulates one point: a plan on a platform. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/simulate.h"
#include "experiments/point/point.h"
#include "experiments/point/runs.h"
#include "experiments/point/words.h"
#include "platforms/platform.h"
#include "sim/engine/host_file.h"
#include "sim/engine/jitter.h"
#include "support/error.h"
#include "support/options/common_options.h"

static const struct cli_option options[] = {
    {POINT_LIKE(COLLECTIVE)},
    {POINT_LIKE(ALGORITHM),
     .help = "the algorithm; roundabout list names them all, each collective's default first; with "
             "--engine smpi also SMPI's own, such as native:ompi or native:ompi_pipeline"},
    {POINT_LIKE(P), .help = "number of ranks; required unless the instance gives it"},
    {POINT_LIKE(N), .help = "number of blocks; default: the closed form's optimum with the latency "
                            "and bandwidth between the platform's first two hosts"},
    {POINT_LIKE(BYTES), .fallback = "1MiB"},
    {POINT_LIKE(ELEMENT)},
    {POINT_LIKE(COUNTS)},
    {.more = point_plan_option},
    {CLI_ROW("workload", TEXT, "FILE"), .file = CLI_READS,
     .help = "instead of one collective simulate the jobs of this file, and say where their time "
             "goes; see docs/workloads.md"},
    {POINT_LIKE(PLATFORM), .complete = point_complete_platform, .file = CLI_READS,
     .help = "a generator, such as fat-tree:1024, a machine, such as leonardo (see roundabout "
             "list), or a SimGrid XML file; "
             "default: a crossbar with as many hosts as the ranks need"},
    {POINT_LIKE(PPN)},
    {POINT_LIKE(PLACEMENT)},
    {POINT_LIKE(ENGINE)},
    {CLI_ROW("variant", TEXT, "NAME"),
     .help = "variant of the engine, see roundabout list; default: the engine's choice"},
    {CLI_ROW("engine-option", TEXT, "KEY:VALUE"), .repeatable = true,
     .help = "option for the engine, such as network/model:LV08; see roundabout list"},
    {POINT_LIKE(OVERLAP)},
    {POINT_LIKE(JITTER)},
    {POINT_LIKE(ARRIVAL)},
    {POINT_LIKE(PROGRAM)},
    {CLI_FLAG("finish"), .help = "also print when each rank finished"},
    {CLI_ROW("links", INT, "N"), .fallback = "0", .least = 0, .most = 1000000,
     .help = "also print the N busiest links"},
    {CLI_FLAG("diagnose"),
     .help = "also print fill, steady state and drain of the pipeline, idle ranks, skew, and the "
             "critical path; and say what bounds the time and which change would mend it, by "
             "simulating some; see docs/diagnosis.md"},
    {CLI_ROW("diagram", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also draw ranks against time, with the critical path: a file .pdf, .png, .svg, "
             "-tikz.tex, -cairo.tex or .csv, with its data and script beside it"},
    {CLI_ROW("contention", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also draw how busy the links of each level are at what time, and in which rounds "
             "messages share them: a file as for --diagram; with --engine flow"},
    {CLI_ROW("network-map", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also draw the network of a generator or machine, each link in the colour of its "
             "load: a file .svg; with --engine flow or simgrid"},
    {.more = verb_inspection_look},
    {CLI_ROW("trace", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also write all messages for a trace viewer: a file .json (Perfetto, Chrome)"},
    {CLI_ROW("report", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also write one HTML file with the diagnosis, the space-time diagram and the links' "
             "loads; see docs/plots.md"},
    {CLI_ROW("write-placement", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "also write each rank's host, for --placement file:FILE or for an MPI library"},
    {CLI_ROW("placement-format", TEXT, "NAME"), .fallback = "ranks",
     .help = "format of that file: ranks (a host per line), openmpi (rankfile), mpich (host list), "
             "slurm (SLURM_HOSTFILE), csv (MPI_Rank,allocation)"},
    CLI_OPTION_FORMAT("table|csv|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_END,
};

/* One request; its parts are freed together. */
struct simulation {
    struct point point;
    struct point_rule counts, placement, overlap, arrival, program;
    struct point_known_platform platform; /* probed only if n depends on it */
    char *groups;                         /* the meaning of a word of --groups, owned */
    struct point_neighbours *neighbours;  /* owned */
    char note[POINT_NOTE];                /* what groups or ports were set */
    const char *n_origin;
    char choice[192]; /* n_origin for the plan of a library's choice */
    struct point_run run;
    bool writes_hosts; /* `hosts` is open */
    struct out_file hosts;
    enum sim_host_format host_format;
};

static int usage(const char *option, int status, const struct sup_error *error)
{
    if (error->text[0] == '-') /* it names another option */
        return cli_complain(cli_exit_of(status), "%s", error->text);
    return cli_complain(cli_exit_of(status), "--%s: %s", option, error->text);
}

static int read_engine(const struct cli_args *args, struct simulation *simulation)
{
    struct point *point = &simulation->point;
    struct sup_error error;
    /* Of programs simgrid would be hundreds of times slower. */
    point->engine_text = cli_args_given(args, "workload") && !cli_args_given(args, "engine")
                             ? "flow"
                             : cli_args_text(args, "engine");
    const int status =
        sim_engine_read(point->engine_text, &point->engine, &point->engine_variant, &error);
    if (status != RB_OK)
        return usage("engine", status, &error);
    if (cli_args_given(args, "variant") && point->engine_variant != NULL)
        return cli_complain(CLI_EXIT_USAGE, "--variant: --engine %s names one: leave one out",
                            point->engine_text);
    if (cli_args_given(args, "variant"))
        point->engine_variant = cli_args_text(args, "variant");
    point->option_count = cli_args_texts(args, "engine-option", &point->options);
    for (int32_t i = 0; i < point->option_count; i++)
        if (strchr(point->options[i], ':') == NULL)
            return cli_complain(CLI_EXIT_USAGE,
                                "--engine-option: \"%s\" is not KEY:VALUE, such as "
                                "network/model:LV08",
                                point->options[i]);
    return CLI_EXIT_DONE;
}

static int read_rules(const struct cli_args *args, struct simulation *simulation)
{
    struct point *point = &simulation->point;
    const struct {
        enum point_id id;
        struct point_rule *rule;
    } rules[] = {{POINT_OVERLAP, &simulation->overlap},
                 {POINT_PLACEMENT, &simulation->placement},
                 {POINT_COUNTS, &simulation->counts},
                 {POINT_ARRIVAL, &simulation->arrival},
                 {POINT_PROGRAM, &simulation->program}};
    struct sup_error error;
    int status;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *option = point_parameters[rules[i].id].option.name;
        status = point_rule_read(rules[i].id, cli_args_text(args, option), rules[i].rule, &error);
        if (status != RB_OK)
            return usage(option, status, &error);
        point_set_rule(point, rules[i].id, rules[i].rule);
    }
    point->ppn = (int32_t)cli_args_int(args, "ppn");
    if (cli_args_given(args, "jitter")) {
        const struct sim_spec spec = {.overlap = *point->overlap_rule};
        point->jitter = (int32_t)cli_args_int(args, "jitter");
        status = sim_jitter_check(point->engine, &spec, &error);
        if (status != RB_OK)
            return usage("jitter", status, &error);
    }
    status = sim_host_format_parse(cli_args_text(args, "placement-format"),
                                   &simulation->host_format, &error);
    return status == RB_OK ? CLI_EXIT_DONE : usage("placement-format", status, &error);
}

/* The requested details besides the time. */
static int check_looks(const struct cli_args *args)
{
    const int tables = cli_args_flag(args, "finish") + (cli_args_int(args, "links") > 0) +
                       cli_args_flag(args, "diagnose");
    if (tables > 1 && cli_args_format(args) == OUT_CSV)
        return cli_complain(CLI_EXIT_USAGE, "--format: csv holds one table: ask for one of "
                                            "--finish, --links and --diagnose, or for json");
    return CLI_EXIT_DONE;
}

/* When p is known. */
static int check_company(const struct cli_args *args, const struct point *point)
{
    struct sup_error error;
    int status = point_check_arrival(point, &error);
    if (status != RB_OK)
        return usage("arrival", status, &error);
    status = point_check_program(point, &error);
    if (status != RB_OK)
        return usage("program", status, &error);
    return !point_has_program(point)
               ? CLI_EXIT_DONE
               : cli_refused(args,
                             "finish|links|diagnose|contention|network-map|trace|diagram|report|"
                             "write-placement",
                             "is for a collective alone: leave it out, or --program");
}

static int32_t hosts_needed(const struct point *point)
{
    return (point->plan.p - 1) / point->ppn + 1;
}

static int read_platform(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    char crossbar[64];
    const char *text = cli_args_text(args, "platform");
    snprintf(crossbar, sizeof crossbar, "crossbar:%" PRId32, hosts_needed(&simulation->point));
    if (text == NULL)
        text = crossbar;
    int status = point_known_platform_look(text, &simulation->platform, &error);
    /* A file that can't be read is a wrong request, one that can't be generated is a failure. */
    if (status == RB_EIO && !platform_is_generated(text))
        status = RB_EINVAL;
    if (status != RB_OK)
        return usage("platform", status, &error);
    point_set_platform(&simulation->point, &simulation->platform);
    return CLI_EXIT_DONE;
}

/* The closed form's optimum where -n was not given. */
static int choose_n(const struct cli_args *args, struct simulation *simulation)
{
    struct point *point = &simulation->point;
    const struct sim_spec how = {.options = point->options, .option_count = point->option_count};
    struct sup_error error;
    simulation->n_origin = cli_args_given(args, "blocks")   ? "given"
                           : point->algorithm == NULL       ? "no plan"
                           : point->algorithm->only != NULL ? "the file's"
                           : !point->algorithm->pipelined   ? "not pipelined"
                           : hosts_needed(point) == 1       ? "all ranks are on one host"
                                                            : NULL;
    if (simulation->n_origin != NULL)
        return CLI_EXIT_DONE;
    struct point_known_platform *platform = &simulation->platform;
    int status = point_known_platform_probe(platform, &how, point->engine, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    status = rb_best_n(&point->plan, point->m_bytes, platform->alpha_s, platform->beta_s_per_byte,
                       &point->plan.n);
    if (status != RB_OK && status != RB_ENOTSUP)
        return cli_complain(cli_exit_of(status),
                            "--blocks: missing: the closed form has no optimum");
    simulation->n_origin = status == RB_OK ? "closed-form optimum" : "no closed form";
    const int64_t most =
        cli_most_blocks(point->collective, point->plan.p, point->m_bytes / point->element_bytes,
                        strcmp(point->counts, "regular") == 0);
    if (point->plan.n > most)
        point->plan.n = most;
    return CLI_EXIT_DONE;
}

/* An algorithm of a library: of the engine's, without a plan, or whose plan is to be found. */
static int check_native(const struct cli_args *args, const struct point *point,
                        struct sup_error *error)
{
    const struct rb_plan_spec *wanted = &point->plan;
    const char *planned = point_planned_option(args);
    if (planned != NULL)
        return sup_fail(error, RB_EINVAL, "--%s: %s has no plan that this applies to: leave it out",
                        planned, wanted->algorithm);
    int status = cli_check_collective(wanted->collective, error);
    if (status == RB_OK)
        status = cli_check_root(wanted->root, wanted->p, error);
    if (status != RB_OK)
        return status;
    struct sup_error why;
    struct point_plan plan = {0};
    status = point_is_native(point)
                 ? point->engine->find_native(point->collective, sim_native_name(wanted->algorithm),
                                              &why)
                 : point_find_plan(point, &plan, &why);
    point_plan_free(&plan);
    return status == RB_OK ? RB_OK : sup_fail(error, status, "--algorithm: %s", why.text);
}

/* That there is such a plan, for n blocks if --blocks gives n. */
static int check_plan(const struct rb_plan_spec *wanted, struct sup_error *error)
{
    struct rb_plan *plan = NULL;
    const int status = cli_request_plan(wanted, &plan, error);
    rb_plan_destroy(plan);
    return status;
}

/* Everything but n is checked before the platform is loaded to find it. */
static int read_plan(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    struct point *point = &simulation->point;
    const char *platform = cli_args_text(args, "platform");
    point_read_plan(args, &point->plan);
    point_resolve(point);
    if (!cli_args_given(args, "blocks") && !rb_is_file(point->plan.algorithm))
        point->plan.n = 1;
    /* A word of --groups is as many ranks as the platform and --ppn say. */
    point->platform_text = platform == NULL ? "crossbar:1" : platform;
    point->element_bytes = cli_args_int(args, "element");
    int status = cli_request_bytes(args, point->algorithm, &point->m_bytes, &error);
    if (status == RB_OK && !cli_args_given(args, "bytes"))
        status =
            sup_counts_bytes(point->counts_rule, point->element_bytes, &point->m_bytes, &error);
    if (status == RB_OK)
        status = cli_args_ranks(args, point->plan.collective, &point->plan.p, &error);
    if (status == RB_OK)
        status = point_complete(point, cli_args_given(args, "ports"), &simulation->groups,
                                &simulation->neighbours, simulation->note, &error);
    if (status == RB_OK)
        status = sim_native_name(point->plan.algorithm) != NULL ? check_native(args, point, &error)
                                                                : check_plan(&point->plan, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    char why[256];
    if (rb_layout_check(&layout, why, sizeof why) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "--bytes: %s", why);
    cli_say_untimed(point->algorithm);
    return CLI_EXIT_DONE;
}

/* Says which plan runs for native:NAME. */
static void describe_choice(struct simulation *simulation)
{
    const struct mpilib_choice *choice = &simulation->run.choice;
    char radix[24] = "";
    if (choice->algorithm == NULL)
        return;
    if (choice->radix > 0)
        snprintf(radix, sizeof radix, ", r = %" PRId32, choice->radix);
    snprintf(simulation->choice, sizeof simulation->choice, "%s: the plan %s%s, n = %" PRId64,
             choice->name, choice->algorithm, radix, choice->n);
    simulation->n_origin = simulation->choice;
}

/* The plan has been made before, so that only counts can be wrong, and the program, which needs a
 * platform that is known. */
static int prepare(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    struct sim_spec *spec = &simulation->run.spec;
    const struct point *point = &simulation->point;
    const struct sim_spec how = {.options = point->options, .option_count = point->option_count};
    const bool inside = point_has_program(point);
    int status =
        inside ? point_known_platform_probe(&simulation->platform, &how, point->engine, &error)
               : RB_OK;
    if (status != RB_OK)
        return cli_fail(status, &error);
    status = point_prepare(point, &simulation->run, &error);
    if (status != RB_OK)
        return usage(inside ? "program" : "counts", status, &error);
    describe_choice(simulation);
    spec->want_finish = cli_args_flag(args, "finish");
    spec->want_links = (int32_t)cli_args_int(args, "links");
    spec->want_hosts |= cli_args_given(args, "write-placement");
    return CLI_EXIT_DONE;
}

static int open_hosts(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    if (!cli_args_given(args, "write-placement"))
        return CLI_EXIT_DONE;
    const int status = out_open_for(&simulation->hosts, "write-placement",
                                    cli_args_text(args, "write-placement"), &error);
    simulation->writes_hosts = status == RB_OK;
    return cli_fail(status, &error);
}

/* Each rank's host, with a comment that says what made it. */
static int write_hosts(struct simulation *simulation)
{
    struct sup_error error;
    char note[2 * SIM_PLACEMENT_TEXT], shown[8 * SIM_PLACEMENT_TEXT];
    const struct point *point = &simulation->point;
    const struct rb_plan_spec *wanted = &point->plan;
    if (!simulation->writes_hosts)
        return CLI_EXIT_DONE;
    snprintf(note, sizeof note,
             "roundabout %s: placement %s of %s %s, p = %" PRId32 ", n = %" PRId64 ", on %s (%s)",
             cli_program_version, point->placement, wanted->collective, wanted->algorithm,
             wanted->p, wanted->n, point->platform_text, point->platform_hash);
    sim_host_file_write(simulation->hosts.stream, simulation->host_format, wanted->p,
                        simulation->run.result.host_names, sup_visible(note, shown, sizeof shown));
    const int status = out_complete(&simulation->hosts, &error);
    return cli_fail(status, &error);
}

static void show_share(void *context, double share)
{
    point_progress_show_one(context, share, NULL);
}

/* Shows how far the run is, if it lasts. */
static int run_engine(struct simulation *simulation, struct point_outcome *outcome)
{
    struct point *point = &simulation->point;
    struct point_progress progress;
    const struct sim_meter meter = {show_share, &progress};
    point_progress_start(&progress, "simulate", 1, 1, 0);
    point_progress_describe(&progress, 0, point);
    point_progress_foretell(&progress);
    simulation->run.spec.meter = progress.bar.hidden ? NULL : &meter;
    const int status = point_simulate(point, &simulation->run, outcome);
    simulation->run.spec.meter = NULL;
    point_progress_end(&progress);
    if (status != RB_OK)
        return status;
    point_outcome_compare(&simulation->run.spec, &simulation->run.result, outcome);
    if (simulation->note[0] != '\0')
        cli_complain(CLI_EXIT_DONE, "%s", simulation->note);
    if (simulation->run.plan != NULL)
        cli_note_empty_blocks(point->collective, point->plan.p, rb_plan_n(simulation->run.plan),
                              &simulation->run.layout);
    return RB_OK;
}

static int simulate(const struct cli_args *args, struct simulation *simulation)
{
    struct sup_error error;
    struct out_file output;
    struct verb_inspection inspection;
    struct point_outcome outcome;
    int status = cli_fail(point_estimate(&simulation->point, &error), &error);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status != CLI_EXIT_DONE)
        return status;
    const struct verb_simulated simulated = {.point = &simulation->point,
                                             .run = &simulation->run,
                                             .outcome = &outcome,
                                             .n_origin = simulation->n_origin,
                                             .details = cli_details(args)};
    status = verb_inspection_open(&inspection, args, &simulation->point, &simulation->run.spec);
    if (status == CLI_EXIT_DONE)
        status = open_hosts(args, simulation);
    if (status == CLI_EXIT_DONE) {
        const int ran = run_engine(simulation, &outcome);
        status = ran == RB_OK ? verb_inspection_print(&inspection, &simulated, output.stream)
                              : cli_fail(ran, &outcome.error);
        if (status == CLI_EXIT_DONE)
            status = write_hosts(simulation);
        if (status == CLI_EXIT_DONE && out_complete(&output, &error) != RB_OK)
            status = cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    }
    status = verb_inspection_close(&inspection, status);
    if (simulation->writes_hosts)
        status = cli_finish_output(&simulation->hosts, status);
    return cli_finish_output(&output, status);
}

static void free_simulation(struct simulation *simulation)
{
    point_run_free(&simulation->run);
    point_known_platform_free(&simulation->platform);
    point_rule_free(&simulation->counts);
    point_rule_free(&simulation->placement);
    point_rule_free(&simulation->overlap);
    point_rule_free(&simulation->arrival);
    point_rule_free(&simulation->program);
    free(simulation->groups);
    point_neighbours_free(simulation->neighbours);
}

/* Jobs of a file, in place of one collective. */
static int run_workload(const struct cli_args *args)
{
    struct simulation simulation = {.point.engine_options = ""};
    struct point *point = &simulation.point;
    struct sim_workload workload = {0};
    struct sup_error error;
    int status = verb_workload_read(args, &workload, &point->plan.p);
    if (status == CLI_EXIT_DONE)
        status = read_engine(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_rules(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_platform(args, &simulation);
    if (status == CLI_EXIT_DONE) {
        const struct sim_spec how = {.options = point->options,
                                     .option_count = point->option_count};
        status = cli_fail(
            point_known_platform_probe(&simulation.platform, &how, point->engine, &error), &error);
    }
    if (status == CLI_EXIT_DONE)
        status = verb_workload_simulate(args, &workload, point);
    sim_workload_free(&workload);
    free_simulation(&simulation);
    return status;
}

static int run(const struct cli_args *args)
{
    struct simulation simulation = {.point.engine_options = ""};
    if (cli_args_given(args, "workload"))
        return run_workload(args);
    int status = read_engine(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_rules(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = read_plan(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = check_company(args, &simulation.point);
    if (status == CLI_EXIT_DONE)
        status = check_looks(args);
    if (status == CLI_EXIT_DONE)
        status = read_platform(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = choose_n(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = prepare(args, &simulation);
    if (status == CLI_EXIT_DONE)
        status = simulate(args, &simulation);
    free_simulation(&simulation);
    return status;
}

const struct cli_verb verb_simulate = {
    .name = "simulate",
    .title = "Simulate one collective: its time, its bound, what it waits for.",
    .common =
        "collective|algorithm|ranks|bytes|blocks|platform|ppn|groups|engine|workload|diagnose|"
        "diagram|report",
    .options = options,
    .examples =
        "roundabout simulate -p 1024 -m 8MiB --platform fat-tree:1024\n"
        "roundabout simulate -p 17 -n 10 -m 1MB --engine model --diagnose\n"
        "roundabout simulate -p 17 -n 10 --diagram circulant.pdf --trace circulant.json\n"
        "roundabout simulate -p 64 -n 16 -m 1MB --overlap lockstep --format json\n"
        "roundabout simulate -p 256 -m 1MiB --platform torus:8x8x4 --links 10\n"
        "roundabout simulate -p 64 -m 1MB --engine smpi --algorithm native:ompi\n"
        "roundabout simulate --engine model -p 1000000 -n 100 -m 1GB\n"
        "roundabout simulate -p 256 -m 1MiB --platform torus:8x8x4 --engine flow --report "
        "torus.html\n"
        "roundabout simulate -p 1024 -m 16MiB --platform dragonfly:1056 --algorithm hosts --groups "
        "router --placement search:1 --write-placement rankfile --placement-format openmpi\n"
        "roundabout simulate -p 1024 -m 16MiB --platform dragonfly:1056 --placement file:rankfile\n"
        "roundabout simulate -p 1024 -n 32 -m 16MiB --engine flow --platform dragonfly:1056 "
        "--contention links.pdf\n"
        "roundabout simulate -p 1024 -m 16MiB --platform fat-tree:1024 --engine flow --network-map "
        "network.svg\n"
        "roundabout simulate --workload examples/workloads/two-jobs.yaml --platform dragonfly:1056 "
        "--engine flow --diagram jobs.pdf\n",
    .run = run,
};
