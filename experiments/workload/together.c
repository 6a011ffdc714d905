/* together.c - a search for the choices that make the whole fastest (together.h). */
#include "experiments/workload/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/vendors/names/mpilib.h"
#include "mpi/vendors/rules/rules.h"
#include "support/memory.h"

/* Each call has at least so many algorithms on its short list, and more if that many runs of the
 * whole fit into the time: what is slow alone may be fast in the whole. */
enum { SHORT_LIST = 4, PASSES = 3 };
/* Real time of a message of flow. What is done depends on estimates alone. */
static const double MESSAGE_S = 1.5e-6;
/* Times of the whole that differ by less are equal. */
static const double EQUAL = 1e-9;

struct way {
    const char *algorithm; /* NULL: as the file says */
    int64_t n;             /* 0, before its plan is made: the closed form's best */
    double alone_s;
    double whole_s; /* NAN: not known for the others' choices */
};

/* A step of the call, and what the file says of it. */
struct at {
    int32_t job, step;
    struct workload_move said;
};

struct call {
    struct at *at;
    size_t ats;
    int32_t p;       /* of its largest communicator */
    struct way *way; /* the first is the file's */
    size_t ways, choice;
    const char *said; /* the algorithm and n that follow from the file */
    int64_t said_n;
    bool said_offered; /* the library has it */
};

struct search {
    const struct workload_tune_request *request;
    struct decide *decision;
    struct call *call;
    size_t calls;
    double used_s, whole_s; /* so far; of the choices */
    double run_s;           /* what a run of the whole uses */
    int32_t runs;
    struct sup_error *error;
};

/* ---- Calls ----------------------------------------------------------------------------------- */

static struct workload_move *move_at(const struct search *search, const struct at *at)
{
    return workload_move_of(search->request->workload, at->job, at->step);
}

static const struct sim_communicators *set_at(const struct search *search, const struct at *at)
{
    const struct sim_job *job = &search->request->workload->job[at->job];
    return &job->set[job->step[at->step].set];
}

static int32_t largest_of(const struct sim_communicators *set)
{
    return sim_communicator_size(set, set->shape[set->shapes - 1]);
}

static bool is_same_call(const struct search *search, const struct call *call, const struct at *at)
{
    const struct workload_move *a = &call->at[0].said, *b = &at->said;
    return a->collective == b->collective && a->bytes == b->bytes && a->element == b->element &&
           memcmp(&a->counts, &b->counts, sizeof a->counts) == 0 &&
           call->p == largest_of(set_at(search, at));
}

/* What moves data by a plan that can be chosen: not by a pattern, nor by a plan in a file. */
static bool is_chosen(const struct workload_move *move)
{
    return move->collective != NULL && move->pattern == NULL && move->instance == NULL &&
           (move->algorithm == NULL || !rb_is_file(move->algorithm));
}

/* The library decides. */
static bool is_own(const struct workload_move *move)
{
    return move->algorithm != NULL && sim_native_name(move->algorithm) != NULL;
}

static void add_step(struct search *search, int32_t job, int32_t step)
{
    struct at at = {job, step, .said = {0}};
    const struct workload_move *move = move_at(search, &at);
    if (!is_chosen(move) || largest_of(set_at(search, &at)) < 2)
        return;
    at.said = *move;
    struct call *call = search->call;
    while (call < search->call + search->calls && !is_same_call(search, call, &at))
        call++;
    if (call == search->call + search->calls) {
        sup_grow(&search->call, search->calls, sizeof *search->call);
        call = &search->call[search->calls++];
        *call = (struct call){.p = largest_of(set_at(search, &at))};
    }
    sup_grow(&call->at, call->ats, sizeof *call->at);
    call->at[call->ats++] = at;
}

static void find_calls(struct search *search)
{
    const struct sim_workload *workload = search->request->workload;
    for (int32_t j = 0; j < workload->jobs; j++)
        for (int32_t s = 0; s < workload->job[j].steps; s++)
            if (workload->job[j].step[s].kind == SIM_MOVE)
                add_step(search, j, s);
}

/* The steps of the call do it in this way from now on. */
static void set_way(const struct search *search, const struct call *call, const struct way *way)
{
    for (size_t i = 0; i < call->ats; i++) {
        const struct at *at = &call->at[i];
        struct workload_move *move = move_at(search, at);
        if (move->algorithm != at->said.algorithm) {
            free(move->algorithm);
            free(move->groups);
        }
        *move = at->said;
        if (way->algorithm != NULL) {
            const bool groups = rb_algorithm_find(move->collective->name, way->algorithm)->groups;
            move->algorithm = sup_strdup(way->algorithm);
            move->groups = groups ? sup_strdup("host") : NULL;
            move->n = way->n;
            move->rules = NULL;
            move->radix = 0;
        }
        workload_forget_plans(search->request->workload, at->job, at->step);
    }
}

static int plan_of(const struct search *search, const struct call *call, struct sim_step_plan *plan,
                   struct sup_error *error)
{
    const struct sim_workload *workload = search->request->workload;
    const struct at *at = &call->at[0];
    const struct sim_communicators *set = set_at(search, at);
    return workload->plan_of(workload->context, at->job, at->step, set->shape[set->shapes - 1], 0,
                             plan, error);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static bool is_over(const struct search *search)
{
    return search->used_s >= search->request->limit_s;
}

static void use(struct search *search, int64_t messages)
{
    const struct workload_tune_request *request = search->request;
    search->used_s += MESSAGE_S * (double)messages;
    if (request->tell != NULL)
        request->tell(request->context, fmin(1, search->used_s / request->limit_s));
}

/* *time_s is INFINITY if there are no such plans. */
static int run(struct search *search, int32_t only_job, double *time_s)
{
    const struct workload_tune_request *request = search->request;
    struct sim_spec spec = request->spec;
    struct sim_result result = {0};
    struct sup_error why;
    spec.workload = request->workload;
    spec.only_job = only_job;
    const int status = sim_run(request->engine, &spec, &result, &why);
    *time_s = status == RB_OK ? result.time_s : INFINITY;
    if (status == RB_OK)
        use(search, result.messages);
    sim_result_free(&result);
    if (status == RB_OK || status == RB_EINVAL)
        return RB_OK;
    return sup_fail(search->error, status, "%s", why.text);
}

/* The call's first step by itself: no other step of any job runs. */
static int run_alone(struct search *search, const struct call *call, double *time_s)
{
    const struct at *at = &call->at[0];
    struct sim_job *job = &search->request->workload->job[at->job];
    const struct sim_job saved = *job;
    job->step = sup_malloc((size_t)job->steps * sizeof *job->step);
    for (int32_t s = 0; s < job->steps; s++) {
        job->step[s] = saved.step[s];
        job->step[s].after = 0;
        job->step[s].label = -1;
        if (s != at->step)
            job->step[s].kind = SIM_NOTHING;
    }
    job->start_s = 0;
    job->until_others = false;
    const int status = run(search, at->job + 1, time_s);
    free(job->step);
    *job = saved;
    return status;
}

static int run_whole(struct search *search, double *time_s)
{
    search->runs++;
    return run(search, 0, time_s);
}

/* ---- The short list -------------------------------------------------------------------------- */

/* At most so many messages has a step by this plan, all its communicators together. */
static double most_messages(const struct search *search, const struct call *call,
                            const struct rb_plan *plan)
{
    return (double)rb_plan_rounds(plan) * rb_plan_ports(plan) * call->p *
           set_at(search, &call->at[0])->count;
}

static bool is_offered(const struct search *search, const struct call *call, const char *algorithm)
{
    const struct workload_tune_request *request = search->request;
    const char *collective = call->at[0].said.collective->name;
    return request->library == NULL || mpilib_ours(request->library, request->version, collective,
                                                   NULL, algorithm, 0, call->p, 0) != NULL;
}

/* Adds the algorithm with its best n, unless it has no plan for the call, is what the file says, or
 * would take too long to try. */
static int try_alone(struct search *search, struct call *call, const char *algorithm)
{
    struct way way = {.algorithm = algorithm, .whole_s = NAN};
    struct sim_step_plan plan;
    struct sup_error why;
    set_way(search, call, &way);
    if (plan_of(search, call, &plan, &why) != RB_OK)
        return RB_OK;
    if (strcmp(algorithm, call->said) == 0 && rb_plan_n(plan.plan) == call->said_n)
        return RB_OK;
    if (MESSAGE_S * most_messages(search, call, plan.plan) > search->request->limit_s / 16) {
        decide_leave_out(search->decision, DECIDE_TOO_LONG, 1, algorithm);
        return RB_OK;
    }
    way.n = rb_plan_n(plan.plan);
    const int status = run_alone(search, call, &way.alone_s);
    if (status != RB_OK || !isfinite(way.alone_s))
        return status;
    sup_grow(&call->way, call->ways, sizeof *call->way);
    call->way[call->ways++] = way;
    return RB_OK;
}

SUP_COMPARE(by_alone, struct way, SUP_ORDER(a->alone_s, b->alone_s));

static int start_call(struct search *search, struct call *call)
{
    struct sim_step_plan plan;
    int status = plan_of(search, call, &plan, search->error);
    if (status != RB_OK)
        return status;
    call->said = rb_plan_algorithm(plan.plan)->name;
    call->said_n = rb_plan_n(plan.plan);
    call->said_offered = is_offered(search, call, call->said);
    sup_grow(&call->way, 0, sizeof *call->way);
    call->way[call->ways++] = (struct way){.n = call->said_n, .whole_s = search->whole_s};
    const char *collective = call->at[0].said.collective->name;
    const struct rb_algorithm_info *info;
    for (int32_t i = 0; (info = rb_algorithm_at(i)) != NULL && status == RB_OK; i++)
        if (strcmp(info->collective, collective) == 0 && info->only == NULL &&
            is_offered(search, call, info->name))
            status = try_alone(search, call, info->name);
    set_way(search, call, &call->way[0]);
    if (call->ways == 1)
        return status;
    qsort(call->way + 1, call->ways - 1, sizeof *call->way, by_alone);
    const double fit = (search->request->limit_s - search->used_s) /
                       (search->run_s * PASSES * (double)search->calls);
    const size_t most = 1 + (fit > SHORT_LIST ? (size_t)fit : SHORT_LIST);
    call->ways = call->ways < most ? call->ways : most;
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Runs the whole with this way of the call, and takes it if it is faster and offered. */
static int try_whole(struct search *search, struct call *call, size_t i, bool *changed)
{
    struct way *way = &call->way[i];
    if (i == call->choice || is_over(search))
        return RB_OK;
    set_way(search, call, way);
    const int status = run_whole(search, &way->whole_s);
    if (status == RB_OK && way->whole_s < search->whole_s * (1 - EQUAL) &&
        (i > 0 || call->said_offered)) {
        search->whole_s = way->whole_s;
        call->choice = i;
        *changed = true;
    } else {
        set_way(search, call, &call->way[call->choice]);
    }
    return status;
}

/* The place of the choice's algorithm with another n, which is added if it is new; 0: there is no
 * such plan. */
static size_t way_with(struct call *call, int64_t n)
{
    const struct way *choice = &call->way[call->choice];
    const char *algorithm = choice->algorithm != NULL ? choice->algorithm : call->said;
    const struct rb_algorithm_info *info =
        rb_algorithm_find(call->at[0].said.collective->name, algorithm);
    if (info == NULL || !info->pipelined || n < 1)
        return 0;
    for (size_t i = 1; i < call->ways; i++)
        if (call->way[i].n == n && strcmp(call->way[i].algorithm, algorithm) == 0)
            return i;
    sup_grow(&call->way, call->ways, sizeof *call->way);
    call->way[call->ways] = (struct way){.algorithm = algorithm, .n = n, .whole_s = NAN};
    return call->ways++;
}

/* Half of n and twice, as long as that helps. */
static int climb(struct search *search, struct call *call, bool *changed)
{
    int status = RB_OK;
    for (int twice = 0; twice < 2 && status == RB_OK; twice++)
        for (bool better = true; better && status == RB_OK && !is_over(search);) {
            const int64_t n = call->way[call->choice].n;
            const size_t i = way_with(call, twice ? 2 * n : n / 2);
            better = false;
            if (i > 0)
                status = try_whole(search, call, i, &better);
            *changed = *changed || better;
        }
    return status;
}

/* Those of other choices. */
static void forget_times(const struct search *search)
{
    for (size_t c = 0; c < search->calls; c++)
        for (size_t i = 0; i < search->call[c].ways; i++)
            search->call[c].way[i].whole_s = NAN;
}

/* Each call's fastest way by itself: the search begins there if that is faster than what the file
 * says, or the library lacks that. */
static int start(struct search *search, double *alone_s)
{
    bool must = false;
    for (size_t c = 0; c < search->calls; c++) {
        const struct call *call = &search->call[c];
        must = must || !call->said_offered;
        set_way(search, call, &call->way[call->ways > 1]);
    }
    const int status = run_whole(search, alone_s);
    const bool take = status == RB_OK && (must || *alone_s < search->whole_s);
    for (size_t c = 0; c < search->calls; c++) {
        struct call *call = &search->call[c];
        call->choice = take && call->ways > 1;
        set_way(search, call, &call->way[call->choice]);
    }
    if (take)
        search->whole_s = *alone_s;
    return status;
}

/* Until a pass over all calls changes nothing. */
static int settle(struct search *search, bool *settled)
{
    int status = RB_OK;
    for (bool changed = true; changed && status == RB_OK && !is_over(search);) {
        changed = false;
        forget_times(search);
        for (size_t c = 0; c < search->calls && status == RB_OK; c++) {
            struct call *call = &search->call[c];
            const size_t ways = call->ways;
            for (size_t i = 0; i < ways && status == RB_OK; i++)
                status = try_whole(search, call, i, &changed);
            if (status == RB_OK)
                status = climb(search, call, &changed);
        }
        *settled = !changed && !is_over(search);
    }
    return status;
}

/* ---- The decision ---------------------------------------------------------------------------- */

static struct decide_way way_of(const struct search *search, const struct call *call, size_t i)
{
    const struct way *way = &call->way[i];
    struct decide_way made = decide_untimed(0, 0);
    made.name = made.algorithm = made.rival =
        decide_word(search->decision, way->algorithm != NULL ? way->algorithm : call->said);
    made.n = way->n;
    made.source = DECIDE_SIMULATED;
    made.own = i == 0 && is_own(&call->at[0].said);
    made.offered = i > 0 || (call->said_offered && !made.own);
    const struct rb_plan_spec spec = {.collective = call->at[0].said.collective->name,
                                      .algorithm = made.algorithm,
                                      .p = call->p,
                                      .ports = 1};
    made.segment_bytes = decide_segment(&spec, call->at[0].said.bytes, way->n);
    made.time_s = i == call->choice ? search->whole_s : way->whole_s;
    return made;
}

static void add_call(const struct search *search, const struct call *call)
{
    struct decide *decision = search->decision;
    const struct workload_move *move = &call->at[0].said;
    const struct decide_place place = {.place =
                                           decide_word(decision, search->request->spec.platform),
                                       .collective = move->collective->name};
    struct decide_call made = {.place = decide_add_place(decision, &place),
                               .run = "",
                               .p = call->p,
                               .m_bytes = move->bytes,
                               .first = decision->way_count,
                               .count = call->ways,
                               .has_own = true,
                               .own = way_of(search, call, 0),
                               .own_known = true,
                               .bound = {.time_s = NAN},
                               .more = call};
    decide_add_call(decision, &made);
    for (size_t i = 0; i < call->ways; i++) {
        const struct decide_way way = way_of(search, call, i);
        decide_add_way(decision, &way);
    }
}

/* The chosen way is the choice, also where another takes as long. */
static void take_choices(struct decide *decision)
{
    decide_judge(decision, 0);
    for (size_t i = 0; i < decision->call_count; i++) {
        struct decide_call *made = &decision->calls[i];
        const struct call *call = made->more;
        decide_take(decision, made, &decision->ways[made->first + call->choice]);
        made->more = NULL;
    }
}

static void free_search(struct search *search)
{
    for (size_t c = 0; c < search->calls; c++) {
        static const struct way said = {.algorithm = NULL};
        set_way(search, &search->call[c], &said);
        free(search->call[c].at);
        free(search->call[c].way);
    }
    free(search->call);
}

/* ---- What a library takes -------------------------------------------------------------------- */

/* True if the step's communicators have plans by what it says. */
static bool has_plans(struct sim_workload *workload, int32_t j, int32_t s)
{
    const struct sim_job *job = &workload->job[j];
    const struct sim_communicators *set = &job->set[job->step[s].set];
    struct sim_step_plan plan;
    struct sup_error why;
    bool has = true;
    workload_forget_plans(workload, j, s);
    for (int32_t i = 0; i < set->shapes && has; i++)
        has = workload->plan_of(workload->context, j, s, set->shape[i], 0, &plan, &why) == RB_OK;
    return has;
}

/* Makes the step do what the text says, with these rules; otherwise leaves it as it is. Takes the
 * rules over. */
static bool take(struct sim_workload *workload, int32_t j, int32_t s, const char *algorithm,
                 struct rules_file *rules)
{
    struct workload_move *move = workload_move_of(workload, j, s);
    const struct workload_move was = *move;
    move->algorithm = sup_strdup(algorithm);
    move->rules = rules;
    move->groups = NULL;
    move->n = 0;
    move->radix = move->ports = 0;
    const bool taken = has_plans(workload, j, s);
    const struct workload_move left = taken ? was : *move;
    free(left.algorithm);
    rules_file_free(left.rules);
    free(taken ? left.groups : NULL);
    if (!taken)
        *move = was;
    workload_forget_plans(workload, j, s);
    return taken;
}

int32_t workload_let_library(struct sim_workload *workload, const struct rules_format *format,
                             const char *text, size_t size)
{
    char *own = sup_format("native:%s", format->library);
    struct sup_error why;
    int32_t left = 0;
    for (int32_t j = 0; j < workload->jobs; j++)
        for (int32_t s = 0; s < workload->job[j].steps; s++) {
            struct rules_file *rules = NULL;
            if (workload->job[j].step[s].kind != SIM_MOVE ||
                !is_chosen(workload_move_of(workload, j, s)))
                continue;
            if (text != NULL && rules_parse("", text, size, format, &rules, &why) == RB_OK &&
                take(workload, j, s, "rules:those recommended", rules))
                continue;
            left += !take(workload, j, s, own, NULL);
        }
    free(own);
    return left;
}

int workload_own_by_base(struct sim_workload *workload, const struct rules_format *format,
                         const char *base, struct sup_error *error)
{
    const struct rules_table none = {.format = format};
    const struct rules_head head = {.source = "", .base = base};
    char *text;
    size_t size;
    if (base == NULL)
        return RB_OK;
    FILE *stream = sup_memory_open(&text, &size);
    int status = rules_write(&none, &head, stream, error);
    sup_memory_close(stream, &text);
    for (int32_t j = 0; j < workload->jobs; j++)
        for (int32_t s = 0; s < workload->job[j].steps && status == RB_OK; s++) {
            const struct workload_move *move = workload_move_of(workload, j, s);
            struct rules_file *rules = NULL;
            if (workload->job[j].step[s].kind != SIM_MOVE || !is_chosen(move) || !is_own(move) ||
                strcmp(sim_native_name(move->algorithm), format->library) != 0)
                continue;
            status = rules_parse("--base", text, size, format, &rules, error);
            if (status == RB_OK)
                take(workload, j, s, move->algorithm, rules);
        }
    free(text);
    return status;
}

int workload_tune(const struct workload_tune_request *request, struct decide *decision,
                  struct workload_tuned *tuned, struct sup_error *error)
{
    struct search search = {.request = request, .decision = decision, .error = error};
    *tuned = (struct workload_tuned){0};
    find_calls(&search);
    int status = search.calls > 0
                     ? run_whole(&search, &search.whole_s)
                     : sup_fail(error, RB_EINVAL,
                                "no step is a collective of two ranks or more: there is no "
                                "algorithm to choose");
    if (status == RB_OK && !isfinite(search.whole_s))
        status = sup_fail(error, RB_EINVAL, "the workload cannot be run as the file has it");
    tuned->before_s = search.whole_s;
    search.run_s = search.used_s;
    for (size_t c = 0; c < search.calls && status == RB_OK; c++)
        status = start_call(&search, &search.call[c]);
    if (status == RB_OK)
        status = start(&search, &tuned->alone_s);
    if (status == RB_OK)
        status = settle(&search, &tuned->is_settled);
    for (size_t c = 0; c < search.calls && status == RB_OK; c++)
        add_call(&search, &search.call[c]);
    if (status == RB_OK)
        take_choices(decision);
    tuned->after_s = search.whole_s;
    tuned->runs = search.runs;
    free_search(&search);
    return status;
}
