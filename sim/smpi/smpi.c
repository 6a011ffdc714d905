/* smpi.c - the engine `smpi`: options, platform, placement, result. */
#define _POSIX_C_SOURCE 200809L

#include "smpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/isolate.h"
#include "sim/engine/tally.h"
#include "sim/network/links.h"
#include "sim/network/place.h"
#include "sim/simgrid/simgrid.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/units.h"

/* ---- The names of SMPI's own algorithms, which SMPI itself provides -------------------------- */

enum { MOST_NAMES = 64 };

/* NULL: irregular counts give no choice. */
static const struct {
    const char *ours, *regular, *irregular;
} names[] = {
    {"bcast", "bcast", "bcast"},
    {"reduce", "reduce", "reduce"},
    {"allgather", "allgather", "allgatherv"},
    {"reduce-scatter", "reduce_scatter", "reduce_scatter"},
    {"allreduce", "allreduce", "allreduce"},
    {"scatter", "scatter", NULL},
    {"gather", "gather", NULL},
    {"alltoall", "alltoall", "alltoallv"},
};

/* These choose for every collective, also for those that another is made of. */
static const char *const selectors[] = {"default", "ompi", "mpich", "mvapich2", "impi"};

static bool is_selector(const char *name)
{
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
        if (strcmp(selectors[i], name) == 0)
            return true;
    return false;
}

static const char *name_of(const struct rb_collective_info *collective, bool irregular)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].ours, collective->name) == 0)
            return irregular ? names[i].irregular : names[i].regular;
    return NULL;
}

static int native_option(const struct sim_native *native, bool irregular, char *option, size_t size,
                         struct sup_error *error)
{
    const char *what = name_of(native->collective, irregular);
    if (what == NULL)
        return sup_fail(error, RB_EINVAL,
                        "native:%s: SMPI has no choice of %s for counts other than regular",
                        native->algorithm, native->collective->name);
    if (is_selector(native->algorithm))
        what = "coll-selector";
    snprintf(option, size, "smpi/%s:%s", what, native->algorithm);
    return RB_OK;
}

static int try_option(void *context, FILE *reply, struct sup_error *error)
{
    (void)reply;
    (void)error;
    simmpi_try_option(context);
    return RB_OK;
}

/* RB_EINVAL: the nearest of the names in SMPI's complaint "... Valid algorithms: a, b, c.". */
static int no_such_name(const struct rb_collective_info *collective, const char *name,
                        char *complaint, struct sup_error *error)
{
    static const char before[] = "Valid algorithms: ";
    const char *known[MOST_NAMES], *nearest = NULL;
    size_t count = 0;
    char *list = strstr(complaint, before);
    char all[sizeof error->text];
    char *refused = list != NULL ? strstr(list, ", automatic") : NULL;
    if (refused != NULL) /* the last of them */
        *refused = '\0';
    snprintf(all, sizeof all, "%s", list != NULL ? list + sizeof before - 1 : complaint);
    if (list != NULL) {
        for (char *word = strtok(list + sizeof before - 1, ", ."); word && count < MOST_NAMES;
             word = strtok(NULL, ", ."))
            known[count++] = word;
        nearest = sup_nearest_word(name, known, count);
    }
    if (nearest != NULL)
        return sup_fail(error, RB_EINVAL,
                        "SMPI has no %s \"%s\" of its own; did you mean native:%s?",
                        collective->name, name, nearest);
    return sup_fail(error, RB_EINVAL, "SMPI has no %s \"%s\" of its own; it has %s",
                    collective->name, name, all);
}

int simmpi_find_native(const struct rb_collective_info *collective, const char *name,
                       struct sup_error *error)
{
    if (name_of(collective, false) == NULL)
        return sup_fail(error, RB_EINVAL, "native:%s: no %s of SMPI's own is known here", name,
                        collective->name);
    if (strcmp(name, "automatic") == 0)
        return sup_fail(error, RB_EINVAL,
                        "native:automatic ends in a deadlock, since SMPI tries its algorithms one "
                        "after the other; name one");
    char option[128], *reply;
    size_t size;
    struct sup_error why;
    snprintf(option, sizeof option, "smpi/%s:%s", name_of(collective, false), name);
    int status = sim_isolate("SMPI", try_option, option, &reply, &size, &why);
    if (status == RB_OK) {
        free(reply);
        return RB_OK;
    }
    sup_had_memory(status != RB_ENOMEM);
    return no_such_name(collective, name, why.text, error);
}

/* ---- The engine ------------------------------------------------------------------------------ */

/* docs/smpi.md says why each is set. */
static const char *const own_options[] = {
    "smpi/simulate-computation:no", "smpi/send-is-detached-thresh:0",
    "smpi/async-small-thresh:0",    "smpi/test:0",
    "contexts/stack-size:1024",
};
enum { OWN_OPTIONS = sizeof own_options / sizeof own_options[0] };

static int check_request(const struct sim_spec *spec, struct sup_error *error)
{
    if (spec->variant != NULL)
        return sup_fail(error, RB_EINVAL, "the smpi engine has no variants, and '%s' is none",
                        spec->variant);
    if (spec->overlap.rule == SIM_LOCKSTEP)
        return sup_fail(error, RB_EINVAL,
                        "the smpi engine has no lockstep, because MPI's ranks don't wait for each "
                        "other between rounds: use blocking, window:W or data");
    if (spec->want_links > 0)
        return sup_fail(error, RB_EINVAL,
                        "the smpi engine doesn't count what links carry; the engine simgrid does");
    return RB_OK;
}

/* Our options, the native algorithm's, then those of the request, so that these win. */
static int load(const struct sim_spec *spec, struct s4u_platform **platform,
                struct sup_error *error)
{
    char native[128];
    int32_t count = OWN_OPTIONS;
    if (spec->native != NULL) {
        int status =
            native_option(spec->native, spec->layout->first != NULL, native, sizeof native, error);
        if (status != RB_OK)
            return status;
    }
    const char **options =
        sup_malloc((size_t)(OWN_OPTIONS + 1 + spec->option_count) * sizeof *options);
    for (int32_t i = 0; i < OWN_OPTIONS; i++)
        options[i] = own_options[i];
    if (spec->native != NULL)
        options[count++] = native;
    const int32_t own = count;
    for (int32_t i = 0; i < spec->option_count; i++)
        options[count++] = spec->options[i];
    simmpi_declare_options();
    int status = s4u_platform_load(
        spec->platform, &(struct s4u_options){options, own, count, spec->ppn > 1}, platform, error);
    free(options);
    return status;
}

static int take(const struct simmpi_run *run, struct sim_result *result, struct sup_error *error)
{
    result->rounds = run->spec->plan != NULL ? rb_plan_rounds(run->spec->plan) : 0;
    result->messages = run->messages;
    for (int32_t r = 0; r < sim_ranks(run->spec); r++)
        if (run->finish_s[r] > result->time_s)
            result->time_s = run->finish_s[r];
    return sim_tally_take(run->bytes, run->spec->layout, &result->bytes, error);
}

static int run_loaded(const struct sim_spec *spec, struct s4u_platform *platform,
                      struct sim_result *result, struct sup_error *error)
{
    const int32_t p = sim_ranks(spec);
    int32_t *host = sup_malloc((size_t)p * sizeof *host);
    double *finish_s = sup_calloc((size_t)p, sizeof *finish_s);
    struct simmpi_run run = {
        .spec = spec,
        .collective =
            spec->plan != NULL ? rb_plan_collective(spec->plan) : spec->native->collective,
        .platform = platform,
        .host = host,
        .finish_s = finish_s,
    };
    struct platform_network *network = s4u_network_create(platform);
    result->hosts = s4u_host_count(platform);
    int status = net_place(spec, network, host, result, error);
    if (status == RB_OK)
        status = net_describe(spec, network, host, result, error);
    if (status == RB_OK)
        status = simmpi_data_init(&run, error);
    if (status != RB_OK)
        goto done;
    if (spec->meter != NULL && spec->plan != NULL)
        run.expected = sim_plan_messages(spec->plan);
    double started = sup_clock_s();
    status = simmpi_run_ranks(&run, error);
    result->wall_s = sup_clock_s() - started;
    if (status != RB_OK)
        goto done;
    if (status == RB_OK)
        status = take(&run, result, error);
    if (spec->want_finish) {
        result->finish_s = finish_s;
        finish_s = NULL;
    }
done:
    simmpi_data_free(&run);
    platform_network_destroy(network);
    free(finish_s);
    free(host);
    return status;
}

int simmpi_simulate(const struct sim_spec *spec, struct sim_result *result, struct sup_error *error)
{
    struct s4u_platform *platform = NULL;
    int status = check_request(spec, error);
    if (status != RB_OK)
        return status;
    double started = sup_clock_s();
    status = load(spec, &platform, error);
    result->load_s = sup_clock_s() - started;
    if (status == RB_OK)
        status = run_loaded(spec, platform, result, error);
    /* SimGrid can't be started again: the process ends. */
    return status;
}
