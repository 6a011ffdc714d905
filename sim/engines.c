/* engines.c - the registry of engines, and running them where they may crash. */
#define _POSIX_C_SOURCE 200809L
#include "sim/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/engine/isolate.h"
#include "sim/simgrid/simgrid_platform.h"
#include "sim/workload/workload.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/units.h"

#define SIM_ENGINE(name) extern const struct sim_engine name;
#include "sim/list.h"
#undef SIM_ENGINE

static const struct sim_engine *const engines[] = {
#define SIM_ENGINE(name) &name,
#include "sim/list.h"
};
enum { ENGINES = sizeof engines / sizeof engines[0] };

const struct sim_engine *sim_engine_at(int32_t i)
{
    return i >= 0 && i < ENGINES ? engines[i] : NULL;
}

const struct sim_engine *sim_engine_find(const char *name)
{
    for (int32_t i = 0; i < ENGINES; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

/* True if the word is one of those of a list, "signals, actors". */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += strspn(at, ", ");
        if (length > 0 && strcspn(at, ",") == length && memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

int sim_engine_read(const char *text, const struct sim_engine **engine, const char **variant,
                    struct sup_error *error)
{
    const char *names[ENGINES], *colon = strchr(text, ':');
    char hint[SUP_HINT_SIZE];
    char *name = sup_strndup(text, strcspn(text, ":"));
    int status = RB_OK;
    for (int32_t i = 0; i < ENGINES; i++)
        names[i] = engines[i]->name;
    *engine = sim_engine_find(name);
    *variant = colon == NULL ? NULL : colon + 1;
    if (*engine == NULL)
        status =
            sup_fail(error, RB_EINVAL, "unknown \"%s\": %s", name,
                     sup_hint(name, names, ENGINES, "roundabout list engines names them", hint));
    else if (*variant != NULL && (*engine)->variants == NULL)
        status = sup_fail(error, RB_EINVAL, "the %s engine has no variants: leave out '%s'", name,
                          *variant);
    else if (*variant != NULL && !lists((*engine)->variants, *variant))
        status = sup_fail(error, RB_EINVAL, "the %s engine has no variant '%s': there are %s", name,
                          *variant, (*engine)->variants);
    free(name);
    return status;
}

const struct sim_engine *sim_engine_of_natives(void)
{
    for (int32_t i = 0; i < ENGINES; i++)
        if (engines[i]->find_native != NULL)
            return engines[i];
    return NULL;
}

const char *sim_native_name(const char *algorithm)
{
    static const char prefix[] = "native:";
    return strncmp(algorithm, prefix, sizeof prefix - 1) == 0 ? algorithm + sizeof prefix - 1
                                                              : NULL;
}

int32_t sim_ranks(const struct sim_spec *spec)
{
    if (spec->workload != NULL)
        return sim_workload_ranks(spec->workload);
    return spec->plan != NULL ? rb_plan_ranks(spec->plan) : spec->native->p;
}

void sim_result_free(struct sim_result *result)
{
    for (int32_t i = 0; i < result->link_count; i++)
        free(result->links[i].name);
    free(result->links);
    free(result->finish_s);
    free(result->job_end_s);
    sim_contention_free(result->contention);
    free(result->host);
    free(result->host_names);
    *result = (struct sim_result){0};
}

void sim_result_take_hosts(const struct sim_spec *spec, const struct sim_hosts *hosts,
                           const int32_t host[], struct sim_result *result)
{
    const size_t p = (size_t)sim_ranks(spec);
    if (!spec->want_hosts)
        return;
    result->host = sup_malloc(p * sizeof *result->host);
    FILE *names = sup_memory_open(&result->host_names, &result->host_names_size);
    for (size_t r = 0; r < p; r++) {
        char name[256];
        fputs(hosts->name(hosts->context, host[r], name, sizeof name), names);
        fputc('\0', names);
    }
    sup_memory_close(names, &result->host_names);
    memcpy(result->host, host, p * sizeof *host);
}

/* ---- A result as bytes, from the child ------------------------------------------------------- */

/* The order: the struct, finish_s, job_end_s, contention, host, host_names, each link and its name.
 */
struct job {
    const struct sim_engine *engine;
    const struct sim_spec *spec;
    struct sim_isolate_listener listener; /* if there is an observer or a meter */
    double told_s;                        /* in the child: when it told how far it is */
    double share;                         /* in the parent: how far it was then */
};

/* A child that tells how far it is more often than this costs its parent time. */
static const double tell_every_s = 1e-3;

/* What a child tells while it runs. */
struct told {
    enum { TOLD_SHARE, TOLD_MESSAGE, TOLD_STEP } kind;
    double share;               /* for the meter */
    struct sim_message message; /* for the observer */
    struct sim_step_end step;   /* likewise */
};

/* In the child: on its way to the observer or the meter; and there, in the parent. */
static void tell_message(void *context, const struct sim_message *message)
{
    const struct job *job = context;
    const struct told told = {.kind = TOLD_MESSAGE, .message = *message};
    fwrite(&told, sizeof told, 1, job->listener.told);
}

static void tell_step(void *context, const struct sim_step_end *end)
{
    const struct job *job = context;
    const struct told told = {.kind = TOLD_STEP, .step = *end};
    fwrite(&told, sizeof told, 1, job->listener.told);
}

static void tell_share(void *context, double share)
{
    struct job *job = context;
    const struct told told = {.kind = TOLD_SHARE, .share = share};
    const double now_s = sup_clock_s();
    if (now_s - job->told_s < tell_every_s)
        return;
    job->told_s = now_s;
    fwrite(&told, sizeof told, 1, job->listener.told);
    fflush(job->listener.told); /* somebody waits for it */
}

static void tell_again(void *context)
{
    const struct job *job = context;
    if (job->spec->meter != NULL)
        job->spec->meter->tell(job->spec->meter->context, job->share);
}

static void hear(void *context, const void *record)
{
    struct job *job = context;
    const struct told *told = record;
    const struct sim_observer *observer = job->spec->observer;
    switch (told->kind) {
    case TOLD_SHARE:
        job->share = told->share;
        tell_again(job);
        break;
    case TOLD_MESSAGE:
        observer->message(observer->context, &told->message);
        break;
    case TOLD_STEP:
        observer->step(observer->context, &told->step);
        break;
    }
}

/* The engine's work in this process, with the memory that it took. */
static int simulate(const struct sim_engine *engine, const struct sim_spec *spec,
                    struct sim_result *result, struct sup_error *error)
{
    struct rusage usage;
    int status = engine->simulate(spec, result, error);
    if (status == RB_OK && spec->want_hosts && !result->host)
        status = sup_fail(error, RB_EINVAL, "the %s engine doesn't say on which hosts ranks are",
                          engine->name);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        result->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    if (status != RB_OK)
        sim_result_free(result);
    return status;
}

static int simulate_and_write(void *context, FILE *reply, struct sup_error *error)
{
    struct job *job = context;
    struct sim_spec spec = *job->spec;
    const struct sim_observer *wanted = spec.observer;
    const struct sim_observer teller = {
        .message = wanted != NULL && wanted->message != NULL ? tell_message : NULL,
        .step = wanted != NULL && wanted->step != NULL ? tell_step : NULL,
        .context = job};
    const struct sim_meter meter = {tell_share, job};
    if (spec.observer)
        spec.observer = &teller;
    if (spec.meter)
        spec.meter = &meter;
    struct sim_result result = {0};
    int status = simulate(job->engine, &spec, &result, error);
    if (status != RB_OK)
        return status;
    fwrite(&result, sizeof result, 1, reply);
    if (result.finish_s)
        fwrite(result.finish_s, sizeof(double), (size_t)sim_ranks(job->spec), reply);
    if (result.job_end_s)
        fwrite(result.job_end_s, sizeof(double), (size_t)result.jobs, reply);
    if (result.contention)
        sim_contention_write(result.contention, reply);
    if (result.host) {
        fwrite(result.host, sizeof(int32_t), (size_t)sim_ranks(job->spec), reply);
        fwrite(result.host_names, 1, result.host_names_size, reply);
    }
    for (int32_t i = 0; i < result.link_count; i++) {
        fwrite(&result.links[i], sizeof result.links[i], 1, reply);
        fwrite(result.links[i].name, strlen(result.links[i].name) + 1, 1, reply);
    }
    if (ferror(reply))
        status = sup_fail(error, RB_ENOMEM, "out of memory for the result");
    sim_result_free(&result);
    return status;
}

static void read_links(const char *reply, struct sim_result *result)
{
    result->links = sup_malloc(((size_t)result->link_count + 1) * sizeof *result->links);
    for (int32_t i = 0; i < result->link_count; i++) {
        struct sim_link *link = &result->links[i];
        memcpy(link, reply, sizeof *link);
        reply += sizeof *link;
        link->name = sup_strdup(reply);
        reply += strlen(reply) + 1;
    }
}

/* A copy of the next `size` bytes of the reply. */
static void *read_part(const char **reply, size_t size)
{
    void *part = sup_malloc(size + 1);
    memcpy(part, *reply, size);
    *reply += size;
    return part;
}

/* The child's pointers say only which parts there are. */
static void read_result(const char *reply, int32_t p, struct sim_result *result)
{
    memcpy(result, reply, sizeof *result);
    reply += sizeof *result;
    if (result->finish_s)
        result->finish_s = read_part(&reply, (size_t)p * sizeof *result->finish_s);
    if (result->job_end_s)
        result->job_end_s = read_part(&reply, (size_t)result->jobs * sizeof *result->job_end_s);
    if (result->contention)
        result->contention = sim_contention_read(&reply);
    if (result->host) {
        result->host = read_part(&reply, (size_t)p * sizeof *result->host);
        result->host_names = read_part(&reply, result->host_names_size);
    }
    if (result->links)
        read_links(reply, result);
}

int sim_run(const struct sim_engine *engine, const struct sim_spec *spec, struct sim_result *result,
            struct sup_error *error)
{
    *result = (struct sim_result){0};
    if (spec->workload != NULL && !engine->walks)
        return sup_fail(error, RB_EINVAL,
                        "the %s engine doesn't run workloads: flow, simgrid and model do",
                        engine->name);
    if (spec->workload == NULL && !spec->plan && !engine->find_native)
        return sup_fail(error, RB_EINVAL, "the %s engine runs only plans, and native:%s has none",
                        engine->name, spec->native->algorithm);
    if (spec->observer != NULL && !engine->observes)
        return sup_fail(error, RB_EINVAL, "the %s engine doesn't report single messages",
                        engine->name);
    if (spec->want_contention && !engine->measures_links)
        return sup_fail(error, RB_EINVAL,
                        "the %s engine doesn't know how busy links are at what time", engine->name);
    if (engine->needs_process == NULL || !engine->needs_process(spec))
        return simulate(engine, spec, result, error);
    int status = s4u_ready(error);
    if (status != RB_OK)
        return status;
    struct job job = {engine, spec, .listener = {.record_size = sizeof(struct told)}};
    job.listener.hear = hear;
    job.listener.idle = spec->meter != NULL ? tell_again : NULL;
    job.listener.context = &job;
    char *reply;
    size_t size;
    status = sim_isolate_listening(engine->title, simulate_and_write, &job,
                                   spec->observer || spec->meter ? &job.listener : NULL, &reply,
                                   &size, error);
    if (status)
        return status;
    read_result(reply, sim_ranks(spec), result);
    free(reply);
    return RB_OK;
}
