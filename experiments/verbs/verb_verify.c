/* verb_verify.c - are plans, or bare circulant schedules, right? Over ranges of p, block counts and
 * roots, in one or several worker processes. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiments/command/common_options.h"
#include "experiments/command/json_rows.h"
#include "experiments/verbs/crew.h"
#include "experiments/verbs/verify_work.h"

static const struct rb_option options[] = {
    {.name = "schedules",
     .type = RB_OPT_FLAG,
     .help = "check the circulant schedules themselves (the paper's four conditions), not plans; "
             "stop at the first wrong p"},
    RB_OPTION_COLLECTIVE,
    RB_OPTION_ALGORITHM("all", "which algorithm, or all: see roundabout list"),
    {.name = "ranks",
     .letter = 'p',
     .type = RB_OPT_INTS,
     .value = "LIST",
     .fallback = "1..64",
     .help = "numbers of ranks",
     .least = 1,
     .most = RB_MAX_RANKS},
    {.name = "blocks",
     .letter = 'n',
     .type = RB_OPT_TEXT,
     .value = "LIST",
     .fallback = "1,2,q,q+1,7,32",
     .help = "numbers of blocks; q, q+1, q-1... depend on p"},
    {.name = "root",
     .type = RB_OPT_TEXT,
     .value = "LIST",
     .fallback = "0,middle,last",
     .help = "roots; those that are no rank of a p are left out for it"},
    RB_OPTION_PORTS,
    RB_OPTION_ORDERED,
    {.name = "jobs",
     .type = RB_OPT_INT,
     .value = "N",
     .fallback = "1",
     .help = "worker processes",
     .least = 1,
     .most = 1024},
    RB_OPTION_FORMAT("table|json"),
    RB_OPTION_OUTPUT,
    RB_OPTION_END,
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Running --------------------------------------------------------------------------------- */

struct verification {
    struct rb_verify_job job; /* first: it is what the workers' context points at */
    bool schedules;
    struct rb_crew crew;
    struct rb_bar bar;
    struct rb_verify_record sum; /* over all workers */
    double wall_s;
};

static bool watch(void *context, const void *records)
{
    struct verification *verification = context;
    const struct rb_verify_record *record = records;
    int64_t done = 0, failed = 0;
    for (int32_t w = 0; w < verification->crew.workers; w++, record++) {
        done += atomic_load(&record->done);
        failed += atomic_load(&record->failed);
    }
    char note[48] = "";
    if (failed > 0)
        snprintf(note, sizeof note, "%" PRId64 " wrong", failed);
    rb_bar_update(&verification->bar, done, failed > 0 ? note : NULL);
    return verification->schedules && failed > 0;
}

static void add_failures(struct rb_verify_record *sum, const struct rb_verify_record *record)
{
    int64_t had = sum->failed, new = record->failed;
    for (int64_t i = 0; i < new &&i < RB_KEPT_FAILURES &&had + i < RB_KEPT_FAILURES; i++)
        sum->failures[had + i] = record->failures[i];
    sum->failed = had + new;
}

static void add_record(struct verification *verification, const struct rb_verify_record *record)
{
    struct rb_verify_record *sum = &verification->sum;
    if (record->status != RB_OK && sum->status == RB_OK) {
        sum->status = record->status;
        sum->failures[0] = record->failures[0];
        return;
    }
    add_failures(sum, record);
    sum->p_count += record->p_count;
    sum->rank_count += record->rank_count;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        struct rb_verify_tally *to = &sum->tallies[a];
        const struct rb_verify_tally *from = &record->tallies[a];
        to->plans += from->plans;
        to->wrong += from->wrong;
        to->at_bound += from->at_bound;
        if (from->most_extra_rounds > to->most_extra_rounds)
            to->most_extra_rounds = from->most_extra_rounds;
        if (from->most_extra_moves > to->most_extra_moves)
            to->most_extra_moves = from->most_extra_moves;
    }
}

static int64_t plan_count(const struct verification *verification)
{
    int64_t plans = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        plans += verification->sum.tallies[a].plans;
    return plans;
}

static int run_crew(struct verification *verification)
{
    struct rb_error error;
    int64_t total = 0;
    for (size_t i = 0; i < verification->job.ranks->count; i++)
        total += verification->job.ranks->value[i];
    if (!verification->schedules)
        total *= verification->job.algorithm_count;
    verification->crew.record_size = sizeof(struct rb_verify_record);
    verification->crew.context = verification;
    verification->crew.work = verification->schedules ? rb_verify_schedules : rb_verify_plans;
    verification->crew.watch = watch;
    double started = now_s();
    rb_bar_start(&verification->bar, verification->schedules ? "schedules" : "plans", total);
    int status = rb_crew_run(&verification->crew, &error);
    rb_bar_end(&verification->bar);
    verification->wall_s = now_s() - started;
    if (status != RB_OK) {
        rb_crew_free(&verification->crew);
        return rb_complain(RB_EXIT_FAILED, "%s", error.text);
    }
    const struct rb_verify_record *records = verification->crew.records;
    for (int32_t w = 0; w < verification->crew.workers; w++)
        add_record(verification, &records[w]);
    rb_crew_free(&verification->crew);
    if (verification->sum.status != RB_OK)
        return rb_complain(rb_exit_of(verification->sum.status), "%s",
                           verification->sum.failures[0].what);
    if (!verification->schedules && plan_count(verification) == 0)
        return rb_complain(RB_EXIT_USAGE, "--blocks: no value is above 0 for these p");
    return verification->sum.failed > 0 ? RB_EXIT_FALSE : RB_EXIT_DONE;
}

/* ---- Reporting ------------------------------------------------------------------------------- */

static int by_p(const void *left, const void *right)
{
    const struct rb_verify_failure *a = left, *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

static void complain_of_failures(struct verification *verification)
{
    struct rb_verify_record *sum = &verification->sum;
    int64_t kept = sum->failed < RB_KEPT_FAILURES ? sum->failed : RB_KEPT_FAILURES;
    qsort(sum->failures, (size_t)kept, sizeof sum->failures[0], by_p);
    for (int64_t i = 0; i < kept; i++) {
        rb_complain(RB_EXIT_FALSE, "wrong: %s", sum->failures[i].what);
        rb_complain(RB_EXIT_FALSE, "repeat it: %s", sum->failures[i].repeat);
    }
    if (sum->failed > kept)
        rb_complain(RB_EXIT_FALSE, "and %" PRId64 " more", sum->failed - kept);
}

static void print_plans_table(const struct verification *verification, FILE *stream)
{
    fprintf(stream, "%-20s %9s %9s %9s %13s %13s\n", "algorithm", "plans", "wrong", "optimal",
            "extra rounds", "extra moves");
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        const struct rb_verify_tally *tally = &verification->sum.tallies[a];
        fprintf(stream,
                "%-20s %9" PRId64 " %9" PRId64 " %9" PRId64 " %13" PRId64 " %13" PRId64 "\n",
                verification->job.algorithms[a]->name, tally->plans, tally->wrong, tally->at_bound,
                tally->most_extra_rounds, tally->most_extra_moves);
    }
    fprintf(stream,
            "optimal: plans with no more rounds than the lower bound; extra: the most above it\n");
    fprintf(stream, "%" PRId64 " %s plans: %s; %.1f s\n", plan_count(verification),
            verification->job.collective, verification->sum.failed == 0 ? "all right" : "WRONG",
            verification->wall_s);
}

static void print_schedules_table(const struct verification *verification, FILE *stream)
{
    fprintf(stream, "%" PRId64 " values of p, %" PRId64 " ranks: %s; %.1f s\n",
            verification->sum.p_count, verification->sum.rank_count,
            verification->sum.failed == 0 ? "all four conditions hold" : "WRONG",
            verification->wall_s);
}

static json_t *json_of_tallies(const struct verification *verification)
{
    json_t *all = json_array();
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        const struct rb_verify_tally *tally = &verification->sum.tallies[a];
        json_array_append_new(all,
                              json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "algorithm",
                                        verification->job.algorithms[a]->name, "plans",
                                        (json_int_t)tally->plans, "wrong", (json_int_t)tally->wrong,
                                        "optimal", (json_int_t)tally->at_bound, "extra_rounds",
                                        (json_int_t)tally->most_extra_rounds, "extra_moves",
                                        (json_int_t)tally->most_extra_moves));
    }
    return all;
}

static int print_json(const struct verification *verification, FILE *stream)
{
    json_t *all;
    const struct rb_verify_record *sum = &verification->sum;
    if (verification->schedules)
        all = json_pack("{s:I, s:I, s:I, s:f, s:s}", "p_count", (json_int_t)sum->p_count, "ranks",
                        (json_int_t)sum->rank_count, "wrong", (json_int_t)sum->failed, "wall_s",
                        verification->wall_s, "version", rb_program_version);
    else
        all =
            json_pack("{s:s, s:I, s:I, s:o, s:f, s:s}", "collective", verification->job.collective,
                      "plans", (json_int_t)plan_count(verification), "wrong",
                      (json_int_t)sum->failed, "algorithms", json_of_tallies(verification),
                      "wall_s", verification->wall_s, "version", rb_program_version);
    if (rb_json_print(stream, all, 0) != RB_OK)
        return rb_complain(RB_EXIT_FAILED, "out of memory");
    return RB_EXIT_DONE;
}

static int report(const struct rb_args *args, struct verification *verification, FILE *stream)
{
    complain_of_failures(verification);
    if (rb_args_format(args) == RB_JSON)
        return print_json(verification, stream);
    if (verification->schedules)
        print_schedules_table(verification, stream);
    else
        print_plans_table(verification, stream);
    return RB_EXIT_DONE;
}

/* ---- The request ----------------------------------------------------------------------------- */

static int read_algorithms(const struct rb_args *args, struct rb_verify_job *job)
{
    struct rb_error error;
    const char *name = rb_args_text(args, "algorithm");
    job->collective = rb_args_text(args, "collective");
    bool all = strcmp(name, "all") == 0;
    if (rb_check_collective(job->collective, &error) != RB_OK ||
        (!all && rb_check_algorithm(job->collective, name, &error) != RB_OK))
        return rb_complain(RB_EXIT_USAGE, "%s", error.text);
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL; i++)
        if (strcmp(info->collective, job->collective) == 0 &&
            (all || strcmp(info->name, name) == 0) && job->algorithm_count < RB_MOST_ALGORITHMS)
            job->algorithms[job->algorithm_count++] = info;
    return RB_EXIT_DONE;
}

static int read_terms(const struct rb_args *args, struct rb_verify_job *job)
{
    static const struct rb_symbol *const block_symbols[] = {&rb_symbol_q, NULL};
    static const struct rb_symbol *const root_symbols[] = {&rb_symbol_middle, &rb_symbol_last,
                                                           NULL};
    struct rb_error error;
    int status = rb_parse_terms(rb_args_text(args, "blocks"), block_symbols, 1, INT64_MAX,
                                &job->blocks, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "--blocks: %s", error.text);
    bool rooted = rb_collective_find(job->collective)->rooted;
    status = rb_parse_terms(rooted ? rb_args_text(args, "root") : "0", root_symbols, 0,
                            RB_MAX_RANKS - 1, &job->roots, &error);
    if (status != RB_OK)
        return rb_complain(rb_exit_of(status), "--root: %s", error.text);
    return RB_EXIT_DONE;
}

/* A range that leaves nothing to check would be "all right": it is refused. */
static int check_not_empty(const struct rb_verify_job *job)
{
    int32_t largest = 0;
    for (size_t i = 0; i < job->ranks->count; i++)
        if (job->ranks->value[i] > largest)
            largest = (int32_t)job->ranks->value[i];
    for (size_t i = 0; i < job->roots.count; i++) {
        const struct rb_terms one = {.term = &job->roots.term[i], .count = 1};
        int64_t value;
        if (rb_terms_values(&one, largest, 0, largest - 1, &value) == 0)
            return rb_complain(RB_EXIT_USAGE,
                               "--root: %" PRId64
                               " is not a rank of any p: the largest p is %" PRId32,
                               one.term->number, largest);
    }
    return RB_EXIT_DONE;
}

static int check_schedules_only(const struct rb_args *args)
{
    static const char *const others[] = {"collective", "algorithm", "blocks",
                                         "root",       "ports",     "ordered"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (rb_args_given(args, others[i]))
            return rb_complain(RB_EXIT_USAGE,
                               "--%s: has no meaning with --schedules, which checks the schedules "
                               "alone",
                               others[i]);
    return RB_EXIT_DONE;
}

static int read_request(const struct rb_args *args, struct verification *verification)
{
    struct rb_verify_job *job = &verification->job;
    verification->schedules = rb_args_flag(args, "schedules");
    verification->crew.workers = (int32_t)rb_args_int(args, "jobs");
    job->ranks = rb_args_list(args, "ranks");
    job->ports = (int32_t)rb_args_int(args, "ports");
    job->ordered = rb_args_flag(args, "ordered");
    if (verification->schedules)
        return check_schedules_only(args);
    int status = read_algorithms(args, job);
    if (status == RB_EXIT_DONE)
        status = read_terms(args, job);
    if (status == RB_EXIT_DONE)
        status = check_not_empty(job);
    return status;
}

static int run(const struct rb_args *args)
{
    struct verification *verification = calloc(1, sizeof *verification);
    if (verification == NULL)
        return rb_complain(RB_EXIT_FAILED, "out of memory");
    struct rb_output output = {0};
    int status = read_request(args, verification);
    if (status == RB_EXIT_DONE)
        status = rb_args_output(args, &output);
    if (status == RB_EXIT_DONE) {
        status = run_crew(verification);
        if (status == RB_EXIT_DONE || status == RB_EXIT_FALSE) {
            int printed = report(args, verification, output.stream);
            status = printed == RB_EXIT_DONE ? status : printed;
        }
        status = rb_finish_output(&output, status);
    }
    rb_terms_free(&verification->job.blocks);
    rb_terms_free(&verification->job.roots);
    free(verification);
    return status;
}

const struct rb_verb rb_verb_verify = {
    .name = "verify",
    .title = "Verify plans, or circulant schedules, over ranges of p, n and roots.",
    .options = options,
    .examples = "roundabout verify --schedules -p 1..20000\n"
                "roundabout verify --collective bcast --algorithm all -p 1..300 -n 1,2,7,32\n"
                "roundabout verify --algorithm circulant -p 2^16+1 -n q-1,q,q+1 --root 0,last\n",
    .run = run,
};
