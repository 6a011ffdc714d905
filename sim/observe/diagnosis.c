#include "diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/dependences/messages.h"
#include "support/memory.h"

/* ---- The critical path ----------------------------------------------------------------------- */

const char *const obs_cause_names[OBS_CAUSES] = {"data", "sender",    "receiver", "barrier",
                                                 "host", "combining", "start",    "unexplained"};

struct search {
    const struct sim_spec *spec;
    const struct obs_recording *recording;
    double tolerance_s;
    int32_t *host;                 /* per rank; NULL: one rank per host */
    struct rb_op *sent, *received; /* operations of two messages */
    struct obs_critical_path *path;
};

/* True if a rank forwards in `message` what it received in `earlier`. */
static bool passes_on(const struct search *search, const struct sim_message *earlier,
                      const struct sim_message *message)
{
    const struct sim_spec *spec = search->spec;
    const int32_t sent = obs_message_ops(spec, message, false, search->sent);
    const int32_t received = obs_message_ops(spec, earlier, true, search->received);
    for (int32_t i = 0; i < sent; i++)
        for (int32_t k = 0; k < received; k++)
            if (rb_plan_overlap(spec->plan, &search->sent[i].at, &search->received[k].at))
                return true;
    return false;
}

static enum obs_cause cause_at(const struct search *search, int32_t rank,
                               const struct sim_message *earlier, const struct sim_message *message)
{
    if (rank != message->from)
        return OBS_BY_RECEIVER;
    return earlier->to == rank && passes_on(search, earlier, message) ? OBS_BY_DATA : OBS_BY_SENDER;
}

/* How many of the messages order[0 .. count - 1] (all messages, if order is NULL) end by limit_s.
 */
static int32_t ended_by(const struct obs_recording *recording, const int32_t order[], int32_t count,
                        double limit_s)
{
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (recording->message[order != NULL ? order[middle] : middle].end_s <= limit_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Improves the predecessor by this rank's earlier rounds: by a cause, or otherwise by the message
 * that ended last. */
static void look_at_rank(const struct search *search, int32_t rank,
                         const struct sim_message *message, struct obs_wait *keeper)
{
    const struct obs_recording *recording = search->recording;
    const int32_t *order = recording->of_rank + recording->first[rank];
    int32_t i = ended_by(recording, order, recording->first[rank + 1] - recording->first[rank],
                         message->start_s + search->tolerance_s);
    while (i-- > 0) {
        const struct sim_message *earlier = &recording->message[order[i]];
        if (earlier->round >= message->round)
            continue;
        const bool in_time = earlier->end_s >= message->start_s - search->tolerance_s;
        const enum obs_cause cause =
            in_time ? cause_at(search, rank, earlier, message) : OBS_UNEXPLAINED;
        if (cause < keeper->cause || keeper->message < 0 ||
            (cause == OBS_UNEXPLAINED && keeper->cause == cause &&
             earlier->end_s > recording->message[keeper->message].end_s))
            *keeper = (struct obs_wait){order[i], cause, rank};
        if (!in_time)
            return;
    }
}

static void look_at_barrier(const struct search *search, const struct sim_message *message,
                            struct obs_wait *keeper)
{
    const struct obs_recording *recording = search->recording;
    int32_t i = ended_by(recording, NULL, recording->count, message->start_s + search->tolerance_s);
    while (i-- > 0 && recording->message[i].end_s >= message->start_s - search->tolerance_s)
        if (recording->message[i].round < message->round) {
            *keeper = (struct obs_wait){i, OBS_BY_BARRIER, message->from};
            return;
        }
}

static bool shares_port(const struct search *search, const struct sim_message *a,
                        const struct sim_message *b)
{
    const int32_t *host = search->host;
    return host[a->from] != host[a->to] && host[b->from] != host[b->to] &&
           (host[a->from] == host[b->from] || host[a->to] == host[b->to]);
}

/* Finds, among the messages in flight when this message started or that ended then, the last one
 * that occupied a port of its hosts: ports carry messages one after another. */
static void look_at_hosts(const struct search *search, const struct sim_message *message,
                          struct obs_wait *keeper)
{
    const struct obs_recording *recording = search->recording;
    const int32_t first =
        ended_by(recording, NULL, recording->count, message->start_s - search->tolerance_s);
    const int64_t enough = first + 4 * (int64_t)recording->p; /* no more can be in flight */
    for (int32_t i = first; i < recording->count && i < enough; i++) {
        const struct sim_message *other = &recording->message[i];
        if (other->start_s < message->start_s - search->tolerance_s &&
            shares_port(search, other, message))
            *keeper = (struct obs_wait){i, OBS_BY_HOST, message->from};
    }
}

/* If this rank's last received data were combined, combining is the cause of the wait. */
static void look_at_combining(const struct search *search, int32_t rank,
                              const struct sim_message *message, struct obs_wait *keeper)
{
    const struct obs_recording *recording = search->recording;
    const int32_t *order = recording->of_rank + recording->first[rank];
    int32_t i = ended_by(recording, order, recording->first[rank + 1] - recording->first[rank],
                         message->start_s);
    while (i-- > 0) {
        const struct sim_message *last = &recording->message[order[i]];
        if (last->to != rank || last->round >= message->round)
            continue;
        const bool combines = obs_message_ops(search->spec, last, true, search->received) > 0 &&
                              search->received[0].kind == RB_RECV_REDUCE;
        if (combines && (keeper->cause != OBS_BY_COMBINING ||
                         last->end_s > recording->message[keeper->message].end_s))
            *keeper = (struct obs_wait){order[i], OBS_BY_COMBINING, rank};
        return;
    }
}

static struct obs_wait find_keeper(const struct search *search, const struct sim_message *message)
{
    struct obs_wait keeper = {-1, OBS_UNEXPLAINED, message->from};
    if (message->start_s > search->tolerance_s) {
        look_at_rank(search, message->from, message, &keeper);
        look_at_rank(search, message->to, message, &keeper);
        if (keeper.cause == OBS_UNEXPLAINED && search->spec->overlap.rule == SIM_LOCKSTEP)
            look_at_barrier(search, message, &keeper);
        if (keeper.cause == OBS_UNEXPLAINED && search->host != NULL)
            look_at_hosts(search, message, &keeper);
    }
    if (keeper.message < 0) {
        keeper.cause = OBS_BY_START;
    } else if (keeper.cause == OBS_UNEXPLAINED &&
               rb_plan_collective(search->spec->plan)->reducing) {
        look_at_combining(search, message->from, message, &keeper);
        look_at_combining(search, message->to, message, &keeper);
    }
    return keeper;
}

static void add_step(struct search *search, const struct obs_path_step *step)
{
    struct obs_critical_path *path = search->path;
    sup_grow(&path->step, (size_t)path->count, sizeof *path->step);
    path->step[path->count++] = *step;
}

static void walk_back(struct search *search)
{
    const struct obs_recording *recording = search->recording;
    for (int32_t i = recording->count - 1; i >= 0;) {
        const struct sim_message *message = &recording->message[i];
        const struct obs_wait keeper = find_keeper(search, message);
        double wait_s =
            message->start_s - (keeper.message >= 0 ? recording->message[keeper.message].end_s : 0);
        if (fabs(wait_s) <= search->tolerance_s)
            wait_s = 0;
        add_step(search, &(struct obs_path_step){message, keeper.cause, keeper.at, wait_s});
        i = keeper.message;
    }
}

static void turn_round(struct obs_critical_path *path)
{
    for (int32_t i = 0, k = path->count - 1; i < k; i++, k--) {
        const struct obs_path_step step = path->step[i];
        path->step[i] = path->step[k];
        path->step[k] = step;
    }
}

static void add_up(struct obs_critical_path *path, int32_t p, double time_s)
{
    bool *seen = sup_calloc((size_t)p, sizeof *seen);
    path->waiting_s = time_s;
    for (int32_t i = 0; i < path->count; i++) {
        const struct sim_message *message = path->step[i].message;
        path->ranks += !seen[message->from];
        seen[message->from] = true;
        path->ranks += !seen[message->to];
        seen[message->to] = true;
        path->bytes += message->bytes;
        path->causes[path->step[i].cause]++;
        path->moving_s += message->end_s - message->start_s;
        path->waiting_s += path->step[i].wait_s;
    }
    if (path->count > 0)
        path->waiting_s -= path->step[path->count - 1].message->end_s;
    free(seen);
}

/* Where the ranks are, if that matters. */
static int find_hosts(const struct sim_spec *spec, const struct sim_result *result, int32_t **host,
                      struct sup_error *error)
{
    const int32_t p = rb_plan_ranks(spec->plan);
    const struct sim_hosts hosts = {.count = result->hosts};
    *host = NULL;
    if (spec->ppn <= 1)
        return RB_OK;
    *host = sup_malloc((size_t)p * sizeof **host);
    if (result->host == NULL)
        return sim_placement_map(&spec->placement, p, spec->ppn, &hosts, *host, error);
    memcpy(*host, result->host, (size_t)p * sizeof **host); /* a file's, or searched for */
    return RB_OK;
}

static void search_free(struct search *search)
{
    free(search->host);
    free(search->sent);
    free(search->received);
}

static int search_init(struct search *search, const struct sim_spec *spec,
                       const struct sim_result *result, const struct obs_recording *recording,
                       struct sup_error *error)
{
    const size_t max_ops = (size_t)rb_plan_max_ops(spec->plan) + 1;
    *search = (struct search){.spec = spec,
                              .recording = recording,
                              .tolerance_s = 1e-9 * result->time_s,
                              .sent = sup_malloc(max_ops * sizeof *search->sent),
                              .received = sup_malloc(max_ops * sizeof *search->received)};
    return find_hosts(spec, result, &search->host, error);
}

/* Finds the path of a run of spec's plan with this result; the closed recording has the run's
 * messages. Two times are equal if they differ by less than 1e-9 of the run's time. O(rounds (log
 * messages + max_ops)) for an engine whose messages start when others end; p more per round where
 * hosts are shared. */
static int critical_path_find(const struct sim_spec *spec, const struct sim_result *result,
                              const struct obs_recording *recording, struct obs_critical_path *path,
                              struct sup_error *error)
{
    struct search search;
    *path = (struct obs_critical_path){0};
    const int status = search_init(&search, spec, result, recording, error);
    search.path = path;
    if (status == RB_OK) {
        walk_back(&search);
        turn_round(path);
        add_up(path, recording->p, result->time_s);
    }
    search_free(&search);
    return status;
}

int obs_waits_find(const struct sim_spec *spec, const struct sim_result *result,
                   const struct obs_recording *recording, const int32_t message[], int32_t count,
                   struct obs_wait waits[], struct sup_error *error)
{
    struct search search;
    const int status = search_init(&search, spec, result, recording, error);
    for (int32_t i = 0; i < count && status == RB_OK; i++)
        waits[i] = find_keeper(&search, &recording->message[message[i]]);
    search_free(&search);
    return status;
}

static void critical_path_free(struct obs_critical_path *path)
{
    free(path->step);
    *path = (struct obs_critical_path){0};
}

/* ---- Phases, idle ranks, skew ---------------------------------------------------------------- */

/* ---- Ranks ----------------------------------------------------------------------------------- */

static bool takes_part(const struct obs_rank_use *rank)
{
    return rank->sends + rank->receives > 0;
}

/* The union of a rank's messages, which are sorted by end: from the last to the first, each adds
 * its part before all later ones. */
static double time_busy(const struct obs_recording *recording, int32_t rank)
{
    double busy_s = 0, covered_from_s = INFINITY;
    for (int32_t i = recording->first[rank + 1]; i-- > recording->first[rank];) {
        const struct sim_message *message = &recording->message[recording->of_rank[i]];
        const double until_s = fmin(message->end_s, covered_from_s);
        if (message->start_s < until_s)
            busy_s += until_s - message->start_s;
        covered_from_s = fmin(covered_from_s, message->start_s);
    }
    return busy_s;
}

static void look_at_ranks(const struct obs_recording *recording, struct obs_diagnosis *diagnosis)
{
    for (int32_t r = 0; r < recording->p; r++) {
        struct obs_rank_use *rank = &diagnosis->rank[r];
        rank->first_s = INFINITY;
        for (int32_t i = recording->first[r]; i < recording->first[r + 1]; i++) {
            const struct sim_message *message = &recording->message[recording->of_rank[i]];
            const double length_s = message->end_s - message->start_s;
            const bool sends = message->from == r;
            *(sends ? &rank->sends : &rank->receives) += 1;
            *(sends ? &rank->send_s : &rank->recv_s) += length_s;
            rank->first_s = fmin(rank->first_s, message->start_s);
            rank->last_s = fmax(rank->last_s, message->end_s);
        }
        if (takes_part(rank))
            diagnosis->taking_part++;
        else
            rank->first_s = 0;
        rank->busy_s = time_busy(recording, r);
    }
}

/* A difference of sums, which may leave a trace of rounding. */
static double rest(double all_s, double part_s, double time_s)
{
    return all_s - part_s > 1e-12 * time_s ? all_s - part_s : 0;
}

double obs_use_of(const struct obs_rank_use *rank, enum obs_use use, double time_s)
{
    switch (use) {
    case OBS_USE_SENDING:
        return rank->send_s;
    case OBS_USE_RECEIVING:
        return rank->recv_s;
    case OBS_USE_BUSY:
        return rank->busy_s;
    case OBS_USE_IDLE:
        return rest(time_s, rank->busy_s, time_s);
    case OBS_USE_GAPS:
        return rest(rank->last_s - rank->first_s, rank->busy_s, time_s);
    case OBS_USE_BEGUN:
        return rank->first_s;
    case OBS_USE_THROUGH:
    case OBS_USES:
        break;
    }
    return rank->last_s;
}

struct value {
    double value;
    int32_t rank;
};

SUP_COMPARE(compare_values, struct value, SUP_ORDER(a->value, b->value),
            SUP_ORDER(a->rank, b->rank));

/* Sums of the same times differ in their last bits, which must not decide the order: nearly equal
 * values are those of the lowest rank. */
static int32_t who_has(double value, const struct value values[], int32_t count, double tolerance)
{
    int32_t lowest = INT32_MAX;
    for (int32_t i = 0; i < count; i++)
        if (fabs(values[i].value - value) <= tolerance && values[i].rank < lowest)
            lowest = values[i].rank;
    return lowest;
}

static struct obs_spread spread_of(const struct obs_diagnosis *diagnosis, int32_t p,
                                   enum obs_use use, struct value values[])
{
    int32_t count = 0;
    for (int32_t r = 0; r < p; r++)
        if (takes_part(&diagnosis->rank[r]))
            values[count++] =
                (struct value){obs_use_of(&diagnosis->rank[r], use, diagnosis->time_s), r};
    if (count == 0)
        return (struct obs_spread){0};
    qsort(values, (size_t)count, sizeof values[0], compare_values);
    const double least = values[0].value, median = values[(count - 1) / 2].value,
                 most = values[count - 1].value, tolerance = 1e-9 * diagnosis->time_s;
    return (struct obs_spread){least,
                               median,
                               most,
                               who_has(least, values, count, tolerance),
                               who_has(median, values, count, tolerance),
                               who_has(most, values, count, tolerance)};
}

static void look_at_spreads(int32_t p, struct obs_diagnosis *diagnosis)
{
    struct value *values = sup_malloc((size_t)p * sizeof *values);
    for (int use = 0; use < OBS_USES; use++)
        diagnosis->spread[use] = spread_of(diagnosis, p, (enum obs_use)use, values);
    free(values);
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* The earliest rounds of the message with which the last rank begins, and of the message with which
 * the first rank is done. */
static void find_turns(const struct obs_recording *recording, const struct obs_diagnosis *diagnosis,
                       int64_t *begun_round, int64_t *through_round)
{
    const double begun_s = diagnosis->spread[OBS_USE_BEGUN].most;
    const double through_s = diagnosis->spread[OBS_USE_THROUGH].least;
    *begun_round = *through_round = INT64_MAX;
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const struct obs_rank_use *from = &diagnosis->rank[message->from];
        const struct obs_rank_use *to = &diagnosis->rank[message->to];
        if (message->start_s == begun_s && message->round < *begun_round &&
            (from->first_s == begun_s || to->first_s == begun_s))
            *begun_round = message->round;
        if (message->end_s == through_s && message->round < *through_round &&
            (from->last_s == through_s || to->last_s == through_s))
            *through_round = message->round;
    }
}

static void measure(const struct obs_recording *recording, const struct obs_diagnosis *diagnosis,
                    int32_t ports, struct obs_phase *phase)
{
    const double length_s = phase->to_s - phase->from_s;
    double held_s = 0;
    for (int32_t i = 0; i < recording->count; i++) {
        const struct sim_message *message = &recording->message[i];
        const double from_s = fmax(message->start_s, phase->from_s);
        held_s += fmax(fmin(message->end_s, phase->to_s) - from_s, 0);
    }
    phase->utilisation = length_s > 0 ? held_s / (length_s * ports * diagnosis->taking_part) : NAN;
}

static void find_phases(const struct sim_spec *spec, const struct obs_recording *recording,
                        struct obs_diagnosis *diagnosis)
{
    const double tolerance_s = 1e-9 * diagnosis->time_s;
    const int64_t rounds = rb_plan_rounds(spec->plan);
    double begun_s = diagnosis->spread[OBS_USE_BEGUN].most;
    double through_s = diagnosis->spread[OBS_USE_THROUGH].least;
    int64_t begun_round, through_round;
    find_turns(recording, diagnosis, &begun_round, &through_round);
    diagnosis->full = begun_s <= through_s + tolerance_s;
    double turn_s[OBS_PHASES + 1] = {0, begun_s, fmax(begun_s, through_s), diagnosis->time_s};
    int64_t turn[OBS_PHASES + 1] = {0, begun_round, through_round + 1, rounds};
    if (!diagnosis->full) {
        turn_s[1] = through_s;
        turn_s[2] = begun_s;
        turn[1] = through_round + 1;
        turn[2] = begun_round;
    }
    if (turn[2] < turn[1]) /* ranks are in different rounds at a time */
        turn[2] = turn[1];
    for (int i = 0; i < OBS_PHASES; i++) {
        diagnosis->phase[i] = (struct obs_phase){
            .from_s = turn_s[i], .to_s = turn_s[i + 1], .rounds = turn[i + 1] - turn[i]};
        measure(recording, diagnosis, rb_plan_ports(spec->plan), &diagnosis->phase[i]);
    }
}

/* ---- Skew ------------------------------------------------------------------------------------ */

static void find_start_skew(const struct obs_recording *recording, int64_t rounds,
                            struct obs_diagnosis *diagnosis)
{
    struct starts {
        double first_s, last_s;
    } *starts = sup_malloc(((size_t)rounds + 1) * sizeof *starts);
    for (int64_t t = 0; t < rounds; t++)
        starts[t] = (struct starts){INFINITY, 0};
    for (int32_t i = 0; i < recording->count; i++) {
        struct starts *of = &starts[recording->message[i].round];
        of->first_s = fmin(of->first_s, recording->message[i].start_s);
        of->last_s = fmax(of->last_s, recording->message[i].start_s);
    }
    for (int64_t t = 0; t < rounds; t++)
        if (starts[t].last_s - starts[t].first_s >
            diagnosis->start_skew_s + 1e-9 * diagnosis->time_s) {
            diagnosis->start_skew_s = starts[t].last_s - starts[t].first_s;
            diagnosis->start_skew_round = t;
        }
    free(starts);
}

/* ---- The whole diagnosis --------------------------------------------------------------------- */

int obs_diagnose(const struct sim_spec *spec, const struct sim_result *result,
                 const struct obs_recording *recording, struct obs_diagnosis *diagnosis,
                 struct sup_error *error)
{
    *diagnosis = (struct obs_diagnosis){.time_s = result->time_s};
    diagnosis->rank = sup_calloc((size_t)recording->p, sizeof *diagnosis->rank);
    look_at_ranks(recording, diagnosis);
    look_at_spreads(recording->p, diagnosis);
    find_start_skew(recording, rb_plan_rounds(spec->plan), diagnosis);
    if (recording->count > 0)
        find_phases(spec, recording, diagnosis);
    const int status = critical_path_find(spec, result, recording, &diagnosis->path, error);
    if (status != RB_OK)
        obs_diagnosis_free(diagnosis);
    return status;
}

void obs_diagnosis_free(struct obs_diagnosis *diagnosis)
{
    critical_path_free(&diagnosis->path);
    free(diagnosis->rank);
    *diagnosis = (struct obs_diagnosis){0};
}

/* ---- Recordings ------------------------------------------------------------------------------ */

static bool grow(struct obs_recording *recording)
{
    int64_t room = recording->room > 0 ? 2 * (int64_t)recording->room : 1024;
    if (room > OBS_MOST_RECORDED)
        room = OBS_MOST_RECORDED;
    if (room == recording->room)
        return false;
    recording->message =
        sup_reallocarray(recording->message, (size_t)room, sizeof *recording->message);
    recording->room = (int32_t)room;
    return true;
}

static void record(void *context, const struct sim_message *message)
{
    struct obs_recording *recording = context;
    if (recording->missed > 0 || (recording->count == recording->room && !grow(recording)))
        recording->missed++;
    else
        recording->message[recording->count++] = *message;
}

struct sim_observer obs_recording_observer(struct obs_recording *recording)
{
    return (struct sim_observer){.message = record, .context = recording};
}

SUP_COMPARE(compare, struct sim_message, SUP_ORDER(a->end_s, b->end_s),
            SUP_ORDER(a->round, b->round), SUP_ORDER(a->from, b->from), SUP_ORDER(a->port, b->port),
            SUP_ORDER(a->to, b->to));

/* Counts each rank's messages, then deals them out; they come by end, and stay so. */
static void index_ranks(struct obs_recording *recording)
{
    int32_t *const first = recording->first, p = recording->p;
    for (int32_t i = 0; i < recording->count; i++) {
        first[recording->message[i].from + 1]++;
        first[recording->message[i].to + 1]++;
    }
    for (int32_t rank = 0; rank < p; rank++)
        first[rank + 1] += first[rank];
    for (int32_t i = 0; i < recording->count; i++) {
        recording->of_rank[first[recording->message[i].from]++] = i;
        recording->of_rank[first[recording->message[i].to]++] = i;
    }
    for (int32_t rank = p; rank > 0; rank--) /* each first has become the next rank's */
        first[rank] = first[rank - 1];
    first[0] = 0;
}

int obs_recording_close(struct obs_recording *recording, int32_t p, struct sup_error *error)
{
    const int32_t count = recording->count;
    if (recording->missed > 0)
        return sup_fail(error, RB_EINVAL,
                        "%" PRId64 " messages are too many to be looked at one by one, which goes "
                        "up to %d: give fewer ranks or blocks",
                        count + recording->missed, OBS_MOST_RECORDED);
    recording->p = p;
    recording->first = sup_calloc((size_t)p + 1, sizeof *recording->first);
    recording->of_rank = sup_malloc((2 * (size_t)count + 1) * sizeof *recording->of_rank);
    if (count > 0)
        qsort(recording->message, (size_t)count, sizeof *recording->message, compare);
    index_ranks(recording);
    return RB_OK;
}

void obs_recording_free(struct obs_recording *recording)
{
    free(recording->message);
    free(recording->of_rank);
    free(recording->first);
    *recording = (struct obs_recording){0};
}

/* ---- Finds the operations of the plan to which a message of a run belongs -------------------- */

int32_t obs_message_ops(const struct sim_spec *spec, const struct sim_message *message,
                        bool at_receiver, struct rb_op ops[])
{
    struct rb_rank state;
    rb_plan_rank(spec->plan, at_receiver ? message->to : message->from, &state);
    const int32_t count = rb_layout_round(spec->plan, spec->layout, &state, message->round, ops);
    const int32_t side =
        DEP_DIRECTIONS * message->port + (int32_t)(at_receiver ? DEP_RECEIVES : DEP_SENDS);
    struct dep_messages left = dep_messages_of(ops, count);
    for (struct dep_message its; dep_next_message(&left, &its);)
        if (dep_side(its.ops) == side) {
            memmove(ops, its.ops, (size_t)its.count * sizeof *ops);
            return its.count;
        }
    return 0;
}
