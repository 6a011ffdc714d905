/* verb_trace.c - records the messages inside an MPI library's collectives, and makes a plan of
 * them. The mpirun that the user names starts this program again, once for each rank (--record),
 * and each becomes the traced program. */
#define _DEFAULT_SOURCE /* mkdtemp, setenv */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options/common_options.h"
#include "experiments/point/parameters.h"
#include "measurements/trace/trace.h"
#include "roundabout.h"
#include "starter.h"
#include "support/child.h"
#include "support/data_files.h"
#include "support/memory.h"

enum { MOST_TRACE_BYTES = 1 << 28, MOST_TRACE_PORTS = 64 };

static const struct cli_option options[] = {
    {POINT_LIKE(COLLECTIVE), .help = "the collective that is called on tagged data, if mpirun gets "
                                     "no program of yours"},
    {POINT_LIKE(BYTES), .fallback = "64KiB", .least = 1, .most = MOST_TRACE_BYTES,
     .help = "bytes of all its data, rounded up to elements of 8 bytes for each rank"},
    {POINT_LIKE(ROOT)},
    {POINT_LIKE(PORTS), .least = 1, .most = MOST_TRACE_PORTS,
     .help = "csv: messages in each direction that a rank can have in a round"},
    {CLI_ROW("format", CHOICE, "FORMAT"), .fallback = "summary", .choices = "summary|csv|record",
     .help = "summary; csv, the plan that the messages show, for --algorithm file:NAME; or record, "
             "every message"},
    {CLI_ROW("from", TEXT, "FILE"), .file = CLI_READS,
     .help = "read a record, instead of running mpirun"},
    {CLI_ROW("record", TEXT, "DIR"),
     .help = "in a process that mpirun started: write this rank's record to this directory"},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_END,
};

static int become(const char *const words[])
{
    execvp(words[0], (char *const *)(uintptr_t)words);
    return cli_complain(CLI_EXIT_FAILED, "%s: %s", words[0], strerror(errno));
}

/* ---- A rank ---------------------------------------------------------------------------------- */

static int run_rank(const struct cli_args *args)
{
    const char *flavour = verb_starter_flavour(), *const * program, *others = getenv("LD_PRELOAD");
    char library[SUP_PATH_SIZE], job[SUP_PATH_SIZE];
    struct sup_error error;
    if (flavour == NULL)
        return cli_complain(CLI_EXIT_USAGE, "--record: mpirun did not start this process");
    const bool given = cli_args_operands(args, &program) > 0;
    if (sup_preload_path(library, sizeof library, sup_format("libroundabout-trace-%s.so", flavour),
                         &error) != RB_OK ||
        sup_program_path(job, sizeof job, sup_format("roundabout-trace-%s", flavour), &error) !=
            RB_OK)
        return cli_complain(CLI_EXIT_FAILED, "%s; docs/traced.md says when it is made", error.text);
    setenv("LD_PRELOAD", others == NULL ? library : sup_format("%s:%s", library, others), 1);
    setenv("ROUNDABOUT_TRACE", cli_args_text(args, "record"), 1);
    if (given)
        return become(program);
    setenv("ROUNDABOUT_TRACE_CONTENTS", "1", 1);
    return become((const char *[]){job, cli_args_text(args, "collective"),
                                   sup_format("%" PRId64, cli_args_int(args, "bytes")),
                                   sup_format("%" PRId64, cli_args_int(args, "root")), NULL});
}

/* ---- All ranks ------------------------------------------------------------------------------- */

/* Runs mpirun with the user's words, of which the program is this one, with the user's options, and
 * --record; the words behind a second "--" follow. */
static int execute(const struct cli_args *args, const char *directory)
{
    char *const *options_given = cli_args_words(args);
    const char *const *words;
    char self[SUP_PATH_SIZE] = "";
    const int32_t count = cli_args_operands(args, &words);
    size_t given = 0, end = 0;
    int status = -1;
    while (options_given[given] != NULL)
        given++;
    const char **all = sup_calloc(given + (size_t)count + 5, sizeof *all);
    int32_t w = 0;
    for (; w < count && strcmp(words[w], "--") != 0; w++)
        all[end++] = words[w];
    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0)
        all[end++] = self;
    all[end++] = "trace";
    all[end++] = "--record";
    all[end++] = directory;
    for (size_t i = 0; strcmp(options_given[i], "--") != 0 && options_given[i] != words[0]; i++)
        all[end++] = options_given[i];
    for (; w < count; w++)
        all[end++] = words[w];
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sup_child_ends_with(parent);
        dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output is for the result */
        _exit(become(all));
    }
    if (child > 0)
        waitpid(child, &status, 0);
    free(all);
    return status == 0 ? CLI_EXIT_DONE
                       : cli_complain(CLI_EXIT_FAILED, "%s did not end well", words[0]);
}

/* False if there is no such file. */
static bool copy(const char *path, FILE *to)
{
    char buffer[1 << 14];
    FILE *from = fopen(path, "r");
    for (size_t size; from != NULL && (size = fread(buffer, 1, sizeof buffer, from)) > 0;)
        fwrite(buffer, 1, size, to);
    return from != NULL && fclose(from) == 0;
}

/* Joins the ranks' files, and removes them. */
static int join(const char *directory, const char *all)
{
    FILE *joined = fopen(all, "w");
    bool more = joined != NULL;
    for (int rank = 0; more; rank++) {
        char *path = sup_format("%s/rank-%d", directory, rank);
        more = copy(path, joined);
        unlink(path);
        free(path);
    }
    return joined != NULL && out_finish(joined)
               ? CLI_EXIT_DONE
               : cli_complain(CLI_EXIT_FAILED, "%s: can't be written", all);
}

/* ---- The result ------------------------------------------------------------------------------ */

static int write_result(const struct cli_args *args, const char *path, FILE *stream)
{
    const char *format = cli_args_text(args, "format");
    struct trace_record record;
    struct sup_error error;
    int64_t n = 0, rounds = 0;
    char *plan = NULL;
    size_t size = 0;
    if (strcmp(format, "record") == 0) /* also one of which no plan can be made */
        return copy(path, stream) ? CLI_EXIT_DONE
                                  : cli_complain(CLI_EXIT_USAGE, "%s: %s", path, strerror(errno));
    int status = trace_record_read(path, &record, &error);
    FILE *memory = sup_memory_open(&plan, &size);
    if (status == RB_OK && (strcmp(format, "csv") == 0 || record.collective[0] != '\0'))
        status = trace_plan_write(&record, (int32_t)cli_args_int(args, "ports"), memory, &n,
                                  &rounds, &error);
    sup_memory_close(memory);
    if (status == RB_OK && strcmp(format, "csv") == 0)
        fputs(plan, stream);
    else if (status == RB_OK) {
        fprintf(stream, "library    %s\n", record.library);
        if (record.settings[0] != '\0')
            fprintf(stream, "settings  %s\n", record.settings);
        fprintf(stream,
                "ranks      %" PRId32 "\ncalls      %" PRId64 "\nmessages   %" PRId64
                "\nbytes      %" PRId64 "\n",
                record.p, record.calls, record.messages, record.bytes);
        if (n > 0)
            fprintf(stream,
                    "plan       %s of %" PRId64 " bytes, n = %" PRId64 ", %" PRId64 " rounds\n",
                    record.collective, record.elements * 8, n, rounds);
    }
    free(plan);
    trace_record_free(&record);
    return status == RB_OK ? CLI_EXIT_DONE : cli_fail(status, &error);
}

static int run_all(const struct cli_args *args, FILE *stream)
{
    const char *temporary = getenv("TMPDIR");
    char *directory = sup_format("%s/roundabout-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    char *all = sup_format("%s/all", directory);
    if (mkdtemp(directory) == NULL)
        return cli_complain(CLI_EXIT_FAILED, "%s: %s", directory, strerror(errno));
    memcpy(all, directory, strlen(directory));
    int status = execute(args, directory);
    const int joined = join(directory, all);
    if (status == CLI_EXIT_DONE)
        status = joined == CLI_EXIT_DONE ? write_result(args, all, stream) : joined;
    unlink(all);
    rmdir(directory);
    free(all);
    free(directory);
    return status;
}

static int print(const struct cli_args *args, FILE *stream)
{
    const char *from = cli_args_text(args, "from");
    return from == NULL ? run_all(args, stream) : write_result(args, from, stream);
}

static int run(const struct cli_args *args)
{
    const char *const *words;
    if (cli_args_given(args, "record"))
        return run_rank(args);
    if ((cli_args_operands(args, &words) > 0) == cli_args_given(args, "from"))
        return cli_complain(CLI_EXIT_USAGE,
                            "give either -- mpirun with its options, or --from FILE");
    return cli_print(args, print);
}

const struct cli_verb verb_trace = {
    .name = "trace",
    .title = "Record the messages inside an MPI library's own collectives, as a plan.",
    .operands = "-- MPIRUN [WORD]... [-- PROGRAM [WORD]...]",
    .least_operands = 0,
    .most_operands = 1 << 16,
    .options = options,
    .examples =
        "roundabout trace --collective bcast -m 64KiB -- mpirun -n 6\n"
        "roundabout trace --collective alltoall --format csv -o alltoall.csv -- mpirun -n 6\n"
        "roundabout trace --format record -- mpirun -n 4 -- ./program\n",
    .run = run,
    .speaks = verb_starter_speaks,
};
