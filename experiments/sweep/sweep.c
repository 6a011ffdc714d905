/* sweep.c - runs an experiment: simulates the points that are missing in the results file and adds
 * them.
 *
 * Only this process writes results, with one transaction per finished point, so a kill at any
 * moment costs only the points that were running. */
#define _POSIX_C_SOURCE 200809L

#include "experiments/sweep/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/decide/compare.h"
#include "experiments/point/runs.h"
#include "experiments/results/results.h"
#include "experiments/sweep/experiment.h"
#include "roundabout.h"
#include "support/error.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/output/table.h"
#include "support/pool.h"
#include "support/process.h"
#include "support/units.h"

/* The signal that asked us to end; 0: none. A handler can reach nothing but a global. */
static volatile sig_atomic_t stop_signal;

static void ask_to_stop(int number)
{
    stop_signal = number;
}

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

/* A signal ends the sweep in order, and a second Ctrl-C at once. Batch systems send SIGTERM to all
 * processes of a job, and a job's script passes it on, so that one may come twice. */
static void catch_signals(void)
{
    for (int i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction action = {.sa_handler = ask_to_stop,
                                   .sa_flags = stop_signals[i] == SIGINT ? (int)SA_RESETHAND : 0};
        struct sigaction before;
        sigaction(stop_signals[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) /* nohup keeps its meaning */
            sigaction(stop_signals[i], &action, NULL);
    }
}

static void release_signals(void)
{
    for (int i = 0; i < STOP_SIGNALS; i++) {
        struct sigaction before;
        sigaction(stop_signals[i], NULL, &before);
        if (before.sa_handler == ask_to_stop)
            signal(stop_signals[i], SIG_DFL);
    }
}

/* ---- The data of a sweep ---- */

struct sweep {
    const struct sweep_request *request;
    struct sweep_experiment experiment;
    struct sweep_points points;
    char *database, *csv, *tuning, *directory, *page; /* paths */
    struct results *results;
    size_t *todo; /* numbers of the points to run, in their order */
    size_t todo_count;
    double *took_s; /* of each point the real time that an earlier run took, or 0 */
    size_t failed;  /* of all points, those that failed now or, not tried again, earlier */
    struct sup_error failure; /* the first one */
    double begun_s;
    struct point_runs runs;
    struct sweep_confirm confirm;
    double live_took_s; /* the last writing of the page */
    bool live_failed;   /* the page could not be written, and that was said */
};

static void sweep_free(struct sweep *sweep)
{
    results_close(sweep->results);
    point_runs_end(&sweep->runs);
    free(sweep->todo);
    free(sweep->took_s);
    free(sweep->database);
    free(sweep->csv);
    free(sweep->tuning);
    free(sweep->directory);
    free(sweep->page);
    sweep_confirm_free(&sweep->confirm);
    sweep_points_free(&sweep->points);
    sweep_experiment_free(&sweep->experiment);
}

/* ---- Paths ---- */

/* base, without `cut` if it ends so, and with `ending`; to be freed. */
static char *with_ending(const char *base, const char *cut, const char *ending)
{
    size_t length = strlen(base), cut_length = strlen(cut);
    if (length > cut_length && strcmp(base + length - cut_length, cut) == 0)
        length -= cut_length;
    return sup_format("%.*s%s", (int)length, base, ending);
}

/* A shard has no reports: those of all points are made when shards are merged. */
static bool makes_reports(const struct sweep *sweep)
{
    return sweep->request->reports && sweep->request->shards == 1;
}

static int choose_page(const struct sweep *sweep, struct sup_error *error)
{
    struct stat there;
    int status = out_files_stays(sweep->directory, error);
    if (status == RB_OK && stat(sweep->directory, &there) == 0 && !S_ISDIR(there.st_mode))
        status = sup_fail(error, RB_EINVAL, "%s: is a file, where the report needs a directory",
                          sweep->directory);
    return status == RB_OK ? out_files_derive("--output", sweep->page, error) : status;
}

static int choose_paths(struct sweep *sweep, struct sup_error *error)
{
    static const char directory[] = "results";
    const struct sweep_request *request = sweep->request;
    const char *given = request->results, *name = sweep->experiment.name;

    if (given != NULL) {
        sweep->database = sup_strdup(given);
    } else {
        sweep->database =
            sup_format("%s/%s%s%s.db", directory, name, request->engine != NULL ? "-" : "",
                       request->engine != NULL ? request->engine : "");
        if (mkdir(directory, 0777) != 0 && errno != EEXIST)
            return sup_fail(error, RB_EIO, "%s: %s", directory, strerror(errno));
    }
    sweep->csv = with_ending(sweep->database, ".db", ".csv");
    sweep->tuning = with_ending(sweep->database, ".db", ".tune.txt");
    sweep->directory = with_ending(sweep->database, ".db", "");
    if (strcmp(sweep->directory, sweep->database) == 0) {
        free(sweep->directory);
        sweep->directory = sup_format("%s.report", sweep->database);
    }
    sweep->page = sup_format("%s/index.html", sweep->directory);
    int status = out_files_write("--output", sweep->database, error);
    if (status == RB_OK && given == NULL)
        status = out_files_stays(sweep->database, error);
    if (status == RB_OK)
        status = out_files_derive("--output", sweep->csv, error);
    if (status == RB_OK && makes_reports(sweep))
        status = out_files_derive("--output", sweep->tuning, error);
    if (status == RB_OK && (makes_reports(sweep) || request->follow))
        status = choose_page(sweep, error);
    return status;
}

void sweep_print_path(const char *path)
{
    char shown[4 * PATH_MAX];
    printf("%s\n", sup_visible(path, shown, sizeof shown));
}

/* ---- Choosing points ---- */

static int choose_points(struct sweep *sweep, struct sup_error *error)
{
    size_t foreign = 0;

    sweep->todo = sup_calloc(sweep->points.count + 1, sizeof *sweep->todo);
    sweep->took_s = sup_calloc(sweep->points.count + 1, sizeof *sweep->took_s);
    for (size_t i = 0; i < sweep->points.count; i++) {
        const struct point *point = &sweep->points.point[i];
        struct results_entry entry;
        int status = results_find(sweep->results, point, &entry, error);
        if (status != RB_OK)
            return status;
        if (entry.state == RESULTS_POINT_ABSENT || entry.state == RESULTS_POINT_CONFIRMING ||
            (entry.state == RESULTS_POINT_FAILED && sweep->request->retry_failed)) {
            sweep->todo[sweep->todo_count++] = i;
            continue;
        }
        if (entry.state == RESULTS_POINT_DONE)
            sweep->took_s[i] = entry.took_s;
        foreign += entry.foreign;
        if (entry.state == RESULTS_POINT_FAILED && sweep->failed++ == 0)
            sup_fail(&sweep->failure, RB_EFAILED, "an earlier one");
    }
    if (foreign > 0)
        cli_complain(0,
                     "%zu points in %s were made by another version than this, %s; to run them "
                     "again give a new file with -o",
                     foreign, sweep->database, cli_program_version);
    return RB_OK;
}

/* ---- Running ---- */

static const struct point *point_of(const struct sweep *sweep, size_t i)
{
    return &sweep->points.point[sweep->todo[i]];
}

static const struct point *run_of(void *context, size_t i)
{
    return point_of(context, i);
}

static int record_point(void *context, size_t i, const struct point_outcome *outcome,
                        struct sup_error *error)
{
    struct sweep *sweep = context;
    const struct point *point = point_of(sweep, i);
    char text[160];

    int status = results_record(sweep->results, point, outcome, error);
    if (status == RB_OK && !outcome->done && sweep->failed++ == 0)
        sup_fail(&sweep->failure, RB_EFAILED, "%s: %s", point_describe(point, text, sizeof text),
                 outcome->error.text);
    return status;
}

static int run_points(struct sweep *sweep, struct sup_error *error)
{
    char shard[32];
    const struct sweep_request *request = sweep->request;
    struct results_sweep_note note = {.experiment = sweep->experiment.name,
                                      .text = sweep->experiment.document.text,
                                      .hash = sweep->experiment.hash,
                                      .shard = request->shards > 1 ? shard : NULL};

    snprintf(shard, sizeof shard, "%" PRId32 "/%" PRId32, request->shard, request->shards);
    int status = results_begin(sweep->results, &note, error);
    if (status != RB_OK)
        return status;
    status = point_runs_do(&sweep->runs, error);
    return status != RB_OK || stop_signal != 0 ? status : results_end(sweep->results, error);
}

/* ---- The page that follows the sweep ---- */

/* Writing takes at most about this share of the sweep's time, and there is at least so long in
 * between. */
static const double live_share = 0.02, live_least_s = 2;

static int write_live(struct sweep *sweep, const char *state, double left_s,
                      struct sup_error *error)
{
    const struct sweep_request *request = sweep->request;
    const size_t ended = sweep->points.count - sweep->todo_count + sweep->runs.finished;
    const bool again = state != NULL && strcmp(state, "stopped") != 0;
    const struct sweep_live now = {
        .state = state,
        .points = (int64_t)sweep->points.count,
        .done = (int64_t)(ended - sweep->failed),
        .failed = (int64_t)sweep->failed,
        .left_s = left_s,
        .again_s = again ? fmax(live_least_s, sweep->live_took_s / live_share) : 0};
    const double begun_s = sup_clock_s();
    mkdir(sweep->directory, 0777); /* what fails is said of the page */
    const int status = request->live(sweep->database, sweep->page, &now, request->context, error);
    sweep->live_took_s = sup_clock_s() - begun_s;
    return status;
}

/* While points run. That the page can't be written doesn't end the sweep. */
static double tell_live(void *context, double left_s)
{
    struct sweep *sweep = context;
    struct sup_error error;
    const bool confirming = sweep->runs.finished == sweep->todo_count;
    if (write_live(sweep, confirming ? "confirming" : "running", left_s, &error) != RB_OK &&
        !sweep->live_failed) {
        sweep->live_failed = true;
        cli_complain(0, "%s; the sweep continues without its page", error.text);
    }
    return sup_clock_s() + fmax(live_least_s, sweep->live_took_s / live_share);
}

/* The sweep does not go on. */
static void end_live(struct sweep *sweep)
{
    struct sup_error error;
    if (sweep->runs.tell != NULL && write_live(sweep, "stopped", NAN, &error) != RB_OK)
        cli_complain(0, "%s", error.text);
}

/* ---- Merging the shards of an experiment ---- */

/* A shard that another process still writes, or whose file is damaged or made by something else, is
 * named and left out. Its points are then missing. */
static int add_part(struct sweep *sweep, const char *part, struct sup_error *error)
{
    struct stat there;
    int64_t added;
    if (stat(part, &there) != 0 && errno == ENOENT)
        return RB_OK;
    int status = results_lock_test(part, error);
    if (status == RB_OK)
        status = results_merge(sweep->results, part, &added, error);
    if (status != RB_EINVAL)
        return status;
    cli_complain(0, "%s", error->text);
    return RB_OK;
}

static int add_parts(struct sweep *sweep, struct sup_error *error)
{
    int status = RB_OK;
    for (int32_t i = 0; status == RB_OK && i < sweep->request->part_count; i++)
        status = add_part(sweep, sweep->request->parts[i], error);
    return status;
}

static void name_shard(const struct sweep *sweep, int32_t shard, size_t missing)
{
    const struct sweep_request *request = sweep->request;
    const size_t all = sweep->points.count, shards = (size_t)request->part_count;
    char *experiment = sup_shell_word(request->experiment),
         *part = sup_shell_word(request->parts[shard - 1]);
    cli_complain(0,
                 "shard %" PRId32 " of %" PRId32 ": %zu of %zu points are missing; this "
                 "command runs them: roundabout sweep %s --shard %" PRId32 "/%" PRId32 " -o %s",
                 shard, request->part_count, missing,
                 all / shards + ((size_t)shard <= all % shards), experiment, shard,
                 request->part_count, part);
    free(experiment);
    free(part);
}

/* Names the shards with missing points, and returns how many there are. */
static int32_t name_shards(const struct sweep *sweep)
{
    enum { MOST_NAMED = 20 };
    const int32_t shards = sweep->request->part_count;
    int32_t lost = 0;
    size_t *missing = sup_calloc((size_t)shards, sizeof *missing);
    for (size_t i = 0; i < sweep->todo_count; i++)
        missing[sweep_shard_of(sweep->todo[i], shards) - 1]++;
    for (int32_t shard = 1; shard <= shards; shard++)
        if (missing[shard - 1] > 0 && lost++ < MOST_NAMED)
            name_shard(sweep, shard, missing[shard - 1]);
    free(missing);
    if (lost > MOST_NAMED)
        cli_complain(0, "and %" PRId32 " further shards", lost - MOST_NAMED);
    return lost;
}

/* The points that there are can be read, but nothing is made of them before all are there. */
static int end_incomplete(struct sweep *sweep)
{
    struct sup_error error;
    const int32_t lost = name_shards(sweep);
    const int status = results_export(results_database(sweep->results), sweep->csv, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    sweep_print_path(sweep->database);
    sweep_print_path(sweep->csv);
    return cli_complain(CLI_EXIT_FAILED,
                        "%zu of %zu points are missing, of %" PRId32 " of %" PRId32
                        " shards; run these shards and merge again",
                        sweep->todo_count, sweep->points.count, lost, sweep->request->part_count);
}

/* ---- Before and after ---- */

/* What is known of the points to run, before the first one. */
static void start_progress(struct sweep *sweep)
{
    const struct sweep_request *request = sweep->request;
    sweep->runs = (struct point_runs){.what = "sweep",
                                      .keeps_failed = true,
                                      .count = sweep->todo_count,
                                      .jobs = request->jobs,
                                      .limit_s = request->limit_s,
                                      .stop = &stop_signal,
                                      .context = sweep,
                                      .at = run_of,
                                      .done = record_point,
                                      .tell = request->follow ? tell_live : NULL,
                                      .tell_context = sweep};
    point_runs_start(&sweep->runs);
    for (size_t i = 0; i < sweep->points.count; i++)
        if (sweep->took_s[i] > 0)
            point_progress_learn(&sweep->runs.progress, &sweep->points.point[i], sweep->took_s[i]);
}

/* Workers beyond the cores don't make it faster. */
static int32_t cores_used(const struct sweep *sweep)
{
    int32_t cores = sup_pool_cores();
    return sweep->request->jobs < cores ? sweep->request->jobs : cores;
}

/* ", 12 left out: no such plan for their p, 3 with more blocks than elements" or less: into buffer,
 * returned. */
static const char *unfit_note(const struct sweep *sweep, char *buffer, size_t size)
{
    char empty[64] = "", unfit[64] = "";
    if (sweep->points.unfit > 0)
        snprintf(unfit, sizeof unfit, ", %zu left out: no such plan for their p",
                 sweep->points.unfit);
    if (sweep->points.with_empty > 0)
        snprintf(empty, sizeof empty, ", %zu with more blocks than elements",
                 sweep->points.with_empty);
    snprintf(buffer, size, "%s%s", unfit, empty);
    return buffer;
}

/* ", 61 of them also on simgrid" or "": into buffer, returned. */
static const char *confirm_note(const struct sweep *sweep, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (sweep->confirm.count > 0)
        snprintf(buffer, size, ", %zu of them also on %s", sweep->confirm.count,
                 sweep->confirm.engine);
    return buffer;
}

/* The confirming runs are short and many. */
static double confirm_s(const struct sweep *sweep)
{
    return sweep_confirm_cost_s(&sweep->confirm) / cores_used(sweep);
}

static void list_points(const struct sweep *sweep)
{
    const double seconds = sweep_duration(&sweep->points, cores_used(sweep)) + confirm_s(sweep);
    char note[128], also[96];
    printf("collective,algorithm,p,n,m_bytes,root,platform,ppn,placement,engine,progress,"
           "estimate_s\n");
    for (size_t i = 0; i < sweep->points.count; i++) {
        const struct point *point = &sweep->points.point[i];
        printf("%s,%s,%" PRId32 ",%" PRId64 ",%" PRId64 ",%" PRId32 ",", point->plan.collective,
               point->plan.algorithm, point->plan.p, point->plan.n, point->m_bytes,
               point->plan.root);
        out_csv_text(point->platform_text, stdout);
        printf(",%" PRId32 ",", point->ppn);
        out_csv_text(point->placement, stdout);
        printf(",%s,%s,%.3f\n", point->engine_text, point->overlap, point->cost_s);
    }
    cli_complain(0, "%zu point%s, %zu repeats left out%s%s; about %.0f s on %" PRId32 " core%s",
                 sweep->points.count, sup_plural((int64_t)sweep->points.count),
                 sweep->points.repeated, unfit_note(sweep, note, sizeof note),
                 confirm_note(sweep, also, sizeof also), seconds, cores_used(sweep),
                 cores_used(sweep) == 1 ? "" : "s");
}

static void announce(struct sweep *sweep)
{
    size_t known = sweep->points.count - sweep->todo_count;
    const double seconds = sup_eta_left_s(sweep->runs.progress.eta, NULL, 0) + confirm_s(sweep);
    char text[64] = "", note[128], also[96];
    if (known > 0)
        snprintf(text, sizeof text, ", %zu of them are in the file already", known);
    cli_complain(0, "%s: %zu point%s%s%s%s; about %.0f s on %" PRId32 " core%s, into %s",
                 sweep->experiment.name, sweep->points.count,
                 sup_plural((int64_t)sweep->points.count), text,
                 unfit_note(sweep, note, sizeof note), confirm_note(sweep, also, sizeof also),
                 seconds, cores_used(sweep), cores_used(sweep) == 1 ? "" : "s", sweep->database);
}

int sweep_compare(const char *older, const char *newer, double allow)
{
    struct decide_comparison comparison = {.results = {older, newer}, .allow = allow};
    struct sup_error error;
    struct out_file output = {0};
    int status = decide_compare(&comparison, &error);
    if (status == RB_OK)
        status = out_open(&output, NULL, &error);
    if (status == RB_OK) {
        out_show(&output);
        status = decide_comparison_print(&comparison, OUT_TEXT, false, output.stream, &error);
    }
    const bool slower = status == RB_OK && comparison.slower > 0;
    decide_comparison_free(&comparison);
    return cli_finish_output(&output, slower ? CLI_EXIT_FALSE : cli_fail(status, &error));
}

/* Closes the results and exports what the file has then: something may have happened to it while it
 * was written. */
static int close_and_export(struct results **results, const char *database, const char *csv,
                            struct sup_error *error)
{
    sqlite3 *db;
    struct sup_error why;
    results_close(*results);
    *results = NULL;
    int status = results_open(database, &db, &why);
    if (status != RB_OK)
        return sup_fail(error, status == RB_EINVAL ? RB_EFAILED : status,
                        "after the last point: %s", why.text);
    status = results_export(db, csv, error);
    sqlite3_close(db);
    return status;
}

/* "2324 points in 21.4 s, all there", "12 points of shard 2/3, 4 of them run in 0.2 s": what a
 * sweep has done. */
static char *say_points(const struct sweep *sweep)
{
    const struct sweep_request *request = sweep->request;
    const size_t all = sweep->points.count, done = all - sweep->failed;
    char shard[48] = "", time[32], run[80] = "", some[40] = "", there[48] = ", all there";
    if (request->shards > 1)
        snprintf(shard, sizeof shard, " of shard %" PRId32 "/%" PRId32, request->shard,
                 request->shards);
    if (sweep->todo_count > 0 && sweep->todo_count < all)
        snprintf(some, sizeof some, ", %zu of them run", sweep->todo_count);
    if (sweep->todo_count > 0)
        snprintf(run, sizeof run, "%s in %s", some,
                 sup_format_seconds(sup_clock_s() - sweep->begun_s, time, sizeof time));
    else if (request->part_count > 0)
        snprintf(run, sizeof run, " from %" PRId32 " files", request->part_count);
    else
        snprintf(run, sizeof run, ", all of them in the file before");
    if (done < all)
        snprintf(there, sizeof there, "; %zu failed", sweep->failed);
    else if (sweep->todo_count == 0 && request->part_count == 0)
        there[0] = '\0';
    return sup_format("%zu point%s%s%s%s", all, sup_plural((int64_t)all), shard, run, there);
}

/* Has the reports made, and everything printed. */
static int report(struct sweep *sweep, const char *confirmed)
{
    const bool reports = makes_reports(sweep);
    char *points = say_points(sweep), *answer = sup_format("%s%s", points, confirmed);
    const struct sweep_end end = {
        .answer = answer,
        .database = sweep->database,
        .csv = sweep->csv,
        .tuning = reports ? sweep->tuning : NULL,
        .directory = reports ? sweep->directory : NULL,
        .page = reports || sweep->request->follow ? sweep->page : NULL,
    };
    if (end.page != NULL)
        mkdir(sweep->directory, 0777); /* what fails is said of the page */
    const int made = sweep->request->end(&end, sweep->request->context);
    free(answer);
    free(points);
    return made;
}

/* Exports, closes the results, makes the reports, compares. */
static int finish(struct sweep *sweep)
{
    const struct sweep_request *request = sweep->request;
    struct sup_error error;
    char confirmed[1000] = "";

    int status = RB_OK;
    if (sweep->confirm.engine != NULL)
        status = sweep_confirm_describe(&sweep->confirm, sweep->results, confirmed,
                                        sizeof confirmed, &error);
    if (status == RB_OK)
        status = close_and_export(&sweep->results, sweep->database, sweep->csv, &error);
    if (status != RB_OK)
        return cli_fail(status, &error);
    int made = report(sweep, confirmed);
    if (request->compared != NULL) {
        const int compared = sweep_compare(request->compared, sweep->database, request->allow);
        made = made == CLI_EXIT_DONE ? compared : made;
    }
    if (sweep->failed == 0)
        return made;
    return cli_complain(CLI_EXIT_FAILED,
                        "%zu of %zu points failed (status and error in %s; --retry-failed runs "
                        "them again), first %s",
                        sweep->failed, sweep->points.count, sweep->csv, sweep->failure.text);
}

/* Everything up to the points that are to be run. */
static int prepare(struct sweep *sweep, struct sup_error *error)
{
    const struct sweep_request *request = sweep->request;

    int status =
        sweep_experiment_load(request->experiment, request->engine, &sweep->experiment, error);
    if (status == RB_OK)
        status = sweep_points_make(&sweep->experiment, &sweep->points, error);
    if (status != RB_OK)
        return status;
    catch_signals(); /* until here there is nothing to be ended in order */
    sweep_confirm_choose(&sweep->experiment, &sweep->points, request->shard, request->shards,
                         &sweep->confirm);
    sweep_shard_keep(&sweep->points, request->shard, request->shards);
    if (request->dry_run)
        return RB_OK;
    status = choose_paths(sweep, error);
    if (status == RB_OK)
        status = results_create(sweep->database, &sweep->results, error);
    if (status == RB_OK)
        status = add_parts(sweep, error);
    if (status == RB_OK)
        status = choose_points(sweep, error);
    return status == RB_OK
               ? sweep_confirm_find(&sweep->confirm, sweep->results, request->retry_failed, error)
               : status;
}

static int stopped(const struct sweep *sweep)
{
    if (sweep->results == NULL)
        return cli_complain(128 + stop_signal, "stopped by signal %d", (int)stop_signal);
    return cli_complain(
        128 + stop_signal,
        "stopped by signal %d: %zu of %zu points are in %s; the same command continues from there",
        (int)stop_signal, sweep->points.count - sweep->todo_count + sweep->runs.finished,
        sweep->points.count, sweep->database);
}

static int run(struct sweep *sweep)
{
    const bool merges = sweep->request->part_count > 0;
    struct sup_error error;

    int status = prepare(sweep, &error);
    if (stop_signal == 0 && status == RB_OK && sweep->request->dry_run)
        list_points(sweep);
    else if (stop_signal == 0 && status == RB_OK && !merges)
        start_progress(sweep);
    if (stop_signal == 0 && status == RB_OK && !merges && !sweep->request->dry_run) {
        announce(sweep);
        if (sweep->runs.tell != NULL)
            sweep->runs.tell_at_s =
                tell_live(sweep, sup_eta_left_s(sweep->runs.progress.eta, NULL, 0));
        if (sweep->todo_count > 0)
            status = run_points(sweep, &error);
        if (status == RB_OK && stop_signal == 0)
            status = sweep_confirm_run(&sweep->confirm, &sweep->runs, &error);
    }
    if (stop_signal != 0 || status != RB_OK)
        end_live(sweep);
    if (stop_signal != 0)
        return stopped(sweep);
    if (status == RB_EIO && sweep->results != NULL)
        return cli_complain(CLI_EXIT_FAILED,
                            "%s; the points finished so far are kept; the same command continues",
                            error.text);
    if (status != RB_OK)
        return cli_fail(status, &error);
    release_signals();
    if (sweep->request->dry_run)
        return CLI_EXIT_DONE;
    return merges && sweep->todo_count > 0 ? end_incomplete(sweep) : finish(sweep);
}

int sweep_run(const struct sweep_request *request)
{
    struct sweep sweep = {.request = request, .begun_s = sup_clock_s()};

    int status = run(&sweep);
    sweep_free(&sweep);
    release_signals();
    return status;
}

/* ---- Merging ---- */

static int merge_one(struct results *results, const char *from, struct sup_error *error)
{
    int64_t added = 0;
    int status = results_merge(results, from, &added, error);
    if (status == RB_OK)
        cli_complain(0, "%s: %" PRId64 " points added", from, added);
    return status;
}

int sweep_merge(const char *const from[], int32_t count, const char *into)
{
    struct results *results = NULL;
    struct sup_error error;
    struct stat before;
    bool new_file = stat(into, &before) != 0;
    char *csv = with_ending(into, ".db", ".csv");

    int status = out_files_write("--output", into, &error);
    if (status == RB_OK)
        status = out_files_derive("--output", csv, &error);
    if (status == RB_OK)
        status = results_create(into, &results, &error);
    for (int32_t i = 0; status == RB_OK && i < count; i++)
        status = merge_one(results, from[i], &error);
    const bool made = results != NULL && new_file;
    if (status == RB_OK)
        status = close_and_export(&results, into, csv, &error);
    results_close(results);
    for (size_t i = 0; status != RB_OK && made && i < 3; i++) { /* with its log, if that stayed */
        static const char *const parts[] = {"", "-wal", "-shm"};
        char *part = with_ending(into, "", parts[i]);
        remove(part);
        free(part);
    }
    if (status == RB_OK) {
        sweep_print_path(into);
        sweep_print_path(csv);
    } else {
        cli_complain(0, "%s", error.text);
    }
    free(csv);
    return cli_exit_of(status);
}
