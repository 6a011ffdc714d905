/* verb_workload.c - workloads from recordings and other programs' traces. */
#define _POSIX_C_SOURCE 200809L /* access */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/workload/parts.h"
#include "experiments/workload/source.h"
#include "experiments/workload/workload_file.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/units.h"

static const struct cli_option options[] = {
    {CLI_ROW("ranks", INT, "P"), .letter = 'p', .least = 1, .most = 1 << 24,
     .help = "the workload of so many ranks, if its communicators have shapes that allow it; "
             "default: as many as there were"},
    {CLI_ROW("scaling", CHOICE, "KIND"), .fallback = "weak", .choices = "weak|strong",
     .help = "with --ranks: weak, each rank's computing and data stay; or strong, those of all "
             "ranks together"},
    {CLI_ROW("platform", TEXT, "PLATFORM"),
     .help = "replay the workload there, with the engine flow, and compare with what was measured"},
    {CLI_ROW("speed", REAL, "FLOPS"), .least = 0, .most = INT64_C(1000000000000000000),
     .help = "of a trace: operations per second that a rank computes"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "yaml", .choices = "yaml|goal|ti",
     .help = "yaml; or what each rank does, with the messages of its collectives: goal for "
             "LogGOPSim, or ti for smpirun -replay, in the directory that --output names"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

/* ---- The replay ------------------------------------------------------------------------------ */

/* The mean time of a rank in steps that move data and in waits. */
static double communicating_s(const struct sim_workload *workload,
                              const struct workload_answer *answer)
{
    const struct workload_account *account = &answer->account[0];
    return account->whole.s[WORKLOAD_TIME] - account->whole.s[WORKLOAD_COMPUTING] -
           account->row[workload->job[0].steps].s[WORKLOAD_TIME];
}

/* The step whose time differs most from what was measured; times are means over ranks. */
static void say_worst(struct workload_told *told, const struct sim_workload *workload,
                      const struct workload_answer *answer)
{
    const struct sim_job *job = &workload->job[0];
    const struct workload_split *row = answer->account[0].row;
    int32_t worst = -1;
    double most_s = 0;
    char found[32], measured[32], name[128];
    for (int32_t i = 0; i < job->steps && (size_t)i < told->steps; i++) {
        const double gap_s = fabs(row[i].s[WORKLOAD_TIME] - told->measured_s[i]);
        if (told->measured_s[i] < 0 || gap_s <= most_s)
            continue;
        most_s = gap_s;
        worst = i;
    }
    if (worst >= 0)
        out_verdict_say(&told->said, "Most of the difference is in %s: %s, measured were %s.",
                        sim_step_name(&job->step[worst], name, sizeof name),
                        sup_format_seconds(row[worst].s[WORKLOAD_TIME], found, sizeof found),
                        sup_format_seconds(told->measured_s[worst], measured, sizeof measured));
}

/* What of both is waiting for ranks that come later, and what is left. */
static void say_waiting(struct workload_told *told, int32_t steps,
                        const struct workload_account *account, double found_s)
{
    const double waiting_s =
        account->whole.s[WORKLOAD_WAITING] - account->row[steps].s[WORKLOAD_WAITING];
    const double late_s = fmax(0, told->waiting_s - waiting_s);
    const double seconds[] = {
        waiting_s,           told->waiting_s,
        found_s - waiting_s, told->communicating_s - told->waiting_s - told->interrupted_s,
        told->interrupted_s, late_s};
    char text[6][32];
    for (int i = 0; i < 6; i++)
        sup_format_seconds(seconds[i], text[i], sizeof text[i]);
    out_verdict_say(&told->said,
                    "Waiting for late ranks: %s, measured were %s at least; starting and moving "
                    "messages: %s, measured were %s.",
                    text[0], text[1], text[2], text[3]);
    if (told->interrupted_s + late_s > 0.05 * told->communicating_s)
        out_verdict_say(&told->said,
                        "Measured were %s more in calls that took over %d times as long as usual, "
                        "as where processors are busy, and %s of the waiting was for ranks that "
                        "earlier calls had made late.",
                        text[4], WORKLOAD_UNUSUAL, text[5]);
}

/* calls_s: with `progress: calls`. */
static void say_replay(struct workload_told *told, const char *platform,
                       const struct sim_workload *workload, const struct workload_answer *answer,
                       double calls_s)
{
    const double found_s = communicating_s(workload, answer);
    char found[32], measured[32];
    sup_format_seconds(found_s, found, sizeof found);
    sup_format_seconds(told->communicating_s, measured, sizeof measured);
    if (!(told->communicating_s > 0)) {
        out_verdict_say(&told->said, "Replayed on %s a rank communicates for %s on average.",
                        platform, found);
        return;
    }
    out_verdict_say(&told->said,
                    "Replayed on %s a rank communicates for %s on average, measured were %s: "
                    "%+.0f %%.",
                    platform, found, measured, (found_s / told->communicating_s - 1) * 100);
    say_waiting(told, workload->job[0].steps, &answer->account[0], found_s);
    say_worst(told, workload, answer);
    if (workload->job[0].waits)
        out_verdict_say(&told->said,
                        "That is with what is started moving while its ranks wait (progress: "
                        "waits), as in memory that they share; behind computing (calls) it is "
                        "%+.0f %%.",
                        (calls_s / told->communicating_s - 1) * 100);
}

/* With `progress: waits` if what is started then takes times nearer to what was measured. */
static int ask(const struct workload_question *question, struct sim_workload *workload,
               const struct workload_told *told, struct workload_answer *answer, double *calls_s,
               struct sup_error *error)
{
    struct workload_answer other = {0};
    struct sim_job *job = &workload->job[0];
    int status = workload_ask(question, answer, error);
    *calls_s = status == RB_OK ? communicating_s(workload, answer) : 0;
    if (status != RB_OK || !job->calls || job->labels == 0 || !(told->communicating_s > 0))
        return status;
    job->waits = true;
    status = workload_ask(question, &other, error);
    job->waits =
        status == RB_OK && fabs(communicating_s(workload, &other) - told->communicating_s) <
                               fabs(*calls_s - told->communicating_s);
    if (job->waits) {
        const struct workload_answer calls = *answer;
        *answer = other;
        other = calls;
    }
    workload_answer_free(&other);
    return status;
}

static int replay(struct sim_workload *workload, const char *platform, struct workload_told *told,
                  struct sup_error *error)
{
    static const struct sim_overlap blocking = {.rule = SIM_BLOCKING};
    const struct sim_spec plain = {0};
    struct point_known_platform known = {0};
    struct workload_answer answer = {0};
    struct sup_error why;
    const struct sim_engine *engine = sim_engine_find("flow");
    double calls_s = 0;
    int status = point_known_platform_make(platform, &plain, engine, &known, &why);
    if (status != RB_OK)
        return sup_fail(error, status, "--platform: %s", why.text);
    const struct workload_question question = {
        .workload = workload,
        .engine = engine,
        .spec = {.platform = platform, .ppn = 1, .overlap = blocking}};
    status = workload_settle(workload, &known, error);
    if (status == RB_OK)
        status = ask(&question, workload, told, &answer, &calls_s, error);
    if (status == RB_OK)
        say_replay(told, platform, workload, &answer, calls_s);
    workload_answer_free(&answer);
    point_known_platform_free(&known);
    return status;
}

/* ---- The workload ---------------------------------------------------------------------------- */

/* Reads the text back, so that nothing is written that `simulate` refuses, and replays it, which
 * may show that what is started moves in waits. */
static int check(const struct cli_args *args, const char *path, char *text, size_t size,
                 struct workload_told *told, struct sup_error *error)
{
    const char *platform = cli_args_text(args, "platform");
    struct sim_workload workload;
    char *copy = sup_malloc(size + 1);
    memcpy(copy, text, size + 1);
    int status = workload_read_text(path, copy, size, &workload, error);
    if (status == RB_OK && platform != NULL)
        status = replay(&workload, platform, told, error);
    for (size_t i = 0; status == RB_OK && i < workload_said(&workload)->count; i++)
        out_verdict_say(&told->said, "%s", workload_said(&workload)->sentence[i]);
    if (status == RB_OK && workload.job[0].waits) {
        static const char calls[] = "\n    progress: calls", waits[] = "\n    progress: waits";
        memcpy(strstr(text, calls), waits, sizeof waits - 1);
    }
    sim_workload_free(&workload);
    return status;
}

static int print(const struct cli_args *args, FILE *stream)
{
    const char *path = cli_args_operand(args);
    struct sup_error error;
    struct workload_told told = {0};
    char *text = NULL;
    size_t size = 0;
    const struct workload_source *source = workload_source_of(path);
    const struct workload_wishes wishes = {
        .ranks = cli_args_given(args, "ranks") ? (int32_t)cli_args_int(args, "ranks") : 0,
        .strong = strcmp(cli_args_text(args, "scaling"), "strong") == 0,
        .speed = cli_args_given(args, "speed") ? cli_args_real(args, "speed") : 0};
    if (source == NULL)
        return cli_complain(CLI_EXIT_USAGE, "%s: %s", path,
                            access(path, R_OK) != 0 ? strerror(errno)
                                                    : "no recording, and no trace that is known");
    int status = workload_source_text(source, path, &wishes, &text, &size, &told, &error);
    if (status == RB_OK)
        status = check(args, path, text, size, &told, &error);
    if (status == RB_OK) {
        fputs(text, stream);
        out_verdict_lines(&told.said, 0, stderr);
    }
    workload_told_free(&told);
    free(text);
    return cli_fail(status, &error);
}

/* For another simulator; block counts that the workload leaves open are the best on the platform.
 */
static int export(const struct cli_args *args)
{
    const bool goal = strcmp(cli_args_text(args, "format"), "goal") == 0;
    const char *platform = cli_args_text(args, "platform"), *output = cli_args_text(args, "output");
    const char *name = cli_args_first(args, "ranks|speed");
    const char *path = cli_args_operand(args);
    const struct sim_spec plain = {0};
    struct sim_workload workload;
    struct point_known_platform known = {0};
    struct out_file file = {0};
    struct sup_error error;
    if (name != NULL || (!goal && strcmp(output, "-") == 0))
        return cli_complain(CLI_EXIT_USAGE, "--%s: %s", name != NULL ? name : "output",
                            name != NULL ? "only with --format yaml"
                                         : "missing: traces are one file per rank and need a "
                                           "directory");
    int status = workload_read(path, &workload, &error);
    if (status == RB_OK && platform != NULL)
        status =
            point_known_platform_make(platform, &plain, sim_engine_find("flow"), &known, &error);
    if (status == RB_OK && platform != NULL)
        status = workload_settle(&workload, &known, &error);
    if (status == RB_OK && goal)
        status = out_open(&file, output, &error);
    if (status == RB_OK)
        status = goal ? workload_write_goal(&workload, file.stream, &error)
                      : workload_write_traces(&workload, output, &error);
    point_known_platform_free(&known);
    sim_workload_free(&workload);
    status = cli_fail(status, &error);
    return goal && file.stream != NULL ? cli_finish_output(&file, status) : status;
}

static int run(const struct cli_args *args)
{
    if (strcmp(cli_args_text(args, "format"), "yaml") != 0)
        return export(args);
    if (cli_args_given(args, "scaling") && !cli_args_given(args, "ranks"))
        return cli_complain(CLI_EXIT_USAGE, "--scaling: only with --ranks");
    struct out_file output = {0};
    struct sup_error error;
    const int status = cli_fail(out_open(&output, cli_args_text(args, "output"), &error), &error);
    return status == CLI_EXIT_DONE ? cli_finish_output(&output, print(args, output.stream))
                                   : status;
}

const struct cli_verb verb_workload = {
    .name = "workload",
    .title = "Make a workload of a recording or a trace (GOAL, SimGrid's, Chakra's), or write one "
             "for others.",
    .operands = "FILE|DIRECTORY",
    .least_operands = 1,
    .most_operands = 1,
    .reads = "FILE",
    .options = options,
    .examples = "roundabout workload recording -o program.yaml\n"
                "roundabout workload recording --platform crossbar:4 -o program.yaml\n"
                "roundabout workload trace.goal -o program.yaml\n"
                "roundabout workload recording --ranks 512 --scaling weak -o larger.yaml\n"
                "roundabout workload program.yaml --format goal -o program.goal\n",
    .run = run,
};
