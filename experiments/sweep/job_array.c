/* job_array.c - see sweep.h.
 *
 * The scripts are the files *.in of this folder. They hold absolute paths, each as one quoted word,
 * and redirect their output themselves, because Slurm replaces % in the names of its own output
 * files. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "experiments/sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/sweep/experiment.h"
#include "roundabout.h"
#include "support/data_files.h"
#include "support/error.h"
#include "support/memory.h"
#include "support/options/options.h"
#include "support/output/files.h"
#include "support/output/output.h"
#include "support/process.h"

#define MARK "# roundabout sweep --slurm: "

enum {
    SHARD_S = 1800,     /* estimated duration of a shard if their number is not given */
    MOST_SHARDS = 1000, /* then: Slurm's usual limit is 1001 */
    /* Slurm sends the signal this long before the time limit, or up to a minute earlier. */
    SIGNAL_S = 90,
    RESERVE_S = 180 /* the part of the time limit that no point may use */
};

struct array {
    const struct sweep_job_array *request;
    struct sweep_experiment experiment;
    struct sweep_points points;
    int32_t shards;
    int64_t limit_s;                          /* of time, of a shard */
    double shard_s;                           /* estimate of the longest shard */
    size_t point_count;                       /* of all shards */
    char mark[96];                            /* the scripts' second line */
    char *directory, *start, *program, *copy; /* words for a shell: absolute paths */
    char *path;                               /* of the directory */
    char name[64];                            /* of the jobs */
    bool made;                                /* the directory */
};

static void array_free(struct array *array)
{
    free(array->directory);
    free(array->start);
    free(array->program);
    free(array->copy);
    free(array->path);
    sweep_points_free(&array->points);
    sweep_experiment_free(&array->experiment);
}

/* ---- Sizes ---- */

static int choose_shards(struct array *array, struct sup_error *error)
{
    const struct sweep_job_array *request = array->request;
    array->point_count = array->points.count;
    if (request->shards > 0 && (size_t)request->shards > array->point_count)
        return sup_fail(error, RB_EINVAL,
                        "--shards: %" PRId32 " shards, but the experiment has %zu point%s; give at "
                        "most that many",
                        request->shards, array->point_count, array->point_count == 1 ? "" : "s");
    const double seconds = sweep_duration(&array->points, request->jobs);
    double most = array->point_count < MOST_SHARDS ? (double)array->point_count : MOST_SHARDS;
    const double wanted = fmax(1, ceil(seconds / SHARD_S));
    array->shards = request->shards > 0 ? request->shards : (int32_t)fmin(wanted, most);
    sweep_shard_keep(&array->points, 1, array->shards); /* the costliest */
    array->shard_s = sweep_duration(&array->points, request->jobs);
    return RB_OK;
}

/* Twice the estimate and ten minutes, in steps of five minutes, unless it is given. */
static int choose_limits(struct array *array, struct sup_error *error)
{
    const struct sweep_job_array *request = array->request;
    const double most = 365. * 86400;
    double limit_s = request->time_limit_s > 0
                         ? 60 * ceil(request->time_limit_s / 60)
                         : fmax(900, 300 * ceil((2 * array->shard_s + 600) / 300));
    array->limit_s = (int64_t)fmin(limit_s, most);
    if (request->point_limit_s > (double)(array->limit_s - RESERVE_S))
        return sup_fail(error, RB_EINVAL,
                        "--point-timeout: at most %" PRId64 "s: a shard's time limit is %" PRId64
                        " min; --time-limit sets another",
                        array->limit_s - RESERVE_S, array->limit_s / 60);
    return RB_OK;
}

/* ---- The directory ---- */

/* True if there is nothing but what a killed run of this program left. */
static bool is_empty(const char *directory)
{
    static const char ours[] = ".roundabout-";
    const struct dirent *entry;
    DIR *files = sup_got(opendir(directory));
    bool empty = files != NULL;
    while (empty && (entry = readdir(files)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strncmp(entry->d_name, ours, sizeof ours - 1) == 0;
    if (files != NULL)
        closedir(files);
    return empty;
}

/* The second line of a script that this program wrote to the directory; "": there is none. */
static void read_mark(const char *directory, char *line, size_t size)
{
    char *path = sup_format("%s/sweep.sbatch", directory);
    struct stat about;
    line[0] = '\0';
    FILE *script =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? sup_got(fopen(path, "r")) : NULL;
    free(path);
    if (script == NULL)
        return;
    for (int i = 0; i < 2; i++)
        if (fgets(line, (int)size, script) == NULL)
            line[0] = '\0';
    fclose(script);
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, MARK, sizeof MARK - 1) != 0)
        line[0] = '\0';
}

static int make_directory(struct array *array, struct sup_error *error)
{
    const char *directory = array->request->directory;
    char mark[sizeof array->mark + 8];
    char shown[300];
    struct stat about;

    sup_visible(directory, shown, sizeof shown);
    array->made = mkdir(directory, 0777) == 0;
    if (!array->made && errno != EEXIST)
        return sup_fail(error, RB_EINVAL, "--slurm: cannot make \"%s\": %s", shown,
                        strerror(errno));
    if (!array->made && (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode)))
        return sup_fail(error, RB_EINVAL, "--slurm: \"%s\" is not a directory", shown);
    read_mark(directory, mark, sizeof mark);
    if (!array->made && mark[0] == '\0' && !is_empty(directory))
        return sup_fail(error, RB_EINVAL, "--slurm: \"%s\" has other files; give a new directory",
                        shown);
    if (mark[0] != '\0' && strcmp(mark, array->mark) != 0)
        return sup_fail(error, RB_EINVAL,
                        "--slurm: \"%s\" has shards of another experiment, or another number of "
                        "shards; give a new directory",
                        shown);
    return RB_OK;
}

/* ---- Paths ---- */

static int word_of(char **word, char *path, struct sup_error *error)
{
    *word = path == NULL ? NULL : sup_shell_word(path);
    free(path);
    return *word == NULL ? sup_fail(error, RB_EIO, "a path cannot be found: %s", strerror(errno))
                         : RB_OK;
}

static char *own_path(void)
{
    return sup_got(realpath("/proc/self/exe", NULL));
}

static int find_paths(struct array *array, struct sup_error *error)
{
    array->path = sup_got(realpath(array->request->directory, NULL));
    if (array->path == NULL)
        return sup_fail(error, RB_EIO, "%s: %s", array->request->directory, strerror(errno));
    int status = word_of(&array->directory, sup_strdup(array->path), error);
    if (status == RB_OK)
        status = word_of(&array->start, sup_got(realpath(".", NULL)), error);
    if (status == RB_OK)
        status = word_of(&array->program, own_path(), error);
    if (status == RB_OK)
        status = word_of(&array->copy,
                         sup_format("%s/%s.yaml", array->path, array->experiment.name), error);
    return status;
}

/* The experiment's name, as far as a job can have it. */
static void name_jobs(struct array *array)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-+";
    snprintf(array->name, sizeof array->name, "%s", array->experiment.name);
    for (char *c = array->name; *c != '\0'; c++)
        if (strchr(letters, *c) == NULL)
            *c = '_';
}

/* ---- Scripts ---- */

/* What stands for @NAME@ in a template. */
struct word {
    const char *name, *text;
};

/* The word that begins here; NULL: none does. */
static const struct word *word_at(const char *at, const struct word words[])
{
    for (const struct word *word = words; *at == '@' && word->name != NULL; word++)
        if (strncmp(at + 1, word->name, strlen(word->name)) == 0 &&
            at[1 + strlen(word->name)] == '@')
            return word;
    return NULL;
}

static void write_line(const char *line, const struct word words[], FILE *script)
{
    while (*line != '\0') {
        const struct word *word = word_at(line, words);
        if (word == NULL) {
            fputc(*line++, script);
            continue;
        }
        fputs(word->text, script);
        line += strlen(word->name) + 2;
    }
}

/* The user's options come last: of several values, sbatch takes the last one. */
static char *options_text(const struct array *array)
{
    char *text = NULL;
    size_t size = 0;
    FILE *lines = sup_memory_open(&text, &size);
    for (int32_t i = 0; i < array->request->option_count; i++)
        fprintf(lines, "\n#SBATCH %s", array->request->options[i]);
    sup_memory_close(lines, &text);
    return text;
}

/* Writes a script from its template, experiments/sweep/NAME.in, behind the lines by which it is
 * known. */
static int write_script(const struct array *array, const char *name, FILE *script,
                        struct sup_error *error)
{
    const struct sweep_job_array *request = array->request;
    char path[SUP_PATH_SIZE], data[64], line[512], shards[16], cores[16], time[32], before_s[16],
        point_s[32];
    const double point_limit_s =
        request->point_limit_s > 0 ? request->point_limit_s : (double)(array->limit_s - RESERVE_S);
    snprintf(data, sizeof data, "experiments/sweep/%s.in", name);
    const int status = sup_data_path(path, sizeof path, data, error);
    if (status != RB_OK)
        return status;
    char *options = options_text(array);
    FILE *template = sup_got(fopen(path, "r"));
    if (template == NULL) {
        free(options);
        return sup_fail(error, RB_EIO, "%s: %s", path, strerror(errno));
    }
    snprintf(shards, sizeof shards, "%" PRId32, array->shards);
    snprintf(cores, sizeof cores, "%" PRId32, request->jobs);
    snprintf(time, sizeof time, "%02" PRId64 ":%02" PRId64 ":00", array->limit_s / 3600,
             array->limit_s / 60 % 60);
    snprintf(before_s, sizeof before_s, "%d", SIGNAL_S);
    snprintf(point_s, sizeof point_s, "%.17g", point_limit_s);
    const struct word words[] = {{"DIRECTORY", array->directory},
                                 {"PROGRAM", array->program},
                                 {"EXPERIMENT", array->copy},
                                 {"START", array->start},
                                 {"JOB", array->name},
                                 {"SHARDS", shards},
                                 {"CORES", cores},
                                 {"TIME", time},
                                 {"SIGNAL_S", before_s},
                                 {"POINT_LIMIT_S", point_s},
                                 {"NO_PLOTS", request->plots ? "" : " --no-plots"},
                                 {"OPTIONS", options},
                                 {.name = NULL}};
    fprintf(script, "#!/usr/bin/env bash\n%s\n", array->mark);
    while (fgets(line, sizeof line, template) != NULL)
        write_line(line, words, script);
    fclose(template);
    free(options);
    return RB_OK;
}

/* Whoever may read the script may execute it. */
static int write_submit(const struct array *array, const char *name, FILE *script,
                        struct sup_error *error)
{
    struct stat about;
    if (fstat(fileno(script), &about) == 0)
        fchmod(fileno(script), (about.st_mode & 0777) | (about.st_mode & 0444) >> 2);
    return write_script(array, name, script, error);
}

static int write_copy(const struct array *array, const char *name, FILE *file,
                      struct sup_error *error)
{
    (void)name, (void)error;
    fwrite(array->experiment.document.text, 1, array->experiment.document.size, file);
    return RB_OK;
}

/* ---- All ---- */

typedef int write_function(const struct array *array, const char *name, FILE *file,
                           struct sup_error *error);

static int write_file(const struct array *array, const struct out_staging *staging,
                      const char *name, write_function *write, struct sup_error *error)
{
    struct out_file output = {0};
    char *path = sup_format("%s/%s", staging->path, name);
    int status = out_open_for(&output, "slurm", path, error);
    if (status == RB_OK)
        status = write(array, name, output.stream, error);
    if (status == RB_OK)
        status = out_close(&output, error);
    out_discard(&output);
    free(path);
    return status;
}

/* All files appear when all are complete. */
static int write_files(const struct array *array, const char *copy, struct sup_error *error)
{
    const struct {
        const char *name;
        write_function *write;
    } files[] = {{copy, write_copy},
                 {"sweep.sbatch", write_script},
                 {"merge.sbatch", write_script},
                 {"submit.sh", write_submit}};
    enum { FILES = sizeof files / sizeof files[0] };
    struct out_staging staging = {0};
    int status = out_staging_open(&staging, array->path, error);
    for (size_t i = 0; status == RB_OK && i < FILES; i++)
        status = write_file(array, &staging, files[i].name, files[i].write, error);
    char *shards = sup_format("%s/shards", array->path);
    if (status == RB_OK)
        status = out_files_stays(shards, error);
    if (status == RB_OK && mkdir(shards, 0777) != 0 && errno != EEXIST)
        status = sup_fail(error, RB_EIO, "%s: %s", shards, strerror(errno));
    if (status == RB_OK)
        status = out_staging_publish(&staging, error);
    out_staging_discard(&staging);
    if (status != RB_OK && array->made)
        rmdir(shards);
    free(shards);
    for (size_t i = 0; status == RB_OK && i < FILES; i++) {
        char *path = sup_format("%s/%s", array->request->directory, files[i].name);
        sweep_print_path(path);
        free(path);
    }
    return status;
}

static void explain(const struct array *array)
{
    const int32_t jobs = array->request->jobs;
    cli_complain(
        0,
        "%s: %zu points in %" PRId32 " shard%s of %" PRId32 " core%s; about %.0f s for the "
        "longest shard, time limit %" PRId64 " min",
        array->experiment.name, array->point_count, array->shards, array->shards == 1 ? "" : "s",
        jobs, jobs == 1 ? "" : "s", array->shard_s, array->limit_s / 60);
    cli_complain(0, "with Slurm: bash %s/submit.sh", array->directory);
    cli_complain(0,
                 "without: seq %" PRId32 " | parallel -q env SLURM_ARRAY_TASK_ID={} bash "
                 "%s/sweep.sbatch; bash %s/merge.sbatch",
                 array->shards, array->directory, array->directory);
}

static int prepare(struct array *array, struct sup_error *error)
{
    int status = sweep_experiment_load(array->request->experiment, NULL, &array->experiment, error);
    if (status == RB_OK)
        status = sweep_points_make(&array->experiment, &array->points, error);
    if (status == RB_OK)
        status = choose_shards(array, error);
    if (status == RB_OK)
        status = choose_limits(array, error);
    if (status != RB_OK)
        return status;
    snprintf(array->mark, sizeof array->mark, MARK "%" PRId32 " shard%s of experiment %s",
             array->shards, array->shards == 1 ? "" : "s", array->experiment.hash);
    name_jobs(array);
    return make_directory(array, error);
}

int sweep_job_array_write(const struct sweep_job_array *request)
{
    struct array array = {.request = request};
    struct sup_error error;

    int status = prepare(&array, &error);
    if (status == RB_OK)
        status = find_paths(&array, &error);
    if (status == RB_OK) {
        char *copy = sup_format("%s.yaml", array.experiment.name);
        status = write_files(&array, copy, &error);
        free(copy);
    }
    if (status == RB_OK)
        explain(&array);
    else if (array.made)
        rmdir(request->directory);
    array_free(&array);
    return cli_fail(status, &error);
}
