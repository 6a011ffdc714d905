/* doctor.c - looks for what the verbs need and can use (doctor.h). */
#define _DEFAULT_SOURCE         /* sysconf of processors and pages */
#define _POSIX_C_SOURCE 200809L /* fork, poll, kill */

#include "command/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roundabout.h"
#include "sim/engine/engine.h"
#include "sim/simgrid/simgrid.h"
#include "support/data_files.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/verdict.h"
#include "support/process.h"

/* ---- Answers of other programs --------------------------------------------------------------- */

enum { MOST_READ = 1 << 16, NOT_FOUND = 127, POLL_MS = 20 };

bool doctor_find_program(const char *name, char *path, size_t size)
{
    const char *folder = getenv("PATH");
    struct stat file;
    while (folder != NULL && *folder != '\0') {
        const size_t length = strcspn(folder, ":");
        /* An empty folder is the current one. */
        const int written = length == 0
                                ? snprintf(path, size, "./%s", name)
                                : snprintf(path, size, "%.*s/%s", (int)length, folder, name);
        if (written < (int)size && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
            access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

static _Noreturn void become(const char *path, const char *const arguments[], int out)
{
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0)
        _exit(NOT_FOUND);
    execv(path, (char *const *)arguments);
    _exit(NOT_FOUND);
}

/* Reads what the child writes until it has ended, or there is too much, or no time left; true if it
 * ended, with its status. A child of the child may hold the pipe open for longer. */
static bool listen(int in, pid_t child, double until, char *text, size_t size, int *status)
{
    size_t used = 0, read_so_far = 0;
    bool ended = false, open_end = true;
    text[0] = '\0';
    while (sup_clock_s() < until && read_so_far < MOST_READ) {
        char buffer[4096];
        struct pollfd ready = {.fd = in, .events = POLLIN};
        const bool was_ended = ended;
        if (open_end)
            poll(&ready, 1, ended ? 0 : POLL_MS);
        else
            poll(NULL, 0, POLL_MS);
        const ssize_t got = open_end && ready.revents != 0 ? read(in, buffer, sizeof buffer) : -1;
        if (got > 0) {
            const size_t room = size - 1 - used, taken = (size_t)got < room ? (size_t)got : room;
            memcpy(text + used, buffer, taken);
            used += taken;
            text[used] = '\0';
            read_so_far += (size_t)got;
        }
        open_end = open_end && got != 0;
        ended = ended || waitpid(child, status, WNOHANG) == child;
        if (was_ended && got <= 0) /* it had ended before the pipe was found empty */
            return true;
    }
    return ended;
}

enum doctor_answer doctor_ask(const char *const arguments[], double limit_s, char *text,
                              size_t size)
{
    char path[4096];
    int ends[2], status = 0;
    text[0] = '\0';
    if (!doctor_find_program(arguments[0], path, sizeof path) || pipe(ends) != 0)
        return DOCTOR_NOT_THERE;
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sup_child_ends_with(parent, SIGKILL);
        close(ends[0]);
        become(path, arguments, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return DOCTOR_SILENT;
    }
    setpgid(child, child); /* here, too: the child may not have run yet */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const bool ended = listen(ends[0], child, sup_clock_s() + limit_s, text, size, &status);
    kill(-child, SIGKILL);
    if (!ended)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    close(ends[0]);
    if (!ended)
        return DOCTOR_SILENT;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return DOCTOR_NOT_THERE;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? DOCTOR_ANSWERED : DOCTOR_REFUSED;
}

/* ---- Findings as text or JSON ---------------------------------------------------------------- */

static const char *const state_words[DOCTOR_STATES] = {
    [DOCTOR_OK] = "ok",
    [DOCTOR_MISSING] = "missing",
    [DOCTOR_LACKING] = "optional",
    [DOCTOR_NOTE] = "note",
};

enum { STATE = 1 };
static const struct out_column columns[] = {
    {"item", "item", OUT_WORD, -16, OUT_OF(struct doctor_finding, item)},
    [STATE] = {.name = "state", .heading = "state", .kind = OUT_WORD, .width = -8},
    {"needed", "needed", OUT_TRUTH, 6, OUT_OF(struct doctor_finding, needed)},
    {"found", "found", OUT_WORD, -24, OUT_OF(struct doctor_finding, found)},
    {"path", "path", OUT_WORD, OUT_OF(struct doctor_finding, path), .gap = 2},
    {"advice", .kind = OUT_WORD, OUT_OF(struct doctor_finding, advice)},
};
static const struct out_table table = {columns, .width = OUT_COUNT_OF(columns)};

static void print_rows(const struct doctor_findings *findings, enum out_format format, FILE *stream)
{
    struct out_rows rows;
    out_rows_begin(&rows, &table, format, stream,
                   json_pack("{s:b}", "complete", doctor_is_well(findings)), "findings");
    for (int32_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->finding[i];
        union out_cell cells[OUT_COUNT_OF(columns)] = {[STATE].word = state_words[finding->state]};
        out_cells(&table, (const void *const[]){finding}, cells);
        out_rows_add(&rows, cells);
    }
    out_rows_end(&rows);
}

static void print_advice(const struct doctor_findings *findings, enum doctor_state state,
                         const char *title, FILE *stream)
{
    bool first = true;
    for (int32_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->finding[i];
        if (finding->state != state || finding->advice[0] == '\0')
            continue;
        if (first)
            fprintf(stream, "\n%s\n", title);
        first = false;
        out_text_entry(2, 15, 2, finding->item, stream, "%s", finding->advice);
    }
}

/* What is there, in one paragraph. */
static void print_there(const struct doctor_findings *findings, FILE *stream)
{
    char all[2000] = "";
    for (int32_t i = 0; i < findings->count; i++)
        if (findings->finding[i].state == DOCTOR_OK)
            sup_append(all, sizeof all, ", ", "%s", findings->finding[i].item);
    fputc('\n', stream);
    out_text_entry(0, 9, 1, "There are", stream, "%s", all);
}

static void print_head(const struct doctor_findings *findings, FILE *stream)
{
    int32_t optional = 0;
    for (int32_t i = 0; i < findings->count; i++)
        optional += findings->finding[i].state == DOCTOR_LACKING;
    if (!doctor_is_well(findings))
        out_say(stream, "Something that the verbs need is missing.");
    else if (optional == 0)
        out_say(stream, "Everything that the verbs need is there.");
    else
        out_say(stream,
                "Everything that the verbs need is there; of what is optional %d thing%s missing.",
                (int)optional, optional == 1 ? " is" : "s are");
}

void doctor_print(const struct doctor_findings *findings, enum out_format format, bool details,
                  FILE *stream)
{
    if (format == OUT_JSON) {
        print_rows(findings, format, stream);
        return;
    }
    print_head(findings, stream);
    if (details) {
        fputc('\n', stream);
        print_rows(findings, format, stream);
    }
    print_advice(findings, DOCTOR_MISSING, "Missing; to get it:", stream);
    print_advice(findings, DOCTOR_NOTE, "To note:", stream);
    print_advice(findings, DOCTOR_LACKING, "Optional; to get it:", stream);
    if (details)
        return;
    print_there(findings, stream);
    out_more(stream, "--details (versions and paths)");
}

/* ---- The search ------------------------------------------------------------------------------ */

struct examination {
    struct doctor_findings *findings;
    double limit_s;
    bool debian;
};

/* ---- Findings -------------------------------------------------------------------------------- */

static struct doctor_finding *add(const struct examination *examination, const char *item,
                                  enum doctor_state state, bool needed)
{
    struct doctor_findings *findings = examination->findings;
    struct doctor_finding *finding = &findings->finding[findings->count];
    if (findings->count < DOCTOR_MOST_FINDINGS - 1)
        findings->count++;
    *finding = (struct doctor_finding){.item = item, .state = state, .needed = needed};
    return finding;
}

/* An item that is there, or else is missing or lacking, with the advice that gets it. */
static struct doctor_finding *add_item(const struct examination *examination, const char *item,
                                       bool there, bool needed, const char *advice)
{
    const enum doctor_state lacking = needed ? DOCTOR_MISSING : DOCTOR_LACKING;
    struct doctor_finding *finding = add(examination, item, there ? DOCTOR_OK : lacking, needed);
    if (!there)
        snprintf(finding->advice, sizeof finding->advice, "%s", advice);
    return finding;
}

/* The same for what one of Debian's packages has: the advice is the command that gets it, elsewhere
 * the package's name. */
static struct doctor_finding *add_packaged(const struct examination *examination, const char *item,
                                           bool there, bool needed, const char *package)
{
    char advice[256];
    snprintf(advice, sizeof advice,
             examination->debian ? "apt-get install %s"
                                 : "install what Debian has in the package %s",
             package);
    return add_item(examination, item, there, needed, advice);
}

__attribute__((format(printf, 2, 3))) static void tell(struct doctor_finding *finding,
                                                       const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(finding->found, sizeof finding->found, format, values);
    va_end(values);
}

static void tell_path(struct doctor_finding *finding, const char *path)
{
    snprintf(finding->path, sizeof finding->path, "%s", path);
}

/* ---- Other programs -------------------------------------------------------------------------- */

/* The first line that is not empty, without blanks at its ends; at most 100 bytes. */
static void first_line(const char *text, char *line, size_t size)
{
    text += strspn(text, " \t\r\n");
    size_t length = strcspn(text, "\r\n");
    if (length > 100)
        length = 100;
    snprintf(line, size, "%.*s", (int)length, text);
}

struct program {
    const char *item, *package;
    const char *arguments[5];
    const char *says;  /* what the answer of the right program contains */
    const char *after; /* what stands before the version in the answer; NULL: nothing */
    const char *other; /* another name that the program can have; NULL: none */
    bool needed;
};

/* Runs the program of this name; true, with its answer, if it is the right one. */
static bool answers(const struct examination *examination, const struct program *program,
                    const char *name, enum doctor_answer *answer, char *text, size_t size)
{
    const char *arguments[sizeof program->arguments / sizeof program->arguments[0]];
    memcpy(arguments, program->arguments, sizeof arguments);
    arguments[0] = name;
    *answer = doctor_ask(arguments, examination->limit_s, text, size);
    return *answer == DOCTOR_ANSWERED && strstr(text, program->says) != NULL;
}

/* Queries a program's version. NULL if it is not there, or is another one. */
static struct doctor_finding *find_program(const struct examination *examination,
                                           const struct program *program)
{
    char text[4096];
    const char *name = program->arguments[0];
    struct doctor_finding *finding;
    enum doctor_answer answer, of_other;
    bool there = answers(examination, program, name, &answer, text, sizeof text);
    if (!there && program->other != NULL &&
        answers(examination, program, program->other, &of_other, text, sizeof text)) {
        there = true;
        name = program->other;
    }
    finding = add_packaged(examination, program->item, there, program->needed, program->package);
    if (there || answer != DOCTOR_NOT_THERE)
        doctor_find_program(name, finding->path, sizeof finding->path);
    if (there) {
        const char *after = program->after == NULL ? NULL : strstr(text, program->after);
        first_line(after == NULL ? text : after + strlen(program->after), finding->found,
                   sizeof finding->found);
        return finding;
    }
    if (answer == DOCTOR_SILENT)
        tell(finding, "no answer within %g s", examination->limit_s);
    else if (answer != DOCTOR_NOT_THERE)
        tell(finding, "answers, but not as this program does");
    return NULL;
}

/* gnuplot with the terminals of figures: those that figures always use, and those for LaTeX. */
static void examine_gnuplot(const struct examination *examination)
{
    static const struct {
        const char *name;
        bool needed;
    } terminals[] = {{"pdfcairo", true},
                     {"pngcairo", true},
                     {"svg", true},
                     {"cairolatex", false},
                     {"tikz", false}};
    static const struct program gnuplot = {.item = "gnuplot",
                                           .package = "gnuplot-nox",
                                           .arguments = {"gnuplot", "--version"},
                                           .says = "gnuplot",
                                           .needed = true};
    static const char *const arguments[] = {"gnuplot", "-d", "-e",
                                            "set print '-'; print GPVAL_TERMINALS", NULL};
    char text[4096], list[sizeof text + 2];
    if (find_program(examination, &gnuplot) == NULL)
        return;
    if (doctor_ask(arguments, examination->limit_s, text, sizeof text) != DOCTOR_ANSWERED)
        text[0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    snprintf(list, sizeof list, " %s ", text);
    for (size_t i = 0; i < sizeof terminals / sizeof terminals[0]; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", terminals[i].name);
        const bool there = strstr(list, word) != NULL;
        struct doctor_finding *finding = add_packaged(examination, terminals[i].name, there,
                                                      terminals[i].needed, gnuplot.package);
        if (there)
            tell(finding, "terminal of gnuplot");
    }
}

static void examine_fonts(const struct examination *examination)
{
    static const struct program fonts = {
        .item = "fonts",
        .package = "fontconfig fonts-dejavu-core",
        .arguments = {"fc-match", "-f", "%{family}: font %{file}\n"},
        .says = ": font ",
        .needed = false};
    struct doctor_finding *finding = find_program(examination, &fonts);
    if (finding == NULL)
        return;
    const char *file = strstr(finding->found, ": font ");
    tell_path(finding, file == NULL ? "" : file + 7);
    finding->found[strcspn(finding->found, ":")] = '\0';
}

static void examine_latex(const struct examination *examination)
{
    static const struct program latex = {.item = "LaTeX",
                                         .package = "texlive-latex-recommended texlive-pictures",
                                         .arguments = {"pdflatex", "--version"},
                                         .says = "TeX",
                                         .needed = false};
    find_program(examination, &latex);
}

/* ---- MPI ------------------------------------------------------------------------------------- */

/* A part of Roundabout that is built for each MPI library. True if it is there. */
static bool examine_built(const struct examination *examination, const char *item,
                          int (*find)(char *path, size_t size, const char *name,
                                      struct sup_error *error),
                          const char *name, const char *package)
{
    char path[SUP_PATH_SIZE], advice[256];
    struct sup_error error;
    const bool there = find(path, sizeof path, name, &error) == RB_OK;
    snprintf(advice, sizeof advice,
             "install the package %s, or build Roundabout where it finds this MPI's mpicc (in a "
             "checkout: ./roundabout mpi-library); docs/install.md",
             package);
    tell_path(add_item(examination, item, there, false, advice), there ? path : "");
    return there;
}

static void examine_mpi(const struct examination *examination)
{
    static const struct {
        const char *measure_item, *measure, *measure_package;
        const char *preload_item, *preload, *preload_package;
        struct program mpirun, mpicc;
    } flavours[] = {
        {"measure openmpi",
         "roundabout-measure-openmpi",
         "roundabout-openmpi",
         "preload openmpi",
         "libroundabout-preload-openmpi.so",
         "libroundabout-mpi-openmpi2",
         {.item = "mpirun openmpi",
          .package = "openmpi-bin",
          .arguments = {"mpirun.openmpi", "--version"},
          .says = "Open",
          .other = "mpirun"},
         {.item = "mpicc openmpi",
          .package = "libopenmpi-dev",
          .arguments = {"mpicc.openmpi", "--showme:version"},
          .says = "Open MPI",
          .after = ": ",
          .other = "mpicc"}},
        {"measure mpich",
         "roundabout-measure-mpich",
         "roundabout-mpich",
         "preload mpich",
         "libroundabout-preload-mpich.so",
         "libroundabout-mpi-mpich2",
         {.item = "mpirun mpich",
          .package = "mpich",
          .arguments = {"mpirun.mpich", "--version"},
          .says = "HYDRA",
          .after = "Version:",
          .other = "mpirun"},
         {.item = "mpicc mpich",
          .package = "libmpich-dev",
          .arguments = {"mpicc.mpich", "-v"},
          .says = "MPICH",
          .after = "mpicc for ",
          .other = "mpicc"}},
    };
    static const struct program plain[] = {
        {.item = "mpirun",
         .package = "openmpi-bin",
         .arguments = {"mpirun", "--version"},
         .says = ""},
        {.item = "mpicc",
         .package = "libopenmpi-dev",
         .arguments = {"mpicc", "-show"},
         .says = "mpi"},
    };
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++) {
        struct program mpirun = flavours[i].mpirun;
        mpirun.needed = examine_built(examination, flavours[i].measure_item, sup_program_path,
                                      flavours[i].measure, flavours[i].measure_package);
        examine_built(examination, flavours[i].preload_item, sup_library_path, flavours[i].preload,
                      flavours[i].preload_package);
        find_program(examination, &mpirun); /* `measure` runs under it */
        find_program(examination, &flavours[i].mpicc);
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        find_program(examination, &plain[i]);
}

/* ---- The program itself ---------------------------------------------------------------------- */

/* jemalloc's own function, if the program is linked with it. */
extern int mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size)
    __attribute__((weak));

static void examine_program(const struct examination *examination)
{
    char path[SUP_PATH_SIZE];
    struct sup_error error;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    struct doctor_finding *finding = add(examination, "roundabout", DOCTOR_OK, true);
    tell(finding, "%s", cli_program_version);
    snprintf(finding->path, sizeof finding->path, "%.*s", length < 0 ? 0 : (int)length, path);
    const bool there =
        sup_data_path(path, sizeof path, "experiments/default.yaml", &error) == RB_OK;
    finding = add_item(examination, "data files", there, true,
                       "install Roundabout as a whole, or set ROUNDABOUT_DATA");
    if (there) {
        path[strlen(path) - strlen("/experiments/default.yaml")] = '\0';
        tell_path(finding, path);
    } else {
        tell(finding, "%s", error.text);
    }
}

static void examine_simgrid(const struct examination *examination)
{
    struct sup_error error;
    if (s4u_ready(&error) != RB_OK) {
        tell(add_item(examination, "SimGrid", false, true, "build or install Roundabout again"),
             "%s", error.text);
        return;
    }
    const struct s4u_versions versions = s4u_find_versions();
    const int *now = versions.running, *then = versions.compiled;
    const bool same = now[0] == then[0] && now[1] == then[1];
    struct doctor_finding *finding =
        add(examination, "SimGrid", same ? DOCTOR_OK : DOCTOR_NOTE, true);
    tell(finding, "%d.%d.%d", now[0], now[1], now[2]);
    if (!same) {
        tell(finding, "%d.%d.%d runs, but %d.%d.%d is what the program was compiled with", now[0],
             now[1], now[2], then[0], then[1], then[2]);
        snprintf(finding->advice, sizeof finding->advice, "build Roundabout again");
    }
    bool smpi = false;
    const struct sim_engine *engine;
    for (int32_t i = 0; (engine = sim_engine_at(i)) != NULL; i++)
        smpi = smpi || strcmp(engine->name, "smpi") == 0;
    add_item(examination, "engine smpi", smpi, false,
             "build Roundabout again where SimGrid's smpicc is");
    add_item(examination, "jemalloc", mallctl != NULL, false,
             "build Roundabout again with libjemalloc-dev: simulations take less time");
}

/* ---- The machine ----------------------------------------------------------------------------- */

/* A number in a file; false if there is none ("max"). */
static bool read_number(const char *path, uint64_t *number)
{
    FILE *file = sup_got(fopen(path, "r"));
    const bool read = file != NULL && fscanf(file, "%" SCNu64, number) == 1;
    if (file != NULL)
        fclose(file);
    return read;
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? UINT64_MAX
               : (uint64_t)limit.rlim_cur;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void examine_machine(const struct examination *examination)
{
    enum { ENOUGH_STACK = 1 << 20, GIB = 1 << 30 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * page, number;
    struct doctor_finding *finding = add(examination, "cores", DOCTOR_OK, true);
    tell(finding, "%ld", cores);
    if (read_number("/sys/fs/cgroup/memory.max", &number))
        memory = least_of(memory, number);
    memory = least_of(memory, limit_of(RLIMIT_AS));
    finding = add(examination, "memory", memory < GIB ? DOCTOR_NOTE : DOCTOR_OK, true);
    tell(finding, "%.1f GiB", (double)memory / GIB);
    if (memory < GIB)
        snprintf(finding->advice, sizeof finding->advice,
                 "large simulations need some GiB: ulimit -v, or the container's limit");
    const uint64_t stack = limit_of(RLIMIT_STACK);
    finding = add(examination, "stack", stack < ENOUGH_STACK ? DOCTOR_MISSING : DOCTOR_OK, true);
    if (stack == UINT64_MAX)
        tell(finding, "unlimited");
    else
        tell(finding, "%" PRIu64 " KiB", stack / 1024);
    if (stack < ENOUGH_STACK)
        snprintf(finding->advice, sizeof finding->advice, "ulimit -s 8192");
    char governor[32] = "";
    FILE *file = sup_got(fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r"));
    if (file != NULL && fscanf(file, "%31s", governor) == 1) {
        const bool steady = strcmp(governor, "performance") == 0;
        finding = add(examination, "cpu frequency", steady ? DOCTOR_OK : DOCTOR_NOTE, false);
        tell(finding, "governor %s", governor);
        if (!steady)
            snprintf(finding->advice, sizeof finding->advice,
                     "for measure and bench: cpupower frequency-set -g performance");
    }
    if (file != NULL)
        fclose(file);
}

/* Where `sweep` writes without -o: in results/, which it makes in the current directory. */
static void examine_results(const struct examination *examination)
{
    const char *place = access("results", F_OK) == 0 ? "results" : ".";
    const bool writable = access(place, W_OK) == 0;
    struct doctor_finding *finding =
        add_item(examination, "results", writable, false, "sweep -o FILE.db, in another directory");
    tell(finding, writable ? "can be written" : "cannot be written");
    tell_path(finding, place);
}

void doctor_examine(double limit_s, struct doctor_findings *findings)
{
    const struct examination examination = {.findings = findings,
                                            .limit_s = limit_s,
                                            .debian = access("/etc/debian_version", F_OK) == 0};
    findings->count = 0;
    examine_program(&examination);
    examine_simgrid(&examination);
    examine_gnuplot(&examination);
    examine_fonts(&examination);
    examine_latex(&examination);
    examine_mpi(&examination);
    examine_machine(&examination);
    examine_results(&examination);
}

bool doctor_is_well(const struct doctor_findings *findings)
{
    for (int32_t i = 0; i < findings->count; i++)
        if (findings->finding[i].state == DOCTOR_MISSING)
            return false;
    return true;
}
