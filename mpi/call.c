/* call.c - see call.h. Keeps the process's settings and counts. */
#include "call.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "roundabout-mpi.h"

static const char *const collective_name[RB_CALLS] = {"bcast",          "reduce",    "allgather",
                                                      "reduce-scatter", "allreduce", "alltoall"};
static const char *const variable[RB_CALLS] = {"RB_BCAST",          "RB_REDUCE",    "RB_ALLGATHER",
                                               "RB_REDUCE_SCATTER", "RB_ALLREDUCE", "RB_ALLTOALL"};

static once_flag once = ONCE_FLAG_INIT;
static struct rb_setting settings[RB_CALLS];
static int settings_error[RB_CALLS]; /* of the environment */
static atomic_llong fallbacks[RB_CALLS];

/* ---- Settings -------------------------------------------------------------------------------- */

/* A new MPI error code with this text. */
static int error_code_of(const char *text)
{
    char line[MPI_MAX_ERROR_STRING];
    int class, code;
    snprintf(line, sizeof line, "%.*s", MPI_MAX_ERROR_STRING - 1, text);
    if (MPI_Add_error_class(&class) != MPI_SUCCESS ||
        MPI_Add_error_code(class, &code) != MPI_SUCCESS ||
        MPI_Add_error_string(code, line) != MPI_SUCCESS)
        return MPI_ERR_ARG;
    return code;
}

static void read_environment(void)
{
    for (int i = 0; i < RB_CALLS; i++) {
        char why[300], text[400];
        const char *value = getenv(variable[i]);
        if (value == NULL ||
            rb_setting_parse(collective_name[i], value, &settings[i], why, sizeof why) == RB_OK)
            continue;
        snprintf(text, sizeof text, "%s: %s", variable[i], why);
        settings_error[i] = error_code_of(text);
    }
}

static int which_of(const char *collective)
{
    for (int i = 0; i < RB_CALLS; i++)
        if (strcmp(collective, collective_name[i]) == 0)
            return i;
    return -1;
}

int RB_Choose(const char *collective, const char *setting)
{
    char why[300];
    struct rb_setting parsed = {0};
    const int which = which_of(collective);
    call_once(&once, read_environment);
    if (which < 0) {
        snprintf(why, sizeof why,
                 "'%.100s' is no collective to choose for: there are bcast, reduce, allgather, "
                 "reduce-scatter, allreduce and alltoall",
                 collective);
        return error_code_of(why);
    }
    if (setting != NULL && rb_setting_parse(collective, setting, &parsed, why, sizeof why) != RB_OK)
        return error_code_of(why);
    settings[which] = parsed;
    settings_error[which] = MPI_SUCCESS;
    return MPI_SUCCESS;
}

/* ---- Fallbacks ------------------------------------------------------------------------------- */

void rb_call_fall_back(enum rb_which which)
{
    atomic_fetch_add_explicit(&fallbacks[which], 1, memory_order_relaxed);
}

long long RB_Fallbacks(const char *collective)
{
    long long all = 0;
    if (collective != NULL) {
        const int which = which_of(collective);
        return which < 0 ? -1 : atomic_load(&fallbacks[which]);
    }
    for (int i = 0; i < RB_CALLS; i++)
        all += atomic_load(&fallbacks[i]);
    return all;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

bool rb_call_is_plain(MPI_Comm comm, int count, MPI_Datatype type)
{
    int inter;
    return comm != MPI_COMM_NULL && count >= 0 && type != MPI_DATATYPE_NULL &&
           MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

int rb_call_begin(struct rb_call *call, MPI_Comm comm)
{
    *call = (struct rb_call){0};
    return rb_communicator_of(comm, &call->communicator);
}

int rb_call_plan(struct rb_call *call, enum rb_which which, int root,
                 const struct rb_situation *situation)
{
    struct rb_situation here = *situation;
    call_once(&once, read_environment);
    if (settings_error[which] != MPI_SUCCESS)
        return settings_error[which];
    here.collective = collective_name[which];
    here.p = call->communicator->p;
    const struct rb_choice choice = rb_choose(&settings[which], &here);
    const struct rb_plan_key key = {
        .algorithm = choice.algorithm, .root = root, .ordered = here.ordered, .n = choice.n};
    const int status = rb_plan_cache_get(&call->communicator->plans, &key, &call->cached);
    call->width = choice.width;
    if (status != RB_OK)
        call->cached = NULL;
    return status == RB_ENOMEM ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int rb_call_run(struct rb_call *call, struct rb_execution *run)
{
    run->plan = call->cached->plan;
    run->state = &call->cached->state;
    run->comm = call->communicator->comm;
    run->width = call->width;
    return rb_execute(call->communicator->executor, run);
}

int rb_call_end(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(comm, error);
    return error;
}
