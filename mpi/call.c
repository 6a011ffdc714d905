/* call.c - see call.h. Keeps the process's counts and report. */
#include "call.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

#include "roundabout-mpi.h"

static atomic_llong fallbacks[RB_CALLS];

static bool recording; /* constant while there are calls */
static mtx_t report_lock;
static struct rb_report report;

/* ---- Recording ------------------------------------------------------------------------------- */

int rb_record_start(void)
{
    if (!recording && mtx_init(&report_lock, mtx_plain) != thrd_success)
        return MPI_ERR_NO_MEM;
    recording = true;
    return MPI_SUCCESS;
}

const struct rb_report *rb_recorded(void)
{
    return &report;
}

/* A report that finds no memory lacks rows; the call is not to blame. */
static void record(struct rb_call *call)
{
    if (!recording)
        return;
    call->event.time_s = PMPI_Wtime() - call->event.time_s;
    mtx_lock(&report_lock);
    rb_report_add(&report, &call->event);
    mtx_unlock(&report_lock);
}

struct rb_call rb_call_of(enum rb_which which)
{
    return (struct rb_call){.which = which,
                            .event = {.collective = rb_which_name(which),
                                      .bytes = -1,
                                      .reason = RB_ARGUMENT,
                                      .time_s = recording ? PMPI_Wtime() : 0}};
}

long long RB_Fallbacks(const char *collective)
{
    long long all = 0;
    if (collective != NULL) {
        const int which = rb_which_of(collective);
        return which < 0 ? -1 : atomic_load(&fallbacks[which]);
    }
    for (int i = 0; i < RB_CALLS; i++)
        all += atomic_load(&fallbacks[i]);
    return all;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

bool rb_call_is_plain(struct rb_call *call, MPI_Comm comm, int count, MPI_Datatype type)
{
    int inter;
    if (rb_communicators_ended()) {
        call->event.reason = RB_ENDING;
        return false;
    }
    if (comm == MPI_COMM_NULL || count < 0 || type == MPI_DATATYPE_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    if (inter)
        call->event.reason = RB_INTER;
    return !inter;
}

int rb_call_begin(struct rb_call *call, MPI_Comm comm)
{
    const int error = rb_communicator_of(comm, &call->communicator);
    if (error == MPI_SUCCESS)
        call->event.p = call->communicator->p;
    return error;
}

/* NULL: neither a choice nor the decision file says anything. */
static int setting_of(struct rb_call *call, const struct rb_situation *situation,
                      const struct rb_setting **setting)
{
    *setting = rb_settings_chosen(call->which);
    if (*setting != NULL || rb_settings_decisions() == NULL)
        return MPI_SUCCESS;
    struct rb_decision_row *row = &call->communicator->decisions[call->which][situation->irregular];
    if (!row->known && rb_decision_row_make(rb_settings_decisions(), situation, row) != RB_OK)
        return MPI_ERR_NO_MEM;
    *setting = rb_decision_row_find(row, situation->bytes);
    return MPI_SUCCESS;
}

/* RB_EINVAL: the choice can't serve. */
static int plan_as(struct rb_call *call, const struct rb_choice *choice, int root,
                   const struct rb_situation *situation)
{
    const struct rb_plan_key key = {.algorithm = choice->algorithm,
                                    .root = root,
                                    .ordered = situation->ordered,
                                    .n = choice->n,
                                    .radix = choice->radix};
    int status = rb_plan_cache_get(&call->communicator->plans, &key, &call->cached);
    if (status == RB_OK && situation->direct && rb_plan_has(call->cached->plan, RB_TMP))
        status = RB_EINVAL;
    if (status != RB_OK) {
        call->cached = NULL;
        return status;
    }
    call->width = choice->width;
    call->event.algorithm = choice->algorithm;
    call->event.n = choice->n;
    call->event.width = choice->width;
    call->event.reason = RB_BY_PLAN;
    return RB_OK;
}

int rb_call_plan(struct rb_call *call, int root, const struct rb_situation *situation)
{
    static const struct rb_setting by_rule;
    struct rb_situation here = *situation;
    const struct rb_setting *setting;
    here.collective = rb_which_name(call->which);
    here.p = call->communicator->p;
    call->event.bytes = here.bytes;
    int error = rb_settings_error(call->which);
    if (error == MPI_SUCCESS)
        error = setting_of(call, &here, &setting);
    if (error != MPI_SUCCESS || root < 0 || root >= here.p)
        return error;
    call->event.reason = here.ordered ? RB_OPERATOR : RB_UNSERVED;
    struct rb_choice choice = rb_choose(setting != NULL ? setting : &by_rule, &here);
    if (choice.algorithm == NULL) {
        call->event.reason = RB_NATIVE;
        return MPI_SUCCESS;
    }
    int status = plan_as(call, &choice, root, &here);
    if (status == RB_EINVAL && setting != NULL && setting != rb_settings_chosen(call->which)) {
        choice = rb_choose(&by_rule, &here); /* a decision is for what it can serve */
        status = plan_as(call, &choice, root, &here);
    }
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

int rb_call_left(struct rb_call *call, int error)
{
    atomic_fetch_add_explicit(&fallbacks[call->which], 1, memory_order_relaxed);
    record(call);
    return error;
}

int rb_call_end(struct rb_call *call, MPI_Comm comm, int error)
{
    record(call);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, error);
    return error;
}
