#include "experiments/point/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/point/words.h"
#include "experiments/workload/workload_file.h"
#include "schedules/dependences/messages.h"
#include "support/eta.h"
#include "support/memory.h"
#include "support/pool.h"
#include "support/units.h"

/* ---- Costs ----------------------------------------------------------------------------------- */

/* ---- Effort ---------------------------------------------------------------------------------- */

enum {
    SAMPLED_RANKS = 5,
    SAMPLED_HOSTS = 4,
    SAMPLED_ROUNDS = 24,
    MOST_OF_HOST = 32, /* ranks of a sampled host that are looked at */
    FEW = 16,          /* operations: in rounds of more, exchanges are not looked for */
    MANY = 1 << 14,    /* operations of a rank: after these, rounds are like those so far */
};

struct count { /* of a rank */
    double messages[DEP_DIRECTIONS], operations, exchanged, far;
};

/* Hosts are numbered as ranks are: by blocks of ppn, or in turn. A placement in another order moves
 * hosts, not ranks among them. */
static bool is_cyclic(const struct point *point)
{
    return point->placement_rule->rule == SIM_CYCLIC && !point->placement_rule->search;
}

static int32_t host_count(const struct point *point)
{
    return (point->plan.p - 1) / point->ppn + 1;
}

static int32_t host_of(const struct point *point, int32_t rank)
{
    return is_cyclic(point) ? rank % host_count(point) : rank / point->ppn;
}

/* True if the rank and the message's peer send to each other in this round. */
static bool is_exchanged(const struct rb_op *message, const struct rb_op ops[], int32_t count)
{
    for (int32_t i = 0; i < count && count <= FEW; i++)
        if (!dep_is_local(&ops[i]) && ops[i].peer == message->peer &&
            dep_direction_of(&ops[i]) != dep_direction_of(message))
            return true;
    return false;
}

/* The rank's messages and operations; after the first many, as many per round as so far. */
static void count_rank(const struct point *point, const struct rb_plan *plan, int32_t rank,
                       struct rb_op ops[], struct count *count)
{
    struct rb_rank state;
    const int64_t rounds = rb_plan_rounds(plan);
    int64_t operations = 0, t;
    *count = (struct count){0};
    rb_plan_rank(plan, rank, &state);
    for (t = rb_plan_next(plan, &state, 0); t < rounds && operations < MANY;
         t = rb_plan_next(plan, &state, t + 1)) {
        const int32_t of_round = rb_plan_round(plan, &state, t, ops);
        operations += of_round;
        struct dep_messages left = dep_messages_of(ops, of_round);
        for (struct dep_message message; dep_next_message(&left, &message);) {
            count->messages[dep_direction_of(message.ops)]++;
            const bool exchanged = is_exchanged(message.ops, ops, of_round);
            const int32_t hosts_apart =
                abs(host_of(point, rank) - host_of(point, message.ops->peer));
            count->exchanged += exchanged;
            count->far += !exchanged && hosts_apart > 1;
        }
    }
    const double share = t < rounds && t > 0 ? (double)rounds / (double)t : 1;
    count->messages[DEP_SENDS] *= share;
    count->messages[DEP_RECEIVES] *= share;
    count->exchanged *= share;
    count->far *= share;
    count->operations = (double)operations * share;
}

/* Fills in the first ranks of a host; returns how many. */
static int32_t ranks_of(const struct point *point, const struct rb_plan *plan, int32_t host,
                        struct rb_rank ranks[MOST_OF_HOST])
{
    int32_t count = 0;
    for (int32_t i = 0; i < point->ppn && count < MOST_OF_HOST; i++) {
        const int64_t rank = is_cyclic(point) ? host + (int64_t)i * host_count(point)
                                              : (int64_t)host * point->ppn + i;
        if (rank < point->plan.p)
            rb_plan_rank(plan, (int32_t)rank, &ranks[count++]);
    }
    return count;
}

/* The messages of a host's ranks in a round with other hosts, and whether these are several. */
struct traffic {
    int32_t messages, other;
    bool several;
};

static void note_traffic(struct traffic *traffic, int32_t other)
{
    traffic->several |= traffic->messages > 0 && other != traffic->other;
    traffic->other = other;
    traffic->messages++;
}

/* Adds the messages between this host and others to messages[true] if there are several hosts to
 * which it sends and several from which it receives in this round, otherwise to messages[false]. */
static void count_mixed(const struct point *point, const struct rb_plan *plan,
                        const struct rb_rank ranks[], int32_t count, int64_t t, struct rb_op ops[],
                        double messages[2])
{
    struct traffic traffic[DEP_DIRECTIONS] = {{0}};
    const int32_t host = count > 0 ? host_of(point, ranks[0].rank) : 0;
    for (int32_t i = 0; i < count; i++) {
        struct dep_messages left = dep_messages_of(ops, rb_plan_round(plan, &ranks[i], t, ops));
        for (struct dep_message message; dep_next_message(&left, &message);) {
            const int32_t other = host_of(point, message.ops->peer);
            if (other != host)
                note_traffic(&traffic[dep_direction_of(message.ops)], other);
        }
    }
    messages[traffic[DEP_SENDS].several && traffic[DEP_RECEIVES].several] +=
        traffic[DEP_SENDS].messages + traffic[DEP_RECEIVES].messages;
}

/* How far links connect all messages (struct sim_costs): not at all in a tree, and completely if
 * three tenths of the messages between hosts, in a sample of hosts and rounds, are mixed. */
static double find_connected(const struct point *point, const struct rb_plan *plan,
                             struct rb_op ops[])
{
    const int64_t rounds = rb_plan_rounds(plan);
    const int64_t sampled = rounds < SAMPLED_ROUNDS ? rounds : SAMPLED_ROUNDS;
    double messages[2] = {0};
    if (point->ppn == 1)
        return 0;
    for (int32_t i = 0; i < SAMPLED_HOSTS; i++) {
        struct rb_rank ranks[MOST_OF_HOST];
        const int32_t host = (int32_t)((i + 0.4) * host_count(point) / SAMPLED_HOSTS);
        const int32_t count = ranks_of(point, plan, host, ranks);
        for (int64_t j = 0; j < sampled; j++) {
            const double share = ((double)j + 0.5) / (double)sampled;
            count_mixed(point, plan, ranks, count, (int64_t)(share * (double)rounds), ops,
                        messages);
        }
    }
    const double mixed = messages[true] / fmax(messages[true] + messages[false], 1);
    return pow(fmin(mixed / 0.3, 1), 3);
}

/* Every message is sent once and received once. In a tree one of the two is equal for all ranks but
 * the root, and the other one is that of a few ranks. */
static double fewer(double sent, double received)
{
    return sent > 0 && received > 0 ? fmin(sent, received) : fmax(sent, received);
}

static void count_plan(const struct point *point, const struct rb_plan *plan, struct rb_op ops[],
                       struct point_effort *effort)
{
    const int32_t p = point->plan.p;
    const int32_t sample[SAMPLED_RANKS] = {1 % p, p / 3, p / 2, (int32_t)(0.8 * p), p - 1};
    const double each = (double)p / SAMPLED_RANKS;
    const double rounds = fmax((double)rb_plan_rounds(plan), 1);
    double messages[DEP_DIRECTIONS] = {0}, exchanged = 0, far = 0;
    for (int32_t i = 0; i < SAMPLED_RANKS; i++) {
        struct count count;
        count_rank(point, plan, sample[i], ops, &count);
        messages[DEP_SENDS] += each * count.messages[DEP_SENDS];
        messages[DEP_RECEIVES] += each * count.messages[DEP_RECEIVES];
        exchanged += each * count.exchanged;
        far += each * count.far;
        effort->operations += each * count.operations;
    }
    const double both = messages[DEP_SENDS] + messages[DEP_RECEIVES];
    effort->messages = fewer(messages[DEP_SENDS], messages[DEP_RECEIVES]);
    effort->in_flight = effort->messages / rounds;
    effort->exchanged = both > 0 ? exchanged / both : 0;
    effort->far = both > 0 ? far / both : 0;
    effort->connected = find_connected(point, plan, ops);
}

/* The costs of the variant that the engine would choose. */
static const struct sim_costs *costs_of(const struct point *point, const struct rb_plan *plan)
{
    const struct rb_layout layout = {.bytes = point->m_bytes, .element = point->element_bytes};
    const struct sim_spec spec = {.plan = plan,
                                  .layout = &layout,
                                  .ppn = point->ppn,
                                  .overlap = *point->overlap_rule,
                                  .variant = point->engine_variant};
    const struct sim_costs *costs =
        point->engine->costs_of != NULL ? point->engine->costs_of(&spec) : NULL;
    return costs != NULL ? costs : &point->engine->costs;
}

/* Of two calls and the set-up in the first: whole messages in a tree, shares round a ring, segments
 * of a pipeline. */
static double guess_messages(const struct point *point)
{
    const double p = point->plan.p, segment = 1 << 16;
    return 2 * p * (rb_ceil_log2(point->plan.p) + p + (double)point->m_bytes / segment);
}

int point_effort_find(const struct point *point, struct point_effort *effort,
                      struct sup_error *error)
{
    struct rb_plan *plan = NULL;
    char why[400];
    *effort = (struct point_effort){.in_flight = point->plan.p, .costs = &point->engine->costs};
    if (point_is_native(point)) {
        effort->messages = effort->operations = guess_messages(point);
        return RB_OK;
    }
    struct point_plan found;
    /* The run will say why no plan follows the library's choice. */
    if (point_find_plan(point, &found, error) != RB_OK) {
        point_plan_free(&found);
        return RB_OK;
    }
    const int status = rb_plan_create(&found.spec, &plan, why, sizeof why);
    point_plan_free(&found);
    if (status != RB_OK)
        return sup_fail(error, status, "%s", why);
    struct rb_op *ops = sup_calloc((size_t)rb_plan_max_ops(plan) + 1, sizeof *ops);
    *effort = (struct point_effort){.costs = costs_of(point, plan)};
    count_plan(point, plan, ops, effort);
    free(ops);
    rb_plan_destroy(plan);
    return RB_OK;
}

/* ---- Cost ------------------------------------------------------------------------------------ */

/* The seconds of real time that the point's engine takes for it on a core of its own, of a machine
 * of 2020. docs/sweep.md says how good this is, tests/bench/point_cost.c how the constants of
 * engines (sim_costs) were found. */
static double point_cost_s(const struct point *point, const struct point_effort *effort)
{
    const struct sim_costs *of = effort->costs;
    const double p = point->plan.p;
    const bool is_probed = point->platform != NULL && point->platform->hosts > 0;
    const double hosts = is_probed ? (double)point->platform->hosts : (p - 1) / point->ppn + 1;
    const double idle = fmax(1 - effort->in_flight / p, 0);
    const double irregular = idle * idle * effort->in_flight;
    const double rates_s =
        effort->far * of->flow_s * pow(irregular, of->power) +
        effort->connected * of->connected_s * pow(irregular, of->connected_power);
    const double message_s =
        of->message_s + of->crowd_s * p / (p + 1000) + (1 - effort->exchanged) * rates_s;
    const bool combines = point->collective != NULL && point->collective->reducing;
    const double bytes = combines ? p * (double)point->m_bytes : 0;
    const double rounds = effort->in_flight > 0 ? effort->messages / effort->in_flight : 0;
    const double run_s = of->start_s + of->byte_s * bytes + of->round_s * rounds +
                         message_s * effort->messages + of->operation_s * effort->operations;
    const int32_t runs =
        point->jitter + 1 +
        (sim_arrival_is_none(point->arrival_rule) ? 0 : 2 * point->arrival_rule->seeds);
    return of->host_s * hosts + run_s * runs * point_program_calls(point);
}

int point_estimate(struct point *point, struct sup_error *error)
{
    struct point_effort effort;
    const int status = point_effort_find(point, &effort, error);
    sup_had_memory(status != RB_ENOMEM);
    if (status == RB_OK)
        point->cost_s = point_cost_s(point, &effort);
    return status;
}

/* ---- Time left ------------------------------------------------------------------------------- */

static void note_share(void *context, double share)
{
    struct point_work *work = context;
    atomic_store_explicit(&work->share, share, memory_order_relaxed);
}

/* In a worker: runs the point. */
static void work_do(const struct point *point, struct point_work *work)
{
    const struct sim_meter meter = {note_share, work};
    note_share(work, 0);
    point_run(point, &meter, &work->outcome);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sup_hash_bytes(hash, text, strlen(text) + 1);
}

/* Points whose costs differ by orders of magnitude are of different kinds, so that a cost that all
 * points have beside the work counts where it matters. */
static uint64_t kind_of(const struct point *point)
{
    uint64_t hash = hash_text(SUP_HASH_START, point->engine_text);
    int magnitude = 0;
    for (double cost_s = point->cost_s; cost_s > 1e-3; cost_s /= 8)
        magnitude++;
    hash = hash_text(hash_text(hash, point->overlap), point->plan.collective);
    return sup_hash_bytes(hash, &magnitude, sizeof magnitude);
}

void point_progress_start(struct point_progress *progress, const char *what, size_t points,
                          int32_t workers, double limit_s)
{
    const int32_t cores = sup_pool_cores();
    *progress = (struct point_progress){.eta = sup_eta_create(points, workers, limit_s),
                                        .slow = workers > cores ? (double)workers / cores : 1};
    cli_bar_start(&progress->bar, what, 0);
}

void point_progress_foretell(struct point_progress *progress)
{
    cli_bar_foretell(&progress->bar, sup_eta_left_s(progress->eta, NULL, 0));
}

void point_progress_end(struct point_progress *progress)
{
    cli_bar_end(&progress->bar);
    sup_eta_destroy(progress->eta);
    *progress = (struct point_progress){0};
}

void point_progress_describe(struct point_progress *progress, size_t i, const struct point *point)
{
    sup_eta_describe(progress->eta, i, point->cost_s * progress->slow, kind_of(point));
}

void point_progress_learn(struct point_progress *progress, const struct point *point, double took_s)
{
    sup_eta_learn(progress->eta, point->cost_s, kind_of(point), took_s);
}

static double share_of(const void *memory)
{
    const struct point_work *work = memory;
    return atomic_load_explicit(&work->share, memory_order_relaxed);
}

/* In the pool's tick: the time left. */
static double progress_left_s(const struct point_progress *progress, const struct sup_pool *pool)
{
    return sup_eta_pool_left_s(progress->eta, pool, share_of);
}

/* In the pool's tick: shows percentage and time left. */
static void progress_show(struct point_progress *progress, const struct sup_pool *pool,
                          const char *note)
{
    if (cli_bar_is_due(&progress->bar))
        cli_bar_show(&progress->bar, progress_left_s(progress, pool), note);
}

void point_progress_show_one(struct point_progress *progress, double share, const char *note)
{
    const struct sup_eta_running running = {0, sup_clock_s() - progress->bar.started_s, share};
    if (cli_bar_is_due(&progress->bar))
        cli_bar_show(&progress->bar, sup_eta_left_s(progress->eta, &running, 1), note);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void work(void *context, struct sup_pool_worker *worker, void *memory)
{
    const struct point_runs *runs = context;
    for (size_t i; sup_pool_next(worker, &i);)
        work_do(runs->at(runs->context, i), memory);
}

static int take(void *context, const struct sup_pool_piece *piece, struct sup_error *error)
{
    struct point_runs *runs = context;
    const struct point_outcome outcome = point_outcome_of(piece);
    char what[256];
    if (!outcome.done && outcome.status == RB_ENOMEM && !runs->keeps_failed)
        return sup_fail(error, RB_ENOMEM, "%s: %s",
                        point_describe(runs->at(runs->context, piece->i), what, sizeof what),
                        outcome.error.text);
    const int status = runs->done(runs->context, piece->i, &outcome, error);
    if (status != RB_OK)
        return status;
    runs->finished++;
    sup_eta_done(runs->progress.eta, piece->i, piece->wall_s);
    return RB_OK;
}

static bool show(void *context, const struct sup_pool *pool)
{
    struct point_runs *runs = context;
    char note[64];
    snprintf(note, sizeof note, "%zu of %zu points", runs->finished, runs->count);
    progress_show(&runs->progress, pool, note);
    if (runs->tell != NULL && sup_clock_s() >= runs->tell_at_s)
        runs->tell_at_s = runs->tell(runs->tell_context, progress_left_s(&runs->progress, pool));
    return false;
}

void point_runs_start(struct point_runs *runs)
{
    point_progress_start(&runs->progress, runs->what, runs->count, runs->jobs, runs->limit_s);
    for (size_t i = 0; i < runs->count; i++)
        point_progress_describe(&runs->progress, i, runs->at(runs->context, i));
}

int point_runs_do(struct point_runs *runs, struct sup_error *error)
{
    struct sup_pool pool = {.count = runs->count,
                            .workers = runs->jobs,
                            .memory_size = sizeof(struct point_work),
                            .limit_s = runs->limit_s,
                            .stop = runs->stop,
                            .context = runs,
                            .work = work,
                            .done = take,
                            .tick = show};
    point_progress_foretell(&runs->progress);
    const int status = sup_pool_run(&pool, error);
    sup_pool_free(&pool);
    point_runs_end(runs);
    return status;
}

void point_runs_end(struct point_runs *runs)
{
    point_progress_end(&runs->progress);
}

/* ---- Runs of a point inside a workload ------------------------------------------------------- */

static const char alone[] = "alone";

bool point_has_program(const struct point *point)
{
    return point->program != NULL && strcmp(point->program, alone) != 0;
}

/* Of a text that may end with the hash of the file, which then must be its. */
static int read_text(const char *text, const struct workload_value value[], size_t count,
                     struct sim_workload *workload, struct sup_error *error)
{
    size_t length = strlen(text);
    uint64_t hash;
    const bool hashed = sup_hash_take(text, &length, &hash);
    char *name = sup_strndup(text, length);
    int status = workload_read_with(name, value, count, workload, error);
    if (status == RB_OK && hashed && workload_hash(workload) != hash)
        status = sup_fail(error, RB_EINVAL, "%s has changed since its results were made", name);
    free(name);
    return status;
}

/* With the point's values in the place of its words. */
static int read_workload(const struct point *point, struct sim_workload *workload,
                         struct sup_error *error)
{
    char blocks[24], bytes[24];
    if (sim_native_name(point->plan.algorithm) != NULL) /* the library chooses them */
        snprintf(blocks, sizeof blocks, "best");
    else
        snprintf(blocks, sizeof blocks, "%" PRId64, point->plan.n);
    snprintf(bytes, sizeof bytes, "%" PRId64, point->m_bytes);
    const struct workload_value value[] = {
        {"algorithm", point->plan.algorithm}, {"blocks", blocks}, {"bytes", bytes}};
    return read_text(point->program, value, sizeof value / sizeof *value, workload, error);
}

int point_program_name(const char *word, char *text, size_t size, struct sup_error *error)
{
    struct sim_workload workload = {0};
    size_t length = strlen(word);
    uint64_t hash;
    snprintf(text, size, "%s", word);
    if (strcmp(word, alone) == 0)
        return RB_OK;
    int status = read_text(word, NULL, 0, &workload, error);
    sup_hash_take(word, &length, &hash);
    if (status == RB_OK && (size_t)snprintf(text, size, "%.*s#%016" PRIx64, (int)length, word,
                                            workload_hash(&workload)) >= size)
        status = sup_fail(error, RB_EINVAL, "%.40s...: too long", word);
    sim_workload_free(&workload);
    return status;
}

int point_check_program(const struct point *point, struct sup_error *error)
{
    if (!point_has_program(point))
        return RB_OK;
    if (!point->engine->walks)
        return sup_fail(error, RB_EINVAL,
                        "the engine %s runs no programs: take flow, simgrid or model",
                        point->engine->name);
    if (point->ppn != 1 || point->placement_rule->rule != SIM_BLOCK ||
        point->placement_rule->search)
        return sup_fail(error, RB_EINVAL,
                        "its jobs say where ranks are: leave out the placement and the ranks per "
                        "host");
    return sim_arrival_is_none(point->arrival_rule)
               ? RB_OK
               : sup_fail(error, RB_EINVAL, "it says when ranks come: leave out the arrival");
}

/* ---- The point's collective in the program --------------------------------------------------- */

static bool is_of_point(const struct point *point, const struct workload_move *move)
{
    return move->collective == point->collective && move->pattern == NULL &&
           move->bytes == point->m_bytes && move->algorithm != NULL &&
           strcmp(move->algorithm, point->plan.algorithm) == 0;
}

/* How often a step is done, by the repeats around it. O(steps). */
static double passes_of(const struct sim_job *job, int32_t step)
{
    double passes = 1;
    for (int32_t s = 0; s < step; s++)
        if (job->step[s].kind == SIM_REPEAT && job->step[s].end > step)
            passes *= (double)job->step[s].times;
    return passes;
}

/* How many times; *p: among so many ranks, if that differs from the point's. */
static double count_calls(const struct point *point, const struct sim_workload *workload,
                          int32_t *p)
{
    double calls = 0;
    *p = point->plan.p;
    for (int32_t j = 0; j < workload->jobs; j++) {
        const struct sim_job *job = &workload->job[j];
        for (int32_t s = 0; s < job->steps; s++) {
            const struct sim_communicators *set = &job->set[job->step[s].set];
            if (job->step[s].kind != SIM_MOVE ||
                !is_of_point(point, workload_move_of(workload, j, s)))
                continue;
            calls += passes_of(job, s) * set->count;
            for (int32_t i = 0; i < set->shapes; i++)
                if (sim_communicator_size(set, set->shape[i]) != point->plan.p)
                    *p = sim_communicator_size(set, set->shape[i]);
        }
    }
    return calls;
}

double point_program_calls(const struct point *point)
{
    struct sim_workload workload = {0};
    struct sup_error why;
    int32_t p;
    double calls = 1;
    if (point_has_program(point) && read_workload(point, &workload, &why) == RB_OK)
        calls = count_calls(point, &workload, &p);
    sim_workload_free(&workload);
    return calls > 1 ? calls : 1;
}

int point_prepare_program(const struct point *point, struct point_run *run, struct sup_error *error)
{
    char bytes[32];
    int32_t p;
    int status = point_check_program(point, error);
    if (status != RB_OK || !point_has_program(point))
        return status;
    status = read_workload(point, &run->workload, error);
    if (status != RB_OK)
        return status;
    if (count_calls(point, &run->workload, &p) == 0)
        return sup_fail(error, RB_EINVAL,
                        "%s: no step does %s of %s by %s: its step needs bytes: $bytes, algorithm: "
                        "$algorithm, blocks: $blocks",
                        point->program, point->plan.collective,
                        sup_format_bytes(point->m_bytes, bytes, sizeof bytes),
                        point->plan.algorithm);
    if (p != point->plan.p)
        return sup_fail(error, RB_EINVAL, "%s does it among %" PRId32 " ranks, not among %" PRId32,
                        point->program, p, point->plan.p);
    run->spec.workload = &run->workload;
    return workload_settle(&run->workload, point->platform, error);
}
