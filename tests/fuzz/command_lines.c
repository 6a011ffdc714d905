/* command_lines.c - random command lines for the whole program.
 *
 * command_lines [--seed S] [--count N | --seconds T] [--only I] [--files DIRECTORY]
 *
 * The program's main is a function here; each line runs in a fork of this process, which has all
 * libraries loaded already, in a directory of its own below /dev/shm. It must end with status 0 to
 * 3, without a signal and without a sanitizer's report; with status 2 and 3 by one line on standard
 * error, with 2 without standard output; it leaves nothing outside its directory, no temporary file
 * and no process, and runs nothing that a name says. --only I repeats line I of a seed. */
#define _GNU_SOURCE /* memfd_create, PR_SET_CHILD_SUBREAPER */

/* The table of verbs is static in main.c. */
#define main roundabout_main
int roundabout_main(int argc, char *argv[]);
#include "command/main.c" // NOLINT
#undef main

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <jansson.h>
#include <sanitizer/asan_interface.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "command_words.h"

/* Of processor time, of which a model that is fitted takes 5 s and under sanitizers several times
 * as much; and of waiting, on a machine that does other things too. */
enum { LINE_CPU_S = 80, LARGE_CPU_S = 1, LINE_WAIT_S = 120, LARGE_WAIT_S = 8 };
enum { MOST_OUTPUT = 1 << 25 };

static struct {
    char directory[64], work[80], outside[80];
    const char *seeds;
    struct command_file files[MOST_FILES];
    int file_count;
    int out, err; /* files in memory */
    uint64_t seed;
    int64_t findings, cut_off;
    int64_t statuses[4];
} state;

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "exitcode=99:allocator_may_return_null=1:max_allocation_size_mb=1024:"
           "malloc_context_size=12:quarantine_size_mb=16:abort_on_error=0:handle_abort=0";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "command_lines: %s: %s\n", what, strerror(errno));
    exit(3);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    if (place->level > 0)
        kind == FTW_DP ? rmdir(path) : unlink(path);
    return 0;
}

static void empty_directory(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *path, const void *content, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, size, file) != size || fclose(file) != 0)
        die(path);
}

/* NULL if there is none. The caller frees it. */
static char *read_file(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return NULL;
    char *content = malloc((size_t)about.st_size + 1);
    *size = fread(content, 1, (size_t)about.st_size, file);
    content[*size] = '\0';
    fclose(file);
    return content;
}

static void keep_file(const char *path, const char *name)
{
    size_t size;
    char *content = read_file(path, &size);
    if (content == NULL || state.file_count == MOST_FILES) {
        free(content);
        return;
    }
    state.files[state.file_count++] = (struct command_file){strdup(name), content, size};
}

/* A copy with a few bytes changed, or cut off: the same for all seeds. */
static void keep_mangled(const struct command_file *from, uint64_t seed)
{
    struct command_source source = {.state = seed};
    const char *dot = strrchr(from->name, '.');
    char name[300];
    if (state.file_count == MOST_FILES || from->size == 0)
        return;
    snprintf(name, sizeof name, "mangled%" PRIu64 "%s", seed, dot == NULL ? "" : dot);
    char *content = malloc(from->size + 1);
    memcpy(content, from->content, from->size);
    size_t size = from->size;
    for (uint32_t times = 1 + command_draw(&source, 4); times > 0; times--)
        content[command_draw(&source, (uint32_t)size)] = (char)command_draw(&source, 256);
    if (command_draw(&source, 3) == 0)
        size = command_draw(&source, (uint32_t)size);
    state.files[state.file_count++] = (struct command_file){strdup(name), content, size};
}

/* What the fuzz targets have as seeds, by endings that the verbs know; and mangled copies. */
static void collect_files(void)
{
    static const struct {
        const char *target, *ending;
    } kinds[] = {{"results_image", ".db"}, {"measured", ".csv"},     {"experiment", ".yaml"},
                 {"platform_xml", ".xml"}, {"calibration", ".json"}, {"decisions", ".txt"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char directory[300];
        struct dirent **entries;
        snprintf(directory, sizeof directory, "%s/%s", state.seeds, kinds[k].target);
        const int count = scandir(directory, &entries, NULL, alphasort);
        for (int i = 0; i < count; i++) {
            char path[600], name[300];
            const char *dot = strrchr(entries[i]->d_name, '.');
            const bool ends = dot != NULL && strcmp(dot, kinds[k].ending) == 0;
            snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
            snprintf(name, sizeof name, "%s%s", entries[i]->d_name, ends ? "" : kinds[k].ending);
            if (entries[i]->d_name[0] != '.')
                keep_file(path, name);
            free(entries[i]);
        }
        free(entries);
    }
    for (int i = 0, count = state.file_count; i < count; i++)
        keep_mangled(&state.files[i], (uint64_t)i);
    if (state.file_count == 0) {
        fprintf(stderr, "command_lines: no files in %s: --files names tests/fuzz/seeds\n",
                state.seeds);
        exit(2);
    }
}

static void make_files(void)
{
    empty_directory(state.work);
    for (int i = 0; i < state.file_count; i++)
        write_file(state.files[i].name, state.files[i].content, state.files[i].size);
    mkdir("sub", 0777);
}

/* ---- One line -------------------------------------------------------------------------------- */

struct result {
    int status; /* of wait */
    bool timed_out;
    char *out, *err; /* owned */
    size_t out_size, err_size;
};

static char *slurp(int file, size_t *size)
{
    const off_t end = lseek(file, 0, SEEK_END);
    char *text = malloc((size_t)end + 1);
    if (text == NULL || pread(file, text, (size_t)end, 0) != (ssize_t)end)
        die("what a line printed");
    text[end] = '\0';
    *size = (size_t)end;
    return text;
}

static void limit(enum __rlimit_resource what, rlim_t most)
{
    setrlimit(what, &(struct rlimit){most, most});
}

/* Leaks are looked for in each eighth line: that takes longer than most lines. */
static _Noreturn void be_child(const struct command_line *line, bool look_for_leaks)
{
    char *argv[MOST_WORDS + 2] = {(char *)"roundabout"};
    for (int i = 0; i < line->count; i++)
        argv[i + 1] = (char *)line->word[i];
    setpgid(0, 0);
    limit(RLIMIT_CPU, line->large ? LARGE_CPU_S : LINE_CPU_S);
    limit(RLIMIT_FSIZE, MOST_OUTPUT);
    limit(RLIMIT_CORE, 0);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(state.out, STDOUT_FILENO);
    dup2(state.err, STDERR_FILENO);
    const int status = roundabout_main(line->count + 1, argv);
    if (look_for_leaks)
        exit(status);
    fflush(NULL);
    _exit(status);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits with pauses that grow from 0.1 to 5 ms. */
static void wait_for(pid_t child, double most_s, struct result *result)
{
    const double end_s = now_s() + most_s;
    long pause_ns = 100000;
    while (waitpid(child, &result->status, WNOHANG) == 0) {
        if (now_s() > end_s && !result->timed_out) {
            result->timed_out = true;
            kill(-child, SIGKILL);
        }
        nanosleep(&(struct timespec){0, pause_ns}, NULL);
        if (pause_ns < 5000000)
            pause_ns += pause_ns / 2;
    }
}

/* Processes that the line left behind, after they had a while to go; they are ended. */
static bool left_process(pid_t group)
{
    bool left = true;
    for (int attempt = 0; attempt < 60 && left; attempt++) {
        while (waitpid(-group, NULL, WNOHANG) > 0)
            ;
        left = kill(-group, 0) == 0;
        if (left)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    kill(-group, SIGKILL);
    while (waitpid(-group, NULL, 0) > 0)
        ;
    return left;
}

static void run_line(const struct command_line *line, bool look_for_leaks, struct result *result,
                     bool *left)
{
    *result = (struct result){0};
    if (ftruncate(state.out, 0) != 0 || ftruncate(state.err, 0) != 0)
        die("a file in memory");
    lseek(state.out, 0, SEEK_SET);
    lseek(state.err, 0, SEEK_SET);
    const pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0)
        be_child(line, look_for_leaks);
    setpgid(child, child);
    wait_for(child, line->large ? LARGE_WAIT_S : LINE_WAIT_S, result);
    *left = left_process(child);
    result->out = slurp(state.out, &result->out_size);
    result->err = slurp(state.err, &result->err_size);
}

/* ---- What must hold -------------------------------------------------------------------------- */

static void print_quoted(const char *word)
{
    printf(" $'");
    for (const unsigned char *c = (const unsigned char *)word; *c != '\0'; c++)
        if (*c == '\'' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < ' ' || *c >= 0x7f)
            printf("\\x%02x", *c);
        else
            putchar(*c);
    putchar('\'');
}

static void report(const struct command_line *line, int64_t number, const struct result *result,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
static void report(const struct command_line *line, int64_t number, const struct result *result,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("finding: line %" PRId64 ": ", number);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n  roundabout");
    for (int i = 0; i < line->count; i++)
        print_quoted(line->word[i]);
    printf("\n  repeat: build/fuzz/tests/fuzz/command_lines --seed %" PRIu64 " --only %" PRId64
           "\n  standard error: %.*s\n",
           state.seed, number, (int)(result->err_size < 2000 ? result->err_size : 2000),
           result->err);
    fflush(stdout);
    state.findings++;
}

static bool is_of_sanitizer(const char *name)
{
    return strncmp(name, "report.", 7) == 0;
}

/* SimGrid changes stacks under AddressSanitizer, which then warns that it ignored something. */
static bool is_warning(const char *text)
{
    return strstr(text, "ERROR: ") == NULL && strstr(text, "runtime error: ") == NULL;
}

/* Prints a sanitizer's report, from whichever process of the line. */
static bool has_report(void)
{
    struct dirent **entries;
    bool found = false;
    const int count = scandir(state.outside, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char path[400];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", state.outside, entries[i]->d_name);
        char *text = is_of_sanitizer(entries[i]->d_name) ? read_file(path, &size) : NULL;
        if (text != NULL && !is_warning(text)) {
            printf("%.3000s\n", text);
            found = true;
        }
        if (text != NULL)
            unlink(path);
        free(text);
        free(entries[i]);
    }
    free(entries);
    return found;
}

/* An entry of a directory that should not be there; NULL: none. */
static const char *stranger_in(const char *path, const char *const known[])
{
    static char stranger[300];
    DIR *directory = opendir(path);
    stranger[0] = '\0';
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        bool expected = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        for (int i = 0; known[i] != NULL && !expected; i++)
            expected = strcmp(known[i], entry->d_name) == 0;
        if (!expected)
            snprintf(stranger, sizeof stranger, "%s", entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
    return stranger[0] == '\0' ? NULL : stranger;
}

/* Lines but for the notes of figures that were skipped, which come before the reason. */
static int reasons_in(const char *text)
{
    int reasons = 0;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        const char *skipped = strstr(text, ": skipped for ");
        reasons += skipped == NULL || skipped > end;
    }
    return reasons;
}

/* A byte that a terminal obeys. */
static bool has_control(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
            return true;
    return false;
}

static bool says(const struct command_line *line, const char *word)
{
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->word[i], word) == 0)
            return true;
    return false;
}

static bool asks_for_json(const struct command_line *line)
{
    bool asked = false;
    for (int i = 0; i < line->count; i++)
        asked = asked || strcmp(line->word[i], "--format=json") == 0 ||
                (i > 0 && strcmp(line->word[i - 1], "--format") == 0 &&
                 strcmp(line->word[i], "json") == 0);
    return asked && !says(line, "--help") && !says(line, "-h");
}

static void check_streams(const struct command_line *line, int64_t number,
                          const struct result *result, int status)
{
    if (status >= 2 && (reasons_in(result->err) != 1 || result->err[result->err_size - 1] != '\n'))
        report(line, number, result, "status %d with %d reasons on standard error", status,
               reasons_in(result->err));
    if (status == 2 && result->out_size > 0)
        report(line, number, result, "status 2 with standard output");
    if (strncmp(result->err, "roundabout", 10) != 0 && status >= 2)
        report(line, number, result, "a message that doesn't begin with the program's name");
    if (has_control(result->err, result->err_size))
        report(line, number, result, "control characters on standard error");
    if (status == 0 && result->out_size > 0 && asks_for_json(line)) {
        json_t *json = json_loadb(result->out, result->out_size, 0, NULL);
        if (json == NULL)
            report(line, number, result, "what --format json printed is no JSON");
        json_decref(json);
    }
}

static void check_files(const struct command_line *line, int64_t number,
                        const struct result *result)
{
    static const char *const around[] = {"work", "tmp", "home", NULL}, *const nothing[] = {NULL};
    char path[100];
    const char *stranger = stranger_in(state.outside, around);
    if (stranger != NULL)
        report(line, number, result, "a file outside its directory: %s", stranger);
    snprintf(path, sizeof path, "%s/tmp", state.outside);
    stranger = stranger_in(path, nothing);
    if (stranger != NULL && !result->timed_out && !line->large)
        report(line, number, result, "a temporary file is left: %s", stranger);
    empty_directory(path);
    if (access("PWN", F_OK) == 0)
        report(line, number, result, "a name was run as a command");
    for (int i = 0; i < state.file_count; i++) {
        size_t size;
        const struct command_file *file = &state.files[i];
        if (line->output[i])
            continue;
        char *content = read_file(file->name, &size);
        if (content == NULL || size != file->size || memcmp(content, file->content, size) != 0)
            report(line, number, result, "its input %s was %s", file->name,
                   content == NULL ? "removed" : "changed");
        free(content);
    }
}

static void check_line(const struct command_line *line, int64_t number, const struct result *result,
                       bool left)
{
    const bool signalled = WIFSIGNALED(result->status);
    const int signal = signalled ? WTERMSIG(result->status) : 0;
    const int status = signalled ? -1 : WEXITSTATUS(result->status);
    if (has_report())
        report(line, number, result, "a sanitizer's report");
    else if (result->timed_out || signal == SIGXCPU || (signal == SIGKILL && line->large)) {
        state.cut_off++;
        if (!line->large)
            report(line, number, result, "it doesn't end");
    } else if (signalled)
        report(line, number, result, "signal %d", signal);
    else if (status > 3)
        report(line, number, result, "exit status %d", status);
    else {
        state.statuses[status]++;
        check_streams(line, number, result, status);
        if (left)
            report(line, number, result, "it left a process behind");
    }
    if (getenv("FUZZ_SHOW") != NULL)
        fprintf(stderr, "%d: %s %s\n", status, line->word[0], result->err);
    check_files(line, number, result);
}

static void do_line(int64_t number)
{
    static struct command_line line;
    struct command_source source = {.state = state.seed * UINT64_C(0x9e3779b97f4a7c15) +
                                             (uint64_t)number,
                                    .verbs = verbs,
                                    .verb_count = VERBS,
                                    .files = state.files,
                                    .file_count = state.file_count};
    struct result result;
    bool left;
    command_make(&source, &line);
    make_files();
    run_line(&line, number % 8 == 0, &result, &left);
    check_line(&line, number, &result, left);
    free(result.out);
    free(result.err);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void make_directories(void)
{
    const char *parent = getenv("FUZZ_SCRATCH");
    char path[100];
    snprintf(state.outside, sizeof state.outside, "%.50s/lines-XXXXXX",
             parent != NULL ? parent : "/dev/shm");
    if (mkdtemp(state.outside) == NULL)
        die(state.outside);
    snprintf(state.work, sizeof state.work, "%.70s/work", state.outside);
    mkdir(state.work, 0777);
    snprintf(path, sizeof path, "%s/tmp", state.outside);
    mkdir(path, 0777);
    setenv("TMPDIR", path, 1);
    snprintf(path, sizeof path, "%s/home", state.outside);
    mkdir(path, 0777);
    setenv("HOME", path, 1);
    if (chdir(state.work) != 0)
        die(state.work);
    snprintf(path, sizeof path, "%s/report", state.outside);
    __sanitizer_set_report_path(path);
}

static int64_t number_of(const char *text)
{
    struct sup_error error;
    int64_t number;
    if (text != NULL && sup_parse_int(text, 0, INT64_MAX, &number, &error) == RB_OK)
        return number;
    fprintf(stderr, "usage: command_lines [--seed S] [--count N | --seconds T] [--only I] "
                    "[--files DIRECTORY]\n");
    exit(2);
}

int main(int argc, char *argv[])
{
    int64_t count = 1000, seconds = -1, only = -1, done = 0;
    char seeds[512];
    state.seed = 1;
    state.seeds = "tests/fuzz/seeds";
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--files") == 0 && argv[i + 1] != NULL)
            state.seeds = argv[i + 1];
        else if (strcmp(argv[i], "--seed") == 0)
            state.seed = (uint64_t)number_of(argv[i + 1]);
        else if (strcmp(argv[i], "--count") == 0)
            count = number_of(argv[i + 1]);
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = number_of(argv[i + 1]);
        else if (strcmp(argv[i], "--only") == 0)
            only = number_of(argv[i + 1]);
        else
            number_of(NULL);
    }
    if (realpath(state.seeds, seeds) == NULL)
        die(state.seeds);
    state.seeds = seeds;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    state.out = memfd_create("out", 0);
    state.err = memfd_create("err", 0);
    collect_files();
    make_directories();
    const double start_s = now_s();
    if (only >= 0)
        do_line(only);
    for (int64_t i = 0;
         only < 0 && (seconds >= 0 ? now_s() < start_s + (double)seconds : i < count); i++, done++)
        do_line(i);
    printf("%" PRId64 " lines, %.0f per second, %" PRId64 " findings; status 0: %" PRId64
           ", 1: %" PRId64 ", 2: %" PRId64 ", 3: %" PRId64 "; %" PRId64
           " large ones were cut off; seed %" PRIu64 "\n",
           only >= 0 ? 1 : done, (double)done / (now_s() - start_s + 1e-9), state.findings,
           state.statuses[0], state.statuses[1], state.statuses[2], state.statuses[3],
           state.cut_off, state.seed);
    if (chdir("/") == 0)
        empty_directory(state.outside);
    rmdir(state.outside);
    return state.findings > 0 ? 1 : 0;
}
