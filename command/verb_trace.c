/* verb_trace.c - records the messages inside an MPI library's collectives, and makes a plan of
 * them. The mpirun that the user names starts this program again, once for each rank (--record),
 * and each becomes the traced program. */
#define _POSIX_C_SOURCE 200809L /* strsignal, setenv, readlink */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/point/parameters.h"
#include "interchange/recorded/trace.h"
#include "mpi/trace/trace.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/options/common_options.h"
#include "support/output/files.h"
#include "support/output/verdict.h"
#include "support/process.h"
#include "support/replace.h"
#include "verbs.h"

enum { MOST_TRACE_BYTES = 1 << 28, MOST_TRACE_PORTS = 64 };

static const struct cli_option options[] = {
    {CLI_ROW("collective", CHOICE, "NAME"), .fallback = "bcast", .choices = TRACE_COLLECTIVES,
     .help = "the collective that is called on tagged data, if mpirun gets no program of yours"},
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
    if (sup_library_path(library, sizeof library, sup_format("libroundabout-trace-%s.so", flavour),
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

/* "status 1", "signal 9 (Killed)". The caller frees it. */
static char *end_in_words(int status)
{
    return WIFSIGNALED(status)
               ? sup_format("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
               : sup_format("status %d", WEXITSTATUS(status));
}

enum { NOT_STARTED = 127 }; /* as of a shell: the reason has been said */

/* Runs mpirun with the user's words, of which the program is this one, with the user's options, and
 * --record; the words behind a second "--" follow. */
static int execute(const struct cli_args *args, const char *directory)
{
    char *const *options_given = cli_args_words(args);
    const char *const *words;
    char self[SUP_PATH_SIZE] = "";
    const int32_t count = cli_args_operands(args, &words);
    size_t given = 0, end = 0;
    int status = 0;
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
        sup_child_ends_with(parent, SIGTERM); /* so that it ends its ranks */
        dup2(STDERR_FILENO, STDOUT_FILENO);   /* standard output is for the result */
        become(all);
        _exit(NOT_STARTED);
    }
    free(all);
    out_unfinished_child(child);
    const bool ended = child > 0 && waitpid(child, &status, 0) == child;
    out_unfinished_child(0);
    if (!ended)
        return cli_complain(CLI_EXIT_FAILED, "%s: %s", words[0], strerror(errno));
    if (status == 0)
        return CLI_EXIT_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return CLI_EXIT_FAILED;
    char *how = end_in_words(status);
    cli_complain(CLI_EXIT_FAILED, "%s ended with %s, so there is no record", words[0], how);
    free(how);
    return CLI_EXIT_FAILED;
}

/* Returns how many bytes; -1: there is no such file, or it can't be read. */
static int64_t copy(const char *path, FILE *to)
{
    char buffer[1 << 14];
    int64_t bytes = 0;
    FILE *from = sup_got(fopen(path, "r"));
    for (size_t size; from != NULL && (size = fread(buffer, 1, sizeof buffer, from)) > 0;)
        bytes += (int64_t)fwrite(buffer, 1, size, to);
    const bool good = from != NULL && ferror(from) == 0;
    return from != NULL && fclose(from) == 0 && good ? bytes : -1;
}

/* Joins the ranks' files, and removes them. */
static int join(const char *directory, const char *all)
{
    FILE *joined = sup_got(fopen(all, "w"));
    bool more = joined != NULL;
    for (int rank = 0; more; rank++) {
        char *path = sup_format("%s/rank-%d", directory, rank);
        more = copy(path, joined) >= 0;
        unlink(path); /* there may not be room for all of them twice */
        free(path);
    }
    return joined != NULL && sup_finish(joined)
               ? CLI_EXIT_DONE
               : cli_complain(CLI_EXIT_FAILED, "%s: can't be written", all);
}

/* ---- The result ------------------------------------------------------------------------------ */

/* `name` is what messages call the file; NULL: it is gone when the user reads them. */
static int write_result(const struct cli_args *args, const char *path, const char *name,
                        FILE *stream)
{
    const char *format = cli_args_text(args, "format");
    const char *shown = name != NULL ? name : "the record";
    struct trace_record record;
    struct sup_error error;
    int64_t n = 0, rounds = 0;
    char *plan = NULL;
    size_t size = 0;
    if (strcmp(format, "record") == 0) { /* also one of which no plan can be made */
        const int64_t bytes = copy(path, stream);
        return bytes > 0 ? CLI_EXIT_DONE
                         : cli_complain(CLI_EXIT_USAGE, "%s: %s", shown,
                                        bytes == 0 ? TRACE_EMPTY : strerror(errno));
    }
    int status = trace_record_read(path, shown, &record, &error);
    FILE *memory = sup_memory_open(&plan, &size);
    if (status == RB_OK && (strcmp(format, "csv") == 0 || record.collective[0] != '\0'))
        status = trace_plan_write(&record, (int32_t)cli_args_int(args, "ports"), memory, &n,
                                  &rounds, &error);
    sup_memory_close(memory, &plan);
    if (status == RB_OK && strcmp(format, "csv") == 0)
        fputs(plan, stream);
    else if (status == RB_OK) {
        char text[32];
        out_say(stream, "%" PRId64 " message%s of %s in all: %s on %" PRId32 " ranks",
                record.messages, sup_plural(record.messages),
                sup_format_shown(record.bytes, text, sizeof text),
                record.collective[0] != '\0' ? record.collective : "a program", record.p);
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
    if (status != RB_OK && name == NULL && record.p > 0) {
        const struct sup_error why = error;
        sup_fail(&error, status, "%s; --format record -o FILE keeps it", why.text);
    }
    return status == RB_OK ? CLI_EXIT_DONE : cli_fail(status, &error);
}

/* The program of tagged data has left a line if it can't make the call on so many ranks. */
static int check_call(const char *directory)
{
    char line[200] = "", *path = sup_format("%s/" TRACE_REFUSED, directory);
    FILE *file = sup_got(fopen(path, "r"));
    const bool refused = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        fclose(file);
    free(path);
    return refused ? cli_complain(CLI_EXIT_USAGE, "%s", line) : CLI_EXIT_DONE;
}

static int run_all(const struct cli_args *args, FILE *stream)
{
    const char *temporary = getenv("TMPDIR");
    char *within = sup_format("%s/", temporary == NULL ? "/tmp" : temporary);
    char *directory = out_temporary_name(within, 0), *all = sup_format("%s/all", directory);
    int status = CLI_EXIT_DONE;
    out_unfinished(directory); /* before it is there: a signal may come at once */
    if (mkdir(directory, 0700) != 0)
        status = cli_complain(CLI_EXIT_FAILED, "TMPDIR: %s: %s", within, strerror(errno));
    else {
        status = execute(args, directory);
        if (status == CLI_EXIT_DONE)
            status = check_call(directory);
        if (status == CLI_EXIT_DONE)
            status = join(directory, all);
        if (status == CLI_EXIT_DONE)
            status = write_result(args, all, NULL, stream);
        out_remove(directory);
    }
    out_finished(directory);
    free(within);
    free(all);
    free(directory);
    return status;
}

static int print(const struct cli_args *args, FILE *stream)
{
    const char *from = cli_args_text(args, "from");
    return from == NULL ? run_all(args, stream) : write_result(args, from, from, stream);
}

/* What means nothing to a program of the user's. */
static const char *const of_tagged_data[] = {"collective", "bytes", "root"};
enum { OF_TAGGED_DATA = sizeof of_tagged_data / sizeof of_tagged_data[0] };

static bool calls_own_program(const struct cli_args *args)
{
    const char *const *words;
    const int32_t count = cli_args_operands(args, &words);
    int32_t w = 0;
    while (w < count && strcmp(words[w], "--") != 0)
        w++;
    return w < count;
}

static int run(const struct cli_args *args)
{
    const char *const *words;
    if (cli_args_given(args, "record"))
        return run_rank(args);
    if ((cli_args_operands(args, &words) > 0) == cli_args_given(args, "from"))
        return cli_complain(CLI_EXIT_USAGE,
                            "give either -- mpirun with its options, or --from FILE");
    if (calls_own_program(args))
        for (int i = 0; i < OF_TAGGED_DATA; i++)
            if (cli_args_given(args, of_tagged_data[i]))
                return cli_complain(
                    CLI_EXIT_USAGE,
                    "--%s is of a call on tagged data: leave it out, or the program",
                    of_tagged_data[i]);
    return cli_print(args, print);
}

const struct cli_verb verb_trace = {
    .name = "trace",
    .title = "Record the messages of an MPI library's collectives as a plan.",
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
