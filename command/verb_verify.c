/* verb_verify.c - verifies plans, circulant schedules and the paper's claims, for ranges of p,
 * block counts and roots, in one or several worker processes. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/parameters.h"
#include "experiments/point/words.h"
#include "studies/verification/verify.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/pool.h"

static const struct cli_option options[] = {
    {CLI_FLAG("schedules"), .help = "check the circulant schedules themselves (the paper's four "
                                    "conditions) instead of plans; stop at the first wrong p"},
    {CLI_ROW("table", TEXT, "FILE"), .file = CLI_READS,
     .help = "with --schedules: check the schedules of another program that are in this file, a "
             "line \"p r send_0 ... send_q-1 | recv_0 ... recv_q-1\" for each relative rank; - is "
             "standard input (docs/formats.md)"},
    {CLI_ROW("counterexample", TEXT, "FILE"),
     .help = "write what led to the first wrong plan's fault, as tables of rounds that can be read "
             "without this program; - is standard output"},
    {CLI_FLAG("claims"),
     .help = "check where the paper's bounds on recursive calls, iterations and violations hold, "
             "in a literal transcription of its algorithms"},
    {CLI_ROW("collective", TEXT, "LIST"), .fallback = "bcast", .usual = sup_collective_names,
     .help = "collectives, or all; roundabout list names them"},
    {POINT_LIKE(ALGORITHM), .value = "LIST", .fallback = "all",
     .help = "algorithms, or all; roundabout list names them"},
    {CLI_ROW("ranks", INTS, "LIST"), .letter = 'p', .fallback = "1..64", .least = 1,
     .most = RB_MAX_RANKS, .help = "numbers of ranks"},
    {CLI_ROW("blocks", TEXT, "LIST"), .letter = 'n', .fallback = "1,2,q,q+1,7,32",
     .help = "numbers of blocks; q is ceil(log2 p), and q+1, q-1, ... are allowed"},
    {CLI_ROW("root", TEXT, "LIST"), .fallback = "0,middle,last",
     .help = "roots; a root that is not below some p is left out for that p"},
    {CLI_ROW("counts", TEXT, "LIST"), .fallback = "regular",
     .help =
         "how the data are divided among the ranks, where they are: regular, mod3, degenerate, "
         "random:SEED and others (as simulate), or all, which means these, with the seeds 1 and 2"},
    {CLI_ROW("ports", INTS, "LIST"), .fallback = "1", .least = 1, .most = RB_MAX_PORTS,
     .help = "sends and receives that a rank can have in flight at once"},
    {CLI_ROW("radix", TEXT, "LIST"),
     .help = "radices of algorithms that have one: numbers, p, or all for 2 to p; a radix above "
             "some p is left out for that p; default: the algorithm's choice"},
    {CLI_ROW("instance", TEXT, "TEXT"), .repeatable = true,
     .help = "for collectives that are families of problems, the problems: q=1..7 means the shifts "
             "by 1 to 7; a problem that does not exist for some p is left out for that p; default: "
             "the collective's default"},
    {POINT_LIKE(GROUPS), .value = "SIZES",
     .help = "of algorithms that plan by groups: groups of consecutive ranks that share a port: a "
             "size, sizes in turn (3,1,4), or all: each size from 1 to p; may be repeated; "
             "default: each rank is alone, or those of --platform and --ppn",
     .repeatable = true},
    {.more = point_plan_option},
    {POINT_LIKE(PLATFORM),
     .help = "a platform, such as rails:16x8, of which a node's ranks are a group where algorithms "
             "plan by groups"},
    {POINT_LIKE(PPN)},
    {CLI_ROW("level", CHOICE, "LEVEL"), .fallback = "normal", .choices = "normal|thorough",
     .help = "normal: the plans that the other options select; thorough: for anybody who writes or "
             "changes an algorithm, a fixed choice of plans, named at the end: also in rank order, "
             "all roots, radices and ports of small p, n up to 1000, p up to 1025 (or those of "
             "--ranks), and single ranks' circulant schedules up to 2^30; takes minutes"},
    {CLI_ROW("buffers", INT, "K"), .least = 1, .most = INT32_MAX,
     .help = "prove as well that no plan deadlocks if the FIFO of each pair of ranks has room for "
             "K messages and ranks do one thing after another, and show how much room each "
             "algorithm needs"},
    {CLI_ROW("seed", INT, "N"), .fallback = "1", .least = 0, .most = 1000000,
     .help = "for the level thorough: seed of its pseudo-random roots, radices, counts and ranks"},
    {CLI_ROW("sample", INT, "N"), .least = 1, .most = RB_MAX_RANKS,
     .help = "for schedules and claims: check only ranks 0, 1, p-1 and N pseudo-random ranks of "
             "each p, the same in each run; for p too large for tables"},
    {CLI_ROW("jobs", INT, "N"), .letter = 'j', .least = 1, .most = 1024,
     .help = "worker processes; default: one per core"},
    CLI_OPTION_FORMAT("table|json"),
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* ---- Running --------------------------------------------------------------------------------- */

struct run {
    struct verify_run verification; /* first member: the workers' context points at its job */
    struct sup_pool pool;
    struct cli_bar bar;
    struct sup_eta *eta;
};

static bool watch(void *context, const struct sup_pool *pool)
{
    struct run *run = context;
    int64_t failed = 0;
    char note[48];
    for (int32_t w = 0; w < pool->workers; w++) {
        const struct verify_record *record = sup_pool_memory(pool, w);
        failed += atomic_load(&record->failed);
    }
    snprintf(note, sizeof note, "%" PRId64 " wrong", failed);
    if (cli_bar_is_due(&run->bar))
        cli_bar_show(&run->bar, sup_eta_pool_left_s(run->eta, pool, NULL),
                     failed > 0 ? note : NULL);
    return run->verification.job.what == VERIFY_WHAT_SCHEDULES && failed > 0;
}

static int piece_is_done(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct run *run = context;
    if (piece->lost != NULL)
        return sup_fail(error, piece->lost_status, "%s", piece->lost);
    sup_eta_done(run->eta, piece->i, piece->wall_s);
    return RB_OK;
}

static void add_failures(struct verify_record *sum, const struct verify_record *record)
{
    const int64_t failed = atomic_load(&record->failed);
    for (int64_t i = 0; i < failed; i++) {
        struct verify_failure *place =
            i < VERIFY_KEPT_FAILURES ? verify_failure_place(sum, record->failures[i].p) : NULL;
        if (place != NULL)
            *place = record->failures[i];
        sum->failed++;
    }
}

static void add_record(struct verify_run *verification, const struct verify_record *record)
{
    struct verify_record *sum = &verification->sum;
    if (record->status != RB_OK && sum->status == RB_OK) {
        sum->status = record->status;
        sum->failures[0] = record->failures[0];
        return;
    }
    add_failures(sum, record);
    if (record->note[0] != '\0')
        snprintf(sum->note, sizeof sum->note, "%s", record->note);
    sum->p_count += record->p_count;
    sum->rank_count += record->rank_count;
    verify_claims_add(sum->claims, record->claims);
    if (record->most_p > sum->most_p)
        sum->most_p = record->most_p;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        verify_tally_add(&sum->tallies[a], &record->tallies[a]);
}

/* Pieces of work. */
static size_t count_pieces(const struct verify_job *job)
{
    if (job->thorough)
        return job->cells.count;
    return job->what == VERIFY_WHAT_PLANS ? job->ranks->count : job->piece_count;
}

/* About how long a piece takes. Pieces of a kind are wrong alike; algorithms differ by 100. */
static double cost_of_cell(const struct verify_cell *cell, uint64_t *kind)
{
    *kind = (uint64_t)((cell->set + 1) * VERIFY_MOST_ALGORITHMS + cell->algorithm + 1);
    return 2e-9 * (double)cell->cost;
}

/* Of all algorithms; a plan has p ranks, and messages or blocks for most of them. */
static double cost_of_ranks(const struct verify_job *job, int64_t p, uint64_t *kind)
{
    *kind = (uint64_t)rb_ceil_log2((int32_t)p);
    return 1e-6 * (double)(p * p) * job->algorithm_count;
}

static double cost_of_piece(const struct verify_job *job, const struct verify_piece *piece,
                            uint64_t *kind)
{
    enum { FIT_THE_CACHE = 1 << 20 }; /* the tables of so many ranks */
    const int64_t *p = job->ranks->value + piece->first;
    const int32_t last = (int32_t)p[piece->count - 1];
    const double rank_s = job->what == VERIFY_WHAT_CLAIMS ? 5e-7
                          : job->sample > 0               ? 1e-5
                          : last > FIT_THE_CACHE          ? 3e-8
                                                          : 5e-9;
    double ranks = 0;
    for (size_t i = 0; i < piece->count; i++)
        ranks += verify_sample_size((int32_t)p[i], job->sample);
    *kind = (uint64_t)rb_ceil_log2(last);
    return rank_s * ranks;
}

static void start_progress(struct run *run, const char *name)
{
    const struct verify_job *job = &run->verification.job;
    run->eta = sup_eta_create(run->pool.count, run->pool.workers, 0);
    for (size_t i = 0; i < run->pool.count; i++) {
        uint64_t kind;
        const double cost_s = job->thorough ? cost_of_cell(&job->cells.cell[i], &kind)
                              : job->what == VERIFY_WHAT_PLANS
                                  ? cost_of_ranks(job, verify_piece_ranks(job, i), &kind)
                                  : cost_of_piece(job, &job->pieces[i], &kind);
        sup_eta_describe(run->eta, i, cost_s, kind);
    }
    cli_bar_start(&run->bar, name, 0);
}

static int run_pool(struct run *run)
{
    static const struct {
        const char *name;
        void (*work)(void *, struct sup_pool_worker *, void *);
    } whats[] = {
        [VERIFY_WHAT_PLANS] = {"plans", verify_plans},
        [VERIFY_WHAT_SCHEDULES] = {"schedules", verify_schedules},
        [VERIFY_WHAT_CLAIMS] = {"claims", verify_claims},
    };
    struct verify_run *verification = &run->verification;
    struct sup_error error;
    run->pool.count = count_pieces(&verification->job);
    run->pool.memory_size = sizeof(struct verify_record);
    run->pool.context = run;
    run->pool.work =
        verification->job.thorough ? verify_thorough : whats[verification->job.what].work;
    run->pool.tick = watch;
    run->pool.done = piece_is_done;
    double started = sup_clock_s();
    start_progress(run, whats[verification->job.what].name);
    const int status = sup_pool_run(&run->pool, &error);
    cli_bar_end(&run->bar);
    sup_eta_destroy(run->eta);
    verification->wall_s = sup_clock_s() - started;
    for (int32_t w = 0; w < run->pool.workers && status == RB_OK; w++)
        add_record(verification, sup_pool_memory(&run->pool, w));
    sup_pool_free(&run->pool);
    if (status != RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s", error.text);
    return CLI_EXIT_DONE;
}

/* Of the values of --blocks and --root, which may not be those of a file: the first. */
static void take_first(const struct verify_job *job, struct rb_plan_spec *spec)
{
    const struct cli_terms n = {.term = job->blocks.term, .count = 1};
    const struct cli_terms root = {.term = job->roots.term, .count = 1};
    int64_t value;
    if (cli_terms_values(&n, spec->p, 1, INT64_MAX, &value) == 1)
        spec->n = value;
    if (cli_terms_values(&root, spec->p, 0, spec->p - 1, &value) == 1)
        spec->root = (int32_t)value;
    if (spec->ports == 0)
        spec->ports = (int32_t)job->ports->value[0];
}

/* Nothing fitted: why the first did not. */
static int complain_of_first(const struct verify_job *job)
{
    const struct rb_algorithm_info *info = job->algorithms[0];
    struct rb_plan_spec spec = job->plan;
    spec.collective = info->collective;
    spec.algorithm = info->name;
    spec.p = (int32_t)job->ranks->value[0];
    spec.n = 1;
    if (info->only != NULL)
        take_first(job, &spec);
    spec.ordered = false;
    spec.radix = job->radices.count > 0 ? (int32_t)job->radices.term[0].number : 0;
    spec.instance = job->instances.count > 0 ? job->instances.text[0] : NULL;
    struct rb_plan *plan;
    char why[256];
    const int status = rb_plan_create(&spec, &plan, why, sizeof why);
    rb_plan_destroy(plan);
    return cli_complain(cli_exit_of(status), "nothing fits: %s", why);
}

static bool nothing_was_verified(const struct verify_run *verification)
{
    return verification->job.what == VERIFY_WHAT_PLANS &&
           verify_plan_count(verification) + verification->sum.p_count == 0;
}

/* The exit status for the workers' results. */
static int exit_status(const struct verify_run *verification)
{
    const struct verify_record *sum = &verification->sum;
    if (sum->status != RB_OK)
        return cli_complain(cli_exit_of(sum->status), "%s", sum->failures[0].what);
    if (nothing_was_verified(verification) && verify_cover(verification).too_large > 0)
        return cli_complain(CLI_EXIT_USAGE, "--ranks: all these plans are too large for --level "
                                            "thorough: name smaller p, or leave --level out");
    if (nothing_was_verified(verification) && sum->tallies[0].unfit > 0)
        return complain_of_first(&verification->job);
    if (nothing_was_verified(verification))
        return cli_complain(CLI_EXIT_USAGE, "--blocks: no value is above 0 for these p");
    if (verification->job.what == VERIFY_WHAT_CLAIMS && sum->claims[0].checked == 0)
        return cli_complain(CLI_EXIT_USAGE, "--ranks: p = 1 has no schedule: nothing to check");
    return sum->failed > 0 || verify_claims_news(sum->claims) ? CLI_EXIT_FALSE : CLI_EXIT_DONE;
}

static void report(const struct cli_args *args, struct verify_run *verification, FILE *stream)
{
    const bool json = cli_args_format(args) == OUT_JSON;
    verification->details = cli_details(args);
    verify_complain(verification, json || verification->details);
    if (json)
        verify_print_json(verification, stream);
    else
        verify_print_table(verification, stream);
}

/* ---- The request ----------------------------------------------------------------------------- */

/* Adds those of one collective (NULL: of each) that have the name (NULL: of any). */
static void add_algorithms(struct verify_job *job, const char *collective, const char *name)
{
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if ((collective == NULL || strcmp(info->collective, collective) == 0) &&
            (name == NULL || strcmp(info->name, name) == 0) &&
            job->algorithm_count < VERIFY_MOST_ALGORITHMS)
            job->algorithms[job->algorithm_count++] = info;
    if (name != NULL && rb_is_file(name) && (info = rb_algorithm_find(collective, name)) != NULL &&
        job->algorithm_count < VERIFY_MOST_ALGORITHMS)
        job->algorithms[job->algorithm_count++] = info;
}

enum { WORD = 1100 }; /* bytes: a file's name, too */

/* The next word of a list with commas: into word; *at moves on, to NULL after the last. */
static void next_word(const char **at, char word[WORD])
{
    const char *comma = strchr(*at, ',');
    snprintf(word, WORD, "%.*s", comma == NULL ? WORD - 1 : (int)(comma - *at), *at);
    *at = comma == NULL ? NULL : comma + 1;
}

/* The algorithms in the list `names` (NULL: all) of one collective; it must have each. */
static int add_listed(struct verify_job *job, const char *collective, const char *names)
{
    struct sup_error error;
    if (cli_check_collective(collective, &error) != RB_OK)
        return cli_complain(CLI_EXIT_USAGE, "%s", error.text);
    const int32_t before = job->algorithm_count;
    if (names == NULL)
        add_algorithms(job, collective, NULL);
    if (names == NULL && job->algorithm_count == before)
        return cli_complain(CLI_EXIT_USAGE, "--algorithm: missing: %s has no plans but files'",
                            collective);
    for (const char *at = names; at != NULL;) {
        char name[WORD];
        next_word(&at, name);
        if (cli_check_algorithm(collective, name, &error) != RB_OK)
            return cli_complain(CLI_EXIT_USAGE, "%s", error.text);
        add_algorithms(job, collective, name);
    }
    return CLI_EXIT_DONE;
}

/* Those of all collectives that have one of the list; each must be known to some. */
static int add_of_any(struct verify_job *job, const char *names)
{
    for (const char *at = names; at != NULL;) {
        const int32_t before = job->algorithm_count;
        char name[WORD];
        next_word(&at, name);
        add_algorithms(job, NULL, name);
        if (job->algorithm_count == before)
            return cli_complain(
                CLI_EXIT_USAGE,
                "--algorithm: no collective has \"%s\": roundabout list algorithms names them",
                name);
    }
    if (names == NULL)
        add_algorithms(job, NULL, NULL);
    return CLI_EXIT_DONE;
}

static int read_algorithms(const struct cli_args *args, struct verify_job *job)
{
    const char *names = cli_args_text(args, "algorithm");
    names = strcmp(names, "all") == 0 ? NULL : names;
    job->collectives = cli_args_text(args, "collective");
    const bool every = strcmp(job->collectives, "all") == 0;
    job->several = every || strchr(job->collectives, ',') != NULL;
    if (!cli_args_given(args, "collective") && rb_is_file(cli_args_text(args, "algorithm")))
        job->collectives = job->plan.collective; /* the file's, if it names one */
    if (every)
        return add_of_any(job, names);
    int status = CLI_EXIT_DONE;
    for (const char *at = job->collectives; at != NULL && status == CLI_EXIT_DONE;) {
        char collective[WORD];
        next_word(&at, collective);
        status = add_listed(job, collective, names);
    }
    return status;
}

static int read_counts(const char *text, struct verify_job *job)
{
    struct sup_error error;
    if (strcmp(text, "all") == 0)
        text = "regular,mod3,degenerate,random:1,random:2";
    for (const char *at = text; at != NULL;) {
        const char *comma = strchr(at, ',');
        char word[64];
        snprintf(word, sizeof word, "%.*s", comma == NULL ? 63 : (int)(comma - at), at);
        if (job->counts_count == VERIFY_MOST_COUNTS)
            return cli_complain(CLI_EXIT_USAGE, "--counts: more than %d", (int)VERIFY_MOST_COUNTS);
        if (sup_counts_parse(word, &job->counts[job->counts_count++], &error) != RB_OK)
            return cli_complain(CLI_EXIT_USAGE, "--counts: %s", error.text);
        at = comma == NULL ? NULL : comma + 1;
    }
    return CLI_EXIT_DONE;
}

static int read_radices(const struct cli_args *args, struct verify_job *job)
{
    static const struct cli_symbol *const symbols[] = {&cli_symbol_p, NULL};
    struct sup_error error;
    bool any = false;
    if (!cli_args_given(args, "radix"))
        return CLI_EXIT_DONE;
    for (int32_t a = 0; a < job->algorithm_count; a++)
        any = any || job->algorithms[a]->radix != NULL;
    if (!any)
        return cli_complain(CLI_EXIT_USAGE, "--radix: none of these algorithms has a radix");
    const char *text = cli_args_text(args, "radix");
    job->all_radices = strcmp(text, "all") == 0;
    if (job->all_radices)
        return CLI_EXIT_DONE;
    int status = cli_parse_terms(text, symbols, 2, RB_MAX_RANKS, &job->radices, &error);
    return status == RB_OK ? CLI_EXIT_DONE
                           : cli_complain(cli_exit_of(status), "--radix: %s", error.text);
}

static int read_instances(const struct cli_args *args, struct verify_job *job)
{
    const char *const *texts;
    const int32_t count = cli_args_texts(args, "instance", &texts);
    struct sup_error error;
    bool any = count == 0;
    for (int32_t a = 0; a < job->algorithm_count; a++)
        any = any || rb_collective_find(job->algorithms[a]->collective)->instance != NULL;
    if (!any)
        return cli_complain(CLI_EXIT_USAGE, "--instance: none of these collectives has instances");
    for (int32_t i = 0; i < count; i++) {
        const int status = cli_add_instances(texts[i], &job->instances, &error);
        if (status != RB_OK)
            return cli_complain(cli_exit_of(status), "--instance: %s", error.text);
    }
    return CLI_EXIT_DONE;
}

static int read_groups(const struct cli_args *args, struct verify_job *job)
{
    struct sup_error error;
    bool any = false;
    int32_t shared = 1;
    job->groups_count = cli_args_texts(args, "groups", &job->groups);
    job->platform = cli_args_text(args, "platform");
    for (int32_t a = 0; a < job->algorithm_count; a++)
        any = any || job->algorithms[a]->groups;
    for (int32_t i = 0; i < job->groups_count; i++)
        job->any_order = job->any_order || strchr(job->groups[i], '@') != NULL;
    if (job->groups_count > 0 && !any && !job->any_order)
        return cli_complain(CLI_EXIT_USAGE, "--groups: none of these algorithms plans by groups");
    for (int32_t i = 0; i < job->groups_count; i++)
        if (strcmp(job->groups[i], "all") == 0)
            job->all_groups = true;
        else if (point_check_groups(job->groups[i], false, &error) != RB_OK)
            return cli_complain(CLI_EXIT_USAGE, "--groups: %s; or all", error.text);
    if (job->all_groups && job->groups_count > 1)
        return cli_complain(CLI_EXIT_USAGE, "--groups: all, or sizes, not both");
    const int status = point_shared_ranks(args, &shared, &error);
    if (status != RB_OK || shared == 1 || !any || job->groups_count > 0)
        return cli_fail(status, &error);
    snprintf(job->shared, sizeof job->shared, "%" PRId32, shared);
    job->shared_groups = job->shared;
    job->groups = &job->shared_groups;
    job->groups_count = 1;
    return CLI_EXIT_DONE;
}

/* The plan, if there is one from a file and nothing else. */
static const struct rb_plan_only *only_plan(const struct verify_job *job)
{
    return job->algorithm_count == 1 ? job->algorithms[0]->only : NULL;
}

/* Without --ranks, the file's number of ranks, or those of the instances, if all instances give
 * them. */
static int read_ranks(const struct cli_args *args, struct verify_job *job)
{
    struct sup_list *said = &job->instance_ranks;
    const struct rb_plan_only *only = only_plan(job);
    job->ranks = cli_args_list(args, "ranks");
    if (only != NULL && !cli_args_given(args, "ranks")) {
        said->value = sup_calloc(1, sizeof *said->value);
        said->value[said->count++] = only->p;
        job->ranks = said;
        return CLI_EXIT_DONE;
    }
    if (cli_args_given(args, "ranks") || job->instances.count == 0)
        return CLI_EXIT_DONE;
    said->value = sup_calloc(job->instances.count, sizeof *said->value);
    for (size_t i = 0; i < job->instances.count; i++) {
        char why[256];
        int32_t p;
        const int status = rb_instance_ranks(job->algorithms[0]->collective, job->instances.text[i],
                                             &p, why, sizeof why);
        if (status != RB_OK)
            return cli_complain(cli_exit_of(status), "--instance: %s", why);
        if (p == 0)
            return CLI_EXIT_DONE;
        size_t k = 0;
        while (k < said->count && said->value[k] != p)
            k++;
        said->value[k] = p;
        said->count += k == said->count;
    }
    job->ranks = said;
    return CLI_EXIT_DONE;
}

static int read_terms(const struct cli_args *args, struct verify_job *job)
{
    static const struct cli_symbol *const block_symbols[] = {&cli_symbol_q, NULL};
    static const struct cli_symbol *const root_symbols[] = {&cli_symbol_middle, &cli_symbol_last,
                                                            NULL};
    struct sup_error error;
    const struct rb_plan_only *only = only_plan(job);
    const bool any_n = only == NULL || cli_args_given(args, "blocks");
    const bool any_root = only == NULL || only->root < 0 || cli_args_given(args, "root");
    char root[16], *const n = job->file_n;
    snprintf(root, sizeof root, "%" PRId32, any_root ? 0 : only->root);
    snprintf(n, sizeof job->file_n, "%" PRId64, any_n || only->n == 0 ? 1 : only->n);
    job->blocks_text = cli_args_given(args, "blocks") ? cli_args_text(args, "blocks")
                       : any_n                        ? NULL
                                                      : n;
    int status = cli_parse_terms(any_n ? cli_args_text(args, "blocks") : n, block_symbols, 1,
                                 INT64_MAX, &job->blocks, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "--blocks: %s", error.text);
    bool rooted = false;
    for (int32_t a = 0; a < job->algorithm_count; a++)
        rooted = rooted || rb_takes_root(job->algorithms[a]);
    status = cli_parse_terms(rooted && any_root ? cli_args_text(args, "root") : root, root_symbols,
                             0, RB_MAX_RANKS - 1, &job->roots, &error);
    if (status != RB_OK)
        return cli_complain(cli_exit_of(status), "--root: %s", error.text);
    return read_radices(args, job);
}

/* A range that leaves nothing to check would be "all right": it is refused. */
static int check_not_empty(const struct verify_job *job)
{
    int32_t largest = 0;
    for (size_t i = 0; i < job->ranks->count; i++)
        if (job->ranks->value[i] > largest)
            largest = (int32_t)job->ranks->value[i];
    for (size_t i = 0; i < job->radices.count; i++) {
        const struct cli_terms one = {.term = &job->radices.term[i], .count = 1};
        int64_t value;
        if (cli_terms_values(&one, largest, 2, largest > 2 ? largest : 2, &value) == 0)
            return cli_complain(CLI_EXIT_USAGE,
                                "--radix: %" PRId64 " is no radix for any p: it must be from 2 to "
                                "p, and the largest p is %" PRId32,
                                one.term->number, largest);
    }
    for (size_t i = 0; i < job->roots.count; i++) {
        const struct cli_terms one = {.term = &job->roots.term[i], .count = 1};
        int64_t value;
        if (cli_terms_values(&one, largest, 0, largest - 1, &value) == 0)
            return cli_complain(CLI_EXIT_USAGE,
                                "--root: %" PRId64
                                " is not a rank of any p: the largest p is %" PRId32,
                                one.term->number, largest);
    }
    return CLI_EXIT_DONE;
}

/* Options that choose plans, which a level with its own plans does not allow. */
static int check_level(const struct cli_args *args, enum verify_what what)
{
    const bool thorough = strcmp(cli_args_text(args, "level"), "thorough") == 0;
    if (thorough && what != VERIFY_WHAT_PLANS)
        return cli_complain(CLI_EXIT_USAGE, "--level: %s is a level of plans, not of --%s",
                            cli_args_text(args, "level"),
                            what == VERIFY_WHAT_CLAIMS ? "claims" : "schedules");
    if (!thorough && cli_args_given(args, "seed"))
        return cli_complain(CLI_EXIT_USAGE, "--seed: only with --level thorough");
    return thorough
               ? cli_refused(args, "blocks|root|counts|ports|radix|instance|groups|ordered",
                             "has no meaning with --level thorough, which takes values of its own; "
                             "only --ranks, --collective and --algorithm narrow it")
               : CLI_EXIT_DONE;
}

/* Options that do not fit the kind of verification. */
static int check_relevant(const struct cli_args *args, enum verify_what what)
{
    static const char of_plans[] = "collective|algorithm|blocks|root|counts|ports|radix|instance|"
                                   "groups|ordered|buffers";
    const char *name;
    if (cli_args_flag(args, "schedules") && cli_args_flag(args, "claims"))
        return cli_complain(CLI_EXIT_USAGE,
                            "--claims: not together with --schedules: one at a time");
    if (what != VERIFY_WHAT_PLANS && (name = cli_args_first(args, of_plans)) != NULL)
        return cli_complain(CLI_EXIT_USAGE,
                            "--%s: has no meaning with --%s, which checks the schedules alone",
                            name, what == VERIFY_WHAT_CLAIMS ? "claims" : "schedules");
    if (what != VERIFY_WHAT_SCHEDULES && cli_args_given(args, "table"))
        return cli_complain(CLI_EXIT_USAGE, "--table: only with --schedules");
    if (what == VERIFY_WHAT_PLANS && cli_args_given(args, "sample"))
        return cli_complain(CLI_EXIT_USAGE, "--sample: only with --schedules or --claims");
    return check_level(args, what);
}

static int read_plans(const struct cli_args *args, struct verify_job *job)
{
    int status = read_algorithms(args, job);
    if (status == CLI_EXIT_DONE)
        status = read_counts(cli_args_text(args, "counts"), job);
    if (status == CLI_EXIT_DONE)
        status = read_instances(args, job);
    if (status == CLI_EXIT_DONE)
        status = read_groups(args, job);
    if (status == CLI_EXIT_DONE)
        status = read_ranks(args, job);
    if (status == CLI_EXIT_DONE)
        status = read_terms(args, job);
    if (status == CLI_EXIT_DONE)
        status = check_not_empty(job);
    job->thorough = strcmp(cli_args_text(args, "level"), "thorough") == 0;
    if (cli_args_given(args, "buffers"))
        job->buffers = cli_args_int(args, "buffers");
    job->seed = (uint64_t)cli_args_int(args, "seed");
    if (status == CLI_EXIT_DONE && job->thorough)
        verify_cells_make(job, !cli_args_given(args, "ranks"));
    return status;
}

static int read_request(const struct cli_args *args, struct run *run)
{
    struct verify_job *job = &run->verification.job;
    job->what = cli_args_flag(args, "schedules") ? VERIFY_WHAT_SCHEDULES
                : cli_args_flag(args, "claims")  ? VERIFY_WHAT_CLAIMS
                                                 : VERIFY_WHAT_PLANS;
    run->pool.workers =
        cli_args_given(args, "jobs") ? (int32_t)cli_args_int(args, "jobs") : sup_pool_cores();
    job->ranks = cli_args_list(args, "ranks");
    job->ports = cli_args_list(args, "ports");
    job->ports_given = cli_args_given(args, "ports");
    job->ordered = cli_args_flag(args, "ordered");
    job->counterexample = cli_args_given(args, "counterexample");
    point_read_plan(args, &job->plan);
    job->sample = cli_args_given(args, "sample") ? (int32_t)cli_args_int(args, "sample") : 0;
    int status = check_relevant(args, job->what);
    if (status == CLI_EXIT_DONE)
        status = job->what == VERIFY_WHAT_PLANS ? read_plans(args, job)
                                                : verify_divide(job, run->pool.workers);
    return status;
}

/* Opens the file of --counterexample, if it is given, before the work begins. */
static int open_counterexample(const struct cli_args *args, struct out_file *output)
{
    struct sup_error error;
    const char *path = cli_args_text(args, "counterexample");
    if (path == NULL)
        return CLI_EXIT_DONE;
    int status = RB_OK;
    if (strcmp(path, "-") != 0)
        status = out_files_write("--counterexample", path, &error);
    if (status == RB_OK)
        status = out_open_for(output, "counterexample", path, &error);
    return cli_fail(status, &error);
}

/* What led to the first fault, if it is known; else the file stays as it was. */
static int write_counterexample(struct out_file *output, const char *story, int status)
{
    if (output->stream == NULL || *story == '\0')
        return status;
    fputs(story, output->stream);
    return cli_finish_output(output, status);
}

/* Schedules of another program. */
static int verify_table(const struct cli_args *args)
{
    struct verify_table table = {0};
    struct sup_error error;
    struct out_file output = {0};
    int status = check_relevant(args, VERIFY_WHAT_SCHEDULES);
    if (status == CLI_EXIT_DONE)
        status =
            cli_refused(args, "ranks|sample|jobs|counterexample", "has no meaning with --table");
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE)
        status = cli_fail(verify_table_read(cli_args_text(args, "table"), &table, &error), &error);
    if (status == CLI_EXIT_DONE) {
        verify_table_print(&table, cli_args_format(args) == OUT_JSON, output.stream);
        status = json_array_size(table.wrong) > 0 ? CLI_EXIT_FALSE : CLI_EXIT_DONE;
    }
    json_decref(table.wrong);
    return cli_finish_output(&output, status);
}

static int verify(const struct cli_args *args)
{
    if (cli_args_given(args, "table") && cli_args_flag(args, "schedules"))
        return verify_table(args);
    struct run *run = sup_calloc(1, sizeof *run);
    struct out_file output = {0}, counterexample = {0};
    int status = read_request(args, run);
    if (status == CLI_EXIT_DONE)
        status = open_counterexample(args, &counterexample);
    if (status == CLI_EXIT_DONE)
        status = cli_args_output(args, &output);
    if (status == CLI_EXIT_DONE) {
        if (run->verification.job.groups == &run->verification.job.shared_groups)
            cli_complain(CLI_EXIT_DONE, "note: --groups %s, as so many ranks share a host or node",
                         run->verification.job.shared);
        status = run_pool(run);
        if (status == CLI_EXIT_DONE)
            status = exit_status(&run->verification);
        if (status == CLI_EXIT_DONE || status == CLI_EXIT_FALSE)
            report(args, &run->verification, output.stream);
        if (status == CLI_EXIT_FALSE)
            status = write_counterexample(&counterexample, run->verification.sum.failures[0].story,
                                          status);
        status = cli_finish_output(&output, status);
    }
    out_discard(&counterexample);
    cli_terms_free(&run->verification.job.blocks);
    cli_terms_free(&run->verification.job.roots);
    cli_terms_free(&run->verification.job.radices);
    cli_texts_free(&run->verification.job.instances);
    sup_list_free(&run->verification.job.instance_ranks);
    free(run->verification.job.pieces);
    verify_cells_free(&run->verification.job.cells);
    free(run);
    return status;
}

const struct cli_verb verb_verify = {
    .name = "verify",
    .title = "Prove plans and schedules right for ranges of p, n and roots.",
    .common = "collective|algorithm|ranks|blocks|root|schedules|level|jobs",
    .options = options,
    .examples =
        "roundabout verify --collective bcast --algorithm all -p 1..300 -n 1,2,7,32\n"
        "roundabout verify --collective all -p 1..130 --counts all\n"
        "roundabout verify --schedules -p 1..20000\n"
        "roundabout verify --schedules -p 1..2^20 --jobs 4\n"
        "roundabout verify --schedules -p 1073741815..2^30 --sample 100\n"
        "roundabout verify --schedules --table schedules.txt\n"
        "roundabout verify --claims -p 1..2049\n"
        "roundabout verify --collective alltoall,allgather --algorithm bruck -p 2..70 --radix all "
        "--ports 1..4\n"
        "roundabout verify --collective bcast,reduce --algorithm hosts -p 1..130 --groups all\n"
        "roundabout verify --collective shift -p 1..130 --instance q=0..129\n"
        "roundabout verify --collective redistribute --instance P=1..9,r=2,Q=1..9,s=3\n"
        "roundabout verify --level thorough --collective bcast --algorithm chain\n"
        "roundabout verify --level thorough --collective all --jobs 2\n"
        "roundabout verify --algorithm circulant -p 65537 -n q-1,q,q+1 --root 0,last\n",
    .run = verify,
};
