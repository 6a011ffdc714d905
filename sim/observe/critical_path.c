/* critical_path.c - see critical_path.h.
 *
 * A rank's messages lie by their ends, so that those which end when a message starts are found by
 * bisection. Along the way back starts never rise, and rounds fall where they stay: so it ends even
 * where messages take no time. */
#include "critical_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message_ops.h"
#include "support/memory.h"

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

int obs_critical_path_find(const struct sim_spec *spec, const struct sim_result *result,
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

void obs_critical_path_free(struct obs_critical_path *path)
{
    free(path->step);
    *path = (struct obs_critical_path){0};
}
