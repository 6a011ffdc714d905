/* workload_file.c - a workload file and its jobs, read by the tables of keys. */
#include "experiments/workload/workload_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/workload/reading.h"
#include "experiments/workload/source.h"
#include "support/csv.h"
#include "support/data_files.h"
#include "support/memory.h"
#include "support/units.h"

int workload_fault(const struct workload_reading *reading, const struct sweep_node *node,
                   const char *key, const char *what, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return sweep_fault(reading->document, node, key, reading->error, "%s", text);
}

int workload_blame(const struct workload_reading *reading, const struct sweep_node *node,
                   const char *key, int status, const struct sup_error *why)
{
    return status == RB_OK ? RB_OK : workload_fault(reading, node, key, "%s", why->text);
}

int workload_require(const struct workload_reading *reading, const struct sweep_node *node,
                     const char *key)
{
    return node->kind != SWEEP_MAPPING || sweep_member(node, key) != NULL
               ? RB_OK
               : workload_fault(reading, node, key, "the key is missing");
}

int workload_read_mapping(struct workload_reading *reading, const struct sweep_node *node,
                          const struct workload_keys *keys, void *into)
{
    void *outer = reading->into;
    reading->into = into;
    const int status = sweep_read_mapping(reading->document, node, keys->field, keys->count,
                                          reading, reading->error);
    reading->into = outer;
    return status;
}

int workload_read_whole(const struct workload_reading *reading, const char *key,
                        const struct sweep_node *node, int64_t least, int64_t most, int64_t *value)
{
    struct sup_error why;
    return workload_blame(reading, node, key, sup_parse_int(node->word, least, most, value, &why),
                          &why);
}

int workload_read_time(const struct workload_reading *reading, const char *key,
                       const struct sweep_node *node, double *seconds)
{
    struct sup_error why;
    return workload_blame(reading, node, key, sup_parse_seconds(node->word, seconds, &why), &why);
}

int workload_take_places(struct workload_reading *reading, const char *key,
                         const struct sweep_node *node)
{
    reading->places += reading->job->ranks;
    return reading->places <= WORKLOAD_PLACES
               ? RB_OK
               : workload_fault(reading, node, key,
                                "too many ranks in all sets and steps together");
}

static void *place(const struct workload_reading *reading, const struct sweep_field *field)
{
    return (char *)reading->into + field->at;
}

int workload_take_number(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    const struct workload_reading *reading = context;
    int64_t number = 1;
    const int status =
        workload_read_whole(reading, field->key, node, field->least,
                            field->largest > 0 ? field->largest : reading->job->ranks, &number);
    *(int32_t *)place(reading, field) = (int32_t)number;
    return status;
}

int workload_take_time(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    return workload_read_time(context, field->key, node, place(context, field));
}

int workload_take_choice(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    const char *no = field->words[0], *yes = field->words[1];
    const bool is = strcmp(node->word, yes) == 0;
    *(bool *)place(context, field) = is;
    return is || strcmp(node->word, no) == 0
               ? RB_OK
               : workload_fault(context, node, field->key, "\"%s\" is not %s%s%s", node->word, no,
                                no[0] != '\0' ? " or " : "", yes);
}

int workload_take_grid(void *context, const struct sweep_field *field,
                       const struct sweep_node *node)
{
    struct sim_grid *grid = place(context, field);
    struct sup_list list;
    int status = workload_read_numbers(context, field->key, node, RB_MAX_RANKS, &list);
    if (status == RB_OK && list.count > SIM_MOST_DIMENSIONS)
        status = workload_fault(context, node, field->key, "a grid has at most %d dimensions",
                                SIM_MOST_DIMENSIONS);
    for (size_t i = 0; status == RB_OK && i < list.count; i++)
        grid->extent[grid->dimensions++] = (int32_t)list.value[i];
    sup_list_free(&list);
    return status;
}

int workload_read_numbers(const struct workload_reading *reading, const char *key,
                          const struct sweep_node *node, int64_t most, struct sup_list *list)
{
    const struct sweep_node *item;
    struct sup_error why;
    *list = (struct sup_list){0};
    for (size_t i = 0; (item = sweep_item(node, i)) != NULL; i++) {
        struct sup_list more = {0};
        if (item->kind != SWEEP_WORD)
            return workload_fault(reading, item, key, "a list of whole numbers is required here");
        if (sup_parse_list(item->word, false, 0, most, WORKLOAD_RANKS, &more, &why) != RB_OK)
            return workload_blame(reading, item, key, RB_EINVAL, &why);
        list->value = sup_reallocarray(list->value, list->count + more.count, sizeof *more.value);
        memcpy(list->value + list->count, more.value, more.count * sizeof *more.value);
        list->count += more.count;
        sup_list_free(&more);
        if (list->count > WORKLOAD_RANKS)
            return workload_fault(reading, item, key, "more than %d numbers", WORKLOAD_RANKS);
    }
    return RB_OK;
}

int workload_read_ranks(const struct workload_reading *reading, const char *path,
                        int (*take)(void *context, const int32_t rank[2], const char *text,
                                    struct sup_error *error),
                        void *context)
{
    const struct sup_rank_lines lines = {.columns = "RANK,VALUE",
                                         .ranks = reading->job->ranks,
                                         .once = true,
                                         .take = take,
                                         .context = context};
    const int status = sup_input("values of ranks", path, reading->error);
    return status == RB_OK ? sup_rank_lines_read(path, &lines, NULL, reading->error) : status;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static int read_name(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    const struct sim_workload *workload = reading->workload;
    for (int32_t j = 0; j + 1 < workload->jobs; j++)
        if (strcmp(workload->job[j].name, node->word) == 0)
            return workload_fault(reading, node, field->key, "%s is another job's", node->word);
    free(reading->job->name);
    reading->job->name = sup_strdup(node->word);
    return RB_OK;
}

static int read_ranks(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    int64_t ranks = 1;
    const int status = workload_read_whole(reading, field->key, node, 1, INT32_MAX, &ranks);
    if (status != RB_OK)
        return status;
    if (ranks > WORKLOAD_RANKS - reading->ranks)
        return workload_fault(reading, node, field->key, "the jobs together have more than %d",
                              WORKLOAD_RANKS);
    reading->ranks += (int32_t)ranks;
    reading->job->ranks = (int32_t)ranks;
    reading->places += ranks;
    sim_add_world(reading->job);
    return RB_OK;
}

static int read_placement(void *context, const struct sweep_field *field,
                          const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sup_error why;
    const int status = sim_placement_parse(node->word, &reading->job->placement, &why);
    return !reading->job->placement.search
               ? workload_blame(reading, node, field->key, status, &why)
               : workload_fault(reading, node, field->key,
                                "a search is for one plan, not for a workload");
}

static int read_hosts(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sim_job *job = reading->job;
    struct sup_list list;
    int status = workload_read_numbers(reading, field->key, node, RB_MAX_RANKS, &list);
    job->hosts = (job->ranks - 1) / job->ppn + 1;
    if (status == RB_OK && (int64_t)list.count < job->hosts)
        status = workload_fault(reading, node, field->key,
                                "%zu of them, and %" PRId32 " ranks need %" PRId32, list.count,
                                job->ranks, job->hosts);
    job->host = sup_reallocarray(NULL, list.count + 1, sizeof *job->host);
    job->hosts = (int32_t)list.count;
    for (size_t i = 0; i < list.count; i++)
        job->host[i] = (int32_t)list.value[i];
    reading->part->hosts = node;
    sup_list_free(&list);
    return status;
}

static int read_repetitions(void *context, const struct sweep_field *field,
                            const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    const int status =
        workload_read_whole(reading, field->key, node, 1, INT64_MAX, &reading->repetitions);
    return status != RB_OK || !reading->job->until_others
               ? status
               : workload_fault(reading, node, field->key,
                                "the job repeats its program until others end");
}

static int read_progress(void *context, const struct sweep_field *field,
                         const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    reading->job->waits = strcmp(node->word, "waits") == 0;
    reading->job->calls = reading->job->waits || strcmp(node->word, "calls") == 0;
    return reading->job->calls || strcmp(node->word, "thread") == 0
               ? RB_OK
               : workload_fault(reading, node, field->key, "\"%s\" is not thread, calls or waits",
                                node->word);
}

static int keep_program(void *context, const struct sweep_field *field,
                        const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    *(strcmp(field->key, "graph") == 0     ? &reading->graph
      : strcmp(field->key, "program") == 0 ? &reading->program
                                           : &reading->collectives) = node;
    return RB_OK;
}

static int read_speed(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sup_error why;
    int status = sup_parse_real(node->word, &reading->speed, &why);
    if (status == RB_OK && !(reading->speed >= 0))
        status = sup_fail(&why, RB_EINVAL, "\"%s\" is below 0", node->word);
    return workload_blame(reading, node, field->key, status, &why);
}

static const struct sweep_field job_fields[] = {
    {"name", SWEEP_ONE, 64, read_name, "what tables call it", .fallback = "`job 1`, `job 2`, …"},
    {"ranks", SWEEP_ONE, 40, read_ranks, "how many", .fallback = "required"},
    {"ppn", SWEEP_ONE, 40, workload_take_number, "ranks per host", "`1`",
     .at = offsetof(struct sim_job, ppn), .least = 1, .largest = RB_MAX_RANKS},
    {"copies", SWEEP_ONE, 40, NULL, "how many such jobs there are; `0`: none", .fallback = "`1`"},
    {"placement", SWEEP_ONE, 1000, read_placement,
     "of the ranks on the job's hosts: `block`, `cyclic`, `gray`, `random:SEED`, `file:NAME`",
     .fallback = "`block`"},
    {"hosts", SWEEP_SOME, 100000, read_hosts,
     "hosts of its own, by number from 0: `0..63`, or `[0..31, 64..95]`",
     .fallback = "of the allocation"},
    {"start", SWEEP_ONE, 40, workload_take_time, "when the job begins", "`0`",
     .at = offsetof(struct sim_job, start_s)},
    {"until", SWEEP_ONE, 40, workload_take_choice,
     "`others`: the program is repeated until all other jobs have ended", "its end",
     .at = offsetof(struct sim_job, until_others), .words = {"", "others"}},
    {"repetitions", SWEEP_ONE, 40, read_repetitions, "how often the program is done",
     .fallback = "`1`"},
    {"progress", SWEEP_ONE, 40, read_progress,
     "`thread`: what is started goes on by itself; `calls`: not while its rank computes; `waits`: "
     "only while its rank waits for something",
     .fallback = "`thread`"},
    {"communicators", SWEEP_ANY, 0, workload_read_sets, "sets of them by name, see below",
     .fallback = "`world`, which is there: all ranks"},
    {"program", SWEEP_ANY, 0, keep_program, "a list of steps, see below",
     .fallback = "required, or `graph`"},
    {"graph", SWEEP_ONE, 1000, keep_program,
     "in place of a program a file, in GOAL or a trace, see below", .fallback = "a program"},
    {"speed", SWEEP_ONE, 40, read_speed, "of a graph: flops per second of a rank",
     .fallback = "`0`: not known"},
    {"collectives", SWEEP_ANY, 0, keep_program,
     "of a graph: keys of its collectives, such as `{bcast: {algorithm: chain}}`",
     .fallback = "the usual ones"},
};
static const struct workload_keys job_keys = {"job", job_fields,
                                              sizeof job_fields / sizeof *job_fields};

static int read_job(struct workload_reading *reading, const struct sweep_node *node)
{
    struct sim_workload *workload = reading->workload;
    struct workload_file *file = reading->file;
    sup_grow(&workload->job, (size_t)workload->jobs, sizeof *workload->job);
    sup_grow(&file->part, (size_t)file->parts, sizeof *file->part);
    reading->part = &file->part[file->parts++];
    *reading->part = (struct workload_part){.node = node};
    reading->job = &workload->job[workload->jobs++];
    *reading->job = (struct sim_job){.name = sup_format("job %" PRId32, workload->jobs),
                                     .ppn = 1,
                                     .placement = {.rule = SIM_BLOCK},
                                     .streams = 1};
    reading->repetitions = 1;
    reading->graph = reading->collectives = NULL;
    reading->speed = 0;
    static const char *const of_graph[] = {"speed", "collectives"};
    const struct sweep_node *graph = sweep_member(node, "graph");
    int status = workload_require(reading, node, "ranks");
    if (status == RB_OK && graph == NULL)
        status = workload_require(reading, node, "program");
    else if (status == RB_OK && sweep_member(node, "program") != NULL)
        status = workload_fault(reading, graph, "graph", "in place of a program, not beside it");
    for (int i = 0; i < 2 && status == RB_OK && graph == NULL; i++)
        if (sweep_member(node, of_graph[i]) != NULL)
            status = workload_fault(reading, sweep_member(node, of_graph[i]), of_graph[i],
                                    "of a graph, and the job has a program");
    if (status == RB_OK)
        status = workload_read_mapping(reading, node, &job_keys, reading->job);
    if (status == RB_OK && reading->job->host == NULL)
        reading->job->hosts = (reading->job->ranks - 1) / reading->job->ppn + 1;
    if (status != RB_OK)
        return status;
    return reading->graph != NULL ? workload_read_graph(reading, reading->graph)
                                  : workload_read_program(reading);
}

/* ---- The file -------------------------------------------------------------------------------- */

static int read_seed(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    return workload_read_whole(reading, field->key, node, 0, INT64_MAX, &reading->seed);
}

static int read_allocation(void *context, const struct sweep_field *field,
                           const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    struct sim_workload *workload = reading->workload;
    struct sup_error why;
    const bool interleaved = strcmp(node->word, "interleaved") == 0;
    const int status = sup_parse_random(field->key, node->word, &workload->seed, &why);
    workload->allocation = status == RB_OK ? SIM_SCATTERED
                           : interleaved   ? SIM_INTERLEAVED
                                           : SIM_CONSECUTIVE;
    if (status != RB_ENOTSUP)
        return workload_blame(reading, node, field->key, status, &why);
    return interleaved || strcmp(node->word, "consecutive") == 0
               ? RB_OK
               : workload_fault(reading, node, field->key,
                                "\"%s\" is not consecutive, interleaved or random:SEED",
                                node->word);
}

/* A job, or as many equal ones as it says. */
static int read_copies(struct workload_reading *reading, const struct sweep_node *node)
{
    const struct sweep_node *copies = sweep_member(node, "copies");
    int64_t count = 1;
    int status = copies == NULL || copies->kind != SWEEP_WORD
                     ? RB_OK
                     : workload_read_whole(reading, "copies", copies, 0,
                                           WORKLOAD_JOBS - reading->workload->jobs, &count);
    for (int64_t k = 1; k <= count && status == RB_OK; k++) {
        status = read_job(reading, node);
        if (count == 1)
            continue;
        char *name = sup_format("%s %" PRId64, reading->job->name, k);
        free(reading->job->name);
        reading->job->name = name;
    }
    return status;
}

static int read_jobs(void *context, const struct sweep_field *field, const struct sweep_node *node)
{
    struct workload_reading *reading = context;
    const struct sweep_node *item;
    reading->file->jobs = node;
    int status = sweep_check_list(reading->document, field, node, reading->error);
    for (size_t i = 0; status == RB_OK && (item = sweep_item(node, i)) != NULL; i++)
        status = read_copies(reading, item);
    return status != RB_OK || reading->workload->jobs > 0
               ? status
               : workload_fault(reading, node, field->key, "there is none");
}

static const struct sweep_field file_fields[] = {
    {"seed", SWEEP_ONE, 40, read_seed, "of all random computing times", .fallback = "`1`"},
    {"allocation", SWEEP_ONE, 40, read_allocation,
     "which hosts the jobs get: `consecutive`, one job after another; `interleaved`, one host for "
     "each job in turn; `random:SEED`",
     .fallback = "`consecutive`"},
    {"values", SWEEP_ANY, 0, NULL,
     "names and their values, for which words such as `$bytes` stand anywhere in the file; "
     "`FILE,bytes=1MiB` in place of the file's name gives other ones",
     .fallback = "none"},
    {"jobs", SWEEP_ANY, WORKLOAD_JOBS, read_jobs, "a list of jobs, or one job",
     .fallback = "required"},
};
static const struct workload_keys file_keys = {"file", file_fields,
                                               sizeof file_fields / sizeof *file_fields};

/* ---- Values ---------------------------------------------------------------------------------- */

static const char values_key[] = "values";

/* The last of this name; NULL: there is none. */
static const char *value_of(const struct workload_value value[], size_t count, const char *name)
{
    while (count-- > 0)
        if (strcmp(value[count].name, name) == 0)
            return value[count].value;
    return NULL;
}

/* A word $NAME becomes the value of that name: the caller's, or the file's own. */
static int replace_word(const struct workload_reading *reading, struct sweep_node *node,
                        const struct workload_value value[], size_t count)
{
    const char *name = node->word + 1;
    const struct sweep_node *own =
        sweep_member(sweep_member(reading->document->node[0], values_key), name);
    const char *given = value_of(value, count, name);
    if (given == NULL && (own == NULL || own->kind != SWEEP_WORD))
        return workload_fault(reading, node, NULL,
                              "%s: no value: name it under %s, or give FILE,%s=VALUE", node->word,
                              values_key, name);
    char *word = sup_strdup(given != NULL ? given : own->word);
    free(node->word);
    node->word = word;
    return RB_OK;
}

/* That what the text of the workload gives is in the file. */
static int check_value(const struct workload_reading *reading, const struct workload_value *value)
{
    const struct sweep_node *values = sweep_member(reading->document->node[0], values_key);
    if (sweep_member(values, value->name) != NULL)
        return RB_OK;
    return sweep_fault(reading->document, values != NULL ? values : reading->document->node[0],
                       values_key, reading->error, "no %s, which is given as %s", value->name,
                       value->value);
}

static int replace_words(const struct workload_reading *reading,
                         const struct workload_value value[], size_t count, size_t named)
{
    int status = RB_OK;
    for (size_t i = count - named; i < count && status == RB_OK; i++)
        status = check_value(reading, &value[i]);
    for (size_t i = 0; i < reading->document->count && status == RB_OK; i++) {
        struct sweep_node *node = reading->document->node[i];
        if (node->kind == SWEEP_WORD && node->word[0] == '$' && node->word[1] != '\0')
            status = replace_word(reading, node, value, count);
    }
    return status;
}

/* The values of "FILE,NAME=VALUE,...", behind those that are there; cuts them off the text. */
static void split_text(char *text, struct workload_value **value, size_t *count)
{
    for (char *comma; (comma = strrchr(text, ',')) != NULL;) {
        char *equals = strchr(comma, '=');
        if (equals == NULL || equals == comma + 1)
            return;
        *comma = *equals = '\0';
        sup_grow(value, *count, sizeof **value);
        (*value)[(*count)++] = (struct workload_value){comma + 1, equals + 1};
    }
}

/* ---- All jobs together ----------------------------------------------------------------------- */

/* No host is in two jobs, or twice in one. */
static int check_hosts(const struct workload_reading *reading)
{
    const struct sim_job *job = reading->workload->job;
    int64_t *owned = NULL; /* host and job */
    size_t count = 0;
    int status = RB_OK;
    for (int32_t j = 0; j < reading->workload->jobs; j++)
        for (int32_t i = 0; job[j].host != NULL && i < job[j].hosts; i++) {
            sup_grow(&owned, count, sizeof *owned);
            owned[count++] = (int64_t)job[j].host[i] * WORKLOAD_JOBS + j;
        }
    if (count > 0)
        qsort(owned, count, sizeof *owned, workload_by_number);
    for (size_t i = 1; i < count && status == RB_OK; i++) {
        const int64_t host = owned[i] / WORKLOAD_JOBS, other = owned[i - 1] % WORKLOAD_JOBS;
        const bool twice = owned[i] == owned[i - 1];
        if (owned[i - 1] / WORKLOAD_JOBS == host)
            status = workload_fault(reading, reading->file->part[owned[i] % WORKLOAD_JOBS].hosts,
                                    "hosts", "host %" PRId64 " is %s%s%s", host,
                                    twice ? "given twice" : "also ", twice ? "" : job[other].name,
                                    twice ? "" : "'s");
    }
    free(owned);
    return status;
}

static int check_until(const struct workload_reading *reading)
{
    const struct sim_workload *workload = reading->workload;
    for (int32_t j = 0; j < workload->jobs; j++)
        if (!workload->job[j].until_others)
            return RB_OK;
    return workload_fault(reading,
                          sweep_member(reading->file->part[workload->jobs - 1].node, "until"),
                          "until", "others, but every job is");
}

static void forget(void *context)
{
    struct workload_file *file = context;
    for (int32_t j = 0; j < file->parts; j++) {
        free(file->part[j].host);
        for (int32_t i = 0; i < file->part[j].steps; i++)
            workload_free_step(&file->part[j].step[i]);
        free(file->part[j].step);
    }
    free(file->part);
    sweep_document_free(&file->document);
    out_verdict_free(&file->said);
    free(file->path);
    free(file);
}

/* The file's own text, or what a source makes of it, unless it is there. */
static int read_text(struct workload_file *file, struct sup_error *error)
{
    static const struct workload_wishes as_it_was;
    struct sweep_document *document = &file->document;
    document->file = file->path;
    if (document->text != NULL)
        return RB_OK;
    int status = sup_input("workload", file->path, error);
    if (status != RB_OK)
        return status;
    const struct workload_source *source = workload_source_of(file->path);
    if (source == NULL)
        return sweep_document_read(document, file->path, "a workload", error);
    struct workload_told told = {0};
    status = workload_source_text(source, file->path, &as_it_was, &document->text, &document->size,
                                  &told, error);
    file->said = told.said;
    told.said = (struct out_verdict){0};
    workload_told_free(&told);
    return status;
}

static int read_all(struct workload_reading *reading, const struct workload_value value[],
                    size_t count, size_t named)
{
    struct workload_file *file = reading->file;
    struct sim_workload *workload = reading->workload;
    int status = read_text(file, reading->error);
    if (status == RB_OK)
        status = sweep_document_parse(&file->document, reading->error);
    if (status == RB_OK)
        status = replace_words(reading, value, count, named);
    if (status == RB_OK)
        status = workload_require(reading, file->document.node[0], "jobs");
    if (status == RB_OK)
        status = workload_read_mapping(reading, file->document.node[0], &file_keys, reading);
    for (int32_t j = 0; j < workload->jobs; j++)
        file->part[j].job = &workload->job[j];
    if (status == RB_OK)
        status = check_hosts(reading);
    return status == RB_OK ? check_until(reading) : status;
}

static int read(const char *text, struct sweep_document document,
                const struct workload_value value[], size_t count, struct sim_workload *workload,
                struct sup_error *error)
{
    struct workload_file *file = sup_calloc(1, sizeof *file);
    struct workload_reading reading = {
        .workload = workload, .file = file, .document = &file->document, .error = error, .seed = 1};
    struct workload_value *values = NULL;
    size_t all = 0;
    file->path = sup_strdup(text);
    file->document = document;
    *workload =
        (struct sim_workload){.plan_of = workload_plan_of, .forget = forget, .context = file};
    for (; all < count; all++) {
        sup_grow(&values, all, sizeof *values);
        values[all] = value[all];
    }
    split_text(file->path, &values, &all);
    const int status = read_all(&reading, values, all, all - count);
    free(values);
    return status;
}

int workload_read_with(const char *text, const struct workload_value value[], size_t count,
                       struct sim_workload *workload, struct sup_error *error)
{
    return read(text, (struct sweep_document){0}, value, count, workload, error);
}

int workload_read_text(const char *name, char *text, size_t size, struct sim_workload *workload,
                       struct sup_error *error)
{
    return read(name, (struct sweep_document){.text = text, .size = size}, NULL, 0, workload,
                error);
}

int workload_read(const char *text, struct sim_workload *workload, struct sup_error *error)
{
    return workload_read_with(text, NULL, 0, workload, error);
}

const struct out_verdict *workload_said(const struct sim_workload *workload)
{
    return &((const struct workload_file *)workload->context)->said;
}

uint64_t workload_hash(const struct sim_workload *workload)
{
    const struct workload_file *file = workload->context;
    return sup_hash_bytes(SUP_HASH_START, file->document.text, file->document.size);
}

/* ---- Documentation --------------------------------------------------------------------------- */

const struct workload_keys *workload_keys_at(int32_t i)
{
    static const struct workload_keys *const keys[] = {
        &file_keys,
        &job_keys,
        &workload_set_keys,
        &workload_step_keys,
        &workload_duration_keys,
        &workload_move_keys,
        &workload_pattern_keys,
    };
    return i >= 0 && i < (int32_t)(sizeof keys / sizeof *keys) ? keys[i] : NULL;
}
