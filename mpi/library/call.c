/* call.c - see call.h. Keeps the process's counts and report, and has the functions of
 * roundabout-mpi.h. */
#include "call.h"

#include <string.h>
#include <threads.h>

#include "arguments.h"
#include "roundabout-mpi.h"

static bool recording; /* constant while there are calls */
static mtx_t report_lock;
static struct report report;

/* ---- Recording ------------------------------------------------------------------------------- */

int lib_record_start(void)
{
    if (!recording && mtx_init(&report_lock, mtx_plain) != thrd_success)
        return MPI_ERR_NO_MEM;
    recording = true;
    return MPI_SUCCESS;
}

const struct report *lib_recorded(void)
{
    return &report;
}

thread_local struct lib_served lib_last_served;

/* Without memory the report lacks a row; the call itself succeeds. */
static void record(struct lib_call *call)
{
    lib_last_served = (struct lib_served){call->event.algorithm, (int32_t)call->event.n};
    if (!recording)
        return;
    call->event.time_s = PMPI_Wtime() - call->event.time_s;
    mtx_lock(&report_lock);
    report_add(&report, &call->event);
    mtx_unlock(&report_lock);
}

struct lib_call lib_call_of(const struct lib_shortcut_key *key)
{
    return (struct lib_call){.which = key->which,
                             .key = key,
                             .event = {.collective = lib_function_name(key->which),
                                       .bytes = -1,
                                       .reason = REPORT_ARGUMENT,
                                       .time_s = recording ? PMPI_Wtime() : 0}};
}

long long RB_Fallbacks(const char *collective)
{
    long long all = 0;
    if (collective != NULL) {
        const int which = lib_function_of(collective);
        return which < 0 ? -1 : lib_left((enum lib_function)which);
    }
    for (int i = 0; i < LIB_CALLS; i++)
        all += lib_left((enum lib_function)i);
    return all;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

bool lib_call_is_plain(struct lib_call *call, MPI_Comm comm, int count, MPI_Datatype type)
{
    int inter;
    if (lib_communicators_ended()) {
        call->event.reason = REPORT_ENDING;
        return false;
    }
    if (comm == MPI_COMM_NULL || count < 0 || type == MPI_DATATYPE_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    if (inter)
        call->event.reason = REPORT_INTER;
    return !inter;
}

bool lib_call_are_plain(struct lib_call *call, const struct lib_arguments *given)
{
    return lib_call_is_plain(call, given->comm, given->recvcount, given->recvtype) &&
           (given->sendbuf == MPI_IN_PLACE ||
            lib_call_is_plain(call, given->comm, given->sendcount, given->sendtype));
}

int lib_call_begin(struct lib_call *call, MPI_Comm comm)
{
    const int error = lib_communicator_of(comm, &call->communicator);
    if (error == MPI_SUCCESS)
        call->event.p = call->communicator->p;
    return error;
}

/* NULL: neither a setting nor the decision file applies. */
static int setting_of(struct lib_call *call, const struct choice_situation *situation,
                      const struct choice_setting **setting)
{
    *setting = lib_settings_chosen(call->which);
    if (*setting != NULL || lib_settings_decisions() == NULL)
        return MPI_SUCCESS;
    struct choice_decision_row *row =
        &call->communicator->decisions[call->which][situation->irregular];
    if (!row->known && choice_decision_row_make(lib_settings_decisions(), situation, row) != RB_OK)
        return MPI_ERR_NO_MEM;
    *setting = choice_decision_row_find(row, situation->bytes);
    if (*setting != NULL && (*setting)->learned && situation->inexact &&
        lib_settings_online() != LIB_ONLINE_ROUNDING)
        *setting = NULL;
    return MPI_SUCCESS;
}

/* Finds out which ranks share hosts, for a plan by groups. Collective: all ranks of a call take
 * this path, so the communicator for messages may be made here. MPI error code. */
static int find_hosts(struct lib_call *call)
{
    struct lib_communicator *communicator = call->communicator;
    const bool is_connected = communicator->comm != MPI_COMM_NULL;
    int error = lib_communicator_connect(communicator);
    if (error == MPI_SUCCESS)
        error = lib_communicator_find_hosts(communicator);
    if (!is_connected && call->trial != NULL)
        call->trial_start_s = PMPI_Wtime();
    return error;
}

/* Chooses by a setting, or by rule (NULL). RB_EINVAL: the setting is not for these groups. For
 * other errors see call->failure. */
static int choose(struct lib_call *call, const struct choice_setting *setting, bool is_requested,
                  const struct choice_situation *situation, struct choice_result *choice)
{
    static const struct choice_setting by_rule;
    struct choice_situation here = *situation;
    if (choice_needs_groups(setting, situation)) {
        call->failure = find_hosts(call);
        if (call->failure != MPI_SUCCESS)
            return RB_EFAILED;
        if (call->communicator->groups.sizes != NULL)
            here.groups = &call->communicator->groups;
        if (setting != NULL && !is_requested && !choice_is_grouped(here.groups, here.p))
            return RB_EINVAL;
    }
    *choice = choice_make(setting != NULL ? setting : &by_rule, &here);
    call->failure = MPI_ERR_NO_MEM;
    return choice->status;
}

/* Makes the plan of a choice. RB_EINVAL: it can't serve the call. For other errors see
 * call->failure. */
static int plan_as(struct lib_call *call, const struct choice_result *choice, int root,
                   const struct choice_situation *situation)
{
    struct lib_plan_key key = {.algorithm = choice->algorithm, .plan = choice->plan};
    key.plan.root = root;
    key.plan.ordered = situation->ordered;
    call->failure = MPI_ERR_NO_MEM;
    if (choice->algorithm->groups) {
        const struct lib_hosts_order *hosts = &call->communicator->hosts;
        if (choice_needs_order(situation) && hosts->position != NULL)
            return RB_EINVAL; /* the plan's ranks are in another order */
        key.plan.groups = choice_groups_for(choice->algorithm, &call->communicator->groups);
        if (hosts->position != NULL && rb_collective_find(situation->collective)->rooted)
            key.plan.root = hosts->position[root];
    }
    int status = lib_plan_cache_get(&call->communicator->plans, &key, &call->cached);
    if (status == RB_OK && situation->direct && rb_plan_has(call->cached->plan, RB_TMP))
        status = RB_EINVAL;
    if (status != RB_OK) {
        call->cached = NULL;
        return status;
    }
    call->width = choice->width;
    call->event.algorithm = choice->algorithm;
    call->event.n = choice->plan.n;
    call->event.width = choice->width;
    call->event.reason = REPORT_BY_PLAN;
    return RB_OK;
}

/* ---- The online choice ----------------------------------------------------------------------- */

static once_flag learned_once = ONCE_FLAG_INIT;
static bool can_learn;
static mtx_t learned_lock;
static struct choice_learned learned;

static void start_learning(void)
{
    can_learn = mtx_init(&learned_lock, mtx_plain) == thrd_success;
}

const struct choice_learned *lib_learned_here(void)
{
    return &learned;
}

/* Without memory a row is missing; the call itself succeeds. */
static void learn(const struct lib_call *call)
{
    struct choice_learned_row row = {.p = call->communicator->p, .trial = *call->trial};
    if (call->communicator->rank != 0)
        return;
    snprintf(row.collective, sizeof row.collective, "%s", lib_function_name(call->which));
    call_once(&learned_once, start_learning);
    if (!can_learn)
        return;
    mtx_lock(&learned_lock);
    choice_learned_add(&learned, &row);
    mtx_unlock(&learned_lock);
}

static int count_candidates(const struct choice_situation *situation)
{
    int count = 1;
    while (choice_candidate(situation, count - 1, NULL) != NULL)
        count++;
    return count;
}

static enum report_reason reason_of(const struct choice_trial *trial)
{
    for (int i = 0; i < trial->candidates; i++)
        if (trial->tried[i].verdict != CHOICE_UNTRIED)
            return REPORT_KEPT;
    return REPORT_NOT_TRIED;
}

/* Plans the call as a candidate does it, or leaves it to the MPI library. */
static int plan_candidate(struct lib_call *call, struct choice_trial *trial, int candidate,
                          int root, const struct choice_situation *situation)
{
    while (candidate != 0) {
        struct choice_result choice;
        int status = choose(call, choice_candidate(situation, candidate - 1, NULL), false,
                            situation, &choice);
        if (status == RB_OK && !choice_suits(&call->communicator->groups, choice.algorithm))
            status = RB_EINVAL;
        if (status == RB_OK)
            status = plan_as(call, &choice, root, situation);
        if (status != RB_EINVAL)
            return status == RB_OK ? MPI_SUCCESS : call->failure;
        candidate = choice_trial_refuse(&call->communicator->trials, trial);
    }
    call->event.reason = reason_of(trial);
    return MPI_SUCCESS;
}

/* All ranks come to the same decision, because trials count calls and agree on times. Calls whose
 * size no rank knows (MPI_Alltoallv) have no trials. */
static int plan_online(struct lib_call *call, int root, const struct choice_situation *situation)
{
    const bool inexact = situation->inexact && lib_settings_online() != LIB_ONLINE_ROUNDING;
    struct choice_trial *trial = NULL;
    call->event.reason = inexact ? REPORT_INEXACT : REPORT_NOT_TRIED;
    call->stays = inexact || situation->p == 1 || situation->direct;
    if (call->stays)
        return MPI_SUCCESS;
    const struct choice_trial_key key = {.collective = (int16_t)call->which,
                                         .size_class = (int16_t)choice_size_class(situation->bytes),
                                         .irregular = situation->irregular,
                                         .ordered = situation->ordered};
    trial = choice_trials_find(&call->communicator->trials, &key);
    if (trial == NULL) {
        if (choice_trials_make(&call->communicator->trials, &key, count_candidates(situation),
                               &trial) != RB_OK)
            return MPI_ERR_NO_MEM;
        call->stays = trial == NULL;
        if (call->stays)
            return MPI_SUCCESS;
        lib_shortcuts_drop(); /* the others may have moved */
    }
    const int candidate = choice_trial_begin(trial);
    call->stays = candidate == 0;
    call->counter = trial;
    if (choice_trial_is_timed(trial)) {
        call->trial = trial;
        call->trial_start_s = PMPI_Wtime();
    }
    return plan_candidate(call, trial, candidate, root, situation);
}

/* A call that returned this error has ended. MPI error code of the agreement. */
static int end_trial(struct lib_call *call, int error)
{
    double mine[CHOICE_TRIAL_WORDS], all[CHOICE_TRIAL_WORDS];
    if (call->trial == NULL || !choice_trial_end(call->trial, PMPI_Wtime() - call->trial_start_s))
        return MPI_SUCCESS;
    choice_trial_offer(call->trial, call->event.bytes, error != MPI_SUCCESS, mine);
    const int agreed =
        PMPI_Allreduce(mine, all, CHOICE_TRIAL_WORDS, MPI_DOUBLE, MPI_MAX, call->communicator->of);
    if (agreed != MPI_SUCCESS)
        return agreed;
    if (choice_trial_agree(&call->communicator->trials, call->trial, all))
        learn(call);
    return MPI_SUCCESS;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Finds the plan, if a plan is to serve the call. */
static int find_plan(struct lib_call *call, int root, const struct choice_situation *situation)
{
    struct choice_situation here = *situation;
    const struct choice_setting *setting;
    struct choice_result choice;
    here.collective = lib_function_name(call->which);
    here.p = call->communicator->p;
    call->event.bytes = here.bytes;
    int error = lib_settings_error(call->which);
    if (error == MPI_SUCCESS)
        error = setting_of(call, &here, &setting);
    if (error != MPI_SUCCESS || root < 0 || root >= here.p)
        return error;
    const bool is_online = lib_settings_online() != LIB_ONLINE_OFF;
    if (setting == NULL && is_online)
        return plan_online(call, root, &here);
    call->event.reason = here.ordered ? REPORT_OPERATOR : REPORT_UNSERVED;
    const bool is_decision = setting != NULL && setting != lib_settings_chosen(call->which);
    if (setting != NULL && !is_decision && here.p <= LIB_MOST_PAIRED)
        here.direct = false; /* all ranks have this setting, and tell each other their counts */
    int status = choose(call, setting, !is_decision, &here, &choice);
    if (status == RB_OK && choice.algorithm == NULL) {
        call->event.reason = REPORT_NATIVE;
        call->stays = true;
        return MPI_SUCCESS;
    }
    if (status == RB_OK)
        status = plan_as(call, &choice, root, &here);
    if (status == RB_EINVAL && is_decision && is_online)
        return plan_online(call, root, &here);
    if (status == RB_EINVAL && is_decision) { /* it holds only for calls that it can serve */
        status = choose(call, NULL, false, &here, &choice);
        if (status == RB_OK)
            status = plan_as(call, &choice, root, &here);
    }
    return status == RB_OK || status == RB_EINVAL ? MPI_SUCCESS : call->failure;
}

/* A planned call goes to the MPI library. */
static void leave(struct lib_call *call, enum report_reason reason)
{
    call->cached = NULL;
    call->event.algorithm = NULL;
    call->event.n = call->event.width = 0;
    call->event.reason = reason;
}

/* A plan needs a communicator for its messages. The time to make one does not count in a trial, and
 * without one the trial is dropped. */
int lib_call_plan(struct lib_call *call, int root, const struct choice_situation *situation)
{
    int error = find_plan(call, root, situation);
    if (error != MPI_SUCCESS || call->cached == NULL || call->communicator->comm != MPI_COMM_NULL)
        return error;
    error = lib_communicator_connect(call->communicator);
    if (call->trial != NULL)
        call->trial_start_s = PMPI_Wtime();
    if (error != MPI_SUCCESS || call->communicator->comm != MPI_COMM_NULL)
        return error;
    leave(call, REPORT_SCARCE);
    call->trial = NULL;
    return MPI_SUCCESS;
}

void lib_call_refuse(struct lib_call *call)
{
    leave(call, REPORT_ARGUMENT);
}

void lib_call_give_up(struct lib_call *call)
{
    leave(call, REPORT_UNSERVED);
}

void lib_call_check_type(struct lib_call *call, const struct exec_elements *elements)
{
    if (call->cached != NULL && call->communicator->comm != MPI_COMM_NULL &&
        !lib_check_committed(elements, call->communicator->comm))
        lib_call_refuse(call);
}

/* Where each rank has a row in the caller's buffer, or in both, puts the rows in the order of the
 * plan's ranks. `layout` is filled with the plan's layout. MPI error code. */
static int order_rows(const struct lib_call *call, struct exec_run *run, struct rb_layout *layout)
{
    const size_t p = (size_t)call->communicator->p;
    const bool exchanges = call->which == LIB_CALL_ALLTOALL;
    const int *rank = call->communicator->hosts.rank;
    struct exec_rows *rows = &run->rows[RB_DST];
    const int64_t *first = run->layout->first,
                  part = run->layout->bytes / (int64_t)(exchanges ? p * p : p);
    int64_t *room = lib_scratch_reserve(&call->communicator->rows, (2 * p + 1) * sizeof *room);
    if (room == NULL)
        return MPI_ERR_NO_MEM;
    int64_t *displacement = room + p + 1;
    room[0] = 0;
    for (size_t i = 0; i < p; i++) {
        const int r = rank[i];
        room[i + 1] = room[i] + (first != NULL ? first[r + 1] - first[r] : part);
        displacement[i] = rows->displacement != NULL ? rows->displacement[r]
                          : first != NULL            ? first[r]
                                                     : r * part;
    }
    *layout = *run->layout;
    if (first != NULL)
        layout->first = room;
    run->layout = layout;
    rows->displacement = displacement;
    if (exchanges) /* SRC has as long a row for each rank */
        run->rows[RB_SRC].displacement = displacement;
    return MPI_SUCCESS;
}

/* True if the caller's buffer has a row for each rank. */
static bool has_rows(const struct lib_call *call)
{
    const struct lib_communicator *communicator = call->communicator;
    return call->which == LIB_CALL_ALLGATHER || call->which == LIB_CALL_REDUCE_SCATTER ||
           call->which == LIB_CALL_ALLTOALL ||
           ((call->which == LIB_CALL_SCATTER || call->which == LIB_CALL_GATHER) &&
            communicator->hosts.position[communicator->rank] == call->cached->key.plan.root);
}

int lib_call_rank(const struct lib_call *call, int32_t plan_rank)
{
    const int *rank = call->communicator->hosts.rank;
    return call->cached->key.plan.groups != NULL && rank != NULL ? rank[plan_rank] : plan_rank;
}

int32_t lib_call_plan_rank(const struct lib_call *call, int rank)
{
    const int *position = call->communicator->hosts.position;
    return call->cached->key.plan.groups != NULL && position != NULL ? position[rank] : rank;
}

int lib_call_run(struct lib_call *call, struct exec_run *run)
{
    struct rb_layout layout;
    const bool by_host = call->cached->key.plan.groups != NULL;
    run->plan = call->cached->plan;
    run->state = &call->cached->state;
    run->comm = call->communicator->comm;
    run->peers = by_host && call->communicator->hosts.rank != NULL
                     ? call->communicator->peers_by_host
                     : call->communicator->peers;
    run->first_tag = call->communicator->first_tag;
    run->width = call->width;
    run->script = &call->cached->script;
    int error = MPI_SUCCESS;
    if (by_host && call->communicator->hosts.rank != NULL && has_rows(call) &&
        run->rows[RB_DST].count == NULL) /* those are in order */
        error = order_rows(call, run, &layout);
    if (error == MPI_SUCCESS)
        error = exec_run(call->communicator->executor, run);
    call->communicator->spoilt = call->communicator->spoilt || error != MPI_SUCCESS;
    return error;
}

int lib_call_left(struct lib_call *call, int error)
{
    lib_count_left(call->which);
    if (call->stays && call->is_fixed && error == MPI_SUCCESS && !recording)
        lib_shortcut_make(call->key, call->counter, call->communicator->p);
    record(call);
    const int agreed = end_trial(call, error);
    return error != MPI_SUCCESS ? error : agreed;
}

int lib_call_end(struct lib_call *call, MPI_Comm comm, int error)
{
    record(call);
    const int agreed = end_trial(call, error);
    if (error == MPI_SUCCESS)
        return agreed; /* about which MPI has called the error handler */
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

/* ---- The functions of roundabout-mpi.h ------------------------------------------------------- */

/* Each makes a call of its arguments, which lib_serve_... plans and runs, or calls the MPI
 * library's function. */

#define MEMBER(kind, name) .name = name,

/* The longer way is a function of its own, so that a shortcut need not save registers for it. */
#define LIB_CALL(name, collective)
#define LIB_FUNCTION(name, fortran, collective, arguments, key)                                    \
    static __attribute__((noinline)) int serve_##fortran(arguments(LIB_PARAMETER))                 \
    {                                                                                              \
        const struct lib_shortcut_key known = {.which = LIB_CALL_##collective, .comm = comm, key}; \
        const struct lib_arguments given = {arguments(MEMBER)};                                    \
        struct lib_call call = lib_call_of(&known);                                                \
        const int error = lib_serve_##fortran(&call, &given);                                      \
        return error == MPI_SUCCESS && call.cached == NULL                                         \
                   ? lib_call_left(&call, PMPI_##name(arguments(LIB_VALUE)))                       \
                   : lib_call_end(&call, comm, error);                                             \
    }                                                                                              \
    int RB_##name(arguments(LIB_PARAMETER))                                                        \
    {                                                                                              \
        struct lib_shortcut_key known = {.which = LIB_CALL_##collective, .comm = comm, key};       \
        return lib_shortcut_take(&known) ? PMPI_##name(arguments(LIB_VALUE))                       \
                                         : serve_##fortran(arguments(LIB_VALUE));                  \
    }
#include "list.h"
