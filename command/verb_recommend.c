/* verb_recommend.c - from a cluster in a user's words to algorithms and a file of rules. */
#include <stdlib.h>
#include <string.h>

#include "command/verbs.h"
#include "experiments/point/point.h"
#include "platforms/network.h"
#include "platforms/platform.h"
#include "studies/recommend/recommend.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/pool.h"

enum { MOST_NODES = 1 << 20, MOST_PPN = 1 << 16, MOST_NICS = 1024 };

static const struct cli_option options[] = {
    {CLI_ROW("nodes", INT, "N"), .least = 1, .most = MOST_NODES, .help = "nodes of the cluster"},
    {CLI_ROW("ppn", INT, "RANKS"), .least = 1, .most = MOST_PPN, .help = "ranks of a node"},
    {CLI_ROW("network", TEXT, "NAME"), .usual = platform_usual,
     .help = "the topology that joins the nodes: a name of roundabout list platforms; default: "
             "fat-tree, of GPUs and with a topology of NCCL rails"},
    {CLI_ROW("nics", INT, "N"), .least = 1, .most = MOST_NICS,
     .help = "network interfaces of a node of rails; default: one for each GPU, of other ranks up "
             "to 8"},
    {CLI_ROW("nic", TEXT, "BANDWIDTH"), .help = "bandwidth of a node's link, such as 25GB/s, "
                                                "200Gb/s or HDR; default: the network's, 12.5GBps"},
    {CLI_ROW("latency", TEXT, "TIME"),
     .help = "latency between two nodes; default: the network's, 1us"},
    {CLI_ROW("topology", TEXT, "FILE"), .repeatable = true, .file = CLI_READS,
     .help = "a file with the output of sinfo, such as that of sinfo -N -o \"%N %c\", of lstopo or "
             "of ibnetdiscover: it says the nodes, the ranks of a node, the speed of links and the "
             "leaf switches that no option gives; or one of NCCL (NCCL_TOPO_FILE), which says the "
             "links of a node"},
    {CLI_ROW("platform", TEXT, "PLATFORM"), .complete = point_complete_platform,
     .help = "a machine, a generator, or a file such as calibrate writes, in place of --network, "
             "--nic and --latency"},
    {CLI_ROW("rows", TEXT, "FILE"), .file = CLI_READS,
     .help = "measured rows of the machine (docs/predict.md), in place of a platform: times are "
             "these, or are predicted by a model that is fitted to them"},
    VERB_MEASURED_OPTIONS,
    {CLI_ROW("workload", TEXT, "FILE"), .file = CLI_READS,
     .help = "a program (docs/workloads.md): what it takes with the library's choices and with "
             "rules of its own, and which of its steps save how much"},
    {CLI_ROW("collective", TEXT, "NAME"), .fallback = "bcast", .repeatable = true,
     .separable = true, .usual = sup_collective_names,
     .help = "the collectives, separated by commas"},
    {CLI_ROW("library", CHOICE, "FORMAT"), .fallback = "ompi", .word_at = rules_format_word,
     .usual = rules_format_usual,
     .help = "the MPI library, by the format of its rules (docs/tuning-files.md)"},
    {CLI_ROW("model", CHOICE, "MODEL"), .fallback = "fitted", .choices = "fitted|flow",
     .help = "simulated times corrected by a model that is fitted to the measured rows that "
             "Roundabout has; or as flow has them"},
    {CLI_ROW("judge", TEXT, "FILE"), .file = CLI_READS,
     .help = "measured rows of the machine that the words describe: says how much longer what is "
             "recommended took than the best, and what the library chooses by itself"},
    {CLI_ROW("base", TEXT, "FILE"), .file = CLI_READS,
     .help = "with --library mpich: MPICH's own rules, which the file replaces as a whole"},
    {CLI_ROW("try", TEXT, "FILE"), .file = CLI_WRITES,
     .help = "write a script that tries the rules on the machine, in jobs with and without them in "
             "turn, at both ends of each rule"},
    {CLI_ROW("try-time", TEXT, "TIME"), .fallback = "10min",
     .help = "the time that these jobs may take in all"},
    {CLI_ROW("tried", TEXT, "FILE"), .repeatable = true, .file = CLI_READS,
     .help = "rows that such a script measured, with the words that made it: judges the rules by "
             "them, and gives up those that were slower"},
    {CLI_FLAG("quick"),
     .help = "simulate a sixth of the points, for fewer numbers of ranks and sizes"},
    {CLI_ROW("jobs", INT, "N"), .letter = 'j', .least = 1, .most = 4096,
     .help = "number of worker processes; default: the number of cores"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "table", .choices = "table|html|json",
     .help = "format of the answer"},
    {CLI_ROW("output", TEXT, "FILE"), .letter = 'o', .file = CLI_WRITES,
     .help = "write the rules to this file; - is standard output, in place of the page"},
    CLI_OPTION_END,
};

struct work {
    struct recommend_request request;
    struct recommend_answer answer;
    struct point_known_platform platform;
    char *text; /* of the platform */
    struct rows_taken taken;
    struct rows_taken tried;
    struct rows_taken others;
    struct recommend_learnt learnt;
    struct recommend_trial trial;
};

/* ---- The cluster ----------------------------------------------------------------------------- */

static bool is_nccl(const struct cli_args *args)
{
    return strcmp(rules_format_find(cli_args_text(args, "library"))->library, "nccl") == 0;
}

static int read_cluster(const struct cli_args *args, struct recommend_cluster *cluster,
                        struct sup_error *error)
{
    const char *const *files;
    const int32_t count = cli_args_texts(args, "topology", &files);
    int status = RB_OK;
    *cluster = (struct recommend_cluster){
        .nodes = cli_args_given(args, "nodes") ? (int32_t)cli_args_int(args, "nodes") : 0,
        .ppn = cli_args_given(args, "ppn") ? (int32_t)cli_args_int(args, "ppn") : 0,
        .nics = cli_args_given(args, "nics") ? (int32_t)cli_args_int(args, "nics") : 0,
        .gpus = is_nccl(args),
        .nic = cli_args_text(args, "nic"),
        .latency = cli_args_text(args, "latency")};
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = recommend_read_topology(files[i], cluster, error);
    cluster->network = cli_args_text(args, "network");
    if (cluster->network == NULL)
        cluster->network = cluster->gpus || cluster->wiring != NULL ? "rails" : "fat-tree";
    for (char *const *word = cli_args_words(args); *word != NULL; word++)
        if (sup_ends_in(*word, "rccl"))
            cli_complain(CLI_EXIT_DONE, "note: RCCL has constants of its own, which are not known "
                                        "here: times are those of NCCL's cost model");
    for (int i = 0; i < cluster->notes && status == RB_OK; i++)
        cli_complain(CLI_EXIT_DONE, "note: %s", cluster->note[i]);
    return status;
}

/* Nodes are full: each of their hosts, of which rails have several, has as many ranks. */
static int fill_nodes(struct recommend_cluster *cluster, struct work *work, struct sup_error *error)
{
    const struct point_known_platform *platform = &work->platform;
    const int32_t hosts = point_ranks_per_node(platform->text, 1), nodes = platform->hosts / hosts;
    cluster->nodes = cluster->nodes == 0 ? nodes : cluster->nodes;
    cluster->ppn = cluster->ppn == 0 ? hosts : cluster->ppn;
    work->request.ranks_per_host = cluster->ppn / hosts;
    if (cluster->nodes > nodes)
        return sup_fail(error, RB_EINVAL, "--nodes: %d, and %s has %d", (int)cluster->nodes,
                        platform->text, (int)nodes);
    if (cluster->ppn % hosts != 0 || (cluster->gpus && cluster->ppn != hosts))
        return sup_fail(error, RB_EINVAL,
                        "--ppn: %d ranks of a node, which has %d network interface%s on %s: %s",
                        (int)cluster->ppn, (int)hosts, sup_plural(hosts), platform->text,
                        cluster->gpus ? "NCCL's cost model is for one of each GPU, as --network "
                                        "rails has"
                                      : "all must have as many ranks");
    return RB_OK;
}

/* The platform that is named, or that of the words. */
static int find_platform(const struct cli_args *args, struct recommend_cluster *cluster,
                         struct work *work, struct sup_error *error)
{
    const struct sim_spec plain = {0};
    const char *named = cli_args_text(args, "platform");
    struct sup_error why;
    int status = RB_OK;
    if (named != NULL && cluster->wiring != NULL)
        return sup_fail(error, RB_EINVAL, "--topology: %s says what a node is, as --platform does",
                        cluster->wiring);
    if (named != NULL)
        status = out_files_read("--platform", named, error);
    else if (cluster->nodes == 0)
        return sup_fail(error, RB_EINVAL,
                        "--nodes: missing: give it, or --topology with the output of sinfo or "
                        "ibnetdiscover, or --platform, or --rows");
    else
        status = recommend_platform(cluster, &work->text, error);
    if (status != RB_OK)
        return status;
    status = point_known_platform_make(named != NULL ? named : work->text, &plain,
                                       sim_engine_find("flow"), &work->platform, &why);
    if (status != RB_OK)
        return sup_fail(error, status == RB_EIO ? RB_EINVAL : status, "--platform: %s", why.text);
    work->request.platform = &work->platform;
    work->request.where = work->platform.text;
    return fill_nodes(cluster, work, error);
}

/* Measured rows of one machine in place of a platform; as many nodes as were measured. */
static int find_rows(const struct cli_args *args, struct recommend_cluster *cluster,
                     struct work *work, struct sup_error *error)
{
    const char *file = cli_args_text(args, "rows");
    const int64_t p = (int64_t)cluster->nodes * (cluster->ppn == 0 ? 1 : cluster->ppn);
    const struct rows_defaults defaults = {.system = cli_args_text(args, "machine"),
                                           .unnamed = "here",
                                           .unnamed_algorithm = "default",
                                           .unnamed_ranks_per_node = cluster->ppn,
                                           .unnamed_p = p <= RECOMMEND_MOST_RANKS ? (int32_t)p : 0,
                                           .ranks_option = "--nodes and --ppn"};
    const int status =
        rows_take(args, file, &defaults, ROWS_FALLBACKS | ROWS_PLANNED | ROWS_ONE_MACHINE, "--rows",
                  &work->taken, error);
    rows_taken_tell(&work->taken);
    if (status != RB_OK)
        return status;
    int32_t most = 0;
    for (size_t i = 0; i < work->taken.count; i++) {
        const struct rows_row *row = work->taken.row[i];
        if (row->ranks_per_node == (cluster->ppn == 0 ? 1 : cluster->ppn) && row->nodes > most)
            most = row->nodes;
    }
    cluster->nodes = cluster->nodes == 0 ? most : cluster->nodes;
    work->request.row = work->taken.row;
    work->request.rows = work->taken.count;
    work->request.where = work->taken.row[0]->system;
    return cluster->nodes > 0
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "--ppn: %s has no rows with so many ranks of a node",
                          file);
}

/* One of them: where the times come from. */
static int find_source(const struct cli_args *args, struct recommend_cluster *cluster,
                       struct work *work, struct sup_error *error)
{
    const bool rows = cli_args_given(args, "rows");
    int status = !rows ? RB_OK
                       : cli_refuse(args, "network|nics|nic|latency|platform",
                                    "--rows says it already", error);
    if (status == RB_OK && cli_args_given(args, "platform"))
        status = cli_refuse(args, "network|nics|nic|latency", "--platform says it already", error);
    if (status == RB_OK && rows)
        return find_rows(args, cluster, work, error);
    if (status == RB_OK && !cli_args_given(args, "judge"))
        status = cli_refuse(args, "machine|system|where", "only with --rows or --judge", error);
    return status == RB_OK ? find_platform(args, cluster, work, error) : status;
}

/* Learns from the measured rows that Roundabout has, or says why they can't correct times. */
static int learn(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    struct recommend_request *request = &work->request;
    struct recommend_learnt *learnt = &work->learnt;
    if (cli_args_given(args, "rows") || is_nccl(args))
        return cli_refuse(args, "model|judge",
                          is_nccl(args) ? "NCCL's cost model says its times" : "--rows has times",
                          error);
    if (strcmp(cli_args_text(args, "model"), "flow") == 0)
        return RB_OK;
    request->learnt = learnt;
    if (request->nodes == 1)
        sup_fail(&learnt->why, RB_EINVAL, "those that Roundabout has are between nodes");
    else if (recommend_fits_rows(request->where, &learnt->why))
        return recommend_learn_shipped(request->judged_rows > 0 ? request->judged[0]->system : NULL,
                                       &work->others, learnt, error);
    return RB_OK;
}

/* Of the library's rules, with the base that it needs. */
static int find_format(const struct cli_args *args, const struct rules_format **format,
                       struct sup_error *error)
{
    *format = rules_format_find(cli_args_text(args, "library"));
    const char *base = (*format)->base;
    if ((base == NULL) == (cli_args_text(args, "base") == NULL) || cli_args_given(args, "judge"))
        return RB_OK;
    return base == NULL ? sup_fail(error, RB_EINVAL, "--base: has no meaning with --library %s",
                                   (*format)->name)
                        : sup_fail(error, RB_EINVAL, "--library %s: add --base with %s",
                                   (*format)->name, base);
}

/* Rows of --try's scripts, all of them. */
static int read_tried(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    const struct rows_defaults defaults = {.unnamed = "here"};
    const char *const *files;
    const int32_t count = cli_args_texts(args, "tried", &files);
    struct rows_taken *tried = &work->tried;
    int status = RB_OK;
    char *note;
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        status = rows_read(&tried->set, files[i], &defaults, error);
    if (status == RB_OK && count > 0)
        status = rows_need_some(&tried->set, error);
    for (int i = 0; status == RB_OK && (note = rows_note(&tried->set, i)) != NULL; i++) {
        out_verdict_say(&tried->notes, "%s", note);
        free(note);
    }
    rows_taken_tell(tried);
    tried->row = sup_calloc(tried->set.count + 1, sizeof *tried->row);
    for (size_t i = 0; i < tried->set.count; i++)
        tried->row[i] = &tried->set.row[i];
    work->request.tried = tried->row;
    work->request.tried_rows = tried->set.count;
    return status;
}

/* Whether and how the rules can be tried. */
static int read_trial(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    const char *path = cli_args_text(args, "try");
    struct sup_error why;
    if (path == NULL)
        return cli_refuse(args, "try-time", "only with --try", error);
    if (work->request.format->variables == NULL)
        return sup_fail(error, RB_EINVAL,
                        "--try: no MPI program reads rules of %s, and measure calls MPI",
                        work->request.format->name);
    if (strcmp(path, "-") == 0)
        return sup_fail(error, RB_EINVAL,
                        "--try: standard output has the answer: give the script a file's name");
    if (sup_parse_seconds(cli_args_text(args, "try-time"), &work->trial.time_s, &why) != RB_OK)
        return sup_fail(error, RB_EINVAL, "--try-time: %s", why.text);
    if (work->trial.time_s < 1 || work->trial.time_s > 1e6)
        return sup_fail(error, RB_EINVAL, "--try-time: from 1 s to 1000000 s");
    work->trial.name = sup_base_name(path);
    work->trial.words = cli_args_words(args);
    return RB_OK;
}

/* The rows that judge, of one machine, and what they say of the cluster. */
static int read_judge(const struct cli_args *args, struct recommend_cluster *cluster,
                      struct work *work, struct sup_error *error)
{
    const struct rows_defaults defaults = {.system = cli_args_text(args, "machine"),
                                           .unnamed = "here"};
    struct rows_taken *taken = &work->taken;
    int status =
        cli_refuse(args, "nodes|ppn|topology|try|try-time|tried|base|output",
                   "--judge has the nodes and ranks that were measured, and makes no rules", error);
    if (status == RB_OK && strcmp(cli_args_text(args, "format"), "html") == 0)
        status = sup_fail(error, RB_EINVAL, "--format html: with --judge table or json");
    if (status == RB_OK)
        status = rows_take(args, cli_args_text(args, "judge"), &defaults,
                           ROWS_FALLBACKS | ROWS_ONE_MACHINE, "--judge", taken, error);
    rows_taken_tell(taken);
    for (size_t i = 0; i < taken->count && status == RB_OK; i++)
        cluster->nodes =
            taken->row[i]->nodes > cluster->nodes ? taken->row[i]->nodes : cluster->nodes;
    work->request.judged = taken->row;
    work->request.judged_rows = taken->count;
    return status;
}

static int make_request(const struct cli_args *args, struct work *work, struct sup_error *error)
{
    struct recommend_request *request = &work->request;
    struct recommend_cluster cluster;
    int status = read_cluster(args, &cluster, error);
    if (status == RB_OK)
        status = find_format(args, &request->format, error);
    if (status == RB_OK && cli_args_given(args, "judge"))
        status = read_judge(args, &cluster, work, error);
    if (status == RB_OK)
        status = find_source(args, &cluster, work, error);
    if (status != RB_OK)
        return status;
    request->nodes = cluster.nodes;
    request->ppn = cluster.ppn == 0 ? 1 : cluster.ppn;
    request->base = cli_args_text(args, "base");
    request->quick = cli_args_flag(args, "quick");
    request->budget_s = request->quick ? 8 : 48;
    request->jobs =
        cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : sup_pool_cores();
    request->collectives = cli_args_texts(args, "collective", &request->collective);
    for (int32_t i = 0; i < request->collectives && status == RB_OK; i++)
        status = cli_check_collective(request->collective[i], error);
    if (status != RB_OK)
        return status;
    status = read_trial(args, work, error);
    if (status == RB_OK)
        status = read_tried(args, work, error);
    if (status != RB_OK)
        return status;
    const int64_t p = (int64_t)request->nodes * request->ppn;
    if ((p < 2 && request->judged_rows == 0) || p > RECOMMEND_MOST_RANKS)
        return sup_fail(error, RB_EINVAL,
                        "--ppn: %lld rank%s in all: a recommendation needs from 2 to %d",
                        (long long)p, sup_plural(p), RECOMMEND_MOST_RANKS);
    return learn(args, work, error);
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* The script, complete but not yet in its place. */
static int write_try(const struct cli_args *args, struct work *work, struct out_file *script,
                     struct sup_error *error)
{
    int status = out_open_for(script, "try", cli_args_text(args, "try"), error);
    if (status == RB_OK)
        status =
            recommend_write_try(&work->request, &work->answer, &work->trial, script->stream, error);
    return status == RB_OK ? out_complete(script, error) : status;
}

static int print(const struct cli_args *args, struct work *work)
{
    static const char *const names[] = {"table", "html", "json"};
    const char *path = cli_args_text(args, "output");
    const char *format = cli_args_text(args, "format");
    struct out_file rules = {0}, page = {0}, script = {0};
    struct sup_error error;
    int status = path == NULL ? RB_OK : out_open(&rules, path, &error);
    if (status == RB_OK && path != NULL) {
        fwrite(work->answer.file, 1, work->answer.file_size, rules.stream);
        status = out_complete(&rules, &error);
    }
    if (status == RB_OK && cli_args_given(args, "try"))
        status = write_try(args, work, &script, &error);
    if (status == RB_OK && (path == NULL || strcmp(path, "-") != 0) &&
        (status = out_open(&page, NULL, &error)) == RB_OK) {
        struct recommend_printing how = {.details = cli_details(args),
                                         .words = cli_args_words(args),
                                         .output = path,
                                         .script = cli_args_text(args, "try"),
                                         .trial = &work->trial};
        while (strcmp(format, names[how.format]) != 0)
            how.format++;
        if (how.format == RECOMMEND_TEXT)
            out_show(&page);
        status = recommend_print(&work->request, &work->answer, &how, page.stream, &error);
        if (status == RB_OK)
            status = out_close(&page, &error);
        out_discard(&page);
    }
    if (status == RB_OK && path != NULL)
        status = out_close(&rules, &error);
    if (status == RB_OK && cli_args_given(args, "try"))
        status = out_close(&script, &error);
    out_discard(&rules);
    out_discard(&script);
    return cli_fail(status, &error);
}

static int run_workload(const struct cli_args *args, struct work *work)
{
    struct sup_error error;
    struct recommend_cluster cluster = {0};
    struct verb_recommend_workload asked = {.file = cli_args_text(args, "workload"),
                                            .platform = &work->platform,
                                            .base = cli_args_text(args, "base"),
                                            .budget_s = cli_args_flag(args, "quick") ? 8 : 48};
    int status =
        cli_refuse(args,
                   "rows|machine|system|where|judge|model|collective|ppn|jobs|try|try-time|"
                   "tried",
                   "--workload says it, or it has no meaning with it", &error);
    if (status == RB_OK && strcmp(cli_args_text(args, "format"), "html") == 0)
        status = sup_fail(&error, RB_EINVAL, "--format html: with --workload table or json");
    if (status == RB_OK)
        status = read_cluster(args, &cluster, &error);
    if (status == RB_OK)
        status = find_source(args, &cluster, work, &error);
    if (status == RB_OK)
        status = find_format(args, &asked.format, &error);
    asked.nodes = cluster.nodes;
    return status == RB_OK ? verb_recommend_for_workload(args, &asked) : cli_fail(status, &error);
}

static int run_judge(const struct cli_args *args, struct work *work)
{
    struct out_file page = {0};
    struct sup_error error;
    int status = out_open(&page, NULL, &error);
    if (status == RB_OK)
        status = recommend_judge(&work->request, strcmp(cli_args_text(args, "format"), "json") == 0,
                                 page.stream, &error);
    if (status == RB_OK)
        status = out_close(&page, &error);
    out_discard(&page);
    return cli_fail(status, &error);
}

static int run(const struct cli_args *args)
{
    struct work work = {0};
    struct sup_error error;
    if (cli_args_given(args, "workload")) {
        const int exit_status = run_workload(args, &work);
        point_known_platform_free(&work.platform);
        free(work.text);
        return exit_status;
    }
    const bool judge = cli_args_given(args, "judge");
    int status = make_request(args, &work, &error);
    if (status == RB_OK && !judge)
        status = recommend(&work.request, &work.answer, &error);
    int exit_status = cli_fail(status, &error);
    if (exit_status == CLI_EXIT_DONE)
        exit_status = (judge ? run_judge : print)(args, &work);
    recommend_free(&work.answer);
    point_known_platform_free(&work.platform);
    free(work.text);
    rows_taken_free(&work.taken);
    rows_taken_free(&work.tried);
    rows_taken_free(&work.others);
    recommend_forget(&work.learnt);
    return exit_status;
}

const struct cli_verb verb_recommend = {
    .name = "recommend",
    .title = "Recommend algorithms and rules for a cluster and its library.",
    .common = "nodes|ppn|network|nics|nic|platform|rows|workload|collective|library|"
              "output",
    .options = options,
    .examples =
        "roundabout recommend --nodes 16 --ppn 8 --quick\n"
        "roundabout recommend --nodes 100 --ppn 64 --network fat-tree --nic 25GB/s "
        "--collective bcast,allreduce --library ompi -o rules\n"
        "roundabout recommend --workload summa.yaml --platform leonardo --nodes 64 -o rules\n",
    .run = run,
};
